"""Preprocessing: a problem with the same covers, but fewer options and items for a search to look at."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import new_kernel, rearranged
from dlx.engine.limits import Limiting, Limits, Loop
from dlx.problem.problem import Problem, as_problem
from dlx.problem.roles import CHOSEN, LEFT_OUT, owners


def reduce(problem: Problem, **limits: Unpack[Limiting]) -> Problem:
    """Leaves out options that are in no cover, and lets searches ignore items that others imply.

    An option is left out where choosing it would leave some primary item without the options it needs; what that leaves
    out may show that others go too, until nothing changes. An item is implied by another one if the same options have
    both; and a secondary item is if no two options clash on it. The method is Knuth's preprocessing (TAOCP 4B, 7.2.2.1,
    Algorithm P). It pays before a long search, not before every one. Preferences of implied items are not heeded.

    Parameters:
        problem: what to cover; options left out and items implied stay so.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`Limiting`); a
            node is an option tried. A limit or Ctrl-C loses nothing of what has been found.

    Returns:
        A problem with the same covers, by the same numbers of options. Reducing it again changes nothing, unless time
        was up.

    Raises: as `covers`, of limits.

    >>> problem = Problem.from_options(["ab", "bc", "cd"])  # only ab covers a, so bc is in no cover
    >>> reduce(problem)
    Problem(4 items, 3 options, 6 entries, 1 left out, 2 items implied)
    """
    roles = as_problem(problem)._roles()
    live = np.ones(problem.n_options, dtype=np.int8)
    implied = np.zeros(problem.n_items, dtype=np.bool_) if problem.implied is None else problem.implied.copy()
    with Loop(Limits.of(**limits)) as loop:
        for _ in loop.slices(new_kernel("sieve", problem.rows(), live)):
            pass
        if not loop.over():
            _mark(implied, problem, (live > 0) & (roles != LEFT_OUT), loop)
    roles[(live == 0) if live.any() else slice(None)] = LEFT_OUT  # all of them: there is no cover
    kept = None if problem.roles is None and (roles != LEFT_OUT).all() else roles
    return problem._derived(kept, implied if implied.any() else None)


def remaining(problem: Problem) -> Problem:
    """The problem of the options that are not left out, with all items, for formats that have no such marks.

    Chosen options are in every cover of it, too, unless there are multiplicities: then it is the problem itself.
    """
    roles = problem._roles()
    if problem.multiplicities is not None and (roles == CHOSEN).any():
        return problem
    kept = np.flatnonzero(roles != LEFT_OUT)
    left = rearranged(replace(problem, roles=None, implied=None), kept)
    if not len(kept):  # texts have neither weights nor names of no option
        return left
    return replace(
        left,
        weights=None if problem.weights is None else problem.weights[kept],
        names=None if problem.names is None else tuple(problem.names[o] for o in kept.tolist()),
    )


def undominated(problem: Problem, worth: npt.NDArray[Any]) -> Problem:
    """Leaves out options for which a cover can have others that are alike, and worth as much or more.

    Of those that are alike it keeps the best, as many as a cover has room for.

    >>> undominated(Problem.from_options(["ab", "ab", "b", "ba"]), np.array([3, 5, 9, 5]))
    Problem(2 items, 4 options, 7 entries, 2 left out)
    """
    rows = problem.rows()
    if not rows.alike:
        return problem
    plain = rows.multiplicities is None
    room = [] if plain else rows.rooms(rows.ranges()[:, 1]).tolist()
    gone = []
    for group in rows.alike:
        times = 1 if plain else room[group[0]]
        if times < len(group):
            gone += sorted(group, key=worth.__getitem__, reverse=True)[times:]
    return problem.without(gone) if gone else problem


def _mark(implied: npt.NDArray[np.bool_], problem: Problem, live: npt.NDArray[np.bool_], loop: Loop) -> None:
    """Marks the items that others imply, as far as the loop allows, where only some options are live."""
    option = owners(problem.indptr)
    entries = np.flatnonzero(live[option])
    entries = entries[np.argsort(problem.indices[entries], kind="stable")]
    colours = np.zeros(len(problem.indices), dtype=np.int32) if problem.colours is None else problem.colours
    begin = np.searchsorted(problem.indices[entries], np.arange(problem.n_items + 1))
    seen: set[tuple[bytes, bytes, tuple[int, int]]] = set()
    for i in np.flatnonzero(~implied).tolist():
        if loop.over():
            return
        mine = entries[begin[i] : begin[i + 1]]
        shades = colours[mine]
        bounds = (1, 1)
        if i < problem.n_primary:
            bounds = (1, 1) if problem.multiplicities is None else tuple(problem.multiplicities[i].tolist())
        elif len(mine) < 2 or (shades[0] > 0 and (shades == shades[0]).all()):
            implied[i] = True
            continue
        key = option[mine].tobytes(), shades.tobytes(), bounds
        implied[i] = key in seen
        seen.add(key)
