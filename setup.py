"""Compiles the kernels, the sources that begin with a Cython directive; everything else is in pyproject.toml.

The environment variable DLX_BUILD names a way to build them: `release` without it, or another of WAYS for whoever
works on them (CONTRIBUTING.md says when). What is built another way than before is built anew.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext

SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]  # any finding ends the process
BUILT = Path("build/built.json")  # how everything in build/ and beside the sources was made
# The kernels that -O3 makes faster than -O2: one by a tenth, and two with long sums, which may be in any order.
# `node` is no faster with -O3 or unrolled loops, and sums in any order change its tree. It has no -lm either: the `exp`
# of glibc 2.29 lacks a wrapper that takes 1 % of a search, but is too new for wheels.
ANY_ORDER = ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]
HOT = {
    "sudoku.kernels.bands": ["-O3"],
    "dlx.kernels.price.lp.cholesky": ["-O3", *ANY_ORDER],
    "dlx.kernels.price.lp.simplex": ["-O3", *ANY_ORDER],
}
SHARED = "dlx.kernels.shared"  # Cython's own memory views, compiled once instead of into each kernel: 3 s of gcc each
PATIENCE = 10.0  # seconds between two lines on the progress of a build


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
        # Performance hints are for searches, and would point at `check` methods. No kernel is ever pickled: the methods
        # for that took gcc 34 of 120 s.
        unneeded = {"show_performance_hints": False, "auto_pickle": False}
        return views | {"cdivision": True, "infer_types": True} | unneeded


# Vectors that one processor has and another lacks never leave their module: gcc need not say that these differ (psabi).
WAYS = {
    # -O3 takes gcc a quarter longer, and searches were faster at -O2 (0.97, geometric mean of 28) but for those of HOT.
    # No -march=native: it measured no faster, and wheels must run on other machines.
    "release": Way(["-O2", "-g0", "-Wno-psabi"], ["/O2"], lines=False),
    "debug": Way(["-Og", "-g", "-UNDEBUG"], ["/Od", "/Z7", "/UNDEBUG"], checked=True),
    "profile": Way(["-O2", "-g1", "-fno-omit-frame-pointer"], ["/O2", "/Z7", "/Oy-"]),
    "sanitize": Way(
        ["-O1", "-g", "-fno-omit-frame-pointer", *SANITIZERS], ["/O1", "/Z7", "/fsanitize=address"], links=SANITIZERS
    ),
}


class KernelsFirst(build):
    """Compiles before anything is copied: what is missing is then said at once."""

    sub_commands: ClassVar = sorted(build.sub_commands, key=lambda command: command[0] != "build_ext")


class Build(build_ext):
    """Compiles with the flags that the compiler at hand understands; which one that is, only this command finds out."""

    def run(self) -> None:
        """Translates the kernels to C, unless anything is missing; the longest ones are compiled first."""
        if missing := missing_needs():
            raise SystemExit(f"Dancing Cover is compiled on installation, and this machine lacks {missing}")
        translate_anew(self.extensions)
        self.extensions.sort(key=lambda extension: -os.path.getsize(extension.sources[0]))
        self._compiled, self._told = 0, time.monotonic()
        super().run()

    def build_extensions(self) -> None:
        """Gives every kernel the flags of the chosen way."""
        way, is_msvc = WAYS[chosen()], self.compiler.compiler_type == "msvc"  # MinGW is another type, and like gcc
        for extension in self.extensions:
            extension.extra_compile_args = way.msvc if is_msvc else way.flags
            extension.extra_link_args = [] if is_msvc else way.links
            if extension.name == SHARED and not is_msvc:  # no search enters it: 3 s instead of 6
                extension.extra_compile_args = [*way.flags, "-O1"]
            if extension.name in HOT and way is WAYS["release"] and not is_msvc:
                extension.extra_compile_args = [*way.flags, *HOT[extension.name]]
        super().build_extensions()

    def build_extension(self, extension: Extension) -> None:
        """Compiles one kernel, unless the module beside its source is newer than that; now and then it says how far."""
        built, path = Path(self.get_ext_filename(extension.name)), Path(self.get_ext_fullpath(extension.name))
        if built.exists() and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(built, path)  # setuptools compares its time with those of the sources
        super().build_extension(extension)
        self._compiled += 1
        if time.monotonic() - self._told > PATIENCE:
            self._told = time.monotonic()
            print(f"{self._compiled} of {len(self.extensions)} kernels are compiled", file=sys.stderr, flush=True)


def missing_needs() -> str:
    """The needs of a build that this machine lacks, in words; nothing where it has all, or is none of POSIX."""
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "").split()
    needs = {
        f"a C compiler ({compiler[0]})" if compiler else "": not compiler or shutil.which(compiler[0]),
        "the headers of Python": (Path(sysconfig.get_path("include")) / "Python.h").exists(),
    }
    return "" if os.name != "posix" else " and ".join(need for need, there in needs.items() if not there)


def kernels() -> list[Extension]:
    """An extension module for every source that asks to be compiled, and one for what all of them share."""
    sources = sorted(path for package in ("dlx", "sudoku") for path in Path(package).rglob("*.py"))
    found = [
        Extension(".".join(path.with_suffix("").parts), [path.as_posix()])
        for path in sources
        if path.read_text(encoding="utf-8").startswith("# cython:")
    ]
    return [*found, Extension(SHARED, [])] if len(found) > 1 else found


def translate(
    extensions: list[Extension], way: Way, folder: str, annotate: bool = False, force: bool = False
) -> list[Extension]:
    """The kernels in C, in a folder; annotated, with a page for each that shows where Python objects are used."""
    return cythonize(
        extensions,
        build_dir=folder,
        compiler_directives=way.directives,
        emit_linenums=way.lines,
        annotate=annotate,
        force=force,
        quiet=True,  # but for errors and warnings
        nthreads=(os.cpu_count() or 1) if sys.platform == "linux" else 0,  # in processes that are forked
        shared_utility_qualified_name=SHARED if len(extensions) > 1 else None,
    )


def chosen() -> str:
    """The way that the environment names."""
    name = os.environ.get("DLX_BUILD") or "release"
    if name not in WAYS:
        raise SystemExit(f"DLX_BUILD is {name!r}: it must be one of {', '.join(WAYS)}, or unset for release")
    return name


def translate_anew(extensions: list[Extension]) -> None:
    """Gives each kernel its source in C, made anew if the last way was another: then BUILT is newer than any."""
    name = chosen()
    way = WAYS[name]
    flags = " ".join([os.environ.get("CFLAGS", ""), *way.flags]).strip()
    made = {"way": name, "compiler": os.environ.get("CC", ""), "flags": flags, "directives": way.directives}
    text = json.dumps(made, indent=1)
    anew = not BUILT.exists() or BUILT.read_text(encoding="utf-8") != text
    translated = {each.name: each for each in translate(extensions, way, "build/cython", force=anew)}
    if anew:
        BUILT.parent.mkdir(exist_ok=True)
        BUILT.write_text(text, encoding="utf-8")
    for extension in extensions:
        extension.sources = translated[extension.name].sources
        extension.depends = [*translated[extension.name].depends, BUILT.as_posix()]  # setuptools compares their times


if __name__ == "__main__":
    chosen()
    commands = {"build": KernelsFirst, "build_ext": Build}
    setup(ext_modules=kernels(), cmdclass=commands, options={"build_ext": {"parallel": os.cpu_count()}})
