"""The names of steps of reasoning, by the kinds of their truths and links alone, and what the steps say in words.

The names are those of the community: A. Stuart, The Logic of Sudoku (2007); B. Hobiger's HoDoKu; sudopedia.org.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeAlias

import dlx
from sudoku.layout import Layout

Item: TypeAlias = Any  # of the problem of a grid: a tuple that begins with its kind

SUBSETS = ("", "single", "pair", "triple", "quad")
FISH = ("", "", "X-wing", "swordfish", "jellyfish")
LETTERS = {"cell": "c", "row": "r", "column": "k", "box": "b"}  # of kinds; a further region is "o", what is none "x"
REGION = "rkbo"
LINES = ({"r"}, {"k"}), ({"k"}, {"r"})
SINGLES = ("hidden single", "naked single", "only combination")

# All names, but for those of rules and of what has none
TECHNIQUES = (
    *SINGLES,
    *("pointing", "claiming", "locked candidates", "common peer"),
    *(f"{kind} {name}" for kind in ("naked", "hidden") for name in SUBSETS[2:]),
    *(f"{kind}{name}" for kind in ("", "franken ", "mutant ") for name in FISH[2:]),
    *("finned X-wing", "finned swordfish"),
    *("skyscraper", "two-string kite", "empty rectangle", "turbot fish", "XY-wing", "XYZ-wing", "W-wing"),
    *("grouped two-string kite", "grouped turbot fish", "grouped X-chain", "grouped chain"),
    *(f"{closed}{name}" for closed in ("", "closed ") for name in ("X-chain", "XY-chain", "remote pair", "chain")),
)

_SETS = re.compile("([0-9]{1,2})truthsin([0-9]{1,2})link")  # what has no name of its own, as `_key` has it


def technique(name: str, layout: Layout) -> str:
    """Returns the name of a technique that is given in any spelling.

    Raises:
        ValueError: there is no such technique; the message has the nearest name, and all names.

    >>> [technique(name, Layout.boxes()) for name in ("xwing", "Naked Pairs", "3 truths in 4 links")]
    ['X-wing', 'naked pair', '3 truths in 4 links']
    """
    names = (*TECHNIQUES, *(kind for kind in layout.kinds() if kind not in LETTERS))
    known, key = {_key(one): one for one in names}, _key(str(name))
    if (sets := _SETS.fullmatch(key)) and int(sets[1]) <= int(sets[2]) <= int(sets[1]) + 1:
        return f"{_counted(int(sets[1]), 'truth')} in {_counted(int(sets[2]), 'link')}"
    if key not in known:
        near = [f" (is it {known[one]!r}?)" for one in get_close_matches(key, known, 1)]
        raise ValueError(
            f"{name!r:.40} is no technique{''.join(near)}: {', '.join(names)} are, and 3 truths in 4 links"
        )
    return known[key]


def _key(name: str) -> str:
    """A name without capitals, signs, and the last letter of a plural."""
    return "".join(filter(str.isalnum, name.lower())).removesuffix("s")


class Signature(NamedTuple):
    """What the name of a step depends on.

    Attributes:
        truths, links: a letter for the kind of each, in alphabetical order.
        rank: how many more links than truths there are.
        digits: the digits of all regions among truths and links, as often as each is a link.
        sizes: how many candidates each truth has left, in increasing order.
        together: whether one region has all truths.
        rule: the kinds of what is neither a cell nor a digit of a region.
        chained: whether its truths and links have the order of a chain.
    """

    truths: str
    links: str
    rank: int
    digits: tuple[int, ...]
    sizes: tuple[int, ...]
    together: bool = True
    rule: str = ""
    chained: bool = True

    @classmethod
    def of(cls, step: dlx.Step, sizes: Iterable[int], layout: Layout, chained: bool = True) -> Signature:
        """Returns the signature of a step, of whose truths each has so many candidates left."""
        truths: Any = step.truths
        links: Any = step.links
        regions = {kind for kind, _, _ in layout.regions}
        letter = {item: _letter(item, regions) for item in (*truths, *links)}
        digits = [item[2] for item in links if letter[item] in REGION]
        digits += sorted({item[2] for item in truths if letter[item] in REGION}.difference(digits))
        return cls(
            truths="".join(sorted(letter[item] for item in truths)),
            links="".join(sorted(letter[item] for item in links)),
            rank=step.rank,
            digits=tuple(digits),
            sizes=tuple(sorted(sizes)),
            together=_is_together(truths, layout),
            rule=" and ".join(dict.fromkeys(item[0] for item in letter if letter[item] == "x" and item[0] != "cell")),
            chained=chained,
        )


def name_of(kind: str, found: Signature) -> str:
    """Returns the name of a step; without one of its own it is told how many truths are in how many links.

    >>> name_of("set", Signature("rr", "kk", 0, (5, 5), (2, 3)))
    'X-wing'
    >>> name_of("set", Signature("ck", "kr", 0, (5, 6), (2, 3)))
    '2 truths in 2 links'
    """
    truths, links, rank, *_ = found
    if kind == "single":
        return SINGLES[1 if truths == "c" else 0]
    if kind == "contradiction":
        return kind
    if len(truths) == 1 and "x" in truths + links and found.rule:
        return found.rule
    if kind == "block":
        return "common peer"
    name = (_without_rank(found) if rank == 0 else "") or (_chain(found) if rank == 1 or kind == "chain" else "")
    return name or f"{_counted(len(truths), 'truth')} in {_counted(len(links), 'link')}"


def _without_rank(found: Signature) -> str:
    """The name of N truths in N links."""
    truths, links, _, digits, _, together, *_ = found
    n, one_digit = len(truths), len(set(digits)) == 1
    if n >= len(SUBSETS) or "x" in truths + links:
        return ""
    if n == 1:
        return "pointing" if truths == "b" else "claiming" if links == "b" else "locked candidates"
    if set(truths) == {"c"} and "c" not in links and len(set(digits)) == n and together:
        return f"naked {SUBSETS[n]}"
    if set(links) == {"c"} and "c" not in truths and len(set(digits)) == n and (together or n == 2):
        return f"hidden {SUBSETS[n]}"
    if "c" in truths + links or not one_digit:
        return ""
    base, cover = set(truths), set(links)
    if (base, cover) in LINES:
        return FISH[n]
    franken = any(base - {"b"} <= rows and cover - {"b"} <= columns for rows, columns in LINES)
    return f"{'franken' if franken else 'mutant'} {FISH[n]}"


def _chain(found: Signature) -> str:
    """The name of N truths in N + 1 links, or of a chain that is closed."""
    truths, links, rank, digits, sizes, *_ = found
    n, pairs = len(truths), set(sizes) == {2}
    if "x" in truths + links:
        return ""
    if "c" not in truths + links and len(set(digits)) == 1:
        return _of_one_digit(found, n, pairs)
    times = sorted(map(digits.count, set(digits)))
    if n == 3 and rank == 1 and "c" not in links:
        if truths == "ccc" and times == [1, 1, 2] and sizes[:2] == (2, 2) and sizes[2] < 4:
            return "XY-wing" if pairs else "XYZ-wing"
        if truths.count("c") == 2 and pairs and times == [2, 2]:
            return "W-wing"
    if not pairs:
        return "" if n < 4 else "grouped chain"
    kind = "remote pair" if len(times) == 2 else "XY-chain"
    name = kind if set(truths) == {"c"} and "c" not in links else "chain"
    return name if rank else f"closed {name}"


def _of_one_digit(found: Signature, n: int, pairs: bool) -> str:
    """The name of N truths in N + 1 links, all of one digit."""
    truths, links, rank, *_ = found
    if rank == 1 and n < len(FISH):
        if any(set(truths) == rows and set(links) - {"b"} == columns for rows, columns in LINES) and "b" in links:
            return "skyscraper" if n == 2 and pairs else f"finned {FISH[n]}"
        if n == 2 and truths == "kr" and links == "bkr":
            return "two-string kite" if pairs else "grouped two-string kite"
        if n == 2 and "b" in truths and not pairs and links in ("krr", "kkr"):
            return "empty rectangle"
        if n == 2:
            return "turbot fish" if pairs else "grouped turbot fish"
    if not found.chained:
        return ""
    name = "X-chain" if pairs else "grouped X-chain"
    return name if rank else f"closed {name}"


def place_of(found: Signature, step: dlx.Step) -> str:
    """Returns the regions that a step is said to be in, such as "columns 2 and 7", or nothing."""
    if found.rank or step.kind not in ("single", "set") or found.truths == "c":
        return ""
    items, letters = (step.links, found.links) if set(found.truths) == {"c"} else (step.truths, found.truths)
    return "" if {"c", "x"} & set(letters) else joined(_houses(items))


def sentence(
    step: dlx.Step,
    names: Sequence[Any],
    layout: Layout,
    signs: Sequence[str] | None = None,
    path: Sequence[Sequence[Item]] = (),
) -> str:
    """Returns what a step says.

    Parameters:
        step: the step.
        names: of the options of its problem.
        layout: the layout of its grid.
        signs: those of a blank and of each digit; without it, numbers.
        path: its candidates in groups, if it is a chain.
    """
    said = Words(layout, signs)
    truths, links = said.items(step.truths), said.items(step.links)
    out = said.out([names[option] for option in step.out])
    if step.chosen is not None:
        chosen = names[step.chosen]
        if is_option(chosen):
            return f"of {truths} only {said.option(chosen)} is left"
        r, c, d = chosen
        there = f"r{r + 1}c{c + 1}"
        return f"{there} can only be {said.digit(d)}" if truths == there else f"{truths} can only be in {there}"
    if step.kind == "contradiction" and step.out:
        both = joined([said.option(names[option]) for option in step.out])
        return f"the givens {both} clash in {joined(_houses(step.links))}: there is no completion"
    if step.kind == "contradiction":
        few = f"{truths} can only be in {links}, which are too few" if links else f"nothing is left for {truths}"
        return f"{few}: there is no completion"
    if path:
        so = "; so either way" if step.rank else ", and back as well; so"
        return f"if {', then '.join([said.out(path[0]), *map(said.one_of, path[1::2])])}{so} {out}"
    found = Signature.of(step, (), layout)
    if step.kind == "block" or (len(step.truths) == 1 and found.rule):
        return f"by {links} and all that {truths} can be, {out}"
    if not {"c", "x"} & set(found.truths + found.links) and len(set(found.digits)) == 1:
        links = joined(_houses(step.links))
    verb = "can only have" if set(found.truths) == {"c"} else "can only be in"
    so = ", so" if step.rank == 0 else f", of which {step.rank} is left over; what would take {step.rank + 1} is out:"
    return f"{truths} {verb} {links}{so} {out}"


class Words:
    """Says items and options as people do: rows, columns, boxes and others from 1."""

    def __init__(self, layout: Layout, signs: Sequence[str] | None = None) -> None:
        self.regions = {kind for kind, _, _ in layout.regions} | {one.kind for one in layout.sums if one.kind == "cage"}
        self.signs = signs

    def digit(self, d: int) -> str:
        """The sign of a digit."""
        return self.signs[d] if self.signs else str(d)

    def items(self, items: Iterable[Item]) -> str:
        """Items, those of one digit or of one region together.

        >>> said = Words(Layout.boxes())
        >>> said.items([("row", 1, 5), ("row", 6, 5), ("cell", 0, 3)]), said.items([("box", 2, 7), ("box", 2, 8)])
        ('r1c4, and 5 of rows 2 and 7', '7 and 8 of box 3')
        """
        cells, parts, digits = [], [], dict[Item, list[int]]()
        for item in sorted(items, key=str):
            if item[0] == "cell":
                cells.append(f"r{item[1] + 1}c{item[2] + 1}")
            elif item[0] in self.regions and len(item) == 3 and item[2]:
                digits.setdefault(item[:2], []).append(item[2])
            else:
                parts.append(f"{item[0]} {number(item[1])}")
        alike: dict[tuple[int, ...], list[Item]] = {}
        for house, some in digits.items():
            alike.setdefault(tuple(some), []).append(house)
        of = [f"{joined([self.digit(d) for d in some])} of {joined(_houses(houses))}" for some, houses in alike.items()]
        return ", and ".join([joined(cells)] * bool(cells) + of + list(dict.fromkeys(parts)))

    def option(self, name: Item) -> str:
        """An option: a candidate, or what a sum is made of."""
        if is_option(name):
            kind, one, *parts = name
            if kind == "sandwich":
                first, last, *inner = parts
                return (
                    f"sandwich {number(one)} of {'+'.join(map(str, inner)) or 0} from place {first + 1} to {last + 1}"
                )
            return f"{kind} {number(one)} {('+' if kind == 'cage' else ', ').join(map(str, parts))}"
        return f"r{name[0] + 1}c{name[1] + 1}={self.digit(name[2])}"

    def one_of(self, options: Sequence[Item]) -> str:
        """Options of which one holds, as "r1c2 or r1c3 is 5"."""
        if is_option(options[0]) or len({name[2] for name in options}) > 1:
            return f"{joined([self.option(name) for name in options], 'or')} holds"
        cells = joined([f"r{r + 1}c{c + 1}" for r, c, _ in options], "or")
        return f"{cells} is {self.digit(options[0][2])}"

    def out(self, options: Iterable[Item]) -> str:
        """Options that are ruled out, the cells of one digit together, and the digits of the same cells."""
        cells: dict[int, list[str]] = {}
        others = []
        for name in options:
            if is_option(name):
                others.append(f"not {self.option(name)}")
            else:
                cells.setdefault(name[2], []).append(f"r{name[0] + 1}c{name[1] + 1}")
        alike: dict[tuple[str, ...], list[str]] = {}
        for d, some in sorted(cells.items()):
            alike.setdefault(tuple(some), []).append(self.digit(d))
        said = [
            f"{joined(some)} {'is' if len(some) == 1 else 'are'} not {joined(d, 'or')}" for some, d in alike.items()
        ]
        return ", ".join(said + others)


def is_option(name: Item) -> bool:
    """Tells whether the name of an option is of what a sum is made of, and not a candidate."""
    return isinstance(name[0], str)


def number(name: int | str) -> int | str:
    """The name of a region, as people count: from 1."""
    return name + 1 if isinstance(name, int) else name


def joined(words: Sequence[str], conjunction: str = "and") -> str:
    """Words with commas, and an "and" before the last one."""
    return f" {conjunction} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _houses(items: Iterable[Item]) -> list[str]:
    """The regions of items, those of one kind together: "rows 1 and 2"."""
    names: dict[str, list[str]] = {}
    for kind, name in sorted(
        {item[:2] for item in items}, key=lambda pair: (pair[0], isinstance(pair[1], str), pair[1])
    ):
        names.setdefault(kind, []).append(str(number(name)))
    plural = {"box": "boxes"}
    return [
        f"{kind if len(some) == 1 else plural.get(kind, kind + 's')} {joined(some)}" for kind, some in names.items()
    ]


def _is_together(truths: Sequence[Item], layout: Layout) -> bool:
    """Tells whether all truths are cells of one region, or digits of one."""
    if all(item[0] == "cell" for item in truths):
        return any({item[1:] for item in truths} <= cells for _, _, cells in layout.regions)
    return len({item[:2] for item in truths}) == 1


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


def _letter(item: Item, regions: set[str]) -> str:
    """The letter of an item's kind."""
    if item[0] in regions and len(item) == 3:
        return LETTERS.get(item[0], "o")
    return "c" if item[0] == "cell" and len(item) == 3 else "x"
