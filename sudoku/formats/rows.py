"""Lines as rows of cells.

A line is cleaned of what stands around cells: marks of quoted mail, tags, comments, the code around an array. Its cells
are then divided by white space, commas, semicolons or bars, or by nothing. In groups, such as `53. .7. ...`, each cell
is one sign. The fields between commas, semicolons, tabs or bars are kept beside the cells, as an empty field may be a
blank: see `sudoku.formats.recognisers`.
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
_COMMENT = re.compile(r"#.*|(?<![:/])//.*")
_LATEX_ROW = re.compile(r"([0-9.*_ \t]*&[0-9.*_& \t]*)(?:\\\\.*)?")
_LATEX_LINE = re.compile(r"\s*\\(?:begin|end|[a-z]*line)\b.*")  # commands around and between the rows of a LaTeX table
_WORDS = "(?:case|grid|n[or]|number|problem|puzzle|sudoku|test)"
_CASE = re.compile(rf"\s*{_WORDS}\s*#\s*[0-9]+", re.IGNORECASE)
_NUMBERED = re.compile(rf"{_WORDS}\b[^0-9]*[0-9]+\s*:?", re.IGNORECASE)
_NOTHING = re.compile(r"\b(?:None|null|nan|NaN|nil|undefined)\b|<NA>|(?<![\"'])(?:\"\"|'')(?=\s*(?:[],;})]|$))")
_NAME = re.compile(r"""[A-Za-z_$][^'"]*?(?=[\[{("'][\[{("'\s]*(?:[0-9*_?~xX.-]+)['"]?\s*[,;\s])""")  # before an array
_CALL_END = re.compile(r"(?<=[\]})])\s*,\s*\w+\s*=[^\[{(]*$")  # `, dtype=int)`
_OUTSIDE = re.compile(r"^[\s,]+(?=[\[{(])|(?<=[\]})])[\s,;.]+$")  # the comma of `,[1, 2]` and `[1, 2],`
BRACKETS = re.compile(r"""[\[\]{}()"']""")
_LABEL = re.compile(r"\s*(?:(?:(?:r|row)\s?)?(\d{1,2}|[a-z])(?:[:.)]\s*|\s*\|\s*)|([a-z])\s+)(?=\S)", re.IGNORECASE)
_COLUMN_LABEL = re.compile(r"(?:r|row)?\s?\d{1,2}|[a-z]", re.IGNORECASE)  # in the first field of a table

_MARKS = re.compile(r"\{([1-9 ,]*)\}")  # the pencil marks of a cell
_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]{1,2})?")  # as numpy and pandas print whole numbers
_WHOLE = re.compile(r"[0-9]\.0?")  # a decimal number, not three cells


def bared(line: str) -> str:
    """Returns a line without its end, marks of quoted mail, and tags."""
    text = line.rstrip("\r\n")
    if _PLAIN.fullmatch(text):
        return text
    if text.lstrip().startswith(">"):
        text = _QUOTE.sub("", text, count=1)
    return _TAGS.sub("", text)


def cleaned(text: str) -> str:
    """Returns a bare line drawn in ASCII, without a comment; `#` for a line with nothing else."""
    if _PLAIN.fullmatch(text):
        return text
    if not text.isascii() or "!" in text:
        text = text.translate(_DRAWN)
    found = _CASE.match(text)
    begin = found.end() if found else 0
    bare = text[:begin] + _COMMENT.sub("", text[begin:])
    return bare if bare.strip() or bare == text else "#"


def without_latex(text: str) -> str:
    """Returns a cleaned line, with bars in place of `&` in a row of a LaTeX table; returns `#` for a LaTeX command."""
    if "&" in text and (found := _LATEX_ROW.fullmatch(text)):
        return found[1].replace("&", "|")
    return "#" if "\\" in text and _LATEX_LINE.fullmatch(text) else text


def is_numbered(text: str) -> bool:
    """Returns whether a line is the number of the next grid, such as `Case #1:` or `Grid 01`."""
    return bool(_NUMBERED.fullmatch(text))


def undressed(text: str) -> str:
    """Returns a line without the code before and behind an array, with `~` for None, null, NaN and the like."""
    text = _NOTHING.sub("~", text)
    bare = text.strip()
    if (bare[:1].isalpha() or bare[:1] in "_$") and (found := _NAME.match(bare)):
        text = bare[found.end() :]
    text = _OUTSIDE.sub("", _CALL_END.sub("", text))
    return text.rstrip("; ") if BRACKETS.search(text) else text  # of rows, semicolons at the end may be empty cells


class Row(NamedTuple):
    """A line with cells, right or wrong, or a rule."""

    line: int
    text: str
    cells: str | list[str]  # one text if each cell is one sign
    widths: tuple[int, ...] = ()  # the numbers of cells between bars
    fields: tuple[str, ...] = ()  # the texts between commas, semicolons, tabs or bars
    divider: str = ""  # the sign between the fields
    fault: str = ""  # what is wrong with a cell
    is_rule: bool = False  # whether the line is drawn and has no cells
    label: str = ""  # the letter or number before it

    @property
    def is_lone_number(self) -> bool:
        return not self.fields and len(self.text) < 6 and self.text.isdigit() and self.text.isascii()

    @property
    def is_word(self) -> bool:
        """True if the line is one word with a sign for each cell."""
        return isinstance(self.cells, str) and self.cells == self.text

    @property
    def is_hollow(self) -> bool:
        """True if the line has only commas, semicolons, tabs or bars."""
        return len(self.fields) > 1 and not any(self.fields)

    @property
    def is_loose(self) -> bool:
        """True if all cells are separate words, so that lines of any length may form a grid."""
        words = self.text.replace(",", " ").replace(";", " ").split()
        return not self.widths and "" not in self.fields[:-1] and len(self.cells) == len(words)

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
        signs, bare = self.signs, text.strip()
        if signs.exists and not bare.strip(signs.signs) and len(bare) > (1 if signs.single else 2):
            return Row(line, bare, bare)
        text = self._with_marks(text) if "{" in text else text
        divider = next((sign for sign in ",;\t|" if sign in text), "")
        fields = tuple(field.strip() for field in text.strip(" ").split(divider)) if divider else ()
        parts = [text.replace(",", " ").replace(";", " ").strip()]
        if "|" in text:
            parts = parts[0].removeprefix("|").removesuffix("|").split("|")
        divided = [part.split() for part in parts]
        words = [word for part in divided for word in part]
        if len(words) != self.n and (divider not in (",", ";") or len(words) == 1) and self._are_groups(words):
            cells: str | list[str] = "".join(words)
            widths = tuple(sum(map(len, part)) for part in divided)
        else:
            cells = self.cells_of(words)
            widths = tuple(map(len, divided))
        is_labelled = len(fields) > self.n and _COLUMN_LABEL.fullmatch(fields[0])
        fault = self._fault(cells[1:] if is_labelled else cells)
        return Row(line, bare or text, cells, widths if len(widths) > 1 else (), fields, divider, fault)

    def _fault(self, cells: str | list[str]) -> str:
        if isinstance(cells, str) and cells and not cells.strip(self.signs.signs):
            return ""
        return next(filter(None, map(self.signs.fault, cells)), "") if cells else "there are no cells"

    def is_right(self, row: Row) -> bool:
        """Returns whether a line is a row for certain, or the row of a table with empty cells or labels."""
        is_table = "" in row.fields and self.n <= len(row.fields) <= self.n + 3
        return (not row.fault and (len(row.cells) == self.n or is_table)) or (row.is_hollow and is_table)

    def undressed(self, row: Row, text: str) -> Row:
        """Returns a line as a row without brackets, names and labels if that is a right one; or as it was."""
        inner = BRACKETS.sub(" ", undressed(text))
        if not inner.strip(" ,;"):
            return row  # nothing but brackets
        others = [self.of(row.line, inner)] if inner != text else []
        if not row.is_word and (found := _LABEL.match(inner)):
            label = (found[1] or found[2]).lower()
            others.append(self.of(row.line, inner[found.end() :])._replace(label=label))
        right = [other for other in others if self.is_right(other)]
        if not right and row.fault:
            right = [other for other in others if not other.fault or len(other.cells) == self.n]
            right.sort(key=lambda other: bool(other.fault))
        return right[0] if right else row

    def _with_marks(self, text: str) -> str:
        """Returns a row with `26` for the pencil marks `{2, 6}`, `+4` for `{4}`, `~` for `{}`; others as they are."""
        groups = [re.sub("[ ,]", "", group) for group in _MARKS.findall(text)]
        if not self.signs.single or not all(self.signs.choices(group) for group in groups if group):
            return text
        marks = iter(f" +{group} " if len(group) == 1 else f" {group or '~'} " for group in groups)
        plain = _MARKS.sub(lambda found: next(marks), text).replace(",", " ")
        return plain if "{" not in plain and len(plain.replace("|", " ").split()) == self.n else text

    def _are_groups(self, words: list[str]) -> bool:
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

    def cells_of(self, words: list[str]) -> str | list[str]:
        """Returns cells, as a text if each is one sign; texts of a whole row in quotes are divided."""
        n, signs = self.n, self.signs
        are_rows = len(words) == n and all(len(word) == n and not word.strip(signs.signs) for word in words)
        if are_rows and signs.exists and not all(map(signs.choices, words)):
            return "".join(words)
        if "." not in words or not any(word[1:].endswith(".") for word in words):
            words = [_whole(word) if len(word) > 1 and _NUMBER.fullmatch(word) else word for word in words]
        single = signs.exists and all(len(word) == 1 for word in words)
        return "".join(words) if single else words

    def is_title(self, text: str) -> bool:
        """Returns whether a line is a title: it has a word, and too few cells for a row with a mistake in it."""
        known = {self._width, self.n} if not self.signs.single else None  # lengths of words of letters that are cells
        words = [one for one in _WORD.findall(text) if one.strip(self.signs.signs) or (known and len(one) not in known)]
        parts = BRACKETS.sub(" ", _NOTHING.sub("~", text)).replace(",", " ").replace("|", " ").split()
        cells = sum(len(part) if self.signs.single else 1 for part in parts if not part.strip(self.signs.signs))
        digits = sum(char in self.signs.values and not char.isalpha() for char in text)
        few = digits < self.signs.cells // 2 and cells < self.n // 2 + sum(map(len, words))
        return bool(words) and few


def _whole(word: str) -> str:
    """Returns a whole number without its point, and any other word as it is."""
    value = float(word)
    return str(int(value)) if value.is_integer() and value < 100 else word
