"""The forms of several lines: rows, with boxes or without, and numbers in free layout; and which line is a rule.

A row is numbers or blanks with white space, commas or semicolons between them. Up to 9 rows, or with an alphabet,
nothing need be between them, or they are in groups such as `53. .7. ...`. Nothing between two commas, semicolons or
tabs is a blank. A comma may stand behind the last cell; where a row has one cell too few but for that, and other rows
do not show which it is, that is an error.

0 is a blank. Others write the digits of n rows as 0 to n - 1, though: where some other sign stands for blanks too, n
does not occur, and there are no more 0s than one digit can have, 0 may be a digit, and such a grid is an error.

Rows may have bars between the boxes or regions, with rules between the bands, and a frame. A line of dashes can be a
rule or a row of blanks: `---|---|---`, for example, and `---------`. It is certainly a rule where it cannot be a row,
for its length or because it has `+`, `=` or `:`. The others are *doubtful*. Rules stand between all bands of a grid or
between none, and perhaps above the first band and below the last one; so a doubtful line is

    a row       within a band; where a rule that cannot be a row has been drawn in the grid; or where the blanks are
                written as dashes and not all doubtful lines that rules would need are there;
    a rule      between bands, where the blanks of the grid are written otherwise, or where only the line or only the
                rows of the grid have bars;
    an error    otherwise.

A line of single dashes, such as `- - - | - - - | - - -`, is a row, unless the first of these makes it a rule. `!` and
the lines of Unicode's box drawing are taken for `|`, `-` and, where they meet, `+`. A bar may stand between all cells,
too: then white space between two of them is a blank.

The free layout of contests is n^2 numbers in any number of lines. It is recognised where the first line has twice as
many numbers as a row, or more, and only whole rows of them; so must the further lines then. With `format="free"` lines
may be broken anywhere; without it, too, where there are n^2 numbers without an empty line, and most lines have not as
many as a row: such lines are held until they are a grid, or turn out to be something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from math import isqrt
from typing import NamedTuple

import numpy as np

from sudoku.formats.signs import BLANKS, Alphabet, clip, has_other_blanks, quoted, zero_doubt
from sudoku.grid import Candidates
from sudoku.layout import Layout, another_box

_DRAWN = re.compile(r"[-+=|:.*' \t]+")
_WORD = re.compile(r"[^\s|,;]+")
_JOINTS_MEET = re.compile(r"[|:.*']\s*[|:.*']")
_ACROSS, _DOWN = "─━┄┅┈┉╌╍═╴╶╸╺╼╾", "│┃┆┇┊┋╎╏║╵╷╹╻╽╿"
_PLAIN = dict.fromkeys(range(0x2500, 0x2580), "+") | dict.fromkeys(map(ord, _DOWN), "|")
_PLAIN |= dict.fromkeys(map(ord, _ACROSS), "-") | {ord("!"): "|", ord("¦"): "|"}
_PLAIN |= dict.fromkeys(map(ord, "\u00b7\u2022\u2219\u22c5\u2024\u25a1"), ".")  # dots in the middle, and a box
_FRAME = re.compile(r"([+|:.*'])[-=]{3,}(?:[+|:.*'][-=]{3,})*[+|:.*']")


class Row(NamedTuple):
    """A line as the row of a grid, right or wrong."""

    line: int  # the number of the line, from 1
    text: str  # the line
    cells: list[str]  # as text
    widths: list[int]  # how many of them there are between bars
    values: list[int]  # for each cell its number, 0 if it is a blank, and -1 if it is neither
    doubtful: bool  # whether the line may be a rule instead
    marked: bool = False  # whether the cells are candidates, and their values so far only those of single digits

    @property
    def dashes(self) -> bool:
        """Tells whether it has nothing but dashes, and perhaps bars: it may be a rule, even if it is not doubtful."""
        return self.doubtful or set(self.text) <= set("-| \t")

    @property
    def hollow(self) -> bool:
        return is_hollow(self.text)

    @classmethod
    def of(cls, line: int, text: str, n: int, alphabet: Alphabet, doubtful: bool = False) -> Row:
        bare = n <= 9 or alphabet.given
        parts = divide(text, n, bare)
        cells = [cell for part in parts for cell in part]
        marked = bare and len(cells) == n and has_marks(cells, alphabet)
        known = alphabet.values if bare else {}  # most cells
        values = [
            known[cell] if cell in known else 0 if marked and len(cell) > 1 else number(cell, alphabet)
            for cell in cells
        ]
        return cls(line, text, cells, [*map(len, parts)], values, doubtful, marked)

    def fault(self, layout: Layout, place: int) -> str:
        """Returns the fault of a line as row `place` of a grid, counted from 1, or nothing."""
        n, row, values = layout.size, f"row {place}", self.values
        if values and not 0 <= min(values) <= max(values) <= n:
            value, cell = next(pair for pair in zip(values, self.cells, strict=True) if not 0 <= pair[0] <= n)
            if value < 0:
                return f"{quoted(cell)} in {row} is neither a digit nor a blank"
            return f"{clip(cell)} in {row} is not between 0 and {n}{self._other_size(n, place)}"
        if len(values) != n:
            cells = "1 cell" if len(values) == 1 else f"{len(values)} cells"
            return f"{row} has {cells} instead of {n}: {quoted(' '.join(self.cells))}{self._other_size(n, place)}"
        if len(self.widths) > 1 and self.widths != (widths := _widths(layout, place)):
            return f"the bars in {row} do not divide it into {' + '.join(map(str, widths))} cells"
        return ""

    def _other_size(self, n: int, place: int) -> str:
        """Returns the hint of a message if this is the first row of a grid of another size, or a whole one."""
        cells = len(self.values)
        whole = cells > 9 and isqrt(cells) ** 2 == cells and len(self.text) == cells
        rows = isqrt(cells) if whole else cells
        fits = min(self.values, default=0) >= 0 and max(self.values, default=0) <= rows
        return another_box(rows) if place == 1 and abs(cells - n) > 1 and fits else ""

    def resembles_row(self, n: int) -> bool:
        """Tells a bad first row of a grid, the rest of which must be passed over, from a bad line by itself.

        In a line of n cells numbers that are too large are good: if that were a line by itself, the rows after it would
        make a wrong grid with those of the next one.
        """
        cells = len(self.values)
        good = sum(value >= 0 and (value <= n or cells == n) for value in self.values)
        return 2 * good > max(cells, 4)


def _widths(layout: Layout, place: int) -> list[int]:
    """Returns the numbers of cells between bars of row `place`, counted from 1: those of boxes, or in one region."""
    if layout.box:
        return [layout.box[1]] * (layout.size // layout.box[1])
    return [len([*cells]) for _, cells in groupby(layout.areas()[place - 1].tolist())]


def zero_fault(cells: Sequence[str], n: int, alphabet: Alphabet) -> str:
    """Returns the fault of the cells of a grid of n rows if nobody knows what 0 is, or nothing."""
    if alphabet.given:
        return ""
    plain = [cell if cell in BLANKS else str(int(cell)) for cell in cells]
    return zero_doubt(plain, n, str(n)) if has_other_blanks(plain) else ""


def mixed_fault(rows: Sequence[Row], place: int) -> str:
    """Returns the fault of the last one of some rows, row `place`, if candidates stand among blanks, or nothing."""
    if True not in [row.marked for row in rows]:
        return ""
    *before, row = rows
    blank = [cell for cell in row.cells if cell in BLANKS]
    if row.marked and any(0 in other.values for other in before if not other.marked):
        word = next(cell for cell in row.cells if len(cell) > 1)
        return f"{quoted(word)} in row {place} is no digit, and beside blanks it cannot be several candidates"
    if blank and any(other.marked for other in before):
        return f"{quoted(blank[0])} in row {place} is a blank beside cells of several candidates"
    return ""


def is_foreign(sign: str, rows: Iterable[Row]) -> bool:
    """Tells whether a sign is a blank, but not one of those in some rows, of which there are some."""
    blanks = {cell for row in rows for cell in row.cells if cell in BLANKS}
    return sign in BLANKS[1:] and bool(blanks) and sign not in blanks


def begins_with_divider(rows: Sequence[Row]) -> bool:
    """Tells whether the first of some rows is all blank in a sign of its own, and so stands between two grids."""
    return len(set(rows[0].cells)) == 1 and is_foreign(rows[0].cells[0], rows[1:])


def end_fault(rows: Sequence[Row], n: int) -> str:
    """Returns the fault of the rows of a grid if nobody knows what a comma at the end of one of them is, or nothing."""
    fields = [[field.strip() for field in _fields(row.text)] for row in rows]
    closed = any(len(row) == n + 1 for row in fields)
    if not closed and any("" in row[: n - 1] for row in fields):
        return ""
    for place, (row, field) in enumerate(zip(rows, fields, strict=True), 1):
        if len(field) == n and not field[-1]:
            what = f"behind its cell {n - 1}, or before an empty one"
            return f"row {place} ends in {quoted(row.text[-1])}, which may be {what}: write blanks as . or 0"
    return ""


def is_hollow(text: str) -> bool:
    return bool(text) and set(text) <= set(",; \t") and not text.isspace()


def from_sheet(line: str, n: int, alphabet: Alphabet) -> str:
    """Returns a line without white space around it; of a spreadsheet with empty cells, with commas for tabs."""
    fields = [field.strip() for field in line.strip(" \r\n").split("\t")]
    wanted = [cells + more for cells in (n, n * n) for more in ([0, 1] if not fields[-1] else [0])]
    if "" not in fields or len(fields) not in wanted or len(fields) == 1:
        return line.strip()
    known = all(0 <= number(field, alphabet) <= n for field in fields if field)
    return ",".join(fields) if known else line.strip()


def _fields(text: str) -> list[str]:
    return text.split("," if "," in text else ";")


def _without_end(fields: list[str], n: int) -> list[str]:
    """Returns the fields without the one behind a comma that only ends the line."""
    ends = len(fields) == n + 1 or (len(fields) != n and all(field.strip() for field in fields[:-1]))
    return fields[:-1] if len(fields) > 1 and not fields[-1].strip() and ends else fields


def divide(text: str, n: int, bare: bool) -> list[list[str]]:
    """Returns the cells of a line that should have n, in parts as the bars divide it; `bare` words may be several."""
    if bare and len(text) == n and _WORD.fullmatch(text):
        return [[*text]]
    bars = text.removeprefix("|").removesuffix("|").split("|")
    fields = bars if len(bars) > 1 else _without_end(_fields(bars[0]), n)
    parts = [field.split() for field in fields]
    single = all(len(part) <= 1 for part in parts)
    between = len(bars) == 1 < len(fields)  # whether commas are
    if single and (len(parts) == n or (between and not all(parts))):
        return [[part[0] if part else "." for part in parts]]  # a bar or a comma between all cells: spaces are blanks
    if between:
        parts = [[word for part in parts for word in part]]
    if not bare:
        return parts
    words = [word for part in parts for word in part]
    groups = len(words) != n and sum(map(len, words)) == n
    return [list("".join(part)) if groups or len(part) == 1 else part for part in parts]


def number(cell: str, alphabet: Alphabet | None = None) -> int:
    """Returns the value of a cell of a row; 0 for a blank, and -1 if it has none."""
    if alphabet is not None and alphabet.given:
        return alphabet.values.get(cell, -1)
    if cell.isascii() and cell.isdigit():
        return int(cell) if len(cell) < 10 else 10**9
    return 0 if len(cell) == 1 and cell in BLANKS else -1


def choices(word: str, alphabet: Alphabet) -> list[int]:
    values = [alphabet.values.get(sign, 0) for sign in word.removeprefix("+")]
    rising = all(a < b for a, b in zip([0, *values], values, strict=False))
    return values if rising and (not word.startswith("+") or len(values) == 1) else []


def has_marks(cells: Sequence[str], alphabet: Alphabet) -> bool:
    return max(map(len, cells), default=0) > 1 and all(choices(cell, alphabet) for cell in cells)


def candidates(cells: Sequence[str], alphabet: Alphabet) -> tuple[list[int], Candidates]:
    """Returns the digits of a grid of n^2 words, and the candidates, shape (n, n, n).

    >>> grid, marks = candidates(["12", "1", "+1", "2"], Alphabet.of(2))
    >>> grid, marks.tolist()
    ([0, 1, 0, 2], [[[True, True], [True, False]], [[True, False], [False, True]]])
    """
    n = len(alphabet.digits)
    found = np.zeros((n * n, n), dtype=np.bool_)
    for k, cell in enumerate(cells):
        found[k, np.array(choices(cell, alphabet)) - 1] = True
    digits = [alphabet.values[cell] if len(cell) == 1 else 0 for cell in cells]
    return digits, found.reshape(n, n, n)


def drawn_plainly(text: str) -> str:
    """Returns the line with the signs of this form, whatever it is drawn with."""
    return text if text.isascii() and "!" not in text else text.translate(_PLAIN)


def is_frame(text: str, layout: Layout) -> bool:
    """Tells whether a line is a rule of any length, also 81, with a corner at either end and between all boxes."""
    across = layout.size // layout.box[1] if layout.box else 1
    return bool(_FRAME.fullmatch(text)) and sum(char not in "-=" for char in text) in (across + 1, layout.size + 1)


def resembles_rule(text: str, n: int) -> bool:
    """Tells whether a line is drawn like a rule or a part of a frame of n rows; it may be a row as well."""
    if not _DRAWN.fullmatch(text):
        return False
    if "+" in text or "=" in text or not text.strip("| \t"):
        return True
    if set(text) <= set("- \t") and text.count("-") > n:
        return True
    return "--" in text and not _JOINTS_MEET.search(text)


def blanks(rows: Sequence[Row]) -> set[str]:
    return {cell for row in rows if not row.dashes for cell in row.cells if cell in BLANKS}


def without_rules(rows: Sequence[Row], layout: Layout) -> list[Row]:
    """Returns the rows without the lines of dashes between bands that are rules."""
    signs = blanks(rows)
    bars = {"|" in row.text for row in rows if not row.dashes}
    kept: list[Row] = []
    for row in rows:
        otherwise = bool(signs) and "-" not in signs
        unlike = row.doubtful and bars == {"|" not in row.text}
        if not (row.dashes and (otherwise or unlike)) or len(kept) % band(layout):
            kept.append(row)
    return kept


def ambiguous(rows: Sequence[Row], layout: Layout) -> Row | None:
    """Returns the first of the doubtful rows if they could be rules, so that nobody knows where the grid ends."""
    doubtful = [k for k, row in enumerate(rows) if row.doubtful]
    above = 0 in doubtful
    between = [set(range(top + band(layout), len(rows), band(layout) + 1)) for top in range(1 + above)]
    if any(places and places <= set(doubtful) for places in between) or (above and "-" not in blanks(rows)):
        return rows[doubtful[0]]
    return None


def band(layout: Layout) -> int:
    return layout.box[0] if layout.box else layout.size


class Numbers:
    """The numbers of a grid of n rows so far, and the lines that have them."""

    def __init__(self, n: int, alphabet: Alphabet, anyhow: bool = False) -> None:
        self.size, self.alphabet, self.anyhow = n, alphabet, anyhow
        self.end()

    def end(self) -> None:
        self.lines: list[tuple[int, str]] = []  # the number of each line, and the line
        self.values: list[int] = []
        self._cells: list[str] = []
        self._rows = 0  # lines with as many numbers as a row has

    @property
    def whole(self) -> bool:
        return len(self.values) == self.size**2 and not zero_fault(self._cells, self.size, self.alphabet)

    def _words(self, text: str) -> list[str]:
        """Returns the numbers of a line: nothing between two commas is a blank, and one at the end ends the line."""
        fields = re.split("[,;]", text)
        ends = self.anyhow or len(fields) % self.size == 1 or all(field.strip() for field in fields[:-1])
        if ends and not fields[-1].strip():
            fields.pop()
        return [word for field in fields for word in field.split() or ["."]]

    def _add(self, line: int, text: str, words: list[str]) -> list[int]:
        values = [number(word, self.alphabet) for word in words]
        self.lines.append((line, text))
        self.values += values
        self._cells += words
        return values

    def begins(self, text: str) -> bool:
        n, words = self.size, self._words(text)
        if not self.anyhow and (not 2 * n <= len(words) <= n * n or len(words) % n):
            return False
        return bool(words) and all(0 <= number(word, self.alphabet) <= n for word in words)

    def add(self, line: int, text: str) -> str:
        """Takes the numbers of a line, and returns what is wrong with them, or nothing."""
        n, words = self.size, self._words(text)
        for word, value in zip(words, self._add(line, text, words), strict=True):
            if value < 0:
                return f"{quoted(word)} is neither a digit nor a blank"
            if value > n:
                return f"{clip(word)} is not between 0 and {n}"
        if len(self.values) > n * n:
            return f"the grid that begins in line {self.lines[0][0]} has {len(self.values)} numbers instead of {n * n}"
        if not self.anyhow and len(words) % n:
            return f"the line has {len(words)} numbers, which are no whole rows of {n}"
        return zero_fault(self._cells, n, self.alphabet) if len(self.values) == n * n else ""

    def holds(self, line: int, text: str) -> bool:
        """Takes a line that may be broken anywhere, if it has numbers that may be some of the grid."""
        n, words = self.size, text.replace(",", " ").split()
        if not words or len(words[0]) > len(str(n)) or (not self.lines and len(words) % n == 0):
            return False
        values = [number(word, self.alphabet) for word in words]
        rows = self._rows + (len(values) == n)
        if min(values) < 0 or max(values) > n or len(self.values) + len(values) > n * n or 2 * rows > len(self.lines):
            return False
        self._add(line, text, words)
        self._rows = rows
        return True
