"""The engine against the plain specification, `dlx.reference`, on thousands of small random problems of every kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from oracle import as_sets, is_cover, random_problem, rows
from seeds import for_seeds

from dlx import Coloured, Problem, count, covers, first, reference
from dlx.engine.dispatch import KernelName

KERNELS: list[KernelName] = ["links", "bits"]
ASKED: list[tuple[str, KernelName]] = [
    *((kind, kernel) for kind in ("plain", "coloured") for kernel in (*KERNELS, "auto")),
    ("multiple", "auto"),
    ("both", "auto"),
]
every_search = pytest.mark.parametrize(("kind", "kernel"), ASKED)


@every_search
@for_seeds(800)
def test_every_way_to_ask_has_the_covers_of_the_reference(kind: str, kernel: KernelName, seed: int) -> None:
    """Iteration, blocks, count and first agree, stop exactly at limits of covers and nodes, and verify."""
    rng = np.random.default_rng([seed, 2])
    problem = random_problem(rng, kind)
    expected = as_sets(reference.covers(problem))
    search = covers(problem, kernel=kernel)
    found = list(search)
    assert as_sets(found) == expected
    assert all(is_cover(problem, cover) for cover in found)
    assert (search.exhausted, search.fraction, search.covers) == (True, 1.0, len(found))
    blocks = list(covers(problem, kernel=kernel).blocks(3))
    assert [cover for block in blocks for cover in rows(block)] == found
    assert all(len(block) == 3 for block in blocks[:-1])
    assert all(block.shape[1] == problem.max_level for block in blocks)
    assert as_sets(covers(problem, kernel=kernel, seed=seed)) == expected
    if problem.multiplicities is None:  # once is a multiplicity, too
        once = replace(problem, multiplicities=np.ones((problem.n_primary, 2), dtype=np.int32))
        assert as_sets(covers(once)) == expected
    assert first(problem, kernel=kernel).cover == (found[0] if found else None)
    whole = count(problem, kernel=kernel)
    assert (whole.covers, whole.exhausted, whole.nodes) == (len(found), True, search.nodes)
    assert kernel in ("auto", search.kernel)
    assert search.kernel == whole.kernel
    for limit in {0, 1, len(found), int(rng.integers(0, len(found) + 2))}:
        some = covers(problem, kernel=kernel, max_covers=limit)
        assert list(some) == found[:limit]
        assert some.stopped == "max_covers" if limit < len(found) else some.exhausted or some.stopped == "max_covers"
        assert count(problem, kernel=kernel, max_covers=limit).covers == min(limit, len(found))
    for limit in {0, 1, whole.nodes, max(0, whole.nodes - 1), int(rng.integers(0, whole.nodes + 2))}:
        part, some = count(problem, kernel=kernel, max_nodes=limit), covers(problem, kernel=kernel, max_nodes=limit)
        assert part.nodes == min(limit, whole.nodes)
        assert part.stopped == "max_nodes" if limit < whole.nodes else part.exhausted or part.stopped == "max_nodes"
        assert (len(list(some)), some.nodes) == (part.covers, part.nodes)


@every_search
@for_seeds(400)
def test_names_and_orders_change_nothing(kind: str, kernel: KernelName, seed: int) -> None:
    """Other names of items and colours, and orders of options, items and entries, leave the covers as they are."""
    rng = np.random.default_rng([seed, 3])
    problem = random_problem(rng, kind)

    def other(entry: Any) -> Any:
        return Coloured(other(entry.item), entry) if isinstance(entry, Coloured) else ("new", entry)

    order = rng.permutation(problem.n_options).tolist()
    given = [problem.option(o) for o in order]
    bounds = None if problem.multiplicities is None else map(tuple, problem.multiplicities.tolist())
    renamed = Problem.from_options(
        [[other(option[k]) for k in rng.permutation(len(option))] for option in given],
        items=[other(problem.items[i]) for i in rng.permutation(problem.n_items)],
        secondary=[other(item) for item in problem.items[problem.n_primary :]],
        multiplicities=None if bounds is None else dict(zip(map(other, problem.items), bounds, strict=False)),
    )
    found = as_sets([order[o] for o in cover] for cover in covers(renamed, kernel=kernel))
    assert found == as_sets(covers(problem, kernel=kernel))
