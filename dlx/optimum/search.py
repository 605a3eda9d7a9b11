"""The search for the best covers: a plain probe, the root, restarts with dives, and the tree of pairs.

1. *Probe*: plain search for some nodes. Most small problems end here.
2. *Root*: prices by sweeps, by the linear program, and by cuts (`root.py`).
3. *Restarts*: the tree of items is searched from the root again and again, every second time by dives. Each search has
   better prices than the one before, and takes longer; some of them have a target near the bound.
4. *Pairs*: the tree of pairs of items has a linear program at each node, and waits until restarts have taken long
   (`Schedule.next`). It goes on where it stopped.

A search that ends has proved that there is no better cover. If the frontier is narrow, layers replace the search. The
bound of a stopped search is the least sum of prices found at the root. An unfinished tree of pairs, or a tree shared by
workers, lowers this bound to the best bound of its open nodes.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.counting.order import fronts
from dlx.engine.dispatch import build
from dlx.engine.limits import StoppedError
from dlx.optimum import sharing
from dlx.optimum.alike import undominated
from dlx.optimum.certificate import Certificate
from dlx.optimum.loop import BestLoop
from dlx.optimum.parameters import TUNED
from dlx.optimum.root import FIRST_TEMPERATURE, Root, mean_size
from dlx.optimum.schedule import Schedule, Tree
from dlx.optimum.sharing import Help, Node, SharedTree, State, WorkerContext, nodes_of, state_of
from dlx.optimum.units import Incumbents, Units
from dlx.problem.checks import UNLIMITED
from dlx.problem.cover import Sign
from dlx.problem.problem import Problem

FRONT_BITS = 12.0  # bits of the front, at most, in a search layer by layer
LAYER_OPTION = 2_000  # time to prepare layers for each option, in updates of the price kernel
LAYER_UPDATE = 32  # time of one update of layers, in updates of the price kernel
LAYER_BYTES = 1 << 28  # memory of layers
ADDING_GAIN = 0.003  # more cuts are added if the last ones closed this fraction of the gap; any if options are pairs
HIGHER = 6  # every second stage from this one has a higher target; without it sppaa04 took 1.5 times the updates
LEFT_OUT = 1 / 8  # the higher target lies this fraction of the gap below the upper bound
PRICE_BYTES = 1 << 28  # memory for the prices of the nodes on a path
EARLY = 400  # time limit of the first linear program, before any search by prices, in sweeps
EARLY_OPTIONS = 60  # fewest options for a linear program before the plain search
EARLY_SWEEPS = 2  # sweeps at each temperature before the first linear program
EARLY_ROUNDS = 4  # temperatures before the first linear program
LOG = 1 << 16  # numbers of a proof log at a time, besides those of one node
LONGEST_LOG = 1 << 24  # numbers in a certificate, at most: 128 MB
BUFFER = 1 << 20  # entries of a buffer of covers
BLOCK = 256  # covers in the buffer of the plain search; fewer if they are wide


class Search:
    """A search for the best covers: its results so far, and the order in which its kernels run.

    Parameters:
        problem, sign, k, seed: as for `best`; sign is 1 for the largest score, -1 for the smallest.
        loop: the limits, and the score and the bound for `progress`.
        start: a known cover.
        help_: workers, and a checkpoint.
    """

    def __init__(
        self,
        problem: Problem,
        sign: Sign,
        k: int,
        seed: int,
        loop: BestLoop,
        start: Sequence[int] | None = None,
        help_: Help | None = None,
    ) -> None:
        self.incumbents, self.units = Incumbents(k), Units(problem, sign)
        self._problem, self._sign, self._seed, self._loop = problem, sign, seed, loop
        self._help = help_
        # without dominated options: some best cover has none of them
        self._priced = undominated(problem, self.units.exact) if k == 1 else problem
        self._schedule = Schedule.first()
        self._is_done = False  # whether the answer is proven
        self._may_go_by_layers = problem.multiplicities is None
        self._plain: Any = None  # the kernel of the probe
        self._root: Root | None = None  # before the first prices
        self._fork: Any = None  # the kernel of the tree of pairs, once it has begun
        self._fork_target = 0  # the target when it began
        if start is not None:
            self._offer(np.array(start, dtype=np.int32))
        self._note()

    @property
    def bound(self) -> int | float | None:
        """No cover scores better than this; None if there is no cover.

        It is the root's bound, or the best score if that is better; before there is a root, the sum of largest weights.
        """
        scores = [score for score, _ in self.incumbents.covers[:1]]
        if self._is_done:
            return self._sign * scores[0] if scores else None
        bound = self.units.naive if self._root is None else self.units.score(self._root.kernel.node.upper_bound)
        return self._sign * max([bound, *scores])

    def run(self) -> None:
        """Searches until nothing better is left, or a limit is reached; `exhausted` of the loop tells which."""
        state = None if self._help is None else self._help.state
        try:
            if state is not None:
                self._load(state)
            self._find_root(is_new=state is None)
            if not self._is_over():
                self._search_trees(self._rooted())
        finally:
            self._loop.exhausted = self._is_done

    def finish(self) -> None:
        """Takes what an interrupt has left in the buffers, and saves what is open if there is a checkpoint."""
        root = self._root
        for kernel in (self._plain, root and root.kernel, self._fork):
            if kernel is not None:
                self._take(kernel)
        if self._help is None or root is None:
            return
        if self._help.state is not None or self._loop.updates >= sharing.ALONE:
            nodes = self._schedule.tree.open
            if not (nodes or self._is_done):
                root.kernel.restart(self._seed)  # an interrupt may have come anywhere
                root.kernel.node.restore_best()
                nodes = [root.node()]
            self._help.save(self._state(root, nodes))

    # The probe and the root

    def _is_over(self) -> bool:
        """Returns whether nothing better is left, or a limit has been reached."""
        if self._root is not None and self._root.kernel.node.upper_bound < self._root.kernel.target:
            self._is_done = True
        return self._is_done or self._loop.over()

    def _probe(self) -> None:
        """Searches plainly for a while; what it finds is a first target for the priced search."""
        room = max(1, min(BLOCK, BUFFER // max(1, self._problem.max_level)))
        plain = self._plain = build(self._priced, room=room)
        if not self._run(plain, TUNED.probe) and plain.fraction() * TUNED.long_probe > plain.nodes / 2:
            self._run(plain, TUNED.long_probe - plain.nodes)
        if self._loop.exhausted:
            self._is_done = True

    def _find_root(self, is_new: bool) -> None:
        """Finds the first prices of the root; a new search probes before that.

        If options are pairs, a few sweeps are enough to solve the linear program and to find cuts, so the program comes
        before any search. It comes after the probe if several covers are wanted, because the program finds at most one,
        or if there are colours, because cuts for colours need an incumbent.
        """
        rows = self._priced.rows()
        has_pairs = mean_size(rows) <= 2
        comes_first = self.incumbents.k == 1 and rows.colours is None and rows.n_options >= EARLY_OPTIONS
        is_relaxed = False  # whether the linear program of the root has been solved
        if not is_new and self._is_over():
            return
        if has_pairs and comes_first:
            is_relaxed = self._relax_early(self._rooted())
            if self._is_over():
                return
        if is_new:
            self._probe()
        if self._is_over():
            return
        root = self._rooted()
        if has_pairs and not comes_first:
            is_relaxed = self._relax_early(root)
            if self._is_over():
                return
        if not is_relaxed:
            self._loop.join(root.kernel)
            root.anneal(TUNED.sweeps, TUNED.rounds)
        tree = self._schedule.tree
        if tree.open:
            prices = root.valid_prices()
            tree.open = [node._replace(prices=prices) for node in tree.open]

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
        """Solves the linear program of the root, and adds cuts; returns False if the program was not solved."""
        self._loop.join(root.kernel)
        if not (root.anneal(EARLY_SWEEPS, EARLY_ROUNDS) and root.relax(EARLY)):
            return False
        self._try_vertex(root)
        if not self._is_over():
            self._add_items(root)
        return True

    # The trees

    def _search_trees(self, root: Root) -> None:
        """Searches from the root again and again, for longer and with better prices, until one search ends."""
        schedule = self._schedule
        while True:
            tree = schedule.tree
            self._is_done = self._search(root, tree, schedule.stage)
            if self._is_done or (tree.open and self._loop.over()):
                return
            schedule.stage += 1
            self._is_done = self._goes_by_layers()
            if self._is_done:
                return
            root.kernel.restart(self._seed + schedule.stage)
            root.kernel.node.restore_best()
            if not tree.pairs:  # the tree of pairs continues where it stopped, even if the root has changed
                self._refine(root, schedule.stage)
                is_turn = schedule.stage >= HIGHER and (schedule.stage - HIGHER) % 2 == 0 and not root.has_pairs
                if is_turn and not self._is_over():
                    self._aim_higher(root, tree.nodes // 4)
            if self._is_over():
                return
            schedule.next(self._loop.updates, root.programs > 0)
            root.kernel.node.sweeps, root.kernel.node.warmth = min(2 * schedule.stage, TUNED.node_sweeps), TUNED.warmth

    def _search(self, root: Root, tree: Tree, stage: int) -> bool:
        """Searches a tree once within its budget; returns whether the search has ended."""
        if tree.searches % 2 and not (tree.pairs or tree.open):
            return self._dive(root.kernel, tree, self._seed + stage)
        kernel = self._forked(root, tree) if tree.pairs else root.kernel
        start = self._loop.updates
        is_short = self._loop.updates < sharing.ALONE or tree.budget < sharing.ALONE // 4
        if self._help is None or (is_short and not tree.open):
            is_done, share = self._search_alone(root, kernel, tree)
        else:
            is_done, share = self._search_shared(root, kernel, tree)
        tree.book(self._loop.updates - start, share)
        return is_done

    def _dive(self, kernel: Any, tree: Tree, seed: int) -> bool:
        """Dives from the root, each time at another temperature; returns whether a dive has ended the search.

        Once there is an incumbent, dives end after `dive_by` times the updates of the previous search.
        """
        start, dice = kernel.updates, random.Random(seed)
        nodes = self.units.max_level * 5 // 4 + TUNED.dive_nodes
        is_done = False
        for _ in range(TUNED.diving):
            is_long = kernel.updates - start >= TUNED.dive_by * tree.spent
            if self._loop.over() or (is_long and self.incumbents.least is not None):
                break
            temperature = kernel.node.diving = self.units.hottest / math.exp(dice.uniform(*TUNED.dives))
            if kernel.node.heat(temperature):
                kernel.node.anneal(TUNED.dive_sweeps)
                kernel.node.cool()
            is_done = self._run(kernel, nodes)
            if is_done:
                break
            kernel.restart(dice.randrange(1 << 31))
            kernel.node.restore_best()
        kernel.node.diving = 0.0
        tree.book(kernel.updates - start)
        return is_done

    def _search_alone(self, root: Root, kernel: Any, tree: Tree) -> tuple[bool, float]:
        """Searches a tree by its kernel; returns whether the search has ended, and the share done."""
        self._aim(kernel)
        is_done = self._run(kernel, tree.nodes, tree.budget)
        if tree.pairs and not is_done:
            root.kernel.node.lower_bound_to(
                max((node.bound for node in map(Node._make, kernel.rest())), default=kernel.target)
            )
        return is_done, kernel.fraction()

    def _search_shared(self, root: Root, kernel: Any, tree: Tree) -> tuple[bool, float]:
        """Searches a tree by workers, from its open nodes; returns whether the search has ended, and the share done.

        A tree of items begins at the root, unless a checkpoint has open nodes; the tree of pairs continues.
        """
        assert self._help is not None
        if not tree.open:
            tree.open = [*map(Node._make, kernel.rest())] if tree.pairs else [root.node()]
        tree.open = [node.widened(len(root.kernel.node.prices())) for node in tree.open]  # for newer cuts
        ground = WorkerContext(root.makings, kernel, self.units, self.incumbents.k)
        shared = SharedTree(ground, self._help.workers(), root.kernel, tree.open, self._loop)
        self._loop.join(shared)
        self._loop.exhausted = False
        try:
            slices = self._slices(shared, tree.nodes, tree.budget)
            self._help.follow(slices, lambda: self._state(root, shared.open()))
        finally:
            shared.close()
            self._take(shared)
            tree.open = shared.open()
        if not (tree.pairs or self._loop.over()):
            tree.open = []
        return self._loop.exhausted, shared.fraction()

    def _forked(self, root: Root, tree: Tree) -> Any:
        """Returns the kernel of the tree of pairs, which begins at the root if there is none.

        The tree is restarted if better covers were found since it began and no end is expected: its first nodes were
        branched for a worse incumbent. Without this, one seed of air04 took over 100 s; other seeds took 8 to 12 s.
        """
        target = root.kernel.target
        if self._fork is not None and target > self._fork_target and tree.promises_no_end:
            self._fork.release_memory()  # the loop keeps it, for its counters
            self._fork, tree.total, tree.open = None, 0, []
        if self._fork is None:
            root.relax(TUNED.fork_sweeps)
            root.lp.centre(root.kernel.node, root.makings, TUNED.fork_sweeps)
            self._fork, self._fork_target = root.fork(), target
        return self._fork

    def _goes_by_layers(self) -> bool:
        """Finds the best covers layer by layer if that takes no longer than the search so far; False if not."""
        from dlx.counting.diagram import Diagram  # imported here: most searches end before
        from dlx.counting.drawing import Drawing

        problem, loop, rows = self._priced, self._loop, self._priced.rows()
        if not self._may_go_by_layers or loop.updates < LAYER_OPTION * problem.n_options:
            return False
        self._may_go_by_layers = False  # once
        if fronts(rows, np.arange(rows.n_primary)).max(initial=0.0) > FRONT_BITS:
            return False
        with suppress(MemoryError, StoppedError):
            loop.exhausted = False
            drawing = Drawing(problem, LAYER_BYTES, loop.over)
            for _ in loop.slices(drawing, updates=loop.updates // LAYER_UPDATE):
                pass
            if loop.exhausted:
                diagram = Diagram(problem, *drawing.diagram(), LAYER_BYTES)
                found = diagram.best(self.units.exact[:-1], k=min(self.incumbents.k, loop.covers_left()))
                drawing.covers = len(found)
                for cover in found:
                    self._offer(np.array(cover.options, dtype=np.int32))
                return len(found) == self.incumbents.k or not loop.over()
        return False

    def _aim_higher(self, root: Root, nodes: int) -> None:
        """Searches briefly for a score near the bound, where few options remain; lowers the bound if there is none."""
        kernel, least, seed = root.kernel, root.kernel.target, self._seed + self._schedule.stage
        kernel.restart(seed)
        kernel.node.restore_best()
        gap = 0 if self.incumbents.least is None else kernel.node.upper_bound - least
        goal = kernel.target = max(least, int(kernel.node.upper_bound - LEFT_OUT * gap))
        if self._run(kernel, nodes):
            kernel.node.lower_bound_to(goal - 1)
        self._aim(kernel)
        kernel.restart(seed)
        kernel.node.restore_best()
        self._note()

    def _refine(self, root: Root, stage: int) -> None:
        """Finds better prices for the next stage, at the root; the first time, gives nodes prices of their own."""
        if stage == 1:  # most searches have ended before this
            rows = min(self.units.max_level + 2, PRICE_BYTES // (8 * self._problem.n_items))
            root.kernel.node.give_levels_prices(max(1, rows))
        sweeps = min(TUNED.sweeps * 2**stage, TUNED.root_sweeps)
        rounds = TUNED.rounds + min(stage, TUNED.colder)
        power = TUNED.relaxed if stage % 2 else 1.0
        if not root.relax():
            root.anneal(sweeps, rounds, power=power)
        if self._loop.over():
            return
        root.relax()
        self._add_items(root)
        self._try_vertex(root)
        if not self._is_over():
            root.lp.centre(root.kernel.node, root.makings)

    def _add_items(self, root: Root) -> None:
        """Adds cuts while they close the gap."""
        self._loop.join(root.kernel)
        while True:
            spare = root.kernel.node.slack_per_item()
            if not root.add_cuts() or self._loop.over():
                return
            self._try_vertex(root)
            gain = 0.0 if root.has_pairs else ADDING_GAIN
            if self._is_over() or root.kernel.node.slack_per_item() >= (1 - gain) * spare:
                return

    def _try_vertex(self, root: Root) -> None:
        """Offers the solution of the linear program as an incumbent, if it is a cover."""
        if root.lp.vertex is not None:
            root.kernel.find_integral_cover()
            self._take(root.kernel)

    # Kernels, covers and the loop

    def _run(self, kernel: Any, nodes: int = UNLIMITED, budget: int = UNLIMITED) -> bool:
        """Runs a kernel for up to `nodes` nodes and `budget` updates; returns whether its search has ended."""
        self._loop.exhausted = False
        for _ in self._slices(kernel, nodes, budget):
            pass
        return self._loop.exhausted

    def _slices(self, kernel: Any, nodes: int, budget: int) -> Iterator[None]:
        for _ in self._loop.slices(kernel, nodes, updates=budget):
            self._take(kernel)
            yield

    def _take(self, kernel: Any) -> None:
        """Takes the covers found out of a kernel's buffer, and raises the targets of all kernels."""
        found = kernel.found()
        if len(found):
            if len(found) > self.incumbents.k:
                found = found[np.argsort(-self.units.exact[found].sum(axis=1), kind="stable")[: self.incumbents.k]]
            for row in found:
                self._offer(row[row >= 0])
            kernel.filled = 0
            for other in (self._root and self._root.kernel, self._fork):
                if other is not None:
                    self._aim(other)
        self._note()

    def _offer(self, options: npt.NDArray[np.int32]) -> None:
        options = np.sort(options) if self._root is None else self._root.apart(options)
        self.incumbents.offer(self.units.total(options), tuple(options.tolist()))

    def _aim(self, kernel: Any) -> None:
        least = self.incumbents.least
        kernel.target = self.units.floor if least is None else self.units.units_above(least)

    def _note(self) -> None:
        self._loop.score = self._sign * self.incumbents.covers[0][0] if self.incumbents.covers else None
        self._loop.bound = self.bound

    # The checkpoint

    def _state(self, root: Root, nodes: list[Node]) -> dict[str, Any]:
        """Returns the state of this search for a checkpoint, with the open nodes of its tree."""
        covers = self.incumbents.covers
        return {
            "covers": [[score, options] for score, options in covers],
            "upper_bound": root.kernel.node.upper_bound,
            **self._schedule.state(),
            **state_of(self._loop, nodes),
        }

    def _load(self, state: State) -> None:
        """Continues from a state of `_state`; the work of the calls before counts."""
        assert self._help is not None
        assert self._help.checkpoint is not None
        with self._help.checkpoint.refusing():
            for score, options in state["covers"]:
                self.incumbents.offer(score, tuple(options))
            self._schedule = Schedule.of(state)
            root = self._rooted()
            self._schedule.tree.open = nodes_of(state, root.kernel.node.prices(), root.n_options)
            root.kernel.node.lower_bound_to(state["upper_bound"])
            nodes, updates, covers = state["done"]
        if not self._schedule.tree.open:
            self._is_done = True
        done = SimpleNamespace(nodes=nodes, updates=updates, covers=covers, fraction=lambda: 0.0)
        self._loop.join(done)
        self._note()

    # The certificate

    def certify(self) -> Certificate | None:
        """Proves the answer again and records the proof; returns None if a limit comes first or the proof is too long.

        Raises:
            RuntimeError: a cover reaches the target, so the answer is wrong: a bug.
        """
        units, loop, root = self.units, self._loop, self._root
        priced, self._is_done = root is not None, False
        if root is None or self._priced is not self._problem:
            hard = root is not None and bool(root.separation.cuts)
            root = self._root = self._new_root(self._problem)
            if hard and root.anneal(TUNED.sweeps, TUNED.rounds) and root.relax(TUNED.fork_sweeps):
                self._add_items(root)
        root.begin_again()
        if self._fork is not None:
            root.kernel = root.fork()
        kernel = root.kernel
        if self.incumbents.covers:
            kernel.target = units.units_unreached(self.incumbents.covers[0][0])
        else:  # a score that every cover reaches; kernels have bounds of -2**62 or more
            kernel.target = max(-(1 << 62), sum(weight for weight in units.weights.tolist() if weight < 0))
        prices, kernel.increment = kernel.node.prices(), 0
        kernel.node.log.open(TUNED.cut_rounds, LOG)
        root.anneal(
            TUNED.cut_sweeps, TUNED.cut_rounds, FIRST_TEMPERATURE * kernel.node.slack_per_item() if priced else None
        )
        parts, left = [], LONGEST_LOG
        loop.exhausted = False
        for _ in loop.slices(kernel):
            if kernel.filled:
                better = sorted(o for o in kernel.found()[0].tolist() if o >= 0)
                raise RuntimeError(f"bug in dlx: the options {better} score better than the cover that was proven best")
            parts.append(kernel.node.log.take())
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
