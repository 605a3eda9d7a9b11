"""Checkpoints: whatever ends a search, the same call continues from a whole state, or refuses the file."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from families import build
from processes import call
from seeds import few, for_seeds, nightly

import dlx
from dlx import CheckpointError, count
from dlx.engine.limits import Loop
from dlx.parallel import checkpoint
from dlx.parallel.checkpoint import Checkpoint

ROOKS = build("rooks", 5)  # 120 covers
MERGES: list[Any] = ["auto", "never", "same", "isomorphic"]
DAMAGED = "this is not a checkpoint of this version, or it is damaged; remove it to start again"
STATE = {"nodes": 7, "big": 1 << 200, "states": np.arange(12, dtype=np.uint64).reshape(3, 4), "none": np.zeros(0)}


def opened(path: Path, **search: Any) -> Checkpoint:
    return Checkpoint(path, {"problem": "toy", **search})


def saved(path: Path, state: dict[str, Any] = STATE) -> bytes:
    with opened(path) as file:
        file.save(state)
    return path.read_bytes()


def refused(path: Path, reason: str) -> None:
    """A file is refused with its path and the reason, and left as it is."""
    data = path.read_bytes()
    with opened(path) as file, pytest.raises(CheckpointError, match=reason) as caught:
        file.load()
    assert str(caught.value).startswith(f"{path}: ")
    assert path.read_bytes() == data


# The file


@for_seeds(50)
def test_states_come_back(seed: int, path: Path) -> None:
    """Whole numbers of any size, texts, lists and arrays of all types and shapes are the same when they are loaded."""
    rng = np.random.default_rng([seed, 71])
    shapes = [tuple(rng.integers(0, 5, rng.integers(1, 4)).tolist()) for _ in range(6)]
    types = rng.choice(["?", "u1", "i4", "u8", "f8"], 6).tolist()
    arrays = {str(k): rng.integers(0, 99, shapes[k]).astype(types[k]) for k in range(6)}
    facts = {"big": -(1 << 100), "list": [1, [2, None]], "text": "é\n"}
    with opened(path) as file:
        file.save({**facts, **arrays})
        again = file.load()
    assert again is not None
    assert {name: again[name] for name in facts} == facts
    for name, array in arrays.items():
        assert again[name].dtype == array.dtype
        assert np.array_equal(again[name], array)
        again[name][...] = 1  # can be written
    path.unlink()


def test_damage(path: Path) -> None:
    """A file that ends early is refused, and one with a bit that has changed, unless its state is the same."""
    whole = saved(path)
    with opened(path) as file:
        state = str(file.load())
    for size in range(1, len(whole), 37):
        path.write_bytes(whole[:size])
        refused(path, DAMAGED)
    for place in few(range(0, 8 * len(whole), 3)):
        data = bytearray(whole)
        data[place // 8] ^= 1 << place % 8
        path.write_bytes(data)
        with opened(path) as file, suppress(CheckpointError):
            assert str(file.load()) == state
    path.write_bytes(b"")
    with opened(path) as file:
        assert (file.saved_search(), file.load()) == (None, None)


def archive(**arrays: Any) -> bytes:
    """The bytes of an archive of arrays."""
    np.savez(file := io.BytesIO(), **arrays)
    return file.getvalue()


def header(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), dtype=np.uint8)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"a b\n", DAMAGED),
        (archive(x=np.zeros(3)), DAMAGED),
        (archive(checkpoint=header("5")), "this is no state of a search: "),
        (archive(checkpoint=header("0")), "this is no state of a search: "),
        (archive(checkpoint=header("{")), DAMAGED),
        (archive(checkpoint=np.array([{}], dtype=object)), DAMAGED),
        (archive(checkpoint=header('{"search": {}}')), "of another version: None, not "),
    ],
)
def test_other_files(data: bytes, reason: str, path: Path) -> None:
    """A file that is no checkpoint of this search is refused, whatever the way to count, and says what it is."""
    path.write_bytes(data)
    for merge in MERGES:
        with pytest.raises(CheckpointError, match=reason):
            count(ROOKS, merge=merge, checkpoint=path)
    refused(path, reason)


def test_checkpoints_of_other_searches(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another problem, other weights and another version are named."""
    saved(path)
    with opened(path) as file:
        assert (file.saved_search() or {})["problem"] == "toy"
    for search, reason in (
        ({"problem": "joy"}, "a checkpoint of another problem: toy, not joy"),
        ({"weights": 1}, "of other weights: None, not 1"),
    ):
        with opened(path, **search) as file, pytest.raises(CheckpointError, match=reason):
            file.load()
    monkeypatch.setattr(checkpoint, "version", lambda: "7.8.9")
    refused(path, r"of another version: \d+\.\d+, not 7\.8")


@pytest.mark.parametrize("merge", MERGES)
@pytest.mark.parametrize(
    ("place", "error", "reason"),
    [
        (".", CheckpointError, "this is not a regular file"),
        ("/dev/zero", CheckpointError, "this is not a regular file"),
        ("none/run.checkpoint", FileNotFoundError, "none/run.checkpoint'$"),
        ("", ValueError, "checkpoint is empty; it must be the path of a file"),
        (b"x", TypeError, "checkpoint is b'x'; it must be the path of a file, as text"),
    ],
)
def test_places_that_are_no_files(
    place: Any, error: type[Exception], reason: str, merge: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder, a file in none, a device, or no name is refused before any work, whatever the way to count."""
    if place == "/dev/zero" and not Path(place).exists():
        pytest.skip("there is no /dev/zero")
    monkeypatch.setattr(Loop, "slices", None)
    with pytest.raises(error, match=reason):
        count(ROOKS, merge=merge, checkpoint=tmp_path / place if place in (".", "none/run.checkpoint") else place)


def test_nothing_is_left_of_a_search_that_saves_nothing(path: Path) -> None:
    """A call that keeps nothing leaves no file; the new file of a program that was killed is removed.

    What that may be a link to is not written.
    """
    other = path.with_name("other")
    other.write_text("mine")
    path.with_name(f"{path.name}.new").symlink_to(other)
    with opened(path):
        pass
    assert ([*path.parent.iterdir()], other.read_text()) == ([other], "mine")


OTHER = """
import sys
from dlx.parallel.checkpoint import Checkpoint
with Checkpoint(sys.argv[1], {"problem": "toy"}) as checkpoint:
    print(checkpoint.load()["nodes"])
"""


def test_one_search_at_a_time(path: Path) -> None:
    """A second search is refused here and in another process, before and after a save, until the first has ended."""

    def other() -> str:
        ended = call(sys.executable, "-c", OTHER, path)
        return ended.stdout or ended.stderr

    with opened(path) as file:
        for nodes in (1, 2):
            with pytest.raises(CheckpointError, match="another search is using this file"):
                opened(path)
            assert "another search is using this file" in other()
            file.save({"nodes": nodes})
            assert file.load() == {"nodes": nodes}
    assert other() == "2\n"


@pytest.mark.posix
@pytest.mark.parametrize("again", [False, True])
def test_a_lock_removed_while_another_call_opens_it(again: bool, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second search that comes in the moment when the first one ends is refused, also if there is a third one."""
    lock = path.with_name(f"{path.name}.lock")

    def removed(*given: Any) -> None:
        lock.unlink()
        if again:
            lock.touch()

    monkeypatch.setattr(checkpoint.fcntl, "lockf", removed)
    with pytest.raises(CheckpointError, match="another search is using this file"):
        opened(path)
    assert lock.exists() == again


SAVING = """
import os
import signal
import sys
from dlx.parallel.checkpoint import Checkpoint

when, name = sys.argv[2].split()
true = getattr(os, name)

def deadly(*given):
    if when == "after":
        true(*given)
    os.kill(os.getpid(), signal.SIGKILL)

with Checkpoint(sys.argv[1], {"problem": "toy"}) as checkpoint:
    setattr(os, name, deadly)
    checkpoint.save({"nodes": 8})
"""


@pytest.mark.parametrize("moment", ["before replace", "after replace", *nightly("before fsync", "after fsync")])
@pytest.mark.posix
def test_killed_while_a_checkpoint_is_written(moment: str, path: Path) -> None:
    """The old state is there, or the new one, and either is continued; no other file stays after the next call."""
    whole = saved(path)
    killed = call(sys.executable, "-c", SAVING, path, moment)
    assert (killed.returncode, killed.stderr) == (-signal.SIGKILL, "")
    assert (path.read_bytes() == whole) == (moment != "after replace")
    with opened(path) as file:
        file.save({**(file.load() or {}), "more": 1})
        assert (file.load() or {})["nodes"] == (8 if moment == "after replace" else 7)
    assert [*path.parent.iterdir()] == [path]


@pytest.mark.parametrize("is_done", [False, True])
@pytest.mark.parametrize("error", [OSError(errno.EIO, "input/output error"), KeyboardInterrupt()])
def test_an_error_while_a_state_is_saved(
    is_done: bool, error: BaseException, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next state is in the file even if the system, or Ctrl-C, did not say whether the last one was renamed."""
    true = os.replace

    def replace(*names: str) -> None:
        if is_done:
            true(*names)
        raise error

    with opened(path) as file:
        file.save({"nodes": 1})
        monkeypatch.setattr(os, "replace", replace)
        with pytest.raises(type(error), match=r"input/output error: .*run\.checkpoint'|^$"):
            file.save({"nodes": 2})
        monkeypatch.setattr(os, "replace", true)
        file.save({"nodes": 3})
        assert file.load() == {"nodes": 3}
    assert [*path.parent.iterdir()] == [path]


def test_checkpoints_are_not_too_frequent(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one is due after some seconds, and after fifty times as long as the last one took, made and written."""
    now, saves = 0.0, list[float]()
    monkeypatch.setattr(checkpoint, "time", SimpleNamespace(monotonic=lambda: now))

    def fsync(number: int) -> None:
        nonlocal now
        saves.append(now)
        now += 2.0

    def state() -> dict[str, Any]:
        nonlocal now
        now += 3.0
        return {}

    def slices() -> Iterator[None]:
        nonlocal now
        for time in (3.9, 4.0, 258.9, 259.0):
            now = time
            yield

    monkeypatch.setattr(os, "fsync", fsync)
    with opened(path) as file:
        file.follow(slices(), state)
    assert saves == [7.0, 262.0]


def test_the_old_name_of_the_error() -> None:
    """Programs that catch `dlx.JournalError` run on, with a warning."""
    with pytest.warns(DeprecationWarning, match=r"dlx\.CheckpointError"):
        assert dlx.JournalError is CheckpointError  # type: ignore[attr-defined]
