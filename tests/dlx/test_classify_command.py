"""`dlx classify`: kinds of covers, their numbers, limits, Ctrl-C, closed pipes, and what it does without pynauty."""

from __future__ import annotations

import os
import re
import signal
import sys
from unittest.mock import Mock

import pytest
from dlx_command import DANCE, DOMINOES, Feed, command
from waiting import WAIT

from dlx.command.cli import main

pytest.importorskip("pynauty")


def tilings(n: int) -> str:
    """Tilings of a square with dominoes, of which most have seven images, in Knuth's text format."""
    square = [(r, c) for r in range(n) for c in range(n)]
    places = [((r, c), (r + down, c + 1 - down)) for r, c in square for down in (0, 1)]
    lines = [" ".join(f"{r},{c}" for r, c in cells) for cells in [square, *(p for p in places if p[1] in square)]]
    return "\n".join(lines)


def test_what_is_refused(feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Malformed input, problems too large for nauty, options of other commands: status 2, and a message."""
    assert feed_dlx("a\nb\n", "classify")[::2] == (2, "dlx: <stdin>:2: the item 'b' is unknown\n")
    monkeypatch.setattr("dlx.symmetry.nauty.MOST_VERTICES", 10)
    status, out, err = feed_dlx("", "classify", DOMINOES)
    assert (status, out) == (2, "")
    assert re.fullmatch(rf"dlx: {re.escape(DOMINOES)}: .* symmetries can be found of 10 at most\n", err)
    for more in ("--kernel=links", "--seed=1", "--limit=-1", "--memory=-7"):
        with pytest.raises(SystemExit, match="2"):
            main(["classify", more, DANCE])
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize("task", [["classify"], ["count", "--merge", "isomorphic"]], ids=" ".join)
def test_without_pynauty(feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch, task: list[str]) -> None:
    """The message names the extra to install, and the status is 2."""
    monkeypatch.setitem(sys.modules, "pynauty", None)
    status, out, err = feed_dlx("", *task, DANCE)
    assert (status, out) == (2, "")
    assert err.endswith("pip install pynauty\n")


def test_an_interrupt_before_the_symmetries_are_known(feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then nothing is known, which is said, and the status is that of Ctrl-C."""
    monkeypatch.setattr("dlx.symmetry.classification.classify", Mock(side_effect=KeyboardInterrupt))
    assert feed_dlx("", "classify", DANCE) == (
        130,
        "",
        "dlx: stopped by Ctrl-C; the symmetries had not been found yet\n",
    )


@pytest.mark.slow
@pytest.mark.posix
def test_progress_and_interrupt() -> None:
    """A terminal shows the kinds so far; Ctrl-C prints them in whole lines, and says that there may be more."""
    import pty

    ours, theirs = pty.openpty()
    with command("classify", stderr=theirs) as running:
        os.close(theirs)
        assert running.stdin is not None
        running.stdin.write(tilings(8))
        running.stdin.close()
        running.stdin = None
        shown = os.read(ours, 1 << 16).decode()
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=WAIT)
    rest = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert re.match(r"\r(under 0\.01|\d+\.\d\d)%, [\d,]+ kinds, [\d,]+/s, .* left", shown)
    assert rest.endswith("dlx: stopped by Ctrl-C; there may be more kinds\r\n")
    assert running.returncode == 130
    assert re.fullmatch(r"([1248]\t\d,\d \d,\d( \| \d,\d \d,\d){31}\n)+", out)


@pytest.mark.slow
def test_closed_pipe() -> None:
    """When nobody reads on, the command ends in silence with status 0."""
    with command("classify", "--limit", "2000") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(tilings(8))
        running.stdin.close()
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr is not None
        assert running.stderr.read() == ""
        assert running.wait(timeout=WAIT) == 0
