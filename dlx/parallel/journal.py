"""Finished pieces on disk, so that a search goes on after anything that ends its process.

A journal is a text: lines of JSON, each behind its CRC-32 in eight hexadecimal digits. The first line tells the format,
the search and how it is cut, the next ones the pieces, and each line after these how far a piece has come: its number,
the covers, nodes and updates so far, and at which of its places its search stands, and where there. Lines are only
appended. A last line that is torn is dropped; whatever else is wrong is refused, with the place, and left as it is.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from operator import index
from typing import Any

from dlx.kernels import TRY
from dlx.parallel.cutting import SPLIT, Cut, Piece, Place
from dlx.parallel.errors import JournalError
from dlx.parallel.exclusive import (
    JOURNAL,
    SNAPSHOT,
    Exclusive,
    check_said,
    check_version,
    contents,
    is_sealed,
    minor_version,
    sealed,
    unsealed,
)
from dlx.problem.checks import UNLIMITED

VERSION = 1
SYNCED = 1.0  # seconds after which lines are on the disk
NOTED = 4.0  # seconds between two lines about a piece that goes on; with a slice, at most nine are lost
LONG = 1 << 20  # bytes: a longer file is shortened before it is gone on with


class Journal:
    """A journal that is being written, by this process alone; raises JournalError or OSError."""

    def __init__(self, path: str, said: dict[str, Any], cut: Callable[[], Cut]) -> None:
        self._path, self._disk = path, Exclusive(path)
        try:
            self._begin(said, cut)
            self._synced = time.monotonic()
            self._noted = [-math.inf] * len(self.pieces)
        except BaseException:
            self._disk.release()
            raise

    def _begin(self, said: dict[str, Any], cut: Callable[[], Cut], shorten: bool = True) -> None:
        """Reads the file, or writes down what is new; a long one may be shortened."""
        file = self._disk.file
        file.seek(0)
        _, read, size = _read(file.read(), self._path, {**_ours(), **said})
        file.truncate(size)
        if not size:
            read = cut()
            self._append(*_first_lines(said, read))
            self._sync()
        self.pieces, self.nodes = read
        if not shorten or size <= LONG:
            return
        try:
            self._shorten(said, read, size)
        except OSError:  # as in a folder that cannot be written; but NFS may fail to tell that all has been done
            self._disk.reopen()
            self._begin(said, cut, shorten=False)

    def note(self, k: int) -> None:
        """Writes down how far a piece has come, if it has come to its end or that has not been done for a while."""
        piece, now = self.pieces[k], time.monotonic()
        if not piece.is_done and now - self._noted[k] < NOTED:
            return
        self._noted[k] = now
        self._append(_progress(k, piece))
        if now - self._synced >= SYNCED:
            self._sync()

    def close(self) -> None:
        """Sees to it that everything is on the disk, and lets others use the file."""
        try:
            begun = (k for k, piece in enumerate(self.pieces) if piece.nodes and not piece.is_done)
            self._append(*(_progress(k, self.pieces[k]) for k in begun))
            self._sync()
        finally:
            self._disk.release()

    def _shorten(self, said: dict[str, Any], read: Cut, size: int) -> None:
        """Puts a file in its place that says the same in fewer lines, if they are many fewer."""
        done = (_progress(k, piece) for k, piece in enumerate(read.pieces) if piece.nodes)
        data = b"".join(map(sealed, [*_first_lines(said, read), *done]))
        if 2 * len(data) > size:
            return
        self._disk.replace([data])

    def _append(self, *values: Any) -> None:
        with self._disk.named():
            self._disk.file.write(b"".join(map(sealed, values)))
            self._disk.file.flush()

    def _sync(self) -> None:
        with self._disk.named():
            os.fsync(self._disk.file.fileno())
        self._synced = time.monotonic()


def tell(path: str) -> tuple[dict[str, Any], list[Piece]]:
    """Returns the first line of a journal, and its pieces; raises JournalError or OSError."""
    first, read, size = _read(contents(path), path, {})
    if not size:
        raise JournalError(path, None, "nothing has been written down yet")
    return first, read.pieces


def _lines(data: bytes, path: str) -> Iterator[tuple[int, Any]]:
    """Yields the values of the lines, numbered from 1; a torn last one is dropped."""
    if data and not JOURNAL.match(data):
        is_snapshot = SNAPSHOT.match(data)
        raise JournalError(path, 1, f"this is no journal{', but a snapshot of a search' if is_snapshot else ''}")
    lines = data.split(b"\n")
    for number, line in enumerate(lines[:-1], start=1):
        if number == len(lines) - 1 and not is_sealed(line):
            return
        yield number, unsealed(path, number, line)


def _first_lines(said: dict[str, Any], cut: Cut) -> Iterator[Any]:
    """Yields the header, and what each piece is; the mark of a place may say no more than the options chosen."""
    yield {"journal": VERSION, **_ours(), **said, "pieces": len(cut.pieces), "nodes": cut.nodes}
    for piece in cut.pieces:
        marks = [None if place.mark == (TRY, *place.chosen) else place.mark for place in piece.places]
        places = zip(piece.places, marks, strict=True)
        yield [piece.estimate, [[place.chosen, place.without, mark, int(place.is_alone)] for place, mark in places]]


def _ours() -> dict[str, Any]:
    """Returns the meaning of marks: it is the same in all versions with the same first two numbers."""
    return {"version": minor_version(), "split": SPLIT}


def _progress(k: int, piece: Piece) -> list[Any]:
    return [k, piece.covers, piece.nodes, piece.updates, piece.at, piece.mark]


def _read(data: bytes, path: str, said: dict[str, Any]) -> tuple[dict[str, Any], Cut, int]:
    """Returns the first line, the rest, and how many bytes count: none if the file ends before the last piece."""
    first: Any = {"pieces": 0, "nodes": 0}
    pieces: list[Piece] = []
    size = 0
    for number, value in _lines(data, path):
        if number == 1:
            first = value
            _check_first(path, first, said)
        elif len(pieces) < first["pieces"]:
            pieces.append(_piece(path, number, value))
        else:
            _advance(path, number, value, pieces)
        size = data.index(b"\n", size) + 1
    is_whole = len(pieces) == first["pieces"]
    return first, Cut(pieces, first["nodes"]), size if is_whole else 0


def _check_first(path: str, value: Any, said: dict[str, Any]) -> None:
    check_version(path, "journal", value, VERSION)
    if not all(type(value.get(name)) is int and value[name] >= 0 for name in ("pieces", "nodes")):
        raise JournalError(path, 1, "this is no journal")
    check_said(path, "journal", value, said)


def _piece(path: str, number: int, value: Any) -> Piece:
    with suppress(TypeError, ValueError, OverflowError):
        nodes, told = value
        places = []
        for chosen, without, mark, is_alone in told:
            way, tried = tuple(map(index, chosen)), tuple(map(index, without))
            stands = (TRY, *way) if mark is None else tuple(map(index, mark))
            places.append(Place(way, tried, stands, bool(index(is_alone))))
        if places:
            return Piece(tuple(places), float(nodes))
    raise JournalError(path, number, "this is no piece")


def _advance(path: str, number: int, value: Any, pieces: Sequence[Piece]) -> None:
    try:
        *numbers, mark = value
        k, covers, nodes, updates, at = map(index, numbers)
        piece = pieces[k]
        stands = None if mark is None else list(map(index, mark))
    except (TypeError, ValueError, IndexError):
        raise JournalError(path, number, "this tells of no piece") from None
    counts = k, covers, nodes, updates, at
    if min(counts) < 0 or max(counts) > UNLIMITED or at + (mark is not None) > len(piece.places):
        raise JournalError(path, number, "this tells of no piece")
    piece.covers, piece.nodes, piece.updates, piece.at, piece.mark = covers, nodes, updates, at, stands
