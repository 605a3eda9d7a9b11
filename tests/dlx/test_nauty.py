"""nauty stops at a limit and at Ctrl-C; graphs that a process of its own takes get the same answers."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count as numbers
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from dlx_command import DOMINOES
from families import build, steiner
from processes import environment
from waiting import WAIT

from dlx import Problem, classify, count, symmetries
from dlx.engine import limits
from dlx.symmetry import nauty
from dlx.symmetry.nauty_worker import plain_graph

pytest.importorskip("pynauty")

TRIPLES = steiner(7)
NAMED = Problem.from_options([[str(pair) for pair in TRIPLES.option(o)] for o in range(TRIPLES.n_options)])
CALLS: dict[str, Callable[..., Any]] = {
    "classify": classify,
    "count": lambda problem, **given: count(problem, merge="isomorphic", **given),
    "symmetries": symmetries,
}


class Processes:
    """The processes that nauty works in, for graphs of any size; with a `program` they run that instead."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun: list[subprocess.Popen[bytes]] = []
        self.program = ""
        self.then: Callable[[], object] = lambda: None
        self._begin = nauty._begin
        monkeypatch.setattr(nauty, "SMALL", 0)
        monkeypatch.setattr(nauty, "_begin", self)

    def __call__(self) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        command = [sys.executable, "-S", "-c", self.program]
        self.begun.append(subprocess.Popen(command, stdin=pipe, stdout=pipe) if self.program else self._begin())
        self.then()
        return self.begun[-1]


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Processes]:
    """Nauty works in processes for graphs of any size; afterwards all of them have ended."""
    processes = Processes(monkeypatch)
    yield processes
    assert all(process.returncode is not None for process in processes.begun)


DEAF = "import sys; sys.stdin.buffer.read()"  # reads what it is asked, and never answers


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("problem", [TRIPLES, NAMED, build("toy")], ids=["points", "no points", "toy"])
def test_answers_are_the_same(name: str, problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    """One process is asked for all large graphs of a search, and the answers are those that are found here."""
    here = CALLS[name](problem)
    processes = Processes(monkeypatch)
    there = CALLS[name](problem)
    assert len(processes.begun) == 1
    assert processes.begun[0].returncode == -signal.SIGKILL
    for fact in ("covers", "order", "kinds"):  # how many states there are depends on the pace
        assert getattr(there, fact, None) == getattr(here, fact, None)


def test_a_timeout_ends_nauty(processes: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A timeout ends each search while nauty works: with what there is, or with the error that it is known for."""
    clock: list[int] = []  # of searches, by the processes that have begun
    processes.program, processes.then = DEAF, lambda: clock.append(1)
    monkeypatch.setattr(limits, "time", SimpleNamespace(perf_counter=lambda: float(len(clock))))
    found = classify(TRIPLES, timeout=0.05)
    assert (found.stopped, found.kinds, found.symmetries) == ("timeout", (), None)
    assert repr(found) == "Classes(0 kinds, 0 covers, stopped by timeout)"
    counted = count(NAMED, merge="isomorphic", timeout=0.05)
    assert (counted.stopped, counted.covers, counted.merged) == ("timeout", 0, True)
    with pytest.raises(TimeoutError, match="timeout came before the symmetries were found"):
        symmetries(TRIPLES, timeout=0.05)
    assert len(processes.begun) == 3


@pytest.mark.posix
@pytest.mark.parametrize("name", CALLS)
def test_an_interrupt_ends_nauty(name: str, processes: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends each search while nauty works: the result says so, or KeyboardInterrupt is raised."""
    processes.program, processes.then = DEAF, lambda: signal.raise_signal(signal.SIGINT)
    monkeypatch.setattr(limits, "SLICE", 0.0)  # so that it is noted from the beginning
    try:
        stopped = CALLS[name](NAMED).stopped
    except KeyboardInterrupt:
        stopped = "raised"
    assert stopped == ("interrupt" if name in ("classify", "count") else "raised")


@pytest.mark.parametrize("name", CALLS)
def test_stopped_at_any_look(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever look at the clock finds that the time is over, the search says so, or has its whole answer."""
    whole, over = CALLS[name](NAMED), limits.Loop.over
    for last in (k * k // 2 for k in numbers()):
        looks = iter(range(last))

        def timed(loop: limits.Loop, looks: Iterator[int] = looks) -> bool:
            if next(looks, None) is None:
                loop.stopped = "timeout"
            return loop.stopped is not None or over(loop)

        monkeypatch.setattr(limits.Loop, "over", timed)
        try:
            found = CALLS[name](NAMED)
        except TimeoutError:
            continue
        if getattr(found, "stopped", None) is None:
            break
        assert getattr(found, "covers", 0) <= getattr(whole, "covers", 0)
    assert last > 5
    assert getattr(found, "covers", None) == getattr(whole, "covers", None)


def path_of_three() -> Any:
    """A graph."""
    return plain_graph(3, {0: [1], 1: [2]}, [[0, 1, 2]])


def test_a_process_that_dies(processes: Processes) -> None:
    """A process that ends early, as the system kills it without memory, is an error; the next graph gets another."""
    with nauty.Nauty(lambda: False) as asked:
        for processes.program in ("import os; os.kill(os.getpid(), 9)", "raise SystemExit"):
            with pytest.raises(MemoryError, match="nauty was killed on a graph with 3 vertices"):
                asked.canon_label(path_of_three())
        processes.program = ""
        assert asked.autgrp(path_of_three())[1] == 2
    assert len(processes.begun) == 3


def test_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nauty is asked here if no process can be started, as in a program that is a file."""
    monkeypatch.setattr(nauty, "SMALL", 0)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with nauty.Nauty(lambda: False) as asked:
        assert asked.canon_label(path_of_three()) == [0, 2, 1]


# A pynauty that tells when it has begun, and then never comes back nor lets other Python run.
ENDLESS = """
import ctypes
import os

class Graph:
    pass

def autgrp(graph):
    global begun
    begun = open(os.environ["BEGUN"], "w", buffering=1)
    begun.write("begun\\n")
    ctypes.PyDLL(None).pause()
"""

COMMAND = """
import sys

sys.path.insert(0, sys.argv.pop(1))
from dlx.command.cli import main
from dlx.symmetry import nauty

nauty.SMALL = 0
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nobody_is_left_behind(number: int, tmp_path: Path) -> None:
    """The process that nauty works in ends with the program; Ctrl-C is a line and a status of the command."""
    (tmp_path / "pynauty.py").write_text(ENDLESS)
    os.mkfifo(fifo := tmp_path / "fifo")
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", COMMAND, str(tmp_path), "classify", DOMINOES]
    clean = environment(BEGUN=str(fifo))
    with (
        subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=clean, start_new_session=True) as program,
        fifo.open() as begun,
    ):
        assert begun.readline() == "begun\n"
        os.killpg(program.pid, number)
        out, err = program.communicate(timeout=WAIT)
        assert select.select([begun], [], [], 60)[0]
        assert begun.read() == ""
    said = "dlx: stopped by Ctrl-C; the symmetries had not been found yet\n"
    assert (program.returncode, out, err) == ((130, "", said) if number == signal.SIGINT else (-9, "", ""))
