"""The form of files that a line begins, if any. What reads a form is loaded when it is needed: all takes 15 ms."""

from __future__ import annotations

import re

from sudoku.formats.around import marks_in_braces
from sudoku.formats.files.file import File
from sudoku.formats.request import Asked
from sudoku.formats.signs import BLANKS

_NAMED = re.compile("puzzle|quiz|question|problem|sudoku|grid|board|givens", re.IGNORECASE)
_LINK = re.compile(r"https?://\S+|(?:fpuz(?:zles)?|scl|ctc)[A-Za-z0-9+/=%_$-]{16,}\s*$", re.IGNORECASE)
_XML = re.compile(r"<[?!a-zA-Z]")
_HEADING = re.compile(r"\[(?:puzzle|state)\]\s*", re.IGNORECASE)
_FIELD = re.compile(r'"[^"]*"[ ]*[,;\t]')
_IN_BRACKETS = (None, "rows", "sdk")  # what may be asked for where rows stand in brackets
MAGIC = b"\x93NUMPY".decode("utf-8", "surrogateescape")

# What may be asked for, and what that reads; without it, what a line looks like decides.
_READ_BY = {
    "json": "json",
    "code": "json",
    "fpuzzles": "json",
    "sudokupad": "json",
    "csv": "csv",
    "opensudoku": "xml",
    "npy": "npy",
}


def begun(piece: str, asked: Asked) -> File | None:
    """The reader of the form that a line begins; None if it is plain text.

    >>> from sudoku.layout import Layout
    >>> asked = Asked(Layout.boxes(), "<text>")
    >>> [type(begun(text, asked)).__name__ for text in ("puzzle,solution", "[[5, 3, ", "[Puzzle]", "53..7....")]
    ['Table', 'Values', 'NoneType', 'NoneType']
    """
    text = piece.lstrip()
    if not text:
        return None
    reads = _READ_BY.get(asked.format or "")
    if asked.format is None:
        return None if text[0] in BLANKS + "123456789|+" and not text[0].isalpha() else _recognised(text, asked)
    found = _recognised(text, asked) if reads else None
    if reads == "csv" or (found is None and reads == "json" and asked.format == "json"):
        return _reader(reads, asked)  # which says what is wrong with the line
    return found


def _recognised(text: str, asked: Asked) -> File | None:
    """The reader of what a line looks like, if that is what was asked for."""
    kind = kind_of(text)
    asked_for = _READ_BY.get(asked.format or "", kind)
    if kind == "link" and asked.format in (None, "json", "fpuzzles", "sudokupad"):
        return _reader(kind, asked)
    if kind == "csv":
        from sudoku.formats.files.tabular import is_heading

        kind = kind if is_heading(text) else None
    return _reader(kind, asked) if kind and kind == asked_for else None


def kind_of(text: str) -> str | None:
    r"""Returns the form that a line resembles: "json", also for an array, "xml", "npy", "link", perhaps "csv", or None.

    >>> [kind_of(text) for text in ("[[1, 2], ", '"12.."', "[Puzzle]", "<?xml ?>", "scl" + 20 * "N", "id,quizzes")]
    ['json', 'json', None, 'xml', 'link', 'csv']
    """
    if text.startswith(MAGIC):
        return "npy"
    if text[0] in '{["' and not _FIELD.match(text):
        return None if _HEADING.fullmatch(text) else "json"
    if _XML.match(text):
        return "xml"
    if _LINK.match(text):
        return "link"
    if _begins_array(text):
        return "json"
    return "csv" if _NAMED.search(text[:1000]) else None


def _begins_array(text: str) -> bool:
    """Tells whether a line begins an array of a program that could not be JSON."""
    if not any(sign in text for sign in "=({"):
        return False
    from sudoku.formats.files.code import begins

    return begins(text)


def bare_row(piece: str, asked: Asked) -> str | None:
    """The row of a line that is one in brackets or has its cells in quotes, without these; None if it is none.

    >>> from sudoku.layout import Layout
    >>> asked = Asked(Layout.boxes(2, 2), "<text>")
    >>> bare_row("{1, 0, 3, 0},\\n", asked), bare_row('"1","","3","0"\\n', asked), bare_row("1030\\n", asked)
    ('1,0,3,0\\n', '1,,3,0\\n', None)
    """
    text = piece.strip()
    if not ("{" in text or text[:1] in ("[", "(", '"')) or asked.format not in _IN_BRACKETS:
        return None
    if text[0] == '"':
        from sudoku.formats.files.tabular import split

        fields = next((found for between in ",;\t" if len(found := split(text, between) or []) > 1), [])
        return ",".join(fields) + "\n" if len(fields) == asked.layout.size else None
    from sudoku.formats.files.code import row

    cells = row(text, asked.layout.size) or marks_in_braces(text, asked.layout.size)
    return cells and f"{cells}\n"


def _reader(kind: str, asked: Asked) -> File:
    """The reader of a kind."""
    if kind == "npy":
        from sudoku.formats.files.npy import Array

        return Array(asked)
    if kind == "json":
        from sudoku.formats.files.values import Values

        return Values(asked)
    if kind == "xml":
        from sudoku.formats.files.opensudoku import Games

        return Games(asked)
    if kind == "link":
        from sudoku.formats.files.links import Link

        return Link(asked)
    from sudoku.formats.files.tabular import Table

    return Table(asked)
