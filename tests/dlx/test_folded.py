"""Folded diagrams against enumeration: the same covers, each in one place, drawn with the same chance."""

from __future__ import annotations

import io
import pickle
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from families import build, grids, latin, steiner
from oracle import as_sets, is_cover, random_problem
from seeds import for_seeds
from symmetric import about_points, factorizations

from dlx import Diagram, Folded, Problem, ProblemError, Progress, count, diagram, folded, reference
from dlx.formats import FormatError

pytest.importorskip("pynauty")

PAIRS = Problem.from_options(["ab", "cd", "ac", "bd", "ad", "bc"], items="abcd")


def check(problem: Problem) -> None:
    """Each cover that the reference finds has one place, and what is no cover has none."""
    found, expected = folded(problem), as_sets(reference.covers(problem))
    listed = list(found)
    assert found.covers == len(listed) == len(expected)
    assert as_sets(listed) == expected
    places = range(0, len(listed), 1 + len(listed) // 40)
    assert [found.index(listed[place][::-1]) for place in places] == [*places]
    assert [found[place] for place in places] == [listed[place] for place in places]
    there = {*expected}
    for cover in listed[:20]:
        for other in ((*cover[:-1], problem.n_options), cover[1:], (*cover, 0)):
            assert (other in found) == (tuple(sorted(other)) in there)
    assert bool(found) == bool(expected)
    assert {tuple(sorted(row[row >= 0])) for row in found.sample(5 * bool(found), seed=1)} <= there


@pytest.mark.parametrize("kind", ["plain", "coloured"])
@for_seeds(160)
def test_random_problems(kind: str, seed: int) -> None:
    """On random problems, by graphs of items and options."""
    check(random_problem(np.random.default_rng([seed, 51]), kind))


@for_seeds(160, block=40)
def test_items_that_are_pairs(seed: int) -> None:
    """On problems about pairs of points, many of them by graphs of points."""
    problem = about_points(np.random.default_rng([seed, 52]))
    if count(problem, max_covers=2000).covers < 2000:
        check(problem)


CORNERS = [
    Problem.from_options([]),
    Problem.from_options([], items="a"),
    Problem.from_options(["ab", "c"]),
    Problem.from_options(["ab", "bc"], items="abc"),
    Problem.from_options(["ab", "bc", "ac"], items="abcd", secondary="d"),
    latin(4).with_chosen([0, 21]).without([35]),
]
SYMMETRIC = [latin(3), latin(4), steiner(7), steiner(8), steiner(9), factorizations(6), grids(2, 2), PAIRS]


@pytest.mark.parametrize(
    "problem", [*CORNERS, *(pytest.param(each, marks=pytest.mark.slow) for each in [*SYMMETRIC, build("queens", 6)])]
)
def test_special_problems(problem: Problem) -> None:
    """On problems where few classes stand for all covers, with nothing to choose, and with options chosen before."""
    check(problem)


def test_no_covers() -> None:
    """Of no covers none can be drawn, and none has a place."""
    nothing = folded(CORNERS[1])
    with pytest.raises(ValueError, match="there are none"):
        nothing.sample(1)
    with pytest.raises(IndexError):
        nothing[0]


@pytest.mark.slow
def test_every_cover_has_the_same_chance() -> None:
    """Nine draws for each of 576 Latin squares of order 4, and of 30 Steiner systems of order 7: a chi-squared test."""
    from scipy.stats import chisquare  # half a second, for this test alone

    for problem, covers in ((latin(4), 576), (steiner(7), 30)):
        drawn = folded(problem).sample(9 * covers, seed=1)
        times = Counter(tuple(sorted(row)) for row in drawn.tolist())
        assert len(times) == covers
        assert chisquare([*times.values()]).pvalue > 0.01


@pytest.mark.slow
@pytest.mark.parametrize(
    ("problem", "covers"),
    [(latin(8), 108776032459082956800), (steiner(15), 60281712691200), (grids(2, 4), 29136487207403520)],
    ids=["latin 8", "steiner 15", "grids"],
)
def test_what_no_search_can_visit(problem: Problem, covers: int) -> None:
    """Of published numbers of covers any one can be had, and found again."""
    found = folded(problem)
    assert found.covers == covers
    for place in (0, 12345, covers * 5 // 7, covers - 1):
        assert is_cover(problem, found[place])
        assert found.index(found[place]) == place
    assert found[-1] == found[covers - 1]
    assert found[covers - 2 :] == [found[-2], found[-1]]
    assert all(is_cover(problem, row[row >= 0].tolist()) for row in found.sample(20, seed=3))


def saved(found: Folded) -> Folded:
    """The diagram that comes back from a file."""
    found.save(stream := io.BytesIO())
    return Folded.load(io.BytesIO(stream.getvalue()))


@pytest.mark.parametrize("again", [saved, lambda found: pickle.loads(pickle.dumps(found))], ids=["saved", "pickled"])
def test_what_comes_back_is_the_same(again: Callable[[Folded], Folded]) -> None:
    """A diagram from a file or a pickle equals its original, and finds and draws the same covers."""
    found = folded(steiner(9))
    other = again(found)
    assert (other, hash(other), repr(other), other.covers) == (found, hash(found), repr(found), 840)
    assert list(other) == list(found)
    assert (other.sample(9, seed=2) == found.sample(9, seed=2)).all()
    assert found != folded(latin(3))


def test_files_that_are_none() -> None:
    """A file that is damaged, or of something else, is refused with its name and the reason."""
    folded(PAIRS).save(stream := io.BytesIO())
    data = stream.getvalue()
    with pytest.raises(FormatError, match=r"no \.npz file of a folded diagram"):
        Folded.load(io.BytesIO(data[: len(data) // 2]))
    diagram(PAIRS).save(other := io.BytesIO())
    with pytest.raises(FormatError, match="instead of folded"):
        Folded.load(io.BytesIO(other.getvalue()))
    rng = np.random.default_rng(5)
    for _ in range(200):
        bad = bytearray(data)
        bad[int(rng.integers(len(bad)))] ^= 1 << int(rng.integers(8))
        try:
            loaded = Folded.load(io.BytesIO(bytes(bad)))
            [*loaded.sample(3 * bool(loaded))]
        except FormatError:
            pass


@pytest.mark.slow
def test_threads_share_it() -> None:
    """Several threads get from one folded diagram at the same time the covers that one thread gets."""
    found = folded(latin(4))
    alone = list(found)
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(found.__getitem__, range(576))) == alone
            assert list(pool.map(found.index, alone)) == list(range(576))
    finally:
        sys.setswitchinterval(switch)


def test_options_that_cannot_be_chosen() -> None:
    """A diagram whose paths choose what is covered already, or is no option, is told from one of its problem."""
    found = folded(latin(3))
    for options in ([0, 0], [0, 1], [27], [-1]):
        with pytest.raises(ValueError, match="cannot be chosen"):
            found.follow(options)
    for node in (-1, 10**6):
        with pytest.raises(IndexError, match=f"node is {node}; it must be from 0 to"):
            found.way_to(node)
    arrays = np.array([0, 0, 0, 1, 2], np.int32), np.array([0, 2], np.int32), np.array([1, 2], np.uint32)
    wrong = Diagram(PAIRS, *arrays)  # option 2 clashes with option 0
    assert folded(PAIRS).covers == 3
    hostile = Folded(wrong, np.zeros((0, 1), dtype=np.uint64))
    with pytest.raises(ValueError, match="the diagram is not one of its problem"):
        hostile[0]
    assert (2, 0) not in hostile


@pytest.mark.slow
def test_limits() -> None:
    """A limit that comes first is an error that says how far it got; so is too little memory."""
    with pytest.raises(TimeoutError, match="max_nodes came before the end"):
        folded(latin(6), max_nodes=3)
    with pytest.raises(MemoryError, match="the classes take more than 50000 bytes"):
        folded(latin(7), memory=50_000)
    with pytest.raises(TypeError, match="max_covers"):
        folded(PAIRS, max_covers=3)
    with pytest.raises(ProblemError, match="multiplicities"):
        folded(Problem.from_options(["ab", "a"], multiplicities={"a": 2}))
    seen: list[Progress] = []
    folded(latin(6), progress=seen.append)
    assert seen[-1].fraction == 1.0
