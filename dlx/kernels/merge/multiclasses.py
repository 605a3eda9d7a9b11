# cython: language_level=3
"""Counting class by class, where items are to be covered several times, or a number of times within a range.

An item that is to be covered k times is covered by each of its options, in any order. So a weight counts the orders,
too: an option that is chosen for one item could be any one of those that are still to come for each of its other items.
In the end each cover has been counted k! times for each such item. What is left then depends on nothing but how often
items are to be covered, and which options are live.

For an item with a range the number of options in a cover is not known. Those that have been tried before are left out,
and, where it needs no more, all of them are.
"""

import cython
import numpy as np

from dlx.kernels.merge.classes import Classes

if not cython.compiled:
    from dlx.kernels.merge.classes import bit

NONE = cython.declare(cython.int, -1)  # instead of an option or an item
MANY = cython.declare(cython.int, 1 << 30)  # more than any number of options


class Multiclasses(Classes):
    """A count that has not begun.

    Parameters:
        slots: (first, least), int32: item i has the bits first[i] to first[i + 1] - 1 of a state, of which least[i] are
            its need.
        takers: uint64, shape (primary items, words): the options of each.

    All others are those of `Classes`, for single options.
    """

    def __init__(self, state, items, options, clashes, users, points, form, memory, slots, takers) -> None:
        self.first, self.least = slots
        self.takers = takers
        self.n_items = len(self.least)
        self.need, self.room = np.zeros((2, self.n_items), dtype=np.int32)
        self.branch, self.ways = NONE, 1
        Classes.__init__(self, state, items, options, clashes, users, points, form, memory, False, False)
        self.rival = np.ones((1, int(np.diff(self.option_begin).max(initial=0)) + 1), dtype=np.int32)

    def _is_ordered(self, i):
        """Tells whether the orders of the options of an item are counted: it has no range."""
        return self.least[i] == self.first[i + 1] - self.first[i]

    def _restore(self):
        Classes._restore(self)
        self.ways = 1
        for i in range(self.n_items):
            self.need[i] = self.room[i] = 0
            for k in range(self.first[i], self.first[i + 1]):
                if self.state[k >> 6] & bit(k & 63):
                    if k < self.first[i] + self.least[i]:
                        self.need[i] += 1
                    else:
                        self.room[i] += 1

    def _find_rivals(self):
        """Chooses an item, and finds the options to be tried: all, and none where it needs none."""
        self.n_rivals[0] = self.next_rival[0] = 0
        i = self.branch = self._branch()
        if self._size(i) < self.need[i]:
            return
        for k in range(self.option_begin[i], self.option_begin[i + 1]):
            if self._is_live(self.option[k]):
                self.rival[0, self.n_rivals[0]] = self.option[k]
                self.n_rivals[0] += 1
        if self.need[i] == 0:
            self.rival[0, self.n_rivals[0]] = NONE
            self.n_rivals[0] += 1

    def _try_next(self):
        """Covers the item by the next option, and adds the weight to what is left then.

        An error of a form leaves the option to be tried.
        """
        self._restore()
        if self.branch == NONE:  # the count goes on from a snapshot
            self._find_here()
            self.branch = self._branch()
        i, k = self.branch, self.next_rival[0]
        orders: cython.int = self.need[i] if self._is_ordered(i) else 1
        if not self._is_ordered(i):
            for j in range(k):
                o = self.rival[0, j]
                self.state[self.words + (o >> 6)] &= ~bit(o & 63)
        self.tried = self.rival[0, k]
        if self.tried != NONE:
            self._choose(self.tried)
        if self._force():
            self._add(self.weight[0] * (self.ways // orders))
        self.nodes += 1
        self.next_rival[0] += 1
        self._check_memory()

    def _choose(self, o):
        """Covers the items of an option once more; what clashes with it is gone."""
        self.path[self.n_path] = o
        self.n_path += 1
        for w in range(self.all_words - self.words):
            self.state[self.words + w] &= ~self.clashes[o, w]
        for k in range(self.item_begin[o], self.item_begin[o + 1]):
            self._cover(self.item[k])

    def _cover(self, i):
        """Covers an item once more; its options are gone if it has been covered as often as it may."""
        if self._is_ordered(i):
            self.ways = self.ways * self.need[i]
        if self.need[i] > 0:
            self.need[i] -= 1
            self._shut(self.first[i] + self.need[i])
        else:
            self.room[i] -= 1
            self._shut(self.first[i] + self.least[i] + self.room[i])
        if self.need[i] + self.room[i] == 0:
            for w in range(self.all_words - self.words):
                self.state[self.words + w] &= ~self.takers[i, w]

    def _shut(self, place):
        self.state[place >> 6] &= ~bit(place & 63)

    def _force(self):
        """Chooses the options of items that need all of theirs, where the search goes on; False at a dead end.

        Room for more options than there are is gone: it makes no difference. Sets `n_open` and `n_done`.
        """
        i: cython.int = 0
        self._find_here()
        while i < self.n_items:
            size = self._size(i) if self.need[i] + self.room[i] > 0 else 0
            if size < self.need[i]:
                return False
            while self.room[i] > size - self.need[i]:
                self.room[i] -= 1
                self._shut(self.first[i] + self.least[i] + self.room[i])
            if size > 0 and size == self.need[i] and self._is_here(i):
                self._choose(self._first_live(i))
                self._find_here()
                i = 0
            else:
                i += 1
        self._find_here()
        return True

    def _first_live(self, i):
        """The first live option of an item that has some."""
        for k in range(self.option_begin[i], self.option_begin[i + 1]):
            if self._is_live(self.option[k]):
                return self.option[k]
        return NONE

    def _is_here(self, i):
        """Tells whether an item is open where the search goes on."""
        k = self.first[i] + (0 if self.need[i] > 0 else self.least[i])
        return self.need[i] + self.room[i] > 0 and (self.here[k >> 6] & bit(k & 63)) != 0

    def _branch(self):
        """Of the open items where the search goes on the first with the fewest live options beyond its need."""
        best, least = NONE, MANY
        for i in range(self.n_items):
            if self._is_here(i):
                size = self._size(i) - self.need[i]
                if size < least:
                    best, least = i, size
        return best
