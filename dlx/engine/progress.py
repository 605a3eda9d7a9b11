"""The report on a running search."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from dlx.problem.words import shown


def written(value: Any) -> str:
    """Returns the repr of a dataclass with `covers`, which may have too many digits for `str`."""
    facts = ((field.name, getattr(value, field.name)) for field in fields(value))
    texts = (f"{name}={shown(fact) if name == 'covers' else repr(fact)}" for name, fact in facts)
    return f"{type(value).__name__}({', '.join(texts)})"


@dataclass(frozen=True, slots=True, repr=False)
class Progress:
    """A report on a running search, the argument of `progress`.

    Attributes:
        nodes: the options tried so far.
        covers: the covers found so far.
        score: the best score so far; None before the first cover, and in searches without weights.
        bound: no cover scores better than this; None without weights.
        fraction: the part of the search tree that is done, 0 to 1; exact only if all options of an item have subtrees
            of equal size. It returns to 0 when a search restarts, as in `best`. In layers it does not predict the
            time; the number of `states` per second is a better guide.
        seconds: the time spent searching.
        states: in layers, the number of distinct remaining problems; up to isomorphism, of classes; otherwise 0, like
            `hits` and `memory`.
        hits: the number of times that a remaining problem was known already.
        memory: the bytes of the states.
        doing: what a search in layers, in pieces or up to isomorphism is doing, in words; otherwise empty.
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
