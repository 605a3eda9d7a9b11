# cython: language_level=3
"""Merging on sparse sets: equal states are solved once, in problems of any size and kind.

The search is that of `Multi`, with a `Memo`. The key of a state has to tell all that the rest of the search depends on:

* Without multiplicities that is the set of live options. Dead ends are seen before the memo is asked, so each active
  primary item has a live option, and the others have none. Colours given to secondary items have ruled out the options
  with another one, so what is live says it all.
* The live options are told by less than a bit for each. An option has marks: a bit for each item, and for coloured
  items bits that spell the colour, as in `dlx.kernels.cover.bits`. An option is live just if all its marks are marks of
  live options: so their union will do. A secondary item that no two live options could clash on makes no difference.
* With multiplicities each option is its own mark. Behind the marks is what each item still needs, and how much room it
  has, if it has live options; then, whether nothing is needed any more: from there on only some of the options that
  clash are ruled out, those that could be chosen.
"""

import cython
import numpy as np

from dlx.kernels.cover.bits import Spelling
from dlx.kernels.cover.multi import Multi
from dlx.kernels.merge.memo import Memo

if not cython.compiled:
    from dlx.kernels import BUFFER_FULL, CRAMPED, DONE, ENTER, EXHAUSTED, TRY


class Mergesets(Multi):
    """A search for the number of covers, or with `draws` for a diagram of them."""

    def __init__(self, rows, buffer, draws: cython.bint) -> None:
        Multi.__init__(self, rows, buffer)
        self.portable = False
        n_options = self.n_options
        if rows.multiplicities is None:
            self.first_mark, self.mark_of = Spelling(rows).marks()
            self.measured = np.empty(0, dtype=np.int32)
        else:
            self.first_mark = np.arange(n_options + 1, dtype=np.int32)
            self.mark_of = np.arange(n_options, dtype=np.int32)
            self.measured = np.flatnonzero((rows.multiplicities != 1).any(axis=1)).astype(np.int32)
        n_marks = int(np.max(self.mark_of, initial=-1)) + 1
        self.words = (n_marks + 63) // 64
        live = np.repeat(np.diff(np.asarray(self.first)) > 0, np.diff(np.asarray(self.first_mark)))
        self.carriers = np.bincount(np.asarray(self.mark_of)[live], minlength=n_marks).astype(np.int32)
        depth = self.chosen.shape[0] + 1
        behind = self.measured.shape[0] + (self.measured.shape[0] > 0)
        self.memo = Memo(max(1, self.words + behind), depth, n_options + depth, draws)
        bits = np.packbits(np.asarray(self.carriers) > 0, bitorder="little")
        np.asarray(self.memo.key).view(np.uint8)[: len(bits)] = bits
        self.keyed = 0
        self.going = False

    def total(self) -> int:
        """The covers found so far, however many."""
        return self.memo.total(self.level)

    def _run(self):
        if self.state == DONE:
            return EXHAUSTED
        if self.state == ENTER:
            if self.covers >= self.cover_limit:
                return BUFFER_FULL
            self.memo.begin(0)
            if self.n_wanted == 0:
                self.memo.found(0, -1)
            self.going = not self.dead and self._choose()
            self.state = TRY
        while True:
            self.covers = self.memo.covers
            if self.memo.cramped():
                return CRAMPED
            if not self.going:  # all covers of the level are known
                self.memo.leave(self.level, self.chosen[max(0, self.level - 1)])
                if self.level == 0:
                    self._undo(0)
                    self._unmark()
                    self.state = DONE
                    return EXHAUSTED
                self.level -= 1
                self.going = self._retract()
                self._unmark()
                continue
            status = self._spent()
            if status:
                return status
            self.nodes += 1
            covers = self.covers
            if self._try():
                self._arrive(self.covers > covers)
            else:
                if self.covers > covers:
                    self.memo.found(self.level, self.chosen[self.level])
                self.going = self._retract()
                self._unmark()

    def _arrive(self, found):
        """Enters a level; `found` tells whether the options chosen are a cover.

        A state with a single branch is not looked up: half as many states, in the same time or less.
        """
        self.level += 1
        self.memo.begin(self.level)
        self.going = self._choose()
        if self.width[self.level] > 1:
            self._mark()
            if self.memo.recall(self.level, self.chosen[self.level - 1]):
                self.going = False
                return
            self.memo.remember(self.level)
        if found:
            self.memo.found(self.level, -1)

    def _choose(self):
        """As `_enter`, but of several such items the first: searches that come in different ways meet more often.

        Dominoes on 8 x 8 had 795,373 states without it, 1,642 with it; Latin squares in `Multi` took 11 % longer.
        """
        best = self.n_items
        least: cython.int = 0x7FFFFFFF
        for k in range(self.n_wanted):
            i = self.wanted[k]
            spare = self.size[i] - self.need[i]
            if spare < least or (spare == least and i < best):
                least = spare
                best = i
                if spare == 0:
                    break
        return self._begin_with(best)

    def _mark(self):
        """Makes the key that of what is live."""
        one: cython.ulonglong = 1
        while self.keyed < self.height:
            o = self.trail[self.keyed]
            self.keyed += 1
            for k in range(self.first_mark[o], self.first_mark[o + 1]):
                m = cython.cast(cython.int, self.mark_of[k])
                self.carriers[m] -= 1
                if self.carriers[m] == 0:
                    self.memo.key[m >> 6] ^= one << (m & 63)
        for k in range(self.measured.shape[0]):
            i = self.measured[k]
            self.memo.key[self.words + k] = 0
            if self.size[i]:
                self.memo.key[self.words + k] = cython.cast(cython.ulonglong, max(0, self.need[i])) << 32
                self.memo.key[self.words + k] |= cython.cast(cython.ulonglong, min(self.room[i], self.size[i]))
        if self.measured.shape[0]:
            self.memo.key[self.words + self.measured.shape[0]] = self.n_wanted == 0

    def _unmark(self):
        """Makes the key that of the options hidden now, after some of them have been put back."""
        one: cython.ulonglong = 1
        while self.keyed > self.height:
            self.keyed -= 1
            o = self.trail[self.keyed]
            for k in range(self.first_mark[o], self.first_mark[o + 1]):
                m = cython.cast(cython.int, self.mark_of[k])
                if self.carriers[m] == 0:
                    self.memo.key[m >> 6] ^= one << (m & 63)
                self.carriers[m] += 1

    def check(self) -> None:
        """Raises an AssertionError that names a broken invariant; to be called between two runs, by tests."""
        if self.going or self.state != TRY:  # else the level is to be left, where items may have lost their options
            Multi.check(self)
        assert 0 <= self.keyed <= self.height, f"the key knows {self.keyed} of {self.height} hidden options"
        entries = np.diff(np.asarray(self.first))
        entries[np.asarray(self.trail)[: self.keyed]] = 0
        marks = np.asarray(self.mark_of)[np.repeat(entries > 0, np.diff(np.asarray(self.first_mark)))]
        carriers = np.bincount(marks, minlength=self.carriers.shape[0])
        assert (carriers == np.asarray(self.carriers)).all(), "carriers does not count the options with each mark"
        key = np.unpackbits(np.asarray(self.memo.key).view(np.uint8), bitorder="little")
        assert (key[: len(carriers)] == (carriers > 0)).all(), "the key is not that of the options"
