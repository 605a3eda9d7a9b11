"""Preprocessing: the covers stay as they are, what is left is a fixed point, and any time cap leaves it right."""

from __future__ import annotations

import signal
from dataclasses import replace

import numpy as np
import pytest
from cuts import derived
from families import build
from gates import in_slices
from oracle import KINDS, as_sets
from seeds import for_seeds

from dlx import Coloured, Problem, best, count, covers, reduce
from dlx.problem.roles import CHOSEN, LEFT_OUT, owners, ranges
from dlx.search.reduce import remaining, undominated


def check_what_remains(problem: Problem, small: Problem) -> None:
    """Checks that what remains has the covers, with their names, items, colours and scores, and no marks."""
    plain = remaining(small)
    marked = small.multiplicities is not None and small.roles is not None and (small.roles == CHOSEN).any()
    assert (plain.roles is None and plain.implied is None) or marked

    def told(some: Problem) -> list[list[str]]:
        return sorted(sorted(map(repr, map(some.option, cover))) for cover in covers(some))

    assert told(plain) == told(problem)
    assert best(plain, "max").score == best(problem, "max").score


@pytest.mark.parametrize("kind", KINDS)
@for_seeds(400)
def test_the_covers_stay(kind: str, seed: int) -> None:
    """A reduced problem has the covers and scores of the whole one, whatever is preferred, and cannot be reduced."""
    rng = np.random.default_rng([seed, 6])
    problem = derived(rng, kind)
    problem = replace(problem, weights=rng.integers(-9, 10, problem.n_options))
    small = reduce(problem)
    expected = as_sets(covers(problem))
    assert as_sets(covers(small)) == expected
    assert as_sets(covers(small, kernel="links", seed=seed)) == expected
    assert best(small).score == best(problem).score
    if problem.multiplicities is None:
        assert as_sets(covers(small, prefer=problem.items[: problem.n_primary][::-2])) == expected
    assert reduce(small) == small
    check_what_remains(problem, small)
    if expected:
        one = expected[0]
        assert small.with_chosen(one) == small.with_chosen(one).with_chosen(one)
        assert as_sets(covers(small.with_chosen(one[:1]))) == [c for c in expected if set(one[:1]) <= set(c)]


@pytest.mark.parametrize("kind", KINDS)
@for_seeds(50)
def test_every_option_left_leaves_no_item_short(kind: str, seed: int) -> None:
    """Choosing any option that is left leaves each primary item the options it needs: the sieve has reached its end."""
    problem = derived(np.random.default_rng([seed, 7]), kind)
    small = reduce(problem)
    assert small.roles is None or problem.roles is None or (small.roles <= problem.roles).all()
    for o in np.flatnonzero(small._roles() != LEFT_OUT).tolist():
        after = small.with_chosen([o])
        left = after.indices[after._roles()[owners(after.indptr)] != LEFT_OUT]
        least = ranges(small.n_items, small.n_primary, small.multiplicities)[:, 0]
        assert set(left.tolist()) >= set(np.flatnonzero(least).tolist())


@pytest.mark.posix
def test_an_interrupt_leaves_what_has_been_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C after some nodes loses nothing of what has been left out by then, and the covers are the same."""
    in_slices(monkeypatch, 500)
    problem = build("pentominoes", 3, 20)
    small = reduce(problem, progress=lambda _: signal.raise_signal(signal.SIGINT))
    assert problem != small != reduce(problem)
    assert count(small).covers == 8


def test_items_that_others_imply_are_ignored() -> None:
    """One of primary items with the same options is kept; a secondary item that nothing clashes on is not."""
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


@for_seeds(300)
def test_of_options_with_the_same_items_the_best_is_kept(seed: int) -> None:
    """Options go just if another one has their items and colours, in any order, and is as good."""
    rng = np.random.default_rng([seed, 5])
    size = int(rng.integers(1, 40))
    options = [[0, *rng.permutation(np.arange(1, 4))[: rng.integers(0, 4)].tolist()] for _ in range(size)]
    shades = [[0 if i == 0 else int(rng.integers(0, 2)) for i in option] for option in options]
    named = [
        [Coloured(i, "xy"[c]) if i else i for i, c in zip(*both, strict=True)]
        for both in zip(options, shades, strict=True)
    ]
    problem = Problem.from_options(named, secondary=[1, 2, 3])
    worth = rng.integers(-2, 3, size) if seed % 2 else rng.normal(size=size).round(1)
    best_of: dict[frozenset[tuple[int, int]], float] = {}
    for items, colours, value in zip(options, shades, worth.tolist(), strict=True):
        key = frozenset(zip(items, colours, strict=True))
        best_of[key] = max(value, best_of.get(key, -9))
    kept = np.flatnonzero(undominated(problem, worth)._roles() != LEFT_OUT).tolist()
    of_kept = [frozenset(zip(options[o], shades[o], strict=True)) for o in kept]
    assert len(kept) == len(best_of)
    assert dict(zip(of_kept, worth[kept].tolist(), strict=True)) == best_of
