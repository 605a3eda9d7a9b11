"""Dives: short searches for a better cover, which prove nothing. Each comes down once, at a temperature."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

from dlx.optimum.parameters import TUNED
from dlx.optimum.units import Units

Dive = tuple[int, float, int]  # a seed, a temperature and the most nodes


def planned(units: Units, nodes: int, seed: int) -> Iterator[Dive]:
    """Yields dives in place of a search of so many nodes."""
    once = units.max_level * 5 // 4 + TUNED.dive_nodes
    nodes, dice = min(nodes, TUNED.diving * once), random.Random(seed)
    for done in range(0, nodes, once):
        temperature = units.hottest / math.exp(dice.uniform(*TUNED.dives))
        yield dice.randrange(1 << 31), temperature, min(once, nodes - done)


def dive(kernel: Any, plan: list[Dive], run: Callable[[Any, int], bool], is_over: Callable[[int], bool]) -> bool:
    """Comes down from the root again and again, each time at another temperature.

    Parameters:
        kernel: the kernel at the root.
        plan: the dives.
        run: runs the kernel for so many nodes, and tells whether its search has ended.
        is_over: tells whether to stop after so many updates.

    Returns:
        Whether one of these searches has come to its end.
    """
    start, end = kernel.updates, kernel.nodes + sum(nodes for *_, nodes in plan)
    is_done = False
    for seed, temperature, nodes in plan:
        if kernel.nodes >= end or is_over(kernel.updates - start):
            break
        warm_up(kernel, temperature)
        is_done = run(kernel, min(nodes, end - kernel.nodes))
        if is_done:
            break
        kernel.restart(seed)
        kernel.restore_best()
    kernel.diving = 0.0
    return is_done


def warm_up(kernel: Any, temperature: float) -> None:
    """Prepares a kernel at the root for a dive: prices as at its temperature, so that a few sweeps do at nodes."""
    kernel.diving = temperature
    if kernel.heat(temperature):
        kernel.anneal(TUNED.dive_sweeps)
        kernel.cool()
