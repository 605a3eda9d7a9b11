"""Plain grids in lines of 81 signs, many at a time: what most large files have, read and written in numpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudoku.formats.signs import BLANKS
from sudoku.grid import Form

CELLS = 81
NO_SIGN = 255

_SIGNS = np.full(256, NO_SIGN, dtype=np.uint8)
_SIGNS[[ord(sign) for sign in BLANKS]] = 0
_SIGNS[ord("1") : ord("9") + 1] = np.arange(1, 10)
_CODES = _SIGNS.tobytes()
_OTHER_BLANKS = [ord(sign) for sign in BLANKS if sign != "0"]


class Block(NamedTuple):
    """Grids in lines that follow one another.

    Attributes:
        grids: uint8, shape (m, 81).
        file: the name of the input.
        line: the number of the first line, from 1.
        form: the form of all of them, "line" or "csv".
    """

    grids: npt.NDArray[np.uint8]
    file: str
    line: int
    form: Form


def leading(data: bytes) -> tuple[npt.NDArray[np.uint8], int]:
    """The grids in the lines that a text begins with, as far as each line has 81 signs and nothing else.

    Where a line has 0 and another sign for blanks, 0 might be a digit, and one without digits might be a rule or part
    of a frame: that is for the readers of these forms to decide.

    Parameters:
        data: the text; lines may end with CR and LF.

    Returns:
        The grids, uint8, shape (m, 81), and how many bytes of the text they are.

    >>> grids, size = leading(b"1" + 80 * b"." + b"\\n" + 81 * b"7" + b"\\n12 34")
    >>> grids.shape, grids[0, :3], size
    ((2, 81), array([1, 0, 0], dtype=uint8), 164)
    """
    end = b"\r\n" if data[CELLS : CELLS + 2] == b"\r\n" else b"\n"
    width = CELLS + len(end)
    m = len(data) // width
    text = np.frombuffer(data, dtype=np.uint8, count=m * width).reshape(m, width)
    signs = np.frombuffer(data[: m * width].translate(_CODES), dtype=np.uint8).reshape(m, width)[:, :CELLS]
    fits = (text[:, CELLS:] == np.frombuffer(end, dtype=np.uint8)).all(axis=1) & signs.any(axis=1)
    if m and signs.max() == NO_SIGN:
        fits &= (signs != NO_SIGN).all(axis=1)
    if b"0" in data and any(sign in data for sign in _OTHER_BLANKS):
        fits &= ~doubtful(text[:, :CELLS], signs)
    count = m if fits.all() else int(fits.argmin())
    return np.ascontiguousarray(signs[:count]), count * width


def signs_of(text: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """What characters stand for: a digit, 0 for a blank, or NO_SIGN."""
    return _SIGNS[text]


def doubtful(text: npt.NDArray[np.uint8], signs: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Which grids have 0 and another sign for blanks, so that 0 might be a digit.

    Parameters:
        text: their characters, shape (m, 81).
        signs: what these stand for.
    """
    zeros = text == ord("0")
    both: npt.NDArray[np.bool_] = zeros.any(axis=1) & ((signs == 0) & ~zeros).any(axis=1)
    return both


def lines(grids: npt.NDArray[np.uint8]) -> bytes:
    """Grids in lines of 81 digits.

    Parameters:
        grids: uint8, shape (m, 81), digits only.

    >>> lines(np.full((1, 81), 7, dtype=np.uint8))[-4:]
    b'777\\n'
    """
    text = np.full((len(grids), CELLS + 1), ord("\n"), dtype=np.uint8)
    text[:, :CELLS] = grids + ord("0")
    return text.tobytes()
