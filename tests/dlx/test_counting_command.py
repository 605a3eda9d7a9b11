"""`dlx sample`, `classify` and `count`: what is drawn, refused or stopped, and numbers of any size."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest
from dlx_command import DANCE, DOMINOES, Feed, matchings


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


@pytest.mark.parametrize("task", ["sample", "classify"])
def test_what_is_stopped_before_all_covers(feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch, task: str) -> None:
    """Ctrl-C before anything is known leaves the status 130, and no number."""
    name = "classify" if task == "classify" else "diagram"
    monkeypatch.setattr(f"dlx.{name}", Mock(side_effect=KeyboardInterrupt))
    assert feed_dlx("", *task.split(), DANCE) == (130, "", "")


def test_counts_of_thousands_of_digits(feed_dlx: Feed) -> None:
    """A count beyond what a float holds comes with all its digits, even more than Python prints by itself."""
    before = sys.get_int_max_str_digits()
    lines = [" ".join(map(str, range(9100))), *(str(k) for k in range(9100) for _ in range(3))]
    status, out, err = feed_dlx("\n".join(lines), "count", "--merge", "same")
    assert (status, len(out), err) == (0, 1 + 4342, "")
    assert sys.get_int_max_str_digits() == before


def test_what_nauty_cannot_do(feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Problems too large for nauty end with status 2, and a message."""
    pytest.importorskip("pynauty")
    monkeypatch.setattr("dlx.symmetry.nauty.MOST_VERTICES", 10)
    status, out, err = feed_dlx("", "classify", DOMINOES)
    assert (status, out) == (2, "")
    assert re.fullmatch(rf"dlx: {re.escape(DOMINOES)}: .* symmetries can be found of 10 at most\n", err)


@pytest.mark.parametrize(
    ("problem", "options", "reason"),
    [
        ("a\na\n", "--merge same --jobs 2", "--merge same runs in one process: omit --jobs"),
        ("a\na\n", "--merge never --memory 5", "visits keep no states: omit --memory, or use --merge same"),
        ("2:3|a\na\n", "--merge isomorphic", "use --merge same, or --up-to for orbits of covers"),
        ("1:99|a\n" + 99 * "a\n", "--merge same", "a search in layers counts up to 64: use --merge never"),
    ],
)
def test_messages_name_options_of_the_command_line(
    feed_dlx: Feed, tmp_path: Path, problem: str, options: str, reason: str
) -> None:
    """Errors about arguments of `dlx.count` are about the options of the command; names of files stay as they are."""
    pytest.importorskip("pynauty")
    path = tmp_path / "merge='same'.dlx"
    path.write_text(problem)
    status, out, err = feed_dlx("", "count", *options.split(), str(path))
    assert (status, out) == (2, "")
    assert err.startswith(f"dlx: {path}: ")
    assert err.endswith(f"{reason}\n")


@pytest.mark.parametrize("task", [["classify"], ["count", "--merge", "isomorphic"]], ids=" ".join)
def test_without_pynauty(feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch, task: list[str]) -> None:
    """The message names the extra to install, and the status is 2."""
    monkeypatch.setitem(sys.modules, "pynauty", None)
    status, out, err = feed_dlx("", *task, DANCE)
    assert (status, out) == (2, "")
    assert err.endswith("pip install pynauty\n")
