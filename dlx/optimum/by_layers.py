"""The best covers of a problem with a narrow frontier, found layer by layer instead of by prices."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from dlx.counting.order import fronts
from dlx.engine.limits import StoppedError
from dlx.kernels import EXHAUSTED
from dlx.optimum.loop import BestLoop
from dlx.optimum.units import Units
from dlx.problem.problem import Problem

FRONT_BITS = 12.0  # maximum bits of the frontier
LAYER_OPTION = 2_000  # time to prepare layers for each option, in updates of the price kernel
LAYER_UPDATE = 32  # time of one update of layers, in updates of the price kernel
LAYER_BYTES = 1 << 28  # memory of layers

Options = tuple[int, ...]


def is_time_for_layers(problem: Problem, loop: BestLoop) -> bool:
    """Returns whether the search has taken as long as layers take to prepare; they have no multiplicities."""
    return problem.multiplicities is None and loop.updates >= LAYER_OPTION * problem.n_options


def best_by_layers(problem: Problem, units: Units, k: int, loop: BestLoop) -> tuple[list[Options], bool]:
    """Returns the k best covers, or fewer if there is a limit on covers, and whether these are all covers that were
    requested.

    There are no covers if the frontier is wide, if memory or a limit ends the layers, or if the layers take longer than
    the search so far.
    """
    rows = problem.rows()
    if fronts(rows, np.arange(rows.n_primary)).max(initial=0.0) > FRONT_BITS:
        return [], False
    from dlx.counting.diagram import Diagram  # imported here: most searches end earlier
    from dlx.counting.drawing import Drawing

    with suppress(MemoryError, StoppedError):
        drawing, is_drawn = Drawing(problem, LAYER_BYTES, loop.over), False
        for status in loop.slices(drawing, updates=loop.updates // LAYER_UPDATE):
            is_drawn = status == EXHAUSTED
        if is_drawn:
            diagram = Diagram(problem, *drawing.diagram(), LAYER_BYTES)
            found = diagram.best(units.exact[:-1], k=min(k, loop.covers_left()))
            drawing.covers = len(found)  # the loop counts these covers
            return [cover.options for cover in found], len(found) == k or not loop.over()
    return [], False
