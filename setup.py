"""Compiles the kernels, the sources that begin with a Cython directive; everything else is in pyproject.toml."""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup


def kernels() -> list[Extension]:
    """An extension module for every source that asks to be compiled."""
    sources = sorted(path for package in ("dlx", "sudoku") for path in Path(package).rglob("*.py"))
    return [
        Extension(".".join(path.with_suffix("").parts), [path.as_posix()], extra_compile_args=["-O3"])
        for path in sources
        if path.read_text(encoding="utf-8").startswith("# cython:")
    ]


setup(ext_modules=cythonize(kernels(), build_dir="build/cython"))
