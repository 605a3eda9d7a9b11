"""The kernel `components`: items that belong together, and the best covers of small components, however stopped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from families import beside, build
from kernels import MANY
from oracle import random_problem, rows
from seeds import for_seeds

from dlx import Problem, reference
from dlx.engine.dispatch import new_kernel
from dlx.kernels import BUFFER_FULL, EXHAUSTED


def components(problem: Problem) -> list[set[int]]:
    """The items of each component, those of the smallest item first, by joining sets until nothing changes."""
    given = problem.rows()
    options = [set(given.indices[a:b].tolist()) for a, b in zip(given.indptr[:-1], given.indptr[1:], strict=True)]
    found = [{i} for i in range(given.n_primary)]
    for option in options:
        if option and min(option) < given.n_primary:
            touched = [part for part in found if part & option]
            found = [part for part in found if not part & option] + [option.union(*touched)]
    return sorted(found, key=min)


def several(rng: np.random.Generator, kind: str = "plain") -> Problem:
    """Some random problems beside each other, a few of their options left out."""
    problem = beside([random_problem(rng, kind) for _ in range(int(rng.integers(1, 5)))])
    return problem.without(np.flatnonzero(rng.random(problem.n_options) < 0.1).tolist())


def prepared(
    problem: Problem, weights: Any, k: int, patience: int = MANY, widest: int = 99, room: int = 1 << 12
) -> Any:
    """The kernel, ready for its search."""
    kernel = new_kernel("components", problem.rows())
    kernel.prepare(problem.rows(), np.asarray(weights, dtype=np.int64), k, widest, patience, room)
    return kernel


@for_seeds(300)
def test_components_are_what_joining_sets_gives(seed: int) -> None:
    """Their number, those with a choice, and the label of every item; an item without options is one, too."""
    rng = np.random.default_rng([seed, 1])
    problem = several(rng, str(rng.choice(["plain", "coloured"])))
    expected = components(problem)
    kernel = prepared(problem, np.zeros(problem.n_options), 1)
    assert kernel.number == len(expected)
    labels = np.full(problem.n_items, -1)
    for c, part in enumerate(expected):
        labels[list(part)] = c
    assert kernel.labels().tolist() == labels.tolist()
    given = problem.rows()
    firsts = [given.indices[a:b] for a, b in zip(given.indptr[:-1], given.indptr[1:], strict=True)]
    owners = [labels[option[0]] for option in firsts if len(option) and option.min() < given.n_primary]
    numbers = np.bincount(owners, minlength=len(expected))
    alone = len(expected) == 1 or not numbers.all()
    assert kernel.choices == (1 if alone else np.count_nonzero(numbers > 1))


@for_seeds(300)
def test_the_best_of_each_component_are_found(seed: int) -> None:
    """Whatever budgets stop the kernel and whatever room it has, the k best gains of each are those of enumeration."""
    rng = np.random.default_rng([seed, 2])
    problem = several(rng, str(rng.choice(["plain", "coloured"])))
    weights, k = rng.integers(-9, 10, problem.n_options), int(rng.choice([1, 2, 3, 50]))
    kernel = prepared(problem, weights, k, room=int(rng.choice([60, 4096])))
    gains: dict[int, list[int]] = {}
    state = -1
    while state != EXHAUSTED:
        state = kernel.run(*rng.choice([1, 2, 5, MANY], size=3).tolist())
        kernel.check()
        for part, cover in zip(kernel.owners().tolist(), rows(kernel.found()), strict=True):
            assert {kernel.labels()[problem.rows().indices[problem.rows().indptr[o]]] for o in cover} == {part}
            gains.setdefault(part, []).append(int(weights[list(cover)].sum()))
        kernel.filled = 0
    every = [weights[list(cover)] for cover in reference.covers(problem)]
    assert kernel.impossible == (not every and problem.n_primary > 0)
    if every and problem.n_primary and not len(kernel.remaining()):
        assert sum(map(max, gains.values())) == max(map(sum, every))
        assert np.prod([float(len(found)) for found in gains.values()]) <= len(every) or k < 50
        assert k < 50 or np.prod([len(found) for found in gains.values()]) == len(every)


@pytest.mark.parametrize("given", [{"patience": 20}, {"widest": 5}, {"k": 9, "room": 30}])
def test_what_takes_too_long_is_left(given: dict[str, int]) -> None:
    """Too many updates, too many items, more covers than there is room for: the component is another search's."""
    problem = beside([build("toy"), build("rooks", 4), build("toy")])
    arguments = {"k": 1} | given
    kernel = prepared(problem, np.zeros(problem.n_options), **arguments)
    while kernel.run(MANY, MANY, MANY) == BUFFER_FULL:
        kernel.filled = 0
    kernel.check()
    assert 1 in kernel.remaining().tolist()
    assert not kernel.impossible


def test_multiplicities_are_left() -> None:
    """A component with an item to be covered twice is another search's; one without is searched."""
    problem = Problem.from_options(["a", "a", "b", "b"], multiplicities={"a": 2})
    kernel = prepared(problem, [1, 2, 3, 4], 1)
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    assert kernel.remaining().tolist() == [0]
    assert (kernel.owners().tolist(), rows(kernel.found())) == ([1], [(3,)])
