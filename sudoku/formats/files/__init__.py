"""The forms of whole files, a module for each: tables, JSON, XML, links and arrays; and which of them a line begins."""

from sudoku.formats.files.beginning import begun
from sudoku.formats.files.code import row
from sudoku.formats.files.file import File, Found

__all__ = ["File", "Found", "begun", "row"]
