"""A checker of covers without any code of the engine, and random problems of every kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, combinations
from warnings import catch_warnings

import numpy as np

from dlx import Coloured, Problem, ProblemError

KINDS = ("plain", "coloured", "multiple", "both")  # "multiple": with multiplicities


def is_cover(problem: Problem, cover: Iterable[int]) -> bool:
    """Returns whether different options, none without a primary item, cover each item as often as they should."""
    numbers = list(cover)
    colours = np.zeros_like(problem.indices) if problem.colours is None else problem.colours
    spans = [slice(*problem.indptr[o : o + 2]) for o in numbers]
    options = [dict(zip(problem.indices[s].tolist(), colours[s].tolist(), strict=True)) for s in spans]
    times = Counter(item for option in options for item in option)
    bounds = [(1, 1)] * problem.n_primary if problem.multiplicities is None else problem.multiplicities.tolist()
    return (
        len(set(numbers)) == len(numbers)
        and all(least <= times[item] <= most for item, (least, most) in enumerate(bounds))
        and all(agree(*pair, problem.n_primary) for pair in combinations(options, 2))
        and all(min(option) < problem.n_primary for option in options)
    )


def agree(option: dict[int, int], other: dict[int, int], n_primary: int) -> bool:
    """Returns whether two options give the same colour, and not none, to each secondary item that they share."""
    return all(option[i] == other[i] != 0 for i in option.keys() & other.keys() if i >= n_primary)


def subsets(problem: Problem) -> Iterator[tuple[int, ...]]:
    """Yields every set of options that is a cover, by brute force over all sets: for ten options, not for twenty."""
    numbers = range(problem.n_options)
    everything = chain.from_iterable(combinations(numbers, size) for size in range(problem.n_options + 1))
    return (chosen for chosen in everything if is_cover(problem, chosen))


def as_sets(covers: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    """Sorted covers; a cover that is there twice stays there twice."""
    return sorted(tuple(sorted(cover)) for cover in covers)


def rows(block: np.ndarray) -> list[tuple[int, ...]]:
    """The covers of a block, without the padding of -1."""
    return [tuple(o for o in row if o >= 0) for row in block.tolist()]


def random_problem(rng: np.random.Generator, kind: str = "plain") -> Problem:
    """A small problem of a kind that often has covers."""
    problem = partitioned(rng)
    if kind in ("coloured", "both"):
        problem = painted(rng, problem)
    return with_multiplicities(rng, problem) if kind in ("multiple", "both") else problem


def partitioned(rng: np.random.Generator) -> Problem:
    """A plain problem: some options are cut out of random partitions of the items, the others are noise."""
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
    with catch_warnings(action="ignore"):  # options without a primary item are there on purpose
        return Problem.from_options(
            [[names[i] for i in options[k]] for k in order], items=names, secondary=names[n_primary:]
        )


def large_problem(rng: np.random.Generator, n_secondary: int | None = None) -> Problem:
    """A problem of up to 150 primary items and 400 options, some of them with colours."""
    n_primary, few = int(rng.choice([10, 30, 60, 90, 150])), int(rng.choice([0, 1, 2, 3, 5, 40]))
    n_secondary = few if n_secondary is None else n_secondary
    n_items, size = n_primary + n_secondary, int(rng.integers(2, 7))
    options: list[list[int]] = []
    for _ in range(int(rng.integers(2, 6))):
        options += [part.tolist() for part in np.split(rng.permutation(n_items), range(size, n_items, size))]
    for _ in range(int(rng.integers(0, 3 * n_primary))):
        options.append(rng.choice(n_items, int(rng.integers(1, size + 1)), replace=False).tolist())
    some = rng.permutation(len(options))[:400]
    entries = [
        [Coloured(i, int(rng.choice([1, 1, 2, 3]))) if i >= n_primary and rng.random() < 0.7 else i for i in options[k]]
        for k in some
    ]
    with catch_warnings(action="ignore"):  # options without a primary item
        return Problem.from_options(entries, items=range(n_items), secondary=range(n_primary, n_items))


def painted(rng: np.random.Generator, problem: Problem) -> Problem:
    """The problem with colours: most are those of one colouring, others are at random, and some entries have none."""
    n_colours = int(rng.choice([1, 2, 3, 7]))
    secondary = problem.items[problem.n_primary :]
    colouring = dict(zip(secondary, rng.integers(0, n_colours, size=len(secondary)).tolist(), strict=True))

    def paint(item: object) -> object:
        colour = colouring[item] if rng.random() < 0.8 else int(rng.integers(0, n_colours))
        return Coloured(item, f"c{colour}") if rng.random() < 0.9 else item

    options = []
    for o in range(problem.n_options):
        given = problem.option(o)
        items = [*given, *(item for item in secondary if item not in given and rng.random() < 0.4)]
        options.append([paint(items[k]) if items[k] in colouring else items[k] for k in rng.permutation(len(items))])
    with catch_warnings(action="ignore"):
        return Problem.from_options(options, items=problem.items, secondary=secondary)


def with_multiplicities(rng: np.random.Generator, problem: Problem) -> Problem:
    """Up to ten of the options, with multiplicities that some of them often meet; now and then no options can."""
    some = rng.permutation(problem.n_options)[:10].tolist()
    options = [problem.option(o) for o in some]
    fewer = Problem.from_options(options, items=problem.items, secondary=problem.items[problem.n_primary :])
    chosen = rng.random(len(some)) < rng.uniform(0.2, 0.9)
    owner = np.repeat(np.arange(len(some)), np.diff(fewer.indptr))
    times = np.bincount(fewer.indices[chosen[owner]], minlength=fewer.n_items)[: fewer.n_primary]
    least = np.maximum(0, times - rng.geometric(0.6, size=len(times)) + 1)
    most = np.maximum(1, times + rng.geometric(0.6, size=len(times)) - 1)
    strange = rng.random(len(times)) < 0.05
    least[strange], most[strange] = rng.choice([(0, 99), (0, 2**31 - 1), (99, 100), (11, 11), (2**31 - 1, 2**31 - 1)]).T
    return replace(fewer, multiplicities=np.stack([least, most], axis=1))


def derived(rng: np.random.Generator, kind: str) -> Problem:
    """A random problem of a kind, now and then with options chosen or left out."""
    problem = random_problem(rng, kind)
    options = rng.permutation(problem.n_options)
    if rng.random() < 0.3:
        problem = problem.without(options[:2])
    if rng.random() < 0.4:
        with suppress(ProblemError):
            problem = problem.with_chosen(options[2:3])
    return problem
