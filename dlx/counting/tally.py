"""The numbers of a count, whatever way it goes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tally:
    """What a way to count has done so far.

    Attributes:
        name: the name of the kernel, as `Count` has it.
        nodes, updates: options tried, and steps.
        covers: the covers found.
        hits, states: how often a known state was reached, and the states expanded; 0 if covers are visited.
        bytes: the memory of the states now.
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


class Tallied:
    """A search whose numbers are those of its tally, as the loop reads them."""

    def tally(self) -> Tally:
        """Returns the numbers so far."""
        raise NotImplementedError

    nodes = property(lambda self: self.tally().nodes)
    updates = property(lambda self: self.tally().updates)
    covers = property(lambda self: self.tally().covers)
    hits = property(lambda self: self.tally().hits)
    states = property(lambda self: self.tally().states)
    bytes = property(lambda self: self.tally().bytes)
