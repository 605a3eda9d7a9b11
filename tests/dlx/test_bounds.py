"""Cliques, odd sets, pairs, hopes and dives on small problems: answers and bounds against enumeration, and repeats."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from typing import Any, Literal

import numpy as np
import pytest
from oracle import random_problem
from seeds import for_seeds
from weighted import WEIGHTS

from dlx import Best, Problem, Progress, best, count_reaching, covers, limits
from dlx.bounds import components, odd, root, search
from dlx.bounds.root import Root

Sense = Literal["max", "min"]
Chosen = tuple[int, ...]
DONE = ("cliques", "odd sets", "pairs", "hopes")
GATES: dict[Any, dict[str, list[Any]]] = {  # what each constant may be, for a small problem to have everything
    search: {
        "PROBE": [0],
        "LONG_PROBE": [0],
        "FIRST_RESTART": [1, 3],
        "ROUNDS": [0, 1, 3],
        "ROOT_SWEEPS": [2, 8],
        "ADDING": [0, 2],
        "ADDING_WORK": [0],
        "ADDING_GAIN": [-9.0, 0.003],
        "PAIRING": [1, 100, 10**9],
        "PAIRING_NODES": [0],
        "PAIR_SWEEPS": [0, 1, 20],
        "HOPEFUL": [0, 1, 4],
        "DIVING": [1, 32],
        "PRICE_BYTES": [1, 500, 1 << 28],
    },
    root: {
        "SUPPORT": [1e-9, 0.02],
        "VIOLATED": [0.01, 0.5, 1.02],
        "AT_ONCE": [1, 30],
        "ALL_ADDED": [3, 400],
        "CLIQUE_SWEEPS": [1, 20],
        "SWEPT": [1, 1 << 21],
    },
    odd: {"MASS": [-99.0, -0.5, 0.1], "UNDECIDED": [0.0, 0.01]},
    components: {"WIDEST": [0, 128], "PATIENCE": [1, 1 << 17], "TASTE": [1, 5000]},
}


def with_low_gates(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    """Lets even small problems have whatever a search may do, and Python see it every few nodes."""
    for module, constants in GATES.items():
        for name, values in constants.items():
            monkeypatch.setattr(module, name, values[rng.integers(len(values))])
    in_slices(monkeypatch, int(rng.choice([1, 5, 50])))


def in_slices(monkeypatch: pytest.MonkeyPatch, nodes: int) -> None:
    """Runs kernels for so many nodes at a time."""
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
    """So many options of one item, beside another one."""
    n = int(rng.integers(3, 12))
    options = ["ab"[: int(rng.integers(1, 3))] for _ in range(n)]
    wanted = {"a": int(rng.integers(1, n + 1)), "b": (int(rng.integers(0, 2)), int(rng.integers(1, 4)))}
    return Problem.from_options(options, items="ab", multiplicities=wanted)  # type: ignore[arg-type]


FAMILIES: dict[str, Callable[[np.random.Generator], Problem]] = {
    "matching": matching,
    "tiling": tiling,
    "degrees": of_degrees,
    "some of many": some_of_many,
    **{kind: partial(random_problem, kind=kind) for kind in ("plain", "coloured", "multiple", "both")},
}


def weighted(rng: np.random.Generator, family: str) -> tuple[Problem, dict[Chosen, Any]]:
    """A problem of a family with weights of any kind that its scores can have, and all its covers with their scores."""
    problem = FAMILIES[family](rng)
    kind = str(rng.choice(["equal", "few", "small", "large", "real", "mixed"]))
    weights = WEIGHTS[kind](rng, problem)
    add: Any = math.fsum if kind in ("real", "mixed") else sum
    array: Any = np.array(weights, dtype=np.float64 if add is math.fsum else np.int64)
    problem = replace(problem, weights=array)
    found = [tuple(sorted(cover)) for cover in covers(problem)]
    return problem, {cover: add(weights[o] for o in cover) for cover in found}


def watch(monkeypatch: pytest.MonkeyPatch, problem: Problem, known: dict[Chosen, Any]) -> Counter[str]:
    """Holds every item that is added against all covers that are still looked for; counts what is done."""
    done: Counter[str] = Counter()

    def checked(name: str, find: Any) -> Any:
        def found(at: Root, given: Any) -> Any:
            sets = find(at, given)
            chosen, left = set(at.kernel.path()), set(at.kernel.options_left().tolist())
            if len(at._rows.indptr) - 1 == problem.n_options:  # not a part with numbers of its own
                for cover in known:
                    if chosen <= set(cover) <= chosen | left:
                        assert all(
                            some.least <= len(left.intersection(cover, some.options)) <= some.most for some in sets
                        )
            done[name] += len(sets)
            return sets

        return found

    def counted(name: str, do: Any) -> Any:
        def it(*given: Any) -> Any:
            done[name] += name == "hopes" or given[2].pairs
            return do(*given)

        return it

    monkeypatch.setattr(Root, "_cliques", checked("cliques", Root._cliques))
    monkeypatch.setattr(Root, "_odd_sets", checked("odd sets", Root._odd_sets))
    monkeypatch.setattr(search.Search, "_hope_for_more", counted("hopes", search.Search._hope_for_more))
    monkeypatch.setattr(search.Search, "_search", counted("pairs", search.Search._search))
    return done


def compare(result: Best, known: dict[Chosen, Any], sign: int, k: int) -> None:
    """Holds a result against all covers of its problem."""
    scores = sorted((sign * score for score in known.values()), reverse=True)
    found, spare = [sign * cover.score for cover in result.covers], 2 * result.tolerance
    assert all(cover.options in known for cover in result.covers)
    assert len({cover.options for cover in result.covers}) == len(found)
    if result.proven:
        assert len(found) == min(k, len(scores))
        assert all(abs(a - b) <= spare for a, b in zip(found, scores, strict=False)), (found, scores[:k])
        assert result.bound == result.score
    elif scores:
        assert result.bound is not None
        assert sign * result.bound >= scores[0] - spare


@pytest.mark.parametrize("family", FAMILIES)
@for_seeds(34, 16)
def test_whatever_a_search_does_its_answers_and_bounds_hold(
    monkeypatch: pytest.MonkeyPatch, family: str, seed: int
) -> None:
    """The k best by enumeration; no cover is better than a bound told on the way; and equal seeds, equal results."""
    rng = np.random.default_rng([seed, len(family)])
    problem, known = weighted(rng, family)
    sense: Sense = rng.choice(["max", "min"])
    sign, k = 1 if sense == "max" else -1, int(rng.integers(1, 7))
    bounds: list[Any] = []
    given: dict[str, Any] = {"seed": int(rng.integers(1 << 31))}
    if rng.random() < 0.3:
        given["max_nodes"] = int(rng.integers(0, 60))

    def progress(seen: Progress) -> None:
        bounds.append(-math.inf if seen.bound is None else sign * seen.bound)

    with monkeypatch.context() as patch:
        with_low_gates(patch, rng)
        watch(patch, problem, known)
        result = best(problem, sense, k, progress=progress, **given)
        in_slices(patch, 1000)
        again = best(problem, sense, k, **given)
    compare(result, known, sign, k)
    assert (
        not known
        or min(bounds, default=math.inf) >= max(sign * score for score in known.values()) - 2 * result.tolerance
    )
    assert (again.covers, again.nodes, again.updates) == (result.covers, result.nodes, result.updates)


@pytest.mark.slow
def test_small_problems_have_all_that_a_search_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """With low gates items are added, pairs branched on, and hopes searched for; so the tests above bite."""
    done: Counter[str] = Counter()
    for seed, family in product(range(4), ("tiling", "degrees")):
        rng = np.random.default_rng([seed, len(family)])
        problem, known = weighted(rng, family)
        with monkeypatch.context() as patch:
            with_low_gates(patch, rng)
            seen = watch(patch, problem, known)
            best(problem)
        done += seen
    assert min(done[what] for what in DONE) > 5, done


@pytest.mark.parametrize("most", [3, 99, 2**31 - 1])
def test_ranges_far_above_the_number_of_options_cost_no_precision(most: int) -> None:
    """The bound of items that may be covered very often fits the kernel's numbers, and meets the best score."""
    options = [(a, b) for a, b in combinations("abcd", 2)] * 2
    weights = np.arange(-5, 7) * 2**50
    problem = replace(
        Problem.from_options(options, multiplicities=dict.fromkeys("abcd", (0, most))),
        weights=weights,
    )
    known = {tuple(sorted(cover)): sum(weights[list(cover)].tolist()) for cover in covers(problem)}
    for sense, sign in (("max", 1), ("min", -1)):
        result = best(problem, sense, k=5)  # type: ignore[arg-type]
        assert result.proven
        compare(result, known, sign, 5)
        assert result.score is not None
        assert count_reaching(problem, result.score, sense).covers == list(known.values()).count(result.score)  # type: ignore[arg-type]


def test_ten_of_thirty_need_no_search() -> None:
    """Where a price meets the best score, a few thousand nodes are not needed."""
    weights = np.random.default_rng(1).integers(1, 10**6, 30)
    problem = Problem.from_options(["a"] * 30, weights=weights.tolist(), multiplicities={"a": 10})
    result = best(problem)
    assert result.score == np.sort(weights)[-10:].sum()
    assert result.nodes < 1000
