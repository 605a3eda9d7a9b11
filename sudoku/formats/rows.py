"""Rows: the lines that have cells, any number of them, right or wrong.

Cells are divided by white space, commas, semicolons, tabs or bars, or by nothing. Between commas, tabs and bars nothing
is a blank, if each cell of the row has its own. In groups, such as `53. .7. ...`, each cell is one sign.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sudoku.formats.cleaning import BRACKETS, without_nothings
from sudoku.formats.signs import BLANKS, Signs, quoted
from sudoku.layout import Layout

_BRACES = re.compile(r"\{([1-9 ,]*)\}")
_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]{1,2})?")  # as numpy and pandas print whole numbers
_EMPTY = re.compile(r"[,;\t] *[,;\t]")
_WHOLE = re.compile(r"[0-9]\.0")  # a decimal number, not three cells


class Row(NamedTuple):
    """A line with cells, or a rule."""

    line: int
    text: str
    cells: str | list[str]  # one text if each cell is one sign
    parts: tuple[int, ...] = ()  # the number of cells between bars
    fields: tuple[str, ...] = ()  # the texts between commas
    fault: str = ""  # what is wrong with a cell
    rule: bool = False  # whether it is drawn and has no cells
    label: str = ""  # the letter or number before it
    closed: bool = False  # whether a line with nothing but brackets ends a list behind it

    @property
    def is_lone_number(self) -> bool:
        return not (self.parts or self.fields) and len(self.text) < 6 and self.text.isdigit() and self.text.isascii()

    @property
    def is_hollow(self) -> bool:
        """Whether nothing but commas or tabs is there."""
        return len(self.fields) > 1 and not any(self.fields)

    @property
    def is_word(self) -> bool:
        """Whether it is one word, a sign for each cell."""
        return isinstance(self.cells, str) and self.cells == self.text

    @property
    def only_blank(self) -> str:
        """Returns the sign of a row that is blank in one sign, as a line between grids may be; or nothing."""
        sign = self.cells[0] if self.cells else ""
        return sign if sign in BLANKS[1:] and all(cell == sign for cell in self.cells) else ""


class Rows:
    """Makes rows of lines."""

    def __init__(self, layout: Layout, signs: Signs) -> None:
        self.signs, self.n = signs, signs.columns
        self._width = layout.box[1] if layout.box else 0  # of the groups of a row

    def of(self, line: int, text: str) -> Row:
        """Returns a cleaned line as a row; its fault says why it is none."""
        signs, n = self.signs, self.n
        bare = text.strip()
        if len(bare) == n and signs.exists and not bare.strip(signs.signs):
            return Row(line, bare, bare)
        if self._is_word(bare):
            return Row(line, bare, bare)
        parts, fields = self._divided(text)
        words = [word for part in parts for word in part]
        widths: tuple[int, ...] = ()
        if len(parts) == n > 1 and len(words) <= n and all(len(part) <= 1 for part in parts):
            words = [part[0] if part else "~" for part in parts]
            widths = () if fields else (1,) * n
            cells = self._cells(words)
        elif (not fields or len(words) == 1) and len(words) != n and self._in_groups(words):
            cells = "".join(words)
            widths = tuple(sum(map(len, part)) for part in parts)
        else:
            cells = self._cells(words)
            widths = tuple(map(len, parts)) if not fields else ()
        if isinstance(cells, str) and cells and not cells.strip(signs.signs):
            fault = ""
        else:
            fault = next(filter(None, map(signs.fault, cells)), "") if cells else "there are no cells"
        return Row(line, bare or text, cells, widths if len(widths) > 1 else (), fields, fault)

    def _is_word(self, bare: str) -> bool:
        """Returns whether a line is one word with a sign for each cell, too many or too few for a row."""
        signs = self.signs
        return signs.exists and len(bare) > (1 if signs.single else 2) and not bare.strip(signs.signs)

    def _divided(self, text: str) -> tuple[list[list[str]], tuple[str, ...]]:
        """Returns the words between bars or commas, and the texts between commas, if there are any."""
        if "\t" in text:
            fields = [field.strip() for field in text.strip(" \r\n").split("\t")]
            wanted = {len(fields), len(fields) - (not fields[-1])}
            if "" in fields and not wanted.isdisjoint((self.n, self.n + 1, self.signs.cells)):
                text = ",".join(fields)
        if "," not in text and ";" not in text:
            bars = text.strip().removeprefix("|").removesuffix("|").split("|")
            return [bar.split() for bar in bars], ()
        divided = text.split("," if "," in text else ";")
        if _is_mixed(text):
            return [[field] for field in divided], tuple(divided)
        fields = [field.strip() for field in divided]
        kept = fields[:-1] if not fields[-1] and (len(fields) % self.n == 1 or all(fields[:-1])) else fields
        is_open = kept is not fields and len(fields) == self.n  # the last comma may end the row or begin a cell
        parts = [field.replace(";", " ").split() for field in (fields if is_open else kept)]
        if len(parts) != self.n and not all(parts):
            parts = [part or ["~"] for part in parts]
        return parts, tuple(fields)

    def _in_groups(self, words: list[str]) -> bool:
        """Returns whether words are the cells of a row in groups of one length, or all cells in one word."""
        lengths, signs = set(map(len, words)), self.signs
        if not signs.is_square and signs.single:
            return True
        if not signs.exists or len(lengths) != 1 or (lengths == {1} and signs.single):
            return False
        if all(map(_WHOLE.fullmatch, words)):
            return False
        number = sum(map(len, words))
        return number == self.n and (signs.single or len(words) == 1 or lengths == {self._width})

    def _cells(self, words: list[str]) -> str | list[str]:
        """Returns cells, as a text if each is one sign; texts of a whole row in quotes are divided."""
        n, signs = self.n, self.signs
        texts = (
            len(words) == n and signs.exists and all(len(word) == n and not word.strip(signs.signs) for word in words)
        )
        if texts and not all(map(signs.choices, words)):
            return "".join(words)
        if "." not in words or not any(word[1:].endswith(".") for word in words):
            words = [_whole(word) if len(word) > 1 and _NUMBER.fullmatch(word) else word for word in words]
        single = signs.exists and all(len(word) == 1 for word in words)
        return "".join(words) if single else words

    def fields_fault(self, rows: list[Row]) -> tuple[Row, str] | None:
        """Returns a row whose commas or tabs leave open which cells it has, and why; None if there is none."""
        fields = [row.fields for row in rows]
        written = any(map(self.signs.is_blank, {cell for row in rows for cell in row.fields or row.cells}))
        closed = [len(one) == len(row.cells) + 1 for one, row in zip(fields, rows, strict=True)]
        divides = any("" in one[: len(row.cells) - 1] for one, row in zip(fields, rows, strict=True))
        dividers = [_divider(row.text) for row in rows if row.fields]
        if divides and len({*dividers} - {""}) > 1:
            return rows[
                -1
            ], "is in a grid with rows that are divided by commas, by semicolons or by tabs: write all alike"
        for row, one, is_closed in zip(rows, fields, closed, strict=True):
            number = len(row.cells)
            if is_closed and divides and len(rows) == 1 and number == self.signs.cells:
                what = "so that one of these may be there twice: write blanks as . or 0"
                return row, f"has an empty cell, and ends in {quoted(row.text[-1])}, {what}"
            if one and len(one) == number and not one[-1] and (any(closed) or not divides):
                what = f"which may be behind its cell {number - 1}, or before an empty one: write blanks as . or 0"
                return row, f"ends in {quoted(row.text[-1])}, {what}"
            if written and len(one) >= number and "" in one[:number]:
                return row, "has an empty cell beside blanks that are written: write all blanks as . or 0"
            if is_closed != closed[0] and (is_closed or row is not rows[-1]):
                return row, "ends otherwise than the rows above it: write blanks as . or 0"
        return None

    def is_title(self, text: str) -> bool:
        """Returns whether a line that is no row has a word, and too few cells for a row with a mistake in it."""
        known = {self._width, self.n} if not self.signs.single else None  # lengths of words of letters that are cells
        words = [one for one in _WORD.findall(text) if one.strip(self.signs.signs) or (known and len(one) not in known)]
        parts = BRACKETS.sub(" ", without_nothings(text)).replace(",", " ").replace("|", " ").split()
        cells = sum(len(part) if self.signs.single else 1 for part in parts if not part.strip(self.signs.signs))
        digits = sum(char in self.signs.values and not char.isalpha() for char in text)
        few = digits < self.signs.cells // 2 and cells < self.n // 2 + sum(map(len, words))
        return bool(words) and few

    def in_braces(self, text: str) -> str:
        """Returns a row of pencil marks in braces without these, `+` before a single one; or the text as it is."""
        groups = [re.sub("[ ,]", "", group) for group in _BRACES.findall(text)]
        if not groups or not self.signs.single or (len(groups) == 1 and len(groups[0]) == self.n):
            return text
        marks = iter(f" +{group} " if len(group) == 1 else f" {group or '?'} " for group in groups)
        plain = _BRACES.sub(lambda found: next(marks), text).replace(",", " ")
        return plain if len(plain.split()) == self.n else text


def _divider(text: str) -> str:
    return next((sign for sign in ",;\t" if sign in text.strip("; ")), "")


def _is_mixed(text: str) -> bool:
    """Returns whether different separators are adjacent, so that empty cells may be lost or doubled."""
    inner = text.replace(",\t", ",").replace(";\t", ";").rstrip(" ;")
    return len(set(inner).intersection(",;\t")) > 1 and bool(_EMPTY.search(inner))


def _whole(word: str) -> str:
    """Returns a whole number without its point, and any other word as it is."""
    value = float(word)
    return str(int(value)) if value.is_integer() and value < 100 else word
