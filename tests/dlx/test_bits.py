"""The kernel `bits`: its covers against a plain search, its arrays at random moments, and its contract."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from families import build

from dlx import Problem, compiled_module
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.kernels.links import Links

bits = compiled_module("dlx.kernels.bits")

MANY = 1 << 40
Option = dict[int, int]  # item -> colour, 0 for none


@dataclass
class Case:
    """A problem with colours."""

    options: list[Option]
    n_items: int
    n_primary: int

    def arrays(self) -> tuple[Any, Any, int, int]:
        """What the kernels take first."""
        indptr = np.cumsum([0] + [len(option) for option in self.options], dtype=np.int32)
        indices = np.array([item for option in self.options for item in option], dtype=np.int32)
        return indptr, indices, self.n_items, self.n_primary

    def kernel(self, rows: int = 1024) -> Any:
        """A kernel with a buffer of so many rows."""
        colours = np.array([colour for option in self.options for colour in option.values()], dtype=np.int32)
        return bits.Bits(*self.arrays(), np.empty((rows, max(1, self.n_primary)), dtype=np.int32), colours)


def clash(option: Option, other: Option) -> bool:
    """Whether two options cannot be in one cover."""
    return any(option[item] == 0 or option[item] != other[item] for item in option.keys() & other.keys())


def plain(case: Case, chosen: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Every cover, by trying all options of the first item that is not covered."""
    covered = {item for o in chosen for item in case.options[o]}
    item = next((i for i in range(case.n_primary) if i not in covered), None)
    if item is None:
        yield tuple(sorted(chosen))
        return
    for o, option in enumerate(case.options):
        if item in option and not any(clash(option, case.options[p]) for p in chosen):
            yield from plain(case, (*chosen, o))


def random_case(rng: np.random.Generator) -> Case:
    """A small problem that often has covers: some options are cut out of random colourings, the others are noise."""
    n_primary, n_secondary = int(rng.integers(0, 7)), int(rng.integers(0, 6))
    n_items, n_colours = n_primary + n_secondary, int(rng.choice([0, 1, 2, 3, 6, 12]))
    if n_items == 0:
        return Case([], 0, 0)
    options: list[Option] = []

    def paint(items: list[int], colouring: list[int]) -> Option:
        return {i: colouring[i] if i >= n_primary and rng.random() < 0.9 else 0 for i in items}

    for _ in range(int(rng.integers(0, 4))):
        colouring = rng.integers(0, n_colours + 1, size=n_items).tolist()
        cuts = np.sort(rng.integers(0, n_primary + 1, size=int(rng.integers(0, 4))))
        for part in np.split(rng.permutation(n_primary), cuts):
            extra = n_primary + rng.permutation(n_secondary)[: rng.integers(0, n_secondary + 1)]
            options.append(paint([*part.tolist(), *extra.tolist()], colouring))
    for _ in range(int(rng.integers(0, 10))):
        items = rng.choice(n_items, size=min(n_items, int(rng.geometric(0.4))), replace=False)
        options.append(paint(items.tolist(), rng.integers(0, n_colours + 1, size=n_items).tolist()))
    return Case([options[k] for k in rng.permutation(len(options))], n_items, n_primary)


def widened(case: Case, gap: int) -> Case:
    """The same problem with `gap` more primary items, each covered by an option of its own: longer masks."""
    move = {i: i if i < case.n_primary else i + gap for i in range(case.n_items)}
    options = [{move[i]: colour for i, colour in option.items()} for option in case.options]
    options += [{case.n_primary + k: 0} for k in range(gap)]
    return Case(options, case.n_items + gap, case.n_primary + gap)


def covers_of(case: Case, budget: int = MANY, rows: int = 64) -> tuple[list[tuple[int, ...]], Any]:
    """All covers in the order found, with runs of so many nodes; and the kernel."""
    colours = np.array([colour for option in case.options for colour in option.values()], dtype=np.int32)
    buffer = np.empty((rows, max(1, case.n_primary)), dtype=np.int32)
    kernel = bits.Bits(*case.arrays(), buffer, colours)
    found: list[tuple[int, ...]] = []
    state = BUDGET_SPENT
    while state != EXHAUSTED:
        state = kernel.run(budget, MANY, MANY)
        found += [tuple(o for o in row if o >= 0) for row in buffer[: kernel.filled].tolist()]
        kernel.filled = 0
    return found, kernel


@pytest.mark.parametrize("seed", range(40))
def test_the_covers_are_those_of_a_plain_search(seed: int) -> None:
    """On a hundred random problems a seed, with colours and secondary items, just the covers, each once."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        case = random_case(rng)
        found, kernel = covers_of(case)
        assert sorted(tuple(sorted(cover)) for cover in found) == sorted(plain(case)), case
        assert kernel.covers == len(found)
        assert kernel.fraction() == 1.0


@pytest.mark.parametrize("gap", [55, 62, 64, 120, 128, 190, 260])
def test_masks_of_any_length_give_the_same_covers(gap: int) -> None:
    """Masks of one to five words, with items on both sides of the seams, give the same covers."""
    rng = np.random.default_rng(gap)
    for _ in range(60):
        case = random_case(rng)
        extra = tuple(range(len(case.options), len(case.options) + gap))
        found, _ = covers_of(widened(case, gap))
        assert sorted(tuple(sorted(cover)) for cover in found) == sorted((*cover, *extra) for cover in plain(case))


@pytest.mark.parametrize("seed", range(10))
def test_runs_of_one_node_find_the_same_in_the_same_order(seed: int) -> None:
    """A search cut at every node gives the same covers in the same order, and the same counts, as one in one go."""
    rng = np.random.default_rng([seed, 1])
    for _ in range(50):
        case = random_case(rng)
        whole, one = covers_of(case)
        pieces, other = covers_of(case, budget=1, rows=2)
        assert pieces == whole
        assert (one.covers, one.nodes, one.updates) == (other.covers, other.nodes, other.updates)


@pytest.mark.parametrize("seed", range(30))
def test_invariants_hold_at_random_moments(seed: int) -> None:
    """Before, during and after a search, whatever budget ended the last slice, every invariant holds."""
    rng = np.random.default_rng([seed, 2])
    for _ in range(10):
        kernel = random_case(rng).kernel(rows=0)
        kernel.check()
        state, behind = BUDGET_SPENT, 0.0
        while state != EXHAUSTED:
            state = kernel.run(*rng.choice([1, 2, 3, 7, MANY], size=3).tolist())
            kernel.check()
            assert behind <= kernel.fraction() <= 1.0
            behind = kernel.fraction()


def bits_for(problem: Problem, rows: int = 0) -> Any:
    """A kernel for a problem without colours."""
    buffer = np.empty((rows, max(1, problem.max_level)), dtype=np.int32)
    return bits.Bits(problem.indptr, problem.indices, problem.n_items, problem.n_primary, buffer)


STRUCTURED = [
    build("queens", 6),
    build("queens", 8),
    build("langford", 7),
    build("dominoes", 4, 4),
    build("latin", 3),
    build("partitions", 5),
    build("toy"),
]


@pytest.mark.parametrize("problem", STRUCTURED, ids=repr)
def test_structured_problems_have_the_covers_of_the_other_kernel(problem: Problem) -> None:
    """Searches that are deeper: invariants every few nodes, and the count of `links`."""
    kernel = bits_for(problem)
    while kernel.run(7, MANY, MANY) != EXHAUSTED:
        kernel.check()
    other = Links(problem.indptr, problem.indices, problem.n_items, problem.n_primary, np.empty((0, 1), dtype=np.int32))
    other.run(MANY, MANY, MANY)
    assert kernel.covers == other.covers


@pytest.mark.parametrize(
    ("problem", "covers"),
    [(build("queens", 8), 92), (build("langford", 8), 300), (build("dominoes", 6, 6), 6728), (build("queens", 9), 352)],
    ids=["queens 8", "langford 8", "dominoes 6x6", "queens 9"],
)
def test_known_counts(problem: Problem, covers: int) -> None:
    """Published counts: queens (OEIS A000170), twice Langford (A014552), dominoes (A004003)."""
    kernel = bits_for(problem)
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    assert kernel.covers == covers


def test_a_full_buffer_stops_the_search() -> None:
    """A kernel writes as many covers as its buffer has rows, and goes on when the caller has emptied it."""
    kernel = bits_for(build("queens", 6), rows=3)
    assert kernel.run(MANY, MANY, MANY) == BUFFER_FULL
    assert (kernel.filled, kernel.covers) == (3, 3)
    assert kernel.run(MANY, MANY, MANY) == BUFFER_FULL
    assert (kernel.filled, kernel.covers) == (3, 3), "there was no room, so there was no search"
    kernel.filled = 0
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    assert (kernel.filled, kernel.covers) == (1, 4)


def test_a_broken_invariant_is_named() -> None:
    """`check` is able to fail: a kernel whose caller claims more rows than there are does not pass."""
    kernel = bits_for(build("queens", 6), rows=4)
    kernel.run(1, MANY, MANY)
    kernel.filled = 5
    with pytest.raises(AssertionError, match="filled"):
        kernel.check()


def test_too_large_a_problem_does_not_fit() -> None:
    """Three thousand options deep is for the other kernel: `fits` says so, and the kernel refuses."""
    n = 3000
    deep = Case([{i: 0} for i in range(n)], n, n)
    assert bits.fits(*Case(deep.options[:200], 200, 200).arrays())
    assert not bits.fits(*deep.arrays())
    with pytest.raises(MemoryError, match="too large"):
        deep.kernel(rows=0)


def test_items_of_many_options() -> None:
    """Sizes are counted exactly far beyond the 15 that most lists need."""
    options: list[Option] = [{0: 0} for _ in range(300)] + [{1: 0} for _ in range(299)] + [{0: 0, 1: 0}]
    kernel = Case(options, 2, 2).kernel(rows=0)
    kernel.run(1, MANY, MANY)
    kernel.check()
    kernel.run(MANY, MANY, MANY)
    assert (kernel.covers, kernel.nodes) == (300 * 299 + 1, 299 + 300 * 299 + 1)


def test_interpreted_and_compiled_search_alike() -> None:
    """The source, run as plain Python, visits the same nodes and finds the same covers."""
    code = (
        "import numpy as np, dlx.kernels\n"
        "from dlx.extending import compiled_module\n"
        "b = compiled_module('dlx.kernels.bits'); assert b.__file__.endswith('.py')\n"
        "a = lambda *x: np.array(x, dtype=np.int32)\n"
        "k = b.Bits(a(0, 2, 4, 6, 8), a(0, 2, 0, 2, 1, 2, 1, 2), 3, 2, np.empty((8, 2), np.int32),"
        " a(0, 1, 0, 2, 0, 1, 0, 0))\n"
        "k.check(); k.run(1, 99, 99); k.check(); k.run(99, 99, 99); k.check()\n"
        "print(k.covers, k.nodes, k.buffer[:k.filled].tolist())"
    )
    case = Case([{0: 0, 2: 1}, {0: 0, 2: 2}, {1: 0, 2: 1}, {1: 0, 2: 0}], 3, 2)
    found, kernel = covers_of(case)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "DLX_INTERPRETED": "1"}
    )
    assert done.stdout.strip() == f"{kernel.covers} {kernel.nodes} {[list(cover) for cover in found]}", done.stderr
