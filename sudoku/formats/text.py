"""The reader of plain text: grids in any mixture of its forms, line by line, each as soon as its last line is there.

A line is one of

    a row               of a grid that has begun, or the first one of the next: more than half of its cells are numbers
                        or blanks. A bad row spoils its grid, the rest of which is passed over;
    numbers             of a grid in free layout, see `sudoku.formats.rows`;
    the line form       of a grid, or, if it is a long word, most of it digits or blanks, an error by itself; n^3
                        characters and a line of HoDoKu's library are grids by themselves, too;
    a rule or a frame   see `sudoku.formats.rows`;
    a divider           of one sign, `*****`, between two grids; for one that might be a row see
                        `sudoku.formats.separators`;
    a heading           `Case #1:`, `Grid 01` or the like; or `[Puzzle]` or `[State]`, of a file of SadMan's: the
                        state, what somebody has filled in, is no puzzle, and is passed over;
    a title             a line with a word in it, and no row, not even a bad one; or one without any letter, digit or
                        blank, as lines of programs are, `};`. Beside grids titles are passed over;
    astray              otherwise. It is an error, the further such lines after it are not: they are passed over up to
                        the next empty line or the next grid.

An empty line ends a grid, unless it stands between two bands: see `Bands`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sudoku.formats.files.tabular import PUZZLES
from sudoku.formats.line import Line, library
from sudoku.formats.request import Asked, Found
from sudoku.formats.rows import (
    Numbers,
    Row,
    ambiguous,
    band,
    begins_with_divider,
    blanks,
    candidates,
    drawn_plainly,
    end_fault,
    from_sheet,
    is_frame,
    is_hollow,
    mixed_fault,
    resembles_rule,
    without_rules,
    zero_fault,
)
from sudoku.formats.separators import Reading, Separators
from sudoku.formats.signs import BLANKS, another_alphabet, quoted
from sudoku.grid import GridError, Puzzle
from sudoku.layout import Layout

PASSED = "what follows up to the next empty line or grid in one line is passed over"
ASTRAY = "further such lines up to the next empty line or grid are passed over"
HOLLOW = "a line of commas or tabs above this row may be a row of blanks or an empty line: write blanks as . or 0"
SEPARATOR = "may be a row or stand between grids: leave an empty line between grids; these are passed over"
BETWEEN = "this row may begin a grid, below one with empty lines between its bands, or be of one that begins above it"
SPACED = "spaces divide cells and are no blanks in a line of a grid: write blanks as . or 0"
STATE = "this is the [State] of a puzzle, what somebody has filled in, and there is no [Puzzle]"
EVERYTHING = 1 << 62  # rows to pass over where nobody knows how many there are
_HEADING = re.compile(r"\[(puzzle|state)\]", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:case|grid|n[or]|number|problem|puzzle|sudoku|test)\b[^0-9]*[0-9]+\s*:?", re.IGNORECASE)
_LABEL = re.compile(r"(?:(?:r|row)\s?)?(\d{1,2}|[a-z])(?:[:.)]\s*|\s*\|\s*|\s+)(?=\S)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")


def is_numbered(text: str) -> bool:
    return bool(_NUMBERED.fullmatch(text))


class Bands:
    """The bands of a grid before the one that is being read.

    A grid may have an empty line, and one only, between any two of its bands. So that rows of two grids never make a
    third one,

        the grid is delivered with the line after its last row, which must be no further row: it might be the fourth row
        of a grid that begins below the last empty line, and nobody knows;
        where another block has more rows than a band, those before it are a grid that ends too early;
        after such a grid nobody knows which bands belong together: none do, up to a whole grid or two empty lines.
    """

    def __init__(self, layout: Layout) -> None:
        self.height = band(layout)
        self.most = layout.size // self.height
        self.lost = False  # whether nobody knows which bands belong together
        self.end()

    def end(self) -> None:
        self.rows: list[Row] = []
        self.number = 0  # how many there are, right or wrong
        self.spoilt = False  # whether a row of the grid was bad
        self.passed = 0  # rows of this band that have been passed over, with all before them; below 0 if nobody knows

    @property
    def last(self) -> bool:
        return 0 < self.number == self.most - 1

    @property
    def rests(self) -> bool:
        """Tells whether no grid has begun, and nothing is known of the one before."""
        return not (self.lost or self.number or self.spoilt or self.passed)

    def gap(self, rows: list[Row]) -> bool:
        """Tells whether the empty line after these rows may stand between two bands, or ends a spoilt grid."""
        height = self.passed or len(rows)
        if not height and not self.number:
            self.lost = False  # two empty lines
        if self.lost or height != self.height or self.most == 1 or (self.last and not self.spoilt):
            self.lost |= self.spoilt and height != self.height
            return False
        self.rows += rows
        self.number += 1
        self.passed = 0
        if self.number == self.most:
            self.end()
        return True

    def whole(self, rows: list[Row]) -> bool:
        return self.last and not self.spoilt and len(rows) == self.height


class Text:
    """The grid that is being read, line by line."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.layout, self.size = asked, asked.layout, asked.layout.size
        self.line_form = Line.of(self.size, asked.alphabet)
        self.alphabet = self.line_form.alphabet
        self.bands = Bands(self.layout)
        self.numbers = Numbers(self.size, self.alphabet, asked.format == "free")
        self.broken = Numbers(self.size, self.alphabet)  # of lines that are held, since they may be broken anywhere
        self.separators = Separators(self.layout)
        self.skip = 0  # rows of a malformed grid that are still to come
        self.spaced: set[int] = set()  # the lines, read or held, that would be grids if white space were blanks
        self.astray = False  # whether there has been an error since the last empty line or grid about such a line
        self.dashed = False  # whether doubtful lines have been rules since the last empty line
        self.state = False  # whether the next grid is what somebody has filled in
        self.divider: Row | None = None  # the line of one sign above this grid
        self.late: tuple[int, str] | None = None  # the last row of a grid, or the separator below a short one
        self.labels: int | None = None  # the first label of rows below a heading, which need nothing behind it
        self.passed: tuple[int, str] | None = None  # the first line that is no grid, and what is wrong if none has one
        self._begin()

    def _begin(self) -> None:
        self.rows: list[Row] = []
        self.boxed = False  # whether there have been bars or rules
        self.ruled = 0  # the rows above the last rule that cannot be a row
        self.doubtful = False  # whether there has been a line that may be a row or a rule
        self.dashes = False  # whether there has been a line of dashes

    @property
    def rests(self) -> bool:
        """Tells whether no grid has begun and nothing is passed over, so that the reader is as at the beginning."""
        return not (self._begun or self.boxed or self.divider or self.astray or self.dashed or self.state)

    @property
    def _begun(self) -> bool:
        held = self.separators.held or self.broken.lines
        return bool(self.rows or self.numbers.values or self.skip or held) or not self.bands.rests

    def take(self, number: int, line: str) -> Iterator[Found]:
        alone = len(line) >= self.size**2 and self.rests and self.line_form.holds(line.strip())
        if alone and (found := self._whole(number, line.strip())):
            self._end_line()  # as `_take_line` does: a line takes 8 µs this way, not 12
            yield found
            return
        if (" " in line or "\t" in line or not line.isascii()) and self.line_form.is_spaced(line):
            self.spaced.add(number)
        text = from_sheet(line, self.size, self.alphabet) if "\t" in line else line.strip()
        for found in self._take(number, drawn_plainly(text)):
            if not (self.state and isinstance(found, Puzzle)):
                yield found
            else:
                self.passed = self.passed or (found.line, STATE)
            self.state = False
        if self.spaced and not (self.separators.held or self.broken.lines):
            self.spaced.clear()

    def close(self) -> Iterator[Found]:
        yield from self._release()
        yield from self._end_late("")
        yield from self._give_back()
        if self.numbers.values:
            ends = f"ends after {len(self.numbers.values)} of {self.size**2} numbers"
            yield self.asked.error(self.numbers.lines[0][0], f"the grid that begins here {ends}")
        elif self.rows and all(row.doubtful for row in self.rows):
            if not self.dashed or len(self.rows) > 1:  # a single one is the lower border of the grid before
                yield self.asked.error(self.rows[0].line, _doubt(self.rows[0]))
        elif self.bands.whole(self.rows):
            yield self._grid([*self.bands.rows, *self.rows])
        elif len(self.rows) == self.size:
            yield self._grid(self.rows)
        else:
            yield from self._short(self.rows if self.bands.spoilt else [*self.bands.rows, *self.rows])
        self.numbers.end()
        self.bands.end()
        self.separators.end_group()
        self.skip = 0
        self.astray = self.dashed = False
        self.divider = self.labels = None
        self._begin()

    def _end_line(self) -> None:
        """Notes that a grid in a line has ended, after all others."""
        self.separators.end_group()
        self.bands.lost, self.separators.behind, self.labels = False, True, None

    def _row(self, number: int, text: str, doubtful: bool = False) -> Row:
        return Row.of(number, text, self.size, self.alphabet, doubtful)

    def _short(self, rows: list[Row]) -> Iterator[GridError]:
        """Returns the fault of the rows of a grid that ends too early; rows of nothing but commas are none."""
        if not all(row.hollow for row in rows):
            self.bands.lost = True
            reason = f"the grid that begins here ends after {len(rows)} of {self.size} rows"
            yield self.asked.error(rows[0].line, reason)

    def _take(self, number: int, text: str) -> Iterator[Found]:
        """Reads a line, or holds it until it is known what it is."""
        separators, broken = self.separators, self.broken
        if separators.held or (text and not self._begun and separators.may_be(text)):
            row = self._row(number, text)
            rule = (is_frame(text, self.layout) or resembles_rule(text, self.size)) and row.fault(self.layout, 1)
            if row.resembles_row(self.size) and len(row.values) < 2 * self.size and not (row.hollow or rule):
                if reading := separators.hold(row):
                    yield from self._release(reading)
                return
            if rule and separators.only_heading:
                separators.held.clear()
            yield from self._release(separators.by_rule() if rule else None)
        if self.late:
            yield from self._end_late(text)
        if text and separators.separates(text):
            separators.behind = False
        elif separators.apart and text == separators.text and len(self.rows) == self.size - 1:
            self.late = number, text
        elif text and self.asked.format is None and (broken.lines or not self._begun) and broken.holds(number, text):
            if broken.whole:
                yield self.asked.puzzle(broken.values, "free", broken.lines[0][0])
                broken.end()
                separators.behind = True
        else:
            if broken.lines:
                yield from self._give_back()
            yield from self._take_line(number, text)

    def _end_late(self, text: str) -> Iterator[Found]:
        """Reads a last row that looks like the separator as one if a line below it has not begun the next grid."""
        late, self.late = self.late, None
        if late and text in ("", self.separators.text):
            yield from self._take_line(*late)
        elif late:
            yield from self._short(self.rows)
            self._begin()

    def _give_back(self) -> Iterator[Found]:
        lines = self.broken.lines
        self.broken.end()
        for number, text in lines:
            yield from self._take_line(number, text)

    def _release(self, reading: Reading | None = None) -> Iterator[Found]:
        """Reads the rows that are held; without a reading, as if no more came."""
        separators, ends = self.separators, reading is None
        while separators.held and (reading or ends):
            first, number = separators.held[0], len(separators.held)
            reading = reading or separators.reading()
            again = number if ends and number % self.size == 0 else self.size  # the next grid might have a separator
            self.labels = int(first.text[0]) if reading == "separators" and separators.is_heading(first.text) else None
            for k, row in enumerate(separators.release(reading)):
                take = self._take_line if reading in ("rows", "ended") and k < again else self._take
                yield from take(row.line, row.text)
            if reading == "ended":
                separators.behind = False
            if reading == "unknown":
                yield self.asked.error(first.line, f"{quoted(first.text)} {SEPARATOR}")
            reading = None

    def _take_line(self, number: int, text: str) -> Iterator[Found]:
        if not text:
            yield from self._gap()
            return
        framed = is_frame(text, self.layout)
        certain = self.skip and self.separators.apart and text == self.separators.text  # which is a row
        drawn = framed or (not certain and len(text) <= 6 * self.size and resembles_rule(text, self.size))
        rule = framed or (drawn and self._is_no_row(number, text))
        if rule and (self.rows or self.skip):
            yield from self._take_rule(number)
        elif not framed and (found := self._whole(number, text)):
            yield from self.close()
            self._end_line()
            yield found
        elif rule:
            pass  # the lower border of the grid before, or the upper border of the next one
        elif self._divides(text):
            yield from self.close()
            self.divider = self._row(number, text)
        elif "|" not in text and self.line_form.resembles(head := re.split(r"[\s,;]", text, maxsplit=1)[0]):
            yield from self.close()
            yield self.asked.error(number, self.line_form.fault(head))
        elif (heading := text[0] == "[" and _HEADING.fullmatch(text)) or (text[0].isalpha() and is_numbered(text)):
            yield from self.close()
            self.state = heading[1].lower() == "state" if heading else self.state
        elif self.skip:
            self._pass_over(drawn or is_hollow(text))
        elif self.numbers.values or (not self.rows and self.numbers.begins(text)):
            yield from self._take_numbers(number, text)
        else:
            yield from self._take_row(self._row(number, text, drawn and not self.ruled))

    def _take_rule(self, number: int) -> Iterator[Found]:
        """Takes a rule within a grid: it stands below a band, or below each row. A jigsaw has rules anywhere.

        Elsewhere rows are missing, or there are too many; what was to come behind this band is passed over.
        """
        above, self.ruled, self.boxed = self.ruled, len(self.rows), bool(self.rows)
        height = self.bands.height
        if not self.layout.box or self.ruled == above + 1 or self.ruled % height == 0:
            return
        if self.ruled == above:  # the borders of two grids
            yield from self.close()
        else:
            reason = f"a rule stands below {self.ruled - above} rows of a band, which has {height}"
            yield self._abandon(number, reason, skip=self.size - above - height)

    def _whole(self, number: int, text: str) -> Found | None:
        """Returns the grid that a line is by itself, right or wrong; None if it is not."""
        form = self.line_form
        try:
            if cells := form.cells(text):
                return Puzzle(form.grid(cells), "line", self.asked.file, number, self.layout)
            if cells := form.cells(text, 3):
                return self.asked.puzzle([0] * self.size**2, "candidates", number, form.candidates(cells))
            if puzzle := library(text, form, self.asked, number):
                return puzzle
            if cells := form.within(text):
                return Puzzle(form.grid(cells), "line", self.asked.file, number, self.layout)
        except ValueError as error:
            return self.asked.error(number, str(error))
        return None

    def _is_no_row(self, number: int, text: str) -> bool:
        """Tells whether a line that is drawn like a rule is one and cannot be a row, not even a bad one."""
        if set(text) <= {"-", " "} and not self.boxed and "-" in blanks(self.rows) and text.count("-") < self.size + 2:
            return False  # a row of blanks with a dash too many or too few
        return bool(self._row(number, text).fault(self.layout, 1))

    def _divides(self, text: str) -> bool:
        """Tells whether a line of one sign divides two grids: it is no row of blanks, and no grid is under way."""
        n, sign = self.size, text[0]
        if len(text) not in range(3, 6 * n + 1) or len(text) == n or text != sign * len(text):
            return False
        begun = self.rows or self.bands.number or self.numbers.values or self.skip
        between = not begun or self.bands.whole(self.rows)
        return between and not (sign.isalnum() or sign in ",;.?" or self.alphabet.values.get(sign))

    def _gap(self) -> Iterator[Found]:
        if self.numbers.values or self.doubtful or not self.bands.gap(self.rows):
            yield from self.close()
            return
        self.skip = 0
        boxed, self.dashed = self.boxed, False
        self._begin()
        self.boxed = boxed

    def _pass_over(self, doubtful: bool) -> None:
        """Counts a row of a malformed grid; from a line on that may be one or not, up to the next empty line."""
        self.bands.passed += -EVERYTHING if doubtful else 1
        if not doubtful:
            self.skip -= 1
            if not self.skip:
                self.bands.end()
                self.separators.behind = True
        elif not self.dashed:
            self.skip = EVERYTHING

    def _take_numbers(self, number: int, text: str) -> Iterator[Found]:
        numbers = self.numbers
        self.separators.behind = False
        if fault := numbers.add(number, text):
            yield self.asked.error(number, f"{fault}; {PASSED}")
            self.skip = EVERYTHING
            numbers.end()
        elif len(numbers.values) == self.size**2:
            self.separators.behind = True
            yield self.asked.puzzle(numbers.values, "free", numbers.lines[0][0])
            numbers.end()

    def _take_row(self, row: Row) -> Iterator[Found]:
        bands = self.bands
        if len(self.rows) == self.size and row.resembles_row(self.size):
            yield self._abandon(row.line, f"{HOLLOW}; {PASSED}")
            return
        if len(self.rows) == self.size:
            yield from self.close()
        place = bands.number * bands.height + len(self.rows) + 1
        if fault := row.fault(self.layout, place):
            row, fault = self._bare_row(row, place, fault)
        fault = fault or mixed_fault([*bands.rows, *self.rows, row], place)
        if not fault:
            self.astray = False
            yield from self._add_row(row)
        elif row.line in self.spaced:
            yield from self.close()
            yield self.asked.error(row.line, SPACED)
        elif row.resembles_row(self.size) or (self.rows and not bands.whole(self.rows)):
            self.astray = False
            yield self._abandon(row.line, f"{fault}{self._other_signs(row)}")
        else:
            yield from self._take_astray(row)

    def _bare_row(self, row: Row, place: int, fault: str) -> tuple[Row, str]:
        """Returns a row that has a fault without its label, if it has none then, or as it is."""
        label = place - 1 + (1 if self.labels is None else self.labels)
        other = self._row(row.line, unlabelled(row.text, label, self.labels is not None))
        return (row, fault) if other.fault(self.layout, place) else (other, "")

    def _take_astray(self, row: Row) -> Iterator[Found]:
        if self.bands.number:
            yield from self.close()
        self.bands.lost = False
        hint = _columns(row.text) + self._other_signs(row)
        reason = f"{quoted(row.text)} is neither a row nor a whole grid, {self.line_form.expected()}; {ASTRAY}{hint}"
        if is_title(row.text, self.size) and not hint:
            self.passed = self.passed or (row.line, reason)
        elif not self.astray:
            self.astray = True
            yield self.asked.error(row.line, reason)

    def _other_signs(self, row: Row) -> str:
        """Returns the hint of a message about a row whose cells seem to be the signs of another alphabet."""
        known = self.alphabet.given or min(row.values, default=0) >= 0
        return "" if known else another_alphabet("".join(row.cells), self.size)

    def _add_row(self, row: Row) -> Iterator[Found]:
        bands = self.bands
        self.rows.append(row)
        self.separators.behind = False
        self.boxed |= "|" in row.text
        self.doubtful |= row.doubtful
        self.dashes |= row.dashes
        if self.dashes:
            self._drop_rules()
        if bands.number and len(self.rows) > bands.height:  # above a block of more rows, no bands have been
            if bands.last:
                yield self._abandon(row.line, f"{BETWEEN}; {PASSED}", skip=EVERYTHING)
            else:
                yield from () if bands.spoilt else self._short(bands.rows)
                bands.end()
        if len(self.rows) == self.size:
            bands.lost = False
            if not (self.alphabet.given or bands.number) and begins_with_divider(self.rows):
                del self.rows[0]
            elif not any(row.hollow for row in self.rows):
                yield self._grid(self.rows)

    def _grid(self, rows: list[Row]) -> Found:
        if self.doubtful and (doubt := ambiguous(rows, self.layout)):
            return self._abandon(doubt.line, f"{_doubt(doubt)}; {PASSED}")
        above, self.divider = self.divider, None
        if above and above.text[0] in blanks(rows) and -2 <= len(above.text) - self.size < 2:
            return self._abandon(above.line, f"{_doubt(above)}; {PASSED}", skip=EVERYTHING)
        cells = [cell for row in rows for cell in row.cells]
        boxed = self.boxed
        self._begin()
        self.separators.behind = True
        if fault := end_fault(rows, self.size):
            return self.asked.error(rows[0].line, fault)
        if any(row.marked for row in rows):
            digits, marks = candidates(cells, self.alphabet)
            return self.asked.puzzle(digits, "marks", rows[0].line, marks)
        if fault := zero_fault(cells, self.size, self.alphabet):
            return self.asked.error(rows[0].line, fault)
        return self.asked.puzzle([row.values for row in rows], "boxed" if boxed else "rows", rows[0].line)

    def _drop_rules(self) -> None:
        kept = without_rules(self.rows, self.layout)
        if len(kept) < len(self.rows):
            self.rows, self.boxed, self.dashed = kept, True, True

    def _abandon(self, line: int, reason: str, skip: int | None = None) -> GridError:
        """Gives the grid up; what is still to come of it, or as many rows as `skip` says, is passed over."""
        doubtful = any(row.doubtful or row.hollow for row in self.rows)
        left = EVERYTHING if doubtful else self.size - 1 - len(self.rows)
        if left:
            self.bands.spoilt, self.bands.passed = True, len(self.rows) + 1
        self.separators.behind = not left
        self.skip = left if skip is None else skip
        self._begin()
        return self.asked.error(line, reason)


def unlabelled(text: str, place: int, bare: bool = False) -> str:
    """Returns a line without its label as row `place`, from 1; where `bare`, a number before white space is one."""
    found = _LABEL.match(text)
    if not found or (found[0].strip() == found[1] and found[1].isdigit() and not bare):
        return text
    number = int(found[1]) if found[1].isdigit() else ord(found[1].lower()) - ord("a") + 1
    return text[found.end() :] if number == place else text


def is_title(text: str, n: int) -> bool:
    """Tells whether a line that is no row of n cells is a title."""
    signs = sum(char.isdigit() or char in BLANKS for char in re.sub(r"[^\W\d_]+", "", text))
    words = [word for word in _WORD.findall(text) if not set(word) <= set(BLANKS)]
    if not text.isprintable() or (len(text) == n * n >= 25 and text.isalnum()):  # no word is so long
        return False
    if not any(char.isalnum() or char in BLANKS for char in text):
        return True
    pure = any(not any(char.isdigit() for char in part) and _WORD.search(part) for part in text.split())
    return pure and signs < n + sum(map(len, words))


def _columns(text: str) -> str:
    """Returns the hint of a message about a line that may name the columns of a table."""
    if not re.fullmatch(r"[^\W\d]\w{0,40}(?:[,;\t][^\W\d]\w{0,40})+", text):
        return ""
    return f"; if these are the columns of a table, that of the puzzles must be named {', '.join(sorted(PUZZLES))}"


def _doubt(row: Row) -> str:
    return f"{quoted(row.text)} may be a rule or a row of blanks: write blanks as . or rules with +"
