"""Named problems with integer weights and a sense of optimisation, each drawn with a fixed seed.

Every problem has a cover. If random options might have no cover, the options of a random cover are added.

>>> build("ten of thirty")
Weighted(problem=Problem(1 item, 30 options, 30 entries, weighted, with multiplicities), sense='max')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, Literal, NamedTuple

import families
import numpy as np
import numpy.typing as npt

import sudoku
from dlx import Coloured, Problem

Sense = Literal["max", "min"]
Whole = npt.NDArray[np.int64]
HEAVIEST = 1000  # random weights are from 1 to this number


class Weighted(NamedTuple):
    """A problem, and whether its best score is the largest or the smallest."""

    problem: Problem
    sense: Sense


def at_random(family: str, *sizes: int | str, sense: Sense = "min", seed: int = 0) -> Weighted:
    """Returns a problem of `families` with a random weight for each option."""
    problem = families.build(family, *sizes)
    weights = np.random.default_rng(seed).integers(1, HEAVIEST + 1, problem.n_options)
    return Weighted(replace(problem, weights=weights), sense)


def assignment(n: int, dimensions: int = 2, seed: int = 0) -> Weighted:
    """Assigns n workers to n tasks (and to n machines, ...) at least cost.

    Items: each worker, each task, and so on. An option has one of each, and a random cost.
    """
    costs = np.random.default_rng(seed).integers(1, HEAVIEST + 1, n**dimensions)
    indices = np.indices((n,) * dimensions).reshape(dimensions, -1) + n * np.arange(dimensions)[:, None]
    indptr = dimensions * np.arange(n**dimensions + 1)
    return Weighted(Problem.from_csr(indptr, indices.T.ravel(), dimensions * n, weights=costs), "min")


def thousandths(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> Whole:
    """Returns the distances of points in thousandths of the side of their square."""
    apart: Whole = np.rint(1000 * np.linalg.norm(a - b, axis=-1)).astype(np.int64)
    return apart


def euclidean(points: int, seed: int = 0) -> Weighted:
    """Pairs up points of a square so that the sum of the distances is least.

    Items: the points. An option is a pair of them, with its distance in thousandths of the square's side.
    """
    place = np.random.default_rng(seed).random((points, 2))
    pairs = np.array([*combinations(range(points), 2)])
    problem = families.build("matchings", points // 2)
    return Weighted(replace(problem, weights=thousandths(place[pairs[:, 0]], place[pairs[:, 1]])), "min")


def factor(points: int, degree: int, seed: int = 0) -> Weighted:
    """Joins each point of a square with `degree` others so that the sum of the distances is least.

    Items and options are as in `euclidean`, with multiplicities. If the degree is 2, any tour is a cover.
    """
    problem, sense = euclidean(points, seed)
    return Weighted(replace(problem, multiplicities=np.full((points, 2), degree)), sense)


def triangles(pairs: int, ring: bool, seed: int = 0) -> Weighted:
    """Pairs up the corners of triangles by cheap edges within a triangle and dear edges between two triangles.

    The triangles come in pairs, joined by dear edges. A cover uses a dear edge for each pair; the linear relaxation
    uses half of each cheap edge instead. In a ring, an even dearer edge joins each pair to the next one.
    """
    rng = np.random.default_rng(seed)
    options, weights = [], []
    for p in range(pairs):
        corners = [[(p, side, k) for k in range(3)] for side in range(2)]
        cheap = [pair for corner in corners for pair in combinations(corner, 2)]
        dear = [*zip(*corners, strict=True)]
        far = [((p, 1, 0), ((p + 1) % pairs, 0, 0))] if ring else []
        options += [*cheap, *dear, *far]
        weights += [*rng.integers(1, 100, 6).tolist(), *rng.integers(900, 1000, 3).tolist(), *([2000] if ring else [])]
    return Weighted(Problem.from_options(options, weights=weights), "min")


def odd_cycles(pairs: int, longest: int, joins: int, seed: int = 0) -> Weighted:
    """Pairs up the vertices of odd cycles by cheap edges along a cycle and dear edges between two cycles.

    Items: the vertices. There are 2 * `pairs` cycles and `joins` * `pairs` dear edges. A cover uses a dear edge at each
    cycle; the linear relaxation uses half of each cheap edge instead. The first dear edges join the cycles in pairs, so
    that there is a cover.
    """
    rng = np.random.default_rng(seed)
    sizes = 2 * rng.integers(1, (longest + 1) // 2, 2 * pairs) + 1
    begin = np.cumsum(sizes) - sizes
    cheap = [(b + k, b + (k + 1) % n) for b, n in zip(begin.tolist(), sizes.tolist(), strict=True) for k in range(n)]
    ends = [rng.permutation(2 * pairs)[:2].tolist() for _ in range(pairs * (joins - 1))]
    ends = [*([2 * p, 2 * p + 1] for p in range(pairs)), *ends]
    dear = [tuple(int(begin[c] + rng.integers(sizes[c])) for c in pair) for pair in ends]
    weights = [*rng.integers(1, 100, len(cheap)).tolist(), *rng.integers(100, HEAVIEST, len(dear)).tolist()]
    return Weighted(Problem.from_options([*cheap, *dear], items=range(int(sizes.sum())), weights=weights), "min")


def partitioning(rows: int, columns: int, least: int, most: int, seed: int = 0) -> Weighted:
    """Returns random set partitioning: columns of `least` to `most` rows with a cost of about 100 for each row.

    The first columns are a partition of all rows, so that there is a cover.
    """
    rng = np.random.default_rng(seed)
    sizes: list[int] = []
    while sum(sizes) <= rows - 2 * most:
        sizes.append(int(rng.integers(least, most + 1)))
    rest = rows - sum(sizes)
    sizes += [rest] if rest <= most else [rest // 2, rest - rest // 2]
    planted = np.split(rng.permutation(rows), np.cumsum(sizes)[:-1])
    drawn = [rng.choice(rows, rng.integers(least, most + 1), replace=False) for _ in range(columns - len(planted))]
    options = [np.sort(rows_).tolist() for rows_ in [*planted, *drawn]]
    weights = [int(rng.integers(50, 151, len(option)).sum()) for option in options]
    return Weighted(Problem.from_options(options, items=range(rows), weights=weights), "min")


def crews(rows: int, columns: int, least: int, most: int, seed: int = 0) -> Weighted:
    """Returns random set partitioning with as few columns as possible: a column costs 10,001 to 11,000.

    There is a column for each single row; the other columns are different sets of `least` to `most` rows.
    """
    rng = np.random.default_rng(seed)
    options = {(row,) for row in range(rows)}
    while len(options) < columns:
        drawn = rng.choice(rows, rng.integers(least, most + 1), replace=False)
        options.add(tuple(np.sort(drawn).tolist()))
    weights = 10_000 + rng.integers(1, HEAVIEST + 1, columns)
    return Weighted(Problem.from_options(sorted(options), items=range(rows), weights=weights.tolist()), "min")


def packing(things: int, least: int, most: int, seed: int = 0) -> Weighted:
    """Packs things into bins of size 100 so that the sum of the squares of the free room is least.

    Items: the things, with sizes from `least` to `most`. An option is a set of things that fits into a bin.
    """
    sizes = np.random.default_rng(seed).integers(least, most + 1, things).tolist()
    options = [some for n in range(1, 100 // least + 1) for some in combinations(range(things), n)]
    left = {some: 100 - sum(sizes[thing] for thing in some) for some in options}
    fitting = {some: room**2 for some, room in left.items() if room >= 0}
    return Weighted(Problem.from_options([*fitting], items=range(things), weights=[*fitting.values()]), "min")


def ring(points: int, jobs: int, places: int, least: int, most: int, seed: int = 0) -> Weighted:
    """Chooses intervals of a circle that do not overlap, at most one for each job, with the largest total weight.

    Items: the jobs, and the points of the circle, which are secondary. An option is one of the `places` intervals of a
    job, of `least` to `most` points and a weight of 900 to 1000, or an omitted job with weight 0.
    """
    rng = np.random.default_rng(seed)
    options: list[list[tuple[str, int]]] = [[("job", j)] for j in range(jobs)]
    for job, length in enumerate(rng.integers(least, most + 1, jobs).tolist()):
        begins = rng.permutation(points)[:places].tolist()
        options += [[("job", job), *(("point", (b + k) % points) for k in range(length))] for b in begins]
    weights = np.append(np.zeros(jobs, np.int64), rng.integers(900, HEAVIEST + 1, jobs * places))
    secondary = [("point", k) for k in range(points)]
    return Weighted(Problem.from_options(options, secondary=secondary, weights=weights), "max")


def subgraph(edges: Sequence[tuple[Any, Any]], seed: int = 0) -> Weighted:
    """Finds the cheapest subgraph in which the degree of each vertex is in a range.

    Items: the vertices, with their ranges. About half of the ranges allow one degree, the others two. A random subgraph
    satisfies all ranges. An option is an edge.
    """
    rng = np.random.default_rng(seed)
    drawn = rng.random(len(edges)) < 0.4
    degree = dict.fromkeys((vertex for edge in edges for vertex in edge), 0)
    for k in np.flatnonzero(drawn).tolist():
        for vertex in edges[k]:
            degree[vertex] += 1
    ranges = {vertex: (d, d + int(rng.integers(2)) if d else 1) for vertex, d in degree.items()}
    weights = rng.integers(1, HEAVIEST + 1, len(edges))
    return Weighted(Problem.from_options(edges, weights=weights, multiplicities=ranges), "min")


def grid_edges(n: int) -> list[tuple[Any, Any]]:
    """Returns the edges of an n x n grid, which are the places of dominoes."""
    board = families.build("dominoes", n, n)
    return [(a, b) for a, b in map(board.option, range(board.n_options))]


def some_of(chosen: int, options: int, seed: int = 0) -> Weighted:
    """Returns a problem with one item that all options have; the heaviest `chosen` options are the best cover."""
    weights = np.random.default_rng(seed).integers(1, HEAVIEST + 1, options)
    return Weighted(Problem.from_options(["a"] * options, weights=weights, multiplicities={"a": chosen}), "max")


def transport(sources: int, sinks: int, seed: int = 0) -> Weighted:
    """Supplies each sink from different sources at least cost.

    Items: the sources and the sinks. A source supplies at most a random number of sinks; a sink needs one to four
    different sources. An option is a source with a sink.
    """
    rng = np.random.default_rng(seed)
    demand = rng.integers(1, 5, sinks)
    share = -(-int(demand.sum()) // sources)  # if every source supplies this many sinks, there is a cover
    most = share + rng.integers(0, 3, sources)
    ranges = {("source", s): (0, int(most[s])) for s in range(sources)}
    ranges |= {("sink", t): (int(demand[t]), int(demand[t])) for t in range(sinks)}
    options = [[("source", s), ("sink", t)] for s in range(sources) for t in range(sinks)]
    weights = rng.integers(1, HEAVIEST + 1, len(options))
    return Weighted(Problem.from_options(options, weights=weights, multiplicities=ranges), "min")


def deliveries(sources: int, sinks: int, seed: int = 0) -> Weighted:
    """Supplies each sink of a square from different sources at the least total distance.

    Items: the sources and the sinks, as in `transport`, but the demand is divided evenly among the sources. An option
    is a source with a sink, and costs their distance in thousandths of the side of the square.
    """
    rng = np.random.default_rng(seed)
    demand = rng.integers(1, 5, sinks)
    supply = (int(demand.sum()) + np.arange(sources)) // sources
    apart = thousandths(rng.random((sources, 1, 2)), rng.random((1, sinks, 2)))
    ranges = {("source", s): (0, most) for s, most in enumerate(supply.tolist())}
    ranges |= {("sink", t): (needed, needed) for t, needed in enumerate(demand.tolist())}
    options = [[("source", s), ("sink", t)] for s in range(sources) for t in range(sinks)]
    return Weighted(Problem.from_options(options, weights=apart.ravel(), multiplicities=ranges), "min")


def cutting(widths: int, least: int, most: int, seed: int = 0) -> Weighted:
    """Cuts rolls of width 100 into pieces of given widths, with the fewest rolls, and then with the least waste.

    Items: the widths, from `least` to `most`. Each width is needed a random number of times, or up to two times more.
    An option is a set of different widths that fits a roll. Each option has as many copies as a cover can use.
    """
    rng = np.random.default_rng(seed)
    size = rng.choice(np.arange(least, most + 1), widths, replace=False).tolist()
    demand = rng.integers(5, 16, widths).tolist()
    patterns = [some for n in range(1, widths + 1) for some in combinations(range(widths), n)]
    waste = {some: 100 - sum(size[w] for w in some) for some in patterns}
    options = [some for some in patterns if waste[some] >= 0 for _ in range(min(demand[w] for w in some))]
    ranges = {w: (d, d + 2) for w, d in enumerate(demand)}
    weights = [10_000 + waste[some] for some in options]
    return Weighted(Problem.from_options(options, weights=weights, multiplicities=ranges), "min")


def facilities(sites: int, customers: int, nearest: int, seed: int = 0) -> Weighted:
    """Opens some sites, and supplies each customer from one of the nearest sites that is open, at least cost.

    Items: the customers and the sites, and a secondary item for each site, whose colour says whether the site is open.
    An option is a customer with a site, which costs their distance in thousandths of the side of the square; an open
    site, which costs a random price; or a closed site.
    """
    rng = np.random.default_rng(seed)
    apart = thousandths(rng.random((customers, 1, 2)), rng.random((1, sites, 2)))
    near = np.argsort(apart, axis=1, kind="stable")[:, :nearest]
    state = {(s, is_open): Coloured(("state of", s), is_open) for s in range(sites) for is_open in (True, False)}
    options = [[("customer", c), state[s, True]] for c, some in enumerate(near.tolist()) for s in some]
    options += [[("site", s), state[s, is_open]] for s, is_open in state]
    prices = np.stack([rng.integers(HEAVIEST // 4, HEAVIEST + 1, sites), np.zeros(sites, np.int64)], axis=1)
    weights = np.append(np.take_along_axis(apart, near, axis=1), prices)
    secondary = [("state of", s) for s in range(sites)]
    return Weighted(Problem.from_options(options, secondary=secondary, weights=weights), "min")


def independent(items: int, options: int = 2, seed: int = 0) -> Weighted:
    """Returns items that share no option, with `options` options for each item."""
    weights = np.random.default_rng(seed).integers(1, HEAVIEST + 1, items * options)
    indices = np.repeat(np.arange(items), options)
    return Weighted(Problem.from_csr(np.arange(len(indices) + 1), indices, items, weights=weights), "max")


def together(parts: Sequence[Weighted]) -> Weighted:
    """Joins problems with the same sense into one problem."""
    weights: Whole = np.concatenate([part.problem.weights for part in parts if part.problem.weights is not None])
    return Weighted(replace(families.beside([part.problem for part in parts]), weights=weights), parts[0].sense)


def blocks(number: int, rows: int, columns: int, seed: int = 0) -> Weighted:
    """Joins small set-partitioning problems."""
    return together([partitioning(rows, columns, 2, 4, seed * number + k) for k in range(number)])


def mixture(seed: int = 0) -> Weighted:
    """Joins two hundred small set-partitioning problems and two tilings."""
    tilings = [at_random("dominoes", 12, 12, seed=seed), at_random("tetrominoes", 8, 8, seed=seed)]
    return together([blocks(100, 8, 16, seed), tilings[0], blocks(100, 12, 30, seed + 1), tilings[1]])


def target(box: int) -> Weighted:
    """Returns the empty grid of target sudoku with boxes of `box` rows and columns."""
    empty = np.zeros((box**2, box**2), dtype=np.uint8)
    return Weighted(sudoku.encode(empty, layout=(box, box), weights=sudoku.ring_weights(box**2)), "max")


# Name -> the problem; the names of one family begin with the same word.
INSTANCES: Mapping[str, Callable[[], Weighted]] = {
    "assignment 200": partial(assignment, 200),
    "assignment 12, 3-D": partial(assignment, 12, 3),
    "dominoes 40x40": partial(at_random, "dominoes", 40, 40),
    "trominoes 12x15, bent": partial(at_random, "trominoes", 12, 15, "L"),
    "tetrominoes 8x8": partial(at_random, "tetrominoes", 8, 8),
    "pentominoes 6x10": partial(at_random, "pentominoes", 6, 10),
    "matching, 120 points": partial(euclidean, 120),
    "2-factor, 60 points": partial(factor, 60, 2),
    "triangles, 30 pairs": partial(triangles, 30, False),
    "triangles, 30 pairs in a ring": partial(triangles, 30, True),
    "odd cycles, 20 pairs": partial(odd_cycles, 20, 13, 11),
    "queens 20": partial(at_random, "queens", 20),
    "latin 10": partial(at_random, "latin", 10),
    "partitioning 50 x 2,000": partial(partitioning, 50, 2_000, 3, 8),
    "partitioning 60 x 20,000": partial(partitioning, 60, 20_000, 2, 8),
    "partitioning 400 x 3,000": partial(partitioning, 400, 3_000, 2, 4),
    "crews, 21 in pairs": partial(crews, 21, 231, 2, 2),
    "crews, 61 in pairs": partial(crews, 61, 1_891, 2, 2),
    "packing, 24 things": partial(packing, 24, 22, 48, seed=1),
    "ring of 90, 60 jobs": partial(ring, 90, 60, 10, 5, 12),
    "subgraph of a 10x10 grid": lambda: subgraph(grid_edges(10)),
    "subgraph of a 20x20 grid": lambda: subgraph(grid_edges(20)),
    "subgraph of 12 vertices": lambda: subgraph([*combinations(range(12), 2)]),
    "subgraph of 30 vertices": lambda: subgraph([*combinations(range(30), 2)]),
    "ten of thirty": partial(some_of, 10, 30),
    "transport 5 to 20": partial(transport, 5, 20),
    "transport 20 to 100": partial(transport, 20, 100),
    "deliveries 40 to 150": partial(deliveries, 40, 150),
    "cutting, 8 widths": partial(cutting, 8, 15, 60, seed=2),
    "facilities 30 to 120, all": partial(facilities, 30, 120, 30),
    "components, 6,000 items": partial(independent, 6_000),
    "components, 30,000 items": partial(independent, 30_000),
    "components, 500 blocks": partial(blocks, 500, 8, 16),
    "target 16x16": partial(target, 4),
    "target 25x25": partial(target, 5),
}

# For tests and `bench_tuning.py`; `bench_best.py` does not measure these.
MORE: Mapping[str, Callable[[], Weighted]] = {
    "tetrominoes 12x12": partial(at_random, "tetrominoes", 12, 12),
    "crews, 31 in fours": partial(crews, 31, 1_500, 3, 4),
    "packing, 20 things": partial(packing, 20, 25, 50, seed=2),
    "components, 200 and two": mixture,
}


def build(name: str) -> Weighted:
    """Returns a named problem.

    >>> build("dominoes 40x40").problem
    Problem(1600 items, 3120 options, 6240 entries, weighted)
    """
    return {**INSTANCES, **MORE}[name]()
