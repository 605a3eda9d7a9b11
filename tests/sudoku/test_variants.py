"""Variants by name, killers and several grids together: published counts, rules in numpy, and another solver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from backtracking import full
from small_squares import four_by_four

import dlx
import sudoku
from sudoku import Layout
from sudoku.constraints import Cell
from sudoku.layout import VARIANTS

Grids = npt.NDArray[np.uint8]

EMPTY = 81 * "."
FIRST = "123456789" + 72 * "."
ASTERISK = "......... ....#.... ..#...#.. ......... .#..#..#. ......... ..#...#.. ....#.... ........."
GIRANDOLA = "#.......# ....#.... ......... ......... .#..#..#. ......... ......... ....#.... #.......#"


def whole(cells: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Returns whether nine cells of each grid have every digit."""
    result: npt.NDArray[np.bool_] = (np.sort(cells.reshape(len(cells), -1), axis=1) == range(1, 10)).all(axis=1)
    return result


def picked(picture: str) -> Callable[[Grids], npt.NDArray[np.bool_]]:
    """Returns whether the cells of a picture have every digit."""
    mask = np.array([list(row) for row in picture.split()]) == "#"
    return lambda grids: whole(grids[:, mask])


def apart(grids: Grids, down: int, across: int) -> npt.NDArray[np.bool_]:
    """Returns whether no two cells that are so far from each other are equal."""
    wide = grids.shape[2] - abs(across)
    one = grids[:, : grids.shape[1] - down, max(0, -across) :][:, :, :wide]
    other = grids[:, down:, max(0, across) :][:, :, :wide]
    result: npt.NDArray[np.bool_] = (one != other).all(axis=(1, 2))
    return result


# The rule of each variant, in numpy, for completed grids of nine rows.
RULES: dict[str, Callable[[Grids], Any]] = {
    "x": lambda g: whole(g[:, range(9), range(9)]) & whole(g[:, range(9), range(8, -1, -1)]),
    "windoku": lambda g: np.all([whole(g[:, r : r + 3, c : c + 3]) for r in (1, 5) for c in (1, 5)], axis=0),
    "centre-dots": lambda g: whole(g[:, 1::3, 1::3]),
    "asterisk": picked(ASTERISK),
    "girandola": picked(GIRANDOLA),
    "disjoint-groups": lambda g: np.all([whole(g[:, r::3, c::3]) for r in range(3) for c in range(3)], axis=0),
    "anti-king": lambda g: apart(g, 1, 1) & apart(g, 1, -1) & apart(g, 0, 1) & apart(g, 1, 0),
    "anti-knight": lambda g: apart(g, 1, 2) & apart(g, 1, -2) & apart(g, 2, 1) & apart(g, 2, -1),
    "non-consecutive": lambda g: (
        (np.abs(np.diff(g.astype(int), axis=1)) != 1).all(axis=(1, 2))
        & (np.abs(np.diff(g.astype(int), axis=2)) != 1).all(axis=(1, 2))
    ),
}


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("seed", range(4))
def test_variants_by_their_rules(name: str, seed: int) -> None:
    """Of the completions of a plain grid, a variant has just those that keep its rule."""
    layout, rng = Layout.named(name), np.random.default_rng(seed)
    grid = full(layout, seed)
    assert RULES[name](grid[None])[0]
    order = rng.permutation(81)
    opened = grid.copy()
    for k in range(20, 81):
        opened.ravel()[order[:k]] = 0
        if sudoku.count(opened, max_covers=3000).covers == 3000:
            break
        grid = opened.copy()
    plain = sudoku.encode(grid)
    completions = np.concatenate([sudoku.decode(plain, block) for block in dlx.covers(plain).blocks()])
    assert len(completions) > 1
    assert sudoku.count(grid, layout).covers == np.count_nonzero(RULES[name](completions))


def test_small_variants() -> None:
    """All 288 grids of four rows, and those of them that each variant has."""
    grids = four_by_four()
    assert len(grids) == 288  # OEIS A107739
    for names in (["anti-king"], ["anti-knight"], ["non-consecutive"], ["anti-king", "anti-knight"]):
        expected = np.count_nonzero(np.all([RULES[name](grids) for name in names], axis=0))
        assert sudoku.count(16 * ".", Layout.named(",".join(names), (2, 2))).covers == expected
    groups = [len({*grid[r::2, c::2].ravel().tolist()}) == 4 for grid in grids for r in (0, 1) for c in (0, 1)]
    number = sudoku.count(16 * ".", Layout.named("disjoint-groups", (2, 2))).covers
    assert number == np.count_nonzero(np.array(groups).reshape(-1, 4).all(axis=1)) > 0
    sixes = sudoku.encode("123456" + 30 * ".", (2, 3))
    listed = np.concatenate([sudoku.decode(sixes, block) for block in dlx.covers(sixes).blocks()])
    assert len(listed) * 720 == 28_200_960  # OEIS A291187
    for name, rule in (("anti-king", RULES["anti-king"]), ("anti-knight", RULES["anti-knight"])):
        count = sudoku.count("123456" + 30 * ".", Layout.named(name, (2, 3))).covers
        assert count == np.count_nonzero(rule(listed)), name


@pytest.mark.parametrize(("name", "number"), [("anti-king", 10), ("anti-knight", 10), ("non-consecutive", 2)])
def test_variants_across_two_grids(name: str, number: int) -> None:
    """Side by side, cells of two grids are neighbours, too, and have equal digits unless a king's moves forbid it."""
    rows = np.array(list(permutations(range(1, 6))), dtype=np.uint8)
    squares = rows[:, None]
    for _ in range(4):  # all Latin squares of five rows that keep the rule, row by row
        both = np.concatenate([np.repeat(squares, 120, axis=0), np.tile(rows, (len(squares), 1))[:, None]], axis=1)
        latin = (both[:, :-1] != both[:, -1:]).all(axis=(1, 2))
        squares = both[latin & RULES[name](both)]
    assert len(squares) > number
    layout = Layout.named(name, Layout.gattai((0, 0), (0, 5), box=(1, 5)))
    pairs = np.array([np.hstack(pair) for pair in product(squares, repeat=2)])
    kept = pairs[RULES[name](pairs)]
    assert (kept[:, :, 4] == kept[:, :, 5]).any() == (name != "anti-king")
    assert sudoku.count(np.zeros((5, 10), dtype=int), layout).covers == len(kept)


def families(*places: tuple[int, int]) -> Iterator[list[Cell]]:
    """Cells by two of their four coordinates: band, row within it, stack, column within it."""
    cells = list(product(range(9), range(9)))
    for pair in places:
        of = {(r, c): (r // 3, r % 3, c // 3, c % 3) for r, c in cells}
        for value in product(range(3), repeat=2):
            yield [cell for cell in cells if tuple(of[cell][k] for k in pair) == value]


def test_symmetric_sudoku() -> None:
    """With all six families of nine regions 104 grids have a given first row, so 37,739,520 in all.

    R. A. Bailey, P. J. Cameron and R. Connelly, Sudoku, gerechte designs, resolutions, affine space, spreads, reguli,
    and Hamming codes, American Mathematical Monthly 115 (2008), 383-404, find two of them up to symmetry. The numbers
    are in the encyclopedias' tables of variants as the hypercube.
    """
    layout = Layout.named("disjoint-groups").with_regions("mixed", *families((0, 3), (1, 2)))
    assert sudoku.count(FIRST, layout).covers == 104 == 37_739_520 // 362_880


@pytest.mark.nightly
def test_magic_sudoku() -> None:
    """With all rows and columns of all boxes summing to 15, there are 5,971,968 grids, as in the same tables."""
    thirds = [[(3 * a + i, 3 * b + j) for j in range(3)] for a in range(3) for b in range(3) for i in range(3)]
    down = [[(c, r) for r, c in cells] for cells in thirds]
    layout = Layout.boxes().with_sums("cage", *((15, cells) for cells in thirds + down))
    assert sudoku.count(EMPTY, layout).covers == 5_971_968
