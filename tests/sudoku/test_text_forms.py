"""The forms of plain text besides lines, rows and boxes: groups, bands, frames, free layout, candidates, alphabets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from readings import BARE, LINE, found, only, summary

import sudoku

GROUPS = [" ".join(row[k : k + 3] for k in (0, 3, 6)) for row in BARE]


def banded(rows: list[str]) -> list[str]:
    """Nine rows with an empty line between their bands."""
    return [*rows[:3], "", *rows[3:6], "", *rows[6:]]


FIELDS = [list(row.replace(".", "0")) for row in BARE]
SHEET = [[cell.strip("0") for cell in row] for row in FIELDS]


@pytest.mark.parametrize("between", [",", ", ", ";", "; ", "\t"])
@pytest.mark.parametrize("rows", [FIELDS, SHEET])
def test_fields_between_commas_semicolons_and_tabs(between: str, rows: list[list[str]]) -> None:
    """Cells may be empty, at either end of a row too, and each row may end as its cells do."""
    lines = [between.join(row) for row in rows]
    assert found([*lines, *lines, LINE]) == 3 * [LINE]
    assert found([line + between for line in lines]) == [LINE]
    assert found([f"  {line}{between}\r" for line in lines[:-1]] + lines[-1:]) == [LINE]


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_a_line_of_commas_may_be_an_empty_line(between: str) -> None:
    """A row of empty cells is a row if that makes whole grids, and otherwise a line between bands or grids."""
    empty = between * 8
    rows = [between.join(row) for row in SHEET]
    blank = LINE[:27] + "." * 9 + LINE[36:]
    assert found([*rows[:3], empty, *rows[4:]]) == [blank]
    assert found([*rows[:3], empty, *rows[4:], "", *rows, empty, "", LINE]) == [blank, LINE, LINE]
    assert found([*rows[:3], empty, *rows[3:6], empty, *rows[6:], "", LINE]) == [LINE, LINE]
    assert found([empty, *rows, empty, *rows, "", LINE]) == [LINE, LINE, LINE]
    assert found([*rows, empty, *rows, "", LINE]) == [LINE, LINE, LINE]
    assert LINE not in found([*rows, empty, *rows[1:5], rows[4], *rows[5:], *rows])
    told = summary([*rows[:4], "what", *rows[5:], empty, *rows, "", LINE])
    assert [one for one in told if not isinstance(one, str)] == [("line", 21)]


@given(
    st.lists(
        st.one_of(
            st.tuples(
                st.sampled_from([(1,), (2,), (4,), (5,), (7,), (8,), (3, 1), (3, 3, 2), (3, 2), (9,), (3, 3, 3)])
            ),
            st.tuples(st.sampled_from([(3,), (3, 3)]), st.just((9,))),
        ),
        max_size=6,
    )
)
def test_bands_of_two_grids_never_make_a_third(parts: list[tuple[tuple[int, ...], ...]]) -> None:
    """Grids that end early, with empty lines between bands or not, cost errors; what is read is one of the grids.

    A grid is given by its blocks, and has a digit of its own; an empty line stands behind each block.
    """
    blocks = [(blocks, "123456789"[k % 9]) for k, blocks in enumerate(blocks for part in parts for blocks in part)]
    lines = [line for rows, digit in blocks for block in rows for line in [*block * [9 * digit], ""]]
    grids = [one for one in found(lines) if not one.startswith("<text>")]
    assert all(len(set(one)) == 1 for one in grids)


@pytest.mark.parametrize("width", [18, 27, 81])
@pytest.mark.parametrize("between", [" ", ", ", ";"])
def test_numbers_in_free_layout(width: int, between: str) -> None:
    """81 numbers in lines of several rows, or in one line, are a grid, with white space, commas or semicolons."""
    numbers = LINE.replace(".", "0")
    lines = [between.join(numbers[k : k + width]) for k in range(0, 81, width)]
    assert summary([*lines, *lines, LINE]) == [("free", 1), ("free", 1 + len(lines)), ("line", 1 + 2 * len(lines))]
    assert found(lines) == [LINE]


HEX = "0123456789ABCDEF"


@given(st.lists(st.integers(0, 16), min_size=256, max_size=256))
def test_alphabets(cells: list[int]) -> None:
    """The 0 of an alphabet is a digit, never in doubt, in a line and in rows with and without white space."""
    grid = np.array(cells).reshape(16, 16)
    rows = ["".join("."[:1] if not value else HEX[value - 1] for value in row) for row in grid.tolist()]
    for lines in (["".join(rows)], rows, [" ".join(row.lower()) for row in rows]):
        puzzle = only("\n".join(lines), (4, 4), alphabet=HEX)
        assert np.array_equal(puzzle.grid, grid)


def test_a_line_of_letters_as_long_as_a_grid() -> None:
    """Between grids a word with as many letters as a grid has cells is an error, and a shorter one is a title."""
    lines = [81 * ".", "Weekend", 81 * "z", 81 * "."]
    found = [*sudoku.read(lines)]
    assert [(one.line, isinstance(one, sudoku.Puzzle)) for one in found] == [(1, True), (3, False), (4, True)]
