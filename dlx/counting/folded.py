"""All covers of a problem as a folded diagram, in which isomorphic remaining problems share a node.

A count up to isomorphism (`dlx.counting.isomorphism`) expands one state of each class. The edges between classes make a
decision diagram, though its paths are not covers: behind each edge the search goes on in another state of the same
class. A path therefore keeps the isomorphism to its own state, which is read off the two canonical orders.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import IO, Any, Unpack

import numpy as np
import numpy.typing as npt

from dlx.counting.diagram import Diagram, loaded, run_to_the_end
from dlx.counting.isomorphism import Isomorphic, Remains
from dlx.counting.sequence import CoverSequence
from dlx.engine.limits import Limiting, Over
from dlx.problem.checks import MEMORY, ProblemError, memory_bytes
from dlx.problem.problem import Problem, as_problem
from dlx.problem.roles import owners
from dlx.search.covers import Block
from dlx.symmetry.forms import Words
from dlx.symmetry.nauty import Nauty
from dlx.symmetry.points import Points

Edges = npt.NDArray[np.int32]

AT_ONCE = 16  # covers that are drawn before anybody may look up: a tenth of a second at most, mostly


def folded(
    problem: Problem, *, points: Points | None = None, memory: int | None = None, **limits: Unpack[Limiting]
) -> Folded:
    """Counts the covers of a problem up to isomorphism, and keeps what it takes to draw some or to have any one.

    Errors: as for `diagram`, and those below.

    Parameters:
        problem: what to cover, without multiplicities: these are counted only.
        points: what each primary item is about, as for `count`.
        memory: how many bytes the classes, and what led from which to which, may take; 1 GB without it.
        limits: max_nodes, timeout (in seconds) and progress, as for every search (`Limiting`).

    Returns:
        The folded diagram, which has all covers.

    Raises:
        ImportError: pynauty is not installed (extra `symmetry`).
        ProblemError: the problem has multiplicities; or points are given that are not sound, with the reason.

    >>> sides = range(6)
    >>> latin = [[("cell", r, c), ("row", r, s), ("column", c, s)] for r in sides for c in sides for s in sides]
    >>> squares = folded(Problem.from_options(latin))
    >>> squares.covers, len(squares[5 * 10**8])
    (812851200, 36)
    """
    room = memory_bytes(memory)
    problem = as_problem(problem)
    with ExitStack() as stack:

        def begin(over: Over) -> Isomorphic:
            nauty = stack.enter_context(Nauty(over))
            return Isomorphic(_remains(problem, points, room, nauty), room, records=True)

        search = run_to_the_end(begin, limits)
    kind, edges = search.recorded()
    first_edge, edge_option, edge_child = _arrays(edges)
    found = Folded(Diagram(problem, first_edge, edge_option, edge_child, room), kind, search.remains)
    if found.covers != search.covers:
        raise RuntimeError(f"{search.covers} covers have been counted, and the diagram has {found.covers}")
    return found


def _remains(problem: Problem, points: Points | None, memory: int = MEMORY, nauty: Nauty | None = None) -> Remains:
    if problem.multiplicities is not None:  # whose covers are counted in several orders
        raise ProblemError("the covers of a problem with multiplicities cannot be folded")
    return Remains(problem, points, memory, nauty)


class Folded(CoverSequence):
    """All covers of a problem, folded; `folded` makes one.

    It is like a sequence of the covers, tuples of option numbers, in an order of its own, which is always the same.

    Parameters:
        choices: a diagram whose paths are the choices in the states that have been expanded, one of each class.
        points: uint64, shape (points, words): the items of the points that were finished one after the other, as bits.
        remains: what is left of the problem, or None.

    Attributes:
        problem: what the covers are covers of.

    >>> pairs = folded(Problem.from_options(["ab", "cd", "ac", "bd", "ad", "bc"]))
    >>> pairs, sorted(pairs)
    (Folded(3 covers, 3 nodes, 3 edges), [(0, 1), (2, 3), (4, 5)])
    """

    kind = "folded diagram"

    def __init__(self, choices: Diagram, points: Words, remains: Remains | None = None) -> None:
        self.problem = choices.problem
        self._choices, self._points = choices, points
        self._remains = _remains(self.problem, None) if remains is None else remains
        self._kernel = self._remains.classes(points, MEMORY, False, False)
        self._first, self._above = _first_edges(choices)
        self._walks = threading.Lock()  # there is one state at hand

    @property
    def covers(self) -> int:
        """Returns the number of covers, an int of any size."""
        return self._choices.covers

    @property
    def nodes(self) -> int:
        """Returns the number of classes of remaining problems, with the one without covers and the empty one."""
        return self._choices.nodes

    @property
    def edges(self) -> int:
        """The number of choices that lead from one class to another."""
        return self._choices.edges

    def __reduce__(self) -> tuple[Any, ...]:
        return Folded, (self._choices, self._points)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return (self._cover(choices) for choices in self._choices)

    def _ranked(self, ranks: Sequence[int]) -> list[tuple[int, ...]]:
        return [self._cover(choices) for choices in self._choices._ranked(ranks)]

    def samples(self, k: int, seed: int = 0) -> Iterator[Block]:
        """Draws the covers of `sample` in small blocks, as they are asked for.

        Parameters and errors: as for `sample`.

        >>> pairs = folded(Problem.from_options(["ab", "cd", "ac", "bd", "ad", "bc"]))
        >>> [len(block) for block in pairs.samples(50)]
        [16, 16, 16, 2]
        """
        return (
            self._followed(block[start : start + AT_ONCE])
            for block in self._choices.samples(k, seed)
            for start in range(0, len(block), AT_ONCE)
        )

    def _followed(self, block: Block) -> Block:
        """Returns the covers that have the choices of the rows of a block."""
        for row in block:
            cover = self._cover(row[row >= 0].tolist())
            row[: len(cover)] = cover
        return block

    def way_to(self, node: int) -> list[int]:
        """Returns the choices on the way from the root on which a node was found, and its state expanded.

        Raises:
            IndexError: there is no such node.
        """
        choices, options = self._choices, []
        if not 0 <= node < choices.nodes:
            raise IndexError(f"node is {node}; it must be from 0 to {choices.nodes - 1}")
        while node < choices.nodes - 1:
            options.append(int(choices.edge_option[self._first[node]]))
            node = int(self._above[node])
        return options[::-1]

    def follow(self, options: Iterable[int]) -> list[int]:
        """Makes choices from the root; what the last one chose, with the options that it forced."""
        return list(self._kernel.follow(options))

    def is_first(self, edge: int) -> bool:
        """Tells whether the node below an edge was found by it."""
        return bool(self._first[self._choices.edge_child[edge]] == edge)

    def _cover(self, choices: Iterable[int]) -> tuple[int, ...]:
        """Returns the cover that has these choices, in the order of the diagram's path."""
        with self._walks:
            path = _Path(self)
            try:
                for option in choices:
                    path.go(path.edge(option))
            except (KeyError, ValueError) as error:
                raise ValueError(f"the diagram is not one of its problem: {error}") from None
            return (*self._remains.left.forced, *path.chosen)

    def _rank(self, options: set[int]) -> int | None:
        if self:
            with self._walks, suppress(KeyError, ValueError):  # of a file that has been tampered with
                return self._walked(options)
        return None

    def _walked(self, wanted: set[int]) -> int | None:
        path, rank = _Path(self), 0
        while path.node > 1:
            first, last = self._choices.first_edge[path.node : path.node + 2].tolist()
            taken = next((e for e in range(first, last) if path.own(e) in {*wanted, -1}), None)
            if taken is None:
                return None
            rank += sum(self._choices.covers_below(below) for below in self._choices.edge_child[first:taken].tolist())
            path.go(taken)
        return rank if wanted == {*self._remains.left.forced, *path.chosen} else None

    def _arrays(self) -> tuple[npt.NDArray[Any], ...]:
        return *self._choices._arrays(), self._points

    @classmethod
    def load(
        cls, source: str | os.PathLike[str] | IO[bytes], *, points: Points | None = None, memory: int | None = None
    ) -> Folded:
        """Reads a folded diagram that `save` has written.

        Checks, other parameters and errors: as for `Diagram.load`.

        Parameters:
            points: what each primary item is about, if that was given when the diagram was made: it is faster then.

        Raises:
            ImportError: pynauty is not installed.
            ProblemError: the points are not sound.
        """
        from dlx.formats import FormatError

        choices, (kind,), file = loaded(source, memory, cls.kind)
        remains = _remains(choices.problem, points, memory_bytes(memory))
        if kind.dtype != np.uint64 or kind.ndim != 2 or kind.shape[1] != remains.left.words:
            raise FormatError(file, None, f"points has the shape {kind.shape} and the type {kind.dtype}")
        return cls(choices, np.ascontiguousarray(kind), remains)


class _Path:
    """A path from the root, followed in states of its own."""

    def __init__(self, diagram: Folded) -> None:
        self._diagram, self._choices, self._form = diagram, diagram._choices, diagram._remains.form
        self.node = self._choices.nodes - 1
        self.chosen: list[int] = []  # without the options forced at the root
        self._of: Mapping[Any, Any] | None = None  # from the vertices of the node's state to the path's own

    def edge(self, option: int) -> int:
        """Returns the edge of the node that has an option, as it is in the node's state."""
        first, last = self._choices.first_edge[self.node : self.node + 2].tolist()
        return int(first + self._choices.edge_option[first:last].tolist().index(option))

    def own(self, edge: int) -> int:
        """Returns the option of an edge, as it is here; or -1."""
        option = int(self._choices.edge_option[edge])
        return option if option < 0 else self._translated(option)

    def go(self, edge: int) -> None:
        """Follows an edge of the node."""
        below, option = int(self._choices.edge_child[edge]), int(self._choices.edge_option[edge])
        if option >= 0:
            way = self._diagram.way_to(self.node)
            self.chosen += map(self._translated, self._diagram.follow([*way, option]))
            if below > 1 and not self._diagram.is_first(edge):
                self._of = self._turned(below)
        self.node = below

    def _turned(self, below: int) -> Mapping[Any, Any]:
        """Maps the vertices of the state of a node to those of the state at hand, and so to the path's own."""
        here = self._form.order()
        self._diagram.follow(self._diagram.way_to(below))
        there = self._form.order()
        return dict(zip(there, here if self._of is None else map(self._of.__getitem__, here), strict=True))

    def _translated(self, option: int) -> int:
        return option if self._of is None else self._form.option_at(option, self._of)


def _arrays(edges: Edges) -> tuple[Edges, Edges, npt.NDArray[np.uint32]]:
    """Returns the arrays of a diagram from `Classes.edges`: the class expanded last has the lowest node."""
    count = int(edges[:, [0, 2]].max(initial=0)) + 1
    above, option, below = edges.T
    while True:
        alive = np.zeros(count, dtype=np.bool_)
        alive[above] = True
        kept = (option < 0) | alive[below]
        if kept.all():
            break
        above, option, below = above[kept], option[kept], below[kept]
    node = np.zeros(count, dtype=np.int32)
    empty = (option < 0) & (above > 0)  # but for the root
    node[above[empty]] = 1
    above, option, below = above[~empty], option[~empty], below[~empty]
    expanded = above[np.flatnonzero(np.diff(above, prepend=-1))]
    node[expanded] = np.arange(len(expanded), 0, -1) + 1
    child = np.where(option < 0, 1, node[below])
    order = np.argsort(node[above], kind="stable")
    first = np.append(0, np.cumsum(np.bincount(node[above], minlength=len(expanded) + 2)))
    return first.astype(np.int32), option[order], child[order].astype(np.uint32)


def _first_edges(choices: Diagram) -> tuple[Edges, Edges]:
    """Returns, for each node, the edge by which it was found first, and the node above: the highest, its first edge."""
    above = owners(choices.first_edge)
    found = np.argsort(-above, kind="stable").astype(np.int32)
    nodes, place = np.unique(choices.edge_child[found], return_index=True)
    first, higher = np.full((2, choices.nodes), -1, dtype=np.int32)
    first[nodes] = found[place]
    higher[nodes] = above[first[nodes]]
    return first, higher
