# cython: language_level=3
"""The proof log of branch and bound: the steps of the search tree, each before the ones below it.

    PRICES  the prices of all items, from here on and below
    ITEM    item, options: one of the options is chosen, since the others are too few for the item
    OPTION  option, side: it is chosen, or it is not; where `side` is 0, the other way round
    PAIR    two items, side: one option covers both, or none does; where `side` is 0, the other way round
    END     no cover here reaches the target

A step with a number of sides is followed by the steps below each of these in turn; ITEM may have none. Certificates
have this form (`dlx.optimum.certificate`).
"""

import cython
import numpy as np

if not cython.compiled:
    PRICES, ITEM, OPTION, PAIR, END = range(5)  # as in the header


class ProofLog:
    """A proof log, which takes no steps before it is opened.

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
        """Takes all steps from now on, at first up to `rounds` prices at the root, with room for more numbers.

        A search comes back when there may be no room for the steps of another node.
        """
        self.record = np.empty(rounds * (self.n_items + 2) + 2 * self.margin + room, dtype=np.int64)
        self.is_open = True

    def take(self) -> np.ndarray:
        """Takes out the steps since the last time; int64."""
        if self.recorded > self.record.shape[0]:
            raise MemoryError(f"{self.recorded} numbers do not fit where {self.record.shape[0]} were expected")
        taken = np.asarray(self.record)[: self.recorded].copy()
        self.recorded = 0
        return taken

    def is_full(self):
        """Tells whether the steps of another node may not fit."""
        return self.is_open and self.record.shape[0] - self.recorded < self.margin

    def write(self, number):
        if self.recorded < self.record.shape[0]:
            self.record[self.recorded] = number
        self.recorded += 1

    def step(self, kind, numbers):
        self.write(kind)
        self.write(numbers)

    def prices(self, prices, place, open):
        """Writes new prices; items that are no longer open cost nothing."""
        if self.is_open:
            self.step(PRICES, self.n_items)
            for i in range(self.n_items):
                self.write(prices[i] if place[i] < open else 0)

    def item(self, i, o):
        """Writes that item i has to be covered by option o, or cannot be if that is -1."""
        if self.is_open:
            self.step(ITEM, 1 + (o >= 0))
            self.write(i)
            if o >= 0:
                self.write(o)

    def end(self):
        if self.is_open:
            self.step(END, 0)
