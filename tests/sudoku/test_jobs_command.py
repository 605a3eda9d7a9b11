"""`sudoku target|solve|count|shares --jobs N`: what one process says, in the same order, and the same ends."""

from __future__ import annotations

import os
import re
import signal
from typing import Any

import pytest
from processes import children
from seeds import nightly
from sudoku_command import CLASH, CLUE17, EMPTY, MANY, SOLVED, Feed, command
from waiting import WAIT

from sudoku import parse, to_boxed, to_rows
from sudoku.command.stream import Stream
from sudoku.formats.fast import one_by_one

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
        ["target", "--top", "3"],
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
    assert alone[2].count("sudoku: <stdin>:") == 18
    assert (shared[0], without_times(shared[1]), shared[2]) == (alone[0], without_times(alone[1]), alone[2])


@pytest.mark.posix("/proc/self/task")
def test_interrupt_of_all_processes() -> None:
    """Ctrl-C in a terminal goes to the workers, too: the command ends after the answers before."""
    with command("count", "--jobs", "3") as running:
        running.put(f"{CLUE17}\n{EMPTY}\n", last=True)
        assert running.stdout.readline() == "1\n"
        for pid in [*children(running.pid), running.pid]:
            os.kill(pid, signal.SIGINT)
        out, err = running.communicate(timeout=WAIT)
    assert (running.returncode, out, err) == (130, "", "")


@pytest.mark.parametrize("task", ["rate", "target"])
def test_a_grid_that_kills(feed_sudoku: Feed, monkeypatch: pytest.MonkeyPatch, task: str) -> None:
    """A grid that none of its workers survives has an error in its place, and all others have their answers."""
    true = Stream.answers

    def deadly(self: Stream, item: Any) -> Any:
        if not all(puzzle.grid.any() for puzzle in one_by_one(iter([item]))):
            os._exit(1)
        yield from true(self, item)

    lines = 100 * [CLUE17]
    lines[40] = EMPTY
    _, alone, _ = feed_sudoku(CLUE17, task)
    monkeypatch.setattr(Stream, "answers", deadly)
    status, out, err = feed_sudoku("\n".join(lines), task, *TWO)
    assert status == 2
    assert re.fullmatch(r"sudoku: <stdin>:41: 5 workers in a row have died of this grid \(Broken.*\)\n", err)
    assert out.splitlines() == [*40 * [alone.strip()], "error", *59 * [alone.strip()]]
