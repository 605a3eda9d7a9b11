# cython: language_level=3
"""Covers with multiplicities on dancing links: the kernel for items that are covered between `lo` and `hi` times.

The problem is Knuth's MCC (TAOCP 4B, 7.2.2.1, Algorithm M); the search is another one. An option is *live* while it is
neither chosen nor ruled out, and clashes with no chosen option. Each level branches on an item that still needs
options. Its live options are tried one after the other, and each is then ruled out for the rest of the level. So every
set of options is found exactly once. The level ends when an item has fewer live options than it needs.

When no item needs an option any more, the chosen options are a cover. Each set that adds live options to them is a
cover, too. These options belong to one more item, the *extra* item, which needs none: levels of that item try all of
them, and each node there is a cover.

The live options of an item are in a list with links both ways, in ascending order, as in `links`. A trail records the
hidden options in order, so that they can be put back.
"""

from collections import Counter
from itertools import pairwise

import cython
import numpy as np

from dlx.kernels.cover.frame import Frame, usable

if not cython.compiled:
    from dlx.kernels import BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY


def _multiplicities(rows) -> np.ndarray:
    """Returns the least and the most options of a cover with each primary item: int32, two columns."""
    return np.ones((rows.n_primary, 2), dtype=np.int32) if rows.multiplicities is None else rows.multiplicities


def _entries(rows) -> tuple:
    """Returns the entries of the search as three arrays: the start of each option, the items, and the colours.

    Options without primary items have no entries. An option gets an entry of the extra item if the least and the most
    of each of its primary items differ, since a cover may have such options beyond those needed.
    """
    _, indices, n_items, n_primary, colours, _ = rows
    colours = np.zeros(len(indices), dtype=np.int32) if colours is None else colours
    n_options, option = rows.n_options, rows.owner
    strict = np.zeros(n_items, dtype=bool)
    strict[:n_primary] = np.ptp(_multiplicities(rows), axis=1) == 0
    some = usable(rows)
    extra = np.flatnonzero(some & (np.bincount(option[strict[indices]], minlength=n_options) == 0)).astype(np.int32)
    kept = some[option]
    option = np.concatenate([option[kept], extra])
    order = np.argsort(option, kind="stable")
    first = np.zeros(n_options + 1, dtype=np.int32)
    np.cumsum(np.bincount(option, minlength=n_options), out=first[1:])
    item = np.concatenate([indices[kept], np.full(len(extra), n_items, dtype=np.int32)])[order]
    return first, item, np.concatenate([colours[kept], np.zeros(len(extra), dtype=np.int32)])[order]


class Multi(Frame):
    """A search for all covers of a problem with multiplicities; options without primary items are never chosen.

    Parameters:
        rows, buffer: as for `Frame`; without multiplicities each primary item is to be covered once.
    """

    def __init__(self, rows, buffer) -> None:
        first, item, colour = _entries(rows)
        Frame.__init__(self, rows, buffer, int(np.count_nonzero(np.diff(first))) + 1)
        self.portable = True
        self.first, self.item, self.colour = first, item, colour
        self.option = np.repeat(np.arange(self.n_options, dtype=np.int32), np.diff(first))
        self.multiplicities = _multiplicities(rows)
        size = np.bincount(item, minlength=self.n_items + 1)
        self.size = size.astype(np.int32)
        self.head = len(item)
        order = np.argsort(np.append(item, np.arange(self.n_items + 1)), kind="stable").astype(np.int32)
        after, end = np.roll(order, -1), np.cumsum(size + 1) - 1  # the headers are at the ends of their lists
        after[end] = order[end - size]
        self.up, self.down = np.empty((2, len(order)), dtype=np.int32)
        np.asarray(self.down)[order], np.asarray(self.up)[after] = after, order
        self.need, self.shade, self.owner = np.zeros((3, self.n_items + 1), dtype=np.int32)
        self.room = np.ones(self.n_items + 1, dtype=np.int32)
        np.asarray(self.need)[: self.n_primary], np.asarray(self.room)[: self.n_primary] = _multiplicities(rows).T
        self.room[self.n_items] = self.n_options + 1  # more options than the extra item can have
        self.owner[:] = -1
        self.n_wanted, self.n_roomy = np.count_nonzero(self.need), self.n_primary
        self.trail = np.zeros(self.n_options, dtype=np.int32)
        self.branch, self.floor, self.tried, self.width = np.zeros((4, len(self.chosen)), dtype=np.int32)
        self.height, self.dead = 0, False

    def _restart(self):
        while self.level > 0:
            self.level -= 1
            self._retract()
        self._undo(0)
        self.dead = False

    def _branches(self, level: cython.int) -> tuple:
        return self.tried[level] - (level < self.level), self.width[level]

    def _run(self):
        going: cython.bint = True  # whether the level has an option to try
        if self.state == DONE:
            return EXHAUSTED
        if self.state == ENTER:
            if self.n_wanted == 0:  # no item needs an option: the empty cover
                if self.covers >= self.cover_limit:
                    return BUFFER_FULL
                self._emit(0)
            going = self._enter()
            self.state = TRY
        while True:
            while not going:  # back up
                if self.level == 0:
                    self._undo(0)
                    self.state = DONE
                    return EXHAUSTED
                self.level -= 1
                going = self._retract()
                if self.level < self.base:
                    return EXHAUSTED
            status = self._spent()
            if status:
                return status
            self.nodes += 1
            if self._try():
                self.level += 1
                going = self._enter()
            else:
                going = self._retract()

    def _enter(self):
        """Begins a level with the first item that has the fewest branches; returns whether an option is to be tried."""
        best = self.n_items
        least: cython.int = 0x7FFFFFFF
        for i in range(self.n_primary if self.n_wanted > 0 else 0):
            branches = self.size[i] - self.need[i] + 1
            if self.need[i] > 0 and branches < least:
                least = branches
                best = i
                if branches <= 1:
                    break
        self.branch[self.level] = best
        self.tried[self.level] = 0
        self.width[self.level] = self.size[best] - max(0, self.need[best]) + 1
        return least > 0 and self.size[best] > 0

    def _try(self):
        """Chooses the next option of the level; returns False if no cover can have further options."""
        o = self._upcoming()
        end = self.first[o + 1]
        self.tried[self.level] += 1
        self.chosen[self.level] = o
        for e in range(self.first[o], end):
            i = self.item[e]
            self.need[i] -= 1
            self.room[i] -= 1
            if i < self.n_primary:
                self.n_roomy -= self.room[i] == 0
                self.n_wanted -= self.need[i] == 0
        self._hide(o)
        self.floor[self.level] = self.height
        if self.n_wanted == 0:  # a cover, which only options of the extra item can extend
            self._emit(self.level + 1)
            return self._extend(o)
        for e in range(self.first[o], end):
            i = self.item[e]
            if self.colour[e] != 0:
                self._purify(e)
            elif self.room[i] == 0:
                self._close(i)
            if self.dead:
                return False
        return True

    def _extend(self, o):
        """Hides the options of the extra item that clash with a chosen option; o was chosen last.

        Returns whether the extra item had options. Hiding all options that clash would take quadratic time if an item
        has many options and each of them completes a cover.
        """
        header = self.head + self.n_items
        if self.size[self.n_items] == 0 or self.n_roomy == 0:
            return False
        for e in range(self.first[o], self.first[o + 1]):
            i = self.item[e]
            if self.colour[e] != 0 and self.shade[i] == 0:
                self.shade[i] = self.colour[e]
                self.owner[i] = e
        self.updates += cython.cast(cython.longlong, self.size[self.n_items])
        p = self.down[header]
        while p != header:
            if self._has_no_room(self.option[p]):
                self._hide(self.option[p])
            p = self.down[p]
        return True

    def _has_no_room(self, o):
        for e in range(self.first[o], self.first[o + 1]):
            i = self.item[e]
            if self.room[i] <= 0 if self.shade[i] == 0 else self.shade[i] != self.colour[e]:
                return True
        return False

    def _retract(self):
        """Undoes the choice of the level, but leaves the option hidden; returns whether another one is to be tried."""
        o = self.chosen[self.level]
        e: cython.int = self.first[o + 1]
        alive: cython.bint = True
        self.dead = False
        self._undo(self.floor[self.level])
        while e > self.first[o]:
            e -= 1
            i = self.item[e]
            if self.owner[i] == e:
                self.shade[i] = 0
            self.room[i] += 1
            self.need[i] += 1
            if i < self.n_primary:
                self.n_roomy += self.room[i] == 1
                self.n_wanted += self.need[i] == 1
                alive &= self.size[i] >= self.need[i]
        return alive and self.size[self.branch[self.level]] > 0

    def _close(self, i):
        """Hides the live options of an item that has the most options allowed."""
        while self.size[i] > 0 and not self.dead:
            self._hide(self.option[self.down[self.head + i]])

    def _purify(self, e):
        """Hides the live options that give the item of entry e another colour, or none, unless that has been done."""
        i = self.item[e]
        p = self.down[self.head + i]
        if self.shade[i] != 0:
            return
        self.shade[i] = self.colour[e]
        self.owner[i] = e
        while p != self.head + i and not self.dead:
            if self.colour[p] != self.shade[i]:
                self._hide(self.option[p])
            p = self.down[p]

    def _hide(self, o):
        """Removes the entries of a live option from the lists of their items; sets `dead` if an item needed it."""
        for e in range(self.first[o], self.first[o + 1]):
            i = self.item[e]
            self.down[self.up[e]] = self.down[e]
            self.up[self.down[e]] = self.up[e]
            self.size[i] -= 1
            self.dead |= self.size[i] < self.need[i]
        self.updates += cython.cast(cython.int, self.first[o + 1] - self.first[o])
        self.trail[self.height] = o
        self.height += 1

    def _undo(self, height):
        """Puts hidden options back, the last one first, until the trail has that height."""
        while self.height > height:
            self.height -= 1
            o = self.trail[self.height]
            e: cython.int = self.first[o + 1]
            while e > self.first[o]:
                e -= 1
                self.down[self.up[e]] = e
                self.up[self.down[e]] = e
                self.size[self.item[e]] += 1

    def _branching(self):
        return self.branch[self.level]

    def _upcoming(self):
        return self.option[self.down[self.head + self.branch[self.level]]]

    def _skip(self):
        """Hides the option to be tried next as if it had been tried; returns False if no other one follows."""
        self._hide(self._upcoming())
        self.tried[self.level] += 1
        return not self.dead and self.size[self.branch[self.level]] > 0

    def check(self) -> None:
        self._check_frame()
        assert self.state == TRY or self.level == 0, f"level is {self.level} in state {self.state}"
        if self.level < self.base:  # the search has ended
            return
        pairs = list(zip(np.asarray(self.item).tolist(), np.asarray(self.colour).tolist(), strict=True))
        options = [pairs[self.first[o] : self.first[o + 1]] for o in range(self.n_options)]
        self._check_lists(self._check_trail(options))
        self._check_counts(options)
        assert not self.dead or self.state != TRY, "dead is set, but there is an option to try"

    def _check_trail(self, options: list) -> set:
        """Checks that the trail holds, level by level, options that clash, then those tried; returns the live ones."""
        trail = np.asarray(self.trail)[: self.height].tolist()
        live = {o for o, entries in enumerate(options) if entries}
        least, most = np.asarray(self.multiplicities).T.tolist()
        room, shade, clashing, begin = list(most), {}, [], 0
        for k in range(self.level + (self.state == TRY)):
            tried = self.tried[k]
            end = self.floor[k] if k < self.level else self.height
            assert begin + len(clashing) + tried == end, f"floor[{k}] or tried[{k}] does not match the trail"
            assert set(trail[begin : end - tried]) == set(clashing), f"the trail misses options that clash on level {k}"
            live -= set(trail[begin:end])
            if k == self.level:
                break
            o = self.chosen[k]
            assert trail[end - 1] == o, f"chosen[{k}] is not the last option hidden on its level"
            assert self.branch[k] in [i for i, _ in options[o]], f"chosen[{k}] lacks the item of its level"
            for i, c in options[o]:
                if i < self.n_primary:
                    room[i] -= 1
                elif i < self.n_items:
                    shade[i] = c
            clashing = [p for p in live if any(self._clashes(i, c, shade, room) for i, c in options[p])]
            if not any(room[i] > most[i] - least[i] for i in range(self.n_primary)):  # no item needs an option
                clashing = [p for p in clashing if any(i == self.n_items for i, _ in options[p])]
            begin = end
        assert self.state == TRY or not trail, f"the trail has {len(trail)} options, but none is chosen"
        shades = [shade.get(i, 0) for i in range(self.n_items + 1)]
        assert np.asarray(self.shade).tolist() == shades, "shade does not hold just the colours of the chosen options"
        return live

    def _clashes(self, i: cython.int, c: cython.int, shade: dict, room: list) -> bool:
        """Returns whether item i can have no more options with this colour."""
        return room[i] == 0 if i < self.n_primary else i in shade and (c == 0 or c != shade[i])

    def _check_lists(self, live: set) -> None:
        """Checks that each item's list holds the entries of the live options that have it, in order, both ways."""
        alive, item = np.isin(np.asarray(self.option), list(live)), np.asarray(self.item)
        for i in range(self.n_items + 1):
            header = self.head + i
            expected = [header, *np.flatnonzero(alive & (item == i)).tolist(), header]
            assert self.size[i] == len(expected) - 2, f"size[{i}] is {self.size[i]}, not {len(expected) - 2}"
            for p, q in pairwise(expected):
                assert self.down[p] == q, f"down[{p}] is {self.down[p]}, not {q}"
                assert self.up[q] == p, f"up[{q}] is {self.up[q]}, not {p}"

    def _check_counts(self, options: list) -> None:
        """Checks n_wanted, n_roomy and the item of the level against need, room and size."""
        times = Counter(i for o in np.asarray(self.chosen)[: self.level].tolist() for i, _ in options[o])
        for i in range(self.n_primary):
            least, most = self.multiplicities[i, 0] - times[i], self.multiplicities[i, 1] - times[i]
            assert self.need[i] == least, f"need[{i}] is {self.need[i]} after {times[i]} options"
            assert self.room[i] == most, f"room[{i}] is {self.room[i]} after {times[i]} options"
        expected = [i for i in range(self.n_primary) if self.need[i] > 0]
        assert self.n_wanted == len(expected), f"n_wanted is {self.n_wanted}, not {len(expected)}"
        roomy = sum(self.room[i] > 0 for i in range(self.n_primary))
        assert self.n_roomy == roomy, f"n_roomy is {self.n_roomy}, not {roomy}"
        if self.state == TRY:
            i = self.branch[self.level]
            assert i in expected if expected else i == self.n_items, f"branch[{self.level}] needs no option"
            # `_enter` stops at the first item with one branch, so it has not compared later items.
            compared = [k for k in expected if k <= i or self.width[self.level] > 1]
            assert all(self.size[k] >= self.need[k] for k in compared), "an item needs more options than are live"
            assert self.size[i] > 0, f"the item of level {self.level} has no option to try"
