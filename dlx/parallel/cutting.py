"""Cuts a search into pieces that can run anywhere and in any order.

Each cover is in one piece. The pieces in order are the search itself: the same covers and nodes in the same order. The
whole search is estimated by Knuth's random paths (`dlx.estimate`), and the branches of a level count as equal. The
largest place is cut first, until there are enough pieces or no place is worth cutting. The cut depends on the problem
and the kernel alone.

Separate estimates of each place took 20 times as long, and on twelve of thirteen families the pieces were not more
equal.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from operator import index
from typing import Any, NamedTuple

import numpy as np

from dlx.engine.compiled import random_generator
from dlx.engine.dispatch import KernelName, Preference, build
from dlx.engine.limits import Over, check_limits, never, until
from dlx.kernels import ENTER, Kernel
from dlx.parallel.slices import SearchPiece, TreePlace
from dlx.problem.checks import UNLIMITED
from dlx.problem.problem import Problem

PIECES = 256  # the least number of pieces of a large search
WORTH = 1e9  # nodes of a piece, about a minute; larger searches have more pieces
MOST = 4096  # the largest number of pieces; cutting a hundred takes up to 0.1 s
LEAST = 500_000  # nodes, about 50 ms; smaller places are joined, and not cut
EACH = 4  # a place is cut if it has this number of nodes per branch and entry of the problem
PATHS = 100  # random paths of the estimate of the whole search
LARGE = 1e290  # the largest estimate, in nodes
STEPS = 20  # maximum cuts per requested piece


class Split(NamedTuple):
    """The pieces of a search in order, and the nodes tried to find the pieces."""

    pieces: list[SearchPiece]
    nodes: int

    def state(self) -> dict[str, Any]:
        """Returns the state for a checkpoint."""
        return {"cut": self.nodes, "pieces": [piece.state() for piece in self.pieces]}

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> Split:
        """Returns the split saved as this state; raises TypeError, ValueError or LookupError if it is invalid."""
        return cls([SearchPiece.of(piece) for piece in state["pieces"]], index(state["cut"]))


def split(
    problem: Problem,
    *,
    kernel: KernelName = "auto",
    prefer: Preference | None = None,
    max_nodes: int = UNLIMITED,
    over: Over = never,
) -> Split:
    """Cuts a search into 256 to 4096 pieces, by its size; fewer if it is small.

    Parameters:
        problem, kernel, prefer: the search.
        max_nodes: the largest number of nodes that are tried to find the pieces.
        over: returns whether to stop; then StoppedError is raised.
    """
    tree = _Tree(build(problem, kernel, prefer), len(problem.indices), max_nodes, over)
    leaves, wanted = tree.grow(min(max_nodes, _estimated(problem, over)))
    return Split([*_together(leaves, wanted)], tree.nodes)


def _estimated(problem: Problem, over: Over) -> float:
    """Returns the estimated number of nodes of the search."""
    prober: Any = build(problem, "links")
    draws = random_generator(0)
    tallies = np.zeros((PATHS, 2))
    for tally in until(over, tallies, 1):
        prober.probe(draws.random(problem.max_level + 1), tally)
    return float(np.minimum(tallies[:, 0], LARGE).mean())


class _Leaf(NamedTuple):
    """A leaf of the growing tree; leaves sort by size, the largest first."""

    less: float  # minus the estimate of its nodes
    key: tuple[int, ...]  # the branch on each level: the order of the search
    place: TreePlace


class _Tree:
    """The upper part of a search tree; the largest leaf grows first."""

    def __init__(self, kernel: Kernel, entries: int, most: int, over: Over) -> None:
        self._kernel, self._entries, self._most, self._over = kernel, entries, most, over
        self.nodes = 0  # nodes tried above all leaves
        self._done: list[_Leaf] = []
        self._heap: list[_Leaf] = []

    def grow(self, nodes: float) -> tuple[list[_Leaf], int]:
        """Cuts the largest leaf repeatedly; returns the leaves in order, and the number of pieces wanted."""
        self._heap.append(_Leaf(-nodes, (), TreePlace((), (ENTER,))))
        wanted = int(min(MOST, max(PIECES, nodes / WORTH)))
        for _ in range(STEPS * wanted):
            size = len(self._heap) + len(self._done)
            if not self._heap or size >= wanted or -self._heap[0].less < LEAST:
                break
            if self._heap[0].key and self.nodes >= self._most:
                break
            check_limits(self._over)
            self._cut(heapq.heappop(self._heap))
        return sorted([*self._done, *self._heap], key=lambda leaf: leaf.key), wanted

    def _cut(self, leaf: _Leaf) -> None:
        """Replaces a leaf by the branches below it, unless there are too many of them or a cover ends here."""
        kernel, place = self._kernel, leaf.place
        place.begin(kernel)
        branches = kernel.branches()
        if kernel.covers or -leaf.less < EACH * len(branches) * self._entries:
            self._done.append(leaf)
            return
        self.nodes += bool(place.chosen)
        for k, (option, mark) in enumerate(branches):
            below = TreePlace((*place.chosen, option), tuple(mark))
            heapq.heappush(self._heap, _Leaf(leaf.less / len(branches), (*leaf.key, k), below))


def _together(leaves: Sequence[_Leaf], wanted: int) -> Iterator[SearchPiece]:
    """Yields pieces; small leaves in a row are joined up to a size worth sending."""
    enough = max(LEAST, -sum(leaf.less for leaf in leaves) / (4 * max(1, wanted)))
    row: list[TreePlace] = []
    nodes = 0.0
    for less, _, place in leaves:
        if row and nodes - less > enough:
            yield SearchPiece(tuple(row), nodes)
            row, nodes = [], 0.0
        row.append(place)
        nodes -= less
    if row:
        yield SearchPiece(tuple(row), nodes)
