"""The reader of bytes: plain grids in blocks, many at a time, and all other lines one by one.

Blocks only save time: the reader of lines finds the same grids. A block is a run of lines with 81 cells, alone or in a
column of a table, or a run of sections that are written as the last one was: see `Skeleton`.
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
AT_ONCE = 1 << 12  # grids that are read together at most
LONGEST_SKELETON = 1 << 10  # bytes of a section of one grid, at most

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
            text = rest + kept.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            cut = text.rfind(b"\n") + 1
            is_value = blocks.reader.file or text[cut : cut + 1] in (b"[", b"{", b" ")
            rest = text[cut : cut + 1 + (LONGEST_VALUE if is_value else LONGEST_LINE)]
            yield from blocks.take(text[:cut])
        if rest and not blocks.reader.over:
            yield from blocks.take(rest + b"\n")
        yield from blocks.reader.close()


class Skeleton(NamedTuple):
    """How the section of a grid is written: sections that differ in their cells alone are read like it."""

    drawn: bytes  # with 1 for each cell, and the empty line behind the grid
    cells: npt.NDArray[np.intp]  # the places of the 81 cells
    lines: int  # with the empty one
    first: int  # the lines above the first row
    form: Form

    @classmethod
    def of(cls, section: bytes, first_line: int, items: list[Item]) -> Skeleton | None:
        """Returns the skeleton of a section; None if it is anything else than one plain grid."""
        puzzle = items[0] if len(items) == 1 else None
        drawn = section.translate(_DRAWN)
        cells = np.flatnonzero(np.frombuffer(drawn, dtype=np.uint8) == ord("1"))
        if not isinstance(puzzle, Puzzle) or puzzle.form not in ("rows", "boxed") or len(cells) != CELLS:
            return None
        signs = np.frombuffer(section, dtype=np.uint8)[cells]
        if puzzle.candidates is not None or (_digits(signs.tobytes())[0] != puzzle.grid.ravel()).any():
            return None
        return cls(drawn, cells, section.count(b"\n"), puzzle.line - first_line, puzzle.form)

    def grids(self, text: bytes, begin: int, number: int) -> tuple[Bytes, Bools]:
        """Returns the grids of some sections, shape (m, 81), and which of them may be read otherwise."""
        there = np.frombuffer(text, dtype=np.uint8, count=number * len(self.drawn), offset=begin)
        signs = there.reshape(number, -1).take(self.cells, axis=1)
        grids = _digits(signs.tobytes())
        blank = grids == 0
        sign = signs.flat[blank.argmax()] if blank.any() else ord(".")
        rows = grids.reshape(-1, 9, 9)
        doubled = (rows[:, 1:] == rows[:, :-1]).all(axis=2) & rows[:, 1:].any(axis=2)
        headed = (grids[:, :8] == range(1, 9)).all(axis=1) | (grids[:, 1:9] == range(1, 9)).all(axis=1)
        foreign = (blank & (signs != sign)).any(axis=1)
        return grids, ~grids.any(axis=1) | doubled.any(axis=1) | headed | foreign | _may_be_maps(grids)


class Blocks:
    """Reads whole lines of bytes."""

    def __init__(self, request: Request) -> None:
        self.request, self.reader = request, Reader(request)
        self._is_plain = request.layout.is_plain and request.alphabet is None
        self._known: Skeleton | None = None  # of the last section
        self._most = AT_ONCE  # grids to read together, fewer behind a grid that may be read otherwise

    def take(self, text: bytes) -> Iterator[Item]:
        """Reads whole lines."""
        at = 0
        drawn = b""  # the text with 1 for each cell
        while at < len(text) and not self.reader.over:
            if self._is_plain and self.reader.rests:
                block, end = self._in_lines(text, at)
                if end == at and self._known:
                    drawn = drawn or text.translate(_DRAWN)
                    block, end = self._alike(self._known, text, drawn, at)
                if end > at:
                    yield from block
                    at = end
                    continue
                end = text.find(b"\n\n", at, at + LONGEST_SKELETON) + 2
                if end > at + CELLS:
                    yield from self._learned(text[at:end])
                    at = end
                    continue
            end = text.index(b"\n", at) + 1
            yield from self._line(text[at : end - 1])
            at = end

    def _line(self, line: bytes) -> Iterator[Item]:
        if len(line) > LONGEST_LINE and self.reader.file is None and line.lstrip()[:1] not in (b"{", b"["):
            line = line[:LONGEST_LINE]
        return self.reader.take(_decoded(line))

    def _learned(self, section: bytes) -> Iterator[Item]:
        """Reads the lines of a section, and notes how the section is written."""
        first_line, found = self.reader.line + 1, []
        for line in section.split(b"\n")[:-1]:
            if self.reader.over:
                return
            for item in self._line(line):
                found.append(item)
                yield item
        self._known = Skeleton.of(section, first_line, found) if self.reader.rests else None

    def _alike(self, known: Skeleton, text: bytes, drawn: bytes, at: int) -> tuple[list[Item], int]:
        """Returns the grids of sections that are written as the last one, and the end of these."""
        size = len(known.drawn)
        number = 0
        while number < self._most and drawn.startswith(known.drawn, at + number * size):
            number += 1
        if not number:
            return [], at
        grids, are_doubtful = known.grids(text, at, number)
        right = int(are_doubtful.argmax()) if are_doubtful.any() else number
        firsts = known.first + known.lines * np.arange(right)
        self._note(right, number)
        return self._passed(grids[:right], firsts, right * known.lines, known.form), at + right * size

    def _in_lines(self, text: bytes, at: int) -> tuple[list[Item], int]:
        """Returns the grids of a run of lines with 81 cells, alone or in a column, and the end of the run."""
        number = min((len(text) - at) // (CELLS + 1), self._most)
        if text[at + CELLS : at + CELLS + 1] == b"\n" and number >= FEW:
            alone = np.frombuffer(text, dtype=np.uint8, count=number * (CELLS + 1), offset=at).reshape(
                number, CELLS + 1
            )
            ends = alone[:, CELLS] == ord("\n")
            number = number if ends.all() else int(ends.argmin())
            grids, right = _values(alone[:number, :CELLS].tobytes())
            self._note(right, number)
            return self._passed(grids[:right], np.arange(right), right, "line"), at + right * (CELLS + 1)
        pattern, group = (_RECORD, 1) if _RECORD.match(text, at) else (_COLUMNS, 2)
        found: list[re.Match[bytes]] = []
        while len(found) < self._most and (record := pattern.match(text, found[-1].end() if found else at)):
            found.append(record)
        if len(found) < FEW:
            return [], at
        grids, right = self._in_records([(record[group], record[group + 1]) for record in found])
        self._note(right, len(found))
        if right:
            self.reader.whole.note_column(_decoded(found[right - 1][0][:-1]))
        return self._passed(grids[:right], np.arange(right), right, "line"), found[right - 1].end() if right else at

    def _in_records(self, records: list[tuple[bytes, bytes | None]]) -> tuple[Bytes, int]:
        """Returns the grids of pairs of a grid and perhaps a solution, and how many of the first are right."""
        grids, right = _values(b"".join([cells for cells, _ in records]))
        doubtful: Bools = np.array(grids.all(axis=1))  # a full grid may be the solution of another one
        solutions = [(k, solution) for k, (_, solution) in enumerate(records) if solution]
        if solutions:
            doubtful[[k for k, _ in solutions]] |= _may_be_maps(_digits(b"".join([one for _, one in solutions])))
        return grids, min(right, int(doubtful.argmax())) if doubtful.any() else right

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


def _digits(signs: bytes) -> Bytes:
    """Returns the digits of 81 signs for each grid, 255 for what is no sign."""
    return np.frombuffer(signs.translate(_VALUES), dtype=np.uint8).reshape(-1, CELLS)


def _values(signs: bytes) -> tuple[Bytes, int]:
    """Returns the digits of grids of 81 signs each, and how many of the first ones are right beyond doubt."""
    grids, zeros = _digits(signs), np.frombuffer(signs, dtype=np.uint8).reshape(-1, CELLS) == ord("0")
    right = (grids != _NO_SIGN).all(axis=1) & grids.any(axis=1) & ~_may_be_maps(grids)
    if zeros.any():
        right &= ~(zeros.any(axis=1) & ((grids == 0) & ~zeros).any(axis=1))
    return grids, len(right) if right.all() else int(right.argmin())


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
