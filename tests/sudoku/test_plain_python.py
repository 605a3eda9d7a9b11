"""The kernels of sudoku as plain Python: step by step what they do compiled."""

from __future__ import annotations

from processes import run

PROGRAM = """
import numpy as np
from dlx.extending import UNLIMITED, compiled_module
from known_grids import KNOWN, RINGS
from plain_grids import drawn, stream
from sudoku.setting.random_grids import RandomGrids
from sudoku.strategies import STRATEGIES

for name in ("bands", "minimal", "images", "backtracking"):
    assert compiled_module(f"sudoku.kernels.{name}").__file__.endswith(END)

rng = np.random.default_rng(5)
grids = np.array([drawn(rng, few=22) for _ in range(9)])
for weights in (None, np.arange(81)):
    kernel, counts, completions = stream(grids, 9, weights=weights)
    kernel.is_wide = False
    while kernel.run(3, 50, UNLIMITED):
        kernel.check()
    print(counts.tolist(), kernel.nodes, kernel.updates, completions.tolist())

rng = np.random.default_rng(1)
puzzles = RandomGrids(3).draw(1)
orbits = np.array([[k, 80 - k if k < 40 else -1] for k in range(41)], dtype=np.int32)
turns = rng.permuted(np.arange(41, dtype=np.int32)[None], axis=1)
kernel = compiled_module("sudoku.kernels.minimal").Minimal(puzzles, turns, orbits, np.zeros(1, dtype=np.int32))
kernel.is_wide = False
while kernel.run(3, 50, UNLIMITED):
    kernel.check()
print(puzzles.tolist(), kernel.nodes, kernel.updates)

clash = KNOWN["sample1"].grid.copy()
clash[:2] = 7
grids = np.array([KNOWN["sample1"].grid.ravel(), clash.ravel()])
least = np.zeros_like(grids)
kernel = compiled_module("sudoku.kernels.images").Images(grids, least)
for k in range(len(grids)):
    kernel.find(k)
print(least.tolist())

for name in ("brute", "rows", "static", "dynamic"):
    result = STRATEGIES[name](KNOWN["sample2"].grid, RINGS, max_nodes=3000)
    print(result.score, result.completions, result.nodes, result.stopped)
"""


def test_interpreted() -> None:
    """Results, nodes and updates are the same, and in plain Python the invariants hold."""
    compiled = run(f"END = '.so'\n{PROGRAM}")
    interpreted = run(f"END = '.py'\n{PROGRAM}", DLX_INTERPRETED="1")
    assert (compiled.stderr, interpreted.stderr) == ("", "")
    assert interpreted.stdout == compiled.stdout
    assert len(compiled.stdout.splitlines()) == 8
