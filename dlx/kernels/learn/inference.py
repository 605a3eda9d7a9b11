# cython: language_level=3
"""Reasoning without guesses: steps that exclude options by sets of truths (primary items) and links, easiest first.

The header has the argument that proves each step, and the searches for steps. A step is applied at once: options are
excluded or chosen, and the search for the next step begins at the first level again.
"""

import cython
import numpy as np

from dlx.kernels.cover.frame import Frame, usable

if not cython.compiled:
    from dlx.kernels import EXHAUSTED

    SINGLE, SET, BLOCK, CHAIN, CONTRADICTION = range(5)
    IS_TRUTH, IS_LINK, NO_TRUTH, NO_LINK = 1, 2, 4, 8
    ANY, ALONE, NEW = range(3)

EDGES = 1 << 18  # maximum number of edges, 1 MB for each array; chains omit further edges


class Inference(Frame):
    """Takes steps until there is none. `covers` counts steps, and `nodes` the trials to find one.

    Parameters:
        rows: as for `Frame`.
        levels: int32, shape (levels, 3): the kinds of steps, easiest first, each with its truths and rank. The first
            level is the single; chains come last, with one more truth at each level.
        order: int32: the primary items, in order of inspection.
    """

    def __init__(self, rows, levels, order) -> None:
        indptr, indices, n_items, n_primary, colours, _ = rows
        Frame.__init__(self, rows, np.empty((0, 0), dtype=np.int32), 0)
        self.indptr, self.indices, self.owner = indptr, indices, rows.owner
        self.colours = np.zeros(len(indices), dtype=np.int32) if colours is None else colours
        self.low, self.high = rows.ranges().T.copy()
        self.idle = (~usable(rows)).astype(np.int8)
        self.takes_colours = rows.takes_colours.astype(np.int8)
        self.levels, self.order = levels, order
        self.begin, self.first_member, _ = rows.by_item
        n_options = self.n_options
        self.role, self.marks = np.zeros(n_options, dtype=np.int8), np.zeros(n_items, dtype=np.int8)
        self.member = np.empty(len(indices), dtype=np.int32)
        self.size, self.need, self.room = np.empty((3, n_items), dtype=np.int32)
        self.codes = np.zeros((n_options + 1, 2), dtype=np.int32)
        widest = int(np.diff(indptr).max(initial=1))
        most, links = int(levels[:, 1].max()) + 1, max(int(levels[:, 1:].sum(axis=1).max()) + 1, widest)
        self.truths, self.best_truths = np.zeros((2, most), dtype=np.int32)
        self.links, self.best_links = np.zeros((2, links), dtype=np.int32)
        self.out = np.zeros(n_options, dtype=np.int32)
        self.t, self.l, self.starts = np.zeros((3, n_options), dtype=np.int32)
        self.stamp = np.zeros(n_options + n_items, dtype=np.int64)
        sets = levels[levels[:, 0] == SET]
        n_truths, n_links = sets[:, 1].max(initial=0), sets[:, 1:].sum(axis=1).max(initial=0)
        self.pool = np.empty(int(n_truths) * n_primary + int(n_links) * widest, dtype=np.int32)
        self.start, self.stop, self.tried = np.zeros((3, int(n_truths + n_links) + 1), dtype=np.int32)
        self.adds = np.zeros(len(self.start), dtype=np.int8)
        edges = min(2 * (widest - 1) ** 2 * n_primary, EDGES) if (levels[:, 0] == CHAIN).any() else 0
        self.edge_truth, self.edge_tail, self.edge_head, self.next_edge = np.zeros((4, edges), dtype=np.int32)
        self.queue, self.parent, self.length, self.met = np.zeros((4, edges), dtype=np.int32)
        self.first_edge = np.zeros(n_items, dtype=np.int32)
        self.entry = np.full(n_items, -1, dtype=np.int32)
        self.now = self.depth = self.n_truths = self.n_links = self.n_out = self.n_uncovered = 0
        self.needs = self.rooms = self.shared = self.last_shared = self.candidate = self.last_candidate = 0
        self.restart(())

    def restart(self, chosen) -> int:
        """Starts again with some options chosen; returns the first option that clashes with earlier ones, or -1.

        Options that clash with the chosen ones are out, without a step.
        """
        self._clear()
        self._begin()
        for o in chosen:
            if self.role[o] != 1:
                return int(o)
            self._choose(o)
        self.n_out = 0
        return -1

    def step(self) -> tuple:
        """Returns the kind, truths, links, options out, option chosen (or -1) and rank of the last step."""
        truths, links = np.asarray(self.truths)[: self.n_truths], np.asarray(self.links)[: self.n_links]
        out = np.sort(np.asarray(self.out)[: self.n_out])
        return self.kind, truths.tolist(), links.tolist(), out.tolist(), int(self.picked), int(self.rank)

    def roles(self) -> np.ndarray:
        """Returns the current role of each option: 0 out, 1 open, 2 chosen."""
        return np.array(self.role)

    def log(self) -> np.ndarray:
        """Returns the level and the first truth of each step; a contradiction has a level above all others."""
        return np.array(self.codes)[: self.covers]

    @property
    def open(self) -> int:
        """The number of options that are neither out nor chosen."""
        return self.n_open

    def fraction(self) -> float:
        """The part of the options that are out or chosen; 1 at the end."""
        return 1.0 if self.ended else 1 - self.n_open / max(1, self.n_options)

    def _begin(self):
        self.member[:] = self.first_member
        self.need[:] = self.low
        self.room[:] = self.high
        for i in range(self.n_items):
            self.size[i] = self.begin[i + 1] - self.begin[i]
        self.n_open = self.n_options
        self.covers = self.nodes = self.updates = 0
        self.ended = False
        self.kind = SINGLE
        for o in range(self.n_options):
            self.role[o] = 1
            self.starts[o] = 0
        self.n_out = 0
        for o in range(self.n_options):
            if self.idle[o]:
                self._drop(o)
        self._remove_dropped(0)
        self._enter(0)

    # The state

    def _remove(self, o):
        """Removes an option that is no longer open, and all such options, from the lists of its items.

        Each list is filtered once for each value of `now`. It stays in order, so that steps depend on the state alone.
        """
        self.n_open -= 1
        self.updates += cython.cast(cython.int, self.indptr[o + 1] - self.indptr[o])
        for e in range(self.indptr[o], self.indptr[o + 1]):
            i = self.indices[e]
            if self.stamp[self.n_options + i] == self.now:
                continue
            self.stamp[self.n_options + i] = self.now
            self.updates += cython.cast(cython.int, self.size[i])
            k = self.begin[i]
            for m in range(self.begin[i], self.begin[i] + self.size[i]):
                if self.role[self.owner[self.member[m]]] == 1:
                    self.member[k] = self.member[m]
                    k += 1
            self.size[i] = k - self.begin[i]

    def _remove_dropped(self, first):
        """Removes the dropped options `out[first:]` from all lists."""
        self.now += 1
        for k in range(first, self.n_out):
            self._remove(self.out[k])

    def _drop(self, o):
        """Excludes an option; it stays in the lists until it is removed."""
        self.role[o] = 0
        self.out[self.n_out] = o
        self.n_out += 1

    def _choose(self, o):
        """Chooses an option, and drops the options that clash with it."""
        first = self.n_out
        self.role[o] = 2
        for e in range(self.indptr[o], self.indptr[o + 1]):
            i, colour = self.indices[e], self.colours[e]
            if colour == 0:
                self.room[i] -= 1
                self.need[i] -= self.need[i] > 0
                if self.room[i] > 0:
                    continue
            for k in range(self.begin[i], self.begin[i] + self.size[i]):
                c, other = self.colours[self.member[k]], self.owner[self.member[k]]
                if self.role[other] == 1 and (colour == 0 or c != colour):
                    self._drop(other)
        self._remove_dropped(first)
        self._remove(o)

    def _record(self, kind, code):
        """Records a step that has been applied, and returns to the first level."""
        self.kind = kind
        self.codes[self.covers, 0] = code
        self.codes[self.covers, 1] = self.truths[0]
        self.covers += 1
        self.ended = kind == CONTRADICTION
        self._enter(0)

    def _record_sets(self, kind, code):
        """Applies and records the step of the current truths and links, after `_weigh`."""
        self.picked = -1
        self.rank = self.rooms - self.needs
        for k in range(self.n_out):
            self.role[self.out[k]] = 0
        truths, links = self.n_truths, self.n_links
        self._clear()
        self._remove_dropped(0)
        self.n_truths, self.n_links = truths, links
        if self.rank < 0 and kind != BLOCK:
            kind, code = CONTRADICTION, self.levels.shape[0]
        self._record(kind, code)

    # The levels

    def _run(self):
        found: cython.int
        while not self.ended:
            status = self._spent()
            if status:
                return status
            kind = self.levels[self.at, 0]
            if kind == SINGLE:
                found = self._single()
                if not found and self.n_open == 0:
                    self.ended = True
            elif kind == SET:
                found = self._sets()
            elif kind == BLOCK:
                found = self._blocks()
            else:
                found = self._chains()
            if found == 0 and not self._enter(self.at + 1):
                self.ended = True
        return EXHAUSTED

    def _enter(self, level):
        """Begins the search for steps of a level; returns False after the last level, and after the first of chains."""
        if level == self.levels.shape[0] or (level > 0 and self.levels[level - 1, 0] == CHAIN):
            return False
        self.at = level
        self.next = 0
        if level:
            self.n_truths = self.n_links = 0
        if self.levels[level, 0] == SET:
            self._push(IS_TRUTH)
        elif self.levels[level, 0] == CHAIN:
            self.listed = self.n_edges = self.front = self.back = 0
            self.best = self.levels[self.levels.shape[0] - 1, 1] + 1
            for i in range(self.n_items):
                self.first_edge[i] = -1
        else:
            self.shared = self.last_shared = self.candidate = self.last_candidate = 0
        return True

    def _single(self):
        """Looks for a single, and chooses its option; a truth with too few options is a contradiction."""
        found: cython.int = -1
        self.nodes += 1
        self.updates += self.n_primary
        self.picked = -1
        for k in range(self.n_primary):
            i = self.order[k]
            if self.need[i] >= self.size[i] and self.need[i] > 0:
                if self.need[i] > self.size[i]:
                    found = i
                    break
                if found < 0:
                    found = i
        if found < 0:
            return False
        self.truths[0], self.n_truths = found, 1
        self.n_links = self.n_out = 0
        self.rank = 0
        if self.need[found] > self.size[found]:
            self.rank = self.size[found] - self.need[found]
            self._record(CONTRADICTION, self.levels.shape[0])
            return True
        self.picked = self.owner[self.member[self.begin[found]]]
        self._choose(self.picked)
        self._record(SINGLE, 0)
        for e in range(self.indptr[self.picked], self.indptr[self.picked + 1]):
            if self.indices[e] != found:
                self.links[self.n_links] = self.indices[e]
                self.n_links += 1
        return True

    # Sets of truths and links

    def _sets(self):
        """Looks for a set; returns 1 if there is one, 0 if there is none, -1 if the budget is spent."""
        while self.depth > 0:
            if self._spent():
                return -1
            if self._next() and self._open():
                self._record_sets(SET, self.at)
                return 1
        return 0

    def _next(self):
        """Adds the next candidate of the last frame; removes the frame and returns False if there is none."""
        f = self.depth - 1
        adds, k = self.adds[f], self.tried[f]
        if k >= self.start[f]:
            self._take_back(adds)
            self.marks[self.pool[k]] |= 4 * adds
        for k in range(self.tried[f] + 1, self.stop[f]):
            self.tried[f] = k
            if self._fits(self.pool[k], adds):
                self._add(self.pool[k], adds)
                self.nodes += 1
                return True
        for k in range(self.start[f], self.stop[f]):
            self.marks[self.pool[k]] &= ~(4 * adds)
        self.depth -= 1
        return False

    def _open(self):
        """Pushes candidates on the stack; at the end of a branch it returns whether the set excludes an option.

        If truths are needed more than once, a set may also be a step before it has all truths of the level: no earlier
        level need have found it.
        """
        if self.n_uncovered:
            if self.n_links < self.levels[self.at, 1] + self.levels[self.at, 2]:
                self._push(IS_LINK)
            return False
        if self.n_truths < self.levels[self.at, 1]:
            if self.needs > self.n_truths and self.rooms - self.needs <= self.levels[self.at, 2] and self._weigh():
                return True
            self._push(IS_TRUTH)
            return False
        return self._weigh()

    def _push(self, adds):
        """Pushes candidates for the next truth or link.

        Each item can be the first truth; a later truth has an option with l > t. A link is an item of the first
        uncovered option.
        """
        f = self.depth
        self.start[f] = 0
        if f:
            self.start[f] = self.stop[f - 1]
        self.stop[f], self.tried[f], self.adds[f] = self.start[f], self.start[f] - 1, adds
        self.depth += 1
        self.now += 1
        if adds == IS_LINK:
            p = self.truths[self.n_truths - 1]  # the options of earlier truths are covered
            m = self.begin[p]
            while self.t[self.owner[self.member[m]]] <= self.l[self.owner[self.member[m]]]:
                m += 1
            self._offer_items(self.owner[self.member[m]])
        for k in range(self.n_primary if self.n_truths == 0 else 0):
            self._offer(self.order[k])
        for k in range(self.n_links if adds == IS_TRUTH else 0):
            j = self.links[k]
            self.updates += cython.cast(cython.int, self.size[j])
            for m in range(self.begin[j], self.begin[j] + self.size[j]):
                if self.l[self.owner[self.member[m]]] > self.t[self.owner[self.member[m]]]:
                    self._offer_items(self.owner[self.member[m]])

    def _offer_items(self, o):
        """Offers the items of an option as candidates."""
        for e in range(self.indptr[o], self.indptr[o + 1]):
            self._offer(self.indices[e])

    def _offer(self, i):
        """Adds an item to the candidates of the last frame, if it is allowed and not there yet."""
        f = self.depth - 1
        if self.marks[i] & (IS_TRUTH | IS_LINK | 4 * self.adds[f]) or self.stamp[self.n_options + i] == self.now:
            return
        if (self.adds[f] == IS_LINK and self.takes_colours[i]) or (self.adds[f] == IS_TRUTH and self.need[i] == 0):
            return
        self.stamp[self.n_options + i] = self.now
        self.pool[self.stop[f]] = i
        self.stop[f] += 1

    def _fits(self, i, kind):
        """Returns whether another link is allowed, or the present links cover a truth."""
        if kind == IS_LINK or self.n_links < self.levels[self.at, 1] + self.levels[self.at, 2]:
            return True
        for m in range(self.begin[i], self.begin[i] + self.size[i]):
            o = self.owner[self.member[m]]
            if self.t[o] >= self.l[o]:
                return False
        return True

    def _add(self, i, kind):
        """Adds a truth or a link."""
        if kind == IS_TRUTH:
            self.truths[self.n_truths] = i
            self.n_truths += 1
        else:
            self.links[self.n_links] = i
            self.n_links += 1
        self.marks[i] |= kind
        self._count(i, kind, 1)

    def _take_back(self, kind):
        """Removes the last truth or link."""
        i: cython.int
        if kind == IS_TRUTH:
            self.n_truths -= 1
            i = self.truths[self.n_truths]
        else:
            self.n_links -= 1
            i = self.links[self.n_links]
        self.marks[i] &= ~kind
        self._count(i, kind, -1)

    def _count(self, i, kind, by):
        """Adds `by` times a truth or a link to the counts of its options and to the sums."""
        self.updates += cython.cast(cython.int, self.size[i])
        if kind == IS_TRUTH:
            self.needs += by * cython.cast(cython.longlong, self.need[i])
        else:
            self.rooms += by * cython.cast(cython.longlong, self.room[i])
        for m in range(self.begin[i], self.begin[i] + self.size[i]):
            o = self.owner[self.member[m]]
            self.n_uncovered -= self.t[o] > self.l[o]
            if kind == IS_TRUTH:
                self.t[o] += by
            else:
                self.l[o] += by
            self.n_uncovered += self.t[o] > self.l[o]

    def _clear(self):
        """Removes all truths, links and marks."""
        while self.depth > 0:
            self.depth -= 1
            for k in range(self.start[self.depth], self.stop[self.depth]):
                self.marks[self.pool[k]] &= ~(NO_TRUTH | NO_LINK)
        if self.needs or self.rooms:  # otherwise the lists are of the last step
            while self.n_truths:
                self._take_back(IS_TRUTH)
            while self.n_links:
                self._take_back(IS_LINK)
        self.n_truths = self.n_links = 0

    def _weigh(self):
        """Collects the options that the truths and links exclude; returns whether there are any, or no cover."""
        rank = self.rooms - self.needs
        self.n_out = 0
        self.now += 1
        for k in range(self.n_links):
            j = self.links[k]
            self.updates += cython.cast(cython.int, self.size[j])
            for m in range(self.begin[j], self.begin[j] + self.size[j]):
                o = self.owner[self.member[m]]
                if self.l[o] - self.t[o] > rank and self.stamp[o] != self.now:
                    self.stamp[o] = self.now
                    self.out[self.n_out] = o
                    self.n_out += 1
        return self.n_out > 0 or rank < 0

    # Blocks

    def _blocks(self):
        """Looks for a truth that some option blocks; returns as `_sets`. A run can end after each trial."""
        while not self._spent():
            if self.candidate < self.last_candidate:
                self._try_block(self.order[self.next - 1], self.member[self.candidate])
                self.candidate += 1
            elif self.n_truths:
                self._record_sets(BLOCK, self.at)
                return 1
            elif self.shared < self.last_shared:
                self._list_candidates(self.indices[self.shared])
                self.shared += 1
            elif self.next < self.n_primary:
                p = self.order[self.next]
                self.next += 1
                self.nodes += 1
                if self.need[p] == 1:
                    o = self.owner[self.member[self.begin[p]]]
                    self.shared, self.last_shared = self.indptr[o], self.indptr[o + 1]
            else:
                return 0
        return -1

    def _list_candidates(self, i):
        self.candidate, self.last_candidate = self.begin[i], self.begin[i] + self.size[i]

    def _try_block(self, p, f):
        """Tries whether an option blocks a truth; it shares an item with the first option of the truth.

        The first option that blocks the truth sets the links; then all options that block it by these links are found.
        """
        o = self.owner[f]
        self.updates += 1
        if self.n_truths:
            if self._blocks_by(o, p, ALONE):
                self.out[self.n_out] = o
                self.n_out += 1
        elif self._clash(self.shared - 1, f) and self._blocks_by(o, p, ANY):
            self._add(p, IS_TRUTH)
            self._blocks_by(o, p, NEW)
            self.n_out = 0
            self._list_candidates(self.indices[self.shared - 1])
            self.candidate -= 1

    def _blocks_by(self, o, p, links):
        """Returns whether an option clashes with all options of a truth: on ANY items, or on links ALONE.

        With NEW, items are added as links until it does.
        """
        self.updates += cython.cast(cython.int, self.indptr[o + 1] - self.indptr[o])
        for e in range(self.indptr[o], self.indptr[o + 1]):
            self.entry[self.indices[e]] = e
        blocks: cython.bint = self.entry[p] < 0  # no option clashes with itself
        for m in range(self.begin[p], self.begin[p] + (self.size[p] if blocks else 0)):
            q = self.owner[self.member[m]]
            self.updates += cython.cast(cython.int, self.indptr[q + 1] - self.indptr[q])
            if self._clashes_on(q, links) < 0:
                if links != NEW:
                    blocks = False
                    break
                self._add(self._clashes_on(q, ANY), IS_LINK)
        for e in range(self.indptr[o], self.indptr[o + 1]):
            self.entry[self.indices[e]] = -1
        return blocks

    def _clashes_on(self, q, links):
        """Returns the first item (or link) on which an option clashes with the option being tried, or -1."""
        for e in range(self.indptr[q], self.indptr[q + 1]):
            i = self.indices[e]
            if self.entry[i] >= 0 and self._clash(e, self.entry[i]) and (links == ANY or self.marks[i] & IS_LINK):
                return i
        return -1

    def _clash(self, e, f):
        """Returns whether two entries of an item clash; False if the item has room for both."""
        return self.room[self.indices[e]] == 1 and (self.colours[e] == 0 or self.colours[e] != self.colours[f])

    # Chains

    def _chains(self):
        """Looks for the shortest chain; returns as `_sets`."""
        while True:
            if self._spent():
                return -1
            self.nodes += 1
            if self.listed < self.n_primary:
                p = self.order[self.listed]
                self.listed += 1
                if self.need[p] > 0:
                    self._edges_of(p)
                continue
            if self.front < self.back:
                e = self.queue[self.front]
                self.front += 1
                f = self.first_edge[self.edge_head[e]]
                while f >= 0 and self.length[e] + 1 < self.best:
                    if self.met[f] != self.next and self._joins(e, f):
                        self._push_edge(f, e)
                    f = self.next_edge[f]
                continue
            self._mark_start(0)
            if self.next == self.n_items or self.best <= self.levels[self.at, 1]:
                break
            self.next += 1
            self.front = self.back = 0
            self._mark_start(1)
            f = self.first_edge[self.next - 1]
            while f >= 0:
                self._push_edge(f, -1)
                f = self.next_edge[f]
        if self.best == self.levels[self.levels.shape[0] - 1, 1] + 1:
            return 0
        for k in range(self.best):  # `best_truths` begins at the end of the chain
            self._add(self.best_truths[self.best - 1 - k], IS_TRUTH)
        for k in range(self.best_size):
            self._add(self.best_links[(self.best_size - k) % self.best_size], IS_LINK)
        self._weigh()
        self._record_sets(CHAIN, self.at + max(0, self.best - self.levels[self.at, 1]))
        return 1

    def _mark_start(self, mark):
        """Marks the options of the link at which chains begin."""
        if self.next:
            for m in range(self.begin[self.next - 1], self.begin[self.next - 1] + self.size[self.next - 1]):
                self.starts[self.owner[self.member[m]]] = mark

    def _edges_of(self, p):
        """Adds both edges between each two links such that each option of a truth has one of them."""
        a = self.owner[self.member[self.begin[p]]]
        for e in range(self.indptr[a], self.indptr[a + 1]):
            j = self.indices[e]
            b = self._outside(p, j, -1)
            if j == p or self.takes_colours[j] or b < 0:
                continue
            for f in range(self.indptr[b], self.indptr[b + 1]):
                i = self.indices[f]
                if (
                    i == p
                    or self.takes_colours[i]
                    or self.n_edges + 2 > self.met.shape[0]
                    or self._outside(p, j, i) >= 0
                ):
                    continue
                self._make_edge(p, j, i)
                self._make_edge(p, i, j)

    def _make_edge(self, p, tail, head):
        k = self.n_edges
        self.edge_truth[k], self.edge_tail[k], self.edge_head[k] = p, tail, head
        self.next_edge[k], self.first_edge[tail] = self.first_edge[tail], k
        self.met[k] = 0
        self.n_edges += 1

    def _outside(self, p, j, i):
        """Returns the first option of a truth with neither of two items, or -1."""
        for m in range(self.begin[p], self.begin[p] + self.size[p]):
            o = self.owner[self.member[m]]
            self.updates += 1
            if not self._has(o, j) and not self._has(o, i):
                return o
        return -1

    def _has(self, o, i):
        """Returns whether an option has an item."""
        for e in range(self.indptr[o], self.indptr[o + 1]):
            if self.indices[e] == i:
                return True
        return False

    def _joins(self, e, f):
        """Returns whether an edge can follow another one: options of both truths must have two of the three links."""
        p, q = self.edge_truth[e], self.edge_truth[f]
        self.updates += cython.cast(cython.int, self.size[q])
        if p == q:
            return False
        for m in range(self.begin[q], self.begin[q] + self.size[q]):
            o = self.owner[self.member[m]]
            if self._has(o, p):
                links = self._has(o, self.edge_tail[e]) + self._has(o, self.edge_tail[f])
                if links + self._has(o, self.edge_head[f]) < 2:
                    return False
        return True

    def _push_edge(self, e, before):
        """Appends an edge to the queue; tries the chain up to there if an option has the links of both ends."""
        self.met[e] = self.next
        self.parent[e] = before
        self.length[e] = 1 if before < 0 else self.length[before] + 1
        self.queue[self.back] = e
        self.back += 1
        j = self.edge_head[e]
        self.updates += cython.cast(cython.int, self.size[j])
        if self.length[e] >= self.best:
            return
        for m in range(self.begin[j], self.begin[j] + self.size[j]):
            if self.starts[self.owner[self.member[m]]]:
                self._try_path(e)
                break

    def _try_path(self, e):
        """Keeps a chain if it excludes an option."""
        self._add(self.next - 1, IS_LINK)
        if self.edge_head[e] == self.next - 1:  # a loop: both ends are the same link
            self._take_back(IS_LINK)
        k = e
        while k >= 0:
            self._add(self.edge_truth[k], IS_TRUTH)
            self._add(self.edge_head[k], IS_LINK)
            k = self.parent[k]
        self._cancel()
        if self.n_uncovered == 0 and self._weigh():
            self.best, self.best_size = self.n_truths, self.n_links
            self.best_truths[: self.best] = self.truths[: self.best]
            self.best_links[: self.best_size] = self.links[: self.best_size]
        self._clear()

    def _cancel(self):
        """Removes each item that is both a truth and a link; this is valid, since its room is at least its need."""
        truths = self.n_truths
        self.n_truths = 0
        for k in range(truths):
            i, m = self.truths[k], 0
            while m < self.n_links and self.links[m] != i:
                m += 1
            if m == self.n_links:
                self.truths[self.n_truths] = i
                self.n_truths += 1
                continue
            self._count(i, IS_TRUTH, -1)
            self._count(i, IS_LINK, -1)
            self.n_links -= 1
            while m < self.n_links:
                self.links[m] = self.links[m + 1]
                m += 1
            self.marks[i] = 0

    def check(self) -> None:
        """Raises an AssertionError that names a broken invariant."""
        self._check_frame()
        indices, owner, role = np.asarray(self.indices), np.asarray(self.owner), np.asarray(self.role)
        member, is_open = np.asarray(self.member), role[owner] == 1
        size = np.bincount(indices[is_open], minlength=self.n_items)
        assert (size == self.size).all(), "size is not the number of open options"
        assert self.n_open == np.count_nonzero(role == 1), "n_open is not the number of open options"
        for i in range(self.n_items):
            listed = member[self.begin[i] : self.begin[i] + self.size[i]]
            assert listed.tolist() == np.flatnonzero(is_open & (indices == i)).tolist(), f"member of item {i} is wrong"
        truths, links = np.zeros((2, self.n_options), dtype=np.int64)
        if self.needs:
            for i in np.asarray(self.truths)[: self.n_truths]:
                truths[owner[is_open & (indices == i)]] += 1
            for i in np.asarray(self.links)[: self.n_links]:
                links[owner[is_open & (indices == i)]] += 1
        assert (truths == self.t).all(), "t is not the number of truths of each option"
        assert (links == self.l).all(), "l is not the number of links of each option"
        assert self.n_uncovered == np.count_nonzero(truths > links), (
            "n_uncovered is not the number of options with more truths than links"
        )
