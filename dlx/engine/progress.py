"""The state of a search, as it is reported."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from dlx.problem.words import shown


def written(value: Any) -> str:
    """Returns the text of a value that has covers, also of a number that Python does not write."""
    facts = ((field.name, getattr(value, field.name)) for field in fields(value))
    told = (f"{name}={shown(fact) if name == 'covers' else repr(fact)}" for name, fact in facts)
    return f"{type(value).__name__}({', '.join(told)})"


@dataclass(frozen=True, slots=True, repr=False)
class Progress:
    """The state of a search, as `progress` is called with it.

    Attributes:
        nodes: the options tried so far.
        covers: the covers found so far.
        score: the best score so far; None before the first cover, and where nothing is weighed.
        bound: no cover scores better than this; None where nothing is weighed.
        fraction: the part of the search tree behind it, from 0 to 1. It is exact only where all options of an item have
            subtrees of the same size, and a search that begins again, as `best` does, begins at 0 again. Where
            remaining problems are merged it tells nothing of the time: how many `states` come in a second tells more.
        seconds: the time spent searching.
        states: where remaining problems are merged, how many different ones it has met; up to isomorphism, how many
            classes. Like the next two it is 0 elsewhere.
        hits: how often what was left had been met before.
        memory: the bytes that it remembers them in.
        doing: where a search stands that goes class by class, and how many classes are before it, in words; elsewhere
            empty.
    """

    nodes: int
    covers: int
    score: int | float | None
    bound: int | float | None
    fraction: float
    seconds: float
    states: int = 0
    hits: int = 0
    memory: int = 0
    doing: str = ""

    __repr__ = written
