"""One cover, if there is any: by two searches that take turns, with proofs by counting.

No search is best for all problems. The time of a plain search is heavy-tailed: most searches end soon, some never
(C. Gomes, B. Selman, N. Crato, H. Kautz, doi:10.1023/A:1006314320276). The plain search runs alone first, which is
enough for most problems. After that it takes turns with a search that learns from its conflicts. Both get the same
time, so an answer takes at most twice as long as by the faster of the two. A small part of the time goes to proofs by
counting. Turns are measured in updates and nodes, not in seconds, so every run of a search is the same.
"""

from __future__ import annotations

from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Unpack

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import KernelName, Preference, build, new_kernel, shuffle
from dlx.engine.limits import Limiting, Limits, Loop, Outcome, StoppedError
from dlx.kernels import BUDGET_SPENT, EXHAUSTED, Finder
from dlx.parallel.workforce import Workforce, in_pieces
from dlx.problem.checks import whole_number
from dlx.problem.problem import Problem
from dlx.problem.roles import Rows
from dlx.search.covers import Block

if TYPE_CHECKING:
    from concurrent.futures import Executor

# Nanoseconds for an update and for a node, on eight to sixteen families; for one family they may be wrong by a half.
COSTS = {"links": (4.0, 90.0), "bits": (0.6, 30.0), "learn": (4.0, 0.0)}
ALONE = 1.5e7  # nanoseconds for which the plain search is alone: some thousand dead ends
LOOK = 0.04  # the part of all the time for which a proof by counting is looked for
TURN = 1e6  # about how long its turns are at least; they are in updates only, and nodes come on top of that

ROUND, ENTRY = 6e4, 12.0  # nanoseconds that a round of scaling takes, and for each entry of the problem
ROUNDS = 4096  # after so many it gives up; boards of 20 x 20 without two corners take 512
UNITS = (1, 2, 3, 4, 6, 12)  # what the largest number is tried as
STEEPEST = 50.0  # no option's share is above e to this


@dataclass(frozen=True, slots=True, kw_only=True)
class First(Outcome):
    """The result of `first`: `cover`, the option numbers, and how the search went; and the `problem`.

    Without a cover, `exhausted` tells "there is none" from "none was found within the limits".
    """

    cover: tuple[int, ...] | None
    problem: Problem = field(repr=False, compare=False)


def first(
    problem: Problem,
    *,
    seed: int | None = None,
    kernel: KernelName = "auto",
    prefer: Preference | None = None,
    executor: Executor | None = None,
    jobs: int | None = None,
    **limits: Unpack[Limiting],
) -> First:
    """Finds one cover of a problem, if it has any.

    A plain search may get lost in what looked good at first. So after some hundredths of a second another one takes
    turns with it, which restarts, and learns clauses from its conflicts (`Learn`); and proofs by counting
    are tried (`Farkas`). With a kernel, preferences, an executor, jobs or multiplicities the plain one is alone.

    Parameters:
        problem: what to cover.
        seed: as for `covers`; ties are broken by it, too. The same seed gives the same cover.
        kernel, prefer, executor, jobs: as for `covers`; with an executor or jobs the cover is the one that any of them
            finds first.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`Limiting`).

    Returns:
        The options of the cover as `cover`, or None there, and how the search went: `exhausted` is then true if
        there is no cover, and false if the limits, or Ctrl-C, came first.

    Raises:
        Exception: as `covers`.

    >>> first(Problem.from_options(["ab", "c"])).cover
    (0, 1)
    >>> nothing = first(Problem.from_options(["ab", "bc"]))
    >>> nothing.cover, nothing.exhausted
    (None, True)
    """
    old: Block | None = None
    running: Finder | None = None
    workforce, searched = Workforce.of(executor, jobs), problem
    with Loop(Limits.of(**limits)) as loop:
        if seed is not None:
            searched, old = shuffle(problem, whole_number(seed, "seed"))
        with suppress(StoppedError), ExitStack() as stack:
            if workforce is None:
                running = finder(searched, kernel, prefer, seed or 0)
            else:
                loop.listen()
                one = replace(loop.limits, max_covers=1)
                pieces = in_pieces(searched, workforce, kernel, prefer, one, 1, over=loop.over)
                running = stack.enter_context(closing(pieces))
            for _ in loop.slices(running, covers=1):
                pass
    cover = None
    if running is not None and running.filled:
        row = running.found()[0] if old is None else old[running.found()[0]]
        cover = tuple(o for o in row.tolist() if o >= 0)
        loop.complete()
    return First(cover=cover, problem=problem, **loop.outcome())


def finder(problem: Problem, kernel: KernelName = "auto", prefer: Preference | None = None, seed: int = 0) -> Finder:
    """Makes the search for one cover in one piece: a plain one where the caller has chosen how, or it takes `multi`."""
    plain = build(problem, kernel, prefer, room=1)
    alone = kernel != "auto" or prefer is not None or plain.name == "multi"
    return plain if alone else TakingTurns(problem, plain, seed)


class TakingTurns:
    """A `Finder` of one cover: a plain search, one that learns, and one for a proof by counting, made when needed.

    What has the turn keeps it once it has found a cover, or has ended.
    """

    def __init__(self, problem: Problem, plain: Finder, seed: int = 0) -> None:
        self.searches = [plain]  # the plain one, and the one that learns
        self.nodes = self.updates = self.covers = self.filled = 0
        self._problem, self._seed = problem, seed
        self._running = plain
        self._shortage: Farkas | None = None
        self._proven = False  # by counting
        self._next_look = ALONE
        self._turn = int(TURN / COSTS[plain.name][0])
        self._end = self._turn  # the updates of the running search at which its turn is over

    @property
    def name(self) -> str:
        return self._running.name

    def found(self) -> npt.NDArray[np.int32]:
        return self._running.found()

    def fraction(self) -> float:
        """The part of the tree of the plain search behind it; 1 if the other one has ended."""
        return 1.0 if self._proven else max(search.fraction() for search in self.searches)

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Goes on until either ends or finds a cover, or a budget of both together is spent."""
        last_node, last_update = self.nodes + nodes, self.updates + updates
        while True:
            running = self._running
            left = min(last_update - self.updates, self._end - running.updates)
            state = running.run(last_node - self.nodes, left, covers)
            self.filled = running.filled
            for counter in ("nodes", "updates", "covers"):
                setattr(self, counter, sum(getattr(search, counter) for search in self.searches))
            if state != BUDGET_SPENT:
                return state
            if running.updates >= self._end:
                if self._is_short():
                    return EXHAUSTED
                self._change()
            if self.nodes >= last_node or self.updates >= last_update:
                return state

    def _is_short(self) -> bool:
        """Tells whether a proof by counting has been found, which is looked for whenever the time has doubled."""
        time = sum(map(_effort, self.searches))
        if not self._proven and time >= self._next_look:
            self._next_look = 2 * time
            self._shortage = self._shortage or Farkas(self._problem.rows())
            self._proven = self._shortage.look(LOOK * time)
        return self._proven

    def _change(self) -> None:
        """Gives the other one the turn, until both have had the same time, if it has not had that already."""
        plain = self.searches[0]
        debt = _effort(plain) - sum(map(_effort, self.searches[1:]))
        if self._running is plain and debt > 0 and _effort(plain) >= ALONE:
            if len(self.searches) == 1:
                buffer = np.empty((1, self._problem.max_level), dtype=np.int32)
                self.searches.append(new_kernel("learn", self._problem.rows(), buffer, self._seed))
            self._running = self.searches[1]
            self._end = self._running.updates + 1 + int(debt / COSTS[self._running.name][0])
        else:
            self._running = plain
            self._end = plain.updates + self._turn


def _effort(search: Finder) -> float:
    """About how many nanoseconds a search has taken."""
    update, node = COSTS[search.name]
    return update * search.updates + node * search.nodes


class Farkas:
    """A search for a proof by counting: more pigeons than holes, more black cells than white ones.

    Give each item a whole number, none above 0 to a secondary item, and 0 to one with colours, such that no option's
    numbers sum to more than 0. Then those of a cover's options sum to at most 0, and to at least the sum over all
    items: if that is above 0, there is no cover (a lemma of J. Farkas, 1902). Such numbers are looked for by
    generalized iterative scaling (J. Darroch, D. Ratcliff, doi:10.1214/aoms/1177692379), which makes options share out
    each item. Where they cannot, prices of items drift apart for ever: the drift, rounded, is tried as the numbers, and
    these are exact. It goes on for as long as it is asked to, without multiplicities.

    >>> birds = Problem.from_options([(p, h) for p in "abc" for h in "xy"], secondary="xy")
    >>> shortage = Farkas(birds.rows())
    >>> shortage.look(1e9), shortage.numbers.tolist()
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

    def look(self, nanoseconds: float) -> bool:
        """Goes on for about so long, measured in entries, not by a clock; tells whether it is proven."""
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
        """Makes items that are covered too often dearer, and others cheaper."""
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
