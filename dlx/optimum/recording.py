"""The recorded search of a certificate: from the prices of a root, with the known target, it finds nothing."""

from __future__ import annotations

import numpy as np

from dlx.engine.limits import Loop
from dlx.kernels import EXHAUSTED
from dlx.optimum.certificate import Certificate
from dlx.optimum.parameters import TUNED
from dlx.optimum.root import FIRST_TEMPERATURE, Root
from dlx.optimum.units import Units
from dlx.problem.cover import Sign

LOG = 1 << 16  # numbers of a proof log at a time, not counting those of one node
LONGEST_LOG = 1 << 24  # numbers in a certificate, at most: 128 MB


def record_proof(root: Root, units: Units, sign: Sign, score: int | float | None, loop: Loop) -> Certificate | None:
    """Proves that no cover is better, and records the proof; returns None if a limit comes first or it is too long.

    Parameters:
        root: a root at which all options live and none is chosen.
        score: the score of the best cover, to be maximised; None if there is no cover.

    Raises:
        RuntimeError: a cover reaches the target, so the answer is wrong: a bug.
    """
    kernel, node = root.kernel, root.kernel.node
    if score is not None:
        kernel.target = units.units_unreached(score)
    else:  # a score that every cover reaches; kernels have bounds of -2**62 or more
        kernel.target = max(-(1 << 62), sum(weight for weight in units.weights.tolist() if weight < 0))
    prices, kernel.increment = node.prices(), 0
    node.log.open(TUNED.cut_rounds, LOG)
    root.anneal(TUNED.cut_sweeps, TUNED.cut_rounds, FIRST_TEMPERATURE * node.slack_per_item())
    parts, room = [], LONGEST_LOG
    for status in loop.slices(kernel):
        if kernel.filled:
            better = sorted(o for o in kernel.found()[0].tolist() if o >= 0)
            raise RuntimeError(f"bug in dlx: the options {better} score better than the cover that was proven best")
        parts.append(node.log.take())
        room -= len(parts[-1])
        if room < 0:
            return None
        if status == EXHAUSTED:
            return Certificate(
                sign=sign,
                bits=units.bits,
                weights=units.weights,
                target=None if score is None else kernel.target,
                added=root.added,
                prices=prices,
                record=np.concatenate(parts),
            )
    return None
