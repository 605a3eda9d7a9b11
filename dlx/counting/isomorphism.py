"""Counting up to isomorphism: of isomorphic remaining problems one is solved.

Two remaining problems with the same canonical form have the same number of covers. The kernel `classes` expands one of
each class. Forms are those of a graph on points where that is sound (`dlx.symmetry.points`), or else of the graph of
items and options (`dlx.symmetry.forms`). With points the kernel asks for a form only once a point is complete, or after
every option; a pilot decides.

A checkpoint is the frontier: the states and weights of the classes that wait, and of the options that are still to be
tried in the class at hand. Forms are not kept but made again, so a checkpoint does not depend on nauty.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import compiled_module
from dlx.engine.limits import LOOKS, SLICE, until
from dlx.kernels import BUDGET_SPENT, EXHAUSTED
from dlx.problem.checks import MEMORY, ProblemError
from dlx.problem.problem import Problem
from dlx.problem.words import counted
from dlx.symmetry.forms import BitProblem, Words, words_of
from dlx.symmetry.nauty import Nauty
from dlx.symmetry.points import Points, form_of

# (forms, ratio): once each pilot has asked for so many forms, the better half continues, at least two; or the best one
# alone, if its expected forms are at most `ratio` times those of the second (None: never). Whole points and options are
# compared after the last stage only, because the first whole points are few, with many forms between them.
PILOTS = ((500, None), (2_000, 0.8), (10_000, 1.0))
NODES = 4  # nodes of whole points that count as a form, if forms are fewer: mostly 3, more if search is in vain
PILOTED = 50  # nodes by one kind of points in a turn
MOST_AT_ONCE = 2_000  # nodes in a slice: some milliseconds


class Remains:
    """A remaining problem with its canonical forms.

    Raises:
        ProblemError: there are multiplicities, or points are given that are not sound.
        MemoryError, ImportError, StoppedError: as `count`.
    """

    def __init__(
        self, problem: Problem, points: Points | None, memory: int = MEMORY, nauty: Nauty | None = None
    ) -> None:
        if problem.multiplicities is not None:
            raise ProblemError(
                "the problem has multiplicities, which merge='isomorphic' does not count: "
                "use merge='same', or count(up_to=...) for orbits of covers"
            )
        nauty = nauty or Nauty()
        self.problem = BitProblem(problem.rows(), memory, nauty.over)
        # The doubt is why points are not used, or empty.
        self.doubt, self.form = form_of(self.problem, problem, points, nauty)

    @property
    def kinds(self) -> list[Words]:
        """The kinds of points that can be completed one after the other, as the kernel takes them."""
        return [words_of(kind, self.problem.rows.n_primary) for kind in self.form.kinds]

    def classes(self, kind: Words, memory: int, whole: bool) -> Any:
        """Returns the kernel, at its beginning."""
        kernels = compiled_module("dlx.kernels.count.classes")
        problem = self.problem
        problem.state[:] = problem.root
        remaining = kernels.Remaining(problem.state, problem.words, *problem.arrays(self.form.nauty.over))
        return kernels.ClassCount(remaining, kind, self.form.asked, memory, whole)


class Isomorphic:
    """A count up to isomorphism, point by point, for the loop; a pilot of each kind of points chooses the best."""

    name = "isomorphic"
    states = property(attrgetter("_way.states"))  # classes that there have been
    bytes = property(attrgetter("_way.frontier.most_bytes"))  # estimated bytes of the classes at most

    def __init__(self, remains: Remains, memory: int = MEMORY) -> None:
        self.remains = remains
        kinds = until(remains.form.nauty.over, remains.kinds, 1)
        self._ways: list[Any] = [
            remains.classes(kind, memory, whole)
            for kind in kinds
            for whole in (True, False)
            if not whole or len(kind) > 1  # the first whole point is found with all its forms
        ]
        self._way = self._ways[0]
        self._pilots = list(PILOTS)
        self._pace = 1  # nodes in the next slice
        self._given_up = (0, 0)  # the nodes and forms of other ways
        self._open = max(1, remains.problem.open.bit_count())

    @property
    def covers(self) -> int:
        """The weight of the empty class: all covers, at the end."""
        return int(self._way.covers)

    @property
    def nodes(self) -> int:
        """The options tried."""
        return self._given_up[0] + sum(int(way.nodes) for way in self._ways)

    @property
    def updates(self) -> int:
        """The canonical forms asked for."""
        return self._given_up[1] + sum(int(way.forms) for way in self._ways)

    @property
    def hits(self) -> int:
        """The number of states whose class was known."""
        return int(self._way.forms - self._way.states)

    @property
    def doing(self) -> str:
        """The stage of the count, in words."""
        way = self._way
        points = f"{way.done} of {len(way.points)} points done, " if len(way.points) else ""
        return f"{points}{counted(way.top, 'item')} open, {counted(way.frontier.width, 'class', 'classes')} to expand"

    def fraction(self) -> float:
        """Returns the part of all items that are covered in the classes that are being expanded."""
        return float(1 - self._way.top / self._open)

    def stand(self) -> dict[str, Any] | None:
        """Returns the state for a checkpoint, between two runs; None before a pilot has chosen."""
        if len(self._ways) > 1:
            return None
        way = self._way
        states, weights = way.waiting()
        facts = {"whole": bool(way.whole), "nodes": way.nodes, "forms": way.forms, "states": way.states}
        arrays = {"points": np.asarray(way.points), "state": states, "weight": _bytes([*weights, way.covers])}
        return {**facts, **arrays, "given_up": self._given_up}

    def go_on(self, saved: Mapping[str, Any]) -> bool:
        """Goes on from a checkpoint; returns whether it is of these points. May raise StoppedError or MemoryError."""
        whole, points = saved["whole"], saved["points"]
        way = next((way for way in self._ways if way.whole == whole and np.array_equal(way.points, points)), None)
        if way is None:
            return False
        states, (*weights, covers) = saved["state"], _numbers(saved["weight"])
        way.clear()
        for first in until(self.remains.form.nauty.over, range(0, len(weights), LOOKS), 1):
            way.put(states[first : first + LOOKS], weights[first : first + LOOKS])
        way.covers, way.nodes, way.forms, way.frontier.states = covers, saved["nodes"], saved["forms"], saved["states"]
        self._ways, self._way, self._given_up = [way], way, tuple(saved["given_up"])
        return True

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Goes on until the count ends or some nodes have been tried; raises MemoryError."""
        if len(self._ways) > 1:
            return self._pilot()
        start = time.perf_counter()
        state = int(self._way.run(min(nodes, self._pace)))
        slow = time.perf_counter() - start > SLICE
        self._pace = max(1, self._pace // 2) if slow else min(2 * self._pace, MOST_AT_ONCE)
        return state

    def _pilot(self) -> int:
        """Goes on with the kind of points that has asked for the fewest forms; without those that lack memory."""
        self._choose()
        try:
            state = int(self._way.run(PILOTED))  # not `nodes`, so that the same kind wins in every run
        except MemoryError:
            self._keep([way for way in self._ways if way is not self._way])
            return BUDGET_SPENT
        if state == EXHAUSTED:
            self._keep([self._way])
        return state

    def _keep(self, kept: list[Any]) -> None:
        """Gives up all other ways."""
        gone = [way for way in self._ways if way not in kept]
        nodes, forms = self._given_up
        self._given_up = nodes + sum(int(way.nodes) for way in gone), forms + sum(int(way.forms) for way in gone)
        self._ways, self._way = kept, kept[0]

    def _choose(self) -> None:
        """Takes the way that has asked for the fewest forms, and gives up those that are worse."""
        self._way = min(self._ways, key=_spent)
        if _spent(self._way) < self._pilots[0][0]:
            return
        (_, part), *self._pilots = self._pilots
        kept = [way for whole in (True, False) for way in self._best(whole, part)]
        if not self._pilots:
            kept = [max(kept, key=lambda way: way.done)]  # whole points if both are in the same
        self._keep(kept)

    def _best(self, whole: bool, part: float | None) -> list[Any]:
        """Returns the kinds of points that are to be gone on with, of those by whole points or by options."""
        ranked = sorted((way for way in self._ways if way.whole == whole), key=_ahead)
        close = part is None or (len(ranked) > 1 and _ahead(ranked[0]) > part * _ahead(ranked[1]))
        return ranked[: max(2, (len(ranked) + 1) // 2) if close else 1]


def _spent(way: Any) -> int:
    """The forms that a way has asked for, or would have if not for dead ends."""
    return int(max(way.forms, way.nodes // NODES if way.whole else 0))


def _ahead(way: Any) -> float:
    """The forms to ask for from the classes that wait, if these are like those before them."""
    width = way.frontier.width
    return float(width * way.forms / max(1, way.states - width))


def _bytes(numbers: Sequence[int]) -> npt.NDArray[np.uint8]:
    """Returns numbers of any size as rows of bytes, the lowest byte first."""
    width = max(numbers).bit_length() // 8 + 1
    joined = b"".join(number.to_bytes(width, "little") for number in numbers)
    return np.frombuffer(joined, dtype=np.uint8).reshape(len(numbers), width)


def _numbers(rows: npt.NDArray[np.uint8]) -> list[int]:
    return [int.from_bytes(row.tobytes(), "little") for row in rows]
