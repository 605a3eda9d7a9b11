"""The line form: a character for each cell of a grid, row by row, for grids of up to 32 rows.

The digits above 9 are letters, and 0 is a blank. Others write the digits of n rows as 0 to n - 1, though, those of 16
rows as 0 to F, so that 0 may be a digit. It is

    a blank     where the last digit, 9 for 9 rows and G for 16, occurs, or where there are more 0s than one digit can
                have;
    a blank     otherwise, for up to 9 rows, where no other sign stands for blanks;
    a digit     otherwise, for more rows, where some other sign does: the digit that lacks a letter, 16 for 16 rows;
    an error    otherwise.
"""

from __future__ import annotations

import re

import numpy as np

from sudoku.formats.lines import LONGEST_LINE
from sudoku.formats.signs import BLANKS, DIGITS, has_other_blanks, quoted, zero_doubt, zero_may_be_digit
from sudoku.grid import Grid, frozen

_CHARACTERS = f".{DIGITS}".encode().ljust(256, b"?")


class Line:
    """The line form for grids of n rows."""

    def __init__(self, n: int) -> None:
        self.size = n
        values = dict.fromkeys(BLANKS, 0) | {digit: value for value, digit in enumerate(DIGITS[:n], 1)}
        values |= {digit.lower(): value for digit, value in values.items()}
        self._signs = frozenset(values)
        self._codes = bytes(values.get(chr(code), 0) for code in range(256))
        self._zero_is_last = bytes(n if chr(code) == "0" else value for code, value in enumerate(self._codes))
        self._form = re.compile(rf"([{re.escape(''.join(values))}]{{{n * n}}})(?![^\s,;])")

    def cells(self, text: str) -> str | None:
        """The n^2 characters that a line begins with, or None if it is not in this form.

        >>> Line(4).cells("12..34..........  easy"), Line(4).cells("12..34....")
        ('12..34..........', None)
        """
        match = self._form.match(text) if self.size <= len(DIGITS) else None
        return match and match[1]

    def grid(self, cells: str) -> Grid:
        """The grid that the cells are, read-only.

        Raises:
            ValueError: 0 may be a blank or a digit.

        >>> Line(10).grid("0123456789" + 90 * ".")[0]
        array([10,  1,  2,  3,  4,  5,  6,  7,  8,  9], dtype=uint8)
        """
        codes = self._zero_is_last if self._zero_is_digit(cells) else self._codes
        return frozen(np.frombuffer(cells.encode().translate(codes), dtype=np.uint8).reshape(self.size, self.size))

    def _zero_is_digit(self, cells: str) -> bool:
        n, last = self.size, DIGITS[self.size - 1]
        letters, others = n > 9, has_other_blanks(cells)
        if not zero_may_be_digit(cells.upper(), n, last) or not (letters or others):
            return False
        if letters and others:
            return True
        raise ValueError(zero_doubt(last))

    def resembles(self, head: str) -> bool:
        """Whether a word is too long for a row, and most of it are digits or blanks.

        >>> Line(4).resembles("12..34...."), Line(4).resembles("╔═══╤═══╦═══╤═══╗"), Line(4).resembles("12..3")
        (True, False, False)
        """
        return len(head) >= 2 * self.size and 2 * sum(char in self._signs for char in head) > len(head)

    def expected(self) -> str:
        """What a grid begins with, for a message."""
        n = self.size
        return f"{n} numbers or {n * n} characters" if n <= len(DIGITS) else f"{n} numbers"

    def fault(self, head: str) -> str:
        """What is wrong with a word that resembles this form."""
        n = self.size
        if n > len(DIGITS):
            return f"there is no line form for grids of {n} rows"
        if len(head) != n * n:
            least = "at least " if len(head) >= LONGEST_LINE else ""
            return f"the line has {least}{len(head)} characters instead of {n * n}: {quoted(head)}"
        k, bad = next((k, char) for k, char in enumerate(head, 1) if char not in self._signs)
        return f"{quoted(bad)}, character {k} of the line, is neither a digit from 1 to {DIGITS[n - 1]} nor a blank"


def write(grid: Grid) -> str:
    """A grid in the line form.

    Raises:
        ValueError: the grid has more than 32 rows.
    """
    if len(grid) > len(DIGITS):
        raise ValueError(f"there is no line form for grids of {len(grid)} rows")
    return grid.tobytes().translate(_CHARACTERS).decode("ascii")
