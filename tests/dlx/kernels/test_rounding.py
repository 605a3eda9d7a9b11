"""Tests of cuts by rounding, `dlx.kernels.price.rounding`."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from gates import FAMILIES, weighted

from dlx import Problem
from dlx.optimum.cuts import Entries, Point
from dlx.optimum.parameters import TUNED
from dlx.optimum.root import with_ranges
from dlx.problem.roles import Rows


def point_of(problem: Problem, mass: np.ndarray) -> tuple[Point, Rows]:
    """A point with some masses, at most as often as each option may be chosen; and the rows."""
    rows, bounds = with_ranges(problem.rows())
    bounds = rows.ranges() if bounds is None else bounds
    entries = Entries.of(rows, bounds)
    none = np.zeros(rows.n_options, np.bool_)
    return Point(entries, bounds, mass * entries.room, entries.alone, none), rows


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
            for _ in range(20):
                some = items[rng.random(len(items)) < rng.random()]
                for violation, cut in point.cuts(some):
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
            told = [cut for _, cut in point.cuts(np.array(some)) if cut.options == inside and cut.most == size // 2]
            assert bool(told) == (over > TUNED.violation)
