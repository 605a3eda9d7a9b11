"""Cliques, odd sets, counts, pairs, hopes and dives on small problems: answers and bounds against enumeration."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import combinations, product
from typing import Any, Literal

import large_families
import numpy as np
import pytest
import weighted_families
from gates import FAMILIES, Chosen, in_slices, weighted, with_low_gates
from seeds import for_seeds
from weighted import compare

from dlx import Problem, Progress, best, count_reaching, covers
from dlx.optimum import search
from dlx.optimum.search import Root
from dlx.optimum.units import Units

Sense = Literal["max", "min"]
DONE = ("cliques", "odd sets", "counts", "pairs", "hopes")


def watch(monkeypatch: pytest.MonkeyPatch, problem: Problem, known: dict[Chosen, Any]) -> Counter[str]:
    """Holds every item that is added against all covers; counts what is done."""
    done: Counter[str] = Counter()

    def checked(name: str, find: Any) -> Any:
        def found(at: Root, given: Any) -> Any:
            sets = find(at, given)
            if len(at._rows.indptr) - 1 == problem.n_options:  # not a part with numbers of its own
                begins = at._rows.indptr  # of what is left of the problem: options may have been left out
                for cover in (cover for cover in known if all(begins[o] < begins[o + 1] for o in cover)):
                    assert all(some.least <= len({*cover} & {*some.options}) <= some.most for some in sets)
            done[name] += len(sets)
            return sets

        return found

    def counted(name: str, do: Any) -> Any:
        def it(*given: Any) -> Any:
            done[name] += name == "hopes" or given[2].pairs
            return do(*given)

        return it

    monkeypatch.setattr(Root, "_cliques", checked("cliques", Root._cliques))
    monkeypatch.setattr(Root, "_odd_sets", checked("odd sets", Root._odd_sets))
    monkeypatch.setattr(Root, "_cardinality", checked("counts", Root._cardinality))
    monkeypatch.setattr(search.Search, "_hope_for_more", counted("hopes", search.Search._hope_for_more))
    monkeypatch.setattr(search.Search, "_search", counted("pairs", search.Search._search))
    return done


@pytest.mark.parametrize("family", FAMILIES)
@for_seeds(34, 16)
def test_whatever_a_search_does_its_answers_and_bounds_hold(
    monkeypatch: pytest.MonkeyPatch, family: str, seed: int
) -> None:
    """The k best by enumeration; no cover is better than a bound told on the way; and equal seeds, equal results."""
    rng = np.random.default_rng([seed, len(family)])
    problem, known = weighted(rng, family)
    sense: Sense = rng.choice(["max", "min"])
    sign, k = 1 if sense == "max" else -1, int(rng.integers(1, 7))
    bounds: list[Any] = []
    given: dict[str, Any] = {"seed": int(rng.integers(1 << 31))}
    if rng.random() < 0.3:
        given["max_nodes"] = int(rng.integers(0, 60))

    def progress(seen: Progress) -> None:
        bounds.append(-math.inf if seen.bound is None else sign * seen.bound)

    with monkeypatch.context() as patch:
        with_low_gates(patch, rng)
        watch(patch, problem, known)
        result = best(problem, sense, k, progress=progress, **given)
        in_slices(patch, 1000)
        again = best(problem, sense, k, **given)
    compare(result, known, sign, k)
    coarse = Units(problem, sign).tolerance  # what is watched may see scores so, before dear options are left out
    assert not known or min(bounds, default=math.inf) >= max(sign * score for score in known.values()) - 2 * coarse
    assert (again.covers, again.nodes, again.updates) == (result.covers, result.nodes, result.updates)


@pytest.mark.parametrize("family", FAMILIES)
@for_seeds(10, 10)
def test_known_covers_and_gaps(monkeypatch: pytest.MonkeyPatch, family: str, seed: int) -> None:
    """A search that begins with a cover has one at least as good after no node; one may end within a part of the best.

    That part is one of the best score found, so that the best score of all is no farther away than that.
    """
    rng = np.random.default_rng([seed, len(family), 2])
    problem, known = weighted(rng, family)
    sense: Sense = rng.choice(["max", "min"])
    sign, gap = 1 if sense == "max" else -1, float(rng.choice([0.01, 0.1, 0.5]))
    start = None if not known else list(known)[int(rng.integers(len(known)))]
    with_low_gates(monkeypatch, rng)
    if start is not None:
        at_once = best(problem, sense, start=reversed(start), max_nodes=0)
        assert at_once.score is not None
        assert sign * at_once.score >= sign * known[start] - at_once.tolerance
    compare(best(problem, sense, start=start), known, sign, 1)
    near = best(problem, sense, gap=gap, start=start)
    compare(near, known, sign, 1)
    assert near.proven or near.stopped == "gap"
    if not near.proven:
        assert near.score is not None
        assert near.bound is not None
        assert abs(near.bound - near.score) <= gap * abs(near.score)


def test_prices_count() -> None:
    """Twenty pigeons and nineteen holes: the bound falls below every score, and no search is needed."""
    assert best(large_families.build("pigeons", 20, 19, seed=0)).nodes < 1000


@pytest.mark.parametrize("sense", ["max", "min"])
def test_a_bound_below_every_score_is_no_cover(sense: Sense) -> None:
    """Dominoes on a board that has lost two corners of a colour: searched for 5 s, a board of 10 x 10 was open."""
    cells = [cell for cell in product(range(10), repeat=2) if cell not in ((0, 0), (9, 9))]
    beside = [((r, c), (r + down, c + 1 - down)) for r, c in cells for down in range(2)]
    dominoes = [pair for pair in beside if pair[1] in cells]
    weights = np.random.default_rng(0).integers(-99, 99, len(dominoes)).tolist()
    board = Problem.from_options(dominoes, items=cells, weights=weights)
    result = best(board, sense, max_nodes=200_000)
    assert (result.covers, result.bound, result.proven) == ((), None, True)
    several = replace(board, multiplicities=np.array([[1, 2]] + [[1, 1]] * 97, dtype=np.int32))
    assert best(several, sense, max_nodes=200_000).bound is None


def test_fewest_first() -> None:
    """Where each option costs about the same, it is proven soon that there cannot be fewer: 1.7 million nodes before.

    Fifteen people work in pairs or alone; the least cost of every set of them is found by dynamic programming, too.
    """
    n = 15
    teams = [*combinations(range(n), 1), *combinations(range(n), 2)]
    costs = dict(zip(teams, (10_000 + np.random.default_rng(0).integers(0, 1000, len(teams))).tolist(), strict=True))
    least = [0.0] + [math.inf] * (2**n - 1)
    for people in range(1, 2**n):
        first, rest = people.bit_length() - 1, people ^ 1 << people.bit_length() - 1
        least[people] = least[rest] + costs[first,]
        for other in range(first):
            if rest >> other & 1:
                least[people] = min(least[people], least[rest ^ 1 << other] + costs[other, first])
    result = best(Problem.from_options(teams, weights=list(costs.values())), "min", max_nodes=20_000)
    assert (result.score, result.proven) == (least[-1], True)


@pytest.mark.slow
def test_what_is_paid_for_is_covered() -> None:
    """An edge that costs more to leave out than there is to spend is chosen: else a million nodes were too few."""
    problem, sense = weighted_families.build("subgraph of 30 vertices")
    result = best(problem, sense, max_nodes=200_000)
    assert (result.score, result.proven) == (35710, True)


@pytest.mark.slow
def test_small_problems_have_all_that_a_search_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """With low gates items are added, pairs branched on, and hopes searched for; so the tests above bite."""
    done: Counter[str] = Counter()
    for seed, family in product(range(12), ("tiling", "degrees", "plain")):
        rng = np.random.default_rng([seed, len(family)])
        problem, known = weighted(rng, family)
        with monkeypatch.context() as patch:
            with_low_gates(patch, rng)
            seen = watch(patch, problem, known)
            best(problem)
        done += seen
    assert min(done[what] for what in DONE) > 5, done


@pytest.mark.parametrize("most", [3, 99, 2**31 - 1])
def test_ranges_far_above_the_number_of_options_cost_no_precision(most: int) -> None:
    """The bound of items that may be covered very often fits the kernel's numbers, and meets the best score."""
    options = [(a, b) for a, b in combinations("abcd", 2)] * 2
    weights = np.arange(-5, 7) * 2**50
    problem = replace(
        Problem.from_options(options, multiplicities=dict.fromkeys("abcd", (0, most))),
        weights=weights,
    )
    known = {tuple(sorted(cover)): sum(weights[list(cover)].tolist()) for cover in covers(problem)}
    for sense, sign in (("max", 1), ("min", -1)):
        result = best(problem, sense, k=5)  # type: ignore[arg-type]
        assert result.proven
        compare(result, known, sign, 5)
        assert result.score is not None
        assert count_reaching(problem, result.score, sense).covers == list(known.values()).count(result.score)  # type: ignore[arg-type]


def test_ten_of_thirty_need_no_search() -> None:
    """Where a price meets the best score, a few thousand nodes are not needed."""
    weights = np.random.default_rng(1).integers(1, 10**6, 30)
    problem = Problem.from_options(["a"] * 30, weights=weights.tolist(), multiplicities={"a": 10})
    result = best(problem)
    assert result.score == np.sort(weights)[-10:].sum()
    assert result.nodes < 1000
