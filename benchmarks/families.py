"""Named families of exact-cover problems with known numbers of covers. Each docstring explains the encoding.

Tests compare the numbers of covers with `tests/data/counts.txt`, and benchmarks measure the time.

>>> build("queens", 8)
Problem(16 + 30 secondary items, 64 options, 256 entries)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from random import Random
from string import ascii_lowercase
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx import Coloured, Problem, tiles

Cell = tuple[int, int]
Square = npt.NDArray[np.int64]

# A puzzle of 17 givens without the 9 in its sixth row; this grid has 97,290 completions.
SIXTEEN_GIVENS = "000000010400000000020000000000050407008000300001000000300400200050100000000806000"

WORDS = (Path(__file__).parent / "words.txt").read_text(encoding="utf-8").split()  # common English words, sorted

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
TROMINOES = {"I": ("###",), "L": ("##", "#.")}
TETROMINOES = {"I": ("####",), "L": ("###", "#.."), "O": ("##", "##"), "S": (".##", "##."), "T": ("###", ".#.")}


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


def comb(teeth: int, n: int) -> Problem:
    """Makes a search tree like a comb: a spine with `teeth` side branches, and n rooks at the end of each branch.

    There are (teeth + 1) n! covers. Items: the places of the spine, then each row and each column of an n x n board. An
    option covers one place of the spine, covers all the places from one on, or is a square. If the tree is divided at
    its root, one part has a single tooth.
    """
    spine = [("place", k) for k in range(teeth)]
    on = [[place] for place in spine]
    off = [spine[k:] for k in range(teeth)]
    squares = [[("row", r), ("column", c)] for r in range(n) for c in range(n)]
    board = [(line, k) for line in ("row", "column") for k in range(n)]
    return Problem.from_options([*on, *off, *squares], items=[*spine, *board])


def queens(n: int) -> Problem:
    """Places n queens on an n x n board so that none attacks another.

    Items: each row and each column are primary, and each diagonal of both directions is secondary.
    An option is a square (TAOCP 4B, 7.2.2.1).
    """
    board = product(range(n), repeat=2)
    options = {(r, c): [("row", r), ("column", c), ("sum", r + c), ("difference", r - c)] for r, c in board}
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
    return Problem.from_options(_symbols(n))


def latin_below(n: int) -> Problem:
    """Completes an n x n Latin square whose first row has the symbols in order.

    The items and options are those of `latin` without the first row. `latin` has n! times as many covers.
    """
    return Problem.from_options({(r, c, s): items for (r, c, s), items in _symbols(n).items() if r and s != c})


def _symbols(n: int) -> dict[tuple[int, int, int], list[tuple[str, int, int]]]:
    """Each symbol in each cell of an n x n square, with its items: row, column and symbol, from 0."""
    cube = product(range(n), repeat=3)
    return {(r, c, s): [("cell", r, c), ("row", r, s), ("column", c, s)] for r, c, s in cube}


def words(n: int) -> Problem:
    """Fills a 4 x 4 square so that every row and every column is one of the first n words; words may be repeated.

    Items: each row and each column are primary; each cell is secondary, and its colour is its letter. An option puts a
    word in a row or in a column (TAOCP 4B, 7.2.2.1, on colours).
    """
    return Problem.from_options(
        {
            (*line, word): [line, *(Coloured(cell, letter) for cell, letter in zip(_cells(*line), word, strict=True))]
            for line in _lines()
            for word in WORDS[:n]
        },
        items=_lines(),
        secondary=[cell for r in range(4) for cell in _cells("row", r)],
    )


def words_plain(n: int) -> Problem:
    """The problem of `words` without colours, and without secondary items.

    Items: each row and each column, and each pair of a cell and a letter. A word in a row covers its own letter in each
    cell; a word in a column covers all other letters in each cell. In a cell, both words together cover every letter
    once if and only if they have the same letter there.
    """
    options = {}
    for direction, k in _lines():
        for word in WORDS[:n]:
            entries = [
                (cell, letter)
                for cell, mark in zip(_cells(direction, k), word, strict=True)
                for letter in ascii_lowercase
                if (letter == mark) == (direction == "row")
            ]
            options[direction, k, word] = [(direction, k), *entries]
    return Problem.from_options(options)


def _lines() -> list[tuple[str, int]]:
    return [(direction, k) for direction in ("row", "column") for k in range(4)]


def _cells(direction: str, k: int) -> list[Cell]:
    return [(k, m) if direction == "row" else (m, k) for m in range(4)]


def pentominoes(rows: int, columns: int) -> Problem:
    """Tiles a board of 60 cells with the twelve pentominoes, each used once, in any orientation.

    Items: the twelve pieces and the cells. An option is a piece in one of its places. Turned and mirrored tilings
    count as different.
    """
    board = [(r, c) for r in range(rows) for c in range(columns)]
    options = [[name, *place] for name, picture in PENTOMINOES.items() for place in places(picture, rows, columns)]
    return Problem.from_options(options, items=[*PENTOMINOES, *board])


def trominoes(rows: int, columns: int, pieces: str = "IL") -> Problem:
    """Tiles a board with straight or bent trominoes or both, in any orientation and any number.

    Items: the cells. An option is a place of a piece.
    """
    return tilings([TROMINOES[piece] for piece in pieces], rows, columns)


def tetrominoes(rows: int, columns: int) -> Problem:
    """Tiles a board with tetrominoes, in any orientation and any number of each.

    Items: the cells. An option is a place of a piece. Turned and mirrored tilings count as different.
    """
    return tilings(TETROMINOES.values(), rows, columns)


def y_pentominoes(rows: int, columns: int) -> Problem:
    """Tiles a board with Y-pentominoes in any orientation (D. Klarner: 5 x 10 is the smallest rectangle)."""
    return tilings([PENTOMINOES["Y"]], rows, columns)


def any_pentominoes(rows: int, columns: int) -> Problem:
    """Tiles a board with pentominoes, any number of each."""
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


def soma() -> Problem:
    """Assembles a 3 x 3 x 3 cube from the seven pieces of P. Hein's Soma cube."""
    return tiles.problem("3x3x3", "soma")


def tilings(pictures: Iterable[tuple[str, ...]], rows: int, columns: int) -> Problem:
    """Tiles a board with drawn pieces, in any orientation and any number of each."""
    options = [place for picture in pictures for place in places(picture, rows, columns)]
    return Problem.from_options(options, items=[(r, c) for r in range(rows) for c in range(columns)])


def orientations(picture: tuple[str, ...]) -> set[frozenset[Cell]]:
    """Returns the different orientations of a drawn piece, at most eight."""
    shape = {(r, c) for r, line in enumerate(picture) for c, mark in enumerate(line) if mark == "#"}
    shapes = set()
    for _ in range(4):
        shape = {(c, -r) for r, c in shape}
        shapes |= {_corner(shape), _corner({(r, -c) for r, c in shape})}
    return shapes


def _corner(shape: set[Cell]) -> frozenset[Cell]:
    top, left = min(r for r, _ in shape), min(c for _, c in shape)
    return frozenset((r - top, c - left) for r, c in shape)


def places(picture: tuple[str, ...], rows: int, columns: int) -> Iterator[list[Cell]]:
    """Yields the cells of a piece in each of its places on a board, in every orientation."""
    for shape in sorted(orientations(picture), key=sorted):
        height, width = max(r for r, _ in shape) + 1, max(c for _, c in shape) + 1
        for top, left in product(range(rows - height + 1), range(columns - width + 1)):
            yield sorted((r + top, c + left) for r, c in shape)


def sparse(options: int, items: int, size: int) -> Problem:
    """Covers items by random options from a fixed seed; the sizes of options differ from `size` by at most 2."""
    rng = np.random.default_rng(1)
    sizes = (rng.integers(max(2, size - 2), size + 3) for _ in range(options))
    return Problem.from_options([rng.choice(items, some, replace=False).tolist() for some in sizes], items=range(items))


def matchings(n: int) -> Problem:
    """Pairs up 2n people: there are (2n-1)!! = 1 * 3 * 5 * ... * (2n - 1) ways.

    Items: the people. An option is a pair of them.
    """
    return Problem.from_options(list(combinations(range(2 * n), 2)), items=range(2 * n))


def partitions(n: int) -> Problem:
    """Splits a set of n elements into non-empty classes: the number of ways is the n-th Bell number.

    Items: the elements. The options are all the non-empty subsets.
    """
    subsets = [subset for size in range(1, n + 1) for subset in combinations(range(n), size)]
    return Problem.from_options(subsets, items=range(n))


def steiner(n: int) -> Problem:
    """Finds a Steiner triple system of n points: triples such that each pair of points is in exactly one triple.

    Items: the pairs. An option is a triple, with its three pairs.
    """
    return Problem.from_options([[(a, b), (a, c), (b, c)] for a, b, c in combinations(range(n), 3)])


def tournaments(n: int) -> Problem:
    """Schedules a round robin of n teams on n - 1 days: a one-factorization of the complete graph.

    Team 0 plays team d on day d, so that days cannot be exchanged. Items: the games among the other teams, and each
    pair of one of these teams and a day on which this team does not play team 0. An option puts a game on a day.
    """
    games = list(combinations(range(1, n), 2))
    return Problem.from_options(
        [[(u, v), (u, f"day {d}"), (v, f"day {d}")] for u, v in games for d in range(1, n) if d not in (u, v)]
    )


def grids(rows: int, columns: int) -> Problem:
    """Fills a sudoku grid with boxes of these rows and columns, without givens.

    Items: the cells, and the pairs (row, symbol), (column, symbol) and (box, symbol), as in `sudoku`.
    """
    squares = _symbols(rows * columns).items()
    return Problem.from_options([[*items, ("box", r // rows * rows + c // columns, s)] for (r, c, s), items in squares])


def sudoku(givens: str) -> Problem:
    """Completes a 9 x 9 sudoku of 81 characters in reading order; 0 is a blank cell.

    Items: the cells, and the pairs (row, digit), (column, digit) and (box, digit). An option puts a digit in a cell,
    unless a given forbids that digit there (TAOCP 4B, 7.2.2.1).
    """
    options = {
        (r, c, d): [("cell", r, c), ("row", r, d), ("column", c, d), ("box", r // 3 * 3 + c // 3, d)]
        for r, c, d in product(range(9), range(9), range(1, 10))
    }
    given = {(k // 9, k % 9, int(mark)) for k, mark in enumerate(givens) if mark != "0"}
    taken = {item for candidate in given for item in options[candidate]}
    live = {o: items for o, items in options.items() if o in given or taken.isdisjoint(items)}
    return Problem.from_options(live, items=dict.fromkeys(item for items in options.values() for item in items))


def quasigroup(n: int, holes: int, seed: int) -> Problem:
    """Completes a Latin square of order n with `holes` blank cells (C. Gomes, B. Selman, AAAI 1997).

    Items: the blank cells, and the missing symbols of their rows and columns. The square is drawn by the Markov chain
    of M. Jacobson and P. Matthews (doi:10.1002/(SICI)1520-6610(1996)4:6<405::AID-JCD3>3.0.CO;2-J). The blank cells are
    random.
    """
    blank = np.random.default_rng(seed).permutation(n * n)[:holes]
    return _completion(latin_square(n, seed), blank, lambda r, c: (("row", r), ("column", c)))


def large_sudoku(box: int, holes: int, seed: int) -> Problem:
    """Completes a sudoku with boxes of `box` rows and columns, with `holes` blank cells.

    Items: the blank cells, and the missing symbols of their rows, columns and boxes. The grid is a fixed pattern with
    shuffled digits, bands, stacks, rows within bands and columns within stacks. The blank cells are random.
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
    """Puts each pigeon in a hole of its own. There is no cover if there are more pigeons than holes."""
    return Problem.from_options(
        [[("pigeon", p), ("hole", h)] for p in range(pigeons) for h in range(holes)],
        secondary=[("hole", h) for h in range(holes)],
    )


def mutilated(n: int) -> Problem:
    """Tiles a board without two opposite corners with dominoes. There is no cover (J. McCarthy, 1964)."""
    board = [(r, c) for r in range(n) for c in range(n) if (r, c) not in ((0, 0), (n - 1, n - 1))]
    pairs = [[cell, (cell[0] + dr, cell[1] + dc)] for cell in board for dr, dc in ((0, 1), (1, 0))]
    return Problem.from_options([pair for pair in pairs if pair[1] in set(board)], items=board)


def _completion(
    square: Square, blank: npt.NDArray[np.int64], units: Callable[[int, int], tuple[tuple[str, int], ...]]
) -> Problem:
    """Returns the problem of completing a square with blank cells; `units` returns the units of a cell."""
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
    """A Latin square as a cube of zeros and ones. Each set has the positions of the ones in a line of the cube.

    During a move, one cell may be -1; then each line through this cell has one more 1.
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
    """Returns a nearly uniform random Latin square, by n^3 moves of the Markov chain cited at `quasigroup`.

    >>> square = latin_square(5, seed=0)
    >>> all(len(set(line.tolist())) == 5 for line in (*square, *square.T))
    True
    """
    rng = Random(seed)
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


def beside(problems: Sequence[Problem]) -> Problem:
    """Joins several problems into one without weights and roles; item i of problem k becomes (k, i).

    >>> beside([toy(), rooks(2)])
    Problem(11 items, 10 options, 24 entries)
    """
    options, items, secondary = [], [], []
    multiplicities: dict[Any, tuple[int, int]] = {}
    for k, problem in enumerate(problems):
        for o in range(problem.n_options):
            named = problem.option(o)
            options.append([Coloured((k, i.item), i.colour) if isinstance(i, Coloured) else (k, i) for i in named])
        items += [(k, i) for i in problem.items]
        secondary += [(k, i) for i in problem.items[problem.n_primary :]]
        if problem.multiplicities is not None:
            multiplicities |= {(k, i): tuple(m) for i, m in zip(problem.items, problem.multiplicities, strict=False)}
    return Problem.from_options(options, items=items, secondary=secondary, multiplicities=multiplicities or None)


_FAMILIES: tuple[Callable[..., Problem], ...] = (
    toy, rooks, comb, queens, langford, dominoes, latin, latin_below, words, words_plain, pentominoes, trominoes,
    tetrominoes, y_pentominoes, any_pentominoes, two_sets, sparse, matchings, partitions, steiner, tournaments, grids,
    sudoku, quasigroup, large_sudoku, pigeons, mutilated, soma,
)  # fmt: skip
FAMILIES: Mapping[str, Callable[..., Problem]] = {family.__name__: family for family in _FAMILIES}
RANDOM = ("quasigroup", "large_sudoku")  # families whose last size is a seed


def build(family: str, *sizes: int | str) -> Problem:
    """Returns the problem of a family with the given sizes.

    >>> build("dominoes", 2, 3)
    Problem(6 items, 7 options, 14 entries)
    """
    return FAMILIES[family](*sizes)
