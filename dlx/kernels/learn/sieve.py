# cython: language_level=3
"""A sieve of options in no cover: choosing one would leave some item with too few others.

This is the heart of Knuth's preprocessing (TAOCP 4B, 7.2.2.1, Algorithm P), with counters in place of links: an option
is tried by counting, for each primary item, the live options that clash with it. One pass tries all options, and what
it drops is gone for the options behind it; passes go on until one drops nothing.
"""

import cython
import numpy as np

from dlx.kernels.cover.frame import Frame, usable

if not cython.compiled:
    from dlx.kernels import EXHAUSTED


class Sieve(Frame):
    """Drops options until every one left could be chosen without leaving any item short; a node is an option tried.

    Parameters:
        rows: as for `Frame`.
        live: int8, one for each option: the answer. Before and after every `run`, options with a 0 are in no cover.
    """

    def __init__(self, rows, live) -> None:
        Frame.__init__(self, rows, np.empty((0, 0), dtype=np.int32), 0)
        indptr, indices, n_items, _, colours, _ = rows
        n_options = self.n_options
        some = usable(rows)
        np.asarray(live)[:] = some
        self.indptr, self.indices, self.live = indptr, indices, live
        self.colours = np.zeros(len(indices), dtype=np.int32) if colours is None else colours
        self.low, self.high = rows.ranges().T.copy()
        self.size = np.bincount(indices[some[rows.owner]], minlength=n_items).astype(np.int32)
        self.begin, self.member, self.user = rows.by_item
        self.lost = np.zeros(n_items, dtype=np.int32)
        self.clash = np.zeros(n_options, dtype=np.int32)
        self.clashes = np.zeros(n_options, dtype=np.int8)
        self.n_clash = self.next = self.idle = 0
        for i in range(self.n_primary):
            if self.size[i] < self.low[i]:
                self._drop_all()
                break

    def _run(self):
        while self.idle < self.n_options:
            status = self._spent()
            if status:
                return status
            o = self.next
            self.next = o + 1 if o + 1 < self.n_options else 0
            self.idle += 1
            self.nodes += 1
            self.updates += 1
            if self.live[o] and self._leaves_short(o):
                self.idle = 0
                self._drop(o)
        return EXHAUSTED

    def _leaves_short(self, o):
        """Tells whether some primary item would have fewer options than it needs if option o were chosen."""
        short: cython.bint = False
        self.n_clash = 0
        self.clashes[o] = 1  # an option does not clash with itself
        for e in range(self.indptr[o], self.indptr[o + 1]):
            i = self.indices[e]
            if self.high[i] > 1:  # others may have it as well
                continue
            self.updates += cython.cast(cython.int, self.begin[i + 1] - self.begin[i])
            for k in range(self.begin[i], self.begin[i + 1]):
                q = self.user[k]
                if self.live[q] and not self.clashes[q] and self._differs(e, self.member[k]):
                    self.clashes[q] = 1
                    self.clash[self.n_clash] = q
                    self.n_clash += 1
                    if self._lose(q):
                        short = True
                        break
            if short:
                break
        self.clashes[o] = 0
        for k in range(self.n_clash):
            q = self.clash[k]
            self.clashes[q] = 0
            for e in range(self.indptr[q], self.indptr[q + 1]):
                self.lost[self.indices[e]] = 0
        return short

    def _differs(self, e, f):
        """Tells whether two entries of one item, which is covered at most once, cannot go together."""
        return self.colours[e] == 0 or self.colours[e] != self.colours[f]

    def _lose(self, q):
        """Counts a clashing option; whether that leaves an item short."""
        short: cython.bint = False
        self.updates += cython.cast(cython.int, self.indptr[q + 1] - self.indptr[q])
        for e in range(self.indptr[q], self.indptr[q + 1]):
            i = self.indices[e]
            self.lost[i] += 1
            if self.size[i] - self.lost[i] < self.low[i]:
                short = True
        return short

    def _drop(self, o):
        """Drops an option, and all of them if an item is then short even so: there is no cover."""
        self.live[o] = 0
        for e in range(self.indptr[o], self.indptr[o + 1]):
            i = self.indices[e]
            self.size[i] -= 1
            if self.size[i] < self.low[i]:
                self._drop_all()
                break

    def _drop_all(self):
        for o in range(self.n_options):
            self.live[o] = 0

    def fraction(self) -> float:
        """The part of a pass without a find behind it: at 1 the options left can all stay."""
        return self.idle / self.n_options if self.n_options else 1.0

    def check(self) -> None:
        self._check_frame()
        live, there = np.asarray(self.live), np.asarray(self.indices)[np.asarray(self.member)]
        if live.any():
            size = np.bincount(there[live[np.asarray(self.user)] > 0], minlength=len(self.size))
            assert (np.asarray(self.size) == size).all(), "size is not the number of live options"
        assert not np.asarray(self.lost).any(), "lost is not 0 between trials"
        assert not np.asarray(self.clashes).any(), "an option clashes with nothing"
