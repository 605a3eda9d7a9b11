"""Pictures made of square cells: tilings, boards with queens, pieces in layers, shares as heat maps."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence, Sized
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.problem.checks import is_whole
from dlx.problem.words import counted
from dlx.show.elements import (
    INK,
    PALETTE,
    PAPER,
    SOFT,
    Picture,
    borders,
    element,
    extent,
    framed,
    mixed,
    moved,
    palette,
    readable,
    short,
    svg,
    text,
)

Cell = tuple[int, int]
Place = tuple[int, int, int]

MOST_CELLS = 10_000  # rows times columns
MARGIN = 12
CROWN = "M2.2 8.6h5.6l1.2-5.6-2.3 2.1L5 1.4 3.3 5.1 1 3Z"


def tiling(
    pieces: Mapping[Cell, Hashable],
    *,
    size: float = 26,
    colours: Mapping[Any, int] | None = None,
    names: Mapping[Any, object] | None = None,
    title: str = "",
) -> Picture:
    """A region of any shape tiled with pieces, each in its colour, with lines between them.

    Parameters:
        pieces: the piece that is in each cell (row, column), or None in a cell that is empty.
        size: the side of a cell, in pixels.
        colours: a number of a colour, from 0, for each piece; there are twelve, which come again. Without it, they are
            in the order of the pieces, other than those of their neighbours.
        names: what is written in a piece, if anything.
        title: what the picture is; without it, how many cells and pieces there are.

    Raises:
        ValueError: there are more than 10,000 cells in the rectangle around all of them, a cell has not two numbers, or
            a piece has no colour.
        TypeError: there is no mapping, or a cell is something else than whole numbers.

    >>> picture = tiling({(0, 0): "L", (1, 0): "L", (1, 1): "L", (0, 1): None}, names={"L": "L"})
    >>> picture.caption, picture.count("<text")
    ('1 piece on 3 of 4 cells', 1)
    """
    placed, rows, columns = _placed(pieces)
    body = _tiled(placed, _colours(pieces) if colours is None else colours, names or {}, size)
    used = sum(piece is not None for piece in pieces.values())
    cells, several = counted(len(pieces), "cell"), counted(len(_different(pieces)), "piece")
    said = f"a tiling of {cells} by {several}" if used == len(pieces) else f"{several} on {used} of {cells}"
    return framed(columns * size, rows * size, MARGIN, body, title=title or said)


def region(cells: Iterable[Cell], *, size: float = 26, title: str = "") -> Picture:
    """A region of any shape that is to be tiled: its cells, and a line around them.

    Parameters:
        cells: the cells (row, column).
        size: the side of a cell, in pixels.
        title: what the picture is; without it, how many cells there are.

    Raises: as `tiling`.

    >>> region([(0, 0), (0, 1), (1, 1)]).caption
    'a region of 3 cells'
    """
    placed, rows, columns = _placed(dict.fromkeys(cells, 0))
    ground = element("path", d=_squares(placed, size), fill=PAPER)
    around = element("path", d=borders(_areas(placed), size), fill="none", stroke=INK, stroke_width=2.5)
    said = title or f"a region of {counted(len(placed), 'cell')}"
    return framed(columns * size, rows * size, MARGIN, ground, around, title=said)


def layers(
    pieces: Mapping[Place, Hashable],
    *,
    size: float = 26,
    colours: Mapping[Any, int] | None = None,
    names: Mapping[Any, object] | None = None,
    title: str = "",
) -> Picture:
    """Pieces in space, as layers side by side.

    Parameters:
        pieces: the piece that is in each cell (layer, row, column), or None in a cell that is empty.
        size, colours, names, title: as of `tiling`; names are written in each layer of a piece.

    Raises: as `tiling`.

    >>> picture = layers({(0, 0, 0): "I", (1, 0, 0): "I", (0, 0, 1): "J"})
    >>> picture.caption, picture.count("layer ")
    ('2 pieces of 3 cells in 2 layers', 2)
    """
    _check_places(pieces, ("layer", "row", "column"))
    flat: dict[int, dict[Cell, Hashable]] = {}
    for (z, r, c), piece in pieces.items():
        flat.setdefault(z, {})[r, c] = piece
    top, left, rows, columns = _box([(r, c) for layer in flat.values() for r, c in layer], len(flat))
    shown = _colours(pieces) if colours is None else colours
    gap = max(1.5 * size, 1.5 * size + extent("layer 100", 13) - columns * size)
    parts = []
    for k, z in enumerate(sorted(flat)):
        moved_there = {(r - top, c - left): piece for (r, c), piece in flat[z].items()}
        x = MARGIN + gap / 2 + k * (columns * size + gap)
        label = text(columns * size / 2, rows * size + 26, f"layer {z}", 13)
        parts.append(moved(x, MARGIN, _tiled(moved_there, shown, names or {}, size), label))
    numbers = counted(len(_different(pieces)), "piece"), counted(len(pieces), "cell"), counted(len(flat), "layer")
    said = title or "{} of {} in {}".format(*numbers)
    return svg(2 * MARGIN + len(flat) * (columns * size + gap), rows * size + 2 * MARGIN + 26, *parts, title=said)


def queens(placement: Iterable[Cell], n: int, *, size: float = 20, title: str = "") -> Picture:
    """A board with its queens.

    Parameters:
        placement: the squares (row, column) of the queens, from 0.
        n: the rows and columns of the board.
        size: the side of a square, in pixels.
        title: what the picture is; without it, how many queens there are.

    Raises:
        ValueError: the board has more than 10,000 squares, a queen is not on it, or two are on one.
        TypeError: the square of a queen is something else than whole numbers.

    >>> queens([(0, 1), (1, 3), (2, 0), (3, 2)], 4).caption
    '4 queens on a board of 4 x 4'
    """
    _check_size(n, n)
    placed = list(placement)
    for k, square in enumerate(placed):
        _check_place(square, ("row", "column"), f"queen {k} is at")
        if not all(0 <= place < n for place in square):
            raise ValueError(f"the queen at {square} is not on a board of {n} x {n}")
        if square in placed[:k]:
            raise ValueError(f"there are two queens at {square}")
    dark = _squares(((r, c) for r in range(n) for c in range(n) if (r + c) % 2), size)
    crowns = [
        element("path", d=CROWN, transform=f"translate({c * size:g} {r * size:g}) scale({size / 10:g})", fill=INK)
        for r, c in placed
    ]
    frame = element("rect", width=n * size, height=n * size, fill="none", stroke=INK, stroke_width=1.5)
    light = element("rect", width=n * size, height=n * size, fill=PAPER)
    squares = element("path", d=dark, fill=PALETTE[1], opacity=0.75)
    said = title or f"{counted(len(placed), 'queen')} on a board of {n} x {n}"
    return framed(n * size, n * size, MARGIN, light, squares, *crowns, frame, title=said)


def heat_map(
    shares: npt.ArrayLike,
    *,
    rows: Sequence[object] = (),
    columns: Sequence[object] = (),
    size: float = 36,
    title: str = "",
) -> Picture:
    """Shares as a map: the bluer a cell is the larger its share, which is written in it in per cent.

    Parameters:
        shares: numbers from 0 to 1, shape (rows, columns).
        rows, columns: the names of these, if they have any.
        size: the side of a cell, in pixels.
        title: what the picture is; without it, its shape.

    Raises:
        ValueError: a share is no number from 0 to 1, rows differ in length, the array has another shape or more than
            10,000 cells, or there are not as many names as rows or columns.

    >>> picture = heat_map([[0, 0.25], [0.999, 1]])
    >>> [part.split("<")[0] for part in picture.split('">') if "</text>" in part]
    ['0', '25', '&gt;99', '100']
    """
    values = _numbers(shares)
    if values.ndim != 2:
        raise ValueError(f"shares have the shape {values.shape} instead of (rows, columns)")
    n_rows, n_columns = values.shape
    _check_size(n_rows, n_columns)
    for r, c in np.argwhere(~((values >= 0) & (values <= 1))).tolist():
        raise ValueError(f"the share in row {r}, column {c} is {values[r, c]} and not from 0 to 1")
    rows, columns = list(rows), list(columns)
    for names, n, kind in ((rows, n_rows, "rows"), (columns, n_columns, "columns")):
        if len(names) not in (0, n):
            raise ValueError(f"{len(names)} names for {n} {kind}")
    beside = max((extent(short(name), 13) for name in rows), default=0)
    above = 24 if columns else 0
    parts = [_shaded(float(share), r, c, size) for (r, c), share in np.ndenumerate(values)]
    parts += [text(-8, (r + 0.5) * size + 5, short(name), 13, text_anchor="end") for r, name in enumerate(rows)]
    most = max(1, int(size / 8.5))
    parts += [text((c + 0.5) * size, -8, short(name, most), 13) for c, name in enumerate(columns)]
    x, y = MARGIN + beside + 8 * bool(rows), MARGIN + above
    said = title or f"shares in {counted(n_rows, 'row')} and {counted(n_columns, 'column')}, in per cent"
    return svg(x + n_columns * size + MARGIN, y + n_rows * size + MARGIN, moved(x, y, *parts), title=said)


def _numbers(shares: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The shares as an array, if they are numbers and each row has as many."""
    try:
        return np.asarray(shares, dtype=np.float64)
    except (TypeError, ValueError) as error:
        widths = [len(row) if isinstance(row, Sized) else 0 for row in shares] if isinstance(shares, Iterable) else []
        for r, width in enumerate(widths):
            if width != widths[0]:
                raise ValueError(f"row {r} has {counted(width, 'share')}, and row 0 has {widths[0]}") from None
        raise ValueError(f"a share is no number: {error}") from None


def _shaded(share: float, row: int, column: int, size: float) -> str:
    x, y, colour = column * size, row * size, mixed(share, SOFT)
    tile = element("rect", x=x, y=y, width=size, height=size, fill=colour, stroke="white", stroke_width=1)
    middle, line = (column + 0.5) * size, (row + 0.62) * size
    return tile + text(middle, line, _percent(share), size * 0.34, fill=readable(colour))


def _percent(share: float) -> str:
    """A share in per cent; 0 and 100 mean none and all."""
    if share in (0, 1):
        return str(round(100 * share))
    rounded = min(max(round(100 * share), 1), 99)
    if abs(100 * share - rounded) <= 0.5:
        return str(rounded)
    return "<1" if share < 0.5 else ">99"


def _tiled(
    pieces: Mapping[Cell, Hashable], colours: Mapping[Any, int], names: Mapping[Any, object], size: float
) -> str:
    """The pieces of a region that begins at (0, 0), in their colours, and the lines between them."""
    cells: dict[Hashable, list[Cell]] = {}
    for cell in sorted(pieces):
        cells.setdefault(pieces[cell], []).append(cell)
    empty = cells.pop(None, [])
    parts = [element("path", d=_squares(empty, size), fill=PAPER)] if empty else []
    for piece, place in cells.items():
        if piece not in colours:
            raise ValueError(f"the piece {piece!r:.40} has no colour")
        parts.append(element("path", d=_squares(place, size), fill=palette(colours[piece])))
    lines = borders(_areas(pieces), size)
    parts.append(element("path", d=lines, fill="none", stroke=INK, stroke_width=2.5, stroke_linecap="round"))
    parts += [_named(names[piece], place, colours[piece], size) for piece, place in cells.items() if piece in names]
    return "".join(parts)


def _named(name: object, place: Sequence[Cell], colour: int, size: float) -> str:
    """The name of a piece, in the cell of it that is nearest to its middle, and small enough for that."""
    row, column = (sum(cell[k] for cell in place) / len(place) for k in (0, 1))
    r, c = min(place, key=lambda cell: math.hypot(cell[0] - row, cell[1] - column))
    shown = short(name, 4)
    high = min(size * 0.55, size * size * 0.9 / max(extent(shown, size), 1))
    return text((c + 0.5) * size, (r + 0.5) * size + high * 0.36, shown, high, fill=readable(palette(colour)))


def _areas(pieces: Mapping[Cell, Hashable]) -> npt.NDArray[np.int32]:
    """The number of the piece in each cell; empty cells are areas of their own, and -1 is outside."""
    areas = np.full((max(r for r, _ in pieces) + 1, max(c for _, c in pieces) + 1) if pieces else (0, 0), -1, np.int32)
    numbers: dict[Hashable, int] = {}
    for k, (cell, piece) in enumerate(sorted(pieces.items(), key=lambda entry: entry[0])):
        areas[cell] = k + len(pieces) if piece is None else numbers.setdefault(piece, len(numbers))
    return areas


def _colours(pieces: Mapping[Any, Hashable]) -> dict[Hashable, int]:
    """A colour for each piece, by turns; but none that a neighbour has, if that can be."""
    near: dict[Hashable, set[Hashable]] = {piece: set() for piece in _different(pieces)}
    for cell, piece in pieces.items():
        for axis in range(len(cell)):
            other = pieces.get((*cell[:axis], cell[axis] + 1, *cell[axis + 1 :]))
            if piece != other and piece is not None and other is not None:
                near[piece].add(other)
                near[other].add(piece)
    colours: dict[Hashable, int] = {}
    for k, piece in enumerate(near):
        taken = {colours[other] for other in near[piece] if other in colours}
        free = ((k + i) % len(PALETTE) for i in range(len(PALETTE)))
        colours[piece] = next((colour for colour in free if colour not in taken), k % len(PALETTE))
    return colours


def _different(pieces: Mapping[Any, Hashable]) -> list[Hashable]:
    """The pieces, in the order of their first cells."""
    return [piece for piece in dict.fromkeys(pieces[cell] for cell in sorted(pieces)) if piece is not None]


def _placed(pieces: Mapping[Cell, Hashable]) -> tuple[dict[Cell, Hashable], int, int]:
    """The pieces from row and column 0 on, and the size of the rectangle around them; checks where they are."""
    _check_places(pieces, ("row", "column"))
    top, left, rows, columns = _box(pieces)
    return {(r - top, c - left): piece for (r, c), piece in pieces.items()}, rows, columns


def _check_places(pieces: object, form: tuple[str, ...]) -> None:
    if not isinstance(pieces, Mapping):
        raise TypeError(f"there is a {type(pieces).__name__} instead of a mapping from ({', '.join(form)}) to pieces")
    for cell in pieces:
        _check_place(cell, form, "there is a piece in")


def _check_place(place: object, form: tuple[str, ...], where: str) -> None:
    parts = tuple(place) if isinstance(place, Iterable) else (None,)
    if len(parts) != len(form) or not all(map(is_whole, parts)):
        kind = ValueError if all(map(is_whole, parts)) else TypeError
        raise kind(f"{where} {place!r:.40} instead of ({', '.join(form)}), {len(form)} whole numbers")


def _box(cells: Iterable[Cell], times: int = 1) -> tuple[int, int, int, int]:
    """The rectangle around some cells: its first row and column, and how many it has; it must not be too large."""
    listed = list(cells)
    if not listed:
        return 0, 0, 0, 0
    (top, left), (bottom, right) = (tuple(f(cell[k] for cell in listed) for k in (0, 1)) for f in (min, max))
    _check_size(bottom - top + 1, right - left + 1, times)
    return top, left, bottom - top + 1, right - left + 1


def _check_size(rows: int, columns: int, times: int = 1) -> None:
    if min(rows, columns) < 0:
        raise ValueError(f"there are {rows} x {columns} cells; there cannot be fewer than none")
    if rows * columns * times > MOST_CELLS:
        layers = f" in {times} layers" if times > 1 else ""
        raise ValueError(f"there are {rows} x {columns} cells{layers}; a picture has no more than {MOST_CELLS}")


def _squares(cells: Iterable[Cell], size: float) -> str:
    return "".join(f"M{c * size:g} {r * size:g}h{size:g}v{size:g}h-{size:g}z" for r, c in cells)
