"""The searches for kinds of covers: of all covers, by their images, or of partial ones, breadth-first; with workers."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import build
from dlx.engine.limits import SLICE, Over, StoppedError, never
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED, Finder
from dlx.parallel.cutting import KernelPool, split
from dlx.parallel.workforce import Workforce
from dlx.problem.problem import Problem
from dlx.search.covers import BLOCK, BUFFER, Block
from dlx.symmetry.partial_covers import Forms, Partial, Tree

if TYPE_CHECKING:
    from dlx.parallel.crew import Crew
    from dlx.parallel.pieces import Pieces

SOON = 0.1  # seconds that a search goes on alone before workers help: they take 0.03 s
OBJECTS = 600  # bytes for what a kind or a partial cover has beside its form and its options
EXPECTED = 150  # bytes for a cover that is expected, beside its options
ENTRIES = 1 << 18  # options of the images of covers that are made at a time: 10 ms

WORTH = 1.0  # seconds that seem to be left of a search that is cut into pieces,
PIECES = 32  # so many for each worker

LEAST, BATCH = 0.005, 0.05  # seconds that a batch of partial covers should take: it costs one thousandth to send it,
LONGEST = 0.15  # and after so many a worker leaves the rest of it
FIRST = 8  # partial covers in the first batches
KNOWN = 10_000  # kinds whose sizes a worker remembers


class Kinds(ABC):
    """Kinds of covers, and how often each has been met."""

    def __init__(self, memory: int) -> None:
        self.kinds: dict[bytes, tuple[tuple[int, ...], int]] = {}  # by form: a cover, and how many there are
        self._met: dict[bytes, int] = {}
        self._memory = memory
        self._own = self.bytes = 0  # that the kinds, and with partial covers all of it, take, nearly

    @abstractmethod
    def fraction(self) -> float: ...

    @property
    def covers(self) -> int:
        return len(self.kinds)

    def meet(self, form: bytes, times: int) -> bool:
        """Notes that so many covers have a form; whether it is new."""
        self._met[form] = self._met.get(form, 0) + times
        return form not in self.kinds

    def keep(self, form: bytes, cover: tuple[int, ...], size: int) -> None:
        """Notes a new kind; raises MemoryError if the kinds alone take more than there is."""
        self.kinds[form] = cover, size
        self.bytes += (takes := OBJECTS + len(form) + 40 * len(cover))
        self._own += takes
        if self._own > self._memory:
            raise MemoryError(
                f"the kinds of covers take more than {self._memory} bytes: there are {self.covers} so far, "
                f"and about {100 * self.fraction():.3g} % of the search is done"
            )

    def check(self) -> None:
        """Compares the numbers of covers met with those from the symmetries; raises RuntimeError for a fault."""
        for form, (cover, size) in self.kinds.items():
            if (met := self._met.get(form, 0)) != size:
                raise RuntimeError(f"{met} covers like {cover} have been met, and there are {size}")


class Orbit(NamedTuple):
    """The kind of a cover: its form, and the covers of it, of which some may be there several times."""

    form: bytes
    size: int
    covers: Sequence[bytes]


class Visitor(KernelPool):
    """Finds the kinds of covers; workers bring back only covers that are the least of their images."""

    def __init__(self, problem: Problem, images: Block) -> None:
        super().__init__(problem, "auto", None, max(1, min(BLOCK, BUFFER // max(1, problem.max_level))))
        self.problem, self.images = problem, images
        self._images = np.concatenate([images, np.full((len(images), 1), -1, dtype=np.int32)], axis=1)
        self.at_once = max(1, min(self.rows, ENTRIES // max(1, len(images) * problem.max_level)))  # covers

    def __getstate__(self) -> tuple[Any, ...]:
        return self.problem, self.images

    def orbits(self, covers: Block, room: int) -> Iterator[Orbit]:
        """Yields the kind of each cover; its form is the least image. No more than `room` covers are wanted."""
        images = np.sort(self._images[:, covers], axis=2)
        fixed = (images == covers).all(axis=2).sum(axis=0).tolist()
        for k, least in enumerate(_least(images)):
            wanted = images[:, k] if len(images) <= room else images[:0, k]
            yield Orbit(least.tobytes(), len(images) // fixed[k], [image.tobytes() for image in wanted])

    def kept(self, block: Block) -> Block:
        """The covers of a block that are the least of their images."""
        rows = np.sort(block, axis=1)
        for image in self._images:
            rows = rows[~_is_less(np.sort(image[rows], axis=1), rows)]
        return rows


def _is_less(one: Block, other: Block) -> npt.NDArray[np.bool_]:
    """Tells, for each row, if it comes before that of the other block."""
    if not one.shape[-1]:
        return np.zeros(one.shape[:-1], dtype=np.bool_)
    first = (one != other).argmax(axis=-1)[..., None]
    less: npt.NDArray[np.bool_] = (np.take_along_axis(one, first, -1) < np.take_along_axis(other, first, -1))[..., 0]
    return less


def _least(images: Block) -> Block:
    """Returns the least image of each cover."""
    while half := len(images) // 2:
        one, other, rest = images[:half], images[half : 2 * half], images[2 * half :]
        images = np.concatenate([np.where(_is_less(other, one)[:, :, None], other, one), rest])
    least: Block = images[0]
    return least


class Visiting(Kinds):
    """A search for all covers; a cover that stands for its kind, as the least of its images, is the form.

    When a kind is new, all its covers are expected, as far as there is memory: a cover is found among them sooner than
    its images are made.

    Where it would take long it begins again, in pieces, and keeps the kinds that it has found: each has one cover that
    workers bring back.
    """

    def __init__(self, visitor: Visitor, memory: int, workforce: Workforce | None = None, over: Over = never) -> None:
        super().__init__(memory)
        self._visitor, self._workforce, self._over = visitor, workforce, over
        self._kernel = build(visitor.problem, room=visitor.rows)
        self._start = time.perf_counter()
        self._pieces: Pieces | None = None
        self._expected: dict[bytes, bytes] = {}  # the form of each cover that is still to come

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
        """Goes on with the search for all covers, block by block."""
        last_node, last_cover = self.nodes + nodes, self.covers + covers
        if self._workforce is not None and self._is_long():
            self._cut(self._workforce)
        search: Finder = self._pieces or self._kernel
        end = time.perf_counter() + SLICE
        while True:
            state = search.run(max(1, last_node - self.nodes), updates, self._visitor.at_once)
            self._meet_all(np.sort(search.found(), axis=1))
            search.filled = 0
            if state == EXHAUSTED:
                return state
            if self.covers >= last_cover:
                return BUFFER_FULL
            if state != BUFFER_FULL or self.nodes >= last_node or time.perf_counter() >= end:
                return BUDGET_SPENT

    def _meet_all(self, block: Block) -> None:
        """Notes that the covers of a block have been met; those that are not expected are of new kinds, mostly."""
        for some in np.split(block, range(self._visitor.at_once, len(block), self._visitor.at_once)):
            fresh = [cover for cover in map(np.ndarray.tobytes, some) if not self._was_expected(cover)]
            rows = np.frombuffer(b"".join(fresh), dtype=np.int32).reshape(len(fresh), block.shape[1])
            room = (self._memory - self.bytes) // (EXPECTED + rows.itemsize * rows.shape[1]) - len(self._expected)
            for kind in self._visitor.orbits(rows, room) if fresh else ():
                if self.meet(kind.form, 1 if self._pieces is None else kind.size):
                    cover = np.frombuffer(kind.form, dtype=np.int32)
                    self.keep(kind.form, tuple(cover[cover >= 0].tolist()), kind.size)
                    if self._pieces is None:  # workers bring one cover of each kind
                        self._expected.update(dict.fromkeys(kind.covers, kind.form))
            for one in fresh:
                self._expected.pop(one, None)

    def _was_expected(self, cover: bytes) -> bool:
        form = self._expected.pop(cover, None)
        if form is not None:
            self.meet(form, 1)
        return form is not None

    def _is_long(self) -> bool:
        if self._pieces is not None:
            return False
        seconds, done = time.perf_counter() - self._start, self._kernel.fraction()
        return seconds >= SOON and seconds * (1 - done) >= WORTH * done

    def _cut(self, workforce: Workforce) -> None:
        """Begins again, in pieces."""
        from dlx.parallel.pieces import Pieces  # as late as here: multiprocessing takes 0.02 s to load

        problem, workers = self._visitor.problem, workforce.workers(threads=False)
        try:
            cut = split(problem, PIECES * workers.jobs, over=self._over)
        except StoppedError:
            workers.close()
            return
        self._pieces = Pieces(self._visitor, cut, workers)
        self._met.clear()
        self._expected.clear()


class Representative(NamedTuple):
    """A partial cover that stands for those like it, the number of these, and their part of the search tree."""

    partial: Partial
    times: int
    share: float

    def with_others(self, other: Representative) -> Representative:
        """Both as one; the lesser stands for all, so that it is the same one whoever comes first."""
        least = other.partial if other.partial[:2] < self.partial[:2] else self.partial
        return Representative(least, self.times + other.times, self.share + other.share)


# A form and its representative, or None for a dead end; and the part of the search tree.
Reached = tuple[bytes, Representative | None, float]


@dataclass(frozen=True, eq=False, slots=True)
class PartialCovers:
    """Partial covers for a worker."""

    left: list[Representative]
    ceiling: int  # live options at most of what they are extended to

    def __str__(self) -> str:
        return f"the partial covers with the options {[list(left.partial.chosen) for left in self.left]}"


class Extended(NamedTuple):
    """The result of a batch."""

    number: int  # of its partial covers that have been extended; the others are left
    found: list[tuple[bytes, Representative]]  # what they are extended to, one of each form
    sizes: dict[bytes, int]  # of the kinds of the covers among these, by their forms
    share: float  # of the search tree, which has turned out to have no covers
    nodes: int
    updates: int
    seconds: float  # of processor time


class Extender:
    """The means to extend partial covers; the context of workers."""

    def __init__(self, tree: Tree, forms: Forms) -> None:
        self.tree, self.forms = tree, forms
        self._alone = threading.Lock()  # threads would draw in one graph
        self._sizes: dict[bytes, int] = {}

    def __reduce__(self) -> tuple[type[Extender], tuple[Tree, Forms]]:
        return Extender, (self.tree, self.forms)

    def root(self) -> Iterator[Reached]:
        root = self.tree.root()
        if root is not None:
            yield self._found(root, 1, 1.0)

    def below(self, left: Representative) -> Iterator[Reached]:
        """Returns the extensions of a partial cover, form by form."""
        extended = self.tree.extended(left.partial, self.forms.unlike)
        if not extended:
            yield b"", None, left.share
        share = left.share / max(1, sum(times for _, times in extended))
        for partial, times in extended:
            yield self._found(partial, times * left.times, times * share)

    def _found(self, partial: Partial | None, times: int, share: float) -> Reached:
        if partial is None:
            return b"", None, share
        if partial.opened:
            return self.forms.of(partial), Representative(partial, times, share), share
        cover = tuple(sorted(partial.chosen))
        return self.forms.of_cover(cover), Representative(partial._replace(chosen=cover), times, share), share

    def extend(self, batch: PartialCovers, over: Over) -> Extended:
        """Extends the partial covers of a batch, as far as there is time."""
        with self._alone:
            start, began, nodes = time.perf_counter(), time.thread_time(), self.tree.nodes
            number = updates = 0
            wasted, made = 0.0, dict[tuple[bool, bytes], Representative]()
            while number < len(batch.left) and not (over() or time.perf_counter() - start > LONGEST):
                for form, left, share in self.below(batch.left[number]):
                    if left is None:
                        wasted += share
                        continue
                    updates += 1
                    key = left.partial.opened == 0, form
                    made[key] = made[key].with_others(left) if key in made else left
                number += 1
            sizes = {form: self._size(form, left) for (is_cover, form), left in made.items() if is_cover}
            found = [(form, left) for (_, form), left in made.items()]
            seconds = time.thread_time() - began
            return Extended(number, found, sizes, wasted, self.tree.nodes - nodes, updates, seconds)

    def _size(self, form: bytes, left: Representative) -> int:
        """Returns the size of a cover's orbit; mostly it has been asked before."""
        if form not in self._sizes:
            if len(self._sizes) >= KNOWN:
                self._sizes.clear()
            self._sizes[form] = self.forms.size(left.partial.chosen)
        return self._sizes[form]


class Extending(Kinds):
    """A search that goes breadth-first from partial covers to larger ones, and keeps one of each kind.

    Every cover is below just one of what a partial cover is extended to. If others of its kind were extended by the
    images of these choices, that would give the images of what it gives: so it stands for all of them, with their
    number. A choice leaves fewer options live. So none of a kind is still to come when those with the most are taken
    first. Where there is no memory for more, those with the fewest are: then some kinds are extended more than once.

    Workers take some at a time, as long as nothing that others are at can be extended to one of their kinds. Of each
    kind the least that has been found stands for all. So what is found does not depend on who comes first.
    """

    def __init__(self, extender: Extender, memory: int, workforce: Workforce | None = None) -> None:
        super().__init__(memory)
        self._extender, self._workforce = extender, workforce
        self._left: dict[int, dict[bytes, Representative]] = {}  # by the number of live options, and by form
        self._steps = self._alone()
        self.updates = 0  # canonical forms
        self._done = 0.0
        self._crew: Crew[PartialCovers, Extended] | None = None
        self._nodes = 0  # since there are workers
        self._pace = BATCH / FIRST  # seconds for each partial cover

    @property
    def nodes(self) -> int:
        return self._extender.tree.nodes if self._crew is None else self._nodes

    def fraction(self) -> float:
        return min(1.0, self._done)

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Extends partial covers until there are none or a budget is spent."""
        last_node, last_cover = self.nodes + nodes, self.covers + covers
        end = time.perf_counter() + SLICE
        while self.nodes < last_node and time.perf_counter() < end:
            if self.covers >= last_cover:
                return BUFFER_FULL
            if next(self._steps, None) is None:
                return EXHAUSTED
        return BUDGET_SPENT

    @property
    def _is_short(self) -> bool:
        return self.bytes > self._memory

    def close(self) -> None:
        if self._crew is not None:
            self._crew.close()

    def _alone(self) -> Iterator[int]:
        """Goes through all partial covers, and comes back after each form; workers help where it takes long."""
        start = time.perf_counter()
        reached = self._extender.root()
        while True:
            for form, left, share in reached:
                if left is None:
                    self._done += share
                else:
                    self.updates += 1
                    self._put(form, left, {})
                yield self.updates
            if not self._left:
                return
            if self._workforce is not None and time.perf_counter() - start >= SOON:
                yield from self._with_workers(self._workforce)
                return
            reached = self._extender.below(self._next())

    def _next(self) -> Representative:
        """Takes one of those with the most live options; or the fewest, where memory is short."""
        place = (min if self._is_short else max)(self._left)
        form, left = self._left[place].popitem()
        self.bytes -= _bytes(form, left.partial)
        if not self._left[place]:
            del self._left[place]
        return left

    def _put(self, form: bytes, left: Representative, sizes: Mapping[bytes, int]) -> None:
        """Notes a cover, of which the least of a kind is kept, or adds a partial cover to those that are left."""
        if not left.partial.opened:
            self._done += left.share
            cover = left.partial.chosen
            if self.meet(form, left.times):
                self.keep(form, cover, sizes.get(form) or self._extender.forms.size(cover))
            elif cover < self.kinds[form][0]:
                self.kinds[form] = cover, self.kinds[form][1]
            return
        same = self._left.setdefault(left.partial.live.bit_count(), {})
        if form in same:
            same[form] = same[form].with_others(left)
        else:
            same[form] = left
            self.bytes += _bytes(form, left.partial)

    def _with_workers(self, workforce: Workforce) -> Iterator[int]:
        """Goes on with workers, and comes back after each look at what they have done."""
        from dlx.parallel.crew import Crew  # as late as here: multiprocessing takes 0.02 s to load

        self._nodes = self.nodes
        workers = workforce.workers(threads=False)  # what is to be done holds the interpreter's lock
        crew: Crew[PartialCovers, Extended] = Crew(
            workers, Extender.extend, self._extender, source=lambda: self._batch(crew)
        )
        self._crew = crew
        while self._left or crew.open():
            for batch, extended in crew.step():
                if rest := batch.left[extended.number :]:
                    crew.todo.append(PartialCovers(rest, batch.ceiling))
                self._nodes += extended.nodes
                self.updates += extended.updates
                self._done += extended.share
                if extended.number:
                    self._pace = (self._pace + max(extended.seconds, 1e-6) / extended.number) / 2
                for form, left in extended.found:
                    self._put(form, left, extended.sizes)
            yield self.updates

    def _batch(self, crew: Crew[PartialCovers, Extended]) -> PartialCovers | None:
        """Partial covers that can be extended now, since none of their kinds are still to come."""
        lowest = max((task.ceiling for task in crew.open()), default=-1)
        ready = sum(len(same) for place, same in self._left.items() if place > lowest)
        share = -(-ready // (2 * crew.jobs))  # so that all have something to do
        size = min(max(1, int(BATCH / self._pace)), max(int(LEAST / self._pace), share))
        batch: list[Representative] = []
        ceiling = -1
        while self._left and len(batch) < size and (max(self._left) > max(ceiling, lowest) or self._is_short):
            batch.append(self._next())
            ceiling = max(ceiling, self._extender.tree.ceiling(batch[-1].partial))
        return PartialCovers(batch, ceiling) if batch else None


def _bytes(form: bytes, partial: Partial) -> int:
    """Returns about the bytes of a partial cover."""
    rest = 0 if partial.rest is None else len(partial.rest)
    return OBJECTS + len(form) + 40 * len(partial.chosen) + partial.live.bit_length() // 7 + rest
