"""The problems with weights that benchmarks and tests share: the same in every run, and each has a cover."""

from __future__ import annotations

import numpy as np
import pytest
import weighted_families
from oracle import is_cover
from seeds import for_seeds

from dlx import best


@pytest.mark.slow
@pytest.mark.parametrize("name", weighted_families.INSTANCES)
def test_problems_are_the_same_every_time(name: str) -> None:
    """The weights are whole, and building a problem again gives the same one."""
    problem, sense = weighted_families.build(name)
    assert problem.weights is not None
    assert problem.weights.dtype == np.int64
    assert sense in ("max", "min")
    assert weighted_families.build(name).problem == problem


@for_seeds(100)
def test_a_partition_is_planted(seed: int) -> None:
    """The first columns of random set partitioning are a cover, with as many rows each as the others may have."""
    rng = np.random.default_rng(seed)
    least, most = sorted(rng.integers(2, 9, 2).tolist())
    rows = int(rng.integers(3 * most, 60))
    problem, _ = weighted_families.partitioning(rows, 80, least, most, seed)
    sizes = np.diff(problem.indptr)
    planted = int(np.searchsorted(np.cumsum(sizes), rows)) + 1
    assert is_cover(problem, range(planted))
    assert sizes.max() <= most
    assert problem.n_options == 80


@for_seeds(30)
def test_ranges_can_be_met(seed: int) -> None:
    """Subgraphs and transport with multiplicities have a cover."""
    edges = [(a, b) for a in range(5) for b in range(a)]
    for problem, sense in (weighted_families.subgraph(edges, seed), weighted_families.transport(4, 3, seed)):
        assert best(problem, sense).score is not None
