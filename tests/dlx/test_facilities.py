"""Colours that cost something: sites are open or closed, and their customers know it; cliques of colours."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from dlx import Coloured, Problem, best

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
    assert result.certificate.added
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
