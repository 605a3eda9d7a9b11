"""Puzzles solved as people solve them: by steps without guesses, the easiest first, with names and reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import permutations, product
from typing import Any, TypeAlias, Unpack

import numpy as np

import dlx
from dlx.extending import Limiting
from sudoku.encoding import tables_of
from sudoku.formats.conversion import GridLike, as_puzzle
from sudoku.grid import Grid, Puzzle, frozen, narrowed
from sudoku.layout import Box, Layout
from sudoku.setting.searches import check_placed, holders
from sudoku.setting.sentences import Step, is_option, place_of
from sudoku.setting.techniques import SINGLES, Item, name_of

Items: TypeAlias = tuple[Item, ...]
Groups: TypeAlias = tuple[tuple[int, ...], ...]

FIRST = {"box": 0, "row": 1, "column": 1, "cell": 3}  # the order of search; other regions come after columns
TRUTHS = 4  # the most truths of a step that is not a chain
ORDERED = 3  # the most truths of a set whose orders are all tried, for a chain
MOST = 27  # points of a chain with twelve truths
SINGLE = {"box": 1, "cell": 3}  # points of a single; 2 in other regions


class Steps(dlx.Deduction[Step]):
    """An iterator over the steps of a puzzle; a `dlx.Deduction`, which at its end is solved or not."""

    def __init__(self, puzzle: Puzzle, most: int = MOST, **limits: Unpack[Limiting]) -> None:
        """Begins a puzzle; finds all steps of up to `most` points, and perhaps others."""
        self._puzzle, self._clash = puzzle, clash_of(puzzle)
        tables = tables_of(puzzle.layout)
        problem = tables.problem
        if self._clash:  # the contradiction is the only step
            problem = problem.without(range(problem.n_options))
        elif puzzle.candidates is not None:
            problem = problem.without(np.flatnonzero(~tables.marks(puzzle.candidates)))
        self._option_names: Any = problem.names
        sizes = {"truths": min(TRUTHS, max(1, (most - 1) // 2)), "chain": max(0, (most - 3) // 2)}
        super().__init__(problem, prefer=_order(puzzle.layout), **sizes, **limits)
        if not self._clash:
            self.restart(tables.givens(puzzle.grid))

    def restart(self, chosen: Iterable[int] = ()) -> None:
        super().restart(chosen)
        self._before = self.roles

    def as_result(self, step: dlx.Step) -> Step:
        """Returns a step of `dlx.deduce` as a step of the puzzle."""
        layout, names = self._puzzle.layout, self._option_names
        before, self._before = self._before, self.roles
        step = self._clash or step
        open_ = self._open((*step.truths, *step.links), before) if step.kind != "single" else {}
        truths, links, groups = path_of(step, open_)
        sizes = [len(open_[item]) for item in truths if open_]
        name, place = name_of(step, sizes, layout, bool(groups)), place_of(step, layout)
        if (chosen := None if step.chosen is None else names[step.chosen]) and is_option(chosen):
            name = SINGLES[2]
        out = () if chosen else tuple(names[option] for option in step.out)
        return Step(
            name=name,
            title=f"{name} in {place}" if place and name != "contradiction" else name,
            points=points(step.kind, len(truths), step.rank, truths[0][0] if truths else ""),
            placed=None if chosen and is_option(chosen) else chosen,
            out=tuple(one for one in out if not is_option(one)),
            combination=chosen if chosen and is_option(chosen) else None,
            combinations_out=tuple(one for one in out if is_option(one)),
            truths=truths,
            links=links,
            rank=step.rank,
            path=tuple(tuple(names[option] for option in group) for group in groups),
            before=self._puzzle if self._clash else self._at(before),
            givens=self._puzzle.grid,
            kind=step.kind,
        )

    def _open(self, items: Iterable[Item], roles: Any) -> dict[Item, set[int]]:
        """Returns the open options of each item."""
        options = {item: tables_of(self.layout).options_of(item) for item in items}
        return {item: {*some[roles[some] == 1].tolist()} for item, some in options.items()}

    def _at(self, roles: Any) -> Puzzle:
        """Returns the puzzle with its pencil marks when the options had these roles."""
        puzzle, n = self._puzzle, self.layout.size
        role = np.zeros((*self.layout.shape, n), dtype=np.uint8)
        cells = role.reshape(-1, n)[tables_of(self.layout).cells]
        role.reshape(-1, n)[tables_of(self.layout).cells] = roles[: cells.size].reshape(-1, n)
        chosen = role == 2
        grid = np.where(chosen.any(axis=2), chosen.argmax(axis=2) + 1, puzzle.grid).astype(np.uint8)
        marks = (role > 0) | (grid[..., None] == np.arange(1, n + 1))
        candidates = narrowed(grid, marks, n)
        return Puzzle(frozen(grid), "array", puzzle.file, puzzle.line, self.layout, candidates)

    @property
    def layout(self) -> Layout:
        """The layout of the puzzle."""
        return self._puzzle.layout

    @property
    def grid(self) -> Grid:
        """The digits placed so far, 0 for blanks."""
        return self._at(self.roles).grid


def steps(grid: GridLike, layout: Box | Layout | None = None, **limits: Unpack[Limiting]) -> Steps:
    """Solves a puzzle step by step without guesses, always with the easiest step.

    The steps are those of `dlx.deduce`. Exactly one candidate of a *truth* (a cell, or a digit of a region) holds, and
    at most one of a *link*. If all candidates of N truths are in N + k links, a candidate is excluded if its links
    outnumber its truths by more than k. So cages, thermometers and all other rules take part as rows do.

    Parameters:
        grid: a grid in any form that `as_grid` takes; the pencil marks of a `Puzzle` are trusted.
        layout: as for `solve`.
        limits: max_covers (the number of steps), max_nodes, timeout (in seconds) and progress.

    Returns:
        An iterator over steps; after its end it is `solved`, `contradictory` or `stuck`.

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
    only combination: cage 1 1+3 is the only combination left for cage 1
    """
    puzzle = as_puzzle(grid, layout)
    check_placed(puzzle)
    return Steps(puzzle, **limits)


def clash_of(puzzle: Puzzle) -> dlx.Step | None:
    """Returns the contradiction of the first two clashing givens, or None."""
    problem: Any = tables_of(puzzle.layout).problem
    for item, (one, *others) in holders(puzzle.grid, puzzle.layout).items():
        if others:
            cells = problem.option(one)[0], problem.option(others[0])[0]
            return dlx.Step("contradiction", cells, (problem.items[item],), (one, others[0]), None, -1, 0)
    return None


@lru_cache(16)
def _order(layout: Layout) -> dict[Item, int]:
    """Returns the rank of each primary item in the search: boxes first, then other regions, then cells."""
    problem: Any = tables_of(layout).problem
    return {item: FIRST.get(item[0], 2) for item in problem.items[: problem.n_primary]}


def points(kind: str, truths: int, rank: int, first: object) -> int:
    """Returns the points of a step by its kind, its number of truths, its rank, and the kind of its first truth."""
    if kind == "contradiction":
        return 0
    if kind == "single":
        return SINGLE.get(str(first), 2)
    return 2 * truths + (rank if kind == "set" else 1) + 2


def path_of(step: dlx.Step, holders: Mapping[Item, Set[int]]) -> tuple[Items, Items, Groups]:
    """Returns the truths and links of a step in the order of a chain, and its groups; no groups if it is not a chain.

    Each truth has all options in the links before and after it; in a closed chain the first link follows the last
    truth. Each truth has two groups: the options outside the link after it, and those in it. If no option of the first
    group holds, one of the second does, and then none of the next group.

    Parameters:
        step: the step.
        holders: the options of each truth and link that were open before the step.

    >>> step = dlx.Step("set", ("b", "a"), ("y", "z", "x"), (4,), None, 1, 4)
    >>> path_of(step, {"a": {0, 1}, "b": {2, 3}, "x": {0, 4}, "y": {1, 2}, "z": {3, 4}})
    (('b', 'a'), ('z', 'y', 'x'), ((3,), (2,), (1,), (0,)))
    """
    for truths, links in _orders(step):
        groups = [*_groups(truths, links, holders)]
        closed = len(links) == len(truths)
        weak = zip(groups[1::2], [*groups[2::2], *groups[: int(closed)]], strict=False)
        from_both_ends = closed or {*step.out} <= holders[links[0]] & holders[links[-1]]
        if len(groups) == 2 * len(truths) and from_both_ends and not any(a & b for a, b in weak):
            return truths, links, tuple(tuple(sorted(group)) for group in groups)
    return step.truths, step.links, ()


def _orders(step: dlx.Step) -> Iterable[tuple[Items, Items]]:
    """Returns the orders in which a step may be a chain."""
    n = len(step.truths)
    if step.kind == "chain":
        return [(step.truths, step.links)]
    if step.kind == "set" and step.rank == 1 and 1 < n <= ORDERED:
        return product(permutations(step.truths), permutations(step.links))
    return ()


def _groups(truths: Sequence[Item], links: Sequence[Item], holders: Mapping[Item, Set[int]]) -> Iterator[set[int]]:
    """Yields both groups of each truth; stops at the first truth without two groups."""
    for k, truth in enumerate(truths):
        before, after = holders[links[k]], holders[links[(k + 1) % len(links)]]
        first, second = holders[truth] - after, holders[truth] & after
        if not first or not second or not first <= before:
            return
        yield {*first}
        yield {*second}
