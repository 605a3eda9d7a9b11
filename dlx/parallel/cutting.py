"""A search cut into pieces, which can be done anywhere and in any order.

Each cover is in one piece, and the pieces in a row are the search itself: the same covers in the same order, by the
same nodes. The largest place by Knuth's random paths (`dlx.estimate`) is cut first, until there are enough pieces, or
none is worth it. The cut depends on the problem and the kernel alone.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from operator import index
from typing import Any, NamedTuple

import numpy as np

from dlx.engine.compiled import random_generator
from dlx.engine.dispatch import KernelName, Preference, build
from dlx.engine.limits import Over, StoppedError, never
from dlx.kernels import ENTER, Kernel
from dlx.parallel.slices import SearchPiece, TreePlace
from dlx.problem.checks import UNLIMITED, ProblemError
from dlx.problem.problem import Problem

PIECES = 256  # the least number of pieces of a large search
WORTH = 1e9  # nodes of a piece, about a minute; if pieces have more, there are more pieces
MOST = 4096  # the largest number of pieces: to cut a hundred takes up to a tenth of a second
LEAST = 500_000  # nodes, some 50 ms: smaller places are put together, and not cut
EACH = 4  # nodes of a place for each of its branches and each entry of the problem: with fewer it is not cut
PATHS = 16  # random paths of an estimate, 0.1 to 1 ms; with 30 the pieces were hardly more alike
ROOT_PATHS = 100  # random paths of the estimate of the whole search
SEVERAL = 7  # the further cost of an estimate with multiplicities, as a multiple of a plain one
EFFORT = 5_000_000  # entries that all estimates read, 3 s; later branches of a place count as alike
HURRIED = 300_000  # entries that all estimates read if pieces are wanted soon, 0.2 s
LARGE = 1e290  # nodes; the largest estimate
STEPS = 20  # cuts for each piece that is wanted; no more are tried


class Split(NamedTuple):
    """A search in pieces, in the order of one search, and the number of nodes that were tried to find them."""

    pieces: list[SearchPiece]
    nodes: int

    def state(self) -> dict[str, Any]:
        """Returns the state for a checkpoint."""
        return {"cut": self.nodes, "pieces": [piece.state() for piece in self.pieces]}

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> Split:
        """Returns the search with this state; raises TypeError, ValueError or LookupError if there is none."""
        return cls([SearchPiece.of(piece) for piece in state["pieces"]], index(state["cut"]))


def split(
    problem: Problem,
    pieces: int | None = None,
    least: float | None = None,
    *,
    kernel: KernelName = "auto",
    prefer: Preference | None = None,
    max_nodes: int = UNLIMITED,
    hurry: bool = False,
    over: Over = never,
) -> Split:
    """Cuts a search into pieces; each cover is in one.

    Parameters:
        problem, kernel, prefer: the search.
        pieces: the number of pieces that are wanted; default: 256 to 4096, by the size of the search.
        least: nodes; smaller places are put together, and not cut; default: 500,000.
        max_nodes: the largest number of nodes that are tried to find the pieces.
        hurry: whether to take 0.2 s at most for estimates, or 3 s.
        over: whether to stop, which raises StoppedError.
    """
    least = LEAST if least is None else least
    tree = _Tree(problem, build(problem, kernel, prefer), max_nodes, HURRIED if hurry else EFFORT, over)
    leaves, wanted = tree.grow(pieces, least)
    return Split([*_together(leaves, wanted, least)], tree.nodes)


class _Leaf(NamedTuple):
    """A place in a tree that grows; of two, the larger one is the less."""

    less: float  # minus the estimate of its nodes
    key: tuple[int, ...]  # the branch on each level: the order of the search
    place: TreePlace


class _Tree:
    """The upper part of the tree of a search, which grows where it seems largest."""

    def __init__(self, problem: Problem, kernel: Kernel, most: int, effort: int, over: Over) -> None:
        self._problem, self._kernel, self._most, self._over = problem, kernel, most, over
        self._effort = effort  # entries that may still be looked at
        self.nodes = 0  # tried, and in no leaf
        self._done: list[_Leaf] = []
        self._heap: list[_Leaf] = []

    def grow(self, pieces: int | None, least: float) -> tuple[list[_Leaf], int]:
        """Cuts the largest leaf again and again; returns the leaves in their order, and the number wanted."""
        self._push((), TreePlace((), (), (ENTER,)), ROOT_PATHS)
        wanted = int(min(MOST, max(PIECES, -self._heap[0].less / WORTH))) if pieces is None else pieces
        for _ in range(STEPS * wanted):
            size = len(self._heap) + len(self._done)
            if not self._heap or size >= wanted or -self._heap[0].less < least:
                break
            if self._heap[0].key and self.nodes >= self._most:
                break
            if self._over():  # without estimates nothing else checks
                raise StoppedError
            self._cut(heapq.heappop(self._heap), EACH if least else 0)
        return sorted([*self._done, *self._heap], key=lambda leaf: leaf.key), wanted

    def _push(self, key: tuple[int, ...], place: TreePlace, paths: int, nodes: float | None = None) -> None:
        """Adds a leaf with an estimate of its nodes, by default from `paths` random paths."""
        nodes = self._estimated(place, paths) if nodes is None else nodes
        heapq.heappush(self._heap, _Leaf(-min(self._most, nodes), key, place))

    def _cut(self, leaf: _Leaf, each: int) -> None:
        """Replaces a leaf by the branches below it, unless there are too many of them."""
        kernel, place, entries = self._kernel, leaf.place, len(self._problem.indices)
        place.begin(kernel)
        covers = kernel.covers
        branches = kernel.branches()
        if (covers and not branches) or -leaf.less < each * len(branches) * entries:
            self._done.append(leaf)
            return
        if covers:  # a cover ends here and others go on below it, as with multiplicities
            self._done.append(_Leaf(-1.0, leaf.key, place._replace(is_alone=True)))
        else:
            self.nodes += bool(place.chosen)
        several = self._problem.multiplicities is not None
        self._effort -= len(branches) * entries * (1 + SEVERAL * several)
        for k, (option, mark) in enumerate(branches):
            tried = tuple(other for other, _ in branches[:k]) if several else ()
            below = TreePlace((*place.chosen, option), (*place.without, *tried), tuple(mark))
            self._push((*leaf.key, k), below, PATHS, None if self._effort > 0 else -leaf.less / len(branches))

    def _estimated(self, place: TreePlace, paths: int) -> float:
        try:
            part = place.of(self._problem)
        except ProblemError:
            return 1.0
        prober: Any = build(part, "links")
        draws = random_generator(0)
        tallies = np.zeros((paths, 2))
        for tally in tallies:
            if self._over():
                raise StoppedError
            prober.probe(draws.random(part.max_level + 1), tally)
        return float(np.minimum(tallies[:, 0], LARGE).mean())


def _together(leaves: Sequence[_Leaf], wanted: int, least: float) -> Iterator[SearchPiece]:
    """Yields the pieces of some leaves: small ones in a row are one, up to a size that is worth sending."""
    enough = max(least, -sum(leaf.less for leaf in leaves) / (4 * max(1, wanted)))
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
