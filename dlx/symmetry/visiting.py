"""The search for kinds of covers that visits all of them, alone or in pieces."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import build
from dlx.engine.limits import Over, StoppedError, never
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED, Finder
from dlx.parallel.cutting import split
from dlx.parallel.slices import KernelPool
from dlx.parallel.workforce import Workforce
from dlx.problem.problem import Problem
from dlx.search.covers import BLOCK, BUFFER, Block
from dlx.symmetry import met
from dlx.symmetry.met import Kinds

if TYPE_CHECKING:
    from dlx.parallel.pieces import Pieces

WORTH = 1.0  # seconds that seem to be left of a search that is cut into pieces,
PIECES = 32  # so many for each worker


class Visitor:
    """Finds the least images of covers; the context of workers."""

    def __init__(self, problem: Problem, images: Block) -> None:
        self.problem, self.images = problem, images
        self.room = max(1, min(BLOCK, BUFFER // max(1, problem.max_level)))
        self._images = np.concatenate([images, np.full((len(images), 1), -1, dtype=np.int32)], axis=1)

    def least(self, block: Block) -> Iterator[tuple[bytes, int]]:
        """For each cover of a block the least of its images, as a form, and how many images leave it as it is."""
        block = np.sort(block, axis=1)
        least, same = block.copy(), np.zeros(len(block), dtype=np.int64)
        for image in self._images:
            other = np.sort(image[block], axis=1)
            same += (other == block).all(axis=1)
            smaller = _is_less(other, least)
            least[smaller] = other[smaller]
        return zip(map(np.ndarray.tobytes, least), same.tolist(), strict=True)

    def own(self, block: Block) -> Block:
        """The covers of a block that are the least of their images."""
        rows = np.sort(block, axis=1)
        for image in self._images:
            rows = rows[~_is_less(np.sort(image[rows], axis=1), rows)]
        return rows


def _is_less(one: Block, other: Block) -> npt.NDArray[np.bool_]:
    """Tells, for each row, if it comes before that of the other block."""
    if not one.shape[1]:
        return np.zeros(len(one), dtype=np.bool_)
    first = (one != other).argmax(axis=1)[:, None]
    less: npt.NDArray[np.bool_] = (np.take_along_axis(one, first, 1) < np.take_along_axis(other, first, 1))[:, 0]
    return less


class Sifting(KernelPool):
    """The search for all covers of which workers only tell those that are the least of their images."""

    def __init__(self, visitor: Visitor) -> None:
        super().__init__(visitor.problem, "auto", None, visitor.room)
        self._visitor = visitor

    def __getstate__(self) -> tuple[Any, ...]:
        return (self._visitor,)

    def kept(self, block: Block) -> Block:
        return self._visitor.own(block)


class Visiting(Kinds):
    """A search for all covers; the least image of a cover is its form.

    Where it would take long it begins again, in pieces, and keeps the kinds that it has found. Workers only tell of
    covers that are the least of their images: each kind has one.
    """

    def __init__(
        self,
        visitor: Visitor,
        memory: int,
        workforce: Workforce | None = None,
        over: Over = never,
    ) -> None:
        super().__init__(memory)
        self._visitor, self._workforce, self._over = visitor, workforce, over
        self._kernel = build(visitor.problem, room=visitor.room)
        self._start = time.perf_counter()
        self._pieces: Pieces | None = None

    @property
    def nodes(self) -> int:
        return self._kernel.nodes + (0 if self._pieces is None else self._pieces.nodes)

    @property
    def updates(self) -> int:
        return self._kernel.updates + (0 if self._pieces is None else self._pieces.updates)

    def fraction(self) -> float:
        return (self._pieces or self._kernel).fraction()

    def check(self) -> None:
        super().check()
        if self._pieces is None:
            return
        visited = sum(piece.covers for piece in self._pieces.pieces)
        if visited != (there := sum(size for _, size in self.kinds.values())):
            raise RuntimeError(f"{visited} covers have been visited, and there are {there} of all kinds")

    def close(self) -> None:
        if self._pieces is not None:
            self._pieces.close()

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Goes on with the search for all covers, by a block of them at most."""
        last = self.covers + covers
        if self._workforce is not None and self._is_long():
            self._cut(self._workforce)
        search: Finder = self._pieces or self._kernel
        state = search.run(nodes, updates, self._visitor.room)
        for form, fixed in self._visitor.least(search.found()):
            size = len(self._visitor.images) // fixed
            if self.meet(form, 1 if self._pieces is None else size):
                cover = np.frombuffer(form, dtype=np.int32)
                self.keep(form, tuple(cover[cover >= 0].tolist()), size)
        search.filled = 0
        if state != EXHAUSTED:
            return BUFFER_FULL if self.covers >= last else BUDGET_SPENT
        return state

    def _is_long(self) -> bool:
        """Tells whether it is time for workers."""
        if self._pieces is not None:
            return False
        seconds, done = time.perf_counter() - self._start, self._kernel.fraction()
        return seconds >= met.SOON and seconds * (1 - done) >= WORTH * done

    def _cut(self, workforce: Workforce) -> None:
        """Begins again, in pieces."""
        from dlx.parallel.pieces import Pieces  # as late as here: multiprocessing takes 0.02 s to load

        problem, workers = self._visitor.problem, workforce.workers(threads=False)
        try:
            cut = split(problem, PIECES * workers.jobs, over=self._over)
        except StoppedError:
            workers.close()
            return
        width = problem.max_level
        self._pieces = Pieces(Sifting(self._visitor), cut.pieces, workers, width=width, nodes=cut.nodes)
        self._met.clear()
