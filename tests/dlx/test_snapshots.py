"""Snapshots: whatever ends a count up to isomorphism, the same call goes on to the same number, or refuses the file."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from commands import process
from families import latin, steiner
from processes import environment
from seeds import few, for_seeds
from symmetric import copies, some_problem
from waiting import until

from dlx import Count, JournalError, Problem, Progress, count
from dlx.counting.isomorphism import Remains
from dlx.engine.limits import StoppedError
from dlx.kernels import EXHAUSTED
from dlx.parallel import snapshot
from dlx.parallel.cutting import fingerprint
from dlx.parallel.exclusive import sealed
from dlx.parallel.snapshot import Snapshot

pytest.importorskip("pynauty")

BEGINNING = 24  # bytes by which a snapshot is known

SQUARES = latin(6)


@pytest.fixture(autouse=True)
def short_pilots(monkeypatch: pytest.MonkeyPatch) -> None:
    """One kind of points is chosen after a few forms, so that there is something to keep early."""
    monkeypatch.setattr("dlx.counting.isomorphism.PILOTS", ((1, None), (2, 0.8), (3, 1.0)))


def facts(result: Count) -> tuple[int, ...]:
    """The fields of a count that are the same in every run."""
    return result.covers, result.states, result.nodes, result.updates, result.hits


def resumed(path: Path, problem: Problem = SQUARES, **more: Any) -> Count:
    return count(problem, merge="isomorphic", checkpoint=path, **more)


def written(path: Path, problem: Problem = SQUARES) -> bytes:
    """A snapshot of a count that is under way."""
    assert resumed(path, problem, max_nodes=count(problem, merge="isomorphic").nodes // 2).stopped == "max_nodes"
    return path.read_bytes()


def opened(path: Path) -> Snapshot:
    return Snapshot(str(path), {"problem": fingerprint(SQUARES), "count": "isomorphic"})


@for_seeds(200)
def test_portions(seed: int, tmp_path: Path) -> None:
    """Counts that stop again and again come to what one call finds."""
    problem, path = some_problem(seed), tmp_path / f"{seed}.snapshot"
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


@pytest.mark.parametrize("limits", [{}, {"max_nodes": 1}])
def test_what_is_done_is_not_done_again(limits: dict[str, Any], path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A count that has ended is read from its snapshot, whatever limits there are, and nothing is written."""
    whole = resumed(path)
    monkeypatch.setattr(Snapshot, "save", None)
    assert facts(resumed(path, **limits)) == facts(whole)


def test_more_memory(path: Path) -> None:
    """A count that lacks memory goes on from its snapshot with more."""
    problem = steiner(15)
    whole = count(problem, merge="isomorphic")
    with pytest.raises(MemoryError, match=r"the classes take more than \d+ bytes: \d+ wait .* give more memory"):
        resumed(path, problem, memory=whole.memory // 2)
    assert path.stat().st_size
    assert resumed(path, problem).covers == whole.covers


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
                kernel = remains.classes(remains.kinds[0], 10**9, whole)
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


# Files that are refused


def test_a_file_cut_anywhere(path: Path) -> None:
    """A file that is not whole is refused with the line, and left as it is, by `tell`, too; an empty one is begun."""
    whole = written(path)
    for size in few(range(1, len(whole))):
        path.write_bytes(whole[:size])
        if size >= BEGINNING:
            with pytest.raises(JournalError, match=r"run\.snapshot:[12]: th"):
                snapshot.tell(str(path))
        with opened(path) as saved, pytest.raises(JournalError, match=r"run\.snapshot:[12]: th"):
            saved.load()
        assert path.read_bytes() == whole[:size]
    path.write_bytes(b"")
    assert resumed(path).covers == 812851200


@for_seeds(200)
def test_flipped_bits(seed: int, path: Path) -> None:
    """A snapshot with a bit that has changed is refused, and left as it is, by `tell`, too."""
    data = bytearray(written(path))
    rng = np.random.default_rng([seed, 63])
    place = int(rng.integers(len(data)))
    data[place] ^= 1 << int(rng.integers(8))
    path.write_bytes(data)
    if place >= BEGINNING:
        with pytest.raises(JournalError):
            snapshot.tell(str(path))
    with opened(path) as saved, pytest.raises(JournalError):
        saved.load()
    assert path.read_bytes() == data
    path.unlink()


@pytest.mark.parametrize("arrays", [{}, {"arrays": 5}, {"arrays": {"x": ["O", [1]]}}])
def test_no_state(arrays: dict[str, Any], path: Path) -> None:
    """A first line that is whole, but tells of no arrays, is refused by `tell`, as no state of a search."""
    path.write_bytes(sealed({"snapshot": snapshot.VERSION, "state": {}, **arrays}) + b"00000000\n")
    with pytest.raises(JournalError, match=r"run\.snapshot: this is no state of a search"):
        snapshot.tell(str(path))


def test_snapshots_of_others(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another problem, other points, another format and a journal of pieces are told as such."""
    whole = written(path)
    with pytest.raises(JournalError, match="a snapshot of another problem: "):
        resumed(path, SQUARES.without([0]))
    with pytest.raises(JournalError, match=":1: this is no journal, but a snapshot of a search"):
        count(SQUARES, merge="never", checkpoint=path)
    with pytest.raises(JournalError, match=":1: this is a snapshot of another count: isomorphic, not layers"):
        count(SQUARES, checkpoint=path)
    with monkeypatch.context() as patch:
        patch.setattr(snapshot, "VERSION", 2)
        with pytest.raises(JournalError, match="this is version 1 of the format, and 2 can be read"):
            resumed(path)
    assert path.read_bytes() == whole
    with opened(path) as saved:
        state = saved.load()
        assert state is not None
        saved.save({**state, "points": state["points"][::-1]})
    with pytest.raises(JournalError, match="a snapshot of a count with other points"):
        resumed(path)
    for wrong in (state["state"][:, :1], state["state"] | np.uint64(1 << 63), state["state"][1:]):
        with opened(path) as saved:
            saved.save({**state, "state": np.ascontiguousarray(wrong)})
        with pytest.raises(JournalError, match=r"this is no state of a search: .* are no states of the problem"):
            resumed(path)
    path.unlink()
    count(SQUARES, merge="never", checkpoint=path, max_nodes=1000)
    with pytest.raises(JournalError, match=":1: this is no snapshot, but a journal of pieces"):
        resumed(path)


def test_one_at_a_time(path: Path) -> None:
    """A second count with the same file is refused while the first one runs."""
    refused: list[str] = []

    def meanwhile(_: Progress) -> None:
        with pytest.raises(JournalError, match="being written by this process") as caught:
            resumed(path)
        refused.append(str(caught.value))

    assert resumed(path, progress=meanwhile).covers == 812851200
    assert refused


# Ends of all kinds


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_errors_of_progress(error: type[BaseException], path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C and any error leave a snapshot of all that has been done."""
    monkeypatch.setattr("dlx.engine.limits.SLICE", 0.0)  # there is a report after every few nodes
    monkeypatch.setattr("dlx.counting.isomorphism.MOST_AT_ONCE", 50)
    problem, seen = latin(7), list[int]()

    def progress(now: Progress) -> None:
        seen.append(now.nodes)
        if now.nodes > 600:
            raise error

    try:
        assert resumed(path, problem, progress=progress).stopped == "interrupt"
    except ZeroDivisionError:
        assert error is ZeroDivisionError
    again = resumed(path, problem, max_nodes=1)
    assert (again.nodes, again.stopped) == (seen[-1], "max_nodes")
    assert resumed(path, problem).covers == 61479419904000


COUNTING = """
import sys
from dlx import count
from dlx.counting import isomorphism
from dlx.parallel import snapshot
from families import latin

snapshot.LEAST = snapshot.SHARE = 0
isomorphism.PILOTS = ((1, None), (2, 0.8), (3, 1.0))
print(count(latin(8), merge="isomorphic", checkpoint=sys.argv[1]).stopped)
"""


@pytest.mark.slow
@pytest.mark.posix
def test_the_program_is_killed(path: Path) -> None:
    """A count that is killed between any two snapshots goes on where the last one was."""
    done = 0
    for end in (signal.SIGKILL, signal.SIGKILL, signal.SIGINT):
        with process(sys.executable, "-c", COUNTING, str(path), PYTHONPATH=environment()["PYTHONPATH"]) as counting:
            before = path.stat().st_ino if path.exists() else 0
            until(lambda: path.exists() and path.stat().st_size and path.stat().st_ino != before)  # noqa: B023
            counting.send_signal(end)
            out, _ = counting.communicate()
            assert out == "interrupt\n" if end == signal.SIGINT else out == ""
        result = resumed(path, latin(8), max_nodes=1)
        assert result.nodes >= done
        done = result.nodes
    assert resumed(path, latin(8)).covers == count(latin(8), merge="isomorphic").covers


def test_snapshots_are_not_too_many(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one is due after some seconds, and after fifty times as long as the last one took, made and written."""
    now = [0.0]
    monkeypatch.setattr(snapshot, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def slow(number: int) -> None:
        now[0] += 2.0

    monkeypatch.setattr(os, "fsync", slow)
    with Snapshot(str(path), {}) as saved:
        for now[0], is_due in ((3.9, False), (4.0, True), (105.9, False), (106.0, True)):
            assert saved.is_due is is_due
            if now[0] == 4.0:
                saved.save({})

        def stand() -> dict[str, Any]:
            now[0] += 3.0
            return {}

        def slices() -> Iterator[None]:
            for now[0], is_due in ((106.0, True), (112.0, False), (360.9, False), (361.0, True)):
                assert saved.is_due is is_due
                yield

        saved.follow(slices(), stand)


def test_big_numbers(path: Path) -> None:
    """Weights and covers have any size."""
    problem = copies(3, latin(5))
    assert resumed(path, problem, max_nodes=100).stopped == "max_nodes"
    assert resumed(path, problem).covers == 161280**3 > 2**51
