# cython: language_level=3
"""The core: the innermost part of a search, where few options are live.

A state is a set of live options, and the size of each active item: the number of its live options. Each active item
has a *lane*, which is its place in all sets of items. The sizes are bit-sliced (TAOCP 4A, 7.1.3): bit k of plane p is
binary digit p of the size of the item of lane k. If an option is chosen, each option that clashes with it leaves the
set, and is subtracted from all sizes at once, with a borrow from plane to plane. A covered item has ones in all planes,
so it is never the smallest. Secondary items and colours only decide which options clash; the state does not contain
them.

`bits` and `links` hand over to the core when few options but many items are left. The core branches on the first of the
smallest items, and tries its options in the order in which they were added. Its search depends on these options and
items alone, so a mark need not say whether the search is in the core.
"""

import cython
import numpy as np

from dlx.kernels.cover.frame import Frame

if not cython.compiled:
    from dlx.kernels import EXHAUSTED

    ENDED, SPENT, FOUND = range(3)
    LEFT, LANES, MOST_PLANES = -1, 256, 8

    def first_bit(word) -> int:
        """Returns the index of the lowest set bit of a word."""
        return (int(word) & -int(word)).bit_length() - 1


COVERED = 255  # the size of a covered item
MOST_LIVE = 250  # options in a core: they fit in four words, and sizes stay below COVERED
FEW = 3  # the core has one word if options have at most 3 primary items on average


class Core:
    """A search among a few options of a problem, which are added before it begins.

    Parameters:
        rows: the problem, a `dlx.problem.roles.Rows`.
        most: the largest number of options at a time.
        depth: the most options of a path.
    """

    def __init__(self, rows, most: cython.int, depth: cython.int) -> None:
        n_items, n_keys = rows.n_items, rows.n_items
        self.indptr, self.indices = rows.indptr, rows.indices
        self.n_items, self.n_primary = rows.n_items, rows.n_primary
        self.key = rows.indices
        if rows.colours is not None:
            pairs = rows.indices.astype(np.int64) << 32 | rows.colours
            distinct, place = np.unique(pairs, return_inverse=True)
            self.key = np.where(rows.colours > 0, n_items + place, rows.indices).astype(np.int32)
            n_keys += len(distinct)
        room: cython.int = max(1, most)
        words: cython.int = (room + 63) // 64
        levels: cython.int = max(1, min(room, depth))
        lanes: cython.int = 64 if rows.n_primary <= 64 else LANES
        ints: cython.int[::1] = np.empty(n_items + room + 2 * (levels + lanes), dtype=np.int32)
        self.lane, ints = ints[:n_items], ints[n_items:]
        self.option, ints = ints[:room], ints[room:]
        self.chosen, self.branch, ints = ints[:levels], ints[levels : 2 * levels], ints[2 * levels :]
        self.item, self.uses = ints[:lanes], ints[lanes:]
        sets: cython.ulonglong[::1] = np.empty((n_keys + lanes + room + 2 * levels) * words, dtype=np.uint64)
        self.sets, sets = sets[: n_keys * words], sets[n_keys * words :]
        self.users, sets = sets[: lanes * words], sets[lanes * words :]
        self.conflict, sets = sets[: room * words], sets[room * words :]
        self.live, self.todo = sets[: levels * words], sets[levels * words :]
        width: cython.int = lanes // 64
        sets = aligned(8 * width * (room + MOST_PLANES * levels)).view(np.uint64)
        self.has, self.size = sets[: room * width], sets[room * width :]
        self.words = words
        self.n = self.n_lanes = self.width = self.planes = self.level = 0
        self.nodes = self.covers = self.updates = 0

    def clear(self, room):
        """Removes all options and items, and makes room for options."""
        self.words = (room + 63) // 64
        self.n = self.n_lanes = 0

    def add_item(self, i):
        """Adds an active primary item. Items are added in ascending order, before all options."""
        self.lane[i] = self.n_lanes
        self.item[self.n_lanes] = i
        self.uses[self.n_lanes] = 0
        self.n_lanes += 1
        for w in range(self.words):
            self.sets[i * self.words + w] = 0

    def add_option(self, o):
        """Adds a live option."""
        self.option[self.n] = o
        self.n += 1
        if self.n_items == self.n_primary:
            return
        for e in range(self.indptr[o], self.indptr[o + 1]):
            if self.indices[e] >= self.n_primary:
                for w in range(self.words):
                    self.sets[self.indices[e] * self.words + w] = self.sets[self.key[e] * self.words + w] = 0

    def begin(self):
        """Begins the search for all covers of the items that have been added. Every item must have an option."""
        one: cython.ulonglong = 1
        self.width = 1 if self.n_lanes <= 64 else 4
        self._count()
        self._find_conflicts()
        for k in range(self.n_lanes):
            for w in range(self.words):
                self.users[k * self.words + w] = self.sets[self.item[k] * self.words + w]
        for w in range(self.words):
            self.live[w] = 0
        for j in range(self.n):
            self.live[j >> 6] |= one << (j & 63)
        self.level = 0
        most: cython.int = 0
        for k in range(self.n_lanes):
            most = max(most, self.uses[k])
        # core.h has a function for each of these numbers of planes.
        self.planes = 3 if most < 7 else 4 if most < 15 else 5 if most < 31 else MOST_PLANES
        self._store(0)

    def _count(self):
        """Fills `has`, `uses`, and the sets of the items."""
        one: cython.ulonglong = 1
        for k in range(self.n * self.width):
            self.has[k] = 0
        for j in range(self.n):
            o = self.option[j]
            w = j >> 6
            for e in range(self.indptr[o], self.indptr[o + 1]):
                i = self.indices[e]
                self.sets[i * self.words + w] |= one << (j & 63)
                if self.key[e] != i:
                    self.sets[self.key[e] * self.words + w] |= one << (j & 63)
                if i < self.n_primary:
                    k = cython.cast(cython.int, self.lane[i])
                    self.has[j * self.width + (k >> 6)] |= one << (k & 63)
                    self.uses[k] += 1

    def _store(self, level):
        """Stores `uses` as the sizes of a level, and makes the smallest item the item of the level."""
        ones: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        best: cython.int = 0
        first = level * self.planes * self.width
        for k in range(self.planes * self.width):
            self.size[first + k] = ones
        for k in range(self.n_lanes):
            best = k if self.uses[k] < self.uses[best] else best
            zeros = cython.cast(cython.int, ~self.uses[k])
            for p in range(self.planes):
                bit = cython.cast(cython.ulonglong, zeros >> p & 1) << (k & 63)
                self.size[first + p * self.width + (k >> 6)] ^= bit
        self._enter(level, best)

    def _find_conflicts(self):
        """Fills `conflict`: options clash on an item that they share, unless both give it the same colour."""
        clash: cython.ulonglong
        for j in range(self.n):
            o = self.option[j]
            for w in range(self.words):
                clash = 0
                for e in range(self.indptr[o], self.indptr[o + 1]):
                    p = self.indices[e] * self.words + w
                    q = self.key[e] * self.words + w
                    clash |= self.sets[p] if p == q else self.sets[p] & ~self.sets[q]
                self.conflict[j * self.words + w] = clash

    def _enter(self, level, lane):
        """Branches on the item of a lane at a level."""
        self.branch[level] = lane
        for w in range(self.words):
            self.todo[level * self.words + w] = self.live[level * self.words + w] & self.users[lane * self.words + w]

    def _first(self, level):
        """Returns the option to be tried next on a level, as an index in the core; -1 if none is left."""
        for w in range(self.words):
            if self.todo[level * self.words + w]:
                return 64 * w + first_bit(self.todo[level * self.words + w])
        return -1

    def run(self, base, limit, most):
        """Continues the search.

        Parameters:
            base: the search ends when this level has no option left to try.
            limit: the largest number of nodes to try.
            most: the largest number of covers to find, at least one.

        Returns:
            ENDED: level `base` has no option left. SPENT: the limit of nodes has been reached. FOUND: `most` covers are
            found; the options of the last one are `chosen`, from level 0 to the current one.
        """
        if cython.compiled:
            c = cython.declare(dlx_core)  # noqa: F821
            c.conflict, c.users = cython.address(self.conflict[0]), cython.address(self.users[0])
            c.live, c.todo = cython.address(self.live[0]), cython.address(self.todo[0])
            c.has, c.size = cython.address(self.has[0]), cython.address(self.size[0])
            c.chosen, c.branch = cython.address(self.chosen[0]), cython.address(self.branch[0])
            c.planes = self.planes
            c.words, c.width, c.level, c.base = self.words, self.width, self.level, base
            c.limit, c.most = limit, most
            status = dlx_core_run(cython.address(c))  # noqa: F821
            self.level, self.nodes, self.covers, self.updates = c.level, c.nodes, c.covers, c.updates
        else:
            status = self._search(base, limit, most)
        return status

    def _search(self, base: cython.int, limit: cython.longlong, most: cython.longlong) -> int:
        """The search of core.h in plain Python: back up, try, count, enter."""
        live = np.asarray(self.live).reshape(-1, self.words)
        conflict = np.asarray(self.conflict).reshape(-1, self.words)
        self.nodes = self.covers = self.updates = 0
        while True:
            level = self.level
            j = self._first(level)
            if j < 0:  # back up
                if level == base:
                    return ENDED
                self.level -= 1
                continue
            if self.nodes >= limit:
                return SPENT
            self.nodes += 1  # try
            self.skip()
            self.chosen[level] = j
            self._load(level)  # count
            rest = live[level] & ~conflict[j]
            alive = self._members(self.live, level, self.words)
            gone = [k for k in self._members(self.conflict, j, self.words) if k in alive]
            self.updates += len(gone)
            for option in gone:
                for k in self._members(self.has, option, self.width):
                    self.uses[k] -= 1
            for k in self._members(self.has, j, self.width):
                self.uses[k] = COVERED
            if np.asarray(self.uses)[: self.n_lanes].min() == 0:
                continue
            if not rest.any():  # a cover
                self.covers += 1
                if self.covers == most:
                    return FOUND
                continue
            self.level += 1  # enter
            live[level + 1] = rest
            self._store(level + 1)

    def branching(self, level):
        """Returns the item of a level."""
        return self.item[self.branch[level]]

    def upcoming(self):
        """Returns the option to be tried next, as the problem numbers it."""
        return self.option[self._first(self.level)]

    def skip(self):
        """Skips the option to be tried next; returns False if no other one follows."""
        for w in range(self.words):
            p = self.level * self.words + w
            if self.todo[p]:
                self.todo[p] &= self.todo[p] - 1
                break
        return self._first(self.level) >= 0

    def branches(self, level: cython.int) -> tuple:
        """Returns how many options of a level have been tried, and how many it has."""
        width: cython.int = 0
        left: cython.int = 0
        for w in range(self.words):
            p = level * self.words + w
            width += popcount(self.live[p] & self.users[self.branch[level] * self.words + w])
            left += popcount(self.todo[p])
        return width - left, width

    def check(self, options: list, items: list) -> None:
        """Raises an AssertionError that names a broken invariant.

        Parameters:
            options: the live options when the core began.
            items: the active primary items then, in ascending order.
        """
        held = sorted(np.asarray(self.option)[: self.n].tolist())
        assert held == options, f"the options of the core are {held}, not {options}"
        assert np.asarray(self.item)[: self.n_lanes].tolist() == items, "the items of the core are not the active ones"
        entries = [self._entries(o) for o in np.asarray(self.option)[: self.n]]
        for j, one in enumerate(entries):
            clashing = [k for k, two in enumerate(entries) if _clash(one, two)]
            assert self._members(self.conflict, j, self.words) == clashing, f"conflict of option {j} is not {clashing}"
        live = list(range(self.n))
        for level in range(self.level + 1):
            assert self._members(self.live, level, self.words) == live, f"live on level {level} is not {live}"
            self._check_level(level, live, entries, items)
            j = int(self.chosen[level])
            if level < self.level:
                assert j in live, f"chosen[{level}] clashes with an option chosen before"
                items = [i for i in items if i not in entries[j]]
                live = [k for k in live if not _clash(entries[j], entries[k])]

    def _check_level(self, level: cython.int, live: list, entries: list, items: list) -> None:
        """Checks the sizes of a level, its item, and the options still to be tried."""
        sizes = {i: sum(i in entries[j] for j in live) for i in items}
        self._load(level)
        held = {int(self.item[k]): int(self.uses[k]) for k in range(self.n_lanes) if self.uses[k] != COVERED}
        assert held == sizes, f"size on level {level} is {held}, not {sizes}"
        item = min(sizes, key=lambda i: (sizes[i], i))
        assert self.branching(level) == item, f"the item of level {level} is {self.branching(level)}, not {item}"
        users = [j for j in live if item in entries[j]]
        todo = self._members(self.todo, level, self.words)
        assert todo == users[len(users) - len(todo) :], f"todo on level {level} is not the rest of {users}"

    def _load(self, level: cython.int) -> None:
        """Sets `uses` to the sizes of a level, and to `COVERED` for covered items."""
        sizes = [0] * (64 * self.width)
        for p in range(self.planes):
            for k in self._members(self.size, level * self.planes + p, self.width):
                sizes[k] += 1 << p
        covered = (1 << self.planes) - 1
        assert set(sizes[self.n_lanes :]) <= {covered}, f"size on level {level} has a lane without an item"
        for k in range(self.n_lanes):
            self.uses[k] = COVERED if sizes[k] == covered else sizes[k]

    def _entries(self, o: cython.int) -> dict:
        """Returns the items of an option, each with its key."""
        return {int(self.indices[e]): int(self.key[e]) for e in range(self.indptr[o], self.indptr[o + 1])}

    def _members(self, sets, row: cython.int, words: cython.int) -> list:
        """Returns the options or lanes in one set, which is a row of `sets`."""
        numbers = np.asarray(sets)[row * words :][:words].tolist()
        return [64 * w + j for w, number in enumerate(numbers) for j in range(64) if number >> j & 1]


def _clash(one: dict, other: dict) -> bool:
    """Returns whether two options, as items with their keys, clash."""
    return any(i in other and (other[i] != key or key == i) for i, key in one.items())


class Shell(Frame):
    """A search that hands over to a core when few options but many items are left.

    Parameters:
        rows, buffer, depth: as for `Frame`.
    """

    def __init__(self, rows, buffer, depth: cython.int) -> None:
        Frame.__init__(self, rows, buffer, depth)
        entries = len(rows.indices) / max(1, rows.n_options)
        primary = entries
        if rows.n_primary < rows.n_items:
            primary = np.count_nonzero(rows.indices < rows.n_primary) / max(1, rows.n_options)
        self.most_live = min(64 if primary <= FEW else MOST_LIVE, rows.n_options)
        self.entry = -1
        self.core_updates = 0
        self.core = None
        self._rows = rows
        # With fewer items, a search has too few nodes to repay the start of a core.
        self.least_items = 1 + int(min(LANES, entries * primary * max(1.6, 0.6 * primary)))

    def _equip(self) -> None:
        """Makes the core at its first use, since this takes as long as some hundred nodes."""
        if self.core is None:
            self.core = Core(self._rows, self.most_live, self.buffer.shape[1])

    def _suits_core(self, items):
        """Returns whether a state with few options and this number of active primary items suits the core."""
        return self.least_items <= items <= LANES

    def _core_branches(self, level: cython.int) -> tuple:
        """`_branches` for a level in the core."""
        tried, width = self.core.branches(level - self.entry)
        return tried - (level < self.level), width  # the option tried last is still open

    def _inside(self):
        """Continues the search in the core; returns a reason to stop, as `_run` does, or LEFT."""
        base: cython.int = max(0, self.base - self.entry)
        is_listing: cython.bint = self.buffer.shape[0] > 0
        while True:
            stops: cython.bint = self.covers >= self.cover_limit or self.updates >= self.update_limit
            most: cython.longlong = 1 if is_listing else self.cover_limit - self.covers
            status = self.core.run(base, 0 if stops else self.node_limit - self.nodes, most)
            self.nodes += self.core.nodes
            self.updates += self.core.updates
            self.core_updates += self.core.updates
            if status != FOUND:
                break
            if is_listing:
                self._note(self.core.level + 1)
                self._emit(self.entry + self.core.level + 1)
            else:
                self.covers += self.core.covers
        self.covers += self.core.covers
        self.level = self.entry + self.core.level
        if status == SPENT:
            self._note(self.core.level)
            return self._spent()
        if base == 0:
            self.entry = -1
            return LEFT
        self.level -= 1
        return EXHAUSTED

    def _note(self, size):
        """Appends the first `size` options chosen in the core to those chosen outside."""
        for k in range(size):
            self.chosen[self.entry + k] = self.core.option[self.core.chosen[k]]


def popcount(word):
    """Returns the number of ones of a word."""
    number: cython.int = 0
    while word:
        word &= word - 1
        number += 1
    return number


def aligned(size: int) -> np.ndarray:
    """Returns an uninitialised array of bytes at an address that is a multiple of 64."""
    room = np.empty(size + 63, dtype=np.uint8)
    start = -room.__array_interface__["data"][0] % 64  # `ctypes` takes longer
    return room[start : start + size]
