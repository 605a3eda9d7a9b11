"""Reads and writes files of problems; the name of a file determines the format."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import IO, Any

from dlx.formats.errors import FormatError
from dlx.problem.problem import Problem, as_problem

# The first format is the default for streams and files without a suffix.
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
BEGINNING = 4096  # bytes of a text that are compared with LOOKS
LOOKS = {  # format name, or description of an unsupported file -> the pattern of its first lines
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
    "a file of miniexact: the first line needs the items of < >, then | and those of [ ]; no semicolons": re.compile(
        rb"(?:\s*%.*\n)*\s*<[^<>?!=]*>[^<>]*;"
    ),
    "a board with pieces, which `dlx tile` reads": re.compile(rb"(?:.*\n)?board *:"),
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
        source: the path of a file, or an open file in text or binary mode.
        format: "knuth", "orlib", "matrix", "npz", "mps" or "lp"; default: by the suffix of the name; without a suffix,
            Knuth's text format.

    Returns:
        The problem.

    Raises:
        FormatError: the file is no problem in this format; the message has the file, the line and the reason. Or the
            suffix is unknown, or the suffix of a format that is only written.
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
            data = stream.read()
        except UnicodeDecodeError as error:
            raise FormatError(file, None, str(error)) from None
    try:
        problem: Problem = module.loads(data, file)
    except FormatError as error:
        if format is not None or not (like := _like(data, of)):
            raise
        raise FormatError(file, error.line, f"{error.reason}; this looks like {like}") from None
    if of == "knuth" and not problem.n_options and format is None and (like := _like(data, of)).startswith("JSON"):
        raise FormatError(file, None, f"there are no options; this looks like {like}")
    return problem


def write(problem: Problem, target: str | os.PathLike[str] | IO[bytes], format: str | None = None) -> None:
    """Writes a problem.

    Parameters:
        problem: what to write.
        target: the path of a file, or a binary file open for writing; it is not changed before all bytes are made.
        format: one of `FORMATS`; default: by the suffix of the name; for streams and files without a suffix, Knuth's
            text format.

    Raises:
        FormatError: the format cannot represent the problem, or the suffix is unknown; the message has the reason.
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
    """Returns the name of a file in errors: its path, or the name of a stream."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


def opened(source: str | os.PathLike[str] | IO[Any]) -> AbstractContextManager[IO[Any]]:
    """Opens the file of a path for reading bytes; an open file is used as it is and stays open."""
    if not isinstance(source, (str, os.PathLike)) and not hasattr(source, "read"):
        raise TypeError(f"source is {source!r:.80}; it must be a path or an open file")
    return open(source, "rb") if isinstance(source, (str, os.PathLike)) else nullcontext(source)


def put(target: str | os.PathLike[str] | IO[bytes], data: bytes) -> None:
    """Writes bytes to the file of a path, or to an open file."""
    if not isinstance(target, (str, os.PathLike)) and not hasattr(target, "write"):
        raise TypeError(f"target is {target!r:.80}; it must be a path or an open file")
    with open(target, "wb") if isinstance(target, (str, os.PathLike)) else nullcontext(target) as stream:
        stream.write(data)


def _like(data: str | bytes, of: str) -> str:
    """Returns a description of the first format in `LOOKS` that the data match; "" if there is none or it is `of`."""
    head = data[:BEGINNING] if isinstance(data, bytes) else data[:BEGINNING].encode("utf-8", "replace")
    head = head.removeprefix(b"\xef\xbb\xbf")
    like = next((like for like, begins in LOOKS.items() if begins.match(head)), of)
    if like not in FORMATS:
        return like
    hint = "is only written" if like in WRITTEN_ONLY else f"can be named: --format {like}"
    return "" if like == of else f"the format {like!r}, which {hint}"


def _module(format: str) -> Any:
    if format not in FORMATS:
        raise ValueError(f"the format is {format!r}; it must be one of {', '.join(FORMATS)}")
    if format in ("mps", "lp"):
        return getattr(import_module("dlx.formats.programs"), format)
    return import_module(f"dlx.formats.{format}")
