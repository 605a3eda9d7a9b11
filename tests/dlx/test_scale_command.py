"""`dlx count --jobs --checkpoint`: limits, Ctrl-C, and files."""

from __future__ import annotations

import errno
import json
import os
import signal
from pathlib import Path

import pytest
from checkpoints import pieces_of
from dlx_command import COSTS, ENDLESS, Feed, command, matchings
from waiting import WAIT, until


@pytest.mark.usefixtures("few_pieces")
def test_timeout(feed_dlx: Feed, tmp_path: Path) -> None:
    """Time is up for all jobs, status 3, and the checkpoint has what was printed."""
    path = str(tmp_path / "run.checkpoint")
    for doublings in range(8):  # until some have been counted, however slow the machine
        asked = ("--merge", "never", "--checkpoint", path, "--timeout", str(2.0 ** (doublings - 1)))
        status, out, err = feed_dlx(ENDLESS, "count", "--jobs", "2", *asked)
        assert (status, err.splitlines()[0]) == (3, "dlx: stopped by --timeout; there may be more covers")
        if int(out.split()[0]):
            break
    pieces = pieces_of(Path(path))
    assert sum(piece.covers for piece in pieces) == int(out.removesuffix(" unproven\n")) > 0
    assert not all(piece.is_done for piece in pieces)


@pytest.mark.posix
def test_interrupt(tmp_path: Path) -> None:
    """Ctrl-C ends jobs that would take years, status 130; what was counted is printed, as the checkpoint says it."""
    path, checkpoint = tmp_path / "endless.dlx", tmp_path / "run.checkpoint"
    path.write_text(matchings(20))  # in pieces within a second
    asked = ("--jobs", "2", "--json", "--merge", "never", "--checkpoint", str(checkpoint))
    with command("count", *asked, str(path)) as running:
        until(lambda: any(piece.covers for piece in pieces_of(checkpoint)))
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=WAIT)
    answer = json.loads(out)
    assert (running.returncode, answer["stopped"]) == (130, "interrupt")
    assert answer["covers"] == sum(part.covers for part in pieces_of(checkpoint))
    assert err == "dlx: stopped by Ctrl-C; there may be more covers\n"


@pytest.mark.parametrize("task", ["best", "count"])
def test_too_little_for_a_checkpoint(task: str, feed_dlx: Feed, tmp_path: Path) -> None:
    """A search that is stopped before anything is kept leaves no file, and says so; one that ends says nothing."""
    path = tmp_path / "run.checkpoint"
    status, _, err = feed_dlx("", task, COSTS, "--checkpoint", str(path), "--max-nodes", "0")
    told = f"dlx: {path}: not written, since too little has been done to go on from"
    assert (status, err.splitlines()[1:], path.exists()) == (3, [told], False)
    path.touch()
    assert feed_dlx("", task, COSTS, "--checkpoint", str(path))[::2] == (0, "")
    assert path.exists()


def test_a_full_disk(feed_dlx: Feed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is an error of the checkpoint, and not of the output."""

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("dlx.parallel.checkpoint.os.fsync", full)
    path = tmp_path / "run.checkpoint"
    answer = feed_dlx(matchings(8), "count", "--merge", "never", "--checkpoint", str(path))
    assert answer == (2, "", f"dlx: {path}: No space left on device\n")
