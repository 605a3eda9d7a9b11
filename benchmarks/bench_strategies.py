"""Times the strategies for target sudoku on grids with 0 to some millions of completions, and checks their answers.

Each has LIMIT seconds for a grid; one that does not finish is recorded as such, with what it had found. A grid that is
done within PILOT seconds is done several times, to be rid of noise.
"""

from __future__ import annotations

from functools import partial

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from sudoku_instances import INSTANCES, RINGS

from sudoku.strategies import STRATEGIES

LIMIT = 10.0
PILOT = 1.0


@pytest.mark.parametrize("name", INSTANCES)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_strategy(benchmark: BenchmarkFixture, strategy: str, name: str) -> None:
    """The strategy finds the known best score, unless the limit stops it."""
    instance = INSTANCES[name]
    solve = partial(STRATEGIES[strategy], instance.grid, RINGS)
    pilot = solve(timeout=PILOT)
    rounds = max(3, min(20, int(PILOT / pilot.seconds))) if pilot.proven else 1
    result = benchmark.pedantic(partial(solve, timeout=LIMIT), rounds=rounds)  # type: ignore[no-untyped-call]
    benchmark.extra_info |= {
        "instance": name,
        "givens": instance.givens,
        "completions": instance.completions,
        "best": instance.best,
        "strategy": strategy,
        "limit": LIMIT,
        "finished": result.proven,
        "score": result.score,
        "visited": result.completions,
        "nodes": result.nodes,
    }
    assert result.score == instance.best if result.proven else result.score <= instance.best
    if result.proven and result.ties is not None:
        assert result.completions == instance.completions
