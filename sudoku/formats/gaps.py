"""The forms of grids in which cells are missing, such as a samurai: a line for each row, or one line for all.

Of each row either all cells are written, with blanks for the missing ones, or those that are there only; so it makes no
difference whether the missing ones are spaces. Up to 9 digits need no white space between them. Bars are passed over,
and so are rules, lines of nothing but `-`, `+`, `=`, `|` and `:`; a `-` is no blank here. The line form has a character
for each cell, those that are missing included. 0 is always a blank.

After a bad row, the rest of the grid is passed over, up to an empty line or a grid in one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sudoku.formats.rows import number as value_of
from sudoku.formats.signs import BLANKS, DIGITS, clip, quoted
from sudoku.grid import Grid, GridError, Puzzle, frozen
from sudoku.layout import Layout

_RULE = re.compile(r"[-+=|:\s]+")
_PASSED = "what follows up to the next empty line or grid in one line is passed over"


class GapsReader:
    """Reads grids of a layout in which cells are missing, line by line; parameters and answers as those of `read`."""

    def __init__(self, layout: Layout, file: str) -> None:
        self.layout, self.file = layout, file
        self.mask = layout.mask()
        signs = re.escape("".join(sorted({*BLANKS, *DIGITS[: layout.size], *DIGITS[: layout.size].lower()})))
        self.whole = re.compile(rf"([{signs}]{{{self.mask.size}}})(?![^\s,;])")
        self.skip = False  # whether a malformed grid is passed over
        self._begin()

    def _begin(self) -> None:
        self.rows: list[list[int]] = []
        self.first = 0  # the number of its first line
        self.boxed = False

    def close(self) -> Iterator[GridError]:
        """Ends the grid, which is an error if it has begun."""
        if self.rows:
            reason = f"the grid that begins here ends after {len(self.rows)} of {len(self.mask)} rows"
            yield GridError(self.file, self.first, reason)
        self.skip = False
        self._begin()

    def take(self, number: int, text: str) -> Iterator[Puzzle | GridError]:
        """Reads one line, stripped of comments and of the white space around it."""
        if not text:
            yield from self.close()
        elif found := self.whole.match(text) if self.layout.size <= len(DIGITS) else None:
            yield from self.close()
            values = [DIGITS.find(sign) + 1 if sign not in BLANKS else 0 for sign in _upper(found[1])]
            yield self._puzzle(np.array(values).reshape(self.mask.shape), "line", number)
        elif _RULE.fullmatch(text):
            self.boxed |= bool(self.rows)
        elif not self.skip:
            yield from self._take_row(number, text)

    def _take_row(self, number: int, text: str) -> Iterator[Puzzle | GridError]:
        self.first = self.first or number
        try:
            self.rows.append(self._row(text))
        except ValueError as error:
            yield GridError(self.file, number, f"{error}; {_PASSED}")
            self._begin()
            self.skip = True
            return
        self.boxed |= "|" in text
        if len(self.rows) == len(self.mask):
            yield self._puzzle(np.array(self.rows), "boxed" if self.boxed else "rows", self.first)
            self._begin()

    def _row(self, text: str) -> list[int]:
        """The cells of a row, 0 where they are missing.

        Raises:
            ValueError: there are too many, or too few, or one is no digit and no blank.
        """
        name, n, there = f"row {len(self.rows) + 1}", self.layout.size, self.mask[len(self.rows)]
        words = text.replace("|", " ").split()
        cells = list("".join(words)) if n <= 9 else words
        if len(cells) not in (len(there), there.sum()):
            expected = f"{there.sum()}, or {len(there)} with those that are missing"
            raise ValueError(f"{name} has {len(cells)} cells instead of {expected}: {quoted(text)}")
        values = [-1 if cell == "-" else value_of(cell) for cell in cells]
        for cell, value in zip(cells, values, strict=True):
            if value < 0:
                raise ValueError(f"{quoted(cell)} in {name} is neither a digit nor a blank")
            if value > n:
                raise ValueError(f"{clip(cell)} in {name} is not between 0 and {n}")
        if len(values) == len(there):
            return values
        left = iter(values)
        return [next(left) if one else 0 for one in there]

    def _puzzle(self, values: npt.NDArray[np.int_], form: str, number: int) -> Puzzle | GridError:
        wrong = np.argwhere((values != 0) & ~self.mask)
        if len(wrong):
            r, c = wrong[0].tolist()
            reason = f"{values[r, c]} in row {r + 1}, column {c + 1} is where the layout has no cell"
            return GridError(self.file, number, reason)
        return Puzzle(frozen(values.astype(np.uint8)), form, self.file, number, self.layout)  # type: ignore[arg-type]


def _upper(signs: str) -> str:
    """Letters as digits are written; the blank x and no digit has a letter that is one."""
    return "".join(sign if sign in BLANKS else sign.upper() for sign in signs)


def write(grid: Grid, layout: Layout, blank: str) -> str:
    """A grid as rows of numbers, with spaces where cells are missing.

    >>> layout = Layout.gattai((0, 0), (1, 1), box=(1, 2))
    >>> print(write(np.array([[1, 2, 0], [2, 1, 2], [0, 2, 0]], dtype=np.uint8), layout, "."))
    1 2
    2 1 2
      2 .
    """
    width = len(str(layout.size))
    rows = zip(grid.tolist(), layout.mask().tolist(), strict=True)
    texts = [
        [(str(value) if value else blank if there else "").rjust(width) for value, there in zip(*row, strict=True)]
        for row in rows
    ]
    return "\n".join(" ".join(row).rstrip() for row in texts)
