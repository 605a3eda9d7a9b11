"""Target sudoku: the weights, the score, the best completions, against enumeration; many grids."""

from __future__ import annotations

import re
from operator import attrgetter
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_grids import EASY, EMPTY, FULL, KNOWN, RINGS, UNSOLVABLE, Box, Grid, Known, Weights, check
from plain_grids import drawn
from seeds import tries

import sudoku
from dlx import reference
from sudoku import (
    RING_WEIGHTS,
    best,
    best_many,
    count_many,
    decode,
    encode,
    read_weights,
    ring_weights,
    score,
    to_boxed,
)
from sudoku.setting.random_grids import RandomGrids


def test_only_seventeen_cells_matter() -> None:
    """The score of a completion is 2745 + 2 x the corners + the rest of the four 2x2 corner blocks + the centre."""
    for grid in RandomGrids(1).draw(2_000).reshape(-1, 9, 9).astype(int):
        corners, blocks = grid[::8, ::8].sum(), grid[np.ix_([0, 1, 7, 8], [0, 1, 7, 8])].sum()
        assert score(grid) == (grid * RINGS).sum() == 2745 + corners + blocks + grid[4, 4]


def test_ring_weights() -> None:
    """The weights are 6 on the border and one more on each ring inwards, up to 10 in the centre of nine rows."""
    assert np.array_equal(RING_WEIGHTS, RINGS)
    assert RING_WEIGHTS.dtype == np.int64
    assert not RING_WEIGHTS.flags.writeable
    assert ring_weights(9) is RING_WEIGHTS
    assert ring_weights(4).tolist() == [[6, 6, 6, 6], [6, 7, 7, 6], [6, 7, 7, 6], [6, 6, 6, 6]]


def test_weights_from_a_file(tmp_path: Path) -> None:
    """A file has a line for each row, signs, comments, empty lines and a byte order mark if need be."""
    path = tmp_path / "weights.txt"
    text = "\n".join(" ".join(map(str, row)) for row in RING_WEIGHTS.tolist())
    path.write_text(f"\ufeff# rings\n\n{text.replace('10', '-10 # centre', 1).replace('7', '+7')}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(f"{path}:7: there are 5 weights instead of 9")):
        read_weights(path)
    path.write_text(f"\ufeff# rings\n\n{text.replace('10', '-10').replace('7', '+7')} # end\n", encoding="utf-8")
    weights = read_weights(path)
    assert weights[4, 4] == -10
    assert np.array_equal(np.abs(weights), RING_WEIGHTS)


@pytest.mark.posix
def test_weights_without_an_end() -> None:
    """A file that never ends is refused after so many characters, in bounded memory."""
    with pytest.raises(ValueError, match="/dev/zero:1: the line has at least 65536 characters"):
        read_weights("/dev/zero")


def test_scores_by_the_rings_of_the_grid() -> None:
    """Without weights a score is by the ring weights of the grid's own size, whatever it comes as."""
    ones = np.full((9, 9), 1)
    assert score(ones) == score(ones.ravel()) == score(ones.tolist()) == int(ring_weights(9).sum())
    assert score(to_boxed(16 * "1", (2, 2)), layout=(2, 2)) == 100
    assert score(16 * "1", layout=(2, 2)) == int(ring_weights(4).sum())
    (puzzle,) = sudoku.read([16 * "1"], layout=(2, 2))
    assert isinstance(puzzle, sudoku.Puzzle)
    assert score(puzzle) == score(puzzle, ring_weights(4)) == int(ring_weights(4).sum())


# The best


Sense = Literal["max", "min"]


@pytest.mark.parametrize("known", KNOWN.values(), ids=attrgetter("name"))
def test_every_known_grid_is_proven(known: Known) -> None:
    """Each grid of the data file, the empty one among them, is right and proven, with a bound that is the score."""
    result = best(known.grid)
    assert (result.score, result.proven, result.stopped) == (known.best, True, None)
    assert result.strategy in ("bands", "bound")
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
    assert result.score is None or result.score <= known.best
    assert result.proven == (result.stopped is None)
    assert result.score == known.best if result.proven else result.bound is not None and result.bound >= known.best
    if result.completion is not None:
        check(result.completion, known.grid, RING_WEIGHTS, result.score)


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


@settings(max_examples=tries(60))
@given(small_grids(), st.sampled_from(["max", "min"]))
def test_best_by_the_reference(case: tuple[Grid, Box, Weights], sense: Sense) -> None:
    """The best score and the bound are those of all covers listed."""
    grid, box, weights = case
    problem = encode(grid, box)
    completions = [decode(problem, cover).astype(np.int64) for cover in reference.covers(problem)]
    scores = sorted((int((completion * weights).sum()) for completion in completions), reverse=sense == "max")
    one = best(grid, sense=sense, weights=weights, layout=box)
    assert (one.score, one.bound) == ((scores[0], scores[0]) if scores else (-1, None))


# Many grids


FEW = [drawn(np.random.default_rng(seed), few=12).reshape(9, 9) for seed in range(48)]
TARGETS = np.stack([*EASY, *FEW, FULL, *UNSOLVABLE.values()])


def test_batches_are_what_each_grid_is() -> None:
    """Scores and completions of a batch are those of its grids one by one, in their order, in any shape."""
    batch = best_many(TARGETS.reshape(-1, 81))
    assert [array.dtype for array in (batch.scores, batch.completions, batch.proven)] == ["int64", "uint8", "bool"]
    assert batch.scores.tolist() == [best(grid).score for grid in TARGETS]
    assert batch.proven.all()
    for grid, reached, completion in zip(TARGETS, batch.scores.tolist(), batch.completions, strict=True):
        if reached == -1:
            assert not completion.any()
        else:
            check(completion, grid, RING_WEIGHTS, reached)
    assert best_many(TARGETS.tolist()).scores.tolist() == batch.scores.tolist()
    weights = np.random.default_rng(1).integers(-5, 6, (9, 9))
    expected = [best(grid, weights=weights).score for grid in TARGETS[:30]]
    assert best_many(TARGETS[:30], weights=weights).scores.tolist() == expected


def test_a_timeout_holds_for_each_grid() -> None:
    """With a timeout of 0, easy grids are proven, and the others have no score."""
    batch = best_many([EMPTY, FULL, EMPTY], timeout=0)
    assert batch.proven.tolist() == [False, True, False]
    assert batch.scores.tolist() == [-1, best(FULL).score, -1]
    assert not batch.completions[[0, 2]].any()


@pytest.mark.parametrize("layout", [(3, 3), (2, 2)])
def test_limits_hold_for_all_grids(layout: tuple[int, int]) -> None:
    """A limit of all grids together ends a count, and what was counted by then is right."""
    grids = np.zeros((40, (layout[0] * layout[1]) ** 2), dtype=np.uint8)
    for limit in ({"max_covers": 900}, {"max_nodes": 900}, {"timeout": 0}, {"max_covers": 50}):
        found = count_many(grids, 100, layout, **limit)  # type: ignore[arg-type]
        assert found.stopped == next(iter(limit))
        assert set(found.counts.tolist()) <= {-1, 100}
        assert -1 in found.counts
    assert count_many(grids, 100, layout, max_covers=4000).counts.tolist() == [100] * 40


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_a_progress_that_stops(error: type[BaseException]) -> None:
    """A `progress` that raises KeyboardInterrupt ends the batch as Ctrl-C does; another error is the caller's."""

    def progress(_: object) -> None:
        raise error

    if error is KeyboardInterrupt:
        batch = best_many([FULL, EMPTY, EMPTY], progress=progress)
        assert batch.interrupted
        assert batch.proven.tolist() == [True, False, False]
    else:
        with pytest.raises(error):
            best_many([FULL, EMPTY, EMPTY], progress=progress)
