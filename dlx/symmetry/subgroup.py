"""Groups of symmetries that are given by generators: their orders, and graphs that have just these symmetries.

The graph of a problem, with a colour for each orbit, may have just these symmetries, as that of Latin squares has where
rows, columns and symbols are not exchanged for each other. Then canonical forms of the graph tell kinds apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import cycle
from math import prod

import numpy as np

from dlx.engine.limits import Over, look, until
from dlx.problem.checks import frozen
from dlx.problem.problem import Problem
from dlx.symmetry.conjugacy import Group, generators_of, signatures
from dlx.symmetry.groups import Incidence, Numbering, Permutation, Symmetries, orbits


def subgroup(problem: Problem, group: Group, over: Over) -> Symmetries:
    """Returns a group with its order as one of permutations of the options; raises as `generators_of`."""
    options = generators_of(problem, group, over)
    items = [_of_items(problem, image) for image in until(over, options, 1)]
    both = [orbits(options, problem.n_options), orbits(items, problem.n_items)]
    *generators, least = (
        Numbering(*(frozen(some.astype(np.int32)) for some in pair))
        for pair in [*zip(options, items, strict=True), both]
    )
    return Symmetries(order(options, over), tuple(generators), least)


def _of_items(problem: Problem, image: Permutation) -> Permutation:
    """Returns what a symmetry makes of each item; those that are covered alike keep their order."""
    alike: defaultdict[object, list[int]] = defaultdict(list)
    for i, one in enumerate(signatures(problem, np.arange(problem.n_options))):
        alike[one].append(i)
    turns = {one: cycle(some) for one, some in alike.items()}
    return np.array([next(turns[one]) for one in signatures(problem, image)], dtype=np.int64)


def graph_with(group: Symmetries, incidence: Incidence) -> tuple[Incidence, Symmetries] | None:
    """Returns the graph of a problem with a colour for each orbit, and its symmetries; None if they are others."""
    problem, n_items = incidence.problem, incidence.problem.n_items
    coloured = Incidence(problem, incidence.nauty, group.orbits)
    kinds = coloured.kinds[: coloured.options.stop]
    for options, items in group.generators:
        image = np.concatenate([items, n_items + options])
        if len(np.unique(items)) < n_items or not np.array_equal(kinds[image], kinds):
            return None
    found = coloured.symmetries()
    order = found.order // coloured.order_of_kernel(range(problem.n_options))
    return (coloured, found) if order == group.order else None


def order(generators: Iterable[Permutation], over: Over) -> int:
    """Returns the number of elements of a group.

    A chain of stabilisers, each of one point more, is made complete by Schreier's generators, as C. Sims found (D. E.
    Knuth, Efficient representation of perm groups, Combinatorica 11 (1991), arXiv:math/9201304).
    """
    chain: list[_Stabiliser] = []
    elements = [iter(generators)]  # in place k those that fix the points of k stabilisers
    while elements:
        image = next(elements[-1], None)
        if image is None:
            elements.pop()
            continue
        look(over)
        depth = len(elements) - 1
        if not _has(chain[depth:], image):
            if depth == len(chain):
                chain.append(_Stabiliser(int((image != np.arange(len(image))).argmax())))
            elements.append(chain[depth].with_more(image))
    return prod(1 + len(each.back) for each in chain)


class _Stabiliser:
    """The elements of a group that fix some points, as far as they are known, and how they move one point more."""

    def __init__(self, point: int) -> None:
        self.point = point
        self.back: dict[int, Permutation] = {}  # where it comes, and the inverse of the last element on the way
        self._images: list[Permutation] = []

    def brought(self, image: Permutation, at: int) -> Permutation:
        """An element followed by those that bring the point back from a place."""
        while at != self.point:
            image, at = self.back[at][image], int(self.back[at][at])
        return image

    def with_more(self, image: Permutation) -> Iterator[Permutation]:
        """Adds an element, and yields those that generate, with others already known, all that fix the point, too."""
        self._images.append(image)
        both = [(each, np.argsort(each)) for each in self._images]
        places = [self.point, *self.back]
        old = len(places)
        for place in places:
            for each, inverse in both:
                if (other := int(each[place])) != self.point and other not in self.back:
                    self.back[other] = inverse
                    places.append(other)
        for k, place in enumerate(places):
            way = np.argsort(self.brought(np.arange(len(image)), place))
            for each in [image] if k < old else self._images:
                yield self.brought(each[way], int(each[place]))


def _has(chain: list[_Stabiliser], image: Permutation) -> bool:
    """Tells whether an element is known to be in the group of a chain."""
    for each in chain:
        at = int(image[each.point])
        if at != each.point and at not in each.back:
            return False
        image = each.brought(image, at)
    return np.array_equal(image, np.arange(len(image)))
