"""Diagrams as numpy .npz files: the arrays of the diagram, and the bytes of an inner .npz file with the problem."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.formats import npz
from dlx.formats.errors import FormatError
from dlx.problem.problem import Problem

VERSION = 1
PARTS = ("diagram", "problem", "first_edge", "edge_option", "edge_child")  # the version comes first


def dumps(problem: Problem, *arrays: npt.NDArray[Any]) -> bytes:
    """Writes the problem and the arrays of a diagram; raises FormatError for a name that cannot be written."""
    inside = np.frombuffer(npz.dumps(problem), dtype=np.uint8)
    return npz.packed(dict(zip(PARTS, (np.array([VERSION]), inside, *arrays), strict=True)))


def loads(data: bytes, file: str = "<bytes>") -> tuple[Any, ...]:
    """Reads the problem and the arrays of a diagram; `Diagram` checks that they fit together."""
    with npz.unpacked(data, file, "diagram", {*PARTS}) as parts:
        if len(parts) < len(PARTS):
            raise ValueError(f"it has only {', '.join(parts)} of {', '.join(PARTS)}")
        version, inside, *arrays = (parts[name] for name in PARTS)
        if version.tolist() != [VERSION]:
            raise ValueError(f"its version is {version.tolist()} instead of [{VERSION}]")
    try:
        return npz.loads(inside.tobytes()), *arrays
    except FormatError as error:
        raise FormatError(file, None, f"the problem in it: {error.reason}") from None
