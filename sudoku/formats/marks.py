"""Cells with several candidates: pencil marks in rows.

In rows a cell is a word of all its candidates in ascending order, of up to 9 rows or of an alphabet: `127`. A word of
one digit is a digit of the grid, unless a `+` stands before it: that is HoDoKu's sign for what is filled in, and here
for the only candidate of a blank. No cell of such a grid is blank, so that `12` among blanks is a number that is too
large.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sudoku.formats.signs import Alphabet
from sudoku.grid import Candidates, Grid


def choices(word: str, alphabet: Alphabet) -> list[int]:
    """Returns the digits of a word of candidates; nothing if it is none."""
    values = [alphabet.values.get(sign, 0) for sign in word.removeprefix("+")]
    rising = all(a < b for a, b in zip([0, *values], values, strict=False))
    return values if rising and (not word.startswith("+") or len(values) == 1) else []


def has_marks(cells: Sequence[str], alphabet: Alphabet) -> bool:
    """Tells whether the cells of a row are candidates, and not only digits."""
    return any(len(cell) > 1 for cell in cells) and all(choices(cell, alphabet) for cell in cells)


def candidates(cells: Sequence[str], alphabet: Alphabet) -> tuple[list[int], Candidates]:
    """Returns the digits of a grid of n^2 words, and the candidates, shape (n, n, n).

    >>> grid, marks = candidates(["12", "1", "+1", "2"], Alphabet.of(2))
    >>> grid, marks.tolist()
    ([0, 1, 0, 2], [[[True, True], [True, False]], [[True, False], [False, True]]])
    """
    n = len(alphabet.digits)
    found = np.zeros((n * n, n), dtype=np.bool_)
    for k, cell in enumerate(cells):
        found[k, np.array(choices(cell, alphabet)) - 1] = True
    digits = [alphabet.values[cell] if len(cell) == 1 else 0 for cell in cells]
    return digits, found.reshape(n, n, n)


def write(grid: Grid, marks: Candidates, digits: str = "123456789") -> str:
    """Returns a grid with candidates, shape (n, n, n), as rows of these; a ValueError if there is no sign for some."""
    n = len(grid)
    if n > len(digits):
        raise ValueError(f"there are no pencil marks for grids of {n} rows")
    words = [[_word(int(grid[r, c]), marks[r, c], digits) for c in range(n)] for r in range(n)]
    if empty := [(r, c) for r in range(n) for c in range(n) if not words[r][c]]:
        r, c = empty[0]
        raise ValueError(f"the cell in row {r + 1}, column {c + 1} has no candidate, which pencil marks cannot say")
    width = max(len(word) for row in words for word in row)
    return "\n".join(" ".join(word.ljust(width) for word in row).rstrip() for row in words)


def _word(digit: int, marks: Candidates, digits: str) -> str:
    found = "".join(digits[d] for d in np.flatnonzero(marks).tolist())
    return found if digit or len(found) != 1 else f"+{found}"


def write_characters(marks: Candidates, digits: str) -> str:
    """Returns candidates as n^3 characters."""
    n = len(digits)
    signs = np.where(marks, np.array(list(digits)), ".")
    return "".join(signs.reshape(n**3).tolist())
