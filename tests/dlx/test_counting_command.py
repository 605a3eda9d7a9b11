"""`dlx sample`, `classify` and `count`: what is drawn, refused or stopped, and numbers of any size."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from unittest.mock import Mock

import pytest
from dlx_command import DANCE, DOMINOES, Feed, matchings

from dlx import Problem, count, diagram


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
    """Ctrl-C leaves a word on stderr and the status 130, and no number."""
    monkeypatch.setattr("dlx.counting.diagram.diagram", Mock(side_effect=KeyboardInterrupt))
    status, out, err = feed_dlx(DANCE, *task, DANCE)
    assert (status, out) == (130, "")
    assert err == "dlx: stopped by Ctrl-C; nothing is known before the search has ended\n"


@pytest.mark.slow
def test_sample_up_to_renaming(feed_dlx: Feed) -> None:
    """With `--merge isomorphic` the covers drawn are covers, too, all of them soon."""
    pytest.importorskip("pynauty")
    text = matchings(6)
    listed = {frozenset(line.split(" | ")) for line in feed_dlx(text, "solve")[1].splitlines()}
    status, out, err = feed_dlx(text, "sample", "-n", "300", "--merge", "isomorphic")
    assert (status, {frozenset(line.split(" | ")) for line in out.splitlines()}, err) == (0, listed, "")
    end = json.loads(feed_dlx(text, "sample", "--merge", "isomorphic", "--json")[1].splitlines()[-1])
    assert (end["covers"], end["nodes"]) == (15, 4)


@pytest.mark.slow
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


@pytest.mark.parametrize("task", [["classify"], ["count", "--merge", "isomorphic"]], ids=" ".join)
def test_without_pynauty(feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch, task: list[str]) -> None:
    """The message names the extra to install, and the status is 2."""
    monkeypatch.setitem(sys.modules, "pynauty", None)
    status, out, err = feed_dlx("", *task, DANCE)
    assert (status, out) == (2, "")
    assert err.endswith("pip install pynauty\n")


def test_an_interrupt_before_the_symmetries_are_known(feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then nothing is known, which is said, and the status is that of Ctrl-C."""
    pytest.importorskip("pynauty")
    monkeypatch.setattr("dlx.symmetry.classification.classify", Mock(side_effect=KeyboardInterrupt))
    assert feed_dlx("", "classify", DANCE) == (
        130,
        "",
        "dlx: stopped by Ctrl-C; the symmetries had not been found yet\n",
    )


@pytest.mark.slow
def test_numbers_that_python_does_not_write() -> None:
    """Results and errors about more than 4,300 digits tell the size, and are of the right type."""
    problem = Problem.from_options([[i] for i in range(15_000) for _ in range(2)])
    found = count(problem)
    assert repr(found).startswith("Count(nodes=")
    assert "covers=about 2.81e4515," in repr(found)
    assert f"covers={2**100}," in repr(replace(found, covers=2**100))
    with pytest.raises(IndexError, match=r"there is no cover about 2\.81e4515: there are about 2\.81e4515"):
        diagram(problem)[found.covers]
