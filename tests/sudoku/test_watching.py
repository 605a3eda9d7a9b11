"""`sudoku watch`: grids dance in a browser, and end as the engine says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import pictured, visited
from sudoku_command import Feed

import dlx
import sudoku
from sudoku.encoding import encode
from sudoku.formats.rules import read_rules
from sudoku.pictures.dance import board, rest

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


def test_command(chromium: Any, feed_sudoku: Feed, tmp_path: Path) -> None:
    """The page of a grid shows its completion, and a second grid has a page with its number."""
    file = tmp_path / "page.html"
    status, out, error = feed_sudoku(f"{EASY}\n{SOLVED}\n", "watch", "-o", str(file))
    written = f"sudoku: 2 files are written, {file} to {tmp_path / 'page-2.html'}\n"
    assert (status, out, error) == (0, "", written)
    with visited(chromium, file) as visitor:
        visitor.keyboard.press("End")
        assert visitor.inner_text("#covers li") == SOLVED
        visitor.keyboard.press("Home")
        visitor.keyboard.press("n")
        pictured(visitor, "sudoku")
        choices = visitor.evaluate("stage.steps.filter(([kind]) => kind === TRY).length")
        assert choices == EASY.count(".")  # no given is chosen
    with visited(chromium, tmp_path / "page-2.html") as visitor:
        assert visitor.inner_text("#covers li") == SOLVED


@pytest.mark.parametrize("rules", ["", "cage 10 r1c1 r1c2 r2c1 r2c2", "variant x", "thermometer r1c1 r2c2 r3c3"])
def test_rest(rules: str, tmp_path: Path) -> None:
    """What is left behind the givens has as many covers as the grid has completions, whatever the rules."""
    file = tmp_path / "rules.txt"
    file.write_text(rules)
    layout = read_rules(file, (2, 2))
    puzzle = sudoku.as_puzzle("1..............4", layout)
    problem = rest(puzzle, encode(puzzle))
    assert dlx.count(problem).covers == sudoku.count(puzzle).covers


def test_board() -> None:
    """Each candidate has its cell and its place, whatever the layout; options of sums are not on the board."""
    layout = sudoku.Layout.named("x").with_sums("cage", (17, [(0, 0), (0, 1)]))
    puzzle = sudoku.as_puzzle("." * 81, layout)
    problem = encode(puzzle)
    shown = board(puzzle, problem)
    assert len(shown.marks) == problem.n_options
    assert [mark[0] for mark in shown.marks if mark] == [name[:2] for name in problem.names or () if len(name) == 3]
    assert None in shown.marks
    assert shown.items is not None
    assert shown.items[:2] == ["r1c1", "r1c2"]
    assert max(map(len, shown.items[: 4 * 81])) <= 4
    assert len(shown.items) == len({*shown.items}) == problem.n_items


def test_what_rules_look_like(chromium: Any, feed_sudoku: Feed, tmp_path: Path) -> None:
    """A page has the cages, totals and tints of a layout behind its digits, as `sudoku draw` has them."""
    rules, file, empty = tmp_path / "rules.txt", tmp_path / "page.html", tmp_path / "empty.svg"
    rules.write_text("cage 15 r1c1 r1c2 r2c1\nsandwich 12 row 3\nregion cross r4c5 r5c4 r5c6\n")
    assert feed_sudoku(EASY, "watch", "--rules", str(rules), "--events", "9", "-o", str(file))[0] == 0
    assert feed_sudoku("." * 81, "draw", "--rules", str(rules), "-o", str(empty))[0] == 0
    with visited(chromium, file) as visitor:
        assert visitor.evaluate("stage.problem.board.backdrop.svg.trim()") == empty.read_text().strip()
        pictured(visitor, "rules")


@pytest.mark.parametrize(
    "rule",
    [
        "variant x, windoku, non-consecutive, anti-knight, anti-king",
        "thermometer r1c1 r2c1 r3c1",
        "slow-thermometer r1c1 r2c1 r3c1",
        "whisper r1c1 r2c1 r3c1",
        "white-dot r1c1 r1c2",
        "X r1c1 r1c2",
        "arrow r5c5 r5c6 r5c7",
        "cage 15 r1c1 r1c2 r2c1",
        "sandwich 12 row 3",
        "region cross r4c5 r5c4 r5c6",
    ],
)
def test_names_of_rules(rule: str, tmp_path: Path) -> None:
    """Digits of rows, columns, boxes and other regions are called digits; what belongs to other rules is numbered."""
    file = tmp_path / "rules.txt"
    file.write_text(rule + "\n", encoding="utf-8")
    layout = sudoku.read_rules(file)
    puzzle = sudoku.as_puzzle("." * 81, layout)
    problem = encode(puzzle)
    shown = board(puzzle, problem)
    assert shown.items is not None
    of_regions = [name for name in shown.items if "=" in name]
    assert len(of_regions) == 9 * len(layout.regions)
    assert {name.split("=")[1] for name in of_regions} == {*map(str, range(1, 10))}
    if rule.split()[0] not in ("variant", "region"):
        assert f"{rule.split()[0]} 1, part 1" in shown.items
