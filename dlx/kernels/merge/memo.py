# cython: language_level=3
"""The memo of a search: each remaining problem is solved once (memoization).

A kernel that merges asks, whenever it is about to branch, whether what is left of the problem has been there before.
What is left is a *state*, told by a key that determines its covers: states are the same if their keys are, never if
only hashes are. Of each state the memo knows the number of its covers, or the node of a decision diagram of them
(Nishino, Yasuda, Minato, Nagata: Dancing with decision diagrams, AAAI 2017, doi:10.1609/aaai.v31i1.10662).

The kernel tells the memo when it enters a level (`begin`), finds a cover (`found`), and has been everywhere below a
level (`leave`). All covers below a level belong to its state. There is no allocation in any of this: a kernel
that is `cramped` comes back from its run, and the caller makes room.
"""

import cython
import numpy as np

from dlx import kernels

DIGIT = cython.declare(cython.int, kernels.DIGIT)
LARGEST = cython.declare(cython.ulonglong, kernels.LARGEST)
LOW = cython.declare(cython.ulonglong, 0xFFFFFFFF)  # the lower half of a word
COUNTLESS = cython.declare(cython.longlong, 1 << 61)  # as far as `covers` counts
NONE = cython.declare(cython.uint, 0)  # the node without covers,
ALL = cython.declare(cython.uint, 1)  # and the node of the empty cover

if not cython.compiled:

    def fetch(place) -> None:
        """See memo.pxd."""


class Memo:
    """The memory of a search: numbers of covers, or with `draws` a diagram."""

    def __init__(self, words: cython.int, depth: cython.int, pending: cython.int, draws: cython.bint) -> None:
        self.draws = draws
        self.digits = 1
        self.words = words
        self.key = np.zeros(words, dtype=np.uint64)
        self.table = np.zeros(4, dtype=np.uint64)
        self.slot_mask = 3
        self.free = self.tag = 0
        self.record = np.zeros((2, words + 1), dtype=np.uint64)
        self.n_states = self.hits = self.asked = self.covers = 0
        self.at = np.full(depth, -1, dtype=np.int32)
        self.sum = np.zeros((depth, 1), dtype=np.uint64)
        self.one = np.ones((1, 1), dtype=np.uint64)
        self.wide = False
        self.first_edge = np.zeros(8 * draws, dtype=np.int32)
        self.edge_option = np.zeros(4 * draws, dtype=np.int32)
        self.edge_child = np.zeros(4 * draws, dtype=np.uint32)
        self.pending_option = np.zeros(pending * draws, dtype=np.int32)
        self.pending_child = np.zeros(pending * draws, dtype=np.uint32)
        self.first_pending = np.zeros(depth, dtype=np.int32)
        self.n_nodes, self.n_edges, self.n_pending = 2, 0, 0

    # Its input and output between two runs

    def capacity(self) -> tuple:
        """For how many states, and edges of a diagram, there is room."""
        return self.record.shape[0], self.edge_option.shape[0]

    @property
    def n_pending_room(self) -> int:
        """The most edges that the nodes above a level may have together."""
        return self.pending_option.shape[0]

    def takes(self, states: cython.longlong, edges: cython.longlong) -> int:
        """The bytes of the arrays with room for so many states and edges."""
        digits = self.digits + self.wide * (1 + self.digits // 2)
        width = 8 * (self.words + digits)
        return states * width + 8 * slots(states) + 12 * edges

    def grow(self, states: cython.longlong, edges: cython.longlong) -> None:
        """Makes room for so many states and edges, and a digit if needed; after a MemoryError nothing has changed."""
        digits = self.digits + self.wide * (1 + self.digits // 2)
        width = self.words + digits
        sums, one, record, table = self.sum, self.one, self.record, self.table
        first, options, children = self.first_edge, self.edge_option, self.edge_child
        if self.wide:
            sums, one = sized(sums, sums.shape[0], digits), sized(one, 1, digits)
        resized = states != record.shape[0]
        if resized:
            table = np.zeros(slots(states), dtype=np.uint64)
        if resized or width != record.shape[1]:
            record = sized(record, states, width)
        if self.draws:
            first = _longer(first, edges + 4)  # a node has an edge at least
            options, children = _longer(options, edges), _longer(children, edges)
        if resized:
            old, self.table = self.table, table
            self._enter(old)
        self.digits, self.wide = digits, False
        self.sum, self.one, self.record = sums, one, record
        self.first_edge, self.edge_option, self.edge_child = first, options, children

    def _enter(self, old):
        """Enters what another table has into this one, which is empty."""
        entries: cython.ulonglong[::1] = old
        self.slot_mask = self.table.shape[0] - 1
        for k in range(entries.shape[0]):
            if entries[k]:
                slot = (entries[k] >> 32) & self.slot_mask
                while self.table[slot]:
                    slot = (slot + 1) & self.slot_mask
                self.table[slot] = entries[k]

    def forget(self) -> None:
        """Keeps half of the states, those with the most bits in their keys, which took longest; for counting only.

        Dominoes of 14 x 14 took 2 * 10^5 nodes in 3 MB; forgetting all, or the oldest states, took more than 4 * 10^7.
        """
        # Nothing is cast on its way: that takes a buffer, and where it lacks memory numpy 2 writes to a null pointer.
        at, record = np.asarray(self.at), np.asarray(self.record)
        left = self._bits()
        left[at[at >= 0].astype(np.intp)] = np.int32(-1)  # their covers are not known yet
        kept = np.sort(np.argsort(left, kind="stable")[(len(left) + 1) // 2 :])
        kept = kept[left[kept] >= 0]
        number = np.zeros(len(left) + 1, dtype=np.uint64)  # with 1 added, as in the table; 0 for those forgotten
        number[kept + 1] = np.arange(1, len(kept) + 1, dtype=np.uint64)
        entries = np.asarray(self.table)
        entries = entries[entries > 0]
        numbers = number[(entries & 0xFFFFFFFF).astype(np.intp)]
        entries = (entries >> 32 << 32 | numbers)[numbers > 0]
        rows = record[kept]
        self.clear()
        record[: len(kept)] = rows
        self.n_states = len(kept)
        self._enter(entries)

    def clear(self) -> None:
        """Forgets all states, without room for anything new; only for counting."""
        self.at[:] = -1
        self.table[:] = 0
        self.n_states = 0

    def _bits(self) -> np.ndarray:
        """Returns the number of bits of the key of each state."""
        bits: cython.int[::1] = np.zeros(self.n_states, dtype=np.int32)
        for state in range(self.n_states):
            for k in range(self.words):
                x: cython.ulonglong = self.record[state, k]
                while x:
                    x &= x - 1
                    bits[state] += 1
        return np.asarray(bits)

    def total(self, level: cython.int) -> int:
        """The covers found so far, however many, by a search that is on this level; only when counting."""
        sums = np.asarray(self.sum)[: level + 1].tolist()
        return sum(digit << DIGIT * place for row in sums for place, digit in enumerate(row))

    def diagram(self) -> tuple:
        """The diagram, once the search is done: its root; where the edges of each node begin; options; ends."""
        first = np.asarray(self.first_edge)[: self.n_nodes + 1].copy()
        options, children = np.asarray(self.edge_option), np.asarray(self.edge_child)
        return int(self.sum[0, 0]), first, options[: self.n_edges].copy(), children[: self.n_edges].copy()

    # Its interface to a kernel

    def cramped(self):
        """Tells whether there may be too little room for what happens next."""
        if self.wide or self.n_states + 1 >= self.record.shape[0]:
            return True
        return self.draws and self.n_edges + self.n_pending + 2 > self.edge_option.shape[0]

    def begin(self, level):
        """The search enters a level, on which nothing has been found."""
        for w in range(self.digits):
            self.sum[level, w] = 0
        self.at[level] = -1
        self.first_pending[level] = self.n_pending

    def recall(self, level, option):
        """Tells whether the state of this level is known: then its covers are found, behind the option chosen above."""
        state = self._find()
        if state < 0:
            return False
        self.asked += 1
        self.hits += 1
        if self.draws:
            self._hang(option, cython.cast(cython.uint, self.record[state, self.words]))
            self.first_pending[level] = self.n_pending
        else:
            self._add(level - 1, self.record, state, self.words)
            self.covers = COUNTLESS if self.digits > 1 else self._counted(self.record[state, self.words])
        return True

    def remember(self, level):
        """Makes the key, which has just been looked up in vain, that of the state of this level."""
        state = self.n_states
        self.n_states += 1
        self.asked += 1
        self.table[self.free] = (self.tag << 32) | cython.cast(cython.ulonglong, self.n_states)
        for k in range(self.words):
            self.record[state, k] = self.key[k]
        self.at[level] = cython.cast(cython.int, state)

    def found(self, level, option):
        """An option of this level completes a cover, or -1: what is above the level is one."""
        if self.draws:
            self._hang(option, ALL)
            return
        self.covers = self._counted(1)
        self._add(level, self.one, 0, 0)

    def leave(self, level, option):
        """All covers below this level are known; the option is the one chosen above."""
        state = self.at[level]
        if self.draws:
            self._draw(level)
        if state >= 0:
            for w in range(self.digits):
                self.record[state, self.words + w] = self.sum[level, w]
            self.at[level] = -1
        if level == 0:
            return
        if self.draws:
            self._hang(option, cython.cast(cython.uint, self.sum[level, 0]))
        else:
            self._add(level - 1, self.sum, level, 0)
            for w in range(self.digits):
                self.sum[level, w] = 0

    # Its parts

    def is_far(self):
        """Tells whether the table is larger than a cache that answers at once, so that `expect` pays: 1 MB."""
        return self.slot_mask >= 1 << 17

    def expect(self):
        """Has the slot for the key fetched, since it will be looked up soon: that hid a tenth of a long search."""
        fetch(cython.address(self.table[self._hash() & self.slot_mask]))

    def _hash(self):
        """The tag of the key."""
        tag = self.key[0]
        for k in range(1, self.words):  # Marsaglia's xorshift between words, doi:10.18637/jss.v008.i14
            tag ^= tag << 13
            tag ^= tag >> 7
            tag ^= tag << 17
            tag ^= self.key[k]
        for _ in range(2):
            tag ^= tag << 13
            tag ^= tag >> 7
            tag ^= tag << 17
        return (tag ^ (tag >> 32)) & LOW

    def _find(self):
        """The state that has the key, or -1."""
        width = self.words
        tag = self._hash()
        slot = tag & self.slot_mask
        while True:
            entry = self.table[slot]
            if entry == 0:
                self.free, self.tag = slot, tag
                return -1
            if entry >> 32 == tag:
                state = cython.cast(cython.longlong, entry & LOW) - 1
                k: cython.int = 0
                while k < width and self.record[state, k] == self.key[k]:
                    k += 1
                if k == width:
                    return state
            slot = (slot + 1) & self.slot_mask

    def _add(self, level, numbers, row, column):
        """Adds a number, which stands in a row from a column on, to those found below a level."""
        carry: cython.ulonglong = 0
        for w in range(self.digits):
            carry += self.sum[level, w] + numbers[row, column + w]
            self.sum[level, w] = carry & LARGEST
            carry >>= DIGIT
        if self.sum[level, self.digits - 1] >> (DIGIT - 1):
            self.wide = True

    def _counted(self, some):
        """The covers found so far with some more."""
        return COUNTLESS if some >> 61 else min(self.covers + cython.cast(cython.longlong, some), COUNTLESS)

    def _draw(self, level):
        """Makes a node of the edges that wait, unless there are none; its number is the level's sum."""
        begin = self.first_pending[level]
        if self.n_pending == begin:
            self.sum[level, 0] = NONE
            return
        for k in range(begin, self.n_pending):
            self.edge_option[self.n_edges] = self.pending_option[k]
            self.edge_child[self.n_edges] = self.pending_child[k]
            self.n_edges += 1
        self.n_pending = begin
        self.sum[level, 0] = cython.cast(cython.uint, self.n_nodes)
        self.n_nodes += 1
        self.first_edge[self.n_nodes] = cython.cast(cython.int, self.n_edges)

    def _hang(self, option, child):
        """Another edge of the node of this level, unless it leads nowhere."""
        if child != NONE:
            self.pending_option[self.n_pending] = option
            self.pending_child[self.n_pending] = child
            self.n_pending += 1


def slots(states) -> int:
    """The slots of a table for so many states: a power of two, at least twice as many."""
    return 1 << (2 * int(states) - 1).bit_length()


def sized(array, rows, columns) -> np.ndarray:
    """A copy of another size, with anything in further rows, and zeros in further columns."""
    old = np.asarray(array)[: int(rows)]
    new = np.empty((int(rows), columns), dtype=old.dtype)
    new[: len(old), : old.shape[1]] = old
    new[: len(old), old.shape[1] :] = 0
    return new


def _longer(array, length) -> np.ndarray:
    """A copy of at least so many entries."""
    old = np.asarray(array)
    new = np.empty(max(int(length), len(old)), dtype=old.dtype)
    new[: len(old)] = old
    return new
