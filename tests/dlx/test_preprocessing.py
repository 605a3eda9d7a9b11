"""Preprocessing: the covers stay as they are, what is left is a fixed point, and any time cap leaves it right."""

from __future__ import annotations

import numpy as np
import pytest
from families import build
from oracle import KINDS, as_sets, random_problem

from dlx import Coloured, Problem, best, count, covers, estimate, reduce
from dlx.roles import CHOSEN, LEFT_OUT

BLOCK = 50  # random problems in a test


def problems(kind: str, block: int) -> list[Problem]:
    """Some random problems of a kind, a third of them derived from others."""
    rng = np.random.default_rng([KINDS.index(kind), block])
    found = []
    for k in range(BLOCK):
        problem = random_problem(rng, kind)
        if k % 3 == 0 and problem.n_options:
            problem = problem.without(rng.integers(0, problem.n_options, size=2))
        cover = next(covers(problem), ()) if k % 6 == 0 else ()
        found.append(problem.with_chosen(cover[:1]))
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("block", [0, *(pytest.param(b, marks=pytest.mark.slow) for b in range(1, 8))])
def test_the_covers_stay(kind: str, block: int) -> None:
    """A reduced problem has the covers of the whole one, by the same numbers; reducing it again changes nothing."""
    for problem in problems(kind, block):
        small = reduce(problem)
        expected = as_sets(covers(problem))
        assert as_sets(covers(small)) == expected
        assert as_sets(covers(small, kernel="links", seed=block)) == expected
        assert reduce(small) == small
        if not expected:
            continue
        assert small.with_chosen(expected[0]) == small.with_chosen(expected[0]).with_chosen(expected[0])
        assert as_sets(covers(small.with_chosen(expected[0][:1]))) == [
            c for c in expected if set(expected[0][:1]) <= set(c)
        ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_every_option_left_leaves_no_item_short(kind: str) -> None:
    """Choosing any option that is left leaves each primary item the options it needs: the sieve has reached its end."""
    for problem in problems(kind, 99):
        small = reduce(problem)
        assert small.roles is None or problem.roles is None or (small.roles <= problem.roles).all()
        roles = np.ones(small.n_options) if small.roles is None else small.roles
        for o in np.flatnonzero(roles != LEFT_OUT).tolist():
            after = small.with_chosen([o])
            assert after.roles is not None
            left = {
                i
                for p in np.flatnonzero(after.roles != LEFT_OUT)
                for i in after.indices[slice(*after.indptr[p : p + 2])]
            }
            least = np.ones(small.n_primary) if small.multiplicities is None else small.multiplicities[:, 0]
            assert left >= set(np.flatnonzero(least).tolist())


def test_no_time_leaves_a_right_problem() -> None:
    """With no time at all, hardly anything is left out; the covers are the same in any case."""
    problem = build("pentominoes", 3, 20)
    assert reduce(problem, timeout=0) == problem
    assert count(reduce(problem, timeout=0.001)).covers == 8
    with pytest.raises(ValueError, match="timeout is -1"):
        reduce(problem, timeout=-1)


def test_options_that_strand_an_item_go() -> None:
    """A domino that would leave a square of the board without a neighbour is left out, and what follows from that."""
    path = Problem.from_options([(k, k + 1) for k in range(9)], items=range(10))
    small = reduce(path)
    assert small.roles is not None
    assert small.roles.tolist() == [1, 0] * 4 + [1]
    assert small.implied is not None
    assert small.implied.tolist() == [False, True] * 5
    assert list(map(sorted, covers(small))) == [[0, 2, 4, 6, 8]]


def test_items_that_others_imply_are_ignored() -> None:
    """Of primary items with the same options one is kept; a secondary item that nothing clashes on is not."""
    problem = Problem.from_options(
        [
            ["a", "b", "x", Coloured("y", 1), Coloured("z", 1)],
            ["a", "b", "x", Coloured("z", 2)],
            ["c", Coloured("y", 1), Coloured("z", 2)],
            ["c", Coloured("z", 1), "w"],
        ],
        items="abcxyzw",
        secondary="xyzw",
    )
    small = reduce(problem)
    assert small.implied is not None
    assert [i for i, gone in zip(small.items, small.implied, strict=True) if gone] == ["b", "x", "y", "w"]
    assert small.rows().n_items == 3
    assert (as_sets(covers(small)), small.labels([0])) == (as_sets(covers(problem)), problem.labels([0]))


def test_multiplicities_are_heeded() -> None:
    """Items with the same options imply one another only with the same bounds."""
    options = ["ab", "ab", "ab", "c", "c"]
    same = Problem.from_options(options, multiplicities={"a": 2, "b": 2, "c": (0, 1)})
    assert reduce(same).rows().n_items == 2
    assert reduce(same).roles is None
    other = Problem.from_options(options, multiplicities={"a": 2, "b": (1, 3), "c": (0, 1)})
    assert reduce(other) == other
    assert count(reduce(other)).covers == count(other).covers == 9


def test_without_covers_everything_goes() -> None:
    """If an item cannot be covered all options are left out, chosen ones too."""
    problem = Problem.from_options(["ab", "bc", "c"], items="abcd").with_chosen([0])
    small = reduce(problem)
    assert small.roles is not None
    assert small.roles.tolist() == [0, 0, 0]
    assert (list(covers(small)), best(small).proven, estimate(small).nodes) == ([], True, 0)


def test_chosen_options_stay_chosen() -> None:
    """Reducing keeps the roles of chosen options."""
    problem = build("queens", 6)
    cover = next(covers(problem))
    small = reduce(problem.with_chosen(cover[:2]))
    assert small.roles is not None
    assert set(np.flatnonzero(small.roles == CHOSEN).tolist()) == set(cover[:2])


def test_nothing_to_reduce() -> None:
    """Where nothing can be left out or ignored the problem is as it was, and the empty corners are right."""
    for problem in (build("latin", 4), build("rooks", 4), Problem.from_options([])):
        assert reduce(problem) == problem
    assert list(covers(reduce(Problem.from_options(["x", "xy"], secondary="xy")))) == [()]
    assert list(covers(reduce(Problem.from_options([], items="a")))) == []


def test_weights_and_preferences_go_along() -> None:
    """`best` finds the same cover in a reduced problem, and preferences are for the items that are left."""
    problem = Problem.from_options(
        [(k, k + 1) for k in range(7)] + [(k, k + 2) for k in range(6)], items=range(8), weights=range(13)
    )
    small = reduce(problem)
    assert small != problem
    assert best(small).score == best(problem).score
    assert as_sets(covers(small, prefer=[5, 1])) == as_sets(covers(problem))
