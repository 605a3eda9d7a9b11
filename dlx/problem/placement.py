"""Placements: names of options of tilings, also for files, pictures and pages."""

from __future__ import annotations

from typing import Any, NamedTuple

LATTICES = ("square", "cube", "triangle", "hexagon")  # the names of the lattices


class Placement(NamedTuple):
    """A piece in one of its places; the name of an option.

    Attributes:
        piece: the name of the piece.
        cells: the cells in order.
        lattice: the name of the lattice.
        sides: the labels of a single cell in the order of its neighbours; () if the piece has none.
    """

    piece: str
    cells: tuple[tuple[int, ...], ...]
    lattice: str = "square"
    sides: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Returns the name, the cells and the labels as text for pages and lists of options."""
        cells = (",".join(map(str, cell)) for cell in self.cells)
        return " ".join([self.piece, *cells, *(["-".join(self.sides)] if self.sides else [])])


def as_placement(name: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns a tuple with the fields of a placement as a `Placement`; returns any other tuple unchanged."""
    if len(name) != len(Placement._fields) or name[2] not in LATTICES:
        return name
    piece, cells, _, sides = name
    whole = isinstance(piece, str) and isinstance(cells, tuple) and isinstance(sides, tuple)
    return Placement(*name) if whole and all(isinstance(cell, tuple) for cell in cells) else name
