"""The `sudoku` command: streams, mixed forms, malformed grids, limits, Ctrl-C, closed pipes and exit statuses."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import PIPE
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from commands import Terminal, module, process

import dlx
from sudoku import RING_WEIGHTS, STRATEGIES, Batch, encode, parse, ring_weights, score, to_boxed, to_line, to_rows
from sudoku.cli import main

ROOT = Path(__file__).parents[2]
EXAMPLES = [str(ROOT / "examples" / name) for name in ("contest-1.txt", "contest-2.txt")]
CLUE17 = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
SOLVED = "693784512487512936125963874932651487568247391741398625319475268856129743274836159"
CLASH = "330000700050000014070010392080000003007300000000200000030020460040650200006000000"
MANY = "300000700050000014070010392080000003007300000000200000030020460040650200006000000"
EMPTY = "0" * 81


@pytest.fixture
def feed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Feed:
    """Runs the command in this process with a text as its standard input."""
    return Feed(monkeypatch, capsys)


class Feed:
    """Calls give the exit status, what was printed, and what was said on stderr."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, text: str, *arguments: str) -> tuple[int, str, str]:
        self.monkeypatch.setattr("sys.stdin", io.StringIO(text))
        status = main(arguments)
        return status, *self.capsys.readouterr()


def command(*arguments: str, stderr: int = subprocess.PIPE) -> AbstractContextManager[subprocess.Popen[str]]:
    """The command in a process of its own, which is gone afterwards."""
    return process(*module("sudoku"), *arguments, stderr=stderr)


def test_target_of_the_published_samples(feed: Feed) -> None:
    """One line per puzzle: the best score; the same for files, for standard input, and for `-` among files."""
    assert feed("", "target", *EXAMPLES) == (0, "2829\n2852\n", "")
    assert feed(Path(EXAMPLES[0]).read_text(), "target") == (0, "2829\n", "")
    assert feed(Path(EXAMPLES[0]).read_text(), "target", EXAMPLES[1], "-") == (0, "2852\n2829\n", "")


@pytest.mark.parametrize("name", STRATEGIES)
def test_target_by_every_strategy(feed: Feed, name: str) -> None:
    """Every strategy answers the sample, the grid without a completion and the completed one."""
    text = f"{Path(EXAMPLES[0]).read_text()}{CLASH}\n{SOLVED}"
    assert feed(text, "target", "--strategy", name) == (0, "2829\n-1\n2850\n", "")


def test_target_grid(feed: Feed) -> None:
    """With --grid the completion follows the score, with empty lines around it but not at the ends."""
    status, out, _ = feed(f"{CLASH}\n{CLUE17}\n{CLASH}\n{CLASH}", "target", "--grid")
    assert status == 0
    assert out == f"-1\n\n2850\n{to_boxed(parse(SOLVED))}\n\n-1\n-1\n"


def test_target_json(feed: Feed) -> None:
    """With --json there is an object for each puzzle, with the score, the completion and how the search went."""
    status, out, _ = feed(f"{CLUE17}\n{CLASH}", "target", "--json", "--strategy", "dlx")
    one, none = map(json.loads, out.splitlines())
    assert status == 0
    assert one.pop("seconds") >= 0
    assert one.pop("nodes") >= 1
    assert one == {
        "file": "<stdin>",
        "line": 1,
        "score": 2850,
        "completion": SOLVED,
        "completions": 1,
        "ties": 1,
        "bound": None,
        "proven": True,
        "stopped": None,
        "strategy": "dlx",
    }
    assert (none["score"], none["completion"], none["completions"], none["proven"]) == (-1, None, 0, True)


def test_target_strategy_dlx_visits_every_completion(feed: Feed) -> None:
    """The strategy `dlx` visits and scores them all, whatever the default does: 32758 of this grid."""
    _, out, _ = feed(MANY, "target", "--strategy", "dlx", "--json")
    answer = json.loads(out)
    assert (answer["score"], answer["completions"], answer["proven"]) == (2869, 32758, True)
    _, out, _ = feed(MANY, "target", "--json")
    answer = json.loads(out)
    assert (answer["score"], answer["completions"], answer["bound"], answer["strategy"]) == (2869, None, 2869, "bound")
    assert answer["nodes"] < 32758


def test_shown_commands(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The commands in the document about target sudoku print what is shown there."""
    monkeypatch.chdir(ROOT)
    document = (ROOT / "docs" / "target-sudoku.md").read_text(encoding="utf-8")
    block = "".join(re.findall(r"```console\n(.*?)```", document, re.DOTALL))
    shown = re.findall(r"^\$ sudoku (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    assert len(shown) >= 3
    for arguments, printed in shown:
        assert main(arguments.split()) == 0
        assert capsys.readouterr().out == printed


@pytest.mark.parametrize("name", STRATEGIES)
def test_target_min(feed: Feed, name: str) -> None:
    """With --min the answer is the lowest score, by every strategy; no completion stays -1."""
    text = f"{Path(EXAMPLES[1]).read_text()}{CLASH}\n{SOLVED}"
    assert feed(text, "target", "--min", "--strategy", name) == (0, "2842\n-1\n2850\n", "")
    _, out, _ = feed(Path(EXAMPLES[1]).read_text(), "target", "--min", "--strategy", name, "--json")
    answer = json.loads(out)
    assert answer["score"] == score(parse(answer["completion"])) == 2842
    assert answer["bound"] == (2842 if name == "bound" else None)


def test_target_top(feed: Feed) -> None:
    """With --top a line for each of the K best, or of all there are, and an empty line between two grids."""
    text = f"{Path(EXAMPLES[1]).read_text()}{CLASH}\n{SOLVED}\n{CLUE17}\n{Path(EXAMPLES[0]).read_text()}"
    status, out, err = feed(text, "target", "--top", "5")
    assert (status, err) == (0, "")
    five, none, one, other, three = (block.splitlines() for block in out.rstrip("\n").split("\n\n"))
    assert (none, one, other) == (["-1"], [f"2850 {SOLVED}"], [f"2850 {SOLVED}"])
    for lines, scores in ((five, [2852, 2852, 2851, 2851, 2851]), (three, [2829] * 3)):
        pairs = [line.split(" ") for line in lines]
        assert [int(number) for number, _ in pairs] == scores
        assert [score(parse(digits)) for _, digits in pairs] == scores
        assert len(set(lines)) == len(scores)
    _, out, _ = feed(MANY, "target", "--top", "3", "--min")
    assert out.split()[::2] == ["2825"] * 3


def test_target_top_grid(feed: Feed) -> None:
    """With --grid as well, each score is followed by its completion in boxes."""
    _, out, _ = feed(f"{CLUE17}\n{CLASH}\n{MANY}", "target", "--top", "2", "--grid")
    one, none, two = out.rstrip("\n").split("\n\n")
    assert one == f"2850\n{to_boxed(parse(SOLVED))}"
    assert none == "-1"
    lines = two.splitlines()
    assert lines[0] == lines[12] == "2869"
    assert [score(parse("\n".join(lines[k : k + 11]))) for k in (1, 13)] == [2869, 2869]


def test_target_top_json(feed: Feed) -> None:
    """With --json as well, an object for each grid has the list, and the objects are lines without gaps."""
    _, out, _ = feed(f"{CLUE17}\n{CLASH}\n{MANY}", "target", "--top", "2", "--json")
    one, none, two = map(json.loads, out.splitlines())
    assert one["top"] == [{"score": 2850, "completion": SOLVED}]
    assert (none["top"], none["bound"], none["proven"]) == ([], None, True)
    assert [entry["score"] for entry in two["top"]] == [2869, 2869]
    assert (two["line"], two["bound"], two["proven"], two["stopped"], two["strategy"]) == (3, 2869, True, None, "bound")


def test_target_top_of_large_grids(feed: Feed) -> None:
    """A grid too large for the line form is a word of numbers with commas between them."""
    n = 36
    full = np.array([[(6 * (r % 6) + r // 6 + c) % n + 1 for c in range(n)] for r in range(n)])
    _, out, _ = feed(to_rows(full, (6, 6)), "target", "--top", "1", "--box", "6x6")
    number, cells = out.split()
    assert int(number) == score(full, ring_weights(n))
    assert [int(cell) for cell in cells.split(",")] == full.ravel().tolist()


@pytest.mark.parametrize("name", STRATEGIES)
def test_target_ties(feed: Feed, name: str) -> None:
    """With --ties the number of completions that share the score follows it, with every strategy the same."""
    text = f"{Path(EXAMPLES[0]).read_text()}{CLASH}\n{Path(EXAMPLES[1]).read_text()}"
    assert feed(text, "target", "--ties", "--strategy", name) == (0, "2829 ties 3\n-1\n2852 ties 2\n", "")
    _, out, _ = feed(text, "target", "--ties", "--min", "--json", "--strategy", name)
    three, none, two = map(json.loads, out.splitlines())
    assert (three["ties"], three["ties_exhausted"], two["ties"], two["ties_exhausted"]) == (3, True, 8, True)
    assert (none["score"], none["completion"]) == (-1, None)


def test_target_ties_up_to_a_limit(feed: Feed) -> None:
    """Where the limit or the timeout ends the count, a + says that there may be more."""
    assert feed(EMPTY, "target", "--ties", "--limit", "300")[1] == "2906 ties 300+\n"
    _, out, _ = feed(EMPTY, "target", "--ties", "--limit", "300", "--json")
    assert (json.loads(out)["ties"], json.loads(out)["ties_exhausted"]) == (300, False)
    assert re.fullmatch(r"2906 ties \d+\+\n", feed(EMPTY, "target", "--ties", "--timeout", "0.2")[1])
    status, out, _ = feed(EMPTY, "target", "--ties", "--limit", "20", "--grid")
    assert (status, out.splitlines()[0], len(out.splitlines())) == (0, "2906 ties 20+", 12)


def test_target_of_sixteen_rows(feed: Feed) -> None:
    """The best score of the empty grid with 4x4 boxes is proven; with 5x5 boxes a timeout leaves a bound."""
    assert feed("." * 256, "target", "--box", "4x4") == (0, "18312\n", "")
    _, out, _ = feed("." * 625, "target", "--box", "5x5", "--timeout", "0.1", "--json")
    answer = json.loads(out)
    assert (answer["proven"], answer["stopped"]) == (False, "timeout")
    assert answer["bound"] >= 80997  # there is a completion with that


def test_target_weights(feed: Feed, tmp_path: Path) -> None:
    """A table from a file takes the place of the rings, negative weights included."""
    path = tmp_path / "weights.txt"
    path.write_text("\n".join(" ".join(map(str, row)) for row in (-RING_WEIGHTS).tolist()))
    assert feed(CLUE17, "target", "--weights", str(path)) == (0, "-2850\n", "")


@pytest.mark.parametrize(
    ("text", "message"), [("1 2 3", "there are 3 weights instead of 9"), (None, "No such file or directory")]
)
def test_wrong_weights(feed: Feed, tmp_path: Path, text: str | None, message: str) -> None:
    """A malformed or missing table of weights is an error of usage, before any grid is read."""
    path = tmp_path / "weights.txt"
    if text is not None:
        path.write_text(text)
    with pytest.raises(SystemExit) as exit_:
        feed(CLUE17, "target", "--weights", str(path))
    assert exit_.value.code == 2
    assert f"{path}" in (err := feed.capsys.readouterr().err)
    assert message in err


def test_list_strategies(feed: Feed) -> None:
    """The strategies are listed with the default marked, and no input is read."""
    status, out, _ = feed("nonsense", "target", "--list-strategies")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == list(STRATEGIES)
    assert "bound (default)" in out.splitlines()


def test_solve_answers_in_the_form_of_the_puzzle(feed: Feed) -> None:
    """A line gives a line, a grid gives a grid of boxes, and no completion gives -1, all in one stream."""
    grid, boxed = to_rows(parse(CLUE17)), to_boxed(parse(SOLVED))
    text = f"{CLUE17} easy\n{grid}\n{CLASH}\n{CLASH}\n{to_boxed(parse(CLUE17))}\n{boxed}\nend\n{CLUE17}"
    status, out, err = feed(text, "solve")
    assert (status, err) == (0, "")
    assert out == f"{SOLVED}\n\n{boxed}\n\n-1\n-1\n\n{boxed}\n\n{boxed}\n"


def test_answers_of_solve_can_be_read_again(feed: Feed) -> None:
    """The completions that `solve` prints are grids that every command reads."""
    _, out, _ = feed(f"{CLUE17}\n{to_rows(parse(CLUE17))}", "solve")
    assert feed(out, "solve") == (0, out, "")
    assert feed(out, "count") == (0, "1\n1\n", "")


def test_solve_json(feed: Feed) -> None:
    """With --json the completion is a line, or null with the word of the search that there is none."""
    _, out, _ = feed(f"{CLUE17}\n{CLASH}", "solve", "--json")
    one, none = map(json.loads, out.splitlines())
    assert (one["line"], one["completion"]) == (1, SOLVED)
    assert (none["line"], none["completion"], none["proven"]) == (2, None, True)


def test_count(feed: Feed) -> None:
    """The number of completions; with a limit no more than that, and --json tells whether there are more."""
    assert feed(f"{MANY}\n{CLASH}\n{CLUE17}", "count") == (0, "32758\n0\n1\n", "")
    assert feed(f"{EMPTY}\n{CLASH}\n{CLUE17}", "count", "--limit", "2") == (0, "2\n0\n1\n", "")
    _, out, _ = feed(f"{EMPTY}\n{MANY}", "count", "--json", "--limit", "40000")
    limited, whole = map(json.loads, out.splitlines())
    assert (limited["completions"], limited["exhausted"], limited["stopped"]) == (40000, False, "max_covers")
    assert (whole["completions"], whole["exhausted"], whole["stopped"]) == (32758, True, None)


@pytest.mark.parametrize("box", ["2x2", "2x3", "4x4"])
def test_other_boxes(feed: Feed, box: str) -> None:
    """The box is a parameter of every command."""
    height, width = map(int, box.split("x"))
    n = height * width
    rows = [[(width * (r % height) + r // height + c) % n + 1 for c in range(n)] for r in range(n)]
    full = np.array(rows)
    full_line = to_line(full, (height, width))
    text = f".{full_line[1:]}\n{to_rows(full, (height, width))}"
    assert feed(text, "solve", "--box", box)[:2] == (0, f"{full_line}\n\n{to_boxed(full, (height, width))}\n")
    assert feed(text, "count", "--box", box)[:2] == (0, "1\n1\n")
    _, out, _ = feed(text, "target", "--json", "--box", box)
    assert [json.loads(line)["completion"] for line in out.splitlines()] == [full_line] * 2


def test_large_completions_in_json(feed: Feed) -> None:
    """A completion too large for the line form is given in rows."""
    n = 36
    full = np.array([[(6 * (r % 6) + r // 6 + c) % n + 1 for c in range(n)] for r in range(n)])
    _, out, _ = feed(to_rows(full, (6, 6)), "solve", "--json", "--box", "6x6")
    assert np.array_equal(parse(json.loads(out)["completion"], (6, 6)), full)


def test_strategy_for_another_shape(feed: Feed) -> None:
    """A strategy for nine rows says so about each puzzle of another shape, with the place."""
    status, out, err = feed("1" + "." * 15, "target", "--strategy", "brute", "--box", "2x2")
    assert (status, out) == (2, "error\n")
    assert err.startswith("sudoku: <stdin>:1: ")


def test_malformed_grids(feed: Feed, tmp_path: Path) -> None:
    """Each malformed grid and unreadable file costs a message and status 2, and everything else is answered."""
    path = tmp_path / "grids.txt"
    bad = "7 0 0 9 0 0 0 0 10\n" + "0 0 0 0 0 0 0 0 0\n" * 8
    path.write_bytes(f"{CLUE17[1:]}\n{CLUE17}\n{bad}{CLUE17}\n".encode() + b"\xff\xfe\n\n0 0 0")
    status, out, err = feed(f"{CLUE17}\nhello\n", "solve", str(path), str(tmp_path / "none.txt"), str(tmp_path), "-")
    assert out.splitlines() == ["error", SOLVED, "error", SOLVED, "error", "error", SOLVED, "error"]
    assert status == 2
    assert err.splitlines() == [
        f"sudoku: {path}:1: the line has 80 characters instead of 81: '{CLUE17[1:41]}...'",
        f"sudoku: {path}:3: 10 in row 1 is not between 0 and 9",
        rf"sudoku: {path}:13: '\udcff\udcfe' is neither a row nor a whole grid",
        f"sudoku: {path}:15: row 1 has 3 cells instead of 9: '0 0 0'",
        f"sudoku: {tmp_path / 'none.txt'}: No such file or directory",
        f"sudoku: {tmp_path}: Is a directory",
        "sudoku: <stdin>:2: 'hello' is neither a row nor a whole grid",
    ]


def test_very_long_lines(feed: Feed) -> None:
    """A line of millions of characters is one malformed grid, or a grid with a long comment."""
    status, out, err = feed(f"{'1' * 3_000_000}\n{CLUE17} {'x' * 3_000_000}\n{CLUE17}", "solve")
    assert (status, out) == (2, f"error\n{SOLVED}\n{SOLVED}\n")
    assert err == f"sudoku: <stdin>:1: the line has 65536 characters instead of 81: '{'1' * 40}...'\n"


def test_empty_input(feed: Feed) -> None:
    """No puzzles, no answers, no error."""
    assert feed("", "target") == (0, "", "")
    assert feed("\n\n# nothing\nend\n", "solve") == (0, "", "")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["guess"],
        ["target", "--strategy", "guess"],
        ["target", "--timeout", "-1"],
        ["target", "--timeout", "nan"],
        ["target", "--timeout", "soon"],
        ["count", "--limit", "-1"],
        ["count", "--limit", "1.5"],
        ["solve", "--box", "3"],
        ["solve", "--box", "9x9"],
        ["solve", "--limit", "3"],
        ["target", "--limit", "3"],
        ["target", "--top", "0"],
        ["target", "--top", "many"],
        ["target", "--top", "3", "--ties"],
        ["solve", "--top", "3"],
    ],
)
def test_wrong_usage(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong arguments end with status 2 and a message, before any input is read."""
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for name in STRATEGIES if name != "bound"])
def test_top_with_a_strategy_that_keeps_one(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A strategy that keeps the best completion only cannot list the K best: an error of usage that names it."""
    with pytest.raises(SystemExit) as exit_:
        main(["target", "--top", "3", "--strategy", name])
    assert exit_.value.code == 2
    assert f"{name} keeps the best completion only" in capsys.readouterr().err
    assert main(["target", "--top", "3", "--strategy", "bound", os.devnull]) == 0


@pytest.mark.parametrize("name", ["target", "solve", "count"])
def test_help_tells_the_forms_and_the_exit_status(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The help of each command explains the input, the output and the exit status."""
    with pytest.raises(SystemExit) as exit_:
        main([name, "--help"])
    assert exit_.value.code == 0
    out = capsys.readouterr().out
    assert "81 characters in a line" in out
    assert "output, for each grid:" in out
    assert "exit status:" in out


def test_timeout(feed: Feed) -> None:
    """A timeout gives the best so far, marked unproven, or `unknown`; then the next puzzle has its turn."""
    text = f"{EMPTY}\n{CLUE17}"
    status, out, err = feed(text, "target", "--strategy", "dlx", "--timeout", "0.2")
    assert (status, err) == (0, "")
    assert re.fullmatch(r"2[789]\d\d unproven\n2850\n", out)
    status, out, _ = feed(text, "count", "--timeout", "0.2")
    assert re.fullmatch(r"[1-9]\d* unproven\n1\n", out)
    assert feed(text, "target", "--strategy", "dlx", "--timeout", "0")[1] == "unknown\nunknown\n"
    assert feed(text, "target", "--timeout", "0")[1] == "unknown\n2850\n"
    assert feed(text, "target", "--top", "2", "--timeout", "0")[1] == "unknown\n\nunknown\n"
    assert feed(text, "solve", "--timeout", "0")[1] == "unknown\nunknown\n"
    _, out, _ = feed(EMPTY, "target", "--strategy", "dlx", "--timeout", "0", "--json")
    answer = json.loads(out)
    assert (answer["score"], answer["proven"], answer["stopped"]) == (None, False, "timeout")
    _, out, _ = feed(EMPTY, "target", "--timeout", "0", "--json")
    answer = json.loads(out)
    assert (answer["score"], answer["proven"], answer["stopped"]) == (None, False, "timeout")
    assert answer["bound"] >= 2906
    _, out, _ = feed("." * 625, "target", "--top", "2", "--box", "5x5", "--timeout", "0", "--json")
    answer = json.loads(out)
    assert (answer["top"], answer["proven"], answer["stopped"]) == ([], False, "timeout")


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["target", "--strategy", "dlx"], r"2[789]\d\d unproven\n"),
        (["target", "--top", "100000"], r"\n(2\d{3} \d{81} unproven\n)*"),
        (["target", "--ties", "--limit", "1000000000"], r"2906 ties \d+\+\n"),
        (["count"], r"[1-9]\d* unproven\n"),
    ],
)
def test_interrupt(arguments: list[str], answer: str) -> None:
    """Ctrl-C ends the command with status 130 after the best, or the number, found so far; nothing comes after it."""
    with command(*arguments) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(f"{CLUE17}\n{EMPTY}\n{CLUE17}\n")
        running.stdin.flush()
        running.stdout.readline()  # now the empty grid has its turn
        time.sleep(0.3)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=20)
    assert running.returncode == 130
    assert re.fullmatch(answer, out)
    assert err == ""


def test_interrupt_while_waiting_for_input() -> None:
    """Ctrl-C while there is nothing to do ends the command with status 130, and without a traceback."""
    with command("solve") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(f"{CLUE17}\n")
        running.stdin.flush()
        assert running.stdout.readline() == f"{SOLVED}\n"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=20)
    assert (running.returncode, out, err) == (130, "", "")


def test_answers_come_before_the_input_ends() -> None:
    """Each puzzle is answered as soon as its last line has been read, through pipes."""
    with command("target") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for path, answer in zip(EXAMPLES, ("2829\n", "2852\n"), strict=True):
            running.stdin.write(Path(path).read_text())
            running.stdin.flush()
            assert running.stdout.readline() == answer
        out, err = running.communicate(timeout=20)
    assert (running.returncode, out, err) == (0, "", "")


def test_end_is_obeyed_while_the_input_goes_on() -> None:
    """A line `end` ends the command though the input stays open."""
    with command("count") as running:
        assert running.stdin is not None
        running.stdin.write(f"{CLUE17}\nend\n")
        running.stdin.flush()
        assert running.wait(timeout=20) == 0


def test_closed_pipe() -> None:
    """When nobody reads on, the command stops in silence and without an error."""
    with command("solve", "-") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(f"{CLUE17}\n" * 200)
        running.stdin.flush()
        assert running.stdout.readline() == f"{SOLVED}\n"
        running.stdout.close()
        running.stdin.write(f"{CLUE17}\n" * 200)
        running.stdin.close()
        assert running.stderr is not None
        assert running.stderr.read() == ""
        assert running.wait(timeout=20) == 0


def test_full_disk() -> None:
    """When answers cannot be written, the command says so and ends with status 2."""
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    with open("/dev/full", "w") as full:
        arguments = [sys.executable, "-m", "sudoku", "target", *EXAMPLES]
        running = subprocess.run(arguments, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, timeout=20)
    assert (running.returncode, running.stderr) == (2, "sudoku: <stdout>: No space left on device\n")


def test_closed_stderr() -> None:
    """Messages that nobody can read keep nothing from being answered."""
    line = f"{sys.executable} -m sudoku solve 2>&-"
    text = f"hello\n{CLUE17}\n"
    running = subprocess.run(line, shell=True, cwd=ROOT, input=text, stdout=subprocess.PIPE, text=True, timeout=20)
    assert (running.returncode, running.stdout) == (2, f"error\n{SOLVED}\n")


def test_progress_on_a_terminal() -> None:
    """Work over a second shows a line on stderr if that is a terminal, and takes it away at the end."""
    ours, theirs = pty.openpty()
    with command("target", "--strategy", "dlx", "--timeout", "1.6", stderr=theirs) as running:
        out, _ = running.communicate(f"{EMPTY}\n", timeout=30)
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert re.fullmatch(r"2[789]\d\d unproven\n", out)
    assert re.match(r"\r<stdin>:1: best [\d,]+, pass .*%, [\d,]+ nodes, [\d,]+/s, \d s left", shown)
    assert re.search(r"\r +\r$", shown)


def test_no_progress_elsewhere(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is shown where stderr is no terminal, nor about work of less than a second where it is one."""
    monkeypatch.setattr("dlx.command.PATIENCE", 0.0)
    monkeypatch.setattr("dlx.command.REFRESH", 0.0)
    assert feed(f"{EMPTY}\n", "count", "--timeout", "0.1")[2] == ""
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    feed(f"{EMPTY}\n", "count", "--timeout", "0.1")
    assert "completions" in terminal.getvalue()
    monkeypatch.setattr("dlx.command.PATIENCE", 1000.0)
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    monkeypatch.setattr("sys.stdout", Terminal())
    main(["solve", *EXAMPLES])
    assert terminal.getvalue() == ""


def test_many_lines_take_no_memory() -> None:
    """The memory of the running is the same after thousands of lines as after the first few."""
    with command("count", "--limit", "1") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        sizes = []
        for _ in range(2):
            for _ in range(8):
                running.stdin.write(f"{CLASH}\n" * 200)
                running.stdin.flush()
                for _ in range(200):
                    running.stdout.readline()
            sizes.append(resident(running.pid))
        running.stdin.close()
        assert running.wait(timeout=20) == 0
    assert sizes[1] - sizes[0] < 1_000_000


def resident(pid: int) -> int:
    """The memory of a running, in bytes."""
    path = Path(f"/proc/{pid}/statm")
    if not path.exists():
        pytest.skip("there is no /proc")
    return int(path.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_the_grids_here_are_what_they_are_said_to_be() -> None:
    """The single completion used above completes its puzzle, and the clash has no candidates to spare."""
    clues, solved = parse(CLUE17), parse(SOLVED)
    assert np.array_equal(solved[clues > 0], clues[clues > 0])
    assert encode(solved).n_options == 81


def test_an_answer_for_every_grid(feed: Feed) -> None:
    """A malformed grid has a line among the answers of each command, and an object with the reason in JSON."""
    text = f"{CLUE17}\n{CLUE17[1:]}\n{CLASH}\n"
    reason = f"the line has 80 characters instead of 81: '{CLUE17[1:41]}...'"
    for name, lines in (("target", ["2850", "error", "-1"]), ("count", ["1", "error", "0"])):
        status, out, err = feed(text, name)
        assert (status, out.splitlines(), err) == (2, lines, f"sudoku: <stdin>:2: {reason}\n")
    for name in ("target", "solve", "count"):
        status, out, _ = feed(text, name, "--json")
        answers = [json.loads(line) for line in out.splitlines()]
        assert [answer["line"] for answer in answers] == [1, 2, 3]
        assert answers[1] == {"file": "<stdin>", "line": 2, "error": reason}
        assert status == 2
    _, out, _ = feed(f"{CLUE17[1:]}\n{CLUE17}", "target", "--top", "1")
    assert out == f"error\n\n2850 {SOLVED}\n"
    _, out, _ = feed("1" + "." * 15, "target", "--strategy", "brute", "--box", "2x2", "--json")
    assert "3 x 3" in json.loads(out)["error"]


@pytest.mark.parametrize(
    ("text", "arguments", "status"),
    [
        (CLUE17, ["target"], 0),
        (CLASH, ["target"], 1),
        (CLASH, ["target", "--json"], 1),
        (CLASH, ["target", "--top", "2"], 1),
        (CLASH, ["target", "--ties"], 1),
        (CLASH, ["target", "--strategy", "dlx"], 1),
        (CLASH, ["solve"], 1),
        (CLASH, ["count"], 1),
        (EMPTY, ["count", "--limit", "0"], 0),
        (EMPTY, ["count", "--limit", "5"], 0),
        (EMPTY, ["count", "--timeout", "0.05"], 3),
        (EMPTY, ["target", "--timeout", "0"], 3),
        (EMPTY, ["target", "--ties", "--limit", "1000000000", "--timeout", "0.2"], 3),
        (EMPTY, ["target", "--ties", "--limit", "5"], 0),
        (CLUE17, ["solve", "--timeout", "0"], 3),
        (f"{CLASH}\n{EMPTY}\n{CLUE17}", ["target", "--timeout", "0"], 3),
        (f"{CLASH}\nhello\n{CLUE17}", ["target"], 2),
    ],
)
def test_fail(feed: Feed, text: str, arguments: list[str], status: int) -> None:
    """With --fail, and only then, status 1 tells that a grid has no completion, and 3 that the time was up."""
    assert feed(text, *arguments, "--fail")[0] == status
    assert feed(text, *arguments)[0] == (2 if status == 2 else 0)


def test_target_max(feed: Feed) -> None:
    """--max asks for what is asked anyway."""
    text = Path(EXAMPLES[1]).read_text()
    assert feed(text, "target", "--max") == feed(text, "target") == (0, "2852\n", "")


def test_plain_questions_take_the_batch(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Grids with one completion, or none, are answered together, and never by a search of their own."""
    monkeypatch.setattr("sudoku.commands.target.best", Mock(side_effect=AssertionError))
    text = f"{CLUE17}\n{CLASH}\n{SOLVED}\n" * 50
    assert feed(text, "target") == (0, "2850\n-1\n2850\n" * 50, "")
    assert feed(text, "target", "--min") == (0, "2850\n-1\n2850\n" * 50, "")
    assert feed(CLUE17, "target", "--grid") == (0, f"2850\n{to_boxed(parse(SOLVED))}\n", "")


@pytest.mark.parametrize("sense", ["--min", "--max"])
def test_the_batch_answers_as_searches_do(feed: Feed, tmp_path: Path, sense: str) -> None:
    """What is answered together is what `best` says, for both senses and for weights of any sign."""
    path = tmp_path / "weights.txt"
    table = np.random.default_rng(4).integers(-9, 10, (9, 9))
    path.write_text("\n".join(" ".join(map(str, row)) for row in table.tolist()))
    text = f"{CLUE17}\n{Path(EXAMPLES[0]).read_text()}\n{CLASH}\n{MANY}\n{Path(EXAMPLES[1]).read_text()}"
    arguments = ["target", sense, "--weights", str(path)]
    plain = feed(text, *arguments)[1].splitlines()
    answers = [json.loads(line) for line in feed(text, *arguments, "--json")[1].splitlines()]
    assert plain == [str(answer["score"]) for answer in answers]
    assert len(set(plain)) == 5


def test_easy_answers_do_not_wait_for_hard_ones(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of grids that have come together, the answers before a hard one are printed before that is searched."""
    printed: list[str] = []

    def hard(*_: object, **__: object) -> None:
        printed.append(feed.capsys.readouterr().out)
        raise KeyboardInterrupt

    monkeypatch.setattr("sudoku.commands.target.best", hard)
    assert feed(f"{CLUE17}\n{CLASH}\n{EMPTY}\n{CLUE17}", "target")[:2] == (130, "")
    assert printed == ["2850\n-1\n"]


def test_interrupt_of_the_batch(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """After Ctrl-C among grids that are answered together, those before the first that is not done are printed."""
    done = Batch(
        scores=np.array([2850, -1, 2850]),
        completions=np.array([81 * [1], 81 * [0], 81 * [1]], dtype=np.uint8),
        proven=np.array([True, False, True]),
        interrupted=True,
    )
    monkeypatch.setattr("sudoku.commands.target.best_many", lambda *_, **__: done)
    assert feed(f"{CLUE17}\n{EMPTY}\n{CLUE17}", "target") == (130, "2850\nunknown\n", "")


def test_an_answer_does_not_wait_for_the_next_grid() -> None:
    """A grid is answered when its last line is there, though the next one has begun and the input stays open."""
    with command("target") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(f"{to_rows(parse(CLUE17))}\n0 0 0 0 0 0 0 1 0\n")
        running.stdin.flush()
        assert running.stdout.readline() == "2850\n"
        assert running.poll() is None


def test_standard_input_twice() -> None:
    """What stands behind a line `end` is left for the next `-`; at the end of the input nothing is left."""
    text = f"{CLUE17}\nend\n{CLASH}\n"
    for names, answers in ((["-"], "1\n"), (["-", "-"], "1\n0\n"), (["-", os.devnull, "-", "-"], "1\n0\n")):
        with command("count", *names) as running:
            assert running.communicate(text, timeout=20) == (answers, "")


def test_input_that_cannot_be_read_to_its_end() -> None:
    """A failure while the input is read is said with its name; what came before it is answered."""
    ours, theirs = pty.openpty()
    with open(theirs) as terminal:
        arguments = [*module("sudoku"), "count", "-", EXAMPLES[0]]
        with subprocess.Popen(arguments, cwd=ROOT, stdin=terminal, stdout=PIPE, stderr=PIPE, text=True) as running:
            os.write(ours, f"{CLUE17}\n".encode())
            assert running.stdout is not None
            first = running.stdout.readline()
            os.close(ours)  # the terminal has gone away: Linux answers with an error
            out, err = running.communicate(timeout=20)
    assert (first, out) == ("1\n", "3\n")
    assert (running.returncode, err) in ((2, "sudoku: <stdin>: Input/output error\n"), (0, ""))


def test_ties_report_and_count_their_time(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """The count of ties shows how far it is, and its nodes and seconds are part of what JSON tells."""
    seen = SimpleNamespace(nodes=7, covers=1234, score=None, bound=None, fraction=0.0, seconds=2.0)

    def slow(*_: object, progress: Callable[[object], object], **__: object) -> dlx.Count:
        progress(seen)
        return dlx.Count(covers=3, kernel="dual", nodes=1000, updates=0, seconds=100.0, stopped=None)

    monkeypatch.setattr("sudoku.commands.target.ties", slow)
    monkeypatch.setattr("dlx.command.PATIENCE", 0.0)
    monkeypatch.setattr("dlx.command.REFRESH", 0.0)
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    answer = json.loads(feed(Path(EXAMPLES[0]).read_text(), "target", "--ties", "--json")[1])
    assert (answer["ties"], answer["ties_exhausted"]) == (3, True)
    assert 100 < answer["seconds"] < 110
    assert answer["nodes"] > 1000
    assert "<stdin>:1: 1,234 completions, 617/s" in terminal.getvalue()
