"""Grids and results in notebooks; tests/data/answers.txt has problems."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest

import dlx
import sudoku
from dlx.show.dance import page


def test_a_puzzle_shows_itself() -> None:
    """A grid that was read is shown as a picture, with boxes of the shape that it was read with."""
    puzzle, wide = (next(sudoku.read(["12" + "." * 34], layout=box)) for box in ((2, 3), (3, 2)))
    assert isinstance(puzzle, sudoku.Puzzle)
    assert isinstance(wide, sudoku.Puzzle)
    assert puzzle._repr_svg_() == sudoku.to_svg(puzzle.grid, (2, 3)) != wide._repr_svg_()


def shown(value: Any) -> tuple[dict[str, list[str]], int]:
    """The facts of a result in a notebook, each with its lines, and how many pictures there are; it is well-formed."""
    html = value._repr_html_()
    tree = ElementTree.fromstring(f"<div>{html.replace('<br>', '<br/>')}</div>")
    facts = {row[0].text or "": list(row[1].itertext()) for row in tree.iter("tr")}
    return facts, sum(node.tag.endswith("}svg") for node in tree.iter())


CREWS = dlx.Problem.from_options(
    {"<Ann> & Bob": "ab", ("Cy", 1): "cd", "Di": "ac", "Ed": "bd", "Flo": "abcd"}, weights=[3, 4, 5, 1, 9]
)


def test_results_are_tables() -> None:
    """A result shows its answer first, in the caller's names, then the work of the search, and draws its cover."""
    best, one = shown(dlx.best(CREWS, "min", k=2))
    assert best["covers"] == ["6: Di | Ed", "7: <Ann> & Bob | Cy 1"]
    assert (best["bound"], best["proven"], best["stopped"], one) == (["6"], ["True"], ["no"], 1)
    assert list(best)[:3] == ["covers", "bound", "proven"]
    assert list(best)[-1] == "stopped"
    first, one = shown(dlx.first(CREWS.without([2, 3, 4]), seed=1))
    assert (first["cover"], one) == (["<Ann> & Bob", "Cy 1"], 1)
    core = shown(dlx.explain(CREWS.without([1, 3, 4])))[0]
    assert core["items"] == ["d"]
    assert "cover" not in core
    count, none = shown(dlx.count(CREWS, max_covers=1))
    assert (count["covers"], count["stopped"], none) == (["1"], ["max_covers"], 0)
    estimate, none = shown(dlx.estimate(dlx.Problem.from_options([["a"], ["a"]])))
    assert (estimate["nodes"], none) == (["2 ± 0"], 0)
    search = dlx.covers(CREWS)
    next(search)
    facts, one = shown(search)
    assert (facts["covers"], facts["kernel"], one) == (["1"], ["links"], 1)
    facts, one = shown(sudoku.best("1" + "." * 15, layout=(2, 2)))
    assert ("score" in facts, "completion" in facts, one) == (True, False, 1)


def test_long_results_are_cut() -> None:
    """Ten lines of a list are shown, none over 100 signs, with the number of the others; and pictures have room."""
    rooks = dlx.Problem.from_options([(("row", r), ("column", c)) for r in range(6) for c in range(6)])
    lines = shown(dlx.best(rooks, k=30))[0]["covers"]
    assert (len(lines), lines[-1]) == (11, "… and 20 more")
    assert max(map(len, lines)) == 100
    wide = dlx.Problem.from_options([[k] for k in range(1000)])
    facts, pictures = shown(dlx.first(wide))
    assert (facts["cover"][9:], pictures) == (["9", "… and 990 more"], 0)
    assert shown(dlx.count(dlx.Problem.from_options([[k] for k in range(60) for _ in range(10)])))[0]["covers"] == [
        "1" + "0" * 60
    ]


@pytest.mark.parametrize(
    ("board", "pieces", "sides"),
    [("2x2", "dihex", [10, 10]), ("triangle 2", "triamond, moniamond", [3, 4]), ("1x2", "domino", [4])],
)
def test_tilings_have_the_cells_of_their_lattice(board: str, pieces: str, sides: list[int]) -> None:
    """Hexagons and triangles are drawn as such, in notebooks, alone and on pages."""
    problem = dlx.tiles.problem(board, pieces, each=(0, 2))
    found = dlx.first(problem)
    cover = found.cover or ()
    for drawn in (found._repr_html_(), dlx.show.draw(problem, cover), dlx.tiles.picture(problem, cover)):
        outlines = re.findall(r'd="(M[^"]+)z"', drawn)
        assert sorted(len(re.findall("[MhvL]", line)) for line in outlines) == sides
    data = re.search(r'id="data">(.*)</script>', page(dlx.trace(problem)))
    marks = json.loads(data[1])["problem"]["board"]["marks"] if data else []
    assert sorted(len(re.findall("[MhvL]", marks[o][2])) for o in cover) == sides
