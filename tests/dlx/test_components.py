"""Problems that fall apart: limits, and many parts; `parts` in tests/shared/gates.py is for all tests of `best`."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import weighted_families
from families import beside, build
from gates import WEIGHTS, in_slices, parts, scored, watched
from oracle import KINDS, is_cover
from seeds import for_seeds

from dlx import Problem, best


@for_seeds(400, block=400)
def test_bounds_hold_wherever_a_search_stops(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """At every moment that progress is told of, and in the result, whatever number of nodes is allowed."""
    rng = np.random.default_rng([seed, 4])
    monkeypatch.setattr("dlx.optimum.components.PATIENCE", int(rng.choice([0, 20, 1 << 17])))
    monkeypatch.setattr("dlx.optimum.components.FIRST_NODES", int(rng.choice([1, 5_000])))
    in_slices(monkeypatch, 1)
    problem, found = scored(parts(rng, KINDS[seed % 4]), WEIGHTS[str(rng.choice(["small", "few", "real"]))], rng)
    if found:
        _, seen = watched(problem, max(score for score, _ in found), k=2, max_nodes=int(rng.integers(0, 30)))
        assert [moment.nodes for moment in seen] == sorted(moment.nodes for moment in seen)


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
