"""The numbers of a count, whatever way it goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Tally:
    """What a way to count has done so far.

    Attributes:
        name: the name of the kernel, as `Count` has it.
        nodes, updates: options tried, and steps.
        covers: the covers found.
        hits: the number of times that a known state was reached; 0 if covers are visited.
        states: the states expanded; up to isomorphism the classes reached; 0 if covers are visited.
        bytes: the memory of the states now; up to isomorphism the most memory of the classes so far.
        merged: whether equal remaining problems are counted once.
    """

    name: str
    nodes: int = 0
    updates: int = 0
    covers: int = 0
    hits: int = 0
    states: int = 0
    bytes: int = 0
    merged: bool = False

    def saved(self) -> dict[str, Any]:
        """Returns the tally of a count that has ended, as a checkpoint keeps it."""
        return {**asdict(self), "covers": hex(self.covers)}  # JSON has no integers of thousands of digits

    @classmethod
    def of(cls, saved: Mapping[str, Any]) -> Tally:
        """Returns the tally that a checkpoint has."""
        return cls(**{**saved, "covers": int(saved["covers"], 16)})


def tally_of(search: Any) -> Tally:
    """Returns the numbers so far of a kernel, of pieces, or of a search that merges, which has states."""
    merged = hasattr(search, "states")
    hits, states, size = (search.hits, search.states, search.bytes) if merged else (0, 0, 0)
    return Tally(search.name, search.nodes, search.updates, search.covers, hits, states, size, merged)


class Tallied:
    """A search whose covers and states are those of its tally, as the loop reads them."""

    def tally(self) -> Tally:
        """Returns the numbers so far."""
        raise NotImplementedError

    covers = property(lambda self: self.tally().covers)
    hits = property(lambda self: self.tally().hits)
    states = property(lambda self: self.tally().states)
    bytes = property(lambda self: self.tally().bytes)
