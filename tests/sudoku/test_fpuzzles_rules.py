"""The rules of f-puzzles: each leaves the grids that it should, of all of four rows, and the others are refused."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from small_squares import four_by_four

from sudoku import Layout, as_puzzle, count, read
from sudoku.grid import Puzzle

Grid = npt.NDArray[np.uint8]
ALL = [*four_by_four()]
DOWN = [("R1C1", 0, 0), ("R2C2", 1, 1), ("R3C3", 2, 2), ("R4C4", 3, 3)]
NAMES = [name for name, _, _ in DOWN]


def puzzle(**rules: Any) -> Puzzle:
    """An f-puzzle of four rows with some rules."""
    return as_puzzle(json.dumps({"size": 4, "grid": [[{}] * 4] * 4} | rules))


def neighbours(g: Grid) -> list[tuple[int, int]]:
    """The digits of cells that share a side."""
    return [(int(a), int(b)) for lines in (g, g.T) for line in lines for a, b in pairwise(line)]


def moves(g: Grid, steps: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The digits of cells that are a step apart."""
    cells = [(r, c, r + dr, c + dc) for r in range(4) for c in range(4) for dr, dc in steps]
    return [(int(g[r, c]), int(g[s, d])) for r, c, s, d in cells if 0 <= s < 4 and 0 <= d < 4]


def between(line: Grid) -> int:
    """The sum of the digits between 1 and 4."""
    a, b = sorted((int(np.flatnonzero(line == 1)[0]), int(np.flatnonzero(line == 4)[0])))
    return int(line[a + 1 : b].sum())


RULES: list[tuple[dict[str, Any], Callable[[Grid], bool]]] = [
    ({"diagonal-": True}, lambda g: len(set(np.diag(g).tolist())) == 4),
    ({"diagonal+": True}, lambda g: len(set(np.diag(g[::-1]).tolist())) == 4),
    ({"antiknight": True}, lambda g: all(a != b for a, b in moves(g, [(1, 2), (1, -2), (2, 1), (2, -1)]))),
    ({"antiking": True}, lambda g: all(a != b for a, b in moves(g, [(1, 1), (1, -1)]))),
    ({"nonconsecutive": True}, lambda g: all(abs(a - b) != 1 for a, b in neighbours(g))),
    (
        {"disjointgroups": True},
        lambda g: all(len({*g[r::2, c::2].ravel().tolist()}) == 4 for r in (0, 1) for c in (0, 1)),
    ),
    ({"extraregion": [{"cells": NAMES}]}, lambda g: len(set(np.diag(g).tolist())) == 4),
    ({"killercage": [{"cells": NAMES[:2], "value": "5"}]}, lambda g: g[0, 0] != g[1, 1] and g[0, 0] + g[1, 1] == 5),
    ({"killercage": [{"cells": ["R1C1", "R4C4"], "outlineC": "#FF0000"}]}, lambda g: g[0, 0] != g[3, 3]),
    (
        {"littlekillersum": [{"cell": "R0C0", "direction": "DR", "cells": NAMES, "value": "10"}]},
        lambda g: int(np.diag(g).sum()) == 10,
    ),
    ({"sandwichsum": [{"cell": "R2C0", "value": "5"}]}, lambda g: between(g[1]) == 5),
    ({"sandwichsum": [{"cell": "R5C3", "value": 2}]}, lambda g: between(g[:, 2]) == 2),
    ({"arrow": [{"cells": ["R1C1"], "lines": [["R1C1", "R2C2", "R3C3"]]}]}, lambda g: g[0, 0] == g[1, 1] + g[2, 2]),
    (
        {"thermometer": [{"lines": [NAMES[:3], ["R1C4", "R1C3"]]}]},
        lambda g: g[0, 0] < g[1, 1] < g[2, 2] and g[0, 3] < g[0, 2],
    ),
    ({"difference": [{"cells": ["R1C1", "R1C2"]}]}, lambda g: abs(int(g[0, 0]) - int(g[0, 1])) == 1),
    (
        {"ratio": [{"cells": ["R1C1", "R1C2"], "value": "2"}]},
        lambda g: g[0, 0] == 2 * g[0, 1] or g[0, 1] == 2 * g[0, 0],
    ),
    ({"xv": [{"cells": ["R1C1", "R1C2"], "value": "V"}]}, lambda g: g[0, 0] + g[0, 1] == 5),
    ({"odd": [{"cell": "R1C1"}, {"cell": "R2C3"}]}, lambda g: g[0, 0] % 2 == g[1, 2] % 2 == 1),
    ({"even": [{"cell": "R1C1"}, {"cell": "R4C2"}]}, lambda g: g[0, 0] % 2 == g[3, 1] % 2 == 0),
]


@pytest.mark.parametrize(
    ("rules", "holds"), RULES, ids=lambda value: next(iter(value), "") if isinstance(value, dict) else ""
)
def test_rules(rules: dict[str, Any], holds: Callable[[Grid], bool]) -> None:
    """A rule leaves as many grids as plain enumeration."""
    expected = [g for g in ALL if holds(g)]
    assert count(puzzle(**rules)).covers == len(expected)


def test_a_given_in_a_cell_of_the_other_parity() -> None:
    """A given that is even where it should be odd leaves no completion."""
    grid = [[{"value": 2, "given": True}, {}, {}, {}], *[[{}] * 4] * 3]
    assert count(puzzle(grid=grid, odd=[{"cell": "R1C1"}])).covers == 0
    assert count(puzzle(grid=grid, odd=[{"cell": "R1C2"}])).covers == 72 * 2 // 3


@pytest.mark.parametrize("name", ["line", "rectangle", "circle", "text", "cage"])
def test_what_is_only_drawn(name: str) -> None:
    """Lines, shapes and texts that are no pictures of rules are skipped, with a warning that names them."""
    bare = {"size": 4, "grid": [[{"c": "#FF0000"}] * 4] * 4}
    of: Any
    for of in ([], {}, 1, "Renban", None):
        text = json.dumps(bare | {name: [{"lines": [NAMES], "cells": NAMES, "fromConstraint": of}]})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            (found,) = read([text], file="f.json")
        assert isinstance(found, Puzzle)
        assert found.layout == Layout.boxes(2, 2)
        warned = [f"f.json: skipped '{name}' of f-puzzles, which is only drawn and no rule"]
        assert [str(one.message) for one in caught] == (warned if of != "Renban" else [])
