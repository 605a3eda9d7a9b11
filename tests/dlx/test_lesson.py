"""Pages of steps of reasoning about any problem: what they show is what the reasoning says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import browser, pictured, visited
from dlx_command import Feed
from families import build
from oracle import KINDS, random_problem
from seeds import tries

import dlx
from dlx import Problem
from dlx.show.dance import Told, page, steps_page, told

TOY = Problem.from_options(["ce", "adg", "bcf", "adf", "bg", "deg"], items="abcdefg")
QUEENS = build("queens", 6).with_chosen([8])
ROLES = "by.map((by, o) => (by === LIVE ? 1 : chosen.includes(o) ? 2 : 0))"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """One browser for all tests."""
    with browser() as opened:
        yield opened


def lesson(problem: Problem, **limits: Any) -> tuple[list[Told], str]:
    """The steps of reasoning about a problem, and their page."""
    reasoning = dlx.deduce(problem, **limits)
    begun, steps = reasoning.roles, list(told(reasoning, lambda step: f"so {step.out} out"))
    return steps, steps_page(problem, begun, steps)


@pytest.mark.slow
def test_each_place(chromium: Any, tmp_path: Path) -> None:
    """At each place of a page options are out, open and chosen as the reasoning has them, in problems of all kinds."""
    file, seen = tmp_path / "page.html", 0
    file.write_text(lesson(TOY)[1], encoding="utf-8")
    with visited(chromium, file) as visitor:
        for kind in KINDS:
            for seed in range(tries(120)):
                problem = random_problem(np.random.default_rng([seed, 9]), kind)
                begun = dlx.deduce(problem).roles.tolist()
                steps, text = lesson(problem)
                data = json.loads(re.search(r'id="data">(.*)</script>', text)[1])  # type: ignore[index]
                states = visitor.evaluate(
                    f"""(data) => {{
                        load(data);
                        return [...Array(lesson.frames + 1).keys()].reverse().map((k) => {{
                            go(k);
                            const {{ by, chosen }} = lesson.stage.state;
                            return {ROLES};
                        }}).reverse();
                    }}""",
                    data,
                )
                assert states == [begun, begun, *(step.roles.tolist() for step in steps)], (kind, seed)
                seen += len(steps)
    assert seen > 50


@pytest.mark.slow
def test_boards(chromium: Any, tmp_path: Path) -> None:
    """Truths, links and what is out are marked in the matrix of a small problem, on a board of queens, and on tiles."""
    file = tmp_path / "page.html"
    corner = build("dominoes", 3, 4)
    corner = corner.with_chosen([corner.n_options - 1])
    for name, problem, where in (("toy", TOY, "links"), ("queens", QUEENS, "board"), ("tiles", corner, "board")):
        steps, text = lesson(problem)
        file.write_text(text, encoding="utf-8")
        with visited(chromium, file) as visitor:
            assert [visitor.is_visible(f"#{each}") for each in ("board", "links", "sizes")].count(True) == 1
            for k, one in enumerate(steps, 1):
                visitor.evaluate(f"go({k})")
                drawn = visitor.inner_html(f"#{where} svg")
                assert "var(--truth)" in drawn, (name, k)
                assert ("var(--placed)" in drawn) == (one.step.chosen is not None)
                assert ("var(--ruled)" in drawn) == (one.step.chosen is None)
                assert visitor.inner_text("#say") == f"Step {k}: {one.text}."
            assert steps
            pictured(visitor, f"lesson-{name}")


@pytest.mark.slow
def test_command(feed_dlx: Feed, chromium: Any, tmp_path: Path) -> None:
    """The command writes the page of its sentences, says where it ended, and its status is that without a page."""
    file = tmp_path / "page.html"
    text = "a b c | x y z\na x\na y\nb x\nb y\nc x\nc z\n"
    status, out, _ = feed_dlx(text, "deduce")
    sentences = out.splitlines()
    stuck = "stuck: 4 options can be neither chosen nor ruled out by such steps"
    assert feed_dlx(text, "deduce", "--watch", "-o", str(file), "--title", "Three")[:2] == (status, "")
    with visited(chromium, file) as visitor:
        for k, said in enumerate(sentences, 1):
            visitor.keyboard.press("ArrowRight")
            assert visitor.inner_text("#say") == f"Step {k}: {said}."
        visitor.keyboard.press("End")
        assert visitor.inner_text("#say") == f"{stuck.capitalize()}."
        assert visitor.inner_text("#title") == "Three"


def test_ends(feed_dlx: Feed) -> None:
    """Pages tell how the reasoning ended; options of pages and of lines do not mix."""
    for text, status, end in (
        ("a\na\n", 0, "The options chosen are the only cover."),
        ("a b\na\n", 1, "There is no cover."),
    ):
        code, out, _ = feed_dlx(text, "deduce", "--watch")
        assert (code, json.loads(re.search(r'id="data">(.*)</script>', out)[1])["end"]) == (status, end)  # type: ignore[index]
    code, out, error = feed_dlx("a\na\n", "deduce", "--watch", "--max-nodes", "0")
    assert code == 3
    assert "There may be more steps." in out
    assert error == "dlx: stopped by --max-nodes; the page has what was done until then\n"
    refused = "dlx: --output and --title go with --watch, for its page, and --json without it\n"
    for wrong in (["--watch", "--json"], ["--title", "x"]):
        assert feed_dlx("a\na\n", "deduce", *wrong)[::2] == (2, refused)


def test_large_problems_are_refused() -> None:
    """A problem that no page can draw is refused before any step is taken."""
    large = Problem.from_options([[0]] * 20_001)
    with pytest.raises(ValueError, match="20001 options"):
        steps_page(large, np.ones(20_001, dtype=np.int8), (1 // 0 for _ in range(1)))  # type: ignore[misc]


def test_other_pages_have_no_lesson() -> None:
    """The code of lessons is in their pages alone."""
    assert "class Lesson" in lesson(TOY)[1]
    assert "class Lesson" not in page(dlx.trace(TOY))
