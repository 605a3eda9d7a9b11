"""The reader of bytes: plain grids in blocks, many at a time, and all other lines one by one.

Blocks only save time: the reader of lines finds the same grids. A block is a run of grids that are written alike, see
`Pattern`, or of lines that have 81 cells alone or in a column of a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from sudoku.formats.reader import Reader
from sudoku.formats.request import Request
from sudoku.formats.sections import MOST_ROWS
from sudoku.formats.signs import BLANKS, LONGEST_LINE, LONGEST_VALUE
from sudoku.grid import Form, GridError, Puzzle, frozen
from sudoku.layout import as_layout

Bytes: TypeAlias = npt.NDArray[np.uint8]
Bools: TypeAlias = npt.NDArray[np.bool_]
Places: TypeAlias = npt.NDArray[np.intp] | slice

CELLS = 81
PIECE = 1 << 18  # bytes read at once: grids for 5 ms
FEW = 8  # with fewer grids, blocks save no time
AT_ONCE = 1 << 12  # grids that are read together at most
LONGEST_UNIT = 1 << 10  # bytes of a grid and of what stands before the next grid, at most
MOST_PATTERNS = 16  # patterns kept at a time, at most

_SIGNS = BLANKS.replace("-", "").encode()  # of blanks; rules are drawn with dashes
_DRAWN = bytes.maketrans(_SIGNS + b"123456789", b"1" * (len(_SIGNS) + 9))
_ROW = re.compile(rb"[1 ,|+=-]*\n")  # a row, a rule or an empty line, drawn
_NUMBERED = re.compile(rb"[A-Za-z]{2}[A-Za-z ]{0,20}#?1{1,9}:? *\n")  # a title with the number of a grid, drawn
_COLUMNS = rb"(?:[\w. -]{0,17}[,;\t])*"  # before a grid
_BEHIND = rb"(?:[ \t,;#](?:([1-9]{81})(?=[ \t,;\n]))?[^\n]{0,70})?"  # a solution, and nothing else that may be a grid
_RECORD = re.compile(_COLUMNS + rb"([0-9.*_xX?~]{81})" + _BEHIND + rb"\n")
_GAP = re.compile(rb"^ *\n", re.MULTILINE)
_HEADINGS = np.frombuffer(bytes([*range(1, 9), *range(8)]), dtype=np.uint64)  # the first eight cells of headings
_ALL_DIGITS = 9 * b"123456789"
_FAR_APART = [0, 4, 8, 36, 40, 44, 72, 76, 80]  # a connected region of nine cells has at most three of these


class Block(NamedTuple):
    """Plain grids, many at a time."""

    grids: Bytes  # shape (m, 81)
    file: str  # the name of the input
    lines: list[int]  # the number of the first line of each grid, from 1
    form: Form  # of all grids

    def puzzles(self) -> Iterator[Puzzle]:
        """Yields the grids one by one."""
        layout = as_layout(None)
        for cells, line in zip(self.grids, self.lines, strict=True):
            yield Puzzle(frozen(cells.reshape(9, 9).copy()), self.form, self.file, line, layout)


Item: TypeAlias = Puzzle | GridError | Block


def one_by_one(items: Iterator[Any]) -> Iterator[Any]:
    """Yields the grids of blocks one by one, and all else as it is."""
    for item in items:
        if isinstance(item, Block):
            yield from item.puzzles()
        else:
            yield item


def lines(grids: Bytes) -> bytes:
    """Returns full grids, uint8 of shape (m, 81), as lines of 81 digits."""
    text = np.full((len(grids), CELLS + 1), ord("\n"), dtype=np.uint8)
    text[:, :CELLS] = grids + ord("0")
    return text.tobytes()


def blocks(read: Callable[[], bytes], request: Request) -> Iterator[Item]:
    """Yields the grids of a text, plain grids in blocks; `read` returns the next bytes, b"" at the end."""
    fast = _FastReader(request)
    rest, more = b"", b"\n"  # a line that has begun
    while more and not fast.reader.over:
        more = read()
        rest += more
        end = max(rest.rfind(b"\n"), rest.rfind(b"\r", 0, -2)) + 1 if more else len(rest)
        text, rest = rest[:end], rest[end:]
        if b"\r" in text:
            text = text.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if text and not text.endswith(b"\n"):
            text += b"\n"
        is_value = fast.reader.file or rest[:1] in (b"[", b"{", b" ")
        rest = rest[: 1 + (LONGEST_VALUE if is_value else LONGEST_LINE)]
        yield from fast.take(text, is_last=not more)
    yield from fast.reader.close()


_NO_GRIDS = np.zeros((0, CELLS), dtype=np.uint8)


class Pattern(NamedTuple):
    """The bytes of one grid and of the text up to the next grid."""

    unit: bytes  # one grid, drawn
    cells: Places  # the places of the 81 cells
    digits: Places  # the places of the digits of titles, or of a solution
    fixed: Places  # the places of all other bytes
    form: Form
    first: int = 0  # the lines above the first row
    is_closed: bool = True  # True: a grid ends with its last line; False: with the section of all grids

    @classmethod
    def of(cls, unit: bytes) -> Pattern:
        """Returns the pattern of a grid in rows, drawn."""
        rows = b"".join(line if _ROW.fullmatch(line) else bytes(len(line)) for line in unit.splitlines(keepends=True))
        ones, in_rows = (np.frombuffer(some, dtype=np.uint8) == ord("1") for some in (unit, rows))
        cells, digits, fixed = map(np.flatnonzero, (in_rows, ones & ~in_rows, ~ones))
        return cls(unit, cells, digits, fixed, "rows", is_closed=unit.endswith(b"\n\n"))

    @property
    def lines(self) -> int:
        return self.unit.count(b"\n")

    def verified(self, text: bytes, request: Request) -> Pattern | None:
        """Returns this pattern if the reader of lines finds the same two grids in a text, otherwise None."""
        grids, right = self.grids(text, 0, 2)
        reader = Reader(request)
        before = [found for line in text.split(b"\n")[:-1] for found in reader.take(_decoded(line))]
        puzzles = [one for one in (*before, *reader.close()) if isinstance(one, Puzzle) and one.candidates is None]
        if len(puzzles) != 2 or len(before) not in (0, 2) or right < 2:
            return None
        first, form = puzzles[0].line - 1, puzzles[0].form
        for k, puzzle in enumerate(puzzles):
            is_alike = puzzle.line - 1 == first + k * self.lines and puzzle.form == form
            if not is_alike or form not in ("rows", "boxed") or (puzzle.grid.ravel() != grids[k]).any():
                return None
        return self._replace(first=first, form=form, is_closed=len(before) == 2)

    def grids(self, text: bytes, begin: int, most: int) -> tuple[Bytes, int]:
        """Returns the grids of this pattern, shape (m, 81), and how many of the first ones are unambiguous."""
        size = len(self.unit)
        number = min((len(text) - begin) // size, most)
        table = np.frombuffer(text, dtype=np.uint8)[begin : begin + number * size].reshape(number, size)
        unit = np.frombuffer(self.unit, dtype=np.uint8)
        table = table[: _first((table[:, self.fixed] != unit[self.fixed]).any(axis=1))]
        grids, doubtful = _grids(np.ascontiguousarray(table[:, self.cells]))
        if self.form != "line":
            doubtful |= _have_doubtful_rows(grids)
        digits = table[:, self.digits] - ord("0")
        if self.digits is _SOLUTION:
            doubtful |= (digits - 1 >= 9).any(axis=1) | _may_be_maps(digits) | grids.all(axis=1)
        elif digits.size:
            doubtful |= (digits > 9).any(axis=1)
        return grids, _first(doubtful)


_SOLUTION = slice(CELLS + 1, -1)
_ENDS = slice(CELLS, None, CELLS + 1)  # what stands behind cells
_CELLS, _ROWS = CELLS * b"1", 9 * (9 * b"1" + b"\n")
_LINES = [
    Pattern(_CELLS + b"\n", slice(CELLS), slice(0), _ENDS, "line"),
    Pattern(_CELLS + b"," + _CELLS + b"\n", slice(CELLS), _SOLUTION, _ENDS, "line"),
]
_PATTERNS = {pattern.unit: pattern for pattern in (*_LINES, Pattern.of(_ROWS), Pattern.of(_ROWS + b"\n"))}


class _FastReader:
    """Reads whole lines of bytes."""

    def __init__(self, request: Request) -> None:
        self.request, self.reader = request, Reader(request)
        self._is_plain = request.layout.is_plain and request.alphabet is None
        self._known: dict[bytes, Pattern | None] = {**_PATTERNS}  # by their units
        self._most = AT_ONCE  # grids to read together; fewer after an ambiguous grid
        self._held = b""  # a grid or a section that may go on in the next lines
        self._begun = _NO_GRIDS  # the whole grids of this section

    def take(self, text: bytes, is_last: bool) -> Iterator[Item]:
        """Reads whole lines; keeps an unfinished grid or section of a known pattern for the next call."""
        text += b"\n" if self._held and is_last else b""  # so that the last grid ends like all others
        text, self._held = self._held + text, b""
        at = 0
        while at < len(text) and not self.reader.over:
            items: Iterable[Item] = ()
            end = at
            if self._is_plain and self.reader.rests:
                items, end = self._alike(text, at, is_last)
                if end == at and not self._held:
                    items, end = self._in_records(text, at)
            if self._held:
                end = len(text)
            elif end == at:
                end = text.index(b"\n", at) + 1
                items = self._line(text[at : end - 1])
            yield from items
            at = end

    def _line(self, line: bytes) -> Iterator[Item]:
        if len(line) > LONGEST_LINE and self.reader.file is None and line.lstrip()[:1] not in (b"{", b"["):
            line = line[:LONGEST_LINE]
        return self.reader.take(_decoded(line))

    def _in_records(self, text: bytes, at: int) -> tuple[list[Item], int]:
        """Returns the grids of a run of lines with 81 cells, alone or among other columns, and the end of the run."""
        found: list[re.Match[bytes]] = []
        end = at
        while len(found) < self._most and (record := _RECORD.match(text, end)):
            found.append(record)
            end = record.end()
        if len(found) < FEW:
            return [], at
        signs, solutions = b"".join([one[1] for one in found]), b"".join([one[2] or _ALL_DIGITS for one in found])
        grids, doubtful = _grids(np.frombuffer(signs, dtype=np.uint8).reshape(-1, CELLS))
        doubtful |= grids.all(axis=1)  # a full grid may be the solution of another one
        doubtful |= _may_be_maps(np.frombuffer(solutions, dtype=np.uint8).reshape(-1, CELLS) - ord("0"))
        right = _first(doubtful)
        self._note(right, len(grids))
        return self._passed(grids[:right], _LINES[0]), found[right - 1].end() if right else at

    def _alike(self, text: bytes, at: int, is_last: bool) -> tuple[list[Item], int]:
        """Returns the grids with the pattern of the one that begins here, and the end of the last one."""
        drawn = text[at : at + 2 * LONGEST_UNIT].translate(_DRAWN)
        closed = (one.unit for one in self._known.values() if one and one.is_closed)
        unit = _unit(drawn) or max(filter(drawn.startswith, closed), key=len, default=b"")
        size = len(unit)
        if unit not in self._known and unit:
            if len(self._known) == MOST_PATTERNS:
                self._known = {**_PATTERNS}
            self._known[unit] = Pattern.of(unit).verified(text[at : at + 2 * size], self.request)
        pattern = self._known.get(unit)
        if not pattern:
            return [], at
        begun, self._begun = self._begun, _NO_GRIDS
        begin = at + len(begun) * size
        most = self._most if pattern.is_closed else MOST_ROWS // pattern.lines
        grids, right = pattern.grids(text, begin, most)
        end = begin + len(grids) * size
        goes_on = not is_last and end > len(text) - size and unit.startswith(text[end:].translate(_DRAWN))
        if pattern.is_closed:
            self._note(right, len(grids))
            self._held = text[end:] if goes_on and right == len(grids) else b""
            return self._passed(grids[:right], pattern), at + right * size
        is_right = right == len(grids)
        grids = np.concatenate([begun, grids])
        may_go_on = bool(_GAP.search(unit)) and not unit.endswith(b"\n\n")  # behind one empty line, as bands do
        if not is_right or len(grids) in (most, *range(FEW)) or _may_have_lines_between(grids) or may_go_on:
            return [], at
        if goes_on:
            self._held, self._begun = text[at:], grids
            return [], at
        if text[end : text.find(b"\n", end)].strip(b" "):
            return [], at
        return self._passed(grids, pattern), end

    def _note(self, right: int, number: int) -> None:
        """Adapts the number of grids to read together, so that few grids are read twice."""
        self._most = min(2 * self._most, AT_ONCE) if right == number else max(right, FEW)

    def _passed(self, grids: Bytes, pattern: Pattern) -> list[Item]:
        """Returns grids, and counts their lines as read."""
        if not len(grids):
            return []
        first = self.reader.line + pattern.first + 1
        self.reader.line += pattern.lines * len(grids)
        self.reader.has_answers = True
        block = Block(grids, self.request.file, [*range(first, self.reader.line + 1, pattern.lines)], pattern.form)
        return [block] if len(grids) >= FEW else [*block.puzzles()]


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


def _first(flags: Bools) -> int:
    """Returns the index of the first flag that is True, or the number of flags."""
    return int(flags.argmax()) if flags.any() else len(flags)


def _unit(drawn: bytes) -> bytes:
    """Returns the first lines if they have 81 cells and the next lines are the same; otherwise b""."""
    cells = end = 0
    while cells <= CELLS and (stop := drawn.find(b"\n", end, LONGEST_UNIT) + 1):
        if _ROW.fullmatch(drawn, end, stop):
            cells += drawn.count(b"1", end, stop)
        elif drawn[end : end + 1] != b"#" and not _NUMBERED.fullmatch(drawn, end, stop):
            break
        end = stop
        if cells == CELLS and drawn.startswith(drawn[:end], end):
            return drawn[:end]
    return b""


def _grids(signs: Bytes) -> tuple[Bytes, Bools]:
    """Returns grids of 81 signs each, and which of them may be read otherwise."""
    if not len(signs):
        return _NO_GRIDS, np.zeros(0, dtype=np.bool_)
    values = signs - ord("1")  # those of blanks are 9 or more
    are_digits = values < 9
    grids = (values + 1) * are_digits
    first = signs.flat[are_digits.argmin()]
    blank = first if first in _SIGNS else ord(".")
    are_wrong = ~are_digits & (signs != blank)
    doubtful = _may_be_maps(grids)
    if are_wrong.any():
        doubtful |= are_wrong.any(axis=1)
    return grids, doubtful


def _have_doubtful_rows(grids: Bytes) -> Bools:
    """Returns which grids may have a heading, or neighbouring rows that are the same."""
    starts = np.ndarray((len(grids), 9), dtype=np.uint64, buffer=grids, strides=(CELLS, 9)).ravel()  # eight of each row
    are_same = (starts[:-1] == starts[1:]) & (starts[1:] != 0)
    are_same[8::9] = False  # the last row of a grid, and the first one of the next grid
    found = [np.flatnonzero(are_same), np.flatnonzero((starts == _HEADINGS[0]) | (starts == _HEADINGS[1]))]
    doubtful = np.zeros(len(grids), dtype=np.bool_)
    doubtful[np.concatenate(found) // 9] = True
    return doubtful


def _may_have_lines_between(grids: Bytes) -> bool:
    """Returns whether rows of blanks may be lines between the grids of a section."""
    rows = grids.reshape(-1, 9)
    return not (rows[::10].any() and rows[9::10].any())


def _may_be_maps(grids: Bytes) -> Bools:
    """Returns which grids have no digit, or may be maps of jigsaws: few blanks, and a sign twice in an outer row."""
    number = np.count_nonzero(grids[:, _FAR_APART], axis=1)
    maybe: Bools = (number == 0) | (number >= 6)  # few puzzles
    number = np.count_nonzero(grids[maybe], axis=1)
    maybe[maybe] = (number == 0) | (number >= CELLS - 9)
    ends = np.sort(grids[maybe][:, [*range(9), *range(72, 81)]].reshape(-1, 2, 9), axis=2)
    maybe[maybe] = (ends[:, :, 1:] == ends[:, :, :-1]).any(axis=(1, 2))
    return maybe
