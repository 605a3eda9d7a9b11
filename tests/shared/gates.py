"""Problems with weights of every kind: small ones on which `best` uses all its mechanisms, and one hard to end."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise, product
from typing import Any, Literal

import numpy as np
import pytest
from families import beside
from oracle import KINDS, derived, is_cover, random_problem

from dlx import Best, Coloured, Problem, Progress, best, reference
from dlx.engine import limits
from dlx.optimum.cuts import MANY
from dlx.optimum.parameters import TUNED

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
    # Sums of real scores and bounds of parts are rounded.
    assert all(a <= b + result.tolerance for a, b in pairwise(scores))
    assert all(a >= b - result.tolerance for a, b in pairwise(bounds))
    if result.proven:
        assert result.score is not None
        assert result.score == result.bound
        assert sign * result.score >= sign * highest - result.tolerance
    assert all(is_cover(problem, cover.options) for cover in result.covers)
    assert result.proven == (result.stopped is None)
    return result, seen


Chosen = tuple[int, ...]
GATES: dict[str, list[Any]] = {  # the values of each parameter for a small problem to have everything
    "probe": [0],
    "long_probe": [0],
    "first_restart": [1, 3],
    "rounds": [0, 1, 3],
    "root_sweeps": [2, 8],
    "pivots": [0, 8],
    "pairing": [1, 100, 10**9],
    "pairing_nodes": [0],
    "pairing_sweeps": [0, 10**5],
    "diving": [1, 32],
    "at_once": [1, 30],
    "cut_sweeps": [1, 20],
    "cut_rounds": [0, 12],
    "support": [1e-9, 0.02],
    "clique": [0.01, 0.5, 1.02],
    "violation": [-99.0, -0.5, 0.1],
}
CONSTANTS: dict[str, list[Any]] = {  # the same for constants of modules
    "root.ADDING_GAIN": [-9.0, 0.003],
    "root.EARLY": [0, 400],
    "search.EARLY_OPTIONS": [1, 60],
    "root.EARLY_SWEEPS": [0, 2],
    "root.EARLY_ROUNDS": [0, 4],
    "root.PROGRAM_LEVELS": [0, 1, 3, 40],
    "schedule.NEAR_END": [0, 30],
    "by_layers.FRONT_BITS": [0.0, 60.0],
    "by_layers.LAYER_OPTION": [0, 2_000],
    "by_layers.LAYER_UPDATE": [1, 32],
    "search.HIGHER": [1, 6],
    "search.LATE": [0, 100_000_000],
    "neighbourhoods.AFTER": [0, 10_000_000],
    "neighbourhoods.SHARE": [0.05, 0.9],
    "neighbourhoods.UPDATES": [1, 50, 3_000_000],
    "root.PRICE_BYTES": [1, 500, 1 << 28],
    "cuts.COMMON": [1, 8],
    "sweeping.SWEPT": [1, 1 << 21],
    "components.WIDEST": [0, 128],
    "components.PATIENCE": [1, 1 << 17],
    "components.FIRST_NODES": [1, 5000],
    "components.BUFFER": [1, 1 << 20],
    "cuts.UNDECIDED": [0.0, 0.01],
}


def with_low_gates(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    """Lowers thresholds, so that even small problems use every mechanism, and slices end after few nodes."""
    for name, values in GATES.items():
        monkeypatch.setitem(vars(TUNED), name, values[rng.integers(len(values))])
    for name, values in CONSTANTS.items():
        monkeypatch.setattr(f"dlx.optimum.{name}", values[rng.integers(len(values))])
    in_slices(monkeypatch, int(rng.choice([1, 5, 50])))


def in_slices(monkeypatch: pytest.MonkeyPatch, nodes: int) -> None:
    """Makes kernels run for this number of nodes at a time."""
    for name, value in {"FIRST_STEP": nodes, "LEAST_STEP": nodes, "SLICE": 0.0}.items():
        monkeypatch.setattr(limits, name, value)


def matching(rng: np.random.Generator) -> Problem:
    """Six or eight people, often in two odd groups that few pairs join."""
    n = 2 * int(rng.integers(3, 5))
    group = n // 2 - (n // 2 + 1) % 2
    pairs = [(a, b) for a, b in combinations(range(n), 2) if (a < group) == (b < group) or rng.random() < 0.4]
    return Problem.from_options(pairs, items=range(n))


def tiling(rng: np.random.Generator) -> Problem:
    """Some of the placements of the trominoes on three rows, and now and then cells that may be left empty."""
    cells = list(product(range(3), range(int(rng.integers(4, 7)))))
    beside = {c: [d for d in cells if abs(c[0] - d[0]) + abs(c[1] - d[1]) == 1] for c in cells}
    shapes = sorted({tuple(sorted((c, *two))) for c in cells for two in combinations(beside[c], 2)})
    some = [shapes[k] for k in np.sort(rng.permutation(len(shapes))[: int(rng.integers(20, 70))])]
    return Problem.from_options(some, items=cells, secondary=cells[-3:] if rng.random() < 0.5 else [])


def of_degrees(rng: np.random.Generator) -> Problem:
    """A subgraph of a small graph, whose vertices have degrees in ranges."""
    n = int(rng.integers(4, 7))
    edges = [edge for edge in combinations(range(n), 2) if rng.random() < 0.8][:9]
    ranges = np.sort(rng.integers(0, 4, (n, 2)), axis=1)
    return Problem.from_options(
        edges, items=range(n), multiplicities={i: (int(a), int(b) + 1) for i, (a, b) in enumerate(ranges)}
    )


def some_of_many(rng: np.random.Generator) -> Problem:
    """Options of an item with a multiplicity, some of them with another item."""
    n = int(rng.integers(3, 12))
    options = ["ab"[: int(rng.integers(1, 3))] for _ in range(n)]
    wanted = {"a": int(rng.integers(1, n + 1)), "b": (int(rng.integers(0, 2)), int(rng.integers(1, 4)))}
    return Problem.from_options(options, items="ab", multiplicities=wanted)  # type: ignore[arg-type]


def again(rng: np.random.Generator) -> Problem:
    """Options of few items, each several times, which get other weights."""
    options = [tuple(sorted(rng.choice(7, size=rng.integers(1, 4), replace=False).tolist())) for _ in range(14)]
    return Problem.from_options([options[k] for k in rng.integers(0, 14, 40)], items=range(7))


def sites(rng: np.random.Generator) -> Problem:
    """A few sites, each of one of three kinds or of none, and customers, each served by some kinds of site."""
    some = range(int(rng.integers(2, 4)))
    kinds = {site: [*range(int(rng.integers(1, 4))), "none"] for site in some}
    options: list[list[Any]] = [
        [("site", s), Coloured(s, kind)] for s in some for kind in kinds[s] if rng.random() < 0.9
    ]
    customers = range(int(rng.integers(2, 5)))
    options += [
        [("customer", customer), Coloured(site, kind) if rng.random() < 0.9 else site]
        for customer, site in product(customers, some)
        for kind in kinds[site]
        if rng.random() < 0.5
    ]
    wanted = {options[0][0]: (1, 2)} if rng.random() < 0.2 else None
    return Problem.from_options(options, secondary=some, multiplicities=wanted)


def copies(rng: np.random.Generator) -> Problem:
    """Several copies of options, with multiplicities that a random choice of the options satisfies."""
    patterns = [rng.permutation(5)[: rng.integers(1, 4)].tolist() for _ in range(int(rng.integers(2, 6)))]
    options = [patterns[k] for k in np.sort(rng.integers(0, len(patterns), int(rng.integers(4, 13))))]
    drawn = [i for option in options if rng.random() < 0.5 for i in option]
    ranges = {
        i: (max(0, n - int(rng.integers(2))), max(1, n + int(rng.integers(3))))
        for i, n in ((i, drawn.count(i)) for i in range(4))
    }
    return Problem.from_options(options, items=range(5), secondary=[4], multiplicities=ranges)


def parts(rng: np.random.Generator, kind: str) -> Problem:
    """Two or three random problems beside each other."""
    while True:
        sides = [random_problem(rng, kind) for _ in range(int(rng.integers(2, 4)))]
        numbers = [sum(1 for _ in reference.covers(side)) for side in sides]
        if math.prod(numbers) < 3000 and (all(numbers) or rng.random() < 0.1):
            return beside(sides)


FAMILIES: dict[str, Callable[[np.random.Generator], Problem]] = {
    "matching": matching,
    "tiling": tiling,
    "degrees": of_degrees,
    "some of many": some_of_many,
    "again": again,
    "sites": sites,
    "copies": copies,
    **{kind: partial(random_problem, kind=kind) for kind in KINDS},
    **{f"{kind}, derived": partial(derived, kind=kind) for kind in KINDS},
    **{f"{kind}, parts": partial(parts, kind=kind) for kind in KINDS},
}


def weighted(
    rng: np.random.Generator, family: str, kinds: Iterable[str] = ("equal", "few", "small", "large", "real", "mixed")
) -> tuple[Problem, dict[Chosen, Any]]:
    """A problem of a family with weights of any possible kind, and all its covers with their scores."""
    problem = FAMILIES[family](rng)
    kind = "plain" if problem.multiplicities is None else "multiple"
    some = [weights for weights in kinds if possible(kind, weights)]
    problem, found = scored(problem, WEIGHTS[str(rng.choice(some))], rng)
    return problem, {tuple(sorted(cover)): score for score, cover in found}
