"""Random puzzles: complete grids without the givens that are not needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import StoppedError, compiled_module
from sudoku.formats.conversion import GridLike, as_puzzle
from sudoku.grid import Grid, GridError, frozen
from sudoku.layout import Box, Layout, as_layout
from sudoku.setting.minimising import generator, is_redundant, redundant_givens
from sudoku.setting.queries import Searches, ran
from sudoku.setting.random_grids import RandomGrids
from sudoku.setting.rating import DIFFICULTIES, WantedSteps
from sudoku.setting.reasoning import MOST
from sudoku.setting.symmetry import Symmetry, exchangeable, orbits

Grids = npt.NDArray[np.uint8]
Cells = npt.NDArray[np.int32]
Range = tuple[int, int]

TRIES = 10_000  # puzzles of plain sudoku, about a second
FEW_TRIES = 1_000  # puzzles of other layouts, some milliseconds each
SAMPLE = 500  # completions among which the new digit of a given is chosen
BLOCK = 256  # puzzles made together, in 0.03 s
PATTERN = "a pattern has a sign for each cell: . or 0 for a blank, any other sign for a given"

Report = Callable[[Callable[[], str]], object]  # called now and then with a function that describes the progress


class NoPuzzleError(RuntimeError):
    """Raised if no puzzle tried was as wanted."""


class Wanted(TypedDict, total=False):
    """The parameters of `generate`, without the layout."""

    givens: int | Range | None
    symmetry: Symmetry
    minimal: bool
    rating: int | Range | str | None
    technique: str | None
    pattern: GridLike | None
    seed: int | None
    tries: int | None
    timeout: float | None


def generate(layout: Box | Layout | None = None, **wanted: Unpack[Wanted]) -> Grid:
    """Makes a random puzzle with one completion.

    A complete grid is drawn at random. Givens are removed in random order while the completion stays unique. In plain
    sudoku each of the 6.67e21 complete grids is equally likely, but the puzzles are not: those with few givens come
    too often. Minimal puzzles have 24.4 givens on average here, and 26.6 among all that exist (estimated by
    D. Berthier, Unbiased statistics of a CSP, 2009). For other layouts a randomised search draws the complete grid:
    every grid can come, with unknown probabilities.

    Parameters:
        layout: the rows and columns of a box, or a `Layout`; default: 3 x 3.
        givens: the number of givens, or its least and most; default: as few as the removal leads to.
        symmetry: of the pattern of givens: "none" (default), "half-turn", "quarter-turn", "left-right", "up-down",
            "diagonal", "antidiagonal", or "full" for all of these. The rules need not have it.
        minimal: whether each given must be needed. Without symmetry and `givens` each always is.
        rating: the points of the hardest step (`rate`): a number, the least and the most, or "easy" (1 to 3, singles
            alone), "medium" (4 to 6), "hard" (7 to 9) or "expert" (10 to 27). The steps solve the puzzle.
        technique: the name of a step that the puzzle needs, as "X-wing", in any spelling; "3 truths in 4 links"; or
            the kind of a rule of the layout, as "cage". No easier step is available where it is taken.
        pattern: the cells that have givens: a text with a sign for each cell, where . and 0 mean a blank; a grid in
            any other form of `as_grid`; or a table of truth values. Givens of a complete grid are changed one at a
            time, each to the digit that leaves the fewest completions. It excludes `givens` and `symmetry`.
        seed: a whole number from 0, for the same puzzle each time; default: another puzzle each time.
        tries: the number of unwanted puzzles after which to give up; default: 10,000 for plain sudoku, 1,000 for other
            layouts.
        timeout: the most time, in seconds.

    Returns:
        A read-only uint8 array of the shape of the layout.

    Raises:
        NoPuzzleError: no puzzle tried was as wanted; the message describes those puzzles.
        ValueError: a number, range or name is wrong; the puzzle cannot exist, because it has too few givens (4 for
            boxes of 2 x 2, 17 for 3 x 3, and n - 1 where digits can be exchanged), or the pattern has two
            exchangeable rows or columns without givens; the rating is impossible with this technique; the symmetry
            moves a cell out of the layout; or the layout has no completion.
        TimeoutError: the timeout came first; the message describes the puzzles tried.
        KeyboardInterrupt: Ctrl-C came first.

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
    """Makes random puzzles with one completion each.

    Parameters:
        number: the number of puzzles, from 0.
        layout, wanted: as for `generate`. With the same seed, a smaller number gives the same first puzzles.

    Returns:
        A uint8 array of shape (number, rows, columns).

    Raises: as `generate`.

    >>> generate_many(2, (2, 2), seed=1).shape
    (2, 4, 4)
    """
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
        raise ValueError(f"the number {number!r} of puzzles is not a whole number from 0")
    layout = as_layout(layout)
    with closing(puzzles(layout, wanted)) as made:
        found = list(islice(made, number))
    return np.array(found, dtype=np.uint8).reshape(number, *layout.shape)


def puzzles(layout: Layout, wanted: Wanted, report: Report | None = None) -> Generator[Grid, None, None]:
    """Yields puzzles without end, as `generate` makes them, and calls `report` with the progress."""
    demand = Demand(layout, wanted, report)
    if demand.pattern is not None:
        return demand.select(_patterned(demand))
    return demand.select(_plain(demand) if layout.is_plain else _any(demand))


@dataclass(slots=True)
class Tries:
    """The unwanted puzzles since the last wanted one."""

    most: int
    givens: Counter[int] = field(default_factory=Counter)
    points: Counter[int] = field(default_factory=Counter)  # puzzles with the wanted givens, by points

    def found(self) -> str:
        """Describes the puzzles."""
        if not self.givens:
            return ""
        text = f": they have {min(self.givens)} to {max(self.givens)} givens"
        if self.points:
            text = f"{text}; {self.points.total()} were reasoned about, up to {max(self.points)} points"
        return text

    def __str__(self) -> str:
        return f"{self.givens.total():,} of {self.most:,} tries{self.found()}"


class Demand:
    """The checked parameters of `generate`."""

    def __init__(self, layout: Layout, wanted: Wanted, report: Report | None) -> None:
        if unknown := wanted.keys() - Wanted.__annotations__.keys():
            known = f"it has layout, as layout=(2, 2), {', '.join(Wanted.__annotations__)}"
            raise TypeError(f"generate has no parameter {min(unknown)!r}; {known}")
        self.layout = layout
        cells, symmetry = self.layout.cells(), wanted.get("symmetry", "none")
        self.givens = _range("givens", wanted.get("givens"), len(cells))
        if self.givens and self.givens[1] < (least := _fewest(self.layout)):
            raise ValueError(f"no puzzle has {self.givens[1]} givens: {least} are the fewest")
        tries = _range("tries", wanted.get("tries"))
        self.tries = Tries(tries[0] if tries else TRIES if self.layout.is_plain else FEW_TRIES)
        self.random = generator(wanted.get("seed"))
        self.orbits = orbits(cells, symmetry)  # cells that become blank together
        rating = _rating(wanted.get("rating"))
        self.steps = WantedSteps.of(rating, wanted.get("technique"), self.layout)
        self.minimal = bool(wanted.get("minimal", False))
        pattern = wanted.get("pattern")
        self.pattern = None if pattern is None else _pattern(pattern, wanted, self.layout)
        self.tests_minimality = self.minimal and (symmetry != "none" or pattern is not None)
        progress = None if report is None else lambda _: report(self.tries.__str__)
        self.searches = Searches(layout, {"timeout": wanted.get("timeout"), "progress": progress})

    def is_proper(self, grid: Grid) -> bool:
        """Returns whether a puzzle has one completion, and is minimal if that is wanted."""
        if not self.tests_minimality and self.pattern is None:
            return True
        if not self.searches.has_one(grid):
            return False
        return not (self.tests_minimality and any(redundant_givens(self.searches, grid)))

    def fewest(self, number: int) -> npt.NDArray[np.int32]:
        """Draws the least number of givens of each puzzle from the wanted range."""
        least, most = (0, 0) if self.givens is None or self.minimal else self.givens
        if least == most:
            return np.full(number, least, dtype=np.int32)
        return self.random.integers(least, most, number, dtype=np.int32, endpoint=True)

    def draw(self) -> tuple[int, int, list[int]]:
        """Draws for a puzzle of any layout: the seed of the search, the least givens, the order of orbits."""
        seed = int(self.random.integers(2**31))
        return seed, int(self.fewest(1)[0]), self.random.permutation(len(self.orbits)).tolist()

    def fits(self, puzzle: Grid) -> bool:
        """Returns whether a puzzle is as wanted, and counts it."""
        givens, (least, most) = int(np.count_nonzero(puzzle)), self.givens or (0, puzzle.size)
        fits = least <= givens <= most and self.is_proper(puzzle)
        if self.steps and fits:
            fits, points = self.steps.fits(as_puzzle(puzzle, self.layout), **self.searches.limits())
            self.tries.points[points] += 1
        self.tries.givens[givens] += 1
        return fits

    def select(self, puzzles: Iterable[Grid]) -> Generator[Grid, None, None]:
        """Yields the wanted puzzles; raises NoPuzzleError or TimeoutError."""
        tries = self.tries
        try:
            for puzzle in puzzles:
                if self.fits(puzzle):
                    tries.givens.clear()
                    tries.points.clear()
                    yield frozen(puzzle)
                elif tries.givens.total() >= tries.most:
                    raise NoPuzzleError(f"none of {tries.givens.total()} puzzles is what is wanted{tries.found()}")
        except StoppedError as error:
            if error.stopped == "interrupt":
                raise error.raised() from None
            none = f": none of {tries.givens.total()} puzzles{tries.found()}" if tries.givens else ""
            raise TimeoutError(f"{error.raised()}{none}") from None


def _fewest(layout: Layout) -> int:
    """Returns the least number of givens that a puzzle can have, as far as it is known.

    It is 17 for 3 x 3 (G. McGuire, B. Tugemann, G. Civario, doi:10.1080/10586458.2013.870056), and 4 for 2 x 2 (by
    trying all sets of three cells in 288 grids). If all rules are regions, two digits without a given can be exchanged.
    """
    if layout in (as_layout((2, 2)), as_layout((3, 3))):
        return 4 if layout.size == 4 else 17
    return 0 if layout.lines or layout.sums else layout.size - 1


def _rating(value: int | Range | str | None) -> Range | None:
    if not isinstance(value, str):
        return _range("rating", value)
    if value not in DIFFICULTIES:
        raise ValueError(f"rating is {value!r:.40}; it must be {', '.join(DIFFICULTIES)}, or points from 1 to {MOST}")
    return DIFFICULTIES[value]


def _range(name: str, value: int | Range | None, most: int | None = None) -> Range | None:
    """Returns a number, or the least and the most, as a range."""
    if value is None:
        return None
    pair = value if isinstance(value, tuple) else (value, value)
    whole = all(isinstance(end, (int, np.integer)) and not isinstance(end, bool) for end in pair)
    if len(pair) != 2 or not whole or not 0 <= pair[0] <= pair[1]:
        raise ValueError(f"{name} is {value!r}; it must be a whole number from 0, or two of them, the lesser one first")
    if most is not None and pair[0] > most:
        raise ValueError(f"{name} is {value!r}; there are {most} cells")
    return int(pair[0]), int(pair[1])


def _plain(demand: Demand) -> Iterator[Grid]:
    """Yields puzzles of plain sudoku, made in blocks."""
    complete = RandomGrids(int(demand.random.integers(2**64, dtype=np.uint64)))
    cells = np.full((len(demand.orbits), max(map(len, demand.orbits))), -1, dtype=np.int32)
    for k, orbit in enumerate(demand.orbits):
        cells[k, : len(orbit)] = [9 * r + c for r, c in orbit]
    size = 1
    while True:
        grids = complete.draw(size)
        fewest = demand.fewest(size)
        order = demand.random.permuted(np.tile(np.arange(len(cells), dtype=np.int32), (size, 1)), axis=1)
        kernel = compiled_module("sudoku.kernels.minimal").Minimal(grids, order, cells, fewest)
        if stopped := ran(kernel, demand.searches.limits()):
            raise StoppedError(stopped)
        yield from grids.reshape(-1, 9, 9)
        size = min(2 * size, BLOCK)


def _any(demand: Demand) -> Iterator[Grid]:
    """Yields puzzles of any layout."""
    while True:
        seed, fewest, order = demand.draw()
        searches = demand.searches
        grid = searches.random(seed)
        for k in order:
            _remove(searches, grid, demand.orbits[k], fewest)
        yield grid


def _pattern(pattern: GridLike, wanted: Wanted, layout: Layout) -> npt.NDArray[np.intp]:
    """Returns the cells of a pattern, shape (givens, 2)."""
    if wanted.get("givens") is not None or wanted.get("symmetry", "none") != "none":
        raise ValueError("a pattern says which cells have givens: it takes neither givens nor a symmetry")
    if isinstance(pattern, (list, tuple, np.ndarray)):
        with suppress(ValueError):  # rows of different lengths, which as_puzzle refuses
            table = np.asarray(pattern)
            pattern = table.astype(np.uint8) if table.dtype.kind == "b" else pattern
    grid = read_pattern(pattern, layout) if isinstance(pattern, str) else as_puzzle(pattern, layout).grid
    if (number := np.count_nonzero(grid)) < (least := _fewest(layout)):
        raise ValueError(f"the pattern has {number} givens, but a puzzle needs at least {least}; {PATTERN}")
    if pair := exchangeable(grid, layout):
        raise ValueError(f"no puzzle has this pattern: {pair} have no givens, and could be exchanged")
    return np.argwhere(grid)


def read_pattern(text: str, layout: Layout) -> Grid:
    """Reads a pattern: a sign for each cell, where . and 0 mean a blank; or any other form of a grid."""
    signs = "".join(text.split())
    if len(signs) != layout.shape[0] * layout.shape[1]:
        try:
            return as_puzzle(text, layout).grid
        except GridError as error:
            raise GridError(error.file, error.line, f"{error.reason}; {PATTERN}") from None
    return np.array([sign not in ".0" for sign in signs], dtype=np.uint8).reshape(layout.shape)


def _patterned(demand: Demand) -> Iterator[Grid]:
    """Yields puzzles with givens in the pattern, by coordinate descent; they may have several completions."""
    assert demand.pattern is not None
    while True:
        seed, *_ = demand.draw()
        searches = demand.searches
        completion = searches.random(seed)
        cells = np.random.default_rng(seed).permutation(demand.pattern).tolist()
        grid, completions, unchanged = np.zeros_like(completion), SAMPLE, 0
        for r, c in cells:
            grid[r, c] = completion[r, c]
        while completions > 1 and unchanged < len(cells):
            for r, c in cells:
                grid[r, c], before = 0, grid[r, c]
                digits, numbers = np.unique([one[r, c] for one in searches.some(grid, SAMPLE)], return_counts=True)
                grid[r, c] = digits[numbers.argmin()]
                unchanged = 0 if grid[r, c] != before else unchanged + 1
                completions = SAMPLE if numbers.sum() == SAMPLE else int(numbers.min())
                if completions == 1 or unchanged == len(cells):
                    break
        yield grid


def _remove(searches: Searches, grid: Grid, orbit: list[tuple[int, int]], fewest: int) -> None:
    """Makes the cells of an orbit blank if the completion stays unique."""
    if np.count_nonzero(grid) - len(orbit) < fewest:
        return
    if len(orbit) == 1:
        if is_redundant(searches, grid, *orbit[0]):
            grid[orbit[0]] = 0
        return
    rows, columns = np.array(orbit).T
    before = grid[rows, columns]
    grid[rows, columns] = 0
    if not searches.has_one(grid):
        grid[rows, columns] = before
