"""The checkpoint of a search for the best cover by many workers, and the way on from it.

A checkpoint has the best covers so far, the root with all that it has learnt, the nodes that are open, and which search
of the root this is. Those with workers are open until they come back, so nothing is lost with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from dlx.optimum.sharing import ITEM, OPTION, PAIR, WHOLE, Node
from dlx.parallel.workforce import Workforce
from dlx.problem.problem import Problem

if TYPE_CHECKING:
    from dlx.parallel.checkpoint import Checkpoint
    from dlx.parallel.crew import Workers

State = Mapping[str, Any]


def packed(nodes: Sequence[Node]) -> dict[str, Any]:
    """Returns nodes as a checkpoint keeps them, in some long arrays."""
    told: dict[str, Any] = {name: [getattr(node, name) for node in nodes] for name in ("share", "bound", "kind")}
    for name, kind in LISTS.items():
        lists = [getattr(node, name) for node in nodes]
        told[name] = np.concatenate([np.zeros(0, dtype=kind), *lists])
        told[f"{name}_end"] = np.cumsum([0, *map(len, lists)])
    return told


def unpacked(told: State) -> list[Node]:
    """Returns the nodes that `packed` has been given."""
    lists = {}
    for name in LISTS:
        ends = told[f"{name}_end"].tolist()
        if [ends[0], ends[-1]] != [0, len(told[name])] or ends != sorted(ends):
            raise ValueError(f"{name!r} of nodes ends at {ends}")
        lists[name] = [told[name][a:b] for a, b in pairwise(ends)]
    return [Node(*each) for each in zip(*({**told, **lists}[name] for name in Node._fields), strict=True)]


LISTS = {"chosen": np.int32, "live": np.int32, "prices": np.int64, "left": np.int64}


def check(nodes: Sequence[Node], n_items: int, n_options: int) -> None:
    """Raises a ValueError for what cannot be nodes: the kernel relies on them."""
    for node in nodes:
        for name, kind in LISTS.items():
            if getattr(node, name).dtype != kind:
                raise ValueError(f"{name!r} of a node is of type {getattr(node, name).dtype}")
        if not isinstance(node.share, float) or not isinstance(node.bound, int):
            raise ValueError(f"a node has the share {node.share!r} and the bound {node.bound!r}")
        tried = node.left[: len(node.left) // 2 if node.kind == ITEM else 0]
        options = np.concatenate([node.chosen, node.live, tried])
        if len(options) and not 0 <= options.min() <= options.max() < n_options:
            raise ValueError("a node has an option that is not there")
        if len(node.prices) != n_items:
            raise ValueError(f"a node has {len(node.prices)} prices, for {n_items} items")
        sizes = {ITEM: len(node.left) // 2 * 2, OPTION: 4, PAIR: 4, WHOLE: 0}
        if sizes.get(node.kind) != len(node.left):
            raise ValueError(f"a node of kind {node.kind} has {len(node.left)} numbers")
        if node.kind in (OPTION, PAIR):
            first, second, *_ = node.left.tolist()
            most = n_options if node.kind == OPTION else n_items
            if not (0 <= first < most and 0 <= second < n_items):
                raise ValueError(f"a node is divided by {first} and {second}")


def past(told: State) -> SimpleNamespace:
    """Returns what has been done before, as a kernel at its end."""
    nodes, updates, covers = told["done"]
    return SimpleNamespace(nodes=nodes, updates=updates, covers=covers, fraction=lambda: 1.0)


class Help:
    """The help that a search for the best cover has: workers, and what a checkpoint keeps of it.

    A problem that falls apart, or is searched again with finer scores, has several searches: each has a name, and a
    state of its own in the file.
    """

    def __init__(self, workforce: Workforce, checkpoint: Checkpoint | None) -> None:
        self.workforce, self._checkpoint = workforce, checkpoint
        self._workers: Workers | None = None
        self._states: dict[str, State] = {}
        saved = None if checkpoint is None else checkpoint.load()
        for key, value in (saved or {}).items():
            name, _, own = key.partition("/")
            self._states.setdefault(name, {})[own] = value  # type: ignore[index]

    @property
    def workers(self) -> Workers:
        if self._workers is None:
            self._workers = self.workforce.workers()
        return self._workers

    def state(self, name: str) -> State | None:
        """Returns the state of a search, if there is one."""
        return self._states.get(name)

    def refusing(self) -> AbstractContextManager[None]:
        """Refuses the file where it tells a state that cannot be."""
        return nullcontext() if self._checkpoint is None else self._checkpoint.refusing()

    def follow(self, name: str, slices: Iterator[object], stand: Callable[[], State]) -> None:
        """Runs a search slice by slice, and keeps where it stands now and then, and whatever ends it."""
        if self._checkpoint is None:
            for _ in slices:
                pass
            return

        def all_of_it() -> State:
            self._states[name] = stand()
            return self._all()

        self._checkpoint.follow(slices, all_of_it)

    def save(self, name: str, state: State) -> None:
        """Keeps the state of a search that ends or is stopped."""
        if self._checkpoint is not None:
            self._states[name] = state
            self._checkpoint.save(self._all())

    def _all(self) -> State:
        return {f"{name}/{own}": value for name, state in self._states.items() for own, value in state.items()}

    def close(self) -> None:
        """Ends the workers that have been made here."""
        if self._workers is not None:
            self._workers.close()


@contextmanager
def helped(workforce: Workforce | None, problem: Problem, said: dict[str, Any]) -> Iterator[Help | None]:
    """Gives the help that a caller has asked for; None for a search by one."""
    if workforce is None:
        yield None
        return
    with ExitStack() as stack:
        checkpoint = None
        if workforce.checkpoint is not None:
            import hashlib  # as late as here: a checkpoint is rare

            from dlx.parallel.checkpoint import Checkpoint, fingerprint

            weights = b"" if problem.weights is None else problem.weights.tobytes()
            told = {"problem": fingerprint(problem), "weights": hashlib.sha256(weights).hexdigest()[:32], **said}
            checkpoint = stack.enter_context(Checkpoint(workforce.checkpoint, told))
        help_ = Help(workforce, checkpoint)
        stack.callback(help_.close)
        yield help_
