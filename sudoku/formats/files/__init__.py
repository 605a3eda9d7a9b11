"""The forms of whole files, a module for each: tables, JSON, XML, links and arrays; and which of them a line begins."""

from sudoku.formats.files.detect import bare_row, begun
from sudoku.formats.files.file import File, Found

__all__ = ["File", "Found", "bare_row", "begun"]
