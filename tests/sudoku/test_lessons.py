"""`sudoku watch --steps`: a page on which a class guesses steps, and is told what the library says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import check_accessible, pictured, visited
from seeds import nightly
from sudoku_command import Feed

import sudoku
from dlx.show.reasoning import OUT, TRUTH
from sudoku.pictures.dance import steps_page
from sudoku.pictures.steps import marks_of as steps_marks

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
ROLES = "lesson.stage.state.by.map((by, o) => (by === LIVE ? 1 : lesson.stage.state.chosen.includes(o) ? 2 : 0))"
HERE = "[lesson.place, lesson.hidden, $('step-number').textContent, $('say').textContent]"


def lesson(puzzle: str, layout: Any, folder: Path) -> tuple[sudoku.Steps, list[sudoku.Step], Path]:
    """The steps of a puzzle, and the file of their page."""
    file, solving = folder / "page.html", sudoku.steps(puzzle, layout)
    steps = list(solving)
    file.write_text(steps_page(solving, steps, title="A lesson"), encoding="utf-8")
    return solving, steps, file


def marks_of(roles: list[int], places: list[Any], shape: tuple[int, ...]) -> Any:
    """The candidates that are open or chosen, as pencil marks."""
    marks = np.zeros(shape, dtype=np.bool_)
    for role, place in zip(roles, places, strict=True):
        if role and place:
            marks[divmod(place[0][0], shape[1])][int(place[1]) - 1] = True
    return marks


SHOWN = f"""() => [...lesson.steps.keys()].reverse().map((k) => {{
    go(k + 1);
    return [k, {ROLES}, $("say").textContent, document.querySelector("#covers .now").textContent];
}})"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("puzzle", "layout"),
    [(EASY, (2, 2)), (FISH, None), (LOOP, None), (".............2..", RULES)],
    ids=["4x4", "fish", "loop", "rules"],
)
def test_each_step(puzzle: str, layout: Any, chromium: Any, tmp_path: Path) -> None:
    """At each step the page has the library's candidates, sentence, and marks in its picture."""
    solving, steps, file = lesson(puzzle, layout, tmp_path)
    with visited(chromium, file) as visitor:
        places = visitor.evaluate("lesson.problem.board.marks")
        seen = visitor.evaluate(SHOWN)
        visitor.keyboard.press("End")
        roles, end = visitor.evaluate(ROLES), visitor.inner_text("#say")
    assert len(seen) == len(steps)
    shape = (*solving.grid.shape, solving.layout.size)
    for k, at, said, row in seen:
        step, points = steps[k], steps[k].points
        marks = np.ones(shape, dtype=np.bool_) if step.before.candidates is None else step.before.candidates
        assert np.array_equal(marks_of(at, places, shape), marks), k
        assert said == f"Step {k + 1} ({points} point{'s' * (points != 1)}): {step.text}."
        assert row == f"{step.name} · {points}"
        where, rest = steps_marks(step)
        assert rest.count(f'fill="{OUT}"') == sum(not isinstance(name[0], str) for name in step.out)
        assert rest.count("<circle") == (step.placed is not None and not isinstance(step.placed[0], str))
        assert rest.count('opacity="0.7"') == (len(step.path) - (step.rank > 0) if step.path else 0)
        assert not step.path or where.count("<rect") == len({name for group in step.path for name in group})
    assert not solving.solved or np.array_equal(marks_of(roles, places, shape).argmax(axis=2) + 1, solving.grid)
    blanks = int((solving.grid == 0).sum())
    assert end.startswith("Solved: there is no other" if solving.solved else f"{blanks} blanks are left; ")


@pytest.mark.slow
def test_guesses(chromium: Any, tmp_path: Path) -> None:
    """A key tells the name, then the place, then all, and takes each back; with another one each step begins so."""
    _, steps, file = lesson(FISH, None, tmp_path)
    k = next(k for k, step in enumerate(steps, 1) if step.name == "swordfish")
    title = f"Step {k} (8 points): swordfish"
    told = [
        [k, 2, f"{k} ? of {len(steps)}", f"{title}. Where is it?"],
        [k, 1, f"{k} ? of {len(steps)}", f"{title}; look at 8 of columns 2, 5 and 7. What does it say?"],
        [k, 0, f"{k} of {len(steps)}", f"Step {k} (8 points): {steps[k - 1].text}."],
    ]
    with visited(chromium, file) as visitor:

        def pressed(key: str) -> Any:
            visitor.keyboard.press(key)
            return visitor.evaluate(HERE)

        visitor.evaluate(f"go({k - 1})")
        shown = []
        for state in told:
            assert pressed(".") == state
            shown.append(visitor.inner_html("#board svg"))
        assert [[colour in drawn for colour in (TRUTH, OUT)] for drawn in shown] == [
            [False, False],
            [True, False],
            [True, True],
        ]
        for state in told[1::-1]:
            assert pressed(",") == state
        assert pressed("ArrowRight") == told[2]
        assert pressed("h") == told[0]
        assert visitor.get_attribute("#hide", "aria-pressed") == "true"
        assert [pressed("ArrowRight") for _ in range(2)] == told[1:]
        assert pressed("ArrowRight")[:2] == [k + 1, 2]
        assert pressed("ArrowLeft") == told[0]
        visitor.locator("#covers button").nth(k - 1).click()
        assert visitor.evaluate(HERE) == told[0]
        visitor.focus("#place")
        assert pressed("ArrowRight")[:2] == [k + 1, 2]
        assert pressed("h")[:2] == [k + 1, 0]
        visitor.evaluate("document.activeElement.blur()")
        hard = [k for k, step in enumerate(steps, 1) if step.placed is None]
        pressed("Home")
        assert [pressed("n")[0] for _ in hard] == hard
        assert pressed("n")[2] == pressed("End")[2] == "the end"
        assert pressed(",")[:2] == [len(steps), 0]
        assert pressed(".")[2] == "the end"
        pressed("Home")
        visitor.fill("#speed", "12")
        pressed(" ")
        visitor.wait_for_function("player().place === player().frames", timeout=20_000)


@pytest.mark.slow
@pytest.mark.parametrize(("wide", "scheme"), [(390, "dark"), *nightly((390, "light"), (1280, "dark"), (1280, "light"))])
def test_for_everyone(wide: int, scheme: str, chromium: Any, tmp_path: Path) -> None:
    """Nothing is wrong by axe's rules, nothing is cut off on a telephone, and on paper there are no buttons."""
    _, steps, file = lesson(LOOP, None, tmp_path)
    loop = next(k for k, step in enumerate(steps, 1) if step.name == "closed chain")
    settings: Any = {"viewport": {"width": wide, "height": 844}, "color_scheme": scheme, "reduced_motion": "reduce"}
    with visited(chromium, file, **settings) as visitor:
        visitor.evaluate(f"go({loop})")
        pictured(visitor, f"lesson-{wide}-{scheme}")
        assert visitor.evaluate("document.documentElement.scrollWidth") <= wide
        visitor.evaluate("$('help').open = true")
        for key in ("h", "."):
            visitor.keyboard.press(key)
            check_accessible(visitor)
        assert "A class can guess first" in visitor.inner_text("#help")
        visitor.emulate_media(media="print")
        assert visitor.is_hidden("#controls")
        assert visitor.is_visible("#board svg")


@pytest.mark.slow
def test_pages_of_the_command(feed_sudoku: Feed, chromium: Any, tmp_path: Path) -> None:
    """Each grid has a page, with the signs that are asked for and the heading; one that is solved has no step."""
    file = tmp_path / "page.html"
    asked = ("watch", "--steps", "--box", "2x2", "--alphabet", "abcd", "-o", str(file), "--title", "<Letters>")
    written = f"sudoku: 2 files are written, {file} to {tmp_path / 'page-2.html'}\n"
    assert feed_sudoku("a.....b..c.....d\nabcdcdabbadcdcba\n", *asked) == (0, "", written)
    with visited(chromium, file) as visitor:
        assert visitor.inner_text("#title") == "<Letters>"
        visitor.keyboard.press("ArrowRight")
        assert visitor.inner_text("#say") == "Step 1 (1 point): hidden single in box 1: b of box 1 can only be in r1c2."
    with visited(chromium, tmp_path / "page-2.html") as visitor:
        assert visitor.inner_text("#say") == "Solved: there is no other completion."


def test_singles_are_drawn_where_there_is_nothing_else(feed_sudoku: Feed, tmp_path: Path) -> None:
    """The picture of all steps has the singles only if there are no other steps."""
    file = tmp_path / "steps.svg"
    for puzzle, box, drawn in ((EASY, "2x2", 12), (FISH, "3x3", sum(step.points > 3 for step in sudoku.steps(FISH)))):
        assert feed_sudoku(puzzle, "steps", "--box", box, "--svg", str(file))[0] == 0
        assert file.read_text(encoding="utf-8").count('font-weight="bold"') >= drawn
        assert len(re.findall(r">\d+\. [a-zX]", file.read_text(encoding="utf-8"))) == drawn


def test_a_page_of_what_was_done_until_a_limit(feed_sudoku: Feed) -> None:
    """A page goes to standard output, also one of the steps until a timeout."""
    status, out, error = feed_sudoku(FISH, "watch", "--steps", "--timeout", "0")
    assert (status, error) == (0, "sudoku: stopped by --timeout; the page has what was done until then\n")
    assert f"{FISH.count('.')} blanks are left; there may be more steps." in out


def test_the_picture_of_the_documents() -> None:
    """`docs/steps.svg` is the picture of the swordfish of `docs/reasoning.md`."""
    fish = next(step for step in sudoku.steps(FISH) if step.name == "swordfish")
    assert PICTURE.read_text(encoding="utf-8") == f"{fish._repr_svg_()}\n"
