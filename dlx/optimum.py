"""The best cover by weight, or the k best, with a proof: prices, a bound, and a search that spends the slack left.

Where plain search ends within a few thousand nodes nothing else is needed. Otherwise the kernel `spend` prices the
items, and searches with restarts: each comes down another way, with better prices and a better target than the last.
A search that ends by itself has proved that nothing better is left.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Unpack

import numpy as np
import numpy.typing as npt

from dlx.bounds.components import Components
from dlx.checks import MAX_SCORE, whole_number
from dlx.counting.count import Count
from dlx.engine import build, made
from dlx.limits import Limiting, Limits, Loop, Outcome
from dlx.problem import Label, Problem, as_problem
from dlx.search import Block

PROBE, LONG_PROBE = 150, 2_000  # nodes of plain search before prices are computed; more if it then looks nearly done
UNIT_BITS = 20  # at most so many binary digits after the point in the kernel's fixed-point numbers
REAL_BITS = 40  # a real score is held to so many binary digits of the largest that the weights allow
PRICE_BYTES = 1 << 28  # memory for the prices of the nodes on a path
SEEDS = 1 << 31  # different seeds
ROUNDS, COOLING, SWEEPS = 11, 0.6, 6  # how the first prices are found
FIRST_RESTART, RESTART_GROWTH = 500, 2  # nodes
COLDER = 6  # after each restart the prices at the root are found in one more round, up to so many more
ROOT_SWEEPS, NODE_SWEEPS = 64, 10  # at most so many, for better prices after a restart, at the root and at nodes
SWEPT = 1 << 21  # entries that sweeps at the root may pass before the loop looks at the clock
BLOCK = 256  # covers that plain search hands over at a time, or fewer where they are wide:
BUFFER = 1 << 20  # entries of a buffer of covers
DIVES = {1: 60, 3: 150, 5: 25, 7: 60}  # which restarts dive, and at what temperature: the hottest one by this


@dataclass(frozen=True, slots=True)
class Cover:
    """A cover with its score.

    Attributes:
        score: the sum of the weights of its options: int for whole weights, float for real ones.
        options: the numbers of its options, increasing.
        labels: the same options as the caller knows them.
    """

    score: int | float
    options: tuple[int, ...]
    labels: tuple[Label, ...]

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from dlx.html import cover_html

        return cover_html(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Best(Outcome):
    """What `best` returns, and how the search went.

    Attributes:
        covers: the best covers found, the best one first; empty if none was found.
        bound: no cover scores better than this, by more than the tolerance; None once it is proven that there is none.
        proven: whether `covers` are the best ones, or all there are if they are fewer than asked for.
        tolerance: for real weights, how much better a cover may be that was not listed; 0 for whole ones.
    """

    covers: tuple[Cover, ...]
    bound: int | float | None
    proven: bool
    tolerance: float

    @property
    def score(self) -> int | float | None:
        """The best score, or None if no cover was found."""
        return self.covers[0].score if self.covers else None


def best(
    problem: Problem,
    sense: Literal["max", "min"] = "max",
    k: int = 1,
    *,
    seed: int = 0,
    **limits: Unpack[Limiting],
) -> Best:
    """Finds the cover of the best score, or the k best ones, and proves that there are no better ones.

    The bound is the dual of the linear program of set partitioning (see `dlx.kernels.prices`); with multiplicities it
    visits every cover. An option that a node forces is tried with it, even beyond `max_nodes`. Ctrl-C ends the search,
    not the program: the result then has the best so far and the bound, unproven, with `stopped == "interrupt"`.

    Parameters:
        problem: what to cover; without weights every score is 0.
        sense: whether the largest or the smallest score is the best.
        k: how many covers to find, at least 1; of covers with equal scores any may be among them.
        seed: any whole number, for another way through the search; the same seed gives the same result.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`dlx.limits.Limiting`).

    Returns:
        The covers in order, the bound, and whether they are proven.

    Raises:
        ValueError: `sense` is neither "max" nor "min", k is less than 1, or a limit is negative.
        TypeError: k, the seed or a limit has the wrong type, or there is no such limit.

    >>> problem = Problem.from_options(["ab", "cd", "ac", "bd", "abcd"], weights=[3, 4, 5, 1, 6])
    >>> result = best(problem, k=2)
    >>> [(cover.score, cover.options) for cover in result.covers], result.proven
    ([(7, (0, 1)), (6, (2, 3))], True)
    >>> best(problem, "min").score
    6
    """
    k = whole_number(k, "k", 1)
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"seed is {seed!r}; it must be a whole number")
    sign, loop = sign_of(sense), Loop(Limits.of(**limits))
    with loop:
        parts = made("parts", as_problem(problem).rows())
        if parts.choices > 1:
            search: Search | Apart = Apart(problem, parts, sign, k, seed, loop)
        else:
            search = Search(problem, sign, k, int(seed) % SEEDS, loop)
        search.run()
    return search.result()


class Apart(Components):
    """A search for the best covers of a problem that falls apart: each hard part is one for `best`."""

    def __init__(self, problem: Problem, parts: Any, sign: Literal[1, -1], k: int, seed: int, loop: Loop) -> None:
        self._scale = Scale(problem, sign)
        solve = partial(best, k=k, seed=seed)
        super().__init__(problem, parts, self._scale, sign, k, loop, lambda part, limits: solve(part, **limits))

    def result(self) -> Best:
        """What was found."""
        self.merge()
        return _result(self._problem, self._sign, self.top, self.bound, self._scale.tolerance, self._loop)


class Search:
    """A search for the best covers: what it has found so far, and the turns that its two kernels take.

    Attributes:
        top: the best covers found, the best one first.
    """

    def __init__(self, problem: Problem, sign: Literal[1, -1], k: int, seed: int, loop: Loop) -> None:
        self.problem = problem
        self.top = Top(k)
        self._sign = sign
        self._scale = Scale(problem, sign)
        self._seed = seed
        self._loop = loop
        self._spend: Any = None
        self._plain = build(problem, room=_room(problem))
        self._note()

    @property
    def bound(self) -> int | float | None:
        """No cover scores better than this; None if there is no cover."""
        if self._loop.exhausted:
            return self._sign * self.top.covers[0][0] if self.top.covers else None
        ceiling = self._scale.naive if self._spend is None else self._scale.score(self._spend.ceiling)
        return self._sign * max([ceiling, *(score for score, _ in self.top.covers[:1])])

    def run(self) -> None:
        """Searches until the best covers are proven or a limit is reached."""
        if self.problem.multiplicities is not None:
            self._enumerate()  # its dual would be another one, which the kernels do not know
            return
        self._probe()
        if not self._loop.exhausted and not self._loop.over():
            self._build()
            if self._anneal(SWEEPS, ROUNDS):
                self._restarts()

    def result(self) -> Best:
        """What was found."""
        self._take(self._plain if self._spend is None else self._spend)  # what an interrupt has left in the buffer
        return _result(self.problem, self._sign, self.top.covers, self.bound, self._scale.tolerance, self._loop)

    def _enumerate(self, nodes: int = 1 << 62) -> None:
        """Plain search, scoring every cover, for so many nodes."""
        for _ in self._loop.slices(self._plain, nodes):
            self._take(self._plain)

    def _probe(self) -> None:
        """Plain search for a while; what it finds is a first target for the priced one."""
        self._enumerate(PROBE)
        done = self._plain.nodes
        if not self._loop.exhausted and self._plain.fraction() * LONG_PROBE > done / 2:
            self._enumerate(LONG_PROBE - done)

    def _build(self) -> None:
        # With exact scores the kernel raises the target itself, and need not return to Python for each cover.
        raising = self._scale.is_exact and self.top.k == 1
        self._spend = _spending(self.problem, self._scale, 16 if raising else 1, self._seed)
        self._spend.increment = self._scale.increment if raising else 0
        self._aim()

    def _anneal(self, sweeps: int, rounds: int) -> bool:
        """Prices at the root, from hot to cold; False if time is up."""
        return _anneal(self._loop, self._spend, sweeps, rounds, self._scale.hottest)

    def _restarts(self) -> None:
        """Searches from the root again and again, for longer and with better prices, until one search ends."""
        budget = float(FIRST_RESTART)
        stage = 0
        while not self._loop.over():
            for _ in self._loop.slices(self._spend, int(budget)):
                self._take(self._spend)
            if self._loop.exhausted:
                return
            budget *= RESTART_GROWTH
            stage += 1
            self._spend.restart(self._seed + stage)
            self._refine(stage)

    def _refine(self, stage: int) -> None:
        """Better prices for the next stage, at the root now and at every node from now on; some stages dive."""
        spend = self._spend
        if stage == 1:  # most searches have ended before this
            spend.separate(max(1, min(self._scale.max_level + 1, PRICE_BYTES // (8 * self.problem.n_items))))
        spend.sweeps = min(2 * stage, NODE_SWEEPS)
        dive = DIVES.get(stage)
        spend.diving = 0.0 if dive is None else self._scale.hottest / dive
        self._anneal(min(SWEEPS * 2**stage, ROOT_SWEEPS), ROUNDS + min(stage, COLDER))

    def _take(self, kernel: Any) -> None:
        """Takes the covers found out of a kernel's buffer, and tells what to look for now."""
        found = kernel.found()
        if len(found):
            if len(found) > self.top.k:
                found = found[np.argsort(-self._scale.exact[found].sum(axis=1), kind="stable")[: self.top.k]]
            for row in found:
                self._offer(row)
            kernel.filled = 0
            self._aim()
        self._note()

    def _offer(self, row: Block) -> None:
        options = np.sort(row[row >= 0])  # one order, so that a real score has one value
        self.top.offer(self._scale.exact[options].sum().item(), tuple(options.tolist()))

    def _aim(self) -> None:
        if self._spend is not None and self.top.least is not None:
            self._spend.target = self._scale.target(self.top.least)

    def _note(self) -> None:
        """Notes score and bound for those who watch."""
        self._loop.score = self._sign * self.top.covers[0][0] if self.top.covers else None
        self._loop.bound = self.bound


def _result(
    problem: Problem,
    sign: int,
    top: Sequence[tuple[int | float, tuple[int, ...]]],
    bound: int | float | None,
    tolerance: float,
    loop: Loop,
) -> Best:
    """What a search has found, with the scores that it has maximised as the caller wants them."""
    used = list({o: None for _, options in top for o in options})  # large covers differ in few options
    label = dict(zip(used, problem.labels(used), strict=True))
    covers = [Cover(sign * score, options, tuple(map(label.__getitem__, options))) for score, options in top]
    return Best(covers=tuple(covers), bound=bound, proven=loop.exhausted, tolerance=tolerance, **loop.outcome())


def count_reaching(
    problem: Problem,
    score: float,
    sense: Literal["max", "min"] = "max",
    **limits: Unpack[Limiting],
) -> Count:
    """Counts the covers with a certain score or a better one; with the best score, the covers that tie for it.

    Parameters:
        problem: what to cover; without weights every score is 0.
        score: the score to reach; real scores are compared with the tolerance of `best`.
        sense: whether larger or smaller scores are better.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`dlx.limits.Limiting`).

    Returns:
        The number of covers, as `covers`, and how the search went.

    Raises: as `best`; and ValueError or TypeError if the score is no number.

    >>> problem = Problem.from_options(["ab", "cd", "ac", "bd", "abcd"], weights=[3, 4, 5, 2, 6])
    >>> count_reaching(problem, 7).covers
    2
    """
    sign = sign_of(sense)
    wanted = sign * _score(score)
    loop = Loop(Limits.of(**limits))
    with loop:
        scale = Scale(as_problem(problem), sign)
        least = scale.least(wanted)
        kernel: Any = None
        if problem.multiplicities is not None:  # scores every cover
            kernel = build(problem, room=_room(problem))
        else:
            kernel = _spending(problem, scale, 64, seed=0)
            kernel.target = scale.reached(wanted)
            _anneal(loop, kernel, SWEEPS, ROUNDS, scale.hottest)
        for _ in loop.slices(kernel):
            _reject(loop, kernel, scale, least)
    _reject(loop, kernel, scale, least)  # what an interrupt has left in the buffer
    return Count(covers=loop.covers, kernel=kernel.name, **loop.outcome())


def _reject(loop: Loop, kernel: Any, scale: Scale, least: int | float) -> None:
    """Tells the loop how many covers in the buffer score less, and empties it."""
    rejected = int(np.count_nonzero(scale.exact[kernel.found()].sum(axis=1) < least))
    loop.rejected, kernel.filled = loop.rejected + rejected, 0


def _score(score: float) -> int | float:
    """A score as a Python number; one that no float can hold is infinite."""
    if isinstance(score, np.generic):
        score = score.item()
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        raise TypeError(f"score is {score!r}; it must be a number")
    if score != score:
        raise ValueError("score is nan; it must be a number")
    if abs(score) > sys.float_info.max:
        return math.inf if score > 0 else -math.inf
    return score


def sign_of(sense: str) -> Literal[1, -1]:
    """What scores are multiplied by so that the largest is the best.

    Raises:
        ValueError: the sense is neither "max" nor "min".
    """
    if sense not in ("max", "min"):
        raise ValueError(f"sense is {sense!r}; it must be 'max' or 'min'")
    return 1 if sense == "max" else -1


def _anneal(loop: Loop, spend: Any, sweeps: int, rounds: int, hottest: float) -> bool:
    """Prices at the root, from hot to cold; False if a limit came first."""
    at_once = max(1, SWEPT // max(1, spend.entries))
    temperature = hottest
    left = at_once  # sweeps until the loop looks at the world, which on small problems takes as long as a round
    for _ in range(rounds):
        if not spend.heat(temperature):
            break
        for done in range(0, sweeps, at_once):
            some = min(at_once, sweeps - done)
            spend.anneal(some)
            left -= some
            if left <= 0:
                left = at_once
                if loop.over():
                    spend.keep()
                    return False
                loop.report(spend)
        spend.cool()
        temperature *= COOLING
    spend.keep()
    return not loop.over()


def _room(problem: Problem) -> int:
    """How many covers a kernel should hold for Python to score."""
    return max(1, min(BLOCK, BUFFER // max(1, problem.max_level)))


def _spending(problem: Problem, scale: Scale, room: int, seed: int) -> Any:
    """A kernel at the root of its search, with prices that are valid, but no good yet."""
    buffer = np.empty((room, problem.n_primary + 1), dtype=np.int32)
    return made("spend", problem.rows(), buffer, scale.units, scale.largest, seed)


class Top:
    """The k best of the covers offered, each once, the best one first."""

    def __init__(self, k: int) -> None:
        self.k = k
        self.covers: list[tuple[int | float, tuple[int, ...]]] = []

    def offer(self, score: int | float, options: tuple[int, ...]) -> None:
        """Keeps a cover if it is new and among the k best."""
        if self.least is not None and score <= self.least:
            return
        place = bisect_left(self.covers, (-score, options), key=lambda cover: (-cover[0], cover[1]))
        if self.covers[place : place + 1] != [(score, options)]:
            self.covers[place:] = [(score, options), *self.covers[place : self.k - 1]]  # Ctrl-C finds all of it or none

    @property
    def least(self) -> int | float | None:
        """The score that a new cover must exceed; None while any cover is welcome."""
        return self.covers[-1][0] if len(self.covers) == self.k else None


class Scale:
    """Between the caller's weights and the kernel's fixed-point units: a score times 2**bits, rounded up.

    Attributes:
        exact: the weights to be maximised, with a 0 behind them for the -1 that pads covers.
        units: the same in units, int64.
        is_exact: whether units lose nothing, so that scores can be compared in them.
        increment: how many units better the next score must at least be, where units are exact.
        naive: a bound on every score without any prices.
        hottest: the temperature to begin with, in units.
        largest: the most items in an option.
        max_level: the most options in a cover, and so the most units that rounding up adds to a score.
        tolerance: how much a score may exceed another one and still be taken for equal.
    """

    def __init__(self, problem: Problem, sign: int) -> None:
        weights: npt.NDArray[Any] = (
            np.zeros(problem.n_options, np.int64) if problem.weights is None else problem.weights
        )
        self.exact = np.append(sign * weights, np.zeros(1, dtype=weights.dtype))
        self.largest = int(np.diff(problem.indptr).max(initial=1))
        self.max_level = problem.max_level
        whole_weights = weights.dtype.kind == "i"
        size = float(np.abs(weights).max(initial=0))
        worst = float(np.sort(np.abs(weights))[::-1][: max(1, problem.n_primary)].sum()) or 1.0
        limit = 58 - math.log2(4 * (self.largest + 1) * (max(problem.n_items, self.largest) + 1))
        room = math.floor(limit - math.log2(worst))
        self._bits = min(UNIT_BITS, room) if whole_weights else min(REAL_BITS - math.ceil(math.log2(worst)), room)
        self.is_exact = whole_weights and self._bits >= 0
        self.units = self._to_units(self.exact[:-1])
        step = int(np.gcd.reduce(weights)) if whole_weights and len(weights) else 0
        self._step = max(1, step)
        self.increment = self._step << self._bits if self.is_exact else 0
        self.hottest = max(1.0, math.ldexp(size, self._bits - 4))
        self.tolerance = 0.0 if whole_weights else math.ldexp(self.max_level, -self._bits)
        best_first = np.sort(self.exact[:-1])[::-1][: self.max_level]
        self.naive: int | float = best_first[best_first > 0].sum().item()

    def _to_units(self, weights: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        units: npt.NDArray[Any] = np.ceil(np.ldexp(weights, self._bits)) if weights.dtype.kind == "f" else weights
        if weights.dtype.kind == "i":
            units = weights << self._bits if self._bits >= 0 else -(-weights >> -self._bits)
        kept: npt.NDArray[np.int64] = units.astype(np.int64)
        return kept

    def least(self, score: int | float) -> int | float:
        """What a score must come to in numpy's arithmetic to count as at least this one."""
        if self.exact.dtype.kind == "f":
            return max(-sys.float_info.max, min(score, sys.float_info.max)) - self.tolerance
        return max(-MAX_SCORE, min(math.ceil(score) if math.isfinite(score) else score, MAX_SCORE))

    def reached(self, score: int | float) -> int:
        """The units that every cover has whose score is at least this; no cover has more than `MAX_SCORE`."""
        most = float(MAX_SCORE)
        if self.exact.dtype.kind == "f":
            shift = math.ldexp(1.0, min(self._bits, 1000))  # units of larger scores are beyond the limit anyway
            if abs(score) >= most / shift:
                return MAX_SCORE if score > 0 else -MAX_SCORE
            return math.ceil(math.ldexp(score, self._bits)) - self.max_level
        if abs(score) >= MAX_SCORE:
            return MAX_SCORE if score > 0 else -MAX_SCORE
        whole = math.ceil(score)
        units = whole << self._bits if self._bits >= 0 else -(-whole >> -self._bits)
        return max(-MAX_SCORE, min(units, MAX_SCORE))

    def target(self, score: int | float) -> int:
        """The units that every cover has that is better than a score, by more than the tolerance."""
        if isinstance(score, int):
            return self.reached(score + self._step)
        return math.ceil(math.ldexp(score, self._bits)) + self.max_level

    def score(self, units: int) -> int | float:
        """The best score that so many units allow."""
        if self.exact.dtype.kind == "f":
            return math.ldexp(units, -self._bits)
        most = units >> self._bits if self._bits >= 0 else units << -self._bits
        return most // self._step * self._step
