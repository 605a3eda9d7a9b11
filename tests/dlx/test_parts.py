"""Cutting of searches: the pieces in a row are the search itself, for any cut, and are the same in every run."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from executors import AtOnce, InAnyOrder, cut_into
from families import build
from oracle import KINDS, as_sets, derived, partitioned, rows
from seeds import for_seeds

from dlx import Problem, covers
from dlx.engine.dispatch import KernelName, Preference
from dlx.engine.dispatch import build as kernel_of
from dlx.engine.limits import Limits, Loop, StoppedError
from dlx.kernels import Kernel
from dlx.parallel.crew import Workers
from dlx.parallel.cutting import Split, split
from dlx.parallel.pieces import Pieces
from dlx.parallel.slices import Search, SearchPiece, TreePlace
from dlx.problem.checks import UNLIMITED


class Asked(NamedTuple):
    """A search as a caller asks for it."""

    problem: Problem
    kernel: KernelName = "auto"
    prefer: Preference | None = None

    def cut(self, pieces: int) -> Split:
        """The search in about `pieces` pieces, however small."""
        return cut_into(pieces, self.problem, kernel=self.kernel, prefer=self.prefer)

    def alone(self, room: int = 0) -> Kernel:
        return kernel_of(self.problem, self.kernel, self.prefer, room)

    def pieces(self, cut: Split, workers: Workers | None = None, rows: int = 0, ordered: bool = False) -> Pieces:
        """The run of its pieces, in the shortest slices."""
        cut = Split([replace(piece, seconds=0.0) for piece in cut.pieces], cut.nodes)
        return Pieces(Search.of(*self, rows), cut, workers or Workers(AtOnce(), 1), ordered=ordered)


def asked(rng: np.random.Generator, seed: int) -> Asked:
    """A random search: the kinds of problems take turns, by any kernel that can do them, some with preferences."""
    problem = derived(rng, KINDS[seed % 4])
    kernels: list[KernelName] = ["auto", "links", "bits"]
    kernel = kernels[int(rng.integers(3))]
    if kernel == "bits" or problem.multiplicities is not None or rng.random() < 0.5:
        return Asked(problem, kernel)
    primary = problem.items[: problem.n_primary]
    return Asked(problem, kernel, {item: int(rng.integers(-2, 3)) for item in primary if rng.random() < 0.5})


def optional(problem: Problem) -> Problem:
    """The problem with multiplicities of 0 to 2 for all items, so that a cover ends at every node."""
    return replace(problem, multiplicities=np.tile([0, 2], (problem.n_primary, 1)).astype(np.int32))


def check(run: Pieces) -> None:
    """Checks between two runs that each open piece is there once."""
    crew = run._crew
    there = [*crew.todo, *(k for k, _ in crew.flight.values())]
    open_ = {k for k, piece in enumerate(run.pieces) if not piece.is_done}
    assert {*there, *run._blocks} == {*open_, *run._blocks}, "a piece is lost"
    assert len(there) == len(set(there)), "a piece is there twice"


def found(run: Pieces) -> Iterator[tuple[int, ...]]:
    """Yields the covers of a search in pieces; checks it between any two runs, and closes it."""
    with closing(run), Loop(Limits()) as loop:
        for _ in loop.slices(run):
            check(run)
            yield from rows(run.found())
            run.filled = 0


ROOKS = build("rooks", 8)  # 40320 covers, in fewer than `cutting.LEAST` nodes


def places(cut: Split) -> list[TreePlace]:
    return [place for piece in cut.pieces for place in piece.places]


def executor(seed: int) -> Executor:
    return AtOnce() if seed % 2 else InAnyOrder(seed)


def visited(search: Asked) -> tuple[list[tuple[int, ...]], int]:
    """The covers of one search in their order, and its nodes."""
    kernel = search.alone()
    kernel.run(UNLIMITED, UNLIMITED, UNLIMITED)
    return list(covers(search.problem, kernel=search.kernel, prefer=search.prefer)), kernel.nodes


# The whole


@pytest.mark.usefixtures("short_slices")
@for_seeds(2000, block=60)
def test_pieces_are_one_search(seed: int) -> None:
    """Pieces done in any order have the covers and the nodes of one search, and its order; or are only counted."""
    rng = np.random.default_rng([seed, 42])
    search = asked(rng, seed)
    alone, nodes = visited(search)
    cut = search.cut(int(rng.integers(1, 20)))
    with executor(seed) as pool:
        for rows, ordered in ((0, False), (int(rng.integers(1, 4)), False), (int(rng.integers(1, 4)), True)):
            run = search.pieces(cut, Workers(pool, int(rng.integers(1, 4))), rows, ordered)
            some = list(found(run))
            assert (run.covers, run.fraction()) == (len(alone), 1.0)
            assert as_sets(some) == (as_sets(alone) if rows else [])
            if search.problem.multiplicities is None:  # where the order does not depend on marks
                assert run.nodes == nodes
                assert some == alone or not ordered


# The cut


@for_seeds(300, block=50)
def test_cuts_are_the_same_in_every_run(seed: int) -> None:
    """They depend on the search alone."""
    rng = np.random.default_rng([seed, 44])
    search = asked(rng, seed)
    assert search.cut(12) == search.cut(12)


def test_small_searches_are_one_piece() -> None:
    """A search of some milliseconds is not cut, unless that is asked for; then there are as many pieces as wanted."""
    assert len(places(split(ROOKS))) == 1
    assert split(ROOKS).nodes == 0
    assert 60 <= len(cut_into(60, ROOKS).pieces) <= 60 + 8
    assert len(places(split(build("rooks", 9)))) == 9  # 986,409 nodes


def test_no_piece_is_larger_than_it_must_be() -> None:
    """The largest place is cut first, until no place is as large as what is worth cutting."""
    cut = cut_into(10_000, build("rooks", 9), 20_000)  # places have 109,601, then 13,700 nodes
    assert {len(place.chosen) for place in places(cut)} == {2}
    assert max(piece.estimate for piece in cut.pieces) <= 20_000


@for_seeds(200)
def test_any_places_in_a_row_can_be_a_piece(seed: int) -> None:
    """A slice can end at any place of a piece, and the pieces are the search all the same."""
    rng = np.random.default_rng([seed, 45])
    search = asked(rng, seed)
    alone, nodes = visited(search)
    cut = search.cut(20)
    row = places(cut)
    ends = sorted({0, *rng.integers(0, len(row) + 1, int(rng.integers(0, 5))).tolist(), len(row)})
    pieces = [SearchPiece(tuple(row[i:j]), 1.0) for i, j in pairwise(ends)]
    run = search.pieces(Split(pieces, cut.nodes), rows=int(rng.integers(1, 4)), ordered=True)
    some = list(found(run))
    assert as_sets(some) == as_sets(alone)
    assert search.problem.multiplicities is not None or (some, run.nodes) == (alone, nodes)


@pytest.mark.parametrize("most", [0, 1, 7])
def test_cutting_keeps_to_a_limit_of_nodes(most: int) -> None:
    """Options tried to cut a search are nodes of it; the first level is there without any."""
    cut = cut_into(60, ROOKS, max_nodes=most)
    assert cut.nodes == most
    assert len(places(cut)) >= 8


def test_cutting_can_be_stopped() -> None:
    """It asks before each place whether to go on."""
    asked: list[bool] = []

    def over() -> bool:
        asked.append(len(asked) == 20)
        return asked[-1]

    with pytest.raises(StoppedError):
        cut_into(60, ROOKS, over=over)
    assert len(asked) == 21


@for_seeds(400, block=50)
def test_inner_nodes_that_are_covers(seed: int) -> None:
    """A cover ends at every node where nothing must be covered; such a place is not cut, and no cover is lost."""
    rng = np.random.default_rng([seed, 46])
    problem = partitioned(rng)
    some = optional(problem.without(rng.permutation(problem.n_options)[6:]))
    run = Asked(some).pieces(Asked(some).cut(20), rows=int(rng.integers(1, 4)), ordered=bool(seed % 2))
    assert as_sets(found(run)) == as_sets(covers(some))
