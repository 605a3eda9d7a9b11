"""Counting up to isomorphism with multiplicities: matrices by their sums, designs, ranges, workers, and refusals."""

from __future__ import annotations

import itertools
from functools import cache
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest
from executors import AtOnce
from oracle import random_problem, subsets
from seeds import for_seeds, nightly

from dlx import Problem, ProblemError, count
from dlx.counting import batches
from dlx.counting.isomorphism import Remains

pytest.importorskip("pynauty")


def matrices(rows: int, columns: int, sums: tuple[int | tuple[int, int], int | tuple[int, int]]) -> Problem:
    """Matrices of zeros and ones by the sums of their rows and of their columns; an option is a one."""
    lines = {("row", r): sums[0] for r in range(rows)} | {("column", c): sums[1] for c in range(columns)}
    ones = [[("row", r), ("column", c)] for r in range(rows) for c in range(columns)]
    return Problem.from_options(ones, items=lines, multiplicities=lines)


def with_sums(rows: int, columns: int, row: range, column: range) -> int:
    """The number of such matrices, by how many columns have each sum, row by row."""

    @cache
    def below(left: int, have: tuple[int, ...]) -> int:
        if not left:
            return int(not sum(have[: column.start]))
        return sum(dealt(left, have, size, 0, ()) for size in row)

    def dealt(left: int, have: tuple[int, ...], size: int, k: int, given: tuple[int, ...]) -> int:
        if k == len(have) - 1:
            if size:
                return 0
            new = [have[j] - (given[j] if j < k else 0) + (given[j - 1] if j else 0) for j in range(k + 1)]
            return below(left - 1, tuple(new))
        return sum(
            comb(have[k], n) * dealt(left, have, size - n, k + 1, (*given, n)) for n in range(min(size, have[k]) + 1)
        )

    return below(rows, (columns,) + (0,) * (column.stop - 1))


@pytest.mark.parametrize(
    ("n", "k", "number"),
    [
        (5, 2, 2040),
        (8, 2, 187530840),
        (10, 2, 1371785398200),
        (5, 3, 2040),
        (6, 3, 297200),
        (8, 3, 24046189440),
        *nightly((12, 3, 9254768770160124288000)),
    ],
)
def test_published_numbers(n: int, k: int, number: int) -> None:
    """The numbers of matrices with equal line sums in OEIS A001499 and A001501; a sum over columns finds them, too."""
    assert with_sums(n, n, range(k, k + 1), range(k, k + 1)) == number
    assert count(matrices(n, n, (k, k)), merge="isomorphic").covers == number


@pytest.mark.parametrize(
    ("rows", "columns", "row", "column"),
    [
        (6, 6, (1, 3), (1, 3)),
        (4, 7, (3, 6), (2, 2)),
        (7, 4, (0, 2), (2, 4)),
        (3, 3, (4, 5), (1, 3)),
        (5, 5, (0, 9), (1, 9)),
    ],
)
def test_ranges(rows: int, columns: int, row: tuple[int, int], column: tuple[int, int]) -> None:
    """Lines with sums in ranges, also such as no cover can meet, or as all do: as many as a sum over columns finds."""
    wanted = with_sums(rows, columns, *(range(least, most + 1) for least, most in (row, column)))
    assert count(matrices(rows, columns, (row, column)), merge="isomorphic").covers == wanted


@pytest.mark.parametrize("kind", ["multiple", "both"])
@for_seeds(400)
def test_random_problems(kind: str, seed: int) -> None:
    """As many covers as there are sets of options that are one, with secondary items, and with colours."""
    problem = random_problem(np.random.default_rng([seed, 77]), kind)
    assert count(problem, merge="isomorphic").covers == sum(1 for _ in subsets(problem))


@for_seeds(200)
def test_options_chosen_and_left_out(seed: int) -> None:
    """Options that are chosen or left out beforehand are respected."""
    rng = np.random.default_rng([seed, 78])
    problem = random_problem(rng, "both")
    for o in rng.integers(0, max(1, problem.n_options), size=2).tolist():
        try:
            problem = problem.with_chosen([o]) if rng.integers(2) else problem.without([o])
        except (ProblemError, IndexError):
            continue
    assert count(problem, merge="isomorphic").covers == count(problem, merge="never").covers


def test_designs() -> None:
    """Triples of nine points that have each pair twice, as many as are found by merging equal problems."""
    pairs = combinations(range(9), 2)
    triples = [list(combinations(triple, 2)) for triple in combinations(range(9), 3)]
    problem = Problem.from_options(triples, multiplicities=dict.fromkeys(pairs, 2))
    assert count(problem, merge="isomorphic").covers == count(problem, merge="same").covers == 1929816


def test_short_of_memory() -> None:
    """Where classes have to be expanded again there are as many covers, and too little memory is an error."""
    problem = matrices(8, 8, (3, 3))
    easy = count(problem, merge="isomorphic")
    short = count(problem, merge="isomorphic", memory=easy.memory * 2 // 3)
    assert (short.covers, short.memory < easy.memory) == (easy.covers, True)
    assert short.states > easy.states
    with pytest.raises(MemoryError, match="the classes take more than 5000 bytes"):
        count(problem, merge="isomorphic", memory=5_000)


@pytest.mark.parametrize(
    ("n", "least", "most", "covers"), [(4, 2, 2, 90), (4, 1, 3, 22874), *nightly((6, 3, 3, 297200))]
)
def test_checkpoints(n: int, least: int, most: int, covers: int, tmp_path: Path) -> None:
    """A count that is stopped within a class again and again, and goes on each time, finds as many covers."""
    sums = least if least == most else (least, most)
    problem = matrices(n, n, (sums, sums))
    calls = itertools.count(1)
    while not (
        some := count(problem, merge="isomorphic", checkpoint=tmp_path / "run", max_nodes=next(calls))
    ).exhausted:
        assert some.covers == 0
    assert some.covers == covers == count(problem, merge="isomorphic").covers
    assert next(calls) > 3


def test_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers expand the classes of problems with multiplicities, too."""
    monkeypatch.setattr(batches, "ALONE", 0.0)
    monkeypatch.setattr(batches, "LEAST", 1e-9)
    result = count(matrices(6, 6, (3, 3)), merge="isomorphic", executor=AtOnce(), jobs=2)
    assert (result.covers, result.exhausted) == (297200, True)


def test_what_is_refused() -> None:
    """Points tell nothing of multiplicities, and a folded diagram has no room for the orders of choice."""
    problem = matrices(3, 3, (2, 2))
    assert Remains(problem, None).doubt == "there are multiplicities, which points do not tell of"
    with pytest.raises(ProblemError, match="multiplicities, which points do not tell of"):
        count(problem, merge="isomorphic", points=lambda item: item)
