"""Grids as text: every form is read back as it was written, and one malformed grid never spoils another."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from readings import LINE, SAMPLE, grids, summary

from sudoku.formats import parse, read
from sudoku.formats.conversion import to_boxed, to_line, to_rows
from sudoku.grid import Form, Grid, GridError, Puzzle
from sudoku.layout import Box

WRITERS = {"line": to_line, "rows": to_rows, "boxed": to_boxed}
BOXES = [(2, 2), (2, 3), (3, 2), (3, 3), (2, 5), (4, 4), (5, 5)]
ROWS, BOXED = to_rows(SAMPLE), to_boxed(SAMPLE)


def forms() -> st.SearchStrategy[Form]:
    return st.sampled_from(["line", "rows", "boxed"])


def replaced(text: str, number: int, line: str) -> str:
    """The text with another line in the place of line `number`, from 1."""
    lines = text.splitlines()
    return "\n".join([*lines[: number - 1], line, *lines[number:]])


@st.composite
def streams(draw: st.DrawFn) -> tuple[Box, list[tuple[Grid, Form, str]]]:
    """Grids of some box, each in a form, and what stands behind it: an empty line at least."""
    box = draw(st.sampled_from(BOXES))
    between = st.sampled_from(["\n", "# note\n\n", "\n\n#\n"])
    return box, draw(st.lists(st.tuples(grids(box), forms(), between), max_size=6))


@settings(deadline=None)
@given(streams())
@pytest.mark.slow
def test_forms_mix_in_one_stream(stream: tuple[Box, list[tuple[Grid, Form, str]]]) -> None:
    """Written grids of every box are read as the same ones, in the same forms, with anything between them."""
    box, parts = stream
    text = "".join(f"{WRITERS[form](grid, box)}\n{between}" for grid, form, between in parts)
    found = list(read(text.splitlines(keepends=True), layout=box))
    assert len(found) == len(parts)
    for puzzle, (grid, form, _) in zip(found, parts, strict=True):
        assert isinstance(puzzle, Puzzle)
        assert puzzle.form == form
        assert np.array_equal(puzzle.grid, grid)
        assert puzzle.grid.dtype == np.uint8
        assert not puzzle.grid.flags.writeable


@settings(deadline=None)
@given(
    st.lists(st.tuples(grids(), st.sampled_from(["rows", "boxed"])), min_size=1, max_size=4),
    st.sampled_from(
        ["9 8 7 6 5 4 3 2", "1 2 3 4 5 6 7 8 9 0", "1 2 3 4 5 6 7 8 a", "1 2 3 4 5 -6 7 8 9", "1 2 10 . . . . . ."]
    ),
    st.data(),
)
@pytest.mark.slow
def test_bad_row_costs_its_grid_only(parts: list[tuple[Grid, Form]], row: str, data: st.DataObject) -> None:
    """A bad row anywhere in a grid gives one error on its line, and every other grid is read."""
    texts = [WRITERS[form](grid).splitlines() for grid, form in parts]
    spoilt = data.draw(st.integers(0, len(texts) - 1))
    places = [k for k, line in enumerate(texts[spoilt]) if "+" not in line]
    place = data.draw(st.sampled_from(places))
    texts[spoilt][place] = row
    found = list(read([line for text in texts for line in [*text, ""]]))
    assert len(found) == len(parts)
    for k, (puzzle, (grid, form)) in enumerate(zip(found, parts, strict=True)):
        if isinstance(puzzle, GridError):
            assert k == spoilt
            assert puzzle.line == sum(map(len, texts[:k])) + k + place + 1
            assert f"row {places.index(place) + 1} " in puzzle.reason.replace(":", " ")
        else:
            assert k != spoilt
            assert puzzle.form == form
            assert np.array_equal(puzzle.grid, grid)


@settings(deadline=None)
@given(st.text(alphabet="0123.x-_*?|+=:' #\n\t,;q\0\ud800", max_size=400))
def test_reader_never_fails(text: str) -> None:
    """The reader yields well-formed grids and errors, and raises nothing, for any text."""
    for puzzle in read(text.split("\n")):
        if isinstance(puzzle, GridError):
            assert puzzle.reason
        else:
            assert puzzle.grid.shape == (9, 9)


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


@pytest.mark.slow
def test_the_number_of_grids() -> None:
    """A number of any length in the first line is read over where so many grids follow, and so are their numbers."""
    numbered = "".join(f"{k}\n{ROWS}\n" for k in range(1, 12))
    assert [found[0] for found in summary(numbered)] == 11 * ["rows"]
    for count in (100, 1000):
        assert len(summary(f"# a comment\n\n{count}\n" + f"{ROWS}\n" * count)) == count


@pytest.mark.parametrize("sign", ["*", "_", "~"])
def test_what_may_be_a_row_of_blanks_is_no_divider(sign: str) -> None:
    """A line of the sign for blanks as long as a row is a row, and a longer one is none."""
    blank = ROWS.replace("1", sign)
    assert summary(f"{sign * 11}\n{blank}") == [("rows", 2)]
    assert summary(f"{sign * 9}\n" + "\n".join(blank.splitlines()[1:])) == [("rows", 1)]
    assert summary(sign * 81) == [("line", 1)]


def test_digits_above_nine() -> None:
    """In a line the digits above 9 are letters of either case, and in rows they are decimal numbers."""
    grid = np.zeros((16, 16), dtype=int)
    grid[0, :8] = [1, 9, 10, 11, 12, 13, 15, 16]
    line = to_line(grid, (4, 4))
    assert line.startswith("19ABCDFG....")
    assert np.array_equal(parse(line.lower(), (4, 4)), grid)
    assert to_rows(grid, (4, 4)).startswith(" 1  9 10 11 12 13 15 16  0 ")
