"""The constraints of a layout as values: regions, clashes, lines and sums, and the tables of their kinds.

Two cells that allow some pairs of digits only are *clashes*. Candidates of one cell exclude each other anyway, so a
set of digits of the one and a set of digits of the other make one clash if no pair of them is allowed. Of these sets
there is one for each digit of the first cell at most, with which as few clashes as possible are said as widely as
possible: for a thermometer the digits from d on below, and those up to d above.

`LINES` says of each kind which pairs of its cells restrict each other, and to which digits; `FAMILIES` are kinds with a
number, such as `difference-3`; and `no-` before any of these stands for all other pairs. What pairs cannot say are the
kinds of `WHOLE` and `SUMS`; `sudoku/gadgets.py` has their items and options.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise, product
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Cell = tuple[int, int]
Candidate = tuple[int, int, int]
Pair = tuple[Cell, Cell]
Total = int | tuple[Any, ...]  # a number; the cell of a circle, two of a pill; or digits


def mirrored(cells: Sequence[Cell]) -> Iterator[Pair]:
    """Pairs the first cell with the last one, the second with the last but one, and so on."""
    return ((cells[k], cells[-1 - k]) for k in range(len(cells) // 2))


def halves(cells: Sequence[Cell]) -> Iterator[Pair]:
    """Pairs the cells of the first half with those of the second one."""
    return zip(cells, cells[len(cells) // 2 :], strict=False)


def star(cells: Sequence[Cell]) -> Iterator[Pair]:
    """Pairs the first cell with each other one."""
    return ((cells[0], cell) for cell in cells[1:])


def beside(cell: Cell, there: Container[Cell]) -> list[Cell]:
    """Returns the cells of some that share a side with a cell, in reading order."""
    r, c = cell
    return [other for other in ((r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)) if other in there]


class Pairs(NamedTuple):
    """The pairs of digits that are allowed, and the pairs of the cells of a line that they are asked of."""

    allowed: Callable[[int, int], bool]
    of: Callable[[Sequence[Cell]], Iterable[Pair]] = pairwise


LINES: Mapping[str, Pairs] = MappingProxyType(
    {
        "thermometer": Pairs(operator.lt),
        "slow-thermometer": Pairs(operator.le),
        "whisper": Pairs(lambda a, b: abs(a - b) >= 5),
        "white-dot": Pairs(lambda a, b: abs(a - b) == 1),
        "black-dot": Pairs(lambda a, b: a == 2 * b or b == 2 * a),
        "V": Pairs(lambda a, b: a + b == 5),
        "X": Pairs(lambda a, b: a + b == 10),
        "palindrome": Pairs(operator.eq, mirrored),
        "clone": Pairs(operator.eq, halves),
        "minimum": Pairs(operator.lt, star),
        "maximum": Pairs(operator.gt, star),
    }
)
FAMILIES: Mapping[str, Callable[[int, int, int], bool]] = MappingProxyType(
    {
        "difference": lambda k, a, b: abs(a - b) == k,
        "ratio": lambda k, a, b: a == k * b or b == k * a,
        "total": lambda k, a, b: a + b == k,
        "whisper": lambda k, a, b: abs(a - b) >= k,
    }
)
# The rules of whole lines, by the digits and the size: of "region-sum" for the sums of its parts.
WHOLE: Mapping[str, Callable[[Sequence[int], int], bool]] = MappingProxyType(
    {
        "renban": lambda digits, n: len(set(digits)) == len(digits) == max(digits) - min(digits) + 1,
        "between": lambda digits, n: all(
            min(digits[0], digits[-1]) < d < max(digits[0], digits[-1]) for d in digits[1:-1]
        ),
        "region-sum": lambda sums, n: len(set(sums)) == 1,
        "odd": lambda digits, n: all(d % 2 for d in digits),
        "even": lambda digits, n: not any(d % 2 for d in digits),
    }
)
# The rules of sums, by the digits, the total and the size.
SUMS: Mapping[str, Callable[[Sequence[int], Any, int], bool]] = MappingProxyType(
    {
        "cage": lambda digits, total, n: sum(digits) == total and len(set(digits)) == len(digits),
        "little-killer": lambda digits, total, n: sum(digits) == total,
        "arrow": lambda digits, total, n: sum(digits) == total,
        "pill": lambda digits, total, n: sum(digits) == total,
        "sandwich": lambda digits, total, n: _between_ends(digits, n) == total,
        "x-sum": lambda digits, total, n: sum(digits[: digits[0]]) == total,
        "skyscraper": lambda digits, total, n: len(set(accumulate(digits, max))) == total,
        "quadruple": lambda digits, total, n: not Counter(total) - Counter(digits),
    }
)
CIRCLES = {"arrow": 1, "pill": 2}  # cells with the total
IN_ROWS = frozenset({"sandwich", "x-sum", "skyscraper"})  # sums of a whole row or column
LEAST = {"odd": 1, "even": 1, "between": 3}  # cells; two of other lines

_FAMILY = re.compile(f"({'|'.join(FAMILIES)})-([0-9]{{1,3}})")
# Marks between two cells; where one of a set stands, "no-" of any kind of the set asks nothing.
_MARKS = (re.compile("(white|black)-dot|(difference|ratio)-.*"), re.compile("[VX]|total-.*"))


@lru_cache(256)
def pairs_of(kind: str) -> Pairs | None:
    """Returns what a kind of lines asks of pairs, or None if there is no such kind.

    >>> pairs_of("difference-3").allowed(1, 4), pairs_of("no-X").allowed(1, 9), pairs_of("no-no-X")
    (True, False, None)
    """
    if kind.startswith("no-") and not kind.startswith("no-no-"):
        one = pairs_of(kind[3:])
        return None if one is None else Pairs(lambda a, b: not one.allowed(a, b), one.of)
    if family := _FAMILY.fullmatch(kind):
        allowed, number = FAMILIES[family[1]], int(family[2])
        return Pairs(lambda a, b: allowed(number, a, b))
    return LINES.get(kind)


def rivals(kind: str) -> Callable[[str], object]:
    """Returns the test of kinds of marks that tell of a pair of cells in the place of a kind.

    >>> bool(rivals("white-dot")("ratio-3")), bool(rivals("X")("white-dot"))
    (True, False)
    """
    marks = next((marks for marks in _MARKS if marks.fullmatch(kind)), None)
    if marks is None:
        raise ValueError(f"{kind!r:.40} is no mark between two cells: white-dot, black-dot, V, X, difference-3 are")
    return marks.fullmatch


class Region(NamedTuple):
    """Cells that have no digit twice.

    Attributes:
        kind: what it is: "row", "column" or "box" (the regions of a jigsaw are its boxes), or the name of a variant's
            own kind, such as "diagonal".
        name: which one of its kind: a number from 0 in reading order, or a name.
        cells: 1 to n of them, (row, column) from 0.
    """

    kind: str
    name: int | str
    cells: frozenset[Cell]


class Clash(NamedTuple):
    """Candidates of which at most one may hold.

    Attributes:
        kind: what it is, such as "non-consecutive".
        name: which one of its kind: a number from 0, or a name.
        number: which one of that name, from 0.
        candidates: (row, column, digit), rows and columns from 0.
    """

    kind: str
    name: int | str
    number: int
    candidates: frozenset[Candidate]

    def checked(self, size: int, there: set[Cell]) -> Clash:
        """The same, if its candidates are in a grid of so many digits with these cells."""
        owner = f"clash {self.kind} {self.name}"
        given = self.candidates if isinstance(self.candidates, Iterable) else [self.candidates]
        candidates = frozenset(whole_numbers(one, 3, owner) for one in given)
        check_there({(r, c) for r, c, _ in candidates}, there, owner)
        if wrong := [d for _, _, d in candidates if not 1 <= d <= size]:
            raise ValueError(f"the digit {wrong[0]} of the {owner} is not between 1 and {size}")
        return self._replace(candidates=candidates)


class Line(NamedTuple):
    """Cells in a line, whose digits restrict each other.

    Attributes:
        kind: of each cell and the next one: "thermometer" (digits rise), "slow-thermometer" (they do not fall),
            "whisper" (they differ by 5 or more), "white-dot" (by 1), "black-dot" (one is twice the other), "V" and "X"
            (they sum to 5 and 10); or, with any number, "difference-3", "ratio-3", "total-7", "whisper-4"; and with
            "no-" before it that nothing of the kind is so. Of others: "palindrome" (digits read backwards are the
            same), "clone" (those of the second half are those of the first), "minimum" and "maximum" (the first cell
            has less, or more, than each other one). Of all cells: "renban" (digits follow each other, in any order),
            "between" (all are between those of the ends), "region-sum" (the line has the same sum each time that it
            comes through a box), "odd" and "even".
        name: which one of its kind: a number from 0, or a name.
        cells: (row, column) from 0: at least two; of "between" three, of "odd" and "even" one; of "clone" an even
            number.
    """

    kind: str
    name: int | str
    cells: tuple[Cell, ...]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    def checked(self, size: int, there: set[Cell]) -> Line:
        """The same, if there is its kind, and it has enough of these cells."""
        if fault := kind_fault(self.kind):
            raise ValueError(fault)
        cells = listed(self.cells, f"line {self}", there)
        if fault := line_fault(self._replace(cells=cells), size):
            raise ValueError(f"the line {self} {fault}")
        return self._replace(cells=cells)


class Sum(NamedTuple):
    """Cells whose digits have a total.

    Attributes:
        kind: "cage" (the sum; no digit twice), "little-killer" (digits may be repeated as regions allow), "arrow" (the
            sum is the digit of a circle), "pill" (the number of two digits in two cells). Of a row or a column, in the
            order in which it is seen: "sandwich" (the sum between its smallest and its largest digit), "x-sum" (of as
            many digits as the first one says), "skyscraper" (the digits that are larger than all before them). And
            "quadruple" (digits that are there, in any order).
        name: which one of its kind: a number from 0, or a name.
        cells: (row, column) from 0; of a cage in any order and up to n.
        total: a whole number; for an arrow the cell of the circle, for a pill the two cells of the number, for a
            quadruple its digits.
    """

    kind: str
    name: int | str
    cells: tuple[Cell, ...]
    total: Total

    @property
    def number(self) -> int:
        """The total, where it is a number."""
        assert isinstance(self.total, int)
        return self.total

    @property
    def circles(self) -> tuple[Cell, ...]:
        """The cells with the total."""
        if self.kind not in CIRCLES or isinstance(self.total, int):
            return ()
        return self.total if self.kind == "pill" else (self.total,)

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    def checked(self, size: int, there: set[Cell], regions: Iterable[Region]) -> Sum:
        """The same, if there is its kind, its cells and its total in such a grid."""
        if self.kind not in SUMS:
            raise ValueError(f"{self.kind!r:.40} is no kind of sum: {', '.join(SUMS)} are")
        cells = listed(self.cells, str(self), there)
        if not cells:
            raise ValueError(f"the {self} has no cells")
        one = self._replace(cells=cells, total=self._total(size, there))
        if both := sorted(set(one.circles) & set(cells)):
            raise ValueError(f"the {self} has its circle {both[0]} on its line")
        if fault := size_fault(one, size):
            raise ValueError(f"the {self} {fault}")
        if self.kind in IN_ROWS and frozenset(cells) not in {region.cells for region in regions}:
            raise ValueError(f"the {self} is neither a row nor a column")
        return one

    def _total(self, size: int, there: set[Cell]) -> Total:
        """The total, if it is one of this kind."""
        if self.kind == "arrow":
            return listed([self.total], str(self), there)[0]  # type: ignore[list-item]
        if self.kind == "pill":
            found = listed(self.total, str(self), there)  # type: ignore[arg-type]
            if len(found) != 2:
                raise ValueError(f"the {self} has {len(found)} cells for its number instead of two")
            return found
        if self.kind == "quadruple":
            digits = tuple_of(self.total, len(self.total) if isinstance(self.total, Sequence) else 0)
            if not digits or not 1 <= min(digits) <= max(digits) <= size:
                raise ValueError(f"the {self} has {self.total!r:.40} instead of digits from 1 to {size}")
            return tuple(sorted(digits))
        if not isinstance(self.total, (int, np.integer)):
            raise ValueError(f"the {self} has the total {self.total!r:.40} instead of a whole number")
        return int(self.total)


def whole_numbers(value: object, count: int, owner: str) -> Any:
    """A cell, or a candidate, as a tuple of two or three whole numbers; an error says what it should be."""
    if (numbers := tuple_of(value, count)) is None:
        what = "a cell, (row, column)" if count == 2 else "a candidate, (row, column, digit)"
        raise ValueError(f"{value!r:.40} in the {owner} is not {what} in whole numbers")
    return numbers


def tuple_of(value: object, count: int) -> Any:
    """So many whole numbers, or None if the value is not that."""
    several = isinstance(value, Sequence) or (isinstance(value, np.ndarray) and value.ndim == 1)
    numbers = list(value) if several else []  # type: ignore[call-overload]
    if len(numbers) != count or not all(isinstance(number, (int, np.integer)) for number in numbers):
        return None
    return tuple(map(int, numbers))


def listed(cells: Iterable[Cell], owner: str, there: set[Cell] | None = None) -> tuple[Cell, ...]:
    """Checks that cells as somebody lists them are cells, none is there twice, and all are in the grid."""
    if not isinstance(cells, Iterable):
        raise ValueError(f"the {owner} is {cells!r:.40} instead of cells (row, column)")
    found: tuple[Cell, ...] = tuple(whole_numbers(cell, 2, owner) for cell in cells)
    if twice := [cell for cell, times in Counter(found).items() if times > 1]:
        raise ValueError(f"the {owner} has the cell {twice[0]} twice")
    if there is not None:
        check_there(found, there, owner)
    return found


def check_there(cells: Iterable[Cell], there: set[Cell], owner: str) -> None:
    """Checks that the cells of a rule are in the grid."""
    if outside := sorted(set(cells) - there):
        raise ValueError(f"the cell {outside[0]} of the {owner} is not in the grid")


def clashes_of(line: Line, size: int) -> Iterator[Clash]:
    """Returns the clashes that a line stands for, in a grid of so many digits; none for one that pairs cannot say."""
    if (pairs := pairs_of(line.kind)) is None:
        return
    each = product(pairs.of(line.cells), _forbidden(line.kind, size))
    for number, ((below, above), (first, second)) in enumerate(each):
        candidates = [(*below, d) for d in first] + [(*above, d) for d in second]
        yield Clash(line.kind, line.name, number, frozenset(candidates))


@lru_cache(256)
def _forbidden(kind: str, size: int) -> list[tuple[list[int], frozenset[int]]]:
    """Sets of digits of two cells, no pair of which is allowed; every pair that is not is in one of them."""
    pairs, digits = pairs_of(kind), range(1, size + 1)
    assert pairs is not None
    against = {a: frozenset(b for b in digits if not pairs.allowed(a, b)) for a in digits}
    sets = [second for second in dict.fromkeys(against.values()) if second]
    return [([a for a in digits if second <= against[a]], second) for second in sets]


def kind_fault(kind: str) -> str:
    """Describes the fault of a kind of lines, or nothing."""
    if kind in WHOLE or pairs_of(kind):
        return ""
    return f"{kind!r:.40} is no kind of line: {', '.join((*LINES, *WHOLE))} are, and {', '.join(FAMILIES)} with -3"


def line_fault(line: Line, size: int) -> str:
    """Describes the fault of a line that has too few or too many cells, or returns nothing."""
    cells, least = len(line.cells), LEAST.get(line.kind, 2)
    if cells < least:
        return f"has {cells} cells instead of {('', 'one', 'two', 'three')[least]} or more"
    if line.kind == "clone" and cells % 2:
        return f"has {cells} cells, which are no two halves"
    if line.kind == "renban" and cells > size:
        return f"has {cells} cells for {size} digits, none of which it may have twice"
    return ""


def size_fault(one: Sum, size: int) -> str:
    """Describes the fault of a sum that no cells can have with these digits, or returns nothing."""
    cells = len(one.cells)
    if one.kind == "cage" and cells > size:
        return f"has {cells} cells for {size} digits, none of which it may have twice"
    if one.kind in IN_ROWS and cells != size:
        return f"has {cells} cells instead of {size}, a row or a column"
    if one.kind == "quadruple" and not isinstance(one.total, int) and len(one.total) > cells:
        return f"has {cells} cells for {len(one.total)} digits"
    return ""


def keeps(one: Sum | Line, grid: npt.NDArray[np.uint8], size: int, parts: Iterable[Sequence[Cell]] = ()) -> bool:
    """Tells whether the digits of a grid have a sum, or keep a line that pairs cannot say; or some are blank.

    Parameters:
        one: the sum or the line.
        grid: digits, and 0 for blanks.
        size: the number of digits.
        parts: of a "region-sum" its cells in each box.
    """
    digits = [int(grid[cell]) for cell in one.cells]
    if 0 in digits:
        return True
    if isinstance(one, Line):
        if one.kind == "region-sum":
            digits = [sum(int(grid[cell]) for cell in part) for part in parts]
        return one.kind not in WHOLE or WHOLE[one.kind](digits, size)
    total = one.total
    if circles := [int(grid[cell]) for cell in one.circles]:
        total = sum(digit * 10**k for k, digit in enumerate(reversed(circles)))
    return 0 in circles or SUMS[one.kind](digits, total, size)


def _between_ends(digits: Sequence[int], n: int) -> int:
    """The sum of the digits between 1 and n, or -1 if one of these is missing."""
    if not {1, n} <= set(digits):
        return -1
    first, last = sorted((digits.index(1), digits.index(n)))
    return sum(digits[first + 1 : last])
