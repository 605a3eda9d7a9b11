"""One cover of a problem, or a proof that there is none: by two searches in turns, and proofs by counting.

No search is best for all problems. The time of a plain search is heavy-tailed: most searches end soon, some never
(C. Gomes, B. Selman, N. Crato, H. Kautz, doi:10.1023/A:1006314320276). The plain search runs alone first, which is
enough for most problems. Then it takes turns with a search that learns from its conflicts. Both get the same time, so
an answer takes at most twice as long as by the faster one. A small part of the time goes to proofs by counting. Turns
are measured in updates and nodes, not in seconds, so every run of a search is the same.
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
from dlx.search.covers import Block
from dlx.search.farkas import Farkas

if TYPE_CHECKING:
    from concurrent.futures import Executor

# Nanoseconds of an update and of a node in searches with many dead ends: the mean over 8 to 16 families, which differ
# by a factor of up to 2. (`PRICES` of dlx.counting.portfolio are the times of visiting all covers.)
COSTS = {"links": (4.0, 90.0), "bits": (0.6, 30.0), "learn": (4.0, 0.0)}
ALONE = 1.5e7  # nanoseconds of the plain search alone, some thousand dead ends
PROOF_SHARE = 0.04  # fraction of the time for proofs by counting
TURN = 1e6  # the least nanoseconds of a turn, counted in updates alone


@dataclass(frozen=True, slots=True, kw_only=True)
class First(Outcome):
    """The result of `first`, and the work of the search.

    Attributes:
        cover: the option numbers of a cover, or None. Without a cover, `exhausted` is True if there is none, and False
            if a limit or Ctrl-C came first.
        problem: the problem.
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
    """Finds one cover of a problem.

    A plain search can be lost in a subtree without covers. So after some hundredths of a second it takes turns with a
    search that restarts and learns clauses from its conflicts (`dlx/kernels/learn`), and proofs by counting are tried
    (`dlx.search.farkas`). With a kernel, preferences, an executor, jobs or multiplicities, the plain search runs alone.

    Parameters:
        problem: what to cover.
        seed: as for `covers`; it also breaks ties. The same seed gives the same cover.
        kernel, prefer, executor, jobs: as for `covers`; with an executor or jobs, the cover found first is returned.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`Limiting`).

    Returns:
        The cover, or None, and the work of the search.

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
    """Returns a search for one cover: a plain one if the caller chose a kernel or preferences, or it needs `multi`."""
    plain = build(problem, kernel, prefer, room=1)
    alone = kernel != "auto" or prefer is not None or plain.name == "multi"
    return plain if alone else TakingTurns(problem, plain, seed)


class TakingTurns:
    """A `Finder` of one cover: a plain search and a learning search in turns, and proofs by counting.

    A search that has found a cover or has ended keeps the turn.
    """

    def __init__(self, problem: Problem, plain: Finder, seed: int = 0) -> None:
        self.searches = [plain]  # the plain search, then the learning search
        self.nodes = self.updates = self.covers = self.filled = 0
        self._problem, self._seed = problem, seed
        self._running = plain
        self._farkas: Farkas | None = None
        self._is_proven = False  # by counting
        self._next_proof = ALONE
        self._turn = int(TURN / COSTS[plain.name][0])
        self._end = self._turn  # the updates of the running search at the end of its turn

    @property
    def name(self) -> str:
        return self._running.name

    def found(self) -> npt.NDArray[np.int32]:
        return self._running.found()

    def fraction(self) -> float:
        """Returns the larger fraction done of both searches; 1 after a proof by counting."""
        return 1.0 if self._is_proven else max(search.fraction() for search in self.searches)

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Continues until a search ends or finds a cover, or a budget of both together is spent."""
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
                if self._has_proof():
                    return EXHAUSTED
                self._change()
            if self.nodes >= last_node or self.updates >= last_update:
                return state

    def _has_proof(self) -> bool:
        """Returns whether there is a proof by counting; tries to find one whenever the time has doubled."""
        time = sum(map(_effort, self.searches))
        if not self._is_proven and time >= self._next_proof:
            self._next_proof = 2 * time
            self._farkas = self._farkas or Farkas(self._problem.rows())
            self._is_proven = self._farkas.search(PROOF_SHARE * time)
        return self._is_proven

    def _change(self) -> None:
        """Ends the turn; the learning search is next until it has had as much time as the plain search."""
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
    """Returns the estimated nanoseconds of a search."""
    update, node = COSTS[search.name]
    return update * search.updates + node * search.nodes
