"""Problems without colours, for solvers that have no colours.

Auxiliary options replace a secondary item if several options give it the same colour. The options that give it one
colour are a class, and an option that has the item without a colour is a class with one option. The auxiliary option of
a class is chosen if and only if no option of the class is chosen. At most one class has chosen options, so at most one
auxiliary option is not chosen. Every cover can be extended in exactly one way, and the linear relaxation is at least as
strong as the relaxation with pairwise conflicts.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import count, pairwise

import numpy as np

from dlx.problem.problem import Problem
from dlx.problem.roles import FREE, LEFT_OUT, owners, ranges


def without_colours(problem: Problem) -> Problem:
    """Returns a problem without colours and weights that has the same covers, extended by auxiliary options.

    The options of the problem come first, with names x1, x2, ... if they have no names. Options without a primary item
    are omitted.
    """
    useful = np.bincount(owners(problem.indptr)[problem.indices < problem.n_primary], minlength=problem.n_options)
    given = np.full(problem.n_options, FREE) if problem.roles is None else problem.roles
    roles = np.where(useful > 0, given, LEFT_OUT).tolist()
    items, pairs = list(problem.items), ranges(problem.n_items, problem.n_primary, problem.multiplicities).tolist()
    primary: dict[Hashable, tuple[int, int]] = dict(zip(items[: problem.n_primary], pairs, strict=False))
    secondary = dict.fromkeys(items[problem.n_primary :])
    options = [[items[i] for i in problem.indices[a:b].tolist()] for a, b in pairwise(problem.indptr.tolist())]
    names = [*(problem.names or (f"x{k + 1}" for k in range(problem.n_options)))]
    prefix = "z"
    while any(str(name).startswith(prefix) for name in (*items, *names)):
        prefix += "_"
    new = (f"{prefix}{k}" for k in count(1))
    for item, classes in _classes(problem).items():
        del secondary[item]
        at_most_one = next(new)
        primary[at_most_one] = (len(classes) - 1, len(classes))
        for users in classes:
            at_least_one, apart = next(new), [next(new) for _ in users]
            primary[at_least_one] = (1, len(users) + 1)
            secondary |= dict.fromkeys(apart)
            options.append([at_most_one, at_least_one, *apart])
            for option, pair in zip(users, apart, strict=True):
                options[option].remove(item)
                options[option] += [at_least_one, pair]
    auxiliary = [next(new) for _ in options[len(names) :]]
    number = {item: k for k, item in enumerate([*primary, *secondary])}
    return Problem(
        tuple(number),
        len(primary),
        np.cumsum([0, *map(len, options)], dtype=np.int32),
        np.array([number[item] for option in options for item in option], dtype=np.int32),
        names=tuple(names + auxiliary),
        multiplicities=np.array([*primary.values()], dtype=np.int32).reshape(-1, 2),
        roles=np.array(roles + [FREE] * len(auxiliary), dtype=np.int8),
    )


def users_of(problem: Problem) -> list[list[int]]:
    """Returns the options of each item, in order."""
    options = owners(problem.indptr)[np.argsort(problem.indices, kind="stable")]
    ends = np.cumsum(np.bincount(problem.indices, minlength=problem.n_items))
    return [some.tolist() for some in np.split(options, ends[:-1])]


def _classes(problem: Problem) -> dict[Hashable, list[list[int]]]:
    """Returns the classes of options of each item that several options give the same colour."""
    if problem.colours is None:
        return {}
    owner, found = owners(problem.indptr), dict[Hashable, dict[tuple[int, int], list[int]]]()
    for entry in np.flatnonzero(np.isin(problem.indices, problem.indices[problem.colours > 0])).tolist():
        option, colour = int(owner[entry]), int(problem.colours[entry])
        classes = found.setdefault(problem.items[problem.indices[entry]], {})
        classes.setdefault((colour, -1 if colour else option), []).append(option)
    listed = {item: [*classes.values()] for item, classes in found.items()}
    return {item: classes for item, classes in listed.items() if max(map(len, classes)) > 1}
