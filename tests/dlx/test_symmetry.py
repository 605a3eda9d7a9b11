"""Symmetries and kinds of covers against all permutations, and known numbers; limits and Ctrl-C while nauty works."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count as numbers
from itertools import permutations, product
from math import factorial, prod
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from commands import DOMINOES
from families import build, steiner
from oracle import KINDS, random_problem
from processes import environment
from seeds import for_seeds
from symmetric import copies, factorizations
from waiting import WAIT

from dlx import Problem, ProblemError, Progress, classify, count, reference, symmetries
from dlx.engine import limits
from dlx.symmetry import nauty
from dlx.symmetry import orbits as searching
from dlx.symmetry.classification import KindsMemoryError
from dlx.symmetry.nauty_worker import plain_graph
from dlx.symmetry.orbits import Finding

Key = tuple[object, ...]  # what an option is, but for its number


def small_problem(seed: int, kind: str) -> Problem:
    """A random problem with few items, often with weights, chosen options and options left out."""
    rng = np.random.default_rng([seed, 41])
    while True:
        problem = random_problem(rng, kind)
        most = max(map(len, used_colours(problem)), default=0)
        if problem.n_primary <= 5 and problem.n_items - problem.n_primary <= 3 and most <= 3:
            return roughened(problem, rng)


def roughened(problem: Problem, rng: np.random.Generator) -> Problem:
    """The problem, often with weights, a chosen option or options left out."""
    if rng.random() < 0.3:
        problem = replace(problem, weights=rng.choice([1.5, 2, 2, 2], size=problem.n_options))
    if problem.n_options and rng.random() < 0.3:
        problem = problem.without(rng.integers(problem.n_options, size=int(rng.integers(1, 4))))
    if problem.n_options and rng.random() < 0.3:
        chosen = int(rng.integers(problem.n_options))
        with suppress(ProblemError):  # it has been left out, or has no primary item
            problem = problem.with_chosen([chosen])
    return problem


def used_colours(problem: Problem) -> list[list[int]]:
    """The colours that each item is given, 0 for none not being one."""
    used: list[set[int]] = [set() for _ in range(problem.n_items)]
    if problem.colours is not None:
        for item, colour in zip(problem.indices.tolist(), problem.colours.tolist(), strict=True):
            used[item] |= {colour} - {0}
    return [sorted(each) for each in used]


def keys(problem: Problem) -> list[Key]:
    """The weight, the role, and the items with their colours of each option."""
    colours = np.zeros_like(problem.indices) if problem.colours is None else problem.colours
    weights = [0] * problem.n_options if problem.weights is None else problem.weights.tolist()
    roles = [0] * problem.n_options if problem.roles is None else problem.roles.tolist()
    spans = [slice(*problem.indptr[o : o + 2]) for o in range(problem.n_options)]
    entries = [frozenset(zip(problem.indices[s].tolist(), colours[s].tolist(), strict=True)) for s in spans]
    return list(zip(weights, roles, entries, strict=True))


def maps(problem: Problem) -> Iterator[tuple[tuple[int, ...], dict[Key, Key]]]:
    """Every symmetry, by trying all: what it makes of the items, and of options but for equal ones."""
    used, there, n = used_colours(problem), keys(problem), problem.n_primary
    times = [[1, 1]] * n if problem.multiplicities is None else problem.multiplicities.tolist()
    facts = [*zip(map(len, used[:n]), times, strict=True), *map(len, used[n:])]
    for parts in product(permutations(range(n)), permutations(range(n, problem.n_items))):
        items = (*parts[0], *parts[1])
        if any(facts[i] != facts[j] for i, j in enumerate(items)):
            continue
        for images in product(*(permutations(used[j]) for j in items)):
            shades = [{0: 0, **dict(zip(used[i], image, strict=True))} for i, image in enumerate(images)]
            moved = {key: moved_key(key, items, shades) for key in there}
            if Counter(moved[key] for key in there) == Counter(there):
                yield items, moved


def moved_key(key: Any, items: tuple[int, ...], shades: list[dict[int, int]]) -> Key:
    weight, role, entries = key
    return weight, role, frozenset((items[i], shades[i][colour]) for i, colour in entries)


@pytest.mark.parametrize("kind", KINDS)
@for_seeds(300, block=50)
def test_the_group_is_that_of_all_permutations(kind: str, seed: int) -> None:
    """Order and orbits are those that trying all permutations of items and colours gives; generators are among them."""
    problem = small_problem(seed, kind)
    found, there, all_maps = symmetries(problem), keys(problem), list(maps(problem))
    assert found.order == len(all_maps) * prod(map(factorial, Counter(there).values()))
    for options, items in found.generators:
        assert sorted(options.tolist()) == list(range(problem.n_options))
        images = [there[o] for o in options]
        assert any(to == tuple(items) and [moved[key] for key in there] == images for to, moved in all_maps)
    for i in range(problem.n_items):
        assert found.orbits.items[i] == min(items[i] for items, _ in all_maps)
    for o, key in enumerate(there):
        assert found.orbits.options[o] == min(there.index(moved[key]) for _, moved in all_maps)


@pytest.mark.parametrize("function", [symmetries, classify, partial(count, merge="isomorphic")])
def test_a_missing_pynauty_is_named(function: Callable[[Problem], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pynauty, a function that needs it raises an ImportError that says what to install."""
    monkeypatch.setitem(sys.modules, "pynauty", None)
    with pytest.raises(ImportError, match=r"pip install pynauty"):
        function(build("toy"))


def test_a_small_group_of_the_caller_needs_no_pynauty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Covers are visited and compared by their images."""
    board = build("dominoes", 4, 4)
    turned = {(r, c): (c, 3 - r) for r in range(4) for c in range(4)}
    expected = [*classify(board, group=[turned])]
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "pynauty", None)
        assert [*classify(board, group=[turned])] == expected


def test_too_many_vertices_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph that would take too much memory is an error with both numbers."""
    monkeypatch.setattr(nauty, "MOST_VERTICES", 12)
    with pytest.raises(ProblemError, match=r"the problem has 13 items, options and colours; .* 12"):
        symmetries(build("toy"))


# Kinds of covers


@pytest.mark.parametrize("memory", [120_000, 200_000, None])
def test_covers_that_are_expected(memory: int | None) -> None:
    """The 3,108 tilings of a torus of 4 x 6 have 101 kinds, with memory for the covers of few kinds or of all."""
    squares = [(r, c) for r in range(4) for c in range(6)]
    places = [[(r, c), other] for r, c in squares for other in (((r + 1) % 4, c), (r, (c + 1) % 6))]
    found = classify(Problem.from_options(places), memory=memory)
    assert (len(found), found.covers, found.symmetries.order if found.symmetries else 0) == (101, 3108, 96)


@pytest.mark.parametrize(
    ("problem", "kinds", "covers"),
    [
        (build("queens", 8), 12, 92),
        (build("queens", 6), 1, 4),
        (build("latin", 4), 2, 576),
        (build("latin", 5), 2, 161_280),
        pytest.param(build("latin", 6), 12, 812_851_200),
        (build("matchings", 6), 1, 10_395),
        (build("partitions", 7), 15, 877),
        (build("rooks", 7), 1, 5040),
        (build("dominoes", 4, 4), 9, 36),
        (steiner(7), 1, 30),
        (steiner(9), 1, 840),
        pytest.param(steiner(13), 2, 1_197_504_000),
        pytest.param(steiner(15), 80, 60_281_712_691_200, marks=pytest.mark.nightly),
        (factorizations(6), 1, 720),
        pytest.param(factorizations(8), 6, 31_449_600),
    ],
)
def test_known_kinds(problem: Problem, kinds: int, covers: int) -> None:
    """Kinds and covers are as many as known: queens, main classes of Latin squares, partitions of a number, ..."""
    found = classify(problem)
    assert (len(found), found.covers, found.exhausted) == (kinds, covers, True)


def test_classes_are_a_sequence() -> None:
    """Length, places, slices and iteration are those of a tuple of kinds; each is a cover with a size."""
    found = classify(build("queens", 8))
    assert list(found) == [found[k] for k in range(12)] == list(found[:])
    assert found[-1] == found[11]
    assert found[0].cover in [tuple(sorted(cover)) for cover in reference.covers(build("queens", 8))]
    assert repr(found) == "Classes(12 kinds, 92 covers, 8 symmetries)"
    assert not classify(Problem.from_options(["ab", "bc"]))
    assert repr(classify(Problem.from_options(["a"]))).startswith("Classes(1 kind, 1 cover, 1 symmetry")
    assert repr(classify(Problem.from_options(["a", "a"]))).startswith("Classes(1 kind, 2 covers, 2 symmetries")


def test_a_wrong_sum_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If covers met and symmetries did not agree, that would be an error that names a cover and both numbers."""
    monkeypatch.setattr(Finding, "_meet", lambda self, form, times: self._met.setdefault(form, 3) == 3)
    with pytest.raises(RuntimeError, match=r"3 covers like .* were visited, and 8 exist"):
        classify(build("queens", 8))


@pytest.mark.parametrize(
    ("problem", "kinds", "covers", "order"),
    [
        (
            Problem.from_options([[item] for item in range(12) for _ in range(12)]),
            1,
            12**12,
            factorial(12) ** 12 * factorial(12),
        ),
        (copies(12, Problem.from_options(["ab", "bc", "c", "a", "b"])), 13, 3**12, factorial(12) * 2**12),
        (Problem.from_options(["ab"] * 200), 1, 200, 2 * factorial(200)),
        (Problem.from_options([range(200)] * 2), 1, 2, 2 * factorial(200)),
        (Problem.from_options([], items=range(30)), 0, 0, factorial(30)),
        (Problem.from_csr([0], [], 0), 1, 1, 1),
        (
            Problem.from_options(
                [[k, 7] for k in range(4)] * 5, multiplicities={**dict.fromkeys(range(4), 2), 7: (0, 99)}
            ),
            1,
            10**4,
            factorial(5) ** 4 * 24,
        ),
    ],
    ids=["equal", "copies", "same", "items", "nothing", "no items", "multiplicities"],
)
def test_large_groups(problem: Problem, kinds: int, covers: int, order: int) -> None:
    """Groups that no float holds give kinds and sums that are right to the last digit, at once."""
    found = classify(problem)
    assert found.symmetries is not None
    assert (len(found), found.covers, found.symmetries.order) == (kinds, covers, order)
    assert repr(found).endswith(("symmetries)", "1 symmetry)"))


def test_no_memory_for_the_kinds() -> None:
    """Kinds that take more than the memory are an error that says how far it got, and has them."""
    with pytest.raises(MemoryError, match=r"more than 1000 bytes: there are \d+ so far, and about [\d.]+ %"):
        classify(build("queens", 8), memory=1000)
    with pytest.raises(KindsMemoryError) as caught:
        classify(build("queens", 8), memory=5000)
    assert 0 < len(caught.value.kinds) < 12
    assert set(caught.value.kinds) < set(classify(build("queens", 8)))
    with pytest.raises(MemoryError, match=r"the clashes of 125 options .* 6250 bytes, more than memory=1000; give"):
        classify(build("latin", 5), memory=1000)
    with pytest.raises(MemoryError):
        classify(build("toy"), memory=0)


@pytest.mark.parametrize("few", [searching.FEW, 0])
def test_limits(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    """A classification that did not end says so, and what it has found is right; progress counts kinds."""
    monkeypatch.setattr(searching, "FEW", few)
    queens = build("queens", 8)
    seen: list[Progress] = []
    all_covers = {tuple(sorted(cover)) for cover in reference.covers(queens)}
    whole = classify(queens, progress=seen.append)
    assert (whole.covers, seen[-1].covers, {kind.size for kind in whole}) == (92, 12, {4, 8})
    assert all(0 <= each.fraction <= 1 for each in seen)
    some = classify(queens, max_covers=5)
    assert (len(some), some.stopped, some.exhausted) == (5, "max_covers", False)
    assert {kind.size for kind in some} <= {4, 8}
    assert {kind.cover for kind in some} < all_covers
    assert classify(queens, max_covers=12).covers == 92
    none = classify(queens, timeout=0)
    assert (len(none), none.stopped) == (0, "timeout")
    for n in (1, 2, 9):
        part = classify(queens, max_nodes=n)
        assert (part.nodes, part.stopped) == (n, "max_nodes")


@pytest.mark.parametrize("problem", [steiner(9), build("latin", 5), factorizations(6)], ids=str)
def test_little_memory(problem: Problem) -> None:
    """With room for the kinds alone, kinds and sizes are the same, and more forms are asked for."""
    plenty, little = classify(problem), classify(problem, memory=8_000)
    assert sorted(kind.size for kind in little) == sorted(kind.size for kind in plenty)
    assert little.updates >= plenty.updates


# nauty in a process


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
        assert select.select([begun], [], [], WAIT)[0]
        assert begun.read() == ""
    said = "dlx: stopped by Ctrl-C; the symmetries had not been found yet\n"
    assert (program.returncode, out, err) == ((130, "", said) if number == signal.SIGINT else (-9, "", ""))
