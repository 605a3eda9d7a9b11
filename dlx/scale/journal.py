"""Finished pieces on disk, so that a search goes on after anything that ends its process.

A journal is a text: lines of JSON, each behind its CRC-32 in eight hexadecimal digits. The first line tells the format,
the problem by its fingerprint and the kernel, the next ones the pieces, and each line after these how far a piece has
come: its number, the covers, nodes and updates so far, and where its search stands, or null at its end. Lines are only
appended. A last line that is torn is dropped; whatever else is wrong is refused, with the place, and left as it is.
"""

from __future__ import annotations

import json
import os
import re
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from operator import index
from typing import IO, Any

from dlx.engine import KernelName
from dlx.problem import Problem
from dlx.scale.errors import JournalError
from dlx.scale.parts import Piece, fingerprint
from dlx.scale.pieces import Part

VERSION = 1
SYNCED = 1.0  # seconds after which what has been written is on the disk
BEGINNING = re.compile(rb'[0-9a-f]{8} \{"journal":')  # of each journal, even if its first line is torn

_WRITTEN: dict[str, IO[bytes]] = {}  # the files that this process is writing: it must not open and close them again


class Journal:
    """A journal that is being written, by this process alone.

    Parameters:
        path: the file; if it is there, it is gone on with.
        problem: what the search is for.
        kernel: what runs.
        split: makes the pieces, if there are none yet.

    Attributes:
        parts: the pieces, as far as they have come.

    Raises:
        JournalError: the file is no journal, it is damaged, of another problem, kernel or version, or in use.
        OSError: it cannot be read or written.

    >>> import tempfile
    >>> problem = Problem.from_options(["ab", "bc", "c", "a"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "run.journal")
    ...     with Journal(file, problem, "auto", lambda: [Piece((), (), 3.0)]) as journal:
    ...         journal.parts[0].covers = 7
    ...         journal.note(0)
    ...     with Journal(file, problem, "auto", list) as journal:
    ...         print(journal.parts[0].covers)
    7
    """

    def __init__(self, path: str, problem: Problem, kernel: KernelName, split: Callable[[], Sequence[Piece]]) -> None:
        self._path, self._place = path, os.path.realpath(path)
        if self._place in _WRITTEN:
            raise JournalError(path, None, "it is being written by this process")
        self._file = open(path, "a+b")  # noqa: SIM115
        _WRITTEN[self._place] = self._file
        try:
            _lock(self._file, path)
            self._file.seek(0)
            data = self._file.read()
            said = {"journal": VERSION, "problem": fingerprint(problem), "kernel": kernel}
            self.parts, size = _read(data, path, said)
            self._file.truncate(size)
            if not size:
                pieces = list(split())
                self.parts = [Part(piece) for piece in pieces]
                self._append({**said, "pieces": len(pieces)}, *([p.chosen, p.without, p.nodes] for p in pieces))
                self._sync()
            self._synced = time.monotonic()
        except BaseException:
            self._release()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def note(self, k: int) -> None:
        """Writes down how far a piece has come."""
        part = self.parts[k]
        self._append([k, part.covers, part.nodes, part.updates, part.mark])
        if time.monotonic() - self._synced >= SYNCED:
            self._sync()

    def close(self) -> None:
        """Sees to it that everything is on the disk, and lets others use the file."""
        try:
            self._sync()
        finally:
            self._release()

    def _release(self) -> None:
        self._file.close()
        _WRITTEN.pop(self._place)

    def _append(self, *values: Any) -> None:
        self._file.write(b"".join(map(_line, values)))
        self._file.flush()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()


def tell(path: str) -> tuple[dict[str, Any], list[Part]]:
    """What a journal says: its first line, and how far the pieces have come.

    Raises:
        JournalError: the file is no journal, or it is damaged.
        OSError: it cannot be read.
    """
    if written := _WRITTEN.get(os.path.realpath(path)):
        data = os.pread(written.fileno(), os.fstat(written.fileno()).st_size, 0)
    else:
        with open(path, "rb") as file:
            data = file.read()
    if not data:
        raise JournalError(path, 1, "this is no journal")
    first: Any = next(_lines(data, path), (1, None))[1]
    _check_first(path, first)
    return first, _read(data, path, {name: first[name] for name in ("journal", "problem", "kernel")})[0]


def _line(value: Any) -> bytes:
    text = json.dumps(value, separators=(",", ":")).encode()
    return b"%08x %b\n" % (zlib.crc32(text), text)


def _lines(data: bytes, path: str) -> Iterator[tuple[int, Any]]:
    """The values of the lines, numbered from 1; a torn last one is dropped."""
    if data and not BEGINNING.match(data):
        raise JournalError(path, 1, "this is no journal")
    lines = data.split(b"\n")
    for number, line in enumerate(lines[:-1], start=1):
        crc, _, text = line.partition(b" ")
        if crc != b"%08x" % zlib.crc32(text):
            if number == len(lines) - 1:
                return
            raise JournalError(path, number, "this line is damaged")
        try:
            yield number, json.loads(text)
        except ValueError as error:
            raise JournalError(path, number, f"this line is no JSON: {error}") from None


def _read(data: bytes, path: str, said: dict[str, Any]) -> tuple[list[Part], int]:
    """The pieces, as far as they have come, and how many bytes of the file say so: none if it ends before them."""
    parts: list[Part] = []
    size = wanted = 0
    for number, value in _lines(data, path):
        if number == 1:
            _check_first(path, value)
            for name, expected in said.items():
                if value[name] != expected:
                    raise JournalError(path, 1, f"this is a journal of another {name}: {value[name]}, not {expected}")
            wanted = value["pieces"]
        elif len(parts) < wanted:
            parts.append(Part(_piece(path, number, value)))
        else:
            _advance(path, number, value, parts)
        size = data.index(b"\n", size) + 1
    return ([], 0) if len(parts) < wanted else (parts, size)


def _check_first(path: str, value: Any) -> None:
    if not isinstance(value, dict) or "journal" not in value:
        raise JournalError(path, 1, "this is no journal")
    if value["journal"] != VERSION:
        raise JournalError(path, 1, f"this is version {value['journal']} of the format, and {VERSION} can be read")
    if not {"problem", "kernel"} <= value.keys() or type(value.get("pieces")) is not int:
        raise JournalError(path, 1, "this is no journal")


def _piece(path: str, number: int, value: Any) -> Piece:
    try:
        chosen, without, nodes = value
        return Piece(tuple(map(int, chosen)), tuple(map(int, without)), float(nodes))
    except (TypeError, ValueError):
        raise JournalError(path, number, "this is no piece") from None


def _advance(path: str, number: int, value: Any, parts: Sequence[Part]) -> None:
    try:
        *numbers, mark = value
        k, covers, nodes, updates = map(index, numbers)
        part = parts[k]
    except (TypeError, ValueError, IndexError):
        raise JournalError(path, number, "this tells of no piece") from None
    if min(k, covers, nodes, updates) < 0:
        raise JournalError(path, number, "this tells of no piece")
    part.covers, part.nodes, part.updates, part.mark, part.is_done = covers, nodes, updates, mark, mark is None


def _lock(file: IO[bytes], path: str) -> None:
    """Takes the file for this process; workers that are forked have no part in it, and it ends with the process.

    It also ends when the process closes the file, by whatever name or number it has been opened.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise JournalError(path, None, "it is being written by another process") from None
