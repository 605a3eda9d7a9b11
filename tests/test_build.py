"""`setup.py` on a kernel of a few lines: what is compiled again, what a debug build checks; the targets of `make`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from processes import ROOT, call

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


class Tree:
    """A source tree with one kernel, which cimports a constant."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copy(ROOT / "setup.py", folder)
        (folder / "sudoku").mkdir()
        (folder / "dlx").mkdir()
        for name, text in {**SOURCES, "tiny.py": TINY}.items():
            (folder / "dlx" / name).write_text(text, encoding="utf-8")

    def python(self, *arguments: str, way: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        """Runs Python in the tree, with DLX_BUILD and more variables."""
        variables = os.environ | {"DLX_BUILD": way, "PYTHONPATH": str(self.folder)} | more
        return call(sys.executable, *arguments, folder=self.folder, environ=variables)

    def build(self, way: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        """Builds, as `make build` does."""
        command = ["setup.py", "--quiet", "build_ext", "--build-lib", ".", "--build-temp", "temp"]
        return self.python(*command, way=way, **more)

    def built(self) -> int:
        """The time at which the kernel was compiled."""
        (path,) = (self.folder / "dlx").glob("tiny*.so")
        return path.stat().st_mtime_ns

    def at(self, place: int) -> str:
        """Returns the answer of the kernel, or the last line of its error."""
        result = self.python("-c", CALL.format(place))
        return (result.stdout + result.stderr).strip().splitlines()[-1]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A tree in a new folder."""
    return Tree(tmp_path)


@pytest.mark.nightly
def test_what_is_built_anew(tree: Tree) -> None:
    """A second build does nothing; another DLX_BUILD, the first one again, and a changed header recompile the kernel.

    A debug build checks every index; a release does not look.
    """
    assert tree.build().returncode == 0
    first = tree.built()
    assert (tree.at(0), tree.at(1)) == ("105", "106")
    tree.build()
    assert tree.built() == first
    tree.build("debug")
    assert tree.at(0) == "105"
    assert tree.at(1) == tree.at(-1) == "IndexError: Out of bounds on buffer access (axis 0)"
    tree.build()
    assert tree.at(1) == "106"
    (tree.folder / "dlx" / "frame.pxd").write_text("cdef enum:\n    LIMIT = 200\n")
    tree.build()
    assert tree.at(0) == "205"


def test_there_is_no_such_way(tree: Tree) -> None:
    """A mistyped DLX_BUILD is an error that names it and the known ways, and nothing is built."""
    result = tree.build("debgu")
    assert result.returncode == 1
    assert "DLX_BUILD is 'debgu': it must be one of release, debug, profile, sanitize, or unset" in result.stderr
    assert not list(tree.folder.rglob("*.so"))


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
