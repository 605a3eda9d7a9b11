"""Large whole numbers in numpy arrays: rows of digits, and random numbers."""

from __future__ import annotations

from collections.abc import Sequence

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
    """Draws n uniform numbers below `below`, by rejection of numbers that are too large."""
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
