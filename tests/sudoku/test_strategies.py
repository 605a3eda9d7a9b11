"""The strategies agree with the reference, with each other and with the known answers, and stop at their limits."""

from __future__ import annotations

import sys
from operator import attrgetter

import numpy as np
import pytest
from commands import Terminal
from hypothesis import given, settings
from hypothesis import strategies as st
from known_grids import EMPTY, FULL, KNOWN, RINGS, UNSOLVABLE, Grid, Known, Weights, check
from plain_grids import shuffled
from seeds import Nightly, tries

from dlx import Progress, reference
from sudoku.encoding import decode, encode
from sudoku.strategies import STRATEGIES, Result, kernel_of
from sudoku.target import Sense, best

MANY = 1 << 60
KERNELS = ["brute", "rows", "static", "dynamic"]
COUNTING = ["brute", "dynamic", "dlx"]
SAMPLE, NOTHING = KNOWN["sample1"].grid, UNSOLVABLE["no candidate for a cell"]

every = pytest.mark.parametrize("name", STRATEGIES)
enumerating = pytest.mark.parametrize("name", [*KERNELS, "dlx"])  # they come upon one completion after the other


@st.composite
def weight_tables(draw: st.DrawFn) -> Weights:
    """The rings, their negatives, zeros, small and large random tables, and tables where a single cell stands out."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    lone = rng.integers(-3, 4, (9, 9))
    lone[tuple(rng.integers(0, 9, 2))] = draw(st.sampled_from([-500, 50, 2**40]))
    tables = [RINGS, -RINGS, 0 * RINGS, rng.integers(-9, 10, (9, 9)), rng.integers(-(2**40), 2**40, (9, 9)), lone]
    return np.array(draw(st.sampled_from(tables)), dtype=np.int64)


@st.composite
def punctured_grids(draw: st.DrawFn, most: int) -> Grid:
    """Completed grids without two of the digits and without up to `most` more cells: two completions or more."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    grid = shuffled(FULL, rng)
    grid[np.isin(grid, (1, 2))] = 0
    grid[tuple(rng.integers(0, 9, (2, draw(st.integers(0, most)))))] = 0
    return grid


def check_completion(result: Result, grid: Grid, weights: Weights) -> None:
    """Checks that the completion is one, keeps the givens and has its score."""
    assert result.completion is not None
    assert not result.completion.flags.writeable
    check(result.completion, grid, weights, result.score)


@settings(max_examples=tries(25))
@given(grid=punctured_grids(most=10), weights=weight_tables())
def test_reference_agrees(grid: Grid, weights: Weights) -> None:
    """Score and completions are those of all the covers that the reference lists."""
    problem = encode(grid)
    completions = [decode(problem, cover).astype(np.int64) for cover in reference.covers(problem)]
    scores = [int((completion * weights).sum()) for completion in completions]
    for name, strategy in STRATEGIES.items():
        result = strategy(grid, weights)
        assert result.strategy == name
        assert result.proven
        assert result.stopped is None
        assert result.score == max(scores)
        check_completion(result, grid, weights)
        if name in COUNTING:
            assert result.completions == len(scores)
        elif result.completions is not None:  # a strategy with a bound cuts
            assert 1 <= result.completions <= len(scores)


@every
@pytest.mark.parametrize(
    "known", [known for known in KNOWN.values() if (known.completions or 0) < 10**5], ids=attrgetter("name")
)
def test_known_answers(known: Known, name: str) -> None:
    """Every strategy finds the known best score, or is stopped by the limit with no more than that."""
    result = STRATEGIES[name](known.grid, RINGS, max_nodes=3_000_000 if Nightly.on or name == "dlx" else 300_000)
    assert result.proven == (result.stopped is None)
    assert result.score == known.best if result.proven else result.score is None or result.score <= known.best
    assert (result.completion is None) == (result.score in (-1, None))
    assert result.score != -1 or result.proven
    assert result.proven or ((name != "dlx" or known.completions is None) and not known.name.startswith("sample"))
    if result.proven and name in COUNTING and known.completions is not None:
        assert result.completions == known.completions


@every
@pytest.mark.parametrize("kind", UNSOLVABLE)
def test_unsolvable(kind: str, name: str) -> None:
    """A grid without completions has the score -1, and that is proven."""
    grid = UNSOLVABLE[kind]
    result = STRATEGIES[name](grid, RINGS)
    assert (result.score, result.completion, result.proven, result.stopped) == (-1, None, True, None)
    if name in COUNTING:
        assert result.completions == 0


@enumerating
@pytest.mark.usefixtures("ticking")
def test_timeout(name: str) -> None:
    """A timeout stops the search with the best so far; a timeout of 0 stops it at once."""
    result = STRATEGIES[name](EMPTY, RINGS, timeout=1)
    assert (result.stopped, result.proven) == ("timeout", False)
    check_completion(result, EMPTY, RINGS)
    result = STRATEGIES[name](EMPTY, RINGS, timeout=0)
    assert (result.stopped, result.score, result.nodes) == ("timeout", None, 0)


@every
@pytest.mark.parametrize("sense", ["max", "min"])
def test_nothing_is_known_before_the_first_completion(name: str, sense: Sense) -> None:
    """The score is -1 only where that is proven: a search that is stopped at once has None, whatever the grid."""
    for grid in (SAMPLE, NOTHING):
        for weights in (RINGS, -RINGS):
            result = best(grid, weights=weights, strategy=name, sense=sense, max_nodes=0)
            assert (result.score, result.completion) == (-1 if result.proven else None, None)
    assert best(SAMPLE, strategy=name, sense=sense, max_nodes=0).score is None
    assert best(NOTHING, strategy=name, sense=sense).score == -1


@enumerating
def test_max_nodes_exactly(name: str) -> None:
    """As many nodes as the search needs are enough for the proof, and one less are not."""
    nodes = STRATEGIES[name](SAMPLE, RINGS).nodes
    enough = STRATEGIES[name](SAMPLE, RINGS, max_nodes=nodes)
    assert (enough.proven, enough.score, enough.nodes) == (True, 2829, nodes)
    short = STRATEGIES[name](SAMPLE, RINGS, max_nodes=nodes - 1)
    assert (short.proven, short.stopped, short.nodes) == (False, "max_nodes", nodes - 1)


@enumerating
@pytest.mark.posix
def test_interrupt_keeps_the_few(name: str) -> None:
    """Ctrl-C keeps completions of which there were too few to fill a block."""
    calls = 0

    def interrupt(seen: Progress) -> None:
        nonlocal calls
        calls += 1
        if seen.covers:
            raise KeyboardInterrupt

    result = STRATEGIES[name](KNOWN["r24_4"].grid, RINGS, progress=interrupt)
    assert calls > 0
    assert result.completion is not None
    check_completion(result, KNOWN["r24_4"].grid, RINGS)


@every
def test_progress_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line of `progress=True` is erased at the end."""
    for constant in ("PATIENCE", "REFRESH"):
        monkeypatch.setattr(f"dlx.engine.line.{constant}", 0.0)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    STRATEGIES[name](KNOWN["r24_4"].grid, RINGS, progress=True)
    assert "100.00%" in terminal.getvalue()
    assert terminal.getvalue().endswith(" \r")


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("budget", [0, 1, 7])
def test_resumable(name: str, budget: int) -> None:
    """A kernel stopped every few nodes visits what it visits in one go; without a budget it stays where it is."""
    result = STRATEGIES[name](KNOWN["sample2"].grid, RINGS)
    kernel = kernel_of(name, KNOWN["sample2"].grid.ravel().astype(np.int32), RINGS.ravel())
    if budget == 0:
        assert kernel.run(0, MANY, MANY) == kernel.run(0, MANY, MANY) == 2
        assert kernel.nodes == 0
        return
    while kernel.run(budget, MANY, MANY):
        pass
    assert kernel.run(budget, MANY, MANY) == 0
    assert (kernel.nodes, kernel.score, kernel.covers) == (result.nodes, result.score, result.completions)
    assert result.completion is not None
    assert np.array_equal(kernel.completion(), result.completion)
