"""Counting up to isomorphism: of isomorphic remaining problems one is solved.

Two remaining problems with the same canonical form have the same number of covers; the kernel `classes` expands one of
each class. Where there are points it asks for forms only once one is complete, or at every option: a pilot decides.
Canonical forms are those of the graph of items and options (`dlx.symmetry.forms`), or of a smaller one on
points where that is sound (`dlx.symmetry.points`).

A cut in the middle of Latin squares is no use, though what is done there looks like what is left elsewhere: the weight
of a class is no multiple of the ways to complete its mirror image (298771200 and 132, of order 7 after 3 rows), since
each class branches on an item of its own. With rows in a fixed order it is, but k rows left make k times the forms.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.counting import resuming
from dlx.engine.compiled import compiled_module
from dlx.engine.limits import SLICE, until
from dlx.kernels import BUDGET_SPENT, EXHAUSTED
from dlx.problem.checks import MEMORY, UNLIMITED
from dlx.problem.problem import Problem
from dlx.problem.words import counted
from dlx.symmetry.forms import Arrays, Left, Words, words_of
from dlx.symmetry.nauty import Nauty
from dlx.symmetry.points import Points, form_of

# After so many forms by each kind of points the better half goes on, and two at least; then the best one, if it has at
# most this part of the second one's forms ahead. Whole points and options are compared in the end only: at first there
# are few whole points, with many forms from each to the next.
PILOTS = ((500, None), (2_000, 0.8), (10_000, 1.0))
NODES = 4  # of whole points, to a form: mostly 3, and more where much of the search inside a point is in vain
PILOTED = 50  # nodes by one kind of points before another one has its turn
MOST_AT_ONCE = 2_000  # nodes before the loop may look up: some milliseconds, and fewer where they are slow


class Remains:
    """A remaining problem with its canonical forms; raises ProblemError, MemoryError, ImportError or StoppedError."""

    def __init__(
        self, problem: Problem, points: Points | None, memory: int = MEMORY, nauty: Nauty | None = None
    ) -> None:
        nauty = nauty or Nauty()
        self.left = Left(problem.rows(), memory, nauty.over)
        self.ways = 1 if self.left.slots is None else self.left.slots.ways  # how often each cover is counted
        # `doubt` is why points are not used, or an empty text.
        self.doubt, self.form = form_of(self.left, problem, points, nauty)

    @property
    def kinds(self) -> list[Words]:
        """The kinds of points that can be finished one after the other, as the kernel takes them."""
        return [words_of(kind, self.left.n_open) for kind in self.form.kinds]

    def classes(self, kind: Words, memory: int, whole: bool, records: bool) -> Any:
        """Returns the kernel, at its beginning."""
        self.left.state[:] = self.left.root
        return _kernel(
            self.left.state, self.left.arrays(self.form.nauty.over), kind, self.form.asked, memory, whole, records
        )

    def ground(self, kind: Words, whole: bool) -> Ground:
        """Returns the arrays by which other processes expand classes."""
        return Ground(self.left.root, self.left.arrays(), np.asarray(kind), whole, self.form.at)


@dataclass(frozen=True)
class Ground:
    """The arguments of the kernel, to be sent to other processes: no names, numbers only."""

    root: Words
    arrays: Arrays
    kind: Words
    whole: bool  # points, before there is a form
    form_at: Callable[[Words], Any]  # makes forms of the state in an array

    def classes(self) -> Any:
        """Returns the kernel, with an array of its own for the state at hand."""
        state = self.root.copy()
        return _kernel(state, self.arrays, self.kind, self.form_at(state), UNLIMITED, self.whole, False)


def _kernel(state: Words, arrays: Arrays, kind: Words, form: Any, memory: int, whole: bool, records: bool) -> Any:
    """Returns the kernel, for problems with multiplicities another one."""
    *given, users, slots = arrays
    if slots is None:
        kernel = compiled_module("dlx.kernels.merge.classes").Classes
        return kernel(state, *given, users, kind, form, memory, whole, records)
    kernel = compiled_module("dlx.kernels.merge.multiclasses").Multiclasses
    return kernel(state, *given, users[:0], kind, form, memory, slots, users)


class Isomorphic:
    """A count up to isomorphism, point by point, for the loop; a pilot of each kind of points chooses the best."""

    name = "isomorphic"
    states = property(attrgetter("_way.states"))  # classes
    bytes = property(attrgetter("_way.most_bytes"))  # the most that classes to be expanded have taken, nearly

    def __init__(self, remains: Remains, memory: int = MEMORY, records: bool = False) -> None:
        self.remains = remains
        kinds = until(remains.form.nauty.over, remains.kinds, 1)
        self._ways: list[Any] = [
            remains.classes(kind, memory, whole, records)
            for kind in kinds
            for whole in (True, False)
            if not whole or (len(kind) > 1 and not records)  # the first whole point is found with all its forms
            if not whole or remains.left.slots is None
        ]
        self._way = self._ways[0]
        self._pilots = list(PILOTS)
        self._pace = 1  # nodes
        self._given_up = (0, 0)  # the nodes and forms of other ways
        self._before = 0  # classes that had been expanded where this count goes on from
        self._open = max(1, remains.left.open.bit_count())

    @property
    def covers(self) -> int:
        """The weight of the empty class: all covers, at the end."""
        return int(self._way.covers) // self.remains.ways

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

    def recorded(self) -> tuple[Words, npt.NDArray[np.int32]]:
        """Returns the kind of points that were finished one after the other, and what led from which class to which."""
        return np.asarray(self._way.points), self._way.edges()

    @property
    def doing(self) -> str:
        """The stage of the count, in words."""
        way = self._way
        points = f"{max(0, way.done)} of {len(way.points)} points done, " if len(way.points) else ""
        return f"{points}{counted(way.top, 'item')} open, {counted(way.width, 'class', 'classes')} to expand"

    def fraction(self) -> float:
        """Returns the part of all items that are covered in the classes that are being expanded."""
        return float(1 - self._way.top / self._open)

    def stand(self) -> dict[str, Any] | None:
        """Returns what a snapshot says of it, between two runs; None before a pilot has chosen."""
        if len(self._ways) > 1:
            return None
        return {**resuming.stand(self._way, self._waiting()), "given_up": self._given_up}

    def go_on(self, saved: Mapping[str, Any]) -> bool:
        """Goes on from a snapshot, unless it is of other points; raises StoppedError or MemoryError."""
        way = next((way for way in self._ways if resuming.is_of(way, saved)), None)
        if way is None:
            return False
        self._ways, self._way = [way], way
        resuming.go_on(way, saved, self.remains.form.nauty.over)
        self._given_up = (saved["given_up"][0], saved["given_up"][1])
        self._before = self._expanded()
        return True

    def _waiting(self) -> resuming.Waiting:
        return self._way.waiting()  # type: ignore[no-any-return]

    def _expanded(self) -> int:
        return int(self._way.states - self._way.width)

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
    """The forms to ask for from the classes that are to be expanded, if these are like those before them."""
    return float(way.width * way.forms / max(1, way.states - way.width))
