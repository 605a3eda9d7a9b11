"""The forms of grids in which cells are missing, such as a samurai: a line for each row, or one line for all.

Of each row either all cells are written, with blanks for the missing ones, or those that are there only; so it makes no
difference whether the missing ones are spaces. Up to 9 digits need no white space between them. Bars are passed over,
and so are rules, lines of nothing but `-`, `+`, `=`, `|` and `:`, or of Unicode's lines; a `-` is no blank here. The
line form has a character for each cell, those that are missing included. 0 is always a blank.

After a bad row, the rest of the grid is passed over, up to an empty line or a grid in one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sudoku.formats.request import Asked, place_of
from sudoku.formats.rows import drawn_plainly
from sudoku.formats.rows import number as value_of
from sudoku.formats.signs import DIGITS, Alphabet, clip, quoted
from sudoku.formats.text import PASSED, is_numbered
from sudoku.grid import Form, GridError, Puzzle

_RULE = re.compile(r"[-+=|:\s]+")


class GapsReader:
    """Reads grids of a layout in which cells are missing, line by line, as `sudoku.formats.text.Text` does others."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.size, self.mask = asked, asked.layout.size, asked.layout.mask()
        signs = Alphabet.of(self.size, asked.alphabet).values
        self.values = {sign: value for sign, value in signs.items() if sign != "-"}
        self.single = asked.alphabet is not None or self.size <= 9  # whether a cell of a row is one sign
        self.has_line = asked.alphabet is not None or self.size <= len(DIGITS)
        self.whole = re.compile(rf"([{re.escape(''.join(self.values))}]{{{self.mask.size}}})(?![^\s,;])")
        self.skip = False  # whether a malformed grid is passed over
        self.passed: tuple[int, str] | None = None  # no line is passed over in silence
        self._begin()

    def _begin(self) -> None:
        self.rows: list[list[int]] = []
        self.first = 0  # the number of its first line
        self.boxed = False

    def close(self) -> Iterator[GridError]:
        if self.rows:
            reason = f"the grid that begins here ends after {len(self.rows)} of {len(self.mask)} rows"
            yield self.asked.error(self.first, reason)
        self.skip = False
        self._begin()

    def take(self, number: int, text: str) -> Iterator[Puzzle | GridError]:
        text = drawn_plainly(text.strip())
        if not text or is_numbered(text):
            yield from self.close()
        elif found := self.whole.match(text) if self.has_line else None:
            yield from self.close()
            yield self._puzzle([self.values[sign] for sign in found[1]], "line", number)
        elif _RULE.fullmatch(text):
            self.boxed |= bool(self.rows)
        elif not self.skip:
            yield from self._take_row(number, text)

    def _take_row(self, number: int, text: str) -> Iterator[Puzzle | GridError]:
        self.first = self.first or number
        try:
            self.rows.append(self._row(text))
        except ValueError as error:
            yield self.asked.error(number, f"{error}; {PASSED}")
            self._begin()
            self.skip = True
            return
        self.boxed |= "|" in text
        if len(self.rows) == len(self.mask):
            yield self._puzzle(self.rows, "boxed" if self.boxed else "rows", self.first)
            self._begin()

    def _row(self, text: str) -> list[int]:
        """Returns the cells of a row, 0 where they are missing."""
        name, there = f"row {len(self.rows) + 1}", self.mask[len(self.rows)]
        words = text.replace("|", " ").split()
        cells = list("".join(words)) if self.single else words
        if len(cells) not in (len(there), there.sum()):
            expected = f"{there.sum()}, or {len(there)} with those that are missing"
            raise ValueError(f"{name} has {len(cells)} cells instead of {expected}: {quoted(text)}")
        values = [self.values.get(cell, -1) if self.single else value_of(cell) for cell in cells]
        for cell, value in zip(cells, values, strict=True):
            if value < 0 and not cell.isdecimal():
                raise ValueError(f"{quoted(cell)} in {name} is neither a digit nor a blank")
            if not 0 <= value <= self.size:
                raise ValueError(f"{clip(cell)} in {name} is not between 0 and {self.size}")
        left = iter(values)
        return values if len(values) == len(there) else [next(left) if one else 0 for one in there]

    def _puzzle(self, cells: npt.ArrayLike, form: Form, number: int) -> Puzzle | GridError:
        values = np.array(cells).reshape(self.mask.shape)
        wrong = np.argwhere((values != 0) & ~self.mask)
        if len(wrong):
            r, c = wrong[0].tolist()
            return self.asked.error(number, f"{values[r, c]} in {place_of(r, c)} is where the layout has no cell")
        return self.asked.puzzle(values, form, number)
