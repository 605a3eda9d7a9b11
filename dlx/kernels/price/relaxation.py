# cython: language_level=3
"""The linear program of the root, solved by the simplex method from a basis of options with mass, or from the last one.

If there are many options it begins with those of least slack, and takes others as they lack something by the prices, or
as nothing can be covered without them: sifting (R. Bixby et al., doi:10.1287/opre.40.5.885). Items that have been added
since the last optimum, for cuts, are new rows, whose slack variables are basic at first.
"""

import cython
import numpy as np

from dlx.kernels.price.simplex import Simplex

if not cython.compiled:
    from dlx.kernels.price.simplex import AT_ONCE, DEAD, MORE, OPTIMAL, STOPPED


COLUMNS = cython.declare(cython.int, 4)  # options for each row, with which the program begins,
FEW = cython.declare(cython.int, 400)  # or so many
SLACKEST = cython.declare(cython.longlong, 1 << 60)


class Relaxation(Simplex):
    """A node that is the root, with the basis of its last optimum; parameters: `Node`."""

    def __init__(self, rows, buffer, weights, ranges=None) -> None:
        Simplex.__init__(self, rows, buffer, weights, ranges)
        self.kept_rows = 0

    def optimizing(self) -> int:
        """Returns the updates that `optimize` takes, if each row of the program takes a pivot."""
        with cython.nogil:
            rows: cython.longlong = self._count_rows()
        return self.live + rows * (min(self.live, max(FEW, COLUMNS * rows)) + rows * rows // 64)

    def optimize(self, most: cython.longlong) -> bool:
        """Gives the root the prices and masses of its linear program, after `heat`; False if that takes more updates.

        It begins with the basis of the last optimum, or with one that is built of the options with most mass. If there
        are many options it is solved with those of least slack first, and goes on with all of them by the primal
        simplex method.
        """
        self.program(1, self._count_rows())
        few: cython.int = max(FEW, COLUMNS * self.inverse.shape[1])
        edge: cython.longlong = SLACKEST
        if self.live > 2 * few:
            edge = np.partition(np.asarray(self.slack)[np.asarray(self.option)[: self.live]], few)[few]
        with cython.nogil:
            self.update_limit = self.updates + most
            status = self._optimize(edge)
            self._find_masses(0)
            self._propose_prices(0)
            self._accept(self._bound_of_trial(), False)
        self.kept_rows = 0
        if status == OPTIMAL and self.m:
            self.kept_rows, self.kept_item, self.kept_basis = self.m, self.row_item.copy(), self.basis[0].copy()
            self.kept_inverse, self.kept_up = self.inverse[0], self.up[0].copy()
        self.program(0, 0)
        return status == OPTIMAL

    def take_basis(self, other) -> None:
        """Takes the basis of the last optimum of another kernel of this problem."""
        old: Relaxation = other
        self.kept_rows = old.kept_rows
        if self.kept_rows:
            self.kept_item, self.kept_basis = old.kept_item, old.kept_basis
            self.kept_inverse, self.kept_up = old.kept_inverse, old.kept_up

    def _optimize(self, edge):
        """Solves the program of the root, first with the options up to a slack; returns how that ended."""
        n, status = self.live, MORE
        self._number_rows(0)
        self.sifted = edge < SLACKEST
        if self.sifted:
            self._find_witnesses()
            self.live = 0
            self._list_members()
            self._take_options(n, edge)
        if not self._begin_again():
            self._build(0)
        self._stand_on(0)
        while status == MORE and self.updates < self.update_limit:
            status = self._iterate(0, AT_ONCE)
            if status == DEAD and self.live < n:  # these options cannot cover all items
                edge = 4 * edge + 1
                self._take_options(n, edge)
                status = MORE
        if status == OPTIMAL and self._is_shifted(0):
            self._clean(0)
        while status == OPTIMAL and not self.halted and self._take_lacking(n):
            self._clean(0)
        if status == OPTIMAL and (self.halted or self._wrong(0) >= 0):
            status = STOPPED
        self.live = n
        self._list_members()
        self.halted = self.sifted = False
        self._find_reduced_costs(0)
        return status

    def _find_witnesses(self):
        """Has every item know the option of least slack that lives."""
        for k in range(self.live):
            o = self.option[k]
            for e in range(self.indptr[o], self.indptr[o + 1]):
                self.witness[self.indices[e]] = o
        for k in range(self.live):
            o = self.option[k]
            for e in range(self.indptr[o], self.indptr[o + 1]):
                if self.slack[o] < self.slack[self.witness[self.indices[e]]]:
                    self.witness[self.indices[e]] = o

    def _take_options(self, n, edge):
        """Takes those of n options into the program that have up to some slack, and one for each item that needs any.

        They lack nothing where the program begins; else ratio tests take what they lack for nothing, and they enter.
        """
        self.updates += cython.cast(cython.longlong, n)
        for k in range(self.live, n):
            o = self.option[k]
            wanted: cython.bint = self.slack[o] <= edge
            for e in range(self.indptr[o], self.indptr[o + 1]):
                i = self.indices[e]
                wanted = wanted or (self.witness[i] == o and self._need(i) > 0)
            if wanted:
                self._take_option(k)

    def _take_lacking(self, n):
        """Takes those options into the program whose reduced costs are negative; tells whether there are any."""
        self.updates += cython.cast(cython.longlong, n)
        before = self.live
        for k in range(before, n):
            if self._cost_of(0, self.option[k]) < -10 * self.cheap:
                self._take_option(k)
        return self.live > before

    def _take_option(self, k):
        """Takes the option at place k into the program, by its least value."""
        o = self.option[k]
        self.option[k] = self.option[self.live]
        self.option[self.live] = o
        self.live += 1
        self.lives[o] = 1
        self.reduced[o] = self._cost_of(0, o)
        for e in range(self.indptr[o], self.indptr[o + 1]):
            i = self.indices[e]
            self.member[self.fill[i]] = o
            self.fill[i] += 1

    def _count_rows(self):
        """Returns how many rows the program of the root has, or more."""
        n: cython.int = 0
        for k in range(self.open):
            i = self.item[k]
            n += not self.tinted[i] and (self.size[i] > 1 or self._need(i) > 0)
        return n

    def _begin_again(self):
        """Takes the basis of the last optimum, and its prices; False if there is none, or one of its rows is gone.

        New rows have their slack variables. Their rows of the inverse are those of the identity, less those of the
        basic options that are in them.
        """
        n: cython.int = self.kept_rows
        for k in range(n):
            if self.row_of[self.kept_item[k]] < 0:
                return False
        if n == 0:
            return False
        self._factor(0)  # to the identity
        for k in range(n):
            self.where[self.n_options + self.kept_item[k]] = -1
            self._change(self.row_of[self.kept_item[k]])
        self.built = 0
        for k in range(n):
            r = self.changed[k]
            self.basis[0, r] = self.kept_basis[k]
            self.where[self.basis[0, r]] = r
            self.inverse[0, r, r] = 0.0
            for c in range(n):
                self.inverse[0, r, self.changed[c]] = self.kept_inverse[k, c]
        for v in range(self.kept_up.shape[0]):
            self.up[0, v] = self.kept_up[v]
        self.entry[:] = 1.0  # of new rows
        for k in range(n):
            self.entry[self.changed[k]] = 0.0
        for k in range(n):
            r = self.changed[k]
            if self.basis[0, r] < self.n_options:
                self._subtract_from_new(r)
        self._take_prices(0)
        return True

    def _subtract_from_new(self, r):
        """Subtracts row r of the inverse, that of a basic option, from those of the new rows that it is in."""
        o = self.basis[0, r]
        for e in range(self.indptr[o], self.indptr[o + 1]):
            new = self.row_of[self.indices[e]]
            if new >= 0 and self.entry[new] > 0.0:
                self._change(new)
                for c in range(self.m):
                    self.inverse[0, new, c] -= self.inverse[0, r, c]
