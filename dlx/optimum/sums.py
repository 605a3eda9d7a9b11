"""The least sums of one number from each of several lists, in order."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

Ranks = tuple[tuple[int, int], ...]  # pairs of a list and a place in it; of the lists that are not named the first


def least_sums(lists: Sequence[Sequence[int]], k: int) -> list[Ranks]:
    """The k least sums of one number from each list, or all of them if they are fewer, the least one first.

    Each sum is made of one before it by a change to the last list that it names, so that it is made once, and none
    before a smaller one: the next number of that list; also the second one of the next list; or that one instead, if it
    is a second one. A heap has those that may come next. (How to rank solutions by splitting what is left: E. Lawler,
    doi:10.1287/mnsc.18.7.401.)
    """
    found: list[Ranks] = [()]
    heap: list[tuple[int, Ranks]] = [(lists[0][1] - lists[0][0], ((0, 1),))] if lists else []
    while heap and len(found) < k:
        more, ranks = heappop(heap)
        found.append(ranks)
        before, (last, place) = ranks[:-1], ranks[-1]
        numbers = lists[last]
        if place + 1 < len(numbers):
            heappush(heap, (more + numbers[place + 1] - numbers[place], (*before, (last, place + 1))))
        if last + 1 < len(lists):
            second = lists[last + 1][1] - lists[last + 1][0]
            heappush(heap, (more + second, (*ranks, (last + 1, 1))))
            if place == 1:
                heappush(heap, (more + second - (numbers[1] - numbers[0]), (*before, (last + 1, 1))))
    return found
