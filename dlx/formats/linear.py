"""A problem as a linear program in zeros and ones: what is written for solvers that know no items and no options.

Each option is a column, 1 if it is in the cover; each item is a row that says how many of its options may be. All
coefficients are 1, so that a problem can be made of the rows again. Further rows and columns say the rest:

* A secondary item with colours. Each of its colours, and each option that has it without one, is a class; an auxiliary
  column is 1 just if no option of the class is chosen. At most one class is chosen from, so all auxiliary columns of
  the item but one are 1, or all; and one and any option of its class make one or less, together with all of them one
  or more. So every cover is one solution, and the relaxation of the program is as strong as that of pairwise conflicts
  or stronger.
* An option that is chosen is fixed at 1; one that is left out, or has no primary item and so is in no cover, at 0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.problem.problem import Problem
from dlx.problem.roles import CHOSEN, LEFT_OUT, owners, ranges

# Names that HiGHS writes and reads as they are, in MPS and LP files; an LP file writes a range as two rows, lo and up
KEYWORDS = (
    r"min|minimi[sz]e|minimum|max|maximi[sz]e|maximum|subject|such|st|bounds?|bin|binary|binaries|int|integers?|gen"
    r"|generals?|semi|semis|sos[12]?|end|free|inf|infinity|nan|.*lo|.*up"
)
NAME = re.compile(rf"(?!(?:{KEYWORDS})\Z)[a-z_][a-z0-9_.,()#]{{0,250}}", re.IGNORECASE | re.ASCII)


class Row(NamedTuple):
    """A row: from `least` to `most` of its columns are 1."""

    item: int  # that it stands for, or -1 where it is about colours
    columns: Sequence[int]  # increasing
    least: int
    most: int


class IntegerProgram(NamedTuple):
    """A linear program in zeros and ones; the options of the problem are its first columns, in their order."""

    problem: Problem
    rows: list[Row]
    columns: int  # their number, auxiliary ones included
    fixed: list[int]  # for each option the value that it has, or -1


def linear(problem: Problem) -> IntegerProgram:
    """The linear program of a problem; each of its covers is one solution."""
    owner = owners(problem.indptr)
    order = np.argsort(problem.indices, kind="stable")
    options = owner[order].tolist()
    colours = None if problem.colours is None else problem.colours[order].tolist()
    ends = np.cumsum(np.bincount(problem.indices, minlength=problem.n_items)).tolist()
    limits = ranges(problem.n_items, problem.n_primary, problem.multiplicities).tolist()
    columns = problem.n_options
    rows: list[Row] = []
    about_colours: list[Row] = []
    for item, (begin, end) in enumerate(pairwise([0, *ends])):
        users = options[begin:end]
        least, most = limits[item]
        if colours and any(colours[begin:end]):
            classes = _classes(users, colours[begin:end])
            if len(classes) == 1:
                most = len(users)
            elif len(classes) < len(users):  # else there is one option in each class, and no more to say
                about_colours += _separated(classes, columns)
                columns += len(classes)
                continue
        rows.append(Row(item, users, least, most))
    return IntegerProgram(problem, rows + about_colours, columns, _fixed(problem, owner).tolist())


def _classes(options: list[int], colours: list[int]) -> list[list[int]]:
    """Returns the options of an item in classes: one for each colour, then one for each option without a colour."""
    coloured: dict[int, list[int]] = {}
    for option, colour in zip(options, colours, strict=True):
        if colour:
            coloured.setdefault(colour, []).append(option)
    plain = [[option] for option, colour in zip(options, colours, strict=True) if not colour]
    return [coloured[colour] for colour in sorted(coloured)] + plain


def _separated(classes: list[list[int]], first: int) -> list[Row]:
    """The rows that keep options of different classes apart, by auxiliary columns from the first on."""
    n = len(classes)
    rows = [Row(-1, [*range(first, first + n)], n - 1, n)]
    for column, options in enumerate(classes, first):
        if len(options) == 1:
            rows.append(Row(-1, (*options, column), 1, 1))
            continue
        rows += [Row(-1, (option, column), 0, 1) for option in options]
        rows.append(Row(-1, [*options, column], 1, len(options) + 1))
    return rows


def _fixed(problem: Problem, owner: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
    fixed = np.full(problem.n_options, -1, dtype=np.int8)
    if problem.roles is not None:
        fixed[problem.roles == CHOSEN], fixed[problem.roles == LEFT_OUT] = 1, 0
    useful = np.bincount(owner[problem.indices < problem.n_primary], minlength=problem.n_options)
    fixed[useful == 0] = 0
    return fixed


def words(program: IntegerProgram) -> tuple[list[str], list[str], list[str]]:
    """Returns the names of rows and of columns, and lines with the meaning of numbers that stand for names.

    Rows and columns are called by items and options if all of these are words as `NAME` says, and no two are the same;
    otherwise by numbers from 1 behind a letter.
    """
    problem = program.problem
    numbered = [f"r{k + 1}" for k in range(len(program.rows))]
    names = [
        name if row.item < 0 else problem.items[row.item] for name, row in zip(numbered, program.rows, strict=True)
    ]
    rows, of_rows = _called(names, numbered)
    auxiliary = [f"z{k + 1}" for k in range(program.columns - problem.n_options)]
    numbered = [*(f"x{k + 1}" for k in range(problem.n_options)), *auxiliary]
    columns, of_columns = _called([*problem.names, *auxiliary] if problem.names else numbered, numbered)
    return rows, columns, [*of_rows, *of_columns]


def _called(names: Sequence[object], numbered: list[str]) -> tuple[list[str], list[str]]:
    texts = [name for name in names if isinstance(name, str) and NAME.fullmatch(name)]
    return (texts, []) if len({*texts}) == len(names) else (numbered, legend(numbered, names))


def legend(called: Sequence[str], names: Sequence[object]) -> list[str]:
    """Lines that tell what stands for which name; without line ends in them, whatever the names are."""
    return [f"{word} is {name!a}" for word, name in zip(called, names, strict=True) if word != name]
