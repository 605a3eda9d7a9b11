# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Which options are in no cover because choosing them would leave some item with too few others: a sieve.

This is the heart of Knuth's preprocessing (TAOCP 4B, 7.2.2.1, Algorithm P), with counters in place of links: an option
is tried by counting, for each primary item, the live options that clash with it. One pass tries all options, and what
it drops is gone for the options behind it; passes go on until one drops nothing.
"""

import cython
import numpy as np

_EXHAUSTED = cython.declare(cython.int, 0)
_BUDGET_SPENT = cython.declare(cython.int, 2)


@cython.cclass
class Sieve:
    """Drops options until every one left could be chosen without leaving any item short.

    `indptr` and `indices` (int32) hold the items of each option; the items below `n_primary` are primary, and `bounds`
    (int32, two columns) tells how many options of a cover may have each of them, at least and at most. `colours`
    (int32, parallel to `indices`) holds the colour of each entry, or 0 for none. `live` (int8, one for each option) is
    the answer: before and after every `run`, the options with a 0 are in no cover.
    """

    indptr: cython.const[cython.int][::1]
    indices: cython.const[cython.int][::1]
    colours: cython.const[cython.int][::1]
    low: cython.int[::1]  # low[i], high[i]: the bounds of item i; 0 and 1 if it is secondary
    high: cython.int[::1]
    begin: cython.int[::1]  # member[begin[i] : begin[i + 1]]: the entries of item i, those of dropped options too
    member: cython.int[::1]
    option: cython.int[::1]  # option[e]: the option of entry e
    live: cython.char[::1]
    size: cython.int[::1]  # size[i]: how many live options have item i
    lost: cython.int[::1]  # lost[i]: how many of these clash with the option being tried; all 0 between trials
    clash: cython.int[::1]  # clash[:n_clash]: those options
    clashes: cython.char[::1]  # clashes[o]: whether o is one of them
    n_clash: cython.int
    n_primary: cython.int
    next: cython.int  # the next option to try
    idle: cython.int  # how many options have been tried since one was dropped
    updates = cython.declare(cython.longlong, visibility="readonly")

    def __init__(
        self,
        indptr: cython.const[cython.int][::1],
        indices: cython.const[cython.int][::1],
        n_items: cython.int,
        n_primary: cython.int,
        bounds: object,
        colours: object,
        live: cython.char[::1],
    ) -> None:
        n_options: cython.int = len(live)
        i: cython.int
        owner = np.repeat(np.arange(n_options, dtype=np.int32), np.diff(indptr))
        usable = np.bincount(owner[np.asarray(indices) < n_primary], minlength=n_options) > 0
        np.asarray(live)[:] = usable
        self.indptr, self.indices, self.live = indptr, indices, live
        self.colours = np.zeros(len(indices), dtype=np.int32) if colours is None else colours
        low, high = np.zeros((2, n_items), dtype=np.int32)
        high += 1
        low[:n_primary] = 1 if bounds is None else bounds[:, 0]
        high[:n_primary] = 1 if bounds is None else bounds[:, 1]
        self.low, self.high = low, high
        self.size = np.bincount(np.asarray(indices)[usable[owner]], minlength=n_items).astype(np.int32)
        self.begin = np.append(0, np.cumsum(np.bincount(indices, minlength=n_items))).astype(np.int32)
        self.member = np.argsort(indices, kind="stable").astype(np.int32)
        self.option = owner
        self.lost = np.zeros(n_items, dtype=np.int32)
        self.clash = np.zeros(n_options, dtype=np.int32)
        self.clashes = np.zeros(n_options, dtype=np.int8)
        self.n_primary = n_primary
        self.n_clash = self.next = self.idle = 0
        self.updates = 0
        for i in range(n_primary):
            if self.size[i] < self.low[i]:
                self._drop_all()

    def run(self, update_budget: cython.longlong) -> int:
        """Goes on until nothing more is to be dropped or the budget is spent; an update is an entry looked at."""
        status: cython.int
        with cython.nogil:
            status = self._run(self.updates + update_budget)
        return status

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _run(self, limit: cython.longlong) -> cython.int:
        o: cython.int
        n_options: cython.int = cython.cast(cython.int, self.live.shape[0])
        while self.idle < n_options:
            if self.updates >= limit:
                return _BUDGET_SPENT
            o = self.next
            self.next = o + 1 if o + 1 < n_options else 0
            self.idle += 1
            self.updates += 1
            if self.live[o] and self._leaves_short(o):
                self.idle = 0
                self._drop(o)
        return _EXHAUSTED

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _leaves_short(self, o: cython.int) -> cython.bint:
        """Whether some primary item would have fewer options than it needs if option o were chosen."""
        e: cython.int
        k: cython.int
        i: cython.int
        q: cython.int
        short: cython.bint = False
        self.n_clash = 0
        self.clashes[o] = 1  # an option does not clash with itself
        for e in range(self.indptr[o], self.indptr[o + 1]):
            i = self.indices[e]
            if self.high[i] > 1:  # others may have it as well
                continue
            self.updates += self.begin[i + 1] - self.begin[i]
            for k in range(self.begin[i], self.begin[i + 1]):
                q = self.option[self.member[k]]
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

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def _differs(self, e: cython.int, f: cython.int) -> cython.bint:
        """Whether two entries of one item, which is covered at most once, cannot go together."""
        return self.colours[e] == 0 or self.colours[e] != self.colours[f]

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def _lose(self, q: cython.int) -> cython.bint:
        """Counts a clashing option; whether that leaves an item short."""
        e: cython.int
        i: cython.int
        short: cython.bint = False
        self.updates += self.indptr[q + 1] - self.indptr[q]
        for e in range(self.indptr[q], self.indptr[q + 1]):
            i = self.indices[e]
            self.lost[i] += 1
            if self.size[i] - self.lost[i] < self.low[i]:
                short = True
        return short

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _drop(self, o: cython.int) -> cython.void:
        """Drops an option, and all of them if an item is then short even so: there is no cover."""
        e: cython.int
        i: cython.int
        self.live[o] = 0
        for e in range(self.indptr[o], self.indptr[o + 1]):
            i = self.indices[e]
            self.size[i] -= 1
            if self.size[i] < self.low[i]:
                self._drop_all()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _drop_all(self) -> cython.void:
        o: cython.int
        for o in range(cython.cast(cython.int, self.live.shape[0])):
            self.live[o] = 0

    def check(self) -> None:
        """Raises an AssertionError that names a broken invariant; to be called between two runs, by tests."""
        live, option = np.asarray(self.live), np.asarray(self.option)
        if live.any():
            size = np.bincount(np.asarray(self.indices)[live[option] > 0], minlength=len(self.size))
            assert (np.asarray(self.size) == size).all(), "size is not the number of live options"
        assert not np.asarray(self.lost).any(), "lost is not 0 between trials"
        assert not np.asarray(self.clashes).any(), "an option clashes with nothing"
