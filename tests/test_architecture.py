"""The rules of imports: public names of `dlx` for `sudoku`, folders in layers, no circle; and the public names."""

from __future__ import annotations

import ast
import tomllib
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path
from types import ModuleType

import house
import pytest
from house import FLOORS, ROOT, SOURCES, arrows, imports, needs, nodes, sources
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
    """The names that a source takes from `dlx` besides the public ones."""
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


def circle(texts: dict[str, str]) -> list[str]:
    """Modules each of which needs the next one, the last one being the first; or nothing."""
    try:
        TopologicalSorter({module: needs(module, texts) for module in texts}).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


@pytest.mark.parametrize("package", SOURCES)
@pytest.mark.slow
def test_no_circle_of_imports(package: str) -> None:
    """No modules need each other in a circle, not even later, in a function, or for their types only."""
    assert circle(sources(package)) == []


@pytest.mark.parametrize("package", FLOORS)
def test_rooms_import_from_below(package: str) -> None:
    """Every folder has its place in the order of layers, and imports only from folders before it."""
    rooms = arrows(package)
    assert rooms.keys() == set(FLOORS[package])
    wrong = {name: used - set(FLOORS[package][: FLOORS[package].index(name)]) for name, used in rooms.items()}
    assert not any(wrong.values()), wrong


@pytest.mark.slow
def test_documents_are_those_of_the_sources() -> None:
    """Pictures in docs/ are as their sources make them, and none is left over; `house.py` makes them anew."""
    made = house.made()
    assert {path: path.read_text(encoding="utf-8") for path in made} == made
    assert set((house.DOCS / "drawing").iterdir()) <= made.keys()


def test_kernels_have_folders_of_their_own() -> None:
    """Sources with a header are compiled, others are not; they stand in folders of kernels, as mypy is told."""
    compiled = [path for path in HOUSE if path.read_text(encoding="utf-8").startswith("# cython:")]
    assert compiled == [path for path in HOUSE if path.with_suffix(".pxd").exists()]
    assert all("kernels" in path.parts for path in compiled)


@pytest.mark.parametrize("package", [dlx, sudoku], ids=lambda package: package.__name__)
def test_the_public_names_exist(package: ModuleType) -> None:
    """Every name in `__all__` is there, and none twice."""
    assert all(hasattr(package, name) for name in package.__all__)
    assert len(set(package.__all__)) == len(package.__all__)


def test_the_public_modules_are_there() -> None:
    """`dlx.formats` and the others are there after `import dlx` alone, and are loaded when they are needed."""
    code = "import sys, dlx; print('dlx.formats' in sys.modules); dlx.formats.read, dlx.extending.Loop, dlx.show.draw"
    assert run(code).stdout == "False\n"


@pytest.mark.parametrize("name", dlx.__all__)
def test_every_public_name_is_told_of(name: str) -> None:
    """A public name has a docstring, other than the one that Python makes of a dataclass."""
    text = getattr(dlx, name).__doc__
    assert text
    assert not text.startswith(f"{name}(")


@pytest.mark.slow
def test_the_version() -> None:
    """Both packages have the version of `pyproject.toml`, and load the module that looks it up when they are asked."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert dlx.__version__ == sudoku.__version__ == project["version"]
    assert run("import sys, dlx; print('importlib.metadata' in sys.modules)").stdout == "False\n"
    for package in (dlx, sudoku):
        with pytest.raises(AttributeError, match="no attribute 'versoin'"):
            package.versoin  # noqa: B018


def modules_after(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after a statement."""
    return set(run(f"{statement}\nimport sys\nprint(*{{name.split('.')[0] for name in sys.modules}})").stdout.split())


@pytest.mark.slow
def test_dlx_imports_little_besides_numpy() -> None:
    """`import dlx` loads neither scipy nor Cython nor sudoku, and few modules of any kind that numpy does not."""
    added = modules_after("import dlx") - modules_after("import numpy, dataclasses, fractions, pathlib, random, typing")
    assert "dlx" in added
    assert added.isdisjoint({"scipy", "Cython", "sudoku", "argparse", "asyncio", "multiprocessing"})
    assert len(added) < 20, f"import dlx brings in {sorted(added)}"


@pytest.mark.slow
def test_tiles_import_nothing_of_networks_or_archives() -> None:
    """`import dlx.tiles` adds few modules, none of them for files that are packed, XML or in a network."""
    added = modules_after("import dlx.tiles") - modules_after("import dlx")
    assert added.isdisjoint({"urllib", "gzip", "zlib", "xml", "pyexpat", "zipfile"})
    assert len(added) < 10, f"import dlx.tiles brings in {sorted(added)}"
