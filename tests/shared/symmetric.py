"""Problems that look the same after renaming, with items that are tuples."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from dlx import Problem


def factorizations(n: int) -> Problem:
    """One-factorizations of the complete graph on n vertices, with the factors in order: days of a tournament."""
    games = combinations(range(n), 2)
    return Problem.from_options([[(u, v), (u, f"day {d}"), (v, f"day {d}")] for u, v in games for d in range(n - 1)])


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
