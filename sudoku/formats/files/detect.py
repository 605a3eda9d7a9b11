"""The forms of whole files by the lines that begin them; the modules of most are loaded when they are due."""

from __future__ import annotations

import re
from importlib import import_module

from sudoku.formats.files.tabular import is_heading, split
from sudoku.formats.request import Asked, File
from sudoku.formats.signs import BLANKS

_NAMED = re.compile("puzzle|quiz|question|problem|sudoku|grid|board|givens", re.IGNORECASE)
_LINK = re.compile(r"https?://\S+|(?:fpuz(?:zles)?|scl|ctc)[A-Za-z0-9+/=%_$-]{16,}\s*$", re.IGNORECASE)
_HEADING = re.compile(r"\[(?:puzzle|state)\]\s*", re.IGNORECASE)
_MARKS = re.compile(r"\{([0-9 ,]*)\}")
_FIELD = re.compile(r'"[^"]*"[ ]*[,;\t]')
_IN_BRACKETS = (None, "rows", "sdk")  # what may be asked for where rows stand in brackets

# The forms of lines, the module and the class that read each, and the names by which it may be asked for.
_READERS = {
    "json": ("values", "Values", ("json", "code", "fpuzzles", "sudokupad")),
    "link": ("links", "Link", ("json", "fpuzzles", "sudokupad")),
    "csv": ("tabular", "Table", ("csv",)),
}


def begun(piece: str, asked: Asked) -> File | None:
    """Returns the reader of the form that a line begins; None if it is plain text."""
    text, form = piece.lstrip(), asked.format
    if not text or (form is None and text[0] in BLANKS + "123456789|+" and not text[0].isalpha()):
        return None
    kind = _kind_of(text)
    if kind and (form is None or form in _READERS[kind][2]):
        return _reader(kind, asked)
    return _reader(form, asked) if form in ("csv", "json") else None  # which says what is wrong with the line


def _kind_of(text: str) -> str | None:
    """Returns the form that a line begins, "json" also for an array, "link" or "csv", or None."""
    if text[0] in '{["' and not _FIELD.match(text):
        return None if _HEADING.fullmatch(text) else "json"
    if _LINK.match(text):
        return "link"
    if any(sign in text for sign in "=({"):
        from sudoku.formats.files.code import begins

        if begins(text):
            return "json"  # an array of a program
    return "csv" if _NAMED.search(text[:1000]) and is_heading(text) else None


def bare_row(piece: str, asked: Asked) -> str | None:
    """Returns the row of a line that is one in brackets or has its cells in quotes, without these, or None."""
    text = piece.strip()
    if not ("{" in text or text[:1] in ("[", "(", '"')) or asked.format not in _IN_BRACKETS:
        return None
    if text[0] == '"':
        fields = next((found for between in ",;\t" if len(found := split(text, between) or []) > 1), [])
        return ",".join(fields) + "\n" if len(fields) == asked.layout.size else None
    from sudoku.formats.files.code import row

    cells = row(text, asked.layout.size) or marks_in_braces(text, asked.layout.size)
    return cells and f"{cells}\n"


def marks_in_braces(text: str, n: int) -> str | None:
    """Returns a row of pencil marks in braces without these, a single one with a `+`; None if it is something else."""
    groups = [re.sub("[ ,]", "", group) for group in _MARKS.findall(text)]
    rest = _MARKS.sub(" { ", text).replace(",", " ").split()
    if not groups or len(rest) != n or any(len(word) > 1 for word in rest) or all(len(group) == n for group in groups):
        return None
    marks = iter(f"+{group}" if len(group) == 1 else group or "?" for group in groups)
    return " ".join(next(marks) if word == "{" else word for word in rest)


def _reader(kind: str, asked: Asked) -> File:
    module, name, _ = _READERS[kind]
    reader: File = getattr(import_module(f"sudoku.formats.files.{module}"), name)(asked)
    return reader
