# cython: language_level=3
"""Singles in an exact-cover problem, guesses where these are not enough, and backdoors.

A *single* is an item with one option left: in sudoku a cell with one candidate, or a digit with one cell in a row, a
column or a box. Choosing its option rules out others, which can make further singles: all that follows is found before
anything is guessed (unit propagation). A *guess* is an option tried where no single is left, of an item that has the
fewest; where it fails it is ruled out, and what follows from that is no guess.

A *backdoor* is a set of options of a cover from which all others follow by singles (R. Williams, C. Gomes, B. Selman,
Backdoors to typical case complexity, IJCAI 2003, where they are called strong or, as here, weak).

Options that have been ruled out are on a trail, and those that have been chosen on another one, so whatever was done
since a level was entered can be undone.
"""

import cython
import numpy as np

if not cython.compiled:
    from dlx.extending import EXHAUSTED, Frame


class Propagation(Frame):
    """A search for covers, up to `most`, that guesses only where no single is left; the first one is kept."""

    def __init__(self, problem, most: cython.longlong = 2) -> None:
        Frame.__init__(self, problem, np.zeros((0, 0), dtype=np.int32), 0)
        n_items = self.n_items
        none = np.zeros(len(problem.indices), dtype=np.int32)
        indptr, indices = np.array(problem.indptr), np.array(problem.indices)
        colours = none if problem.colours is None else np.array(problem.colours)
        order = np.argsort(indices, kind="stable")
        sizes = np.bincount(indices, minlength=n_items).astype(np.int32)
        self.indptr, self.indices, self.colours = indptr, indices, colours
        self.starts = np.append(0, np.cumsum(sizes)).astype(np.int32)
        self.options = np.repeat(np.arange(self.n_options, dtype=np.int32), np.diff(indptr))[order]
        self.shades = colours[order]
        self.sizes = sizes
        self.covered, self.waiting = np.zeros((2, n_items), dtype=np.int32)
        self.queue = np.zeros(n_items, dtype=np.int32)
        self.live = np.ones(self.n_options, dtype=np.int32)
        self.killed, self.placed, self.cover = np.zeros((3, self.n_options + 1), dtype=np.int32)
        depth = self.n_primary + 2
        self.guessed, self.killed_before, self.placed_before = np.zeros((3, depth), dtype=np.int32)
        self.n_killed = self.n_placed = self.n_queue = 0
        self.open = self.n_primary
        self.most = most
        self.level = -1
        self.size = 0

    def begin(self, chosen) -> bool:
        """Takes everything back, chooses int32 options, and finds what follows; whether that is no contradiction."""
        options: cython.int[::1] = chosen
        self._undo(0, 0)
        self.covers = self.nodes = self.updates = 0
        self.level = self.size = 0
        self.consistent = True
        for k in range(self.n_primary):
            if self.sizes[k] < 2:
                self.consistent &= self._look_at(k)
        for k in range(options.shape[0]):
            if self.covered[self.indices[self.indptr[options[k]]]] and self.live[options[k]]:  # it follows
                continue
            if not (self.consistent and self._choose(options[k])):
                self.consistent = False
                break
        self.consistent = self.consistent and self._follow()
        self.n_killed_first, self.n_placed_first = self.n_killed, self.n_placed
        return self.consistent

    def first(self) -> np.ndarray:
        """The options of the first cover, int32, as far as there is one."""
        return np.array(self.cover)[: self.size]

    def left(self) -> int:
        """The number of primary items that are not covered yet."""
        return self.open

    def fraction(self) -> float:
        """The part of the search tree behind it: nothing is known before the end."""
        return 1.0 if self.level < 0 else 0.0

    def _run(self):
        while True:
            if self.consistent and self.open > 0:
                status = self._spent()
                if status:
                    return status
                option = self._pick()
                self.nodes += 1
                self._mark(option)
                self.consistent = self._choose(option) and self._follow()
                continue
            if self.consistent:
                if self.covers == 0:
                    self._keep(self.placed, self.n_placed)
                self.covers += 1
                if self.covers >= self.most:
                    self.level = -1
                    return EXHAUSTED
            if self.level <= 0:
                self.level = -1
                return EXHAUSTED
            self.level -= 1
            self._undo(self.killed_before[self.level], self.placed_before[self.level])
            self.consistent = self._kill(self.guessed[self.level]) and self._follow()

    def _keep(self, options, size):
        """Keeps the first cover, or the backdoor."""
        self.size = size
        for k in range(size):
            self.cover[k] = options[k]

    def _pick(self):
        """The first option of the first item that has the fewest."""
        best: cython.int = -1
        for k in range(self.n_primary):
            if not self.covered[k] and (best < 0 or self.sizes[k] < self.sizes[best]):
                best = k
                if self.sizes[k] == 2:
                    break
        return self._first_of(best)

    def _first_of(self, item):
        """The first option of an item that is left; -1 if there is none."""
        for k in range(self.starts[item], self.starts[item + 1]):
            if self.live[self.options[k]]:
                return self.options[k]
        return -1

    def _mark(self, option):
        """Enters a level by an option."""
        self.guessed[self.level] = option
        self.killed_before[self.level] = self.n_killed
        self.placed_before[self.level] = self.n_placed
        self.level += 1

    def _follow(self):
        """Chooses the options of all singles, and of those that this makes; False: there is a contradiction."""
        sound: cython.bint = True
        while self.n_queue > 0:
            self.n_queue -= 1
            item = self.queue[self.n_queue]
            self.waiting[item] = 0
            if sound and not self.covered[item]:
                sound = self._choose(self._first_of(item))
        return sound

    def _choose(self, option):
        """Chooses an option, and rules out those that it leaves no place; False: it, or an item, has none itself."""
        sound: cython.bint = True
        if option < 0 or not self.live[option]:
            return False
        self.updates += 1
        self.placed[self.n_placed] = option
        self.n_placed += 1
        for k in range(self.indptr[option], self.indptr[option + 1]):
            if self.colours[k] == 0:
                item = self.indices[k]
                self.covered[item] = 1
                self.open -= item < self.n_primary
        for k in range(self.indptr[option], self.indptr[option + 1]):
            item = self.indices[k]
            for j in range(self.starts[item], self.starts[item + 1]):
                if (
                    self.live[self.options[j]]
                    and self.options[j] != option
                    and (self.colours[k] == 0 or self.shades[j] != self.colours[k])
                ):
                    sound &= self._kill(self.options[j])
        return sound

    def _kill(self, option):
        """Rules out an option; False: an item has none left."""
        sound: cython.bint = True
        self.live[option] = 0
        self.killed[self.n_killed] = option
        self.n_killed += 1
        for k in range(self.indptr[option], self.indptr[option + 1]):
            self.sizes[self.indices[k]] -= 1
            sound &= self._look_at(self.indices[k])
        return sound

    def _look_at(self, item):
        """Notes an item if it is a single; False: it has no option."""
        if item >= self.n_primary or self.covered[item] or self.sizes[item] > 1:
            return True
        if self.sizes[item] == 1 and not self.waiting[item]:
            self.waiting[item] = 1
            self.queue[self.n_queue] = item
            self.n_queue += 1
        return self.sizes[item] == 1

    def _undo(self, killed, placed):
        """Takes back what was done after so many options had been ruled out and chosen."""
        while self.n_queue > 0:
            self.n_queue -= 1
            self.waiting[self.queue[self.n_queue]] = 0
        while self.n_placed > placed:
            self.n_placed -= 1
            option = self.placed[self.n_placed]
            for k in range(self.indptr[option], self.indptr[option + 1]):
                if self.colours[k] == 0:
                    self.covered[self.indices[k]] = 0
                    self.open += self.indices[k] < self.n_primary
        while self.n_killed > killed:
            self.n_killed -= 1
            option = self.killed[self.n_killed]
            self.live[option] = 1
            for k in range(self.indptr[option], self.indptr[option + 1]):
                self.sizes[self.indices[k]] += 1

    def check(self) -> None:
        """Raises an AssertionError that names a broken invariant of the fields."""
        live, covered = np.array(self.live), np.array(self.covered)
        placed, killed = np.array(self.placed)[: self.n_placed], np.array(self.killed)[: self.n_killed]
        indptr, indices, colours = np.array(self.indptr), np.array(self.indices), np.array(self.colours)
        entries = np.repeat(live, np.diff(indptr)) == 1
        sizes = np.bincount(indices[entries], minlength=self.n_items)
        assert (sizes == np.array(self.sizes)).all(), "sizes are not the numbers of live options"
        assert sorted(killed.tolist()) == np.flatnonzero(live == 0).tolist(), "killed and live differ"
        assert live[placed].all(), "an option is placed and killed"
        plain = [k for option in placed for k in range(indptr[option], indptr[option + 1]) if colours[k] == 0]
        assert sorted(indices[plain].tolist()) == np.flatnonzero(covered).tolist(), "covered is not what is placed"
        assert self.open == self.n_primary - covered[: self.n_primary].sum(), "open is not the number of open items"


class Backdoors(Propagation):
    """A search for a backdoor: so many options of a cover that all others follow from them by singles.

    `run` goes through all sets of the size that `seek` says, but for those in which an option follows from others.
    """

    def seek(self, options, size: cython.int) -> None:
        """Begins to look for a backdoor of so many, from 1 on, of the int32 options of one cover."""
        self._undo(self.n_killed_first, self.n_placed_first)
        self.among = options
        self.at = np.zeros(size + 1, dtype=np.int32)
        self.wanted = size
        self.level = 0
        self.covers = 0

    def fraction(self) -> float:
        """The part of the first options that is behind it."""
        return 1.0 if self.level < 0 else max(0, self.at[0] - 1) / max(1, self.among.shape[0])

    def _run(self):
        while self.level >= 0:
            if self.at[self.level] == self.among.shape[0]:
                self.level -= 1
                if self.level >= 0:
                    self._undo(self.killed_before[self.level], self.placed_before[self.level])
                continue
            option = self.among[self.at[self.level]]
            if self.covered[self.indices[self.indptr[option]]]:  # it follows from those before
                self.at[self.level] += 1
                continue
            status = self._spent()
            if status:
                return status
            self.at[self.level] += 1
            self.nodes += 1
            self._mark(option)
            self._choose(option)
            self._follow()
            if self.open == 0:
                self._keep(self.guessed, self.level)
                self.covers = 1
                self.level = -1
                return EXHAUSTED
            if self.level == self.wanted:
                self.level -= 1
                self._undo(self.killed_before[self.level], self.placed_before[self.level])
            else:
                self.at[self.level] = self.at[self.level - 1]
        return EXHAUSTED
