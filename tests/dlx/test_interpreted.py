"""The kernels' sources as plain Python, with DLX_INTERPRETED=1; and what happens without a build."""

from __future__ import annotations

import shutil
import sys
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
    tests = [f"tests/dlx/{file}::{name}" for file, names in TESTS.items() for name in names]
    command = [sys.executable, "-m", "pytest", "--quiet", "--exitfirst", "--numprocesses=0", "-p", "no:cacheprovider"]
    ended = call(*command, *tests, environ=environment(DLX_INTERPRETED="1"))
    assert ended.returncode == 0, ended.stdout[-2000:]


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
