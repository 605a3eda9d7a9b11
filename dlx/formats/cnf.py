"""DIMACS CNF, the files of SAT solvers; written only.

>>> print(dumps(Problem.from_options(["ab", "a"])).decode().partition("p cnf ")[2], end="")
2 3
1 2 0
-1 -2 0
1 0

Each colour of an item has a variable, which is true iff an option that gives the item this colour is chosen. A
sequential counter (C. Sinz, CP 2005, doi:10.1007/11564751_73) limits the number of true variables; about 4 n k clauses
express k of n. Auxiliary variables are defined by clauses in both directions, so each cover is one model of the
formula, and programs that count models count covers. The format is from the second DIMACS challenge (1993).
"""

from __future__ import annotations

import warnings
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

from dlx.formats.errors import FormatWarning
from dlx.formats.text import legend
from dlx.problem.problem import Problem
from dlx.problem.roles import Rows

PAIRWISE = 5  # variables; for more variables, a counter has fewer clauses than pairs

COMMENTS = (
    "exact cover: variable 1 is the first option, variable 2 the second option, and so on; others are auxiliary",
    f"at most one of up to {PAIRWISE} variables: a clause for each pair; all other bounds: sequential counters,",
    "whose variables are defined in both directions, so that each cover is one model (Sinz, doi:10.1007/11564751_73)",
)


def dumps(problem: Problem) -> bytes:
    """Returns a problem in ASCII; warns if there are weights, which a formula cannot represent."""
    if problem.weights is not None:
        text = "<problem>: the weights are not written: a formula has none"
        warnings.warn(text, FormatWarning, stacklevel=2)
    formula = Formula(problem)
    names = problem.names or ()
    comments = [*COMMENTS, *legend([str(k + 1) for k in range(len(names))], names)]
    head = [*(f"c {line}" for line in comments), f"p cnf {formula.variables} {len(formula.clauses)}"]
    lines = (" ".join(map(str, [*clause, 0])) for clause in formula.clauses)
    return "".join(f"{line}\n" for line in [*head, *lines]).encode()


class Formula:
    """A problem as clauses, which are lists of literals: o + 1, or its negative, for option o."""

    def __init__(self, problem: Problem) -> None:
        rows = problem.rows()  # without omitted options
        self.variables = rows.n_options
        idle = np.bincount(rows.owner, rows.indices < rows.n_primary, rows.n_options) == 0
        self.clauses = [[-o - 1] for o in np.flatnonzero(idle).tolist()]
        ends = pairwise(rows.by_item.begin.tolist())
        for (begin, end), (least, most) in zip(ends, rows.ranges().tolist(), strict=True):
            literals = self._different(rows, rows.by_item.entry[begin:end])
            self._row(literals, least, min(most, len(literals)))

    def _different(self, rows: Rows, entries: npt.NDArray[np.int32]) -> list[int]:
        """Returns the literals of an item: its options without a colour, and a variable for each of its colours."""
        variables: list[int] = (rows.owner[entries] + 1).tolist()
        if rows.colours is None:
            return variables
        literals, same = list[int](), dict[int, list[int]]()
        for variable, colour in zip(variables, rows.colours[entries].tolist(), strict=True):
            if colour:
                same.setdefault(colour, []).append(variable)
            else:
                literals.append(variable)
        for users in same.values():
            any_of_them = self._variable() if len(users) > 1 else users[0]
            if len(users) > 1:
                self.clauses += [[-any_of_them, *users], *([-user, any_of_them] for user in users)]
            literals.append(any_of_them)
        return literals

    def _variable(self) -> int:
        self.variables += 1
        return self.variables

    def _row(self, literals: list[int], least: int, most: int) -> None:
        """Adds clauses for `least` to `most` true literals; bounds above one half count false literals instead."""
        n = len(literals)
        if least > n:  # a contradiction; some programs ignore empty clauses
            variable = self._variable()
            self.clauses += [[variable], [-variable]]
            return
        few, bounded = 2 * least <= n, 2 * most <= n
        self._number(literals, least if few else 0, most if bounded else n)
        self._number([-literal for literal in literals], 0 if bounded else n - most, n if few else n - least)

    def _number(self, literals: list[int], least: int, most: int) -> None:
        """Adds clauses as `_row` does, for bounds up to half of the literals."""
        n = len(literals)
        if least == 1:
            self.clauses.append([*literals])
        if most == 0:
            self.clauses += [[-literal] for literal in literals]
        elif most == 1 and n <= PAIRWISE:
            self.clauses += [[-one, -other] for one, other in combinations(literals, 2)]
        elif most < n or least > 1:
            self._count(literals, least, most)

    def _count(self, literals: list[int], least: int, most: int) -> None:
        """Adds clauses for at most `most` true literals, and for at least `least` if this is more than 1.

        After each literal, `counter[j]` is true iff more than j of the literals so far are true.
        """
        width = most if most < len(literals) else least
        counter: list[int] = []
        for literal in literals:
            if len(counter) >= most:
                self.clauses.append([-counter[most - 1], -literal])
            counter = self._next(counter, literal, width)
        if least > 1:
            self.clauses.append([counter[least - 1]])

    def _next(self, counter: list[int], literal: int, width: int) -> list[int]:
        """Returns the counter after a further literal, which adds 1 if the literal is true."""
        if not counter:
            return [literal]
        after = [self._variable() for _ in range(min(len(counter) + 1, width))]
        for place, now in enumerate(after):
            before, less = counter[place : place + 1], counter[place - 1 : place]  # both may be empty
            self.clauses += [[-one, now] for one in before]
            self.clauses.append([-literal, *(-one for one in less), now])
            self.clauses.append([-now, *before, literal])
            self.clauses += [[-now, one] for one in less]
        return after
