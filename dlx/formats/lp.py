r"""LP, a linear program as people write it, for other solvers; it is written only.

    \ The first line of comments says what it is.
    Minimize
     obj: 5 x + 3 y
    Subject To
     a: x + y = 1
    Binary
     x
     y
    End

The format is that of CPLEX, as its manual has it under "LP file format"; other solvers read it, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlx.formats.linear import Program, linear, words
from dlx.problem.problem import Problem

WORD = re.compile(r"[A-DF-Za-df-z_][A-Za-z0-9_.]{0,99}")  # an E may begin a number
KEYWORDS = re.compile(
    r"(min|max)(imi[sz]e|imum)?|st|s\.t\.?|subject|such|bounds?|free|inf(inity)?|gen(erals?)?|int(egers?)?|bin(ary|aries)?"
    r"|semi.*|sos.*|to|that|nan",
    re.IGNORECASE,
)
OBJECTIVE = "obj"
IN_A_LINE = 4  # terms of at most 126 characters: a line may have 510


def dumps(problem: Problem) -> bytes:
    """Writes a problem as a file in the LP format, to be minimised.

    Parameters:
        problem: what to write; `dlx.formats.linear` says how colours become rows.

    Returns:
        The text in ASCII. Rows and columns have the names of items and options where all of these are words that the
        format takes; else they are `r1`, `r2`, ... and `x1`, `x2`, ..., and comments tell what these are.

    >>> print(dumps(Problem.from_options({"x": "ab", "y": "a"}, secondary="b", weights=[5, -2])).decode(), end="")
    \\ exact cover: options are columns, items are rows
    Minimize
     obj:
     + 5 x - 2 y
    Subject To
     a:
     + x + y
     = 1
    Binary
     x
     y
    End
    """
    return "".join(f"{line}\n" for line in _text(linear(problem))).encode()


def _text(program: Program) -> Iterator[str]:
    rows, columns, legend = words(program, _is_word, OBJECTIVE)
    columns = columns or ["z1"]  # a row without terms is an error
    yield r"\ exact cover: options are columns, items are rows"
    yield from (f"\\ {line}" for line in legend)
    yield from ("Minimize", f" {OBJECTIVE}:")
    if program.problem.weights is not None:
        pairs = zip(program.problem.weights.tolist(), columns, strict=False)
        yield from _lines([f"{'-' if w < 0 else '+'} {abs(w)!r} {column}" for w, column in pairs])
    yield "Subject To"
    members = list(program.by_row())
    for side in program.sides():  # of a row with two sides, `>=` has no name: no name for it could be kept free
        yield f" {rows[side.row]}:" if side.only or side.relation == "<=" else ""
        yield from _lines([f"+ {columns[k]}" for k in members[side.row]] or [f"0 {columns[0]}"])
        yield f" {side.relation} {side.bound}"
    fixed = [f" {column} = {f}" for column, f in zip(columns, program.fixed.tolist(), strict=False) if f >= 0]
    yield from ["Bounds", *fixed] if fixed else []
    yield from ("Binary", *(f" {column}" for column in columns), "End")


def _lines(terms: list[str]) -> Iterator[str]:
    return (f" {' '.join(terms[k : k + IN_A_LINE])}" for k in range(0, len(terms), IN_A_LINE))


def _is_word(name: str) -> bool:
    return WORD.fullmatch(name) is not None and KEYWORDS.fullmatch(name) is None
