"""The kernel `bits`: masks of any length, sizes far beyond what is counted at once, and problems that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels import MANY, exhaust, kernel_for
from oracle import as_sets, random_problem
from seeds import for_seeds

from dlx import Coloured, Problem, reference
from dlx.extending import compiled_module

bits = compiled_module("dlx.kernels.cover.bits")


def widened(problem: Problem, gap: int) -> Problem:
    """The same problem with `gap` more primary items, each covered by an option of its own: longer masks."""
    more = [("more", k) for k in range(gap)]
    primary, secondary = problem.items[: problem.n_primary], problem.items[problem.n_primary :]
    options = [problem.option(o) for o in range(problem.n_options)] + [[item] for item in more]
    return Problem.from_options(options, items=[*primary, *more, *secondary], secondary=secondary)


@pytest.mark.parametrize("gap", [55, 62, 64, 120, 128, 190, 260])
@for_seeds(60)
@pytest.mark.slow
def test_masks_of_any_length_give_the_same_covers(gap: int, seed: int) -> None:
    """Masks of one to five words, with items on both sides of the seams, give the same covers."""
    problem = random_problem(np.random.default_rng([gap, seed]), "coloured")
    extra = tuple(range(problem.n_options, problem.n_options + gap))
    found = exhaust(kernel_for("bits", widened(problem, gap), room=64))
    assert as_sets(found) == as_sets((*cover, *extra) for cover in reference.covers(problem))


@pytest.mark.parametrize("n_colours", [1, 2, 3, 4, 5, 6, 12, 70])
@for_seeds(30)
@pytest.mark.slow
def test_any_number_of_colours_is_spelt(n_colours: int, seed: int) -> None:
    """With one bit a colour, or two a binary digit, options that agree go together, and no others."""
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


def test_items_of_many_options() -> None:
    """Sizes are counted exactly far beyond the 15 that most lists need: the search branches on the item of 299."""
    problem = Problem.from_options([["a"]] * 300 + [["b"]] * 299 + [["a", "b"]])
    kernel = kernel_for("bits", problem)
    kernel.run(1, MANY, MANY)
    kernel.check()
    kernel.run(MANY, MANY, MANY)
    assert (kernel.covers, kernel.nodes) == (300 * 299 + 1, 300 + 299 * 300)


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 31, 32, 33])
def test_the_smallest_item_is_found_by_any_count(size: int) -> None:
    """Wherever the planes of the count end, the search branches on the smaller of two items."""
    problem = Problem.from_options([["a"]] * (size + 1) + [["b"]] * size)
    kernel = kernel_for("bits", problem)
    kernel.run(MANY, MANY, MANY)
    assert (kernel.covers, kernel.nodes) == (size * (size + 1), size + size * (size + 1))
