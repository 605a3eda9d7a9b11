"""Files by their names: which format, and from there a problem and back."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import IO, Any

from dlx.formats.errors import FormatError
from dlx.problem.problem import Problem, as_problem

# The first format is that of streams and of files without a suffix; texts of any format may have the suffix .txt.
FORMATS = {
    "knuth": (".dlx", ".xc", ".xcc", ".mcc", ".txt"),
    "orlib": (".spp",),
    "matrix": (".csv",),
    "npz": (".npz",),
    "mps": (".mps",),
    "lp": (".lp",),
    "cnf": (".cnf",),
}
WRITTEN_ONLY = ("cnf",)  # for SAT solvers
READ = tuple(format for format in FORMATS if format not in WRITTEN_ONLY)
BEGINNING = 4096  # bytes of a text to judge by
PIECE = 1 << 20  # bytes that are read at once
ENDLESS = 1 << 28  # bytes of a line, which /dev/zero has, until a text is given up
LOOKS = {  # how a text begins, behind empty lines and comments; by the format, or by what it is and who reads it
    "npz": re.compile(rb"PK\x03\x04"),
    "mps": re.compile(rb"(?:\*.*\n|\s)*(?:NAME|ROWS|OBJSENSE)\b"),
    "lp": re.compile(rb"(?:\\.*\n|\s)*(?:min|max)(?:imi[sz]e|imum)?\b(?:[ \t\r]*\n|.*:)", re.IGNORECASE),
    "cnf": re.compile(rb"(?:c\b.*\n|\s)*p[ \t]+w?cnf\b"),
    "matrix": re.compile(
        rb"\s*(?:[^,;\t\n]*[,;\t].*\n|[0-9]+[ \t]+[0-9]+[ \t\r]*\n)?(?:(?:[^\s,;01][^,;\t\n]*[,;\t])?[01][\s,;]*){3,}\Z"
    ),
    "orlib": re.compile(rb"\s*[0-9]+[ \t]+[0-9]+[ \t\r]*\n\s*-?[0-9]+(?:[ \t]+[0-9]+){2,}[ \t\r]*(?:\n|\Z)"),
    "JSON, which json.load makes a list for Problem.from_options or Problem.from_matrix": re.compile(
        rb"\s*(?:\[\s*[\[({\"'0-9\]]|\{\s*[\"'}])"
    ),
    "a file of miniexact: write the items of < > in the first line, | and those of [ ], and no semicolons": re.compile(
        rb"(?:\s*%.*\n)*\s*<[^<>?!=]*>[^<>]*;"
    ),
    "XML or HTML, which nothing reads here": re.compile(rb"\s*<(?:[?]xml|!DOCTYPE|!--|[A-Za-z][\w.:-]*(?:\s[^<>]*)?>)"),
    "what gzip has packed, which gunzip unpacks": re.compile(rb"\x1f\x8b"),
    "text in UTF-16, which is to be saved as UTF-8": re.compile(rb"\xff\xfe|\xfe\xff"),
}


def format_of(file: str | os.PathLike[str], among: Iterable[str] = FORMATS) -> str:
    """Returns the format for a file's suffix, "knuth" without one; raises FormatError for an unknown suffix."""
    suffix = os.path.splitext(os.fspath(file))[1].lower() or FORMATS["knuth"][0]
    for format, suffixes in FORMATS.items():
        if suffix in suffixes:
            return format
    known = ", ".join(suffix for format in among for suffix in FORMATS[format])
    raise FormatError(
        os.fspath(file), None, f"the suffix {suffix!r} stands for no format; name the format, or use one of {known}"
    )


def read(source: str | os.PathLike[str] | IO[Any], format: str | None = None) -> Problem:
    """Reads a problem.

    Parameters:
        source: the path of a file, or an open one, in text or binary mode.
        format: "knuth", "orlib", "matrix", "npz", "mps" or "lp"; default: by the suffix of the name, and Knuth's text
            for names without one.

    Returns:
        The problem.

    Raises:
        FormatError: this is no problem in that format; the message has the file, the line and the reason. Or the suffix
            stands for no format, or for one that is only written, or a line has more than 2^28 bytes.
        ImportError: the format is "mps" or "lp", and highspy is not installed (extra `mip`).
        OSError: the file cannot be read.
        ValueError: there is no such format.

    >>> import io
    >>> read(io.StringIO("a b | x\\na x\\nb\\n"))
    Problem(2 + 1 secondary items, 2 options, 3 entries)
    """
    file = name_of(source)
    of = format or format_of(file, READ)
    if of in WRITTEN_ONLY:
        raise FormatError(file, None, f"the format {of!r} is only written; those that are read are {', '.join(READ)}")
    module = _module(of)
    with opened(source) as stream:
        try:
            data = _data(of, stream, file)
        except UnicodeDecodeError as error:
            raise FormatError(file, None, str(error)) from None
    return _loaded(module, data, file, format)


def write(problem: Problem, target: str | os.PathLike[str] | IO[bytes], format: str | None = None) -> None:
    """Writes a problem.

    Parameters:
        problem: what to write.
        target: the path of a file, or a binary one open for writing; nothing is touched before all bytes are made.
        format: one of `FORMATS`; without it, the suffix of the name decides, and Knuth's text is for streams and files
            without one.

    Raises:
        FormatError: the format cannot say the problem, or the suffix stands for no format; the message says what.
        ImportError: the format is "mps" or "lp", and highspy is not installed (extra `mip`).
        OSError: the file cannot be written.
        ValueError: there is no such format.

    >>> import io
    >>> write(Problem.from_options(["ab", "c"]), stream := io.BytesIO())
    >>> stream.getvalue()
    b'a b c\\na b\\nc\\n'
    """
    put(target, _module(format or format_of(name_of(target))).dumps(as_problem(problem)))


def name_of(source: str | os.PathLike[str] | IO[Any]) -> str:
    """Returns what errors call a file: its path, or the name of a stream."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


def opened(source: str | os.PathLike[str] | IO[Any]) -> AbstractContextManager[IO[Any]]:
    """Opens the file of a path for reading bytes; one that is open stays so."""
    if not isinstance(source, (str, os.PathLike)) and not hasattr(source, "read"):
        raise TypeError(f"source is {source!r:.80}; it must be a path or an open file")
    return open(source, "rb") if isinstance(source, (str, os.PathLike)) else nullcontext(source)


def put(target: str | os.PathLike[str] | IO[bytes], data: bytes) -> None:
    """Writes bytes to the file of a path, or to one that is open."""
    if not isinstance(target, (str, os.PathLike)) and not hasattr(target, "write"):
        raise TypeError(f"target is {target!r:.80}; it must be a path or an open file")
    with open(target, "wb") if isinstance(target, (str, os.PathLike)) else nullcontext(target) as stream:
        stream.write(data)


def _data(format: str, stream: IO[Any], file: str) -> Any:
    """All that a stream has; of a text, as long as its lines end."""
    if format == "npz":
        return stream.read()
    pieces: list[Any] = []
    line, size = 1, 0  # that which has not ended
    while piece := stream.read(PIECE):
        pieces.append(piece)
        end = b"\n" if isinstance(piece, bytes) else "\n"
        line += piece.count(end)
        size = len(piece) - piece.rfind(end) - 1 + (0 if end in piece else size)
        if size > ENDLESS:
            raise FormatError(file, line, f"the line has more than {ENDLESS} bytes: nothing behind it is read")
    return (b"" if pieces and isinstance(pieces[0], bytes) else "").join(pieces)


def _loaded(module: Any, data: str | bytes, file: str, format: str | None) -> Problem:
    """The problem in a text; where nobody has named the format, an error says what it looks like."""
    try:
        problem: Problem = module.loads(data, file)
    except FormatError as error:
        like = _like(data)
        if format is not None or not like or module is (like in FORMATS and _module(like)):
            raise
        told = "is only written" if like in WRITTEN_ONLY else f"can be named: --format {like}"
        like = f"the format {like!r}, which {told}" if like in FORMATS else like
        raise FormatError(file, error.line, f"{error.reason}; this looks like {like}") from None
    if problem.n_options or format is not None or os.path.splitext(file)[1].lower() not in ("", ".txt"):
        return problem
    if (like := _like(data)) and like not in FORMATS:  # a line of the item "max" is no file for CPLEX
        told = f"there are no options, and this looks like {like}; if it is Knuth's text, name that: --format knuth"
        raise FormatError(file, None, told)
    return problem


def _like(data: str | bytes) -> str:
    """Returns the first of `LOOKS` that a text has, or nothing."""
    head = data[:BEGINNING] if isinstance(data, bytes) else data[:BEGINNING].encode("utf-8", "replace")
    head = head.removeprefix(b"\xef\xbb\xbf")
    return next((like for like, begins in LOOKS.items() if begins.match(head)), "")


def _module(format: str) -> Any:
    if format not in FORMATS:
        raise ValueError(f"the format is {format!r}; it must be one of {', '.join(FORMATS)}")
    if format in ("mps", "lp"):
        return getattr(import_module("dlx.formats.programs"), format)
    return import_module(f"dlx.formats.{format}")
