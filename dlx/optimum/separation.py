"""The separation of cuts at a root: which families are tried, and in which order.

A new family is a function that returns its violated inequalities as `Cut`, a place in `Separation.violated`, and a
check in `Model.implies` (`checking.py`), by which certificates stay believable.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from dlx.engine.limits import Over
from dlx.optimum.colours import Palette
from dlx.optimum.cuts import Cut, Entries, Point, cardinality_cuts, clique_cuts, count_cuts, odd_set_cuts
from dlx.optimum.matrix import Matrix


class Separation:
    """The cuts of a root so far, and the search for more.

    Parameters:
        matrix: the rows, ranges and weights without cuts.
        has_pairs: whether options are pairs of items.
        over: returns whether a limit has been reached.

    Attributes:
        cuts: those that have been added.
    """

    def __init__(self, matrix: Matrix, has_pairs: bool, over: Over) -> None:
        self.cuts: list[Cut] = []
        self._plain, self._has_pairs, self._over = matrix, has_pairs, over
        self._has_counted = False

    def violated(self, node: Any, matrix: Matrix) -> list[Cut]:
        """Returns new cuts that the masses at the root violate, all of the first family that has any."""
        point, known = Point(self._entries, matrix, node), {*self.cuts}
        for family in (self._colours, self._numbers, self._cliques, odd_set_cuts):
            if cuts := [cut for cut in family(point) if cut not in known]:
                return cuts
        return []

    @cached_property
    def _entries(self) -> Entries:
        return Entries.of(self._plain)

    @cached_property
    def _palette(self) -> Palette:
        return Palette.of(self._plain)

    def _colours(self, point: Point) -> list[Cut]:
        return self._palette.violated(point.mass) if self._plain.rows.takes_colours.any() else []

    def _numbers(self, point: Point) -> list[Cut]:
        """Returns cuts on the number of options; count cuts are tried only once."""
        cuts, has_counted, self._has_counted = cardinality_cuts(point), self._has_counted, True
        return cuts if cuts or has_counted else count_cuts(point, self._over)

    def _cliques(self, point: Point) -> list[Cut]:
        """Returns clique cuts; if options are pairs, those of a clique share an item, or are an odd set."""
        return [] if self._has_pairs else clique_cuts(point)
