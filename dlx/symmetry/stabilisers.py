"""Orders of permutation groups by a chain of stabilisers, each of one point more.

The chain is made complete by Schreier's generators, as C. Sims found (D. E. Knuth, Efficient representation of perm
groups, Combinatorica 11 (1991), arXiv:math/9201304).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Over, look

Permutation = npt.NDArray[np.int64]


def order(generators: Iterable[Permutation], over: Over) -> int:
    """Returns the number of elements of the group that some permutations generate."""
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
        """Adds an element; yields elements that, with those yielded before, generate the stabiliser of the point."""
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
