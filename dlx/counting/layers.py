"""Counting in layers: the layout of the items' bits, the growth of the kernel, and the states waiting in files.

The search is in `dlx/kernels/count/layers.py`. Its state is the frontier, the states not yet expanded: a checkpoint
keeps the frontier and the order of the items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from operator import attrgetter
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from dlx.counting.forecast import Forecast
from dlx.counting.order import Order, fronts, renumbered, smallest_front
from dlx.engine.compiled import compiled_module
from dlx.engine.limits import Over, StoppedError, check_limits, never
from dlx.kernels import BUDGET_SPENT, EXHAUSTED, NO_ROOM
from dlx.problem.checks import MEMORY, ProblemError
from dlx.problem.problem import Problem
from dlx.problem.roles import Rows

Ints = npt.NDArray[np.int64]
Records = npt.NDArray[np.uint64]

WORD = 64  # bits
LEAST = 1 << 5  # states: a table of this size stays in memory, whatever the limit
SOME = 1 << 13  # states moved at a time when memory is short
LIMIT = 1 << 28  # bytes of the options
FIRST_LOOK, CHECK_EVERY = 64, 16  # nodes before the first forecast; forecasts per doubling of the nodes
LITTLE = 1 << 18  # minimum bytes for states; with less, files take most of the time
AT_ONCE = 3  # while states are loaded, this many times their memory is used
# The fields of the kernel that a checkpoint keeps, by their names in the file.
NUMBERS = {"nodes": "nodes", "updates": "updates", "hits": "hits", "states": "n_states"}
NONE = MOST = 1 << 31  # beyond all layers, and more than all states


class Plan:
    """The arrays of a search in layers (see `dlx/kernels/count/layers.pxd`), for rows in the order of the search.

    Attributes:
        first_layer: the layer of the state without covered items.

    Raises:
        MemoryError: the options take more than LIMIT bytes.
    """

    def __init__(self, rows: Rows) -> None:
        n, spelling = rows.n_primary, compiled_module("dlx.kernels.cover.bits").Spelling(rows)
        least, most = rows.ranges().T.astype(np.int64)
        width = spelling.width.astype(np.int64)  # the number of bits of each item
        width[:n] = _digits(rows)
        first = _firsts(rows, most)
        self.options = np.argsort(first, kind="stable")[: int((first < n).sum())].astype(np.int32)
        place, n_words = _places(width, _lasts(rows, first))
        self.place, self.behind = place[:n].astype(np.int32), (place + width)[:n].astype(np.int32)
        self.needed = np.where(least > 0, place + np.minimum(least, width) - 1, -1)[:n].astype(np.int32)
        here = np.bincount(first[self.options], minlength=n)
        self.start = (np.append(0, np.cumsum(here)) + np.arange(n + 1)).astype(np.int32)
        self.first_layer = int(self.start[np.append(width[:n] > 0, True).argmax()])
        bits = np.repeat(place[:n] - np.cumsum(width[:n]) + width[:n], width[:n]) + np.arange(width[:n].sum())
        self.item_of = np.zeros(WORD * n_words, dtype=np.int32)
        self.item_of[bits] = np.repeat(np.arange(n), width[:n])
        self.primary = np.zeros(n_words, dtype=np.uint64)
        _put(self.primary, (bits // WORD,), bits)
        self._write_options(rows, spelling, place, width, first)

    def _write_options(self, rows: Rows, spelling: Any, place: Ints, width: Ints, first: Ints) -> None:
        """Fills `has`, `forbids` and `plus`, the windows of the options."""
        entries = np.flatnonzero(np.isin(rows.owner, self.options))
        number = np.zeros(rows.n_options, dtype=np.int64)
        number[self.options] = np.arange(len(self.options))
        item, option = rows.indices[entries], number[rows.owner[entries]]
        base = place[: rows.n_primary] // WORD
        far = np.zeros(rows.n_primary, dtype=np.int64)  # the last word of any option of each item
        np.maximum.at(far, first[rows.owner[entries]], (place + width - 1)[item] // WORD)
        words = int((np.maximum.accumulate(far) - base).max(initial=0)) + 1
        if 24 * words * len(self.options) > LIMIT:
            raise MemoryError(f"{len(self.options)} options of {words} words take more than {LIMIT} bytes")
        self.has, self.forbids, self.plus = np.zeros((3, len(self.options), words), dtype=np.uint64)
        counted = width[: rows.n_primary].max(initial=0) > 1
        base = base[first[self.options]]

        def put(array: npt.NDArray[np.uint64], which: npt.NDArray[Any], bits: Ints) -> None:
            owner = option[which]
            _put(array, (owner, bits // WORD - base[owner]), bits)

        primary = item < rows.n_primary
        lowest = place[item[primary]]
        put(self.forbids, primary, lowest + width[item[primary]] - 1)
        put(self.plus if counted else self.has, primary, lowest)
        if not counted:
            self.plus = self.plus[:0]
        others = np.flatnonzero(~primary)
        wide = width[item[others]]
        others, digit = others.repeat(wide), np.arange(wide.sum()) - np.repeat(np.cumsum(wide) - wide, wide)
        code = spelling.code[entries[others]]
        mine = np.where(spelling.spelt[item[others]], (code >> (digit >> 1)) & 1 == digit & 1, code == digit)
        bits = place[item[others]] + digit
        put(self.has, others[(code < 0) | mine], bits[(code < 0) | mine])
        put(self.forbids, others[(code < 0) | ~mine], bits[(code < 0) | ~mine])


def check_multiplicities(problem: Problem) -> None:
    """Raises ProblemError if an item can be covered more than WORD times."""
    times = _digits(problem.rows())
    item = int(times.argmax()) if len(times) else 0
    if len(times) and times[item] > WORD:
        raise ProblemError(
            f"{problem.items[item]!r} can be covered {times[item]} times; a search in layers counts up to {WORD}: "
            "use merge='never'"
        )


def _digits(rows: Rows) -> Ints:
    """Returns the bits of each primary item: the most times it can be covered, plus 1 if they are below its minimum."""
    least, most = rows.ranges().T.astype(np.int64)
    uses = np.bincount(rows.indices, minlength=rows.n_items)
    return np.where(least > uses, uses + 1, np.minimum(most, uses))[: rows.n_primary]


def _firsts(rows: Rows, most: Ints) -> Ints:
    """Returns the first primary item of each option; n_primary if the option is in no cover."""
    first = np.full(rows.n_options, rows.n_primary, dtype=np.int64)
    np.minimum.at(first, rows.owner, rows.indices)
    first[rows.owner[most[rows.indices] == 0]] = rows.n_primary
    return np.minimum(first, rows.n_primary)


def _lasts(rows: Rows, first: Ints) -> Ints:
    """Returns the last primary item whose options use each item; -1 if none does."""
    last = np.full(rows.n_items, -1, dtype=np.int64)
    used = first[rows.owner] < rows.n_primary
    np.maximum.at(last, rows.indices[used], first[rows.owner[used]])
    last[: rows.n_primary] = np.arange(rows.n_primary)
    return last


def _places(width: Ints, last: Ints) -> tuple[Ints, int]:
    """Returns the first bit of each item, and the number of words; the bits of a primary item are in one word.

    A secondary item follows the primary item at which it is used last; after that it makes no difference.
    """
    place = np.zeros(len(width), dtype=np.int64)
    end = 0
    for item in np.lexsort((np.arange(len(width)), last)).tolist():
        size = int(width[item])
        if last[item] == item and end % WORD + size > WORD:
            end += -end % WORD
        place[item] = end
        end += size
    return place, end // WORD + 1


def _put(array: npt.NDArray[np.uint64], where: tuple[Any, ...], bits: Ints) -> None:
    """Sets bits in words."""
    np.bitwise_or.at(array, where, np.uint64(1) << (bits % WORD).astype(np.uint64))


class Layered:
    """A search in layers; a `dlx.kernels.Runnable`.

    If the states need too much memory, those of the farthest layers wait in files until their layer is due. A layer
    that is too large returns in parts, with equal states in the same part. So each state is expanded once, however
    little memory there is. `close` closes the files.

    Raises:
        ProblemError: an item can be covered more than 64 times.
        MemoryError: the options take more than LIMIT bytes.
    """

    name = "layers"
    draws = False  # whether edges are kept
    nodes = property(attrgetter("_kernel.nodes"))  # options tried
    updates = property(attrgetter("_kernel.updates"))  # options read
    hits = property(attrgetter("_kernel.hits"))  # how often a known state was reached
    states = property(attrgetter("_kernel.n_states"))  # states expanded

    def __init__(self, problem: Problem, memory: int = MEMORY, over: Over = never) -> None:
        check_multiplicities(problem)
        self._given = problem.rows()
        self.memory = memory  # bytes
        self._over = over
        self._ended = False
        self._is_torn = False  # whether a limit interrupted a move, so that states may be missing
        self._next_look = FIRST_LOOK  # nodes
        self._begin(smallest_front(self._given, over))

    def _begin(self, order: Order) -> None:
        """Prepares the search in an order of the items."""
        if not np.array_equal(np.sort(order), np.arange(self._given.n_primary)):
            raise ValueError(f"the order {order} is not a permutation of {self._given.n_primary} items")
        self.order, self._rows = order, renumbered(self._given, order)
        self.plan = Plan(self._rows)
        self._kernel: Any = compiled_module("dlx.kernels.count.layers").Layers(self.plan, LEAST, self.draws)
        self._waiting = Waiting(self.plan.has.shape[1], self._over)
        self._last = int(self.plan.start[-1])  # the layer in which everything is covered
        self.forecast = Forecast(fronts(self._rows, np.arange(self._rows.n_primary)))

    @property
    def reached(self) -> int:
        """The distinct states reached, expanded or not."""
        return int(self.states + self.live)

    @property
    def covers(self) -> int:
        """The covers found so far."""
        return int(self._kernel.ways())

    @property
    def bytes(self) -> int:
        """The bytes that the states take now."""
        return int(self._kernel.takes(self._kernel.capacity()))

    @property
    def doing(self) -> str:
        """The current item, and the number of waiting states, in words."""
        waiting = f", {self._waiting.n:,} states wait" if self._waiting.n else ""
        return f"item {self._kernel.item} of {self._rows.n_primary}{waiting}"

    def fraction(self) -> float:
        """Returns the estimated fraction done, 0 to 1."""
        return 1.0 if self._ended else min(1.0, self.states / self.forecast.total(self.states, self.live))

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Continues until the search ends or a budget is spent; makes room when needed."""
        kernel = self._kernel
        last_node, last_update = kernel.nodes + nodes, kernel.updates + updates
        with suppress(StoppedError):  # a limit, while states are moved, ends this run
            while True:
                last = min(last_node, self._next_look)
                state = int(kernel.run(last - kernel.nodes, last_update - kernel.updates))
                if kernel.nodes >= self._next_look:
                    self._look_ahead()
                if state == NO_ROOM:
                    self._move(self._make_room)
                elif state == EXHAUSTED and self._waiting.n:
                    self._move(self._fetch)
                elif state == EXHAUSTED or kernel.nodes >= last_node or kernel.updates >= last_update:
                    self._ended = state == EXHAUSTED
                    return state
        return BUDGET_SPENT

    @property
    def live(self) -> int:
        """The number of states not yet expanded."""
        return int(self._kernel.live) + self._waiting.n

    def close(self) -> None:
        """Closes the files of waiting states."""
        self._waiting.close()

    def frontier(self) -> dict[str, Any] | None:
        """Returns the state for a checkpoint, between two runs; None if a limit interrupted a move of states.

        States in files are memory-mapped, so memory does not hold them twice.
        """
        if self._is_torn:
            return None
        blocks = [block for block in (self._kernel.rest(), *self._waiting.blocks()) if len(block)]
        numbers = {name: getattr(self._kernel, field) for name, field in NUMBERS.items()}
        numbers["states"] -= self._kernel.state >= 0
        return {**numbers, "order": self.order, "blocks": len(blocks), **{str(k): b for k, b in enumerate(blocks)}}

    def resume(self, saved: Mapping[str, Any]) -> None:
        """Continues from a saved frontier; only before the first `run`."""
        self._begin(saved["order"])
        for name, field in NUMBERS.items():
            setattr(self._kernel, field, int(saved[name]))
        self._next_look = max(FIRST_LOOK, self.nodes)
        blocks = [saved[str(k)] for k in range(saved["blocks"])]
        for block in blocks:
            self._check(block)
        width = max((block.shape[1] for block in blocks), default=0)
        states = max(LEAST, 2 * sum(map(len, blocks)))
        while not self._has_room(states):
            states //= 2
        self._kernel.load(np.zeros((0, width), dtype=np.uint64), states)
        for rows in (block[k : k + SOME] for block in blocks for k in range(0, len(block), SOME)):
            if (done := self._kernel.merge(rows, 0)) < len(rows):
                self._waiting.add(_by_layer(rows[done:]))
        self._kernel.ceiling = min(self._waiting.least, self._last)

    def _check(self, block: Records) -> None:
        """Raises ValueError for an invalid block of states: the kernel does not check them."""
        if block.dtype != np.uint64 or block.ndim != 2 or block.shape[1] < 2 + self.plan.has.shape[1]:
            raise ValueError(f"a block of states has the type {block.dtype} and the shape {block.shape}")
        if (layers := block[:, 0] >> np.uint64(32)).max(initial=0) > self._last:
            raise ValueError(f"a state is of layer {layers.max()}; the last layer of this problem is {self._last}")

    def _move(self, states: Callable[[], None]) -> None:
        """Calls a function that moves states, unless a limit has been reached."""
        check_limits(self._over)
        self._is_torn = True
        states()
        self._is_torn = False

    def _look_ahead(self) -> None:
        """Updates the forecast after fixed numbers of nodes, so that equal searches have equal forecasts."""
        self._next_look += self._next_look // CHECK_EVERY
        self.forecast.add(self._kernel.item, self.states, self.live)

    def _make_room(self) -> None:
        """Doubles the room for states, or adds a digit to the counts; moves half the states out if memory is short."""
        kernel = self._kernel
        states = kernel.capacity() * (1 + (kernel.live == kernel.capacity()))
        if not self._has_room(states):
            self._put_off(kernel.live // 2)
            states = kernel.capacity()
            if not self._has_room(states):  # a further digit of the counts needs more memory
                states //= 2
        kernel.load(kernel.states(), states)

    def _has_room(self, states: int) -> bool:
        """Returns whether `memory` has room for some states."""
        return states <= LEAST or (states < MOST and AT_ONCE * self._kernel.takes(states) <= max(LITTLE, self.memory))

    def _put_off(self, kept: int) -> None:
        """Moves all states to files except the first `kept`, the current state, and the state with all covered."""
        kernel = self._kernel
        rows = _by_layer(kernel.states())  # the current state is in the first layer
        waits = rows[:, 0] >> np.uint64(32) < self._last
        waits[:kept] = False
        kernel.load(rows[~waits], kernel.capacity())
        self._waiting.add(rows[waits])
        kernel.ceiling = max(self._waiting.least, (kernel.layer + 1) * (kernel.state >= 0))

    def _fetch(self) -> None:
        """Loads the waiting states of the first layer, or a part of them that fits."""
        kernel, waiting = self._kernel, self._waiting
        layer, n = waiting.least, waiting.first
        if n >= kernel.capacity() - kernel.live:
            self._put_off(0)
            if 2 * waiting.first > kernel.capacity():
                waiting.divide(-(-4 * waiting.first // kernel.capacity()))
        blocks = waiting.take()
        for rows in blocks:
            done = 0
            while (done := kernel.merge(rows, done)) < len(rows):  # the kernel needs a digit or more room
                states = kernel.capacity() * (1 + (kernel.live + 1 >= kernel.capacity()))
                if not self._has_room(states):
                    for rest in rows[done:], *blocks:
                        waiting.add(rest)
                    self._put_off(0)
                    return
                kernel.load(kernel.states(), states)
        kernel.ceiling = min(waiting.least, self._last) if waiting.least > layer else layer + 1


def _by_layer(rows: Records) -> Records:
    return rows[np.argsort(rows[:, 0] >> np.uint64(32), kind="stable")]


@contextmanager
def no_room(states: int) -> Iterator[None]:
    """Turns an OSError while a file is written or mapped into MemoryError."""
    try:
        yield
    except OSError as error:
        raise MemoryError(f"{states} states wait, and there is no room for their file: {error}") from error


class Waiting:
    """Waiting states in temporary files, one for each layer or part of a layer, deleted when closed.

    Files are unbuffered, so the garbage collector can close them.
    """

    def __init__(self, words: int, over: Over) -> None:
        self._words, self._over = words, over  # `words` of a window
        self.n = 0  # the number of states; a state may be stored several times
        self._files: dict[tuple[int, int], tuple[IO[bytes], list[tuple[int, int]]]] = {}

    def close(self) -> None:
        """Closes all files; blocks that were returned stay readable."""
        while self._files:
            self._files.popitem()[1][0].close()

    @property
    def least(self) -> int:
        """The first layer with waiting states."""
        return min(self._files)[0] if self._files else NONE

    @property
    def first(self) -> int:
        """The number of states in the first file, of layer `least`."""
        return sum(rows for rows, _ in self._files[min(self._files)][1])

    def add(self, rows: Records, part: int = 0) -> None:
        """Adds states, sorted by layer."""
        layers = (rows[:, 0] >> np.uint64(32)).astype(np.int64)
        for some in np.split(rows, np.flatnonzero(np.diff(layers)) + 1):
            if len(some):
                check_limits(self._over)
                self._write((int(some[0, 0] >> np.uint64(32)), part), some)

    def _write(self, place: tuple[int, int], rows: Records) -> None:
        import tempfile  # imported here: it takes 5 ms, and few counts need it

        with no_room(self.n + len(rows)):
            if place not in self._files:
                self._files[place] = tempfile.TemporaryFile(prefix="dlx-", buffering=0), []  # noqa: SIM115 - stays open
            file, shapes = self._files[place]
            data = np.ascontiguousarray(rows).data.cast("B")
            while data:  # a write may be partial: on a full disk, or above 2 GB
                data = data[file.write(data) :]
        shapes.append((rows.shape[0], rows.shape[1]))
        self.n += len(rows)

    def blocks(self) -> Iterator[Records]:
        """Yields the states of all files without removing them."""
        for file, shapes in self._files.values():
            yield from _read(file, shapes)

    def take(self) -> Iterator[Records]:
        """Removes and yields the states of the first file in blocks of SOME states."""
        file: Any
        file, shapes = self._files.pop(min(self._files))
        with file:
            file.seek(0)
            for rows, width in shapes:
                for first in range(0, rows, SOME):
                    check_limits(self._over)
                    block = np.empty((min(SOME, rows - first), width), dtype=np.uint64)
                    data = block.data.cast("B")
                    with no_room(self.n):
                        while data and (read := file.readinto(data)):
                            data = data[read:]
                    self.n -= len(block)
                    yield block

    def divide(self, parts: int) -> None:
        """Divides the first file into parts; equal states go to the same part."""
        for block in self.take():
            key = np.zeros(len(block), dtype=np.uint64)
            for w in range(1, 1 + self._words):
                key = (key ^ block[:, w]) * np.uint64(0x9E3779B97F4A7C15)  # Knuth's multiplicative hashing, 6.4
                key ^= key >> np.uint64(32)
            for part in range(parts):
                self.add(block[key % np.uint64(parts) == part], part)


def _read(file: IO[bytes], shapes: Sequence[tuple[int, int]]) -> Iterator[Records]:
    """Yields the blocks of a file, memory-mapped."""
    with no_room(sum(rows for rows, _ in shapes)):
        words = np.asarray(np.memmap(file, dtype=np.uint64, mode="r"))
    end = 0
    for rows, width in shapes:
        yield words[end : end + rows * width].reshape(rows, width)
        end += rows * width
