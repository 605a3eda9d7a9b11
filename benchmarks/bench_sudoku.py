"""Sudokus solved and proved unique: `sudoku` beside what the package index has, with every answer checked.

Each side runs in a process of its own (`sudoku_sides.py`), on as many puzzles of a set (`sudoku_sets.py`) as it does in
some seconds. Its answers are compared with those of `sudoku.solve_many`, and these with the rules; an answer of another
side that is wrong is counted as wrong. The commands are measured as a whole process, on a file of a million lines.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from apart import Stopwatch, missing, started
from sudoku_instances import RINGS
from sudoku_sets import Puzzles, build, isomorphs
from sudoku_sides import COUNTING, FIRST_ONLY, SIDES

import sudoku

SECONDS = 1.5  # of processor time for a side on a set; one that is in a puzzle then may take as long again
SIZE = 20_000  # puzzles of a set
OPEN, LIMIT = 60, 100_000  # open grids, and how many completions of each are counted
SOLVED = ("17 givens", "hard", "minimal", "24-30 givens", "easy")
OWN = ("count_many", "solve_many", "count_many, a grid a call", "exact cover", "cells")
COMMANDS = {"solve": ["solve"], "count --limit 2": ["count", "--limit", "2"], "target": ["target"]}

# Runs a command, and tells its processor seconds and its peak of memory; a small process of its own, since what a large
# one starts begins with the peak of that.
METER = """
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]), file=sys.stderr)
"""

CLOCK = Stopwatch()
pytestmark = pytest.mark.benchmark(timer=CLOCK)

Grids = npt.NDArray[np.uint8]


def keeps_the_rules(completions: Grids, grids: Grids) -> npt.NDArray[np.bool_]:
    """Tells whether completions have every digit once in each row, column and box, and the givens of their grids."""
    rows = completions.reshape(-1, 9, 9)
    boxes = rows.reshape(-1, 3, 3, 3, 3).swapaxes(2, 3).reshape(-1, 9, 9)
    units = np.concatenate([rows, rows.swapaxes(1, 2), boxes], axis=1)
    fair = (np.sort(units, axis=2) == np.arange(1, 10)).all(axis=(1, 2))
    kept: npt.NDArray[np.bool_] = fair & ((grids == 0) | (grids == completions)).all(axis=1)
    return kept


@cache
def solved(name: str, size: int) -> tuple[Puzzles, Grids, float]:
    """A set, its completions, and how many guesses there were for a puzzle; each has one completion."""
    puzzles = build(name, size)
    found = sudoku.count_many(puzzles.grids, 2)
    completions = found.completions.reshape(-1, 81)
    assert (found.counts == 1).all()
    assert keeps_the_rules(completions, puzzles.grids).all()
    return puzzles, completions, found.nodes / size


def wrong(found: list[list[list[int]]], completions: Grids) -> int:
    """Counts the answers, lists of completions, that are not the one completion."""
    expected = completions[: len(found)].tolist()
    return sum(answer != [completion] for answer, completion in zip(found, expected, strict=True))


def told(side: str, task: dict[str, Any], clock: Stopwatch) -> dict[str, Any]:
    """Returns the output of a side."""
    task["example"] = build("easy", 1).grids[0]
    process = started("sudoku_sides.py", side, SECONDS, task)
    assert not process.returncode, process.stderr.decode()
    result: dict[str, Any] = json.loads(process.stdout)
    clock.seconds += result["seconds"]
    return result


@pytest.mark.parametrize("name", [*SOLVED, "open"])
def test_set(benchmark: Any, name: str) -> None:
    """Each puzzle of a set has one completion, and open grids have many; where they come from is recorded."""
    size = {"open": OPEN}.get(name, SIZE if benchmark.enabled else 100)
    puzzles, guesses = benchmark.pedantic(build, args=(name, size), rounds=1), None
    if name == "open":
        assert (sudoku.count_many(puzzles.grids, LIMIT).counts > 1).all()
    else:
        guesses = solved(name, size)[2]
    benchmark.extra_info.update(
        what="set",
        set=name,
        size=size,
        givens=float((puzzles.grids > 0).sum(axis=1).mean()),
        guesses=guesses,
        source=puzzles.source,
        bias=puzzles.bias,
    )


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", SOLVED)
def test_solve(benchmark: Any, name: str, side: str) -> None:
    """Our sides find the completion of each puzzle; what others do not find is recorded."""
    if reason := missing(side):
        pytest.skip(reason)
    puzzles, completions, _ = solved(name, SIZE if benchmark.enabled else 20)
    record = benchmark.pedantic(told, args=(side, {"grids": puzzles.grids, "limit": 0}, CLOCK), rounds=1)
    found = record.pop("found")
    not_right = wrong(found, completions)
    assert side not in OWN or not not_right
    told_of = {"what": "solve", "set": name, "side": side, "proves": side not in FIRST_ONLY}
    benchmark.extra_info.update(**told_of, checked=len(found), wrong=not_right, **_renamed(record))


@pytest.mark.parametrize("side", COUNTING)
def test_open(benchmark: Any, side: str) -> None:
    """All sides count as many completions of open grids, up to the limit or the end of their time."""
    if reason := missing(side):
        pytest.skip(reason)
    grids, limit = build("open", OPEN).grids, LIMIT if benchmark.enabled else 100
    record = benchmark.pedantic(told, args=(side, {"grids": grids, "limit": limit}, CLOCK), rounds=1)
    counts = record.pop("counts")
    expected = sudoku.count_many(grids, limit).counts[: len(counts)].tolist()
    assert counts[:-1] == expected[:-1]
    assert counts[-1] <= expected[-1]
    told_of = {"what": "open", "set": "open", "side": side, "limit": limit}
    benchmark.extra_info.update(**told_of, completions=sum(counts), **_renamed(record))


def _renamed(record: dict[str, Any]) -> dict[str, Any]:
    """Returns the record of a side, where `seconds` is what pytest-benchmark has measured."""
    return {"spent" if name == "seconds" else name: value for name, value in record.items()}


@pytest.mark.parametrize("lines", [100_000, 1_000_000])
@pytest.mark.parametrize("command", COMMANDS)
def test_command(benchmark: Any, command: str, lines: int, tmp_path: Path) -> None:
    """A command answers every line of a file as the library does, and its memory does not grow with the file."""
    grids = million(lines if benchmark.enabled else lines // 1000)
    path, printed = tmp_path / "grids.txt", tmp_path / "printed.txt"
    path.write_bytes(as_lines(grids))

    def run() -> tuple[float, float]:
        call = [sys.executable, "-c", METER, sys.executable, "-m", "sudoku", *COMMANDS[command], str(path)]
        with printed.open("wb") as file:
            process = subprocess.run(call, stdout=file, stderr=subprocess.PIPE, check=True)
        seconds, megabytes = json.loads(process.stderr)
        CLOCK.seconds += seconds
        return seconds, megabytes

    seconds, megabytes = benchmark.pedantic(run, rounds=1)
    assert printed.read_bytes() == expected_of(command, grids)
    benchmark.extra_info.update(what="command", command=command, lines=len(grids), spent=seconds, megabytes=megabytes)


@cache
def million(lines: int) -> Grids:
    """So many minimal puzzles, no two the same: isomorphs of those of the set."""
    grids = build("minimal", min(lines, SIZE)).grids
    rng = np.random.default_rng(lines)
    return np.concatenate([isomorphs(grids, rng) for _ in range(lines // len(grids))])


def as_lines(grids: Grids) -> bytes:
    """Grids as lines of 81 digits."""
    return np.concatenate([grids + 48, np.full((len(grids), 1), 10, dtype=np.uint8)], axis=1).tobytes()


def expected_of(command: str, grids: Grids) -> bytes:
    """Returns the expected output of a command, by the library."""
    completions = sudoku.solve_many(grids).completions.reshape(-1, 81)
    if command == "solve":
        return as_lines(completions)
    if command == "target":
        scores = completions.astype(np.int64) @ RINGS.ravel()
        return "".join(f"{score}\n" for score in scores.tolist()).encode()
    return b"1\n" * len(grids)
