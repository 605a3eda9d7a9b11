"""Exact-cover problems of which one cover is wanted; a plain search may take very long on them.

>>> build("queens", 100, seed=0)
Problem(200 + 398 secondary items, 10000 options, 40000 entries)
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
from families import PENTOMINOES, langford, places, queens, steiner, tilings

from dlx import Problem

Square = npt.NDArray[np.int64]


def y_pentominoes(rows: int, columns: int) -> Problem:
    """Tiles a board with Y-pentominoes.

    Items: the cells. An option is a place of the piece. D. Klarner found that 5 x 10 is the smallest such rectangle.
    """
    return tilings([PENTOMINOES["Y"]], rows, columns)


def any_pentominoes(rows: int, columns: int) -> Problem:
    """Tiles a board with pentominoes, any of them any number of times."""
    return tilings(PENTOMINOES.values(), rows, columns)


def two_sets(rows: int, columns: int) -> Problem:
    """Tiles a board of 120 cells with two sets of the twelve pentominoes.

    Items: the twelve pieces of either set, and the cells. An option is a piece of one of the sets in a place.
    """
    pieces = PENTOMINOES.items()
    return Problem.from_options(
        [
            [(name, copy), *place]
            for name, picture in pieces
            for place in places(picture, rows, columns)
            for copy in (1, 2)
        ]
    )


def quasigroup(n: int, holes: int, seed: int) -> Problem:
    """Completes a Latin square of order n of which `holes` cells are blank (C. Gomes, B. Selman, AAAI 1997).

    Items: the blank cells, and what their rows and columns lack. The square is drawn by the Markov chain of M. Jacobson
    and P. Matthews (doi:10.1002/(SICI)1520-6610(1996)4:6<405::AID-JCD3>3.0.CO;2-J), and the blank cells at random.
    """
    blank = np.random.default_rng(seed).permutation(n * n)[:holes]
    return _completion(latin_square(n, seed), blank, lambda r, c: (("row", r), ("column", c)))


def large_sudoku(box: int, holes: int, seed: int) -> Problem:
    """Completes a sudoku with boxes of `box` rows and columns, of which `holes` cells are blank.

    Items: the blank cells, and what their rows, columns and boxes lack. The grid is a pattern, its rows and columns
    shuffled within bands and these among themselves, its digits renamed; the blank cells are drawn at random.
    """
    rng = np.random.default_rng(seed)
    n = box * box
    lines = [np.concatenate([band * box + rng.permutation(box) for band in rng.permutation(box)]) for _ in range(2)]
    r, c = np.arange(n)[:, None], np.arange(n)
    pattern = rng.permutation(n)[(r % box * box + r // box + c) % n]
    blank = rng.permutation(n * n)[:holes]
    return _completion(
        pattern[lines[0]][:, lines[1]],
        blank,
        lambda r, c: (("row", r), ("column", c), ("box", r // box * box + c // box)),
    )


def pigeons(pigeons: int, holes: int) -> Problem:
    """Puts each pigeon in a hole, at most one in each: without a cover if there are more pigeons than holes."""
    return Problem.from_options(
        [[("pigeon", p), ("hole", h)] for p in range(pigeons) for h in range(holes)],
        secondary=[("hole", h) for h in range(holes)],
    )


def mutilated(n: int) -> Problem:
    """Tiles a board without two opposite corners with dominoes, which cannot be done (J. McCarthy, 1964)."""
    board = [(r, c) for r in range(n) for c in range(n) if (r, c) not in ((0, 0), (n - 1, n - 1))]
    pairs = [[cell, (cell[0] + dr, cell[1] + dc)] for cell in board for dr, dc in ((0, 1), (1, 0))]
    return Problem.from_options([pair for pair in pairs if pair[1] in set(board)], items=board)


def _completion(
    square: Square, blank: npt.NDArray[np.int64], units: Callable[[int, int], tuple[tuple[str, int], ...]]
) -> Problem:
    """The blank cells of a square, and the symbols that their units lack."""
    n = len(square)
    cells = [divmod(int(k), n) for k in sorted(blank)]
    lacking = {(*unit, int(square[cell])) for cell in cells for unit in units(*cell)}
    options = {
        (r, c, s): [("cell", r, c), *((*unit, s) for unit in units(r, c))]
        for r, c in cells
        for s in range(n)
        if all((*unit, s) in lacking for unit in units(r, c))
    }
    return Problem.from_options(options)


class _Cube:
    """A Latin square as zeros and ones in a cube: for each of its lines, the places of the ones.

    Between two squares a cell may be -1; then the lines through it have a one more.
    """

    def __init__(self, n: int) -> None:
        self.symbols = [[{(r + c) % n} for c in range(n)] for r in range(n)]
        self.columns = [[{(s - r) % n} for s in range(n)] for r in range(n)]
        self.rows = [[{(s - c) % n} for s in range(n)] for c in range(n)]

    def add(self, r: int, c: int, s: int) -> None:
        """Sets a zero to one."""
        self.symbols[r][c].add(s)
        self.columns[r][s].add(c)
        self.rows[c][s].add(r)

    def take(self, r: int, c: int, s: int) -> bool:
        """Sets a one to zero; returns False if it was a zero."""
        if s not in self.symbols[r][c]:
            return False
        self.symbols[r][c].discard(s)
        self.columns[r][s].discard(c)
        self.rows[c][s].discard(r)
        return True


def latin_square(n: int, seed: int) -> Square:
    """A Latin square drawn nearly uniformly, by n^3 moves of the chain that `quasigroup` names.

    >>> square = latin_square(5, seed=0)
    >>> all(len(set(line.tolist())) == 5 for line in (*square, *square.T))
    True
    """
    rng = random.Random(seed)
    cube = _Cube(n)
    moves = 0
    minus: tuple[int, int, int] | None = None  # the cell that is -1
    while moves < n**3 or minus is not None:
        moves += 1
        r, c, s = minus or (rng.randrange(n), rng.randrange(n), rng.randrange(n))
        if s in cube.symbols[r][c]:
            continue
        other_r = rng.choice(tuple(cube.rows[c][s]))
        other_c = rng.choice(tuple(cube.columns[r][s]))
        other_s = rng.choice(tuple(cube.symbols[r][c]))
        if minus is None:
            cube.add(r, c, s)
        for cell in ((r, other_c, other_s), (other_r, c, other_s), (other_r, other_c, s)):
            cube.add(*cell)
        for cell in ((other_r, c, s), (r, other_c, s), (r, c, other_s)):
            cube.take(*cell)
        last = (other_r, other_c, other_s)
        minus = None if cube.take(*last) else last
    return np.array([[next(iter(place)) for place in row] for row in cube.symbols])


Families = Mapping[str, Callable[..., Problem]]
RANDOM: Families = {"quasigroup": quasigroup, "large_sudoku": large_sudoku}  # of these a seed draws another problem
FAMILIES: Families = {
    family.__name__: family
    for family in (queens, langford, steiner, y_pentominoes, any_pentominoes, two_sets, pigeons, mutilated)
}


def build(family: str, *sizes: int, seed: int) -> Problem:
    """The problem of a family with the given sizes, and the seed where problems are drawn at random."""
    return RANDOM[family](*sizes, seed) if family in RANDOM else FAMILIES[family](*sizes)
