"""Pieces: shapes and orientations, named pieces, and all polyforms of n cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import count, product
from string import ascii_lowercase
from typing import Any, Literal, cast, get_args

import numpy as np

from dlx.problem.words import counted, nearest, shown
from dlx.tiles.lattice import Cell, Lattice, Matrix, Vector, lattice_of, times
from dlx.tiles.shapes import PLAIN, Sides, marked

Kind = Literal["free", "one-sided", "fixed"]
Shape = tuple[tuple[Vector, str, Sides], ...]  # positions with their marks, and the labels of a single cell

KINDS: tuple[Kind, ...] = get_args(Kind)
MOST_WAYS = 50_000  # maximum number of colourings of the sides of a cell
MOST_LISTED = 24  # maximum number of names of pieces in a message
MOST_CELLS = {"square": 10, "triangle": 10, "hexagon": 9, "cube": 8}  # the largest polyforms, which take some seconds

# Golomb's letters (Polyominoes, 2nd ed., 1994, chapter 1), and the letters of the game Tetris for tetrominoes. S and L
# come before their mirror images Z and J, and name the free pieces.
SQUARE_PIECES = {
    len(re.sub("[^#]", "", text.split()[1])): dict(zip(text.split()[::2], text.split()[1::2], strict=True))
    for text in (
        "O #",
        "I ##",
        "I ### L ##/#.",
        "I #### L ###/#.. O ##/## S .##/##. T ###/.#. J #../### Z ##./.##",
        "F .##/##./.#. I ##### L ####/#... N ##../.### P ##/##/#. T ###/.#./.#. U #.#/### V #../#../### W #../##./.## "
        "X .#./###/.#. Y ####/.#.. Z ##./.#./.##",
    )
}  # by the number of squares
PUZZLES = {
    "soma": "VVL/PVL/ZZL//BBL/PPA/PZZ//BAA/BTA/TTT",
    "bedlam": "ABCC/BBBC/DBEF/DDFF//AAEE/GAEC/GGEF/DGHI//AJJJ/KLJC/GLII/DHHI//KMMJ/KKMM/KLIM/LLHH",
}  # each drawn as one of its covers
_SIZES = {"mon": 1, "d": 2, "tr": 3, "tetr": 4, "pent": 5, "hex": 6, "hept": 7, "oct": 8, "non": 9, "dec": 10}
_FAMILIES = {"omino": "square", "iamond": "triangle", "hex": "hexagon", "cube": "cube"}
_PLURAL = {"omino": "es", "iamond": "s", "ahex": "es", "acube": "s"}
_WORD = re.compile(
    rf"(?:(?P<kind>{'|'.join(KINDS)}) )?(?:(?P<number>[0-9]{{1,9}})-|(?P<size>{'|'.join(_SIZES)})[aeio]?)"
    rf"(?P<family>{'|'.join(_FAMILIES)})(?:e?s)?(?::(?P<names>[\w']+))?"
)
_BOX = re.compile(r"[0-9]{1,2}(?:x[0-9]{1,2}){1,2}")
_COLOURS = re.compile(r"([0-9]{1,9})-colou?r (square|triangle|hexagon|cube)s?")


@dataclass(frozen=True)
class Piece:
    """A piece: its cells in order, their marks, and its allowed orientations.

    Attributes:
        marks: the mark of each cell, "#" for none; a cell with another mark fits only cells of the board with it.
        kind: "free" if the piece may be turned and reflected, "one-sided" if it may only be turned, "fixed" if neither;
            None: set by the problem.
        sides: the labels on the sides of a piece of one cell, in the order of its neighbours; () for none. Two pieces
            can only meet at sides with the same label.

    >>> piece = Piece.of("L", "###/#..")
    >>> piece.cells, len(piece.orientations("free")), len(piece.orientations("one-sided"))
    (((0, 0), (0, 1), (0, 2), (1, 0)), 8, 4)
    """

    name: str
    cells: tuple[Cell, ...]
    lattice: str = "square"
    marks: tuple[str, ...] = ()
    kind: Kind | None = None
    sides: Sides = ()

    @classmethod
    def of(cls, name: str, shape: Any, lattice: str = "square", kind: Kind | None = None) -> Piece:
        """Makes a piece from a drawing, a mask, cells, or a mapping from cells to marks.

        Raises ValueError if there are no cells, a cell is not on the lattice, or the lattice is unknown; TypeError if
        `shape` is not a set of cells.

        >>> Piece.of("check", "xo/ox").marks
        ('x', 'o', 'o', 'x')
        """
        if not isinstance(name, str):
            raise TypeError(f"the name of a piece is {name!r:.40}; it must be a text")
        cells = dict(sorted(marked(shape, lattice_of(lattice), f"piece {name}").items()))
        return cls(name, tuple(cells), lattice, tuple(cells.values()), kind)

    def orientations(self, kind: Kind) -> list[Shape]:
        """Returns the different orientations of the piece in order, each with positions, marks and labels."""
        lattice, shapes = lattice_of(self.lattice), set[Shape]()
        matrices = matrices_of(lattice, kind)
        at = [lattice.position(cell) for cell in self.cells]
        images = np.array(at) @ np.array(matrices).transpose(0, 2, 1)
        images -= images.min(axis=1, keepdims=True) // lattice.period * lattice.period
        marks = self.marks or (PLAIN,) * len(at)
        for matrix, positions in zip(matrices, images.tolist(), strict=True):
            sides = lattice.turned(matrix, at[0], self.sides)
            shapes.add(tuple(sorted((tuple(one), mark, sides) for one, mark in zip(positions, marks, strict=True))))
        return sorted(shapes)


def matrices_of(lattice: Lattice, kind: Kind) -> tuple[Matrix, ...]:
    """Returns the matrices of the allowed orientations, the identity first; raises ValueError for an unknown kind."""
    if kind not in KINDS:
        raise ValueError(f"orientations are {kind!r}; they must be one of {', '.join(KINDS)}")
    return {"free": lattice.matrices, "one-sided": lattice.rotations, "fixed": lattice.matrices[:1]}[kind]


def polyforms(n: int, lattice: str = "square", kind: Kind = "free") -> list[Piece]:
    """Returns all connected pieces of n cells: polyominoes, polycubes, polyiamonds or polyhexes.

    Parameters:
        n: the number of cells, from 1 to 10 squares or triangles, 9 hexagons or 8 cubes.
        lattice: "square", "cube", "triangle" or "hexagon".
        kind: which forms count as the same piece: "free" up to rotations and reflections, "one-sided" up to rotations,
            "fixed" up to translations. The pieces have this kind.

    The pieces are sorted by name. Pieces of up to five squares have letters, with a prime for mirror images; the names
    of other pieces are the number of cells and letters: "6a", "6b". Raises ValueError if n, the lattice or the kind is
    invalid.

    >>> [piece.name for piece in polyforms(4, kind="one-sided")], len(polyforms(6, "triangle"))
    (['I', 'J', 'L', 'O', 'S', 'T', 'Z'], 12)
    """
    most = MOST_CELLS[lattice_of(lattice).name]
    if not 1 <= n <= most:
        raise ValueError(f"polyforms of {lattice}s have 1 to {most} cells, not {shown(n)}")
    if lattice == "square" and n in SQUARE_PIECES and kind != "fixed":
        return [*_lettered(n, kind)]
    return [Piece(f"{n}{_letters(k)}", cells, lattice, (), kind) for k, cells in enumerate(_forms(n, lattice, kind))]


@cache
def _forms(n: int, lattice: str, kind: Kind) -> list[tuple[Cell, ...]]:
    """Returns the cells of all polyforms, each in its first orientation, grown from the polyforms of n - 1 cells."""
    table = lattice_of(lattice)
    grown: set[tuple[Cell, ...]]
    if n == 1:
        grown = {(table.cell((k,) * table.dimension),) for k, steps in enumerate(table.steps) if steps}
    else:
        smaller = _forms(n - 1, lattice, kind)
        beside = ((cells, {other for cell in cells for other in table.neighbours(cell)}) for cells in smaller)
        grown = {tuple(sorted((*cells, new))) for cells, others in beside for new in others.difference(cells)}
    shapes = sorted({Piece("", cells, lattice).orientations(kind)[0] for cells in grown})
    return [tuple(sorted(table.cell(position) for position, _, _ in shape)) for shape in shapes]


@cache
def _lettered(n: int, kind: Kind) -> tuple[Piece, ...]:
    """Returns the drawn pieces of n squares, and their mirror images if these are different."""
    drawn = [Piece.of(name, drawing, kind=kind) for name, drawing in SQUARE_PIECES[n].items()]
    mirrored = [
        Piece.of(f"{piece.name}'", [(row, n - column) for row, column in piece.cells], kind=kind) for piece in drawn
    ]
    found: dict[tuple[Shape, ...], Piece] = {}
    for piece in (*drawn, *mirrored):
        found.setdefault(tuple(piece.orientations(kind)), piece)
    return tuple(sorted(found.values(), key=lambda piece: piece.name))


def _letters(k: int) -> str:
    return (_letters(k // 26 - 1) if k >= 26 else "") + ascii_lowercase[k % 26]


def sided(rows: str, lattice: str | None = None) -> list[Piece]:
    """Returns pieces of one cell with labels on their sides, named "1", "2", ...

    Parameters:
        rows: a row for each piece, separated by slashes or line breaks. A row has the labels of a cell clockwise, as
            characters, or as words with spaces between them.
        lattice: its name. Default: triangles for 3 labels, squares for 4, hexagons for 6.

    By default, the pieces may be turned, but not reflected. Raises ValueError if there are no
    rows, or a row has a wrong number of labels.

    >>> [piece.sides for piece in sided("0 0 1 2/0 1 1 0")]
    [('0', '0', '1', '2'), ('0', '1', '1', '0')]
    """
    lines = (row.strip() for row in re.split("[\n/]", rows))
    listed = [tuple(row.split() if " " in row else row) for row in lines if row]
    if not listed:
        raise ValueError("there are no labels of sides")
    lattice = lattice or {3: "triangle", 6: "hexagon"}.get(len(listed[0]), "square")
    most = max(map(len, lattice_of(lattice).steps))
    for k, labels in enumerate(listed, 1):
        if len(labels) != most:
            given = f"{counted(len(labels), 'label')}, {' '.join(labels)!r:.40},"
            raise ValueError(f"piece {k} has {given} for the sides of its cell; a {lattice} has {most} sides")
        if not "".join(labels).isprintable():
            raise ValueError(f"piece {k} has the labels {' '.join(labels)!r:.40}, which are not printable")
    return [_single(str(k), lattice, labels) for k, labels in enumerate(listed, 1)]


def _single(name: str, lattice: str, sides: Sides) -> Piece:
    """Returns a piece of one cell with labels on its sides; the apex of a triangle is up."""
    return Piece(name, ((0,) * lattice_of(lattice).dimension,), lattice, (PLAIN,), None, sides)


def _coloured(colours: int, lattice: str) -> list[Piece]:
    """Returns all pieces of one cell with coloured sides, up to rotation; the labels are the name of a piece."""
    table = lattice_of(lattice)
    n = max(map(len, table.steps))
    most = max(k for k in range(27) if k**n <= MOST_WAYS)
    if not 1 <= colours <= most:
        raise ValueError(f"there are {colours} colours; {lattice}s have 1 to {most}")
    labels, at = ascii_lowercase[:colours], table.position((0,) * table.dimension)
    turns = [turn for turn in table.rotations if (times(turn, at)[0] - at[0]) % table.period == 0]  # triangles stay up
    orders = [table.turned(turn, at, range(n)) for turn in turns]
    ways = [way for way in product(labels, repeat=n) if all(way <= tuple(way[k] for k in order) for order in orders)]
    return [_single("".join(way), lattice, way) for way in ways]


def cut(drawing: Any, lattice: str = "square") -> list[Piece]:
    """Returns the pieces of a drawing in which each piece has its own mark.

    Raises ValueError for a piece whose cells are not connected, and the errors of `Piece.of`.

    >>> [(piece.name, piece.cells) for piece in cut("AAB/ABB")]
    [('A', ((0, 0), (0, 1), (1, 0))), ('B', ((0, 2), (1, 1), (1, 2)))]
    """
    cells: dict[str, list[Cell]] = {}
    for cell, mark in marked(drawing, lattice_of(lattice), "the drawing").items():
        cells.setdefault(mark, []).append(cell)
    return [connected(Piece.of(name, cells[name], lattice)) for name in sorted(cells)]


def listed(pieces: Any, lattice: str | None) -> list[Piece]:
    """Returns the pieces for words, drawings or cells, on a lattice; default: the lattice of the words."""
    if isinstance(pieces, (str, Piece, np.ndarray)):
        pieces = [pieces]
    if not isinstance(pieces, Iterable):
        raise TypeError(f"pieces are {pieces!r:.60}; they must be words, drawings, or a mapping of names to those")
    pairs = pieces.items() if isinstance(pieces, Mapping) else ((None, piece) for piece in pieces)
    found: dict[str, Piece] = {}
    for called, given in pairs:
        for piece in _meant(called, given, lattice, _letters(len(found)).upper()):
            numbered = f"{piece.name}-" if piece.name[-1:].isdigit() else piece.name  # 1x3-2, L2
            names = (f"{numbered}{k}" if k > 1 else piece.name for k in count(1))
            name = next(name for name in names if name not in found)  # a repeated name gets a number
            found[name] = piece if piece.name == name else replace(piece, name=name)
    if not found:
        raise ValueError("there are no pieces; name some, such as pentominoes")
    return [*found.values()]


def is_drawn(piece: str) -> bool:
    """Returns whether a text is certainly a drawing; other texts are words, or drawings of one row without `#`."""
    return not {*piece}.isdisjoint("#/\n")


def is_word(text: str) -> bool:
    """Returns whether a text has the form of a word for `named`."""
    return text.lower() in PUZZLES or any(known.fullmatch(_plain(text)) for known in (_WORD, _BOX, _COLOURS))


def _meant(name: str | None, piece: Any, lattice: str | None, unnamed: str) -> list[Piece]:
    """Returns the pieces of one entry of a list or mapping."""
    if isinstance(piece, Piece):
        return [piece if name is None else replace(piece, name=name)]
    words = isinstance(piece, str) and not is_drawn(piece)
    if words and name is not None:  # a named text that is no word is a drawing of one row
        words = is_word(piece)
    if not words:
        return [connected(Piece.of(unnamed if name is None else name, piece, lattice or "square"))]
    several = [one for word in piece.split(",") for one in named(word.strip())]
    if name is not None and len(several) > 1:
        raise ValueError(f"the name {name} is for one piece, but {piece!r} means {len(several)} pieces")
    return [one if name is None else replace(one, name=name) for one in several]


def connected(piece: Piece) -> Piece:
    """Returns a piece; raises ValueError if its cells are not connected, which is usually a mistake in a drawing."""
    several = [*lattice_of(piece.lattice).parts(piece.cells)]
    if len(several) > 1:
        left = len(piece.cells) - len(several[0])
        parts = f"{left} of its {len(piece.cells)} cells are not connected with the others"
        raise ValueError(f"piece {piece.name} falls apart: {parts}; Piece.of makes such a piece in Python")
    return piece


def named(word: str) -> list[Piece]:
    """Returns the pieces of a word such as "pentominoes", "one-sided tetrominoes", "tetromino:LT", "soma", or "1x2x4".

    A word is one of: polyforms, with an optional kind before and optional names of pieces after a colon, such as
    "hexomino:6a6ab" and "one-sided pentomino:FF'"; the cube puzzles "soma" and "bedlam"; a box; "3-colour squares",
    which are all squares with sides in the colours a, b and c. Case matters only in the names of pieces.

    Raises ValueError for any other word, with the most similar word, and for more than 50,000 colourings.

    >>> [piece.name for piece in named("one-sided tetrominoes")], len(named("hexiamonds")), len(named("pentomino:FIX"))
    (['I', 'J', 'L', 'O', 'S', 'T', 'Z'], 12, 3)
    """
    word = _plain(word)
    if word in PUZZLES:
        return [replace(piece, kind="one-sided") for piece in cut(PUZZLES[word], "cube")]
    if _BOX.fullmatch(word):
        sides = tuple(map(int, word.split("x")))
        return [Piece.of(word, np.ones(sides, dtype=bool), "cube" if len(sides) == 3 else "square")]
    if coloured := _COLOURS.fullmatch(word):
        return _coloured(int(coloured[1]), coloured[2])
    if (match := _WORD.fullmatch(word)) is None:
        words = [*PUZZLES, "3-colour squares", *(f"{n}{of}{end}" for n in _SIZES for of, end in _PLURAL.items())]
        raise ValueError(f"no pieces are named {word!r:.60}{nearest(word, words)}")
    n = int(match["number"] or _SIZES[match["size"]])
    lattice = _FAMILIES[match["family"]]
    kind = cast("Kind | None", match["kind"])
    pieces = [replace(piece, kind=kind) for piece in polyforms(n, lattice, kind or usual_kind(lattice))]
    if match["names"] is None:
        return pieces
    names = re.findall(rf"{n}[a-z]+|\w'?", match["names"])  # such as 6a, or a letter; a prime marks a mirror image
    known = {piece.name.removeprefix(str(n)): piece for piece in pieces} | {piece.name: piece for piece in pieces}
    drawn = SQUARE_PIECES.get(n, {}) if lattice == "square" else {}  # also J and Z, mirror images of L and S
    if other := next((name for name in names if name not in known and name not in drawn), None):
        few = ", ".join(piece.name for piece in pieces[:MOST_LISTED])
        most = f", ..., {pieces[-1].name}" if len(pieces) > MOST_LISTED else ""
        raise ValueError(f"{word!r} has no piece {other!r}; they are {few}{most}")
    return [known.get(name) or Piece.of(name, drawn[name], kind=kind) for name in names]


def _plain(word: str) -> str:
    """Returns a word in lower case, except the names of pieces after a colon."""
    family, colon, names = word.partition(":")
    return f"{family.lower()}{colon}{names}"


def usual_kind(lattice: str, sides: Sides = ()) -> Kind:
    """Returns the default kind of a piece: one-sided for cubes and for pieces with labels, otherwise free."""
    return "one-sided" if lattice == "cube" or sides else "free"


def check_names(what: str, given: Iterable[object], names: list[str]) -> None:
    """Raises ValueError for a name that no piece has, with the most similar name."""
    for name in given:
        if name not in names:
            raise ValueError(f"{what} has {name!r}, and no piece is named so{nearest(name, names)}")
