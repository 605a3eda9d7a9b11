"""The `sudoku` command: streams, forms, malformed grids, limits, Ctrl-C, statuses; target and shares; --jobs."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from typing import Any
from unittest.mock import Mock
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest
from commands import module
from processes import children
from seeds import nightly
from sudoku_command import CLASH, CLUE17, EMPTY, EXAMPLES, MANY, ROOT, SOLVED, Feed, command, to_rows
from waiting import WAIT

import dlx
import sudoku
from sudoku import decode, encode, parse, to_boxed, to_line
from sudoku.command.stream import Stream


def test_answers_of_solve_can_be_read_again(feed_sudoku: Feed) -> None:
    """The completions that `solve` prints are grids that every command reads."""
    _, out, _ = feed_sudoku(f"{CLUE17}\n{to_rows(parse(CLUE17))}", "solve")
    assert feed_sudoku(out, "solve") == (0, out, "")
    assert feed_sudoku(out, "count") == (0, "1\n1\n", "")


def test_json_answers_can_be_read_again(feed_sudoku: Feed) -> None:
    """The JSON with a grid that a command prints is read as that grid by every command."""
    for arguments in ("solve --json", "minimise --json", "canonical --json"):
        _, out, _ = feed_sudoku(CLUE17, *arguments.split())
        assert feed_sudoku(out, "count") == (0, "1\n", ""), arguments


@pytest.mark.parametrize(
    "text",
    [
        "".join(sudoku.write(["1" + 15 * "."], "fpuzzles", sudoku.Layout.named("x", sudoku.Layout.boxes(2, 2)))),
        "060240301000807419000400000600000200300604000200700000020000706900000120100032008,"
        "222222222111113333111133333444566666744555566744589556744589996777789999778888889",
    ],
)
def test_minimal_puzzles_keep_their_rules(feed_sudoku: Feed, text: str) -> None:
    """A puzzle whose text has rules or regions is minimised into a text with them, so that its number stays."""
    _, count, _ = feed_sudoku(text, "count")
    _, out, _ = feed_sudoku(text, "minimise")
    assert feed_sudoku(out, "count") == (0, count, "")


def test_large_completions_in_json(feed_sudoku: Feed) -> None:
    """A completion too large for the line form has numbers with commas."""
    n = 36
    full = np.array([[(6 * (r % 6) + r // 6 + c) % n + 1 for c in range(n)] for r in range(n)])
    _, out, _ = feed_sudoku(to_rows(full, (6, 6)), "solve", "--json", "--box", "6x6")
    assert np.array_equal(parse(json.loads(out)["completion"], (6, 6)), full)


@pytest.mark.usefixtures("ticking")
@pytest.mark.parametrize(
    ("arguments", "answers"),
    [
        ("target --strategy dlx --timeout 1", r"2[789]\d\d unproven\n2850\n"),
        ("count --timeout 1", r"[1-9]\d* unproven\n1\n"),
        ("solve --timeout 0", "unknown\nunknown\n"),
    ],
)
def test_timeout(feed_sudoku: Feed, arguments: str, answers: str) -> None:
    """A timeout gives the best so far, marked unproven, or `unknown`; then the next puzzle has its turn."""
    status, out, err = feed_sudoku(f"{EMPTY}\n{CLUE17}", *arguments.split())
    assert (status, err) == (0, "")
    assert re.fullmatch(answers, out)


ROWS = to_rows(parse(CLUE17))


@pytest.mark.parametrize(
    ("task", "parts"),
    [
        ("target", [(f"{Path(EXAMPLES[0]).read_text()}\n", "2829\n"), (f"{ROWS}\n\n0 0 0 0 0 0 0 1 0\n", "2850\n")]),
        ("solve", [(f"{CLUE17}\n", f"{SOLVED}\n"), (f"{CLUE17}\n" * 3, f"{SOLVED}\n" * 3), ("5e\n\n\n", "error\n")]),
        ("solve", [(f"{CLUE17}\n{CLUE17[:40]}", f"{SOLVED}\n"), (f"{CLUE17[40:]}\n", f"{SOLVED}\n")]),
        ("convert --to rows", [(f"{CLUE17}\n", f"{ROWS}\n"), (f"{CLUE17}\n", f"\n{ROWS}\n")]),
    ],
)
def test_answers_come_at_once(task: str, parts: list[tuple[str, str]]) -> None:
    """A grid in one line is answered at once, one of rows at the empty line below it, and the input stays open."""
    with command(*task.split()) as running:
        for text, answers in parts:
            running.put(text)
            assert "".join(running.stdout.readline() for _ in answers.splitlines()) == answers
        assert running.poll() is None


def test_end_is_obeyed_while_the_input_goes_on() -> None:
    """A line `end` ends the command though the input stays open."""
    with command("count") as running:
        running.put(f"{CLUE17}\nend\n")
        assert running.wait(timeout=WAIT) == 0


@pytest.mark.posix
def test_input_that_cannot_be_read_to_its_end() -> None:
    """A failure while the input is read is said with its name; what came before it is answered."""
    import pty

    ours, theirs = pty.openpty()
    with open(theirs) as terminal:
        arguments = [*module("sudoku"), "count", "-", EXAMPLES[0]]
        with subprocess.Popen(arguments, cwd=ROOT, stdin=terminal, stdout=PIPE, stderr=PIPE, text=True) as running:
            os.write(ours, f"{CLUE17}\n".encode())
            assert running.stdout is not None
            first = running.stdout.readline()
            os.close(ours)  # the terminal has gone away: Linux answers with an error
            out, err = running.communicate(timeout=WAIT)
    assert (first, out) == ("1\n", "3\n")
    note = "reading from the terminal; Ctrl-D ends the input\n"
    assert (running.returncode, err) in ((2, f"{note}sudoku: <stdin>: Input/output error\n"), (0, note))


def test_all_completions(feed_sudoku: Feed) -> None:
    """`solve --all` lists every completion, in the form of the grid; --limit ends the list, and so does a timeout."""
    lines = "12..34..........\n11..............\n1234341221434321"
    status, out, err = feed_sudoku(lines, "solve", "--all", "--box", "2x2")
    several, none, one = out.split("\n\n")
    assert (status, none, one, err) == (0, "-1", "1234341221434321\n", "")
    expected = {to_line(grid, (2, 2)) for grid in completions_of(lines[:16])}
    assert len(several.split()) == len(expected) == 12
    assert set(several.split()) == expected
    assert feed_sudoku(lines, "solve", "--limit", "2", "--box", "2x2")[1].count("\n") == 2 + 1 + 1 + 1 + 1
    boxes = feed_sudoku(to_rows(parse(lines[:16], (2, 2)), (2, 2)), "solve", "--limit", "2", "--box", "2x2")[1]
    assert [to_line(parse(text, (2, 2)), (2, 2)) in expected for text in boxes.split("\n\n")] == [True, True]
    answers = [*map(json.loads, feed_sudoku(lines, "solve", "--all", "--json", "--box", "2x2")[1].splitlines())]
    assert [one["completion"] for one in answers if "completion" in one] == [*several.split(), "1234341221434321"]
    ends = [(one["line"], one["completions"], one["exhausted"]) for one in answers if "completions" in one]
    assert ends == [(1, 12, True), (2, 0, True), (3, 1, True)]
    assert feed_sudoku(EMPTY, "solve", "--all", "--timeout", "0")[1] == "unknown\n"
    assert feed_sudoku(EMPTY, "solve", "--all", "--timeout", "0.1")[1].endswith("\nunproven\n")


@pytest.mark.parametrize("arguments", [["--all"], ["--all", "--json"]], ids=" ".join)
@pytest.mark.posix
def test_completions_are_printed_as_they_are_found(arguments: list[str]) -> None:
    """A list without an end begins at once; Ctrl-C ends it soon, with whole lines, and says that there are more."""
    with command("solve", *arguments) as running:
        running.put(f"{EMPTY}\n", last=True)
        first = [running.stdout.readline() for _ in range(3000)]
        assert running.poll() is None
        running.send_signal(signal.SIGINT)
        *rest, last = running.stdout.readlines()
        assert running.stderr.read() == ""
    assert running.returncode == 130
    lines = [*first, *rest]
    if "--json" in arguments:
        assert json.loads(last)["completions"] == len(lines)
        assert json.loads(last)["stopped"] == "interrupt"
        lines = [f"{json.loads(line)['completion']}\n" for line in lines]
    else:
        assert last == "unproven\n"
    assert len({*lines}) == len(lines)
    assert {len(line) for line in lines} == {82}


@pytest.mark.posix("/proc/self/statm")  # macOS counts bytes
def test_a_long_list_takes_little_memory() -> None:
    """A hundred thousand completions are listed in as little memory as a thousand."""
    program = (
        "import resource, sys; from sudoku.command.cli import main; status = main(['solve', *sys.argv[1:]])\n"
        "print(status, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    taken = []
    for number in ("1000", "100000"):
        line = [sys.executable, "-c", program, "--limit", number, EMPTY]
        done = subprocess.run(line, cwd=ROOT, capture_output=True, timeout=WAIT)
        status, kilobytes = map(int, done.stderr.split())
        assert (status, done.stdout.count(b"\n")) == (0, int(number))
        taken.append(kilobytes)
    assert taken[1] < taken[0] + 10_000


@pytest.mark.parametrize("task", ["draw", "solve --variant x", "watch --box 2x2"])
def test_a_file_without_a_grid(feed_sudoku: Feed, task: str) -> None:
    """An empty input is no error, and a message says so; with rules it says how to write the grid without givens."""
    remedy = {"draw": "", "solve": "; 81 dots are the grid without givens"}
    words = remedy.get(task.split()[0], "; 16 dots are the grid without givens")
    assert feed_sudoku("", *task.split()) == (0, "", f"sudoku: <stdin>: there is no grid{words}\n")


def completions_of(text: str) -> list[npt.NDArray[np.uint8]]:
    """All completions of a grid of 4 x 4."""
    problem = encode(parse(text, (2, 2)), (2, 2))
    return list(decode(problem, np.concatenate([*dlx.covers(problem).blocks()])))


# Target sudoku


def in_a_file(tmp_path: Path, *grids: str) -> str:
    """Writes grids to a file, from which they are read together."""
    path = tmp_path / "grids.txt"
    path.write_text("".join(f"{grid}\n" for grid in grids))
    return str(path)


def test_plain_questions_take_the_batch(feed_sudoku: Feed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Grids with one completion, or none, are answered together, and never by a search of their own."""
    monkeypatch.setattr("sudoku.best", Mock(side_effect=AssertionError))
    file = in_a_file(tmp_path, *[CLUE17, CLASH, SOLVED] * 50)
    for more in ((), ("--min",), ("--timeout", "5")):
        assert feed_sudoku("", "target", *more, file) == (0, "2850\n-1\n2850\n" * 50, "")
    assert feed_sudoku("", "solve", "--timeout", "0", file)[1] == "unknown\n" * 150  # as for a single grid
    file = in_a_file(tmp_path, *[CLUE17] * 20)
    assert feed_sudoku("", "target", "--grid", file)[1] == "\n".join([f"2850\n{to_boxed(parse(SOLVED))}\n"] * 20)


def test_easy_answers_do_not_wait_for_hard_ones(
    feed_sudoku: Feed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of grids that have come together, the answers before a hard one are printed before that is searched."""
    printed: list[str] = []

    def hard(*_: object, **__: object) -> None:
        printed.append(feed_sudoku.capsys.readouterr().out)
        raise KeyboardInterrupt

    monkeypatch.setattr("sudoku.best", hard)
    file = in_a_file(tmp_path, *[CLUE17, CLASH] * 10, EMPTY, CLUE17)
    assert feed_sudoku("", "target", file)[:2] == (130, "unknown\n")
    assert printed == ["2850\n-1\n" * 10]


# Shares


FOUR = "1.....2........."  # twelve completions


def table(text: str) -> dict[str, list[str]]:
    """The lines of a table, by the cell."""
    head, *lines = [line.split() for line in text.splitlines()]
    assert head == ["%", *map(str, range(1, len(head)))]
    return {cell: shares for cell, *shares in lines}


def test_table(feed_sudoku: Feed) -> None:
    """A line for each blank, not for givens, with the part of each digit in per cent, as `sudoku.shares` has it."""
    status, out, err = feed_sudoku(FOUR, "shares", "--box", "2x2")
    lines = table(out)
    assert (status, len(lines), err) == (0, 14, "")
    assert (lines["r1c2"], lines["r4c4"]) == ([".", "100.0", ".", "."], [".", "50.0", "25.0", "25.0"])
    assert len({len(line) for line in out.splitlines()}) == 1
    shares = sudoku.shares(MANY)
    for cell, texts in table(feed_sudoku(MANY, "shares")[1]).items():
        r, c = int(cell[1]) - 1, int(cell[3]) - 1
        shown = [0 if text == "." else float(text) / 100 for text in texts]
        assert np.abs(shares[r, c] - shown).max() <= 0.00051
        assert [text == "." for text in texts] == [share == 0 for share in shares[r, c]]


def test_json(feed_sudoku: Feed) -> None:
    """The same numbers as `sudoku.shares`, in full; without completions null."""
    grid = Path(EXAMPLES[0]).read_text()
    status, out, err = feed_sudoku(f"{grid}\n{CLASH}", "shares", "--json")
    one, none = map(json.loads, out.splitlines())
    chances = np.zeros((9, 9, 9))
    for blank in one["shares"]:
        for digit, share in blank["digits"].items():
            chances[blank["row"] - 1, blank["column"] - 1, int(digit) - 1] = share
    blanks = sudoku.as_grid(grid) == 0
    assert (status, err, len(one["shares"])) == (0, "", int(blanks.sum()))
    assert np.array_equal(chances[blanks], sudoku.shares(grid)[blanks])
    assert (none["line"], none["shares"], none["stopped"]) == (11, None, None)


def test_pictures(feed_sudoku: Feed, tmp_path: Path) -> None:
    """The first grid is drawn in the file, the K-th with -K in the name, and none that has no completion."""
    status, _, err = feed_sudoku(
        f"{FOUR}\n11{'.' * 14}\n{FOUR}", "shares", "--box", "2x2", "--svg", str(tmp_path / "a.b.svg")
    )
    assert (status, err) == (0, f"sudoku: 2 files are written, {tmp_path / 'a.b.svg'} to {tmp_path / 'a.b-3.svg'}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.b-3.svg", "a.b.svg"]
    picture = (tmp_path / "a.b.svg").read_text()
    assert picture == (tmp_path / "a.b-3.svg").read_text()
    assert picture == sudoku.to_svg(FOUR, (2, 2), shares=sudoku.shares(FOUR, (2, 2))) + "\n"
    texts = [node.text for node in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]
    assert len(texts) == 32 + 4  # twelve blanks with two or three digits; two givens, and two blanks with one digit


# Several processes


BAD = f"{CLUE17[1:]}\n5e\n\n\n7 0 0 9 0 0 0 0 10\n\n\n"
MIXED = f"{CLUE17}\n{CLASH}\n{BAD}{to_rows(parse(MANY))}\n{SOLVED}\n{to_boxed(parse(CLUE17))}\n{MANY}\n"
FEW = "319842756652793814070010392080000003007300000000200000030020460040650200006000000"  # with 487 completions
TWO = ("--jobs", "2")


def without_times(text: str) -> str:
    """The messages without their times."""
    return re.sub(r'"seconds": [^,}]*', "", text)


@pytest.mark.parametrize(
    "arguments",
    [
        *nightly(["target"]),
        ["target", "--json"],
        *nightly(["target", "--strategy", "rows", "--fail"]),
        ["target", "--timeout", "0"],
        ["solve", "--json", "--fail"],
        ["count", "--json", "--limit", "7"],
        ["shares", "--json"],
        ["minimise"],
        ["solve", "--all"],
        ["solve", "--limit", "3", "--json"],
    ],
    ids=" ".join,
)
def test_the_same_as_alone(feed_sudoku: Feed, arguments: list[str]) -> None:
    """Answers, messages and status are those of one process: good grids and bad lines, in the order of the input."""
    mixed = (
        MIXED
        if arguments[0] not in ("shares", "solve")
        else f"{CLUE17}\n{CLASH}\n{BAD}{FEW}\n{to_boxed(parse(CLUE17))}\n"
    )
    text = 6 * mixed + f"end\n{CLUE17}"
    alone, shared = (feed_sudoku(text, *arguments, *more) for more in ((), TWO))
    assert alone[2].count("sudoku: <stdin>:") == 12
    assert (shared[0], without_times(shared[1]), shared[2]) == (alone[0], without_times(alone[1]), alone[2])


@pytest.mark.posix("/proc/self/task")
def test_interrupt_of_all_processes() -> None:
    """Ctrl-C in a terminal goes to the workers, too: the command ends after the answers before."""
    with command("count", "--jobs", "3") as running:
        running.put(f"{CLUE17}\n{EMPTY}\n", last=True)
        assert running.stdout.readline() == "1\n"
        for pid in [*children(running.pid), running.pid]:
            os.kill(pid, signal.SIGINT)
        out, err = running.communicate(timeout=WAIT)
    assert (running.returncode, out, err) == (130, "", "")


@pytest.mark.parametrize("task", ["rate", "target"])
def test_a_grid_that_kills(feed_sudoku: Feed, monkeypatch: pytest.MonkeyPatch, task: str) -> None:
    """A grid that none of its workers survives ends the command, with a message that names its part of the input."""

    def deadly(self: Stream, item: Any) -> Any:
        os._exit(1)

    monkeypatch.setattr(Stream, "answers", deadly)
    status, out, err = feed_sudoku(f"# a grid\n{CLUE17}", task, *TWO)
    assert (status, out) == (2, "")
    part = "the grid, or one of the grids, at <stdin>:2"
    assert re.fullmatch(rf"sudoku: 5 workers in a row have died of {part} \(Broken.*\)\n", err)
