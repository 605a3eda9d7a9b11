"""The work of the search for the best cover with half and with twice the value of each of its parameters.

    python benchmarks/tuning.py                  all parameters
    python benchmarks/tuning.py dives warmth     some of them

The work is counted in updates, which are the same on every machine. A row has the geometric mean, over all instances
and seeds, of the ratio to the work with the unchanged value, and the largest ratio with its instance. The table in
`docs/pricing.md` has these numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import fields
from math import exp, log
from statistics import fmean

from weighted_families import build

import dlx
from dlx.optimum.parameters import TUNED

Value = int | float | tuple[float, ...]
Search = tuple[str, int]  # an instance and a seed

SEEDS = (0, 1, 2)
LIMIT = 10.0  # seconds for a search; the work until then is counted
INSTANCES = (
    "assignment 200", "assignment 12, 3-D", "dominoes 40x40", "trominoes 12x15, bent", "tetrominoes 8x8",
    "tetrominoes 12x12", "matching, 120 points", "triangles, 30 pairs in a ring", "queens 20", "latin 10",
    "partitioning 50 x 2,000", "crews, 31 in fours", "crews, 61 in pairs", "subgraph of a 20x20 grid",
    "subgraph of 30 vertices", "transport 20 to 100", "components, 500 blocks", "components, 200 and two",
    "target 16x16",
)  # fmt: skip
LATE = ("pairing", "pairing_nodes", "pairing_sweeps")  # strong branching starts too late for these searches
ENDS = {"cooling": 1.0, "clique": 1.0, "relaxed": 2.0}  # the distance from these is halved and doubled


def times(name: str, value: Value, factor: float) -> Value:
    """The value of a parameter, multiplied by a factor."""
    if isinstance(value, tuple):
        return tuple(number + log(factor) if name == "dives" else number * factor for number in value)
    if name in ENDS:
        return ENDS[name] + (value - ENDS[name]) * factor
    return max(1, int(value * factor)) if isinstance(value, int) else value * factor


def work() -> dict[Search, float]:
    """The logarithm of the updates of each search."""
    done = {}
    for instance in INSTANCES:
        problem, sense = build(instance)
        for seed in SEEDS:
            done[instance, seed] = log(dlx.best(problem, sense=sense, seed=seed, timeout=LIMIT).updates)
    return done


def compare(name: str, before: dict[Search, float]) -> str:
    """The row of a parameter: with half and with twice its value, the mean ratio and the largest one."""
    value: Value = getattr(TUNED, name)
    row = f"{name:16}"
    for factor in (0.5, 2.0):
        object.__setattr__(TUNED, name, times(name, value, factor))  # TUNED is frozen; only this program changes it
        more = {search: updates - before[search] for search, updates in work().items()}
        worst = max(more, key=more.__getitem__)
        row += f"{exp(fmean(more.values())):8.3f}{exp(more[worst]):8.2f} {worst[0]:30}"
    object.__setattr__(TUNED, name, value)
    return row


def main(names: Sequence[str]) -> None:
    """Prints a row for each named parameter, or for all parameters, as soon as it is measured."""
    known = [field.name for field in fields(TUNED) if field.name not in LATE]
    if wrong := [name for name in names if name not in known]:
        raise SystemExit(f"there is no parameter {', '.join(wrong)}; there are {', '.join(known)}")
    before = work()
    for name in names or known:
        print(compare(name, before), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
