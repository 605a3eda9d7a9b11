"""Counting up to isomorphism: what is left of a problem is solved once if it is the same up to renaming.

Two remaining problems with the same canonical form have the same number of covers. They are taken in *buckets*, those
with the most open items first. A class of a bucket has a weight, in how many ways it can be reached; each is expanded
once, by the options of one item, and gives its weight to the classes of what is left then. The weight that reaches the
empty bucket is the number of covers. There is no recursion, and nothing is kept of buckets that have been expanded.

Canonical forms are those of the graph of items and options, in `forms.py`, or where that will do of a smaller one on
points, in `points.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from dlx.checks import ProblemError
from dlx.counting.merging import MEMORY
from dlx.kernels import BUDGET_SPENT, EXHAUSTED
from dlx.problem import Problem
from dlx.symmetry.forms import Form, Left, bits
from dlx.symmetry.points import Points, form_of

PILOT = 10_000  # forms by each kind of points, after which the one goes on that has the fewest classes to expand
SLICE = 200  # nodes that are expanded before the loop may look up: some ten milliseconds


class Isomorphic:
    """A count that solves what is the same up to renaming once; what the loop runs (`dlx.kernels.Runnable`).

    Points of one kind are finished one after the other. Which kind is best is found by beginning with each of them.

    Parameters:
        problem: what to cover, without multiplicities.
        points: the points of each primary item, as a function or a mapping; or None: they are read off items that are
            tuples, if that is sound.
        memory: how many bytes the classes that are still to be expanded may take, nearly.

    Attributes:
        doubt: why points are not used, or an empty text.

    Raises:
        ImportError: pynauty is not installed.
        ProblemError: the problem has multiplicities; or points are given that are not sound, with the reason.

    >>> latin = {
    ...     (r, c, s): [("cell", r, c), ("row", r, s), ("column", c, s)]
    ...     for r in range(6)
    ...     for c in range(6)
    ...     for s in range(6)
    ... }
    >>> squares = Isomorphic(Problem.from_options(latin))
    >>> while squares.run(100, 0, 0) != EXHAUSTED:
    ...     pass
    >>> squares.covers, squares.states
    (812851200, 118)
    """

    name = "isomorphic"

    def __init__(self, problem: Problem, points: Points | None = None, memory: int = MEMORY) -> None:
        if problem.multiplicities is not None:
            raise ProblemError("what is left of a problem with multiplicities cannot be counted up to isomorphism")
        left = Left(problem.rows())
        self.doubt, form = form_of(left, problem, points)
        self._ways = [_Buckets(left, form, kind, memory) for kind in form.kinds]
        self._way = self._ways[0]
        self._given_up = (0, 0)  # the nodes and forms of other ways
        self._open = max(1, left.open.bit_count())

    @property
    def covers(self) -> int:
        """0, and at the end the number of covers."""
        return self._way.covers

    @property
    def nodes(self) -> int:
        """The options tried."""
        return self._given_up[0] + sum(way.nodes for way in self._ways)

    @property
    def updates(self) -> int:
        """The canonical forms asked for."""
        return self._given_up[1] + sum(way.forms for way in self._ways)

    @property
    def hits(self) -> int:
        """How often what was left was known."""
        return self._way.forms - self._way.states

    @property
    def states(self) -> int:
        """How many classes there have been."""
        return self._way.states

    @property
    def bytes(self) -> int:
        """The bytes that the classes still to be expanded take, nearly."""
        return self._way.bytes

    def fraction(self) -> float:
        """The part of all items that are covered in the classes that are being expanded."""
        return 1 - self._way.top / self._open

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Goes on until the count ends or some nodes have been tried.

        Raises:
            MemoryError: the classes that have not been expanded take more than `memory`.
        """
        if len(self._ways) > 1:
            self._way = min(self._ways, key=lambda way: way.forms)
            if self._way.forms >= PILOT:
                self._way = min(self._ways, key=lambda way: way.width)
                self._given_up = (self.nodes - self._way.nodes, self.updates - self._way.forms)
                self._ways = [self._way]
        return EXHAUSTED if self._way.expand(min(nodes, SLICE)) else BUDGET_SPENT


class _Buckets:
    """Classes of what is left, by the number of open items, with the number of ways in which they are reached.

    Attributes:
        covers: the weight that has reached the empty bucket, once there is no other one.
        top: the number of open items in the bucket that is being expanded.
        nodes, forms, states, bytes: as in `Isomorphic`.
    """

    def __init__(self, left: Left, form: Form, kind: Sequence[int], memory: int) -> None:
        self._left, self._form, self._kind, self._memory = left, form, kind, memory
        self._buckets: dict[int, dict[bytes, list[Any]]] = defaultdict(dict)
        self._current: dict[bytes, list[Any]] = {}  # what is left of the bucket that is being expanded
        self.covers = self.nodes = self.forms = self.states = self.bytes = 0
        self.top = left.open.bit_count()
        self._add(left.open, left.live, 1)

    def expand(self, nodes: int) -> bool:
        """Expands classes until some nodes have been tried; whether all have been."""
        last = self.nodes + nodes
        while self.nodes < last:
            if not self._current:
                if not self._buckets:
                    return True
                self.top = max(self._buckets)
                self._current = self._buckets.pop(self.top)
            form, (opened, live, weight) = self._current.popitem()
            self.bytes -= _size(form)
            self._expand(opened, live, weight)
        return False

    @property
    def width(self) -> int:
        """The classes that are still to be expanded."""
        return len(self._current) + sum(map(len, self._buckets.values()))

    def _expand(self, opened: int, live: int, weight: int) -> None:
        """Gives the weight of a class to what each option of one of its items leaves."""
        if not opened:
            self.covers += weight
            return
        left = self._left
        for o in bits(live & left.options[left.item(self._here(opened), live)]):
            self.nodes += 1
            self._reach(opened & ~left.items[o], live & ~left.clashes[o], weight)

    def _reach(self, opened: int, live: int, weight: int) -> None:
        """Chooses options without rivals as long as there are some where the search goes on; then adds the weight."""
        left, going = self._left, True
        while going:
            going = False
            for i in bits(self._here(opened)):
                rivals = live & left.options[i]
                if not rivals:
                    return  # a dead end
                if not rivals & (rivals - 1):
                    chosen = rivals.bit_length() - 1
                    opened, live = opened & ~left.items[chosen], live & ~left.clashes[chosen]
                    going = True
                    break
        self._add(opened, live, weight)

    def _here(self, opened: int) -> int:
        """The open items of the point that is begun and has the fewest, or of a whole one, or all."""
        best, fewest = opened, 1 << 60
        for items in self._kind:
            here = opened & items
            if here:
                size = here.bit_count() + (here == items) * (1 << 40)
                if size < fewest:
                    best, fewest = here, size
        return best

    def _add(self, opened: int, live: int, weight: int) -> None:
        """Adds a weight to the class of what is left."""
        form = self._form.of(opened, live)
        self.forms += 1
        bucket = self._buckets[opened.bit_count()]
        if (known := bucket.get(form)) is not None:
            known[2] += weight
            return
        bucket[form] = [opened, live, weight]
        self.states += 1
        self.bytes += _size(form)
        if self.bytes > self._memory:
            raise MemoryError(
                f"the classes take more than {self._memory} bytes: there have been {self.states}, "
                f"and those with {self.top} open items are being expanded"
            )


def _size(form: bytes) -> int:
    """The bytes that a class takes, nearly: two sets of bits, a weight, a list and an entry of a dictionary."""
    return len(form) + 500
