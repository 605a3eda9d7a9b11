"""Compiles the kernels: sources that begin with a Cython directive. pyproject.toml has all other settings.

The environment variable DLX_BUILD is a key of FLAGS; CONTRIBUTING.md explains the keys. If its value has changed since
the last build, all kernels are compiled again.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]  # an error ends the process
# -Wno-psabi: no vector is passed between modules. -march=native was not faster.
FLAGS = {
    "release": ["-O2", "-g0", "-Wno-psabi"],
    "debug": ["-Og", "-g", "-UNDEBUG"],
    "profile": ["-O2", "-g1", "-fno-omit-frame-pointer"],
    "sanitize": ["-O1", "-g", "-fno-omit-frame-pointer", *SANITIZERS],
}
ANY_ORDER = ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]  # floating-point sums may be in any order
HOT = {"bands": ["-O3"], "cholesky": ["-O3", *ANY_ORDER], "simplex": ["-O3", *ANY_ORDER]}  # at least 10 % faster
SHARED = "dlx.kernels.shared"  # the code of memory views, shared by all kernels
BUILT = Path("build/built.txt")  # the flags of the last build; all modules depend on this file

BUILD = os.environ.get("DLX_BUILD") or "release"
if BUILD not in FLAGS:
    raise SystemExit(f"DLX_BUILD is {BUILD!r}: it must be one of {', '.join(FLAGS)}, or unset for release")
used = " ".join([BUILD, *FLAGS[BUILD], os.environ.get("CFLAGS", ""), os.environ.get("CC", "")])
if not BUILT.exists() or BUILT.read_text(encoding="utf-8") != used:
    BUILT.parent.mkdir(exist_ok=True)
    BUILT.write_text(used, encoding="utf-8")


def extension(name: str, *sources: Path) -> Extension:
    """Returns an extension module, which is compiled again if a C header in the folder of its sources changes."""
    headers = [header.as_posix() for source in sources for header in sorted(source.parent.glob("*.h"))]
    flags = FLAGS[BUILD] + (HOT.get(name.rpartition(".")[2], []) if BUILD == "release" else [])
    return Extension(
        name,
        [source.as_posix() for source in sources],
        include_dirs=["."],
        depends=[BUILT.as_posix(), *headers],
        extra_compile_args=["/O2"] if sys.platform == "win32" else flags,
        extra_link_args=SANITIZERS if BUILD == "sanitize" else [],
    )


modules = sorted(path for package in ("dlx", "sudoku") for path in Path(package).rglob("*.py"))
kernels = [path for path in modules if path.read_text(encoding="utf-8").startswith("# cython:")]
debug = BUILD == "debug"
directives = {"boundscheck": debug, "initializedcheck": debug, "wraparound": False, "cdivision": True}
directives |= {"infer_types": True, "auto_pickle": False, "show_performance_hints": False}
extensions = cythonize(
    [*(extension(".".join(path.with_suffix("").parts), path) for path in kernels), extension(SHARED)],
    build_dir=f"build/cython/{BUILD}",
    compiler_directives=directives,
    emit_linenums=BUILD != "release",
    quiet=True,
    nthreads=(os.cpu_count() or 1) if sys.platform == "linux" else 0,
    shared_utility_qualified_name=SHARED,
)
setup(ext_modules=extensions, options={"build_ext": {"parallel": os.cpu_count()}})
