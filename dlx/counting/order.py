"""The order of the items for a search that merges: a small front at any time.

What has been chosen is forgotten but for the *front*: the items that share an option with an item before them in the
order, and are not yet covered. A state is which of these are left, so a front of f items has up to 2^f states. A board
of 4 x 50 has a front of 4 cells by columns, and of 50 by rows.

An order that is often good, in one direction or the other, is that of a breadth-first search from an outermost item, in
which the neighbours of few options come first (E. Cuthill, J. McKee, 1969, doi:10.1145/800195.805928; that a search
begins where another one has ended is from A. George, J. W. H. Liu, 1979, doi:10.1145/355841.355845). Another one goes
along a direction in the plane in which related items lie near to each other (`spectral`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Over, StoppedError, look, never
from dlx.problem.checks import frozen
from dlx.problem.roles import Rows

Order = npt.NDArray[np.int64]  # primary items by their numbers, each once

AT_ONCE = 64  # items between two looks at the limits: some milliseconds where each has 64 options

FEW = 14.0  # bits: so few states take a millisecond or two in any order, and finding another takes as long
# Another order is taken if it has at most this part of the bits. Dominoes on 16 x 16 have 0.916 along diagonals, and
# took a third of the time; tetrominoes on 8 x 8 have 0.922, and took 6 % longer.
BETTER = 0.92
MANY = 22.0  # bits: so many states take longer than it takes to find another order in a dense matrix
DENSE = 1_000  # items: their eigenvectors take 0.3 s; and options at a time
ROOM = 1 << 27  # bytes that eigenvectors may take: where OpenBLAS finds no memory, it ends the process
DIRECTIONS = 32


def in_order(rows: Rows, over: Over = never) -> Rows:
    """Reorders the primary items of rows, if an order is found that seems to have clearly fewer states."""
    given = states(rows, np.arange(rows.n_primary))
    if given <= FEW:
        return rows
    try:
        outwards = breadth_first(rows, over)
    except StoppedError:
        return rows
    bits, best = _fewest(rows, [outwards, outwards[::-1]])
    return renumbered(rows, best) if bits <= BETTER * given else rows


def _fewest(rows: Rows, orders: Sequence[Order]) -> tuple[float, Order]:
    """Returns the fewest states of these orders, as a binary logarithm, and the first order with them."""
    return min(((states(rows, order), order) for order in orders), key=itemgetter(0))


def states(rows: Rows, order: Order) -> float:
    """Estimates the number of states in this order, as a binary logarithm: the sum of 2^f over fronts of f items."""
    return float(np.logaddexp2.reduce(fronts(rows, order), initial=0))


def fronts(rows: Rows, order: Order) -> npt.NDArray[np.int64]:
    """Returns the number of items in the front at each item of an order.

    An item is in the front from the first item of any of its options to its own place, or its last usable option.
    """
    place = np.full(rows.n_items, rows.n_primary, dtype=np.int64)
    place[order] = np.arange(rows.n_primary)
    sizes = np.diff(rows.indptr)
    chosen = np.repeat(np.minimum.reduceat(np.append(place[rows.indices], rows.n_primary), rows.indptr[:-1]), sizes)
    first, last = place.copy(), np.where(place < rows.n_primary, place, 0)
    usable = chosen < rows.n_primary
    np.minimum.at(first, rows.indices[usable], chosen[usable])
    np.maximum.at(last, rows.indices[usable], chosen[usable])
    used = first < last
    change = np.bincount(first[used], minlength=rows.n_primary) - np.bincount(last[used], minlength=rows.n_primary)
    return np.cumsum(change)


def breadth_first(rows: Rows, over: Over = never) -> Order:
    """Returns the primary items, component by component, each searched again from its outermost item."""
    uses = np.diff(rows.by_item.begin)
    sizes, items, first = uses.tolist(), rows.indices.tolist(), rows.indptr.tolist()
    options, begin = rows.by_item.option.tolist(), rows.by_item.begin.tolist()

    def reached(start: int) -> list[int]:
        """Returns the items of a component from one of them on, new neighbours of each by their number of options."""
        order, seen, done = [start], {start}, set()
        for k, i in enumerate(order):
            if k % AT_ONCE == 0:
                look(over)
            beside = []
            for o in options[begin[i] : begin[i + 1]]:
                if o not in done:
                    done.add(o)
                    fresh = [j for j in items[first[o] : first[o + 1]] if j not in seen]
                    seen.update(fresh)
                    beside += fresh
            order += sorted(beside, key=sizes.__getitem__)
        return order

    order: list[int] = []
    seen: set[int] = set()
    for start in np.argsort(uses[: rows.n_primary], kind="stable").tolist():
        if start not in seen:
            component = reached(reached(start)[-1])
            order += component
            seen.update(component)
    return np.array([i for i in order if i < rows.n_primary], dtype=np.int64)


def renumbered(rows: Rows, order: Order) -> Rows:
    """Renumbers the rows: item k is the former item `order[k]`."""
    place = np.arange(rows.n_items, dtype=np.int32)
    place[order] = np.arange(rows.n_primary, dtype=np.int32)
    times = rows.multiplicities
    times = None if times is None else frozen(times[order])
    return rows._replace(indices=frozen(place[rows.indices]), multiplicities=times)


def smallest_front(rows: Rows, over: Over = never, thorough: bool = True) -> Rows:
    """Reorders the primary items of rows in the order, of those tried here, that seems to have the fewest states."""
    orders = [np.arange(rows.n_primary)]
    try:
        outwards = breadth_first(rows, over)
        orders += [outwards, outwards[::-1]]
    except StoppedError:
        return rows
    bits, best = _fewest(rows, orders)
    if thorough and rows.n_items <= DENSE and bits > MANY:
        with suppress(MemoryError):
            np.empty(ROOM, dtype=np.uint8)
            others, along = _fewest(rows, spectral(rows))
            best = along if others < bits else best
    return renumbered(rows, best)


def spectral(rows: Rows) -> list[Order]:
    """Returns orders along some directions of the plane in which the items of each option lie near to each other.

    The plane is that of the two eigenvectors of the Laplacian with the least eigenvalues but 0 (M. Fiedler, 1973; S.
    Barnard, A. Pothen, H. Simon, 1995, doi:10.1002/nla.1680020402). Of a board it has the shape: the Aztec diamond of
    order 16 has 2^26.6 states from side to side by the estimate here, 2^37.4 row by row.
    """
    beside = np.zeros((rows.n_items, rows.n_items))  # each item has 1 for each of its options, shared by the others
    for begin in range(0, rows.n_options, DENSE):
        ends = rows.indptr[begin : begin + DENSE + 1]
        sizes = np.diff(ends)
        member = np.zeros((len(sizes), rows.n_items))
        member[np.repeat(np.arange(len(sizes)), sizes), rows.indices[ends[0] : ends[-1]]] = 1
        beside += (member / np.maximum(1, sizes - 1)[:, None]).T @ member
    np.fill_diagonal(beside, 0)
    plane = np.linalg.eigh(np.diag(beside.sum(axis=1)) - beside)[1][: rows.n_primary, 1:3]
    angles = np.arange(DIRECTIONS) * (2 * np.pi / DIRECTIONS)
    return [np.argsort(plane @ (np.cos(angle), np.sin(angle)), kind="stable") for angle in angles]
