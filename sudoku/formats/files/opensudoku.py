"""Files of OpenSudoku, an app for Android (https://opensudoku.moire.org): XML with a `game` for each puzzle.

The data of a game are 81 digits, or `version: 1` to 5 and, for each cell, its digit, notes and whether it can be
changed, with `|` between them. A digit that a person has filled in is a blank with one candidate; notes and colours say
nothing.

A file with a document type is refused: so nothing in it can stand for more than it is (entities), nor for another file.
Each puzzle comes with its element; what the parser holds is no more than one element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from xml.parsers import expat

import numpy as np

from sudoku.formats.line import Line
from sudoku.formats.request import Asked, File, Found
from sudoku.formats.signs import quoted
from sudoku.grid import Puzzle

LONGEST = 1 << 20  # characters without the end of an element

# The elements of a file; others are refused.
ELEMENTS = frozenset({"opensudoku", "opensudoku2", "folder", "game"})
ELEMENTS |= {"name", "author", "description", "comment", "created", "source", "level", "sourceURL"}

# The notes of a cell in the data of each version, behind its digit; in the second one some have a bar too many.
_NOTES = {"1": r"(?:[0-9,]+|-)\|", "2": r"[0-9]+\|{1,2}", "3": r"[0-9]+\|"}
_NOTES |= {"4": r"(?:[0-9]+\|){2}", "5": r"(?:[0-9]+\|){3}"}


class Games(File):
    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self.form = Line.of(asked.layout.size, asked.alphabet)
        self._found: list[Found] = []
        self._open = self._waiting = 0  # elements, and characters since one ended
        self._failed = False
        self._parser = expat.ParserCreate(encoding="utf-8")  # whatever it says that it is: it has been decoded
        self._parser.StartDoctypeDeclHandler = self._refuse_type
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end

    def take(self, line: int, piece: str) -> Iterator[Found]:
        self.line = self.line or line
        if not self._failed:
            try:
                self._feed(piece)
            except ValueError as error:
                self._failed = True
                passed = "" if self.over else "; what follows up to the next empty line is passed over"
                self._found.append(self.asked.error(line, f"{error}{passed}"))
        self.over = self.over or (self._failed and not piece.strip())
        found, self._found = self._found, []
        yield from found

    def close(self) -> Iterator[Found]:
        if not (self._failed or self.over):
            yield self.asked.error(self.line, "the XML that begins here does not end")

    def _feed(self, piece: str) -> None:
        self._waiting += len(piece)
        if self._waiting > LONGEST:
            raise ValueError(f"an element has more than {LONGEST} characters")
        try:
            self._parser.Parse(piece.encode("utf-8", "replace"), False)
        except expat.ExpatError as error:
            raise ValueError(f"this is no XML: {expat.errors.messages[error.code]}") from None

    def _refuse_type(self, name: str, *_: object) -> None:
        raise ValueError(f"the XML has a document type, {quoted(name)}, which is refused")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._open += 1
        self._waiting = 0
        if name not in ELEMENTS or (self._open == 1) != name.startswith("opensudoku"):
            raise ValueError(f"the element {quoted(name)} is none of OpenSudoku's")
        if name == "game":
            line = self.line + self._parser.CurrentLineNumber - 1
            self._found.append(self.asked.made(line, partial(self._game, attributes, line)))

    def _end(self, name: str) -> None:
        self._open -= 1
        self._waiting = 0
        self.over = self._open == 0

    def _game(self, attributes: dict[str, str], line: int) -> Puzzle:
        names = [name for name in ("data", "cells_data") if name in attributes]
        if len(names) != 1:
            raise ValueError(f"the game has {'data twice' if names else 'no data'}")
        data = attributes[names[0]]
        version = re.fullmatch(r"\s*version:\s*([0-9]{1,3})\s+(.*?)\s*", data, re.DOTALL)
        if not version:
            return self.asked.puzzle(self.form.whole(data.strip()), "opensudoku", line)
        if version[1] not in _NOTES:
            raise ValueError(f"the data have the version {version[1]} instead of 1 to 5")
        cell = re.compile(rf"([0-9]{{1,2}})\|{_NOTES[version[1]]}([01])\|")
        return self._cells(version[2], cell, line)

    def _cells(self, data: str, form: re.Pattern[str], line: int) -> Puzzle:
        n, place = self.form.size, 0
        digits = np.zeros(n * n, dtype=np.uint8)
        marks = np.ones((n * n, n), dtype=np.bool_)
        for k in range(n * n):
            cell = form.match(data, place)
            if cell is None or int(cell[1]) > n:
                shown = quoted(data[place : place + 20])
                raise ValueError(f"cell {k + 1} of the data, {shown}, is no digit from 0 to {n}, notes, and 0 or 1")
            place = cell.end()
            if int(cell[1]) and cell[2] == "1":
                marks[k] = np.arange(1, n + 1) == int(cell[1])
            else:
                digits[k] = int(cell[1])
        if place < len(data):
            raise ValueError(f"behind {n * n} cells the data have {quoted(data[place:])}")
        return self.asked.puzzle(digits, "opensudoku", line, marks)
