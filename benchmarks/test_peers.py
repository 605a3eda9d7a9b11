"""Counting covers: `dlx` beside PyPI's exact-cover, in one run, with every count checked.

Each side starts from its own input, made beforehand: a `dlx.Problem`, and a matrix of zeros and ones. exact-cover has
no secondary items; for its sake each gets an option of its own, the usual way out.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from families import SIXTEEN_GIVENS, build

from dlx import Problem, count, covers

# Processor time: what else the machine does is no business of either side.
pytestmark = pytest.mark.benchmark(timer=time.process_time)

# name: the problem, its covers, and how often it is timed
INSTANCES = {
    "queens 12": (build("queens", 12), 14_200, 9),
    "pentominoes 6x10": (build("pentominoes", 6, 10), 9_356, 1),
    "langford 12": (build("langford", 12), 216_288, 5),
    "sudoku, 16 givens": (build("sudoku", SIXTEEN_GIVENS), 97_290, 9),
}


def matrix(problem: Problem) -> npt.NDArray[np.int32]:
    """The problem as rows of zeros and ones, with a slack row for each secondary item."""
    rows = np.zeros((problem.n_options, problem.n_items), dtype=np.int32)
    rows[np.repeat(np.arange(problem.n_options), np.diff(problem.indptr)), problem.indices] = 1
    return np.concatenate([rows, np.eye(problem.n_items, dtype=np.int32)[problem.n_primary :]])


@pytest.mark.parametrize("name", INSTANCES)
def test_dlx_counts(benchmark: Any, name: str) -> None:
    """`dlx.count`."""
    problem, expected, rounds = INSTANCES[name]
    result = benchmark.pedantic(count, args=(problem,), rounds=rounds)
    assert result.covers == expected
    benchmark.extra_info.update(instance=name, side="dlx", covers=expected, nodes=result.nodes, updates=result.updates)


@pytest.mark.parametrize("name", INSTANCES)
def test_dlx_delivers_blocks(benchmark: Any, name: str) -> None:
    """All covers as numpy blocks from `dlx.covers`."""
    problem, expected, rounds = INSTANCES[name]

    def deliver() -> int:
        return sum(len(block) for block in covers(problem).blocks())

    assert benchmark.pedantic(deliver, rounds=rounds) == expected
    benchmark.extra_info.update(instance=name, side="dlx, blocks", covers=expected)


@pytest.mark.parametrize("name", INSTANCES)
def test_exact_cover_counts(benchmark: Any, name: str) -> None:
    """`exact_cover.get_solution_count`."""
    peer = pytest.importorskip("exact_cover", reason="exact-cover is not installed: pip install -e '.[bench]'")
    problem, expected, rounds = INSTANCES[name]
    assert benchmark.pedantic(peer.get_solution_count, args=(matrix(problem),), rounds=min(rounds, 5)) == expected
    benchmark.extra_info.update(instance=name, side="exact-cover", covers=expected)
