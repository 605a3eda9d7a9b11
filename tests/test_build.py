"""`setup.py` on a kernel of a few lines: what is compiled again, what a debug build checks; the targets of `make`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from processes import ROOT, call, environment

TINY = """# cython: language_level=3
import cython
from cython.cimports.dlx.frame import LIMIT

@cython.cclass
class Tiny:
    values: cython.int[::1]

    def __init__(self, values: cython.int[::1]):
        self.values = values

    def at(self, place: cython.Py_ssize_t) -> cython.int:
        return self.values[place] + LIMIT
"""
SOURCES = {"__init__.py": "", "frame.py": "", "frame.pxd": "cdef enum:\n    LIMIT = 100\n"}
CALL = """
import numpy as np
from dlx.tiny import Tiny
print(Tiny(np.array([5, 6], dtype=np.int32)[:1]).at({}))
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A source tree with one kernel, which cimports a constant."""
    shutil.copy(ROOT / "setup.py", tmp_path)
    (tmp_path / "sudoku").mkdir()
    (tmp_path / "dlx").mkdir()
    for name, text in {**SOURCES, "tiny.py": TINY}.items():
        (tmp_path / "dlx" / name).write_text(text, encoding="utf-8")
    return tmp_path


def python(tree: Path, *arguments: str, way: str = "") -> subprocess.CompletedProcess[str]:
    """Runs Python in the tree, with DLX_BUILD."""
    return call(sys.executable, *arguments, folder=tree, environ={**environment(tree), "DLX_BUILD": way})


def build(tree: Path, way: str = "") -> subprocess.CompletedProcess[str]:
    """Builds, as `make build` does."""
    return python(tree, "setup.py", "--quiet", "build_ext", "--build-lib", ".", "--build-temp", "temp", way=way)


def at(tree: Path, place: int) -> str:
    """Returns the answer of the kernel, or the last line of its error."""
    result = python(tree, "-c", CALL.format(place))
    return (result.stdout + result.stderr).strip().splitlines()[-1]


@pytest.mark.nightly
def test_what_is_built_anew(tree: Path) -> None:
    """A second build does nothing; another DLX_BUILD, the first one again, and a changed header recompile the kernel.

    A debug build checks every index; a release does not look.
    """
    assert build(tree).returncode == 0
    first = [path.stat().st_mtime_ns for path in tree.glob("dlx/tiny*.so")]
    assert (at(tree, 0), at(tree, 1)) == ("105", "106")
    build(tree)
    assert [path.stat().st_mtime_ns for path in tree.glob("dlx/tiny*.so")] == first
    build(tree, "debug")
    assert at(tree, 0) == "105"
    assert at(tree, 1) == at(tree, -1) == "IndexError: Out of bounds on buffer access (axis 0)"
    build(tree)
    assert at(tree, 1) == "106"
    (tree / "dlx" / "frame.pxd").write_text("cdef enum:\n    LIMIT = 200\n")
    build(tree)
    assert at(tree, 0) == "205"


def test_there_is_no_such_way(tree: Path) -> None:
    """A mistyped DLX_BUILD is an error that names it and the known ways, and nothing is built."""
    result = build(tree, "debgu")
    assert result.returncode == 1
    assert "DLX_BUILD is 'debgu': it must be one of release, debug, profile, sanitize, or unset" in result.stderr
    assert not list(tree.rglob("*.so"))


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs `make`, if there is one, in this repository."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    # make says where this test runs below another one
    return call("make", "--no-print-directory", *arguments, environ={**os.environ})


def test_make_names_what_is_missing(tmp_path: Path) -> None:
    """A first `make` on a machine without a compiler says what it needs, and makes nothing."""
    ended = make(f"VENV={tmp_path}/venv", f"PYTHON={sys.executable}", "CC=nonesuch", "solve")
    assert ended.returncode == 2
    assert "Dancing Cover needs Python 3.11 or newer with its headers, and a C compiler. On Debian" in ended.stderr
    assert not (tmp_path / "venv").exists()
