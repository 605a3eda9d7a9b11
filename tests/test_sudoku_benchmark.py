"""The benchmark of sudokus: what is wrong is noticed, sides answer and are stopped, and the report says it."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from apart import missing, started
from bench_sudoku import as_lines, expected_of, keeps_the_rules, million, solved, wrong
from one_by_one import OneByOne, late
from sudoku_peers import choices
from sudoku_sets import build

import sudoku


def test_broken_rules_are_seen() -> None:
    """A completion with a digit twice, or without a given of its grid, does not keep the rules."""
    puzzles, completions, _ = solved("minimal", 20)
    twice = completions.copy()
    twice[:, 0] = twice[:, 80]
    renamed = completions % 9 + 1
    assert keeps_the_rules(completions, puzzles.grids).all()
    assert not keeps_the_rules(twice, np.zeros_like(twice)).all()
    assert keeps_the_rules(renamed, np.zeros_like(renamed)).all()
    assert not keeps_the_rules(renamed, puzzles.grids).any()


def test_wrong_answers_are_counted() -> None:
    """No completion, another one, and more than one are wrong; puzzles that a side has not come to are not."""
    _, completions, _ = solved("minimal", 20)
    first, second, third, *_ = completions.tolist()
    assert wrong([[first], [second], [third]], completions) == 0
    assert wrong([[first], [], [first]], completions) == 2
    assert wrong([[first, first], [second]], completions) == 1


def answers(side: str, task: dict[str, Any]) -> dict[str, Any]:
    """What a side prints."""
    if reason := missing(side):
        pytest.skip(reason)
    process = started("sudoku_sides.py", side, 0.2, {"example": build("easy", 1).grids[0], **task})
    assert not process.returncode, process.stderr.decode()
    result: dict[str, Any] = json.loads(process.stdout)
    return result


@pytest.mark.slow
@pytest.mark.parametrize("side", ["count_many", "count_many, a grid a call", "exact cover", "cells", "CaDiCaL"])
def test_sides_answer(side: str) -> None:
    """Sides find the completion of each puzzle, and count as many completions of open grids."""
    puzzles, completions, _ = solved("minimal", 20)
    found = answers(side, {"grids": puzzles.grids, "limit": 0})["found"]
    assert len(found) == 20
    assert wrong(found, completions) == 0
    if side != "count_many, a grid a call":
        grids = build("open", 3).grids
        assert answers(side, {"grids": grids, "limit": 50})["counts"] == [50] * 3


class Endless(OneByOne):
    """A solver that never ends in its second grid, and catches whatever is an `Exception`."""

    def solve(self, given: list[list[int]]) -> Any:
        while given[0][0]:
            try:
                given[0][1] += 1
            except Exception:
                continue
        return given


@pytest.fixture
def alarmed() -> Iterator[None]:
    """The handler of the processes that sides run in."""
    before = signal.signal(signal.SIGPROF, late)
    yield
    signal.signal(signal.SIGPROF, before)


@pytest.mark.usefixtures("alarmed")
def test_a_grid_without_end_is_left() -> None:
    """A side that hangs in a grid is stopped, and what it has done before counts."""
    grids = np.array([[0] * 81, [1] * 81], dtype=np.uint8)
    result = Endless().run(grids, 0.02)
    assert result["done"] == 1
    assert result["found"] == [[[0] * 81]]
    assert result["seconds"] >= 0.02


def test_clauses_are_of_the_units() -> None:
    """Of the 324 sets of variables each variable is in four, and the true ones of a completion meet each set once."""
    _, completions, _ = solved("minimal", 20)
    sets = np.array(choices())
    assert sets.shape == (324, 9)
    assert (np.bincount(sets.ravel(), minlength=730)[1:] == 4).all()
    true = np.zeros(730, dtype=int)
    true[9 * np.arange(81) + completions[0]] = 1
    assert (true[sets].sum(axis=1) == 1).all()


def test_what_commands_are_to_print() -> None:
    """The answers that commands are compared with are those of the functions, and no two lines are the same."""
    grids = million(40)
    lines = as_lines(grids).decode().split()
    assert len(set(lines)) == 40
    assert expected_of("solve", grids).decode().split()[7] == sudoku.to_line(sudoku.solve(lines[7]).completion)  # type: ignore[arg-type]
    best = [str(sudoku.best(line).score) for line in lines[:5]]
    assert expected_of("target", grids).decode().split()[:5] == best
    assert expected_of("count --limit 2", grids) == b"1\n" * 40


RECORDS: list[dict[str, Any]] = [
    *(
        {"what": "set", "set": name, "size": 9, "givens": 25.0, "guesses": guesses, "source": "our own", "bias": "none"}
        for name, guesses in (("minimal", 0.5), ("open", None))
    ),
    *(
        {
            "what": "solve",
            "set": "minimal",
            "side": side,
            "proves": side != "dokusan",
            "done": done,
            "spent": 2.0,
            "checked": done,
            "wrong": wrong_,
            "version": "1.0",
        }
        for side, done, wrong_ in (
            ("count_many", 800_000, 0),
            ("solve_many", 1_000_000, 0),
            ("count_many, a grid a call", 30_000, 0),
            ("exact cover", 10_000, 0),
            ("dokusan", 500, 3),
            ("sudoku-py", 0, 0),
        )
    ),
    *(
        {"what": "open", "set": "open", "side": side, "completions": number, "spent": 2.0, "version": ""}
        for side, number in (("count_many", 6_000_000), ("exact cover", 2_000_000), ("CP-SAT", 30_000))
    ),
    {"what": "command", "command": "solve", "lines": 1000, "spent": 0.5, "megabytes": 36.4},
]


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed: pip install -e '.[bench]'")
def test_the_report_says_what_was_measured() -> None:
    """Rates, wrong answers, what was not solved at all, and the ratio to what finds one completion only."""
    import sudoku_report

    text = sudoku_report.table(RECORDS)
    assert "| **`sudoku.count_many`** | 400 k | 3 M |" in text
    assert "| dokusan * | 250 |  |" in text
    assert "| dokusan * | 1.0 | 500 (3) |  |" in text
    assert "| sudoku-py | < 0.5 |  |" in text
    assert "| minimal | dokusan * | 2e+03 | 60 | 80 |" in text
    assert "| open | CP-SAT, by ortools | 200 |  | 3 |" in text
    assert "| `sudoku solve` | 1,000 | 0.50 s | 2 k | 36 MB |" in text
    assert "0.5 guesses a puzzle" in text
    assert len(sudoku_report.chart(RECORDS).axes) == 1
