"""Grids in every form: read, written and read back as they were, the same by way of other forms, or refused."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from readings import LINE, SAMPLE, summary
from readings import grids as any_grids
from seeds import tries
from sudoku_command import to_rows

import sudoku
from sudoku import as_grid, as_puzzle, read, to_png, to_svg, write
from sudoku.formats import parse
from sudoku.formats.conversion import to_boxed
from sudoku.formats.writing import WRITERS, text_of
from sudoku.grid import Grid, GridError, Puzzle
from sudoku.layout import Box, Layout

PLAIN = sorted(set(WRITERS) - {"marks", "candidates"})  # that say what blanks are


@st.composite
def puzzles(draw: st.DrawFn, box: Box = (2, 2), givens: bool = True) -> Puzzle:
    """Any cells and candidates, at least one in each blank."""
    n = box[0] * box[1]
    grid = draw(any_grids(box)) if givens else np.zeros((n, n), dtype=np.uint8)
    marks = np.array(draw(st.lists(st.booleans(), min_size=n**3, max_size=n**3))).reshape(n, n, n)
    marks |= np.eye(n, dtype=bool)[draw(any_grids(box)).astype(int) - 1]
    marks |= np.arange(1, n + 1) == grid[..., None]
    return as_puzzle(grid, box, marks)


def test_a_full_row_in_order_among_marks() -> None:
    """Rows with pencil marks have no heading, so 1 2 3 4 among them is a row, also if another row has a digit twice."""
    text = ["+4 1  +4 +4", "1  2  3  4", "+4 +4 +4 +4", "+4 +4 +4 +4"]
    (found,) = read(text, layout=(2, 2))
    assert isinstance(found, Puzzle)
    assert found.grid[1].tolist() == [1, 2, 3, 4]


def same(one: Puzzle | GridError, other: Puzzle) -> bool:
    """Returns whether two puzzles have the same cells and candidates."""
    if isinstance(one, GridError) or not np.array_equal(one.grid, other.grid):
        return False
    if one.candidates is None or other.candidates is None:
        return one.candidates is other.candidates
    return np.array_equal(one.candidates, other.candidates)


@pytest.mark.parametrize("form", PLAIN)
@settings(max_examples=tries(40))
@given(grids=st.lists(any_grids(), min_size=1, max_size=3))
def test_every_form_is_read_back(form: str, grids: list[Grid]) -> None:
    """A text written in a form is read as the same grids, one or several."""
    found = list(read("".join(write(grids, form)).splitlines()))
    assert len(found) == len(grids)
    assert all(same(one, as_puzzle(grid)) for one, grid in zip(found, grids, strict=True))


EMPTY = as_puzzle(16 * ".", (2, 2), np.ones((4, 4, 4), dtype=bool))


@given(puzzles(), puzzles(givens=False))
@example(as_puzzle("1111111111111234", (2, 2)), EMPTY)
@example(as_puzzle("1234111111111111", (2, 2)), EMPTY)
@example(as_puzzle(".123..........11", (2, 2)), EMPTY)
@example(as_puzzle("12..12..........", (2, 2)), EMPTY)
def test_candidates_are_read_back(puzzle: Puzzle, without_givens: Puzzle) -> None:
    """What is written is read as the same givens and candidates; rows that may be headings or doubled are refused."""
    for form in ("marks", "candidates", *PLAIN):
        one = without_givens if form == "candidates" else puzzle if form == "marks" else as_puzzle(puzzle.grid, (2, 2))
        (found,) = read("".join(write([one], form)).splitlines(), layout=(2, 2))
        rows = one.grid.tolist()
        if rows[0] in ([1, 2, 3, 4], [0, 1, 2, 3]) or any(row == other for row, other in pairwise(rows)):
            assert isinstance(found, GridError) or same(found, one), form
        else:
            assert same(found, one), form


@pytest.mark.parametrize("box", [(2, 3), (2, 5), (4, 4), (5, 5), (6, 6)])
@pytest.mark.parametrize("form", ["rows", "boxed", "json", "line", "csv"])
def test_large_grids(form: str, box: Box) -> None:
    """Grids of other sizes are read back from the forms that have them."""
    n = box[0] * box[1]
    grid = np.array([[(r * box[1] + r // box[0] + c) % n + 1 for c in range(n)] for r in range(n)])
    grid[::2, ::3] = 0
    if n > WRITERS[form].most:
        with pytest.raises(ValueError, match=f"the form has at most 32 rows, not {n}"):
            list(write([grid], form, box))
        return
    (found,) = read("".join(write([grid], form, box)).splitlines(), layout=box)
    assert isinstance(found, Puzzle)
    assert np.array_equal(found.grid, grid)


def test_a_stream_is_written_as_it_comes() -> None:
    """Each grid is written before the next one is asked for, and a malformed one is raised in its place."""

    def some() -> Iterator[str]:
        yield LINE
        raise AssertionError("a further grid was asked for")

    assert next(write(some(), "line")) == f"{LINE}\n"
    texts = write(read([LINE, LINE[1:]]), "line")
    assert next(texts) == f"{LINE}\n"
    with pytest.raises(GridError, match="the line has 80 characters"):
        next(texts)


def test_grids_that_are_no_squares_of_boxes() -> None:
    """Jigsaws and grids with missing cells are read back from forms that say them; bars of another jigsaw are not."""
    jigsaw, other = Layout.jigsaw("AAAB ACBB CCDB CDDD"), Layout.jigsaw("AABB AABB CCDD CCDD")
    wide = Layout.jigsaw([[(r * 12 + c + 5) % 144 // 12 for c in range(12)] for r in range(12)])
    for layout in (jigsaw, wide, Layout.gattai((0, 0), (2, 2), box=(2, 2)), Layout.named("samurai")):
        rng = np.random.default_rng(layout.size)
        grid = rng.integers(0, layout.size + 1, layout.shape) * (rng.random(layout.shape) < 0.4) * layout.mask()
        refused = []
        for form in PLAIN:
            try:
                text = list(write([grid, grid], form, layout))
            except ValueError as error:
                refused.append((form, str(error).partition(" has ")[0].partition(" square ")[0]))
                continue
            found = list(read("".join(text).splitlines(), layout=layout))
            assert [isinstance(one, Puzzle) and np.array_equal(one.grid, grid) for one in found] == [True, True], form
        assert refused == [
            (form, "the form is for" if not layout.is_square else "the form")
            for form in PLAIN
            if not (WRITERS[form].gaps or layout.is_square) or layout.size > WRITERS[form].most
        ]
    lines = text_of(as_grid(16 * ".", jigsaw), jigsaw, "unicode").splitlines()
    (wrong, *_) = read(lines, layout=other)
    assert str(wrong) == "<text>:2: the bars in row 1 do not divide it into 2 + 2 cells"


def test_unicode_shows_boxes_of_any_shape() -> None:
    """The lines of a jigsaw go around its regions, and every cell stands where it is."""
    layout = Layout.jigsaw("AAAB ACBB CCDB CDDD")
    assert text_of(as_grid("1..4....2......3", layout), layout, "unicode") == (
        "┏━━━━━━━━━━━┳━━━┓\n"
        "┃ 1   .   . ┃ 4 ┃\n"
        "┃   ┏━━━┳━━━┛   ┃\n"
        "┃ . ┃ . ┃ .   . ┃\n"
        "┣━━━┛   ┣━━━┓   ┃\n"
        "┃ 2   . ┃ . ┃ . ┃\n"
        "┃   ┏━━━┛   ┗━━━┫\n"
        "┃ . ┃ .   .   3 ┃\n"
        "┗━━━┻━━━━━━━━━━━┛"
    )


def pixels(data: bytes) -> npt.NDArray[np.uint8]:
    """The picture in a file of PNG, shape (height, width, 3)."""
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(io.BytesIO(data)).convert("RGB"))


def test_pictures_in_png() -> None:
    """A picture has the size of the one in SVG twice, ink where a cell has a digit, and none where it is blank."""
    picture = pixels(to_png(to_svg(LINE)))
    side = 2 * int(re.findall(r'width="([0-9]+)"', to_svg(LINE))[0])
    assert picture.shape == (side, side, 3)
    for k, sign in enumerate(LINE):
        top, left = (4 + 72 * step for step in divmod(k, 9))
        inner = picture[top + 8 : top + 64, left + 8 : left + 64]
        assert (inner.min() < 128) == (sign != ".")
    assert (picture[0] == 255).all()
    assert [picture[4 + 72 * k, 40].max() < 100 for k in (1, 2, 3)] == [False, False, True]  # thick between bands


@pytest.mark.parametrize("missing", ["resvg_py", "font_roboto"])
def test_png_without_the_extra(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error for a missing renderer or typeface says what to install."""
    pytest.importorskip("resvg_py")
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match="pip install resvg-py font-roboto"):
        to_png(to_svg(LINE))


# Grids as text


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


# Lines with regions


JIGSAW = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
BOXES = "111222333" * 3 + "444555666" * 3 + "777888999" * 3
REGIONS = f"{BOXES[:2]}2{BOXES[3:12]}1{BOXES[13:]}"  # r1c3 and r2c4 are exchanged


@pytest.mark.parametrize("blank", "0.*_")
def test_a_line_of_cells_and_regions_has_any_blanks(blank: str) -> None:
    """Cells and regions in one line are a jigsaw, whatever sign its blanks have."""
    found = sudoku.as_puzzle(JIGSAW.replace(".", blank) + REGIONS)
    assert found.layout == sudoku.Layout.jigsaw([REGIONS[k : k + 9] for k in range(0, 81, 9)])
    assert sudoku.to_line(found.grid) == JIGSAW
