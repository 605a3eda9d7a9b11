"""Sets of sudokus to measure solvers, made with a fixed seed. Each set has a source and a bias.

>>> grids = build("24-30 givens", 3)
>>> grids.shape, grids.dtype, [int(n) for n in (grids > 0).sum(axis=1)]
((3, 81), dtype('uint8'), [30, 27, 29])

An isomorph of a puzzle has exchanged rows, columns and digits. All isomorphs are equally hard for a person; a solver
may need different times. Sudokus in newspapers are like the set "easy".
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

import sudoku

Grids = npt.NDArray[np.uint8]
Make = Callable[[int, np.random.Generator], Grids]

SEED = 11


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


HERE = Path(__file__).parent
# Lists of puzzles with their sources: "17 givens": nine of the 49,151 puzzles in Gordon Royle's collection (Minimum
# Sudoku, University of Western Australia). "named": hard puzzles with names and places of publication. "hard for
# backtracking": twenty puzzles from Heng Li's comparison of programming languages (github.com/attractivechaos/plb,
# sudoku). "target": grids for the strategies of target sudoku, with numbers of completions and best scores. In the
# series sample1-N, each grid has one to three givens less than the grid before it, and about three times its
# completions.
LISTED = _rows(HERE / "sudokus.csv")
# Target-sudoku grids of the tests by name, with their best scores and completions.
KNOWN = {row["name"]: row for row in _rows(HERE.parent / "tests" / "data" / "target_sudoku.csv")}
NORVIG = "000005080000601043000000000010500000000106000300000005530000061000000004000000000"


def listed(name: str) -> list[dict[str, str]]:
    """Returns the rows of a list.

    >>> [row["name"] for row in listed("named")][:2]
    ['AI Escargot', 'Easter Monster']
    """
    return [row for row in LISTED if row["list"] == name]


def digits(name: str) -> list[str]:
    """Returns the puzzles of a list as 81 digits each."""
    return [row["digits"] for row in listed(name)]


def as_grids(lines: list[str]) -> Grids:
    """Returns lines of 81 digits as an array of shape (m, 81)."""
    return np.array([[int(digit) for digit in line] for line in lines], dtype=np.uint8)


def isomorphs(grids: Grids, rng: np.random.Generator) -> Grids:
    """Returns a random isomorph of each grid, by exchanges of rows, columns and digits, and transposition.

    >>> made = isomorphs(as_grids(digits("17 givens")), np.random.default_rng(1))
    >>> sudoku.is_isomorphic(made[0], digits("17 givens")[0])
    True
    """
    number = len(grids)

    def shuffled(size: int, *shape: int) -> npt.NDArray[np.intp]:
        return rng.random((*shape, size)).argsort(axis=-1)

    def lines() -> npt.NDArray[np.intp]:
        return (3 * shuffled(3, number)[:, :, None] + shuffled(3, number, 3)).reshape(number, 9)

    cells = 9 * lines()[:, :, None] + lines()[:, None, :]
    turned = rng.random(number) < 0.5
    cells[turned] = cells[turned].transpose(0, 2, 1)
    digits = np.concatenate([np.zeros((number, 1), dtype=np.intp), shuffled(9, number) + 1], axis=1)
    moved = np.take_along_axis(grids, cells.reshape(number, 81), axis=1)
    return np.take_along_axis(digits, moved.astype(np.intp), axis=1).astype(np.uint8)


def _minimal(size: int, rng: np.random.Generator) -> Grids:
    """Minimal puzzles."""
    made: Grids = sudoku.generate_many(size, seed=int(rng.integers(1 << 31))).reshape(size, 81)
    return made


def _isomorphs_of(lines: list[str]) -> Make:
    """Makes isomorphs of puzzles in random order, about the same number of each puzzle."""
    grids = as_grids(lines)
    return lambda size, rng: isomorphs(grids[rng.permutation(np.arange(size) % len(grids))], rng)


def _between(least: int, most: int) -> Make:
    """Makes minimal puzzles, then adds givens until each puzzle has a random number of them."""

    def make(size: int, rng: np.random.Generator) -> Grids:
        grids = _minimal(size, rng)
        wanted = rng.integers(least, most + 1, (len(grids), 1))
        rank = np.where(grids > 0, -1, rng.random(grids.shape)).argsort(axis=1).argsort(axis=1)
        completions = sudoku.solve_many(grids).completions.reshape(grids.shape)
        return np.where((rank < wanted) | (grids > 0), completions, 0).astype(np.uint8)

    return make


def _open(size: int, rng: np.random.Generator) -> Grids:
    """Makes minimal puzzles without six of their givens."""
    grids = _minimal(size, rng)
    order = np.where(grids > 0, rng.random(grids.shape), 2).argsort(axis=1)
    np.put_along_axis(grids, order[:, :6], 0, axis=1)
    return grids


def _unsolvable(size: int, rng: np.random.Generator) -> Grids:
    """Makes P. Norvig's grid, and unsolvable grids from minimal puzzles: up to eight givens removed, one changed."""
    found = as_grids([NORVIG])
    while len(found) < size:
        grids = _minimal(size, rng)
        order = np.where(grids > 0, rng.random(grids.shape), 2).argsort(axis=1)
        for grid, cells, gone in zip(grids, order, rng.integers(0, 9, size), strict=True):
            grid[cells[1 : gone + 1]] = 0
            grid[cells[0]] = grid[cells[0]] % 9 + 1
        found = np.concatenate([found, grids[sudoku.count_many(grids, 1).counts == 0]])
    return found[:size]


_MORE = "minimal puzzles with random givens added until each has {} to {}"
_INSIDE = "the number of givens is uniform; each puzzle contains a minimal puzzle, as puzzles in newspapers do"

# Name -> the function that makes the set, its source, and its bias.
SETS: dict[str, tuple[Make, str, str]] = {
    "17 givens": (
        _isomorphs_of(digits("17 givens")),
        "isomorphs of nine puzzles of Gordon Royle's collection of 49,151 (Minimum Sudoku)",
        "nine of the first puzzles of that collection, easier than the average; few givens do not make a puzzle hard",
    ),
    "hard": (
        _isomorphs_of(digits("named")),
        f"isomorphs of {'; '.join('{name} ({source})'.format(**row) for row in listed('named'))}",
        "six puzzles that were selected because they are hard",
    ),
    "minimal": (
        _minimal,
        "by `sudoku.generate_many`: givens are removed from a uniform complete grid in random order as long as the "
        "puzzle has one completion",
        "too few givens: 24.4 on average, compared with 26.6 for all minimal puzzles (D. Berthier, 2009)",
    ),
    "24-30 givens": (_between(24, 30), _MORE.format(24, 30), _INSIDE),
    "easy": (_between(32, 40), _MORE.format(32, 40), _INSIDE),
    "open": (
        _open,
        "minimal puzzles from which six givens were removed at random, so each has many completions",
        "completions of one puzzle are similar, and some solvers share the work among them",
    ),
    "unsolvable": (
        _unsolvable,
        "minimal puzzles with one digit changed and up to eight givens removed, if they have no completion, and a grid "
        "of 17 givens by P. Norvig (Solving Every Sudoku Puzzle)",
        "most changed digits violate a rule at once; Norvig's grid was the slowest for his program",
    ),
}


@cache
def build(name: str, size: int) -> Grids:
    """Returns a set of sudokus, shape (size, 81), in random order, so that the first n puzzles are a fair sample."""
    grids = SETS[name][0](size, np.random.default_rng([SEED, list(SETS).index(name)]))
    grids.flags.writeable = False
    return grids
