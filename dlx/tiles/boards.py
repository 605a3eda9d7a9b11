"""Boards: regions of a lattice to be tiled, with marks, holes, and cells that may stay empty."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

from dlx.problem.checks import is_whole
from dlx.tiles.lattice import Cell, Lattice, lattice_of
from dlx.tiles.shapes import Side, marked

MOST_CELLS = 1_000_000
_SIZE = re.compile(r"-?[0-9]+(?: *[xX\u00d7] *-?[0-9]+)+")
_OUTLINE = re.compile(r"(triangle|hexagon) ([0-9]+)|parallelogram ([0-9]+)(?: *[xX\u00d7] *([0-9]+))?")


@dataclass(frozen=True)
class Board:
    """A region of a lattice.

    Attributes:
        marks: the mark of each cell, "#" for none, in the order of the caller (of a text, row by row).
        empty: the cells that may stay empty.
        lattice: the name of the lattice.
        frame: the label of sides at the edge, as for `problem`.

    >>> Board.of("##./###").size, list(Board.of("##./###").marks)
    ((2, 3), [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)])
    """

    marks: Mapping[Cell, str]
    lattice: str = "square"
    empty: frozenset[Cell] = frozenset()
    frame: str | None = None

    @classmethod
    def of(cls, given: Any, lattice: str = "square", empty: Any = (), frame: Any = None) -> Board:
        """Makes a board from a text, a mask, a size or cells.

        Parameters:
            given: a drawing, in which all characters except "." and spaces are cells; a mask; a size such as "6x10" or
                (6, 10), whose last number is the length of a row; for triangles and hexagons also "triangle 6",
                "hexagon 3" and "parallelogram 4x9"; cells, or a mapping from cells to marks; a board, which gives the
                default settings.
            lattice, empty, frame: as for `problem`.

        Raises:
            ValueError: there are no cells, or more than a million; or a cell is not on the lattice; or `empty` has a
                cell or a mark that is not on the board.
            TypeError: `given` has another type.

        >>> Board.of("2x3", "hexagon").marks == Board.of("#.#.#./.#.#.#", "hexagon").marks
        True
        >>> len(Board.of("hexagon 3", "hexagon").marks), len(Board.of("triangle 6", "triangle").marks)
        (19, 36)
        """
        table = lattice_of(lattice)
        if isinstance(given, Board):
            if given.lattice != lattice:
                raise ValueError(f"the lattice is {lattice!r}, and the board has {given.lattice}s")
            empty, frame = empty or given.empty, given.frame if frame is None else frame
            given = given.marks
        marks = marked(_region(given, table), table, "the board")
        return cls(marks, lattice, _may_be_empty(empty, marks), None if frame is None else str(frame))

    @cached_property
    def size(self) -> tuple[int, ...]:
        """The extent of the board along each axis of its cells."""
        return tuple(max(numbers) - min(numbers) + 1 for numbers in zip(*self.marks, strict=True))

    @cached_property
    def sides(self) -> dict[Cell, tuple[Side | None, ...]]:
        """The sides of each cell in the order of its neighbours; None for a side at the edge of the board."""
        neighbours = lattice_of(self.lattice).neighbours
        return {
            cell: tuple((min(cell, near), max(cell, near)) if near in self.marks else None for near in neighbours(cell))
            for cell in self.marks
        }


def _region(given: Any, lattice: Lattice) -> Any:
    """Returns the cells of a size; returns anything else unchanged."""
    if isinstance(given, tuple) and given and all(map(is_whole, given)):
        return _box(given, lattice)
    if not isinstance(given, str) or set(given) & set("#/\n"):
        return given
    if outline := _OUTLINE.fullmatch(given.lower()):
        return _outlined(given, outline[1] or "parallelogram", outline[2] or outline[3], lattice, outline[4])
    if size := sides_of(given):
        return _box(size, lattice)
    raise ValueError(f"the board is {given!r:.60}, which is not a size such as 6x10; a drawing of one row needs # or /")


def sides_of(size: str) -> tuple[int, ...]:
    """Returns the numbers of a size, or () for any other text; numbers of 9 digits or more count as 10^9."""
    numbers = re.findall("-?[0-9]+", size) if _SIZE.fullmatch(size) else []
    return tuple(int(number) if len(number) < 9 else 10**9 for number in numbers)


def is_size(text: str) -> bool:
    """Returns whether a text is the size of a board, with or without the name of its outline."""
    return bool(_SIZE.fullmatch(text) or _OUTLINE.fullmatch(text.lower()))


def _check_sides(given: str, sides: tuple[int, ...]) -> None:
    if min(sides) < 1 or prod(sides) > MOST_CELLS:
        limits = f"its sides must be positive, and its cells at most {MOST_CELLS:,}"
        raise ValueError(f"the board is {given!r:.60}; {limits}")


def _outlined(given: str, outline: str, side: str, lattice: Lattice, other: str | None) -> list[Cell]:
    """Returns the cells of a triangle, hexagon or parallelogram, whose positions lie between lines."""
    if lattice.name not in ("triangle", "hexagon"):
        raise ValueError(f"the board is {given!r:.60}; this outline needs the lattice triangle or hexagon")
    height, width = sides_of(f"{side}x{other or side}")
    _check_sides(given, (2 * height, 2 * width))
    n, m = lattice.period * height, lattice.period * width
    sides: dict[str, Callable[[int, int], bool]] = {
        "triangle": lambda x, y: x >= 0 and y >= 0 and x + y < n,
        "hexagon": lambda x, y: abs(x + y) < n and abs(x) < n and abs(y) < n,
        "parallelogram": lambda x, y: x >= 0 and y >= 0,
    }
    positions = ((x, y) for x, y in product(range(-m, m), range(-n, n)) if (x - y) % lattice.period == 0)
    cells = [lattice.cell(at) for at in positions if sides[outline](*at) and lattice.steps[at[0] % lattice.period]]
    top, left = min(row for row, _ in cells), min(column for _, column in cells)
    left -= (top + left) % 2  # keeps row + column even, so that apexes are up and hexagons are valid
    return sorted((row - top, column - left) for row, column in cells)


def _box(size: tuple[int, ...], lattice: Lattice) -> Iterable[Cell]:
    """Returns the cells of a box; every second row of hexagons is half a cell to the right."""
    sides, text = (1, *size) if len(size) == 2 and lattice.dimension == 3 else size, "x".join(map(str, size))
    if len(sides) != lattice.dimension:
        raise ValueError(f"the board is {text!r:.60}; a board of {lattice.name}s has {lattice.dimension} numbers")
    _check_sides(text, sides)
    cells = product(*map(range, sides))
    return ((row, 2 * k + row % 2) for row, k in cells) if lattice.name == "hexagon" else cells


def _may_be_empty(empty: Any, marks: Mapping[Cell, str]) -> frozenset[Cell]:
    if isinstance(empty, bool):
        return frozenset(marks if empty else ())
    if not isinstance(empty, Iterable):
        raise TypeError(f"empty is {empty!r}; it must be True, marks in a text, or cells")
    in_text, empty = isinstance(empty, str), set(empty)
    if other := empty.difference(marks.values() if in_text else marks):
        raise ValueError(f"the board has no {'mark' if in_text else 'cell'} {min(other)!r} that may stay empty")
    return frozenset(cell for cell, mark in marks.items() if (mark if in_text else cell) in empty)
