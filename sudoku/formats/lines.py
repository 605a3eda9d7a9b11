"""Lines of a file or a stream, none of which takes more memory than a line may."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

LONGEST_LINE = 1 << 16  # of a longer line only this much is kept


def lines_of(stream: IO[str]) -> Iterator[str]:
    """The lines as they come; of a very long one only the beginning, so that memory stays bounded.

    >>> from io import StringIO
    >>> [len(line) for line in lines_of(StringIO("one\\n" + 100_000 * "." + "\\nthree\\n"))]
    [4, 65536, 6]
    """
    begins = True
    while piece := stream.readline(LONGEST_LINE):
        if begins:
            yield piece
        begins = piece.endswith("\n")
