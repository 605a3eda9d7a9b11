# cython: language_level=3
"""Algorithm X on copied lists of bit masks: the kernel for problems of a few hundred bits and long lists.

Each primary item is a bit; so is each secondary item, and a coloured one is several bits that spell its colour. An
option *has* some bits and *forbids* some: two options clash if one has a bit that the other forbids. A level owns a
compact list of the options that clash with nothing chosen. Choosing an option and filtering the list by what it
forbids makes the list of the next level; nothing is ever undone.

The sizes of all items are counted side by side, 64 items in a word: bit i of four words is the number of options of
item i, modulo 16, and bit i of a fifth tells whether it ever passed 15 (Knuth calls this bit slicing, TAOCP 4A, 7.1.3).
The smallest item is then read off the words from the highest plane down. An item of no option ends the branch before
it is entered. All items of one option are chosen one after the other from the same list, which is filtered once
behind the last of them.
"""

from itertools import combinations

import cython
import numpy as np

from dlx.kernels.cover.core import Shell

if not cython.compiled:
    from dlx.kernels import BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY
    from dlx.kernels.cover.core import LEFT, first_bit

LIMIT = cython.declare(cython.longlong, 1 << 28)  # bytes; the pages that a search does not reach are never touched
PLANES = cython.declare(cython.int, 32)  # enough to count the options of any item


def fits(rows, max_words=None) -> bool:
    """Tells whether `Bits` can hold a problem, if need be with masks of so many words: lists take 256 MB at most."""
    most = -(-rows.n_items // 64)  # words without colours: an item has a bit at most
    enough = max_words is None or most <= max_words
    if rows.colours is None and enough and _bytes(rows.n_options, most, rows.n_primary) <= LIMIT:
        return True
    entry = Spelling(rows)
    small = max_words is None or entry.words <= max_words
    return small and _bytes(rows.n_options, entry.words, entry.levels) <= LIMIT


def _bytes(n_options: int, words: int, levels: int) -> int:
    """Returns the bytes of the lists of a search: a root list, then one for each level and one behind the last."""
    return 8 * (words + 1) * ((n_options + 1) * (levels + 2)) + 16 * words * (n_options + 3 * levels)


class Spelling:
    """The bits of the entries of the options.

    The entry k of `indices` has the bits of item `indices[k]`, which are `width` bits from `base` on. `code[k]` is -1
    if it has no colour, else a number that differs for each colour of the item. A colour takes a bit of its own
    where that is shorter than two bits for each binary digit of its code (`spelt`): one for a 0, the other for a 1.
    """

    def __init__(self, rows) -> None:
        _, indices, n_items, n_primary, colours = rows[:5]
        uses = np.bincount(indices, minlength=n_items)
        self.code = np.full(len(indices), -1, dtype=np.int32)
        kinds = np.zeros(n_items, dtype=np.int64)
        plain = uses.copy()
        if colours is not None and len(indices):
            coloured = np.flatnonzero(colours)
            pairs = indices[coloured].astype(np.int64) << 32 | np.asarray(colours)[coloured]
            distinct, code = np.unique(pairs, return_inverse=True)
            kinds = np.bincount(distinct >> 32, minlength=n_items)
            first = np.cumsum(kinds) - kinds
            self.code[coloured] = code - first[indices[coloured]]
            plain = uses - np.bincount(indices[coloured], minlength=n_items)
        digits = np.frexp(np.maximum(kinds - 1.0, 0.0))[1].astype(np.int64)  # the bits of the largest code
        self.spelt = (kinds > 2 * digits) & (kinds > 1)
        width = np.where(self.spelt, 2 * digits, kinds + (kinds < 2))  # a lone colour has a second bit to forbid
        width[(kinds == 0) & (uses <= 1) | (kinds == 1) & (plain == 0)] = 0  # no two options clash on it
        width[:n_primary] = 1
        self.width = width.astype(np.int32)
        self.base = (np.cumsum(width) - width).astype(np.int32)
        self.n_bits = int(width.sum())
        self.words = max(1, -(-self.n_bits // 64))
        self.primaries = np.bincount(rows.owner[indices < n_primary], minlength=rows.n_options)
        fewest = int(self.primaries[self.primaries > 0].min(initial=max(1, n_primary)))
        self.levels = n_primary // fewest
        self._rows = rows

    def marks(self) -> tuple:
        """The bits that each option has: where those of each option begin, and the bits, as two int32 arrays."""
        indices = self._rows.indices
        width = self.width[indices]
        entry = np.repeat(np.arange(len(indices)), width)
        d = np.arange(len(entry)) - np.repeat(np.cumsum(width) - width, width)
        item, code = indices[entry], self.code[entry]
        has = (code < 0) | np.where(self.spelt[item], (code >> (d >> 1)) & 1 == d & 1, code == d)
        sizes = np.bincount(self._rows.owner[entry[has]], minlength=self._rows.n_options)
        return np.append(0, np.cumsum(sizes)).astype(np.int32), (self.base[item] + d)[has].astype(np.int32)


class Bits(Shell):
    """A search for all covers; a `MemoryError` says that it does not fit (`fits`)."""

    def __init__(self, rows, buffer) -> None:
        entry = Spelling(rows)
        Shell.__init__(self, rows, buffer, entry.levels + 1)
        self.portable = True
        self._equip()
        n_options = self.n_options
        levels = entry.levels
        if _bytes(n_options, entry.words, levels) > LIMIT:
            raise MemoryError(f"{levels} lists of {n_options} options of {entry.words} words are too large for Bits")
        self.n_bits, self.words = entry.n_bits, entry.words
        self.primary_words = (self.n_primary + 63) // 64
        self.stride = self.words + 1
        self.has = np.zeros((n_options, entry.words), dtype=np.uint64)
        self.forbids = np.zeros((n_options, entry.words), dtype=np.uint64)
        self.lists = np.empty((n_options + 1) * (levels + 2) * self.stride, dtype=np.uint64)
        self.begin, self.end, self.cursor = np.zeros((3, levels + 1), dtype=np.intp)
        self.left, self.word = np.zeros((2, levels + 1), dtype=np.int32)
        self.bit = np.zeros(levels + 1, dtype=np.uint64)
        self.needed = np.zeros((levels + 1, self.primary_words), dtype=np.uint64)
        self.forced = np.zeros((levels + 1, self.primary_words), dtype=np.uint64)
        self.gone = np.zeros((levels + 1, entry.words), dtype=np.uint64)
        self.plane = np.zeros(PLANES, dtype=np.uint64)
        self._spell(rows.indptr, rows.indices, entry.base, entry.width, entry.code, entry.spelt.astype(np.int32))
        usable = np.flatnonzero(entry.primaries)
        self.end[0] = len(usable) * self.stride
        root = np.asarray(self.lists)[: self.end[0]].reshape(-1, self.stride)
        root[:, : self.words], root[:, self.words] = np.asarray(self.has)[usable], usable
        one: cython.ulonglong = 1
        for i in range(self.n_primary):
            self.needed[0, i >> 6] |= one << (i & 63)

    def _spell(self, indptr, indices, base, width, code, spelt):
        """Fills `has` and `forbids`."""
        has: cython.bint
        one: cython.ulonglong = 1
        for o in range(indptr.shape[0] - 1):
            for k in range(indptr[o], indptr[o + 1]):
                i = indices[k]
                c = code[k]
                for d in range(width[i]):
                    b = cython.cast(cython.int, base[i]) + d  # a cast keeps numpy's int32 out of interpreted shifts
                    has = c < 0 or ((c >> (d >> 1)) & 1 == d & 1 if spelt[i] else c == d)
                    if has:
                        self.has[o, b >> 6] |= one << (b & 63)
                    if c < 0 or not has:
                        self.forbids[o, b >> 6] |= one << (b & 63)

    def _run(self):
        found: cython.bint = self.state == TRY
        if self.state == DONE:
            return EXHAUSTED
        if self.n_primary == 0:
            if self.covers >= self.cover_limit:
                return BUFFER_FULL
            self.state = DONE
            self._emit(0)
            return EXHAUSTED
        while True:
            if self.state == ENTER:  # choose an item, or leave the level to the core
                self.state = TRY
                found = self._enter()
                if found and self.entry < 0:
                    found = self._next()
            if self.entry >= 0:
                status = self._inside()
                if status != LEFT:
                    return status
                found = False
            while not found:  # no option is left to try, so back up
                if self.level == self.base:
                    self.state = DONE
                    return EXHAUSTED
                self.level -= 1
                found = self._next()
            status = self._spent()
            if status:
                return status
            self.nodes += 1
            if self._choose():
                self.level += 1
                self.state = ENTER
            else:  # a cover
                self._emit(self.level + 1)
                found = self._next()

    def _choose(self):
        """Chooses the row at the cursor and prepares the next level, unless that completes a cover: False."""
        level = self.level
        p = self.cursor[level]
        o = cython.cast(cython.int, self.lists[p + self.words])
        rest: cython.ulonglong = 0
        self.chosen[level] = o
        for w in range(self.primary_words):
            x = self.needed[level, w]
            rest |= x ^ (x & self.lists[p + w])
        if rest == 0:
            return False
        for w in range(self.primary_words):
            x = self.needed[level, w]
            self.needed[level + 1, w] = x ^ (x & self.lists[p + w])
            x = self.forced[level, w]
            self.forced[level + 1, w] = x ^ (x & self.lists[p + w])
        for v in range(self.words):
            self.gone[level + 1, v] = self.gone[level, v] | self.forbids[o, v]
        self.begin[level + 1] = self.begin[level]
        self.end[level + 1] = self.end[level]
        return True

    def _next(self):
        """Moves the cursor to the next row of this level's item, if there is one that clashes with nothing."""
        level = self.level
        stop = self.end[level]
        stride = self.stride
        bit: cython.ulonglong = self.bit[level]
        clash: cython.ulonglong = 0
        if self.left[level] == 0:
            return False
        self.left[level] -= 1
        p = self.cursor[level] + stride + self.word[level]
        while p < stop:
            if self.lists[p] & bit:
                break
            p += stride
        if p >= stop:
            return False
        p -= self.word[level]
        for v in range(self.words):
            clash |= self.lists[p + v] & self.gone[level, v]
        self.cursor[level] = p
        return clash == 0

    def _enter(self):
        """Chooses an active item with the fewest options, or begins the core's search; False: an item has no option."""
        if self._forces():
            return True
        self._filter()
        if not self._smallest():
            return False
        if self._is_small():
            self._fill_core()
        return True

    def _is_small(self):
        """Tells whether the list of this level is for the core; items of one option are covered before."""
        items: cython.int = 0
        x: cython.ulonglong
        if self.left[self.level] == 1 or self.end[self.level] - self.begin[self.level] > self.most_live * self.stride:
            return False
        for w in range(self.primary_words):
            x = self.needed[self.level, w]
            while x:
                x &= x - 1
                items += 1
        return self._suits_core(items)

    def _fill_core(self):
        """Begins the search of the list of this level in the core."""
        x: cython.ulonglong
        p = self.begin[self.level]
        self.core.clear(cython.cast(cython.int, (self.end[self.level] - self.begin[self.level]) // self.stride))
        for w in range(self.primary_words):
            x = self.needed[self.level, w]
            while x:
                self.core.add_item(64 * w + first_bit(x))
                x &= x - 1
        while p < self.end[self.level]:
            self.core.add_option(cython.cast(cython.int, self.lists[p + self.words]))
            p += self.stride
        self.core.begin()
        self.entry = self.level

    def _forces(self):
        """Chooses an active item of one option, if the list that is still to be filtered has one."""
        for w in range(self.primary_words):
            x = self.forced[self.level, w]
            if x:
                self._take(w, x, 1)
                return True
        return False

    def _take(self, word, items, size):
        """Makes the first of some items, all in one word, the item of this level."""
        self.word[self.level] = word
        self.bit[self.level] = items ^ (items & (items - 1))
        self.left[self.level] = size
        self.cursor[self.level] = self.begin[self.level] - self.stride

    def _filter(self):
        """Makes the list of this level of the rows of the list before that have nothing that is gone.

        Every row is written, and the place for the next one moves on if it was to stay: no branch to mispredict.
        Zeros follow the list. An update is a word of a row read.
        """
        level = self.level
        stride = self.stride
        p = self.begin[level]
        stop = self.end[level]
        q: cython.Py_ssize_t = stop
        g: cython.ulonglong = self.gone[level, 0]
        cython.declare(a=cython.ulonglong, b=cython.ulonglong, c=cython.ulonglong)
        self.updates += cython.cast(cython.longlong, stop - p)
        self.begin[level] = stop
        if self.words == 1:
            while p < stop:
                a = self.lists[p]
                self.lists[q] = a
                self.lists[q + 1] = self.lists[p + 1]
                q += 2 * ((a & g) == 0)
                p += 2
        elif self.words == 2:
            h = self.gone[level, 1]
            while p < stop:
                a = self.lists[p]
                b = self.lists[p + 1]
                self.lists[q] = a
                self.lists[q + 1] = b
                self.lists[q + 2] = self.lists[p + 2]
                q += 3 * ((a & g | b & h) == 0)
                p += 3
        elif self.words == 3:
            h = self.gone[level, 1]
            i = self.gone[level, 2]
            while p < stop:
                a = self.lists[p]
                b = self.lists[p + 1]
                c = self.lists[p + 2]
                self.lists[q] = a
                self.lists[q + 1] = b
                self.lists[q + 2] = c
                self.lists[q + 3] = self.lists[p + 3]
                q += 4 * ((a & g | b & h | c & i) == 0)
                p += 4
        else:
            while p < stop:
                a = self.lists[p] & g
                for v in range(1, self.words):
                    a |= self.lists[p + v] & self.gone[level, v]
                if a == 0:
                    for v in range(stride):
                        self.lists[q + v] = self.lists[p + v]
                    q += stride
                p += stride
        self.end[level] = q
        for v in range(self.primary_words):
            self.lists[q + v] = 0
        for v in range(self.words):
            self.gone[level, v] = 0

    def _smallest(self):
        """Counts the options of the active items, chooses the smallest item, and notes those of one option."""
        level = self.level
        fewest: cython.int = 16
        cython.declare(ones=cython.ulonglong, twos=cython.ulonglong, fours=cython.ulonglong, eights=cython.ulonglong)
        cython.declare(many=cython.ulonglong, x=cython.ulonglong, y=cython.ulonglong, z=cython.ulonglong)
        stride = self.stride
        stop = self.end[level]
        for w in range(self.primary_words):
            items = self.needed[level, w]
            if items == 0:
                continue
            p = self.begin[level] + w
            ones = twos = fours = eights = many = 0
            while p < stop:  # two rows at a time, behind an odd last one the zeros: a full adder, then a carry
                x = self.lists[p]
                y = self.lists[p + stride]
                z = ones ^ x
                x = (ones & x) | (z & y)
                ones = z ^ y
                y = twos & x
                twos ^= x
                x = fours & y
                fours ^= y
                many |= eights & x
                eights ^= x
                p += 2 * stride
            if items & (ones | twos | fours | eights | many) != items:
                return False
            y = items ^ (items & many)
            x = y & ones
            self.forced[level, w] = x ^ (x & (twos | fours | eights))
            if y == 0:
                continue
            size: cython.int = 15
            x = y ^ (y & eights)
            if x:
                y = x
                size -= 8
            x = y ^ (y & fours)
            if x:
                y = x
                size -= 4
            x = y ^ (y & twos)
            if x:
                y = x
                size -= 2
            x = y ^ (y & ones)
            if x:
                y = x
                size -= 1
            if size < fewest:
                fewest = size
                self._take(w, y, size)
        if fewest == 16:
            self._smallest_of_many()
        return True

    def _smallest_of_many(self):
        """Chooses the smallest item where all have 16 options or more: the same count with all the planes it needs."""
        level = self.level
        fewest: cython.int = 0x7FFFFFFF
        cython.declare(x=cython.ulonglong, y=cython.ulonglong, items=cython.ulonglong)
        for w in range(self.primary_words):
            items = self.needed[level, w]
            if items == 0:
                continue
            for k in range(PLANES):
                self.plane[k] = 0
            p = self.begin[level] + w
            while p < self.end[level]:
                x = self.lists[p] & items
                k = 0
                while x:
                    y = self.plane[k] & x
                    self.plane[k] ^= x
                    x = y
                    k += 1
                p += self.stride
            size: cython.int = 0
            for k in range(PLANES - 1, -1, -1):
                x = items ^ (items & self.plane[k])
                if x:
                    items = x
                else:
                    size |= 1 << k
            if size < fewest:
                fewest = size
                self._take(w, items, size)

    def _branching(self):
        if self.entry >= 0:
            return self.core.branching(self.level - self.entry)
        i: cython.int = 64 * self.word[self.level]
        bit: cython.ulonglong = self.bit[self.level]
        while bit > 1:
            bit >>= 1
            i += 1
        return i

    def _upcoming(self):
        if self.entry >= 0:
            return self.core.upcoming()
        return cython.cast(cython.int, self.lists[self.cursor[self.level] + self.words])

    def _skip(self):
        if self.entry >= 0:
            return self.core.skip()
        return self._next()

    def _restart(self):
        """Goes back to the root, whose own list is before the one that `_filter` made of it."""
        self.level = 0
        self.entry = -1
        for w in range(self.primary_words):
            self.forced[0, w] = 0
        if self.begin[0] > 0:
            self.end[0] = self.begin[0]
            self.begin[0] = 0

    def _branches(self, level: cython.int) -> tuple:
        if level >= self.entry >= 0:
            return self._core_branches(level)
        p: cython.Py_ssize_t = self.begin[level]
        tried = width = 0
        while p < self.end[level]:
            if self.lists[p + self.word[level]] & self.bit[level]:
                width += 1
                tried += p < self.cursor[level]
            p += self.stride
        return tried, width

    def check(self) -> None:
        self._check_frame()
        has, forbids = _numbers(self.has), _numbers(self.forbids)
        active: object = (1 << self.n_primary) - 1
        live = [o for o in range(len(has)) if has[o] & active]
        gone: object = 0
        for o, p in combinations(range(len(has)), 2):
            clash, back = has[o] & forbids[p], has[p] & forbids[o]
            assert (clash == 0) == (back == 0), f"options {o} and {p} clash in one direction only"
        if self.state == DONE:
            return
        depth = self.entry if self.entry >= 0 else self.level
        for k in range(depth + (self.state == TRY)):
            forced = _numbers(self.forced)[k]
            assert _numbers(self.needed)[k] == active, f"needed[{k}] is not the active primary items"
            assert _numbers(self.gone)[k] == gone, f"gone[{k}] is not what was chosen since the last filter"
            self._check_list(k, live, has)
            if k == self.entry:
                self.core.check(live, [i for i in range(self.n_primary) if active >> i & 1])
                return
            self._check_item(k, live, has, active, forced)
            if k == depth:
                return
            o = self.chosen[k]
            assert o == self.lists[self.cursor[k] + self.words], f"chosen[{k}] is not the option at the cursor"
            assert has[o] & gone == 0, f"chosen[{k}] clashes with an option chosen before"
            active, gone = active & ~has[o], gone | forbids[o]
            if not forced & active:
                live = [p for p in live if has[p] & gone == 0]
                gone = gone if self.state == ENTER and k + 1 == depth else 0

    def _check_list(self, k: cython.int, live: list, has: list) -> None:
        """Checks that the list of level k holds the options that clash with nothing chosen before it was filtered."""
        rows = np.asarray(self.lists)[self.begin[k] : self.end[k]].reshape(-1, self.stride)
        assert rows[:, self.words].tolist() == live, f"the list of level {k} does not hold just the live options"
        assert _numbers(rows[:, : self.words]) == [has[o] for o in live], f"a row of level {k} has a wrong mask"

    def _check_item(self, k: cython.int, live: list, has: list, active, forced) -> None:
        """Checks the item of level k: it is active, none is smaller, and `left` counts its rows behind the cursor."""
        bit = int(self.bit[k]) << 64 * int(self.word[k])
        sizes = {i: sum(has[o] >> i & 1 for o in live) for i in range(self.n_primary) if active >> i & 1}
        item = bit.bit_length() - 1
        place = (self.cursor[k] - self.begin[k]) // self.stride
        rest = sum(has[o] >> item & 1 for o in live[place + 1 :])
        assert bit == 1 << item, f"bit[{k}] is not one bit"
        assert item in sizes, f"the item of level {k} is not active"
        assert all(sizes[i] == 1 for i in sizes if forced >> i & 1), f"forced[{k}] has an item of several options"
        assert sizes[item] == min(sizes.values()), f"the item of level {k} is not the smallest"
        assert has[live[place]] & bit, f"the option at the cursor of level {k} lacks its item"
        assert self.left[k] == rest, f"left[{k}] is {self.left[k]}, not {rest}"


def _numbers(masks) -> list:
    """Masks, a row of words each, as numbers."""
    return [sum(word << 64 * k for k, word in enumerate(row)) for row in np.asarray(masks).tolist()]
