"""The numbers of a count, by any method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Tally:
    """The numbers of a count so far.

    Attributes:
        name: the kernel, as in `Count`.
        nodes, updates: options tried, and steps.
        covers: the covers found.
        hits: the number of times that a known state was reached; 0 for visits.
        states: the states expanded; up to isomorphism, the classes; 0 for visits.
        bytes: the bytes of the states now; up to isomorphism, the maximum bytes of the classes so far.
        merged: whether equal remaining problems are merged.
    """

    name: str
    nodes: int = 0
    updates: int = 0
    covers: int = 0
    hits: int = 0
    states: int = 0
    bytes: int = 0
    merged: bool = False


class Tallied:
    """A search that takes its covers, hits, states and bytes from its tally."""

    def tally(self) -> Tally:
        """Returns the numbers so far."""
        raise NotImplementedError

    covers = property(lambda self: self.tally().covers)
    hits = property(lambda self: self.tally().hits)
    states = property(lambda self: self.tally().states)
    bytes = property(lambda self: self.tally().bytes)


def tally_of(search: Any) -> Tally:
    """Returns the tally of a kernel, of pieces, or of a merging search (one with `states`)."""
    if isinstance(search, Tallied):
        return search.tally()
    merged = hasattr(search, "states")
    hits, states, size = (search.hits, search.states, search.bytes) if merged else (0, 0, 0)
    return Tally(search.name, search.nodes, search.updates, search.covers, hits, states, size, merged)
