"""The linear program of a search's root, by whichever method is faster: the simplex method or an interior point.

The simplex method (`dlx.kernels.price.lp.simplex`) is faster if there are few items; it begins with the basis of the
last optimum. The interior point (`dlx.optimum.linear`) takes about as long whatever the prices are. Each may take a
part of the work of the search, or as long as the sweeps in whose place it comes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import random_generator
from dlx.engine.limits import Loop
from dlx.optimum.linear import COLUMN, LEAST, Program, remaining_ranges
from dlx.optimum.matrix import Matrix
from dlx.optimum.parameters import TUNED

FEWER = 0.8  # the linear program is solved again when no more than this part of the options is left
SOLVING = 0.25  # the part of the work of the search that the linear program may take, at least
WHOLE = 1e-3  # masses that differ less from whole numbers are at a vertex


class Relaxation:
    """The linear program of the live options of a root.

    `mean_size` is the mean number of items of an option, and `seed` draws a vertex. `vertex` has masses at an optimum;
    it is None before the first one, and after rows have been added.
    """

    def __init__(self, mean_size: float, seed: int, loop: Loop) -> None:
        self.vertex: npt.NDArray[np.float64] | None = None
        self._mean_size, self._seed, self._loop = mean_size, seed, loop
        self._solved_for = 0  # options at the last optimum
        self._dearest = 0.0  # updates in the time of an interior-point method for these options
        self._is_vertex_priced = False  # whether the prices come from the simplex method (a vertex)
        self._spent = 0.0  # updates that linear programs have taken the time of so far

    def solve(self, kernel: Any, matrix: Matrix, sweeps: int = 0) -> bool:
        """Gives the kernel prices and masses at an optimum; False if that takes longer than this number of sweeps."""
        node = kernel.node
        if self.vertex is not None and len(node.options_left()) > FEWER * self._solved_for:
            node.masses()[:] = self.vertex  # where a dive or sweeps have left others since
            return True
        self.vertex = None
        most, inside = self._most(node, matrix, sweeps), self._work_inside(node)
        self._is_vertex_priced = self._pivot(kernel, min(most, inside))
        return self._is_vertex_priced or (inside <= most and self._go_inside(node, matrix, most))

    def centre(self, node: Any, matrix: Matrix, sweeps: int = 0) -> None:
        """Finds prices at the centre of the best ones, where the simplex method has found some at a vertex.

        Slacks tell more there of what is in good covers: five seeds of sppaa04 took 2.6 billion updates instead of 3.7.
        """
        most, vertex = self._most(node, matrix, sweeps), self.vertex
        if self._is_vertex_priced and vertex is not None and self._work_inside(node) <= most:
            self._is_vertex_priced = not self._go_inside(node, matrix, most, settling=True)
            self.vertex = vertex
            node.masses()[:] = vertex

    def _most(self, node: Any, matrix: Matrix, sweeps: int) -> float:
        """Returns the updates that a linear program may take now."""
        live = len(node.options_left())
        swept: float = sweeps * live * node.entries / matrix.rows.n_options
        return max(SOLVING * self._loop.updates - self._spent, swept)

    def _work_inside(self, node: Any) -> float:
        """Returns the updates in the time of an interior-point method, at least."""
        return LEAST + len(node.options_left()) * (COLUMN + 20 * self._mean_size**2)

    def _pivot(self, kernel: Any, most: float) -> bool:
        """Solves the program by the simplex method, with twice as many updates where options are pairs."""
        node = kernel.node
        work = kernel.lp.optimizing(node)
        if work > most * (2 if self._mean_size <= 2 else 1) or not node.heat(node.slack_per_item()):
            return False
        before, live = node.updates, node.options_left()
        done: bool = kernel.lp.optimize(node, TUNED.pivots * work, self._loop.over)
        self._spent += node.updates - before
        if done:
            self._solved_for, self.vertex = len(live), np.zeros(len(node.masses()))
            self.vertex[live] = node.masses()[live]
        node.restore_best()
        return done

    def _go_inside(self, node: Any, matrix: Matrix, most: float, *, settling: bool = False) -> bool:
        """Solves the program by an interior point; if `settling`, the kernel takes its prices for the best ones."""
        live = len(node.options_left())
        if (self._dearest > most and live > FEWER * self._solved_for) or not node.heat(node.slack_per_item()):
            return False
        found = self._inside(node, matrix, most)
        if found is not None:
            prices, self.vertex = found
            node.set_prices(prices, self.vertex.copy())
            if settling:
                node.accept_prices()
        node.restore_best()
        return found is not None

    def _inside(
        self, node: Any, matrix: Matrix, most: float
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]] | None:
        """Returns prices at the centre and masses at a vertex; None if that takes too long."""
        rows, weights, live = matrix.rows, matrix.weights.astype(np.float64), node.options_left()
        ranges = remaining_ranges(rows, matrix.bounds, node.path())
        program = Program(rows, ranges, live, self._loop.over)
        self._solved_for, self._dearest = len(live), program.work(most)
        if self._dearest > most:
            return None
        self._spent += self._dearest
        optimum = program.solve(weights)
        if optimum is None:
            return None
        vertex = None
        if np.abs(optimum.mass - np.rint(optimum.mass)).max() > WHOLE:
            draw = random_generator(self._seed).random(rows.n_options)
            vertex = program.face(weights, optimum).solve(draw)
        return optimum.whole_prices(), optimum.mass if vertex is None else vertex.mass
