# cython: language_level=3
"""The common part of all kernels: counters, budgets, and the buffer of covers.

A kernel is a subclass. It fills its own arrays in `__init__`, after `Frame.__init__`, and overrides `_run` with its
search. Inside `_run` there is no allocation, no recursion, no clock and no Python object, so it runs without the
interpreter lock. It calls `_spent` before each option, and stops unless that returns 0. It counts nodes and updates,
and calls `_emit` for each cover. Its fields hold the whole state of the search, so `_run` can continue at any time.
"""

import cython
import numpy as np

if not cython.compiled:
    from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY

    LACKING = -2


class Frame:
    """A resumable search that has not begun.

    Parameters:
        rows: the problem, a `dlx.problem.roles.Rows`.
        buffer: int32, shape (rows, at least the options of any cover): receives covers, as option numbers in the order
            of choice, padded with -1. If it has no rows, covers are only counted.
        depth: the most options of a path.
    """

    def __init__(self, rows, buffer, depth: cython.int) -> None:
        self.n_items, self.n_primary = rows.n_items, rows.n_primary
        self.n_options = rows.n_options
        self.buffer = buffer
        self.chosen = np.zeros(depth, dtype=np.int32)
        self.filled = self.level = 0
        self.covers = self.nodes = self.updates = 0
        self.node_limit = self.update_limit = self.cover_limit = 0
        self.state = ENTER
        self.base = 0
        self.portable = False

    def run(self, nodes: cython.longlong, updates: cython.longlong, covers: cython.longlong) -> int:
        """Continues the search within budgets of nodes, updates and covers.

        Returns:
            EXHAUSTED: the search has ended. BUFFER_FULL: the budget of covers is spent, or the buffer is full.
            BUDGET_SPENT: the budget of nodes or updates is spent; a node is always finished.
        """
        if self.buffer.shape[0]:
            covers = min(covers, self.buffer.shape[0] - self.filled)
        self.node_limit = self.nodes + nodes
        self.update_limit = self.updates + updates
        self.cover_limit = self.covers + covers
        if self.level < self.base:
            return EXHAUSTED
        while True:
            with cython.nogil:
                status = self._run()
            if status != LACKING:
                return status
            self._equip()

    @property
    def name(self) -> str:
        """The name of the class, its words in small letters."""
        name = type(self).__name__
        return name[0].lower() + "".join(c if c.islower() else f"_{c.lower()}" for c in name[1:])

    def found(self) -> np.ndarray:
        """The covers in the buffer: a row for each, option numbers in the order of choice, then -1."""
        return np.asarray(self.buffer)[: self.filled]

    def fraction(self) -> float:
        """The part of the search tree visited so far, from 0 to 1, assuming subtrees of equal size on each level."""
        done: cython.double = 0.0
        if self.state == DONE:
            return 1.0
        for k in range(self.level - (self.state != TRY), -1, -1):  # outwards, so that rounding never makes it fall
            tried, width = self._branches(k)
            done = (tried + done) / max(1, width)
        return float(done)

    def path(self) -> tuple:
        """The options chosen on the levels above the current one."""
        return tuple(np.asarray(self.chosen)[: self.level].tolist())

    def standing(self) -> tuple:
        """The item of the current level and the option to be tried next; -1 and -1 at the end of the search.

        The item is -1, too, if the kernel branches on something else than an item.
        """
        if self.state != TRY or self.level < self.base:
            return -1, -1
        item = int(self._branching())
        return item if item < self.n_items else -1, int(self._upcoming())

    def mark(self) -> list:
        """Returns the position of the search as whole numbers; another kernel of the same class and rows can `seek` it.

        The covers in the buffer are not included. TypeError: the state of this kernel is more than a position.
        """
        self._must_be_portable()
        if self.level < self.base:
            return [DONE]
        return [TRY, *self.path(), int(self._upcoming())] if self.state == TRY else [self.state]

    def seek(self, mark) -> None:
        """Moves the search to the position of a mark; the buffer is emptied, and the counters are set to 0.

        The search then continues exactly as the one that made the mark. Only the options chosen above that position are
        chosen again. ValueError: the mark is no position of this search, which is at its root then.
        """
        self._must_be_portable()
        self._begin_again()
        numbers = _whole(mark)
        if numbers[0] not in (ENTER, TRY, DONE):
            raise ValueError(f"the mark begins with {numbers[0]}, not with {ENTER}, {TRY} or {DONE}")
        if numbers[0] != TRY and len(numbers) > 1:
            raise ValueError(f"the mark has {len(numbers)} numbers; one that begins with {numbers[0]} has no others")
        if numbers[0] == TRY:
            self._reach(numbers[1:])
        self.state = numbers[0]

    def confine(self, level: cython.int) -> None:
        """Makes the search end when it backs up to a level above this one; `seek` ends this."""
        self.base = level

    def branches(self) -> list:
        """The options still to be tried on the current level, each with its mark.

        This skips all of them, so the search cannot `run` again before it seeks a mark.
        """
        found: list = []
        going: cython.bint = self.state == TRY and self.level >= self.base
        while going:
            found.append((int(self._upcoming()), self.mark()))
            going = self._skip()
        return found

    def probe(self, draws: cython.const[cython.double][::1], tally: cython.double[::1]) -> int:
        """Estimates the whole search by one random path from the root; returns the number of options on the path.

        The estimate is the size of a tree in which all branches of a level are like the one taken. The expected values
        of its nodes and covers are those of the search (Knuth, Estimating the efficiency of backtrack programs,
        doi:10.1090/S0025-5718-1975-0373371-6).

        Parameters:
            draws: float64 from 0 to below 1, at least one for each level: draws[l] picks the option of level l.
            tally: float64, shape (2,): receives the nodes and the covers of that tree.
        """
        assert self.state == ENTER, "a probe starts at the root"
        assert self.buffer.shape[0] == 0, "the covers of a probe are counted, not kept"
        self.run(0, 1 << 60, 1 << 60)
        weight: cython.double = 1.0  # the estimated number of nodes on this level
        length: cython.int = 0
        tally[0] = 0.0
        tally[1] = self.covers
        while self.state == TRY and self.level == length:
            width: cython.int = self._branches(length)[1]
            weight *= width
            skips: cython.int = cython.cast(cython.int, draws[length] * width)
            while skips > 0 and self._skip():
                skips -= 1
            if skips > 0:  # the level has ended before the option drawn
                break
            covers = self.covers
            self.run(1, 1 << 60, 1 << 60)
            tally[0] += weight
            tally[1] += weight * (self.covers - covers)
            length += 1
        self._begin_again()
        return length

    def _equip(self) -> None:
        """Allocates what the search lacks; called when `_run` returns LACKING, before it continues."""

    def _branches(self, level) -> tuple:
        """Returns the numbers of finished branches and of all branches of a level."""
        return 0, 1

    def _begin_again(self) -> None:
        if self.state != ENTER:
            self._restart()
        self.state = ENTER
        self.base = self.filled = 0
        self.covers = self.nodes = self.updates = 0

    def _must_be_portable(self) -> None:
        if not self.portable:
            raise TypeError(f"a search by the kernel {self.name} has no marks")

    def _reach(self, options: list) -> None:
        """Goes to an option on each level in turn, and from each to the next level by a run of one node.

        So a wrong mark never leads to a position that the search cannot reach.
        """
        counters, buffer = (self.nodes, self.updates, self.covers), self.buffer
        base, self.base = self.base, 0
        self.buffer = np.asarray(buffer)[:0]  # no covers: those on the way were already found
        wrong = "" if options else "it has no options"
        for k, option in enumerate(options):
            self.run(k > 0, 1 << 60, 1 << 60)
            arrived = self.state == TRY and self.level == k
            wrong = self._settle(option) if arrived else "no option is to be tried"
            if wrong:
                wrong = f"on level {k} {wrong}"
                break
        self.buffer, self.base = buffer, base
        self.nodes, self.updates, self.covers = counters
        if wrong:
            self._begin_again()
            raise ValueError(f"the mark does not fit the search: {wrong}")

    def _settle(self, option) -> str:
        """Skips the options before this one on the current level; returns what is wrong, or an empty text."""
        while self._upcoming() != option:
            if not self._skip():
                return f"option {option} is not to be tried"
        return ""

    def _branching(self):
        """Returns the item of the current level; portable kernels override this method and the three below."""
        return -1

    def _upcoming(self):
        """Returns the option to be tried next."""
        return -1

    def _skip(self):
        """Skips the option to be tried next; returns False if no other one follows."""
        return False

    def _restart(self):
        """Goes back to the root."""

    def _run(self):
        """Searches until the end, or until `_spent`; subclasses override it, and portable ones end at `base`."""
        return EXHAUSTED

    def _spent(self):
        """Returns the reason to stop before another option is tried, or 0."""
        if self.nodes >= self.node_limit or self.updates >= self.update_limit:
            return BUDGET_SPENT
        if self.covers >= self.cover_limit:
            return BUFFER_FULL
        return 0

    def _emit(self, size):
        """Counts a cover, the first `size` of the chosen options; writes it to the buffer if that has rows."""
        self.covers += 1
        if self.buffer.shape[0]:
            for k in range(size):
                self.buffer[self.filled, k] = self.chosen[k]
            for k in range(size, cython.cast(cython.int, self.buffer.shape[1])):
                self.buffer[self.filled, k] = -1
            self.filled += 1

    def _check_frame(self) -> None:
        """Raises an AssertionError that names a broken invariant of the common fields."""
        assert 0 <= self.filled <= self.buffer.shape[0], f"filled is {self.filled} of {self.buffer.shape[0]} rows"
        assert self.state in (ENTER, TRY, DONE), f"state is {self.state}"


def _whole(mark) -> list:
    """Returns a mark; raises ValueError unless it is a nonempty list of whole numbers."""
    if not isinstance(mark, list):
        raise ValueError(f"a mark is a list of whole numbers, not of type {type(mark).__name__}")
    for k, number in enumerate(mark):
        if type(number) is not int or not 0 <= number < 1 << 31:
            raise ValueError(f"number {k} of the mark is {number!r}; it must be whole, from 0 to {(1 << 31) - 1}")
    if not mark:
        raise ValueError("the mark is empty")
    return mark


def usable(rows) -> np.ndarray:
    """Returns which options have a primary item, as only these are in covers."""
    if rows.n_primary == rows.n_items:
        return np.diff(rows.indptr) > 0
    return np.bincount(rows.owner[rows.indices < rows.n_primary], minlength=rows.n_options) > 0
