"""Lines without what stands around cells: marks of quoted mail, tags, comments, the code around an array."""

from __future__ import annotations

import re

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
_WORDS = "(?:case|grid|n[or]|number|problem|puzzle|sudoku|test)"
_CASE = re.compile(rf"\s*{_WORDS}\s*#\s*[0-9]+", re.IGNORECASE)
_NUMBERED = re.compile(rf"{_WORDS}\b[^0-9]*[0-9]+\s*:?", re.IGNORECASE)
_NOTHING = re.compile(r"\b(?:None|null|nan|NaN|nil|undefined)\b|<NA>|(?<![\"'])(?:\"\"|'')(?=\s*(?:[],;})]|$))")
_NAME = re.compile(r"""[A-Za-z_$][^'"]*?(?=[\[{("'][\[{("'\s]*(?:[0-9*_?~xX.-]+)['"]?\s*[,;\s])""")  # before an array
_CALL_END = re.compile(r"(?<=[\]})])\s*,\s*\w+\s*=[^\[{(]*$")  # `, dtype=int)`
_OUTSIDE = re.compile(r"^[\s,]+(?=[\[{(])|(?<=[\]})])[\s,;.]+$")  # the comma of `,[1, 2]` and `[1, 2],`
BRACKETS = re.compile(r"""[\[\]{}()"']""")
_MARKED = re.compile(r"\{\s*([1-9](?:[ ,]*[1-9])*)\s*\}")


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


def joined_marks(text: str, cells: int) -> str:
    """Returns a row of cells with `26` for the pencil marks `{2, 6}`, and `+4` for `{4}`; any other line as it is."""
    if "{" not in text:
        return text
    marks = [re.sub("[ ,]", "", found) for found in _MARKED.findall(text)]
    digits = iter(marks)
    joined = _MARKED.sub(lambda _: mark if len(mark := next(digits)) > 1 else f"+{mark}", text)
    is_row = "{" not in joined and len(re.split("[ ,|\t]+", joined.strip(" ,|\t"))) == cells
    return joined if is_row and all(list(mark) == sorted(set(mark)) for mark in marks) else text


def is_numbered(text: str) -> bool:
    """Returns whether a line is the number of the next grid, such as `Case #1:` or `Grid 01`."""
    return bool(_NUMBERED.fullmatch(text))


def without_nothings(text: str) -> str:
    """Returns a line with `~` for each None, null, NaN and the like."""
    return _NOTHING.sub("~", text)


def undressed(text: str) -> str:
    """Returns a line without the code before and behind an array, with `~` for None."""
    text, bare = without_nothings(text), without_nothings(text.strip())
    if (bare[:1].isalpha() or bare[:1] in "_$") and (found := _NAME.match(bare)):
        text = bare[found.end() :]
    text = _OUTSIDE.sub("", _CALL_END.sub("", text))
    return text.rstrip("; ") if BRACKETS.search(text) else text  # of rows, semicolons at the end may be empty cells
