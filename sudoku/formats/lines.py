"""Lines of a file or a stream, in pieces none of which takes more memory than a line may."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import TextIOBase

LONGEST_LINE = 1 << 16  # a longer line comes in pieces


def lines_of(stream: TextIOBase) -> Iterator[str]:
    """The lines as they come; a very long one in pieces, of which only the last one has a line end.

    >>> from io import StringIO
    >>> [len(line) for line in lines_of(StringIO("one\\n" + 100_000 * "." + "\\nthree\\n"))]
    [4, 65536, 34465, 6]
    """
    while piece := stream.readline(LONGEST_LINE):
        yield piece


def ended(lines: Iterable[str], file: str) -> Iterator[str]:
    """The lines that somebody has listed, each with its end.

    Raises:
        TypeError: one is no text.
    """
    for number, line in enumerate(lines, 1):
        if not isinstance(line, str):
            raise TypeError(f"line {number} of {file} is {line!r:.40} instead of text")
        yield line if line.endswith("\n") else f"{line}\n"
