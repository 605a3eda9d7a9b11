"""A count up to isomorphism as a snapshot keeps it: the classes that wait, and where one of them is being expanded.

Forms are not kept: they are made again for the buckets that are being filled, which is a small part of those that have
been asked for. So a snapshot does not depend on nauty, and numbers only have to be those of the same problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import LOOKS, Over, until
from dlx.symmetry.forms import Words

NUMBERS = ("nodes", "forms", "states", "most_bytes", "top", "done", "point", "depth")  # of the kernel,
LEVELS = ("level", "rival", "size", "n_rivals", "next_rival", "grouped")  # and of each level of the class at hand

Waiting = list[tuple[Words, list[int]]]  # states and weights, as `Classes.waiting` returns them


def stand(kernel: Any, waiting: Waiting) -> dict[str, Any]:
    """Returns what a snapshot says of a count by a kernel, with these classes that wait."""
    weights = [weight for _, some in waiting for weight in some]
    return {
        "whole": bool(kernel.whole),
        "points": np.asarray(kernel.points),
        **{name: int(getattr(kernel, name)) for name in NUMBERS},
        **{name: np.asarray(getattr(kernel, name))[: kernel.depth + 1] for name in LEVELS},
        "sizes": [len(some) for _, some in waiting],
        "state": np.concatenate([states for states, _ in waiting]),
        "weight": _bytes([*weights, *kernel.weight[: kernel.depth + 1], kernel.covers]),
    }


def is_of(kernel: Any, saved: Mapping[str, Any]) -> bool:
    """Tells whether a kernel finishes the same points one after the other, in the same way."""
    return bool(kernel.whole) == saved["whole"] and np.array_equal(kernel.points, saved["points"])


def go_on(kernel: Any, saved: Mapping[str, Any], over: Over) -> None:
    """Brings a kernel to where another one stood; raises StoppedError or MemoryError, and the kernel is of no use."""
    states, sizes = saved["state"], saved["sizes"]
    *weights, kernel.covers = _numbers(saved["weight"])
    kernel.clear(saved["done"])
    for k, (begin, end) in enumerate(pairwise([0, *accumulate(sizes)])):
        if k % 2 == 0 and k < len(sizes) - 1:
            kernel.begin_part(states[begin:end].copy(), weights[begin:end])
            continue
        for some in until(over, range(begin, end, LOOKS), 1):
            last = min(end, some + LOOKS)
            kernel.put(states[some:last], weights[some:last])
    for name in NUMBERS:
        setattr(kernel, name, saved[name])
    for name in LEVELS:
        np.asarray(getattr(kernel, name))[: kernel.depth + 1] = saved[name]
    kernel.weight[: kernel.depth + 1] = weights[len(states) :]


def _bytes(numbers: Sequence[int]) -> npt.NDArray[np.uint8]:
    """Returns numbers of any size as rows of bytes, the lowest first."""
    width = max(numbers).bit_length() // 8 + 1
    joined = b"".join(number.to_bytes(width, "little") for number in numbers)
    return np.frombuffer(joined, dtype=np.uint8).reshape(len(numbers), width)


def _numbers(rows: Iterable[npt.NDArray[np.uint8]]) -> list[int]:
    return [int.from_bytes(row.tobytes(), "little") for row in rows]
