# cython: language_level=3
"""Algorithm X on copied lists of bit masks: the kernel for problems of a few hundred bits and long lists.

Each item without colours is a bit; a coloured item is several bits that spell its colour. An option *has* some bits
and *forbids* some: two options clash if one has a bit that the other forbids. A level owns a compact list of the
options that clash with no chosen option. When an option is chosen, the list is filtered by the bits that it forbids,
into the list of the next level; nothing is ever undone. A first pass only counts the rows that stay, and checks that
they have all active items. Half of all branches end there.

The sizes of all items are counted side by side, 64 items in a word: bit i of four words is the number of options of
item i, modulo 16, and bit i of a fifth is set if that number passed 15 (Knuth calls this bit slicing, TAOCP 4A, 7.1.3).
The smallest item is then read off the words from the highest plane down. If several items have one option, these are
chosen one after the other from the same list, which is filtered once after the last of them.

Near the root a level can squeeze its list: if its rows have few different bits left, they get masks of fewer words.
All levels below use that layout. The bits keep their order, so the search chooses the same items.
"""

from itertools import combinations

import cython
import numpy as np

from dlx.kernels.cover.core import Shell, aligned

if not cython.compiled:
    from dlx.kernels import BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY
    from dlx.kernels.cover.core import LEFT, first_bit, popcount

    def has_passes() -> bool:
        """Returns False: interpreted code has no vectors."""
        return False


LIMIT = cython.declare(cython.longlong, 1 << 28)  # bytes of all lists; only the pages that a search reaches are used
LEAST_AREA = cython.declare(cython.int, 1 << 12)  # rows times levels below; smaller lists are not squeezed
WIDE = cython.declare(cython.int, 8)  # with this many options for each item, the core needs half as many items
PLANES = cython.declare(cython.int, 32)  # enough to count the options of any item


def fits(rows, max_words=None) -> bool:
    """Returns whether `Bits` can hold a problem: its lists take at most 256 MB, its masks at most `max_words` words."""
    if max_words is not None and rows.n_primary > 64 * max_words:
        return False
    width = 1 if rows.colours is None else 2 * int(rows.colours.max(initial=1)).bit_length()  # of a secondary item
    most = -(-(rows.n_primary + width * (rows.n_items - rows.n_primary)) // 64)
    enough = max_words is None or most <= max_words
    if enough and _bytes(rows.n_options, most, rows.n_primary) <= LIMIT:
        return True
    entry = Spelling(rows)
    small = max_words is None or entry.words <= max_words
    return small and _bytes(rows.n_options, entry.words, entry.levels) <= LIMIT


def _bytes(n_options: int, words: int, levels: int) -> int:
    """Returns the bytes of the lists of a search: a root list, then one for each level and one behind the last."""
    lists = (words + 1) * (n_options + 8) * (levels + 2)
    return 8 * (lists + words * (words + 1) * n_options + 6 * words * levels)


class Spelling:
    """The bits of the entries of the options.

    Item i has `width[i]` bits from `base[i]` on. `code[k]` is -1 if entry k has no colour, else the number of the
    colour among those of its item. A `spelt` item has two bits for each binary digit of that number, one for a 0 and
    one for a 1. Another coloured item has one bit for each colour, since that is shorter.
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


class Bits(Shell):
    """A search for all covers; raises MemoryError if the problem does not fit (`fits`)."""

    def __init__(self, rows, buffer) -> None:
        entry = Spelling(rows)
        Shell.__init__(self, rows, buffer, entry.levels + 1)
        self.portable = True
        self._equip()
        n_options = self.n_options
        levels = entry.levels
        words = entry.words
        if _bytes(n_options, words, levels) > LIMIT:
            raise MemoryError(f"{levels} lists of {n_options} options of {words} words are too large for Bits")
        self.has_passes = has_passes()
        self.least_area = LEAST_AREA
        self.depth = self.n_primary * n_options // max(1, int(entry.primaries.sum()))
        self.words, self.primary_words = np.zeros((2, words), dtype=np.int32)
        self.words[0], self.primary_words[0] = words, (self.n_primary + 63) // 64
        origin = np.zeros((words, 64 * words), dtype=np.int32)
        origin[0] = np.arange(64 * words)
        self.origin = origin
        self.place = np.empty(64 * words, dtype=np.int32)
        self.squeezed = np.zeros(words, dtype=np.uint64)
        self.has = np.zeros((n_options, words), dtype=np.uint64)
        self.forbids = np.zeros((words, n_options, words), dtype=np.uint64)
        self.lists = aligned(8 * (n_options + 8) * (levels + 2) * (words + 1)).view(np.uint64)
        self.begin, self.span = np.zeros((2, levels + 1), dtype=np.intp)
        self.layout, self.rows, self.cursor, self.left, self.word = np.zeros((5, levels + 1), dtype=np.int32)
        self.bit = np.zeros(levels + 1, dtype=np.uint64)
        self.needed, self.forced, self.gone = np.zeros((3, levels + 1, words), dtype=np.uint64)
        self.together = np.zeros(words, dtype=np.uint64)
        self.sizes, self.plane = np.zeros(5, dtype=np.uint64), np.zeros(PLANES, dtype=np.uint64)
        self._spell(rows.indptr, rows.indices, entry.base, entry.width, entry.code, entry.spelt.astype(np.int32))
        usable = np.flatnonzero(entry.primaries)
        self.rows[0], self.span[0] = len(usable), _span(len(usable))
        root = np.asarray(self.lists)[: self.span[0] * (words + 1)].reshape(-1, self.span[0])
        root[:] = 0
        root[:words, : len(usable)], root[words, : len(usable)] = np.asarray(self.has)[usable].T, usable
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
                        self.forbids[0, o, b >> 6] |= one << (b & 63)

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
            if self.state == ENTER:  # choose an item, or begin the core
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
        p = self.begin[level] + self.cursor[level]
        span = self.span[level]
        layout = self.layout[level]
        o = self._option(level)
        rest: cython.ulonglong = 0
        self.chosen[level] = o
        for w in range(self.primary_words[layout]):
            x = self.needed[level, w]
            self.needed[level + 1, w] = x ^ (x & self.lists[p + w * span])
            rest |= self.needed[level + 1, w]
            x = self.forced[level, w]
            self.forced[level + 1, w] = x ^ (x & self.lists[p + w * span])
        if rest == 0:
            return False
        for v in range(self.words[layout]):
            self.gone[level + 1, v] = self.gone[level, v] | self.forbids[layout, o, v]
        self.layout[level + 1] = layout
        self.begin[level + 1] = self.begin[level]
        self.span[level + 1] = span
        self.rows[level + 1] = self.rows[level]
        return True

    def _option(self, level):
        """Returns the option at the cursor of a level."""
        p = self.begin[level] + self.words[self.layout[level]] * self.span[level] + self.cursor[level]
        return cython.cast(cython.int, self.lists[p])

    def _next(self):
        """Moves the cursor to the next row of this level's item, if there is one that clashes with nothing."""
        level = self.level
        p = self.begin[level] + self.word[level] * self.span[level]
        clash: cython.ulonglong = 0
        if self.left[level] == 0:
            return False
        self.left[level] -= 1
        k = self.cursor[level] + 1
        while self.lists[p + k] & self.bit[level] == 0:
            k += 1
        self.cursor[level] = k
        for v in range(self.words[self.layout[level]]):
            clash |= self.lists[self.begin[level] + v * self.span[level] + k] & self.gone[level, v]
        return clash == 0

    def _enter(self):
        """Chooses an active item with the fewest options, or begins the core; returns False if one has no option."""
        if self._forces():
            return True
        staying = self._look()
        if staying < 0:
            return False
        if self.level > 0:
            self._filter(staying)
            if self._is_sparse():
                self._squeeze()
        self._smallest()
        if self._is_small():
            self._fill_core()
        return True

    def _is_small(self):
        """Returns whether the core takes over; items of one option are covered before."""
        if self.left[self.level] == 1 or self.rows[self.level] > self.most_live:
            return False
        items = self._active()
        return self._suits_core(items) or (self.left[self.level] >= WIDE and self._suits_core(2 * items))

    def _active(self):
        """Returns the number of active items on this level."""
        items: cython.int = 0
        for w in range(self.primary_words[self.layout[self.level]]):
            items += popcount(self.needed[self.level, w])
        return items

    def _is_sparse(self):
        """Returns whether a long list of this level would fit into masks that are shorter by a quarter."""
        bits: cython.int = 0
        words = self.words[self.layout[self.level]]
        if words == 1 or self.rows[self.level] * (self.depth - self.level) < self.least_area:
            return False
        for w in range(words):
            bits += popcount(self.together[w])
        return 4 * ((bits + 63) // 64) <= 3 * words

    def _squeeze(self):
        """Gives this level a layout with only the bits of its rows, in the same order."""
        level = self.level
        bits: cython.int = 0
        x: cython.ulonglong
        old = self.layout[level]
        new = old + 1
        for w in range(self.words[old]):
            x = self.together[w]
            while x:
                b = 64 * w + first_bit(x)
                self.place[b] = bits
                self.origin[new, bits] = self.origin[old, b]
                bits += 1
                x &= x - 1
        self.words[new], self.primary_words[new] = (bits + 63) // 64, (self._active() + 63) // 64
        for w in range(self.primary_words[old]):
            self._move(w, self.needed[level, w])
        for w in range(self.words[new]):
            self.needed[level, w] = self._moved(w)
        span = self.span[level]
        for k in range(self.rows[level]):
            p = self.begin[level] + k
            o = self.lists[p + self.words[old] * span]
            for w in range(self.words[old]):
                self._move(w, self.lists[p + w * span])
            for w in range(self.words[new]):
                self.lists[p + w * span] = self._moved(w)
            self.lists[p + self.words[new] * span] = o
            for w in range(self.words[old]):
                self._move(w, self.forbids[old, o, w])
            for w in range(self.words[new]):
                self.forbids[new, o, w] = self._moved(w)
        self.layout[level] = new

    def _move(self, word, bits):
        """Adds the bits of a word of a mask to `squeezed`, in the next layout."""
        one: cython.ulonglong = 1
        bits &= self.together[word]
        while bits:
            b = cython.cast(cython.int, self.place[64 * word + first_bit(bits)])
            self.squeezed[b >> 6] |= one << (b & 63)
            bits &= bits - 1

    def _moved(self, word):
        """Returns a word of `squeezed`, and sets it to 0."""
        bits = self.squeezed[word]
        self.squeezed[word] = 0
        return bits

    def _fill_core(self):
        """Begins the core with the list of this level."""
        x: cython.ulonglong
        layout = self.layout[self.level]
        p = self.begin[self.level] + self.words[layout] * self.span[self.level]
        self.core.clear(self.rows[self.level])
        for w in range(self.primary_words[layout]):
            x = self.needed[self.level, w]
            while x:
                self.core.add_item(self.origin[layout, 64 * w + first_bit(x)])
                x &= x - 1
        for k in range(self.rows[self.level]):
            self.core.add_option(cython.cast(cython.int, self.lists[p + k]))
        self.core.begin()
        self.entry = self.level

    def _forces(self):
        """Chooses an active item that has one option in the list before it is filtered, if there is one."""
        for w in range(self.primary_words[self.layout[self.level]]):
            x = self.forced[self.level, w]
            if x:
                self._take(w, x, 1)
                return True
        return False

    def _take(self, word, items, size):
        """Makes the first of some items, all in one word and of the same size, the item of this level."""
        self.word[self.level] = word
        self.bit[self.level] = items ^ (items & (items - 1))
        self.left[self.level] = size
        self.cursor[self.level] = -1

    def _list(self, level):
        """Returns the list of a level in the form of `bits.h`."""
        found = cython.declare(dlx_list)  # noqa: F821
        found.planes = cython.address(self.lists[self.begin[level]])
        found.span, found.rows, found.words = self.span[level], self.rows[level], self.words[self.layout[level]]
        return found

    def _look(self):
        """Returns the number of rows that stay in the list of the level before; -1: they lack an active item.

        An update is a word of a row.
        """
        level = self.level
        words = self.words[self.layout[level]]
        rows: cython.int = 0
        x: cython.ulonglong
        self.updates += cython.cast(cython.longlong, self.rows[level] * (words + 1))
        if self.has_passes and words <= 3:
            before = self._list(level)
            gone, needed = cython.address(self.gone[level, 0]), cython.address(self.needed[level, 0])
            primary_words = self.primary_words[self.layout[level]]
            return look(  # noqa: F821
                cython.address(before), gone, needed, primary_words, cython.address(self.together[0])
            )
        for w in range(words):
            self.together[w] = 0
        for k in range(self.rows[level]):
            if self._stays(k):
                rows += 1
                for w in range(words):
                    self.together[w] |= self.lists[self.begin[level] + w * self.span[level] + k]
        for w in range(self.primary_words[self.layout[level]]):
            x = self.needed[level, w]
            if x & self.together[w] != x:
                return -1
        return rows

    def _stays(self, k):
        """Returns whether a row of the list has no forbidden bit."""
        clash: cython.ulonglong = 0
        for w in range(self.words[self.layout[self.level]]):
            clash |= self.lists[self.begin[self.level] + w * self.span[self.level] + k] & self.gone[self.level, w]
        return clash == 0

    def _filter(self, staying):
        """Makes the list of this level from the rows that stay in the list of the level before."""
        level = self.level
        p = self.begin[level]
        words = self.words[self.layout[level]]
        q: cython.Py_ssize_t = p + (words + 1) * self.span[level]
        span = _span(staying)
        if self.has_passes and words <= 3:
            before, after = self._list(level), self._list(level)
            after.planes, after.span, after.rows = cython.address(self.lists[q]), span, staying
            filter_to(cython.address(before), cython.address(self.gone[level, 0]), cython.address(after))  # noqa: F821
        else:
            m: cython.int = 0
            for k in range(self.rows[level]):
                if self._stays(k):
                    for w in range(words + 1):
                        self.lists[q + w * span + m] = self.lists[p + w * self.span[level] + k]
                    m += 1
            for w in range(words):
                for k in range(staying, span):
                    self.lists[q + w * span + k] = 0
        self.begin[level], self.span[level], self.rows[level] = q, span, staying
        for v in range(words):
            self.gone[level, v] = 0

    def _count(self, word):
        """Counts the options of the 64 items of a word: sizes modulo 16 in four planes, those above 15 in a fifth."""
        ones: cython.ulonglong = 0
        twos: cython.ulonglong = 0
        fours: cython.ulonglong = 0
        eights: cython.ulonglong = 0
        many: cython.ulonglong = 0
        x: cython.ulonglong
        y: cython.ulonglong
        p = self.begin[self.level] + word * self.span[self.level]
        if self.has_passes:
            count(cython.address(self.lists[p]), self.rows[self.level], cython.address(self.sizes[0]))  # noqa: F821
            return
        for k in range(self.rows[self.level]):
            x = self.lists[p + k]
            y = ones & x
            ones ^= x
            x = twos & y
            twos ^= y
            y = fours & x
            fours ^= x
            many |= eights & y
            eights ^= y
        self.sizes[0], self.sizes[1], self.sizes[2], self.sizes[3], self.sizes[4] = ones, twos, fours, eights, many

    def _smallest(self):
        """Counts the options of the active items, chooses the smallest item, and notes the items of one option."""
        level = self.level
        fewest: cython.int = 16
        items: cython.ulonglong
        x: cython.ulonglong
        y: cython.ulonglong
        for w in range(self.primary_words[self.layout[level]]):
            self.forced[level, w] = 0
            items = self.needed[level, w]
            if items == 0:
                continue
            self._count(w)
            y = items ^ (items & self.sizes[4])
            x = y & self.sizes[0]
            self.forced[level, w] = x ^ (x & (self.sizes[1] | self.sizes[2] | self.sizes[3]))
            if y == 0:
                continue
            size: cython.int = 15
            for k in range(3, -1, -1):
                x = y ^ (y & self.sizes[k])
                if x:
                    y = x
                    size -= 1 << k
            if size < fewest:
                fewest = size
                self._take(w, y, size)
        if fewest == 16:
            self._smallest_of_many()

    def _smallest_of_many(self):
        """Chooses the smallest item if all have 16 options or more: the same count with more planes."""
        level = self.level
        fewest: cython.int = 0x7FFFFFFF
        cython.declare(x=cython.ulonglong, y=cython.ulonglong, items=cython.ulonglong)
        for w in range(self.primary_words[self.layout[level]]):
            items = self.needed[level, w]
            if items == 0:
                continue
            for k in range(PLANES):
                self.plane[k] = 0
            p = self.begin[level] + w * self.span[level]
            for row in range(self.rows[level]):
                x = self.lists[p + row] & items
                k = 0
                while x:
                    y = self.plane[k] & x
                    self.plane[k] ^= x
                    x = y
                    k += 1
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
        return self._item(self.level)

    def _item(self, level):
        """Returns the item of a level."""
        b = 64 * self.word[level] + first_bit(self.bit[level])
        return cython.cast(cython.int, self.origin[self.layout[level], b])

    def _upcoming(self):
        if self.entry >= 0:
            return self.core.upcoming()
        return self._option(self.level)

    def _skip(self):
        if self.entry >= 0:
            return self.core.skip()
        return self._next()

    def _restart(self):
        self.level = 0
        self.entry = -1
        for w in range(self.primary_words[0]):
            self.forced[0, w] = 0

    def _branches(self, level: cython.int) -> tuple:
        if level >= self.entry >= 0:
            return self._core_branches(level)
        p: cython.Py_ssize_t = self.begin[level] + self.word[level] * self.span[level]
        tried = width = 0
        for k in range(self.rows[level]):
            if self.lists[p + k] & self.bit[level]:
                width += 1
                tried += k < self.cursor[level]
        return tried, width

    def check(self) -> None:
        self._check_frame()
        has, forbids = _numbers(self.has), _numbers(np.asarray(self.forbids)[0])
        one: object = 1  # a C int has too few bits
        active = (one << self.n_primary) - 1
        live = [o for o in range(len(has)) if has[o] & active]
        gone: object = 0
        for o, p in combinations(range(len(has)), 2):
            clash, back = has[o] & forbids[p], has[p] & forbids[o]
            assert (clash == 0) == (back == 0), f"options {o} and {p} clash in one direction only"
        if self.state == DONE:
            return
        depth = self.entry if self.entry >= 0 else self.level
        for k in range(depth + (self.state == TRY)):
            primary = self.primary_words[self.layout[k]]  # `forced` and `needed` have no more words
            forced = self._number(np.asarray(self.forced)[k, :primary], k)
            lost = self._number(np.asarray(self.gone)[k], k)
            needed = self._number(np.asarray(self.needed)[k, :primary], k)
            assert needed == active, f"needed[{k}] is not the active primary items"
            right = all(has[o] & lost == has[o] & gone for o in live)
            assert right, f"gone[{k}] is not what was forbidden since the last filter"
            self._check_list(k, live, has)
            if k == self.entry:
                self.core.check(live, [i for i in range(self.n_primary) if active >> i & 1])
                return
            self._check_item(k, live, has, active, forced)
            if k == depth:
                return
            o = self.chosen[k]
            assert o == self._option(k), f"chosen[{k}] is not the option at the cursor"
            assert has[o] & gone == 0, f"chosen[{k}] clashes with an option chosen before"
            active, gone = active & ~has[o], gone | forbids[o]
            if not forced & active:
                live = [p for p in live if has[p] & gone == 0]
                gone = gone if self.state == ENTER and k + 1 == depth else 0

    def _check_list(self, k: cython.int, live: list, has: list) -> None:
        """Checks that the list of level k holds the options that clash with none chosen before it was filtered."""
        words: cython.int = self.words[self.layout[k]]
        planes = np.asarray(self.lists)[self.begin[k] :][: (words + 1) * self.span[k]].reshape(-1, self.span[k])
        options, masks = planes[words, : self.rows[k]], planes[:words]
        assert options.tolist() == live, f"the list of level {k} does not hold just the live options"
        rows = [self._number(row, k) for row in masks[:, : self.rows[k]].T]
        assert rows == [has[o] for o in live], f"a row of level {k} has a wrong mask"
        assert not masks[:, self.rows[k] : -(-self.rows[k] // 4) * 4].any(), f"no zeros follow the list of level {k}"

    def _check_item(self, k: cython.int, live: list, has: list, active, forced) -> None:
        """Checks the item of level k: it is active, none is smaller, and `left` counts its rows behind the cursor."""
        bit = int(self.bit[k])
        assert bit.bit_count() == 1, f"bit[{k}] is not one bit"
        item = self._item(k)
        sizes = {i: sum(has[o] >> i & 1 for o in live) for i in range(self.n_primary) if active >> i & 1}
        place = self.cursor[k]
        rest = sum(has[o] >> item & 1 for o in live[place + 1 :])
        assert item in sizes, f"the item of level {k} is not active"
        assert all(sizes[i] == 1 for i in sizes if forced >> i & 1), f"forced[{k}] has an item of several options"
        assert sizes[item] == min(sizes.values()), f"the item of level {k} is not the smallest"
        assert has[live[place]] >> item & 1, f"the option at the cursor of level {k} lacks its item"
        assert self.left[k] == rest, f"left[{k}] is {self.left[k]}, not {rest}"

    def _number(self, mask, k: cython.int):
        """Returns a mask of level k as a number in the first layout."""
        y: cython.int = self.layout[k]
        origin = np.asarray(self.origin)[y].tolist()
        number: object = _numbers([mask[: self.words[y]]])[0]
        one: object = 1
        return sum(one << origin[b] for b in range(number.bit_length()) if number >> b & 1)


def _span(rows):
    """Returns the words of a plane: whole vectors of four rows, and one more vector that is written past the end."""
    return (rows + 3) // 4 * 4 + 4


def _numbers(masks) -> list:
    """Returns masks, each a row of words, as numbers."""
    return [sum(word << 64 * k for k, word in enumerate(row)) for row in np.asarray(masks).tolist()]
