"""Counting in layers: the numbers, whatever the budgets and the memory; states that wait; the part told as progress."""

from __future__ import annotations

import io
import itertools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from families import beside, build
from oracle import random_problem
from seeds import for_seeds, nightly

from dlx import Problem, Progress, count, reference
from dlx.counting import layers
from dlx.counting.forecast import Forecast
from dlx.counting.layers import Layered
from dlx.kernels import BUDGET_SPENT, EXHAUSTED

MANY = 1 << 60
ENOUGH = 1 << 30


@pytest.fixture(autouse=True)
def any_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets states have less memory than the 256 kB that a count takes at least."""
    monkeypatch.setattr(layers, "LITTLE", 0)


def exhaust(problem: Problem, memory: int = ENOUGH, nodes: int = MANY, updates: int = MANY) -> Layered:
    """Runs a search to its end, in slices; where these are small the kernel is checked after each."""
    search = Layered(problem, memory)
    state = BUDGET_SPENT
    while state != EXHAUSTED:
        before = search.nodes
        state = search.run(nodes, updates, MANY)
        assert search.nodes - before <= nodes
        if nodes < MANY:
            search._kernel.check()
    assert search.run(nodes, updates, MANY) == EXHAUSTED, "an ended search stays ended"
    assert search.fraction() == 1
    return search


@pytest.mark.parametrize("kind", ["plain", "coloured", "multiple", "both"])
@for_seeds(600)
def test_the_count_is_that_of_the_reference(kind: str, seed: int) -> None:
    """On random problems of each kind as many covers as the reference finds, in slices of any size, with any memory."""
    rng = np.random.default_rng([seed, 71])
    problem = random_problem(rng, kind)
    search = exhaust(problem, int(rng.choice([0, ENOUGH])), *rng.integers(1, 40, size=2).tolist())
    assert search.covers == sum(1 for _ in reference.covers(problem))


@pytest.mark.parametrize(
    ("family", "sizes", "part"),
    [("tetrominoes", (6, 6), 4), ("tetrominoes", (5, 8), 10), *nightly(("dominoes", (12, 12), 10))],
)
def test_states_that_wait(family: str, sizes: Any, part: int) -> None:
    """With a small part of the memory the number is the same, and no state is expanded twice."""
    enough = exhaust(build(family, *sizes))
    little = exhaust(build(family, *sizes), enough.bytes // part)
    assert little.bytes <= enough.bytes // part
    assert (little.covers, little.states, little.nodes) == (enough.covers, enough.states, enough.nodes)


def test_no_room_in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk ends the count with an error that names the states and the cause."""

    class Full:
        def write(self, data: object) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    with pytest.raises(MemoryError, match=r"\d+ states wait, and there is no room for their file: .*No space left"):
        exhaust(build("tetrominoes", 6, 6), 20_000)


def test_limits_while_states_wait() -> None:
    """A timeout ends a count whose states come back from files, not only between two of these."""
    rooks = Problem.from_options([[("row", r), ("column", c)] for r in range(18) for c in range(18)])
    asked = 0

    def over() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2_000

    search = Layered(rooks, 0, over)
    assert search.run(MANY, MANY, MANY) == BUDGET_SPENT
    assert asked == 2_001


def test_components_multiply() -> None:
    """Four boards of 8 queens in one problem: 92^4 in the nodes of four boards."""
    found = exhaust(beside([build("queens", 8)] * 4))
    assert (found.covers, found.nodes < 20_000) == (92**4, True)


def test_progress_tells_the_item() -> None:
    """The item never falls while no state waits, and the part done ends at 1."""
    seen: list[Progress] = []
    result = count(build("dominoes", 18, 18), merge="same", progress=seen.append)
    items = [int(progress.doing.split()[1]) for progress in seen if progress.doing]
    assert len(items) > 1
    assert items == sorted(items)
    assert all(0 <= progress.fraction <= 1 for progress in seen)
    assert (seen[-1].fraction, seen[-1].covers) == (1, result.covers)
    assert result.covers == 548943583215388338077567813208427340288  # Kasteleyn's formula


def test_short_writes_are_gone_on_with(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the system writes a part of a block only, the rest follows, and the number is right."""
    names = map(str, itertools.count())

    class Short(io.FileIO):
        def write(self, data: Any) -> int:
            return super().write(memoryview(data)[:100])

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Short(tmp_path / next(names), "w+b"))
    search = Layered(build("tetrominoes", 6, 6), 20_000)
    assert search.run(MANY, MANY, MANY) == EXHAUSTED
    assert search.covers == 178939
    assert [*tmp_path.iterdir()], "states wait in files"


def temporary_files(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Returns a list that gets every temporary file from now on."""
    files: list[Any] = []
    temporary = tempfile.TemporaryFile

    def noted(**given: Any) -> Any:
        files.append(temporary(**given))
        return files[-1]

    monkeypatch.setattr(tempfile, "TemporaryFile", noted)
    return files


def test_files_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are closed when a count ends, is stopped, or gives layers up, and not by the garbage collector."""
    monkeypatch.undo()
    files = temporary_files(monkeypatch)
    rooks = build("rooks", 14)
    for limit in (20_000, 50_000, None):
        count(rooks, merge="same", memory=0, max_nodes=limit)
        assert files
        assert all(file.closed for file in files)


# The part of a count that progress tells


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
    """After a third of the states, the fraction is right within a factor of 3; it rises to 1, and rarely falls."""
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
    """The fraction after a number of nodes does not depend on the length of slices."""
    finely = {n: part for n, _, part in told(build("dominoes", 8, 8), 1)}
    assert all(finely[n] == part for n, _, part in told(build("dominoes", 8, 8), nodes))


def test_a_front_of_any_size() -> None:
    """Fronts of thousands of items make no number too large, and the part behind is told as nearly nothing."""
    forecast = Forecast(np.full(5_000, 4_000))
    assert 1 / forecast.total(1, 1) < 1e-300
    forecast.add(1, 100, 1 << 50)
    assert 100 / forecast.total(100, 1 << 50) < 1e-10
