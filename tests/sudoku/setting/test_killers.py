"""Killer sudokus at random: what they promise, and the command that prints them as files of rules."""

from __future__ import annotations

import pytest
from seeds import for_seeds
from sudoku_command import Feed

import sudoku
from sudoku import Layout


@for_seeds(40)
def test_killers(seed: int) -> None:
    """Cages cover the grid once, have no digit twice, are no larger than wanted, and have one completion."""
    base = (Layout.boxes(2, 2), Layout.boxes(2, 3), Layout.named("x", (2, 2)), Layout.boxes(1, 5))[seed % 4]
    largest = 2 + seed % 3
    killer = sudoku.generate_killer(base, seed=seed, largest=largest)
    assert killer == sudoku.generate_killer(base, seed=seed, largest=largest)
    assert sorted(cell for cage in killer.sums for cell in cage.cells) == base.cells()
    assert max(len(cage.cells) for cage in killer.sums) <= largest
    found = sudoku.solve(base.size**2 * ".", killer).completion
    assert found is not None
    assert sudoku.count(base.size**2 * ".", killer).covers == 1
    for cage in killer.sums:
        digits = [int(found[cell]) for cell in cage.cells]
        assert (sum(digits), len(set(digits))) == (cage.total, len(digits))


def test_killers_by_command(feed_sudoku: Feed) -> None:
    """The command prints one killer for each seed; a terminal shows how many are done."""
    task = ["generate", "--killer", "--box", "2x2", "-n", "3", "--seed", "1"]
    status, out, _ = feed_sudoku("", *task)
    assert (status, out.count("\n")) == (0, 3)
    assert feed_sudoku(out, "count") == (0, "1\n1\n1\n", "")
    assert feed_sudoku("", *task, "--timeout", "0")[0] == 3
    assert "0 of 3 killers, 0 s" in feed_sudoku.shown("", *task)


def test_a_limit_of_killers() -> None:
    """A limit that ends the search for a killer is an error."""
    with pytest.raises(TimeoutError):
        sudoku.generate_killer(seed=1, max_nodes=100)
