"""Lines between grids that might be rows: of one sign for blanks, or the numbers of the columns."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import chain

import numpy as np
import pytest
from known_grids import FULL
from plain_grids import shuffled
from readings import SOLVED, found
from seeds import for_seeds

from sudoku import Puzzle, read, to_line

HEADINGS = ["1,2,3,4,5,6,7,8,9", "0,1,2,3,4,5,6,7,8", "123456789", "1 2 3 | 4 5 6 | 7 8 9"]


def puzzles(number: int, seed: int = 0, blank: str = ".") -> list[str]:
    """Grids of about 30 givens, one at least in each row, as lines."""
    rng = np.random.default_rng(seed)
    kept = [(rng.random((9, 9)) < 1 / 3) | np.eye(9, dtype=np.bool_) for _ in range(number)]
    return [to_line(np.where(some, shuffled(FULL, rng), 0)).replace(".", blank) for some in kept]


def rows(puzzle: str, between: str = "") -> list[str]:
    """The rows of a grid."""
    return [between.join(puzzle[r : r + 9]) for r in range(0, 81, 9)]


def dotted(grids: Sequence[str], blank: str) -> list[str]:
    return [grid.replace(blank, ".") for grid in grids]


@pytest.mark.parametrize("number", [2, 7])
@pytest.mark.parametrize("blank", ".x")
def test_lines_of_the_sign_of_blanks_between_grids(blank: str, number: int) -> None:
    """A line of nine signs for blanks above or below each grid, or between two, is no row of any."""
    grids = puzzles(number, blank=blank)
    above = [line for grid in grids for line in [9 * blank, *rows(grid)]]
    below = [line for grid in grids for line in [*rows(grid), 9 * blank]]
    for lines in (above, below, above[1:], [9 * blank, *below]):
        assert found([*lines, "", *lines]) == 2 * dotted(grids, blank)


@pytest.mark.parametrize("number", [1, 2, 7])
@pytest.mark.parametrize("heading", HEADINGS)
def test_headings_of_columns(heading: str, number: int) -> None:
    """The numbers of the columns above each grid, with an empty line or a frame or neither, are no row of any."""
    grids = puzzles(number)
    for between, below in ((",", []), ("", [""]), (" ", ["", ""])):
        assert found([line for grid in grids for line in [heading, *rows(grid, between), *below]]) == grids
    frame = "+---+---+---+"
    assert found([line for grid in grids for line in [heading, frame, *rows(grid), frame]]) == grids


def test_a_line_that_is_a_row_is_a_row() -> None:
    """Blanks or digits in order are the row they are if no separator comes again, or one would leave rows over."""
    blank, counted = 9 * "." + puzzles(1)[0][9:], to_line(FULL)
    some = puzzles(3, 1)
    for grids in ([blank], [counted], [blank, *some], [counted, *some], [*some, blank, some[0]], 9 * [counted]):
        lines = list(chain.from_iterable(map(rows, grids)))
        assert found(lines) == grids
        assert found([*lines, "", *lines]) == 2 * grids
        assert found([line for grid in grids for line in [*rows(grid), ""]]) == grids


def test_both_readings_are_an_error() -> None:
    """Ten grids of rows that might be nine with separators are an error, and what follows is read."""
    sparse = ["".join("1" if k == 10 * r + 1 else "." for k in range(81)) for r in range(10)]
    text = "".join(sparse)
    lines = [9 * "." if r % 10 == 0 else text[9 * r : 9 * r + 9] for r in range(90)]
    *errors, follows = found([*lines, "", *rows(to_line(FULL))])
    assert "'.........' may be a row or stand above or between grids" in errors[0]
    assert len(errors) in (9, 10)
    assert follows == to_line(FULL)


@for_seeds(200)
def test_separators_of_random_grids(seed: int) -> None:
    """Each of any grids, among blank rows and separators, is read as it is, or there is an error."""
    rng = random.Random(seed)
    blank = rng.choice("-*._x")
    grids = puzzles(rng.choice([1, 2, 3, 9, 10, 18]), seed, blank)
    grids = [9 * blank + grid[9:] if rng.random() < 0.3 else grid for grid in grids]
    grids = [grid[:72] + 9 * blank if rng.random() < 0.1 else grid for grid in grids]
    separator = rng.choice([9 * blank, *HEADINGS])
    place = rng.choice(["above", "between", "gaps", "nowhere"])
    lines: list[str] = []
    for k, grid in enumerate(grids):
        if place == "above" or (place == "between" and k):
            lines.append(separator)
        lines += rows(grid)
        if place == "gaps" and rng.random() < 0.7:
            lines.append("")
    answers = found(lines)
    assert answers == dotted(grids, blank) or any(answer.startswith("<text>") for answer in answers)


@pytest.mark.parametrize("gap", [[], [""]])
@pytest.mark.parametrize("sign", "-*_~xX?")
def test_separators_beside_rows_of_blanks(sign: str, gap: list[str]) -> None:
    """A line of another sign than the blanks is no row, around and between grids with blank first or last rows."""
    given = puzzles(8)
    some = [["." * 9 + given[0][9:], given[1], "." * 9 + given[2][9:63] + "." * 18, given[3][:72] + "." * 9], given[4:]]
    for grids in (some[0], [*some[1], *some[0]], some[0][:1], some[0][2:3]):
        above = [line for grid in grids for line in [9 * sign, *rows(grid), *gap]]
        below = [line for grid in grids for line in [*rows(grid), 9 * sign, *gap]]
        between = [line for grid in grids for line in [*rows(grid), *gap, 9 * sign]][:-1]
        for lines in (above, below, between):
            assert found(lines) == grids


@pytest.mark.parametrize("number", [1, 2, 7])
@pytest.mark.parametrize("heading", ["123456789", "123|456|789", "1 2 3 4 5 6 7 8 9"])
def test_headings_of_grids_with_rules(heading: str, number: int) -> None:
    """The numbers of the columns above or between grids with rules are no rows: the rules say where bands end."""
    grids = puzzles(number)

    def ruled(grid: str) -> list[str]:
        lines = ["|".join(row[k : k + 3] for k in (0, 3, 6)) for row in rows(grid)]
        return [*lines[:3], "---+---+---", *lines[3:6], "---+---+---", *lines[6:]]

    for above in (True, False):
        lines = [line for k, grid in enumerate(grids) for line in [*[heading][: above or k], *ruled(grid)]]
        assert found(lines) == grids


def test_a_lost_row_between_separators() -> None:
    """Grids with lines between them, one of which has lost a row, are an error, and no line is taken for the row."""
    grids = puzzles(4, 5)
    for separator in (9 * ".", *HEADINGS):
        for row in range(9):
            lines = [line for k, grid in enumerate(grids) for line in ([separator] if k else []) + rows(grid)]
            del lines[10 + row]
            answers = found(lines)
            assert any(answer.startswith("<text>") for answer in answers)
            assert {answer for answer in answers if not answer.startswith("<text>")} <= {*grids}


def test_a_row_unlike_the_others_may_be_none() -> None:
    """Where a row of one grid is missing, and a line of other signs stands in another, no grid is made of both."""
    rows = [f"| {' | '.join(SOLVED[r : r + 9])} |" for r in range(0, 81, 9)]
    answers = list(read([*rows[:3], *rows[4:], *rows, *rows[:5], "1 2 3 4 5 6 7 8 9", *rows[5:]]))
    assert any(str(one).startswith("<text>:23: '1 2 3 4 5 6 7 8 9' is written unlike") for one in answers)
    assert not any(isinstance(one, Puzzle) for one in answers)


@pytest.mark.parametrize("line", [*HEADINGS, ",,,,,,,,"])
def test_lines_between_grids_alone_are_an_error(line: str) -> None:
    """Some lines that could stand between grids, without a grid, do not vanish."""
    for number in (2, 5, 10, 11):
        answers = found([*(number * [line]), "", SOLVED])
        assert len(answers) == max(1, round(number / 9)) + 1
        assert answers[0].startswith("<text>")


def test_an_empty_first_row_is_no_header() -> None:
    """Ten rows, of which the first is empty and the last one belongs to another grid, are no grid of the last nine."""
    grid = [f"{','.join(row)}".replace(".", "") for row in rows(9 * "." + puzzles(1)[0][9:])]
    (error,) = found([*grid, ",1,9,,2,,8,,"])
    assert "has 10 rows instead of 9" in error
