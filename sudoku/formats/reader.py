"""The reader of lines: each line is cleaned, and is then empty, a grid, a row, a rule, a title, or begins a file.

A line that begins a JSON value belongs to this value, as do all lines up to its end. Any other line is a whole grid, or
belongs to a section, which is read when it ends: see `sudoku.formats.sections`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sudoku.formats.lines import Lines, Row, bared, cleaned
from sudoku.formats.request import PUZZLES, Found, Request
from sudoku.formats.sections import Sections
from sudoku.formats.signs import BLANKS, LONGEST_VALUE, TOO_LONG, Signs, quoted
from sudoku.formats.whole import WholeLines, is_rule

if TYPE_CHECKING:
    from sudoku.formats.files.values import Values

STATE = "the text has a [State] section but no [Puzzle] section, and only the latter is read"
ANSWERS = {"error": "could not be read", "-1": "has no completion", "unknown": "took too long"}  # what commands print
RULES = "; write rules to a file of their own, for --rules (read_rules)"
CONTROL_Z = "\x1a"  # the end of a text, as old editors write it

_UTF_16 = ("\udcff\udcfe", "\udcfe\udcff")  # its byte order marks, as bytes that are no UTF-8
_HEADING = re.compile(r"\[(puzzle|state)\]", re.IGNORECASE)
_OPENS = re.compile(r"[A-Za-z_$][^'\"]*(?:[\[{(]|=)")  # a line above an array
_NUMBERED = re.compile(r"[^0-9=({\[,;\t]*[0-9]+\W*")  # a title with the number of a grid
_CELL = re.compile(r"\br\d+c\d+", re.IGNORECASE)  # the name of a cell in a rule
_OBJECT = re.compile(r'\[?\s*\{\s*"|\[.*\{\s*"')
_DIVIDER = re.compile(r"([^\s\w.?=,;|+-])\1{2,}|_{3,}")  # a line of one sign between grids, as *****


class Reader:
    """Reads the lines of a text; it holds one section."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.signs = Signs.of(request.layout, request.alphabet)
        self.lines = Lines(request.layout, self.signs)
        self.whole = WholeLines(request, self.lines)
        self.sections = Sections(request, self.whole)
        self.file: Values | None = None  # the JSON that has begun
        self.brace: tuple[int, str] | None = None  # a line with one brace, which may begin an object or an array
        self.in_state = False  # whether rows are the [State] of a puzzle, and skipped
        self.over = False  # whether a line has ended the text
        self.passed: tuple[int, str] | None = None  # the first skipped line and its error, in case there is no grid
        self.has_answers = False  # whether there has been a grid or an error
        self.prose = 0  # the number of skipped lines of text below the first grid
        self.first_prose = ""  # the first of these
        self.line = 0  # lines so far

    @property
    def rests(self) -> bool:
        """Whether nothing has begun, so that the next lines may be read in another way."""
        return not (self.sections.have_begun or self.file or self.brace or self.in_state)

    def take(self, line: str) -> Iterator[Found]:
        """Reads a line without its end."""
        self.line += 1
        for found in self._take(self.line, line):
            self.has_answers = True
            yield found

    def close(self) -> Iterator[Found]:
        """Ends the text."""
        for found in (*self.sections.end(), *(self.file.close() if self.file else ())):
            self.has_answers = True
            yield found
        if not self.has_answers and self.passed:
            yield self.request.error(*self.passed)
        if self.prose:
            number = f"{self.prose} in all, the first in {self.first_prose}"
            warnings.warn(f"{self.request.file}: skipped lines of text, {number}", stacklevel=2)

    def _take(self, number: int, line: str) -> Iterable[Found]:
        if number == 1:
            line = line.removeprefix("\ufeff")
            if line.startswith(_UTF_16):
                self.over = True
                return [self.request.error(1, "the text begins with the byte order mark of UTF-16; UTF-8 is expected")]
        line = bared(line)
        if self.file is not None:
            return self._take_value(number, line)
        if len(line) > LONGEST_VALUE:
            return [*self.sections.end(), self.request.error(number, TOO_LONG)]
        text = cleaned(line)
        bare = text.strip()
        brace, self.brace = self.brace, None
        if brace and bare.startswith('"'):
            return [*self._take_value(*brace), *self._take(number, line)]
        if bare == "#":  # like an empty line, but no second one
            return self.sections.end(at_gap=True) if self.sections.entries else ()
        if not bare and text.count("\t") != self.lines.n - 1:
            self.in_state = False
            return self.sections.end(at_gap=True)
        if bare in ("end", CONTROL_Z):
            self.over = True
            return ()
        if bare in ANSWERS:
            reason = f"{quoted(bare)} is the answer of an earlier command for a grid that {ANSWERS[bare]}"
            return [*self.sections.end(), self.request.error(number, reason)]
        if bare in ("{", "[{"):
            self.brace = number, line
            return ()
        if _OBJECT.match(bare):
            return self._take_value(number, line)
        return self._take_line(text, self.lines.row(number, text))

    def _take_value(self, number: int, line: str) -> Iterator[Found]:
        """Reads a line of a JSON value, which may begin here; if the value is complete, reads the line anew."""
        if self.file is None:
            from sudoku.formats.files.values import Values  # 5 ms

            yield from self.sections.end()
            self.file = Values(self.request)
        file = self.file
        if file.ends_before(line):
            self.file = None
            yield from file.close()
            yield from self._take(number, line)
        else:
            yield from file.take(number, f"{line}\n")
            self.file = None if file.over else file

    def _take_line(self, text: str, row: Row) -> Iterable[Found]:
        bare = text.strip()
        if row.is_lone_number or row.only_sign == "-":
            self.passed = self.passed or (row.line, f"{quoted(bare)} is neither a row nor a whole grid")
        if self.lines.is_right(row):
            return self._add(row)
        if found := self.whole.read(text, row.line):
            return [*self.sections.end(), *found]
        if _DIVIDER.fullmatch(bare) and not self._is_cut(bare):
            return self.sections.end()
        if is_rule(bare):
            return self._add(row._replace(is_rule=True))
        row = self.lines.undressed(row, text)
        if not row.fault:
            return self._add(row)
        if self._is_nothing(text):
            return ()
        is_title = bool(_HEADING.fullmatch(bare) or _OPENS.fullmatch(bare)) or self.lines.is_title(text)
        return self._title(row.line, bare) if is_title else self._add(row)

    def _is_cut(self, bare: str) -> bool:
        """Returns whether a line of one sign is rather a row with a blank too few or too many."""
        return abs(len(bare) - self.lines.n) == 1 and any(bare[0] in entry.cells for entry in self.sections.entries)

    def _add(self, row: Row) -> Iterable[Found]:
        return () if self.in_state else self.sections.add(row)

    def _is_nothing(self, text: str) -> bool:
        """Returns whether a line has only brackets, or at most one separator."""
        bare, dividers = text.strip(), sum(map(text.count, ",;\t"))
        if not bare.isprintable() or any(char.isalnum() or char in BLANKS for char in bare):
            return False
        has_lost_cells = "|" in bare and bool(bare.strip("| "))
        return (dividers < 2 or bool(bare.strip(" ,;\t"))) and not has_lost_cells

    def _title(self, number: int, bare: str) -> Iterator[Found]:
        yield from self.sections.end()
        self.in_state = False
        if found := _HEADING.fullmatch(bare):
            self.in_state = found[1].lower() == "state"
            self.passed = self.passed or ((number, STATE) if self.in_state else None)
        else:
            hint = RULES if _CELL.search(bare) else self.signs.hint(bare)
            self.passed = self.passed or (number, f"{quoted(bare)} is neither a row nor a whole grid{hint}")
            names = {*re.split(r"\W+", bare.lower())}
            if self.has_answers and not (_NUMBERED.fullmatch(bare) or _OPENS.fullmatch(bare) or names & PUZZLES):
                self.prose += 1
                self.first_prose = self.first_prose or f"line {number}: {quoted(bare)}"
