"""Limits, outcomes, progress, and the loop that runs every kernel.

A kernel runs without the interpreter lock for about 20 ms at a time. Between two such slices the loop checks the
clock, Ctrl-C and the limits, and reports progress. Kernels need none of this, and threads can search in parallel.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import SimpleNamespace, TracebackType
from typing import Any, Literal, Self, TypedDict, TypeVar, Unpack

from dlx.engine.interrupts import INTERRUPTS
from dlx.engine.line import ProgressLine
from dlx.engine.progress import Progress as Progress
from dlx.engine.progress import written
from dlx.kernels import BUFFER_FULL, EXHAUSTED, Runnable
from dlx.problem.checks import UNLIMITED, non_negative, seconds
from dlx.problem.shown import Tabled

Stop = Literal["max_covers", "max_nodes", "max_events", "timeout", "interrupt", "gap"]
Over = Callable[[], bool]  # whether a limit has been reached
_T = TypeVar("_T")

SLICE = 0.02  # seconds that a kernel runs until Python checks the clock and Ctrl-C
FIRST_STEP = 20_000  # nodes in the first slice; later slices adapt to the speed
LEAST_STEP = 128  # nodes in the shortest slice
UPDATES = 8  # maximum updates of a slice for each node, since one node can take long on large problems
CHECK_EVERY = 64  # steps between two checks of the limits; a step takes microseconds, at most 1 ms


class StoppedError(Exception):
    """Raised when a limit or Ctrl-C ends a search before it has an answer.

    Attributes:
        stopped: the limit, or None if it is not known.
    """

    def __init__(self, stopped: Stop | None = None) -> None:
        super().__init__(stopped)
        self.stopped = stopped

    def raised(self) -> BaseException:
        """Returns the KeyboardInterrupt or TimeoutError that a public function raises instead."""
        if self.stopped == "interrupt":
            return KeyboardInterrupt()
        return TimeoutError(f"the search was stopped by {self.stopped}")


def never() -> bool:
    """Returns False; the default `over` of functions without limits."""
    return False


def check_limits(over: Over) -> None:
    """Raises StoppedError if a limit has been reached."""
    if over():
        raise StoppedError


def until(over: Over, things: Iterable[_T], each: int = CHECK_EVERY) -> Iterator[_T]:
    """Yields the things; checks the limits before every `each` things; raises StoppedError if one is reached."""
    for k, thing in enumerate(things):
        if k % each == 0:
            check_limits(over)
        yield thing


class Limiting(TypedDict, total=False):
    """The limits that every search takes as keywords; a missing one, or None, means no limit.

    Attributes:
        max_covers: stop after this number of covers.
        max_nodes: stop after trying this number of options.
        timeout: stop after this number of seconds.
        progress: called with a `Progress` about every 20 ms. If it returns False, the search ends as by Ctrl-C, with
            a partial answer. True shows a status line (`dlx.engine.line`).
    """

    max_covers: int | None
    max_nodes: int | None
    timeout: float | None
    progress: Callable[[Progress], object] | bool | None


@dataclass(frozen=True, slots=True)
class Limits:
    """Checked limits, with defaults in place of None; `close` erases the line of `progress=True`."""

    max_covers: int = UNLIMITED
    max_nodes: int = UNLIMITED
    timeout: float = math.inf
    progress: Callable[[Progress], object] | None = None
    close: Callable[[], None] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, **limits: Unpack[Limiting]) -> Limits:
        """Checks a caller's limits; raises TypeError for a wrong type or name, ValueError for a negative number.

        >>> Limits.of(max_nodes=10, timeout=0.5)
        Limits(max_covers=4611686018427387904, max_nodes=10, timeout=0.5, progress=None)
        """
        unknown = next((name for name in limits if name not in Limiting.__annotations__), None)
        if unknown is not None:
            known = ", ".join(Limiting.__annotations__)
            raise TypeError(f"{unknown!r} is neither a parameter nor a limit; the limits are {known}")
        covers = non_negative(limits.get("max_covers"), "max_covers")
        nodes = non_negative(limits.get("max_nodes"), "max_nodes")
        checked = cls(covers, nodes, seconds(limits.get("timeout")))
        progress = limits.get("progress")
        if progress is None or progress is False:
            return checked
        if progress is True:
            progress = ProgressLine(None if covers >= UNLIMITED else covers)
        if not callable(progress):
            raise TypeError(f"progress is {progress!r}; it must be callable, True for a line, or None")
        return replace(checked, progress=progress, close=progress.close if isinstance(progress, ProgressLine) else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Tabled):
    """The work of a search, and why it stopped.

    Attributes:
        nodes: the options tried; each is a node of the search tree, including complete covers.
        updates: the steps of the data structures, equal on every machine: list nodes removed for `links` (Knuth's
            measure), words read for `bits`. They are comparable only between runs of one kernel.
        seconds: the time spent searching.
        stopped: why the search stopped early, or None if it ran to its end.
    """

    nodes: int
    updates: int
    seconds: float
    stopped: Stop | None

    @property
    def exhausted(self) -> bool:
        """Whether the search ran to its end, so that the answer is complete."""
        return self.stopped is None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Count(Outcome):
    """The result of `count`: the number of covers, and the work of the search.

    Attributes:
        covers: the number found, an int of any size. A count up to isomorphism, or of orbits, has 0 until its end; see
            `exhausted`.
        kernel: the kernel that ran, or the one that had most of the work; "pieces" if workers visited the covers.
        merged: whether covers were counted without a visit to each: equal remaining problems once, or the components of
            the problem one by one.
        hits: the number of times that a remaining problem was known already.
        states: in layers, the number of remaining problems expanded; up to isomorphism, the number of classes.
        memory: bytes; in layers, of the states at the end; up to isomorphism, of the classes at most.
        doubt: up to isomorphism, why points were not used (`dlx.symmetry.points`); empty if they were.
    """

    covers: int
    kernel: str
    merged: bool = False
    hits: int = 0
    states: int = 0
    memory: int = 0
    doubt: str = ""

    __repr__ = written


class Loop:
    """Runs the kernels of one search; the clock runs only inside `with`.

    Ctrl-C sets `stopped` to "interrupt". In the main thread, after 10 ms or the first report, a handler notes Ctrl-C,
    and the loop stops between two slices, after the kernel's covers have been taken. Before that, Python raises
    KeyboardInterrupt as usual, and covers may still be in the buffer. Ctrl-C after the last check also sets `stopped`,
    so that a loop over many short searches can be stopped.

    Parameters:
        limits: the limits of all kernels together.
        raises: whether `with` raises KeyboardInterrupt after Ctrl-C.

    Attributes:
        stopped: why the loop stopped early, or None.
        exhausted: whether the last kernel ran to its end.
        rejected: the covers found that do not count.

    >>> from dlx.engine.dispatch import build
    >>> from dlx.problem.problem import Problem
    >>> kernel = build(Problem.from_options(["ab", "c", "a", "b"]))
    >>> with Loop(Limits.of()) as loop:
    ...     for state in loop.slices(kernel):
    ...         print(state, loop.covers, loop.nodes)
    0 2 4
    """

    def __init__(self, limits: Limits, raises: bool = False) -> None:
        self.limits = limits
        self.stopped: Stop | None = None
        self.exhausted = False
        self.rejected = 0
        self._raises = raises
        self._cancelled = False  # whether `progress` has ended the search
        self._kernels: list[Any] = []  # Runnables, or totals of released Runnables
        self._reported = -math.inf  # the time when `progress` last returned
        self._step = FIRST_STEP  # nodes in the next slice
        self._before = 0.0  # seconds inside earlier `with` blocks
        self._start: float | None = None  # when the current `with` began
        self._listens = False  # whether Ctrl-C is noted

    def __enter__(self) -> Self:
        self._start = time.perf_counter()
        return self

    def listen(self) -> None:
        """Notes Ctrl-C from now on; installing the handler takes as long as a small search, so not at the start."""
        if not self._listens and INTERRUPTS.are_mine():
            INTERRUPTS.begin()
            self._listens = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> bool:
        self._before, self._start = self.seconds, None
        if self.limits.close is not None:
            self.limits.close()
        if self._listens:
            self._listens = False
            INTERRUPTS.end()
            if INTERRUPTS.noted:
                self.stopped = "interrupt"
                self.exhausted = self.exhausted and self._raises  # an interrupted answer is not exhausted
        if kind is KeyboardInterrupt:
            self.stopped, self.exhausted = "interrupt", False  # covers may still be in the buffer
        if self.stopped == "interrupt" and self._raises:
            self.stopped = None
            raise KeyboardInterrupt
        return kind is KeyboardInterrupt and bool(self._kernels)

    @property
    def seconds(self) -> float:
        """The time spent inside `with`."""
        return self._before + (0.0 if self._start is None else time.perf_counter() - self._start)

    @property
    def nodes(self) -> int:
        """The options tried by all kernels."""
        return sum(kernel.nodes for kernel in self._kernels)

    @property
    def updates(self) -> int:
        """The steps of all kernels."""
        return sum(kernel.updates for kernel in self._kernels)

    @property
    def covers(self) -> int:
        """The covers found by all kernels, without the rejected ones."""
        return int(sum(kernel.covers for kernel in self._kernels)) - self.rejected

    def slices(
        self, kernel: Runnable, nodes: int = UNLIMITED, covers: int = UNLIMITED, updates: int = UNLIMITED
    ) -> Iterator[int]:
        """Runs a kernel slice by slice; after each slice the caller empties the buffer.

        Parameters:
            kernel: what to run.
            nodes, covers, updates: the budgets of this call.

        Yields:
            What `run` returned, after each slice, until the search ends or a budget or limit is reached.
        """
        self.join(kernel)
        last_node, last_update = kernel.nodes + nodes, kernel.updates + updates
        last_cover = None if covers == UNLIMITED else kernel.covers + covers
        while not self.over():
            nodes, updates, start = kernel.nodes, kernel.updates, time.perf_counter()
            state = kernel.run(
                min(last_node - nodes, self.limits.max_nodes - self.nodes, self._step),
                min(last_update - updates, UPDATES * self._step),
                self.covers_left() if last_cover is None else min(last_cover - kernel.covers, self.covers_left()),
            )
            done = max(kernel.nodes - nodes, (kernel.updates - updates) // UPDATES)
            # The next slice assumes the speed of this one, and is at most twice as large.
            speed = done / max(time.perf_counter() - start, 1e-6)
            self._step = max(LEAST_STEP, min(2 * self._step, int(speed * SLICE)))
            self.exhausted = state == EXHAUSTED
            yield state
            self.report(kernel)
            if self.exhausted:
                return
            if self.nodes >= self.limits.max_nodes:
                self.stopped = "max_nodes"
            if max(kernel.nodes - last_node, kernel.updates - last_update) >= 0 or (
                state == BUFFER_FULL and last_cover is not None and kernel.covers >= last_cover
            ):
                return

    def take(self, kernel: Any) -> None:
        """Adds a kernel that had already ended; no limit stops it."""
        self.join(kernel)
        self.exhausted = True

    def join(self, kernel: Any) -> None:
        """Adds a kernel; its earlier work also counts."""
        if kernel not in self._kernels:
            self._kernels.append(kernel)

    def leave(self, kernel: Any) -> None:
        """Removes a kernel whose work is counted by another one."""
        self._kernels.remove(kernel)

    def release(self) -> None:
        """Drops the kernels but keeps their totals; the next kernel is reported at once."""
        self._kernels = [SimpleNamespace(nodes=self.nodes, updates=self.updates, covers=self.covers + self.rejected)]
        self._reported = -math.inf

    def covers_left(self) -> int:
        """Returns the covers left in the limit; without a limit UNLIMITED, which a count in layers may exceed."""
        most = self.limits.max_covers
        return UNLIMITED if most >= UNLIMITED else most - self.covers

    def over(self) -> bool:
        """Returns whether to stop, and sets `stopped` to the reason."""
        limits = self.limits
        if self.seconds > SLICE / 2:
            self.listen()
        if self._listens and INTERRUPTS.noted:
            self.stopped = "interrupt"
        elif self.covers_left() <= 0:
            self.stopped = "max_covers"
        elif self.nodes > limits.max_nodes:
            self.stopped = "max_nodes"
        elif self.seconds >= limits.timeout:
            self.stopped = "timeout"
        return self.stopped is not None

    def report(self, kernel: Runnable) -> None:
        """Calls `progress` at most every 20 ms, and at the end."""
        limits = self.limits
        ends = self.exhausted or self.nodes >= limits.max_nodes or self.covers_left() <= 0
        if limits.progress is None or (time.perf_counter() - self._reported < SLICE and not ends):
            return
        self._call(limits.progress, kernel)

    def _call(self, progress: Callable[[Progress], object], kernel: Runnable) -> None:
        self.listen()  # an interrupt of a search inside `progress` also ends this search
        seen = self._seen(kernel)
        try:
            if progress(seen) is False:
                raise KeyboardInterrupt
        except KeyboardInterrupt:  # ends this search only
            self.stopped, self._cancelled = "interrupt", True
            raise
        self._reported = time.perf_counter()

    def _seen(self, kernel: Runnable) -> Progress:
        names = {"states": "states", "hits": "hits", "memory": "bytes", "doing": "doing"}  # attributes of some kernels
        own = {field: value for field, name in names.items() if (value := getattr(kernel, name, None)) is not None}
        return Progress(self.nodes, self.covers, None, None, kernel.fraction(), self.seconds, **own)

    def complete(self) -> None:
        """Clears `stopped`, since the answer is complete; an interrupt by Ctrl-C stays."""
        if self.stopped != "interrupt" or self._cancelled:
            self.stopped = None

    def outcome(self) -> dict[str, Any]:
        """Returns the fields of an `Outcome`."""
        return {
            "nodes": self.nodes,
            "updates": self.updates,
            "seconds": self.seconds,
            "stopped": None if self.exhausted else self.stopped,
        }
