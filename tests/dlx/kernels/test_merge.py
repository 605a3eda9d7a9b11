"""The kernels that merge: their counts and diagrams, whatever the budgets, and the states that they tell apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from families import build
from kernels import ONCE
from oracle import as_sets, random_problem
from seeds import for_seeds

from dlx import Coloured, Problem, reference
from dlx.engine.dispatch import new_kernel
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, CRAMPED, EXHAUSTED

MANY = 1 << 62  # more than the covers of any test
PAIRS = [*(("mergebits", kind) for kind in ONCE), *(("mergesets", kind) for kind in (*ONCE, "multiple", "both"))]
all_kinds = pytest.mark.parametrize(("name", "kind"), PAIRS)
both_kernels = pytest.mark.parametrize("name", ["mergebits", "mergesets"])


def kernel_for(name: str, problem: Problem, draws: bool = False) -> Any:
    """A kernel with an empty memory."""
    return new_kernel(name, problem.rows(), np.empty((0, problem.max_level), dtype=np.int32), draws)


def exhaust(kernel: Any, nodes: int = MANY, updates: int = MANY, small: bool = True) -> Any:
    """Runs a kernel to its end, in slices; small ones are checked, and get room for one state at a time."""
    state = BUDGET_SPENT
    while state != EXHAUSTED:
        before = kernel.nodes
        state = kernel.run(nodes, updates, MANY)
        assert kernel.nodes - before <= nodes
        assert state in (EXHAUSTED, BUDGET_SPENT, CRAMPED)
        if small:
            kernel.check()
        if state == CRAMPED:
            states, edges = kernel.memo.capacity()
            kernel.memo.grow(*((states + 1, edges + 40) if small else (2 * states, 2 * edges + 40)))
    assert kernel.run(nodes, updates, MANY) == EXHAUSTED, "an ended search stays ended"
    return kernel


def covers_of(kernel: Any) -> list[tuple[int, ...]]:
    """The covers of a diagram, a path each."""
    root, first, options, children = kernel.memo.diagram()
    assert all(children[first[v] : first[v + 1]].max(initial=0) < v for v in range(2, len(first) - 1))
    found = []
    todo: list[tuple[int, tuple[int, ...]]] = [(root, ())]
    while todo:
        node, path = todo.pop()
        if node == 1:
            found.append(tuple(o for o in path if o >= 0))
        edges = range(first[node], first[node + 1])
        todo.extend((int(children[e]), (*path, int(options[e]))) for e in edges)
    return found


@all_kinds
@for_seeds(600)
def test_the_count_is_that_of_the_reference(name: str, kind: str, seed: int) -> None:
    """On random problems of each kind as many covers as the reference finds, in slices of any size."""
    rng = np.random.default_rng([seed, 21])
    problem = random_problem(rng, kind)
    kernel = exhaust(kernel_for(name, problem), *rng.integers(1, 40, size=2).tolist())
    assert kernel.total() == kernel.covers == sum(1 for _ in reference.covers(problem))


@all_kinds
@for_seeds(400)
def test_the_diagram_has_just_the_covers(name: str, kind: str, seed: int) -> None:
    """Each cover of the reference is one path of the diagram, and there are no others."""
    rng = np.random.default_rng([seed, 22])
    problem = random_problem(rng, kind)
    kernel = exhaust(kernel_for(name, problem, draws=True), int(rng.integers(1, 40)))
    assert as_sets(covers_of(kernel)) == as_sets(reference.covers(problem))


@all_kinds
@for_seeds(200)
def test_a_memory_that_is_lost_changes_no_count(name: str, kind: str, seed: int) -> None:
    """Forgetting at random moments costs time only."""
    rng = np.random.default_rng([seed, 23])
    problem = random_problem(rng, kind)
    kernel = kernel_for(name, problem)
    kernel.memo.grow(500, 0)
    while (state := kernel.run(int(rng.integers(1, 9)), MANY, MANY)) != EXHAUSTED:
        if state == CRAMPED or rng.integers(4) == 0:
            kernel.memo.forget()
            kernel.memo.grow(500, 0)
    assert kernel.total() == sum(1 for _ in reference.covers(problem))


@both_kernels
def test_a_state_under_way_is_forgotten(name: str) -> None:
    """The state below both options of an item is solved again where it was forgotten before its covers were known."""
    board = build("dominoes", 4, 4)
    problem = Problem.from_options([["twice"], ["twice"], *map(board.option, range(board.n_options))])
    for nodes in range(1, 40):
        kernel = kernel_for(name, problem)
        kernel.memo.grow(500, 0)
        kernel.run(nodes, MANY, MANY)
        kernel.memo.forget()
        assert exhaust(kernel, small=False).total() == 2 * 36


@both_kernels
def test_a_dead_item_is_not_a_covered_one(name: str) -> None:
    """After `ab` nothing is left but c, and after `a` nothing but c either, where b has lost its last option."""
    problem = Problem.from_options(["ab", "ax", "bx", "cd", "ce", "d", "e", "de"], items="abcde", secondary="x")
    assert exhaust(kernel_for(name, problem)).total() == sum(1 for _ in reference.covers(problem))


@both_kernels
def test_colours_belong_to_the_state(name: str) -> None:
    """After colouring x red or blue the same items are left, and different options."""
    options = [["a", Coloured("x", c)] for c in "rb"] + [["b", Coloured("x", c)] for c in "rrrb"] + [["c"], ["c", "y"]]
    problem = Problem.from_options(options, items="abcxy", secondary="xy")
    assert exhaust(kernel_for(name, problem)).total() == (3 + 1) * 2


@both_kernels
def test_states_are_solved_once(name: str) -> None:
    """Dominoes on 10 x 10: 258,584,046,368 covers in some ten thousand nodes."""
    kernel = exhaust(kernel_for(name, build("dominoes", 10, 10)), 1000, small=False)
    assert kernel.total() == 258584046368
    assert kernel.nodes < 20_000
    assert 0 < kernel.memo.hits < kernel.memo.asked
    assert kernel.memo.n_states == kernel.memo.asked - kernel.memo.hits


@both_kernels
def test_numbers_of_any_size(name: str) -> None:
    """Forty disjoint choices among three: 3^40 needs two digits of 63 bits, and 3^100 three; both are exact."""
    for n in (40, 100):
        kernel = kernel_for(name, Problem.from_options([[k] for k in range(n) for _ in range(3)]))
        assert exhaust(kernel, small=False).total() == 3**n
        assert kernel.covers == min(3**n, 1 << 61)


@both_kernels
def test_a_limit_of_covers_stops_the_count(name: str) -> None:
    """After a run with a budget of covers there are at least as many, and the count can go on."""
    kernel = kernel_for(name, build("dominoes", 6, 6))
    kernel.memo.grow(1000, 0)
    assert kernel.run(MANY, MANY, 100) == BUFFER_FULL
    assert 100 <= kernel.total() < 6728
    assert exhaust(kernel).total() == 6728
