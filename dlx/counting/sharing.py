"""Counting in layers by many workers: ranges of states are expanded some items ahead, each by itself.

A state is a large number, of which the farthest word counts most. What is far behind in the order changes late, so
states that differ there do not meet for a while. All states are cut into ranges by such numbers; a worker merges and
expands those of a range until each has some more items covered, and sends the rest back in order. When all of them have
done so, the program cuts the rest at new numbers, so equal states are in the same range again. Some states are expanded
by several workers: the ways to each add up all the same. The program itself only cuts what it has been sent.

Ranges depend on nothing but the states and the number of workers, so every run counts the same in as many nodes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.counting.layers import AT_ONCE, LEAST, MANY, NONE, WORD, Layered, Plan, Records, no_room
from dlx.counting.portfolio import Past
from dlx.engine.compiled import compiled_module
from dlx.engine.limits import Over
from dlx.kernels import BUDGET_SPENT, CRAMPED, EXHAUSTED
from dlx.parallel.crew import Crew
from dlx.parallel.workforce import Workforce
from dlx.problem.checks import MEMORY, UNLIMITED

FEW = 20_000  # states: so few go to a single worker
MOST = 1_000_000  # states of a range: these take a second or two, for which a worker may be deaf
# Tetrominoes on 10 x 10 by two: 57.4, 62.1, 63.4 and 66.5 million nodes with spans of 3, 4, 6 and 8 items, by one 49.1;
# processor time was about the same for all of these, since states that are moved more often cost as much.
SPAN = 4  # items that states are brought ahead
RANGES = 2  # for each worker, as some take longer
SAMPLE = 256  # states of a block by which it is cut
NODES, UPDATES = 1 << 23, 1 << 30  # of a task; few end so
LOOK = 1 << 16  # nodes between two looks at the end of the run
NUMBERS = ("covers", "nodes", "updates", "hits", "states")
SHARE = 4  # the part of the memory for what the program holds; twice as much is for kernels


class Range(NamedTuple):
    """States to be expanded, but those of the ceiling's layer and behind it, with limits of states and nodes."""

    blocks: list[Records]
    ceiling: int
    room: int
    nodes: int


class Expanded(NamedTuple):
    """The states that are left of a range, in the order of their numbers, and what it has taken."""

    rest: Records
    covers: int
    nodes: int
    updates: int
    hits: int
    states: int


def expand(plan: Plan, given: Range, over: Over) -> Expanded | None:
    """Expands the states of a range as far as its limits allow; None if the run is over."""
    kernel = compiled_module("dlx.kernels.merge.layers").Layers(plan, LEAST)
    _load(kernel, given.blocks)
    kernel.ceiling = given.ceiling
    while (state := kernel.run(min(LOOK, given.nodes - kernel.nodes), UPDATES // 64)) != EXHAUSTED:
        if over():
            return None
        if state == CRAMPED:
            room = kernel.capacity()
            if kernel.live == room >= given.room:
                break
            kernel.load(kernel.states(), min(2 * room, max(room, given.room)) if kernel.live == room else room)
        elif kernel.nodes >= given.nodes or kernel.updates >= UPDATES:
            break
    rest = in_order(plan, _open(plan, kernel.rest()))
    return Expanded(rest, kernel.ways(), kernel.nodes, kernel.updates, kernel.hits, kernel.n_states)


def _load(kernel: Any, blocks: Sequence[Records]) -> None:
    """Merges blocks of states, each of which has its states once, with room for as many."""
    width = max(block.shape[1] for block in blocks)
    kernel.load(np.zeros((0, width), dtype=np.uint64), LEAST + 2 * sum(map(len, blocks)))
    for block in blocks:
        done = 0
        while (done := kernel.merge(block, done)) < len(block):  # another digit is needed
            kernel.load(kernel.states(), kernel.capacity())


def _open(plan: Plan, rows: Records) -> Records:
    """Returns the states in which something is open."""
    is_open = rows[:, 0] >> np.uint64(32) < len(plan.word) - 1
    return rows if is_open.all() else rows[is_open]


def in_order(plan: Plan, rows: Records) -> Records:
    """Returns states in the order of their numbers."""
    word = plan.word[_layers(rows)]
    least, most = (int(word.min()), int(word.max())) if len(rows) else (0, 0)
    words = plan.has.shape[1]
    frame = np.zeros((most - least + words, len(rows)), dtype=np.uint64)
    for first in range(least, most + 1):
        here = word == first
        frame[first - least : first - least + words, here] = rows[here, 1 : 1 + words].T
    return rows[np.lexsort(frame)]


def number(plan: Plan, row: npt.NDArray[np.uint64]) -> int:
    """Returns the number of a state."""
    window = row[1 : 1 + plan.has.shape[1]].tolist()
    own = sum(int(word) << WORD * place for place, word in enumerate(window))
    return own << WORD * int(plan.word[int(row[0]) >> 32])


def cut(plan: Plan, blocks: Sequence[Records], ranges: int, ceiling: int) -> Iterator[list[Records]]:
    """Yields the states of blocks in order as so many ranges of about the same work; equal ones come together."""
    sample = sorted(_sample(plan, blocks, int(plan.item[ceiling])))
    work = np.cumsum([work for _, work in sample])
    ends = np.searchsorted(work, work[-1] * np.arange(1, ranges) / ranges)
    bounds = [sample[end][0] for end in ends]
    cuts = [
        [0, *(bisect_left(block, bound, key=lambda row: number(plan, row)) for bound in bounds), len(block)]
        for block in blocks
    ]
    for k in range(ranges):
        yield [block[at[k] : at[k + 1]] for block, at in zip(blocks, cuts, strict=True) if at[k] < at[k + 1]]


def _sample(plan: Plan, blocks: Sequence[Records], item: int) -> Iterator[tuple[int, float]]:
    """Yields the numbers of some states, and the work of those around them: the more, the farther from an item."""
    for block in blocks:
        some = block[np.linspace(0, len(block) - 1, min(SAMPLE, len(block))).astype(np.int64)]
        ahead = np.maximum(0, item - plan.item[_layers(some)]) + 0.5
        for row, work in zip(some, ahead * len(block) / len(some), strict=True):
            yield number(plan, row), work


def _layers(rows: Records) -> npt.NDArray[np.int64]:
    return (rows[:, 0] >> np.uint64(32)).astype(np.int64)


class Held:
    """Blocks of states by number, in memory or, beyond so many bytes, in a temporary file."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._there: dict[int, Records] = {}
        self._written: dict[int, tuple[int, tuple[int, int]]] = {}  # the first word, and the shape
        self._file: IO[bytes] | None = None
        self._end = 0  # the words in the file
        self.n = self.bytes = 0  # states, and bytes in memory

    def __contains__(self, number: int) -> bool:
        return number in self._there or number in self._written

    def add(self, number: int, rows: Records) -> None:
        """Adds a block; raises MemoryError where there is no room in a file."""
        if self.bytes + rows.nbytes <= self._room:
            self._there[number] = rows
            self.bytes += rows.nbytes
        else:
            self._write(number, rows)
        self.n += len(rows)

    def _write(self, number: int, rows: Records) -> None:
        import tempfile  # as late as here: few counts need it

        with no_room(self.n + len(rows)):
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="dlx-", buffering=0)  # noqa: SIM115 - it stays open
            self._file.seek(8 * self._end)
            left = np.ascontiguousarray(rows).data.cast("B")
            while left:  # the system writes a part where there is no room for all, or more than 2 GB
                left = left[self._file.write(left) :]
        self._written[number] = self._end, (rows.shape[0], rows.shape[1])
        self._end += rows.size

    def blocks(self) -> list[Records]:
        """Returns all blocks in the order of their numbers; those in the file are read where they are looked at."""
        there = self._there
        if self._file is not None and self._written:
            words = np.asarray(np.memmap(self._file, dtype=np.uint64, mode="r", shape=(self._end,)))
            ends = {number: first + rows * width for number, (first, (rows, width)) in self._written.items()}
            there = there | {
                number: words[first : ends[number]].reshape(shape) for number, (first, shape) in self._written.items()
            }
        return [there[number] for number in sorted(there)]

    def close(self) -> None:
        """Closes the file; blocks that have been returned can be read as long as they are there."""
        if self._file is not None:
            self._file.close()


def told(way: Any, **numbers: int) -> dict[str, Any]:
    """Returns what a snapshot says of a count, without states; those of one that has ended are all of it."""
    numbers = {name: int(getattr(way, name)) for name in NUMBERS} | numbers
    return {**numbers, "covers": hex(numbers["covers"]), "kernel": way.name, "merges": way.merges, "blocks": 0}


def past(saved: Mapping[str, Any]) -> Past:
    """Returns the numbers of a snapshot."""
    numbers = {name: saved[name] for name in NUMBERS} | {"covers": int(saved["covers"], 16)}
    return Past(saved["kernel"], **numbers, merges=saved["merges"])


class Shared:
    """A search in layers that goes on with workers when it has become large, to be closed; the loop runs it.

    Parameters:
        layers: the search so far, whose nodes and updates count elsewhere.
        memory: bytes of all states together.
        max_nodes: how many options may be tried.
    """

    name = "layers"
    merges = True

    def __init__(self, layers: Layered, workforce: Workforce, memory: int = MEMORY, max_nodes: int = UNLIMITED) -> None:
        self._alone: Layered | None = layers
        self._plan, self._forecast, self._order = layers.plan, layers.forecast, layers.order
        self._memory, self._workforce, self._max_nodes = memory, workforce, max_nodes
        self._elsewhere = {"nodes": int(layers.nodes), "updates": int(layers.updates)}
        self._done = dict.fromkeys(NUMBERS, 0)
        self._crew: Crew[int, Expanded] | None = None
        layers.memory, layers.pause = memory, MANY if self._is_large(MANY) else NONE
        self._ranges: list[Range] = []  # of this turn
        self._sent = 0  # of these
        self._held = Held(self._memory // SHARE)  # what has come back of them
        self._item = 0  # the first one of this turn
        if self._is_large(layers.live):
            self._part(layers)

    @property
    def nodes(self) -> int:
        """The options tried here."""
        return self._sum("nodes") - self._elsewhere["nodes"]

    @property
    def updates(self) -> int:
        """The options looked at here."""
        return self._sum("updates") - self._elsewhere["updates"]

    @property
    def covers(self) -> int:
        """The covers found so far."""
        return self._sum("covers")

    @property
    def hits(self) -> int:
        """The states that were known, of those that a worker reached."""
        return self._sum("hits")

    @property
    def states(self) -> int:
        """The states expanded by each worker, added up."""
        return self._sum("states")

    def _sum(self, name: str) -> int:
        return int(self._done[name]) + (0 if self._alone is None else int(getattr(self._alone, name)))

    @property
    def bytes(self) -> int:
        """The bytes that its states take now, but for those with workers."""
        return self._held.bytes if self._alone is None else self._alone.bytes

    @property
    def doing(self) -> str:
        """The item that is covered now."""
        if self._alone is not None:
            return self._alone.doing
        open_ = sum(number not in self._held for number in range(len(self._ranges)))
        return f"item {self._item} of {len(self._plan.place)}, {open_} of {len(self._ranges)} ranges"

    def fraction(self) -> float:
        """Estimates the part of the search behind it, from 0 to 1."""
        if self._alone is not None:
            return self._alone.fraction()
        if self._is_done:
            return 1.0
        return min(0.999, self.states / self._forecast.total(self.states, self._held.n))

    @property
    def _is_done(self) -> bool:
        return self._held.n == 0 and self._is_complete

    @property
    def _is_complete(self) -> bool:
        """Tells whether all ranges of this turn are back."""
        return all(number in self._held for number in range(len(self._ranges)))

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Runs for some nodes, or while others work a moment; raises MemoryError, LostPieceError or BrokenExecutor."""
        if self._alone is not None and self._alone.is_paused and self._is_large(self._alone.live):
            self._part(self._alone)
        if self._alone is not None:
            return self._alone.run(nodes, updates, covers)
        if self._is_complete and self._held.n:
            self._begin_turn()
        self._crew = self._crew or self._called()
        for number, came in self._crew.step():
            self._take_in(number, came)
        return EXHAUSTED if self._is_done else BUDGET_SPENT

    def close(self) -> None:
        """Ends the run: what has not begun never will, and what is running comes to its end by itself."""
        if self._crew is not None:
            self._crew.close()
        self._held.close()

    # Snapshots

    def stand(self) -> dict[str, Any] | None:
        """Returns what a snapshot says of it, between two runs; None where states may be missing."""
        if self._alone is None:
            open_ = [block for k, given in enumerate(self._ranges) if k not in self._held for block in given.blocks]
            blocks = [*open_, *self._held.blocks()]
        elif self._alone.is_torn:
            return None
        else:
            held = self._all_of(self._alone)
            blocks = held.blocks()
            held.close()
        blocks = [block for block in blocks if len(block)]
        numbers = told(self, nodes=self._sum("nodes"), updates=self._sum("updates"))
        return {**numbers, "order": self._order, "blocks": len(blocks), **{str(k): b for k, b in enumerate(blocks)}}

    def go_on(self, saved: Mapping[str, Any]) -> None:
        """Goes on from a snapshot of a search in the same order, before anything is done."""
        assert self._alone is not None
        before = past(saved)
        self._done = {name: getattr(before, name) for name in NUMBERS}
        blocks = [saved[str(k)] for k in range(saved["blocks"])]
        for block in blocks:
            self._check(block)
        if not self._is_large(sum(map(len, blocks))):
            self._alone.go_on(blocks)
            return
        self._alone = None
        for k, block in enumerate(blocks):
            self._held.add(k, in_order(self._plan, block))

    def _check(self, block: Records) -> None:
        """Raises a ValueError for what cannot be states: the kernel relies on them."""
        if block.dtype != np.uint64 or block.ndim != 2 or block.shape[1] < 2 + self._plan.has.shape[1]:
            raise ValueError(f"a block of states is {block.dtype} of shape {block.shape}")
        if _open(self._plan, block) is not block:
            raise ValueError("a state is of a layer that is not there")

    # Turns

    def _is_large(self, states: int) -> bool:
        """Tells whether there are enough states for workers, and enough memory for each of them."""
        return states >= MANY and not self._workforce.is_alone and self._capacity() >= FEW

    def _capacity(self, digits: int = 1) -> int:
        """Returns for how many states a worker has room; the places of a table are two or three for each."""
        each = 8 * (4 + self._plan.has.shape[1] + digits)
        return int(2 * self._memory // (SHARE * self._jobs() * AT_ONCE * each))

    def _jobs(self) -> int:
        return self._crew.jobs if self._crew else self._workforce.jobs or 2

    def _all_of(self, layers: Layered) -> Held:
        """Returns all states of a search by one, in order, without those in which everything is covered."""
        held = Held(self._memory // SHARE)
        for k, rows in enumerate(layers.rest()):
            held.add(k, in_order(self._plan, _open(self._plan, rows)))
        return held

    def _part(self, layers: Layered) -> None:
        """Leaves a search by one, and begins with ranges."""
        self._held = self._all_of(layers)
        self._done = {name: self._sum(name) for name in NUMBERS}
        self._alone = None

    def _begin_turn(self) -> None:
        """Cuts all states into new ranges."""
        blocks = self._held.blocks()
        plan, n = self._plan, self._held.n
        item = min(int(plan.item[_layers(block).min()]) for block in blocks if len(block))
        self._forecast.add(item, self.states, n)
        digits = max(block.shape[1] for block in blocks) - 1 - plan.has.shape[1]
        capacity = self._capacity(digits)
        if n < FEW:
            ceiling, ranges, capacity = len(plan.word) - 1, 1, min(capacity, MANY)
        else:
            ceiling = int(plan.start[min(item + SPAN, len(plan.start) - 1)])
            ranges = max(RANGES * self._jobs(), -(-n // MOST), -(-2 * n // capacity))
        parts = cut(plan, blocks, ranges, ceiling)
        self._ranges = [Range(part, ceiling, capacity, NODES) for part in parts if part]
        self._held.close()
        self._held, self._sent, self._item = Held(self._memory // SHARE), 0, item

    def _called(self) -> Crew[int, Expanded]:
        return Crew(self._workforce.workers(), expand, self._plan, self._message, self._next, self._named)

    def _next(self) -> int | None:
        if self._sent == len(self._ranges):
            return None
        self._sent += 1
        return self._sent - 1

    def _message(self, number: int) -> Range | None:
        """Returns a range with its part of the nodes that the limit leaves, if it leaves any."""
        assert self._crew is not None
        given = self._ranges[number]
        if self._max_nodes < UNLIMITED:
            flight: list[Range] = [other for _, other in self._crew.flight.values()]
            left = self._max_nodes - self.nodes - sum(other.nodes for other in flight)
            given = given._replace(nodes=min(NODES, -(-left // max(1, self._crew.room()))))
        return given if given.nodes > 0 else None

    def _named(self, lost: list[int]) -> str:
        """Names the ranges that have killed every worker."""
        return f"{len(lost)} of {len(self._ranges)} ranges of states at item {self._item}"

    def _take_in(self, number: int, came: Expanded) -> None:
        self._held.add(number, came.rest)
        for name in NUMBERS:
            self._done[name] += getattr(came, name)
