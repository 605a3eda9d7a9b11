"""The commands for setters: games in progress, many lines, messages, a terminal, Ctrl-C."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from sudoku_command import CLUE17, MANY, SOLVED, Feed, command

import sudoku
from sudoku.command.cli import main
from sudoku.formats.files.meaning import same_rules

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
FULL = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
PLACED = "".join(digit if sign == digit else f"+{digit}" for sign, digit in zip(EASY, FULL, strict=True))
GAMES = {  # in HoDoKu's form: digits behind a + are placed
    "half": f":0000:x:{PLACED.replace('+1', '.')}:::",
    "over": f":0000:x:{PLACED}:::",
    "wrong": f":0000:x:53+6{PLACED[4:]}:::",
    "marks": "".join(sudoku.write([sudoku.as_puzzle(EASY, None, sudoku.candidates(EASY))], "marks")),
    "other marks": "123 1234 1234 1234\n" + "1234 1234 1234 1234\n" * 3,
    "many": MANY,
    "none": "82.........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",  # steps do not see it
}
WRONG = "error\n", "sudoku: <stdin>:1: the 6 placed at r1c3 is wrong\n"
MARKED = "error\n", "sudoku: <stdin>:1: the grid has pencil marks that exclude completions of its givens: remove them"


@pytest.mark.parametrize(
    ("task", "game", "begins"),
    [
        ("steps -n 1", "half", ("1. hidden single in box 1: 1 of box 1 can only be in r3c1\n", "")),
        ("steps", "over", ("solved\n", "")),
        ("steps -n 1", "over", ("solved\n", "")),
        ("rate", "over", ("hardest 0 total 0 steps 0 solved easy\n", "")),
        *((task, "wrong", WRONG) for task in ("steps -n 1", "steps", "rate", "explain", "minimise", "canonical")),
        ("explain", "half", ("one completion\n", "")),
        ("explain", "marks", ("one completion\n", "")),
        ("minimise", "marks", ("5 3 . | . . . | . . .\n", "")),
        ("minimise --list", "marks", ("givens r1c1=5 r1c2=3", "")),
        ("canonical", "marks", ("........1.....2.34156...27......8", "")),
        *((task, "other marks", MARKED) for task in ("explain", "minimise", "minimise --list", "canonical")),
        ("convert --drop-candidates", "other marks", (16 * ".", "")),
        ("rate", "many", (re.compile("hardest .* several completions\n"), "")),
        ("rate", "none", (re.compile("hardest .* no completion\n"), "")),
        ("steps", "none", (re.compile("(.*\n)*no completion\n"), "")),
        ("steps -n 1", "many", (re.compile("1. |several completions, "), "")),
        ("steps", "many", (re.compile("(.*\n)*several completions, [0-9]+ blanks are left\n"), "")),
    ],
)
def test_a_game_in_progress(feed_sudoku: Feed, task: str, game: str, begins: tuple[str | re.Pattern[str], str]) -> None:
    """Placed digits are digits; a wrong one is named; marks that say more than the givens are refused with a remedy."""
    box = ["--box", "2x2"] * (game == "other marks")
    _, out, err = feed_sudoku(GAMES[game], *task.split(), *box)
    expected, message = begins
    assert expected.match(out) if isinstance(expected, re.Pattern) else out.startswith(expected)
    assert err.startswith(message)
    assert message or not err


def test_candidates_alone(feed_sudoku: Feed) -> None:
    """Of 729 candidates without givens the cells with one candidate are the digits."""
    text = "".join(sudoku.write([sudoku.as_puzzle(".".ljust(81, "."), None, sudoku.candidates(CLUE17))], "candidates"))
    assert feed_sudoku(text, "convert", "--drop-candidates") == (0, f"{SOLVED}\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seed", "1" * 1001], f"{'1' * 24} has 1001 digits instead of at most 1000"),
        (["--seed", "-1"], "argument --seed: expected one argument|'-1' is not a whole number from 0"),
        (["-n", "1" * 19], f"{'1' * 19} has 19 digits instead of at most 18"),
        (["--rating", "harder"], "'harder' is neither points nor one of easy, medium, hard, expert"),
    ],
)
def test_numbers_that_are_wrong(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    """A wrong number is wrong usage, and the message has the limit."""
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
    assert shown[-1].startswith("sudoku: none of 3 puzzles fits: they have ")
    assert feed_sudoku("", *task.split())[:2] == (1, "")


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
    assert (sudoku.count_many([line.strip() for line in lines[:200]], 2).counts == 1).all()


@pytest.mark.parametrize("task", ["canonical", "minimise"])
def test_rules_of_a_text_are_kept(feed_sudoku: Feed, task: str) -> None:
    """A grid whose text has rules is answered by a text with these rules."""
    pytest.importorskip("pynauty")
    layout = sudoku.Layout.named("x", (2, 2))
    text = "".join(sudoku.write(["1.....2........."], "fpuzzles", layout))
    status, out, err = feed_sudoku(text, task)
    answer = sudoku.as_puzzle(out)
    assert (status, err) == (0, "")
    assert same_rules(answer.layout, layout)
    assert sudoku.is_isomorphic(answer, sudoku.as_puzzle(text), layout)


def test_drawn_steps_have_their_numbers(feed_sudoku: Feed, tmp_path: Path) -> None:
    """Singles among other steps are not drawn; the others keep the numbers that they have in the list."""
    puzzle = sudoku.generate(rating="hard", seed=5)
    _, out, _ = feed_sudoku(sudoku.to_line(puzzle), "steps", "--svg", str(tmp_path / "steps.svg"))
    drawn = re.findall(r">([0-9]+\. [^<]*)", (tmp_path / "steps.svg").read_text())
    assert drawn
    assert not drawn[0].startswith("1. ")
    assert all(any(line.startswith(text) for line in out.splitlines()) for text in drawn)
