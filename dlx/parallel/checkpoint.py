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
SHARE = 50  # pause before the next checkpoint, in multiples of the time for the last checkpoint

HEADER = "checkpoint"  # the name of the array with the JSON text
ARRAY = "state/"  # prefix of the names of the other arrays
IN_USE = "another search is using this file"

State = Mapping[str, Any]  # numeric arrays, and values for JSON

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
        if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe might never end
            raise CheckpointError(self._path, "this is not a regular file")
        self._lock = self._locked()
        _remove(self._new)

    def saved_search(self) -> dict[str, Any] | None:
        """Returns the identity of the saved search, or None if there is none; raises the errors of `load`."""
        saved = self._read()
        with self.refusing():
            return None if saved is None else dict(saved[0]["search"])

    def load(self) -> dict[str, Any] | None:
        """Returns the saved state, with new arrays; None if there is no file, or an empty one.

        Raises CheckpointError if the file is damaged or belongs to another search.
        """
        saved = self._read()
        if saved is None:
            return None
        header, arrays = saved
        with self.refusing():
            self._check_search(header["search"])
            return {**header["state"], **{name: arrays[f"{ARRAY}{name}"] for name in header["arrays"]}}

    def save(self, state: State | None) -> None:
        """Writes the state to the file, unless it is None; raises OSError."""
        if state is None:
            return
        try:
            with _naming(self._path):
                self._replace(state)
        finally:
            _remove(self._new)  # exists only if writing or renaming failed

    def follow(self, slices: Iterable[object], state: Callable[[], State | None]) -> None:
        """Runs a search slice by slice; saves its state regularly, and at the end, even after an exception.

        `state` returns the state between two slices, or None if there is nothing to save.
        """
        is_saved, due = False, time.monotonic() + LEAST
        try:
            for _ in slices:
                start = time.monotonic()
                is_saved = start >= due
                if is_saved:
                    self.save(state())
                    now = time.monotonic()
                    due = now + max(LEAST, SHARE * (now - start))
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
            raise CheckpointError(self._path, f"this is no state of a search: {error}") from None

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

    def _read(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Returns the header and the arrays of the file, whose checksums numpy verifies; None if there is none."""
        if not os.path.exists(self._path) or not os.path.getsize(self._path):
            return None
        with open(self._path, "rb") as file:
            try:
                with np.load(file, allow_pickle=False) as archive:
                    arrays = dict(archive)
                header = json.loads(arrays[HEADER].tobytes())
            except MemoryError:
                raise
            except Exception:  # zipfile raises many types for damaged files
                reason = "this is not a checkpoint of this version, or it is damaged; remove it to start again"
                raise CheckpointError(self._path, reason) from None
        return header, arrays

    def _check_search(self, search: dict[str, Any]) -> None:
        for name, expected in self._search.items():
            if search.get(name) != expected:
                other = f"other {name}" if name.endswith("s") else f"another {name}"
                reason = f"this is a checkpoint of {other}: {search.get(name)}, not {expected}"
                raise CheckpointError(self._path, reason)


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
