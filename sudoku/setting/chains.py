"""Chains in the order in which people tell them, from candidate to candidate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import permutations, product
from typing import NamedTuple

import dlx
from sudoku.setting.naming import Item

MOST = 3  # truths of a set that is tried in each order; chains have one of their own


class Path(NamedTuple):
    """A chain: each truth has all of its options in the link before it and in the one behind.

    Attributes:
        truths, links: in the order of the chain; one that is closed has no further link behind the last truth.
        groups: of each truth the numbers of its options that are not in the link behind it, and those that are: if
            none of the first holds, one of the second does, and then none of the next group.
    """

    truths: tuple[Item, ...]
    links: tuple[Item, ...]
    groups: tuple[tuple[int, ...], ...] = ()


def path_of(step: dlx.Step, holders: Mapping[Item, Set[int]]) -> Path:
    """Returns the truths and links of a step as a chain, or as they are, without groups, if it is none.

    Parameters:
        step: the step.
        holders: the options of each of its truths and links that were open before it.

    >>> step = dlx.Step("set", ("b", "a"), ("y", "z", "x"), (4,), None, 1, 4)
    >>> path_of(step, {"a": {0, 1}, "b": {2, 3}, "x": {0, 4}, "y": {1, 2}, "z": {3, 4}})
    Path(truths=('b', 'a'), links=('z', 'y', 'x'), groups=((3,), (2,), (1,), (0,)))
    """
    for truths, links in _orders(step):
        groups = [*_groups(truths, links, holders)]
        closed = len(links) == len(truths)
        weak = zip(groups[1::2], [*groups[2::2], *groups[: int(closed)]], strict=False)
        from_both_ends = closed or {*step.out} <= holders[links[0]] & holders[links[-1]]
        if len(groups) == 2 * len(truths) and from_both_ends and not any(a & b for a, b in weak):
            return Path(truths, links, tuple(tuple(sorted(group)) for group in groups))
    return Path(step.truths, step.links)


def _orders(step: dlx.Step) -> Iterable[tuple[tuple[Item, ...], tuple[Item, ...]]]:
    """The orders in which a step may be a chain."""
    n = len(step.truths)
    if step.kind == "chain":
        return [(step.truths, step.links)]
    if step.kind == "set" and step.rank == 1 and 1 < n <= MOST:
        return product(permutations(step.truths), permutations(step.links))
    return ()


def _groups(truths: Sequence[Item], links: Sequence[Item], holders: Mapping[Item, Set[int]]) -> Iterator[set[int]]:
    """Yields both groups of each truth, as long as there are two."""
    for k, truth in enumerate(truths):
        before, behind = holders[links[k]], holders[links[(k + 1) % len(links)]]
        first, second = holders[truth] - behind, holders[truth] & behind
        if not first or not second or not first <= before:
            return
        yield {*first}
        yield {*second}
