"""The search for kinds of covers that visits all of them, alone or in pieces."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import build
from dlx.engine.limits import StoppedError
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.parallel.cutting import split
from dlx.parallel.slices import Done, Part, Search, work
from dlx.parallel.workforce import Workforce
from dlx.problem.problem import Problem
from dlx.search.covers import BLOCK, BUFFER, Block
from dlx.symmetry import met
from dlx.symmetry.met import Kinds

if TYPE_CHECKING:
    from dlx.symmetry.together import Together

WORTH = 1.0  # seconds that seem to be left of a search that is cut into pieces,
PIECES = 32  # so many for each worker
SLICE = 0.2  # seconds of a piece at a time, at most


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

    def own(self, block: Block) -> tuple[Block, npt.NDArray[np.int64]]:
        """The covers of a block that are the least of their images, and how many images leave each as it is."""
        rows = np.sort(block, axis=1)
        same = np.zeros(len(rows), dtype=np.int64)
        for image in self._images:
            other = np.sort(image[rows], axis=1)
            least = ~_is_less(other, rows)
            same = (same + (other == rows).all(axis=1))[least]
            rows = rows[least]
        return rows, same

    def size(self, fixed: int) -> int:
        """How many images a cover has that so many symmetries leave as it is."""
        return len(self.images) // fixed


def _is_less(one: Block, other: Block) -> npt.NDArray[np.bool_]:
    """Which rows come before those of the other block.

    >>> _is_less(np.array([[1, 2], [3, 1], [4, 4]]), np.array([[1, 3], [2, 9], [4, 4]])).tolist()
    [True, False, False]
    """
    if not one.shape[1]:
        return np.zeros(len(one), dtype=np.bool_)
    first = (one != other).argmax(axis=1)[:, None]
    less: npt.NDArray[np.bool_] = (np.take_along_axis(one, first, 1) < np.take_along_axis(other, first, 1))[:, 0]
    return less


class Sifting(Search):
    """The search for all covers of which workers only tell those that are the least of their images."""

    def __init__(self, visitor: Visitor) -> None:
        super().__init__(visitor.problem, "auto", None, visitor.room)
        self._visitor = visitor

    def __getstate__(self) -> tuple[Any, ...]:
        return (self._visitor,)

    def kept(self, block: Block) -> Block:
        return self._visitor.own(block)[0]


def visit(search: Sifting, part: Part, over: Callable[[], bool]) -> Done:
    """What a worker does: a slice of a piece."""
    return work(search, part.task(), over)


class Visiting(Kinds):
    """A search for all covers; the least image of a cover is its form.

    Where it would take long it begins again, in pieces, and keeps the kinds that it has found. Workers only tell of
    covers that are the least of their images: each kind has one.

    Parameters:
        visitor: what finds the images.
        workforce: who helps; None for nobody.
        over: whether to stop.
    """

    def __init__(
        self,
        visitor: Visitor,
        memory: int,
        workforce: Workforce | None = None,
        over: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(memory)
        self._visitor, self._workforce, self._over = visitor, workforce, over
        self._kernel = build(visitor.problem, room=visitor.room)
        self._start = time.perf_counter()
        self._together: Together[Part, Done] | None = None
        self._parts: list[Part] = []  # that nobody is at, the next one last
        self._estimate = self._done = 0.0  # nodes of all pieces, and of those done
        self._nodes = self._updates = self._visited = 0  # in pieces; the last are covers

    @property
    def nodes(self) -> int:
        return self._kernel.nodes + self._nodes

    @property
    def updates(self) -> int:
        return self._kernel.updates + self._updates

    def fraction(self) -> float:
        if self._together is None:
            return self._kernel.fraction()
        return self._done / self._estimate if self._estimate else 1.0

    def check(self) -> None:
        super().check()
        if self._together is not None and self._visited != (there := sum(size for _, size in self.kinds.values())):
            raise RuntimeError(f"{self._visited} covers have been visited, and there are {there} of all kinds")

    def close(self) -> None:
        if self._together is not None:
            self._together.close()

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Goes on with the search for all covers, by a block of them at most, or by what workers have brought."""
        last = self.covers + covers
        if self._workforce is not None and self._is_long():
            self._cut(self._workforce)
        state = self._alone(nodes, updates) if self._together is None else self._with_workers(self._together)
        return BUFFER_FULL if state != EXHAUSTED and self.covers >= last else state

    def _alone(self, nodes: int, updates: int) -> int:
        state = self._kernel.run(nodes, updates, self._visitor.room)
        for form, fixed in self._visitor.least(self._kernel.found()):
            self._note(form, 1, fixed)
        self._kernel.filled = 0
        return BUDGET_SPENT if state == BUFFER_FULL else state

    def _note(self, form: bytes, times: int, fixed: int) -> None:
        """Notes that so many covers have a least image."""
        if self.meet(form, times):
            cover = np.frombuffer(form, dtype=np.int32)
            self.keep(form, tuple(cover[cover >= 0].tolist()), self._visitor.size(fixed))

    # With workers

    def _is_long(self) -> bool:
        """Whether it is time for workers."""
        if self._together is not None:
            return False
        seconds, done = time.perf_counter() - self._start, self._kernel.fraction()
        return seconds >= met.SOON and seconds * (1 - done) >= WORTH * done

    def _cut(self, workforce: Workforce) -> None:
        """Begins again, in pieces."""
        from dlx.symmetry.together import Together  # as late as here: multiprocessing takes 0.02 s to load

        together = Together[Part, Done](workforce, visit, Sifting(self._visitor), self._part)
        try:
            cut = split(self._visitor.problem, PIECES * together.jobs, over=self._over)
        except StoppedError:
            together.close()
            return
        self._together = together
        self._parts = [Part(piece) for piece in sorted(cut.pieces, key=lambda piece: piece.nodes)]
        self._estimate = sum(piece.nodes for piece in cut.pieces)
        self._nodes = cut.nodes
        self._met.clear()

    def _part(self) -> Part | None:
        return self._parts.pop() if self._parts else None

    def _with_workers(self, together: Together[Part, Done]) -> int:
        for part, done in together.step():
            self._merge(part, done)
        return BUDGET_SPENT if self._parts or together.tasks else EXHAUSTED

    def _merge(self, part: Part, done: Done) -> None:
        """Notes what a worker has found, and what is left of its piece, if anything."""
        self._nodes += done.nodes
        self._updates += done.updates
        self._visited += done.covers
        before = part.done
        part.take(done, SLICE)
        self._done += part.done - before
        if not part.is_done:
            self._parts.append(part)
        if done.block is None:
            return
        rows, fixed = self._visitor.own(done.block)
        for form, times in zip(map(np.ndarray.tobytes, rows), fixed.tolist(), strict=True):
            self._note(form, self._visitor.size(times), times)
