"""The linear program of set partitioning by another solver."""

from __future__ import annotations

from typing import Any

import pytest


def by_highs(rows: Any, bounds: Any, live: Any, weights: Any) -> float | None:
    """The optimum of the linear program of the options that live."""
    highspy = pytest.importorskip("highspy")
    solver = highspy.Highs()
    solver.silent()
    solver.setOptionValue("threads", 1)  # as everywhere: HiGHS fails if the number changes within a process
    x = {o: solver.addVariable(0, highspy.kHighsInf, float(weights[o])) for o in live.tolist()}
    for i, (least, most) in enumerate(bounds.tolist()):
        entries = [x[o] for o in rows.owner[rows.indices == i].tolist() if o in x]
        if entries and not rows.takes_colours[i]:
            solver.addConstr(least <= sum(entries) <= most)
    solver.maximize()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return float(solver.getObjectiveValue())
