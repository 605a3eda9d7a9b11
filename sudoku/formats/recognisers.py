"""The recognisers of sections, in order: each returns the grids and errors of a section, or None.

    refused   lines of rules, triples of row, column and digit
    loose     n * n cells in lines of any length
    wrapped   grids in the line form that are wrapped over lines
    grids     grids of n rows each, with rules, labels, headers and empty cells

A GridError that a recogniser raises is the answer for each grid that the section may have had.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from math import isqrt
from string import ascii_uppercase

import numpy as np

from sudoku.formats.request import Found, Request, has_clash
from sudoku.formats.rows import Row, Rows
from sudoku.formats.signs import BLANKS, NO_SIGN, another_alphabet, quoted
from sudoku.formats.whole import WholeLines
from sudoku.grid import Form, GridError
from sudoku.layout import another_box
from sudoku.rules import LINES, SUMS

DOUBT = "may be a rule or a row of blanks: write blanks as . or rules with +"
BLANK = "write all blanks as . or 0"
HEADING = "may be a row or stand above or between grids: leave it out, or leave an empty line below it"
TWICE = "if that is meant, write the grid in one line"
GAPS = "leave empty lines between grids"
APART = "leave empty lines between all bands, or between grids only"
RULES = "are rules, which --rules (read_rules) takes in a file of their own"
TRIPLES = "are triples of a row, a column and a digit, which are not read: write the grid with a blank as . or 0"
SPACES = "have spaces for blanks, but spaces divide cells: write blanks as . or 0"
COLUMNS = "has empty columns at its ends, which may be cells or not: write blanks as . or 0"
_CAGE = re.compile(r"\d+=R\d+C\d+", re.IGNORECASE)
_CELL = re.compile(r"\br\d+c\d+", re.IGNORECASE)
_KINDS = {"region", *map(str.lower, (*LINES, *SUMS))}
_GAP = re.compile(r"[ \t]+")
_PREFIX = re.compile(r"(?:row|r)\s?(?=\d)", re.IGNORECASE)  # of the label of a row
_COLUMN = re.compile(r"c(?=\d)", re.IGNORECASE)  # of the name of a column

Recogniser = Callable[[list[Row], list[Row]], Iterable[Found] | None]


def is_rule_line(text: str) -> bool:
    """Returns whether a line names cells, and could stand in a file of rules."""
    kind, _, cells = text.lower().partition(" ")
    return bool(_CAGE.match(text) or (kind in _KINDS and _CELL.search(cells)))


class Recognisers:
    """Reads sections of rows and rules."""

    def __init__(self, request: Request, rows: Rows, whole: WholeLines) -> None:
        self.request, self.layout, self.rows, self.whole = request, request.layout, rows, whole
        self.signs = rows.signs
        self.n, self.count = rows.n, rows.signs.rows  # cells of a row, and rows of a grid
        self.height = self.layout.box[0] if self.layout.box and self.layout.is_square else 0  # of a band
        self.there = [] if self.layout.is_square else self.layout.mask().sum(axis=1).tolist()  # cells of each row
        self.in_doubt = False  # whether rows may be missing above the section

    def read(self, entries: list[Row], in_doubt: bool = False) -> Iterator[Found]:
        """Yields the grids and errors of a section; `in_doubt` says whether rows may be missing above it."""
        self.in_doubt = in_doubt
        found = self._first((self._refused, self._loose), entries)
        if found is not None:
            yield from found
            return
        for part in self._parts(entries):
            for some in [part] if self.is_long(part[0]) else self._between_marks(part):
                yield from self._first((self._wrapped, self._grids), some) or ()

    def _first(self, recognisers: Iterable[Recogniser], entries: list[Row]) -> Iterable[Found] | None:
        """Returns what the first recogniser that knows a section makes of it."""
        rows = [entry for entry in entries if not entry.is_rule]
        try:
            made = (recognise(entries, rows) for recognise in recognisers)
            return next((found for found in made if found is not None), None)
        except GridError as error:
            return self.errors(error, rows)

    def errors(self, error: GridError, rows: list[Row]) -> list[Found]:
        """Returns an error for each grid that rows may have been, as each grid has one answer."""
        cells = sum(self.n if row.fault or "" in row.fields else len(row.cells) for row in rows)
        number = max(1, round(cells / self.signs.cells))
        others = (max(error.line, rows[k * len(rows) // number].line) for k in range(1, number))
        reason = f"it is in the section with the error in line {error.line}"
        return [error, *(self.request.error(line, reason) for line in others)]

    def is_long(self, row: Row) -> bool:
        """Returns whether a row may be a part of a wrapped line."""
        return row.is_word and len(row.cells) >= 2 * self.n

    def _parts(self, entries: list[Row]) -> Iterator[list[Row]]:
        """Yields the parts of a section: wrapped lines, and what stands between these."""
        part: list[Row] = []
        for row, below in zip(entries, [*entries[1:], None], strict=True):
            is_end = bool(part) and self.is_long(part[0]) and self._ends_wrapped(part, row, below)
            if part and not is_end and self.is_long(part[0]) != self.is_long(row):
                yield part
                part = []
            part.append(row)
            if is_end:
                yield part
                part = []
        if part:
            yield part

    def _ends_wrapped(self, lines: list[Row], row: Row, below: Row | None) -> bool:
        """Returns whether a short row ends the wrapped lines above it, and is no row of the grid below."""
        if self.is_long(row) or not row.is_word:
            return False
        fits = sum(len(line.cells) for line in lines) + len(row.cells) == self.signs.cells
        return len(row.cells) != self.n or (fits and (below is None or len(below.cells) != self.n))

    def _between_marks(self, entries: list[Row]) -> Iterator[list[Row]]:
        """Yields the parts between lone numbers or hollow rows if they are whole grids, otherwise all as one part."""
        has_blanks = any("" in row.fields and not row.is_hollow for row in entries)
        are_doubled = any(row.fields and row.fields == below.fields for row, below in pairwise(entries))
        parts: list[list[Row]] = [[]]
        for row, below in zip(entries, [*entries[1:], None], strict=True):
            is_header = below is not None and below.is_rule and not are_doubled  # of a Markdown table
            if self._is_number(row) or (row.is_hollow and (is_header or not has_blanks)):
                parts.append([])
            else:
                parts[-1].append(row)
        are_whole = all(sum(not row.is_rule for row in part) % self.count == 0 for part in parts)
        # n parts with rows have n + 1 places for marks; of more marks, some stand side by side and may be cells.
        number = sum(map(bool, parts))  # of parts with rows
        yield from parts if are_whole and len(parts) - 1 <= number + 1 else [entries]

    def _is_number(self, row: Row) -> bool:
        """Returns whether a row is a number that may stand above grids."""
        return row.is_lone_number and len(row.cells) not in (self.n, *self.there)

    def _refused(self, entries: list[Row], rows: list[Row]) -> list[Found] | None:
        """Returns the error of lines that are known to be something else than a grid: rules, or triples."""
        reason = RULES if all(is_rule_line(row.text) for row in rows) else TRIPLES if self._are_triples(rows) else ""
        if not rows or not reason:
            return None
        return [self._error(rows[0], f"the lines {rows[0].line} to {rows[-1].line} {reason}")]

    def _are_triples(self, rows: list[Row]) -> bool:
        """Returns whether rows are the places and digits of cells, each place once."""
        if self.n == 3 or len(rows) < 4 or any(len(row.cells) != 3 or row.widths for row in rows):
            return False
        numbers = [[int(cell) for cell in row.cells if cell.isascii() and cell.isdigit()] for row in rows]
        places = {(one[0], one[1]) for one in numbers if len(one) == 3 and one[2]}
        return len(places) == len(rows)

    def is_loose(self, rows: list[Row]) -> bool:
        """Returns whether rows of any length are just the cells of grids, or, without white space, of a single grid."""
        is_grid = all(row.is_word for row in rows) and sum(len(row.cells) for row in rows) == self.signs.cells
        if any(row.fault or row.label or not (row.is_loose or is_grid) for row in rows):
            return False
        if self._is_heading(rows[0].cells) or self._have_spaces_for_blanks(rows):
            return False
        chunks = self._chunks(rows)
        return chunks is not None and all([len(row.cells) for row in some].count(self.n) < 2 for some in chunks)

    def _have_spaces_for_blanks(self, rows: list[Row]) -> bool:
        """Returns whether the gaps between cells differ in width, so that wide gaps may stand for blanks."""
        gaps = {len(gap) for row in rows if not row.fields for gap in _GAP.findall(row.text)}
        return len(gaps) > 1 and max(gaps) > 2

    def _chunks(self, rows: list[Row]) -> list[list[Row]] | None:
        """Returns the rows of each grid; None if the number of cells is not that of whole grids."""
        chunks: list[list[Row]] = []
        number = 0
        for row in rows:
            if number % self.signs.cells == 0:
                chunks.append([])
            chunks[-1].append(row)
            number += len(row.cells)
        return chunks if number % self.signs.cells == 0 else None

    def _loose(self, entries: list[Row], rows: list[Row]) -> list[Found] | None:
        is_ruled = any(entry.is_rule and rows[0].line < entry.line < rows[-1].line for entry in entries)
        if is_ruled or not self.is_loose(rows):
            return None
        self._check_doubled(rows)
        total, cells = self.signs.cells, [cell for row in rows for cell in row.cells]
        lines = [row.line for row in rows for _ in row.cells]
        return [self.whole.puzzle(cells[k : k + total], "free", lines[k]) for k in range(0, len(cells), total)]

    def _wrapped(self, entries: list[Row], rows: list[Row]) -> list[Found] | None:
        if not rows or not self.is_long(rows[0]):
            return None
        number, total = sum(len(row.cells) for row in rows), self.signs.cells
        if number == total and not any(row.label or row.is_lone_number for row in rows):
            return [self.whole.puzzle("".join("".join(row.cells) for row in rows), "free", rows[0].line)]
        if all(map(self.is_long, rows)):
            return [self._error(row, self.signs.line_fault(row.text)) for row in rows]
        have = f"have {number} cells instead of {total}" if number != total else "may be a grid, or a line and a number"
        raise self._error(rows[0], f"lines {rows[0].line} to {rows[-1].line} {have}: write the grid in one line")

    def _grids(self, entries: list[Row], lines: list[Row]) -> list[Found] | None:
        rows, rules = self._without_rules(entries)
        if not rows:
            return []
        are_short = sum(len(row.cells) < self.n for row in rows) > 1
        if self.layout.is_square and are_short and self._have_spaces_for_blanks(rows):
            raise self._error(rows[0], f"lines {rows[0].line} to {rows[-1].line} {SPACES}")
        if number := next(filter(self._is_number, rows), None):
            raise self._error(number, f"{quoted(number.text)} is neither a row nor the number of a grid")
        rows = self._without_lines_between(self._without_labels(self._table(rows)))
        if len(rows) % self.count:
            wrong = [k for k, row in enumerate(rows) if self._misfits(row, k) or row.fault]
            raise self._misfit_error(rows[wrong[0]], wrong[0], len(rows) == 1) if wrong else self.miscounted(rows)
        self._check_rules(rows, rules)
        grids = [rows[k : k + self.count] for k in range(0, len(rows), self.count)]
        is_alone = len(grids) == 1
        for some in grids:
            self._check_doubled(some)
            right = [row for row in some if not row.fault]
            styles = [(self.layout.is_square and bool(row.widths), is_alone or row.is_word) for row in right]
            if len({*styles}) > 1:
                usual = Counter(styles).most_common(1)[0][0]
                other = next(row for row, style in zip(right, styles, strict=True) if style != usual)
                raise self._error(other, f"{quoted(other.text)} is written unlike the rows beside it: {GAPS}")
        form: Form = "boxed" if rules or any(row.widths for row in rows) else "rows"
        return [self._grid(some, form, is_alone) for some in grids]

    def miscounted(self, rows: list[Row]) -> GridError:
        """Returns the error of rows that are too many or too few."""
        have = f"{len(rows)} rows" if len(rows) != 1 else "1 row"
        several = "" if len(rows) < self.count else ": a row is missing, or there is one too many"
        what = f"the section in lines {rows[0].line} to {rows[-1].line}" if len(rows) > 1 else "the section"
        return self._error(rows[0], f"{what} has {have} instead of {self.count}{several}; empty lines divide grids")

    def _without_rules(self, entries: list[Row]) -> tuple[list[Row], list[Row]]:
        """Returns the rows and the rules; raises a GridError if a line of one sign may be either."""
        lines = [entry for entry in entries if not entry.is_rule]
        others = [row for row in lines if not row.only_blank]
        blanks = {cell for row in others for cell in row.cells if cell in BLANKS}
        have_bars = bool(others) and all(row.widths for row in others)
        are_crossed = any("+" in row.text or "=" in row.text for row in entries if row.is_rule)
        are_whole = (len(lines) - bool(lines and self._is_heading(lines[0].cells))) % self.count == 0
        may_be_rules = self.layout.is_square and not (others and (are_crossed or are_whole))
        rows: list[Row] = []
        rules: list[Row] = []
        signs = ["" if entry.is_rule else entry.only_blank for entry in entries]
        for entry, sign, above in zip(entries, signs, ["", *signs], strict=False):
            is_foreign = len(entry.cells) == self.n and sign and others and sign not in blanks
            is_foreign = is_foreign and bool(blanks or sign == "-")
            if is_foreign and sign == above != "-":  # dashes twice may be the borders of two frames
                raise self._error(entry, f"{quoted(entry.text)} and the line above it may be rules or rows: {BLANK}")
            if entry.is_rule or is_foreign or (sign == "-" and have_bars and not entry.widths):
                rules.append(entry)
            elif sign == "-" and may_be_rules and self._is_border(len(rows)):
                raise self._error(entry, f"{quoted(entry.text)} {DOUBT}")
            else:
                rows.append(entry)
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
        is_below = bool(rows) and {*places} == {0} and rules[0].line > rows[0].line
        if is_below and rules[0].text.count("|") == self.n + 1:  # a Markdown rule stands below a first row
            raise self._error(rules[0], "the rule of a table stands below a last row: a row may be missing")
        if not self.layout.is_square or not self.layout.box or everywhere or is_header:
            return
        for place, rule in zip(places, rules, strict=True):
            if not self._is_border(place):
                raise self._error(rule, f"a rule stands below row {place}, and not between bands")

    def _table(self, rows: list[Row]) -> list[Row]:
        """Returns the rows of a table, in which empty fields are blanks; other rows as they are."""
        width = Counter(len(row.fields) for row in rows).most_common(1)[0][0]
        is_even = all(len(row.fields) == width for row in rows)
        is_short = any(len(row.cells) < self.n for row in rows)
        has_gaps = any("" in row.fields[1:-1] for row in rows)
        if not self.n <= width <= self.n + 3 or not (has_gaps or (is_even and is_short)):
            return rows
        divider = Counter(row.divider for row in rows if len(row.fields) == width).most_common(1)[0][0]
        if other := next((row for row in rows if not row.fields), None):
            raise self._error(other, f"{quoted(other.text)} stands in a table with empty fields: {BLANK}")
        faults = [self._table_fault(row, width, divider) for row in rows]
        right = [row for row, fault in zip(rows, faults, strict=True) if not fault]
        first = self._first_column(right, width, divider)
        cells = [row.fields[first : first + self.n] for row in right]
        data = [cell for some in cells if not self._is_heading(some) for cell in some]
        are_written = any(map(self.signs.is_blank, data))
        fault = f"an empty cell stands beside blanks that are written: {BLANK}" if are_written else ""
        filled = (self._filled_row(row, some, fault) for row, some in zip(right, cells, strict=True))
        return [row._replace(fault=fault) if fault else next(filled) for row, fault in zip(rows, faults, strict=True)]

    def _table_fault(self, row: Row, width: int, divider: str) -> str:
        """Returns why a row does not fit into its table, or nothing."""
        if len(row.fields) != width:
            return f"{len(row.fields)} fields instead of {width} (empty ones are blanks)"
        if row.divider != divider or len({*row.text} & {*",;\t"}) > 1:
            return "different signs between fields (empty ones are blanks)"
        return ""

    def _first_column(self, rows: list[Row], width: int, divider: str) -> int:
        """Returns the index of the first column of cells; columns of labels, and empty ones, may stand beside cells."""
        columns = [*zip(*(row.fields for row in rows), strict=True)]
        firsts = [k for k in range(width - self.n + 1) if self._are_beside(columns[:k], columns[k + self.n :], divider)]
        heads = [k for k in firsts if any(self._is_heading(row.fields[k : k + self.n]) for row in rows)]
        firsts = heads or firsts
        is_open = divider == "|" and width == self.n and not any(columns[0]) and not any(columns[-1])
        if len(firsts) != 1 or is_open:
            reason = f"has {width} columns instead of {self.n}" if not firsts else COLUMNS
            raise self._error(rows[0], f"the table in lines {rows[0].line} to {rows[-1].line} {reason}")
        return firsts[0]

    def _are_beside(self, before: Sequence[Sequence[str]], behind: Sequence[Sequence[str]], divider: str) -> bool:
        """Returns whether the columns before and behind the cells of a table have nothing but labels of rows."""
        if before and self._are_in_order([name for name in before[-1] if name]):
            before = before[:-1]
        is_framed = divider == "|"
        return len(before) <= is_framed and len(behind) <= 1 and not any(map(any, (*before, *behind)))

    def _filled_row(self, row: Row, fields: Sequence[str], gap_fault: str) -> Row:
        """Returns a row of a table with its cells; `gap_fault` is the fault if one of them is empty."""
        cells = self.rows.cells_of([field or "~" for field in fields])
        fault = gap_fault if gap_fault and "" in fields else next(filter(None, map(self.signs.fault, cells)), "")
        return row._replace(cells=cells, fault=fault, widths=(1,) * self.n if row.divider == "|" else ())

    def _are_in_order(self, labels: Sequence[str]) -> bool:
        """Returns whether labels number the rows of each grid, from 0 or 1, or from A."""
        names = [_PREFIX.sub("", label).upper() for label in labels]
        known = [[str(k + first) for k in range(self.count)] for first in (0, 1)]
        known.append([*ascii_uppercase[: self.count]])
        return bool(names) and any(names == one * (len(names) // self.count) for one in known)

    def _without_labels(self, rows: list[Row]) -> list[Row]:
        """Returns the rows without the labels before them, and without the names of columns above these."""
        wide = [row for row in rows if len(row.cells) == self.n + 1]
        heads = [row for row in rows if len(row.cells) == self.n]
        is_table = len(heads) + len(wide) == len(rows) and all(self._is_heading(row.cells) for row in heads)
        if not is_table or not self._are_in_order([row.cells[0] for row in wide]):
            return rows
        widths = [(row.widths[0] - 1, *row.widths[1:]) if row.widths else () for row in wide]
        return [
            row._replace(cells=row.cells[1:], widths=some[not some[0] :] if some else ())
            for row, some in zip(wide, widths, strict=True)
        ]

    def _without_lines_between(self, rows: list[Row]) -> list[Row]:
        """Returns the rows without a line repeated above, below or between all grids, or a heading above the first."""
        size = self.count + 1
        for places in (range(0, len(rows), size), range(self.count, len(rows), size), range(1)):
            every = [rows[k] for k in places]
            if not every or len({(*row.cells,) for row in every}) > 1 or (len(rows) - len(every)) % self.count:
                continue
            first, number = every[0], sum(row.cells == every[0].cells for row in rows)
            is_line = bool(first.only_blank) and (first.is_word or first.is_hollow) and len(rows) > size
            if (is_line or self._is_heading(first.cells)) and len(rows) % self.count == 0:
                raise self._error(first, f"{quoted(first.text)} {HEADING}")
            if (is_line or self._is_heading(first.cells)) and number == len(every):  # no other row is the same
                return [row for k, row in enumerate(rows) if k not in places]
        return rows

    def _clashes(self, rows: list[Row]) -> bool:
        """Returns whether one of the grids, which have n rows each, has a digit twice."""
        if not self.layout.is_square or any(len(row.cells) != self.n for row in rows):
            return False
        cells = [int(cell) if cell.isascii() and cell.isdigit() else 0 for row in rows for cell in row.cells]
        grids = np.array(cells, dtype=np.int64).reshape(-1, self.n, self.n)
        if grids.max(initial=0) > self.n:
            return False
        return any(has_clash(grid, self.layout) for grid in grids)

    def _is_heading(self, cells: Sequence[str]) -> bool:
        """Returns whether cells are the names of the columns."""
        names = [_COLUMN.sub("", cell) for cell in cells] if cells and len(cells[0]) == 2 else cells
        if not names or names[0] not in ("0", "1", "A", "a"):
            return False
        numbers = ([str(k) for k in range(first, first + self.n)] for first in (0, 1))
        return [*names] in numbers or "".join(names).upper() == ascii_uppercase[: self.n]

    def _misfits(self, row: Row, place: int) -> bool:
        wanted = {self.n, self.there[place % self.count]} if self.there else {self.n}
        return len(row.cells) not in wanted

    def _misfit_error(self, row: Row, k: int, is_alone: bool = False) -> GridError:
        place, number = k % self.count + 1, len(row.cells)
        rows = isqrt(number) if is_alone and row.is_word and isqrt(number) ** 2 == number else number
        other = another_box(rows) if k == 0 and abs(number - self.n) > 1 else ""
        if row.fault and not (other and number > self.n):
            known = self.signs.given or not row.fault.endswith(NO_SIGN)
            other = "" if known else another_alphabet("".join(row.cells), self.signs.n)
            return self._error(row, f"{row.fault}, in row {place}: {quoted(row.text)}{other}")
        cells = f"{number} cells" if number != 1 else "1 cell"
        wanted = " or ".join(map(str, sorted({self.n, *self.there[place - 1 : place]})))
        return self._error(row, f"row {place} has {cells} instead of {wanted}: {quoted(row.text)}{other}")

    def _grid(self, rows: list[Row], form: Form, is_alone: bool) -> Found:
        if any(row.fault for row in rows) and (walled := self._walled(rows)):
            return walled
        try:
            for place, row in enumerate(rows):
                if row.fault or self._misfits(row, place):
                    raise self._misfit_error(row, place)
                self._check_bars(row, place)
            self._check_labels(rows)
            self._check_clash(rows, is_alone)
        except GridError as error:
            return error
        if self.there:
            rows = [row._replace(cells=self._filled(place, row)) for place, row in enumerate(rows)]
        texts = [row.cells for row in rows if isinstance(row.cells, str)]
        cells = "".join(texts) if len(texts) == len(rows) else [cell for row in rows for cell in row.cells]
        return self.whole.puzzle(cells, form, rows[0].line)

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
        if not row.widths or row.widths == (1,) * self.n or not self.layout.is_square:
            return
        if self.layout.box:
            widths = [self.layout.box[1]] * (self.n // self.layout.box[1])
        else:
            widths = [len([*cells]) for _, cells in groupby(self.layout.areas()[place].tolist())]
        if [*row.widths] != widths:
            parts = " + ".join(map(str, widths))
            raise self._error(row, f"the bars in row {place + 1} do not divide it into {parts} cells")

    def _check_labels(self, rows: list[Row]) -> None:
        """Refuses labels of rows that are not in order, as a row is missing or doubled then."""
        labels = [row.label for row in rows if row.label]
        if labels and not self._are_in_order(labels):
            reason = f"the labels of the rows are not in order: {' '.join(row.label for row in rows)}"
            raise self._error(rows[0], reason)

    def _check_doubled(self, rows: list[Row]) -> None:
        """Refuses equal neighbouring rows with two digits or more, since another row may be missing."""
        for row, other in pairwise(rows):
            digits = [cell for cell in row.cells if cell not in BLANKS]
            are_candidates = self.signs.single and any(len(cell) > 1 for cell in digits)
            is_row = len(row.cells) > self.n or len(digits) == len({*digits})
            if row.cells == other.cells and len(digits) > 1 and is_row and not (are_candidates or self.signs.given):
                reason = f"the lines {row.line} and {other.line} are the same: {quoted(other.text)}; {TWICE}"
                raise self._error(other, reason)

    def _check_clash(self, rows: list[Row], is_alone: bool) -> None:
        """Refuses a grid with a digit twice if one of its rows may be a heading, or rows may be missing above it."""
        headings = [row for row in (rows[:1] if is_alone else rows) if self._is_heading(row.cells)]
        has_marks = self.signs.single and any(len(cell) > 1 for row in rows for cell in row.cells)  # no heading has any
        if has_marks or not (headings or self.in_doubt) or not self._clashes(rows):
            return
        if headings:
            raise self._error(headings[0], f"{quoted(headings[0].text)} {HEADING}")
        reason = f"rows may be missing above line {rows[0].line}: the grid from there has a digit twice; {APART}"
        raise self._error(rows[0], reason)

    def _filled(self, place: int, row: Row) -> str | list[str]:
        """Returns all cells of a row in which missing cells are left out."""
        if len(row.cells) == self.n:
            return row.cells
        cells = iter(row.cells)
        filled = [next(cells) if there else "." for there in self.layout.mask()[place]]
        return "".join(filled) if isinstance(row.cells, str) else filled

    def _error(self, row: Row, reason: str) -> GridError:
        return self.request.error(row.line, reason)
