"""Prices by sweeps at falling temperatures (annealing), for any kernel at its root."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dlx.engine.limits import Over
from dlx.optimum.parameters import TUNED

SWEPT = 1 << 21  # entries that sweeps may pass before the loop looks at the clock


def anneal(
    kernel: Any,
    sweeps: int,
    rounds: int,
    hottest: float,
    over: Over,
    power: float = 1.0,
    report: Callable[[], None] = lambda: None,
) -> bool:
    """Finds prices from hot to cold.

    Parameters:
        kernel: the kernel, at its root.
        sweeps: the number of sweeps at a temperature.
        rounds: the number of temperatures.
        hottest: the first temperature, in units.
        over: tells whether a limit has been reached.
        power: of over-relaxation, from 1 to 2.
        report: called whenever the limits have been looked at.

    Returns:
        Whether no limit has been reached.
    """
    at_once = max(1, SWEPT // max(1, kernel.entries))
    left = at_once  # sweeps until the limits are looked at, which on small problems takes as long as a round
    temperature = hottest
    for _ in range(rounds):
        if not kernel.heat(temperature):
            break
        for done in range(0, sweeps, at_once):
            some = min(at_once, sweeps - done)
            kernel.anneal(some, power)
            left -= some
            if left <= 0:
                left = at_once
                if over():
                    kernel.restore_best()
                    return False
                report()
        kernel.cool()
        temperature *= TUNED.cooling
    kernel.restore_best()
    return not over()
