"""Texts with two readings: rules that may be rows, 0 among letters, frames; and the arguments of `read`."""

from __future__ import annotations

import re
from math import isqrt
from pathlib import Path
from string import ascii_uppercase

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from readings import LINE, found, only

from sudoku.formats import parse, parse_puzzle, read
from sudoku.formats.conversion import to_line
from sudoku.formats.signs import BLANKS
from sudoku.grid import Grid, GridError, Puzzle
from sudoku.layout import Box, Layout


@pytest.mark.parametrize("line", ["---|---|---", "---------"])
@pytest.mark.parametrize("number", range(1, 20))
def test_lines_of_dashes_alone_do_not_vanish(line: str, number: int) -> None:
    """Any number of such lines and nothing else is an error, and no grid."""
    answers = found([line] * number)
    assert answers
    assert all(answer.startswith("<text>") for answer in answers)


@given(st.integers(0, 2**32 - 1), st.sampled_from([(2, 2), (2, 3), (3, 3)]), st.booleans(), st.booleans())
def test_a_grid_with_dashes_is_right_or_refused(seed: int, box: Box, bars: bool, rules: bool) -> None:
    """The first answer to a grid with blanks and rules of dashes is the grid that was drawn, or an error."""
    n, (height, width) = box[0] * box[1], box
    rows = ["".join(row) for row in np.random.default_rng(seed).choice([*"-" * 8, *"1234"], (n, n))]
    marked = ["|".join(row[k : k + width] for k in range(0, n, width)) if bars else row for row in rows]
    rule = re.sub("[^|]", "-", marked[0])
    lines = [
        line for k, line in enumerate(marked) for line in ([rule, line] if rules and k and k % height == 0 else [line])
    ]
    (first, *_) = read(lines, layout=box)
    if isinstance(first, Puzzle):
        assert to_line(first) == "".join(rows).replace("-", ".")
    elif not rules:  # it seems to be blank, to have a row twice, or the numbers of the columns
        reasons = ("a row of blanks", "are the same", "stand above or between grids")
        assert any(reason in first.reason for reason in reasons)


HEX = np.array([[(4 * (r % 4) + r // 4 + c) % 16 + 1 for c in range(16)] for r in range(16)], dtype=np.uint8)


def hexadecimal(grid: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], blank: str) -> str:
    """A line with the digits 0 to F, where 0 is what we call 16."""
    return "".join(blank if not value else "0123456789ABCDEF"[value % 16] for value in grid.ravel().tolist())


def grid_or_reason(line: str, box: Box = (4, 4)) -> Grid | str:
    """The grid that a line is, or why it is none."""
    (found,) = read([line], layout=box)
    return found.grid if isinstance(found, Puzzle) else found.reason


@given(st.sets(st.integers(0, 255), max_size=230), st.sampled_from(".-_*?"))
def test_hexadecimal_digits(blanks: set[int], blank: str) -> None:
    """A line of 256 digits 0 to F is the grid with 16 for 0, or an error: no 0 becomes a blank in silence."""
    grid = HEX.copy()
    grid.flat[list(blanks)] = 0
    found = grid_or_reason(hexadecimal(grid, blank))
    if isinstance(found, str):
        assert found.startswith("the signs fit")
    else:
        assert np.array_equal(found, grid)


def test_zero_beside_letters_and_other_blanks() -> None:
    """A 0 among 1 to F may be the first digit or the last one; the error names both alphabets, and both work."""
    text = hexadecimal(HEX, ".").replace("1", ".", 1)
    assert "--alphabet 0123456789ABCDEF and --alphabet 123456789ABCDEF0" in grid_or_reason(text)
    assert parse(text, (4, 4), alphabet="0123456789ABCDEF").max() == 16
    assert parse(text, (4, 4), alphabet="123456789ABCDEF0").max() == 16


@pytest.mark.parametrize("n", [16, 25])
def test_grids_of_letters(n: int) -> None:
    """A grid of the letters from A on is read by them, in a line and in rows, and refused if A to G may be 10 to 16."""
    box, letters = (isqrt(n), isqrt(n)), ascii_uppercase[:n]
    grid = np.where(np.arange(n * n) % 3 == 0, 0, np.arange(n * n) % n + 1).reshape(n, n)
    rows = ["".join("." if not value else letters[value - 1] for value in row) for row in grid.tolist()]
    for lines in (["".join(rows)], rows, [" ".join(row) for row in rows]):
        assert np.array_equal(parse("\n".join(lines), box), grid)
    assert f"--alphabet {letters}" in grid_or_reason("ABC".ljust(n * n, "."), box)


def test_read_takes_a_path(tmp_path: Path) -> None:
    """A name or a path of a file is read, and errors name it; a text that is no path says what to do."""
    path = tmp_path / "grids.txt"
    path.write_text(f"\ufeff{LINE}\n{LINE[1:]}\n", encoding="utf-8")
    for name in (path, str(path)):
        puzzle, error = read(name)
        assert isinstance(puzzle, Puzzle)
        assert (puzzle.file, puzzle.line) == (str(path), 1)
        assert str(error).startswith(f"{path}:2: the line has 80 characters")
    for text in (LINE, "no such file", LINE * 100, "\0"):
        with pytest.raises(
            ValueError, match=re.escape("is no file: read takes a path or lines, and parse the text of")
        ):
            read(text)


@pytest.mark.parametrize("layout", [Layout.boxes(2, 2), Layout.boxes(), Layout.jigsaw("AAAB ACBB CCDB CDDD")], ids=repr)
def test_a_line_by_itself_is_what_a_reader_makes_of_it(layout: Layout) -> None:
    """Puzzles and errors of a text of one line are those of the lines of a file, for every sign of blanks."""
    n = layout.size
    digits = "".join(str((k * 7 + k // n) % (n + 1)) for k in range(n * n))
    for sign in [*BLANKS, "z", str(n + 1)[-1]]:
        signs = digits.replace("0", sign)
        for text in (signs, f"{sign}0{signs[2:]}", "0" * (n * n - 1) + "1", n * n * sign, signs[1:]):
            found = [*read([text], layout)]
            if not (found and isinstance(found[0], Puzzle)):
                with pytest.raises(
                    GridError, match=re.escape(str(found[0]) if found else "<text>:1: there is no grid")
                ):
                    parse_puzzle(text, layout)
                continue
            puzzle = parse_puzzle(text, layout)
            assert (puzzle.form, puzzle.file, puzzle.line, puzzle.layout) == ("line", "<text>", 1, layout)
            assert [one.grid.tolist() for one in found if isinstance(one, Puzzle)] == [puzzle.grid.tolist()]
            assert not puzzle.grid.flags.writeable


def test_read_takes_no_more_of_a_line_than_it_keeps(tmp_path: Path) -> None:
    """A line without an end is read in bounded memory, and its error says how much was seen."""
    path = tmp_path / "grids.txt"
    path.write_text(f"{'1' * 100_000}\n{LINE}\n")
    error, puzzle = read(path)
    assert isinstance(puzzle, Puzzle)
    assert str(error).startswith(f"{path}:1: the line has at least 65536 characters instead of 81: '1111")


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


@given(st.lists(st.integers(0, 16), min_size=256, max_size=256))
def test_alphabets(cells: list[int]) -> None:
    """The 0 of an alphabet is a digit, never in doubt, in a line and in rows with and without white space."""
    grid = np.array(cells).reshape(16, 16)
    rows = ["".join("." if not value else "0123456789ABCDEF"[value - 1] for value in row) for row in grid.tolist()]
    for lines in (["".join(rows)], rows, [" ".join(row.lower()) for row in rows]):
        puzzle = only("\n".join(lines), (4, 4), alphabet="0123456789ABCDEF")
        assert np.array_equal(puzzle.grid, grid)
