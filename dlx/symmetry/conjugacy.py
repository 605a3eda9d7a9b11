"""The conjugacy classes of a group of symmetries, given by generators that permute the options.

The group is split into factors by generators that commute. Elements of a direct product are conjugate iff their parts
are, so the classes of each factor are found separately. The classes of a small factor come from the list of its
elements. The classes of a large factor come from canonical forms, which is possible if the whole group is the group of
all symmetries: two elements are then conjugate iff the graphs of the problem with an arc from each option to its image
are isomorphic. The size of a class is the order of the group divided by the order of the stabiliser, which is the
group of that graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import random_generator
from dlx.engine.limits import Over, until
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Coloured, Item, Problem
from dlx.problem.roles import owners, ranges
from dlx.symmetry.groups import Incidence, Numbering, Permutation, Symmetries, elements, orbits
from dlx.symmetry.nauty import Graph, Nauty, parted

Generator: TypeAlias = "Sequence[int] | npt.NDArray[np.integer[Any]] | Numbering | Mapping[Item, Item]"
Group: TypeAlias = "Symmetries | Iterable[Generator]"

LISTED = 400_000  # the most elements of a factor that is listed; the 362,880 of S9 take three seconds
LISTED_BYTES = 1 << 28  # bytes of the listed elements
TRIES = 400  # tries without a new class, for each class known, after which the search gives up


class ConjugacyClass(NamedTuple):
    """A conjugacy class: its size, and one element."""

    size: int
    element: Permutation


def conjugacy_classes(
    problem: Problem, group: Group, over: Over, report: Callable[[int, float], object] = lambda classes, part: None
) -> list[list[ConjugacyClass]]:
    """Returns the classes of each factor; raises StoppedError, and the errors of `count(up_to=...)`.

    For a large factor, `report` is called with the number of classes so far and the fraction of elements in them.
    """
    identity = np.arange(problem.n_options)
    generators = [image for image in generators_of(problem, group, over) if (image != identity).any()]
    factors: list[list[ConjugacyClass]] = []
    large: list[Permutation] = []
    for factor in _factors(generators, problem.n_options):
        action = _Action(factor, problem.n_options)
        classes = action.listed(over)
        if classes is None:
            large += factor
        else:
            factors.append(classes)
    if large:
        others = prod(sum(each.size for each in classes) for classes in factors)
        factors.append(_by_forms(problem, group, large, others, over, report))
    return factors


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
        if isinstance(generator, Numbering):
            other = f"generator {k} permutes {len(array)} options, and the problem has {problem.n_options}"
            raise ProblemError(f"{other}: the group is that of another problem")
        raise ProblemError(f"generator {k}, {generator!r:.60}, is no permutation of {problem.n_options} options")
    return array.astype(np.int64)


def _of_items(problem: Problem, k: int, renamed: Mapping[Item, Item]) -> Permutation:
    """Returns the permutation of options induced by a mapping of items; missing items map to themselves."""
    if unknown := [item for item in chain(renamed, renamed.values()) if item not in set(problem.items)]:
        raise ProblemError(f"generator {k} has the unknown item {unknown[0]!r}")

    def to(item: Item) -> Item:
        return renamed.get(item, item)

    if twice := [item for item, times in Counter(map(to, problem.items)).items() if times > 1]:
        raise ProblemError(f"generator {k} maps two items to {twice[0]!r}")
    roles = np.zeros(problem.n_options) if problem.roles is None else problem.roles
    options = [problem.option(o) for o in range(problem.n_options)]
    equal: dict[tuple[Any, frozenset[Item]], list[int]] = {}
    for o in reversed(range(problem.n_options)):
        equal.setdefault((roles[o], frozenset(options[o])), []).append(o)
    image = np.empty(problem.n_options, dtype=np.int64)
    for o, option in enumerate(options):
        items = [one._replace(item=to(one.item)) if isinstance(one, Coloured) else to(one) for one in option]
        if not (same := equal.get((roles[o], frozenset(items)))):
            raise ProblemError(f"generator {k} maps option {o} to none: no other one has just the items {items!r:.80}")
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
        self._generators = [rank[image[kept]].astype(np.min_scalar_type(len(kept))) for image in generators]

    def _lifted(self, element: npt.NDArray[Any]) -> Permutation:
        """Returns the permutation of all options for an element."""
        image, begin = np.arange(self._n), 0
        for some in self._alike:
            width = some.shape[1]
            image[some] = some[:, element[begin : begin + width].astype(np.int64) - begin]
            begin += width
        return image

    def listed(self, over: Over) -> list[ConjugacyClass] | None:
        """Returns the classes from the list of all elements; None if there are too many elements."""
        kind, n = self._generators[0].dtype, len(self._generators[0])
        most = min(LISTED, LISTED_BYTES // (n * kind.itemsize + 100))
        found = elements(self._generators, np.arange(n, dtype=kind), most, over)
        if found is None:
            return None
        left = dict.fromkeys(found)  # elements in no class yet; a dict keeps their order
        pairs = [(image, np.argsort(image)) for image in self._generators]
        classes = []
        for one in until(over, found):
            if one not in left:
                continue
            del left[one]
            conjugate = [one]
            for each in until(over, conjugate):
                for image, inverse in pairs:
                    other = image[np.frombuffer(each, kind)[inverse]].tobytes()
                    if other in left:
                        del left[other]
                        conjugate.append(other)
            classes.append(ConjugacyClass(len(conjugate), self._lifted(np.frombuffer(one, kind))))
        return classes


# Large factors


def _by_forms(
    problem: Problem,
    group: Group,
    generators: list[Permutation],
    others: int,
    over: Over,
    report: Callable[[int, float], object],
) -> list[ConjugacyClass]:
    """Returns the classes of a factor of the group of all symmetries; the other factors have `others` elements.

    Candidates are random elements, their powers, and products of conjugates of known elements (mostly of small
    classes, which are seldom hit otherwise) or of generators. The search is complete when the classes found have all
    elements of the factor.
    """
    rng = random_generator(0)
    with Nauty(over) as nauty:
        marked = _Marked(problem, nauty)
        if not isinstance(group, Symmetries) or group.order != marked.order:
            raise ProblemError(
                f"the group has a factor of more than {LISTED} elements or {LISTED_BYTES} bytes; such a group must be "
                f"the group of all symmetries of this problem, as `symmetries` returns it"
            )
        left, vain = marked.acting // others, 0
        forms: set[bytes] = set()
        seen: set[bytes] = set()
        found: list[ConjugacyClass] = []
        pool, candidate = 10 * generators, np.arange(problem.n_options)
        while left:
            look_alike = marked.invariant(candidate)
            if look_alike not in seen or vain % 4 == 3:
                seen.add(look_alike)
                if (form := marked.form(candidate)) not in forms:
                    forms.add(form)
                    size = marked.size(candidate)
                    found = sorted([*found, ConjugacyClass(size, candidate)], key=lambda each: each.size)
                    left, vain = left - size, -1
                    report(len(found), 1 - left * others / marked.acting)
            vain += 1
            if left < 0 or vain > TRIES * len(found):
                raise ProblemError(f"{left} elements are in none of the {len(found)} classes found: the search gave up")
            a, b = rng.choice(len(pool), size=2, replace=False).tolist()
            pool[a] = pool[a][pool[b]]  # product replacement: elements become more and more random
            random, way = pool[a], rng.integers(4)
            if way < 2:  # powers: some classes are hardly hit otherwise
                candidate = random if way == 0 else random[random] if rng.random() < 0.5 else random[random[random]]
                continue
            one, other = (found[int(len(found) * rng.random() ** 3)].element for _ in range(2))
            if way == 2:
                other = generators[rng.integers(len(generators))]
            candidate = one[random[other[np.argsort(random)]]]
    return found


class _Marked:
    """The graph of a problem with an arc from each option to its image, drawn with two more vertices per option."""

    def __init__(self, problem: Problem, nauty: Nauty) -> None:
        self._incidence, self._nauty, self._problem = Incidence(problem, nauty), nauty, problem
        self._owner = owners(problem.indptr)
        self.order = self._incidence.graph.automorphisms(self._incidence.colours)[1]
        self.acting = self.order // self._incidence.order_of_kernel(range(problem.n_options))  # permutations of options

    def _graph(self, element: Permutation) -> tuple[Graph, npt.NDArray[np.int64]]:
        graph, n = self._incidence.graph, self._problem.n_options
        options = self._problem.n_items + np.arange(n)
        tails, heads = graph.size + np.arange(n), graph.size + n + np.arange(n)
        more = map(np.stack, ([options, tails], [options, heads], [tails, heads[element]]))
        colours = self._incidence.colours
        marked = Graph(graph.size + 2 * n, np.concatenate([graph.edges, *more], axis=1), self._nauty)
        return marked, np.append(colours, np.repeat(colours.max(initial=0) + np.array([1, 2]), n))

    def form(self, element: Permutation) -> bytes:
        """Returns a canonical form: equal iff two elements are conjugate."""
        graph, colours = self._graph(element)
        return graph.form(colours)

    def size(self, element: Permutation) -> int:
        """Returns the size of the element's conjugacy class."""
        graph, colours = self._graph(element)
        return self.order // graph.automorphisms(colours)[1]

    def invariant(self, element: Permutation) -> bytes:
        """Returns a class invariant, from the cycle lengths around each item; most classes differ in it."""
        label = orbits([element], len(element))
        mark = np.bincount(label, minlength=len(label))[label].astype(np.uint64)
        for _ in range(2):
            of_item = np.zeros(self._problem.n_items, dtype=np.uint64)
            np.add.at(of_item, self._problem.indices, mark[self._owner] ** 3)  # modulo 2^64
            np.add.at(mark, self._owner, of_item[self._problem.indices] * np.uint64(0x9E3779B97F4A7C15))
        return np.sort(mark).tobytes()
