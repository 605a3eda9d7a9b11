"""`sudoku watch` and the live page: grids dance in a browser, and end as the engine says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import browser, pictured, visited
from sudoku_command import Feed

import dlx
import sudoku
from sudoku.dance import board, live_page
from sudoku.encoding import encode

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """One browser for all tests."""
    with browser() as opened:
        yield opened


@pytest.mark.slow
def test_command(chromium: Any, feed_sudoku: Feed, tmp_path: Path) -> None:
    """The page of a grid shows its completion, and a second grid has a page with its number."""
    file = tmp_path / "page.html"
    status, out, error = feed_sudoku(f"{EASY}\n{SOLVED}\n", "watch", "-o", str(file))
    assert (status, out, error) == (0, "", "")
    with visited(chromium, file) as visitor:
        visitor.keyboard.press("End")
        assert visitor.inner_text("#covers li") == SOLVED
        visitor.keyboard.press("Home")
        visitor.keyboard.press("n")
        pictured(visitor, "sudoku")
    with visited(chromium, tmp_path / "page-2.html") as visitor:
        assert visitor.inner_text("#covers li") == SOLVED


@pytest.mark.slow
def test_live_page(chromium: Any, tmp_path: Path) -> None:
    """What people type is a problem, or a sudoku; of a bad one the page says what is wrong."""
    file = tmp_path / "page.html"
    file.write_text(live_page(), encoding="utf-8")
    with visited(chromium, file) as visitor:
        visitor.select_option("#kind", "sudoku")
        visitor.click("#own button")
        assert visitor.inner_text("#covers li") == SOLVED
        for wrong, message in (
            ("12", "there are 2 signs; a sudoku has 16, 81 or 256"),
            ("1" + 14 * "." + "5", "row 4, column 4: 5 is no digit of 4 x 4"),
        ):
            visitor.fill("#text", wrong)
            visitor.click("#own button")
            assert visitor.inner_text("#wrong") == message
        visitor.fill("#text", "1...............")
        visitor.click("#own button")
        assert visitor.locator("#covers li").count() == 72
        pictured(visitor, "live-sudoku")


def test_board() -> None:
    """Each candidate has its cell and its place, whatever the layout; options of sums are not on the board."""
    layout = sudoku.Layout.x().with_sums("cage", (17, [(0, 0), (0, 1)]))
    puzzle = sudoku.as_puzzle("." * 81, layout)
    problem = encode(puzzle)
    shown = board(puzzle, problem)
    assert len(shown.marks) == problem.n_options
    assert [mark[0] for mark in shown.marks if mark] == [name[:2] for name in problem.names or () if len(name) == 3]
    assert None in shown.marks
    assert shown.items is not None
    assert shown.items[0] == "the cell in row 1, column 1"
    assert len(shown.items) == problem.n_items


def test_bad_files(feed_sudoku: Feed, tmp_path: Path) -> None:
    """A grid that is malformed is told of, the others have their pages; a page that cannot be written is an error."""
    file = tmp_path / "page.html"
    status, _, error = feed_sudoku(f"astray\n{SOLVED}\n", "watch", "-o", str(file))
    assert status == 2
    assert "<stdin>:1: 'astray'" in error
    assert [path.name for path in tmp_path.iterdir()] == ["page-2.html"]
    status, _, error = feed_sudoku(f"{SOLVED}\n", "watch", "-o", str(tmp_path / "no" / "page.html"))
    assert status == 2
    assert "No such file or directory" in error


def test_few_events(feed_sudoku: Feed) -> None:
    """A page with fewer steps than there are says so."""
    status, out, error = feed_sudoku(f"{EASY}\n", "watch", "--events", "10")
    assert status == 0
    assert out.startswith("<!DOCTYPE html>")
    assert error == "sudoku: the page has the first 10 steps; --events N records more\n"
    assert len(dlx.trace(encode(EASY), max_events=10).events) == 10
