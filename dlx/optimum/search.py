"""The search for the best covers: a plain probe, the root, restarts with dives, and the tree of pairs.

1. *Probe*: plain search for some nodes. Most small problems end here.
2. *Root*: prices by sweeps, by the linear program, and by cuts (`root.py`).
3. *Restarts*: the tree of items is searched from the root again and again, every second time by dives. Each search has
   better prices than the last search, and takes longer. Later, short searches with a target near the bound are tried in
   between.
4. *Neighbourhoods* of the best cover are searched for a better one, between these searches (`neighbourhoods.py`).
5. *Pairs*: the tree of pairs branches on pairs of items, with linear programs at its upper nodes. It begins when
   restarts have taken long (`Schedule.next`), and each of its searches continues the last one.

A search that ends has proven that there is no better cover. If the frontier is narrow, layers replace the search
(`by_layers.py`). If no cover is known after LATE updates, the search of `first` looks for one.

The bound of a stopped search is the least sum of prices found at the root. An unfinished tree of pairs, or a tree
shared by workers, lowers this bound to the best bound of its open nodes.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import build
from dlx.kernels import EXHAUSTED
from dlx.optimum import neighbourhoods, sharing
from dlx.optimum.alike import undominated
from dlx.optimum.by_layers import best_by_layers, is_time_for_layers
from dlx.optimum.certificate import Certificate
from dlx.optimum.loop import BestLoop, Status
from dlx.optimum.matrix import mean_size
from dlx.optimum.neighbourhoods import Neighbourhoods
from dlx.optimum.parameters import TUNED
from dlx.optimum.root import FIRST_TEMPERATURE, Root
from dlx.optimum.schedule import Schedule, SearchTree
from dlx.optimum.sharing import OpenNode, Resources, SharedTree, State, WorkerContext
from dlx.optimum.units import Incumbents, Score, Units
from dlx.problem.checks import UNLIMITED
from dlx.problem.cover import Sign
from dlx.problem.problem import Problem

if TYPE_CHECKING:
    from dlx.parallel.crew import Workers

HIGHER = 6  # every second stage from this one has a higher target: sppaa04 takes 2/3 of the updates
LEFT_OUT = 1 / 8  # distance of the higher target from the upper bound, as a fraction of the gap
EARLY_OPTIONS = 60  # if options are pairs of items and at least this many, the root comes before the probe
LATE = 100_000_000  # updates, about 2.5 s, after which a search for any cover runs if none is known
FINDING = 8  # updates of that search by those of the last tree; an update of the tree takes about 20 times as long
BUFFER = 1 << 20  # entries of a buffer of covers
LOG = 1 << 16  # numbers in the buffer of a proof log, which also has room for one node
LONGEST_LOG = 1 << 24  # numbers in a certificate, at most: 128 MB
BLOCK = 256  # covers in the buffer of the plain search; fewer if they are wide


@dataclass(frozen=True)
class Request:
    """A problem, and the settings of the search for its best covers.

    Attributes:
        sign: 1 if the largest score is the best, -1 if it is the smallest.
        k, seed: as for `best`.
        loop: the limits; it reports the score and the bound.
        start: a known cover.
        resources: workers, and a checkpoint.
    """

    problem: Problem
    sign: Sign
    k: int
    seed: int
    loop: BestLoop
    start: Sequence[int] | None = None
    resources: Resources = field(default_factory=Resources)


class BestSearch:
    """A search for the best covers: its results so far, and the order in which its kernels run."""

    def __init__(self, request: Request) -> None:
        problem, self._sign, self._seed, self._loop = request.problem, request.sign, request.seed, request.loop
        self._problem, self._resources = problem, request.resources
        self.units = Units(problem, request.sign)
        self.incumbents = Incumbents(request.k, self.units)
        # If one cover is enough, dominated options are omitted, since some best cover has no dominated options.
        self._priced = undominated(problem, self.units.exact) if request.k == 1 else problem
        rows = self._priced.rows()
        # If options are pairs, a few sweeps are enough to solve the linear program and to find cuts, so the root comes
        # before any search. But the linear program finds one cover at most, and cuts for colours need an incumbent.
        has_enough = rows.n_options >= EARLY_OPTIONS
        self._root_first = mean_size(rows) <= 2 and request.k == 1 and rows.colours is None and has_enough
        self._has_ended = False  # whether no better cover is left
        self._schedule = Schedule()
        self._tries_layers = True
        self._finder: Any = None  # the search for any cover, if it has begun
        self._plain: Any = None  # the kernel of the probe
        self._root: Root | None = None  # made when it is first needed
        self._near: Neighbourhoods | None = None  # made when they are first searched
        self._pair_kernel: Any = None  # the kernel of the tree of pairs, once it has begun
        self._pair_target = 0  # the target when the tree of pairs began
        if request.start is not None:
            self._offer(np.array(request.start, dtype=np.int32))
        self._loop.status = self._status  # until the search is settled

    @property
    def is_proven(self) -> bool:
        """True if the incumbents are proven to be the best covers; False if Ctrl-C came before the end."""
        return self._has_ended and self._loop.stopped != "interrupt"

    @property
    def bound(self) -> Score | None:
        """No cover scores better than this; None if there is no cover.

        Before there is a root, the bound is the sum of the largest weights. The bound of the root holds only for covers
        that reach the target, so if the best score is better than this bound, the best score is returned.
        """
        score = self.incumbents.best
        if self._has_ended:
            return None if score is None else self._sign * score
        bound = self.units.naive if self._root is None else self.units.score(self._root.kernel.node.upper_bound)
        return self._sign * (bound if score is None else max(bound, score))

    def _status(self) -> Status:
        """Returns the best score and the bound so far."""
        score = self.incumbents.best
        return None if score is None else self._sign * score, self.bound

    def run(self) -> None:
        """Searches until no better cover remains, or a limit is reached."""
        if self._resources.state is not None:
            self._load(self._resources.state)
        elif not (self._root_first or self._loop.over()):
            self._has_ended = self._probe()
        if not self._is_over():
            self._price_root()
        while not self._is_over():
            self._has_ended = self._search_tree()
        self._has_ended = self._is_done()

    def finish(self) -> None:
        """Takes the covers in the buffers, also after an interrupt; saves the open nodes if there is a checkpoint."""
        root = self._root
        for kernel in (self._plain, root and root.kernel, self._pair_kernel):
            if kernel is not None:
                self._take(kernel)
        self._loop.settle()
        if self._resources.checkpoint is None or root is None:
            return
        if self._resources.state is not None or self._loop.updates >= sharing.ALONE:
            tree = self._schedule.tree
            if not (tree.open or self._has_ended):
                root.restart(self._seed)  # an interrupt may have left the kernel anywhere in the tree
                tree.open = [root.open_node()]
            self._resources.save(self._state())

    def _is_done(self) -> bool:
        """Returns whether no better cover remains."""
        return self._has_ended or (self._root is not None and self._root.is_done)

    def _is_over(self) -> bool:
        """Returns whether no better cover remains, or a limit has been reached."""
        return self._is_done() or self._loop.over()

    # The probe and the root

    def _probe(self) -> bool:
        """Runs the plain search for some nodes, to find a first target; returns whether the search has ended."""
        room = max(1, min(BLOCK, BUFFER // max(1, self._problem.max_level)))
        plain = self._plain = build(self._priced, room=room)
        is_done = self._run(plain, TUNED.probe)
        if not is_done and plain.fraction() * TUNED.long_probe > plain.nodes / 2:
            is_done = self._run(plain, TUNED.long_probe - plain.nodes)
        return is_done

    def _price_root(self) -> None:
        """Finds the first prices of the root."""
        root = self._get_root()
        self._loop.join(root.kernel)
        root.find_first_prices()
        for tree in (self._schedule.items, self._schedule.pairs):
            if tree.open:  # from a checkpoint, without prices, and perhaps with options that the root has dropped
                prices = root.kernel_of_all_options().node.prices()
                tree.open = [node._replace(prices=prices) for node in tree.open]

    def _get_root(self) -> Root:
        """Returns the root, and makes it when it is first needed."""
        if self._root is None:
            self._root = Root(self._priced, self.incumbents, self._loop, self._seed)
        return self._root

    # The trees

    def _search_tree(self) -> bool:
        """Searches a tree once within its budget; unless that ends the search, prepares the next search.

        If a limit on nodes ends the search, the prices and the bound are still improved once.
        """
        root, tree = self._get_root(), self._schedule.tree
        is_dive = tree.searches % 2 and not (tree.pairs or tree.open)
        is_done = self._dive(root, tree) if is_dive else self._search(root, tree)
        if is_done or (self._loop.over() and (tree.open or self._loop.stopped != "max_nodes")):
            return is_done
        if self._search_layers() or self._find_any(tree):
            return True
        self._refine(root)
        return False

    def _dive(self, root: Root, tree: SearchTree) -> bool:
        """Dives from the root, each time at a different temperature; returns whether a dive has ended the search.

        With k incumbents, no dive begins once the dives have made `dive_by` times the updates of the previous search.
        """
        kernel, node, dice = root.kernel, root.kernel.node, random.Random(self._seed + self._schedule.stage)
        start, nodes = kernel.updates, self.units.max_level * 5 // 4 + TUNED.dive_nodes
        end = kernel.nodes + min(tree.nodes, TUNED.diving * nodes)
        is_done = False
        while kernel.nodes < end and not self._loop.over():
            if self.incumbents.least is not None and kernel.updates - start >= TUNED.dive_by * tree.spent:
                break
            node.diving = self.units.hottest / math.exp(dice.uniform(*TUNED.dives))
            if node.heat(node.diving):
                node.anneal(TUNED.dive_sweeps)
                node.cool()
            is_done = self._run(kernel, min(nodes, end - kernel.nodes))
            if is_done:
                break
            root.restart(dice.randrange(1 << 31))
        node.diving = 0.0
        tree.book(kernel.updates - start)
        return is_done

    def _search(self, root: Root, tree: SearchTree) -> bool:
        """Searches a tree, alone or by workers; returns whether the search has ended."""
        kernel = self._kernel_of_pairs(root, tree) if tree.pairs else root.kernel
        start, workers = self._loop.updates, self._resources.workers
        if workers is None or (start < sharing.ALONE and not tree.open):
            is_done, share = self._run(kernel, tree.nodes, tree.budget), kernel.fraction()
            if tree.pairs and not is_done:
                root.kernel.node.limit_bound(kernel.rest_bound())
        else:
            is_done, share = self._search_shared(workers(), root, kernel, tree)
        tree.book(self._loop.updates - start, share)
        return is_done

    def _search_shared(self, workers: Workers, root: Root, kernel: Any, tree: SearchTree) -> tuple[bool, float]:
        """Searches a tree by workers, from its open nodes; returns whether the search has ended, and the searched
        share.

        A tree of items begins at the root, unless a checkpoint has open nodes; the tree of pairs continues.
        """
        if not tree.open:
            tree.open = [OpenNode(*node) for node in kernel.rest()] if tree.pairs else [root.open_node()]
        tree.open = [node.widened(root.matrix.rows.n_items) for node in tree.open]  # adds the items of new cuts
        context = WorkerContext(root.matrix, kernel, self.units, self.incumbents.k)
        shared = SharedTree(context, workers, self._loop, root.kernel, tree.open, self._offer)

        def state() -> State:
            tree.open = shared.open()
            return self._state()

        try:
            self._resources.follow(self._loop.slices(shared, tree.nodes, updates=tree.budget), state)
        finally:
            shared.close()
            tree.open = shared.open()
        is_done, share = not tree.open, shared.fraction()
        if not (tree.pairs or self._loop.over()):
            tree.open = []
        return is_done, share

    def _kernel_of_pairs(self, root: Root, tree: SearchTree) -> Any:
        """Returns the kernel of the tree of pairs; if there is none yet, makes it at the root.

        The tree is restarted if better covers have been found since it began, unless it is expected to end soon: the
        branches at its first nodes were chosen for a worse incumbent. Without this, one seed of air04 took over 100 s;
        other seeds took 8 to 12 s.
        """
        target = root.kernel.target
        if self._pair_kernel is not None and target > self._pair_target and tree.promises_no_end:
            self._pair_kernel.release_memory()  # the loop still has the kernel, for its counters
            self._pair_kernel, tree.total, tree.open = None, 0, []
        if self._pair_kernel is None:
            root.relax(TUNED.pairing_sweeps)
            root.centre(TUNED.pairing_sweeps)
            self._pair_kernel, self._pair_target = root.kernel_of_pairs(), target
        self._pair_kernel.target = target
        return self._pair_kernel

    def _search_layers(self) -> bool:
        """Finds the best covers layer by layer if it is time for layers; returns whether the search has ended."""
        if not (self._tries_layers and is_time_for_layers(self._priced, self._loop)):
            return False
        self._tries_layers = False
        found, is_done = best_by_layers(self._priced, self.units, self.incumbents.k, self._loop)
        for options in found:
            self._offer(np.array(options, dtype=np.int32))
        return is_done

    def _find_any(self, tree: SearchTree) -> bool:
        """Searches for any cover, as `first` does, while none is known; returns whether there is proven to be none."""
        if self.incumbents.best is not None or self._loop.updates < LATE:
            return False
        if self._finder is None:
            from dlx.search.first import finder  # imported here: few searches need it

            self._finder = finder(self._priced, seed=self._seed)
        for status in self._loop.slices(self._finder, covers=1, updates=FINDING * tree.spent):
            if status == EXHAUSTED and not self._finder.filled:
                return True
            self._take(self._finder)
        return False

    def _search_near(self, root: Root) -> None:
        """Searches neighbourhoods of the best cover; those without success take a small part of all updates."""
        covers, loop = self.incumbents.covers, self._loop
        is_one = root.kernel.increment > 0 and self._problem.multiplicities is None
        if not (is_one and covers) or loop.updates < neighbourhoods.AFTER:
            return
        near = self._near = self._near or Neighbourhoods(root, self._seed)
        has_to_begin = self._schedule.tree.pairs and self._pair_kernel is None
        share = neighbourhoods.SHARE_BEFORE_PAIRS if has_to_begin else neighbourhoods.SHARE
        while near.vain < share * loop.updates and not self._is_over():
            best, options = covers[0]
            kernel = near.kernel(np.array(options, dtype=np.int32), loop.over)
            is_done = self._run(kernel, budget=neighbourhoods.UPDATES)
            near.adjust(is_done, covers[0][0] > best)

    def _refine(self, root: Root) -> None:
        """Improves the prices of the root, sometimes tries a higher target, and chooses the next tree."""
        schedule, tree = self._schedule, self._schedule.tree
        schedule.stage += 1
        root.restart(self._seed + schedule.stage)
        if not tree.pairs:  # the tree of pairs continues where it stopped, and takes no new prices of the root
            root.improve_prices(schedule.stage)
            is_turn = schedule.stage >= HIGHER and (schedule.stage - HIGHER) % 2 == 0
            if is_turn and not self._is_over():
                self._aim_higher(root, tree.nodes // 4)
        if self._is_over():
            return
        schedule.next(self._loop.updates, root.programs > 0)
        self._search_near(root)
        node = root.kernel.node
        node.sweeps, node.warmth = min(2 * schedule.stage, TUNED.node_sweeps), TUNED.warmth

    def _aim_higher(self, root: Root, nodes: int) -> None:
        """Searches briefly for a score near the bound; lowers the bound if there is no such cover."""
        kernel, least, seed = root.kernel, root.kernel.target, self._seed + self._schedule.stage
        root.restart(seed)
        gap = 0 if self.incumbents.least is None else kernel.node.upper_bound - least
        goal = kernel.target = max(least, int(kernel.node.upper_bound - LEFT_OUT * gap))
        if self._run(kernel, nodes):
            kernel.node.limit_bound(goal - 1)
        kernel.target = self.incumbents.target
        root.restart(seed)

    # Kernels and covers

    def _run(self, kernel: Any, nodes: int = UNLIMITED, budget: int = UNLIMITED) -> bool:
        """Runs a kernel for up to `nodes` nodes and `budget` updates; returns whether its search has ended."""
        is_done = False
        for status in self._loop.slices(kernel, nodes, updates=budget):
            self._take(kernel)
            is_done = status == EXHAUSTED
        return is_done

    def _take(self, kernel: Any) -> None:
        """Moves the covers in a kernel's buffer to the incumbents."""
        if self.incumbents.take(kernel, self._expand):
            self._raise_targets()

    def _offer(self, options: npt.NDArray[np.int32]) -> None:
        """Offers a cover to the incumbents."""
        options = self._expand(options)
        self.incumbents.offer(self.units.total(options), tuple(options.tolist()))
        self._raise_targets()

    def _expand(self, options: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Returns a cover in the option numbers of the problem, in increasing order."""
        return np.sort(options) if self._root is None else self._root.expand(options)

    def _raise_targets(self) -> None:
        kernels: tuple[Any, ...] = self._root and self._root.kernel, self._pair_kernel
        for kernel in kernels:
            if kernel is not None:
                kernel.target = self.incumbents.target

    # The checkpoint

    def _state(self) -> State:
        """Returns the state of this search for a checkpoint."""
        return {
            "covers": self.incumbents.covers,
            "upper_bound": self._get_root().kernel.node.upper_bound,
            "done": [self._loop.nodes, self._loop.updates, self._loop.covers],
            **self._schedule.state(),
        }

    def _load(self, state: State) -> None:
        """Continues from a state that `_state` returned; the work of earlier calls counts, too."""
        assert self._resources.checkpoint is not None
        with self._resources.checkpoint.refusing():
            for score, options in state["covers"]:
                self.incumbents.offer(score, tuple(options))
            self._schedule.load(state, self._problem.n_options)
            self._get_root().kernel.node.limit_bound(state["upper_bound"])
            nodes, updates, covers = state["done"]
        self._has_ended = not self._schedule.tree.open
        self._loop.join(SimpleNamespace(nodes=nodes, updates=updates, covers=covers, fraction=lambda: 0.0))

    # The certificate

    def certify(self) -> Certificate | None:
        """Proves the answer again and records the proof; returns None if a limit comes first or the proof is too long.

        The recorded search begins at a root with all options, the prices and the cuts found before, and a target that
        no cover reaches.

        Raises:
            RuntimeError: a cover reaches the target, so the answer is wrong: a bug.
        """
        self._has_ended = False
        root, units, score = self._root_of_proof(), self.units, self.incumbents.best
        kernel, node = root.kernel, root.kernel.node
        if score is not None:
            kernel.target = units.units_unreached(score)
        else:  # every cover reaches this score; bounds of kernels are at least -2**62
            kernel.target = max(-(1 << 62), sum(weight for weight in units.weights.tolist() if weight < 0))
        prices, kernel.increment = node.prices(), 0
        node.log.open(TUNED.cut_rounds, LOG)
        root.anneal(TUNED.cut_sweeps, TUNED.cut_rounds, FIRST_TEMPERATURE * node.slack_per_item())
        record = self._recorded(kernel)
        if record is None:
            return None
        return Certificate(
            sign=self._sign,
            bits=units.bits,
            weights=units.weights,
            target=None if score is None else kernel.target,
            added=root.added,
            prices=prices,
            record=record,
        )

    def _root_of_proof(self) -> Root:
        """Returns the root with all options, none of them chosen; a new one if dominated options were left out."""
        root = self._root
        if root is None or self._priced is not self._problem:
            has_cuts = root is not None and bool(root.separation.cuts)
            root = self._root = Root(self._problem, self.incumbents, self._loop, self._seed)
            if has_cuts and root.anneal(TUNED.sweeps, TUNED.rounds) and root.relax(TUNED.pairing_sweeps):
                self._loop.join(root.kernel)
                root.add_cuts()
        root.begin_again()
        if self._pair_kernel is not None:
            root.kernel = root.kernel_of_pairs()
        return root

    def _recorded(self, kernel: Any) -> npt.NDArray[np.int64] | None:
        """Runs a kernel and returns the steps that it records; None if a limit comes first or they are too many."""
        parts, room = [], LONGEST_LOG
        for status in self._loop.slices(kernel):
            if kernel.filled:
                better = sorted(o for o in kernel.found()[0].tolist() if o >= 0)
                raise RuntimeError(f"bug in dlx: the options {better} score better than the cover that was proven best")
            parts.append(kernel.node.log.take())
            room -= len(parts[-1])
            if room < 0:
                return None
            if status == EXHAUSTED:
                return np.concatenate(parts)
        return None
