"""The separation of cuts at a root: which families are tried, in which order, and how many cuts are added.

A new family has a function that returns its violated inequalities as `Cut`, a place in `Separation.violated`, and a
check in `Model.implies` (`checking.py`), by which certificates stay believable.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from dlx.engine.limits import Over
from dlx.optimum.colours import Palette
from dlx.optimum.cuts import Cut, Entries, Point, cardinality_cuts, clique_cuts, count_cut, known_masses, odd_set_cuts
from dlx.optimum.matrix import Matrix
from dlx.optimum.parameters import TUNED
from dlx.optimum.sweeping import anneal
from dlx.optimum.units import UNIT_BITS

WHOLE = 0.01  # counts are looked for if the sum of the masses is at least this far from a whole number


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
        """Returns new cuts that the masses at the root violate, all of one family."""
        if cuts := self._coloured(node):
            return cuts
        most, point = TUNED.at_once, Point.of(self._entries, matrix.bounds, node)
        cuts = self._new(self._cardinality(point, node, matrix))[:most]
        if not cuts and not self._has_pairs:  # the options of a clique of pairs share an item, or are an odd set
            cuts = clique_cuts(matrix.rows, matrix.ranges, node, most)
        return cuts or self._new(odd_set_cuts(point, most))[:most]

    @cached_property
    def _entries(self) -> Entries:
        return Entries.of(self._plain.rows, self._plain.bounds)

    @cached_property
    def _palette(self) -> Palette:
        return Palette.of(self._plain.rows, self._plain.ranges)

    def _new(self, cuts: list[Cut]) -> list[Cut]:
        """Returns the cuts that have not been added yet."""
        known = {*self.cuts}
        return [cut for cut in cuts if cut not in known]

    def _coloured(self, node: Any) -> list[Cut]:
        """Returns violated cliques of colours."""
        rows = self._plain.rows
        if not rows.takes_colours.any():
            return []
        return self._new(self._palette.violated(known_masses(node, np.ones(rows.n_options, np.int64))))

    def _cardinality(self, point: Point, node: Any, matrix: Matrix) -> list[Cut]:
        """Returns violated cuts on the number of options in a cover; the number of all options is tried only once."""
        cuts, has_counted, self._has_counted = cardinality_cuts(point), self._has_counted, True
        if cuts or has_counted:
            return cuts
        sizes = np.bincount(point.entries.owner, minlength=len(point.mass))[node.options_left()]
        number = float(point.mass.sum())
        if not len(sizes) or not np.ptp(sizes) or abs(number - round(number)) < WHOLE:
            return []  # for options of one size, cardinality cuts are as strong
        found = (self._count(point, matrix, least) for least in (True, False))
        return [cut for cut in found if cut is not None]

    def _count(self, point: Point, matrix: Matrix, least: bool) -> Cut | None:
        """Returns such a cut from the prices of a problem with equal weights; None if the point meets it."""
        worth = -1 if least else 1
        weights = np.full(matrix.rows.n_options, worth << UNIT_BITS)
        counting = matrix._replace(weights=weights).kernel(np.empty((0, 1), dtype=np.int32), 0).node
        anneal(counting, TUNED.cut_sweeps, TUNED.cut_rounds, 1 << UNIT_BITS, self._over)
        return count_cut(worth * counting.prices(), matrix.rows, point, least)
