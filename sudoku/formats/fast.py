"""The reader of bytes: plain grids in blocks, many at a time, and all other lines one by one.

Blocks only save time: the reader of lines finds the same grids. A block is a run of lines with 81 cells, alone or in a
column, or a run of grids in rows with the same skeleton. A skeleton is the text of a grid with each cell replaced by 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from sudoku.formats.cleaning import is_numbered
from sudoku.formats.reader import Reader
from sudoku.formats.request import Request
from sudoku.formats.rows import Rows
from sudoku.formats.signs import BLANKS, LONGEST_LINE, LONGEST_VALUE
from sudoku.grid import Form, GridError, Puzzle, frozen
from sudoku.layout import as_layout

Bytes: TypeAlias = npt.NDArray[np.uint8]
Bools: TypeAlias = npt.NDArray[np.bool_]

CELLS = 81
PIECE = 1 << 18  # bytes read at once: grids for 5 ms
ENDLESS = 1 << 28  # bytes of a line until the text is given up
FEW = 8  # lines that are read one by one as fast as together
LONGEST_ROW = 64  # characters of a row or rule of a block
LONGEST_SKELETON = 32  # lines of a grid with the rules, comments and gaps around it
MANY_GRIDS = 10  # grids of a section without gaps that may have headings among their rows

_NO_SIGN = 255
_VALUES = bytes(
    {**dict.fromkeys(map(ord, BLANKS), 0), **{48 + d: d for d in range(1, 10)}}.get(k, _NO_SIGN) for k in range(256)
)
_AFTER = frozenset(bytes([sign]) for sign in b" \t,;#")  # what may stand behind a grid in its line
_BEFORE = re.compile(rb"(?:[\w. -]{0,17}([,;\t]))+(?=[0-9.*_xX?~-]{81}(?:\1|$))")  # the columns before the cells
_CELL = BLANKS.replace("-", "").encode() + b"123456789"
_GRID = re.compile(rb"[0-9.*_xX?~-]{81}")
_BLANK = re.compile(rb"[0.*_xX?~-]")
_DRAWN = bytes.maketrans(_CELL, b"1" * len(_CELL))
_RULE = re.compile(rb" *(?=[^+=]*[+=])[-=+| ]*")  # which can be no row

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


def one_by_one(items: Iterable[Any]) -> Iterator[Any]:
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
        came, wanted = True, 0
        while came and not blocks.reader.over:
            came = self._take(blocks)
            if came and len(self._data) < wanted:
                continue
            text = self._data
            yield from blocks.take(text, last=not came)
            self._data = text[blocks.end :]
            wanted = 2 * len(self._data) if len(self._data) > PIECE else 0  # a long section is looked at seldom
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


class Blocks:
    """Reads whole lines of bytes."""

    def __init__(self, request: Request) -> None:
        self.request, self.reader = request, Reader(request)
        self.end = 0  # bytes of the last text that were read
        self._plain = request.layout.is_plain and request.alphabet is None
        self._window = FEW  # repeats of a skeleton that are looked at together
        self._skipped = 0  # bytes of a line that is too long

    def cut(self, data: bytes) -> bytes:
        """Returns data without the middle of a last line that is longer than any line can be."""
        begin = data.rfind(b"\n") + 1
        head = data[begin : begin + 1]
        most = LONGEST_VALUE if self.reader.file or head in (b"[", b"{", b" ") else LONGEST_LINE
        over = len(data) - begin - most - 1
        if over <= 0:
            return data
        self._skipped += over
        return data[: begin + most + 1]

    def take(self, text: bytes, last: bool) -> Iterator[Item]:
        """Reads lines, and a line without an end if it is the last one; `end` says how far."""
        found = text.split(b"\n")
        rest = found.pop()
        if last and rest:
            found.append(rest)
            rest = b""
        at, piece = 0, Piece(text, found)
        while at < len(found) and not self.reader.over:
            items, end = self._block(piece, at, last)
            if end < 0:  # the section that begins here goes on in the next piece
                break
            yield from items
            if end == at:
                yield from self._line(found[at])
                end += 1
            at = end
        self.end = len(text) - len(rest) if at == len(found) else int(piece.begins[at])
        if self._skipped > ENDLESS:
            self.reader.over = True
            yield self.request.error(
                self.reader.line + 1, f"the line has more than {ENDLESS} bytes: nothing behind it is read"
            )

    def _line(self, line: bytes) -> Iterator[Item]:
        self._skipped = 0
        if len(line) > LONGEST_LINE and self.reader.file is None and line.lstrip()[:1] not in (b"{", b"["):
            line = line[:LONGEST_LINE]
        return self.reader.take(line.decode("utf-8", "surrogateescape"))

    def _block(self, piece: Piece, at: int, last: bool) -> tuple[Iterable[Item], int]:
        """Returns the grids from a line on that can be read together, and where the next line is; -1 for later."""
        reader = self.reader
        if not self._plain or reader.file is not None or reader.state or reader.brace:
            return (), at
        line = piece.lines[at]
        if len(line) >= CELLS:
            return self._grids_in_lines(piece, at)
        if reader.rests and len(line) < LONGEST_ROW:
            return self._repeats(piece, at, last)
        return (), at

    def _grids_in_lines(self, piece: Piece, at: int) -> tuple[Iterable[Item], int]:
        """Returns the grids of a run of lines that begin with 81 cells, or have them in a column."""
        found, end = piece.lines, at
        while end < len(found) and len(found[end]) == CELLS:
            end += 1
        if end - at >= FEW:
            grids, right = _values(found[at:end])
            return self._passed(grids[:right], at + np.arange(right), at, at + right, "line"), at + right
        while end < len(found) and (len(found[end]) == CELLS or found[end][CELLS : CELLS + 1] in _AFTER):
            end += 1
        begins = [0] * (end - at)
        while end < len(found) and (before := _BEFORE.match(found[end])):
            begins.append(before.end())
            end += 1
        if end - at < FEW:
            return (), at
        lines = found[at:end]
        grids, right = _values([line[begin : begin + CELLS] for line, begin in zip(lines, begins, strict=True)])
        full = grids[:right].all(axis=1)  # a full grid may be the solution of another grid in its line
        right = int(full.argmax()) if full.any() else right
        self.reader.whole.note_column(lines[0].decode("utf-8", "surrogateescape"))
        right = _alone(lines[:right])
        return self._passed(grids[:right], at + np.arange(right), at, at + right, "line"), at + right

    def _repeats(self, piece: Piece, at: int, last: bool) -> tuple[Iterable[Item], int]:
        """Returns the grids that repeat the skeleton of the first one; `Sections` finds the same ones."""
        skeleton = skeleton_of(piece.lines[at : at + LONGEST_SKELETON], self.reader.rows)
        if skeleton is None:
            return (), at
        most = None if skeleton.is_open else self._window
        number = piece.repeats(skeleton, at, most)
        end = at + number * skeleton.lines
        grids, doubtful = piece.grids(skeleton, at, number)
        if skeleton.is_open:
            if not last and end + skeleton.lines >= len(piece.lines):
                return (), -1
            is_whole = end == len(piece.lines) or _is_gap(piece.lines[end])
            if not is_whole or doubtful.any() or (number >= MANY_GRIDS and _are_headed(grids.reshape(-1, 9))):
                return (), at
        elif doubtful.any():
            number = int(doubtful.argmax())
            end = at + number * skeleton.lines
        self._window = 2 * self._window if number else FEW
        places = at + skeleton.first + skeleton.lines * np.arange(number)
        return self._passed(grids[:number], places, at, end, skeleton.form), end

    def _passed(self, grids: Bytes, places: Any, at: int, end: int, form: Form) -> Iterator[Item]:
        """Yields grids, whose lines the reader counts."""
        reader = self.reader
        if not len(grids):
            return
        yield from map(reader.counted, reader.end_section())
        numbers = (places - at + reader.line + 1).tolist()
        reader.line += end - at
        reader.good += len(grids)
        reader.sections.seen = True
        block = Block(grids, self.request.file, numbers, form)
        yield from [block] if len(grids) >= FEW else block.puzzles()


class Skeleton(NamedTuple):
    """The lines of a grid in rows, with the rules, comments and gaps around it, and each cell drawn as 1."""

    drawn: bytes
    lines: int
    first: int  # the first line with cells
    cells: npt.NDArray[np.intp]  # the places of the 81 cells
    form: Form
    is_open: bool  # whether no gap ends it, so that the next grid is of the same section


def skeleton_of(lines: list[bytes], rows: Rows) -> Skeleton | None:
    """Returns the skeleton of a grid whose nine rows are written alike and which lines begin with, or None."""
    kept: list[bytes] = []
    cells: list[int] = []
    row, offset, first, has_gap, has_rule, is_framed = b"", 0, 0, False, False, False
    for line in lines:
        drawn, place = line.translate(_DRAWN), len(cells) // 9
        if _is_gap(drawn):
            if 0 < place < 9:
                return None
            has_gap |= place == 9
        elif has_gap:
            break
        elif _RULE.fullmatch(drawn):
            if place % 3 or (0 < place < 9 and kept[-1] != row):  # two rules are the borders of two grids
                return None
            if place == 9 and (not is_framed or kept[-1] != row):
                break
            has_rule, is_framed = True, is_framed or not place
        elif not drawn.lstrip(b" ").startswith(b"#"):
            if place == 9:
                break
            if not place:
                row, first = drawn, len(kept)
            if drawn != row or (not place and not _is_row(row, rows)):
                return None
            cells += [offset + k for k, sign in enumerate(drawn) if sign == ord("1")]
        kept.append(drawn)
        offset += len(drawn) + 1
    if len(cells) != CELLS:
        return None
    form: Form = "boxed" if has_rule or b"|" in row.strip(b" |") else "rows"
    return Skeleton(b"".join(line + b"\n" for line in kept), len(kept), first, np.array(cells), form, not has_gap)


def _is_gap(line: bytes) -> bool:
    return not line.strip(b" ") or (line.isascii() and is_numbered(line.strip(b" ").decode()))


def _is_row(drawn: bytes, rows: Rows) -> bool:
    if drawn.count(b"1") != 9 or drawn.strip(b"1 ,|"):
        return False
    row = rows.of(1, drawn.decode())
    return not row.fault and row.cells == "1" * 9 and row.parts in ((), (3, 3, 3), (1,) * 9)


class Piece:
    """Lines that are read together."""

    def __init__(self, text: bytes, found: list[bytes]) -> None:
        self.text, self.lines = text, found

    @cached_property
    def drawn(self) -> Bytes:
        """The text with each cell drawn as 1."""
        return np.frombuffer(self.text.translate(_DRAWN), dtype=np.uint8)

    @cached_property
    def begins(self) -> npt.NDArray[np.intp]:
        """The place of the first byte of each line, and of the byte behind the last line."""
        ends = np.flatnonzero(np.frombuffer(self.text, dtype=np.uint8) == ord("\n"))
        return np.concatenate([[0], ends + 1, [len(self.text)]])[: len(self.lines) + 1]

    def repeats(self, skeleton: Skeleton, at: int, most: int | None) -> int:
        """Returns how often a skeleton comes one after the other from a line on."""
        begin, size = int(self.begins[at]), len(skeleton.drawn)
        number = (len(self.text) - begin) // size
        number = number if most is None else min(number, most)
        there = self.drawn[begin : begin + number * size].reshape(number, size)
        alike = (there == np.frombuffer(skeleton.drawn, dtype=np.uint8)).all(axis=1)
        return number if alike.all() else int(alike.argmin())

    def grids(self, skeleton: Skeleton, at: int, number: int) -> tuple[Bytes, Bools]:
        """Returns the grids that repeat a skeleton, shape (m, 81), and which of them may be read otherwise."""
        begin, size = int(self.begins[at]), len(skeleton.drawn)
        there = np.frombuffer(self.text, dtype=np.uint8, count=number * size, offset=begin).reshape(number, size)
        signs = there.take(skeleton.cells, axis=1)
        grids = _digits(signs.tobytes())
        return grids, _doubtful(grids, signs)


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
    return grids, len(right) if right.all() else int(right.argmin())


def _alone(lines: list[bytes]) -> int:
    """Returns how many of the first lines have no other grid than a full one, which may be a solution."""
    for k, line in enumerate(lines):
        if len(line) > 2 * CELLS and line[CELLS + 1 :].strip(b"123456789"):
            others = _GRID.findall(line)[1:]
            if len(others) > 1 or any(map(_BLANK.search, others)):
                return k
    return len(lines)


def _doubtful(grids: Bytes, signs: Bytes) -> Bools:
    """Tells which grids have several signs for blanks, no digit, a heading, or perhaps the same row twice."""
    blank = grids == 0
    sign = signs.flat[blank.argmax()] if blank.any() else ord(".")
    starts = np.ndarray((len(signs), 9), dtype=np.uint64, buffer=signs, strides=(CELLS, 9))  # eight signs of each row
    same = (starts[:, 1:] == starts[:, :-1]) & (starts[:, 1:] != np.frombuffer(bytes([sign] * 8), dtype=np.uint64))
    headed = (starts == _HEADS[0]) | (starts == _HEADS[1])
    foreign = blank & (signs != sign)
    doubtful: Bools = foreign.any(axis=1) | blank.all(axis=1) | same.any(axis=1) | headed.any(axis=1)
    return doubtful


def _are_headed(rows: Bytes) -> bool:
    """Returns whether lines between or above the grids of a section may be among its rows."""
    every = [rows[first::10] for first in (0, 9)]
    return any(bool((some == some[0]).all()) and _may_head(some[0]) for some in every)


def _may_head(row: Bytes) -> bool:
    return not row.any() or bool((row[1:] == row[:1] + np.arange(1, 9)).all() and row[0] <= 1)
