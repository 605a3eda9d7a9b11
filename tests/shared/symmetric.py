"""Problems that look the same after renaming, with items that are tuples."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from families import beside, grids, latin, steiner
from oracle import random_problem

from dlx import Coloured, Problem, covers
from dlx.symmetry.groups import orbits

Rename = dict[Any, Any]


def factorizations(n: int) -> Problem:
    """One-factorizations of the complete graph on n vertices, with the factors in order: days of a tournament."""
    games = combinations(range(n), 2)
    return Problem.from_options([[(u, v), (u, f"day {d}"), (v, f"day {d}")] for u, v in games for d in range(n - 1)])


def copies(times: int, problem: Problem) -> Problem:
    """Copies of a problem side by side."""
    return beside([problem] * times)


def about_points(rng: np.random.Generator) -> Problem:
    """Options that are all pairs, or some of them, of some points among up to seven."""
    n = int(rng.integers(4, 8))
    sizes = rng.choice([2, 3, 4], size=2)
    every = [some for size in set(sizes.tolist()) for some in combinations(range(n), size)]
    part = float(rng.choice([0.3, 0.7, 1.0, 1.0]))
    full = rng.random() < 0.7
    options = [
        [pair for pair in combinations(some, 2) if full or rng.random() < 0.8] for some in every if rng.random() < part
    ]
    return Problem.from_options([option for option in options if option])


def blocks(n: int) -> Problem:
    """Steiner systems S(2, 4, n): quadruples of points such that every pair is in one of them."""
    return Problem.from_options([list(combinations(block, 2)) for block in combinations(range(n), 4)])


def renamed(rng: np.random.Generator, problem: Problem) -> Problem:
    """The same problem with meaningless texts as primary items, and with items and options in random order."""
    names = [f"item {k}" for k in rng.permutation(len(problem.items))]
    entries = [problem.indices[a:b].tolist() for a, b in pairwise(problem.indptr)]
    options = [[names[i] for i in rng.permutation(some)] for some in entries]
    items = [names[i] for i in rng.permutation(len(names))]
    return Problem.from_options([options[o] for o in rng.permutation(len(options))], items=items)


def some_problem(seed: int) -> Problem:
    """A random problem of items about points, a renamed one without points, or two copies of one with colours."""
    rng = np.random.default_rng([seed, 61])
    if seed % 4 == 0:
        return about_points(rng)
    if seed % 4 == 1:
        return renamed(rng, [latin(4), steiner(9), factorizations(6), grids(2, 2)][seed // 4 % 4])
    problem = random_problem(rng, ["plain", "coloured"][seed // 4 % 2])
    return copies(2, problem)


def turn(n: int) -> Rename:
    """A quarter turn of a board."""
    return {(r, c): (c, n - 1 - r) for r in range(n) for c in range(n)}


def symmetric_problem(seed: int, rng: np.random.Generator, kind: str) -> Problem:
    """A random problem, or one that is closed under some permutations; at times with a chosen option."""
    made = closed_problem(rng, kind) if seed % 2 else None
    problem = random_problem(rng, kind) if made is None else made[0]
    some = next(iter(covers(problem)), ())
    return problem.with_chosen(some[:1]) if some and seed % 5 == 0 else problem


def orbits_of(found: Iterable[tuple[int, ...]], images: list[np.ndarray]) -> list[set[frozenset[int]]]:
    """The orbits of covers, by visiting each cover."""
    left, all_of_them = {frozenset(cover) for cover in found}, []
    while left:
        reached = [left.pop()]
        for cover in reached:
            new = {frozenset(image[list(cover)].tolist()) for image in images} & left
            left -= new
            reached += new
        all_of_them.append(set(reached))
    return all_of_them


def closed_problem(rng: np.random.Generator, kind: str) -> tuple[Problem, list[Rename]] | None:
    """Random options with all of their images under random permutations of the items, and these; None if too many."""
    n, m = int(rng.integers(2, 8)), int(rng.integers(0, 4))
    moves = [(rng.permutation(n).tolist(), rng.permutation(m).tolist()) for _ in range(int(rng.integers(1, 3)))]
    shades = 3 if kind in ("coloured", "both") else 1
    some = [
        (
            frozenset(rng.choice(n, int(rng.integers(1, min(n, 4) + 1)), replace=False).tolist()),
            frozenset((j, int(rng.integers(0, shades))) for j in range(m) if rng.random() < 0.4),
        )
        for _ in range(int(rng.integers(1, 4)))
    ]
    some = [*dict.fromkeys(some)]
    for first, second in some:
        images = [(frozenset(a[i] for i in first), frozenset((b[j], c) for j, c in second)) for a, b in moves]
        some += [image for image in dict.fromkeys(images) if image not in some]
        if len(some) > 22:
            return None
    options = [
        [*first, *(Coloured(f"s{j}", c) if c else f"s{j}" for j, c in sorted(second))]
        for first, second in sorted(some, key=lambda one: (sorted(one[0]), sorted(one[1])))
    ]
    options *= int(rng.integers(1, 3)) if len(options) < 8 else 1
    label = orbits([np.array(a) for a, _ in moves], n)
    least, more = rng.integers(0, 3, size=n)[label].tolist(), rng.integers(0, 3, size=n)[label].tolist()
    bounds = {i: (least[i], max(1, least[i] + more[i])) for i in range(n)} if kind in ("multiple", "both") else None
    secondary = [f"s{j}" for j in range(m)]
    problem = Problem.from_options(options, items=[*range(n), *secondary], secondary=secondary, multiplicities=bounds)
    return problem, [{**dict(enumerate(a)), **{f"s{j}": f"s{b[j]}" for j in range(m)}} for a, b in moves]
