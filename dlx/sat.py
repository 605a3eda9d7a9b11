"""A cover by CaDiCaL, for what only resolution proves or finds: the SAT solver of A. Biere and others, by python-sat.

Each option is a variable. An item is a clause, that one of its options is chosen, and at most one of them is by a
sequential counter (C. Sinz, doi:10.1007/11564751_73); as many as its multiplicities say, by the same. A colour of an
item is a variable, too, which its options imply, and of these and of the options without a colour at most one holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.problem import Problem
from dlx.roles import Rows

CONFLICTS = 1000  # of CaDiCaL's, after which limits and Ctrl-C are looked at

Clauses = list[list[int]]


def pysat() -> Any:
    """The package `pysat`, with its solvers and its encodings.

    Raises:
        ImportError: it is not installed.

    >>> pysat().__name__
    'pysat'
    """
    try:
        import pysat.card
        import pysat.solvers
    except ImportError:
        raise ImportError(
            "CaDiCaL is called by python-sat, which is not installed: pip install 'dancing-cover[sat]'", name="pysat"
        ) from None
    return pysat


class Sat:
    """A `Finder` of one cover, whose steps are CaDiCaL's: nodes are its decisions, updates its propagations.

    Parameters:
        problem: any, with colours and multiplicities.

    Raises:
        ImportError: python-sat is not installed.

    >>> search = Sat(Problem.from_options(["ab", "c"]))
    >>> search.run(1, 1, 1), search.found().tolist()
    (1, [[0, 1]])
    """

    name = "cadical"

    def __init__(self, problem: Problem) -> None:
        self._package = pysat()
        self._rows = problem.rows()
        self._buffer = np.full((1, problem.max_level), -1, dtype=np.int32)
        self._ended = False
        self.filled = self.covers = self.nodes = self.updates = 0

    @cached_property
    def _solver(self) -> Any:
        """The solver with the clauses; it is made by the first run, so that the time is the search's."""
        return self._package.solvers.Cadical153(bootstrap_with=clauses(self._rows))

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Goes on for so many conflicts, whatever the budgets, so that the same search is the same every time."""
        if self._ended:
            return EXHAUSTED
        self._solver.conf_budget(CONFLICTS)
        answer = self._solver.solve_limited()
        steps = self._solver.accum_stats()
        self.nodes, self.updates = steps["decisions"], steps["propagations"]
        if answer is None:
            return BUDGET_SPENT
        self._ended = True
        if answer:
            self._take([k - 1 for k in self._solver.get_model()[: len(self._rows.indptr) - 1] if k > 0])
        self._solver.delete()
        return BUFFER_FULL if answer else EXHAUSTED

    def _take(self, cover: list[int]) -> None:
        if not is_cover(self._rows, cover):
            raise RuntimeError(f"what CaDiCaL has found is no cover: {cover}")
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


def clauses(rows: Rows) -> Clauses:
    """A problem in conjunctive normal form: variable o + 1 is option o, and further ones are counters and colours.

    >>> clauses(Problem.from_options(["ab", "a", "b"]).rows())
    [[1, 2], [-1, -2], [1, 3], [-1, -3]]
    """
    encoding = _Encoding(rows)
    for item in range(rows.n_items):
        encoding.add(item)
    return encoding.clauses


class _Encoding:
    """Clauses, and the last variable that they use."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.option = np.repeat(np.arange(1, len(rows.indptr)), np.diff(rows.indptr))
        order = np.argsort(rows.indices, kind="stable")
        self.entries = np.split(order, np.cumsum(np.bincount(rows.indices, minlength=rows.n_items))[:-1])
        idle = np.setdiff1d(np.arange(1, len(rows.indptr)), self.option[rows.indices < rows.n_primary])
        self.clauses: Clauses = [[-int(k)] for k in idle]
        self.last = len(rows.indptr) - 1

    def add(self, item: int) -> None:
        """Says how often an item is covered."""
        entries = self.entries[item] if len(self.entries) > item else np.empty(0, np.intp)
        options = self.option[entries].tolist()
        least, most = 0, 1
        if item < self.rows.n_primary:
            least = 1
            if self.rows.multiplicities is not None:
                least, most = self.rows.multiplicities[item].tolist()
        elif self.rows.colours is not None:
            options = list(self._shades(entries))
        if least == 1 or least > len(options):
            self.clauses.append(options if least == 1 else [])
        elif least > 1:
            self._count(options, "atleast", least)
        if most < len(options):
            self._count(options, "atmost", most)

    def _shades(self, entries: npt.NDArray[np.intp]) -> Iterator[int]:
        """The options of a secondary item that have no colour there, and a variable for each colour of the others."""
        colours = self.rows.colours
        assert colours is not None
        variables: dict[int, int] = {}
        for entry in entries.tolist():
            option, colour = int(self.option[entry]), int(colours[entry])
            if not colour:
                yield option
                continue
            if colour not in variables:
                self.last += 1
                variables[colour] = self.last
                yield self.last
            self.clauses.append([-option, variables[colour]])

    def _count(self, variables: list[int], kind: str, bound: int) -> None:
        card = pysat().card
        encoded = getattr(card.CardEnc, kind)(variables, bound, self.last, encoding=card.EncType.seqcounter)
        self.clauses += encoded.clauses
        self.last = max(self.last, encoded.nv)


def is_cover(rows: Rows, cover: list[int]) -> bool:
    """Whether options cover each item as often as they should, and agree in colours.

    >>> rows = Problem.from_options(["ab", "a", "b"]).rows()
    >>> is_cover(rows, [1, 2]), is_cover(rows, [0, 1])
    (True, False)
    """
    entries = np.concatenate([np.arange(*rows.indptr[o : o + 2]) for o in cover] or [np.empty(0, np.intp)])
    items = rows.indices[entries]
    times = np.bincount(items, minlength=rows.n_items)
    most = np.ones(rows.n_items, dtype=np.int64)
    least = (np.arange(rows.n_items) < rows.n_primary).astype(np.int64)
    if rows.multiplicities is not None:
        least[: rows.n_primary], most[: rows.n_primary] = rows.multiplicities.T
    if rows.colours is not None:
        shade = np.zeros(rows.n_items, dtype=np.int32)
        shade[items] = rows.colours[entries]
        if (shade[items] != rows.colours[entries]).any():
            return False
        most[shade > 0] = len(cover)
    return len(set(cover)) == len(cover) and bool(((least <= times) & (times <= most)).all())
