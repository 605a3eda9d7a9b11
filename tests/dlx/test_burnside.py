"""Kinds of covers without a list of them, against `classify`, orbits by hand, and numbers known from elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from families import build
from oracle import KINDS
from seeds import for_seeds
from symmetric import closed_problem, orbits_of, symmetric_problem, turn

import sudoku
from dlx import Coloured, Problem, ProblemError, Progress, classify, count, covers, symmetries
from dlx.engine.limits import never
from dlx.symmetry.generators import generators_of


@pytest.mark.parametrize("kind", KINDS)
@for_seeds(400)
def test_as_many_kinds_are_counted_as_are_listed(seed: int, kind: str) -> None:
    """Of random problems of every kind, some with a chosen option, and of symmetric ones, up to all symmetries."""
    rng = np.random.default_rng([seed, 71])
    problem = symmetric_problem(seed, rng, kind)
    group = symmetries(problem)
    if count(problem, max_covers=3000).covers < 3000 and group.order < 10**6:
        merge: Any = ("auto", "never", "same")[seed % 3]
        assert count(problem, up_to=group, merge=merge).covers == len(classify(problem))


@pytest.mark.parametrize("kind", KINDS)
@for_seeds(400)
def test_kinds_up_to_generators_are_orbits_of_covers(seed: int, kind: str) -> None:
    """A group given by mappings of items joins just the covers that these make of each other."""
    made = closed_problem(np.random.default_rng([seed, 73]), kind)
    if made is not None and count(made[0], max_covers=3000).covers < 3000:
        problem, renames = made
        images = generators_of(problem, renames, never)
        assert count(problem, up_to=renames).covers == len(orbits_of(covers(problem), images))
        assert count(problem, up_to=images).covers == count(problem, up_to=renames).covers


@pytest.mark.parametrize(("n", "kinds", "up_to_turns"), [(2, 1, 1), (4, 9, 12), (6, 930, 1712), (8, 1629189, 3248546)])
def test_domino_tilings_by_a_program_of_its_own(n: int, kinds: int, up_to_turns: int) -> None:
    """The numbers are those of a C program that turns and reflects each tiling, and counts those no image is below."""
    board = build("dominoes", n, n)
    assert count(board, up_to=symmetries(board)).covers == kinds
    assert count(board, up_to=[turn(n)]).covers == up_to_turns


@pytest.mark.parametrize(
    ("box", "kinds"),
    [
        ((2, 2), 2),
        pytest.param((2, 3), 49, marks=pytest.mark.nightly),
        pytest.param((2, 4), 1673187, marks=pytest.mark.nightly),
    ],
)
def test_essentially_different_sudoku_grids(box: tuple[int, int], kinds: int) -> None:
    """E. Russell, F. Jarvis, Mathematics of sudoku II (2006), for 2 x 2; OEIS A109741 has how many grids there are."""
    empty = sudoku.encode((box[0] * box[1]) ** 2 * ".", layout=box)
    assert count(empty, up_to=symmetries(empty), merge="isomorphic").covers == kinds


def test_limits_hold_for_all_counts_together() -> None:
    """One node less than all is too few, no time is none, and progress knows the class."""
    board = build("dominoes", 4, 4)
    group = symmetries(board)
    seen: list[Progress] = []
    whole = count(board, up_to=group, progress=seen.append)
    assert {progress.doing for progress in seen} - {"conjugacy classes"} == {f"class {k} of 5" for k in range(1, 6)}
    assert [progress.nodes for progress in seen] == sorted(progress.nodes for progress in seen)
    assert count(board, up_to=group, max_nodes=whole.nodes + 1).covers == whole.covers == 9
    for limit in ({"max_nodes": whole.nodes - 1}, {"timeout": 0}):
        stopped = count(board, up_to=group, **limit)  # type: ignore[arg-type]
        assert (stopped.covers, stopped.stopped) == (0, *limit)
    large = build("latin", 4)
    assert count(large, up_to=symmetries(large), timeout=0.01).stopped == "timeout"


def test_colours_that_are_permuted() -> None:
    """A mapping of items keeps the colours, unless it maps them, too; without that, the error says how."""
    shades = [Coloured("x", k) for k in range(3)]
    problem = Problem.from_options([[item, shade] for item in "ab" for shade in shades], secondary=["x"])
    swap: dict[Any, Any] = {"a": "b", "b": "a"}
    turn = dict(zip(shades, [*shades[1:], shades[0]], strict=True))
    for group, kinds in (([swap], 3), ([turn], 1), ([swap | turn], 1), ([swap, turn], 1)):
        assert count(problem, up_to=group).covers == len(classify(problem, group=group)) == kinds
    with pytest.raises(ProblemError, match=r"maps option 0 to none: .*mapped, too, as Coloured\(item, colour\)"):
        count(Problem.from_options([["a", shades[0]], ["b", shades[1]]], secondary="x"), up_to=[swap])


def test_no_cover_is_no_kind() -> None:
    """Without covers no fixed covers are counted, though there are 2 ** 16 symmetries, each in a class of its own."""
    problem = Problem.from_options([[k] for k in range(16) for _ in range(2)], items=range(17))
    assert count(problem, up_to=[{}]).covers == 0
    swaps = [[o ^ (o // 2 == k) for o in range(32)] for k in range(16)]
    assert count(problem, up_to=swaps).covers == 0
