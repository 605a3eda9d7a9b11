"""The best covers of problems with a narrow frontier, against enumeration and diagrams."""

from __future__ import annotations

import numpy as np
import pytest
from gates import FAMILIES, weighted
from seeds import for_seeds
from weighted import compare

from dlx import Coloured, Problem, best, diagram
from dlx.optimum import by_layers
from dlx.optimum.parameters import TUNED
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
    result = best(problem, sense, k, max_nodes=60_000, max_covers=30_000)  # type: ignore[arg-type]
    assert result.proven
    assert [cover.score for cover in result.covers] == [
        cover.score
        for cover in diagram(problem).best(sense=sense, k=k)  # type: ignore[arg-type]
    ]


@pytest.mark.parametrize("family", FAMILIES)
@for_seeds(60)
def test_the_answers_of_enumeration(family: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Layers find the k best covers of random problems of each kind, whose options may have been chosen or left out."""
    rng = np.random.default_rng([seed, len(family), 77])
    problem, known = weighted(rng, family)
    for name, value in {"probe": 0, "long_probe": 0, "first_restart": 1}.items():
        monkeypatch.setitem(vars(TUNED), name, value)
    for name, gate in {"LAYER_OPTION": 0, "LAYER_UPDATE": 0.001, "FRONT_BITS": 60.0}.items():
        monkeypatch.setattr(by_layers, name, gate)
    k = int(rng.integers(1, 5))
    result = best(problem, k=k)
    assert result.proven
    compare(result, known, 1, k)


@pytest.mark.parametrize("name", ["FRONT_BITS", "LAYER_BYTES"])
def test_a_wide_frontier_is_left_to_prices(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wide front, and one whose states take too much memory."""
    monkeypatch.setattr(by_layers, "LAYER_OPTION", 0)  # at once
    monkeypatch.setattr(by_layers, name, 0)
    result = best(chain(0), max_nodes=2_000)
    assert not result.proven
    assert result.stopped == "max_nodes"
