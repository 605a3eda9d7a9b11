"""A cover by CaDiCaL, for what only resolution proves or finds: the SAT solver of A. Biere and others, by python-sat.

It is given the formula that `dlx.formats.cnf` writes to files, in which an option is a variable.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.formats.cnf import Formula
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem, as_cover

CONFLICTS = 1000  # of CaDiCaL's, after which limits and Ctrl-C are looked at


def pysat() -> Any:
    """Imports the package `pysat`, with its solvers."""
    try:
        import pysat.solvers
    except ImportError:
        raise ImportError(
            "CaDiCaL is called by python-sat, which is not installed: pip install 'dancing-cover[sat]'", name="pysat"
        ) from None
    return pysat


class Sat:
    """A `Finder` of one cover, whose steps are CaDiCaL's: nodes are its decisions, updates its propagations."""

    name = "cadical"

    def __init__(self, problem: Problem) -> None:
        self._package = pysat()
        self._problem = problem
        self._buffer = np.full((1, problem.max_level), -1, dtype=np.int32)
        self._ended = False
        self.filled = self.covers = self.nodes = self.updates = 0

    @cached_property
    def _solver(self) -> Any:
        """The solver with the clauses; it is made by the first run, so that the time is the search's."""
        return self._package.solvers.Cadical153(bootstrap_with=Formula(self._problem).clauses)

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Goes on for so many conflicts, whatever the budgets, so that the same search is the same every time."""
        if self._ended:
            return EXHAUSTED
        self._solver.conf_budget(CONFLICTS)
        answer = self._answer()
        steps = self._solver.accum_stats()
        self.nodes, self.updates = steps["decisions"], steps["propagations"]
        if answer is None:
            return BUDGET_SPENT
        self._ended = True
        if answer:
            self._take([k - 1 for k in self._solver.get_model()[: self._problem.n_options] if k > 0])
        self._solver.delete()
        return BUFFER_FULL if answer else EXHAUSTED

    def _answer(self) -> bool | None:
        """Asks CaDiCaL for a cover, in a thread; None: so many conflicts do not tell.

        In the main thread python-sat answers Ctrl-C itself, by a jump after which the next Ctrl-C crashes.
        """
        from concurrent.futures import ThreadPoolExecutor  # costs 5 ms

        with ThreadPoolExecutor(1) as thread:
            return thread.submit(self._solver.solve_limited).result()  # type: ignore[no-any-return]

    def _take(self, cover: list[int]) -> None:
        try:
            as_cover(self._problem, cover, "it")
        except ProblemError as error:
            raise RuntimeError(f"what CaDiCaL has found is no cover: {cover}") from error
        self._buffer[0, : len(cover)] = cover
        self.filled = self.covers = 1

    def found(self) -> npt.NDArray[np.int32]:
        """The cover, in a block with one row, if it has been found."""
        return self._buffer[: self.filled]

    def fraction(self) -> float:
        """1 when it has ended, and until then 0."""
        return float(self._ended)

    def check(self) -> None:
        """Nothing of CaDiCaL can be looked at from here."""
