"""A count up to isomorphism with a checkpoint continues from it to the same number, or refuses the file."""

from __future__ import annotations

import signal
import sys
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import process
from executors import AtOnce, InAnyOrder
from families import latin, steiner
from processes import children, environment, is_alive
from seeds import for_seeds, nightly
from symmetric import copies, some_problem
from waiting import until

from dlx import CheckpointError, Count, Problem, Progress, count
from dlx.counting.isomorphism import Remains
from dlx.engine.limits import StoppedError
from dlx.kernels import EXHAUSTED
from dlx.parallel.checkpoint import Checkpoint
from dlx.parallel.cutting import fingerprint

pytest.importorskip("pynauty")

pytestmark = pytest.mark.usefixtures("at_once")

SQUARES = latin(6)


def facts(result: Count) -> tuple[int, ...]:
    """The fields of a count that are the same in every run."""
    return result.covers, result.states, result.nodes, result.updates, result.hits


def resumed(path: Path, problem: Problem = SQUARES, **more: Any) -> Count:
    return count(problem, merge="isomorphic", checkpoint=path, **more)


def written(path: Path, problem: Problem = SQUARES) -> bytes:
    """A checkpoint of a count that is under way."""
    assert resumed(path, problem, max_nodes=count(problem, merge="isomorphic").nodes // 2).stopped == "max_nodes"
    return path.read_bytes()


def opened(path: Path) -> Checkpoint:
    return Checkpoint(path, {"problem": fingerprint(SQUARES), "count": "isomorphic"})


@for_seeds(200)
def test_portions(seed: int, tmp_path: Path) -> None:
    """Counts by anybody that stop again and again come to what one call finds, in as many nodes and forms."""
    problem, path, rng = some_problem(seed), tmp_path / f"{seed}.checkpoint", np.random.default_rng([seed, 62])
    whole = count(problem, merge="isomorphic")
    some = max(1, whole.nodes // 6)
    nodes = 0
    while True:
        executor: Executor | None = [None, AtOnce(), InAnyOrder(seed)][rng.integers(3)]
        nodes += some
        result = resumed(path, problem, executor=executor, max_nodes=nodes)
        if executor is not None:
            executor.shutdown()
        if result.exhausted:
            break
        assert (result.stopped, result.covers) == ("max_nodes", 0)
    assert facts(result) == facts(whole)


@pytest.mark.parametrize("limits", [{}, {"max_nodes": 1}, {"jobs": 2}])
def test_what_is_done_is_not_done_again(limits: dict[str, Any], path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A count that has ended is read from its checkpoint, whatever limits there are, and nothing is written."""
    whole = resumed(path)
    monkeypatch.setattr(Checkpoint, "save", None)
    assert facts(resumed(path, **limits)) == facts(whole)


def test_short_memory(path: Path) -> None:
    """What has been set aside for lack of memory is in the checkpoint, too; and with more memory the count goes on."""
    problem = steiner(15)
    whole = count(problem, merge="isomorphic")
    nodes, result = 0, None
    while result is None or not result.exhausted:
        nodes += whole.nodes // 7
        result = resumed(path, problem, max_nodes=nodes, memory=int(whole.memory * 0.75))
    assert result.covers == whole.covers
    assert result.nodes > whole.nodes
    path.unlink()
    with pytest.raises(MemoryError):
        resumed(path, problem, memory=whole.memory // 5)
    assert facts(resumed(path, problem)) == facts(whole)


class Failing:
    """Forms of which many are refused at first, as when a limit comes."""

    def __init__(self, form: Any, seed: int) -> None:
        self.form, self.draws, self.orbit_of = form, np.random.default_rng(seed), form.orbit_of

    def _fail(self) -> None:
        if self.draws.random() < 0.3:
            raise StoppedError

    def of(self) -> bytes:
        self._fail()
        return bytes(self.form.of())

    def orbits(self) -> None:
        self._fail()
        self.form.orbits()


@pytest.mark.parametrize("whole", [True, False])
def test_errors_of_forms(whole: bool) -> None:
    """A kernel goes on after an error as if there had been none: so it is saved rightly whatever ends a run."""
    remains = Remains(SQUARES, None)
    numbers = []
    for asked in (remains.form.asked, Failing(remains.form.asked, 1)):
        remains.form.asked = asked
        kernel = None
        while kernel is None:
            try:
                kernel = remains.classes(remains.kinds[0], 10**9, whole, False)
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
    """Another problem, other points and another way to count are told as such."""
    whole = written(path)
    with pytest.raises(CheckpointError, match="a checkpoint of another problem: "):
        resumed(path, SQUARES.without([0]))
    with pytest.raises(CheckpointError, match="of another count: isomorphic, not visits"):
        count(SQUARES, merge="never", checkpoint=path)
    with pytest.raises(CheckpointError, match="of another count: isomorphic, not layers"):
        count(SQUARES, checkpoint=path)
    assert path.read_bytes() == whole
    with opened(path) as saved:
        state = saved.load()
        assert state is not None
        saved.save({**state, "points": state["points"][::-1]})
    with pytest.raises(CheckpointError, match="a checkpoint of a count with other points"):
        resumed(path)


# Ends of all kinds


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
@pytest.mark.parametrize("jobs", [None, 2])
def test_errors_of_progress(
    error: type[BaseException], jobs: int | None, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C and any error leave a checkpoint of all that has been done."""
    monkeypatch.setattr("dlx.engine.limits.SLICE", 0.0)  # there is a report after every few nodes
    monkeypatch.setattr("dlx.counting.isomorphism.MOST_AT_ONCE", 50)
    problem, seen = latin(7), list[int]()

    def progress(now: Progress) -> None:
        seen.append(now.nodes)
        if now.nodes > 600:
            raise error

    try:
        assert resumed(path, problem, progress=progress, jobs=jobs).stopped == "interrupt"
    except ZeroDivisionError:
        assert error is ZeroDivisionError
    again = resumed(path, problem, max_nodes=1)
    assert (again.nodes, again.stopped) == (seen[-1], "max_nodes")
    assert resumed(path, problem).covers == 61479419904000


COUNTING = """
import sys
from dlx import count
from dlx.counting import batches, isomorphism
from dlx.parallel import checkpoint
from families import latin

batches.ALONE = 0
checkpoint.LEAST = checkpoint.SHARE = 0
isomorphism.PILOTS = ((1, None), (2, 0.8), (3, 1.0))
if __name__ == "__main__":
    print(count(latin(8), merge="isomorphic", jobs=int(sys.argv[2]), checkpoint=sys.argv[1]).stopped)
"""


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", *nightly("2")])
@pytest.mark.posix("/proc/self/task")
def test_the_program_is_killed(jobs: str, path: Path) -> None:
    """A count that is killed between any two checkpoints goes on where the last one was, and its workers end."""
    done, orphans = 0, set[int]()
    for end in (signal.SIGKILL, signal.SIGKILL, signal.SIGINT):
        with process(
            sys.executable, "-c", COUNTING, str(path), jobs, PYTHONPATH=environment()["PYTHONPATH"]
        ) as counting:
            before = path.stat().st_ino if path.exists() else 0
            until(lambda: path.exists() and path.stat().st_size and path.stat().st_ino != before)  # noqa: B023
            orphans |= set(children(counting.pid))
            counting.send_signal(end)
            out, _ = counting.communicate()
            assert out == "interrupt\n" if end == signal.SIGINT else out == ""
        result = resumed(path, latin(8), max_nodes=1)
        assert result.nodes > done
        done = result.nodes
    assert facts(resumed(path, latin(8))) == facts(count(latin(8), merge="isomorphic"))
    until(lambda: not any(map(is_alive, orphans)))


def test_big_numbers(path: Path) -> None:
    """Weights and covers have any size."""
    problem = copies(3, latin(5))
    assert resumed(path, problem, max_nodes=150).stopped == "max_nodes"
    assert resumed(path, problem).covers == 161280**3 > 2**51
