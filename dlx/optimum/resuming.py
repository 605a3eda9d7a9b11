"""The checkpoint of a search for the best cover: the best covers so far and the open nodes.

The same call continues from them. Nodes that workers are searching count as open, so a lost worker loses nothing.
Prices and cuts are computed again. A problem that falls apart, or is searched again in finer units, has several
searches, each with a state of its own in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dlx.optimum.sharing import OpenNode
from dlx.parallel.workforce import Workforce
from dlx.problem.problem import Problem

if TYPE_CHECKING:
    from dlx.parallel.checkpoint import Checkpoint
    from dlx.parallel.crew import Workers

State = dict[str, Any]  # values for JSON


def listed(nodes: list[OpenNode]) -> list[list[Any]]:
    """Returns open nodes for JSON, without their prices."""
    return [[share, bound, chosen.tolist(), live.tolist()] for share, bound, chosen, live, _ in nodes]


def nodes_of(listed: list[list[Any]], n_options: int) -> list[OpenNode]:
    """Returns open nodes that still need prices; raises ValueError or TypeError if there can be no such nodes."""
    nodes = []
    for share, bound, *options in listed:
        chosen, live = (np.array(some, dtype=np.int32) for some in options)
        for some in (chosen, live):
            if some.ndim != 1 or not (0 <= some.min(initial=0) <= some.max(initial=0) < n_options):
                raise ValueError("a node has an option that is not there")
        nodes.append(OpenNode(float(share), int(bound), chosen, live, np.zeros(0, dtype=np.int64)))
    return nodes


@dataclass(frozen=True)
class Resources:
    """Workers, and a checkpoint file with the states of all searches of a call, each with a name."""

    workers: Callable[[], Workers] | None = None  # makes the workers when they are needed first
    checkpoint: Checkpoint | None = None
    states: dict[str, State] = field(default_factory=dict)  # the last state of each search
    name: str = "0"  # of this search

    def named(self, name: str) -> Resources:
        return replace(self, name=name)

    @property
    def state(self) -> State | None:
        return self.states.get(self.name)

    def follow(self, slices: Iterable[object], state: Callable[[], State]) -> None:
        """Runs a search slice by slice; saves its state now and then, and at the end, if there is a checkpoint."""
        if self.checkpoint is not None:
            self.checkpoint.follow(slices, lambda: self._all_states(state()))
        else:
            for _ in slices:
                pass

    def save(self, state: State) -> None:
        """Saves the state of a search that ends or is stopped, if there is a checkpoint."""
        if self.checkpoint is not None:
            self.checkpoint.save(self._all_states(state))

    def _all_states(self, state: State) -> dict[str, State]:
        self.states[self.name] = state
        return self.states


@contextmanager
def resources_of(workforce: Workforce | None, problem: Problem, request: dict[str, Any]) -> Iterator[Resources]:
    """Yields the workers and the checkpoint that the caller requested, if any."""
    if workforce is None:
        yield Resources()
        return
    from hashlib import sha256  # imported here: it takes a millisecond

    weights = sha256(b"" if problem.weights is None else problem.weights.tobytes()).hexdigest()[:32]
    with workforce.opened(problem, weights=weights, **request) as checkpoint:
        states = (None if checkpoint is None else checkpoint.load()) or {}
        workers = cache(workforce.workers)
        try:
            yield Resources(workers, checkpoint, states)
        finally:
            if workers.cache_info().currsize:
                workers().close()
