"""The linear program of the root of a search: prices (dual values) and masses for the live options.

`solve` has two methods, and uses the method that is expected to be faster. The simplex method
(`dlx.kernels.price.lp.simplex`) is faster if there are few items. It starts from the basis of the last optimum, even
after cuts have added rows. The interior-point method (`dlx.optimum.interior_point`) takes about the same time for any
prices. Linear programs may take a fraction of the work of the search, or as much work as the sweeps that they replace.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import random_generator
from dlx.engine.limits import Loop
from dlx.optimum.interior_point import COLUMN_WORK, LEAST_WORK, InteriorProgram
from dlx.optimum.matrix import Matrix, remaining_ranges
from dlx.optimum.parameters import TUNED

FEWER = 0.8  # the linear program is solved again when at most this fraction of the options is live
SOLVING = 0.25  # linear programs may always take this fraction of the work
LARGEST_PRICE = 2.0**61  # the largest price for a kernel, in units
WHOLE = 1e-3  # masses closer than this to whole numbers are a vertex, without a second program


class LinearProgram:
    """The linear program of the live options of a root.

    Parameters:
        mean_size: the mean number of items of an option.
        seed: the random seed for the vertex.
        loop: the limits, and the work of the search.

    Attributes:
        vertex: the masses of the options at an optimal vertex, float64; None before the first optimum. The owner sets
            it to None when rows are added, which may exclude this vertex.
    """

    def __init__(self, mean_size: float, seed: int, loop: Loop) -> None:
        self.vertex: npt.NDArray[np.float64] | None = None
        self._mean_size, self._seed, self._loop = mean_size, seed, loop
        self._solved_for = 0  # options at the last optimum
        self._interior_work = 0.0  # time of the interior-point method for these options, in updates
        self._has_vertex_prices = False  # whether the prices come from the simplex method
        self._spent = 0.0  # time of all linear programs so far, in updates

    def solve(self, kernel: Any, matrix: Matrix, sweeps: int = 0) -> bool:
        """Sets prices and masses of the kernel to an optimum; False if that takes longer than `sweeps` sweeps."""
        node = kernel.node
        if self.vertex is not None and len(node.options_left()) > FEWER * self._solved_for:
            node.masses()[:] = self.vertex  # a dive or sweeps may have changed the masses
            return True
        self.vertex = None
        most, interior = self._most_work(node, matrix, sweeps), self._least_interior_work(node)
        self._has_vertex_prices = self._solve_by_simplex(kernel, min(most, interior))
        return self._has_vertex_prices or (interior <= most and self._solve_by_interior_point(node, matrix, most))

    def centre(self, node: Any, matrix: Matrix, sweeps: int = 0) -> None:
        """Replaces the prices of the simplex method, at a vertex, by prices at the centre of all optimal prices.

        At the centre, slacks show better which options are in good covers: five seeds of sppaa04 took 2.6 billion
        updates instead of 3.7 billion.
        """
        most, vertex = self._most_work(node, matrix, sweeps), self.vertex
        if self._has_vertex_prices and vertex is not None and self._least_interior_work(node) <= most:
            self._has_vertex_prices = not self._solve_by_interior_point(node, matrix, most, replaces_best=True)
            self.vertex = vertex
            node.masses()[:] = vertex

    def _most_work(self, node: Any, matrix: Matrix, sweeps: int) -> float:
        """Returns the updates that a linear program may take now."""
        live = len(node.options_left())
        swept: float = sweeps * live * node.entries / matrix.rows.n_options
        return max(SOLVING * self._loop.updates - self._spent, swept)

    def _least_interior_work(self, node: Any) -> float:
        """Returns a lower bound on the time of the interior-point method, in updates."""
        return LEAST_WORK + len(node.options_left()) * (COLUMN_WORK + 20 * self._mean_size**2)

    def _solve_by_simplex(self, kernel: Any, most: float) -> bool:
        """Solves the program by the simplex method; if options are pairs, twice the updates are allowed."""
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

    def _solve_by_interior_point(self, node: Any, matrix: Matrix, most: float, *, replaces_best: bool = False) -> bool:
        """Solves the program by the interior-point method: prices at the centre of the optima, masses at a vertex."""
        live = node.options_left()
        if self._interior_work > most and len(live) > FEWER * self._solved_for:
            return False
        if not node.heat(node.slack_per_item()):
            return False
        live = node.options_left()
        rows, weights = matrix.rows, matrix.weights.astype(np.float64)
        program = InteriorProgram(rows, remaining_ranges(rows, matrix.ranges, node.path()), live, self._loop.over)
        self._solved_for, self._interior_work = len(live), program.work(most)
        optimum = None
        if self._interior_work <= most:
            self._spent += self._interior_work
            optimum = program.solve(weights)
        if optimum is not None:
            self.vertex = optimum.mass
            if np.abs(optimum.mass - np.rint(optimum.mass)).max() > WHOLE:
                draw = random_generator(self._seed).random(rows.n_options)
                corner = program.face(weights, optimum).solve(draw)
                self.vertex = optimum.mass if corner is None else corner.mass
            prices = np.rint(np.clip(optimum.price, -LARGEST_PRICE, LARGEST_PRICE)).astype(np.int64)
            node.set_prices(prices, self.vertex.copy())
            if replaces_best:
                node.accept_prices()
        node.restore_best()
        return optimum is not None
