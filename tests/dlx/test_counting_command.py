"""`dlx sample`, `dlx count --shares`, and counts of any size."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Sequence
from unittest.mock import Mock

import pytest
from dlx_command import DANCE, ENDLESS, Feed, command, matchings
from waiting import WAIT


def test_sample(feed_dlx: Feed) -> None:
    """So many covers, each one that `solve` lists; the same with the same seed, and all of them soon."""
    text = matchings(6)
    listed = set(feed_dlx(text, "solve")[1].splitlines())
    status, out, err = feed_dlx(text, "sample", "-n", "2000")
    assert (status, len(out.splitlines()), set(out.splitlines()), err) == (0, 2000, listed, "")
    assert feed_dlx(text, "sample", "-n", "2000", "--seed", "0")[1] == out
    assert feed_dlx(text, "sample", "-n", "2000", "--seed", "1")[1] != out
    assert feed_dlx(text, "sample")[1] == out.splitlines(keepends=True)[0]
    *drawn, end = map(json.loads, feed_dlx(text, "sample", "-n", "1100", "--json")[1].splitlines())
    assert [one["cover"] for one in drawn] == list(range(1, 1101))
    assert [" | ".join(map(" ".join, one["items"])) for one in drawn] == out.splitlines()[:1100]
    assert (end["file"], end["covers"]) == ("<stdin>", 15)


@pytest.mark.parametrize("task", [("sample",), ("count", "--shares")], ids=" ".join)
def test_what_is_stopped_before_all_covers(
    feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch, task: Sequence[str]
) -> None:
    """Where time or memory do not suffice, or Ctrl-C comes, nothing is printed but why, and the status says it, too."""
    status, out, err = feed_dlx(matchings(20), *task, "--timeout", "0")
    assert (status, out) == (3, "")
    assert err.startswith("dlx: stopped by --timeout; ")
    for memory in ("0", "1000"):
        status, out, err = feed_dlx(matchings(20), *task, "--memory", memory)
        assert (status, out) == (2, "")
        assert re.match(r"dlx: <stdin>: the diagram takes more than (100)?0 bytes", err)
    monkeypatch.setattr("dlx.counting.diagram.diagram", Mock(side_effect=KeyboardInterrupt))
    status, out, err = feed_dlx(DANCE, *task, DANCE)
    assert (status, out) == (130, "")
    assert err == "dlx: stopped by Ctrl-C; nothing is known before the search has ended\n"


@pytest.mark.slow
def test_sample_up_to_renaming(feed_dlx: Feed) -> None:
    """With `--merge isomorphic` the covers drawn are covers, too, all of them soon; too little memory is an error."""
    pytest.importorskip("pynauty")
    text = matchings(6)
    listed = {frozenset(line.split(" | ")) for line in feed_dlx(text, "solve")[1].splitlines()}
    status, out, err = feed_dlx(text, "sample", "-n", "300", "--merge", "isomorphic")
    assert (status, {frozenset(line.split(" | ")) for line in out.splitlines()}, err) == (0, listed, "")
    end = json.loads(feed_dlx(text, "sample", "--merge", "isomorphic", "--json")[1].splitlines()[-1])
    assert (end["covers"], end["nodes"]) == (15, 4)
    status, out, err = feed_dlx(text, "sample", "--merge", "isomorphic", "--memory", "100")
    assert (status, out) == (2, "")
    assert "more than 100 bytes" in err


@pytest.mark.slow
@pytest.mark.posix
def test_interrupt_of_sample() -> None:
    """Ctrl-C ends the search for all covers with status 130, and nothing is printed."""
    import pty

    ours, theirs = pty.openpty()
    with command("sample", stderr=theirs) as running:
        os.close(theirs)
        assert running.stdin is not None
        running.stdin.write(ENDLESS)
        running.stdin.close()
        running.stdin = None
        shown = os.read(ours, 1 << 16).decode()  # the line about progress, so it searches
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=WAIT)
    rest = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert re.match(r"\r.*[\d.,]+( M)? nodes, ", shown)
    assert rest.endswith("dlx: stopped by Ctrl-C; nothing is known before the search has ended\r\n")
    assert (running.returncode, out) == (130, "")


@pytest.mark.slow
@pytest.mark.posix
def test_progress_up_to_isomorphism() -> None:
    """A terminal shows where the count is, its classes and their memory; Ctrl-C ends it with status 130."""
    import pty

    pytest.importorskip("pynauty")
    square = [(r, c) for r in range(9) for c in range(9)]
    lines = [" ".join(f"{kind}{a},{b}" for kind in "crs" for a, b in square)]
    lines += [f"c{r},{c} r{r},{s} s{c},{s}" for r, c in square for s in range(9)]
    ours, theirs = pty.openpty()
    with command("count", "--merge", "isomorphic", stderr=theirs) as running:
        os.close(theirs)
        assert running.stdin is not None
        running.stdin.write("\n".join(lines))
        running.stdin.close()
        running.stdin = None
        shown = os.read(ours, 1 << 16).decode()
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=WAIT)
    rest = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert re.match(r"\r.*\d+ items open, \d+ classes.*, [\d,.]+ MB, \d+ s", shown)
    assert rest.endswith("dlx: stopped by Ctrl-C; there may be more covers\r\n")
    assert (running.returncode, out) == (130, "0\n")


@pytest.mark.slow
def test_counts_of_thousands_of_digits(feed_dlx: Feed) -> None:
    """A count beyond what a float holds comes with all its digits, even more than Python prints by itself."""
    before = sys.get_int_max_str_digits()
    lines = [" ".join(map(str, range(9100))), *(str(k) for k in range(9100) for _ in range(3))]
    status, out, err = feed_dlx("\n".join(lines), "count", "--merge", "same")
    assert (status, len(out), err) == (0, 1 + 4342, "")
    assert sys.get_int_max_str_digits() == before
