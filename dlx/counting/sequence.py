"""All covers of a problem as a sequence, the base of diagrams."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from operator import index as as_index
from typing import IO, Any, ClassVar, overload

import numpy as np
import numpy.typing as npt

from dlx.problem.checks import is_whole
from dlx.problem.problem import Problem
from dlx.problem.words import counted, shown
from dlx.search.covers import Block


class CoverSequence(ABC):
    """The covers of a problem in an order of their own, as tuples of option numbers."""

    __slots__ = ()

    kind: ClassVar[str]
    problem: Problem

    @property
    @abstractmethod
    def covers(self) -> int:
        """The number of covers, an int of any size."""

    @property
    @abstractmethod
    def nodes(self) -> int:
        """The number of nodes, with the one without covers and the empty one."""

    @property
    @abstractmethod
    def edges(self) -> int:
        """The number of edges."""

    @abstractmethod
    def __iter__(self) -> Iterator[tuple[int, ...]]: ...

    @abstractmethod
    def samples(self, k: int, seed: int = 0) -> Iterator[Block]:
        """Draws the covers of `sample` block by block, as they are asked for."""

    @abstractmethod
    def _ranked(self, ranks: Sequence[int]) -> list[tuple[int, ...]]:
        """Returns the covers of some places, which are there."""

    @abstractmethod
    def _rank(self, options: set[int]) -> int | None:
        """Returns the place of a cover, or None if the options are none."""

    @abstractmethod
    def _arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """Returns the arrays that make it, with the problem."""

    def __repr__(self) -> str:
        sizes = [counted(self.covers, "cover"), counted(self.nodes, "node"), counted(self.edges, "edge")]
        return f"{type(self).__name__}({', '.join(sizes)})"

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return self.problem, *(array.tobytes() for array in self._arrays())

    def __bool__(self) -> bool:
        return self.covers > 0

    def __len__(self) -> int:
        return self.covers

    @overload
    def __getitem__(self, place: int) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, place: slice) -> list[tuple[int, ...]]: ...
    def __getitem__(self, place: int | slice) -> tuple[int, ...] | list[tuple[int, ...]]:
        if isinstance(place, slice):
            return self._ranked(range(*place.indices(self.covers)))
        rank = as_index(place) + (self.covers if place < 0 else 0)
        if not 0 <= rank < self.covers:
            raise IndexError(f"there is no cover {shown(as_index(place))}: there are {shown(self.covers)}")
        return self._ranked([rank])[0]

    def _place(self, cover: object) -> int | None:
        """Returns the place of what may be a cover, without its -1's; None if it is none, or has an option twice."""
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
        """Returns the place of a cover in the order of all: `diagram[diagram.index(cover)]` has the same options.

        Parameters:
            cover: option numbers in any order; the -1's that fill up the row of a block are passed over.

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

    def sample(self, k: int, seed: int = 0) -> Block:
        """Draws covers at random, each of all covers with the same chance, exactly; the same one may come again.

        Parameters:
            k: how many to draw.
            seed: for other ones; the same seed gives the same covers.

        Returns:
            An int32 array of shape (k, problem.max_level): option numbers, then -1.

        Raises:
            ValueError: there are no covers, or k or the seed is negative.
            TypeError: k or the seed is no whole number.

        >>> from dlx import Problem, diagram
        >>> pairs = diagram(Problem.from_options(["ab", "cd", "ac", "bd", "ad", "bc"], items="abcd"))
        >>> pairs.sample(3, seed=1).tolist()
        [[4, 5], [2, 3], [0, 1]]
        """
        blocks = [*self.samples(k, seed)]
        return np.concatenate(blocks) if blocks else np.empty((0, self.problem.max_level), dtype=np.int32)

    def save(self, target: str | os.PathLike[str] | IO[bytes]) -> None:
        """Writes the diagram, with its problem, as a numpy .npz file.

        Parameters:
            target: the path of a file, or a binary one open for writing; nothing is touched before all bytes are made.

        Raises:
            FormatError: a name in the problem is not of the types that can be written.
            OSError: the file cannot be written.

        >>> import io
        >>> from dlx import Diagram, Problem, diagram
        >>> toy = diagram(Problem.from_options(["ab", "c"]))
        >>> toy.save(stream := io.BytesIO())
        >>> Diagram.load(io.BytesIO(stream.getvalue())) == toy
        True
        """
        from dlx.formats import diagrams, files

        files.put(target, diagrams.dumps(self.kind, self.problem, *self._arrays()))
