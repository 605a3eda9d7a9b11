"""The text format of Knuth's dlx programs, with colours, multiplicities and costs.

    | comments begin with a bar
    A B 2:3|C | X Y          the primary items and, after a lone bar, the secondary ones; C is covered 2 or 3 times
    A B X:0 Y:0              an option: its items, in any order; here X and Y have the colour 0
    A C X:1 |5 |2            an option that costs 7
    |name="last"             a comment with the name of the next option, in JSON; all options have names, or none
    B C                      (text that is not JSON is an ordinary comment)

Items that are tuples, such as the cells of a board, are written with commas, as 2,5, and with slashes between inner
tuples. A comment `|items=[[2,5],...]` below the items has all names in JSON, so that tuples are read back as tuples.

A name or a colour has any length, and any characters except white space, `:` and `|`. `3|C` means `3:3|C`. Empty lines
are skipped. An option without a primary item is in no cover; it is skipped with a warning. The format is described at
the beginning of Knuth's programs DLX1 to DLX5 (https://cs.stanford.edu/~knuth/programs.html).
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from itertools import compress, pairwise

import numpy as np

from dlx.formats.errors import FormatWarning, Place, refusal
from dlx.formats.text import check_plain, check_written, decoded
from dlx.problem.checks import MAX_SCORE, ProblemError
from dlx.problem.problem import Problem

FORM = "Knuth's text format"
NAME = "|name="
ITEMS = "|items="
HINT = "; white space divides items, the end of a line options, and comments begin with '|'"
ITEM = re.compile(r"(?:(?:([0-9]{1,18}):)?([0-9]{1,18})\|)?([^:|]+)")  # an item with its multiplicity


def loads(data: str | bytes, file: str = "<string>") -> Problem:
    """Reads a problem from a text. Bytes are read as UTF-8; `dumps` preserves invalid bytes.

    Costs are weights to be minimised. A FormatWarning names options without a primary item.
    """
    reader = _Reader()
    with Place(file) as place:
        for place.line, text in enumerate(decoded(data).split("\n"), 1):
            reader.take(place.line, text)
        place.line = None
        problem = reader.problem()
    if reader.dropped:
        more = f" ({len(reader.dropped)} such options in all)" if len(reader.dropped) > 1 else ""
        text = f"{file}:{reader.dropped[0]}: dropped: an option without a primary item{more}"
        warnings.warn(text, FormatWarning, stacklevel=2)
    return problem


def dumps(problem: Problem) -> bytes:
    """Returns a problem as text; a problem that was read from a text is read back as an equal problem."""
    _check(problem)
    items = _words("item", problem.items)
    colours = ["", *(f":{colour}" for colour in _words("colour", problem.colour_names))]
    entries = [items[i] for i in problem.indices.tolist()]
    if problem.colours is not None:
        entries = [item + colours[c] for item, c in zip(entries, problem.colours.tolist(), strict=True)]
    ends = problem.indptr.tolist()
    lines = [" ".join(entries[begin:end]) for begin, end in pairwise(ends)]
    if problem.weights is not None:
        lines = [f"{line} |{cost}" for line, cost in zip(lines, problem.weights.tolist(), strict=True)]
    if problem.names is not None:
        from dlx.formats.npz import as_json, quoted  # json costs 3 ms

        names = map(quoted, as_json(problem.names, "name"))
        lines = [f"{NAME}{name}\n{line}" for name, line in zip(names, lines, strict=True)]
    primary, secondary = items[: problem.n_primary], items[problem.n_primary :]
    if problem.multiplicities is not None:
        times = [f"{high}|" if low == high else f"{low}:{high}|" for low, high in problem.multiplicities.tolist()]
        primary = [(how if how != "1|" else "") + item for how, item in zip(times, primary, strict=True)]
    heading = " ".join([*primary, "|", *secondary] if secondary else primary)
    if any(isinstance(item, tuple) for item in problem.items):
        from dlx.formats.npz import as_json, quoted

        heading += f"\n{ITEMS}{quoted(as_json(problem.items, 'item'))}"
    return "\n".join([heading, *lines, ""]).encode("utf-8", "surrogateescape")


class _Reader:
    """The contents of the lines read so far."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}  # the number of each item
        self.items: tuple[object, ...] | None = None  # the names of the items, if they are not the words
        self.n_primary = -1  # before the line of the items
        self.multiplicities: list[tuple[int, int]] = []
        self.indptr = [0]
        self.indices: list[int] = []
        self.colours: list[int] = []
        self.palette: dict[str, int] = {}
        self.costs: list[int | None] = []
        self.dropped: list[int] = []
        self.names: list[object] = []
        self.kept: list[bool] = []  # whether each option has a primary item

    def take(self, line: int, text: str) -> None:
        words = text.split()
        if not words or words[0][0] == "|":
            self._comment(text.strip())
        elif self.n_primary < 0:
            self._items(words)
        else:
            self._option(line, words)

    def problem(self) -> Problem:
        if self.n_primary < 0:
            raise ProblemError("there are no items")
        if self.names and len(self.names) != len(self.kept):
            raise ProblemError(f"there are {len(self.names)} names for {len(self.kept)} options")
        any_cost = any(cost is not None for cost in self.costs)
        plain = all(pair == (1, 1) for pair in self.multiplicities)
        return Problem(
            tuple(self.number) if self.items is None else self.items,
            self.n_primary,
            np.array(self.indptr, dtype=np.int32),
            np.array(self.indices, dtype=np.int32),
            weights=np.array([cost or 0 for cost in self.costs], dtype=np.int64) if any_cost else None,
            names=tuple(compress(self.names, self.kept)) if self.names else None,
            colours=np.array(self.colours, dtype=np.int32) if self.palette else None,
            colour_names=tuple(self.palette),
            multiplicities=None if plain else np.array(self.multiplicities),
        )

    def _comment(self, text: str) -> None:
        """Stores the names in a comment with JSON; ignores any other comment."""
        if not text.startswith((NAME, ITEMS)):
            return
        import json

        from dlx.formats.npz import of_json

        try:
            value = of_json(json.loads(text.partition("=")[2]))
        except (ValueError, RecursionError):
            return
        if text.startswith(NAME):
            self.names.append(value)
        elif isinstance(value, tuple):
            if len(value) != len(self.number):
                raise ProblemError(f"there are {len(value)} names for {len(self.number)} items")
            self.items = value

    def _items(self, words: list[str]) -> None:
        """Stores the items of the heading: primary items and, after a lone bar, secondary items."""
        if words.count("|") > 1:
            raise ProblemError("there is a second lone '|' among the items")
        self.n_primary = words.index("|") if "|" in words else len(words)
        for k, word in enumerate(word for word in words if word != "|"):
            match = ITEM.fullmatch(word)
            if "|" in word and k >= self.n_primary:
                raise ProblemError(f"{word!r} has a '|': only primary items have multiplicities")
            if match is None and "|" in word:
                name = word.split("|")[-1] or "A"
                raise ProblemError(f"{word!r} is not an item with its multiplicity, such as 2:3|{name}")
            if match is None:
                raise ProblemError(f"the name {word!r} has a ':'; only items in options have colours")
            low, high, name = match.groups()
            if name in self.number:
                raise ProblemError(f"the item {name!r} is listed twice")
            self.number[name] = len(self.number)
            if k < self.n_primary:
                self.multiplicities.append((int(low or high or 1), int(high or 1)))

    def _option(self, line: int, words: list[str]) -> None:
        items: list[int] = []
        shades: list[str | None] = []
        costs: list[int] = []
        for word in words:
            if word in self.number:
                items.append(self.number[word])
                shades.append(None)
            elif word[0] == "|":
                costs.append(_cost(word))
            else:
                item, colour = self._coloured(word)
                items.append(item)
                shades.append(colour)
        if len(set(items)) < len(items):
            twice, _ = Counter(items).most_common(1)[0]
            raise ProblemError(f"the option has the item {list(self.number)[twice]!r} twice")
        if sum(costs) >= MAX_SCORE:
            raise ProblemError(f"the option costs {sum(costs)}; the limit is {MAX_SCORE - 1}")
        self.kept.append(min(items) < self.n_primary)
        if not self.kept[-1]:
            self.dropped.append(line)
            return
        self.indices += items
        self.indptr.append(len(self.indices))
        palette = self.palette
        self.colours += [0 if shade is None else palette.setdefault(shade, len(palette) + 1) for shade in shades]
        self.costs.append(sum(costs) if costs else None)

    def _coloured(self, word: str) -> tuple[int, str]:
        name, colon, colour = word.partition(":")
        if name not in self.number:
            hint = HINT if any(sign in name + next(iter(self.number)) for sign in "#/,;{}") else ""
            raise ProblemError(f"the item {name!r} is unknown{hint}")
        if not colon or not colour or ":" in colour or "|" in colour:
            raise ProblemError(f"{word!r} has {colour!r} for a colour")
        if self.number[name] < self.n_primary:
            raise ProblemError(f"{word!r} gives a colour to a primary item")
        return self.number[name], colour


def _cost(word: str) -> int:
    digits = word[1:]
    if not digits.isascii() or not digits.isdigit():
        raise ProblemError(f"{word!r} is not a cost, a whole number from 0, such as |3")
    if len(digits) > 40 or int(digits) >= MAX_SCORE:
        raise ProblemError(f"the cost {digits[:40]}{'...' * (len(digits) > 40)} is over the limit, {MAX_SCORE - 1}")
    return int(digits)


def _check(problem: Problem) -> None:
    check_plain(FORM, problem, exact=False)
    if problem.n_primary == 0:
        raise refusal("there are no primary items", FORM)
    if not problem.n_options and (problem.weights is not None or problem.names is not None):
        raise refusal("there are weights or names, but no options", FORM)
    if problem.n_options:
        lowest = np.minimum.reduceat(problem.indices, problem.indptr[:-1])
        idle = np.flatnonzero(lowest >= problem.n_primary)
        if len(idle):
            raise refusal(f"options[{idle[0]}] has no primary item", FORM)
    if problem.weights is not None:
        wrong = np.flatnonzero(problem.weights < 0)
        if problem.weights.dtype.kind != "i":
            raise refusal("the weights are real numbers", FORM)
        if len(wrong):
            raise refusal(f"the weight of options[{wrong[0]}] is {problem.weights[wrong[0]]}", FORM)


def _joined(name: object) -> str:
    """Returns the word of a name: the parts of a tuple, separated by commas, or by slashes if a part is a tuple."""
    if not isinstance(name, tuple):
        return str(name)
    return ("/" if any(isinstance(part, tuple) for part in name) else ",").join(map(_joined, name))


def _words(kind: str, names: Sequence[object]) -> list[str]:
    for name in names:
        if type(name) not in (str, int) and not (kind == "item" and isinstance(name, tuple)):
            raise refusal(f"the {kind} {name!r} is neither a string nor a whole number", FORM)
    words = [_joined(name) for name in names]
    check_written(FORM, kind, names, words, _fits, "is empty, or contains white space, ':', '|' or unprintable text")
    return words


def _fits(word: str) -> bool:
    return word.split() == [word] and ":" not in word and "|" not in word
