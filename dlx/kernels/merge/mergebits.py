# cython: language_level=3
"""Merging on lists of bit masks: equal states are solved once, where options are dense and their masks short.

The search is that of `Bits`, with a `Memo`. The key of a state is the union of the masks of its options, which
determines them (`mergesets` says why). Its words of primary items are those of the active ones: without any
others the key is known before the list is filtered, and matchings and set partitions took a third of the time.
"""

import cython

from dlx.kernels.cover.bits import Bits
from dlx.kernels.merge.memo import Memo

if not cython.compiled:
    from dlx.kernels import CRAMPED, DONE, ENTER, EXHAUSTED, TRY


class Mergebits(Bits):
    """A search for the number of covers, or with `draws` for a diagram of them."""

    def __init__(self, rows, buffer, draws: cython.bint) -> None:
        Bits.__init__(self, rows, buffer)
        self.portable = False
        depth = self.chosen.shape[0] + 1
        self.memo = Memo(self.words, depth, self.n_options + depth, draws)
        self.going = False
        self.told = self.words if self.n_bits == self.n_primary else self.n_primary // 64

    def total(self) -> int:
        """The covers found so far, however many."""
        return self.memo.total(self.level)

    def _run(self):
        if self.state == DONE:
            return EXHAUSTED
        while True:
            self.covers = self.memo.covers
            if self.memo.cramped():
                return CRAMPED
            if self.state == ENTER:
                self.state = TRY
                self.memo.begin(self.level)
                if self.n_primary == 0:
                    self.memo.found(0, -1)
                    self.going = False
                else:
                    self.going = self._arrive() and self._next()
            if not self.going:  # all covers of the level are known
                self.memo.leave(self.level, self.chosen[max(0, self.level - 1)])
                if self.level == 0:
                    self.state = DONE
                    self.covers = self.memo.covers
                    return EXHAUSTED
                self.level -= 1
                self.going = self._next()
                continue
            status = self._spent()
            if status:
                return status
            self.nodes += 1
            if self._choose():
                self.level += 1
                self.state = ENTER
            else:
                self.memo.found(self.level, self.chosen[self.level])
                self.going = self._next()

    def _arrive(self):
        """As `_enter`, but False too for a known state; a state with a single branch is not remembered.

        Nor are dead ends, which made the table twice as large and saved no time on tetromino tilings.
        """
        told: cython.bint = self.told == self.words
        if self._forces():
            return True
        if told and self._known():
            return False
        self._filter()
        if not self._smallest():
            return False
        if self.level == 0 or self.left[self.level] == 1:
            return True
        if not told and self._known():
            return False
        self.memo.remember(self.level)
        if told and self.memo.is_far():
            self._expect()
        return True

    def _known(self):
        """Makes the key, and looks it up."""
        for v in range(self.told):
            self.memo.key[v] = self.needed[self.level, v]
        for v in range(self.told, self.words):
            p = self.begin[self.level] + v
            union: cython.ulonglong = 0
            while p < self.end[self.level]:
                union |= self.lists[p]
                p += self.stride
            self.memo.key[v] = union
        return self.level > 0 and self.memo.recall(self.level, self.chosen[self.level - 1])

    def _expect(self):
        """Has the table fetched where the states will be looked up to which the options of the level lead."""
        p = self.begin[self.level] + self.word[self.level]
        stop = self.end[self.level]
        stride = self.stride
        bit = self.bit[self.level]
        while p < stop:
            if self.lists[p] & bit:
                for v in range(self.words):
                    self.memo.key[v] = self.needed[self.level, v] ^ self.lists[p - self.word[self.level] + v]
                self.memo.expect()
            p += stride

    def check(self) -> None:
        """Raises an AssertionError that names a broken invariant; to be called between two runs, by tests."""
        if self.going or self.state != TRY:  # else the level is to be left, and its list may not be there
            Bits.check(self)
