"""The best cover by weight, or the k best, with a proof: prices, a bound, and a search that spends the slack left.

Where plain search ends within a few thousand nodes nothing else is needed. Otherwise the `dual` kernel prices the
items, and searches with restarts: each comes down another way, with better prices and a better target than the last.
A search that ends by itself has proved that nothing better is left.
"""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from dlx.checks import MAX_SCORE
from dlx.compiled import compiled_module
from dlx.kernels import BUDGET_SPENT, EXHAUSTED
from dlx.problem import Label, Problem
from dlx.search import SLICE, Block, Count, Covers, Outcome, Stop, duration, whole

PROBE, LONG_PROBE = 150, 2_000  # nodes of plain search before prices are computed; more if it then looks nearly done
UNIT_BITS = 20  # at most so many binary digits after the point in the kernel's fixed-point numbers
REAL_BITS = 40  # a real score is held to so many binary digits of the largest that the weights allow
PRICE_BYTES = 1 << 28  # memory for the prices of the nodes on a path
SEEDS = 1 << 31  # different seeds
ROUNDS, COOLING, SWEEPS = 11, 0.6, 6  # how the first prices are found
FIRST_RESTART, RESTART_GROWTH = 500, 2  # nodes
COLDER = 6  # after each restart the prices at the root are found in one more round, up to so many more
ROOT_SWEEPS, NODE_SWEEPS = 64, 10  # at most so many, for better prices after a restart, at the root and at nodes
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
        seed: any whole number, for another way through the search; the same seed gives the same result.
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
    if k is None or whole(k, "k") < 1:
        raise ValueError(f"k is {k}; at least 1 cover is to be found")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"seed is {seed!r}; it must be a whole number")
    search = Search(
        problem, _sign(sense), k, int(seed) % SEEDS, whole(max_nodes, "max_nodes"), duration(timeout), progress
    )
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
        sign: Literal[1, -1],
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
        self._sign = sign
        self._scale = Scale(problem, sign)
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
        if self.problem.multiplicities is not None:
            self._enumerate()
            return
        self._probe()
        if not self.exhausted and not self._limited():
            self._build()
            if self._anneal(SWEEPS, ROUNDS):
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

    def _enumerate(self) -> None:
        """Scores every cover: with multiplicities the dual would be another one, which the kernel does not know."""
        left = max(0.0, self._deadline - time.perf_counter())
        hook = None if self._progress is None else self._report
        self._plain = Covers(self.problem, max_nodes=self._max_nodes, timeout=left, progress=hook)
        self._score(self._plain)
        self.exhausted, self.stopped = self._plain.exhausted, self._plain.stopped

    def _report(self, _: Covers) -> None:
        if self._progress is not None:
            self._progress(self)

    def _probe(self) -> None:
        """Plain search for a while; what it finds is a first target for the priced one."""
        self._plain = plain = Covers(self.problem, max_nodes=min(PROBE, self._max_nodes))
        self._score(plain)
        if not plain.exhausted and plain.fraction * LONG_PROBE > plain.nodes / 2:
            plain.limit(max_nodes=min(LONG_PROBE, self._max_nodes))
            self._score(plain)
        self.exhausted = plain.exhausted

    def _score(self, plain: Covers) -> None:
        """Scores the covers that plain search finds within its limits."""
        for block in plain.blocks():
            scores = self._scale.exact[block].sum(axis=1)
            for row in np.argsort(-scores, kind="stable")[: self.top.k]:
                self._offer(block[row])

    def _build(self) -> None:
        # Covers that raise the target by themselves need no word with Python; their scores must be exact for that.
        climbing = self._scale.is_exact and self.top.k == 1
        self._buffer = _buffer(self.problem, 16 if climbing else 1)
        self._dual = _kernel(self.problem, self._scale, self._buffer, self._seed)
        self._dual.climb = self._scale.climb if climbing else 0
        self._aim()

    def _anneal(self, sweeps: int, rounds: int) -> bool:
        """Prices at the root, from hot to cold; False if time is up."""
        _anneal(self._dual, sweeps, rounds, self._scale.hottest, self._limited)
        return self.stopped is None

    def _restarts(self) -> None:
        """Searches from the root again and again, for longer and with better prices, until one search ends."""
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
        """Better prices for the next stage, at the root now and at every node from now on; some stages dive."""
        dual = self._dual
        dual.sweeps = min(2 * stage, NODE_SWEEPS)
        dive = DIVES.get(stage)
        dual.diving = 0.0 if dive is None else self._scale.hottest / dive
        self._anneal(min(SWEEPS * 2**stage, ROOT_SWEEPS), ROUNDS + min(stage, COLDER))

    def _search(self, budget: int) -> bool:
        """Runs the kernel slice by slice for about `budget` nodes; whether the search ended by itself."""
        goal = self._dual.nodes + budget
        while not self._limited():
            start, before = time.perf_counter(), self._dual.updates
            nodes = min(goal - self._dual.nodes, self._max_nodes - self.nodes)
            state = self._dual.run(nodes, self._step)
            self._step = _adapt(self._step, self._dual.updates - before, time.perf_counter() - start)
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
            self._offer(row)
        if self._dual.filled:
            self._dual.filled = 0
            self._aim()
        if self._progress is not None:
            self._progress(self)

    def _offer(self, row: Block) -> None:
        options = np.sort(row[row >= 0])  # one order, so that a real score has one value
        self.top.offer(self._scale.exact[options].sum().item(), tuple(options.tolist()))

    def _aim(self) -> None:
        if self.top.least is not None:
            self._dual.target = self._scale.target(self.top.least)

    def _limited(self) -> bool:
        self.stopped = _stop(False, self.nodes >= self._max_nodes, self._deadline)
        return self.stopped is not None


def count_reaching(
    problem: Problem,
    score: float,
    sense: Literal["max", "min"] = "max",
    *,
    max_covers: int | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
) -> Count:
    """Counts the covers with a certain score or a better one; with the best score, the covers that tie for it.

    Parameters:
        problem: what to cover; without weights every score is 0.
        score: the score to reach; real scores are compared with the tolerance of `best`.
        sense: whether larger or smaller scores are better.
        max_covers: stop after so many covers.
        max_nodes: stop after trying so many options.
        timeout: stop after so many seconds.

    Returns:
        The number of covers, as `covers`, and how the search went.

    Raises: as `best`.

    >>> problem = Problem.from_options(["ab", "cd", "ac", "bd", "abcd"], weights=[3, 4, 5, 2, 6])
    >>> count_reaching(problem, 7).covers
    2
    """
    sign = _sign(sense)
    scale = Scale(problem, sign)
    score = score.item() if isinstance(score, np.generic) else score
    if problem.multiplicities is not None:
        return _count_all_reaching(problem, scale, sign * score, max_covers, max_nodes, timeout)
    most, nodes, end = whole(max_covers, "max_covers"), whole(max_nodes, "max_nodes"), duration(timeout)
    buffer = _buffer(problem, 64)
    start = time.perf_counter()
    kernel = _kernel(problem, scale, buffer, seed=0)
    kernel.target = max(-MAX_SCORE, min(scale.reached(sign * score), MAX_SCORE))
    covers, state, step, stopped = 0, BUDGET_SPENT, 1 << 18, None
    try:
        _anneal(kernel, SWEEPS, ROUNDS, scale.hottest, lambda: time.perf_counter() >= start + end)
        while state != EXHAUSTED and (stopped := _stop(covers >= most, kernel.nodes >= nodes, start + end)) is None:
            begin, before = time.perf_counter(), kernel.updates
            state = kernel.run(nodes - kernel.nodes, step)
            step = _adapt(step, kernel.updates - before, time.perf_counter() - begin)
            scores = scale.exact[buffer[: kernel.filled]].sum(axis=1)
            covers += int(np.count_nonzero(scores >= sign * score - (scale.tolerance or 0)))
            kernel.filled = 0
    except KeyboardInterrupt:
        stopped = "interrupt"
    return Count(
        covers=min(covers, most),
        kernel="dual",
        nodes=kernel.nodes,
        updates=kernel.updates,
        seconds=time.perf_counter() - start,
        stopped=None if state == EXHAUSTED and covers <= most else stopped or "max_covers",
    )


def _count_all_reaching(
    problem: Problem,
    scale: Scale,
    score: int | float,
    max_covers: int | None,
    max_nodes: int | None,
    timeout: float | None,
) -> Count:
    """The same by scoring every cover, for problems with multiplicities."""
    most = whole(max_covers, "max_covers")
    search = Covers(problem, max_nodes=max_nodes, timeout=timeout)
    covers = 0
    stopped: Stop | None = None
    try:
        for block in search.blocks():
            covers += int(np.count_nonzero(scale.exact[block].sum(axis=1) >= score - (scale.tolerance or 0)))
            if covers >= most:
                stopped = "max_covers"
                break
    except KeyboardInterrupt:
        stopped = "interrupt"
    return Count(
        covers=min(covers, most),
        kernel=search.kernel,
        nodes=search.nodes,
        updates=search.updates,
        seconds=search.seconds,
        stopped=None if search.exhausted and covers <= most else stopped or search.stopped or "max_covers",
    )


def _sign(sense: str) -> Literal[1, -1]:
    if sense not in ("max", "min"):
        raise ValueError(f"sense is {sense!r}; it must be 'max' or 'min'")
    return 1 if sense == "max" else -1


def _stop(enough: bool, spent: bool, end: float) -> Stop | None:
    """Which limit has been reached, if any."""
    if enough:
        return "max_covers"
    if spent:
        return "max_nodes"
    return "timeout" if time.perf_counter() >= end else None


def _adapt(step: int, done: int, spent: float) -> int:
    """The size of the next slice, in updates, given how many the last one did: at most twice what it was allowed."""
    return max(1024, min(2 * step, int(done * SLICE / max(spent, 1e-6))))


def _anneal(kernel: Any, sweeps: int, rounds: int, hottest: float, stop: Callable[[], bool]) -> None:
    """Prices at the root, from hot to cold."""
    temperature = hottest
    for _ in range(rounds):
        kernel.anneal(temperature, sweeps)
        temperature *= COOLING
        if stop():
            break
    kernel.keep()


def _buffer(problem: Problem, rows: int) -> Block:
    return np.empty((rows, problem.n_primary + 1), dtype=np.int32)


def _kernel(problem: Problem, scale: Scale, buffer: Block, seed: int) -> Any:
    """A kernel at the root of its search, with prices that are valid, but no good yet."""
    rows = max(1, min(scale.max_level + 1, PRICE_BYTES // (8 * max(1, problem.n_items))))
    *shape, colours, _ = problem.rows()
    dual = compiled_module("dlx.kernels.dual")  # here, so that those who never ask for the best do not load it
    return dual.Dual(*shape, scale.units, buffer, rows, scale.largest, seed, colours)


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
        climb: how many units better the next score must at least be, where units are exact.
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
        self.climb = self._step << self._bits if self.is_exact else 0
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

    def reached(self, score: int | float) -> int:
        """The units that every cover has whose score is at least this."""
        if isinstance(score, float) and math.isinf(score):
            return MAX_SCORE if score > 0 else -MAX_SCORE
        if self.exact.dtype.kind == "f" or not isinstance(score, int):
            return math.ceil(math.ldexp(score, self._bits)) - self.max_level
        return score << self._bits if self._bits >= 0 else -(-score >> -self._bits)

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
