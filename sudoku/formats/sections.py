"""Sections: the lines between empty lines, titles and whole grids, read as a whole when they end.

A section with fewer rows than a grid is held, with the sections below it, until two empty lines or a line of another
kind come. Sections of equal height with single empty lines between them are bands or single rows, and are joined. Any
other section is an error for each grid that it may have been, so that answers keep their places and a lost or doubled
row shifts no grid.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise

from sudoku.formats.recognisers import APART, Recognisers
from sudoku.formats.request import Found, Request
from sudoku.formats.rows import Row, Rows
from sudoku.formats.whole import WholeLines

MOST_ROWS = 1 << 18  # lines of a section, and rows of sections that are held together


class Sections:
    """Collects the lines of a section, and reads it when it ends."""

    def __init__(self, request: Request, rows: Rows, whole: WholeLines) -> None:
        self.request, self.recognisers = request, Recognisers(request, rows, whole)
        self.count = rows.signs.rows  # of a grid
        self.entries: list[Row] = []  # the lines of this section
        self.held: list[list[Row]] = []  # sections with fewer rows than a grid, and those below them
        self.number = 0  # of the rows that are held
        self.are_bands = True  # whether each section that is held is bands
        self.in_doubt = False  # whether rows may be missing above this section

    @property
    def have_begun(self) -> bool:
        return bool(self.entries or self.held or self.in_doubt)

    def add(self, row: Row) -> Iterator[Found]:
        """Takes a row or a rule."""
        self.entries.append(row)
        if len(self.entries) == MOST_ROWS + 1:
            reason = f"the section that begins here has more than {MOST_ROWS} lines"
            yield self.request.error(self.entries[0].line, reason)
        elif len(self.entries) > MOST_ROWS:
            self.entries.pop()

    def end(self, at_gap: bool = False) -> Iterator[Found]:
        """Ends a section; after one empty line (`at_gap`) its grid may continue in the next section."""
        entries, self.entries = self.entries, []
        if len(entries) > MOST_ROWS:
            entries = []
        rows = _rows(entries)
        if rows and (self._is_part(rows) or self._may_end_bands(rows)):
            self.held.append(entries)
            self.number += len(rows)
            height = self.recognisers.height
            self.are_bands &= height > 0 and len(rows) % height == 0
            if self.number >= MOST_ROWS and self.number % self.count == 0:
                yield from self._end_held()
        elif rows:
            yield from self._end_held()
            yield from self.recognisers.read(entries, self.in_doubt)
            self.in_doubt = False
        if not at_gap or not entries:
            yield from self._end_held()
            self.in_doubt = False

    def _is_part(self, rows: list[Row]) -> bool:
        """Returns whether rows may be a part of a grid that goes on behind an empty line."""
        if len(rows) % self.count == 0 or len(rows) > self.count or any(map(self.recognisers.is_long, rows)):
            return False
        is_number = len(rows) == 1 and rows[0].is_lone_number and not self.held
        return not is_number and not self.recognisers.is_loose(rows)

    def _may_end_bands(self, rows: list[Row]) -> bool:
        """Returns whether rows may be the last bands of a grid and the first of another, with no empty line between."""
        return bool(self.held) and self.are_bands and len(rows) == self.count

    def _end_held(self) -> Iterator[Found]:
        """Reads the held sections: joined into grids if all have the same height, otherwise each on its own."""
        held, self.held = self.held, []
        self.number, self.are_bands = 0, True
        heights = [len(_rows(part)) for part in held]
        entries = [entry for part in held for entry in part]
        if not held:
            return
        self.in_doubt = sum(heights) % self.count != 0 or len({*heights}) > 1
        if not self.in_doubt:
            begins = [k for k, entry in enumerate(entries) if not entry.is_rule]
            for begin, end in pairwise([*begins[:: self.count], len(entries)]):
                yield from self.recognisers.read(entries[begin:end])
            return
        fit = sum(heights) % self.count == 0
        for is_whole, group in groupby(held, lambda part: not fit and len(_rows(part)) == self.count):
            for some in ([part] for part in group) if is_whole else [[*group]]:
                yield from self._unjoined(some)

    def _unjoined(self, sections: list[list[Row]]) -> Iterator[Found]:
        """Yields the errors of sections that cannot be joined, or the grid of a section that is a whole grid."""
        rows = [row for section in sections for row in _rows(section)]
        heights = sorted({len(_rows(section)) for section in sections})
        if len(heights) > 1:
            listed = f"{', '.join(map(str, heights[:-1]))} and {heights[-1]}"
            reason = f"lines {rows[0].line} to {rows[-1].line} are sections of {listed} rows: {APART}"
            yield from self.recognisers.errors(self.request.error(rows[0].line, reason), rows)
        elif heights == [self.recognisers.height] and len(sections) > 1 and not any(row.fault for row in rows):
            yield from self.recognisers.errors(self.recognisers.miscounted(rows), rows)
        else:
            yield from self.recognisers.read([entry for section in sections for entry in section], in_doubt=True)


def _rows(entries: list[Row]) -> list[Row]:
    return [entry for entry in entries if not entry.is_rule]
