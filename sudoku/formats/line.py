"""The line form: a character for each cell of a grid, row by row, for grids of up to 32 rows.

The digits above 9 are letters, and 0 is a blank. Others write the digits of n rows as 0 to n - 1, though, those of 16
rows as 0 to F, so that 0 may be a digit. It is

    a blank     where the last digit, 9 for 9 rows and G for 16, occurs, or where there are more 0s than one digit can
                have;
    a blank     otherwise, for up to 9 rows, where no other sign stands for blanks;
    a digit     otherwise, for more rows, where some other sign does: the digit that lacks a letter, 16 for 16 rows;
    an error    otherwise.

Whoever names the signs of the digits, an `Alphabet`, has said what 0 is. With n^3 characters instead, digit d of a cell
is its d-th one: d itself where it is a candidate, and a blank where it is not.

A line of HoDoKu's library is `:technique:digits:cells:candidates left out:...:`. After a `+` in its cells stands what
somebody has filled in: a blank with one candidate. The candidates left out are numbers of three digits: the digit, the
row and the column. What comes after them, the step that a person would take next, says nothing about the grid.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import isqrt

import numpy as np

from sudoku.formats.request import LONGEST_LINE, Asked
from sudoku.formats.signs import DIGITS, Alphabet, another_alphabet, has_other_blanks, quoted, zero_doubt
from sudoku.grid import Candidates, Grid, Puzzle, frozen
from sudoku.layout import another_box

_LIBRARY = re.compile(r":[0-9a-z-]*:[^:]*:([^:\s]+):([^:]*)(?::[^:]*){0,4}", re.IGNORECASE)


class Line:
    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, n: int, signs: str | None = None) -> Line:
        """Returns the form, which is made once: it knows nothing of what it has read."""
        return cls(n, signs)

    def __init__(self, n: int, signs: str | None = None) -> None:
        self.size, self.alphabet = n, Alphabet.of(n, signs)
        values = self.alphabet.values
        self._codes = {ord(sign): value for sign, value in values.items()}
        self._zero_is_last = self._codes | {ord("0"): n}
        signs = re.escape("".join(values))
        self._form, self._marks = (re.compile(rf"([{signs}]{{{n**power}}})(?![^\s,;])") for power in (2, 3))
        self._within = re.compile(rf"""(?<=[\s,;:="'(|>])[{signs}]{{{n * n}}}(?=[\s,;:&"')|<]|$)""")
        self._blanks = {sign for sign, value in values.items() if not value}
        self._exists = n <= len(self.alphabet.digits)

    def cells(self, text: str, power: int = 2) -> str | None:
        """Returns the n^2 characters that a line begins with, or with a power of 3 n^3; None if it has others."""
        match = (self._form if power == 2 else self._marks).match(text) if self._exists else None
        return match and match[1]

    def holds(self, text: str) -> bool:
        """Tells whether a line is a grid with a digit, and nothing else."""
        return self.cells(text) == text and not self._blanks.issuperset(text)

    def within(self, text: str) -> str | None:
        """Returns the n^2 characters, a digit among them, that a line has behind others; None if it has not."""
        found = self._within.search(text) if self._exists else None
        return found[0] if found and any(self.alphabet.values[sign] for sign in found[0]) else None

    def whole(self, text: str) -> Grid:
        if self.cells(text) != text:
            raise ValueError(self.fault(text))
        return self.grid(text)

    def grid(self, cells: str) -> Grid:
        """Returns the grid of the cells, read-only; a ValueError if 0 may be a blank or a digit."""
        codes = self._zero_is_last if self._zero_is_digit(cells) else self._codes
        values = cells.translate(codes).encode("latin-1")
        return frozen(np.frombuffer(values, dtype=np.uint8).reshape(self.size, self.size))

    def candidates(self, cells: str) -> Candidates:
        """Returns the candidates of n^3 characters, shape (n, n, n); a ValueError if one is in the wrong place."""
        n = self.size
        values = np.frombuffer(cells.translate(self._codes).encode("latin-1"), dtype=np.uint8).reshape(n, n, n)
        wrong = np.flatnonzero((values != 0) & (values != np.arange(1, n + 1)))
        if len(wrong):
            place = int(wrong[0])
            only = f"stands where only {self.alphabet.digits[place % n]} or a blank can be"
            raise ValueError(f"{quoted(cells[place])}, character {place + 1} of {n**3}, {only}")
        return values > 0

    def _zero_is_digit(self, cells: str) -> bool:
        letters, others = self.size > 9, has_other_blanks(cells)
        if self.alphabet.given or not (letters or others):
            return False
        doubt = zero_doubt(cells.upper(), self.size, DIGITS[self.size - 1])
        if doubt and not (letters and others):
            raise ValueError(doubt)
        return bool(doubt)

    def resembles(self, head: str) -> bool:
        """Tells whether a word is too long for a row, and most of it are digits or blanks."""
        return len(head) >= 2 * self.size and 2 * sum(char in self.alphabet.values for char in head) > len(head)

    def is_spaced(self, line: str) -> bool:
        """Tells whether a line would be in this form if white space were blanks."""
        line = line.rstrip("\r\n")
        signs = {sign for sign in line if not sign.isspace()} if len(line) == self.size**2 else {line}
        return self.alphabet.values.keys() >= signs and line.split() != [line]

    def expected(self) -> str:
        n = self.size
        return f"{n} numbers or {n * n} characters" if self._exists else f"{n} numbers"

    def fault(self, head: str) -> str:
        n, digits = self.size, self.alphabet.digits
        if not self._exists:
            return f"there is no line form for grids of {n} rows"
        if len(head) != n * n:
            least = "at least " if len(head) >= LONGEST_LINE else ""
            rows = isqrt(len(head))
            other = another_box(rows) if rows * rows == len(head) != n**3 else ""
            return f"the line has {least}{len(head)} characters instead of {n * n}: {quoted(head)}{other}"
        k, bad = next((k, char) for k, char in enumerate(head, 1) if char not in self.alphabet.values)
        other = "" if self.alphabet.given else another_alphabet(head, n)
        what = f"neither a digit from {digits[0]} to {digits[-1]} nor a blank"
        return f"{quoted(bad)}, character {k} of the line, is {what}{other}"


def library(text: str, form: Line, asked: Asked, line: int) -> Puzzle | None:
    """Returns the grid of a line of a library, or None; a ValueError if it has other cells, or a candidate is none."""
    found = _LIBRARY.fullmatch(text)
    if found is None:
        return None
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
