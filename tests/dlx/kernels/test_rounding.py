"""Tests of cuts by rounding, and of the clusters of items that they are of, in `dlx.kernels.price.cuts`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from gates import FAMILIES, weighted

from dlx import Problem
from dlx.engine.compiled import compiled_module
from dlx.optimum.cuts import Cut, Entries, Point
from dlx.optimum.matrix import with_ranges
from dlx.optimum.parameters import TUNED
from dlx.problem.roles import Rows


def point_of(problem: Problem, mass: np.ndarray) -> tuple[Point, Rows]:
    """A point with some masses, at most as often as each option may be chosen; and the rows."""
    rows, bounds = with_ranges(problem.rows())
    bounds = rows.ranges() if bounds is None else bounds
    entries = Entries.of(rows, bounds)
    none = np.zeros(rows.n_options, np.bool_)
    return Point(entries, bounds, mass * entries.room, entries.alone, none), rows


def cuts_of(point: Point, sets: Sequence[Any]) -> list[tuple[float, Cut]]:
    """The cuts of sets of items, all asked for at once, which are those of each by itself."""
    ends = np.cumsum([0, *map(len, sets)]).astype(np.int32)
    told = point.cuts(ends, np.concatenate(sets).astype(np.int32))
    alone = [point.cuts(np.array([0, len(some)], np.int32), np.array(some, np.int32)) for some in sets]
    assert told == [pair for pairs in alone for pair in pairs]
    return told


@pytest.mark.parametrize("family", sorted({*FAMILIES} - {"sites"}))  # whose sets of items give none
def test_cuts_are_true_of_all_covers(monkeypatch: pytest.MonkeyPatch, family: str) -> None:
    """Every cover keeps the cuts of any set of items at any point; the point violates them by so much at least."""
    monkeypatch.setitem(vars(TUNED), "violation", 0.001)
    seen = 0
    for seed in range(20):
        rng = np.random.default_rng([seed, 6])
        problem, known = weighted(rng, family)
        for _ in range(5):
            mass = rng.integers(0, 3, problem.n_options) / 2 * (rng.random(problem.n_options) < rng.random())
            point, _ = point_of(problem, mass)
            items = np.unique(point.entries.items)
            sets = [items[rng.random(len(items)) < rng.random()] for _ in range(20)]
            for violation, cut in cuts_of(point, sets):
                options = {*cut.options}
                assert all(cut.least <= len(options & {*cover}) <= cut.most for cover in known)
                there = point.mass[list(cut.options)].sum()
                assert TUNED.violation < violation <= max(cut.least - there, there - cut.most) + 1e-9
                seen += 1
    assert seen


@pytest.mark.parametrize("seed", range(10))
def test_odd_sets_of_matchings_are_found(seed: int) -> None:
    """Every set of an odd number of points with more mass inside than pairs is told, and no other one."""
    rng = np.random.default_rng(seed)
    n, pairs = 8, [*combinations(range(8), 2)]
    place = {pair: k for k, pair in enumerate(pairs)}
    mass = np.zeros(len(pairs))
    for _ in range(3):  # two triangles or more and a matching, so that each point has mass 1
        a, b, c, d, e, f, g, h = rng.permutation(n).tolist()
        for x, y in ((a, b), (b, c), (a, c), (d, e), (e, f), (d, f)):
            mass[place[min(x, y), max(x, y)]] += 1 / 6
        mass[place[min(g, h), max(g, h)]] += 1 / 3
    point, _ = point_of(Problem.from_options(pairs), mass)
    for size in (3, 5):
        for some in combinations(range(n), size):
            inside = tuple(place[pair] for pair in combinations(some, 2))
            over = mass[list(inside)].sum() - size // 2
            assert not np.isclose(over, TUNED.violation)
            told = [cut for _, cut in cuts_of(point, [some]) if cut.options == inside and cut.most == size // 2]
            assert bool(told) == (over > TUNED.violation)


def ways_to_join(clusters: list[frozenset[int]], options: list[frozenset[int]], weight: np.ndarray) -> Iterator[Any]:
    """All orders of clusters that are joined, where always the two that are tied and that least leaves come next."""

    def leaving(some: frozenset[int]) -> float:
        pairs = [len(some & option) * len(option - some) / (len(option) - 1) for option in options]
        return float(weight @ pairs)

    joined = {a | b: leaving(a | b) for a, b in combinations(clusters, 2) if any(a & o and b & o for o in options)}
    if not joined:
        yield []
    for some in [some for some, left in joined.items() if left < min(joined.values()) + 1e-9]:
        parts = [cluster for cluster in clusters if not cluster <= some]
        for later in ways_to_join([*parts, some], options, weight):
            yield [some, *later]


@pytest.mark.parametrize("seed", range(40))
def test_clusters_are_joined_where_least_leaves_them(seed: int) -> None:
    """Sets of items are those that sets of Python give, in one of the orders that there are.

    What leaves both halves of all that is joined is the same, so there may be several orders.
    """
    rng = np.random.default_rng(seed)
    n, most = int(rng.integers(3, 8)), int(rng.integers(3, 7))
    options = [frozenset(rng.choice(n, rng.integers(2, 4), replace=False).tolist()) for _ in range(rng.integers(1, n))]
    weight = rng.random(len(options))
    begin = np.cumsum([0, *map(len, options)]).astype(np.int32)
    clusters = compiled_module("dlx.kernels.price.cuts").clusters
    ends, items = clusters(n, begin, np.array([i for o in options for i in o], np.int32), weight, most)
    told = [frozenset(items[a:b].tolist()) for a, b in pairwise(ends)]
    ways = ways_to_join([frozenset([i]) for i in range(n)], options, weight)
    assert told in ([some for some in joined if 3 <= len(some) <= most] for joined in ways)
