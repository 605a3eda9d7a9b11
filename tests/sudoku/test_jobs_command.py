"""`sudoku target|solve|count|shares --jobs N`: what one process says, in the same order, and the same ends."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import process, watched
from processes import children
from seeds import nightly
from sudoku_command import CLASH, CLUE17, EMPTY, MANY, ROOT, SOLVED, Feed, to_rows
from waiting import WAIT

from sudoku import parse, to_boxed
from sudoku.command.stream import Stream

BAD = f"{CLUE17[1:]}\n5e\n\n\n7 0 0 9 0 0 0 0 10\n\n\n"
MIXED = f"{CLUE17}\n{CLASH}\n{BAD}{to_rows(parse(MANY))}\n{SOLVED}\n{to_boxed(parse(CLUE17))}\n{MANY}\n"
FEW = "319842756652793814070010392080000003007300000000200000030020460040650200006000000"  # with 487 completions
HARD = "800000000003600000070090200050007000000045700000100030001000068008500010090000400"
TWO = ("--jobs", "2")


def without_times(text: str) -> str:
    """The messages without their times."""
    return re.sub(r'"seconds": [^,}]*', "", text)


@pytest.mark.parametrize(
    "arguments",
    [
        *nightly(["target"]),
        ["target", "--json"],
        *nightly(["target", "--strategy", "rows", "--fail"]),
        ["target", "--timeout", "0"],
        ["solve", "--json", "--fail"],
        ["count", "--json", "--limit", "7"],
        ["shares", "--json"],
        ["minimise"],
        ["solve", "--all"],
        ["solve", "--limit", "3", "--json"],
    ],
    ids=" ".join,
)
def test_the_same_as_alone(feed_sudoku: Feed, arguments: list[str]) -> None:
    """Answers, messages and status are those of one process: good grids and bad lines, in the order of the input."""
    mixed = (
        MIXED
        if arguments[0] not in ("shares", "solve")
        else f"{CLUE17}\n{CLASH}\n{BAD}{FEW}\n{to_boxed(parse(CLUE17))}\n"
    )
    text = 6 * mixed + f"end\n{CLUE17}"
    alone, shared = (feed_sudoku(text, *arguments, *more) for more in ((), TWO))
    assert alone[2].count("sudoku: <stdin>:") == 12
    assert (shared[0], without_times(shared[1]), shared[2]) == (alone[0], without_times(alone[1]), alone[2])


@pytest.mark.posix("/proc/self/task")
def test_interrupt_of_all_processes() -> None:
    """Ctrl-C in a terminal goes to the workers, too: the command ends after the answers before."""
    with watched("sudoku", "count", "--jobs", "3") as (running, wait):
        running.put(f"{CLUE17}\n{EMPTY}\n", last=True)
        assert running.stdout.readline() == "1\n"
        wait()
        for pid in [*children(running.pid), running.pid]:
            os.kill(pid, signal.SIGINT)
        out, err = running.communicate(timeout=WAIT)
    assert (running.returncode, out, err) == (130, "", "")


# A command one worker of which is killed in the middle of a large answer, to a pipe or to a file; the next one is not.
KILLED = """
import os, pickle, signal, sys, tempfile
from multiprocessing import parent_process, set_start_method
from multiprocessing.connection import Connection
from sudoku.command.cli import main

def die_once():
    if parent_process() is not None:
        try:
            os.close(os.open(MARK, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

def send(self, data, **more):
    if len(data) > 10_000:
        os.write(self.fileno(), data[: len(data) // 2])
        die_once()
        os.write(self.fileno(), data[len(data) // 2 :])
    else:
        true_send(self, data, **more)

def place(*given, **more):
    found = true_place(*given, **more)
    die_once()
    return found

true_send, true_place = Connection._send, tempfile.mkstemp
Connection._send, tempfile.mkstemp = send, place
set_start_method("fork")
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.posix("/proc/self/task")
def test_a_worker_is_killed_while_it_writes(tmp_path: Path) -> None:
    """A large answer that a killed worker has begun to write is made again."""
    mark = tmp_path / "killed"
    program = KILLED.replace("MARK", repr(str(mark)))
    arguments = ("solve", "--limit", "5000", *TWO)
    with process(sys.executable, "-c", program, *arguments, PYTHONPATH=str(ROOT)) as running:
        out, err = running.communicate(f"{EMPTY}\n{CLUE17}\n", timeout=WAIT)
    assert mark.exists()
    lines = out.splitlines()
    assert (running.returncode, err, len(lines), len({*lines}), lines[-1]) == (0, "", 5002, 5002, SOLVED)


@pytest.mark.parametrize("command", ["rate", "target"])
def test_a_grid_that_kills(feed_sudoku: Feed, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """A grid that none of its workers survives ends the command, with a message that names its part of the input."""

    def deadly(self: Stream, item: Any) -> Any:
        os._exit(1)

    monkeypatch.setattr(Stream, "answers", deadly)
    status, out, err = feed_sudoku(f"# a grid\n{CLUE17}", command, *TWO)
    assert (status, out) == (2, "")
    part = "the grid, or one of the grids, at <stdin>:2"
    assert re.fullmatch(rf"sudoku: 5 workers in a row have died of {part} \(Broken.*\)\n", err)
