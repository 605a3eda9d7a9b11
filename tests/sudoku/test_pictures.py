"""Pictures of steps, and pages on which grids dance in a browser and end as the engine says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browser import pictured, visited
from sudoku_command import Feed

import dlx
import sudoku
from dlx.show.reasoning import OUT
from sudoku.encoding import encode
from sudoku.formats.rules import read_rules
from sudoku.pictures.dance import board, rest
from sudoku.pictures.steps import marks_of

# Steps


SMALL = "1.....2..3.....4"
FISH = "327........4....398.....7....612.....1.5.9.4.......6...9.65.4.1....4........1..93"
PICTURE = Path(__file__).parents[2] / "docs" / "steps.svg"
DATA = Path(__file__).parents[1] / "data" / "techniques.txt"
LOOP = next(line.split()[-1] for line in DATA.read_text().splitlines() if line.startswith("closed chain"))
RULES = (
    sudoku.Layout.boxes(2, 2)
    .with_sums("cage", (7, [(0, 0), (0, 1)]))
    .with_sums("sandwich", (5, [(2, c) for c in range(4)]))
    .with_lines("thermometer", [(1, 1), (1, 2), (1, 3)])
)


@pytest.mark.parametrize(
    ("puzzle", "layout"),
    [(SMALL, (2, 2)), (FISH, None), (LOOP, None), (".............2..", RULES)],
    ids=["4x4", "fish", "loop", "rules"],
)
def test_marks(puzzle: str, layout: Any) -> None:
    """A step crosses out what it rules out, has a disc for what it places, and a line for each link of a chain."""
    for step in sudoku.steps(puzzle, layout):
        marks = marks_of(step)
        assert marks.count(f'fill="{OUT}"') == sum(not isinstance(name[0], str) for name in step.out)
        assert marks.count("<circle") == (step.placed is not None and not isinstance(step.placed[0], str))
        assert marks.count('opacity="0.7"') == (len(step.path) - (step.rank > 0) if step.path else 0)


def test_singles_are_drawn_where_there_is_nothing_else(feed_sudoku: Feed, tmp_path: Path) -> None:
    """The picture of all steps has the singles only if there are no other steps."""
    file = tmp_path / "steps.svg"
    for puzzle, box, drawn in ((SMALL, "2x2", 12), (FISH, "3x3", sum(step.points > 3 for step in sudoku.steps(FISH)))):
        assert feed_sudoku(puzzle, "steps", "--box", box, "--svg", str(file))[0] == 0
        assert file.read_text(encoding="utf-8").count('font-weight="bold"') >= drawn
        assert len(re.findall(r">\d+\. [a-zX]", file.read_text(encoding="utf-8"))) == drawn


def test_the_picture_of_the_documents() -> None:
    """`docs/steps.svg` is the picture of the swordfish of `docs/reasoning.md`."""
    fish = next(step for step in sudoku.steps(FISH) if step.name == "swordfish")
    assert PICTURE.read_text(encoding="utf-8") == f"{fish._repr_svg_()}\n"


# Pages


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
    """Each candidate has its cell and its place, whatever the layout; those of sums are not.

    Digits of regions are called digits, and what belongs to other rules is numbered.
    """
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
    assert len([name for name in shown.items if "=" in name]) == 9 * len(layout.regions)
    assert "cage 1, part 1" in shown.items


def test_what_rules_look_like(chromium: Any, feed_sudoku: Feed, tmp_path: Path) -> None:
    """A page has the cages, totals and tints of a layout behind its digits, as `sudoku draw` has them."""
    rules, file, empty = tmp_path / "rules.txt", tmp_path / "page.html", tmp_path / "empty.svg"
    rules.write_text("cage 15 r1c1 r1c2 r2c1\nsandwich 12 row 3\nregion cross r4c5 r5c4 r5c6\n")
    assert feed_sudoku(EASY, "watch", "--rules", str(rules), "--events", "9", "-o", str(file))[0] == 0
    assert feed_sudoku("." * 81, "draw", "--rules", str(rules), "-o", str(empty))[0] == 0
    with visited(chromium, file) as visitor:
        assert visitor.evaluate("stage.problem.board.backdrop.svg.trim()") == empty.read_text().strip()
        pictured(visitor, "rules")
