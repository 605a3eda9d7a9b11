"""Exact-cover problems by name: families whose numbers of covers are known, each with its encoding explained.

Tests count their covers against `tests/known_counts.txt`, and benchmarks time them.

>>> build("queens", 8)
Problem(16 + 30 secondary items, 64 options, 256 entries)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

from dlx import Problem

Cell = tuple[int, int]

# A 17-given sudoku that has one completion, without the 9 in its sixth row: 97,290 completions.
SIXTEEN_GIVENS = "000000010400000000020000000000050407008000300001000000300400200050100000000806000"

PENTOMINOES = {
    "F": (".##", "##.", ".#."),
    "I": ("#####",),
    "L": ("####", "#..."),
    "N": ("##..", ".###"),
    "P": ("##", "##", "#."),
    "T": ("###", ".#.", ".#."),
    "U": ("#.#", "###"),
    "V": ("#..", "#..", "###"),
    "W": ("#..", "##.", ".##"),
    "X": (".#.", "###", ".#."),
    "Y": ("####", ".#.."),
    "Z": ("##.", ".#.", ".##"),
}


def toy() -> Problem:
    """The example of Knuth's "Dancing links" (2000, arXiv:cs/0011047), display (3): seven items, six options.

    >>> toy().labels([0, 3, 4])
    (('c', 'e', 'f'), ('a', 'd'), ('b', 'g'))
    """
    return Problem.from_options(["cef", "adg", "bcf", "ad", "bg", "deg"], items="abcdefg")


def rooks(n: int) -> Problem:
    """Places n rooks on an n x n board so that none attacks another: there are n! ways.

    Items: each row and each column. An option is a square.
    """
    return Problem.from_options({(r, c): [("row", r), ("column", c)] for r in range(n) for c in range(n)})


def queens(n: int) -> Problem:
    """Places n queens on an n x n board so that none attacks another.

    Items: each row and each column must be hit; each diagonal, of either direction, is secondary: it may be hit once.
    An option is a square (TAOCP 4B, 7.2.2.1).
    """
    options = {
        (r, c): [("row", r), ("column", c), ("sum", r + c), ("difference", r - c)] for r in range(n) for c in range(n)
    }
    diagonals = [("sum", s) for s in range(2 * n - 1)] + [("difference", d) for d in range(1 - n, n)]
    return Problem.from_options(options, secondary=diagonals)


def langford(n: int) -> Problem:
    """Arranges 1, 1, 2, 2, ..., n, n in a line so that k numbers stand between the two k's.

    Items: each number and each of the 2n places. An option puts the pair of k's in places j and j + k + 1. An
    arrangement and its mirror image count as two (TAOCP 4B, 7.2.2.1).
    """
    pairs = [(k, j) for k in range(1, n + 1) for j in range(1, 2 * n - k)]
    items = [("number", k) for k in range(1, n + 1)] + [("place", j) for j in range(1, 2 * n + 1)]
    return Problem.from_options([[("number", k), ("place", j), ("place", j + k + 1)] for k, j in pairs], items=items)


def dominoes(rows: int, columns: int) -> Problem:
    """Tiles a board with dominoes.

    Items: the cells. An option is a domino, two cells side by side.
    """
    board = [(r, c) for r in range(rows) for c in range(columns)]
    across = [[(r, c), (r, c + 1)] for r, c in board if c + 1 < columns]
    down = [[(r, c), (r + 1, c)] for r, c in board if r + 1 < rows]
    return Problem.from_options(across + down, items=board)


def latin(n: int) -> Problem:
    """Fills an n x n square so that every row and every column has each of n symbols.

    Items: the cells, and the pairs (row, symbol) and (column, symbol). An option puts a symbol in a cell.
    """
    return Problem.from_options(
        {
            (r, c, s): [("cell", r, c), ("row", r, s), ("column", c, s)]
            for r in range(n)
            for c in range(n)
            for s in range(n)
        }
    )


def pentominoes(rows: int, columns: int) -> Problem:
    """Tiles a board of 60 cells with the twelve pentominoes, each used once, turned and flipped at will.

    Items: the twelve pieces and the cells. An option is a piece in one of its places. Turned and mirrored tilings
    count as different.
    """
    board = [(r, c) for r in range(rows) for c in range(columns)]
    options = [
        [name, *sorted(place)]
        for name, picture in PENTOMINOES.items()
        for shape in sorted(_orientations(picture), key=sorted)
        for place in _places(shape, rows, columns)
    ]
    return Problem.from_options(options, items=[*PENTOMINOES, *board])


def _orientations(picture: tuple[str, ...]) -> set[frozenset[Cell]]:
    """The up to eight shapes that turning and flipping make of a picture."""
    shape = {(r, c) for r, line in enumerate(picture) for c, mark in enumerate(line) if mark == "#"}
    shapes = set()
    for _ in range(4):
        shape = {(c, -r) for r, c in shape}
        shapes |= {_corner(shape), _corner({(r, -c) for r, c in shape})}
    return shapes


def _corner(shape: set[Cell]) -> frozenset[Cell]:
    top, left = min(r for r, _ in shape), min(c for _, c in shape)
    return frozenset((r - top, c - left) for r, c in shape)


def _places(shape: frozenset[Cell], rows: int, columns: int) -> Iterator[list[Cell]]:
    height, width = max(r for r, _ in shape) + 1, max(c for _, c in shape) + 1
    for top in range(rows - height + 1):
        for left in range(columns - width + 1):
            yield [(r + top, c + left) for r, c in shape]


def matchings(n: int) -> Problem:
    """Pairs 2n people off: there are (2n-1)!! = 1 * 3 * 5 * ... * (2n - 1) ways.

    Items: the people. An option is a pair of them.
    """
    return Problem.from_options(list(combinations(range(2 * n), 2)), items=range(2 * n))


def partitions(n: int) -> Problem:
    """Splits a set of n elements into non-empty classes: the number of ways is the n-th Bell number.

    Items: the elements. The options are all the non-empty subsets.
    """
    subsets = [subset for size in range(1, n + 1) for subset in combinations(range(n), size)]
    return Problem.from_options(subsets, items=range(n))


def sudoku(givens: str) -> Problem:
    """Completes a 9 x 9 sudoku, 81 characters in reading order with 0 where the cell is blank.

    Items: the cells, and the pairs (row, digit), (column, digit) and (box, digit). An option puts a digit in a cell;
    a digit that a given forbids there is left out (TAOCP 4B, 7.2.2.1).
    """
    options = {
        (r, c, d): [("cell", r, c), ("row", r, d), ("column", c, d), ("box", r // 3 * 3 + c // 3, d)]
        for r in range(9)
        for c in range(9)
        for d in range(1, 10)
    }
    given = {(k // 9, k % 9, int(mark)) for k, mark in enumerate(givens) if mark != "0"}
    taken = {item for candidate in given for item in options[candidate]}
    live = {o: items for o, items in options.items() if o in given or taken.isdisjoint(items)}
    return Problem.from_options(live, items=dict.fromkeys(item for items in options.values() for item in items))


FAMILIES: Mapping[str, Callable[..., Problem]] = {
    family.__name__: family
    for family in (toy, rooks, queens, langford, dominoes, latin, pentominoes, matchings, partitions, sudoku)
}


def build(family: str, *sizes: int | str) -> Problem:
    """The problem of a family with the given sizes.

    >>> build("dominoes", 2, 3)
    Problem(6 items, 7 options, 14 entries)
    """
    return FAMILIES[family](*sizes)
