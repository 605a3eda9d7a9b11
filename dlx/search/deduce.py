"""Reasoning as people do it: steps without guesses, each with the truths and links that prove it, the easiest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, NoReturn, TypeVar, Unpack, cast

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import Preference, new_kernel, ranks
from dlx.engine.limits import Limiting, Limits, Loop, Stop
from dlx.problem.checks import ProblemError, option_numbers, whole_number
from dlx.problem.problem import Item, Problem, as_problem
from dlx.problem.roles import CHOSEN
from dlx.search.trace import item_numbers

S = TypeVar("S")  # what is handed out for a step
Kind = Literal["single", "set", "block", "chain", "contradiction"]

KINDS: tuple[Kind, ...] = ("single", "set", "block", "chain", "contradiction")  # as the kernel numbers them


class Level(NamedTuple):
    """A kind of steps, as they are ordered by how easy they are.

    Attributes:
        kind: the kind.
        truths: how many truths such a step has; at most so many with multiplicities, and at the first level of chains.
        rank: how many more links than truths, at most.
    """

    kind: Kind
    truths: int
    rank: int


@dataclass(frozen=True, slots=True)
class Step:
    """A step of reasoning: what some items say of the options that are open.

    Attributes:
        kind: "single": the truth has no more open options than it needs, so `chosen` is in every cover, and the options
            that clash with it are out. "set" and "chain": what is out would have more of the links, beyond its truths,
            than the rank. "block": what is out would leave the truth too few options. "contradiction": the truth has
            too few options, or the rank is negative, so there is no cover; it is the last step.
        truths: primary items, of which every cover has as many options as they need.
        links: items, of which no cover has more options than they have room for; of a single, the others of `chosen`.
            Truths and links of a chain are in its order, and each truth is between its two links; a loop has one link
            less, and a truth that the chain passes as a link is missing in both.
        out: numbers of the options that are ruled out, increasing.
        chosen: the option that is chosen, or None.
        rank: the room of all links less the need of all truths; for a single it is 0.
        open: how many options are neither chosen nor out afterwards.
    """

    kind: Kind
    truths: tuple[Item, ...]
    links: tuple[Item, ...]
    out: tuple[int, ...]
    chosen: int | None
    rank: int
    open: int


class Deduction(Iterator[S], Generic[S]):
    """Reasoning under way: iterate over it for its steps, or `finish` it for their kinds alone.

    It can be gone on with after a KeyboardInterrupt, and begun again with other options chosen. A subclass may hand out
    what it makes of each `Step` in `told`.

    Attributes:
        problem: the problem.
        levels: the kinds of steps, the easiest first.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        truths: int = 4,
        rank: int = 1,
        chain: int = 12,
        prefer: Preference | None = None,
        **limits: Unpack[Limiting],
    ) -> None:
        self.problem = as_problem(problem)
        self._limits = Limits.of(**limits)
        rows, names = problem.rows(), item_numbers(problem)
        most, widest = max(1, rows.n_primary), int(np.diff(rows.indptr).max(initial=1))  # no option has more links
        self.levels = levels_of(
            min(whole_number(truths, "truths", 1), most),
            min(whole_number(rank, "rank"), widest),
            min(whole_number(chain, "chain"), most),
        )
        self._names = [None if i < 0 else problem.items[i] for i in names]
        order = np.arange(rows.n_primary, dtype=np.int32)
        if prefer is not None:
            own = rows.n_primary - len(known := ranks(problem, prefer))  # those of chosen options come last
            order = np.append(known, np.full(own, len(known))).argsort(kind="stable").astype(np.int32)
        self._kernel = new_kernel("deduction", rows, as_table(self.levels), order)
        self._given = [] if problem.roles is None else np.flatnonzero(problem.roles == CHOSEN).tolist()
        self.restart()

    def restart(self, chosen: Iterable[int] = ()) -> None:
        """Begins again, with some options chosen besides those that are chosen in the problem.

        What clashes with them is out without a step. Limits begin again, too.

        Parameters:
            chosen: numbers of options.

        Raises:
            ProblemError: one of them clashes with another one, or is in no cover.
            IndexError, TypeError: as `Problem.with_chosen`.

        >>> latin = [(f"r{r}c{c}", f"r{r}s{s}", f"c{c}s{s}") for r in "12" for c in "12" for s in "12"]
        >>> reasoning = deduce(Problem.from_options(latin))
        >>> reasoning.finish(), reasoning.stuck
        (array([], shape=(0, 2), dtype=int32), True)
        >>> reasoning.restart([0])
        >>> [step.chosen for step in reasoning], reasoning.solved
        ([3, 5, 6], True)
        """
        more = option_numbers(chosen, self.problem.n_options).tolist()
        wrong = self._kernel.restart(dict.fromkeys([*self._given, *more]))
        self._handed_out = 0
        self._loop = Loop(self._limits, raises=True)
        if wrong >= 0:
            self._kernel.restart(self._given)
            raise ProblemError(f"option {wrong} clashes with others that are chosen, or is in no cover")

    def finish(self) -> npt.NDArray[np.int32]:
        """Takes all steps to the end, or to a limit, without making a `Step` of each: for ratings of many.

        Returns:
            int32, shape (steps, 2): for each step since the beginning the place of its kind in `levels`, which for a
            contradiction is their length, and the number of its first truth among the items of the problem.
        """
        self._advance()
        self._handed_out = self._kernel.covers
        log: npt.NDArray[np.int32] = self._kernel.log()
        return log

    def told(self, step: Step) -> S:
        """Returns what is handed out for a step that has just been taken."""
        return cast(S, step)

    def __next__(self) -> S:
        if self._handed_out == self._kernel.covers:
            self._advance(covers=1)
        if self._handed_out == self._kernel.covers:
            raise StopIteration
        self._handed_out += 1
        kind, truths, links, out, chosen, rank = self._kernel.step()
        true, linked = (tuple(self._names[i] for i in some) for some in (truths, links))
        picked = chosen if chosen >= 0 else None
        return self.told(Step(KINDS[kind], true, linked, tuple(out), picked, rank, self._kernel.open))

    def _advance(self, **budget: int) -> None:
        with self._loop as loop:
            for _ in loop.slices(self._kernel, **budget):
                pass

    @property
    def roles(self) -> npt.NDArray[np.int8]:
        """The roles of the options by now, int8, as in `Problem.roles`; 0 is out, 1 open, 2 chosen."""
        roles: npt.NDArray[np.int8] = self._kernel.roles()
        return roles

    @property
    def exhausted(self) -> bool:
        """Tells whether there is no further step."""
        return self._loop.exhausted

    @property
    def stopped(self) -> Stop | None:
        """The reason why it stopped early; None while it can go on, and when it ended by itself."""
        return None if self.exhausted else self._loop.stopped

    @property
    def contradictory(self) -> bool:
        """Tells whether it has been found that there is no cover."""
        return bool(KINDS[self._kernel.kind] == "contradiction")

    @property
    def solved(self) -> bool:
        """Tells whether the chosen options have been found to be the only cover."""
        return self.exhausted and not self.contradictory and self._kernel.open == 0

    @property
    def stuck(self) -> bool:
        """Tells whether there is no further step, though some options are still open."""
        return self.exhausted and not self.contradictory and self._kernel.open > 0

    @property
    def nodes(self) -> int:
        """The number of things tried so far, as scans for singles, truths and links added, and edges of chains."""
        return int(self._kernel.nodes)

    @property
    def updates(self) -> int:
        """The options looked at so far."""
        return int(self._kernel.updates)

    @property
    def seconds(self) -> float:
        """The time spent reasoning."""
        return self._loop.seconds

    def __reduce__(self) -> NoReturn:
        raise TypeError("reasoning cannot be copied or pickled; begin another one with the same problem")


def deduce(
    problem: Problem,
    *,
    truths: int = 4,
    rank: int = 1,
    chain: int = 12,
    prefer: Preference | None = None,
    **limits: Unpack[Limiting],
) -> Deduction[Step]:
    """Reasons about a problem step by step, without guesses, each time by the easiest step that there is.

    The easiest one is a single; then the one with the fewest truths and links together, and among these the one of
    the least rank: a truth in a link, a block, two truths in two links, two in three, three in three, and so on; and
    at last a chain, the shortest one. Among equals it is the first one found.

    Parameters:
        problem: what to reason about; its chosen options are chosen, and those left out are out.
        truths: the most truths of a set, at least 1; a set of rank r has r less.
        rank: the most rank of a set; 0 leaves blocks and chains out.
        chain: the most truths of a chain; 0 and 1 leave them out.
        prefer: primary items to be looked at before others, as for `dlx.covers`.
        limits: max_covers (how many steps), max_nodes, timeout (in seconds) and progress (`Limiting`).

    Returns:
        An iterator over steps; when it has ended, it says if it is `solved`, `contradictory` or `stuck`.

    Raises:
        ValueError, TypeError: a number or a limit is none, or too small.
        ProblemError: an item preferred is no primary item of the problem.

    >>> problem = Problem.from_options(["ax", "ay", "bx", "by", "cx", "cz"], secondary="xyz")
    >>> reasoning = deduce(problem)
    >>> for step in reasoning:
    ...     print(step.kind, step.truths, step.links, step.out, step.chosen)
    set ('a', 'b') ('x', 'y') (4,) None
    single ('c',) ('z',) () 5
    >>> reasoning.stuck
    True
    """
    return Deduction(problem, truths=truths, rank=rank, chain=chain, prefer=prefer, **limits)


def levels_of(truths: int, rank: int, chain: int) -> tuple[Level, ...]:
    """Returns the kinds of steps in their order."""
    sizes = [(n, k) for n in range(1, truths + 1) for k in range(min(rank, truths - n) + 1) if n > 1 or k == 0]
    levels = [Level("set", n, k) for n, k in sorted(sizes, key=lambda size: (2 * size[0] + size[1], size[1]))]
    if rank:
        levels.insert(1, Level("block", 1, rank))
    shortest = max(2, truths) if rank else chain + 1
    return Level("single", 1, 0), *levels, *(Level("chain", n, 1) for n in range(shortest, chain + 1))


def as_table(levels: tuple[Level, ...]) -> npt.NDArray[np.int32]:
    """Returns the levels as the kernel is given them."""
    return np.array([(KINDS.index(kind), truths, rank) for kind, truths, rank in levels], dtype=np.int32)
