"""Counting up to isomorphism: of isomorphic remaining problems, only one is solved.

Remaining problems with the same canonical form have the same number of covers. The kernel `classes` expands one of each
class. Forms come from a graph on points if that is sound (`dlx.symmetry.points`), otherwise from the graph of items and
options (`dlx.symmetry.forms`). A point is completed before the next begins, which keeps classes few. If there are
several families of points, a trial of each family estimates its forms, and the count uses the best family.

A checkpoint is the frontier: the states and weights of waiting classes, and of the untried options of the current
class. Forms are not saved but computed again, so a checkpoint does not depend on nauty.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import compiled_module
from dlx.engine.limits import CHECK_EVERY, SLICE, check_limits, until
from dlx.kernels import EXHAUSTED
from dlx.problem.checks import MEMORY, ProblemError
from dlx.problem.problem import Problem
from dlx.problem.words import counted
from dlx.symmetry.forms import BitProblem, Words, words_of
from dlx.symmetry.nauty import Nauty
from dlx.symmetry.points import Points, form_of

TRIAL = 2_000  # forms in the trial of a family, which are not counted
NODES = 4  # nodes that count as one form; a form of whole points usually takes 3, more with many dead ends
TURN = 50  # nodes between two checks of the limits and of the trial's end
MOST_AT_ONCE = 2_000  # nodes in a slice, some milliseconds


class Isomorphic:
    """A count up to isomorphism; a `Runnable` for the loop.

    Parameters:
        problem: what to cover.
        points: as for `count`.
        memory: estimated bytes that classes may take.
        nauty: finds canonical forms; `nauty.over` returns whether the search is over.

    Attributes:
        bits: the problem as bits, with the current state of all kernels.
        form: the canonical forms.
        families: the families of points to complete, one row of words for each point.
        doubt: why points are not used; empty if they are.

    Raises:
        ProblemError: there are multiplicities, or the caller's points are not sound.
        MemoryError, ImportError, StoppedError: as `count`.
    """

    name = "isomorphic"
    covers = property(attrgetter("_kernel.covers"))  # the weight of the empty class; at the end, all covers
    nodes = property(attrgetter("_kernel.nodes"))  # options tried
    updates = property(attrgetter("_kernel.forms"))  # canonical forms computed
    states = property(attrgetter("_kernel.states"))  # classes found so far
    bytes = property(attrgetter("_kernel.frontier.most_bytes"))  # estimated maximum bytes of the classes

    def __init__(
        self, problem: Problem, points: Points | None = None, memory: int = MEMORY, nauty: Nauty | None = None
    ) -> None:
        if problem.multiplicities is not None:
            raise ProblemError(
                "merge='isomorphic' does not support multiplicities: use merge='same', or up_to= for orbits of covers"
            )
        nauty = nauty or Nauty()
        self.bits = BitProblem(problem.rows(), memory, nauty.over)
        self.doubt, self.form, families = form_of(self.bits, problem, points, nauty)
        self.families = [words_of(family, self.bits.rows.n_primary) for family in families]
        self._memory, self._nauty = memory, nauty
        self._kernel = self.kernel(self.families[0])
        self._is_chosen = len(self.families) == 1  # whether the best family has been chosen
        self._pace = 1  # nodes in the next slice

    def kernel(self, points: Words) -> Any:
        """Returns a new kernel for a family of points."""
        kernels, bits = compiled_module("dlx.kernels.count.classes"), self.bits
        bits.state[:] = bits.root
        remaining = kernels.Remaining(bits.state, bits.words, *bits.arrays(self._nauty.over))
        return kernels.ClassCount(remaining, points, self.form, self._memory)

    @property
    def hits(self) -> int:
        """The number of states whose class was known."""
        return int(self._kernel.forms - self._kernel.states)

    @property
    def doing(self) -> str:
        """The progress of the count, in words."""
        kernel = self._kernel
        points = f"{kernel.done} of {len(kernel.points)} points done, " if len(kernel.points) else ""
        classes = counted(kernel.frontier.width, "class", "classes")
        return f"{points}{counted(kernel.top, 'item')} open, {classes} to expand"

    def fraction(self) -> float:
        """Returns the fraction of items covered in the classes being expanded."""
        return float(1 - self._kernel.top / max(1, self.bits.open.bit_count()))

    def frontier(self) -> dict[str, Any] | None:
        """Returns the state for a checkpoint, between two runs; None before a family of points is chosen."""
        if not self._is_chosen:
            return None
        kernel = self._kernel
        states, weights = kernel.waiting()
        return {
            "nodes": kernel.nodes,
            "forms": kernel.forms,
            "states": kernel.states,
            "points": np.asarray(kernel.points),
            "state": states,
            "weight": _bytes([*weights, kernel.covers]),
        }

    def resume(self, saved: Mapping[str, Any]) -> None:
        """Continues from a checkpoint; raises ValueError if its points differ, StoppedError, MemoryError."""
        same = [family for family in self.families if np.array_equal(family, saved["points"])]
        if not same:
            raise ValueError("the checkpoint is of another problem: its points differ")
        kernel = self._kernel = self.kernel(same[0])
        self._is_chosen = True
        states, (*weights, kernel.covers) = saved["state"], _numbers(saved["weight"])
        kernel.clear()
        for first in until(self._nauty.over, range(0, max(len(states), len(weights)), CHECK_EVERY), 1):
            kernel.put(states[first : first + CHECK_EVERY], weights[first : first + CHECK_EVERY])
        kernel.nodes, kernel.forms, kernel.frontier.states = saved["nodes"], saved["forms"], saved["states"]

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Continues until the count ends or a budget is spent; raises MemoryError."""
        if not self._is_chosen:
            self._kernel = self.kernel(min(self.families, key=self._forms_needed))
            self._is_chosen = True
        start = time.perf_counter()
        state = int(self._kernel.run(min(nodes, self._pace)))
        slow = time.perf_counter() - start > SLICE
        self._pace = max(1, self._pace // 2) if slow else min(2 * self._pace, MOST_AT_ONCE)
        return state

    def _forms_needed(self, family: Words) -> float:
        """Returns the expected number of forms of a family, by a trial; infinity if the memory is too small."""
        try:
            kernel = self.kernel(family)
            while max(kernel.forms, kernel.nodes // NODES) < TRIAL and kernel.run(TURN) != EXHAUSTED:
                check_limits(self._nauty.over)
        except MemoryError:
            return math.inf
        width = kernel.frontier.width
        return float(kernel.forms + width * kernel.forms / max(1, kernel.states - width))


def _bytes(numbers: Sequence[int]) -> npt.NDArray[np.uint8]:
    """Returns numbers of any size as rows of bytes, the lowest byte first."""
    width = max(numbers).bit_length() // 8 + 1
    joined = b"".join(number.to_bytes(width, "little") for number in numbers)
    return np.frombuffer(joined, dtype=np.uint8).reshape(len(numbers), width)


def _numbers(rows: npt.NDArray[np.uint8]) -> list[int]:
    return [int.from_bytes(row.tobytes(), "little") for row in rows]
