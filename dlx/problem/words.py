"""Numbers in messages, and suggestions for misspelt words."""

from __future__ import annotations

import math
from collections.abc import Iterable

LONGEST = 1_000  # maximum digits of a number that is written exactly


def shown(number: int) -> str:
    """Returns a whole number as text, rounded if it is very long."""
    if abs(number) < 10**LONGEST:
        return str(number)
    exponent = int(math.log10(number))
    return f"about {number // 10 ** (exponent - 2) / 100}e{exponent}"


def plural(number: float | str, one: str, several: str = "") -> str:
    return one if number in (1, "1") else several or f"{one}s"


def counted(number: int, one: str, several: str = "") -> str:
    return f"{shown(number)} {plural(number, one, several)}"


def nearest(word: object, known: Iterable[object], likeness: float = 0.6) -> str:
    """Returns the end of a message about a misspelt word: the most similar known word, or "" if none is similar.

    The similarity is the common fraction of both words (difflib); it must be at least `likeness`.

    >>> nearest("cuont", ["count", "solve"]), nearest("guess", ["count", "solve"])
    ("; did you mean 'count'?", '')
    """
    from difflib import get_close_matches

    matches = get_close_matches(str(word), map(str, known), 1, likeness)
    return f"; did you mean {matches[0]!r}?" if matches else ""
