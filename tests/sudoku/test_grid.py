"""Grids as text: every form is read back as it was written; lines with regions."""

from __future__ import annotations

import re

import numpy as np
import pytest
from readings import LINE, SAMPLE, summary
from sudoku_command import to_rows

import sudoku
from sudoku.formats import parse, read
from sudoku.formats.conversion import to_boxed

ROWS, BOXED = to_rows(SAMPLE), to_boxed(SAMPLE)


@pytest.mark.parametrize("blank", "0.*-_xX?")
@pytest.mark.parametrize("form", ["line", "rows", "boxed", "bare"])
def test_blanks(blank: str, form: str) -> None:
    """Every sign for a blank is one in every form, and in rows without white space."""
    bare = re.sub("[^0-9.\n]", "", BOXED).replace("\n\n", "\n")
    text = {"line": LINE, "rows": to_rows(SAMPLE), "boxed": BOXED, "bare": bare}[form]
    cells = re.sub("[0.]", blank, text)
    assert np.array_equal(parse(cells), SAMPLE)


def test_end_ends_the_input() -> None:
    """Nothing after a line `end` is read, not even taken from the input."""
    lines = iter([LINE, "end", LINE])
    assert len(list(read(lines))) == 1
    assert next(lines) == LINE


@pytest.mark.parametrize("sign", ["*", "_", "~"])
def test_what_may_be_a_row_of_blanks_is_no_divider(sign: str) -> None:
    """A line of the sign for blanks as long as a row is a row, and a longer one is none."""
    blank = re.sub("[01]", sign, ROWS)
    assert summary(f"{sign * 11}\n{blank}") == [("rows", 2)]
    assert summary(f"{sign * 9}\n" + "\n".join(blank.splitlines()[1:])) == [("rows", 1)]
    assert summary(sign * 81) == [("line", 1)]


PUZZLE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
BOXES = "111222333" * 3 + "444555666" * 3 + "777888999" * 3
REGIONS = f"{BOXES[:2]}2{BOXES[3:12]}1{BOXES[13:]}"  # r1c3 and r2c4 are exchanged


@pytest.mark.parametrize("blank", "0.*_")
def test_a_line_of_cells_and_regions_has_any_blanks(blank: str) -> None:
    """Cells and regions in one line are a jigsaw, whatever sign its blanks have."""
    found = sudoku.as_puzzle(PUZZLE.replace(".", blank) + REGIONS)
    assert found.layout == sudoku.Layout.jigsaw([REGIONS[k : k + 9] for k in range(0, 81, 9)])
    assert sudoku.to_line(found.grid) == PUZZLE
