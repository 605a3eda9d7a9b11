"""The page of a trace, with a player."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from itertools import pairwise
from string import Template
from typing import Any, Literal, NamedTuple, get_args

from dlx.problem.problem import Problem
from dlx.problem.roles import LEFT_OUT
from dlx.search.trace import Kind, Trace
from dlx.show.elements import PALETTE, spoken
from dlx.show.problems import cells_of
from dlx.show.tilings import region

MOST_OPTIONS = 20_000  # of a page that a telephone can draw
MOST_ENTRIES = 500_000
MOST_CELLS = 10_000  # of a board
SIDE = 36  # of a cell in the picture of a tiling's board
QUEEN = "♛"
LINE = re.compile(r"(r|row|c|col|column)[ _]?(\d+)")  # the name of an item: a row or a column of a board
NUMBERS = {kind: number for number, kind in enumerate(get_args(Kind))}


class Backdrop(NamedTuple):
    """A picture of an empty board, and where it is, measured in cells.

    Attributes:
        svg: the picture, in dark colours on light ones or on none.
        left, top: its corner, seen from that of the board: 0, or less where something stands beside the board.
        width, height: its size.
        corner: how much of each cell's side is left free of candidates, at the top and the left.
    """

    svg: str
    left: float
    top: float
    width: float
    height: float
    corner: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The look of options on a board of cells.

    Attributes:
        kind: "pieces": options are pieces that have cells. "candidates": options are what may be written in a cell.
        rows: how many it has.
        columns: how many it has.
        marks: for each option its cells, (row, column, row, column, ...), what is written there, and for a candidate
            its place among those of the cell, from 0; or None for an option that is not on the board.
        region: for each cell, in reading order, the number of its region, for the thick lines; without it, pieces have
            these.
        givens: what is written in cells from the beginning, by their numbers in reading order.
        items: what the items are called for people; without it, by their names.
        heads: the same in a few signs, to stand above the columns of the matrix; without it, the first signs of that.
        backdrop: the empty board, which has the lines of regions then; without it, there are these lines only.

    Raises:
        ValueError: the kind is unknown, a cell is not on the board, or the backdrop has no size.
    """

    kind: Literal["pieces", "candidates"]
    rows: int
    columns: int
    marks: Sequence[tuple[Sequence[int], str, int] | None]
    region: Sequence[int] | None = None
    givens: Mapping[int, str] = field(default_factory=dict)
    items: Sequence[str] | None = None
    heads: Sequence[str] | None = None
    backdrop: Backdrop | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("pieces", "candidates"):
            raise ValueError(f"there is no kind of board {self.kind!r}; there are pieces and candidates")
        size = f"a board of {self.rows} rows and {self.columns} columns"
        for o, mark in enumerate(self.marks):
            if mark is None:
                continue
            places = list(mark[0])
            if not places or len(places) % 2:
                raise ValueError(f"option {o} is at {places}, which are no rows and columns in turn")
            for row, column in zip(places[::2], places[1::2], strict=True):
                if not (0 <= row < self.rows and 0 <= column < self.columns):
                    raise ValueError(f"option {o} is at {(row, column)}, which is not on {size}")
        if self.region is not None and len(self.region) != self.rows * self.columns:
            raise ValueError(f"there are {len(self.region)} regions for the cells of {size}")
        if self.backdrop is not None and not (self.backdrop.width > 0 and self.backdrop.height > 0):
            raise ValueError(f"the backdrop is {self.backdrop.width} x {self.backdrop.height} cells large")
        for given in self.givens:
            if not 0 <= given < self.rows * self.columns:
                raise ValueError(f"the given {given} is no cell of {size}")


def page(trace: Trace, *, title: str = "", board: Board | None = None) -> str:
    """Makes the page on which a search dances.

    It has the links of a small problem and the code that changes them, or the sizes of items; the search tree, the
    board if there is one, the covers found, and a player: step by step in both directions, by keys and touch, with a
    slider and at any speed.

    Parameters:
        trace: what `dlx.trace` has recorded.
        title: the heading.
        board: what options look like; without it, tilings and queens are known by the names of their items.

    Returns:
        HTML, about 90 kB besides the problem and the events.

    Raises:
        TypeError: it is no trace.
        ValueError: there are more than 20,000 options or 500,000 entries, or the board is not of the problem.

    >>> from dlx import trace
    >>> text = page(trace(Problem.from_options(["ab", "c", "bc"])), title="Three options")
    >>> text.startswith("<!DOCTYPE html>"), "<h1 id=\\"title\\">Three options</h1>" in text
    (True, True)
    """
    return filled(title or "A search that dances", recorded(trace, board))


def recorded(trace: Trace, board: Board | None) -> dict[str, Any]:
    """Returns the player's view of a trace; errors are as for `page`."""
    if not isinstance(trace, Trace):
        hint = "; dlx.trace(problem) records one" if isinstance(trace, Problem) else ""
        raise TypeError(f"there is a {type(trace).__name__} instead of a trace{hint}")
    problem = trace.problem
    check_size(problem)
    check_board(board, problem)
    events = [[NUMBERS[kind], *rest] for kind, *rest in trace.events]
    shown = board if board is not None else board_of(problem)
    return {"problem": drawn(problem, shown), "events": events, "stopped": trace.stopped}


def check_size(problem: Problem) -> None:
    """Refuses a problem that is too large for a page, by a ValueError, before its search is recorded."""
    if problem.n_options > MOST_OPTIONS or len(problem.indices) > MOST_ENTRIES:
        raise ValueError(
            f"the problem has {problem.n_options} options with {len(problem.indices)} entries; {MOST_OPTIONS} and "
            f"{MOST_ENTRIES} are the limits of a page"
        )


def check_board(board: Board | None, problem: Problem) -> None:
    """Refuses a board of another problem, by a ValueError."""
    for name, what, n in (
        ("marks", "options", problem.n_options),
        ("items", "items", problem.n_items),
        ("heads", "items", problem.n_items),
    ):
        if board is not None and (things := getattr(board, name)) is not None and len(things) != n:
            raise ValueError(f"the board has {len(things)} {name} for {n} {what} of the problem")


def board_of(problem: Problem) -> Board | None:
    """Returns the board that names tell of, of cells of a plane or of squares in rows and columns; None without any."""
    return _squares(problem) or _tiling(problem)


def _squares(problem: Problem) -> Board | None:
    """Returns the board of queens: every option is a square, with a row and a column among its items."""
    lines = [LINE.fullmatch(spoken(item)) for item in problem.items]
    places: list[tuple[int, int]] = []
    for a, b in pairwise(problem.indptr.tolist()):
        option = [match for i in problem.indices[a:b].tolist() if (match := lines[i])]
        at = {match[1][0]: int(match[2]) for match in option}
        if len(option) != 2 or len(at) != 2:
            return None
        places.append((at["r"], at["c"]))
    if not places or len(set(places)) != len(places):
        return None
    (top, left), (foot, right) = (tuple(map(edge, zip(*places, strict=True))) for edge in (min, max))
    rows, columns = foot - top + 1, right - left + 1
    if rows * columns > MOST_CELLS:
        return None
    marks = [((row - top, column - left), QUEEN, 0) for row, column in places]
    heads = [
        f"{line[1][0]}{line[2]}" if line else spoken(item) for line, item in zip(lines, problem.items, strict=True)
    ]
    return Board(kind="candidates", rows=rows, columns=columns, marks=marks, heads=heads)


def _tiling(problem: Problem) -> Board | None:
    """Returns the board of a tiling."""
    cells = cells_of(problem)
    if not cells or {len(place) for place in cells.values()} != {2}:
        return None
    top, left = (min(place[axis] for place in cells.values()) for axis in (0, 1))
    rows, columns = (1 + max(place[axis] for place in cells.values()) - (top, left)[axis] for axis in (0, 1))
    if rows * columns > MOST_CELLS:
        return None
    marks: list[tuple[list[int], str, int] | None] = []
    for a, b in pairwise(problem.indptr.tolist()):
        option = [problem.items[i] for i in problem.indices[a:b].tolist()]
        places = [(cells[item][0] - top, cells[item][1] - left) for item in option if item in cells]
        name = next((spoken(item) for item in option if item not in cells), "")
        marks.append(([part for place in places for part in place], name, 0) if places else None)
    picture = region([(row, column) for row, column in cells.values()], size=SIDE)
    width, height = picture.width / SIDE, picture.height / SIDE
    backdrop = Backdrop(str(picture), (columns - width) / 2, (rows - height) / 2, width, height)
    return Board(kind="pieces", rows=rows, columns=columns, marks=marks, backdrop=backdrop)


def drawn(problem: Problem, board: Board | None) -> dict[str, Any]:
    """Returns the player's view of a problem."""
    bounds = list(pairwise(problem.indptr.tolist()))
    indices = problem.indices.tolist()
    backdrop = board.backdrop._asdict() if board and board.backdrop else None
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
        "board": None if board is None else asdict(board) | {"items": None, "backdrop": backdrop},
    }


def filled(title: str, data: Mapping[str, Any]) -> str:
    """Returns the page with its parts; no text in the data can end its element."""
    lesson = ["lesson.js"] if "told" in data else []
    text = json.dumps(data, separators=(",", ":"), default=float).replace("<", "\\u003c")
    return Template(source("page.html")).substitute(
        title=escape(title),
        style=source("style.css"),
        data=text,
        engine=source("engine.js") + f"const PAINTS = {json.dumps(PALETTE)};\n",
        player="".join(map(source, ["stage.js", "pictures.js", "links.js", "scores.js", *lesson, "player.js"])),
    )


@cache
def source(name: str) -> str:
    """Returns the text of a file beside this one."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
