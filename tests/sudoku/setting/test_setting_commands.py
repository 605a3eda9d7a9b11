"""`sudoku canonical`, `explain`, `measure`, `marks`, `minimise` and `generate`: text, JSON, errors, limits, Ctrl-C."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import Terminal, module
from plain_grids import shuffled
from seeds import Nightly
from sudoku_command import CLUE17, MANY, ROOT, Feed, command
from waiting import WAIT

import sudoku
from sudoku.command.cli import main


def objects(out: str) -> list[dict[str, Any]]:
    """The answers of --json."""
    return [json.loads(line) for line in out.splitlines()]


def test_canonical_removes_doubles(feed_sudoku: Feed) -> None:
    """Images of a puzzle get one line, in whatever form they are, and another puzzle gets another one."""
    rng = np.random.default_rng(1)
    grids = [
        sudoku.to_boxed(shuffled(sudoku.as_grid(CLUE17), rng)),
        CLUE17,
        sudoku.to_line(shuffled(sudoku.as_grid(CLUE17), rng)),
    ]
    status, out, err = feed_sudoku("\n\n".join([*grids, MANY]), "canonical")
    lines = out.split()
    assert (status, len(lines), len(set(lines)), err) == (0, 4, 2, "")
    assert lines[0] == sudoku.to_line(sudoku.canonical(CLUE17))
    (found,) = objects(feed_sudoku(CLUE17, "canonical", "--json")[1])
    assert found["canonical"] == lines[0]


@pytest.mark.parametrize("arguments", [["canonical"], ["canonical", "--json"], ["measure"], ["solve", "--json"]])
def test_many_lines(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """However many plain lines follow one another in a file, in blocks or one by one, each gets an answer."""
    rng = np.random.default_rng(0)
    lines = [sudoku.to_line(shuffled(sudoku.as_grid(CLUE17), rng)) for _ in range(150)]
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(["# many", *lines[:100], "", *lines[100:], MANY, ""]))
    assert main([*arguments, str(path)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 151
    if arguments == ["canonical"]:
        assert out == [sudoku.to_line(sudoku.canonical(line)) for line in (*lines, MANY)]


def generated(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """What `sudoku generate` does."""
    status = main(["generate", *arguments])
    return status, *capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seed", "1" * 1001], f"{'1' * 24} has 1001 digits instead of at most 1000"),
        (["--seed", "-1"], "argument --seed: expected one argument|'-1' is not a whole number from 0"),
        (["-n", "1" * 19], f"{'1' * 19} has 19 digits instead of at most 18"),
    ],
)
def test_numbers_that_are_too_large(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    """A number with too many digits is wrong usage, and what is said has the limit."""
    with pytest.raises(SystemExit, match="2"):
        main(["generate", *arguments])
    assert re.search(message, capsys.readouterr().err)


def test_generate_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal shows how many puzzles have been made and tried, and the line goes before a message."""
    monkeypatch.setattr("dlx.command.shared.PATIENCE", 0.0)
    monkeypatch.setattr("dlx.command.shared.REFRESH", 0.0)
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    assert (
        main(["generate", "--box", "2x2", "--givens", "7", "--minimal", "--tries", "3", "--seed", "1", "-n", "9"]) == 1
    )
    shown = terminal.getvalue().split("\r")
    assert shown[1].startswith("0 of 9 puzzles, 0 of 3 tries, 0 s")
    assert re.match("0 of 9 puzzles, 2 of 3 tries: they have [4-6] to [4-6] givens, 0 s", shown[-3])
    assert shown[-2].isspace()
    assert shown[-1].startswith("sudoku: none of 3 puzzles is what is wanted: they have ")
    assert capsys.readouterr().out == ""


@pytest.mark.slow
@pytest.mark.posix
def test_generate_until_ctrl_c() -> None:
    """Ctrl-C ends it, and all lines that have been printed are whole."""
    with command("generate", "-n", "1000000", "--seed", "1") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        lines = [process.stdout.readline()]
        process.send_signal(signal.SIGINT)
        lines += process.stdout.readlines()  # `communicate` would lose what has been read ahead
        err = process.stderr.read()
    assert (process.returncode, err) == (130, "")
    assert all(len(line) == 82 and line.endswith("\n") for line in lines)
    assert sudoku.unique_many([line.strip() for line in lines[:200]]).all()


@pytest.mark.slow
@pytest.mark.posix
def test_shown_commands() -> None:
    """The commands in the document about setting print what is shown there."""
    document = (ROOT / "docs" / "setting.md").read_text(encoding="utf-8")
    block = "".join(re.findall(r"```console\n(.*?)```", document, re.DOTALL))
    shown = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    assert len(shown) == 4
    for line, printed in shown if Nightly.on else shown[:3]:  # the last one takes some seconds
        program = line.replace("sudoku ", f"{shlex.join(module('sudoku'))} ")
        assert (
            subprocess.run(program, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=WAIT).stdout
            == printed
        )
