"""The rules of f-puzzles: each leaves the grids that it should, of all of four rows, and the others are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count as count_up
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from small_squares import four_by_four

from sudoku import Layout, as_puzzle, count, read
from sudoku.grid import GridError, Puzzle

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
    """A rule leaves as many grids as plain enumeration, and a solution is checked by it."""
    expected = [g for g in ALL if holds(g)]
    assert count(puzzle(**rules)).covers == len(expected)
    for g in [*ALL[::23], *expected[:3]]:
        solved = next(read([json.dumps({"size": 4, "grid": [[{}] * 4] * 4, "solution": g.ravel().tolist(), **rules})]))
        assert isinstance(solved, Puzzle) == holds(g), solved
        assert isinstance(solved, Puzzle) or "the solution" in solved.reason


@pytest.mark.parametrize(("first", "second"), list(pairwise(RULES)))
def test_rules_together(
    first: tuple[dict[str, Any], Callable[[Grid], bool]], second: tuple[dict[str, Any], Callable[[Grid], bool]]
) -> None:
    """Two rules leave the grids that both leave."""
    rules = {**first[0], **second[0]}
    if len(rules) == 2:
        assert count(puzzle(**rules)).covers == sum(first[1](g) and second[1](g) for g in ALL)


def test_constraints_of_fpuzzles() -> None:
    """Cages, sums, arrows, thermometers and dots make the layouts that are made of them by hand."""
    value = {"size": 9, "grid": [[{}] * 9] * 9} | {
        "killercage": [{"cells": ["R1C1", "R1C2"], "value": "5"}, {"cells": ["R5C5", "R6C6"]}],
        "littlekillersum": [{"cell": "R0C2", "cells": ["R1C3", "R2C4"], "direction": "DR", "value": "12"}],
        "arrow": [{"cells": ["R9C9"], "lines": [["R9C9", "R8C8"], ["R9C9", "R9C8", "R9C7"]]}],
        "thermometer": [{"lines": [["R4C1", "R4C2"], ["R5C1", "R6C1"]]}],
        "difference": [{"cells": ["R7C1", "R7C2"]}],
        "ratio": [{"cells": ["R8C1", "R8C2"], "value": "2"}],
        "xv": [{"cells": ["R9C1", "R9C2"], "value": "X"}],
        "sandwichsum": [{"cell": "R3C0", "value": "10"}, {"cell": "R0C4", "value": 7}],
        "antiknight": True,
        "nonconsecutive": False,
    }
    expected = (
        Layout.named("anti-knight")
        .with_sums("cage", (5, [(0, 0), (0, 1)]))
        .with_regions("cage", [(4, 4), (5, 5)])
        .with_sums("little-killer", (12, [(0, 2), (1, 3)]))
        .with_sums("arrow", ((8, 8), [(7, 7)]), ((8, 8), [(8, 7), (8, 6)]))
        .with_sums("sandwich", (10, [(2, c) for c in range(9)]), (7, [(r, 3) for r in range(9)]))
        .with_lines("thermometer", [(3, 0), (3, 1)], [(4, 0), (5, 0)])
        .with_lines("white-dot", [(6, 0), (6, 1)])
        .with_lines("black-dot", [(7, 0), (7, 1)])
        .with_lines("X", [(8, 0), (8, 1)])
    )
    assert as_puzzle(json.dumps(value)).layout == expected


def test_a_given_in_a_cell_of_the_other_parity() -> None:
    """A given that is even where it should be odd leaves no completion."""
    grid = [[{"value": 2, "given": True}, {}, {}, {}], *[[{}] * 4] * 3]
    assert count(puzzle(grid=grid, odd=[{"cell": "R1C1"}])).covers == 0
    assert count(puzzle(grid=grid, odd=[{"cell": "R1C2"}])).covers == 72 * 2 // 3


def test_a_picture_of_what_is_no_name() -> None:
    """A line that says by no text of which rule it is a picture is refused as all others are, and the next is read."""
    bare = {"size": 4, "grid": [[{}] * 4] * 4}
    lines: list[Any] = [[], {}, 1, "Renban"]
    texts = [json.dumps(bare | {"line": [{"lines": [NAMES], "fromConstraint": of}]}) for of in lines]
    faults = [str(found) if isinstance(found, GridError) else "" for text in texts for found in read([text])]
    assert ["what is not supported: 'line'" in fault for fault in faults] == [True, True, True, False]


def test_negative_marks_are_checked_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many kinds of ratios the layout is made once, and is what it is if one kind comes after the other."""
    layout = Layout.boxes(2, 2)
    for k in range(3, 20):
        layout = layout.with_lines(f"ratio-{k}", [(0, 0), (0, 1)])
    kinds, one_by_one = [f"ratio-{k}" for k in range(3, 20)], layout
    for kind in kinds:
        one_by_one = one_by_one.with_negative(kind)
    checks, check = count_up(), Layout.__post_init__
    monkeypatch.setattr(Layout, "__post_init__", lambda self: (check(self), next(checks))[0])
    assert layout.with_negative(*kinds) == one_by_one
    assert next(checks) == 1
