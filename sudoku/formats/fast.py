"""The reader of bytes: plain grids in blocks, many at a time, and all other lines one by one.

Blocks exist for speed alone: the reader of lines finds the same grids. A block is a run of lines of 81 characters, of
lines of a table, or of sections in which all rows are written alike. The kind of a line is found by its `drawn` text:
every cell is a 1 there, so that a file has few different ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from sudoku.formats.cleaning import is_numbered
from sudoku.formats.files.tabular import Columns
from sudoku.formats.reader import Reader
from sudoku.formats.request import Asked
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
LONG = 90  # rows of a section that may be grids with lines between them
LONGEST_ROW = 64  # characters of a row or rule of a block
MOST_KINDS = 4096  # drawn texts that are remembered

_NO_SIGN = 255
_VALUES = np.full(256, _NO_SIGN, dtype=np.uint8)
_VALUES[[ord(sign) for sign in BLANKS]] = 0
_VALUES[ord("1") : ord("9") + 1] = np.arange(1, 10)
_BITS = np.zeros(256, dtype=np.uint16)
_BITS[1:10] = 1 << np.arange(1, 10)
_AFTER = frozenset(bytes([sign]) for sign in b" \t,;#")  # what may stand behind a grid in its line
_CELL = BLANKS.replace("-", "").encode() + b"123456789"
_DRAWN = bytes.maketrans(_CELL, b"1" * len(_CELL))
_RULE = re.compile(rb"(?=[^+=]*[+=])[-=+| ]*")  # which can be no row

ELSE, GAP, RULE, COMMENT, FIRST_ROW = range(5)  # kinds of lines; a kind for each way to write rows from FIRST_ROW on
_PLAIN_LINES = re.compile(bytes([ord("["), GAP, ord("-"), COMMENT, ord("]")]) + b"*")


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

    def grids(self, asked: Asked) -> Iterator[Item]:
        """Yields the grids of a text, plain ones in blocks if many follow one another."""
        blocks = Blocks(asked)
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

    def __init__(self, asked: Asked) -> None:
        self.asked, self.reader = asked, Reader(asked)
        self.end = 0  # bytes of the last text that were read
        self._plain = asked.layout.is_plain and asked.alphabet is None
        self._kinds = Kinds(self.reader.rows)
        self._window = LONGEST_ROW  # lines in which sections are looked for at once
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
        at, piece = 0, Piece(text, found, self._kinds)
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
            yield self.asked.error(
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
        if reader.table is not None:
            return self._records(piece, at, reader.table.columns)
        line = piece.lines[at]
        if len(line) >= CELLS:
            return self._grids_in_lines(piece, at)
        if reader.rests and len(line) < LONGEST_ROW and self._kinds[line.translate(_DRAWN)] != ELSE:
            return self._sections(piece, at, last)
        return (), at

    def _grids_in_lines(self, piece: Piece, at: int) -> tuple[Iterable[Item], int]:
        found, end = piece.lines, at
        while end < len(found) and (len(found[end]) == CELLS or found[end][CELLS : CELLS + 1] in _AFTER):
            end += 1
        if end - at < FEW:
            return (), at
        grids, right = _values([line[:CELLS] for line in found[at:end]])
        return self._passed(grids[:right], at + np.arange(right), at, at + right, "line"), at + right

    def _records(self, piece: Piece, at: int, columns: Columns) -> tuple[Iterable[Item], int]:
        found, end, between = piece.lines, at, columns.between.encode()
        puzzles, solutions = [], []
        while end < len(found):
            fields = found[end].split(between)
            if len(fields) != columns.number or len(fields[columns.puzzle]) != CELLS or b'"' in found[end]:
                break
            if columns.solution is not None:
                if len(fields[columns.solution]) != CELLS:
                    break
                solutions.append(fields[columns.solution])
            puzzles.append(fields[columns.puzzle])
            end += 1
        if end - at < FEW:
            return (), at
        grids, right = _values(puzzles)
        if solutions and right:
            right = min(right, _solved(_values(solutions)[0][:right], grids[:right]))
        return self._passed(grids[:right], at + np.arange(right), at, at + right, "csv"), at + right

    def _sections(self, piece: Piece, at: int, last: bool) -> tuple[Iterable[Item], int]:
        """Returns the grids of sections whose rows are all written alike; `Sections` finds the same ones."""
        kinds = piece.kinds
        first = _PLAIN_LINES.match(kinds, at)
        row = kinds[first.end()] if first and first.end() < len(kinds) else ELSE
        if row < FIRST_ROW:
            return (), at
        run = self._kinds.runs[row].match(kinds, at)
        assert run is not None
        end, is_open = run.end(), run.end() == len(kinds) and not last
        if end - at > self._window:
            gap = kinds.find(GAP, at + self._window, end)
            end, is_open = (gap + 1, False) if gap >= 0 else (end, is_open)
        if end < len(kinds) or is_open:
            closed = kinds.rfind(GAP, at, end) + 1
            if closed <= at:
                return (), -1 if is_open else at
            end = closed
        return self._alike(piece, at, end, row)

    def _alike(self, piece: Piece, at: int, end: int, row: int) -> tuple[Iterable[Item], int]:
        kinds = np.frombuffer(piece.kinds, dtype=np.uint8)[at:end]
        rules = kinds == RULE
        borders = rules & np.roll(rules, 1)  # a border below that of another grid
        borders[:1] = False
        section = np.cumsum((kinds == GAP) | borders)
        is_row = kinds == row
        places = np.flatnonzero(is_row)
        counts = np.bincount(section[places], minlength=int(section[-1]) + 1)
        grids, blanks = piece.cells(places[: len(places) // 9 * 9] + at, self._kinds.cells[row])
        wrong = counts % 9 != 0
        wrong[section[rules & (np.cumsum(is_row) % 3 != 0)]] = True
        of = section[places[: 9 * len(grids) : 9]]
        wrong[of[_doubtful(grids, blanks)]] = True
        for k in np.flatnonzero(counts >= LONG).tolist():
            wrong[k] |= _are_headed(grids[of == k].reshape(-1, 9))
        ruled = np.zeros(len(counts), dtype=np.bool_)
        ruled[section[rules]] = True
        if len(of):
            wrong[of[(ruled | self._kinds.has_bars[row])[of] != (ruled | self._kinds.has_bars[row])[of[0]]]] = True
        stop = int(wrong.argmax()) if wrong.any() else len(wrong)
        number = int(np.searchsorted(of, stop))
        behind = int(np.searchsorted(section, stop)) if stop < len(wrong) else len(kinds)
        behind += stop < len(wrong) and not borders[behind]  # behind the gap
        if not number:
            self._window = LONGEST_ROW
            return (), at
        self._window *= 2
        form: Form = "boxed" if ruled[of[0]] or self._kinds.has_bars[row] else "rows"
        return self._passed(grids[:number], places[: 9 * number : 9] + at, at, at + behind, form), at + behind

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
        block = Block(grids, self.asked.file, numbers, form)
        yield from [block] if len(grids) >= FEW else block.puzzles()


class Kinds(dict[bytes, int]):
    """The kinds of lines by their drawn texts."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self.cells: dict[int, npt.NDArray[np.intp]] = {}  # the columns of the cells, for each way to write rows
        self.has_bars: dict[int, bool] = {}
        self.runs: dict[int, re.Pattern[bytes]] = {}  # lines among which all rows are written in this way

    def __missing__(self, drawn: bytes) -> int:
        if len(drawn) >= LONGEST_ROW:
            return ELSE
        if len(self) >= MOST_KINDS:
            self.clear()
        kind = self[drawn] = self._kind(drawn)
        return kind

    def _kind(self, drawn: bytes) -> int:
        bare = drawn.strip(b" ")
        if not bare or (drawn.isascii() and is_numbered(bare.decode())):
            return GAP
        if bare[:1] == b"#":
            return COMMENT
        if _RULE.fullmatch(bare):
            return RULE
        if drawn.count(b"1") != 9 or drawn.strip(b"1 ,|") or len(self.cells) >= 200:
            return ELSE
        row = self._rows.of(1, drawn.decode())
        if row.fault or row.cells != "1" * 9 or row.parts not in ((), (3, 3, 3), (1,) * 9):
            return ELSE
        kind = FIRST_ROW + len(self.cells)
        self.cells[kind] = np.flatnonzero(np.frombuffer(drawn, dtype=np.uint8) == ord("1"))
        self.has_bars[kind] = bool(row.parts)
        self.runs[kind] = re.compile(b"[" + re.escape(bytes([GAP, RULE, COMMENT, kind])) + b"]*")
        return kind


class Piece:
    """Lines that are read together."""

    def __init__(self, text: bytes, found: list[bytes], kinds: Kinds) -> None:
        self.text, self.lines = text, found
        self._known = kinds
        self._kinds: bytes | None = None
        self._begins: npt.NDArray[np.intp] | None = None

    @property
    def kinds(self) -> bytes:
        """The kind of each line."""
        if self._kinds is None:
            drawn = self.text.translate(_DRAWN).split(b"\n")[: len(self.lines)]
            self._kinds = bytes(map(self._known.__getitem__, drawn))
        return self._kinds

    @property
    def begins(self) -> npt.NDArray[np.intp]:
        """The place of the first byte of each line, and of the byte behind the last line."""
        if self._begins is None:
            ends = np.flatnonzero(np.frombuffer(self.text, dtype=np.uint8) == ord("\n"))
            self._begins = np.concatenate([[0], ends + 1, [len(self.text)]])[: len(self.lines) + 1]
        return self._begins

    def cells(self, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]) -> tuple[Bytes, Bytes]:
        """Returns the digits of rows as grids, shape (m, 81), and the signs in their places."""
        first, width = int(columns[0]), int(columns[-1] - columns[0]) + 1
        if not len(rows):
            return np.empty((0, CELLS), dtype=np.uint8), np.empty((0, CELLS), dtype=np.uint8)
        windows = np.lib.stride_tricks.sliding_window_view(np.frombuffer(self.text, dtype=np.uint8), width)
        found = windows[self.begins[rows] + first]
        signs = np.ascontiguousarray(found if width == 9 else found[:, columns - first]).reshape(-1, CELLS)
        return _VALUES[signs], signs


def _values(cells: list[bytes]) -> tuple[Bytes, int]:
    """Returns the digits of grids of 81 bytes each, and how many of the first ones are right beyond doubt."""
    signs = np.frombuffer(b"".join(cells), dtype=np.uint8).reshape(-1, CELLS)
    grids = _VALUES[signs]
    zeros = signs == ord("0")
    right = (grids != _NO_SIGN).all(axis=1) & grids.any(axis=1)
    if zeros.any():
        right &= ~(zeros.any(axis=1) & ((grids == 0) & ~zeros).any(axis=1))
    return grids, len(right) if right.all() else int(right.argmin())


def _solved(solutions: Bytes, grids: Bytes) -> int:
    """Returns how many of the first solutions are completions of their grids."""
    agree = ((grids == solutions) | (grids == 0)).all(axis=1)
    cells = _BITS[solutions].reshape(-1, 3, 3, 3, 3)
    for unit in ((3, 4), (1, 2), (2, 4)):
        agree &= (np.bitwise_or.reduce(cells, axis=unit) == _BITS.sum()).all(axis=(1, 2))
    return len(agree) if agree.all() else int(agree.argmin())


def _doubtful(grids: Bytes, signs: Bytes) -> Bools:
    """Tells which grids have other blanks than the first one, no digit, a heading, or the same row twice."""
    blank = grids == 0
    sign = signs[blank][:1].tobytes() or b"."
    foreign = blank & (signs != sign[0])
    rows = signs.view("S9")
    same = (rows[:, 1:] == rows[:, :-1]) & (rows[:, 1:] != 9 * sign)
    headed = ((rows == b"123456789") | (rows == b"012345678")).any(axis=1)
    doubtful: Bools = headed | blank.all(axis=1) | same.any(axis=1)
    return doubtful | foreign.any(axis=1) if foreign.any() else doubtful


def _are_headed(rows: Bytes) -> bool:
    """Tells whether lines between or above the grids of a section may be among its rows."""
    every = [rows[first::10] for first in (0, 9)]
    return any(bool((some == some[0]).all()) and _may_head(some[0]) for some in every)


def _may_head(row: Bytes) -> bool:
    return not row.any() or bool((row[1:] == row[:1] + np.arange(1, 9)).all() and row[0] <= 1)
