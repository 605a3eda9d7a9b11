"""Files by their names: which format, and from there a problem and back."""

from __future__ import annotations

import os
from importlib import import_module
from typing import IO, Any

from dlx.formats.errors import FormatError
from dlx.problem import Problem, as_problem

# The first format is that of streams, of files without a suffix, and of files to be read with any other suffix.
FORMATS = {
    "knuth": (".dlx", ".xc", ".xcc", ".mcc"),
    "orlib": (".spp",),
    "npz": (".npz",),
}


def format_of(file: str | os.PathLike[str]) -> str:
    """The format in which a file is read: that of the suffix of its name, or "knuth" if it stands for none.

    >>> format_of("queens.npz"), format_of("queens.txt")
    ('npz', 'knuth')
    """
    return _by_suffix(_suffix(file)) or "knuth"


def format_to_write(file: str | os.PathLike[str]) -> str:
    """The format in which a file is written: that of the suffix of its name, or "knuth" if it has none.

    Raises:
        FormatError: the suffix stands for no format: nobody who asks for "plan.lp" wants Knuth's text in it.

    >>> format_to_write("queens.npz"), format_to_write("queens")
    ('npz', 'knuth')
    """
    suffix = _suffix(file)
    format = _by_suffix(suffix or FORMATS["knuth"][0])
    if format is None:
        known = ", ".join(suffix for suffixes in FORMATS.values() for suffix in suffixes)
        raise FormatError(
            os.fspath(file), None, f"the suffix {suffix!r} stands for no format; name the format, or use one of {known}"
        )
    return format


def _suffix(file: str | os.PathLike[str]) -> str:
    return os.path.splitext(os.fspath(file))[1].lower()


def _by_suffix(suffix: str) -> str | None:
    return next((name for name, suffixes in FORMATS.items() if suffix in suffixes), None)


def read(source: str | os.PathLike[str] | IO[Any], format: str | None = None) -> Problem:
    """Reads a problem.

    Parameters:
        source: the path of a file, or an open one, in text or binary mode.
        format: "knuth", "orlib" or "npz"; without it, the suffix of the path decides.

    Returns:
        The problem; it is equal to the one that was written.

    Raises:
        FormatError: this is no problem in that format; the message has the file, the line and the reason.
        OSError: the file cannot be read.
        ValueError: there is no such format.

    >>> import io
    >>> read(io.StringIO("a b | x\\na x\\nb\\n"))
    Problem(2 + 1 secondary items, 2 options, 3 entries)
    """
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as stream:
            return _module(format or format_of(source)).loads(stream.read(), os.fspath(source))  # type: ignore[no-any-return]
    name = getattr(source, "name", None)
    file = name if isinstance(name, str) else "<stream>"
    try:
        data = source.read()
    except UnicodeDecodeError as error:
        raise FormatError(file, None, str(error)) from None
    return _module(format or format_of(file)).loads(data, file)  # type: ignore[no-any-return]


def write(problem: Problem, target: str | os.PathLike[str] | IO[bytes], format: str | None = None) -> None:
    """Writes a problem.

    Parameters:
        problem: what to write.
        target: the path of a file, or a binary one open for writing; nothing is touched before all bytes are made.
        format: "knuth", "orlib" or "npz"; without it, the suffix of the name decides, and Knuth's text is for streams
            and files without one.

    Raises:
        FormatError: the format cannot say the problem, or the suffix stands for no format; the message says what.
        OSError: the file cannot be written.
        ValueError: there is no such format.

    >>> import io
    >>> write(Problem.from_options(["ab", "c"]), stream := io.BytesIO())
    >>> stream.getvalue()
    b'a b c\\na b\\nc\\n'
    """
    name = target if isinstance(target, (str, os.PathLike)) else getattr(target, "name", None)
    module = _module(format or format_to_write(name if isinstance(name, (str, os.PathLike)) else ""))
    data = module.dumps(as_problem(problem))
    if isinstance(target, (str, os.PathLike)):
        with open(target, "wb") as stream:
            stream.write(data)
    else:
        target.write(data)


def _module(format: str) -> Any:
    if format not in FORMATS:
        raise ValueError(f"the format is {format!r}; it must be one of {', '.join(FORMATS)}")
    return import_module(f"dlx.formats.{format}")
