"""The kernels as plain Python, with DLX_INTERPRETED=1, do what they do compiled; what happens without a build."""

from __future__ import annotations

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from processes import ROOT, call, environment, run

# Tests on small problems of all kernels: covers, counts, bounds and steps by brute force, invariants, and exact work.
TESTS = {
    "kernels/test_searches.py": (
        "test_the_covers_are_those_of_the_reference",
        "test_nodes_and_updates_do_not_depend_on_the_machine",
    ),
    "kernels/test_places.py": ("test_a_search_that_begins_again_is_the_same",),
    "kernels/test_small_parts.py": (
        "test_the_covers_of_each_component_are_found",
        "test_cliques_are_found_that_cannot_grow",
    ),
    "kernels/test_learn.py": ("test_it_finds_a_cover_just_if_there_is_one",),
    "test_deduce.py": ("test_steps_are_proven_and_lose_no_cover",),
    "test_layers.py": ("test_the_count_is_that_of_the_reference",),
    "test_diagrams.py": ("test_the_covers_are_those_of_the_reference",),
    "test_isomorphism.py": ("test_random_problems",),
    "kernels/test_simplex.py": ("test_a_sparse_factor_solves_what_a_dense_one_does",),
    "test_optimum.py": ("test_whatever_a_search_does_its_answers_and_bounds_hold",),
}
FILES = """
from dlx.extending import compiled_module
for name in ("cover.links", "cover.frame", "cover.core", "price.lp.cholesky"):
    print(compiled_module(f"dlx.kernels.{name}").__file__)
"""


def test_interpreted_kernels_are_right() -> None:
    """The tests of kernels on small problems pass with their sources in plain Python, which come before a build."""
    files = run(FILES, DLX_INTERPRETED="1").stdout.split()
    assert len(files) == 4
    assert all(file.endswith(".py") for file in files)
    here = {file: names for file, names in TESTS.items() if find_spec("pynauty") or "isomorphism" not in file}
    tests = [f"tests/dlx/{file}::{name}" for file, names in here.items() for name in names]
    command = [sys.executable, "-m", "pytest", "--quiet", "--exitfirst", "--numprocesses=0", "-p", "no:cacheprovider"]
    ended = call(*command, *tests, environ=environment(DLX_INTERPRETED="1"))
    assert ended.returncode == 0, ended.stdout[-2000:]


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


def test_interpreted_kernels_of_sudoku_are_right() -> None:
    """Results, nodes and updates are the same, and in plain Python the invariants hold."""
    compiled = run(f"END = '.so'\n{PROGRAM}")
    interpreted = run(f"END = '.py'\n{PROGRAM}", DLX_INTERPRETED="1")
    assert (compiled.stderr, interpreted.stderr) == ("", "")
    assert interpreted.stdout == compiled.stdout
    assert len(compiled.stdout.splitlines()) == 8


@pytest.fixture
def unbuilt(tmp_path: Path) -> Path:
    """A folder with the sources of `dlx` and no compiled module."""
    shutil.copytree(ROOT / "dlx", tmp_path / "dlx", ignore=shutil.ignore_patterns("*.so", "*.c", "__pycache__"))
    return tmp_path


# `dlx` is imported before a search needs a kernel: the error comes with either.
SEARCH = "import dlx; print(dlx.__file__, dlx.count(dlx.Problem.from_options(['ab', 'a', 'b'])).covers)"


def test_a_missing_build(unbuilt: Path) -> None:
    """Without compiled kernels a search fails and says how to build them; with DLX_INTERPRETED=1 the sources do."""
    for more in ({}, {"DLX_INTERPRETED": "0"}):
        result = run(SEARCH, unbuilt, **more)
        assert result.returncode == 1
        assert "ImportError: dlx.kernels." in result.stderr
        assert "has not been compiled. Build it with: make build, or pip install -e ." in result.stderr
        assert "DLX_INTERPRETED=1" in result.stderr
    result = run(SEARCH, unbuilt, DLX_INTERPRETED="1")
    assert result.stdout.split() == [str(unbuilt / "dlx" / "__init__.py"), "2"], result.stderr
