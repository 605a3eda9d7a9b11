"""Ctrl-C and ends: a search in pieces ends at once, whoever works, and wherever it stands."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from families import build
from processes import run
from seeds import nightly
from waiting import until

from dlx import first
from dlx.parallel import cutting, pieces
from dlx.parallel.slices import Done, KernelPool, Slice
from dlx.parallel.slices import work as do_slice

pytestmark = pytest.mark.slow

PREPARED = """
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from dlx import count, covers, first
from dlx.parallel import cutting
from families import build

sent = []

def interrupt():
    if not sent:
        sent.append(threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT)))
        sent[0].start()

def progress(seen):
    if seen.doing and seen.nodes > 10_000:
        interrupt()

problem = build("matchings", 20)
"""
FEW = "cutting.MOST = 50\n"  # so that cutting takes no time
COUNT = """
result = count(problem, {who}, merge="never", progress=progress)
assert result.stopped == "interrupt", result
assert result.nodes >= 10_000
"""
FIRST = """
result = first(build("langford", 21), {who}, progress=progress)
assert (result.cover, result.stopped) == (None, "interrupt"), result
"""
COVERS = """
search = covers(problem, {who})
found = 0
try:
    for block in search.blocks():
        found += len(block)
        interrupt()
except KeyboardInterrupt:
    assert found and len(next(search.blocks(10))) == 10
"""
CUT = """
true = cutting.split

def split(*given, over, **more):
    return true(*given, over=lambda: interrupt() or over(), **more)

cutting.split = split
result = count(problem, {who}, merge="never")
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
    """Ctrl-C ends a search in pieces, which would take years, with what has been counted; an iterator can go on."""
    result = run(PREPARED + program.replace("{who}", who) + "print('the program goes on')\n")
    assert (result.stdout, result.stderr, result.returncode) == ("the program goes on\n", "", 0)


@pytest.mark.parametrize("jobs", [2, 3])
def test_the_first_cover_ends_the_search(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others who look for one stop as soon as there is one: here they find none before."""
    first_of_all = threading.Lock()

    def work(search: KernelPool, task: Slice, over: Callable[[], bool]) -> Done:
        if not first_of_all.acquire(blocking=False):
            until(over)
        return do_slice(search, task, over)

    monkeypatch.setattr(cutting, "MOST", 50)
    monkeypatch.setattr(pieces, "work", work)
    for seed in range(5):
        assert first(build("matchings", 20), jobs=jobs, seed=seed).cover is not None
        first_of_all.release()
