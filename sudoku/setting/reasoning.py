"""Puzzles solved as people solve them: steps without guesses, the easiest first, with their names and reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Unpack

import numpy as np

import dlx
from dlx.extending import Limiting, Stop
from sudoku.constraints import Candidate
from sudoku.encoding import encode
from sudoku.formats.conversion import GridLike, as_puzzle
from sudoku.grid import Grid, Puzzle, Shown, frozen, narrowed
from sudoku.layout import Box, Layout, takes_layout
from sudoku.setting.chains import path_of
from sudoku.setting.measuring import numbered
from sudoku.setting.naming import SINGLES, Item, Signature, name_of, place_of, sentence

FIRST = {"box": 0, "row": 1, "column": 1, "cell": 3}  # looked at in this order, other regions after columns
TRUTHS = 4  # at most, but in chains
MOST = 27  # points: of a chain of twelve truths
SINGLE = {"box": 1, "cell": 3}  # points of a single; in another region 2


@dataclass(frozen=True, slots=True, eq=False)
class Step(Shown):
    """A step of reasoning about a puzzle. Rows, columns and boxes are numbered from 0, digits from 1.

    Attributes:
        name: what people call it, such as "X-wing"; without a name, "3 truths in 4 links".
        title: the name and where it is: "X-wing in columns 2 and 7", from 1.
        points: how hard it is: of a hidden single in a box 1, in another region 2, of a naked single 3; of any other
            step the number of its truths and links, and two.
        placed: the candidate (row, column, digit) that is in every completion, or None; of a sum it is what the sum is
            made of.
        out: the candidates that are in none, without those that `placed` rules out; so are options of sums.
        truths: items of the problem that `encode` makes, of which each has one option.
        links: items of which each has one option at most; both together prove the step (`dlx.Step`).
        rank: how many more links than truths there are.
        path: of a chain its candidates from end to end, in groups: if none of the first one holds, then one of the
            second, and so none of the third, and so on; truths and links are in this order. Else it is empty.
        before: the puzzle with its pencil marks before the step.
        givens: the grid at the beginning.
    """

    name: str
    title: str
    points: int
    placed: Any
    out: tuple[Any, ...]
    truths: tuple[Item, ...]
    links: tuple[Item, ...]
    rank: int
    path: tuple[tuple[Any, ...], ...]
    before: Puzzle
    givens: Grid
    _reason: dlx.Step
    _names: Any
    _roles: Any  # of all options afterwards
    _groups: tuple[tuple[int, ...], ...]  # the numbers of the options of `path`

    @property
    def text(self) -> str:
        """The step as a sentence."""
        return self.said()

    def said(self, signs: str | None = None) -> str:
        """The step as a sentence, with other signs of a blank and the digits."""
        return f"{self.title}: {sentence(self._reason, self._names, self.before.layout, signs, self.path)}"


class Steps(Iterator[Step]):
    """Steps under way: iterate over it. It says at the end if the puzzle is `solved`."""

    def __init__(self, puzzle: Puzzle, **limits: Unpack[Limiting]) -> None:
        self._puzzle = puzzle
        self._reasoning = reasoning_about(puzzle, **limits)
        self._problem = self._reasoning.problem
        self._names: Any = self._problem.names
        self._begun = self._roles = self._reasoning.roles
        self._number = {item: k for k, item in enumerate(self._problem.items)}
        self._owners = np.repeat(np.arange(self._problem.n_options), np.diff(self._problem.indptr))

    def __iter__(self) -> Steps:
        return self

    def __next__(self) -> Step:
        while True:
            roles, step = self._roles, next(self._reasoning)
            self._roles = self._reasoning.roles
            if step.chosen is None or not self._is_given(self._names[step.chosen]):
                return self._named(step, roles)

    def _is_given(self, name: Any) -> bool:
        """Tells whether a candidate is a given, of which some are left where they clash."""
        return not isinstance(name[0], str) and bool(self._puzzle.grid[name[:2]] == name[2])

    def _named(self, step: dlx.Step, roles: Any) -> Step:
        layout = self._puzzle.layout
        some = () if step.kind == "single" else (*step.truths, *step.links)
        open_ = np.repeat(roles == 1, np.diff(self._problem.indptr)) if some else slice(0)
        owners, items = self._owners[open_], self._problem.indices[open_]
        holders = {item: {*owners[items == self._number[item]].tolist()} for item in some}
        truths, links, groups = path_of(step, holders)
        found = Signature.of(step, (len(holders[item]) for item in truths if some), layout, bool(groups))
        name, placed = name_of(step.kind, found), None
        if step.chosen is not None:
            placed = self._names[step.chosen]
            name = name if not isinstance(placed[0], str) else SINGLES[2]
        place = place_of(found, step)
        return Step(
            name=name,
            title=f"{name} in {place}" if place and name != "contradiction" else name,
            points=points(step.kind, len(step.truths), step.rank, truths[0][0] if truths else ""),
            placed=placed,
            out=() if placed else tuple(self._names[option] for option in step.out),
            truths=truths,
            links=links,
            rank=step.rank,
            path=tuple(tuple(self._names[option] for option in group) for group in groups),
            before=self._at(roles),
            givens=self._puzzle.grid,
            _reason=step,
            _names=self._names,
            _roles=self._roles,
            _groups=groups,
        )

    def _at(self, roles: Any) -> Puzzle:
        """The puzzle when the options had these roles."""
        layout, given = self._puzzle.layout, self._puzzle.grid
        grid, marks = given.copy(), np.zeros((*given.shape, layout.size), dtype=np.bool_)
        for option in np.flatnonzero(roles).tolist():
            name: Candidate = self._names[option]
            if not isinstance(name[0], str):
                marks[name[0], name[1], name[2] - 1] = True
                if roles[option] == 2:
                    grid[name[:2]] = name[2]
        marks |= grid[..., None] == np.arange(1, layout.size + 1)
        return Puzzle(
            frozen(grid), "array", self._puzzle.file, self._puzzle.line, layout, narrowed(grid, marks, layout.size)
        )

    @property
    def layout(self) -> Layout:
        """The layout of the puzzle."""
        return self._puzzle.layout

    @property
    def grid(self) -> Grid:
        """The digits by now, 0 for blanks."""
        return self._at(self._roles).grid

    @property
    def solved(self) -> bool:
        """Tells whether the only completion has been found, and no other one is possible."""
        return self._reasoning.solved

    @property
    def contradictory(self) -> bool:
        """Tells whether it has been found that there is no completion."""
        return self._reasoning.contradictory

    @property
    def stuck(self) -> bool:
        """Tells whether there is no further step, though some cells are blank."""
        return self._reasoning.stuck

    @property
    def stopped(self) -> Stop | None:
        """The limit that came first, or None."""
        return self._reasoning.stopped


@takes_layout
def steps(grid: GridLike, layout: Box | Layout | None = None, **limits: Unpack[Limiting]) -> Steps:
    """Solves a puzzle step by step without guesses, each time by the easiest step there is.

    The steps are those of `dlx.deduce`: N *truths* (a cell, or a digit of a region: one candidate of each holds) all of
    whose candidates are in N + k *links* (of which one candidate holds at most) rule out what is in more than k links
    besides. So cages, thermometers and all other rules take part in the steps as rows and columns do.

    Parameters:
        grid: a grid in any form that `as_grid` takes; the pencil marks of a `Puzzle` are believed.
        layout: as for `solve`.
        limits: max_covers (how many steps), max_nodes, timeout (in seconds) and progress.

    Returns:
        An iterator over steps; when it has ended, it says if it is `solved`, `contradictory` or `stuck`.

    Raises:
        GridError: a text is no grid.
        ValueError: the grid, the layout or a limit is wrong.

    >>> solving = steps("327........4....398.....7....612.....1.5.9.4.......6...9.65.4.1....4........1..93")
    >>> for step in solving:
    ...     if step.points == 8:
    ...         print(step.text)
    swordfish in columns 2, 5 and 7: 8 of columns 2, 5 and 7 can only be in rows 2, 6 and 8, so r2c4 and r8c8 are not 8
    >>> solving.solved
    True
    >>> cage = Layout.boxes(2, 2).with_sums("cage", (4, [(0, 0), (0, 1)]))
    >>> print(next(steps("." * 16, cage)).text)
    only combination: of cage 1 only cage 1 1+3 is left
    """
    return Steps(as_puzzle(grid, layout), **limits)


def reasoning_about(puzzle: Puzzle, most: int = MOST, **limits: Unpack[Limiting]) -> dlx.Deduction:
    """Returns the reasoning about a puzzle, before its first step; givens that clash are left to it.

    It finds all steps of up to so many points, and perhaps others.
    """
    sizes = {"truths": min(TRUTHS, max(1, (most - 1) // 2)), "chain": max(0, (most - 3) // 2)}
    problem, _, numbers = numbered(puzzle.layout)
    if puzzle.candidates is not None:
        problem = problem.without(np.setdiff1d(numbers[~puzzle.candidates & (puzzle.grid == 0)[..., None]], [-1]))
    reasoning = dlx.deduce(problem, prefer=_order(puzzle.layout), **sizes, **limits)
    try:
        reasoning.restart(given_options(puzzle))
    except dlx.ProblemError:
        problem = encode(puzzle)
        reasoning = dlx.deduce(problem, prefer=preference(problem), **sizes, **limits)
    return reasoning


def given_options(puzzle: Puzzle) -> list[int]:
    """The options of the givens in the problem of the empty grid."""
    cells = np.nonzero(puzzle.grid)
    givens: list[int] = numbered(puzzle.layout)[2][(*cells, puzzle.grid[cells] - 1)].tolist()
    return givens


@lru_cache(16)
def _order(layout: Layout) -> dict[Item, int]:
    return preference(numbered(layout)[0])


def preference(problem: dlx.Problem) -> dict[Item, int]:
    """Returns the rank of each primary item: boxes are looked at first, then other regions, then cells."""
    primary: Any = problem.items[: problem.n_primary]
    return {item: FIRST.get(item[0], 2) for item in primary}


def points(kind: str, truths: int, rank: int, first: object) -> int:
    """Returns how hard a step is: its kind, how many truths it has, its rank, and the kind of its first truth."""
    if kind == "contradiction":
        return 0
    if kind == "single":
        return SINGLE.get(str(first), 2)
    return 2 * truths + (rank if kind == "set" else 1) + 2
