"""`dlx count --jobs, --checkpoint, --scheduler` and `dlx solve --jobs`."""

from __future__ import annotations

import errno
import gc
import json
import os
import signal
import sys
from pathlib import Path

import pytest
from checkpoints import pieces_of
from dlx_command import COSTS, DANCE, DOMINOES, ENDLESS, Feed, command, matchings
from waiting import WAIT, until


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.parametrize("task", ["count", "solve"])
def test_a_scheduler_without_dask(task: str, feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named, with status 2, if the package is missing."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    status, out, err = feed_dlx("", task, DANCE, "--scheduler", "127.0.0.1:8786")
    assert (status, out) == (2, "")
    assert "distributed is not installed" in err
    assert "dancing-cover[distributed]" in err


@pytest.mark.slow
@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense://x", "a b", f"tcp://{70 * 'a'}:1"])
def test_a_scheduler_that_is_not_there(address: str, feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address where nobody answers is named, with status 2, and no client is left open."""
    client = pytest.importorskip("distributed").Client
    monkeypatch.setattr("dlx.command.parallel.PATIENCE", 1.0)
    status, out, err = feed_dlx("", "count", DANCE, "--scheduler", address)
    assert (status, out) == (2, "")
    assert err.startswith(f"dlx: {address}: ")
    assert [some for some in gc.get_objects() if type(some) is client and some.status != "closed"] == []


@pytest.mark.slow
def test_a_scheduler(feed_dlx: Feed) -> None:
    """The workers of a dask count and list; if there are none any more, the user is told that they are waited for."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as local:
        asked = ("--kernel", "links", "--scheduler", local.scheduler_address)
        assert feed_dlx(matchings(14), "count", *asked)[:2] == (0, "135135\n")
        assert len(feed_dlx(matchings(8), "solve", *asked)[1].splitlines()) == 105
        local.scale(0)
        until(lambda: not local.scheduler.workers)
        status, out, err = feed_dlx("", "count", DOMINOES, *asked, "--timeout", "2")
        assert (status, out) == (3, "0 unproven\n")
        assert err.startswith(f"dlx: {local.scheduler_address} has no workers yet; waiting for the first\n")
