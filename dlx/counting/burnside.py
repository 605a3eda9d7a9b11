"""The number of kinds of covers up to a group, by counts alone: no kind is listed.

It is the mean, over the elements of the group, of the covers that an element leaves as they are (the lemma of Cauchy,
Frobenius and Burnside: W. Burnside, Theory of Groups of Finite Order, 1897, section 118). These are the covers of a
*quotient*: its options are the orbits of options under the element, as far as one cover can have all of an orbit, and
its items those that differ in the orbits they are in.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import replace
from math import inf, prod
from typing import Unpack

import numpy as np

from dlx.engine.limits import SLICE, Count, Limiting, Limits, Loop, Progress, Stop, StoppedError
from dlx.kernels import BUDGET_SPENT
from dlx.problem.checks import UNLIMITED
from dlx.problem.problem import Coloured, Problem, as_problem
from dlx.problem.roles import CHOSEN, LEFT_OUT, owners, ranges
from dlx.symmetry.conjugacy import Group, combined, conjugacy_classes, signatures
from dlx.symmetry.groups import Permutation, orbits


def kinds(problem: Problem, up_to: Group, counted: Callable[..., Count], **limits: Unpack[Limiting]) -> Count:
    """Returns the number of kinds, as the covers of a count; all counts together keep the limits."""
    given = Limits.of(**limits)
    if given.max_covers < UNLIMITED:
        raise ValueError(f"max_covers is {given.max_covers}; kinds are not found one by one, so it cannot be given")
    mean = _Mean(given, counted)
    search = _Classes()
    with Loop(replace(given, max_nodes=UNLIMITED)) as loop, suppress(StoppedError):

        def over() -> bool:
            if loop.seconds > SLICE:
                loop.join(search)
                loop.report(search)
            return loop.over()

        factors = conjugacy_classes(as_problem(problem), up_to, over, search.note)
        mean.classes = prod(map(len, factors))
    mean.seconds, mean.stopped = loop.seconds, loop.stopped
    if loop.stopped is None:
        with suppress(StoppedError):
            for size, element in combined(factors, problem.n_options):
                mean.add(size, quotient(problem, element))
    return mean.result()


class _Classes:
    """The search for conjugacy classes, as `progress` is told of it."""

    nodes = updates = covers = 0

    def __init__(self) -> None:
        self.doing = "conjugacy classes"

    def note(self, classes: int, part: float) -> None:
        """Takes the number of classes so far, and the part of the elements that is in them."""
        self.doing = f"{classes} conjugacy classes, with {part:.2%} of the symmetries"

    def fraction(self) -> float:
        """Returns 0: nothing has been counted."""
        return 0.0

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Does nothing: the search is no kernel."""
        return BUDGET_SPENT


class _Mean:
    """The mean of some counts, as far as they have come."""

    def __init__(self, limits: Limits, counted: Callable[..., Count]) -> None:
        self._limits, self._counted = limits, counted
        self._counts: list[Count] = []
        self._sum, self._order = 0, 0
        self.classes, self.nodes, self.seconds = 0, 0, 0.0
        self.stopped: Stop | None = None

    def add(self, size: int, problem: Problem) -> None:
        """Counts the covers that so many elements leave as they are; raises StoppedError."""
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
        self._sum += size * count.covers
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
        """Returns the number of kinds; 0 before the end."""
        most = max(self._counts, key=lambda count: count.nodes, default=None)
        total, rest = divmod(self._sum, self._order or 1)
        if rest and self.stopped is None:
            raise RuntimeError(f"{self._sum} fixed covers of {self._order} elements: the mean is no whole number")
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
    """Returns a problem with a cover for each cover of a problem that a symmetry, a permutation of options, keeps.

    An orbit that has an item twice, where that may be, is two options: one with all of its items, one with this item.
    One more item is in the second and in an option for neither, one in the first and in that: so both are there or no
    one. (A colour is only compared within its item, so items alike but for the names of colours are one.)
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
    often = ranges(problem.n_items, problem.n_primary, problem.multiplicities)
    whole = np.ones(int(orbit.max()) + 1, dtype=np.bool_)  # orbits of which a cover can have all options
    whole[of[(times > often[item, 1]) & ((low == 0) | (low < high))]] = False
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
    forced = {*primary, *names}  # options without such an item are in no cover
    options = {key: some for key, some in options.items() if not forced.isdisjoint(some)}
    made = Problem.from_options(
        [*options.values(), *neither],
        items=[*primary, *names, *secondary],
        secondary=secondary,
        multiplicities=None if problem.multiplicities is None else {i: tuple(often[i].tolist()) for i in primary},
    )
    chosen = set() if problem.roles is None else {*orbit[problem.roles == CHOSEN].tolist()}
    return made.with_chosen(k for k, (o, copy) in enumerate(options) if o in chosen and not copy)
