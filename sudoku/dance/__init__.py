"""Grids on the pages of `dlx.dance`: digits in cells, and a page where people type a sudoku and see it dance."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import dlx
from dlx.dance import Board
from dlx.dance import live_page as dlx_live_page
from sudoku.grid import Puzzle


def board(puzzle: Puzzle, problem: dlx.Problem, signs: str | None = None) -> Board:
    """What the options of a grid look like: digits in cells.

    Parameters:
        puzzle: the grid.
        problem: what `encode` made of it.
        signs: those of a blank and of each digit.

    >>> from sudoku import as_puzzle, encode
    >>> puzzle = as_puzzle("1..............4", (2, 2))
    >>> shown = board(puzzle, encode(puzzle))
    >>> shown.rows, shown.marks[0], shown.givens
    (4, ((0, 0), '1', 0), [0, 15])
    """
    layout = puzzle.layout
    rows, columns = layout.shape
    digits = signs[1:] if signs else [str(digit) for digit in range(1, layout.size + 1)]
    marks = [
        (name[:2], digits[name[2] - 1], name[2] - 1) if len(name) == 3 and isinstance(name[0], int) else None
        for name in problem.names or ()
    ]
    return Board(
        kind="candidates",
        rows=rows,
        columns=columns,
        marks=marks,
        region=layout.areas().ravel().tolist(),
        givens=[k for k, digit in enumerate(puzzle.grid.ravel().tolist()) if digit],
        items=[_called(item, digits) for item in problem.items],
        heads=[_head(item, digits) for item in problem.items],
    )


def _called(item: Any, digits: Sequence[str]) -> str:
    """What an item is called for people, who count from 1.

    >>> _called(("cell", 0, 4), "123456789"), _called(("column", 4, 6), "123456789")
    ('the cell in row 1, column 5', '6 in column 5')
    """
    if len(item) != 3 or not all(isinstance(part, int) for part in item[1:]):
        return " ".join(map(str, item))
    kind, place, digit = item
    return (
        f"the cell in row {place + 1}, column {digit + 1}"
        if kind == "cell"
        else f"{digits[digit - 1]} in {kind} {place + 1}"
    )


def _head(item: Any, digits: Sequence[str]) -> str:
    """The same in a few signs.

    >>> _head(("cell", 0, 4), "123456789"), _head(("column", 4, 6), "123456789"), _head(("box", 8, 1), "ABCDEFGHI")
    ('r1c5', 'c5=6', 'b9=A')
    """
    if len(item) != 3 or not all(isinstance(part, int) for part in item[1:]):
        return " ".join(map(str, item))
    kind, place, digit = item
    return f"r{place + 1}c{digit + 1}" if kind == "cell" else f"{kind[0]}{place + 1}={digits[digit - 1]}"


def live_page(*, title: str = "See it dance") -> str:
    """Makes the page where people type a problem or a sudoku, and see it dance; it searches by itself.

    Parameters:
        title: the heading.

    Returns:
        HTML.

    >>> "parseSudoku" in live_page()
    True
    """
    return dlx_live_page(files(__package__).joinpath("sudoku.js").read_text(encoding="utf-8"), title=title)
