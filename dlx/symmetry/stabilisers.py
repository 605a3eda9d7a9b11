"""Orders of permutation groups, by a stabiliser chain (Schreier-Sims).

See D. E. Knuth, Efficient representation of perm groups, Combinatorica 11 (1991), arXiv:math/9201304.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Over, look

Permutation = npt.NDArray[np.int64]


def order(generators: Iterable[Permutation], over: Over) -> int:
    """Returns the order of the group that some permutations generate."""
    chain: list[_Stabiliser] = []
    elements = [iter(generators)]  # elements[k]: those that fix the points of the first k stabilisers
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
    """A level of the stabiliser chain: the known elements that fix the points above, and their orbit of one point."""

    def __init__(self, point: int) -> None:
        self.point = point
        self.back: dict[int, Permutation] = {}  # for each image of the point, an element one step back to it
        self._images: list[Permutation] = []

    def brought(self, image: Permutation, at: int) -> Permutation:
        """Returns `image` followed by the elements that bring the point back from `at`."""
        while at != self.point:
            image, at = self.back[at][image], int(self.back[at][at])
        return image

    def with_more(self, image: Permutation) -> Iterator[Permutation]:
        """Adds an element; yields Schreier generators, which with earlier ones generate the point's stabiliser."""
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
    """Returns whether an element sifts to the identity through the chain."""
    for each in chain:
        at = int(image[each.point])
        if at != each.point and at not in each.back:
            return False
        image = each.brought(image, at)
    return np.array_equal(image, np.arange(len(image)))
