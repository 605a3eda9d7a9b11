"""Rows of a section as grids: without rules, labels and headings, there are n rows for each grid, or there is an error.

A section is read as a whole, so that a lost or doubled row shifts no grid: the GridError that is raised then is the
answer for each grid that the section may have had.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, groupby, pairwise
from math import isqrt
from string import ascii_uppercase
from typing import NoReturn

import numpy as np

from sudoku.formats.lines import Row
from sudoku.formats.request import Found, Request, has_clash
from sudoku.formats.signs import BLANKS, NO_SIGN, quoted
from sudoku.formats.whole import WholeLines
from sudoku.grid import Form, GridError
from sudoku.layout import another_box

DOTS = "write blanks as . or rules with +"
BLANK = "write all blanks as . or 0"
HEADING = "may be a row or stand above or between grids: leave it out, or leave an empty line below it"
MISSING = "may not be the first row, as the grid from there has a digit twice: leave empty lines between grids only"
TWICE = "if that is meant, write the grid in one line"
GAPS = "leave empty lines between grids"
TRIPLES = "are triples of a row, a column and a digit, which are not read: write the grid with a blank as . or 0"
SPACES = "have spaces for blanks, but spaces divide cells: write blanks as . or 0"
LONG = "are longer than rows, but are no grid in wrapped lines: write each grid in one line"
_PREFIX = re.compile(r"(?:row|r)\s?(?=\d)|(?<=\d)[:.)]$", re.IGNORECASE)  # what is around a row's number: r3, 3:
_COLUMN = re.compile(r"c(?=\d)", re.IGNORECASE)  # the c of a column's name, such as c3


def lines_of(rows: Sequence[Row]) -> str:
    return f"lines {rows[0].line} to {rows[-1].line}" if len(rows) > 1 else f"line {rows[0].line}"


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
        is_ruled = any(entry.is_rule and rows[0].line < entry.line < rows[-1].line for entry in entries)
        try:
            if self._are_triples(rows):
                raise self._error(rows[0], f"the {lines_of(rows)} {TRIPLES}")
            if not is_ruled and self.is_free(rows):
                return self._free(rows)
            if long := [row for row in rows if self.is_long(row)]:
                if max(1, round(sum(len(row.cells) for row in rows) / self.signs.cells)) == len(long) or len(rows) == 1:
                    return [self._error(row, self.signs.line_fault(row.text)) for row in long]
                raise self._error(rows[0], f"{lines_of(rows)} {LONG}")
            return self._grids(entries)
        except GridError as error:
            return self.errors(error, rows)

    def errors(self, error: GridError, rows: list[Row]) -> list[Found]:
        """Returns an error for each grid that rows may have been, as each grid has one answer."""
        cells = sum(self.n if row.fault or "" in row.cells else len(row.cells) for row in rows)
        number = max(1, round(cells / self.signs.cells))
        firsts = [rows[k * len(rows) // number].line for k in range(number)]
        reason = f"it is in the section with the error in line {error.line}"
        found: list[Found] = [self.request.error(line, reason) for line in firsts]
        lost = f"; so {lines_of(rows)} are not read" if number > 1 and error.line > rows[0].line else ""
        found[max(0, bisect(firsts, error.line) - 1)] = self.request.error(error.line, f"{error.reason}{lost}")
        return found

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
        ways = {(row.divider, row.is_word) for row in rows if len(row.cells) > 1}
        if len(ways) > 1 or any(row.fault or row.widths or "" in row.cells[:-1] for row in rows):
            return False
        labels = [row.cells[0] for row in rows if len(row.cells) == self.n + 1]
        are_labelled = len(labels) > 2 and labels == sorted({*labels})
        if self.there or are_labelled or self._is_heading(rows[0].cells):
            return False
        lengths = [[len(row.own_cells) for row in some] for some in self._chunks(rows)]
        return all(sum(some) == self.signs.cells and some.count(self.n) < 2 for some in lengths)

    def _chunks(self, rows: list[Row]) -> list[list[Row]]:
        """Returns the rows of each grid if each grid ends with a row."""
        above = accumulate((len(row.own_cells) for row in rows), initial=0)
        grids = [cells // self.signs.cells for cells in above]
        return [[row for row, _ in some] for _, some in groupby(zip(rows, grids, strict=False), lambda pair: pair[1])]

    def _free(self, rows: list[Row]) -> list[Found]:
        self._check_doubled(rows)
        chunks = [([cell for row in some for cell in row.own_cells], some[0].line) for some in self._chunks(rows)]
        return [self.whole.puzzle(cells, "free", line) for cells, line in chunks]

    def is_long(self, row: Row) -> bool:
        """Returns whether a row may be a part of a wrapped line."""
        return row.is_word and len(row.cells) >= 2 * self.n and not row.is_rule

    # -------------------------------------------------------------------------------------------------------- rows of n

    def _grids(self, entries: list[Row]) -> list[Found]:
        short = [row for row in entries if not row.is_rule and len(row.cells) < self.n]
        if self.layout.is_square and len(short) > 1 and any("   " in row.text for row in short):
            raise self._error(entries[0], f"{lines_of(entries)} {SPACES}")
        rows, rules = self._without_rules(entries)
        rows = self._without_lines_between(self._without_labels(rows)) if rows else rows
        if not rows:
            return []
        self._check_rules(rows, rules)
        grids = [rows[k : k + self.count] for k in range(0, len(rows), self.count)]
        for some in grids:
            self._check_doubled(some)
            if self.layout.is_square and len({row.way for row in some}) > 1:
                self._check_alike(some if len(grids) > 1 else [row for row in some if not self._misfits(row, 0)])
        form: Form = "boxed" if rules or any(row.divider == "|" for row in rows) else "rows"
        return [self._grid(some, form, len(grids) == 1) for some in grids]

    def _check_alike(self, rows: list[Row]) -> None:
        """Refuses a row with another sign between its cells: it may be no row if a row of another grid is missing."""
        plain = [row for row in rows if any(row.cells) and sum(sign in row.text for sign in ",;\t|") < 2]
        usual = Counter(row.way for row in plain).most_common(1)
        if odd := next((row for row in plain if row.way != usual[0][0]), None):
            raise self._error(odd, f"{quoted(odd.text)} is written unlike the rows beside it: {GAPS}")

    def _without_rules(self, entries: list[Row]) -> tuple[list[Row], list[Row]]:
        """Returns the rows and the rules: a line of one sign is a row if the sign is a blank of other rows."""
        others = [row for row in entries if row.only_sign is None and not row.is_rule]
        blanks = {cell for row in others for cell in row.cells if cell in ("", *BLANKS)}
        rows: list[Row] = []
        rules: list[Row] = []
        have_bars = bool(others) and all(row.widths for row in others)
        above: str | None = None
        for entry in entries:
            sign, above_it = entry.only_sign, above
            above = sign
            is_foreign = len(entry.cells) == self.n and sign is not None and others and sign not in blanks
            is_foreign = is_foreign and bool(blanks or sign == "-")
            if is_foreign and not entry.is_rule and sign == above_it != "-":  # dashes twice may border two frames
                raise self._error(entry, f"{quoted(entry.text)} and the line above it may be rules or rows: {BLANK}")
            is_rule = entry.is_rule or is_foreign or (sign == "-" and have_bars and not entry.widths)
            (rules if is_rule else rows).append(entry)
        if not others and len(rows) == 1:
            return [], rules  # a line of blanks alone stands between grids
        if not others and "-" in [cell for row in rows for cell in row.cells]:
            raise self._error(rows[0], f"{quoted(rows[0].text)} may be a rule or a row of blanks: {DOTS}")
        return rows, rules

    def _check_rules(self, rows: list[Row], rules: list[Row]) -> None:
        """Refuses rules that are not between bands, unless one stands below each row, or only below first rows."""
        lines = [row.line for row in rows]
        places = [bisect(lines, rule.line) % self.count for rule in rules]
        everywhere = len(rules) >= len(rows) - len(rows) // self.count
        is_header = {*places} == {1} and not everywhere
        if is_header and (heading := next((row for row in rows[:: self.count] if self._is_heading(row.cells)), None)):
            raise self._error(heading, f"{quoted(heading.text)} {HEADING}")
        for place, rule in zip(places, rules, strict=True):
            if self.height and place % self.height and not (everywhere or is_header):
                raise self._error(rule, f"a rule stands below row {place}, and not between bands")

    def _without_labels(self, rows: list[Row]) -> list[Row]:
        """Returns the rows without labels before them, or without the empty cells behind dividers at their ends."""
        wide = [row for row in rows if len(row.cells) == self.n + 1]
        if 2 * len(wide) <= len(rows):
            if any("" in row.own_cells for row in rows):
                return rows
            return [row._replace(cells=row.own_cells) if len(row.cells) == self.n + 1 else row for row in rows]
        have_labels = self._are_in_order([row.cells[0] for row in wide if not self._is_heading(row.cells[1:])])
        have_ends = not any(row.cells[-1] for row in wide)
        if have_ends == have_labels:
            raise self._error(rows[0], f"the table in {lines_of(rows)} has {self.n + 1} columns instead of {self.n}")
        if have_ends:
            return [row._replace(cells=row.own_cells) for row in rows]
        return [row if self._is_heading(row.cells) else row.without_label() for row in rows]

    def _are_in_order(self, labels: Sequence[str]) -> bool:
        """Returns whether labels number the rows of each grid, from 0 or 1, or from A."""
        names = [_PREFIX.sub("", label).upper() for label in labels]
        known = [[str(k + first) for k in range(self.count)] for first in (0, 1)]
        known.append([*ascii_uppercase[: self.count]])
        return bool(names) and any(names == one * (len(names) // self.count) for one in known)

    def _without_lines_between(self, rows: list[Row]) -> list[Row]:
        """Returns the rows without other lines: numbers of grids, names of columns, lines of one blank sign.

        Raises GridError if two readings fit, or none.
        """
        numbers = {row.line for row in rows if row.is_lone_number and len(row.cells) not in (self.n, *self.there)}
        rows = [row for row in rows if row.line not in numbers] if numbers else rows
        ways = [[], [row for row in rows if self._is_heading(row.cells)]]
        if len(rows) > self.count + 1:
            blank = [row.line for row in rows if row.only_sign is not None]
            for some in (rows[:: self.count + 1], rows[self.count :: self.count + 1]):
                lines = [row.line for row in some]
                if lines == blank or (len(rows) % self.count == 0 and {*blank}.issuperset(lines)):
                    ways += [some]
        readings: list[list[Row]] = []
        for between in ways:
            places = {row.line for row in between} | numbers
            kept = [row for row in rows if row.line not in places] if between else rows
            lines = [row.line for row in kept] if places else []
            is_whole = len(kept) % self.count == 0 and (kept or len(between) < 2)
            if is_whole and all(bisect(lines, line) % self.count == 0 for line in places):
                readings += [kept] if kept not in readings else []
        if len(readings) > 1:
            first = next(row for row in rows if row not in readings[1])
            raise self._error(first, f"{quoted(first.text)} {HEADING}")
        return readings[0] if readings else self._miscounted(rows)

    def _is_heading(self, cells: Sequence[str]) -> bool:
        """Returns whether cells are the names of the columns, perhaps behind an empty corner."""
        names = cells[1:] if len(cells) == self.n + 1 and not cells[0] else cells
        names = [_COLUMN.sub("", cell) for cell in names] if names and len(names[0]) == 2 else names
        if not names or names[0] not in ("0", "1", "A", "a"):
            return False
        numbers = ([str(k) for k in range(first, first + self.n)] for first in (0, 1))
        return [*names] in numbers or "".join(names).upper() == ascii_uppercase[: self.n]

    def _misfits(self, row: Row, place: int) -> bool:
        return bool(row.fault) or len(row.cells) not in (self.n, *self.there[place % self.count :][:1])

    def _miscounted(self, rows: list[Row]) -> NoReturn:
        """Raises the error of rows that are wrong, too many or too few."""
        if wrong := [k for k, row in enumerate(rows) if self._misfits(row, k)]:
            raise self._misfit_error(rows[wrong[0]], wrong[0], len(rows) == 1)
        have = f"{len(rows)} rows" if len(rows) != 1 else "1 row"
        several = "" if len(rows) < self.count else ": a row is missing, or there is one too many"
        hint = f"; {DOTS}" if any(row.only_sign == "-" for row in rows) else ""
        what = f"the section in {lines_of(rows)}" if len(rows) > 1 else "the section"
        reason = f"{what} has {have} instead of {self.count}{several}; empty lines divide grids{hint}"
        raise self._error(rows[0], reason)

    def _misfit_error(self, row: Row, k: int, is_alone: bool = False) -> GridError:
        place, number = k % self.count + 1, len(row.cells)
        rows = isqrt(number) if is_alone and row.is_word and isqrt(number) ** 2 == number else number
        other = another_box(rows) if k == 0 and abs(number - self.n) > 1 else ""
        if row.fault and not (other and number > self.n):
            other = self.signs.hint("".join(row.cells)) if row.fault.endswith(NO_SIGN) else ""
            return self._error(row, f"{row.fault}, in row {place}: {quoted(row.text)}{other}")
        cells = f"{number} cells" if number != 1 else "1 cell"
        wanted = " or ".join(map(str, sorted({self.n, *self.there[place - 1 : place]})))
        return self._error(row, f"row {place} has {cells} instead of {wanted}: {quoted(row.text)}{other}")

    # ---------------------------------------------------------------------------------------------------------- a grid

    def _grid(self, rows: list[Row], form: Form, is_alone: bool) -> Found:
        try:
            for place, row in enumerate(rows):
                if self._misfits(row, place):
                    raise self._misfit_error(row, place)
                self._check_bars(row, place)
        except GridError as error:
            return error
        cells = [cell or "~" for place, row in enumerate(rows) for cell in self._filled(place, row.cells)]
        puzzle = self.whole.puzzle(cells, form, rows[0].line)
        heading = next((row for row in (rows[:1] if is_alone else rows) if self._is_heading(row.cells)), None)
        if isinstance(puzzle, GridError) or not (heading or self.in_doubt):
            return puzzle
        if puzzle.candidates is None and self.layout.is_square and has_clash(puzzle.grid, self.layout):
            first = heading or rows[0]
            return self._error(first, f"{quoted(first.text)} {HEADING if heading else MISSING}")
        return puzzle

    def _check_bars(self, row: Row, place: int) -> None:
        if not row.widths or not self.layout.is_square:
            return
        boxes = self.layout.areas()[place].tolist() if not self.layout.box else np.arange(self.n) // self.layout.box[1]
        widths = [len([*cells]) for _, cells in groupby(boxes)]
        if [*row.widths] not in (widths, [1] * self.n):
            parts = " + ".join(map(str, widths))
            raise self._error(row, f"the bars in row {place + 1} do not divide it into {parts} cells")

    def _check_doubled(self, rows: list[Row]) -> None:
        """Refuses equal neighbouring rows with two digits or more, since another row may be missing."""
        for row, other in pairwise(rows):
            digits = [cell for cell in row.cells if cell not in BLANKS and (len(cell) == 1 or not self.signs.single)]
            is_row = len(row.cells) > self.n or len(digits) == len({*digits})
            if row.cells == other.cells and len(digits) > 1 and is_row and not self.signs.given:
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
