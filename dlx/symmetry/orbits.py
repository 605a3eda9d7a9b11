"""Searches for orbits of covers: over all covers, by their images; or over partial covers, breadth-first."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dlx.engine.dispatch import build
from dlx.engine.limits import Over, check_limits
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.problem.problem import Problem
from dlx.search.covers import BLOCK, BUFFER, Block
from dlx.symmetry.groups import Symmetries
from dlx.symmetry.partial_covers import Forms, Partial, PartialCovers
from dlx.symmetry.stabilisers import elements

OBJECTS = 600  # estimated bytes of an orbit or a partial cover, without its form and options
EXPECTED = 150  # estimated bytes of an expected cover, without its options
FEW = 1000  # symmetries; up to this number, all images of a cover are faster than its canonical form
ENTRIES = 1 << 16  # options in the images made between two checks of the limits, 10 ms
AT_ONCE = 4096  # covers mapped by the generators between two checks of the limits
KEY = np.dtype(">i4")  # an option in the bytes of a cover; big-endian, so that bytes sort like covers


class Kind(NamedTuple):
    """An orbit of covers: one of its covers, and its size."""

    cover: tuple[int, ...]
    size: int


class Finding(ABC):
    """A search for orbits; a `Runnable` for the loop.

    Attributes:
        orbits: the orbits found, by form.
        bytes: the estimated bytes of orbits and waiting partial covers.
        nodes: the options tried.
        updates: the canonical forms computed, or the steps of the kernel.
    """

    def __init__(self, memory: int) -> None:
        self.nodes = self.updates = 0
        self.orbits: dict[bytes, Kind] = {}
        self.bytes = 0
        self._met: dict[bytes, int] = {}  # the number of covers met, by form
        self._memory = memory
        self._own_bytes = 0  # bytes of the orbits

    @abstractmethod
    def fraction(self) -> float: ...

    @property
    def covers(self) -> int:
        """The number of orbits; `max_covers` limits it."""
        return len(self.orbits)

    def _meet(self, form: bytes, times: int) -> bool:
        """Counts `times` covers with a form; returns whether the form is new."""
        self._met[form] = self._met.get(form, 0) + times
        return form not in self.orbits

    def _keep(self, form: bytes, cover: tuple[int, ...], size: int) -> None:
        """Adds an orbit; raises MemoryError if the orbits alone take too much."""
        self.orbits[form] = Kind(cover, size)
        taken = OBJECTS + len(form) + 40 * len(cover)
        self.bytes += taken
        self._own_bytes += taken
        if self._own_bytes > self._memory:
            raise MemoryError(
                f"the kinds of covers take more than {self._memory} bytes: there are {self.covers} so far, "
                f"and about {100 * self.fraction():.3g} % of the search is done; give more memory"
            )

    def check(self) -> None:
        """Compares the covers met with the orbit sizes; raises RuntimeError if they differ, which would be a bug."""
        for form, (cover, size) in self.orbits.items():
            if (met := self._met.get(form, 0)) != size:
                raise RuntimeError(f"bug: {met} covers like {cover} were visited, and {size} exist")


def keys(covers: Block) -> list[bytes]:
    """Returns each cover as bytes, its options sorted; the bytes compare like the covers."""
    return [*map(np.ndarray.tobytes, np.sort(covers, axis=1).astype(KEY))]


class Images:
    """Makes the orbits of covers from the images of the options, a row for each symmetry, or for each generator.

    Attributes:
        is_whole: whether there is a row for each symmetry, because they are few.
        at_once: the covers to visit before their orbits are made; 1 if orbits may be large.
    """

    def __init__(self, problem: Problem, symmetries: Symmetries, memory: int, over: Over) -> None:
        generators = [each.options.astype(np.int64) for each in symmetries.generators]
        group = elements(generators, problem.n_options, FEW, over)
        self.is_whole = group is not None
        images = np.stack([np.arange(problem.n_options), *generators]) if group is None else group.rows
        self._images = np.pad(images.astype(np.int32), ((0, 0), (0, 1)), constant_values=-1)
        self._memory, self._over = memory, over
        self.at_once = max(1, ENTRIES // max(1, len(images) * problem.max_level)) if self.is_whole else 1

    def orbit(self, cover: bytes, room: int) -> set[bytes]:
        """Returns the orbit of a cover; raises MemoryError if generators make more than `room` covers."""
        if self.is_whole:
            return {*keys(self._images[:, np.frombuffer(cover, KEY)])}
        orbit, new = {cover}, [cover]
        while some := new[:AT_ONCE]:
            check_limits(self._over)
            covers = np.frombuffer(b"".join(some), KEY).reshape(len(some), -1)
            del new[:AT_ONCE]
            found = {*keys(np.concatenate(self._images[:, covers]))} - orbit
            orbit |= found
            new += found
            if len(orbit) > room:
                raise MemoryError(
                    f"the covers of a kind, still to be met, take more than {self._memory} bytes; give more memory"
                )
        return orbit


class Visiting(Finding):
    """A search for all covers; the form of an orbit is its least cover.

    When an orbit is new, its other covers are kept as expected covers, if there is memory: a lookup among them is
    faster than making the images of a cover.
    """

    def __init__(self, problem: Problem, images: Images, memory: int) -> None:
        super().__init__(memory)
        self._kernel = build(problem, room=max(1, min(BLOCK, BUFFER // max(1, problem.max_level))))
        self._images = images
        self._expected: dict[bytes, bytes] = {}  # covers that were not visited yet, with the form of their orbit

    def fraction(self) -> float:
        return self._kernel.fraction()

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Visits some covers."""
        state = self._kernel.run(nodes, updates, self._images.at_once)
        self.nodes, self.updates = self._kernel.nodes, self._kernel.updates
        for cover in keys(self._kernel.found()):
            self._meet_one(cover)
        self._kernel.filled = 0
        return BUDGET_SPENT if state == BUFFER_FULL else state

    def _meet_one(self, cover: bytes) -> None:
        """Counts a cover; if its orbit is new, keeps the other covers of the orbit as expected."""
        if (form := self._expected.pop(cover, None)) is not None:
            self._meet(form, 1)
            return
        room = (self._memory - self.bytes) // (EXPECTED + len(cover)) - len(self._expected)
        orbit = self._images.orbit(cover, room)
        form = min(orbit)
        if self._meet(form, 1):
            options = np.frombuffer(form, KEY)
            self._keep(form, tuple(options[options >= 0].tolist()), len(orbit))
            if len(orbit) <= room:
                self._expected.update(dict.fromkeys(orbit - {cover}, form))


class Representative(NamedTuple):
    """A partial cover that represents its orbit."""

    partial: Partial
    times: int  # the number of partial covers that it represents
    share: float  # the fraction of the search tree below them


class Extending(Finding):
    """A search that extends partial covers breadth-first and keeps one of each orbit.

    Every cover is below exactly one of the extensions of a partial cover. The extensions of another partial cover in
    the orbit would be images of these, so one partial cover represents its orbit, with a count. An extension has fewer
    live options than its parent. So if partial covers with the most live options are extended first, no orbit is
    extended twice. If memory is short, partial covers with the fewest live options are extended first; then an orbit
    may be extended more than once.
    """

    def __init__(self, tree: PartialCovers, forms: Forms, memory: int) -> None:
        super().__init__(memory)
        self._tree, self._forms = tree, forms
        self._waiting: dict[int, dict[bytes, Representative]] = {}  # by number of live options, then by form
        self._steps = self._extended()
        self._done = 0.0  # the fraction of the search tree that is done

    def fraction(self) -> float:
        return min(1.0, self._done)

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Extends a partial cover by an option."""
        return EXHAUSTED if nodes and next(self._steps, None) is None else BUDGET_SPENT

    def _extended(self) -> Iterator[int]:
        """Extends all partial covers; yields after each extension."""
        root = self._tree.root()
        if root is None:
            return
        yield self._add(root, 1, 1.0)
        while self._waiting:
            above = self._next()
            choices = self._forms.unlike(above.partial, self._tree.options(above.partial))
            share = above.share / max(1, sum(times for _, times in choices))
            self._done += 0.0 if choices else above.share
            for option, times in choices:
                self.nodes += 1
                yield self._add(self._tree.extended(above.partial, option), times * above.times, times * share)

    def _next(self) -> Representative:
        """Takes a partial cover with the most live options, or the fewest if memory is short."""
        place = (min if self.bytes > self._memory else max)(self._waiting)
        form, above = self._waiting[place].popitem()
        self.bytes -= _bytes(form, above.partial)
        if not self._waiting[place]:
            del self._waiting[place]
        return above

    def _add(self, partial: Partial | None, times: int, share: float) -> int:
        """Queues a partial cover, or counts a cover or a dead end; returns the number of forms."""
        if partial is None:
            self._done += share
            return self.updates
        self.updates += 1
        if partial.opened:
            self._wait(self._forms.of(partial.chosen), Representative(partial, times, share))
            return self.updates
        self._done += share
        cover = tuple(sorted(partial.chosen))
        if self._meet(form := self._forms.of_cover(cover), times):
            self._keep(form, cover, self._forms.size(cover))
        return self.updates

    def _wait(self, form: bytes, one: Representative) -> None:
        same = self._waiting.setdefault(one.partial.live.bit_count(), {})
        if (other := same.get(form)) is None:
            same[form] = one
            self.bytes += _bytes(form, one.partial)
        else:
            same[form] = Representative(other.partial, other.times + one.times, other.share + one.share)


def _bytes(form: bytes, partial: Partial) -> int:
    """Returns the estimated bytes of a partial cover."""
    return OBJECTS + len(form) + 40 * len(partial.chosen) + partial.live.bit_length() // 7
