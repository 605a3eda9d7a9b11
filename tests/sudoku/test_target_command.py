"""`sudoku target`: scores, completions, ties, weights, strategies, and the batch behind plain questions."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest
from sudoku_command import CLASH, CLUE17, EMPTY, SOLVED, Feed

from sudoku import parse, to_boxed


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
    assert feed_sudoku("", "target", file)[:2] == (130, "")
    assert printed == ["2850\n-1\n" * 10]
