"""The state of a search on disk, from which the same call continues after any interruption.

A checkpoint is an archive of arrays as `numpy.savez` writes it. The array `HEADER` holds a JSON text with the identity
of the search and the values of its state that are not arrays; the other arrays belong to the state. The archive has a
CRC-32 of each array. It is written as `NAME.new` and renamed, so a crash never leaves half a checkpoint.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final

import numpy as np

from dlx.parallel.errors import CheckpointError
from dlx.parallel.worker import version
from dlx.problem.problem import Problem

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

LEAST = 4.0  # the least seconds between two checkpoints
SHARE = 50  # the pause before the next checkpoint, in units of the time that the last one took

HEADER = "checkpoint"  # the name of the array with the JSON text
ARRAY = "state/"  # prefix of the names of the other arrays
IN_USE = "another search is using this file"

State = Mapping[str, Any]  # numeric arrays, and values that JSON can hold

_OPEN: Final[set[str]] = set()  # the checkpoint files in use by this process


class Checkpoint:
    """The checkpoint file of a running search; the lock on NAME.lock keeps other searches from using it.

    Parameters:
        path: the file; it is created by the first `save`.
        search: identifies the search, as values for JSON; `load` refuses a file of another search.

    Raises:
        CheckpointError: the file is in use, or it is not a regular file.
        OSError: the folder cannot be written.

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
        _check_kind(self._path)
        self._lock = self._locked()
        _remove(self._new)

    @property
    def is_due(self) -> bool:
        """Whether it is time for the next checkpoint."""
        return time.monotonic() >= self._next

    def load(self) -> dict[str, Any] | None:
        """Returns the saved state, with new arrays; None if there is no file, or an empty one.

        Raises CheckpointError if the file is damaged or belongs to another search.
        """
        if not _has_bytes(self._path):
            return None
        with _archive(self._path) as archive:
            header = _header(archive)
            self._check_search(header["search"])
            return {**header["state"], **{name: archive[f"{ARRAY}{name}"] for name in header["arrays"]}}

    def save(self, state: State | None) -> None:
        """Writes the state to the file, unless it is None; raises OSError."""
        if state is None:
            return
        start = time.monotonic()
        try:
            with _naming(self._path):
                self._replace(state)
        finally:
            _remove(self._new)  # exists only if writing or renaming failed
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

    def refusing(self) -> Any:
        """Returns a context in which errors that an invalid state causes become CheckpointError."""
        return _refusing(self._path)

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *error: object) -> None:
        _OPEN.discard(self._place)
        if self._lock is not None:
            _remove(self._lock.name)
            self._lock.close()

    def _locked(self) -> BinaryIO | None:
        """Creates and locks NAME.lock; returns None on Windows, which has no such locks.

        Forked workers may outlive the search; they do not inherit a lock by `lockf`.
        """
        if self._place in _OPEN:
            raise CheckpointError(self._path, IN_USE)
        with _naming(self._path):
            lock = None if fcntl is None else open(f"{self._place}.lock", "ab")  # noqa: SIM115  (open until __exit__)
        if lock is not None and not _has_locked(lock):
            lock.close()
            raise CheckpointError(self._path, IN_USE)
        _OPEN.add(self._place)
        return lock

    def _replace(self, state: State) -> None:
        """Writes a state to NAME.new and renames it."""
        arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
        facts = {name: value for name, value in state.items() if name not in arrays}
        header = json.dumps({"search": self._search, "state": facts, "arrays": [*arrays]}, separators=(",", ":"))
        parts = {HEADER: np.frombuffer(header.encode(), dtype=np.uint8)}
        parts |= {f"{ARRAY}{name}": value for name, value in arrays.items()}
        with open(self._new, "xb") as file:
            np.savez(file, **parts)  # type: ignore[arg-type]
            file.flush()
            os.fsync(file.fileno())
        os.replace(self._new, self._place)

    def _rest(self, start: float) -> None:
        """Schedules the next checkpoint after one that began at `start`."""
        now = time.monotonic()
        self._next = now + max(LEAST, SHARE * (now - start))

    def _check_search(self, search: dict[str, Any]) -> None:
        for name, expected in self._search.items():
            if search.get(name) != expected:
                other = f"other {name}" if name.endswith("s") else f"another {name}"
                reason = f"this is a checkpoint of {other}: {search.get(name)}, not {expected}"
                raise CheckpointError(self._path, reason)


def saved_search(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Returns the identity of the search in a checkpoint; None if there is no file, or an empty one.

    Raises CheckpointError if the file is damaged or is not a checkpoint, and OSError if it cannot be read.
    """
    _check_kind(path)
    if not _has_bytes(path):
        return None
    with _archive(path) as archive:
        search: dict[str, Any] = _header(archive)["search"]
        return search


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


def _check_kind(path: str | os.PathLike[str]) -> None:
    """Raises CheckpointError for a folder, and for a device or a pipe, which might never end."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise CheckpointError(os.fspath(path), "this is not a regular file")


def _has_bytes(path: str | os.PathLike[str]) -> bool:
    return os.path.exists(path) and os.path.getsize(path) > 0


@contextmanager
def _archive(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Opens a checkpoint after all its checksums are verified; errors of its content become CheckpointError."""
    with open(path, "rb") as file:
        try:
            with zipfile.ZipFile(file) as whole:
                is_damaged = f"{HEADER}.npy" not in whole.namelist() or whole.testzip() is not None
        except Exception:  # zipfile raises many types for damaged files
            is_damaged = True
        if is_damaged:
            raise CheckpointError(
                os.fspath(path), "this is not a checkpoint of this version, or it is damaged; remove it to start again"
            )
        file.seek(0)
        with _refusing(os.fspath(path)), np.load(file, allow_pickle=False) as archive:
            yield archive


def _header(archive: Any) -> dict[str, Any]:
    header: dict[str, Any] = json.loads(archive[HEADER].tobytes())
    return header


@contextmanager
def _refusing(path: str) -> Iterator[None]:
    """Turns errors that an invalid state causes into CheckpointError."""
    try:
        yield
    except CheckpointError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise CheckpointError(path, f"this is no state of a search: {error}") from None


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Makes an OSError name the checkpoint instead of NAME.new or NAME.lock."""
    try:
        yield
    except OSError as error:
        raise type(error)(error.errno, error.strerror, path) from None


def _has_locked(lock: BinaryIO) -> bool:
    """Locks a file; returns False if another process has locked it, or its last owner has just removed it."""
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(lock.fileno()), os.stat(lock.name))
    except OSError:
        return False


def _remove(place: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(place)
