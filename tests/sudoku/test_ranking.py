"""The k best completions and ties: against the known answers, the reference and enumeration."""

from __future__ import annotations

from operator import attrgetter
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_grids import EMPTY, KNOWN, Box, Grid, Known, Weights, check
from seeds import tries

from dlx import reference
from sudoku import RING_WEIGHTS, best, decode, encode, rank, ring_weights, ties

Sense = Literal["max", "min"]

both = pytest.mark.parametrize("sense", ["max", "min"])


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
@given(small_grids(), st.integers(1, 12), st.sampled_from(["max", "min"]))
def test_rank_and_ties_by_the_reference(case: tuple[Grid, Box, Weights], k: int, sense: Sense) -> None:
    """The k best scores, or all if they are fewer, and how many share each, are those of all covers listed."""
    grid, box, weights = case
    problem = encode(grid, box)
    completions = [decode(problem, cover).astype(np.int64) for cover in reference.covers(problem)]
    scores = sorted((int((completion * weights).sum()) for completion in completions), reverse=sense == "max")
    ranking = rank(grid, k, sense=sense, weights=weights, layout=box)
    assert ranking.scores.tolist() == scores[:k]
    assert (ranking.proven, ranking.stopped) == (True, None)
    assert ranking.bound == (scores[0] if scores else None)
    assert len({completion.tobytes() for completion in ranking.completions}) == len(scores[:k])
    for completion, score in zip(ranking.completions, scores, strict=False):
        check(completion, grid, weights, score, box)
    for score in ranking.scores.tolist():
        good = sum(other >= score if sense == "max" else other <= score for other in scores)
        count = ties(grid, score, sense=sense, weights=weights, layout=box)
        assert (count.covers, count.exhausted) == (good, True)
    one = best(grid, sense=sense, weights=weights, layout=box)
    assert (one.score, one.bound) == ((scores[0], scores[0]) if scores else (-1, None))


def test_ties_up_to_a_limit() -> None:
    """The empty grid has more ties than anybody can count; a limit or a timeout stops the count and says so."""
    count = ties(EMPTY, 2906, max_covers=5000)
    assert (count.covers, count.stopped) == (5000, "max_covers")
    late = ties(EMPTY, 2906, timeout=0.05)
    assert late.stopped == "timeout"


def test_rank_keeps_what_a_limit_leaves() -> None:
    """With too few nodes for a proof, the best completions so far and a bound on what is better."""
    ranking = rank(EMPTY, 3, max_nodes=160)
    assert (ranking.proven, ranking.stopped) == (False, "max_nodes")
    assert ranking.bound is not None
    assert ranking.bound >= 2906
    for completion, score in zip(ranking.completions, ranking.scores.tolist(), strict=True):
        check(completion, EMPTY, RING_WEIGHTS, score)
