"""Numbers as they are told to people."""

from __future__ import annotations

import math

LONGEST = 1_000  # digits of a number that is told exactly


def shown(number: int) -> str:
    """A whole number as text; of a very long one the size.

    >>> shown(40320), shown(3 * 10**5000)
    ('40320', 'about 3.0e5000')
    """
    if abs(number) < 10**LONGEST:
        return str(number)
    exponent = int(math.log10(number))
    return f"about {number // 10 ** (exponent - 2) / 100}e{exponent}"


def plural(number: float | str, one: str, several: str = "") -> str:
    """The noun for so many.

    >>> plural(1, "cover"), plural(0, "cover"), plural(2, "symmetry", "symmetries")
    ('cover', 'covers', 'symmetries')
    """
    return one if number in (1, "1") else several or f"{one}s"


def counted(number: int, one: str, several: str = "") -> str:
    """Returns a number with its noun.

    >>> counted(1, "symmetry", "symmetries"), counted(2, "cover")
    ('1 symmetry', '2 covers')
    """
    return f"{shown(number)} {plural(number, one, several)}"
