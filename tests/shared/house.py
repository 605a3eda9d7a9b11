"""Parts of docs/ made from sources: the picture of the rooms, and the pictures of drawing.md and of the README.

A room is a folder of a package, or a module beside the folders. As a program, this writes all of them anew.
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

from dlx.show import INK, PAPER, element, svg, text

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SOURCES = {package: sorted((ROOT / package).rglob("*.py")) for package in ("dlx", "sudoku")}

# The rooms from below: each imports only from those before it. What is not listed (the packages themselves, `start`) is
# known to nobody, or knows nobody.
FLOORS = {
    "dlx": [
        "kernels", "problem", "reference", "formats", "engine", "parallel", "search", "symmetry", "counting", "optimum",
        "extending", "show", "tiles", "command",
    ],
    "sudoku": [
        "restrictions", "rules", "constraints", "layout", "grid", "formats", "encoding", "kernels", "listing",
        "solve", "strategies", "target", "setting", "pictures", "command",
    ],
}  # fmt: skip
WIDTH, HEIGHT, GAP, MARGIN = 104, 34, 16, 16  # of a room, between rooms, around all


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


def floors(package: str) -> list[list[str]]:
    """The rooms of a package, floor by floor: each is one above the highest room that it imports from."""
    graph, height = arrows(package), dict[str, int]()
    for name in FLOORS[package]:
        height[name] = 1 + max((height[below] for below in graph[name]), default=-1)
    return [[name for name in FLOORS[package] if height[name] == k] for k in range(max(height.values()) + 1)]


def picture() -> str:
    """Draws both packages side by side: a box for each room, on its floor."""
    parts: list[str] = []
    left, tall = float(MARGIN), max(len(floors(package)) for package in FLOORS)
    for package in FLOORS:
        storeys = floors(package)
        wide = max(map(len, storeys)) * (WIDTH + GAP) - GAP
        parts.append(text(left + wide / 2, MARGIN + 18, package, 17, font_weight="bold"))
        for k, storey in enumerate(storeys):
            x = left + (wide - len(storey) * (WIDTH + GAP) + GAP) / 2
            y = MARGIN + 40 + (tall - 1 - k) * (HEIGHT + GAP)
            for name in storey:
                parts.append(element("rect", x=x, y=y, width=WIDTH, height=HEIGHT, rx=5, fill=PAPER, stroke=INK))
                parts.append(text(x + WIDTH / 2, y + HEIGHT / 2 + 5, name, 14, font_weight="bold"))
                x += WIDTH + GAP
        left += wide + 4 * GAP
    high = MARGIN * 2 + 40 + tall * (HEIGHT + GAP) - GAP
    title = "the folders of both packages in layers: each imports only from layers below its own"
    return svg(left - 4 * GAP + MARGIN, high, *parts, title=title)


def drawings() -> dict[Path, str]:
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


def made() -> dict[Path, str]:
    """The files of docs/ that are made from sources, with their texts."""
    return {DOCS / "architecture.svg": picture(), **drawings()}


if __name__ == "__main__":
    for file, written in made().items():
        file.write_text(written, encoding="utf-8")
