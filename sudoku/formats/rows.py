"""Rows of a section as grids: without rules, labels and headings, there are n rows for each grid, or there is an error.

A section is read as a whole, so that a lost or doubled row shifts no grid: the GridError that is raised then is the
answer for each grid that the section may have had.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, compress, groupby, pairwise
from math import isqrt
from operator import not_
from string import ascii_uppercase

import numpy as np

from sudoku.formats.lines import MIXED, Row
from sudoku.formats.request import Found, Request, has_clash
from sudoku.formats.signs import BLANKS, NO_SIGN, quoted
from sudoku.formats.whole import WholeLines
from sudoku.grid import Form, GridError, Puzzle
from sudoku.layout import another_box

DOTS = "write blanks as . or rules with +"
BLANK = "write all blanks as . or 0"
HEADING = "may be a row or stand above or between grids: leave it out, or leave an empty line below it"
MISSING = "may not be the first row, as the grid from there has a digit twice: leave empty lines between grids only"
TWICE = "if that is meant, write the grid in one line"
GAPS = "leave empty lines between grids"
TRIPLES = "are triples of a row, a column and a digit, which are not read: write the grid with a blank as . or 0"
SPACES = "have spaces for blanks, but spaces divide cells: write blanks as . or 0"
COLUMNS = "has empty columns at its ends, which may be cells or not: write blanks as . or 0"
EMPTY = f"an empty cell stands beside blanks that are written: {BLANK}"
_PREFIX = re.compile(r"(?:row|r)\s?(?=\d)|(?<=\d)[:.)]$", re.IGNORECASE)  # around the number of a row
_COLUMN = re.compile(r"c(?=\d)", re.IGNORECASE)  # of the name of a column


def lines_of(rows: Sequence[Row]) -> str:
    return f"lines {rows[0].line} to {rows[-1].line}" if len(rows) > 1 else f"line {rows[0].line}"


def _without_end(row: Row) -> list[str]:
    """Returns the cells of a row without the empty one behind a comma at its end."""
    return row.cells if row.cells[-1:] != [""] else row.cells[:-1]


class GridRows:
    """Reads sections of rows and rules."""

    def __init__(self, request: Request, whole: WholeLines) -> None:
        self.request, self.layout, self.whole, self.signs = request, request.layout, whole, whole.signs
        self.n, self.count = self.signs.columns, self.signs.rows  # cells of a row, and rows of a grid
        self.height = self.layout.box[0] if self.layout.box and self.layout.is_square else 0  # of a band
        self.there = [] if self.layout.is_square else self.layout.mask().sum(axis=1).tolist()  # cells of each row
        self.in_doubt = False  # whether rows may be missing above a section

    def read(self, entries: list[Row]) -> list[Found]:
        """Returns the grids and errors of a section."""
        rows = [entry for entry in entries if not entry.is_rule]
        if self._are_triples(rows):
            return self.errors(self._error(rows[0], f"the {lines_of(rows)} {TRIPLES}"), rows)
        try:
            is_ruled = any(entry.is_rule and rows[0].line < entry.line < rows[-1].line for entry in entries)
            if not is_ruled and self.is_free(rows):
                return self._free(rows)
        except GridError as error:
            return self.errors(error, rows)
        parts = [[*part] for _, part in groupby(entries, self.is_long)]
        return [found for part in parts for found in (self._long(part) if self.is_long(part[0]) else self._part(part))]

    def _part(self, entries: list[Row]) -> list[Found]:
        """Returns the grids of rows and rules, or an error for each."""
        try:
            return self._grids(entries)
        except GridError as error:
            return self.errors(error, [entry for entry in entries if not entry.is_rule])

    def errors(self, error: GridError, rows: list[Row]) -> list[Found]:
        """Returns an error for each grid that rows may have been, as each grid has one answer."""
        cells = sum(self.n if row.fault or "" in row.cells else len(row.cells) for row in rows)
        number = max(1, round(cells / self.signs.cells))
        others = (max(error.line, rows[k * len(rows) // number].line) for k in range(1, number))
        reason = f"it is in the section with the error in line {error.line}"
        return [error, *(self.request.error(line, reason) for line in others)]

    def _are_triples(self, rows: list[Row]) -> bool:
        """Returns whether rows are the places and digits of cells, each place once."""
        if self.n == 3 or len(rows) < 4 or any(len(row.cells) != 3 or row.widths for row in rows):
            return False
        numbers = [[int(cell) for cell in row.cells if cell.isascii() and cell.isdigit()] for row in rows]
        places = {(one[0], one[1]) for one in numbers if len(one) == 3 and one[2]}
        return len(places) == len(rows)

    # ------------------------------------------------------------------------------------ lines that are as long as any

    def is_free(self, rows: list[Row]) -> bool:
        """Returns whether lines of any length have the cells of one grid, or of several that end with a line each."""
        styles = {row.style for row in rows if len(row.cells) > 1} or {"words"}
        if any(row.fault or row.widths or "" in row.cells[:-1] for row in rows) or len(styles) > 1:
            return False
        if styles == {"groups"} or self._is_heading(rows[0].cells):
            return False
        lengths = [[len(_without_end(row)) for row in some] for some in self._chunks(rows)]
        return all(sum(some) == self.signs.cells and some.count(self.n) < 2 for some in lengths)

    def _chunks(self, rows: list[Row]) -> list[list[Row]]:
        """Returns the rows of each grid if each grid ends with a row."""
        total = self.signs.cells
        ends = accumulate(len(_without_end(row)) for row in rows)
        before = [0, *ends][:-1]
        return [
            [row for row, _ in some] for _, some in groupby(zip(rows, before, strict=True), lambda p: p[1] // total)
        ]

    def _free(self, rows: list[Row]) -> list[Found]:
        self._check_doubled(rows)
        chunks = self._chunks(rows)
        return [
            self.whole.puzzle([cell for row in some for cell in _without_end(row)], "free", some[0].line)
            for some in chunks
        ]

    def is_long(self, row: Row) -> bool:
        """Returns whether a row may be a part of a wrapped line."""
        return row.style == "word" and len(row.cells) >= 2 * self.n and not row.is_rule

    def _long(self, rows: list[Row]) -> list[Found]:
        """Returns the errors of lines that are too long for rows, and are no wrapped grids."""
        if round(sum(len(row.cells) for row in rows) / self.signs.cells) == len(rows) or len(rows) == 1:
            return [self._error(row, self.signs.line_fault(row.text)) for row in rows]
        reason = f"{lines_of(rows)} are longer than rows, and no wrapped grid: write each grid in one line"
        return self.errors(self._error(rows[0], reason), rows)

    # -------------------------------------------------------------------------------------------------------- rows of n

    def _grids(self, entries: list[Row]) -> list[Found]:
        short = [row for row in entries if not row.is_rule and len(row.cells) < self.n]
        if self.layout.is_square and len(short) > 1 and any("   " in row.text for row in short):
            raise self._error(entries[0], f"{lines_of(entries)} {SPACES}")
        rows, rules = self._without_rules(self._without_numbers(entries))
        if not rows:
            return []
        rows = self._without_lines_between(self._without_columns(rows))
        if not rows:
            return []
        if len(rows) % self.count:
            wrong = [k for k, row in enumerate(rows) if self._misfits(row, k) or row.fault]
            raise self._misfit_error(rows[wrong[0]], wrong[0], len(rows) == 1) if wrong else self.miscounted(rows)
        self._check_rules(rows, rules)
        grids = [rows[k : k + self.count] for k in range(0, len(rows), self.count)]
        for some in grids:
            if len(grids) > 1:
                self._check_alike(some)
            self._check_doubled(some)
            if self.layout.is_square and len({row.divider == "|" for row in some if not row.fault}) > 1:
                raise self._error(
                    some[0], f"{lines_of(some)} are rows with bars and without: leave empty lines between grids"
                )
        form: Form = "boxed" if rules or any(row.divider == "|" for row in rows) else "rows"
        return [self._grid(some, form, len(grids) == 1) for some in grids]

    def _check_alike(self, rows: list[Row]) -> None:
        """Refuses a row with another sign between its fields: it may be no row if a row of another grid is missing."""
        plain = [row for row in rows if any(row.cells) and sum(sign in row.text for sign in ",;\t|") < 2]
        if odd := next((row for row in plain if row.divider != plain[0].divider), None):
            raise self._error(odd, f"{quoted(odd.text)} is written unlike the rows beside it: {GAPS}")

    def miscounted(self, rows: list[Row]) -> GridError:
        """Returns the error of rows that are too many or too few."""
        have = f"{len(rows)} rows" if len(rows) != 1 else "1 row"
        several = "" if len(rows) < self.count else ": a row is missing, or there is one too many"
        hint = f"; {DOTS}" if any(row.only_sign == "-" for row in rows) else ""
        what = f"the section in {lines_of(rows)}" if len(rows) > 1 else "the section"
        return self._error(
            rows[0], f"{what} has {have} instead of {self.count}{several}; empty lines divide grids{hint}"
        )

    def _without_numbers(self, entries: list[Row]) -> list[Row]:
        """Returns a section without the numbers of its grids, each in a line above a grid or below the last one."""
        is_number = [row.is_lone_number and len(row.cells) not in (self.n, *self.there) for row in entries]
        numbers = [*compress(entries, is_number)]
        kept = [*compress(entries, map(not_, is_number))]
        lines = [row.line for row in kept if not row.is_rule]
        is_within = any(bisect(lines, number.line) % self.count for number in numbers)
        if numbers and (is_within or len(numbers) > len(lines) // self.count + 1):
            raise self._error(numbers[0], f"{quoted(numbers[0].text)} is neither a row nor the number of a grid")
        return kept

    def _without_rules(self, entries: list[Row]) -> tuple[list[Row], list[Row]]:
        """Returns the rows and the rules: a line of one sign is a row if the sign is a blank of other rows."""
        others = [row for row in entries if row.only_sign is None and not row.is_rule]
        blanks = {cell for row in others for cell in row.cells if cell in ("", *BLANKS)}
        have_bars = bool(others) and all(row.widths for row in others)
        rows: list[Row] = []
        rules: list[Row] = []
        above: str | None = None
        for entry in entries:
            sign, above_it = entry.only_sign, above
            above = sign
            is_foreign = len(entry.cells) == self.n and sign is not None and others and sign not in blanks
            is_foreign = is_foreign and bool(blanks or sign == "-")
            is_cut = entry.text.strip("-") == "" and "-" in blanks and abs(len(entry.text) - self.n) == 1
            if is_foreign and not entry.is_rule and sign == above_it != "-":  # dashes twice may border two frames
                raise self._error(entry, f"{quoted(entry.text)} and the line above it may be rules or rows: {BLANK}")
            is_rule = (entry.is_rule and not is_cut) or is_foreign or (sign == "-" and have_bars and not entry.widths)
            (rules if is_rule else rows).append(entry)
        if rows and not others and "-" in [cell for row in rows for cell in row.cells]:
            raise self._error(rows[0], f"{quoted(rows[0].text)} may be a rule or a row of blanks: {DOTS}")
        return rows if others or len(rows) > 1 else [], rules  # a line of blanks alone stands between grids

    def _is_border(self, above: int) -> bool:
        return not self.height or above % self.height == 0

    def _check_rules(self, rows: list[Row], rules: list[Row]) -> None:
        """Refuses rules that are not between bands, unless one stands below each row, or only below first rows."""
        lines = [row.line for row in rows]
        places = [bisect(lines, rule.line) % self.count for rule in rules]
        everywhere = len(rules) >= len(rows) - len(rows) // self.count
        is_header = {*places} == {1} and not everywhere
        if is_header and (heading := next((row for row in rows[:: self.count] if self._is_heading(row.cells)), None)):
            raise self._error(heading, f"{quoted(heading.text)} {HEADING}")
        is_below = {*places} == {0} and rules[0].line > rows[0].line
        if is_below and rules[0].text.count("|") == self.n + 1:  # a Markdown rule stands below a first row
            raise self._error(rules[0], "the rule of a table stands below a last row: a row may be missing")
        if not self.height or everywhere or is_header:
            return
        for place, rule in zip(places, rules, strict=True):
            if not self._is_border(place):
                raise self._error(rule, f"a rule stands below row {place}, and not between bands")

    def _without_columns(self, rows: list[Row]) -> list[Row]:
        """Returns the rows of a table without columns of labels or empty ones; `~` stands for an empty cell."""
        have_ends = any(len(row.cells) == self.n + 1 and not row.cells[-1] for row in rows)
        if have_ends and not any("" in row.cells[:-1] for row in rows):  # a comma ends each row
            rows = [row._replace(cells=_without_end(row)) for row in rows]
        width = Counter(len(row.cells) for row in rows).most_common(1)[0][0]
        is_open = any("" in row.cells for row in rows)
        if not self.n <= width <= self.n + 2 or not (is_open or width > self.n):
            return rows
        table = [self._with_corner(row, width) for row in rows]
        if not is_open and any(len(row.cells) != width for row in table):
            return rows
        divider = Counter(row.divider for row in table if len(row.cells) == width).most_common(1)[0][0]
        faults = [self._column_fault(row, width, divider) for row in table]
        right = [row for row, fault in zip(table, faults, strict=True) if not fault]
        first = self._first_column(right, width)
        right = [row._replace(cells=row.cells[first : first + self.n]) for row in right]
        data = [cell for row in right if not self._is_heading(row.cells) for cell in row.cells]
        empty_fault = EMPTY if any(cell and self.signs.is_blank(cell) for cell in data) else ""
        filled = (self._with_blanks(row, empty_fault, is_labelled=first > 0) for row in right)
        return [row._replace(fault=fault) if fault else next(filled) for row, fault in zip(table, faults, strict=True)]

    def _with_corner(self, row: Row, width: int) -> Row:
        """Returns the names of columns, above rows that begin with labels, with an empty cell above the labels."""
        is_narrow = len(row.cells) == self.n == width - 1 and self._is_heading(row.cells)
        return row._replace(cells=["", *row.cells]) if is_narrow else row

    def _with_blanks(self, row: Row, empty_fault: str, is_labelled: bool) -> Row:
        """Returns a row of a table with `~` for empty cells; `empty_fault` is what is wrong with these."""
        cells = [cell or "~" for cell in row.cells]
        fault = empty_fault if "" in row.cells else ""
        widths = (row.widths[0] - 1, *row.widths[1:]) if is_labelled and row.widths else row.widths
        bad = next(filter(None, map(self.signs.fault, cells)), "")
        return row._replace(cells=cells, fault=fault or bad, widths=widths[not all(widths[:1]) :])

    def _column_fault(self, row: Row, width: int, divider: str) -> str:
        """Returns why a row does not fit into its table, or nothing."""
        if row.divider != divider or row.fault == MIXED:
            return MIXED
        return f"{len(row.cells)} fields instead of {width} (empty ones are blanks)" if len(row.cells) != width else ""

    def _first_column(self, rows: list[Row], width: int) -> int:
        """Returns the index of the first column of cells; columns of labels, and empty ones, may stand beside cells."""
        columns = [*zip(*(row.cells for row in rows), strict=True)]
        firsts = [k for k in range(width - self.n + 1) if self._are_beside(columns[:k], columns[k + self.n :])]
        heads = [k for k in firsts if any(self._is_heading(row.cells[k : k + self.n]) for row in rows)]
        firsts = heads or firsts
        if len(firsts) != 1:
            reason = f"has {width} columns instead of {self.n}" if not firsts else COLUMNS
            raise self._error(rows[0], f"the table in {lines_of(rows)} {reason}")
        return firsts[0]

    def _are_beside(self, before: Sequence[Sequence[str]], behind: Sequence[Sequence[str]]) -> bool:
        """Returns whether the columns before and behind the cells of a table have nothing but labels of rows."""
        if before and self._are_in_order([name for name in before[-1] if name]):
            before = before[:-1]
        return not before and len(behind) <= 1 and not any(map(any, behind))

    def _are_in_order(self, labels: Sequence[str]) -> bool:
        """Returns whether labels number the rows of each grid, from 0 or 1, or from A."""
        names = [_PREFIX.sub("", label).upper() for label in labels]
        known = [[str(k + first) for k in range(self.count)] for first in (0, 1)]
        known.append([*ascii_uppercase[: self.count]])
        return bool(names) and any(names == one * (len(names) // self.count) for one in known)

    def _without_lines_between(self, rows: list[Row]) -> list[Row]:
        """Returns the rows without a line repeated above, below or between all grids, or a heading above the first."""
        size = self.count + 1
        for places in (range(0, len(rows), size), range(self.count, len(rows), size), range(1)):
            every = [rows[k] for k in places]
            if not every or any(row.cells != every[0].cells for row in every) or (len(rows) - len(every)) % self.count:
                continue
            first, number = every[0], sum(row.cells == every[0].cells for row in rows)
            is_mono = first.only_sign is not None and first.style in ("word", "fields") and len(rows) > size
            if not is_mono and not self._is_heading(first.cells):
                continue
            if len(rows) % self.count == 0:
                raise self._error(first, f"{quoted(first.text)} {HEADING}")
            if number == len(every):  # no other row is the same
                return [row for k, row in enumerate(rows) if k not in places]
        return rows

    def _is_heading(self, cells: Sequence[str]) -> bool:
        """Returns whether cells are the names of the columns."""
        names = [_COLUMN.sub("", cell) for cell in cells] if cells and len(cells[0]) == 2 else cells
        if not names or names[0] not in ("0", "1", "A", "a"):
            return False
        numbers = ([str(k) for k in range(first, first + self.n)] for first in (0, 1))
        return [*names] in numbers or "".join(names).upper() == ascii_uppercase[: self.n]

    def _misfits(self, row: Row, place: int) -> bool:
        return len(row.cells) not in (self.n, *self.there[place % self.count :][:1])

    def _misfit_error(self, row: Row, k: int, is_alone: bool = False) -> GridError:
        place, number = k % self.count + 1, len(row.cells)
        rows = isqrt(number) if is_alone and row.style == "word" and isqrt(number) ** 2 == number else number
        other = another_box(rows) if k == 0 and abs(number - self.n) > 1 else ""
        if row.fault and not (other and number > self.n):
            other = self.signs.hint("".join(row.cells)) if row.fault.endswith(NO_SIGN) else ""
            return self._error(row, f"{row.fault}, in row {place}: {quoted(row.text)}{other}")
        cells = f"{number} cells" if number != 1 else "1 cell"
        wanted = " or ".join(map(str, sorted({self.n, *self.there[place - 1 : place]})))
        return self._error(row, f"row {place} has {cells} instead of {wanted}: {quoted(row.text)}{other}")

    # ---------------------------------------------------------------------------------------------------------- a grid

    def _grid(self, rows: list[Row], form: Form, is_alone: bool) -> Found:
        if any(row.fault for row in rows) and (walled := self._walled(rows)):
            return walled
        try:
            for place, row in enumerate(rows):
                if row.fault or self._misfits(row, place):
                    raise self._misfit_error(row, place)
                self._check_bars(row, place)
        except GridError as error:
            return error
        cells = [cell for place, row in enumerate(rows) for cell in self._filled(place, row.cells)]
        puzzle = self.whole.puzzle(cells, form, rows[0].line)
        heading = next((row for row in (rows[:1] if is_alone else rows) if self._is_heading(row.cells)), None)
        if (heading or self.in_doubt) and isinstance(puzzle, Puzzle) and self._has_clash(puzzle):
            return self._error(
                heading or rows[0], f"{quoted((heading or rows[0]).text)} {HEADING if heading else MISSING}"
            )
        return puzzle

    def _has_clash(self, puzzle: Puzzle) -> bool:
        is_plain = puzzle.candidates is None and self.layout.is_square
        return is_plain and has_clash(puzzle.grid, self.layout)

    def _walled(self, rows: list[Row]) -> Found | None:
        """Returns the jigsaw of rows of numbers, each a digit plus its walls; None if they are other numbers."""
        if not all(cell.isdecimal() and len(cell) < 4 for row in rows for cell in row.cells):
            return None
        from sudoku.formats.files.regions import walled  # 5 ms

        try:
            return walled([list(map(int, row.cells)) for row in rows], self.request, rows[0].line)
        except ValueError as error:
            return self._error(rows[0], str(error))

    def _check_bars(self, row: Row, place: int) -> None:
        if not row.widths or not self.layout.is_square:
            return
        areas = self.layout.areas()[place].tolist() if not self.layout.box else np.arange(self.n) // self.layout.box[1]
        widths = [len([*cells]) for _, cells in groupby(areas)]
        if [*row.widths] not in (widths, [1] * self.n):
            parts = " + ".join(map(str, widths))
            raise self._error(row, f"the bars in row {place + 1} do not divide it into {parts} cells")

    def _check_doubled(self, rows: list[Row]) -> None:
        """Refuses equal neighbouring rows with two digits or more, since another row may be missing."""
        for row, other in pairwise(rows):
            digits = [cell for cell in row.cells if cell not in BLANKS]
            are_candidates = self.signs.single and any(len(cell) > 1 for cell in digits)
            is_row = len(row.cells) > self.n or len(digits) == len({*digits})
            if row.cells == other.cells and len(digits) > 1 and is_row and not (are_candidates or self.signs.given):
                reason = f"the lines {row.line} and {other.line} are the same: {quoted(other.text)}; {TWICE}"
                raise self._error(other, reason)

    def _filled(self, place: int, cells: list[str]) -> list[str]:
        """Returns all cells of a row in which missing cells are left out."""
        if len(cells) == self.n:
            return cells
        given = iter(cells)
        return [next(given) if there else "." for there in self.layout.mask()[place]]

    def _error(self, row: Row, reason: str) -> GridError:
        return self.request.error(row.line, reason)
