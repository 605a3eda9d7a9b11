"""Counts by any method that stop and go on: a checkpoint has their state, and a file without one is refused."""

from __future__ import annotations

import errno
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import COSTS, Feed, matchings, process
from executors import InAnyOrder
from families import build, latin, steiner
from oracle import KINDS, random_problem
from processes import children, environment, is_alive
from seeds import for_seeds, nightly
from symmetric import some_problem
from waiting import until

from dlx import CheckpointError, Count, Problem, Progress, count
from dlx.counting.layers import Layered
from dlx.engine.limits import Limiting
from dlx.parallel.checkpoint import Checkpoint, fingerprint
from dlx.parallel.workforce import Workforce

WAYS: dict[Any, str] = {"never": "visits", "same": "layers", "isomorphic": "isomorphic"}  # of `merge`, in files
ROOKS = build("rooks", 5)  # 120 covers
LARGE = build("matchings", 8)  # 2027025 covers
BOARD = build("tetrominoes", 6, 8)
SQUARES = latin(6)
NUMBERS = {"never": (LARGE, 2027025), "same": (BOARD, 22483347), "isomorphic": (SQUARES, 812851200)}
ENOUGH = 1 << 30

every_way = pytest.mark.parametrize("merge", WAYS)
pytestmark = pytest.mark.usefixtures("eager_checkpoints")


def kept(path: Path, merge: Any, problem: Problem, **more: Any) -> Count:
    return count(problem, merge=merge, checkpoint=path, **more)


@pytest.mark.usefixtures("small_pieces", "short_slices")
@every_way
@for_seeds(200, block=50)
def test_portions(merge: Any, seed: int, tmp_path: Path) -> None:
    """Counts of random problems that stop again and again come to the right number, with any memory and workers."""
    rng = np.random.default_rng([seed, 83])
    problem = some_problem(seed) if merge == "isomorphic" else random_problem(rng, KINDS[seed % 4])
    path, nodes, result = tmp_path / str(seed), 0, None
    most = 9 if merge != "isomorphic" else 1 + count(problem, merge=merge).nodes // 3
    while result is None or not result.exhausted:
        assert result is None or result.stopped == "max_nodes"
        nodes += int(rng.integers(1, most + 1))
        more: dict[str, Any] = {"memory": int(rng.choice([0, ENOUGH]))} if merge == "same" else {}
        if merge == "never":
            more = {"executor": InAnyOrder(nodes), "jobs": 2}
        result = kept(path, merge, problem, max_nodes=nodes, **more)
    single = count(problem, merge="never")
    assert result.covers == single.covers
    assert merge != "never" or result.nodes == single.nodes or problem.multiplicities is not None


@every_way
@pytest.mark.parametrize("limits", [{}, {"timeout": 0}, {"max_nodes": 1}, {"max_covers": 7}])
def test_what_is_done_is_not_done_again(
    merge: Any, limits: Limiting, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same call reads the numbers from its checkpoint, whatever limits it has, and does not write."""
    whole = kept(path, merge, SQUARES if merge == "isomorphic" else ROOKS)
    monkeypatch.setattr(Checkpoint, "save", None)
    again = kept(path, merge, SQUARES if merge == "isomorphic" else ROOKS, **limits)
    most = limits.get("max_covers") or whole.covers
    assert (again.covers, again.stopped) == (most, "max_covers" if most < whole.covers else None)
    assert (again.nodes, again.updates, again.states, again.hits) == (
        whole.nodes,
        whole.updates,
        whole.states,
        whole.hits,
    )


@pytest.mark.parametrize(("merge", "memory"), [("same", 10**5), ("same", ENOUGH), *nightly(("isomorphic", ENOUGH))])
def test_calls_without_time_go_on(merge: Any, memory: int, path: Path) -> None:
    """A call whose timeout is over once the states are loaded does some work, and reports all nodes."""
    problem, covers = NUMBERS[merge]
    result = kept(path, merge, problem, memory=memory, max_nodes=10)
    while not result.exhausted:
        before, result = result, kept(path, merge, problem, memory=memory, timeout=0)
        assert result.stopped in (None, "timeout")
        assert result.nodes > before.nodes
    assert result.covers == covers


@every_way
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_errors_of_progress(
    merge: Any, error: type[BaseException], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C and any error leave a checkpoint of all that has been done."""
    problem, covers = NUMBERS[merge]
    seen = list[int]()

    def progress(now: Progress) -> None:
        seen.append(now.nodes)
        if now.nodes > 100:
            raise error

    with monkeypatch.context() as patched:
        patched.setattr("dlx.engine.limits.SLICE", 0.0)  # every slice is short, and each is reported
        try:
            assert kept(path, merge, problem, progress=progress).stopped == "interrupt"
        except ZeroDivisionError:
            assert error is ZeroDivisionError
    again = kept(path, merge, problem, max_nodes=1)
    assert (again.nodes >= seen[-1], again.stopped) == (True, "max_nodes")
    assert kept(path, merge, problem).covers == covers


def test_ways_to_count_have_checkpoints_of_their_own(path: Path) -> None:
    """A checkpoint of one way to count is refused by the others, and left as it is."""
    for way, name in WAYS.items():
        count(ROOKS, merge=way, checkpoint=path, max_nodes=10)
        whole = path.read_bytes()
        for other in WAYS.keys() - {way}:
            with pytest.raises(CheckpointError, match=f"of another count: {name}, not {WAYS[other]}"):
                count(ROOKS, merge=other, checkpoint=path)
        assert path.read_bytes() == whole
        path.unlink()


NO_STATES: dict[str, list[dict[str, Any]]] = {
    "visits": [
        {"pieces": 7},
        {"pieces": [[1.0, [[["x"], [1]]], 0, None, 0, 0, 0]]},
        {"pieces": [[1.0, [], 9, None, 0, 0, 0]]},
        {"pieces": [[1.0, [], 0, None, 0, -1, 0]]},
    ],
    "layers": [
        {"0": np.zeros((1, 3))},  # no numbers of ways
        {"0": np.full((1, 3), 1 << 60, dtype=np.uint64)},  # a layer that is not there
        {"0": np.zeros((1, 1), dtype=np.uint64)},  # no window
        {"order": np.zeros(10, dtype=np.int64)},
        {"blocks": 9},
        {"nodes": "many"},
    ],
    "isomorphic": [
        {"points": np.zeros((0, 7), dtype=np.uint64)},
        {"state": np.full((1, 1), 1 << 63, dtype=np.uint64)},
        {"weight": np.zeros((1, 1), dtype=np.uint8)},
    ],
}


@pytest.mark.parametrize(("way", "wrong"), [(way, wrong) for way, some in NO_STATES.items() for wrong in some])
def test_states_that_cannot_be_are_refused(way: str, wrong: dict[str, Any], path: Path) -> None:
    """What would mislead a kernel, or crash it, is a CheckpointError with the file, which is left as it is."""
    merge: Any = {name: merge for merge, name in WAYS.items()}[way]
    problem = SQUARES if way == "isomorphic" else ROOKS
    kept(path, merge, problem, max_nodes=10)
    with Checkpoint(path, Workforce(checkpoint=str(path)).saved_search() or {}) as file:
        file.save({**(file.load() or {}), **wrong})
    data = path.read_bytes()
    with pytest.raises(CheckpointError, match=r"run\.checkpoint: this is no state of a search: "):
        kept(path, merge, problem)
    assert path.read_bytes() == data


# By visits


def test_limits_of_a_count_that_is_continued(path: Path) -> None:
    """Covers of the checkpoint count once: in the limit of covers, and in what is reported."""
    before, seen = kept(path, "never", LARGE, max_nodes=1_000_000).covers, list[int]()
    result = kept(path, "never", LARGE, max_covers=before + 100_000)
    assert (result.covers, result.stopped) == (before + 100_000, "max_covers")
    assert kept(path, "never", LARGE, progress=lambda now: seen.append(now.covers)).covers == 2027025 == max(seen)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"kernel": "links"}, "of another kernel: auto, not links"),
        ({"seed": 1}, "of another problem"),
        ({"prefer": ROOKS.items[:1]}, "of other preferences: None"),
    ],
)
def test_other_counts_are_refused(more: dict[str, Any], reason: str, path: Path) -> None:
    """The error names another problem, another kernel, or other preferences; names of items do not matter."""
    kept(path, "never", ROOKS)
    renamed = replace(ROOKS, items=tuple(enumerate(ROOKS.items)))
    assert fingerprint(renamed) == fingerprint(ROOKS) != fingerprint(ROOKS.without([0]))
    with pytest.raises(CheckpointError, match=reason):
        count(ROOKS, merge="never", checkpoint=path, **more)
    with pytest.raises(CheckpointError, match="of another problem"):
        count(ROOKS.without([0]), merge="never", checkpoint=path, **more)
    assert kept(path, "never", ROOKS).covers == 120


# In layers


def test_an_interrupt_while_states_are_loaded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while a checkpoint is loaded ends the count with the numbers of the file, which stays as it is."""
    nodes, data = kept(path, "same", BOARD, max_nodes=30_000).nodes, path.read_bytes()

    def interrupted(*_: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Layered, "_has_room", interrupted)
        result = kept(path, "same", BOARD)
    assert (result.stopped, result.nodes, path.read_bytes()) == ("interrupt", nodes, data)
    assert kept(path, "same", BOARD).covers == NUMBERS["same"][1]


def test_the_file_decides(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A count that may choose goes on in layers or by visits, as the file says."""
    problem = build("tetrominoes", 8, 8)
    for name in ("SETTLED", "LATE"):
        monkeypatch.setattr(f"dlx.counting.portfolio.{name}", 2e7)
    first = count(problem, checkpoint=path, max_nodes=700_000)
    assert (first.stopped, first.kernel) == ("max_nodes", "layers")
    assert (Workforce(checkpoint=str(path)).saved_search() or {})["count"] == "layers"
    assert count(problem, checkpoint=path).covers == 19077209438
    assert count(problem, checkpoint=path, max_nodes=1).covers == 19077209438
    path.unlink()
    queens = build("queens", 11)
    assert count(queens, checkpoint=path, merge="never", max_nodes=10_000).stopped == "max_nodes"
    last = count(queens, checkpoint=path)
    assert (last.covers, last.kernel) == (2680, "pieces")


# Up to isomorphism


def test_more_memory(path: Path) -> None:
    """A count that lacks memory goes on from its checkpoint with more."""
    problem = steiner(15)
    whole = count(problem, merge="isomorphic")
    with pytest.raises(MemoryError, match=r"the classes take more than \d+ bytes: \d+ wait .* give more memory"):
        kept(path, "isomorphic", problem, memory=whole.memory // 2)
    assert path.stat().st_size
    assert kept(path, "isomorphic", problem).covers == whole.covers


def test_big_numbers(path: Path) -> None:
    """Weights and covers have any size."""
    problem = latin(8)
    assert kept(path, "isomorphic", problem, max_nodes=20_000).stopped == "max_nodes"
    assert kept(path, "isomorphic", problem).covers == 108776032459082956800 > 2**64


# Processes that die


COUNTING = """
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from dlx import count
from dlx.parallel import cutting
from families import build

if __name__ == "__main__":
    cutting.MOST = 500
    with ProcessPoolExecutor(2, get_context(sys.argv[2])) as pool:
        progress = lambda seen: seen.nodes and print(seen.nodes, flush=True)
        count(build("matchings", 20), merge="never", checkpoint=sys.argv[1], progress=progress, executor=pool)
"""


@pytest.mark.parametrize("way", ["fork", *nightly("spawn")])
@pytest.mark.posix("/proc/self/task")
def test_workers_that_outlive_their_program(way: str, path: Path) -> None:
    """Workers whose program has died do not keep the file, and end by themselves, with work for years."""
    with process(sys.executable, "-c", COUNTING, str(path), way, PYTHONPATH=environment()["PYTHONPATH"]) as counting:
        reports = set[str]()
        while len(reports) < 10:  # different numbers of nodes: both workers have had a task
            reports.add(counting.stdout.readline())
        tracker, pids = b"resource_tracker", children(counting.pid)
        workers = [pid for pid in pids if tracker not in Path(f"/proc/{pid}/cmdline").read_bytes()]
        assert len(workers) == 2
        for pid in workers:
            os.kill(pid, signal.SIGSTOP)
        counting.kill()
        counting.wait()
        try:
            Checkpoint(path, {}).__exit__()
        finally:
            for pid in workers:
                os.kill(pid, signal.SIGCONT)
    until(lambda: not any(map(is_alive, workers)))


# The command


@pytest.mark.parametrize("task", ["best", "count"])
def test_too_little_for_a_checkpoint(task: str, feed_dlx: Feed, tmp_path: Path) -> None:
    """A search that is stopped before anything is kept leaves no file, and says so; one that ends says nothing."""
    path = tmp_path / "run.checkpoint"
    status, _, err = feed_dlx("", task, COSTS, "--checkpoint", str(path), "--max-nodes", "0")
    told = f"dlx: {path}: not written, since too little work has been done"
    assert (status, err.splitlines()[1:], path.exists()) == (3, [told], False)
    path.touch()
    assert feed_dlx("", task, COSTS, "--checkpoint", str(path))[::2] == (0, "")
    assert path.exists()


def test_a_full_disk(feed_dlx: Feed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is an error of the checkpoint, and not of the output."""

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("dlx.parallel.checkpoint.os.fsync", full)
    path = tmp_path / "run.checkpoint"
    answer = feed_dlx(matchings(8), "count", "--merge", "never", "--checkpoint", str(path))
    assert answer == (2, "", f"dlx: {path}: No space left on device\n")
