"""The kernels' sources as plain Python, asked for with DLX_INTERPRETED=1; and what happens without a build."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from processes import ROOT, run

SEARCHES = """
import numpy as np
import dlx, dlx.search
from dlx import Problem, count, covers, first, reference
from families import build
from oracle import as_sets, random_problem

assert dlx.engine.links.Links.__module__ == "dlx.kernels.links"
assert dlx.compiled_module("dlx.kernels.links").__file__.endswith("links.py")
for family, sizes, expected in [("toy", (), 1), ("queens", (6,), 4), ("langford", (4,), 2), ("dominoes", (4, 4), 36),
                                ("latin", (3,), 12), ("partitions", (5,), 52)]:
    assert count(build(family, *sizes)).covers == expected, family
for seed in range(40):
    problem = random_problem(np.random.default_rng(seed))
    assert as_sets(covers(problem)) == as_sets(reference.covers(problem)), seed
    kernel = dlx.engine.links.Links(
        problem.indptr, problem.indices, problem.n_items, problem.n_primary, np.empty((0, problem.max_level), np.int32))
    while kernel.run(3, 1 << 40, 1 << 40):
        kernel.check()
print("done")
"""

SABOTAGE = """
import numpy as np
from dlx.kernels.links import Links
from families import build

problem = build("queens", 5)
for name, index, message in [
    ("top", 4 * 45, "top"), ("up", 4 * 45, "up"), ("down", 4 * 45, "down"), ("option", 4 * 45, "option"),
    ("size", 4 * 10, "size"), ("left", 4 * 10, "left"), ("right", 4 * 10, "right"), ("primaries", 3, "primaries"),
    ("chosen", 0, "chosen"), ("active", None, "active"), ("filled", None, "filled"), ("level", None, "")]:
    kernel = Links(problem.indptr, problem.indices, problem.n_items, problem.n_primary, np.empty((0, 5), np.int32))
    kernel.run(2, 1 << 40, 1 << 40)
    kernel.check()
    if index is None:
        setattr(kernel, name, getattr(kernel, name) + 1)
    else:
        getattr(kernel, name)[index] += 4
    try:
        kernel.check()
    except AssertionError as error:
        assert message in str(error), (name, str(error))
    else:
        raise SystemExit(f"{name}[{index}] was spoilt, and check() did not see it")
print("done")
"""


@pytest.mark.parametrize("program", [SEARCHES, SABOTAGE], ids=["searches", "broken invariants are named"])
def test_interpreted_kernels_do_the_same(program: str) -> None:
    """As plain Python the kernel finds the same covers, and its `check` notices any array that is spoilt."""
    result = run(program, DLX_INTERPRETED="1")
    assert (result.stdout, result.stderr) == ("done\n", "")


@pytest.fixture
def unbuilt(tmp_path: Path) -> Path:
    """A folder with the sources of `dlx` and no compiled module."""
    shutil.copytree(ROOT / "dlx", tmp_path / "dlx", ignore=shutil.ignore_patterns("*.so", "*.c", "__pycache__"))
    return tmp_path


def test_a_missing_build_is_an_import_error_that_names_the_command(unbuilt: Path) -> None:
    """Without compiled kernels `import dlx` fails, says how to build them, and does not run them interpreted."""
    result = run("import dlx", unbuilt)
    assert result.returncode == 1
    assert "ImportError: dlx.kernels." in result.stderr
    assert "has not been compiled. Build it with: pip install -e ." in result.stderr
    assert "DLX_INTERPRETED=1" in result.stderr


def test_a_missing_build_can_be_done_without(unbuilt: Path) -> None:
    """With DLX_INTERPRETED=1 the sources are enough; any other value asks for nothing."""
    program = "import dlx; print(dlx.__file__, dlx.count(dlx.Problem.from_options(['ab', 'a', 'b'])).covers)"
    result = run(program, unbuilt, DLX_INTERPRETED="1")
    assert result.stdout.split() == [str(unbuilt / "dlx" / "__init__.py"), "2"]
    assert run(program, unbuilt, DLX_INTERPRETED="0").returncode == 1
