"""Large whole numbers in numpy arrays: rows of digits, random numbers, and the Chinese remainder theorem."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from dlx.kernels import DIGIT, LARGEST

Digits = npt.NDArray[np.uint64]  # digits of DIGIT bits, the lowest first


def whole(digits: Digits) -> int:
    """Returns the number with these digits."""
    return sum(digit << DIGIT * place for place, digit in enumerate(digits.tolist()))


def rows(numbers: Sequence[int], width: int) -> Digits:
    """Returns the digits of numbers below 2^(DIGIT * width): shape (numbers, width)."""
    digits = [[number >> DIGIT * place & LARGEST for place in range(width)] for number in numbers]
    return np.array(digits, dtype=np.uint64).reshape(len(numbers), width)


def drawn(rng: np.random.Generator, below: int, n: int) -> Digits:
    """Draws n uniform numbers below `below`, by rejection: numbers of as many bits are drawn, large ones dropped."""
    width = -(-below.bit_length() // DIGIT)
    last = rows([below], width)[0]
    mask = np.uint64((1 << int(last[-1]).bit_length()) - 1)
    found = np.empty((0, width), dtype=np.uint64)
    while len(found) < n:
        some = rng.integers(0, 1 << DIGIT, size=(2 * (n - len(found)), width), dtype=np.uint64)
        some[:, -1] &= mask
        found = np.concatenate([found, some[_less(some, last)]])
    return found[:n]


def _less(numbers: Digits, other: Digits) -> npt.NDArray[np.bool_]:
    less = np.zeros(len(numbers), dtype=np.bool_)
    for digits, digit in zip(numbers.T, other, strict=True):
        less = (digits < digit) | (less & (digits == digit))
    return less


def primes() -> Iterator[int]:
    """Yields the primes below 2^31, the largest first."""
    small = np.ones(1 << 15, dtype=np.bool_)  # small[k]: whether 2k + 1 may be prime
    for n in range(3, 1 << 8, 2):
        small[n * n // 2 :: n] = False
    odd = 2 * np.flatnonzero(small)[1:] + 1
    return (n for n in range(2**31 - 1, 1 << 16, -2) if (n % odd != 0).all())


def combined(remainders: Sequence[npt.NDArray[np.uint64]], moduli: Sequence[int]) -> list[int]:
    """Returns the numbers with these remainders modulo primes, each below their product (Chinese remainder theorem)."""
    product = math.prod(moduli)
    parts = [product // p * pow(product // p, -1, p) for p in moduli]  # 1 modulo p, 0 modulo the others
    columns = zip(*(row.tolist() for row in remainders), strict=True)
    return [sum(map(int.__mul__, parts, column)) % product for column in columns]
