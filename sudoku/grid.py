"""Grids as values: checked cells, and grids read from a text with their place in it.

A *given* is a cell with a digit, 1 to n; other cells are blank, 0. If givens contradict each other, the grid has no
completion.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from dlx import Covers
from dlx.extending import Outcome
from dlx.extending import Shown as _Shown
from sudoku.layout import Layout, another_box

Grid = npt.NDArray[np.uint8]
Candidates = npt.NDArray[np.bool_]
TextForm = Literal["line", "rows", "boxed", "free", "marks", "candidates", "hodoku"]
FileForm = Literal["json", "code", "fpuzzles", "killer", "jigsaw"]
Form = TextForm | FileForm | Literal["array"]

REAL = "iuf"  # the kinds of arrays that may be grids; floats must be whole numbers


class GridError(ValueError):
    """Raised if a text is no sudoku grid.

    Attributes:
        file: the name of the input.
        line: the number of the line, from 1.
        reason: what is wrong, with the value.
    """

    def __init__(self, file: str, line: int, reason: str) -> None:
        super().__init__(file, line, reason)
        self.file = file
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


class Shown(_Shown):
    """A grid or a result that a notebook shows as a picture."""

    __slots__ = ()

    drawer = "sudoku.pictures.steps"


class Plain:
    """A dataclass that can be written in plain Python."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields without layouts and puzzles, with lists for arrays and tuples, as `json` takes them."""
        names = [field.name for field in fields(self) if not field.name.startswith("_")]  # type: ignore[arg-type]
        values = {name: getattr(self, name) for name in names}
        return {name: _plain(value) for name, value in values.items() if not isinstance(value, Layout | Puzzle)}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


@dataclass(frozen=True, slots=True, eq=False)
class Puzzle(Shown):
    """A grid as it was read.

    Attributes:
        grid: uint8, of the shape of its layout, read-only; 0 is a blank or a missing cell.
        form: the form in which it was written; "array" if it was not read from a text.
        file: the name of the input.
        line: the number of its first line, from 1.
        layout: its layout.
        candidates: bool, shape (rows, columns, n), read-only: the pencil marks of each cell (index 0 is digit 1); None
            if every blank has all digits. A given is the only candidate of its cell; a blank with one candidate is no
            given.
        placed: bool, of the shape of the grid: digits that a solver has placed; None if all digits are givens.
    """

    grid: Grid
    form: Form
    file: str
    line: int
    layout: Layout
    candidates: Candidates | None = None
    placed: npt.NDArray[np.bool_] | None = None


def all_candidates(puzzle: Puzzle) -> Candidates:
    """Returns the candidates of the cells, shape (n, n, n); without pencil marks, every digit in every blank."""
    if puzzle.candidates is not None:
        return puzzle.candidates
    digits = np.arange(1, puzzle.layout.size + 1)
    free: Candidates = (puzzle.grid[..., None] == 0) | (puzzle.grid[..., None] == digits)
    return free


def work_of(search: Outcome | Covers) -> dict[str, Any]:
    """Returns the work of a search by `dlx`, as fields of another result."""
    return {name: getattr(search, name) for name in ("nodes", "updates", "seconds", "stopped")}


def checked(values: npt.ArrayLike, layout: Layout) -> Grid:
    """Returns a read-only uint8 copy of a grid of any real type; raises a ValueError that names value and place."""
    n, shape = layout.size, layout.shape
    try:
        array = np.asarray(np.ma.filled(values, 0))  # no np.matrix, which never has one dimension
    except ValueError:
        raise ValueError(_ragged(values, *shape)) from None
    if not array.shape:
        raise ValueError(_no_grid(array.item()))
    flat = (shape[0] * shape[1],)
    if array.shape not in (shape, flat):
        other = another_box(array.shape[0]) if array.ndim == 2 and array.shape[0] == array.shape[1] else ""
        raise ValueError(f"the grid has the shape {array.shape} instead of {shape} or {flat}{other}")
    if array.dtype.kind not in REAL:
        raise ValueError(f"the grid has the type {array.dtype} instead of whole numbers")
    array = array.reshape(shape)
    check_whole(array, 0, n, "value", f"0 and {n}")
    if not layout.is_square and len(loose := np.argwhere((array != 0) & ~layout.mask())):
        r, c = loose[0].tolist()
        raise ValueError(f"the value {int(array[r, c])} in row {r + 1}, column {c + 1} is where the layout has no cell")
    return frozen(array.astype(np.uint8))


def check_whole(array: npt.NDArray[Any], least: int, most: int, noun: str, bounds: str) -> None:
    """Raises a ValueError that names the first value that is no whole number from `least` to `most`."""
    wrong = misfits(array, most, least)
    if wrong.any():
        r, c = np.argwhere(wrong)[0].tolist()
        is_whole = array[r, c] == np.floor(array[r, c])
        fault = f"is not between {bounds}" if is_whole else "is not a whole number"
        raise ValueError(f"the {noun} {array[r, c]} in row {r + 1}, column {c + 1} {fault}")


def misfits(array: npt.NDArray[Any], most: int, least: int = 0) -> npt.NDArray[np.bool_]:
    """Returns where an array of real numbers has no whole number from `least` to `most`."""
    wrong: npt.NDArray[np.bool_] = ~((array >= least) & (array <= most))
    return wrong | (array != np.floor(array)) if array.dtype.kind == "f" else wrong


def narrowed(grid: Grid, candidates: npt.NDArray[np.bool_], n: int) -> Candidates | None:
    """Returns a read-only copy of candidates, with only the given in its cell; None if they exclude nothing."""
    wanted = (*grid.shape, n)
    if candidates.shape != wanted or candidates.dtype.kind != "b":
        shape, kind = candidates.shape, candidates.dtype
        raise ValueError(f"the candidates have the shape {shape} and the type {kind} instead of {wanted} and bool")
    free = np.where(grid[..., None] == 0, True, np.arange(1, n + 1) == grid[..., None])
    kept: Candidates = candidates & free
    if (kept == free).all():
        return None
    kept.setflags(write=False)
    return kept


def _no_grid(value: object) -> str:
    """Describes a value that is neither a text nor several numbers."""
    name = type(value).__name__
    reason = f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name} is no grid"
    if isinstance(value, Iterator):  # open files too
        return f"{reason}: take the grids one by one, for puzzle in sudoku.read(...)"
    return f"{reason}: sudoku.read takes paths" if isinstance(value, os.PathLike) else reason


def _ragged(values: npt.ArrayLike, rows: int, columns: int) -> str:
    """Describes lists of different lengths."""
    for k, row in enumerate(values if isinstance(values, Sequence) else (), 1):
        if not isinstance(row, Sized):
            return f"row {k} is {row!r:.40} instead of {columns} cells"
        if len(row) != columns:
            return f"row {k} has {len(row)} cells instead of {columns}"
    return f"the grid is not {rows} rows of {columns} whole numbers"


def frozen(grid: Grid) -> Grid:
    """Makes an array read-only and returns it."""
    grid.setflags(write=False)
    return grid
