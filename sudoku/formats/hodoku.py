"""The lines of HoDoKu's library: `:technique:digits:cells:candidates left out:...:`.

The cells are in the line form. After a `+` stands what somebody has filled in: a blank with one candidate. The
candidates left out are numbers of three digits: the digit, the row and the column. What comes after them, the step
that a person would take next, says nothing about the grid.
"""

from __future__ import annotations

import re

import numpy as np

from sudoku.formats.line import Line
from sudoku.formats.request import Asked
from sudoku.formats.signs import quoted
from sudoku.grid import Candidates, Grid, Puzzle

_LIBRARY = re.compile(r":[0-9a-z-]*:[^:]*:([^:\s]+):([^:]*)(?::[^:]*){0,4}", re.IGNORECASE)


def resembles_library(text: str) -> bool:
    """Tells whether a line is one of a library, right or wrong."""
    return bool(_LIBRARY.fullmatch(text))


def library(text: str, form: Line, asked: Asked, line: int) -> Puzzle:
    """Returns the grid of a line of a library; a ValueError if it has other cells, or a candidate is none."""
    found = _LIBRARY.fullmatch(text)
    assert found is not None
    grid, n = form.whole(found[1].replace("+", "")).copy(), form.size
    marks = np.ones((n, n, n), dtype=np.bool_)
    for k, sign in enumerate(re.finditer("[+]", found[1])):
        r, c = divmod(sign.start() - k, n)
        marks[r, c] = np.arange(1, n + 1) == grid[r, c]
        grid[r, c] = 0
    for word in found[2].split():
        if not re.fullmatch("[1-9]{3}", word) or max(map(int, word)) > n:
            what = f"a digit, a row and a column from 1 to {min(n, 9)}"
            raise ValueError(f"{quoted(word)} is no candidate, which is {what}")
        d, r, c = (int(sign) - 1 for sign in word)
        marks[r, c, d] = False
    return asked.puzzle(grid, "hodoku", line, marks)


def write(grid: Grid, candidates: Candidates | None) -> str:
    """Returns a grid of up to 9 rows as a line of a library."""
    n = len(grid)
    if n > 9:
        raise ValueError(f"there is no line of a library for grids of {n} rows")
    marks = np.ones((n, n, n), dtype=np.bool_) if candidates is None else candidates
    words, left_out = [], []
    for r, c in np.ndindex(n, n):
        found = (np.flatnonzero(marks[r, c]) + 1).tolist()
        single = not grid[r, c] and len(found) == 1
        words.append(f"+{found[0]}" if single else str(grid[r, c]).replace("0", "."))
        if not single and (len(found) == 0 or not grid[r, c]):
            left_out += [f"{d}{r + 1}{c + 1}" for d in range(1, n + 1) if d not in found]
    return f":0000:x:{''.join(words)}:{' '.join(left_out)}::"
