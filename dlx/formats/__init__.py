"""Problems as files: a module for each format, between its bytes and a `Problem`.

A format is a module with `loads(data, file)`, which makes a `Problem` of bytes and raises nothing but a `FormatError`,
whatever they are, and `dumps(problem)`, which makes bytes of a problem, and raises a `FormatError` if the format cannot
represent it. Formats that are only for other solvers have no `loads`.
"""

from dlx.formats.errors import FormatError, FormatWarning
from dlx.formats.files import FORMATS, READ, format_of, read, write

__all__ = ["FORMATS", "READ", "FormatError", "FormatWarning", "format_of", "read", "write"]
