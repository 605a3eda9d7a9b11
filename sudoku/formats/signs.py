"""The signs that all forms share, when a 0 may be no blank, and how a message quotes a text."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

BLANKS = "0.*-_xX?~"
_WRITTEN = ".*-_?~0xX"  # the same, those first that look like blanks
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVW"  # 10 to 32, in the line form; the next one, X, is a blank
DIGITS = "123456789" + LETTERS
_ALL = string.digits + string.ascii_uppercase
NO_DIGITS = "|!#,;:+\"'[]{}<>"  # what divides cells, or begins another form


class Alphabet(NamedTuple):
    digits: str  # the signs of 1 to n
    values: Mapping[str, int]  # what each sign that may occur stands for: a digit, or 0 for a blank
    given: bool  # whether somebody has said so; then there is no doubt about 0

    @property
    def names(self) -> str:
        """Returns the signs that are written, of a blank and of each digit; a ValueError if none is left for blanks."""
        blank = next((sign for sign in _WRITTEN if not self.values.get(sign, 1)), None)
        if blank is None:
            raise ValueError(f"the alphabet {quoted(self.digits)} leaves no sign for blanks")
        return blank + self.digits

    @classmethod
    def of(cls, n: int, signs: str | None = None) -> Alphabet:
        """Returns the signs of grids of n rows: those that are given, and otherwise 1 to 9, then letters, up to 32.

        A letter stands for the other case, too, if that is no sign itself; of the usual blanks those that are no digits
        are left. Signs that are not n different ones, or have another meaning, are a ValueError.
        """
        if signs is not None:
            _check(signs, n)
        digits = DIGITS[:n] if signs is None else signs
        return cls(digits, _values(digits), signs is not None)


@lru_cache(maxsize=64)  # a grid that is read alone would spend half of its time here
def _values(digits: str) -> Mapping[str, int]:
    known = {digit: value for value, digit in enumerate(digits, 1)}
    swapped = {digit.swapcase(): value for digit, value in known.items() if len(digit.swapcase()) == 1}
    return MappingProxyType(dict.fromkeys(BLANKS, 0) | swapped | known)


def _check(signs: str, n: int) -> None:
    if not isinstance(signs, str):
        raise TypeError(f"the alphabet {signs!r:.40} is no text: it has the signs of the digits in order")
    if len(signs) != n or len(set(signs)) != n:
        raise ValueError(f"the alphabet {quoted(signs)} has not {n} different signs, one for each digit")
    if wrong := [sign for sign in signs if sign.isspace() or sign in NO_DIGITS or not sign.isprintable()]:
        raise ValueError(f"the alphabet {quoted(signs)} has {quoted(wrong[0])}, which cannot be a digit")


def zero_doubt(cells: Sequence[str], n: int, last: str) -> str:
    """Returns the fault of the cells of a grid of n rows that may be written 0 to n - 1: 0 and the last digit show."""
    if not 0 < cells.count("0") <= n or last in cells:
        return ""
    return f"0 may be a blank or, where {last} is not used, a digit; write blanks as . and digits as 1 to {last}"


def has_other_blanks(cells: Sequence[str]) -> bool:
    return any(blank in cells for blank in BLANKS[1:])


def another_alphabet(cells: str, n: int) -> str:
    """Returns the hint at an alphabet that people use, if all cells of a row or of a grid of n rows are its signs."""
    if len(cells) not in (n, n * n):
        return ""
    signs = set(cells.upper()) - set(BLANKS[1:].upper())
    for digits in (_ALL[10:], _ALL, _ALL[1:]):
        if n <= len(digits) and signs <= set(digits[:n]):
            return f'; if these are its signs, say so: --alphabet {digits[:n]}, or alphabet="{digits[:n]}"'
    return ""


def clip(text: str) -> str:
    return text if len(text) <= 40 else text[:40] + "..."


def quoted(text: str) -> str:
    """Returns the beginning of a text between quotes for a message, and bytes that are no UTF-8 by their codes."""
    return re.sub(r"\\\\|\\udc([89a-f].)", lambda found: rf"\x{found[1]}" if found[1] else found[0], repr(clip(text)))
