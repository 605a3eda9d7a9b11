"""Arrays of programs, and printed ones: what is read of them, by itself and among other forms, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sudoku import as_puzzle, parse, read, to_line
from sudoku.grid import GridError, Puzzle
from sudoku.layout import Box, Layout

LINE = "7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"
ROWS = parse(LINE).tolist()


def found(text: str | list[str], layout: Box | Layout | None = None, **asked: str) -> list[str]:
    """The grids of a text in lines, and the messages of the errors."""
    lines = text.splitlines() if isinstance(text, str) else text
    read_from = read(lines, layout=layout, **asked)
    return [str(one) if isinstance(one, GridError) else to_line(one) for one in read_from]


def braces(rows: list[list[Any]], between: str = ", ") -> str:
    """Rows as an array of C, a line for each."""
    return "{\n" + ",\n".join(f"    {{{between.join(map(str, row))}}}" for row in rows) + "\n}"


SIGNS = [[str(cell) if cell else "." for cell in row] for row in ROWS]
ARRAY = np.array(ROWS)
CODE = [
    f"int grid[9][9] = {braces(ROWS)};",
    f"int grid[9][9] =\n{braces(ROWS, ',')};",
    f"private static final int[][] GRID = new int[][] {braces(ROWS)};",
    f"var grid = new int[,]\n{braces(ROWS)};",
    f"grid := [][]int{braces(ROWS)}",
    f"std::vector<std::vector<int>> grid = {braces(ROWS)};",
    f"char board[9][9] = {braces([[repr(cell) for cell in row] for row in SIGNS])};",
    braces(ROWS).replace("\n", "") + ";",
    braces(ROWS).replace("},", "}, // a row"),
    braces(ROWS).replace("},\n", "},\n\n", 1),
    f"const grid = {ROWS};",
    f"let grid: [[u8; 9]; 9] = {ROWS};",
    f"grid = {[[cell or None for cell in row] for row in ROWS]}  # a comment",
    "grid = [\n" + "".join(f"    {row},\n" for row in ROWS) + "]",
    f"board = {SIGNS}",
    f"{tuple(map(tuple, ROWS))}",
    f"grid = {[''.join(row) for row in SIGNS]}",
    "grid = (\n" + "\n".join(f"    '{''.join(row)}'" for row in SIGNS) + "\n)",
    f"puzzle = '{LINE}'",
    f'String puzzle = "{LINE}";',
    str(ARRAY),
    repr(ARRAY),
    repr(ARRAY.astype(np.uint8)),
    str(ARRAY.astype(float)),
    repr(np.where(ARRAY == 0, np.nan, ARRAY)),
    str(ARRAY.ravel()),
    repr(ARRAY.ravel()),
    f"grid = np.{ARRAY!r}",
    f"grid = np.array({ROWS}, dtype=int, order='C')",
    f"t = torch.tensor({ROWS})",
]


@pytest.mark.parametrize("text", CODE)
def test_arrays_of_programs(text: str) -> None:
    """Arrays of programs, and printed ones, are grids with other forms before and behind them, and by themselves."""
    assert found([LINE, *text.splitlines(), LINE, "", *text.splitlines()]) == 4 * [LINE]
    assert [one.form for one in read(text.splitlines(), format="code") if isinstance(one, Puzzle)] == ["code"]
    assert to_line(as_puzzle(text)) == LINE


@pytest.mark.parametrize(
    "rows",
    [
        [f"{{{','.join(map(str, row))}}}," for row in ROWS],
        [f"{row}" for row in ROWS],
        [f"  {row}, # a row" for row in SIGNS],
        [f"{np.array(row)}" for row in ROWS],
        [f"({', '.join(map(str, row))})" for row in ROWS],
    ],
)
def test_rows_in_brackets(rows: list[str]) -> None:
    """Lines with a list of cells each are rows, and a wrong one costs its grid only."""
    assert found([*rows, *rows, "", *rows[:3], "", *rows[3:6], "", *rows[6:], LINE]) == 4 * [LINE]
    first, second = found([*rows[:4], rows[4].replace("6", "q"), *rows[5:], LINE])
    assert first == "<text>:5: 'q' in row 5 is neither a digit nor a blank"
    assert second == LINE


def test_arrays_of_many_grids_and_of_other_sizes() -> None:
    """An array of grids is all of them, and other sizes and signs are read as everywhere."""
    assert found(f"grids = {np.array([ROWS, ROWS]).tolist()!r};") == 2 * [LINE]
    assert found(f"{np.array([ROWS, ROWS])}") == 2 * [LINE]
    assert found(f"{np.array([ROWS, ROWS])!r}") == 2 * [LINE]
    assert found(f"grid = {[[1, 0, 3, 4]] * 4}", layout=(2, 2)) == ["1.34" * 4]
    assert found("[0, 1, 2, null]", layout=(1, 2), alphabet="01")[0].startswith(
        "<text>:1: 2 in row 2, column 1 is neither"
    )
    assert found("[0, 1, 1, null]", layout=(1, 2), alphabet="01") == ["122."]
    hexadecimal = f"char g[16][16] = {braces([list('0123456789ABCDE.')] * 16, ',')};"
    assert found(hexadecimal, layout=(4, 4), alphabet="0123456789ABCDEF") == ["123456789ABCDEF." * 16]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("int g[9][9] = {{1, 2},", "this is no array: a bracket '}' is missing"),
        ("[[1, 2],", "this is no JSON"),
        ("int g[9][9] = {{1, 2}", "this is no array: a bracket '}' is missing"),
        ("g = [[1,, 2]]", "this is no array: ',' stands where a member is expected"),
        ("g = [[1, 2 3]]", "this is no array: a list of 3 has 1 commas"),
        ("g = [[1, 2), 3]", "this is no array: ')' stands where a member is expected"),
        ("g = " + "(" * 20 + ")" * 20, "this is no array: '(' stands where a member is expected"),
        ("g = np.array([[1]], dtype=", "this is no array: the call does not end"),
        ("g = {1: 2}", "this is no array: ':' stands where a member is expected"),
        (f"int g[9][9] = {braces([[1] * 9] * 8)};", "the list has 8 cells or rows instead of 81 or 9"),
        (f"int g[9][9] = {braces([[1] * 9] * 8 + [[1] * 8])};", "row 9 is [1, 1, 1, 1, 1, 1, 1, 1] instead of 9 cells"),
        (f"int g[9][9] = {braces([[1] * 9] * 8 + [[-1] * 9])};", '"-1" in row 9, column 1 is neither a digit'),
        (f"g = {[[1] * 9] * 8 + [[12] * 9]}", "12 in row 9, column 1 is neither a digit from 1 to 9 nor a blank"),
        (f"g = {[[0, None, *range(1, 8)], *[[None] * 9] * 8]}", "0 may be a blank or, where 9 is not used, a digit"),
        (f"g = {[[1] * 4] * 4}", "the list has 4 cells or rows instead of 81 or 9; for grids of 4 rows say which box"),
        (str(np.zeros((40, 40), dtype=int)), "instead of 81 or 9"),
    ],
)
def test_wrong_arrays_of_programs(text: str, reason: str) -> None:
    """Each wrong array says what is wrong first, no other grid comes of it, and the line behind it is read."""
    first, *_, last = found([*text.splitlines(), "", LINE])
    assert first.startswith("<text>:1: ")
    assert reason in first
    assert last == LINE
