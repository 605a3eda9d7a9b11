"""`sudoku canonical`, `explain`, `measure`, `marks`, `minimise` and `generate`: text, JSON, errors, limits, Ctrl-C."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import numpy as np
import pytest
from plain_grids import shuffled
from sudoku_command import CLUE17, MANY, Feed, command

import sudoku
from sudoku.command.cli import main


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


def test_generate_on_a_terminal(feed_sudoku: Feed) -> None:
    """A terminal shows how many puzzles have been made and tried, and the line goes before a message."""
    task = "generate --box 2x2 --givens 7 --minimal --tries 3 --seed 1 -n 9"
    shown = feed_sudoku.shown("", *task.split()).split("\r")
    assert shown[1].startswith("0 of 9 puzzles, 0 of 3 tries, 0 s")
    assert re.match("0 of 9 puzzles, 2 of 3 tries: they have [4-6] to [4-6] givens, [0-9]+ s", shown[-3])
    assert shown[-2].isspace()
    assert shown[-1].startswith("sudoku: none of 3 puzzles is what is wanted: they have ")
    assert feed_sudoku("", *task.split())[:2] == (1, "")


@pytest.mark.slow
@pytest.mark.posix
def test_generate_until_ctrl_c() -> None:
    """Ctrl-C ends it, and all lines that have been printed are whole."""
    with command("generate", "-n", "1000000", "--seed", "1") as process:
        lines = [process.stdout.readline()]
        process.send_signal(signal.SIGINT)
        lines += process.stdout.readlines()  # `communicate` would lose what has been read ahead
        err = process.stderr.read()
    assert (process.returncode, err) == (130, "")
    assert all(len(line) == 82 and line.endswith("\n") for line in lines)
    assert sudoku.unique_many([line.strip() for line in lines[:200]]).all()
