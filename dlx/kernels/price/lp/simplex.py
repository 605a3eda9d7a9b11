# cython: language_level=3
"""The linear programs of nodes and of the root, solved by the simplex method.

A node starts from the basis of its parent, and continues by the dual simplex method. A child has fewer options than its
parent, so the parent's basis stays dual feasible, and some tens of pivots lead to the child's optimum. The leaving
variable is chosen by steepest edge (J. Forrest, D. Goldfarb, doi:10.1007/BF01581089), the entering variable by the
ratio test of P. Harris (doi:10.1007/BF01580108). The inverse of the basis is explicit, since the programs have some
hundred rows. The lengths of its rows, needed for steepest edge, are updated with the rows. Each level of the tree
writes the rows that it changes to its own part of the memory, so going back costs nothing.

In a basis that is built from prices, basic variables may have reduced costs, as if their costs were shifted. If the
shifts raise the bound, the primal simplex method continues with the true costs. All numbers here are floating-point
numbers: they only propose prices, and any prices give an exact bound.

The root starts from its last basis, or from a basis of options with mass. The items of new cuts are new rows, whose
slack variables are basic at first. If there are many options, the program begins with the options of least slack, and
adds options with negative reduced costs, or all options if items cannot be covered: sifting (R. Bixby et al.,
doi:10.1287/opre.40.5.885).
"""

import cython
import numpy as np

from dlx.kernels.price.node import Node

if not cython.compiled:
    from math import fabs, floor, inf

    INFINITY, fmax, fmin = inf, max, min
    OPTIMAL, STOPPED, DEAD, MORE = range(4)  # as in the header

ZERO = cython.declare(cython.double, 1e-11)  # a smaller entry of the inverse counts as 0
CHEAP = cython.declare(cython.double, 1e-9)  # a smaller reduced cost counts as 0, relative to the largest weight
OUT = cython.declare(cython.double, 1e-7)  # tolerance of the bounds of a value
FLAT = cython.declare(cython.double, 1e-7)  # a smaller entry of a pivot row counts as 0
OFF = cython.declare(cython.double, 1e-6)  # tolerance between the entry in the pivot row and in the pivot column
SAFE = cython.declare(cython.double, 0.01)  # the least pivot while a basis is built
SHIFTED = cython.declare(cython.double, 1e-6)  # tolerated rise of the bound by shifted costs, by the largest weight
# Maximum pivots of the primal simplex method at a node. With 500, fewer than the first node of air04 takes, one seed
# took more than 90 s instead of 10 s.
PRIMAL_PIVOTS = cython.declare(cython.int, 5_000)
DUAL_PIVOTS = cython.declare(cython.int, 10_000)  # maximum pivots of the dual simplex method at a node
# A row of the inverse is sparse if it has at least this number of columns for each entry. If all rows are treated as
# sparse, the trees of pairs of queens 20 and tetrominoes 8x8 take 1.24 and 1.25 times as long.
SPARSE = cython.declare(cython.int, 4)
COLUMNS = cython.declare(cython.int, 4)  # options for each row in the first program of the root
FEW = cython.declare(cython.int, 400)  # minimum options in the first program of the root
SLACKEST = cython.declare(cython.longlong, 1 << 60)  # more slack than any option has
AT_ONCE = cython.declare(cython.int, 50)  # maximum pivots between two checks of the limits
PIVOTED = cython.declare(cython.longlong, 100_000)  # updates between two checks, without the first pivot
BUILT = cython.declare(cython.longlong, 4_000_000)  # entries of the inverse between two checks while a basis is built


class Simplex:
    """The linear programs of the root, and of nodes on the upper levels of the tree.

    The methods read the live options and open items of a node, and set its trial prices and masses.

    Parameters:
        n_options: the number of options of the problem.
    """

    def __init__(self, n_options: cython.int) -> None:
        self.n_options = n_options
        self.levels = self.built_level = self.m = self.pivots_left = 0
        self.last_level = -1
        self.halted = self.resumed = self.is_primal = self.sifted = self.is_built = self.repaired = False
        self.pivots = 0
        self.kept = None

    def program(self, node: Node, levels: cython.int, rows: cython.int) -> None:
        """Solves linear programs of up to `rows` rows, at nodes of the first `levels` levels, from now on.

        The arrays are made here, since most searches never need them.
        """
        self.levels, self.last_level, self.halted = levels, -1, False
        if levels == 0:
            self.inverse = np.empty((0, 0, 0))
            return
        n, variables = self.n_options, self.n_options + node.n_items
        self.inverse = np.empty((levels + 1, rows, rows))  # pages that no level reaches are never touched
        ints: cython.int[:, :, ::1] = np.zeros((2, levels + 1, rows), dtype=np.int32)
        reals: cython.double[:, :, ::1] = np.zeros((2, levels + 1, rows))
        self.ats, self.bases, self.values, self.norms = ints[0], ints[1], reals[0], reals[1]
        self.prices = np.zeros((levels + 1, node.n_items))
        self.at_uppers = np.zeros((levels + 1, variables), dtype=np.int8)
        self._work_at(0)
        of_variables: cython.int[:, ::1] = np.full((5, variables + rows + 1), -1, dtype=np.int32)
        self.where, self.limit, self.wanted = of_variables[0], of_variables[1], of_variables[2]
        self.candidate, self.reached, self.n_reached = of_variables[3], of_variables[4], 0
        reals_of_variables: cython.double[:, ::1] = np.zeros((2, variables))
        self.reduced, self.alpha = reals_of_variables[0], reals_of_variables[1]
        self.price, self.ray = self.reduced[n:], self.alpha[n:]
        self.lives = np.zeros(n, dtype=np.int8)
        places: cython.int[:, ::1] = np.zeros((4, node.n_items), dtype=np.int32)
        self.row_of, self.row_item, self.open_row, self.nonzero = places[0], places[1], places[2], places[3]
        self.n_nonzero = 0
        of_rows: cython.double[:, ::1] = np.zeros((5, max(rows, node.n_items)))
        self.upper, self.right, self.column, self.entry = of_rows[0], of_rows[1], of_rows[2], of_rows[3]
        self.shifted = of_rows[4]
        self.largest = max(1.0, float(np.abs(np.asarray(node.weight)).max(initial=0)))
        self.cheap = CHEAP * self.largest

    # Programs of nodes

    def _forget(self, level):
        """Forgets the bases below a level, or all bases if the level has none."""
        if self.last_level > level:
            self.last_level = level if level >= self.built_level else -1

    def _solve_program(self, node):
        """Sets the node's prices and masses by its linear program; False if `halted`, or if the bound is not lower."""
        node._list_members()
        if not self.resumed:
            self._begin(node)
        if not self._continue(node):
            self.halted = True
            return False
        if self.status == OPTIMAL and (self.is_primal or self._is_shifted(node)):
            self._pivot_primal(node)
            if self.halted:
                return False
        self._find_masses(node)
        self._propose_prices(node)
        return node._accept(node._bound_of_trial(), False)

    def _begin(self, node):
        """Takes the basis of the last level with a basis; if there is none, lists the variables of a new basis."""
        if self.last_level < 0:
            self._work_at(node.level)
            self._number_rows(node)
            self._want_basis(node)
            self._clear_basis(node)
            self.built_level = node.level
        else:
            self._inherit(node.level)
            self.n_wanted = self.n_inserted = 0
        self.all_live = node.live
        self._expect_pivots(DUAL_PIVOTS)

    def _expect_pivots(self, pivots):
        """Stores that the current basis must still be built, and how many pivots may follow."""
        self.last_level, self.pivots_left, self.status = self.level, pivots, MORE
        self.is_built = self.repaired = self.is_primal = False

    def _continue(self, node):
        """Builds the basis and pivots; returns False if the limit of updates ends the run first.

        Building a basis counts no updates, so if it is unfinished, the limit is lowered to end the run.
        """
        while self.status == MORE and self.pivots_left > 0:
            if not self._build(node):
                node.update_limit = node.updates
                return False
            pivots = 1 + cython.cast(cython.int, min(AT_ONCE - 1, PIVOTED // max(1, self._pivot_work(node))))
            self.pivots_left -= pivots
            self.status = self._pivot_dual(node, pivots)
            if self.status == DEAD and node.live < self.all_live:  # these options cannot cover all items
                self.slack_limit = 4 * self.slack_limit + 1
                self._take_options(node)
                self.status = MORE
            if self.status == MORE and node.updates >= node.update_limit:
                return False
        return True

    def _try_program(self, node, most):
        """Proposes prices after some pivots from the basis of the node, with the live options."""
        self._inherit(node.level + 1)
        node._list_members()
        self._prepare(node, False)
        self._pivot_dual(node, most)
        self._propose_prices(node)

    # The basis

    def _work_at(self, level):
        """Makes the basis of a level the current basis."""
        self.level = level
        self.at, self.basis, self.value = self.ats[level], self.bases[level], self.values[level]
        self.norm, self.at_upper = self.norms[level], self.at_uppers[level]

    def _inherit(self, level):
        """Copies the basis of the last level with a basis to another level; the rows of the inverse stay in place."""
        old = self.last_level
        self.prices[self.level, :] = self.price
        for r in range(self.m):
            self.where[self.basis[r]] = -1
        self._work_at(level)
        if old != level:
            for r in range(self.m):
                self.at[r], self.basis[r] = self.ats[old, r], self.bases[old, r]
                self.value[r], self.norm[r] = self.values[old, r], self.norms[old, r]
            self.at_upper[:] = self.at_uppers[old, :]
        self.price[:] = self.prices[old, :]
        for r in range(self.m):
            self.where[self.basis[r]] = r

    def _want_basis(self, node):
        """Lists variables for a basis: options by decreasing mass, in powers of ten, then options without slack."""
        most, least = INFINITY, 0.5
        while most > 0.0:
            for k in range(node.live):
                o = node.option[k]
                if least < node.mass[o] <= most and (least > 0.0 or node.slack[o] <= self.cheap):
                    self.wanted[self.n_wanted] = o
                    self.n_wanted += 1
            most, least = least, 0.1 * least if least > 1e-5 else -1.0

    def _number_rows(self, node):
        """Assigns a row to every open item except items that bound a single option; takes the prices of the node."""
        self.m = self.n_wanted = 0
        for i in range(node.n_items):
            self.row_of[i] = -1
            self.price[i] = self.ray[i] = 0.0
        for v in range(self.n_options + node.n_items):
            self.at_upper[v] = 0
        for k in range(node.live):
            self.limit[node.option[k]] = -1
            self.lives[node.option[k]] = 1
        for k in range(node.open):
            i = node.item[k]
            o = node.witness[i]
            if node.takes_colours[i] or (node.size[i] == 0 and node._need(i) == 0):
                continue
            if node.size[i] == 1 and node._need(i) == 0:
                if node.most[i] - node.used[i] < self._upper_bound(node, o):
                    self.limit[o] = i
                continue
            twin = self._twin(node, i) if node._once(i) else -1
            if twin >= 0:
                self.price[twin] += cython.cast(cython.double, node._price(i))
                continue
            self.row_of[i] = self.m
            self.row_item[self.m] = i
            self.m += 1
            self.price[i] = cython.cast(cython.double, node._price(i))

    def _twin(self, node, i):
        """Returns an item with a row that has the same options as item i and is covered exactly once; -1 if there is
        none.

        Then item i needs no row: with a second row, two seeds of sppaa04 took 3 and 2 times the updates.
        """
        for c in range(self.m):
            j = self.row_item[c]
            if node.size[j] == node.size[i] and node.witness[j] == node.witness[i] and node._once(j):
                m: cython.int = node.begin[i]
                while m < node.fill[i] and node.member[m] == node.member[m - node.begin[i] + node.begin[j]]:
                    m += 1
                if m == node.fill[i]:
                    return j
        return -1

    def _clear_basis(self, node):
        """Makes all slack variables basic."""
        self.n_inserted, self.n_open_rows = 0, self.m
        for v in range(self.n_options + node.n_items):
            self.where[v] = -1
        for r in range(self.m):
            self.open_row[r] = r
            self.at[r] = self.level
            self.basis[r] = self.n_options + self.row_item[r]
            self.where[self.basis[r]] = r
            self.norm[r] = 1.0
            for c in range(self.m):
                self.inverse[self.level, r, c] = 0.0
            self.inverse[self.level, r, r] = 1.0

    def _build(self, node):
        """Makes some wanted variables basic, if they are independent; returns whether the basis is built."""
        if self.is_built:
            return True
        most: cython.longlong = BUILT // max(1, self.m * self.m) + 1
        while most > 0 and self.n_inserted < self.n_wanted:
            self._insert(node, self.wanted[self.n_inserted])
            self.n_inserted += 1
            most -= 1
        self.is_built = self.n_inserted == self.n_wanted
        if self.is_built:
            self._prepare(node, True)
        return self.is_built

    def _build_again(self, node):
        """Prepares to build the basis again."""
        self.n_wanted = self.m
        for r in range(self.m):
            self.wanted[r] = self.basis[r]
        self._clear_basis(node)
        self.is_built, self.repaired = False, True

    def _insert(self, node, q):
        """Makes a variable basic instead of a slack variable, if possible without a range; skips small pivots."""
        best: cython.int = -1
        most = 0.0
        if self.where[q] >= 0:
            return
        self._find_column(node, q)
        for r in range(self.m):
            i = self.basis[r] - self.n_options
            if i < 0 or fabs(self.column[r]) < SAFE:
                continue
            good = fabs(self.column[r])
            if self.price[i] == 0.0 and self._upper_bound(node, self.basis[r]) > 0:
                good *= 1e-3
            if good > most:
                most = good
                best = r
        if best >= 0:
            self._find_row(best)
            self._pivot(best, q)

    def _prepare(self, node, anew):
        """Computes the reduced costs, the bounds at which variables are, the dual objective and the values."""
        self.n_open_rows = 0
        self.dual = 0.0
        for c in range(self.m):
            i = self.row_item[c]
            self.ray[i] = self.right[c] = 0.0
            if node.place[i] >= node.open:
                continue
            self.open_row[self.n_open_rows] = c
            self.n_open_rows += 1
            self.right[c] = node.most[i] - node.used[i]
            high: cython.double = self._upper_bound(node, self.n_options + i)
            pay = self.price[i]
            self.dual += pay * (self.right[c] if pay > 0 else self.right[c] - high)
            if fabs(pay) > self.cheap:
                self.at_upper[self.n_options + i] = pay < 0
            if self.at_upper[self.n_options + i] and self.where[self.n_options + i] < 0:
                self.right[c] -= high
        self.lives[:] = 0
        self._find_reduced_costs(node)
        for k in range(node.live):
            o = node.option[k]
            self.lives[o] = 1
            if self.limit[o] < 0:
                continue
            high = self._upper_bound(node, o)
            self.dual += high * fmax(0.0, -self.reduced[o])
            if fabs(self.reduced[o]) > self.cheap:
                self.at_upper[o] = self.reduced[o] < 0
            if self.at_upper[o] and self.where[o] < 0:
                for e in range(node.indptr[o], node.indptr[o + 1]):
                    if self.row_of[node.indices[e]] >= 0:
                        self.right[self.row_of[node.indices[e]]] -= high
        for r in range(self.m):
            self.upper[r] = self._upper_bound(node, self.basis[r])
        if anew:
            self._find_values()

    def _find_reduced_costs(self, node):
        for k in range(node.live):
            self.reduced[node.option[k]] = self._cost_of(node, node.option[k])

    def _cost_of(self, node, o):
        """Returns the reduced cost of option o for the current prices."""
        cost: cython.double = -node.weight[o]
        for e in range(node.indptr[o], node.indptr[o + 1]):
            cost += self.price[node.indices[e]]
        return cost

    def _find_values(self):
        """Computes the values of the basic variables, and the lengths of the rows of the inverse."""
        for r in range(self.m):
            value: cython.double = 0.0
            length: cython.double = 0.0
            for t in range(self.n_open_rows):
                c = self.open_row[t]
                entry = self.inverse[self.at[r], r, c]
                value += entry * self.right[c]
                length += entry * entry
            self.value[r], self.norm[r] = value, fmax(length, 1e-6)

    def _upper_bound(self, node, v):
        """Returns the upper bound of a variable; 0 for an option that was dropped."""
        if v >= self.n_options:
            i = v - self.n_options
            return 0.0 if node.place[i] >= node.open else node.most[i] - node.used[i] - node._need(i)
        if not self.lives[v]:
            return 0.0
        return INFINITY if self.limit[v] < 0 else node.most[self.limit[v]] - node.used[self.limit[v]]

    # Pivots

    def _pivot_dual(self, node, most):
        """Pivots at most `most` times, until the program is optimal, infeasible or stopped; returns the state.

        If the inverse has become inexact, the basis must be built again before further pivots; a trial stops instead.
        """
        goal: cython.double = cython.cast(cython.double, node.target - node.gain) - self.cheap
        if self.sifted:
            goal = -INFINITY
        while most > 0 and self.dual >= goal:
            most -= 1
            r = self._leaving_row()
            if r < 0:
                return OPTIMAL
            sign = 1.0 if self.value[r] > self.upper[r] else -1.0
            far = self.value[r] - self.upper[r] if sign > 0 else -self.value[r]
            self._find_row(r)
            self._find_entries(node)
            q = self._entering_variable(node, sign)
            if q < 0:
                if self.sifted:
                    return DEAD
                self._change_prices(sign * (self.dual - goal + self.largest) / far)
                return DEAD
            entry = self.alpha[q]
            self._find_column(node, q)
            if fabs(self.column[r] - entry) > OFF * (1.0 + fabs(entry)):
                if self.repaired or self.level != self.last_level:
                    return STOPPED
                self._build_again(node)
                return MORE
            step = self.reduced[q] / entry
            if step * sign < 0:  # a tiny reduced cost has the wrong sign
                step = 0.0
            self._change_prices(step)
            self.dual -= fabs(step) * far
            self._exchange(node, r, q, sign, step)
            self.repaired = False
        return STOPPED if self.dual < goal else MORE

    def _leaving_row(self):
        """Returns the row of a variable outside its bounds, chosen by steepest edge; -1 if there is none."""
        best: cython.int = -1
        most = 0.0
        for r in range(self.m):
            far = fmax(-self.value[r], self.value[r] - self.upper[r])
            if far > OUT and far * far > most * self.norm[r]:
                most = far * far / self.norm[r]
                best = r
        return best

    def _find_row(self, r):
        """Copies row r of the inverse, and lists its nonzero columns."""
        n: cython.int = 0
        for c in range(self.m):
            self.entry[c] = self.ray[self.row_item[c]] = 0.0
        for t in range(self.n_open_rows):
            c = self.open_row[t]
            self.entry[c] = self.ray[self.row_item[c]] = self.inverse[self.at[r], r, c]
            self.nonzero[n] = c
            n += self.entry[c] != 0.0
        self.n_nonzero = n

    def _find_entries(self, node):
        """Computes the entries of options in the pivot row, and lists all nonzero entries."""
        n: cython.int = 0
        for k in range(node.live):
            o = node.option[k]
            entry: cython.double = 0.0
            if self.where[o] < 0:
                for e in range(node.indptr[o], node.indptr[o + 1]):
                    entry += self.ray[node.indices[e]]
            self.alpha[o] = entry
            self.reached[n] = o
            n += entry != 0.0  # without a branch, which would be unpredictable
        for t in range(self.n_nonzero):
            self.reached[n] = self.n_options + self.row_item[self.nonzero[t]]
            n += 1
        self.n_reached = n

    def _entering_variable(self, node, sign):
        """Returns a variable with a large entry that preserves the signs of reduced costs; -1 if there is none."""
        best: cython.int = -1
        n: cython.int = 0
        cheap, furthest, most = self.cheap, INFINITY, 0.0
        for k in range(self.n_reached):
            v = self.reached[k]
            if self._side(v, sign) * self.alpha[v] > FLAT and self.where[v] < 0 and self._upper_bound(node, v) > 0:
                self.candidate[n] = v
                n += 1
        for k in range(n):
            v = self.candidate[k]
            cost = fmax(0.0, self._side(v, 1.0) * self.reduced[v])
            furthest = fmin(furthest, (cost + cheap) / (self._side(v, sign) * self.alpha[v]))
        for k in range(n):
            v = self.candidate[k]
            entry = self._side(v, sign) * self.alpha[v]
            if entry > most and self._side(v, 1.0) * self.reduced[v] <= furthest * entry:
                most = entry
                best = v
        return best

    def _side(self, v, sign):
        """Returns the sign, reversed for a variable at its upper bound."""
        return -sign if self.at_upper[v] else sign

    def _change_prices(self, step):
        """Subtracts a multiple of the pivot row from the reduced costs, and so from the prices."""
        if step == 0.0:
            return
        for k in range(self.n_reached):
            self.reduced[self.reached[k]] -= step * self.alpha[self.reached[k]]

    def _find_column(self, node, q):
        """Computes the column of a variable in the current basis."""
        for r in range(self.m):
            self.column[r] = 0.0
        if q >= self.n_options:
            self._add_column(self.row_of[q - self.n_options])
            return
        for e in range(node.indptr[q], node.indptr[q + 1]):
            c = self.row_of[node.indices[e]]
            if c >= 0:
                self._add_column(c)

    def _add_column(self, c):
        """Adds column c of the inverse."""
        for r in range(self.m):
            self.column[r] += self.inverse[self.at[r], r, c]

    def _exchange(self, node, r, q, sign, moved):
        """Replaces the variable of row r, which goes to the bound that it exceeds, by variable q."""
        out = self.basis[r]
        bound = self.upper[r] if sign > 0 else 0.0
        step = (self.value[r] - bound) / self.column[r]
        for k in range(self.m):
            self.value[k] -= step * self.column[k]
        self.value[r] = step + (self._upper_bound(node, q) if self.at_upper[q] else 0.0)
        self.at_upper[out] = bound > 0
        if out < self.n_options:
            self.reduced[out] -= moved
        self._pivot(r, q)
        self.upper[r] = self._upper_bound(node, q)
        self.pivots += 1
        node.updates += cython.cast(cython.longlong, self._pivot_work(node))

    def _pivot_work(self, node):
        """Returns the work of a pivot, in updates."""
        return node.live + self.m * self.m // 64

    def _pivot(self, r, q):
        """Updates the inverse after variable q has replaced the variable of row r; uses the pivot row and column."""
        by, level = self.column[r], self.level
        length: cython.double = 0.0
        for c in range(self.m):
            self.entry[c] /= by
            length += self.entry[c] * self.entry[c]
        for k in range(self.m):
            times = self.column[k]
            if k == r or fabs(times) <= ZERO:
                continue
            if self.at[k] != level:
                self.inverse[level, k, : self.m] = self.inverse[self.at[k], k, : self.m]
                self.at[k] = level
            common: cython.double = 0.0
            if SPARSE * self.n_nonzero < self.m:
                for t in range(self.n_nonzero):
                    c = self.nonzero[t]
                    common += self.inverse[level, k, c] * self.entry[c]
                    self.inverse[level, k, c] -= times * self.entry[c]
            else:
                for c in range(self.m):
                    common += self.inverse[level, k, c] * self.entry[c]
                    self.inverse[level, k, c] -= times * self.entry[c]
            self.norm[k] = fmax(1e-6, self.norm[k] + times * (times * length - 2.0 * common))
        for c in range(self.m):
            self.inverse[level, r, c] = self.entry[c]
        self.at[r] = level
        self.norm[r] = fmax(1e-6, length)
        self.where[self.basis[r]] = -1
        self.basis[r] = q
        self.where[q] = r

    # The true costs of basic variables

    def _is_shifted(self, node):
        """Returns whether a variable would be at its other bound with the true costs."""
        shift: cython.double = 0.0
        for r in range(self.m):
            cost: cython.double = self.reduced[self.basis[r]]
            if cost > 0:
                shift += cost * self.value[r]
            elif cost < -self.cheap:
                shift -= cost * (self.upper[r] - self.value[r])
        return shift > SHIFTED * self.largest or self._most_wrong(node) >= 0

    def _pivot_primal(self, node):
        """Pivots by the primal simplex method with the true costs; if it gives up, restores the earlier prices."""
        if not self.is_primal:
            self.is_primal, self.pivots_left = True, PRIMAL_PIVOTS
            for c in range(self.m):
                self.shifted[c] = self.price[self.row_item[c]]
            self._take_prices(node)
            self._find_reduced_costs(node)
        while self.pivots_left > 0:
            q = self._most_wrong(node)
            if q < 0:
                self.is_primal = False
                return
            if not self._enter(node, q):
                break
            self.pivots_left -= 1
            if node.updates >= node.update_limit:
                self.halted = True
                return
        self.is_primal = False
        for c in range(self.m):
            self.price[self.row_item[c]] = self.shifted[c]
        self._find_reduced_costs(node)

    def _take_prices(self, node):
        """Sets the prices so that the reduced cost of every basic variable is 0."""
        for c in range(self.m):
            self.price[self.row_item[c]] = 0.0
        for r in range(self.m):
            o = self.basis[r]
            if o < self.n_options:
                for t in range(self.n_open_rows):
                    c = self.open_row[t]
                    self.price[self.row_item[c]] += node.weight[o] * self.inverse[self.at[r], r, c]

    def _most_wrong(self, node):
        """Returns the nonbasic variable with the largest reduced cost of the wrong sign; -1 if there is none."""
        best: cython.int = -1
        most = 10 * self.cheap
        for k in range(node.live + self.n_open_rows):
            v = node.option[k] if k < node.live else self.n_options + self.row_item[self.open_row[k - node.live]]
            wrong = self.reduced[v] if self.at_upper[v] else -self.reduced[v]
            if wrong > most and self.where[v] < 0 and self._upper_bound(node, v) > 0:
                most = wrong
                best = v
        return best

    def _enter(self, node, q):
        """Moves a variable until a basic variable is at its bound, and exchanges both; False if the pivot is small."""
        self._find_column(node, q)
        best: cython.int = -1
        direction = -1.0 if self.at_upper[q] else 1.0
        furthest = self._upper_bound(node, q)
        steep = 0.0
        for r in range(self.m):
            entry = direction * self.column[r]
            if fabs(entry) <= FLAT:
                continue
            room = fmax(0.0, self.value[r] if entry > 0 else self.upper[r] - self.value[r]) / fabs(entry)
            if room < furthest - OUT or (room <= furthest + OUT and fabs(entry) > steep and best >= 0):
                furthest = fmin(room, furthest)
                steep = fabs(entry)
                best = r
        if best < 0:  # the variable goes to its other bound
            if furthest == INFINITY:
                return False
            for r in range(self.m):
                self.value[r] -= direction * furthest * self.column[r]
            self.at_upper[q] = not self.at_upper[q]
            return True
        if steep < 1e-5:
            return False
        self._find_row(best)
        self._find_entries(node)
        step = self.reduced[q] / self.column[best]
        self._change_prices(step)
        self._exchange(node, best, q, 1.0 if direction * self.column[best] < 0 else -1.0, step)
        return True

    # The end

    def _propose_prices(self, node):
        """Rounds the trial prices; an item that bounds one option gets the price that makes its slack 0."""
        for k in range(node.open):
            i = node.item[k]
            node.trial[i] = cython.cast(cython.longlong, floor(fmax(-4e18, fmin(self.price[i], 4e18)) + 0.5))
            if self.row_of[i] < 0:
                node.trial[i] = 0
        for k in range(node.live):
            o = node.option[k]
            if self.limit[o] >= 0 and self.reduced[o] < 0:
                node.trial[self.limit[o]] = cython.cast(cython.longlong, fmin(1.0 - self.reduced[o], 4e18))

    def _find_masses(self, node):
        for k in range(node.live):
            o = node.option[k]
            r = self.where[o]
            if r >= 0:
                node.mass[o] = fmax(0.0, self.value[r])
            else:
                node.mass[o] = self._upper_bound(node, o) if self.at_upper[o] else 0.0

    # The root

    def optimizing(self, node: Node) -> int:
        """Returns the updates that `optimize` takes if there is one pivot for each row."""
        with cython.nogil:
            rows: cython.longlong = self._count_rows(node)
        return node.live + rows * (min(node.live, max(FEW, COLUMNS * rows)) + rows * rows // 64)

    def optimize(self, node: Node, most: cython.longlong, over=None) -> bool:
        """Sets the prices and masses of the root to the optimum of its linear program, after `heat`.

        It starts from the basis of the last optimum, or from a basis of the options with the most mass. If there are
        many options, it first solves the program of the options with the least slack, and continues with all options by
        the primal simplex method.

        Parameters:
            most: the most updates.
            over: called every few milliseconds; if it returns True, the program is abandoned.

        Returns:
            Whether the program is solved.
        """
        end: cython.longlong = node.updates + most
        going: cython.bint = True
        self._start(node)
        try:
            while going and node.updates < end and not (over is not None and over()):
                node.update_limit = min(node.updates + PIVOTED, end)
                with cython.nogil:
                    going = self._go_on(node)
        finally:
            solved = self._finish(node)
        return solved

    def _start(self, node: Node):
        """Numbers the rows of the program, selects its first options, and lists the variables of its first basis."""
        self.program(node, 1, self._count_rows(node))
        few: cython.int = max(FEW, COLUMNS * self.inverse.shape[1])
        self.slack_limit = SLACKEST
        if node.live > 2 * few:
            self.slack_limit = np.partition(np.asarray(node.slack)[np.asarray(node.option)[: node.live]], few)[few]
        self.all_live, self.solved, self.built_level = node.live, False, 0
        with cython.nogil:
            self._number_rows(node)
            self.sifted = self.slack_limit < SLACKEST
            if self.sifted:
                node.live = 0
                self._take_options(node)
        if not self._begin_again(node):
            self._want_basis(node)
            self._clear_basis(node)
        self._expect_pivots(1 << 30)

    def _go_on(self, node):
        """Builds the basis or pivots, up to the limit of updates; returns whether the program is unfinished."""
        if not self._continue(node):
            return True
        if self.status != OPTIMAL:
            return False
        if self.is_primal or (not self.solved and self._is_shifted(node)):
            self._pivot_primal(node)
        self.solved = True
        while not self.halted and self._take_lacking(node):
            self._pivot_primal(node)
        going, self.halted = self.halted, False
        return going

    def _finish(self, node: Node) -> bool:
        """Sets the prices and masses of the root to the result of the program; returns whether this is the optimum."""
        with cython.nogil:
            solved: cython.bint = self.solved and not self.is_primal and self._most_wrong(node) < 0
            node.live = self.all_live
            node._list_members()
            self.is_primal = self.sifted = False
            if self.is_built:
                self._find_reduced_costs(node)
                self._find_masses(node)
                self._propose_prices(node)
                node._accept(node._bound_of_trial(), False)
        self.kept = None
        if solved and self.m:
            rows = np.array([self.row_item[: self.m], self.basis[: self.m]])
            self.kept = *rows, np.asarray(self.inverse)[0, : self.m, : self.m], np.asarray(self.at_upper)
        self.program(node, 0, 0)
        return solved

    def _take_options(self, node):
        """Adds the options with a slack of at most `slack_limit` to the program."""
        node.updates += cython.cast(cython.longlong, self.all_live)
        for k in range(node.live, self.all_live):
            if node.slack[node.option[k]] <= self.slack_limit:
                self._take_option(node, k)

    def _take_lacking(self, node):
        """Adds the options with negative reduced costs to the program; returns whether there are any."""
        node.updates += cython.cast(cython.longlong, self.all_live)
        before = node.live
        for k in range(before, self.all_live):
            if self._cost_of(node, node.option[k]) < -10 * self.cheap:
                self._take_option(node, k)
        return node.live > before

    def _take_option(self, node, k):
        """Adds the option at position k to the program, at its lower bound."""
        o = node.option[k]
        node.option[k] = node.option[node.live]
        node.option[node.live] = o
        node.live += 1
        self.lives[o] = 1
        self.reduced[o] = self._cost_of(node, o)

    def _count_rows(self, node):
        """Returns an upper bound on the number of rows of the root's program."""
        n: cython.int = 0
        for k in range(node.open):
            i = node.item[k]
            n += not node.takes_colours[i] and (node.size[i] > 1 or node._need(i) > 0)
        return n

    def _begin_again(self, node: Node) -> bool:
        """Takes the basis and the prices of the last optimum; returns False if there is none, or one of its rows was
        removed.

        The slack variables of new rows are basic. A new row of the inverse is a row of the identity, minus the rows of
        the basic options in the new row.
        """
        if self.kept is None:
            return False
        items, basis, _, at_upper = self.kept
        kept = np.asarray(self.row_of)[items]
        if kept.min(initial=0) < 0:
            return False
        self._clear_basis(node)
        where, is_new = np.asarray(self.where), np.ones(self.m, dtype=np.int8)
        where[self.n_options + items] = -1
        where[basis], np.asarray(self.basis)[kept], is_new[kept] = kept, basis, 0
        np.asarray(self.at_upper)[: len(at_upper)] = at_upper
        inverse: cython.double[:, :] = self.kept[2]
        old: cython.int[::1] = kept
        new: cython.char[::1] = is_new
        for k in range(old.shape[0]):
            r = old[k]
            for c in range(old.shape[0]):
                self.inverse[0, r, old[c]] = inverse[k, c]
            o = self.basis[r]
            if o >= self.n_options:
                continue
            for e in range(node.indptr[o], node.indptr[o + 1]):
                row = self.row_of[node.indices[e]]
                if row >= 0 and new[row]:
                    for c in range(self.m):
                        self.inverse[0, row, c] -= self.inverse[0, r, c]
        self._take_prices(node)
        return True

    # Invariants

    def check(self, node: Node) -> None:
        """Verifies the basis of the last program against the node, and its values if a run has ended between pivots."""
        if self.levels == 0 or self.last_level < 0:
            return
        where = np.full(self.n_options + node.n_items, -1)
        where[self.basis[: self.m]] = np.arange(self.m)
        assert (np.asarray(self.where)[: len(where)] == where).all(), "where is not the place of basic variables"
        level, rows = self.last_level, np.arange(self.m)
        inverse = np.asarray(self.inverse)[self.ats[level, : self.m], rows, : self.m]
        for r, v in enumerate(self.bases[level, : self.m]):
            if all(node.place[self.row_item[c]] < node.open for c in self._rows_of(node, v)):
                product = inverse[:, self._rows_of(node, v)].sum(axis=1)
                assert np.allclose(product, rows == r, atol=1e-5), f"the inverse is wrong for variable {v}"
        if self.halted and self.is_built:
            open_items = [i for i in np.asarray(self.row_item)[: self.m].tolist() if node.place[i] < node.open]
            sums = np.zeros(self.m)
            sums[[self.row_of[i] for i in open_items]] = [node.most[i] - node.used[i] for i in open_items]
            for v in [*node.options_left().tolist(), *(self.n_options + i for i in open_items)]:
                if self.at_upper[v] and self.where[v] < 0:
                    sums[self._rows_of(node, v)] -= self._upper_bound(node, v)
            value = np.asarray(self.value)[: self.m]
            assert np.allclose(inverse @ sums, value, atol=1e-4), "value is not that of the basis"

    def _rows_of(self, node: Node, v: cython.int) -> list:
        """Returns the rows that variable v has."""
        items = node.indices[node.indptr[v] : node.indptr[v + 1]] if v < self.n_options else [v - self.n_options]
        return [self.row_of[i] for i in items if self.row_of[i] >= 0]
