# cython: language_level=3
"""Cuts by rounding: the bounds of some items are added, divided and rounded (`dlx.optimum.cuts` says which)."""

import cython
import numpy as np

TINY = 1e-6  # mass of an option, which tells nothing,
SAME = 1e-6  # and difference of violations


class Rounding:
    """The inequalities that sets of items give at a fractional point.

    Parameters:
        point: the masses, and the entries of the items, as in `dlx.optimum.cuts`.
        violation: what a cut is violated by, at least.
        most_work: how many entries are added up at most; beyond that, sets give nothing.
    """

    def __init__(self, point, violation: cython.double, most_work: cython.longlong) -> None:
        self.violation, self.most_work, self.work = violation, most_work, 0
        self.mass, self.room, self.ranges = point.mass, point.entries.room.astype(np.int64), point.ranges
        self.single, self.chosen = point.single.view(np.int8), point.chosen.view(np.int8)
        owner, items, _, _, by_item = point.entries
        n_options: cython.int = len(point.mass)
        self.begin, self.option = by_item.begin, by_item.option
        heavy = point.mass[by_item.option] >= TINY
        self.heavy_begin = np.append(0, np.cumsum(heavy))[by_item.begin].astype(np.int32)
        self.heavy_option = by_item.option[heavy]
        there = np.bincount(items, point.mass[owner], len(point.ranges)).astype(np.float64)  # of nothing they are whole
        self.there = there
        low, high = point.ranges.T
        self.upper = ((low < high) & (2 * there > low + high)).view(np.int8)
        self.some, self.times, self.signed = np.zeros((3, n_options), dtype=np.int32)
        self.has, self.bounded = np.zeros((2, n_options), dtype=np.int8)
        self.n = 0

    def cuts(self, begin: cython.const[cython.int][::1], items: cython.const[cython.int][::1]) -> list:
        """Returns the violated inequalities of sets of items: of each the violation, and the fields of a `Cut`.

        Set s is items[begin[s] : begin[s + 1]]. Of those of a set with the same violation, which say the same, it is
        the one with the fewest options.
        """
        found: list = []
        for s in range(begin.shape[0] - 1):
            if self.work > self.most_work:
                break
            found += self._cuts_of(items[begin[s] : begin[s + 1]])
        return found

    def _cuts_of(self, items) -> list:
        found: list = []
        self._add_up(items, self.heavy_begin, self.heavy_option)  # what they say of violations is right
        violated = self._by_size(None) or self._by_half(None) or self._signed_half(None, items)
        self._forget()
        if violated:
            self._add_up(items, self.begin, self.option)
            self._by_size(found)
            self._by_half(found)
            self._signed_half(found, items)
            self._forget()
        if not found:
            return found
        listed = tuple([int(i) for i in items])
        return [(violation, (*cut[:3], listed, *cut[3:])) for violation, cut in found]

    def _add_up(self, items, begin, option):
        """Adds the bounds of the items, and the options that have them."""
        self.least = self.most = self.base = 0
        self.over = self.lacking = 0.0
        for k in range(items.shape[0]):
            i: cython.int = items[k]
            short: cython.double = max(0.0, self.ranges[i, 0] - self.there[i])
            over: cython.double = max(0.0, self.there[i] - self.ranges[i, 1])
            self.least += cython.cast(cython.longlong, self.ranges[i, 0])
            self.most += cython.cast(cython.longlong, self.ranges[i, 1])
            self.base += cython.cast(cython.longlong, -self.ranges[i, 1] if self.upper[i] else self.ranges[i, 0])
            self.over += over
            self.lacking += over if self.upper[i] else short
            self.work += begin[i + 1] - begin[i]
            for e in range(begin[i], begin[i + 1]):
                o: cython.int = option[e]
                if self.times[o] == 0:
                    self.some[self.n] = o
                    self.n += 1
                self.times[o] += 1
                self.signed[o] += -1 if self.upper[i] else 1
        self.largest = 1
        for k in range(self.n):
            self.largest = max(self.largest, self.times[self.some[k]])

    def _forget(self):
        for k in range(self.n):
            self.times[self.some[k]] = self.signed[self.some[k]] = 0
        self.n = 0

    def _by_size(self, found):
        """Divides the bounds by the most that an option has of the items, or by less."""
        by: cython.int = self.largest
        there: cython.double = 0.0
        for k in range(self.n):
            there += self.times[self.some[k]] * self.mass[self.some[k]]
        violated: cython.bint = False
        if self.least % by:
            low = self.least // by + 1
            violation: cython.double = low - self._those(1) - max(0.0, self.least - there) / by
            if violation > self.violation:
                violated = True
                if found is not None:
                    self._tell(found, violation, low, self.most, (), by, ())
        for size in range(2, by + 1):
            if self.most % size == 0:
                continue
            high = self.most // size
            violation = self._those(size) - high - max(0.0, there - self.most) / size
            if violation > self.violation:
                violated = True
                if found is not None:
                    self._tell(found, violation, 0, high, (), size, ())
        return violated

    def _by_half(self, found):
        """Halves the upper bounds, with those of options that are nearly in every cover.

        The violation of a cut does not count that of the items' own bounds.
        """
        if not self._bound(False, self.most):
            return False
        n_bounded: cython.longlong = 0
        mass: cython.double = 0.0
        for k in range(self.n):
            o = self.some[k]
            n_bounded += self.bounded[o]
            self.has[o] = self.times[o] + self.bounded[o] >= 2
            if self.has[o]:
                mass += self.mass[o]
        high = (self.most + n_bounded) >> 1
        violation: cython.double = mass - self.over - high
        if violation <= self.violation:
            return False
        if found is not None:
            self._tell(found, violation, 0, high, self._listed(self.bounded), 2, ())
        return True

    def _signed_half(self, found, items):
        """Halves the lower bounds, with upper ones subtracted where items are at these."""
        if self.largest > 2 or not self._bound(True, self.base):
            return False
        n_bounded: cython.longlong = 0
        room: cython.longlong = 0
        mass: cython.double = 0.0
        for k in range(self.n):
            o = self.some[k]
            n_bounded += self.bounded[o]
            self.has[o] = self.signed[o] - self.bounded[o] >= 1
            if self.has[o]:
                mass += self.mass[o]
                room += self.room[o]
        low = -((n_bounded - self.base) >> 1)
        violation: cython.double = low - self.lacking - mass
        if low <= 0 or violation <= self.violation:
            return False
        if found is not None:
            times = tuple([-1 if self.upper[i] else 1 for i in items])
            signs = times if -1 in times else ()
            self._tell(found, violation, low, room, self._listed(self.bounded), 2, signs)
        return True

    def _bound(self, is_signed, total):
        """Chooses crossing options whose own bounds are added, so that the sum is odd; tells whether it is.

        An option crosses the set if it has an odd number of its items, or one more at lower bounds than at upper ones.
        """
        nearest: cython.int = -1
        for k in range(self.n):
            o = self.some[k]
            crosses: cython.bint = self.signed[o] == 1 if is_signed else self.times[o] & 1
            self.bounded[o] = crosses and (self.chosen[o] or (self.single[o] and self.mass[o] > 0.5))
            total += self.bounded[o]
            if crosses and self.single[o]:
                one: cython.double = abs(self.mass[o] - 0.5)
                other: cython.double = 2.0 if nearest < 0 else abs(self.mass[nearest] - 0.5)
                if one < other or (one == other and o < nearest):
                    nearest = o
        if total & 1 == 0 and nearest >= 0:
            self.bounded[nearest] ^= 1
            total += 1
        return total & 1 == 1

    def _those(self, size):
        """Takes the options that have so many of the items, and returns their mass."""
        mass: cython.double = 0.0
        for k in range(self.n):
            o = self.some[k]
            self.has[o] = self.times[o] >= size
            if self.has[o]:
                mass += self.mass[o]
        return mass

    def _tell(self, found, violation, low, high, bounds, by, times):
        options, low, high, by = self._listed(self.has), int(low), int(high), int(by)
        for k in range(len(found)):
            if abs(found[k][0] - violation) < SAME:
                if len(options) <= len(found[k][1][0]):
                    found[k] = violation, (options, low, high, bounds, by, times)
                return
        found.append((violation, (options, low, high, bounds, by, times)))

    def _listed(self, flags):
        return tuple(sorted([int(self.some[k]) for k in range(self.n) if flags[self.some[k]]]))
