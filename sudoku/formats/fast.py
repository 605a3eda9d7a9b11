"""The reader of bytes: plain grids in blocks, many at a time, and all other lines one by one.

Blocks only save time: the reader of lines finds the same grids. A block is a run of lines with 81 cells, alone or in a
column of a table, or a run of grids of several lines that are written alike: see `Skeleton`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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

CELLS = 81
PIECE = 1 << 18  # bytes read at once: grids for 5 ms
FEW = 8  # grids that are read one by one as fast as together
AT_ONCE = 1 << 12  # grids that are read together at most
LONGEST_SKELETON = 1 << 10  # bytes of a grid and of what stands before the next grid, at most
MOST_SKELETONS = 16  # that are known at a time

_NO_SIGN = 255
_VALUES = bytes(
    {**dict.fromkeys(map(ord, BLANKS), 0), **{48 + d: d for d in range(1, 10)}}.get(k, _NO_SIGN) for k in range(256)
)
_CELLS = rb"([0-9.*_xX?~-]{81})"
_BEHIND = rb"(?:([1-9]{81})(?=[ \t,;\n]))?[^\n]{0,70}"  # a solution, and nothing else that may be a grid
_RECORD = re.compile(_CELLS + rb"(?:[ \t,;#]" + _BEHIND + rb")?\n")
_COLUMNS = re.compile(rb"(?:[\w. -]{0,17}([,;\t]))+" + _CELLS + rb"(?:\1" + _BEHIND + rb")?\n")
_CELL = BLANKS.replace("-", "").encode() + b"123456789"
_DRAWN = bytes.maketrans(_CELL, b"1" * len(_CELL))
_ROW = re.compile(rb"[1 ,|+=-]*\n")  # a row, a rule or an empty line, drawn
_NUMBERED = re.compile(rb"[A-Za-z]{2}[A-Za-z ]{0,20}#?1{1,9}:? *\n")  # a title with the number of a grid, drawn
_GAP = re.compile(rb"^ *\n", re.MULTILINE)
_HEADINGS = np.frombuffer(b"1234567801234567", dtype=np.uint64)  # the first eight signs of headings
_EVERY_DIGIT = sum(1 << digit for digit in range(1, 10))
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
    """Returns grids, uint8 of shape (m, 81) and digits only, in lines."""
    text = np.full((len(grids), CELLS + 1), ord("\n"), dtype=np.uint8)
    text[:, :CELLS] = grids + ord("0")
    return text.tobytes()


class Pieces:
    """Bytes that come in pieces, none at the end; what stands behind a line that ends a text is for the next one."""

    def __init__(self, read: Callable[[], bytes]) -> None:
        self._read = read

    def grids(self, request: Request) -> Iterator[Item]:
        """Yields the grids of a text, plain ones in blocks if many follow one another."""
        blocks = Blocks(request)
        more, ends, rest = b"\n", b"", b""  # carriage returns at the end, and a line that has begun
        while more and not blocks.reader.over:
            more = self._read()
            raw = ends + more
            kept = raw.rstrip(b"\r") if more else raw
            ends = raw[len(kept) :]
            if b"\r" in kept:
                kept = kept.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            text = rest + kept
            cut = text.rfind(b"\n") + 1
            is_value = blocks.reader.file or text[cut : cut + 1] in (b"[", b"{", b" ")
            rest = text[cut : cut + 1 + (LONGEST_VALUE if is_value else LONGEST_LINE)]
            yield from blocks.take(text[:cut])
        if not blocks.reader.over:
            yield from blocks.take(rest + b"\n" if rest else b"", is_last=True)
        yield from blocks.reader.close()


class Skeleton(NamedTuple):
    """How a grid of several lines, and what stands before the next grid, are written; cells are drawn as 1."""

    drawn: bytes
    cells: npt.NDArray[np.intp]  # the places of the 81 cells
    numbers: npt.NDArray[np.intp]  # the places of the digits of titles
    lines: int
    first: int  # the lines above the first row
    form: Form
    is_closed: bool  # whether a grid is answered when its lines end, or when the section of all grids ends

    @classmethod
    def of(cls, drawn: bytes, text: bytes, request: Request) -> Skeleton | None:
        """Returns the skeleton of the three grids of a text; None if the reader of lines finds other grids there."""
        height = drawn.count(b"\n")
        skeleton = cls(drawn, _ones(drawn, _ROW), _ones(drawn, _NUMBERED), height, 0, "rows", is_closed=False)
        grids, are_doubtful = skeleton.grids(text, 0, 3)
        reader = Reader(request)
        before = [found for line in text.split(b"\n")[:-1] for found in reader.take(_decoded(line))]
        puzzles = [one for one in (*before, *reader.close()) if isinstance(one, Puzzle) and one.candidates is None]
        if len(puzzles) != 3 or len(before) not in (0, 3) or are_doubtful.any():
            return None
        first, form = puzzles[0].line - 1, puzzles[0].form
        for k, puzzle in enumerate(puzzles):
            is_alike = puzzle.line - 1 == first + k * height and puzzle.form == form
            if not is_alike or form not in ("rows", "boxed") or (puzzle.grid.ravel() != grids[k]).any():
                return None
        return skeleton._replace(first=first, form=form, is_closed=len(before) == 3)

    def grids(self, text: bytes, begin: int, number: int) -> tuple[Bytes, Bools]:
        """Returns the grids of some repetitions, shape (m, 81), and which of them may be read otherwise."""
        there = np.frombuffer(text, dtype=np.uint8, count=number * len(self.drawn), offset=begin)
        there = there.reshape(number, -1)
        signs = there.take(self.cells, axis=1)
        grids = _digits(signs.tobytes())
        doubtful = _are_doubtful(grids, signs)
        if len(self.numbers):
            doubtful |= (there.take(self.numbers, axis=1) - ord("0") > 9).any(axis=1)
        return grids, doubtful


class Blocks:
    """Reads whole lines of bytes."""

    def __init__(self, request: Request) -> None:
        self.request, self.reader = request, Reader(request)
        self._is_plain = request.layout.is_plain and request.alphabet is None
        self._known: dict[bytes, Skeleton | None] = {}  # by what is drawn
        self._most = AT_ONCE  # grids to read together, fewer behind a grid that may be read otherwise
        self._held, self._wanted = b"", 0  # grids of a section that may go on, and when they are read again

    def take(self, text: bytes, is_last: bool = False) -> Iterator[Item]:
        """Reads whole lines, but holds the grids of a section that has no end yet."""
        text += b"\n" if self._held and is_last else b""  # the last grid may stand before an empty line as all others
        text, self._held = self._held + text, b""
        if len(text) < self._wanted and not is_last:
            self._held = text
            return
        self._wanted = 0
        at = 0
        drawn = b""  # the text with 1 for each cell
        while at < len(text) and not self.reader.over:
            if self._is_plain and self.reader.rests:
                block, end = self._in_lines(text, at)
                if end == at:
                    block, end = self._in_columns(text, at)
                if end == at:
                    drawn = drawn or text.translate(_DRAWN)
                    block, end = self._alike(text, drawn, at, is_last)
                if self._held:
                    return
                if end > at:
                    yield from block
                    at = end
                    continue
            end = text.index(b"\n", at) + 1
            yield from self._line(text[at : end - 1])
            at = end

    def _line(self, line: bytes) -> Iterator[Item]:
        if len(line) > LONGEST_LINE and self.reader.file is None and line.lstrip()[:1] not in (b"{", b"["):
            line = line[:LONGEST_LINE]
        return self.reader.take(_decoded(line))

    def _alike(self, text: bytes, drawn: bytes, at: int, is_last: bool) -> tuple[list[Item], int]:
        """Returns the grids that are written like the one that begins here, and the end of these."""
        unit = _unit(drawn, at)
        size = len(unit)
        if not unit or not drawn.startswith(3 * unit, at):
            return [], at
        if unit not in self._known:
            if len(self._known) == MOST_SKELETONS:
                self._known.clear()
            self._known[unit] = Skeleton.of(unit, text[at : at + 3 * size], self.request)
        skeleton = self._known[unit]
        if not skeleton:
            return [], at
        most = self._most if skeleton.is_closed else MOST_ROWS // skeleton.lines
        number = 0
        while number < most and drawn.startswith(unit, at + number * size):
            number += 1
        end = at + number * size
        grids, are_doubtful = skeleton.grids(text, at, number)
        right = _first(are_doubtful)
        may_go_on = bool(_GAP.search(unit)) and not unit.endswith(b"\n\n")  # behind one empty line, as bands do
        if skeleton.is_closed:
            self._note(right, number)
            if _GAP.search(unit):
                self.reader.whole.column = None
        elif right < number or number in (most, *range(FEW)) or _may_have_lines_between(grids) or may_go_on:
            return [], at
        elif not is_last and unit.startswith(drawn[end : end + size]):
            self._held = text[at:]
            self._wanted = 2 * len(self._held) if len(self._held) > PIECE else 0  # a long section is rare
            return [], at
        elif end < len(text) and text[end : text.index(b"\n", end)].strip(b" "):
            return [], at
        firsts = skeleton.first + skeleton.lines * np.arange(right)
        return self._passed(grids[:right], firsts, right * skeleton.lines, skeleton.form), at + right * size

    def _in_lines(self, text: bytes, at: int) -> tuple[list[Item], int]:
        """Returns the grids of a run of lines with 81 cells, or also a comma and a solution, and the end of the run."""
        size = text.find(b"\n", at) + 1 - at
        number = min((len(text) - at) // size, self._most)
        are_solved = size == 2 * (CELLS + 1)
        if number < FEW or (size != CELLS + 1 and not are_solved):
            return [], at
        table = np.frombuffer(text, dtype=np.uint8, count=number * size, offset=at).reshape(number, size)
        misfits: Bools = table[:, -1] != ord("\n")
        if are_solved:
            solutions = _digits(table[:, CELLS + 1 : -1].tobytes())
            misfits |= (table[:, CELLS] != ord(",")) | (solutions - 1 >= 9).any(axis=1) | _may_be_maps(solutions)
        number = _first(misfits)
        if number < FEW:
            return [], at
        grids, right = _values(table[:number, :CELLS].tobytes())
        full: Bools = np.array(grids.all(axis=1))
        right = min(right, _first(full)) if are_solved else right  # a full grid may be another solution
        end = at + right * size
        self._note(right, number)
        if are_solved and right:
            self.reader.whole.note_column(_decoded(text[end - size : end - 1]))
        return self._passed(grids[:right], np.arange(right), right, "line"), end

    def _in_columns(self, text: bytes, at: int) -> tuple[list[Item], int]:
        """Returns the grids of a run of lines with 81 cells among other columns, and the end of the run."""
        pattern, group = (_RECORD, 1) if _RECORD.match(text, at) else (_COLUMNS, 2)
        found: list[re.Match[bytes]] = []
        end = at
        while len(found) < self._most and (record := pattern.match(text, end)):
            found.append(record)
            end = record.end()
        if len(found) < FEW:
            return [], at
        grids, right = _in_records([(record[group], record[group + 1]) for record in found])
        self._note(right, len(found))
        if right:
            self.reader.whole.note_column(_decoded(found[right - 1][0][:-1]))
        return self._passed(grids[:right], np.arange(right), right, "line"), found[right - 1].end() if right else at

    def _note(self, right: int, number: int) -> None:
        """Notes how many grids of a number were right, so that no grid is looked at too often."""
        self._most = min(2 * self._most, AT_ONCE) if right == number else max(right, FEW)

    def _passed(self, grids: Bytes, firsts: npt.NDArray[np.intp], lines: int, form: Form) -> list[Item]:
        """Returns grids, and counts their lines as read; `firsts` are the numbers of lines above each grid."""
        if not len(grids):
            return []
        block = Block(grids, self.request.file, (firsts + self.reader.line + 1).tolist(), form)
        self.reader.line += lines
        self.reader.has_answers = True
        return [block] if len(grids) >= FEW else [*block.puzzles()]


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


def _first(flags: Bools) -> int:
    """Returns the index of the first flag that is True, or the number of flags."""
    return int(flags.argmax()) if flags.any() else len(flags)


def _digits(signs: bytes) -> Bytes:
    """Returns the digits of 81 signs for each grid, 255 for what is no sign."""
    return np.frombuffer(signs.translate(_VALUES), dtype=np.uint8).reshape(-1, CELLS)


def _values(signs: bytes) -> tuple[Bytes, int]:
    """Returns the digits of grids of 81 signs each, and how many of the first ones are right beyond doubt."""
    grids, zeros = _digits(signs), np.frombuffer(signs, dtype=np.uint8).reshape(-1, CELLS) == ord("0")
    right = (grids != _NO_SIGN).all(axis=1) & grids.any(axis=1) & ~_may_be_maps(grids)
    if zeros.any():
        right &= ~(zeros.any(axis=1) & ((grids == 0) & ~zeros).any(axis=1))
    return grids, _first(~right)


def _in_records(records: list[tuple[bytes, bytes | None]]) -> tuple[Bytes, int]:
    """Returns the grids of pairs of a grid and perhaps a solution, and how many of the first ones are right."""
    grids, right = _values(b"".join([cells for cells, _ in records]))
    doubtful: Bools = np.array(grids.all(axis=1))  # a full grid may be the solution of another one
    solutions = [solution for _, solution in records if solution]
    if solutions:
        doubtful[[solution is not None for _, solution in records]] |= _may_be_maps(_digits(b"".join(solutions)))
    return grids, min(right, _first(doubtful))


def _unit(drawn: bytes, at: int) -> bytes:
    """Returns the lines from here on that have 81 cells and are followed by the same lines; nothing if none are."""
    cells, end, most = 0, at, at + LONGEST_SKELETON
    while cells <= CELLS and (stop := drawn.find(b"\n", end, most) + 1):
        if _ROW.fullmatch(drawn, end, stop):
            cells += drawn.count(b"1", end, stop)
        elif drawn[end : end + 1] != b"#" and not _NUMBERED.fullmatch(drawn, end, stop):
            break
        end = stop
        if cells == CELLS and drawn.startswith(drawn[at:end], end):
            return drawn[at:end]
    return b""


def _ones(drawn: bytes, pattern: re.Pattern[bytes]) -> npt.NDArray[np.intp]:
    """Returns the places of all 1 in the lines that match a pattern."""
    kept = (line if pattern.fullmatch(line) else bytes(len(line)) for line in drawn.splitlines(keepends=True))
    return np.flatnonzero(np.frombuffer(b"".join(kept), dtype=np.uint8) == ord("1"))


def _are_doubtful(grids: Bytes, signs: Bytes) -> Bools:
    """Returns which grids have several signs for blanks, no digit, a heading or perhaps equal rows, or may be maps."""
    blank = grids == 0
    sign = signs.flat[blank.argmax()] if blank.any() else ord(".")
    starts = np.ndarray((len(signs), 9), dtype=np.uint64, buffer=signs, strides=(CELLS, 9))  # eight signs of each row
    plain = np.frombuffer(bytes([sign] * 8), dtype=np.uint64)
    same = (starts[:, 1:] == starts[:, :-1]) & (starts[:, 1:] != plain)
    headed = (starts == _HEADINGS[0]) | (starts == _HEADINGS[1])
    foreign = blank & (signs != sign)
    eights = np.ndarray((len(grids), 10), dtype=np.uint64, buffer=grids, strides=(CELLS, 8))  # all cells but the last
    doubtful: Bools = ~eights.any(axis=1) | same.any(axis=1) | headed.any(axis=1) | _may_be_maps(grids)
    return doubtful | foreign.any(axis=1) if foreign.any() else doubtful


def _may_have_lines_between(grids: Bytes) -> bool:
    """Returns whether rows of blanks may be lines between the grids of a section."""
    rows = grids.reshape(-1, 9)
    return not (rows[::10].any() and rows[9::10].any())


def _may_be_maps(grids: Bytes) -> Bools:
    """Returns which grids may be maps of jigsaws: 0 or 9 blanks, and a digit missing in the first or last row."""
    maybe: Bools = np.count_nonzero(grids[:, _FAR_APART], axis=1) >= 6  # most puzzles have more blanks
    if maybe.any():
        ends = grids[maybe][:, [*range(9), *range(72, 81)]].astype(np.uint16) & 15
        digits = np.left_shift(1, ends).reshape(-1, 2, 9)
        maybe[maybe] = (np.bitwise_or.reduce(digits, axis=2) | 1 != _EVERY_DIGIT | 1).any(axis=1)
    if maybe.any():
        blanks = CELLS - np.count_nonzero(grids[maybe], axis=1)
        maybe[maybe] = (blanks == 0) | (blanks == 9)
    return maybe
