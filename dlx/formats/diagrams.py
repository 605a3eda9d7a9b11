"""Diagrams as numpy .npz files: the arrays of a diagram, and its problem as a file in the file.

There is no pickle in it, so that reading one from a stranger runs no code of theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.formats import npz
from dlx.formats.errors import FormatError
from dlx.formats.npz import HEADER, most, opened, pack
from dlx.problem.problem import Problem

VERSION = 1
PARTS = ("diagram", "problem", "first_edge", "edge_option", "edge_child")  # the version comes first


def dumps(problem: Problem, *arrays: npt.NDArray[Any]) -> bytes:
    """Writes the problem and the arrays of a diagram; may raise a FormatError of a name."""
    inside = np.frombuffer(npz.dumps(problem), dtype=np.uint8)
    values = (np.array([VERSION]), inside, *arrays)
    longest = max(most(inside.nbytes), *(array.nbytes for array in arrays))  # the problem is packed already
    return pack(longest, **dict(zip(PARTS, values, strict=True)))


def loads(data: bytes, file: str = "<bytes>") -> tuple[Any, ...]:
    """Reads the problem and the arrays of a diagram; `Diagram` checks whether they make one."""
    with opened(data, file, "diagram") as files:
        if files.keys() != {*PARTS}:
            raise ValueError(f"it has {', '.join(files) or 'nothing'} instead of {', '.join(PARTS)}")
        version = files["diagram"](HEADER).tolist()
        if version != [VERSION]:
            raise ValueError(f"its version is {version} instead of [{VERSION}]")
        # The unpacked problem is bounded by its bytes, and these by those of the file.
        size = len(data)
        inside, *arrays = (files[name](HEADER + size if name == "problem" else most(size)) for name in PARTS[1:])
    try:
        return npz.loads(inside.tobytes()), *arrays
    except FormatError as error:
        raise FormatError(file, None, f"the problem in it: {error.reason}") from None
