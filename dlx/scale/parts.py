"""A search cut into pieces, which can be done anywhere and in any order.

It is cut as Algorithm X would branch: an item with the fewest options is covered by each of these in turn, so that each
cover is in one piece. The piece that seems largest is cut first, by Knuth's random paths (`dlx.estimation`), until
there are enough, or none is worth it. So the pieces depend on the problem alone, never on who works on them.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.checks import UNLIMITED
from dlx.engine import build
from dlx.problem import Problem
from dlx.roles import CHOSEN, FREE
from dlx.scale.errors import StoppedError

PIECES = 256  # how many are wanted
LEAST = 200_000  # nodes, some ten milliseconds: a smaller piece is not cut
PATHS = 30  # by which a piece is estimated: 0.1 to 0.5 ms
STEPS = 20  # cuts for each piece that is wanted, after which there are enough


class Piece(NamedTuple):
    """A part of a search: the covers that have some options, and none of some others.

    Attributes:
        chosen: the options that they have, besides those that the problem has chosen.
        without: options that they have not; there are some only where items are covered several times.
        nodes: how many nodes the search for them seems to have.
    """

    chosen: tuple[int, ...]
    without: tuple[int, ...]
    nodes: float

    def of(self, problem: Problem) -> Problem:
        """The problem whose covers these are."""
        return problem.without(self.without).with_chosen(self.chosen)


def split(
    problem: Problem, pieces: int = PIECES, least: float = LEAST, over: Callable[[], bool] = lambda: False
) -> list[Piece]:
    """Cuts a search into pieces, of which each cover is in one.

    Parameters:
        problem: what to cover.
        pieces: how many are wanted; the last cut may make some more.
        least: nodes; what seems to have fewer is not cut.
        over: whether to stop; it is asked once for each piece, which takes 0.3 ms, or 20 ms for 45,000 options.

    Returns:
        The pieces, those that seem largest first; none where it is seen that there are no covers.

    Raises:
        StoppedError: it was to stop.

    >>> from dlx import count
    >>> rooks = Problem.from_options([(f"row {r}", f"column {c}") for r in range(8) for c in range(8)])
    >>> parts = split(rooks, pieces=50, least=100)
    >>> len(parts), parts[0].chosen, sum(count(part.of(rooks)).covers for part in parts)
    (50, (7,), 40320)
    """
    heap = [(0.0, 0, Piece((), (), float(UNLIMITED)))]  # whatever it is, it is cut
    leaves: list[Piece] = []
    made = 0
    for _ in range(STEPS * pieces):
        if not heap or len(heap) + len(leaves) >= pieces or heap[0][2].nodes < least:
            break
        piece = heapq.heappop(heap)[2]
        for part in _cut(problem, piece):
            if over():
                raise StoppedError
            if part == piece:  # nothing is left to choose
                leaves.append(part)
            else:
                made += 1
                heapq.heappush(heap, (-part.nodes, made, part))
    return sorted([*(part for *_, part in heap), *leaves], key=lambda part: -part.nodes)


def fingerprint(problem: Problem) -> str:
    """What tells a problem from others: a hash of its options, items, colours and roles, but not of their names.

    >>> fingerprint(Problem.from_options(["ab", "c"])) == fingerprint(Problem.from_options([(1, 2), (3,)]))
    True
    """
    told = hashlib.sha256(f"{problem.n_primary} {problem.n_items}".encode())
    optional = problem.colours, problem.multiplicities, problem.roles, problem.implied
    for part in (problem.indptr, problem.indices, *optional):
        told.update(b"-" if part is None else str(part.shape).encode() + np.ascontiguousarray(part).tobytes())
    return told.hexdigest()[:32]


def _cut(problem: Problem, piece: Piece) -> Iterator[Piece]:
    """The parts of a piece; itself if nothing is left to choose, and none if it is seen to have no covers."""
    item = _branch(piece.of(problem))
    if item is None:
        return
    if not len(item.options):
        yield piece
        return
    several = problem.multiplicities is not None
    last = len(item.options) - max(0, item.need) + 1  # behind it too few are left
    for k, option in enumerate(item.options[:last].tolist()):
        before = tuple(item.options[:k].tolist()) if several else ()
        yield _estimated(problem, (*piece.chosen, option), (*piece.without, *before))
    if several and item.need <= 0:
        yield _estimated(problem, piece.chosen, (*piece.without, *item.options.tolist()))


class _Item(NamedTuple):
    need: int  # how many options it lacks
    options: npt.NDArray[np.int64]  # from which they come


def _branch(problem: Problem) -> _Item | None:
    """The item that is easiest to cover; without options where nothing is left to choose; None at a dead end."""
    rows = problem.rows()
    roles = np.full(problem.n_options, FREE, dtype=np.int8) if problem.roles is None else problem.roles
    owner = np.repeat(np.arange(problem.n_options), np.diff(rows.indptr))
    role = roles[owner]
    size = np.bincount(rows.indices[role == FREE], minlength=rows.n_items)[: rows.n_primary]
    times = np.bincount(rows.indices[role == CHOSEN], minlength=rows.n_items)[: rows.n_primary]
    low, high = (1, 1) if rows.multiplicities is None else rows.multiplicities.T
    need = low - times
    if (size < need).any():
        return None
    there = np.flatnonzero((high > times) & (size > 0))
    if not len(there):
        return _Item(0, np.empty(0, dtype=np.int64))
    best = there[np.argmin((size - need)[there])]
    return _Item(int(need[best]), owner[(rows.indices == best) & (role == FREE)])


def _estimated(problem: Problem, chosen: tuple[int, ...], without: tuple[int, ...]) -> Piece:
    piece = Piece(chosen, without, 0.0)
    part = piece.of(problem)
    prober = build(part, "links")
    draws = np.random.default_rng(0)
    tallies = np.zeros((PATHS, 2))
    for tally in tallies:
        prober.probe(draws.random(part.max_level + 1), tally)  # type: ignore[attr-defined]
    return piece._replace(nodes=float(tallies[:, 0].mean()))
