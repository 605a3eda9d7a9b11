"""Partial covers, and what they are extended by.

Options that are the only ones left for an item are chosen at once: what they are depends on nothing else. So what two
partial covers come to is of one kind if they are, and has the covers that they have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import build
from dlx.engine.limits import Over, never
from dlx.kernels import EXHAUSTED
from dlx.problem.checks import UNLIMITED
from dlx.problem.problem import Problem
from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT, owners
from dlx.symmetry.forms import Left, bits

Roles = npt.NDArray[np.int8]

SHORT = 100  # nodes of a search below a partial cover that ends without extending it, if it finds one cover at most:
# with 2,000 nodes and 8 covers, Latin squares of order 6 and triple systems of order 13 took 1.5 to 2 times as long


class Partial(NamedTuple):
    """A partial cover."""

    chosen: tuple[int, ...]
    live: int  # the options that can still be chosen, as the bits of a whole number
    opened: int  # the items that it leaves, as bits; 0 for a cover
    item: int  # the one of them that is covered next
    rest: Roles | None = None  # the role of each option, where that does not follow from what is chosen

    def roles(self, n_options: int) -> Roles:
        """The role of each option."""
        if self.rest is not None:
            return self.rest
        roles = np.full(n_options, LEFT_OUT, dtype=np.int8)
        roles[list(bits(self.live))] = FREE
        roles[list(self.chosen)] = CHOSEN
        return roles


# Finds options of which each makes another kind of partial cover, with the number of those like it.
Unlike = Callable[[Partial, list[int]], list[tuple[int, int]]]


class Sets:
    """The partial covers of a problem without multiplicities: what is left follows from what is chosen."""

    def __init__(self, problem: Problem, memory: int, over: Over = never) -> None:
        self._left = Left(problem.rows(), memory, over)
        self.nodes = 0  # options tried

    def root(self) -> Partial | None:
        """The partial cover that all begin with, or None: there are no covers."""
        return self._settled(tuple(self._left.forced), self._left.live, self._left.open)

    def extended(self, partial: Partial, unlike: Unlike, /) -> list[tuple[Partial | None, int]]:
        """Extends a partial cover that is no cover, or returns None if it has no covers; and the size of its orbit.

        Each cover is below one of them, and each has fewer live options than the partial cover.
        """
        options = list(bits(partial.live & self._left.options[partial.item]))
        self.nodes += len(options)
        return [(self._with(partial, option), times) for option, times in unlike(partial, options)]

    def ceiling(self, partial: Partial, /) -> int:
        """Returns the number of live options at most in what a partial cover is extended to."""
        left, live = self._left, partial.live
        clashes = [live & left.clashes[option] for option in bits(live & left.options[partial.item])]
        return live.bit_count() - min(map(int.bit_count, clashes))

    def _with(self, partial: Partial, option: int) -> Partial | None:
        left = self._left
        chosen = (*partial.chosen, option)
        return self._settled(chosen, partial.live & ~left.clashes[option], partial.opened & ~left.items[option])

    def _settled(self, chosen: tuple[int, ...], live: int, opened: int) -> Partial | None:
        """Chooses what is the only option of an item; or None, where an item has none."""
        left = self._left
        while True:
            item, fewest = self._narrowest(live, opened)
            if not opened or fewest > 1:
                return Partial(chosen, live, opened, item)
            if not fewest:
                return None
            option = (live & left.options[item]).bit_length() - 1
            chosen, live, opened = (*chosen, option), live & ~left.clashes[option], opened & ~left.items[option]

    def _narrowest(self, live: int, opened: int) -> tuple[int, int]:
        """The first open item with the fewest live options, or with one or none, and how many it has."""
        options, item, fewest = self._left.options, -1, UNLIMITED
        for i in bits(opened):
            number = (live & options[i]).bit_count()
            if number < fewest:
                item, fewest = i, number
                if number < 2:
                    break
        return item, fewest


class Multisets:
    """The partial covers of any problem: others than those that clash may have been left out."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        n = self._n = problem.n_primary
        branches = np.zeros(problem.n_items, dtype=np.bool_)
        branches[:n] = True if problem.implied is None else ~problem.implied[:n]
        keep = branches[problem.indices]
        self._items = problem.indices[keep]
        self._owners = owners(problem.indptr)[keep]
        self._least = self._most = np.ones(n, dtype=np.int64)
        if problem.multiplicities is not None:
            self._least, self._most = problem.multiplicities.T.astype(np.int64)
        self.nodes = 0  # options tried

    def root(self) -> Partial | None:
        return _partial(self._problem)

    def extended(self, partial: Partial, unlike: Unlike, /) -> list[tuple[Partial | None, int]]:
        problem = replace(self._problem, roles=partial.rest)
        choices = self._choices(_roles(problem))
        kernel = build(problem, room=2)
        state = kernel.run(SHORT if choices else UNLIMITED, UNLIMITED, 2)
        self.nodes += kernel.nodes
        if choices and state != EXHAUSTED:
            return list(self._choosing(partial, problem, unlike, *choices))
        covers = [tuple(o for o in cover if o >= 0) for cover in kernel.found().tolist()]
        return [(Partial(cover, 0, 0, -1), 1) for cover in covers]

    def ceiling(self, partial: Partial, /) -> int:
        return partial.live.bit_count() - 1

    def _choices(self, roles: Roles) -> tuple[list[int], bool, bool] | None:
        """The options of an item with the fewest, whether at most one can be chosen, and whether none need be."""
        free = roles[self._owners] == FREE
        times = np.bincount(self._items[roles[self._owners] == CHOSEN], minlength=self._n)
        options = np.bincount(self._items[free], minlength=self._n)
        undecided = np.flatnonzero((options > 0) & (times < self._most))
        if not len(undecided):
            return None
        item = undecided[(options - (times >= self._least))[undecided].argmin()]
        once = times[item] + 1 == self._most[item]
        return self._owners[free & (self._items == item)].tolist(), bool(once), bool(times[item] >= self._least[item])

    def _choosing(
        self, partial: Partial, problem: Problem, unlike: Unlike, options: list[int], once: bool, none: bool
    ) -> Iterator[tuple[Partial, int]]:
        """Returns the result of each choice for an item of a partial cover."""
        self.nodes += len(options) + none
        if none:
            yield _partial(problem.without(options)), 1
        if once:  # then each option leaves out the others, and those in one orbit give the same
            for option, times in unlike(partial, options):
                yield _partial(problem.with_chosen([option])), times
        else:
            for option in options:
                yield _partial(problem.with_chosen([option])), 1
                problem = problem.without([option])


def _partial(rest: Problem) -> Partial:
    """A partial cover that leaves open what only its problem tells."""
    roles = _roles(rest)
    live = int.from_bytes(np.packbits(roles == FREE, bitorder="little").tobytes(), "little")
    return Partial(tuple(np.flatnonzero(roles == CHOSEN).tolist()), live, 1, -1, roles)


def _roles(problem: Problem) -> Roles:
    return np.full(problem.n_options, FREE, dtype=np.int8) if problem.roles is None else problem.roles


Tree = Sets | Multisets
