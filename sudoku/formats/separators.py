"""Lines between grids that might be rows: a blank in every cell, `---------`, or the numbers of the columns.

Such a line is a separator where each grid has one above it, and a row where that reads everything and this does not.
So the rows from it on are held until one reading is out of question:

    rows          if another line stands where the separator has to come again;
    separators    if the blanks below it have another sign; if it comes again, and is known from the grids before, or
                  only the grids of the other reading have a digit twice in a region; if a rule below it stands where
                  bands end that begin behind it;
    ended         the first n are a grid, and the line behind it is the separator: a blank in every cell with another
                  sign than the blanks of the grid, or with that of separators below the grids before;
    at the end    the one that leaves no row over, or of two such the one without a digit twice; else nobody knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from sudoku.formats.request import solution_fault
from sudoku.formats.rows import Row, band, is_foreign
from sudoku.formats.signs import BLANKS
from sudoku.layout import Layout

Reading: TypeAlias = Literal["rows", "separators", "ended", "unknown"]

_BETWEEN = str.maketrans("", "", " ,;\t|")


class Separators:
    def __init__(self, layout: Layout) -> None:
        self.layout, self.size = layout, layout.size
        self.text = ""  # the last one that was found; "" if there was none
        self.held: list[Row] = []  # the rows from a line on that might be one
        self._below = False  # whether a grid ends above the rows that are held
        self._ends = False  # whether the last separator stood below a grid, with an empty line behind it
        self._clash = dict.fromkeys((self.size, self.size + 1), False)  # by the lines that each grid would have
        self.end_group()

    @cached_property
    def headings(self) -> set[str]:
        return {"".join(map(str, range(k, k + self.size))) for k in (0, 1)}

    def end_group(self) -> None:
        """Notes an empty line, or another line that ends a grid."""
        self.apart = False  # whether a separator stands between the grids since the last empty line
        self.behind = False  # whether a grid has just ended
        self._row = ""  # the last line that might have been one, and was a row

    def separates(self, text: str) -> bool:
        """Tells whether a line below a grid is the separator that is known."""
        return self.apart and self.behind and text == self.text

    def may_be(self, text: str) -> bool:
        """Tells whether a line above a grid might be a separator as well as a row."""
        return not self.apart and (self._is_blank(text) or self.is_heading(text))

    @property
    def only_heading(self) -> bool:
        return len(self.held) == 1 and self.is_heading(self.held[0].text)

    def is_heading(self, text: str) -> bool:
        return text[0] in "01" and text.translate(_BETWEEN) in self.headings

    def _is_blank(self, text: str) -> bool:
        return text[0] in BLANKS[1:] and text == text[0] * self.size

    def hold(self, row: Row) -> Reading | None:
        """Takes a row from a line on that might be a separator, and returns the reading of all, if that is known."""
        held, period = self.held, self.size + 1
        if not held:
            self._below = self.behind
            self._clash = dict.fromkeys(self._clash, False)
        held.append(row)
        for lines in self._clash:
            self._clash[lines] |= len(held) % lines == 0 and self._clashes(held[-self.size :])
        again = len(held) > period
        if again and len(held) % period == 1 and row.text != held[0].text:
            lost = self._below and len(held) == period + 1 and held[-2].text == held[0].text != self._row  # a row is
            return "separators" if lost else "rows"
        if len(held) == period and self._is_apart(0):
            return "separators"
        if len(held) == period and self._is_apart(-1):
            return "ended"
        clearer = self._clash[period] < self._clash[self.size] and not self._may_end_grids()
        return "separators" if again and (held[0].text == self.text or clearer) else None

    def reading(self) -> Reading:
        """Returns the reading of the rows that are held, of which there are no more."""
        number, n, first = len(self.held), self.size, self.held[0].text
        again, over = number > n + 1, number % (n + 1)
        known = (first == self.text and not self._ends) or self._is_apart(0)
        if number == n + 1 and self._ends and self.held[n].text == first == self.text:
            return "ended"
        if over == 0 or (over == 1 and (again or (self._below and self._is_blank(first)))):
            if number % n == 0 and not known:  # the reading in which no grid has a digit twice, if there is only one
                rows, separators = self._clash[n], self._clash[n + 1]
                return "unknown" if rows == separators else "separators" if rows else "rows"
            sure = known or self._below or not (self._may_end_grids() or self._clash[n + 1])
            return "separators" if sure else "unknown"
        below = over == n and self._may_end_grids()
        wrong = number == n and self.is_heading(first) and self._clash[n] and not self._clashes(self.held[1:])
        return "separators" if wrong or ((again or known) and number % n and not below) else "rows"

    def _may_end_grids(self) -> bool:
        """Tells whether separators might stand below the grids, and the rows that are held begin with one of blanks."""
        return not self._below and all(row.text == self.held[0].text for row in self.held[self.size :: self.size + 1])

    def _is_apart(self, k: int) -> bool:
        """Tells whether row k of those that are held is blank, with another sign than the grid of the others."""
        held = self.held[: self.size + 1]
        row = held.pop(k)
        return self._is_blank(row.text) and is_foreign(row.text[0], held)

    def by_rule(self) -> Reading | None:
        """Returns the reading of the rows that are held above a rule; None if the rule does not tell."""
        number, height = len(self.held), band(self.layout)
        return "separators" if number > 1 and number % height == 1 % height and height > 1 else None

    def release(self, reading: Reading) -> Sequence[Row]:
        """Returns the rows that are held, and are so no more, without the one that is a separator."""
        held, self.held = self.held, []
        if reading == "ended":
            self.apart, self.text, self._row = True, held[self.size].text, ""
            return held[: self.size]
        self._ends = reading == "separators" and len(held) == 1 and self._below
        self.apart = reading == "separators"
        self.text, self._row = (held[0].text, "") if self.apart else ("", held[0].text)
        self.behind &= not self.apart
        return held[1:] if self.apart else held if reading == "rows" else []

    def _clashes(self, held: Sequence[Row]) -> bool:
        n = self.size
        if any(len(row.values) != n or not 0 <= min(row.values) <= max(row.values) <= n for row in held):
            return False
        grid = np.zeros((n, n), dtype=np.uint8)
        grid[n - len(held) :] = [row.values for row in held]
        return bool(solution_fault(grid, grid, self.layout))
