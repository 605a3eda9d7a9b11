# cython: language_level=3
"""Counting forwards in layers: each state is expanded once, when all ways to it are known, and forgotten.

A state is the set of covered items. Its first open item, in the order of the items, is covered by each of its options
in turn, and the number of ways to the state is added to the state that follows. States are in layers by their first
open item. No way leads back, so a layer is complete when all earlier layers are done (transfer matrices; frontier-based
search, Knuth, The Art of Computer Programming 4A, 7.1.4). Only a few layers are in memory, and nothing is undone.

An option is tried only at the first of its items. So an item that is covered several times has a layer for each of its
options; in this layer, earlier options are no longer tried.

With `draws`, a state has a number instead of the number of ways to it, and the edges of each expanded state are
recorded. Without the edges to dead ends, this is a decision diagram (`dlx.counting.drawing`).
"""

import cython
import numpy as np

from dlx import kernels

if not cython.compiled:
    from dlx.kernels import BUDGET_SPENT, EXHAUSTED, NO_ROOM
    from dlx.kernels.count.classes import lowest

    def bits_from(place) -> np.uint64:
        """Returns 64 bits from a position in a window, which may continue in the next word."""
        return np.uint64(0xFFFFFFFFFFFFFFFF << int(place & 63) & 0xFFFFFFFFFFFFFFFF)


DIGIT = cython.declare(cython.int, kernels.DIGIT)
LARGEST = cython.declare(cython.ulonglong, kernels.LARGEST)
LOW = cython.declare(cython.ulonglong, 0xFFFFFFFF)  # the lower half of a word
DEAD = cython.declare(cython.int, -1)
SEVERAL = cython.declare(cython.int, -2)
FULL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
NODE = cython.declare(cython.int, kernels.NODE)


def slots(states) -> int:
    """Returns the slots of a table for states: a power of two, at least twice their number."""
    return 1 << (2 * int(states) - 1).bit_length()


class Layers:
    """A search for the number of covers; `plan` is a `dlx.counting.layers.Plan`."""

    def __init__(self, plan, states: cython.int, draws: cython.bint = False) -> None:
        self.place, self.behind, self.needed = plan.place, plan.behind, plan.needed
        self.start, self.item_of, self.primary = plan.start, plan.item_of, plan.primary
        self.has, self.forbids, self.plus = plan.has, plan.forbids, plan.plus
        self.n_primary = self.place.shape[0]
        self.words = self.has.shape[1]
        self.window = np.zeros(self.words, dtype=np.uint64)
        self.head = np.zeros(self.start[self.n_primary] + 1, dtype=np.int32)
        self.ceiling = self.head.shape[0] - 1
        self.digits = 1
        self.wide = False
        self.n_states = self.hits = self.nodes = self.updates = 0
        self.draws, self.n_reached, self.n_lines, self.heading = draws, 1, 0, 0
        self.line_option, self.line_node = np.empty(2, dtype=np.int32), np.empty(2, dtype=np.uint32)
        self.record = np.zeros((2, self.words + 2), dtype=np.uint64)
        self.item = self.option = 0
        self.state = -1
        nothing = np.zeros((1, self.words + 2), dtype=np.uint64)
        nothing[0, 0], nothing[0, -1] = plan.first_layer << 32, 1
        self.load(nothing, states)

    # Input and output between two runs

    def run(self, nodes: cython.longlong, updates: cython.longlong) -> int:
        """Expands states until none is below the ceiling (EXHAUSTED), the budget is spent, or there is NO_ROOM."""
        with cython.nogil:
            status = self._run(self.nodes + nodes, self.updates + updates)
        return status

    def capacity(self) -> int:
        """Returns the number of states for which there is room."""
        return self.record.shape[0]

    def takes(self, states: cython.longlong) -> int:
        """Returns the bytes of the arrays with room for `states` states."""
        return 8 * (states * (1 + self.words + self._width()) + slots(states))

    def ways(self) -> int:
        """Returns the number of covers found; if it draws, the number of the last state, or 0."""
        last = self.head[self.head.shape[0] - 1] - 1
        if last < 0:
            return 0
        digits = np.asarray(self.record)[last, 1 + self.words :].tolist()
        return sum(digit << DIGIT * place for place, digit in enumerate(digits))

    def states(self) -> np.ndarray:
        """Returns the records of states not yet expanded; the current state is first, if there is one."""
        entries = np.asarray(self.table)
        found = (entries[entries > 0] & 0xFFFFFFFF).astype(np.int64) - 1
        return np.asarray(self.record)[found if self.state < 0 else np.append(self.state, found)]

    def rest(self) -> np.ndarray:
        """Returns the records of all states; the current state is in the layer of its untried options."""
        rows = self.states()
        if self.state >= 0:
            rows[0, 0] = cython.cast(cython.ulonglong, self.option + self.item) << 32
        return rows

    def load(self, rows, states: cython.longlong) -> None:
        """Replaces all states by rows, and makes room for `states`; a current state is the first row."""
        given = len(rows)
        self.digits = max(self.digits, rows.shape[1] - 1 - self.words)
        record = np.zeros((max(int(states), given + 1), 1 + self.words + self._width()), dtype=np.uint64)
        table = np.zeros(slots(len(record)), dtype=np.uint64)
        record[:given, : rows.shape[1]] = rows
        self.record, self.table = record, table
        self.slot_mask = self.table.shape[0] - 1
        self.digits, self.wide = self._width(), False
        self.head[:] = 0
        self.live = given
        self.layer = self.head.shape[0] - 1
        if self.state >= 0:
            self.state = 0
        with cython.nogil:
            self._enter(given)

    def merge(self, rows: cython.const[cython.ulonglong][:, ::1], first: cython.Py_ssize_t) -> int:
        """Adds states from a row on, if there is no current state; returns the first row without room."""
        with cython.nogil:
            row = self._merge(rows, first)
        return row

    def _enter(self, given):
        """Adds the first records to their layers, and frees the others."""
        for s in range(given):
            self.layer = min(self.layer, cython.cast(cython.int, self.record[s, 0] >> 32))
            if s != self.state:
                self._insert(cython.cast(cython.int, s))
        self.item = 0
        self._seek_item()
        self.vacant = 0
        for s in range(self.record.shape[0] - 1, given - 1, -1):
            self._free(cython.cast(cython.int, s))

    def lines(self) -> tuple:
        """Returns the options and the nodes of all lines, and the free room after the lines."""
        return np.asarray(self.line_option), np.asarray(self.line_node)

    def write_in(self, options, nodes) -> None:
        """Replaces the arrays of lines by longer ones with the same lines."""
        self.line_option, self.line_node = options, nodes

    def _merge(self, rows, first):
        if self.vacant == 0:
            return first
        self.state = self.vacant - 1
        self.vacant = cython.cast(cython.int, self.record[self.state, 0] & LOW)
        for k in range(first, rows.shape[0]):
            for w in range(self.words):
                self.window[w] = rows[k, 1 + w]
            for w in range(self.digits):
                self.record[self.state, 1 + self.words + w] = 0
            for w in range(1 + self.words, rows.shape[1]):
                self.record[self.state, w] = rows[k, w]
            if not self._reach(cython.cast(cython.int, rows[k, 0] >> 32)):
                break
            self.layer = min(self.layer, cython.cast(cython.int, rows[k, 0] >> 32))
        else:
            k = rows.shape[0]
        self._free(self.state)
        self.state = -1
        self.item = 0
        self._seek_item()
        return k

    def _seek_item(self):
        """Advances to the item of the current layer."""
        while self.item < self.n_primary and self.start[self.item + 1] <= self.layer:
            self.item += 1

    def _width(self):
        """Returns the number of digits that numbers of ways need."""
        return self.digits + self.wide * (1 + self.digits // 2)

    # The search

    def _run(self, nodes, updates):
        while True:
            if self.state < 0 and not self._take():
                return EXHAUSTED
            end = self.start[self.item + 1] - self.item - 1
            while self.option < end:
                if self.nodes >= nodes or self.updates >= updates:
                    return BUDGET_SPENT
                if self._fits():
                    if not self._choose():
                        return NO_ROOM
                    self.nodes += 1
                self.updates += 1
                self.option += 1
            if not self._leave():
                return NO_ROOM
            if self.draws:
                self._end_node()
            self._free(self.state)
            self.live -= 1
            self.state = -1

    def _take(self):
        """Takes a state of the first nonempty layer; returns False if no layer is below the ceiling."""
        while self.layer < self.ceiling and self.head[self.layer] == 0:
            self.layer += 1
        if self.layer >= self.ceiling:
            return False
        self._seek_item()
        self.state = self.head[self.layer] - 1
        self.head[self.layer] = cython.cast(cython.int, self.record[self.state, 0] & LOW)
        self._forget(self.state)
        self.option = self.layer - self.item
        self.n_states += 1
        if self.draws:
            self.heading = self.n_lines
            self._write(NODE, self.state)
        return True

    def _fits(self):
        """Returns whether the option fits the state."""
        w: cython.int = 0
        while w < self.words and self.record[self.state, 1 + w] & self.forbids[self.option, w] == 0:
            w += 1
        return w == self.words

    def _choose(self):
        """Adds the state after the option; returns False without room."""
        for w in range(self.words):
            self.window[w] = self.record[self.state, 1 + w]
        self._cover(self.option)
        return self._arrive(self.place[self.item])

    def _cover(self, option):
        """Adds an option to the window; the bits of a counted item are filled from below: + 1 sets the next bit."""
        for w in range(self.words):
            covered = self.window[w]
            self.window[w] = covered | self.has[option, w]
            if self.plus.shape[0]:
                self.window[w] |= covered + self.plus[option, w]

    def _leave(self):
        """Adds the state in which the item gets no other option, if there is one; returns False without room."""
        b = cython.cast(cython.int, self.needed[self.item])  # a cast keeps numpy's int32 out of interpreted shifts
        if b >= 0 and not (self.record[self.state, 1 + (b >> 6) - (self.place[self.item] >> 6)] >> (b & 63)) & 1:
            return True
        for w in range(self.words):
            self.window[w] = self.record[self.state, 1 + w]
        return self._arrive(self.behind[self.item])

    def _arrive(self, since):
        """Adds the state of the window; returns False without room.

        Its first open item has its bits from `since` on. An item with a single option is covered at once, and dead ends
        are not stored: tetrominoes on 10 x 10 have 7 million states instead of 20 million.
        """
        base = self.item
        while True:
            item = self._first_open(since, base)
            if item == self.n_primary:
                return self._reach(self.start[item])
            if item == self.item and base == item:
                return self._reach(self.option + 1 + item)
            if self.needed[item] < 0 or self.behind[item] - self.place[item] > 1:
                return self._reach(self.start[item])
            only = self._only(item)
            if only < 0 or self.draws:
                return only == DEAD or self._reach(self.start[item])
            self._cover(only)
            since = self.place[item]
            base = item

    def _first_open(self, since, base):
        """Returns the first open item, and moves the window from the word of item `base` to that of the open item."""
        begin = self.place[base] >> 6
        w = since >> 6
        open = self.primary[w] & bits_from(since)
        if w < begin + self.words:
            open &= self.window[w - begin] ^ FULL
        while open == 0 and w + 1 < self.primary.shape[0]:
            w += 1
            open = self.primary[w]
            if w < begin + self.words:
                open &= self.window[w - begin] ^ FULL
        if open == 0:
            for v in range(self.words):
                self.window[v] = 0
            return self.n_primary
        item = self.item_of[64 * w + lowest(open)]
        w = (self.place[item] >> 6) - begin
        if w:
            for v in range(self.words):
                self.window[v] = self.window[v + w] if v + w < self.words else 0
        self.window[0] &= bits_from(self.place[item])
        return item

    def _only(self, item):
        """Returns the only option of an item that fits the window, or DEAD, or SEVERAL."""
        only = DEAD
        words = self.words
        nearest = self.window[0]
        begin = self.start[item] - item
        for o in range(begin, self.start[item + 1] - item - 1):
            if nearest & self.forbids[o, 0]:
                continue
            w: cython.int = 1
            while w < words and self.window[w] & self.forbids[o, w] == 0:
                w += 1
            if w < words:
                continue
            if only >= 0:
                only = SEVERAL
                break
            only = o
        self.updates += cython.cast(cython.int, self.start[item + 1] - item - 1 - begin)
        return only

    def _reach(self, layer):
        """Adds the ways of the current state to the state of the window in a layer; returns False without room."""
        if self.wide or (self.draws and self.n_lines + 1 >= self.line_node.shape[0]):
            return False
        tag = self._hash(layer)
        slot = tag & self.slot_mask
        while True:
            entry = self.table[slot]
            if entry == 0:
                break
            if entry >> 32 == tag:
                s = cython.cast(cython.int, (entry & LOW) - 1)
                w: cython.int = 0
                while w < self.words and self.record[s, 1 + w] == self.window[w]:
                    w += 1
                if w == self.words and self.record[s, 0] >> 32 == cython.cast(cython.ulonglong, layer):
                    self.hits += 1
                    self._lead_to(s)
                    return True
            slot = (slot + 1) & self.slot_mask
        if self.vacant == 0:
            return False
        s = self.vacant - 1
        self.vacant = cython.cast(cython.int, self.record[s, 0] & LOW)
        self._hang(s, layer)
        for w in range(self.words):
            self.record[s, 1 + w] = self.window[w]
        for w in range(self.digits):
            self.record[s, 1 + self.words + w] = 0
        if self.draws:
            self.n_reached += 1
            self.record[s, 1 + self.words] = self.n_reached
        self.table[slot] = (tag << 32) | cython.cast(cython.ulonglong, s + 1)
        self.live += 1
        self._lead_to(s)
        return True

    def _lead_to(self, state):
        """Adds the ways of the current state to another state, or writes an edge to it."""
        if not self.draws:
            self._add(state)
        elif self.option < self.start[self.item + 1] - self.item - 1:
            self._write(self.option, state)
        else:
            self._write(-1, state)

    def _write(self, option, state):
        """Writes a line, for which there is room: an edge to a state, or NODE and the state whose edges follow."""
        self.line_option[self.n_lines] = option
        self.line_node[self.n_lines] = cython.cast(cython.uint, self.record[state, 1 + self.words])
        self.n_lines += 1

    def _end_node(self):
        """Reverses the edges of a node, since lines are read backwards; removes the line of a node without edges."""
        first = self.heading + 1
        last = self.n_lines - 1
        if first > last:
            self.n_lines = self.heading
        while first < last:
            self.line_option[first], self.line_option[last] = self.line_option[last], self.line_option[first]
            self.line_node[first], self.line_node[last] = self.line_node[last], self.line_node[first]
            first += 1
            last -= 1

    def _add(self, state):
        """Adds the ways of the current state to the ways of another state."""
        carry: cython.ulonglong = 0
        for w in range(1 + self.words, 1 + self.words + self.digits):
            carry += self.record[state, w] + self.record[self.state, w]
            self.record[state, w] = carry & LARGEST
            carry >>= DIGIT
        if self.record[state, self.words + self.digits] >> (DIGIT - 1):
            self.wide = True

    def _hash(self, layer):
        """Returns the hash of the window in a layer."""
        tag = self.window[0]
        for w in range(1, self.words):  # Marsaglia's xorshift between words, doi:10.18637/jss.v008.i14
            tag ^= tag << 13
            tag ^= tag >> 7
            tag ^= tag << 17
            tag ^= self.window[w]
        tag ^= cython.cast(cython.ulonglong, layer) << 40
        for _ in range(2):
            tag ^= tag << 13
            tag ^= tag >> 7
            tag ^= tag << 17
        return (tag ^ (tag >> 32)) & LOW

    def _insert(self, state):
        """Adds a record, whose state is new, to the table and to its layer."""
        layer = cython.cast(cython.int, self.record[state, 0] >> 32)
        for w in range(self.words):
            self.window[w] = self.record[state, 1 + w]
        tag = self._hash(layer)
        slot = tag & self.slot_mask
        while self.table[slot]:
            slot = (slot + 1) & self.slot_mask
        self.table[slot] = (tag << 32) | cython.cast(cython.ulonglong, state + 1)
        self._hang(state, layer)

    def _hang(self, state, layer):
        """Adds a record at the head of a layer."""
        self.record[state, 0] = cython.cast(cython.ulonglong, layer) << 32
        self.record[state, 0] |= cython.cast(cython.ulonglong, self.head[layer])
        self.head[layer] = state + 1

    def _forget(self, state):
        """Removes a state from the table, and closes the gap (Knuth, TAOCP 3, 6.4, algorithm R)."""
        for w in range(self.words):
            self.window[w] = self.record[state, 1 + w]
        hole = self._hash(self.layer) & self.slot_mask
        while self.table[hole] & LOW != cython.cast(cython.ulonglong, state + 1):
            hole = (hole + 1) & self.slot_mask
        slot = hole
        while True:
            slot = (slot + 1) & self.slot_mask
            entry = self.table[slot]
            if entry == 0:
                break
            if self._behind(slot, (entry >> 32) & self.slot_mask) >= self._behind(slot, hole):
                self.table[hole] = entry
                hole = slot
        self.table[hole] = 0

    def _behind(self, slot, other):
        """Returns the distance from another slot to this slot, cyclically."""
        return (slot + self.slot_mask + 1 - other) & self.slot_mask

    def _free(self, state):
        """Frees a record."""
        self.record[state, 0] = self.vacant
        self.vacant = state + 1

    def check(self) -> None:
        """Raises an AssertionError that names a broken invariant; for tests, between two runs."""
        record, table = np.asarray(self.record), np.asarray(self.table)
        entered = [(int(slot), int(entry)) for slot, entry in enumerate(table) if entry]
        seen = []
        for layer, first in enumerate(np.asarray(self.head).tolist()):
            assert not first or layer >= self.layer, f"layer {layer} is before {self.layer}"
            while first:
                assert int(record[first - 1, 0]) >> 32 == layer, f"state {first - 1} is not of layer {layer}"
                seen.append(first)
                first = int(record[first - 1, 0]) & 0xFFFFFFFF
        assert sorted(seen) == sorted(entry & 0xFFFFFFFF for _, entry in entered), "table and layers differ"
        for slot, entry in entered:
            place = entry >> 32 & int(self.slot_mask)
            while place != slot:
                assert table[place], f"slot {slot} is not found from {entry >> 32 & int(self.slot_mask)}"
                place = (place + 1) & int(self.slot_mask)
        assert self.live == len(seen) + (self.state >= 0), f"{self.live} states are live, not {len(seen)}"
        free, vacant = 0, int(self.vacant)
        while vacant:
            free, vacant = free + 1, int(record[vacant - 1, 0]) & 0xFFFFFFFF
        assert free + self.live == len(record), f"{free} of {len(record)} records are free"
