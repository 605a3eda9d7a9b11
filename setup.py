"""Compiles the kernels, the sources that begin with a Cython directive; everything else is in pyproject.toml.

The environment variable DLX_BUILD names a way to build them: `release` without it, or another of WAYS for whoever
works on them (CONTRIBUTING.md says when). What is built another way than before is built anew.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]  # any finding ends the process
BUILT = Path("build/built.json")  # how everything in build/ and beside the sources was made


@dataclass(frozen=True)
class Way:
    """How to make extension modules of the kernels.

    Attributes:
        flags: for the C compiler: gcc, clang or whatever takes their flags.
        msvc: for Microsoft's, which knows none of these.
        links: for the linker, beside the former.
        checked: whether memory views check each index, and that they have been assigned. An index below 0 fails such a
            check, since it never means "from the end" in a kernel.
        lines: whether debuggers and profilers show the lines of the Python source instead of those of the C file.
    """

    flags: list[str]
    msvc: list[str]
    links: list[str] = field(default_factory=list)
    checked: bool = False
    lines: bool = True

    @property
    def directives(self) -> dict[str, bool]:
        """For Cython; a directive in the first line of a source comes before these."""
        views = {"boundscheck": self.checked, "initializedcheck": self.checked, "wraparound": False}
        return views | {"cdivision": True, "show_performance_hints": False}  # hints at `check` methods


WAYS = {
    # No -march=native: it measured no faster, and wheels must run on other machines.
    "release": Way(["-O3", "-g0"], ["/O2"], lines=False),
    "debug": Way(["-Og", "-g", "-UNDEBUG"], ["/Od", "/Z7", "/UNDEBUG"], checked=True),
    "profile": Way(["-O3", "-g1", "-fno-omit-frame-pointer"], ["/O2", "/Z7", "/Oy-"]),
    "sanitize": Way(
        ["-O1", "-g", "-fno-omit-frame-pointer", *SANITIZERS], ["/O1", "/Z7", "/fsanitize=address"], links=SANITIZERS
    ),
}


class Build(build_ext):
    """Compiles with the flags that the compiler at hand understands; which one that is, only this command finds out."""

    def build_extensions(self) -> None:
        """Gives every kernel the flags of the chosen way."""
        way, is_msvc = WAYS[chosen()], self.compiler.compiler_type == "msvc"  # MinGW is another type, and like gcc
        for extension in self.extensions:
            extension.extra_compile_args = way.msvc if is_msvc else way.flags
            extension.extra_link_args = [] if is_msvc else way.links
        super().build_extensions()


def kernels() -> list[Extension]:
    """An extension module for every source that asks to be compiled."""
    sources = sorted(path for package in ("dlx", "sudoku") for path in Path(package).rglob("*.py"))
    return [
        Extension(".".join(path.with_suffix("").parts), [path.as_posix()])
        for path in sources
        if path.read_text(encoding="utf-8").startswith("# cython:")
    ]


def translate(way: Way, folder: str, annotate: bool = False, force: bool = False) -> list[Extension]:
    """The kernels in C, in a folder; annotated, with a page for each that shows where Python objects are used."""
    return cythonize(
        kernels(),
        build_dir=folder,
        compiler_directives=way.directives,
        emit_linenums=way.lines,
        annotate=annotate,
        force=force,
    )


def chosen() -> str:
    """The way that the environment names."""
    name = os.environ.get("DLX_BUILD") or "release"
    if name not in WAYS:
        raise SystemExit(f"DLX_BUILD is {name!r}: it must be one of {', '.join(WAYS)}, or unset for release")
    return name


def extensions() -> list[Extension]:
    """The kernels in C, all of them anew if they were last made another way: then BUILT is newer than any module."""
    name = chosen()
    way = WAYS[name]
    flags = " ".join([os.environ.get("CFLAGS", ""), *way.flags]).strip()
    made = {"way": name, "compiler": os.environ.get("CC", ""), "flags": flags, "directives": way.directives}
    text = json.dumps(made, indent=1)
    anew = not BUILT.exists() or BUILT.read_text(encoding="utf-8") != text
    translated = translate(way, "build/cython", force=anew)
    if anew:
        BUILT.parent.mkdir(exist_ok=True)
        BUILT.write_text(text, encoding="utf-8")
    for extension in translated:
        extension.depends.append(BUILT.as_posix())  # setuptools compares their times
    return translated


if __name__ == "__main__":
    setup(ext_modules=extensions(), cmdclass={"build_ext": Build}, options={"build_ext": {"parallel": os.cpu_count()}})
