"""The schedule of a search for the best covers: which tree is searched next, and for how long.

Each search of the tree of items starts at the root, and may have twice as many nodes as the last search. The tree of
pairs begins after `pairing` updates, if a search of items may have `pairing_nodes` nodes and the nodes may have linear
programs. After that, pairs are searched unless the tree of items is expected to end soon.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from dlx.optimum.parameters import TUNED
from dlx.optimum.sharing import OpenNode, State
from dlx.problem.checks import UNLIMITED

NEAR_END = 30  # a tree is continued if it is expected to end within this multiple of its updates so far
LEAST_SHARE = 1e-9  # share of a tree that a search counts as at least
# The worse tree is searched again when the updates of the other tree exceed its own by this factor and this difference.
NEGLECT = 8
NEGLECTED = 160_000_000


@dataclass
class SearchTree:
    """One of the two trees that are searched: the budget of its next search, and its work so far."""

    pairs: bool  # whether it branches on pairs of items
    nodes: int  # maximum nodes of its next search
    budget: int  # maximum updates of its next search
    searches: int = 0  # number of searches so far
    spent: int = 0  # updates of the last search
    total: int = 0  # updates of all searches
    estimate: float = math.inf  # expected updates of the whole tree, from the part searched last
    open: list[OpenNode] = field(default_factory=list)  # open nodes from workers or a checkpoint

    @property
    def promises_no_end(self) -> bool:
        return self.estimate > NEAR_END * self.total

    def book(self, spent: int, share: float | None = None) -> None:
        """Adds the updates of a search, and unless it was a dive, estimates the tree from the searched share."""
        self.spent = spent
        if share is not None:
            self.estimate = (spent + self.pairs * self.total) / max(share, LEAST_SHARE)
        self.searches += 1
        self.total += spent


class Schedule:
    """The trees of a search, and the choice between them.

    Attributes:
        items: the tree of items; each search starts at the root.
        pairs: the tree of pairs; each search continues the last one.
        tree: the tree that is searched now.
        stage: the number of searches so far.
    """

    def __init__(self) -> None:
        self.items = SearchTree(False, TUNED.first_restart, UNLIMITED)
        self.pairs = SearchTree(True, UNLIMITED, max(1, TUNED.pairing))
        self.tree, self.stage = self.items, 0

    def next(self, updates: int, may_pair: bool) -> None:
        """Chooses the next tree: items at first; later pairs, unless the tree of items is expected to end soon.

        `updates` are the updates of the whole search; `may_pair` says whether nodes may have linear programs.
        """
        items, pairs = self.items, self.pairs
        is_near = items.estimate < min(pairs.estimate, NEAR_END * items.total)
        better, worse = (items, pairs) if is_near else (pairs, items)
        if not may_pair or updates < TUNED.pairing or items.nodes < TUNED.pairing_nodes:
            better = items
        elif worse.total * NEGLECT + NEGLECTED < better.total:
            better = worse
        if better.searches > 0:
            better.nodes, better.budget = better.nodes * TUNED.restart_growth, better.budget * TUNED.restart_growth
        self.tree = better

    def state(self) -> State:
        """Returns the schedule for a checkpoint."""
        trees = [{**vars(tree), "open": [node.listed() for node in tree.open]} for tree in (self.items, self.pairs)]
        return {"trees": trees, "searches": [self.tree.pairs, self.stage]}

    def load(self, state: State, n_options: int) -> None:
        """Continues from a state; raises TypeError or ValueError if the state is invalid."""
        self.items, self.pairs = trees = [SearchTree(**tree) for tree in state["trees"]]
        for tree in trees:
            tree.open = [OpenNode.of(listed, n_options) for listed in tree.open]  # type: ignore[arg-type]
        is_pairs, stage = state["searches"]
        self.tree, self.stage = trees[bool(is_pairs)], stage + 0
