"""Lattices and pieces of `dlx.tiles`, and files of boards and pieces."""

from __future__ import annotations

import math
from contextlib import suppress
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refused import DATA

from dlx import tiles
from dlx.formats import FormatError
from dlx.tiles import LATTICES, Board, Lattice, Piece, load, loads, polyforms
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


# Files


TEXTS = {
    "6x10": ((6, 10), "square", []),
    "; only a comment\n##.\n.##": ((2, 3), "square", []),
    "##\n##\n\n##\n##\n": ((2, 2, 2), "cube", []),
    "board: 6x10\npieces: pentominoes\n": ((6, 10), "square", [*"FILNPTUVWXYZ"]),
    "board: 3x3x3\npieces: soma": ((3, 3, 3), "cube", [*"ABLPTVZ"]),
    "board: 4x7\npieces: tetrahexes": ((4, 14), "hexagon", [f"4{letter}" for letter in "abcdefg"]),
    "board: 2x3\npieces:\nAAB\nABB": ((2, 3), "square", ["A", "B"]),
    "lattice: triangle\nboard: 2x3\npieces: AAB/ABB": ((2, 3), "triangle", ["A", "B"]),
    "board: hexagon 2\npieces: trihexes": ((3, 5), "hexagon", ["3a", "3b", "3c"]),
}


def test_texts_as_people_write_them() -> None:
    """Drawings, sizes, words, and pieces in a drawing of all of them; several layers are cubes."""
    for text, (size, lattice, names) in TEXTS.items():
        board, pieces, each = loads(text)
        assert (board and board.size, board and board.lattice) == (size, lattice), text
        assert [piece.name for piece in pieces] == names == list(each), text
    board, pieces, each = loads("\ufeffF 2..3:\n.##\n##. ; not this\n.#.\n\nI any: tromino:I\nX: .# ## .#\r\n")
    assert (board, each) == (None, {"F": (2, 3), "I": (0, None), "X": (1, 1)})
    assert [len(piece.cells) for piece in pieces] == [5, 3, 4]
    assert loads("a:\nxy").pieces[0].marks == ("x", "y")


def test_settings_of_a_text() -> None:
    """Cells that may stay empty are said by their marks, or by a word."""
    assert loads("empty: +\nboard: #+/##").board == Board.of("#+/##", "square", "+")
    assert loads("Empty:\nall\nBoard: 2x3").board == Board.of("2x3", "square", True)
    assert loads("board: 2 x 3").board == loads("board: 2\u00d73").board == loads("board: 2X3").board == Board.of("2x3")


@settings(deadline=None)
@given(st.text("#. ab:;/\n1xn"))
def test_any_text_is_a_puzzle_or_an_error(text: str) -> None:
    """Whatever is read gives a puzzle, or an error of the format."""
    with suppress(FormatError):
        loads(text)


def test_files(tmp_path: Path) -> None:
    """Errors begin with the name of the file, and a text is in UTF-8."""
    (text := tmp_path / "soma.txt").write_text("board: 3x3x3\npieces: soma\n", encoding="utf-8")
    assert load(text).pieces == [Piece.of(p.name, p.cells, p.lattice, "one-sided") for p in load(text).pieces]
    text.write_bytes("##\n#ä".encode("latin-1"))
    with pytest.raises(FormatError, match=r"soma\.txt: the text is not in UTF-8: .* byte 0xe4 in position 4"):
        load(text)
