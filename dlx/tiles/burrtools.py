"""BurrTools' puzzles, `.xmpuzzle`: a problem of them as a board and pieces, and back.

    <puzzle version="2">
      <gridType type="0"/>                                     cubes
      <shapes>
        <voxel x="3" y="2" z="1" type="0">_#_###</voxel>       a T; x goes fastest, `_` is empty, `+` may stay empty
        ...
      </shapes>
      <problems>
        <problem name="Soma">
          <shapes><shape id="0" count="1"/> ...</shapes>       or min="0" max="2"
          <result id="7"/>

The file is XML, packed by gzip as a rule. What it says about taking apart, and solutions, are passed over. The format
is described in the documentation of BurrTools' library, https://burrtools.sourceforge.net/lib-doc/xmpuzzleFormat.html.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from itertools import product
from math import prod
from string import ascii_letters, digits
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

from dlx.formats.errors import FormatError, refusal
from dlx.tiles.boards import Board
from dlx.tiles.elements import Element, Tree
from dlx.tiles.lattice import Cell
from dlx.tiles.often import Range, often
from dlx.tiles.pieces import Piece, listed
from dlx.tiles.shapes import PLAIN
from dlx.tiles.tiling import region_of

GRIDS = ("cubes", "triangular prisms", "spheres", "rhombic tetrahedra", "tetrahedra and octahedra")
PASSED_OVER = ("solutions", "assembler", "comment")
VOXELS = 1 << 20  # of all shapes in a problem
MARKS = (
    PLAIN + ascii_letters + digits + PLAIN
)  # those of colours 0 to 63; the last for cells that only plain pieces take
TEXT = """<?xml version="1.0" encoding="UTF-8"?>
<puzzle version="2">
 <gridType type="0"/>
 <colors>{}</colors>
 <shapes>{}
 </shapes>
 <problems>
  <problem state="0">
   <shapes>{}</shapes>
   <result id="0"/>
   <bitmap>{}</bitmap>
  </problem>
 </problems>
 <comment/>
</puzzle>
"""
UNWRITABLE = "[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


class Shape(NamedTuple):
    """A shape in a box of voxels: its cells, those that may stay empty, and the colours of cells that have one."""

    name: str
    element: Element
    layers: int
    cells: tuple[Cell, ...]
    variable: frozenset[Cell]
    colours: dict[Cell, int]

    def used(self) -> set[int]:
        """The colours of its cells, 0 for none."""
        return {self.colours.get(cell, 0) for cell in self.cells}


def loads(data: bytes, file: str = "<string>", problem: int | str = 1) -> tuple[Board, list[Piece], dict[str, Range]]:
    """Returns the board, the pieces, and how often each is used, of a problem by its number, from 1, or its label.

    Shapes without a name are called S1, S2, ... as in BurrTools. Where all boxes are one layer high it is a problem of
    squares, whose pieces may be turned over; pieces of cubes are not reflected. Colours become marks.

    Raises FormatError for what is no such file, for an unknown problem, and for what no tiling of ours can say: grids
    other than cubes, a piece with variable cells, a limit of holes, and colours that may lie on several others.
    """
    tree = Tree(data, file, PASSED_OVER)
    if tree.root.name != "puzzle":
        raise tree.fault(tree.root, f"<{tree.root.name}> is no <puzzle>")
    for grid in tree.root.find("gridType"):
        if kind := tree.number(grid, "type"):
            name = GRIDS[kind] if kind < len(GRIDS) else f"of type {kind}"
            raise tree.fault(grid, f"the grid is {name}, and only cubes are known")
    chosen = _chosen(tree, problem)
    spaces = tree.root.find("shapes", "voxel")
    parts = chosen.find("shapes", "shape")
    ids = [_id(tree, part, len(spaces)) for part in (*chosen.find("result")[:1], *parts)]
    if len(ids) == len(parts):
        raise tree.fault(chosen, "the problem has no result")
    if not parts:
        raise tree.fault(chosen, "the problem has no pieces")
    if (size := sum(_volume(tree, spaces[k]) for k in set(ids))) > VOXELS:
        raise tree.fault(chosen, f"the shapes of the problem have {size} voxels; the limit is {VOXELS}")
    shapes = {k: _shape(tree, spaces[k], k + 1) for k in ids}
    ranges = _ranges(tree, parts)
    _check_holes(tree, chosen, shapes, ids[0], ranges)
    return _translated(tree, chosen, shapes, ids[0], ranges)


def _chosen(tree: Tree, problem: int | str) -> Element:
    """The problem with a number or a label."""
    problems = tree.root.find("problems", "problem")
    labels = [one.attributes.get("name", "") for one in problems]
    for number, (label, one) in enumerate(zip(labels, problems, strict=True), 1):
        if str(problem) in (str(number), label):
            return one
    known = ", ".join(f"{number} {label!r}" for number, label in enumerate(labels, 1)) or "none"
    raise FormatError(tree.file, None, f"there is no problem {problem!r}; there are {known}")


def _id(tree: Tree, element: Element, count: int) -> int:
    """The number of a shape, from 0."""
    if (number := tree.number(element, "id")) >= count:
        raise tree.fault(element, f"there is no shape {number}; the file has {count}, from 0")
    return number


def _volume(tree: Tree, element: Element) -> int:
    """The number of voxels in a box."""
    return prod(tree.number(element, axis) for axis in "xyz")


def _shape(tree: Tree, element: Element, number: int) -> Shape:
    """The shape that a box of voxels draws."""
    x, y, z = (tree.number(element, axis) for axis in "xyz")
    if tree.number(element, "type"):
        raise tree.fault(element, f"the voxels are of type {element.attributes['type']}, and only type 0 is known")
    text = re.sub(r"\s", "", element.text)
    if other := re.search("[^#+_0-9]|_[0-9]|^[0-9]|[0-9]{3}|6[4-9]|[7-9][0-9]", text):
        raise tree.fault(element, f"voxels are #, + and _, and colours up to 63 behind the first two, not {other[0]!r}")
    voxels = re.findall("([#+_])([0-9]*)", text)
    if len(voxels) != x * y * z:
        raise tree.fault(element, f"there are {len(voxels)} voxels instead of {x} x {y} x {z}")
    full = [((k // (x * y), k // x % y, k % x), *voxel) for k, voxel in enumerate(voxels) if voxel[0] != "_"]
    return Shape(
        element.attributes.get("name") or f"S{number}",
        element,
        z,
        tuple(cell for cell, _, _ in full),
        frozenset(cell for cell, mark, _ in full if mark == "+"),
        {cell: int(colour) for cell, _, colour in full if colour and int(colour)},
    )


def _ranges(tree: Tree, parts: list[Element]) -> dict[int, Range]:
    """How often each shape is used, by its number: the least and the most."""
    ranges: dict[int, Range] = {}
    for part in parts:
        least = tree.number(part, "count", tree.number(part, "min", 1))
        most = tree.number(part, "count", tree.number(part, "max", 1))
        if least > most:
            raise tree.fault(part, f"min is {least} and max is {most}")
        before = ranges.get(tree.number(part, "id"), (0, 0))
        ranges[tree.number(part, "id")] = Range(before[0] + least, (before[1] or 0) + most)
    return ranges


def _check_holes(tree: Tree, chosen: Element, shapes: dict[int, Shape], result: int, ranges: dict[int, Range]) -> None:
    """Refuses a limit of holes, if there can be more of them."""
    filled = sum(len(shapes[k].cells) * least for k, (least, _) in ranges.items())
    holes = min(len(shapes[result].variable), len(shapes[result].cells) - filled)
    if holes > (limit := tree.number(chosen, "maxHoles", holes)):
        raise tree.fault(
            chosen, f"maxHoles is {limit}, and {holes} cells may stay empty, which no tiling of ours limits"
        )


def _translated(
    tree: Tree, chosen: Element, shapes: dict[int, Shape], result: int, ranges: dict[int, Range]
) -> tuple[Board, list[Piece], dict[str, Range]]:
    """The board, the pieces and the ranges of some shapes."""
    flat = all(shape.layers == 1 for shape in shapes.values())
    lattice, first = ("square", 1) if flat else ("cube", 0)
    board = shapes[result]
    on_board, on_pieces = _marks(tree, chosen, board, [shapes[k] for k in ranges])

    def cells(shape: Shape, marks: dict[int, str]) -> dict[Cell, str]:
        if not shape.cells:
            raise tree.fault(shape.element, f"the shape {shape.name!r} is empty")
        return {cell[first:]: marks[shape.colours.get(cell, 0)] for cell in shape.cells}

    pieces: list[Piece] = []
    each: dict[str, Range] = {}
    for k, (least, most) in ranges.items():
        shape = shapes[k]
        if shape.variable:
            raise tree.fault(
                shape.element, f"the piece {shape.name!r} has variable cells, which only a result may have"
            )
        name = shape.name if shape.name not in each else f"{shape.name} S{k + 1}"
        pieces.append(Piece.of(name, cells(shape, on_pieces), lattice))
        each[name] = Range(least, most)
    empty = [cell[first:] for cell in board.variable]
    return Board.of(cells(board, on_board), lattice, empty), pieces, each


def _marks(tree: Tree, chosen: Element, board: Shape, pieces: list[Shape]) -> tuple[dict[int, str], dict[int, str]]:
    """The marks for the colours of the board, and for those of pieces.

    A pair of colours allows one of a piece on one of the result; no colour goes with any. A mark of ours goes on the
    same mark alone, so the colours that a colour may lie on become one mark, and have to be different for others.
    """
    pairs = {
        (tree.number(pair, "piece") + 1, tree.number(pair, "result") + 1) for pair in chosen.find("bitmap", "pair")
    }
    there = board.used()
    on_board = {colour: MARKS[colour] for colour in there}
    on_pieces = {0: PLAIN}
    merged: dict[int, set[int]] = {}  # the colours of the board with a mark, by their least
    for colour in sorted(set().union(*(piece.used() for piece in pieces)) - {0}):
        allowed = {other for other in there if not other or (colour, other) in pairs}
        if allowed == there and allowed != {colour}:
            on_pieces[colour] = PLAIN
            continue
        least = min(allowed, default=0)
        if not least or any(allowed & group and allowed != group for group in merged.values()):
            where = f"only on {sorted(allowed)}" if allowed else "nowhere"
            raise tree.fault(
                chosen, f"colour {colour} of pieces may lie {where} of {sorted(there)}, which no mark can say"
            )
        merged[least] = allowed
        on_pieces[colour] = MARKS[least]
        on_board |= dict.fromkeys(allowed, MARKS[least])
    return on_board, on_pieces


def dumps(board: Any, pieces: Any, each: Any = 1) -> bytes:
    """Returns the file of a problem, packed by gzip; reading it gives the same pieces, and the board at the origin.

    Raises FormatError for what BurrTools cannot say: lattices other than squares and cubes, edges that meet, pieces
    that are not turned as there, and marks other than letters and digits.
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
    """Refuses what BurrTools cannot say."""
    kinds = {"square": "free", "cube": "one-sided"}
    if board.lattice not in kinds:
        raise refusal(f"the board has {board.lattice}s; the cells of BurrTools are cubes or squares here")
    if board.wrap:
        raise refusal(f"the board is a {board.wrap}, which BurrTools cannot say")
    for piece in tiles:
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
