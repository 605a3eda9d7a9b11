"""The engine against the plain specification, `dlx.reference`, on thousands of small random problems."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import as_sets, is_cover, random_problem, rows
from seeds import few, tries

from dlx import Problem, count, covers, first, reference

SEEDS = few(range(0, 3000, 100))


def problems(seed: int) -> list[Problem]:
    """100 random problems."""
    return [random_problem(np.random.default_rng(k)) for k in range(seed, seed + 100)]


@st.composite
def small_problems(draw: st.DrawFn) -> Problem:
    """Problems that hypothesis can shrink: up to 6 items, up to 10 options, any of the items secondary."""
    n_items = draw(st.integers(0, 6))
    option = st.lists(st.integers(0, n_items - 1), min_size=1, max_size=4, unique=True)
    options = draw(st.lists(option, max_size=10)) if n_items else []
    secondary = draw(st.sets(st.integers(0, n_items - 1))) if n_items else set()
    return Problem.from_options(options, items=range(n_items), secondary=sorted(secondary))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_covers_as_the_reference(seed: int) -> None:
    """Iteration, blocks, count and first agree with the reference on every problem."""
    with_covers = 0
    for problem in problems(seed):
        expected = as_sets(reference.covers(problem))
        with_covers += bool(expected)
        search = covers(problem)
        assert as_sets(search) == expected
        assert search.exhausted
        assert search.covers == len(expected)
        blocks = list(covers(problem).blocks(3))
        assert as_sets(cover for block in blocks for cover in rows(block)) == expected
        assert all(len(block) == 3 for block in blocks[:-1])
        counted = count(problem)
        assert (counted.covers, counted.exhausted) == (len(expected), True)
        one = first(problem)
        assert tuple(sorted(one.cover)) in expected if one.cover is not None else not expected
    assert with_covers > 30, "the random problems have become too hard to cover for this test to mean anything"


@settings(max_examples=tries(300))
@given(small_problems())
@pytest.mark.slow
def test_the_same_covers_on_what_hypothesis_draws(problem: Problem) -> None:
    """The engine agrees with the reference on problems chosen to break it."""
    assert as_sets(covers(problem)) == as_sets(reference.covers(problem))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_cover_verifies(seed: int) -> None:
    """Each cover passes a checker that knows nothing of the search, and no cover comes twice."""
    for problem in problems(seed):
        found = as_sets(covers(problem))
        assert all(is_cover(problem, cover) for cover in found)
        assert all(one != other for one, other in pairwise(found))


@pytest.mark.slow
def test_limits_on_covers_are_exact() -> None:
    """With max_covers=k a search finds the first k covers, and says that it stopped if there are more."""
    for problem in problems(8000)[:100]:
        everything = list(covers(problem))
        for limit in range(len(everything) + 2):
            search = covers(problem, max_covers=limit)
            assert list(search) == everything[:limit]
            assert search.exhausted or search.stopped == "max_covers"
            assert search.stopped == "max_covers" or limit >= len(everything)
            counted = count(problem, max_covers=limit)
            assert counted.covers == min(limit, len(everything))
            assert counted.stopped in (None, "max_covers")


@pytest.mark.slow
def test_limits_on_nodes_are_exact() -> None:
    """With max_nodes=k a search tries k options, no more, and fewer only if it has ended."""
    for problem in problems(9000)[:100]:
        total = count(problem).nodes
        for limit in {0, 1, 2, 3, total // 2, max(total - 1, 0), total, total + 1}:
            result = count(problem, max_nodes=limit)
            assert result.nodes == min(limit, total)
            assert result.exhausted or result.stopped == "max_nodes"
            assert result.exhausted or limit <= total
            search = covers(problem, max_nodes=limit)
            assert len(list(search)) == result.covers
            assert search.nodes == result.nodes


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.slow
def test_relabelling_items_changes_nothing(seed: int) -> None:
    """Renaming and reordering the items leaves the covers as they were."""
    rng = np.random.default_rng(seed)
    for problem in problems(seed)[:100]:
        order = rng.permutation(problem.n_items).tolist()
        renamed = Problem.from_options(
            [[("new", item) for item in problem.option(o)] for o in range(problem.n_options)],
            items=[("new", problem.items[i]) for i in order],
            secondary=[("new", item) for item in problem.items[problem.n_primary :]],
        )
        assert as_sets(covers(renamed)) == as_sets(covers(problem))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.slow
def test_shuffling_options_changes_nothing(seed: int) -> None:
    """Listing the options, and the items in each, in another order leaves the covers as they were."""
    rng = np.random.default_rng(seed)
    for problem in problems(seed)[:100]:
        order = rng.permutation(problem.n_options).tolist()
        shuffled = Problem.from_options(
            [[problem.option(o)[k] for k in rng.permutation(len(problem.option(o)))] for o in order],
            items=problem.items,
            secondary=problem.items[problem.n_primary :],
        )
        assert as_sets([order[o] for o in cover] for cover in covers(shuffled)) == as_sets(covers(problem))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.slow
def test_a_duplicated_option_adds_the_covers_that_use_it(seed: int) -> None:
    """A second copy of an option adds exactly the covers with the first one, the copy in its place."""
    rng = np.random.default_rng(seed)
    for problem in problems(seed)[:100]:
        if not problem.n_options:
            continue
        twin = int(rng.integers(problem.n_options))
        copy = problem.n_options
        options = [problem.option(o) for o in [*range(copy), twin]]
        doubled = Problem.from_options(options, items=problem.items, secondary=problem.items[problem.n_primary :])
        before = as_sets(covers(problem))
        added = [[copy if o == twin else o for o in cover] for cover in before if twin in cover]
        assert as_sets(covers(doubled)) == as_sets([*before, *added])
