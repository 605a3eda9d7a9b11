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
from images import image
from seeds import Nightly
from sudoku_command import CLASH, CLUE17, EMPTY, MANY, ROOT, SOLVED, Feed, command
from waiting import WAIT

import sudoku
from sudoku.command.cli import main

HARD = "800000000003600000070090200050007000000045700000100030001000068008500010090000400"


def objects(out: str) -> list[dict[str, Any]]:
    """The answers of --json."""
    return [json.loads(line) for line in out.splitlines()]


def test_canonical_removes_doubles(feed_sudoku: Feed) -> None:
    """Images of a puzzle get one line, in whatever form they are, and another puzzle gets another one."""
    rng = np.random.default_rng(1)
    grids = [
        sudoku.to_boxed(image(sudoku.as_grid(CLUE17), rng)),
        CLUE17,
        sudoku.to_line(image(sudoku.as_grid(CLUE17), rng)),
    ]
    status, out, err = feed_sudoku("\n\n".join([*grids, MANY]), "canonical")
    lines = out.split()
    assert (status, len(lines), len(set(lines)), err) == (0, 4, 2, "")
    assert lines[0] == sudoku.to_line(sudoku.canonical(CLUE17))
    (found,) = objects(feed_sudoku(CLUE17, "canonical", "--json")[1])
    assert found["canonical"] == lines[0]


def test_canonical_looks_for_no_completion(feed_sudoku: Feed) -> None:
    """What asks about completions, or about the time that they take, is no option of it, and not in its help."""
    for option in (["--fail"], ["--timeout", "1"]):
        with pytest.raises(SystemExit):
            feed_sudoku(CLASH, "canonical", *option)
    feed_sudoku.capsys.readouterr()
    with pytest.raises(SystemExit):
        feed_sudoku("", "canonical", "--help")
    assert "--fail" not in feed_sudoku.capsys.readouterr().out


def test_canonical_of_other_sizes(feed_sudoku: Feed) -> None:
    """A layout of few symmetries is done; one of too many is an error in the place of the answer."""
    assert feed_sudoku("4" + 15 * ".", "canonical", "--box", "2x2")[1] == "...............1\n"
    status, out, err = feed_sudoku(64 * ".", "canonical", "--box", "2x4")
    assert (status, out) == (2, "error\n")
    assert "442368 symmetries" in err


@pytest.mark.parametrize("arguments", [["canonical"], ["canonical", "--json"], ["measure"], ["solve", "--json"]])
def test_many_lines(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """However many plain lines follow one another in a file, in blocks or one by one, each gets an answer."""
    rng = np.random.default_rng(0)
    lines = [sudoku.to_line(image(sudoku.as_grid(CLUE17), rng)) for _ in range(150)]
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(["# many", *lines[:100], "", *lines[100:], MANY, ""]))
    assert main([*arguments, str(path)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 151
    if arguments == ["canonical"]:
        assert out == [sudoku.to_line(sudoku.canonical(line)) for line in (*lines, MANY)]


def test_explain(feed_sudoku: Feed) -> None:
    """What there is to say of grids with no, one and many completions, rows and columns numbered from 1."""
    status, out, err = feed_sudoku(f"{CLUE17}\n{CLASH}\n{MANY}\n12\n", "explain")
    one, none, many, wrong = out.split("\n\n")
    assert (status, one, wrong) == (2, "one completion", "error\n")
    assert "<stdin>:4" in err
    assert none.splitlines()[0] == "no completion"
    assert "  clash r1c1=3 r1c2=3 in row 1" in none
    assert none.splitlines()[-1] == "  core r1c1=3 r1c2=3, smallest"
    assert [line.split()[0] for line in many.splitlines()] == ["several", "differ", "extra"]
    found = objects(feed_sudoku(f"{CLASH}\n{MANY}\n{CLUE17}", "explain", "--json")[1])
    assert [each["completions"] for each in found] == [0, 2, 1]
    assert found[0]["clashes"][0] == {"kind": "row", "name": 1, "givens": [[1, 1, 3], [1, 2, 3]]}
    assert found[0]["core"] == [[1, 1], [1, 2]]
    more = sudoku.as_grid(MANY).copy()
    for r, c, digit in found[1]["extra"]:
        more[r - 1, c - 1] = digit
    assert sudoku.is_unique(more)


def test_explain_rules_without_completions(feed_sudoku: Feed, tmp_path: Path) -> None:
    """Where the rules alone have no completion, no given is to blame."""
    rules = tmp_path / "rules.txt"
    rules.write_text("cage 99 r1c1 r1c2\n")
    status, out, err = feed_sudoku(CLUE17, "explain", "--rules", str(rules))
    assert (status, err) == (0, "")
    assert out == "no completion\n  core is empty: the rules have no completion, whatever the givens\n"


def test_explain_until_the_timeout(feed_sudoku: Feed) -> None:
    """Nothing is known then; --fail says so by the status, and a grid without completion as well."""
    assert feed_sudoku(CLUE17, "explain", "--timeout", "0", "--fail")[:2] == (3, "unknown\n")
    assert feed_sudoku(CLASH, "explain", "--fail")[0] == 1


def test_measure(feed_sudoku: Feed) -> None:
    """Numbers by their names, and a backdoor, none that is needed, or none that was found."""
    status, out, _ = feed_sudoku(f"{CLUE17}\n{CLASH}\n{HARD}", "measure")
    assert status == 0
    assert out.splitlines()[0] == "completions 1 guesses 0 nodes 64 backdoor -"
    assert out.splitlines()[1] == "completions 0 guesses 0 nodes 0 backdoor ?"
    assert out.splitlines()[2].startswith("completions 1 guesses 160 ")
    (found,) = objects(feed_sudoku(HARD, "measure", "--json")[1])
    backdoor = sudoku.measure(HARD).backdoor
    assert backdoor is not None
    assert found["backdoor"] == [[r + 1, c + 1] for r, c in backdoor]
    assert feed_sudoku(HARD, "measure", "--largest", "1")[1].endswith("backdoor ?\n")
    assert feed_sudoku(HARD, "measure", "--timeout", "0")[1].endswith("unproven\n")


def test_marks(feed_sudoku: Feed) -> None:
    """Candidates that can be read again, by the rules or the completions; -1 where there is none."""
    status, out, _ = feed_sudoku(MANY, "marks")
    assert status == 0
    assert np.array_equal(sudoku.candidates(sudoku.as_puzzle(out)), sudoku.candidates(MANY))
    (found,) = objects(feed_sudoku(MANY, "marks", "--json")[1])
    marks = sudoku.candidates(MANY)
    assert found["marks"] == [[(np.flatnonzero(cell) + 1).tolist() for cell in row] for row in marks]
    assert feed_sudoku(CLASH, "marks", "--fail")[:2] == (1, "-1\n")
    assert feed_sudoku(CLASH, "marks", "--by", "rules")[1] != "-1\n"
    assert feed_sudoku(MANY, "marks", "--timeout", "0")[1] == "unknown\n"


def test_minimise(feed_sudoku: Feed) -> None:
    """A grid in the form of the one that was read, the same for a seed."""
    status, line, _ = feed_sudoku(SOLVED, "minimise")
    assert (status, line) == (0, f"{sudoku.to_line(sudoku.minimise(SOLVED))}\n")
    assert feed_sudoku(SOLVED, "minimise", "--seed", "1")[1] != line
    assert feed_sudoku(sudoku.to_boxed(SOLVED), "minimise")[1] == f"{sudoku.to_boxed(sudoku.minimise(SOLVED))}\n"
    (found,) = objects(feed_sudoku(SOLVED, "minimise", "--json")[1])
    assert found["minimal"] == line.strip()
    assert feed_sudoku(SOLVED, "minimise", "--timeout", "0")[1] == "unknown\n"
    assert feed_sudoku(SOLVED, "minimise", "--timeout", "0", "--fail")[0] == 3
    assert feed_sudoku(SOLVED, "minimise", "--fail")[:2] == (0, line)
    clash = feed_sudoku(f"{CLASH}\n{SOLVED}", "minimise")
    assert clash[0] == 0
    assert feed_sudoku(f"{CLASH}\n{SOLVED}", "minimise", "--fail") == (1, *clash[1:])
    assert feed_sudoku(CLASH, "minimise", "--fail", "--json")[0] == 1


def generated(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """What `sudoku generate` does."""
    status = main(["generate", *arguments])
    return status, *capsys.readouterr()


def test_generate(capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each puzzle, those of the function; grids of boxes, and objects, if they are wanted."""
    status, out, err = generated(capsys, "-n", "20", "--seed", "1")
    assert (status, err) == (0, "")
    assert out.split() == [sudoku.to_line(puzzle) for puzzle in sudoku.generate_many(20, seed=1)]
    arguments = ("--seed", "1", "--symmetry", "half-turn", "--givens", "24-28", "--difficulty", "0", "--minimal")
    puzzle = sudoku.generate(seed=1, symmetry="half-turn", givens=(24, 28), difficulty=0, minimal=True)
    assert generated(capsys, *arguments, "--grid")[1] == f"{sudoku.to_boxed(puzzle)}\n\n"
    (found,) = objects(generated(capsys, *arguments, "--json")[1])
    assert found == {"puzzle": sudoku.to_line(puzzle), "givens": np.count_nonzero(puzzle)}
    small = generated(capsys, "--box", "2x2", "--seed", "1")[1]
    assert small == f"{sudoku.to_line(sudoku.generate(seed=1, layout=(2, 2)), (2, 2))}\n"
    assert generated(capsys, "-n", "0") == (0, "", "")


@pytest.mark.parametrize("number", [10**18, 2**64, 10**40])
def test_large_seeds(capsys: pytest.CaptureFixture[str], number: int) -> None:
    """A seed may be any whole number that it may be in Python."""
    puzzle = sudoku.to_line(sudoku.generate(seed=number, layout=(2, 2)), (2, 2))
    assert generated(capsys, "--box", "2x2", "--seed", str(number)) == (0, f"{puzzle}\n", "")


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


def test_generate_what_there_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    """A demand that is not met is told with the status 1, a timeout 3, and one that makes no sense 2."""
    status, out, err = generated(capsys, "--givens", "17", "--tries", "50", "--seed", "1")
    assert (status, out) == (1, "")
    assert err.startswith("sudoku: none of 50 puzzles is what is wanted: they have 2")
    assert generated(capsys, "--timeout", "0")[0] == 3
    message = "sudoku: no puzzle has 3 givens: 4 are the fewest\n"
    assert generated(capsys, "--box", "2x2", "--givens", "3") == (2, "", message)
    assert generated(capsys, "--givens", "90")[::2] == (2, "sudoku: givens is (90, 90); there are 81 cells\n")
    for wrong in ("9-8", "-1", "x", "1-2-3"):
        with pytest.raises(SystemExit):
            main(["generate", f"--givens={wrong}"])
        assert "is no number, nor two" in capsys.readouterr().err


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


def test_empty_grids(feed_sudoku: Feed) -> None:
    """A grid without givens is a grid for all of them."""
    assert feed_sudoku(EMPTY, "canonical")[1] == f"{81 * '.'}\n"
    assert feed_sudoku(EMPTY, "minimise")[1] == f"{81 * '.'}\n"
    assert feed_sudoku(EMPTY, "measure", "--largest", "1")[1].startswith("completions 2 guesses")
    assert feed_sudoku(EMPTY, "marks")[1].split() == 81 * ["123456789"]
    assert feed_sudoku(EMPTY, "explain")[1].startswith("several completions\n  differ r1c1 ")


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
