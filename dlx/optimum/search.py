"""The search for the best covers: plain for a while, then by prices, from the root again and again.

Each of these searches comes down another way, with better prices and a better target than the one before, and for
longer. One that ends by itself has proved that nothing better is left. What costs more than a search of a few thousand
nodes waits until such searches have cost as much.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import build
from dlx.engine.limits import Loop
from dlx.optimum import dives, sharing
from dlx.optimum.alike import undominated
from dlx.optimum.certificate import Certificate
from dlx.optimum.frontier import Frontier
from dlx.optimum.highs import Highs
from dlx.optimum.parameters import TUNED
from dlx.optimum.resuming import Help, State, check, packed, past, unpacked
from dlx.optimum.root import Root, mean_size
from dlx.optimum.sharing import Ground, Makings, Node, SharedTree
from dlx.optimum.units import Incumbents, Sign, Units
from dlx.problem.checks import UNLIMITED
from dlx.problem.problem import Problem

FRONTIER_BITS = 16  # bits of a state, at most, in a search layer by layer
ADDING_GAIN = 0.003  # the part of the gap that cuts have to close for more cuts to be added
# The stage from which on every second one aims higher. From 2 on sppaa04 took twice as long; without it tetrominoes on
# 12 x 12 were open after 10 s.
HIGHER = 6
NEAR_END = 30  # times the updates of a tree so far: if it promises to end within these, it is searched on
LEAST_SHARE = 1e-9  # of a tree, below which nothing is known of its size
NEGLECT = 8  # the worse tree is searched again when the other one has had so many times its updates
NEGLECTED = 160_000_000  # and so many updates more
PRICE_BYTES = 1 << 28  # memory for the prices of the nodes on a path
EARLY = 400  # sweeps in whose time the first linear program is solved before any search by prices
EARLY_OPTIONS = 60  # from so many options on that is done before plain search, too
EARLY_SWEEPS = 2  # sweeps before it, at each temperature
EARLY_ROUNDS = 4  # temperatures before it
LOG = 1 << 16  # numbers of a proof log at a time, besides those of one node
LONGEST_LOG = 1 << 24  # numbers in a certificate, at most: 128 MB
BUFFER = 1 << 20  # entries of a buffer of covers
BLOCK = 256  # covers that plain search hands over at a time, or fewer where they are wide

# The part that is left of what was left of a tree of items, at most, for which it is searched for as long again. Shares
# are no measure of work there: .82 of a tree of air05 were done after 311 million updates, and all of it after 6,156.
STALLED = 0.5


@dataclass
class Tree:
    """One of the two trees that are searched: how long it may be next, and what it has come to."""

    pairs: bool  # whether it branches on pairs of items
    nodes: int  # the most of its next search,
    budget: int = UNLIMITED  # and the most updates
    searches: int = 0  # so far,
    spent: int = 0  # the updates of the last one,
    total: int = 0  # and of all
    estimate: float = math.inf  # of the updates of the whole tree, if all of it is like what was searched last


@dataclass
class Fork:
    """The search of the tree of pairs, which goes on where it stopped."""

    kernel: Any
    aimed: int  # the target when it began
    nodes: list[Node]  # the open nodes if workers have searched it, else none


class Rest(NamedTuple):
    """The nodes that a limit has left open in a tree, and the updates spent on it."""

    nodes: list[Node]
    spent: int


class Search:
    """A search for the best covers: what it has found so far, and the turns that its kernels take."""

    def __init__(
        self,
        problem: Problem,
        sign: Sign,
        k: int,
        seed: int,
        loop: Loop,
        start: Sequence[int] | None = None,
        second: Highs | None = None,
        helped: tuple[Help, str] | None = None,
    ) -> None:
        self.incumbents = Incumbents(k)
        self._second = second  # opinion, beside this search
        self.units = Units(problem, sign)
        self._problem, self._sign, self._seed, self._loop = problem, sign, seed, loop
        self._root: Root | None = None
        self._aims_higher = False  # than the next better score: the end of such a search proves less
        self._part_left_out = 1 / 8  # of the gap, when it aims higher
        self._items, self._pairs = Tree(False, TUNED.first_restart), Tree(True, UNLIMITED, max(1, TUNED.pairing))
        self._tree, self._stage = self._items, 0
        self._help: Help | None
        self._help, self._name = helped or (None, "")  # with the name of this search there
        self._fork: Fork | None = None  # before the first search of the tree of pairs
        self._rest: Rest | None = None  # if the next search begins with these nodes, and not at the root
        # without options that some best cover does not need
        self._priced = undominated(problem, self.units.exact) if k == 1 else problem
        self._plain: Any = None  # searches without prices
        self._frontier: Frontier | None = None
        self._makings: Makings | None = None  # of the root before cuts, if its linear program came before any search
        if start is not None:
            self._offer(np.array(start, dtype=np.int32))
        self._note()

    @property
    def bound(self) -> int | float | None:
        """No cover scores better than this; None if there is no cover."""
        scores = [score for score, _ in self.incumbents.covers[:1]]
        if self._loop.exhausted and not self._aims_higher:
            return self._sign * scores[0] if scores else None
        bound = self.units.naive if self._root is None else self.units.score(self._root.kernel.upper_bound)
        return self._sign * max([bound, *scores])

    def run(self) -> None:
        saved = None if self._help is None else self._help.state(self._name)
        if saved is None:
            if self._begin():
                self._stages(self._rooted())
            return
        root = self._rooted()
        self._go_on(root, saved)
        self._loop.exhausted = self._rest is not None and not self._rest.nodes
        if not self._loop.exhausted:
            self._stages(root)

    def finish(self) -> None:
        """Takes what an interrupt has left in the buffer, and keeps where it ends if there is a checkpoint."""
        root = self._root
        for kernel in (self._plain, root and root.kernel):
            if kernel is not None:
                self._take(kernel)
        if self._fork is not None:
            self._take(self._fork.kernel)
        if self._help is None or root is None:
            return
        if self._help.state(self._name) is None and self._loop.updates < sharing.ALONE:
            return
        rest = Rest([], 0)
        if not self._loop.exhausted:
            root.kernel.restart(self._seed)  # an interrupt may have come anywhere
            root.kernel.keep()
            rest = self._rest or Rest([root.node()], 0)
        self._help.save(self._name, self._stand(root, rest))

    def certify(self) -> Certificate | None:
        """Proves again what has been proven, and writes it down; None if a limit comes first, or it takes too much.

        Raises:
            RuntimeError: some cover does reach the target; it would wait in the kernel's buffer for ever.
        """
        units, loop, priced = self.units, self._loop, self._root is not None
        root = self._root
        if root is None or self._priced is not self._problem:
            hard = root is not None and bool(root.cuts)
            root = self._root = self._new_root(self._problem)
            if hard and root.anneal(TUNED.sweeps, TUNED.rounds):
                self._add_items(root)
        root.begin_again()
        if self._fork is not None:
            root.kernel = root.fork()
        kernel = root.kernel
        if self.incumbents.covers:
            kernel.target = units.units_unreached(self.incumbents.covers[0][0])
        else:  # the least that a checker knows of every cover; a kernel's bounds are -2**62 or more
            kernel.target = max(-(1 << 62), sum(weight for weight in units.weights.tolist() if weight < 0))
        prices, kernel.increment = kernel.prices(), 0
        kernel.write_down(TUNED.cut_rounds, LOG)
        root.anneal(TUNED.cut_sweeps, TUNED.cut_rounds, TUNED.warm * kernel.spare() if priced else None)
        parts, left = [], LONGEST_LOG
        loop.exhausted = False  # it may have been while items were added
        for _ in loop.slices(kernel):
            if kernel.filled:
                better = sorted(o for o in kernel.found()[0].tolist() if o >= 0)
                raise RuntimeError(
                    f"a mistake in dlx: the options {better} are better than the best cover that was proven"
                )
            parts.append(kernel.steps())
            left -= len(parts[-1])
            if left < 0:
                loop.exhausted = True  # no limit has stopped it
                return None
        if not loop.exhausted:
            return None
        return Certificate(
            sign=self._sign,
            bits=units.bits,
            weights=units.weights,
            target=kernel.target if self.incumbents.covers else None,
            added=root.added,
            prices=prices,
            record=np.concatenate(parts),
        )

    def _begin(self) -> bool:
        """Searches plainly for a while, and finds the first prices of the root; False at the end.

        Where options are pairs, a few sweeps are enough to solve the linear program and to look for cuts. If that takes
        some milliseconds, it comes before any search, but for cuts by colours, which need a score to beat. The first
        search begins with the prices of sweeps all the same, and the others with the better ones. Prices at a vertex
        leave it astray: its cover of the 2-factor of 60 points costs 6974 with them, and 6021 with those of sweeps.
        """
        rows = self._priced.rows()
        is_small = rows.n_options >= EARLY_OPTIONS and len(rows.indices) <= TUNED.cut_entries
        is_early = is_small and self.incumbents.k == 1 and rows.colours is None and mean_size(rows) <= 2
        if is_early and not self._relax_early(self._rooted()):
            return False
        self._probe()
        if self._loop.exhausted or self._loop.over():
            return False
        root = self._rooted()
        if not is_early and root.has_pairs and not self._relax_early(root):
            return False
        if self._makings is None:
            self._loop.join(root.kernel)
            return root.anneal(TUNED.sweeps, TUNED.rounds) and self._is_open(root)
        self._loop.join(root.sweep(self._makings))
        return self._is_open(root)

    def _probe(self) -> None:
        """Searches plainly for a while; what it finds is a first target for the priced search."""
        room = max(1, min(BLOCK, BUFFER // max(1, self._problem.max_level)))
        plain = self._plain = build(self._priced, room=room)
        self._run(plain, TUNED.probe)
        if not self._loop.exhausted and plain.fraction() * TUNED.long_probe > plain.nodes / 2:
            self._run(plain, TUNED.long_probe - plain.nodes)

    def _goes_by_layers(self) -> bool:
        """Finds the best covers layer by layer if that takes no longer than the search so far; tells whether it has."""
        units, loop = self.units, self._loop
        if self._frontier is None:
            self._frontier = Frontier(self._priced.rows(), FRONTIER_BITS)
        if self._frontier.work > loop.updates or not (units.is_exact or units.tolerance):
            return False
        covers = self._frontier.best(units.weights, self.incumbents.k, loop.over)
        self._frontier.work = math.inf  # it is tried once
        for options in covers or ():
            self._offer(np.array(options, dtype=np.int32))
        loop.exhausted = covers is not None
        self._note()
        return loop.exhausted

    def _rooted(self) -> Root:
        """Returns the root, which is made when it is needed first."""
        if self._root is None:
            self._root = self._new_root(self._priced)
        return self._root

    def _new_root(self, problem: Problem) -> Root:
        # With exact scores the kernel raises the target itself, and need not return to Python for each cover.
        raising = self.units.is_exact and self.incumbents.k == 1
        room = sharing.RAISING if raising else 1
        root = Root(problem, self.units, room, self._seed, self._loop, merging=self.incumbents.k == 1)
        root.kernel.increment = self.units.increment if raising else 0
        self._aim(root.kernel)
        return root

    def _relax_early(self, root: Root) -> bool:
        """Solves the linear program of the root, and adds cuts where that is cheap; False at the end."""
        self._loop.join(root.kernel)
        makings = root.makings
        if root.anneal(EARLY_SWEEPS, EARLY_ROUNDS) and root.relax(EARLY):
            self._makings = makings
            self._try_vertex(root)
            if root.cuts_are_cheap and self._is_open(root):
                self._add_items(root)
        return self._is_open(root)

    def _is_open(self, root: Root) -> bool:
        """Tells whether the root may have a better cover, and no limit is reached."""
        self._loop.exhausted = root.kernel.upper_bound < root.kernel.target
        return not (self._loop.exhausted or self._loop.over())

    def _stages(self, root: Root) -> None:
        """Searches from the root again and again, for longer and with better prices, until one search ends."""
        while not (self._loop.exhausted or self._loop.over()):
            tree, stage = self._tree, self._stage
            self._search(root, tree, stage)
            if self._rest is not None or self._loop.exhausted:
                return
            stage = self._stage = stage + 1
            if self._goes_by_layers():
                return
            root.kernel.restart(self._seed + stage)
            root.kernel.keep()
            if not tree.pairs:  # which goes on where it stopped, whatever the root has become
                self._refine(root, tree, stage)
                is_nearly_whole = root.has_pairs and root.vertex is not None
                is_turn = stage >= HIGHER and stage % 2 == 0 and not root.has_pairs
                if (is_nearly_whole or is_turn) and self._is_open(root):
                    self._aim_higher(root, tree.nodes if is_nearly_whole else tree.nodes // 4)
            self._tree = self._next(1 if root.programs else TUNED.unprogrammed, self._items, self._pairs)
            root.kernel.sweeps, root.kernel.warmth = min(2 * stage, TUNED.node_sweeps), TUNED.warmth

    def _search(self, root: Root, tree: Tree, stage: int) -> None:
        """Searches a tree once, for what it may spend."""
        kernel = root.kernel
        start = kernel.updates
        if self._rest is None and tree.searches % 2 and not tree.pairs:
            dives.dive(kernel, self._dives(tree, stage), lambda: self._diving_updates(tree), self._run, self._loop)
            tree.spent = kernel.updates - start
        else:
            share, spent = self._go_down(root, tree)
            if self._rest is not None:
                return
            tree.spent = spent
            tree.estimate = (tree.spent + tree.pairs * tree.total) / max(share, LEAST_SHARE)
        tree.searches += 1
        tree.total += tree.spent

    def _go_down(self, root: Root, tree: Tree) -> tuple[float, int]:
        """Searches the tree below the root, by workers once it has taken long; returns the part done, and the updates.

        A tree of items is searched from the root, or from the nodes that a checkpoint has left; that of pairs goes on
        where it stopped. What a limit leaves open is kept.
        """
        helper, kernel = self._help, root.kernel
        nodes, budget = tree.nodes, tree.budget
        if tree.pairs:
            kernel = self._forked(root, tree).kernel
            self._aim(kernel)
        start = kernel.updates
        is_short = self._loop.updates < sharing.ALONE or budget < sharing.ALONE // 4
        if helper is None or (self._rest is None and is_short):
            self._run(kernel, nodes, budget)
            while not is_short and self._is_far(kernel) and not (self._loop.exhausted or self._loop.over()):
                self._run(kernel, nodes, budget)
            if tree.pairs and not self._loop.exhausted:
                root.kernel.lower(max((node.bound for node in map(Node._make, kernel.rest())), default=kernel.target))
            return kernel.fraction(), kernel.updates - start
        shared = self._shared(root, kernel, self._open_nodes(root, tree))
        spent, self._rest = 0 if self._rest is None else self._rest.spent, None
        done = 0.0
        try:
            while not self._loop.exhausted and not self._loop.over():
                slices = self._slices(shared, nodes, max(0, budget - spent))
                helper.follow(
                    self._name, slices, lambda: self._stand(root, Rest(shared.open(), spent + shared.updates))
                )
                before, done = done, shared.fraction()
                if not self._is_far(shared) or (not tree.pairs and 1 - done > STALLED * (1 - before)):
                    break
        finally:
            shared.close()
            self._take(shared)
            spent += shared.updates
            self._rest = Rest(shared.open(), spent)
        if tree.pairs and self._fork is not None:
            self._fork.nodes = self._rest.nodes
        if self._loop.exhausted or not self._loop.over():
            self._rest = None
        return shared.fraction() if tree.pairs or self._is_far(shared) else 0.0, spent

    def _forked(self, root: Root, tree: Tree) -> Fork:
        """Returns the search of the tree of pairs, which begins at the root if there is none.

        The tree begins again where better covers have been found since it began and it promises no end: its first nodes
        were divided for a worse one. Without this a seed of air04 was not done in 100 s, where others took 8 to 12.
        """
        fork, aim = self._fork, root.kernel.target
        if fork is not None and aim > fork.aimed and tree.estimate > NEAR_END * tree.total:
            fork.kernel.separate(1)  # the loop keeps it, for its counters
            fork.kernel.program(0, 0)
            fork, tree.total = None, 0
        if fork is None:
            root.relax(TUNED.fork_sweeps)
            root.centre(TUNED.fork_sweeps)
            fork = self._fork = Fork(root.fork(), aim, [])
        return fork

    def _open_nodes(self, root: Root, tree: Tree) -> list[Node]:
        """Returns the nodes with which workers begin: those that a checkpoint or the last search left, or the root."""
        nodes = [root.node()]
        if self._rest is not None:
            nodes = self._rest.nodes
        elif tree.pairs and self._fork is not None:
            nodes = self._fork.nodes or [*map(Node._make, self._fork.kernel.rest())]
        return [node.widened(len(root.kernel.prices())) for node in nodes]  # by the cuts since then

    def _is_far(self, tree: Any) -> bool:
        """Tells whether so much of a tree is done that it is searched to its end."""
        return bool(tree.fraction() >= sharing.FAR)

    def _shared(self, root: Root, kernel: Any, nodes: list[Node]) -> SharedTree:
        """Hands nodes below the root to workers, who search as a kernel does."""
        assert self._help is not None
        workers = self._help.workers
        ground = Ground(root.makings, kernel, self.units, self.incumbents.k)
        shared = SharedTree(ground, workers, root.kernel, nodes, self._loop)
        self._loop.join(shared)
        return shared

    def _stand(self, root: Root, rest: Rest) -> dict[str, Any]:
        """Returns the state of this search for a checkpoint, with what is left of its tree."""
        loop, covers = self._loop, self.incumbents.covers
        return {
            "covers": [[score, options] for score, options in covers],
            "known": [self._sign * covers[0][0] if covers else None, self.bound],  # to whoever looks at the file
            "trees": [vars(self._items), vars(self._pairs)],
            "pairs": self._tree.pairs,
            "stage": self._stage,
            "part_left_out": self._part_left_out,
            "spent": rest.spent,
            "done": [loop.nodes, loop.updates, loop.covers],
            **root.stand(),
            **packed(rest.nodes),
        }

    def _go_on(self, root: Root, saved: State) -> None:
        """Goes on from what `_stand` has told."""
        assert self._help is not None
        with self._help.refusing():
            for score, options in saved["covers"]:
                self.incumbents.offer(score, tuple(options))
            self._items, self._pairs = (Tree(**told) for told in saved["trees"])
            self._tree, self._stage = self._pairs if saved["pairs"] else self._items, saved["stage"]
            self._part_left_out, self._rest = saved["part_left_out"], Rest(unpacked(saved), saved["spent"])
            root.go_on(saved)
            check(self._rest.nodes, len(root.kernel.prices()), self._problem.n_options)
        self._aim(root.kernel)
        self._loop.join(past(saved))
        self._note()

    def _aim_higher(self, root: Root, nodes: int) -> None:
        """Searches shortly for a score near to the bound; if there is none, the bound is lower.

        A high target lets the search drop most options. If options are pairs the linear program is nearly whole, and
        the best score near to the bound.
        """
        kernel, least = root.kernel, root.kernel.target
        kernel.restart(self._seed + self._stage)
        kernel.keep()
        gap = 0 if self.incumbents.least is None else kernel.upper_bound - least
        goal = kernel.target = max(least, int(kernel.upper_bound - self._part_left_out * gap))
        self._aims_higher = True
        self._run(kernel, nodes)
        self._aims_higher = False
        if self._loop.exhausted:
            kernel.lower(goal - 1)
        self._part_left_out = min(0.5, 2 * self._part_left_out) if self._loop.exhausted else self._part_left_out / 2
        self._aim(kernel)
        kernel.restart(self._seed + self._stage)
        kernel.keep()
        self._is_open(root)
        self._note()

    def _run(self, kernel: Any, nodes: int = UNLIMITED, budget: int = UNLIMITED, covers: int = UNLIMITED) -> None:
        for _ in self._slices(kernel, nodes, budget, covers):
            pass

    def _slices(self, kernel: Any, nodes: int, budget: int, covers: int = UNLIMITED) -> Iterator[None]:
        for _ in self._loop.slices(kernel, nodes, covers, budget):
            self._take(kernel)
            yield

    def _dives(self, tree: Tree, stage: int) -> list[dives.Dive]:
        return [*dives.planned(self.units, tree.nodes, self._seed + stage)]

    def _diving_updates(self, tree: Tree) -> int:
        """Returns the most updates of dives; once there is a cover, they may only take some times the search before."""
        return UNLIMITED if self.incumbents.least is None else TUNED.dive_by * tree.spent

    def _next(self, wait: int, items: Tree, pairs: Tree) -> Tree:
        """Chooses the tree to search: once items have taken long, mostly pairs, unless items promise to end.

        That is so many times as long as where nodes have linear programs.
        """
        is_near = items.estimate < min(pairs.estimate, NEAR_END * items.total)
        better, worse = (items, pairs) if is_near else (pairs, items)
        if self._loop.updates < wait * TUNED.pairing or items.nodes < wait * TUNED.pairing_nodes:
            better = items
        elif worse.total * NEGLECT + NEGLECTED < better.total:
            better = worse
        if better.searches > 0:
            better.nodes, better.budget = better.nodes * TUNED.restart_growth, better.budget * TUNED.restart_growth
        return better

    def _refine(self, root: Root, tree: Tree, stage: int) -> None:
        """Finds better prices for the next stage, at the root; the first time, gives nodes prices of their own."""
        if stage == 1:  # most searches have ended before this
            rows = min(self.units.max_level + 2, PRICE_BYTES // (8 * self._problem.n_items))
            root.kernel.separate(max(1, rows))
        sweeps = min(TUNED.sweeps * 2**stage, TUNED.root_sweeps)
        rounds = TUNED.rounds + min(stage, TUNED.colder)
        power = TUNED.relaxed if stage % 2 else 1.0
        if not root.relax():
            root.anneal(sweeps, rounds, power=power)
        if self._loop.over():
            return
        root.relax()
        is_cheap = root.cuts_are_cheap
        is_worth = tree.total >= TUNED.adding_work * len(root.kernel.options_left())
        if (is_cheap or is_worth) and (stage >= TUNED.adding or (is_cheap and root.has_pairs)):
            self._add_items(root)
        if root.vertex is not None:
            self._try_vertex(root)
            if self._is_open(root):
                root.centre()

    def _add_items(self, root: Root) -> None:
        """Adds cuts while they close the gap."""
        self._loop.join(root.kernel)
        while True:
            spare = root.kernel.spare()
            if not root.add_cuts() or self._loop.over():
                return
            if root.vertex is not None:
                self._try_vertex(root)
            if not self._is_open(root):
                return
            if root.kernel.spare() > (1 - ADDING_GAIN) * spare:
                return

    def _try_vertex(self, root: Root) -> None:
        """Offers the masses of the linear program, if they are a cover."""
        root.kernel.find_whole()
        self._take(root.kernel)

    def _take(self, kernel: Any) -> None:
        """Takes the covers found out of a kernel's buffer, and tells what to look for now."""
        found = kernel.found()
        if len(found):
            if len(found) > self.incumbents.k:
                found = found[np.argsort(-self.units.exact[found].sum(axis=1), kind="stable")[: self.incumbents.k]]
            for row in found:
                self._offer(row[row >= 0])
            kernel.filled = 0
        is_news = self._second is not None and self._second.confer(self.incumbents)
        if (len(found) or is_news) and self._root is not None:
            self._aim(self._root.kernel)
            if self._fork is not None:
                self._aim(self._fork.kernel)
        self._note()

    def _offer(self, options: npt.NDArray[np.int32]) -> None:
        options = np.sort(options) if self._root is None else self._root.apart(options)
        self.incumbents.offer(self.units.total(options), tuple(options.tolist()))

    def _aim(self, kernel: Any) -> None:
        kernel.target = (
            self.units.floor if self.incumbents.least is None else self.units.units_above(self.incumbents.least)
        )

    def _note(self) -> None:
        self._loop.score = self._sign * self.incumbents.covers[0][0] if self.incumbents.covers else None
        bound = self.bound
        self._loop.bound = bound if bound is None or self._second is None else self._second.tighter(bound)
