"""What the tests hold the engine to: a checker that shares no code with it, and random problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from dlx import Problem


def is_cover(problem: Problem, cover: Iterable[int]) -> bool:
    """Whether different options contain each primary item once, each secondary item at most once, and none idly."""
    options = [problem.option(o) for o in cover]
    times = Counter(item for option in options for item in option)
    primary, secondary = problem.items[: problem.n_primary], problem.items[problem.n_primary :]
    return (
        all(times[item] == 1 for item in primary)
        and all(times[item] <= 1 for item in secondary)
        and all(set(option) & set(primary) for option in options)
    )


def as_sets(covers: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    """Covers in an order that does not depend on the search; the same cover twice stays there twice."""
    return sorted(tuple(sorted(cover)) for cover in covers)


def rows(block: np.ndarray) -> list[tuple[int, ...]]:
    """The covers of a block, without the -1's that fill its rows."""
    return [tuple(o for o in row if o >= 0) for row in block.tolist()]


def random_problem(rng: np.random.Generator) -> Problem:
    """A small problem that often has covers: some options are cut out of a random partition, the others are noise."""
    n_primary, n_secondary = int(rng.integers(0, 9)), int(rng.integers(0, 5))
    n_items = n_primary + n_secondary
    if n_items == 0:
        return Problem.from_csr([0], [], 0)
    options: list[list[int]] = []
    for _ in range(int(rng.integers(0, 4))):
        items = rng.permutation(n_items)
        cuts = np.sort(rng.integers(0, n_items + 1, size=int(rng.integers(0, n_items))))
        options += [part.tolist() for part in np.split(items, cuts) if len(part)]
    for _ in range(int(rng.integers(0, 12))):
        size = min(n_items, 1 + int(rng.geometric(0.5)))
        options.append(rng.choice(n_items, size=size, replace=False).tolist())
    options += [options[k] for k in rng.integers(0, len(options), size=int(rng.integers(0, 3)))] if options else []
    order = rng.permutation(len(options))
    names = [f"i{k}" for k in rng.permutation(n_items)]
    return Problem.from_options(
        [[names[i] for i in options[k]] for k in order], items=names, secondary=names[n_primary:]
    )
