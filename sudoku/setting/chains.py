"""Chains in the order in which people follow them, from candidate to candidate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import permutations, product
from typing import TypeAlias

import dlx
from sudoku.setting.techniques import Item

Items: TypeAlias = tuple[Item, ...]
Groups: TypeAlias = tuple[tuple[int, ...], ...]
MOST = 3  # most truths of a set whose orders are all tried; chains are in order already


def path_of(step: dlx.Step, holders: Mapping[Item, Set[int]]) -> tuple[Items, Items, Groups]:
    """Returns the truths and links of a step in the order of a chain, and its groups; no groups if it is not a chain.

    Each truth has all options in the links before and after it; in a closed chain the first link follows the last
    truth. Each truth has two groups: the options outside the link after it, and those in it. If no option of the first
    group holds, one of the second does, and then none of the next group.

    Parameters:
        step: the step.
        holders: the options of each truth and link that were open before the step.

    >>> step = dlx.Step("set", ("b", "a"), ("y", "z", "x"), (4,), None, 1, 4)
    >>> path_of(step, {"a": {0, 1}, "b": {2, 3}, "x": {0, 4}, "y": {1, 2}, "z": {3, 4}})
    (('b', 'a'), ('z', 'y', 'x'), ((3,), (2,), (1,), (0,)))
    """
    for truths, links in _orders(step):
        groups = [*_groups(truths, links, holders)]
        closed = len(links) == len(truths)
        weak = zip(groups[1::2], [*groups[2::2], *groups[: int(closed)]], strict=False)
        from_both_ends = closed or {*step.out} <= holders[links[0]] & holders[links[-1]]
        if len(groups) == 2 * len(truths) and from_both_ends and not any(a & b for a, b in weak):
            return truths, links, tuple(tuple(sorted(group)) for group in groups)
    return step.truths, step.links, ()


def _orders(step: dlx.Step) -> Iterable[tuple[Items, Items]]:
    """Returns the orders in which a step may be a chain."""
    n = len(step.truths)
    if step.kind == "chain":
        return [(step.truths, step.links)]
    if step.kind == "set" and step.rank == 1 and 1 < n <= MOST:
        return product(permutations(step.truths), permutations(step.links))
    return ()


def _groups(truths: Sequence[Item], links: Sequence[Item], holders: Mapping[Item, Set[int]]) -> Iterator[set[int]]:
    """Yields both groups of each truth; stops at the first truth without two groups."""
    for k, truth in enumerate(truths):
        before, after = holders[links[k]], holders[links[(k + 1) % len(links)]]
        first, second = holders[truth] - after, holders[truth] & after
        if not first or not second or not first <= before:
            return
        yield {*first}
        yield {*second}
