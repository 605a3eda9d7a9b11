"""BurrTools' puzzles, `.xmpuzzle`: a problem of them as a board and pieces, and back.

    <puzzle version="2"><gridType type="0"/>                                                     cubes
      <shapes><voxel x="3" y="2" z="1" type="0">_#_###</voxel> ...</shapes>   x goes fastest, `_` is empty
      <problems><problem name="Soma"><shapes><shape id="0" count="1"/> ...</shapes><result id="7"/>

A voxel `+` may stay empty, and a shape may be used from min="0" to max="2" times. The file is XML, packed by gzip as a
rule. What it says about taking apart, and solutions, are passed over. The format is described in the documentation of
BurrTools' library, https://burrtools.sourceforge.net/lib-doc/xmpuzzleFormat.html.
"""

from __future__ import annotations

import gzip
import re
import warnings
import zlib
from collections.abc import Iterator
from io import BytesIO
from itertools import count, product
from math import prod
from string import ascii_letters, digits
from typing import Any, NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from dlx.formats.errors import FormatError, FormatWarning, refusal
from dlx.tiles.boards import Board
from dlx.tiles.lattice import Cell
from dlx.tiles.often import Range, often
from dlx.tiles.pieces import Piece, listed
from dlx.tiles.shapes import PLAIN
from dlx.tiles.tiling import region_of

GRIDS = ("cubes", "triangular prisms", "spheres", "rhombic tetrahedra", "tetrahedra and octahedra")
PASSED_OVER = ("solutions", "assembler", "comment")
VOXELS = 1 << 20  # of all shapes in a problem
PACKED = b"\x1f\x8b"  # how a file begins that gzip has packed
UNPACKED = 1 << 26  # bytes of the XML
KEPT = 1 << 17  # elements
MARKS = PLAIN + ascii_letters + digits + PLAIN  # of colours 0 to 63; the last where only plain pieces lie
TEXT = """<?xml version="1.0" encoding="UTF-8"?>
<puzzle version="2">
 <gridType type="0"/>
 <colors>{}</colors>
 <shapes>{}
 </shapes>
 <problems><problem state="0"><shapes>{}</shapes><result id="0"/><bitmap>{}</bitmap></problem></problems>
 <comment/>
</puzzle>
"""
UNWRITABLE = "[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
WRONG = re.compile("[^#+_0-9]|_[0-9]|^[0-9]|[0-9]{3}|6[4-9]|[7-9][0-9]")  # in the text of voxels


class Puzzle(NamedTuple):
    """A board, None in a file of pieces alone, pieces, and their uses by name: `problem(board, pieces, each=each)`."""

    board: Board | None
    pieces: list[Piece]
    each: dict[str, Range]


class Element(NamedTuple):
    """An element: its name, attributes, file, line, children, and its own text in parts."""

    name: str
    attributes: dict[str, str]
    file: str
    line: int
    children: list[Element]
    parts: list[str]

    def find(self, *names: str) -> list[Element]:
        """Returns the elements on a path of names below it."""
        found = [self]
        for name in names:
            found = [child for parent in found for child in parent.children if child.name == name]
        return found

    def fault(self, reason: str) -> FormatError:
        return FormatError(self.file, self.line, reason)

    def number(self, attribute: str, default: int | None = None) -> int:
        """Returns a whole number in an attribute; raises FormatError if it is none."""
        text = self.attributes.get(attribute)
        if text is None and default is not None:
            return default
        if text is None:
            raise self.fault(f"<{self.name}> has no attribute {attribute!r}")
        if not re.fullmatch("[0-9]{1,6}", text):
            raise self.fault(f"{attribute}={text!r} of <{self.name}> is no whole number up to 999999")
        return int(text)


def parsed(data: bytes, file: str, without: tuple[str, ...]) -> Element:
    """Returns the outermost element of a file, without elements of some names in it.

    A text that is neither UTF-8 nor says its encoding is Latin-1. Raises FormatError for broken XML, for what is too
    large, and for a DOCTYPE: without one there are no entities, which could grow.
    """
    try:
        stream = gzip.GzipFile(fileobj=BytesIO(data)) if data.startswith(PACKED) else BytesIO(data)
        xml = stream.read(UNPACKED + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(file, None, f"what gzip has packed is broken: {error}") from None
    if len(xml) > UNPACKED:
        raise FormatError(file, None, f"the XML has more than {UNPACKED} bytes")
    plain = b"encoding=" in xml[:200] or xml == xml.decode(errors="ignore").encode()
    parser = expat.ParserCreate(None if plain else "iso-8859-1")
    top, numbers = Element("", {}, file, 1, [], []), count(1)
    path: list[Element | None] = [top]  # None in what is left out

    def start(name: str, attributes: dict[str, str]) -> None:
        parent = path[-1]
        if parent is None or (parent is not top and name in without):
            path.append(None)
            return
        path.append(element := Element(name, attributes, file, parser.CurrentLineNumber, [], []))
        parent.children.append(element)
        if next(numbers) > KEPT:
            raise element.fault(f"there are more than {KEPT} elements")

    def characters(text: str) -> None:
        if path[-1] is not None:
            path[-1].parts.append(text)

    def doctype(*_: object) -> None:
        raise FormatError(file, parser.CurrentLineNumber, "there is a DOCTYPE, which no such file has")

    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, lambda _: path.pop()
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = characters, doctype
    try:
        parser.Parse(xml, True)
    except expat.ExpatError as error:
        raise FormatError(file, error.lineno, f"the XML is broken: {expat.ErrorString(error.code)}") from None
    except FormatError:
        raise
    except (LookupError, ValueError) as error:  # expat knows no encodings with several bytes but UTF-8 and UTF-16
        raise FormatError(file, 1, f"the encoding is unknown: {error}") from None
    return top.children[0]


class Shape(NamedTuple):
    """A shape in a box of voxels: its cells with their colours, 0 for none, and those that may stay empty."""

    name: str
    element: Element
    layers: int
    cells: dict[Cell, int]
    variable: list[Cell]


def loads(data: bytes, file: str = "<string>", problem: int | str | None = None) -> Puzzle:
    """Returns the board, the pieces, and how often each is used, of a problem by its number, from 1, or its label.

    Without one it is the first, and a FormatWarning says so if there are others. Shapes without a name are called S1,
    S2, ... as in BurrTools. Where all boxes are one layer high it is a problem of squares, whose pieces may be turned
    over; pieces of cubes are not reflected. Colours become marks.

    Raises FormatError for what is no such file, for an unknown problem, and for what no tiling of ours can say: grids
    other than cubes, a piece with variable cells, a limit of holes, and colours that may lie on several others.
    """
    root = parsed(data, file, PASSED_OVER)
    if root.name != "puzzle":
        raise root.fault(f"<{root.name}> is no <puzzle>")
    for grid in root.find("gridType"):
        if kind := grid.number("type"):
            name = GRIDS[kind] if kind < len(GRIDS) else f"of type {kind}"
            raise grid.fault(f"the grid is {name}, and only cubes are known")
    chosen, voxels = _chosen(root, problem), root.find("shapes", "voxel")
    parts = chosen.find("shapes", "shape")
    ids = []
    for part in (*chosen.find("result")[:1], *parts):
        ids.append(k := part.number("id"))
        if k >= len(voxels):
            raise part.fault(f"there is no shape {k}; the file has {len(voxels)}, from 0")
    if len(ids) == len(parts) or not parts:
        raise chosen.fault(f"the problem has no {'result' if len(ids) == len(parts) else 'pieces'}")
    if (size := sum(prod(map(voxels[k].number, "xyz")) for k in {*ids})) > VOXELS:
        raise chosen.fault(f"the shapes of the problem have {size} voxels; the limit is {VOXELS}")
    shapes = {k: _shape(voxels[k], k + 1) for k in ids}
    ranges: dict[int, Range] = {}  # of shapes by their numbers
    for part in parts:
        least, most = (part.number("count", part.number(end, 1)) for end in ("min", "max"))
        if least > most:
            raise part.fault(f"min is {least} and max is {most}")
        before = ranges.get(part.number("id"), (0, 0))
        ranges[part.number("id")] = Range(before[0] + least, (before[1] or 0) + most)
    return _translated(chosen, shapes, shapes[ids[0]], ranges)


def _chosen(root: Element, problem: int | str | None) -> Element:
    """The problem with a number or a label."""
    problems = root.find("problems", "problem")
    known = [(str(number), one.attributes.get("name", "")) for number, one in enumerate(problems, 1)]
    listed = ", ".join(f"{number} {label!r}" for number, label in known) or "none"
    if problem is None and len(problems) > 1:
        said = f"{root.file}: there are several problems, of which this is the first: {listed}"
        warnings.warn(said, FormatWarning, stacklevel=4)
    for names, one in zip(known, problems, strict=True):
        if str(problem or 1) in names:
            return one
    raise FormatError(root.file, None, f"there is no problem {problem or 1!r}; there are {listed}")


def _shape(element: Element, number: int) -> Shape:
    x, y, z = map(element.number, "xyz")
    if element.number("type"):
        raise element.fault(f"the voxels are of type {element.attributes['type']}, and only type 0 is known")
    text = re.sub(r"\s", "", "".join(element.parts))
    if wrong := WRONG.search(text):
        raise element.fault(f"voxels are #, + and _, and colours up to 63 behind the first two, not {wrong[0]!r}")
    voxels = re.findall("([#+_])([0-9]*)", text)
    if len(voxels) != x * y * z:
        raise element.fault(f"there are {len(voxels)} voxels instead of {x} x {y} x {z}")
    cells: Iterator[Cell] = product(range(z), range(y), range(x))
    full = {cell: voxel for cell, voxel in zip(cells, voxels, strict=True) if voxel[0] != "_"}
    name = element.attributes.get("name") or f"S{number}"
    if not full:
        raise element.fault(f"the shape {name!r} is empty")
    colours = {cell: int(colour or 0) for cell, (_, colour) in full.items()}
    return Shape(name, element, z, colours, [cell for cell, (mark, _) in full.items() if mark == "+"])


def _translated(chosen: Element, shapes: dict[int, Shape], board: Shape, ranges: dict[int, Range]) -> Puzzle:
    filled = sum(len(shapes[k].cells) * least for k, (least, _) in ranges.items())
    holes = min(len(board.variable), len(board.cells) - filled)
    if holes > (limit := chosen.number("maxHoles", holes)):
        raise chosen.fault(f"maxHoles is {limit}, and {holes} cells may stay empty, which no tiling of ours limits")
    flat = all(shape.layers == 1 for shape in shapes.values())
    lattice, first = ("square", 1) if flat else ("cube", 0)
    on_board, on_pieces = _marks(chosen, {*board.cells.values()}, [shapes[k] for k in ranges])
    pieces: list[Piece] = []
    each: dict[str, Range] = {}
    for k, range_ in ranges.items():
        shape = shapes[k]
        if shape.variable:
            raise shape.element.fault(f"the piece {shape.name!r} has variable cells, which only a result may have")
        name = shape.name if shape.name not in each else f"{shape.name} S{k + 1}"
        marks = {cell[first:]: on_pieces[colour] for cell, colour in shape.cells.items()}
        pieces.append(Piece.of(name, marks, lattice))
        each[name] = range_
    marks = {cell[first:]: on_board[colour] for cell, colour in board.cells.items()}
    return Puzzle(Board.of(marks, lattice, [cell[first:] for cell in board.variable]), pieces, each)


def _marks(chosen: Element, there: set[int], pieces: list[Shape]) -> tuple[dict[int, str], dict[int, str]]:
    """The marks for the colours of the board, which are given, and for those of pieces.

    A pair of colours allows one of a piece on one of the result; no colour goes with any. A mark of ours goes on the
    same mark alone, so the colours that a colour may lie on become one mark, and have to be different for others.
    """
    pairs = {(pair.number("piece") + 1, pair.number("result") + 1) for pair in chosen.find("bitmap", "pair")}
    on_board = {colour: MARKS[colour] for colour in there}
    on_pieces = {0: PLAIN}
    merged: dict[int, set[int]] = {}  # the colours of the board with a mark, by their least
    for colour in sorted({colour for piece in pieces for colour in piece.cells.values()} - {0}):
        allowed = {other for other in there if not other or (colour, other) in pairs}
        if allowed == there and allowed != {colour}:
            on_pieces[colour] = PLAIN
            continue
        least = min(allowed, default=0)
        if not least or any(allowed & group and allowed != group for group in merged.values()):
            where = f"only on {sorted(allowed)}" if allowed else "nowhere"
            raise chosen.fault(f"colour {colour} of pieces may lie {where} of {sorted(there)}, which no mark can say")
        merged[least] = allowed
        on_pieces[colour] = MARKS[least]
        on_board |= dict.fromkeys(allowed, MARKS[least])
    return on_board, on_pieces


def dumps(board: Any, pieces: Any, each: Any = 1) -> bytes:
    """Returns the file of a problem, packed by gzip; reading it gives the same pieces, and the board at the origin.

    Raises FormatError for what BurrTools cannot say: lattices other than squares and cubes, edges that meet, pieces
    that are not turned as there or have labels on their sides, and marks other than letters and digits.

    >>> loads(dumps("3x3x3", "soma")).board == Board.of("3x3x3", "cube")
    True
    """
    pieces = list(pieces) if isinstance(pieces, Iterator) else pieces
    board = region_of(board, pieces)
    tiles = listed(pieces, board.lattice)
    ranges = often(each, [piece.name for piece in tiles])
    _check(board, tiles)
    picky = any({*piece.marks} - {PLAIN} for piece in tiles)  # a cell without a mark takes no mark, and has a colour
    result = {
        cell: ("+" if cell in board.empty else "#", MARKS.index(mark, picky)) for cell, mark in board.marks.items()
    }
    shapes = [_drawing("result", result, board.lattice)]
    used = []
    for number, piece in enumerate(tiles, 1):
        marks = piece.marks or PLAIN * len(piece.cells)
        filled = {cell: ("#", MARKS.index(mark)) for cell, mark in zip(piece.cells, marks, strict=True)}
        shapes.append(_drawing(piece.name, filled, board.lattice))
        least, most = ranges[piece.name]
        most = max(least, len(board.marks) // len(piece.cells)) if most is None else most
        used.append(f'<shape id="{number}" min="{least}" max="{most}"/>')
    coloured = picky or {*board.marks.values()} != {PLAIN}
    colours = ['<color red="128" green="128" blue="128"/>'] * (len(MARKS) - 1 if coloured else 0)
    pairs = [f'<pair piece="{k}" result="{k}"/>' for k in range(len(MARKS) - 2 if coloured else 0)]
    text = TEXT.format(*map("".join, (colours, shapes, used, pairs)))
    return gzip.compress(text.encode(), mtime=0)


def _check(board: Board, tiles: list[Piece]) -> None:
    kinds = {"square": "free", "cube": "one-sided"}
    if board.lattice not in kinds:
        raise refusal(f"the board has {board.lattice}s; the cells of BurrTools are cubes or squares here")
    if board.wrap:
        raise refusal(f"the board is a {board.wrap}, which BurrTools cannot say")
    for piece in tiles:
        if piece.sides:
            raise refusal(f"the piece {piece.name!r} has labels on its sides, which BurrTools cannot say")
        if piece.kind not in (None, kinds[board.lattice]):
            raise refusal(f"the piece {piece.name!r} is {piece.kind}; in BurrTools it would be {kinds[board.lattice]}")
        if unknown := re.search(UNWRITABLE, piece.name):
            raise refusal(f"the name {piece.name!r} has the character {unknown[0]!r}, which XML cannot say")
    for mark in {*board.marks.values(), *(mark for piece in tiles for mark in piece.marks)}:
        if mark not in MARKS[1:]:
            raise refusal(f"the mark {mark!r} is no colour of BurrTools, which letters and digits are here")


def _drawing(name: str, cells: dict[Cell, tuple[str, int]], lattice: str) -> str:
    """The element of a shape; that of cubes in one layer has an empty one above, not to be read as squares."""
    least = [min(numbers) for numbers in zip(*cells, strict=True)]
    moved = {(0, *(x - y for x, y in zip(cell, least, strict=True)))[-3:]: voxel for cell, voxel in cells.items()}
    z, y, x = (max(numbers) + 1 for numbers in zip(*moved, strict=True))
    z += lattice == "cube" and z == 1
    voxels = (moved.get(cell, ("_", 0)) for cell in product(range(z), range(y), range(x)))
    text = "".join(f"{mark}{colour or ''}" for mark, colour in voxels)
    return f'\n  <voxel x="{x}" y="{y}" z="{z}" name={quoteattr(name)} type="0">{text}</voxel>'
