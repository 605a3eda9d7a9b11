# cython: language_level=3
"""The core: the innermost part of a search, where few options are live.

A state is a set of live options, a bit for each, and a byte for each active item: the number of its live options. If an
option is chosen, the options that clash with it leave the set and the bytes. The chosen option is subtracted twice, so
the bytes of its items wrap from 0 to 255, and a covered item is never the smallest. Secondary items and colours only
decide which options clash; the state does not contain them.

`bits` and `links` hand over to the core when few options but many items are left. The core branches on the first of the
smallest items, and tries its options in the order in which they were added. Its search depends on these options and
items alone, so a mark does not show whether the search is in the core.
"""

import cython
import numpy as np

from dlx.kernels.cover.frame import Frame

if not cython.compiled:
    from dlx.kernels import EXHAUSTED

    ENDED, SPENT, FOUND = range(3)
    LEFT, LANES = -1, 256

    def first_bit(word) -> int:
        """Returns the place of the lowest one of a word."""
        return (int(word) & -int(word)).bit_length() - 1


MOST_LIVE = 250  # options in a core: four words, and a size is less than 255
FEW = 3  # the core has one word if options have at most 3 primary items on average


class Core:
    """A search among a few options of a problem, which are added before it begins.

    Parameters:
        rows: the problem, a `dlx.problem.roles.Rows`.
        most: the most options at a time.
        depth: the most options of a path.
    """

    def __init__(self, rows, most: cython.int, depth: cython.int) -> None:
        n_items, n_keys = rows.n_items, rows.n_items
        self.indptr, self.indices, self.n_primary = rows.indptr, rows.indices, rows.n_primary
        self.key = rows.indices
        if rows.colours is not None:
            pairs = rows.indices.astype(np.int64) << 32 | rows.colours
            distinct, place = np.unique(pairs, return_inverse=True)
            self.key = np.where(rows.colours > 0, n_items + place, rows.indices).astype(np.int32)
            n_keys += len(distinct)
        room = max(1, most)
        self.words = words = (room + 63) // 64
        levels = min(room, depth) + 1  # the last one is written, never entered
        lanes = min(LANES, -(-max(1, rows.n_primary) // 32) * 32)
        self.sets = np.empty(n_keys * words, dtype=np.uint64)
        self.lane = np.empty(n_items, dtype=np.int32)
        self.option, self.chosen = np.empty(room, dtype=np.int32), np.empty(levels, dtype=np.int32)
        self.item = np.empty(lanes, dtype=np.int32)
        self.users = np.empty(lanes * words, dtype=np.uint64)
        self.conflict = np.empty(room * words, dtype=np.uint64)
        self.live, self.todo = np.empty((2, levels * words), dtype=np.uint64)
        rows_of_bytes = aligned((room + levels) * lanes)
        self.has, self.size = rows_of_bytes[: room * lanes], rows_of_bytes[room * lanes :]
        self.n = self.n_lanes = self.width = self.level = 0
        self.nodes = self.covers = self.updates = 0

    def clear(self, room):
        """Removes all options and items, and makes room for options."""
        self.words = (room + 63) // 64
        self.n = self.n_lanes = 0

    def add_item(self, i):
        """Adds an active primary item. Items come in ascending order, and before the options."""
        self.lane[i] = self.n_lanes
        self.item[self.n_lanes] = i
        self.n_lanes += 1

    def add_option(self, o):
        """Adds a live option."""
        self.option[self.n] = o
        self.n += 1
        for e in range(self.indptr[o], self.indptr[o + 1]):
            for w in range(self.words):
                self.sets[self.indices[e] * self.words + w] = 0
                self.sets[self.key[e] * self.words + w] = 0

    def begin(self):
        """Begins the search for all covers of the items that have been added; each of them has an option."""
        one: cython.ulonglong = 1
        self.width = (self.n_lanes + 31) // 32 * 32
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
        self._enter(0, self._least(0))

    def _count(self):
        """Fills `has`, the sizes of the root, and the sets of the items."""
        one: cython.ulonglong = 1
        self._fill(self.has, 0, self.n * self.width)
        self._fill(self.size, 255, self.width)
        self._fill(self.size, 0, self.n_lanes)
        for j in range(self.n):
            o = self.option[j]
            w = j >> 6
            for e in range(self.indptr[o], self.indptr[o + 1]):
                i = self.indices[e]
                self.sets[i * self.words + w] |= one << (j & 63)
                if self.key[e] != i:
                    self.sets[self.key[e] * self.words + w] |= one << (j & 63)
                if i < self.n_primary:
                    self.has[j * self.width + self.lane[i]] = 1
                    self.size[self.lane[i]] += 1

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

    def _fill(self, row, value, length):
        """Gives the first bytes of a row a value."""
        if cython.compiled:
            if length > 0:
                memset(cython.address(row[0]), value, length)  # noqa: F821
        else:
            row[:length] = value

    def _enter(self, level, lane):
        """Makes the item of a lane the item of a level."""
        for w in range(self.words):
            self.todo[level * self.words + w] = self.live[level * self.words + w] & self.users[lane * self.words + w]

    def _least(self, level):
        """Returns the lane of the first of the smallest items."""
        best: cython.int = 0
        p = level * self.width
        for k in range(1, self.n_lanes):
            if self.size[p + k] < self.size[p + best]:
                best = k
        return best

    def _first(self, level):
        """Returns the option to be tried next on a level; -1: none is left."""
        for w in range(self.words):
            if self.todo[level * self.words + w]:
                return 64 * w + first_bit(self.todo[level * self.words + w])
        return -1

    def run(self, base, limit, most):
        """Continues the search.

        Parameters:
            base: the search ends when it backs up to a level above this one.
            limit: the most nodes to try.
            most: the most covers to find, at least one.

        Returns:
            ENDED: no option is left. SPENT: the limit of nodes has been reached. FOUND: `most` covers have been found;
            the options of the last one are `chosen`, from level 0 to the current one.
        """
        if cython.compiled:
            c = cython.declare(dlx_core)  # noqa: F821
            c.conflict, c.users = cython.address(self.conflict[0]), cython.address(self.users[0])
            c.live, c.todo = cython.address(self.live[0]), cython.address(self.todo[0])
            c.has, c.size = cython.address(self.has[0]), cython.address(self.size[0])
            c.chosen = cython.address(self.chosen[0])
            c.words, c.width, c.level, c.base = self.words, self.width, self.level, base
            c.limit, c.most = limit, most
            status = dlx_core_run(cython.address(c))  # noqa: F821
            self.level, self.nodes, self.covers, self.updates = c.level, c.nodes, c.covers, c.updates
        else:
            status = self._search(base, limit, most)
        return status

    def _search(self, base: cython.int, limit: cython.longlong, most: cython.longlong) -> int:
        """The search of core.h in plain Python: back up, try, count, enter."""
        has = np.asarray(self.has)[: self.n * self.width].reshape(-1, self.width)
        size = np.asarray(self.size)[: len(self.size) // self.width * self.width].reshape(-1, self.width)
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
            alive = set(self._members(self.live, level))  # count
            gone = [k for k in self._members(self.conflict, j) if k in alive]
            self.updates += len(gone)
            live[level + 1] = live[level] & ~conflict[j]
            size[level + 1] = size[level] - has[j] - has[gone].sum(axis=0, dtype=np.uint8)
            least = size[level + 1].min()
            if least == 255:  # a cover
                self.covers += 1
                if self.covers == most:
                    return FOUND
            elif least > 0:  # enter
                self.level += 1
                self._enter(level + 1, self._least(level + 1))

    def branching(self, level):
        """Returns the item of a level."""
        return self.item[self._least(level)]

    def upcoming(self):
        """Returns the option to be tried next."""
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
        """Returns the number of options of a level that have been tried, and of all."""
        width = int(self.size[level * self.width + self._least(level)])
        return width - len(self._members(self.todo, level)), width

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
            assert self._members(self.conflict, j) == clashing, f"conflict of option {j} is not {clashing}"
        live = list(range(self.n))
        for level in range(self.level + 1):
            assert self._members(self.live, level) == live, f"live on level {level} is not {live}"
            self._check_level(level, live, entries, items)
            j = int(self.chosen[level])
            if level < self.level:
                assert j in live, f"chosen[{level}] clashes with an option chosen before"
                items = [i for i in items if i not in entries[j]]
                live = [k for k in live if not _clash(entries[j], entries[k])]

    def _check_level(self, level: cython.int, live: list, entries: list, items: list) -> None:
        """Checks the sizes of a level and the options still to be tried."""
        sizes = {i: sum(i in entries[j] for j in live) for i in items}
        row = np.asarray(self.size)[level * self.width :][: self.width].tolist()
        held = {int(self.item[k]): row[k] for k in range(self.n_lanes) if row[k] != 255}
        assert held == sizes, f"size on level {level} is {held}, not {sizes}"
        assert set(row[self.n_lanes :]) <= {255}, f"size on level {level} has a lane without an item"
        item = min(sizes, key=lambda i: (sizes[i], i))
        users = [j for j in live if item in entries[j]]
        todo = self._members(self.todo, level)
        assert todo == users[len(users) - len(todo) :], f"todo on level {level} is not the rest of {users}"

    def _entries(self, o: cython.int) -> dict:
        """Returns the items of an option, each with its key."""
        return {int(self.indices[e]): int(self.key[e]) for e in range(self.indptr[o], self.indptr[o + 1])}

    def _members(self, sets, row: cython.int) -> list:
        """Returns the options in one set, which is a row of `sets`."""
        words = np.asarray(sets)[row * self.words :][: self.words].tolist()
        return [64 * w + j for w, word in enumerate(words) for j in range(64) if word >> j & 1]


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
        primary = np.count_nonzero(rows.indices < rows.n_primary) / max(1, rows.n_options)
        self.most_live = min(64 if primary <= FEW else MOST_LIVE, rows.n_options)
        self.entry = -1
        self.core_updates = 0
        self.core = None
        self._rows = rows
        # With fewer items, a search has too few nodes to repay the start of a core.
        self.least_items = 1 + int(min(LANES, entries * primary * max(1.6, 0.6 * primary)))

    def _equip(self) -> None:
        """Makes the core; this takes as long as some hundred nodes, so it is done at the first need."""
        if self.core is None:
            self.core = Core(self._rows, self.most_live, self.buffer.shape[1])

    def _suits_core(self, items):
        """Returns whether a state with few options and this number of active primary items suits the core."""
        return self.least_items <= items <= LANES

    def _core_branches(self, level: cython.int) -> tuple:
        """`_branches` for a level in the core."""
        tried, width = self.core.branches(level - self.entry)
        return tried - (level < self.level), width  # the current branch has been tried, but is not finished

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


def aligned(size: int) -> np.ndarray:
    """Returns an uninitialised array of bytes at an address that is a multiple of 64."""
    room = np.empty(size + 63, dtype=np.uint8)
    start = -room.__array_interface__["data"][0] % 64  # `ctypes` takes longer
    return room[start : start + size]
