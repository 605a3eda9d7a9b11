"""Points found from the options: families with other names, what is left of them, problems without any."""

from __future__ import annotations

import time
import tracemalloc
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from dlx_command import Feed
from families import grids, latin, steiner
from seeds import few, for_seeds, nightly
from symmetric import factorizations, renamed
from waiting import WAIT

from dlx import Problem, ProblemError, count, covers, folded
from dlx.counting.isomorphism import Remains
from dlx.symmetry import points as module
from dlx.symmetry.points import PointForm, found

pytest.importorskip("pynauty")


def n_points(problem: Problem) -> int:
    """The number of points that tell remaining problems apart; none if they are not used."""
    form = Remains(problem, None).form
    return form.n if isinstance(form, PointForm) else 0


def options_of(rows: Any) -> list[list[int]]:
    """The items of each option that has any, by their numbers."""
    return [some.tolist() for some in np.split(rows.indices, rows.indptr[1:-1]) if len(some)]


def shuffled(problem: Problem, *seeds: int) -> Problem:
    """The problem with other names."""
    return renamed(np.random.default_rng([46, *seeds]), problem)


@pytest.mark.slow
@pytest.mark.parametrize("problem", few([grids(2, 5), grids(3, 3), latin(12), steiner(21), factorizations(14)]))
def test_large_families(problem: Problem) -> None:
    """There are as many points as the names tell."""
    assert n_points(shuffled(problem)) == n_points(problem) > 0


def test_each_point_has_its_items() -> None:
    """In a Latin square two items have a point in common just if their names have."""
    problem = latin(5)
    kinds = {"cell": "rc", "row": "rs", "column": "cs"}
    items: list[Any] = list(problem.items)
    named = [{*zip(kinds[kind], where, strict=True)} for kind, *where in items]
    points = next(found(options_of(problem), len(problem.items)))
    for i, j in combinations(range(len(named)), 2):
        assert len(named[i] & named[j]) == len({*points[i]} & {*points[j]})


@for_seeds(20, block=8)
def test_what_has_been_begun(seed: int) -> None:
    """With options chosen, points are those of the whole problem; covers are as many as plain counting finds."""
    rng = np.random.default_rng([seed, 47])
    problem = renamed(rng, latin(6))
    cover = next(iter(covers(problem, seed=seed)))
    begun = problem.with_chosen(rng.permutation(cover)[: int(rng.integers(14, 18))].tolist())
    assert Remains(begun, None).doubt == ""
    assert count(begun, merge="isomorphic").covers == count(begun, merge="never").covers


@for_seeds(12, block=8)
def test_squares_given_in_part(seed: int) -> None:
    """Points are found where nothing is said about the cells that are filled."""
    rng = np.random.default_rng([seed, 48])
    problem = latin(7)
    cover = next(iter(covers(problem, seed=seed)))
    left = options_of(problem.with_chosen(rng.permutation(cover)[:7].tolist()).rows())
    assert n_points(shuffled(Problem.from_options(left), seed)) == 21


@for_seeds(100, block=20)
def test_options_left_out(seed: int) -> None:
    """Without some options points would tell too little: then they are not used, and the number of covers is right."""
    rng = np.random.default_rng([seed, 49])
    problem = renamed(rng, [latin(4), steiner(7), factorizations(4)][seed % 3])
    fewer = problem.without(rng.permutation(problem.n_options)[: int(rng.integers(1, 4))].tolist())
    remains = Remains(fewer, None)
    if seed % 3 == 0 and not remains.left.forced:
        assert remains.doubt.endswith("and no points that are found from the options are sound")
    assert count(fewer, merge="isomorphic").covers == count(fewer, merge="never").covers


@pytest.mark.parametrize(
    "options",
    [[], [[]], [[0]], [[0], [1], [0, 1]], [[0, 1], [1, 2], [2, 3], [3, 0]], [[0, 1, 2], [3]]],
    ids=["none", "empty", "one", "two", "ring", "apart"],
)
def test_corners(options: list[list[int]]) -> None:
    """Problems that are hardly any have no points, or some, and no errors."""
    for points in found(options, 5):
        assert len(points) == 5
    problem = Problem.from_options([[f"i{k}" for k in some] for some in options if some])
    assert count(problem, merge="isomorphic").covers == count(problem, merge="never").covers


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points that are too large or take too many steps are an error, and the problem is counted without them."""
    problem = shuffled(latin(4))
    options = options_of(problem)
    with pytest.raises(ProblemError, match="there are 2001 items, and points are found among 2000 at most"):
        next(found(options, 2001))
    monkeypatch.setattr(module, "STEPS", 500)
    with pytest.raises(ProblemError, match="after 500 steps no points have been found"):
        next(found(options, 48))
    assert n_points(problem) == 0
    assert count(problem, merge="isomorphic").covers == 576


@pytest.mark.slow
@pytest.mark.parametrize(
    ("items", "options", "length"), [(200, 20000, 20), *nightly((1500, 10000, 8), (1000, 5000, 40))]
)
def test_no_points_in_time(items: int, options: int, length: int) -> None:
    """In large problems that are about no points the search ends."""
    rng = np.random.default_rng([51, items])
    some = [rng.choice(items, size=length, replace=False).tolist() for _ in range(options)]
    begin = time.process_time()
    try:
        for points in found(some, items):
            assert len({p for of in points for p in of}) < 5
    except ProblemError:
        pass
    assert time.process_time() - begin < WAIT


@pytest.mark.slow
def test_columns_in_any_order() -> None:
    """Names that sort columns of different boxes next to each other do not make a count of grids long."""
    other = [0, 5, 3, 6, 1, 4, 7, 2]
    problem = grids(2, 4)

    def named(item: Any) -> tuple[str, int, int]:
        kind, a, b = item
        return (kind, a, other[b]) if kind == "cell" else (kind, other[a], b) if kind == "column" else (kind, a, b)

    options = [[named(item) for item in problem.option(o)] for o in range(problem.n_options)]
    result = count(Problem.from_options(options), merge="isomorphic", max_nodes=50_000)
    assert result.covers == 29136487207403520


def test_wide_options_take_little_memory() -> None:
    """Pairs of items are counted some options at a time: all of them would take 80 MB."""
    tracemalloc.start()
    try:
        next(found([range(start, start + 150) for start in range(150)] * 3, 300), None)
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()


def test_any_square() -> None:
    """A folded diagram follows its paths by points that are found: places and squares belong together."""
    squares = folded(shuffled(latin(5)))
    assert squares.covers == 161280
    assert [squares.index(squares[k]) for k in (0, 77_777, -1)] == [0, 77_777, 161279]
    assert len({tuple(sorted(squares[k])) for k in range(0, 161280, 1000)}) == 162


def test_command(feed_dlx: Feed) -> None:
    """A file has texts for items: `dlx count --merge isomorphic` finds their points."""
    problem = shuffled(latin(6))
    names = [str(item).replace(" ", "") for item in problem.items]
    options = [" ".join(names[i] for i in some) for some in options_of(problem)]
    status, out, err = feed_dlx("\n".join([" ".join(names), *options]), "count", "--merge", "isomorphic")
    assert (status, out, err) == (0, "812851200\n", "")
