"""Lattices and pieces of `dlx.tiles`."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from refused import DATA

from dlx import tiles
from dlx.tiles import LATTICES, Board, Lattice, Piece, polyforms
from dlx.tiles.pieces import Kind
from dlx.tiles.symmetric import moves_of

FLAT = [lattice for lattice in LATTICES.values() if lattice.dimension == 2]


def cells_near(lattice: Lattice, size: int = 3) -> list[tuple[int, ...]]:
    """The cells of a lattice around the origin."""
    cells = product(range(-size, size + 1), repeat=lattice.dimension)
    return [cell for cell in cells if lattice.name != "hexagon" or sum(cell) % 2 == 0]


@pytest.mark.parametrize("lattice", FLAT, ids=[lattice.name for lattice in FLAT])
def test_neighbours_share_two_corners(lattice: Lattice) -> None:
    """Two neighbours have two corners in common and other cells fewer; the sides of a cell have length 1."""
    cells = cells_near(lattice, 2)
    for one, other in product(cells, repeat=2):
        common = len(set(lattice.corners(one)) & set(lattice.corners(other)))
        assert (common == 2) == (other in lattice.neighbours(one))
    corners = lattice.corners((0, 0))
    sides = [math.dist(a, b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
    assert sides == pytest.approx([1] * len(corners), abs=1e-5)


# Numbers of forms from one cell on: free, one-sided and fixed, with their names in the OEIS.
NUMBERS = {
    ("square", "free"): [1, 1, 2, 5, 12, 35, 108, 369],  # A000105
    ("square", "one-sided"): [1, 1, 2, 7, 18, 60, 196, 704],  # A000988
    ("square", "fixed"): [1, 2, 6, 19, 63, 216, 760, 2725],  # A001168
    ("triangle", "free"): [1, 1, 1, 3, 4, 12, 24, 66, 160],  # A000577
    ("triangle", "one-sided"): [1, 1, 1, 4, 6, 19, 43, 120, 307],  # A006534
    ("triangle", "fixed"): [2, 3, 6, 14, 36, 94, 250, 675],  # A001420
    ("hexagon", "free"): [1, 1, 3, 7, 22, 82, 333],  # A000228
    ("hexagon", "one-sided"): [1, 1, 3, 10, 33, 147, 620],  # A006535
    ("hexagon", "fixed"): [1, 3, 11, 44, 186, 814],  # A001207
    ("cube", "free"): [1, 1, 2, 7, 23, 112],  # A038119
    ("cube", "one-sided"): [1, 1, 2, 8, 29, 166],  # A000162
    ("cube", "fixed"): [1, 3, 15, 86, 534],  # A001931
}


@pytest.mark.parametrize(("lattice", "kind"), NUMBERS)
def test_numbers_of_polyforms(lattice: str, kind: Kind) -> None:
    """There are as many forms of each size as in the On-Line Encyclopedia of Integer Sequences, all different."""
    numbers = NUMBERS[lattice, kind]
    assert [len(polyforms(n, lattice, kind)) for n in range(1, len(numbers) + 1)] == numbers
    assert all(len({piece.cells for piece in polyforms(n, lattice, kind)}) == numbers[n - 1] for n in (1, 3, 5))


@pytest.mark.parametrize("lattice", LATTICES.values(), ids=LATTICES)
@pytest.mark.parametrize("kind", ["free", "one-sided"])
def test_orientations_of_all_forms_are_the_fixed_forms(lattice: Lattice, kind: Kind) -> None:
    """Burnside the other way round: the orientations of the forms up to symmetry are all forms, each once."""
    turned = [shape for piece in polyforms(4, lattice.name, kind) for shape in piece.orientations(kind)]
    fixed = [piece.orientations("fixed")[0] for piece in polyforms(4, lattice.name, "fixed")]
    assert sorted(turned) == sorted(fixed)


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("fixed tetromino:4a", "4a"),
        ("hexomino:6a6ab", "6a 6ab"),
        ("hexomino:ab", "6a 6b"),
        ("tetrahex:4b", "4b"),
        ("one-sided pentomino:F'FP'", "F' F P'"),
        ("tetromino:ZS", "Z S"),
        ("One-sided Tetromino:ZS", "Z S"),
        ("DOMINO", "I"),
        ("Bedlam", "A B C D E F G H I J K L M"),
    ],
)
def test_pieces_are_chosen_by_their_names(word: str, names: str) -> None:
    """Behind a colon every name that the pieces have stands for its piece; other words may have capital letters."""
    assert " ".join(piece.name for piece in tiles.named(word)) == names


DRAWINGS = [line.split() for line in (DATA / "pieces.txt").read_text().splitlines() if line[0] != "#"]


@pytest.mark.parametrize(("word", "drawing"), DRAWINGS, ids=[word for word, _ in DRAWINGS])
def test_letters_name_the_shapes_that_the_literature_draws(word: str, drawing: str) -> None:
    """A named piece can be turned into the drawing, however it is called, and a mirror image has another name."""
    family, letter = word.split(":")
    solid = family == "soma"
    drawn = Piece.of(letter, drawing, "cube" if solid else "square").orientations("one-sided")
    if solid:
        called = [piece for piece in tiles.named("soma") if piece.name == letter]
    else:
        words = (word, f"one-sided {word}", f"{family}es" if letter not in "JZ" or "pent" in family else word)
        called = [piece for said in words for piece in tiles.named(said) if piece.name == letter]
    assert [piece.orientations("one-sided") for piece in called] == [drawn] * len(called) != []


@pytest.mark.parametrize("lattice", LATTICES.values(), ids=LATTICES)
def test_a_drawing_is_its_cells(lattice: Lattice) -> None:
    """A drawing, a mask, a list of cells and a mapping to marks give the same piece."""
    solid = lattice.dimension == 3
    drawing, rows = ("##/#.//#./..", [["##", "#."], ["#.", ".."]]) if solid else ("#.#/.#.", ["#.#", ".#."])
    mask = np.array([[list(row) for row in layer] if solid else list(layer) for layer in rows]) == "#"
    cells = [tuple(cell) for cell in np.argwhere(mask).tolist()]
    given = [drawing, mask, cells, reversed(cells), dict.fromkeys(cells, "#"), drawing.replace("/", "\n") + "\n\n"]
    assert {Piece.of("P", one, lattice.name) for one in given} == {
        Piece("P", tuple(cells), lattice.name, ("#",) * len(cells))
    }


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_boards_with_straight_sides(n: int) -> None:
    """Triangles, hexagons and parallelograms have as many cells as formulas say, and as many symmetries."""
    sizes = {
        "triangle": {f"triangle {n}": n * n, f"hexagon {n}": 6 * n * n, f"parallelogram {n}x5": 10 * n},
        "hexagon": {
            f"triangle {n}": n * (n + 1) // 2,
            f"hexagon {n}": 3 * n * (n - 1) + 1,
            f"parallelogram {n}x5": 5 * n,
        },
    }
    orders = {"triangle": 6, "hexagon": 12, "parallelogram": 2}
    for lattice, numbers in sizes.items():
        for size, number in numbers.items():
            board = Board.of(size, lattice)
            moves = {tuple(move.items()) for _, move in moves_of(board, "free")}
            assert len(board.marks) == number
            assert number == 1 or n == 1 or len(moves) == orders[size.split()[0]]
            assert min(row for row, _ in board.marks) == 0
