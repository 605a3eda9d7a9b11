"""The meaning of cells in all forms (signs, numbers, candidates), and quotes of texts in messages.

A cell is a sign or a number. The digits above 9 are the letters from A = 10, for grids of up to 32 rows, or decimal
numbers. Grids of more than nine rows are also written with 0 to F, with 1 to F and 0, or with A to P. If several of
these fit, it is an error; grids of 16 rows with a 0 need the caller's alphabet. All blanks of a grid have the same
sign.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from sudoku.grid import Candidates
from sudoku.layout import Layout, another_box

LONGEST_LINE = 1 << 16  # characters of a line of plain text
LONGEST_VALUE = 1 << 24  # characters of a value of JSON
TOO_LONG = f"the value that begins here has more than {LONGEST_VALUE} characters"

BLANKS = "0.*-_xX?~"
_WRITTEN = ".*-_?~0xX"  # the same signs, the most common signs for blanks first
DIGITS = "123456789ABCDEFGHIJKLMNOPQRSTUVW"  # of the line form; the next letter, X, is a blank
_ALL = string.digits + string.ascii_uppercase
MIXED_BLANKS = "are blanks of one grid: write all of them as ."
NO_SIGN = "is neither a digit nor a blank"
NO_DIGITS = "|!#,;:+\"'[]{}<>"  # what divides cells, or begins another form


@lru_cache(maxsize=64)  # without the cache, half of the time of reading a single grid
def _values(digits: str) -> Mapping[str, int]:
    """Returns the values of signs; a letter in the other case has the same value, unless it is a sign itself."""
    known = {digit: value for value, digit in enumerate(digits, 1)}
    swapped = {digit.swapcase(): value for digit, value in known.items() if len(digit.swapcase()) == 1}
    return MappingProxyType(dict.fromkeys(BLANKS, 0) | swapped | known)


def _check(signs: str, n: int) -> None:
    if not isinstance(signs, str):
        raise TypeError(f"the alphabet {signs!r:.40} is no text: it has the signs of the digits in order")
    if len(signs) != n or len(set(signs)) != n:
        raise ValueError(f"the alphabet {quoted(signs)} must have {n} different signs, one for each digit")
    if wrong := [sign for sign in signs if sign.isspace() or sign in NO_DIGITS or not sign.isprintable()]:
        raise ValueError(f"the alphabet {quoted(signs)} has {quoted(wrong[0])}, which cannot be a digit")


def _fits(digits: str, cells: str, n: int) -> bool:
    """Returns whether cells in capital letters are digits of an alphabet, or blanks in one sign."""
    blanks = {*cells} - {*digits}
    if ("0" in digits and not 0 < cells.count("0") <= n) or ("X" in digits and cells.count("X") > n):
        return False  # the sign is a blank, or not used
    return len(digits) == n and blanks <= {*BLANKS} and len(blanks) < 2


def _alphabets(cells: str, n: int) -> list[str]:
    """Returns the common alphabets that fit the cells."""
    known = (DIGITS[:n], _ALL[:n], f"{DIGITS[: n - 1]}0", string.ascii_uppercase[:n])
    return [digits for digits in known if _fits(digits, cells.upper(), n)]


class Signs:
    """The signs of the cells of one layout, and the faults of other signs."""

    @classmethod
    def of(cls, layout: Layout, alphabet: str | None = None) -> Signs:
        """Returns the signs for a layout, made once for each shape; raises errors for an invalid alphabet."""
        if alphabet is not None:
            _check(alphabet, layout.size)
        return _signs(layout.size, layout.shape, layout.is_square, alphabet)

    def __init__(self, n: int, shape: tuple[int, int], is_square: bool, alphabet: str | None) -> None:
        self.n, self.shape, self.is_square = n, shape, is_square
        self.rows, self.columns = shape
        self.cells = self.rows * self.columns
        self.digits = DIGITS[:n] if alphabet is None else alphabet
        self.given = alphabet is not None  # whether the caller chose the signs; then no other alphabet is tried
        self.single = n <= 9 or self.given  # whether each cell is one sign, so that longer words are candidates
        self.exists = n <= len(self.digits)  # whether there is a sign for each digit
        self.values = _values(self.digits)  # the value of each sign, 0 for a blank
        others = "" if self.single or not is_square or n > 26 else string.ascii_letters
        known = [sign for sign in self.values if sign != "-" or is_square]  # rules between missing cells are dashes
        self.signs = "".join(dict.fromkeys([*known, *(sign for sign in others if sign.upper() <= _ALL[n + 9])]))
        self._blanks = frozenset(sign for sign, value in self.values.items() if not value)
        self._codes = {ord(sign): value for sign, value in self.values.items()}
        sign = f"[{re.escape(self.signs)}]"
        self.marks = re.compile(rf"({sign}{{{n**3}}})(?![^\s,;])")
        self.inner = re.compile(rf"""(?<![^\s,;:="'(|>\[]){sign}{{{self.cells}}}(?=[\s,;:&"')|<\]]|$)""")

    @property
    def names(self) -> str:
        """The signs to write for a blank and for each digit; raises ValueError if no sign is left for blanks."""
        blank = next((sign for sign in _WRITTEN if not self.values.get(sign, 1)), None)
        if blank is None:
            raise ValueError(f"the alphabet {quoted(self.digits)} leaves no sign for blanks")
        return blank + self.digits

    def fault(self, cell: str) -> str:
        """Returns the fault of a single cell, or ""."""
        if self.exists and len(cell) == 1 and cell in self.signs:
            return ""
        if self.is_blank(cell) or (self.single and len(cell) > 1 and self.choices(cell)):
            return ""
        if cell.isascii() and cell.isdigit() and not self.given:
            return "" if len(cell) < 4 and int(cell) <= self.n else f"{clip(cell)} is not between 0 and {self.n}"
        return f"{quoted(cell)} {NO_SIGN}"

    def is_blank(self, cell: str) -> bool:
        return not self.values.get(cell, 1)

    def choices(self, word: str) -> list[int]:
        """Returns the candidates of a word of several digits, or of one digit after `+`; [] for other words."""
        values = [self.values.get(sign, 0) for sign in word.removeprefix("+")]
        rising = all(a < b for a, b in zip([0, *values], values, strict=False))
        return values if rising and (not word.startswith("+") or len(values) == 1) else []

    def grid(self, cells: str | Sequence[str]) -> tuple[npt.ArrayLike, Candidates | None]:
        """Returns the digits of all cells, 0 for a blank, and the candidates; a ValueError says what is wrong."""
        if isinstance(cells, str):
            return np.frombuffer(self.line_values(cells), dtype=np.uint8), None
        long = next((cell for cell in cells if len(cell) > 1), "")
        if not long:
            text = "".join(cells)
            if text.strip(f"{self.signs}-"):
                raise ValueError(self.line_fault(text))
            return self.grid(text)
        if self.single:
            return self._candidates(cells)
        if any(cell.isalpha() and not self.is_blank(cell) for cell in cells):
            raise ValueError(f"{quoted(long)} stands beside letters: write all digits above 9 in one way")
        self._check_blanks(cells)
        return [int(cell) if cell.isdigit() else 0 for cell in cells], None

    def line_values(self, cells: str) -> bytes:
        """Returns the digits of cells of one sign each; a ValueError says what is wrong."""
        codes = self._codes
        if self.n > 9 and self.is_square and not self.given and (other := self._alphabet(cells)) != self.digits:
            codes = {ord(sign): value for sign, value in _values(other).items()}
        else:
            self._check_blanks(cells)
        return cells.translate(codes).encode("latin-1")

    def _alphabet(self, cells: str) -> str:
        """Returns the only alphabet that fits all cells; a ValueError if several fit."""
        fitting = _alphabets(cells, self.n)
        if len(fitting) > 1 and any(map(self.values.get, cells)):
            ways = " and ".join(f"--alphabet {digits}" for digits in fitting)
            raise ValueError(f"the signs fit {ways}: say which, or write blanks as .")
        if not fitting and any(sign not in self.values for sign in cells):
            raise ValueError(self.line_fault(cells))
        return fitting[0] if fitting else self.digits

    def _check_blanks(self, cells: Sequence[str]) -> None:
        blanks = self._blanks.intersection(cells)
        if len(blanks) > 1 and self.is_square and blanks != {"x", "X"}:
            names = " and ".join("an empty cell" if blank == "~" else quoted(blank) for blank in sorted(blanks))
            raise ValueError(f"{names} {MIXED_BLANKS}")

    def whole(self, cells: str) -> npt.NDArray[np.uint8]:
        """Returns the grid of a text with a sign for each cell, read-only; a ValueError says what is wrong."""
        if len(cells) != self.cells or cells.strip(self.signs) or not self.exists:
            raise ValueError(self.line_fault(cells))
        return np.frombuffer(self.line_values(cells), dtype=np.uint8).reshape(self.shape)

    def within(self, text: str) -> str | None:
        """Returns the first grid in the line form among the words of a text, or None."""
        found = self.inner.findall(text) if self.exists else []
        return next((cells for cells in found if any(map(self.values.get, cells))), None)

    def all_candidates(self, cells: str) -> Candidates:
        """Returns the candidates of n^3 signs, shape (n, n, n); a ValueError if one stands in the wrong place."""
        n = self.n
        digits = np.array([self.values.get(cell, 255) for cell in cells], dtype=np.uint8).reshape(n, n, n)
        wrong = np.flatnonzero((digits != 0) & (digits != np.arange(1, n + 1)))
        if len(wrong):
            place = int(wrong[0])
            only = f"stands where only {self.digits[place % n]} or a blank can be"
            raise ValueError(f"{quoted(cells[place])}, character {place + 1} of {n**3}, {only}")
        return digits > 0

    def line_fault(self, cells: str) -> str:
        """Returns the fault of a text that should have a sign for each cell."""
        n, digits = self.n, self.digits
        if not self.exists:
            return f"there is no line form for grids of {n} rows"
        if len(cells) != self.cells:
            rows = int(len(cells) ** 0.5)
            other = another_box(rows) if rows * rows == len(cells) != n**3 else ""
            least = "at least " if len(cells) >= LONGEST_LINE else ""
            return f"the line has {least}{len(cells)} characters instead of {self.cells}: {quoted(cells)}{other}"
        if all(sign in self.values for sign in cells):
            return f"{quoted(cells)} has no digit: write blanks as ."
        k, bad = next((k, sign) for k, sign in enumerate(cells, 1) if sign not in self.values)
        what = f"neither a digit from {digits[0]} to {digits[-1]} nor a blank"
        return f"{quoted(bad)}, character {k} of the line, is {what}{self.hint(cells)}"

    def hint(self, cells: str) -> str:
        """Returns a hint with the alphabets that fit all cells of a row or a grid; "" if there are none."""
        fitting = [] if self.given or len(cells) not in (self.n, self.n**2) else _alphabets(cells, self.n)
        ways = " or ".join(f'--alphabet {digits}, alphabet="{digits}"' for digits in fitting)
        return f"; if these are its signs, say so: {ways}" if fitting else ""

    def _candidates(self, cells: Sequence[str]) -> tuple[list[int], Candidates]:
        n = self.n
        found = np.zeros((n * n, n), dtype=np.bool_)
        for k, cell in enumerate(cells):
            choices = self.choices(cell)
            if not choices:
                place = f"row {k // n + 1}, column {k % n + 1}"
                raise ValueError(f"{quoted(cell)} in {place} is not a list of candidates, as other cells are")
            found[k, np.array(choices) - 1] = True
        digits = [self.values[cell] if len(cell) == 1 else 0 for cell in cells]
        return digits, found.reshape(n, n, n)


@lru_cache(maxsize=64)
def _signs(n: int, shape: tuple[int, int], is_square: bool, alphabet: str | None) -> Signs:
    return Signs(n, shape, is_square, alphabet)


def clip(text: str) -> str:
    return text if len(text) <= 40 else text[:40] + "..."


def quoted(text: str) -> str:
    """Returns the quoted beginning of a text for a message; bytes that are no UTF-8 are escaped."""
    return re.sub(r"\\\\|\\udc([89a-f].)", lambda found: rf"\x{found[1]}" if found[1] else found[0], repr(clip(text)))
