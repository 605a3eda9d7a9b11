"""The reader of lines: grids in any mixture of forms, each as soon as its last line has been taken.

A line that begins JSON, a table, a link or an array begins a text of that form, which takes all lines up to its
end. All others go to the reader of plain text. A number above the first grid may be that of all grids.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sudoku.formats.files.detect import bare_row, begun
from sudoku.formats.gaps import GapsReader
from sudoku.formats.request import Asked, File, Found
from sudoku.formats.rows import Row
from sudoku.formats.signs import Alphabet, quoted
from sudoku.formats.text import Text, is_numbered
from sudoku.grid import GridError

CONTROL_Z = "\x1a"  # the end of a text, as old editors write it
UTF_16 = ("\udcff\udcfe", "\udcfe\udcff")  # its byte order marks, as bytes that are no UTF-8

INNER = ("[", "{", "(", "]", "}", ")", '"', "'", "//", "#")  # how a line begins that is within an array or a value

# The names of `format`, and the forms that it may have: the one of this name, unless it stands here.
_OTHERS = {"sdm": ("line",), "sdk": ("rows",), "ss": ("boxed",), "json": ("json", "fpuzzles", "sudokupad")}
_NAMES = "line sdm rows sdk boxed ss free marks candidates hodoku csv json code fpuzzles sudokupad"
FORMATS: dict[str, tuple[str, ...]] = {name: _OTHERS.get(name, (name,)) for name in _NAMES.split()}

_QUOTED = re.compile(r"\s*(?:>\s?)+")
_TAG = r"(?:\[/?(?:code|pre|quote|spoiler|tt)\]|</?(?:code|pre|tt)>|```\w*|(?:\w+\s*=\s*)?(?:\'\'\'|\"\"\")\\?)"
_TAGS = re.compile(rf"^[ \t]*{_TAG}|{_TAG}[ \t]*(?=[\r\n]*$)", re.IGNORECASE)


def undecorated(line: str) -> str:
    """Returns a line without marks of quoted mail before it and tags around it."""
    bare = line
    if line.lstrip().startswith(">"):
        bare = _QUOTED.sub("", bare, count=1)
    if "[" in bare or "<" in bare or "```" in bare or '"""' in bare or "'''" in bare:
        bare = _TAGS.sub("", bare)
    return bare


class Reader:
    def __init__(self, asked: Asked) -> None:
        self.asked = asked  # what is asked for
        self.plain = Text(asked) if asked.layout.is_square else GapsReader(asked)  # the reader of plain text
        self.file: File | None = None  # the reader of a form of files, within one
        self.number = 0  # of lines that have begun
        self.begins = True  # whether what is taken next begins a line
        self.over = False  # whether nothing more is to be taken, since a line has ended the text
        self._count: str | None = None  # the number of grids, as a line above the first one says it
        self._count_line = 0
        self._numbered = False  # whether each grid has its number above it, from 1 on
        self._free = False  # whether some grid has the form free, whose lines may be single numbers
        self._good = self._bad = 0

    def grids(self, pieces: Iterable[str]) -> Iterator[Found]:
        """Yields the grids of a text whose lines come in pieces, the last one of each with a line end."""
        for piece in pieces:
            yield from self.take(piece)
            if self.over:
                break
        yield from self.close()

    def take(self, piece: str) -> Iterator[Found]:
        """Reads a line, or the next piece of a long one; only the last piece of a line ends in a line end."""
        self.number += self.begins
        yield from map(self._tell, self._take(piece))
        self.begins = piece.endswith(("\n", "\r"))

    def close(self) -> Iterator[Found]:
        yield from map(self._tell, (self.file or self.plain).close())
        there = self._good + self._bad
        if self._count is not None and not self._good <= int(self._count) <= there:
            reason = f"is neither a row nor a whole grid, nor the number of grids that follow, {there}"
            yield self.asked.error(self._count_line, f"{quoted(self._count)} {reason}")
        elif not there and self.plain.passed:
            yield self.asked.error(*self.plain.passed)

    def end_grid(self) -> Iterator[Found]:
        """Ends the grid of several lines that has begun, since one in a line comes next."""
        yield from map(self._tell, self.plain.close())

    def give_up(self, reason: str) -> Iterator[Found]:
        self.over = True
        yield self._tell(self.asked.error(self.number, reason))

    def pass_over(self, lines: int, grids: int) -> None:
        """Counts lines that somebody else has read, and the grids in them."""
        self.number += lines
        self._good += grids

    def _tell(self, found: Found) -> Found:
        """Returns a grid, or an error in its place if its form is not the one that was asked for."""
        if isinstance(found, GridError):
            self._bad += 1
            return found
        self._good += 1
        form = self.asked.format
        if form and found.form not in FORMATS[form]:
            reason = f"this grid has the form {found.form}, and {form} was asked for"
            return self.asked.error(found.line, reason)
        self._free |= found.form == "free"
        return found

    def _take(self, piece: str) -> Iterator[Found]:
        asked, begins, number = self.asked, self.begins, self.number
        if begins and number == 1 and piece.startswith(UTF_16):
            self.over = True
            yield asked.error(1, "the text begins with the byte order mark of UTF-16; UTF-8 is expected")
            return
        first = self._count is None and not self._good + self._bad
        if begins and first and self._rests and _may_count(piece, asked):
            self._count, self._count_line = _bare(piece), number
            return
        if begins and number == 1:
            piece = piece.removeprefix("\ufeff")
        if begins:
            piece = undecorated(piece)
            if self._count is not None and number == self._count_line + 1 and self._goes_on(piece):
                count, self._count = self._count, None
                yield from self._take_line(number - 1, count)
        if self.file is not None and self.file.waits and not (begins and piece.lstrip().startswith(INNER)):
            yield from self.file.close()
            self.file = None
        if asked.layout.is_square and begins and self.file is None:
            piece = bare_row(piece, asked) or piece
            if file := begun(piece, asked):
                yield from self.plain.close()
                self.file = file
        if self.file is not None:
            yield from self.file.take(number, piece)
            self.file = None if self.file.over else self.file
        elif begins:
            yield from self._take_line(number, piece)

    @property
    def _rests(self) -> bool:
        """Tells whether plain text comes next, and no grid has begun."""
        return self.file is None and isinstance(self.plain, Text) and self.plain.rests

    def _goes_on(self, second: str) -> bool:
        numbers, n = (self._count or "", _bare(second)), self.asked.layout.size
        return all(len(text) < 10 and text.isascii() and text.isdigit() and int(text) <= n for text in numbers)

    def _take_line(self, number: int, piece: str) -> Iterator[Found]:
        text, hash_sign, _ = piece.partition("#")
        if hash_sign and is_numbered(piece.strip()):
            text = piece
        if text.strip() in ("end", CONTROL_Z):
            self.over = True
        elif self._is_next_number(text.strip()):
            self._numbered, self._count = True, None
        elif text.strip() or not hash_sign:
            yield from self.plain.take(number, text)

    def _is_next_number(self, text: str) -> bool:
        """Tells whether a line between grids has the number of the next one, where the first line was a 1."""
        there = self._good + self._bad
        counts = self._numbered or (there == 1 and self._count == "1")
        return counts and not self._free and text == str(there + 1) and self._rests


def _may_count(line: str, asked: Asked) -> bool:
    """Tells whether a line is one number, and neither a row nor what could be one with a mistake in it."""
    number, n = _bare(line), asked.layout.size
    if not (len(number) < 10 and number.isascii() and number.isdigit()):
        return False
    if asked.format == "free" or not asked.layout.is_square:
        return False
    row = Row.of(1, number, n, Alphabet.of(n, asked.alphabet))
    short = len(number) <= n - 3  # a row that lacks so many cells would make all grids behind it wrong
    return bool(row.fault(asked.layout, 1)) and (short or not row.resembles_row(n))


def _bare(line: str) -> str:
    return line.removeprefix("\ufeff").partition("#")[0].strip()
