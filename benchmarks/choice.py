"""The time of `count`, compared with each of its two methods, on 135 problems.

    python benchmarks/choice.py                  all problems
    python benchmarks/choice.py queens latin     problems whose names begin with a given word

A row has the number of covers, and the processor time of `count` and of each method, the least of several runs in turn.
A method that was stopped after LIMIT seconds is shown as `-`. The last lines have the sums, and the problems on which
`count` took longer than MOST times the better method plus SPARE seconds.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
from families import SIXTEEN_GIVENS, beside, build, tilings

from dlx import Coloured, Problem, count
from dlx.counting.layers import Layered
from dlx.engine.dispatch import build as visiting
from dlx.engine.limits import Limits, Loop

LIMIT = 5.0  # seconds for a method
RUNS, BRIEF = 3, 1.0  # runs of a method that takes less than BRIEF seconds; a slower method has one run
MOST, SPARE = 1.15, 0.015  # `count` may take MOST times the better method plus SPARE seconds
WAYS: dict[str, Callable[[Problem], Any]] = {
    "visiting": visiting,
    "layers": Layered,
}
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
    "words": [(100,), (400,), (1000,)],
    "words_plain": [(100,), (400,)],
    "matchings": [(5,), (6,), (7,), (8,), (9,), (10,)],
    "partitions": [(8,), (10,), (11,), (12,)],
    "steiner": [(7,), (9,), (13,)],
    "tournaments": [(6,), (8,)],
    "grids": [(2, 2), (2, 3)],
}


def skolem(n: int) -> Problem:
    """Arranges 1, 1, 2, 2, ..., n, n in a line so that the two k's are k apart (T. Skolem, 1957)."""
    return Problem.from_options([[k, ("at", i), ("at", i + k)] for k in range(1, n + 1) for i in range(2 * n - k)])


def named_days(n: int) -> Problem:
    """Schedules n teams as `tournaments` does, on named days; the games of team 0 are fixed."""
    pairs = list(combinations(range(n), 2))
    days = ((pair, day) for pair in pairs for day in range(n - 1) if pair[0] or day == pair[1] - 1)
    return Problem.from_options([[pair, *((team, "on", day) for team in pair)] for pair, day in days])


def torus(rows: int, columns: int) -> Problem:
    """Tiles a torus with dominoes."""
    cells = list(product(range(rows), range(columns)))
    down = [((r, c), ((r + 1) % rows, c)) for r, c in cells]
    return Problem.from_options(down + [((r, c), (r, (c + 1) % columns)) for r, c in cells])


def diamond(n: int) -> Problem:
    """Tiles the Aztec diamond of order n with dominoes: 2^(n (n + 1) / 2) ways."""
    odd = [2 * k - 2 * n + 1 for k in range(2 * n)]
    cells = {(r, c) for r in range(2 * n) for c in range(2 * n) if abs(odd[r]) + abs(odd[c]) <= 2 * n}
    pairs = [(cell, (cell[0] + d, cell[1] + 1 - d)) for cell in sorted(cells) for d in (0, 1)]
    return Problem.from_options([pair for pair in pairs if pair[1] in cells])


def sums(n: int, total: int) -> Problem:
    """Fills an n x n matrix with zeros and ones so that each row and column adds up to a total."""
    lines = [(line, k) for line in "rc" for k in range(n)]
    squares = [[("r", r), ("c", c)] for r, c in product(range(n), repeat=2)]
    return Problem.from_options(squares, multiplicities=dict.fromkeys(lines, total))


def colourings(vertices: int, edges: int, colours: int, seed: int) -> Problem:
    """Colours a random graph; each edge has a secondary item for each colour."""
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(vertices), 2))
    graph = [pairs[k] for k in rng.choice(len(pairs), edges, replace=False)]
    options = [[v, *((*edge, c) for edge in graph if v in edge)] for v in range(vertices) for c in range(colours)]
    return Problem.from_options(options, secondary=[(*edge, c) for edge in graph for c in range(colours)])


def random_covers(items: int, options: int, size: int, seed: int) -> Problem:
    """Returns random options, and the options of three random covers."""
    rng = np.random.default_rng(seed)
    planted = [part.tolist() for _ in range(3) for part in np.split(rng.permutation(items), range(size, items, size))]
    others = [rng.choice(items, rng.integers(2, size + 1), replace=False).tolist() for _ in range(options)]
    return Problem.from_options(planted + others, items=range(items))


def three_dimensional(n: int, triples: int, seed: int) -> Problem:
    """Matches n things of each of three kinds by random triples (three-dimensional matching)."""
    rng = np.random.default_rng(seed)
    chosen = {tuple(map(int, rng.integers(0, n, 3))) for _ in range(triples)}
    return Problem.from_options([list(zip("abc", some, strict=True)) for some in sorted(chosen)])


def cubes(n: int) -> Problem:
    """Matches each corner of an n-dimensional cube with a neighbour (perfect matchings)."""
    return Problem.from_options([(v, v ^ 1 << k) for v in range(1 << n) for k in range(n) if not v >> k & 1])


def coloured_path(n: int, colours: int) -> Problem:
    """Colours the n + 1 points of a path so that neighbours have different colours."""
    ends = list(permutations(range(colours), 2))
    options = [[k, Coloured(("end", k), a), Coloured(("end", k + 1), b)] for k in range(n) for a, b in ends]
    return Problem.from_options(options, items=range(n), secondary=[("end", k) for k in range(n + 1)])


def repeated(piece: str, rows: int, columns: int) -> Problem:
    """Tiles a board with copies of one piece in any orientation."""
    return tilings([PIECES[piece]], rows, columns)


PIECES = {"T": (".#.", "###"), "Y": ("####", ".#.."), "L": ("##", "#.")}


def problems() -> Iterator[tuple[str, Callable[[], Problem]]]:
    """Yields the name of each problem, and a function that makes the problem."""
    for family, several in SIZES.items():
        for sizes in several:
            yield f"{family} {'x'.join(map(str, sizes))}", partial(build, family, *sizes)
    own: list[tuple[Callable[..., Problem], list[tuple[Any, ...]]]] = [
        (skolem, [(8,), (9,), (12,)]),
        (named_days, [(6,), (8,)]),
        (torus, [(6, 6), (4, 10), (8, 8)]),
        (diamond, [(4,), (6,), (10,)]),
        (sums, [(4, 2), (5, 2), (6, 2), (6, 3), (7, 2), (8, 2)]),
        (colourings, [(12, 24, 3, 0), (16, 28, 3, 1), (20, 30, 3, 2), (14, 40, 4, 3), (18, 24, 4, 4), (24, 30, 3, 5)]),
        (random_covers, [(30, 150, 5, s) for s in range(4)] + [(60, 300, 6, s) for s in range(4)]),
        (random_covers, [(24, 400, 4, s) for s in range(3)] + [(40, 120, 3, s) for s in range(3)]),
        (three_dimensional, [(8, 120, s) for s in range(3)] + [(12, 150, s) for s in range(3)] + [(16, 160, 9)]),
        (cubes, [(3,), (4,), (5,)]),
        (coloured_path, [(12, 3), (30, 3), (20, 5), (60, 2)]),
        (repeated, [("T", 4, 16), ("T", 8, 8), ("T", 8, 40), ("T", 12, 12), ("Y", 10, 10), ("Y", 5, 20)]),
        (repeated, [("Y", 10, 20), ("L", 6, 8), ("L", 9, 9), ("L", 4, 30)]),
        (queens_with_slack, [(12,)]),
    ]
    for function, several in own:
        for arguments in several:
            yield f"{function.__name__} {'x'.join(map(str, arguments))}", partial(function, *arguments)
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


def queens_with_slack(n: int) -> Problem:
    """Places n queens; each diagonal is covered by a queen or by a slack option."""
    cells = product(range(n), repeat=2)
    squares = [[("row", r), ("column", c), ("sum", r + c), ("difference", r - c)] for r, c in cells]
    slack = sorted({diagonal for square in squares for diagonal in square[2:]})
    return Problem.from_options([*squares, *([diagonal] for diagonal in slack)])


def timed(runs: list[Callable[[], int | None]]) -> list[tuple[float, int | None]]:
    """Returns the least processor time of each function, and its number of covers, or None if it was stopped.

    The functions run in turn, because the time of layers varies by a third with the memory that earlier runs have left.
    """
    least = [math.inf] * len(runs)
    covers: list[int | None] = [None] * len(runs)
    for turn in range(RUNS):
        for k, run in enumerate(runs):
            if turn == 0 or least[k] < BRIEF:
                begin = time.process_time()
                covers[k] = run()
                least[k] = min(least[k], time.process_time() - begin)
    return list(zip(least, covers, strict=True))


def auto(problem: Problem) -> int | None:
    """Returns the number of covers by `count`."""
    result = count(problem, timeout=2 * LIMIT)
    return result.covers if result.exhausted else None


def alone(way: Callable[[Problem], Any], problem: Problem) -> int | None:
    """Returns the number of covers by one method."""
    with Loop(Limits.of(timeout=LIMIT)) as loop:
        search = way(problem)
        for _ in loop.slices(search):
            pass
    return search.covers if loop.exhausted else None


def measure(name: str, problem: Problem) -> tuple[str, float, float]:
    """Returns the row of a problem, and the seconds of `count` and of the better method."""
    problem.rows()
    sides = timed([partial(auto, problem), *(partial(alone, way, problem) for way in WAYS.values())])
    known = {covers for _, covers in sides if covers is not None}
    assert len(known) <= 1, f"{name}: {known}"
    shown = f"{known.pop():,}" if known else "?"
    times = [f"{'-' if covers is None else f'{seconds:.3f}':>10}" for seconds, covers in sides]
    best = min((seconds for seconds, covers in sides[1:] if covers is not None), default=sides[0][0])
    return f"{name:34}{shown:>40}{''.join(times)}", sides[0][0], best


def main(names: list[str]) -> None:
    """Prints a row for each problem, the sums, and the problems on which `count` took too long."""
    print(f"{'problem':34}{'covers':>40}" + "".join(f"{way:>10}" for way in ("auto", *WAYS)))
    found: list[tuple[str, float, float]] = []
    for name, make in problems():
        if not names or name.startswith(tuple(names)):
            row, seconds, best = measure(name, make())
            print(row, flush=True)
            found.append((name, seconds, best))
    slow = [(name, seconds, best) for name, seconds, best in found if seconds > MOST * best + SPARE]
    autos, bests = sum(seconds for _, seconds, _ in found), sum(best for *_, best in found)
    print(f"{len(found)} problems: {autos:.2f} s, by the better method {bests:.2f} s")
    print(f"more than {MOST} times the better method plus {SPARE * 1000:.0f} ms: {len(slow)}")
    for name, seconds, best in slow:
        print(f"{name}: {seconds:.3f} s, the better method {best:.3f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
