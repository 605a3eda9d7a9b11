"""Reasoning step by step: each step is proven, no option of a cover is ruled out, and the end is reported correctly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from families import build
from oracle import KINDS, random_problem
from seeds import for_seeds

from dlx import Coloured, Problem, ProblemError, Progress, Step, count, deduce, reference
from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT


class Reader:
    """Follows steps, and verifies each by the options that are open before it.

    Attributes:
        open: the options that can be in a cover and are neither out nor chosen.
        chosen: those that are chosen.
    """

    def __init__(self, problem: Problem, chosen: tuple[int, ...] = ()) -> None:
        colours = np.zeros_like(problem.indices) if problem.colours is None else problem.colours
        entries = [*zip((problem.items[i] for i in problem.indices), colours.tolist(), strict=True)]
        self.options = [dict(entries[a:b]) for a, b in pairwise(problem.indptr.tolist())]
        primary = problem.items[: problem.n_primary]
        bounds = [(1, 1)] * len(primary) if problem.multiplicities is None else problem.multiplicities.tolist()
        self.bounds = dict.fromkeys(problem.items, (0, 1)) | dict(zip(primary, bounds, strict=True))
        self.takes_colours = {item for option in self.options for item, colour in option.items() if colour}
        self.chosen: set[int] = set()
        self.open = {o for o, option in enumerate(self.options) if option.keys() & set(primary)}
        for o in chosen:
            self.choose(o)

    def need(self, item: object) -> int:
        return max(0, int(self.bounds[item][0]) - sum(item in self.options[o] for o in self.chosen))

    def room(self, item: object) -> int:
        return int(self.bounds[item][1]) - sum(item in self.options[o] for o in self.chosen)

    def times(self, o: int, items: tuple[object, ...]) -> int:
        return sum(item in self.options[o] for item in items)

    def clash(self, o: int, p: int) -> bool:
        mine, other = self.options[o], self.options[p]
        shared = [item for item in mine.keys() & other.keys() if self.room(item) < 2]
        return o != p and any(not mine[item] or mine[item] != other[item] for item in shared)

    def choose(self, o: int) -> set[int]:
        """Chooses an option; returns those that are out for it."""
        out = {p for p in self.open if self.clash(o, p)}
        self.chosen.add(o)
        self.open -= out | {o}
        return out

    def follow(self, step: Step) -> None:
        """Verifies a step, and applies it."""
        out, truths = set(step.out), step.truths
        mine = [o for o in self.open if truths[0] in self.options[o]]
        assert out <= self.open
        assert not set(truths) & set(step.links)
        if step.kind == "single":
            assert step.chosen in mine
            assert len(mine) == self.need(truths[0])
            assert out == self.choose(step.chosen)
        elif step.kind == "block":
            for o in out:
                assert sum(not self.clash(o, p) for p in mine) < self.need(truths[0])
        elif step.kind != "contradiction" or len(mine) >= self.need(truths[0]):
            excess = {o: self.times(o, step.links) - self.times(o, truths) for o in self.open}
            rank = sum(map(self.room, step.links)) - sum(map(self.need, truths))
            assert not self.takes_colours & set(step.links)
            assert min(excess.values(), default=0) >= 0
            assert rank == step.rank
            assert rank < 0 if step.kind == "contradiction" else out == {o for o in excess if excess[o] > rank}
        self.open -= out
        assert step.open == len(self.open)
        assert (step.chosen is None) == (step.kind != "single")
        assert out or step.kind in ("single", "contradiction")


def followed(problem: Problem, steps: list[Step]) -> Counter[str]:
    """The number of steps of each kind, all of which are verified."""
    reader = Reader(problem)
    for step in steps:
        reader.follow(step)
    return Counter(step.kind for step in steps)


all_kinds = pytest.mark.parametrize("kind", KINDS)


def bounds(rng: np.random.Generator) -> dict[str, Any]:
    """How far reasoning may go."""
    return {"truths": int(rng.integers(1, 6)), "rank": int(rng.integers(0, 4)), "chain": int(rng.integers(0, 7))}


def squares(n: int) -> Problem:
    """Latin squares: an option puts a symbol into a cell."""
    cells = product(range(n), repeat=3)
    names = {(r, c, s): (("cell", r, c), ("row", r, s), ("column", c, s)) for r, c, s in cells}
    return Problem.from_options(names)


def fish(n: int, fin: bool = False) -> Problem:
    """Rows that have their one column among the first n, but for the last row, which has one more.

    With a fin, the first row has a column of its own, too, which the first option of the last row clashes with.
    """
    places = [(row, column) for row in range(n) for column in range(n)] + [(n, column) for column in range(n + 1)]
    options = [[f"row {row}", f"column {column}"] for row, column in places]
    if fin:
        options.append(["row 0", "fin"])
        options[n * n].append("fin")
    return Problem.from_options(options, secondary=[*(f"column {column}" for column in range(n + 1)), *["fin"] * fin])


@all_kinds
@for_seeds(1500)
def test_steps_are_proven_and_lose_no_cover(kind: str, seed: int) -> None:
    """Each step verifies; no cover loses an option, or lacks a chosen one; the end is what the covers say."""
    rng = np.random.default_rng([seed, 1])
    problem = random_problem(rng, kind)
    covers = [set(cover) for cover in reference.covers(problem)]
    reader, reasoning = Reader(problem), deduce(problem, **bounds(rng))
    for step in reasoning:
        reader.follow(step)
        assert all(reader.chosen <= cover <= reader.open | reader.chosen for cover in covers)
        assert not (covers and reasoning.contradictory)
    assert reasoning.exhausted
    assert reasoning.solved + reasoning.stuck + reasoning.contradictory == 1
    assert not reasoning.solved or covers == [reader.chosen]
    roles = np.full(problem.n_options, LEFT_OUT)
    roles[list(reader.open)], roles[list(reader.chosen)] = FREE, CHOSEN
    assert (reasoning.roles == roles).all()


@all_kinds
@for_seeds(300)
def test_chosen_options_and_those_left_out_are_the_beginning(kind: str, seed: int) -> None:
    """Reasoning about a problem with roles, or restarted with options, begins after these choices."""
    rng = np.random.default_rng([seed, 2])
    problem = random_problem(rng, kind)
    whole = deduce(problem)
    covers = [sorted(cover) for cover in reference.covers(problem)]
    some = [o for o in (covers[0] if covers else []) if rng.random() < 0.5]
    chosen = problem.with_chosen(some)
    whole.finish()
    whole.restart(some)
    reader, steps = Reader(problem, tuple(some)), list(deduce(chosen))
    assert list(whole) == steps
    for step in steps:
        reader.follow(step)
        assert all(reader.chosen <= set(cover) for cover in covers if set(some) <= set(cover))
    gone = [o for o in range(problem.n_options) if rng.random() < 0.2]
    fewer = problem.without(gone)
    left = [set(cover) for cover in covers if not set(cover) & set(gone)]
    for step in deduce(fewer):
        assert not any(cover & set(step.out) for cover in left)
        assert step.chosen is None or all(step.chosen in cover for cover in left)


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("fin", [False, True])
def test_fish(n: int, fin: bool) -> None:
    """N rows in N columns rule out the others of these columns; with a fin those alone that it clashes with."""
    reasoning = deduce(fish(n, fin), truths=n + fin, chain=0)
    step = next(reasoning)
    assert (step.kind, len(step.truths), len(step.links), step.rank) == ("set", n, n + fin, int(fin))
    assert step.out == ((n * n,) if fin else tuple(range(n * n, n * n + n)))
    if not fin:
        assert next(reasoning).chosen == n * n + n
    assert reasoning.stuck is False
    assert [*deduce(fish(n, fin), truths=n + fin - 1, chain=0)] == []


@pytest.mark.parametrize("n", [2, 5, 9])
def test_chains(n: int) -> None:
    """N truths, each with an option in two links in a row, rule out what has both ends; shorter ones do not.

    Truths and links are listed from one end to the other, however they are numbered.
    """
    options = [[f"truth {k}", f"link {k + side}"] for k in range(n) for side in (0, 1)]
    np.random.default_rng(n).shuffle(options)
    options += [["other", "link 0", f"link {n}"], ["other", "alone"]]
    problem = Problem.from_options(options, secondary=["alone", *(f"link {k}" for k in range(n + 1))])
    first = next(deduce(problem, truths=2, chain=n))
    assert (first.kind, len(first.truths), first.rank, first.out) == ("chain" if n > 1 else "set", n, 1, (2 * n,))
    expected = [f"truth {k}" for k in range(n)], [f"link {k}" for k in range(n + 1)]
    assert ([*first.truths], [*first.links]) in (expected, tuple(some[::-1] for some in expected))
    assert [*deduce(problem, truths=1, chain=n - 1)] == []
    loop = Problem.from_options(
        [*([f"truth {k}", f"link {(k + side) % n}"] for k in range(n) for side in (0, 1)), ["b", "link 1"], ["b", "x"]],
        secondary=["x", *(f"link {k}" for k in range(n))],
    )
    first = next(deduce(loop, truths=1, chain=n))
    assert (first.kind, first.rank, len(first.links), first.out) == ("chain", 0, n, (2 * n,))
    for truth, *beside in zip(first.truths, first.links, [*first.links[1:], first.links[0]], strict=True):
        k = int(str(truth).split()[1])
        assert {*beside} == {f"link {k}", f"link {(k + 1) % n}"}


def test_blocks_need_no_common_link() -> None:
    """An option with the last two cells for a piece blocks it; so does a colour that all places of it exclude."""
    cells = Problem.from_options(["ax", "ay", "bxy", "bz"], items="ab", secondary="xyz")
    step = next(deduce(cells, truths=1, chain=0))
    assert (step.kind, step.truths, step.links, step.out, step.rank) == ("block", ("a",), ("x", "y"), (2,), 1)
    red, blue = Coloured("x", "red"), Coloured("x", "blue")
    colours = Problem.from_options([["a", red], ["a", red, "y"], ["b", blue], ["b", red]], secondary="xy")
    step = next(deduce(colours))
    assert (step.kind, step.truths, step.links, step.out) == ("block", ("a",), ("x",), (2,))
    assert [*deduce(cells, truths=1, rank=0)] == []


def test_contradictions() -> None:
    """Too few options, and more truths than their links have room for, end the reasoning."""
    pigeons = build("rooks", 4).without([o for o in range(16) if o % 4 == 3])
    last = list(deduce(pigeons))[-1]
    assert (last.kind, last.rank) == ("contradiction", -1)
    crowded = Problem.from_options([f"{p}{h}" for p in "abcd" for h in "xyz"], secondary="xyz")
    assert [step.kind for step in deduce(crowded)] == ["set", "contradiction"]
    assert deduce(crowded, truths=2).finish().tolist() == []
    twice = Problem.from_options(["ax", "ax", "ax"], secondary="x", multiplicities={"a": 2})
    (only,) = deduce(twice)
    assert (only.kind, only.truths, only.links, only.rank) == ("contradiction", ("a",), ("x",), -1)


def test_truths_needed_more_than_once() -> None:
    """A truth needed three times is weighed in several links: for what is out, and where these have too little room."""
    options = ["bcdx", "ybcdx", "cb", "abcxy", "bcyad", "dybca", "acx", "dxab", "yxa", "dxbc", "axyc"]
    bounds = {"a": (1, 2), "b": (3, 4), "d": (2, 3)}
    problem = Problem.from_options(options, items="abcd", secondary="xy", multiplicities=bounds)
    last = list(deduce(problem, chain=0))[-1]
    assert (last.kind, last.truths, set(last.links), last.rank) == ("contradiction", ("b",), {"c", "x"}, -1)
    assert count(problem).covers == 0
    roomy = Problem.from_options(
        ["ax", "ax", "ay", "ay", "xy", "x"], items="axy", multiplicities={"a": 3, "x": (1, 2), "y": (0, 1)}
    )
    first = next(deduce(roomy, chain=0))
    assert (first.kind, first.truths, set(first.links), first.rank, first.out) == ("set", ("a",), {"x", "y"}, 0, (4, 5))
    assert count(roomy).covers == len([*reference.covers(roomy)]) > 0


def easiness(step: Step) -> tuple[int, ...]:
    """The stated order: singles, then by sets and rank, chains last."""
    if step.kind in ("single", "contradiction"):
        return (0,)
    return (2 if step.kind == "chain" else 1, 3 if step.kind == "block" else 2 * len(step.truths) + max(0, step.rank))


@all_kinds
@for_seeds(300)
def test_the_easiest_step_comes_first(kind: str, seed: int) -> None:
    """With fewer levels there is no easier step; without any but singles the first single is the same."""
    problem = random_problem(np.random.default_rng([seed, 3]), kind)
    first: Sequence[Step] = list(deduce(problem, max_covers=1))
    singles = list(deduce(problem, truths=1, rank=0, chain=0, max_covers=1))
    if first and first[0].kind == "single":
        assert singles == first
    for less in ({"truths": 1}, {"truths": 2}, {"truths": 3}, {"rank": 0}):
        some = list(deduce(problem, max_covers=1, **{"chain": 0, **less}))  # type: ignore[arg-type]
        if some and problem.multiplicities is None:
            assert easiness(first[0]) <= easiness(some[0])


def test_finishing_tells_the_kinds() -> None:
    """The log of a run to the end has the level and the first truth of each step."""
    for seed in range(60):
        rng = np.random.default_rng([seed, 4])
        problem = random_problem(rng, KINDS[seed % 4])
        steps, reasoning = list(deduce(problem)), deduce(problem)
        log = reasoning.finish()
        for step, (level, truth) in zip(steps, log.tolist(), strict=True):
            kind = "contradiction" if level == len(reasoning.levels) else reasoning.levels[level].kind
            assert (step.kind, step.truths[0]) == (kind, problem.items[truth])
        assert next(reasoning, None) is None


def test_preferred_items_are_looked_at_first() -> None:
    """Of several singles the one of the item preferred comes first."""
    problem = Problem.from_options(["a", "b", "c"])
    assert [step.truths for step in deduce(problem, prefer="ca")] == [("c",), ("a",), ("b",)]
    with pytest.raises(ProblemError, match="the preferred item 'x' is no item"):
        deduce(problem, prefer="x")


def test_limits() -> None:
    """Reasoning ends at a limit of steps or nodes and says so; its steps are the first ones of the whole."""
    problem = squares(4).with_chosen([0, 21])
    whole = list(deduce(problem))
    for most in range(len(whole)):
        reasoning = deduce(problem, max_covers=most)
        assert list(reasoning) == whole[:most]
        assert (reasoning.stopped, reasoning.exhausted) == ("max_covers", False)
    for most in (0, 1, 7, 50, 300):
        reasoning = deduce(problem, max_nodes=most)
        steps = list(reasoning)
        assert steps == whole[: len(steps)]
        assert reasoning.nodes <= most
        assert reasoning.stopped == "max_nodes" or steps == whole
    assert deduce(problem, timeout=0).finish().tolist() == []
    seen: list[Progress] = []
    reasoning = deduce(problem, progress=seen.append)
    reasoning.finish()
    assert seen[-1].covers == len(whole)
    assert seen[-1].fraction == 1.0


def test_restarts_are_refused() -> None:
    """Options that clash, or that are in no cover, are named, and the reasoning is as at its beginning."""
    problem = Problem.from_options(["ab", "bc", "c", "a", "x"], secondary="x")
    reasoning = deduce(problem)
    steps = list(reasoning)
    for options, wrong in (([0, 1], 1), ([4], 4)):
        with pytest.raises(ProblemError, match=rf"options\[{wrong}\] clashes"):
            reasoning.restart(options)
        assert list(reasoning) == steps
    reasoning.restart([2, 2])
    assert [step.chosen for step in reasoning] == [0]
    with pytest.raises(IndexError, match=r"no options\[9\]; there are 5"):
        reasoning.restart([9])
    with pytest.raises(TypeError, match="cannot be copied"):
        __import__("copy").copy(reasoning)


def test_everything_at_once() -> None:
    """A problem without options or items, and one with a huge multiplicity, come to their ends."""
    assert deduce(Problem.from_options([])).finish().tolist() == []
    nothing = deduce(Problem.from_options([], items="a"))
    assert [step.kind for step in nothing] == ["contradiction"]
    many = Problem.from_options(
        [f"a{k}" for k in range(9)], multiplicities={"a": (2, 2**31 - 1)}, secondary="012345678"
    )
    assert deduce(many).finish().tolist() == []
    assert followed(many, list(deduce(many))) == {}
