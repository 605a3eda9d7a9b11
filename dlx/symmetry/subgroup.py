"""Groups of symmetries given by a caller's generators: as `Symmetries`, and as the symmetries of a graph.

If the graph of the problem, coloured by the group's orbits, has exactly these symmetries, its canonical forms separate
the orbits of covers. An example is Latin squares whose rows, columns and symbols may not be exchanged for each other.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import cycle

import numpy as np

from dlx.engine.limits import Over, until
from dlx.problem.checks import frozen
from dlx.problem.problem import Problem
from dlx.symmetry.conjugacy import Group, generators_of, signatures
from dlx.symmetry.groups import Incidence, Numbering, Permutation, Symmetries, orbits
from dlx.symmetry.stabilisers import order


def subgroup(problem: Problem, group: Group, over: Over) -> Symmetries:
    """Returns the group; its order is that of the permutations of options. Raises as `generators_of`."""
    options = generators_of(problem, group, over)
    items = [_of_items(problem, image) for image in until(over, options, 1)]
    both = [orbits(options, problem.n_options), orbits(items, problem.n_items)]
    *generators, least = (
        Numbering(*(frozen(some.astype(np.int32)) for some in pair))
        for pair in [*zip(options, items, strict=True), both]
    )
    return Symmetries(order(options, over), tuple(generators), least)


def _of_items(problem: Problem, image: Permutation) -> Permutation:
    """Returns the image of each item; items with equal signatures keep their order."""
    alike: defaultdict[object, list[int]] = defaultdict(list)
    for i, one in enumerate(signatures(problem, np.arange(problem.n_options))):
        alike[one].append(i)
    turns = {one: cycle(some) for one, some in alike.items()}
    return np.array([next(turns[one]) for one in signatures(problem, image)], dtype=np.int64)


def graph_with(group: Symmetries, incidence: Incidence) -> tuple[Incidence, Symmetries] | None:
    """Returns the problem's graph coloured by orbits, and its symmetries; None if these are not the group."""
    problem, n_items = incidence.problem, incidence.problem.n_items
    coloured = Incidence(problem, incidence.nauty, group.orbits)
    colours = coloured.colours[: coloured.options.stop]
    for options, items in group.generators:
        image = np.concatenate([items, n_items + options])
        if len(np.unique(items)) < n_items or not np.array_equal(colours[image], colours):
            return None
    found = coloured.symmetries()
    acting = found.order // coloured.order_of_kernel(range(problem.n_options))
    return (coloured, found) if acting == group.order else None
