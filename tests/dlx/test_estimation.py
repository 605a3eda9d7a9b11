"""Estimates of searches: their means are the truth, their errors say how far off they are, and they change nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from families import beside, build

from dlx import Coloured, Problem, count, estimate

WORDS = ["abc", "bca", "cab", "aab", "abb", "bba", "cba", "acb", "bac"]
SQUARES = Problem.from_options(
    {
        (*line, word): [
            line,
            *(Coloured((line[1], n) if line[0] == "row" else (n, line[1]), word[n]) for n in range(3)),
        ]
        for line in [(kind, k) for kind in ("row", "column") for k in range(3)]
        for word in WORDS
    },
    secondary=[(r, c) for r in range(3) for c in range(3)],
)
TWICE = Problem.from_options(
    [(f"r{r}", f"c{c}") for r in range(5) for c in range(5)],
    multiplicities={f"{line}{k}": 2 for line in "rc" for k in range(5)},
)
SOME = Problem.from_options(
    [(f"r{r}", f"c{c}") for r in range(4) for c in range(4)],
    multiplicities={f"{line}{k}": (0, 2) for line in "rc" for k in range(4)},
)
KNOWN = {
    "queens 6": build("queens", 6),
    "Langford 7": build("langford", 7),
    "dominoes 4x4": build("dominoes", 4, 4),
    "Latin squares of order 3": build("latin", 3),
    "partitions of 5": build("partitions", 5),
    "toy": build("toy"),
    "word squares": SQUARES,
    "word squares with a given": SQUARES.with_chosen([0]),
    "queens 6 without some": build("queens", 6).without(range(3)),
    "two ones in each line": TWICE,
    "two ones in each line, two given": TWICE.with_chosen([0, 6]),
    "up to two ones in each line": SOME,
}


@pytest.mark.parametrize(
    ("name", "backwards"),
    [(name, backwards) for name in KNOWN for backwards in (False, True)[: 1 + (KNOWN[name].multiplicities is None)]],
)
def test_means_are_the_truth(name: str, backwards: bool) -> None:
    """Nodes and covers over many paths come within four standard errors of those of the search in that order."""
    problem = KNOWN[name]
    prefer = problem.items[: problem.n_primary][::-1] if backwards else None
    result = estimate(problem, samples=4000, seed=1, kernel="links", prefer=prefer)
    truth = count(problem, kernel="links", prefer=prefer)
    assert abs(result.nodes - truth.nodes) <= 4 * result.nodes_error + 1e-9 * truth.nodes
    assert abs(result.covers - truth.covers) <= 4 * result.covers_error + 1e-9 * truth.covers


def test_errors_are_the_spread_over_seeds() -> None:
    """The standard error is how far apart estimates with different seeds are, and they scatter about the truth."""
    problem = build("queens", 7)
    truth = count(problem, kernel="links").nodes
    results = [estimate(problem, samples=60, seed=seed) for seed in range(200)]
    spread = np.std([r.nodes for r in results])
    assert 0.7 * spread < np.mean([r.nodes_error for r in results]) < 1.4 * spread
    assert abs(np.mean([r.nodes for r in results]) - truth) < 4 * spread / math.sqrt(200)
    inside = np.mean([abs(r.nodes - truth) <= r.nodes_error for r in results])
    assert 0.5 < inside < 0.85, "two thirds of them should be within a standard error"


@pytest.mark.parametrize(
    "problem",
    [
        *(build("rooks", n) for n in (1, 2, 5)),
        Problem.from_options([]),
        Problem.from_options([], items="a"),
        Problem.from_options(["x"], secondary="x"),
    ],
    ids=repr,
)
def test_uniform_trees_are_estimated_exactly(problem: Problem) -> None:
    """The error is 0 if all options of an item have subtrees of one size, or nothing is to be searched."""
    truth, result = count(problem, kernel="links"), estimate(problem, samples=5, kernel="links")
    assert (result.nodes, result.covers) == (truth.nodes, truth.covers)
    assert (result.nodes_error, result.covers_error, result.seconds_error) == (0, 0, 0)


def test_huge_searches() -> None:
    """A search of 10^160 nodes is estimated without overflow; and a long one in seconds of its kernel."""
    result = estimate(build("rooks", 100), samples=3, kernel="links")
    assert math.isclose(result.covers, math.factorial(100), rel_tol=1e-9)
    assert math.isclose(result.nodes, math.e * math.factorial(100), rel_tol=1e-9)
    assert result.seconds > 1e100
    assert result.kernel == count(build("rooks", 100), kernel="links", max_nodes=1).kernel
    assert estimate(build("rooks", 300), samples=3, kernel="links").nodes == math.inf


# The outlook of a count


@pytest.mark.parametrize("family", ["dominoes 12x12", "matchings 9", "torus 4x10", "queens 10", "latin 4"])
def test_a_trial_that_ends_tells_all(family: str) -> None:
    """A count that ends in the trial gives its covers, the name of its search, and its states."""
    name, sizes = family.split()
    problem = torus() if name == "torus" else build(name, *map(int, sizes.split("x")))
    result, truth = estimate(problem), count(problem)
    assert (result.covers, result.covers_error) == (float(truth.covers), 0)
    assert (result.kernel, result.merged, result.states) == (truth.kernel, truth.merged, truth.states)
    assert result.seconds < 60 < 1e-6 * result.nodes or not truth.merged or name in ("torus", "matchings")


def torus() -> Problem:
    """Dominoes on a torus of 4 x 10."""
    cells = [(r, c) for r in range(4) for c in range(10)]
    down = [((r, c), ((r + 1) % 4, c)) for r, c in cells]
    return Problem.from_options(down + [((r, c), (r, (c + 1) % 10)) for r, c in cells])


@pytest.mark.parametrize("size", [(16, 16), (17, 18), (18, 18)])
def test_states_of_layers_have_the_right_order(size: tuple[int, int]) -> None:
    """The states of a count by layers that takes longer than the trial are foretold within a factor of three."""
    result, truth = estimate(build("dominoes", *size)), count(build("dominoes", *size))
    assert (result.kernel, truth.kernel) == ("layers", "layers")
    assert truth.states / 3 < result.states < 3 * truth.states


def test_visits_are_foretold_where_nothing_merges() -> None:
    """Queens are visited, so the time is that of the nodes, which random paths tell; no state is met."""
    result = estimate(build("queens", 14))
    assert (result.kernel, result.merged, result.states) == ("bits", False, 0)
    assert math.isclose(result.seconds_error / result.seconds, result.nodes_error / result.nodes)
    assert abs(result.covers - 365_596) <= 4 * result.covers_error


def test_the_outlook_is_the_same_each_time() -> None:
    """The trial ends at the same turn, so that the same call names the same search and the same states."""
    results = [estimate(build("dominoes", 16, 16), samples=5) for _ in range(3)]
    assert len({(r.kernel, r.states, r.nodes, r.covers) for r in results}) == 1


def test_parts_multiply_and_add_up() -> None:
    """Of a problem that falls apart covers are the product, with the error of the open parts, and states the sum."""
    sides = [build("dominoes", 8, 8), build("matchings", 9), build("queens", 14)]
    whole, apart = estimate(beside(sides)), [estimate(side) for side in sides]
    known = 12_988_816 * 34_459_425
    assert math.isclose(whole.covers, known * 365_596, rel_tol=0.5)
    assert math.isclose(whole.covers_error / whole.covers, apart[2].covers_error / apart[2].covers, rel_tol=0.5)
    assert whole.states == apart[0].states + apart[1].states
    assert whole.nodes > 1e18


def test_more_covers_than_a_float_has() -> None:
    """A count that ends in the trial may have more covers than a floating-point number: then that is infinite."""
    result = estimate(Problem.from_options([[k] for k in range(1100) for _ in range(2)]), samples=2)
    assert (result.covers, result.covers_error, result.kernel) == (math.inf, 0, "layers")
    assert result.seconds < math.inf
