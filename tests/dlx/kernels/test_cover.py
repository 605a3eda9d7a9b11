"""Each kernel for all covers: masks and counts of `bits`, forced items of `links`, needs of `multi`, and probes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from kernels import MANY, all_kinds, exhaust, kernel_for, steps, without_core
from oracle import as_sets, is_cover, large_problem, random_problem, rows
from seeds import for_seeds

from dlx import Coloured, Problem, reference
from dlx.engine.dispatch import new_kernel
from dlx.extending import compiled_module
from dlx.kernels import BUFFER_FULL, EXHAUSTED

# The kernel `bits`

bits = compiled_module("dlx.kernels.cover.bits")


def widened(problem: Problem, gap: int) -> Problem:
    """The same problem with `gap` more primary items, each covered by an option of its own: longer masks."""
    more = [("more", k) for k in range(gap)]
    primary, secondary = problem.items[: problem.n_primary], problem.items[problem.n_primary :]
    options = [problem.option(o) for o in range(problem.n_options)] + [[item] for item in more]
    return Problem.from_options(options, items=[*primary, *more, *secondary], secondary=secondary)


@pytest.mark.parametrize("gap", [55, 62, 64, 120, 128, 190, 260])
@for_seeds(60)
def test_masks_of_any_length_give_the_same_covers(gap: int, seed: int) -> None:
    """Masks of one to five words, with items on both sides of the seams, give the same covers."""
    problem = random_problem(np.random.default_rng([gap, seed]), "coloured")
    extra = tuple(range(problem.n_options, problem.n_options + gap))
    found = exhaust(kernel_for("bits", widened(problem, gap), room=64))
    assert as_sets(found) == as_sets((*cover, *extra) for cover in reference.covers(problem))


@pytest.mark.parametrize("n_options", [30, 70, 140, 220, 250])
@pytest.mark.parametrize("n_items", [8, 60, 64, 65, 130, 250])
@for_seeds(8)
def test_a_core_of_any_size_finds_covers(n_options: int, n_items: int, seed: int) -> None:
    """Cores of one to four words, with up to 256 lanes and 8 planes, find distinct covers, as without a core."""
    rng = np.random.default_rng([n_options, n_items, seed])
    most = int(rng.integers(3, 8))
    options = [rng.choice(n_items, int(rng.integers(1, most)), replace=False).tolist() for _ in range(n_options)]
    options += [[k] for k in sorted(set(range(n_items)).difference(*options))]
    problem = Problem.from_options(options, items=range(n_items))
    core, alone = kernel_for("core of links", problem, room=500), without_core("links", problem, room=500)
    ends = [kernel.run(int(rng.integers(1, 5000)), MANY, MANY) for kernel in (core, alone)]
    core.check()
    found = rows(core.found())
    assert len(as_sets(found)) == len(set(map(frozenset, found)))
    assert all(is_cover(problem, cover) for cover in found)
    assert ends != [EXHAUSTED, EXHAUSTED] or as_sets(found) == as_sets(rows(alone.found()))


@pytest.mark.parametrize("n_secondary", [None, 40, 60])
@for_seeds(60)
def test_squeezed_masks_make_the_same_search(n_secondary: int | None, seed: int) -> None:
    """A search that squeezes its lists is at the same place after so many nodes as one that never does.

    With many secondary items, masks lose words of primary items on some branches, and keep others.
    """
    problem = large_problem(np.random.default_rng([seed, 24]), n_secondary)
    squeezed, wide = (without_core("bits", problem, room=300) for _ in range(2))
    wide.least_area = 1 << 30
    if n_secondary is not None:
        squeezed.least_area = 64
    for kernel in (squeezed, wide):
        kernel.run(300, MANY, MANY)
        kernel.check()
    assert squeezed.mark() == wide.mark()
    assert (squeezed.standing(), squeezed.fraction()) == (wide.standing(), wide.fraction())
    assert squeezed.found().tolist() == wide.found().tolist()


@pytest.mark.parametrize("n_colours", [1, 2, 3, 4, 5, 6, 12, 70])
@for_seeds(30)
def test_any_number_of_colours_is_spelt(n_colours: int, seed: int) -> None:
    """Options that agree go together, and no others, with one bit a colour or two a binary digit."""
    rng = np.random.default_rng([n_colours, seed])

    def entry() -> Any:
        colour = int(rng.integers(0, n_colours + 1))
        return Coloured("x", colour) if colour else "x"

    options = [["abc"[rng.integers(3)], entry()] for _ in range(20)]
    problem = Problem.from_options(options, items="abc", secondary="x")
    assert as_sets(exhaust(kernel_for("bits", problem, room=9))) == as_sets(reference.covers(problem))


def test_too_large_a_problem_does_not_fit() -> None:
    """Three thousand options deep is for the other kernel: `fits` says so, and the kernel refuses."""
    shallow, deep = (Problem.from_options([[i] for i in range(n)]) for n in (200, 3000))
    assert bits.fits(shallow.rows())
    assert not bits.fits(shallow.rows(), max_words=3)
    assert bits.fits(shallow.rows(), max_words=4)
    assert not bits.fits(deep.rows())
    with pytest.raises(MemoryError, match="3000 lists of 3000 options of 47 words are too large"):
        kernel_for("bits", deep)


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 31, 32, 33, 299])
def test_the_smallest_item_is_found_by_any_count(size: int) -> None:
    """The search branches on the smaller of two items, wherever the planes of the count end."""
    kernel = kernel_for("bits", Problem.from_options([["a"]] * (size + 1) + [["b"]] * size))
    kernel.run(1, MANY, MANY)
    kernel.check()
    kernel.run(MANY, MANY, MANY)
    assert (kernel.covers, kernel.nodes) == (size * (size + 1), size + size * (size + 1))


# The kernel `links`, and probes


@all_kinds
@for_seeds(150)
def test_a_probe_leaves_the_search_at_its_root(name: str, kind: str, seed: int) -> None:
    """After probes a kernel's invariants hold, it has done nothing yet, and then it does what it would have done."""
    rng = np.random.default_rng([seed, 5])
    problem = random_problem(rng, kind)
    kernel, fresh = kernel_for(name, problem), kernel_for(name, problem)
    tally = np.zeros(2)
    for _ in range(5):
        kernel.probe(rng.random(problem.max_level + 1), tally)
        kernel.check()
    assert steps(kernel) == steps(fresh)
    with pytest.raises(AssertionError, match="a probe starts at the root"):
        kernel.probe(rng.random(problem.max_level + 1), tally)


def test_an_option_that_leaves_an_item_without_options_hides_no_others() -> None:
    """If covering a preferred item leaves another one without options, no option without that one is followed."""
    problem = Problem.from_options(["ai", "aib", "ac", *["cd"] * 9, "b", "c", "d"], items="aibcd")
    ranks = np.array([-1, 0, 0, 0, 0], dtype=np.int32)
    kernel = new_kernel("links", problem.rows(), np.empty((0, problem.max_level), dtype=np.int32), ranks)
    kernel.least_items = 1 << 30  # the core has nothing
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    assert (kernel.covers, kernel.nodes, kernel.updates) == (20, 26, 22)  # 31 updates if `ac` hid the nine `cd`


# The kernel `multi`


def test_an_item_behind_a_single_branch_may_lack_options() -> None:
    """The first item with one branch is taken at once, so `check` holds also if a later item has too few options."""
    short = Problem.from_options(["a", "a", "b"], items="ab", multiplicities={"a": 2, "b": 2})
    kernel = kernel_for("multi", short, 8)
    kernel.run(0, MANY, MANY)
    kernel.check()
    assert exhaust(kernel) == []


def test_every_node_beyond_the_needs_is_a_cover() -> None:
    """The search has no dead ends where nothing is needed: as many nodes as covers, but for the empty one."""
    problem = Problem.from_options(["a"] * 6 + ["b"] * 5, multiplicities={"a": (0, 3), "b": (0, 5)})
    kernel = kernel_for("multi", problem)
    kernel.run(MANY, MANY, MANY)
    assert kernel.covers == sum(math.comb(6, k) for k in range(4)) * 2**5
    assert kernel.nodes == kernel.covers - 1


def test_a_buffer_without_room_for_the_empty_cover() -> None:
    """Even the cover that needs no node waits until it is asked for."""
    kernel = kernel_for("multi", Problem.from_options(["a"], multiplicities={"a": (0, 1)}))
    assert kernel.run(MANY, MANY, 0) == BUFFER_FULL
    assert kernel.covers == 0
    assert kernel.run(MANY, MANY, 1) == BUFFER_FULL
    assert kernel.covers == 1
    assert kernel.run(MANY, MANY, 1) == EXHAUSTED
    assert kernel.covers == 2


@pytest.mark.parametrize(
    ("problem", "budget", "covers", "nodes"),
    [
        (Problem.from_options([["a", i] for i in range(3000)], multiplicities={"a": 3000}), MANY, 1, 3000),
        (Problem.from_options([["a"]] * 100_000, multiplicities={"a": (1, 2)}), 100_005, 100_005, 100_005),
        (Problem.from_options([range(100_000)] * 2, multiplicities=dict.fromkeys(range(100_000), (0, 2))), MANY, 4, 3),
    ],
    ids=["deep", "of one item", "wide"],
)
def test_sizes(problem: Problem, budget: int, covers: int, nodes: int) -> None:
    """An item needs 3,000 options; each of 100,000 alone, then pairs, as far as the limit goes; 100,000 items."""
    kernel = kernel_for("multi", problem)
    kernel.run(budget, MANY, MANY)
    assert (kernel.covers, kernel.nodes) == (covers, nodes)
