"""Files that one process alone writes, and that others, and this one after anything that ends it, can rely on."""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
import threading
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import IO, Any

from dlx.parallel.errors import JournalError
from dlx.parallel.worker import version

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

# The beginnings of both kinds of files, even if the first line is torn
JOURNAL, SNAPSHOT = (re.compile(rb'[0-9a-f]{8} \{"%b":' % kind) for kind in (b"journal", b"snapshot"))
IN_USE = "it is being written by another process"

_OPENING = threading.Lock()
_WRITTEN: dict[str, IO[bytes]] = {}  # the files that this process is writing: it must not open and close them again


class Exclusive:
    """A file of this process alone, at its end, made if there is none; raises JournalError or OSError.

    A file that was made here and is still empty at the end is removed: nothing has been kept.

    Attributes:
        path: its name.
        file: open for reading and appending.
    """

    def __init__(self, path: str) -> None:
        self.path, self._place, self._is_new = path, os.path.realpath(path), False
        with _OPENING:
            if self._place in _WRITTEN:
                raise JournalError(path, None, "it is being written by this process")
            check_regular(path)
            is_new = not os.path.exists(path)
            self.file = _WRITTEN[self._place] = open(path, "a+b")  # noqa: SIM115
        try:
            self._take()
            self._is_new = is_new  # as late as here: until then it may be the file of another process
        except BaseException:
            self.release()
            raise

    def replace(self, data: Iterable[bytes | memoryview]) -> None:
        """Puts other contents in its place at once: nobody ever sees a part of them; raises OSError."""
        folder, name = os.path.split(self._place)
        number, new = tempfile.mkstemp(dir=folder, prefix=f"{name}.")  # a name that nobody has
        file = os.fdopen(number, "w+b")
        try:
            os.chmod(new, stat.S_IMODE(os.fstat(self.file.fileno()).st_mode))
            _lock(file, self.path)
            file.writelines(data)
            file.flush()
            os.fsync(file.fileno())
            if fcntl is None:  # there nothing is locked, and no file is replaced while it is open
                file.close()
                self.file.close()
            os.replace(new, self._place)
        except BaseException:
            file.close()
            with suppress(OSError):
                os.unlink(new)
            raise
        before = self.file  # until it has a successor: Ctrl-C may come anywhere, and something be kept after that
        self.file = _WRITTEN[self._place] = open(self.path, "a+b") if file.closed else file  # noqa: SIM115
        before.close()

    def reopen(self) -> None:
        """Takes what is in its place now, when nobody knows what `replace` has done."""
        before, self.file = self.file, open(self.path, "a+b")  # noqa: SIM115
        _WRITTEN[self._place] = self.file
        before.close()  # and with it the lock, if this is the same file
        self._take()

    def release(self) -> None:
        """Lets others use it."""
        try:
            with self.named(), closing(self.file) as file:  # which tries once more to write
                if self._is_new and not file.closed and not file.seek(0, os.SEEK_END):
                    self._remove()
        finally:
            _WRITTEN.pop(self._place)

    def _remove(self) -> None:
        """Removes the empty file, while the lock keeps others from it."""
        if fcntl is None:  # there no file is removed while it is open
            self.file.close()
        with suppress(OSError):
            os.unlink(self._place)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Has errors of writing tell of which file, as those of opening do."""
        try:
            yield
        except OSError as error:
            raise type(error)(error.errno, error.strerror, self.path) from None

    def _take(self) -> None:
        _lock(self.file, self.path)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(self.file.fileno()), os.stat(self.path)):
                return
        raise JournalError(self.path, None, IN_USE)  # which has just removed it, or put another file in its place


def contents(path: str) -> bytes:
    """Returns what is in a file, also of one that this process is writing; raises JournalError or OSError."""
    written = _WRITTEN.get(os.path.realpath(path))
    if written and hasattr(os, "pread"):  # without which nothing is locked that would be free when a file is closed
        return os.pread(written.fileno(), os.fstat(written.fileno()).st_size, 0)
    check_regular(path)
    with open(path, "rb") as file:
        return file.read()


def check_regular(path: str) -> None:
    """Raises a JournalError if there is something that is no file, and might never end; folders are for `open`."""
    try:
        mode = os.stat(path).st_mode  # asked once: another process may remove it meanwhile
    except (OSError, ValueError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise JournalError(path, None, "this is no regular file")


def sealed(value: Any) -> bytes:
    """Returns a line of JSON behind its CRC-32 in eight hexadecimal digits."""
    text = json.dumps(value, separators=(",", ":")).encode()
    return b"%08x %b\n" % (zlib.crc32(text), text)


def is_sealed(line: bytes) -> bool:
    """Tells whether a line, without its end, is as `sealed` has made it."""
    crc, _, text = line.partition(b" ")
    return crc == b"%08x" % zlib.crc32(text)


def unsealed(path: str, number: int, line: bytes) -> Any:
    """Returns the value of a sealed line, without its end; raises JournalError."""
    if not is_sealed(line):
        raise JournalError(path, number, "this line is damaged")
    try:
        return json.loads(line.partition(b" ")[2])
    except (ValueError, RecursionError) as error:
        raise JournalError(path, number, f"this line is no JSON: {error}") from None


def minor_version() -> str:
    """Returns the first two numbers of the version: files of one are read by all versions with the same."""
    return ".".join(version().split(".")[:2])


def check_version(path: str, kind: str, first: Any, readable: int) -> None:
    """Raises a JournalError if this is not the first line of such a file, in the version of its format to be read."""
    if not isinstance(first, dict) or kind not in first:
        raise JournalError(path, 1, f"this is no {kind}")
    if first[kind] != readable:
        raise JournalError(path, 1, f"this is version {first[kind]} of the format, and {readable} can be read")


def check_said(path: str, kind: str, first: dict[str, Any], said: dict[str, Any]) -> None:
    """Raises a JournalError if the first line says something else, as about another problem."""
    for name, expected in said.items():
        if first.get(name) != expected:
            other = "other weights" if name == "weights" else f"another {name}"
            raise JournalError(path, 1, f"this is a {kind} of {other}: {first.get(name)}, not {expected}")


def _lock(file: IO[bytes], path: str) -> None:
    """Takes the file for this process, until that closes it by any name; forked workers have no part in the lock."""
    if fcntl is None:
        return
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise JournalError(path, None, IN_USE) from None
