"""A count up to isomorphism with a checkpoint continues from it to the same number, or refuses the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from families import latin, steiner
from seeds import for_seeds
from symmetric import copies, renamed, some_problem

from dlx import CheckpointError, Count, Problem, count
from dlx.counting.isomorphism import Isomorphic
from dlx.engine.limits import StoppedError
from dlx.kernels import EXHAUSTED
from dlx.parallel.checkpoint import Checkpoint, fingerprint

pytest.importorskip("pynauty")

SQUARES = latin(6)


@pytest.fixture(autouse=True)
def short_pilots(monkeypatch: pytest.MonkeyPatch) -> None:
    """One family of points is chosen after a few forms, so that there is something to keep early."""
    monkeypatch.setattr("dlx.counting.isomorphism.PILOT", 1)


def facts(result: Count) -> tuple[int, ...]:
    """The fields of a count that are the same in every run."""
    return result.covers, result.states, result.nodes, result.updates, result.hits


def resumed(path: Path, problem: Problem = SQUARES, **more: Any) -> Count:
    return count(problem, merge="isomorphic", checkpoint=path, **more)


def written(path: Path, problem: Problem = SQUARES) -> None:
    """A checkpoint of a count that is under way."""
    assert resumed(path, problem, max_nodes=count(problem, merge="isomorphic").nodes // 2).stopped == "max_nodes"


def opened(path: Path) -> Checkpoint:
    return Checkpoint(path, {"problem": fingerprint(SQUARES), "count": "isomorphic"})


@for_seeds(200)
def test_portions(seed: int, tmp_path: Path) -> None:
    """Counts that stop again and again come to what one call finds."""
    problem, path = some_problem(seed), tmp_path / f"{seed}.checkpoint"
    whole = count(problem, merge="isomorphic")
    some = max(1, whole.nodes // 6)
    nodes = 0
    while True:
        nodes += some
        result = resumed(path, problem, max_nodes=nodes)
        if result.exhausted:
            break
        assert (result.stopped, result.covers) == ("max_nodes", 0)
    assert result.covers == whole.covers


@pytest.mark.parametrize("limits", [{}, {"max_nodes": 1}, {"timeout": 0}])
def test_what_is_done_is_not_done_again(limits: dict[str, Any], path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A count that has ended is read from its checkpoint, whatever limits there are, and nothing is written."""
    whole = resumed(path)
    monkeypatch.setattr(Checkpoint, "save", None)
    assert facts(resumed(path, **limits)) == facts(whole)


@pytest.mark.parametrize("problem", [SQUARES, renamed(np.random.default_rng(1), latin(4))], ids=["points", "graph"])
def test_every_call_goes_on(problem: Problem, path: Path) -> None:
    """A call without time reports what the file has, and does one step; many of these come to the end."""
    whole = count(problem, merge="isomorphic")
    written(path, problem)
    nodes = resumed(path, problem, max_nodes=0).nodes
    assert nodes == whole.nodes // 2
    while not (result := resumed(path, problem, timeout=0)).exhausted:
        assert (result.nodes, result.stopped) == (nodes + 1, "timeout")
        nodes += 1
    assert result.covers == whole.covers


def test_more_memory(path: Path) -> None:
    """A count that lacks memory goes on from its checkpoint with more."""
    problem = steiner(15)
    whole = count(problem, merge="isomorphic")
    with pytest.raises(MemoryError, match=r"the classes take more than \d+ bytes: \d+ wait .* give more memory"):
        resumed(path, problem, memory=whole.memory // 2)
    assert path.stat().st_size
    assert resumed(path, problem).covers == whole.covers


class Failing:
    """Forms of which many are refused at first, as when a limit comes."""

    def __init__(self, form: Any, seed: int) -> None:
        self.form, self.draws, self.orbit = form, np.random.default_rng(seed), form.orbit

    def _fail(self) -> None:
        if self.draws.random() < 0.3:
            raise StoppedError

    def of(self) -> bytes:
        self._fail()
        return bytes(self.form.of())

    def orbits(self) -> None:
        self._fail()
        self.form.orbits()


@pytest.mark.parametrize("points", [6, 0])
def test_errors_of_forms(points: int) -> None:
    """A kernel goes on after an error as if there had been none: so it is saved rightly whatever ends a run."""
    search = Isomorphic(SQUARES)
    numbers = []
    for form in (search.form, Failing(search.form, 1)):
        search.form = form
        kernel = None
        while kernel is None:
            try:
                kernel = search.kernel(search.families[0][:points])
            except StoppedError:
                continue
        errors = 0
        while True:
            try:
                if kernel.run(10**6) == EXHAUSTED:
                    break
            except StoppedError:
                errors += 1
        numbers.append((kernel.covers, kernel.nodes, kernel.forms, kernel.states))
    assert errors > 10
    assert numbers[0] == numbers[1]


def test_checkpoints_of_others(path: Path) -> None:
    """Other points, and states that are none of the problem, are refused."""
    written(path)
    with opened(path) as saved:
        state = saved.load()
        assert state is not None
        saved.save({**state, "points": state["points"][::-1]})
    with pytest.raises(CheckpointError, match="the saved count has other points"):
        resumed(path)
    for wrong in (state["state"][:, :1], state["state"] | np.uint64(1 << 63), state["state"][1:]):
        with opened(path) as saved:
            saved.save({**state, "state": np.ascontiguousarray(wrong)})
        with pytest.raises(CheckpointError, match=r"this is no state of a search: .* are no states of the problem"):
            resumed(path)


def test_big_numbers(path: Path) -> None:
    """Weights and covers have any size."""
    problem = copies(3, latin(5))
    assert resumed(path, problem, max_nodes=100).stopped == "max_nodes"
    assert resumed(path, problem).covers == 161280**3 > 2**51
