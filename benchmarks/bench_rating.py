"""Spearman's rank correlation of `sudoku.rate` with the ratings of other programs, and the speed of `sudoku.rate`.

`rated.csv` has puzzles with ratings in two columns:

* SE is the rating of the hardest step by Sukaku Explainer, from 5.4 to 8.9. These puzzles and ratings are every 130th
  of the 39,719 lines of diabolical.txt in the Sudoku Exchange puzzle bank, which is in the public domain
  (github.com/grantm/sudoku-exchange-puzzle-bank, commit 41f52cf). `generate_many(300, seed=2026)` made the other
  puzzles.
* HoDoKu is the sum of the scores of all steps by hodoku-py 0.2.1, a port of HoDoKu to Python.

A puzzle that the steps of `sudoku.rate` do not solve is ranked hardest.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from report import Record, markdown
from timing import once

import sudoku

EASY = 100_000  # puzzles of 34 to 40 givens
OTHERS = {"HoDoKu": "HoDoKu's score, by its port `hodoku-py` 0.2.1", "SE": "Sukaku Explainer's rating, 5.4 to 8.9"}
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


def measure() -> Iterator[Record]:
    """Yields the correlations with each other rating, and the time of many easy puzzles."""
    with (Path(__file__).parent / "rated.csv").open() as file:
        rows = list(csv.DictReader(file))
    seconds, ratings = once(lambda: sudoku.rate_many([row["puzzle"] for row in rows]))
    behind = max(rating.total for rating in ratings) + 1
    hardest = [rating.hardest if rating.solved else behind for rating in ratings]
    total = [rating.total if rating.solved else behind for rating in ratings]
    solved = sum(rating.solved for rating in ratings)
    for name in OTHERS:
        there = [k for k, row in enumerate(rows) if row[name]]
        values = [float(rows[k][name]) for k in there]
        numbers = {
            "hardest": correlation(np.take(hardest, there), values),
            "total": correlation(np.take(total, there), values),
        }
        yield {"problem": name, "side": "rate", "puzzles": len(there), "solved": solved, **numbers, "seconds": seconds}
    puzzles = sudoku.generate_many(EASY, seed=1, givens=(34, 40), symmetry="half-turn")
    seconds, ratings = once(lambda: sudoku.rate_many(puzzles))
    singles = sum(rating.hardest <= 3 for rating in ratings) / EASY
    yield {"problem": "easy", "side": "rate", "puzzles": EASY, "singles": singles, "seconds": seconds}


def table(records: Sequence[Record]) -> str:
    """Returns the page: the correlations, and the speed."""
    compared, easy = [record for record in records if record["problem"] in OTHERS], records[-1]
    rows = [
        [OTHERS[of["problem"]], str(of["puzzles"]), f"{of['hardest']:.2f}", f"{of['total']:.2f}"] for of in compared
    ]
    return f"""# Ratings of sudokus

`sudoku.rate` is compared with the ratings of other programs on {compared[0]["puzzles"]} puzzles; its steps solve
{compared[0]["solved"]} of these. The puzzles rated by Sukaku Explainer come from the
[Sudoku Exchange puzzle bank](https://github.com/grantm/sudoku-exchange-puzzle-bank). *hardest* is Spearman's rank
correlation with the points of the hardest step, and *total* with the sum of the points of all steps.

{markdown(["rank correlation with", "puzzles", "hardest", "total"], rows)}

{EASY:,} easy puzzles (34 to 40 givens; {easy["singles"]:.0%} need only singles) took {easy["seconds"]:.1f} s of
processor time."""
