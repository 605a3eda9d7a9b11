"""Counting up to isomorphism: published numbers, random problems, points that are sound or not, and workers."""

from __future__ import annotations

import contextlib
import os
import pickle
import time
import tracemalloc
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import combinations, pairwise, permutations
from multiprocessing import active_children, get_context
from typing import Any

import numpy as np
import pytest
from dlx_command import Feed
from executors import AtOnce, InAnyOrder, Noting
from families import grids, latin, steiner
from oracle import random_problem
from seeds import few, for_seeds, nightly
from symmetric import about_points, blocks, copies, factorizations, renamed, some_problem
from waiting import WAIT, until

from dlx import Count, Problem, ProblemError, Progress, count, covers, reference
from dlx.counting import batches
from dlx.counting.batches import InBatches
from dlx.counting.isomorphism import Ground, Remains
from dlx.engine.limits import Limits, Loop
from dlx.parallel.errors import LostPieceError
from dlx.parallel.workforce import Workforce
from dlx.problem.checks import MEMORY
from dlx.symmetry.forms import Words, bits
from dlx.symmetry.points import PointForm, found

pytest.importorskip("pynauty")


@pytest.mark.parametrize("seed", [None, pytest.param(0, marks=pytest.mark.slow), *nightly(1, 2)])
@pytest.mark.parametrize(
    ("problem", "number"),
    [
        pytest.param(latin(4), 576, id="latin 4"),
        pytest.param(latin(6), 812851200, id="latin 6"),
        pytest.param(latin(7), 61479419904000, id="latin 7"),
        pytest.param(latin(8), 108776032459082956800, id="latin 8", marks=pytest.mark.nightly),
        pytest.param(steiner(7), 30, id="steiner 7"),
        pytest.param(steiner(8), 0, id="steiner 8"),
        pytest.param(steiner(9), 840, id="steiner 9"),
        pytest.param(steiner(13), 1197504000, id="steiner 13"),
        pytest.param(steiner(15), 60281712691200, id="steiner 15", marks=pytest.mark.nightly),
        pytest.param(blocks(13), 1108800, id="blocks 13"),
        pytest.param(factorizations(6), 6 * 120, id="factorizations 6"),
        pytest.param(factorizations(8), 6240 * 5040, id="factorizations 8"),
        pytest.param(factorizations(10), 1225566720 * 362880, id="factorizations 10", marks=pytest.mark.nightly),
        pytest.param(grids(2, 2), 288, id="sudoku 2x2"),
        pytest.param(grids(2, 3), 28200960, id="sudoku 2x3"),
        pytest.param(grids(3, 2), 28200960, id="sudoku 3x2"),
        pytest.param(grids(2, 4), 29136487207403520, id="sudoku 2x4", marks=pytest.mark.slow),
    ],
)
def test_published_numbers(problem: Problem, number: int, seed: int | None) -> None:
    """The numbers in OEIS A002860, A030128, A000474 and A107739, by points that are read off the items or are found."""
    other = problem if seed is None else renamed(np.random.default_rng([46, seed]), problem)
    result = count(other, merge="isomorphic")
    assert (result.covers, result.exhausted, result.merged, result.kernel) == (number, True, True, "isomorphic")
    assert Remains(other, None).doubt == ""
    assert Remains(other, None).form.n == Remains(problem, None).form.n  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["plain", "coloured"])
@for_seeds(400)
def test_random_problems(kind: str, seed: int) -> None:
    """As many covers as the reference finds, by graphs of items and options."""
    problem = random_problem(np.random.default_rng([seed, 41]), kind)
    assert count(problem, merge="isomorphic").covers == sum(1 for _ in reference.covers(problem))


@for_seeds(60)
def test_planted_symmetry(seed: int) -> None:
    """A random problem beside copies of itself that share an item has as many covers as plain counting finds."""
    rng = np.random.default_rng([seed, 42])
    problem = random_problem(rng, "plain")
    whole = copies(int(rng.integers(2, 4)), problem)
    options = [[*whole.option(o), *(["shared"] if rng.integers(8) == 0 else [])] for o in range(whole.n_options)]
    second = [*whole.items[whole.n_primary :], "shared"]
    whole = Problem.from_options(options, items=[*whole.items, "shared"], secondary=second)
    assert count(whole, merge="isomorphic").covers == count(whole, merge="never").covers


@for_seeds(200, block=40)
def test_squares_that_have_been_begun(seed: int) -> None:
    """Options chosen and left out are respected: some break the points, and then the count is right without them."""
    rng = np.random.default_rng([seed, 44])
    problem = latin(4)
    begun = problem.with_chosen(rng.integers(0, 64, size=1).tolist())
    assert begun.roles is not None
    some = rng.integers(0, 64, size=int(rng.integers(0, 4)))
    begun = begun.without(some[begun.roles[some] < 2].tolist())
    assert count(begun, merge="isomorphic").covers == count(begun, merge="never").covers


def pairs(seed: int, rename: bool) -> Problem:
    """A random problem whose items are pairs, or have names that do not tell so."""
    rng = np.random.default_rng([seed, 45])
    problem = about_points(rng)
    return renamed(rng, problem) if rename else problem


@pytest.mark.parametrize("rename", [False, True])
@for_seeds(600)
def test_items_that_are_pairs(seed: int, rename: bool) -> None:
    """On random problems about few points, sound or not, as many covers as plain counting finds."""
    problem = pairs(seed, rename)
    assert count(problem, merge="isomorphic").covers == count(problem, merge="never").covers


@pytest.mark.parametrize("rename", [False, True])
@pytest.mark.slow
def test_many_of_these_have_sound_points(rename: bool) -> None:
    """The problems of the test above are of both kinds, with and without sound points."""
    doubts = [Remains(pairs(seed, rename), None).doubt for seed in range(200)]
    assert 20 < sum(not doubt for doubt in doubts) < 180


def test_points_that_are_not_sound() -> None:
    """Points are refused with the reason where a graph on them would not tell what is left."""
    problem = latin(3)
    wrong = {
        "has no two|have no two": lambda item: [item[1]],
        "same points": lambda item: ["a", "b"] if item[0] == "cell" else [item[1], ("s", item[2])],
        "there are no points of an item": {("cell", 0, 0): "ab"},
        "there are no points of an item: TypeError": lambda item: [[1]],
    }
    for message, points in wrong.items():
        with pytest.raises(ProblemError, match=message if "same" not in message else "points"):
            count(problem, merge="isomorphic", points=points)  # type: ignore[arg-type]
    fewer = problem.without([0])  # whose points are still a clique
    points = lambda item: [(item[0][0], item[1]), (item[0][0] + "2", item[2])]  # noqa: E731
    with pytest.raises(ProblemError):
        count(fewer, merge="isomorphic", points=points)
    assert count(fewer, merge="isomorphic").covers == count(fewer, merge="never").covers
    assert "points look like those of an option" in Remains(fewer, None).doubt


def counted(remains: Remains, kind: Words, whole: bool) -> int:
    """The number of covers by one way, whatever a pilot would choose."""
    kernel = remains.classes(kind, MEMORY, whole, False)
    while kernel.run(1000):
        pass
    return int(kernel.covers)


@for_seeds(200, block=40)
def test_whole_points_and_options(seed: int) -> None:
    """By whole points, of each kind, there are as many covers as by a form at every option."""
    rng = np.random.default_rng([seed, 47])
    choices = [latin(4), latin(5), steiner(9), factorizations(6), factorizations(8), grids(2, 2), grids(2, 3)]
    problem = choices[seed // 2 % 7] if seed % 2 else about_points(rng)
    remains = Remains(problem, None)
    for kind in remains.kinds:
        if not remains.doubt and len(kind):
            assert counted(remains, kind, True) == counted(remains, kind, False)


def some_state(rng: np.random.Generator, problem: Problem, chosen: int) -> list[int]:
    """Options that clash with no other, as many as were asked for, or fewer."""
    options: list[int] = []
    for o in rng.permutation(problem.n_options).tolist():
        if len(options) < chosen and all(set(problem.option(o)).isdisjoint(problem.option(other)) for other in options):
            options.append(o)
    return options


@for_seeds(40, block=8)
def test_forms_are_those_of_nauty(seed: int) -> None:
    """States have one form just if nauty says that their graphs are isomorphic, also those ordered by looks."""
    rng = np.random.default_rng([seed, 48])
    problem = [latin(5), steiner(9), factorizations(8), grids(2, 3)][seed % 4]
    remains = Remains(problem, None)
    kernel = remains.classes(remains.kinds[0], MEMORY, False, False)
    asked = remains.form.asked
    forms = set()
    for _ in range(100):
        with suppress(ValueError):
            kernel.follow(some_state(rng, problem, int(rng.integers(1, 9))))
        forms.add((asked.of(), asked.by_nauty()))
    assert len(forms) == len({form for form, _ in forms}) == len({form for _, form in forms}) > 5


@for_seeds(40, block=8)
def test_orbits(seed: int) -> None:
    """After each option of an orbit there are as many covers."""
    rng = np.random.default_rng([seed, 49])
    problem = [latin(4), steiner(9), factorizations(6), grids(2, 2)][seed % 4]
    remains = Remains(problem, None)
    kernel = remains.classes(remains.kinds[0], MEMORY, True, False)
    options = some_state(rng, problem, seed % 3)
    with suppress(ValueError):
        kernel.follow(options)
    opened, alive = remains.left.at_hand()
    items = {problem.items[i] for i in bits(opened)}
    left = Problem.from_options(
        [problem.option(o) for o in bits(alive)], items=[i for i in problem.items if i in items]
    )
    orbit = remains.form.asked.orbit_of()
    remains.form.asked.orbits()
    covers: dict[int, set[int]] = {}
    for k, o in enumerate(bits(alive)):
        covers.setdefault(int(orbit[o]), set()).add(count(left.with_chosen([k]), merge="never").covers)
    assert all(len(numbers) == 1 for numbers in covers.values())
    assert len(covers) < left.n_options


def test_more_points_than_a_word_has() -> None:
    """Ten Steiner systems of seven points beside each other have 30 ** 10 covers, by graphs of seventy points."""
    triples = [[(k, p) for p in triple] for k in range(10) for triple in combinations(range(7), 3)]
    problem = Problem.from_options([list(combinations(triple, 2)) for triple in triples])
    assert Remains(problem, None).form.n == 70  # type: ignore[attr-defined]
    assert count(problem, merge="isomorphic").covers == 30**10


def test_points_that_are_given() -> None:
    """A function and a mapping do the same as what is read off the items."""
    for points in (
        lambda item: item,
        {pair: pair for pair in combinations(range(9), 2)},
    ):
        assert count(steiner(9), merge="isomorphic", points=points).covers == 840


def test_every_permutation_is_one_kind() -> None:
    """Permutation matrices: n! covers in about n classes, since what is left depends on how much is left only."""
    problem = Problem.from_options([[("r", r, 0), ("c", c, 0)] for r, c in permutations(range(12), 2)])
    result = count(problem, merge="isomorphic")
    assert result.covers == 176214841  # derangements of 12
    assert result.states < 200


@pytest.mark.slow
def test_limits() -> None:
    """A timeout, a limit of nodes and a limit of memory stop a count, which has nothing to tell then."""
    result = count(latin(9), merge="isomorphic", timeout=0.3)
    assert (result.covers, result.stopped) == (0, "timeout")
    assert count(latin(8), merge="isomorphic", max_nodes=1000).stopped == "max_nodes"
    with pytest.raises(MemoryError, match="the classes take more than 200000 bytes"):
        count(latin(9), merge="isomorphic", memory=200_000)
    with pytest.raises(MemoryError, match=r"what 512 options .* clash with takes more than 60000 bytes: 90112"):
        count(latin(8), merge="isomorphic", memory=60_000)


def test_limits_are_kept_exactly() -> None:
    """As many nodes as allowed and no more, and no more covers than were asked for, though all come at once."""
    queens = Problem.from_options([(f"r{r}", f"c{c}") for r in range(9) for c in range(9) if abs(r - c) != 1])
    for most in (1, 10, 77):
        result = count(latin(7), merge="isomorphic", max_nodes=most)
        assert (result.stopped, result.nodes - most < 50) == ("max_nodes", True)  # several kinds of points take turns
        assert count(queens, merge="isomorphic", max_nodes=most).nodes == most
    result = count(latin(4), merge="isomorphic", max_covers=10)
    assert (result.covers, result.stopped, result.exhausted) == (10, "max_covers", False)
    assert count(latin(4), merge="isomorphic", max_covers=576).exhausted


@pytest.mark.slow
def test_a_kind_of_points_that_lacks_memory() -> None:
    """Another kind of points is taken where one takes too much memory."""
    assert count(grids(2, 4), merge="isomorphic", memory=260_000).covers == 29136487207403520


@pytest.mark.slow
def test_many_points_and_many_forced_options() -> None:
    """An option about sixteen points, and five hundred options without rivals, are no long stories."""
    pairs = list(combinations(range(16), 2))
    whole = Problem.from_options([*([pair] for pair in pairs), pairs])
    assert count(whole, merge="isomorphic").covers == 2
    forced = Problem.from_options([[(o, k) for k in range(10)] for o in range(500)])
    assert count(forced, merge="isomorphic", memory=10**8).covers == 1


def test_corners() -> None:
    """No items, no options, and dead ends at the root."""
    assert count(Problem.from_options([]), merge="isomorphic").covers == 1
    assert count(Problem.from_options([], items="a"), merge="isomorphic").covers == 0
    assert count(Problem.from_options(["ab", "bc"], items="abc"), merge="isomorphic").covers == 0
    assert count(Problem.from_options(["ab", "c"]), merge="isomorphic").covers == 1


# Points found from the options: families with other names, what is left of them, problems without any


def n_points(problem: Problem) -> int:
    """The number of points that tell remaining problems apart; none if they are not used."""
    form = Remains(problem, None).form
    return form.n if isinstance(form, PointForm) else 0


def options_of(rows: Any) -> list[list[int]]:
    """The items of each option that has any, by their numbers."""
    return [some.tolist() for some in np.split(rows.indices, rows.indptr[1:-1]) if len(some)]


def shuffled(problem: Problem, *seeds: int) -> Problem:
    """The problem with other names."""
    return renamed(np.random.default_rng([46, *seeds]), problem)


@pytest.mark.slow
@pytest.mark.parametrize("problem", few([grids(2, 5), grids(3, 3), latin(12), steiner(21), factorizations(14)]))
def test_large_families(problem: Problem) -> None:
    """There are as many points as the names tell."""
    assert n_points(shuffled(problem)) == n_points(problem) > 0


def test_each_point_has_its_items() -> None:
    """In a Latin square two items have a point in common just if their names have."""
    problem = latin(5)
    kinds = {"cell": "rc", "row": "rs", "column": "cs"}
    items: list[Any] = list(problem.items)
    named = [{*zip(kinds[kind], where, strict=True)} for kind, *where in items]
    points = next(found(options_of(problem), len(problem.items)))
    for i, j in combinations(range(len(named)), 2):
        assert len(named[i] & named[j]) == len({*points[i]} & {*points[j]})


@for_seeds(20, block=8)
def test_what_has_been_begun(seed: int) -> None:
    """With options chosen, points are those of the whole problem; covers are as many as plain counting finds."""
    rng = np.random.default_rng([seed, 47])
    problem = renamed(rng, latin(6))
    cover = next(iter(covers(problem, seed=seed)))
    begun = problem.with_chosen(rng.permutation(cover)[: int(rng.integers(14, 18))].tolist())
    assert Remains(begun, None).doubt == ""
    assert count(begun, merge="isomorphic").covers == count(begun, merge="never").covers


@for_seeds(12, block=8)
def test_squares_given_in_part(seed: int) -> None:
    """Points are found where nothing is said about the cells that are filled."""
    rng = np.random.default_rng([seed, 48])
    problem = latin(7)
    cover = next(iter(covers(problem, seed=seed)))
    left = options_of(problem.with_chosen(rng.permutation(cover)[:7].tolist()).rows())
    assert n_points(shuffled(Problem.from_options(left), seed)) == 21


@for_seeds(100, block=20)
def test_options_left_out(seed: int) -> None:
    """Without some options points would tell too little: then they are not used, and the number of covers is right."""
    rng = np.random.default_rng([seed, 49])
    problem = renamed(rng, [latin(4), steiner(7), factorizations(4)][seed % 3])
    fewer = problem.without(rng.permutation(problem.n_options)[: int(rng.integers(1, 4))].tolist())
    remains = Remains(fewer, None)
    if seed % 3 == 0 and not remains.left.forced:
        assert remains.doubt.endswith("and no points that are found from the options are sound")
    assert count(fewer, merge="isomorphic").covers == count(fewer, merge="never").covers


@pytest.mark.parametrize(
    "options",
    [[], [[]], [[0]], [[0], [1], [0, 1]], [[0, 1], [1, 2], [2, 3], [3, 0]], [[0, 1, 2], [3]]],
    ids=["none", "empty", "one", "two", "ring", "apart"],
)
def test_options_without_points(options: list[list[int]]) -> None:
    """Problems that are hardly any have no points, or some, and no errors."""
    for points in found(options, 5):
        assert len(points) == 5
    problem = Problem.from_options([[f"i{k}" for k in some] for some in options if some])
    assert count(problem, merge="isomorphic").covers == count(problem, merge="never").covers


def test_limits_of_what_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points that are too large or take too many steps are an error, and the problem is counted without them."""
    problem = shuffled(latin(4))
    options = options_of(problem)
    with pytest.raises(ProblemError, match="there are 2001 items, and points are found among 2000 at most"):
        next(found(options, 2001))
    monkeypatch.setattr("dlx.symmetry.points.STEPS", 500)
    with pytest.raises(ProblemError, match="after 500 steps no points have been found"):
        next(found(options, 48))
    assert n_points(problem) == 0
    assert count(problem, merge="isomorphic").covers == 576


@pytest.mark.slow
@pytest.mark.parametrize(
    ("items", "options", "length"), [(200, 20000, 20), *nightly((1500, 10000, 8), (1000, 5000, 40))]
)
def test_no_points_in_time(items: int, options: int, length: int) -> None:
    """In large problems that are about no points the search ends."""
    rng = np.random.default_rng([51, items])
    some = [rng.choice(items, size=length, replace=False).tolist() for _ in range(options)]
    begin = time.process_time()
    try:
        for points in found(some, items):
            assert len({p for of in points for p in of}) < 5
    except ProblemError:
        pass
    assert time.process_time() - begin < WAIT


@pytest.mark.slow
def test_columns_in_any_order() -> None:
    """Names that sort columns of different boxes next to each other do not make a count of grids long."""
    other = [0, 5, 3, 6, 1, 4, 7, 2]
    problem = grids(2, 4)

    def named(item: Any) -> tuple[str, int, int]:
        kind, a, b = item
        return (kind, a, other[b]) if kind == "cell" else (kind, other[a], b) if kind == "column" else (kind, a, b)

    options = [[named(item) for item in problem.option(o)] for o in range(problem.n_options)]
    result = count(Problem.from_options(options), merge="isomorphic", max_nodes=50_000)
    assert result.covers == 29136487207403520


def test_wide_options_take_little_memory() -> None:
    """Pairs of items are counted some options at a time: all of them would take 80 MB."""
    tracemalloc.start()
    try:
        next(found([range(start, start + 150) for start in range(150)] * 3, 300), None)
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()


def test_command(feed_dlx: Feed) -> None:
    """A file has texts for items: `dlx count --merge isomorphic` finds their points."""
    problem = shuffled(latin(6))
    names = [str(item).replace(" ", "") for item in problem.items]
    options = [" ".join(names[i] for i in some) for some in options_of(problem)]
    status, out, err = feed_dlx("\n".join([" ".join(names), *options]), "count", "--merge", "isomorphic")
    assert (status, out, err) == (0, "812851200\n", "")


# Many workers: all is counted as by one, whoever works, in whatever order, and dies


def facts(result: Count) -> tuple[int, ...]:
    """The fields of a count that are the same in every run."""
    return result.covers, result.states, result.nodes, result.updates, result.hits


@for_seeds(400, block=100)
def test_random_problems_by_workers(at_once: None, seed: int) -> None:
    """Covers, classes, nodes and forms of one search, whoever works and in whatever order they are done."""
    problem = some_problem(seed)
    alone = facts(count(problem, merge="isomorphic"))
    executor: Executor = InAnyOrder(seed) if seed % 2 else AtOnce()
    jobs = 1 + seed % 5
    assert facts(count(problem, merge="isomorphic", executor=executor, jobs=jobs)) == alone
    executor.shutdown()


@pytest.mark.posix
def test_batches_have_been_sent(at_once: None) -> None:
    """The test above can fail: workers do most of the work."""
    noted = Noting(2, get_context("fork"))
    with noted:
        count(factorizations(10), merge="isomorphic", executor=noted)
    sent = [given for given in noted.tasks if isinstance(given, batches.ClassBatch)]
    assert len(sent) > 20
    assert sum(len(batch.weights) for batch in sent) > 100


@pytest.mark.slow
@pytest.mark.parametrize("who", ["jobs", "spawn", *nightly("threads", "fork", "forkserver")])
def test_executors(who: str, at_once: None) -> None:
    """Published numbers, and the same in every run, by threads and by processes that are made in any way."""
    with contextlib.ExitStack() as stack:
        scale: dict[str, Any] = {"jobs": 2}
        if who == "threads":
            scale["executor"] = stack.enter_context(ThreadPoolExecutor(3))
        elif who != "jobs":
            scale["executor"] = stack.enter_context(ProcessPoolExecutor(2, get_context(who)))
        for problem in few((latin(7), steiner(15), factorizations(10), grids(2, 4))):
            assert facts(count(problem, merge="isomorphic", **scale)) == facts(count(problem, merge="isomorphic"))


@pytest.mark.slow
def test_names_stay_at_home(at_once: None) -> None:
    """Items that cannot be pickled are no matter: workers are sent numbers."""
    cells = [(r, c, s) for r in range(5) for c in range(5) for s in range(5)]
    names: dict[Any, Any] = {}

    def name(*key: Any) -> Any:
        return names.setdefault(key, lambda: key)

    problem = Problem.from_options([[name(0, r, c), name(1, r, s), name(2, c, s)] for r, c, s in cells])
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(problem)
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        assert count(problem, merge="isomorphic", executor=pool).covers == 161280


def test_a_small_count_stays_at_home() -> None:
    """A count of less than a second asks no worker."""
    executor = Noting(2)
    assert count(latin(6), merge="isomorphic", executor=executor).covers == 812851200
    assert executor.tasks == []
    executor.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [0, 2])
@pytest.mark.parametrize("problem", [steiner(15)], ids=["steiner"])
def test_short_memory(problem: Problem, jobs: int, at_once: None) -> None:
    """With less memory classes are expanded again, or there is an error; what is taken stays below what may be."""
    whole = count(problem, merge="isomorphic")
    states = []
    for memory in (int(whole.memory * 0.7**k) for k in range(1, 5)):
        with contextlib.suppress(MemoryError), ThreadPoolExecutor(2) as pool:
            result = count(problem, merge="isomorphic", memory=memory, executor=pool if jobs else None)
            assert (result.covers, result.exhausted) == (whole.covers, True)
            assert result.memory <= memory
            states.append(result.states)
    assert max(states) > whole.states


# Limits


@pytest.mark.slow
def test_limits_of_workers(at_once: None) -> None:
    """A timeout and a limit of nodes end the count in time, and its processes with it."""
    problem = factorizations(12)
    result = count(problem, merge="isomorphic", jobs=2, timeout=1.0)
    assert (result.covers, result.stopped) == (0, "timeout")
    result = count(problem, merge="isomorphic", jobs=2, max_nodes=20_000)
    assert result.stopped == "max_nodes"
    assert 20_000 <= result.nodes < 40_000  # what is on its way is facts
    until(lambda: not active_children())
    assert count(latin(4), merge="isomorphic", jobs=2, max_covers=10).covers == 10


@pytest.mark.parametrize("jobs", [0, 2])
def test_progress(at_once: None, jobs: int) -> None:
    """It tells of classes and where the count stands, and goes on to the end, when the fraction is 1."""
    seen: list[Progress] = []
    with ThreadPoolExecutor(2) as pool:
        result = count(latin(6), merge="isomorphic", executor=pool if jobs else None, progress=seen.append)
    assert (seen[-1].covers, seen[-1].states, seen[-1].fraction) == (result.covers, result.states, 1.0)
    assert all(before.nodes <= after.nodes for before, after in pairwise(seen))
    assert not jobs or "items open" in seen[0].doing


# Workers that die


@pytest.mark.slow
def test_classes_that_kill(at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of which every worker dies ends the count with an error, and nothing hangs."""
    true = Ground.classes

    def deadly(self: Any) -> Any:
        os._exit(1)

    monkeypatch.setattr(Ground, "classes", deadly)
    with pytest.raises((LostPieceError, BrokenExecutor), match="died"):
        count(latin(6), merge="isomorphic", jobs=2)
    monkeypatch.setattr(Ground, "classes", true)


def test_what_is_sent_is_small(at_once: None) -> None:
    """A batch is the open items and weights of its classes, and comes back with the forms: some hundred bytes each."""
    with closing(InBatches(Remains(latin(7), None), Workforce(AtOnce(), 1))) as search, Loop(Limits.of()) as loop:
        ground = len(pickle.dumps(search.remains.ground(search._way.points, search._way.whole)))
        for _ in loop.slices(search):
            for batch in search._sent.values():
                assert len(pickle.dumps(batch)) < 500 + 40 * len(batch.weights)
    assert ground < 60_000
    assert search.covers == 61479419904000
