"""Pieces and boards: from the text of a puzzle to a tiling and to their number, beside the package polyomino.

Each side runs in a process of its own (`tile_sides.py`), and every count is checked. The features of other programs are
those that their documentation states.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest
from apart import Stopwatch, missing, started
from puzzles import HOLE
from report import Record, bands, duration, grouped, legend, markdown, plot, ratio, ticks
from tile_sides import SIDES

from dlx.tiles import loads

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIMIT = 60.0  # seconds of processor time for one task of one side

CHRISTMAS = """
######.
#####..
#######
#######
#######
###.###
###....
"""
HEART = """
  # #   # #
 # # # # # #
# # # # # # #
 # # # # # #
  # # # # #
   # # # #
    # # #
     # #
      #
"""
# name: the text, and how many tilings there are
PUZZLES = {
    "pentominoes 3x20": ("board: 3x20\npieces: pentominoes", 8),
    "pentominoes 6x10": ("board: 6x10\npieces: pentominoes", 9_356),
    "pentominoes, 8x8 with a hole": (f"board:{HOLE}\npieces: pentominoes", 520),
    "calendar, 25 December": (f"board:{CHRISTMAS}\npieces: pentomino:LNPUVYZ, 2x3", 92),
    "Y pentominoes 15x15": ("board: 15x15\npieces any: pentomino:Y", 1_696),
    "hexiamonds, rhombus of side 6": ("board: parallelogram 6\npieces: hexiamonds", 624),
    "honeycomb of trihexes and tetrahexes": ("board: hexagon 4\npieces: trihexes, tetrahexes", 147_480),
    "heart of 38 hexagons": (f"board:{HEART}\npieces: monohex, trihexes, tetrahexes", 1_355_726),
    "Soma cube": ("board: 3x3x3\npieces: soma", 11_520),
    "Conway's box": (
        "board: 5x5x5\npieces 13: 1x2x4\npieces: 2x2x2, 1x2x2\npieces 3: 1x1x3",
        27_456,
    ),
}
EXAMPLE = "board: 2x2\npieces any: domino"
FLAT = [name for name in PUZZLES if "hex" not in name and "ube" not in name and "box" not in name]

CLOCK = Stopwatch()
pytestmark = pytest.mark.benchmark(timer=CLOCK)


def task(text: str) -> dict[str, Any]:
    """A puzzle as text and as cells."""
    board, pieces, each = loads(text)
    assert board is not None
    once = all(times == (1, 1) for times in each.values())
    return {"text": text, "cells": [*board.marks], "pieces": [list(piece.cells) for piece in pieces], "any": not once}


def measure(side: str, name: str) -> dict[str, Any]:
    """The times of the tasks of a side on a puzzle."""
    process = started("tile_sides.py", side, LIMIT, (task(PUZZLES[name][0]), task(EXAMPLE)))
    assert process.returncode in (0, -signal.SIGPROF), process.stderr.decode()
    tasks = {line["task"]: line for line in map(json.loads, process.stdout.splitlines())}
    CLOCK.seconds += sum(line["seconds"] for line in tasks.values())
    return tasks


@pytest.mark.parametrize(("name", "side"), [(n, s) for n in PUZZLES for s in SIDES if s == "dlx" or n in FLAT])
def test_tilings(benchmark: Any, name: str, side: str) -> None:
    """A side finds a tiling, and as many as there are, if it ends in time."""
    if reason := missing(side):
        pytest.skip(reason)
    tasks = benchmark.pedantic(measure, args=(side, name), rounds=1)
    expected = PUZZLES[name][1]
    assert {task["result"] for task in tasks.values()} <= {1, expected}
    assert "count" not in tasks or tasks["count"]["result"] == expected
    seconds = {task: line["seconds"] for task, line in tasks.items()}
    benchmark.extra_info.update(puzzle=name, side=side, tilings=expected, tasks=seconds, limit=LIMIT)


# The report

COLOURS = {"dlx": "#0b5cad", "polyomino": "#e69f00"}

PROGRAMS = ["", "`dlx.tiles`", "Sage `TilingSolver`", "BurrTools 0.7.1", "polyomino 0.7.1"]
NO = ""
FEATURES = [
    ["cells", "squares, cubes, triangles, hexagons", "boxes of any dimension", "cubes, prisms, three more", "squares"],
    ["boards", "drawings, sizes, masks, cells, torus", "sizes, cells", "drawn in its window", "sizes, cells"],
    ["pieces by name", "up to ten cells, Soma, Bedlam", NO, NO, "up to five squares"],
    ["how often", "ranges, any number", "once, or any number", "ranges", "once, at most once, any number"],
    ["cells that may stay empty", "yes", NO, "yes", NO],
    ["cells that have to match", "equal marks", NO, "pairs of colours", NO],
    ["reflections", "of each piece", "of all pieces", NO, "of all pieces"],
    ["tilings up to symmetry", "yes", "up to rotation", "yes", NO],
    ["counting without visiting each", "yes", NO, NO, NO],
    ["the best, random ones, shares", "yes", NO, NO, NO],
    ["taking apart", NO, NO, "yes", NO],
    ["pictures", "SVG of every lattice, text", "plots, animations", "solids that move", "text, PNG"],
    ["files", "plain text", NO, "`.xmpuzzle`", NO],
]  # fmt: skip


def table(records: Sequence[Record]) -> str:
    """The times on each puzzle, and the features of four programs."""
    puzzles = grouped(records, "puzzle")
    header = ["puzzle", "tilings", "first tiling", "polyomino", "number of tilings", "polyomino"]
    return f"""# Pieces and boards: `dlx.tiles` beside others

From the text of a puzzle to a tiling, and to the number of all of them, turned and reflected ones as well; polyomino
begins with cells. It has squares alone, and counts by its engine, the package exact-cover. Every number was checked.
Times are processor seconds on one thread, after imports, the least of several rounds; a side ends after {LIMIT:g} s.

{markdown(header, [_row(name, sides) for name, sides in puzzles.items()])}

## Features

As their documentation states them: [Sage](https://doc.sagemath.org/html/en/reference/combinat/sage/combinat/tiling.html),
[BurrTools](https://burrtools.sourceforge.net/gui-doc/toc.html), [polyomino](https://pypi.org/project/polyomino/).

{markdown(PROGRAMS, FEATURES, len(PROGRAMS))}"""


def _row(name: str, sides: Mapping[str, Record]) -> list[str]:
    cells = [_time(sides.get(side), task) for task in ("first", "count") for side in SIDES]
    return [name, f"{sides['dlx']['tilings']:,}", *cells]


def _time(record: Record | None, task: str) -> str:
    if record is None:
        return ""
    return duration(record["tasks"][task]) if task in record["tasks"] else f"> {record['limit']:g} s"


def chart(records: Sequence[Record]) -> Figure:
    """A band for each puzzle: the time to the number of its tilings."""
    puzzles = grouped(records, "puzzle")
    figure, axes = plot(6, "From the text of a puzzle to the number of its tilings")
    bands(axes, [f"{name}\n{sides['dlx']['tilings']:,} tilings" for name, sides in puzzles.items()])
    axes.set_xlim(0.01, 100)
    ticks(axes.xaxis, [0.01, 0.1, 1, 10, 100])
    for band, sides in enumerate(puzzles.values()):
        times = {side: record["tasks"]["count"] for side, record in sides.items() if "count" in record["tasks"]}
        if len(times) == len(COLOURS):
            ratio(axes, band, (times["dlx"], times["polyomino"]), f"{times['polyomino'] / times['dlx']:.0f}x")
        for side, time in times.items():
            axes.plot(time, band, "o", color=COLOURS[side], markersize=9, markeredgecolor="white", zorder=3)
    legend(figure, axes, COLOURS, len(COLOURS))
    return figure
