"""`sudoku target`: scores, completions, ties, weights, strategies, and the batch behind plain questions."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from commands import Terminal
from sudoku_command import CLASH, CLUE17, EMPTY, EXAMPLES, MANY, ROOT, SOLVED, Feed

import dlx
from sudoku import RING_WEIGHTS, STRATEGIES, parse, ring_weights, score, to_boxed, to_rows
from sudoku.command.cli import main
from sudoku.many.plain import Found


def test_target_of_the_published_samples(feed_sudoku: Feed) -> None:
    """One line per puzzle: the best score; the same for files, for standard input, and for `-` among files."""
    assert feed_sudoku("", "target", *EXAMPLES) == (0, "2829\n2852\n", "")
    assert feed_sudoku(Path(EXAMPLES[0]).read_text(), "target") == (0, "2829\n", "")
    assert feed_sudoku(Path(EXAMPLES[0]).read_text(), "target", EXAMPLES[1], "-") == (0, "2852\n2829\n", "")


@pytest.mark.parametrize("name", STRATEGIES)
def test_target_by_every_strategy(feed_sudoku: Feed, name: str) -> None:
    """Every strategy answers the sample, the grid without a completion and the completed one."""
    text = f"{Path(EXAMPLES[0]).read_text()}{CLASH}\n{SOLVED}"
    assert feed_sudoku(text, "target", "--strategy", name) == (0, "2829\n-1\n2850\n", "")


def test_target_grid(feed_sudoku: Feed) -> None:
    """With --grid the completion follows the score, with empty lines around it but not at the ends."""
    status, out, _ = feed_sudoku(f"{CLASH}\n{CLUE17}\n{CLASH}\n{CLASH}", "target", "--grid")
    assert status == 0
    assert out == f"-1\n\n2850\n{to_boxed(parse(SOLVED))}\n\n-1\n-1\n"


def test_target_json(feed_sudoku: Feed) -> None:
    """With --json there is an object for each puzzle, with the score, the completion and how the search went."""
    status, out, _ = feed_sudoku(f"{CLUE17}\n{CLASH}", "target", "--json", "--strategy", "dlx")
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


def test_target_strategy_dlx_visits_every_completion(feed_sudoku: Feed) -> None:
    """The strategy `dlx` visits and scores them all, whatever the default does: 32758 of this grid."""
    _, out, _ = feed_sudoku(MANY, "target", "--strategy", "dlx", "--json")
    answer = json.loads(out)
    assert (answer["score"], answer["completions"], answer["proven"]) == (2869, 32758, True)
    _, out, _ = feed_sudoku(MANY, "target", "--json")
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
def test_target_min(feed_sudoku: Feed, name: str) -> None:
    """With --min the answer is the lowest score, by every strategy; no completion stays -1."""
    text = f"{Path(EXAMPLES[1]).read_text()}{CLASH}\n{SOLVED}"
    assert feed_sudoku(text, "target", "--min", "--strategy", name) == (0, "2842\n-1\n2850\n", "")
    _, out, _ = feed_sudoku(Path(EXAMPLES[1]).read_text(), "target", "--min", "--strategy", name, "--json")
    answer = json.loads(out)
    assert answer["score"] == score(parse(answer["completion"])) == 2842
    assert answer["bound"] == (2842 if name == "bound" else None)


def test_target_top(feed_sudoku: Feed) -> None:
    """With --top a line for each of the K best, or of all there are, and an empty line between two grids."""
    text = f"{Path(EXAMPLES[1]).read_text()}{CLASH}\n{SOLVED}\n{CLUE17}\n{Path(EXAMPLES[0]).read_text()}"
    status, out, err = feed_sudoku(text, "target", "--top", "5")
    assert (status, err) == (0, "")
    five, none, one, other, three = (block.splitlines() for block in out.rstrip("\n").split("\n\n"))
    assert (none, one, other) == (["-1"], [f"2850 {SOLVED}"], [f"2850 {SOLVED}"])
    for lines, scores in ((five, [2852, 2852, 2851, 2851, 2851]), (three, [2829] * 3)):
        pairs = [line.split(" ") for line in lines]
        assert [int(number) for number, _ in pairs] == scores
        assert [score(parse(digits)) for _, digits in pairs] == scores
        assert len(set(lines)) == len(scores)
    _, out, _ = feed_sudoku(MANY, "target", "--top", "3", "--min")
    assert out.split()[::2] == ["2825"] * 3


def test_target_top_grid(feed_sudoku: Feed) -> None:
    """With --grid as well, each score is followed by its completion in boxes."""
    _, out, _ = feed_sudoku(f"{CLUE17}\n{CLASH}\n{MANY}", "target", "--top", "2", "--grid")
    one, none, two = out.rstrip("\n").split("\n\n")
    assert one == f"2850\n{to_boxed(parse(SOLVED))}"
    assert none == "-1"
    lines = two.splitlines()
    assert lines[0] == lines[12] == "2869"
    assert [score(parse("\n".join(lines[k : k + 11]))) for k in (1, 13)] == [2869, 2869]


def test_target_top_json(feed_sudoku: Feed) -> None:
    """With --json as well, an object for each grid has the list, and the objects are lines without gaps."""
    _, out, _ = feed_sudoku(f"{CLUE17}\n{CLASH}\n{MANY}", "target", "--top", "2", "--json")
    one, none, two = map(json.loads, out.splitlines())
    assert one["top"] == [{"score": 2850, "completion": SOLVED}]
    assert (none["top"], none["bound"], none["proven"]) == ([], None, True)
    assert [entry["score"] for entry in two["top"]] == [2869, 2869]
    assert (two["line"], two["bound"], two["proven"], two["stopped"], two["strategy"]) == (3, 2869, True, None, "bound")


def test_target_top_of_large_grids(feed_sudoku: Feed) -> None:
    """A grid too large for the line form is a word of numbers with commas between them."""
    n = 36
    full = np.array([[(6 * (r % 6) + r // 6 + c) % n + 1 for c in range(n)] for r in range(n)])
    _, out, _ = feed_sudoku(to_rows(full, (6, 6)), "target", "--top", "1", "--box", "6x6")
    number, cells = out.split()
    assert int(number) == score(full, ring_weights(n))
    assert [int(cell) for cell in cells.split(",")] == full.ravel().tolist()


@pytest.mark.parametrize("option", ["--weights", "--jigsaw", "--rules"])
def test_standard_input_is_for_grids(feed_sudoku: Feed, option: str) -> None:
    """A table or rules from standard input are refused as such, and no file called - is looked for."""
    with pytest.raises(SystemExit, match="2"):
        feed_sudoku(CLUE17, "target", option, "-")
    told = f"{option} takes a file, and - is standard input, which is for grids\n"
    assert feed_sudoku.capsys.readouterr().err.endswith(told)


@pytest.mark.parametrize("name", STRATEGIES)
def test_target_ties(feed_sudoku: Feed, name: str) -> None:
    """With --ties the number of completions that share the score follows it, with every strategy the same."""
    text = f"{Path(EXAMPLES[0]).read_text()}{CLASH}\n{Path(EXAMPLES[1]).read_text()}"
    assert feed_sudoku(text, "target", "--ties", "--strategy", name) == (0, "2829 ties 3\n-1\n2852 ties 2\n", "")
    _, out, _ = feed_sudoku(text, "target", "--ties", "--min", "--json", "--strategy", name)
    three, none, two = map(json.loads, out.splitlines())
    assert (three["ties"], three["ties_exhausted"], two["ties"], two["ties_exhausted"]) == (3, True, 8, True)
    assert (none["score"], none["completion"]) == (-1, None)
    assert (none["ties"], none["ties_exhausted"]) == (0, True)


def test_ties_of_a_score_that_is_not_proven(feed_sudoku: Feed) -> None:
    """What was asked for is told of a grid whose best score is not known, too: ties that nobody has counted."""
    answer = json.loads(feed_sudoku(EMPTY, "target", "--ties", "--timeout", "0", "--json")[1])
    assert (answer["proven"], answer["ties"], answer["ties_exhausted"]) == (False, None, False)


@pytest.mark.slow
@pytest.mark.usefixtures("ticking")
def test_target_ties_up_to_a_limit(feed_sudoku: Feed) -> None:
    """Where the limit or the timeout ends the count, a + says that there may be more."""
    assert feed_sudoku(EMPTY, "target", "--ties", "--limit", "300")[1] == "2906 ties 300+\n"
    _, out, _ = feed_sudoku(EMPTY, "target", "--ties", "--limit", "300", "--json")
    assert (json.loads(out)["ties"], json.loads(out)["ties_exhausted"]) == (300, False)
    assert re.fullmatch(r"2906 ties \d+\+\n", feed_sudoku(EMPTY, "target", "--ties", "--timeout", "20")[1])
    status, out, _ = feed_sudoku(EMPTY, "target", "--ties", "--limit", "20", "--grid")
    assert (status, out.splitlines()[0], len(out.splitlines())) == (0, "2906 ties 20+", 12)


@pytest.mark.slow
@pytest.mark.usefixtures("ticking")
def test_target_of_sixteen_rows(feed_sudoku: Feed) -> None:
    """The best score of the empty grid with 4x4 boxes is proven; with 5x5 boxes a timeout leaves a bound."""
    assert feed_sudoku("." * 256, "target", "--box", "4x4") == (0, "18312\n", "")
    _, out, _ = feed_sudoku("." * 625, "target", "--box", "5x5", "--timeout", "1", "--json")
    answer = json.loads(out)
    assert (answer["proven"], answer["stopped"]) == (False, "timeout")
    assert answer["bound"] >= 80997  # there is a completion with that


def test_target_weights(feed_sudoku: Feed, tmp_path: Path) -> None:
    """A table from a file takes the place of the rings, negative weights included."""
    path = tmp_path / "weights.txt"
    path.write_text("\n".join(" ".join(map(str, row)) for row in (-RING_WEIGHTS).tolist()))
    assert feed_sudoku(CLUE17, "target", "--weights", str(path)) == (0, "-2850\n", "")
    for between in (",", ", ", ";", " ;"):
        for end in ("", between):
            path.write_text("\n".join(between.join(map(str, row)) + end for row in (-RING_WEIGHTS).tolist()))
            assert feed_sudoku(CLUE17, "target", "--weights", str(path)) == (0, "-2850\n", "")


@pytest.mark.parametrize("numbers", ["6,7,8,9,10", "6 7 8 9 10", "6"])
def test_weights_are_a_file(feed_sudoku: Feed, numbers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers in the place of the file's name are told what is expected, unless a file is called so."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        feed_sudoku(CLUE17, "target", "--weights", numbers)
    err = feed_sudoku.capsys.readouterr().err
    assert f"--weights takes a file of 9 lines of 9 whole numbers, not numbers: '{numbers}'" in err
    Path(numbers).write_text("1 1 1 1 1 1 1 1 1\n" * 9)
    assert feed_sudoku(CLUE17, "target", "--weights", numbers)[:2] == (0, "405\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2 3", "there are 3 weights instead of 9"),
        ("1,2,3,,5,6,7,8,9", "'' is not a whole number"),
        ("1.5;2;3;4;5;6;7;8;9", "'1.5' is not a whole number"),
        (None, "No such file or directory"),
    ],
)
def test_wrong_weights(feed_sudoku: Feed, tmp_path: Path, text: str | None, message: str) -> None:
    """A malformed or missing table of weights is an error of usage, before any grid is read."""
    path = tmp_path / "weights.txt"
    if text is not None:
        path.write_text(text)
    with pytest.raises(SystemExit) as exit_:
        feed_sudoku(CLUE17, "target", "--weights", str(path))
    assert exit_.value.code == 2
    assert f"{path}" in (err := feed_sudoku.capsys.readouterr().err)
    assert message in err


def test_list_strategies(feed_sudoku: Feed) -> None:
    """The strategies are listed with the default marked, and no input is read."""
    status, out, _ = feed_sudoku("nonsense", "target", "--list-strategies")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == list(STRATEGIES)
    assert "bound (default)" in out.splitlines()


@pytest.mark.parametrize("name", [name for name in STRATEGIES if name != "bound"])
def test_top_with_a_strategy_that_keeps_one(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A strategy that keeps the best completion only cannot list the K best: an error of usage that names it."""
    with pytest.raises(SystemExit) as exit_:
        main(["target", "--top", "3", "--strategy", name])
    assert exit_.value.code == 2
    assert f"{name} keeps the best completion only" in capsys.readouterr().err
    assert main(["target", "--top", "3", "--strategy", "bound", os.devnull]) == 0


def test_target_max(feed_sudoku: Feed) -> None:
    """--max asks for what is asked anyway."""
    text = Path(EXAMPLES[1]).read_text()
    assert feed_sudoku(text, "target", "--max") == feed_sudoku(text, "target") == (0, "2852\n", "")


def test_plain_questions_take_the_batch(feed_sudoku: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Grids with one completion, or none, are answered together, and never by a search of their own."""
    monkeypatch.setattr("sudoku.command.target.best", Mock(side_effect=AssertionError))
    text = f"{CLUE17}\n{CLASH}\n{SOLVED}\n" * 50
    assert feed_sudoku(text, "target") == (0, "2850\n-1\n2850\n" * 50, "")
    assert feed_sudoku(text, "target", "--min") == (0, "2850\n-1\n2850\n" * 50, "")
    assert feed_sudoku(CLUE17, "target", "--grid") == (0, f"2850\n{to_boxed(parse(SOLVED))}\n", "")


@pytest.mark.parametrize("sense", ["--min", "--max"])
def test_the_batch_answers_as_searches_do(feed_sudoku: Feed, tmp_path: Path, sense: str) -> None:
    """What is answered together is what `best` says, for both senses and for weights of any sign."""
    path = tmp_path / "weights.txt"
    table = np.random.default_rng(4).integers(-9, 10, (9, 9))
    path.write_text("\n".join(" ".join(map(str, row)) for row in table.tolist()))
    text = f"{CLUE17}\n{Path(EXAMPLES[0]).read_text()}\n{CLASH}\n{MANY}\n{Path(EXAMPLES[1]).read_text()}"
    arguments = ["target", sense, "--weights", str(path)]
    plain = feed_sudoku(text, *arguments)[1].splitlines()
    answers = [json.loads(line) for line in feed_sudoku(text, *arguments, "--json")[1].splitlines()]
    assert plain == [str(answer["score"]) for answer in answers]
    assert len(set(plain)) == 5


def test_easy_answers_do_not_wait_for_hard_ones(feed_sudoku: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of grids that have come together, the answers before a hard one are printed before that is searched."""
    printed: list[str] = []

    def hard(*_: object, **__: object) -> None:
        printed.append(feed_sudoku.capsys.readouterr().out)
        raise KeyboardInterrupt

    monkeypatch.setattr("sudoku.command.target.best", hard)
    assert feed_sudoku(f"{CLUE17}\n{CLASH}\n{EMPTY}\n{CLUE17}", "target")[:2] == (130, "")
    assert printed == ["2850\n-1\n"]


def test_interrupt_of_the_batch(feed_sudoku: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """After Ctrl-C among grids that are answered together, those before the first that is not done are printed."""
    completions = np.array([81 * [1], 81 * [0], 81 * [1]], dtype=np.uint8) * parse(SOLVED).ravel()
    done = Found(np.array([1, -1, 1]), completions, 1, 0, {"stopped": "interrupt"})
    monkeypatch.setattr("sudoku.command.target.complete", lambda *_, **__: done)
    assert feed_sudoku(f"{CLUE17}\n{EMPTY}\n{CLUE17}", "target") == (130, "2850\nunknown\n", "")
    done.counts[1] = 0  # it came when all had been done
    assert feed_sudoku(f"{CLUE17}\n{EMPTY}\n{CLUE17}", "target")[0] == 130


def test_ties_report_and_count_their_time(feed_sudoku: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    """The count of ties shows how far it is, and its nodes and seconds are part of what JSON tells."""
    seen = dlx.Progress(nodes=7, covers=1234, score=None, bound=None, fraction=0.0, seconds=2.0)

    def slow(*_: object, progress: Callable[[object], object], **__: object) -> dlx.Count:
        progress(seen)
        return dlx.Count(covers=3, kernel="dual", nodes=1000, updates=0, seconds=100.0, stopped=None)

    monkeypatch.setattr("sudoku.command.target.ties", slow)
    monkeypatch.setattr("dlx.command.shared.PATIENCE", 0.0)
    monkeypatch.setattr("dlx.command.shared.REFRESH", 0.0)
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    answer = json.loads(feed_sudoku(Path(EXAMPLES[0]).read_text(), "target", "--ties", "--json")[1])
    assert (answer["ties"], answer["ties_exhausted"]) == (3, True)
    assert 100 < answer["seconds"] < 110
    assert answer["nodes"] > 1000
    assert "<stdin>:1: 1,234 completions, 617/s" in terminal.getvalue()
