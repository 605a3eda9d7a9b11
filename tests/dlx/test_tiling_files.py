"""Boards and pieces in files: plain text, BurrTools' puzzles and back, and an error with the line for anything else."""

from __future__ import annotations

import gzip
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlx import count
from dlx.formats import FormatError
from dlx.tiles import Board, Piece, burrtools, dump, dumps, files, load, loads, problem

CELLS = {
    "square": st.tuples(st.integers(0, 4), st.integers(0, 4)),
    "cube": st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)),
}


def at_origin(cells: dict[tuple[int, ...], str]) -> dict[tuple[int, ...], str]:
    """The same cells, moved to the origin."""
    least = [min(numbers) for numbers in zip(*cells, strict=True)]
    return {tuple(x - y for x, y in zip(cell, least, strict=True)): mark for cell, mark in cells.items()}


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[Board, list[Piece], dict[str, tuple[int, int]]]:
    """A board with marks and cells that may stay empty, pieces with marks of the board, and how often they are used."""
    lattice = draw(st.sampled_from(sorted(CELLS)))
    marks = st.sampled_from("#aZ9" if draw(st.booleans()) else "#")
    cells = at_origin(draw(st.dictionaries(CELLS[lattice], marks, min_size=1)))
    board = Board.of(cells, lattice, draw(st.sets(st.sampled_from(sorted(cells)))))
    known = st.sampled_from(sorted({*cells.values(), "#"}))
    shapes = draw(st.lists(st.dictionaries(CELLS[lattice], known, min_size=1, max_size=5), min_size=1, max_size=4))
    names = draw(
        st.lists(
            st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=5).filter(
                lambda name: name not in "\ufffe\uffff"
            ),
            min_size=4,
            max_size=4,
            unique=True,
        )
    )
    pieces = [Piece.of(name, at_origin(shape), lattice) for name, shape in zip(names, shapes, strict=False)]
    most = draw(st.lists(st.integers(0, 3), min_size=4, max_size=4))
    return board, pieces, {piece.name: (k // 2, k) for piece, k in zip(pieces, most, strict=False)}


@settings(deadline=None)
@given(puzzles())
def test_what_is_written_for_burrtools_is_read_again(
    puzzle: tuple[Board, list[Piece], dict[str, tuple[int, int]]],
) -> None:
    """The board at the origin, pieces and ranges come back as they were."""
    assert loads(dumps(*puzzle)) == puzzle


def puzzle(
    *shapes: str, parts: str = '<shape id="0"/>', result: str = '<result id="1"/>', bitmap: str = "", start: str = ""
) -> bytes:
    """A file of BurrTools with shapes, each its sizes and voxels, and one problem."""
    voxels = (shape.split() for shape in shapes)
    lines = (f'<voxel x="{x}" y="{y}" z="{z}" type="0">{text}</voxel>' for x, y, z, text in voxels)
    return (
        f'{start}<puzzle version="2"><gridType type="0"/><shapes>\n' + "\n".join(lines) + "\n</shapes><problems>\n"
        f'<problem name="it"><shapes>{parts}</shapes>{result}<bitmap>{bitmap}</bitmap></problem>\n'
        "</problems></puzzle>"
    ).encode()


def test_what_burrtools_says() -> None:
    """Voxels go along x first, names and labels stand for numbers, and a variable cell may stay empty."""
    data = puzzle("2 1 1 ##", "3 2 1 ##_#++", parts='<shape id="0" min="1" max="2"/>')
    board, pieces, each = loads(gzip.compress(data))
    assert board == Board.of("##./###", empty=[(1, 1), (1, 2)])
    assert (pieces, each) == ([Piece.of("S1", "##")], {"S1": (1, 2)})
    assert count(problem(board, pieces, each=each)).covers == 2
    assert burrtools.loads(data, problem="it") == burrtools.loads(data, problem=1) == (board, pieces, each)


def test_pieces_of_burrtools_are_cubes_if_a_box_is_higher() -> None:
    """A shape in a box of two layers makes all of them solid, and solid pieces are not reflected."""
    tripod = "2 2 2 ##" + "#_" + "#___"
    board, pieces, each = loads(puzzle(tripod, "2 2 2 #_#_##_#"))  # the mirror image of the other chiral tetracube
    chiral = puzzle("2 2 2 ###_#___", "2 2 2 ###_#___")
    assert board is not None
    assert board.lattice == pieces[0].lattice == "cube"
    assert count(problem(*loads(chiral)[:2])).covers == 1
    assert each == {"S1": (1, 1)}


COLOURS = st.integers(0, 3)


@pytest.mark.filterwarnings("ignore:there is no cover")
@settings(deadline=None)
@given(
    st.lists(st.integers(1, 3), min_size=4, max_size=7) | st.lists(COLOURS, min_size=4, max_size=7),
    st.lists(COLOURS, min_size=1, max_size=3),
    st.frozensets(st.tuples(st.integers(1, 3), st.integers(1, 3))),
)
def test_colours_of_burrtools_are_marks(strip: list[int], piece: list[int], pairs: frozenset[tuple[int, int]]) -> None:
    """The places of a strip are where each colour lies on one of its pairs, or one is 0; or no mark can say that."""
    texts = ("".join(f"#{colour or ''}" for colour in colours) for colours in (piece, strip))
    bitmap = "".join(f'<pair piece="{a - 1}" result="{b - 1}"/>' for a, b in pairs)
    data = puzzle(*(f"{text.count('#')} 1 1 {text}" for text in texts), bitmap=bitmap)
    fits = [
        any(
            all(not a * b or (a, b) in pairs for a, b in zip(way, strip[k:], strict=False))
            for way in (piece, piece[::-1])
        )
        for k in range(len(strip) - len(piece) + 1)
    ]
    with suppress(FormatError):  # if no mark can say it
        assert problem(*loads(data)[:2]).n_options == sum(fits)


def test_colours_that_no_mark_can_say() -> None:
    """A colour that may lie on some colours and on cells without one is refused, with the line of the problem."""
    with pytest.raises(FormatError, match=r"<string>:5: colour 1 of pieces may lie only on \[0, 2\] of \[0, 2, 3\]"):
        loads(puzzle("1 1 1 #1", "3 1 1 ##2#3", bitmap='<pair piece="0" result="1"/>'))


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'
REFUSED = {
    b"": "<string>:1: the XML is broken: no element found",
    b"<puzzle>": "<string>:1: the XML is broken: no element found",
    b"<html/>": "<string>:1: <html> is no <puzzle>",
    b"<comment/>": "<string>:1: <comment> is no <puzzle>",
    gzip.compress(b"<puzzle/>")[:-9]: "<string>: what gzip has packed is broken: Compressed file ended",
    b"<?xml version='1.0' encoding='klingon'?><puzzle/>": "<string>:1: the encoding is unknown: unknown encoding",
    b"<?xml version='1.0' encoding='big5'?><puzzle/>": "<string>:1: the encoding is unknown: multi-byte encodings",
    b"<puzzle>\n<gridType type='2'/></puzzle>": "<string>:2: the grid is spheres, and only cubes are known",
    b"<puzzle>\n<gridType type='77'/></puzzle>": "<string>:2: the grid is of type 77, and only cubes are known",
    b"<puzzle>\n<gridType type='x'/></puzzle>": "<string>:2: type='x' of <gridType> is no whole number up to 999999",
    b"<puzzle/>": "<string>: there is no problem 1; there are none",
    puzzle("1 1 1 #", "1 1 1 #", start=BOMB): "<string>:1: there is a DOCTYPE, which no such file has",
    puzzle("1 1 1 #"): "<string>:4: there is no shape 1; the file has 1, from 0",
    puzzle("1 1 1 #", "1 1 1 #", result=""): "<string>:5: the problem has no result",
    puzzle("1 1 1 #", "1 1 1 #", parts=""): "<string>:5: the problem has no pieces",
    puzzle("2 1 1 #", "1 1 1 #"): "<string>:2: there are 1 voxels instead of 2 x 1 x 1",
    puzzle(
        "1 1 1 #", "1 1 1 x"
    ): "<string>:3: voxels are #, + and _, and colours up to 63 behind the first two, not 'x'",
    puzzle("1 1 1 #64", "1 1 1 #"): "<string>:2: voxels are #, + and _, and colours up to 63 behind",
    puzzle("1 1 1 #", "1 1 1 +99"): "<string>:3: voxels are #, + and _, and colours up to 63 behind",
    puzzle("1 1 1 _", "1 1 1 #"): "<string>:2: the shape 'S1' is empty",
    puzzle("1 1 1 +", "1 1 1 #"): "<string>:2: the piece 'S1' has variable cells, which only a result may have",
    puzzle("1 1 1 #", "1 1 1 _"): "<string>:3: the shape 'S2' is empty",
    puzzle("1 1 1 #", "999 999 999 #"): "<string>:5: the shapes of the problem have 997003000 voxels; the limit is",
    puzzle("1 1 1 #", "1 1 1 #", parts="<shape id='0' min='2' max='1'/>"): "<string>:5: min is 2 and max is 1",
}


@pytest.mark.parametrize("data", REFUSED, ids=list(map(str, range(len(REFUSED)))))
def test_refused_files_of_burrtools(data: bytes) -> None:
    """Anything else is an error with the file, the line and the reason."""
    with pytest.raises(FormatError) as error:
        loads(data)
    assert str(error.value).startswith(REFUSED[data])


def test_nothing_grows_beyond_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What gzip unpacks without end, and elements without end, are refused; solutions are passed over."""
    solved = puzzle("1 1 1 #", "1 1 1 #", parts='<shape id="0"/>' + "<solutions>" + "<a/>" * 50 + "</solutions>")
    monkeypatch.setattr(burrtools, "KEPT", 20)
    assert loads(solved).each == {"S1": (1, 1)}
    monkeypatch.setattr(burrtools, "KEPT", 5)
    with pytest.raises(FormatError, match="<string>:4: there are more than 5 elements"):
        loads(solved)
    monkeypatch.setattr(burrtools, "UNPACKED", 1000)
    with pytest.raises(FormatError, match="<string>: the XML has more than 1000 bytes"):
        loads(gzip.compress(b" " * 10_000_000))


UNSAYABLE: list[tuple[Board, object, str]] = [
    (
        Board.of("2x2", "hexagon"),
        "tetrahexes",
        "the board has hexagons; the cells of BurrTools are cubes or squares here",
    ),
    (Board.of("2x2", wrap="torus"), "dominoes", "the board is a torus, which BurrTools cannot say"),
    (Board.of("2x2"), "fixed dominoes", "the piece '2a' is fixed; in BurrTools it would be free"),
    (
        Board.of("2x2x2", "cube"),
        [Piece.of("x", "#", "cube", "free")],
        "the piece 'x' is free; in BurrTools it would be one-sided",
    ),
    (Board.of("2x2"), {"\0": "#"}, "the name '\\x00' has the character '\\x00', which XML cannot say"),
    (Board.of("ä#"), "dominoes", "the mark 'ä' is no colour of BurrTools, which letters and digits are here"),
]


@pytest.mark.parametrize(("board", "pieces", "reason"), UNSAYABLE)
def test_what_burrtools_cannot_say(board: Board, pieces: object, reason: str, tmp_path: Path) -> None:
    """It is refused by name, and no file is written."""
    with pytest.raises(FormatError) as error:
        dump(path := tmp_path / "never.xmpuzzle", board, pieces)
    assert error.value.reason.startswith(reason)
    assert not path.exists()


# Plain text

TEXTS = {
    "6x10": ((6, 10), "square", []),
    "; only a comment\n##.\n.##": ((2, 3), "square", []),
    "##\n##\n\n##\n##\n": ((2, 2, 2), "cube", []),
    "board: 6x10\npieces: pentominoes\n": ((6, 10), "square", [*"FILNPTUVWXYZ"]),
    "board: 3x3x3\npieces: soma": ((3, 3, 3), "cube", [*"ABLPTVZ"]),
    "board: 4x7\npieces: tetrahexes": ((4, 14), "hexagon", [f"4{letter}" for letter in "abcdefg"]),
    "jigsaw:\nAAB\nABB": ((2, 3), "square", ["A", "B"]),
    "lattice: triangle\njigsaw: AAB/ABB": ((2, 3), "triangle", ["A", "B"]),
    "jigsaw:\nAAB": ((1, 3), "square", ["A", "B"]),
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
    """Edges that meet, and cells that may stay empty, are said by a word each."""
    assert loads("wrap: torus\nempty: +\nboard: #+/##").board == Board.of("#+/##", "square", "+", "torus")
    assert loads("Wrap:\ntorus\nEmpty:\nall\nBoard: 2x3").board == Board.of("2x3", "square", True, "torus")
    assert loads("board: 2 x 3").board == loads("board: 2\u00d73").board == loads("board: 2X3").board == Board.of("2x3")


REFUSED_TEXTS = {
    "a: #\na: ##": "2: there is a second 'a'",
    "board: 2x2\njigsaw: ab": "2: there is a second 'jigsaw'",
    "pieces: dominoes\nI: #": "2: there is a second piece 'I'",
    "#:\n##": "1: '#' is no name; a colon ends a name, and cannot stand in a drawing",
    ": ##": "1: '' is no name; a colon ends a name, and cannot stand in a drawing",
    "board:": "1: 'board' says nothing",
    "F: ##\n##": "1: 'F' says something behind the colon and has a drawing below",
    "F:\n#\t#": "1: the drawing of 'F' has a tab, of unknown width; use spaces or dots",
    "board 2: ##": "1: 'board' cannot be used 2 times",
    "F:\n..\n": "1: piece F has no cells",
    "\n\nF 3..1: ##": "3: each is '3..1'; it must be a number",
    "pieces: tetrahexe": "1: no pieces are named 'tetrahexe'; did you mean 'tetrahexes'?",
    "F: pentmino": "1: no pieces are named 'pentmino'; did you mean 'pentominoes'?",
    "F: #.#": "1: piece F falls apart: 1 of its 2 cells are not connected with the others; Piece.of('F', ...) says",
    "F: trominoes": "1: 'F' is one piece, and 'trominoes' are 2",
    "F: pentomino:Q": "1: 'pentomino:Q' has no piece 'Q'",
    "\nlattice: round\nboard: ##": "2: no lattice is named 'round'; they are square, cube, triangle, hexagon",
    "board: ##\nempty: q": "2: empty has 'q', and the board has no such mark",
    "board: ##\nwrap: klein": "2: wrap is 'klein'; it must be 'torus', 'cylinder' or None",
    "board: 9999x9999": "1: the board is '9999x9999'; its sides must be positive, and its cells at most 1,000,000",
    f"board: {'9' * 5000}x1": f"1: the board is '{'9' * 59}; its sides must be positive",
    "jigsaw:\nABA": "1: piece A falls apart: 1 of its 2 cells",
    "board: 2x2\nI 1-4: ##": "2: '1-4' is no range; it is a number, as 2, the least and the most, as 1..3, or any",
    "board: 2x2\nI 1 to 4: ##": "2: '1 to' is no range",
    "board: 2x2\nI Any: ##": "2: 'Any' is no range",
    "board: 2x2\nL x: ##": "2: 'x' is no range",
    "board: 2x2\nL 2..: ##": "2: '2..' is no range",
    f"L {'9' * 5000}: ##": f"1: '{'9' * 39} is no range",
    "board: \u0662x\u0662": "1: the board is '\u0662x\u0662', which is no size",
    "\nboard:\n#\0": "2: the board has '\\x00' in (0, 1), which is no mark",
}


@pytest.mark.parametrize("text", REFUSED_TEXTS)
def test_refused_texts(text: str) -> None:
    """An error has the file, the line of the section and the reason."""
    with pytest.raises(FormatError) as error:
        loads(text, "box.txt")
    assert str(error.value).startswith(f"box.txt:{REFUSED_TEXTS[text]}")


@settings(deadline=None)
@given(st.text("#. ab:;/\n1xn") | st.binary())
def test_any_text_is_a_puzzle_or_an_error(data: str | bytes) -> None:
    """Whatever is read gives a puzzle, or an error of the format."""
    with suppress(FormatError):
        loads(data)


def test_files_by_their_suffix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file named .xmpuzzle is BurrTools', any other is plain text; errors begin with its name, and long ones end."""
    dump(tmp_path / "soma.xmpuzzle", Board.of("3x3x3", "cube"), "soma")
    assert load(tmp_path / "soma.xmpuzzle").board == Board.of("3x3x3", "cube")
    (text := tmp_path / "soma.txt").write_text("board: 3x3x3\npieces: soma\n", encoding="utf-8")
    assert load(text).pieces == [Piece.of(p.name, p.cells, p.lattice, "one-sided") for p in load(text).pieces]
    with pytest.raises(FormatError, match=r"box\.txt: only files of BurrTools are written, named \.xmpuzzle"):
        dump("box.txt", Board.of("3x3x3", "cube"), "soma")
    for coded, place in ("##\n#ä".encode("latin-1"), "2: byte 4 is 0xe4"), ("##".encode("utf-16"), "1: byte 0 is 0xff"):
        text.write_bytes(coded)
        with pytest.raises(FormatError, match=rf"soma\.txt:{place}, and the text is not in UTF-8"):
            load(text)
    text.write_bytes(b"#" * 11)
    monkeypatch.setattr(files, "LONGEST", 10)
    with pytest.raises(FormatError, match=r"soma\.txt: the file has more than 10 bytes"):
        load(text)
