"""Registers of 16 words for whoever runs the kernels without a compiler: arrays of uint32, of shape (16,).

The kernels themselves have those of AVX-512, declared in `kernels/wide.pxd` with the same names.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

lanes = NDArray[np.uint32]
word = NDArray[np.uint32] | int  # one of them, or one word: what the formulas take


def is_wide() -> bool:
    """Tells whether the processor has such registers, which is nothing to an interpreter."""
    return False


def load(words: list[int], at: int) -> lanes:
    return np.array(words[at : at + 16], dtype=np.uint32)


def store(words: list[int], at: int, v: lanes) -> None:
    words[at : at + 16] = v.tolist()


def copies(x: int, where: int) -> lanes:
    """A word in the lanes of a set, and 0 in the others."""
    return np.array([x & 0xFFFFFFFF if where >> k & 1 else 0 for k in range(16)], dtype=np.uint32)


def which(v: lanes) -> int:
    """The set of the lanes that are not 0."""
    return sum(1 << k for k in range(16) if v[k])


def where(v: lanes) -> lanes:
    return np.where(v != 0, np.uint32(0xFFFFFFFF), np.uint32(0))


def first(v: lanes) -> int:
    return int(v[0])


def union_of(v: lanes) -> lanes:
    """The union of all lanes, in each of them."""
    return np.full(16, np.bitwise_or.reduce(v), dtype=np.uint32)
