"""The free layout of contests: n^2 numbers with white space, commas or semicolons between them, in any number of lines.

It is recognised where the first line has twice as many numbers as a row, or more, and only whole rows of them; so must
the further lines then. With `format="free"` lines may be broken anywhere; without it, too, where there are n^2 numbers
without an empty line, and most lines have not as many as a row: such lines are held until they are a grid, or turn out
to be something else.
"""

from __future__ import annotations

import re

from sudoku.formats.rows import number, zero_fault
from sudoku.formats.signs import Alphabet, clip, quoted

_BETWEEN = re.compile(r"[,;]")


class Numbers:
    """The numbers of a grid of n rows so far, and the lines that have them."""

    def __init__(self, n: int, alphabet: Alphabet, anyhow: bool = False) -> None:
        self.size, self.alphabet, self.anyhow = n, alphabet, anyhow
        self.end()

    def end(self) -> None:
        self.lines: list[tuple[int, str]] = []  # the number of each line, and the line
        self.values: list[int] = []
        self._cells: list[str] = []
        self._rows = 0  # lines with as many numbers as a row has

    @property
    def fault(self) -> str:
        """Returns what is wrong with the numbers of a whole grid, or nothing."""
        return "" if self.alphabet.given else zero_fault(self._cells, self.size)

    @property
    def whole(self) -> bool:
        return len(self.values) == self.size**2 and not self.fault

    def _words(self, text: str) -> list[str]:
        """Returns the numbers of a line: nothing between two commas is a blank, and one at the end ends the line."""
        fields = _BETWEEN.split(text)
        ends = self.anyhow or len(fields) % self.size == 1 or all(field.strip() for field in fields[:-1])
        if ends and not fields[-1].strip():
            fields.pop()
        return [word for field in fields for word in field.split() or ["."]]

    def _add(self, line: int, text: str, words: list[str]) -> list[int]:
        values = [number(word, self.alphabet) for word in words]
        self.lines.append((line, text))
        self.values += values
        self._cells += words
        return values

    def begins(self, text: str) -> bool:
        n, words = self.size, self._words(text)
        if not self.anyhow and (not 2 * n <= len(words) <= n * n or len(words) % n):
            return False
        return bool(words) and all(0 <= number(word, self.alphabet) <= n for word in words)

    def add(self, line: int, text: str) -> str:
        """Takes the numbers of a line, and returns what is wrong with them, or nothing."""
        n, words = self.size, self._words(text)
        for word, value in zip(words, self._add(line, text, words), strict=True):
            if value < 0:
                return f"{quoted(word)} is neither a digit nor a blank"
            if value > n:
                return f"{clip(word)} is not between 0 and {n}"
        if len(self.values) > n * n:
            return f"the grid that begins in line {self.lines[0][0]} has {len(self.values)} numbers instead of {n * n}"
        if not self.anyhow and len(words) % n:
            return f"the line has {len(words)} numbers, which are no whole rows of {n}"
        return self.fault if len(self.values) == n * n else ""

    def holds(self, line: int, text: str) -> bool:
        """Takes a line that may be broken anywhere, if it has numbers that may be some of the grid."""
        n, words = self.size, text.replace(",", " ").split()
        if not words or len(words[0]) > len(str(n)) or (not self.lines and len(words) % n == 0):
            return False
        values = [number(word, self.alphabet) for word in words]
        rows = self._rows + (len(values) == n)
        if min(values) < 0 or max(values) > n or len(self.values) + len(values) > n * n or 2 * rows > len(self.lines):
            return False
        self._add(line, text, words)
        self._rows = rows
        return True
