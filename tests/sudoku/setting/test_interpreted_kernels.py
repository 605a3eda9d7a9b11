"""The kernels for setters as plain Python: the same puzzles and forms as compiled."""

from __future__ import annotations

import pytest
from processes import run

SETTING = """
import numpy as np
import sudoku
from dlx.extending import EXHAUSTED, UNLIMITED, compiled_module
from sudoku.setting.random_grids import RandomGrids

names = ("minimal", "images")
modules = {{name: compiled_module(f"sudoku.kernels.{{name}}") for name in names}}
assert all(module.__file__.endswith({end!r}) for module in modules.values())

grids = RandomGrids(3).draw(3)

rng = np.random.default_rng(1)
one_by_one = np.arange(81, dtype=np.int32)[:, None]
in_pairs = np.array([[k, 80 - k if k < 40 else -1] for k in range(41)], dtype=np.int32)
left = {{}}
for orbits in (one_by_one, in_pairs):
    left[len(orbits)] = puzzles = grids[:2].copy()
    turns = rng.permuted(np.tile(np.arange(len(orbits), dtype=np.int32), (2, 1)), axis=1)
    kernel = modules["minimal"].Minimal(puzzles, turns, orbits, np.zeros(len(puzzles), dtype=np.int32))
    kernel.is_wide = False
    while kernel.run(3, 50, UNLIMITED) != EXHAUSTED:
        kernel.check()
    print(puzzles.tolist(), kernel.nodes, kernel.updates)

clash = left[41][0].copy()
clash[:2] = 7
some = np.array([grids[0], left[81][0], left[41][1], clash])
least = np.zeros_like(some)
kernel = modules["images"].Images(some, least)
for k in range(len(some)):
    kernel.find(k)
print(least.tolist())
"""


@pytest.mark.slow
def test_interpreted() -> None:
    """As plain Python the kernels minimise and find least images as compiled, step by step."""
    compiled, interpreted = run(SETTING.format(end=".so")), run(SETTING.format(end=".py"), DLX_INTERPRETED="1")
    assert (compiled.stderr, interpreted.stderr) == ("", "")
    assert interpreted.stdout == compiled.stdout
    assert len(compiled.stdout.splitlines()) == 3
