"""The state of a search on disk, from which the same call continues after any interruption.

A checkpoint is one file. Its first line has the CRC-32 of a JSON text, then the text: the version, the search, and the
numbers of its state. The bytes of the state's arrays follow, then a line with their CRC-32. The file is written as
`NAME.new` and renamed, so a crash never leaves half a checkpoint. A `NAME.new` left by a crash is removed by the next
search.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
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
from dlx.problem.problem import Problem

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

FORMAT = 2
LEAST = 4.0  # seconds between two checkpoints at least
SHARE = 50  # the pause before the next checkpoint, in units of the time that the last one took

OURS = re.compile(rb'[0-9a-f]{8} \{"checkpoint":')  # how a file begins
OLD = re.compile(rb'[0-9a-f]{8} \{"(journal|snapshot)":')  # how a file of version 0.2 begins
IN_USE = "another search is using this file"

Array: TypeAlias = "npt.NDArray[Any]"
State = Mapping[str, Any]  # numeric arrays, and values that JSON can hold

_LOCKED: Final[set[int]] = set()  # descriptors of the files that this process has locked


class Checkpoint:
    """The checkpoint file of a running search; a lock keeps other searches from using it.

    If this search has created the file and saved nothing, the file is removed at the end.

    Parameters:
        path: the file; it is created if it does not exist.
        search: identifies the search, as values for JSON; `load` refuses a file of another search.

    Raises:
        CheckpointError: the file is in use, or it is not a regular file.
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

    def __init__(self, path: str | os.PathLike[str], search: dict[str, Any]) -> None:
        self._path, self._place = os.fspath(path), os.path.realpath(path)
        self._new = f"{self._place}.new"
        self._search = {"version": minor_version(), **search}
        self._next = time.monotonic() + LEAST
        if os.path.exists(self._path) and not (os.path.isfile(self._path) or os.path.isdir(self._path)):
            raise self.refused(
                "this is not a regular file"
            )  # a device or a pipe might never end; `open` refuses folders
        self._is_new = not os.path.exists(self._path)
        self._lock = self._opened()

    @property
    def is_due(self) -> bool:
        """Whether it is time for the next checkpoint."""
        return time.monotonic() >= self._next

    def header(self) -> dict[str, Any] | None:
        """Returns the `search` of the file; None if the file is empty.

        Raises CheckpointError if the file is no checkpoint, or if its first line is damaged.
        """
        with open(self._place, "rb") as file:
            first = self._first(file) if file.peek(1) else {}
        rest = ("checkpoint", "version", "state", "arrays")
        return {name: value for name, value in first.items() if name not in rest} or None

    def load(self) -> dict[str, Any] | None:
        """Returns the saved state, with new arrays; None if the file is empty.

        Raises CheckpointError if the file is damaged or belongs to another search.
        """
        with self.refusing(), open(self._place, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            if not size:
                return None
            first = self._first(file)
            self._check_search(first)
            return {**first["state"], **self._arrays(file, first["arrays"], size - file.tell())}

    def save(self, state: State | None) -> None:
        """Writes the state to the file, unless it is None; raises OSError."""
        if state is None:
            return
        start = time.monotonic()
        try:
            self._replace(self._written(state))
        except OSError as error:  # it names NAME.new, or no file
            raise type(error)(error.errno, error.strerror, self._path) from None
        self._rest(start)

    def follow(self, slices: Iterable[object], state: Callable[[], State | None]) -> None:
        """Runs a search slice by slice; saves its state regularly, and at the end, even after an exception.

        `state` returns the state between two slices, or None if there is nothing to save.
        """
        is_saved = False
        try:
            for _ in slices:
                is_saved = self.is_due
                if is_saved:
                    start = time.monotonic()
                    self.save(state())
                    self._rest(start)
        finally:
            if not is_saved:
                self.save(state())

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Turns errors that an invalid state causes into CheckpointError."""
        try:
            yield
        except CheckpointError:
            raise
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise self.refused(f"this is no state of a search: {error}") from None

    def refused(self, reason: str) -> CheckpointError:
        """Returns a CheckpointError about this file."""
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
        """Creates and locks the file; checks that its folder is writable."""
        open(self._path, "ab").close()
        number = _locked(self._path, self._path)
        try:
            if not _is_there(number, self._path):  # another process has removed or replaced it before it was locked
                raise CheckpointError(self._path, IN_USE)
            _remove(self._new)
            open(self._new, "xb").close()
            _remove(self._new)
        except BaseException:
            _unlock(number)
            raise
        return number

    def _replace(self, data: Iterable[bytes | memoryview]) -> None:
        lock = None
        try:
            with open(self._new, "xb") as file:
                shutil.copymode(self._place, self._new)
                file.writelines(data)
                file.flush()
                os.fsync(file.fileno())
            lock = _locked(self._new, self._path)
            os.replace(self._new, self._place)
        except BaseException:
            _unlock(lock)
            _remove(self._new)
            raise
        before, self._lock = self._lock, lock
        _unlock(before)

    def _rest(self, start: float) -> None:
        """Schedules the next checkpoint after one that began at `start`."""
        now = time.monotonic()
        self._next = now + max(LEAST, SHARE * (now - start))

    def _written(self, state: State) -> Iterator[bytes | memoryview]:
        arrays = {name: np.ascontiguousarray(value) for name, value in state.items() if isinstance(value, np.ndarray)}
        facts = {name: value for name, value in state.items() if name not in arrays}
        types = {name: [array.dtype.str, array.shape] for name, array in arrays.items()}
        yield sealed({"checkpoint": FORMAT, **self._search, "state": facts, "arrays": types})
        crc = 0
        for array in arrays.values():
            data = _bytes(array)
            crc = zlib.crc32(data, crc)
            yield data
        yield b"%08x\n" % crc

    def _check_search(self, first: dict[str, Any]) -> None:
        for name, expected in self._search.items():
            if first.get(name) != expected:
                other = f"other {name}" if name.endswith("s") else f"another {name}"
                raise self.refused(f"this is a checkpoint of {other}: {first.get(name)}, not {expected}")

    def _first(self, file: BufferedReader) -> dict[str, Any]:
        """Reads the first line of a checkpoint."""
        line = file.readline().removesuffix(b"\n")
        if old := OLD.match(line):
            kind = old[1].decode()
            raise self.refused(f"this is a {kind} of version 0.2, which is not supported; remove it to start again")
        if not OURS.match(line):
            raise self.refused("this is not a checkpoint")
        crc, _, text = line.partition(b" ")
        if crc != b"%08x" % zlib.crc32(text):
            raise self.refused("the first line is damaged")
        first: dict[str, Any] = json.loads(text)
        if first["checkpoint"] != FORMAT:
            raise self.refused(f"this is version {first['checkpoint']} of the format; {FORMAT} can be read")
        return first

    def _arrays(self, file: BufferedReader, types: dict[str, Any], size: int) -> dict[str, Array]:
        """Reads the arrays and their CRC-32, the last `size` bytes of a file."""
        forms = {name: (np.dtype(dtype), shape) for name, (dtype, shape) in types.items()}
        if wrong := [dtype for dtype, _ in forms.values() if dtype.kind not in "biuf"]:
            raise ValueError(f"an array of {wrong[0]}")
        if sum(dtype.itemsize * prod(shape) for dtype, shape in forms.values()) + 9 != size:
            raise self.refused("the arrays have not the length given in the first line")
        crc, arrays = 0, {}
        for name, (dtype, shape) in forms.items():
            array = np.empty(shape, dtype=dtype)
            file.readinto(data := _bytes(array))
            crc = zlib.crc32(data, crc)
            arrays[name] = array.astype(dtype.newbyteorder("="), copy=False)
        if file.read() != b"%08x\n" % crc:
            raise self.refused("the arrays are damaged")
        return arrays


def sealed(value: Any) -> bytes:
    """Returns a line: the CRC-32 in eight hexadecimal digits, then the JSON."""
    text = json.dumps(value, separators=(",", ":")).encode()
    return b"%08x %b\n" % (zlib.crc32(text), text)


def minor_version() -> str:
    """Returns major.minor of the version; checkpoints are compatible between versions that share it."""
    return ".".join(version().split(".")[:2])


def fingerprint(problem: Problem) -> str:
    """Returns a hash of a problem without names and weights: options, items, colours, multiplicities, roles."""
    hashed = hashlib.sha256(f"{problem.n_primary} {problem.n_items}".encode())
    optional = problem.colours, problem.multiplicities, problem.roles
    for part in (problem.indptr, problem.indices, *optional):
        hashed.update(b"-" if part is None else str(part.shape).encode() + np.ascontiguousarray(part).tobytes())
    return hashed.hexdigest()[:32]


def _bytes(array: Array) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _locked(place: str, path: str) -> int | None:
    """Opens and locks `place`, the file or its NAME.new; returns the descriptor, or None on Windows (no locks)."""
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
    """Returns whether this path still leads to the locked file."""
    try:
        return number is None or os.path.samestat(os.fstat(number), os.stat(path))
    except FileNotFoundError:
        return False


def _remove(place: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(place)


def _close_locked() -> None:
    """Closes the locked files in a forked process; otherwise the locks would outlive the search."""
    for number in _LOCKED:
        os.close(number)
    _LOCKED.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_locked)
