"""The best cover by weight, or the k best, with a proof: prices, a bound, and a search that spends the slack left.

Where plain search ends within a few thousand nodes nothing else is needed. Otherwise the `dual` kernel prices the
items, and searches with restarts: each comes down another way, with better prices and a better target than the last.
A search that ends by itself has proved that nothing better is left.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from dlx.compiled import compiled_module
from dlx.kernels import BUDGET_SPENT, EXHAUSTED
from dlx.problem import Label, Problem
from dlx.search import SLICE, UNLIMITED, Block, Covers, Outcome, Stop, duration, whole

Dual = compiled_module("dlx.kernels.dual").Dual

PROBE = 2_000  # nodes of plain search before prices are computed
UNIT_BITS = 20  # at most so many binary digits after the point in the kernel's fixed-point numbers
REAL_BITS = 40  # a real score is held to so many binary digits of the largest that the weights allow
PRICE_BYTES = 1 << 28  # memory for the prices of the nodes on a path
ROUNDS, COOLING, SWEEPS = 14, 0.6, 6  # how the first prices are found
FIRST_RESTART, RESTART_GROWTH = 500, 1.3  # nodes


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Best(Outcome):
    """What `best` returns, and how the search went.

    Attributes:
        covers: the best covers found, the best one first; empty if none was found.
        bound: no cover scores better than this; None once it is proven that there is no cover.
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
    max_nodes: int | None = None,
    timeout: float | None = None,
    seed: int = 0,
    progress: Callable[[Search], object] | None = None,
) -> Best:
    """Finds the cover of the best score, or the k best ones, and proves that there are no better ones.

    The bound is the dual of the linear program of set partitioning (see `dlx.kernels.dual`). Ctrl-C ends the search,
    not the program: the result then has the best so far and the bound, unproven, with `stopped == "interrupt"`.

    Parameters:
        problem: what to cover; without weights every score is 0.
        sense: whether the largest or the smallest score is the best.
        k: how many covers to find, at least 1; of covers with equal scores any may be among them.
        max_nodes: stop after trying so many options.
        timeout: stop after so many seconds.
        seed: for another way through the search; the same seed gives the same result.
        progress: called with the search about every 20 ms while it runs.

    Returns:
        The covers in order, the bound, and whether they are proven.

    Raises:
        ValueError: `sense` is neither "max" nor "min", k is less than 1, or a limit is negative.
        TypeError: k, the seed or a limit has the wrong type.

    >>> problem = Problem.from_options(["ab", "cd", "ac", "bd", "abcd"], weights=[3, 4, 5, 1, 6])
    >>> result = best(problem, k=2)
    >>> [(cover.score, cover.options) for cover in result.covers], result.proven
    ([(7, (0, 1)), (6, (2, 3))], True)
    >>> best(problem, "min").score
    6
    """
    if sense not in ("max", "min"):
        raise ValueError(f"sense is {sense!r}; it must be 'max' or 'min'")
    if whole(k, "k") < 1 or k is None:
        raise ValueError(f"k is {k}; at least 1 cover is to be found")
    search = Search(problem, sense, k, seed, whole(max_nodes, "max_nodes"), duration(timeout), progress)
    try:
        search.run()
    except KeyboardInterrupt:
        search.stopped = "interrupt"
    return search.result()


class Search:
    """A search for the best covers: what it has found so far, and the turns that its two kernels take.

    Attributes:
        top: the best covers found, the best one first.
        nodes: the options tried so far.
        updates: the options and list nodes looked at so far.
        seconds: the time spent so far.
        bound: no cover scores better than this.
        stopped: why the search stopped early, or None.
    """

    def __init__(
        self,
        problem: Problem,
        sense: Literal["max", "min"],
        k: int,
        seed: int,
        max_nodes: int,
        timeout: float,
        progress: Callable[[Search], object] | None,
    ) -> None:
        self.problem = problem
        self.top = Top(k)
        self.stopped: Stop | None = None
        self.exhausted = False
        self._sign = 1 if sense == "max" else -1
        self._scale = Scale(problem, self._sign)
        self._seed = seed
        self._max_nodes = max_nodes
        self._deadline = time.perf_counter() + timeout
        self._progress = progress
        self._start = time.perf_counter()
        self._plain: Covers | None = None
        self._dual: Any = None
        self._step = 1 << 18

    @property
    def nodes(self) -> int:
        """The options tried so far."""
        return (self._plain.nodes if self._plain else 0) + (self._dual.nodes if self._dual else 0)

    @property
    def updates(self) -> int:
        """The options and list nodes looked at so far."""
        return (self._plain.updates if self._plain else 0) + (self._dual.updates if self._dual else 0)

    @property
    def seconds(self) -> float:
        """The time since the search began."""
        return time.perf_counter() - self._start

    @property
    def bound(self) -> int | float | None:
        """No cover scores better than this; None if there is no cover."""
        if self.exhausted:
            return self._sign * self.top.covers[0][0] if self.top.covers else None
        ceiling = self._scale.naive if self._dual is None else self._scale.score(self._dual.ceiling)
        return self._sign * max([ceiling, *(score for score, _ in self.top.covers[:1])])

    def run(self) -> None:
        """Searches until the best covers are proven or a limit is reached."""
        self._probe()
        if not self.exhausted and not self._limited():
            self._build()
            if self._anneal(SWEEPS, self._scale.hottest, COOLING, ROUNDS):
                self._restarts()

    def result(self) -> Best:
        """What was found."""
        covers = tuple(
            Cover(self._sign * score, options, self.problem.labels(options)) for score, options in self.top.covers
        )
        return Best(
            covers=covers,
            bound=self.bound,
            proven=self.exhausted,
            tolerance=self._scale.tolerance,
            nodes=self.nodes,
            updates=self.updates,
            seconds=self.seconds,
            stopped=None if self.exhausted else self.stopped,
        )

    def _probe(self) -> None:
        """Plain search for a while; what it finds is a first target for the priced one."""
        self._plain = Covers(self.problem, max_nodes=min(PROBE, self._max_nodes))
        for block in self._plain.blocks():
            scores = self._scale.exact[block].sum(axis=1)
            for row in np.argsort(-scores, kind="stable")[: self.top.k]:
                self._offer(scores[row].item(), block[row])
        self.exhausted = self._plain.exhausted

    def _build(self) -> None:
        problem, scale = self.problem, self._scale
        # Covers that raise the target by themselves need no word with Python; their scores must be exact for that.
        self._climbing = scale.is_exact and self.top.k == 1
        self._buffer = np.empty((16 if self._climbing else 1, problem.n_primary + 1), dtype=np.int32)
        rows = max(1, min(problem.max_level + 1, PRICE_BYTES // (8 * max(1, problem.n_items))))
        self._dual = Dual(
            problem.indptr,
            problem.indices,
            problem.n_items,
            problem.n_primary,
            scale.units,
            self._buffer,
            rows,
            scale.largest,
            self._seed,
        )
        self._dual.climb = scale.climb if self._climbing else 0
        self._aim()

    def _anneal(self, sweeps: int, hottest: float, cooling: float, rounds: int) -> bool:
        """Prices at the root, from hot to cold; False if they prove that nothing better is left, or time is up."""
        temperature = hottest
        for _ in range(rounds):
            self._dual.anneal(temperature, sweeps)
            self._coldest = temperature
            temperature *= cooling
            if self._limited():
                return False
        return True

    def _restarts(self) -> None:
        """Searches from the root again and again, each time for longer and with better prices, until one search ends."""
        budget = float(FIRST_RESTART)
        stage = 0
        while not self._search(int(budget)):
            if self.stopped is not None:
                return
            budget *= RESTART_GROWTH
            stage += 1
            self._dual.restart(self._seed + stage)
            self._refine(stage)

    def _refine(self, stage: int) -> None:
        self._dual.sweeps = min(2 * stage, 8)
        hottest = self._coldest / 0.8**8
        self._anneal(min(8 * 2**stage, 64), hottest, 0.8, 10)

    def _search(self, budget: int) -> bool:
        """Runs the kernel slice by slice for about `budget` nodes; whether the search ended by itself."""
        goal = self._dual.nodes + budget
        while not self._limited():
            start = time.perf_counter()
            nodes = min(goal - self._dual.nodes, self._max_nodes - self.nodes)
            state = self._dual.run(nodes, self._step)
            spent = time.perf_counter() - start
            self._step = max(1024, min(2 * self._step, int(self._step * SLICE / max(spent, 1e-4))))
            self._take()
            if state == EXHAUSTED:
                self.exhausted = True
                return True
            if state == BUDGET_SPENT and self._dual.nodes >= goal:
                return False
        return False

    def _take(self) -> None:
        """Takes the covers found out of the kernel's buffer, and tells it what to look for now."""
        for row in self._buffer[: self._dual.filled]:
            options = row[row >= 0]
            self._offer(self._scale.exact[options].sum().item(), options)
        if self._dual.filled:
            self._dual.filled = 0
            self._aim()
        if self._progress is not None:
            self._progress(self)

    def _offer(self, score: int | float, options: Block) -> None:
        self.top.offer(score, tuple(sorted(o for o in options.tolist() if o >= 0)))

    def _aim(self) -> None:
        if self.top.least is not None:
            self._dual.target = self._scale.target(self.top.least)

    def _limited(self) -> bool:
        if self.nodes >= self._max_nodes:
            self.stopped = "max_nodes"
        elif time.perf_counter() >= self._deadline:
            self.stopped = "timeout"
        return self.stopped is not None


class Top:
    """The k best of the covers offered, each once, the best one first."""

    def __init__(self, k: int) -> None:
        self.k = k
        self.covers: list[tuple[int | float, tuple[int, ...]]] = []

    def offer(self, score: int | float, options: tuple[int, ...]) -> None:
        """Keeps a cover if it is new and among the k best."""
        if self.least is not None and score <= self.least or (score, options) in self.covers:
            return
        self.covers.append((score, options))
        self.covers.sort(key=lambda cover: (-cover[0], cover[1]))
        del self.covers[self.k :]

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
        climb: how many units better the next score must at least be, where units are exact.
        naive: a bound on every score without any prices.
        hottest: the temperature to begin with, in units.
        largest: the most items in an option.
        tolerance: how much a score may exceed another one and still be taken for equal.
    """

    def __init__(self, problem: Problem, sign: int) -> None:
        weights: npt.NDArray[Any] = (
            np.zeros(problem.n_options, np.int64) if problem.weights is None else problem.weights
        )
        self.exact = np.append(sign * weights, np.zeros(1, dtype=weights.dtype))
        self.largest = int(np.diff(problem.indptr).max(initial=1))
        whole_weights = weights.dtype.kind == "i"
        size = float(np.abs(weights).max(initial=0))
        worst = size * min(problem.n_primary, problem.n_options) or 1.0
        limit = 58 - math.log2(4 * (self.largest + 1) * (max(problem.n_items, self.largest) + 1))
        room = math.floor(limit - math.log2(worst))
        self._bits = min(UNIT_BITS, room) if whole_weights else min(REAL_BITS - math.ceil(math.log2(worst)), room)
        self.is_exact = whole_weights and self._bits >= 0
        self.units = self._to_units(self.exact[:-1])
        step = int(np.gcd.reduce(weights)) if whole_weights and len(weights) else 0
        self._step = max(1, step)
        self.climb = self._step << self._bits if self.is_exact else 0
        self.hottest = max(1.0, size * 2.0**self._bits / 4)
        self.tolerance = 0.0 if whole_weights else problem.max_level * 2.0**-self._bits
        best_first = np.sort(self.exact[:-1])[::-1][: problem.n_primary]
        self.naive: int | float = best_first[best_first > 0].sum().item()

    def _to_units(self, weights: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        if weights.dtype.kind == "f":
            return np.ceil(np.ldexp(weights, self._bits)).astype(np.int64)
        return weights << self._bits if self._bits >= 0 else -(-weights >> -self._bits)

    def target(self, score: int | float) -> int:
        """The units that every cover has that is better than a score, by more than the tolerance."""
        if isinstance(score, int):
            better = score + self._step
            return better << self._bits if self._bits >= 0 else -(-better >> -self._bits)
        return math.ceil(math.ldexp(score + self.tolerance, self._bits))

    def score(self, units: int) -> int | float:
        """The best score that so many units allow."""
        if self.exact.dtype.kind == "f":
            return math.ldexp(units, -self._bits)
        most = units >> self._bits if self._bits >= 0 else units << -self._bits
        return most // self._step * self._step
