"""MPS, the files of integer programs, for those that are exact-cover problems: columns of zeros and ones.

    NAME    toy
    ROWS
     N  cost
     E  a               one of its columns is 1: a primary item
     L  b               at most one, as the right-hand side says: a secondary item
     G  c               some of its columns, as right-hand side and range say: an item with multiplicities
    COLUMNS
        MARK  'MARKER'  'INTORG'
        x     cost  5   a  1          an option, its cost, and its items, whose coefficients are 1
        x     b     1
        y     a     1   c  1
        MARK  'MARKER'  'INTEND'
    RHS
        RHS   a     1   b  1
        RHS   c     1
    BOUNDS
     UP BND   x     1
     UP BND   y     1
    ENDATA

Rows are items, columns are options, and the objective is to be minimised: `best(problem, "min")`. Files come in free
form, in which names have no blanks, and in fixed form, in which everything has its place in the line. The format is
IBM's (MPSX, 1971), with the integer markers, `BV`, `OBJSENSE` and `RANGES` that all solvers know.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from dlx.formats.errors import FormatError, FormatWarning
from dlx.formats.linear import Program, linear, words
from dlx.formats.mps_reader import ModelError, Reader
from dlx.problem.problem import Problem

PLACES = ((1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61))  # of the fields of a line in fixed form
LONGEST = 255  # characters of a name that all solvers take
OBJECTIVE = "obj"

# A line that begins with such a name is the head of a section to other readers (HiGHS 1.15), or a marker.
KEYWORDS = re.compile(
    "NAME|MAX|MIN|OBJ(SENSE?|SECT|ECT|NAME)|REFROW|ROWS|LAZYCONS|USERCUTS|COLUMNS|RHS|RNG|RANGES|BND|BOUNDS|SOS[12]?|SETS"
    "|QUADOBJ|QMATRIX|QC?SECTION|QCMATRIX|CSECTION|DELAYEDROWS|MODELCUTS|INDICATORS|GENCONS|NEGATIVE|MARK(ER)?|ENDATA",
    re.IGNORECASE,
)


def loads(data: str | bytes, file: str = "<string>") -> Problem:
    """Reads a problem from an MPS file.

    Parameters:
        data: the text, in free or in fixed form; bytes are taken for UTF-8, and those that are none stay in the names.
        file: what errors call it.

    Returns:
        The problem. Its items are the rows, in their order, secondary ones last; its options the columns, in theirs,
        with their names. Columns that are fixed are chosen or left out. With an objective that has coefficients these
        are the weights: int64 if all are whole, else float64. They are meant to be minimised, so if the objective is to
        be maximised their signs change. Without columns the row of an objective is enough: the weights are empty.

    Raises:
        FormatError: this is no such file, or it says what is no exact-cover problem: a coefficient other than 1, a
            column that is continuous or may be 2, a row without a least and a most, a second free row. The message has
            the line, and the row or the column.

    Warns:
        FormatWarning: the signs of the weights have been changed.

    >>> lines = ["ROWS", " N cost", " E a", " L b", "COLUMNS", " x cost 5 a 1", " x b 1", " y a 1", "RHS", " RHS a 1"]
    >>> problem = loads("\\n".join([*lines, " RHS b 1", "BOUNDS", " BV BND x", " BV BND y", "ENDATA"]))
    >>> problem, problem.option(0), problem.names
    (Problem(1 + 1 secondary items, 2 options, 3 entries, weighted), ('a', 'b'), ('x', 'y'))
    """
    try:
        reader = _read(data, file, str.split)
    except FormatError as error:
        # Blanks in names make no sense in free form, whose error says more unless the fixed form makes sense.
        try:
            reader = _read(data, file, _fixed)
        except FormatError:
            raise error from None
    problem = reader.problem()
    if reader.flipped:
        text = "the objective is to be maximised: all weights have changed their signs, and the least score is the best"
        warnings.warn(f"{file}:{reader.flipped}: {text}", FormatWarning, stacklevel=2)
    return problem


def _read(data: str | bytes, file: str, split: Callable[[str], list[str]]) -> Reader:
    """Reads the lines, in one form or the other."""
    reader = Reader(file)
    line = 0
    try:
        for line, text in enumerate(_lines(data), 1):
            if text[0] in " \t":
                if fields := split(text):
                    reader.take(line, fields)
            elif text[0] not in "*\n" and not reader.begin(line, text.split()):
                return reader
    except ModelError as error:
        raise FormatError(file, line, str(error)) from None
    raise FormatError(file, None, "the line ENDATA is missing")


def _lines(data: str | bytes) -> Iterable[str]:
    if isinstance(data, str):
        return io.StringIO(data.removeprefix("\ufeff"), newline=None)
    return io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", "surrogateescape")


def _fixed(line: str) -> list[str]:
    """The fields of a line in fixed form, between which there is nothing."""
    line = line.rstrip()
    gaps = [(end, begin) for (_, end), (begin, _) in pairwise(PLACES)]
    if "\t" in line or any(line[begin:end].strip() for begin, end in [*gaps, (PLACES[-1][1], len(line))]):
        raise ModelError("there is something beside the fields")
    return [field for begin, end in PLACES if (field := line[begin:end].strip())]


def dumps(problem: Problem) -> bytes:
    """Writes a problem as an MPS file in free form, to be minimised.

    Parameters:
        problem: what to write; `dlx.formats.linear` says how colours become rows.

    Returns:
        The text in UTF-8. Rows and columns have the names of items and options where all of these are strings or whole
        numbers without blanks and no keywords; else they are `r1`, `r2`, ... and `x1`, `x2`, ..., and comments tell
        what these are. Without options and weights there is no objective.

    >>> print(dumps(Problem.from_options({"x": "ab", "y": "a"}, secondary="b", weights=[5, 0])).decode(), end="")
    NAME dlx
    ROWS
     N obj
     E a
     L b
    COLUMNS
     MARK 'MARKER' 'INTORG'
     x obj 5
     x a 1
     x b 1
     y obj 0
     y a 1
     MARK 'MARKER' 'INTEND'
    RHS
     RHS a 1
     RHS b 1
    BOUNDS
     BV BND x
     BV BND y
    ENDATA
    """
    lines = "\n".join(_text(linear(problem)))
    return f"{lines}\n".encode("utf-8", "surrogateescape")


def _text(program: Program) -> Iterator[str]:
    rows, columns, legend = words(program, _is_word, OBJECTIVE)
    least, most = program.least.tolist(), program.most.tolist()
    secondary = [i >= program.problem.n_primary for i in program.items.tolist()]
    ranges = [a < b and not second for a, b, second in zip(least, most, secondary, strict=True)]
    yield from (f"* {line}" for line in legend)
    yield from ("NAME dlx", "ROWS")
    if program.columns or program.problem.weights is not None:  # without columns the row alone says that it is weighted
        yield f" N {OBJECTIVE}"
    yield from (f" {'E' if a == b else 'L'} {row}" for row, a, b in zip(rows, least, most, strict=True))
    yield from ("COLUMNS", " MARK 'MARKER' 'INTORG'")
    weights = None if program.problem.weights is None else program.problem.weights.tolist()
    for number, (column, its_rows) in enumerate(zip(columns, program.by_column(), strict=True)):
        if weights is not None and number < len(weights):
            yield f" {column} {OBJECTIVE} {weights[number]!r}"
        yield from [f" {column} {rows[row]} 1" for row in its_rows]
    yield from (" MARK 'MARKER' 'INTEND'", "RHS")
    yield from (f" RHS {row} {b}" for row, b in zip(rows, most, strict=True))
    if any(ranges):
        yield "RANGES"
        yield from (f" RNG {rows[k]} {most[k] - least[k]}" for k, ranged in enumerate(ranges) if ranged)
    yield "BOUNDS"
    fixed = [*program.fixed.tolist(), *[-1] * program.auxiliary]
    yield from (f" BV BND {c}" if f < 0 else f" FX BND {c} {f}" for c, f in zip(columns, fixed, strict=True))
    yield "ENDATA"


def _is_word(name: str) -> bool:
    """Tells whether a name is one word in free form, for this reader and for others."""
    try:
        name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    if len(name) > LONGEST or KEYWORDS.fullmatch(name):
        return False
    return name.split() == [name] and name[0] not in "*$'" and "\ufeff" not in name
