"""The recognisers of lines that are whole grids, in order: each returns grids and errors, or nothing.

    regions     a killer or a jigsaw whose line says what its cages and regions are
    link        a link that contains a puzzle
    library     a line of HoDoKu's library, `:technique:digits:cells:candidates left out:...:`
    words       a grid in the line form, among other words
    candidates  the candidates of all cells
    array       a line of lists, or of all cells
    spoilt      a line that should have been a grid

In the cells of HoDoKu's library `+` stands before a digit that somebody has filled in. A candidate left out is a digit,
a row and a column.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from sudoku.formats.lines import BRACKETS, Lines, Row, undressed
from sudoku.formats.request import PUZZLES, Found, Request, place_of
from sudoku.formats.signs import quoted
from sudoku.grid import Form
from sudoku.layout import another_box

SPACED = "spaces divide cells and are no blanks in a line of a grid: write blanks as . or 0"
APART = "write each in a line of its own"
MAP = "this is the map of a jigsaw, not a grid: write the grid and the map in one line, with a space between them"
EMPTY = "an empty cell in a line of all cells may be one or none: write blanks as . or 0"

_GROUPS = re.compile(r"[^\[\]{}()]+")
_RULE = re.compile(r"(?=.*?(?:[+=]|--|\|\s*:?-))[-+=|:.*' \t]*|[-=| \t]{2,}")  # in time linear in the line
_CROSSED = re.compile(r"(?=[^+=]*[+=])[-=+| ]*")  # a rule with + or =, which no row has
_FRAME = re.compile(r"([+|:.*'])[-=]{3,}(?:[+|:.*'][-=]{3,})*[+|:.*']")
_LIBRARY = re.compile(r":[0-9a-z-]*:[^:]*:([^:\s]+):([^:]*)(?::[^:]*){0,4}", re.IGNORECASE)
_LINK = re.compile(r"https?://\S+\s*$|(?:fpuz(?:zles)?|scl|ctc)[A-Za-z0-9+/=%_$-]{16,}\s*$", re.IGNORECASE)
_WORD = re.compile(r"[0-9A-Za-z.*_]+")
_OWN_REGIONS = re.compile(r"\d{1,2}x\d{1,2}:|SumoCue|(?:\S\S){16,}$", re.IGNORECASE)


def is_rule(text: str) -> bool:
    """Returns whether a line is drawn, between rows or around them."""
    return bool(_RULE.fullmatch(text))


class WholeLines:
    """Reads lines that are whole grids."""

    def __init__(self, request: Request, lines: Lines) -> None:
        self.request, self.lines, self.signs = request, lines, lines.signs
        self.column: tuple[str, int, int] | None = None  # the divider, the number of columns, and that of grids

    def note_column(self, line: str) -> None:
        """Notes in which column of a table a line has its grid, or the name of grids."""
        for divider in ",;\t":
            fields = _fields(line, divider)
            places = [k for k, one in enumerate(fields) if len(one) == self.signs.cells or one.lower() in PUZZLES]
            if places and sum(map(bool, fields)) > 1:
                self.column = divider, len(fields), places[0]
                return

    def read(self, text: str, row: Row) -> Sequence[Found]:
        """Returns the grids of a cleaned line, or the error if it should have been a grid; nothing if it is neither."""
        bare = text.strip()
        try:
            found = self._regions(bare, row.line) or self._link(bare, row.line) or self._of_signs(text, row.line)
        except ValueError as error:
            found = [self.request.error(row.line, str(error))]
        if found:
            self.note_column(bare)
        elif row.fault and self.column:  # it may be the line of a table with a spoilt grid
            divider, number, place = self.column
            fields = _fields(bare, divider)
            if len(fields) == number and fields[place] and not fields[place].strip(self.signs.signs):
                return [self.request.error(row.line, self.signs.line_fault(fields[place]))]
        return found

    def _of_signs(self, text: str, line: int) -> Sequence[Found]:
        """Returns the grids of a line that has signs for cells."""
        bare = text.strip()
        is_drawn = bare[0] in "+|:.*'-=" and (_FRAME.fullmatch(bare) or _CROSSED.fullmatch(bare))
        if len(bare) < 2 * self.signs.n or is_drawn:
            return []
        found: Sequence[Found] = []
        if self.signs.exists:
            found = self._library(bare, line) or self._words(bare, line) or self._candidates(bare, line)
        return found or self._array(text, line) or self._spoilt(text, line)

    def puzzle(self, cells: str | Sequence[str], form: Form, line: int) -> Found:
        """Returns the grid with these cells, or the error if they are no grid."""
        try:
            digits, candidates = self.signs.grid(cells)
        except ValueError as error:
            return self.request.error(line, str(error))
        puzzle = self.request.puzzle(digits, form if candidates is None else "marks", line, candidates)
        grid, layout = puzzle.grid, puzzle.layout
        if not layout.is_square and len(loose := np.argwhere((grid != 0) & ~layout.mask())):
            r, c = loose[0].tolist()
            return self.request.error(line, f"{grid[r, c]} in {place_of(r, c)} is where the layout has no cell")
        may_be_map = layout.is_square and grid.size - np.count_nonzero(grid) in (0, layout.size)
        return self.request.error(line, MAP) if may_be_map and _is_map(grid.ravel().tolist()) else puzzle

    def _regions(self, bare: str, line: int) -> list[Found]:
        if not _OWN_REGIONS.match(bare):
            return []
        from sudoku.formats.files.regions import with_own_regions  # 5 ms

        puzzle = with_own_regions(bare, self.request, line)
        return [puzzle] if puzzle else []

    def _link(self, bare: str, line: int) -> list[Found]:
        if not _LINK.match(bare):
            return []
        from sudoku.formats.files.links import linked  # 5 ms

        return [linked(self.request, self.signs, line, bare)]

    def _library(self, bare: str, line: int) -> list[Found]:
        found = _LIBRARY.fullmatch(bare)
        if not found:
            return []
        n, cells = self.signs.n, found[1]
        grid = self.signs.whole(cells.replace("+", ""))
        marks = np.ones((n, n, n), dtype=np.bool_)
        placed = np.zeros(n * n, dtype=np.bool_)
        placed[[sign.start() - k for k, sign in enumerate(re.finditer("[+]", cells))]] = True
        for word in found[2].split():
            if not re.fullmatch("[1-9]{3}", word) or max(map(int, word)) > n:
                what = f"a digit, a row and a column from 1 to {min(n, 9)}"
                raise ValueError(f"{quoted(word)} is no candidate, which is {what}")
            d, r, c = (int(sign) - 1 for sign in word)
            marks[r, c, d] = False
        puzzle = self.request.puzzle(grid, "hodoku", line, marks)
        filled = placed.reshape(n, n) & (grid > 0)
        return [replace(puzzle, placed=filled) if filled.any() else puzzle]

    def _words(self, bare: str, line: int) -> Sequence[Found]:
        """Returns all grids of a list; otherwise the grid with blanks: a full grid beside it is its solution or map."""
        cells = [one[0] for one in self.signs.inner.finditer(bare) if not one.start() or one[0].strip("-")]
        if not cells:
            return []
        if bare[0] in "[(":
            return [self.puzzle(one, "json" if bare[0] == "[" else "code", line) for one in cells]
        names = next(filter(_is_map, _WORD.findall(bare)), "")
        cells = [one for one in cells if one != names] or cells
        puzzle = next(filter(self._has_blanks, cells), cells[0])
        is_full = not self._has_blanks(puzzle)
        others = [one for one in cells if is_full or self._has_blanks(one)]
        if len({self.signs.line_values(one) for one in others}) > 1:
            return [self.request.error(line, f"the line has {len(others)} different grids: {APART}")]
        if not is_full and names not in ("", puzzle):
            from sudoku.formats.files.regions import jigsaw  # imported here: it takes 5 ms

            return [jigsaw(self.signs.whole(puzzle).ravel().tolist(), names, self.request, line)]
        words = [word.strip("|") for word in re.split(r"""[\s,;"]+""", bare.replace(puzzle, " "))]
        total = self.signs.cells
        for word in (one for one in words if abs(len(one) - total) <= total // 8 and self._has_mostly_signs(one)):
            if is_full:  # it may be the solution of a malformed grid
                return [self.request.error(line, self.signs.line_fault(word))]
            if sum(one == other and not self.signs.is_blank(one) for one, other in pairwise(word)) >= self.signs.n:
                return [self.request.error(line, f"{quoted(word)} is no map of regions of {self.signs.n} cells each")]
        return [self.puzzle(puzzle, "line", line)]

    def _has_blanks(self, cells: str) -> bool:
        return any(map(self.signs.is_blank, cells))

    def _has_mostly_signs(self, word: str) -> bool:
        """Returns whether more than half of a word is signs, and not all characters are the same."""
        return 2 * sum(char in self.signs.signs for char in word) > len(word) and len(set(word)) > 1

    def _candidates(self, bare: str, line: int) -> list[Found]:
        found = self.signs.marks.match(bare)
        if not found:
            return []
        marks = self.signs.all_candidates(found[1])
        return [self.request.puzzle([0] * self.signs.n**2, "candidates", line, marks)]

    def _array(self, text: str, line: int) -> Sequence[Found]:
        """Returns the grids of a line of lists or of all cells, or the error of lists of different lengths."""
        n, total, inner = self.signs.columns, self.signs.cells, undressed(text)
        in_lists = bool(BRACKETS.search(inner))
        lists = [self._cells_of(line, group) for group in (_lists(inner) if in_lists else [inner])]
        cells = [cell for one in lists for cell in one]
        wrong = [cell for cell in cells if not cell or self.signs.fault(cell) or (self.signs.single and len(cell) > 1)]
        sizes = {len(one) for one in lists}
        if wrong or not cells:
            known = [cell for cell in wrong if cell]
            is_array = 2 * len(cells) > total and (2 * len(known) < len(cells) or (in_lists and len(cells) == total))
            reason = f"{quoted(known[0])} is no cell of an array of {total}" if known else EMPTY
            return [self.request.error(line, reason)] if is_array else []
        if len(cells) % total == 0 and (sizes == {n} or not in_lists or all(size % total == 0 for size in sizes)):
            form: Form = "free" if not in_lists else "json" if text.lstrip().startswith("[") and "," in text else "code"
            return [self.puzzle(cells[k : k + total], form, line) for k in range(0, len(cells), total)]
        is_square = sizes == {len(lists)} and len(lists) > 3
        if len(lists) > 1 and (len(cells) > 2 * n or sizes == {n} or is_square):
            have, rows = " and ".join(map(str, sorted(sizes))), self.signs.rows
            other = another_box(len(lists)) if is_square else ""
            reason = f"the array has {len(lists)} rows of {have} cells instead of {rows} rows of {n}{other}"
            return [self.request.error(line, reason)]
        return []

    def _cells_of(self, line: int, text: str) -> list[str]:
        """Returns the cells of a list; if these are all rows of a grid, each in a word, the cells of the rows."""
        cells, n = self.lines.row(line, text).cells, self.signs.columns
        cells = cells[:-1] if cells and not cells[-1] and len(cells) in (n + 1, self.signs.rows + 1) else cells
        are_rows = len(cells) == self.signs.rows and all(
            len(one) == n and not one.strip(self.signs.signs) for one in cells
        )
        return [*"".join(cells)] if are_rows and not all(map(self.signs.choices, cells)) else cells

    def _spoilt(self, text: str, line: int) -> list[Found]:
        """Returns the error of a line with a word that is too long for a row, and has mostly signs."""
        signs = self.signs
        if len(text) == signs.cells and " " in text and not text.replace(" ", "").strip(signs.signs):
            return [self.request.error(line, SPACED)] if len(text.split()) != signs.n else []
        text = text.strip()
        head = max(re.split(r"""[\s,;"]""", text), key=len)
        is_long = len(head) >= 2 * signs.n and self._has_mostly_signs(head)
        is_long |= len(head) == signs.cells and (head.isalnum() or not signs.exists)
        is_part = signs.n < len(text) < signs.cells and not text.strip(signs.signs)  # of a wrapped line
        if "|" not in text and is_long and not is_rule(text) and not is_part:
            return [self.request.error(line, signs.line_fault(head))]
        return []


def _fields(line: str, divider: str) -> list[str]:
    return [field.strip(' "') for field in line.split(divider)]


def _lists(inner: str) -> list[str]:
    """Returns the lists of a line; a semicolon ends a list, as in Matlab."""
    bare = re.sub(r";(?=[^\]]*\d)", "]", inner.replace('"', " ").replace("'", " "))
    return [group for group in _GROUPS.findall(bare) if group.strip(" ,;") or group.count(",") > 1]


def _is_map(names: Sequence[Hashable]) -> bool:
    """Returns whether the names of all cells are those of regions of one piece each."""
    if len(names) < 16 or len({*names}) ** 2 != len(names):
        return False
    from sudoku.formats.files.regions import is_map  # 5 ms

    return is_map(names, in_one_piece=True)
