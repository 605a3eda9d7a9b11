"""Algorithm X on plain dicts: slow, short and plainly right; what the kernels are tested against.

The dict-of-sets form of the algorithm is folklore; the algorithm is Knuth's (TAOCP 4B, 7.2.2.1).
"""

from __future__ import annotations

from collections.abc import Iterator

from dlx.problem import Problem


def covers(problem: Problem) -> Iterator[tuple[int, ...]]:
    """Yields every cover once, as increasing option numbers.

    >>> list(covers(Problem.from_options(["ab", "bc", "c", "a"])))
    [(0, 2), (1, 3)]
    """
    options = {o: set(problem.option(o)) for o in range(problem.n_options)}
    primary = problem.items[: problem.n_primary]
    uses = {item: {o for o, option in options.items() if item in option} for item in problem.items}

    def extend(chosen: tuple[int, ...], wanted: set[object], live: set[int]) -> Iterator[tuple[int, ...]]:
        if not wanted:
            yield tuple(sorted(chosen))
            return
        item = min((i for i in primary if i in wanted), key=lambda i: len(uses[i] & live))
        for o in sorted(uses[item] & live):
            clash = set().union(*(uses[i] for i in options[o]))
            yield from extend((*chosen, o), wanted - options[o], live - clash)

    yield from extend((), set(primary), set(options))
