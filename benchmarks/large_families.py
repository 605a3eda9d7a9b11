"""Exact-cover problems of which one cover is wanted: families in which a plain descent gets lost, or might.

>>> build("queens", 100, seed=0)
Problem(200 + 394 secondary items, 10000 options, 40000 entries)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import numpy.typing as npt
from families import PENTOMINOES, Cell, langford, orientations, places, queens, steiner

from dlx import Problem

Square = npt.NDArray[np.int64]


def y_pentominoes(rows: int, columns: int) -> Problem:
    """Tiles a board with Y-pentominoes.

    Items: the cells. An option is a place of the piece. D. Klarner found that 5 x 10 is the smallest such rectangle.
    """
    return _tilings(["Y"], rows, columns)


def any_pentominoes(rows: int, columns: int) -> Problem:
    """Tiles a board with pentominoes, any of them any number of times."""
    return _tilings(PENTOMINOES, rows, columns)


def two_sets(rows: int, columns: int) -> Problem:
    """Tiles a board of 120 cells with two sets of the twelve pentominoes.

    Items: the twelve pieces of either set, and the cells. An option is a piece of one of the sets in a place.
    """
    options = [
        [(name, copy), *place] for name in PENTOMINOES for place in _spots(name, rows, columns) for copy in (1, 2)
    ]
    return Problem.from_options(options)


def quasigroup(n: int, holes: int, seed: int) -> Problem:
    """Completes a Latin square of order n of which so many cells are blank (C. Gomes, B. Selman, AAAI 1997).

    Items: the blank cells, and what their rows and columns lack. The square is drawn by the Markov chain of M. Jacobson
    and P. Matthews (doi:10.1002/(SICI)1520-6610(1996)4:6<405::AID-JCD3>3.0.CO;2-J), and the blank cells at random.
    """
    rng = np.random.default_rng(seed)
    square = latin_square(n, rng)
    blank = rng.permutation(n * n)[:holes]
    return _completion(square, blank, lambda r, c: (("row", r), ("column", c)))


def large_sudoku(box: int, holes: int, seed: int) -> Problem:
    """Completes a sudoku whose boxes have so many rows and columns, and of which so many cells are blank.

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


def _tilings(names: Iterable[str], rows: int, columns: int) -> Problem:
    board = [(r, c) for r in range(rows) for c in range(columns)]
    return Problem.from_options([place for name in names for place in _spots(name, rows, columns)], items=board)


def _spots(name: str, rows: int, columns: int) -> list[list[Cell]]:
    shapes = sorted(orientations(PENTOMINOES[name]), key=sorted)
    return [sorted(place) for shape in shapes for place in places(shape, rows, columns)]


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


def latin_square(n: int, rng: np.random.Generator) -> Square:
    """A Latin square drawn nearly uniformly, by n^3 moves of the chain that `quasigroup` names."""
    r, c = np.arange(n)[:, None], np.arange(n)
    cube = np.zeros((n, n, n), dtype=np.int64)
    cube[r, c, (r + c) % n] = 1
    moves = 0
    improper: tuple[int, int, int] | None = None
    while moves < n**3 or improper is not None:
        moves += 1
        if improper is None:
            x, y, z = (int(k) for k in rng.integers(0, n, 3))
            if cube[x, y, z]:
                continue
        else:
            x, y, z = improper
        a, b, d = (int(rng.choice(np.flatnonzero(line == 1))) for line in (cube[:, y, z], cube[x, :, z], cube[x, y, :]))
        cube[x, y, z] += 1
        cube[x, b, d] += 1
        cube[a, y, d] += 1
        cube[a, b, z] += 1
        cube[a, y, z] -= 1
        cube[x, b, z] -= 1
        cube[x, y, d] -= 1
        cube[a, b, d] -= 1
        improper = (a, b, d) if cube[a, b, d] < 0 else None
    return np.argmax(cube, axis=2)


def seedless(family: Callable[..., Problem]) -> Callable[..., Problem]:
    """A family of which there is only one problem of a size, whatever the seed."""
    return lambda *sizes, seed: family(*sizes)


FAMILIES: Mapping[str, Callable[..., Problem]] = {
    **{
        family.__name__: seedless(family)
        for family in (queens, langford, steiner, y_pentominoes, any_pentominoes, two_sets, pigeons, mutilated)
    },
    "quasigroup": quasigroup,
    "large_sudoku": large_sudoku,
}


def build(family: str, *sizes: int, seed: int) -> Problem:
    """The problem of a family with the given sizes, and the seed where problems are drawn at random."""
    return FAMILIES[family](*sizes, seed=seed)
