"""The rules of imports: public names of `dlx` for `sudoku`, folders in layers, no circle; and the public names."""

from __future__ import annotations

import ast
import inspect
import tomllib
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import house
import pytest
from house import FLOORS, ROOT, SOURCES, arrows, imports, nodes
from processes import run

import dlx
import sudoku

HOUSE = [path for paths in SOURCES.values() for path in paths]

# What may be imported from where; None is the module itself. Besides the engine there are six modules for all to use,
# and the frame of the kernels, which can be had from Cython only.
SHARED = (
    "dlx.command",
    "dlx.show.dance",
    "dlx.show",
    "dlx.tiles",
    "dlx.formats",
    "dlx.extending",
)
FRAME = "cython.cimports.dlx.kernels.cover.frame"
PUBLIC: dict[str, tuple[str | None, ...]] = {
    "dlx": (None, "__version__", *dlx.__all__),
    **{name: (*import_module(name).__all__,) for name in SHARED},
}


def private_uses(source: str) -> list[str]:
    """Returns the names that a source takes from `dlx` and that are not public."""
    taken = [
        (module, name)
        for module, name in imports(source)
        if "dlx" in module.removeprefix("cython.cimports.").split(".")[:1] and (module, bool(name)) != (FRAME, True)
    ]
    wrong = [f"{module}.{name or '*'}" for module, name in taken if name not in PUBLIC.get(module, ())]
    attributes = [
        node.attr
        for node in nodes(source)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "dlx"
    ]
    return wrong + [f"dlx.{name}" for name in attributes if name not in PUBLIC["dlx"]]


@pytest.mark.parametrize("path", SOURCES["sudoku"], ids=lambda path: str(path.relative_to(ROOT)))
def test_sudoku_uses_only_public_names_of_dlx(path: Path) -> None:
    """No module of `sudoku` imports from inside `dlx`, or a name that is not in an `__all__`."""
    assert private_uses(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", SOURCES["dlx"], ids=lambda path: str(path.relative_to(ROOT)))
def test_dlx_never_mentions_sudoku(path: Path) -> None:
    """Imports, names, comments and examples of `dlx` are free of the word."""
    assert "sudoku" not in path.read_text(encoding="utf-8").lower()


@pytest.mark.parametrize("package", FLOORS)
def test_rooms_import_from_below(package: str) -> None:
    """Every folder has its place in the order of layers, and imports only from folders before it."""
    rooms = arrows(package)
    assert rooms.keys() == set(FLOORS[package])
    wrong = {name: used - set(FLOORS[package][: FLOORS[package].index(name)]) for name, used in rooms.items()}
    assert not any(wrong.values()), wrong


def test_documents_are_those_of_the_sources() -> None:
    """Pictures in docs/ are as their sources make them, and none is left over; `house.py` makes them anew."""
    made = house.made()
    assert {path: path.read_text(encoding="utf-8") for path in made} == made
    assert set((house.DOCS / "drawing").iterdir()) <= made.keys()


def test_kernels_have_folders_of_their_own() -> None:
    """Sources with a header are compiled, others are not; they stand in folders of kernels, which mypy skips."""
    compiled = [path for path in HOUSE if path.read_text(encoding="utf-8").startswith("# cython:")]
    assert compiled == [path for path in HOUSE if path.with_suffix(".pxd").exists()]
    assert all("kernels" in path.parts for path in compiled)


@pytest.mark.parametrize("package", [dlx, sudoku], ids=lambda package: package.__name__)
def test_the_public_names_exist(package: ModuleType) -> None:
    """Every name in `__all__` is there, none twice; classes and functions have a docstring of their own."""
    assert len(set(package.__all__)) == len(package.__all__)
    for name in package.__all__:
        thing = getattr(package, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, name
            assert not thing.__doc__.startswith(f"{name}("), name


@pytest.mark.parametrize("package", [dlx, sudoku, *map(import_module, SHARED)], ids=lambda package: package.__name__)
def test_public_types_are_stated(package: ModuleType) -> None:
    """Public functions and methods state a type of what they return other than Any; mypy holds them to it."""
    things = [getattr(package, name) for name in package.__all__]
    functions = [thing for thing in things if inspect.isfunction(thing)]
    for kind in filter(inspect.isclass, things):
        functions += [each for name, each in vars(kind).items() if inspect.isfunction(each) and name[0] != "_"]
    stated = {each.__qualname__: inspect.signature(each).return_annotation for each in functions}
    assert [name for name, of in stated.items() if of in ("Any", Any, inspect.Signature.empty)] == []


def test_the_version() -> None:
    """Both packages have the version of `pyproject.toml`; other names are AttributeErrors."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert dlx.__version__ == sudoku.__version__ == project["version"]
    for package in (dlx, sudoku):
        with pytest.raises(AttributeError, match="no attribute 'versoin'"):
            package.versoin  # noqa: B018


IMPORTS = """
import numpy, dataclasses, fractions, pathlib, random, sys, typing
print(*sys.modules)
import dlx
print(*sys.modules)
import dlx.tiles
print(*sys.modules)
dlx.formats.read, dlx.extending.Crew, dlx.show.draw
"""


def test_imports_are_few_and_late() -> None:
    """`import dlx` loads few modules that numpy does not, and `import dlx.tiles` few more; others come when used."""
    ended = run(IMPORTS)
    assert ended.stderr == ""
    numpy, engine, tiles = (set(line.split()) for line in ended.stdout.splitlines())
    assert engine.isdisjoint({"dlx.formats", "importlib.metadata", "concurrent.futures"})
    top = [{name.partition(".")[0] for name in modules} for modules in (numpy, engine, tiles)]
    for added, few in ((top[1] - top[0], 20), (top[2] - top[1], 10)):
        assert added.isdisjoint({"scipy", "Cython", "sudoku", "argparse", "asyncio", "multiprocessing"})
        assert added.isdisjoint({"urllib", "gzip", "zlib", "xml", "pyexpat", "zipfile"})
        assert len(added) < few, sorted(added)
