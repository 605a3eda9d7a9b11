"""Puzzles at random: complete grids of which givens are taken away as long as they are not needed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from copy import copy
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import Limiting, Limits, StoppedError, Workforce, compiled_module
from sudoku.formats.conversion import GridLike, as_puzzle
from sudoku.grid import Grid, frozen
from sudoku.layout import Box, Layout, as_layout
from sudoku.setting.minimising import generator, is_redundant, redundant_givens
from sudoku.setting.queries import Asking, ran
from sudoku.setting.random_grids import RandomGrids
from sudoku.setting.rating import DIFFICULTIES, Way
from sudoku.setting.reasoning import MOST
from sudoku.setting.symmetry import Symmetry, exchangeable, orbits
from sudoku.sharing import Over, in_order, until

if TYPE_CHECKING:
    from concurrent.futures import Executor

Grids = npt.NDArray[np.uint8]
Cells = npt.NDArray[np.int32]
Range = tuple[int, int]
Made = tuple[Grid, bool, int | None]  # a puzzle, whether it is as wanted, and the points of its hardest step
Draw = tuple[Any, Any, Any]  # what is drawn at random for some puzzles: grids or a seed, fewest givens, the order

TRIES = 10_000  # of plain sudoku, about a second
FEW_TRIES = 1_000  # of other layouts, milliseconds for each of the smallest
SAMPLE = 500  # completions that are looked at to change a given of a pattern
BLOCK = 256  # puzzles that are made together, in 0.03 s

Told = Callable[[Callable[[], str]], object]  # called now and then with how far it is


class NoPuzzleError(RuntimeError):
    """No puzzle that was tried was what had been asked for."""


class Wanted(TypedDict, total=False):
    """The wishes for puzzles; the parameters of `generate`."""

    givens: int | Range | None
    symmetry: Symmetry
    minimal: bool
    rating: int | Range | str | None
    technique: str | None
    only: str | Iterable[str] | None
    pattern: GridLike | None
    seed: int | None
    tries: int | None
    timeout: float | None
    executor: Executor | None
    jobs: int | None


def generate(layout: Box | Layout | None = None, **wanted: Unpack[Wanted]) -> Grid:
    """Makes a puzzle with one completion.

    Givens are taken away from a complete grid, in random order, as long as the completion stays the only one. Of plain
    sudoku all 6.67e21 complete grids have the same chance. Their puzzles have not: one is the likelier the more orders
    lead to it, so puzzles of few givens come too often. Minimal ones have 24.4 givens on the average here, and 26.6
    among all there are (estimated by D. Berthier, Unbiased statistics of a CSP, 2009). For other layouts the complete
    grid is what a search finds that draws its choices at random: all can come, with chances that nobody knows.

    Parameters:
        layout: the rows and columns of a box, or a `Layout`; without it, 3 x 3.
        givens: how many there are to be, or the least and the most, between which it is drawn. Without it, as few as
            this way leads to.
        symmetry: of the pattern of givens, whether the rules of the layout have it or not: "half-turn",
            "quarter-turn", "left-right", "up-down", "diagonal", "antidiagonal", or "full" for all of these; without it,
            "none".
        minimal: whether each given by itself is to be needed. Without symmetry and `givens` it always is.
        rating: how many points the hardest step is to have (`rate`), or the least and the most, from 1 to 27; or
            "easy" (1 to 3), "medium" (4 to 6), "hard" (7 to 9) or "expert" (10 to 27). The steps solve the puzzle.
        technique: the name of a step that is to be among them, as "X-wing", in any spelling, "3 truths in 4 links", or
            "cage" and other rules of the layout; `steps` takes it where nothing easier does.
        only: a name, or several, that all steps are to have; "singles" are hidden and naked ones.
        pattern: where the givens are to be, all of them: a text with a sign for each cell, of which . and 0 are
            blanks; a grid in any other form of `as_grid`; or a table of truth values.
            Givens of a complete grid are changed one at a time, each time to the digit that leaves the fewest
            completions, until one is left; it takes neither `givens` nor `symmetry`.
        seed: a whole number from 0, for the same puzzle each time; without it, another one each time.
        tries: after so many puzzles that are not what is wanted it gives up; without it, 10,000 of plain sudoku, and
            1,000 of other layouts.
        timeout: the most time, in seconds.
        executor, jobs: who tries puzzles, as for `best_many`; which are found depends on the seed alone. Complete grids
            of plain sudoku, half of the work if nothing is wanted of their puzzles, are drawn by the caller.

    Returns:
        A read-only uint8 array of the shape of the layout.

    Raises:
        NoPuzzleError: none of the puzzles that were tried is what is wanted; the message says how they were.
        ValueError: what is wanted is no number, range or name of this kind; no puzzle has so few givens, as far as that
            is known (4 for boxes of 2 x 2, 17 for 3 x 3, and n - 1 wherever two digits that are no givens could be
            exchanged), or has a pattern without givens in two rows, or columns, that could be exchanged; no step of the
            techniques has these points, or `only` leaves `technique` out; the symmetry brings a cell to where
            there is none, or the layout has no completion.
        TimeoutError: the timeout came first; the message says how the puzzles were that had been tried.
        KeyboardInterrupt: Ctrl-C came first.
        LostPieceError: puzzles have killed every worker that tried them.
        BrokenExecutor: as for `best_many`.

    >>> from sudoku import to_line
    >>> puzzle = generate(seed=5, symmetry="half-turn", givens=(22, 26))
    >>> to_line(puzzle)
    '.5.2.....4..7..28.8....6.4.6..1.......5.9.3.......7..5.8.4....6.67..8..4.....1.9.'
    >>> np.array_equal(puzzle > 0, (puzzle > 0)[::-1, ::-1])
    True
    >>> to_line(generate(Layout.named("x", (2, 2)), seed=5), (2, 2))
    '.....2........14'
    >>> generate(seed=5, givens=17, tries=100)
    Traceback (most recent call last):
    ...
    sudoku.setting.generating.NoPuzzleError: none of 100 puzzles is what is wanted: they have 22 to 27 givens
    """
    with closing(puzzles(as_layout(layout), wanted)) as made:
        return next(made)


def generate_many(number: int, layout: Box | Layout | None = None, **wanted: Unpack[Wanted]) -> Grids:
    """Makes puzzles with one completion each, as `generate` does.

    Parameters:
        number: how many, from 0.
        layout, wanted: as for `generate`; the same seed gives the same puzzles, the first ones of a larger number.

    Returns:
        A uint8 array of shape (number, rows, columns).

    Raises: as `generate`.

    >>> generate_many(2, (2, 2), seed=1).shape
    (2, 4, 4)
    >>> np.array_equal(generate_many(9, seed=1, jobs=2), generate_many(9, seed=1))
    True
    """
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
        raise ValueError(f"the number {number!r} of puzzles is not a whole number from 0")
    layout = as_layout(layout)
    with closing(puzzles(layout, wanted)) as made:
        found = list(islice(made, number))
    return np.array(found, dtype=np.uint8).reshape(number, *layout.shape)


def puzzles(layout: Layout, wanted: Wanted, told: Told | None = None) -> Generator[Grid, None, None]:
    """Makes one puzzle after the other as `generate` does, without end, and calls `told` with its progress."""
    demand = Demand(layout, wanted, told)
    draws = _plain_draws(demand) if demand.make is _plain else _draws(demand)
    workforce = Workforce.of(wanted.get("executor"), wanted.get("jobs"))
    if workforce is None:
        return demand.select(one for draw in draws for one in _made(demand, draw))
    left = Limits.of(**demand.left())
    workers = workforce.workers() if workforce else None
    blocks = in_order(workers, _block, demand, draws, "puzzle {}, drawn at random".format, left)
    return demand.select(one for block in blocks for one in block)


def _block(demand: Demand, draw: Draw, over: Over) -> list[Made]:
    """Worker function: makes the puzzles of a draw. The deadline is set anew, since clocks may differ.

    A worker of the caller's executor may miss the signal to stop; it then stops after the full timeout.
    """
    own = copy(demand)
    own.told, own.end = until(over), time.monotonic() + demand.seconds
    return [*_made(own, draw)]


def _made(demand: Demand, draw: Draw) -> Iterator[Made]:
    """Makes the puzzles of what has been drawn at random for them."""
    for grid in demand.make(demand, draw):
        right = _within(int(np.count_nonzero(grid)), demand.givens) and demand.is_proper(grid)
        points = None
        if demand.way and right:
            right, points = demand.way.fits(as_puzzle(grid, demand.layout), **demand.left())
        yield grid, right, points


@dataclass(slots=True)
class Tries:
    """The puzzles in a row that were not what is wanted."""

    most: int
    givens: Counter[int] = field(default_factory=Counter)
    points: Counter[int] = field(default_factory=Counter)  # of those with as many givens as wanted
    left: int = 0  # the givens of the one that is being made, where that takes long

    def found(self) -> str:
        """Describes the puzzles found, or how far the first one is."""
        if not self.givens:
            return f": one is down to {self.left} givens, and more givens take less time" if self.left else ""
        text = f": they have {min(self.givens)} to {max(self.givens)} givens"
        if self.points:
            text = f"{text}; {self.points.total()} were reasoned about, up to {max(self.points)} points"
        return text

    def __str__(self) -> str:
        return f"{self.givens.total():,} of {self.most:,} tries{self.found()}"


class Demand:
    """The checked parameters of `generate`."""

    def __init__(self, layout: Layout, wanted: Wanted, told: Told | None) -> None:
        if unknown := wanted.keys() - Wanted.__annotations__.keys():
            raise TypeError(
                f"generate has no parameter {min(unknown)!r}; it has layout, {', '.join(Wanted.__annotations__)}"
            )
        self.layout, self.told = layout, told
        cells, symmetry = self.layout.cells(), wanted.get("symmetry", "none")
        self.givens = _range("givens", wanted.get("givens"), len(cells))
        if self.givens and self.givens[1] < (least := _fewest(self.layout)):
            raise ValueError(f"no puzzle has {self.givens[1]} givens: {least} are the fewest")
        tries = _range("tries", wanted.get("tries"))
        self.tries = Tries(tries[0] if tries else TRIES if self.layout.is_plain else FEW_TRIES)
        self.random = generator(wanted.get("seed"))
        self.orbits = orbits(cells, symmetry)  # the cells that go together
        rating = _rating(wanted.get("rating"))
        self.way = Way.of(rating, wanted.get("technique"), wanted.get("only"), self.layout)
        self.minimal = bool(wanted.get("minimal", False))
        pattern = wanted.get("pattern")
        self.pattern = None if pattern is None else _pattern(pattern, wanted, self.layout)
        self.make = _plain if self.layout.is_plain else _any
        if self.pattern is not None:
            self.make = _patterned
        self.sifted = self.minimal and (symmetry != "none" or pattern is not None)  # whether puzzles may not be minimal
        self.seconds = Limits.of(timeout=wanted.get("timeout")).timeout
        self.end = time.monotonic() + self.seconds

    def is_proper(self, grid: Grid) -> bool:
        """Tells whether a puzzle that was made has one completion, and whether it is minimal if that is wanted."""
        if not self.sifted and self.pattern is None:
            return True
        asking = Asking(self.layout, self.left())
        return asking.has_one(grid) and not (self.sifted and any(redundant_givens(asking, grid)))

    def fewest(self, number: int) -> npt.NDArray[np.int32]:
        """Returns the least number of givens left in each of so many puzzles, drawn from the range that is wanted."""
        least, most = (0, 0) if self.givens is None or self.minimal else self.givens
        if least == most:
            return np.full(number, least, dtype=np.int32)
        return self.random.integers(least, most, number, dtype=np.int32, endpoint=True)

    def left(self) -> Limiting:
        """The time that is left, and whom to tell how far it is."""
        told, timeout = self.told, max(0.0, self.end - time.monotonic())
        return {"timeout": timeout, "progress": told and (lambda _: told(self.tries.__str__))}

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"told": None}

    def select(self, made: Generator[Made, None, None]) -> Generator[Grid, None, None]:
        """The wanted ones of some puzzles."""
        tries = self.tries
        try:
            with closing(made):
                for puzzle, right, points in made:
                    if points is not None:
                        tries.points[points] += 1
                    tries.givens[int(np.count_nonzero(puzzle))] += 1
                    if right:
                        tries.givens.clear()
                        tries.points.clear()
                        yield frozen(puzzle)
                    elif tries.givens.total() >= tries.most:
                        raise NoPuzzleError(f"none of {tries.givens.total()} puzzles is what is wanted{tries.found()}")
        except StoppedError as error:
            if error.stopped == "interrupt":
                raise error.raised() from None
            none = f": none of {tries.givens.total()} puzzles" if tries.givens else ""
            raise TimeoutError(f"{error.raised()}{none}{tries.found()}") from None


def _fewest(layout: Layout) -> int:
    """The least known number of givens: if nothing but regions restricts two digits that are no givens, they swap.

    17 is by G. McGuire, B. Tugemann, G. Civario, doi:10.1080/10586458.2013.870056, and 4 because no three cells will
    do, in any of 288 grids.
    """
    if layout in (as_layout((2, 2)), as_layout((3, 3))):
        return 4 if layout.size == 4 else 17
    return 0 if layout.clashes or layout.lines or layout.sums else layout.size - 1


def _rating(value: int | Range | str | None) -> Range | None:
    if not isinstance(value, str):
        return _range("rating", value)
    if value not in DIFFICULTIES:
        raise ValueError(f"rating is {value!r:.40}; it must be {', '.join(DIFFICULTIES)}, or points from 1 to {MOST}")
    return DIFFICULTIES[value]


def _within(number: int, bounds: Range | None) -> bool:
    return bounds is None or bounds[0] <= number <= bounds[1]


def _range(name: str, value: int | Range | None, most: int | None = None) -> Range | None:
    """A number, or the least and the most, as a range."""
    if value is None:
        return None
    pair = value if isinstance(value, tuple) else (value, value)
    whole = all(isinstance(end, (int, np.integer)) and not isinstance(end, bool) for end in pair)
    if len(pair) != 2 or not whole or not 0 <= pair[0] <= pair[1]:
        raise ValueError(f"{name} is {value!r}; it must be a whole number from 0, or two of them, the lesser one first")
    if most is not None and pair[0] > most:
        raise ValueError(f"{name} is {value!r}; there are {most} cells")
    return int(pair[0]), int(pair[1])


def _plain_draws(demand: Demand) -> Iterator[Draw]:
    """Draws complete grids of plain sudoku in blocks, the fewest givens of each puzzle, and the order of its orbits."""
    complete = RandomGrids(int(demand.random.integers(2**64, dtype=np.uint64)))
    size = 1
    while True:
        grids = complete.draw(size)
        fewest = demand.fewest(size)
        numbers = np.tile(np.arange(len(demand.orbits), dtype=np.int32), (size, 1))
        yield grids, fewest, demand.random.permuted(numbers, axis=1)
        size = min(2 * size, BLOCK)


def _plain(demand: Demand, draw: Draw) -> Iterator[Grid]:
    """Puzzles of plain sudoku by kernels, in blocks."""
    grids, fewest, order = draw
    cells = np.full((len(demand.orbits), max(map(len, demand.orbits))), -1, dtype=np.int32)
    for k, orbit in enumerate(demand.orbits):
        cells[k, : len(orbit)] = [9 * r + c for r, c in orbit]
    grids = grids.copy()  # a worker that dies may leave it to another one
    kernel = compiled_module("sudoku.kernels.minimal").Minimal(grids, order, cells, fewest)
    if stopped := ran(kernel, demand.left()):
        raise StoppedError(stopped)
    return iter(grids.reshape(-1, 9, 9))


def _draws(demand: Demand) -> Iterator[Draw]:
    """Draws for puzzles of any layout, one by one: the seed of the search, the fewest givens, the order of orbits."""
    while True:
        seed = int(demand.random.integers(2**31))
        fewest = int(demand.fewest(1)[0])
        yield seed, fewest, demand.random.permutation(len(demand.orbits)).tolist()


def _any(demand: Demand, draw: Draw) -> Iterator[Grid]:
    """A puzzle of any layout by `dlx`."""
    seed, fewest, order = draw
    asking = Asking(demand.layout, demand.left())
    grid = asking.random(seed)
    for k in order:
        demand.tries.left = int(np.count_nonzero(grid))
        _take(asking, grid, demand.orbits[k], fewest)
    yield grid


def _pattern(pattern: GridLike, wanted: Wanted, layout: Layout) -> npt.NDArray[np.intp]:
    """The cells of a pattern, shape (givens, 2)."""
    if wanted.get("givens") is not None or wanted.get("symmetry", "none") != "none":
        raise ValueError("a pattern says which cells have givens: it takes neither givens nor a symmetry")
    if isinstance(pattern, (list, tuple, np.ndarray)):
        with suppress(ValueError):  # rows of several lengths, of which as_puzzle tells
            table = np.asarray(pattern)
            pattern = table.astype(np.uint8) if table.dtype.kind == "b" else pattern
    grid = read_pattern(pattern, layout) if isinstance(pattern, str) else as_puzzle(pattern, layout).grid
    if (number := np.count_nonzero(grid)) < (least := _fewest(layout)):
        signs = "in a text of one sign for each cell . and 0 are blanks, and all others mark givens"
        raise ValueError(f"no puzzle has {number} givens, as the pattern: {least} are the fewest; {signs}")
    if pair := exchangeable(grid, layout):
        raise ValueError(f"no puzzle has this pattern: {pair} have no givens, and could be exchanged")
    return np.argwhere(grid)


def read_pattern(text: str, layout: Layout) -> Grid:
    """Reads a pattern: a sign for each cell, of which . and 0 are blanks; or any other form of grids."""
    signs = "".join(text.split())
    if len(signs) != layout.shape[0] * layout.shape[1]:
        return as_puzzle(text, layout).grid
    return np.array([sign not in ".0" for sign in signs], dtype=np.uint8).reshape(layout.shape)


def _patterned(demand: Demand, draw: Draw) -> Iterator[Grid]:
    """Yields a puzzle with givens in the pattern, by coordinate descent; it may have several completions."""
    assert demand.pattern is not None
    asking = Asking(demand.layout, demand.left())
    completion = asking.random(draw[0])
    cells = np.random.default_rng(draw[0]).permutation(demand.pattern).tolist()
    grid, left, stale = np.zeros_like(completion), SAMPLE, 0
    for r, c in cells:
        grid[r, c] = completion[r, c]
    while left > 1 and stale < len(cells):
        for r, c in cells:
            grid[r, c], before = 0, grid[r, c]
            digits, numbers = np.unique([one[r, c] for one in asking.some(grid, SAMPLE)], return_counts=True)
            grid[r, c] = digits[numbers.argmin()]
            stale = 0 if grid[r, c] != before else stale + 1
            left = SAMPLE if numbers.sum() == SAMPLE else int(numbers.min())
            if left == 1 or stale == len(cells):
                break
    yield grid


def _take(asking: Asking, grid: Grid, orbit: list[tuple[int, int]], fewest: int) -> None:
    """Takes the cells of an orbit away if the completion remains the only one."""
    if np.count_nonzero(grid) - len(orbit) < fewest:
        return
    if len(orbit) == 1:
        if is_redundant(asking, grid, *orbit[0]):
            grid[orbit[0]] = 0
        return
    rows, columns = np.array(orbit).T
    before = grid[rows, columns]
    grid[rows, columns] = 0
    if not asking.has_one(grid):
        grid[rows, columns] = before
