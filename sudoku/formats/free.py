"""The free layout of contests: n^2 numbers with white space, commas or semicolons between them, in any number of lines.

It is recognised where the first line has twice as many numbers as a row, or more, and only whole rows of them; so must
the further lines then. With `format="free"` lines may be broken anywhere; without it, too, where there are n^2 numbers
without an empty line, and most lines have not as many as a row.
"""

from __future__ import annotations

import re

from sudoku.formats.rows import number, zero_fault
from sudoku.formats.signs import Alphabet, clip, quoted

_BETWEEN = re.compile(r"[,;]")


class Numbers:
    """The numbers of a grid of n rows so far."""

    def __init__(self, n: int, alphabet: Alphabet, anyhow: bool) -> None:
        self.size, self.alphabet, self.anyhow = n, alphabet, anyhow
        self.end()

    def _words(self, text: str) -> list[str]:
        """Returns the numbers of a line: nothing between two commas is a blank, and one at the end ends the line."""
        fields = _BETWEEN.split(text)
        ends = self.anyhow or len(fields) % self.size == 1 or all(field.strip() for field in fields[:-1])
        if ends and not fields[-1].strip():
            fields.pop()
        return [word for field in fields for word in field.split() or ["."]]

    def begins(self, text: str) -> bool:
        """Tells whether a line has so many numbers that it is the first one of a grid; anyhow, whether it has any."""
        n, words = self.size, self._words(text)
        if not self.anyhow and (not 2 * n <= len(words) <= n * n or len(words) % n):
            return False
        return bool(words) and all(0 <= number(word, self.alphabet) <= n for word in words)

    def add(self, line: int, text: str) -> str:
        """Takes the numbers of a line, and returns what is wrong with them, or nothing."""
        if not self.values:
            self.line = line
        n, words = self.size, self._words(text)
        values = [number(word, self.alphabet) for word in words]
        self.values += values
        self._cells += words
        for word, value in zip(words, values, strict=True):
            if value < 0:
                return f"{quoted(word)} is neither a digit nor a blank"
            if value > n:
                return f"{clip(word)} is not between 0 and {n}"
        if len(self.values) > n * n:
            return f"the grid that begins in line {self.line} has {len(self.values)} numbers instead of {n * n}"
        if not self.anyhow and len(words) % n:
            return f"the line has {len(words)} numbers, which are no whole rows of {n}"
        return zero_fault(self._cells, n) if len(self.values) == n * n and not self.alphabet.given else ""

    def end(self) -> None:
        """Forgets the numbers."""
        self.line = 0  # where they begin
        self.values: list[int] = []
        self._cells: list[str] = []


class Broken:
    """Numbers of a grid in lines that are broken anywhere, if they turn out to be one."""

    def __init__(self, n: int, alphabet: Alphabet) -> None:
        self.size, self.alphabet = n, alphabet
        self.lines: list[tuple[int, str]] = []  # the number of each line, and the line
        self.end()

    def end(self) -> list[tuple[int, str]]:
        """Forgets the lines, and returns them."""
        lines, self.lines = self.lines, []
        self.values: list[int] = []  # the numbers
        self._cells: list[str] = []
        self._rows = 0  # lines with as many as a row has
        return lines

    @property
    def whole(self) -> bool:
        """Tells whether these are the numbers of a grid."""
        no_fault = self.alphabet.given or not zero_fault(self._cells, self.size)
        return len(self.values) == self.size**2 and no_fault

    def takes(self, line: int, text: str) -> bool:
        """Takes a line, if it has numbers that may be some of the grid."""
        n, words = self.size, text.replace(",", " ").split()
        if not words or len(words[0]) > len(str(n)) or (not self.lines and len(words) % n == 0):
            return False
        values = [number(word, self.alphabet) for word in words]
        rows = self._rows + (len(values) == n)
        if min(values) < 0 or max(values) > n or len(self.values) + len(values) > n * n or 2 * rows > len(self.lines):
            return False
        self.lines.append((line, text))
        self.values += values
        self._cells += words
        self._rows = rows
        return True
