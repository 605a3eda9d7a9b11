"""The recognisers of lines that are whole grids, in order: each returns grids and errors, or nothing.

    regions     a killer or a jigsaw whose line says what its cages and regions are
    link        a link that contains a puzzle
    library     a line of HoDoKu's library, `:technique:digits:cells:candidates left out:...:`
    words       a grid in the line form, among other words
    candidates  the candidates of all cells
    array       all cells, in lists or not
    spoilt      a line that should have been a grid

In the cells of HoDoKu's library `+` stands before a digit that somebody has filled in. A candidate left out is a digit,
a row and a column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import isqrt

import numpy as np

from sudoku.formats.lines import BRACKETS, EMPTY, Lines, undressed
from sudoku.formats.regions import is_map, jigsaw, with_own_regions
from sudoku.formats.request import Found, Request, place_of
from sudoku.formats.signs import quoted
from sudoku.grid import Form
from sudoku.layout import another_box

SPACED = "spaces divide cells and are no blanks in a line of a grid: write blanks as . or 0"
APART = "write each in a line of its own"
MAP = "this is the map of a jigsaw, not a grid: write the grid and the map in one line, with a space between them"

_NEXT_LIST = re.compile(r"[\]})]\s*[,;]?\s*[\[{(]")
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

    def read(self, text: str, line: int) -> Sequence[Found]:
        """Returns the grids of a cleaned line, or the error if it should have been a grid; nothing if it is neither."""
        bare = text.strip()
        try:
            return self._regions(bare, line) or self._link(bare, line) or self._of_signs(text, line)
        except ValueError as error:
            return [self.request.error(line, str(error))]

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
        return self.request.error(line, MAP) if may_be_map and is_map(grid.ravel().tolist()) else puzzle

    def _regions(self, bare: str, line: int) -> list[Found]:
        puzzle = with_own_regions(bare, self.request, line) if _OWN_REGIONS.match(bare) else None
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
        names = next(filter(is_map, _WORD.findall(bare)), "")
        cells = [one for one in cells if one != names] or cells
        puzzles = [one for one in cells if self._has_blanks(one)]
        if len({self.signs.line_values(one) for one in puzzles or cells}) > 1:
            return [self.request.error(line, f"the line has {len(puzzles or cells)} different grids: {APART}")]
        puzzle = (puzzles or cells)[0]
        if puzzles and names not in ("", puzzle):
            return [jigsaw(self.signs.whole(puzzle).ravel().tolist(), names, self.request, line)]
        words = [word.strip("|") for word in re.split(r"""[\s,;"]+""", bare.replace(puzzle, " "))]
        total = self.signs.cells
        for word in (one for one in words if abs(len(one) - total) <= total // 8 and self._has_mostly_signs(one)):
            is_grid = word in cells or not self._has_blanks(word)
            if not puzzles or not is_grid:  # a grid beside a malformed one may be its solution
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
        """Returns the grids of a line with all cells, or the error of a line that should have all cells."""
        signs, total, inner = self.signs, self.signs.cells, undressed(text)
        in_lists = bool(BRACKETS.search(inner))
        cells = self.lines.row(line, BRACKETS.sub(" ", _NEXT_LIST.sub(",", inner))).cells
        if len(cells) == signs.rows and all(len(row) == signs.columns and not row.strip(signs.signs) for row in cells):
            cells = cells if all(map(signs.choices, cells)) else [*"".join(cells)]  # each row is a word
        known = [cell for cell in cells if cell and (signs.fault(cell) or (signs.single and len(cell) > 1))]
        if known or "" in cells or not cells:
            is_array = 2 * len(cells) > total and (2 * len(known) < len(cells) or (in_lists and len(cells) == total))
            reason = f"{quoted(known[0])} is no cell of an array of {total}" if known else EMPTY
            return [self.request.error(line, reason)] if is_array else []
        if len(cells) % total == 0:
            form: Form = "free" if not in_lists else "json" if text.lstrip().startswith("[") and "," in text else "code"
            return [self.puzzle(cells[k : k + total], form, line) for k in range(0, len(cells), total)]
        if in_lists and (len(cells) > 2 * signs.n or _NEXT_LIST.search(inner)):
            other = another_box(isqrt(len(cells))) if isqrt(len(cells)) ** 2 == len(cells) else ""
            return [self.request.error(line, f"the array has {len(cells)} cells instead of {total}{other}")]
        return []

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
