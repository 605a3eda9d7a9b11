"""Finds compiled modules, and refuses to run their sources interpreted unless asked to."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType

BUILD = "pip install -e ."


def compiled_module(name: str) -> ModuleType:
    """Imports a module that is written in Python and meant to be compiled.

    Interpreted, the same source is about 300 times slower, so its use must be asked for: with DLX_INTERPRETED=1 in the
    environment the source is loaded even where a compiled module exists, for stepping through it with a debugger.

    Parameters:
        name: the full name of the module, in a package that is already imported.

    Returns:
        The module.

    Raises:
        ImportError: there is no compiled module, and DLX_INTERPRETED is not set.

    >>> compiled_module("dlx.kernels.links").__name__
    'dlx.kernels.links'
    """
    if os.environ.get("DLX_INTERPRETED") == "1":
        return sys.modules.get(name) or _load_source(name)
    spec = importlib.util.find_spec(name)
    if spec is None or (spec.origin or "").endswith(".py"):
        raise ImportError(
            f"{name} has not been compiled. Build it with: {BUILD}\n"
            "(DLX_INTERPRETED=1 runs the source as it is, about 300 times slower, for debugging.)",
            name=name,
        )
    return importlib.import_module(name)


def _load_source(name: str) -> ModuleType:
    package, _, stem = name.rpartition(".")
    folder = os.path.dirname(str(sys.modules[package].__file__))  # importing pathlib costs 3.5 ms
    loader = SourceFileLoader(name, os.path.join(folder, f"{stem}.py"))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module
