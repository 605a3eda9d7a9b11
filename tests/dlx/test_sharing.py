"""Layers shared by workers: the same numbers as by one, whoever does the ranges, and whatever ends a count."""

from __future__ import annotations

import io
import itertools
import os
import signal
import sys
import tempfile
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import process
from executors import AtOnce, InAnyOrder
from families import build
from killing import Killing, own_workers
from oracle import random_problem
from processes import environment
from seeds import for_seeds, nightly
from waiting import until

from dlx import CheckpointError, Count, Problem, Progress, count, reference
from dlx.counting import portfolio, sharing
from dlx.counting.layers import Layered
from dlx.counting.sharing import Held, Shared
from dlx.engine.limits import Limits, Loop
from dlx.parallel.checkpoint import header
from dlx.parallel.workforce import Workforce, checkpoint_of

BOARD = build("tetrominoes", 6, 8)
COVERS = 22483347  # by visits, with 84,157,682 nodes
ENOUGH = 1 << 30


@pytest.fixture(autouse=True)
def _small_ranges(monkeypatch: pytest.MonkeyPatch, eager_checkpoints: None) -> None:
    """A few states are many, so that small searches are shared, too."""
    for module in (portfolio, sharing):
        monkeypatch.setattr(module, "MANY", 32)
    monkeypatch.setattr(sharing, "FEW", 4)
    monkeypatch.setattr(sharing, "SPAN", 3)


def shared(problem: Problem, executor: Executor | None, memory: int = ENOUGH, jobs: int | None = 2) -> Count:
    """Counts by workers, in layers alone."""
    with Loop(Limits.of()) as loop:
        search = Shared(Layered(problem, memory), Workforce(executor, jobs), memory)
        with closing(search):
            for _ in loop.slices(search):
                pass
        assert search.fraction() == 1
    return Count(covers=search.covers, kernel="layers", states=search.states, hits=search.hits, **loop.outcome())


def kept(path: Path, problem: Problem = BOARD, **more: Any) -> Count:
    return count(problem, merge="same", checkpoint=path, **more)


# The same numbers


@pytest.mark.parametrize("kind", ["plain", "coloured", "multiple", "both"])
@for_seeds(200)
def test_ranges_count_the_same(kind: str, seed: int) -> None:
    """On random problems of each kind as many covers as the reference finds, whoever comes first."""
    rng = np.random.default_rng([seed, 81])
    problem = random_problem(rng, kind)
    executor: Executor | None = [None, AtOnce(), InAnyOrder(seed)][rng.integers(3)]
    found = shared(problem, executor, jobs=int(rng.integers(2, 5)))
    assert found.covers == sum(1 for _ in reference.covers(problem))


@pytest.mark.parametrize(
    ("family", "sizes", "number"),
    [
        ("dominoes", (12, 12), 53060477521960000),  # Kasteleyn's formula
        ("tetrominoes", (6, 6), 178939),  # OEIS A230031
        ("matchings", (9,), 34459425),  # 17!!
        ("queens", (8,), 92),  # OEIS A000170, with secondary items
        ("langford", (8,), 300),  # OEIS A014552, twice
    ],
)
def test_known_numbers(family: str, sizes: tuple[int, ...], number: int) -> None:
    """Numbers that others have found, by ranges of a few states."""
    assert shared(build(family, *sizes), AtOnce()).covers == number


def test_numbers_of_any_size() -> None:
    """Numbers of several digits come from ranges as they are."""
    dominoes = build("dominoes", 8, 8)
    many = Problem.from_options([dominoes.option(o) for o in range(dominoes.n_options) for _ in range(9)])
    assert shared(many, AtOnce()).covers == 9**32 * 12988816 > 2**124


@pytest.mark.slow
def test_the_same_nodes_in_every_run() -> None:
    """Threads, processes, and executors that do tasks at once or in any order expand the same ranges."""
    with ProcessPoolExecutor(2) as pool:
        found = [shared(BOARD, executor) for executor in (None, None, AtOnce(), InAnyOrder(1), pool)]
    assert {(one.covers, one.nodes, one.states, one.hits) for one in found} == {
        (COVERS, found[0].nodes, found[0].states, found[0].hits)
    }
    assert found[0].states > shared(BOARD, None, jobs=1).states, "some states are expanded by several workers"


@pytest.mark.slow
@pytest.mark.parametrize("memory", [120_000, 400_000])
def test_short_memory(memory: int) -> None:
    """Ranges that find no room come back early, and blocks are held in a file: the number is the same."""
    assert shared(BOARD, AtOnce(), memory).covers == COVERS


def test_limits_of_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that may do but a few nodes stops within a state, and others go on from there."""
    for nodes in (1, 7, 100):
        monkeypatch.setattr(sharing, "NODES", nodes)
        assert shared(build("tetrominoes", 4, 4), AtOnce()).covers == 117
        assert shared(build("dominoes", 6, 6), AtOnce()).covers == 6728


def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the portfolio look for its last order soon, and share few states."""
    monkeypatch.setattr(portfolio, "LATER", 0)
    monkeypatch.setattr(portfolio, "ORDERS", 0)
    monkeypatch.setattr(portfolio, "MANY", 4_000)
    monkeypatch.setattr(sharing, "MANY", 4_000)


def test_count_shares_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts with workers hand layers over once they lead, and say so."""
    called: list[int] = []
    begin = Shared._begin_turn

    def begin_turn(search: Shared) -> None:
        called.append(search.states)
        begin(search)

    monkeypatch.setattr(Shared, "_begin_turn", begin_turn)
    soon(monkeypatch)
    for merge in ("auto", "same"):
        result = count(build("tetrominoes", 8, 8), merge=merge, jobs=2)
        assert (result.covers, result.kernel, result.merged, result.exhausted) == (19077209438, "layers", True, True)
        assert called
        called.clear()


# Cuts


@for_seeds(100)
def test_equal_states_come_together(seed: int) -> None:
    """Ranges have all states of all blocks once, and no state is in two of them."""
    rng = np.random.default_rng([seed, 82])
    search = Layered(build("tetrominoes", 6, 8))
    while search.live < 300:
        search.run(int(rng.integers(1, 50)), ENOUGH, ENOUGH)
    (rows,) = search.rest()
    blocks = [sharing.in_order(search.plan, rows[rng.random(len(rows)) < 0.7]) for _ in range(3)]
    ranges = [*sharing.cut(search.plan, blocks, int(rng.integers(1, 9)), len(search.plan.word) - 1)]
    numbers = [sorted(sharing.number(search.plan, row) for block in some for row in block) for some in ranges]
    given = sorted(sharing.number(search.plan, row) for block in blocks for row in block)
    assert [*chain(*numbers)] == given
    assert sum(len({*some}) for some in numbers) == len({*given})


def test_blocks_are_held_in_a_file() -> None:
    """Blocks beyond some bytes come back from a file as they were, in the order of their numbers."""
    blocks = {k: np.arange(6 * k, dtype=np.uint64).reshape(-1, 3) for k in (3, 1, 2, 0)}
    held = Held(150)
    for k, block in blocks.items():
        held.add(k, block)
    back = held.blocks()
    held.close()
    assert all(np.array_equal(one, blocks[k]) for k, one in enumerate(back))
    assert (held.n, held.bytes) == (12, 144)


# Checkpoints


@pytest.mark.parametrize("jobs", [1, 2])
def test_portions(jobs: int, path: Path) -> None:
    """A count that stops again and again, by another number of workers each time, comes to the number of one call."""
    nodes, result = 0, None
    while result is None or not result.exhausted:
        nodes += 10_000
        result = kept(path, jobs=jobs if nodes % 20_000 else 3 - jobs, max_nodes=nodes)
        assert result.stopped in (None, "max_nodes")
    assert (result.covers, result.kernel, result.merged) == (COVERS, "layers", True)
    assert nodes > 40_000
    again = kept(path, max_nodes=0)
    assert (again.covers, again.nodes, again.states, again.exhausted) == (COVERS, result.nodes, result.states, True)


@for_seeds(100)
def test_portions_of_random_problems(seed: int, tmp_path: Path) -> None:
    """Problems with colours and multiplicities go on within a state, with any memory."""
    rng = np.random.default_rng([seed, 83])
    problem, path = (
        random_problem(rng, str(rng.choice(["plain", "coloured", "multiple", "both"]))),
        tmp_path / str(seed),
    )
    nodes, result = 0, None
    while result is None or not result.exhausted:
        nodes += int(rng.integers(1, 9))
        result = kept(path, problem, max_nodes=nodes, memory=int(rng.choice([0, ENOUGH])))
    assert result.covers == sum(1 for _ in reference.covers(problem))


def test_states_that_wait(path: Path) -> None:
    """What waits in files for lack of memory is in the checkpoint, and goes on with more memory, or less."""
    problem = build("rooks", 14)
    whole = count(problem, merge="same").nodes
    for part, memory in ((0.3, ENOUGH), (0.5, 0), (0.7, 0)):
        assert kept(path, problem, max_nodes=int(part * whole), memory=memory).stopped == "max_nodes"
    assert kept(path, problem).covers == 87178291200


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
@pytest.mark.parametrize("jobs", [1, 2])
def test_errors_of_progress(error: type[BaseException], jobs: int, path: Path) -> None:
    """Ctrl-C and any error leave a checkpoint of all that has been done."""
    seen = list[int]()

    def progress(now: Progress) -> None:
        seen.append(now.nodes)
        if now.nodes > 5_000:
            raise error

    try:
        assert kept(path, progress=progress, jobs=jobs).stopped == "interrupt"
    except ZeroDivisionError:
        assert error is ZeroDivisionError
    again = kept(path, max_nodes=1)
    assert (again.nodes, again.stopped) == (seen[-1], "max_nodes")
    assert kept(path, jobs=jobs).covers == COVERS


@pytest.mark.slow
def test_the_file_decides(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A count that may choose goes on in layers or by visits, as the file tells; an ended one is read from it."""
    problem = build("tetrominoes", 8, 8)
    monkeypatch.setattr(portfolio, "SURE", 0.0)
    soon(monkeypatch)
    first = count(problem, checkpoint=path, max_nodes=700_000)
    assert (first.stopped, first.kernel, path.read_bytes()[9:20]) == ("max_nodes", "layers", b'{"checkpoin')
    assert count(problem, checkpoint=path, jobs=2).covers == 19077209438
    assert count(problem, checkpoint=path, max_nodes=1).covers == 19077209438
    path.unlink()
    monkeypatch.undo()
    queens = build("queens", 14)
    assert count(queens, checkpoint=path, max_nodes=5_000_000, jobs=2).kernel == "pieces"
    assert (header(path) or {})["kernel"] == "auto"
    assert count(queens, checkpoint=path).covers == 365596
    path.unlink()
    small = count(build("dominoes", 6, 6), checkpoint=path)
    assert count(build("dominoes", 6, 6), checkpoint=path).covers == small.covers == 6728


@pytest.mark.slow
def test_other_files_are_refused(path: Path) -> None:
    """Files of other problems, of other ways to count, damaged and torn ones are refused, and left as they are."""
    kept(path, max_nodes=20_000)
    whole = path.read_bytes()

    def refused(reason: str, data: bytes = whole, **more: Any) -> None:
        path.write_bytes(data)
        with pytest.raises(CheckpointError, match=reason):
            count(**{"problem": BOARD, "merge": "same", "checkpoint": path, **more})
        assert path.read_bytes() == data

    refused("another problem", problem=BOARD.without([0]))
    refused("another problem", problem=BOARD.without([0]), merge="auto")
    refused("another count: layers", merge="never")
    for size in range(1, len(whole), len(whole) // 9):
        refused("run.checkpoint: th", whole[:size])
    refused("damaged", whole[:-100] + b"x" + whole[-99:])
    path.unlink()
    count(BOARD, merge="never", checkpoint=path, max_nodes=20_000)
    refused("of another count: visits", path.read_bytes())


def test_what_layers_cannot_count(path: Path) -> None:
    """A multiplicity that is too large for layers is told, since nothing else has checkpoints."""
    problem = Problem.from_options([["a"]] * 80, multiplicities={"a": (0, 70)})
    with pytest.raises(MemoryError, match="covered 70 times"):
        kept(path, problem)


COUNTING = """
import sys
from dlx import count
from dlx.counting import sharing
from dlx.parallel import checkpoint
from families import build

sharing.MANY = 500
checkpoint.LEAST = checkpoint.SHARE = 0
if __name__ == "__main__":
    problem = build("tetrominoes", 8, 8)
    print(count(problem, merge="same", jobs=int(sys.argv[2]), checkpoint=sys.argv[1]).stopped)
"""


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["2", *nightly("1")])
@pytest.mark.posix("/proc/self/task")
def test_the_program_is_killed(jobs: str, path: Path) -> None:
    """A count that is killed between any two checkpoints goes on where the last one was."""
    done = -1
    for end in (signal.SIGKILL, signal.SIGKILL, signal.SIGINT):
        command = sys.executable, "-c", COUNTING, str(path), jobs
        with process(*command, PYTHONPATH=environment()["PYTHONPATH"]) as counting:
            before = path.stat().st_ino if path.exists() else 0
            until(lambda: path.exists() and path.stat().st_size and path.stat().st_ino != before)  # noqa: B023
            counting.send_signal(end)
            out, _ = counting.communicate()
            assert out == ("interrupt\n" if end == signal.SIGINT else "")
        now = kept(path, build("tetrominoes", 8, 8), max_nodes=1).nodes
        assert now >= done
        done = now
    assert kept(path, build("tetrominoes", 8, 8)).covers == 19077209438


@pytest.mark.slow
@pytest.mark.posix("/proc/self/task")
def test_workers_are_killed() -> None:
    """Ranges of workers that die are done by others, and count once."""
    with ProcessPoolExecutor(2) as pool:
        result = count(BOARD, merge="same", executor=pool, progress=Killing(own_workers, 2))
    assert result.covers == COVERS


def test_covers_that_come_early_are_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An option with a part of a board gives covers long before the end: they are in a checkpoint, while others wait.

    The board has 106,912,793 tilings, and its first four rows, left alone, 145,601.
    """
    squares = [(r, c) for r in range(6) for c in range(12)]
    steps = [((r, c), (r + down, c + 1 - down)) for r, c in squares for down in (0, 1)]
    options = [*(step for step in steps if step[1] in squares), [(r, c) for r, c in squares if r >= 4]]
    problem = Problem.from_options(options, items=squares)
    files: list[Any] = []
    temporary = tempfile.TemporaryFile

    def noted(**given: Any) -> Any:
        files.append(temporary(**given))
        return files[-1]

    monkeypatch.setattr(tempfile, "TemporaryFile", noted)
    nodes, early = itertools.count(6_000, 6_000), list[int]()
    while not (some := kept(path, problem=problem, memory=100_000, max_nodes=next(nodes))).exhausted:
        early.append(some.covers)
    assert some.covers == 106_912_793 + 145_601
    assert len(early) > 3
    assert early[1] > 0
    assert files, "states wait in files"


@pytest.mark.parametrize(
    "wrong",
    [
        {"0": np.zeros((1, 3))},  # no numbers of ways
        {"0": np.full((1, 3), 1 << 60, dtype=np.uint64)},  # a layer that is not there
        {"0": np.zeros((1, 1), dtype=np.uint64)},  # no window
        {"order": np.zeros(16, dtype=np.int64)},
        {"blocks": 2},
        {"covers": 5},
    ],
)
def test_states_that_cannot_be_are_refused(wrong: dict[str, Any], path: Path) -> None:
    """What would mislead the kernel, or crash it, is a CheckpointError with the file, which is left as it is."""
    problem = build("dominoes", 4, 4)
    numbers = dict.fromkeys(("nodes", "updates", "hits", "states"), 0) | {"covers": "0x0", "kernel": "layers"}
    state = {**numbers, "merges": True, "order": np.arange(16), "blocks": 1, "0": np.zeros((0, 3), dtype=np.uint64)}
    with checkpoint_of(problem, "layers", Workforce(checkpoint=str(path))) as saved:
        assert saved is not None
        saved.save(state | wrong)
    data = path.read_bytes()
    with pytest.raises(CheckpointError, match=r"run\.checkpoint: this is no state of a search: "):
        kept(path, problem)
    assert path.read_bytes() == data


def test_short_writes_are_gone_on_with(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the system writes a part of a block only, the rest follows; what finds no room is an error."""

    class Short(io.FileIO):
        def write(self, data: Any) -> int:
            return super().write(memoryview(data)[:100])

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Short(tmp_path / "held", "w+b"))
    blocks = [np.arange(rows * 3, dtype=np.uint64).reshape(rows, 3) for rows in (50, 7)]
    with closing(Held(0)) as held:
        for k, block in enumerate(blocks):
            held.add(k, block)
        assert all(map(np.array_equal, held.blocks(), blocks))
        monkeypatch.setattr(Short, "write", lambda *_: os.write(-1, b""))
        with pytest.raises(MemoryError, match="107 states wait, and there is no room in a file"):
            held.add(2, blocks[0])
        assert all(map(np.array_equal, held.blocks(), blocks))
