"""Problems that look the same after renaming, with items that are tuples."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from families import beside, grids, latin, steiner
from oracle import random_problem

from dlx import Problem


def factorizations(n: int) -> Problem:
    """One-factorizations of the complete graph on n vertices, with the factors in order: days of a tournament."""
    games = combinations(range(n), 2)
    return Problem.from_options([[(u, v), (u, f"day {d}"), (v, f"day {d}")] for u, v in games for d in range(n - 1)])


def copies(times: int, problem: Problem) -> Problem:
    """So many copies of a problem side by side."""
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
    """The same problem of primary items, with texts that tell nothing as items; these and options are in any order."""
    names = [f"item {k}" for k in rng.permutation(len(problem.items))]
    entries = [problem.indices[a:b].tolist() for a, b in pairwise(problem.indptr)]
    options = [[names[i] for i in rng.permutation(some)] for some in entries]
    items = [names[i] for i in rng.permutation(len(names))]
    return Problem.from_options([options[o] for o in rng.permutation(len(options))], items=items)


def some_problem(seed: int) -> Problem:
    """Points that are read off, found, or not there, secondary items and colours; copies of something beside it."""
    rng = np.random.default_rng([seed, 61])
    if seed % 4 == 0:
        return about_points(rng)
    if seed % 4 == 1:
        return renamed(rng, [latin(4), steiner(9), factorizations(6), grids(2, 2)][seed // 4 % 4])
    problem = random_problem(rng, ["plain", "coloured"][seed // 4 % 2])
    return copies(2, problem)
