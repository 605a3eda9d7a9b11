"""The hot loops: Python sources compiled by Cython, and the contract that they all keep.

A kernel is made of `Rows` and of a buffer for covers. `run` goes on with the search from where it stopped, within
budgets, and tells why it came back; between two runs the search stands still and may be asked anything. The `.pxd` file
beside a kernel is its header: the fields with their invariants, and the steps.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

# What `run` returns: the search has ended; as many covers have been found as were asked for, or fit into the buffer; a
# budget of nodes or updates has been spent; a kernel that merges has no room for another state, edge or digit.
EXHAUSTED, BUFFER_FULL, BUDGET_SPENT, NO_ROOM = range(4)

DIGIT = 63  # bits of a digit of a large count: the sum of two fits in a word
LARGEST = (1 << DIGIT) - 1

NODE = -2  # among the options of edges that a search in layers writes down: here those of another node begin

# Where a kernel stands between two runs: about to enter a level, about to try an option, or at its end. The header
# frame.pxd has the same numbers.
ENTER, TRY, DONE = range(3)


class Runnable(Protocol):
    """A search that the loop runs and reports on, with `states`, `hits`, `bytes` and `doing`, if it has them
    (`Progress`).
    """

    @property
    def covers(self) -> int:
        """The covers found so far."""

    @property
    def nodes(self) -> int:
        """The options tried so far."""

    @property
    def updates(self) -> int:
        """The steps of the data structures so far, in the kernel's own measure."""

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Continues to the end or a budget; returns EXHAUSTED, BUFFER_FULL or BUDGET_SPENT."""

    def fraction(self) -> float:
        """The part of the search tree behind it, from 0 to 1."""


class Finder(Runnable, Protocol):
    """A search for covers, which hands them out in a buffer."""

    filled: int

    @property
    def name(self) -> str:
        """The name of the kernel."""

    def found(self) -> npt.NDArray[np.int32]:
        """The covers in the buffer: a row for each, option numbers in the order of choice, then -1."""


class Kernel(Finder, Protocol):
    """One that stands at one place; `dlx.kernels.cover.frame.Frame` tells of these steps."""

    def check(self) -> None:
        """Raises an AssertionError that names a broken invariant; for tests, between two runs."""

    def path(self) -> tuple[int, ...]: ...
    def standing(self) -> tuple[int, int]: ...
    def mark(self) -> list[int]: ...
    def seek(self, mark: list[int], /) -> None: ...
    def confine(self, level: int, /) -> None: ...
    def branches(self) -> list[tuple[int, list[int]]]: ...
