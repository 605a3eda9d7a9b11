"""Colours that cost something: sites are open or closed, and their customers know it; cliques of colours."""

from __future__ import annotations

from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from gates import FAMILIES
from oracle import is_cover
from seeds import for_seeds

from dlx import Coloured, Problem, best
from dlx.optimum.colours import Palette
from dlx.optimum.parameters import TUNED
from dlx.optimum.root import with_ranges

Whole = npt.NDArray[np.int64]


def distances(sites: int, customers: int, seed: int) -> tuple[Whole, Whole]:
    """The way from each customer to each site, points of the unit square, in thousandths; and what a site costs."""
    rng = np.random.default_rng(seed)
    place = rng.random((sites + customers, 2))
    ways = np.rint(1000 * np.hypot(*(place[sites:, None] - place[:sites]).transpose(2, 0, 1)))
    return ways.astype(np.int64), rng.integers(100, 500, sites)


def facilities(ways: Whole, costs: Whole, nearest: int) -> Problem:
    """Facility location: which sites to open, so that they and all ways to an open one of the nearest cost least."""
    options: list[list[Any]] = [
        [("open?", s), Coloured(s, colour)] for s in range(len(costs)) for colour in ("open", "")
    ]
    weights = np.stack([costs, 0 * costs], axis=1).ravel().tolist()
    for customer, way in enumerate(ways):
        for site in np.argsort(way, kind="stable")[:nearest].tolist():
            options.append([("customer", customer), Coloured(site, "open")])
            weights.append(int(way[site]))
    return Problem.from_options(options, secondary=range(len(costs)), weights=weights)


HIGHS = {  # the least cost by HiGHS, of the strong formulation
    (30, 120, 5, 0): 17010,
    (30, 120, 30, 1): 16985,
    (20, 60, 20, 0): 10303,
    (40, 200, 8, 0): 24866,
}


@pytest.mark.parametrize("seed", range(3))
def test_customers_served_twice_by_one_site(seed: int) -> None:
    """The least cost of serving each customer twice, from one site or two, is that of the best set of sites."""
    ways, costs = distances(6, 12, seed)
    options: list[list[Any]] = [[("open?", s), Coloured(s, colour)] for s in range(6) for colour in ("open", "")]
    weights = np.stack([costs, 0 * costs], axis=1).ravel().tolist()
    for customer, site in product(range(12), range(6)):
        options += 2 * [[("customer", customer), Coloured(site, "open")]]
        weights += 2 * [int(ways[customer, site])]
    twice = {("customer", customer): 2 for customer in range(12)}
    problem = Problem.from_options(options, secondary=range(6), weights=weights, multiplicities=twice)
    sets = (np.flatnonzero(chosen) for chosen in product((0, 1), repeat=6) if any(chosen))
    least = min(int(costs[some].sum() + 2 * ways[:, some].min(axis=1).sum()) for some in sets)
    result = best(problem, "min", certificate=True)
    assert (result.score, result.proven) == (least, True)
    assert result.certificate is not None
    assert result.certificate.check(problem, "min") is not None


@pytest.mark.parametrize("size", HIGHS)
def test_facilities_are_what_highs_says(size: tuple[int, int, int, int]) -> None:
    """Some thousand nodes prove the least cost; without cliques, 3.7 million left a fifth of one such open."""
    sites, customers, nearest, seed = size
    problem = facilities(*distances(sites, customers, seed), nearest)
    result = best(problem, "min", max_nodes=6000)
    assert (result.score, result.proven) == (HIGHS[size], True)
    assert is_cover(problem, result.covers[0].options)


@pytest.mark.parametrize("seed", range(3))
def test_facilities_are_what_all_sets_of_sites_say(seed: int) -> None:
    """The least cost over all sets of open sites, with a certificate in which cliques of colours stand."""
    ways, costs = distances(12, 60, seed)
    is_open = (np.arange(1, 1 << 12)[:, None] >> np.arange(12) & 1).astype(np.bool_)
    nearest = np.array([np.where(some, ways, 1 << 30).min(axis=1).sum() for some in is_open])
    problem = facilities(ways, costs, 12)
    result = best(problem, "min", certificate=True)
    assert result.score == (is_open @ costs + nearest).min()
    assert result.score is not None
    assert result.certificate is not None
    assert any(_coloured_pairs(problem, added.options) for added in result.certificate.added)
    bound = result.certificate.check(problem, "min")
    assert bound is not None
    assert result.score - 1 < bound <= result.score


def test_a_certificate_is_short_beside_options_that_are_never_best() -> None:
    """Where worse options of the same items were left out, the proof of all has cliques, not 11 million numbers."""
    problem = facilities(*distances(20, 80, 0), 5)
    assert problem.weights is not None
    last = range(problem.n_options - 3, problem.n_options)
    options = [problem.option(o) for o in (*range(problem.n_options), *last)]
    weights = [*problem.weights.tolist(), *(problem.weights[last] + 5).tolist()]
    more = Problem.from_options(options, secondary=range(20), weights=weights)
    result = best(more, "min", certificate=True, max_nodes=10_000)
    assert result.certificate is not None
    assert result.score is not None
    bound = result.certificate.check(more, "min")
    assert bound is not None
    assert result.score - 1 < bound <= result.score


def _coloured_pairs(problem: Problem, options: tuple[int, ...]) -> list[tuple[int, int]]:
    """The pairs of options that clash by nothing but their colours."""
    items = [
        {getattr(item, "item", item): getattr(item, "colour", None) for item in problem.option(o)} for o in options
    ]
    return [
        pair
        for pair in combinations(options, 2)
        for a, b in [map(items.__getitem__, map(options.index, pair))]
        if a.keys() & b.keys() and all(a[i] is not None and a[i] != b[i] is not None for i in a.keys() & b.keys())
    ]


@pytest.mark.parametrize("family", ["sites", "coloured", "coloured, derived"])
@for_seeds(80)
def test_separation_is_exact(monkeypatch: pytest.MonkeyPatch, family: str, seed: int) -> None:
    """A clique is found for an item if and only if the heaviest groups of its colours weigh more than 1, and is one."""
    rng = np.random.default_rng([seed, len(family)])
    monkeypatch.setattr("dlx.optimum.colours.COMMON", 99)
    rows, ranges = with_ranges(FAMILIES[family](rng).rows())
    if rows.colours is None or not rows.colours.any():
        return
    mass = rng.random(rows.n_options) * rng.choice([0.2, 0.5, 1.0])
    begin = rows.indptr.tolist()
    entries = list(zip(rows.indices.tolist(), rows.colours.tolist(), strict=True))
    options = [dict(entries[a:b]) for a, b in pairwise(begin)]
    ends = [i < rows.n_primary and (ranges is None or ranges[i, 1] == 1) for i in range(rows.n_items)]

    def clash(a: int, b: int) -> bool:
        both = options[a].keys() & options[b].keys()
        return any(ends[i] or (i >= rows.n_primary and not options[a][i] == options[b][i] > 0) for i in both)

    violated = 0
    for item in {i for i, colour in entries if colour}:
        total = 0.0
        for colour in {options[o][item] for o in range(len(options)) if item in options[o]}:
            some = [o for o in range(len(options)) if options[o].get(item) == colour]
            groups = [[o for o in some if i in options[o]] for i in range(rows.n_items) if ends[i]]
            groups += [[o] for o in some] + ([some] if colour == 0 else [])
            total += max(mass[group].sum() for group in groups)
        violated += total > 1 + TUNED.violation
    found = Palette.of(rows, ranges).violated(mass)
    assert bool(found) == bool(violated)
    for cut in found:
        assert mass[list(cut.options)].sum() > 1 + TUNED.violation
        assert all(clash(a, b) for a, b in combinations(cut.options, 2))
    assert len({*found}) == len(found)
