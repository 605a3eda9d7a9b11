# cython: language_level=3
"""Algorithm X on dancing links: the kernel for problems with short item lists, or too large for masks.

The data structure and the steps are Knuth's (TAOCP 4B, 7.2.2.1: Algorithm X, exercise 8 for secondary items, Algorithm
C for colours). Three things are new here:

* When an item falls to one option, it joins a queue of *forced* items. The search takes the first item of the queue.
  Only if the queue is empty, it scans the active items, and stops at the first item with two options, since no item has
  fewer.
* When a primary item falls to zero options, the branch is left at once.
* `run` continues from where it stopped, so that limits, signals and iteration need no callbacks.
"""

import cython
import numpy as np

from dlx.kernels.cover.core import Shell

if not cython.compiled:
    from dlx.kernels import DONE, ENTER, EXHAUSTED, TRY
    from dlx.kernels.cover.core import LEFT, first_bit
    from dlx.kernels.cover.frame import LACKING


class Links(Shell):
    """A search for all covers.

    Parameters:
        rows, buffer: as for `Frame`.
        ranks: int32, one for each primary item, or None: the search branches on an item only if no item of a lower rank
            is active.
    """

    def __init__(self, rows, buffer, ranks=None) -> None:
        Shell.__init__(self, rows, buffer, rows.n_primary + 1)
        self.portable = True
        self.live = rows.n_options
        indptr: cython.const[cython.int][::1] = rows.indptr
        indices: cython.const[cython.int][::1] = rows.indices
        n_items = self.n_items
        n_primary = self.n_primary
        n_options = self.n_options
        # Slices of a memory view take a tenth of the time of slices of an array.
        node: cython.int[::1] = np.zeros(4 * (n_items + 1 + indices.shape[0] + n_options + 1) + 4, dtype=np.int32)
        ring: cython.int[::1] = np.zeros(4 * (n_items + 1), dtype=np.int32)
        levels: cython.int[:, ::1] = np.zeros((4, n_primary + 1), dtype=np.int32)
        self.top = self.size = node
        self.up, self.down, self.option = node[1:], node[2:], node[3:]
        self.left, self.right, self.shade, self.owner = ring, ring[1:], ring[2:], ring[3:]
        self.primaries = np.zeros(n_options, dtype=np.int32)
        self.forced = np.zeros(2 * n_items + 2, dtype=np.int32)
        self.head, self.tail, self.fresh, self.choice = levels[0], levels[1], levels[2], levels[3]
        self.last_primary = 4 * n_primary
        self.active = n_primary
        self.last_header = 4 * n_items
        self.first, self.last, self.dead = 0, 0, False
        self._link(indptr, indices)
        self.coloured = rows.colours is not None
        if self.coloured:  # before the nodes of an option there are the headers and its spacers
            self.colour = np.zeros(node.shape[0] // 4, dtype=np.int32)
            np.asarray(self.colour)[np.arange(n_items + 2, n_items + 2 + len(rows.owner)) + rows.owner] = rows.colours
        self.alive = np.zeros((n_options + 63) // 64, dtype=np.uint64)
        self.ranked = ranks is not None
        if self.ranked:
            self.least_items = n_items + 1  # ranks are unknown to the core, so it is never used
            # The items are on the ring by rank; items of the same rank are in their given order.
            self.rank = np.append(np.int32(0), ranks).astype(np.int32)
            order = np.append(0, 4 + 4 * np.argsort(ranks, kind="stable"))
            np.asarray(ring)[order], np.asarray(ring)[order + 1] = np.roll(order, 1), np.roll(order, -1)

    def _link(self, indptr, indices):
        """Builds the lists: all headers, a spacer, then each option's nodes and the spacer behind them."""
        p: cython.int = 4 * (self.n_items + 1)
        for i in range(self.n_items + 1):
            self.up[4 * i] = self.down[4 * i] = 4 * i
        for i in range(self.n_primary + 1):
            self.left[4 * i] = 4 * (i - 1 if i else self.n_primary)
            self.right[4 * i] = 4 * (i + 1 if i < self.n_primary else 0)
        self.top[p] = 0
        for o in range(self.n_options):
            first: cython.int = p + 4
            for k in range(indptr[o], indptr[o + 1]):
                x: cython.int = 4 * (indices[k] + 1)
                p += 4
                self.primaries[o] += 1 if x <= self.last_primary else 0
                self.top[p] = x
                self.option[p] = o
                self.up[p] = self.up[x]
                self.down[p] = x
                self.down[self.up[x]] = p
                self.up[x] = p
                self.size[x] += 1
            self.down[first - 4] = p
            p += 4
            self.top[p] = 0
            self.up[p] = first
        for i in range(1, self.n_primary + 1):
            if self.size[4 * i] == 0:
                self.dead = True
            elif self.size[4 * i] == 1:
                self.forced[self.last] = 4 * i
                self.last += 1

    def _unwind(self):
        """Undoes all choices of options, and the choice of the first item."""
        x = self.choice[self.level]
        while True:
            x = x if x <= self.last_header else self.top[x]
            self._unhide(x)
            self._attach(x)
            if self.level == 0:
                return
            x = self._back()

    def _back(self):
        """Undoes the choice of an option on the level above; returns its node."""
        self.level -= 1
        x = self.choice[self.level]
        self.active += self.primaries[self.option[x]]
        self._uncover_others(x, x)
        return x

    def _branching(self):
        if self.entry >= 0:
            return self.core.branching(self.level - self.entry)
        return (self.top[self.choice[self.level]] >> 2) - 1

    def _upcoming(self):
        if self.entry >= 0:
            return self.core.upcoming()
        return self.option[self.choice[self.level]]

    def _skip(self):
        if self.entry >= 0:
            return self.core.skip()
        p = self.down[self.choice[self.level]]
        if p > self.last_header:
            self.choice[self.level] = p
        return p > self.last_header

    def _restart(self):
        if self.entry >= 0:
            self.level, self.entry = self.entry, -1
            if self.level > 0:
                self._back()
                self._unwind()
        elif self.state == TRY:
            self._unwind()
        if self.choice[0] != 0:  # the root had an item
            self.first, self.last, self.dead = 0, self.fresh[0], False

    def _branches(self, level: cython.int) -> tuple:
        if level >= self.entry >= 0:
            return self._core_branches(level)
        p: cython.int = self.choice[level]
        width: cython.int = self.size[p if p <= self.last_header else self.top[p]]
        tried: cython.int = width if p <= self.last_header else -1  # a header: all of its options have been tried
        while p > self.last_header:  # a covered item's own list is complete
            p = self.up[p]
            tried += 1
        return tried, width

    def _run(self):
        x: cython.int = 0
        if self.state == TRY:
            x = self.choice[self.level]
        elif self.state == DONE or self.dead:
            self.state = DONE
            return EXHAUSTED
        while True:
            if self.state == ENTER:
                if self.active == 0:  # X2: a cover
                    self._emit(self.level)
                    x = 0
                elif self._is_small():
                    if self.core is None:
                        return LACKING
                    self._fill_core()
                    self.entry = self.level
                else:  # X3, X4: choose an item and cover it
                    x = self.down[self._branch()]
                self.state = TRY
            if self.entry >= 0:
                status = self._inside()
                if status != LEFT:
                    return status
                x = 0
            while x <= self.last_header:  # X7, X6: no option is left to try, so back up
                if x > 0:  # 0 after a cover or the core: no item is covered at this level
                    self._unhide(x)
                    self._attach(x)
                if self.level == 0:
                    self.state = DONE
                    return EXHAUSTED
                x = self.down[self._back()]
                if self.level < self.base:
                    self.choice[self.level] = x
                    return EXHAUSTED
            self.choice[self.level] = x
            status = self._spent()
            if status:
                return status
            self.nodes += 1
            option = self.option[x]
            self.chosen[self.level] = option
            if self._cover_others(x):  # X5
                self.active -= self.primaries[option]
                self.level += 1
                self.state = ENTER
            else:
                x = self.down[x]

    def _is_small(self):
        """Returns whether the core takes over; items of one option are covered before."""
        return self.live <= self.most_live and self._suits_core(self.active) and not self._forces()

    def _fill_core(self):
        """Begins the core with the live options, in ascending order as in the lists."""
        one: cython.ulonglong = 1
        x: cython.ulonglong
        self.core.clear(self.live)
        item: cython.int = self.right[0]
        while item != 0:
            self.core.add_item((item >> 2) - 1)
            item = self.right[item]
        item = self.right[0]
        while item != 0:
            p: cython.int = self.down[item]
            while p != item:
                o = cython.cast(cython.int, self.option[p])
                self.alive[o >> 6] |= one << (o & 63)
                p = self.down[p]
            item = self.right[item]
        for w in range(self.alive.shape[0]):
            x = self.alive[w]
            self.alive[w] = 0
            while x:
                self.core.add_option(64 * w + first_bit(x))
                x &= x - 1
        self.core.begin()

    def _branch(self):
        """Chooses an item, covers it, and returns it."""
        x = self._choose()
        self.head[self.level] = self.first
        self.fresh[self.level] = self.last
        self._detach(x)
        self._hide(x)
        if self.size[x] == 1:  # the items that fell to one option are covered with x
            self.last = self.fresh[self.level]
        self.tail[self.level] = self.last
        return x

    def _choose(self):
        """Returns an active primary item with the fewest live options, of the lowest rank if there are ranks."""
        if self._forces():
            self.first += 1
            return self.forced[self.first - 1]
        best = item = self.right[0]
        fewest = self.size[best]
        while fewest > 2:
            item = self.right[item]
            if item == 0 or (self.ranked and self.rank[item >> 2] != self.rank[best >> 2]):
                break
            if self.size[item] < fewest:
                fewest = self.size[item]
                best = item
        return best

    def _forces(self):
        """Returns whether an active item has one option; such an item is then the first of the queue."""
        while self.first < self.last and not self._is_active(self.forced[self.first]):
            self.first += 1
        return self.first < self.last

    def _is_active(self, item):
        """Returns whether a primary item is on the ring: exactly then its left neighbour points back at it."""
        return self.right[self.left[item]] == item

    def _detach(self, item):
        """Removes a primary item from the ring; a secondary item was never on it."""
        if item <= self.last_primary:
            self.right[self.left[item]] = self.right[item]
            self.left[self.right[item]] = self.left[item]

    def _attach(self, item):
        """Undoes `_detach`."""
        if item <= self.last_primary:
            self.right[self.left[item]] = item
            self.left[self.right[item]] = item

    def _hide(self, item):
        """Removes the options of an item from the lists of their other items."""
        p = self.down[item]
        while p != item:
            self._hide_option(p)
            p = self.down[p]

    def _unhide(self, item):
        """Undoes `_hide`, in the opposite order."""
        p = self.up[item]
        while p != item:
            self._unhide_option(p)
            p = self.up[p]

    def _hide_option(self, p):
        """Removes the other nodes of node p's option from their lists; notes items that fall to one option or none."""
        q: cython.int = p + 4
        self.live -= 1
        while q != p:
            top = self.top[q]
            if top == 0:
                q = self.up[q]
                continue
            self.down[self.up[q]] = self.down[q]
            self.up[self.down[q]] = self.up[q]
            size: cython.int = self.size[top] - 1
            self.size[top] = size
            if size <= 1 and top <= self.last_primary and self._is_active(top):
                self.forced[self.last] = top
                self.last += 1
                self.dead |= size == 0
            self.updates += 1
            q += 4

    def _unhide_option(self, p):
        """Undoes `_hide_option`, in the opposite order."""
        q: cython.int = p - 4
        self.live += 1
        while q != p:
            top = self.top[q]
            if top == 0:
                q = self.down[q]
                continue
            self.down[self.up[q]] = q
            self.up[self.down[q]] = q
            self.size[top] += 1
            q -= 4

    def _purify(self, p):
        """Hides the options that give the item of node p another colour than p does, unless they are hidden already."""
        item = self.top[p]
        q = self.down[item]
        if self.shade[item] != 0:  # the same colour, or the option of p would be hidden
            return
        self.shade[item] = self.colour[p >> 2]
        self.owner[item] = p
        while q != item:
            if self.colour[q >> 2] != self.shade[item]:
                self._hide_option(q)
            q = self.down[q]

    def _unpurify(self, p):
        """Undoes `_purify`, if it was done for node p."""
        item = self.top[p]
        q = self.up[item]
        if self.owner[item] != p:
            return
        while q != item:
            if self.colour[q >> 2] != self.shade[item]:
                self._unhide_option(q)
            q = self.up[q]
        self.shade[item] = 0
        self.owner[item] = 0

    def _cover_others(self, x):
        """Covers the other items of node x's option, or none of them if that would leave an item without options."""
        p: cython.int = x + 4
        self.first = self.head[self.level]
        self.last = self.tail[self.level]
        while p != x:
            if self.top[p] == 0:
                p = self.up[p]
                continue
            self._detach(self.top[p])
            p += 4
        self.dead = False
        for k in range(self.fresh[self.level], self.last):
            if self.size[self.forced[k]] == 0 and self._is_active(self.forced[k]):
                self.dead = True
        p = x + 4
        while p != x:
            if self.dead:
                self._uncover_others(x, p)
                return False
            if self.top[p] == 0:
                p = self.up[p]
                continue
            if self.coloured and self.colour[p >> 2] != 0:
                self._purify(p)
            else:
                self._hide(self.top[p])
            p += 4
        if self.dead:
            self._uncover_others(x, p)
        return not self.dead

    def _uncover_others(self, x, p):
        """Undoes `_cover_others`, which had hidden the options of the nodes before p."""
        p -= 4
        while p != x:
            if self.top[p] == 0:
                p = self.down[p]
                continue
            if self.coloured and self.colour[p >> 2] != 0:
                self._unpurify(p)
            else:
                self._unhide(self.top[p])
            p -= 4
        p = x - 4
        while p != x:
            if self.top[p] == 0:
                p = self.down[p]
                continue
            self._attach(self.top[p])
            p -= 4

    def check(self) -> None:
        self._check_frame()
        options = self._check_nodes()
        covered = self._check_choices(options)
        live = self._check_lists(options, covered)
        for o, nodes in enumerate(options):
            primaries = sum(self.top[p] <= self.last_primary for p in nodes)
            assert self.primaries[o] == primaries, f"primaries[{o}] is {self.primaries[o]}, not {primaries}"
        self._check_ring(covered)
        if self.entry >= 0:
            items = [i for i in range(self.n_primary) if 4 * i + 4 not in covered]
            self.core.check([o for o in live if self.primaries[o]], items)
        if not (self.state == DONE or (self.dead and self.state == ENTER)):
            self._check_forced(options, covered)

    def _check_nodes(self) -> list:
        """Checks the nodes against one another; returns those of each option."""
        options: list = []
        spacer: cython.int = self.last_header + 4
        while spacer < self.top.shape[0] - 8:
            p: cython.int = spacer + 4
            while self.top[p] != 0:
                assert self.option[p] == len(options), f"node {p}: option is {self.option[p]}, not {len(options)}"
                assert self.top[p] in range(4, self.last_header + 4, 4), f"node {p}: top is no header"
                p += 4
            assert self.down[spacer] == p - 4, f"spacer {spacer}: down is not the last node of the option after it"
            assert self.up[p] == spacer + 4, f"spacer {p}: up is not the first node of the option before it"
            options.append(list(range(spacer + 4, p, 4)))
            spacer = p
        return options

    def _check_choices(self, options: list) -> set:
        """Checks the options chosen; returns the headers of the covered items."""
        covered: set = set()
        assert self.state == TRY or self.level == 0, f"level is {self.level} in state {self.state}"
        for k in range(self._depth() + self._has_item()):
            p = self.choice[k]
            top = self.top[p] if p > self.last_header else p  # a header: all of its options have been tried
            assert top not in covered, f"choice[{k}] is a node of a covered item"
            covered.add(top)
            is_made = k < self._depth()
            assert not is_made or self.chosen[k] == self.option[p], f"chosen[{k}] is not the option of choice[{k}]"
            for q in options[self.option[p]] if is_made else ():
                if self.coloured and self.colour[q // 4] != 0:
                    assert self.shade[self.top[q]] == self.colour[q // 4], f"the colour of node {q} is not in force"
                elif q != p:
                    assert self.top[q] not in covered, f"the option of choice[{k}] covers an item again"
                    covered.add(self.top[q])
        return covered

    def _depth(self) -> int:
        """Returns the number of options chosen outside the core."""
        return self.entry if self.entry >= 0 else self.level

    def _has_item(self) -> bool:
        """Returns whether the last level has an item, which is covered then."""
        return self.state == TRY and self.entry < 0

    def _check_lists(self, options: list, covered: set) -> list:
        """Checks that up, down and size of each header describe the list of its live options; returns these options."""
        shade, colour = np.asarray(self.shade), np.asarray(self.colour) if self.coloured else None
        tops = [[(p, self.top[p]) for p in nodes] for nodes in options]
        left = [
            o
            for o, pairs in enumerate(tops)
            if not any(x in covered or (shade[x] != 0 and shade[x] != colour[p // 4]) for p, x in pairs)
        ]
        assert self.live == len(left), f"live is {self.live}, not {len(left)}"
        live = [tops[o] for o in left]
        for x in range(4, self.last_header + 4, 4):
            found: list = []
            p = self.down[x]
            while p != x:
                assert self.top[p] == x, f"node {p} is in the list of {x}, its top is {self.top[p]}"
                assert self.up[self.down[p]] == self.down[self.up[p]] == p, f"node {p}: up and down disagree"
                found.append(p)
                p = self.down[p]
            assert self.up[self.down[x]] == self.down[self.up[x]] == x, f"header {x}: up and down disagree"
            assert self.size[x] == len(found), f"header {x}: size is {self.size[x]}, not {len(found)}"
            expected = [p for pairs in live for p, top in pairs if top == x]
            assert found == expected or x in covered or shade[x] != 0, (
                f"item {x}: down does not list just the options without covered items"
            )
        return left

    def _check_ring(self, covered: set) -> None:
        """Checks that left, right and active describe the primary items that are not covered, and no others."""
        ring: list = []
        x = self.right[0]
        while x != 0:
            assert self.left[self.right[x]] == self.right[self.left[x]] == x, f"header {x}: left and right disagree"
            ring.append(x)
            x = self.right[x]
        primary = list(range(4, self.last_primary + 4, 4))
        if self.ranked:
            primary.sort(key=lambda x: self.rank[x // 4])
        assert ring == [x for x in primary if x not in covered], "right does not list just the active primary items"
        for x in primary:
            assert self._is_active(x) == (x not in covered), f"header {x}: left is wrong for an item off the ring"
        # Between two runs the item of this level is covered, but `active` still counts it until an option is chosen.
        assert self.active == len(ring) + self._has_item(), f"active is {self.active}, not {len(ring)}"

    def _check_forced(self, options: list, covered: set) -> None:
        """Checks that the queue holds all the active items that have one option; or none, if they have lost it."""
        first, last = self.first, self.last
        if self._has_item():
            first, last = self.head[self.level], self.tail[self.level]
            x = self.choice[self.level]
            x = self.top[x] if x > self.last_header else x
            if self.size[x] == 1:  # the items of its only option are not queued
                covered = covered.union(self.top[p] for p in options[self.option[self.down[x]]])
        assert 0 <= first <= last <= self.forced.shape[0], f"the queue is forced[{first}:{last}]"
        queue = set(np.asarray(self.forced)[first:last].tolist()) - covered
        expected = {x for x in range(4, self.last_primary + 4, 4) if x not in covered and self.size[x] <= 1}
        assert queue == expected, "forced does not hold just the active items with at most one option"
        if self._has_item():
            assert first <= self.fresh[self.level] <= last, f"fresh[{self.level}] is outside the queue"
