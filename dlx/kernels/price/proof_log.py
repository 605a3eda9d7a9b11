# cython: language_level=3
"""The steps of a search by prices, written down for whoever does not trust it (`dlx.optimum.certificate`).

    PRICES  the prices of all items, from here on and below
    ITEM    item, options: one of the options is chosen, since the others are too few for the item
    OPTION  option, side: it is chosen, or it is not; where `side` is 0, the other way round
    PAIR    two items, side: one option covers both, or none does; where `side` is 0, the other way round
    END     no cover here reaches the target

They are those of a tree, each before the ones below it. A step with a number of sides is followed by what is below each
of these in turn; ITEM may have none.
"""

import cython
import numpy as np

from dlx.kernels.cover.frame import Frame

if not cython.compiled:
    PRICES, ITEM, OPTION, PAIR, END = range(5)  # as in the header


class ProofLog(Frame):
    """A search that can write down its steps.

    Parameters: as for `Frame`.
    """

    def __init__(self, rows, buffer, depth: cython.int) -> None:
        Frame.__init__(self, rows, buffer, depth)
        self.recording = False
        self.record = np.zeros(1, dtype=np.int64)
        self.recorded = self.margin = 0

    def write_down(self, rounds: cython.longlong, room: cython.longlong) -> None:
        """Writes down all steps from now on; a search comes back when there may be no room for those of a node.

        Parameters:
            rounds: how often there may be new prices at the root before the steps are taken out.
            room: how many more numbers there should be room for.
        """
        prices: cython.longlong = self.n_items + 2
        self.margin = 4 * prices + 5 * cython.cast(cython.longlong, self.n_options) + 64
        self.record = np.empty(rounds * prices + 2 * self.margin + room, dtype=np.int64)
        self.recording = True

    def steps(self) -> np.ndarray:
        """The steps written down since they were taken out the last time; int64."""
        if self.recorded > self.record.shape[0]:
            raise MemoryError(f"{self.recorded} numbers do not fit where {self.record.shape[0]} were expected")
        taken = np.asarray(self.record)[: self.recorded].copy()
        self.recorded = 0
        return taken

    def _write(self, number):
        if self.recorded < self.record.shape[0]:
            self.record[self.recorded] = number
        self.recorded += 1

    def _step(self, kind, numbers):
        """Begins a step with so many numbers."""
        self._write(kind)
        self._write(numbers)

    def _record_prices(self, prices, place, open):
        """New prices; items that are no longer open cost nothing."""
        i: cython.int
        self._step(PRICES, self.n_items)
        for i in range(self.n_items):
            self._write(prices[i] if place[i] < open else 0)

    def _record_item(self, i, o):
        """Item i has to be covered by option o, or cannot be if that is -1."""
        self._step(ITEM, 1 + (o >= 0))
        self._write(i)
        if o >= 0:
            self._write(o)

    def _crowded(self):
        """Whether the steps of another node may not fit."""
        return self.recording and self.record.shape[0] - self.recorded < self.margin
