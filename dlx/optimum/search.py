"""The search for the best covers: plain for a while, then by prices, from the root again and again.

Each of these searches comes down another way, with better prices and a better target than the one before, and for
longer. One that ends by itself has proved that nothing better is left. What costs more than a search of a few thousand
nodes waits until such searches have cost as much.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import build, new_kernel
from dlx.engine.limits import Loop
from dlx.optimum.alike import Merged
from dlx.optimum.certificate import Certificate
from dlx.optimum.colours import Palette
from dlx.optimum.cuts import Cut, Point, Ranges, cardinality_cuts, clique_cuts, count_cut, known_masses, odd_set_cuts
from dlx.optimum.highs import Highs
from dlx.optimum.linear import Optimum, Program
from dlx.optimum.parameters import TUNED
from dlx.optimum.units import UNIT_BITS, Incumbents, Sign, Units
from dlx.problem.checks import UNLIMITED
from dlx.problem.problem import Problem, fault
from dlx.problem.roles import Rows, ranges
from dlx.search.reduce import undominated

FAR = 2.0**61  # the largest price, in units, that a kernel is given


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
    ) -> None:
        self.incumbents = Incumbents(k)
        self._second = second  # opinion, beside this search
        self.units = Units(problem, sign)
        self._problem, self._sign, self._seed, self._loop = problem, sign, seed, loop
        self._root: Root | None = None
        self._proven_in_part = False  # whether the prices know no options but those that some best cover may need
        self._learner: Any = None  # looks for any cover,
        self._looking = False  # and does so now
        self._hope: int | None = None  # what a hopeful search looks for, in units
        self._near = TUNED.near
        self._plain = build(problem, room=max(1, min(TUNED.block, TUNED.buffer // max(1, problem.max_level))))
        if start is not None:
            self._offer(np.array(start, dtype=np.int32))
        self._note()

    @property
    def bound(self) -> int | float | None:
        """No cover scores better than this; None if there is no cover."""
        scores = [score for score, _ in self.incumbents.covers[:1]]
        # A hopeful search that has ended proves less, and one for any cover nothing.
        if self._loop.exhausted and self._hope is None and not (self._looking and scores):
            return self._sign * scores[0] if scores else None
        bound = self.units.naive if self._root is None else self.units.score(self._root.kernel.upper_bound)
        return self._sign * max([bound, *scores])

    def run(self) -> None:
        self._probe()
        if not self._loop.exhausted and not self._loop.over():
            priced = undominated(self._problem, self.units.exact) if self.incumbents.k == 1 else self._problem
            self._proven_in_part = priced is not self._problem
            root = self._root = self._new_root(priced)
            if root.anneal(TUNED.sweeps, TUNED.rounds):
                self._stages(root)

    def finish(self) -> None:
        """Takes what an interrupt has left in the buffer."""
        self._take(self._plain if self._root is None else self._root.kernel)

    def certify(self) -> Certificate | None:
        """Proves again what has been proven, and writes it down; None if a limit comes first, or it takes too much.

        Raises:
            RuntimeError: some cover does reach the target; it would wait in the kernel's buffer for ever.
        """
        units, loop, priced = self.units, self._loop, self._root is not None
        loop.stopped, loop.exhausted = None, False
        root = self._root
        if root is None or self._proven_in_part:
            hard = root is not None and bool(root.cuts)
            root = self._root = self._new_root(self._problem)
            if hard and root.anneal(TUNED.sweeps, TUNED.rounds):
                self._add_items(root, UNLIMITED)
        root.begin_again()
        kernel = root.kernel
        if self.incumbents.covers:
            kernel.target = units.beyond(self.incumbents.covers[0][0])
        else:  # the least that a checker knows of every cover; a kernel's bounds are -2**62 or more
            kernel.target = max(-(1 << 62), sum(weight for weight in units.weights.tolist() if weight < 0))
        prices, kernel.increment = kernel.prices(), 0
        kernel.write_down(TUNED.cut_rounds, TUNED.steps)
        root.anneal(TUNED.cut_sweeps, TUNED.cut_rounds, TUNED.warm * kernel.spare() if priced else None)
        parts, left = [], TUNED.all_steps
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

    def _probe(self) -> None:
        """Searches plainly for a while; what it finds is a first target for the priced search."""
        self._run(self._plain, TUNED.probe)
        done = self._plain.nodes
        if not self._loop.exhausted and self._plain.fraction() * TUNED.long_probe > done / 2:
            self._run(self._plain, TUNED.long_probe - done)

    def _new_root(self, problem: Problem) -> Root:
        # With exact scores the kernel raises the target itself, and need not return to Python for each cover.
        raising = self.units.is_exact and self.incumbents.k == 1
        room = TUNED.raising if raising else 1
        root = Root(problem, self.units, room, self._seed, self._loop, merging=self.incumbents.k == 1)
        root.kernel.increment = self.units.increment if raising else 0
        self._aim(root.kernel)
        return root

    def _stages(self, root: Root) -> None:
        """Searches from the root again and again, for longer and with better prices, until one search ends."""
        items, pairs = Tree(False, TUNED.first_restart), Tree(True, UNLIMITED)
        tree, stage = items, 0
        while not self._loop.over():
            self._search(root, tree, stage)
            if tree.searches > 3 and not (self._loop.exhausted or self.incumbents.covers):
                self._look(tree.spent)  # after two dives: a bad cover would make them short
            if self._loop.exhausted:
                return
            stage += 1
            root.kernel.restart(self._seed + stage)
            if stage >= TUNED.hopeful and stage % 2 == 0:
                self._hope_for_more(root, tree)
                if self._loop.exhausted:
                    return
                root.kernel.restart(self._seed + stage)
            self._refine(root, tree, stage)
            tree = self._next(items, pairs)
            root.kernel.pairs = tree.pairs
            root.kernel.sweeps = TUNED.pair_sweeps if tree.pairs else min(2 * stage, TUNED.node_sweeps)
            root.kernel.warmth = TUNED.pair_warmth if tree.pairs else TUNED.warmth

    def _search(self, root: Root, tree: Tree, stage: int) -> None:
        """Searches a tree once, for what it may spend."""
        kernel = root.kernel
        start = kernel.updates
        if tree.searches % 2 and not tree.pairs:
            self._dive(kernel, tree, stage)
        else:
            self._run(kernel, tree.nodes, tree.budget)
            tree.estimate = (kernel.updates - start) / max(kernel.fraction(), TUNED.least_share)
        tree.searches += 1
        tree.spent = kernel.updates - start
        tree.total += tree.spent

    def _look(self, budget: int) -> None:
        """Looks for any cover for so many updates, learning from conflicts: where covers are rare prices find none.

        If that ends without one there is none.
        """
        if self._plain.name == "multi":  # which the kernel that learns cannot do
            return
        if self._learner is None:
            buffer = np.empty((1, self._problem.max_level), dtype=np.int32)
            self._learner = new_kernel("learn", self._problem.rows(), buffer, self._seed)
        self._looking = True
        self._run(self._learner, budget=budget, covers=1)
        self._looking, self._loop.exhausted = False, self._loop.exhausted and not self.incumbents.covers

    def _hope_for_more(self, root: Root, tree: Tree) -> None:
        """Searches shortly for more than has to be found: the search gets on the faster the higher it aims.

        If it ends by itself there is no such cover, and the bound is lower.
        """
        kernel = root.kernel
        least, most = kernel.target, kernel.upper_bound
        self._hope = int(most if self.incumbents.least is None else max(least, most - self._near * (most - least)))
        self._aim(kernel)
        self._run(kernel, tree.nodes // TUNED.hoping, tree.spent // TUNED.hoping)
        hope, self._hope = self._hope, None
        self._aim(kernel)
        ended, self._loop.exhausted = self._loop.exhausted, False
        if ended:
            kernel.lower(hope - 1)
        self._loop.exhausted = kernel.upper_bound < kernel.target
        self._near = min(TUNED.never_nearer, 2 * self._near) if ended else self._near / 2
        self._note()

    def _run(self, kernel: Any, nodes: int = UNLIMITED, budget: int = UNLIMITED, covers: int = UNLIMITED) -> None:
        for _ in self._loop.slices(kernel, nodes, covers, budget):
            self._take(kernel)

    def _dive(self, kernel: Any, tree: Tree, stage: int) -> None:
        """Comes down from the root again and again, each time at another temperature, for what the tree may have.

        Once there is a cover, the dives may only take some times what the search before has taken.
        """
        once = self.units.max_level * 5 // 4 + TUNED.dive_nodes
        end, stop = kernel.nodes + min(tree.nodes, TUNED.diving * once), kernel.updates + TUNED.dive_by * tree.spent
        dice = random.Random(self._seed + stage)
        while kernel.nodes < end and not self._loop.exhausted and not self._loop.over():
            if self.incumbents.least is not None and kernel.updates >= stop:
                break
            kernel.diving = self.units.hottest / math.exp(dice.uniform(*TUNED.dives))
            if kernel.heat(kernel.diving):  # prices as at that temperature: a few sweeps at nodes will do then
                kernel.anneal(TUNED.dive_sweeps)
                kernel.cool()
            self._run(kernel, min(once, end - kernel.nodes))
            if not self._loop.exhausted:
                kernel.restart(dice.randrange(1 << 31))
                kernel.keep()
        kernel.diving = 0.0

    def _next(self, items: Tree, pairs: Tree) -> Tree:
        """Chooses the tree to search: pairs once items have taken long; then the one that promises to end first."""
        if self._loop.updates < TUNED.pairing or items.nodes < TUNED.pairing_nodes:
            items.nodes *= TUNED.restart_growth
            return items
        if pairs.searches == 0:
            pairs.budget = TUNED.pairing
            return pairs
        better, worse = (items, pairs) if items.estimate < pairs.estimate else (pairs, items)
        if worse.total * TUNED.neglect < better.total:
            return worse
        better.nodes, better.budget = better.nodes * TUNED.restart_growth, better.budget * TUNED.restart_growth
        return better

    def _refine(self, root: Root, tree: Tree, stage: int) -> None:
        """Finds better prices for the next stage, at the root; the first time, gives nodes prices of their own."""
        if stage == 1:  # most searches have ended before this
            rows = min(self.units.max_level + 2, TUNED.price_bytes // (8 * self._problem.n_items))
            root.kernel.separate(max(1, rows))
        sweeps = min(TUNED.sweeps * 2**stage, TUNED.root_sweeps)
        rounds = TUNED.rounds + min(stage, TUNED.colder)
        power = TUNED.relaxed if stage % 2 else 1.0
        spare, known = root.kernel.spare(), self.incumbents.least is not None
        while root.anneal(sweeps, rounds, power=power):
            spare, before = root.kernel.spare(), spare
            work = sweeps * rounds * len(root.kernel.options_left())
            sweeps *= 2
            if sweeps > 2 * TUNED.root_sweeps or work > tree.spent or (known and spare > before * (1 - TUNED.gain)):
                break
        if self._loop.over():
            return
        root.relax()
        if stage >= TUNED.adding and tree.total >= TUNED.adding_work * len(root.kernel.options_left()):
            self._add_items(root, tree.spent)
        if root.optimum is not None:
            self._try_vertex(root, self._seed + stage)

    def _add_items(self, root: Root, vain: int) -> None:
        """Adds items for what the prices cannot know, while they pay, and for so many updates where they do not."""
        work = 0
        for _ in range(TUNED.adding_rounds):
            spare = root.kernel.spare()
            work += TUNED.cut_sweeps * TUNED.cut_rounds * len(root.kernel.options_left())
            if not root.add_cuts(self._seed) or self._loop.over():
                return
            if root.kernel.spare() > (1 - TUNED.adding_gain) * spare or (work > vain and not root.pays):
                return

    def _try_vertex(self, root: Root, seed: int) -> None:
        """Offers a vertex of the best points of the linear program, if it is a cover."""
        options = root.vertex(seed)
        if not fault(self._problem, np.sort(options).tolist()):
            self._offer(options.astype(np.int32))
            self._aim(root.kernel)
            self._note()

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
        self._note()

    def _offer(self, options: npt.NDArray[np.int32]) -> None:
        options = np.sort(options) if self._root is None else self._root.apart(options)
        self.incumbents.offer(self.units.total(options), tuple(options.tolist()))

    def _aim(self, kernel: Any) -> None:
        kernel.target = self.units.floor if self.incumbents.least is None else self.units.target(self.incumbents.least)
        if self._hope is not None:
            kernel.target = max(self._hope, kernel.target)

    def _note(self) -> None:
        self._loop.score = self._sign * self.incumbents.covers[0][0] if self.incumbents.covers else None
        bound = self.bound
        self._loop.bound = bound if bound is None or self._second is None else self._second.tighter(bound)


class Root:
    """The root of a search: a kernel with valid dual values, which are not yet good.

    If it is `merging`, options alike are one option, and `apart` tells them apart again.
    """

    def __init__(
        self, problem: Problem, units: Units, room: int, seed: int, loop: Loop, *, merging: bool = False
    ) -> None:
        # Without multiplicities options alike clash, and the search has left all but one out.
        self._merged = Merged(problem, units.exact) if merging and problem.multiplicities is not None else None
        rows, times = (problem.rows(), None) if self._merged is None else (self._merged.rows, self._merged.times)
        self._rows, self._ranges = with_ranges(rows, times)
        by_item = self._rows.by_item
        self._alone = by_item.option[by_item.begin[problem.rows().n_items] :]  # the options of items added to `rows()`
        self.cuts: list[Cut] = []
        self._counted = False
        self.optimum: Optimum | None = None  # of the linear program of what is left
        self._solved_for = 0  # options then
        self._solved = 0.0  # updates that such programs have taken the time of
        self._palette: Palette | None = None
        self._share, self._n_coloured = TUNED.share, 0
        self.pays = True  # whether the last cuts have closed more of the gap than they have added to the entries
        self._units, self._seed, self._loop = units, seed, loop
        self._buffer = np.empty((room, max(problem.n_primary + 1, problem.max_level)), dtype=np.int32)
        self.kernel: Any = self._new_kernel()

    def _new_kernel(self, weights: npt.NDArray[np.int64] | None = None) -> Any:
        weights = self._units.weights if weights is None else weights
        return new_kernel("branch_and_bound", self._rows, self._buffer, weights, self._seed, TUNED, self._ranges)

    @cached_property
    def _tall(self) -> int:
        """The number of items with two options or more."""
        return int(np.count_nonzero(np.diff(self._rows.by_item.begin) > 1))

    @property
    def added(self) -> tuple[Cut, ...]:
        """The secondary items added to the problem, in order."""
        times = [1] * self._rows.n_options if self._merged is None else self._merged.times.tolist()
        return (*(Cut((o,), 0, times[o]) for o in self._alone.tolist()), *self.cuts)

    def apart(self, options: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Returns the options of a cover, increasing, as the problem has them."""
        return np.sort(options) if self._merged is None else self._merged.apart(options)

    def anneal(
        self, sweeps: int, rounds: int, hottest: float | None = None, power: float = 1.0, kernel: Any = None
    ) -> bool:
        """Finds prices from hot to cold, so many sweeps at a temperature; False at a limit, or if nothing is left."""
        kernel = self.kernel if kernel is None else kernel
        at_once = max(1, TUNED.swept // max(1, kernel.entries))
        temperature = self._units.hottest if hottest is None else hottest
        left = at_once  # sweeps until the loop looks at the world, which on small problems takes as long as a round
        for _ in range(rounds):
            if not kernel.heat(temperature):
                break
            for done in range(0, sweeps, at_once):
                some = min(at_once, sweeps - done)
                kernel.anneal(some, power)
                left -= some
                if left <= 0:
                    left = at_once
                    if self._loop.over():
                        kernel.keep()
                        return False
                    self._loop.report(self.kernel)
            kernel.cool()
            temperature *= TUNED.cooling
        kernel.keep()
        return not self._loop.over()

    def add_cuts(self, seed: int) -> int:
        """Adds cuts that the masses violate, and finds better prices; returns the number of cuts."""
        kernel = self.kernel
        spare = kernel.spare()
        if self.optimum is None and not self._soften():
            return 0
        coloured = self._coloured()
        cuts = coloured or self._rounded(self._cardinality) or self._cliques(seed) or self._rounded(self._odd_sets)
        if self.optimum is None:
            kernel.cool()
            kernel.keep()
        if cuts:
            exact, self.optimum = self.optimum is not None, None
            self._add(cuts)
            if not exact or not self.relax():
                self.anneal(TUNED.cut_sweeps, TUNED.cut_rounds, TUNED.warm * self.kernel.spare())
        self.pays = not coloured or self.kernel.spare() * self.kernel.entries < spare * kernel.entries
        if coloured:
            self._n_coloured += len(coloured)
            self._share *= 2.0 if self.pays else 0.5
        return len(cuts)

    def _soften(self) -> bool:
        """Sweeps softly, for masses by which to look for cuts; False if nothing is left to price."""
        spare = self.kernel.spare()
        for times in TUNED.softer:
            if not self.kernel.heat(spare * times):
                return False
            self.kernel.anneal(TUNED.soft_sweeps)
            if times != TUNED.softer[-1]:
                self.kernel.cool()
        return True

    def relax(self) -> bool:
        """Solves the linear program of what is left, and takes its prices and masses; False if that takes too long.

        All of them may take a part of the work done so far.
        """
        kernel = self.kernel
        if self.optimum is not None and len(kernel.options_left()) > TUNED.fewer * self._solved_for:
            return True
        self.optimum = None
        most = TUNED.solving * self._loop.updates - self._solved
        if self._tall**2 > most or not kernel.heat(kernel.spare()):
            return False
        weights = self._units.weights.astype(np.float64)
        program = Program(self._rows, self._left_to_cover(), kernel.options_left())
        if program.work > most:
            kernel.keep()
            return False
        self._solved += program.work
        self._solved_for = len(kernel.options_left())
        if (optimum := program.solve(weights, self._loop.over)) is None:
            kernel.keep()
            return False
        kernel.take(np.rint(np.clip(optimum.price, -FAR, FAR)).astype(np.int64), optimum.mass)
        kernel.keep()
        self.optimum, self._face = optimum, program.face(weights, optimum)
        return True

    def vertex(self, seed: int) -> npt.NDArray[np.int32]:
        """Returns the options of mass 1 at a vertex of the best points, drawn at random, and those chosen."""
        optimum = self._face.solve(np.random.default_rng(seed).random(self._rows.n_options), self._loop.over)
        times = np.bincount(np.array(self.kernel.path(), np.int64), minlength=self._rows.n_options)
        if optimum is not None:
            times += np.rint(optimum.mass).astype(np.int64)
        return self.apart(np.repeat(np.arange(self._rows.n_options, dtype=np.int32), times))

    def _left_to_cover(self) -> npt.NDArray[np.int64]:
        rows, bounds = self._rows, self._ranges
        if bounds is None:
            bounds = ranges(rows.n_items, rows.n_primary, rows.multiplicities)
        used = np.zeros(rows.n_items, dtype=np.int64)
        for o in self.kernel.path():  # perhaps again and again
            used[rows.indices[rows.indptr[o] : rows.indptr[o + 1]]] += 1
        left: npt.NDArray[np.int64] = np.maximum(0, bounds - used[:, None])
        return left

    def _coloured(self) -> list[Cut]:
        """Separates cliques of colours, for a share of the entries."""
        if self._rows.colours is None or not self._rows.colours.any():
            return []
        if self._palette is None:
            self._palette = Palette.of(self._rows, self._ranges)
        mass = known_masses(self.kernel, np.ones(self._rows.n_options, np.int64))
        entries = self.kernel.entries
        return self._new(self._palette.violated(mass, self._share * entries, TUNED.worth / entries))

    def _new(self, cuts: list[Cut]) -> list[Cut]:
        """Returns the cuts that have not been added yet."""
        known = {*self.cuts}
        return [cut for cut in cuts if cut not in known]

    def _rounded(self, separate: Callable[[Point], list[Cut]]) -> list[Cut]:
        """Separates new cuts by rounding; if there are any, the items have ranges from then on."""
        bounds = self._ranges
        if bounds is None:
            bounds = ranges(self._rows.n_items, self._rows.n_primary, self._rows.multiplicities)
        point = Point.of(self._rows, bounds, self.kernel)
        cuts = self._new(separate(point))[: self._wanted()]
        if cuts:
            self._ranges = bounds
        return cuts

    def _counts(self, point: Point) -> list[Cut]:
        """Separates by the prices of programs in which each option costs, or is worth, the same."""
        sizes = np.bincount(point.owner, minlength=len(point.mass))[self.kernel.options_left()]
        over = float(point.mass.sum()) % 1
        if len(np.unique(sizes)) < 2 or not TUNED.undecided < over < 1 - TUNED.undecided:
            return []  # of options of one size cardinality cuts say as much
        found = (self._count(point, least) for least in (True, False))
        return [cut for cut in found if cut is not None]

    def _count(self, point: Point, least: bool) -> Cut | None:
        """Separates by the least or the largest number of options, first by the prices of those that live."""
        worth, live = -1 if least else 1, self.kernel.options_left()
        for among, sweeps in ((live, TUNED.sweeps), (live, TUNED.cut_sweeps), (None, TUNED.cut_sweeps)):
            kernel = self._new_kernel(np.full(self._rows.n_options, worth << UNIT_BITS))
            if among is not None:
                kernel.go_on_from(kernel.prices(), among, self.kernel.path())
            self.anneal(sweeps, TUNED.cut_rounds, 1 << UNIT_BITS, kernel=kernel)
            bound = worth * (kernel.upper_bound >> UNIT_BITS)
            violation = worth * (float(point.mass.sum()) - bound)
            if violation <= TUNED.violation - (sweeps < TUNED.cut_sweeps):  # a few sweeps may leave the last option out
                return None
            cut = count_cut(worth * kernel.prices(), self._rows, point, least)
            if cut is not None and cut[0] > TUNED.violation:
                return cut[1]
        return None

    def _cardinality(self, point: Point) -> list[Cut]:
        cuts = [cut for _, cut in cardinality_cuts(np.unique(point.items), point)]
        if not cuts and not self._counted:
            cuts = self._counts(point)
        self._counted = True
        return cuts

    def _odd_sets(self, point: Point) -> list[Cut]:
        among = TUNED.items if self._ranges is not None else int((self._loop.updates / TUNED.cubed) ** (1 / 3))
        return odd_set_cuts(point, self._wanted(), among)

    def _cliques(self, seed: int) -> list[Cut]:
        return clique_cuts(self._rows, self._ranges, self.kernel, self._wanted(), seed)

    def _wanted(self) -> int:
        return min(TUNED.at_once, TUNED.all_added + self._n_coloured - len(self.cuts))

    def _add(self, cuts: list[Cut]) -> None:
        """Adds a secondary item for each cut, at no price."""
        live, chosen = self.kernel.options_left(), self.kernel.path()
        prices = np.append(self.kernel.prices(), np.zeros(len(cuts), np.int64))
        options = np.array([o for cut in cuts for o in cut.options], dtype=np.int64)
        self._rows = with_secondary(self._rows, options, np.array([len(cut.options) for cut in cuts]))
        if self._ranges is not None:
            self._ranges = np.append(self._ranges, np.array([cut[1:3] for cut in cuts], np.int32), axis=0)
        self.cuts += cuts
        self.__dict__.pop("_tall", None)
        new = self._new_kernel()
        new.go_on_from(prices, live, chosen)
        new.take_over(self.kernel)
        self.kernel = new

    def begin_again(self) -> None:
        """Goes back to where all options live and none is chosen, with the items added and the prices found."""
        new = self._new_kernel()
        new.begin_with(self.kernel.prices())
        new.take_over(self.kernel)
        self.kernel = new


def with_ranges(rows: Rows, times: npt.NDArray[np.int32] | None = None) -> tuple[Rows, Ranges | None]:
    """Returns the rows without multiplicities, and these as ranges of all items; None if every item is plain.

    An option that is there fewer `times`, once as a rule, than its items allow gets a secondary item of its own. Ranges
    end where more options than there are would be needed, so that what items cost at the worst stays within the
    kernel's numbers.
    """
    if rows.multiplicities is None:
        return rows, None
    times = np.ones(rows.n_options, dtype=np.int32) if times is None else times
    bounds = ranges(rows.n_items, rows.n_primary, rows.multiplicities)
    least, most = rows.multiplicities.T
    there = np.bincount(rows.indices, times[rows.owner], rows.n_items)[: rows.n_primary].astype(np.int64)
    least = np.minimum(least, there + 1)  # one more than there are is never met either
    bounds[: rows.n_primary] = np.stack([least, np.maximum(np.maximum(1, least), np.minimum(most, there))], axis=1)
    enough = bounds[rows.indices, 1] <= times[rows.owner]
    if rows.colours is not None:
        enough &= rows.colours == 0
    lasting = np.zeros(rows.n_options, dtype=np.bool_)
    lasting[rows.owner[rows.indices < rows.n_primary]] = True
    lasting[rows.owner[enough]] = False
    alone = np.flatnonzero(lasting)
    rows = with_secondary(rows._replace(multiplicities=None), alone, np.ones_like(alone))
    return rows, np.append(bounds, np.stack([np.zeros_like(alone), times[alone]], axis=1).astype(np.int32), axis=0)


def with_secondary(rows: Rows, options: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> Rows:
    """Returns the rows with a further secondary item for each set of options; `sizes` are those of the sets."""
    ends = rows.indptr[options + 1]
    before = np.append(0, np.cumsum(np.bincount(options, minlength=rows.n_options)))
    return rows._replace(
        indptr=(rows.indptr + before).astype(np.int32),
        indices=np.insert(rows.indices, ends, rows.n_items + np.repeat(np.arange(len(sizes)), sizes)),
        n_items=rows.n_items + len(sizes),
        colours=None if rows.colours is None else np.insert(rows.colours, ends, 0),
    )
