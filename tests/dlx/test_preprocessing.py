"""Options that a best cover need not have are left out."""

from __future__ import annotations

import numpy as np
from seeds import for_seeds

from dlx import Coloured, Problem
from dlx.optimum.alike import undominated
from dlx.problem.roles import LEFT_OUT


@for_seeds(300)
def test_of_options_with_the_same_items_the_best_is_kept(seed: int) -> None:
    """Options go just if another one has their items and colours, in any order, and is as good."""
    rng = np.random.default_rng([seed, 5])
    size = int(rng.integers(1, 40))
    options = [[0, *rng.permutation(np.arange(1, 4))[: rng.integers(0, 4)].tolist()] for _ in range(size)]
    shades = [[0 if i == 0 else int(rng.integers(0, 2)) for i in option] for option in options]
    named = [
        [Coloured(i, "xy"[c]) if i else i for i, c in zip(*both, strict=True)]
        for both in zip(options, shades, strict=True)
    ]
    problem = Problem.from_options(named, secondary=[1, 2, 3])
    worth = rng.integers(-2, 3, size) if seed % 2 else rng.normal(size=size).round(1)
    best_of: dict[frozenset[tuple[int, int]], float] = {}
    for items, colours, value in zip(options, shades, worth.tolist(), strict=True):
        key = frozenset(zip(items, colours, strict=True))
        best_of[key] = max(value, best_of.get(key, -9))
    kept = np.flatnonzero(undominated(problem, worth)._roles() != LEFT_OUT).tolist()
    of_kept = [frozenset(zip(options[o], shades[o], strict=True)) for o in kept]
    assert len(kept) == len(best_of)
    assert dict(zip(of_kept, worth[kept].tolist(), strict=True)) == best_of
