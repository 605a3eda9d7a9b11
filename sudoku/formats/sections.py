"""Sections: the lines between empty lines, titles and whole grids, read as a whole when they end.

A section is grids of n rows each, or n * n cells in lines of any length, or a part of a grid. Parts of one height with
single empty lines between them, bands or single rows, are joined. Any other section is an error for each grid that it
may have been, so that answers keep their places and a lost or doubled row shifts no grid behind it.

Where a line may be a row or something else, other lines settle it: a line of one sign is a row if the blanks of the
other rows have that sign, and a rule otherwise. What no line settles is refused, with the text to write instead.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Collection, Iterator
from itertools import accumulate, groupby, pairwise
from math import isqrt
from string import ascii_uppercase

import numpy as np

from sudoku.formats.request import Found, Request, solution_fault
from sudoku.formats.rows import Row, Rows
from sudoku.formats.signs import BLANKS, another_alphabet, quoted
from sudoku.formats.whole import WholeLines
from sudoku.grid import Form, GridError
from sudoku.layout import another_box
from sudoku.rules import LINES, SUMS

MOST_ROWS = 1 << 18  # lines of a section, and rows of parts that are held together

DOUBT = "may be a rule or a row of blanks: write blanks as . or rules with +"
BLANK = "write all blanks as . or 0"
HEADING = "may be a row or stand above or between grids: leave it out, or leave an empty line below it"
APART = "leave empty lines between all bands, or between grids only"
TWICE = "if that is meant, write the grid in one line"
RULES = "are rules, which --rules (read_rules) takes in a file of their own"
TRIPLES = "are triples of a row, a column and a digit, which are not read: write the grid with a blank as . or 0"
_CAGE = re.compile(r"\d+=R\d+C\d+", re.IGNORECASE)
_CELL = re.compile(r"\br\d+c\d+", re.IGNORECASE)
_KINDS = {"region", *map(str.lower, (*LINES, *SUMS))}


def is_rule_line(text: str) -> bool:
    """Returns whether a line is one of a file of rules, with cells."""
    kind, _, cells = text.lower().partition(" ")
    return bool(_CAGE.match(text) or (kind in _KINDS and _CELL.search(cells)))


class Sections:
    """Collects the lines of a section, and reads it when it ends."""

    def __init__(self, request: Request, rows: Rows, whole: WholeLines) -> None:
        self.request, self.layout, self.rows, self.whole = request, request.layout, rows, whole
        self.signs = rows.signs
        self.n, self.count = rows.n, rows.signs.rows  # cells of a row, and rows of a grid
        self.height = self.layout.box[0] if self.layout.box and self.layout.is_square else 0  # of a band
        self.there = [] if self.layout.is_square else self.layout.mask().sum(axis=1).tolist()  # cells of each row
        self.entries: list[Row] = []  # the lines of this section
        self.parts: list[list[Row]] = []  # sections before it that are no whole grids, with single empty lines between
        self.held = 0  # rows of these parts
        self.doubtful = False  # whether the lines above this section were no whole grids
        self.number = -1  # the last number that stood alone
        self.line = 0  # of the first one
        self.seen = False  # whether there has been any grid
        self.numbered = False  # whether numbers stand above the grids

    @property
    def begun(self) -> bool:
        return bool(self.entries or self.parts)

    def add(self, row: Row) -> Iterator[Found]:
        """Takes a row; lines of many signs make a section of their own."""
        if self.entries and not self._goes_on(row):
            first = self._first_row() if not self._is_long(row) else len(self.entries)
            self.entries, rows = self.entries[:first], self.entries[first:]
            yield from self.end()
            self.entries = rows
        self.entries.append(row)
        if len(self.entries) == MOST_ROWS + 1:
            yield self._error(self.entries[0], f"the section that begins here has more than {MOST_ROWS} lines")
        elif len(self.entries) > MOST_ROWS:
            self.entries.pop()

    def _is_long(self, row: Row) -> bool:
        return row.is_word and len(row.cells) >= 2 * self.n

    def _goes_on(self, row: Row) -> bool:
        """Returns whether a row belongs to the section; long rows and ends of wrapped lines only join long rows."""
        first, last = self._is_long(self.entries[0]), self._is_long(self.entries[-1])
        if not first or self._is_long(row):
            return first == last == self._is_long(row)
        is_next = row.is_lone_number and 0 <= self.number == int(row.text) - 1
        return last and row.is_word and not is_next and (len(row.cells) != self.n or self._lacks(row))

    def _lacks(self, row: Row) -> bool:
        """Returns whether a row of n cells ends a wrapped grid, unless another row comes behind it."""
        return sum(len(entry.cells) for entry in self.entries) + len(row.cells) == self.signs.cells

    def _first_row(self) -> int:
        """Returns the place of a row of n cells behind long rows, or the number of entries if there is none."""
        places = [k for k, entry in enumerate(self.entries) if len(entry.cells) == self.n]
        return places[0] if places and self._is_long(self.entries[0]) else len(self.entries)

    def end(self, at_gap: bool = False) -> Iterator[Found]:
        """Ends a section; after an empty line (`at_gap`) its grid may continue in the next section."""
        entries, self.entries = self.entries, []
        if len(entries) > MOST_ROWS:
            entries = []
        rows = [row for row in entries if not row.rule]
        if self._is_part(rows) or self._may_end_bands(rows):
            self.parts.append(entries)
            self.held += len(rows)
            if self.held >= MOST_ROWS and self.held % self.count == 0:
                yield from self._end_parts()
        elif rows:
            yield from self._end_parts()
            yield from self._settle(entries)
            self.doubtful = False
        if not at_gap or not entries:
            yield from self._end_parts()
            self.doubtful = False

    def _is_part(self, rows: list[Row]) -> bool:
        """Returns whether rows may be a part of a grid that goes on behind an empty line."""
        if len(rows) % self.count == 0 or len(rows) > self.count or any(map(self._is_long, rows)):
            return False
        is_number = len(rows) == 1 and rows[0].is_lone_number and len(rows[0].cells) != self.n
        return not is_number and not self._is_free(rows)

    def _may_end_bands(self, rows: list[Row]) -> bool:
        """Returns whether the rows may belong to two grids: bands without an empty line between the grids."""
        above = [sum(not entry.rule for entry in part) for part in self.parts]
        return bool(above and self.height) and len(rows) == self.count and not any(k % self.height for k in above)

    def _end_parts(self) -> Iterator[Found]:
        """Reads the collected parts: joined into grids if all have the same height, otherwise each part on its own."""
        parts, self.parts, self.held = self.parts, [], 0
        if not parts:
            return
        heights = [sum(not entry.rule for entry in part) for part in parts]
        self.doubtful = sum(heights) % self.count != 0 or len({*heights}) > 1
        if not self.doubtful:
            entries = [entry for part in parts for entry in part]
            rows = [k for k, entry in enumerate(entries) if not entry.rule]
            for begin, end in pairwise([*rows[:: self.count], len(entries)]):
                yield from self._settle(entries[begin:end])
            return
        are_whole = [height == self.count and sum(heights) % self.count != 0 for height in heights]
        for is_whole, group in groupby(zip(are_whole, parts, strict=True), lambda one: one[0]):
            some = [part for _, part in group]
            lines = [entry for part in some for entry in part if not entry.rule]
            different = {sum(not entry.rule for entry in part) for part in some}
            if is_whole:
                for part in some:
                    yield from self._settle(part)
            elif different == {self.height} and len(some) > 1 and not any(row.fault for row in lines):
                yield from self._errors(self._miscounted(lines), lines)
            elif len(different) == 1:
                yield from self._settle([entry for part in some for entry in part])
            else:
                first, last = lines[0], lines[-1]
                reason = f"lines {first.line} to {last.line} are sections of {_listed(different)} rows: {APART}"
                yield from self._errors(self._error(first, reason), lines)

    def _errors(self, error: GridError, rows: list[Row]) -> Iterator[GridError]:
        """Yields an error for each grid that rows may have been, as each grid has one answer."""
        yield error
        cells = sum(self.n if row.fault else len(row.cells) for row in rows)
        number = max(1, round(cells / self.signs.cells))
        for k in range(1, number):
            line = max(error.line, rows[k * len(rows) // number].line)
            yield self.request.error(line, f"it is in the section with the error in line {error.line}")

    def _settle(self, entries: list[Row]) -> Iterator[Found]:
        """Reads a section that has ended."""
        rows = [row for row in entries if not row.rule]
        if all(is_rule_line(row.text) for row in rows):
            yield self._error(rows[0], f"the lines {rows[0].line} to {rows[-1].line} {RULES}")
            return
        if self._are_triples(rows):
            yield self._error(rows[0], f"the lines {rows[0].line} to {rows[-1].line} {TRIPLES}")
            return
        is_ruled = any(entry.rule and rows[0].line < entry.line < rows[-1].line for entry in entries)
        if self._is_free(rows) and not is_ruled:
            yield from self._free(rows)
            return
        if all(map(self._is_long, rows)):
            yield from (self._error(row, self.signs.line_fault(row.text)) for row in rows)
            return
        if any(map(self._is_long, rows)):
            number = sum(len(row.cells) for row in rows)
            reason = f"lines {rows[0].line} to {rows[-1].line} have {number} cells instead of {self.signs.cells}"
            yield from self._errors(self._error(rows[0], reason), rows)
            return
        part: list[Row] = []
        for k, entry in enumerate(entries):
            if entry.is_lone_number and len(entry.cells) not in (self.n, *self.there):
                yield from self._grids(part)
                part = []
                if fault := self._lone_number(entry):
                    yield from self._errors(fault, [row for row in entries[k:] if not row.rule])
                    return
            else:
                part.append(entry)
        yield from self._grids(part)

    def _are_triples(self, rows: list[Row]) -> bool:
        """Returns whether rows are the places and digits of cells, each place once."""
        if self.n == 3 or len(rows) < 4 or any(len(row.cells) != 3 or row.parts for row in rows):
            return False
        numbers = [[int(cell) for cell in row.cells if cell.isascii() and cell.isdigit()] for row in rows]
        places = {(one[0], one[1]) for one in numbers if len(one) == 3 and one[2]}
        return len(places) == len(rows)

    def _is_free(self, rows: list[Row]) -> bool:
        """Returns whether rows are all cells of grids, in lines of any length."""
        total, sizes = self.signs.cells, [len(row.cells) for row in rows]
        if sum(sizes) % total or any(row.fault or row.label for row in rows):
            return False
        ends = [k for k, there in enumerate(accumulate(sizes), 1) if there % total == 0]
        if any(sizes[begin:end].count(self.n) > 1 for begin, end in pairwise([0, *ends])):  # rows in a grid
            return False
        return all(map(_is_loose, rows)) or (sum(sizes) == total and all(row.is_word for row in rows))

    def _free(self, rows: list[Row]) -> Iterator[Found]:
        total = self.signs.cells
        for row, there in zip(rows, accumulate(len(row.cells) for row in rows), strict=True):
            if row.closed and there % self.n:
                reason = (
                    f"lists end behind cell {there} of lines {rows[0].line} to {rows[-1].line}, and not behind rows"
                )
                yield from self._errors(self._error(row, reason), rows)
                return
        for row, other in pairwise(rows):
            if len(row.cells) > 1 and row.cells == other.cells and not row.only_blank:
                reason = f"lines {row.line} and {other.line} are the same: {quoted(other.text)}; {TWICE}"
                yield from self._errors(self._error(other, reason), rows)
                return
        cells = [cell for row in rows for cell in row.cells]
        lines = [row.line for row in rows for _ in row.cells]
        for k in range(0, len(cells), total):
            yield self.whole.puzzle(cells[k : k + total], "free", lines[k])

    def _lone_number(self, row: Row) -> GridError | None:
        """Takes a number that stands alone between grids: that of all grids, or of the next one."""
        number = int(row.text)
        if number != self.number + 1 if self.number >= 0 else self.seen:
            return self._error(row, f"{quoted(row.text)} is neither a row nor a whole grid, nor the next number")
        self.numbered |= self.number >= 0
        self.number, self.line = number, self.line or row.line
        return None

    def _grids(self, part: list[Row]) -> Iterator[Found]:
        """Reads the grids of n rows each in a part of a section."""
        try:
            rows, rules = self._without_rules(part)
            rows = self._without_labels(rows, rules) if rows else rows
            if len(rows) % self.count:
                wrong = [k for k, row in enumerate(rows) if self._misfits(row, k) or row.fault]
                raise self._misfit(rows[wrong[0]], wrong[0], len(rows) == 1) if wrong else self._miscounted(rows)
            self._check_rules(rows, rules)
        except GridError as error:
            yield from self._errors(error, [row for row in part if not row.rule])
            return
        form: Form = "boxed" if rules or any(row.parts for row in rows) else "rows"
        for k in range(0, len(rows), self.count):
            yield self._grid(rows[k : k + self.count], form)

    def _miscounted(self, rows: list[Row]) -> GridError:
        have = f"{len(rows)} rows" if len(rows) != 1 else "1 row"
        several = "" if len(rows) < self.count else ": a row is missing, or there is one too many"
        blanks = "; write blanks as . or 0" if any(row.fields and not any(row.fields) for row in rows) else ""
        what = f"the section in lines {rows[0].line} to {rows[-1].line}" if len(rows) > 1 else "the section"
        reason = f"{what} has {have} instead of {self.count}{several}{blanks}; empty lines divide grids"
        return self._error(rows[0], reason)

    def _without_rules(self, part: list[Row]) -> tuple[list[Row], list[Row]]:
        """Returns the rows and the rules; a GridError if a line of dashes may be either."""
        lines = [row for row in part if not row.rule]
        others = [row for row in lines if not row.only_blank]
        blanks = {cell for row in others for cell in row.cells if cell in BLANKS}
        has_bars = bool(others) and all(row.parts for row in others)
        crossed = any("+" in row.text or "=" in row.text for row in part if row.rule)
        whole = (len(lines) - bool(lines and self._is_heading(lines[0]))) % self.count == 0
        may_be_rules = self.layout.is_square and not (others and (crossed or whole))
        rows: list[Row] = []
        rules: list[Row] = []
        signs = ["" if row.rule else row.only_blank for row in part]
        for row, sign, above in zip(part, signs, ["", *signs], strict=False):
            foreign = len(row.cells) == self.n and sign and others and sign not in blanks and (blanks or sign == "-")
            if foreign and sign == above != "-":  # dashes twice may be the borders of two frames
                raise self._error(row, f"{quoted(row.text)} and the line above it may be rules or rows: {BLANK}")
            if row.rule or foreign or (sign == "-" and has_bars and not row.parts):
                rules.append(row)
            elif sign == "-" and may_be_rules and self._is_border(len(rows)):
                raise self._error(row, f"{quoted(row.text)} {DOUBT}")
            else:
                rows.append(row)
        if not others and len(rows) == 1:
            return [], rules  # a line between grids
        return rows, rules

    def _is_border(self, above: int) -> bool:
        return not self.height or above % self.height == 0

    def _check_rules(self, rows: list[Row], rules: list[Row]) -> None:
        """Refuses rules elsewhere than between bands, unless one stands below each row, or below the first only."""
        lines = [row.line for row in rows]
        places = [bisect(lines, rule.line) % self.count for rule in rules]
        everywhere = len(rules) >= len(rows) - len(rows) // self.count
        if not self.layout.is_square or not self.layout.box or everywhere or {*places} == {1}:
            return
        for place, rule in zip(places, rules, strict=True):
            if not self._is_border(place):
                raise self._error(rule, f"a rule stands below row {place}, and not between bands")

    def _without_labels(self, rows: list[Row], rules: list[Row]) -> list[Row]:
        """Returns the rows without the names of columns above them, and the numbers of rows before them."""
        rows = self._without_header(rows, rules)
        wide = [row for row in rows if len(row.cells) == self.n + 1]
        firsts = [str(row.cells[0]) for row in wide]
        for first in (0, 1):
            numbers = [str(k + first) for k in range(self.count)]
            if wide and firsts == numbers * (len(wide) // self.count):
                heads = [row for row in rows if len(row.cells) == self.n]
                if len(heads) + len(wide) == len(rows) and all(map(self._is_heading, heads)):
                    return list(map(self._without_label, wide))
        return self._without_headings(rows)

    def _without_label(self, row: Row) -> Row:
        fields = (*row.fields[1 : self.n + 1], "") if row.fields else ()
        return row._replace(cells=row.cells[1:], parts=_narrowed(row.parts), fields=fields)

    def _without_header(self, rows: list[Row], rules: list[Row]) -> list[Row]:
        """Returns the rows of a table without a header of numbers or letters."""
        head = rows[0]
        is_ruled = len(rules) == 1 and len(rows) == self.count + 1 and head.line < rules[0].line < rows[1].line
        ruled = {rule.line - 1 for rule in rules if rule.text.startswith("|")}  # as in Markdown
        rows = [row for row in rows if row.line not in ruled or not self._is_heading(row)]
        if len(head.cells) == self.n + 1 and head.cells[0] in BLANKS[1:] and self._is_heading(head, 1):
            return [self._widened(row) for row in rows[1:]]
        return rows[1:] if is_ruled and rows[0] is head and self._is_heading(head) else rows

    def _widened(self, row: Row) -> Row:
        """Returns a row of a table with numbers of rows, in which a comma before an empty last cell is no end."""
        cut = len(row.cells) == self.n and len(row.fields) == self.n + 1 and not row.fields[-1]
        return row._replace(cells=[*row.cells, "."]) if cut else row

    def _without_headings(self, rows: list[Row]) -> list[Row]:
        """Returns the only reading of rows without a digit twice, all or those without lines between grids."""
        wanted = [out for out in [(), *self._between(rows)] if (len(rows) - len(out)) % self.count == 0]
        readings = [[row for k, row in enumerate(rows) if k not in out] for out in wanted]
        if len(readings) > 1:
            readings = [one for one in readings if not self._clashes(one)] or readings
        if len({tuple(row.line for row in one) for one in readings}) > 1:
            every = [row for row in rows if row not in readings[-1]]
            raise self._error(every[0], f"{quoted(every[0].text)} {HEADING}")
        return readings[0] if readings else rows

    def _between(self, rows: list[Row]) -> Iterator[Collection[int]]:
        """Yields the places of lines above, between or below grids that might be rows."""
        if self.doubtful or not rows:
            return
        size = self.count + 1
        if self._is_heading(rows[0]) and sum(row.cells == rows[0].cells for row in rows) == 1:
            yield range(1)
        for places in (range(0, len(rows), size), range(self.count, len(rows), size)):
            every = [rows[k] for k in places]
            if not every or len({row.text if row.is_hollow else tuple(row.cells) for row in every}) > 1:
                continue
            is_line = (every[0].is_word or every[0].is_hollow) and bool(every[0].only_blank)
            is_alone = len(rows) == size and (places[0] > 0 or is_line)
            is_alike = len(rows) % self.count > 0 and sum(row.cells == every[0].cells for row in rows) > len(every)
            if is_line and is_alike:  # one of the rows may be doubled
                continue
            if (self._is_heading(every[0]) or is_line) and not is_alone:
                yield places
        if self._divide_hollow(rows):
            yield {k for k, row in enumerate(rows) if row.is_hollow}

    def _divide_hollow(self, rows: list[Row]) -> bool:
        """Returns whether rows of nothing but commas or tabs divide grids or bands."""
        kept = [row for row in rows if not row.is_hollow]
        runs = [len([*run]) for hollow, run in groupby(rows, lambda row: row.is_hollow) if not hollow]
        if not kept or len(rows) % self.count == 0 or len(kept) % self.count:
            return False
        if not (all(run % self.count == 0 for run in runs) or set(runs) == {self.height}):
            return False
        if len(runs) > 1 and (rows[0].is_hollow or rows[-1].is_hollow):
            return False
        if len({row.text for row in rows if row.is_hollow}) > 1:
            return False
        doubled = any(row.cells == other.cells and not row.only_blank for row, other in pairwise(kept))
        return not doubled and not self._clashes(kept)

    def _clashes(self, rows: list[Row]) -> bool:
        """Returns whether a grid of n rows each has a digit twice."""
        if not self.layout.is_square or any(len(row.cells) != self.n for row in rows):
            return False
        cells = [int(cell) if cell.isascii() and cell.isdigit() else 0 for row in rows for cell in row.cells]
        grids = np.array(cells, dtype=np.int64).reshape(-1, self.n, self.n)
        if grids.max(initial=0) > self.n:
            return False
        return any(solution_fault(grid, grid, self.layout) for grid in grids.astype(np.uint8))

    def _is_heading(self, row: Row, begin: int = 0) -> bool:
        cells = [*row.cells[begin:]]
        numbers = ([str(k) for k in range(first, first + self.n)] for first in (0, 1))
        return cells in numbers or "".join(cells).upper() == ascii_uppercase[: self.n]

    def _misfits(self, row: Row, place: int) -> bool:
        wanted = {self.n, self.there[place % self.count]} if self.there else {self.n}
        return len(row.cells) not in wanted

    def _misfit(self, row: Row, k: int, is_alone: bool = False) -> GridError:
        place, number = k % self.count + 1, len(row.cells)
        rows = isqrt(number) if is_alone and row.is_word and isqrt(number) ** 2 == number else number
        other = another_box(rows) if k == 0 and abs(number - self.n) > 1 else ""
        if row.fault and not (other and number > self.n):
            other = "" if self.signs.given else another_alphabet("".join(row.cells), self.signs.n)
            return self._error(row, f"{row.fault}, in row {place}: {quoted(row.text)}{other}")
        cells = f"{number} cells" if number != 1 else "1 cell"
        wanted = " or ".join(map(str, sorted({self.n, *self.there[place - 1 : place]})))
        return self._error(row, f"row {place} has {cells} instead of {wanted}: {quoted(row.text)}{other}")

    def _grid(self, rows: list[Row], form: Form) -> Found:
        if any(row.fault for row in rows) and (walled := self._walled(rows)):
            return walled
        for place, row in enumerate(rows):
            if row.fault or self._misfits(row, place):
                return self._misfit(row, place)
            if fault := self._bars_fault(row, place):
                return fault
        if fault := self._fields_fault(rows) or self._label_fault(rows) or self._clash(rows) or self._double(rows):
            return fault
        if self.there:
            rows = [row._replace(cells=self._filled(place, row)) for place, row in enumerate(rows)]
        texts = [row.cells for row in rows if isinstance(row.cells, str)]
        cells = "".join(texts) if len(texts) == len(rows) else [cell for row in rows for cell in row.cells]
        return self.whole.puzzle(cells, form, rows[0].line)

    def _walled(self, rows: list[Row]) -> Found | None:
        """Returns the jigsaw of rows of digits plus walls, or None if they are none."""
        if not all(cell.isdecimal() and len(cell) < 4 for row in rows for cell in row.cells):
            return None
        from sudoku.formats.files.regions import walled  # 5 ms

        try:
            return walled([list(map(int, row.cells)) for row in rows], self.request, rows[0].line)
        except ValueError as error:
            return self._error(rows[0], str(error))

    def _bars_fault(self, row: Row, place: int) -> GridError | None:
        if not row.parts or row.parts == (1,) * self.n or not self.layout.is_square:
            return None
        if self.layout.box:
            widths = [self.layout.box[1]] * (self.n // self.layout.box[1])
        else:
            widths = [len([*cells]) for _, cells in groupby(self.layout.areas()[place].tolist())]
        if [*row.parts] == widths:
            return None
        parts = " + ".join(map(str, widths))
        return self._error(row, f"the bars in row {place + 1} do not divide it into {parts} cells")

    def _fields_fault(self, rows: list[Row]) -> GridError | None:
        fault = self.rows.fields_fault(rows)
        return self._error(fault[0], f"row {rows.index(fault[0]) + 1} {fault[1]}") if fault else None

    def _label_fault(self, rows: list[Row]) -> GridError | None:
        """Returns the fault of labels of rows that are not in order, as a row is missing or doubled then."""
        places = [int(row.label) if row.label.isdigit() else ord(row.label) - ord("a") + 1 for row in rows if row.label]
        if not places or ([*range(places[0], places[0] + self.count)] == places and places[0] < 2):
            return None
        return self._error(rows[0], f"the labels of the rows are not in order: {' '.join(row.label for row in rows)}")

    def _double(self, rows: list[Row]) -> GridError | None:
        """Returns the fault of two neighbouring rows that are the same, as then another row may be missing."""
        for k, (row, other) in enumerate(pairwise(rows), 1):
            digits = [cell for cell in row.cells if cell not in BLANKS]
            candidates = self.signs.single and any(len(cell) > 1 for cell in digits)
            if row.cells == other.cells and 0 < len(digits) == len({*digits}) and not (candidates or self.signs.given):
                return self._error(other, f"rows {k} and {k + 1} are the same: {quoted(other.text)}; {TWICE}")
        return None

    def _clash(self, rows: list[Row]) -> GridError | None:
        """Returns the fault of a grid with a digit twice, in which a row may be a heading or rows be shifted."""
        headings = [row for row in rows if self._is_heading(row)]
        if not (headings or self.doubtful) or not self._clashes(rows):
            return None
        if headings:
            return self._error(headings[0], f"{quoted(headings[0].text)} {HEADING}")
        return self._error(
            rows[0], f"rows are missing above line {rows[0].line}, and a digit is twice in these: {APART}"
        )

    def _filled(self, place: int, row: Row) -> str | list[str]:
        """Returns all cells of a row in which missing cells are left out."""
        if len(row.cells) == self.n:
            return row.cells
        cells = iter(row.cells)
        filled = [next(cells) if there else "." for there in self.layout.mask()[place]]
        return "".join(filled) if isinstance(row.cells, str) else filled

    def _error(self, row: Row, reason: str) -> GridError:
        return self.request.error(row.line, reason)


def _listed(numbers: set[int]) -> str:
    *first, last = map(str, sorted(numbers))
    return f"{', '.join(first)} and {last}"


def _is_loose(row: Row) -> bool:
    """Returns whether the cells of a row stand apart from one another, so that lines of any length may be a grid."""
    words = row.text.replace(",", " ").replace(";", " ").split()
    return not row.parts and len(row.cells) == len(words) + row.fields[:-1].count("")


def _narrowed(parts: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the numbers of cells between bars without the first cell."""
    return parts[1:] if parts[:1] == (1,) else (parts[0] - 1, *parts[1:]) if parts else ()
