"""Many grids at once: what they are one by one, in any shape, with any number of threads, and after Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from known_grids import EMPTY, FULL, KNOWN, Grid, check
from processes import interrupt

import sudoku.batch
from sudoku import RING_WEIGHTS, Result, best, best_many
from sudoku.batch import CHUNK
from sudoku.bound import bound

ROOT = Path(__file__).parents[2]


def _clashing(*cells: tuple[int, int]) -> Grid:
    grid = EMPTY.copy()
    for cell in cells:
        grid[cell] = 5
    return grid


def _one_wrong() -> Grid:
    grid = FULL.copy()
    grid[4, 4] = grid[4, 4] % 9 + 1
    return grid


UNSOLVABLE = [
    _clashing((2, 0), (2, 8)),
    _clashing((0, 3), (8, 3)),
    _clashing((3, 3), (5, 5)),
    _one_wrong(),
    KNOWN["unsat26_0"].grid,
    KNOWN["norvig_unsat"].grid,
]


def _punctured(seed: int) -> Grid:
    rng = np.random.default_rng(seed)
    grid = (rng.permutation(9) + 1)[FULL - 1].astype(np.uint8)
    grid.flat[rng.permutation(81)[: rng.integers(0, 70)]] = 0
    return grid


MIXED = np.stack([*(known.grid for known in KNOWN.values()), *map(_punctured, range(3 * CHUNK)), FULL, *UNSOLVABLE])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.slow
def test_batches_are_what_each_grid_is(threads: int) -> None:
    """Scores, completions and flags of a batch are those of its grids one by one, in their order, in any shape."""
    batch = best_many(MIXED.reshape(-1, 81), threads=threads)
    assert [array.dtype for array in (batch.scores, batch.completions, batch.proven)] == ["int64", "uint8", "bool"]
    assert batch.completions.shape == (len(MIXED), 9, 9)
    assert batch.scores.tolist() == [best(grid).score for grid in MIXED]
    assert batch.proven.all()
    assert not batch.interrupted
    for grid, score, completion in zip(MIXED, batch.scores.tolist(), batch.completions, strict=True):
        if score == -1:
            assert not completion.any()
        else:
            check(completion, grid, RING_WEIGHTS, score)
    assert best_many(MIXED, threads=threads).scores.tolist() == batch.scores.tolist()
    assert best_many(MIXED.tolist(), threads=threads).scores.tolist() == batch.scores.tolist()


def test_batches_without_completions() -> None:
    """Every kind of grid without a completion has the score -1, proven, and no completion."""
    batch = best_many(UNSOLVABLE)
    assert batch.scores.tolist() == [-1] * len(UNSOLVABLE)
    assert batch.proven.all()
    assert not batch.completions.any()


def test_batches_with_weights() -> None:
    """A table of weights, negative ones among them, takes the place of the rings."""
    weights = np.random.default_rng(1).integers(-5, 6, (9, 9))
    batch = best_many(MIXED[:30], weights=weights)
    expected = [best(grid, weights=weights) for grid in MIXED[:30]]
    assert batch.scores.tolist() == [result.score for result in expected]
    assert batch.proven.all()


def test_empty_batches() -> None:
    """No grids, no answers."""
    none: list[npt.ArrayLike] = [[], np.zeros((0, 81), dtype=np.uint8), np.zeros((0, 9, 9), dtype=int)]
    for grids in none:
        batch = best_many(grids)
        assert (batch.scores.shape, batch.completions.shape, batch.proven.shape) == ((0,), (0, 9, 9), (0,))


def test_a_timeout_holds_for_each_grid() -> None:
    """No time at all: what is easy is proven all the same, and of the rest nothing is said."""
    batch = best_many([EMPTY, FULL, EMPTY], timeout=0)
    assert batch.proven.tolist() == [False, True, False]
    assert batch.scores[1] == best(FULL).score
    assert batch.scores[[0, 2]].tolist() == [-1, -1]
    assert not batch.completions[[0, 2]].any()


@pytest.mark.parametrize(
    ("grids", "message"),
    [
        (np.zeros((3, 80), dtype=int), "the grids have the shape (3, 80) instead of (m, 9, 9) or (m, 81)"),
        (np.zeros((9, 9), dtype=int), "the grids have the shape (9, 9) instead of"),
        (np.zeros(81, dtype=int), "the grids have the shape (81,) instead of"),
        (5, "5 is one grid, or none, instead of a sequence of grids"),
        (np.full((3, 81), "1"), "the grids have the type <U1 instead of whole numbers"),
        ([["1"] * 81], "instead of whole numbers"),
        ([[0] * 81, [0] * 80], "grids[1]: the grid has the shape (80,) instead of (9, 9) or (81,)"),
        ([[0] * 81, [0] * 11 + [10] + [0] * 69], "grids[1]: the value 10 in row 2, column 3 is not between 0 and 9"),
        (np.full((2, 9, 9), -1), "grids[0]: the value -1 in row 1, column 1 is not between 0 and 9"),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_wrong_grids_in_a_batch(grids: npt.ArrayLike, message: str, threads: int) -> None:
    """Wrong shapes, types and values are refused before any search, and of a wrong value the grid is named."""
    with pytest.raises(ValueError, match=re.escape(message)):
        best_many(grids, threads=threads)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threads": 0}, "threads is 0"),
        ({"timeout": -1}, "timeout is -1"),
        ({"timeout": float("nan")}, "timeout is nan"),
        ({"weights": np.zeros((4, 4), dtype=int)}, "the weights have the shape (4, 4)"),
    ],
)
def test_wrong_arguments_of_a_batch(arguments: dict[str, object], message: str) -> None:
    """What is wrong is named, even where there are no grids."""
    with pytest.raises(ValueError, match=re.escape(message)):
        best_many([], **arguments)  # type: ignore[arg-type]


BATCH = """
import signal, sys
import numpy as np
from sudoku import best_many

signal.signal(signal.SIGINT, signal.default_int_handler)
grids = np.zeros((20_000, 81), dtype=np.uint8)
best_many(grids[:1])  # loads what it needs
print("searching", flush=True)
batch = best_many(grids, threads=int(sys.argv[1]))
assert batch.interrupted
done = batch.proven
assert 0 < done.sum() < len(done)
assert (batch.scores[done] == 2906).all()
assert (batch.completions[done].astype(int).sum(axis=(1, 2)) == 405).all()
print("the program goes on")
"""


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.slow
def test_an_interrupt_keeps_what_is_done(threads: str) -> None:
    """Ctrl-C ends a batch, not the program: what was done is in it and proven, and the rest is unproven."""
    with subprocess.Popen(
        [sys.executable, "-c", BATCH, threads],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "searching\n"
            time.sleep(1.5)  # for some grids, even on a busy machine; all of them take half a minute
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (out, err, process.returncode) == ("the program goes on\n", "", 0)


LONG = """
import threading
import sudoku
threading.Timer(1.0, lambda: print("searching", flush=True)).start()
batch = sudoku.best_many(2 * [625 * "."], box=(5, 5), threads=2)
assert batch.interrupted
assert not batch.proven.any()
print("the program goes on")
"""


@pytest.mark.slow
def test_an_interrupt_ends_what_threads_are_busy_with() -> None:
    """Ctrl-C is heard by the searches of all threads, not only by the main one."""
    result = interrupt(LONG)
    assert (result.stdout, result.stderr, result.returncode) == ("the program goes on\n", "", 0)


@pytest.mark.slow
def test_few_grids_are_shared_among_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two grids are done by two threads at once: each waits until the other has begun, too."""
    both = threading.Barrier(2, timeout=20)

    def waiting(*arguments: Any, **limits: Any) -> Result:
        both.wait()
        return bound(*arguments, **limits)

    monkeypatch.setattr(sudoku.batch, "bound", waiting)
    assert best_many(2 * [256 * [0]], box=(4, 4), threads=2).scores.tolist() == [18312, 18312]
