"""The reader of bytes: plain grids in blocks, many at a time, and all other lines one by one.

Blocks only save time: the reader of lines finds the same grids. A block is a run of lines with 81 cells, alone or in a
column, or a run of sections that are written like the last one, which the reader of lines has read: see `Skeleton`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from sudoku.formats.reader import Reader
from sudoku.formats.request import Request
from sudoku.formats.signs import BLANKS, LONGEST_LINE, LONGEST_VALUE
from sudoku.grid import Form, GridError, Puzzle, frozen
from sudoku.layout import as_layout

Bytes: TypeAlias = npt.NDArray[np.uint8]
Bools: TypeAlias = npt.NDArray[np.bool_]

CELLS = 81
PIECE = 1 << 18  # bytes read at once: grids for 5 ms
FEW = 8  # grids that are read one by one as fast as together

_NO_SIGN = 255
_VALUES = bytes(
    {**dict.fromkeys(map(ord, BLANKS), 0), **{48 + d: d for d in range(1, 10)}}.get(k, _NO_SIGN) for k in range(256)
)
_AFTER = frozenset(bytes([sign]) for sign in b" \t,;#")  # what may stand behind a grid in its line
_BEFORE = re.compile(rb"(?:[\w. -]{0,17}([,;\t]))+(?=[0-9.*_xX?~-]{81}(?:\1|$))")  # the columns before the cells
_CELL = BLANKS.replace("-", "").encode() + b"123456789"
_GRID = re.compile(rb"[0-9.*_xX?~-]{81}")
_BLANK = re.compile(rb"[0.*_xX?~-]")
_NAMES = re.compile(rb"[A-Za-z]{81}")  # the regions of all cells of a jigsaw
_DRAWN = bytes.maketrans(_CELL, b"1" * len(_CELL))
_PLAIN = re.compile(rb"[1 ,|+=\n-]+")  # sections of which skeletons are made
_EVERY_DIGIT = sum(1 << digit for digit in range(1, 10))
_HEADS = np.frombuffer(b"1234567801234567", dtype=np.uint64)  # the first signs of headings


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
        self._data = b""  # bytes that have come and were not read, with plain line ends
        self._ends = b""  # carriage returns at the end, before which a line may or may not end

    def grids(self, request: Request) -> Iterator[Item]:
        """Yields the grids of a text, plain ones in blocks if many follow one another."""
        blocks = Blocks(request)
        has_come = True
        while has_come and not blocks.reader.over:
            has_come = self._take(blocks)
            text = self._data
            yield from blocks.take(text, last=not has_come)
            self._data = text[blocks.end :]
        yield from blocks.reader.close()

    def _take(self, blocks: Blocks) -> bool:
        """Takes the next piece; of a line that is too long only the beginning is kept."""
        more = self._read()
        raw = self._ends + more
        kept = raw.rstrip(b"\r") if more else raw
        self._ends = raw[len(kept) :]
        if b"\r" in kept:
            kept = kept.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        self._data = blocks.cut(self._data + kept) if len(self._data) > LONGEST_LINE else self._data + kept
        return bool(more)


class Skeleton(NamedTuple):
    """How a section of one grid is written: its text, with each cell drawn as 1, up to the empty line behind it."""

    drawn: bytes
    cells: npt.NDArray[np.intp]  # the places of the 81 cells
    lines: int
    first: int  # the lines above the first row
    form: Form

    @classmethod
    def of(cls, text: bytes, puzzle: Puzzle, first: int) -> Skeleton | None:
        """Returns the skeleton of a section that is a puzzle; None if other signs than its cells are drawn as cells."""
        drawn = text.translate(_DRAWN)
        cells = np.flatnonzero(np.frombuffer(drawn, dtype=np.uint8) == ord("1"))
        is_plain = puzzle.form in ("rows", "boxed") and puzzle.candidates is None and bool(_PLAIN.fullmatch(drawn))
        if not is_plain or len(cells) != CELLS:
            return None
        return cls(drawn, cells, text.count(b"\n"), first, puzzle.form)

    def grids(self, text: bytes, begin: int, number: int) -> tuple[Bytes, Bools]:
        """Returns the grids of sections that are written so, shape (m, 81), and which of them may be read otherwise."""
        size = len(self.drawn)
        there = np.frombuffer(text, dtype=np.uint8, count=number * size, offset=begin).reshape(number, size)
        signs = there.take(self.cells, axis=1)
        grids = _digits(signs.tobytes())
        return grids, _are_doubtful(grids, signs)


class Blocks:
    """Reads whole lines of bytes."""

    def __init__(self, request: Request) -> None:
        self.request, self.reader = request, Reader(request)
        self.end = 0  # bytes of the last text that were read
        self._is_plain = request.layout.is_plain and request.alphabet is None
        self._skeleton: Skeleton | None = None  # of the last section
        self._drawn = b""  # the last text with each cell drawn as 1, if there is a skeleton

    def cut(self, data: bytes) -> bytes:
        """Returns data without the end of a last line that is longer than any line can be."""
        begin = data.rfind(b"\n") + 1
        head = data[begin : begin + 1]
        most = LONGEST_VALUE if self.reader.file or head in (b"[", b"{", b" ") else LONGEST_LINE
        return data[: begin + most + 1]

    def take(self, text: bytes, last: bool) -> Iterator[Item]:
        """Reads lines, and a line without an end if it is the last one; `end` says how far."""
        found = text.split(b"\n")
        rest = found.pop()
        if last and rest:
            found.append(rest)
        at = self.end = 0
        self._drawn = b""
        section: tuple[int, list[Item]] | None = None  # the first line of the section, and its answers
        while at < len(found) and not self.reader.over:
            if self._is_plain and self.reader.rests:
                items, number = self._block(text, found, at)
                yield from items
                self.end += sum(map(len, found[at : at + number])) + number
                at += number
                if number:
                    continue
                section = at, []
            items = [*self._line(found[at])]
            yield from items
            self.end += len(found[at]) + 1
            at += 1
            if section:
                section[1].extend(items)
                if self.reader.rests and not found[at - 1]:
                    self._note_skeleton(found[section[0] : at], section[1])
        self.end = min(self.end, len(text))

    def _line(self, line: bytes) -> Iterator[Item]:
        if len(line) > LONGEST_LINE and self.reader.file is None and line.lstrip()[:1] not in (b"{", b"["):
            line = line[:LONGEST_LINE]
        return self.reader.take(line.decode("utf-8", "surrogateescape"))

    def _block(self, text: bytes, found: list[bytes], at: int) -> tuple[list[Item], int]:
        """Returns the grids from a line on that can be read together, and the number of their lines."""
        if len(found[at]) >= CELLS:
            return self._grids_in_lines(found, at)
        skeleton, begin, number = self._skeleton, self.end, 0
        if skeleton is None or len(found[at]) != skeleton.drawn.index(b"\n"):
            return [], 0
        self._drawn = self._drawn or text.translate(_DRAWN)
        size = len(skeleton.drawn)
        while self._drawn.startswith(skeleton.drawn, begin + number * size):
            number += 1
        if not number:
            return [], 0
        grids, are_doubtful = skeleton.grids(text, begin, number)
        number = int(are_doubtful.argmax()) if are_doubtful.any() else number
        firsts = skeleton.first + skeleton.lines * np.arange(number)
        return self._passed(grids[:number], firsts, number * skeleton.lines, skeleton.form)

    def _note_skeleton(self, section: list[bytes], answers: list[Item]) -> None:
        """Notes how a section is written if it is one grid."""
        if len(answers) == 1 and isinstance(puzzle := answers[0], Puzzle):
            above = puzzle.line - 1 - (self.reader.line - len(section))
            self._skeleton = Skeleton.of(b"\n".join(section) + b"\n", puzzle, above) or self._skeleton

    def _grids_in_lines(self, found: list[bytes], at: int) -> tuple[list[Item], int]:
        """Returns the grids of a run of lines that begin with 81 cells, or have them in a column."""
        end = at
        while end < len(found) and len(found[end]) == CELLS:
            end += 1
        if end - at >= FEW:
            grids, right = _values(found[at:end])
            return self._passed(grids[:right], np.arange(right), right, "line")
        while end < len(found) and (len(found[end]) == CELLS or found[end][CELLS : CELLS + 1] in _AFTER):
            end += 1
        begins = [0] * (end - at)
        while end < len(found) and (before := _BEFORE.match(found[end])):
            begins.append(before.end())
            end += 1
        if end - at < FEW:
            return [], 0
        lines = found[at:end]
        grids, right = _values([line[begin : begin + CELLS] for line, begin in zip(lines, begins, strict=True)])
        full = grids[:right].all(axis=1)  # a full grid may be the solution of another grid in its line
        right = int(full.argmax()) if full.any() else right
        self.reader.whole.note_column(lines[0].decode("utf-8", "surrogateescape"))
        right = _alone(lines[:right])
        return self._passed(grids[:right], np.arange(right), right, "line")

    def _passed(self, grids: Bytes, firsts: npt.NDArray[np.intp], lines: int, form: Form) -> tuple[list[Item], int]:
        """Returns grids, whose lines the reader counts; `firsts` are the numbers of lines above each one."""
        if not len(grids):
            return [], 0
        block = Block(grids, self.request.file, (firsts + self.reader.line + 1).tolist(), form)
        self.reader.line += lines
        self.reader.has_answers = True
        return [block] if len(grids) >= FEW else [*block.puzzles()], lines


def _digits(signs: bytes) -> Bytes:
    """Returns the digits of 81 signs for each grid, 255 for what is no sign."""
    return np.frombuffer(signs.translate(_VALUES), dtype=np.uint8).reshape(-1, CELLS)


def _values(cells: list[bytes]) -> tuple[Bytes, int]:
    """Returns the digits of grids of 81 bytes each, and how many of the first ones are right beyond doubt."""
    text = b"".join(cells)
    signs, grids = np.frombuffer(text, dtype=np.uint8).reshape(-1, CELLS), _digits(text)
    zeros = signs == ord("0")
    right = (grids != _NO_SIGN).all(axis=1) & grids.any(axis=1)
    if zeros.any():
        right &= ~(zeros.any(axis=1) & ((grids == 0) & ~zeros).any(axis=1))
    right &= ~_may_be_maps(grids)
    return grids, len(right) if right.all() else int(right.argmin())


def _may_be_maps(grids: Bytes) -> Bools:
    """Tells which grids are full and have a digit twice in the first or last row, as maps of jigsaws have."""
    full = np.asarray(grids[:, 0] != 0)
    for cell in (20, 40, 60, 80):  # a few cells show that most puzzles are not full
        full &= grids[:, cell] != 0
    if full.any():
        some = grids[full]
        ends = some[:, [*range(9), *range(72, 81)]].astype(np.uint16) & 15
        digits = np.left_shift(1, ends).reshape(-1, 2, 9)
        full[full] = some.all(axis=1) & (np.bitwise_or.reduce(digits, axis=2) != _EVERY_DIGIT).any(axis=1)
    return full


def _alone(lines: list[bytes]) -> int:
    """Returns how many of the first lines have no other grid than a full one, which may be a solution, but no map."""
    full: list[bytes] = []
    places: list[int] = []
    for k, line in enumerate(lines):
        if len(line) <= 2 * CELLS:
            continue
        second = line[CELLS + 1 :]
        if len(second) == CELLS and not second.strip(b"123456789"):
            full.append(second)
            places.append(k)
            continue
        others = _GRID.findall(line)[1:]
        if len(others) > 1 or any(map(_BLANK.search, others)) or (not others and _NAMES.search(line)):
            lines = lines[:k]
            break
        full += others
        places += [k] * len(others)
    are_maps = _may_be_maps(_digits(b"".join(full)))
    return places[int(are_maps.argmax())] if are_maps.any() else len(lines)


def _are_doubtful(grids: Bytes, signs: Bytes) -> Bools:
    """Tells which grids have several signs for blanks, no digit, a heading, perhaps the same row twice, or are maps."""
    blank = grids == 0
    sign = signs.flat[blank.argmax()] if blank.any() else ord(".")
    starts = np.ndarray((len(signs), 9), dtype=np.uint64, buffer=signs, strides=(CELLS, 9))  # eight signs of each row
    same = (starts[:, 1:] == starts[:, :-1]) & (starts[:, 1:] != np.frombuffer(bytes([sign] * 8), dtype=np.uint64))
    headed = (starts == _HEADS[0]) | (starts == _HEADS[1])
    foreign = blank & (signs != sign)
    doubtful: Bools = foreign.any(axis=1) | blank.all(axis=1) | same.any(axis=1) | headed.any(axis=1)
    return doubtful | _may_be_maps(grids)
