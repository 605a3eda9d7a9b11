"""The part of a count in layers that progress tells: near the truth, never above 1, and hardly ever falling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from families import build

from dlx import Problem
from dlx.counting.forecast import Forecast
from dlx.counting.layers import Layered
from dlx.kernels import EXHAUSTED

MANY = 1 << 60


def told(problem: Problem, nodes: int) -> list[tuple[int, int, float]]:
    """Returns the nodes, the states and the part behind it, of a search in slices of some nodes, at the end of each."""
    search, seen = Layered(problem), []
    state = None
    while state != EXHAUSTED:
        state = search.run(nodes, MANY, MANY)
        seen.append((search.nodes, search.states, search.fraction()))
    return seen


@pytest.mark.parametrize(
    ("family", "sizes"),
    [
        ("dominoes", (12, 12)),
        ("tetrominoes", (6, 8)),
        ("matchings", (11,)),
        ("partitions", (12,)),
        ("words", (100,)),
        ("queens", (8,)),
        ("langford", (8,)),
        ("rooks", (10,)),
        ("tournaments", (8,)),
    ],
)
def test_the_part_that_is_told(family: str, sizes: Any) -> None:
    """From a third of the states on, the part is right within a factor of 3; it hardly falls, and ends at 1."""
    seen = told(build(family, *sizes), 200)
    states = seen[-1][1]
    assert seen[-1][2] == 1
    assert all(0 <= part <= 1 for _, _, part in seen)
    highest = 0.0
    for _, done, part in seen:
        if done >= states / 3:
            assert done / states / 3 <= part <= min(1.0, 3 * done / states)
            highest = max(highest, part)
            assert part >= 0.6 * highest


@pytest.mark.parametrize("nodes", [7, 1_000])
def test_slices_make_no_difference(nodes: int) -> None:
    """After as many nodes the same part is told, however long the slices were."""
    finely = {n: part for n, _, part in told(build("dominoes", 8, 8), 1)}
    assert all(finely[n] == part for n, _, part in told(build("dominoes", 8, 8), nodes))


def test_a_front_of_any_size() -> None:
    """Fronts of thousands of items make no number too large, and the part behind is told as nearly nothing."""
    forecast = Forecast(np.full(5_000, 4_000))
    assert 1 / forecast.total(1, 1) < 1e-300
    forecast.add(1, 100, 1 << 50)
    assert 100 / forecast.total(100, 1 << 50) < 1e-10
