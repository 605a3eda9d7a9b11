"""The hardness of puzzles for people: the hardest step that they take, and all steps together."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

import dlx
from dlx.extending import Limiting, Stop, StoppedError
from sudoku.formats.conversion import GridLike, as_puzzle
from sudoku.grid import Plain, Puzzle
from sudoku.layout import Box, Layout, as_layout
from sudoku.setting.naming import FISH, SINGLES, SUBSETS, TECHNIQUES
from sudoku.setting.naming import technique as named
from sudoku.setting.queries import given_options, numbered
from sudoku.setting.reasoning import MOST, Steps, points, steps

# The points of the hardest step. Of minimal puzzles at random 43, 24, 24 and 14 % are of each kind; 2 % are not solved.
DIFFICULTIES = {"easy": (1, 3), "medium": (4, 6), "hard": (7, 9), "expert": (10, MOST)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating(Plain):
    """The result of `rate`.

    Attributes:
        hardest: the points of the hardest step; 0 if there is none.
        total: the points of all steps together.
        steps: how many there are.
        solved: whether they lead to the only completion. If not, the puzzle is harder than its steps, has several
            completions, or has none.
        contradictory: whether they prove that there is no completion.
        stopped: the limit that came first, or None; then the numbers are those so far.
    """

    hardest: int
    total: int
    steps: int
    solved: bool
    contradictory: bool
    stopped: Stop | None

    @property
    def difficulty(self) -> str | None:
        """Returns "easy", "medium", "hard" or "expert", by the hardest step; None if the steps do not solve it."""
        fitting = (word for word, (least, most) in DIFFICULTIES.items() if least <= self.hardest <= most)
        return next(fitting, "easy") if self.solved else None


def rate(grid: GridLike, layout: Box | Layout | None = None, **limits: Unpack[Limiting]) -> Rating:
    """Rates how hard a puzzle is for people, by the steps of `steps`, on a scale of its own.

    A hidden single has 1 point if it is in a box, in another region 2, and a naked single 3; any other step has as many
    points as truths and links, and two more: pointing and claiming 4, pairs and X-wings 6, two truths in three links as
    skyscrapers 7, triples and swordfish 8, XY-wings and others of three truths in four links 9, quads 10, and a chain
    of N truths 2 N + 3.

    Parameters:
        grid, layout, limits: as for `steps`.

    Raises: as `steps`.

    >>> rate("000000010400000000020000000000050407008000300001090000300400200050100000000806000")
    Rating(hardest=2, total=66, steps=64, solved=True, contradictory=False, stopped=None)
    >>> rate("800000000003600000070090200050007000000045700000100030001000068008500010090000400").solved
    False
    """
    return _rating(steps(grid, layout, **limits))


def rate_many(
    grids: Iterable[GridLike], layout: Box | Layout | None = None, **limits: Unpack[Limiting]
) -> list[Rating]:
    """Rates many puzzles of one layout, each as `rate` does, but without what that makes anew for each.

    Parameters:
        grids: grids in any form that `as_grid` takes, without pencil marks.
        layout: their layout; without it, 3 x 3.
        limits: for each of them, as for `steps`.

    Raises: as `steps`.

    >>> [rating.hardest for rating in rate_many(["1.....2..3.....4", "12............34"], (2, 2))]
    [1, 2]
    """
    layout = as_layout(layout)
    solving = steps(np.zeros(layout.shape, dtype=np.uint8), layout, **limits)

    def rated(puzzle: Puzzle) -> Rating:
        if puzzle.candidates is not None or puzzle.layout != layout:
            return rate(puzzle, **limits)
        try:
            solving.restart(given_options(puzzle.grid, layout))
        except dlx.ProblemError:  # givens that clash
            return rate(puzzle, **limits)
        return _rating(solving)

    return [rated(as_puzzle(grid, layout)) for grid in grids]


def extent(technique: str) -> tuple[int, int]:
    """Returns the least points that a step of a name may have, and the most.

    >>> extent("naked single"), extent("hidden triple"), extent("3 truths in 4 links"), extent("cage")
    ((3, 3), (8, 27), (9, 9), (4, 5))
    """
    if technique in SINGLES:
        return {"hidden single": (1, 2), "naked single": (3, 3)}.get(technique, (2, 2))
    if numbers := re.findall("[0-9]+(?= truth| link)", technique):
        return 2 * (sum(map(int, numbers)) + 2,)
    if technique not in TECHNIQUES:  # a rule
        return points("set", 1, 0, None), points("block", 1, 1, None)
    last = technique.split()[-1]
    truths = next((some.index(last) for some in (SUBSETS, FISH) if last in some), 1)
    return 2 * truths + 2 + technique.startswith("finned"), MOST


class Wish(NamedTuple):
    """The steps that a wanted puzzle has.

    Attributes:
        rating: the least and the most points of the hardest step, or None.
        technique: the name of a step, or None.
    """

    rating: tuple[int, int] | None
    technique: str | None

    @classmethod
    def of(cls, rating: tuple[int, int] | None, technique: str | None, layout: Layout) -> Wish | None:
        """Checks both for a layout; None if neither is given."""
        technique = None if technique is None else named(technique, layout)
        least = 1 if technique is None else extent(technique)[0]
        if rating and (rating[1] < least or rating[0] > MOST):
            wish = "-".join(map(str, dict.fromkeys(rating)))
            with_it = f" with a step {technique!r}" if technique else ""
            raise ValueError(f"no hardest step has {wish} points{with_it}: it has {least} to {MOST}")
        return cls(rating, technique) if rating or technique else None

    def fits(self, puzzle: Puzzle, **limits: Unpack[Limiting]) -> tuple[bool, int]:
        """Returns whether a puzzle has these steps, and the points of its hardest step; StoppedError at a limit."""
        least, most = self.rating or (0, MOST)
        found = _rating(Steps(puzzle, min(most, MOST), **limits))
        if found.stopped:
            raise StoppedError(found.stopped)
        fits = found.solved and least <= found.hardest <= most
        if fits and self.technique:
            fits = any(step.name in _meanings(self.technique) for step in steps(puzzle, **limits))
        return fits, found.hardest


def _meanings(technique: str) -> tuple[str, ...]:
    """Returns the names of steps that a technique means: locked candidates are pointing and claiming, too."""
    return ("pointing", "claiming", technique) if technique == "locked candidates" else (technique,)


@lru_cache(16)
def _singles(layout: Layout) -> npt.NDArray[np.intp]:
    """The points of a single of each item."""
    items: Any = numbered(layout)[0].items
    return np.array([points("single", 1, 0, item[0]) for item in items])


def _rating(solving: Steps) -> Rating:
    """Counts all steps."""
    level, first = solving.finish().T
    others = np.array([*(points(kind, n, rank, None) for kind, n, rank in solving.levels), 0])
    each = np.where(level == 0, _singles(solving.layout)[first], others[level])
    return Rating(
        hardest=int(each.max(initial=0)),
        total=int(each.sum()),
        steps=len(each),
        solved=solving.solved,
        contradictory=solving.contradictory,
        stopped=solving.stopped,
    )
