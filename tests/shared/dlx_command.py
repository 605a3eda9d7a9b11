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


def tilings(n: int) -> str:
    """Tilings of a square with dominoes, of which most have seven images, in Knuth's text format."""
    square = [(r, c) for r in range(n) for c in range(n)]
    places = [((r, c), (r + down, c + 1 - down)) for r, c in square for down in (0, 1)]
    lines = [" ".join(f"{r},{c}" for r, c in cells) for cells in [square, *(p for p in places if p[1] in square)]]
    return "\n".join(lines)


def latin(n: int) -> str:
    """Latin squares, in Knuth's text format."""
    square = [(r, c) for r in range(n) for c in range(n)]
    lines = [" ".join(f"{kind}{a},{b}" for kind in "crs" for a, b in square)]
    return "\n".join([*lines, *(f"c{r},{c} r{r},{s} s{c},{s}" for r, c in square for s in range(n))])


command = partial(process, *module("dlx"))  # in a process of its own, which is gone afterwards
