"""A search in pieces with the interface of a kernel, so that the loop can run it.

Each piece is done in slices of up to a few seconds, one after the other, by any worker. A slice counts when its result
comes back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlx.engine.limits import Limits
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.parallel.crew import WAIT, Crew, Workers
from dlx.parallel.cutting import Split
from dlx.parallel.slices import Block, Search, SearchPiece, Slice, do_slice
from dlx.problem.checks import UNLIMITED
from dlx.problem.words import counted

SLICE = 0.25  # seconds of the longest slice with few workers; after an abort, workers may run for this time
SCHEDULED = 0.01  # seconds of the longest slice per worker: dask's scheduler takes 2 ms for a task
LONGEST = 5.0  # seconds of the longest slice with many workers; a worker cannot be stopped for that time


class Pieces:
    """A search in pieces; a `dlx.kernels.Finder`.

    Parameters:
        search: the search; the buffer has `search.rows` rows.
        cut: its pieces.
        workers: the workers; they end with this search.
        ordered: whether covers come in the order of a search without pieces.
        limits: the limits of all slices together; the caller may change them.

    Attributes:
        pieces: all pieces, in the order of the search.
        filled: the number of covers in the buffer.
        nodes, updates: the work of all finished slices.
        covers: the covers counted or, with a buffer, handed out.
    """

    name = "pieces"

    def __init__(
        self,
        search: Search,
        cut: Split,
        workers: Workers,
        *,
        ordered: bool = False,
        limits: Limits = Limits(),  # noqa: B008  (it cannot be changed)
    ) -> None:
        self.pieces = pieces = cut.pieces
        self.limits = limits
        self._cut, self._rows, self._ordered = cut, search.rows, ordered
        self._crew: Crew[int, tuple[SearchPiece, Block | None]] = Crew(
            workers, do_slice, search, self._slice, named=self._named
        )
        undone = [k for k, piece in enumerate(pieces) if not piece.is_done]
        self._crew.todo.extend(undone if ordered else sorted(undone, key=lambda k: -pieces[k].estimate))
        self._undone = len(undone)  # pieces
        self._longest = min(LONGEST, max(SLICE, SCHEDULED * workers.jobs))
        self._blocks: dict[int, Block] = {}  # covers of pieces that have not been handed out
        self._next = 0  # the piece whose covers are handed out next, if `ordered`
        self._buffer = np.empty((self._rows, search.problem.max_level), dtype=np.int32)
        self._total = sum(piece.estimate for piece in pieces)
        self._done = sum(piece.done for piece in pieces)
        self.filled = 0
        self.nodes = cut.nodes + sum(piece.nodes for piece in pieces)
        self.updates = sum(piece.updates for piece in pieces)
        self.covers = 0 if self._rows else sum(piece.covers for piece in pieces)

    # The interface to the loop

    @property
    def doing(self) -> str:
        return f"{len(self.pieces) - self._undone} of {counted(len(self.pieces), 'piece')}"

    def fraction(self) -> float:
        """Returns the fraction of the search that is done, weighted by the estimates of the pieces."""
        if not self._undone:
            return 1.0
        return min(0.999, self._done / self._total) if self._total else 0.0

    def found(self) -> Block:
        """Returns the covers in the buffer: a row for each, option numbers in the order of choice, then -1."""
        return self._buffer[: self.filled]

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Hands out covers, or waits 20 ms for workers; raises LostPieceError or BrokenExecutor if all die."""
        last = self.covers + covers
        if self._rows and self._hand_out(last):
            return BUFFER_FULL
        if not (self._undone or self._blocks):
            return EXHAUSTED
        for k, done in self._crew.step(WAIT, self._more()):
            self._book(k, *done)
        if self._rows:
            return BUFFER_FULL if self._hand_out(last) else BUDGET_SPENT
        return BUDGET_SPENT if self._undone else EXHAUSTED

    def hand_out(self, covers: int) -> None:
        """Puts up to `covers` of the waiting covers into the buffer."""
        self._hand_out(min(self.covers + covers, self.limits.max_covers))

    def state(self) -> dict[str, Any]:
        """Returns the state for a checkpoint."""
        return self._cut.state()

    def close(self) -> None:
        """Ends the run: no further slice begins, and running slices end soon."""
        self._crew.close()

    # Slices

    def _slice(self, k: int) -> Slice | None:
        """Returns the next slice of a piece; None if the slices in flight may reach a limit."""
        limits, share = self.limits, max(1, self._crew.room())
        flight: list[Slice] = [sent for _, sent in self._crew.flight.values()]
        nodes = covers = UNLIMITED
        if limits.max_nodes < UNLIMITED:
            rest = limits.max_nodes - self.nodes - sum(sent.nodes for sent in flight)
            nodes = -(-rest // share)
        if self._rows:  # surplus covers are dropped
            covers = max(1, limits.max_covers - self.covers)
        elif limits.max_covers < UNLIMITED:
            rest = limits.max_covers - self.covers - sum(sent.covers for sent in flight)
            covers = -(-rest // share)
        return Slice(self.pieces[k], nodes, covers) if min(nodes, covers) > 0 else None

    def _book(self, k: int, piece: SearchPiece, block: Block | None) -> None:
        before, self.pieces[k] = self.pieces[k], piece
        piece.seconds = min(self._longest, 2 * piece.seconds)
        self._done += piece.done - before.done
        self._undone -= piece.is_done
        self.nodes += piece.nodes - before.nodes
        self.updates += piece.updates - before.updates
        if not self._rows:
            self.covers += piece.covers - before.covers
        if block is not None:
            self._blocks[k] = block
        elif not piece.is_done:
            self._crew.todo.appendleft(k)

    def _more(self) -> int:
        """Returns how many slices to send: fewer while covers wait, but at least one of the next piece."""
        if not self._rows:
            return UNLIMITED
        todo, more = self._crew.todo, self._crew.room() - len(self._blocks)
        if not self._ordered or self._next not in todo:
            return more
        todo.remove(self._next)
        todo.appendleft(self._next)
        return max(1, more)

    def _named(self, k: int) -> str:
        piece = self.pieces[k]
        return f"the piece with the options {list(piece.places[piece.at].chosen)}"

    # Covers

    def _hand_out(self, last: int) -> bool:
        """Fills the buffer up to `last` covers in all; returns whether the buffer or the limit is full."""
        while (room := min(last - self.covers, self._rows - self.filled)) > 0 and (k := self._giving()) is not None:
            block = self._blocks[k]
            size = min(room, len(block))
            self._buffer[self.filled : self.filled + size] = block[:size]
            self.filled += size
            self.covers += size
            self._blocks[k] = block[size:]
            if size == len(block):
                del self._blocks[k]
                if not self.pieces[k].is_done:
                    self._crew.todo.appendleft(k)
        return room <= 0

    def _giving(self) -> int | None:
        """Returns the piece whose covers are next, or None."""
        if not self._ordered:
            return next(iter(self._blocks), None)
        while (k := self._next) < len(self.pieces) and k not in self._blocks:
            if not self.pieces[k].is_done:
                return None
            self._next += 1
        return k if k in self._blocks else None
