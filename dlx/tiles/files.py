"""Files of tilings: plain text, and BurrTools' `.xmpuzzle`."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from dlx.formats.errors import FormatError
from dlx.tiles import burrtools, text
from dlx.tiles.boards import Board
from dlx.tiles.often import Range
from dlx.tiles.pieces import Piece

BURRTOOLS = ".xmpuzzle"
LONGEST = 1 << 24  # bytes of a file


class Puzzle(NamedTuple):
    """A board, pieces, and how often each is used: `problem(board, pieces, each=each)`.

    Attributes:
        board: None for a file of pieces alone.
        pieces: the pieces, with different names.
        each: the least and the most uses of each piece, by its name.
    """

    board: Board | None
    pieces: list[Piece]
    each: dict[str, Range]


def load(path: str | os.PathLike[str], problem: int | str = 1) -> Puzzle:
    """Reads a board and pieces from a file: BurrTools' if it is named `.xmpuzzle`, else plain text.

    Parameters:
        path: the file.
        problem: the number or the label of a problem, of which a file of BurrTools may have several.

    Returns:
        The board, the pieces, and how often each is used.

    Raises:
        FormatError: the file is longer than 16 MB, or no puzzle; the message has the file, the line and the reason.
        OSError: the file cannot be read.

    >>> board, pieces, each = load("examples/tilings/box.txt")
    >>> board.size, [piece.name for piece in pieces]
    ((3, 4), ['L', 'I'])
    """
    data = contents(path)
    if os.path.splitext(path)[1].lower() == BURRTOOLS:
        return Puzzle(*burrtools.loads(data, os.fspath(path), problem))
    return loads(decoded(data, os.fspath(path)), os.fspath(path))


def contents(path: str | os.PathLike[str]) -> bytes:
    """Returns the bytes of a file; raises FormatError for one that is longer than any puzzle, and OSError."""
    with open(path, "rb") as stream:
        data = stream.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise FormatError(os.fspath(path), None, f"the file has more than {LONGEST} bytes")
    return data


def decoded(data: bytes, file: str) -> str:
    """Returns a text in UTF-8; raises FormatError, with the line and the byte, for anything else."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"byte {error.start} is 0x{data[error.start]:02x}, and the text is not in UTF-8"
        raise FormatError(file, line, reason) from None


def loads(data: str | bytes, file: str = "<string>") -> Puzzle:
    """Reads a board and pieces from plain text, or from the bytes of a file of BurrTools; raises FormatError as `load`.

    >>> loads("jigsaw: AAB/ABB").pieces[0].cells
    ((0, 0), (0, 1), (1, 0))
    """
    return Puzzle(*(text.loads(data, file) if isinstance(data, str) else burrtools.loads(data, file)))


def dump(path: str | os.PathLike[str], board: Any, pieces: Any, each: Any = 1) -> None:
    """Writes a problem as a file of BurrTools, with its suffix; parameters as of `problem`.

    Raises FormatError for another suffix, and for what BurrTools cannot say, before anything is written; OSError if the
    file cannot be written.
    """
    if os.path.splitext(path)[1].lower() != BURRTOOLS:
        raise FormatError(os.fspath(path), None, f"only files of BurrTools are written, named {BURRTOOLS}")
    data = dumps(board, pieces, each)
    with open(path, "wb") as stream:
        stream.write(data)


def dumps(board: Any, pieces: Any, each: Any = 1) -> bytes:
    """Returns the file of BurrTools of a problem; raises FormatError for what it cannot say.

    >>> loads(dumps("3x3x3", "soma")).board == Board.of("3x3x3", "cube")
    True
    """
    return burrtools.dumps(board, pieces, each)
