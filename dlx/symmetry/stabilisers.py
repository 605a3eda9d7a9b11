"""Orders and elements of permutation groups, by a stabiliser chain (Schreier-Sims).

See D. E. Knuth, Efficient representation of perm groups, Combinatorica 11 (1991), arXiv:math/9201304.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Over, check_limits

Permutation = npt.NDArray[np.int64]

AT_ONCE = 1 << 20  # numbers in the elements made between two checks of the limits, 10 ms


def order(generators: Iterable[Permutation], over: Over) -> int:
    """Returns the order of the group that some permutations generate."""
    return prod(each.size for each in _chain(generators, over, inf))


class Elements:
    """All elements of a group.

    An element is a product with one factor for each stabiliser of the chain, so the number of an element has one digit
    for each stabiliser.

    Attributes:
        rows: the elements, one row for each, the identity first.
    """

    def __init__(self, chain: list[_Stabiliser], n: int, over: Over) -> None:
        self._over = over
        self._base = np.array([each.point for each in chain], dtype=np.int64)
        self._chain = [each.transversal(n) for each in chain]
        self.rows: npt.NDArray[Any] = np.arange(n, dtype=np.min_scalar_type(n))[None]
        for _, back in reversed(self._chain):
            there = np.argsort(back, axis=1).astype(self.rows.dtype)
            self.rows = np.concatenate([image[some] for image in there for some in self._blocks()])

    def conjugates(self, image: Permutation) -> Permutation:
        """Returns for each element x the number of g x g^-1, where g is an element."""
        points = np.argsort(image)[self._base]  # the images of the base determine the element
        return np.concatenate([self._numbers(image[some[:, points]]) for some in self._blocks()])

    def _numbers(self, some: Permutation) -> Permutation:
        """Returns the numbers of elements, given by the images of the base."""
        number = np.zeros(len(some), dtype=np.int64)
        for level, (digits, back) in enumerate(self._chain):
            digit = digits[some[:, level]]
            number = number * len(back) + digit
            some = back[digit[:, None], some]
        return number

    def _blocks(self) -> Iterator[npt.NDArray[Any]]:
        step = max(1, AT_ONCE // max(1, self.rows.shape[1]))
        for first in range(0, len(self.rows), step):
            check_limits(self._over)
            yield self.rows[first : first + step]


def elements(generators: Iterable[Permutation], n: int, most: int, over: Over) -> Elements | None:
    """Returns the elements of a group that permutes n points; None if there are more than `most`."""
    chain = _chain(generators, over, most)
    return None if prod(each.size for each in chain) > most else Elements(chain, n, over)


def _chain(generators: Iterable[Permutation], over: Over, most: float) -> list[_Stabiliser]:
    """Returns the chain, or a part of it if the group has more than `most` elements."""
    chain: list[_Stabiliser] = []
    waiting = [iter(generators)]  # waiting[k]: elements that fix the points of the first k stabilisers
    while waiting and prod(each.size for each in chain) <= most:
        image = next(waiting[-1], None)
        if image is None:
            waiting.pop()
            continue
        check_limits(over)
        depth = len(waiting) - 1
        if not _has(chain[depth:], image):
            if depth == len(chain):
                chain.append(_Stabiliser(int((image != np.arange(len(image))).argmax())))
            waiting.append(chain[depth].with_more(image))
    return chain


class _Stabiliser:
    """A level of the stabiliser chain: the known elements that fix the points above, and their orbit of one point."""

    def __init__(self, point: int) -> None:
        self.point = point
        self.back: dict[int, Permutation] = {}  # image of the point -> an element one step back
        self._images: list[Permutation] = []

    @property
    def size(self) -> int:
        """The size of the orbit."""
        return 1 + len(self.back)

    def brought(self, image: Permutation, at: int) -> Permutation:
        """Returns `image` followed by the elements that bring the point back from `at`."""
        while at != self.point:
            image, at = self.back[at][image], int(self.back[at][at])
        return image

    def transversal(self, n: int) -> tuple[Permutation, Permutation]:
        """Returns the digit of each image of the point, and the elements that bring the point back, by digit."""
        places, digit = [self.point, *self.back], np.zeros(n, dtype=np.int64)
        digit[places] = np.arange(self.size)
        return digit, np.stack([self.brought(np.arange(n), place) for place in places])

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
            away = np.argsort(self.brought(np.arange(len(image)), place))
            for each in [image] if k < old else self._images:
                yield self.brought(each[away], int(each[place]))


def _has(chain: list[_Stabiliser], image: Permutation) -> bool:
    """Returns whether an element sifts to the identity through the chain."""
    for each in chain:
        at = int(image[each.point])
        if at != each.point and at not in each.back:
            return False
        image = each.brought(image, at)
    return np.array_equal(image, np.arange(len(image)))
