"""The types of public names: a strict checker accepts a program that states them all, and rejects a wrong one."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from processes import ROOT, call
from waiting import WAIT

USER = ROOT / "tests" / "data" / "typed_user.py"
CONFIGURATION = {"typeCheckingMode": "strict", "venvPath": ".", "venv": "venv"}
WRONG = "import dlx\n\nproblem = dlx.Problem.from_options(['ab'])\nname: str = dlx.count(problem).covers\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder, with an environment in which the packages are installed as from a wheel, and numpy is found."""
    folder = tmp_path_factory.mktemp("user")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True, timeout=WAIT)
    (site,) = [*folder.glob("venv/lib/python*/site-packages"), *folder.glob("venv/Lib/site-packages")]
    for package in ("dlx", "sudoku"):
        shutil.copytree(ROOT / package, site / package, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    (site / "numpy.pth").write_text(str(Path(np.__file__).parents[1]), encoding="utf-8")
    (folder / "pyrightconfig.json").write_text(json.dumps(CONFIGURATION), encoding="utf-8")
    return folder


@pytest.mark.nightly
def test_a_strict_checker(folder: Path) -> None:
    """A user's program passes with no type unknown, and a number that is taken for a text does not.

    basedpyright is pyright with a node of its own; `make lint` has mypy look at the program.
    """
    pytest.importorskip("basedpyright")
    (folder / "right.py").write_text(USER.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "wrong.py").write_text(WRONG, encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "--project", str(folder), "right.py", "wrong.py"]
    clean = {name: value for name, value in os.environ.items() if name not in ("MYPYPATH", "VIRTUAL_ENV")}
    ended = call(*command, folder=folder, environ=clean)
    messages = ended.stdout + ended.stderr
    assert ended.returncode == 1, messages
    assert "wrong.py:4:" in messages
    assert "right.py" not in messages


def test_the_program_runs() -> None:
    """The program shown to the checkers runs without an error."""
    runpy.run_path(str(USER), run_name="__main__")
