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
import math
import re
import warnings
from array import array
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise, zip_longest

import numpy as np
import numpy.typing as npt

from dlx.formats.errors import FormatError, FormatWarning, Place
from dlx.formats.linear import linear, words
from dlx.formats.numbers import as_cost, as_number
from dlx.problem.checks import MAX_MULTIPLICITY, ProblemError
from dlx.problem.problem import Problem
from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT, owners

PLACES = ((1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61))  # of the fields of a line in fixed form
LONGEST = 255  # characters of a name that all solvers take
OBJECTIVE = "obj"

# A line that begins with such a name is the head of a section to other readers (HiGHS 1.15), or a marker.
KEYWORDS = re.compile(
    "NAME|MAX|MIN|OBJ(SENSE?|SECT|ECT|NAME)|REFROW|ROWS|LAZYCONS|USERCUTS|COLUMNS|RHS|RNG|RANGES|BND|BOUNDS|SOS[12]?|SETS"
    "|QUADOBJ|QMATRIX|QC?SECTION|QCMATRIX|CSECTION|DELAYEDROWS|MODELCUTS|INDICATORS|GENCONS|NEGATIVE|MARK(ER)?|ENDATA",
    re.IGNORECASE,
)
MARKER, SENSES = "'MARKER'", {"MIN": 1, "MINIMIZE": 1, "MINIMISE": 1, "MAX": -1, "MAXIMIZE": -1, "MAXIMISE": -1}
MANY = 2  # what an upper bound over 1 is taken for
A_BOUND = "a bound is UP, LO, FX, BV, UI, LI or PL, the set, the column, and its value"


def loads(data: str | bytes, file: str = "<string>") -> Problem:
    """Reads a problem from a text in free or in fixed form; bytes that are no UTF-8 stay in the names.

    Columns that are fixed are chosen or left out. Where too many of a row are fixed at 1, there is no cover: all
    columns of that row are left out, and a FormatWarning says so. The coefficients of the objective are the weights,
    int64 if all are whole, else float64; if it is to be maximised their signs change, and a FormatWarning says so.
    Without columns the row of an objective is enough: the weights are empty.
    """
    try:
        reader = _read(data, Place(file), str.split)
    except FormatError as error:
        try:
            reader = _read(data, Place(file), _fixed)
        except FormatError as other:
            # Of two faults the later one is the file's: in the other form the first blank in a name is one already.
            raise max(error, other, key=lambda fault: fault.line or math.inf) from None
    with reader.place:
        problem = reader.problem()
    if reader.flipped:
        text = "the objective is to be maximised: all weights have changed their signs, and the least score is the best"
        reader.notes.append(f"{file}:{reader.flipped}: {text}")
    for note in reader.notes:
        warnings.warn(note, FormatWarning, stacklevel=2)
    return problem


def _read(data: str | bytes, place: Place, split: Callable[[str], list[str]]) -> _Reader:
    reader = _Reader(place)
    with place:
        for place.line, text in enumerate(_lines(data), 1):
            if text[0] in " \t":
                if fields := split(text):
                    reader.take(fields)
            elif text[0] not in "*\n" and not reader.begin(text.split()):
                return reader
        place.line = None
        raise ProblemError("the line ENDATA is missing")


def _lines(data: str | bytes) -> Iterable[str]:
    if isinstance(data, str):
        return io.StringIO(data.removeprefix("\ufeff"), newline=None)
    return io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", "surrogateescape")


def _fixed(line: str) -> list[str]:
    """The fields of a line in fixed form, between which there is nothing."""
    line = line.rstrip()
    gaps = [line[end:begin] for (_, end), (begin, _) in pairwise([*PLACES, (len(line), 0)])]
    if "\t" in line or (beside := " ".join(gaps).split()):
        told = "a tab" if "\t" in line else repr(beside[0][:40])
        columns = ", ".join(f"{begin + 1}-{end}" for begin, end in PLACES)
        raise ProblemError(f"{told} is beside the fields of fixed form, the columns {columns}")
    return [field for begin, end in PLACES if (field := line[begin:end].strip())]


def dumps(problem: Problem) -> bytes:
    """Writes a problem in free form; comments tell the names of what is called by numbers."""
    program = linear(problem)
    rows, columns, legend = words(program, _is_word, OBJECTIVE)
    lines = [*(f"* {line}" for line in legend), "NAME dlx", "ROWS"]
    if program.columns or problem.weights is not None:  # without columns the row alone says that it is weighted
        lines.append(f" N {OBJECTIVE}")
    lines += [f" {'E' if row.least == row.most else 'L'} {name}" for name, row in zip(rows, program.rows, strict=True)]
    lines += ["COLUMNS", " MARK 'MARKER' 'INTORG'"]
    weights = [] if problem.weights is None else problem.weights.tolist()
    for column, its_rows, weight in zip_longest(columns, program.by_column(), weights):
        if weight is not None:
            lines.append(f" {column} {OBJECTIVE} {weight!r}")
        lines += [f" {column} {rows[row]} 1" for row in its_rows]
    lines += [" MARK 'MARKER' 'INTEND'", "RHS"]
    lines += [f" RHS {name} {row.most}" for name, row in zip(rows, program.rows, strict=True)]
    ranged = [k for k, row in enumerate(program.rows) if row.least < row.most and row.item < problem.n_primary]
    spans = [f" RNG {rows[k]} {program.rows[k].most - program.rows[k].least}" for k in ranged]
    lines += ["RANGES", *spans] if spans else []
    lines.append("BOUNDS")
    fixed = zip_longest(columns, program.fixed, fillvalue=-1)
    lines += [f" BV BND {column}" if value < 0 else f" FX BND {column} {value}" for column, value in fixed]
    lines += ["ENDATA", ""]
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def _is_word(name: str) -> bool:
    """Tells whether a name is one word in free form, for this reader and for others."""
    try:
        name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    if len(name) > LONGEST or KEYWORDS.fullmatch(name):
        return False
    return name.split() == [name] and name[0] not in "*$'" and "\ufeff" not in name


class _Reader:
    """The contents of the lines so far."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.flipped: int | None = None  # the line that says that the objective is to be maximised
        self.notes: list[str] = []  # what is to be warned of
        self.take: Callable[[list[str]], None] = self._nowhere  # for the words of a line of the section now
        self._rows: dict[str, int] = {}  # the objective is -1
        self._row_lines = array("q")
        self._kinds: list[str] = []  # of rows: E, L, G
        self._right: dict[int, int] = {}  # right-hand sides
        self._ranges: dict[int, int] = {}
        self._columns: dict[str, int] = {}
        self._column_lines = array("q")
        self._starts = array("q", [0])
        self._entries = array("i")  # rows
        self._costs: list[int | float] = []
        self._priced = False  # the objective has coefficients
        self._last = array("q")  # for each row, and at the end for the objective, the last column that has it
        self._name = ""  # of the column being read
        self._whole = array("b")  # whether a column is integer
        self._low, self._high = array("b"), array("b")  # its bounds
        self._integer = False  # between two markers
        self._sets: dict[str, str] = {}  # of right-hand sides, ranges and bounds, the one there is
        self._sections: dict[str, Callable[[list[str]], None]] = {
            "NAME": self._nowhere,
            "OBJSENSE": self._sense,
            "ROWS": self._row,
            "COLUMNS": self._entry,
            "RHS": partial(self._values, "RHS", "right-hand side", self._right),
            "RANGES": partial(self._values, "RANGES", "range", self._ranges),
            "BOUNDS": self._bound,
        }

    def begin(self, words: list[str]) -> bool:
        """Begins a section; False at the end of the file."""
        section = words[0].upper() if words else ""
        if section == "ENDATA":
            return False
        if section not in self._sections:
            known = f"{', '.join(self._sections)} and ENDATA"
            raise ProblemError(f"there is a section {' '.join(words)[:40]!r}; known are {known}")
        self.take = self._sections[section]
        if section == "OBJSENSE" and len(words) > 1:
            self.take(words[1:])
        return True

    def _nowhere(self, words: list[str]) -> None:
        raise ProblemError(f"{words[0][:40]!r} stands in no section")

    def _sense(self, words: list[str]) -> None:
        if len(words) != 1 or words[0].upper() not in SENSES:
            raise ProblemError(f"the sense of the objective is {' '.join(words)[:40]!r} instead of MIN or MAX")
        self.flipped = self.place.line if SENSES[words[0].upper()] < 0 else None

    def _row(self, words: list[str]) -> None:
        if len(words) != 2:
            raise ProblemError("a row is N, E, L or G, and its name")
        kind, name = words[0].upper(), words[1]
        if name in self._rows:
            raise ProblemError(f"the row {name!r} is listed twice")
        if kind == "N":
            if -1 in self._rows.values():
                raise ProblemError(f"the row {name!r} is free, and so is the objective: only that one can be")
            self._rows[name] = -1
            return
        if kind not in ("E", "L", "G"):
            raise ProblemError(f"the row {name!r} is of the kind {words[0][:40]!r} instead of N, E, L or G")
        self._rows[name] = len(self._kinds)
        self._kinds.append(kind)
        self._row_lines.append(self.place.line or 0)

    def _entry(self, words: list[str]) -> None:
        if len(words) == 3 and words[1] == MARKER:
            if words[2] not in ("'INTORG'", "'INTEND'"):
                raise ProblemError(f"the marker is {words[2][:40]} instead of 'INTORG' or 'INTEND'")
            self._integer = words[2] == "'INTORG'"
            return
        if len(words) not in (3, 5):
            told = "words instead of a column, and one or two rows with coefficients"
            raise ProblemError(f"there are {len(words)} {told}")
        if words[0] != self._name or not self._columns:
            self._column(words[0])
        self._coefficient(words[1], words[2])
        if len(words) == 5:
            self._coefficient(words[3], words[4])

    def _column(self, name: str) -> None:
        if name in self._columns:
            raise ProblemError(f"the column {name!r} comes again; the lines of a column stand together")
        if not self._columns:
            self._last = array("q", [-1]) * (len(self._kinds) + 1)
        self._columns[name] = len(self._columns)
        self._name = name
        self._column_lines.append(self.place.line or 0)
        self._starts.append(len(self._entries))
        self._costs.append(0)
        self._whole.append(self._integer)
        self._low.append(0)
        self._high.append(1)  # as CPLEX and HiGHS take an integer column without bounds

    def _coefficient(self, row: str, text: str) -> None:
        number = self._rows.get(row)
        if number is None or number >= len(self._last) - 1:
            raise ProblemError(f"the column {self._name!r} has the unknown row {row!r}")
        column = len(self._costs) - 1
        if self._last[number] == column:
            raise ProblemError(f"the column {self._name!r} has the row {row!r} twice")
        self._last[number] = column
        if number < 0:
            self._costs[-1], self._priced = as_cost(text), True
            return
        value = 1 if text == "1" else as_number(text)
        if value == 1:
            self._entries.append(number)
            self._starts[-1] += 1
        elif value != 0:
            where = f"of the column {self._name!r} in the row {row!r}"
            raise ProblemError(f"the coefficient {where} is {text} instead of 1")

    def _values(self, section: str, what: str, known: dict[int, int], words: list[str]) -> None:
        """Takes in rows and their values; the name of the set may be missing."""
        if not 2 <= len(words) <= 5:
            raise ProblemError(f"there are {len(words)} words instead of a set, and one or two rows with values")
        if len(words) % 2:
            self._only(section, words[0])
        for row, text in zip(words[len(words) % 2 :: 2], words[len(words) % 2 + 1 :: 2], strict=True):
            if row not in self._rows:
                raise ProblemError(f"the row {row!r} is unknown")
            number, value = self._rows[row], as_number(text)
            if number < 0 and value:
                raise ProblemError(f"the objective {row!r} has the {what} {text}; only 0 can be said")
            if number in known:
                raise ProblemError(f"the row {row!r} has a second {what}")
            if value != int(value):
                raise ProblemError(f"the {what} of the row {row!r} is {text}, which is not whole")
            if number >= 0:
                known[number] = int(value)

    def _only(self, section: str, name: str) -> None:
        if self._sets.setdefault(section, name) != name:
            raise ProblemError(f"{section} has the set {name!r} besides {self._sets[section]!r}; there can be one")

    def _bound(self, words: list[str]) -> None:
        kind = words[0].upper()
        if kind in ("BV", "PL") and len(words) in (2, 3, 4):  # with or without a set, and a value that says nothing
            bare = len(words) == 2 or (len(words) == 3 and words[2] not in self._columns and words[1] in self._columns)
            place = 1 if bare else 2
            value = 1 if kind == "BV" else MANY
        elif kind in ("UP", "LO", "FX", "UI", "LI") and len(words) in (3, 4):
            place = len(words) - 2
            value = self._limit(words[place], words[-1])
        else:
            raise ProblemError(f"the bound is {' '.join(words)[:60]!r}; {A_BOUND}")
        if place == 2:
            self._only("BOUNDS", words[1])
        name = words[place]
        if name not in self._columns:
            raise ProblemError(f"the column {name!r} is unknown")
        column = self._columns[name]
        self._whole[column] |= kind in ("BV", "UI", "LI")
        if kind in ("LO", "LI", "FX", "BV"):
            if value == MANY:
                raise ProblemError(f"the column {name!r} is at least 2")
            self._low[column] = 0 if kind == "BV" else value
        if kind not in ("LO", "LI"):
            self._high[column] = value
        if self._low[column] > self._high[column]:
            raise ProblemError(f"the column {name!r} is at least 1 and at most 0")

    def _limit(self, name: str, text: str) -> int:
        """The value of a bound, up to 2; infinity is a bound, too."""
        value = MANY if re.fullmatch(r"[+]?inf(inity)?", text, re.IGNORECASE) else as_number(text)
        if value < 0 or (value < MANY and not isinstance(value, int)):
            raise ProblemError(f"the column {name!r} has the bound {text}; it can be 0 or 1")
        return int(min(value, MANY))

    # The problem, at the end of the file

    def problem(self) -> Problem:
        self.place.line = None
        indices = np.frombuffer(self._entries, dtype=np.int32) if self._entries else np.zeros(0, dtype=np.int32)
        indptr = np.array(self._starts, dtype=np.int64)
        sizes = np.bincount(indices, minlength=len(self._kinds)).tolist()
        ranges = np.array([self._between(row, size) for row, size in enumerate(sizes)], dtype=np.int64).reshape(-1, 2)
        self._check_columns(indptr, indices, ranges)
        low, high = np.array(self._low), np.array(self._high)
        roles = np.where(high == 0, LEFT_OUT, np.where(low == 1, CHOSEN, FREE))
        self._contradict(owners(indptr), indices, ranges, roles)
        primary = self._primary(indptr, indices, ranges)
        order = np.argsort(~primary, kind="stable")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        names = [row for row, number in self._rows.items() if number >= 0]
        priced = self._priced or (not self._columns and -1 in self._rows.values())
        own = ranges[order][: int(primary.sum())]
        return Problem(
            tuple(names[k] for k in order.tolist()),
            len(own),
            indptr,  # type: ignore[arg-type]
            place[indices],  # type: ignore[arg-type]
            [-cost if self.flipped else cost for cost in self._costs] if priced else None,  # type: ignore[arg-type]
            tuple(self._columns),
            multiplicities=None if (own == 1).all() else own.astype(np.int32),
            roles=roles.astype(np.int8) if (roles != FREE).any() else None,
        )

    def _between(self, row: int, size: int) -> tuple[int, int]:
        """The least and the most of the columns of a row that are 1."""
        kind, right, span = self._kinds[row], self._right.get(row, 0), self._ranges.get(row)
        if span is None:
            low, high = {"E": (right, right), "L": (0, right), "G": (right, max(right, size, 1))}[kind]
        elif kind == "G" or (kind == "E" and span >= 0):
            low, high = right, right + abs(span)
        else:
            low, high = right - abs(span), right
        if high < 1:
            raise self._row_error(row, f"allows at most {high} of its columns; the least that can be said is 1")
        if high > MAX_MULTIPLICITY:
            raise self._row_error(row, f"asks for {low} to {high} of its columns; the limit is {MAX_MULTIPLICITY}")
        return max(low, 0), high

    def _check_columns(
        self, indptr: npt.NDArray[np.int64], indices: npt.NDArray[np.int32], ranges: npt.NDArray[np.int64]
    ) -> None:
        """Refuses columns that are no choice of zero or one."""
        for reason, wrong in (
            ("is continuous; a marker or a bound BV would make it whole", np.array(self._whole) == 0),
            ("is in no row", np.diff(indptr) == 0),
            ("may be 2 or more", (np.array(self._high) == MANY) & _none(indptr, (ranges[:, 1] <= 1)[indices])),
        ):
            for column in np.flatnonzero(wrong)[:1].tolist():
                self.place.line = self._column_lines[column]
                raise ProblemError(f"the column {list(self._columns)[column]!r} {reason}")

    def _contradict(
        self,
        owner: npt.NDArray[np.int64],
        indices: npt.NDArray[np.int32],
        ranges: npt.NDArray[np.int64],
        roles: npt.NDArray[np.int64],
    ) -> None:
        """Leaves out all columns of rows that allow fewer than are fixed at 1, and asks for one; notes a first row."""
        fixed = (roles == CHOSEN)[owner]
        rows = np.flatnonzero(np.bincount(indices[fixed], minlength=len(ranges)) > ranges[:, 1])
        for row in rows[:1].tolist():
            names = list(self._columns)
            told = " and ".join([repr(names[k]) for k in owner[fixed & (indices == row)].tolist()])
            reason = f"allows {ranges[row, 1]} of its columns; fixed at 1 are {told}, so there is no cover"
            error = self._row_error(row, reason)
            self.notes.append(f"{self.place.file}:{self.place.line}: {error}")
            self.place.line = None
        ranges[rows, 0] = np.maximum(ranges[rows, 0], 1)
        roles[owner[np.isin(indices, rows)]] = LEFT_OUT

    def _primary(
        self, indptr: npt.NDArray[np.int64], indices: npt.NDArray[np.int32], ranges: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """Tells whether each row is a primary item.

        At most one, without a range, is a secondary item. But no cover has an option without a primary item, and a
        column that has only such rows may well be 1: its first row is a primary item with a multiplicity of (0, 1).
        """
        primary: npt.NDArray[np.bool_] = (ranges != (0, 1)).any(axis=1)
        primary[list(self._ranges)] = True
        idle = _none(indptr, primary[indices]) & (np.array(self._high) > 0)
        primary[indices[indptr[:-1][idle]]] = True
        return primary

    def _row_error(self, row: int, reason: str) -> ProblemError:
        self.place.line = self._row_lines[row]
        name = next(name for name, number in self._rows.items() if number == row)
        return ProblemError(f"the row {name!r} {reason}")


def _none(indptr: npt.NDArray[np.int64], marks: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Tells whether no entry of an option is marked."""
    before = np.append(0, np.cumsum(marks))
    none: npt.NDArray[np.bool_] = before[indptr[1:]] == before[indptr[:-1]]
    return none
