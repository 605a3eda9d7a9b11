# cython: language_level=3
"""The frame of a kernel: what it is made of, how it runs within budgets, and how covers get out.

A kernel is a subclass that fills its own arrays in `__init__`, after `Frame.__init__`, and overrides `_run` with
its search.
Inside `_run` there is no allocation, no recursion, no clock and no Python object: it runs without the interpreter lock.
Before it tries an option it asks `_spent`, and returns what that says unless it is 0; it counts nodes and updates; each
cover goes out by `_emit`. Whatever it needs to go on is in its fields.
"""

import cython
import numpy as np

if not cython.compiled:
    from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY


class Frame:
    """A resumable search that has not begun.

    Parameters:
        rows: the problem, a `dlx.roles.Rows`.
        buffer: int32, shape (rows, at least the options of any cover): where covers go, as option numbers in the order
            of choice, padded with -1; without rows they are only counted.
        depth: how many options a path may have.
    """

    def __init__(self, rows, buffer, depth: cython.int) -> None:
        self.n_items, self.n_primary = rows.n_items, rows.n_primary
        self.n_options = len(rows.indptr) - 1
        self.buffer = buffer
        self.chosen = np.zeros(depth, dtype=np.int32)
        self.filled = self.level = 0
        self.covers = self.nodes = self.updates = 0
        self.node_limit = self.update_limit = self.cover_limit = 0
        self.state = ENTER
        self.portable = False

    def run(self, nodes: cython.longlong, updates: cython.longlong, covers: cython.longlong) -> int:
        """Goes on until the search ends, the buffer is full, or a budget is spent.

        Parameters:
            nodes: how many more options it may try.
            updates: how many more steps it may do; a node that has begun is finished.
            covers: how many more covers it may find.

        Returns:
            EXHAUSTED, BUFFER_FULL (also where `covers` have been found), or BUDGET_SPENT.
        """
        status: cython.int
        if self.buffer.shape[0]:
            covers = min(covers, self.buffer.shape[0] - self.filled)
        self.node_limit = self.nodes + nodes
        self.update_limit = self.updates + updates
        self.cover_limit = self.covers + covers
        with cython.nogil:
            status = self._run()
        return status

    @property
    def name(self) -> str:
        """What the kernel is called: its class, in small letters."""
        return type(self).__name__.lower()

    def found(self) -> np.ndarray:
        """The covers in the buffer: a row for each, option numbers in the order of choice, then -1."""
        return np.asarray(self.buffer)[: self.filled]

    def path(self) -> tuple:
        """The options chosen on the levels above the one on which the search stands."""
        return tuple(np.asarray(self.chosen)[: self.level].tolist())

    def mark(self) -> list:
        """Where the search stands, in whole numbers: what another kernel takes to go on from there.

        The covers in the buffer have been found and are no part of it. The numbers mean something to kernels of the
        same class that are made of the same rows and the same ranks, and to no others.

        Raises:
            TypeError: this kernel has no marks, since it knows more than where it stands.
        """
        self._must_be_portable()
        return [self.state, *(self._trace() if self.state == TRY else ())]

    def seek(self, mark) -> None:
        """Brings a search that has not begun to where the one stood that gave a mark, without visiting a node.

        From there on it tries the same options in the same order as that one after it gave the mark. It makes the
        choices above that place again, and takes as long as these. Its counters begin at 0.

        Parameters:
            mark: what `mark` returned, in this process or in another one.

        Raises:
            TypeError: this kernel has no marks.
            ValueError: the search has begun, or the mark is none of its places; the search can begin as before.
        """
        self._must_be_portable()
        if self.state != ENTER:
            raise ValueError("a search that has begun does not go to another place")
        numbers = _whole(mark)
        if numbers[0] not in (ENTER, TRY, DONE):
            raise ValueError(f"the mark begins with {numbers[0]}, not with {ENTER}, {TRY} or {DONE}")
        if numbers[0] != TRY and len(numbers) > 1:
            raise ValueError(f"the mark has {len(numbers)} numbers; one that begins with {numbers[0]} has no others")
        wrong = self._reach(numbers[1:]) if numbers[0] == TRY else ""
        self.updates = 0
        if wrong:
            self._restart()
            raise ValueError(f"the mark does not fit the search: {wrong}")
        self.state = numbers[0]

    def _must_be_portable(self) -> None:
        if not self.portable:
            raise TypeError(f"a search by the kernel {self.name} cannot be gone on with elsewhere")

    def _trace(self) -> list:
        """What `_reach` takes: the options chosen, and the one to be tried next. A portable kernel has `_upcoming`."""
        return [*self.path(), self._upcoming()]

    def _reach(self, options: list) -> str:
        """Goes to the first option, chooses it, goes to the next one, ..., and stays at the last; or says why not.

        For this, and for the way back, a portable kernel has `_find`, `_descend` and `_restart`. They do what the
        search does, so that a wrong mark leads nowhere where a search could not be.
        """
        for k, option in enumerate(options):
            if k > 0 and not self._descend():
                return f"nothing is tried below option {options[k - 1]} on level {k - 1}"
            if not self._find(option):
                return f"option {option} is none of those on level {k}"
        return "" if options else "it has no option to try"

    def _run(self):
        """Searches until the end, or until `_spent`; for subclasses to override."""
        return EXHAUSTED

    def _spent(self):
        """Why to stop before another option is tried, or 0."""
        if self.nodes >= self.node_limit or self.updates >= self.update_limit:
            return BUDGET_SPENT
        if self.covers >= self.cover_limit:
            return BUFFER_FULL
        return 0

    def _emit(self, size):
        """Counts a cover, the first `size` of the chosen options, and writes it to the buffer, if that has rows."""
        k: cython.int
        self.covers += 1
        if self.buffer.shape[0]:
            for k in range(size):
                self.buffer[self.filled, k] = self.chosen[k]
            for k in range(size, cython.cast(cython.int, self.buffer.shape[1])):
                self.buffer[self.filled, k] = -1
            self.filled += 1

    def _check_frame(self) -> None:
        """Raises an AssertionError that names a broken invariant of the fields above."""
        assert 0 <= self.filled <= self.buffer.shape[0], f"filled is {self.filled} of {self.buffer.shape[0]} rows"
        assert self.state in (ENTER, TRY, DONE), f"state is {self.state}"


def _whole(mark) -> list:
    """A mark, if that is a list of whole numbers, and not an empty one."""
    if not isinstance(mark, list):
        raise ValueError(f"a mark is a list of whole numbers, not of type {type(mark).__name__}")
    for k, number in enumerate(mark):
        if type(number) is not int or not 0 <= number < 1 << 31:
            raise ValueError(f"number {k} of the mark is {number!r}; it must be whole, from 0 to {(1 << 31) - 1}")
    if not mark:
        raise ValueError("the mark is empty")
    return mark
