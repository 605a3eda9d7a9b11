"""Counts in layers that stop and go on: a checkpoint has their frontier, whatever ends a call."""

from __future__ import annotations

import io
import itertools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from families import build
from oracle import random_problem
from seeds import for_seeds

from dlx import CheckpointError, Count, Problem, Progress, count, reference
from dlx.counting import portfolio
from dlx.counting.layers import Layered
from dlx.kernels import EXHAUSTED
from dlx.parallel.checkpoint import Checkpoint
from dlx.parallel.workforce import Workforce, checkpoint_of, way_of

BOARD = build("tetrominoes", 6, 8)
COVERS = 22483347  # by visits, with 84,157,682 nodes
ENOUGH = 1 << 30
MANY = 1 << 60

pytestmark = pytest.mark.usefixtures("eager_checkpoints")


def kept(path: Path, problem: Problem = BOARD, **more: Any) -> Count:
    return count(problem, merge="same", checkpoint=path, **more)


def test_portions(path: Path) -> None:
    """A count that stops again and again comes to the number of one call, in the same nodes and states."""
    nodes, result = 0, None
    while result is None or not result.exhausted:
        nodes += 10_000
        result = kept(path, max_nodes=nodes)
        assert result.stopped in (None, "max_nodes")
    assert (result.covers, result.kernel, result.merged) == (COVERS, "layers", True)
    assert nodes > 40_000
    again = kept(path, max_nodes=0)
    assert (again.covers, again.nodes, again.states, again.exhausted) == (COVERS, result.nodes, result.states, True)
    alone = Layered(BOARD)
    assert alone.run(MANY, MANY, MANY) == EXHAUSTED
    assert (result.nodes, result.states, result.hits) == (alone.nodes, alone.states, alone.hits)


@for_seeds(200, block=50)
def test_portions_of_random_problems(seed: int, tmp_path: Path) -> None:
    """Problems with colours and multiplicities go on within a state, with any memory."""
    rng = np.random.default_rng([seed, 83])
    problem = random_problem(rng, str(rng.choice(["plain", "coloured", "multiple", "both"])))
    path = tmp_path / str(seed)
    nodes, result = 0, None
    while result is None or not result.exhausted:
        nodes += int(rng.integers(1, 9))
        result = kept(path, problem, max_nodes=nodes, memory=int(rng.choice([0, ENOUGH])))
    assert result.covers == sum(1 for _ in reference.covers(problem))


@pytest.mark.parametrize("memory", [0, ENOUGH])
def test_calls_without_time_go_on(memory: int, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call whose timeout is over once the states are loaded does some work, reports all nodes, and saves once."""
    saves, save = list[int](), Checkpoint.save

    def noted(self: Checkpoint, state: Any) -> None:
        saves.append(1)
        save(self, state)

    monkeypatch.setattr(Checkpoint, "save", noted)
    result = kept(path, memory=memory, max_nodes=10)
    while not result.exhausted:
        saves.clear()
        before, result = result, kept(path, memory=memory, timeout=0)
        assert (result.stopped, len(saves)) in ((None, 1), ("timeout", 1))
        assert result.nodes > before.nodes
    assert result.covers == COVERS


def test_an_interrupt_while_states_are_loaded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while a checkpoint is loaded ends the count with the numbers of the file, which stays as it is."""
    nodes, data = kept(path, max_nodes=30_000).nodes, path.read_bytes()

    def interrupted(*_: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Layered, "_has_room", interrupted)
        result = kept(path)
    assert (result.stopped, result.nodes, path.read_bytes()) == ("interrupt", nodes, data)
    assert kept(path).covers == COVERS


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_errors_of_progress(error: type[BaseException], path: Path) -> None:
    """Ctrl-C and any error leave a checkpoint of all that has been done."""
    seen = list[int]()

    def progress(now: Progress) -> None:
        seen.append(now.nodes)
        if now.nodes > 5_000:
            raise error

    try:
        assert kept(path, progress=progress).stopped == "interrupt"
    except ZeroDivisionError:
        assert error is ZeroDivisionError
    again = kept(path, max_nodes=1)
    assert (again.nodes, again.stopped) == (seen[-1], "max_nodes")
    assert kept(path).covers == COVERS


@pytest.mark.slow
def test_the_file_decides(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A count that may choose goes on in layers or by visits, as the file says; an ended one is read from it."""
    problem = build("tetrominoes", 8, 8)
    monkeypatch.setattr(portfolio, "SETTLED", 2e7)
    first = count(problem, checkpoint=path, max_nodes=700_000)
    assert (first.stopped, first.kernel, way_of(Workforce(checkpoint=str(path)))) == ("max_nodes", "layers", "layers")
    assert count(problem, checkpoint=path).covers == 19077209438
    assert count(problem, checkpoint=path, max_nodes=1).covers == 19077209438
    path.unlink()
    monkeypatch.undo()
    queens = build("queens", 15)
    assert count(queens, checkpoint=path, max_nodes=20_000_000, jobs=2).kernel == "pieces"
    assert count(queens, checkpoint=path).covers == 2279184


def test_a_short_count_leaves_its_number(path: Path) -> None:
    """A count that ends before it has chosen a way is read from its file by the next call."""
    for problem in (build("dominoes", 8, 8), build("queens", 6)):
        first = count(problem, checkpoint=path)
        again = count(problem, checkpoint=path, max_nodes=0)
        assert (again.covers, again.nodes, again.kernel) == (first.covers, first.nodes, first.kernel)
        assert again.exhausted
        fewer = count(problem, checkpoint=path, max_covers=3)
        assert (fewer.covers, fewer.stopped) == (3, "max_covers")
        assert {count(problem, checkpoint=path, merge=merge).covers for merge in ("never", "same")} == {first.covers}
        path.unlink()


def temporary_files(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Returns a list that gets every temporary file from now on."""
    files: list[Any] = []
    temporary = tempfile.TemporaryFile

    def noted(**given: Any) -> Any:
        files.append(temporary(**given))
        return files[-1]

    monkeypatch.setattr(tempfile, "TemporaryFile", noted)
    return files


def test_covers_that_come_early_are_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An option with a part of a board gives covers long before the end: a checkpoint has them, while states wait.

    The board has 106,912,793 tilings, and its first four rows, left alone, 145,601.
    """
    squares = [(r, c) for r in range(6) for c in range(12)]
    steps = [((r, c), (r + down, c + 1 - down)) for r, c in squares for down in (0, 1)]
    options = [*(step for step in steps if step[1] in squares), [(r, c) for r, c in squares if r >= 4]]
    problem = Problem.from_options(options, items=squares)
    files = temporary_files(monkeypatch)
    nodes, early = itertools.count(6_000, 6_000), list[int]()
    while not (some := kept(path, problem=problem, memory=100_000, max_nodes=next(nodes))).exhausted:
        early.append(some.covers)
    assert some.covers == 106_912_793 + 145_601
    assert len(early) > 3
    assert early[1] > 0
    assert files, "states wait in files"
    assert all(file.closed for file in files)


@pytest.mark.parametrize(
    "wrong",
    [
        {"0": np.zeros((1, 3))},  # no numbers of ways
        {"0": np.full((1, 3), 1 << 60, dtype=np.uint64)},  # a layer that is not there
        {"0": np.zeros((1, 1), dtype=np.uint64)},  # no window
        {"order": np.zeros(16, dtype=np.int64)},
        {"blocks": 2},
        {"nodes": "many"},
    ],
)
def test_states_that_cannot_be_are_refused(wrong: dict[str, Any], path: Path) -> None:
    """What would mislead the kernel, or crash it, is a CheckpointError with the file, which is left as it is."""
    problem = build("dominoes", 4, 4)
    numbers = dict.fromkeys(("nodes", "updates", "hits", "states"), 0)
    state = {**numbers, "order": np.arange(16), "blocks": 1, "0": np.zeros((0, 3), dtype=np.uint64)}
    with checkpoint_of(problem, "layers", Workforce(checkpoint=str(path))) as saved:
        assert saved is not None
        saved.save(state | wrong)
    data = path.read_bytes()
    with pytest.raises(CheckpointError, match=r"run\.checkpoint: this is no state of a search: "):
        kept(path, problem)
    assert path.read_bytes() == data


@pytest.mark.parametrize("numbers", [{}, {"covers": 5}, {"covers": "0x5"}])
def test_numbers_that_cannot_be_are_refused(numbers: dict[str, Any], path: Path) -> None:
    """A checkpoint of a count that has ended is refused if it lacks a number."""
    problem = build("dominoes", 4, 4)
    with checkpoint_of(problem, "ended", Workforce(checkpoint=str(path))) as saved:
        assert saved is not None
        saved.save(numbers)
    with pytest.raises(CheckpointError, match=r"run\.checkpoint: this is no state of a search: "):
        count(problem, checkpoint=path)


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


def test_files_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are closed when a count ends, is stopped, or gives layers up, and not by the garbage collector."""
    files = temporary_files(monkeypatch)
    rooks = build("rooks", 14)
    for limit in (20_000, 50_000, None):
        count(rooks, merge="same", memory=0, max_nodes=limit)
        assert files
        assert all(file.closed for file in files)
