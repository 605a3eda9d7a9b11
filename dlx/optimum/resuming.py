"""The checkpoint of a search for the best cover: the best covers so far and the open nodes.

The same call continues from them. Nodes that workers are searching count as open, so a lost worker loses nothing.
Prices and cuts are computed again. A problem that falls apart, or is searched again in finer units, has several
searches, each with a state of its own in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Loop
from dlx.optimum.sharing import OpenNode
from dlx.parallel.workforce import Workforce
from dlx.problem.problem import Problem

if TYPE_CHECKING:
    from dlx.parallel.checkpoint import Checkpoint
    from dlx.parallel.crew import Workers

State = Mapping[str, Any]


def state_of(loop: Loop, nodes: list[OpenNode]) -> dict[str, Any]:
    """Returns the state of a search with these open nodes: the work done, and the nodes in a few long arrays."""
    state: dict[str, Any] = {
        "done": [loop.nodes, loop.updates, loop.covers],
        "share": np.array([node.share for node in nodes], dtype=np.float64),
        "bound": np.array([node.bound for node in nodes], dtype=np.int64),
    }
    for name in ("chosen", "live"):
        options = [getattr(node, name) for node in nodes]
        state[name] = np.concatenate([np.zeros(0, dtype=np.int32), *options])
        state[f"{name}_end"] = np.cumsum([len(some) for some in options], dtype=np.int64)
    return state


def nodes_of(state: State, prices: npt.NDArray[np.int64], n_options: int) -> list[OpenNode]:
    """Returns the open nodes of a state, with these prices; raises ValueError if there can be no such nodes."""
    options = {}
    for name in ("chosen", "live"):
        numbers, ends = state[name], state[f"{name}_end"].tolist()
        if ends != sorted(ends) or len(numbers) != max(ends, default=0) or numbers.dtype != np.int32:
            raise ValueError(f"{name!r} of nodes ends at {ends}")
        if len(numbers) and not 0 <= numbers.min() <= numbers.max() < n_options:
            raise ValueError("a node has an option that is not there")
        options[name] = np.split(numbers, ends[:-1])[: len(ends)]
    numbers = zip(state["share"].tolist(), state["bound"].tolist(), options["chosen"], options["live"], strict=True)
    return [OpenNode(float(share), int(bound), chosen, live, prices) for share, bound, chosen, live in numbers]


@dataclass(frozen=True)
class Resources:
    """Workers, and a checkpoint file with the states of all searches of a call, each with a name."""

    workers: Callable[[], Workers]  # makes the workers when they are needed first
    checkpoint: Checkpoint | None
    states: dict[str, State]  # the last state of each search
    name: str = "0"  # of this search

    def named(self, name: str) -> Resources:
        return replace(self, name=name)

    @property
    def state(self) -> State | None:
        return self.states.get(self.name)

    def follow(self, slices: Iterable[object], state: Callable[[], State]) -> None:
        """Runs a search slice by slice; saves its state now and then, and at the end, if there is a checkpoint."""
        if self.checkpoint is None:
            for _ in slices:
                pass
        else:
            self.checkpoint.follow(slices, lambda: self._all_states(state()))

    def save(self, state: State) -> None:
        """Saves the state of a search that ends or is stopped, if there is a checkpoint."""
        if self.checkpoint is not None:
            self.checkpoint.save(self._all_states(state))

    def _all_states(self, state: State) -> State:
        """Returns the states of all searches, with a new one for this search."""
        self.states[self.name] = state
        return {f"{name}/{key}": value for name, state in self.states.items() for key, value in state.items()}


@contextmanager
def resources_of(workforce: Workforce | None, problem: Problem, request: dict[str, Any]) -> Iterator[Resources | None]:
    """Yields the workers and checkpoint that the caller requested; None if there are none."""
    if workforce is None:
        yield None
        return
    from hashlib import sha256  # imported here: it takes a millisecond

    with ExitStack() as stack:
        states = dict[str, Any]()
        weights = sha256(b"" if problem.weights is None else problem.weights.tobytes()).hexdigest()[:32]
        checkpoint = stack.enter_context(workforce.opened(problem, weights=weights, **request))
        if checkpoint is not None:
            for key, value in (checkpoint.load() or {}).items():
                name, _, own = key.partition("/")
                states.setdefault(name, {})[own] = value
        workers = cache(workforce.workers)
        try:
            yield Resources(workers, checkpoint, states)
        finally:
            if workers.cache_info().currsize:
                workers().close()
