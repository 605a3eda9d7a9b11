"""Explains why a problem has no cover: a minimal set of items that cannot be covered together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Unpack

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Limiting, Limits, Loop, Outcome
from dlx.problem.problem import Item, Problem, as_problem
from dlx.problem.roles import CHOSEN, FREE, owners, ranges
from dlx.problem.words import counted
from dlx.search.first import finder


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation(Outcome):
    """The result of `explain`, and the work of the searches.

    Attributes:
        items: primary items that cannot be covered together, in the order of the problem; None if there is a cover, or
            if a limit came before a proof.
        cover: the option numbers of a cover; None if there is none.
        problem: the problem.
    """

    items: tuple[Item, ...] | None
    cover: tuple[int, ...] | None
    problem: Problem = field(repr=False, compare=False)

    @property
    def minimal(self) -> bool:
        """Whether removing any one item makes the others coverable; False until this is proven for each item."""
        return self.items is not None and self.stopped is None


def explain(problem: Problem, **limits: Unpack[Limiting]) -> Explanation:
    """Finds a minimal set of primary items that cannot be covered together.

    All other primary items are relaxed: they need not be covered. Chosen options stay chosen, and removed options stay
    removed. Items are relaxed in chunks: twice as many after each success, half as many after each failure. So a small
    set among many items takes few searches (as in U. Junker, QuickXplain, AAAI 2004).

    Parameters:
        problem: what to cover; weights do not matter.
        limits: max_nodes and timeout (in seconds), for all searches together, and progress, as for every search
            (`Limiting`); max_covers has no effect.

    Returns:
        The items, or a cover if there is one. Other such sets may be smaller. If a limit or Ctrl-C comes first, the
        items are the fewest so far, and not `minimal`.

    Raises: as `first`.

    >>> problem = Problem.from_options({"A": "abx", "B": "cdx", "C": "efg", "D": "e", "E": "f", "F": "g"})
    >>> explain(problem).items
    ('b', 'd')
    >>> explain(problem.without([1])).items
    ('d',)
    >>> explain(Problem.from_options(["ab", "c"])).cover
    (0, 1)
    """
    search = _Explainer(as_problem(problem), Limits.of(**limits))
    with search.loop:
        search.run()
    names = problem.items
    return Explanation(
        items=None if search.core is None else tuple(names[i] for i in sorted(search.core)),
        cover=search.cover,
        problem=problem,
        **search.loop.outcome() | {"stopped": search.loop.stopped},  # the last search may have ended without a limit
    )


class _Explainer:
    """The searches for covers of relaxed problems, and the items that they have proven impossible."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        if (report := limits.progress) is not None:
            limits = replace(limits, progress=lambda seen: report(replace(seen, doing=self._left() or seen.doing)))
        self.loop = Loop(limits)
        self.cover: tuple[int, ...] | None = None
        self.core: list[int] | None = None  # primary items that cannot be covered together
        self._certain = 0  # the number of items at the front of the core that are proven to be needed
        self._problem = problem
        self._needs = _Needs(problem)

    def _left(self) -> str:
        return "" if self.core is None else f"{counted(len(self.core), 'item')} left"

    def run(self) -> None:
        """Searches for a cover; if there is none, removes items that are not needed."""
        self.cover = self._first(self._problem)
        if self.cover is not None or self.loop.stopped:
            return
        self.loop.listen()  # for Ctrl-C between short searches
        core = self.core = np.flatnonzero(self._needs.least).tolist()
        chunk = (len(core) + 1) // 2
        while self._certain < len(core) and not self.loop.over():
            end = self._certain + chunk
            some, rest = core[self._certain : end], core[: self._certain] + core[end:]
            relaxed, options = self._needs.relaxed(rest)
            cover = self._first(relaxed)
            if cover is not None:
                self.loop.rejected += 1
                chunk = self._keep(core, some, self._needs.missed(some, options[list(cover)]))
            elif not self.loop.stopped:
                core[:] = rest
                chunk *= 2
        if self._certain == len(core):
            self.loop.stopped = None  # the answer is complete

    def _keep(self, core: list[int], some: list[int], missed: list[int]) -> int:
        """Reorders the items after a cover that misses some of them; returns the number of items to relax next.

        If one item was missed, it is needed. If several items were missed, at least one is needed; they are tried last.
        """
        before, after = core[: self._certain], core[self._certain + len(some) :]
        others = [item for item in some if item not in set(missed)]
        if len(missed) > 1:
            core[:] = [*before, *others, *after, *missed]
            return len(some) // 2
        core[:] = [*before, *missed, *others, *after]
        self._certain += 1
        return len(some)

    def _first(self, problem: Problem) -> tuple[int, ...] | None:
        """Returns a cover found within the rest of the limits; None proves that there is none unless `loop.stopped`."""
        loop = self.loop
        loop.release()
        running = finder(problem)
        try:
            for _ in loop.slices(running, covers=1):
                pass
        except KeyboardInterrupt:  # Ctrl-C in `progress`; the cover is kept
            loop.stopped = "interrupt"
        if not running.filled:
            return None
        if loop.stopped != "interrupt":
            loop.stopped = None
        return tuple(o for o in running.found()[0].tolist() if o >= 0)


class _Needs:
    """The number of times that free options must still cover each item (`least`, 0 if secondary)."""

    def __init__(self, problem: Problem) -> None:
        roles = problem._roles()
        owner = owners(problem.indptr)
        least, most = ranges(problem.n_items, problem.n_primary, problem.multiplicities).T.astype(np.int64)
        taken = np.bincount(problem.indices[roles[owner] == CHOSEN], minlength=problem.n_items)
        taken[problem.n_primary :] = 0  # options that clash with these are removed
        self.least = np.maximum(least - taken, 0)
        self._most = most - taken
        self._problem = problem
        free = roles[owner] == FREE
        self._owner, self._item = owner[free], problem.indices[free]
        self._colours = None if problem.colours is None else problem.colours[free]

    def relaxed(self, needed: list[int]) -> tuple[Problem, npt.NDArray[np.int64]]:
        """Returns the problem in which only some primary items need to be covered, and the numbers of its options.

        Other items stay primary if they may be covered several times; else they become secondary.
        """
        problem = self._problem
        is_needed = np.zeros(problem.n_items, dtype=np.bool_)
        is_needed[needed] = True
        useful = np.bincount(self._owner[is_needed[self._item]], minlength=problem.n_options) > 0
        uses = np.bincount(self._item[useful[self._owner]], minlength=problem.n_items)
        tight = uses > self._most
        primary = np.flatnonzero(is_needed | tight & (self._most > 1))
        secondary = np.flatnonzero(~is_needed & tight & (self._most == 1))
        place = np.full(problem.n_items, -1)
        place[np.append(primary, secondary)] = np.arange(len(primary) + len(secondary))
        kept = np.flatnonzero(useful[self._owner] & (place[self._item] >= 0))
        options = np.flatnonzero(useful)
        sizes = np.bincount(self._owner[kept], minlength=problem.n_options)[options]
        range_left = np.stack([np.where(is_needed, self.least, 0), self._most], axis=1)[primary]
        relaxed = Problem(
            tuple(range(len(primary) + len(secondary))),
            len(primary),
            np.append(0, np.cumsum(sizes)),
            place[self._item[kept]],
            colours=None if self._colours is None else self._colours[kept],
            colour_names=problem.colour_names,
            multiplicities=None if (range_left == 1).all() else range_left.astype(np.int32),
        )
        return relaxed, options

    def missed(self, items: list[int], options: npt.NDArray[np.int64]) -> list[int]:
        """Returns the given items that options do not cover as often as needed."""
        times = np.bincount(self._item[np.isin(self._owner, options)], minlength=len(self.least))
        return [item for item in items if times[item] < self.least[item]]
