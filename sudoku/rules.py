"""The kinds of rules, one record each.

A record has the restriction of its cells, which gives the items and options of the problem. Files of rules, the rules
of f-puzzles, pictures and `--help` are made from the record, and docs/variants.md is tested against it.

`sudoku/restrictions.py` has the ways in which digits restrict each other.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from types import MappingProxyType
from typing import Literal, NamedTuple

from sudoku.restrictions import Automaton, Cell, Digits, Fillings, Pair, Pairs, Parity, Restriction, SameSums, Sets

SHADE = "#c3c8d4"  # the colour of thermometers and arrows
BULB, WHITE, BLACK, LETTER = "bulb", "white dot", "black dot", "letter"  # names of shapes


def mirrored(cells: Sequence[Cell]) -> Iterator[Pair]:
    """Pairs the first cell with the last, the second with the last but one, and so on."""
    return ((cells[k], cells[-1 - k]) for k in range(len(cells) // 2))


def halves(cells: Sequence[Cell]) -> Iterator[Pair]:
    """Pairs the cells of the first half with the cells of the second half."""
    return zip(cells, cells[len(cells) // 2 :], strict=False)


def star(cells: Sequence[Cell]) -> Iterator[Pair]:
    """Pairs the first cell with each other cell."""
    return ((cells[0], cell) for cell in cells[1:])


class Style(NamedTuple):
    """The picture of a rule: a shape (`sudoku/pictures/marks.py`), a sign in it, and a line along the cells."""

    shape: str = ""
    sign: str = ""
    width: float = 0
    colour: str = SHADE


class Published(NamedTuple):
    """A rule in f-puzzles; a rule with a title belongs to a plugin, and must also be drawn."""

    name: str = ""
    form: str = ""  # the form of its places (`sudoku/formats/files/fpuzzles.py`)
    value: str = ""
    title: str = ""


NO_STYLE = Style()
NOT_PUBLISHED = Published()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of rule.

    Attributes:
        name: such as "cage".
        sentence: the rule in words, for documents.
        restriction: how the digits of the cells restrict each other.
        published: its name and form in f-puzzles.
        style: its picture.
        total: the kind of total of a sum; "" for lines.
        cells: "any"; "few", at most as many as digits; "even", an even number; "row", a whole row or column; "view", a
            whole row or column, seen from one end.
        least: the fewest cells.
    """

    name: str
    sentence: str
    restriction: Restriction
    published: Published = NOT_PUBLISHED
    style: Style = NO_STYLE
    total: Literal["", "number", "circle", "pill", "digits"] = ""
    cells: Literal["any", "few", "even", "row", "view"] = "any"
    least: int = 2

    @property
    def circles(self) -> int:
        """The number of cells that have the total."""
        return {"circle": 1, "pill": 2}.get(self.total, 0)

    @property
    def marks(self) -> str:
        """The family of the mark between two cells, "dot" or "letter"; "" if the rule is no mark."""
        return {WHITE: "dot", BLACK: "dot", LETTER: "letter"}.get(self.style.shape, "")


def sets_of(most: int, size: int, total: int) -> Iterator[tuple[int, ...]]:
    """Yields the sets of `size` digits from 1 to `most` whose sum is `total`; no branch is a dead end."""
    if size == 0:
        yield from [()] * (total == 0)
        return
    for last in range(min(most, total), size - 1, -1):
        least, largest = size * (size - 1) // 2, (size - 1) * (2 * last - size) // 2  # of the digits below
        if least <= total - last <= largest:
            yield from ((*others, last) for others in sets_of(last - 1, size - 1, total - last))


def _consecutive(n: int, k: int, total: int) -> Iterator[tuple[int, ...]]:
    return (tuple(range(first, first + k)) for first in range(1, n - k + 2))


def _sandwiches(n: int, total: int) -> Iterator[tuple[tuple[int, ...], list[set[int]]]]:
    for first, last in combinations(range(n), 2):
        between = range(first + 1, last)
        for shifted in sets_of(n - 2, len(between), total - len(between)):
            inner = {d + 1 for d in shifted}  # sets of the digits 2 to n - 1
            outer = set(range(2, n)) - inner
            held = [inner if k in between else {1, n} if k in (first, last) else outer for k in range(n)]
            yield (first, last, *sorted(inner)), held


def _x_sums(n: int, total: int) -> Iterator[tuple[tuple[int, ...], list[set[int]]]]:
    for count in range(1, n + 1):
        for digits in sets_of(n, count, total):
            if count in digits:
                rest, others = set(digits) - {count}, set(range(1, n + 1)) - set(digits)
                yield (count, *digits), [{count}, *[rest] * (count - 1), *[others] * (n - count)]


def _between(state: tuple[int, ...], digit: int, total: None) -> tuple[int, ...] | None:
    """Collects the two ends in order; each later digit must lie between them."""
    if len(state) < 2:
        return tuple(sorted((*state, digit))) if digit not in state else None
    return state if state[0] < digit < state[1] else None


def _missing(state: tuple[int, ...], digit: int, total: Digits) -> tuple[int, ...]:
    """Keeps the digits that are still missing."""
    k = state.index(digit) if digit in state else len(state)
    return state[:k] + state[k + 1 :]


def _differs(k: int) -> Pairs:
    return Pairs(lambda a, b: abs(a - b) == k)


def _is_multiple(k: int) -> Pairs:
    return Pairs(lambda a, b: a == k * b or b == k * a)


def _adds_up(k: int) -> Pairs:
    return Pairs(lambda a, b: a + b == k)


def _is_apart(k: int) -> Pairs:
    return Pairs(lambda a, b: abs(a - b) >= k)


PARTIAL_SUMS = Automaton(
    start=lambda total: 0,
    step=lambda before, digit, total: before + digit if before + digit <= total else None,
    ends=operator.eq,
)
ARROW = PARTIAL_SUMS._replace(is_circled=True)
BETWEEN = Automaton(start=lambda total: (), step=_between, ends=lambda state, total: True, ends_first=True)
# A state is the largest digit so far, and the number of digits so far that were larger than all earlier digits.
SKYSCRAPERS = Automaton(
    start=lambda total: (0, 0),
    step=lambda state, digit, total: (digit, state[1] + 1) if digit > state[0] else state,
    ends=lambda state, total: state[1] == total,
)
ALL_THERE = Automaton(start=tuple, step=_missing, ends=lambda state, total: not state)
RENBAN = Sets(_consecutive)
CAGE = Sets(sets_of)
SANDWICH = Fillings(_sandwiches)
X_SUM = Fillings(_x_sums)

_KINDS = (
    Kind("thermometer", "digits rise", Pairs(operator.lt), Published("thermometer", "line"), Style(BULB, width=0.34)),
    Kind(
        "slow-thermometer",
        "digits do not fall",
        Pairs(operator.le),
        Published("slowthermometer", "line", "", "Slow Thermometer"),
        Style(BULB, "", 0.2),
    ),
    Kind(
        "whisper",
        "they differ by 5 or more",
        _is_apart(5),
        Published("whispers", "line", "5", "Whispers"),
        Style("", "", 0.16, "#8fc99a"),
    ),
    Kind("white-dot", "they differ by 1", _differs(1), Published("difference", "pairs", "1"), Style(WHITE)),
    Kind("black-dot", "one is twice the other", _is_multiple(2), Published("ratio", "pairs", "2"), Style(BLACK)),
    Kind("V", "they sum to 5", _adds_up(5), Published("xv", "pairs", "V"), Style(LETTER, "V")),
    Kind("X", "they sum to 10", _adds_up(10), Published("xv", "pairs", "X"), Style(LETTER, "X")),
    Kind("non-consecutive", "they do not differ by 1", Pairs(lambda a, b: abs(a - b) != 1)),
    Kind(
        "palindrome",
        "the first cell and the last one are equal, the second and the last but one, and so on",
        Pairs(operator.eq, mirrored),
        Published("palindrome", "line"),
        Style(width=0.2),
    ),
    Kind(
        "clone",
        "the cells of the first half are equal to those of the second one",
        Pairs(operator.eq, halves),
        Published("clone", "clone"),
        Style("clones"),
        cells="even",
    ),
    Kind(
        "minimum",
        "the first cell has less than each other one",
        Pairs(operator.lt, star),
        Published("minimum", "star"),
        Style("extreme", "min"),
    ),
    Kind(
        "maximum",
        "the first cell has more than each other one",
        Pairs(operator.gt, star),
        Published("maximum", "star"),
        Style("extreme", "max"),
    ),
    Kind(
        "renban",
        "digits that follow each other, in any order, none twice",
        RENBAN,
        Published("renban", "line", "", "Renban"),
        Style("", "", 0.24, "#c9a0dc"),
        cells="few",
    ),
    Kind(
        "between",
        "all cells are between the ends",
        BETWEEN,
        Published("betweenline", "line"),
        Style("rings", "", 0.08),
        least=3,
    ),
    Kind(
        "region-sum",
        "the line has the same sum each time that it comes through a box",
        SameSums(),
        Published("regionsumline", "line", "", "Region Sum Line"),
        Style("", "", 0.16, "#8fc7e8"),
    ),
    Kind("odd", "each cell is odd", Parity(1), Published("odd", "cells"), Style("circles"), least=1),
    Kind("even", "each cell is even", Parity(0), Published("even", "cells"), Style("squares"), least=1),
    Kind("cage", "no digit twice", CAGE, Published("killercage", "cage"), total="number", cells="few", least=1),
    Kind(
        "little-killer",
        "digits may repeat as far as regions allow",
        PARTIAL_SUMS,
        Published("littlekillersum", "diagonal"),
        Style(width=0.05),
        "number",
        least=1,
    ),
    Kind("arrow", "the total is the digit in the circle", ARROW, Published("arrow", "arrow"), total="circle", least=1),
    Kind(
        "pill",
        "two cells whose number is the total of an arrow",
        ARROW,
        Published("arrow", "arrow"),
        total="pill",
        least=1,
    ),
    Kind(
        "sandwich",
        "a row or a column; the sum of the cells between its smallest and its largest digit",
        SANDWICH,
        Published("sandwichsum", "side"),
        total="number",
        cells="row",
    ),
    Kind(
        "x-sum",
        "a row or a column from one end; the sum of its first N digits, where N is the first digit",
        X_SUM,
        Published("xsum", "side", "", "X Sum"),
        Style("", "X"),
        "number",
        "view",
    ),
    Kind(
        "skyscraper",
        "a row or a column from one end; the number of digits that are larger than all before them",
        SKYSCRAPERS,
        Published("skyscraper", "side", "", "Skyscraper"),
        Style("", "S"),
        "number",
        "view",
    ),
    Kind(
        "quadruple",
        "digits instead of a total; all of them are in the cells",
        ALL_THERE,
        Published("quadruple", "quadruple"),
        total="digits",
        least=1,
    ),
)
KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _KINDS})
LINES = tuple(kind.name for kind in _KINDS if not kind.total)
SUMS = tuple(kind.name for kind in _KINDS if kind.total)
# The kinds with a number: a kind with one of these numbers, and the restriction of each number
FAMILIES: Mapping[str, tuple[Kind, Callable[[int], Pairs]]] = MappingProxyType(
    {
        "whisper": (KINDS["whisper"], _is_apart),
        "difference": (KINDS["white-dot"], _differs),
        "ratio": (KINDS["black-dot"], _is_multiple),
        "total": (KINDS["V"], _adds_up),
    }
)

_NUMBERED = re.compile("([a-z]+)-([0-9]{1,3})")


@lru_cache(256)
def kind_of(name: str) -> Kind | None:
    """Returns the record of a kind by its name, such as "cage", "difference-3" or "no-X"; None if there is none.

    >>> kind_of("difference-3").restriction.allowed(1, 4), kind_of("no-X").restriction.allowed(1, 9), kind_of("no-no-X")
    (True, False, None)
    """
    if name in KINDS:
        return KINDS[name]
    if name.startswith("no-") and not name.startswith("no-no-"):
        one = kind_of(name[3:])
        if one is None or not isinstance(one.restriction, Pairs):
            return None
        allowed, of = one.restriction
        return Kind(name, "the opposite", Pairs(lambda a, b: not allowed(a, b), of), cells=one.cells)
    match = _NUMBERED.fullmatch(name)
    if match is None or match[1] not in FAMILIES:
        return None
    kind, restriction = FAMILIES[match[1]]
    number = str(int(match[2]))
    has_value = kind.published.value.isdecimal()  # f-puzzles has only V and X
    published = kind.published._replace(value=number) if has_value else NOT_PUBLISHED
    style = kind.style._replace(sign=number) if kind.style.shape else kind.style
    return replace(kind, name=name, restriction=restriction(int(number)), published=published, style=style)
