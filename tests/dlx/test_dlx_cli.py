"""The `dlx` command: answers, streams, limits, Ctrl-C, memory, malformed input and exit statuses."""

from __future__ import annotations

import argparse
import io
import json
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from commands import COSTS, DANCE, ENDLESS, ROOT, Feed, Terminal, matchings, module, process
from families import build
from processes import run
from waiting import WAIT

from dlx import Coloured, Diagram, Problem, ProblemError, classify, count, diagram
from dlx.command import memory
from dlx.command.arguments import file_name
from dlx.command.cli import _parser, main
from dlx.formats import write


def test_a_coarse_tolerance_is_told_of(feed_dlx: Feed, tmp_path: Path) -> None:
    """The answer says so if large weights cancel each other out, and small ones are lost."""
    rng = random.Random(0)
    pieces = [rng.sample(range(16), rng.randrange(2, 5)) for _ in range(300)]
    weights = [1e15, -1e15, *(rng.randrange(100, 900) / 100 for _ in pieces)]
    write(Problem.from_options([["a"], ["b"], *pieces], weights=weights), tmp_path / "huge.npz")
    status, out, err = feed_dlx("", "best", str(tmp_path / "huge.npz"))
    assert status == 0
    assert out
    assert re.fullmatch(r"dlx: weights are so large that a cover may be better by [0-9.e+]+\n", err)


def test_waiting_for_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """If standard input is a terminal, stderr says that the command reads from there."""
    monkeypatch.setattr("sys.stdin", Terminal("a\na\n"))
    assert main(["solve"]) == 0
    out, err = capsys.readouterr()
    assert (out, err.partition(";")[0]) == ("a\n", "reading from the terminal")


def test_the_status_where_there_is_no_cover(feed_dlx: Feed) -> None:
    """The status is 1 for the commands in the list of docs/files.md alone; the others have answered all the same."""
    (row,) = re.findall(r"^\| 1 \|.*", (ROOT / "docs" / "files.md").read_text(encoding="utf-8"), re.MULTILINE)
    said = re.findall("`([^`]+)`", row.partition(": there is no cover;")[0])
    asked = ["count", "solve", "best", "watch", "watch --best", "info", "estimate"]
    ended = {name: feed_dlx("a b\na\n", *name.split())[0] for name in asked}
    assert ended == {name: int(name in said) for name in asked}


def test_names_of_any_kind(feed_dlx: Feed, tmp_path: Path) -> None:
    """Names of any kind, which .npz files have, are shown."""
    path = str(tmp_path / "named.npz")
    write(Problem.from_options([[1, None, Coloured(("x", 2), 0.5)]], secondary=[("x", 2)]), path)
    assert feed_dlx("", "solve", path) == (0, "1 None ('x', 2):0.5\n", "")


def test_names_that_are_not_utf8() -> None:
    """Bytes that are no UTF-8 come out as they came in."""
    data = b"\xff\xc3\xa4 b\n\xff\xc3\xa4 b\n"
    arguments = [sys.executable, "-m", "dlx", "solve"]
    running = subprocess.run(arguments, cwd=ROOT, input=data, capture_output=True, timeout=WAIT)
    assert (running.returncode, running.stdout, running.stderr) == (0, b"\xff\xc3\xa4 b\n", b"")


def test_what_the_engine_refuses(feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors of the engine end in status 2 and a message with the file's name, not in a traceback."""
    for error in (ProblemError("too odd"), OverflowError("too odd"), NotImplementedError("too odd")):
        monkeypatch.setattr("dlx.estimate", Mock(side_effect=error))
        assert feed_dlx("", "estimate", DANCE) == (2, "", f"dlx: {DANCE}: too odd\n")
    monkeypatch.setattr("dlx.estimate", Mock(side_effect=MemoryError))
    assert feed_dlx("", "estimate", DANCE)[2] == f"dlx: {DANCE}: there is not enough memory\n"


@pytest.mark.usefixtures("ticking")
def test_timeout(feed_dlx: Feed) -> None:
    """A timeout leaves what has been found by then, says that there may be more, and ends with status 3."""
    for task, shown in (("count", "[1-9][0-9]* unproven\n"), ("solve", r"(.* \| .*\n)+")):
        status, out, err = feed_dlx(ENDLESS, task, "--timeout", "1")
        assert (status, err) == (3, "dlx: stopped by --timeout; there may be more covers\n")
        assert re.fullmatch(shown, out)


@pytest.mark.posix
def test_interrupt_of_solve() -> None:
    """Covers come while the search goes on; Ctrl-C ends it with status 130 after as many as it says in the end."""
    with process(*module("dlx"), "solve", "--json") as running:
        running.put(ENDLESS, last=True)
        begin = running.stdout.readline()
        running.send_signal(signal.SIGINT)
        *covers, end = [begin, *running.stdout]
        assert running.stderr.read() == "dlx: stopped by Ctrl-C; there may be more covers\n"
        assert running.wait(timeout=WAIT) == 130
    assert [json.loads(line)["cover"] for line in covers] == list(range(1, len(covers) + 1))
    answer = json.loads(end)
    assert (answer["covers"], answer["stopped"], answer["exhausted"]) == (len(covers), "interrupt", False)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (f"{DANCE} 2>&- <&-", (0, "1\n", "")),
        ("<&-", (2, "", "dlx: <stdin>: Bad file descriptor\n")),
    ],
)
@pytest.mark.posix
def test_closed_streams(line: str, answer: tuple[int, str, str]) -> None:
    """Closed streams do no harm if the command needs none of them; without a standard input the status is 2."""
    line = f"{sys.executable} -m dlx count {line}"
    running = subprocess.run(line, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=WAIT)
    assert (running.returncode, running.stdout, running.stderr) == answer


(MADE,) = (action.choices for action in _parser()._actions if isinstance(action.choices, dict))
OPTIONS = {name: [action for action in parser._actions if action.dest != "help"] for name, parser in MADE.items()}
WRONG = [
    (name, option.option_strings[0])
    for name, options in OPTIONS.items()
    for option in options
    if option.option_strings and (option.choices or option.type not in (None, file_name))
]


@pytest.mark.parametrize(("name", "option"), WRONG)
def test_wrong_values(feed_dlx: Feed, capsys: pytest.CaptureFixture[str], name: str, option: str) -> None:
    """Every option whose values are not any texts refuses a wrong one by its name, with status 2."""
    with pytest.raises(SystemExit, match="2"):
        feed_dlx("", name, f"{option}=[x.svg" if option == "-o" else f"{option}=[")
    assert re.search(rf"error: argument {option}(/--\w+)?: .*\[", capsys.readouterr().err)


def test_a_small_problem_loads_little() -> None:
    """A count of a toy's covers imports nothing needless: the start is most of the time."""
    program = "import sys; from dlx.command.cli import main; main(['count', sys.argv[1]]); print(*sys.modules)"
    arguments = [sys.executable, "-c", program, DANCE]
    out = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=True, timeout=WAIT).stdout
    loaded = set(out.split())
    assert loaded >= {"1", "dlx.formats.knuth"}
    assert loaded.isdisjoint({"json", "zipfile", "scipy", "asyncio", "dlx.formats.npz", "dlx.formats.orlib"})


# Memory


TIGHT = """
import resource
from families import build
from dlx import count, diagram
problem = build("langford", 11)
for small in (build("latin", 4), build("dominoes", 100, 2)):  # whatever is loaded when it is needed
    count(small, merge="same"), diagram(small)
size = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmSize"))
resource.setrlimit(resource.RLIMIT_AS, (size + (2 << 20), resource.RLIM_INFINITY))
try:
    diagram(problem)
except MemoryError as error:
    print(error)
"""


@pytest.mark.posix("/proc/self/status")
def test_little_address_space() -> None:
    """With 2 MB more than it has, a diagram says how far it came."""
    assert re.match(r"the diagram takes .* more than the system has: it has \d+ nodes so far; ", run(TIGHT).stdout)


def test_one_meaning_of_memory() -> None:
    """None stands for 1 GB wherever memory can be given, and what is no amount is refused in the same words."""
    problem = build("toy")
    made = diagram(problem, memory=None)
    made.save(stream := io.BytesIO())
    ways: list[Callable[[Any], object]] = [
        lambda memory: count(problem, memory=memory).covers,
        lambda memory: diagram(problem, memory=memory).memory,
        lambda memory: Diagram.load(io.BytesIO(stream.getvalue()), memory).memory,
        lambda memory: len(classify(problem, memory=memory)),
    ]
    for way in ways:
        with pytest.raises(TypeError, match=r"^memory is 1\.5; it must be a whole number or None$"):
            way(1.5)
        with pytest.raises(ValueError, match=r"^memory is -1; it cannot be negative$"):
            way(-1)
    assert [way(None) for way in ways] == [1, 1 << 30, 1 << 30, 1]


def test_no_memory_while_a_problem_is_read(feed_dlx: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lack of memory is an error with status 2, in words: neither a traceback nor numpy's, nor "no cover"."""
    with pytest.raises(MemoryError) as caught:
        np.empty(1 << 62, np.uint8)
    for error in (MemoryError(), caught.value):
        monkeypatch.setattr("dlx.command.task.read", Mock(side_effect=error))
        assert feed_dlx("", "solve", DANCE) == (2, "", f"dlx: {DANCE}: there is not enough memory\n")
        monkeypatch.setattr("dlx.command.cli._run", Mock(side_effect=error))
        assert feed_dlx("", "solve", DANCE) == (2, "", "dlx: there is not enough memory\n")
        monkeypatch.undo()


def test_amounts_of_memory(feed_dlx: Feed) -> None:
    """An amount is read with or without a unit; what is none is wrong usage, and shown."""
    amounts = {"0": 0, "100MB": 10**8, "1e9": 10**9, "2GiB": 2**31, "1.5k": 1500, "1 Ti": 2**40, "7B": 7, "2gib": 2**31}
    assert {text: memory(text) for text in amounts} == amounts
    assert feed_dlx("", "count", "--memory", "100MB", DANCE)[:2] == (0, "1\n")
    for text in ("-7", "100 bytes", "GB", "1e", "1e999", "inf", "", "9" * 30):
        with pytest.raises(SystemExit) as ended:
            feed_dlx("", "count", f"--memory={text}", DANCE)
        assert ended.value.code == 2
        with pytest.raises(argparse.ArgumentTypeError, match=re.escape(repr(text)[:40])):
            memory(text)


@pytest.mark.posix("/dev/full")
def test_a_certificate_that_cannot_be_written(feed_dlx: Feed) -> None:
    """If a certificate cannot be written, the message names its file, and the answer is still printed."""
    status, out, err = feed_dlx("", "best", COSTS, "--certificate", "/dev/full")
    assert (status, err) == (2, "dlx: /dev/full: No space left on device\n")
    assert out


# Counts


def test_sample(feed_dlx: Feed) -> None:
    """`sample` prints the number of covers that was asked for, all of them covers of `solve`, the same for a seed."""
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
