"""Draws tilings of flat boards and solids, as text in box-drawing characters and as pictures in colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, pairwise
from string import ascii_letters
from typing import Any

from dlx.problem.placement import Placement
from dlx.problem.problem import Problem
from dlx.problem.words import counted
from dlx.show.elements import Picture, short
from dlx.show.solids import solid
from dlx.show.tilings import Corners, coloured, edge_of, tiling
from dlx.tiles.lattice import CUBES, SQUARES, Cell, Lattice, lattice_of
from dlx.tiles.tiling import TilingProblem

SIZE = 30  # pixels, the side of a square or cube
WIDTH = 100  # layers of cubes are side by side up to this number of characters
JOINTS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"  # index: the sum of the lines that meet, 1 above, 2 right, 4 below, 8 left
ROOM = 3  # characters of a cell between its borders
GAP = 3  # characters between layers
EMPTY = "·"
OUTSIDE = -1  # marks a place outside the board, instead of the number of a placement

Cover = Iterable[int]
Pieces = Mapping[Any, int | None]  # the number of the placement in each cell, None in an empty cell
Tiled = tuple[Lattice, list[Placement], Pieces]  # lattice, placements, cells


def _tiled(problem: Problem, cover: Cover) -> Tiled:
    """Returns the placements of a cover and the cells; raises TypeError or ValueError if the cover is no tiling."""
    cells = [item for item in problem.items if isinstance(item, tuple) and isinstance(item[0], int)]
    if isinstance(problem, TilingProblem):
        lattice = lattice_of(problem.board.lattice)
    else:  # the problem was read from a file
        first = problem.names[0] if problem.names else None
        lattice = lattice_of(first.lattice) if isinstance(first, Placement) else SQUARES
    labels = problem.labels([o for o in getattr(cover, "options", cover) if o != -1])
    for label in labels:
        if not isinstance(label, Placement):
            raise TypeError(f"the option {label!r:.60} is no placement of a piece; dlx.show.draw draws other problems")
    placements = sorted(labels, key=lambda placement: min(placement.cells))
    pieces: dict[Any, int | None] = dict.fromkeys(cells)
    for k, placement in enumerate(placements):
        for cell in placement.cells:
            if pieces[cell] is not None:
                raise ValueError(f"this is no tiling: the cell {cell} is in two of its placements")
            pieces[cell] = k
    return lattice, placements, pieces


def picture(
    problem: Problem, cover: Cover | None = None, *, names: bool = False, size: float | None = None, title: str = ""
) -> Picture:
    """Draws a tiling in colours, with lines between pieces; a solid is seen from a corner, with its layers beside it.

    Neighbours have different colours. Unless a neighbour has its colour, a piece has the same colour in all tilings of
    a problem. If sides have labels, a triangle from each side to the middle of the cell has the colour of the label.

    Parameters:
        problem: a problem of `dlx.tiles.problem`.
        cover: numbers of options, or a cover of `best`; -1 is skipped. Default: only the board is drawn.
        names: whether to write the names of pieces; not for solids and pieces with labels.
        size: the edge of a cell, in pixels. Default: flat cells of all lattices have the same area.
        title: the title of the picture. Default: the numbers of cells and pieces.

    Raises ValueError for a cell in two placements and for more than 10,000 cells; IndexError or TypeError for a wrong
    number of an option.

    >>> import dlx
    >>> problem = dlx.tiles.problem("6x10", "pentominoes")
    >>> dlx.tiles.picture(problem, dlx.first(problem).cover).caption
    'a tiling of 60 cells by 12 pieces'
    """
    tiled = _tiled(problem, () if cover is None else cover)
    lattice, placements, pieces = tiled
    caption = title or ("" if placements else f"a board of {counted(len(pieces), 'cell')}")
    if lattice is CUBES:
        return solid(pieces, size=size or SIZE, colours=_colours(problem, tiled), layers=True, title=caption)
    side = size or edge_of(lattice.corners((0, 0)), SIZE)
    if any(placement.sides for placement in placements):
        return _sided(problem, tiled, side, caption)
    shown = {k: placement.piece for k, placement in enumerate(placements)} if names else {}
    colours = _colours(problem, tiled)
    return tiling(pieces, size=side, corners=lattice.corners, colours=colours, names=shown, title=caption)


def _colours(problem: Problem, tiled: Tiled) -> dict[Any, int]:
    """Returns the colour of each placement: the colour of its piece, or the next colour that no neighbour has."""
    lattice, placements, pieces = tiled
    named = (item for item in problem.items if isinstance(item, str))
    turns = {name: k for k, name in enumerate(dict.fromkeys([*named, *(place.piece for place in placements)]))}
    near = ((cell, other) for cell in pieces for other in lattice.neighbours(cell) if other in pieces)
    return coloured(pieces, near, {k: turns[placement.piece] for k, placement in enumerate(placements)})


def _sided(problem: Problem, tiled: Tiled, size: float, title: str) -> Picture:
    """Divides each cell into a triangle for each side; the label determines the colour of a triangle."""
    lattice, placements, pieces = tiled
    rows = (place.sides for place in problem.names or ())
    number = {label: k for k, label in enumerate(sorted({*chain.from_iterable(rows)}, key=lambda one: (len(one), one)))}
    sides = {place.cells[0]: place.sides for place in placements if place.sides}
    many = 1 + max(map(len, sides.values()))  # 0 is the whole cell; its triangles are numbered from 1
    parts: dict[Any, tuple[int, str] | None] = {}
    for (row, column), k in pieces.items():
        labels = enumerate(sides[row, column], 1) if (row, column) in sides else [(0, f"{EMPTY}{k}")]
        parts |= {(row, many * column + i): None if k is None else (k, label) for i, label in labels}

    def corners(part: Cell) -> Corners:
        column, i = divmod(part[1], many)
        around = lattice.corners((part[0], column))
        x, y = (round(sum(numbers) / len(around), 6) for numbers in zip(*around, strict=True))
        return (around[i - 1], around[i % len(around)], (x, y)) if i else around

    colours = {piece: number.get(piece[1], len(number) + piece[0]) for piece in parts.values() if piece is not None}
    caption = title or f"a tiling of {counted(len(pieces), 'cell')} by {counted(len(placements), 'piece')}"
    return tiling(parts, size=size, corners=corners, colours=colours, title=caption)


def drawn(problem: Problem, cover: Cover) -> str:
    """Draws a tiling as text: squares and layers of cubes in box-drawing characters, other lattices in letters.

    The name of a piece is written once in each of its parts if there is room, unless all names are the same. Labels are
    in the sides of squares, and dots are in empty cells. Each triangle or hexagon is a letter at its place in the text
    of the board: the last character of the piece's name if these characters are different, otherwise a, b, c and so on.

    Parameters and errors: as for `picture`. The text does not end with a line break.

    >>> import dlx
    >>> problem = dlx.tiles.problem("3x4", "trominoes", each=2)
    >>> print(dlx.tiles.drawn(problem, dlx.first(problem).cover))
    ┌───────────┬───┐
    │     I     │ I │
    ├───────┬───┤   │
    │   L   │   │   │
    │   ┌───┘   │   │
    │   │   L   │   │
    └───┴───────┴───┘
    """
    lattice, placements, pieces = _tiled(problem, cover)
    names = [placement.piece for placement in placements]
    rows, columns = (
        range(min(ends), max(ends) + 1) for ends in zip(*(cell[-2:] for cell in pieces or [(0, 0)]), strict=True)
    )
    if lattice in (SQUARES, CUBES):
        layers = [pieces]
        if lattice is CUBES:
            heights = sorted({cell[0] for cell in pieces})
            layers = [{cell[1:]: k for cell, k in pieces.items() if cell[0] == height} for height in heights]
        same = len({*names}) < 2
        long = (bool(place.sides) and len(place.piece) >= ROOM for place in placements)
        shown = ["" if same or left_out else name for name, left_out in zip(names, long, strict=True)]
        signs = _signs(placements) if lattice is SQUARES else {}
        return "\n\n".join(_side_by_side([_ruled(layer, shown, (rows, columns), signs) for layer in layers]))
    ends = [name[-1] for name in names]  # the letter of 6a, 6b, ...
    letters = ends if len({*ends}) == len(ends) else ascii_letters
    marks = {cell: EMPTY if k is None else letters[k % len(letters)] for cell, k in pieces.items()}
    return "\n".join("".join(marks.get((row, column), " ") for column in columns).rstrip() for row in rows)


def _side_by_side(blocks: Sequence[list[str]]) -> Iterator[str]:
    wide = max(len(line) for block in blocks for line in block) + GAP
    across = max(1, WIDTH // wide)
    for k in range(0, len(blocks), across):
        rows = zip(*blocks[k : k + across], strict=True)
        yield "\n".join("".join(line.ljust(wide) for line in row).rstrip() for row in rows)


def _signs(placements: Sequence[Placement]) -> dict[tuple[int, int, bool], str]:
    found: dict[tuple[int, int, bool], str] = {}
    for place in placements:
        r, c = place.cells[0]
        found |= zip(((r, c, False), (r, c + 1, True), (r + 1, c, False), (r, c, True)), place.sides, strict=False)
    return found


def _ruled(
    pieces: Pieces, names: Sequence[str], box: tuple[range, range], signs: Mapping[tuple[int, int, bool], str]
) -> list[str]:
    """Yields the lines of a board of squares: borders and cells in turn, and the last border."""
    rows, columns = box
    labels, lines = _labels(pieces, names), []

    def parted(one: Cell, other: Cell) -> bool:
        """Returns whether there is a line between two cells."""
        pair = pieces.get(one, OUTSIDE), pieces.get(other, OUTSIDE)
        return pair[0] != pair[1] or pair[0] is None

    for row in (*rows, rows.stop):
        above, cells = "", ""
        for column in (*columns, columns.stop):
            around = [(row - 1, column - 1), (row - 1, column), (row, column), (row, column - 1)]
            arms = [parted(one, other) for one, other in pairwise([*around, around[0]])]  # up, right, down, left
            line = " ─"[arms[1]]
            above += JOINTS[sum(arm << k for k, arm in enumerate(arms))]
            above += signs.get((row, column, False), line)[:ROOM].center(ROOM, line)
            cells += signs.get((row, column, True), " │"[arms[2]])[: ROOM - 1].ljust(ROOM + 1)
        for column in columns:
            label = labels.get((row, column), "")
            start = (column - columns.start) * (ROOM + 1) + 1 + len(label) - len(label := label.lstrip())
            cells = cells[:start] + label + cells[start + len(label) :]
        lines += [above, cells]
    return [line.rstrip() for line in lines[:-1]]


def _labels(pieces: Pieces, names: Sequence[str]) -> dict[Cell, str]:
    """Returns the texts that begin at cells: names in the middle of the longest row of a piece, dots in empty cells."""
    labels = {cell: EMPTY.center(ROOM) for cell, k in pieces.items() if k is None}
    groups: dict[int, list[Cell]] = {}
    for cell in pieces.keys() - labels.keys():
        groups.setdefault(pieces[cell] or 0, []).append(cell)
    for k, part in ((k, part) for k, cells in groups.items() for part in SQUARES.parts(cells)):
        rows = groupby(enumerate(part), key=lambda one: (one[1][0], one[1][1] - one[0]))  # runs of neighbours
        row = max(([cell for _, cell in cells] for _, cells in rows), key=len)
        room = len(row) * (ROOM + 1) - 1
        labels[row[0]] = short(names[k], room).center(room)
    return labels
