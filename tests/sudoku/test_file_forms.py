"""The forms of files: tables, JSON, f-puzzles, SudokuPad, and links; and what each of them refuses."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from readings import LINE, SAMPLE, SOLVED, found, only
from sudoku_command import to_rows

from sudoku import as_puzzle, count, read, to_boxed, to_line, write
from sudoku.formats.files.links import LONGEST
from sudoku.formats.files.meaning import same_rules
from sudoku.grid import Puzzle
from sudoku.layout import Box, Layout

ROWS = SAMPLE.tolist()


@pytest.mark.parametrize("sign", ["1", "a", "-", "+", "+-", "| ", "─", "'", "1,", "None,"])
def test_long_lines_of_one_sign(sign: str) -> None:
    """A line of 60,000 characters that is no grid is passed over in time linear in it, and the next grid is read."""
    found = list(read([f"{sign * (60_000 // len(sign))},x\n", "\n", f"{LINE}\n"]))
    assert isinstance(found[-1], Puzzle)


@pytest.mark.parametrize(
    "value",
    [
        ROWS,
        [[cell or None for cell in row] for row in ROWS],
        [[str(cell) if cell else "" for cell in row] for row in ROWS],
        ["".join(map(str, row)) for row in ROWS],
        [cell for row in ROWS for cell in row],
        LINE,
        {"puzzle": LINE, "solution": SOLVED, "id": 7, "level": "easy"},
        {"board": ROWS},
        [ROWS],
        [LINE],
    ],
)
def test_json(value: Any) -> None:
    """Lists and texts are grids, in one line and in several, with other forms before and behind them."""
    short, long = json.dumps(value), json.dumps(value, indent=1)
    assert found([short, *long.splitlines(), LINE, short]) == 4 * [LINE]


def test_json_in_a_long_line(tmp_path: Path) -> None:
    """A value in a line of any length is read, with brackets in texts at the places where it is cut, up to a limit."""
    path = tmp_path / "grids.json"
    path.write_text(json.dumps([{"puzzle": LINE, "name": "}]" * 40}] * 1000) + f"\n{LINE}\n")
    assert [to_line(one) for one in read(path) if isinstance(one, Puzzle)] == 1001 * [LINE]


def test_json_without_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value of more than so many characters is one error, and what comes behind its line is read."""
    for module in ("fast", "reader", "files.values"):
        monkeypatch.setattr(f"sudoku.formats.{module}.LONGEST_VALUE", 1 << 18)
    path = tmp_path / "grids.json"
    path.write_text("[" + "1, " * (1 << 17) + f"1]\n{LINE}\n")
    error, puzzle = read(path)
    assert str(error) == f"{path}:1: the value that begins here has more than 16777216 characters"
    assert isinstance(puzzle, Puzzle)


def fpuzzle(n: int = 9, **members: Any) -> dict[str, Any]:
    """An f-puzzle without givens, and some members."""
    return {"size": n, "title": "First", "grid": [[{} for _ in range(n)] for _ in range(n)], **members}


def test_fpuzzles() -> None:
    """Givens and given marks are what they say; what is filled in to try and notes are passed over, but no digit 10."""
    value = fpuzzle(author="somebody", ruleset="Normal sudoku rules apply.", highlightConflicts=True, arrow=[])
    value["grid"][0][0] = {"value": 5, "given": True, "c": "#FFFFFF"}
    value["grid"][0][1] = {"value": 3, "centerPencilMarks": [1, 3]}
    value["grid"][0][2] = {"givenPencilMarks": [1, 2], "cornerPencilMarks": [7]}
    puzzle = only(json.dumps(value))
    assert puzzle.form == "fpuzzles"
    assert puzzle.layout == Layout.boxes()
    assert puzzle.candidates is not None
    assert puzzle.grid[0].tolist() == [5] + 8 * [0]
    assert [(np.flatnonzero(puzzle.candidates[0, c]) + 1).tolist() for c in (0, 1, 2)] == [[5], [*range(1, 10)], [1, 2]]
    value["grid"][0][1]["value"] = 10
    assert found(json.dumps(value)) == ["<text>:1: 10 in row 1, column 2 is not a digit from 1 to 9"]


@pytest.mark.parametrize(
    ("n", "box"), [(4, (2, 2)), (6, (2, 3)), (8, (2, 4)), (10, (2, 5)), (12, (3, 4)), (16, (4, 4))]
)
def test_sizes_of_fpuzzles(n: int, box: Box) -> None:
    """The boxes are the usual ones of each size, and a layout that was asked for must be that one, or a part of it."""
    text = json.dumps(fpuzzle(n))
    assert only(text).layout == Layout.boxes(*box)
    assert only(text, box).layout == Layout.boxes(*box)
    assert "and not the Layout(9 x 9" in found(text, (3, 3))[0] or n == 9


def test_puzzles_with_more_rules_than_were_asked_for() -> None:
    """A puzzle with all rules of the layout keeps its own; one that lacks some is refused."""
    box, x = (2, 2), Layout.named("x", (2, 2))
    killer = x.with_sums("cage", (5, [(0, 0), (0, 1)]))
    (text,) = write([16 * "."], "fpuzzles", killer)
    for layout in (None, box, x, killer):
        assert same_rules(only(text, layout).layout, killer)
    for layout in ((1, 4), Layout.named("anti-knight", box), x.with_sums("cage", (4, [(0, 0), (0, 1)]))):
        assert "that was asked for" in found(text, layout)[0]


def test_jigsaws_of_fpuzzles() -> None:
    """Regions of any shape are a jigsaw."""
    value = fpuzzle(4)
    for r, row in enumerate(["AAAB", "ACBB", "CCDB", "CDDD"]):
        for c, name in enumerate(row):
            value["grid"][r][c]["region"] = "ABCD".index(name)
    assert count(as_puzzle(json.dumps(value))).covers == count("." * 16, Layout.jigsaw("AAAB ACBB CCDB CDDD")).covers


def packed(value: Any) -> str:
    """A value as links have it."""
    lzstring = pytest.importorskip("lzstring")
    return str(lzstring.LZString().compressToBase64(value if isinstance(value, str) else json.dumps(value)))


def test_links() -> None:
    """Links to both sites are the puzzles in them, with other parameters around or not, and so are their names."""
    puzzle = packed(fpuzzle(4))
    escaped = puzzle.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")
    lines = [
        f"https://www.f-puzzles.com/?load={puzzle}",
        f"https://f-puzzles.com/?x=1&load={escaped}",
        f"https://sudokupad.app/fpuzzles{escaped}?setting-nogrid=1",
        f"https://app.crackingthecryptic.com/sudoku/?puzzleid=fpuz{escaped}",
        f"fpuzzles{puzzle}",
    ]
    forms = [(one.form, one.line) if isinstance(one, Puzzle) else str(one) for one in read(lines)]
    assert forms == [("fpuzzles", k) for k in (1, 2, 3, 4, 5)]


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ("https://example.org/?load=N4IgzglgXgpiBcBOANCA5gJw", "is no link to f-puzzles or SudokuPad"),
        ("https://sudokupad.app/abc123", "has no puzzle in it, but a name that only its server knows"),
        ("https://sudokupad.app/sclN4IgzglgXgpiBcBOANCA5gJw", "SudokuPad's own form in it, which is not read"),
        ("https://www.f-puzzles.com/?load=qqqqqqqqqqqqq", "lz-string"),
        (f"https://www.f-puzzles.com/?load={'N' * LONGEST}", f"the link has more than {LONGEST} characters"),
    ],
)
def test_wrong_links(link: str, reason: str) -> None:
    """A link that has no puzzle is an error, and the line behind it is read."""
    pytest.importorskip("lzstring")
    first, second = found([link, LINE])
    assert reason in first or "no JSON" in first
    assert second == LINE


def test_links_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """A link without lzstring is an error that says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "lzstring", None)
    (error,) = found("https://www.f-puzzles.com/?load=N4IgzglgXgpiBcB")
    assert error.endswith("pip install lzstring")


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ("", LINE),
        *(("", f"{write(LINE)}\n\n") for write in (to_rows, to_boxed)),
        ("", json.dumps(ROWS)),
        ("", f":0000:x:{LINE}:::"),
        ("puzzle,id", f"{LINE},1"),
    ],
)
def test_grids_of_a_stream_come_with_their_last_lines(head: str, text: str) -> None:
    """Each of many grids comes with its line or the empty line behind its rows: a stream takes no memory."""
    taken = 0

    def lines() -> Iterator[str]:
        nonlocal taken
        yield from head.splitlines()
        for _ in range(50):
            taken += 1
            yield from text.splitlines()

    for k, one in enumerate(islice(read(lines()), 50), 1):
        assert isinstance(one, Puzzle)
        assert taken == k


def test_null_is_nothing() -> None:
    """A member that is null is as one that is not there."""
    names = ("antiknight", "arrow", "odd", "solution", "littlekillersum")
    assert only(json.dumps(fpuzzle(4) | dict.fromkeys(names))).form == "fpuzzles"


@pytest.mark.parametrize("name", ["line", "rectangle", "circle", "text", "cage"])
def test_what_is_only_drawn(name: str) -> None:
    """Lines, shapes and texts that are no pictures of rules are skipped, with a warning that names them."""
    bare = {"size": 4, "grid": [[{"c": "#FF0000"}] * 4] * 4}
    of: Any
    for of in ([], {}, 1, ["Renban"], "Renban", None):
        text = json.dumps(
            bare | {name: [{"lines": [["R1C1", "R2C2"]], "cells": ["R1C1", "R2C2"], "fromConstraint": of}]}
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            (found,) = read([text], file="f.json")
        assert isinstance(found, Puzzle)
        assert found.layout == Layout.boxes(2, 2)
        warned = [f"f.json: skipped '{name}' of f-puzzles, which is only drawn and no rule"]
        assert [str(one.message) for one in caught] == (warned if of != "Renban" else [])
