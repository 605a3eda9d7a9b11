r"""LP, a linear program as people write it, for other solvers; it is written only.

>>> toy = Problem.from_options({"x": "ab", "y": "a"}, secondary="b", weights=[5, -2])
>>> print(dumps(toy).decode(), end="")
\ exact cover: options are columns, items are rows
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
    """Writes a problem, to be minimised, in ASCII; comments tell the names of what is called by numbers."""
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
    for row, name in zip(program.rows, rows, strict=True):
        sides = row.sides()
        for relation, bound in sides:  # of two sides `>=` has no name: no name for it could be kept free
            yield f" {name}:" if len(sides) == 1 or relation == "<=" else ""
            yield from _lines([f"+ {columns[k]}" for k in row.columns] or [f"0 {columns[0]}"])
            yield f" {relation} {bound}"
    fixed = [f" {column} = {f}" for column, f in zip(columns, program.fixed, strict=False) if f >= 0]
    yield from ["Bounds", *fixed] if fixed else []
    yield from ("Binary", *(f" {column}" for column in columns), "End")


def _lines(terms: list[str]) -> Iterator[str]:
    return (f" {' '.join(terms[k : k + IN_A_LINE])}" for k in range(0, len(terms), IN_A_LINE))


def _is_word(name: str) -> bool:
    return WORD.fullmatch(name) is not None and KEYWORDS.fullmatch(name) is None
