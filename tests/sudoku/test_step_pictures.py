"""The pictures of steps: their marks, those of the command, and that of the documents."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from sudoku_command import Feed

import sudoku
from dlx.show.reasoning import OUT
from sudoku.pictures.steps import marks_of

EASY = "1.....2..3.....4"
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
    [(EASY, (2, 2)), (FISH, None), (LOOP, None), (".............2..", RULES)],
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
    for puzzle, box, drawn in ((EASY, "2x2", 12), (FISH, "3x3", sum(step.points > 3 for step in sudoku.steps(FISH)))):
        assert feed_sudoku(puzzle, "steps", "--box", box, "--svg", str(file))[0] == 0
        assert file.read_text(encoding="utf-8").count('font-weight="bold"') >= drawn
        assert len(re.findall(r">\d+\. [a-zX]", file.read_text(encoding="utf-8"))) == drawn


def test_the_picture_of_the_documents() -> None:
    """`docs/steps.svg` is the picture of the swordfish of `docs/reasoning.md`."""
    fish = next(step for step in sudoku.steps(FISH) if step.name == "swordfish")
    assert PICTURE.read_text(encoding="utf-8") == f"{fish._repr_svg_()}\n"
