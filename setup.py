"""Compiles the kernels, the sources that begin with a Cython directive; everything else is in pyproject.toml.

The environment variable DLX_BUILD chooses a key of FLAGS (CONTRIBUTING.md says what each is for). Another value than
in the last build compiles every kernel again.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]  # a finding ends the process
# -Wno-psabi: vectors that only some processors have never leave their module. -march=native measured no faster.
FLAGS = {
    "release": ["-O2", "-g0", "-Wno-psabi"],
    "debug": ["-Og", "-g", "-UNDEBUG"],
    "profile": ["-O2", "-g1", "-fno-omit-frame-pointer"],
    "sanitize": ["-O1", "-g", "-fno-omit-frame-pointer", *SANITIZERS],
}
BUILD = os.environ.get("DLX_BUILD") or "release"
if BUILD not in FLAGS:
    raise SystemExit(f"DLX_BUILD is {BUILD!r}: it must be one of {', '.join(FLAGS)}, or unset for release")
ANY_ORDER = ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]  # long sums may be in any order
HOT = {  # kernels that -O3 makes faster, by a tenth or more
    "bands": ["-O3"],
    "cholesky": ["-O3", *ANY_ORDER],
    "simplex": ["-O3", *ANY_ORDER],
}
SHARED = "dlx.kernels.shared"  # the code of memory views, compiled once instead of into each kernel
BUILT = Path("build/built.json")  # how the modules were compiled; they depend on this file


def kernels() -> list[Extension]:
    """Returns an extension module for each source that begins with a Cython directive, and one that all share."""
    sources = sorted(path for package in ("dlx", "sudoku") for path in Path(package).rglob("*.py"))
    extensions = [
        Extension(
            ".".join(path.with_suffix("").parts),
            [path.as_posix()],
            include_dirs=["."],
            depends=[BUILT.as_posix(), *(header.as_posix() for header in sorted(path.parent.glob("*.h")))],
            extra_compile_args=flags(path.stem),
            extra_link_args=SANITIZERS if BUILD == "sanitize" else [],
        )
        for path in sources
        if path.read_text(encoding="utf-8").startswith("# cython:")
    ]
    shared = Extension(SHARED, [], depends=[BUILT.as_posix()], extra_compile_args=flags(""))
    return cythonize(
        [*extensions, shared],
        build_dir="build/cython",
        compiler_directives={
            "boundscheck": BUILD == "debug",
            "initializedcheck": BUILD == "debug",
            "wraparound": False,
            "cdivision": True,
            "infer_types": True,
            "auto_pickle": False,
            "show_performance_hints": False,
        },
        emit_linenums=BUILD != "release",
        force=is_another_way(),
        quiet=True,  # except for errors and warnings
        nthreads=(os.cpu_count() or 1) if sys.platform == "linux" else 0,
        shared_utility_qualified_name=SHARED,
    )


def flags(kernel: str) -> list[str]:
    """Returns the flags for the compiler of C."""
    if sys.platform == "win32":
        return ["/O2"]
    return FLAGS[BUILD] + (HOT.get(kernel, []) if BUILD == "release" else [])


def is_another_way() -> bool:
    """Writes how this build compiles to BUILT; returns whether the last build compiled in another way."""
    used = " ".join([os.environ.get("CFLAGS", ""), *FLAGS[BUILD]]).strip()
    text = json.dumps({"way": BUILD, "compiler": os.environ.get("CC", ""), "flags": used}, indent=1)
    if BUILT.exists() and BUILT.read_text(encoding="utf-8") == text:
        return False
    BUILT.parent.mkdir(exist_ok=True)
    BUILT.write_text(text, encoding="utf-8")
    return True


setup(ext_modules=kernels(), options={"build_ext": {"parallel": os.cpu_count()}})
