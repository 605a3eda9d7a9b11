"""The number of orbits of covers under a group, without listing orbits.

It is the mean, over the elements of the group, of the number of covers that an element fixes (the lemma of Cauchy,
Frobenius and Burnside: W. Burnside, Theory of Groups of Finite Order, 1897, section 118). The fixed covers are the
covers of a *quotient*. Its options are the orbits of options under the element that a cover can contain as a whole;
items that are in the same orbits become one item.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import replace
from math import inf, prod
from types import SimpleNamespace
from typing import Any, Unpack

import numpy as np

from dlx.engine.limits import SLICE, Count, Limiting, Limits, Loop, Progress, Stop, StoppedError
from dlx.problem.checks import UNLIMITED
from dlx.problem.problem import Coloured, Problem, as_problem
from dlx.problem.roles import CHOSEN, LEFT_OUT, owners, ranges
from dlx.symmetry.conjugacy import combined, conjugacy_classes
from dlx.symmetry.generators import Group, signatures
from dlx.symmetry.groups import Permutation, orbits


def count_orbits(problem: Problem, group: Group, counted: Callable[..., Count], **limits: Unpack[Limiting]) -> Count:
    """Returns the number of orbits in `Count.covers`; the limits apply to all counts together."""
    checked = Limits.of(**limits)
    if checked.max_covers < UNLIMITED:
        raise ValueError("max_covers cannot be combined with up_to: orbits are not found one by one")
    mean = _Mean(checked, counted)
    # The `Progress` during the search for conjugacy classes.
    search: Any = SimpleNamespace(nodes=0, updates=0, covers=0, doing="conjugacy classes", fraction=lambda: 0.0)
    with Loop(replace(checked, max_nodes=UNLIMITED)) as loop, suppress(StoppedError):

        def over() -> bool:
            if loop.seconds > SLICE:
                loop.join(search)
                loop.report(search)
            return loop.over()

        factors = conjugacy_classes(as_problem(problem), group, over)
        mean.classes = prod(map(len, factors))
    mean.seconds, mean.stopped = loop.seconds, loop.stopped
    if loop.stopped is None:
        with suppress(StoppedError):
            for size, element in combined(factors, problem.n_options):
                mean.add(size, quotient(problem, element))
                if not mean.fixed:  # the first element is the identity, so there are no covers
                    break
    return mean.result()


class _Mean:
    """The sum of the counts so far, and its limits."""

    def __init__(self, limits: Limits, counted: Callable[..., Count]) -> None:
        self._limits, self._counted = limits, counted
        self._counts: list[Count] = []
        self.fixed, self._order = 0, 0  # the sum of fixed covers so far, and the number of elements so far
        self.classes, self.nodes, self.seconds = 0, 0, 0.0
        self.stopped: Stop | None = None

    def add(self, size: int, problem: Problem) -> None:
        """Counts the covers that each of `size` elements fixes; raises StoppedError."""
        most, until = self._limits.max_nodes, self._limits.timeout
        try:
            count = self._counted(
                problem,
                max_nodes=None if most >= UNLIMITED else max(0, most - self.nodes),
                timeout=None if until == inf else max(0.0, until - self.seconds),
                progress=self._limits.progress and self._progress,
            )
        except KeyboardInterrupt:
            self.stopped = "interrupt"
            raise StoppedError from None
        self._counts.append(count)
        self.nodes += count.nodes
        self.seconds += count.seconds
        self.fixed += size * count.covers
        self._order += size
        if count.stopped is not None:
            self.stopped = count.stopped
            raise StoppedError

    def _progress(self, seen: Progress) -> object:
        doing = f"class {len(self._counts) + 1} of {self.classes}" + f", {seen.doing}" * bool(seen.doing)
        all_of_it = {"nodes": self.nodes + seen.nodes, "seconds": self.seconds + seen.seconds}
        if self._limits.progress is not None:
            return self._limits.progress(replace(seen, covers=0, doing=doing, **all_of_it))  # type: ignore[arg-type]
        return None

    def result(self) -> Count:
        """Returns the number of orbits; 0 if the search was stopped."""
        most = max(self._counts, key=lambda count: count.nodes, default=None)
        total, rest = divmod(self.fixed, self._order or 1)
        if rest and self.stopped is None:
            raise RuntimeError(f"{self.fixed} fixed covers over {self._order} elements: the mean is not an integer")
        return Count(
            covers=0 if self.stopped else total,
            kernel="" if most is None else most.kernel,
            merged=any(count.merged for count in self._counts),
            hits=sum(count.hits for count in self._counts),
            states=max((count.states for count in self._counts), default=0),
            memory=max((count.memory for count in self._counts), default=0),
            doubt="" if most is None else most.doubt,
            nodes=self.nodes,
            updates=sum(count.updates for count in self._counts),
            seconds=self.seconds,
            stopped=self.stopped,
        )


def quotient(problem: Problem, element: Permutation) -> Problem:
    """Returns a problem with one cover for each cover that `element`, a permutation of options, fixes.

    If multiplicities allow an orbit to cover an item twice, the orbit becomes two options: one has all of its items,
    the other has this item only. Two new items force a cover to have both options or neither: the first item is in
    the first option and in a third option, `neither`; the second item is in the second and the third option. Items
    that differ only in the names of their colours become one item.
    """
    if np.array_equal(element, np.arange(problem.n_options)):
        return problem
    orbit = np.unique(orbits([element], problem.n_options), return_inverse=True)[1].ravel()
    shades = np.zeros(len(problem.indices), dtype=np.int32) if problem.colours is None else problem.colours
    pair, which, times = np.unique(
        orbit[owners(problem.indptr)] * problem.n_items + problem.indices, return_inverse=True, return_counts=True
    )
    of, item = np.divmod(pair, problem.n_items)
    low, high = np.full(len(pair), shades.max(initial=0)), np.zeros(len(pair), dtype=np.int32)
    np.minimum.at(low, which.ravel(), shades)
    np.maximum.at(high, which.ravel(), shades)
    bounds = ranges(problem.n_items, problem.n_primary, problem.multiplicities)
    whole = np.ones(int(orbit.max()) + 1, dtype=np.bool_)  # whether a cover can have all options of an orbit
    whole[of[(times > bounds[item, 1]) & ((low == 0) | (low < high))]] = False
    if problem.roles is not None:
        whole[orbit[problem.roles == LEFT_OUT]] = False
    alike = {row: i for i, row in reversed([*enumerate(signatures(problem, orbit, whole[orbit]))])}
    kept = np.zeros(problem.n_items, dtype=np.bool_)
    kept[[*alike.values()]] = True
    options: dict[tuple[int, int], list[Hashable]] = {}
    facts = np.stack([of, item, times, high])[:, whole[of] & kept[item]]
    for o, i, most, shade in facts.T.tolist():
        for copy in range(most if i < problem.n_primary else 1):
            options.setdefault((o, copy), []).append(Coloured(i, shade) if shade else i)
    names = [*range(problem.n_items, problem.n_items + 2 * sum(copy > 0 for _, copy in options))]
    neither = [*zip(names[::2], names[1::2], strict=True)]
    for (o, copy), (second, first) in zip([key for key in options if key[1]], neither, strict=True):
        options[o, copy].append(second)
        options[o, copy - 1].append(first)
    primary = np.flatnonzero(kept[: problem.n_primary]).tolist()
    secondary = (problem.n_primary + np.flatnonzero(kept[problem.n_primary :])).tolist()
    forced = {*primary, *names}  # options without any of these items are in no cover
    options = {key: some for key, some in options.items() if not forced.isdisjoint(some)}
    made = Problem.from_options(
        [*options.values(), *neither],
        items=[*primary, *names, *secondary],
        secondary=secondary,
        multiplicities=None if problem.multiplicities is None else {i: tuple(bounds[i].tolist()) for i in primary},
    )
    chosen = set() if problem.roles is None else {*orbit[problem.roles == CHOSEN].tolist()}
    return made.with_chosen(k for k, (o, copy) in enumerate(options) if o in chosen and not copy)
