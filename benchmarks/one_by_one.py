"""The base of sudoku solvers that take one grid after the other, until their time is over."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

Grids = npt.NDArray[np.uint8]
Grid = npt.NDArray[np.uint8]  # 81 digits, 0 for a blank

CUT = 2.0  # a side that is so many times later than it should be is in a grid without end
AGAIN = 0.2  # seconds to the next signal, if a solver has caught the exception of the last one


class LateError(BaseException):
    """The time is over; no solver should catch this."""


def late(*_: object) -> None:
    """Ends what goes on when the time is over."""
    raise LateError


def rows(grid: Grid) -> list[list[int]]:
    """A grid as nine lists of digits."""
    return [[int(digit) for digit in row] for row in grid.reshape(9, 9)]


def square(grid: Grid) -> Grid:
    """A grid as an array of nine rows."""
    return grid.reshape(9, 9)


def line(grid: Grid) -> str:
    """A grid as 81 digits."""
    return "".join(map(str, grid.tolist()))


def digits(found: Any) -> list[int]:
    """A completion in whatever form, as 81 digits."""
    return [int(digit) for digit in (found if isinstance(found, str) else np.ravel(found))]


class OneByOne:
    """A solver that is given one grid after the other."""

    package = ""  # what it is called on the package index
    form: Callable[[Grid], Any] = staticmethod(rows)

    def solve(self, given: Any) -> Any:
        """The completions of a grid, two at most if the side looks for two, in a form of its own."""
        raise NotImplementedError

    def read(self, found: Any) -> list[list[int]]:
        """Those completions as digits."""
        return [digits(found)]

    def run(self, grids: Grids, seconds: float) -> dict[str, Any]:
        """Solves grids until the time is over; the last one is finished, if it does not take too long."""
        forms = [self.form(grid) for grid in grids]
        found: list[Any] = []
        start = time.process_time()
        try:
            signal.setitimer(signal.ITIMER_PROF, CUT * seconds, AGAIN)
            for form in forms:
                found.append(self.solve(form))
                if time.process_time() - start >= seconds:
                    break
        except LateError:
            pass
        signal.setitimer(signal.ITIMER_PROF, 0)
        spent = time.process_time() - start
        return {"done": len(found), "seconds": spent, "found": [self.read(one) for one in found]}

    def open(self, grids: Grids, seconds: float, limit: int) -> dict[str, Any]:
        """Counts completions, so many of each grid at most, until the time is over."""
        counts: list[int] = []
        forms = [self.form(grid) for grid in grids]
        start = time.process_time()
        for form in forms:
            counts.append(self.completions(form, limit, start + seconds))
            if time.process_time() - start >= seconds:
                break
        return {"done": len(counts), "seconds": time.process_time() - start, "counts": counts}

    def completions(self, given: Any, limit: int, until: float) -> int:
        """Counts the completions of a grid, up to a limit, or those found when the time is over."""
        return _counted(islice(self.each(given), limit), until)

    def each(self, given: Any) -> Iterator[Any]:
        """The completions of a grid, one by one."""
        raise NotImplementedError


def _counted(found: Iterator[Any], until: float) -> int:
    number = 0
    for number, _ in enumerate(found, start=1):
        if not number & 15 and time.process_time() >= until:
            break
    return number
