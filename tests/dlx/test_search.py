"""Searches and traces as their users see them: iteration, blocks, sizes, and the covers of `dlx.reference`."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from families import build
from oracle import KINDS, as_sets, is_cover, random_problem, rows
from seeds import for_seeds

import dlx.engine.limits
import dlx.search.covers
from dlx import Coloured, Event, Problem, count, covers, first, reference, trace
from dlx.engine.dispatch import KernelName

# Iteration and blocks


def test_covers_are_found_lazily() -> None:
    """The first cover of a problem with (2*20-1)!! of them comes at once, behind a small part of the tree."""
    problem = build("matchings", 20)
    search = covers(problem)
    assert search.fraction == 0
    assert is_cover(problem, next(search))
    assert (search.covers, search.exhausted, search.stopped) == (1, False, None)
    assert 0 < search.fraction < 1e-9


@pytest.mark.parametrize("size", [1, 2, 7, 100, 1024, 10**9])
def test_blocks_have_the_size_asked_for(size: int) -> None:
    """All blocks but the last are full, no block passes 1024 covers, and together they are the iterator's covers."""
    problem = build("rooks", 7)
    blocks = list(covers(problem).blocks(size))
    assert {len(block) for block in blocks[:-1]} <= {min(size, 1024)}
    assert 0 < len(blocks[-1]) <= min(size, 1024)
    assert all(block.dtype == np.int32 and block.shape[1] == problem.max_level for block in blocks)
    assert [cover for block in blocks for cover in rows(block)] == list(covers(problem))


def test_a_block_is_the_callers_own() -> None:
    """A block handed out is not changed by the next covers, and writing to it does no harm."""
    search = covers(build("rooks", 5)).blocks(10)
    one = next(search)
    kept = one.copy()
    two = next(search)
    assert (one == kept).all()
    one[:] = -7
    assert (two >= 0).all()


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("who", [{}, {"jobs": 2}, {"jobs": 2, "ordered": True}, {"seed": 3}], ids=str)
@pytest.mark.parametrize("size", [0, 1, 2, 7, 60, 119, 120, 121, 5000])
def test_exhausted_is_true_when_nothing_is_left(size: int, who: dict[str, Any]) -> None:
    """A search is exhausted after its last cover at the earliest, one by one (size 0) or in blocks, and at its end."""
    search, found = covers(build("rooks", 5), **who), 0
    parts = (1 for _ in search) if size == 0 else map(len, search.blocks(size))
    for part in parts:
        found += part
        assert found == 120 or not search.exhausted
    assert (found, search.exhausted) == (120, True)


# Sizes


def test_a_cover_of_a_hundred_thousand_options() -> None:
    """The buffer for very wide covers stays small, and they still come whole."""
    problem = Problem.from_csr(np.arange(100_002), [*range(100_000), 0], 100_000)
    search = covers(problem)
    assert [len(cover) for cover in search] == [100_000, 100_000]
    assert search._room == dlx.search.covers.BUFFER // 100_000


@pytest.mark.parametrize("kernel", ["links", "bits"])
def test_a_seed_changes_the_order_and_nothing_else(kernel: KernelName) -> None:
    """Each seed gives the same covers, by the caller's numbers, in an order of its own, the same every time."""
    problem = build("queens", 6)
    plain = list(covers(problem, kernel=kernel))
    orders = [list(covers(problem, seed=seed, kernel=kernel)) for seed in range(5)]
    assert all(as_sets(order) == as_sets(plain) for order in orders)
    assert len({tuple(order) for order in orders}) > 1
    assert orders[3] == list(covers(problem, seed=3, kernel=kernel))
    blocks = np.concatenate(list(covers(problem, seed=3, kernel=kernel).blocks()))
    assert [tuple(row) for row in blocks.tolist()] == orders[3]
    (padded,) = covers(Problem.from_options(["abc", "a", "b", "c"]), seed=3, kernel=kernel).blocks()
    assert sorted(sorted(row) for row in padded.tolist()) == [[-1, -1, 0], [1, 2, 3]]


# Against the reference


KERNELS: list[KernelName] = ["links", "bits"]
ASKED: list[tuple[str, KernelName]] = [
    *((kind, kernel) for kind in ("plain", "coloured") for kernel in (*KERNELS, "auto")),
    ("multiple", "auto"),
    ("both", "auto"),
]
every_search = pytest.mark.parametrize(("kind", "kernel"), ASKED)


@every_search
@for_seeds(800)
def test_every_way_to_ask_has_the_covers_of_the_reference(kind: str, kernel: KernelName, seed: int) -> None:
    """Iteration, blocks, count and first agree, stop exactly at limits of covers and nodes, and verify."""
    rng = np.random.default_rng([seed, 2])
    problem = random_problem(rng, kind)
    expected = as_sets(reference.covers(problem))
    search = covers(problem, kernel=kernel)
    found = list(search)
    assert as_sets(found) == expected
    assert all(is_cover(problem, cover) for cover in found)
    assert (search.exhausted, search.fraction, search.covers) == (True, 1.0, len(found))
    blocks = list(covers(problem, kernel=kernel).blocks(3))
    assert [cover for block in blocks for cover in rows(block)] == found
    assert all(len(block) == 3 for block in blocks[:-1])
    assert all(block.shape[1] == problem.max_level for block in blocks)
    assert as_sets(covers(problem, kernel=kernel, seed=seed)) == expected
    if problem.multiplicities is None:  # once is a multiplicity, too
        once = replace(problem, multiplicities=np.ones((problem.n_primary, 2), dtype=np.int32))
        assert as_sets(covers(once)) == expected
    assert first(problem, kernel=kernel).cover == (found[0] if found else None)
    whole = count(problem, kernel=kernel)
    assert (whole.covers, whole.exhausted, whole.nodes) == (len(found), True, search.nodes)
    assert kernel in ("auto", search.kernel)
    assert search.kernel == whole.kernel
    for limit in {0, 1, len(found), int(rng.integers(0, len(found) + 2))}:
        some = covers(problem, kernel=kernel, max_covers=limit)
        assert list(some) == found[:limit]
        assert some.stopped == "max_covers" if limit < len(found) else some.exhausted or some.stopped == "max_covers"
        assert count(problem, kernel=kernel, max_covers=limit).covers == min(limit, len(found))
    for limit in {0, 1, whole.nodes, max(0, whole.nodes - 1), int(rng.integers(0, whole.nodes + 2))}:
        part, some = count(problem, kernel=kernel, max_nodes=limit), covers(problem, kernel=kernel, max_nodes=limit)
        assert part.nodes == min(limit, whole.nodes)
        assert part.stopped == "max_nodes" if limit < whole.nodes else part.exhausted or part.stopped == "max_nodes"
        assert (len(list(some)), some.nodes) == (part.covers, part.nodes)


@every_search
@for_seeds(400)
def test_names_and_orders_change_nothing(kind: str, kernel: KernelName, seed: int) -> None:
    """Other names of items and colours, and orders of options, items and entries, leave the covers as they are."""
    rng = np.random.default_rng([seed, 3])
    problem = random_problem(rng, kind)

    def other(entry: Any) -> Any:
        return Coloured(other(entry.item), entry) if isinstance(entry, Coloured) else ("new", entry)

    order = rng.permutation(problem.n_options).tolist()
    given = [problem.option(o) for o in order]
    bounds = None if problem.multiplicities is None else map(tuple, problem.multiplicities.tolist())
    renamed = Problem.from_options(
        [[other(option[k]) for k in rng.permutation(len(option))] for option in given],
        items=[other(problem.items[i]) for i in rng.permutation(problem.n_items)],
        secondary=[other(item) for item in problem.items[problem.n_primary :]],
        multiplicities=None if bounds is None else dict(zip(map(other, problem.items), bounds, strict=False)),
    )
    found = as_sets([order[o] for o in cover] for cover in covers(renamed, kernel=kernel))
    assert found == as_sets(covers(problem, kernel=kernel))


# Traces


class Follower:
    """Checks events one by one, on sets made anew from the options chosen."""

    def __init__(self, problem: Problem) -> None:
        self.n_primary, self.once = problem.n_primary, problem.multiplicities is None
        colours = np.zeros_like(problem.indices) if problem.colours is None else problem.colours
        entries = list(zip(problem.indices.tolist(), colours.tolist(), strict=True))
        self.options = [dict(entries[a:b]) for a, b in pairwise(problem.indptr.tolist())]
        once = [[1, 1]] * problem.n_primary
        self.pairs = once if problem.multiplicities is None else problem.multiplicities.tolist()
        self.chosen: list[int] = []
        self.tried: list[list[int]] = [[]]  # on each level
        self.branch: list[int | None] = [None]
        self.covers: list[tuple[int, ...]] = []

    def most(self, item: int) -> int:
        return int(self.pairs[item][1]) if item < self.n_primary else 1

    def times(self, *more: int) -> Counter[int]:
        return Counter(item for o in (*self.chosen, *more) for item in self.options[o])

    def live(self, *more: int) -> set[int]:
        """The options that clash with nothing chosen, or some more, and have not been tried on an open level."""
        times = self.times(*more)
        shade = {item: c for o in (*self.chosen, *more) for item, c in self.options[o].items() if c}
        out = {o for level in self.tried for o in level}

        def fits(option: dict[int, int]) -> bool:
            free = (times[item] < self.most(item) or (c and shade.get(item) == c) for item, c in option.items())
            return all(free) and any(item < self.n_primary for item in option)

        return {o for o, option in enumerate(self.options) if o not in out and fits(option)}

    def needs(self, *more: int) -> dict[int, int]:
        times = self.times(*more)
        return {i: low - times[i] for i, (low, _) in enumerate(self.pairs) if low > times[i]}

    def follow(self, event: Event) -> None:
        """Checks an event, and does it."""
        kind, level, item, option, colour = event
        if kind == "choose":
            assert level == len(self.chosen)
            assert item == -1 or item in self.needs()
            self.branch[level:], self.tried[level:] = [item], [[]]
        elif kind == "try":
            assert level == len(self.chosen)
            assert option in self.live()
            assert self.branch[level] == -1 or self.branch[level] in self.options[option]
            self.tried[level].append(option)
            self.chosen.append(option)
        elif kind == "found":
            assert level == len(self.chosen)
            assert not self.needs()
            self.covers.append(tuple(sorted(self.chosen)))
        elif kind == "back up":
            assert level == len(self.chosen) - 1
            assert self.chosen.pop() == option
            if item >= 0:
                assert sum(item in self.options[o] for o in self.live(option)) < self.needs(option)[item]
            self.leave(level + 1, option)
            del self.tried[level + 1 :], self.branch[level + 1 :]
        elif kind == "purify":
            assert any(self.options[o].get(item) == colour for o in self.chosen)
        else:
            assert kind == "cover"
            assert item == self.branch[-1] or sum(item in self.options[o] for o in self.chosen) >= self.most(item)

    def leave(self, level: int, *before: int) -> None:
        """A level that is left has no untried option, if each primary item is covered once."""
        if level < len(self.branch) and self.branch[level] is not None and self.once:
            assert not any(self.branch[level] in self.options[o] for o in self.live(*before))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("kind", KINDS)
@for_seeds(150)
def test_random(kind: str, kernel: KernelName, seed: int) -> None:
    """Each event fits what is left of the problem, and the covers are those of the reference, each once."""
    problem = random_problem(np.random.default_rng(seed), kind)
    found = trace(problem, kernel=kernel)
    follower = Follower(problem)
    for event in found.events:
        follower.follow(event)
    follower.leave(0)
    assert follower.chosen == []
    assert as_sets(follower.covers) == as_sets(reference.covers(problem))
    search = covers(problem, kernel=kernel)
    assert list(found.covers()) == list(search)
    assert (found.kernel, found.nodes, found.updates) == (search.kernel, search.nodes, search.updates)
    assert sum(event.kind == "try" for event in found.events) == search.nodes


@pytest.mark.parametrize("kernel", KERNELS)
def test_what_is_branched_on(kernel: KernelName) -> None:
    """The first of the items with the fewest options; if one has a single option, any such item."""
    late = Counter[str]()
    rare = Problem.from_options(["d", "bdf", "e", "bcd", "a"], items="abcdef")
    for problem in [rare, *(random_problem(np.random.default_rng(seed)) for seed in range(200))]:
        follower = Follower(problem)
        for event in trace(problem, kernel=kernel).events:
            if event.kind == "choose":
                live = follower.live()
                sizes = {i: sum(i in follower.options[o] for o in live) for i in follower.needs()}
                fewest = min(sizes.values())
                first = next(i for i, size in sizes.items() if size == fewest)
                assert event.item == first if fewest > 1 else sizes[event.item] <= 1
                late["second"] += event.item != first
            follower.follow(event)
    assert late["second"] > 0


@pytest.mark.parametrize("most", range(12))
def test_bounded(most: int) -> None:
    """No trace has more events than are asked for; a shorter one is the beginning of a longer one, and says so."""
    problem = Problem.from_options(["ab", "c", "bc", "a"])
    whole = trace(problem)
    some = trace(problem, max_events=most)
    assert some.events == whole.events[:most]
    assert whole.exhausted
    assert len(whole.events) > 12
    assert some.stopped == "max_events"
