"""The rooms of a package, which are its folders and the modules beside these, and the pictures of docs/drawing.

As a program, this writes the pictures anew.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SOURCES = {package: sorted((ROOT / package).rglob("*.py")) for package in ("dlx", "sudoku")}


@cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    """The nodes of a source's syntax tree; the first one is the module."""
    return tuple(ast.walk(ast.parse(source)))


@cache
def imports(source: str) -> tuple[tuple[str, str | None], ...]:
    """The modules that a source imports, each with a name taken from it, or None for the module itself."""
    found: list[tuple[str, str | None]] = []
    for node in nodes(source):
        if isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found += [(str(node.module), alias.name) for alias in node.names]
    return tuple(found)


def module_of(path: Path) -> str:
    """The name of the module that a source makes."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources(package: str) -> dict[str, str]:
    """The text of each module of a package."""
    return {module_of(path): path.read_text(encoding="utf-8") for path in SOURCES[package]}


def _loads(source: str) -> Iterator[str]:
    """The beginnings of the names of modules that a source passes to a function that imports modules by name."""
    for node in nodes(source):
        called = getattr(node, "func", None)
        name = getattr(called, "attr", getattr(called, "id", ""))
        if isinstance(node, ast.Call) and node.args and name in ("compiled_module", "import_module"):
            first = node.args[0].values[0] if isinstance(node.args[0], ast.JoinedStr) else node.args[0]
            if isinstance(first, ast.Constant):
                yield str(first.value)


def _defines(source: str) -> bool:
    """Returns whether a source has a function or a class of its own, and not only imports."""
    (body,) = (node.body for node in nodes(source) if isinstance(node, ast.Module))
    return any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in body)


def needs(module: str, sources: dict[str, str]) -> set[str]:
    """The modules that a module needs, at any time: at import, in a function later, or for the types alone.

    A module in a package needs the package's own file, too, if things are defined there.
    """
    needed = set()
    for name, taken in imports(sources[module]):
        origin = name.removeprefix("cython.cimports.")
        whole = f"{origin}.{taken}"
        needed.add(whole if whole in sources else origin)
    for start in _loads(sources[module]):
        needed |= {name for name in sources if name == start or (start.endswith(".") and name.startswith(start))}
    package = module.rpartition(".")[0]
    if package in sources and _defines(sources[package]):
        needed.add(package)
    return (needed & sources.keys()) - {module}


def room(module: str) -> str:
    """The room of a module; that of a package's own file has no name."""
    return "".join(module.split(".")[1:2])


def arrows(package: str) -> dict[str, set[str]]:
    """For each room the others that it imports from; the package's own file and its commands are left out."""
    texts = sources(package)
    needed: dict[str, set[str]] = {room(module): set() for module in texts}
    for module in texts:
        needed[room(module)] |= {room(name) for name in needs(module, texts)}
    outer = {"", "__main__", "start"}
    return {name: rooms - outer - {name} for name, rooms in needed.items() if name not in outer}


def layers(package: str) -> list[set[str]]:
    """The rooms of a package from above, line by line, as the table in architecture.md has them."""
    _, _, table = (DOCS / "architecture.md").read_text(encoding="utf-8").partition("| `dlx` | `sudoku` |\n|---|---|\n")
    rows = [row.split("|") for row in table.partition("\n\n")[0].splitlines()]
    lines = (row[["", "dlx", "sudoku"].index(package)].strip() for row in rows)
    return [set(line.split(", ")) for line in lines if line]


def made() -> dict[Path, str]:
    """The pictures of drawing.md and of the README: `drawing/NAME.svg` is the NAME of their examples."""
    made: dict[Path, str] = {}
    for document in (DOCS / "drawing.md", ROOT / "README.md"):
        text, known = document.read_text(encoding="utf-8"), dict[str, object]()
        with contextlib.redirect_stdout(io.StringIO()):
            for example in doctest.DocTestParser().get_examples(text):
                exec(example.source, known)
        names = re.findall(r"\((?:docs/)?drawing/(\w+)\.svg\)", text)
        made |= {DOCS / "drawing" / f"{name}.svg": str(known[name]) for name in names}
    return made


if __name__ == "__main__":
    for file, written in made().items():
        file.write_text(written, encoding="utf-8")
