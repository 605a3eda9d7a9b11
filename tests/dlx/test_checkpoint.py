"""Checkpoints: whatever ends a search, the same call continues from a whole state, or refuses the file."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from families import build
from processes import environment
from seeds import few, for_seeds

import dlx
from dlx import CheckpointError, count
from dlx.engine.limits import Loop
from dlx.parallel import checkpoint
from dlx.parallel.checkpoint import Checkpoint, sealed

ROOKS = build("rooks", 5)  # 120 covers
MERGES: list[Any] = ["auto", "never", "same", "isomorphic"]
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


def header_of(path: Path) -> dict[str, Any]:
    with Checkpoint(path, {}) as file:
        return file.header() or {}


# The file


@for_seeds(50)
def test_states_come_back(seed: int, path: Path) -> None:
    """Whole numbers of any size, texts, lists and arrays of all types and shapes are the same when they are loaded."""
    rng = np.random.default_rng([seed, 71])
    shapes = [tuple(rng.integers(0, 5, rng.integers(1, 4)).tolist()) for _ in range(6)]
    types = rng.choice(["?", "u1", "<i4", ">i4", "u8", "f8"], 6).tolist()
    arrays = {str(k): rng.integers(0, 99, shapes[k]).astype(types[k]) for k in range(6)}
    facts = {"big": -(1 << 100), "list": [1, [2, None]], "text": "é\n"}
    with opened(path) as file:
        file.save({**facts, **arrays})
        again = file.load()
    assert again is not None
    assert {name: again[name] for name in facts} == facts
    for name, array in arrays.items():
        assert again[name].dtype == array.dtype.newbyteorder("=")
        assert np.array_equal(again[name], array)
        again[name][...] = 1  # can be written
    path.unlink()


def test_damage(path: Path) -> None:
    """A file that ends early, or has a bit that has changed, is refused; one without a byte is begun."""
    whole = saved(path)
    for size in range(1, len(whole)):
        path.write_bytes(whole[:size])
        refused(path, "th")
    for place in few(range(8 * len(whole))):
        data = bytearray(whole)
        data[place // 8] ^= 1 << place % 8
        path.write_bytes(data)
        refused(path, "th")
    path.write_bytes(b"")
    with opened(path) as file:
        assert (file.header(), file.load()) == (None, None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"a b\n", "this is not a checkpoint"),
        (b"\0" * 100, "this is not a checkpoint"),
        (sealed({"journal": 1, "pieces": 2}), "this is a journal of version 0.2, which is not supported; remove"),
        (sealed({"snapshot": 1}) + b"00000000\n", "this is a snapshot of version 0.2"),
        (sealed({"checkpoint": 3}), "this is version 3 of the format; 2 can be read"),
    ],
)
def test_other_files(text: bytes, reason: str, path: Path) -> None:
    """A file that is no checkpoint of this format is refused, whatever the way to count, and says what it is."""
    path.write_bytes(text)
    for merge in MERGES:
        with pytest.raises(CheckpointError, match=reason):
            count(ROOKS, merge=merge, checkpoint=path)
    refused(path, reason)


@pytest.mark.parametrize(
    "first",
    [{}, {"state": 1, "arrays": {}}, {"state": {}, "arrays": 5}, {"state": {}, "arrays": {"x": ["O", [1]]}}],
)
def test_no_state(first: dict[str, Any], path: Path) -> None:
    """A first line that is whole, and describes no state, is refused."""
    search = {"version": checkpoint.minor_version(), "problem": "toy"}
    path.write_bytes(sealed({"checkpoint": checkpoint.FORMAT, **search, **first}) + b"00000000\n")
    refused(path, "this is no state of a search: ")


def test_checkpoints_of_other_searches(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another problem, other weights and another version are named."""
    saved(path)
    assert header_of(path) == {"problem": "toy"}
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
        (".", IsADirectoryError, "Is a directory"),
        ("none/run.checkpoint", FileNotFoundError, "none/run.checkpoint"),
        ("/dev/zero", CheckpointError, "this is not a regular file"),
    ],
)
def test_places_that_are_no_files(
    place: str, error: type[Exception], reason: str, merge: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder, a file in none, or a device is refused by its name before any work, whatever the way to count."""
    if place.startswith("/") and not Path(place).exists():
        pytest.skip(f"there is no {place}")
    monkeypatch.setattr(Loop, "slices", None)
    with pytest.raises(error, match=reason):
        count(ROOKS, merge=merge, checkpoint=tmp_path / place)


def test_a_folder_that_cannot_be_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused with the path before the search begins, though the file can be written."""
    path.write_bytes(b"")

    def refuse(name: str, mode: str) -> Any:
        if mode == "xb":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
        return open(name, mode)

    monkeypatch.setattr(checkpoint, "open", refuse, raising=False)
    with pytest.raises(PermissionError) as caught:
        count(ROOKS, merge="never", checkpoint=path)
    assert caught.value.filename == f"{path}.new"


@pytest.mark.parametrize("before", [None, b""])
def test_an_empty_file_is_removed_if_it_was_made_here(before: bytes | None, path: Path) -> None:
    """A call that keeps nothing leaves no file; an empty one from before stays."""
    if before is not None:
        path.write_bytes(before)
    with opened(path):
        assert path.exists()
    assert path.exists() == (before is not None)


OTHER = """
import sys
from dlx.parallel.checkpoint import Checkpoint
with Checkpoint(sys.argv[1], {"problem": "toy"}) as checkpoint:
    print(checkpoint.load()["nodes"])
"""


@pytest.mark.slow
def test_one_search_at_a_time(path: Path) -> None:
    """A second search is refused here and in another process, before and after a save, until the first has ended."""

    def other() -> str:
        command = [sys.executable, "-c", OTHER, str(path)]
        ended = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
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
def test_a_file_removed_while_another_call_opens_it(again: bool, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second opener of a file in the moment of its removal is refused, and removes no newer file."""

    def lock(*given: Any) -> None:
        path.unlink()
        if again:
            path.write_bytes(b"")

    monkeypatch.setattr(checkpoint.fcntl, "flock", lock)
    with pytest.raises(CheckpointError, match="another search is using this file"):
        opened(path)
    assert path.exists() == again


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


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["before fsync", "after fsync", "before replace", "after replace"])
@pytest.mark.posix
def test_killed_while_a_checkpoint_is_written(moment: str, path: Path) -> None:
    """The old state is there, or the new one, and either is continued; no other file stays after the next call."""
    whole = saved(path)
    command = [sys.executable, "-c", SAVING, str(path), moment]
    killed = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    assert (killed.returncode, killed.stderr) == (-signal.SIGKILL, "")
    assert (path.read_bytes() == whole) == (moment != "after replace")
    with opened(path) as file:
        file.save({**(file.load() or {}), "more": 1})
        assert (file.load() or {})["nodes"] == (8 if moment == "after replace" else 7)
        assert [*path.parent.iterdir()] == [path]


def test_a_new_file_of_a_program_that_was_killed(path: Path) -> None:
    """It is removed by the next call, also by one that saves nothing; what it may be a link to is not written."""
    other = path.with_name("other")
    other.write_text("mine")
    path.with_name(f"{path.name}.new").symlink_to(other)
    with opened(path):
        pass
    assert ([*path.parent.iterdir()], other.read_text()) == ([other], "mine")


@pytest.mark.parametrize("is_done", [False, True])
def test_an_error_of_the_system(is_done: bool, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next state is in the file even if the system did not say whether it has renamed the last one."""
    true = os.replace

    def replace(*names: str) -> None:
        if is_done:
            true(*names)
        raise OSError(errno.EIO, "input/output error", names[0])

    with opened(path) as file:
        file.save({"nodes": 1})
        monkeypatch.setattr(os, "replace", replace)
        with pytest.raises(OSError, match=r"input/output error: .*run\.checkpoint'"):
            file.save({"nodes": 2})
        monkeypatch.setattr(os, "replace", true)
        file.save({"nodes": 3})
        assert file.load() == {"nodes": 3}
    assert [*path.parent.iterdir()] == [path]


def test_checkpoints_are_not_too_frequent(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one is due after some seconds, and after fifty times as long as the last one took, made and written."""
    now = [0.0]
    monkeypatch.setattr(checkpoint, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def slow(number: int) -> None:
        now[0] += 2.0

    monkeypatch.setattr(os, "fsync", slow)
    with opened(path) as file:
        for now[0], is_due in ((3.9, False), (4.0, True), (105.9, False), (106.0, True)):
            assert file.is_due is is_due
            if now[0] == 4.0:
                file.save({})

        def stand() -> dict[str, Any]:
            now[0] += 3.0
            return {}

        def slices() -> Iterator[None]:
            for now[0], is_due in ((106.0, True), (112.0, False), (360.9, False), (361.0, True)):
                assert file.is_due is is_due
                yield

        file.follow(slices(), stand)


def test_the_old_name_of_the_error() -> None:
    """Programs that catch `dlx.JournalError` run on, with a warning."""
    with pytest.warns(DeprecationWarning, match=r"dlx\.CheckpointError"):
        assert dlx.JournalError is CheckpointError  # type: ignore[attr-defined]
