"""`dlx classify`: kinds of covers, their numbers, limits, Ctrl-C, closed pipes, and what it does without pynauty."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from unittest.mock import Mock

import pytest
from dlx_command import COSTS, DANCE, DOMINOES, NO_COVER, NONE, Feed, command, matchings
from waiting import WAIT

from dlx.command.cli import main

pytest.importorskip("pynauty")

HOW = {"exhausted": True, "stopped": None}


def latin(n: int) -> str:
    """Latin squares of order n in Knuth's text format."""
    square = [(r, c) for r in range(n) for c in range(n)]
    items = " ".join(f"{kind}{a},{b}" for kind in "crs" for a, b in square)
    return "\n".join([items, *(f"c{r},{c} r{r},{s} s{c},{s}" for r, c in square for s in range(n))])


def tilings(n: int) -> str:
    """Tilings of a square with dominoes, of which most have seven images, in Knuth's text format."""
    square = [(r, c) for r in range(n) for c in range(n)]
    places = [((r, c), (r + down, c + 1 - down)) for r, c in square for down in (0, 1)]
    lines = [" ".join(f"{r},{c}" for r, c in cells) for cells in [square, *(p for p in places if p[1] in square)]]
    return "\n".join(lines)


def test_classify(feed_dlx: Feed) -> None:
    """A line for each kind, its size and one of its covers, which `solve` lists, too; the sizes sum to the count."""
    status, out, err = feed_dlx("", "classify", DOMINOES)
    sizes, covers = zip(*(line.split("\t") for line in out.splitlines()), strict=True)
    assert (status, sizes, err) == (0, ("1", "4", "2", "2", "2"), "")
    assert set(covers) <= set(feed_dlx("", "solve", DOMINOES)[1].splitlines())
    assert feed_dlx("", "count", DOMINOES)[1] == "11\n"
    assert feed_dlx("", "classify", COSTS)[1].splitlines() == [f"1\t{cover}" for cover in sorted_by_options(feed_dlx)]


def sorted_by_options(feed_dlx: Feed) -> list[str]:
    """The covers of a toy without symmetries in the order of their options."""
    *covers, _ = map(json.loads, feed_dlx("", "solve", "--json", COSTS)[1].splitlines())
    return [" | ".join(map(" ".join, one["items"])) for one in sorted(covers, key=lambda one: one["options"])]


@pytest.mark.slow
def test_many_symmetries(feed_dlx: Feed) -> None:
    """Where nobody could list the covers, the numbers have all their digits: all matchings are of one kind."""
    status, out, err = feed_dlx(matchings(40), "classify")
    assert (status, out.count("\n"), err) == (0, 1, "")
    assert out.startswith("319830986772877770815625\tv0 v")
    assert feed_dlx(latin(4), "classify", "--count")[1] == "kinds: 2\ncovers: 576\nsymmetries: 82944\n"


def test_json(feed_dlx: Feed) -> None:
    """An object for each kind, with its number from 1, and one with the totals; with --count the last one alone."""
    *kinds, end = map(json.loads, feed_dlx("", "classify", "--json", DOMINOES)[1].splitlines())
    assert [one["kind"] for one in kinds] == [1, 2, 3, 4, 5]
    assert sum(one["covers"] for one in kinds) == 11
    printed = feed_dlx("", "classify", DOMINOES)[1].splitlines()
    assert [f"{one['covers']}\t{' | '.join(map(' '.join, one['items']))}" for one in kinds] == printed
    assert end.items() >= {"file": DOMINOES, "kinds": 5, "covers": 11, "symmetries": 4, **HOW}.items()
    (alone,) = map(json.loads, feed_dlx("", "classify", "--json", "--count", DOMINOES)[1].splitlines())
    assert alone.keys() == end.keys()
    assert alone["kinds"] == 5


def test_limits(feed_dlx: Feed) -> None:
    """--limit is no error and leaves whole sizes; a timeout has its own status, with what had been found by then."""
    whole = feed_dlx("", "classify", DOMINOES)[1].splitlines()
    status, out, err = feed_dlx("", "classify", "--limit", "3", DOMINOES)
    assert (status, len(out.splitlines()), err) == (0, 3, "")
    assert set(out.splitlines()) <= set(whole)
    assert feed_dlx("", "classify", "--limit", "0", DOMINOES) == (0, "", "")
    assert json.loads(feed_dlx("", "classify", "--limit", "0", "--json", DOMINOES)[1])["stopped"] == "max_covers"
    status, out, err = feed_dlx(latin(7), "classify", "--count", "--timeout", "0")
    assert (status, out.splitlines()) == (3, ["kinds: 0", "covers: 0"])
    assert err == "dlx: stopped by --timeout; the symmetries had not been found yet\n"


def test_memory(feed_dlx: Feed) -> None:
    """What does not fit is an error with its size, behind the kinds found so far; what fits changes nothing."""
    text = matchings(8)
    assert feed_dlx(text, "classify", "--memory", "100000") == feed_dlx(text, "classify")
    status, out, err = feed_dlx(text, "classify", "--memory", "0")
    assert (status, out) == (2, "")
    assert "more than 0 bytes" in err
    whole = feed_dlx("", "classify", DOMINOES)[1].splitlines()
    status, out, err = feed_dlx("", "classify", "--memory", "2000", DOMINOES)
    assert (status, len(out.splitlines()), "more than 2000 bytes: there are 3 so far" in err) == (2, 3, True)
    assert set(out.splitlines()) < set(whole)
    assert feed_dlx("", "classify", "--count", "--memory", "2000", DOMINOES)[1] == ""


def test_no_cover(feed_dlx: Feed) -> None:
    """Where there is no cover there is no kind, and the status is 1."""
    assert feed_dlx(NO_COVER, "classify") == (1, "", NONE)
    assert feed_dlx(NO_COVER, "classify", "--count") == (1, "kinds: 0\ncovers: 0\nsymmetries: 2\n", NONE)
    assert json.loads(feed_dlx(NO_COVER, "classify", "--json")[1]).items() >= {"kinds": 0, **HOW}.items()


def test_what_is_refused(feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Malformed input, problems too large for nauty, options of other commands: status 2, and a message."""
    assert feed_dlx("a\nb\n", "classify")[::2] == (2, "dlx: <stdin>:2: the item 'b' is unknown\n")
    monkeypatch.setattr("dlx.symmetry.graphs.MOST_VERTICES", 10)
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
