"""A checker of steps of reasoning without any code of the engine: it follows them, and counts truths and links."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np

from dlx import Problem, Step


class Reader:
    """Follows steps, and verifies each by the options that are open before it.

    Attributes:
        open: the options that can be in a cover and are neither out nor chosen.
        chosen: those that are chosen.
    """

    def __init__(self, problem: Problem, chosen: tuple[int, ...] = ()) -> None:
        colours = np.zeros_like(problem.indices) if problem.colours is None else problem.colours
        entries = [*zip((problem.items[i] for i in problem.indices), colours.tolist(), strict=True)]
        self.options = [dict(entries[a:b]) for a, b in pairwise(problem.indptr.tolist())]
        primary = problem.items[: problem.n_primary]
        bounds = [(1, 1)] * len(primary) if problem.multiplicities is None else problem.multiplicities.tolist()
        self.bounds = dict.fromkeys(problem.items, (0, 1)) | dict(zip(primary, bounds, strict=True))
        self.takes_colours = {item for option in self.options for item, colour in option.items() if colour}
        self.chosen: set[int] = set()
        self.open = {o for o, option in enumerate(self.options) if option.keys() & set(primary)}
        for o in chosen:
            self.choose(o)

    def need(self, item: object) -> int:
        return max(0, int(self.bounds[item][0]) - sum(item in self.options[o] for o in self.chosen))

    def room(self, item: object) -> int:
        return int(self.bounds[item][1]) - sum(item in self.options[o] for o in self.chosen)

    def times(self, o: int, items: tuple[object, ...]) -> int:
        return sum(item in self.options[o] for item in items)

    def clash(self, o: int, p: int) -> bool:
        mine, other = self.options[o], self.options[p]
        shared = [item for item in mine.keys() & other.keys() if self.room(item) < 2]
        return o != p and any(not mine[item] or mine[item] != other[item] for item in shared)

    def choose(self, o: int) -> set[int]:
        """Chooses an option; returns those that are out for it."""
        out = {p for p in self.open if self.clash(o, p)}
        self.chosen.add(o)
        self.open -= out | {o}
        return out

    def follow(self, step: Step) -> None:
        """Verifies a step, and applies it."""
        out, truths = set(step.out), step.truths
        mine = [o for o in self.open if truths[0] in self.options[o]]
        assert out <= self.open
        assert not set(truths) & set(step.links)
        if step.kind == "single":
            assert step.chosen in mine
            assert len(mine) == self.need(truths[0])
            assert out == self.choose(step.chosen)
        elif step.kind == "block":
            for o in out:
                assert sum(not self.clash(o, p) for p in mine) < self.need(truths[0])
        elif step.kind != "contradiction" or len(mine) >= self.need(truths[0]):
            excess = {o: self.times(o, step.links) - self.times(o, truths) for o in self.open}
            rank = sum(map(self.room, step.links)) - sum(map(self.need, truths))
            assert not self.takes_colours & set(step.links)
            assert min(excess.values(), default=0) >= 0
            assert rank == step.rank
            assert rank < 0 if step.kind == "contradiction" else out == {o for o in excess if excess[o] > rank}
        self.open -= out
        assert step.open == len(self.open)
        assert (step.chosen is None) == (step.kind != "single")
        assert out or step.kind in ("single", "contradiction")


def followed(problem: Problem, steps: list[Step]) -> Counter[str]:
    """The number of steps of each kind, all of which are verified."""
    reader = Reader(problem)
    for step in steps:
        reader.follow(step)
    return Counter(step.kind for step in steps)
