"""OPB, the files of the pseudo-Boolean competitions, for other solvers; it is written only.

>>> print(dumps(Problem.from_options(["ab", "a"], secondary="b", weights=[5, -2])).decode(), end="")
* #variable= 2 #constraint= 1
* x1 is the first option, x2 the second one, and so on; items are constraints
min: +5 x1 -2 x2 ;
+1 x1 +1 x2 = 1 ;

The format is described by O. Roussel and V. Manquinho, Input/output format and solver requirements for the
competitions of pseudo-Boolean solvers (2012).
"""

from __future__ import annotations

from collections.abc import Iterator

from dlx.formats.errors import refusal
from dlx.formats.linear import Program, legend, linear
from dlx.problem.problem import Problem


def dumps(problem: Problem) -> bytes:
    """Writes a problem, to be minimised, in ASCII; raises a FormatError where the weights are real numbers."""
    if problem.weights is not None and problem.weights.dtype.kind != "i":
        raise refusal("the weights are real numbers, and those of OPB are whole")
    program = linear(problem)
    constraints = list(_constraints(program))
    names = problem.names or ()
    weights = [] if problem.weights is None else problem.weights.tolist()
    lines = [
        f"* #variable= {max(1, program.columns)} #constraint= {len(constraints)}",
        "* x1 is the first option, x2 the second one, and so on; items are constraints",
        *(f"* {line}" for line in legend([f"x{k + 1}" for k in range(len(names))], names)),
    ]
    if weights:
        lines.append(f"min: {' '.join(f'{weight:+} x{k}' for k, weight in enumerate(weights, 1))} ;")
    return "".join(f"{line}\n" for line in [*lines, *constraints]).encode()


def _constraints(program: Program) -> Iterator[str]:
    """Yields the rows, "at most" as "at least" with the signs changed, and then the options with a fixed value."""
    for row in program.rows:
        for relation, bound in row.sides():
            if not row.columns:  # a term has to be there: no variable is 2
                yield "+1 x1 >= 2 ;"
            elif relation == "<=":
                yield f"{' '.join(f'-1 x{k + 1}' for k in row.columns)} >= {-bound} ;"
            else:
                yield f"{' '.join(f'+1 x{k + 1}' for k in row.columns)} {relation} {bound} ;"
    yield from (f"+1 x{k} = {value} ;" for k, value in enumerate(program.fixed, 1) if value >= 0)
