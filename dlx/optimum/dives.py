"""Dives: short searches for a better cover, which prove nothing. Each descends once, with one temperature."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

from dlx.optimum.parameters import TUNED
from dlx.optimum.units import Units


def dive(
    kernel: Any, units: Units, seed: int, run: Callable[[Any, int], bool], is_enough: Callable[[int], bool]
) -> bool:
    """Makes up to `TUNED.diving` dives from the root, each with another temperature.

    Parameters:
        kernel: the kernel at the root.
        units: the units of the problem.
        seed: draws the temperatures.
        run: runs a kernel for a number of nodes; returns whether its search has ended.
        is_enough: returns whether to stop after this number of updates.

    Returns:
        Whether a dive has ended the search.
    """
    start, dice = kernel.updates, random.Random(seed)
    nodes = units.max_level * 5 // 4 + TUNED.dive_nodes
    is_done = False
    for _ in range(TUNED.diving):
        if is_enough(kernel.updates - start):
            break
        warm_up(kernel, units.hottest / math.exp(dice.uniform(*TUNED.dives)))
        is_done = run(kernel, nodes)
        if is_done:
            break
        kernel.restart(dice.randrange(1 << 31))
        kernel.restore_best()
    kernel.diving = 0.0
    return is_done


def warm_up(kernel: Any, temperature: float) -> None:
    """Prepares a kernel at the root for a dive: prices as at its temperature, so that a few sweeps do at nodes."""
    kernel.diving = temperature
    if kernel.heat(temperature):
        kernel.anneal(TUNED.dive_sweeps)
        kernel.cool()
