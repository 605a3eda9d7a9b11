# cython: language_level=3
"""Counting class by class: isomorphic remaining problems are solved once.

A class of remaining problems is known by its canonical form. Classes are kept in *buckets* by the number of complete
points and the number of open items. A class is expanded once: one of its items is covered by each option of that item
in turn. The class of each remaining problem then gets the weight of the expanded class: the number of ways to reach it.
The weight that reaches the empty problem is the number of covers. Buckets are expanded in the order of their complete
points, and then from many open items to few. So no class is added to a bucket while it is being expanded, and the forms
of this bucket can be forgotten.

All items of a point are covered before the items of the next point, which keeps the number of classes small. If there
are several points, classes are *whole*: plain search covers all items of a point before a form is computed. Then one
option of each orbit under the group of the class is tried, with the size of the orbit as a factor. Otherwise a form is
computed after each option and the options that it forces. Forms are Python objects, so this kernel holds the
interpreter lock and allocates memory.
"""

import cython
import numpy as np

if not cython.compiled:
    from dlx.kernels import BUDGET_SPENT, EXHAUSTED

    def lowest(word) -> int:
        """Returns the place of the lowest one bit."""
        return (int(word) & -int(word)).bit_length() - 1

    def ones(word) -> int:
        """Returns the number of one bits."""
        return int(word).bit_count()

    def bit(place) -> np.uint64:
        """Returns a word with one bit."""
        return np.uint64(1 << int(place))


CLASS = cython.declare(cython.int, 150)  # estimated bytes of a weight and a state, without the words of the state
FORM = cython.declare(cython.int, 150)  # estimated bytes of a form in a bucket, beyond its length
WHOLE = cython.declare(cython.int, 1 << 30)  # more than any number of items
NONE = cython.declare(cython.int, -1)  # no option, item or point
SEVERAL = cython.declare(cython.int, -2)  # more than one option


class Remaining:
    """A problem and the current state, which is a part of the problem.

    Parameters:
        state: uint64: the whole problem at first; then the current state.
        words: the number of words for open items.
        items, options: the primary items of each option, and the options of each primary item, as (begin, numbers),
            int32.
        clashes: uint64, shape (options, words): the options that clash with each.
    """

    def __init__(self, state, words, items, options, clashes) -> None:
        self.item_begin, self.item = items
        self.option_begin, self.option = options
        self.clashes = clashes
        self.state, self.root = state, state.copy()
        self.words, self.all_words = words, len(state)

    def check(self) -> None:
        """Raises AssertionError unless the current state is a subset of the root."""
        for w in range(self.all_words):
            assert self.state[w] & ~self.root[w] == 0

    def load(self, state):
        """Sets the current state."""
        for w in range(self.all_words):
            self.state[w] = state[w]

    def choose(self, o):
        """Covers the items of an option, and removes the options that clash with it."""
        for k in range(self.item_begin[o], self.item_begin[o + 1]):
            w = self.item[k] >> 6
            self.state[w] ^= self.state[w] & bit(self.item[k] & 63)
        for w in range(self.all_words - self.words):
            self.state[self.words + w] &= ~self.clashes[o, w]

    def is_live(self, o):
        return (self.state[self.words + (o >> 6)] & bit(o & 63)) != 0

    def lone(self, i):
        """Returns the only live option of an item, or NONE, or SEVERAL."""
        lone = NONE
        for k in range(self.option_begin[i], self.option_begin[i + 1]):
            if self.is_live(self.option[k]):
                if lone != NONE:
                    return SEVERAL
                lone = self.option[k]
        return lone

    def size(self, i):
        """Returns the number of live options of an item."""
        size: cython.int = 0
        for k in range(self.option_begin[i], self.option_begin[i + 1]):
            size += self.is_live(self.option[k])
        return size


class Frontier:
    """The classes that wait to be expanded.

    Parameters:
        memory: the maximum for classes in bytes, estimated.
    """

    def __init__(self, memory) -> None:
        self.memory = memory
        self.most_bytes = self.states = 0
        self.clear()

    def clear(self) -> None:
        """Forgets all classes."""
        self.buckets, self.current, self.bytes = {}, [], 0

    @property
    def waiting(self) -> list:
        """The weights and states of all classes."""
        return [*self.current, *[each for bucket in self.buckets.values() for each in bucket.values()]]

    @property
    def width(self) -> int:
        """The number of classes."""
        return len(self.current) + sum([len(bucket) for bucket in self.buckets.values()])

    def last(self):
        """Returns the weight and the state of the next class; None at the end."""
        self.most_bytes = max(self.most_bytes, self.bytes)
        if not self.current:
            if not self.buckets:
                return None
            bucket = self.buckets.pop(min(self.buckets))
            self.bytes -= sum([FORM + len(form) for form in bucket])
            self.current = [*bucket.values()]
        return self.current[len(self.current) - 1]  # negative indices are undefined in kernels

    def drop(self):
        """Removes the class that `last` has returned."""
        self.bytes -= CLASS + len(self.current.pop()[1])

    def add(self, order, form, state, weight):
        """Adds a weight to the class with a form; a new class stores the state."""
        bucket: dict = self.buckets.setdefault(order, {})
        known = bucket.get(form)
        if known is not None:
            known[0] += weight
            return
        bucket[form] = [weight, state.tobytes()]
        self.bytes += FORM + len(form) + CLASS + state.nbytes
        self.states += 1

    def check_memory(self):
        """Raises MemoryError if the classes take more than `memory`."""
        if self.bytes > self.memory:
            raise MemoryError(
                f"the classes take more than {self.memory} bytes: {self.width} wait to be expanded, "
                f"of {self.states} so far; give more memory"
            )

    def check(self) -> None:
        """Raises AssertionError unless each bucket has classes with weights, and `bytes` is right."""
        forms = [form for bucket in self.buckets.values() for form in bucket]
        assert all(self.buckets.values())
        assert all(weight > 0 for weight, _ in self.waiting)
        taken = sum(CLASS + len(state) for _, state in self.waiting) + sum(FORM + len(form) for form in forms)
        assert self.bytes == taken


class Choice:
    """A state, the item that is being covered, and the options to be tried."""

    def __init__(self, words, wide) -> None:
        self.state = np.zeros(words, dtype=np.uint64)
        self.rival, self.size = np.ones((2, wide), dtype=np.int32)
        self.n_rivals = self.next_rival = 0
        self.weight = 1

    def check(self) -> None:
        """Raises AssertionError unless the numbers of rivals are in order."""
        assert 0 <= self.next_rival <= self.n_rivals <= self.rival.shape[0]
        assert self.weight > 0
        for k in range(self.n_rivals):
            assert self.size[k] > 0


class Orbits:
    """The orbits of live options, and the branching by them."""

    def __init__(self, remaining, form) -> None:
        self.remaining, self.form = remaining, form
        self.orbit = form.orbit
        self.own, self.seen = np.zeros((2, len(self.orbit)), dtype=np.int32)
        self.share = np.zeros(len(self.orbit))

    def find(self, here):
        """Finds the orbits; for each orbit, finds an option with an item of the point, and their share."""
        self.form.orbits()
        for o in range(self.own.shape[0]):
            self.own[o] = self.seen[o] = NONE
        for w in range(self.remaining.words):
            rest = here[w]
            while rest:
                i = 64 * w + lowest(rest)
                rest &= rest - 1
                for k in range(self.remaining.option_begin[i], self.remaining.option_begin[i + 1]):
                    o = self.remaining.option[k]
                    if self.remaining.is_live(o) and self.own[self.orbit[o]] == NONE:
                        self.own[self.orbit[o]] = o
                        self.share[self.orbit[o]] = 1.0 / self.remaining.size(i)

    def branch(self):
        """Returns the open item with the least work, if each orbit of its options has an option at the point."""
        best = NONE
        work: cython.double
        least: cython.double = 0
        for w in range(self.remaining.words):
            rest = self.remaining.state[w]
            while rest:
                i = 64 * w + lowest(rest)
                rest &= rest - 1
                work = 0
                for k in range(self.remaining.option_begin[i], self.remaining.option_begin[i + 1]):
                    if self.remaining.is_live(self.remaining.option[k]):
                        o = self.orbit[self.remaining.option[k]]
                        if self.own[o] == NONE:
                            work = WHOLE
                        elif self.seen[o] != i:
                            self.seen[o] = i
                            work += self.share[o]
                if best == NONE or work < least - 1e-9:  # larger than rounding errors of the sums
                    best, least = i, work
        return best

    def find_rivals(self, choice, i):
        """Keeps one option of each orbit among the options of an item, with the size of the orbit."""
        for k in range(self.remaining.option_begin[i], self.remaining.option_begin[i + 1]):
            self.seen[self.orbit[self.remaining.option[k]]] = NONE
        for k in range(self.remaining.option_begin[i], self.remaining.option_begin[i + 1]):
            if self.remaining.is_live(self.remaining.option[k]):
                o = self.orbit[self.remaining.option[k]]
                n = choice.n_rivals
                if self.seen[o] == NONE:
                    self.seen[o] = n
                    choice.rival[n], choice.size[n] = self.own[o], 0
                    choice.n_rivals += 1
                choice.size[self.seen[o]] += 1


class ClassCount:
    """A count up to isomorphism that has not begun.

    Parameters:
        remaining: the problem.
        points: uint64, shape (points, words): the items of the points that are completed one after the other.
        form: its method `of()` returns the canonical form of the current state as bytes; for several points it also has
            orbits.
        memory: the maximum for classes in bytes, estimated.

    Raises:
        MemoryError: `memory` has no room for the first class.
    """

    def __init__(self, remaining, points, form, memory) -> None:
        self.remaining, self.points, self.form, self.whole = remaining, points, form, len(points) > 1
        self.frontier = Frontier(memory)
        self.state = np.asarray(self.remaining.state)
        self.orbits = Orbits(remaining, form) if self.whole else None
        deep = 1 + max([sum([ones(word) for word in point]) for point in points]) if self.whole else 1
        wide = int(np.diff(self.remaining.option_begin).max(initial=0))
        self.choices = [Choice(self.remaining.all_words, wide) for _ in range(deep)]
        self.here = np.zeros(self.remaining.words, dtype=np.uint64)
        self.covers = self.nodes = self.forms = self.done = 0
        self.point, self.depth = NONE, -1
        self._find_here()
        self.top = self.n_open
        self._add(1)
        self.frontier.check_memory()

    def run(self, nodes: cython.longlong) -> int:
        """Continues until the count ends or `nodes` nodes have been tried, even after an error in a form.

        Raises:
            MemoryError: the classes take more than `memory`.
        """
        limit = self.nodes + nodes
        while True:
            if self._is_tried():
                if not self._expand_next():
                    return EXHAUSTED
            elif self.nodes >= limit:
                self.frontier.check_memory()
                return BUDGET_SPENT
            else:
                self._try_next()

    @property
    def states(self) -> int:
        """The number of classes found so far."""
        return self.frontier.states

    def waiting(self) -> tuple:
        """Returns the states that are still to be counted, one row for each, and their weights.

        These are the waiting classes, and the states after each untried option.
        """
        choice: Choice
        weights: list = [weight for weight, _ in self.frontier.waiting]
        states: list = [state for _, state in self.frontier.waiting]
        for choice in self.choices[: self.depth + 1]:
            for k in range(choice.next_rival, choice.n_rivals):
                self.remaining.load(choice.state)
                self.remaining.choose(choice.rival[k])
                states.append(self.state.tobytes())
                weights.append(choice.weight * int(choice.size[k]))
        return np.frombuffer(b"".join(states), dtype=np.uint64).reshape(-1, self.remaining.all_words), weights

    def clear(self) -> None:
        """Removes all states that are still to be counted."""
        self.frontier.clear()
        self.depth = -1

    def put(self, states, weights) -> None:
        """Adds states that `waiting` has returned.

        Raises:
            ValueError: these are no states of this problem.
            MemoryError: the classes take more than `memory`.
        """
        root = np.asarray(self.remaining.root)
        if states.shape != (len(weights), len(root)) or (states & ~root).any() or min(weights, default=1) < 1:
            raise ValueError(
                f"{len(weights)} weights and an array of shape {states.shape} are no states of the problem"
            )
        rows: cython.ulonglong[:, ::1] = states
        for k in range(len(weights)):
            self.remaining.load(rows[k])
            self._find_here()
            self._add(weights[k])
        self.frontier.check_memory()

    def check(self) -> None:
        """Raises AssertionError unless the fields are in order."""
        choice: Choice
        self.remaining.check()
        self.frontier.check()
        assert -1 <= self.depth < len(self.choices)
        for choice in self.choices[: self.depth + 1]:
            choice.check()
            self.remaining.load(choice.state)
            for k in range(choice.n_rivals):
                assert self.remaining.is_live(choice.rival[k])

    def _expand_next(self):
        """Begins to expand the next class; returns False if there is none."""
        last = self.frontier.last()
        if last is None:
            return False
        weight, state = last
        self.remaining.load(np.frombuffer(state, dtype=np.uint64))
        self.depth = 0
        choice = self._begin_choice(weight)
        point = self._find_here()
        self.point = point if self.whole else NONE
        self.top, self.done = self.n_open, self.n_done
        if self.n_open == 0:
            self.covers += choice.weight
        else:
            self._find_rivals(choice, self.point != NONE)  # after an error, the class stays in its bucket
        self.frontier.drop()
        return True

    def _is_tried(self):
        """Goes up to a choice with untried options; returns True if there is none."""
        choice: Choice
        while self.depth >= 0:
            choice = self.choices[self.depth]
            if choice.next_rival < choice.n_rivals:
                return False
            self.depth -= 1
        return True

    def _try_next(self):
        """Covers the item by the next option; adds the state to its class, or continues within the point.

        If the canonical form raises an error, the next run tries the option again.
        """
        choice: Choice = self.choices[self.depth]
        k = choice.next_rival
        weight = choice.weight if choice.size[k] == 1 else choice.weight * int(choice.size[k])
        self.remaining.load(choice.state)
        self.remaining.choose(choice.rival[k])
        if self.point == NONE:
            if self._force():
                self._add(weight)
        elif self._is_point_open():
            self.depth += 1
            below = self._begin_choice(weight)
            self._find_rivals(below, self.depth == 1 or _has_orbits(choice))
        else:
            self._find_here()
            self._add(weight)
        self.nodes += 1
        choice.next_rival += 1

    def _is_point_open(self):
        """Finds the open items of the current point; returns whether there are any."""
        some: cython.ulonglong = 0
        for w in range(self.remaining.words):
            self.here[w] = self.remaining.state[w] & self.points[self.point, w]
            some |= self.here[w]
        return some != 0

    def _begin_choice(self, weight):
        """Stores the current state in the current choice, without untried options."""
        choice: Choice = self.choices[self.depth]
        choice.n_rivals = choice.next_rival = 0
        choice.weight = weight
        for w in range(self.remaining.all_words):
            choice.state[w] = self.remaining.state[w]
        return choice

    def _find_rivals(self, choice, by_orbits):
        """Chooses an item, and finds the options to be tried: all of them, or one of each orbit."""
        if by_orbits:
            self.orbits.find(self.here)
            self.orbits.find_rivals(choice, self.orbits.branch())
            return
        i = self._branch()
        for k in range(self.remaining.option_begin[i], self.remaining.option_begin[i + 1]):
            if self.remaining.is_live(self.remaining.option[k]):
                choice.rival[choice.n_rivals], choice.size[choice.n_rivals] = self.remaining.option[k], 1
                choice.n_rivals += 1

    def _force(self):
        """Chooses options without rivals among the items of `here`; returns False at a dead end.

        Sets `n_open` and `n_done`.
        """
        w: cython.int = 0
        self._find_here()
        rest = self.here[0]
        while True:
            while rest == 0:
                w += 1
                if w == self.remaining.words:
                    return True
                rest = self.here[w]
            lone = self.remaining.lone(64 * w + lowest(rest))
            if lone == NONE:
                return False
            rest &= rest - 1
            if lone != SEVERAL:
                self.remaining.choose(lone)
                self._find_here()
                w = 0
                rest = self.here[0]

    def _find_here(self):
        """Finds the next items to cover: the begun point with the fewest open items, else a whole point, else all
        items.

        Sets `here`, `n_open` and `n_done`, and returns the point or NONE.
        """
        best = NONE
        least: cython.int = 2 * WHOLE - 1
        self.n_open = self.n_done = 0
        for w in range(self.remaining.words):
            self.n_open += ones(self.remaining.state[w])
            self.here[w] = self.remaining.state[w]
        for p in range(self.points.shape[0]):
            size: cython.int = 0
            is_begun: cython.bint = False
            for w in range(self.remaining.words):
                size += ones(self.remaining.state[w] & self.points[p, w])
                is_begun |= (self.points[p, w] & ~self.remaining.state[w]) != 0
            self.n_done += size == 0
            size += 0 if is_begun else WHOLE
            if size % WHOLE > 0 and size < least:
                best, least = p, size
        if best != NONE:
            for w in range(self.remaining.words):
                self.here[w] &= self.points[best, w]
        return best

    def _branch(self):
        """Returns the first item of `here` with the fewest live options."""
        best = NONE
        least = WHOLE
        for w in range(self.remaining.words):
            rest = self.here[w]
            while rest:
                i = 64 * w + lowest(rest)
                rest &= rest - 1
                size = self.remaining.size(i)
                if size < least:
                    best, least = i, size
        return best

    def _add(self, weight):
        """Adds a weight to the class of the current state."""
        form = self.form.of() if self.n_open else b""
        self.forms += 1
        order = (cython.cast(cython.longlong, self.n_done) << 32) - self.n_open
        self.frontier.add(order, form, self.state, weight)


def _has_orbits(choice: Choice) -> cython.bint:
    """Returns whether an option of a choice stands for several."""
    for k in range(choice.n_rivals):
        if choice.size[k] > 1:
            return True
    return False
