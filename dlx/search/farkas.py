"""Proofs by counting that there is no cover: more pigeons than holes, more black cells than white cells.

Give each item a whole number: at most 0 for a secondary item, 0 for an item with colours. If the numbers of no option
sum to more than 0, the numbers of a cover sum to at most 0. They also sum to at least the total of all items. So a
total above 0 proves that there is no cover (a lemma of J. Farkas, 1902).

Generalized iterative scaling (J. Darroch, D. Ratcliff, doi:10.1214/aoms/1177692379) finds such numbers. It looks for
shares of the options that cover each item once. If there are none, the prices of the items drift apart without end. The
drift, rounded to whole numbers, is tested exactly.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dlx.problem.roles import Rows

ROUND, ENTRY = 6e4, 12.0  # nanoseconds of a round of scaling, and of each entry in it
ROUNDS = 4096  # the most rounds; boards of 20 x 20 without two corners take 512
UNITS = (1, 2, 3, 4, 6, 12)  # values tried for the largest number
STEEPEST = 50.0  # the natural logarithm of the largest share of an option


class Farkas:
    """A search for a proof by counting, for problems without multiplicities.

    Attributes:
        numbers: the number of each item after a proof; None before, or if the sizes of the options are the proof.
        proven: whether a proof was found.

    >>> from dlx import Problem
    >>> birds = Problem.from_options([(p, h) for p in "abc" for h in "xy"], secondary="xy")
    >>> proof = Farkas(birds.rows())
    >>> proof.search(1e9), proof.numbers.tolist()
    (True, [1, 1, 1, -1, -1])
    """

    def __init__(self, rows: Rows) -> None:
        n_options, option = rows.n_options, rows.owner
        primaries = np.bincount(option[rows.indices < rows.n_primary], minlength=n_options)
        there = primaries[option] > 0
        self._item, self._option, self._n_options = rows.indices[there], option[there], n_options
        self._bounded = np.arange(rows.n_items) >= rows.n_primary
        self._free = np.zeros(rows.n_items, dtype=np.bool_)
        if rows.colours is not None:
            self._free[rows.indices[rows.colours > 0]] = True
        self._longest = int(np.bincount(self._option, minlength=1).max(initial=1))
        self._price = np.zeros(rows.n_items)
        self._before = self._price
        self._rounds = 0
        self.numbers: npt.NDArray[np.int64] | None = None
        divisor = int(np.gcd.reduce(primaries)) if n_options else 0
        self.proven = bool(rows.n_primary % divisor) if divisor else rows.n_primary > 0

    def search(self, nanoseconds: float) -> bool:
        """Continues for about this time, measured in entries, not by a clock; returns whether it has a proof."""
        left = min(ROUNDS - self._rounds, int(nanoseconds / (ROUND + ENTRY * len(self._item))))
        for _ in range(left):
            if self.proven:
                break
            self._scale()
            if self._rounds & (self._rounds - 1) == 0:
                self._try(self._price - self._before)
                self._before = self._price.copy()
        return self.proven

    def _scale(self) -> None:
        """Raises the prices of items that are covered too often, and lowers the other prices."""
        n_items = len(self._price)
        sums = np.bincount(self._option, self._price[self._item], self._n_options)
        share = np.exp(np.minimum(STEEPEST, sums))
        covered = np.bincount(self._item, share[self._option], n_items)
        self._price -= np.log(np.maximum(covered, np.exp(-STEEPEST))) / self._longest
        self._price[self._bounded] = np.minimum(0.0, self._price[self._bounded])
        self._price[self._free] = 0.0
        self._rounds += 1

    def _try(self, drift: npt.NDArray[np.float64]) -> None:
        largest = np.abs(drift).max(initial=0.0)
        for units in UNITS if largest > 0 else ():
            numbers = np.rint(drift / largest * units).astype(np.int64)
            numbers[self._bounded] = np.minimum(0, numbers[self._bounded])
            sums = np.zeros(self._n_options, dtype=np.int64)
            np.add.at(sums, self._option, numbers[self._item])
            if numbers.sum() > 0 and sums.max(initial=0) <= 0:
                self.numbers, self.proven = numbers, True
                return
