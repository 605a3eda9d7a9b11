"""The `sudoku` command: streams, mixed forms, malformed grids, limits, Ctrl-C, closed pipes and exit statuses."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import numpy as np
import pytest
from commands import Terminal, module, watched
from seeds import nightly
from sudoku_command import CLASH, CLUE17, EMPTY, EXAMPLES, ROOT, SOLVED, Feed, command
from waiting import WAIT

from sudoku import encode, parse, to_rows
from sudoku.command.cli import main


def test_answers_of_solve_can_be_read_again(feed_sudoku: Feed) -> None:
    """The completions that `solve` prints are grids that every command reads."""
    _, out, _ = feed_sudoku(f"{CLUE17}\n{to_rows(parse(CLUE17))}", "solve")
    assert feed_sudoku(out, "solve") == (0, out, "")
    assert feed_sudoku(out, "count") == (0, "1\n1\n", "")


def test_large_completions_in_json(feed_sudoku: Feed) -> None:
    """A completion too large for the line form is given in rows."""
    n = 36
    full = np.array([[(6 * (r % 6) + r // 6 + c) % n + 1 for c in range(n)] for r in range(n)])
    _, out, _ = feed_sudoku(to_rows(full, (6, 6)), "solve", "--json", "--box", "6x6")
    assert np.array_equal(parse(json.loads(out)["completion"], (6, 6)), full)


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
