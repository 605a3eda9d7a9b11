"""The sets of sudokus for benchmarks: the same in every run, proper puzzles, and told where they come from."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
import sudoku_sets
from seeds import for_seeds
from sudoku_sets import NAMED, SETS, SEVENTEEN, as_grids, build, isomorphs

import dlx
import sudoku

GIVENS = {
    "17 givens": (17, 17),
    "hard": (21, 23),
    "minimal": (17, 40),
    "24-30 givens": (24, 30),
    "easy": (32, 40),
    "open": (11, 34),
}


def test_examples() -> None:
    """The examples of the module give what is printed below them."""
    outcome = doctest.testmod(sudoku_sets)
    assert outcome.attempted >= 4
    assert outcome.failed == 0


@pytest.mark.parametrize("name", SETS)
def test_sets_are_the_same_every_time(name: str) -> None:
    """A set of the same seed has the same grids, another seed other ones, and nobody can change them."""
    first = build(name, 12).grids
    build.cache_clear()
    again, other = build(name, 12).grids, build(name, 12, seed=3).grids
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0] = 1


@pytest.mark.parametrize("name", SETS)
def test_sets_are_told_of(name: str) -> None:
    """A set says how it is made and what it is not fair in, and its grids are 81 digits with the givens it is about."""
    puzzles = build(name, 30)
    givens = (puzzles.grids > 0).sum(axis=1)
    assert puzzles.name == name
    assert len(puzzles.source) > 20
    assert len(puzzles.bias) > 20
    assert puzzles.grids.shape == (30, 81)
    assert puzzles.grids.dtype == np.uint8
    assert puzzles.grids.max() == 9
    assert (GIVENS[name][0] <= givens).all()
    assert (givens <= GIVENS[name][1]).all()


def completions(grid: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> int:
    """How many completions a grid has, up to 2, by exact cover and not by the kernel that is measured."""
    return dlx.count(sudoku.encode(grid.reshape(9, 9)), max_covers=2).covers


@pytest.mark.parametrize("name", SETS)
def test_puzzles_have_one_completion(name: str) -> None:
    """Every puzzle has one completion, and every open grid more."""
    assert {completions(grid) for grid in build(name, 60).grids} == ({2} if name == "open" else {1})


def test_every_source_is_a_puzzle() -> None:
    """What isomorphs are made of are proper puzzles of the givens that are said, no two of them isomorphic."""
    sources = as_grids([*SEVENTEEN, *(digits for digits, _ in NAMED.values())])
    assert [completions(grid) for grid in sources] == [1] * len(sources)
    assert ((sources[: len(SEVENTEEN)] > 0).sum(axis=1) == 17).all()
    assert len({bytes(sudoku.canonical(grid)) for grid in sources}) == len(sources)
    assert all(published for _, published in NAMED.values())


def test_minimal_puzzles_have_no_given_to_spare() -> None:
    """Without any of its givens a puzzle of the set has several completions."""
    for grid in build("minimal", 3).grids:
        for cell in np.flatnonzero(grid):
            less = grid.copy()
            less[cell] = 0
            assert completions(less) == 2


@for_seeds(20)
def test_isomorphs(seed: int) -> None:
    """An isomorph has the canonical form of its grid, and is hardly ever the grid itself."""
    rng = np.random.default_rng(seed)
    grids = as_grids(list(SEVENTEEN))
    made = isomorphs(grids, rng)
    assert not (made == grids).all(axis=1).any()
    for one, other in zip(made, grids, strict=True):
        assert bytes(sudoku.canonical(one)) == bytes(sudoku.canonical(other))


def test_all_sources_come_as_often() -> None:
    """In a set of isomorphs each of the nine puzzles comes as often as the others."""
    forms = [bytes(sudoku.canonical(grid)) for grid in build("17 givens", 45).grids]
    assert {forms.count(form) for form in forms} == {5}
