"""Grids as people have them: wrapped, spaced, with headers and indices; refusals by name; answers in place."""

from __future__ import annotations

import io
import json
import warnings
from itertools import cycle, islice

import numpy as np
import pytest
from readings import BARE, LINE, SAMPLE, SOLVED, found, only
from sudoku_command import Feed

from sudoku import Layout, parse, read, write
from sudoku.formats.files.meaning import same_rules
from sudoku.grid import Puzzle


def test_nested_json() -> None:
    """Puzzles are found in objects with one list or object each, with their solutions."""
    grid = SAMPLE.tolist()
    for value in (
        {"puzzles": [LINE, grid]},
        {"newboard": {"grids": [{"value": grid, "solution": parse(SOLVED).tolist()}, {"value": grid}], "results": 1}},
        [{"data": {"puzzle": LINE}}, {"grid": grid, "solution": ""}],
    ):
        assert found(json.dumps(value)) == [LINE, LINE]
        assert found(json.dumps(value, indent=2)) == [LINE, LINE]


@pytest.mark.parametrize("gap", [[], [""], ["", ""]])
@pytest.mark.parametrize("bands", [False, True])
def test_each_grid_of_a_section_has_one_answer(gap: list[str], bands: bool) -> None:
    """A row that is wrong, lost or doubled costs no answer, and a row with a wrong cell costs no other grid."""
    grid = [*BARE[:3], "", *BARE[3:6], "", *BARE[6:]] if bands else BARE
    lines = [line for k in range(4) for line in (*grid, *(gap if k < 3 else []))]
    place = len(grid) + len(gap) + 1
    for row in (["7..9.q..1"], ["7..9...1"], [], [lines[place]] * 2):
        answers = found([*lines[:place], *row, *lines[place + 1 :]])
        assert len(answers) == 4, answers
        assert {answers[0], *answers[2:]} == {LINE} or len(row) != 1 or (bands and len(gap) < 2)
        assert {answer for answer in answers if not answer.startswith("<text>")} <= {LINE}


def test_answers_keep_their_lines(feed_sudoku: Feed) -> None:
    """Each line that a command prints is one grid or one error for the next command."""
    lines = f"{LINE}\n{LINE[1:]}\n{LINE}1\n{LINE}\n"
    _, minimised, _ = feed_sudoku(lines, "minimise")
    assert [line == "error" for line in minimised.splitlines()] == [False, True, True, False]
    assert len(feed_sudoku(minimised, "count")[1].splitlines()) == 4
    assert len(feed_sudoku("-1\nunknown\nerror\n", "count")[1].splitlines()) == 3
    _, minimised, _ = feed_sudoku("\n".join(["5........"] * 9), "minimise")  # what is left has a row twice
    assert minimised.startswith(2 * "5 . . | . . . | . . .\n")
    assert feed_sudoku(minimised, "count")[1] == "0\n"


def test_lines_with_regions() -> None:
    """Killers and jigsaws of other programs bring their cages and regions, and another layout is refused."""
    jigsaw = Layout.jigsaw("AAAB ACBB CCDB CDDD")
    digits, regions = "1004000020000003", "1112132233423444"
    sumocue = "SumoCueV1" + "".join(f"={d}J{r}" for d, r in zip(digits, regions, strict=True))
    for spoilt, fault in (
        (sumocue.replace("J2", "", 1), "cell 4 has no region, but others have one"),
        (f"{digits.replace('0', '.')},{regions[:-1]}", "'111213223342344' is no map of regions of 4 cells each"),
    ):
        (error,) = read([spoilt], layout=(2, 2))
        assert fault in str(error)
    for line in (digits + regions, sumocue):
        for puzzle in read([line]):
            assert isinstance(puzzle, Puzzle), puzzle
            assert (puzzle.form, "".join(map(str, puzzle.grid.ravel().tolist()))) == ("jigsaw", digits)
            assert same_rules(puzzle.layout, jigsaw)
            with pytest.raises(ValueError, match="the form cannot represent what the regions are"):
                list(write([puzzle], "line"))
    killer = Layout.boxes(2, 2).with_sums("cage", (5, [(0, 0), (0, 1)]), (7, [(1, 0), (2, 0)]))
    cells = {(0, 0): 5 * 256 + 1, (0, 1): 5 * 256 + 1, (1, 0): 7 * 256 + 2, (2, 0): 7 * 256 + 2}
    line = "2x2::k:" + ":".join(str(cells.get(cell, 0)) for cell in np.ndindex(4, 4))
    cue = "SumoCueV1=5+0=0=0=7=0=0=0+4=0=0=0=0=0=0=0"
    for text in (line, line.replace("2x2::", "2x2:d:"), cue):
        layout = Layout.named("x", killer) if ":d:" in text else killer
        assert same_rules(only(text, (2, 2) if text is cue else None).layout, layout)
    assert "and not the Layout(6 x 6" in found(line, (2, 3))[0]
    assert found(cue.replace("5+0", "5+1"), (2, 2)) == ["<text>:1: a cell belongs to a cage that begins nowhere"]
    assert found(cue) == ["<text>:1: the line has 16 cells instead of 81"]


def test_text_between_grids_is_named() -> None:
    """Lines of words between grids are counted in one warning; titles above grids, and numbers of grids, are not."""
    lines = [
        "Sudoku of the day",
        LINE,
        "a torn page",
        "Grid 7",
        "*****",
        *BARE,
        "id,puzzle",
        "zoe,12345",
        f"ann,{LINE}",
    ]
    with pytest.warns(UserWarning, match="2 in all, the first in line 3: 'a torn page'$") as warned:
        assert found(lines) == 3 * [LINE]
    assert len(warned) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found([lines[0], LINE, *lines[3:-2], LINE]) == 3 * [LINE]


def test_an_error_names_the_lines_that_it_costs() -> None:
    """A stray last line of a section says which lines are not read, and each other grid has an error in its line."""
    errors = found([*(3 * BARE), "1 2 3"])
    assert [int(error.split(":")[1]) for error in errors] == [1, 10, 28]
    assert errors[2].endswith("row 1 has 3 cells instead of 9: '1 2 3'; so lines 1 to 28 are not read")
    assert errors[0].endswith(":1: it is in the section with the error in line 28")


def test_no_broken_character_is_a_blank() -> None:
    """A surrogate that stands for no byte is no sign, and is shown by its code."""
    assert found(["\ud800" + LINE[1:]])[0].endswith(r"instead of 81: '\\ud800..9....11....59.....2...8...5.2......'")


def test_the_largest_section(monkeypatch: pytest.MonkeyPatch) -> None:
    """A section of too many lines is an error, and the next one is read."""
    monkeypatch.setattr("sudoku.formats.sections.MOST_ROWS", 20)
    error, grid = found([*(30 * ["1 2"]), "", *BARE])
    assert "more than 20 lines" in error
    assert grid == LINE
    bands = [*BARE[:3], "", *BARE[3:6], "", *BARE[6:], ""]
    assert found(5 * bands) == 5 * [LINE]
    assert len(list(islice(read(cycle(bands)), 3))) == 3


def test_open_files_and_pipes() -> None:
    """A pipe is read no further than the grid that it has given; a file has the same grids."""

    class Pipe(io.StringIO):
        def seekable(self) -> bool:
            return False

    text = f"{LINE}\n" * 3000
    pipe = Pipe(text)
    assert isinstance(next(read(pipe)), Puzzle)
    assert pipe.tell() == len(LINE) + 1
    assert [puzzle.line for puzzle in read(io.StringIO(text)) if isinstance(puzzle, Puzzle)] == [*range(1, 3001)]
