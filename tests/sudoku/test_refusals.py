"""Input that is refused, by Python: each line of tests/data/refused_sudoku.txt is an expression and its error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from refused import check_claim, each_claim

import dlx
import sudoku

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
}


CALLS = "as_grid(x) best(x) score(x) solve(x) count(x) shares(x) encode(x) rank(x,9) ties(x,9) to_line(x) to_svg(x)"


def every(grid: object) -> None:
    """Every function that takes a grid refuses it in the same words."""
    faults = []
    for call in [*CALLS.split(), "to_rows(x)", "to_boxed(x)"]:
        with pytest.raises(ValueError, match=r"grid|row") as caught:
            eval(call, {**NAMES, "x": grid})
        faults.append(caught.value)
    assert len({f"{type(fault)} {fault}" for fault in faults}) == 1
    raise faults[0]


@each_claim("refused_sudoku.txt")
def test_refused(claim: str, tmp_path: Path) -> None:
    """Each expression of a claim raises the error beside it, with the value and its place."""

    def file(text: str) -> Path:
        path = tmp_path / "file.txt"
        path.write_text(text, encoding="utf-8")
        return path

    check_claim(claim, {**NAMES, "file": file, "every": every})
