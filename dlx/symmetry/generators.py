"""Groups of symmetries given by a caller's generators: checked, as `Symmetries`, and as the symmetries of a graph."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, cycle
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Over, until
from dlx.problem.checks import ProblemError, frozen
from dlx.problem.problem import Coloured, Item, Problem
from dlx.problem.roles import owners, ranges
from dlx.symmetry.groups import Incidence, Numbering, Permutation, Symmetries, orbits
from dlx.symmetry.stabilisers import order

Generator: TypeAlias = "Sequence[int] | npt.NDArray[np.integer[Any]] | Numbering | Mapping[Any, Any]"
Group: TypeAlias = "Symmetries | Iterable[Generator]"


def generators_of(problem: Problem, group: Group, over: Over) -> list[Permutation]:
    """Returns generators as permutations of the options, checked; raises TypeError and ProblemError."""
    generators = group.generators if isinstance(group, Symmetries) else group
    if isinstance(generators, (Mapping, str, Problem)) or not isinstance(generators, Iterable):
        raise TypeError(f"the group is {generators!r:.60}: neither dlx.symmetries(problem) nor a list of generators")
    images = [_image(problem, k, one) for k, one in enumerate(generators)]
    before = [*signatures(problem, np.arange(problem.n_options))] if images else []
    for k, image in enumerate(until(over, images, 1)):
        if problem.roles is not None and len(wrong := np.flatnonzero(problem.roles != problem.roles[image])):
            raise ProblemError(
                f"generator {k} maps options[{wrong[0]}] to options[{image[wrong[0]]}], which has another role"
            )
        after = list(signatures(problem, image))
        if lost := set(after).difference(before):
            item = problem.items[next(i for i, one in enumerate(after) if one in lost)]
            raise ProblemError(f"generator {k} is no symmetry: no item has the images of the options with {item!r}")
    return images


def _image(problem: Problem, k: int, generator: Any) -> Permutation:
    """Returns a generator as a permutation of the options."""
    if isinstance(generator, Mapping):
        return _option_images(problem, k, generator)
    array = np.asarray(generator.options if isinstance(generator, Numbering) else generator)
    if array.ndim != 1 or array.dtype.kind not in ("iu" if array.size else "iuf"):
        raise TypeError(f"generator {k} is {generator!r:.60}: neither a permutation of options nor a mapping of items")
    if not np.array_equal(np.sort(array), np.arange(problem.n_options)):
        raise ProblemError(f"generator {k}, {generator!r:.60}, is no permutation of {problem.n_options} options")
    return array.astype(np.int64)


def _option_images(problem: Problem, k: int, renamed: Mapping[Any, Any]) -> Permutation:
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
                f"generator {k} maps options[{o}] to none: no other one has just the items {items!r:.80}"
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


def subgroup(problem: Problem, group: Group, over: Over) -> Symmetries:
    """Returns the group; its order is that of the permutations of options. Raises as `generators_of`."""
    options = generators_of(problem, group, over)
    items = [_item_images(problem, image) for image in until(over, options, 1)]
    both = [orbits(options, problem.n_options), orbits(items, problem.n_items)]
    *generators, least = (
        Numbering(*(frozen(some.astype(np.int32)) for some in pair))
        for pair in [*zip(options, items, strict=True), both]
    )
    return Symmetries(order(options, over), tuple(generators), least)


def _item_images(problem: Problem, image: Permutation) -> Permutation:
    """Returns the image of each item; items with equal signatures keep their order."""
    alike: defaultdict[object, list[int]] = defaultdict(list)
    for i, one in enumerate(signatures(problem, np.arange(problem.n_options))):
        alike[one].append(i)
    turns = {one: cycle(some) for one, some in alike.items()}
    return np.array([next(turns[one]) for one in signatures(problem, image)], dtype=np.int64)


def graph_with(group: Symmetries, incidence: Incidence) -> tuple[Incidence, Symmetries] | None:
    """Returns the problem's graph coloured by orbits, and the graph's symmetries; None if the graph has others.

    If it has no others, canonical forms of the graph distinguish the orbits of covers. An example is Latin squares
    whose rows, columns and symbols may not be exchanged for each other.
    """
    problem, n_items = incidence.problem, incidence.problem.n_items
    coloured = Incidence(problem, incidence.nauty, group.orbits)
    colours = coloured.colours[: coloured.options.stop]
    for options, items in group.generators:
        image = np.concatenate([items, n_items + options])
        if len(np.unique(items)) < n_items or not np.array_equal(colours[image], colours):
            return None
    found = coloured.symmetries()
    acting = found.order // coloured.order_of_kernel()
    return (coloured, found) if acting == group.order else None
