"""All connected forms of n cells: a cell is added to each smaller form in each way, in arrays."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from dlx.tiles.lattice import Lattice, Matrix

Numbers = npt.NDArray[np.int64]


@lru_cache(maxsize=8)
def forms(n: int, lattice: Lattice, matrices: tuple[Matrix, ...]) -> Numbers:
    """Returns the positions of all forms of n cells that no matrix and no move makes of each other.

    Every form but those of one cell has a cell that can be taken away and leaves it connected, so each comes from a
    smaller one. To have them all, only the canonical ones grow: what a matrix makes of a form grows as the form does.
    An int64 array of shape (forms, n, numbers of a position), in the order of their codes.
    """
    classes = [k for k, steps in enumerate(lattice.steps) if steps]
    at = np.array([[[k] * lattice.dimension] for k in classes], dtype=np.int64)
    codes = canonical(at, lattice, matrices)
    for _ in range(n - 1):
        at = _decoded(codes, lattice)
        parts = [_different(canonical(grown, lattice, matrices)) for grown in _grown(at, lattice)]
        codes = _different(np.concatenate(parts))
    return _decoded(_different(codes), lattice)


def canonical(at: Numbers, lattice: Lattice, matrices: tuple[Matrix, ...]) -> Numbers:
    """Returns the least code of the images of each form under some matrices.

    A code is the numbers of the cells in order, each the digits of a position near the origin. The parameter has the
    shape (forms, n, numbers of a position), the result (forms, n).
    """
    powers = _base(at.shape[1], lattice) ** np.arange(lattice.dimension)[::-1]
    best = None
    for matrix in matrices:
        image = at @ np.array(matrix).T
        image -= image.min(axis=1, keepdims=True) // lattice.period * lattice.period
        codes = np.sort(image @ powers, axis=1)
        if best is not None:
            rows, first = np.arange(len(codes)), (codes != best).argmax(axis=1)
            codes = np.where((codes[rows, first] < best[rows, first])[:, None], codes, best)
        best = codes
    assert best is not None
    return best


def _base(n: int, lattice: Lattice) -> int:
    return lattice.period * (n + 1)


def _decoded(codes: Numbers, lattice: Lattice) -> Numbers:
    shape = (_base(codes.shape[1], lattice),) * lattice.dimension
    return np.stack(np.unravel_index(codes, shape), axis=-1)


def _grown(at: Numbers, lattice: Lattice) -> Iterable[Numbers]:
    """The forms with one cell more, those that grow at the same place in the same direction at once."""
    for k in range(at.shape[1]):
        remainders = at[:, k, 0] % lattice.period
        for remainder, steps in enumerate(lattice.steps):
            grow = at[remainders == remainder]
            for step in steps:
                new = grow[:, k] + np.array(step)
                free = (grow != new[:, None]).any(axis=2).all(axis=1)
                yield np.concatenate([grow[free], new[free, None]], axis=1)


def _different(codes: Numbers) -> Numbers:
    """The different rows of an array, in order: as bytes, the most significant first."""
    rows = np.ascontiguousarray(codes.astype(">u2")).view(f"V{2 * codes.shape[1]}").ravel()
    return np.unique(rows).view(">u2").reshape(-1, codes.shape[1]).astype(np.int64)
