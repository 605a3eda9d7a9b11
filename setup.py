"""Compiles the kernels, the sources that begin with a Cython directive; everything else is in pyproject.toml."""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

FLAGS = ["-O3", "-g0"]  # no -march=native: it measured no faster, and wheels must run on other machines


def kernels() -> list[Extension]:
    """An extension module for every source that asks to be compiled."""
    sources = sorted(path for package in ("dlx", "sudoku") for path in Path(package).rglob("*.py"))
    return [
        Extension(".".join(path.with_suffix("").parts), [path.as_posix()], extra_compile_args=FLAGS)
        for path in sources
        if path.read_text(encoding="utf-8").startswith("# cython:")
    ]


setup(
    ext_modules=cythonize(kernels(), build_dir="build/cython"),
    options={"build_ext": {"parallel": os.cpu_count()}},
)
