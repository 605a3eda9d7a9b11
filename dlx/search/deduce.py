"""Reasoning without guesses: the easiest step first, each with the truths and links that prove it."""

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

S = TypeVar("S")  # the type of the steps that iteration yields
Kind = Literal["single", "set", "block", "chain", "contradiction"]

KINDS: tuple[Kind, ...] = ("single", "set", "block", "chain", "contradiction")  # in the numbering of the kernel


class Level(NamedTuple):
    """A level of difficulty.

    Attributes:
        kind: the kind of its steps.
        truths: the number of truths of its steps; the maximum with multiplicities and for the shortest chains.
        rank: the maximum number of links minus truths of its steps.
    """

    kind: Kind
    truths: int
    rank: int


@dataclass(frozen=True, slots=True)
class Step:
    """A step of reasoning: a conclusion from some items about the open options.

    Attributes:
        kind: "single": the truth has no more open options than it needs, so `chosen` is in every cover, and options
            that clash with it are excluded. "set" and "chain": the links of an excluded option outnumber its truths by
            more than the rank. "block": an excluded option would leave the truth too few options. "contradiction": the
            truth has too few options, or the rank is negative, so there is no cover; this is the last step.
        truths: primary items; every cover has the needed number of their options.
        links: items; no cover has more of their options than they have room for. For a single, the other items of
            `chosen`. In a chain each truth is between its two links; a loop has one link less, and a truth that the
            chain passes as a link is in neither.
        out: the numbers of the excluded options, increasing.
        chosen: the chosen option, or None.
        rank: the room of all links less the need of all truths; 0 for a single.
        open: the number of options that are neither chosen nor excluded after the step.
    """

    kind: Kind
    truths: tuple[Item, ...]
    links: tuple[Item, ...]
    out: tuple[int, ...]
    chosen: int | None
    rank: int
    open: int


class Deduction(Iterator[S], Generic[S]):
    """An iterator over steps of reasoning; `finish` returns only their levels, and is faster.

    It can be continued after a KeyboardInterrupt, and restarted with other chosen options. A subclass can yield other
    objects than `Step` by overriding `as_result`.

    Attributes:
        problem: the problem.
        levels: the levels of difficulty, the easiest first.
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
            own = rows.n_primary - len(known := ranks(problem, prefer))  # items of chosen options come last
            order = np.append(known, np.full(own, len(known))).argsort(kind="stable").astype(np.int32)
        self._kernel = new_kernel("inference", rows, as_table(self.levels), order)
        self._given = [] if problem.roles is None else np.flatnonzero(problem.roles == CHOSEN).tolist()
        self.restart()

    def restart(self, chosen: Iterable[int] = ()) -> None:
        """Starts again with further options chosen, and with the same limits.

        Options that clash with these options are excluded without a step.

        Parameters:
            chosen: the numbers of the options.

        Raises:
            ProblemError: an option clashes with another one, or is in no cover.
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
            raise ProblemError(f"options[{wrong}] clashes with others that are chosen, or is in no cover")

    def finish(self) -> npt.NDArray[np.int32]:
        """Takes all steps up to the end or a limit, without making `Step` objects.

        Returns:
            int32, shape (steps, 2), a row for each step since the start: the index of its level in `levels`
            (len(levels) for a contradiction), and the number of the item that is its first truth.
        """
        self._advance()
        self._handed_out = self._kernel.covers
        log: npt.NDArray[np.int32] = self._kernel.log()
        return log

    def as_result(self, step: Step) -> S:
        """Returns the object that iteration yields for a step just taken."""
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
        return self.as_result(Step(KINDS[kind], true, linked, tuple(out), picked, rank, self._kernel.open))

    def _advance(self, **budget: int) -> None:
        with self._loop as loop:
            for _ in loop.slices(self._kernel, **budget):
                pass

    @property
    def roles(self) -> npt.NDArray[np.int8]:
        """The roles of the options, int8, as in `Problem.roles`: 0 excluded, 1 open, 2 chosen."""
        roles: npt.NDArray[np.int8] = self._kernel.roles()
        return roles

    @property
    def exhausted(self) -> bool:
        """Whether there is no further step."""
        return self._loop.exhausted

    @property
    def stopped(self) -> Stop | None:
        """The limit that stopped it; None while it can continue, and after its end."""
        return None if self.exhausted else self._loop.stopped

    @property
    def contradictory(self) -> bool:
        """Whether the steps have proven that there is no cover."""
        return bool(KINDS[self._kernel.kind] == "contradiction")

    @property
    def solved(self) -> bool:
        """Whether the steps have proven that the chosen options are the only cover."""
        return self.exhausted and not self.contradictory and self._kernel.open == 0

    @property
    def stuck(self) -> bool:
        """Whether there is no further step, but options are still open."""
        return self.exhausted and not self.contradictory and self._kernel.open > 0

    @property
    def nodes(self) -> int:
        """The work so far, as scans for singles, truths and links added, and edges of chains."""
        return int(self._kernel.nodes)

    @property
    def updates(self) -> int:
        """The options read so far."""
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
    """Reasons about a problem step by step, without guesses, always with the easiest step.

    A single is the easiest step. Then come the fewest truths and links together, and the least rank: a truth in a link,
    a block, two truths in two links, two in three, three in three, and so on. Chains come last, the shortest first.
    Among equals, the first one found is taken.

    Parameters:
        problem: the problem, with its chosen and omitted options.
        truths: the most truths of a set, at least 1; a set of rank r has up to r fewer.
        rank: the largest rank of a set; 0 also excludes blocks and chains.
        chain: the most truths of a chain; 0 and 1 exclude chains.
        prefer: primary items to try first, as for `dlx.covers`.
        limits: max_covers (the number of steps), max_nodes, timeout (in seconds) and progress (`Limiting`).

    Returns:
        An iterator over steps; after its end it is `solved`, `contradictory` or `stuck`.

    Raises:
        ValueError, TypeError: a number or a limit is wrong.
        ProblemError: a preferred item is no primary item of the problem.

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
    """Returns the levels, the easiest first."""
    sizes = [(n, k) for n in range(1, truths + 1) for k in range(min(rank, truths - n) + 1) if n > 1 or k == 0]
    levels = [Level("set", n, k) for n, k in sorted(sizes, key=lambda size: (2 * size[0] + size[1], size[1]))]
    if rank:
        levels.insert(1, Level("block", 1, rank))
    shortest = max(2, truths) if rank else chain + 1
    return Level("single", 1, 0), *levels, *(Level("chain", n, 1) for n in range(shortest, chain + 1))


def as_table(levels: tuple[Level, ...]) -> npt.NDArray[np.int32]:
    """Returns the levels as an array for the kernel."""
    return np.array([(KINDS.index(kind), truths, rank) for kind, truths, rank in levels], dtype=np.int32)
