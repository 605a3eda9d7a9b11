"""The techniques of sudoku by their definitions: by brute force over cells, rows, columns and boxes of pencil marks.

Each function takes the pencil marks, bool of shape (9, 9, 9), and returns the candidates (row, column, digit) that the
technique rules out somewhere in the grid; singles return those that they place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, permutations, product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Marks: TypeAlias = npt.NDArray[np.bool_]
Cell = tuple[int, int]
Found = set[tuple[int, int, int]]

CELLS: list[Cell] = [(r, c) for r in range(9) for c in range(9)]
ROWS = [[(r, c) for c in range(9)] for r in range(9)]
COLUMNS = [[(r, c) for r in range(9)] for c in range(9)]
BOXES = [[(r + i, c + j) for i in range(3) for j in range(3)] for r in (0, 3, 6) for c in (0, 3, 6)]
HOUSES = [*ROWS, *COLUMNS, *BOXES]


def sees(a: Cell, b: Cell) -> bool:
    """Returns whether two cells are different and share a row, a column or a box."""
    return a != b and (a[0] == b[0] or a[1] == b[1] or (a[0] // 3, a[1] // 3) == (b[0] // 3, b[1] // 3))


def places(marks: Marks, house: list[Cell], d: int) -> frozenset[Cell]:
    """The cells of a house that have a candidate."""
    return frozenset(cell for cell in house if marks[*cell, d])


def digits(marks: Marks, cell: Cell) -> frozenset[int]:
    """The candidates of a cell, from 0."""
    return frozenset(np.flatnonzero(marks[cell]).tolist())


def seen_by_all(marks: Marks, d: int, *cells: Cell) -> Found:
    """The candidates of a digit that see all of some cells."""
    return {(*cell, d + 1) for cell in CELLS if marks[*cell, d] and all(sees(cell, other) for other in cells)}


def hidden_single(marks: Marks) -> Found:
    each = ((places(marks, house, d), d) for house in HOUSES for d in range(9))
    return {(*next(iter(cells)), d + 1) for cells, d in each if len(cells) == 1}


def naked_single(marks: Marks) -> Found:
    return {(*cell, d + 1) for cell in CELLS if len(digits(marks, cell)) == 1 for d in digits(marks, cell)}


def locked(marks: Marks, bases: list[list[Cell]], covers: list[list[Cell]]) -> Found:
    """If all places of a digit in a house lie in another house, it is out elsewhere in that other house."""
    found: Found = set()
    for base, cover, d in product(bases, covers, range(9)):
        cells = places(marks, base, d)
        if cells and cells <= set(cover):
            found |= {(*cell, d + 1) for cell in places(marks, cover, d) - cells}
    return found


def naked(n: int) -> Callable[[Marks], Found]:
    """N cells of a house with N digits: a digit is out in all cells that see each of these cells with it."""

    def find(marks: Marks) -> Found:
        found: Found = set()
        for house in HOUSES:
            blank = [cell for cell in house if 2 <= len(digits(marks, cell)) <= n]
            for cells in combinations(blank, n):
                union = frozenset[int]().union(*(digits(marks, cell) for cell in cells))
                if len(union) == n:
                    for d in union:
                        found |= seen_by_all(marks, d, *(cell for cell in cells if marks[*cell, d]))
        return found

    return find


def hidden(n: int) -> Callable[[Marks], Found]:
    """N digits whose places in some houses are the same N cells: other digits are out in these cells."""

    def find(marks: Marks) -> Found:
        found: Found = set()
        for house in HOUSES:
            for cells in combinations([cell for cell in house if len(digits(marks, cell)) > 1], n):
                own = {
                    d
                    for d in range(9)
                    for other in HOUSES
                    if places(marks, other, d) and places(marks, other, d) <= {*cells}
                }
                if len(own) == n:
                    found |= {(*cell, d + 1) for cell in cells for d in digits(marks, cell) - own}
        return found

    return find


def fish(n: int, *, finned: bool = False) -> Callable[[Marks], Found]:
    """N rows with all places of a digit in N columns, or the other way round; other places (fins) are in one box."""

    def find(marks: Marks) -> Found:
        found: Found = set()
        for (bases, covers), d in product([(ROWS, COLUMNS), (COLUMNS, ROWS)], range(9)):
            for some in combinations([b for b in bases if len(places(marks, b, d)) > 1], n):
                base = frozenset[Cell]().union(*(places(marks, house, d) for house in some))
                for chosen in combinations(covers, n):
                    cover = frozenset[Cell]().union(*(places(marks, house, d) for house in chosen))
                    fins = base - cover
                    out = cover - base
                    if finned:
                        boxes = {(r // 3, c // 3) for r, c in fins}
                        out = frozenset((r, c) for r, c in out if {(r // 3, c // 3)} == boxes)
                    elif fins:
                        continue
                    found |= {(*cell, d + 1) for cell in out}
        return found

    return find


def strong(marks: Marks, d: int, houses: list[list[Cell]] = HOUSES) -> Iterator[tuple[Cell, Cell]]:
    """Both places of a digit in the houses where it has two, in both orders."""
    for house in houses:
        if len(cells := places(marks, house, d)) == 2:
            yield from permutations(cells, 2)


def two_strong(first: list[list[Cell]], second: list[list[Cell]]) -> Callable[[Marks], Found]:
    """Two places in each of two houses, of which two see each other: a cell that sees both others is out."""

    def find(marks: Marks) -> Found:
        found: Found = set()
        for d in range(9):
            for (a, b), (c, e) in product(strong(marks, d, first), strong(marks, d, second)):
                if len({a, b, c, e}) == 4 and sees(b, c):
                    found |= seen_by_all(marks, d, a, e)
        return found

    return find


def empty_rectangle(marks: Marks) -> Found:
    """The places of a digit in a box lie in a row and a column; a line with two places connects these."""
    found: Found = set()
    for d, box in product(range(9), BOXES):
        for r, c in box:
            if all(cell[0] == r or cell[1] == c for cell in places(marks, box, d)):
                for a, b in strong(marks, d, [*ROWS, *COLUMNS]):
                    if a in box or b in box:
                        continue
                    if a[1] == c and a[0] == b[0] and marks[r, b[1], d] and (r, b[1]) not in box:
                        found.add((r, b[1], d + 1))
                    if a[0] == r and a[1] == b[1] and marks[b[0], c, d] and (b[0], c) not in box:
                        found.add((b[0], c, d + 1))
    return found


def xy_wing(marks: Marks) -> Found:
    """A cell xy sees cells xz and yz: z is out where both are seen."""
    found: Found = set()
    two = [cell for cell in CELLS if len(digits(marks, cell)) == 2]
    for pivot in two:
        for one, other in combinations([cell for cell in two if sees(cell, pivot)], 2):
            z = digits(marks, one) & digits(marks, other)
            if len(z) == 1 and digits(marks, one) ^ digits(marks, other) == digits(marks, pivot):
                found |= seen_by_all(marks, min(z), one, other)
    return found


def xyz_wing(marks: Marks) -> Found:
    """A cell xyz sees cells xz and yz: z is out where all three are seen."""
    found: Found = set()
    two = [cell for cell in CELLS if len(digits(marks, cell)) == 2]
    for pivot in [cell for cell in CELLS if len(digits(marks, cell)) == 3]:
        for one, other in combinations([cell for cell in two if sees(cell, pivot)], 2):
            z = digits(marks, one) & digits(marks, other)
            if len(z) == 1 and digits(marks, one) | digits(marks, other) == digits(marks, pivot):
                found |= seen_by_all(marks, min(z), one, other, pivot)
    return found


def w_wing(marks: Marks) -> Found:
    """Two cells xy, each seen by one of two places for x in a house: y is out where both are seen."""
    found: Found = set()
    two = [cell for cell in CELLS if len(digits(marks, cell)) == 2]
    for one, other in permutations(two, 2):
        if digits(marks, one) == digits(marks, other):
            for x in digits(marks, one):
                for a, b in strong(marks, x):
                    if sees(a, one) and sees(b, other):
                        (y,) = digits(marks, one) - {x}
                        found |= seen_by_all(marks, y, one, other)
    return found


LINES = [*ROWS, *COLUMNS]

TECHNIQUES: dict[str, Callable[[Marks], Found]] = {
    "hidden single": hidden_single,
    "naked single": naked_single,
    "pointing": lambda marks: locked(marks, BOXES, LINES),
    "claiming": lambda marks: locked(marks, LINES, BOXES),
    **{f"naked {name}": naked(n) for n, name in ((2, "pair"), (3, "triple"), (4, "quad"))},
    **{f"hidden {name}": hidden(n) for n, name in ((2, "pair"), (3, "triple"), (4, "quad"))},
    **{name: fish(n) for n, name in ((2, "X-wing"), (3, "swordfish"), (4, "jellyfish"))},
    **{f"finned {name}": fish(n, finned=True) for n, name in ((2, "X-wing"), (3, "swordfish"))},
    "skyscraper": two_strong(LINES, LINES),
    "two-string kite": two_strong(ROWS, COLUMNS),
    "turbot fish": two_strong(HOUSES, HOUSES),
    "empty rectangle": empty_rectangle,
    "XY-wing": xy_wing,
    "XYZ-wing": xyz_wing,
    "W-wing": w_wing,
}
