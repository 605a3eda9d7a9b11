"""The two rules of the house: `sudoku` uses only public names of `dlx`, and `dlx` knows nothing of `sudoku`."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import dlx
from dlx import command, formats

ROOT = Path(__file__).parents[1]
SOURCES = {package: sorted((ROOT / package).rglob("*.py")) for package in ("dlx", "sudoku")}


# What may be imported from where; None is the module itself. Besides the engine there are two modules for all to use.
PUBLIC: dict[str, tuple[str | None, ...]] = {
    "dlx": (None, *dlx.__all__),
    "dlx.command": (*command.__all__,),
    "dlx.formats": (*formats.__all__,),
}


def imports(source: str) -> Iterator[tuple[str, str | None]]:
    """The modules that a source imports, each with a name taken from it, or None for the module itself."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((str(node.module), alias.name) for alias in node.names)


def private_uses(source: str) -> list[str]:
    """What a source takes from `dlx` besides its public names."""
    taken = [(module, name) for module, name in imports(source) if module.split(".")[0] == "dlx"]
    wrong = [f"{module}.{name or '*'}" for module, name in taken if name not in PUBLIC.get(module, ())]
    attributes = [
        node.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "dlx"
    ]
    return wrong + [f"dlx.{name}" for name in attributes if name not in dlx.__all__]


@pytest.mark.parametrize("path", SOURCES["sudoku"], ids=lambda path: str(path.relative_to(ROOT)))
def test_sudoku_uses_only_public_names_of_dlx(path: Path) -> None:
    """No module of `sudoku` imports from inside `dlx`, or a name that is not in an `__all__`."""
    assert private_uses(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from dlx import Problem, covers\nimport dlx\ndlx.count", []),
        ("from dlx.search import Covers", ["dlx.search.Covers"]),
        ("from dlx.command import StatusLine", []),
        ("from dlx.command import PATIENCE", ["dlx.command.PATIENCE"]),
        ("import dlx.search", ["dlx.search.*"]),
        ("from dlx import search", ["dlx.search"]),
        ("import dlx\ndlx.search.Links", ["dlx.search"]),
        ("def late():\n    from dlx.kernels import links", ["dlx.kernels.links"]),
    ],
)
def test_private_uses_are_seen(source: str, found: list[str]) -> None:
    """The test above can fail: every way to reach inside `dlx` is noticed."""
    assert private_uses(source) == found


@pytest.mark.parametrize("path", SOURCES["dlx"], ids=lambda path: str(path.relative_to(ROOT)))
def test_dlx_never_mentions_sudoku(path: Path) -> None:
    """Not in its imports, its names, its comments or its examples."""
    assert "sudoku" not in path.read_text(encoding="utf-8").lower()


def test_the_public_names_exist() -> None:
    """`dlx.__all__` is sorted as ruff sorts it, and everything in it is there."""
    assert all(hasattr(dlx, name) for name in dlx.__all__)
    assert len(set(dlx.__all__)) == len(dlx.__all__)


def modules_after(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after a statement."""
    program = f"{statement}\nimport sys\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    return set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )


def test_dlx_imports_little_besides_numpy() -> None:
    """`import dlx` loads neither scipy nor Cython nor sudoku, and few modules of any kind that numpy does not."""
    added = modules_after("import dlx") - modules_after("import numpy, dataclasses, typing, time")
    assert "dlx" in added
    assert added.isdisjoint({"scipy", "Cython", "sudoku", "argparse", "asyncio", "multiprocessing"})
    assert len(added) < 20, f"import dlx brings in {sorted(added)}"
