"""Boards and pieces in files of plain text, and an error with the line for anything else."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlx.formats import FormatError
from dlx.tiles import Board, Piece, load, loads

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
