"""`sudoku target`: scores, completions, ties, weights, strategies, and the batch behind plain questions."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from sudoku_command import CLASH, CLUE17, EMPTY, EXAMPLES, MANY, SOLVED, Feed

from sudoku import parse, score, to_boxed, to_rows
from sudoku.solve import Found


def test_target_top_of_large_grids(feed_sudoku: Feed) -> None:
    """A grid too large for the line form is a word of numbers with commas between them."""
    n = 36
    full = np.array([[(6 * (r % 6) + r // 6 + c) % n + 1 for c in range(n)] for r in range(n)])
    _, out, _ = feed_sudoku(to_rows(full, (6, 6)), "target", "--top", "1", "--box", "6x6")
    number, cells = out.split()
    assert int(number) == score(full, layout=(6, 6))
    assert [int(cell) for cell in cells.split(",")] == full.ravel().tolist()


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


@pytest.mark.parametrize("sense", ["--min", "--max"])
def test_the_batch_answers_as_searches_do(feed_sudoku: Feed, tmp_path: Path, sense: str) -> None:
    """Answers given together are those of `best`, for both senses and for weights of any sign."""
    path = tmp_path / "weights.txt"
    table = np.random.default_rng(4).integers(-9, 10, (9, 9))
    path.write_text("\n".join(" ".join(map(str, row)) for row in table.tolist()))
    text = f"{CLUE17}\n{Path(EXAMPLES[0]).read_text()}\n{CLASH}\n{MANY}\n{Path(EXAMPLES[1]).read_text()}"
    arguments = ["target", sense, "--weights", str(path)]
    plain = feed_sudoku(text, *arguments)[1].splitlines()
    answers = [json.loads(line) for line in feed_sudoku(text, *arguments, "--json")[1].splitlines()]
    assert plain == [str(answer["score"]) for answer in answers]
    assert len(set(plain)) == 5


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
    assert feed_sudoku("", "target", file)[:2] == (130, "")
    assert printed == ["2850\n-1\n" * 10]


def test_interrupt_of_the_batch(feed_sudoku: Feed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """After Ctrl-C among grids that are answered together, those before the first that is not done are printed."""
    file = in_a_file(tmp_path, *[CLUE17] * 20)
    completions = np.array([parse(SOLVED).ravel()] * 20)
    done = Found(np.array([1, 1, *18 * [-1]]), completions, 2, 0, {"stopped": "interrupt"})
    monkeypatch.setattr("sudoku.command.blocks.complete", lambda *_, **__: done)
    assert feed_sudoku("", "target", file) == (130, "2850\n2850\n", "")
