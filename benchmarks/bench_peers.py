"""Counting and listing covers: `dlx` and both its kernels beside the solvers of PyPI, with every count checked.

Each side runs in a process of its own (`peers.py`), from its own input, made beforehand. exact-cover and dlx-cython
have no secondary items: each of these gets an option of its own there, the usual way out, and word squares are encoded
without colours. dlx-cython brings a module of the name dlx, so it is installed apart, at the first run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from apart import Stopwatch, measure, missing, plain
from families import HARD_SUDOKUS, SIXTEEN_GIVENS, build
from peers import LISTING

from dlx import Problem

LIMIT = 24.0  # seconds of processor time for one task of one side

# name: the problems, and how many covers they have in total
INSTANCES: dict[str, tuple[Callable[[], list[Problem]], int]] = {
    "queens 12": (lambda: [build("queens", 12)], 14_200),
    "pentominoes 6x10": (lambda: [build("pentominoes", 6, 10)], 9_356),
    "langford 12": (lambda: [build("langford", 12)], 216_288),
    "word squares 4x4": (lambda: [build("words", 760)], 5_184),
    "dominoes 8x8": (lambda: [build("dominoes", 8, 8)], 12_988_816),
    "sudoku, 16 givens": (lambda: [build("sudoku", SIXTEEN_GIVENS)], 97_290),
    "latin 6x6, first row given": (lambda: [build("latin_below", 6)], 1_128_960),
    "20 hard sudokus": (lambda: [build("sudoku", digits) for digits in HARD_SUDOKUS], 20),
}
UNCOLOURED = {"word squares 4x4": lambda: [build("words_plain", 760)]}


CLOCK = Stopwatch()
pytestmark = pytest.mark.benchmark(timer=CLOCK)


@pytest.mark.parametrize("side", LISTING)
@pytest.mark.parametrize("name", INSTANCES)
def test_all_covers(benchmark: Any, name: str, side: str) -> None:
    """A side finds as many covers as there are, counting them and delivering them, if it ends in time."""
    if reason := missing(side):
        pytest.skip(reason)
    make, expected = INSTANCES[name]
    if side in ("exact-cover", "dlx-cython"):
        make = UNCOLOURED.get(name, make)
    coloured = make()[0].colours is not None
    problems = [plain(problem) for problem in make()]
    example = plain(build("toy"))
    record = benchmark.pedantic(measure, args=(side, LIMIT, problems, example, CLOCK, False), rounds=1)
    for task in record["tasks"].values():
        assert sum(task.pop("covers")) == expected
    benchmark.extra_info.update(instance=name, side=side, covers=expected, coloured=coloured, **record)
