"""Counting up to isomorphism: published numbers, random problems, points that are sound or not, and limits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from families import grids, latin, steiner
from oracle import random_problem
from seeds import for_seeds
from symmetric import about_points, blocks, copies, factorizations, renamed

from dlx import Problem, ProblemError, Progress, count
from dlx.counting.isomorphism import Isomorphic
from dlx.engine.limits import StoppedError
from dlx.kernels import EXHAUSTED
from dlx.symmetry.forms import Form, words_of

pytest.importorskip("pynauty")


@pytest.mark.parametrize(
    ("problem", "number"),
    [
        pytest.param(latin(4), 576, id="latin 4"),
        pytest.param(latin(6), 812851200, id="latin 6"),
        pytest.param(latin(7), 61479419904000, id="latin 7"),
        pytest.param(latin(8), 108776032459082956800, id="latin 8", marks=pytest.mark.nightly),
        pytest.param(steiner(7), 30, id="steiner 7"),
        pytest.param(steiner(8), 0, id="steiner 8"),
        pytest.param(steiner(13), 1197504000, id="steiner 13"),
        pytest.param(steiner(15), 60281712691200, id="steiner 15", marks=pytest.mark.nightly),
        pytest.param(blocks(13), 1108800, id="blocks 13"),
        pytest.param(factorizations(6), 6 * 120, id="factorizations 6"),
        pytest.param(factorizations(8), 6240 * 5040, id="factorizations 8"),
        pytest.param(factorizations(10), 1225566720 * 362880, id="factorizations 10", marks=pytest.mark.nightly),
        pytest.param(grids(2, 2), 288, id="sudoku 2x2"),
        pytest.param(grids(2, 3), 28200960, id="sudoku 2x3"),
        pytest.param(grids(3, 2), 28200960, id="sudoku 3x2"),
        pytest.param(grids(2, 4), 29136487207403520, id="sudoku 2x4"),
    ],
)
def test_published_numbers(problem: Problem, number: int) -> None:
    """The numbers in OEIS A002860, A030128, A000474 and A107739, by points that are read off the items."""
    result = count(problem, merge="isomorphic")
    assert (result.covers, result.exhausted, result.merged, result.kernel) == (number, True, True, "isomorphic")
    assert result.doubt == ""


@for_seeds(24, block=12)
def test_names_that_tell_nothing(seed: int) -> None:
    """Without points the graph of items and options finds as many covers."""
    problem, number = [(latin(4), 576), (steiner(9), 840), (factorizations(6), 720), (grids(2, 2), 288)][seed % 4]
    result = count(renamed(np.random.default_rng([46, seed]), problem), merge="isomorphic")
    assert (result.covers, result.doubt) == (number, "the items are not tuples, so points cannot be read from them")


def planted(rng: np.random.Generator) -> Problem:
    """A random problem beside copies of itself that share an item."""
    problem = random_problem(rng, "plain")
    whole = copies(int(rng.integers(2, 4)), problem)
    options = [[*whole.option(o), *(["shared"] if rng.integers(8) == 0 else [])] for o in range(whole.n_options)]
    second = [*whole.items[whole.n_primary :], "shared"]
    return Problem.from_options(options, items=[*whole.items, "shared"], secondary=second)


def begun(rng: np.random.Generator) -> Problem:
    """Latin squares with an option chosen, and some left out, which makes points unsound at times."""
    begun = latin(4).with_chosen(rng.integers(0, 64, size=1).tolist())
    assert begun.roles is not None
    some = rng.integers(0, 64, size=int(rng.integers(0, 4)))
    return begun.without(some[begun.roles[some] < 2].tolist())


RANDOM: dict[str, Callable[[np.random.Generator], Problem]] = {
    "plain": lambda rng: random_problem(rng, "plain"),
    "coloured": lambda rng: random_problem(rng, "coloured"),
    "planted": planted,
    "begun": begun,
    "pairs": about_points,
}


@pytest.mark.parametrize("kind", RANDOM)
@for_seeds(400)
def test_random_problems(kind: str, seed: int) -> None:
    """As many covers as are visited, with sound points or without."""
    problem = RANDOM[kind](np.random.default_rng([seed, 41]))
    assert count(problem, merge="isomorphic").covers == count(problem, merge="never").covers


def test_points_that_are_not_sound() -> None:
    """Points are refused with the reason where a graph on them would not tell what is left."""
    problem = latin(3)
    wrong: dict[str, Any] = {
        "shares every pair of its points": lambda item: [item[1]],
        "points": lambda item: ["a", "b"] if item[0] == "cell" else [item[1], ("s", item[2])],
        "there are no points of an item": {("cell", 0, 0): "ab"},
        "there are no points of an item: TypeError": lambda item: [[1]],
    }
    for message, points in wrong.items():
        with pytest.raises(ProblemError, match=message):
            count(problem, merge="isomorphic", points=points)
    fewer = problem.without([0])  # whose points are still a clique
    points = lambda item: [(item[0][0], item[1]), (item[0][0] + "2", item[2])]  # noqa: E731
    with pytest.raises(ProblemError):
        count(fewer, merge="isomorphic", points=points)
    assert "points are joined like those of an option" in count(fewer, merge="isomorphic").doubt


@for_seeds(200, block=40)
def test_each_family_of_points(seed: int) -> None:
    """Whatever family of points is completed, there are as many covers; kernels are in order at random moments."""
    rng = np.random.default_rng([seed, 47])
    choices = [latin(4), steiner(9), factorizations(6), grids(2, 2)]
    make = [lambda rng: choices[seed // 4 % 4], *(RANDOM[kind] for kind in ("pairs", "plain", "coloured"))][seed % 4]
    search = Isomorphic(problem := make(rng))
    for family in [*search.families, words_of([], search.bits.rows.n_primary)]:
        kernel = search.kernel(family)
        while kernel.run(int(rng.integers(1, 30))):
            kernel.check()
            if not isinstance(search.form, Form):
                search.form.check()
        assert kernel.covers == count(problem, merge="never").covers


def test_more_points_than_a_word_has() -> None:
    """Ten Steiner systems of seven points beside each other have 30 ** 10 covers, without their seventy points."""
    triples = [[(k, p) for p in triple] for k in range(10) for triple in combinations(range(7), 3)]
    problem = Problem.from_options([list(combinations(triple, 2)) for triple in triples])
    result = count(problem, merge="isomorphic")
    assert (result.covers, result.doubt) == (30**10, "there are 70 points; 64 are the most that are supported")


@pytest.mark.parametrize("points", [str.split, {f"{a} {b}": (a, b) for a, b in combinations(range(9), 2)}])
def test_points_of_the_caller(points: Any) -> None:
    """A function and a mapping tell of texts what is read off tuples."""
    named = Problem.from_options(
        [[f"{a} {b}" for a, b in combinations(triple, 2)] for triple in combinations(range(9), 3)]
    )
    result = count(named, merge="isomorphic", points=points)
    assert (result.covers, result.doubt) == (840, "")


def test_time_and_memory() -> None:
    """A timeout and a limit of memory stop a count, which has nothing to tell then."""
    result = count(latin(9), merge="isomorphic", timeout=0.3)
    assert (result.covers, result.stopped) == (0, "timeout")
    with pytest.raises(MemoryError, match="the classes take more than 200000 bytes"):
        count(latin(9), merge="isomorphic", memory=200_000)
    with pytest.raises(MemoryError, match=r"the clashes of 512 options .* 90112 bytes, more than memory=60000; give"):
        count(latin(8), merge="isomorphic", memory=60_000)


@pytest.mark.parametrize("problem", [latin(7), grids(2, 3), renamed(np.random.default_rng(1), latin(5))])
def test_limits_are_kept_exactly(problem: Problem) -> None:
    """As many nodes as allowed and no more, also of several pilots; and no more covers than were asked for."""
    whole = count(problem, merge="isomorphic")
    for most in (0, 1, 49, 77, whole.nodes - 1):
        if most < whole.nodes:
            result = count(problem, merge="isomorphic", max_nodes=most)
            assert (result.stopped, result.nodes, result.covers) == ("max_nodes", most, 0)
    result = count(problem, merge="isomorphic", max_covers=10)
    assert (result.covers, result.stopped, result.exhausted) == (10, "max_covers", False)
    assert count(problem, merge="isomorphic", max_covers=whole.covers).exhausted


def test_a_family_of_points_that_lacks_memory() -> None:
    """Another family of points is taken where one takes too much memory."""
    assert count(grids(2, 4), merge="isomorphic", memory=260_000).covers == 29136487207403520


def test_many_points_and_many_forced_options() -> None:
    """An option about sixteen points, and five hundred options without rivals, are no long stories."""
    pairs = list(combinations(range(16), 2))
    whole = Problem.from_options([*([pair] for pair in pairs), pairs])
    assert count(whole, merge="isomorphic").covers == 2
    forced = Problem.from_options([[(o, k) for k in range(10)] for o in range(500)])
    assert count(forced, merge="isomorphic", memory=10**8).covers == 1


@pytest.mark.parametrize(
    ("problem", "number"),
    [
        (Problem.from_options([]), 1),
        (Problem.from_options([], items="a"), 0),
        (Problem.from_options(["ab", "bc"], items="abc"), 0),
        (Problem.from_options(["ab", "c"]), 1),
    ],
)
def test_corners(problem: Problem, number: int) -> None:
    """No items, no options, and dead ends at the root."""
    assert count(problem, merge="isomorphic").covers == number


def test_progress() -> None:
    """It tells of classes and where the count stands, and goes on to the end, when the fraction is 1."""
    seen: list[Progress] = []
    result = count(latin(6), merge="isomorphic", progress=seen.append)
    assert (seen[-1].covers, seen[-1].states, seen[-1].fraction) == (result.covers, result.states, 1.0)
    assert all(before.nodes <= after.nodes for before, after in pairwise(seen))
    assert "open" in seen[-1].doing


class Failing:
    """Forms of which many are refused at first, as when a limit comes."""

    def __init__(self, form: Any, seed: int) -> None:
        self.form, self.draws, self.orbit = form, np.random.default_rng(seed), form.orbit

    def _fail(self) -> None:
        if self.draws.random() < 0.3:
            raise StoppedError

    def of(self) -> bytes:
        self._fail()
        return bytes(self.form.of())

    def orbits(self) -> None:
        self._fail()
        self.form.orbits()


@pytest.mark.parametrize("points", [6, 0])
def test_errors_of_forms(points: int) -> None:
    """A kernel goes on after an error as if there had been none: so it is saved rightly whatever ends a run."""
    search = Isomorphic(latin(6))
    numbers = []
    for form in (search.form, Failing(search.form, 1)):
        search.form = form
        kernel = None
        while kernel is None:
            try:
                kernel = search.kernel(search.families[0][:points])
            except StoppedError:
                continue
        errors = 0
        while True:
            try:
                if kernel.run(10**6) == EXHAUSTED:
                    break
            except StoppedError:
                errors += 1
        numbers.append((kernel.covers, kernel.nodes, kernel.forms, kernel.states))
    assert errors > 10
    assert numbers[0] == numbers[1]
