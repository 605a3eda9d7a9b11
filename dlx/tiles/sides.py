"""Labels on the sides of cells, which must be the same where two pieces meet (MacMahon's New Mathematical Pastimes)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from string import ascii_lowercase
from typing import Any

from dlx.problem.checks import is_whole
from dlx.problem.words import counted
from dlx.tiles.lattice import Cell, Lattice, times

Sides = tuple[str, ...]  # the labels of a cell, in the order of its neighbours
Side = tuple[Cell, Cell]  # the cells on both sides of it, the lesser one first

FREE = "."  # a side without a label
MOST = 50_000  # ways to colour a cell


def labelled(given: Any, cells: Sequence[Cell], lattice: Lattice, what: str) -> tuple[Sides, ...]:
    """Returns the labels of some cells, of a text with a slash or a line break between cells, or of a list.

    In a text the labels of a cell are characters, or words with spaces between them; in a list there is such a text or
    a list of labels for each cell. Raises ValueError for another number of them, and TypeError for what is no label.
    """
    rows = given.strip().replace("/", "\n").split("\n") if isinstance(given, str) else given
    if not isinstance(rows, Iterable):
        raise TypeError(f"{what} has {given!r:.40} for the labels of its sides; they must be a text or a list")
    found = [tuple(_label(label, what) for label in _split(row)) for row in rows]
    if len(found) != len(cells):
        raise ValueError(f"{what} has labels for {counted(len(found), 'cell')}; it has {counted(len(cells), 'cell')}")
    most = max(map(len, lattice.steps))
    for cell, labels in zip(cells, found, strict=True):
        if len(labels) != most:
            listed = f"{counted(len(labels), 'label')}, {' '.join(labels)!r:.40},"
            raise ValueError(f"{what} has {listed} for the sides of {cell}; a {lattice.name} has {most} sides")
    return tuple(found)


def lattice_like(row: Any) -> str:
    """The name of a lattice whose cells have as many sides as a row has labels; squares without any."""
    return {3: "triangle", 6: "hexagon"}.get(len([*_split(row)]), "square")


def _split(row: Any) -> Iterable[Any]:
    """The labels of a row."""
    if isinstance(row, str):
        return words if len(words := row.split()) > 1 else row.strip()
    return row if isinstance(row, Iterable) else [row]


def _label(label: Any, what: str) -> str:
    """A label as a text."""
    if is_whole(label) or (isinstance(label, str) and label and label.isprintable()):
        return str(label)
    raise TypeError(f"{what} has {label!r:.40} for the label of a side, which must be a text or a whole number")


def colourings(colours: int | str | Sequence[str], lattice: Lattice) -> list[Sides]:
    """Returns all ways to colour the sides of a cell that turning does not make of each other, the least of each kind.

    Raises ValueError for no colours, and for more than 50,000 ways.
    """
    labels = ascii_lowercase[: max(colours, 0)] if isinstance(colours, int) else tuple(colours)
    at = lattice.position((0,) * lattice.dimension)
    n = max(map(len, lattice.steps))
    if not labels or len(labels) ** n > MOST or (isinstance(colours, int) and colours > len(labels)):
        most = max(k for k in range(27) if k**n <= MOST)
        raise ValueError(f"there are {colours!r:.40} colours; {lattice.name}s have 1 to {most}")
    same = at[0] % lattice.period  # triangles that are turned by 60 degrees have their sides elsewhere
    turns = (turn for turn in lattice.rotations if times(turn, at)[0] % lattice.period == same)
    orders = [lattice.turned(turn, at, range(n)) for turn in turns]
    ways = product(labels, repeat=n)
    return [way for way in ways if all(way <= tuple(way[k] for k in order) for order in orders)]
