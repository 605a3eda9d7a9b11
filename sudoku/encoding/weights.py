"""Weights of cells, as people have them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sudoku.layout import Shape

Weights = npt.NDArray[np.int64]

MAX_WEIGHT = 2**40


def as_weights(weights: npt.ArrayLike, size: int | Shape = 9) -> Weights:
    """Checks a table of weights, one for each cell.

    Parameters:
        weights: whole numbers between -2^40 and 2^40, shape (size, size).
        size: the number of rows of the grid; or its rows and columns, if these are not as many.

    Returns:
        The table as a read-only int64 array of its own.

    Raises:
        ValueError: the shape, the type or a value is wrong; the message names it, and where it stands.

    >>> as_weights([[1, 2], [3, 2**50]], size=2)
    Traceback (most recent call last):
    ...
    ValueError: the weight 1125899906842624 in row 2, column 2 is not between -2^40 and 2^40
    """
    table = np.asarray(weights)
    shape = size if isinstance(size, tuple) else (size, size)
    if table.shape != shape:
        raise ValueError(f"the weights have the shape {table.shape} instead of {shape}")
    if isinstance(weights, np.ma.MaskedArray) and np.ma.is_masked(weights):
        r, c = np.argwhere(np.ma.getmaskarray(weights))[0].tolist()
        raise ValueError(f"the weight in row {r + 1}, column {c + 1} is masked")
    if table.dtype.kind not in "iu":
        raise ValueError(f"the weights have the type {table.dtype} instead of whole numbers")
    if not (table.min() >= -MAX_WEIGHT and table.max() <= MAX_WEIGHT):
        r, c = np.argwhere((table < -MAX_WEIGHT) | (table > MAX_WEIGHT))[0].tolist()
        raise ValueError(f"the weight {table[r, c]} in row {r + 1}, column {c + 1} is not between -2^40 and 2^40")
    kept = table.astype(np.int64)
    kept.setflags(write=False)
    return kept
