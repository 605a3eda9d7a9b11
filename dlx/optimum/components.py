"""Solves a problem component by component, and combines the best covers of the components.

The kernel `components` finds the components and the best covers of small components. A separate search solves each
other component, which is called a hard part. The best cover of the problem has the best cover of each part. The k best
covers differ from the best one in fewer than k parts, where the second best cover is only slightly worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Limits, Progress, Stop
from dlx.kernels import EXHAUSTED
from dlx.optimum.loop import BestLoop, Status
from dlx.optimum.search import BUFFER, BestSearch, Request
from dlx.optimum.units import Incumbents, Score, Units
from dlx.problem.checks import UNLIMITED
from dlx.problem.parts import part_of
from dlx.problem.roles import Rows

WIDEST = 128  # maximum primary items of a component for plain search
FIRST_NODES = 5_000  # nodes of the first search of each hard component, if there are several
PATIENCE = 1 << 12  # updates of plain search in a component; a search by prices takes many times as long to start

Numbers = npt.NDArray[np.int64]
Ranks = tuple[tuple[int, int], ...]  # pairs (list, position); lists without a pair have position 0


class PartCovers(NamedTuple):
    """Covers of parts, grouped by part, the best cover of a part first."""

    part: Numbers  # the part of each cover
    gain: Numbers  # the score of each cover, in units that make sums exact
    size: Numbers  # the number of options of each cover
    options: npt.NDArray[np.int32]  # the options of all covers, one cover after the other


class ComponentSearch:
    """A search for the best covers of a problem with several components; at its end, they are the incumbents."""

    def __init__(self, request: Request, kernel: Any) -> None:
        problem, loop = request.problem, request.loop
        self._request, self._kernel, self._loop = request, kernel, loop
        self.units = Units(problem, request.sign)
        self.incumbents = Incumbents(request.k, self.units)
        exact = self._exact = self.units.exact
        self._key = exact if exact.dtype.kind == "i" else np.append(self.units.weights, np.int64(0))  # exact sums
        kernel.prepare(problem.rows(), WIDEST, PATIENCE, BUFFER)
        mixed = exact.min() < 0 < exact.max()  # scores of parts may cancel out, so no gap
        self._gap = 0.0 if mixed else loop.gap
        self._upper_bounds = upper_bounds(problem.rows(), kernel.labels(), exact[:-1], kernel.number)
        self._best = np.zeros_like(self._upper_bounds)
        self._has_cover = np.zeros(kernel.number, dtype=np.bool_)
        self._impossible = False
        self._found: list[PartCovers] = []  # the best covers of small parts
        self._listed: dict[int, set[tuple[int, ...]]] = {}  # the known covers of each part that is not small
        self._unproven: Sequence[int] = range(kernel.number)  # the parts whose best covers are not proven yet
        if request.start is not None:
            start = np.sort(np.array(request.start, dtype=np.int32))
            parts = parts_of(problem.rows(), kernel.labels())[start]
            order = parts.argsort(kind="stable")
            ends = np.searchsorted(parts[order], np.arange(1, kernel.number))
            for part, known in enumerate(np.split(start[order], ends)):
                self._listed[part] = {tuple(known.tolist())}
                self._improve(part, exact[known].sum().item(), None)
        loop.status = self._status

    @property
    def bound(self) -> Score | None:
        """No cover scores better than this; None if there is no cover."""
        if self._impossible:
            return None
        best = self.incumbents.best if self.is_proven else None
        return self._request.sign * (self._upper_bounds.sum().item() if best is None else best)

    @property
    def is_proven(self) -> bool:
        """True if the incumbents of a finished search are proven to be the best covers."""
        is_cut = self._loop.stopped in ("interrupt", "max_covers")
        return (self._impossible or not self._unproven) and not is_cut

    def _status(self) -> Status:
        """Returns the best score and the bound so far."""
        return self._request.sign * self._best.sum().item() if self._has_cover.all() else None, self.bound

    def run(self) -> None:
        for status in self._loop.slices(self._kernel):
            self._take()
            if status == EXHAUSTED and not self._impossible:
                self._unproven = self._kernel.remaining().tolist()
                self._search_hard_parts()

    def finish(self) -> None:
        """Combines the covers of the parts into the best covers of the whole problem."""
        self._take()  # after an interrupt, covers may still be in the buffer
        known = int(self._request.start is not None)  # a known cover is kept, whatever the limit
        most = max(known, min(self.incumbents.k, self._loop.limits.max_covers))
        if most and not self._impossible and self._has_cover.all():
            self.incumbents.covers = self._merged(most)
        if self.is_proven and len(self.incumbents.covers) == most < self.incumbents.k:
            self._loop.stopped = "max_covers"
        self._loop.settle()

    def _take(self) -> None:
        """Empties the kernel's buffer of all covers of small components, and keeps the best of each component."""
        kernel, rows = self._kernel, self._kernel.found()
        if len(rows):
            part, gain = kernel.owners().astype(np.int64), self._key[rows].sum(axis=1)
            kernel.filled = 0
            first = np.flatnonzero(np.diff(part, prepend=-1))
            size = np.diff(first, append=len(part))
            if self.incumbents.k == 1:  # no sorting: for 60,000 covers it took a third of the time
                kept = np.flatnonzero(gain == np.maximum.reduceat(gain, first).repeat(size))
                kept = kept[np.diff(part[kept], prepend=-1) > 0]
            else:
                rank = np.arange(len(part)) - first.repeat(size)
                kept = np.lexsort((-gain, part))[rank < self.incumbents.k]
            part, rows = part[kept], rows[kept]
            there = rows >= 0
            self._found.append(PartCovers(part, gain[kept], there.sum(axis=1), rows[there]))
            first = np.flatnonzero(np.diff(part, prepend=-1))
            parts = part[first]
            self._best[parts] = self._upper_bounds[parts] = np.maximum.reduceat(self._exact[rows].sum(axis=1), first)
            self._has_cover[parts] = True
            if self._listed:
                self._listed = {part: self._listed[part] for part in self._listed.keys() - set(parts.tolist())}
        self._impossible = self._impossible or kernel.impossible

    def _search_hard_parts(self) -> None:
        """Searches the hard parts; if there are several, first searches each part briefly.

        So each part has a cover and a bound even if the search of another part does not end. Limits are shared evenly.
        """
        loop = self._loop
        stopped: Stop | None = None
        for nodes in (FIRST_NODES, UNLIMITED) if len(self._unproven) > 1 else (UNLIMITED,):
            waiting = self._unproven
            for done, part in enumerate(waiting):
                if self._impossible or loop.over():
                    break
                stopped = self._search(part, len(waiting) - done, nodes) or stopped
        loop.stopped = loop.stopped or stopped

    def _search(self, part: int, waiting: int, nodes: int) -> Stop | None:
        """Searches for the best covers of a part, with its share of the limits; returns why the search was stopped."""
        whole = self._request
        problem, options = part_of(whole.problem.rows(), self._kernel.labels() == part)
        problem = replace(problem, weights=self._exact[options])
        known = None if whole.start is None else np.flatnonzero(np.isin(options, whole.start)).tolist()
        resources = whole.resources.named(f"{whole.resources.name}.{part}")
        if resources.state:  # an earlier call has searched it briefly
            nodes = UNLIMITED
        with BestLoop(self._limits(part, waiting, nodes), self._gap) as loop:
            search = BestSearch(Request(problem, 1, whole.k, whole.seed, loop, known, resources))
            search.run()
        search.finish()
        self._kernel.add(loop.nodes, loop.updates)
        if loop.stopped == "interrupt":
            self._loop.stopped = "interrupt"
        if search.is_proven:
            self._unproven = [other for other in self._unproven if other != part]
        covers = (tuple(options[list(cover)].tolist()) for _, cover in search.incumbents.covers)
        self._listed.setdefault(part, set()).update(covers)
        self._impossible = search.bound is None
        self._improve(part, search.incumbents.best, search.bound)
        return None if search.is_proven else loop.stopped

    def _limits(self, part: int, waiting: int, nodes: int) -> Limits:
        """Returns the limits of the search of a part: an equal share, among the `waiting` parts, of what remains."""
        limits, loop = self._loop.limits, self._loop
        return Limits(
            max_nodes=min(nodes, max(0, limits.max_nodes - loop.nodes) // waiting),
            timeout=max(0.0, limits.timeout - loop.seconds) / waiting,
            progress=None if limits.progress is None else lambda seen: self._report(part, seen),
        )

    def _report(self, part: int, seen: Progress) -> object:
        """Reports the progress of a part as progress of the whole; returns what the caller's function returns."""
        loop = self._loop
        self._improve(part, seen.score, seen.bound)
        score, bound = self._status()
        fraction = 1 - (len(self._unproven) - seen.fraction) / len(self._upper_bounds)
        whole = replace(seen, nodes=loop.nodes + seen.nodes, covers=0, seconds=loop.seconds, fraction=fraction)
        assert loop.limits.progress is not None
        return loop.limits.progress(replace(whole, score=score, bound=bound))

    def _improve(self, part: int, score: Score | None, bound: Score | None) -> None:
        """Stores the covers and the bound of a part if they are better than before."""
        if score is not None and not (self._has_cover[part] and self._best[part] >= score):
            self._best[part], self._has_cover[part] = score, True
        if bound is not None:
            self._upper_bounds[part] = min(self._upper_bounds[part], bound)

    def _merged(self, most: int) -> list[tuple[Score, tuple[int, ...]]]:
        """Returns up to k best covers of the whole problem; each part must have a cover."""
        part, gain, size, options = self._all_found()
        first = np.flatnonzero(np.diff(part, prepend=-1))
        end, begin = np.append(first[1:], len(part)), np.append(0, np.cumsum(size))
        several = np.flatnonzero(end - first > 1)
        loses = gain[first[several]] - gain[first[several] + 1]
        several = several[np.argsort(loses, kind="stable")[: most - 1]]
        losses = [(gain[first[p]] - gain[first[p] : end[p]]).tolist() for p in several]
        always = np.zeros(len(part), dtype=np.bool_)
        always[np.delete(first, several)] = True
        fixed = options[np.repeat(always, size)]
        covers = []
        for ranks in least_sums(losses, most):
            rows = first[several]
            for p, place in ranks:
                rows[p] += place
            chosen = np.sort(np.concatenate([fixed, *(options[begin[row] : begin[row + 1]] for row in rows)]))
            covers.append((self.units.total(chosen), tuple(chosen.tolist())))
        return sorted(covers, key=lambda cover: (-cover[0], cover[1]))

    def _all_found(self) -> PartCovers:
        """Returns the covers of all parts, grouped by part, the best cover of a part first."""
        found = self._found.copy()
        for part, several in self._listed.items():
            gains = {cover: int(self._key[list(cover)].sum()) for cover in several}
            covers = sorted(gains, key=lambda cover: (-gains[cover], cover))
            gain, size = np.array([(gains[cover], len(cover)) for cover in covers], dtype=np.int64).T
            options = np.array([o for cover in covers for o in cover], dtype=np.int32)
            found.append(PartCovers(np.full(len(covers), part), gain, size, options))
        return PartCovers(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))


def upper_bounds(rows: Rows, labels: npt.NDArray[np.int32], weights: npt.NDArray[Any], number: int) -> npt.NDArray[Any]:
    """Returns an upper bound on the score of each part, without a search.

    If items are covered once, a cover has at most one option for each item; otherwise, a cover has each option at most
    once.
    """
    part = parts_of(rows, labels)
    gains, part = np.maximum(weights, 0)[part >= 0], part[part >= 0]
    bounds = np.zeros(number, dtype=weights.dtype)
    if rows.multiplicities is not None:
        np.add.at(bounds, part, gains)
        return bounds
    np.maximum.at(bounds, part, gains)
    return bounds * np.bincount(labels[: rows.n_primary], minlength=number)


def parts_of(rows: Rows, labels: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Returns the component of each option, or -1 for an option without a primary item."""
    primary = rows.indices < rows.n_primary
    parts = np.full(rows.n_options, -1, dtype=np.int32)
    parts[rows.owner[primary]] = labels[rows.indices[primary]]
    return parts


def least_sums(lists: Sequence[Sequence[int]], k: int) -> list[Ranks]:
    """Returns the k least sums of one number from each list, in ascending order; all of them if there are fewer.

    Sums are ranked by splitting the remaining solutions (E. Lawler, doi:10.1287/mnsc.18.7.401); a heap has the
    candidates. Each sum except the least follows from one smaller sum, so it is made exactly once. From the last list
    with a pair, a sum leads to the next number of this list; to the second number of the next list as well; and, if it
    has a second number, to the second number of the next list instead.
    """
    found: list[Ranks] = [()]
    heap: list[tuple[int, Ranks]] = [(lists[0][1] - lists[0][0], ((0, 1),))] if lists else []
    while heap and len(found) < k:
        more, ranks = heappop(heap)
        found.append(ranks)
        before, (last, place) = ranks[:-1], ranks[-1]
        numbers = lists[last]
        if place + 1 < len(numbers):
            heappush(heap, (more + numbers[place + 1] - numbers[place], (*before, (last, place + 1))))
        if last + 1 < len(lists):
            second = lists[last + 1][1] - lists[last + 1][0]
            heappush(heap, (more + second, (*ranks, (last + 1, 1))))
            if place == 1:
                heappush(heap, (more + second - (numbers[1] - numbers[0]), (*before, (last + 1, 1))))
    return found
