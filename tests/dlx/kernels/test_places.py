"""Places in a search: marks from which another kernel goes on, beginnings anew, and searches that stay in a branch."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from families import build
from kernels import (
    AB,
    COVERS_OF_AB,
    MANY,
    MARKED,
    all_kinds,
    all_marked,
    begun,
    deep,
    exhaust,
    kernel_for,
    maker,
    moved,
    relayed,
    reused,
    steps,
    taken,
)
from oracle import as_sets, is_cover, random_problem
from seeds import for_seeds

from dlx import ProblemError, reference
from dlx.engine.dispatch import new_kernel
from dlx.kernels import BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY

# Going on, and beginning again


@all_kinds
@for_seeds(400, block=40)
def test_a_search_is_handed_on_many_times(name: str, kind: str, seed: int) -> None:
    """A chain of kernels does what one kernel does, with options chosen or left out, too."""
    rng = np.random.default_rng([seed, 22])
    problem = random_problem(rng, kind)
    if seed % 4 > 1 and problem.n_options > 2:
        problem = problem.without(rng.integers(problem.n_options, size=1))
        with suppress(ProblemError):
            problem = problem.with_chosen(next(reference.covers(problem), ())[:1])
    make = maker(rng, name, problem, room=3)
    alone = make()
    assert relayed(rng, make) == (exhaust(alone), alone.nodes, alone.updates)
    assert alone.covers == len(as_sets(reference.covers(problem)))


@all_kinds
@for_seeds(400, block=60)
def test_a_search_that_begins_again_is_the_same(name: str, kind: str, seed: int) -> None:
    """After any runs, places and branches a kernel does again just what a fresh one does, node by node."""
    rng = np.random.default_rng([seed, 31])
    make = maker(rng, name, random_problem(rng, kind))
    again = reused(rng, make())
    again.check()
    assert (again.nodes, again.updates, again.covers, again.filled) == (0, 0, 0, 0)
    assert (again.path(), again.fraction()) == ((), 0.0)
    assert steps(again) == steps(make())


# Marks


@all_marked
def test_marks_of_a_beginning_of_a_moment_and_of_an_end(name: str) -> None:
    """A mark is a short list of whole numbers, wherever the search stands, and none of them is from a buffer."""
    problem = build("queens", 6)
    kernel = kernel_for(name, problem, room=2)
    marks = [kernel.mark()]
    assert kernel.run(MANY, MANY, MANY) == BUFFER_FULL
    marks.append(kernel.mark())
    assert exhaust(moved(kernel, kernel_for(name, problem, room=9))) == exhaust(kernel)[2:]
    marks.append(kernel.mark())
    assert [mark[0] for mark in marks] == [ENTER, TRY, DONE]
    assert [len(mark) for mark in marks[::2]] == [1, 1]
    assert 2 <= len(marks[1]) <= 30
    assert all(type(number) is int for mark in marks for number in mark)
    ended = kernel_for(name, problem)
    ended.seek(marks[2])
    assert (ended.fraction(), ended.path(), ended.run(MANY, MANY, MANY), ended.covers) == (1.0, (), EXHAUSTED, 0)


@all_marked
def test_a_place_a_thousand_options_deep(name: str) -> None:
    """A mark grows with the level, and is reached without a node."""
    problem = deep(name)
    n = problem.n_items
    kernel = kernel_for(name, problem)
    kernel.run(n - 9, MANY, MANY)
    fresh = moved(kernel, kernel_for(name, problem))
    assert (fresh.path(), fresh.nodes) == (kernel.path(), 0)
    assert n - 20 < len(kernel.mark()) < 5 * n
    for one in (kernel, fresh):
        one.run(MANY, MANY, MANY)
    assert fresh.covers == kernel.covers == 2**3


# Marks that do not fit


@all_kinds
@for_seeds(800)
def test_a_wrong_mark_is_refused_or_leads_to_a_place_of_the_search(name: str, kind: str, seed: int) -> None:
    """A mark that is damaged, or of another problem: a fresh kernel stands where it says, or finds all covers."""
    rng = np.random.default_rng([seed, 27])
    problem = random_problem(rng, kind)
    marked = problem if seed % 4 else random_problem(rng)
    mark = begun(rng, kernel_for(name, marked, room=99), most=20).mark()
    for _ in range(int(rng.integers(1, 3)) if seed % 4 else 0):
        place = int(rng.integers(len(mark)))
        number = int(rng.choice([0, 1, 2, 3, int(rng.integers(99)), 2**31 - 1]))
        edits = [[number], [], [number, *mark[place : place + 1]], [*mark[place : place + 1] * 2]]
        mark[place : place + 1] = edits[int(rng.integers(4))]
        mark = mark or [number]
    kernel, covers = kernel_for(name, problem, room=99), as_sets(reference.covers(problem))
    try:
        kernel.seek(mark)
    except ValueError:
        kernel.check()
        assert (kernel.path(), kernel.fraction(), kernel.mark()) == ((), 0.0, [ENTER])
        assert as_sets(exhaust(kernel)) == covers
    else:
        assert kernel.mark() == mark
        kernel.check()
        found = exhaust(kernel)
        assert all(is_cover(problem, cover) for cover in found)
        assert set(as_sets(found)) <= set(covers)
        assert len(set(as_sets(found))) == len(found)


REFUSED: list[tuple[Any, str]] = [
    (None, "a mark is a list of whole numbers, not of type NoneType"),
    ((1, 0), "a mark is a list of whole numbers, not of type tuple"),
    ("10", "a mark is a list of whole numbers, not of type str"),
    ([], "the mark is empty"),
    ([1, "0"], "number 1 of the mark is '0'; it must be whole, from 0 to 2147483647"),
    ([1, 0.5], "number 1 of the mark is 0.5; it must be whole, from 0 to 2147483647"),
    ([True, 0], "number 0 of the mark is True; it must be whole, from 0 to 2147483647"),
    ([1, -1], "number 1 of the mark is -1; it must be whole, from 0 to 2147483647"),
    ([1, 0, 1 << 31], "number 2 of the mark is 2147483648; it must be whole, from 0 to 2147483647"),
    ([3], "the mark begins with 3, not with 0, 1 or 2"),
    ([0, 1], "the mark has 2 numbers; one that begins with 0 has no others"),
    ([2, 1, 1], "the mark has 3 numbers; one that begins with 2 has no others"),
    ([1], "the mark does not fit the search: it has no options"),
]
UNFIT = "the mark does not fit the search: "
MISFITS: list[tuple[str, Any, str]] = [
    *((name, mark, message) for name in MARKED for mark, message in REFUSED),
    *((name, [1, 9], UNFIT + "on level 0 option 9 is not to be tried") for name in MARKED),
    *((name, [1, 1, 0], UNFIT + "on level 1 option 0 is not to be tried") for name in MARKED),
    *((name, [1, 0, 1], UNFIT + "on level 1 no option is to be tried") for name in MARKED),
]


@pytest.mark.parametrize(("name", "mark", "message"), MISFITS)
@pytest.mark.parametrize("nodes", [0, 1, MANY])
def test_the_error_names_what_is_wrong(name: str, mark: Any, message: str, nodes: int) -> None:
    """The search then begins anew, also if it was under way, confined, or had ended."""
    kernel = kernel_for(name, AB, room=9)
    kernel.run(nodes, MANY, MANY)
    if nodes:
        kernel.confine(2)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        kernel.seek(mark)
    assert str(error.value).startswith(message)
    kernel.check()
    assert kernel.mark() == [ENTER]
    assert as_sets(exhaust(kernel)) == COVERS_OF_AB


def test_a_kernel_that_knows_more_has_no_marks() -> None:
    """The kernel that learns clauses has no marks: they would be missing elsewhere."""
    kernel = new_kernel("learn", AB.rows(), np.empty((1, 4), dtype=np.int32))
    for call in (kernel.mark, lambda: kernel.seek([0])):
        with pytest.raises(TypeError, match="a search by the kernel learn has no marks"):
            call()


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
    kernel, whole = begun(rng, kernel_for(name, problem, room=2), most=30), kernel_for(name, problem, room=2)
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
    assert (found, nodes) == (wanted, whole.nodes)


@all_kinds
@for_seeds(300, block=60)
def test_a_confined_search_is_handed_on(name: str, kind: str, seed: int) -> None:
    """A search below a place goes on in another kernel from any node, too, and ends where the place does."""
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
        assert found == wanted, option


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
