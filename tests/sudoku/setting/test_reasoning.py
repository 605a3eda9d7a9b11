"""Steps without guesses: never against the completion, named as by definition, rated alike by list and by kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from backtracking import RULES
from seeds import for_seeds
from techniques import TECHNIQUES

import dlx
import sudoku
from sudoku.setting.generating import Wanted
from sudoku.setting.techniques import TECHNIQUES as NAMES
from sudoku.setting.techniques import name_of, technique

DATA = Path(__file__).parents[2] / "data"
NEEDED = dict(line.rsplit(None, 1) for line in (DATA / "techniques.txt").read_text().splitlines() if line[0] != "#")
CHAINS = {"chain", "X-chain", "XY-chain", "remote pair"}
CHAINS |= {f"grouped {name}" for name in ("chain", "X-chain", "turbot fish", "two-string kite")}
CHAINS |= {f"closed {name}" for name in ("chain", "X-chain", "XY-chain")}


def marks_of(step: sudoku.Step) -> npt.NDArray[np.bool_]:
    """The pencil marks before a step."""
    marks = step.before.candidates
    assert marks is not None
    return marks


def candidates_of(item: tuple[str, int, int]) -> Iterator[tuple[int, int, int]]:
    """The candidates of an item of plain sudoku."""
    kind, a, b = item
    for k in range(9):
        yield {
            "cell": (a, b, k + 1),
            "row": (a, k, b),
            "column": (k, a, b),
            "box": (a // 3 * 3 + k // 3, a % 3 * 3 + k % 3, b),
        }[kind]


def clash(a: tuple[int, int, int], b: tuple[int, int, int]) -> bool:
    """Returns whether two candidates cannot both hold."""
    same = a[:2] == b[:2]
    boxes = (a[0] // 3, a[1] // 3) == (b[0] // 3, b[1] // 3)
    return a != b and (same or (a[2] == b[2] and (a[0] == b[0] or a[1] == b[1] or boxes)))


def check_steps(puzzle: npt.NDArray[np.uint8], layout: sudoku.Layout) -> sudoku.Steps:
    """Raises an AssertionError if a step is against the completion, or changes something else than it says."""
    completion = sudoku.solve(puzzle, layout).completion
    assert completion is not None
    solving = sudoku.steps(puzzle, layout)
    for step in solving:
        assert step.text.startswith(step.title)
        assert step.name
        assert layout.is_plain or step._repr_svg_()
        assert step.points > 0
        for name in step.out if step.placed is None else [step.placed]:
            assert (completion[name[:2]] == name[2]) == (step.placed is not None), step.text
        assert (step.before.grid[step.before.grid > 0] == completion[step.before.grid > 0]).all()
        assert (step.placed or step.combination) is None or not (step.out or step.combinations_out)
        assert step.out or step.placed or step.combination or step.combinations_out
    assert not solving.contradictory
    assert not solving.solved or np.array_equal(solving.grid, completion)
    return solving


@for_seeds(400, 40)
def test_steps_keep_the_completion(seed: int) -> None:
    """No step rules out a candidate of the completion or places another one; what they solve is the completion."""
    for puzzle in sudoku.generate_many(3, seed=seed):
        check_steps(puzzle, sudoku.Layout.boxes())


@for_seeds(100, 20)
def test_steps_of_variants(seed: int) -> None:
    """Nor do steps of diagonals, cages, thermometers, arrows, sandwiches and others of 4 x 4."""
    lines = [[(0, c) for c in range(4)], [(r, r) for r in range(4)]]
    sums = sudoku.Layout.boxes(2, 2).with_sums("sandwich", (5, lines[0])).with_sums("little-killer", (11, lines[1]))
    mixed = sums.with_lines("thermometer", [(2, 0), (3, 0)]).with_lines("black-dot", [(3, 2), (3, 3)])
    rules = [*RULES.values(), mixed]
    layout = rules[seed % len(rules)]
    check_steps(sudoku.generate(seed=seed, layout=layout), layout)


@cache
def steps_of(name: str) -> list[sudoku.Step]:
    """The steps of the puzzle that needs a technique, for several tests."""
    return list(sudoku.steps(NEEDED[name]))


@pytest.mark.parametrize("name", [name for name in NEEDED if name in TECHNIQUES])
def test_names_are_as_defined(name: str) -> None:
    """A puzzle has a step of this name, and what each such step says is found by brute force over rows and columns."""
    named = [step for step in steps_of(name) if step.name == name]
    assert named
    for step in named[:3]:
        candidates = {step.placed} if step.placed else set(step.out)
        assert candidates <= TECHNIQUES[name](marks_of(step)), step.text


@pytest.mark.parametrize("name", NEEDED)
def test_chains_are_told_from_end_to_end(name: str) -> None:
    """A truth of a path has two groups, each clashes with the next truth's, and what is out with both ends."""
    for step in steps_of(name):
        marks, path = marks_of(step), step.path
        if not path:
            assert step.name not in CHAINS | {"XY-wing", "W-wing", "skyscraper", "empty rectangle"}
            continue
        for truth, *ends in zip(step.truths, path[::2], path[1::2], strict=True):
            assert {*ends[0], *ends[1]} == {one for one in candidates_of(truth) if marks[one[0], one[1], one[2] - 1]}
        around = [*path, path[0]] if step.rank == 0 else path
        for one, next_one in zip(around[1::2], around[2::2], strict=False):
            assert all(clash(a, b) for a in one for b in next_one), step.text
        if step.rank:
            assert all(clash(a, one) for one in step.out for a in (*path[0], *path[-1])), step.text
        assert step.text.startswith(f"{step.name}: if r")


QUADS = {
    "naked quad": ([("cell", 0, c) for c in range(4)], [("row", 0, d) for d in range(1, 5)]),
    "hidden quad": ([("box", 0, d) for d in range(1, 5)], [("cell", 0, c) for c in range(4)]),
    "jellyfish": ([("column", c, 5) for c in range(4)], [("row", r, 5) for r in range(4)]),
}


def test_quads() -> None:
    """Four truths in four links are quads or a jellyfish; a naked quad of pencil marks is the first step."""
    for name, (truths, links) in QUADS.items():
        step = dlx.Step("set", tuple(truths), tuple(links), (), None, 0, 9)
        assert name_of(step, (3, 4, 4, 4), sudoku.Layout.boxes()) == name
    marks = np.ones((9, 9, 9), dtype=np.bool_)
    marks[0, [0, 3, 6, 8], 4:] = False
    first = next(sudoku.steps(sudoku.as_puzzle("." * 81, None, marks)))
    assert (first.name, first.points) == ("naked quad", 10)
    assert set(first.out) == TECHNIQUES["naked quad"](marks)


def word_of(points: int) -> str:
    return "easy" if points < 4 else "medium" if points < 7 else "hard" if points < 10 else "expert"


@for_seeds(200, 20)
def test_a_rating_is_the_sum_of_the_steps(seed: int) -> None:
    """The kernel's points of a puzzle, in a row of many or alone, are those of the steps that are listed."""
    puzzles = sudoku.generate_many(3, seed=seed)
    for puzzle, rating in zip(puzzles, sudoku.rate_many(puzzles), strict=True):
        solving = sudoku.steps(puzzle)
        points = [step.points for step in solving]
        assert (rating.hardest, rating.total, rating.steps) == (max(points, default=0), sum(points), len(points))
        assert rating.solved == solving.solved
        assert rating.difficulty == (word_of(max(points)) if solving.solved else None)
        assert rating == sudoku.rate(puzzle)


def test_points_of_each_technique() -> None:
    """The points of the steps are those in the documentation of `rate`."""
    documented: dict[str, int | None] = {
        "pointing": 4,
        "naked pair": 6,
        "X-wing": 6,
        "skyscraper": 7,
        "hidden triple": 8,
        "swordfish": 8,
    }
    documented |= {"XY-wing": 9, "hidden single": None, "naked single": 3}
    for name, points in documented.items():
        found = {step.points for step in steps_of(name) if step.name == name}
        assert found == ({points} if points else {1, 2}), name


def test_puzzles_with_a_technique() -> None:
    """A puzzle has the technique and the points that are wanted of it; others give up and say why."""
    wanted: Wanted = {"technique": "hidden pair", "rating": (6, 9), "seed": 4}
    puzzle = sudoku.generate(**wanted)
    assert "hidden pair" in {step.name for step in sudoku.steps(puzzle)}
    assert 6 <= sudoku.rate(puzzle).hardest <= 9
    with pytest.raises(sudoku.NoPuzzleError, match=r"20 were reasoned about, up to [0-9]+ points"):
        sudoku.generate(rating=27, tries=20, seed=1)
    with pytest.raises(TimeoutError):
        sudoku.generate(rating=27, timeout=0)


@pytest.mark.parametrize("name", [*NAMES, "12 truths in 13 links", "cage"])
def test_spellings(name: str) -> None:
    """A technique is known without its signs, in capitals, and as several; a letter too many is named in the error."""
    layout = sudoku.Layout.boxes(2, 2).with_sums("cage", (4, [(0, 0), (0, 1)]))
    for spelling in (
        name,
        name.upper(),
        name.replace("-", " "),
        name.replace("-", "").replace(" ", ""),
        f"{name.rstrip('s')}s",
    ):
        assert technique(spelling, layout) == name
    if "truths" not in name:
        with pytest.raises(ValueError, match=re.escape(f" (is it {name!r}?): ")):
            technique(f"{name}q", layout)
    with pytest.raises(ValueError, match="unknown technique '4 truths in 6 links'"):
        technique("4 truths in 6 links", layout)


def test_puzzles_with_sets_and_rules() -> None:
    """Sets without a name, and the rules of a layout, are techniques for `generate`."""
    cages = sudoku.Layout.boxes(2, 2).with_sums("cage", (6, [(0, 0), (0, 1), (0, 2)]), (5, [(2, 2), (2, 3)]))
    for name, layout in (("3 truths in 4 links", sudoku.Layout.boxes()), ("cage", cages)):
        puzzle = sudoku.generate(technique=name, layout=layout, seed=1)
        assert name in {step.name for step in sudoku.steps(puzzle, layout)}
    puzzle = sudoku.generate(technique="locked candidates", seed=1)
    assert {"pointing", "claiming"} & {step.name for step in sudoku.steps(puzzle)}


def test_candidates_and_combinations_are_apart() -> None:
    """What cages are made of stands beside the candidates: 4 is 1+3; and 6 is not 1+5 where no cell can be 1."""
    cage = sudoku.Layout.boxes(2, 2).with_sums("cage", (4, [(0, 0), (0, 1)]))
    only = next(sudoku.steps("." * 16, cage))
    assert (only.placed, only.out, only.combination) == (None, (), ("cage", 0, 1, 3))
    two = sudoku.Layout.boxes(2, 4).with_sums("cage", (10, [(0, 0), (0, 1)]))
    marks = np.ones((8, 8, 8), dtype=np.bool_)
    marks[0, :2, 1] = False
    found = [step for step in sudoku.steps(sudoku.as_puzzle("." * 64, two, marks)) if step.combinations_out]
    assert [(step.combinations_out, step.out) for step in found] == [((("cage", 0, 2, 8),), ())]


@pytest.mark.parametrize(
    ("puzzle", "rules", "message"),
    [
        ("11..............", None, "the givens r1c1=1 and r1c2=1 clash in row 1"),
        ("1....1..........", None, "the givens r1c1=1 and r2c2=1 clash in box 1"),
        ("32..............", "thermometer", "the givens r1c1=3 and r1c2=2 clash in thermometer 1"),
        ("12....34........", None, "nothing is left for "),
    ],
)
def test_contradictions(puzzle: str, rules: str | None, message: str) -> None:
    """The last step names two givens that clash, and the rule, or what has no candidate; clashes are the only step."""
    layout = sudoku.Layout.boxes(2, 2)
    layout = layout.with_lines(rules, [(0, 0), (0, 1)]) if rules else layout
    solving = sudoku.steps(puzzle, layout)
    *others, last = solving
    assert (last.name, solving.contradictory, solving.solved) == ("contradiction", True, False)
    assert message in last.text
    assert not others or "clash" not in message
    assert all(puzzle[4 * r + c] == str(d) for r, c, d in last.out)
    assert sudoku.rate(puzzle, layout).steps == len(others) + 1
    assert sudoku.rate_many([puzzle], layout)[0].contradictory


@for_seeds(400, 100)
def test_what_is_found_is_so(seed: int) -> None:
    """Whatever givens there are: what is solved has one completion, and what is contradictory has none."""
    rng = np.random.default_rng(seed)
    puzzle = np.where(rng.random((4, 4)) < 0.3, rng.integers(1, 5, (4, 4)), 0)
    rating, number = sudoku.rate(puzzle, (2, 2)), sudoku.count(puzzle, (2, 2)).covers
    assert not rating.solved or number == 1
    assert not rating.contradictory or number == 0
    assert rating.solved or rating.contradictory or number != 1


def test_limits() -> None:
    """Limits end the steps, and a rating, and are named."""
    assert sudoku.rate(NEEDED["XY-wing"], timeout=0).stopped == "timeout"
    solving = sudoku.steps(NEEDED["XY-wing"], max_covers=3)
    assert len(list(solving)) == 3
    assert solving.stopped == "max_covers"
