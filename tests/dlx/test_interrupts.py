"""Ctrl-C in a real process: every search stops, what it has found is not lost, and no interrupt is forgotten."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from families import build
from processes import interrupt
from seeds import nightly

from dlx import Best, First, Progress, best, count, count_reaching, first
from dlx.engine import limits

# Each program prints that it is searching, from inside a search that would take years, and is then interrupted.
# tests/test_loops.py interrupts every function at each of its lines, in this process; tests/test_commands.py, commands.
START = """
from concurrent.futures import ProcessPoolExecutor
from dlx import Problem, best, count, covers, first
from dlx.parallel import cutting
from families import build
from oracle import rows

cutting.PIECES = cutting.MOST = 50  # so that cutting takes no time
announced = False

def announce():
    global announced
    if not announced:
        announced = True
        print("searching", flush=True)

def progress(seen):
    if seen.seconds > 0.02 and (seen.nodes > 10_000 or "piece" not in seen.doing):
        announce()

matchings, fewer = build("matchings", 40), build("matchings", 20)
"""

# A count, or a search for one cover, says that it has been interrupted.
COUNTED = """
result = count(fewer, {who}, merge='never', progress=progress)
assert result.stopped == "interrupt" and result.nodes >= 10_000, result
"""
FIRST = """
result = first(build("langford", 21), {who}, progress=progress)
assert result.stopped == "interrupt" and result.cover is None, result
"""

# What was found before and after the interrupt is what a search without one finds, in the same order. Only a block of
# fifty that Python had in its hands at that moment, between the search and `found`, can be missing.
ITERATED = """
from itertools import islice

search = covers(fewer, {who}, ordered=True, progress=progress)
found = []
try:
    for some in search.blocks(50):
        found += rows(some)
    print("nothing was raised")
except KeyboardInterrupt:
    for some in islice(search.blocks(50), 20):
        found += rows(some)
    expected = islice(covers(fewer), len(found) + 50)
    assert all(cover in expected for cover in found)
"""

UNCAUGHT = """
for block in covers(matchings, progress=progress).blocks():
    pass
"""

# The search is interrupted while it is cut, which would take years.
CUT = """
cutting.PIECES = cutting.MOST = 10**12
whole = cutting.split
cutting.split = lambda *given, over, **more: whole(*given, over=lambda: announce() or over(), **more)
result = count(fewer, {who}, merge="never")
assert (result.covers, result.nodes, result.stopped) == (0, 0, "interrupt"), result
"""

# The main thread's search is interrupted, not the one beside it.
BESIDE = """
import threading

results = []
beside = threading.Thread(target=lambda: results.append(count(build("queens", 11))))
beside.start()
result = count(matchings, progress=progress)
assert result.stopped == "interrupt"
beside.join()
assert (results[0].covers, results[0].exhausted) == (2680, True)
"""

# An interrupt in a search that `progress` runs ends both.
WITHIN = """
def nested(seen):
    if seen.seconds > 0.02:
        results.append(count(matchings, progress=progress))

results = []
result = count(fewer, merge="never", progress=nested)
assert [result.stopped, *(r.stopped for r in results)] == ["interrupt", "interrupt"]
"""

# A loop around searches that each end at once is left, whichever part of it the interrupt hits.
MANY_SHORT = """
toy = Problem.from_options(["ab", "cd", "ac", "bd"], weights=1)
try:
    announce()
    while best(toy).stopped is None and count(toy).stopped is None:  # on a busy machine one of them may take long
        pass
except KeyboardInterrupt:
    pass
"""

ALONE = {"many short searches": MANY_SHORT, "beside another thread": BESIDE, "within another search": WITHIN}
IN_PIECES = {"count": COUNTED, "first": FIRST, "covers": ITERATED, "count, being cut": CUT}


def goes_on(program: str, group: bool = False) -> bool:
    """Checks that a program that is interrupted goes on to its end."""
    result = interrupt(START + program + "print('the program goes on')", group=group)
    assert (result.stdout, result.stderr, result.returncode) == ("the program goes on\n", "", 0)
    return True


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.posix
def test_an_interrupt_loses_nothing(name: str) -> None:
    """An interrupt ends the search of the main thread and no other one, or the loop around short searches."""
    assert goes_on(ALONE[name])


@pytest.mark.parametrize("who", ["jobs=2", *nightly("executor=ProcessPoolExecutor(2)")])
@pytest.mark.parametrize("group", [True, *nightly(False)], ids=["terminal", "program"])
@pytest.mark.parametrize("name", IN_PIECES)
@pytest.mark.posix
def test_an_interrupt_in_pieces(name: str, who: str, group: bool) -> None:
    """A search in pieces returns what it has, or goes on where it was; workers that get the signal do not complain."""
    assert goes_on(IN_PIECES[name].replace("{who}", who), group)


@pytest.mark.posix
def test_an_interrupt_ends_a_program_that_does_not_catch_it() -> None:
    """The iterator raises KeyboardInterrupt as any Python loop does."""
    result = interrupt(START + UNCAUGHT)
    assert result.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in result.stderr


# At random looks of a search, many times

TILES = build("pentominoes", 3, 20)  # with these seeds the first cover comes after some ten thousand nodes
WEIGHTED = replace(build("queens", 11), weights=np.random.default_rng(1).integers(1, 1000, 121))
BOUNDS = np.tile(np.array([[0, 2]], dtype=np.int32), (12, 1))
MULTIPLE = replace(build("rooks", 6), weights=np.arange(36), multiplicities=BOUNDS)
SEARCHES: dict[str, list[partial[Any]]] = {
    "best": [partial(best, problem, k=k) for problem, k in ((WEIGHTED, 1), (WEIGHTED, 2680), (MULTIPLE, 1500))] * 10,
    "first": [partial(first, TILES, kernel="links", seed=way) for way in (1, 2, 3, 7, 1, 2, 3, 7, 12)] * 6,
    "count": [partial(count, problem) for problem in (WEIGHTED, MULTIPLE)] * 10,
    "count_reaching": [partial(count_reaching, *given) for given in ((WEIGHTED, 7500), (MULTIPLE, 150))] * 10,
}


def outcome(result: Any) -> object:
    """Returns the covers that a search has found, or their scores or number."""
    if isinstance(result, First):
        return result.cover
    return [cover.score for cover in result.covers] if isinstance(result, Best) else result.covers


@pytest.mark.parametrize("seed", [0, *nightly(1)])
@pytest.mark.parametrize("name", SEARCHES)
def test_interrupts_at_random_moments(name: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result is complete, or has all that a search of as many nodes finds and says that it was interrupted."""
    monkeypatch.setattr(limits, "SLICE", 0.0)  # a search looks up whenever some nodes have been tried
    dice, stopped = random.Random(seed), 0
    for search in SEARCHES[name]:
        looks = iter(range(int(2 ** dice.uniform(0, 8))))

        def progress(_: Progress, looks: Iterator[int] = looks) -> None:
            if next(looks, None) is None:
                signal.raise_signal(signal.SIGINT)

        result = search(progress=progress)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if result.stopped is None:
            assert getattr(result, "proven", True)
            continue
        assert result.stopped == "interrupt"
        stopped += 1
        # A cover may be complete before the next option is tried, or after that.
        assert outcome(result) in [outcome(search(max_nodes=result.nodes + more)) for more in (0, 1)], result.nodes
        assert not getattr(result, "proven", False)
    assert stopped > 3


# Interrupts at certain moments


def test_an_interrupt_after_the_last_check() -> None:
    """An interrupt in the last report is answered by that search, though its count is complete, and by no later one."""
    seen: list[float] = []

    def at_the_end(progress: Progress) -> None:
        seen.append(progress.fraction)
        if progress.fraction == 1:
            signal.raise_signal(signal.SIGINT)

    result = count(build("latin", 5), progress=at_the_end, kernel="links")
    assert (result.covers, result.stopped, len(seen) > 1) == (161_280, "interrupt", True)
    assert count(build("latin", 5)).stopped is None


def test_a_handler_of_the_program() -> None:
    """A search goes on if the program has a handler of its own, which is called and stays."""
    calls: list[int] = []
    handler = lambda *_: calls.append(1)  # noqa: E731
    before = signal.signal(signal.SIGINT, handler)
    try:
        result = count(build("latin", 5), progress=lambda _: None if calls else signal.raise_signal(signal.SIGINT))
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert (result.covers, calls) == (161_280, [1])
