"""Real weights of several magnitudes: the second search, in finer units, stopped at every point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count as numbers
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gates import in_slices
from seeds import Nightly
from weighted import compare

from dlx import Problem, best, covers
from dlx.engine import limits
from dlx.optimum import best as optimum

Limit = Callable[[int, pytest.MonkeyPatch], dict[str, Any]]


def problems() -> Iterator[Problem]:
    """Four alike options of an item, as in big-M models; two parts; and random ones, some options of which are dear."""
    yield Problem.from_options(["a"] * 4, weights=[0.5, 1.25, 2.5, 1000.0])
    yield Problem.from_options([*["a"] * 4, *["b"] * 3], weights=[0.5, 1.25, 2.5, 1e9, 0.25, 0.75, 1e12])
    for seed in range(6 if Nightly.on else 2):
        rng = np.random.default_rng(seed)
        options = [np.flatnonzero(rng.random(5) < 0.4).tolist() or [0] for _ in range(14)]
        weights = rng.random(14) * 10.0 ** rng.choice([0, 3, 12], 14)
        yield Problem.from_options([*options, range(5)], items=range(5), weights=[*weights.tolist(), 1e15])


def ended_by_progress(reports: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Ctrl-C in a report."""
    left = iter(range(reports))

    def progress(seen: limits.Progress) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr(limits, "SLICE", 0.0)
    return {"progress": progress}


def out_of_time(ticks: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A clock that advances by one second at each call, and a timeout."""
    clock = numbers()
    monkeypatch.setattr(limits, "time", SimpleNamespace(perf_counter=lambda: float(next(clock))))
    return {"timeout": float(ticks)}


WAYS: dict[str, tuple[Limit, int]] = {
    "gap": (lambda n, _: {"gap": 10.0**-n}, 16),
    "max_nodes": (lambda n, _: {"max_nodes": n}, 60),
    "max_covers": (lambda n, _: {"max_covers": n}, 12),
    "interrupt": (ended_by_progress, 25),
    "timeout": (out_of_time, 80),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("k", [1, 3])
def test_nothing_is_proven_by_the_search_before(way: str, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """`best`, stopped anywhere by any limit, proves nothing of the finer scores that only the coarser ones say."""
    finer: list[Problem | None] = []
    look = optimum._finer

    def noting(*given: Any) -> Problem | None:
        finer.append(look(*given))
        return finer[-1]

    monkeypatch.setattr(optimum, "_finer", noting)
    limit, points = WAYS[way]
    stops = set()
    for problem in problems():
        known = {tuple(sorted(cover)): problem.score(cover) for cover in covers(problem)}
        for n in range(points):
            with monkeypatch.context() as patch:
                in_slices(patch, 1)
                result = best(problem, "min", k=k, **limit(n, patch))
            stops.add(result.stopped)
            compare(result, known, -1, k)
    assert any(found is not None for found in finer)
    assert {way, None} <= stops


def test_all_of_the_best_are_there_with_a_gap() -> None:
    """The covers of the coarser search do not end the finer one: all three that `k` asks for are found."""
    problem = Problem.from_options(["a"] * 4, weights=[0.5, 1.25, 2.5, 1000.0])
    result = best(problem, "min", k=3, gap=0.01)
    assert [cover.score for cover in result.covers] == [0.5, 1.25, 2.5]
    assert result.proven


@pytest.mark.parametrize("gap", [1.0, 1e-6])
def test_a_gap_takes_no_proof_back(gap: float) -> None:
    """If the first search ends with a tolerance within the gap, its answer is proven, and no finer search follows."""
    n_finer = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        options = [np.flatnonzero(rng.random(4) < 0.4).tolist() or [0] for _ in range(12)]
        problem = Problem.from_options([*options, range(4)], items=range(4), weights=[*rng.random(12).tolist(), 40.0])
        known = {tuple(sorted(cover)): problem.score(cover) for cover in covers(problem)}
        result = best(problem, "min", gap=gap)
        compare(result, known, -1, 1)
        assert result.stopped is None
        assert result.tolerance <= gap * abs(result.score or 0)
        n_finer += result.tolerance > best(problem, "min").tolerance
    assert n_finer > 0
