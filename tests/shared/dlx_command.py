"""The `dlx` command in a process of its own, and problems to feed it."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
from commands import Feed as Feed
from commands import module, process

ROOT = Path(__file__).parents[2]
TOYS = ROOT / "examples" / "toys"
DANCE, COLOURS, MULTIPLICITY, COSTS, DOMINOES = (
    str(TOYS / name) for name in ("dance.dlx", "colours.xcc", "multiplicity.mcc", "costs.dlx", "dominoes.dlx")
)


def matchings(n: int, costs: bool = False) -> str:
    """Perfect matchings of n points, of which there are (n - 1)!!, in Knuth's text format."""
    rng = np.random.default_rng(1)
    pairs = (f"v{i} v{j}{f' |{rng.integers(1, 1000)}' if costs else ''}" for i, j in combinations(range(n), 2))
    return "\n".join([" ".join(f"v{k}" for k in range(n)), *pairs])


ENDLESS = matchings(40)

command = partial(process, *module("dlx"))  # in a process of its own, which is gone afterwards
