"""Colours: closed forms, properties and sizes, by every kernel; corners are with those of all searches."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations, pairwise, permutations
from typing import Any, Literal, get_args

import pytest
from kernels import exhaust, kernel_for
from oracle import as_sets

from dlx import Coloured, Problem, count, covers

Kernel = Literal["links", "bits", "multi"]
KERNELS: tuple[Kernel, ...] = get_args(Kernel)
Edge = tuple[int, int]


def found_by(kernel: Kernel, problem: Problem) -> list[tuple[int, ...]]:
    """The covers that a kernel finds, sorted."""
    return as_sets(
        exhaust(kernel_for(kernel, problem, room=64)) if kernel == "multi" else covers(problem, kernel=kernel)
    )


def number(kernel: Kernel, problem: Problem) -> int:
    """The number of covers that a kernel finds."""
    return len(found_by(kernel, problem)) if kernel == "multi" else count(problem, kernel=kernel).covers


# Closed forms


def proper_colourings(edges: Iterable[Edge], q: int) -> Problem:
    """The colourings of a graph with q colours that differ at the ends of each edge.

    Items: the edges; each vertex is secondary, and has the colour that an option for an edge at it gives it.
    """
    vertices = sorted({vertex for edge in edges for vertex in edge})
    return Problem.from_options(
        {
            (u, v, a, b): [("edge", u, v), Coloured(u, a), Coloured(v, b)]
            for u, v in edges
            for a, b in permutations(range(q), 2)
        },
        items=[*(("edge", u, v) for u, v in edges), *vertices],
        secondary=vertices,
    )


def cycle(n: int) -> list[Edge]:
    """The edges of a cycle."""
    return [(k, (k + 1) % n) for k in range(n)]


PETERSEN = (
    [(k, (k + 1) % 5) for k in range(5)] + [(k, k + 5) for k in range(5)] + [(5 + k, 5 + (k + 2) % 5) for k in range(5)]
)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("edges", "q", "expected"),
    [(cycle(n), q, (q - 1) ** n + (-1) ** n * (q - 1)) for n in (3, 4, 7, 8) for q in (1, 2, 3)]
    + [(list(pairwise(range(n))), q, q * (q - 1) ** (n - 1)) for n in (2, 6, 9) for q in (1, 2, 3)]
    + [(list(combinations(range(n), 2)), q, math.perm(q, n)) for n, q in [(3, 2), (3, 5), (4, 4), (4, 5), (5, 4)]]
    + [(PETERSEN, 2, 0), (PETERSEN, 3, 120)],
)
def test_chromatic_polynomials(kernel: Kernel, edges: list[Edge], q: int, expected: int) -> None:
    """Proper colourings of cycles, paths, complete graphs and the Petersen graph, by their closed forms."""
    assert number(kernel, proper_colourings(edges, q)) == expected


# Sizes


@pytest.mark.parametrize("kernel", KERNELS)
def test_three_thousand_options_deep(kernel: Kernel) -> None:
    """A chain of 3,000 options, each agreeing with the next on a colour: two covers, one for each colour."""
    n = 3000
    options = [[i, Coloured(("between", i), c), Coloured(("between", i + 1), c)] for i in range(n) for c in (0, 1)]
    problem = Problem.from_options(options, secondary=[("between", i) for i in range(n + 1)])
    assert found_by(kernel, problem) == [tuple(range(0, 2 * n, 2)), tuple(range(1, 2 * n, 2))]


@pytest.mark.parametrize("kernel", KERNELS)
def test_forty_thousand_colours(kernel: Kernel) -> None:
    """An item with 40,000 options of other colours, more than an int16 numbers; one agrees with a second item."""
    n = 40_000
    options: list[list[Any]] = [["a", Coloured("x", c)] for c in range(n)]
    problem = Problem.from_options([*options, ["b", Coloured("x", 37_777)]], secondary="x")
    assert found_by(kernel, problem) == [(37_777, n)]
