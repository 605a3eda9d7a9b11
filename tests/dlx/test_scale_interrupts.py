"""Ctrl-C and ends: a search in pieces ends at once, whoever works, and wherever it stands."""

from __future__ import annotations

import time
from typing import Any

import pytest
from families import build
from processes import run
from seeds import nightly

from dlx import first
from dlx.scale import parts, pieces
from dlx.scale.slices import Done
from dlx.scale.slices import work as do_slice

pytestmark = pytest.mark.slow

PREPARED = """
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from dlx import count, covers, first
from dlx.scale import parts
from families import build

sent, told = [], []

def interrupt():
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

def progress(seen):
    if seen.doing and seen.nodes > 10_000 and not told:
        told.append(threading.Timer(0.3, interrupt))
        told[0].start()

def answered():
    late = time.perf_counter() - sent[0]
    assert late < 1, late
    print(f"{late:.3f}", flush=True)

problem = build("matchings", 20)
"""
FEW = "parts.MOST = 50\n"  # so that cutting takes no time
COUNT = """
result = count(problem, {who}, merge="never", progress=progress)
answered()
assert result.stopped == "interrupt", result
assert result.nodes >= 10_000
"""
FIRST = """
result = first(build("pentominoes", 12, 40), {who}, progress=progress)
answered()
assert (result.cover, result.stopped) == (None, "interrupt"), result
"""
COVERS = """
search = covers(problem, {who}, progress=progress)
found = 0
try:
    for block in search.blocks():
        found += len(block)
except KeyboardInterrupt:
    answered()
assert found and len(next(search.blocks(10))) == 10
"""
CUT = """
threading.Timer(0.5, interrupt).start()
result = count(problem, {who}, merge="never")
answered()
assert (result.covers, result.nodes, result.stopped) == (0, 0, "interrupt"), result
"""
PROGRAMS = {
    "count": FEW + COUNT,
    "first": FIRST,
    "covers": FEW + COVERS,
    "count, being cut": CUT,
}


@pytest.mark.parametrize("who", ["jobs=2", *nightly("executor=ProcessPoolExecutor(2)")])
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.posix
def test_an_interrupt(program: str, who: str) -> None:
    """Ctrl-C ends a search in pieces within a moment, with what has been counted; an iterator can go on."""
    result = run(PREPARED + program.replace("{who}", who) + "print('the program goes on')\n")
    assert (result.stderr, result.returncode) == ("", 0)
    late, *rest = result.stdout.splitlines()
    assert float(late) < 1  # 0.02 to 0.1 on an idle machine
    assert rest == ["the program goes on"]


@pytest.mark.parametrize("jobs", [2, 3])
def test_the_first_cover_ends_the_search(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others who look for one stop as soon as there is one."""
    found: list[float] = []

    def work(*given: Any) -> Done:
        done = do_slice(*given)
        if done.block is not None:
            found.append(time.perf_counter())
        return done

    monkeypatch.setattr(parts, "MOST", 50)
    monkeypatch.setattr(pieces, "work", work)
    for seed in range(5):
        assert first(build("matchings", 20), jobs=jobs, seed=seed).cover is not None
        assert time.perf_counter() - found[0] < 0.5  # 0.02 on an idle machine
        found.clear()
