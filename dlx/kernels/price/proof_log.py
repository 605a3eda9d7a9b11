# cython: language_level=3
"""The proof log of branch and bound: the steps of the search tree, each before the ones below it.

    PRICES  the prices of all items, valid for this node and those below it
    ITEM    an item and options: a branch for each option, if the item's other options are too few or cost too much
    OPTION  an option and a side: a branch with the option and one without it; the latter first if the side is 0
    PAIR    two items and a side: a branch in which one option covers both and one in which none does; the latter
            first if the side is 0
    END     no cover of this node reaches the target

A step with branches is followed by the steps of each branch in turn; ITEM may have no branch. Certificates have this
form (`dlx.optimum.certificate`).
"""

import cython
import numpy as np

if not cython.compiled:
    PRICES, ITEM, OPTION, PAIR, END = range(5)  # as in the header


class ProofLog:
    """A proof log; it records steps once it has been opened.

    Parameters:
        n_items, n_options: the numbers of items and options.
    """

    def __init__(self, n_items: cython.int, n_options: cython.longlong) -> None:
        self.n_items = n_items
        self.is_open = False
        self.record = np.zeros(1, dtype=np.int64)
        self.recorded = 0
        self.margin = 4 * (self.n_items + 2) + 5 * n_options + 64

    def open(self, rounds: cython.longlong, room: cython.longlong) -> None:
        """Records all steps from now on.

        Parameters:
            rounds: the most PRICES steps at the root.
            room: further numbers that fit; a search returns when the steps of another node may not fit.
        """
        self.record = np.empty(rounds * (self.n_items + 2) + 2 * self.margin + room, dtype=np.int64)
        self.is_open = True

    def take(self) -> np.ndarray:
        """Removes and returns the recorded steps; int64."""
        if self.recorded > self.record.shape[0]:
            raise MemoryError(f"{self.recorded} numbers do not fit in a log of {self.record.shape[0]}")
        taken = np.asarray(self.record)[: self.recorded].copy()
        self.recorded = 0
        return taken

    def is_full(self):
        """Returns whether the steps of another node may not fit."""
        return self.is_open and self.record.shape[0] - self.recorded < self.margin

    def write(self, number):
        if self.recorded < self.record.shape[0]:
            self.record[self.recorded] = number
        self.recorded += 1

    def step(self, kind, numbers):
        self.write(kind)
        self.write(numbers)

    def prices(self, prices, place, open):
        """Records new prices; closed items get price 0."""
        if self.is_open:
            self.step(PRICES, self.n_items)
            for i in range(self.n_items):
                self.write(prices[i] if place[i] < open else 0)

    def item(self, i, o):
        """Records that item i must be covered by option o, or cannot be covered (o=-1)."""
        if self.is_open:
            self.step(ITEM, 1 + (o >= 0))
            self.write(i)
            if o >= 0:
                self.write(o)

    def end(self):
        if self.is_open:
            self.step(END, 0)
