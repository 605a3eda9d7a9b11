"""Covers and options in the output of the command, as text and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

import dlx
from dlx.engine.limits import Outcome
from dlx.problem.problem import Problem
from dlx.search.covers import Block

# A Python argument in a message
ARGUMENT = re.compile(r"\b(merge|memory|jobs|up_to|each|empty)=(['\"]?)([\w.]*)\2")


class Texts(dict[int, str]):
    """The text of each option, made at its first use.

    Attributes:
        problem: the problem.
        numbered: whether options are printed by their numbers, from 1.
        between: the text between two covers.
    """

    between = ""

    def __init__(self, problem: Problem, numbered: bool) -> None:
        super().__init__()
        self.problem, self.numbered = problem, numbered
        self._in_json = cache(self._parts)

    def __missing__(self, option: int) -> str:
        names = self.problem.names
        named = " ".join(_items(self.problem, option)) if names is None else str(names[option])
        self[option] = text = str(option + 1) if self.numbered else named
        return text

    def line(self, cover: Sequence[int]) -> str:
        """Returns a cover as text, without a line end."""
        return " | ".join([self[o] for o in cover])

    def scored(self, score: float, cover: Sequence[int]) -> str:
        """Returns a line with a number and a cover."""
        return f"{score}\t{self.line(cover)}\n"

    def lines(self, block: Block, numbers: Iterable[int], as_json: bool) -> str:
        """Returns a line (text or JSON) for each cover of a block, with sorted options."""
        covers = ([o for o in row if o >= 0] for row in np.sort(block, axis=1).tolist())
        each = zip(numbers, covers, strict=True)
        if as_json:
            return "".join([self.cover_line(k, cover) for k, cover in each])
        return "".join([f"{self.between if k > 1 else ''}{self.line(cover)}\n" for k, cover in each])

    def facts(self, cover: Sequence[int]) -> dict[str, Any]:
        """Returns a cover for JSON: its options, numbered from 0, their items, and their names if there are names."""
        names = self.problem.names
        named = {} if names is None else {"names": [str(names[o]) for o in cover]}
        return {"options": list(cover), "items": [_items(self.problem, o) for o in cover], **named}

    def cover_line(self, k: int, cover: list[int]) -> str:
        """Returns the JSON line of cover number k, with the keys of `facts`; makes the JSON of an option only once."""
        items, names = zip(*map(self._in_json, cover), strict=True) if cover else ((), ())
        named = "" if self.problem.names is None else f', "names": [{", ".join(names)}]'
        return f'{{"cover": {k}, "options": {cover}, "items": [{", ".join(items)}]{named}}}\n'

    def _parts(self, option: int) -> tuple[str, str]:
        """Returns the items and the name of an option in JSON."""
        import json  # costs 3 ms

        name = "" if self.problem.names is None else str(self.problem.names[option])
        return json.dumps(_items(self.problem, option)), json.dumps(name)


def _items(problem: Problem, option: int) -> list[str]:
    """Returns the items of an option with their colours, in the form of files."""
    return [
        f"{item.item!s}:{item.colour!s}" if isinstance(item, dlx.Coloured) else str(item)
        for item in problem.option(option)
    ]


def with_options(message: str) -> str:
    """Returns a message with command-line options in place of Python arguments.

    >>> with_options("empty=True lets cells stay empty; omit up_to=, or use merge='same'")
    '--empty all lets cells stay empty; omit --up-to, or use --merge same'
    """
    options = ARGUMENT.sub(lambda found: f"--{found[1].replace('_', '-')} {found[3]}".rstrip(), message)
    return options.replace("--empty True", "--empty all")


def in_json(**facts: Any) -> str:
    """Returns an object as a line of JSON."""
    import json

    return f"{json.dumps(facts)}\n"


def how_it_went(outcome: Outcome) -> dict[str, Any]:
    """Returns the end and the work of a search for JSON."""
    facts = {name: getattr(outcome, name) for name in ("exhausted", "stopped", "nodes", "updates")}
    return {**facts, "seconds": round(outcome.seconds, 6)}
