"""All covers of a problem as a decision diagram, which counts, samples, weighs and restricts them without a search.

A diagram has one node for each distinct remaining problem, and one edge for each option that can come next. So each
cover is a path, and equal remaining paths are stored once (Nishino, Yasuda, Minato, Nagata: Dancing with decision
diagrams, AAAI 2017, doi:10.1609/aaai.v31i1.10662).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush
from operator import index as as_index
from typing import IO, Any, Literal, Unpack, overload

import numpy as np
import numpy.typing as npt

from dlx.counting import digits
from dlx.counting.drawing import Arrays, CoverTree, Drawing
from dlx.counting.portfolio import Portfolio
from dlx.engine.compiled import compiled_module, random_generator
from dlx.engine.limits import Limiting, Limits, Loop, StoppedError
from dlx.problem.checks import MEMORY, checked_weights, frozen, is_whole, memory_bytes, option_numbers, whole_number
from dlx.problem.cover import Cover, sign_of
from dlx.problem.problem import Problem, as_problem
from dlx.problem.roles import owners
from dlx.problem.words import counted, shown
from dlx.search.covers import BLOCK, BUFFER, Block


def diagram(problem: Problem, *, memory: int | None = None, **limits: Unpack[Limiting]) -> Diagram:
    """Returns the decision diagram of all covers of a problem.

    Covers are visited, or a search in layers solves equal remaining problems once: as for `count`, the method that
    seems to end first leads (`dlx.counting.portfolio`). The same call always makes the same diagram.

    Parameters:
        problem: what to cover.
        memory: bytes, for the states and edges of the searches, and again for the counts; default: 1 GB.
        limits: max_nodes, timeout (in seconds) and progress, as for every search (`Limiting`).

    Returns:
        The diagram of all covers.

    Raises:
        TimeoutError: max_nodes or the timeout was reached before all covers were found.
        MemoryError: the diagram would take more than `memory`.
        ProblemError: an item can be covered more than 64 times, and a search by visits would take more than `memory`.
        KeyboardInterrupt: Ctrl-C came first.
        TypeError: a limit has the wrong type, or is max_covers.
        ValueError: a limit or the memory is negative.

    >>> from dlx import Problem
    >>> dominoes = [[(0, c), (1, c)] for c in range(50)] + [[(r, c), (r, c + 1)] for r in (0, 1) for c in range(49)]
    >>> diagram(Problem.from_options(dominoes))
    Diagram(20365011074 covers, 101 nodes, 148 edges)
    """
    room, problem = memory_bytes(memory), as_problem(problem)
    if limits.get("max_covers") is not None:
        raise TypeError(f"max_covers is {limits['max_covers']!r}; a diagram has all covers, so it cannot be limited")
    # `_drawn` frees the search's memory before the counts are made.
    return Diagram(problem, *_drawn(problem, room, limits), room)


def _drawn(problem: Problem, memory: int, limits: Limiting) -> Arrays:
    """Returns the arrays of the diagram, or raises the errors of `diagram`."""
    nodes, has_room = 0, True
    with Loop(Limits.of(**limits), raises=True) as loop, suppress(StoppedError):
        try:
            search = Portfolio(problem, CoverTree(problem), partial(Drawing, problem, over=loop.over), memory)
            for _ in loop.slices(search):
                nodes = search.states
            if loop.exhausted:
                return search.leading.diagram()  # type: ignore[no-any-return]
        except MemoryError:
            has_room = False
    if not has_room:  # raised here, since inside `except` the caught error would keep the memory of the search
        raise MemoryError(
            f"the diagram takes more than {memory} bytes, or more than the system has: "
            f"it has {nodes} nodes so far; raise memory, or only count the covers"
        )
    raise TimeoutError(
        f"{loop.stopped} came before the end of the diagram: {loop.nodes} options have been tried in "
        f"{loop.seconds:.3g} seconds, and it has {nodes} nodes so far; "
        f"raise {loop.stopped}, or only count the covers"
    )


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Diagram:
    """A diagram of all covers of a problem, or of those with and without certain options; made by `diagram`.

    A diagram is used like a sequence of covers (tuples of option numbers) in a fixed order. Each method makes at most
    one pass over the nodes, however many covers there are. Python limits `len`, `reversed` and `random.choice` to 2^63
    - 1 covers. For more covers, use `covers` for the number, negative indices to count from the end, and `sample` to
    draw covers.

    Attributes:
        problem: the problem.
        first_edge: int32, shape (nodes + 1,); node v has the edges first_edge[v] to first_edge[v + 1] - 1. Node 0 has
            no covers, node 1 has the empty cover; neither has edges. The last node is the root, above all others.
        edge_option: int32, shape (edges,); an option, or -1 on an edge to node 1, where a cover ends. At each node, a
            cover takes the first edge whose option it contains.
        edge_child: uint32, shape (edges,); the node below the edge, with a smaller number than the node above.
        memory: maximum bytes for each of the counts, the samples, and a distribution of scores.

    Raises:
        ValueError: the arrays are no diagram of the problem's options, or the memory is negative.
        MemoryError: the counts would take more than `memory`.

    >>> from dlx import Problem
    >>> pairs = diagram(Problem.from_options(["ab", "cd", "ac", "bd", "ad", "bc"], items="abcd"))
    >>> pairs.covers, list(pairs)
    (3, [(0, 1), (2, 3), (4, 5)])
    >>> pairs[-1], pairs.index((3, 2)), (0, 2) in pairs
    ((4, 5), 1, False)
    """

    problem: Problem
    first_edge: npt.NDArray[np.int32]
    edge_option: npt.NDArray[np.int32]
    edge_child: npt.NDArray[np.uint32]
    memory: int = MEMORY
    _covers: int = field(init=False)
    _counts: digits.Digits = field(init=False)  # number of covers below each node, one row each
    _paths: Any = field(init=False)

    def __post_init__(self) -> None:
        as_problem(self.problem)
        self._set("memory", memory_bytes(self.memory))
        for name, dtype in (("first_edge", np.int32), ("edge_option", np.int32), ("edge_child", np.uint32)):
            self._set(name, _checked(name, getattr(self, name), dtype))
        self._check_pointers()
        self._set("_paths", _paths(self.first_edge, self.edge_option, self.edge_child))
        longest = _bounds(self, np.ones(self.problem.n_options, dtype=np.int64))[self._root]
        if longest > self.problem.max_level:
            raise ValueError(f"a path has {longest} options; a cover has at most {self.problem.max_level}")
        self._set("_counts", self._counted())
        self._set("_covers", digits.whole(self._counts[self._root]))
        self._paths.counted(self._counts)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_pointers(self) -> None:
        first = self.first_edge.astype(np.int64)
        if len(first) < 3 or first[:3].any():
            raise ValueError(f"first_edge begins with {first[:3].tolist()} instead of [0, 0, 0]")
        falls = np.flatnonzero(np.diff(first[2:]) < 1)
        if len(falls):
            raise ValueError(f"node {falls[0] + 2} has no edges")
        if not first[-1] == len(self.edge_option) == len(self.edge_child):
            raise ValueError(
                f"first_edge ends with {first[-1]} for {len(self.edge_option)} options and {len(self.edge_child)} nodes"
            )
        self._check_edges(owners(first))

    def _check_edges(self, node: npt.NDArray[np.int64]) -> None:
        """Raises ValueError unless the edges of each node are in order."""
        option, child, n = self.edge_option, self.edge_child, self.problem.n_options
        keys = np.sort(node * (n + 1) + option, kind="stable")
        twice = keys[:-1][keys[1:] == keys[:-1]]
        is_child = np.zeros(self.nodes, dtype=np.bool_)
        is_child[child[child < self.nodes]] = True
        for fault, nodes in (
            ("has a child that is not from 1 to the number below its own", node[(child < 1) | (child >= node)]),
            (f"has an option that is not from 0 to {n - 1}", node[(option < -1) | (option >= n)]),
            ("has an edge without an option that does not end a cover", node[(option < 0) & (child != 1)]),
            ("has two edges with the same option", (twice + 1) // (n + 1)),
            ("is no child of another one", 2 + np.flatnonzero(~is_child[2:-1])),
        ):
            if len(nodes):
                raise ValueError(f"node {nodes[-1]} {fault}")

    def _counted(self) -> digits.Digits:
        """Returns the counts; adds digits until the counts fit."""
        counts = np.zeros((self.nodes, 0), dtype=np.uint64)
        done = 1
        while done:
            counts = np.pad(counts, ((0, 0), (0, 1 + counts.shape[1] // 4)))
            if counts.nbytes > self.memory:
                raise MemoryError(
                    f"the counts of {self.nodes} nodes take {counts.nbytes} bytes, more than memory={self.memory}"
                )
            done = self._paths.count(counts, done)
        width = max(1, int(np.flatnonzero(counts[self._root])[-1]) + 1) if counts[self._root].any() else 1
        return frozen(np.ascontiguousarray(counts[:, :width]))

    @property
    def _root(self) -> int:
        return self.nodes - 1 if self.nodes > 2 else 0

    @property
    def covers(self) -> int:
        """Returns the number of covers.

        >>> from dlx import Problem
        >>> diagram(Problem.from_options([[k // 2] for k in range(200)])).covers == 2**100
        True
        """
        return self._covers

    @property
    def nodes(self) -> int:
        """The number of nodes, including nodes 0 and 1."""
        return len(self.first_edge) - 1

    @property
    def edges(self) -> int:
        """Returns the number of edges."""
        return len(self.edge_option)

    def __reduce__(self) -> tuple[Any, ...]:
        return Diagram, (self.problem, self.first_edge, self.edge_option, self.edge_child, self.memory)

    def __repr__(self) -> str:
        sizes = counted(self.covers, "cover"), counted(self.nodes, "node"), counted(self.edges, "edge")
        return f"Diagram({', '.join(sizes)})"

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Diagram) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return self.problem, *(array.tobytes() for array in self._arrays())

    def __bool__(self) -> bool:
        return self.covers > 0

    def __len__(self) -> int:
        if self.covers > sys.maxsize:
            raise OverflowError(
                f"a sequence of {shown(self.covers)} covers is too long for len(), reversed() and random.choice(): "
                "use .covers for the number, negative indices to count from the end, and .sample(k) to draw covers"
            )
        return self.covers

    # The covers, in their order

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        most = max(1, min(BLOCK, BUFFER // max(1, self.problem.max_level)))
        first = 0
        while first < self.covers:
            last = min(self.covers, first + min(first + 1, most))
            yield from _tuples(self._unranked(range(first, last)))
            first = last

    def _block(self, size: int) -> Block:
        return np.full((size, self.problem.max_level), -1, dtype=np.int32)

    def _unranked(self, ranks: Sequence[int]) -> Block:
        block = self._block(len(ranks))
        self._paths.unrank(digits.rows(ranks, self._counts.shape[1]), block)
        return block

    def _rank(self, options: set[int]) -> int | None:
        """Returns the rank of a cover; None if the options are no cover."""
        v, rank, rest = self._root, 0, len(options)
        while v > 1:
            for e in range(self.first_edge[v], self.first_edge[v + 1]):
                option = int(self.edge_option[e])
                if option in options or (option < 0 and not rest):
                    break
                rank += digits.whole(self._counts[self.edge_child[e]])
            else:
                return None
            rest -= option >= 0
            v = int(self.edge_child[e])
        return rank if v == 1 and not rest else None

    @overload
    def __getitem__(self, place: int) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, place: slice) -> list[tuple[int, ...]]: ...
    def __getitem__(self, place: int | slice) -> tuple[int, ...] | list[tuple[int, ...]]:
        if isinstance(place, slice):
            return _tuples(self._unranked(range(*place.indices(self.covers))))
        rank = as_index(place) + (self.covers if place < 0 else 0)
        if not 0 <= rank < self.covers:
            raise IndexError(f"there is no cover {shown(as_index(place))}: there are {shown(self.covers)}")
        return _tuples(self._unranked([rank]))[0]

    def _place(self, cover: object) -> int | None:
        """Returns the index of a cover, ignoring -1; None if it is no cover, or repeats an option."""
        given: list[Any] = list(cover) if isinstance(cover, Iterable) else [None]
        if not all(map(is_whole, given)):
            return None
        numbers = [int(o) for o in given if o != -1]
        options = set(numbers)
        known = len(options) == len(numbers) and all(0 <= o < self.problem.n_options for o in options)
        return self._rank(options) if known else None

    def __contains__(self, cover: object) -> bool:
        return self._place(cover) is not None

    def index(self, cover: Iterable[int]) -> int:
        """Returns the index of a cover: `diagram[diagram.index(cover)]` has the same options.

        Parameters:
            cover: option numbers in any order; the -1 that pad a row of a block are ignored.

        Raises:
            ValueError: this is no cover of the diagram.

        >>> from dlx import Problem, diagram
        >>> diagram(Problem.from_options(["ab", "bc", "c", "a"])).index((1, 3))
        1
        """
        rank = self._place(cover)
        if rank is None:
            raise ValueError(f"{cover!r:.80} is no cover of the diagram")
        return rank

    # Drawn at random

    def sample(self, k: int, seed: int = 0) -> Block:
        """Draws covers at random with replacement; every cover has exactly the same probability.

        Parameters:
            k: how many to draw.
            seed: the random seed; the same seed gives the same covers.

        Returns:
            An int32 array of shape (k, problem.max_level): option numbers, then -1.

        Raises:
            ValueError: there are no covers, or k or the seed is negative.
            TypeError: k or the seed is no whole number.
            MemoryError: the covers take more than `memory`; `samples` yields them in blocks.

        >>> from dlx import Problem, diagram
        >>> pairs = diagram(Problem.from_options(["ab", "cd", "ac", "bd", "ad", "bc"], items="abcd"))
        >>> pairs.sample(3, seed=1).tolist()
        [[4, 5], [2, 3], [0, 1]]
        """
        size = 4 * whole_number(k, "k") * max(1, self.problem.max_level)
        if size > self.memory:
            raise MemoryError(
                f"{k} covers take {size} bytes, more than memory={self.memory}; samples(k) yields them in blocks"
            )
        blocks = [*self.samples(k, seed)]
        return np.concatenate(blocks) if blocks else np.empty((0, self.problem.max_level), dtype=np.int32)

    def samples(self, k: int, seed: int = 0) -> Iterator[Block]:
        """Yields the covers of `sample` lazily, in blocks.

        Parameters and errors: as for `sample`.

        >>> from dlx import Problem
        >>> pairs = diagram(Problem.from_options(["ab", "cd", "ac", "bd", "ad", "bc"], items="abcd"))
        >>> [len(block) for block in pairs.samples(2500)]
        [1024, 1024, 452]
        """
        rng = random_generator(whole_number(seed, "seed"))
        if whole_number(k, "k") and not self:
            raise ValueError(f"cannot draw {k} covers: the diagram has none")
        return (self._drawn(rng, min(BLOCK, k - start)) for start in range(0, k, BLOCK))

    def _drawn(self, rng: np.random.Generator, k: int) -> Block:
        block = self._block(k)
        self._paths.unrank(digits.drawn(rng, self.covers, k), block)
        return block

    # Sums over all covers

    def uses(self) -> tuple[int, ...]:
        """Returns the number of covers that each option is in.

        >>> from dlx import Problem
        >>> diagram(Problem.from_options(["ab", "c", "a", "b", "bc"])).uses()
        (1, 2, 2, 1, 1)
        """
        first, options, children = (array.tolist() for array in self._arrays())
        below = [digits.whole(count) for count in self._counts]
        above = [0] * self.nodes  # the number of paths from the root to each node
        above[self._root] = 1
        uses = [0] * (self.problem.n_options + 1)  # the last entry is for edges without an option
        for v in range(self.nodes - 1, 1, -1):
            for e in range(first[v], first[v + 1]):
                above[children[e]] += above[v]
                uses[options[e]] += above[v] * below[children[e]]
        return tuple(uses[:-1])

    def shares(self) -> npt.NDArray[np.float64]:
        """Returns the fraction of covers with each option: float64, shape (n_options,); 0 if there are no covers.

        >>> from dlx import Problem
        >>> diagram(Problem.from_options(["ab", "c", "a", "b"])).shares()
        array([0.5, 1. , 0.5, 0.5])
        """
        covers = max(1, self.covers)
        return np.array([uses / covers for uses in self.uses()], dtype=np.float64)

    def best(
        self, weights: Iterable[float] | None = None, sense: Literal["max", "min"] = "max", k: int = 1
    ) -> tuple[Cover, ...]:
        """Returns the k covers with the best scores, the best first; among equal scores the choice is arbitrary.

        Parameters:
            weights: a whole or real number for each option; default: the weights of the problem, or 0.
            sense: "max" if the largest score is the best, "min" if the smallest is.
            k: how many covers to find, at least 1.

        Returns:
            The covers with their scores, fewer than k if there are fewer. Sums of real weights are compared in float64.

        Raises:
            ValueError: `sense` is neither "max" nor "min", or k is less than 1.
            TypeError: k is no whole number.
            ProblemError: the weights do not match the options or are not finite.
            OverflowError: a score could be too large.

        >>> from dlx import Problem
        >>> toy = diagram(Problem.from_options(["ab", "cd", "ac", "bd", "abcd"], weights=[3, 4, 5, 1, 6]))
        >>> [(cover.score, cover.options) for cover in toy.best(k=2)]
        [(7, (0, 1)), (6, (4,))]
        >>> toy.best([1, 1, 1, 1, 5], "min")[0].score
        2
        """
        sign = sign_of(sense)
        k = whole_number(k, "k", 1)
        values = self._weights(weights)
        some = _best_first(self, sign * values, k) if self else ()
        covers = [Cover(values[list(o)].sum().item(), o, self.problem) for o in some]
        return tuple(sorted(covers, key=lambda cover: -sign * cover.score))

    def scores(self, weights: Iterable[float] | None = None) -> dict[int, int]:
        """Returns the number of covers with each score.

        Parameters:
            weights: a whole number for each option; default: the weights of the problem, or 0.

        Returns:
            The number of covers by score, in ascending order; scores of no cover are absent.

        Raises:
            ProblemError: the weights do not match the options.
            ValueError: a weight is not a whole number.
            OverflowError: a score could be too large.
            MemoryError: the scores need more than `memory`.

        >>> from dlx import Problem
        >>> diagram(Problem.from_options(["ab", "c", "a", "b", "bc"])).scores([5, 1, 1, 2, 2])
        {3: 1, 4: 1, 6: 1}
        """
        values = self._weights(weights)
        if values.dtype.kind != "i":
            raise ValueError(f"the weights have the type {values.dtype} instead of whole numbers")
        if not self:
            return {}
        return _distribution(self, values)

    def _weights(self, weights: Iterable[float] | None) -> npt.NDArray[Any]:
        """Returns a checked copy of the weights; default: the weights of the problem, or zeros."""
        if weights is None:
            weights = self.problem.weights
        if weights is None:
            return np.zeros(self.problem.n_options, dtype=np.int64)
        return checked_weights(weights, self.problem.n_options, self.problem.max_level).copy()

    # Parts

    def restricted(self, chosen: Iterable[int] = (), without: Iterable[int] = ()) -> Diagram:
        """Returns the diagram of the covers that have all options in `chosen` and none in `without`.

        Parameters:
            chosen: option numbers that every cover has.
            without: option numbers that no cover has.

        Returns:
            A diagram of the same problem; its covers, maybe none, keep their order.

        Raises:
            IndexError: there is no such option.
            TypeError: an option is not a whole number.

        >>> from dlx import Problem
        >>> pairs = diagram(Problem.from_options(["ab", "cd", "ac", "bd", "ad", "bc"], items="abcd"))
        >>> list(pairs.restricted(chosen=[2])), list(pairs.restricted(without=[0]))
        ([(2, 3)], [(2, 3), (4, 5)])
        """
        wanted = np.unique(option_numbers(chosen, self.problem.n_options)).tolist()
        gone = np.zeros(self.problem.n_options, dtype=np.int8)
        gone[option_numbers(without, self.problem.n_options)] = 1
        arrays: tuple[Any, Any, Any] = self._paths.restricted(gone, wanted[0] if wanted else -2)
        for option in wanted[1:]:  # one by one, so a node has at most 2 copies instead of len(wanted) + 1
            arrays = _paths(*arrays).restricted(gone, option)
        return Diagram(self.problem, *arrays, self.memory)

    # Files

    def _arrays(self) -> tuple[npt.NDArray[Any], ...]:
        return self.first_edge, self.edge_option, self.edge_child

    def save(self, target: str | os.PathLike[str] | IO[bytes]) -> None:
        """Writes the diagram, with its problem, as a numpy .npz file, or as a decision-DNNF if the name ends in .nnf.

        decision-DNNF is a format of d4 and other knowledge compilers (`dlx.formats.nnf`); `load` does not read it.

        Parameters and errors: those of `CoverSequence.save`.

        >>> import io
        >>> from dlx import Problem
        >>> toy = diagram(Problem.from_options(["ab", "c"]))
        >>> toy.save(stream := io.BytesIO())
        >>> Diagram.load(io.BytesIO(stream.getvalue())) == toy
        True
        """
        from dlx.formats import files, nnf, npz

        if files.name_of(target).endswith(".nnf"):
            files.put(target, nnf.dumps(self.problem.n_options, *self._arrays()))
        else:
            files.put(target, npz.dump_diagram(self.problem, *self._arrays()))

    @classmethod
    def load(cls, source: str | os.PathLike[str] | IO[bytes], memory: int | None = None) -> Diagram:
        """Reads a diagram that `save` has written.

        The structure is checked; it is not checked that the paths are exactly the covers of the problem.

        Parameters:
            source: the path of a file, or an open file in binary mode.
            memory: bytes that the counts may take; default: 1 GB.

        Raises:
            FormatError: the file is no diagram, or is damaged; the message names the file and the reason.
            MemoryError: the counts would take more than `memory`.
            OSError: the file cannot be read.

        >>> import io
        >>> Diagram.load(io.BytesIO(b"PK"))
        Traceback (most recent call last):
        dlx.formats.FormatError: <stream>: this is no .npz file of a diagram: File is not a zip file
        """
        from dlx.formats import FormatError, files, npz

        room, file = memory_bytes(memory), files.name_of(source)
        with files.opened(source) as stream:
            problem, first_edge, edge_option, edge_child = npz.load_diagram(stream.read(), file)
        try:
            return cls(problem, first_edge, edge_option, edge_child, room)
        except ValueError as error:
            raise FormatError(file, None, f"the diagram in it: {error}") from None


def _paths(*arrays: npt.NDArray[Any]) -> Any:
    """Returns the kernel that traverses a diagram."""
    return compiled_module("dlx.kernels.count.paths").Paths(*arrays)


def _checked(name: str, given: Any, dtype: type[np.int32 | np.uint32]) -> npt.NDArray[Any]:
    """Returns one of the arrays of a diagram, read-only and of its type."""
    array = np.asarray(given)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(f"{name} has the shape {array.shape} and the type {array.dtype}")
    if array.size and not np.iinfo(dtype).min <= array.min() <= array.max() <= np.iinfo(dtype).max:
        raise ValueError(f"{name} has numbers from {array.min()} to {array.max()}")
    return frozen(array.astype(dtype, order="C"))


def _tuples(block: Block) -> list[tuple[int, ...]]:
    """Returns the rows of a block, without the padding."""
    return [tuple(row[: row.index(-1)] if -1 in row else row) for row in block.tolist()]


# Scores

SCORE = 100  # estimated bytes of a score and its number of covers, without the digits of that number
Link = tuple[int, Any] | None  # options of a path in reverse order


def _bounds(made: Diagram, weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Returns the largest score of the paths below each node, for weights of type int64 or float64."""
    bounds = np.zeros(made.nodes, dtype=weights.dtype)
    made._paths.bounds(weights, bounds)
    return bounds


def _best_first(made: Diagram, weights: npt.NDArray[Any], k: int) -> Iterator[tuple[int, ...]]:
    """Yields the k covers with the largest scores, the best first; fewer if there are fewer.

    This is A* (Hart, Nilsson, Raphael 1968, doi:10.1109/TSSC.1968.300136) with exact bounds.
    """
    bounds, gain = _bounds(made, weights), np.append(weights, np.zeros(1, dtype=weights.dtype))
    first, root, last = made.first_edge, made.nodes - 1, 0
    # An entry has minus the bound, a number, the score so far, the node and the options. Each new entry has a smaller
    # number, so equal bounds are searched depth-first.
    heap: list[tuple[Any, int, Any, int, Link]] = [(-bounds[root].item(), 0, 0, root, None)]
    while heap and k:
        _, _, score, v, link = heappop(heap)
        if v == 1:
            k -= 1
            yield tuple(sorted(_options(link)))
        edges = slice(first[v], first[v + 1])
        for o, child in zip(made.edge_option[edges].tolist(), made.edge_child[edges].tolist(), strict=True):
            last -= 1
            reached = score + gain[o].item()
            heappush(heap, (-reached - bounds[child].item(), last, reached, child, (o, link) if o >= 0 else link))


def _options(link: Link) -> Iterator[int]:
    while link is not None:
        option, link = link
        yield option


def _distribution(made: Diagram, weights: npt.NDArray[np.int64]) -> dict[int, int]:
    """Returns the number of covers of each score; raises MemoryError."""
    gains = [*weights.tolist(), 0]  # the last entry is for edges without an option
    first, options, children = (array.tolist() for array in made._arrays())
    last = np.zeros(made.nodes, dtype=np.int64)  # the last parent of each node
    last[made.edge_child] = owners(made.first_edge)
    last_parent = last.tolist()
    room = made.memory // (SCORE + made.covers.bit_length() // 8)  # further scores of nodes that fit into the memory
    below = {1: {0: 1}}  # for each node with unvisited parents: the number of covers by score
    for v in range(2, made.nodes):
        counts = below[v] = dict[int, int]()
        edges = range(first[v], first[v + 1])
        for e in edges:
            gain = gains[options[e]]
            for score, number in below[children[e]].items():
                counts[score + gain] = counts.get(score + gain, 0) + number
        room -= len(counts)
        if room < 0:
            raise MemoryError(f"the numbers of covers by score take more than memory={made.memory}; raise memory")
        for e in edges:
            if last_parent[children[e]] == v:
                room += len(below.pop(children[e], ()))
    return dict(sorted(below[made.nodes - 1].items()))
