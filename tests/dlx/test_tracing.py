"""Traces: the events are the kernel's own path, and a tree of Algorithm X by a plain model beside it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from oracle import KINDS, as_sets, random_problem
from seeds import for_seeds

from dlx import Event, Problem, covers, reference, trace
from dlx.engine.dispatch import KernelName

KERNELS: list[KernelName] = ["links", "bits"]


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
