"""The conjugacy classes of a group of symmetries, given by generators that permute the options.

The group is split into factors by generators that commute. Elements of a direct product are conjugate iff their parts
are, so the classes of each factor are found separately, from the list of its elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Over, until
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Coloured, Item, Problem
from dlx.problem.roles import owners, ranges
from dlx.symmetry.groups import Numbering, Permutation, Symmetries, orbits
from dlx.symmetry.nauty import parted
from dlx.symmetry.stabilisers import elements

Generator: TypeAlias = "Sequence[int] | npt.NDArray[np.integer[Any]] | Numbering | Mapping[Any, Any]"
Group: TypeAlias = "Symmetries | Iterable[Generator]"

LISTED = 4_000_000  # the most elements of a factor; they take 20 s
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


# Generators


def generators_of(problem: Problem, group: Group, over: Over) -> list[Permutation]:
    """Returns generators as permutations of the options, checked; raises TypeError and ProblemError."""
    generators = group.generators if isinstance(group, Symmetries) else group
    if isinstance(generators, (Mapping, str, Problem)) or not isinstance(generators, Iterable):
        raise TypeError(f"the group is {generators!r:.60}: neither dlx.symmetries(problem) nor a list of generators")
    images = [_image(problem, k, one) for k, one in enumerate(generators)]
    before = [*signatures(problem, np.arange(problem.n_options))] if images else []
    for k, image in enumerate(until(over, images, 1)):
        if problem.roles is not None and len(wrong := np.flatnonzero(problem.roles != problem.roles[image])):
            raise ProblemError(f"generator {k} maps option {wrong[0]} to {image[wrong[0]]}, which has another role")
        left = list(signatures(problem, image))
        if lost := set(left).difference(before):
            item = problem.items[next(i for i, one in enumerate(left) if one in lost)]
            raise ProblemError(f"generator {k} is no symmetry: no item has the images of the options with {item!r}")
    return images


def _image(problem: Problem, k: int, generator: Any) -> Permutation:
    """Returns a generator as a permutation of the options."""
    if isinstance(generator, Mapping):
        return _of_items(problem, k, generator)
    array = np.asarray(generator.options if isinstance(generator, Numbering) else generator)
    if array.ndim != 1 or array.dtype.kind not in ("iu" if array.size else "iuf"):
        raise TypeError(f"generator {k} is {generator!r:.60}: neither a permutation of options nor a mapping of items")
    if not np.array_equal(np.sort(array), np.arange(problem.n_options)):
        raise ProblemError(f"generator {k}, {generator!r:.60}, is no permutation of {problem.n_options} options")
    return array.astype(np.int64)


def _of_items(problem: Problem, k: int, renamed: Mapping[Any, Any]) -> Permutation:
    """Returns the permutation of options induced by a mapping of items, or of items in a colour.

    Missing items map to themselves, and missing colours of an item to the same colours of its image.
    """
    options = [problem.option(o) for o in range(problem.n_options)]
    known = {*problem.items, *chain.from_iterable(options)}
    if unknown := [entry for entry in chain(renamed, renamed.values()) if entry not in known]:
        raise ProblemError(f"generator {k} has the unknown item {unknown[0]!r}")

    def to(entry: Any) -> Any:
        if entry not in renamed and isinstance(entry, Coloured):
            return Coloured(to(entry.item), entry.colour)
        return renamed.get(entry, entry)

    if twice := [item for item, times in Counter(map(to, problem.items)).items() if times > 1]:
        raise ProblemError(f"generator {k} maps two items to {twice[0]!r}")
    roles = np.zeros(problem.n_options) if problem.roles is None else problem.roles
    equal: dict[tuple[Any, frozenset[Item]], list[int]] = {}
    for o in reversed(range(problem.n_options)):
        equal.setdefault((roles[o], frozenset(options[o])), []).append(o)
    image = np.empty(problem.n_options, dtype=np.int64)
    for o, option in enumerate(options):
        items = [*map(to, option)]
        if not (same := equal.get((roles[o], frozenset(items)))):
            hint = "; colours that are permuted must be mapped, too, as Coloured(item, colour)"
            raise ProblemError(
                f"generator {k} maps option {o} to none: no other one has just the items {items!r:.80}"
                f"{'' if problem.colours is None else hint}"
            )
        image[o] = same.pop()
    return image


def signatures(
    problem: Problem, numbers: Permutation, there: npt.NDArray[np.bool_] | None = None
) -> Iterator[tuple[object, ...]]:
    """Yields for each item its multiplicity, its options' numbers, and the partition of those by colour.

    Items with equal signatures are covered alike. Options that are False in `there` are skipped.
    """
    owner, bounds = owners(problem.indptr), ranges(problem.n_items, problem.n_primary, problem.multiplicities)
    entries = np.arange(len(owner)) if there is None else np.flatnonzero(there[owner])
    of_entry = numbers[owner]
    entries = entries[np.lexsort((of_entry[entries], problem.indices[entries]))]
    ends = np.cumsum(np.bincount(problem.indices[entries], minlength=problem.n_items)).tolist()
    for item, (times, begin, end) in enumerate(zip(bounds.tolist(), [0, *ends], ends, strict=False)):
        some, first = entries[begin:end], {0: 0}
        shades = () if problem.colours is None else problem.colours[some].tolist()
        equal = tuple(first.setdefault(shade, len(first)) for shade in shades)
        yield item < problem.n_primary, *times, of_entry[some].tobytes(), equal


# Factors


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
                f"the group has a factor of more than {most} elements, which cannot be listed; "
                f"`classify` finds the kinds of covers one by one"
            )
        conjugates = [group.conjugates(image) for image in self._generators]
        _, first, sizes = np.unique(orbits(conjugates, len(group.rows), over), return_index=True, return_counts=True)
        rows = group.rows[first].astype(np.int64)
        return [ConjugacyClass(size, self._lifted(row)) for size, row in zip(sizes.tolist(), rows, strict=True)]
