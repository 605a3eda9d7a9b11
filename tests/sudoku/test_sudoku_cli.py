"""The `sudoku` command: streams, mixed forms, malformed grids, limits, Ctrl-C, closed pipes and exit statuses."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import PIPE

import numpy as np
import pytest
from commands import Terminal, module, watched
from seeds import few, nightly
from sudoku_command import CLASH, CLUE17, EMPTY, EXAMPLES, MANY, ROOT, SOLVED, Feed, command
from waiting import WAIT

from sudoku import encode, parse, to_boxed, to_line, to_rows
from sudoku.command.cli import main

NEITHER = (
    "a row nor a whole grid, 9 numbers or 81 characters; "
    "further such lines up to the next empty line or grid are passed over"
)


def test_solve_answers_in_the_form_of_the_puzzle(feed_sudoku: Feed) -> None:
    """A line gives a line, a grid gives a grid of boxes, and no completion gives -1, all in one stream."""
    grid, boxed = to_rows(parse(CLUE17)), to_boxed(parse(SOLVED))
    text = f"{CLUE17} easy\n{grid}\n{CLASH}\n{CLASH}\n{to_boxed(parse(CLUE17))}\n{boxed}\nend\n{CLUE17}"
    status, out, err = feed_sudoku(text, "solve")
    assert (status, err) == (0, "")
    assert out == f"{SOLVED}\n\n{boxed}\n\n-1\n-1\n\n{boxed}\n\n{boxed}\n"


def test_answers_of_solve_can_be_read_again(feed_sudoku: Feed) -> None:
    """The completions that `solve` prints are grids that every command reads."""
    _, out, _ = feed_sudoku(f"{CLUE17}\n{to_rows(parse(CLUE17))}", "solve")
    assert feed_sudoku(out, "solve") == (0, out, "")
    assert feed_sudoku(out, "count") == (0, "1\n1\n", "")


def test_solve_json(feed_sudoku: Feed) -> None:
    """With --json the completion is a line, or null where there is none; nothing is called proven or unique."""
    _, out, _ = feed_sudoku(f"{CLUE17}\n{CLASH}", "solve", "--json")
    one, none = map(json.loads, out.splitlines())
    assert (one["line"], one["completion"]) == (1, SOLVED)
    assert (none["line"], none["completion"], none["stopped"]) == (2, None, None)
    assert list(one) == list(none) == ["file", "line", "completion", "stopped", "nodes", "seconds"]


def test_count(feed_sudoku: Feed) -> None:
    """The number of completions; with a limit no more than that, and --json tells whether there are more."""
    assert feed_sudoku(f"{MANY}\n{CLASH}\n{CLUE17}", "count") == (0, "32758\n0\n1\n", "")
    assert feed_sudoku(f"{EMPTY}\n{CLASH}\n{CLUE17}", "count", "--limit", "2") == (0, "2\n0\n1\n", "")
    _, out, _ = feed_sudoku(f"{EMPTY}\n{MANY}", "count", "--json", "--limit", "40000")
    limited, whole = map(json.loads, out.splitlines())
    assert (limited["completions"], limited["exhausted"], limited["stopped"]) == (40000, False, "max_covers")
    assert (whole["completions"], whole["exhausted"], whole["stopped"]) == (32758, True, None)
    assert (limited["merged"], whole["merged"]) == (False, False)  # whoever says where to stop wants them one by one


@pytest.mark.slow
def test_count_merges(feed_sudoku: Feed) -> None:
    """All 28,200,960 grids of 2 x 3 boxes in each way to merge; --json tells which, and --memory is kept."""
    boxes = ("count", "--box", "2x3", "--merge")
    for merge in few(("isomorphic", "same", "auto")):
        assert feed_sudoku("." * 36, *boxes, merge) == (0, "28200960\n", "")
    row = f"123456{'.' * 30}"
    answer = json.loads(feed_sudoku(row, *boxes, "same", "--json", "--memory", "300000")[1])
    assert (answer["completions"], answer["merged"]) == (28200960 // 720, True)
    assert 0 < answer["memory"] <= 300_000
    answer = json.loads(feed_sudoku(MANY, "count", "--json")[1])
    assert (answer["completions"], answer["merged"]) == (32758, False)  # it would take longer
    answer = json.loads(feed_sudoku(MANY, "count", "--json", "--merge", "same")[1])
    assert (answer["completions"], answer["merged"]) == (32758, True)
    assert min(answer["hits"], answer["states"], answer["memory"]) > 0
    answer = json.loads(feed_sudoku(row, *boxes, "never", "--json")[1])
    assert (answer["completions"], answer["merged"], answer["states"]) == (28200960 // 720, False, 0)


def test_what_merging_up_to_renaming_refuses(feed_sudoku: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """A grid that takes more than --memory is an error, and the next one has its turn; without pynauty no grid has."""
    task = ("count", "--box", "2x2", "--merge", "isomorphic")
    status, out, err = feed_sudoku(f"{'.' * 16}\n" * 2, *task, "--memory", "1")
    assert (status, out) == (2, "error\n" * 2)
    assert re.match("sudoku: <stdin>:1: .*more than 1 bytes.*\nsudoku: <stdin>:2: .*more than 1 bytes", err)
    assert feed_sudoku("." * 16, *task) == (0, "288\n", "")
    monkeypatch.setitem(sys.modules, "pynauty", None)
    status, out, err = feed_sudoku("." * 16, *task)
    assert (status, out) == (2, "")
    assert err.endswith("pip install pynauty\n")


@pytest.mark.parametrize("box", ["2x2", "2x3", "4x4"])
def test_other_boxes(feed_sudoku: Feed, box: str) -> None:
    """The box is a parameter of every command."""
    height, width = map(int, box.split("x"))
    n = height * width
    rows = [[(width * (r % height) + r // height + c) % n + 1 for c in range(n)] for r in range(n)]
    full = np.array(rows)
    full_line = to_line(full, (height, width))
    text = f".{full_line[1:]}\n{to_rows(full, (height, width))}"
    assert feed_sudoku(text, "solve", "--box", box)[:2] == (0, f"{full_line}\n\n{to_boxed(full, (height, width))}\n")
    assert feed_sudoku(text, "count", "--box", box)[:2] == (0, "1\n1\n")
    _, out, _ = feed_sudoku(text, "target", "--json", "--box", box)
    assert [json.loads(line)["completion"] for line in out.splitlines()] == [full_line] * 2


def test_large_completions_in_json(feed_sudoku: Feed) -> None:
    """A completion too large for the line form is given in rows."""
    n = 36
    full = np.array([[(6 * (r % 6) + r // 6 + c) % n + 1 for c in range(n)] for r in range(n)])
    _, out, _ = feed_sudoku(to_rows(full, (6, 6)), "solve", "--json", "--box", "6x6")
    assert np.array_equal(parse(json.loads(out)["completion"], (6, 6)), full)


def test_strategy_for_another_shape(feed_sudoku: Feed) -> None:
    """A strategy for nine rows says so about each puzzle of another shape, with the place."""
    status, out, err = feed_sudoku("1" + "." * 15, "target", "--strategy", "brute", "--box", "2x2")
    assert (status, out) == (2, "error\n")
    assert err.startswith("sudoku: <stdin>:1: ")


def test_malformed_grids(feed_sudoku: Feed, tmp_path: Path) -> None:
    """Each malformed grid and unreadable file costs a message and status 2, and everything else is answered."""
    path = tmp_path / "grids.txt"
    bad = "7 0 0 9 0 0 0 0 10\n" + "0 0 0 0 0 0 0 0 0\n" * 8
    path.write_bytes(f"{CLUE17[1:]}\n{CLUE17}\n{bad}{CLUE17}\n".encode() + b"\xff\xfe\n\n0 0 0")
    status, out, err = feed_sudoku(
        f"{CLUE17}\n5e\n", "solve", str(path), str(tmp_path / "none.txt"), str(tmp_path), "-"
    )
    assert out.splitlines() == ["error", SOLVED, "error", SOLVED, "error", "error", SOLVED, "error"]
    assert status == 2
    assert err.splitlines() == [
        f"sudoku: {path}:1: the line has 80 characters instead of 81: '{CLUE17[1:41]}...'",
        f"sudoku: {path}:3: 10 in row 1 is not between 0 and 9",
        rf"sudoku: {path}:13: '\xff\xfe' is neither {NEITHER}",
        f"sudoku: {path}:15: row 1 has 3 cells instead of 9: '0 0 0'",
        f"sudoku: {tmp_path / 'none.txt'}: No such file or directory",
        f"sudoku: {tmp_path}: Is a directory",
        f"sudoku: <stdin>:2: '5e' is neither {NEITHER}",
    ]


def test_very_long_lines(feed_sudoku: Feed) -> None:
    """A line of millions of characters is one malformed grid, or a grid with a long comment."""
    status, out, err = feed_sudoku(f"{'1' * 3_000_000}\n{CLUE17} {'x' * 3_000_000}\n{CLUE17}", "solve")
    assert (status, out) == (2, f"error\n{SOLVED}\n{SOLVED}\n")
    assert err == f"sudoku: <stdin>:1: the line has at least 65536 characters instead of 81: '{'1' * 40}...'\n"


def test_empty_input(feed_sudoku: Feed) -> None:
    """No puzzles, no answers, no error."""
    assert feed_sudoku("", "target") == (0, "", "")
    assert feed_sudoku("\n\n# nothing\nend\n", "solve") == (0, "", "")


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
        ["count", "--merge", "some"],
        ["count", "--memory", "-1"],
        ["shares", "--memory", "lots"],
        ["shares", "--limit", "3"],
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


@pytest.mark.parametrize("name", ["target", "solve", "count", "shares"])
def test_help_tells_the_forms_and_the_exit_status(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The help of each command explains the input, the output and the exit status."""
    with pytest.raises(SystemExit) as exit_:
        main([name, "--help"])
    assert exit_.value.code == 0
    out = capsys.readouterr().out
    assert "81 characters in a line" in out
    assert "output, for each grid:" in out
    assert "exit status:" in out


@pytest.mark.slow
@pytest.mark.usefixtures("ticking")
def test_timeout(feed_sudoku: Feed) -> None:
    """A timeout gives the best so far, marked unproven, or `unknown`; then the next puzzle has its turn."""
    text = f"{EMPTY}\n{CLUE17}"
    status, out, err = feed_sudoku(text, "target", "--strategy", "dlx", "--timeout", "1")
    assert (status, err) == (0, "")
    assert re.fullmatch(r"2[789]\d\d unproven\n2850\n", out)
    status, out, _ = feed_sudoku(text, "count", "--timeout", "1")
    assert re.fullmatch(r"[1-9]\d* unproven\n1\n", out)
    assert feed_sudoku(text, "target", "--strategy", "dlx", "--timeout", "0")[1] == "unknown\nunknown\n"
    assert feed_sudoku(text, "target", "--timeout", "0")[1] == "unknown\n2850\n"
    assert feed_sudoku(text, "target", "--top", "2", "--timeout", "0")[1] == "unknown\n\nunknown\n"
    assert feed_sudoku(text, "solve", "--timeout", "0")[1] == "unknown\nunknown\n"
    _, out, _ = feed_sudoku(EMPTY, "target", "--strategy", "dlx", "--timeout", "0", "--json")
    answer = json.loads(out)
    assert (answer["score"], answer["proven"], answer["stopped"]) == (None, False, "timeout")
    _, out, _ = feed_sudoku(EMPTY, "target", "--timeout", "0", "--json")
    answer = json.loads(out)
    assert (answer["score"], answer["proven"], answer["stopped"]) == (None, False, "timeout")
    assert answer["bound"] >= 2906
    _, out, _ = feed_sudoku("." * 625, "target", "--top", "2", "--box", "5x5", "--timeout", "0", "--json")
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
@pytest.mark.parametrize("jobs", [(), *nightly((("--jobs", "2"),))], ids=["alone", "jobs"])
@pytest.mark.slow
@pytest.mark.posix
def test_interrupt(arguments: list[str], answer: str, jobs: tuple[str, ...]) -> None:
    """Ctrl-C ends the command with status 130 after the best, or the number, found so far; nothing comes after it."""
    with watched("sudoku", *arguments, *jobs) as (running, wait):
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(f"{CLUE17}\n")
        running.stdin.flush()
        running.stdout.readline()
        running.stdin.write(f"{EMPTY}\n")  # by itself: of several grids the longest ones begin anew
        running.stdin.flush()
        wait()
        running.stdin.write(f"{CLUE17}\n")
        running.stdin.flush()
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=WAIT)
    assert running.returncode == 130
    assert re.fullmatch(answer, out)
    assert err == ""


@pytest.mark.slow
@pytest.mark.posix
def test_interrupt_while_waiting_for_input() -> None:
    """Ctrl-C while there is nothing to do ends the command with status 130, and without a traceback."""
    with command("solve") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(f"{CLUE17}\n")
        running.stdin.flush()
        assert running.stdout.readline() == f"{SOLVED}\n"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=WAIT)
    assert (running.returncode, out, err) == (130, "", "")


@pytest.mark.slow
def test_answers_come_before_the_input_ends() -> None:
    """Each puzzle is answered as soon as its last line has been read, through pipes."""
    with command("target") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for path, answer in zip(EXAMPLES, ("2829\n", "2852\n"), strict=True):
            running.stdin.write(Path(path).read_text())
            running.stdin.flush()
            assert running.stdout.readline() == answer
        out, err = running.communicate(timeout=WAIT)
    assert (running.returncode, out, err) == (0, "", "")


@pytest.mark.slow
def test_end_is_obeyed_while_the_input_goes_on() -> None:
    """A line `end` ends the command though the input stays open."""
    with command("count") as running:
        assert running.stdin is not None
        running.stdin.write(f"{CLUE17}\nend\n")
        running.stdin.flush()
        assert running.wait(timeout=WAIT) == 0


@pytest.mark.slow
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
        assert running.wait(timeout=WAIT) == 0


@pytest.mark.slow
@pytest.mark.posix("/dev/full")
def test_full_disk() -> None:
    """When answers cannot be written, the command says so and ends with status 2."""
    with open("/dev/full", "w") as full:
        arguments = [sys.executable, "-m", "sudoku", "target", *EXAMPLES]
        running = subprocess.run(arguments, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, timeout=WAIT)
    assert (running.returncode, running.stderr) == (2, "sudoku: <stdout>: No space left on device\n")


@pytest.mark.slow
@pytest.mark.posix
def test_closed_stderr() -> None:
    """Messages that nobody can read keep nothing from being answered."""
    line = f"{sys.executable} -m sudoku solve 2>&-"
    text = f"5e\n{CLUE17}\n"
    running = subprocess.run(line, shell=True, cwd=ROOT, input=text, stdout=subprocess.PIPE, text=True, timeout=WAIT)
    assert (running.returncode, running.stdout) == (2, f"error\n{SOLVED}\n")


@pytest.mark.slow
@pytest.mark.posix
def test_progress_on_a_terminal() -> None:
    """Work over a second shows a line on stderr if that is a terminal, and takes it away at the end."""
    import pty

    ours, theirs = pty.openpty()
    with command("target", "--strategy", "dlx", "--timeout", "1e6", stderr=theirs) as running:
        os.close(theirs)
        assert running.stdin is not None
        running.stdin.write(f"{EMPTY}\n")
        running.stdin.flush()
        shown = os.read(ours, 1 << 16).decode()
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=WAIT)
    rest = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert re.fullmatch(r"2[789]\d\d unproven\n", out)
    assert re.match(r"\r<stdin>:1: best [\d,]+, pass .*%, [\d,.]+( M)? nodes, [\d,.]+( M)?/s, .* left", shown)
    assert re.search(r"\r +\r$", rest)


@pytest.mark.slow
@pytest.mark.usefixtures("ticking")
def test_no_progress_elsewhere(feed_sudoku: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is shown where stderr is no terminal, nor about work of less than a second where it is one."""
    monkeypatch.setattr("dlx.command.shared.PATIENCE", 0.0)
    monkeypatch.setattr("dlx.command.shared.REFRESH", 0.0)
    assert feed_sudoku(f"{EMPTY}\n", "count", "--timeout", "1")[2] == ""
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    feed_sudoku(f"{EMPTY}\n", "count", "--timeout", "1")
    assert "completions" in terminal.getvalue()
    monkeypatch.setattr("dlx.command.shared.PATIENCE", 1000.0)
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    monkeypatch.setattr("sys.stdout", Terminal())
    main(["solve", *EXAMPLES])
    assert terminal.getvalue() == ""


@pytest.mark.slow
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
        assert running.wait(timeout=WAIT) == 0
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


def test_an_answer_for_every_grid(feed_sudoku: Feed) -> None:
    """A malformed grid has a line among the answers of each command, and an object with the reason in JSON."""
    text = f"{CLUE17}\n{CLUE17[1:]}\n{CLASH}\n"
    reason = f"the line has 80 characters instead of 81: '{CLUE17[1:41]}...'"
    for name, lines in (("target", ["2850", "error", "-1"]), ("count", ["1", "error", "0"])):
        status, out, err = feed_sudoku(text, name)
        assert (status, out.splitlines(), err) == (2, lines, f"sudoku: <stdin>:2: {reason}\n")
    for name in ("target", "solve", "count"):
        status, out, _ = feed_sudoku(text, name, "--json")
        answers = [json.loads(line) for line in out.splitlines()]
        assert [answer["line"] for answer in answers] == [1, 2, 3]
        assert answers[1] == {"file": "<stdin>", "line": 2, "error": reason}
        assert status == 2
    _, out, _ = feed_sudoku(f"{CLUE17[1:]}\n{CLUE17}", "target", "--top", "1")
    assert out == f"error\n\n2850 {SOLVED}\n"
    _, out, _ = feed_sudoku("1" + "." * 15, "target", "--strategy", "brute", "--box", "2x2", "--json")
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
        (EMPTY, ["target", "--ties", "--limit", "1000000000", "--timeout", "0.05"], 3),
        (EMPTY, ["target", "--ties", "--limit", "5"], 0),
        (CLUE17, ["solve", "--timeout", "0"], 3),
        (f"{CLASH}\n{EMPTY}\n{CLUE17}", ["target", "--timeout", "0"], 3),
        (f"{CLASH}\n5e\n{CLUE17}", ["target"], 2),
    ],
)
def test_fail(feed_sudoku: Feed, text: str, arguments: list[str], status: int) -> None:
    """With --fail, and only then, status 1 tells that a grid has no completion, and 3 that the time was up."""
    assert feed_sudoku(text, *arguments, "--fail")[0] == status
    assert feed_sudoku(text, *arguments)[0] == (2 if status == 2 else 0)


@pytest.mark.slow
def test_an_answer_does_not_wait_for_the_next_grid() -> None:
    """A grid is answered when its last line is there, though the next one has begun and the input stays open."""
    with command("target") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(f"{to_rows(parse(CLUE17))}\n0 0 0 0 0 0 0 1 0\n")
        running.stdin.flush()
        assert running.stdout.readline() == "2850\n"
        assert running.poll() is None


@pytest.mark.slow
def test_standard_input_twice() -> None:
    """What stands behind a line `end` is left for the next `-`; at the end of the input nothing is left."""
    text = f"{CLUE17}\nend\n{CLASH}\n"
    for names, answers in ((["-"], "1\n"), (["-", "-"], "1\n0\n"), (["-", os.devnull, "-", "-"], "1\n0\n")):
        with command("count", *names) as running:
            assert running.communicate(text, timeout=WAIT) == (answers, "")


@pytest.mark.slow
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
    assert (running.returncode, err) in ((2, "sudoku: <stdin>: Input/output error\n"), (0, ""))


@pytest.mark.parametrize("word", [("solve",), ("count",), ("target", "--json")])
def test_a_grid_as_an_argument(feed_sudoku: Feed, word: tuple[str, ...]) -> None:
    """A grid in a line is taken in the place of a file's name, as one on standard input is."""
    said, piped = feed_sudoku("", *word, CLUE17), feed_sudoku(CLUE17, *word)
    assert (said[0], said[2]) == (piped[0], piped[2]) == (0, "")
    assert re.sub('"(file|seconds)": [^,}]*', "", said[1]) == re.sub('"(file|seconds)": [^,}]*', "", piped[1])


def test_what_is_no_grid_as_an_argument(feed_sudoku: Feed, tmp_path: Path) -> None:
    """A grid with a sign too few is told so, any other name is one of a file, and a file of such a name is read."""
    status, _, err = feed_sudoku("", "solve", CLUE17[1:])
    assert status == 2
    assert err.startswith("sudoku: <argument>:1: the line has 80 characters instead of 81: ")
    assert feed_sudoku("", "solve", "none.txt")[2] == "sudoku: none.txt: No such file or directory\n"
    (tmp_path / CLUE17).write_text(EMPTY)
    feed_sudoku.monkeypatch.chdir(tmp_path)
    assert feed_sudoku("", "count", "--limit", "2", CLUE17)[1] == "2\n"
