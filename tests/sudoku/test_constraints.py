"""The rules of f-puzzles as layouts, and what of them is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

import sudoku
from sudoku import Layout, as_puzzle


def fpuzzle(n: int = 9, **members: Any) -> dict[str, Any]:
    """An f-puzzle without givens, and some members."""
    return {"size": n, "grid": [[{} for _ in range(n)] for _ in range(n)], **members}


def wrong(value: dict[str, Any]) -> str:
    """What is said to be wrong with a puzzle."""
    (error,) = sudoku.read([json.dumps(value)])
    assert isinstance(error, sudoku.GridError)
    return error.reason


def test_constraints_of_fpuzzles() -> None:
    """Cages, sums, arrows, thermometers and dots make the layouts that are made of them by hand."""
    value = fpuzzle(
        killercage=[{"cells": ["R1C1", "R1C2"], "value": "5"}, {"cells": ["R5C5", "R6C6"]}],
        littlekillersum=[{"cell": "R0C2", "cells": ["R1C3", "R2C4"], "direction": "DR", "value": "12"}],
        arrow=[{"cells": ["R9C9"], "lines": [["R9C9", "R8C8"], ["R9C9", "R9C8", "R9C7"]]}],
        thermometer=[{"lines": [["R4C1", "R4C2"], ["R5C1", "R6C1"]]}],
        difference=[{"cells": ["R7C1", "R7C2"]}],
        ratio=[{"cells": ["R8C1", "R8C2"], "value": "2"}],
        xv=[{"cells": ["R9C1", "R9C2"], "value": "X"}],
        sandwichsum=[{"cell": "R3C0", "value": "10"}, {"cell": "R0C4", "value": 7}],
        antiknight=True,
        nonconsecutive=False,
    )
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


@pytest.mark.parametrize(
    ("rule", "broken"),
    [
        ({"killercage": [{"cells": ["R1C1", "R1C2"], "value": "4"}]}, "cage 0"),
        ({"thermometer": [{"lines": [["R1C2", "R1C1"]]}]}, "thermometer 0"),
        ({"sandwichsum": [{"cell": "R1C0", "value": "4"}]}, "sandwich 0"),
        ({"arrow": [{"cells": ["R1C1"], "lines": [["R1C1", "R1C2"]]}]}, "arrow 0"),
        ({"nonconsecutive": True}, "non-consecutive 0"),
    ],
)
def test_solutions_that_break_a_rule(rule: dict[str, Any], broken: str) -> None:
    """A solution that breaks any rule of its puzzle is an error that names the rule."""
    solution = [1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1]
    assert f"the solution breaks the {broken}" in wrong(fpuzzle(4, solution=solution, **rule))
    kept = {"killercage": [{"cells": ["R1C1", "R1C2"], "value": "3"}], "sandwichsum": [{"cell": "R0C1", "value": "5"}]}
    assert as_puzzle(json.dumps(fpuzzle(4, solution=solution, **kept))).layout.sums


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"killercage": [{"cells": ["R1C1"], "value": "big"}]}, "killercage has the value 'big' instead of a number"),
        ({"killercage": 5}, "'killercage' with 5 instead of a list"),
        ({"littlekillersum": [{"cells": ["R1C1"]}]}, "littlekillersum has no value"),
        ({"arrow": [{"cells": ["R1C1", "R1C2"], "lines": []}]}, "arrow has what is not supported: a circle of several"),
        ({"arrow": [{"cells": ["R1C1"], "lines": [["R1C1", "R0C2"]]}]}, "arrow has 'R0C2', which is no cell"),
        ({"arrow": [{"cells": ["R1C1"], "lines": [["R1C1"]]}]}, "the arrow 0 has no cells"),
        ({"thermometer": [{"lines": 3}]}, "'lines' with 3 instead of a list"),
        ({"difference": [{"cells": ["R1C1", "R1C2"], "value": "3"}]}, "difference has the value '3', which is not"),
        ({"xv": [{"cells": ["R1C1", "R1C2"]}]}, "xv has the value '', which is not supported: X, V are"),
        ({"sandwichsum": [{"cell": "R1C1", "value": "3"}]}, "sandwichsum has 'R1C1', which is beside no row and no"),
    ],
)
def test_rules_that_are_refused(members: dict[str, Any], reason: str) -> None:
    """A rule in a way that has no equal here, or malformed, is an error that names it."""
    assert reason in wrong(fpuzzle(**members))
