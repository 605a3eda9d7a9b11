"""The search for kinds of covers that visits all of them, alone or in pieces."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine import build
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.limits import Limits, Loop
from dlx.problem import Problem
from dlx.scale.errors import StoppedError
from dlx.scale.parallel import Scale
from dlx.scale.parts import Piece, split
from dlx.search import BLOCK, BUFFER, Block
from dlx.symmetry import kinds
from dlx.symmetry.kinds import Kinds

if TYPE_CHECKING:
    from dlx.symmetry.together import Together

WORTH = 1.0  # seconds that seem to be left of a search that is cut into pieces,
PIECES = 32  # so many for each worker
FIRST_SLICE, SLICE = 0.05, 0.2  # seconds of a piece at a time: each slice is twice as long as the one before
SENT = 1 << 20  # entries of covers that a worker brings at a time, at most: 4 MB


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
        rows = np.full((len(block), self.problem.max_level), -1, dtype=np.int32)
        width = min(block.shape[1], rows.shape[1])  # pieces have bounds of their own for their covers
        rows[:, :width] = block[:, :width]
        rows.sort(axis=1)
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


class Part(NamedTuple):
    """A piece from where its search stands; no mark is its beginning."""

    piece: Piece
    mark: list[int] | None
    nodes: int
    seconds: float

    def __str__(self) -> str:
        return f"the piece with the options {list(self.piece.chosen)}"


class Visited(NamedTuple):
    """What came of a slice; no mark is the end of the piece.

    Attributes:
        covers: how many there were.
        rows: those that are the least of their images.
        fixed: how many images leave each of these as it is.
    """

    mark: list[int] | None
    nodes: int
    updates: int
    covers: int
    rows: Block
    fixed: npt.NDArray[np.int64]


def visit(visitor: Visitor, part: Part, over: Callable[[], bool]) -> Visited:
    """What a worker does: a slice of a piece."""
    end = time.perf_counter() + part.seconds
    kernel: Any = build(part.piece.of(visitor.problem), room=visitor.room)
    if part.mark is not None:
        kernel.seek(part.mark)
    found = []
    with Loop(Limits()) as loop:
        for _ in loop.slices(kernel):
            found.append(visitor.own(kernel.found()))
            kernel.filled = 0
            if over() or time.perf_counter() >= end or sum(rows.size for rows, _ in found) >= SENT:
                break
    rows, fixed = (np.concatenate(parts) for parts in zip(*found, strict=True))
    mark = None if loop.exhausted else kernel.mark()
    return Visited(mark, kernel.nodes, kernel.updates, kernel.covers, rows, fixed)


class Visiting(Kinds):
    """A search for all covers; the least image of a cover is its form.

    Where it would take long it begins again, in pieces, and keeps the kinds that it has found. Workers only tell of
    covers that are the least of their images: each kind has one.

    Parameters:
        visitor: what finds the images.
        scale: who helps; None for nobody.
        over: whether to stop.
    """

    def __init__(
        self, visitor: Visitor, memory: int, scale: Scale | None = None, over: Callable[[], bool] = lambda: False
    ) -> None:
        super().__init__(memory)
        self._visitor, self._scale, self._over = visitor, scale, over
        self._kernel = build(visitor.problem, room=visitor.room)
        self._start = time.perf_counter()
        self._together: Together[Part, Visited] | None = None
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
        if self._scale is not None and self._is_long():
            self._cut(self._scale)
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
        return seconds >= kinds.SOON and seconds * (1 - done) >= WORTH * done

    def _cut(self, scale: Scale) -> None:
        """Begins again, in pieces."""
        from dlx.symmetry.together import Together  # as late as here: multiprocessing takes 0.02 s to load

        work = Together[Part, Visited](scale, visit, self._visitor, self._part)
        try:
            pieces = split(self._visitor.problem, PIECES * work.jobs, over=self._over)
        except StoppedError:
            return
        self._together = work
        self._parts = [Part(piece, None, 0, FIRST_SLICE) for piece in reversed(pieces)]
        self._estimate = sum(piece.nodes for piece in pieces)
        self._met.clear()

    def _part(self) -> Part | None:
        return self._parts.pop() if self._parts else None

    def _with_workers(self, work: Together[Part, Visited]) -> int:
        for part, visited in work.step():
            self._merge(part, visited)
        return BUDGET_SPENT if self._parts or work.tasks else EXHAUSTED

    def _merge(self, part: Part, visited: Visited) -> None:
        """Notes what a worker has found, and what is left of its piece, if anything."""
        self._nodes += visited.nodes
        self._updates += visited.updates
        self._done -= _told(part)
        if visited.mark is None:
            self._done += part.piece.nodes
        else:
            after = Part(part.piece, visited.mark, part.nodes + visited.nodes, min(SLICE, 2 * part.seconds))
            self._done += _told(after)
            self._parts.append(after)
        self._visited += visited.covers
        for form, fixed in zip(map(np.ndarray.tobytes, visited.rows), visited.fixed.tolist(), strict=True):
            self._note(form, self._visitor.size(fixed), fixed)


def _told(part: Part) -> float:
    """The nodes of a piece that are done, as far as its estimate may be believed."""
    return min(part.nodes, 0.95 * part.piece.nodes)
