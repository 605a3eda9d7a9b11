"""The k best completions, ties, and batches: against the known answers, the reference and enumeration."""

from __future__ import annotations

import csv
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dlx
from dlx import reference
from sudoku import RING_WEIGHTS, best, best_many, decode, encode, parse, rank, ring_weights, ties
from sudoku.batch import CHUNK

Grid = npt.NDArray[np.uint8]
Weights = npt.NDArray[np.int64]
Sense = Literal["max", "min"]
Box = tuple[int, int]

ROOT = Path(__file__).parents[2]
EMPTY = np.zeros((9, 9), dtype=np.uint8)
FULL = np.array([[(3 * (r % 3) + r // 3 + c) % 9 + 1 for c in range(9)] for r in range(9)], dtype=np.uint8)

both = pytest.mark.parametrize("sense", ["max", "min"])


@dataclass(frozen=True, eq=False)
class Known:
    """A grid of the data file with its best score; `completions` is None where nobody has counted them."""

    name: str
    grid: Grid
    best: int
    completions: int | None


def _known() -> list[Known]:
    with (Path(__file__).parents[1] / "data" / "target_sudoku.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    counts = {row["name"]: int(row["completions"]) if row["completions"].isdigit() else None for row in rows}
    return [Known(row["name"], parse(row["grid"]), int(row["best_score"]), counts[row["name"]]) for row in rows]


KNOWN = {known.name: known for known in _known()}
FEW = [name for name, known in KNOWN.items() if known.completions is not None and known.completions < 40_000]
few = pytest.mark.parametrize("name", FEW)


def check(completion: npt.ArrayLike, grid: Grid, weights: Weights, score: int, box: Box = (3, 3)) -> None:
    """By the rules alone: every row, column and box has each digit once, the givens stand, the score is right."""
    rows = np.asarray(completion).tolist()
    n = len(rows)
    for k in range(n):
        top, left = k // box[0] * box[0], k % box[0] * box[1]
        digits = set(range(1, n + 1))
        assert set(rows[k]) == digits
        assert {row[k] for row in rows} == digits
        assert {rows[top + r][left + c] for r in range(box[0]) for c in range(box[1])} == digits
    cells = [(r, c) for r in range(n) for c in range(n)]
    assert all(grid[cell] in (0, rows[cell[0]][cell[1]]) for cell in cells)
    assert sum(rows[r][c] * int(weights[r, c]) for r, c in cells) == score


@cache
def every_score(name: str) -> list[int]:
    """The scores of all completions of a known grid, the lowest one first, by visiting them."""
    problem = encode(KNOWN[name].grid, weights=RING_WEIGHTS)
    assert problem.weights is not None
    return sorted(int(score) for block in dlx.covers(problem).blocks() for score in problem.weights[block].sum(axis=1))


@pytest.mark.parametrize("known", KNOWN.values(), ids=attrgetter("name"))
def test_every_known_grid_is_proven(known: Known) -> None:
    """Each grid of the data file, the empty one among them, is right and proven, with a bound that is the score."""
    result = best(known.grid)
    assert (result.strategy, result.score, result.proven, result.stopped) == ("bound", known.best, True, None)
    assert (result.completion is None) == (known.best == -1)
    assert result.bound == (None if known.best == -1 else known.best)
    if result.completion is not None:
        check(result.completion, known.grid, RING_WEIGHTS, known.best)


@pytest.mark.parametrize("max_nodes", [0, 1, 100, 400, 1000])
@pytest.mark.parametrize("name", ["empty", "center1", "hard24_0", "r24_0", "norvig_unsat", "clue17"])
def test_a_limit_leaves_the_best_so_far_and_a_bound(name: str, max_nodes: int) -> None:
    """Wherever the search is stopped, the best score lies between the score found and the bound."""
    known = KNOWN[name]
    result = best(known.grid, max_nodes=max_nodes)
    assert result.score <= known.best
    assert result.proven == (result.stopped is None)
    assert result.score == known.best if result.proven else result.bound is not None and result.bound >= known.best
    if result.completion is not None:
        check(result.completion, known.grid, RING_WEIGHTS, result.score)


def test_sixteen_rows() -> None:
    """The best score of the empty grid with 4x4 boxes and ring weights is 18312, proven."""
    grid = np.zeros((16, 16), dtype=np.uint8)
    result = best(grid, box=(4, 4))
    assert (result.score, result.bound, result.proven) == (18312, 18312, True)
    assert result.completion is not None
    check(result.completion, grid, ring_weights(16), 18312, (4, 4))


def test_twenty_five_rows() -> None:
    """What a limit leaves of the empty grid with 5x5 boxes: a completion and a bound above it, unproven."""
    grid = np.zeros((25, 25), dtype=np.uint8)
    result = best(grid, box=(5, 5), max_nodes=8000)
    assert (result.proven, result.stopped) == (False, "max_nodes")
    assert result.completion is not None
    assert result.bound is not None
    assert result.bound >= max(result.score, 80997)  # there is a completion with 80997
    check(result.completion, grid, ring_weights(25), result.score, (5, 5))
    late = best(grid, box=(5, 5), timeout=0.1)
    assert (late.proven, late.stopped) == (False, "timeout")
    assert late.bound is not None
    assert late.bound >= 80997


def test_the_17_cells_alone() -> None:
    """Weights on the 17 cells that matter give the same best score, less the 2745 that all completions share."""
    weights = np.zeros((9, 9), dtype=np.int64)
    weights[np.ix_([0, 1, 7, 8], [0, 1, 7, 8])] = 1
    weights[np.ix_([0, 8], [0, 8])] = 2
    weights[4, 4] = 1
    for known in KNOWN.values():
        result = best(known.grid, weights=weights)
        assert result.proven
        assert result.score == (known.best - 2745 if known.best >= 0 else -1)


@st.composite
def small_grids(draw: st.DrawFn) -> tuple[Grid, Box, Weights]:
    """Grids of four or six rows with some givens, of a completion or at random, and weights of many kinds."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    box = draw(st.sampled_from([(2, 2), (1, 4), (2, 3), (3, 2)]))
    n = box[0] * box[1]
    full = np.array([[(box[1] * (r % box[0]) + r // box[0] + c) % n + 1 for c in range(n)] for r in range(n)])
    grid = (rng.permutation(n) + 1)[full - 1]
    blanks = draw(st.integers(0, 8 if n == 4 else 18))
    grid.flat[rng.permutation(n * n)[:blanks]] = 0
    if draw(st.integers(0, 9)) == 0:  # as likely as not, no completion
        grid.flat[rng.integers(n * n)] = rng.integers(1, n + 1)
    tables = [
        ring_weights(n),
        np.zeros((n, n), dtype=np.int64),
        rng.integers(-3, 4, (n, n)),
        rng.integers(-(2**40), 2**40, (n, n)),
        -rng.integers(0, 2, (n, n)),
    ]
    return grid.astype(np.uint8), box, np.asarray(draw(st.sampled_from(tables)), dtype=np.int64)


@settings(max_examples=60, deadline=None)
@given(small_grids(), st.integers(1, 12), st.sampled_from(["max", "min"]))
def test_rank_and_ties_by_the_reference(case: tuple[Grid, Box, Weights], k: int, sense: Sense) -> None:
    """The k best scores, or all if they are fewer, and how many share each, are those of all covers listed."""
    grid, box, weights = case
    problem = encode(grid, box)
    completions = [decode(problem, cover).astype(np.int64) for cover in reference.covers(problem)]
    scores = sorted((int((completion * weights).sum()) for completion in completions), reverse=sense == "max")
    ranking = rank(grid, k, sense=sense, weights=weights, box=box)
    assert ranking.scores.tolist() == scores[:k]
    assert (ranking.proven, ranking.stopped) == (True, None)
    assert ranking.bound == (scores[0] if scores else None)
    assert len({completion.tobytes() for completion in ranking.completions}) == len(scores[:k])
    for completion, score in zip(ranking.completions, scores, strict=False):
        check(completion, grid, weights, score, box)
    for score in ranking.scores.tolist():
        good = sum(other >= score if sense == "max" else other <= score for other in scores)
        count = ties(grid, score, sense=sense, weights=weights, box=box)
        assert (count.covers, count.exhausted) == (good, True)
    one = best(grid, sense=sense, weights=weights, box=box)
    assert (one.score, one.bound) == ((scores[0], scores[0]) if scores else (-1, None))


@both
@few
def test_rank_of_known_grids(name: str, sense: Sense) -> None:
    """One, 50, or more than there are: the scores at that end of all that enumeration finds."""
    scores = every_score(name)[:: -1 if sense == "max" else 1]
    for k in (1, 50, *([len(scores) + 1] if len(scores) < 1000 else [])):
        ranking = rank(KNOWN[name].grid, k, sense=sense)
        assert ranking.proven
        assert ranking.scores.tolist() == scores[:k]
        assert len({completion.tobytes() for completion in ranking.completions}) == len(scores[:k])
        for completion, score in zip(ranking.completions, scores, strict=False):
            check(completion, KNOWN[name].grid, RING_WEIGHTS, score)


@both
@few
def test_ties_of_known_grids(name: str, sense: Sense) -> None:
    """How many completions have the best score, or one at most 3 worse, is what enumeration counts."""
    scores = every_score(name)
    if not scores:
        assert ties(KNOWN[name].grid, 0).covers == 0
        return
    for worse in (0, 3):
        limit = scores[-1] - worse if sense == "max" else scores[0] + worse
        good = sum(score >= limit if sense == "max" else score <= limit for score in scores)
        count = ties(KNOWN[name].grid, limit, sense=sense)
        assert (count.covers, count.exhausted) == (good, True)


def test_ties_up_to_a_limit() -> None:
    """The empty grid has more ties than anybody can count; a limit or a timeout stops the count and says so."""
    count = ties(EMPTY, 2906, limit=5000)
    assert (count.covers, count.stopped) == (5000, "max_covers")
    late = ties(EMPTY, 2906, timeout=0.05)
    assert late.stopped == "timeout"


def test_many_of_the_empty_grid() -> None:
    """The thousand best completions of the empty grid all tie, and all differ."""
    ranking = rank(EMPTY, 1000)
    assert ranking.proven
    assert set(ranking.scores.tolist()) == {2906}
    assert len({completion.tobytes() for completion in ranking.completions}) == 1000


def test_rank_keeps_what_a_limit_leaves() -> None:
    """With too few nodes for a proof, the best completions so far and a bound on what is better."""
    ranking = rank(EMPTY, 3, max_nodes=160)
    assert (ranking.proven, ranking.stopped) == (False, "max_nodes")
    assert ranking.bound is not None
    assert ranking.bound >= 2906
    for completion, score in zip(ranking.completions, ranking.scores.tolist(), strict=True):
        check(completion, EMPTY, RING_WEIGHTS, score)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, "k is 0"),
        ({"k": 1, "sense": "most"}, "sense is 'most'"),
        ({"k": 1, "weights": np.zeros((4, 4), dtype=int)}, "the weights have the shape (4, 4) instead of (9, 9)"),
        ({"k": 1, "box": (2, 2)}, "the grid has the shape (9, 9) instead of (4, 4)"),
        ({"k": 1, "timeout": -1}, "timeout is -1"),
        ({"k": 1, "max_nodes": -1}, "max_nodes is -1"),
    ],
)
def test_wrong_arguments_of_rank(arguments: dict[str, object], message: str) -> None:
    """What is wrong is named."""
    with pytest.raises(ValueError, match=re.escape(message)):
        rank(EMPTY, **arguments)  # type: ignore[arg-type]


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
def test_batches_are_what_each_grid_is(threads: int) -> None:
    """Scores, completions and flags of a batch are those of its grids one by one, in their order, in any shape."""
    batch = best_many(MIXED.reshape(-1, 81), threads=threads)
    assert [array.dtype for array in (batch.scores, batch.completions, batch.proven)] == ["int64", "uint8", "bool"]
    assert batch.completions.shape == (len(MIXED), 81)
    assert batch.scores.tolist() == [best(grid).score for grid in MIXED]
    assert batch.proven.all()
    assert not batch.interrupted
    for grid, score, completion in zip(MIXED, batch.scores.tolist(), batch.completions, strict=True):
        if score == -1:
            assert not completion.any()
        else:
            check(completion.reshape(9, 9), grid, RING_WEIGHTS, score)
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
        assert (batch.scores.shape, batch.completions.shape, batch.proven.shape) == ((0,), (0, 81), (0,))


def test_a_timeout_holds_for_each_grid() -> None:
    """No time at all: what is easy is proven all the same, and the rest is what was found on the way, unproven."""
    batch = best_many([EMPTY, FULL, EMPTY], timeout=0)
    assert batch.proven.tolist() == [False, True, False]
    assert batch.scores[1] == best(FULL).score
    for score, completion in zip(batch.scores.tolist(), batch.completions, strict=True):
        check(completion.reshape(9, 9), EMPTY, RING_WEIGHTS, score)


@pytest.mark.parametrize(
    ("grids", "message"),
    [
        (np.zeros((3, 80), dtype=int), "the grids have the shape (3, 80) instead of (m, 81) or (m, 9, 9)"),
        (np.zeros((9, 9), dtype=int), "the grids have the shape (9, 9) instead of"),
        (np.zeros(81, dtype=int), "the grids have the shape (81,) instead of"),
        (5, "the grids have the shape () instead of"),
        (np.zeros((3, 81)), "the grids have the type float64 instead of whole numbers"),
        ([["1"] * 81], "instead of whole numbers"),
        ([[0] * 81, [0] * 80], "grids[1] has the shape (80,) instead of (81,) or (9, 9)"),
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
assert (batch.completions[done].astype(int).sum(axis=1) == 405).all()
print("the program goes on")
"""


@pytest.mark.parametrize("threads", ["1", "2"])
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
