"""Families of problems whose covers are as many as a formula says."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import comb, cos, factorial, pi, prod


def kasteleyn(rows: int, columns: int) -> float:
    """The domino tilings of a board, by Kasteleyn's product of cosines (doi:10.1016/0031-8914(61)90063-5)."""
    lines = [[4 * cos(pi * k / (n + 1)) ** 2 for k in range(1, (n + 1) // 2 + 1)] for n in (rows, columns)]
    return 0 if rows * columns % 2 else prod(one + other for one in lines[0] for other in lines[1])


@cache
def bell(n: int) -> int:
    """The partitions of a set, by the size of what is not with the first element."""
    return 1 if n == 0 else sum(comb(n - 1, k) * bell(k) for k in range(n))


CLOSED_FORMS: dict[str, Callable[..., float]] = {
    "rooks": factorial,
    "comb": lambda teeth, n: (teeth + 1) * factorial(n),
    "matchings": lambda n: prod(range(1, 2 * n, 2)),
    "partitions": bell,
    "dominoes": kasteleyn,
}
