"""Sections: the lines between empty lines, titles and whole grids, read as a whole when they end.

Sections with fewer rows than a grid are held until a larger section, two empty lines or a line of another kind follow.
Held sections of equal height, separated by single empty lines, are bands or single rows, and are joined. Other held
sections become an error for each grid that they may have been, so that the order of answers is preserved.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from sudoku.formats.lines import Row
from sudoku.formats.request import Found, Request
from sudoku.formats.rows import GridRows, lines_of
from sudoku.formats.whole import WholeLines

MOST_ROWS = 1 << 18  # lines of a section, and rows of sections that are held together
APART = "leave empty lines between all bands, or between grids only"


class Sections:
    """Collects the lines of a section, and reads it when it ends."""

    def __init__(self, request: Request, whole: WholeLines) -> None:
        self.request, self.grid_rows = request, GridRows(request, whole)
        self.count = whole.signs.rows  # rows of a grid
        self.entries: list[Row] = []  # the lines of this section
        self.held: list[list[Row]] = []  # sections with fewer rows than a grid
        self.heights: set[int] = set()  # the numbers of rows of these sections
        self.number = 0  # number of held rows

    @property
    def have_begun(self) -> bool:
        return bool(self.entries or self.held)

    def add(self, row: Row) -> Iterator[Found]:
        """Takes a row or a rule; a line that is too long for a row begins a section."""
        if self.grid_rows.is_long(row) and self.entries and not self.grid_rows.is_long(self.entries[-1]):
            yield from self.end()
        self.entries.append(row)
        if len(self.entries) == MOST_ROWS + 1:
            reason = f"the section that begins here has more than {MOST_ROWS} lines"
            yield self.request.error(self.entries[0].line, reason)
        elif len(self.entries) > MOST_ROWS:
            self.entries.pop()

    def end(self, at_gap: bool = False) -> Iterator[Found]:
        """Ends a section; after one empty line (`at_gap`) its grid may continue in the next section."""
        entries, self.entries = self.entries, []
        rows = _rows(entries) if len(entries) <= MOST_ROWS else []
        if rows and self._is_part(rows):
            self.held.append(entries)
            self.heights.add(len(rows))
            self.number += len(rows)
            if self.number >= MOST_ROWS and self.number % self.count == 0:
                yield from self._end_held()
        elif rows:
            yield from self._end_held()
            yield from self.grid_rows.read(entries)
            self.grid_rows.in_doubt = False
        if not at_gap or not entries:
            yield from self._end_held()
            self.grid_rows.in_doubt = False

    def _is_part(self, rows: list[Row]) -> bool:
        """Returns whether a section may be a part of a grid."""
        is_number = len(rows) == 1 and rows[0].is_lone_number and not self.held
        if len(rows) >= self.count or is_number or any(map(self.grid_rows.is_long, rows)):
            return False
        return not self.grid_rows.is_free(rows)

    def _end_held(self) -> Iterator[Found]:
        """Reads the held sections: joined into grids if all have the same height, otherwise as an error."""
        entries = [entry for part in self.held for entry in part]
        heights, total = self.heights, self.number
        self.held, self.heights, self.number = [], set(), 0
        if len(heights) == 1 and total % self.count == 0:
            begins = [k for k, entry in enumerate(entries) if not entry.is_rule]
            for begin, end in pairwise([*begins[:: self.count], len(entries)]):
                yield from self.grid_rows.read(entries[begin:end])
        elif entries:
            self.grid_rows.in_doubt = True
            rows = _rows(entries)
            listed = " and ".join(map(str, sorted(heights)))
            reason = f"{lines_of(rows)} are sections of {listed} rows: {APART}"
            error = self.request.error(rows[0].line, reason)
            yield from self.grid_rows.read(entries) if len(heights) == 1 else self.grid_rows.errors(error, rows)


def _rows(entries: list[Row]) -> list[Row]:
    return [entry for entry in entries if not entry.is_rule]
