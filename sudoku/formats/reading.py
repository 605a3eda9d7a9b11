"""The functions that read grids in any mixture of forms: of files and lines, and the one grid of a text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from io import TextIOBase
from itertools import count, islice, repeat

from sudoku.formats.fast import PIECE, blocks, one_by_one
from sudoku.formats.request import Request, lines_of
from sudoku.formats.signs import BLANKS, Signs, quoted
from sudoku.grid import Grid, GridError, Puzzle
from sudoku.layout import Box, Layout, as_layout

MANY = 1 << 10  # lines of a list or of an open file that are read together


def read(
    lines: Iterable[str] | str | os.PathLike[str],
    layout: Box | Layout | None = None,
    *,
    file: str | None = None,
    alphabet: str | None = None,
) -> Iterator[Puzzle | GridError]:
    """Reads grids in any mixture of forms; it holds one section at a time.

    A grid in one line is there with its line, and a grid of several lines with the empty line or the other form behind
    it.

    Parameters:
        lines: the path of a file, or the text, line by line, with or without line ends: an open file for example, which
            is read many lines at a time unless it is a pipe or a terminal.
        layout: the rows and columns of a box, or a `Layout`; without it, what the form says, and otherwise 3 x 3. Grids
            in which cells are missing have three forms only, line, rows and boxed.
        file: what error messages call the input; without it, the path, or `<text>`.
        alphabet: the signs of the digits 1 to n, in order, where a cell is one sign; without it, 1 to 9 and letters.

    Yields:
        A Puzzle for each grid, and in the place of each malformed one a GridError, which is not raised.

    Raises:
        ValueError: the box is not a pair of whole numbers, or too large; a text is the path of no file; or the alphabet
            has not n different signs.
        TypeError: the lines or the alphabet are no text.
        OSError: the file cannot be read.

    >>> text = ["# two grids", "1 2 3 4", "3 4 1 2", "2 1 7 3", "4 3 2 1", "", "12..34..........  easy", "end"]
    >>> for puzzle in read(text, layout=(2, 2)):
    ...     print(puzzle if isinstance(puzzle, GridError) else (puzzle.form, puzzle.line))
    <text>:4: 7 is not between 0 and 4, in row 3: '2 1 7 3'
    ('line', 7)
    >>> next(read(["0.3.3.1...0303.."], layout=(2, 2), alphabet="0123")).grid[0]
    array([1, 0, 4, 0], dtype=uint8)
    """
    known = as_layout(layout)
    if isinstance(lines, (bytes, bytearray)):
        raise TypeError("read takes a path or lines of text, not bytes")
    Signs.of(known, alphabet)  # which says what is wrong with it
    request = Request(known, file or "<text>", layout is not None, alphabet)
    if not isinstance(lines, (str, os.PathLike)):
        return one_by_one(blocks(partial(next, _pieces(lines, request.file), b""), request))
    path = os.fspath(lines)
    if isinstance(lines, str) and not os.path.exists(path):
        raise ValueError(f"{quoted(path)} is no file: read takes a path or lines, and parse the text of a grid")
    return _grids_of_file(path, request._replace(file=file or path))


def parse(text: str, layout: Box | Layout | None = None, alphabet: str | None = None) -> Grid:
    """Reads the one grid in a text.

    Parameters:
        text: one grid in any form that `read` knows.
        layout, alphabet: as for `read`.

    Returns:
        A read-only uint8 array of shape (n, n); 0 is a blank.

    Raises:
        GridError: the text is malformed, it has no grid, or more than one, or it says more than the digits of a grid,
            which candidates blanks have or what their regions are: `sudoku.as_puzzle` keeps that.
        TypeError, ValueError: as for `read`.

    >>> parse("1.3. 3.1. ..43 43..".replace(" ", "\\n"), layout=(2, 2))
    array([[1, 0, 3, 0],
           [3, 0, 1, 0],
           [0, 0, 4, 3],
           [4, 3, 0, 0]], dtype=uint8)
    """
    puzzle = parse_puzzle(text, layout, alphabet)
    if puzzle.candidates is not None:
        raise GridError(puzzle.file, puzzle.line, "the text has candidates, which a grid cannot hold: use as_puzzle")
    if puzzle.layout != as_layout(layout):
        raise GridError(puzzle.file, puzzle.line, "the text has regions, which a grid cannot hold: use as_puzzle")
    return puzzle.grid


def parse_puzzle(text: str, layout: Box | Layout | None = None, alphabet: str | None = None) -> Puzzle:
    """Reads the one puzzle in a text, with its candidates and layout; parameters and errors are those of `parse`."""
    if not isinstance(text, str):
        raise TypeError(f"parse takes the text of a grid, not {type(text).__name__}; as_grid takes other grids")
    if alphabet is None and (puzzle := _line_alone(text, as_layout(layout))):
        return puzzle
    one: Puzzle | GridError = GridError("<text>", 1, "there is no grid")
    for k, found in enumerate(read(text.splitlines(), layout=layout, alphabet=alphabet)):
        more = k > 0 and isinstance(found, Puzzle)
        one = GridError(found.file, found.line, "a second grid begins here") if more else found
        if isinstance(one, GridError):
            break
    if isinstance(one, Puzzle):
        return one
    hint = "; this is the path of a file: sudoku.read takes paths" if os.path.isfile(text) else ""
    raise GridError(one.file, one.line, f"{one.reason}{hint}")


def _line_alone(text: str, layout: Layout) -> Puzzle | None:
    """Returns the puzzle of a text that is nothing but a right line: without a reader it takes 6 µs instead of 19."""
    signs = Signs.of(layout)
    if not layout.is_square or layout.size > 9 or len(text) != signs.cells or not text.strip(BLANKS):
        return None
    with suppress(ValueError):  # the reader has the error
        return Puzzle(signs.whole(text), "line", "<text>", 1, layout)
    return None


def _grids_of_file(path: str, request: Request) -> Iterator[Puzzle | GridError]:
    with open(path, "rb", buffering=0) as file:
        yield from one_by_one(blocks(lambda: file.read(PIECE) or b"", request))


def _pieces(lines: Iterable[str], file: str) -> Iterator[bytes]:
    """Yields lines as bytes, those of a list or a file many at a time; a TypeError if one is no text."""
    ended = lines_of(lines) if isinstance(lines, TextIOBase) else map(_with_end, lines, count(1), repeat(file))
    are_there = lines.seekable() if isinstance(lines, TextIOBase) else isinstance(lines, list | tuple)
    number = MANY if are_there else 1
    while piece := "".join(islice(ended, number)):
        try:
            yield piece.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # a surrogate that stands for no byte
            yield piece.encode("utf-8", "backslashreplace")


def _with_end(line: str, number: int, file: str) -> str:
    if not isinstance(line, str):
        hint = "; open files in text mode, or pass the path" if isinstance(line, bytes) else ""
        raise TypeError(f"line {number} of {file} is {line!r:.40} instead of text{hint}")
    return line if line.endswith("\n") else f"{line}\n"
