"""Which form of files a line begins, if any."""

from __future__ import annotations

from collections.abc import Callable

from sudoku.formats.asked import Asked
from sudoku.formats.files.file import File
from sudoku.formats.files.links import Link, is_link
from sudoku.formats.files.npy import Array, is_array
from sudoku.formats.files.opensudoku import Games, is_xml
from sudoku.formats.files.tabular import Table, header
from sudoku.formats.files.values import Values, is_json

_FORMS: tuple[tuple[Callable[[str], bool], Callable[[Asked], File], frozenset[str]], ...] = (
    (is_array, Array, frozenset({"npy"})),
    (is_xml, Games, frozenset({"opensudoku"})),
    (is_json, Values, frozenset({"json", "fpuzzles", "sudokupad"})),
    (is_link, Link, frozenset({"fpuzzles", "sudokupad"})),
    (lambda text: header(text) is not None, Table, frozenset({"csv"})),
)


def begun(piece: str, asked: Asked) -> File | None:
    """The reader of the form that a line begins; None if it is plain text.

    >>> from sudoku.layout import Layout
    >>> asked = Asked(Layout.boxes(), "<text>")
    >>> [type(begun(text, asked)).__name__ for text in ("puzzle,solution", "[[5, 3, ", "53..7....")]
    ['Table', 'Values', 'NoneType']
    """
    first = piece.lstrip()[:1]
    if not first or first in ".*-_?~|+":  # most lines
        return None
    for begins, form, names in _FORMS:
        if asked.format is None or asked.format in names:
            if begins(piece):
                return form(asked)
            if asked.format == "csv":
                return form(asked)  # which says what is wrong with its first line
    return None
