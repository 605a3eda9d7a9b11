"""Problems that fall apart: the best covers against enumeration, bounds at every moment, limits, many parts."""

from __future__ import annotations

import math
from itertools import product
from typing import Any, Literal

import numpy as np
import pytest
import weighted_families
from families import beside, build
from gates import in_slices
from oracle import KINDS, is_cover, random_problem
from seeds import for_seeds
from weighted import WEIGHTS, Scored, compare, possible, scored, watched

from dlx import Problem, best, reference

Sense = Literal["max", "min"]


def some(rng: np.random.Generator, kind: str, weights: str) -> tuple[Problem, Scored]:
    """Two or three random problems beside each other, now and then with roles, and the covers of the whole."""
    while True:
        parts = [random_problem(rng, kind) for _ in range(int(rng.integers(2, 4)))]
        numbers = [sum(1 for _ in reference.covers(part)) for part in parts]
        if math.prod(numbers) < 3000 and (all(numbers) or rng.random() < 0.1):
            break
    problem, found = scored(beside(parts), WEIGHTS[weights], rng)
    if found and found[0][1] and rng.random() < 0.3:
        chosen = found[int(rng.integers(len(found)))][1][:1]
        problem = problem.with_chosen(chosen)
        found = [(score, cover) for score, cover in found if chosen[0] in cover]
    return problem, found


def by_searches(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    """Leaves none, some or all components to searches of their own, with a short taste of each."""
    monkeypatch.setattr("dlx.optimum.components.PATIENCE", int(rng.choice([0, 20, 1 << 17])))
    monkeypatch.setattr("dlx.optimum.components.FIRST_NODES", int(rng.choice([1, 5_000])))
    monkeypatch.setattr("dlx.optimum.components.BUFFER", int(rng.choice([1, 1 << 20])))


@pytest.mark.parametrize("kind", KINDS)
@for_seeds(200)
def test_the_best_covers_are_what_enumeration_says(monkeypatch: pytest.MonkeyPatch, kind: str, seed: int) -> None:
    """The k best covers of parts of every kind are those of enumeration, with weights of every kind, few or none."""
    rng = np.random.default_rng([seed, 3])
    by_searches(monkeypatch, rng)
    weights = str(rng.choice([name for name in WEIGHTS if possible(kind, name)]))
    problem, found = some(rng, kind, weights)
    sense: Sense = rng.choice(["max", "min"])
    k, sign = int(rng.choice([1, 2, 5, 10**30])), 1 if sense == "max" else -1
    result = best(problem, sense, k, seed=seed)
    assert (result.proven, result.stopped) == (True, None)
    compare(result, {cover: score for score, cover in found}, sign, k)
    assert all(cover.labels == problem.labels(cover.options) for cover in result.covers)


@for_seeds(300)
def test_a_gap_is_that_of_the_whole(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Parts that are near their bounds may be far from that of the whole together, where their scores cancel out."""
    rng = np.random.default_rng([seed, 5])
    by_searches(monkeypatch, rng)
    monkeypatch.setattr("dlx.optimum.components.WIDEST", 0)
    problem, found = some(rng, "multiple", "small")
    for _, start in found[:5]:
        result = best(problem, start=start, gap=1.0)
        assert result.score is not None
        assert result.bound is not None
        assert result.bound >= max(score for score, _ in found)
        assert result.bound - result.score <= abs(result.score)


@for_seeds(200)
def test_bounds_hold_wherever_a_search_stops(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """At every moment that progress is told of, and in the result, whatever number of nodes is allowed."""
    rng = np.random.default_rng([seed, 4])
    by_searches(monkeypatch, rng)
    in_slices(monkeypatch, 1)
    problem, found = some(rng, str(rng.choice(KINDS)), str(rng.choice(["small", "few", "negative", "real"])))
    if not found:
        return
    _, seen = watched(problem, max(score for score, _ in found), k=2, max_nodes=int(rng.integers(0, 30)))
    assert [moment.nodes for moment in seen] == sorted(moment.nodes for moment in seen)


@pytest.mark.parametrize("kind", KINDS)
@for_seeds(30)
def test_a_known_cover_is_never_lost(monkeypatch: pytest.MonkeyPatch, kind: str, seed: int) -> None:
    """A search that begins with a cover has one as good wherever it stops, even before it looks at any part."""
    rng = np.random.default_rng([seed, 5])
    by_searches(monkeypatch, rng)
    in_slices(monkeypatch, 1)
    problem, found = some(rng, kind, str(rng.choice(["small", "few", "negative", "real"])))
    if not found:
        return
    score, start = found[int(rng.integers(len(found)))]
    sense: Sense = rng.choice(["max", "min"])
    sign, k, most = 1 if sense == "max" else -1, int(rng.integers(1, 4)), int(rng.choice([0, 1, 3, 10]))
    given: dict[str, Any] = {"max_nodes": most} if seed % 3 else {"timeout": most * 1e-5}
    result = best(problem, sense, k, start=start, **given)
    assert result.score is not None
    assert sign * result.score >= sign * score - result.tolerance
    assert {cover.options for cover in result.covers} <= {options for _, options in found}


# Limits


def hard(number: int = 2) -> Problem:
    """Weighted tilings beside each other, and beside a small problem."""
    tiling = weighted_families.build("tetrominoes 12x12")
    small = Problem.from_options(["a", "a", "a"], weights=[1, 2, 3])
    return weighted_families.together([*[tiling] * number, weighted_families.Weighted(small, "min")]).problem


@pytest.mark.parametrize("given", [{"timeout": 0.3}, {"max_nodes": 1500}], ids=["time", "nodes"])
def test_limits_are_shared_out(given: dict[str, Any]) -> None:
    """Each part has its share, and so a bound and covers; and the whole has both, and says what stopped it."""
    problem = hard(3)
    result = best(problem, "min", **given)
    assert (result.proven, result.stopped) == (False, next(iter(given)))
    assert result.bound is not None
    assert result.bound <= 3 * 3472 + 1
    assert all(is_cover(problem, cover.options) for cover in result.covers)
    if "max_nodes" in given:
        assert 1500 <= result.nodes < 2000
        assert result.bound >= 3 * 2500 + 1
        assert result.covers[0].score >= 3 * 3472 + 1


@pytest.mark.parametrize("most", [0, 1, 3, 4, 5])
def test_covers_are_counted_whole(most: int) -> None:
    """`max_covers` counts covers of the whole, of which there are four here, and says when it has stopped it."""
    problem = Problem.from_options(["a", "a", "b", "c", "c"], weights=range(5))
    result = best(problem, k=5, max_covers=most)
    assert [cover.score for cover in result.covers] == [7, 6, 6, 5][:most]
    assert result.proven == (most > 4)
    assert result.stopped == (None if most > 4 else "max_covers")


@pytest.mark.parametrize("none", [["ab", "bc"], ["ab", "bc", "ca"]])
def test_a_part_without_a_cover_ends_the_search(monkeypatch: pytest.MonkeyPatch, none: list[str]) -> None:
    """There is no cover, whatever the other parts have; whichever way it is found out."""
    for patience in (0, 1000):
        monkeypatch.setattr("dlx.optimum.components.PATIENCE", patience)
        problem = beside([build("queens", 6), Problem.from_options(none, items="abc"), build("rooks", 5)])
        result = best(problem)
        assert (result.covers, result.bound, result.proven) == ((), None, True)


def test_an_item_without_options_is_a_part_without_a_cover() -> None:
    """An item without options leaves no cover, unless it need not be covered."""
    options = ["a", "a", "b", "b"]
    assert best(Problem.from_options(options, items="abc", weights=range(4))).bound is None
    assert best(Problem.from_options(options, items="abc", weights=range(4), multiplicities={"c": (0, 1)})).score == 4


# Many parts


@pytest.mark.parametrize("k", [1, 5])
def test_many_items_with_two_options_each(k: int) -> None:
    """Thirty thousand are no burden: in every part the heavier option, and for the k best the closest others."""
    problem, sense = weighted_families.build("components, 30,000 items")
    assert problem.weights is not None
    pairs = np.sort(problem.weights.reshape(-1, 2), axis=1)
    result = best(problem, sense, k)
    assert result.proven
    least = np.sort(pairs[:, 1] - pairs[:, 0])[:10].tolist()
    losses = sorted(sum(chosen) for chosen in product(*[(0, loss) for loss in least]))
    assert [cover.score for cover in result.covers] == [pairs[:, 1].sum() - loss for loss in losses[:k]]
    assert all(len(cover.options) == 30_000 for cover in result.covers)
