# cython: language_level=3
"""Counting class by class: what is left of a problem is solved once if it is the same up to renaming.

Classes are kept in *buckets* by the number of open items. A class of the fullest bucket is expanded: one of its items
is covered by each of its options in turn, and the class of what is left gets its weight, the number of ways to it.
So each class is expanded once, and then forgotten; the weight that reaches the empty bucket is the number of covers.

The items of one point are covered before those of the next, and no class with more points done is expanded before all
with fewer: then classes are few. Where points are *whole*, the items of one are all covered, by plain search, before a
form is asked for; and of options in one orbit of the group of what is left, which has as many covers behind each, one
is tried. Else options without rivals are chosen before a form is asked for.

If memory is short, the bucket at hand is set aside, and what it has filled is expanded first, down to where a point
ends; then it goes on. A class that is reached again after that is expanded again, with the ways that are new.

Forms are Python objects made by Python objects, so all this holds the interpreter's lock.
"""

from array import array

import cython
import numpy as np

if not cython.compiled:
    from dlx.kernels import BUDGET_SPENT, EXHAUSTED

    def lowest(word) -> int:
        """The place of the lowest one of a word."""
        return (int(word) & -int(word)).bit_length() - 1

    def ones(word) -> int:
        """Returns the number of ones in a word."""
        return int(word).bit_count()

    def bit(place) -> np.uint64:
        """A word with a one in a place."""
        return np.uint64(1 << int(place))


ENTRY = cython.declare(cython.int, 150)  # bytes of a class besides its state while it is known by its form, nearly,
WEIGHT = cython.declare(cython.int, 50)  # and of its weight
FIRST = cython.declare(cython.int, 8)  # classes for which a new bucket has room
WHOLE = cython.declare(cython.int, 1 << 30)  # more than any number of items
MOST = cython.declare(cython.int, (1 << 31) - 1)  # classes in a record
NONE = cython.declare(cython.int, -1)  # instead of an option, an item or a point,
SEVERAL = cython.declare(cython.int, -2)  # and instead of an only one


class Bucket:
    """Classes with the same number of open items."""

    def __init__(self, words: cython.int, numbered: cython.bint) -> None:
        self.known, self.weight = {}, []
        self.state = np.empty((FIRST, words), dtype=np.uint64)
        self.number = np.empty(FIRST if numbered else 0, dtype=np.int32)
        self.size = self.forms = 0

    def bytes(self):
        """The bytes of the arrays."""
        return self.state.shape[0] * 8 * self.state.shape[1] + 4 * self.number.shape[0]

    def close(self):
        """Forgets the forms, since no more classes will come; the bytes that are free then."""
        free = self.forms
        self.known, self.forms = {}, 0
        return free

    def grow(self):
        """Makes room for twice as many classes."""
        self.state = _longer(self.state)
        self.number = _longer(self.number)


class Part:
    """Buckets to be expanded, down to where a point ends."""

    def __init__(self, buckets, most) -> None:
        self.buckets, self.most, self.current = buckets, most, None

    def is_short(self, taken):
        """Tells whether so many bytes are too many to go on with the current bucket."""
        return len(self.buckets) > 0 and taken > self.most


class Classes:
    """A count that has not begun.

    Parameters:
        state: uint64: what is left at the root, and afterwards the state at hand.
        items, options, clashes: of each option the primary items, of each such item the options, as (begin, numbers),
            int32; of each option those that clash with it, uint64, shape (options, words).
        users: uint64, shape (primary items, words): the options of each. Where there are secondary items, of which open
            items tell nothing, it has no rows, and states are kept as a whole.
        points: uint64, shape (points, words): the items of the points that are finished one after the other.
        form: `of()` is the canonical form of the state at hand, bytes.
        memory: how many bytes classes may take, nearly.
        whole: whether there are classes only where a point is complete; `form` has to know orbits then.
        records: whether it is kept what led from which class to which.
    """

    def __init__(
        self, state, items, options, clashes, users, points, form, memory, whole: cython.bint, records: cython.bint
    ) -> None:
        self.item_begin, self.item = items
        self.option_begin, self.option = options
        self.clashes, self.users, self.points, self.form = clashes, users, points, form
        self.state = state
        self.words, self.all_words = points.shape[1], len(state)
        self.kept_words = self.words if len(users) else self.all_words
        self.root = state.copy()
        self.path = np.zeros(len(clashes), dtype=np.int32)
        self.n_path = 0
        self.here = np.zeros(self.words, dtype=np.uint64)
        deep = 1 + max([sum([ones(word) for word in point]) for point in points]) if whole else 1
        wide = int(np.diff(self.option_begin).max(initial=0))
        self.level = np.zeros((deep, self.all_words), dtype=np.uint64)
        self.rival, self.size = np.ones((2, deep, wide), dtype=np.int32)
        self.n_rivals, self.next_rival, self.grouped = np.zeros((3, deep), dtype=np.int32)
        self.weight = [1] * deep
        self.whole, self.point, self.depth = whole, NONE, -1
        if whole:
            self.orbit = form.orbit_of()
            self.own, self.seen = np.zeros((2, len(clashes)), dtype=np.int32)
            self.share = np.zeros(len(clashes))
        self.memory, self.later, self.parts = memory, {}, []
        self.record = array("i") if records else None
        self.covers = self.bytes = self.most_bytes = self.nodes = self.forms = self.states = 0
        self.number = self.tried = self.done = -1
        self._find_here()
        self.top = self.n_open
        self._add(1)
        self._check_memory()

    def run(self, nodes: cython.longlong) -> int:
        """Goes on until the count ends or some nodes have been tried; after an error, as of a form, too.

        Raises:
            MemoryError: the classes take more than `memory`.
        """
        limit = self.nodes + nodes
        while True:
            if self._is_tried():
                if not self._expand_next():
                    return EXHAUSTED
            elif self.nodes >= limit:
                return BUDGET_SPENT
            else:
                self._try_next()

    @property
    def width(self) -> int:
        """The classes that are still to be expanded."""
        part: Part
        bucket: Bucket
        buckets = [bucket for ahead in self.later.values() for bucket in ahead.values()]
        for part in self.parts:
            buckets += [*part.buckets.values(), part.current or Bucket(0, False)]
        total: cython.Py_ssize_t = 0
        for bucket in buckets:
            total += bucket.size
        return total

    def edges(self):
        """The edges between classes: int32, rows of the class above, the option chosen, and the class below.

        Class 0 is the root; an empty class has an edge with two -1's. The edges from a class are together, and come
        after all those to it.
        """
        return np.array(self.record, dtype=np.int32).reshape(-1, 3)

    def follow(self, options) -> tuple:
        """Goes from the root by some choices; what the last one chose, with the options that it forced.

        Afterwards what is left is at hand.

        Raises:
            ValueError: an option cannot be chosen.
        """
        o: cython.int
        mark: cython.int = 0
        for k in range(self.all_words):
            self.state[k] = self.root[k]
        self.n_path = 0
        for o in options:
            if not 0 <= o < self.path.shape[0] or not self._is_live(o):
                raise ValueError(f"option {o} cannot be chosen")
            mark = self.n_path
            self._choose(o)
            self._force()
        return tuple([self.path[k] for k in range(mark, self.n_path)])

    @property
    def ahead(self) -> int:
        """The classes of the bucket at hand that have not been begun or taken."""
        part: Part = self.parts[len(self.parts) - 1]
        return 0 if part.current is None else part.current.size

    def advance(self, nodes: cython.longlong) -> int:
        """Goes on with the class that is being expanded, for some nodes at most.

        Returns:
            The classes left in its bucket, or in the next; 0 at the end, and -1 if the class is not done.
        """
        limit = self.nodes + nodes
        while not self._is_tried():
            if self.nodes >= limit:
                return -1
            self._try_next()
        part = self._part()
        return 0 if part is None else part.current.size

    def take(self, most: cython.Py_ssize_t) -> tuple:
        """Takes classes out of the bucket at hand, to be expanded elsewhere: the last ones; none if memory is short.

        Their memory still counts until `give` returns it.

        Returns:
            The points that they have done, their states and their weights.
        """
        part: Part = self.parts[len(self.parts) - 1]
        bucket = part.current
        end = bucket.size
        if part.is_short(self.bytes):
            most = 0
        bucket.size -= min(most, end)
        state = np.asarray(bucket.state)[bucket.size : end].copy()
        weight = bucket.weight[bucket.size : end]
        del bucket.weight[bucket.size :]
        return self.done, state, weight

    def lay(self, done: cython.int, state, weight) -> None:
        """Begins anew with classes that were taken elsewhere."""
        self.memory = np.iinfo(np.int64).max
        self.clear(done)
        self.begin_part(state, weight)
        self.bytes = self.nodes = self.forms = self.states = 0

    def expand(self, nodes: cython.longlong) -> bool:
        """Expands classes of the bucket at hand for some nodes; whether there are more."""
        part: Part = self.parts[len(self.parts) - 1]
        limit = self.nodes + nodes
        while self.nodes < limit:
            if not self._is_tried():
                self._try_next()
            elif part.current.size > 0:
                self._expand_next()
            else:
                return False
        return True

    def filled(self) -> list:
        """Returns the buckets filled from the one at hand: points done, open items, forms, states, weights."""
        part: Part = self.parts[len(self.parts) - 1]
        bucket: Bucket
        found: list = []
        for done, buckets in [(self.done, part.buckets), *self.later.items()]:
            for n_open, bucket in buckets.items():
                state = np.asarray(bucket.state)[: bucket.size]
                found.append((done, n_open, [*bucket.known], state, bucket.weight))
        return found

    def give(self, classes: cython.Py_ssize_t, nodes: cython.longlong, forms: cython.longlong, found) -> None:
        """Takes in what so many classes have filled elsewhere, in as many nodes and forms.

        In the order in which the classes were taken this is what would have come of them here.

        Raises:
            MemoryError: the classes take more than `memory`.
        """
        self.nodes += nodes
        self.forms += forms
        self.bytes -= WEIGHT * classes
        for self.n_done, self.n_open, known, state, weight in found:
            rows: cython.ulonglong[:, ::1] = state
            for k in range(len(known)):
                for w in range(self.kept_words):
                    self.state[w] = rows[k, w]
                self._join(known[k], weight[k])
        self._check_memory()

    def waiting(self) -> list:
        """All classes to be expanded, as states and weights: of each part those at hand, then those filled; the rest.

        What `clear`, and `begin_part` and `put` for each part, and `put` for the rest make of them is the same count.
        """
        part: Part
        found: list = []
        for part in self.parts:
            found.append(self._told([] if part.current is None else [part.current]))
            found.append(self._told(part.buckets.values()))
        found.append(self._told([bucket for ahead in self.later.values() for bucket in ahead.values()]))
        return found

    def _told(self, buckets):
        """The states and weights in some buckets."""
        bucket: Bucket
        states, weights = [np.empty((0, self.kept_words), dtype=np.uint64)], []
        for bucket in buckets:
            states.append(np.asarray(bucket.state)[: bucket.size])
            weights += bucket.weight
        return np.concatenate(states), weights

    def clear(self, done: cython.int) -> None:
        """Forgets all classes; those to come are of a count with so many points done."""
        self.parts, self.later, self.done, self.depth, self.bytes = [], {}, done, -1, 0

    def begin_part(self, state, weight) -> None:
        """Begins a part with a bucket that no class is added to."""
        part: Part = Part({}, self._half())
        bucket: Bucket = Bucket(self.kept_words, False)
        if len(weight):
            bucket.state, bucket.weight, bucket.size = state, [*weight], len(weight)
            part.current = bucket
            self.bytes += bucket.bytes() + WEIGHT * bucket.size
        self.parts.append(part)

    def put(self, state, weight) -> None:
        """Adds classes to the buckets that they belong to: those of the last part, or with more points done.

        Raises:
            MemoryError: the classes take more than `memory`.
        """
        rows: cython.ulonglong[:, ::1] = state
        for k in range(len(weight)):
            for w in range(self.kept_words):
                self.level[0, w] = rows[k, w]
            if self.kept_words < self.all_words:
                self._find_live()
            self.depth = 0
            self._restore()
            self._find_here()
            self._add(weight[k])
        self.depth = -1
        self._check_memory()

    def _expand_next(self):
        """Begins to expand a class; whether there was one."""
        part = self._part()
        if part is None:
            return False
        bucket = part.current
        k = bucket.size - 1
        for w in range(self.kept_words):
            self.level[0, w] = bucket.state[k, w]
        if self.kept_words < self.all_words:
            self._find_live()
        if bucket.number.shape[0]:
            self.number = bucket.number[k]
        self.weight[0] = bucket.weight[k]
        self._begin()  # an error leaves the class where it is
        bucket.size -= 1
        bucket.weight.pop()
        self.bytes -= WEIGHT
        return True

    def _part(self):
        """Returns the next part to be expanded, with a current bucket that is not empty; None at the end."""
        part: Part
        while self.parts or self.later:
            if not self.parts:
                self.done = min(self.later)
                self.parts.append(Part(self.later.pop(self.done), self._half()))
            part = self.parts[len(self.parts) - 1]
            if part.current is None:
                if not part.buckets:
                    self.parts.pop()
                    continue
                self.top = max(part.buckets)
                part.current = part.buckets.pop(self.top)
                self.bytes -= part.current.close()
            if part.current.size == 0:
                self.bytes -= part.current.bytes()
                part.current = None
            elif part.is_short(self.bytes):
                filled, part.buckets = part.buckets, {}
                self.parts.append(Part(filled, self._half()))
            else:
                return part
        return None

    def _half(self):
        """Returns the memory that is taken, and half of the free one."""
        return (self.bytes + self.memory) // 2

    def _find_live(self):
        """Finds the live options of the class that is being expanded: those at the root without a covered item."""
        for k in range(self.words, self.all_words):
            self.level[0, k] = self.root[k]
        for w in range(self.words):
            covered: cython.ulonglong = self.root[w] & ~self.level[0, w]
            while covered:
                i = 64 * w + lowest(covered)
                covered &= covered - 1
                for k in range(self.all_words - self.words):
                    self.level[0, self.words + k] &= ~self.users[i, k]

    def _begin(self):
        """Finds the options of an item of the class, which are to be tried."""
        self.depth = 0
        self._restore()
        point = self._find_here()
        self.point = point if self.whole else NONE
        self.grouped[0] = self.point != NONE
        self.n_rivals[0] = self.next_rival[0] = 0
        if self.n_open > 0:
            self._find_rivals()
            return
        self.covers += self.weight[0]
        if self.record is not None:
            self.record.extend((self.number, -1, -1))

    def _is_tried(self):
        """Goes up to where options are to be tried; whether there are none."""
        while self.depth >= 0 and self.next_rival[self.depth] == self.n_rivals[self.depth]:
            self.depth -= 1
        return self.depth < 0

    def _try_next(self):
        """Covers the item by the next option, and adds the weight to what is left then, or goes on within the point.

        An error of a form leaves the option to be tried.
        """
        d = self.depth
        k = self.next_rival[d]
        weight = self.weight[d] * int(self.size[d, k]) if self.grouped[d] else self.weight[d]
        self.tried = self.rival[d, k]
        self._restore()
        self._choose(self.tried)
        if self.point == NONE:
            if self._force():
                self._add(weight)
        elif self._is_point_open():
            self._go_down(weight)
        else:
            self._find_here()
            self._add(weight)
        self.nodes += 1
        self.next_rival[d] += 1
        self._check_memory()

    def _is_point_open(self):
        """Finds the open items of the point at hand; whether there are any."""
        some: cython.ulonglong = 0
        for w in range(self.words):
            self.here[w] = self.state[w] & self.points[self.point, w]
            some |= self.here[w]
        return some != 0

    def _go_down(self, weight):
        """Goes on within the point, and by orbits if these were larger than one above."""
        d = self.depth + 1
        self.grouped[d] = d == 1
        for k in range(self.n_rivals[d - 1]):
            self.grouped[d] |= self.grouped[d - 1] and self.size[d - 1, k] > 1
        self.depth = d
        self.weight[d] = weight
        for w in range(self.all_words):
            self.level[d, w] = self.state[w]
        self._find_rivals()

    def _find_rivals(self):
        """Chooses an item, and finds the options to be tried: all, or one of each orbit."""
        d = self.depth
        self.n_rivals[d] = self.next_rival[d] = 0
        if self.grouped[d]:
            self._find_own()
            self._find_rival_orbits(self._branch_by_orbits())
            return
        i = self._branch()
        for k in range(self.option_begin[i], self.option_begin[i + 1]):
            if self._is_live(self.option[k]):
                self.rival[d, self.n_rivals[d]] = self.option[k]
                self.n_rivals[d] += 1

    def _find_own(self):
        """Finds the orbits of options, one option at the point at hand of each that has some, and its likely share."""
        self.form.orbits()
        for o in range(self.own.shape[0]):
            self.own[o] = self.seen[o] = NONE
        for w in range(self.words):
            rest = self.here[w]
            while rest:
                i = 64 * w + lowest(rest)
                rest &= rest - 1
                for k in range(self.option_begin[i], self.option_begin[i + 1]):
                    o = self.option[k]
                    if self._is_live(o) and self.own[self.orbit[o]] == NONE:
                        self.own[self.orbit[o]] = o
                        self.share[self.orbit[o]] = 1.0 / self._size(i)

    def _branch_by_orbits(self):
        """Of the items whose options all have some of their orbit at the point at hand, that with the least to do."""
        best = NONE
        work: cython.double
        least: cython.double = 0
        for w in range(self.words):
            rest = self.state[w]
            while rest:
                i = 64 * w + lowest(rest)
                rest &= rest - 1
                work = 0
                for k in range(self.option_begin[i], self.option_begin[i + 1]):
                    if self._is_live(self.option[k]):
                        o = self.orbit[self.option[k]]
                        if self.own[o] == NONE:
                            work = WHOLE
                        elif self.seen[o] != i:
                            self.seen[o] = i
                            work += self.share[o]
                if best == NONE or work < least - 1e-9:  # the order of a sum is no reason
                    best, least = i, work
        return best

    def _find_rival_orbits(self, i):
        """Finds the options that stand for those of an item, and for how many each."""
        d = self.depth
        for k in range(self.option_begin[i], self.option_begin[i + 1]):
            self.seen[self.orbit[self.option[k]]] = NONE
        for k in range(self.option_begin[i], self.option_begin[i + 1]):
            if self._is_live(self.option[k]):
                o = self.orbit[self.option[k]]
                n = self.n_rivals[d]
                if self.seen[o] == NONE:
                    self.seen[o] = n
                    self.rival[d, n], self.size[d, n] = self.own[o], 0
                    self.n_rivals[d] += 1
                self.size[d, self.seen[o]] += 1

    def _restore(self):
        """Makes what is being expanded the remaining problem."""
        self.n_path = 0
        for w in range(self.all_words):
            self.state[w] = self.level[self.depth, w]

    def _choose(self, o):
        """Covers the items of an option; what clashes with it is gone."""
        self.path[self.n_path] = o
        self.n_path += 1
        for k in range(self.item_begin[o], self.item_begin[o + 1]):
            w = self.item[k] >> 6
            self.state[w] ^= self.state[w] & bit(self.item[k] & 63)
        for w in range(self.all_words - self.words):
            self.state[self.words + w] &= ~self.clashes[o, w]

    def _is_live(self, o):
        return (self.state[self.words + (o >> 6)] & bit(o & 63)) != 0

    def _force(self):
        """Chooses options without rivals where the search goes on; False at a dead end. Sets `n_open` and `n_done`."""
        w: cython.int = 0
        self._find_here()
        rest = self.here[0]
        while True:
            while rest == 0:
                w += 1
                if w == self.words:
                    return True
                rest = self.here[w]
            lone = self._lone(64 * w + lowest(rest))
            if lone == NONE:
                return False
            rest &= rest - 1
            if lone != SEVERAL:
                self._choose(lone)
                self._find_here()
                w = 0
                rest = self.here[0]

    def _lone(self, i):
        """The only live option of an item; or NONE, or SEVERAL."""
        lone = NONE
        for k in range(self.option_begin[i], self.option_begin[i + 1]):
            if self._is_live(self.option[k]):
                if lone != NONE:
                    return SEVERAL
                lone = self.option[k]
        return lone

    def _find_here(self):
        """The open items of the point that is begun and has the fewest, or of a whole one, or all; gives the point."""
        best = NONE
        least: cython.int = 2 * WHOLE - 1
        self.n_open = self.n_done = 0
        for w in range(self.words):
            self.n_open += ones(self.state[w])
            self.here[w] = self.state[w]
        for p in range(self.points.shape[0]):
            size: cython.int = 0
            is_begun: cython.bint = False
            for w in range(self.words):
                size += ones(self.state[w] & self.points[p, w])
                is_begun |= (self.points[p, w] & ~self.state[w]) != 0
            self.n_done += size == 0
            size += 0 if is_begun else WHOLE
            if size % WHOLE > 0 and size < least:
                best, least = p, size
        if best != NONE:
            for w in range(self.words):
                self.here[w] &= self.points[best, w]
        return best

    def _branch(self):
        """Of the open items where the search goes on the first with the fewest live options."""
        best = NONE
        least = WHOLE
        for w in range(self.words):
            rest = self.here[w]
            while rest:
                i = 64 * w + lowest(rest)
                rest &= rest - 1
                size = self._size(i)
                if size < least:
                    best, least = i, size
        return best

    def _size(self, i):
        """The number of live options of an item."""
        size: cython.int = 0
        for k in range(self.option_begin[i], self.option_begin[i + 1]):
            size += self._is_live(self.option[k])
        return size

    def _add(self, weight):
        """Adds a weight to the class of what is left."""
        form = self.form.of() if self.n_open else b""
        self.forms += 1
        self._join(form, weight)

    def _join(self, form, weight):
        """Adds a weight to the class with this form; the state at hand is one of it."""
        k: cython.Py_ssize_t
        bucket = self._bucket()
        place = bucket.known.get(form)
        if place is not None:
            k = place
            bucket.weight[k] += weight
        else:
            k = bucket.size
            if k == bucket.state.shape[0]:
                self.bytes += bucket.bytes()
                bucket.grow()
            for w in range(self.kept_words):
                bucket.state[k, w] = self.state[w]
            if self.record is not None:
                bucket.number[k] = self.states
            bucket.known[form] = k
            bucket.weight.append(weight)
            bucket.size += 1
            bucket.forms += ENTRY + len(form)
            self.states += 1
            self.bytes += ENTRY + WEIGHT + len(form)
        if self.record is not None and self.number >= 0:
            self.record.extend((self.number, self.tried, bucket.number[k]))

    def _bucket(self):
        """The bucket of what is left."""
        bucket: Bucket
        part: Part
        if self.n_done > self.done:
            buckets = self.later.setdefault(self.n_done, {})
        else:
            part = self.parts[len(self.parts) - 1]
            buckets = part.buckets
        bucket = buckets.get(self.n_open)
        if bucket is None:
            bucket = buckets[self.n_open] = Bucket(self.kept_words, self.record is not None)
            self.bytes += bucket.bytes()
        return bucket

    def _check_memory(self):
        """Raises a MemoryError if classes and the record take too much, or cannot be numbered any more."""
        taken = self.bytes + (0 if self.record is None else 4 * len(self.record))
        self.most_bytes = max(self.most_bytes, taken)
        if taken > self.memory or (self.record is not None and self.states == MOST):
            raise MemoryError(
                f"the classes take more than {min(self.memory, taken)} bytes: there have been {self.states}, "
                f"and those with {self.top} open items are being expanded"
            )


def _longer(array):
    """An array with twice as many rows, those of the old one first."""
    old = np.asarray(array)
    new = np.empty((2 * len(old), *old.shape[1:]), dtype=old.dtype)
    new[: len(old)] = old
    return new
