"""Finds compiled modules, and refuses to run their sources interpreted unless DLX_INTERPRETED is set."""

from __future__ import annotations

import importlib
import importlib.util
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import FrameType, ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.random import Generator

BUILD = "make build, or pip install -e ."
INTERPRETED = os.environ.get("DLX_INTERPRETED") == "1"
MARK = b"# cython:"  # the first bytes of a source that is compiled


@cache
def compiled_module(name: str) -> ModuleType:
    """Imports a module that is written in Python and meant to be compiled.

    With DLX_INTERPRETED=1 in the environment when `dlx` is imported, sources run interpreted even if compiled modules
    exist, about 300 times slower, for stepping through them with a debugger. That needs Cython, whose shadow module
    the sources import.

    Raises:
        ImportError: the module is not compiled and DLX_INTERPRETED is not set; or it is set and Cython is missing.

    >>> compiled_module("dlx.kernels.cover.links").__name__
    'dlx.kernels.cover.links'
    """
    spec = importlib.util.find_spec(name)
    if not INTERPRETED and (spec is None or (spec.origin or "").endswith(".py")):
        raise ImportError(
            f"{name} has not been compiled. Build it with: {BUILD}\n"
            "(For debugging, DLX_INTERPRETED=1 runs the source interpreted, about 300 times slower.)",
            name=name,
        )
    with _no_interrupts():
        return importlib.import_module(name)


def random_generator(seed: int) -> Generator:
    """Returns `numpy.random.default_rng(seed)`, imported with Ctrl-C delayed.

    numpy.random consists of Cython modules, which numpy loads at their first use.
    """
    with _no_interrupts():
        generator: Generator = importlib.import_module("numpy.random").default_rng(seed)
    return generator


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Delays Ctrl-C: while a module is imported, Cython clears some errors and would lose KeyboardInterrupt."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda *seen: came.append(seen))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if came:
        handler(*came[0])


class _Sources:
    """An import finder that prefers sources marked for Cython to their compiled modules."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        """Returns the spec of a module's source; None if the source has no `MARK`."""
        for folder in path or ():
            file = os.path.join(folder, f"{name.rpartition('.')[2]}.py")  # importing pathlib costs 3.5 ms
            if os.path.exists(file):
                with open(file, "rb") as source:
                    if source.read(len(MARK)) == MARK:
                        return importlib.util.spec_from_loader(name, SourceFileLoader(name, file))
        return None


if INTERPRETED:
    sys.meta_path.insert(0, _Sources)
