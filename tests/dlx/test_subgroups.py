"""Kinds of covers up to a group, listed and counted: against orbits by hand, `classify`, and published numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from math import factorial
from typing import Any

import numpy as np
import pytest
from families import build
from oracle import KINDS
from seeds import for_seeds, nightly
from symmetric import about_points, closed_problem, orbits_of, symmetric_problem, turn

from dlx import Coloured, Problem, ProblemError, Progress, classify, count, covers, symmetries
from dlx.engine.limits import never
from dlx.symmetry import classification
from dlx.symmetry import orbits as searching
from dlx.symmetry.classification import KindsMemoryError
from dlx.symmetry.generators import generators_of
from dlx.symmetry.orbits import Extending, Visiting
from dlx.symmetry.stabilisers import elements

Triple = tuple[int, int, int]
WAYS = ("images", "graph", "closures")


def on_squares(n: int, image: Callable[[int, int, int], Triple]) -> list[int]:
    """A permutation of the options of Latin squares: what becomes of row, column and symbol."""
    return [n * n * r + n * c + s for r, c, s in (image(*cell) for cell in product(range(n), repeat=3))]


def isotopies(n: int) -> list[list[int]]:
    """An exchange of two rows and a turn of all, and the same for columns and for symbols."""
    images: list[list[int]] = []
    for move in ([1, 0, *range(2, n)], [*range(1, n), 0]):
        images.append(on_squares(n, lambda r, c, s, move=move: (move[r], c, s)))  # type: ignore[misc]
        images.append(on_squares(n, lambda r, c, s, move=move: (r, move[c], s)))  # type: ignore[misc]
        images.append(on_squares(n, lambda r, c, s, move=move: (r, c, move[s])))  # type: ignore[misc]
    return images


def isomorphisms(n: int) -> list[list[int]]:
    """An exchange and a turn that rows, columns and symbols take together."""
    moves = ([1, 0, *range(2, n)], [*range(1, n), 0])
    return [on_squares(n, lambda r, c, s, m=move: (m[r], m[c], m[s])) for move in moves]  # type: ignore[misc]


def searches(monkeypatch: pytest.MonkeyPatch, way: str) -> list[Any]:
    """Has kinds found in one way, where it can be; the searches that are made are in the list."""
    if way != "images":
        monkeypatch.setattr(searching, "FEW", 1)
    if way == "closures":
        monkeypatch.setattr(classification, "graph_with", lambda group, incidence: None)
    made: list[Any] = []
    search = classification._search

    def noted(*given: Any) -> Any:
        made.append(search(*given))
        return made[-1]

    monkeypatch.setattr(classification, "_search", noted)
    return made


def words_of(rng: np.random.Generator, images: Sequence[np.ndarray], number: int) -> list[np.ndarray]:
    """Products of some permutations, drawn at random."""
    some: list[np.ndarray] = []
    for _ in range(number):
        image = np.arange(len(images[0]))
        for k in rng.integers(len(images), size=rng.integers(1, 6)):
            image = images[k][image]
        some.append(image)
    return some


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [*KINDS, "points"])
@for_seeds(300)
def test_kinds_are_orbits_of_covers(seed: int, kind: str, way: str) -> None:
    """Up to all symmetries or random ones each kind has its size, and each orbit one kind; weights are kept, too."""
    rng = np.random.default_rng([seed, 79])
    problem = about_points(rng) if kind == "points" else symmetric_problem(seed, rng, kind)
    if seed % 3 == 0:
        problem = replace(problem, weights=rng.choice([1.5, 2, 2, 2], size=problem.n_options))
    everything = [each.options.astype(np.int64) for each in symmetries(problem).generators]
    if not everything or count(problem, max_covers=2000).covers == 2000:
        return
    some = words_of(rng, everything, int(rng.integers(0, 3)))
    merge: Any = ("auto", "never", "same")[seed % 3]
    for group, images in ((None, everything), (some, some)):
        with pytest.MonkeyPatch.context() as patch:
            searches(patch, way)
            found = classify(problem, group=group)
        orbits = orbits_of(covers(problem), images)
        kinds = {frozenset(cover): size for cover, size in found}
        assert sorted(map(len, orbits)) == sorted(kinds.values())
        assert all(sum(size for cover, size in kinds.items() if cover in orbit) == len(orbit) for orbit in orbits)
        assert found.symmetries is not None
        if found.symmetries.order < 100_000:
            assert count(problem, up_to=images, merge=merge).covers == len(found)
            listed = elements(images, problem.n_options, 100_000, never)
            assert listed is not None
            assert group is None or found.symmetries.order == len(np.unique(listed.rows, axis=0))


@pytest.mark.parametrize(
    ("n", "kinds", "types", "mains"),
    [(3, 1, 1, 1), (4, 2, 2, 2), (5, 2, 2, 2), pytest.param(6, 22, 17, 12)],
)
def test_isotopy_classes_of_latin_squares(
    n: int, kinds: int, types: int, mains: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OEIS A040082, types with rows and columns exchanged, and main classes (OEIS A003090), without all squares.

    Rows, columns and symbols are exchanged on their own, so the group has factors whose elements are listed apart.
    """
    made = searches(monkeypatch, "images")
    found = classify(build("latin", n), group=isotopies(n))
    assert (len(found), found.exhausted) == (kinds, True)
    assert found.symmetries is not None
    assert found.symmetries.order == factorial(n) ** 3
    assert isinstance(made[0], Visiting if n < 4 else Extending)
    assert found.covers == {3: 12, 4: 576, 5: 161280, 6: 812851200}[n]
    transposed, turned = on_squares(n, lambda r, c, s: (c, r, s)), on_squares(n, lambda r, c, s: (c, s, r))
    squares = build("latin", n)
    assert n > 4 or count(squares, up_to=isotopies(n)).covers == kinds
    assert len(classify(squares, group=[*isotopies(n), transposed])) == types
    assert len(classify(squares, group=[*isotopies(n), transposed, turned])) == mains == len(classify(squares))


@pytest.mark.parametrize(
    ("n", "kinds", "way"),
    [
        *((n, kinds, way) for n, kinds in ((3, 5), (4, 35)) for way in WAYS),
        *nightly((5, 1411, "graph"), (5, 1411, "closures")),
    ],
)
def test_quasigroups_up_to_isomorphism(n: int, kinds: int, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """OEIS A057991; options with two equal parts or three tell which row, column and symbol go together."""
    made = searches(monkeypatch, way)
    squares = build("latin", n)
    found = classify(squares, group=isomorphisms(n))
    assert len(found) == kinds == count(squares, up_to=isomorphisms(n)).covers
    assert isinstance(made[0], Extending) == (way == "graph")
    assert (isinstance(made[0], Visiting) and not made[0]._images.is_whole) == (way == "closures")


def test_a_group_of_items_alike_and_of_weights() -> None:
    """Items of the same options, and weights that a given symmetry does not keep, are no obstacle: covers decide."""
    twins = Problem.from_options([[0, 1], [2], [0, 1], [2]], items=range(3))
    assert [size for _, size in classify(twins, group=[[2, 1, 0, 3]])] == [2, 2]
    weighed = Problem.from_options(["ab", "c", "ab", "c"], weights=[1, 2, 3, 4])
    assert len(classify(weighed)) == 4
    with pytest.MonkeyPatch.context() as patch:
        made = searches(patch, "graph")
        assert len(classify(weighed, group=[[2, 1, 0, 3], [0, 3, 2, 1]])) == 1
        uneven = Problem.from_options(["ab", "c", "ab", "c"])  # an exchange of ab and c makes one item of two
        assert [size for _, size in classify(uneven, group=[[1, 0, 3, 2]])] == [1, 2, 1]
    assert all(isinstance(search, Visiting) for search in made)


def test_no_generators_leave_each_cover_alone() -> None:
    """The identity makes of each cover itself, whether there are generators or none."""
    toy = build("toy")
    for group in ([], [range(toy.n_options)]):
        found = classify(toy, group=group)
        assert sorted(kind.cover for kind in found) == sorted(tuple(sorted(cover)) for cover in covers(toy))
        assert found.symmetries is not None
        assert found.symmetries.order == 1
    assert not classify(Problem.from_options([], items="a"), group=[[]])
    assert [kind.cover for kind in classify(Problem.from_options([]), group=[])] == [()]


def test_limits_and_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has been found has its whole size; covers that are still to be met have to find room."""
    searches(monkeypatch, "closures")
    board = build("dominoes", 6, 6)
    seen: list[Progress] = []
    whole = classify(board, group=[turn(6)], progress=seen.append)
    assert seen[-1].covers == len(whole)
    some = classify(board, group=[turn(6)], max_covers=5)
    assert (len(some), some.stopped, set(some) <= set(whole)) == (5, "max_covers", True)
    with pytest.raises(KindsMemoryError, match="take more than 20000 bytes") as error:
        classify(board, group=[turn(6)], memory=20_000)
    assert error.value.kinds
    assert set(error.value.kinds) < set(whole)
    with pytest.raises(KindsMemoryError, match="the covers of a kind, still to be met, take more than 20000 bytes"):
        classify(build("latin", 4), group=isotopies(4), memory=20_000)


# Kinds without a list of them


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
    with pytest.raises(ProblemError, match=r"maps options\[0\] to none: .*mapped, too, as Coloured\(item, colour\)"):
        count(Problem.from_options([["a", shades[0]], ["b", shades[1]]], secondary="x"), up_to=[swap])


def test_no_cover_is_no_kind() -> None:
    """Without covers no fixed covers are counted, though there are 2 ** 16 symmetries, each in a class of its own."""
    problem = Problem.from_options([[k] for k in range(16) for _ in range(2)], items=range(17))
    assert count(problem, up_to=[{}]).covers == 0
    swaps = [[o ^ (o // 2 == k) for o in range(32)] for k in range(16)]
    assert count(problem, up_to=swaps).covers == 0
