"""The claims of all kernels that find covers: their covers, invariants, budgets and buffers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from threading import Thread

import numpy as np
import pytest
from families import build
from kernels import (
    CORES,
    KINDS,
    MANY,
    PAIRS,
    SEARCHES,
    deep,
    exhaust,
    kernel_for,
    relayed,
    taken,
    watched,
    without_core,
)
from oracle import as_sets, is_cover, large_problem, random_problem, subsets
from seeds import for_seeds, tries

from dlx import Coloured, Problem, count, reference
from dlx.engine.dispatch import new_kernel
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED

all_searches = pytest.mark.parametrize("name", SEARCHES)
all_kinds = pytest.mark.parametrize(("name", "kind"), PAIRS)

# Covers


@all_kinds
@for_seeds(600)
def test_the_covers_are_those_of_the_reference(name: str, kind: str, seed: int) -> None:
    """Kernels find just the covers of random problems of each kind, each once, in a search cut anywhere.

    Invariants hold before, during and after it; the fraction rises from 0 to 1.
    """
    rng = np.random.default_rng([seed, 1])
    problem = random_problem(rng, kind)
    kernel = kernel_for(name, problem, room=int(rng.choice([0, 1, 3])))
    expected = as_sets(reference.covers(problem))
    found = watched(rng, kernel)
    assert kernel.covers == len(expected)
    if found:
        assert as_sets(found) == expected
        assert all(is_cover(problem, cover) for cover in found)


@pytest.mark.parametrize("name", ["links", "bits", *CORES])
@for_seeds(80, block=32)
def test_cores_and_masks_of_several_words_find_the_same(name: str, seed: int) -> None:
    """Problems of up to 400 options have the covers of links without a core, also by kernels that take turns."""
    rng = np.random.default_rng([seed, 23])
    problem = large_problem(rng)
    while without_core("links", problem, room=1000).run(500, MANY, MANY) != EXHAUSTED:
        problem = large_problem(rng)
    kernel = kernel_for(name, problem, room=1000)
    found = exhaust(kernel)
    assert as_sets(found) == as_sets(exhaust(without_core("links", problem, room=1000)))
    assert all(is_cover(problem, cover) for cover in found)
    assert relayed(rng, lambda: kernel_for(name, problem, room=2)) == (found, kernel.nodes, kernel.updates)


@pytest.mark.parametrize("kind", KINDS["multi"])
def test_the_covers_are_those_of_all_subsets(kind: str) -> None:
    """The reference, and so each kernel, finds each set of options that is a cover, by looking at every set."""
    problems = [random_problem(np.random.default_rng([seed, 11]), kind) for seed in range(tries(60))]
    for problem in (problem for problem in problems if problem.n_options <= 9):
        assert as_sets(reference.covers(problem)) == as_sets(subsets(problem))


# Budgets and buffers


@all_searches
def test_a_full_buffer_stops_the_search(name: str) -> None:
    """A kernel writes as many covers as its buffer has rows, goes on when that is emptied, and `check` can fail."""
    kernel = kernel_for(name, build("queens", 6), room=3)
    assert kernel.run(MANY, MANY, MANY) == BUFFER_FULL
    assert (kernel.filled, kernel.covers) == (3, 3)
    kernel.filled = 4  # a caller that claims more rows than there are
    with pytest.raises(AssertionError, match="filled is 4 of 3 rows"):
        kernel.check()
    nodes, kernel.filled = kernel.nodes, 3
    assert kernel.run(MANY, MANY, MANY) == BUFFER_FULL
    assert (kernel.filled, kernel.covers, kernel.nodes) == (3, 3, nodes), "there was no room, so there was no search"
    assert len(set(taken(kernel))) == 3
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    assert (kernel.filled, kernel.covers) == (1, 4)


@all_searches
@pytest.mark.parametrize("room", [0, 9])
def test_a_budget_of_nothing_does_nothing(name: str, room: int) -> None:
    """Without nodes, updates or covers a search that has some stays where it is."""
    kernel = kernel_for(name, build("queens", 6), room)
    for k in range(9):
        budgets = [0 if k % 3 == which else MANY for which in range(3)]
        assert kernel.run(*budgets) == (BUFFER_FULL if k % 3 == 2 else BUDGET_SPENT)
        assert (kernel.nodes, kernel.covers) == (0, 0)
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    assert kernel.covers == 4


WORK = {  # of all solutions of the eight queens' problem: nodes and updates
    "links": (1173, 6358),
    "bits": (1173, 6486),
    "core of links": (1173, 6358),
    "core of bits": (1173, 6486),
    "multi": (1173, 23212),
    "branch_and_bound": (1199, 12988),
}


@all_searches
def test_nodes_and_updates_do_not_depend_on_the_machine(name: str) -> None:
    """The work of a search is a fact about the problem: these numbers change only with the algorithm.

    Invariants hold in its first 60 runs of seven nodes. Without a buffer, covers are only counted.
    """
    kernel = kernel_for(name, build("queens", 8))
    for _ in range(60):
        kernel.run(7, MANY, MANY)
        kernel.check()
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    kernel.check()
    assert (kernel.covers, kernel.nodes, kernel.updates) == (92, *WORK[name])
    assert (kernel.filled, len(kernel.found())) == (0, 0)


# Sizes and corners


@all_searches
def test_a_thousand_options_deep(name: str) -> None:
    """Levels are no Python frames: a cover of 1,500 options is found, and those next to it; less deep with masks."""
    problem = deep(name)
    found = as_sets(exhaust(kernel_for(name, problem, room=1)))
    assert len(set(found)) == 2**3
    items = [[i for o in cover for i in problem.option(o)] for cover in found]
    assert all(len(some) == len(set(some)) == problem.n_items for some in items)


@all_searches
def test_thirty_three_thousand_options_of_one_item(name: str) -> None:
    """Each alone is a cover and a node, more than an int16 counts; long lists are hidden and put back whole."""
    n = 33_000
    kernel = kernel_for(name, Problem.from_options([["a"]] * n))
    if name == "branch_and_bound":  # a node looks at all options: 5 s for all of them
        assert kernel.run(1000, MANY, MANY) == BUDGET_SPENT
        assert (kernel.covers, kernel.nodes) == (999, 1000)
    else:
        assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
        assert (kernel.covers, kernel.nodes) == (n, n)
    kernel = kernel_for(name, Problem.from_options([["a"]] * 9000 + [["b"]] * 9000 + [["a", "b"]], items="ab"))
    kernel.run(1000, MANY, MANY)
    if CORES.get(name, name) != "bits":  # whose check compares all pairs of options
        kernel.check()
    assert kernel.covers >= 998


def entries(*options: str | Sequence[object]) -> Problem:
    """A problem with up to two primary items, a and b, if they are used, and two secondary ones, x and y."""
    used = {entry for option in options for entry in option}
    return Problem.from_options(options, items=[*(i for i in "ab" if i in used), *"xy"], secondary="xy")


RED, BLUE, NONE = Coloured("x", "red"), Coloured("x", "blue"), Coloured("x", None)
ONE = Coloured("x", 1)
X0, X1, Y0, Y1 = (Coloured(item, colour) for item in "XY" for colour in (0, 1))
CORNERS: list[tuple[Problem, list[tuple[int, ...]]]] = [
    (Problem.from_options([]), [()]),
    (Problem.from_options([], items="x", secondary="x"), [()]),
    (Problem.from_options([], items="a"), []),
    (entries("x", "x"), [()]),
    (entries("a", "x"), [(0,)]),
    (entries("a", "a", "ab"), [(2,)]),
    (entries("ax", "bx", "b"), [(0, 2)]),
    (entries([RED]), [()]),
    (entries(["a", RED], ["b", RED], ["b", BLUE], ["b", "x"]), [(0, 1)]),
    (entries(["a", "x"], ["b", RED]), []),
    (entries(["a", RED], ["b", BLUE]), []),
    (entries("ax", "bx"), []),
    (entries(["a", NONE]), [(0,)]),
    (entries(["a", NONE], ["b", NONE]), [(0, 1)]),
    (entries(["a", NONE], ["b", "x"]), []),
    (entries(["a", ONE], ["b", Coloured("x", True)]), [(0, 1)]),  # equal values are one colour
    (entries(["a", ONE], ["b", Coloured("x", "1")]), []),
    (Problem.from_options([[RED]], items="a", secondary="x"), []),
    (Problem.from_options([], items="a", multiplicities={"a": (0, 1)}), [()]),
    (Problem.from_options([], items="a", multiplicities={"a": (0, 2**31 - 1)}), [()]),
    (Problem.from_options([], items="a", multiplicities={"a": 2**31 - 1}), []),
    (Problem.from_options(["a"], multiplicities={"a": (1, 2**31 - 1)}), [(0,)]),
    (Problem.from_options(["a", "a"], multiplicities={"a": 3}), []),
    (Problem.from_options(["a", "x"], secondary="x", multiplicities={"a": (0, 2)}), [(), (0,)]),
    (Problem.from_options(["ab", "b"], multiplicities={"a": (0, 9), "b": (0, 9)}), [(), (0,), (0, 1), (1,)]),
    (Problem.from_options(["ab", "b"], multiplicities={"a": (0, 9)}), [(0,), (1,)]),
    # Knuth's examples, with colours, and where C is covered twice or three times (TAOCP 4B, 7.2.2.1)
    (
        Problem.from_options(
            [["A", "B", X0, Y0], ["A", "C", X1, Y1], ["B", X1], ["C", Y1]], items="ABC", secondary="XY"
        ),
        [(1, 2)],
    ),
    (
        Problem.from_options(
            [["A", "B", X0, Y0], ["A", "C", X1, Y1], ["C", X0], ["B", X1], ["C", Y1]],
            items="ABC",
            secondary="XY",
            multiplicities={"C": (2, 3)},
        ),
        [(1, 3, 4)],
    ),
]


@pytest.mark.parametrize(("problem", "covers"), CORNERS, ids=repr)
def test_empty_corners(problem: Problem, covers: list[tuple[int, ...]]) -> None:
    """No items, no options, nothing needed, options never chosen, colours alone or alike, more needed than there is.

    Kernels list and count such covers, those that merge count them, and the one that learns finds one.
    """
    once = problem.multiplicities is None
    assert as_sets(reference.covers(problem)) == covers
    for name, room in product([name for name in SEARCHES if once or "multiple" in KINDS[name]], (0, 1)):
        kernel = kernel_for(name, problem, room)
        kernel.check()
        found = exhaust(kernel) if room else covers
        kernel.run(MANY, MANY, MANY)
        kernel.check()
        assert as_sets(found) == covers
        assert kernel.covers == len(covers)
    assert not once or count(problem, merge="same").covers == len(covers)
    learning = new_kernel("learn", problem.rows(), np.empty((1, problem.max_level), np.int32)) if once else None
    if learning is not None:
        learning.run(MANY, MANY, MANY)
        learning.check()
        assert [cover in covers for cover in as_sets(taken(learning))] == [True] * bool(covers)


# Beside the interpreter


@all_searches
def test_other_threads_run_beside_a_kernel(name: str) -> None:
    """While a kernel runs, another thread watches its nodes grow: the interpreter lock is released."""
    for most in (10**5, 10**6, 10**7):  # a longer search each time, should the machine be too busy to watch a short one
        kernel = kernel_for(name, build("langford", 16))  # too many options for a core to have them all
        thread = Thread(target=kernel.run, args=(most, MANY, MANY))
        seen: set[int] = set()
        thread.start()
        while thread.is_alive() and len(seen) < 10_000:
            seen.add(kernel.nodes)
        thread.join()
        if seen - {0, kernel.nodes}:
            return
    pytest.fail("no thread ran while the kernel did")
