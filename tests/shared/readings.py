"""The sample grid of the tests of forms, and summaries of what is read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from sudoku import GridError, Layout, Puzzle, parse, read, solve, to_line
from sudoku.grid import Grid
from sudoku.layout import Box

LINE = "7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"
SAMPLE = parse(LINE)
SOLVED = to_line(solve(LINE).completion)  # type: ignore[arg-type]
BARE = [LINE[k : k + 9] for k in range(0, 81, 9)]


def found(text: str | Sequence[str], layout: Box | Layout | None = None, **how: str) -> list[str]:
    """The grids of a text in lines, and the messages of the errors."""
    results = read(text.splitlines() if isinstance(text, str) else text, layout=layout, **how)
    return [str(one) if isinstance(one, GridError) else to_line(one) for one in results]


def summary(text: str | Sequence[str], layout: Box | Layout | None = None, **how: str) -> list[tuple[str, int] | str]:
    """The form and the line of each grid, and the message of each error."""
    results = read(text.splitlines() if isinstance(text, str) else text, layout=layout, **how)
    return [str(one) if isinstance(one, GridError) else (one.form, one.line) for one in results]


def only(text: str, layout: Box | Layout | None = None, **how: str) -> Puzzle:
    """The one puzzle in a text."""
    (one,) = read(text.splitlines(), layout=layout, **how)
    assert isinstance(one, Puzzle), one
    return one


def grids(box: Box = (3, 3)) -> st.SearchStrategy[Grid]:
    """Any cells; they may contradict one another."""
    n = box[0] * box[1]
    lists = st.lists(st.integers(0, n), min_size=n * n, max_size=n * n)
    return lists.map(lambda values: np.array(values, dtype=np.uint8).reshape(n, n))
