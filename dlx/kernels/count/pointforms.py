# cython: language_level=3
"""Canonical forms of states by a graph of points; two points are joined while an item with both of them is open.

Points without open items are omitted, since nauty would try all permutations of such points: in the middle of a count
with 36 points, a form takes 7 us instead of 17 us.
"""

import cython
import numpy as np

if not cython.compiled:
    from dlx.kernels.count.classes import bit, lowest, ones


KNOWN = cython.declare(cython.int, 1 << 15)  # maximum number of graphs with ties whose forms are kept, 30 MB
ABSENT = cython.declare(cython.int, -1)  # the place of a point without neighbours
HALF = cython.declare(cython.longlong, (1 << 32) - 1)  # the bits of a mark except the colour


class Pointforms:
    """The canonical form of the current state by a graph of pynauty on points; item i joins the pairs begin[i]:begin[i
    + 1].

    The points of option o are point[option_begin[o]:option_begin[o + 1]]: none if it is not live at the root.
    """

    def __init__(self, state, pairs, points, colours, graph, certificate, generators) -> None:
        self.state, self.colour = state, colours
        self.begin, self.one, self.other = pairs
        self.option_begin, self.point = points
        self.n, self.n_colours = len(colours), int(colours.max(initial=0)) + 1
        self.item_words = (len(self.begin) - 1 + 63) // 64
        self.adjacent = np.zeros(self.n, dtype=np.uint64)
        self.place = np.full(self.n, ABSENT, dtype=np.int32)
        self.graph, self.certificate, self.generators = graph, certificate, generators
        self.known = {}
        self.mark, self.mixed, self.ranked = np.zeros((3, self.n), dtype=np.int64)
        self.sorted, self.rank = np.zeros((2, self.n), dtype=np.int32)
        self.packed = np.zeros((7 * self.n_colours + self.n * self.n // 2) // 64 + 2, dtype=np.uint64)
        self.packed_bytes = np.asarray(self.packed).view(np.uint8)
        self._draw_codes()
        self.image = np.zeros(self.n, dtype=np.uint64)
        self.orbit = np.arange(len(self.option_begin) - 1, dtype=np.int32)

    def _draw_codes(self):
        """Draws codes of the points at random until no two options have the same code."""
        begin, point, random = np.asarray(self.option_begin), np.asarray(self.point), np.random.default_rng(0)
        options = np.flatnonzero(np.diff(begin)).astype(np.int32)
        while True:
            code = random.integers(0, 1 << 63, self.n, dtype=np.uint64)
            codes, order = np.unique(np.bitwise_xor.reduceat(code[point], begin[options]), return_index=True)
            if len(codes) == len(options):
                break
        self.code, self.codes, self.option = code, codes, options[order]

    def check(self) -> None:
        """Raises AssertionError unless the last graph and the last orbits are consistent."""
        assert len(self.known) <= KNOWN
        there = [p for p in range(self.n) if self.place[p] != ABSENT]
        assert [self.place[p] for p in there] == [*range(self.n_there)]
        adjacent = [{q for q in range(self.n) if int(self.adjacent[p]) >> q & 1} for p in range(self.n)]
        for p in range(self.n):
            assert (p in there) == (len(adjacent[p]) > 0)
            for q in adjacent[p]:
                assert p in adjacent[q]
        for o in range(self.orbit.shape[0]):
            assert self.orbit[self.orbit[o]] == self.orbit[o]

    def of(self) -> bytes:
        """Returns the form: the number of points of each colour, and the joined pairs, in a canonical order.

        Without ties, `_by_refinement` finds the order, otherwise nauty; the first bit says which. For Latin
        squares of order 8, a tenth of the states have ties, and most of these have a form in `known`.
        """
        self._join()
        graph = self._by_refinement()
        if not self.is_tied:
            return graph
        form = self.known.get(graph)
        if form is None:
            if len(self.known) == KNOWN:
                self.known.clear()
            form = self.known[graph] = self.by_nauty()
        return form

    def by_nauty(self) -> bytes:
        """Returns the form in nauty's order: bytes for the sizes of its classes, and the adjacency matrix."""
        return bytes([len(cell) for cell in self._draw()]) + self.certificate(self.graph)

    def orbits(self) -> None:
        """Finds the orbits of live options under the group of the current state, and one option of each in `orbit`."""
        p: cython.int
        self._draw()
        there: list = [p for p in range(self.n) if self.place[p] != ABSENT]
        for o in range(self.orbit.shape[0]):
            self.orbit[o] = o
        for generator in self.generators(self.graph)[0]:
            for k, place in enumerate(generator):
                p = there[k]
                self.image[p] = self.code[there[place]]
            for w in range(self.item_words, self.state.shape[0]):
                rest = self.state[w]
                while rest:
                    o = 64 * (w - self.item_words) + lowest(rest)
                    rest &= rest - 1
                    other = self._image_of(o)
                    if other != o:
                        self.orbit[self._find(other)] = self._find(o)
        for o in range(self.orbit.shape[0]):
            self.orbit[o] = self._find(o)

    def _image_of(self, o):
        """Returns the image of a live option under a generator; most options are their own images."""
        own: cython.ulonglong = 0
        code: cython.ulonglong = 0
        for k in range(self.option_begin[o], self.option_begin[o + 1]):
            own ^= self.code[self.point[k]]
            code ^= self.image[self.point[k]]
        if code == own:
            return o
        low: cython.int = 0
        high = self.codes.shape[0] - 1
        while low < high:
            middle = (low + high) // 2
            if self.codes[middle] < code:
                low = middle + 1
            else:
                high = middle
        return self.option[low]

    def _find(self, o):
        """Returns the option that represents the orbit of an option so far."""
        while self.orbit[o] != o:
            self.orbit[o] = self.orbit[self.orbit[o]]
            o = self.orbit[o]
        return o

    def _by_refinement(self):
        """Returns the graph in an order by colour refinement; if there were ties, isomorphic graphs may differ."""
        word: cython.ulonglong
        rest: cython.ulonglong
        self._mark()
        known: cython.int = 0
        self.is_tied = False
        while True:
            self._sort()
            tie = self._tie()
            if tie < 0:
                break
            if self.n_marks == known:
                self.is_tied = True
                self.mark[self.sorted[tie]] ^= 1  # the colour stays
            known = self.n_marks
            self._refine()
        for k in range(self.n_there):
            self.rank[self.sorted[k]] = k
        self.n_bits = 0
        for k in range(self.packed.shape[0]):
            self.packed[k] = 0
        self._pack(1, 1)
        k = 0
        for c in range(self.n_colours):
            word = 0
            while k < self.n_there and self.colour[self.sorted[k]] == c:
                k += 1
                word += 1
            self._pack(word, 7)
        packed: cython.ulonglong = 0  # the points with known places
        for k in range(self.n_there - 1):
            packed |= bit(self.sorted[k])
            rest = self.adjacent[self.sorted[k]] & ~packed
            word = 0
            while rest:
                word |= bit(self.rank[lowest(rest)] - k - 1)
                rest &= rest - 1
            self._pack(word, self.n_there - 1 - k)
        return self.packed_bytes[: (self.n_bits + 7) // 8].tobytes()

    def _pack(self, word, size):
        """Appends some bits."""
        k, at = self.n_bits >> 6, self.n_bits & 63
        room = 64 - at
        self.n_bits += size
        if size <= room:
            self.packed[k] |= word << at
        else:
            self.packed[k] |= (word & (bit(room) - 1)) << at
            self.packed[k + 1] |= word >> room

    def _mark(self):
        """Marks each point by its colour, its degree, and the neighbours in common with each point of that colour."""
        is_joined: cython.bint
        for p in range(self.n):
            if self.place[p] != ABSENT:
                self.sorted[self.place[p]] = p
                self.mark[p] = (cython.cast(cython.longlong, self.colour[p]) << 32) + ones(self.adjacent[p])
        for k in range(self.n_there):
            p = self.sorted[k]
            joined = self.adjacent[p]
            for j in range(k):
                q = self.sorted[j]
                if self.colour[p] == self.colour[q]:
                    is_joined = (joined & bit(q)) != 0
                    common = _mixed(2 * ones(joined & self.adjacent[q]) + is_joined) >> 8
                    self.mark[p] += common
                    self.mark[q] += common

    def _refine(self):
        """Marks each point by its mark and the marks of its neighbours."""
        rest: cython.ulonglong
        for k in range(self.n_there):
            p = self.sorted[k]
            self.mixed[p] = _mixed(self.mark[p] & HALF)
        for k in range(self.n_there):
            p = self.sorted[k]
            total = 3 * self.mixed[p]
            rest = self.adjacent[p]
            while rest:
                total += self.mixed[lowest(rest)]
                rest &= rest - 1
            self.mark[p] = (self.mark[p] & ~HALF) + (total & HALF)

    def _sort(self):
        """Sorts the points by their marks, and counts these."""
        self.n_marks = self.n_there > 0
        for k in range(self.n_there):
            p = self.sorted[k]
            mark = self.mark[p]
            j = k
            while j > 0 and self.ranked[j - 1] > mark:
                self.sorted[j], self.ranked[j] = self.sorted[j - 1], self.ranked[j - 1]
                j -= 1
            self.sorted[j], self.ranked[j] = p, mark
        for k in range(1, self.n_there):
            self.n_marks += self.ranked[k] != self.ranked[k - 1]

    def _tie(self):
        """Returns the place of a point with the mark of the next point but other neighbours; -1 if there is none."""
        for k in range(self.n_there - 1):
            p, q = self.sorted[k], self.sorted[k + 1]
            if self.ranked[k] == self.ranked[k + 1]:
                both = bit(p) | bit(q)
                if (self.adjacent[p] | both) != (self.adjacent[q] | both):
                    return k
        return -1

    def _join(self):
        """Finds the points with neighbours, and numbers them."""
        for p in range(self.n):
            self.place[p] = ABSENT
            self.adjacent[p] = 0
        for w in range(self.item_words):
            rest = self.state[w]
            while rest:
                i = 64 * w + lowest(rest)
                rest &= rest - 1
                for k in range(self.begin[i], self.begin[i + 1]):
                    p, q = self.one[k], self.other[k]
                    self.adjacent[p] |= bit(q)
                    self.adjacent[q] |= bit(p)
                    self.place[p] = self.place[q] = 0
        self.n_there = 0
        for p in range(self.n):
            if self.place[p] != ABSENT:
                self.place[p] = self.n_there
                self.n_there += 1

    def _draw(self):
        """Makes the graph of the current state; returns its cells, one for each colour."""
        cells: list = [[] for _ in range(self.n_colours)]
        neighbours: dict = {}
        self._join()
        for p in range(self.n):
            if self.place[p] != ABSENT:
                cells[self.colour[p]].append(self.place[p])
                neighbours[self.place[p]] = self._joined(p)
        self.graph.number_of_vertices = self.n_there
        self.graph.adjacency_dict = neighbours
        self.graph.vertex_coloring = [cell for cell in cells if cell]
        return cells

    def _joined(self, p):
        """Returns the vertices of the points after p that are joined to it."""
        joined: list = []
        rest: cython.ulonglong = self.adjacent[p] & ~(bit(p) | (bit(p) - 1))
        while rest:
            joined.append(self.place[lowest(rest)])
            rest &= rest - 1
        return joined


def _mixed(number):
    """Returns a hash of a number, below 2 ** 32."""
    number = (number * 0x5BD1E995) & HALF
    number ^= number >> 15
    return (number * 0x27D4EB2F) & HALF
