"""Chains in the order in which people tell them, from candidate to candidate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import permutations, product
from typing import TypeAlias

import dlx
from sudoku.setting.naming import Item

Items: TypeAlias = tuple[Item, ...]
Groups: TypeAlias = tuple[tuple[int, ...], ...]
MOST = 3  # truths of a set that is tried in each order; chains have one of their own


def path_of(step: dlx.Step, holders: Mapping[Item, Set[int]]) -> tuple[Items, Items, Groups]:
    """Returns the truths and links of a step in the order of a chain, and its groups; without groups it is none.

    Each truth has all of its options in the link before it and the one behind; in a closed chain the first link is the
    one behind the last truth. The groups are, for each truth, the options that are not in the link behind it, and the
    others: if none of the first holds, one of the second does, and then none of the next group.

    Parameters:
        step: the step.
        holders: the options of each of its truths and links that were open before it.

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
