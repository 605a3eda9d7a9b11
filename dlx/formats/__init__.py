"""Reads and writes problems; each format is a module.

`loads(data, file)` of a format makes a `Problem` from any bytes, or raises a `FormatError`. `dumps(problem)` returns
the bytes of a problem, and raises a `FormatError` if the format cannot represent the problem. A format that is only for
other solvers has no `loads`.
"""

from dlx.formats.errors import FormatError, FormatWarning
from dlx.formats.files import FORMATS, READ, format_of, read, write

__all__ = ["FORMATS", "READ", "FormatError", "FormatWarning", "format_of", "read", "write"]
