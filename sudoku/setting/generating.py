"""Random puzzles: complete grids without the givens that are not needed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from itertools import combinations, islice
from typing import Literal, TypedDict, Unpack, get_args

import numpy as np
import numpy.typing as npt

from dlx.extending import StoppedError
from sudoku.formats.conversion import GridLike, as_puzzle
from sudoku.grid import Grid, GridError, frozen
from sudoku.layout import Box, Layout, as_layout
from sudoku.setting.minimising import generator, redundant_givens, remove
from sudoku.setting.random_grids import RandomGrids
from sudoku.setting.rating import DIFFICULTIES, least_points, rating_of
from sudoku.setting.reasoning import MOST, Steps, steps
from sudoku.setting.searches import Searches
from sudoku.setting.techniques import technique

Grids = npt.NDArray[np.uint8]
Range = tuple[int, int]

TRIES = 10_000  # puzzles of plain sudoku, about a second
FEW_TRIES = 1_000  # puzzles of other layouts, some milliseconds each
SAMPLE = 500  # completions among which the new digit of a given is chosen
BLOCK = 256  # puzzles made together, in 0.03 s
PATTERN = "a pattern has a sign for each cell: . or 0 for a blank, any other sign for a given"

Symmetry = Literal["none", "half-turn", "quarter-turn", "left-right", "up-down", "diagonal", "antidiagonal", "full"]

SYMMETRIES: tuple[Symmetry, ...] = get_args(Symmetry)

# The images of a grid, and of the transposed grid, under each symmetry: the numbers of quarter turns to the left.
TURNS: dict[Symmetry, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "none": ((0,), ()),
    "half-turn": ((0, 2), ()),
    "quarter-turn": ((0, 1, 2, 3), ()),
    "left-right": ((0,), (3,)),
    "up-down": ((0,), (1,)),
    "diagonal": ((0,), (0,)),
    "antidiagonal": ((0,), (2,)),
    "full": ((0, 1, 2, 3), (0, 1, 2, 3)),
}

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
    sudoku.setting.generating.NoPuzzleError: none of 100 puzzles fits: they have 22 to 27 givens
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
    return demand.select(_made(demand) if demand.pattern is None else _patterned(demand))


class Demand:
    """The checked parameters of `generate`, and the unwanted puzzles since the last wanted one.

    Attributes:
        tried: the number of givens of each unwanted puzzle.
        rated: the points of those that have the wanted givens.
    """

    def __init__(self, layout: Layout, wanted: Wanted, report: Report | None) -> None:
        if unknown := wanted.keys() - Wanted.__annotations__.keys():
            known = f"it has layout, as layout=(2, 2), {', '.join(Wanted.__annotations__)}"
            raise TypeError(f"generate has no parameter {min(unknown)!r}; {known}")
        self.layout, pattern = layout, wanted.get("pattern")
        self.givens = _range("givens", wanted.get("givens"), len(layout.cells()))
        if self.givens and self.givens[1] < (least := _fewest(layout)):
            raise ValueError(f"no puzzle has {self.givens[1]} givens: {least} are the fewest")
        tries = _range("tries", wanted.get("tries"))
        self.tries = tries[0] if tries else TRIES if layout.is_plain else FEW_TRIES
        self.tried: list[int] = []
        self.rated: list[int] = []
        self.random = generator(wanted.get("seed"))
        symmetry = wanted.get("symmetry", "none")
        self.orbits = orbits(layout, symmetry)  # cells that become blank together
        name = wanted.get("technique")
        self.technique = None if name is None else technique(name, layout)
        self.rating = _rating(wanted.get("rating"), self.technique)
        self.minimal = bool(wanted.get("minimal", False))
        self.pattern = None if pattern is None else _pattern(pattern, wanted, layout)
        self.tests_minimality = self.minimal and (symmetry != "none" or pattern is not None)
        progress = None if report is None else lambda _: report(self.so_far)
        self.searches = Searches(layout, {"timeout": wanted.get("timeout"), "progress": progress})

    def so_far(self) -> str:
        """Describes the progress."""
        return f"{len(self.tried):,} of {self.tries:,} tries{self.found()}"

    def found(self) -> str:
        """Describes the unwanted puzzles."""
        text = f": they have {min(self.tried)} to {max(self.tried)} givens" if self.tried else ""
        return f"{text}; {len(self.rated)} were reasoned about, up to {max(self.rated)} points" if self.rated else text

    def fewest(self, number: int) -> npt.NDArray[np.int32]:
        """Draws the least number of givens of each puzzle from the wanted range."""
        least, most = (0, 0) if self.givens is None or self.minimal else self.givens
        if least == most:
            return np.full(number, least, dtype=np.int32)
        return self.random.integers(least, most, number, dtype=np.int32, endpoint=True)

    def fits(self, puzzle: Grid) -> bool:
        """Returns whether a puzzle has the wanted givens and steps, and one completion."""
        least, most = self.givens or (0, puzzle.size)
        if not least <= np.count_nonzero(puzzle) <= most:
            return False
        if self.pattern is not None and not self.searches.has_one(puzzle):
            return False
        if self.tests_minimality and redundant_givens(self.searches, puzzle).any():
            return False
        return (self.rating is None and self.technique is None) or self.has_steps(puzzle)

    def has_steps(self, puzzle: Grid) -> bool:
        """Returns whether a puzzle is solved by steps with the wanted points, the wanted technique among them."""
        least, most = self.rating or (0, MOST)
        limits = self.searches.limits()
        found = rating_of(Steps(as_puzzle(puzzle, self.layout), min(most, MOST), **limits))
        if found.stopped:
            raise StoppedError(found.stopped)
        self.rated.append(found.hardest)
        if not found.solved or not least <= found.hardest <= most:
            return False
        if self.technique is None:
            return True
        names = {self.technique} | ({"pointing", "claiming"} if self.technique == "locked candidates" else set())
        return any(step.name in names for step in steps(puzzle, self.layout, **limits))

    def select(self, puzzles: Iterable[Grid]) -> Generator[Grid, None, None]:
        """Yields the wanted puzzles; raises NoPuzzleError or TimeoutError."""
        try:
            for puzzle in puzzles:
                if self.fits(puzzle):
                    self.tried.clear()
                    self.rated.clear()
                    yield frozen(puzzle)
                    continue
                self.tried.append(int(np.count_nonzero(puzzle)))
                if len(self.tried) >= self.tries:
                    raise NoPuzzleError(f"none of {len(self.tried)} puzzles fits{self.found()}")
        except StoppedError as error:
            if error.stopped == "interrupt":
                raise error.raised() from None
            none = f": none of {len(self.tried)} puzzles{self.found()}" if self.tried else ""
            raise TimeoutError(f"{error.raised()}{none}") from None


def _fewest(layout: Layout) -> int:
    """Returns the least number of givens that a puzzle can have, as far as it is known.

    It is 17 for 3 x 3 (G. McGuire, B. Tugemann, G. Civario, doi:10.1080/10586458.2013.870056), and 4 for 2 x 2 (by
    trying all sets of three cells in 288 grids). If all rules are regions, two digits without a given can be exchanged.
    """
    if layout in (as_layout((2, 2)), as_layout((3, 3))):
        return 4 if layout.size == 4 else 17
    return 0 if layout.constraints else layout.size - 1


def _rating(value: int | Range | str | None, technique: str | None) -> Range | None:
    """Returns the range of points; refuses what a technique makes impossible."""
    if isinstance(value, str) and value not in DIFFICULTIES:
        raise ValueError(f"rating is {value!r:.40}; it must be {', '.join(DIFFICULTIES)}, or points from 1 to {MOST}")
    rating = DIFFICULTIES[value] if isinstance(value, str) else _range("rating", value)
    least = 1 if technique is None else least_points(technique)
    if rating and (rating[1] < least or rating[0] > MOST):
        wish = "-".join(map(str, dict.fromkeys(rating)))
        with_it = f" with a step {technique!r}" if technique else ""
        raise ValueError(f"the rating {wish} is impossible{with_it}: the hardest step has {least} to {MOST} points")
    return rating


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


def exchangeable(grid: Grid, layout: Layout) -> str:
    """Returns two rows or columns without givens that can be exchanged, as "rows 3 and 4"; "" if there are none.

    The exchange maps regions to regions, and all rules are regions, so no puzzle has one completion.

    >>> exchangeable(np.array([[1, 2, 3, 4], [3, 4, 1, 2], [0, 0, 0, 0], [0, 0, 0, 0]], np.uint8), Layout.boxes(2, 2))
    'rows 3 and 4'
    """
    if layout.constraints:
        return ""
    regions = np.zeros((len(layout.regions), *layout.shape), dtype=np.bool_)
    for k, region in enumerate(layout.regions):
        regions[(k, *np.array([*region.cells]).T)] = True
    for name, lines, masks in (("rows", grid, regions), ("columns", grid.T, regions.transpose(0, 2, 1))):
        known = {mask.tobytes() for mask in masks}
        for one, other in combinations(np.flatnonzero(~lines.any(axis=1)).tolist(), 2):
            exchanged = masks.copy()
            exchanged[:, [one, other]] = masks[:, [other, one]]
            if {mask.tobytes() for mask in exchanged} == known:
                return f"{name} {one + 1} and {other + 1}"
    return ""


def _made(demand: Demand) -> Iterator[Grid]:
    """Yields puzzles: complete grids without the orbits of givens that are redundant in their turn."""
    random, searches, layout = demand.random, demand.searches, demand.layout
    complete = RandomGrids(int(random.integers(2**64, dtype=np.uint64))) if layout.is_plain else None
    orbits, size = demand.orbits, 1
    while True:
        grids = complete.draw(size).reshape(-1, 9, 9) if complete else searches.random(_seed(random))[None]
        fewest, order = demand.fewest(size), np.arange(len(orbits), dtype=np.int32)
        turns = random.permuted(np.tile(order, (size, 1)), axis=1)
        remove(searches, grids, orbits, turns, fewest)
        yield from grids
        size = min(2 * size, BLOCK) if complete else 1


def orbits(layout: Layout, symmetry: Symmetry) -> npt.NDArray[np.int32]:
    """Returns the orbits of cells under a symmetry about their centre, as `remove` takes them; ValueError.

    >>> orbits(Layout.boxes(1, 2), "diagonal").tolist()
    [[0, -1], [1, 2], [3, -1]]
    """
    if symmetry not in TURNS:
        raise ValueError(f"the symmetry {symmetry!r} is none of {', '.join(SYMMETRIES)}")
    mask, (turns, transposed) = layout.mask(), TURNS[symmetry]
    cells = np.where(mask, np.arange(mask.size).reshape(mask.shape), -1).astype(np.int32)
    images = [np.rot90(cells, k) for k in turns] + [np.rot90(cells.T, k) for k in transposed]
    if not all(np.array_equal(image >= 0, mask) for image in images):
        raise ValueError(f"the symmetry {symmetry!r} moves a cell out of the layout")
    found: npt.NDArray[np.int32] = np.sort(np.stack(images, axis=2)[mask], axis=1)
    found = found[found[:, 0] == cells[mask]]  # of each orbit, the row of its first cell
    found[:, 1:][found[:, 1:] == found[:, :-1]] = -1
    return found


def _patterned(demand: Demand) -> Iterator[Grid]:
    """Yields puzzles with givens in the pattern, by coordinate descent; they may have several completions."""
    assert demand.pattern is not None
    while True:
        seed = _seed(demand.random)
        completion = demand.searches.random(seed)
        cells = np.random.default_rng(seed).permutation(demand.pattern).tolist()
        grid, completions, unchanged = np.zeros_like(completion), SAMPLE, 0
        for r, c in cells:
            grid[r, c] = completion[r, c]
        while completions > 1 and unchanged < len(cells):
            for r, c in cells:
                grid[r, c], before = 0, grid[r, c]
                found = [one[r, c] for one in demand.searches.some(grid, SAMPLE)]
                digits, numbers = np.unique(found, return_counts=True)
                grid[r, c] = digits[numbers.argmin()]
                unchanged = 0 if grid[r, c] != before else unchanged + 1
                completions = SAMPLE if numbers.sum() == SAMPLE else int(numbers.min())
                if completions == 1 or unchanged == len(cells):
                    break
        yield grid


def _seed(random: np.random.Generator) -> int:
    """Draws the seed of a search."""
    return int(random.integers(2**31))
