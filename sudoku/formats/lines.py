"""Lines: cleaned of what stands around cells, and divided into cells.

A line is cleaned of marks of quoted mail, tags, comments, and the code around an array. Its cells stand between commas,
semicolons, tabs or bars, or else between white space. Two adjacent separators enclose an empty cell, unless they are
white space. In groups, such as `53. .7. ...`, and in a single word each sign is a cell.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sudoku.formats.signs import BLANKS, Signs
from sudoku.layout import Layout

# Box-drawing characters in ASCII, so that all styles of rules and bars are parsed alike.
_ACROSS, _DOWN = "─━┄┅┈┉╌╍═╴╶╸╺╼╾", "│┃┆┇┊┋╎╏║╵╷╹╻╽╿"
_DRAWN = dict.fromkeys(range(0x2500, 0x2580), "+") | dict.fromkeys(map(ord, _DOWN), "|")
_DRAWN |= dict.fromkeys(map(ord, _ACROSS), "-") | {ord("!"): "|", ord("¦"): "|"}
_DRAWN |= dict.fromkeys(map(ord, "\u00b7\u2022\u2219\u22c5\u2024\u25a1"), ".") | {0xA0: " "}

_PLAIN = re.compile(r"[0-9.*_xX?~ |+=-]*")  # a line with nothing to clean
_QUOTE = re.compile(r"\s*(?:>\s?)+")
_TAG = r"(?:\[/?(?:code|pre|quote|spoiler|tt)\]|</?(?:code|pre|tt)>|```\w*|(?:\b\w+\s*=\s*)?(?:\'\'\'|\"\"\")\\?)"
_TAGS = re.compile(rf"^[ \t]*{_TAG}|{_TAG}[ \t]*$", re.IGNORECASE)
_COMMENT = re.compile(r"(?:^\s*#|#(?!\d+:)).*|(?<![:/])//.*")  # `Case #1:` has no comment

_NOTHING = re.compile(r"\b(?:None|null|nan|NaN|nil|undefined)\b|<NA>|(?<![\"'])(?:\"\"|'')(?=\s*(?:[],;})]|$))")
_NAME = re.compile(r"""[A-Za-z_$][^'"]*?(?=[\[{("'][\[{("'\s]*(?:[0-9*_?~xX.-]+)['"]?\s*[,;\s])""")  # before an array
_CALL_END = re.compile(r"(?<=[\]})])\s*,\s*\w+\s*=[^\[{(]*$")  # `, dtype=int)`
_OUTSIDE = re.compile(r"^[\s,]+(?=[\[{(])|(?<=[\]})])[\s,;.]+$")  # the comma of `,[1, 2]` and `[1, 2],`
BRACKETS = re.compile(r"""[\[\]{}()"']""")
_LIST = re.compile(r"[\[\]{}()]")
_LABEL = re.compile(r"\s*(?:r|row)?(?:\d{1,2}|[a-z])[:.)](?=\s)|\s*[a-z](?=\s)", re.IGNORECASE)  # before cells
_FIRST_LABEL = re.compile(r"(?:r|row)?\d{1,2}[:.)]?|[a-z][:.)]?", re.IGNORECASE)  # in the first column of a table
_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]{1,2})?")  # as numpy and pandas print whole numbers
_POINTED = re.compile(r"[0-9]\.0?")  # a decimal number, not a group of cells

_SIGNS = BLANKS[1:]
EMPTY = "two adjacent separators may enclose a blank or nothing: write blanks as . or 0"
MIXED = "two different separators in one row: use one"


def bared(line: str) -> str:
    """Returns a line without its end, marks of quoted mail, and tags."""
    text = line.rstrip("\r\n")
    if _PLAIN.fullmatch(text):
        return text
    if text.lstrip().startswith(">"):
        text = _QUOTE.sub("", text, count=1)
    return _TAGS.sub("", text)


def cleaned(text: str) -> str:
    """Returns a bare line drawn in ASCII, without a comment; `#` if the line is only a comment."""
    if _PLAIN.fullmatch(text):
        return text
    if not text.isascii() or "!" in text:
        text = text.translate(_DRAWN)
    bare = _COMMENT.sub("", text)
    return bare if bare.strip() or bare == text else "#"


def undressed(text: str) -> str:
    """Returns a line without the code before and behind an array; `~` stands for None, null, NaN and the like."""
    text = _NOTHING.sub("~", text)
    bare = text.strip()
    if (bare[:1].isalpha() or bare[:1] in "_$") and (found := _NAME.match(bare)):
        text = bare[found.end() :]
    text = _OUTSIDE.sub("", _CALL_END.sub("", text))
    return text.rstrip("; ") if BRACKETS.search(text) else text  # without brackets, the last cells may be empty


class Row(NamedTuple):
    """A row of cells, valid or not, or a rule."""

    line: int
    text: str
    cells: list[str]  # "" for an empty one
    widths: tuple[int, ...] = ()  # the numbers of cells between bars
    divider: str = ""  # the sign between fields
    fault: str = ""  # what is wrong with a cell
    is_word: bool = False  # whether all cells stand in one word
    is_rule: bool = False  # whether the line is drawn and has no cells

    @property
    def is_lone_number(self) -> bool:
        return len(self.text) < 6 and self.text.isdigit() and self.text.isascii()

    @property
    def only_sign(self) -> str | None:
        """Returns the blank sign if all cells are this sign, "" if all cells are empty; None for other rows."""
        first = self.cells[0] if self.cells else "1"
        return first if first in _SIGNS and self.cells.count(first) == len(self.cells) else None

    @property
    def way(self) -> str:
        """What stands between cells, and whether there is a bar before and behind them."""
        return self.divider if self.divider != "|" else f"| {self.text[0] == '|'} {self.text[-1] == '|'}"

    @property
    def own_cells(self) -> list[str]:
        """The cells without the empty one behind a divider at the end."""
        return self.cells if self.cells[-1:] != [""] else self.cells[:-1]

    def without_label(self) -> Row:
        """Returns the row without its first cell."""
        widths = (self.widths[0] - 1, *self.widths[1:]) if self.widths else ()
        return self._replace(cells=self.cells[1:], widths=widths[not all(widths[:1]) :])


class Lines:
    """Divides lines into cells."""

    def __init__(self, layout: Layout, signs: Signs) -> None:
        self.signs, self.n = signs, signs.columns
        self._width = layout.box[1] if layout.box else 0  # of the groups of a row

    def row(self, line: int, text: str) -> Row:
        """Returns a cleaned line as a row; `fault` says why it is not a valid one."""
        signs, bare = self.signs, text.strip()
        if signs.exists and not bare.strip(signs.signs) and len(bare) > (1 if signs.single else 2):
            return Row(line, bare, [*bare], is_word=True)
        dividers = [sign for sign in ",;\t" if sign in text]
        divider = dividers[0] if dividers else "|" if "|" in text else ""
        parts = [text.split()]
        if divider:
            parts = [part.split() for part in text.strip(" ").replace("|", divider).split(divider)]
        if divider == "|" and not parts[0] and not parts[-1]:
            parts = parts[1:-1]
        if divider != "|" and len(parts) == 2 and parts[0] and not parts[1]:  # nothing behind the sign
            divider, parts = "", parts[:1]
        words = [word for part in parts for word in part]
        widths: tuple[int, ...] = ()
        is_row = divider in ("", "|") or len(words) == 1
        is_word = len(words) == 1 and divider != "|"
        if is_row and len(words) != self.n and self._are_groups(words):
            cells = [*"".join(words)]
            widths = tuple(sum(map(len, part)) for part in parts) if divider == "|" else ()
        elif divider == "|" and (len(parts) < self.n or any(len(part) > 1 for part in parts)):
            cells, widths, is_word = self._whole(words), tuple(map(len, parts)), False
        else:
            cells = self._whole([word for part in parts for word in part or [""]] if divider else words)
            is_word = False
        if cells[-1:] == [""] and "" not in cells[:-1] and len(cells) not in (self.n, self.n + 1):
            cells = cells[:-1]  # behind the comma at the end of a line of any length
        are_mixed = len(dividers) + ("|" in text) > 1 and ("" in cells or any(len(part) > 1 for part in parts))
        fault = MIXED if are_mixed else self._fault(cells)
        return Row(line, bare or text, cells, widths if len(widths) > 1 else (), divider, fault, is_word)

    def _fault(self, cells: list[str]) -> str:
        if len(cells) == self.n + 1 and _FIRST_LABEL.fullmatch(cells[0]):
            cells = cells[1:]
        faults = (self.signs.fault(cell) for cell in dict.fromkeys(cells) if cell)
        return next(filter(None, faults), "") if cells else "there are no cells"

    def _are_groups(self, words: list[str]) -> bool:
        """Returns whether words are the cells of a row in groups of one length, or all cells in one word."""
        lengths, signs = set(map(len, words)), self.signs
        if not signs.is_square and signs.single:
            return True
        if not signs.exists or len(lengths) != 1 or (lengths == {1} and signs.single):
            return False
        if all(map(_POINTED.fullmatch, words)):
            return False
        number = sum(map(len, words))
        return number == self.n and (signs.single or len(words) == 1 or lengths == {self._width})

    def _whole(self, words: list[str]) -> list[str]:
        """Returns words with `5.` as `5`; as they are if a lone `.` shows that points are blanks."""
        if "." in words and any(word[1:].endswith(".") for word in words):
            return words
        return [_integer(word) if len(word) > 1 and _NUMBER.fullmatch(word) else word for word in words]

    def is_right(self, row: Row) -> bool:
        """Returns whether a line is a row for certain, or the row of a table with empty cells or labels."""
        is_table = "" in row.cells and self.n <= len(row.cells) <= self.n + 1
        return not row.fault and (len(row.cells) == self.n or is_table)

    def undressed(self, row: Row, text: str) -> Row:
        """Returns a row without brackets, names and labels if that is a better row; otherwise the row itself."""
        inner = BRACKETS.sub(" ", undressed(text))
        other = self.row(row.line, inner)
        if "" in other.cells and _LIST.search(text):  # lists have no empty cells, but may end in a comma
            other = other._replace(cells=other.own_cells, fault=other.fault or EMPTY * ("" in other.own_cells))
        if found := _LABEL.match(inner):
            row_behind = self.row(row.line, inner[found.end() :])
            if len(row_behind.cells) == self.n and len(other.cells) != self.n:
                other = row_behind._replace(cells=[found[0].strip(), *row_behind.cells], is_word=False)
        is_better = self.is_right(other) or (row.fault and (not other.fault or len(other.cells) == self.n))
        return other if inner.strip(" ,;") and is_better else row

    def is_title(self, text: str) -> bool:
        """Returns whether a line has a word, and too few cells for a row with a mistake in it."""
        signs = self.signs
        known = {self._width, self.n} if not signs.single else ()  # lengths of words whose letters are cells
        words = [one for one in _WORD.findall(text) if one.strip(signs.signs) or (known and len(one) not in known)]
        parts = BRACKETS.sub(" ", _NOTHING.sub("~", text)).replace(",", " ").replace("|", " ").split()
        cells = sum(len(part) if signs.single else 1 for part in parts if not part.strip(signs.signs))
        digits = sum(char in signs.values and not char.isalpha() for char in text)
        return bool(words) and digits < signs.cells // 2 and cells < self.n // 2 + sum(map(len, words))


def _integer(word: str) -> str:
    value = float(word)
    return str(int(value)) if value.is_integer() and value < 100 else word
