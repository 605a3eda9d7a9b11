"""The conjugacy classes of a group of symmetries.

The group is split into factors by generators that commute. Elements of a direct product are conjugate iff their parts
are, so the classes of each factor are found separately, from the list of its elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product
from math import prod
from typing import NamedTuple

import numpy as np

from dlx.engine.limits import Over
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem
from dlx.symmetry.generators import Group, generators_of
from dlx.symmetry.groups import Permutation, orbits
from dlx.symmetry.nauty import parted
from dlx.symmetry.stabilisers import elements

LISTED = 4_000_000  # maximum elements of a factor, 20 s
LISTED_BYTES = 1 << 29  # bytes of the elements of a factor


class ConjugacyClass(NamedTuple):
    """A conjugacy class: its size, and one element."""

    size: int
    element: Permutation


def conjugacy_classes(problem: Problem, group: Group, over: Over) -> list[list[ConjugacyClass]]:
    """Returns the classes of each factor, the identity first; raises StoppedError and as `generators_of`."""
    identity = np.arange(problem.n_options)
    generators = [image for image in generators_of(problem, group, over) if (image != identity).any()]
    return [_Action(factor, problem.n_options).classes(over) for factor in _factors(generators, problem.n_options)]


def combined(factors: list[list[ConjugacyClass]], n_options: int) -> Iterator[ConjugacyClass]:
    """Yields the classes of the direct product of factors."""
    for parts in product(*factors):
        element = np.arange(n_options)
        for part in parts:
            element = part.element[element]
        yield ConjugacyClass(prod(part.size for part in parts), element)


def _factors(generators: list[Permutation], n: int) -> list[list[Permutation]]:
    """Returns generators of direct factors of the group, if a simple check proves that they are direct.

    Elements of different factors commute. If every orbit of one factor meets every orbit of all others together in at
    most one option, only the identity is in both.
    """
    factors: list[list[Permutation]] = []
    for image in generators:
        apart = [all(np.array_equal(image[o], o[image]) for o in factor) for factor in factors]
        joined = chain.from_iterable(f for f, commutes in zip(factors, apart, strict=True) if not commutes)
        factors = [f for f, commutes in zip(factors, apart, strict=True) if commutes] + [[*joined, image]]
    for k, factor in enumerate(factors):
        others = orbits(chain.from_iterable(factors[:k] + factors[k + 1 :]), n)
        if len(np.unique(orbits(factor, n) * n + others)) < n:
            return [generators]
    return factors


class _Action:
    """A group acting on some orbits of options; of orbits with equal actions, only one is kept."""

    def __init__(self, generators: list[Permutation], n: int) -> None:
        rank = np.empty(n, dtype=np.int64)
        alike: dict[bytes, list[Permutation]] = {}
        for orbit in parted(orbits(generators, n)):
            rank[orbit] = np.arange(len(orbit))
            if len(orbit) > 1:
                alike.setdefault(b"".join(rank[image[orbit]].tobytes() for image in generators), []).append(orbit)
        self._n = n
        self._alike = [np.stack(some) for some in alike.values()]
        kept = np.concatenate([some[0] for some in self._alike])
        rank[kept] = np.arange(len(kept))
        self._generators = [rank[image[kept]] for image in generators]

    def _lifted(self, element: Permutation) -> Permutation:
        """Returns the permutation of all options for an element."""
        image, begin = np.arange(self._n), 0
        for some in self._alike:
            width = some.shape[1]
            image[some] = some[:, element[begin : begin + width] - begin]
            begin += width
        return image

    def classes(self, over: Over) -> list[ConjugacyClass]:
        """Returns the conjugacy classes; raises ProblemError if there are too many elements."""
        n = len(self._generators[0])
        most = min(LISTED, LISTED_BYTES // n)
        group = elements(self._generators, n, most, over)
        if group is None:
            raise ProblemError(
                f"a factor of the group has more than {most} elements, and a list of them may take "
                f"{LISTED_BYTES >> 20} MB: use len(classify(problem, group=...)) if the covers have few orbits, "
                "or the generators of a smaller group"
            )
        conjugates = [group.conjugates(image) for image in self._generators]
        _, first, sizes = np.unique(orbits(conjugates, len(group.rows), over), return_index=True, return_counts=True)
        rows = group.rows[first].astype(np.int64)
        return [ConjugacyClass(size, self._lifted(row)) for size, row in zip(sizes.tolist(), rows, strict=True)]
