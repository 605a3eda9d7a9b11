"""The reader of bytes: plain grids in blocks, many at a time, and all other lines one by one.

Blocks only save time: the reader of lines finds the same grids. A block is a run of lines with 81 cells, alone or in a
column, or a run of grids of several lines that are written alike, as the reader of lines reads the first three of them:
see `Skeleton`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from sudoku.formats.reader import Reader
from sudoku.formats.request import Request
from sudoku.formats.rows import is_numbered
from sudoku.formats.sections import MOST_ROWS
from sudoku.formats.signs import BLANKS, LONGEST_LINE, LONGEST_VALUE
from sudoku.grid import Form, GridError, Puzzle, frozen
from sudoku.layout import as_layout

Bytes: TypeAlias = npt.NDArray[np.uint8]
Bools: TypeAlias = npt.NDArray[np.bool_]

CELLS = 81
PIECE = 1 << 18  # bytes read at once: grids for 5 ms
FEW = 8  # grids that are read one by one as fast as together
AT_ONCE = 1 << 11  # grids of several lines that are checked together, at most, since one may be malformed
LONGEST_SKELETON = 32  # lines of a grid and of what stands before the next grid, at most

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
_PLAIN = re.compile(rb"[1 ,|+=-]*")  # rows and rules of a skeleton
_DIVIDED = re.compile(rb"[,;\t]")  # a title that may be a line of a table
_EVERY_DIGIT = sum(1 << digit for digit in range(1, 10))
_FAR_APART = [0, 4, 8, 36, 40, 44, 72, 76, 80]  # a connected region of nine cells has at most three of these
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
        has_come, wanted = True, 0
        while has_come and not blocks.reader.over:
            has_come = self._take(blocks)
            if has_come and len(self._data) < wanted:
                continue
            text = self._data
            yield from blocks.take(text, last=not has_come)
            self._data = text[blocks.end :]
            wanted = 2 * len(self._data) if blocks.waits and len(self._data) > PIECE else 0  # a long section is rare
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
    """How a grid of several lines, and what stands between it and the next one, are written; cells are drawn as 1."""

    drawn: bytes
    lines: int
    cells: npt.NDArray[np.intp]  # the places of the 81 cells
    titles: list[int]  # the lines with the number of the grid or a comment, whose digits are no cells

    @classmethod
    def of(cls, lines: list[bytes]) -> Skeleton | None:
        """Returns the skeleton of the first grid of some lines if the next grid has the same one."""
        drawn = b"\n".join(lines).translate(_DRAWN).split(b"\n")
        cells: list[int] = []
        titles: list[int] = []
        offset = 0
        for number, line in enumerate(drawn[:LONGEST_SKELETON], 1):
            if _PLAIN.fullmatch(line):
                cells += [offset + k for k, sign in enumerate(line) if sign == ord("1")]
            elif _is_title(lines[number - 1]):
                titles.append(number - 1)
            else:
                return None
            offset += len(line) + 1
            if len(cells) > CELLS:
                return None
            if len(cells) == CELLS and drawn[:number] == drawn[number : 2 * number]:
                return cls(b"\n".join(drawn[:number]) + b"\n", number, np.array(cells), titles)
        return None

    def grids(self, text: bytes, begin: int, lines: list[bytes]) -> tuple[Bytes, Bools]:
        """Returns the grids of lines that begin in a text, shape (m, 81), and which of them may be read otherwise."""
        size, number = len(self.drawn), len(lines) // self.lines
        there = np.frombuffer(text, dtype=np.uint8, count=number * size, offset=begin).reshape(number, size)
        signs = there.take(self.cells, axis=1)
        grids = _digits(signs.tobytes())
        are_doubtful = _are_doubtful(grids, signs)
        for title in self.titles:
            are_doubtful |= np.array([not _is_title(line) for line in lines[title :: self.lines]])
        return grids, are_doubtful


class Answers(NamedTuple):
    """How the reader of lines answers grids that have one skeleton and follow one another."""

    form: Form
    first: int  # the lines of a skeleton above its first row
    before: int  # of three grids, those answered before the text ends: 0 if they are one section, 3 if gaps end them

    @classmethod
    def of(cls, lines: list[bytes], request: Request) -> Answers | None:
        """Returns how the lines of three grids are answered; None if they are not the grids of their cells."""
        reader = Reader(request)
        before = [found for line in lines for found in reader.take(_decoded(line))]
        found = [*before, *reader.close()]
        size, first = len(lines) // 3, found[0].line - 1
        form: Form | None = found[0].form if isinstance(found[0], Puzzle) else None
        are_grids = all(isinstance(one, Puzzle) and one.form == form and one.candidates is None for one in found)
        are_alike = are_grids and [one.line - 1 for one in found] == [first, first + size, first + 2 * size]
        if form not in ("rows", "boxed") or not are_alike or len(before) == 1:
            return None
        return cls(form, first, len(before))


class Blocks:
    """Reads whole lines of bytes."""

    def __init__(self, request: Request) -> None:
        self.request, self.reader = request, Reader(request)
        self.end = 0  # bytes of the last text that were read
        self._is_plain = request.layout.is_plain and request.alphabet is None
        self.waits = False  # whether the rest of the last text is a section that may go on
        self._drawn = b""  # the last text with each cell drawn as 1, if there is a skeleton
        self._known: tuple[bytes, Answers | None] = b"", None  # the last skeleton, and how it is answered

    def cut(self, data: bytes) -> bytes:
        """Returns data without the end of a last line that is longer than any line can be."""
        begin = data.rfind(b"\n") + 1
        head = data[begin : begin + 1]
        most = LONGEST_VALUE if self.reader.file or head in (b"[", b"{", b" ") else LONGEST_LINE
        return data[: begin + most + 1]

    def take(self, text: bytes, last: bool) -> Iterator[Item]:
        """Reads lines, and a line without an end if it is the last one; `end` says how far."""
        if last and text and not text.endswith(b"\n"):
            text += b"\n"
        found = text.split(b"\n")[:-1]
        at = self.end = 0
        self._drawn, self.waits = b"", False
        while at < len(found) and not self.reader.over and not self.waits:
            number = 0
            if self._is_plain and self.reader.rests:
                items, number = self._block(text, found, at, last)
                yield from items
            if not number and not self.waits:
                yield from self._line(found[at])
                self.end += len(found[at]) + 1
                number = 1
            at += number

    def _line(self, line: bytes) -> Iterator[Item]:
        if len(line) > LONGEST_LINE and self.reader.file is None and line.lstrip()[:1] not in (b"{", b"["):
            line = line[:LONGEST_LINE]
        return self.reader.take(_decoded(line))

    def _block(self, text: bytes, found: list[bytes], at: int, last: bool) -> tuple[list[Item], int]:
        """Returns the grids from a line on that can be read together, and the number of their lines."""
        if len(found[at]) >= CELLS:
            return self._grids_in_lines(found, at)
        skeleton = Skeleton.of(found[at : at + 2 * LONGEST_SKELETON]) if found[at] else None
        return self._equal_grids(skeleton, text, found, at, last) if skeleton else ([], 0)

    def _equal_grids(
        self, skeleton: Skeleton, text: bytes, found: list[bytes], at: int, last: bool
    ) -> tuple[list[Item], int]:
        """Returns the grids with a skeleton, and the number of their lines."""
        number, height = self._repeats(skeleton, text, AT_ONCE), skeleton.lines
        if number <= FEW:
            return [], 0
        grids, are_doubtful = skeleton.grids(text, self.end, found[at : at + number * height])
        if self._known[0] != skeleton.drawn:
            if are_doubtful[:3].any():
                return [], 0
            self._known = skeleton.drawn, Answers.of(found[at : at + 3 * height], self.request)
        answers = self._known[1]
        if answers is None:
            return [], 0
        if answers.before == 0:  # what stands behind them may change all answers
            number = self._repeats(skeleton, text, MOST_ROWS // height + 1)
            grids, are_doubtful = skeleton.grids(text, self.end, found[at : at + number * height])
            if number * height > MOST_ROWS or are_doubtful.any() or _may_have_lines_between(grids):
                return [], 0
            self.waits = not last and self._is_cut(skeleton, number)
            behind = found[at + number * height : at + number * height + 1]
            if any(line.strip(b" ") for line in behind) or not (behind or last):
                return [], 0
        else:  # each grid is answered when the next one begins, and the last one is read alone
            right = int(are_doubtful.argmax()) if are_doubtful.any() else number
            is_long = answers.before == 2 and len(text) >= PIECE
            self.waits = not last and is_long and right == number and self._is_cut(skeleton, number)
            number = max(right - 1, 0)
        firsts = answers.first + height * np.arange(number)
        self.end += number * len(skeleton.drawn)
        return self._passed(grids[:number], firsts, number * height, answers.form)

    def _repeats(self, skeleton: Skeleton, text: bytes, most: int) -> int:
        """Returns how often a skeleton comes from here on, up to a number."""
        self._drawn = self._drawn or text.translate(_DRAWN)
        begin, size, number = self.end, len(skeleton.drawn), 0
        while number < most and self._drawn.startswith(skeleton.drawn, begin + number * size):
            number += 1
        return number

    def _is_cut(self, skeleton: Skeleton, number: int) -> bool:
        """Returns whether the text ends within a skeleton behind a number of others."""
        size = len(skeleton.drawn)
        rest = self._drawn[self.end + number * size : self.end + (number + 1) * size]
        return len(rest) < size and skeleton.drawn.startswith(rest)

    def _grids_in_lines(self, found: list[bytes], at: int) -> tuple[list[Item], int]:
        """Returns the grids of a run of lines that begin with 81 cells, or have them in a column."""
        end = at
        while end < len(found) and len(found[end]) == CELLS:
            end += 1
        if end - at >= FEW:
            grids, right = _values(found[at:end])
            self.end += right * (CELLS + 1)
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
        self.reader.whole.note_column(_decoded(lines[0]))
        right = _alone(lines[:right])
        self.end += sum(map(len, lines[:right])) + right
        return self._passed(grids[:right], np.arange(right), right, "line")

    def _passed(self, grids: Bytes, firsts: npt.NDArray[np.intp], lines: int, form: Form) -> tuple[list[Item], int]:
        """Returns grids, and counts their lines as read; `firsts` are the numbers of lines above each grid."""
        if not len(grids):
            return [], 0
        block = Block(grids, self.request.file, (firsts + self.reader.line + 1).tolist(), form)
        self.reader.line += lines
        self.reader.has_answers = True
        return [block] if len(grids) >= FEW else [*block.puzzles()], lines


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


def _is_title(line: bytes) -> bool:
    """Returns whether a line is the number of a grid, or a comment, whatever its digits are."""
    return line.startswith(b"#") or (is_numbered(_decoded(line.strip(b" "))) and not _DIVIDED.search(line))


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
    """Returns which grids have several signs for blanks, no digit, a heading or perhaps equal rows, or may be maps."""
    blank = grids == 0
    sign = signs.flat[blank.argmax()] if blank.any() else ord(".")
    starts = np.ndarray((len(signs), 9), dtype=np.uint64, buffer=signs, strides=(CELLS, 9))  # eight signs of each row
    plain = np.frombuffer(bytes([sign] * 8), dtype=np.uint64)
    same = (starts[:, 1:] == starts[:, :-1]) & (starts[:, 1:] != plain)
    headed = (starts == _HEADS[0]) | (starts == _HEADS[1])
    foreign = blank & (signs != sign)
    eights = np.ndarray((len(grids), 10), dtype=np.uint64, buffer=grids, strides=(CELLS, 8))  # all cells but the last
    doubtful: Bools = ~eights.any(axis=1) | same.any(axis=1) | headed.any(axis=1) | _may_be_maps(grids)
    return doubtful | foreign.any(axis=1) if foreign.any() else doubtful


def _may_have_lines_between(grids: Bytes) -> bool:
    """Returns whether rows of blanks may be lines between the grids of a section."""
    rows = grids.reshape(-1, 9)
    return not (rows[::10].any() and rows[9::10].any())
