# cython: language_level=3
"""Finds the components of a problem, which share no option, and all covers of each small component.

Items are linked by a forest of parents (B. Galler, M. Fischer, doi:10.1145/364099.364331) with path halving
(R. Tarjan, J. van Leeuwen, doi:10.1145/62.2160). Algorithm X then searches each small component: it branches
on an item with the fewest options, and gives up after `patience` updates. The components share the arrays of the
problem, since no option has items of two components.
"""

import cython
import numpy as np

from dlx.kernels.cover.frame import Frame, usable

if not cython.compiled:
    from dlx.kernels import BUFFER_FULL, DONE, EXHAUSTED


class Components(Frame):
    """The components of a problem; the constructor counts them, and `prepare` must be called before `run`.

    A node is an option tried. A run stops only between two components; a component takes some microseconds.

    Parameters:
        rows: as for `Frame`. Options without primary items, which are in no cover, link nothing.
    """

    def __init__(self, rows) -> None:
        Frame.__init__(self, rows, np.empty((0, 0), dtype=np.int32), 0)
        self.indptr, self.indices = rows.indptr, rows.indices
        self.is_usable = usable(rows).view(np.int8)
        self.parent = np.arange(rows.n_items, dtype=np.int32)
        self.component, self.impossible = None, False
        with cython.nogil:
            self.number = self._join()
        self.choices = 1 if self.number == 1 else self._count_choices(rows)

    def _count_choices(self, rows) -> int:
        some = rows.indices[rows.indptr[np.flatnonzero(self.is_usable)]]
        numbers = np.bincount(np.asarray(self.parent)[some])  # the options of each component, at its smallest item
        is_whole = rows.multiplicities is None and np.count_nonzero(numbers) < self.number
        return 1 if is_whole else int(np.count_nonzero(numbers > 1))

    def prepare(self, rows, widest: cython.int, patience: cython.longlong, room: cython.int) -> None:
        """Prepares the search for the covers of each small component.

        Parameters:
            rows: the same as before.
            widest: the most primary items of a small component. Other components remain for another search, as do
                components with colours or with multiplicities other than one.
            patience: the most updates for a component; a component that takes more remains.
            room: entries of the buffer; a component whose covers do not fit remains.
        """
        labels = self.labels()[: rows.n_primary]
        self.begin, self.user = rows.by_item.begin, rows.by_item.option
        some = np.asarray(self.is_usable).view(np.bool_)
        if not some.all():
            kept = some[rows.by_item.option]
            self.begin = np.append(0, np.cumsum(kept)).astype(np.int32)[rows.by_item.begin]
            self.user = rows.by_item.option[kept]
        self.size = np.diff(self.begin)
        self.covered = np.zeros(self.n_items, dtype=np.int8)
        self.hidden = np.zeros(self.n_options, dtype=np.int32)
        self.part_item = np.argsort(labels, kind="stable").astype(np.int32)
        self.part_begin = np.append(0, np.cumsum(np.bincount(labels, minlength=self.number))).astype(np.int32)
        sizes = np.diff(self.part_begin)
        hard = sizes > widest
        hard[self.labels()[rows.takes_colours & (self.labels() >= 0)]] = True
        if rows.multiplicities is not None:
            hard[labels[(rows.multiplicities != 1).any(axis=1)]] = True
        self.hard = hard.astype(np.int8)
        width = int(sizes[~hard].max(initial=1))
        n_rows = max(1, room // width)
        self.buffer = np.empty((n_rows, width), dtype=np.int32)
        self.owner = np.zeros(n_rows, dtype=np.int32)
        self.chosen, self.next, self.end = np.zeros((3, width + 1), dtype=np.int32)
        self.patience = patience
        self.part = self.settled = 0

    def labels(self) -> np.ndarray:
        """Returns the component of each item; -1 for a secondary item that no option with a primary item has."""
        if self.component is None:
            roots = np.asarray(self.parent)
            number_of = np.cumsum(roots == np.arange(self.n_items), dtype=np.int32) - 1
            self.component = np.where(roots < self.n_primary, number_of[roots], -1)
        return self.component

    def owners(self) -> np.ndarray:
        """Returns the component of each cover in the buffer; covers of one component are consecutive."""
        return np.asarray(self.owner)[: self.filled]

    def remaining(self) -> np.ndarray:
        """Returns the components that remain for another search."""
        return np.flatnonzero(self.hard)

    def add(self, nodes: cython.longlong, updates: cython.longlong) -> None:
        """Adds the work of the searches of other components to the totals."""
        self.nodes += nodes
        self.updates += updates

    def fraction(self) -> float:
        """Returns the fraction of the components that have been searched to the end."""
        return self.settled / max(1, self.number)

    def _root(self, i):
        """Returns the root of item i in the forest, and halves the path to the root."""
        while self.parent[i] != i:
            self.parent[i] = self.parent[self.parent[i]]
            i = self.parent[i]
        return i

    def _join(self):
        """Links the items of each option; returns the number of components. Each parent is then the smallest item."""
        apart: cython.int = self.n_items
        for o in range(self.n_options):
            if apart == 1:
                break
            if not self.is_usable[o]:
                continue
            r = self._root(self.indices[self.indptr[o]])
            for e in range(self.indptr[o] + 1, self.indptr[o + 1]):
                q = self._root(self.indices[e])
                if q != r:
                    apart -= 1
                    self.parent[max(q, r)] = min(q, r)
                    r = min(q, r)
        apart = 0
        for i in range(self.n_items):
            self.parent[i] = self.parent[self.parent[i]]
            apart += self.parent[i] == i and i < self.n_primary
        return apart

    def _run(self):
        while self.part < self.number:
            if not self.hard[self.part]:
                status = self._spent()
                if status:
                    return status
                if self.filled > 0 and self.buffer.shape[0] - self.filled <= self.patience:  # covers may not fit
                    return BUFFER_FULL
                self._search()
            self.part = self.number if self.impossible else self.part + 1
        self.state = DONE
        return EXHAUSTED

    def _search(self):
        """Writes all covers of the component to the buffer; gives up if that takes too long or does not fit."""
        began, first = self.updates, self.filled
        self._enter()
        while True:
            o = self._next_option()
            if o < 0:
                if self.level == 0:
                    break
                self._uncover()
            elif self.updates - began > self.patience or self.filled == self.buffer.shape[0]:
                while self.level > 0:
                    self._uncover()
                self.filled = first
                self.hard[self.part] = True
                return
            else:
                self._cover(o)
                self._enter()
        self.settled += 1
        self.impossible = self.filled == first

    def _enter(self):
        """Chooses an item with the fewest options for this level; writes a cover if all items are covered."""
        item: cython.int = -1
        for k in range(self.part_begin[self.part], self.part_begin[self.part + 1]):
            i = self.part_item[k]
            if not self.covered[i] and (item < 0 or self.size[i] < self.size[item]):
                item = i
        self.updates += cython.cast(cython.int, self.part_begin[self.part + 1] - self.part_begin[self.part])
        self.next[self.level] = self.end[self.level] = 0
        if item >= 0:
            self.next[self.level], self.end[self.level] = self.begin[item], self.begin[item + 1]
        else:
            self.owner[self.filled] = self.part
            self._emit(self.level)
            self.covers = 0  # covers of components are not covers of the problem

    def _next_option(self):
        """Returns the next option of the level that is not hidden; -1 if there is none."""
        k: cython.int = self.next[self.level]
        end = self.end[self.level]
        while k < end and self.hidden[self.user[k]] > 0:
            k += 1
        self.next[self.level] = k + 1
        return self.user[k] if k < end else -1

    def _cover(self, o):
        """Chooses option o, and hides the options that share an item with it."""
        self.nodes += 1
        self.chosen[self.level] = o
        for e in range(self.indptr[o], self.indptr[o + 1]):
            i = self.indices[e]
            self.covered[i] = True
            self.updates += cython.cast(cython.int, self.begin[i + 1] - self.begin[i])
            self._hide(i, 1)
        self.level += 1

    def _uncover(self):
        """Undoes the last choice."""
        self.level -= 1
        o = self.chosen[self.level]
        for e in range(self.indptr[o], self.indptr[o + 1]):
            self.covered[self.indices[e]] = False
            self._hide(self.indices[e], -1)

    def _hide(self, i, by):
        """Hides the options of an item (by=1), or undoes that (by=-1); `hidden` counts the reasons."""
        for k in range(self.begin[i], self.begin[i + 1]):
            q = self.user[k]
            self.hidden[q] += by
            if self.hidden[q] == (by > 0):
                if by > 0:
                    self.updates += cython.cast(cython.int, self.indptr[q + 1] - self.indptr[q])
                for e in range(self.indptr[q], self.indptr[q + 1]):
                    self.size[self.indices[e]] -= by

    def check(self) -> None:
        """Verifies that no option is chosen or hidden, as is true between two components."""
        self._check_frame()
        assert self.level == 0, f"level is {self.level}"
        assert (np.asarray(self.size) == np.diff(self.begin)).all(), "size is not the number of options"
        assert not np.asarray(self.hidden).any(), "an option is hidden"
        assert not np.asarray(self.covered).any(), "an item is covered"
