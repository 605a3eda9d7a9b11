"""The page of a trace, with a player."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from itertools import pairwise, product
from string import Template
from typing import Any, Literal, NamedTuple, get_args

from dlx.problem.problem import Problem
from dlx.problem.roles import LEFT_OUT
from dlx.search.trace import Kind, Trace
from dlx.show.elements import PALETTE, spoken
from dlx.show.problems import cells_of, corners_of, piece_of
from dlx.show.reasoning import CELL, Spot
from dlx.show.tilings import MARGIN, Cell, Corner, edge_of, outline, region, square

MOST_OPTIONS = 20_000  # maximum number of options, for a page on a phone
MOST_ENTRIES = 500_000
MOST_CELLS = 10_000  # maximum number of cells of a board
QUEEN = "♛"
LINE = re.compile(r"(r|row|c|col|column)[ _]?(\d+)")  # the name of a row or a column
NUMBERS = {kind: number for number, kind in enumerate(get_args(Kind))}


class Backdrop(NamedTuple):
    """A picture of an empty board.

    Attributes:
        svg: the picture, dark on a light background.
        left, top: the corner of the picture relative to the corner of the board, in cells; negative if the picture is
            larger.
        width, height: the size of the picture, in cells.
    """

    svg: str
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBoard:
    """The appearance of options on a board of cells.

    Attributes:
        kind: "pieces" if an option is a piece on some cells, "candidates" if an option is a text in one cell.
        rows: the number of rows.
        columns: the number of columns.
        marks: for each option its cells (row, column, row, column, ...), its text, and for a candidate its position in
            the cell, from 0; None for an option that is not on the board.
        givens: the texts in cells from the beginning, by the number of the cell in reading order.
        items: short names of the items. Default: the names in the problem.
        spots: the middle (x, y) and the size of each position of a candidate, in pixels; a cell has 36 pixels.
            Default: rows of equal squares.
        backdrop: the picture of the empty board. Default: all cells, with an outline.
        corners: the corners of a cell of pieces, as in `dlx.show.tiling`. Default: squares.

    Raises:
        ValueError: the kind is unknown, or there is no backdrop and a cell is not on the board.
    """

    kind: Literal["pieces", "candidates"]
    rows: int
    columns: int
    marks: Sequence[tuple[Sequence[int], str, int] | None]
    givens: Mapping[int, str] = field(default_factory=dict)
    items: Sequence[str] | None = None
    spots: Sequence[Spot] | None = None
    backdrop: Backdrop | None = None
    corners: Corner = square

    def __post_init__(self) -> None:
        if self.kind not in ("pieces", "candidates"):
            raise ValueError(f"there is no kind of board {self.kind!r}; there are pieces and candidates")
        for o in range(len(self.marks)):
            for row, column in self.cells(o):
                is_inside = 0 <= row < self.rows and 0 <= column < self.columns
                if not is_inside and (self.backdrop is None or self.kind == "candidates"):
                    size = f"{self.rows} rows and {self.columns} columns"
                    raise ValueError(f"marks[{o}] is at {(row, column)}, which is not on a board of {size}")

    def cells(self, option: int) -> list[Cell]:
        """Returns the cells of an option."""
        mark = self.marks[option]
        places = [] if mark is None else list(mark[0])
        if mark is not None and (not places or len(places) % 2):
            raise ValueError(f"marks[{option}] is at {places}, expected (row, column, row, column, ...)")
        return list(zip(places[::2], places[1::2], strict=True))


def page(trace: Trace, *, title: str = "", board: PageBoard | None = None) -> str:
    """Makes the page of a search.

    The page has the links of a small problem with the code that changes the links, or the sizes of items; the search
    tree; the board if there is one; the covers found; and a player that steps forwards and backwards.

    Parameters:
        trace: a trace of `dlx.trace`.
        title: the heading.
        board: the appearance of options. Default: tilings and queens are recognised by the names of their items.

    Returns:
        HTML: about 70 kB, plus the problem and the events.

    Raises:
        TypeError: this is no trace.
        ValueError: there are more than 20,000 options or 500,000 entries, or the board does not fit the problem.

    >>> from dlx import trace
    >>> text = page(trace(Problem.from_options(["ab", "c", "bc"])), title="Three options")
    >>> text.startswith("<!DOCTYPE html>"), "<h1 id=\\"title\\">Three options</h1>" in text
    (True, True)
    """
    if not isinstance(trace, Trace):
        hint = "; dlx.trace(problem) records one" if isinstance(trace, Problem) else ""
        raise TypeError(f"there is a {type(trace).__name__} instead of a trace{hint}")
    check_size(trace.problem)
    events = [[NUMBERS[kind], *rest] for kind, *rest in trace.events]
    problem = drawn(trace.problem, board_for(trace.problem, board))
    data = {"problem": problem, "events": events, "stopped": trace.stopped}
    return filled(title or "A search, step by step", data)


def check_size(problem: Problem) -> None:
    """Raises a ValueError if a problem is too large for a page; call it before a search is recorded."""
    if problem.n_options > MOST_OPTIONS or len(problem.indices) > MOST_ENTRIES:
        raise ValueError(
            f"the problem has {problem.n_options} options with {len(problem.indices)} entries; {MOST_OPTIONS} and "
            f"{MOST_ENTRIES} are the limits of a page"
        )


def board_for(problem: Problem, board: PageBoard | None) -> PageBoard | None:
    """Returns the given board after a check, or the board that the names of items describe."""
    if board is None:
        return _squares(problem) or _tiling(problem)
    for name, what, n in (
        ("marks", "options", problem.n_options),
        ("items", "items", problem.n_items),
    ):
        if (things := getattr(board, name)) is not None and len(things) != n:
            raise ValueError(f"the board has {len(things)} {name} for {n} {what} of the problem")
    return board


def _squares(problem: Problem) -> PageBoard | None:
    """Returns the board of queens: each option is a square, with a row and a column among its items."""
    lines = [LINE.fullmatch(spoken(item)) for item in problem.items]
    places: list[Cell] = []
    for a, b in pairwise(problem.indptr.tolist()):
        option = [match for i in problem.indices[a:b].tolist() if (match := lines[i])]
        at = {match[1][0]: int(match[2]) for match in option}
        if len(option) != 2 or len(at) != 2:
            return None
        places.append((at["r"], at["c"]))
    if not places or len(set(places)) != len(places):
        return None
    (top, left), rows, columns = _box(places)
    if rows * columns > MOST_CELLS:
        return None
    marks = [((row - top, column - left), QUEEN, 0) for row, column in places]
    items = [
        f"{line[1][0]}{line[2]}" if line else spoken(item) for line, item in zip(lines, problem.items, strict=True)
    ]
    return PageBoard(kind="candidates", rows=rows, columns=columns, marks=marks, items=items)


def _tiling(problem: Problem) -> PageBoard | None:
    """Returns the board of a tiling, if items are cells and options cover them."""
    cells = cells_of(problem)
    if not problem.n_options or not cells or {len(place) for place in cells.values()} != {2}:
        return None
    _, rows, columns = _box(cells.values())
    if rows * columns > MOST_CELLS:
        return None
    marks: list[tuple[list[int], str, int] | None] = []
    for o in range(problem.n_options):
        places, name = piece_of(problem, cells, o)
        marks.append(([number for place in places for number in place], name, 0) if places else None)
    corners = corners_of(problem)
    backdrop = _backdrop([(row, column) for row, column in cells.values()], corners)
    return PageBoard(kind="pieces", rows=rows, columns=columns, marks=marks, backdrop=backdrop, corners=corners)


def _box(cells: Any) -> tuple[Cell, int, int]:
    """Returns the first corner of the rectangle around cells, and its numbers of rows and columns."""
    (top, left), (bottom, right) = (tuple(map(end, zip(*cells, strict=True))) for end in (min, max))
    return (top, left), bottom - top + 1, right - left + 1


def _backdrop(cells: Iterable[Cell], corners: Corner) -> Backdrop:
    """Returns the picture of an empty region."""
    edge = edge_of(corners((0, 0)), 1)
    picture = region(cells, size=edge * CELL, corners=corners)
    points = [point for cell in cells for point in corners(cell)] or [(0.0, 0.0)]
    left, top = (edge * min(ends) for ends in zip(*points, strict=True))
    margin = MARGIN / CELL
    return Backdrop(str(picture), left - margin, top - margin, picture.width / CELL, picture.height / CELL)


def drawn(problem: Problem, board: PageBoard | None) -> dict[str, Any]:
    """Returns the data of a problem for the page."""
    bounds = list(pairwise(problem.indptr.tolist()))
    indices = problem.indices.tolist()
    colours = None if problem.colours is None else problem.colours.tolist()
    return {
        "items": [spoken(item) for item in (board and board.items) or problem.items],
        "primary": problem.n_primary,
        "options": [indices[a:b] for a, b in bounds],
        "colours": None if colours is None else [colours[a:b] for a, b in bounds],
        "colourNames": [spoken(colour) for colour in problem.colour_names],
        "ranges": None if problem.multiplicities is None else problem.multiplicities.tolist(),
        "names": None if problem.names is None else [spoken(name) for name in problem.names],
        "out": None if problem.roles is None else (problem.roles == LEFT_OUT).tolist(),
        "board": None if board is None else _drawn_board(board),
    }


def _drawn_board(board: PageBoard) -> dict[str, Any]:
    """Returns the data of a board."""
    backdrop = board.backdrop or _backdrop(list(product(range(board.rows), range(board.columns))), board.corners)
    edge = CELL * edge_of(board.corners((0, 0)), 1)
    spots = board.spots
    if spots is None:  # rows of equal squares
        across = math.isqrt(max((mark[2] for mark in board.marks if mark), default=0)) + 1
        size = CELL / across
        spots = [((x + 0.5) * size, (y + 0.5) * size, size) for y, x in product(range(across), repeat=2)]
    marks: list[Any] = []
    for o, mark in enumerate(board.marks):
        cells = board.cells(o)
        if mark is None:
            marks.append(None)
        elif board.kind == "pieces":  # the middle of each cell, and the outline
            around = [board.corners(cell) for cell in cells]
            middles = [[edge * sum(ends) / len(ends) for ends in zip(*corners, strict=True)] for corners in around]
            marks.append((middles, mark[1], outline(around, edge)))
        else:  # the number of the cell, and the position on the board
            (row, column), (x, y, size) = cells[0], spots[mark[2]]
            marks.append(([row * board.columns + column], mark[1], (CELL * column + x, CELL * row + y, size)))
    return {
        "kind": board.kind,
        "rows": board.rows,
        "columns": board.columns,
        "marks": marks,
        "givens": board.givens,
        "backdrop": backdrop._asdict(),
    }


def filled(title: str, data: Mapping[str, Any]) -> str:
    """Returns the page with its parts inserted; no text in the data can end its element."""
    scripts = ["replay.js", "stage.js", "pictures.js", "links.js", "scores.js", "player.js"]
    text = json.dumps({**data, "palette": PALETTE}, separators=(",", ":"), default=float).replace("<", "\\u003c")
    return Template(source("page.html")).substitute(
        title=escape(title), style=source("style.css"), data=text, scripts="".join(map(source, scripts))
    )


@cache
def source(name: str) -> str:
    """Returns the text of a file in this folder."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
