"""Spearman's rank correlation of `sudoku.rate` with others' ratings, and its speed.

    python benchmarks/rating.py [PUZZLES]

`rated.csv` has puzzles with the ratings of others. SE is that of Sukaku Explainer (the hardest step), published with
the puzzles in the Sudoku Exchange puzzle bank (github.com/grantm/sudoku-exchange-puzzle-bank, file diabolical.txt of
commit 41f52cf, in the public domain; each 130th of its 39,719 lines, 5.4 to 8.9). `generate_many(300, seed=2026)` made
the others. HoDoKu's score (the sum of its steps) is what hodoku-py 0.2.1, a port of HoDoKu to Python, gave. A puzzle
that no steps solve is behind all others. The easy puzzles are rated one after the other, in processor time.
"""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

import sudoku

Ranks = npt.NDArray[np.float64]


def ranks(values: npt.ArrayLike) -> Ranks:
    """Returns the rank of each value; equal values get the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    behind = np.cumsum(counts)
    middle: Ranks = behind - (counts - 1) / 2
    return middle[inverse]


def correlation(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Returns the rank correlation of two lists of values (C. Spearman, 1904).

    >>> correlation([1, 2, 3], [2, 5, 9]), correlation([1, 2, 2], [4, 3, 3])
    (1.0, -1.0)
    """
    return round(float(np.corrcoef(ranks(one), ranks(other))[0, 1]), 3)


def compare() -> None:
    """Prints the correlations of the hardest step and of the total with each other rating."""
    with (Path(__file__).parent / "rated.csv").open() as file:
        rows = list(csv.DictReader(file))
    ratings = sudoku.rate_many([row["puzzle"] for row in rows])
    behind = max(rating.total for rating in ratings) + 1
    own = {
        "hardest": [rating.hardest if rating.solved else behind for rating in ratings],
        "total": [rating.total if rating.solved else behind for rating in ratings],
    }
    others: dict[str, list[float]] = {
        "SE": [float(row["SE"] or "nan") for row in rows],
        "HoDoKu": [int(row["HoDoKu"]) for row in rows],
    }
    print(f"{len(rows)} puzzles, {sum(rating.solved for rating in ratings)} solved")
    for name, values in others.items():
        there = np.flatnonzero(~np.isnan(values))
        each = {mine: correlation(np.take(some, there), np.take(values, there)) for mine, some in own.items()}
        print(f"{name}, {len(there)} puzzles:", *(f"{mine} {r}" for mine, r in each.items()))


def rate_easy(number: int) -> None:
    """Prints how long easy puzzles take: symmetric ones of 34 to 40 givens, whatever they need."""
    puzzles = sudoku.generate_many(number, seed=1, givens=(34, 40), symmetry="half-turn")
    start = time.process_time()
    ratings = sudoku.rate_many(puzzles)
    seconds = time.process_time() - start
    singles = sum(rating.hardest <= 3 for rating in ratings)
    print(f"{number:,} puzzles, {singles:,} by singles alone: {seconds:.1f} s, {1e6 * seconds / number:.0f} us each")


if __name__ == "__main__":
    compare()
    rate_easy(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
