"""Counting up to isomorphism: of isomorphic remaining problems, only one is solved.

Remaining problems with the same canonical form have the same number of covers. The kernel `classes` expands one of each
class. Forms come from a graph on points if that is sound (`dlx.symmetry.points`), otherwise from the graph of items and
options (`dlx.symmetry.forms`). A point is completed before the next begins, which keeps classes few. If there are
several families of points, a trial of each family estimates its forms, and the family with the fewest continues.

A checkpoint is the frontier: the states and weights of waiting classes, and of the untried options of the current
class. Forms are not saved but computed again, so a checkpoint does not depend on nauty.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import compiled_module
from dlx.engine.limits import CHECK_EVERY, SLICE, until
from dlx.kernels import BUDGET_SPENT, EXHAUSTED
from dlx.problem.checks import MEMORY, ProblemError
from dlx.problem.problem import Problem
from dlx.problem.words import counted
from dlx.symmetry.forms import BitProblem, Words, words_of
from dlx.symmetry.nauty import Nauty
from dlx.symmetry.points import Points, form_of

TRIAL = 2_000  # forms in the trial of a family
NODES = 4  # nodes that count as one form; a form of whole points usually takes 3, more with many dead ends
TURN = 50  # nodes between two checks for the end of a trial
MOST_AT_ONCE = 2_000  # nodes in a slice, some milliseconds


class Isomorphic:
    """A count up to isomorphism; a `Runnable` for the loop.

    A pilot is a kernel for one family of points. Each pilot computes TRIAL forms; then only the pilot with
    the fewest expected forms continues.

    Parameters:
        problem: what to cover.
        points: as for `count`.
        memory: estimated bytes that classes may take.
        nauty: finds canonical forms; `nauty.over` is the limit.

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
    states = property(attrgetter("_pilot.states"))  # classes that there have been
    bytes = property(attrgetter("_pilot.frontier.most_bytes"))  # estimated bytes of the classes at most

    def __init__(
        self, problem: Problem, points: Points | None = None, memory: int = MEMORY, nauty: Nauty | None = None
    ) -> None:
        if problem.multiplicities is not None:
            raise ProblemError(
                "the problem has multiplicities, which merge='isomorphic' does not count: "
                "use merge='same', or up_to= for orbits of covers"
            )
        nauty = nauty or Nauty()
        self.bits = BitProblem(problem.rows(), memory, nauty.over)
        self.doubt, self.form, families = form_of(self.bits, problem, points, nauty)
        self.families = [words_of(family, self.bits.rows.n_primary) for family in families]
        self._memory, self._nauty = memory, nauty
        self._pilots: list[Any] = [self.kernel(family) for family in until(nauty.over, self.families, 1)]
        self._pilot = self._pilots[0]
        self._pace = 1  # nodes in the next slice
        self._given_up = (0, 0)  # nodes and forms of abandoned pilots

    def kernel(self, points: Words) -> Any:
        """Returns a new kernel for a family of points."""
        kernels, bits = compiled_module("dlx.kernels.count.classes"), self.bits
        bits.state[:] = bits.root
        remaining = kernels.Remaining(bits.state, bits.words, *bits.arrays(self._nauty.over))
        return kernels.ClassCount(remaining, points, self.form, self._memory)

    @property
    def covers(self) -> int:
        """The weight of the empty class; at the end, all covers."""
        return int(self._pilot.covers)

    @property
    def nodes(self) -> int:
        """The options tried."""
        return self._given_up[0] + sum(int(pilot.nodes) for pilot in self._pilots)

    @property
    def updates(self) -> int:
        """The canonical forms computed."""
        return self._given_up[1] + sum(int(pilot.forms) for pilot in self._pilots)

    @property
    def hits(self) -> int:
        """The states whose class was known."""
        return int(self._pilot.forms - self._pilot.states)

    @property
    def doing(self) -> str:
        """The progress of the count, in words."""
        pilot = self._pilot
        points = f"{pilot.done} of {len(pilot.points)} points done, " if len(pilot.points) else ""
        return (
            f"{points}{counted(pilot.top, 'item')} open, {counted(pilot.frontier.width, 'class', 'classes')} to expand"
        )

    def fraction(self) -> float:
        """Returns the fraction of items covered in the classes being expanded."""
        return float(1 - self._pilot.top / max(1, self.bits.open.bit_count()))

    def frontier(self) -> dict[str, Any] | None:
        """Returns the state for a checkpoint, between two runs; None while there are several pilots."""
        if len(self._pilots) > 1:
            return None
        kernel = self._pilot
        states, weights = kernel.waiting()
        facts = {"nodes": kernel.nodes, "forms": kernel.forms, "states": kernel.states, "given_up": self._given_up}
        return {
            **facts,
            "points": np.asarray(kernel.points),
            "state": states,
            "weight": _bytes([*weights, kernel.covers]),
        }

    def resume(self, saved: Mapping[str, Any]) -> None:
        """Continues from a checkpoint; raises ValueError if its points differ, StoppedError, MemoryError."""
        same = [pilot for pilot in self._pilots if np.array_equal(pilot.points, saved["points"])]
        if not same:
            raise ValueError("the saved count has other points")
        kernel = self._pilot = same[0]
        self._pilots, self._given_up = [kernel], tuple(saved["given_up"])
        states, (*weights, kernel.covers) = saved["state"], _numbers(saved["weight"])
        kernel.clear()
        for first in until(self._nauty.over, range(0, max(len(states), len(weights)), CHECK_EVERY), 1):
            kernel.put(states[first : first + CHECK_EVERY], weights[first : first + CHECK_EVERY])
        kernel.nodes, kernel.forms, kernel.frontier.states = saved["nodes"], saved["forms"], saved["states"]

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Continues until the count ends or a budget is spent; raises MemoryError if no pilot has room."""
        if len(self._pilots) > 1:
            self._choose_pilot()
            nodes = min(nodes, TURN)
        start = time.perf_counter()
        try:
            state = int(self._pilot.run(min(nodes, self._pace)))
        except MemoryError:
            if len(self._pilots) == 1:
                raise
            self._keep([pilot for pilot in self._pilots if pilot is not self._pilot])
            return BUDGET_SPENT
        if state == EXHAUSTED:
            self._keep([self._pilot])
        slow = time.perf_counter() - start > SLICE
        self._pace = max(1, self._pace // 2) if slow else min(2 * self._pace, MOST_AT_ONCE)
        return state

    def _choose_pilot(self) -> None:
        """Selects the pilot of the first unfinished trial; after the last trial, keeps only the best pilot."""
        trials = [pilot for pilot in self._pilots if _spent(pilot) < TRIAL]
        if trials:
            self._pilot = trials[0]
        else:
            self._keep([min(self._pilots, key=_ahead)])

    def _keep(self, kept: list[Any]) -> None:
        """Abandons all pilots but these."""
        gone = [pilot for pilot in self._pilots if pilot not in kept]
        nodes, forms = self._given_up
        self._given_up = nodes + sum(int(each.nodes) for each in gone), forms + sum(int(each.forms) for each in gone)
        self._pilots, self._pilot = kept, kept[0]


def _spent(pilot: Any) -> int:
    """Returns the forms of a pilot, or its nodes in units of forms if there are more."""
    return int(max(pilot.forms, pilot.nodes // NODES))


def _ahead(pilot: Any) -> float:
    """Returns the forms that the waiting classes will need at the present rate."""
    width = pilot.frontier.width
    return float(width * pilot.forms / max(1, pilot.states - width))


def _bytes(numbers: Sequence[int]) -> npt.NDArray[np.uint8]:
    """Returns numbers of any size as rows of bytes, the lowest byte first."""
    width = max(numbers).bit_length() // 8 + 1
    joined = b"".join(number.to_bytes(width, "little") for number in numbers)
    return np.frombuffer(joined, dtype=np.uint8).reshape(len(numbers), width)


def _numbers(rows: npt.NDArray[np.uint8]) -> list[int]:
    return [int.from_bytes(row.tobytes(), "little") for row in rows]
