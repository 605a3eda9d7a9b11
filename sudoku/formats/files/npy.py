"""Arrays of numpy, `.npy`: one grid of shape (n, n) or (n^2,), or many of shape (m, n, n) or (m, n^2).

Nothing that the header promises is believed, and objects are refused: grids are made of the bytes that come, each as
soon as it is there.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterator

import numpy as np

from sudoku.formats.request import Asked, File, Found
from sudoku.grid import REAL, checked

LONGEST_HEADER = 1 << 12  # bytes


class Array(File):
    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self._bytes = bytearray()
        self._dtype: np.dtype | None = None
        self._left = 0  # grids
        self._failed = False
        self._number = 0  # of the grid that came last

    def take(self, line: int, piece: str) -> Iterator[Found]:
        self.line = self.line or line
        if self._failed:
            return
        self._bytes += piece.encode("utf-8", "surrogateescape")
        try:
            if self._dtype is None:
                self._header()
        except ValueError as error:
            yield self._fail(str(error))
        if self._dtype is not None:
            yield from self._grids(self._dtype)

    def close(self) -> Iterator[Found]:
        if not self._failed and (self._dtype is None or self._left):
            yield self._fail(f"the array ends early, with {len(self._bytes)} bytes too many or too few")
        elif not self._failed and self._bytes:
            yield self._fail(f"there are {len(self._bytes)} bytes behind the array")

    def _fail(self, reason: str) -> Found:
        self._failed = True
        return self.asked.error(self.line, reason)

    def _header(self) -> None:
        small = len(self._bytes) < 12
        end = 12 if self._bytes[6:7] > b"\1" else 10  # of the header's length, which has 2 or 4 bytes
        size = 12 if small else end + int.from_bytes(self._bytes[8:end], "little")
        if size > LONGEST_HEADER:
            raise ValueError(f"the header of the array has {size} bytes, and more than {LONGEST_HEADER} are refused")
        if small or len(self._bytes) < size:
            return
        stream = io.BytesIO(bytes(self._bytes[:size]))
        read = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}
        version = np.lib.format.read_magic(stream)
        if version[0] not in read:
            raise ValueError(f"the array has the version {version} of its format, instead of 1 or 2")
        try:
            with warnings.catch_warnings():  # of old types
                warnings.simplefilter("ignore")
                shape, by_columns, dtype = read[version[0]](stream)
        except Exception:  # whatever a header that is no header makes of numpy
            raise ValueError("the header of the array is malformed") from None
        self._check(shape, by_columns, dtype)
        del self._bytes[:size]

    def _check(self, shape: tuple[int, ...], by_columns: bool, dtype: np.dtype) -> None:
        n = self.asked.layout.size
        if dtype.kind not in REAL:
            raise ValueError(f"the array has the type {dtype} instead of whole numbers")
        one = shape in ((n, n), (n * n,))
        if not one and (shape[1:] not in ((n, n), (n * n,)) or shape[0] < 0):
            raise ValueError(f"the array has the shape {shape} instead of (m, {n}, {n}) or (m, {n * n})")
        if by_columns and (not one or len(shape) == 2) and math.prod(shape) > 1:
            raise ValueError("the array is stored by columns; numpy.ascontiguousarray stores it by rows")
        self._dtype, self._left = dtype, 1 if one else shape[0]

    def _grids(self, dtype: np.dtype) -> Iterator[Found]:
        n = self.asked.layout.size
        size = dtype.itemsize * n * n
        many = min(self._left, len(self._bytes) // size)
        block = bytes(self._bytes[: many * size])
        del self._bytes[: many * size]
        self._left -= many
        for values in np.frombuffer(block, dtype=dtype).reshape(many, n, n):
            self._number += 1
            try:
                yield self.asked.puzzle(checked(values, self.asked.layout), "npy", self.line)
            except ValueError as error:
                yield self.asked.error(self.line, f"grid {self._number} of the array: {error}")
