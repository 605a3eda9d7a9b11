"""Scores in kernels, as whole numbers of a small unit, and the best covers so far."""

from __future__ import annotations

import math
import sys
from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.problem.checks import MAX_SCORE
from dlx.problem.problem import Problem

UNIT_BITS = 20  # the most binary digits after the point in fixed-point numbers of the kernel
# Sums have room for the items that a search adds. If a search adds more items, the kernel refuses prices that would
# overflow.
ADDED = 512  # items added to the problem
ADDED_EACH = 33  # items added to one option
REAL_BITS = 40  # binary digits of a real score, counted from the largest score that the weights allow

Score = int | float
Options = npt.NDArray[np.int32]


class Incumbents:
    """The k best covers that were offered, without repetition, the best first.

    Attributes:
        covers: the score of each cover, to be maximised, and its options.
    """

    def __init__(self, k: int, units: Units) -> None:
        self.k, self.units = k, units
        self.covers: list[tuple[Score, tuple[int, ...]]] = []

    def offer(self, score: Score, options: tuple[int, ...]) -> None:
        """Keeps a cover if it is new and among the k best."""
        if self.least is not None and score <= self.least:
            return
        place = bisect_left(self.covers, (-score, options), key=lambda cover: (-cover[0], cover[1]))
        if self.covers[place : place + 1] != [(score, options)]:
            self.covers.insert(place, (score, options))  # 100,000 covers are moved in 15 us; copying them takes 800 us
            del self.covers[self.k :]  # after Ctrl-C before this line there is one cover too many

    def take(self, kernel: Any, expand: Callable[[Options], Options] = np.sort) -> bool:
        """Offers the covers in a kernel's buffer and empties it; returns whether it had any.

        `expand` returns the options of a cover in increasing order, as the problem has them.
        """
        found = kernel.found()
        if len(found) > self.k:
            found = found[np.argsort(-self.units.exact[found].sum(axis=1), kind="stable")[: self.k]]
        for row in found:
            options = expand(row[row >= 0])
            self.offer(self.units.total(options), tuple(options.tolist()))
        kernel.filled = 0
        return len(found) > 0

    @property
    def best(self) -> Score | None:
        """The best score, to be maximised; None if there is no cover."""
        return self.covers[0][0] if self.covers else None

    @property
    def least(self) -> Score | None:
        """The score that a new cover must exceed; None while there are fewer than k covers."""
        return self.covers[self.k - 1][0] if len(self.covers) >= self.k else None

    @property
    def target(self) -> int:
        """The least score of a new cover, in units."""
        return self.units.floor if self.least is None else self.units.units_above(self.least)


class Units:
    """The kernel's fixed-point units of the caller's weights: a score times 2**bits, rounded up."""

    def __init__(self, problem: Problem, sign: int) -> None:
        weights: npt.NDArray[Any] = (
            np.zeros(problem.n_options, np.int64) if problem.weights is None else problem.weights
        )
        # the weights to be maximised, and a final 0 for the -1 that pads covers
        self.exact = np.append(sign * weights, np.zeros(1, dtype=weights.dtype))
        largest = int(np.diff(problem.indptr).max(initial=1))
        self.max_level = problem.max_level  # maximum options in a cover; rounding adds less than one unit for each
        whole_weights = weights.dtype.kind == "i"
        sizes = np.abs(weights)
        size = float(sizes.max(initial=0))
        worst = float(_sum_of_largest(sizes, max(1, problem.n_primary, problem.max_level))) or 1.0
        times = problem.n_items + problem.max_level + ADDED  # more than all items can be covered in total
        if problem.multiplicities is not None:
            times += problem.n_items + len(problem.indices)
        limit = 58 - math.log2(4 * (largest + ADDED_EACH) * (max(times, largest) + 1))
        room = math.floor(limit - math.log2(worst))
        self.bits = min(UNIT_BITS, room) if whole_weights else min(REAL_BITS - math.ceil(math.log2(worst)), room)
        self.is_exact = whole_weights and self.bits >= 0  # whether scores can be compared in units
        self.weights = self._to_units(self.exact[:-1])
        step = int(np.gcd.reduce(weights)) if whole_weights and len(weights) else 0
        self._step = max(1, step)
        self.increment = self._step << self.bits if self.is_exact else 0  # units by which a better score is better
        self.hottest = max(1.0, math.ldexp(size, self.bits - 4))  # the first temperature, in units
        # two scores count as equal if they differ by at most this number
        self.tolerance = 0.0 if whole_weights else math.ldexp(self.max_level, -self.bits)
        self.naive: Score = _sum_of_largest(self.exact[:-1], self.max_level).item()  # no score is larger
        self.floor = -int(_sum_of_largest(-self.weights, self.max_level))  # no cover has fewer units

    def _to_units(self, weights: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        units: npt.NDArray[Any]
        if weights.dtype.kind == "f":
            scaled = np.ldexp(weights, self.bits)
            units = np.ceil(scaled) + ((scaled == 0) & (weights > 0))  # products that underflow are rounded up, too
        else:
            units = weights << self.bits if self.bits >= 0 else -(-weights >> -self.bits)
        kept: npt.NDArray[np.int64] = units.astype(np.int64)
        return kept

    def total(self, options: Options) -> Score:
        """Returns the score of a cover, rounded once; the order of the options changes nothing."""
        worth = self.exact[options]
        return math.fsum(worth) if worth.dtype.kind == "f" else int(worth.sum())

    # Let u(c) be the units of a cover c: the sum over its n <= max_level options of ceil(w[o] * 2**bits). With s(c) its
    # score, rounding up gives
    #
    #     s(c) * 2**bits <= u(c) < s(c) * 2**bits + n,     and u(c) = s(c) * 2**bits for whole weights and bits >= 0.

    def smallest_sum(self, score: Score) -> Score:
        """Returns the smallest numpy sum that counts as this score: lower by the tolerance if weights are real."""
        if self.exact.dtype.kind == "f":
            return _within(score, sys.float_info.max) - self.tolerance
        return math.ceil(_within(score, MAX_SCORE))

    def units_at_least(self, score: Score) -> int:
        """Returns a with: s(c) >= score implies u(c) >= a.

        Proof: u(c) >= s(c) * 2**bits. Real scores may be max_level units less, for their tolerance.
        """
        score, whole = _within(score, sys.float_info.max), self.exact.dtype.kind == "i"
        units = self._units(math.ceil(score)) if whole else self._units(score) - self.max_level
        return int(_within(units, MAX_SCORE))

    def units_above(self, score: Score) -> int:
        """Returns a with: s(c) > score + tolerance implies u(c) >= a.

        Proof: whole scores are multiples of the step, so s(c) >= score + step. For real scores, u(c) >= s(c) * 2**bits
        > score * 2**bits + max_level, since the tolerance is max_level units.
        """
        return (
            self.units_at_least(score + self._step) if isinstance(score, int) else self._units(score) + self.max_level
        )

    def units_unreached(self, score: Score) -> int:
        """Returns a with: s(c) <= score for all covers c implies u(c) < a for all of them.

        Proof: u(c) <= s(c) * 2**bits + max_level; and u(c) = s(c) * 2**bits < (score + step) * 2**bits where units are
        exact.
        """
        return self.units_above(score) if self.is_exact else self._units(score) + self.max_level + 1

    def _units(self, score: Score) -> int:
        if isinstance(score, int):
            return score << self.bits if self.bits >= 0 else -(-score >> -self.bits)
        return math.ceil(Fraction(score) * Fraction(2) ** self.bits)  # exact, since the score may be a float

    def score(self, units: int) -> Score:
        """Returns the best score that a number of units allows."""
        if self.exact.dtype.kind == "f":
            try:
                return math.ldexp(units, -self.bits)
            except OverflowError:  # no score is larger
                return math.copysign(sys.float_info.max, units)
        most = units >> self.bits if self.bits >= 0 else units << -self.bits
        return most // self._step * self._step


def _within(score: Score, most: Score) -> Score:
    return max(-most, min(score, most))


def _sum_of_largest(values: npt.NDArray[Any], n: int) -> Any:
    """Returns the sum of the positive values among the n largest values."""
    above = values[values > 0]
    return (above if n >= len(above) else np.partition(above, -max(1, n))[len(above) - n :]).sum()
