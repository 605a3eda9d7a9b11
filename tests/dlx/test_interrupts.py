"""Ctrl-C in a real process: the search stops, and what it has found is not lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Each program says that it is under way, from inside a search that would take years, and is then interrupted.
START = """
from dlx import Problem, count, covers, first
from families import build

announced = False

def progress(search):
    global announced
    if not announced:
        announced = True
        print("searching", flush=True)
"""

COUNT = """
result = count(build("matchings", 40), progress=progress)
assert result.covers > 0
assert result.stopped == "interrupt"
assert not result.exhausted
print("the program goes on")
"""

FIRST = """
result = first(build("dominoes", 15, 15), progress=progress)
assert result.cover is None
assert result.stopped == "interrupt"
assert not result.exhausted
print("the program goes on")
"""

# What was found before and after the interrupt is what a search without one finds, in the same order. Only what Python
# had in its hands at that moment, between the search and `found`, can be missing.
ITERATOR = """
from itertools import islice

problem = build("matchings", 40)
search = covers(problem, progress=progress)
found = []
try:
    for cover in search:
        found.append(cover)
except KeyboardInterrupt:
    found += islice(search, 1000)
    expected = islice(covers(problem), len(found) + 1)
    assert all(cover in expected for cover in found)
    print("the program goes on")
"""

BLOCKS = """
from itertools import islice
from oracle import rows

problem = build("matchings", 40)
search = covers(problem, progress=progress)
found = []
try:
    for block in search.blocks(50):
        found.append(rows(block))
except KeyboardInterrupt:
    found += map(rows, islice(search.blocks(50), 20))
    expected = map(rows, islice(covers(problem).blocks(50), len(found) + 1))
    assert all(block in expected for block in found)
    print("the program goes on")
"""

UNCAUGHT = """
for block in covers(build("matchings", 40), progress=progress).blocks():
    pass
"""


def interrupt(program: str) -> subprocess.CompletedProcess[str]:
    """Runs a program, sends it SIGINT once it has said that it searches, and waits for its end."""
    path = os.pathsep.join(map(str, [ROOT, ROOT / "benchmarks", ROOT / "tests" / "shared"]))
    process = subprocess.Popen(
        [sys.executable, "-c", START + program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "searching\n"
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


@pytest.mark.parametrize("program", [COUNT, FIRST, BLOCKS, ITERATOR], ids=["count", "first", "blocks", "iterator"])
def test_an_interrupt_loses_nothing(program: str) -> None:
    """`count` and `first` return what they have, with stopped == "interrupt"; an iterator goes on where it was."""
    result = interrupt(program)
    assert (result.stdout, result.stderr, result.returncode) == ("the program goes on\n", "", 0)


def test_an_interrupt_ends_a_program_that_does_not_catch_it() -> None:
    """The iterator raises KeyboardInterrupt as any Python loop does."""
    result = interrupt(UNCAUGHT)
    assert result.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in result.stderr
