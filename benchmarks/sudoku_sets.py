"""Sets of sudokus to measure solvers with, made by seeded code, each with its source and its bias.

>>> grids = build("24-30 givens", 3)
>>> grids.shape, grids.dtype, [int(n) for n in (grids > 0).sum(axis=1)]
((3, 81), dtype('uint8'), [30, 27, 29])

No collection of others is kept here but for nine puzzles of 17 givens and six that have names; an isomorph has their
rows, columns and digits exchanged, and is as hard for a person, though a solver may be luckier with one than with
another. No set says how fast a solver is on the sudokus of the world: one from newspapers is like `easy`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

import sudoku

Grids = npt.NDArray[np.uint8]
Make = Callable[[int, np.random.Generator], Grids]

SEED = 11

# Of the 49,151 puzzles of 17 givens that Gordon Royle has collected (Minimum Sudoku, University of Western Australia);
# none has 16: G. McGuire, B. Tugemann, G. Civario, doi:10.1080/10586458.2013.870056.
SEVENTEEN = (
    "000000010400000000020000000000050407008000300001090000300400200050100000000806000",
    "000000010400000000020000000000050604008000300001090000300400200050100000000807000",
    "000000012000035000000600070700000300000400800100000000000120000080000040050000600",
    "000000012003600000000007000410020000000500300700000600280000040000300500000000000",
    "000000012008030000000000040120500000000004700060000000507000300000620000000100000",
    "000000012040050000000009000070600400000100000000000050000087500601000300200000000",
    "000000012050400000000000030700600400001000000000080000920000800000510700000003000",
    "000000012300000060000040000900000500000001070020000000000350400001400800060000000",
    "000000012400090000000000050070200000600000400000108000018000000000030700502000000",
)

NORVIG = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4.........".replace(".", "0")

# Name -> digits, and where the puzzle was published.
NAMED = {
    "AI Escargot": (
        "100007090030020008009600500005300900010080002600004000300000010040000007007000300",
        "Arto Inkala, in newspapers of November 2006",
    ),
    "Easter Monster": (
        "100000002090400050006000700050903000000070000000850040700000600030009080002000001",
        "JPF, Sudoku Players' Forum, April 2007",
    ),
    "Golden Nugget": (
        "000000039000001005003050800008090006070002000100400000009080050020000600400700000",
        "New Sudoku Players' Forum, The hardest sudokus",
    ),
    "Platinum Blonde": (
        "000000012000000003002300400001800005060070800000009000008500000900040500470006000",
        "New Sudoku Players' Forum, The hardest sudokus",
    ),
    "Inkala 2010": (
        "005300000800000020070010500400005300010070006003200080060500009004000030000009700",
        "Arto Inkala, in newspapers of August 2010",
    ),
    "Inkala 2012": (
        "800000000003600000070090200050007000000045700000100030001000068008500010090000400",
        "Arto Inkala, in newspapers of June 2012",
    ),
}


def as_grids(lines: list[str]) -> Grids:
    """Puzzles in lines of 81 digits as an array of shape (m, 81)."""
    return np.array([[int(digit) for digit in line] for line in lines], dtype=np.uint8)


def isomorphs(grids: Grids, rng: np.random.Generator) -> Grids:
    """Returns a random isomorph of each grid: rows, columns and digits exchanged, and perhaps transposed.

    >>> made = isomorphs(as_grids(list(SEVENTEEN)), np.random.default_rng(1))
    >>> np.array_equal(sudoku.canonical(made[0]), sudoku.canonical(SEVENTEEN[0]))
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
    """Isomorphs of puzzles in random order; the numbers of isomorphs of two puzzles differ by at most 1."""
    grids = as_grids(lines)
    return lambda size, rng: isomorphs(grids[rng.permutation(np.arange(size) % len(grids))], rng)


def _between(least: int, most: int) -> Make:
    """Minimal puzzles with further givens, up to a number drawn for each; one that has more givens keeps them."""

    def make(size: int, rng: np.random.Generator) -> Grids:
        grids = _minimal(size, rng)
        wanted = rng.integers(least, most + 1, (len(grids), 1))
        rank = np.where(grids > 0, -1, rng.random(grids.shape)).argsort(axis=1).argsort(axis=1)
        completions = sudoku.solve_many(grids).completions.reshape(grids.shape)
        return np.where((rank < wanted) | (grids > 0), completions, 0).astype(np.uint8)

    return make


def _open(size: int, rng: np.random.Generator) -> Grids:
    """Minimal puzzles without six of their givens."""
    grids = _minimal(size, rng)
    order = np.where(grids > 0, rng.random(grids.shape), 2).argsort(axis=1)
    np.put_along_axis(grids, order[:, :6], 0, axis=1)
    return grids


def _unsolvable(size: int, rng: np.random.Generator) -> Grids:
    """P. Norvig's grid, and unsolvable grids: minimal puzzles with up to eight givens removed and one changed."""
    found = as_grids([NORVIG])
    while len(found) < size:
        grids = _minimal(size, rng)
        order = np.where(grids > 0, rng.random(grids.shape), 2).argsort(axis=1)
        for grid, cells, gone in zip(grids, order, rng.integers(0, 9, size), strict=True):
            grid[cells[1 : gone + 1]] = 0
            grid[cells[0]] = grid[cells[0]] % 9 + 1
        found = np.concatenate([found, grids[sudoku.count_many(grids, 1).counts == 0]])
    return found[:size]


_MORE = "minimal puzzles as above with random cells of the completion given as well, {} to {} in all"
_INSIDE = "the number of givens is uniform; each puzzle still has a minimal one inside, as newspapers' have"

# Name -> how a set is made, its source, and its bias.
SETS: dict[str, tuple[Make, str, str]] = {
    "17 givens": (
        _isomorphs_of(list(SEVENTEEN)),
        "isomorphs of nine puzzles of Gordon Royle's collection of 49,151 (Minimum Sudoku)",
        "nine of the first of that collection, easier than its mean; few givens do not make a puzzle hard",
    ),
    "hard": (
        _isomorphs_of([digits for digits, _ in NAMED.values()]),
        f"isomorphs of {'; '.join(f'{name} ({published})' for name, (_, published) in NAMED.items())}",
        "six puzzles that were looked for because they are hard: what random ones are like is in the other sets",
    ),
    "minimal": (
        _minimal,
        "by `sudoku.generate_many`: givens are taken from a uniform complete grid in random order as long as the "
        "completion stays the only one",
        "few givens come too often: 24.4 on the average, and 26.6 among all minimal puzzles (D. Berthier, 2009)",
    ),
    "24-30 givens": (_between(24, 30), _MORE.format(24, 30), _INSIDE),
    "easy": (_between(32, 40), _MORE.format(32, 40), _INSIDE),
    "open": (
        _open,
        "minimal puzzles as above without six random givens",
        "their completions have much in common, which some solvers do once for many",
    ),
    "unsolvable": (
        _unsolvable,
        "minimal puzzles as above without up to eight givens and with a wrong digit, if they have no completion, and a "
        "grid of 17 givens by P. Norvig (Solving Every Sudoku Puzzle)",
        "most wrong digits clash at once; Norvig's grid took his program longest",
    ),
}


@cache
def build(name: str, size: int) -> Grids:
    """A set of sudokus, shape (size, 81), in random order: any first ones are a fair sample."""
    grids = SETS[name][0](size, np.random.default_rng([SEED, list(SETS).index(name)]))
    grids.flags.writeable = False
    return grids
