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
    from dlx.kernels.price.simplex import AT_ONCE, DEAD, MORE, OPTIMAL


COLUMNS = cython.declare(cython.int, 4)  # options for each row, with which the program begins,
FEW = cython.declare(cython.int, 400)  # or so many
SLACKEST = cython.declare(cython.longlong, 1 << 60)
AT_A_TIME = cython.declare(cython.longlong, 1_000_000)  # updates between two looks at the limits: about 10 ms
BUILT = cython.declare(cython.int, 10_000_000)  # entries of the inverse that are changed between two looks, at most


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

    def optimize(self, most: cython.longlong, over=None) -> bool:
        """Gives the root the prices and masses of its linear program, after `heat`.

        It begins with the basis of the last optimum, or with one that is built of the options with most mass. If there
        are many options it is solved with those of least slack first, and goes on with all of them by the primal
        simplex method.

        Parameters:
            most: the most updates.
            over: called after every few milliseconds; the program is given up if it returns True.

        Returns:
            Whether it is solved.
        """
        end: cython.longlong = self.updates + most
        self._start()
        try:
            while self._pivots_on(min(AT_A_TIME, end - self.updates)) and self.updates < end:
                if over is not None and over():
                    break
        finally:
            solved = self._finish()
        return solved

    def _start(self):
        """Numbers the rows of the program, takes its first options, and lists the variables of its first basis."""
        self.program(1, self._count_rows())
        few: cython.int = max(FEW, COLUMNS * self.inverse.shape[1])
        self.edge = SLACKEST
        if self.live > 2 * few:
            self.edge = np.partition(np.asarray(self.slack)[np.asarray(self.option)[: self.live]], few)[few]
        self.whole, self.status, self.solved, self.built = self.live, MORE, False, 0
        with cython.nogil:
            self._number_rows(0)
            self.sifted = self.edge < SLACKEST
            if self.sifted:
                self._find_witnesses()
                self.live = 0
                self._list_members()
                self._take_options()
            if not self._begin_again():
                self._want_basis()
                self._clear_basis(0)

    def _pivots_on(self, most: cython.longlong) -> bool:
        """Builds the basis, or pivots, for about so many updates; tells whether there is more to do."""
        with cython.nogil:
            self.update_limit = self.updates + most
            going = self._go_on()
        return going

    def _go_on(self):
        """Builds the basis, or pivots, up to the limit of updates; tells whether there is more to do."""
        if self.stand < 0:
            if not self._build_on(BUILT // max(1, self.m * self.m) + 1):
                return True
            self._stand_on(0)
        while self.status == MORE:
            if self.updates >= self.update_limit:
                return True
            self.status = self._iterate(0, AT_ONCE)
            if self.status == DEAD and self.live < self.whole:  # these options cannot cover all items
                self.edge = 4 * self.edge + 1
                self._take_options()
                self.status = MORE
        if self.status != OPTIMAL:
            return False
        if self.cleaning or (not self.solved and self._is_shifted(0)):
            self._clean(0)
        self.solved = True
        while not self.halted and self._take_lacking():
            self._clean(0)
        going, self.halted = self.halted, False
        return going

    def _finish(self) -> bool:
        """Takes the prices and masses that the program has come to; tells whether they are the optimum."""
        with cython.nogil:
            solved: cython.bint = self.solved and not self.cleaning and self._wrong(0) < 0
            self.live = self.whole
            self._list_members()
            self.cleaning = self.sifted = False
            if self.stand >= 0:
                self._find_reduced_costs(0)
                self._find_masses(0)
                self._propose_prices(0)
                self._accept(self._bound_of_trial(), False)
        self.kept_rows = 0
        if solved and self.m:
            self.kept_rows, self.kept_item, self.kept_basis = self.m, self.row_item.copy(), self.basis[0].copy()
            self.kept_inverse, self.kept_up = self.inverse[0], self.up[0].copy()
        self.program(0, 0)
        return solved

    def take_basis(self, other) -> None:
        """Takes the basis of the last optimum of another kernel of this problem."""
        old: Relaxation = other
        self.kept_rows = old.kept_rows
        if self.kept_rows:
            self.kept_item, self.kept_basis = old.kept_item, old.kept_basis
            self.kept_inverse, self.kept_up = old.kept_inverse, old.kept_up

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

    def _take_options(self):
        """Takes the options with a slack up to `edge` into the program, and one for each item that needs any.

        They lack nothing where the program begins; else ratio tests take what they lack for nothing, and they enter.
        """
        self.updates += cython.cast(cython.longlong, self.whole)
        for k in range(self.live, self.whole):
            o = self.option[k]
            wanted: cython.bint = self.slack[o] <= self.edge
            for e in range(self.indptr[o], self.indptr[o + 1]):
                i = self.indices[e]
                wanted = wanted or (self.witness[i] == o and self._need(i) > 0)
            if wanted:
                self._take_option(k)

    def _take_lacking(self):
        """Takes those options into the program whose reduced costs are negative; tells whether there are any."""
        self.updates += cython.cast(cython.longlong, self.whole)
        before = self.live
        for k in range(before, self.whole):
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
        self._clear_basis(0)
        for k in range(n):
            self.where[self.n_options + self.kept_item[k]] = -1
            self._change(self.row_of[self.kept_item[k]])
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
