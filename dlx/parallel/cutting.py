"""A search cut into pieces, which can be done anywhere and in any order.

A piece is a place in the search tree, an option of some level and all below it, or several small places in a row. So
each cover is in one piece, and the pieces in a row are the search itself: the same covers in the same order, by the
same nodes. The largest place by Knuth's random paths (`dlx.estimate`) is cut first, until there are enough pieces,
or none is worth it. The cut depends on the problem and the kernel alone.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from dlx.engine.dispatch import KernelName, Preference, build
from dlx.engine.limits import Over, StoppedError, never
from dlx.kernels import ENTER, Kernel
from dlx.parallel.slices import Piece, Place
from dlx.problem.checks import UNLIMITED, ProblemError
from dlx.problem.problem import Problem

PIECES = 256  # the number of pieces, or more where these would have more nodes each than the next number
WORTH = 1e9  # nodes of a piece, about a minute
MOST = 4096  # the largest number of pieces: to cut a hundred takes up to a tenth of a second
LEAST = 500_000  # nodes, some fifty milliseconds: smaller places are put together, and not cut
EACH = 4  # nodes of a place for each of its branches and each entry of the problem: with fewer it is not cut
PATHS = 16  # paths of an estimate, 0.1 to 1 ms; with 30 the pieces were hardly more alike
ROOT_PATHS = 100  # paths of the estimate of the whole search
SEVERAL = 7  # the further cost of an estimate with multiplicities, as a multiple of a plain one
EFFORT = 5_000_000  # entries looked at by all estimates, 3 s; later branches of a place count as alike
HURRIED = 300_000  # the same where pieces are wanted soon
LARGE = 1e290  # nodes; the largest estimate
STEPS = 20  # cuts for each piece that is wanted; no more are tried
# The pieces depend on these, and on the search.
SPLIT = [PIECES, WORTH, MOST, LEAST, EACH, PATHS, ROOT_PATHS, EFFORT, STEPS]


class Cut(NamedTuple):
    """A search in pieces, in the order of one search, and the number of nodes that were tried to find them."""

    pieces: list[Piece]
    nodes: int


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
) -> Cut:
    """Cuts a search into pieces, so many or as many as pay; each cover is in one. May raise StoppedError."""
    least = LEAST if least is None else least
    tree = _Tree(problem, build(problem, kernel, prefer), max_nodes, HURRIED if hurry else EFFORT, over)
    leaves, wanted = tree.grow(pieces, least)
    return Cut([*_together(leaves, wanted, least)], tree.nodes)


def fingerprint(problem: Problem) -> str:
    """Returns a hash of the options, items, colours and roles of a problem, but not of their names."""
    told = hashlib.sha256(f"{problem.n_primary} {problem.n_items}".encode())
    optional = problem.colours, problem.multiplicities, problem.roles, problem.implied
    for part in (problem.indptr, problem.indices, *optional):
        told.update(b"-" if part is None else str(part.shape).encode() + np.ascontiguousarray(part).tobytes())
    return told.hexdigest()[:32]


class _Leaf(NamedTuple):
    """A place in a tree that grows; of two, the larger one is the less."""

    less: float  # minus the estimate of its nodes
    key: tuple[int, ...]  # the branch on each level: the order of the search
    place: Place


class _Tree:
    """The upper part of the tree of a search, which grows where it seems largest."""

    def __init__(self, problem: Problem, kernel: Kernel, most: int, effort: int, over: Over) -> None:
        self._problem, self._kernel, self._most, self._over = problem, kernel, most, over
        self._effort = effort  # entries that may still be looked at
        self.nodes = 0  # tried, and in no leaf
        self._done: list[_Leaf] = []
        self._heap: list[_Leaf] = []

    def grow(self, pieces: int | None, least: float) -> tuple[list[_Leaf], int]:
        """Cuts the largest leaf, again and again; returns all in the order of the search, and how many were wanted."""
        self._push((), Place((), (), (ENTER,)), PATHS if self._effort == HURRIED else ROOT_PATHS)
        wanted = int(min(MOST, max(PIECES, -self._heap[0].less / WORTH))) if pieces is None else pieces
        for _ in range(STEPS * wanted):
            size = len(self._heap) + len(self._done)
            if not self._heap or size >= wanted or -self._heap[0].less < least:
                break
            if self._heap[0].key and self.nodes >= self._most:
                break
            if self._over():  # where there is a hurry, no paths look up
                raise StoppedError
            self._cut(heapq.heappop(self._heap), EACH if least else 0)
        return sorted([*self._done, *self._heap], key=lambda leaf: leaf.key), wanted

    def _push(self, key: tuple[int, ...], place: Place, paths: int, nodes: float | None = None) -> None:
        """Adds a leaf, whose nodes are estimated by so many paths if they are not given."""
        nodes = self._estimated(place, paths) if nodes is None else nodes
        heapq.heappush(self._heap, _Leaf(-min(self._most, nodes), key, place))

    def _cut(self, leaf: _Leaf, each: int) -> None:
        """Puts the branches below a leaf in its place, unless to look at them all would take too long."""
        kernel, place, entries = self._kernel, leaf.place, len(self._problem.indices)
        place.begin(kernel)
        covers = kernel.covers
        branches = kernel.branches()
        if (covers and not branches) or -leaf.less < each * len(branches) * entries:
            self._done.append(leaf)
            return
        if covers:  # as where items may be covered more often
            self._done.append(_Leaf(-1.0, leaf.key, place._replace(is_alone=True)))
        else:
            self.nodes += bool(place.chosen)
        several = self._problem.multiplicities is not None
        self._effort -= len(branches) * entries * (1 + SEVERAL * several)
        for k, (option, mark) in enumerate(branches):
            tried = tuple(other for other, _ in branches[:k]) if several else ()
            below = Place((*place.chosen, option), (*place.without, *tried), tuple(mark))
            self._push((*leaf.key, k), below, PATHS, None if self._effort > 0 else -leaf.less / len(branches))

    def _estimated(self, place: Place, paths: int) -> float:
        try:
            part = place.of(self._problem)
        except ProblemError:
            return 1.0
        prober: Any = build(part, "links")
        draws = np.random.default_rng(0)
        tallies = np.zeros((paths, 2))
        for tally in tallies:
            if self._over():
                raise StoppedError
            prober.probe(draws.random(part.max_level + 1), tally)
        return float(np.minimum(tallies[:, 0], LARGE).mean())


def _together(leaves: Sequence[_Leaf], wanted: int, least: float) -> Iterator[Piece]:
    """Yields the pieces of some leaves: small ones in a row are one, up to a size that is worth sending."""
    enough = max(least, -sum(leaf.less for leaf in leaves) / (4 * max(1, wanted)))
    row: list[Place] = []
    nodes = 0.0
    for less, _, place in leaves:
        if row and nodes - less > enough:
            yield Piece(tuple(row), nodes)
            row, nodes = [], 0.0
        row.append(place)
        nodes -= less
    if row:
        yield Piece(tuple(row), nodes)
