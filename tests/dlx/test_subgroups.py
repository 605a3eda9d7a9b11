"""Kinds of covers up to a group that is given: against orbits by hand, counts of kinds, and published numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import factorial
from typing import Any

import numpy as np
import pytest
from families import build
from oracle import KINDS
from seeds import for_seeds, nightly
from symmetric import Rename, orbits_of, symmetric_problem, turn

from dlx import Problem, Progress, classify, count, covers, symmetries
from dlx.engine.limits import never
from dlx.symmetry import classification
from dlx.symmetry import orbits as searching
from dlx.symmetry.classification import KindsMemoryError
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
@pytest.mark.parametrize("kind", KINDS)
@for_seeds(300)
def test_kinds_up_to_a_subgroup_are_orbits_of_covers(seed: int, kind: str, way: str) -> None:
    """Of random problems and random subgroups of their symmetries: each kind has its size, and each orbit one kind."""
    rng = np.random.default_rng([seed, 79])
    problem = symmetric_problem(seed, rng, kind)
    everything = [each.options.astype(np.int64) for each in symmetries(problem).generators]
    if not everything or count(problem, max_covers=2000).covers == 2000:
        return
    group = words_of(rng, everything, int(rng.integers(0, 3)))
    with pytest.MonkeyPatch.context() as patch:
        searches(patch, way)
        found = classify(problem, group=group)
    orbits = orbits_of(covers(problem), group)
    kinds = {frozenset(cover): size for cover, size in found}
    assert sorted(map(len, orbits)) == sorted(kinds.values())
    assert all(sum(size for cover, size in kinds.items() if cover in orbit) == len(orbit) for orbit in orbits)
    assert found.symmetries is not None
    if found.symmetries.order < 100_000:
        assert count(problem, up_to=group).covers == len(found)
        listed = elements(group, problem.n_options, 100_000, never)
        assert listed is not None
        assert found.symmetries.order == len(np.unique(listed.rows, axis=0))


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


@pytest.mark.parametrize(
    ("sides", "free", "one_sided"),
    [((3, 20), 2, 4), *nightly(((4, 15), 368, 736), ((5, 12), 1010, 2020), ((6, 10), 2339, 4678))],
)
def test_pentominoes_up_to_the_box(sides: tuple[int, int], free: int, one_sided: int) -> None:
    """C. B. and J. Haselgrove, Eureka 23 (1960): no tiling is symmetric, so turns alone leave twice as many."""
    rows, columns = sides
    board = list(product(range(rows), range(columns)))
    over: Rename = {(r, c): (rows - 1 - r, c) for r, c in board}
    across: Rename = {(r, c): (r, columns - 1 - c) for r, c in board}
    half_turn: Rename = {(r, c): (rows - 1 - r, columns - 1 - c) for r, c in board}
    problem = build("pentominoes", *sides)
    found = classify(problem, group=[over, across])
    assert (len(found), found.covers, {size for _, size in found}) == (free, 4 * free, {4})
    assert len(classify(problem, group=[half_turn])) == one_sided


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
