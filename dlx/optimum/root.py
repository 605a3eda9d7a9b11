"""The root of a search for the best covers: its matrix, its kernel, and the steps that improve its prices.

Each step lowers the bound, and drops options that have too much slack for the new bound:

* `anneal`: sweeps at falling temperatures (`sweeping.py`).
* `relax`: the linear program, which gives the best prices, and masses at a vertex (`linear_program.py`). If the masses
  are a cover, it is a new incumbent.
* `add_cuts`: inequalities that this vertex violates (`cuts.py`), each a secondary item with a price of its own.

The matrix also has a secondary item for each option that could otherwise be chosen twice.
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
from dlx.optimum.sharing import RAISING, OpenNode
from dlx.optimum.sweeping import anneal
from dlx.optimum.units import Incumbents
from dlx.problem.problem import Problem

EARLY = 400  # time limit of the first linear program if options are pairs of items, in sweeps
EARLY_SWEEPS = 2  # sweeps at each temperature before the first linear program
EARLY_ROUNDS = 4  # temperatures before the first linear program
# More cuts are added if the last ones closed this fraction of the gap; if options are pairs, any fraction is enough.
ADDING_GAIN = 0.003
PRICE_BYTES = 1 << 28  # memory for the prices of the nodes on a path
FIRST_TEMPERATURE = 3  # first temperature of sweeps after cuts, divided by the allowed slack for each open item
PROGRAM_LEVELS = 40  # maximum levels with linear programs in the tree of pairs
PROGRAM_BYTES = 1 << 29  # memory for these linear programs
PROGRAM_ROWS = 1_000  # maximum items in these linear programs; the time of a pivot is quadratic in the items


class Root:
    """The root of a search: a kernel with valid dual values, which are not yet good.

    If one cover is enough, equal options are merged, and `expand` returns the options of the problem.

    Parameters:
        incumbents: the covers so far, which set the target; the linear program may find others.
    """

    def __init__(self, problem: Problem, incumbents: Incumbents, loop: Loop, seed: int) -> None:
        units, is_one = incumbents.units, incumbents.k == 1
        # Without multiplicities, the search has already omitted all but one of equal options. With colours, options are
        # not merged, since cliques of colours have options that are chosen once.
        merging = is_one and problem.multiplicities is not None and problem.colours is None
        self._merged = Merged(problem, units.exact, merging)
        self.matrix = Matrix(*with_ranges(self._merged.rows, self._merged.times), units.weights)
        added = self.matrix.rows.indices >= problem.rows().n_items
        self._alone = self.matrix.rows.owner[added]  # the options with an item added to `rows()`, in order
        size = mean_size(problem.rows())
        self._has_pairs = size <= 2
        self.lp = LinearProgram(size, seed, loop)
        self.separation = Separation(self.matrix, self._has_pairs, loop.over)
        self._problem, self._incumbents, self._loop, self._seed = problem, incumbents, loop, seed
        # With exact scores the kernel raises the target itself, and need not return to Python for each cover.
        increment = units.increment if is_one and units.is_exact else 0
        self._buffer = np.empty(
            (RAISING if increment else 1, max(problem.n_primary + 1, problem.max_level)), dtype=np.int32
        )
        self.kernel: Any = self.new_kernel()
        self.kernel.target, self.kernel.increment = incumbents.target, increment

    def new_kernel(self) -> Any:
        """Returns another kernel of this matrix, at its root, which writes to the same buffer."""
        return self.matrix.kernel(self._buffer, self._seed)

    @property
    def is_done(self) -> bool:
        """Whether no better cover remains."""
        return bool(self.kernel.node.upper_bound < self.kernel.target)

    def open_node(self) -> OpenNode:
        """Returns the root as a node for workers."""
        node = self.kernel.node
        chosen = np.array(node.path(), dtype=np.int32)
        return OpenNode(1.0, node.upper_bound, chosen, node.options_left(), node.prices())

    def restart(self, seed: int) -> None:
        """Returns to the root with its best prices, and changes the order of the search."""
        self.kernel.restart(seed)
        self.kernel.node.restore_best()

    def kernel_of_all_options(self) -> Any:
        """Returns a new kernel with all options live and the current prices, raised until no slack is negative."""
        kernel = self.new_kernel()
        kernel.node.start_from_prices(self.kernel.node.prices())
        return kernel

    @property
    def added(self) -> tuple[Cut, ...]:
        """The secondary items added to the problem, in order."""
        times = self._merged.times.tolist()
        return (*(Cut((o,), 0, times[o]) for o in self._alone.tolist()), *self.separation.cuts)

    def expand(self, options: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Returns a cover in the option numbers of the problem, in increasing order."""
        return self._merged.expand(options)

    def anneal(self, sweeps: int, rounds: int, hottest: float | None = None, power: float = 1.0) -> bool:
        """Runs `sweeps` sweeps at each of `rounds` falling temperatures; returns False at a limit."""
        kernel, hottest = self.kernel, self._incumbents.units.hottest if hottest is None else hottest
        return anneal(kernel.node, sweeps, rounds, hottest, self._loop.over, power, lambda: self._loop.report(kernel))

    def find_first_prices(self) -> None:
        """Finds the first prices; if options are pairs, by the linear program and cuts, unless that takes too long."""
        if not (self._has_pairs and self.anneal(EARLY_SWEEPS, EARLY_ROUNDS) and self.relax(EARLY)):
            self.anneal(TUNED.sweeps, TUNED.rounds)
            return
        self._try_vertex()
        if not self._is_over():
            self.add_cuts()

    def improve_prices(self, stage: int) -> None:
        """Finds better prices and cuts; at the first call, gives each level of the tree its own prices."""
        if stage == 1:  # most searches have ended before this
            levels = min(self._incumbents.units.max_level + 2, PRICE_BYTES // (8 * self._problem.n_items))
            self.kernel.node.give_levels_prices(max(1, levels))
        if not self.relax():
            sweeps = min(TUNED.sweeps * 2**stage, TUNED.root_sweeps)
            power = TUNED.relaxed if stage % 2 else 1.0
            self.anneal(sweeps, TUNED.rounds + min(stage, TUNED.colder), power=power)
        if self._loop.over():
            return
        self.relax()
        self.add_cuts()
        self._try_vertex()
        if not self._is_over():
            self.centre()

    def add_cuts(self) -> None:
        """Adds cuts that the vertex of the linear program violates, while they close the gap."""
        gain = 0.0 if self._has_pairs else ADDING_GAIN
        while self.lp.vertex is not None:
            slack = self.kernel.node.slack_per_item()
            cuts = self.separation.violated(self.kernel.node, self.matrix)
            if not cuts:
                return
            self.lp.vertex = None
            self._add(cuts)
            if not self.relax(TUNED.cut_sweeps * TUNED.cut_rounds):
                self.anneal(TUNED.cut_sweeps, TUNED.cut_rounds, FIRST_TEMPERATURE * self.kernel.node.slack_per_item())
            if self._loop.over():
                return
            self._try_vertex()
            if self._is_over() or self.kernel.node.slack_per_item() >= (1 - gain) * slack:
                return

    def _is_over(self) -> bool:
        """Returns whether no better cover remains, or a limit has been reached."""
        return self.is_done or self._loop.over()

    def _try_vertex(self) -> None:
        """Offers the solution of the linear program as an incumbent, if it is a cover."""
        if self.lp.vertex is not None:
            self.kernel.find_integral_cover()
            if self._incumbents.take(self.kernel, self.expand):
                self.kernel.target = self._incumbents.target

    def relax(self, sweeps: int = 0) -> bool:
        """Finds prices and masses at an optimum of the linear program; False if that takes too long."""
        return self.lp.solve(self.kernel, self.matrix, sweeps)

    def centre(self, sweeps: int = 0) -> None:
        """Moves prices from a vertex of the optimal prices to their centre."""
        self.lp.centre(self.kernel.node, self.matrix, sweeps)

    @property
    def programs(self) -> int:
        """The number of upper levels of a tree of pairs whose nodes have linear programs; 0 if these are too large."""
        rows = max(1, int(np.count_nonzero(~self.matrix.rows.takes_colours)))
        most = min(PROGRAM_LEVELS, PROGRAM_BYTES // (8 * rows * rows))
        return most if rows <= PROGRAM_ROWS else 0

    def kernel_of_pairs(self) -> Any:
        """Returns a new kernel at this root, which solves linear programs at nodes and branches on pairs.

        Nodes have linear programs down to the deepest level that fits in memory.
        """
        old, new = self.kernel, self.new_kernel()
        new.configure(*old.settings()[:-1], self.programs)
        new.start_at(*self.open_node()[2:])
        if self.lp.vertex is not None:
            new.node.masses()[:] = self.lp.vertex
        return new

    def _add(self, cuts: list[Cut]) -> None:
        """Adds a secondary item for each cut, with price 0."""
        options = np.array([o for cut in cuts for o in cut.options], dtype=np.int64)
        rows, ranges, weights = self.matrix
        rows = with_secondary(rows, options, np.array([len(cut.options) for cut in cuts], dtype=np.int64))
        ranges = np.append(ranges, np.array([cut[1:3] for cut in cuts], np.int32), axis=0)
        self.matrix = Matrix(rows, ranges, weights)
        self.separation.cuts += cuts
        self.kernel.add_items(rows, ranges)
        self.kernel.restart(self._seed)

    def begin_again(self) -> None:
        """Returns to the state with all options live and none chosen; keeps the added items and the prices."""
        old, self.kernel = self.kernel, self.kernel_of_all_options()
        self.kernel.configure(*old.settings())
        old.release_memory()
