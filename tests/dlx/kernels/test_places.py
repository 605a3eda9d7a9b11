"""Places in a search: a kernel that is used again, that goes no further than a place, and what branches from there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cuts import optional
from families import build
from kernels import (
    AB,
    COVERS_OF_AB,
    MANY,
    all_kinds,
    all_marked,
    begun,
    exhaust,
    kernel_for,
    preferring,
    reused,
    steps,
    taken,
)
from oracle import as_sets, random_problem
from seeds import for_seeds

from dlx import Problem, reference
from dlx.kernels import DONE, ENTER, EXHAUSTED, TRY

# Used again


@all_kinds
@for_seeds(300, block=60)
def test_a_search_that_begins_again_is_the_same(name: str, kind: str, seed: int) -> None:
    """After any runs, places and branches a kernel does again just what a fresh one does, node by node."""
    rng = np.random.default_rng([seed, 31])
    problem = random_problem(rng, kind)
    again = reused(rng, kernel_for(name, problem, room=2))
    again.check()
    assert (again.nodes, again.updates, again.covers, again.filled) == (0, 0, 0, 0)
    assert (again.path(), again.fraction()) == ((), 0.0)
    assert steps(again) == steps(kernel_for(name, problem, room=2))


@all_kinds
@for_seeds(300, block=60)
def test_a_kernel_goes_anywhere_from_anywhere(name: str, kind: str, seed: int) -> None:
    """One that has been elsewhere goes on from a mark as a fresh one does, and has the same mark there."""
    rng = np.random.default_rng([seed, 32])
    problem = random_problem(rng, kind)
    mark = begun(rng, name, problem).mark()
    used, fresh = begun(rng, name, problem), kernel_for(name, problem, room=2)
    for one in (used, fresh):
        one.seek(mark)
        one.check()
        assert one.mark() == mark
    assert steps(used) == steps(fresh)


@for_seeds(300, block=60)
def test_searches_with_preferences_begin_again(seed: int) -> None:
    """Ranks among the items are as they were."""
    rng = np.random.default_rng([seed, 33])
    make = preferring(rng, random_problem(rng, "coloured" if seed % 2 else "plain"))
    assert steps(reused(rng, make())) == steps(make())


@all_marked
@pytest.mark.parametrize("problem", [build("queens", 6), build("langford", 7), build("dominoes", 4, 4)], ids=repr)
def test_structured_searches_begin_again(name: str, problem: Problem) -> None:
    """From every tenth node on, a deeper search begins again, and has all covers after the same nodes and updates."""
    fresh, kernel = kernel_for(name, problem, room=99), kernel_for(name, problem, room=99)
    found = exhaust(fresh)
    for nodes in range(0, fresh.nodes + 10, 10):
        kernel.seek([ENTER])
        kernel.run(nodes, MANY, MANY)
        kernel.seek([ENTER])
        assert exhaust(kernel) == found
        assert (kernel.nodes, kernel.updates) == (fresh.nodes, fresh.updates)


@all_marked
def test_a_refused_mark_leaves_a_used_search_at_its_beginning(name: str) -> None:
    """Also if it had ended, or was confined; all is found from there."""
    for nodes in (1, MANY):
        kernel = kernel_for(name, AB, room=9)
        kernel.run(nodes, MANY, MANY)
        kernel.confine(2)
        with pytest.raises(ValueError, match="the mark"):
            kernel.seek([TRY, 9])
        kernel.check()
        assert kernel.mark() == [ENTER]
        assert as_sets(exhaust(kernel)) == COVERS_OF_AB


# Confined


def tried(kernel: Any) -> list[tuple[int, ...]]:
    """Tries the option that a search stands before, and confines it to that; the covers found in that node."""
    level = len(kernel.path())
    kernel.run(1, MANY, MANY)
    kernel.confine(level + 1)
    return taken(kernel)


def below(kernel: Any) -> list[tuple[int, ...]]:
    """The covers below the option that a search stands before: it tries that, and goes no further."""
    found = tried(kernel)
    while kernel.run(MANY, MANY, MANY) != EXHAUSTED:
        found += taken(kernel)
    return found + taken(kernel)


@all_kinds
@for_seeds(600, block=60)
def test_branches_are_what_is_left_of_a_level(name: str, kind: str, seed: int) -> None:
    """The branches have, one after the other, the covers that the search would find on that level, by the same work."""
    rng = np.random.default_rng([seed, 34])
    problem = random_problem(rng, kind)
    kernel, whole = begun(rng, name, problem, most=30), kernel_for(name, problem, room=2)
    mark = kernel.mark()
    whole.seek(mark)
    path = whole.path()
    whole.confine(len(path))
    wanted = exhaust(whole)
    kernel.seek(mark)
    branches = kernel.branches()
    assert bool(branches) == (mark[0] == TRY)
    assert len({option for option, _ in branches}) == len(branches)
    found, nodes = [], 0
    for option, place in branches:
        kernel.seek(place)
        assert (kernel.path(), kernel.mark()) == (path, place)
        covers = below(kernel)
        assert all(cover[: len(path) + 1] == (*path, option) for cover in covers)
        kernel.check()
        found += covers
        nodes += kernel.nodes
    assert as_sets(found) == as_sets(wanted)
    if name != "multi":  # whose order depends on marks
        assert (found, nodes) == (wanted, whole.nodes)


@all_kinds
@for_seeds(300, block=60)
def test_all_places_together_are_the_search(name: str, kind: str, seed: int) -> None:
    """However deep it is cut, each cover is at one place, or where several branches begin; and so is each node."""
    rng = np.random.default_rng([seed, 35])
    problem = random_problem(rng, kind)
    kernel, whole = kernel_for(name, problem, room=9), kernel_for(name, problem, room=9)
    kernel.run(0, MANY, MANY)
    found, nodes = taken(kernel), 0
    places = [place for _, place in reversed(kernel.branches())]
    while places:
        kernel.seek(places.pop())
        if rng.random() < 0.5:
            found += below(kernel)
        else:
            found += tried(kernel)
            places += [place for _, place in reversed(kernel.branches())]
        nodes += kernel.nodes
    assert as_sets(found) == as_sets(reference.covers(problem))
    if name != "multi":
        assert (found, nodes) == (exhaust(whole), whole.nodes)


@all_kinds
@for_seeds(300, block=60)
def test_a_confined_search_is_handed_on(name: str, kind: str, seed: int) -> None:
    """Below a place, too, a search goes on in another kernel from any node, and ends where the place does."""
    rng = np.random.default_rng([seed, 36])
    problem = random_problem(rng, kind)
    kernel, other = kernel_for(name, problem, room=2), kernel_for(name, problem, room=2)
    kernel.run(0, MANY, MANY)
    for option, place in kernel.branches():
        kernel.seek(place)
        wanted = below(kernel)
        kernel.seek(place)
        found, going = [], True
        kernel.run(1, MANY, MANY)
        while going:
            found += taken(kernel)
            other.seek(kernel.mark())
            other.confine(1)
            kernel, other = other, kernel
            going = kernel.run(int(rng.integers(0, 4)), MANY, MANY) != EXHAUSTED
        found += taken(kernel)
        assert as_sets(found) == as_sets(wanted), option
        if name != "multi":
            assert found == wanted


@all_marked
def test_a_confined_search_stays_ended(name: str) -> None:
    """It says so again and again, has no branches, and finds nothing more until it seeks a place."""
    kernel = kernel_for(name, AB, room=9)
    kernel.run(0, MANY, MANY)
    first = below(kernel)
    for _ in range(3):
        assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
        assert kernel.branches() == []
    assert taken(kernel) == []
    kernel.seek([ENTER])
    found = exhaust(kernel)
    assert found[: len(first)] == first
    assert as_sets(found) == COVERS_OF_AB


def test_an_inner_node_that_is_a_cover_has_branches() -> None:
    """Where nothing must be covered, a cover has been found at the place, and others are below it."""
    problem = optional(Problem.from_options(["a", "b"]))
    kernel = kernel_for("multi", problem, room=9)
    kernel.run(0, MANY, MANY)
    assert taken(kernel) == [()]
    (first, place), (second, _) = kernel.branches()
    kernel.seek(place)
    assert tried(kernel) == [(first,)]
    assert [option for option, _ in kernel.branches()] == [second]


@all_marked
@pytest.mark.parametrize(
    "problem", [Problem.from_options([]), Problem.from_options([], items="a")], ids=["all", "none"]
)
def test_a_search_without_options_has_no_branches(name: str, problem: Problem) -> None:
    """Neither where the empty cover is one, nor where there is none."""
    kernel = kernel_for(name, problem, room=9)
    kernel.run(0, MANY, MANY)
    assert taken(kernel) == list(reference.covers(problem))
    assert kernel.branches() == []
    assert kernel.mark() == [DONE]
