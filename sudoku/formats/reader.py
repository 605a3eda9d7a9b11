"""The reader of lines: each line is cleaned, and is then empty, a grid, a row, a rule, a title, or begins a file.

A line that begins a JSON value belongs to this value, as do all lines up to its end. Any other line is a whole grid, or
belongs to a section, which is read when it ends: see `sudoku.formats.sections`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sudoku.formats.cleaning import BRACKETS, bared, cleaned, is_numbered, joined_marks, undressed
from sudoku.formats.request import Found, Request
from sudoku.formats.rows import Row, Rows
from sudoku.formats.sections import Sections, is_rule_line
from sudoku.formats.signs import BLANKS, LONGEST_VALUE, TOO_LONG, Signs, another_alphabet, quoted
from sudoku.formats.whole import ANSWERS, WholeLines, is_rule
from sudoku.grid import GridError, Puzzle

if TYPE_CHECKING:
    from sudoku.formats.files.values import Values

STATE = "this is the [State] of a puzzle, which somebody has filled in, and there is no [Puzzle]"
BRACKETS_END = frozenset("]})")
CONTROL_Z = "\x1a"  # the end of a text, as old editors write it

_UTF_16 = ("\udcff\udcfe", "\udcfe\udcff")  # its byte order marks, as bytes that are no UTF-8
_HEADING = re.compile(r"\[(puzzle|state)\]", re.IGNORECASE)
_OPENS = re.compile(r"[A-Za-z_$][^'\"]*(?:[\[{(]|=)")  # a line above an array
_LABEL = re.compile(r"\s*(?:(?:(?:r|row)\s?)?(\d{1,2}|[a-z])(?:[:.)]\s*|\s*\|\s*)|([a-z])\s+)(?=\S)", re.IGNORECASE)
_OBJECT = re.compile(r'\[?\s*\{\s*"|\[.*\{\s*"')


class Reader:
    """Reads the lines of a text; it holds one section."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.signs = Signs.of(request.layout, request.alphabet)
        self.rows = Rows(request.layout, self.signs)
        self.whole = WholeLines(request, self.rows)
        self.sections = Sections(request, self.rows, self.whole)
        self.file: Values | None = None  # the JSON that has begun
        self.brace: tuple[int, str] | None = None  # a line with one brace, which may begin an object or an array
        self.state = False  # whether the next section is the [State] of a puzzle
        self.over = False  # whether a line has ended the text
        self.passed: tuple[int, str] | None = None  # the first title, and the error if there is no grid
        self.good = self.bad = 0  # grids and errors so far
        self.line = 0  # lines so far
        self.header = -1  # the line of the last title that divides its words by bars

    @property
    def rests(self) -> bool:
        """Whether nothing has begun, so that the next lines may be read in another way."""
        return not (self.sections.begun or self.file or self.brace or self.state)

    def take(self, line: str) -> Iterator[Found]:
        """Reads a line without its end."""
        self.line += 1
        yield from map(self.counted, self._take(self.line, line))

    def close(self) -> Iterator[Found]:
        """Ends the text."""
        if self.brace:
            yield from map(self.counted, self._open_brace())
        yield from map(self.counted, self.end_section())
        if self.file is not None:
            yield from map(self.counted, self.file.close())
        number, there = self.sections.number, self.good + self.bad
        if number >= 0 and not self.sections.numbered and not self.good <= number <= there:
            reason = f"is neither a row nor a whole grid, nor the number of grids that follow, {there}"
            yield self.request.error(self.sections.line, f"{quoted(str(number))} {reason}")
        elif not there and self.passed:
            yield self.request.error(*self.passed)

    def end_section(self, at_gap: bool = False) -> Iterator[Found]:
        """Ends a section; one of [State] is skipped."""
        begun, found = self.sections.begun, self.sections.end(at_gap)
        if not self.state or not begun:
            yield from found
            return
        filled = [one.line for one in found]
        self.passed = self.passed or (filled[0] if filled else self.line, STATE)
        self.state = False

    def counted(self, found: Found) -> Found:
        """Counts a grid or an error."""
        self.good += isinstance(found, Puzzle)
        self.bad += not isinstance(found, Puzzle)
        self.sections.seen = True
        return found

    def _take(self, number: int, line: str) -> Iterator[Found]:
        if number == 1:
            line = line.removeprefix("\ufeff")
            if line.startswith(_UTF_16):
                self.over = True
                yield self.request.error(1, "the text begins with the byte order mark of UTF-16; UTF-8 is expected")
                return
        line = bared(line)
        if self.file is not None and self.file.ends_before(line):
            yield from self.file.close()
            self.file = None
        if self.file is not None:
            yield from self.file.take(number, f"{line}\n")
            self.file = None if self.file.over else self.file
            return
        if len(line) > LONGEST_VALUE:
            yield from self.end_section()
            yield self.request.error(number, TOO_LONG)
            return
        text = joined_marks(cleaned(line), self.rows.n)
        bare = text.strip()
        if self.brace and bare:
            is_object = bare.startswith('"')
            if is_object:
                yield from self._open_brace()
                yield from self._take(number, line)
                return
            self.brace = None
        if not bare and text.count("\t") != self.rows.n - 1:
            self.whole.column = None
            yield from self.end_section(at_gap=True)
        elif not bare:
            self.sections.entries.append(self.rows.of(number, text))
        elif bare == "#":
            return
        elif bare in ("end", CONTROL_Z):
            self.over = True
        elif bare in ANSWERS:
            yield from self.end_section()
            yield self.request.error(number, f"{quoted(bare)} is the answer for a grid that {ANSWERS[bare]}")
        else:
            yield from self._take_line(number, line, text)

    def _open_brace(self) -> Iterator[Found]:
        """Begins the object whose brace stood alone in the line before."""
        (number, first), self.brace = self.brace or (0, ""), None
        yield from self.end_section()
        yield from self._begin(number, first)

    def _take_line(self, number: int, line: str, text: str) -> Iterator[Found]:
        bare = text.strip()
        if number == self.header + 1 and not bare.strip("|:- ") and "---" in bare:
            return  # the rule below the header of a table
        row = self.rows.of(number, text)
        if not row.fault and len(row.cells) == self.rows.n:
            yield from self.sections.add(row)
        elif bare in ("{", "[{"):
            self.brace = number, line
        elif _OBJECT.match(bare):
            yield from self.end_section()
            yield from self._begin(number, line)
        elif found := self.whole.read(number, text, row):
            begun = self.sections.begun
            yield from self.end_section()
            self.sections.doubtful = begun and isinstance(found[0], GridError)
            yield from found
        else:
            yield from self._take_row(number, text, row)

    def _begin(self, number: int, line: str) -> Iterator[Found]:
        from sudoku.formats.files.values import Values  # 5 ms

        file = Values(self.request)
        yield from file.take(number, f"{line}\n")
        self.file = None if file.over else file

    def _take_row(self, number: int, text: str, row: Row) -> Iterator[Found]:
        bare, entries = text.strip(), self.sections.entries
        if self._is_divider(bare) and not self._is_cut(row):
            yield from self.end_section()
        elif is_rule(bare) and not self._is_cut(row):
            if entries and entries[-1].rule and not all(entry.rule for entry in entries):
                yield from self.end_section()  # the borders of two grids
            self.sections.entries.append(Row(number, bare, "", rule=True))
        else:
            row = self._other_row(number, text, row)
            if row.fault and self._is_nothing(text):
                if entries and not BRACKETS_END.isdisjoint(bare):
                    entries[-1] = entries[-1]._replace(closed=True)
                return  # nothing but brackets
            if row.fault and not is_rule_line(bare) and self._is_title(bare, text):
                yield from self._title(number, bare)
            else:
                yield from self.sections.add(row)

    def _is_nothing(self, text: str) -> bool:
        """Returns whether a line has nothing but brackets, or no more than one comma."""
        bare, dividers = text.strip(), sum(map(text.count, ",;\t"))
        if not bare.isprintable() or any(char.isalnum() or char in BLANKS for char in bare):
            return False
        return dividers < 2 or bool(bare.strip(" ,;\t"))

    def _is_divider(self, bare: str) -> bool:
        """Returns whether a line is of one sign that is no row, as `*****` between grids."""
        sign = bare[0]
        is_sign = sign not in ".?-=,;|+xX" and not sign.isalnum()
        return is_sign and len(bare) > 2 and len(bare) != self.rows.n and bare == sign * len(bare)

    def _is_cut(self, row: Row) -> bool:
        """Returns whether a line of one sign is rather a row with a blank too few or too many."""
        sign = row.text[0]
        off = abs(len(row.text) - self.rows.n) == 1 and row.text == sign * len(row.text)
        return off and any(sign in entry.cells for entry in self.sections.entries)

    def _other_row(self, number: int, text: str, row: Row) -> Row:
        """Returns a line as a row without brackets, names and labels if that is a right one; or as it was."""
        inner = undressed(self.rows.in_braces(text) if "{" in text else text)
        inner = BRACKETS.sub(" ", inner)
        if not inner.strip(" ,;"):
            return row  # nothing but brackets
        others = [self.rows.of(number, inner)] if inner != text else []
        if found := _LABEL.match(inner):
            label = (found[1] or found[2]).lower()
            others.append(self.rows.of(number, inner[found.end() :])._replace(label=label))
        full = [other for other in others if not other.fault and len(other.cells) == self.rows.n]
        right = full or ([] if not row.fault else [other for other in others if not other.fault])
        likely = right or [other for other in others if row.fault and len(other.cells) == self.rows.n]
        return likely[0] if likely else row

    def _is_title(self, bare: str, text: str) -> bool:
        if is_numbered(bare) or _HEADING.fullmatch(bare) or _OPENS.fullmatch(bare):
            return True
        return self.rows.is_title(text)

    def _title(self, number: int, bare: str) -> Iterator[Found]:
        yield from self.end_section()
        self.header = number if "|" in bare else -1
        self.whole.note_column(bare)
        if found := _HEADING.fullmatch(bare):
            self.state = found[1].lower() == "state"
        elif not is_numbered(bare):
            hint = "" if self.signs.given else another_alphabet(bare, self.signs.n)
            self.passed = self.passed or (number, f"{quoted(bare)} is neither a row nor a whole grid{hint}")
