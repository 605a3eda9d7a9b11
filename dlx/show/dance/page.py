"""A trace as a page with a player, the page that searches by itself, and how the bound and the best score meet."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from html import escape
from importlib.resources import files
from itertools import pairwise
from string import Template
from typing import Any, Literal, NamedTuple, get_args

from dlx.engine.limits import Progress, Stop
from dlx.optimum.best import Best
from dlx.problem.problem import Coloured, Label, Problem
from dlx.problem.roles import LEFT_OUT
from dlx.search.trace import Kind, Trace
from dlx.show.elements import short, spoken
from dlx.show.problems import cells_of
from dlx.show.tilings import region

MOST_OPTIONS = 20_000  # of a page that a telephone can draw
MOST_ENTRIES = 500_000
MOST_CELLS = 10_000  # of a board
SIDE = 36  # of a cell in the picture of a tiling's board
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
        givens: the numbers of cells that were filled from the beginning.
        items: what the items are called for people; without it, by their names.
        heads: the same in a few signs, to stand above the columns of the matrix; without it, the first signs of that.
        backdrop: the empty board, which has the lines of regions then; without it, there are these lines only.

    Raises:
        ValueError: there is no such kind, what is in a cell is not on the board, or its backdrop has no size.
    """

    kind: Literal["pieces", "candidates"]
    rows: int
    columns: int
    marks: Sequence[tuple[Sequence[int], str, int] | None]
    region: Sequence[int] | None = None
    givens: Sequence[int] = ()
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

    It has the matrix with its links, the search tree, the board if there is one, the covers found, and a player: step
    by step in both directions, by keys and touch, with a slider and at any speed.

    Parameters:
        trace: what `dlx.trace` has recorded.
        title: the heading.
        board: what options look like; without it, tilings are known by the names of their items, as `dlx.show` does.

    Returns:
        HTML, about 35 kB besides the problem and the events.

    Raises:
        TypeError: it is no trace.
        ValueError: there are more than 20,000 options or 500,000 entries, or the board is not of the problem.

    >>> from dlx import trace
    >>> text = page(trace(Problem.from_options(["ab", "c", "bc"])), title="Three options")
    >>> text.startswith("<!DOCTYPE html>"), "<h1 id=\\"title\\">Three options</h1>" in text
    (True, True)
    """
    if not isinstance(trace, Trace):
        hint = "; dlx.trace(problem) records one" if isinstance(trace, Problem) else ""
        raise TypeError(f"there is a {type(trace).__name__} instead of a trace{hint}")
    problem = trace.problem
    check_size(problem)
    for name, what, n in (
        ("marks", "options", problem.n_options),
        ("items", "items", problem.n_items),
        ("heads", "items", problem.n_items),
    ):
        if board is not None and (things := getattr(board, name)) is not None and len(things) != n:
            raise ValueError(f"the board has {len(things)} {name} for {n} {what} of the problem")
    events = [[NUMBERS[kind], *rest] for kind, *rest in trace.events]
    shown = board if board is not None else board_of(problem)
    data = {"problem": _problem(problem, shown), "events": events, "stopped": trace.stopped}
    return filled(title or "A search that dances", data)


def check_size(problem: Problem) -> None:
    """Refuses a problem that is too large for a page, by a ValueError, before its search is recorded."""
    if problem.n_options > MOST_OPTIONS or len(problem.indices) > MOST_ENTRIES:
        raise ValueError(
            f"the problem has {problem.n_options} options with {len(problem.indices)} entries; {MOST_OPTIONS} and "
            f"{MOST_ENTRIES} are the limits of a page"
        )


def live_page(*scripts: str, title: str = "See it dance") -> str:
    """Returns the page on which people type a problem and see it dance; scripts add to its `PARSERS` and `EXAMPLES`."""
    return filled(title, {"mostOptions": MOST_OPTIONS}, _source("form.html"), scripts)


def board_of(problem: Problem) -> Board | None:
    """Returns the board of a tiling, whose items are cells of a plane by their names; None for other problems."""
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


def _problem(problem: Problem, board: Board | None) -> dict[str, Any]:
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


def filled(title: str, data: Mapping[str, Any], form: str = "", scripts: Iterable[str] = ()) -> str:
    """The page with its parts; what is data cannot end its element."""
    text = json.dumps(data, separators=(",", ":"), default=float).replace("<", "\\u003c")
    return Template(_source("page.html")).substitute(
        title=escape(title),
        style=_source("style.css"),
        form=form,
        data=text,
        engine="\n".join([_source("engine.js"), *scripts]),
        player=_source("scores.js") + _source("player.js"),
    )


@cache
def _source(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


# The search for the best cover

LONGEST = 300  # characters of a cover in words
LONGEST_TICK = 13
STOPPED_BY: dict[Stop, str] = {
    "max_covers": "the limit of covers",
    "max_nodes": "the limit of nodes",
    "timeout": "the limit of time",
    "interrupt": "Ctrl-C",
    "gap": "the gap that is small enough",
}

Number = int | float
Pair = tuple[Number | None, Number | None]  # the best score and the bound


def prices_page(reports: Iterable[Progress], result: Best, *, title: str = "") -> str:
    """Makes the page on which bound and score of a search for the best come together.

    Parameters:
        reports: what `dlx.best` has told its `progress`, in that order.
        result: what it has returned.
        title: the heading.

    Returns:
        HTML. Whole numbers are written exactly, others with twelve digits.

    >>> import dlx
    >>> seen: list[Progress] = []
    >>> problem = dlx.Problem.from_options(["ab", "c", "a", "b"], weights=[3, 1, 2, 2])
    >>> result = dlx.best(problem, "max", progress=seen.append)
    >>> "the best cover scores 5, that is proven. Its options: c | a | b." in prices_page(seen, result)
    True
    """
    told = list(reports)
    pairs: list[Pair] = [(report.score, report.bound) for report in told]
    pairs.append((result.score, result.score if result.proven else result.bound))
    whens = [(report.seconds, report.nodes) for report in told] + [(result.seconds, result.nodes)]
    low, high = _range(pairs)
    shown = [
        {"seconds": seconds, "nodes": nodes, "score": _point(score, low, high), "bound": _point(bound, low, high)}
        for (seconds, nodes), (score, bound) in zip(whens, pairs, strict=True)
    ]
    data = {"reports": shown, "ticks": _ticks(low, high, _whole(pairs)), "sense": _sense(pairs), "end": _end(result)}
    return filled(title or "The best cover", data)


def _point(value: Number | None, low: Fraction, high: Fraction) -> tuple[str, float] | None:
    """A number as text, since JavaScript would round it, and its height in the picture, from 0 to 1."""
    if value is None:
        return None
    return _written(value), round(min(1.0, max(0.0, float((Fraction(value) - low) / (high - low)))), 4)


def _written(value: Number) -> str:
    """Returns a number without the noise of its last binary digits."""
    return str(value) if isinstance(value, int) else f"{value:.12g}"


def _range(pairs: Sequence[Pair]) -> tuple[Fraction, Fraction]:
    """Returns the range of the scale: that of the last half of the pairs, or of more until two numbers differ."""
    values: set[Fraction] = set()
    for k, pair in enumerate(reversed(pairs)):
        if 2 * k >= len(pairs) and len(values) > 1:
            break
        values |= {Fraction(value) for value in pair if value is not None}
    low, high = min(values, default=Fraction(0)), max(values, default=Fraction(0))
    room = (high - low) / 12 or abs(high) / 20 or Fraction(1)
    room = max(room, Fraction(1)) if _whole(pairs) else room
    return low - room, high + room


def _whole(pairs: Sequence[Pair]) -> bool:
    return all(isinstance(value, int) for pair in pairs for value in pair if value is not None)


def _ticks(low: Fraction, high: Fraction, whole: bool) -> list[tuple[float, str]]:
    """Returns three heights or more on a scale, with their numbers in all the digits that differ."""
    least = max((high - low) / 8, Fraction(whole))
    power = math.floor(math.log10(least))
    unit = next(unit for unit in (1, 2, 5, 10, 20) if unit * Fraction(10) ** power >= least)
    step = unit * Fraction(10) ** power
    counts = range(math.ceil(low / step), math.floor(high / step) + 1)
    values = [Decimal(count * unit).scaleb(power) for count in counts]
    size = max(value.adjusted() for value in values)
    plain = [f"{value:,.{max(0, -power)}f}" for value in values]
    compact = [f"{value:.{max(0, size - power)}e}".replace("e+", "e") if value else "0" for value in values]
    longest = max(map(len, plain))
    texts = compact if longest > LONGEST_TICK and max(map(len, compact)) < longest else plain
    return [
        (round(float((count * step - low) / (high - low)), 4), text) for count, text in zip(counts, texts, strict=True)
    ]


def _sense(pairs: Sequence[Pair]) -> Literal["min", "max"] | None:
    """Returns the sense of the search, if it shows: the bound is on that side of the score."""
    bounds = [bound for _, bound in pairs if bound is not None]
    ways = [score - bound for score, bound in pairs if score is not None and bound is not None]
    ways += [bounds[-1] - bounds[0]] if bounds else []
    way = max(ways, key=abs, default=0)
    return "min" if way > 0 else "max" if way < 0 else None


def _end(result: Best) -> str:
    if result.proven and not result.covers:
        return "There is no cover: that is proven."
    seconds = f"{result.seconds:.2f}" if result.seconds >= 1 else f"{result.seconds:.2g}"
    nodes = f"{result.nodes} node{'s' * (result.nodes != 1)}"
    by = f", stopped by {STOPPED_BY[result.stopped]}" if result.stopped and not result.proven else ""
    return f"After {seconds} s and {nodes}{by}: {_found(result)}."


def _found(result: Best) -> str:
    """The best cover, and how good it is."""
    none = "" if result.bound is None else f", none can beat {_written(result.bound)}"
    if not result.covers:
        return f"no cover yet{none}"
    best = result.covers[0]
    options = short(" | ".join(map(_option, best.labels)), LONGEST)
    gap = ""  # the distance of the bound from the best score, in per cent of that
    if result.bound is not None and result.score:
        part = abs(Fraction(result.score) - Fraction(result.bound)) / abs(Fraction(result.score))
        gap = f" (a gap of {float(100 * part):.3g} %)"
    proven = ", that is proven" if result.proven else f"{none}{gap}"
    so_far = "" if result.proven else "so far "
    return f"the best cover {so_far}scores {_written(best.score)}{proven}. Its options: {options}"


def _option(label: Label) -> str:
    """An option as it is called, or its items with their colours."""
    if not isinstance(label, tuple):
        return spoken(label)
    return " ".join(
        f"{spoken(part.item)}:{spoken(part.colour)}" if isinstance(part, Coloured) else spoken(part) for part in label
    )
