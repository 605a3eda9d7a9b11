"""The best cover by many workers: the answers of one, a bound at every moment, and nothing lost, whatever ends it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from executors import AtOnce, InAnyOrder, Noting
from gates import WEIGHTS, compare, possible, random_case, watched
from seeds import for_seeds

from dlx import CheckpointError, Problem, Progress, best
from dlx.engine import limits
from dlx.engine.limits import Limits, Loop
from dlx.kernels import EXHAUSTED
from dlx.optimum import schedule, search, sharing
from dlx.optimum.parameters import TUNED
from dlx.optimum.root import Root
from dlx.optimum.sharing import NodeTask, OpenNode, SharedTree
from dlx.optimum.units import Incumbents, Units

KINDS = ["plain", "coloured", "multiple", "both"]


def set_partitioning(n_options: int, seed: int = 3, n_items: int = 40) -> Problem:
    """Random options of three to five items, and one dear option for each item, so that there is a cover."""
    rng = np.random.default_rng(seed)
    options = [sorted(rng.choice(n_items, rng.integers(3, 6), replace=False).tolist()) for _ in range(n_options)]
    weights = [int(rng.integers(60, 140)) * len(option) for option in options]
    return Problem.from_options([*options, *([i] for i in range(n_items))], weights=[*weights, *[400] * n_items])


HARD = set_partitioning(150, n_items=24)  # some thousand nodes
BEST = 1868
SHORT = replace(TUNED, probe=1, long_probe=1, first_restart=20)


@pytest.fixture(autouse=True)
def _small_tasks(monkeypatch: pytest.MonkeyPatch, eager_checkpoints: None) -> None:
    """Every search is shared, from its first stage on, and a task has but a few nodes."""
    for module in (schedule, search):
        monkeypatch.setattr(module, "TUNED", SHORT)
    monkeypatch.setattr(sharing, "ALONE", 0)
    monkeypatch.setattr(sharing, "NODES", 10)
    monkeypatch.setattr(sharing, "SENT", 2)


def drawn(rng: np.random.Generator) -> Executor | None:
    """Threads, or an executor in one of two orders."""
    executors: list[Executor | None] = [None, AtOnce(), InAnyOrder(int(rng.integers(1000)))]
    return executors[rng.integers(3)]


# The same answers


@pytest.mark.parametrize("kind", KINDS)
@for_seeds(160)
def test_answers_of_enumeration_in_portions(
    kind: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Searches that stop and continue at any moment, also part by part, find the k best covers of enumeration."""
    monkeypatch.setattr("dlx.optimum.components.WIDEST", seed % 2 * 128)
    rng = np.random.default_rng([seed, 91])
    weights = str(rng.choice([name for name in WEIGHTS if possible(kind, name)]))
    problem, found = random_case(rng, weights, kind)
    sense: Literal["max", "min"] = "max" if rng.integers(2) else "min"
    k, file, nodes, result = int(rng.integers(1, 4)), tmp_path / str(seed), 0, None
    while result is None or not result.proven:
        nodes += int(rng.choice([1, 4, 10**9]))
        workers: dict[str, Any] = {"executor": drawn(rng), "jobs": int(rng.integers(1, 4))}
        result = best(problem, sense, k, checkpoint=file, max_nodes=nodes, **workers)
        compare(result, {cover: score for score, cover in found}, 1 if sense == "max" else -1, k)


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("k", [1, 5])
def test_every_way_to_branch(pairs: bool, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes divided by items, options and pairs go to workers, and the scores are those of a search by one."""
    if pairs:
        monkeypatch.setattr(schedule, "TUNED", replace(SHORT, pairing=1_000, pairing_nodes=20))
    alone = best(HARD, "min", k)
    result = best(HARD, "min", k, executor=AtOnce(), jobs=2)
    assert [cover.score for cover in result.covers] == [cover.score for cover in alone.covers]
    assert (result.score, result.bound, result.proven) == (BEST, BEST, True)


def test_bounds_at_every_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """While workers search, the score and the bound are on their sides of the best score."""
    monkeypatch.setattr(limits, "SLICE", 0.0)  # a report after each slice
    result, seen = watched(HARD, BEST, "min", jobs=2)
    assert result.proven
    assert len(seen) > 3


@pytest.mark.parametrize("jobs", [1, 3])
def test_limits(jobs: int) -> None:
    """Nodes, a gap, a known cover, and Ctrl-C end a search by workers as one by itself."""
    result = best(HARD, "min", jobs=jobs, executor=AtOnce(), max_nodes=300)
    assert (result.stopped, result.proven) == ("max_nodes", False)
    assert result.nodes < 400
    assert best(HARD, "min", jobs=jobs, executor=AtOnce(), gap=0.5).stopped == "gap"
    known = best(HARD, "min").covers[0]
    assert best(HARD, "min", jobs=jobs, executor=AtOnce(), start=known.options).score == BEST

    def stop(seen: Progress) -> None:
        if seen.nodes > 100:
            raise KeyboardInterrupt

    assert best(HARD, "min", jobs=jobs, executor=AtOnce(), progress=stop).stopped == "interrupt"


def test_small_searches_stay_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked to help with what ends within some tenths of a second."""
    monkeypatch.undo()
    monkeypatch.setattr(SharedTree, "__init__", None)  # cannot be called
    assert best(set_partitioning(60), "min", jobs=2).proven


# The parts of a tree


@for_seeds(40)
def test_open_nodes_of_random_problems(seed: int) -> None:
    """After each node of a search the covers found, and those of the open nodes, are all; so are their shares."""
    rng = np.random.default_rng([seed, 94])
    problem, covers = random_case(rng, "small", str(rng.choice(KINDS)))
    units = Units(problem, 1)
    with Loop(Limits.of()) as loop:
        root = Root(problem, Incumbents(64, units), loop, 0)
        root.kernel.target = units.floor
        root.anneal(6, 11)
    kernel, other = root.kernel, root.matrix.kernel(np.empty((64, units.max_level), dtype=np.int32), 1)
    other.target = kernel.target
    while kernel.run(1, 1 << 60, 1 << 60) != EXHAUSTED:
        kernel.filled, before, shares = 0, other.covers, kernel.fraction()
        for node in map(OpenNode._make, pickle.loads(pickle.dumps(kernel.rest()))):
            other.start_at(*node[2:])
            other.check()
            state = None
            while state != EXHAUSTED:
                state = other.run(1 << 60, 1 << 60, 1 << 60)
                assert (
                    max((units.weights[row[row >= 0]].sum() for row in other.found()), default=node.bound) <= node.bound
                )
                other.filled = 0
            shares += node.share
        assert shares == pytest.approx(1)
        assert kernel.covers + other.covers - before == len(covers)
    assert kernel.covers == len(covers)


def test_a_task_is_small() -> None:
    """A worker is sent the problem once, and then a few kilobytes for each node."""
    with Noting(2) as pool:
        assert best(HARD, "min", executor=pool).score == BEST
        sizes = [len(pickle.dumps(task)) for task in pool.tasks if isinstance(task, NodeTask)]
    assert len(sizes) > 10
    assert max(sizes) < 20_000


# Checkpoints


@pytest.mark.parametrize("long", [1, 10**9])
def test_the_end_of_a_call_is_kept(long: int, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever phase a limit ends, what was done and known by then is told by a call that may do nothing."""
    monkeypatch.setattr(search, "TUNED", SHORT)
    stopped = 0
    for nodes in range(60, 900, 60):
        if nodes > 200:
            monkeypatch.setattr(sharing, "ALONE", long)  # the trees of later stages are not shared
        before = best(HARD, "min", executor=AtOnce(), jobs=2, checkpoint=path, max_nodes=nodes)
        for nothing in ({"timeout": 0.0}, {"max_nodes": 0}):
            after = best(HARD, "min", executor=AtOnce(), jobs=2, checkpoint=path, **nothing)
            assert (after.covers, after.bound, after.nodes) == (before.covers, before.bound, before.nodes)
        stopped += before.stopped == "max_nodes"
    assert (best(HARD, "min", checkpoint=path).score, stopped > 1) == (BEST, True)


@pytest.mark.parametrize("start", [50, 75])
def test_an_interrupt_is_kept(start: int, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C by `progress`, after any slice of any phase, leaves a file that tells all and goes on."""
    monkeypatch.setattr(limits, "SLICE", 0.0)
    nodes, kept = start, 0
    while not (result := best(HARD, "min", executor=AtOnce(), jobs=2, checkpoint=path, progress=stop_at(nodes))).proven:
        if path.exists() and path.stat().st_size:  # somebody has been asked to help
            after = best(HARD, "min", checkpoint=path, timeout=0.0)
            assert (after.covers, after.nodes) == (result.covers, result.nodes)
            assert (after.bound or 0) >= (result.bound or 0)  # it is larger if that was the last slice
            kept += 1
        nodes = result.nodes + 50
    assert (result.score, kept > 3) == (BEST, True)


def stop_at(nodes: int) -> Callable[[Progress], None]:
    """Ctrl-C after a number of nodes."""

    def stop(seen: Progress) -> None:
        if seen.nodes > nodes:
            raise KeyboardInterrupt

    return stop


def test_other_files_are_refused(path: Path) -> None:
    """Files of other problems, weights or searches, damaged and torn ones are refused, and left as they are."""
    best(HARD, "min", checkpoint=path, jobs=2, max_nodes=1000)
    whole = path.read_bytes()

    def refused(reason: str, data: bytes = whole, problem: Problem = HARD, **more: Any) -> None:
        path.write_bytes(data)
        with pytest.raises(CheckpointError, match=reason):
            best(problem, **{"sense": "min", "checkpoint": path, **more})
        assert path.read_bytes() == data

    refused("another problem", problem=HARD.without([0]))
    refused("other weights", problem=replace(HARD, weights=np.asarray(HARD.weights) + 1))
    refused("another sense", sense="max")
    refused("another k", k=2)
    for size in range(1, len(whole), len(whole) // 9):
        refused("run.checkpoint: th", whole[:size])
    refused("damaged", whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:])


@pytest.mark.parametrize(
    "wrong",
    [
        {"trees": []},
        {"searches": None},
        {"done": [400]},
        {"covers": [7]},
        {"nodes": [[1.0, 0, [], [10_000]]]},
        {"nodes": [[1.0, 0, [-1], []]]},
        {"nodes": [[1.0, 0, [], [[1]]]]},
        {"nodes": [[1.0, 0, [], None]]},
        {"nodes": [[1.0, 0, []]]},
    ],
)
def test_states_that_cannot_be_are_refused(wrong: dict[str, Any], path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What would mislead the kernel, or crash it, is a CheckpointError with the file."""
    state = search.BestSearch._state

    def damaged(self: search.BestSearch) -> dict[str, Any]:
        found = state(self)
        found["trees"][0]["open"] = wrong.get("nodes", found["trees"][0]["open"])
        return {**found, **wrong}

    monkeypatch.setattr(search.BestSearch, "_state", damaged)
    best(HARD, "min", checkpoint=path, jobs=2, max_nodes=300)
    monkeypatch.undo()
    with pytest.raises(CheckpointError, match=r"run\.checkpoint: this is no state of a search: "):
        best(HARD, "min", checkpoint=path)


def test_a_long_search_by_one_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that takes as long as those with workers, and ends before any begins, leaves its proof in the file."""
    monkeypatch.setattr(sharing, "ALONE", 10**12)
    alone = best(HARD, "min")
    for begins, is_kept in ((10**12, False), (alone.updates, True)):
        file = tmp_path / str(begins)
        monkeypatch.setattr(sharing, "ALONE", begins)
        result = best(HARD, "min", checkpoint=file)
        assert (result.score, result.updates) == (BEST, alone.updates)
        told = best(HARD, "min", checkpoint=file, timeout=0)
        assert (told.proven, told.nodes) == (is_kept, is_kept * alone.nodes)
