"""Problems with weights of every kind, and problems on which a search for the best cover is hard to end."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
from cuts import derived
from oracle import is_cover

from dlx import Best, Problem, Progress, best, reference
from dlx.optimum.cuts import MANY

Score = int | float
Scored = list[tuple[Score, tuple[int, ...]]]
Draw = Callable[[np.random.Generator, Problem], Sequence[Score]]


def huge(rng: np.random.Generator, problem: Problem) -> list[int]:
    """Weights whose largest sum is just below 2**62."""
    most = (2**62 - 1) // max(1, problem.n_primary)
    return [int(rng.choice([-most, most, int(rng.integers(-most, most))])) for _ in range(problem.n_options)]


WEIGHTS: dict[str, Draw] = {
    "zero": lambda rng, p: [0] * p.n_options,
    "equal": lambda rng, p: [int(rng.integers(-5, 6))] * p.n_options,
    "few": lambda rng, p: (rng.integers(0, 3, p.n_options) * 1000 - 700).tolist(),
    "negative": lambda rng, p: rng.integers(-99, 0, p.n_options).tolist(),
    "small": lambda rng, p: rng.integers(-9, 10, p.n_options).tolist(),
    "large": lambda rng, p: rng.integers(-(2**50), 2**50, p.n_options).tolist(),
    "huge": huge,
    "real": lambda rng, p: rng.normal(size=p.n_options).tolist(),
    "tiny": lambda rng, p: (rng.normal(size=p.n_options) * 1e-290).tolist(),
    "vast": lambda rng, p: (rng.uniform(-1, 1, size=p.n_options) * 1.7e308 / max(1, p.n_primary)).tolist(),
    "mixed": lambda rng, p: (rng.integers(-3, 4, p.n_options) * 10.0 ** rng.integers(-9, 9, p.n_options)).tolist(),
}


def possible(kind: str, weights: str) -> bool:
    """Returns whether the scores of covers with such weights fit, where options of one item add up."""
    return kind in ("plain", "coloured") or weights not in ("huge", "vast")


def random_case(rng: np.random.Generator, weights: str, kind: str = "plain") -> tuple[Problem, Scored]:
    """A small problem of a kind, perhaps derived, with weights of a kind, and its covers with their scores."""
    return scored(derived(rng, kind), WEIGHTS[weights], rng)


def scored(problem: Problem, draw: Draw, rng: np.random.Generator) -> tuple[Problem, Scored]:
    """The problem with weights, and its covers with their scores."""
    weights = draw(rng, problem)
    whole = all(isinstance(w, int) for w in weights)
    add: Callable[..., Any] = sum if whole else math.fsum
    found = [(add(weights[o] for o in cover), cover) for cover in reference.covers(problem)]
    array: Any = np.array(weights, dtype=np.int64 if whole else np.float64)
    return replace(problem, weights=array), found


def stuck(size: int = MANY + 1) -> Problem:
    """Pairs off two odd groups; a pair in a group weighs 1, a mixed one 0.

    Some pair must be mixed, which no price knows: the bound stays at `size`, the best score is one less, and the proof
    would visit the ways to pair an odd group off, of which there are none and very many attempts. That is so unless one
    more item says it, and groups of this size are too large for that.
    """
    people = [(group, k) for group in range(2) for k in range(size)]
    pairs = list(combinations(people, 2))
    return Problem.from_options(pairs, weights=[int(a == b) for (a, _), (b, _) in pairs])


def compare(result: Best, known: Mapping[tuple[int, ...], Score], sign: int, k: int) -> None:
    """Checks a result against all covers: it has the k best, sorted, each once; or its bound is valid."""
    scores = sorted((sign * score for score in known.values()), reverse=True)
    found, tolerance = [sign * cover.score for cover in result.covers], 2 * result.tolerance
    assert found == sorted(found, reverse=True)
    assert {cover.options for cover in result.covers} <= known.keys()
    assert len({cover.options for cover in result.covers}) == len(found)
    if result.proven:
        assert len(found) == min(k, len(scores))
        assert all(abs(a - b) <= tolerance for a, b in zip(found, scores, strict=False)), (found, scores[:k])
        assert result.bound == result.score == (sign * found[0] if found else None)
    elif scores:
        assert result.bound is not None
        assert sign * result.bound >= scores[0] - (tolerance or 0)  # of whole ones as they are, without rounding


def watched(
    problem: Problem, highest: Score, sense: Literal["max", "min"] = "max", **given: Any
) -> tuple[Best, list[Progress]]:
    """Returns the result and all reports; checks that bounds and scores are valid and never get worse."""
    sign = 1 if sense == "max" else -1
    seen: list[Progress] = []
    result = best(problem, sense, progress=seen.append, **given)
    moments: list[Progress | Best] = [*seen, result]
    for at in moments:
        assert at.bound is not None
        assert sign * at.bound >= sign * highest - result.tolerance
        assert at.score is None or sign * at.score <= sign * highest + result.tolerance
    scores = [sign * at.score for at in seen if at.score is not None]
    bounds = [sign * at.bound for at in seen if at.bound is not None]
    assert (scores, bounds) == (sorted(scores), sorted(bounds, reverse=True))
    if result.proven:
        assert result.score is not None
        assert result.score == result.bound
        assert sign * result.score >= sign * highest - result.tolerance
    assert all(is_cover(problem, cover.options) for cover in result.covers)
    assert result.proven == (result.stopped is None)
    return result, seen
