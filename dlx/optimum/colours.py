"""Cliques of colours: options that give an item different colours clash, which no price of the item can tell.

An item with colours costs nothing, since options that agree on its colour share it. But of the options that give it one
colour and have a primary item in common, a cover has one at most. Such a *group*, together with a group of each other
colour, is a clique, and becomes one more secondary item. For sites that are open or closed, these are the rows of the
strong formulation of facility location: a customer takes no more from a site than there is open of it (D. Erlenkotter,
doi:10.1287/opre.26.6.992).

An item can have shares of its colours, 1 in all, each as large as the mass of any group, if and only if the heaviest
groups of the colours come to no more than 1. Where they come to more, that is a clique, so nothing violated is missed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.optimum.cuts import Cut
from dlx.optimum.matrix import Matrix
from dlx.optimum.parameters import TUNED
from dlx.problem.roles import Rows

COMMON = 8  # primary items of an option by which options of one colour are grouped, at most

Whole = npt.NDArray[np.integer[Any]]
Real = npt.NDArray[np.float64]


class Palette(NamedTuple):
    """The groups of options that give an item one colour; those that give it none are one group.

    Attributes:
        option, begin: the options of group g are option[begin[g] : begin[g + 1]].
        shade: for each group its shade, a colour of an item; they increase.
        item: for each shade its item; they increase.
    """

    option: Whole
    begin: Whole
    shade: Whole
    item: Whole

    @classmethod
    def of(cls, matrix: Matrix) -> Palette:
        """Returns the palette of rows with colours; an option without an item to be covered once is a group alone."""
        rows = matrix.rows
        assert rows.colours is not None
        once = (np.arange(rows.n_items) < rows.n_primary) & (matrix.bounds[:, 1] == 1)
        entry, shared = _shared(rows, rows.colours, once, np.flatnonzero(rows.takes_colours[rows.indices]))
        option, item, colour = rows.owner[entry], rows.indices[entry], rows.colours[entry]
        order = np.lexsort((option, shared, colour, item))
        option, item, colour, shared = option[order], item[order], colour[order], shared[order]
        begins_shade = np.append(True, (np.diff(item) != 0) | (np.diff(colour) != 0))
        begin = np.flatnonzero(begins_shade | np.append(True, np.diff(shared) != 0))
        shade = np.cumsum(begins_shade)[begin] - 1
        return cls(option, np.append(begin, len(option)), shade, item[begins_shade])

    def violated(self, mass: Real) -> list[Cut]:
        """Returns the cliques that the masses of the options violate, each once."""
        masses = np.add.reduceat(mass[self.option], self.begin[:-1])
        by_mass = np.lexsort((masses, self.shade))
        heaviest = by_mass[np.flatnonzero(np.append(np.diff(self.shade[by_mass]), 1))]  # the group of each shade
        first = np.append(True, np.diff(self.item) != 0)  # whether it is the first shade of its item
        repeats = (heaviest[self.shade] == np.arange(len(masses))) & ~first[self.shade]  # groups with the same clique
        # The mass of each group plus the heaviest group of each other shade of its item
        total = masses + np.bincount(self.item, masses[heaviest])[self.item[self.shade]] - masses[heaviest[self.shade]]
        over = np.where(repeats, 0.0, total - 1.0)
        return list(dict.fromkeys(self._cut(heaviest, g) for g in np.flatnonzero(over > TUNED.violation).tolist()))

    def _cut(self, heaviest: Whole, group: int) -> Cut:
        shade = self.shade[group]
        first, end = np.searchsorted(self.item, [self.item[shade], self.item[shade] + 1]).tolist()
        groups = [group, *(heaviest[s] for s in range(first, end) if s != shade)]
        return Cut(tuple(sorted(o for g in groups for o in self.option[self.begin[g] : self.begin[g + 1]].tolist())))


def _shared(rows: Rows, colours: Whole, once: npt.NDArray[np.bool_], entry: Whole) -> tuple[Whole, Whole]:
    """Returns entries, each once for every group that it is in, and what the options of each group have in common.

    That is a primary item that is covered `once`; a number beyond all items, if the option has none; -1 without a
    colour.
    """
    some = np.flatnonzero(once[rows.indices])
    alone = np.setdiff1d(np.arange(rows.n_options), rows.owner[some])
    owner = np.append(rows.owner[some], alone)
    common = np.append(rows.indices[some], rows.n_items + alone)[owner.argsort(kind="stable")]
    number = np.bincount(owner, minlength=rows.n_options)
    begin = np.cumsum(number) - number  # the position in `common` of the first item of each option
    times = np.where(colours[entry] > 0, np.minimum(number, COMMON)[rows.owner[entry]], 1)
    turn = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    entry = np.repeat(entry, times)
    return entry, np.where(colours[entry] > 0, common[begin[rows.owner[entry]] + turn], -1)
