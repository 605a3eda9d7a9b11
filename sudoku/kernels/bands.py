# cython: language_level=3
"""Completions of many plain 9 x 9 grids by bands: the places of a digit in a band are a word of 27 bits.

A level of the search is a row of such words (`bands.pxd`). The representation is that of the solvers of Brian Turner
(BB_Sudoku) and Zhou Yundong (JCZSolve).

A *minirow* is the three cells that a row and a box share. Three rules are applied to the words of each digit:

    rows    In a band, a digit takes one minirow of each row and of each box. A minirow stays if the other two rows have
            minirows for the other two boxes.
    bands   In a stack, a digit takes one column in each band. A column of a band stays if the other two bands have the
            other two columns.
    alone   If one cell of a row is left for a digit, the cell has this digit and no other.

The first two rules are one formula (`both`): the places of a 3 x 3 table that are in a permutation. A cell that is
alone in a box or a column is alone in its row after a round or two. When nothing changes, the candidates of all cells
are counted in parallel (bit slicing: Knuth, TAOCP 4A, 7.1.3). A cell without candidates ends the branch, and a single
candidate is placed. Then the search guesses in a cell with two candidates: the one whose peers lose most. The other
candidate stays on the level above, so a level needs no list of candidates to try. If all blanks have two candidates,
the completions are twins, and only one of each pair is searched (`_guess`).

Two searches share one source and make the same guesses. With AVX-512, `_conclude_wide` keeps all digits of a band in
one register. On other processors, `_digit` runs in a loop over lanes, which gcc turns into vectors of four; if few
digits are dirty, they are swept one by one. AVX-512 makes the search 1.2 to 1.5 times as fast.

The choice among cells of two candidates by their peers is that of Tom Dillon's Tdoku.

Mean number of guesses for six hard puzzles: 138 in the first cell of two candidates, 80 in the one with the most such
cells among its peers, 57 in the one whose two digits together remove the most candidates.
"""

import cython
import numpy as np

if not cython.compiled:
    from dlx.extending import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED, Frame

    ALL = (1 << 27) - 1
    LANES, BLANK, DIRTY, WIDTH, DEPTH = 16, 48, 51, 64, 82
    SWEEP, GUESS, COUNT = range(3)
    SWEPT, EVERY = 12, 0xFFFF
    CHECKS = 32
    lanes = word = int
    copies = first = load = store = union_of = where = which = None  # AVX-512, only in compiled code

    def is_wide() -> bool:
        return False

    def first_bit(word: int) -> int:
        """Returns the position of the lowest set bit of a nonzero word."""
        return (int(word) & -int(word)).bit_length() - 1

    def population(word: int) -> int:
        return int(word).bit_count()


def turned(t):
    """Rotates three rows of nine bits: each takes the place of the row before."""
    return t >> 9 | t << 18


def both(left, right):
    """Returns the places of 3 x 3 tables that are in a permutation; `left` and `right` are the rotated columns."""
    return turned(turned(left) & right | turned(right) & left)


def minirows(p0, p1, p2):
    """Returns the minirows of three bands that have a cell: band k has the bits at each minirow's cell k."""
    t: word = (p0 | p0 >> 1 | p0 >> 2) & 0x1249249
    return t | (p1 << 1 | p1 | p1 >> 1) & 0x2492492 | (p2 << 2 | p2 << 1 | p2) & 0x4924924


def by_rows(t):
    """Returns the minirows of three bands that are in a permutation; the bits of the bands are interleaved."""
    left: word = (t & 0x0FC7E3F) << 3 | t >> 6 & 0x1C0E07
    right: word = t >> 3 & 0x0FC7E3F | (t & 0x1C0E07) << 6
    return both(left, right)


def columns(p0, p1, p2):
    """Returns the columns of three bands that have a cell, nine bits for each band."""
    x: word = (p0 | p0 >> 9 | p0 >> 18) & 511
    return x | (p1 << 9 | p1 | p1 >> 9) & 0x3FE00 | (p2 << 18 | p2 << 9 | p2) & 0x7FC0000


def by_bands(x):
    """Returns the columns of three bands that are in a permutation."""
    left: word = (x & 0x36DB6DB) << 1 | x >> 2 & 0x1249249
    right: word = x >> 1 & 0x36DB6DB | (x & 0x1249249) << 2
    return x & both(left, right)


def thrice(x):
    """Returns the cells of columns."""
    return x | x << 9 | x << 18


def alone(p):
    """Returns the rows that have only one cell, if every row has a cell."""
    t: word = p & (p + 0x7FBFDFF)  # without the lowest cell of each row
    t = ~((t & 0x3FDFEFF) + 0x3FDFEFF | t) & 0x4020100  # the last cell of the rows without another cell
    return (t << 1) - (t >> 8)


def sevenfold(t):
    """Returns the minirows of their first cells."""
    return (t << 3) - t


def rows(p):
    """Returns the rows that have a cell."""
    t: word = ((p & 0x3FDFEFF) + 0x3FDFEFF | p) & 0x4020100
    return (t << 1) - (t >> 8)


def settled(p, a):
    """Removes the other cells of rows with placed cells `a`; removes both cells if two are placed in a row."""
    r: word = rows(a)
    s: word = a | ~r & 0x40201
    return p & ~r | a & alone(s)


def few(s):
    """Returns whether a set of digits is best swept digit by digit: if it has up to two digits.

    With up to one, open grids took 13 % more instructions; with up to three, the search was 4 % slower.
    """
    s = s & (s - 1)
    return not s & (s - 1)


class Bands(Frame):
    """Counts up to `most` completions of each of many uint8 grids, shape (m, 81), into int64 `counts`, shape (m,).

    The first completion of each grid, or the best one by 81 `weights`, is written to `completions`, uint8, shape
    (m, 81). A grid is given up, with the count -1, after `patience` guesses without a completion. With weights, a grid
    is given up after `patience` / 32 guesses if the rest is expected to take more than `patience` guesses; otherwise it
    is given up after `patience` more guesses.
    """

    def __init__(
        self, grids, completions, counts, most: cython.longlong, patience: cython.longlong, weights=None
    ) -> None:
        self.buffer = np.zeros((0, 0), dtype=np.int32)  # completions are kept in `digit`
        self.covers = self.nodes = self.updates = 0
        self.base = -2  # `run` stops at this level; level -1 means that the grid is done
        self.level = self.at = -1
        self.here = self.found = self.best = self.last = 0
        self.grids, self.completions, self.counts = grids, completions, counts
        self.most, self.patience = most, patience
        self.scored = weights is not None
        self.swept = SWEPT
        self.is_wide = is_wide()
        self.enough = 8
        if cython.compiled:
            self.words = cython.address(self.memory[0])
            while cython.cast(cython.size_t, self.words) % 64:
                self.words += 1
        else:
            self.words = [0] * (WIDTH * DEPTH)
            self.own = [0] * (3 * LANES)
            self.keep, self.column = ([0] * 27 for _ in range(2))
            self.digit, self.weights, self.part = ([0] * DEPTH for _ in range(3))
            self.twins = [0] * DEPTH
            self.again, self.fine, self.bit = ([0] * LANES for _ in range(3))
            self.two, self.three, self.four, self.single = ([0] * 3 for _ in range(4))
        for k in range(9):
            self.bit[k] = cython.cast(cython.uint, 1) << k
        for k in range(27):
            column: cython.uint = k % 9
            row: cython.uint = cython.cast(cython.uint, 511) << (k - column)
            box: cython.uint = cython.cast(cython.uint, 0x1C0E07) << (column // 3 * 3)
            self.column[k] = column
            self.keep[k] = ALL & ~(row | box) | cython.cast(cython.uint, 1) << k
        for k in range(81 if self.scored else 0):
            self.weights[k] = weights[k]

    @property
    def size(self) -> int:
        return len(self.grids)

    @property
    def done(self) -> int:
        return self.at + (self.level < 0)

    def fraction(self) -> float:
        return self.done / self.size if self.size else 1.0

    def _run(self):
        limit = self.node_limit
        while True:
            self.node_limit = min(limit, self.last)
            why = self._search()
            self.node_limit = limit
            if self.at >= 0:
                self._note()
            if why == BUDGET_SPENT and self.nodes >= self.last:
                if self._is_promising():
                    self.last += self.patience
                    continue
                self.level = self.here = -1
                self._note()
                why = EXHAUSTED
            if why == EXHAUSTED and self.at + 1 >= self.grids.shape[0]:
                return EXHAUSTED
            if why == EXHAUSTED:
                why = self._spent()
            if why:
                return why
            self.at += 1
            self.last = self.nodes + (self.patience // CHECKS if self.scored else self.patience)
            self.checked = False
            self._load()

    def _is_promising(self):
        """Returns whether to go on with a grid: a count that has begun, or a visit that is expected to end."""
        left: cython.double = 0
        if not self.scored:
            return self.here > 0
        if self.checked:
            return False
        self.checked = True
        for k in range(self.level + 1):
            left += self.part[k]
        return (1 - left) * CHECKS >= 1

    def _note(self):
        """Writes the count and the completion of this grid; it can be called again."""
        self.counts[self.at] = self.here
        for k in range(81 if self.here > 0 else 0):
            self.completions[self.at, k] = self.digit[k]

    def _load(self):
        """Loads the grid at hand; two givens that clash leave nothing to search."""
        self.level = -1
        self.here = 0
        for j in range(DIRTY):  # all cells, also for the blanks
            self.words[j] = ALL if j % LANES < 9 else 0
        for j in range(3 * LANES):
            self.own[j] = 0
        for b in range(3):
            for cell in range(27):
                digit = cython.cast(cython.int, self.grids[self.at, 27 * b + cell])
                if digit and not self._give(b, cell, digit - 1):
                    return
        for b in range(3):
            for j in range(9):
                self.words[LANES * b + j] &= self.words[BLANK + b] | self.own[LANES * b + j]
        self.words[DIRTY] = 511
        self.level = 0
        self.twins[0] = 0
        self.part[0] = 1.0
        self.state = SWEEP

    def _give(self, band, cell, d):
        """Places a given; returns False if another given forbids it."""
        bit: cython.uint = cython.cast(cython.uint, 1) << cell
        others: cython.uint = ~(cython.cast(cython.uint, 0x40201) << self.column[cell])
        if not self.words[LANES * band + d] & bit:
            return False
        for b in range(3):
            self.words[LANES * b + d] &= others
        self.words[LANES * band + d] = self.words[LANES * band + d] & self.keep[cell] | bit
        self.own[LANES * band + d] |= bit
        self.words[BLANK + band] &= ~bit
        return True

    def _search(self):
        """Continues until the grid is done, or a budget is spent."""
        return self._wide_search() if self.is_wide else self._narrow_search()

    def _narrow_search(self):
        return self._go_on(False)

    def _wide_search(self):
        return self._go_on(True)

    def _go_on(self, wide):
        """The search; the compiler makes a copy for each kind of processor."""
        while self.level >= 0:
            base = WIDTH * self.level
            if self.state == SWEEP:
                if not (self._conclude_wide(base) if wide else self._conclude(base)):
                    self.level -= 1
                    continue
                self.state = GUESS
                if self._filled(base):
                    if self.here == 0 or self.scored:
                        self._visit(base)
                    self.found = cython.cast(cython.longlong, 1) << self.twins[self.level]
                    self.state = COUNT
            if self.state == COUNT:
                self._count()
                if self.covers >= self.cover_limit and self.level >= 0:
                    return BUFFER_FULL
                continue
            why = self._spent()
            if why:
                return why
            self._guess(base, wide)
            self.state = SWEEP
        return EXHAUSTED

    def _count(self):
        """Counts the completions found, up to the limits; leaves the level when all are counted."""
        more: cython.longlong = min(self.found, self.most - self.here, self.cover_limit - self.covers)
        self.here += more
        self.covers += more
        self.found -= more
        if self.here >= self.most:
            self.level = -1
        elif self.found == 0:
            self.level -= 1
            self.state = SWEEP

    def _filled(self, base):
        return not (self.words[base + BLANK] | self.words[base + BLANK + 1] | self.words[base + BLANK + 2])

    def _conclude(self, base):
        """Applies the rules until nothing changes; returns False if there is no completion."""
        while True:
            while self.words[base + DIRTY]:
                self.updates += 1
                if not (self._step(base) if few(self.words[base + DIRTY]) else self._sweep(base)):
                    return False
            if self._filled(base):
                return True
            if not self._tally(base):
                return False
            if not self._singles(base):
                return True

    def _conclude_wide(self, base):
        """Does what `_conclude` does, by the same formulas, with all digits of a band in one register.

        A sweep of all digits takes about as long as a sweep of one digit in `_conclude`, so all are swept.
        """
        p: lanes[3]
        own: lanes[3]
        blank: lanes[3]
        cython.declare(x=lanes, y=lanes, t=lanes, again=lanes)
        nine: lanes = copies(511, 511)
        if not cython.compiled:
            p, own, blank = [nine] * 3, [nine] * 3, [nine] * 3
        for b in range(3):
            p[b] = load(self.words, base + LANES * b)
            blank[b] = copies(self.words[base + BLANK + b], EVERY)
        while True:
            while True:
                self.updates += 1
                x = minirows(p[0], p[1], p[2])
                x = by_rows(x)
                for b in range(3):
                    t = x >> b & 0x1249249
                    p[b] &= sevenfold(t)
                x = columns(p[0], p[1], p[2])
                y = by_bands(x)
                if which((y | y >> 9 | y >> 18) & nine ^ nine):
                    return False
                for b in range(3):
                    t = y >> (9 * b) & 511
                    p[b] &= thrice(t)
                    own[b] = p[b] & alone(p[b])
                again = (x ^ y) & where(p[0] ^ own[0] | p[1] ^ own[1] | p[2] ^ own[2])
                for b in range(3):
                    t = union_of(own[b]) & blank[b]
                    blank[b] ^= t
                    t = p[b] & (own[b] | ~t)
                    again |= p[b] ^ t
                    p[b] = t
                if not which(again):
                    break
            for b in range(3):
                store(self.words, base + LANES * b, p[b])
                self.words[base + BLANK + b] = first(blank[b])
            self.words[base + DIRTY] = 0
            if not which(blank[0] | blank[1] | blank[2]):
                return True
            if not self._tally(base):
                return False
            if not (self.single[0] | self.single[1] | self.single[2]):
                return True
            for b in range(3):
                t = copies(self.single[b], EVERY)
                blank[b] &= ~t
                t &= p[b]
                p[b] = settled(p[b], t)

    def _step(self, base):
        """Sweeps one dirty digit, and removes its placed cells from the others; returns False if it has no place."""
        d = first_bit(self.words[base + DIRTY])
        self.words[base + DIRTY] &= self.words[base + DIRTY] - 1
        self._digit(base, d)
        if self.fine[d] & 511 != 511:
            return False
        f0 = self.own[d] & self.words[base + BLANK]
        f1 = self.own[LANES + d] & self.words[base + BLANK + 1]
        f2 = self.own[2 * LANES + d] & self.words[base + BLANK + 2]
        if f0 | f1 | f2:
            self._remove_of(base, d, f0, f1, f2)
        if self.again[d]:
            self.words[base + DIRTY] |= self.bit[d]
        return True

    def _remove_of(self, base, d, f0, f1, f2):
        """Removes the cells placed for digit d, in the three bands, from all other digits."""
        lost: cython.uint = 0
        self.words[base + BLANK] ^= f0
        self.words[base + BLANK + 1] ^= f1
        self.words[base + BLANK + 2] ^= f2
        for e in range(self.swept):
            p0 = self.words[base + e]
            p1 = self.words[base + LANES + e]
            p2 = self.words[base + 2 * LANES + e]
            self.words[base + e] = p0 & ~f0
            self.words[base + LANES + e] = p1 & ~f1
            self.words[base + 2 * LANES + e] = p2 & ~f2
            lost |= self.bit[e] & -cython.cast(cython.uint, (p0 & f0 | p1 & f1 | p2 & f2) != 0)
        self.words[base + d] |= f0
        self.words[base + LANES + d] |= f1
        self.words[base + 2 * LANES + d] |= f2
        self.words[base + DIRTY] |= lost & ~self.bit[d]

    def _sweep(self, base):
        """Sweeps all digits, and removes their placed cells from others; returns False if a digit has no place."""
        dirty: cython.uint = 0
        fine: cython.uint = 511
        f0: cython.uint = 0
        f1: cython.uint = 0
        f2: cython.uint = 0
        for d in range(SWEPT):
            self._digit(base, d)
        for d in range(9):
            fine &= self.fine[d]
            f0 |= self.own[d]
            f1 |= self.own[LANES + d]
            f2 |= self.own[2 * LANES + d]
        if fine != 511:
            return False
        f0 &= self.words[base + BLANK]
        f1 &= self.words[base + BLANK + 1]
        f2 &= self.words[base + BLANK + 2]
        if f0 | f1 | f2:
            self._remove_placed(base, f0, f1, f2)
        for d in range(self.swept):
            dirty |= self.bit[d] & -cython.cast(cython.uint, self.again[d] != 0)
        self.words[base + DIRTY] = dirty
        return True

    def _digit(self, base, d):
        """Applies the three rules to a digit without branches, so that a loop over lanes becomes vectors.

        A digit with one cell in each row and in each column is done: it is also in each box, since each band has a
        column of each stack.
        """
        p0: cython.uint = self.words[base + d]
        p1: cython.uint = self.words[base + LANES + d]
        p2: cython.uint = self.words[base + 2 * LANES + d]
        x: cython.uint = by_rows(minirows(p0, p1, p2))
        y: cython.uint
        p0 &= (x & 0x1249249) * 7
        p1 &= (x >> 1 & 0x1249249) * 7
        p2 &= (x >> 2 & 0x1249249) * 7
        x = columns(p0, p1, p2)
        y = by_bands(x)
        self.fine[d] = y | y >> 9 | y >> 18
        p0 &= thrice(y & 511)
        p1 &= thrice(y >> 9 & 511)
        p2 &= thrice(y >> 18)
        self.words[base + d] = p0
        self.words[base + LANES + d] = p1
        self.words[base + 2 * LANES + d] = p2
        a0: cython.uint = p0 & alone(p0)
        a1: cython.uint = p1 & alone(p1)
        a2: cython.uint = p2 & alone(p2)
        self.own[d] = a0
        self.own[LANES + d] = a1
        self.own[2 * LANES + d] = a2
        self.again[d] = x ^ y if p0 ^ a0 | p1 ^ a1 | p2 ^ a2 else 0

    def _remove_placed(self, base, f0, f1, f2):
        """Removes the placed cells of the three bands from all digits except their own."""
        self.words[base + BLANK] &= ~f0
        self.words[base + BLANK + 1] &= ~f1
        self.words[base + BLANK + 2] &= ~f2
        for d in range(self.swept):
            p0 = self.words[base + d]
            p1 = self.words[base + LANES + d]
            p2 = self.words[base + 2 * LANES + d]
            q0 = p0 & (~f0 | self.own[d])
            q1 = p1 & (~f1 | self.own[LANES + d])
            q2 = p2 & (~f2 | self.own[2 * LANES + d])
            self.again[d] |= p0 ^ q0 | p1 ^ q1 | p2 ^ q2
            self.words[base + d] = q0
            self.words[base + LANES + d] = q1
            self.words[base + 2 * LANES + d] = q2

    def _tally(self, base):
        """Counts the candidates of all cells; returns False if a cell has none, or a filled cell has two."""
        cython.declare(one=cython.uint, two=cython.uint, three=cython.uint, four=cython.uint)
        for b in range(3):
            one = two = three = four = 0
            for d in range(9):
                p = self.words[base + LANES * b + d]
                four |= three & p
                three |= two & p
                two |= one & p
                one |= p
            if one != ALL or two & ~self.words[base + BLANK + b]:
                return False
            self.two[b] = two
            self.three[b] = three
            self.four[b] = four
            self.single[b] = ~two & self.words[base + BLANK + b]
        return True

    def _singles(self, base):
        """Places the candidates of cells with one candidate; returns False if there are none."""
        for b in range(3):
            self.words[base + BLANK + b] &= ~self.single[b]
            for d in range(9 if self.single[b] else 0):
                here = self.words[base + LANES * b + d] & self.single[b]
                if here:
                    self.words[base + DIRTY] |= cython.cast(cython.uint, 1) << d
                    while here:
                        self.words[base + LANES * b + d] &= self.keep[first_bit(here)]
                        here &= here - 1
        return self.words[base + DIRTY] != 0

    def _guess(self, base, wide):
        """Places a candidate on the next level, and removes it on this one; with twins, only places it.

        If all blanks have two candidates, each digit has two places or none in the blanks of a row, a column or a box,
        since no place is alone. So each completion has a twin with the other candidate in every blank. One of the two
        is searched, and counts twice, unless all are scored.
        """
        band: cython.Py_ssize_t = 0
        most: cython.Py_ssize_t = -1
        cell: cython.uint = 0
        cython.declare(cells=cython.uint, weight=cython.Py_ssize_t)
        for b in range(3):
            cells = self.two[b] & ~self.three[b]
            if cells and not (cell and self.here >= self.enough):
                weight = 0
                self.pair = cells & (~cells + 1)
                if self.here < self.enough:
                    weight = self._best_pair(base, b, cells, wide)
                if weight > most:
                    most, band, cell = weight, b, self.pair
        for b in range(3):
            cells = self.three[b] & ~self.four[b]
            if not cell and cells:
                band, cell = b, cells & (~cells + 1)
        for b in range(3):
            cells = self.words[base + BLANK + b]
            if not cell and cells:
                band, cell = b, cells & (~cells + 1)
        digits = self._digits(base, band, cell, wide)
        d = first_bit(digits)
        self.nodes += 1
        if not (self.scored or self.three[0] | self.three[1] | self.three[2]):
            self.twins[self.level] += 1
            self._enter(base, base, d, band, cell, wide)
            return
        self.level += 1
        self.twins[self.level] = self.twins[self.level - 1]
        self.part[self.level - 1] /= 2
        self.part[self.level] = self.part[self.level - 1]
        self._enter(base, base + WIDTH, d, band, cell, wide)
        if self.three[band] & cell:
            self.words[base + LANES * band + d] &= ~cell
            self.words[base + DIRTY] |= cython.cast(cython.uint, 1) << d
        else:
            self._enter(base, base, first_bit(digits & (digits - 1)), band, cell, wide)

    def _best_pair(self, base, band, cells, wide):
        """Finds the cell whose peers lose most (candidates of its digits, and pairs) as `pair`; returns the loss."""
        b1: cython.Py_ssize_t = (band + 1) % 3
        b2: cython.Py_ssize_t = (band + 2) % 3
        left = cells
        bit: cython.uint
        pairs1 = self.two[b1] & ~self.three[b1]
        pairs2 = self.two[b2] & ~self.three[b2]
        most: cython.Py_ssize_t = -1
        while left:
            bit = left & (~left + 1)
            left ^= bit
            k = first_bit(bit)
            digits = self._digits(base, band, bit, wide)
            d = first_bit(digits)
            e = first_bit(digits & (digits - 1))
            weight = self._weigh(k, cells, pairs1, pairs2) + self._weigh(
                k,
                self.words[base + LANES * band + d] | self.words[base + LANES * band + e],
                self.words[base + LANES * b1 + d] | self.words[base + LANES * b1 + e],
                self.words[base + LANES * b2 + d] | self.words[base + LANES * b2 + e],
            )
            if weight > most:
                most = weight
                self.pair = bit
        return most

    def _weigh(self, cell, own, one, other):
        """Returns the number of peers of a cell among some cells of its own band and of the other two."""
        c = self.column[cell]
        x: cython.ulonglong = one >> c & 0x40201 | (other >> c & 0x40201) << 1
        return population(x << 27 | own & ~self.keep[cell])

    def _digits(self, base, band, cell, wide):
        """Returns the candidates of a cell."""
        digits: cython.uint = 0
        p: lanes
        if wide:
            p = load(self.words, base + LANES * band)
            return which(p & cell)
        for d in range(self.swept):
            digits |= self.bit[d] & -cython.cast(cython.uint, (self.words[base + LANES * band + d] & cell) != 0)
        return digits

    def _enter(self, base, to, d, band, cell, wide):
        """Places a candidate of a blank cell, and writes the result to the level `to`."""
        cython.declare(p=lanes, kept=lanes)
        if wide:
            kept = copies(self.keep[first_bit(cell)], self.bit[d]) | copies(~cell, EVERY ^ self.bit[d])
            for b in range(3 if to != base else 0):
                p = load(self.words, base + LANES * b)
                store(self.words, to + LANES * b, p)
                self.words[to + BLANK + b] = self.words[base + BLANK + b]
            p = load(self.words, base + LANES * band)
            store(self.words, to + LANES * band, p & kept)
            self.words[to + BLANK + band] &= ~cell
            return
        for k in range(WIDTH if to != base else 0):
            self.words[to + k] = self.words[base + k]
        self._place(to, d, band, cell)

    def _place(self, base, d, band, cell):
        """Places a candidate of a blank cell."""
        for e in range(9):
            if self.words[base + LANES * band + e] & cell:
                self.words[base + LANES * band + e] &= ~cell
                self.words[base + DIRTY] |= cython.cast(cython.uint, 1) << e
        self.words[base + LANES * band + d] = self.words[base + LANES * band + d] & self.keep[first_bit(cell)] | cell
        self.words[base + BLANK + band] &= ~cell

    def _visit(self, base):
        """Keeps the completion if it is the first or the best one; among equals, the first in reading order."""
        score: cython.longlong = self._score(base) if self.scored else 0
        if self.here > 0 and (score < self.best or (score == self.best and not self._precedes(base))):
            return
        self.best = score
        for b in range(3):
            for d in range(9):
                cells = self.words[base + LANES * b + d]
                while cells:
                    self.digit[27 * b + first_bit(cells)] = d + 1
                    cells &= cells - 1

    def _precedes(self, base):
        """Returns whether a completion precedes the kept one in reading order."""
        for b in range(3):
            first, digit = 27, 0
            for d in range(9):
                cells = self.words[base + LANES * b + d]
                while cells:
                    cell = first_bit(cells)
                    if cell < first and self.digit[27 * b + cell] != d + 1:
                        first, digit = cell, d + 1
                    cells &= cells - 1
            if first < 27:
                return digit < self.digit[27 * b + first]
        return False

    def _score(self, base):
        """Returns the sum of digit times weight over the cells of a completion."""
        score: cython.longlong = 0
        for d in range(9):
            weight: cython.longlong = 0
            for b in range(3):
                cells = self.words[base + LANES * b + d]
                while cells:
                    weight += self.weights[27 * b + first_bit(cells)]
                    cells &= cells - 1
            score += (d + 1) * weight
        return score

    def check(self) -> None:
        """Raises an AssertionError that names a broken invariant."""
        all_words = np.array([self.words[k] for k in range(WIDTH * DEPTH)], dtype=np.uint32)
        words = all_words.reshape(DEPTH, WIDTH)[: self.level + 1]
        candidates = words[:, :BLANK].reshape(-1, 3, LANES)
        assert (words[:, :DIRTY] <= ALL).all(), "a word has more than 27 bits"
        assert (words[:, DIRTY] < 512).all(), "there are more than nine dirty digits"
        twice = np.zeros((len(words), 3), dtype=np.uint32)
        once = twice.copy()
        for d in range(9):
            twice |= once & candidates[:, :, d]
            once |= candidates[:, :, d]
        clean = words[:, DIRTY] == 0
        filled = np.where(clean[:, None], ~words[:, BLANK:DIRTY], 0)
        assert not (twice & filled).any(), "a cell that is not blank has two candidates"
