"""The kernels: Python sources compiled by Cython, and the interface that they share.

A kernel is made from `Rows` and a buffer for covers. `run` continues the search within budgets, and returns the reason
why it stopped; between two runs all methods may be called. The `.pxd` file of a kernel is its header, with the fields,
their invariants, and the steps.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

# What `run` returns. EXHAUSTED: the search has ended. BUFFER_FULL: the buffer is full, or the budget of covers is
# spent. BUDGET_SPENT: the budget of nodes or updates is spent. NO_ROOM: a table of states, edges or digits is full.
EXHAUSTED, BUFFER_FULL, BUDGET_SPENT, NO_ROOM = range(4)

DIGIT = 63  # bits of a digit of a large count; the sum of two digits fits into a word
LARGEST = (1 << DIGIT) - 1

NODE = -2  # in the recorded edges of layers, instead of an option: the edges of another node follow

# The state of a kernel between two runs: before a level, before an option, or at its end; as in frame.pxd.
ENTER, TRY, DONE = range(3)


class Runnable(Protocol):
    """A search that the loop runs and reports on.

    It may have the attributes `states`, `hits`, `bytes` and `doing`, which are reported as well (`Progress`).
    """

    @property
    def covers(self) -> int:
        """The number of covers found so far."""

    @property
    def nodes(self) -> int:
        """The number of options tried so far."""

    @property
    def updates(self) -> int:
        """The number of steps of the data structures so far, in the kernel's own measure."""

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Continues to the end or a budget; returns EXHAUSTED, BUFFER_FULL or BUDGET_SPENT."""

    def fraction(self) -> float:
        """The part of the search tree visited so far, from 0 to 1."""


class Finder(Runnable, Protocol):
    """A search that writes covers to a buffer."""

    filled: int

    @property
    def name(self) -> str:
        """The name of the kernel."""

    def found(self) -> npt.NDArray[np.int32]:
        """The covers in the buffer: a row for each, option numbers in the order of choice, then -1."""


class Kernel(Finder, Protocol):
    """A search at one position of a tree; `dlx.kernels.cover.frame.Frame` documents its methods."""

    def check(self) -> None:
        """Raises an AssertionError that names a broken invariant; for tests, between two runs."""

    def path(self) -> tuple[int, ...]: ...
    def standing(self) -> tuple[int, int]: ...
    def mark(self) -> list[int]: ...
    def seek(self, mark: list[int], /) -> None: ...
    def confine(self, level: int, /) -> None: ...
    def branches(self) -> list[tuple[int, list[int]]]: ...
