"""Grids as text: every form is read back as it was written, and one malformed grid never spoils another."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudoku.formats import parse, read
from sudoku.formats.conversion import as_grid, to_boxed, to_line, to_rows
from sudoku.grid import Form, Grid, GridError, Puzzle
from sudoku.layout import Box, grid_size
from sudoku.setting.generating import generate_many

WRITERS = {"line": to_line, "rows": to_rows, "boxed": to_boxed}
BOXES = [(2, 2), (2, 3), (3, 2), (3, 3), (2, 5), (4, 4), (5, 5)]
LINE = "7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"
SAMPLE = parse(LINE)
NEITHER = (
    "a row nor a whole grid, 9 numbers or 81 characters; "
    "further such lines up to the next empty line or grid are passed over"
)
SAY = "for grids of {0} rows say which box: --box {1}x{2}, or box=({1}, {2})"
NAMED = (
    "that of the puzzles must be named board, boards, givens, grid, grids, problem, problems, puzzle, puzzles, "
    "question, questions, quiz, quizzes, sudoku"
)
ROWS, BOXED = to_rows(SAMPLE), to_boxed(SAMPLE)


def grids(box: Box = (3, 3)) -> st.SearchStrategy[Grid]:
    """Any cells at all; reading does not ask whether they contradict one another."""
    n = grid_size(box)
    cells = st.lists(st.integers(0, n), min_size=n * n, max_size=n * n)
    return cells.map(lambda values: as_grid(np.array(values).reshape(n, n), box))


def forms() -> st.SearchStrategy[Form]:
    return st.sampled_from(["line", "rows", "boxed"])


def summary(text: str, box: Box = (3, 3)) -> list[tuple[str, int] | str]:
    """The form and the line of each grid of a text, and the message of each error."""
    found = read(text.splitlines(), layout=box)
    return [str(puzzle) if isinstance(puzzle, GridError) else (puzzle.form, puzzle.line) for puzzle in found]


def replaced(text: str, number: int, line: str) -> str:
    """The text with another line in the place of line `number`, from 1."""
    lines = text.splitlines()
    return "\n".join([*lines[: number - 1], line, *lines[number:]])


@st.composite
def streams(draw: st.DrawFn) -> tuple[Box, list[tuple[Grid, Form, str]]]:
    """Grids of some box, each in a form, and what stands behind it."""
    box = draw(st.sampled_from(BOXES))
    between = st.sampled_from(["", "\n", "# note\n", "\n\n#\n"])
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
    """A bad row anywhere in a grid gives one error on its line, and every other grid is read, with nothing between."""
    texts = [WRITERS[form](grid).splitlines() for grid, form in parts]
    spoilt = data.draw(st.integers(0, len(texts) - 1))
    places = [k for k, line in enumerate(texts[spoilt]) if "+" not in line]
    place = data.draw(st.sampled_from(places))
    texts[spoilt][place] = row
    found = list(read([line for text in texts for line in text]))
    assert len(found) == len(parts)
    for k, (puzzle, (grid, form)) in enumerate(zip(found, parts, strict=True)):
        if isinstance(puzzle, GridError):
            assert k == spoilt
            assert puzzle.line == sum(map(len, texts[:k])) + place + 1
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


@pytest.mark.parametrize("form", ["line", "rows", "boxed"])
def test_grid_comes_with_its_last_line(form: Form) -> None:
    """A grid is delivered when its last line has been read, before any further line is asked for."""

    def lines() -> Iterator[str]:
        yield from WRITERS[form](SAMPLE).splitlines()
        raise AssertionError("a further line was asked for")

    assert isinstance(next(read(lines())), Puzzle)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (LINE[:-1], f"1: the line has 80 characters instead of 81: '{LINE[:40]}...'"),
        (LINE + ".", f"1: the line has 82 characters instead of 81: '{LINE[:40]}...'"),
        (f"7..9q{LINE[5:]}", "1: 'q', character 5 of the line, is neither a digit from 1 to 9 nor a blank"),
        (f"7..9\u0663{LINE[5:]}", "1: '\u0663', character 5 of the line, is neither a digit from 1 to 9 nor a blank"),
        (f"7..9\0{LINE[5:]}", r"1: '\x00', character 5 of the line, is neither a digit from 1 to 9 nor a blank"),
        (f"7..9\udcff{LINE[5:]}", r"1: '\xff', character 5 of the line, is neither a digit from 1 to 9 nor a blank"),
        (replaced(ROWS, 3, "1 2 3"), "3: row 3 has 3 cells instead of 9: '1 2 3'"),
        (replaced(ROWS, 3, "1 2 3 4 5 6 7 8 9 1"), "3: row 3 has 10 cells instead of 9: '1 2 3 4 5 6 7 8 9 1'"),
        (replaced(ROWS, 9, "1 2 3 4 5 6 7 8 10"), "9: 10 in row 9 is not between 0 and 9"),
        (replaced(ROWS, 9, f"1 2 3 4 5 6 7 8 {10**50}"), f"9: 1{'0' * 39}... in row 9 is not between 0 and 9"),
        (replaced(ROWS, 9, "1 2 3 4 5 6 7 8 -1"), "9: '-1' in row 9 is neither a digit nor a blank"),
        (replaced(ROWS, 1, "1 2 3 4 5 6 7 8 \uff19"), "1: '\uff19' in row 1 is neither a digit nor a blank"),
        (replaced(ROWS, 5, "hello"), "5: 'h' in row 5 is neither a digit nor a blank"),
        (replaced(ROWS, 6, "12345678"), "6: row 6 has 8 cells instead of 9: '1 2 3 4 5 6 7 8'"),
        (replaced(BOXED, 6, "1 2 | 3 4 5 6 | 7 8 9"), "6: the bars in row 5 do not divide it into 3 parts of 3 cells"),
        (replaced(BOXED, 6, "1 2 3 4 5 6 | 7 8 9"), "6: the bars in row 5 do not divide it into 3 parts of 3 cells"),
        (ROWS[:-18], "1: the grid that begins here ends after 8 of 9 rows"),
        (ROWS[:-18] + "\nend", "1: the grid that begins here ends after 8 of 9 rows"),
        ("a,b,score", f"1: 'a,b,score' is neither {NEITHER}; if these are the columns of a table, {NAMED}"),
        ("1 2 3 4", f"1: row 1 has 4 cells instead of 9: '1 2 3 4'; {SAY.format(4, 2, 2)}"),
        (" ".join(map(str, range(1, 13))), f"1: 10 in row 1 is not between 0 and 9; {SAY.format(12, 3, 4)}"),
        ("1...............", f"1: row 1 has 16 cells instead of 9: '1{15 * ' .'}'; {SAY.format(4, 2, 2)}"),
        ("." * 36, f"1: the line has 36 characters instead of 81: '{'.' * 36}'; {SAY.format(6, 2, 3)}"),
        ("-1", f"1: '-1' is neither {NEITHER}"),
    ],
)  # fmt: skip
def test_malformed_grids(text: str, reason: str) -> None:
    """Each kind of malformed grid gives one error with its line and its reason, and the grids after it are read."""
    size = len(text.splitlines())
    assert summary(f"{text}\n\n{ROWS}\n{LINE}")[0] == f"<text>:{reason}"
    if not text.endswith("end"):
        assert summary(f"{text}\n\n{ROWS}\n{LINE}")[1:] == [("rows", size + 2), ("line", size + 11)]


@pytest.mark.parametrize(
    "title",
    [
        "Monday",
        "Case",
        "Cases 3",
        "Case 3 4",
        "Grid 1: 5",
        "Puzzled 5",
        "Nr. 12/3, hard",
        "Easy, by Anna",
        "Best wishes, Bob",
    ],
)
def test_titles(title: str) -> None:
    """A line of words is passed over beside grids, and an error where there is none."""
    assert summary(f"{title}\n{ROWS}\n{title}\n{title}\n{ROWS}\n{title}") == [("rows", 2), ("rows", 13)]
    (error,) = summary(f"{title}\n\n{title}\n")
    assert str(error).startswith(f"<text>:1: {title!r} is neither {NEITHER}")


@pytest.mark.parametrize("heading", ["Grid {}", "Case #{}:", "case {} :", "Test case no. {}:", "PUZZLE {}"])
def test_numbers_of_grids(heading: str) -> None:
    """A line with the number of the next grid is read over, and ends a grid that lacks rows."""
    first, second = heading.format("01"), heading.format(2)
    assert summary(f"{first}\n{ROWS}\n{second}\n{LINE}\n{first}\n\n{BOXED}") == [
        ("rows", 2),
        ("line", 12),
        ("boxed", 15),
    ]
    assert summary(f"{ROWS[:-18]}\n{second}\n{ROWS}") == [
        "<text>:1: the grid that begins here ends after 8 of 9 rows",
        ("rows", 10),
    ]


@pytest.mark.slow
def test_the_number_of_grids() -> None:
    """One number in the first line is read over where it is the number of grids that follow, good or bad ones."""
    bad = replaced(ROWS, 1, "1 2 3 4 5 6 7 8 10")
    assert summary(f"\ufeff2 # grids\n{ROWS}\n{LINE}") == [("rows", 2), ("line", 11)]
    assert summary(f"3\n\n{ROWS}\n{ROWS}\n{bad}")[:2] == [("rows", 3), ("rows", 12)]
    assert len(summary(f"3\n\n{ROWS}\n{ROWS}\n{bad}")) == 3
    numbered = "".join(f"{k}\n{ROWS}\n" for k in range(1, 12))
    assert [found[0] for found in summary(numbered)] == 11 * ["rows"]
    assert len(summary(f"\n\n2\n{ROWS}\n{ROWS}\n\x1a\n")) == 2
    for count in (100, 1000):
        assert len(summary(f"# a comment\n\n{count}\n" + f"{ROWS}\n" * count)) == count
    assert [type(one) for one in summary(f"{LINE}\n27461\n{LINE}")] == [tuple, str, tuple]  # behind a grid it is none
    for wrong in (1, 3, 99, 123):
        *found, error = summary(f"{wrong}\n{ROWS}\n{LINE}")
        assert found == [("rows", 2), ("line", 11)]
        assert error == f"<text>:1: '{wrong}' is neither a row nor a whole grid, nor the number of grids that follow, 2"
    assert summary(f"{LINE}\n1\n{LINE}")[1] == f"<text>:2: '1' is neither {NEITHER}"


DIVIDERS = ["*****", "***", "********", "**********", 54 * "*", "_____", "~~~~", "@@@@", "//////////"]


@pytest.mark.parametrize("line", DIVIDERS)
def test_dividers(line: str) -> None:
    """A line of one sign above, between and below grids is no row, and no grid is lost by it."""
    assert summary("\n".join([line, ROWS, line, ROWS, line, LINE, line])) == [("rows", 2), ("rows", 12), ("line", 22)]
    bands = "\n\n".join("\n".join(ROWS.splitlines()[k : k + 3]) for k in (0, 3, 6))
    assert summary(f"{bands}\n{line}\n{bands}") == [("rows", 1), ("rows", 13)]


@pytest.mark.parametrize("sign", ["*", "_", "~"])
def test_what_may_be_a_row_of_blanks_is_no_divider(sign: str) -> None:
    """A line of the sign for blanks is an error if it may be a row that is too short or too long, and ends no grid."""
    blank = ROWS.replace("1", sign)
    for length in (8, 10):
        text = "\n".join([sign * length, *blank.splitlines()[:8], blank, "", ROWS])
        error, *found = summary(text)
        assert str(error).startswith(f"<text>:1: '{sign * length}' may be a rule or a row of blanks")
        assert found == [("rows", 20)]
        within = replaced(ROWS, 5, sign * length)
        assert str(summary(within)[0]).startswith(f"<text>:5: row 5 has {length} cells")
    assert summary(f"{sign * 11}\n{blank}") == [("rows", 2)]
    assert summary(f"{sign * 9}\n" + "\n".join(blank.splitlines()[1:])) == [("rows", 1)]
    assert summary(sign * 81) == [("line", 1)]


@pytest.mark.parametrize("sign", "*_xX~?.")
def test_dividers_as_long_as_rows(sign: str) -> None:
    """A line of nine signs between grids whose blanks have another sign is no row of them, with spaces or without."""
    puzzles = generate_many(5, seed=3)
    blank = "0" if sign == "." else "."
    blocks = ["\n".join("".join(map(str, row)).replace("0", blank) for row in puzzle.tolist()) for puzzle in puzzles]
    for line in (9 * sign, " ".join(9 * sign)):
        grids = [found.grid for found in read(f"\n{line}\n".join(blocks).splitlines()) if isinstance(found, Puzzle)]
        assert [grid.tolist() for grid in grids] == puzzles.tolist()


def test_digits_above_nine() -> None:
    """In a line the digits above 9 are letters of either case, and in rows they are decimal numbers."""
    grid = np.zeros((16, 16), dtype=int)
    grid[0, :8] = [1, 9, 10, 11, 12, 13, 15, 16]
    line = to_line(grid, (4, 4))
    assert line.startswith("19ABCDFG....")
    assert np.array_equal(parse(line.lower(), (4, 4)), grid)
    assert to_rows(grid, (4, 4)).startswith(" 1  9 10 11 12 13 15 16  0 ")
