"""The number of covers, by visiting them, in layers, or by merging equal remaining problems.

Equal remaining problems are common in tilings and matchings, and rare in queens and Langford pairs. So `count` visits
the first covers, and if much is to come, visiting, layers and merging take turns (`dlx.counting.portfolio`). Isomorphic
problems are counted once if the caller asks for it (`dlx.counting.isomorphism`).
"""

from __future__ import annotations

import os
from contextlib import ExitStack, closing, nullcontext, suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack, get_args

from dlx.counting.layers import Layered
from dlx.counting.portfolio import LITTLE, Past, Portfolio
from dlx.counting.product import Product, parts
from dlx.engine.dispatch import KernelName, Preference, build, shuffle
from dlx.engine.limits import Count, Limiting, Limits, Loop, StoppedError
from dlx.kernels import EXHAUSTED, Kernel
from dlx.parallel.workforce import Workforce, checkpoint_there, in_pieces, snapshot_of
from dlx.problem.checks import UNLIMITED, memory_bytes, whole_number
from dlx.problem.problem import Problem, as_problem

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from dlx.counting.isomorphism import Isomorphic
    from dlx.counting.sharing import Shared
    from dlx.parallel.pieces import Pieces
    from dlx.symmetry.conjugacy import Group
    from dlx.symmetry.points import Points

Way: TypeAlias = "Kernel | Portfolio | Product | Isomorphic | Shared | Pieces"
Merge = Literal["auto", "never", "same", "isomorphic"]


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
    """Counts the covers of a problem without building them, exactly and in any size.

    Ctrl-C ends the count, not the program: the result then has what was counted so far, and `stopped == "interrupt"`.

    Parameters:
        problem, seed, kernel, prefer: as for `covers`.
        merge: whether equal remaining problems are counted once: "never", "same" for always, or "auto" for as soon as
            that has shown to pay. A kernel, preferences, a seed or `max_covers` that are given mean "never". With
            "isomorphic" those that are the same up to renaming are counted once, which takes the extra `symmetry`;
            there are no covers before the end then.
        points: for "isomorphic", what each primary item is about, as a function or a mapping: then what is left is a
            small graph. Without it points are read off items that are tuples, or found from the options, where there
            are any that tell enough (`dlx.symmetry.points`).
        memory: how many bytes may remember them, 1 GB without it; a search that needs more forgets some, or lets states
            of layers wait in a temporary file, and goes on (256 kB are taken in any case). Up to isomorphism it solves
            some again, and what is left where a point ends has to find room.
        executor: who does it, in pieces of the search if covers are visited: what looks like an executor of
            `concurrent.futures`, as a pool of processes or dask's `Client.get_executor()`; without it, threads. Layers
            go to workers in ranges of their states (`dlx.counting.sharing`), once there are many; of what is merged
            otherwise nothing does. What is counted up to isomorphism goes in batches of classes: that takes processes,
            as it holds the interpreter's lock, and without an executor they are made.
        jobs: how many of these at a time; 1 without an executor, and with one as many as it has workers.
        checkpoint: a file from which the same call goes on. Where covers are visited, finished pieces are written down
            (`dlx.parallel.checkpoint`); layers keep a snapshot of their states, and so does "isomorphic" of its classes
            (`dlx.parallel.checkpoint`). With "auto" the first call chooses, which takes a second or more, and the next
            ones go on as the file tells; nothing is merged but in layers then.
        up_to: symmetries, as `symmetries` finds them or as a list of generators, each a permutation of the options or a
            mapping of items: then kinds of covers are counted, those that a symmetry makes of each other once. This is
            the mean of the covers that each symmetry keeps, a count for each class of conjugate ones; there are none
            before the end (`dlx.counting.burnside`). A group with a factor of more than 200,000 elements, other than a
            symmetric one, has to be that of all symmetries. No preferences, points, checkpoint or `max_covers`.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`Limiting`);
            the first two count what a checkpoint has, too.

    Returns:
        The number of covers, or of their kinds, as `covers`, and how the search went.

    Raises:
        ValueError: as `covers`; or there is no such way to merge, a kernel, a seed or preferences are given that it has
            no use for, points without "isomorphic", or the memory is negative.
        ProblemError: as `covers`; or the points are not sound, or given for multiplicities; or a generator is no
            symmetry, or the group too large.
        TypeError: as `covers`; or a generator is neither numbers nor a mapping.
        ImportError: "isomorphic" is wanted, or the classes of a large group, and pynauty is not installed.
        MemoryError: "isomorphic" takes more than `memory`; or states have to wait, and their file has no room; or
            "same" is wanted with a checkpoint, and a multiplicity is too large for layers.
        CheckpointError: the checkpoint is damaged, in use, or of another search.
        LostPieceError: a piece has killed every worker that took it; the others have been done.

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
    >>> count(dominoes, up_to=[turn]).covers  # those that no turn makes of each other
    13265119469242876
    """
    if up_to is not None:
        if prefer is not None or points is not None or checkpoint is not None:
            raise ValueError("kinds are counted by other problems: no prefer, points or checkpoint can be given")
        from dlx.counting.burnside import kinds  # as late as here: that and what it needs take 4 ms to load

        counted = partial(count, seed=seed, kernel=kernel, merge=merge, memory=memory, executor=executor, jobs=jobs)
        return kinds(problem, up_to, counted, **limits)
    if merge not in get_args(Merge):
        raise ValueError(f"merge is {merge!r}; it must be one of {', '.join(get_args(Merge))}")
    room = memory_bytes(memory)
    own = kernel != "auto" or prefer is not None or seed is not None
    if merge in ("same", "isomorphic") and own:
        raise ValueError("what is merged has an order of its own: no kernel, seed or preferences can be given")
    if points is not None and merge != "isomorphic":
        raise ValueError(f"points are for merge='isomorphic', and merge is {merge!r}")
    workforce = Workforce.of(executor, jobs, checkpoint)
    with Loop(Limits.of(**limits)) as loop:
        if seed is not None:
            problem, _ = shuffle(problem, whole_number(seed, "seed"))
        ways = _Ways(problem, kernel, prefer, room, workforce)
        if merge == "auto" and (own or loop.limits.max_covers < UNLIMITED):
            merge = "never"
        ways.search(loop, merge, points)
    return ways.result(loop)


class _Ways:
    """The ways to count a problem, as far as they are needed."""

    def __init__(
        self, problem: Problem, kernel: KernelName, prefer: Preference | None, memory: int, workforce: Workforce | None
    ) -> None:
        self._workforce = workforce
        self._problem = as_problem(problem)
        self._kernel: KernelName = kernel
        self._prefer = prefer
        self._memory = memory
        self._chosen: Way | Past | None = None
        self._isomorphic = False
        self._doubt = ""

    @cached_property
    def _visiting(self) -> Kernel:
        return build(self._problem, self._kernel, self._prefer)

    def search(self, loop: Loop, merge: Merge, points: Points | None) -> None:
        """Counts in one of the ways, or in the one that pays."""
        if merge == "isomorphic":
            self._isomorphic = True
            self._fold(loop, points)
        elif merge == "never":
            self._go_on(loop, self._visiting)
        elif self._workforce is None or self._workforce.checkpoint is None:
            self._choose(loop, merge)
        else:
            self._choose_and_keep(loop, merge, self._workforce)

    def _choose_and_keep(self, loop: Loop, merge: Merge, workforce: Workforce) -> None:
        """Goes on as the checkpoint tells, or chooses if there is none yet; the number of a count that ends is kept."""
        there = checkpoint_there(workforce)
        if merge == "same" or there == "snapshot":
            self._lay(loop, workforce)
        elif there == "journal":
            self._go_on(loop, self._visiting)
        else:
            self._choose(loop, merge)
            if loop.exhausted and isinstance(self._chosen, Portfolio):
                from dlx.counting.sharing import told

                with snapshot_of(self._problem, "layers", workforce) as snapshot:
                    if snapshot is not None and snapshot.load() is None:  # another call may have been sooner
                        snapshot.save(told(self._chosen.leading))

    def _go_on(self, loop: Loop, way: Way) -> None:
        """Counts in this way only; visiting in pieces, if there are workers."""
        self._chosen = way
        if self._workforce is not None and way is self._visiting and not loop.exhausted and not loop.stopped:
            self._share(loop, self._workforce)
        else:
            self._run(loop, way)

    def _run(self, loop: Loop, way: Way) -> None:
        """Goes on in one way, whose covers are those that count."""
        loop.join(way)
        loop.rejected += loop.covers - way.covers
        for _ in loop.slices(way):
            pass

    def _choose(self, loop: Loop, merge: Merge) -> None:
        """Counts by a portfolio; by one for each part if the problem falls apart, in pieces if visits alone pay."""
        visiting = self._visiting if merge == "auto" else None
        workforce = self._workforce
        handed, shared = workforce is not None and workforce.checkpoint is not None, workforce is not None
        self._chosen = portfolio = Portfolio(
            self._problem, visiting, self._memory, loop.over, handed=handed, shared=shared
        )
        whole = visiting is None or handed
        for _ in loop.slices(portfolio):
            if loop.exhausted:
                continue  # to the report on its end
            if workforce is not None and portfolio.visits:
                self._share(loop, workforce)
                return
            if workforce is not None and (layers := portfolio.layers) is not None:
                self._lay(loop, workforce, layers)
                return
            if portfolio.large and not whole:
                components = parts(self._problem.rows())
                whole = len(components) < 2
                if not whole:
                    self._go_on(loop, Product(components, self._memory, loop.over, portfolio.covers))
                    return

    def _lay(self, loop: Loop, workforce: Workforce, layers: Layered | None = None) -> None:
        """Counts in layers, by workers if there are any, and goes on from a snapshot or a search so far."""
        from dlx.counting.sharing import Shared, past  # as late as here: multiprocessing takes 0.02 s to load

        loop.rejected += loop.covers
        with ExitStack() as stack:
            stack.enter_context(suppress(StoppedError))
            snapshot = stack.enter_context(snapshot_of(self._problem, "layers", workforce))
            saved = None if snapshot is None else snapshot.load()
            with nullcontext() if snapshot is None else snapshot.refusing():
                if saved is not None and not saved["blocks"]:
                    self._chosen = past(saved)
                    loop.take(self._chosen)
                    return
                if layers is None or saved is not None:
                    order = None if saved is None else saved["order"]
                    layers = Layered(self._problem, max(self._memory, LITTLE), loop.over, order=order)
                self._chosen = way = Shared(layers, workforce, max(self._memory, LITTLE), self._nodes_left(loop))
                stack.callback(way.close)
                if saved is not None:
                    way.go_on(saved)
            slices = loop.slices(way)
            if snapshot is not None:
                snapshot.follow(slices, way.stand)
            for _ in slices:
                pass

    def _nodes_left(self, loop: Loop) -> int:
        most = loop.limits.max_nodes
        return most if most >= UNLIMITED else max(0, most - loop.nodes)

    def _fold(self, loop: Loop, points: Points | None) -> None:
        """Counts up to isomorphism, by workers if there are any, and goes on from a snapshot."""
        from dlx.counting.isomorphism import Isomorphic, Remains
        from dlx.symmetry.nauty import Nauty

        workforce = self._workforce or Workforce(jobs=1)
        with ExitStack() as stack:
            stack.enter_context(suppress(StoppedError))
            nauty = stack.enter_context(Nauty(loop.over))
            snapshot = stack.enter_context(snapshot_of(self._problem, "isomorphic", workforce))
            remains = Remains(self._problem, points, self._memory, nauty)
            self._doubt = remains.doubt
            if workforce.is_alone:
                way: Isomorphic = Isomorphic(remains, self._memory)
            else:
                from dlx.counting.batches import InBatches  # as late as here: multiprocessing takes 0.02 s to load

                way = InBatches(remains, workforce, self._memory)
                stack.callback(way.close)
            if snapshot is None:
                self._chosen = way
                self._run(loop, way)
                return
            saved = snapshot.load()
            with snapshot.refusing():
                if saved is not None and not way.go_on(saved):
                    raise snapshot.refused("this is a checkpoint of a count with other points")
            self._chosen = way
            if saved is not None and way.run(0, 0, 0) == EXHAUSTED:
                loop.take(way)
            else:
                snapshot.follow(loop.slices(way), way.stand)

    def _share(self, loop: Loop, workforce: Workforce) -> None:
        """Counts in pieces, and anew what has been visited before they were made."""
        limits = replace(loop.limits, max_nodes=self._nodes_left(loop))
        loop.listen()
        loop.rejected += loop.covers
        with (
            suppress(StoppedError),
            closing(in_pieces(self._problem, workforce, self._kernel, self._prefer, limits, over=loop.over)) as pieces,
        ):
            self._chosen = pieces
            if pieces.fraction() == 1:  # a journal has them all
                loop.take(pieces)
            else:
                self._run(loop, pieces)

    def result(self, loop: Loop) -> Count:
        """Returns the count of the way that was chosen, or of the one that has found most before it was stopped."""
        how = loop.outcome()
        if self._isomorphic and self._chosen is None:  # stopped before it has begun
            return Count(covers=0, kernel="isomorphic", merged=True, **how)
        chosen = self._chosen or self._visiting
        way = chosen.leading if isinstance(chosen, (Portfolio, Product)) else chosen
        found, most = way.covers, loop.limits.max_covers
        if most < min(found, UNLIMITED):  # all of them have come at once, or were found before, by a journal
            found, how["stopped"] = most, "max_covers"
        if self._isomorphic or getattr(way, "merges", False):
            merging: Any = way
            how |= {"merged": True, "hits": merging.hits, "states": merging.states, "memory": merging.bytes}
        return Count(covers=found, kernel=way.name, doubt=self._doubt, **how)
