"""A second opinion on the best cover: by HiGHS, in a process of its own, beside the search by prices.

HiGHS (Q. Huangfu, J. Hall, doi:10.1007/s12532-017-0130-5, and others) solves integer programs, here that of
`dlx.formats.linear`. It calculates in floating point, so it is believed only so far:

* What it finds is a cover if our arithmetic says so, with the score of our arithmetic.
* It keeps rows, dual values and whole numbers to within `TOLERANCE`, so its bound may be off by so much for each option
  of a cover, times the largest weight. For whole weights that has to be less than a half, and then the bound is rounded
  down; else its bound is not heard. That keeps weights far below 2^53, from where on they are no floats.
* Once it has shown to be wrong, by what is no cover or by a bound below the score of a cover, no bound of it is heard.

highspy lets go of the interpreter's lock. But HiGHS hears no callback for seconds in its presolve, writes to standard
output who it is, and cannot be loaded before OR-Tools. A process can be killed at any time, and begins in 0.3 s.
"""

from __future__ import annotations

import math
import os
import pickle
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from dlx.optimum.units import Incumbents, Sign, Units
from dlx.parallel import program
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem, as_cover

if TYPE_CHECKING:
    from subprocess import Popen

TOLERANCE = 1e-9  # 1e-6 and 1e-7 are HiGHS's own; on nine problems these took it no longer
OPTIONS: dict[str, Any] = {
    **{f"{what}_feasibility_tolerance": TOLERANCE for what in ("mip", "primal", "dual")},
    **{"output_flag": False, "threads": 1, "mip_rel_gap": 0.0},
}
BITS = 10  # of the largest weight as HiGHS is given it, if weights are real: so TOLERANCE is as small for all of them
PROGRAM = """
import pickle, sys
sys.path[:] = [*pickle.load(sys.stdin.buffer), sys.argv[1]]
from dlx.optimum.highs import serve
serve()
"""
HOME = str(Path(__file__).parents[2])  # of this package, which an import hook may have found

News = tuple[list[int] | None, float]  # a cover, and what no score exceeds: -inf if there is no cover


class Highs:
    """HiGHS, which searches for the best cover from `with` on, and is killed at its end.

    Attributes:
        incumbents: the best cover known, of its own and of those that it has been told of.
        tolerance: by how much a cover may be better than the best one if HiGHS is right within its tolerances.
    """

    def __init__(self, problem: Problem, sign: Sign) -> None:
        if find_spec("highspy") is None:
            told = "HiGHS is called by highspy, which is not installed: pip install 'dancing-cover[mip]'"
            raise ImportError(told, name="highspy")
        self.incumbents = Incumbents(1)
        self._problem, self._sign, self._units = problem, sign, Units(problem, sign)
        exact = self._units.exact[:-1]
        self._is_whole = exact.dtype.kind == "i"
        size = float(np.abs(exact).max(initial=0)) or 1.0
        self._shift = 0 if self._is_whole else BITS - math.frexp(size)[1]
        error = TOLERANCE * max(1, problem.max_level) * size  # of a bound
        # Of real weights also of a score, and HiGHS ends before its bound is its score.
        self.tolerance = error if self._is_whole else 3 * error
        self._error = error
        self._claim = math.inf
        self._is_wrong = False
        self._news: deque[News] = deque()
        self._told: tuple[int, ...] | None = None  # the cover it knows
        self._ready = False
        self._process: Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._converse, daemon=True)

    def __enter__(self) -> Highs:
        with suppress(OSError):  # where no process can be started there is no second opinion
            self._process = program.begin("-I", "-c", PROGRAM, HOME)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None:
            self._process.kill()
            self._thread.join()
            program.end(self._process)

    @property
    def score(self) -> int | float | None:
        """The best score known."""
        return None if self.incumbents.least is None else self._sign * self.incumbents.least

    def settled(self) -> bool:
        """Tells whether the best cover known is the best one, or there is none."""
        self._hear()
        best = self.incumbents.least
        if best is None:
            return self._bound == -math.inf
        return self._bound <= best + (0 if self._is_whole else self.tolerance)

    def tighter(self, bound: int | float) -> int | float:
        """Returns the bound, or that of HiGHS if it is closer to the best cover known."""
        self._hear()
        best = self.incumbents.least
        own = self._bound if best is None else max(self._bound, best)
        return self._sign * own if -math.inf < own < self._sign * bound else bound

    def confer(self, incumbents: Incumbents) -> bool:
        """Exchanges the best cover known; tells whether this one is new to `incumbents`."""
        self._hear()
        for cover in incumbents.covers[:1]:
            self.incumbents.offer(*cover)
        before = incumbents.least
        for cover in self.incumbents.covers:
            incumbents.offer(*cover)
            if self._ready and cover[1] != self._told and self._process is not None:
                self._told = cover[1]
                with suppress(OSError):  # it has ended
                    program.send(self._process, list(cover[1]))
        return incumbents.least != before

    @property
    def _bound(self) -> int | float:
        """The bound that is believed: none after a mistake, as a bound below a true score is."""
        best = self.incumbents.least
        is_below = best is not None and self._claim < best - 2 * self._error
        return math.inf if self._is_wrong or is_below else self._claim

    def _hear(self) -> None:
        """Takes what HiGHS has said since."""
        while self._news:
            self._ready = True
            cover, claim = self._news.popleft()
            if cover is not None:
                try:
                    self._told = as_cover(self._problem, cover, "it")
                except ProblemError:
                    self._is_wrong = True
                    continue
                self.incumbents.offer(self._units.total(np.array(self._told, dtype=np.int32)), self._told)
            self._claim = min(self._claim, self._rounded(claim) if math.isfinite(claim) else claim)

    def _rounded(self, claim: float) -> int | float:
        """Returns the bound that follows from one of HiGHS, in the caller's scores."""
        if self._is_whole:
            return math.floor(claim + self._error) if self._error < 0.5 else math.inf
        try:
            return math.ldexp(claim, -self._shift) + self._error
        except OverflowError:
            return math.inf

    @property
    def asked(self) -> Problem:
        """The problem as HiGHS is given it: to be maximised, real weights of a middle size, and no names."""
        weights = self._units.exact[:-1]
        weights = weights if self._is_whole else np.ldexp(weights, self._shift)
        items, colours = (tuple(range(len(names))) for names in (self._problem.items, self._problem.colour_names))
        return replace(self._problem, items=items, names=None, weights=weights, colour_names=colours)

    def _converse(self) -> None:
        """Sends the problem and listens, in a thread: HiGHS is not there at once."""
        assert self._process is not None
        answers: Any = self._process.stdout
        with suppress(OSError, EOFError, pickle.UnpicklingError):
            program.send(self._process, self.asked)
            while True:
                self._news.append(pickle.load(answers))


def serve() -> None:
    """Reads a problem, and then covers of it; writes the news of HiGHS. The process ends when its input does."""
    covers: deque[list[int]] = deque()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # where HiGHS says who it is

    def listen() -> None:
        with suppress(EOFError, OSError, pickle.UnpicklingError):
            while True:
                covers.append(pickle.load(sys.stdin.buffer))
        os._exit(0)

    def say(news: News) -> None:
        pickle.dump(news, answers)
        answers.flush()

    problem = pickle.load(sys.stdin.buffer)
    threading.Thread(target=listen, daemon=True).start()
    with suppress(OSError):  # nobody listens
        solve(problem, covers, say)


def solve(problem: Problem, covers: deque[list[int]], say: Callable[[News], object]) -> None:
    """Has HiGHS find the cover of the largest score; `covers` are known ones, which may come meanwhile."""
    import highspy

    from dlx.formats.programs import model

    bound, n = math.inf, problem.n_options

    def chosen(values: Any) -> list[int]:
        return np.flatnonzero(np.asarray(values)[:n] > 0.5).tolist()

    def improve(event: Any) -> None:
        say((chosen(event.data_out.mip_solution), bound))

    def tell(event: Any) -> None:
        nonlocal bound
        if -math.inf < event.data_out.mip_dual_bound < bound:  # that there is no cover is a status
            bound = event.data_out.mip_dual_bound
            say((None, bound))

    def suggest(event: Any) -> None:
        if covers:
            values = np.zeros(n)
            values[covers.pop()] = 1.0  # the last one is the best one
            covers.clear()
            event.data_in.setSolution(np.arange(n, dtype=np.int32), values)

    solver = highspy.Highs()
    for name, value in OPTIONS.items():
        solver.setOptionValue(name, value)
    solver.passModel(model(problem, "max"))
    say((None, bound))
    solver.cbMipImprovingSolution += improve
    solver.cbMipInterrupt += tell
    solver.cbMipUserSolution += suggest
    solver.run()
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kOptimal:
        say((chosen(solver.getSolution().col_value), solver.getInfo().mip_dual_bound))
    elif status == highspy.HighsModelStatus.kInfeasible:
        say((None, -math.inf))
