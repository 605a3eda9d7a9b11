"""The number of covers: by visits, in layers of states, or up to isomorphism.

Equal remaining problems are common in tilings and matchings, and rare in queens and Langford pairs. So `count` starts
with visits; if they are expected to take long, it uses the method that seems to end first (`dlx.counting.portfolio`).
Isomorphic problems are merged only if the caller asks for it (`dlx.counting.isomorphism`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import ExitStack, closing, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

from dlx.counting.layers import Layered
from dlx.counting.portfolio import Portfolio
from dlx.counting.product import Product, parts
from dlx.counting.tally import Tally, tally_of
from dlx.engine.dispatch import KernelName, Preference, build, ranks, shuffle
from dlx.engine.limits import FIRST_STEP, UPDATES, Count, Limiting, Limits, Loop, Over, StoppedError
from dlx.kernels import EXHAUSTED, Kernel
from dlx.parallel.workforce import Workforce, in_pieces
from dlx.problem.checks import UNLIMITED, memory_bytes, whole_number
from dlx.problem.problem import Problem, as_problem

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from dlx.symmetry.generators import Group
    from dlx.symmetry.points import Points

Merge = Literal["auto", "never", "same", "isomorphic"]
SMALL = 200  # nodes visited before a method is chosen; a choice takes longer than a small search
_NO_STATES = "memory is {}, but visits keep no states: omit memory=, or use merge='same'"


def count(
    problem: Problem,
    *,
    seed: int | None = None,
    kernel: KernelName = "auto",
    prefer: Preference | None = None,
    merge: Merge = "auto",
    points: Points | None = None,
    memory: int | None = None,
    executor: Executor | None = None,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    up_to: Group | None = None,
    **limits: Unpack[Limiting],
) -> Count:
    """Counts the covers of a problem exactly, without building them.

    Ctrl-C ends the count, not the program: the result has the count so far, and `stopped == "interrupt"`.

    Parameters:
        problem, seed, kernel, prefer: as for `covers`.
        merge: which remaining problems are merged and counted once: "never": none, all covers are visited; "same":
            equal ones, in layers; "isomorphic": those that are equal up to renaming, which needs the extra `symmetry`
            and finds no covers before the end; "auto": chooses between "never" and "same", and means "never" with a
            kernel, preferences, a seed or `max_covers`.
        points: for "isomorphic", the points of each primary item, at most 64 in all, as a function or a mapping; a
            remaining problem is then a small graph. Default: read from items that are tuples (`dlx.symmetry.points`).
            Without points, or with more, the graph has all items and options, which is slower.
        memory: bytes of the states; default: 1 GB. In layers, further states wait in temporary files (at least 256 kB
            are used); for "isomorphic" it is a limit.
        executor: visits covers in pieces of the search: an executor of `concurrent.futures`, or anything with such a
            `submit`, as dask's `Client.get_executor()`; default: threads. Layers and "isomorphic" run in one
            process.
        jobs: the number of pieces at a time; default: 1, or with an executor the number of cores of this machine.
        checkpoint: a file from which the same call continues. It holds the position in each piece, or the states or
            classes not yet expanded. With "auto", the first call chooses the method, later calls keep it. A count
            stopped before the choice (0.2 to 3 s of work) starts again.
        up_to: symmetries, as `symmetries` finds them or as a list of generators, each a permutation of the options or a
            mapping of items; covers that a symmetry maps to each other are counted once (`dlx.counting.burnside`). It
            takes a count for each conjugacy class; there are no covers before the end. A factor of the group has up to
            four million elements; if orbits of covers are few, `len(classify(problem))` is faster. Preferences,
            points, checkpoint and `max_covers` are refused.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`Limiting`);
            the first two include the work saved in a checkpoint.

    Returns:
        The number of covers, or of their orbits, as `covers`, and how the search went.

    Raises:
        ValueError: as `covers`; or `merge` is unknown; or an argument is given that the method does not use: kernel,
            seed, preferences or workers when merging, memory when not merging, points without "isomorphic"; or the
            memory is negative.
        ProblemError: as `covers`; or the points are not sound; or "isomorphic" is used with multiplicities; or with
            "same", an item can be covered more than 64 times; or a generator is no symmetry, or the group is too
            large.
        TypeError: as `covers`; or a generator is neither a permutation nor a mapping.
        ImportError: pynauty is not installed, and "isomorphic" needs it.
        MemoryError: "isomorphic" needs more than `memory`; or there is no disk space for waiting states; or with
            "same", the options take more than 256 MB.
        CheckpointError: the checkpoint is damaged, in use, or of another search.
        LostPieceError: several workers in a row have died with the same piece; a checkpoint has the others.

    >>> toy = Problem.from_options(["ab", "bc", "c", "a", "b"])
    >>> result = count(toy)
    >>> result.covers, result.exhausted
    (3, True)
    >>> result = count(toy, max_covers=2)
    >>> result.covers, result.stopped
    (2, 'max_covers')
    >>> square = [(row, column) for row in range(12) for column in range(12)]
    >>> steps = [(cell, (cell[0] + down, cell[1] + 1 - down)) for cell in square for down in (0, 1)]
    >>> dominoes = Problem.from_options([step for step in steps if step[1] in square])
    >>> result = count(dominoes)
    >>> result.covers, result.merged
    (53060477521960000, True)
    >>> turn = {(row, column): (column, 11 - row) for row, column in square}
    >>> count(dominoes, up_to=[turn]).covers  # up to turning
    13265119469242876
    """
    request = _Request(seed, kernel, prefer, merge, points, memory, Workforce.of(executor, jobs, checkpoint))
    if memory is not None and merge == "auto" and checkpoint is None and limits.get("max_covers") is not None:
        raise ValueError(_NO_STATES.format(memory))
    if up_to is not None:
        return _count_orbits(problem, request, up_to, limits)
    return _count(problem, request, Limits.of(**limits))


def _count_orbits(problem: Problem, request: _Request, up_to: Group, limits: Limiting) -> Count:
    """Counts the orbits of covers under a group, by one count for each conjugacy class."""
    if request.prefer is not None or request.points is not None or request.checkpoint is not None:
        raise ValueError(
            "up_to counts orbits in quotient problems: it cannot be combined with prefer, points or checkpoint"
        )
    from dlx.counting.burnside import count_orbits  # imported here: it takes 4 ms to load

    def counted(quotient: Problem, **limits: Unpack[Limiting]) -> Count:
        return _count(quotient, request, Limits.of(**limits))

    return count_orbits(problem, up_to, counted, **limits)


def _count(problem: Problem, request: _Request, limits: Limits) -> Count:
    """Counts the covers of a problem."""
    with Loop(limits) as loop:
        if request.seed is not None:
            problem, _ = shuffle(problem, whole_number(request.seed, "seed"))
        search = _Search(as_problem(problem), request)
        search.run(loop)
    return search.result(loop)


@dataclass(frozen=True)
class _Request:
    """The arguments of a count; raises ValueError for an argument that would be ignored."""

    seed: int | None
    kernel: KernelName
    prefer: Preference | None
    merge: Merge
    points: Points | None
    memory: int | None
    workforce: Workforce | None

    def __post_init__(self) -> None:
        if self.merge not in get_args(Merge):
            raise ValueError(f"merge is {self.merge!r}; it must be one of {', '.join(get_args(Merge))}")
        memory_bytes(self.memory)
        if self.points is not None and self.merge != "isomorphic":
            raise ValueError(f"points are for merge='isomorphic', and merge is {self.merge!r}")
        if self.merge in ("same", "isomorphic"):
            if self._orders_visits:
                raise ValueError(f"merge={self.merge!r} chooses its own order: omit kernel, seed and prefer")
            if self.workforce is not None and not self.workforce.is_alone:
                argument = "jobs=" if self.workforce.executor is None else "executor="
                raise ValueError(f"merge={self.merge!r} runs in one process: omit {argument}")
        elif self.memory is not None and self.method == "never":
            raise ValueError(_NO_STATES.format(self.memory))

    @property
    def _orders_visits(self) -> bool:
        return self.kernel != "auto" or self.prefer is not None or self.seed is not None

    @property
    def method(self) -> Merge:
        """The method: `merge`, but visits if their order matters."""
        return "never" if self.merge == "auto" and self._orders_visits else self.merge

    @property
    def checkpoint(self) -> str | None:
        """The path of the checkpoint."""
        return None if self.workforce is None else self.workforce.checkpoint


class _Search:
    """A running count, by any method."""

    def __init__(self, problem: Problem, request: _Request) -> None:
        self._problem, self._request = problem, request
        self._memory = memory_bytes(request.memory)
        self._counting: Any = None  # the search whose covers are counted; None: visits
        self._is_loading = False  # whether a checkpoint is being loaded, which no timeout interrupts

    @cached_property
    def _visiting(self) -> Kernel:
        return build(self._problem, self._request.kernel, self._request.prefer)

    def run(self, loop: Loop) -> None:
        """Counts by the method of the checkpoint, the one requested, or the better one."""
        merge, workforce = self._request.method, self._request.workforce
        saved = None if workforce is None else workforce.saved_search()
        if merge == "isomorphic":
            self._merge(loop, "isomorphic")
        elif merge == "same" or (merge == "auto" and saved is not None and saved.get("count") == "layers"):
            self._merge(loop, "layers")
        elif merge == "never" or saved is not None or loop.limits.max_covers < UNLIMITED:
            self._visit(loop)
        else:
            _follow(loop.slices(self._visiting, SMALL))
            if not loop.exhausted and loop.stopped is None:
                loop.leave(self._visiting)  # from now on, the portfolio counts this work
                self._choose(loop)

    def result(self, loop: Loop) -> Count:
        """Returns the result of the method used, or of the one with the most covers when stopped."""
        how, tally = loop.outcome(), tally_of(self._counting or self._visiting)
        found, most = tally.covers, loop.limits.max_covers
        if most < min(found, UNLIMITED):  # pieces or a checkpoint may exceed max_covers
            found, how["stopped"] = most, "max_covers"
        return Count(
            covers=found,
            kernel=tally.name,
            merged=tally.merged,
            hits=tally.hits,
            states=tally.states,
            memory=tally.bytes,
            doubt=getattr(self._counting, "doubt", ""),
            **how,
        )

    def _join(self, loop: Loop, search: Any) -> None:
        """Adds a search to the loop; from now on, only the covers of this search are counted."""
        self._counting = search
        loop.join(search)
        loop.rejected += loop.covers - search.covers

    def _visit(self, loop: Loop) -> None:
        """Counts by visits, in pieces if there are workers or a checkpoint."""
        request = self._request
        if request.workforce is None:
            _follow(loop.slices(self._visiting))
            return
        loop.listen()
        loop.rejected += loop.covers  # visited before the pieces are made, and counted again
        limits = replace(loop.limits, max_nodes=_nodes_left(loop))
        search = self._problem, request.workforce, request.kernel, request.prefer
        preferences = None if request.prefer is None else ranks(self._problem, request.prefer).tolist()
        identity = {"count": "visits", "kernel": request.kernel, "preferences": preferences}
        with (
            suppress(StoppedError),
            request.workforce.opened(self._problem, **identity) as checkpoint,
            closing(in_pieces(*search, limits, over=loop.over, checkpoint=checkpoint)) as pieces,
        ):
            self._counting = pieces
            if pieces.fraction() == 1:  # all pieces are done in the checkpoint
                loop.take(pieces)
            else:
                self._join(loop, pieces)
                _follow(loop.slices(pieces), checkpoint, pieces.state)

    def _choose(self, loop: Loop) -> None:
        """Counts by a portfolio; with workers or a checkpoint, the method that leads soon goes on alone."""
        request, is_whole = self._request, self._request.checkpoint is not None
        layers = partial(Layered, self._problem, over=loop.over)
        with closing(Portfolio(self._problem, self._visiting, layers, self._memory)) as portfolio:
            self._counting = portfolio
            for _ in loop.slices(portfolio):
                if loop.exhausted:
                    continue  # so that the loop makes the last report
                if request.workforce is not None and portfolio.is_settled:
                    visits_lead = portfolio.leading is self._visiting
                    if visits_lead or request.checkpoint is not None:
                        break
                if portfolio.is_large and not is_whole:
                    components = parts(self._problem.rows())
                    is_whole = len(components) < 2
                    if not is_whole:
                        self._multiply(loop, components, portfolio.covers)
                        return
            else:
                return
        self._counting = None
        loop.release()
        del portfolio  # frees the memory of its layers
        if visits_lead:
            self._visit(loop)
        else:
            self._merge(loop, "layers")

    def _multiply(self, loop: Loop, components: list[Problem], found: int) -> None:
        """Counts the components of the problem."""
        with closing(Product(components, self._memory, loop.over, found)) as product:
            self._join(loop, product)
            _follow(loop.slices(product))

    def _merge(self, loop: Loop, name: str) -> None:
        """Counts in layers or up to isomorphism, from a checkpoint if there is one."""
        self._counting = Tally(name, merged=True)
        with ExitStack() as stack:
            stack.enter_context(suppress(StoppedError))
            workforce = self._request.workforce
            opened = nullcontext() if workforce is None else workforce.opened(self._problem, count=name)
            checkpoint = stack.enter_context(opened)
            saved = None if checkpoint is None else checkpoint.load()
            self._is_loading = saved is not None
            search = self._merging(name, partial(self._stops, loop), stack)
            self._join(loop, search)  # now Ctrl-C ends the count, not the program
            if checkpoint is not None and saved is not None:
                with checkpoint.refusing():
                    search.resume(saved)
                before = search.nodes
                if self._ends_in_one_step(loop, search):
                    if search.nodes > before:
                        checkpoint.save(search.frontier())
                    return
            _follow(loop.slices(search), checkpoint, search.frontier)

    def _merging(self, name: str, over: Over, stack: ExitStack) -> Any:
        """Returns a new search by layers or up to isomorphism; `stack` closes it."""
        if name == "layers":
            return stack.enter_context(closing(Layered(self._problem, self._memory, over)))
        from dlx.counting.isomorphism import Isomorphic
        from dlx.symmetry.nauty import Nauty

        nauty = stack.enter_context(Nauty(over))
        return Isomorphic(self._problem, self._request.points, self._memory, nauty)

    def _stops(self, loop: Loop) -> bool:
        """Returns whether to stop; while a checkpoint is being loaded, only Ctrl-C stops the count."""
        return loop.over() and (not self._is_loading or loop.stopped == "interrupt")

    def _ends_in_one_step(self, loop: Loop, search: Any) -> bool:
        """Runs a loaded search for one step, even after the timeout; returns whether the search has ended."""
        nodes = max(0, min(FIRST_STEP, loop.limits.max_nodes - search.nodes))
        loop.exhausted = search.run(nodes, UPDATES * FIRST_STEP, UNLIMITED) == EXHAUSTED
        self._is_loading = False
        return loop.exhausted


def _follow(slices: Iterable[int], checkpoint: Any = None, state: Any = None) -> None:
    """Runs a search slice by slice, and saves its state to the checkpoint, if there is one."""
    if checkpoint is not None:
        checkpoint.follow(slices, state)
    else:
        for _ in slices:
            pass


def _nodes_left(loop: Loop) -> int:
    """Returns how many more options may be tried."""
    most = loop.limits.max_nodes
    return most if most >= UNLIMITED else max(0, most - loop.nodes)
