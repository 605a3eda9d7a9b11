"""Input, and what becomes of it: the lines of tests/data/answers_sudoku.txt and refused_sudoku.txt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refused import check_claim, each_claim
from sudoku_command import CLASH, CLUE17, MANY, SOLVED

import dlx
import sudoku


def without(layout: sudoku.Layout) -> tuple[object, ...]:
    """The answers of four searches on a layout without completions; of the last on a full grid."""
    completion, best = sudoku.solve(81 * ".", layout).completion, sudoku.best(81 * ".", layout=layout)
    return sudoku.count(81 * ".", layout).covers, completion, best.score, bool(sudoku.shares(SOLVED, layout).any())


def setters(n: int, rules: dict[str, Any]) -> sudoku.Puzzle:
    """The puzzle of f-puzzles with some rules, and no givens."""
    return sudoku.as_puzzle(json.dumps({"size": n, "grid": n * [n * [{}]]} | rules))


LINE = "7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"
NAMES = {
    **{name: getattr(sudoku, name) for name in sudoku.__all__},
    **{"dlx": dlx, "np": np, "LINE": LINE, "GRID": sudoku.parse(LINE), "EMPTY": np.zeros((9, 9), dtype=np.uint8)},
    "BARE": [LINE[k : k + 9] for k in range(0, 81, 9)],
    "FOUR": sudoku.Layout.boxes(2, 2),
    "NINE": sudoku.Layout.boxes(),
    "TWO": sudoku.Layout.gattai((0, 0), (2, 2), box=(2, 2)),
    "ONE": [(0, 0)],
    "ROW": [(0, c) for c in range(9)],
    "DOWN": [(k, k) for k in range(9)],
    **{"CLASH": CLASH, "CLUE17": CLUE17, "MANY": MANY, "SOLVED": SOLVED, "without": without, "setters": setters},
    "HARD": "800000000003600000070090200050007000000045700000100030001000068008500010090000400",
    "MARKED": sudoku.as_puzzle(81 * ".", None, np.arange(729).reshape(9, 9, 9) != 4),
    "P": sudoku.encode(16 * ".", (2, 2)),
    "F": list(range(0, 64, 4)),  # as it were a completion by 1 alone
}


CALLS = "as_grid(x) best(x) score(x) solve(x) count(x) shares(x) encode(x) to_line(x) to_svg(x)"


def every(grid: object) -> None:
    """Every function that takes a grid refuses it in the same words."""
    faults = []
    for call in [*CALLS.split(), "list(write([x],'rows'))", "to_boxed(x)"]:
        with pytest.raises(ValueError, match=r"grid|row") as caught:
            eval(call, {**NAMES, "x": grid})
        faults.append(caught.value)
    assert len({f"{type(fault)} {fault}" for fault in faults}) == 1
    raise faults[0]


@each_claim("answers_sudoku.txt", "refused_sudoku.txt")
def test_claims(claim: str, tmp_path: Path) -> None:
    """Each expression of a claim has the value beside it, or raises the error, with the value and its place."""

    def file(text: str) -> Path:
        path = tmp_path / "file.txt"
        path.write_text(text, encoding="utf-8")
        return path

    check_claim(claim, {**NAMES, "file": file, "every": every})
