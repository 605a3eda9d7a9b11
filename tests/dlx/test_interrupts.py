"""Ctrl-C in a real process: every search stops, what it has found is not lost, and no interrupt is forgotten."""

from __future__ import annotations

import signal

import pytest
from processes import interrupt, run
from seeds import nightly

pytestmark = pytest.mark.slow

# Each program says that it is under way, from inside a search that would take years, and is then interrupted.
START = """
from dlx import Problem, best, count, count_reaching, covers, estimate, explain, first, reduce
from families import build
from weighted import stuck

announced = False

def progress(seen):
    global announced
    if not announced and seen.seconds > 0.02 and (seen.bound is None or seen.score is not None):
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
result = first(build("langford", 21), progress=progress)
assert result.cover is None
assert result.stopped == "interrupt"
assert not result.exhausted
print("the program goes on")
"""

SAT = FIRST.replace("progress=progress", "sat=True, progress=progress")  # python-sat has its own way to answer Ctrl-C

BEST = """
result = best(stuck(), progress=progress)
assert result.stopped == "interrupt"
assert not result.proven
assert result.score <= 60 < result.bound
print("the program goes on")
"""

# A search that would end by itself waits inside `progress` until the interrupt has come.
WAITING = """
import os
import signal

reading, writing = os.pipe()
os.set_blocking(writing, False)
signal.set_wakeup_fd(writing)

def waiting(seen):
    global announced
    if not announced:
        announced = True
        print("searching", flush=True)
        os.read(reading, 1)
"""

EXPLAIN = """
squares = [(r, c) for r in range(8) for c in range(8) if (r, c) not in ((0, 0), (7, 7))]
pairs = [(a, b) for a in squares for b in ((a[0] + 1, a[1]), (a[0], a[1] + 1)) if b in squares]
result = explain(Problem.from_options(pairs), progress=lambda seen: "left" in seen.doing and waiting(seen))
assert 31 <= len(result.items) <= 62
assert result.stopped == "interrupt"
assert not result.minimal
print("the program goes on")
"""

REACHING = """
result = count_reaching(build("matchings", 40), 0, progress=progress)
assert result.covers > 0
assert result.stopped == "interrupt"
print("the program goes on")
"""

REDUCE = """
problem = build("pentominoes", 3, 200)
small = reduce(problem, progress=waiting)
assert small != reduce(problem, timeout=0)
assert small.n_options == problem.n_options
print("the program goes on")
"""

ESTIMATE = """
result = estimate(build("langford", 60), samples=10**8, progress=progress)
assert 2 <= result.samples < 10**8
assert result.stopped == "interrupt"
assert result.nodes > 1e20
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

# The main thread's search is interrupted, not the one beside it.
BESIDE = """
import threading

results = []
beside = threading.Thread(target=lambda: results.append(count(build("queens", 11))))
beside.start()
result = count(build("matchings", 40), progress=progress)
assert result.stopped == "interrupt"
beside.join()
assert (results[0].covers, results[0].exhausted) == (2680, True)
print("the program goes on")
"""

# An interrupt in a search that `progress` runs ends both.
WITHIN = """
def nested(seen):
    if seen.seconds > 0.02:
        results.append(count(build("matchings", 40), progress=progress))

results = []
result = best(stuck(), progress=nested)
assert [result.stopped, *(r.stopped for r in results)] == ["interrupt", "interrupt"]
assert result.bound > 20
print("the program goes on")
"""

PROGRAMS = {
    "first by CaDiCaL": SAT,
    "count": COUNT,
    "first": FIRST,
    "best": BEST,
    "explain": WAITING + EXPLAIN,
    "count_reaching": REACHING,
    "reduce": WAITING + REDUCE,
    "estimate": ESTIMATE,
    "iterator": ITERATOR,
    "blocks": BLOCKS,
    "beside another thread": BESIDE,
    "within another search": WITHIN,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.posix
def test_an_interrupt_loses_nothing(program: str) -> None:
    """A search returns what it has, with stopped == "interrupt"; an iterator goes on where it was."""
    result = interrupt(START + program)
    assert (result.stdout, result.stderr, result.returncode) == ("the program goes on\n", "", 0)


@pytest.mark.posix
def test_an_interrupt_ends_a_program_that_does_not_catch_it() -> None:
    """The iterator raises KeyboardInterrupt as any Python loop does."""
    result = interrupt(START + UNCAUGHT)
    assert result.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in result.stderr


# At random moments, many times: what an interrupted search returns is what it would have found in as many nodes

MOMENTS = """
import os
import random
import signal
import threading
from dataclasses import replace
import numpy as np
from dlx import best, count, count_reaching, covers, first
from dlx.engine import limits
from families import build

limits.SLICE = 0  # a search looks up whenever some nodes have been tried

def interrupted(search):
    # The result of a search that is interrupted after some looks, from beside it; None if the interrupt was raised.
    presses = threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT))
    looks = iter(range(int(2 ** random.uniform(0, 8))))
    results = []

    def progress(seen):
        if next(looks, None) is None and presses.ident is None:
            presses.start()

    try:
        results.append(search(progress=progress))
        if presses.ident is None:
            presses.start()
        presses.join()
        count(toy)  # which raises an interrupt that came too late
    except KeyboardInterrupt:
        pass
    while presses.is_alive():
        try:
            presses.join()
        except KeyboardInterrupt:
            pass
    try:
        count(toy)
    except KeyboardInterrupt:
        pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return results[0] if results else None

random.seed(SEED)
toy = build("toy")
weighted = replace(build("queens", 11), weights=np.random.default_rng(1).integers(1, 1000, 121))
bounds = np.tile(np.array([[0, 2]], dtype=np.int32), (12, 1))
rooks = build("rooks", 6)
multiple = replace(rooks, weights=np.arange(36), multiplicities=bounds)
stopped = 0
"""

BEST_MOMENTS = """
for k, problem in [(1, weighted), (2680, weighted), (1500, multiple)] * 10:
    result = interrupted(lambda **given: best(problem, k=k, **given))
    if result is not None and result.stopped == "interrupt":
        stopped += 1
        # A cover may be complete before the next option is tried, or after that.
        again = [best(problem, k=k, max_nodes=result.nodes + more).covers for more in (0, 1)]
        scores = [[c.score for c in found] for found in (result.covers, *again)]
        assert scores[0] in scores[1:], (result.nodes, k)
        assert not result.proven
    elif result is not None:
        assert result.proven
print(stopped > 3 or stopped)
"""

FIRST_MOMENTS = """
problem = build("pentominoes", 3, 20)  # with these seeds the first cover comes after some ten thousand nodes
for way in [1, 2, 3, 7, 1, 2, 3, 7, 12] * 6:
    result = interrupted(lambda **given: first(problem, kernel="links", seed=way, **given))
    if result is not None:
        again = first(problem, kernel="links", seed=way, max_nodes=result.nodes)
        assert result.cover == again.cover, result.nodes
        assert (result.stopped == "interrupt") == (result.cover is None)
        stopped += result.stopped == "interrupt"
print(stopped > 3 or stopped)
"""

COUNT_MOMENTS = """
for problem, bar in [(weighted, 7500), (multiple, 150)] * 10:
    for search in (lambda **limits: count(problem, **limits), lambda **limits: count_reaching(problem, bar, **limits)):
        result = interrupted(search)
        if result is not None and result.stopped == "interrupt":
            stopped += 1
            assert result.covers in [search(max_nodes=result.nodes + more).covers for more in (0, 1)], result.nodes
        elif result is not None:
            assert result.exhausted
print(stopped > 3 or stopped)
"""

COVERS_MOMENTS = """
problem = build("rooks", 8)
expected = list(covers(problem))
for _ in range(12):
    found = []
    def some(progress):
        global search
        search = covers(problem, progress=progress)
        while True:
            cover = next(search, None)
            if cover is None:
                return
            found.append(cover)
    interrupted(some)
    held = len(found)
    found += search
    # In order, none twice; one may have been on its way from the search to the list.
    chosen = set(found)
    assert [c for c in expected if c in chosen] == found
    assert len(found) >= len(expected) - 1, len(found)
    assert search.exhausted
    stopped += 0 < held < len(expected)
print(stopped > 3 or stopped)
"""


@pytest.mark.parametrize("seed", [0, *nightly(1)])
@pytest.mark.parametrize(
    "program",
    [BEST_MOMENTS, FIRST_MOMENTS, COUNT_MOMENTS, COVERS_MOMENTS],
    ids=["best", "first", "counts", "covers"],
)
@pytest.mark.posix
def test_interrupts_at_random_moments(program: str, seed: int) -> None:
    """A result is complete, or has all that a search of as many nodes finds and says that it was interrupted."""
    result = run(MOMENTS.replace("SEED", str(seed)) + program)
    assert (result.stdout, result.stderr) == ("True\n", "")


# Interrupts that come too late for one search

LATE = """
import math
import os
import signal
from dlx import count
from dlx.engine import limits
from families import build

calls = 0

def at_the_end(seen):
    global calls
    calls += 1
    if seen.fraction == 1:
        os.kill(os.getpid(), signal.SIGINT)

problem = build("latin", 5)
result = count(problem, progress=at_the_end, kernel="links")
assert (result.covers, result.stopped, calls > 1) == (161280, None, True)
limits.LATE = SECONDS
try:
    print(count(problem).covers)
except KeyboardInterrupt:
    print("raised")
assert count(problem).covers == 161280
"""


@pytest.mark.parametrize(("late", "printed"), [("math.inf", "raised\n"), ("0", "161280\n")])
@pytest.mark.posix
def test_an_interrupt_that_comes_too_late(late: str, printed: str) -> None:
    """A search that had ended keeps its result; the next one raises the interrupt, if it begins soon enough."""
    result = run(LATE.replace("SECONDS", late))
    assert (result.stdout, result.stderr) == (printed, "")


AT_THE_LAST_COVER = """
from dlx import Problem, best, count
from dlx.optimum.units import Top

def interrupted(top, score, options):
    Top.offer = offer
    raise KeyboardInterrupt

offer, Top.offer = Top.offer, interrupted
problem = Problem.from_options(["abc", "bc", "a", "b", "c"], weights=[1, 2, 3, 5, 1])
result = best(problem)
print(result.stopped, result.proven, [cover.options for cover in result.covers], count(problem).covers)
"""


@pytest.mark.posix
def test_an_interrupt_before_the_last_covers_are_taken() -> None:
    """It is the result's answer, which has these covers, and no proof; the next search knows nothing of it."""
    assert run(AT_THE_LAST_COVER).stdout == "interrupt False [(2, 3, 4)] 3\n"


AT_THE_COVER = """
from dlx import count, first
from dlx.search import covers as search
from families import build

slices = search.Loop.slices

def interrupted(loop, kernel, **budget):
    yield from slices(loop, kernel, **budget)
    raise KeyboardInterrupt

search.Loop.slices = interrupted
result = first(build("toy"))
search.Loop.slices = slices
print(result.stopped, result.cover)
try:
    print(count(build("toy")).covers)
except KeyboardInterrupt:
    print("raised", count(build("toy")).covers)
"""


@pytest.mark.posix
def test_an_interrupt_between_the_cover_and_the_end() -> None:
    """The cover is the answer, and the interrupt is not lost: it stops the next search."""
    assert run(AT_THE_COVER).stdout == "None (3, 0, 4)\nraised 1\n"


MANY_SHORT = """
from dlx import best, count
from families import build

toy = build("toy")
try:
    print("searching", flush=True)
    while best(toy).stopped is None and count(toy).stopped is None:  # on a busy machine one of them may take long
        pass
    print("the program goes on")
except KeyboardInterrupt:
    print("the program goes on")
"""


@pytest.mark.posix
def test_an_interrupt_ends_many_short_searches() -> None:
    """A loop around searches that each end at once is left, whichever part of it the interrupt hits."""
    for _ in range(5):
        result = interrupt(MANY_SHORT)
        assert (result.stdout, result.stderr, result.returncode) == ("the program goes on\n", "", 0)


OWN_HANDLER = """
import os
import signal
from dlx import count
from families import build

seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append(1))
once = lambda p: seen or os.kill(os.getpid(), signal.SIGINT)
assert count(build("latin", 5), progress=once).covers == 161280
assert seen
assert signal.getsignal(signal.SIGINT).__name__ == "<lambda>"
print("done")
"""


@pytest.mark.posix
def test_a_handler_of_the_programs_own_is_left_alone() -> None:
    """Programs that deal with Ctrl-C themselves keep doing so."""
    result = run(OWN_HANDLER)
    assert (result.stdout, result.stderr) == ("done\n", "")
