"""Canonical forms: the least images, by brute force, and one for all images of a grid and for no others."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import numpy.typing as npt
import pytest
from backtracking import RULES
from plain_grids import shuffled
from seeds import for_seeds, nightly
from sudoku_command import CLASH, CLUE17, EMPTY, MANY, SOLVED

import dlx
import sudoku

Grid = npt.NDArray[np.uint8]

CROSS = "123456789" + "".join(f"{digit}00000000" for digit in (4, 5, 6, 7, 8, 9, 2, 3))
DIAGONAL = "".join(str(k // 10 + 1) if k % 10 == 0 else "0" for k in range(81))
NAMED = {
    "several": MANY,
    "clash": CLASH,
    "solved": SOLVED,
    "17": CLUE17,
    "one": "7" + EMPTY[1:],
    "diagonal": DIAGONAL,
    "cross": CROSS,
    "one blank": "0" + SOLVED[1:],
    "band": SOLVED[:27] + EMPTY[27:],
    "twice in a row": "55" + CLUE17[2:],
    "all but full": 40 * "12" + "1",
}
ORDERS = [*permutations(range(3))]
# All 1,296 orders of nine lines, three by three.
LINES = np.array(
    [[3 * b + k for b, ks in zip(o, p, strict=True) for k in ks] for o in ORDERS for p in product(ORDERS, repeat=3)]
)
TRIED = [name for name in NAMED if name not in ("one", "band")]  # which take as long as all others


def least_of_all(grid: Grid) -> Grid:
    """The least of all 3,359,232 ways to exchange cells, with digits named as they appear; cell by cell."""
    sides = np.stack([grid.reshape(9, 9), grid.reshape(9, 9).T])
    side, rows, columns = (index.ravel() for index in np.indices((2, 1296, 1296), dtype=np.int16))
    names = np.zeros((len(side), 10), dtype=np.uint8)
    fresh = np.ones(len(side), dtype=np.uint8)
    least = np.zeros((9, 9), dtype=np.uint8)
    for r, c in np.ndindex(9, 9):
        digits = sides[side, LINES[rows, r], LINES[columns, c]]
        every = np.arange(len(digits))
        named = names[every, digits]
        new = (named == 0) & (digits > 0)
        named = np.where(new, fresh, named)
        least[r, c] = named.min()
        names[every, digits] = named
        fresh = fresh + new
        keep = named == least[r, c]
        side, rows, columns, names, fresh = (part[keep] for part in (side, rows, columns, names, fresh))
    return least


@pytest.mark.parametrize("name", [*TRIED[:2], *nightly(*TRIED[2:])])
def test_least_of_all(name: str) -> None:
    """Nothing is less among all 3,359,232 images, for puzzles, full grids, symmetrical ones and wrong ones."""
    grid = sudoku.as_grid(NAMED[name])
    assert np.array_equal(sudoku.canonical(grid), least_of_all(grid))


@pytest.mark.parametrize("name", NAMED)
def test_all_images_have_one_form(name: str) -> None:
    """The form stays under any exchange; it is its own form, and an image of the grid by nauty."""
    rng = np.random.default_rng(1)
    grid = sudoku.as_grid(NAMED[name])
    form = sudoku.canonical(grid)
    assert (sudoku.canonical_many([shuffled(grid, rng) for _ in range(30)]) == form).all()
    assert np.array_equal(sudoku.canonical(form), form)
    assert form_of(form) == form_of(grid)
    assert sudoku.is_isomorphic(grid, shuffled(grid, rng))


@for_seeds(500)
def test_forms_tell_grids_apart(seed: int) -> None:
    """A puzzle of which one given is moved has another form, unless it is the same but for an exchange; by nauty."""
    rng = np.random.default_rng(seed)
    grid = np.where(rng.random(81) < rng.random(), sudoku.as_grid(SOLVED).ravel(), 0).astype(np.uint8)
    other = grid.copy()
    one, two = rng.integers(81, size=2)
    other[one], other[two] = grid[two], grid[one]
    assert form_of(sudoku.canonical(grid)) == form_of(grid)
    assert sudoku.is_isomorphic(grid, shuffled(other, rng)) == (form_of(grid) == form_of(other))


def form_of(grid: Grid) -> bytes:
    """A certificate by nauty of the graph of cells, lines, boxes and digits, which knows nothing of bands."""
    pynauty = pytest.importorskip("pynauty")
    options = [
        [("row", r), ("column", c), ("box", r // 3, c // 3), *([("digit", int(d))] if d else [])]
        for (r, c), d in np.ndenumerate(grid.reshape(9, 9))
    ]
    names = sorted({item for option in options for item in option}, key=str)
    digits = {k for k, name in enumerate(names) if name[0] == "digit"}
    boxes = {k for k, name in enumerate(names) if name[0] == "box"}
    numbers = {name: k for k, name in enumerate(names)}
    n = len(names)
    edges = {n + k: [numbers[item] for item in option] for k, option in enumerate(options)}
    kinds = [digits, boxes, set(range(n)) - digits - boxes, set(range(n, n + len(options)))]
    graph = pynauty.Graph(n + len(options), adjacency_dict=edges, vertex_coloring=[kind for kind in kinds if kind])
    form: bytes = pynauty.certificate(graph)
    return form


@pytest.mark.parametrize(
    ("layout", "grids", "classes"),
    [
        ((2, 2), 288, 2),
        (sudoku.Layout.named("x", (2, 2)), 48, 1),
        (sudoku.Layout.jigsaw("AAAB CABB CCDB CDDD"), 96, None),
    ],
)
def test_classes_of_full_grids(layout: sudoku.Layout, grids: int, classes: int | None) -> None:
    """The 288 grids of 2 x 2 are of two kinds; every layout has the number of kinds that `dlx.classify` finds."""
    problem = sudoku.encode([0] * 16, layout)
    full = sudoku.decode(problem, np.concatenate([*dlx.covers(problem).blocks()]))
    assert len(full) == grids
    kinds = len(np.unique(sudoku.canonical_many(full, layout), axis=0))
    assert kinds == len(dlx.classify(problem).kinds)
    assert classes in (None, kinds)


def test_kinds_of_latin_squares() -> None:
    """Latin squares of order 5, given by boxes of 1 x 5, are of two kinds; a square and its transpose are of one.

    Cells that two grids share move with both of them.
    """
    problem = sudoku.encode([0] * 25, (1, 5))
    drawn = sudoku.decode(problem, dlx.diagram(problem).sample(20, seed=1))
    forms = sudoku.canonical_many(drawn, (1, 5))
    assert len(np.unique(forms, axis=0)) == 2
    assert np.array_equal(sudoku.canonical_many(drawn.transpose(0, 2, 1), (1, 5)), forms)
    puzzle = np.array([[1, 0, 0, 0], [1, 2, 3, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    shared = sudoku.generate(layout=RULES["shared"], seed=3)
    assert sudoku.is_isomorphic(shared, shared[::-1, ::-1], RULES["shared"])
    for layout in (sudoku.Layout.boxes(1, 4), sudoku.Layout.boxes(4, 1), sudoku.Layout.jigsaw("AAAA BBBB CCCC DDDD")):
        assert sudoku.is_isomorphic(puzzle, puzzle.T, layout)


def test_least_of_small_puzzles() -> None:
    """With boxes of 2 x 2 the form is the least of all 128 images, made by turning lines; no grids have no forms."""
    assert sudoku.canonical_many([]).shape == (0, 9, 9)
    lines = [(a + p, a + 1 - p, 2 - a + q, 3 - a - q) for a in (0, 2) for p, q in product((0, 1), repeat=2)]
    rng = np.random.default_rng(5)
    for _ in range(40):
        grid = rng.integers(0, 5, (4, 4)) * (rng.random((4, 4)) < 0.4)
        images = [side[np.ix_(rows, columns)] for side in (grid, grid.T) for rows in lines for columns in lines]
        assert sudoku.canonical(grid, (2, 2)).ravel().tolist() == min(named(each) for each in images)


def named(grid: npt.NDArray[np.int64]) -> list[int]:
    """The digits of a grid by the order in which they appear."""
    names = {0: 0}
    return [names.setdefault(digit, len(names)) for digit in grid.ravel().tolist()]
