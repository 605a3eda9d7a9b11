"""Multiplicities: closed forms, properties, limits and sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from typing import Any

import pytest

from dlx import Problem, ProblemError, best, count, covers, diagram, estimate, first

Bound = int | tuple[int, int]


# Closed forms


def graphs(n: int, degree: Bound) -> Problem:
    """The graphs on n labelled vertices that all have such a degree: an option is an edge."""
    return Problem.from_options(
        combinations(range(n), 2), items=range(n), multiplicities=dict.fromkeys(range(n), degree)
    )


def matrices(row_sums: Sequence[Bound], column_sums: Sequence[Bound]) -> Problem:
    """The matrices of zeros and ones with such sums: an option is a place for a one."""
    places = product(range(len(row_sums)), range(len(column_sums)))
    items = [("row", r) for r in range(len(row_sums))] + [("column", c) for c in range(len(column_sums))]
    bounds = dict(zip(items, [*row_sums, *column_sums], strict=True))
    return Problem.from_options(
        {(r, c): [("row", r), ("column", c)] for r, c in places}, items=items, multiplicities=bounds
    )


def triples(n: int, times: int) -> Problem:
    """Triples of n points, each pair in so many of them."""
    pairs = list(combinations(range(n), 2))
    options = [list(combinations(triple, 2)) for triple in combinations(range(n), 3)]
    return Problem.from_options(options, items=pairs, multiplicities=dict.fromkeys(pairs, times))


def closed_forms() -> Iterator[tuple[Problem, int]]:
    """Problems with the numbers of their covers."""
    bounds: list[Bound] = [1, 2, 5, 13, (0, 1), (0, 3), (1, 2), (2, 4), (3, 99), (0, 2**31 - 1), (12, 12)]
    for n, bound in product((0, 1, 5, 12, 60), bounds):  # from lo to hi of n options
        least, most = bound if isinstance(bound, tuple) else (bound, bound)
        subsets = sum(math.comb(n, k) for k in range(least, min(n, most) + 1))
        yield Problem.from_options(["a"] * n, items="a", multiplicities={"a": bound}), subsets
    loose: dict[str, Bound] = {"a": 2, "b": (0, 1), "c": (1, 3), "d": (0, 4), "e": 1}  # items that share no option
    independent = math.comb(4, 2) * (1 + 3) * (4 + 6 + 4) * 2**4 * 1
    yield Problem.from_options([*"aaaabbbccccdddde"], multiplicities=loose), independent
    regular = {  # labelled, OEIS A001147, A001205, A002829, A005815; as many as their complements
        1: {2: 1, 3: 0, 4: 3, 5: 0, 6: 15, 8: 105},
        2: {3: 1, 4: 3, 5: 12, 6: 70, 7: 465, 8: 3507},
        3: {4: 1, 5: 0, 6: 70, 7: 0, 8: 19355},
        4: {5: 1, 6: 15, 7: 465, 8: 19355},
        5: {6: 1, 7: 0, 8: 3507},
    }
    yield from ((graphs(n, degree), number) for degree in regular for n, number in regular[degree].items())
    for n in range(2, 7):  # any graph; matchings (involutions, A000085); no vertex alone (A006129)
        yield graphs(n, (0, n)), 2 ** math.comb(n, 2)
        yield graphs(n, (0, 1)), sum(math.comb(n, 2 * k) * math.prod(range(1, 2 * k, 2)) for k in range(n // 2 + 1))
        yield graphs(n, (1, n)), sum((-1) ** (n - k) * math.comb(n, k) * 2 ** math.comb(k, 2) for k in range(n + 1))
    square = {  # n!, OEIS A001499, A001501
        1: {1: 1, 2: 2, 3: 6, 4: 24, 5: 120, 6: 720},
        2: {1: 0, 2: 1, 3: 6, 4: 90, 5: 2040, 6: 67950},
        3: {3: 1, 4: 24, 5: 2040, 6: 297200},
    }
    yield from ((matrices([ones] * n, [ones] * n), number) for ones in square for n, number in square[ones].items())
    for m, n in ((1, 1), (2, 3), (3, 4), (4, 4)):  # rows are independent where the columns may have any sum
        yield matrices([2] * m, [(0, m)] * n), math.comb(n, 2) ** m
        yield matrices([(1, n)] * m, [(0, m)] * n), (2**n - 1) ** m
        surjective = sum((-1) ** k * math.comb(n, k) * (2 ** (n - k) - 1) ** m for k in range(n + 1))
        yield matrices([(1, n)] * m, [(1, m)] * n), surjective
    # by looking at all matrices, and at all pairs of squares in each row for queens, at most two on a diagonal
    sums = {((2, 1, 3), (1, 2, 2, 1)): 8, ((3, 3, 1), (2, 2, 2, 1)): 7, ((1, 1), (2, 1)): 0}
    yield from ((matrices(*given), number) for given, number in sums.items())
    queens = [[("row", r), ("column", c), ("sum", r + c), ("minus", r - c)] for r in range(4) for c in range(4)]
    twice = {item: 2 if item[0] in ("row", "column") else (0, 2) for line in queens for item in line}
    yield Problem.from_options(queens, multiplicities=twice), 11
    # 6!/60, 7!/168 and 9!/432 labelled triple systems, and complements
    yield from ((triples(6, 2), 12), (triples(7, 1), 30), (triples(7, 5), 1), (triples(7, 4), 30), (triples(9, 1), 840))


@pytest.mark.parametrize(("problem", "expected"), list(closed_forms()))
def test_closed_forms(problem: Problem, expected: int) -> None:
    """Subsets, graphs, matrices by sums and triple systems are as many as closed forms say, by each method."""
    assert count(problem).covers == count(problem, merge="same").covers == expected


# Sizes


def test_an_item_covered_too_often_for_layers() -> None:
    """Layers refuse it by its name with what to do instead; visits count it, and so do the choice and the estimate."""
    few = Problem.from_options(["ab", "a", "b", *["a"] * 67], multiplicities={"a": (68, 70)})
    advice = r"'a' can be covered 69 times; a search in layers counts up to 64: use merge='never'"
    with pytest.raises(ProblemError, match=advice):
        count(few, merge="same")
    many = Problem.from_options([*["a"] * 70, *"bc"], multiplicities={"a": (35, 70)})
    with pytest.raises(ProblemError, match=advice.replace("69", "70")):
        diagram(many, memory=1_000)
    assert diagram(few).covers == count(few).covers == count(few, merge="never").covers == 68 + 1 + 1
    guess = estimate(few)
    assert (guess.covers, guess.kernel) == (70, "multi")


def test_one_hundred_thousand_options_wide() -> None:
    """Limits stop a search for pairs of 100,000 options; a search with no choice ends."""
    n = 100_000
    problem = Problem.from_options([["a"]] * n, multiplicities={"a": 2})
    result = count(problem, max_nodes=1_000)
    assert (result.nodes, result.stopped) == (1_000, "max_nodes")
    assert len(list(covers(problem, max_covers=10))) == 10
    everything = Problem.from_options([["a"]] * n, multiplicities={"a": n})
    cover = first(everything).cover
    assert cover is not None
    assert sorted(cover) == list(range(n))


@pytest.mark.parametrize("search", [count, best])
def test_one_item_with_many_options_is_linear_work(search: Callable[..., Any]) -> None:
    """Options that each complete a cover do not look at one another: twice as many take about twice the updates."""

    def work(n: int) -> int:
        options = [["a", "bcd"[k % 3]] for k in range(n)]
        problem = Problem.from_options(options, multiplicities={"a": 1, **dict.fromkeys("bcd", (0, 1))})
        result = search(problem)
        assert result.exhausted
        assert result.nodes == n or (search is best and result.nodes < n)
        return int(result.updates)

    assert 0 < work(4000) < 2.5 * work(2000) < 100 * 2000
