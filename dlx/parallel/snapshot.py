"""The state of a search on disk, replaced as a whole now and then, so that it goes on after anything that ends it.

A journal notes what has been done; a snapshot is for a search whose state changes everywhere. Its first line is JSON
behind its CRC-32: the format, the search, and the numbers and arrays of the state. Then come the bytes of the arrays,
and a line with their CRC-32. A new one takes the place of the old one at once, so a file is never torn by a crash;
whatever is wrong is refused, and left as it is.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BufferedIOBase
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dlx.parallel.errors import JournalError
from dlx.parallel.exclusive import (
    JOURNAL,
    SNAPSHOT,
    Exclusive,
    check_said,
    check_version,
    minor_version,
    sealed,
    unsealed,
)

VERSION = 1
LEAST = 4.0  # seconds between two snapshots, as between two lines of a journal,
SHARE = 50  # and so many times as long as one takes: two hundredths of the time

Array: TypeAlias = "npt.NDArray[Any]"
State = Mapping[str, Any]  # arrays of numbers; and what JSON can tell


class Snapshot:
    """A snapshot that is being written, by this process alone; raises JournalError or OSError.

    Parameters:
        path: the file, made if there is none.
        said: the problem and the way to search it, as JSON can tell them: the file of another one is refused.

    >>> import os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Snapshot(os.path.join(folder.name, "run.snapshot"), {"problem": "toy"}) as snapshot:
    ...     snapshot.load()
    ...     snapshot.save({"nodes": 7, "states": np.arange(3, dtype=np.uint64)})
    ...     snapshot.load()
    {'nodes': 7, 'states': array([0, 1, 2], dtype=uint64)}
    >>> folder.cleanup()
    """

    def __init__(self, path: str, said: dict[str, Any]) -> None:
        self._said = {"version": minor_version(), **said}
        self._disk = Exclusive(path)
        self._next = time.monotonic() + LEAST

    @property
    def is_due(self) -> bool:
        """Tells whether enough time has gone by for the next one."""
        return time.monotonic() >= self._next

    def load(self) -> dict[str, Any] | None:
        """Returns the state as it was saved the last time, its arrays to be written to; None if it never was."""
        with self.refusing():
            return self._load()

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Refuses the file where it tells a state that cannot be."""
        with _refusing(self._disk.path):
            yield

    def _load(self) -> dict[str, Any] | None:
        path, file = self._disk.path, self._disk.file
        size = file.seek(0, 2)
        file.seek(0)
        if not size:
            return None
        if not SNAPSHOT.match(beginning := file.read(24)):
            is_journal = JOURNAL.match(beginning)
            raise JournalError(path, 1, f"this is no snapshot{', but a journal of pieces' if is_journal else ''}")
        first, arrays = _read(path, file, self._said)
        return {**first["state"], **arrays}

    def follow(self, slices: Iterable[object], stand: Callable[[], State | None]) -> None:
        """Runs a search slice by slice, and saves where it stands now and then, and whatever ends it; raises OSError.

        `stand` is called between two slices, and returns None where there is nothing to be saved.
        """
        try:
            for _ in slices:
                if self.is_due:
                    start = time.monotonic()
                    self.save(stand())
                    self._rest(start)
        finally:
            self.save(stand())

    def save(self, state: State | None) -> None:
        """Puts a state in the place of the one before; raises OSError."""
        if state is None:
            return
        start = time.monotonic()
        with self._disk.named():
            self._disk.replace(self._written(state))
        self._rest(start)

    def _rest(self, start: float) -> None:
        """Puts the next one off for as long as it takes after one that began then."""
        now = time.monotonic()
        self._next = now + max(LEAST, SHARE * (now - start))

    def refused(self, reason: str) -> JournalError:
        """Returns the error of a state that does not fit."""
        return JournalError(self._disk.path, None, reason)

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, *error: object) -> None:
        self._disk.release()

    def _written(self, state: State) -> Iterator[bytes | memoryview]:
        arrays = {name: np.ascontiguousarray(value) for name, value in state.items() if isinstance(value, np.ndarray)}
        facts = {name: value for name, value in state.items() if name not in arrays}
        kinds = {name: [array.dtype.str, array.shape] for name, array in arrays.items()}
        yield sealed({"snapshot": VERSION, **self._said, "state": facts, "arrays": kinds})
        crc = 0
        for array in arrays.values():
            data = _bytes(array)
            crc = zlib.crc32(data, crc)
            yield data
        yield b"%08x\n" % crc


def tell(path: str) -> dict[str, Any] | None:
    """Returns what a snapshot is of, and how far it is, or None if the file is no snapshot; raises as `Snapshot`."""
    with open(path, "rb") as file:
        if not SNAPSHOT.match(file.read(24)):
            return None
        with _refusing(path):
            first, _ = _read(path, file, {})
    state = state if isinstance(state := first.get("state"), dict) else {}
    facts = {**first, **state, **_of_searches(state)}
    named = ("problem", "count", "score", "bound", "nodes", "open", "states")
    return {name: facts[name] for name in named if facts.get(name) is not None}


def _of_searches(state: State) -> dict[str, Any]:
    """Returns the nodes of the searches that a state is of, and those that are open; of one also its score and bound.

    What they keep has the name of each before it (`dlx.optimum.resuming`).
    """
    names = {name for name, _, own in (key.partition("/") for key in state) if own}
    if not names:
        return {}
    told = {
        "nodes": sum(state.get(f"{name}/done", [0])[0] for name in names),
        "open": sum(len(state.get(f"{name}/share", [])) for name in names),
    }
    only = names.pop() if len(names) == 1 else ""
    score, bound = state.get(f"{only}/known", [None, None])
    return told | {"score": score, "bound": bound}


@contextmanager
def _refusing(path: str) -> Iterator[None]:
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        if isinstance(error, JournalError):
            raise
        raise JournalError(path, None, f"this is no state of a search: {error}") from None


def _read(path: str, file: BufferedIOBase, said: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Reads the first line of a snapshot and its arrays; raises JournalError, also if it says something else."""
    size = file.seek(0, 2)
    file.seek(0)
    first = unsealed(path, 1, file.readline().removesuffix(b"\n"))
    check_version(path, "snapshot", first, VERSION)
    check_said(path, "snapshot", first, said)
    return first, _arrays(path, file, first["arrays"], size - file.tell())


def _arrays(path: str, file: BufferedIOBase, kinds: dict[str, Any], size: int) -> dict[str, Array]:
    """Reads the arrays from where the file stands, in so many bytes."""
    types = {name: (np.dtype(kind), shape) for name, (kind, shape) in kinds.items()}
    if wrong := [kind for kind, _ in types.values() if kind.kind not in "biu"]:
        raise ValueError(f"an array of {wrong[0]}")
    if sum(kind.itemsize * prod(shape) for kind, shape in types.values()) + 9 != size:
        raise JournalError(path, 2, "the arrays are not as long as the first line tells")
    crc, arrays = 0, {}
    for name, (kind, shape) in types.items():
        array = np.empty(shape, dtype=kind)
        data = _bytes(array)
        file.readinto(data)
        crc = zlib.crc32(data, crc)
        arrays[name] = array.astype(kind.newbyteorder("="), copy=False)
    if file.read() != b"%08x\n" % crc:
        raise JournalError(path, 2, "the arrays are damaged")
    return arrays


def _bytes(array: Array) -> memoryview:
    return array.reshape(-1).view(np.uint8).data
