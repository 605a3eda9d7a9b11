"""Steps of reasoning, and their sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import dlx
from sudoku.constraints import Candidate
from sudoku.grid import Grid, Plain, Puzzle, Shown
from sudoku.layout import Layout
from sudoku.setting.techniques import Item, digits_of, letters_of, rule_of


@dataclass(frozen=True, slots=True, eq=False)
class Step(Shown, Plain):
    """A step of reasoning about a puzzle. Rows, columns and boxes are numbered from 0, digits from 1.

    Attributes:
        name: the usual name, as "X-wing"; without one, "3 truths in 4 links".
        title: the name and the place, as "X-wing in columns 2 and 7", from 1.
        points: the difficulty (`rate`).
        placed: the candidate (row, column, digit) that is in every completion, or None.
        out: the candidates that are in no completion, without those that `placed` excludes; the clashing givens of a
            contradiction.
        combination: the combination of a sum in every completion, as ("cage", 0, 1, 3) for the digits 1 and 3 of the
            first cage, or None; it is the name of an option of the problem.
        combinations_out: the combinations of sums that are in no completion.
        truths: items of the problem of `encode`; each has exactly one option in a completion.
        links: items that have at most one option in a completion; truths and links prove the step (`dlx.Step`).
        rank: the number of links less the number of truths.
        path: the candidates of a chain from end to end, in groups, with truths and links in this order: if no candidate
            of the first group holds, one of the second does, so none of the third, and so on. Empty if it is no chain.
        before: the puzzle with its pencil marks before the step.
        givens: the grid at the beginning.
        kind: the kind of the `dlx.Step`.
    """

    name: str
    title: str
    points: int
    placed: Candidate | None
    out: tuple[Candidate, ...]
    combination: Item | None
    combinations_out: tuple[Item, ...]
    truths: tuple[Item, ...]
    links: tuple[Item, ...]
    rank: int
    path: tuple[tuple[Any, ...], ...]
    before: Puzzle
    givens: Grid
    kind: str

    @property
    def text(self) -> str:
        """The step as a sentence."""
        return self.sentence()

    def to_dict(self) -> dict[str, Any]:
        """Returns the text and the fields, as `json` takes them, without the puzzle before the step."""
        return {"text": self.text, **Plain.to_dict(self)}

    def sentence(self, signs: str | None = None) -> str:
        """Returns the step as a sentence, with other signs for a blank and the digits."""
        return f"{self.title}: {sentence(self, signs)}"


def place_of(step: dlx.Step, layout: Layout) -> str:
    """Returns the regions of a step for its title, as "columns 2 and 7", or ""."""
    letters = letters_of(step.truths, layout)
    if step.rank or step.kind not in ("single", "set") or letters == "c":
        return ""
    items = step.links if set(letters) == {"c"} else step.truths
    return "" if {"c", "x"} & {*letters_of(items, layout)} else joined(_houses(items))


def sentence(step: Step, signs: Sequence[str] | None = None) -> str:
    """Returns a step as a sentence; `signs` are those of a blank and of each digit instead of numbers."""
    layout = step.before.layout
    words = Words(layout, signs)
    truths, links = words.items(step.truths), words.items(step.links)
    out = words.out((*step.out, *step.combinations_out))
    if step.combination:
        return f"{words.option(step.combination)} is the only combination left for {truths}"
    if step.placed:
        r, c, d = step.placed
        there = f"r{r + 1}c{c + 1}"
        return f"{there} can only be {words.digit(d)}" if truths == there else f"{truths} can only be in {there}"
    if step.kind == "contradiction" and step.out:
        both = joined([words.option(name) for name in step.out])
        return f"the givens {both} clash in {joined(_houses(step.links))}: there is no completion"
    if step.kind == "contradiction":
        few = f"{truths} can only be in {links}, which are too few" if links else f"nothing is left for {truths}"
        return f"{few}: there is no completion"
    if step.path:
        so = "; so either way" if step.rank else ", and back as well; so"
        return f"if {', then '.join([words.out(step.path[0]), *map(words.one_of, step.path[1::2])])}{so} {out}"
    items = *step.truths, *step.links
    if step.kind == "block" or (len(step.truths) == 1 and rule_of(items, layout)):
        return f"each candidate of {truths} excludes them by {links}: {out}"
    if not {"c", "x"} & {*letters_of(items, layout)} and len({*digits_of(items)}) == 1:
        links = joined(_houses(step.links))
    verb = "can only have" if set(letters_of(step.truths, layout)) == {"c"} else "can only be in"
    so = ", so" if step.rank == 0 else f", {step.rank} more than needed; what would waste {step.rank + 1} is excluded:"
    return f"{truths} {verb} {links}{so} {out}"


class Words:
    """Words for items and options; rows, columns, boxes and others are numbered from 1."""

    def __init__(self, layout: Layout, signs: Sequence[str] | None = None) -> None:
        self.regions = {kind for kind, _, _ in layout.regions} | {one.kind for one in layout.sums if one.kind == "cage"}
        self.signs = signs

    def digit(self, d: int) -> str:
        """Returns the sign of a digit."""
        return self.signs[d] if self.signs else str(d)

    def items(self, items: Iterable[Item]) -> str:
        """Returns items in words, grouped by digit or by region.

        >>> words = Words(Layout.boxes())
        >>> words.items([("row", 1, 5), ("row", 6, 5), ("cell", 0, 3)]), words.items([("box", 2, 7), ("box", 2, 8)])
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
        """Returns an option in words: a candidate, or a combination of a sum."""
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
        """Returns in words that one of some options holds, as "r1c2 or r1c3 is 5"."""
        if is_option(options[0]) or len({name[2] for name in options}) > 1:
            return f"{joined([self.option(name) for name in options], 'or')} holds"
        cells = joined([f"r{r + 1}c{c + 1}" for r, c, _ in options], "or")
        return f"{cells} is {self.digit(options[0][2])}"

    def out(self, options: Iterable[Item]) -> str:
        """Returns excluded options in words, grouped by digit or by cells."""
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
        parts = [
            f"{joined(some)} {'is' if len(some) == 1 else 'are'} not {joined(d, 'or')}" for some, d in alike.items()
        ]
        return ", ".join(parts + others)


def is_option(name: Item) -> bool:
    """Returns whether an option, given by its name, is a combination of a sum and not a candidate."""
    return isinstance(name[0], str)


def number(name: int | str) -> int | str:
    """Returns the name of a region; numbers begin at 1."""
    return name + 1 if isinstance(name, int) else name


def joined(words: Sequence[str], conjunction: str = "and") -> str:
    """Returns words separated by commas, with "and" before the last one."""
    return f" {conjunction} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _houses(items: Iterable[Item]) -> list[str]:
    """Returns the regions of items, grouped by kind: "rows 1 and 2"."""
    names: dict[str, list[str]] = {}
    for kind, name in sorted(
        {item[:2] for item in items}, key=lambda pair: (pair[0], isinstance(pair[1], str), pair[1])
    ):
        names.setdefault(kind, []).append(str(number(name)))
    plural = {"box": "boxes"}
    return [
        f"{kind if len(some) == 1 else plural.get(kind, kind + 's')} {joined(some)}" for kind, some in names.items()
    ]
