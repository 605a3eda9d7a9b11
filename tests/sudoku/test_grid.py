"""Grids as text: every form is read back as it was written, and one malformed grid never spoils another."""

from __future__ import annotations

import re

import numpy as np
import pytest
from readings import LINE, SAMPLE, summary

from sudoku.formats import parse, read
from sudoku.formats.conversion import to_boxed, to_rows

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
    blank = ROWS.replace("1", sign)
    assert summary(f"{sign * 11}\n{blank}") == [("rows", 2)]
    assert summary(f"{sign * 9}\n" + "\n".join(blank.splitlines()[1:])) == [("rows", 1)]
    assert summary(sign * 81) == [("line", 1)]
