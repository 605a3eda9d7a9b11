"""The names of techniques, which depend only on the kinds of the truths and links of a step.

The names are those of A. Stuart, The Logic of Sudoku (2007), of B. Hobiger's HoDoKu, and of sudopedia.org.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeAlias

import dlx
from sudoku.layout import Layout

Item: TypeAlias = Any  # an item of the problem of a grid: a tuple that begins with its kind

SUBSETS = ("", "single", "pair", "triple", "quad")
FISH = ("", "", "X-wing", "swordfish", "jellyfish")
LETTERS = {"cell": "c", "row": "r", "column": "k", "box": "b"}  # of kinds; "o" is another region, "x" another item
REGION = "rkbo"
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


def check_technique(name: str, layout: Layout) -> None:
    """Raises a ValueError, with the nearest name and all names, unless steps of a layout can have this name."""
    names = (*TECHNIQUES, *(kind for kind in layout.kinds() if kind not in LETTERS))
    if name in names or re.fullmatch("[0-9]{1,2} truths? in [0-9]{1,2} links?", name):
        return
    nearest = [f" (is it {one!r}?)" for one in get_close_matches(name, names, 1)]
    raise ValueError(f"{name!r:.40} is no technique{''.join(nearest)}: {', '.join(names)} are, and 3 truths in 4 links")


class Signature(NamedTuple):
    """The facts of a step that decide its name.

    Attributes:
        truths, links: a letter for the kind of each, in alphabetical order.
        rank: the number of links less the number of truths.
        digits: the digits of regions among truths and links; a digit of several links comes as many times.
        sizes: the number of candidates of each truth, in increasing order.
        together: whether all truths are in one region.
        rule: the kinds of items that are neither cells nor digits of a region.
        chained: whether truths and links form a chain.
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
        """Returns the signature of a step; `sizes` are the numbers of candidates of its truths."""
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
    """Returns the name of a step; a step without a name is "N truths in M links".

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
    """Returns the name of N truths in N links, or ""."""
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
    """Returns the name of N truths in N + 1 links, or of a closed chain, or ""."""
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
    """Returns the name of N truths in N + 1 links of one digit, or ""."""
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


def _is_together(truths: Sequence[Item], layout: Layout) -> bool:
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
