"""The kernels `components` and `cuts`, against brute force, however stopped."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from families import beside, build
from kernels import MANY
from oracle import random_problem, rows
from seeds import for_seeds

from dlx import Coloured, Problem, reference
from dlx.engine.compiled import compiled_module
from dlx.engine.dispatch import new_kernel
from dlx.kernels import BUFFER_FULL, EXHAUSTED
from dlx.problem.roles import Rows

# Components


def components(problem: Problem) -> list[set[int]]:
    """The items of each component, those of the smallest item first, by joining sets until nothing changes."""
    given = problem.rows()
    options = [set(items.tolist()) for items in np.split(given.indices, given.indptr[1:-1])]
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


def prepared(problem: Problem, patience: int = MANY, widest: int = 99, room: int = 1 << 12) -> Any:
    """The kernel, ready for its search."""
    kernel = new_kernel("components", problem.rows())
    kernel.prepare(problem.rows(), widest, patience, room)
    return kernel


@for_seeds(300)
def test_components_are_what_joining_sets_gives(seed: int) -> None:
    """Their number, those with a choice, and the label of every item; an item without options is one, too."""
    rng = np.random.default_rng([seed, 1])
    problem = several(rng, str(rng.choice(["plain", "coloured"])))
    expected = components(problem)
    kernel = prepared(problem)
    assert kernel.number == len(expected)
    labels = np.full(problem.n_items, -1)
    for c, part in enumerate(expected):
        labels[list(part)] = c
    assert kernel.labels().tolist() == labels.tolist()
    given = problem.rows()
    options = np.split(given.indices, given.indptr[1:-1])
    owners = [labels[option[0]] for option in options if option.min(initial=given.n_primary) < given.n_primary]
    numbers = np.bincount(owners, minlength=len(expected))
    alone = len(expected) == 1 or not numbers.all()
    assert kernel.choices == (1 if alone else np.count_nonzero(numbers > 1))


@for_seeds(300)
def test_the_covers_of_each_component_are_found(seed: int) -> None:
    """Those of each component together are the covers by enumeration, whatever its budgets and room."""
    rng = np.random.default_rng([seed, 2])
    problem = several(rng)
    kernel = prepared(problem, patience=int(rng.choice([99, MANY])), room=int(rng.choice([60, 4096])))
    found: dict[int, list[tuple[int, ...]]] = {}
    state = -1
    while state != EXHAUSTED:
        state = kernel.run(*rng.choice([1, 2, 5, MANY], size=3).tolist())
        kernel.check()
        for part, cover in zip(kernel.owners().tolist(), rows(kernel.found()), strict=True):
            assert {kernel.labels()[problem.rows().indices[problem.rows().indptr[o]]] for o in cover} == {part}
            found.setdefault(part, []).append(cover)
        kernel.filled = 0
    every = [*reference.covers(problem)]
    assert not (kernel.impossible and every)
    if not len(kernel.remaining()):
        assert kernel.impossible == (not every and problem.n_primary > 0)
        whole = [tuple(sorted(sum(parts, ()))) for parts in product(*found.values())]
        assert kernel.impossible or sorted(whole) == sorted(every)


@pytest.mark.parametrize("given", [{"patience": 20}, {"widest": 5}, {"room": 30}])
def test_what_takes_too_long_is_left(given: dict[str, int]) -> None:
    """Too many updates, too many items, more covers than there is room for: the component is another search's."""
    problem = beside([build("toy"), build("rooks", 4), build("toy")])
    kernel = prepared(problem, **given)
    while kernel.run(MANY, MANY, MANY) == BUFFER_FULL:
        kernel.filled = 0
    kernel.check()
    assert 1 in kernel.remaining().tolist()
    assert not kernel.impossible


@pytest.mark.parametrize(
    "problem",
    [
        Problem.from_options(["a", "a", "b", "b"], multiplicities={"a": 2}),
        Problem.from_options([["a", Coloured("x", 1)], ["a", Coloured("x", 1)], ["b"], ["b"]], secondary=["x"]),
    ],
    ids=["multiplicities", "colours"],
)
def test_only_plain_components_are_searched(problem: Problem) -> None:
    """A component with an item to be covered twice, or with a colour, is another search's; one without is searched."""
    kernel = prepared(problem)
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    assert kernel.remaining().tolist() == [0]
    assert (kernel.owners().tolist(), rows(kernel.found())) == ([1, 1], [(2,), (3,)])


# Cliques


def graph(options: list[list[int]], n_items: int, mass: Any) -> Any:
    """The kernel for options with such items, any two of which clash by a common item, and such masses."""
    indptr = np.append(0, np.cumsum([len(items) for items in options])).astype(np.int32)
    indices = np.array([i for items in options for i in items], dtype=np.int32)
    given = Rows(indptr, indices, n_items, n_items, None, None)
    live, ends = np.arange(len(options), dtype=np.int32), np.ones(n_items, np.int8)
    return compiled_module("dlx.kernels.price.cuts").Cliques(given, ends, live, np.array(mass, np.float64))


@for_seeds(300)
def test_cliques_are_found_that_cannot_grow(seed: int) -> None:
    """Any two options share an item, but not all of them the same; the mass is enough; no other clashes with all."""
    rng = np.random.default_rng(seed)
    n, n_items = int(rng.integers(0, 25)), int(rng.integers(1, 9))
    options = [np.flatnonzero(rng.random(n_items) < 0.4).tolist() for _ in range(n)]
    mass, most = rng.random(n) * 0.6, int(rng.integers(1, 9))
    found = graph(options, n_items, mass).find(1.02, 0.02, most, rng.integers(0, 99, n))
    assert len(found) <= most
    sets = [set(items) for items in options]
    for clique in (some.tolist() for some in found):
        assert len(set(clique)) == len(clique)
        assert all(sets[a] & sets[b] for a, b in combinations(clique, 2))
        assert not set.intersection(*(sets[o] for o in clique))
        assert sum(mass[clique]) > 1.02
        assert not any(all(sets[o] & sets[c] for c in clique) for o in set(range(n)).difference(clique))
