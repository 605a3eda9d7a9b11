"""The state of a search on disk, so that the same call continues after anything that ended it.

A checkpoint is one file. Its first line is JSON behind the CRC-32 of the JSON: the version, the search, and the numbers
of its state. Then come the bytes of the arrays of the state, and a last line with their CRC-32. The file is written
anew under another name and renamed, so a crash never leaves half of a checkpoint.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BufferedReader
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from dlx.parallel.errors import CheckpointError
from dlx.parallel.worker import version

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

FORMAT = 2
LEAST = 4.0  # seconds between two checkpoints, at least
SHARE = 50  # a checkpoint that takes a second is followed by none for 50 seconds

OURS = re.compile(rb'[0-9a-f]{8} \{"checkpoint":')  # the beginning of a file
OLD = re.compile(rb'[0-9a-f]{8} \{"(journal|snapshot)":')  # the beginning of a file of version 0.2
IN_USE = "another search is using this file"

Array: TypeAlias = "npt.NDArray[Any]"
State = Mapping[str, Any]  # arrays of numbers, and values for JSON

_LOCKED: Final[set[int]] = set()  # descriptors of the locked files of this process


class Checkpoint:
    """The checkpoint file of a running search, which no other search can use at the same time.

    A file that this search has created is removed at the end if nothing was saved.

    Parameters:
        path: the file; it is created if it does not exist.
        said: what identifies the search, as values for JSON; a file of another search is refused.

    Raises:
        CheckpointError: the file is in use, or no regular file.
        OSError: the file or its folder cannot be written.

    >>> import os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Checkpoint(os.path.join(folder.name, "run.checkpoint"), {"problem": "toy"}) as checkpoint:
    ...     checkpoint.load()
    ...     checkpoint.save({"nodes": 7, "states": np.arange(3, dtype=np.uint64)})
    ...     checkpoint.load()
    {'nodes': 7, 'states': array([0, 1, 2], dtype=uint64)}
    >>> folder.cleanup()
    """

    def __init__(self, path: str | os.PathLike[str], said: dict[str, Any]) -> None:
        self._path, self._place = os.fspath(path), os.path.realpath(path)
        self._said = {"version": minor_version(), **said}
        self._next = time.monotonic() + LEAST
        _check_regular(self._path)
        self._is_new = not os.path.exists(self._path)
        with self._named():
            self._lock = self._opened()

    @property
    def is_due(self) -> bool:
        """Whether enough time has passed for the next checkpoint."""
        return time.monotonic() >= self._next

    def load(self) -> dict[str, Any] | None:
        """Returns the state that was saved last, with new arrays; None if the file is empty.

        Raises CheckpointError if the file is damaged, or of another search.
        """
        with self.refusing(), open(self._place, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            if not size:
                return None
            first = _first(self._path, file)
            _check_said(self._path, first, self._said)
            return {**first["state"], **_arrays(self._path, file, first["arrays"], size - file.tell())}

    def save(self, state: State | None) -> None:
        """Replaces the file by one with this state, unless it is None; raises OSError."""
        if state is None:
            return
        start = time.monotonic()
        with self._named():
            self._replace(self._written(state))
        self._rest(start)

    def follow(self, slices: Iterable[object], stand: Callable[[], State | None]) -> None:
        """Runs a search slice by slice; saves its state now and then, and at the end whatever ends it.

        `stand` returns the state between two slices, or None if there is nothing to save.
        """
        is_saved = False
        try:
            for _ in slices:
                is_saved = self.is_due
                if is_saved:
                    start = time.monotonic()
                    self.save(stand())
                    self._rest(start)
        finally:
            if not is_saved:
                self.save(stand())

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Turns errors about an impossible state into CheckpointError."""
        try:
            yield
        except CheckpointError:
            raise
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise self.refused(f"this is no state of a search: {error}") from None

    def refused(self, reason: str) -> CheckpointError:
        """Returns the error for a state that does not fit."""
        return CheckpointError(self._path, reason)

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *error: object) -> None:
        try:
            with suppress(OSError):
                if self._is_new and not os.stat(self._place).st_size:
                    os.unlink(self._place)
        finally:
            _unlock(self._lock)

    def _opened(self) -> int | None:
        """Creates and locks the file; proves that its folder can be written."""
        open(self._path, "ab").close()
        number = _locked(self._path, self._path)
        try:
            if not _is_there(number, self._path):  # another process has removed or replaced it before it was locked
                raise CheckpointError(self._path, IN_USE)
            tempfile.TemporaryFile(dir=os.path.dirname(self._place)).close()
        except BaseException:
            _unlock(number)
            raise
        return number

    def _replace(self, data: Iterable[bytes | memoryview]) -> None:
        folder, name = os.path.split(self._place)
        lock = None
        number, new = tempfile.mkstemp(dir=folder, prefix=f"{name}.")
        try:
            with open(number, "wb") as file:
                os.chmod(new, stat.S_IMODE(os.stat(self._place).st_mode))
                file.writelines(data)
                file.flush()
                os.fsync(number)
            lock = _locked(new, self._path)
            os.replace(new, self._place)
        except BaseException:
            _unlock(lock)
            with suppress(OSError):
                os.unlink(new)
            raise
        before, self._lock = self._lock, lock
        _unlock(before)

    def _rest(self, start: float) -> None:
        """Sets the time of the next checkpoint after one that was begun at `start`."""
        now = time.monotonic()
        self._next = now + max(LEAST, SHARE * (now - start))

    def _written(self, state: State) -> Iterator[bytes | memoryview]:
        arrays = {name: np.ascontiguousarray(value) for name, value in state.items() if isinstance(value, np.ndarray)}
        facts = {name: value for name, value in state.items() if name not in arrays}
        types = {name: [array.dtype.str, array.shape] for name, array in arrays.items()}
        yield sealed({"checkpoint": FORMAT, **self._said, "state": facts, "arrays": types})
        crc = 0
        for array in arrays.values():
            data = _bytes(array)
            crc = zlib.crc32(data, crc)
            yield data
        yield b"%08x\n" % crc

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Has errors of the system name the checkpoint, not a temporary file."""
        try:
            yield
        except CheckpointError:
            raise
        except OSError as error:
            raise type(error)(error.errno, error.strerror, self._path) from None


def header(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Returns what identifies the search of a checkpoint; None if there is no file, or an empty one.

    Raises CheckpointError if it is no checkpoint, or if its first line is damaged.
    """
    place = os.fspath(path)
    if not os.path.exists(place):
        return None
    _check_regular(place)
    with open(place, "rb") as file:
        if not file.peek(1):
            return None
        first = _first(place, file)
    return {name: value for name, value in first.items() if name not in ("checkpoint", "version", "state", "arrays")}


def _check_regular(path: str) -> None:
    """Raises CheckpointError for a device or a pipe, which might never end; `open` refuses folders."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise CheckpointError(path, "this is no regular file")


def sealed(value: Any) -> bytes:
    """Returns a line of JSON behind its CRC-32 in eight hexadecimal digits."""
    text = json.dumps(value, separators=(",", ":")).encode()
    return b"%08x %b\n" % (zlib.crc32(text), text)


def minor_version() -> str:
    """Returns the first two numbers of the version; checkpoints are compatible between versions with the same."""
    return ".".join(version().split(".")[:2])


def _first(path: str, file: BufferedReader) -> dict[str, Any]:
    """Reads the first line of a checkpoint."""
    line = file.readline().removesuffix(b"\n")
    if old := OLD.match(line):
        reason = f"this is a {old[1].decode()} of version 0.2, which can no longer be read; remove it to begin anew"
        raise CheckpointError(path, reason)
    if not OURS.match(line):
        raise CheckpointError(path, "this is no checkpoint")
    crc, _, text = line.partition(b" ")
    if crc != b"%08x" % zlib.crc32(text):
        raise CheckpointError(path, "the first line is damaged")
    first: dict[str, Any] = json.loads(text)
    if first["checkpoint"] != FORMAT:
        raise CheckpointError(path, f"this is version {first['checkpoint']} of the format; {FORMAT} can be read")
    return first


def _check_said(path: str, first: dict[str, Any], said: dict[str, Any]) -> None:
    for name, expected in said.items():
        if first.get(name) != expected:
            other = f"other {name}" if name.endswith("s") else f"another {name}"
            raise CheckpointError(path, f"this is a checkpoint of {other}: {first.get(name)}, not {expected}")


def _arrays(path: str, file: BufferedReader, types: dict[str, Any], size: int) -> dict[str, Array]:
    """Reads the arrays and their CRC-32 from the last `size` bytes of a file."""
    kinds = {name: (np.dtype(kind), shape) for name, (kind, shape) in types.items()}
    if wrong := [kind for kind, _ in kinds.values() if kind.kind not in "biuf"]:
        raise ValueError(f"an array of {wrong[0]}")
    if sum(kind.itemsize * prod(shape) for kind, shape in kinds.values()) + 9 != size:
        raise CheckpointError(path, "the arrays are not as long as the first line says")
    crc, arrays = 0, {}
    for name, (kind, shape) in kinds.items():
        array = np.empty(shape, dtype=kind)
        file.readinto(data := _bytes(array))
        crc = zlib.crc32(data, crc)
        arrays[name] = array.astype(kind.newbyteorder("="), copy=False)
    if file.read() != b"%08x\n" % crc:
        raise CheckpointError(path, "the arrays are damaged")
    return arrays


def _bytes(array: Array) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _locked(place: str, path: str) -> int | None:
    """Opens and locks a file of the checkpoint with this path; None on Windows, where nothing is locked."""
    if fcntl is None:
        return None
    number = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)
    _LOCKED.add(number)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        _unlock(number)
        raise CheckpointError(path, IN_USE) from None
    return number


def _unlock(number: int | None) -> None:
    """Closes a locked file."""
    if number is not None:
        _LOCKED.discard(number)
        os.close(number)


def _is_there(number: int | None, path: str) -> bool:
    """Tells whether a locked file is the one with this path."""
    try:
        return number is None or os.path.samestat(os.fstat(number), os.stat(path))
    except FileNotFoundError:
        return False


def _leave() -> None:
    """Closes the locked files in a process that has been forked, so that they are locked no longer than the search."""
    for number in _LOCKED:
        os.close(number)
    _LOCKED.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave)
