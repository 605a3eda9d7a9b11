"""The names of techniques, which depend only on the kinds of the truths and links of a step.

The names are those of A. Stuart, The Logic of Sudoku (2007), of B. Hobiger's HoDoKu, and of sudopedia.org.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from typing import Any, TypeAlias

import dlx
from sudoku.layout import Layout

Item: TypeAlias = Any  # an item of the problem of a grid: a tuple that begins with its kind

SUBSETS = ("", "single", "pair", "triple", "quad")
FISH = ("", "", "X-wing", "swordfish", "jellyfish")
LETTERS = {"cell": "c", "row": "r", "column": "k", "box": "b"}  # of kinds; "o" is another region, "x" another item
LINES = ({"r"}, {"k"}), ({"k"}, {"r"})
SINGLES = ("hidden single", "naked single", "only combination")

# All names, except kinds of rules and "N truths in M links"
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

_SETS = re.compile("([0-9]{1,2})truthsin([0-9]{1,2})link")  # a step without a name, as `_key` writes it


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
        nearest = [f" (is it {known[one]!r}?)" for one in get_close_matches(key, known, 1)]
        raise ValueError(
            f"unknown technique {name!r:.40}{''.join(nearest)}: {', '.join(names)} are known, and 3 truths in 4 links"
        )
    return known[key]


def _key(name: str) -> str:
    """Returns a name without capitals, signs, and the s of a plural."""
    return "".join(filter(str.isalnum, name.lower())).removesuffix("s")


def letters_of(items: Iterable[Item], layout: Layout) -> str:
    """Returns a letter for the kind of each item, in alphabetical order."""
    kinds = {region.kind for region in layout.regions}
    return "".join(sorted(_letter(item, kinds) for item in items))


def rule_of(items: Iterable[Item], layout: Layout) -> str:
    """Returns the rules of items, other than cells and regions, as "thermometer and cage"; "" if there are none."""
    kinds = {region.kind for region in layout.regions}
    return " and ".join(dict.fromkeys(item[0] for item in items if _letter(item, kinds) == "x" and item[0] != "cell"))


def name_of(step: dlx.Step, sizes: Collection[int], layout: Layout, is_chain: bool = True) -> str:
    """Returns the name of a step; a step without a name is "N truths in M links".

    Parameters:
        sizes: the number of candidates of each truth.
        is_chain: whether truths and links form a chain.

    >>> rows, columns = (("row", 1, 5), ("row", 6, 5)), (("column", 0, 5), ("column", 3, 5))
    >>> name_of(dlx.Step("set", rows, columns, (), None, 0, 9), (2, 3), Layout.boxes())
    'X-wing'
    """
    truths, links = letters_of(step.truths, layout), letters_of(step.links, layout)
    if step.kind == "single":
        return SINGLES[1 if truths == "c" else 0]
    if step.kind == "contradiction":
        return step.kind
    if len(truths) == 1 and (rule := rule_of((*step.truths, *step.links), layout)):
        return rule
    if step.kind == "block":
        return "common peer"
    name = ""
    if "x" not in truths + links:
        if step.rank == 0:
            name = _without_rank(step, truths, links, layout)
        if not name and (step.rank == 1 or step.kind == "chain"):
            name = _chain(step, truths, links, sizes, is_chain)
    return name or f"{_counted(len(truths), 'truth')} in {_counted(len(links), 'link')}"


def digits_of(items: Iterable[Any]) -> list[int]:
    """Returns the digits of regions among items."""
    return [item[2] for item in items if item[0] != "cell"]


def _without_rank(step: dlx.Step, truths: str, links: str, layout: Layout) -> str:
    """Returns the name of N truths in N links, or ""."""
    n, base, cover = len(truths), set(truths), set(links)
    if n >= len(SUBSETS):
        return ""
    if n == 1:
        return "pointing" if truths == "b" else "claiming" if links == "b" else "locked candidates"
    digits, together = {*digits_of((*step.truths, *step.links))}, _is_together(step.truths, layout)
    if base == {"c"} and "c" not in cover and len(digits) == n and together:
        return f"naked {SUBSETS[n]}"
    if cover == {"c"} and "c" not in base and len(digits) == n and (together or n == 2):
        return f"hidden {SUBSETS[n]}"
    if "c" in base | cover or len(digits) > 1:
        return ""
    if (base, cover) in LINES:
        return FISH[n]
    franken = any(base - {"b"} <= rows and cover - {"b"} <= columns for rows, columns in LINES)
    return f"{'franken' if franken else 'mutant'} {FISH[n]}"


def _chain(step: dlx.Step, truths: str, links: str, sizes: Collection[int], is_chain: bool) -> str:
    """Returns the name of N truths in N + 1 links, or of a closed chain, or ""."""
    n, pairs, digits = len(truths), set(sizes) == {2}, digits_of(step.links)
    digits += {*digits_of(step.truths)}.difference(digits)
    if "c" not in truths + links and len(set(digits)) == 1:
        return _of_one_digit(truths, links, step.rank, pairs, is_chain)
    times = sorted(map(digits.count, set(digits)))
    if n == 3 and step.rank == 1 and "c" not in links:
        if truths == "ccc" and times == [1, 1, 2] and sorted(sizes) in ([2, 2, 2], [2, 2, 3]):
            return "XY-wing" if pairs else "XYZ-wing"
        if truths.count("c") == 2 and pairs and times == [2, 2]:
            return "W-wing"
    if not pairs:
        return "" if n < 4 else "grouped chain"
    kind = "remote pair" if len(times) == 2 else "XY-chain"
    name = kind if set(truths) == {"c"} and "c" not in links else "chain"
    return name if step.rank else f"closed {name}"


def _of_one_digit(truths: str, links: str, rank: int, pairs: bool, is_chain: bool) -> str:
    """Returns the name of N truths in N + 1 links of one digit, or ""."""
    n = len(truths)
    if rank == 1 and n < len(FISH):
        if any(set(truths) == rows and set(links) - {"b"} == columns for rows, columns in LINES) and "b" in links:
            return "skyscraper" if n == 2 and pairs else f"finned {FISH[n]}"
        if n == 2 and truths == "kr" and links == "bkr":
            return "two-string kite" if pairs else "grouped two-string kite"
        if n == 2 and "b" in truths and not pairs and links in ("krr", "kkr"):
            return "empty rectangle"
        if n == 2:
            return "turbot fish" if pairs else "grouped turbot fish"
    if not is_chain:
        return ""
    name = "X-chain" if pairs else "grouped X-chain"
    return name if rank else f"closed {name}"


def _is_together(truths: Sequence[Any], layout: Layout) -> bool:
    """Returns whether all truths are cells of one region, or digits of one region."""
    if all(item[0] == "cell" for item in truths):
        return any({item[1:] for item in truths} <= cells for _, _, cells in layout.regions)
    return len({item[:2] for item in truths}) == 1


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


def _letter(item: Item, regions: set[str]) -> str:
    """Returns the letter of an item's kind."""
    if item[0] in regions and len(item) == 3:
        return LETTERS.get(item[0], "o")
    return "c" if item[0] == "cell" and len(item) == 3 else "x"
