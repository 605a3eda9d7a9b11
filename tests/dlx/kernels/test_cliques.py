"""The kernel `cliques` against brute force: what it finds are cliques, heavy ones, and as large as can be."""

from __future__ import annotations

import time
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from seeds import for_seeds
from waiting import WAIT

from dlx.engine.compiled import compiled_module
from dlx.optimum.parameters import TUNED
from dlx.problem.roles import Rows


def graph(options: list[list[int]], n_items: int, mass: Any, seed: int = 0) -> Any:
    """The kernel for options with such items, in increasing order, and such masses."""
    indptr = np.append(0, np.cumsum([len(items) for items in options])).astype(np.int32)
    indices = np.array([i for items in options for i in items], dtype=np.int32)
    rows = Rows(indptr, indices, n_items, n_items, None, None)
    return compiled_module("dlx.kernels.price.cliques").Cliques(rows, np.array(mass, np.float64), seed)


@for_seeds(300)
def test_what_is_found_are_cliques_that_cannot_grow(seed: int) -> None:
    """Any two options share an item, but not all of them the same; the mass is enough; no other clashes with all."""
    rng = np.random.default_rng(seed)
    n, n_items = int(rng.integers(0, 25)), int(rng.integers(1, 9))
    options = [np.flatnonzero(rng.random(n_items) < 0.4).tolist() for _ in range(n)]
    mass, most = rng.random(n) * 0.6, int(rng.integers(1, 9))
    found = graph(options, n_items, mass, seed).find(TUNED, most, rng.integers(0, 99, n))
    assert len(found) <= most
    sets = [set(items) for items in options]
    for clique in (some.tolist() for some in found):
        assert len(set(clique)) == len(clique)
        assert all(sets[a] & sets[b] for a, b in combinations(clique, 2))
        assert not set.intersection(*(sets[o] for o in clique))
        assert sum(mass[clique]) > TUNED.clique
        assert not any(all(sets[o] & sets[c] for c in clique) for o in set(range(n)).difference(clique))


def test_the_triangle_is_found() -> None:
    """Three pairs of three items, each with half a mass, and a fourth option that joins them."""
    found = graph([[0, 1], [0, 2], [1, 2], [0, 1, 2], [3]], 4, [0.5, 0.5, 0.5, 0.0, 1.0]).find(TUNED, 9, np.arange(5))
    assert [sorted(clique.tolist()) for clique in found] == [[0, 1, 2, 3]]


@pytest.mark.nightly
def test_lifting_comes_to_an_end() -> None:
    """Where 100,000 options clash with nearly all of the others, what is found is less than could be, and soon."""
    rng = np.random.default_rng(0)
    options = np.sort(rng.permuted(np.tile(np.arange(50), (100_000, 1)), axis=1)[:, :5], axis=1)
    mass = rng.random(100_000) * 0.001
    mass[:600] = 0.5
    start = time.process_time()
    found = graph(options.tolist(), 50, mass).find(TUNED, 30, np.arange(100_000))
    assert found
    assert time.process_time() - start < WAIT
