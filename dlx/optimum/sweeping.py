"""Prices by sweeps at falling temperatures (annealing), at the root of any kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dlx.engine.limits import Over
from dlx.optimum.parameters import TUNED

SWEPT = 1 << 21  # entries that sweeps may pass between two checks of the limits


def anneal(
    node: Any,
    sweeps: int,
    rounds: int,
    hottest: float,
    over: Over,
    power: float = 1.0,
    report: Callable[[], None] = lambda: None,
) -> bool:
    """Runs `sweeps` sweeps at each of `rounds` falling temperatures, in units; returns False at a limit.

    `power` is the power of over-relaxation, from 1 to 2; `report` is called after each check of the limits.
    """
    at_once = max(1, SWEPT // max(1, node.entries))
    until_check = at_once  # sweeps until the limits are checked; on small problems a check takes as long as a round
    temperature = hottest
    for _ in range(rounds):
        if not node.heat(temperature):
            break
        for done in range(0, sweeps, at_once):
            some = min(at_once, sweeps - done)
            node.anneal(some, power)
            until_check -= some
            if until_check <= 0:
                until_check = at_once
                if over():
                    node.restore_best()
                    return False
                report()
        node.cool()
        temperature *= TUNED.cooling
    node.restore_best()
    return not over()
