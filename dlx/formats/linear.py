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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.problem.problem import Problem
from dlx.problem.roles import CHOSEN, LEFT_OUT, owners

Numbers = npt.NDArray[np.int64]


class Side(NamedTuple):
    """A row as a comparison of the sum of its columns with a number."""

    row: int
    relation: Literal["=", ">=", "<="]
    bound: int
    only: bool  # or the row says another thing, too


@dataclass(frozen=True, slots=True)
class Program:
    """A linear program in zeros and ones; all coefficients of its rows are 1.

    Attributes:
        problem: what it says; its options are the first columns, in their order.
        items: for each row the item that it stands for, or -1 for one about colours.
        least: for each row the least sum of its columns,
        most: and the most.
        columns: the number of columns, auxiliary ones included.
        column_of: the column of each entry of the matrix, increasing; those of an option are in its order,
        row_of: and its row.
        fixed: for each option the value that it has, or -1.
    """

    problem: Problem
    items: Numbers
    least: Numbers
    most: Numbers
    columns: int
    column_of: Numbers
    row_of: Numbers
    fixed: npt.NDArray[np.int8]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.items)

    @property
    def auxiliary(self) -> int:
        """The number of auxiliary columns."""
        return self.columns - self.problem.n_options

    def by_column(self) -> Iterator[list[int]]:
        """The rows of each column."""
        return _groups(self.row_of, self.column_of, self.columns)

    def by_row(self) -> Iterator[list[int]]:
        """The columns of each row, increasing."""
        order = np.argsort(self.row_of, kind="stable")
        return _groups(self.column_of[order], self.row_of[order], self.rows)

    def sides(self) -> Iterator[Side]:
        """Returns the rows as comparisons, without those that any zeros and ones keep."""
        sizes = np.bincount(self.row_of, minlength=self.rows).tolist()
        for row, (least, most, size) in enumerate(zip(self.least.tolist(), self.most.tolist(), sizes, strict=True)):
            if least == most:
                yield Side(row, "=", least, True)
                continue
            if least > 0:
                yield Side(row, ">=", least, most >= size)
            if most < size:
                yield Side(row, "<=", most, least <= 0)


def linear(problem: Problem) -> Program:
    """The linear program of a problem; each of its covers is one solution."""
    owner = owners(problem.indptr)
    classes = _Classes(problem, owner)
    ranges = np.stack([np.zeros_like(classes.most), classes.most], axis=1)
    ranges[: problem.n_primary] = 1 if problem.multiplicities is None else problem.multiplicities
    plain = ~classes.split[problem.indices]
    there = np.flatnonzero(~classes.split)
    row_of_item = np.cumsum(~classes.split) - 1
    column_of = np.append(owner[plain], np.array(classes.columns, dtype=np.int64))
    row_of = np.append(row_of_item[problem.indices[plain]], len(there) + np.array(classes.rows, dtype=np.int64))
    order = np.argsort(column_of, kind="stable")
    ranges = np.append(ranges[there], np.array(classes.ranges, dtype=np.int64).reshape(-1, 2), axis=0)
    fixed = np.full(problem.n_options, -1, dtype=np.int8)
    if problem.roles is not None:
        fixed[problem.roles == CHOSEN], fixed[problem.roles == LEFT_OUT] = 1, 0
    useful = np.bincount(owner[problem.indices < problem.n_primary], minlength=problem.n_options)
    fixed[useful == 0] = 0
    return Program(
        problem,
        np.append(there, np.full(len(classes.ranges), -1)),
        ranges[:, 0],
        ranges[:, 1],
        classes.n_columns,
        column_of[order],
        row_of[order],
        fixed,
    )


class _Classes:
    """The rows and columns of items whose options are in classes; items with one option in each class need none."""

    def __init__(self, problem: Problem, owners: Numbers) -> None:
        self.split = np.zeros(problem.n_items, dtype=np.bool_)
        self.most = np.ones(problem.n_items, dtype=np.int64)  # of the options of each secondary item that is not split
        self.columns: list[int] = []  # of each entry
        self.rows: list[int] = []
        self.ranges: list[tuple[int, int]] = []  # of each row
        self.n_columns = problem.n_options
        if (colours := problem.colours) is None:
            return
        coloured = np.flatnonzero(np.isin(problem.indices, np.unique(problem.indices[colours > 0])))
        # Options without a colour are classes of their own, numbered behind the colours.
        shade = np.where(colours > 0, colours, len(problem.colour_names) + 1 + owners)[coloured]
        items = problem.indices[coloured]
        order = np.lexsort((shade, items))
        items, shade, owners = items[order], shade[order], owners[coloured][order]
        ends = np.flatnonzero((items[1:] != items[:-1]) | (shade[1:] != shade[:-1])) + 1
        classes: dict[int, list[Numbers]] = {}
        for some in np.split(np.arange(len(items)), ends):
            classes.setdefault(int(items[some[0]]), []).append(owners[some])
        for item, options in classes.items():
            if max(map(len, options)) > 1:
                self._add(item, options)

    def _add(self, item: int, classes: list[Numbers]) -> None:
        if len(classes) == 1:
            self.most[item] = len(classes[0])
            return
        self.split[item] = True
        first = self.n_columns
        self.n_columns += len(classes)
        self._row(list(range(first, self.n_columns)), len(classes) - 1, len(classes))
        for column, options in enumerate(classes, first):
            if len(options) == 1:
                self._row([*options.tolist(), column], 1, 1)
                continue
            for option in options.tolist():
                self._row([option, column], 0, 1)
            self._row([*options.tolist(), column], 1, len(options) + 1)

    def _row(self, columns: list[int], least: int, most: int) -> None:
        self.columns += columns
        self.rows += [len(self.ranges)] * len(columns)
        self.ranges.append((least, most))


def _groups(values: Numbers, keys: Numbers, n: int) -> Iterator[list[int]]:
    """The values of each key from 0 to n - 1; the keys increase."""
    ends = np.searchsorted(keys, np.arange(n + 1)).tolist()
    return (values[begin:end].tolist() for begin, end in pairwise(ends))


def words(program: Program, is_word: Callable[[str], bool], *taken: str) -> tuple[list[str], list[str], list[str]]:
    """Names rows and columns after items and options where all are words and not taken, else by numbers from 1.

    Behind both there are lines with the meaning of names that cannot be in the file.
    """
    problem = program.problem
    stand_in = [f"r{k + 1}" for k in range(program.rows)]
    rows = [problem.items[i] if i >= 0 else name for i, name in zip(program.items.tolist(), stand_in, strict=True)]
    rows, of_rows = _called(rows, stand_in, is_word, taken)
    stand_in = [f"x{k + 1}" for k in range(problem.n_options)]
    more = [f"z{k + 1}" for k in range(program.auxiliary)]
    columns, of_columns = _called(problem.names or stand_in, stand_in, is_word, more)
    return rows, [*columns, *more], [*of_rows, *of_columns]


def _called(
    names: Sequence[object], stand_ins: list[str], is_word: Callable[[str], bool], taken: Sequence[str]
) -> tuple[list[str], list[str]]:
    said = [str(name) if type(name) in (str, int) else "" for name in names]
    if len({*said, *taken}) == len(said) + len(taken) and all(map(is_word, said)):
        return said, []
    return stand_ins, legend(stand_ins, names)


def legend(called: Sequence[str], names: Sequence[object]) -> list[str]:
    """Lines that tell what stands for which name; without line ends in them, whatever the names are."""
    return [f"{word} is {name!a}" for word, name in zip(called, names, strict=True) if word != name]
