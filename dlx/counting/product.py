"""Counts a problem that falls into components as the product of their counts, with a portfolio for each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from dlx.counting.layers import Layered
from dlx.counting.portfolio import Portfolio
from dlx.counting.tally import Tallied, Tally
from dlx.engine.dispatch import build
from dlx.engine.limits import Over
from dlx.kernels import BUDGET_SPENT, EXHAUSTED
from dlx.problem.parts import part_of
from dlx.problem.problem import Problem
from dlx.problem.roles import Rows

ROUND = 20_000  # nodes of a component's first turn
PARTS = 64  # with more components, the problem is counted as a whole, since layers also multiply


class Product(Tallied):
    """The components of a problem, counted in turns; a component without covers ends the count.

    Parameters:
        found: covers of the whole problem found before.
    """

    def __init__(self, parts: Sequence[Problem], memory: int, over: Over, found: int) -> None:
        self._memory, self._found = memory, found
        self._parts = [Portfolio(part, build(part), partial(Layered, part, over=over), memory) for part in parts]
        self._open = [*self._parts]
        self._turn = self._parts[0], 0  # the current component, and the nodes at which its turn ends

    @property
    def nodes(self) -> int:
        """The options tried in all parts."""
        return sum(part.nodes for part in self._parts)

    @property
    def updates(self) -> int:
        """The steps in all parts."""
        return sum(part.updates for part in self._parts)

    def tally(self) -> Tally:
        """Returns the product of all covers (at least `found`), and the sums of the other numbers."""
        tallies = [part.tally() for part in self._parts]
        return Tally(
            name=max(tallies, key=attrgetter("nodes")).name,
            nodes=self.nodes,
            updates=self.updates,
            covers=max(self._found, prod(tally.covers for tally in tallies)),
            hits=sum(tally.hits for tally in tallies),
            states=sum(tally.states for tally in tallies),
            bytes=sum(tally.bytes for tally in tallies),
            merged=True,
        )

    def fraction(self) -> float:
        """Returns the mean of the components' fractions."""
        return sum(part.fraction() for part in self._parts) / len(self._parts)

    def close(self) -> None:
        """Closes the files of waiting states."""
        for part in self._parts:
            part.close()

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Continues the open component with the fewest nodes, until its nodes have doubled."""
        part, last = self._turn
        if part not in self._open or part.nodes >= last:
            part = min(self._open, key=attrgetter("nodes"))
            last = max(ROUND, 2 * part.nodes)
            self._turn = part, last
            part.memory = self._memory // len(self._open)
        state = part.run(min(nodes, last - part.nodes), updates, covers)
        if state != EXHAUSTED or part.covers == 0:
            return state
        self._open.remove(part)
        return BUDGET_SPENT if self._open else EXHAUSTED


def parts(rows: Rows) -> list[Problem]:
    """Returns the connected components of the items, joined by options; [] if there are more than PARTS."""
    label = _components(rows)
    first = np.unique(label[: rows.n_primary])
    if len(first) > PARTS:
        return []
    return [part_of(rows, label == k)[0] for k in first]


def _components(rows: Rows) -> npt.NDArray[np.int64]:
    """Returns for each item the least item of its component."""
    label = np.arange(rows.n_items)
    while True:
        before = label.copy()
        least = np.full(rows.n_options, rows.n_items)
        np.minimum.at(least, rows.owner, label[rows.indices])
        np.minimum.at(label, rows.indices, least[rows.owner])
        label = label[label]
        if np.array_equal(label, before):
            return label
