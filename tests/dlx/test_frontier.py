"""The best covers of problems with a narrow frontier, against enumeration and diagrams."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gates import FAMILIES, weighted
from seeds import for_seeds

from dlx import Coloured, Problem, best, diagram
from dlx.engine.limits import never
from dlx.optimum import frontier
from dlx.optimum.frontier import Frontier
from dlx.problem.problem import Item


def chain(seed: int, positions: int = 60, colours: int = 5, options: int = 1_200) -> Problem:
    """Pieces of one to three positions with coloured ends, which have to agree where two pieces meet."""
    rng = np.random.default_rng(seed)
    pieces: list[list[Item | Coloured]] = []
    for k in range(options):
        size = int(rng.integers(1, 4)) if k >= positions else 1
        first = int(rng.integers(0, positions - size + 1)) if k >= positions else k
        ends = rng.integers(0, colours, 2).tolist() if k >= positions else [0, 0]
        gaps = [Coloured(("gap", first), ends[0]), Coloured(("gap", first + size), ends[1])]
        pieces.append([*range(first, first + size), *gaps])
    gaps_ = [("gap", p) for p in range(positions + 1)]
    weights = rng.integers(1, 1000, options).tolist()
    return Problem.from_options(pieces, items=range(positions), secondary=gaps_, weights=weights)


@pytest.mark.parametrize("sense", ["max", "min"])
@pytest.mark.parametrize("k", [1, 5])
def test_a_chain_with_colours_is_proven(sense: str, k: int) -> None:
    """Prices see no colours and leave such a chain open for seconds; layers find its best covers."""
    problem = chain(seed=len(sense) + k)
    result = best(problem, sense, k, max_nodes=60_000)  # type: ignore[arg-type]
    assert result.proven
    assert [cover.score for cover in result.covers] == [
        cover.score
        for cover in diagram(problem).best(sense=sense, k=k)  # type: ignore[arg-type]
    ]


@pytest.mark.parametrize("family", FAMILIES)
@for_seeds(60)
def test_the_answers_of_enumeration(family: str, seed: int) -> None:
    """The k best covers of random problems of each kind, whose options may have been chosen or left out."""
    rng = np.random.default_rng([seed, len(family), 77])
    problem, known = weighted(rng, family)
    narrow = Frontier(problem.rows(), 60.0)
    if math.isinf(narrow.work):
        assert problem.multiplicities is not None or not len(problem.rows().indices) or not problem.rows().n_primary
        return
    weights = rng.integers(-99, 99, problem.n_options)
    k = int(rng.integers(1, 5))
    found = narrow.best(weights, k, never)
    assert found is not None
    assert len({*found}) == len(found) == min(k, len(known))
    assert all(cover in known for cover in found)
    scores = [int(weights[list(cover)].sum()) for cover in known]
    assert [int(weights[list(cover)].sum()) for cover in found] == sorted(scores, reverse=True)[:k]


def test_a_wide_frontier_is_left_to_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many bits, many states, a limit, and multiplicities."""
    rows = chain(0).rows()
    weights = np.zeros(rows.n_options, dtype=np.int64)
    assert math.isinf(Frontier(rows, 3.0).work)
    assert math.isinf(Frontier(Problem.from_options(["a"], multiplicities={"a": 2}).rows(), 60.0).work)
    narrow = Frontier(rows, 20.0)
    assert narrow.work < 10_000_000
    assert narrow.best(weights, 1, never)
    assert narrow.best(weights, 1, lambda: True) is None
    monkeypatch.setattr(frontier, "STATES", 3)
    assert narrow.best(weights, 1, never) is None
