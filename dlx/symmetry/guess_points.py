"""Points found from the options alone, where the names of the items do not tell what they are about.

Two items that are about the same point are *alike*: many options of one and options of the other meet, in a third item
or by being the same option. Two cells of a Latin square in the same row meet in n items, the row with each symbol, and
cells of different rows and columns in none. If alike items are joined, this is nearly a graph of edges that are joined
where they have an end in common, a line graph. Its points are cliques such that each edge is in one of them (J. Krausz,
*Demonstration nouvelle d'une theoreme de Whitney sur les reseaux*, Mat. Fiz. Lapok 50 (1943) 75-85); and where cliques
are large, two neighbours tell theirs, which is most of their common neighbours (R. C. Bose, *Strongly regular graphs,
partial geometries and partially balanced designs*, Pacific J. Math. 13 (1963), doi:10.2140/pjm.1963.13.389).

The right threshold of likeness is not known: each number that occurs is tried. The results are guesses, some of them
wrong; `points.py` checks each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Over, look, never, until
from dlx.problem.checks import ProblemError
from dlx.symmetry.forms import bits

ITEMS = 2_000  # beyond which nothing is looked for: how alike so many are takes a second
STEPS = 1_000_000  # pairs, neighbours and items that may be looked at: a second or two
THRESHOLDS = 16  # of how alike items are
BLOCKS = 16  # in which that is computed

Numbers = npt.NDArray[np.float64]


def found(options: Sequence[Sequence[int]], n_items: int, over: Over = never) -> Iterator[list[list[int]]]:
    """Guesses at the points of each item, the ones by which items have to be most alike first.

    In a guess two items of an option have a point in common if they are alike, and an option of several items has each
    of its points by more than one. A ProblemError tells of too many items, or too much looked at.
    """
    if n_items > ITEMS:
        raise ProblemError(f"there are {n_items} items, and points are found among {ITEMS} at most")
    together = _together(options, n_items, over)
    pairs = np.argwhere(np.triu(together, 1))
    alike = np.concatenate([some @ together for some in until(over, np.array_split(together, BLOCKS), 1)])
    search = _Search(options, n_items, over)
    known: set[frozenset[frozenset[int]]] = set()
    for threshold in _thresholds(alike):
        enough = alike[pairs[:, 0], pairs[:, 1]] >= threshold
        points = search.points(_joined(alike >= threshold), pairs[enough].tolist())
        if points and frozenset(points) not in known:
            known.add(frozenset(points))
            yield [[p for p, some in enumerate(points) if i in some] for i in range(n_items)]


def _together(options: Sequence[Sequence[int]], n_items: int, over: Over) -> Numbers:
    """In how many options each two items are."""
    by_length = defaultdict(list)
    for option in options:
        by_length[len(option)].append(option)
    together = np.zeros(n_items * n_items)
    for length, some in by_length.items():
        size = max(1, (n_items // max(1, length)) ** 2)  # so that these have about as many pairs as there are
        for start in until(over, range(0, len(some), size), 1):
            items = np.array(some[start : start + size], dtype=np.intp)
            both = items[:, :, None] * n_items + items[:, None, :]
            together += np.bincount(both.ravel(), minlength=n_items * n_items)
    return together.reshape(n_items, n_items)


def _thresholds(alike: Numbers) -> Numbers:
    """The numbers that tell how alike two items are, the greatest first; of many a few."""
    values = np.unique(alike[np.triu_indices(len(alike), 1)])[::-1]
    values = values[values > 0]
    return values[np.unique(np.linspace(0, len(values) - 1, min(len(values), THRESHOLDS)).astype(np.intp))]


def _joined(alike: npt.NDArray[np.bool_]) -> list[int]:
    """The items that each is alike, itself too, as bits."""
    rows = np.packbits(alike | np.eye(len(alike), dtype=np.bool_), axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in rows]


class _Search:
    """A search for points that counts its steps."""

    def __init__(self, options: Sequence[Sequence[int]], n_items: int, over: Over) -> None:
        self.options, self.steps, self._over = options, 0, over
        self.of: list[list[int]] = [[] for _ in range(n_items)]
        for o, option in enumerate(options):
            for i in option:
                self.of[i].append(o)

    def points(self, joined: list[int], pairs: list[list[int]]) -> list[frozenset[int]]:
        """The items of each point, such that each pair of joined items of an option is about one; or nothing.

        Pairs with many common neighbours come first: what is small may be a part of what is large.
        """
        self._spend(len(pairs))
        apart = [-(joined[i] & joined[j]).bit_count() for i, j in until(self._over, pairs)]
        points: list[frozenset[int]] = []
        of = [0] * len(joined)  # the points of each item, as bits
        for i, j in (pairs[k] for k in np.argsort(apart, kind="stable").tolist()):
            if of[i] & of[j]:
                continue
            point = self._grown(self._core(joined, joined[i] & joined[j]))
            if not point or len(points) == len(joined):
                return []
            for item in point:
                of[item] |= 1 << len(points)
            points.append(point)
        return points

    def _core(self, joined: list[int], common: int) -> list[int]:
        """Those of the common neighbours of two items that are joined to more than three fifths of them."""
        size = common.bit_count()
        self._spend(size)
        return [i for i in bits(common) if 5 * (joined[i] & common).bit_count() > 3 * size]

    def _grown(self, core: list[int]) -> frozenset[int]:
        """The items that have more than half of their options in common with the others; or none, if that is no point.

        Some items of a point need not be alike: a digit in two boxes of a grid that no row or column meets both.
        """
        point, todo = set(core), core
        here: set[int] = set()  # the options of these items
        times: Counter[int] = Counter()  # in how many of these options an item is
        while todo:
            new = {o for i in todo for o in self.of[i]} - here
            here |= new
            seen = [i for o in new for i in self.options[o]]
            self._spend(len(seen))
            times.update(seen)
            todo = [i for i in set(seen) - point if 2 * times[i] > len(self.of[i])]
            point.update(todo)
        alone = any(sum(i in point for i in self.options[o]) == 1 < len(self.options[o]) for o in here)
        return frozenset() if alone else frozenset(point)

    def _spend(self, steps: int) -> None:
        look(self._over)
        self.steps += steps
        if self.steps > STEPS:
            raise ProblemError(f"after {STEPS} steps no points have been found")
