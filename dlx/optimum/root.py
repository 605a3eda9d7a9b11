"""The root of a search for the best covers: its matrix, its kernel, and how its prices become better.

Each step lowers the bound and drops options that have too much slack by it:

* `anneal`: sweeps at falling temperatures (`sweeping.py`).
* `relax`: the linear program, which gives the best prices, and masses at a vertex (`linear_program.py`).
* `add_cuts`: inequalities that this vertex violates (`cuts.py`), each a secondary item with a price of its own.

The matrix also has a secondary item for each option that nothing else keeps from being chosen twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Loop
from dlx.optimum.alike import Merged
from dlx.optimum.cuts import Cut, Separation
from dlx.optimum.linear_program import LinearProgram
from dlx.optimum.matrix import Matrix, mean_size, with_ranges, with_secondary
from dlx.optimum.parameters import TUNED
from dlx.optimum.sharing import OpenNode
from dlx.optimum.sweeping import anneal
from dlx.optimum.units import Units
from dlx.problem.problem import Problem

FIRST_TEMPERATURE = 3  # the first temperature of sweeps after cuts, by the slack for each open item
PROGRAM_LEVELS = 40  # levels of the tree of pairs that have linear programs, at most
PROGRAM_BYTES = 1 << 29  # memory for these
PROGRAM_ROWS = 1_000  # items in these, at most: a pivot takes the square of their number


class Root:
    """The root of a search: a kernel with valid dual values, which are not yet good.

    If it is `merging`, options alike are one option, and `apart` tells them apart again.
    """

    def __init__(
        self, problem: Problem, units: Units, room: int, seed: int, loop: Loop, *, merging: bool = False
    ) -> None:
        # Without multiplicities, the search has left out all but one of options alike. With colours, options are not
        # merged: cliques of colours have options that are chosen once.
        merging = merging and problem.multiplicities is not None and problem.colours is None
        self._merged = Merged(problem, units.exact) if merging else None
        rows, times = (problem.rows(), None) if self._merged is None else (self._merged.rows, self._merged.times)
        self.matrix = Matrix(*with_ranges(rows, times), units.weights)
        added = self.matrix.rows.indices >= problem.rows().n_items
        self._alone = self.matrix.rows.owner[added]  # the options of items added to `rows()`, in order
        self._mean_size = mean_size(problem.rows())
        self.lp = LinearProgram(self._mean_size, seed, loop)
        self.separation = Separation(self.matrix, self._mean_size <= 2, loop.over)
        self._units, self._seed, self._loop = units, seed, loop
        self._buffer = np.empty((room, max(problem.n_primary + 1, problem.max_level)), dtype=np.int32)
        self.kernel: Any = self.new_kernel()

    def new_kernel(self) -> Any:
        """Returns another kernel of this matrix, at its root, which writes to the same buffer."""
        return self.matrix.kernel(self._buffer, self._seed)

    def open_node(self) -> OpenNode:
        """Returns the root as a node for workers."""
        node = self.kernel.node
        chosen = np.array(node.path(), dtype=np.int32)
        return OpenNode(1.0, node.upper_bound, chosen, node.options_left(), node.prices())

    def restart(self, seed: int) -> None:
        """Goes back to the root with its best prices, to search from there in another order."""
        self.kernel.restart(seed)
        self.kernel.node.restore_best()

    def valid_prices(self) -> npt.NDArray[np.int64]:
        """Returns the prices found so far, raised so that no option has a negative slack, dropped ones too."""
        kernel = self.new_kernel()
        kernel.node.start_from_prices(self.kernel.node.prices())
        prices: npt.NDArray[np.int64] = kernel.node.prices()
        return prices

    @property
    def added(self) -> tuple[Cut, ...]:
        """The secondary items added to the problem, in order."""
        times = [1] * self.matrix.rows.n_options if self._merged is None else self._merged.times.tolist()
        return (*(Cut((o,), 0, times[o]) for o in self._alone.tolist()), *self.separation.cuts)

    def apart(self, options: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Returns the options of a cover, increasing, as the problem has them."""
        return np.sort(options) if self._merged is None else self._merged.apart(options)

    def anneal(self, sweeps: int, rounds: int, hottest: float | None = None, power: float = 1.0) -> bool:
        """Runs `sweeps` sweeps at each of `rounds` falling temperatures; returns False at a limit."""
        kernel, hottest = self.kernel, self._units.hottest if hottest is None else hottest
        return anneal(kernel.node, sweeps, rounds, hottest, self._loop.over, power, lambda: self._loop.report(kernel))

    def add_cuts(self) -> bool:
        """Adds cuts that the vertex of the linear program violates, and finds better prices; False if it finds none."""
        if self.lp.vertex is None:
            return False
        cuts = self.separation.violated(self.kernel.node, self.matrix)
        if cuts:
            self.lp.vertex = None
            self._add(cuts)
            if not self.relax(TUNED.cut_sweeps * TUNED.cut_rounds):
                self.anneal(TUNED.cut_sweeps, TUNED.cut_rounds, FIRST_TEMPERATURE * self.kernel.node.slack_per_item())
        return bool(cuts)

    def relax(self, sweeps: int = 0) -> bool:
        """Finds prices and masses at an optimum of the linear program; False if that takes too long."""
        return self.lp.solve(self.kernel, self.matrix, sweeps)

    def centre(self, sweeps: int = 0) -> None:
        """Finds prices at the centre of the best ones, if the linear program has found some at a vertex."""
        self.lp.centre(self.kernel.node, self.matrix, sweeps)

    @property
    def programs(self) -> int:
        """The levels of a tree of pairs that may have linear programs; 0 if these are too large."""
        rows = max(1, int(np.count_nonzero(~self.matrix.rows.takes_colours)))
        most = min(PROGRAM_LEVELS, PROGRAM_BYTES // (8 * rows * rows))
        return most if rows <= PROGRAM_ROWS else 0

    def kernel_of_pairs(self) -> Any:
        """Returns a new kernel at this root, which solves linear programs at nodes and branches on pairs.

        Nodes have linear programs down to the deepest level that fits in memory.
        """
        old, new = self.kernel, self.new_kernel()
        new.configure(*old.settings()[:-1], self.programs)
        new.target = old.target
        new.start_at(*self.open_node()[2:])
        if self.lp.vertex is not None:
            new.node.masses()[:] = self.lp.vertex
        return new

    def _add(self, cuts: list[Cut]) -> None:
        """Adds a secondary item for each cut, at no price."""
        options = np.array([o for cut in cuts for o in cut.options], dtype=np.int64)
        rows, ranges, weights = self.matrix
        rows = with_secondary(rows, options, np.array([len(cut.options) for cut in cuts], dtype=np.int64))
        if ranges is None and any(cut.items for cut in cuts):
            ranges = self.matrix.bounds
        if ranges is not None:
            ranges = np.append(ranges, np.array([cut[1:3] for cut in cuts], np.int32).reshape(-1, 2), axis=0)
        self.matrix = Matrix(rows, ranges, weights)
        self.separation.cuts += cuts
        self.kernel.add_items(rows, ranges)
        self.kernel.restart(self._seed)

    def begin_again(self) -> None:
        """Goes back to where all options live and none is chosen, with the items added and the prices found."""
        old, self.kernel = self.kernel, self.new_kernel()
        self.kernel.node.start_from_prices(old.node.prices())
        self.kernel.configure(*old.settings())
        old.release_memory()
