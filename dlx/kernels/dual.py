# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Prices, bounds and the search that spends slack: the kernel for the best cover by weight.

Exact cover with weights is set partitioning, and its linear program has a dual: give every item a *price*. The
*slack* of an option is the sum of its items' prices minus its weight. Where no slack is negative, and no secondary
item has a negative price, the score of a cover is at most the sum of all prices minus the slacks of its options. So
the sum of the prices bounds every score, and an option whose slack alone exceeds what the bound has above the score
still wanted is in no cover worth finding.

Three steps, at the root and again at nodes of the search, each on the options still live there:

1. *Soft sweeps* at a temperature t. With masses exp(-slack / t), scaling an item's options so that their masses sum to
   1 is exact coordinate descent on the smoothed dual (matrix scaling: R. Sinkhorn, P. Knopp, Pacific J. Math. 21
   (1967), doi:10.2140/pjm.1967.21.343). A sweep multiplies and adds only; exponentials are needed once per option.
2. *Hard sweeps*: each item's price is lowered or raised until its least slack is 0. After one sweep none is negative.
3. *Settling*: options with too much slack go, items with a single option are covered by it, until nothing changes.

Prices, slacks and weights are int64 in a fixed-point unit, so every bound is exact; only the masses are real numbers,
and they decide nothing but where to look first.
"""

import cython
import numpy as np
from cython.cimports.libc.math import exp, fabs, floor, log

_EXHAUSTED = cython.declare(cython.int, 0)
_BUFFER_FULL = cython.declare(cython.int, 1)
_BUDGET_SPENT = cython.declare(cython.int, 2)


@cython.cclass
class Dual:
    """One resumable search for covers with a score of at least `target`, all in fixed-point units.

    `indptr` and `indices` (int32) hold the items of each option; the items below `n_primary` are primary. `weights`
    (int64) are maximised. Covers go, as option numbers, to the rows of `buffer` (int32, padded with -1). `colours`
    (int32) has the colour of each entry of `indices`, or 0; without it nothing has a colour. With a positive `climb`,
    every cover found raises the target to its own score plus `climb`. `rows` is how many levels keep
    prices of their own, and `largest` the most items in an option.
    """

    n_items: cython.int
    n_primary: cython.int
    n_options: cython.int
    indptr: cython.const[cython.int][::1]
    indices: cython.const[cython.int][::1]
    weight: cython.const[cython.longlong][::1]
    # Two sparse sets: a set is a prefix of a permutation, so to undo any number of removals is to restore its length.
    option: cython.int[::1]  # option[:live] are the live options
    item: cython.int[::1]  # item[:open] are the items not yet covered
    place: cython.int[::1]  # item[place[i]] == i
    # Colours, if `coloured`. An item that any option gives a colour is *tinted*; it costs nothing, since options that
    # agree on it share it.
    coloured: cython.bint
    colour: cython.const[cython.int][::1]  # for each entry of `indices`, or 0
    tinted: cython.char[::1]
    shade: cython.int[::1]  # shade[i]: the colour that the chosen options have given item i, or 0
    painted: cython.int[::1]  # painted[:n_painted]: the items with a shade, in the order in which they got it
    n_painted: cython.int
    live: cython.int
    n_usable: cython.int  # the options with a primary item: only these are ever live
    open: cython.int
    open_primary: cython.int
    gain: cython.longlong  # the weights of the chosen options
    bound: cython.longlong  # gain + the prices of the open items: no completion of this node scores more
    price: cython.longlong[:, ::1]  # price[row] for the node of that level; the last row serves all deeper levels
    row: cython.int
    kept: cython.longlong[::1]  # the best prices that the root has had, if `has_kept`
    has_kept: cython.bint
    slack: cython.longlong[::1]  # slack[o] for live options, by price[row]
    size: cython.int[::1]  # size[i]: how many live options an open item has
    # heft[i]: the sum over its options of the square of the share of the slack that each would leave to spend. An
    # option with much slack has a small subtree: branching on the least heft took fewer nodes than on the least size.
    heft: cython.double[::1]
    witness: cython.int[::1]  # witness[i]: one of them
    # Scratch of a sweep: the live options of each open item, masses, factors, and prices on trial.
    begin: cython.int[::1]
    fill: cython.int[::1]
    member: cython.int[::1]
    mass: cython.double[::1]
    factor: cython.double[::1]
    trial: cython.longlong[::1]
    trial_slack: cython.longlong[::1]
    price_limit: cython.double
    # The path: what was chosen, and for each level how to come back to it.
    chosen: cython.int[::1]
    n_chosen: cython.int
    level: cython.int
    at_chosen: cython.int[::1]
    at_live: cython.int[::1]
    at_painted: cython.int[::1]
    at_open: cython.int[::1]
    at_open_primary: cython.int[::1]
    at_gain: cython.longlong[::1]
    at_bound: cython.longlong[::1]
    branch: cython.int[::1]  # branch[from_[l]:till[l]]: the options still to try at level l, by increasing slack
    branch_slack: cython.longlong[::1]
    from_: cython.int[::1]
    till: cython.int[::1]
    sure: cython.char[::1]  # sure[l]: the first option listed at level l is the one to begin with
    rows: cython.int
    random: cython.longlong
    descend: cython.bint
    settled: cython.bint  # this node has had its sweeps
    dead: cython.bint
    done: cython.bint
    buffer: cython.int[:, ::1]
    filled = cython.declare(cython.int, visibility="public")
    target = cython.declare(cython.longlong, visibility="public")
    climb = cython.declare(cython.longlong, visibility="public")
    sweeps = cython.declare(cython.int, visibility="public")
    warmth = cython.declare(cython.double, visibility="public")
    diving = cython.declare(cython.double, visibility="public")
    ceiling = cython.declare(cython.longlong, visibility="readonly")  # the bound at the root
    covers = cython.declare(cython.longlong, visibility="readonly")
    nodes = cython.declare(cython.longlong, visibility="readonly")
    updates = cython.declare(cython.longlong, visibility="readonly")

    def __init__(
        self,
        indptr: cython.const[cython.int][::1],
        indices: cython.const[cython.int][::1],
        n_items: cython.int,
        n_primary: cython.int,
        weights: cython.const[cython.longlong][::1],
        buffer: cython.int[:, ::1],
        rows: cython.int,
        largest: cython.int,
        seed: cython.longlong,
        colours: object = None,
    ) -> None:
        self.indptr, self.indices, self.weight = indptr, indices, weights
        self.n_items, self.n_primary, self.n_options = n_items, n_primary, len(weights)
        self.buffer = buffer
        self.rows = rows
        depth: cython.int = n_primary + 2
        self.item = np.arange(n_items, dtype=np.int32)
        self.place = np.arange(n_items, dtype=np.int32)
        price = np.empty((rows, n_items), dtype=np.int64)  # pages that no level reaches are never touched
        price[0] = 0
        self.price = price
        self.slack, self.trial_slack = np.zeros((2, self.n_options), dtype=np.int64)
        self.size, self.witness = np.zeros((2, n_items), dtype=np.int32)
        self.coloured = colours is not None
        self.tinted = np.zeros(n_items, dtype=np.int8)
        self.shade, self.painted, self.at_painted = np.zeros((3, max(depth, n_items)), dtype=np.int32)
        self.n_painted = 0
        if colours is not None:
            self.colour = colours
            np.asarray(self.tinted)[np.asarray(indices)[np.flatnonzero(colours)]] = 1
        self.begin, self.fill = np.zeros((2, n_items), dtype=np.int32)
        self.member = np.zeros(len(indices) + 1, dtype=np.int32)
        self.mass = np.zeros(self.n_options, dtype=np.float64)
        self.heft = np.zeros(n_items, dtype=np.float64)
        self.factor = np.zeros(n_items, dtype=np.float64)
        self.trial, self.kept = np.zeros((2, n_items), dtype=np.int64)
        self.has_kept = False
        self.chosen = np.zeros(depth, dtype=np.int32)
        self.at_chosen, self.at_live, self.at_open, self.at_open_primary = np.zeros((4, depth), dtype=np.int32)
        self.sure = np.zeros(depth, dtype=np.int8)
        self.from_, self.till = np.zeros((2, depth), dtype=np.int32)
        self.at_gain, self.at_bound = np.zeros((2, depth), dtype=np.int64)
        self.branch = np.zeros(self.n_options + 1, dtype=np.int32)
        self.branch_slack = np.zeros(self.n_options + 1, dtype=np.int64)
        primary = np.asarray(indices) < n_primary
        owner = np.repeat(np.arange(self.n_options), np.diff(indptr))
        usable = np.bincount(owner[primary], minlength=self.n_options) > 0
        order = np.flatnonzero(usable).astype(np.int32)
        self.live = self.n_usable = len(order)
        self.option = order if len(order) else np.zeros(1, dtype=np.int32)
        self.open, self.open_primary = n_items, n_primary
        # Sums of prices, and of what hard sweeps make of them, must fit int64: larger trial prices are not taken.
        self.price_limit = 2.0**60 / (4.0 * (largest + 1) * (max(n_items, largest) + 1))
        self.random = 1 + seed % 2147483646
        self.sweeps = 0
        self.warmth = 3.0
        self.diving = 0.0
        self.target = -(1 << 62)
        self.climb = 0
        self.filled = self.level = self.n_chosen = self.row = 0
        self.covers = self.nodes = self.updates = 0
        self.gain = self.bound = 0
        self.done = False
        self.descend = True
        self._first_prices()

    @cython.cfunc
    def _first_prices(self) -> cython.void:
        """A hard sweep from prices of 0, without a table of members: makes every slack 0 or more."""
        i: cython.int
        k: cython.int
        o: cython.int
        e: cython.int
        total: cython.longlong
        for k in range(self.live):  # raise the price of a primary item of the option where the slack is negative
            o = self.option[k]
            total = -self.weight[o]
            i = 0
            for e in range(self.indptr[o], self.indptr[o + 1]):
                total += self.price[0, self.indices[e]]
                if self.indices[e] < self.n_primary:
                    i = self.indices[e]
            if total < 0:
                self.price[0, i] -= total
        for i in range(self.n_items):
            self.bound += self.price[0, i]
        self.ceiling = self.bound

    def anneal(self, temperature: cython.double, sweeps: cython.int) -> None:
        """Sweeps at the root, soft then hard, for better or worse; not to be called below the root.

        From a hotter temperature on, prices may have to get worse before they get better: `keep` goes back to the best.
        """
        with cython.nogil:
            self.settled = True
            if self._settle():
                self._save()
                self._reprice(temperature, sweeps, True)
            else:
                self.done = True

    def keep(self) -> None:
        """Goes back to the best prices that the root has had."""
        k: cython.int
        self._save()
        self.bound = self.gain
        for k in range(self.open):
            self.price[0, self.item[k]] = self.kept[self.item[k]]
            self.bound += self.kept[self.item[k]]
        self.ceiling = min(self.ceiling, self.bound)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _save(self) -> cython.void:
        """Keeps the prices at the root if they are the best so far."""
        k: cython.int
        kept: cython.longlong = self.gain
        for k in range(self.open):
            kept += self.kept[self.item[k]]
        if self.has_kept and self.bound >= kept:
            return
        self.has_kept = True
        for k in range(self.open):
            self.kept[self.item[k]] = self.price[0, self.item[k]]

    def prices(self) -> np.ndarray:
        """The prices at the root, in units; int64, shape (n_items,)."""
        return np.asarray(self.price[0]).copy()

    def run(self, node_budget: cython.longlong, update_budget: cython.longlong) -> int:
        """Goes on until the search ends, the buffer is full, or a budget is spent."""
        status: cython.int
        with cython.nogil:
            status = self._run(self.nodes + node_budget, self.updates + update_budget)
        return status

    def check(self) -> None:
        """Raises an AssertionError that names a broken invariant; to be called between two runs, by tests."""
        option = np.asarray(self.option)[: self.n_usable].tolist()
        item = np.asarray(self.item).tolist()
        assert sorted(item) == list(range(self.n_items)), "item is no permutation"
        assert len(set(option)) == len(option), "option is no permutation"
        for k, i in enumerate(item):
            assert self.place[i] == k, f"place[{i}] is {self.place[i]}, not {k}"
        primary = sum(i < self.n_primary for i in item[: self.open])
        assert self.open_primary == primary, f"open_primary is {self.open_primary}, not {primary}"
        chosen = np.asarray(self.chosen)[: self.n_chosen].tolist()
        used = [e for o in chosen for e in range(self.indptr[o], self.indptr[o + 1])]
        covered = [self.indices[e] for e in used if not self.coloured or self.colour[e] == 0]
        shades = {self.indices[e]: self.colour[e] for e in used if self.coloured and self.colour[e] != 0}
        assert all(self.shade[i] == shades.get(i, 0) for i in range(self.n_items)), "shade is not what was chosen"
        assert sorted(covered) == sorted(item[self.open :]), "the items that are not open are not those of the chosen"
        gain = sum(self.weight[o] for o in chosen)
        assert self.gain == gain, f"gain is {self.gain}, not {gain}"
        prices = np.asarray(self.price[self.row]).tolist()
        bound = gain + sum(prices[i] for i in item[: self.open])
        assert self.bound == bound, f"bound is {self.bound}, not {bound}"
        assert min((prices[i] for i in item[: self.open] if i >= self.n_primary), default=0) >= 0, "a price is below 0"
        for o in option[: self.live]:
            items = np.asarray(self.indices)[self.indptr[o] : self.indptr[o + 1]].tolist()
            slack = sum(prices[i] for i in items) - self.weight[o]
            assert slack >= 0 or any(self.place[i] >= self.open for i in items), f"option {o} has the slack {slack}"

    def restart(self, seed: cython.longlong) -> None:
        """Goes back to the root, to come down another way."""
        if self.level > 0 or not self.descend:
            self.level = 0
            self._return()
        self.random = 1 + seed % 2147483646
        self.descend = True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _run(self, node_limit: cython.longlong, update_limit: cython.longlong) -> cython.int:
        o: cython.int
        if self.done:
            return _EXHAUSTED
        while True:
            if self.filled == self.buffer.shape[0]:
                return _BUFFER_FULL
            if self.descend:  # a node just entered
                # Looked at before the work on a node, not after it: any budget gets on, however small.
                if self.nodes >= node_limit or self.updates >= update_limit:
                    return _BUDGET_SPENT
                self.descend = self.settled = False
                if not self._settle():
                    pass
                elif self.open_primary == 0:
                    self._emit()
                else:
                    self._branch()
                    continue
                if self.level == 0:
                    self.done = True
                    return _EXHAUSTED
                self.level -= 1
            # Back at the node of self.level: try its next option.
            self._return()
            o = self._next()
            if o >= 0:
                self._enter(o)
            elif self.level == 0:
                self.done = True
                return _EXHAUSTED
            else:
                self.level -= 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _enter(self, o: cython.int) -> cython.void:
        """Chooses option o at the node of this level, and goes down to the next."""
        k: cython.int
        i: cython.int
        self.level += 1
        self.nodes += 1
        if self.level < self.rows:
            for k in range(self.open):
                i = self.item[k]
                self.price[self.level, i] = self.price[self.row, i]
            self.row = self.level
        self.bound -= self.branch_slack[self.from_[self.level - 1] - 1]
        self._choose(o)
        self.descend = True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _return(self) -> cython.void:
        """Comes back to the node of this level, as it was when it branched."""
        self.n_chosen = self.at_chosen[self.level]
        self.live = self.at_live[self.level]
        while self.n_painted > self.at_painted[self.level]:
            self.n_painted -= 1
            self.shade[self.painted[self.n_painted]] = 0
        self.open = self.at_open[self.level]
        self.open_primary = self.at_open_primary[self.level]
        self.gain = self.at_gain[self.level]
        self.bound = self.at_bound[self.level]
        self.row = min(self.level, self.rows - 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _choose(self, o: cython.int) -> cython.void:
        """Adds option o to the chosen ones; its items are no longer open."""
        e: cython.int
        i: cython.int
        k: cython.int
        self.chosen[self.n_chosen] = o
        self.n_chosen += 1
        self.gain += self.weight[o]
        for e in range(self.indptr[o], self.indptr[o + 1]):
            i = self.indices[e]
            if self.coloured and self.colour[e] != 0:
                self._paint(i, self.colour[e])
                continue
            k = self.place[i]
            self.open -= 1
            self.item[k] = self.item[self.open]
            self.place[self.item[k]] = k
            self.item[self.open] = i
            self.place[i] = self.open
            self.open_primary -= i < self.n_primary

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _paint(self, i: cython.int, colour: cython.int) -> cython.void:
        """Gives item i a colour, if it has none; if it has one it is this one."""
        if self.shade[i] == 0:
            self.shade[i] = colour
            self.painted[self.n_painted] = i
            self.n_painted += 1

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def _clashes(self, e: cython.int) -> cython.bint:
        """Whether the item of entry e is covered, or has been given another colour."""
        i: cython.int = self.indices[e]
        if self.place[i] >= self.open:
            return True
        return self.coloured and self.shade[i] != 0 and self.shade[i] != self.colour[e]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _fits(self, o: cython.int) -> cython.bint:
        """Whether all items of option o are open."""
        e: cython.int = self.indptr[o]
        end: cython.int = self.indptr[o + 1]
        while e < end and not self._clashes(e):
            e += 1
        return e == end

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _settle(self) -> cython.bint:
        """Drops options and covers items by their only option until neither is possible; False at a dead end."""
        while self._filter():
            if self.level == 0:
                self.ceiling = min(self.ceiling, self.bound)
            if self._force():
                continue
            if self.dead:
                return False
            if self.sweeps == 0 or self.settled or self.open_primary == 0:
                return True
            self.settled = True
            if not self._reprice(self._temperature(), self.sweeps, False):
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _temperature(self) -> cython.double:
        """Where the smoothing blurs the bound by about the slack there is to spend: `warmth` says how near."""
        spare: cython.double = cython.cast(cython.double, self.bound - self.target + 1)
        if self.diving > 0:
            return self.diving
        return self.warmth * spare / self.open_primary

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _filter(self) -> cython.bint:
        """Drops live options that clash or have too much slack, and counts the rest; False if the bound is too low."""
        allowed: cython.longlong = self.bound - self.target
        share: cython.double
        total: cython.longlong
        e: cython.int
        i: cython.int
        o: cython.int
        k: cython.int
        end: cython.int
        if allowed < 0:
            return False
        for k in range(self.open):
            self.size[self.item[k]] = 0
            self.heft[self.item[k]] = 0.0
        k = 0
        while k < self.live:
            o = self.option[k]
            total = -self.weight[o]
            end = self.indptr[o + 1]
            for e in range(self.indptr[o], end):
                i = self.indices[e]
                if self._clashes(e):
                    total = -1
                    break
                total += self.price[self.row, i]
            self.updates += 1
            if total < 0 or total > allowed:
                self.live -= 1
                self.option[k] = self.option[self.live]
                self.option[self.live] = o
                continue
            self.slack[o] = total
            share = 1.0 - cython.cast(cython.double, total) / (allowed + 1.0)
            share *= share
            for e in range(self.indptr[o], end):
                i = self.indices[e]
                self.size[i] += 1
                self.heft[i] += share
                self.witness[i] = o
            k += 1
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _force(self) -> cython.bint:
        """Covers the open primary items of one live option; whether there was any. `dead` if some item has none."""
        k: cython.int = 0
        i: cython.int
        forced: cython.bint = False
        self.dead = False
        while k < self.open:
            i = self.item[k]
            if i >= self.n_primary or self.size[i] > 1:
                k += 1
            elif self.size[i] == 0 or not self._fits(self.witness[i]):
                self.dead = True
                return False
            else:
                self.nodes += 1
                self.bound -= self.slack[self.witness[i]]
                self._choose(self.witness[i])
                forced = True
        return forced

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _branch(self) -> cython.void:
        """Saves the node, and lists the options of the item to branch on: of least heft, give or take 30% at random.

        A dive begins with the option of the largest mass instead (decimation).
        """
        k: cython.int
        e: cython.int
        i: cython.int
        o: cython.int
        best: cython.int = -1
        share: cython.double
        least: cython.double = 0.0
        first: cython.int = -1
        end: cython.int = 0 if self.level == 0 else self.till[self.level - 1]
        for k in range(self.open):
            i = self.item[k]
            if i < self.n_primary:
                share = self.heft[i] * (1.0 + self._draw() / 7e9)
                if best < 0 or share < least:
                    least = share
                    best = i
        if self.diving > 0 and self.level < self.rows:
            first = self._surest()
            best = self._tightest(first)
        self.sure[self.level] = first >= 0
        self.from_[self.level] = end
        for k in range(self.live):
            o = self.option[k]
            for e in range(self.indptr[o], self.indptr[o + 1]):
                if self.indices[e] == best:
                    self.branch[end] = o
                    self.branch_slack[end] = self.slack[o]
                    if o == first:
                        self.branch[end] = self.branch[self.from_[self.level]]
                        self.branch_slack[end] = self.branch_slack[self.from_[self.level]]
                        self.branch[self.from_[self.level]] = o
                        self.branch_slack[self.from_[self.level]] = self.slack[o]
                    end += 1
        self.till[self.level] = end
        self.at_chosen[self.level] = self.n_chosen
        self.at_live[self.level] = self.live
        self.at_painted[self.level] = self.n_painted
        self.at_open[self.level] = self.open
        self.at_open_primary[self.level] = self.open_primary
        self.at_gain[self.level] = self.gain
        self.at_bound[self.level] = self.bound

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _surest(self) -> cython.int:
        """The live option of the largest mass: after soft sweeps, masses are the marginals of the smoothed problem."""
        k: cython.int
        first: cython.int = self.option[0]
        for k in range(1, self.live):
            if self.mass[self.option[k]] > self.mass[first]:
                first = self.option[k]
        return first

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _tightest(self, o: cython.int) -> cython.int:
        """The primary item of option o with the fewest live options."""
        e: cython.int
        i: cython.int
        best: cython.int = -1
        for e in range(self.indptr[o], self.indptr[o + 1]):
            i = self.indices[e]
            if i < self.n_primary and (best < 0 or self.size[i] < self.size[best]):
                best = i
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _next(self) -> cython.int:
        """The option of least slack still to try at this level, or -1 if none can reach the target."""
        begin: cython.int = self.from_[self.level]
        end: cython.int = self.till[self.level]
        k: cython.int
        least: cython.int = begin
        o: cython.int
        slack: cython.longlong
        if begin == end:
            return -1
        for k in range(begin + 1, begin if self.sure[self.level] else end):
            if self.branch_slack[k] < self.branch_slack[least]:
                least = k
        if self.bound - self.branch_slack[least] < self.target:
            return -1
        o = self.branch[least]
        slack = self.branch_slack[least]
        self.branch[least] = self.branch[begin]
        self.branch_slack[least] = self.branch_slack[begin]
        self.branch[begin] = o
        self.branch_slack[begin] = slack
        self.sure[self.level] = False
        self.from_[self.level] += 1
        return o

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _emit(self) -> cython.void:
        """Writes the chosen options to the next row of the buffer, if their score reaches the target.

        The bound may and the score not: secondary items left open have prices that nothing has paid.
        """
        k: cython.int
        if self.gain < self.target:
            return
        for k in range(self.n_chosen):
            self.buffer[self.filled, k] = self.chosen[k]
        for k in range(self.n_chosen, cython.cast(cython.int, self.buffer.shape[1])):
            self.buffer[self.filled, k] = -1
        self.filled += 1
        self.covers += 1
        if self.climb > 0:
            self.target = self.gain + self.climb

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def _draw(self) -> cython.longlong:
        """A random number, by the minimal standard generator (Park, Miller 1988, doi:10.1145/63039.63042)."""
        self.random = self.random * 16807 % 2147483647
        return self.random

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _reprice(self, temperature: cython.double, sweeps: cython.int, anyway: cython.bint) -> cython.bint:
        """Soft sweeps, then hard ones, over the open items; takes the new prices if they lower the bound, or anyway."""
        k: cython.int
        i: cython.int
        bound: cython.longlong = self.gain
        if self.level >= self.rows:
            return False
        self.updates += cython.cast(cython.longlong, self.live) * (sweeps + 2)
        self._list_members()
        self._soften(temperature, sweeps)
        for k in range(self.open):
            i = self.item[k]
            if not fabs(cython.cast(cython.double, self.trial[i])) < self.price_limit:
                return False
        self._harden()
        self._harden()
        for k in range(self.open):
            bound += self.trial[self.item[k]]
        if bound >= self.bound and not anyway:
            return False
        for k in range(self.open):
            self.price[self.row, self.item[k]] = self.trial[self.item[k]]
        self.bound = bound
        if self.level == 0:
            self.ceiling = min(self.ceiling, bound)
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _list_members(self) -> cython.void:
        """Lists the live options of each open item, by counting."""
        k: cython.int
        e: cython.int
        i: cython.int
        o: cython.int
        end: cython.int = 0
        for k in range(self.open):
            i = self.item[k]
            self.begin[i] = end
            end += self.size[i]
            self.fill[i] = self.begin[i]
        for k in range(self.live):
            o = self.option[k]
            for e in range(self.indptr[o], self.indptr[o + 1]):
                i = self.indices[e]
                self.member[self.fill[i]] = o
                self.fill[i] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _soften(self, temperature: cython.double, sweeps: cython.int) -> cython.void:
        """Soft sweeps: scales the masses of each open item's options to a sum of 1, or at most 1 if it is secondary."""
        k: cython.int
        m: cython.int
        i: cython.int
        o: cython.int
        e: cython.int
        total: cython.double
        scale: cython.double
        for k in range(self.live):
            o = self.option[k]
            self.mass[o] = exp(-cython.cast(cython.double, self.slack[o]) / temperature)
        for k in range(self.open):
            i = self.item[k]
            self.factor[i] = 1.0
        for _ in range(sweeps):
            for k in range(self.open):
                i = self.item[k]
                if self.tinted[i]:
                    continue
                total = 1e-300
                for m in range(self.begin[i], self.fill[i]):
                    total += self.mass[self.member[m]]
                if i >= self.n_primary:  # its price, temperature * log(factor) above the old one, stays 0 or more
                    scale = exp(-cython.cast(cython.double, self.price[self.row, i]) / temperature)
                    total = max(total, scale / self.factor[i])
                scale = 1.0 / total
                self.factor[i] = max(1e-300, self.factor[i] * total)  # where all masses have vanished, not 0
                for m in range(self.begin[i], self.fill[i]):
                    self.mass[self.member[m]] *= scale
        for k in range(self.open):
            i = self.item[k]
            self.trial[i] = self.price[self.row, i] + cython.cast(
                cython.longlong, floor(temperature * log(self.factor[i]) + 0.5)
            )
            if i >= self.n_primary and self.trial[i] < 0:
                self.trial[i] = 0
        for k in range(self.live):
            o = self.option[k]
            self.trial_slack[o] = -self.weight[o]
            for e in range(self.indptr[o], self.indptr[o + 1]):
                self.trial_slack[o] += self.trial[self.indices[e]]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _harden(self) -> cython.void:
        """A hard sweep: each price changes until the least slack of its item is 0, secondary ones not below 0."""
        k: cython.int
        m: cython.int
        i: cython.int
        least: cython.longlong
        for k in range(self.open):
            i = self.item[k]
            least = cython.cast(cython.longlong, 1) << 62
            for m in range(self.begin[i], self.fill[i]):
                least = min(least, self.trial_slack[self.member[m]])
            if i >= self.n_primary:
                if self.tinted[i]:
                    continue
                least = max(0, min(least, self.trial[i]))
            if least == 0:
                continue
            self.trial[i] -= least
            for m in range(self.begin[i], self.fill[i]):
                self.trial_slack[self.member[m]] -= least
