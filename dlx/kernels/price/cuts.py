# cython: language_level=3
"""Searches for inequalities of `dlx.optimum.cuts` that a fractional point violates.

* `Cliques` are grown greedily by mass, as usual for set partitioning (K. Hoffman, M. Padberg,
  doi:10.1287/mnsc.39.6.657), and lifted: an option that clashes with all of a clique joins it.
* `clusters` of items are joined two at a time, so that the new cluster has the least weight on its border. Clusters are
  candidates for odd sets, as in heuristics for blossom inequalities (M. Grötschel, O. Holland, doi:10.1007/BF01582254).
* `Rounding` adds, divides and rounds the bounds of a set of items.
"""

import cython
import numpy as np

SEEDS = 600  # maximum options from which cliques are grown
# Maximum pairs of options that are compared while cliques are lifted, 1 s; without this limit, one case took 12 s.
TESTS = cython.declare(cython.longlong, 1 << 26)
# Maximum entries that are added for rounded cuts; without this limit, 300,000 entries took more than 40 s.
ADDED = cython.declare(cython.longlong, 1 << 26)
SAME = 1e-6  # two violations count as equal if they differ by at most this number


class Cliques:
    """Options that clash, as a graph.

    Parameters:
        rows: a `dlx.problem.roles.Rows`.
        exclusive: int8, shape (items,): whether any two options with an item clash.
        live: int32: the options of the graph; each has an exclusive item.
        mass: float64, shape (options,).
    """

    def __init__(self, rows, exclusive, live, mass) -> None:
        self.indptr, self.indices, self.exclusive = rows.indptr, rows.indices, exclusive
        self.live, self.mass = live, mass
        self.begin, _, self.member = rows.by_item
        self.has = np.zeros(rows.n_items, dtype=np.int8)
        self.count, self.mark, self.clique = np.zeros((3, rows.n_options + 1), dtype=np.int32)

    def find(self, least: cython.double, support: cython.double, most: cython.int, slack) -> list:
        """Finds cliques with more mass than `least`, the heaviest ones first, as arrays of options.

        Parameters:
            least: a clique has more mass than this.
            support: an option from which a clique is grown has more mass than this.
            most: how many cliques to find.
            slack: int64, shape (options,); options with less slack are lifted first.
        """
        masses, live = np.asarray(self.mass), np.asarray(self.live)
        some = live[masses[live] > support]
        some = some[np.argsort(-masses[some], kind="stable")][:SEEDS]
        self.support = np.append(some, np.int32(0))
        self.n_support = len(some)
        self.tests = 0
        self.clash = np.zeros((self.n_support, self.n_support), dtype=np.int8)
        self.common = np.zeros(len(some), dtype=np.int8)
        for a in range(self.n_support):
            self._note(self.support[a], True)
            for b in range(a):
                self.clash[a, b] = self.clash[b, a] = self._clashes(self.support[b])
            self._note(self.support[a], False)
        found: dict = {}
        for a in range(self.n_support):
            total = self._grow(a)
            if total > least:
                found[tuple(sorted(np.asarray(self.clique)[: self.size].tolist()))] = total
        by_slack = live[np.argsort(slack[live], kind="stable")]
        return self._lifted(sorted(found, key=lambda clique: (-found[clique], clique)), most, by_slack)

    def _lifted(self, cliques, most: cython.int, by_slack) -> list:
        """Lifts cliques that share less than half of their options with earlier cliques; omits cliques of one item."""
        used: set = set()
        result: list = []
        for clique in cliques:
            if len(result) == most:
                break
            if 2 * len(used.intersection(clique)) >= len(clique):
                continue
            used.update(clique)
            self.size = self.grown = len(clique)
            np.asarray(self.clique)[: self.size] = clique
            self._lift(by_slack)
            lifted = np.asarray(self.clique)[: self.size].copy()
            items = np.concatenate([np.asarray(self.indices)[self.indptr[o] : self.indptr[o + 1]] for o in lifted])
            shared = items[np.asarray(self.exclusive)[items] > 0]
            if np.bincount(shared).max() < len(lifted):  # otherwise an item of all options implies the clique
                result.append(lifted)
        return result

    def _note(self, o, has):
        """Marks the exclusive items of option o for `_clashes`, or unmarks them."""
        for e in range(self.indptr[o], self.indptr[o + 1]):
            self.has[self.indices[e]] = has and self.exclusive[self.indices[e]]

    def _clashes(self, o):
        """Returns whether option o clashes with the option noted by `_note`."""
        for e in range(self.indptr[o], self.indptr[o + 1]):
            if self.has[self.indices[e]]:
                return True
        return False

    def _grow(self, seed):
        """Grows a clique from one option of the support, and returns its mass."""
        best: cython.int = seed
        total = 0.0
        for a in range(self.n_support):
            self.common[a] = True
        self.size = 0
        while best >= 0:
            self.clique[self.size] = self.support[best]
            self.size += 1
            total += self.mass[self.support[best]]
            seed = best
            best = -1
            for a in range(self.n_support):
                self.common[a] &= self.clash[seed, a]
                if self.common[a] and (best < 0 or self.mass[self.support[a]] > self.mass[self.support[best]]):
                    best = a
        return total

    def _lift(self, by_slack):
        """Adds the options that clash with the whole clique, in the given order."""
        for m in range(by_slack.shape[0]):
            self.count[by_slack[m]] = 0
            self.mark[by_slack[m]] = -1
        for c in range(self.grown):
            o = self.clique[c]
            self.count[o] = -1 - self.grown  # it is already in the clique
            for e in range(self.indptr[o], self.indptr[o + 1]):
                if not self.exclusive[self.indices[e]]:
                    continue
                for m in range(self.begin[self.indices[e]], self.begin[self.indices[e] + 1]):
                    k = self.member[m]
                    if self.mark[k] != c:
                        self.mark[k] = c
                        self.count[k] += 1
        for m in range(by_slack.shape[0]):
            k = by_slack[m]
            if self.count[k] != self.grown:
                continue
            self.tests += self.size - self.grown
            if self.tests > TESTS:
                return
            self._note(k, True)
            c = self.grown
            while c < self.size and self._clashes(self.clique[c]):
                c += 1
            self._note(k, False)
            if c == self.size:
                self.clique[self.size] = k
                self.size += 1


def clusters(
    n: cython.int,
    begin: cython.const[cython.int][::1],
    item: cython.const[cython.int][::1],
    weight: cython.const[cython.double][::1],
    most: cython.int,
) -> tuple:
    """Joins clusters of tied items, at first one item each, and returns the clusters of 3 to `most` items.

    Parameters:
        n: the number of items.
        begin, item: int32; option o ties the items item[begin[o] : begin[o + 1]].
        weight: the weight of each option, float64, which is divided among the pairs of its items.
        most: the maximum number of items of a set.

    Returns:
        Two int32 arrays: the first position of each set and the end of the last set, and the items of the sets.
    """
    tie: cython.double[:, ::1] = np.zeros((n, n))
    leaving: cython.double[::1] = np.zeros(n)  # the weight between a cluster and all others
    for o in range(weight.shape[0]):
        for e in range(begin[o], begin[o + 1]):
            for f in range(begin[o], e):
                share: cython.double = weight[o] / (begin[o + 1] - begin[o] - 1)
                tie[item[e], item[f]] += share
                tie[item[f], item[e]] += share
                leaving[item[e]] += share
                leaving[item[f]] += share
    ties = np.array(np.nonzero(tie), dtype=np.int32)
    pairs: cython.int[:, ::1] = np.ascontiguousarray(ties[:, ties[0] < ties[1]])  # the pairs of tied clusters
    n_pairs: cython.Py_ssize_t = pairs.shape[1]
    items: list = [[i] for i in range(n)]
    sets: list = []
    while n_pairs > 0:
        least: cython.double = 1e300
        a: cython.int = -1
        b: cython.int = -1
        for k in range(n_pairs):
            outside: cython.double = leaving[pairs[0, k]] + leaving[pairs[1, k]] - 2.0 * tie[pairs[0, k], pairs[1, k]]
            if outside < least:
                least = outside
                a, b = pairs[0, k], pairs[1, k]
        items[a] += items[b]
        if 3 <= len(items[a]) <= most:
            sets.append(items[a].copy())
        leaving[a] = least
        for c in range(n):
            tie[a, c] += tie[b, c]
            tie[c, a] = tie[a, c]
        kept: cython.Py_ssize_t = 0
        for k in range(n_pairs):
            one: cython.int = a if pairs[0, k] == b else pairs[0, k]
            other: cython.int = a if pairs[1, k] == b else pairs[1, k]
            if one != other:
                pairs[0, kept], pairs[1, kept] = one, other
                kept += 1
        n_pairs = kept
    ends = np.cumsum([0, *[len(some) for some in sets]], dtype=np.int32)
    return ends, np.array([i for some in sets for i in some], dtype=np.int32)


class Rounding:
    """The violated inequalities that follow from sets of items at a fractional point.

    Parameters:
        mass, room: the mass of each option, and the number of times that it may be chosen; float64 and int64.
        single: for each option, whether it has an item of its own, and so is chosen at most once; int8.
        chosen: for each option, whether it is in all better covers; int8.
        ranges: the least and the most times that each item is covered; int32, shape (n_items, 2).
        coverage: the sum of the masses of each item's options; float64.
        begin, option: the options of item i are option[begin[i] : begin[i + 1]]; int32.
        violation: the least violation of a cut.
    """

    def __init__(self, mass, room, single, chosen, ranges, coverage, begin, option, violation: cython.double) -> None:
        self.violation, self.work = violation, 0
        self.mass, self.room, self.single, self.chosen, self.ranges = mass, room, single, chosen, ranges
        self.begin, self.option, self.coverage = begin, option, coverage
        low, high = ranges.T
        self.upper = ((low < high) & (2 * coverage > low + high)).view(np.int8)
        self.some, self.times, self.signed = np.zeros((3, len(mass)), dtype=np.int32)
        self.has, self.bounded = np.zeros((2, len(mass)), dtype=np.int8)
        self.n = 0

    def cuts(self, begin: cython.const[cython.int][::1], items: cython.const[cython.int][::1]) -> list:
        """Returns the violated inequalities of sets of items, each as its violation and the fields of a `Cut`.

        Set s is items[begin[s] : begin[s + 1]]. Inequalities of a set with the same violation are equivalent; the
        inequality with the fewest options is returned.
        """
        found: list = []
        for s in range(begin.shape[0] - 1):
            if self.work > ADDED:
                break
            found += self._cuts_of(items[begin[s] : begin[s + 1]])
        return found

    def _cuts_of(self, items) -> list:
        found: list = []
        self.items = tuple([int(i) for i in items])
        self._add_up(items)
        self._by_size(found)
        self._by_half(found, False, ())
        if self.largest <= 2:
            times = tuple([-1 if self.upper[i] else 1 for i in items])
            self._by_half(found, True, times if -1 in times else ())
        for k in range(self.n):
            self.times[self.some[k]] = self.signed[self.some[k]] = 0
        self.n = 0
        return found

    def _add_up(self, items):
        """Adds the bounds of the items, and collects the options with any of the items."""
        self.least = self.most = self.base = 0
        self.over = self.lacking = 0.0
        for k in range(items.shape[0]):
            i: cython.int = items[k]
            short: cython.double = max(0.0, self.ranges[i, 0] - self.coverage[i])
            over: cython.double = max(0.0, self.coverage[i] - self.ranges[i, 1])
            self.least += cython.cast(cython.longlong, self.ranges[i, 0])
            self.most += cython.cast(cython.longlong, self.ranges[i, 1])
            self.base += cython.cast(cython.longlong, -self.ranges[i, 1] if self.upper[i] else self.ranges[i, 0])
            self.over += over
            self.lacking += over if self.upper[i] else short
            self.work += self.begin[i + 1] - self.begin[i]
            for e in range(self.begin[i], self.begin[i + 1]):
                o: cython.int = self.option[e]
                if self.times[o] == 0:
                    self.some[self.n] = o
                    self.n += 1
                self.times[o] += 1
                self.signed[o] += -1 if self.upper[i] else 1
        self.largest = 1
        for k in range(self.n):
            self.largest = max(self.largest, self.times[self.some[k]])

    def _by_size(self, found):
        """Divides the lower bounds by the largest number of these items in one option."""
        by: cython.int = self.largest
        covered: cython.double = 0.0
        mass: cython.double = 0.0
        if self.least % by == 0:
            return
        for k in range(self.n):
            o = self.some[k]
            self.has[o] = True
            mass += self.mass[o]
            covered += self.times[o] * self.mass[o]
        low = self.least // by + 1
        violation: cython.double = low - mass - max(0.0, self.least - covered) / by
        if violation > self.violation:
            self._add_cut(found, violation, low, self.most, (), by, ())

    def _by_half(self, found, is_signed, times):
        """Halves the upper bounds of the items, with the bounds of options whose mass is above 1/2.

        With `is_signed`, halves the lower bounds; for items near their upper bounds, subtracts these upper bounds.
        """
        if not self._bound(is_signed, self.base if is_signed else self.most):
            return
        n_bounded: cython.longlong = 0
        room: cython.longlong = 0
        mass: cython.double = 0.0
        for k in range(self.n):
            o = self.some[k]
            n_bounded += self.bounded[o]
            self.has[o] = self.signed[o] - self.bounded[o] >= 1 if is_signed else self.times[o] + self.bounded[o] >= 2
            if self.has[o]:
                mass += self.mass[o]
                room += self.room[o]
        low = -((n_bounded - self.base) >> 1) if is_signed else 0
        high = room if is_signed else (self.most + n_bounded) >> 1
        violation: cython.double = low - self.lacking - mass if is_signed else mass - self.over - high
        if violation > self.violation and (low > 0 or not is_signed):
            self._add_cut(found, violation, low, high, self._listed(self.bounded), 2, times)

    def _bound(self, is_signed, total):
        """Chooses crossing options whose own bounds are added, so that the sum becomes odd; returns whether it is odd.

        An option crosses the set if it has an odd number of items of the set; with `is_signed`, if it has one more item
        at a lower bound than at an upper bound.
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

    def _add_cut(self, found, violation, low, high, bounds, by, times):
        options = self._listed(self.has)
        cut = violation, (options, low, high, self.items, bounds, by, times)
        for k in range(len(found)):
            if abs(found[k][0] - violation) < SAME:
                if len(options) <= len(found[k][1][0]):
                    found[k] = cut
                return
        found.append(cut)

    def _listed(self, flags):
        return tuple(sorted([int(self.some[k]) for k in range(self.n) if flags[self.some[k]]]))
