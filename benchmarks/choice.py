"""The time of `count`, beside each of the two methods alone, on about a hundred problems of the families.

    python benchmarks/choice.py                  all problems
    python benchmarks/choice.py queens latin     those whose names begin so

A row has the covers, and the least processor time of `count` and of each method. A method that has not ended after
LIMIT seconds is `-`. The last lines have the sums, and the problems in which `count` took more than 1.15 times the time
of the better method and 15 ms. The constants of `dlx/counting/portfolio.py` are fitted to such rows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import weighted_families as weighted
from families import SIXTEEN_GIVENS, beside, build
from timing import least

from dlx import Problem, count
from dlx.counting.layers import Layered
from dlx.engine.dispatch import build as visiting
from dlx.engine.limits import Limits, Loop

LIMIT = 5.0  # seconds for a method
MOST, SPARE = 1.15, 0.015  # `count` may take this many times the better method, plus these seconds
METHODS: dict[str, Callable[[Problem], Any]] = {"visiting": visiting, "layers": Layered}
SIZES: dict[str, list[tuple[int, ...]]] = {
    "dominoes": [(6, 6), (8, 8), (10, 10), (12, 12), (16, 16), (4, 20), (40, 3), (2, 60)],
    "trominoes": [(6, 6), (6, 9), (9, 8), (9, 10)],
    "tetrominoes": [(4, 4), (6, 6), (4, 12), (6, 8), (8, 8), (16, 4)],
    "pentominoes": [(3, 20), (4, 15), (5, 12), (6, 10)],
    "queens": [(6,), (8,), (9,), (10,), (11,), (12,)],
    "rooks": [(6,), (8,), (9,), (10,)],
    "langford": [(7,), (8,), (11,), (12,)],
    "latin": [(4,), (5,)],
    "latin_below": [(4,), (5,), (6,)],
    "y_pentominoes": [(10, 10), (5, 20), (10, 20)],
    "words": [(100,), (400,), (1000,)],
    "words_plain": [(100,), (400,)],
    "matchings": [(5,), (6,), (7,), (8,), (9,), (10,)],
    "partitions": [(8,), (10,), (11,), (12,)],
    "steiner": [(7,), (9,), (13,)],
    "tournaments": [(6,), (8,)],
    "grids": [(2, 2), (2, 3)],
}
# Weighted families without their weights, and their sizes before the seed
DRAWN: dict[str, tuple[Callable[..., weighted.Weighted], list[tuple[Any, ...]]]] = {
    "assignment": (weighted.assignment, [(5, 3), (7, 3), (6, 4)]),
    "factor": (weighted.factor, [(8, 2), (9, 2), (7, 4)]),
    "partitioning": (weighted.partitioning, [(30, 150, 2, 5), (60, 300, 2, 6), (24, 400, 2, 4), (40, 120, 2, 3)]),
    "crews": (weighted.crews, [(12, 60, 2, 3), (21, 90, 2, 2)]),
    "packing": (weighted.packing, [(12, 20, 48)]),
    "ring": (weighted.ring, [(20, 6, 6, 2, 5), (30, 10, 6, 2, 5)]),
    "transport": (weighted.transport, [(4, 6), (5, 6)]),
    "facilities": (weighted.facilities, [(6, 10, 3), (8, 16, 2)]),
}


def _drawn(draw: Callable[..., weighted.Weighted], sizes: tuple[Any, ...], seed: int) -> Problem:
    return draw(*sizes, seed=seed).problem


def problems() -> Iterator[tuple[str, Callable[[], Problem]]]:
    """Yields the problems by their names."""
    for family, several in SIZES.items():
        for sizes in several:
            yield f"{family} {'x'.join(map(str, sizes))}", partial(build, family, *sizes)
    for family, (draw, several) in DRAWN.items():
        for sizes in several:
            for seed in range(2):
                yield f"{family} {sizes}, {seed}", partial(_drawn, draw, sizes, seed)
    yield "sudoku of 16 givens", partial(build, "sudoku", SIXTEEN_GIVENS)
    together: dict[str, list[tuple[Any, ...]]] = {
        "queens 8, four": [("queens", 8)] * 4,
        "queens 8 and dominoes 8x8": [("queens", 8), ("dominoes", 8, 8)],
        "pentominoes 3x20, twice": [("pentominoes", 3, 20)] * 2,
        "langford 7, thrice": [("langford", 7)] * 3,
        "dominoes 8x8 and latin 4": [("dominoes", 8, 8), ("latin", 4)],
        "matchings 6 and steiner 7": [("matchings", 6), ("steiner", 7)],
        "rooks 7, five": [("rooks", 7)] * 5,
        "words 100, twice": [("words", 100)] * 2,
        "toys, twelve": [("toy",)] * 12,
    }
    for name, parts in together.items():
        yield f"beside: {name}", partial(beside, [build(*part) for part in parts])


def auto(problem: Problem) -> int | None:
    """The covers by `count`."""
    result = count(problem, timeout=2 * LIMIT)
    return result.covers if result.exhausted else None


def alone(method: Callable[[Problem], Any], problem: Problem) -> int | None:
    """The covers by one method."""
    with Loop(Limits.of(timeout=LIMIT)) as loop:
        search = method(problem)
        for _ in loop.slices(search):
            pass
    return search.covers if loop.exhausted else None


def measure(name: str, problem: Problem) -> tuple[str, float, float]:
    """The row of a problem, and the seconds of `count` and of the better method."""
    problem.rows()
    sides = [least(partial(auto, problem)), *(least(partial(alone, method, problem)) for method in METHODS.values())]
    known = {covers for _, covers in sides if covers is not None}
    assert len(known) <= 1, f"{name}: {known}"
    shown = f"{known.pop():,}" if known else "?"
    times = [f"{'-' if covers is None else f'{seconds:.3f}':>10}" for seconds, covers in sides]
    best = min((seconds for seconds, covers in sides[1:] if covers is not None), default=LIMIT)
    return f"{name:34}{shown:>40}{''.join(times)}", sides[0][0], best


def main(names: list[str]) -> None:
    """Prints a row for each problem as soon as it is measured, the sums, and the problems that took too long."""
    print(f"{'problem':34}{'covers':>40}" + "".join(f"{method:>10}" for method in ("auto", *METHODS)))
    found: list[tuple[str, float, float]] = []
    for name, make in problems():
        if not names or name.startswith(tuple(names)):
            row, seconds, best = measure(name, make())
            print(row, flush=True)
            found.append((name, seconds, best))
    slow = [(name, seconds, best) for name, seconds, best in found if seconds > MOST * best + SPARE]
    autos, bests = sum(seconds for _, seconds, _ in found), sum(best for *_, best in found)
    print(f"{len(found)} problems: {autos:.2f} s, by the better method {bests:.2f} s")
    print(f"more than {MOST} times the better method and {SPARE * 1000:.0f} ms: {len(slow)}")
    for name, seconds, best in slow:
        print(f"{name}: {seconds:.3f} s, the better method {best:.3f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
