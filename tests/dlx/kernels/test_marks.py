"""Searches that go on in another kernel: where they stand, what they find, and marks that do not fit."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from families import build
from kernels import (
    AB,
    COVERS_OF_AB,
    MANY,
    MARKED,
    SEARCHES,
    all_kinds,
    all_marked,
    begun,
    exhaust,
    kernel_for,
    moved,
    preferring,
    relayed,
    steps,
    taken,
)
from oracle import as_sets, is_cover, random_problem
from seeds import for_seeds

from dlx import Problem, reduce, reference
from dlx.engine.dispatch import new_kernel
from dlx.kernels import BUFFER_FULL, EXHAUSTED

# Going on


@all_kinds
@for_seeds(400)
def test_a_search_goes_on_as_the_one_that_was_left(name: str, kind: str, seed: int) -> None:
    """From a random moment on, another kernel goes to the same places, and finds the same covers, by the same work."""
    rng = np.random.default_rng([seed, 21])
    problem = random_problem(rng, kind)
    kernel = begun(rng, name, problem)
    fresh = moved(kernel, kernel_for(name, problem, room=2))
    kernel.filled = 0
    assert steps(fresh) == steps(kernel)


@all_kinds
@for_seeds(200, block=40)
def test_a_search_is_handed_on_many_times(name: str, kind: str, seed: int) -> None:
    """A chain of kernels finds each cover once; where the order does not depend on marks, by the work of one kernel."""
    rng = np.random.default_rng([seed, 22])
    problem = random_problem(rng, kind)
    found, *work = relayed(rng, lambda: kernel_for(name, problem, room=3))
    assert as_sets(found) == as_sets(reference.covers(problem))
    if name != "multi":
        alone = kernel_for(name, problem, room=64)
        assert (found, work) == (exhaust(alone), [alone.nodes, alone.updates])


@all_kinds
@for_seeds(200)
def test_derived_problems_are_handed_on(name: str, kind: str, seed: int) -> None:
    """So are searches with options chosen, left out, or made needless by preprocessing."""
    rng = np.random.default_rng([seed, 23])
    problem = random_problem(rng, kind)
    if problem.n_options > 2:
        problem = problem.without(rng.integers(problem.n_options, size=1))
        cover = next(reference.covers(problem), ())
        problem = problem.with_chosen(cover[:1])
    problem = reduce(problem) if seed % 2 else problem
    found, *_ = relayed(rng, lambda: kernel_for(name, problem, room=3))
    assert as_sets(found) == as_sets(reference.covers(problem))


@for_seeds(200)
def test_searches_with_preferences_are_handed_on(seed: int) -> None:
    """With ranks among the items the places are others, and found again."""
    rng = np.random.default_rng([seed, 24])
    make = preferring(rng, random_problem(rng, "coloured"))
    found, nodes, _ = relayed(rng, make)
    alone = make()
    assert (found, nodes) == (exhaust(alone), alone.nodes)


@all_marked
@pytest.mark.parametrize(
    ("problem", "covers"),
    [
        (build("queens", 6), 4),
        (build("toy"), 1),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [(build("queens", 8), 92), (build("langford", 7), 52), (build("dominoes", 4, 4), 36)]
        ),
    ],
    ids=repr,
)
def test_structured_searches_are_handed_on(name: str, problem: Problem, covers: int) -> None:
    """Searches that are deeper, every few nodes."""
    found, nodes, _ = relayed(np.random.default_rng(25), lambda: kernel_for(name, problem, room=9))
    assert len(set(as_sets(found))) == len(found) == covers
    assert nodes >= covers


# Places


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
    assert [mark[0] for mark in marks] == [0, 1, 2]
    assert [len(mark) for mark in marks[::2]] == [1, 1]
    assert 2 <= len(marks[1]) <= 30
    assert all(type(number) is int for mark in marks for number in mark)
    ended = kernel_for(name, problem)
    ended.seek(marks[2])
    assert (ended.fraction(), ended.path(), ended.run(MANY, MANY, MANY), ended.covers) == (1.0, (), EXHAUSTED, 0)


def told(kernel: Any) -> list[Any]:
    """What a kernel tells of its search, and of the covers in its buffer."""
    return [kernel.nodes, kernel.updates, kernel.covers, kernel.path(), kernel.fraction(), kernel.found().tolist()]


@all_kinds
@for_seeds(100)
def test_a_mark_changes_nothing_that_is_told(name: str, kind: str, seed: int) -> None:
    """Counters, path, fraction and buffer stay, and so does a mark that is taken again; all covers are found."""
    rng = np.random.default_rng([seed, 26])
    problem = random_problem(rng, kind)
    kernel = kernel_for(name, problem, room=99)
    found = []
    while kernel.run(int(rng.integers(1, 9)), MANY, MANY) != EXHAUSTED:
        before, mark = told(kernel), kernel.mark()
        kernel.check()
        assert kernel.mark() == mark
        assert told(kernel) == before
        found += taken(kernel)
    assert as_sets([*found, *taken(kernel)]) == as_sets(reference.covers(problem))


@all_marked
@pytest.mark.slow
def test_a_place_a_thousand_options_deep(name: str) -> None:
    """A mark grows with the level, and is reached without a node."""
    n = 600 if name == "bits" else 1500
    problem = Problem.from_options([[k] for k in range(n)] + [[k, k + 1] for k in range(0, n, n // 3)])
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
@for_seeds(600)
def test_a_damaged_mark_is_refused_or_leads_to_a_place_of_the_search(name: str, kind: str, seed: int) -> None:
    """After a refusal the search has not begun, and finds all; else its arrays are right, and so is what it finds."""
    rng = np.random.default_rng([seed, 27])
    problem = random_problem(rng, kind)
    mark = begun(rng, name, problem, room=99, most=20).mark()
    for _ in range(int(rng.integers(1, 3))):
        place = int(rng.integers(len(mark)))
        number = int(rng.choice([0, 1, 2, 3, int(rng.integers(99)), 2**31 - 1]))
        edits = [[number], [], [number, *mark[place : place + 1]], [*mark[place : place + 1] * 2]]
        mark[place : place + 1] = edits[int(rng.integers(4))]
        mark = mark or [number]
    check_refused_or_reached(problem, kernel_for(name, problem, room=99), mark)


@all_marked
@for_seeds(300)
def test_a_mark_of_another_problem_is_refused_or_leads_to_a_place_of_the_search(name: str, seed: int) -> None:
    """The options of the one are hardly ever choices of the other."""
    rng = np.random.default_rng([seed, 28])
    kernel = begun(rng, name, random_problem(rng), room=99, most=9)
    problem = random_problem(rng, "coloured")
    check_refused_or_reached(problem, kernel_for(name, problem, room=99), kernel.mark())


def check_refused_or_reached(problem: Problem, kernel: Any, mark: list[int]) -> None:
    """That a fresh kernel either stands where a mark says, or has not begun."""
    covers = as_sets(reference.covers(problem))
    try:
        kernel.seek(mark)
    except ValueError:
        kernel.check()
        assert (kernel.path(), kernel.fraction(), kernel.mark()) == ((), 0.0, [0])
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
    ([1], "the mark does not fit the search: it has no place"),
]
MISFITS = [
    ("links", [1, 9], "on level 0 option 9 is not to be tried"),
    ("links", [1, 0, 1], "on level 1 nothing is to be tried"),
    ("bits", [1, 1, 0], "on level 1 option 0 is not to be tried"),
    ("bits", [1, 0, 1], "on level 1 nothing is to be tried"),
    ("multi", [1, 1, 0], "on level 0 item 1 is not the one to branch on"),
    ("multi", [1, 2, 0], "on level 0 item 2 is not the one to branch on"),
    ("multi", [1, 0, 1, 2], "on level 0 option 2 cannot have been tried, with another one left"),
    ("multi", [1, 0, 2, 0, 1], "on level 0 option 1 cannot have been tried, with another one left"),
    ("multi", [1, 0, 1, 2, 1, 0], "on level 0 option 2 cannot have been chosen"),
    ("multi", [1, 0, 1, 0, 1, 0], "on level 1 nothing is to be tried"),
    ("multi", [1, 0, 0, 1, 0], "on level 0 no option is chosen"),
]


@pytest.mark.parametrize(
    ("name", "mark", "message"),
    [(name, mark, message) for name in MARKED for mark, message in REFUSED]
    + [(name, mark, f"the mark does not fit the search: {message}") for name, mark, message in MISFITS],
)
def test_the_error_names_what_is_wrong(name: str, mark: Any, message: str) -> None:
    """Types, numbers and options that are none of a mark of this search; which then begins as before."""
    kernel = kernel_for(name, AB, room=9)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        kernel.seek(mark)
    assert str(error.value).startswith(message)
    kernel.check()
    assert as_sets(exhaust(kernel)) == COVERS_OF_AB


@all_marked
@pytest.mark.parametrize("problem", [Problem.from_options([], items="a"), Problem.from_options([], secondary="x")])
def test_a_search_without_options_has_no_places(name: str, problem: Problem) -> None:
    """Where there is nothing to try, or nothing to cover, only a beginning and an end fit."""
    for mark in ([1, 0], [1, 0, 0], [1, 1, 0]):
        with pytest.raises(ValueError, match="the mark"):
            kernel_for(name, problem).seek(mark)
    for mark in ([0], [2]):
        kernel = kernel_for(name, problem)
        kernel.seek(mark)
        assert kernel.mark() == mark


def test_a_number_that_is_missing_is_noticed() -> None:
    """Where a mark tells of several numbers how many there are."""
    for mark, told in (([1, 0], 3), ([1, 0, 1], 4), ([1, 0, 99, 1], 102)):
        with pytest.raises(ValueError, match=f"the mark has {len(mark)} numbers, and describes {told}"):
            kernel_for("multi", AB).seek(mark)


@pytest.mark.parametrize("name", ["mergebits", "mergesets", *(set(SEARCHES) - set(MARKED))])
def test_kernels_that_know_more_have_no_marks(name: str) -> None:
    """What a memo has, or a bound rests on, would be missing elsewhere."""
    merges = name.startswith("merge")
    kernel = new_kernel(name, AB.rows(), np.empty((0, 2), dtype=np.int32), False) if merges else kernel_for(name, AB)
    for call in (kernel.mark, lambda: kernel.seek([0])):
        with pytest.raises(TypeError, match=f"a search by the kernel {name} cannot be gone on with elsewhere"):
            call()


@all_marked
def test_marks_are_the_same_in_text(name: str) -> None:
    """JSON gives back what it was given."""
    kernel = kernel_for(name, build("langford", 7))
    kernel.run(99, MANY, MANY)
    assert json.loads(json.dumps(kernel.mark())) == kernel.mark()
