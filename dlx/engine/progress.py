"""The state of a search, as it is reported."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from dlx.problem.words import shown


def written(value: Any) -> str:
    """Returns the text of a value that has covers, also of a number that Python does not write."""
    facts = ((field.name, getattr(value, field.name)) for field in fields(value))
    texts = (f"{name}={shown(fact) if name == 'covers' else repr(fact)}" for name, fact in facts)
    return f"{type(value).__name__}({', '.join(texts)})"


@dataclass(frozen=True, slots=True, repr=False)
class Progress:
    """The state of a search, as `progress` is called with it.

    Attributes:
        nodes: the options tried so far.
        covers: the covers found so far.
        score: the best score so far; None before the first cover, and where nothing is weighed.
        bound: no cover scores better than this; None where nothing is weighed.
        fraction: the part of the search tree that is done, from 0 to 1. It is exact only if all options of an item have
            subtrees of the same size. A search that begins again, as in `best`, begins at 0 again. In a layered search
            the fraction says nothing about the time; the number of `states` in a second says more.
        seconds: the time spent searching.
        states: in layers, the number of different remaining problems; up to isomorphism, the number of classes;
            elsewhere 0, as are `hits` and `memory`.
        hits: the number of times that a remaining problem had been met before.
        memory: the bytes of the states.
        doing: the position of a search in pieces or up to isomorphism, in words; elsewhere empty.
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
