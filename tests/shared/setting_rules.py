"""The rules of setters by name, in plain Python, and random layouts that have some of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice, pairwise

import numpy as np
import numpy.typing as npt
from small_squares import four_by_four

import dlx
import sudoku
from sudoku import Layout

Grids = npt.NDArray[np.uint8]
Digits = Sequence[int]
Cell = tuple[int, int]
Rule = Callable[[dict[Cell, int]], bool]


def visible(digits: Digits) -> int:
    """The number of digits that are larger than all before them."""
    return sum(all(other < one for other in digits[:k]) for k, one in enumerate(digits))


def consecutive(digits: Digits) -> bool:
    return sorted(digits) == list(range(min(digits), min(digits) + len(digits)))


PAIRS: dict[str, Callable[[int, int], bool]] = {
    "difference-2": lambda a, b: a - b in (2, -2),
    "ratio-3": lambda a, b: (a, b) in {(1, 3), (3, 1), (2, 6), (6, 2)},
    "total-6": lambda a, b: a + b == 6,
    "whisper-2": lambda a, b: not -2 < a - b < 2,
    "white-dot": lambda a, b: a - b in (1, -1),
    "black-dot": lambda a, b: (a, b) in {(1, 2), (2, 1), (2, 4), (4, 2), (3, 6), (6, 3)},
    "V": lambda a, b: a + b == 5,
    "X": lambda a, b: a + b == 10,
    "non-consecutive": lambda a, b: a - b not in (1, -1),
}
WHOLE: dict[str, Callable[[Digits], bool]] = {
    "thermometer": lambda digits: all(a < b for a, b in pairwise(digits)),
    "slow-thermometer": lambda digits: all(a <= b for a, b in pairwise(digits)),
    "whisper": lambda digits: all(abs(a - b) >= 5 for a, b in pairwise(digits)),
    "palindrome": lambda digits: list(digits) == list(reversed(digits)),
    "renban": consecutive,
    "clone": lambda digits: digits[: len(digits) // 2] == digits[len(digits) // 2 :],
    "between": lambda digits: all(digits[0] < d < digits[-1] or digits[-1] < d < digits[0] for d in digits[1:-1]),
    "odd": lambda digits: all(d in (1, 3, 5) for d in digits),
    "even": lambda digits: all(d in (2, 4, 6) for d in digits),
    "minimum": lambda digits: all(d > digits[0] for d in digits[1:]),
    "maximum": lambda digits: all(d < digits[0] for d in digits[1:]),
}
OTHERS = ("region-sum", "x-sum", "skyscraper", "sandwich", "pill", "quadruple", "negative", "region")
SUMS = ("cage", "little-killer", "arrow")


def drawn(rng: random.Random, layout: Layout) -> tuple[Layout, Rule, str]:
    """Adds a random rule to a layout; returns the layout, the rule, and what it is called."""
    n = layout.size
    kind = rng.choice([*PAIRS, *WHOLE, *OTHERS, *SUMS])
    cells = path(rng, n, rng.randint(3, 4))
    if kind == "region":
        return layout.with_regions("extra", cells), lambda grid: len({grid[c] for c in cells}) == len(cells), kind
    if kind in SUMS:
        return (*summed(rng, layout, kind, cells), kind)
    if kind in PAIRS:
        pair = cells[:2]
        return layout.with_lines(kind, pair), lambda grid: PAIRS[kind](grid[pair[0]], grid[pair[1]]), kind
    if kind in WHOLE:
        line = rng.sample(path(rng, n, 6), 4) if kind == "clone" else cells
        return layout.with_lines(kind, line), lambda grid: WHOLE[kind]([grid[cell] for cell in line]), kind
    if kind == "region-sum":
        return layout.with_lines(kind, cells), lambda grid: len(set(sums(layout, cells, grid))) == 1, kind
    if kind == "negative":
        return (*negative(rng, layout), kind)
    if kind in ("x-sum", "skyscraper", "sandwich"):
        k, turn, down = rng.randrange(n), rng.choice((1, -1)), rng.random() < 0.5
        line = [(k, j) if down else (j, k) for j in range(n)][::turn]
        seen = {"x-sum": first_sum, "skyscraper": visible, "sandwich": sandwiched}[kind]
        total = rng.randint(1, n * (n + 1) // 2) if kind == "x-sum" else rng.randint(0, n)
        return layout.with_sums(kind, (total, line)), lambda grid: seen([grid[c] for c in line]) == total, kind
    if kind == "pill":
        (one, two), line = sorted(cells[:2]), cells[2:] + [cell for cell in path(rng, n, 2) if cell not in cells]
        return (
            layout.with_sums(kind, ((one, two), line)),
            lambda grid: 10 * grid[one] + grid[two] == sum(grid[cell] for cell in line),
            kind,
        )
    r, c = rng.randrange(n - 1), rng.randrange(n - 1)
    square = [(r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)]
    digits = tuple(rng.choices(range(1, n + 1), k=rng.randint(1, 4)))
    has = lambda grid: all([grid[x] for x in square].count(d) >= digits.count(d) for d in digits)  # noqa: E731
    return layout.with_sums(kind, (digits, square)), has, kind


def summed(rng: random.Random, layout: Layout, kind: str, cells: Sequence[Cell]) -> tuple[Layout, Rule]:
    """A cage, a little killer or an arrow."""
    if kind == "arrow":
        circle, *line = cells
        return layout.with_sums(kind, (circle, line)), lambda grid: grid[circle] == sum(grid[c] for c in line)
    total = rng.randint(len(cells), 3 * layout.size)
    is_cage = kind == "cage"
    distinct: Rule = lambda grid: not is_cage or len({grid[c] for c in cells}) == len(cells)  # noqa: E731
    return layout.with_sums(kind, (total, cells)), lambda grid: sum(grid[c] for c in cells) == total and distinct(grid)


def sandwiched(digits: Digits) -> int:
    """The sum of the digits between the smallest and the largest one."""
    first, last = sorted((digits.index(1), digits.index(len(digits))))
    return sum(digits[first + 1 : last])


def first_sum(digits: Digits) -> int:
    return sum(digits[: digits[0]])


def sums(layout: Layout, cells: Sequence[Cell], grid: dict[Cell, int]) -> list[int]:
    """The sums of a line in the boxes that it comes through."""
    box = {cell: k for k, region in enumerate(layout.regions) if region.kind == "box" for cell in region.cells}
    found = [grid[cells[0]]]
    for before, cell in pairwise(cells):
        if box[before] == box[cell]:
            found[-1] += grid[cell]
        else:
            found.append(grid[cell])
    return found


def negative(rng: random.Random, layout: Layout) -> tuple[Layout, Rule]:
    """A mark, if none is there, and nothing of the kind between other neighbours."""
    kind = rng.choice([kind for kind in ("white-dot", "black-dot", "V") if f"no-{kind}" not in layout.kinds()] or ["X"])
    letters = kind in ("V", "X")
    marks = ("V", "X", "total-6") if letters else ("white-dot", "black-dot", "difference-2", "ratio-3")
    marked = [set(pair) for line in layout.lines if line.kind in marks for pair in pairwise(line.cells)]
    n = layout.size
    pairs = [((r, c), (r + dr, c + dc)) for r in range(n) for c in range(n) for dr, dc in ((0, 1), (1, 0))]
    pairs = [(a, b) for a, b in pairs if max(b) < n and {a, b} not in marked]
    return layout.with_negative(kind), lambda grid: not any(PAIRS[kind](grid[a], grid[b]) for a, b in pairs)


def path(rng: random.Random, n: int, length: int) -> list[Cell]:
    """Cells that touch each other one after the other, none twice."""
    cells = [(rng.randrange(n), rng.randrange(n))]
    while len(cells) < length:
        r, c = cells[-1]
        beside = [(r + dr, c + dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1)]
        free = [cell for cell in beside if 0 <= min(cell) <= max(cell) < n and cell not in cells]
        if not free:
            return path(rng, n, length)
        cells.append(rng.choice(free))
    return cells


@cache
def six_by_six() -> Grids:
    """Grids of 6 x 6 with a given first row and two more givens, by Algorithm X on the plain rules."""
    problem = sudoku.encode("123456" + "4.6..." + 24 * ".", (2, 3))
    return np.concatenate([sudoku.decode(problem, block) for block in islice(dlx.covers(problem).blocks(), 100)])


def cells_of(grid: Grids) -> dict[Cell, int]:
    return {(r, c): int(d) for (r, c), d in np.ndenumerate(grid)}


def random_rules(seed: int) -> tuple[Layout, list[Rule], Grids, str]:
    """A random layout of one to three rules, and the grids that keep all of them, from all without them."""
    rng = random.Random(seed)
    small = rng.random() < 0.7
    layout, grids = Layout.boxes(2, 2 if small else 3), four_by_four() if small else six_by_six()
    rules: list[Rule] = []
    for _ in range(rng.randint(1, 3)):
        layout, rule, _ = drawn(rng, layout)
        rules.append(rule)
    kept = np.array([all(rule(cells_of(grid)) for rule in rules) for grid in grids])
    return layout, rules, grids[kept], "." * 16 if small else "123456" + "4.6..." + 24 * "."
