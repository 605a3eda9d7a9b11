"""Algorithm X on plain dicts: slow, short and easy to check. Tests compare the kernels with it.

The algorithm, colours and multiplicities are Knuth's (TAOCP 4B, 7.2.2.1); the form with dicts of sets is folklore.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

from dlx.problem.problem import Coloured, Problem
from dlx.problem.roles import CHOSEN, LEFT_OUT


def covers(problem: Problem) -> Iterator[tuple[int, ...]]:
    """Yields every cover once, as increasing option numbers.

    >>> list(covers(Problem.from_options(["ab", "bc", "c", "a"])))
    [(0, 2), (1, 3)]
    >>> list(covers(Problem.from_options(["a", "a", "a"], multiplicities={"a": 2})))
    [(0, 1), (0, 2), (1, 2)]
    """
    options = {o: dict(_entry(entry) for entry in problem.option(o)) for o in range(problem.n_options)}
    uses = {item: {o for o in options if item in options[o]} for item in problem.items}
    primary = problem.items[: problem.n_primary]
    pairs = [(1, 1)] * len(primary) if problem.multiplicities is None else problem.multiplicities.tolist()
    least, most = ({item: pair[k] for item, pair in zip(primary, pairs, strict=True)} for k in (0, 1))
    roles = [] if problem.roles is None else problem.roles.tolist()
    idle = {o for o in options if least.keys().isdisjoint(options[o])}
    left_out = {o for o, role in enumerate(roles) if role == LEFT_OUT}
    forced = {o for o, role in enumerate(roles) if role == CHOSEN}

    def clashing(o: int, times: Counter[Hashable]) -> set[int]:
        """Returns the options that cannot be chosen after o; `times` has the number of chosen options of each item."""
        gone: set[int] = set()
        for item, colour in options[o].items():
            if item in most:
                gone |= uses[item] if times[item] == most[item] else set()
            else:
                gone |= {p for p in uses[item] if not colour or options[p][item] != colour}
        return gone

    def extend(chosen: tuple[int, ...], times: Counter[Hashable], live: set[int]) -> Iterator[tuple[int, ...]]:
        wanted = [item for item in primary if times[item] < least[item]]
        if not wanted and forced.issubset(chosen):
            yield tuple(sorted(chosen))
        item = min(wanted, key=lambda i: len(uses[i] & live) - least[i] + times[i], default=None)
        if item is not None and len(uses[item] & live) < least[item] - times[item]:
            return
        for o in sorted(live if item is None else uses[item] & live):
            live = live - {o}  # later covers are without o, so no cover comes twice
            more = times + Counter(options[o].keys())
            yield from extend((*chosen, o), more, live - clashing(o, more))

    yield from extend((), Counter(), set(options) - idle - left_out)


def _entry(entry: object) -> tuple[Hashable, tuple[Hashable, ...]]:
    """Returns the item of an entry of an option, and a tuple with its colour, or () without a colour."""
    return (entry.item, (entry.colour,)) if isinstance(entry, Coloured) else (entry, ())
