"""The work of `dlx.best` with half and with twice the value of each parameter of its search.

The work is counted in updates, which are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from math import exp, log
from statistics import fmean

from report import Record, markdown
from weighted_families import build

import dlx
from dlx.optimum.parameters import TUNED

Value = int | float | tuple[float, ...]
Search = tuple[str, int]  # an instance and a seed

LITTLE = 0.05
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
ENDS = {"cooling": 1.0, "clique": 1.0, "relaxed": 2.0}  # the distance from this value is halved and doubled


def times(name: str, value: Value, factor: float) -> Value:
    """Returns the value of a parameter multiplied by a factor."""
    if isinstance(value, tuple):
        return tuple(number + log(factor) if name == "dives" else number * factor for number in value)
    if name in ENDS:
        return ENDS[name] + (value - ENDS[name]) * factor
    return max(1, int(value * factor)) if isinstance(value, int) else value * factor


def work() -> dict[Search, float]:
    """Returns the logarithm of the updates of each search."""
    done = {}
    for instance in INSTANCES:
        problem, sense = build(instance)
        for seed in SEEDS:
            done[instance, seed] = log(dlx.best(problem, sense=sense, seed=seed, timeout=LIMIT).updates)
    return done


def measure() -> Iterator[Record]:
    """Yields the mean ratio of the work for each parameter, with half and with twice its value."""
    before = work()
    for name in (field.name for field in fields(TUNED) if field.name not in LATE):
        value: Value = getattr(TUNED, name)
        ratios = {}
        for what, factor in (("half", 0.5), ("twice", 2.0)):
            object.__setattr__(TUNED, name, times(name, value, factor))  # TUNED is frozen; only this suite changes it
            ratios[what] = exp(fmean(updates - before[search] for search, updates in work().items()))
        object.__setattr__(TUNED, name, value)
        yield {"problem": name, "side": "best", **ratios}


def table(records: Sequence[Record]) -> str:
    """Returns the page: the parameters that matter, and the names of the others."""
    few = [of["problem"] for of in records if max(abs(of["half"] - 1), abs(of["twice"] - 1)) < LITTLE]
    rows = [
        [f"`{of['problem']}`", f"{of['half']:.2f}", f"{of['twice']:.2f}"] for of in records if of["problem"] not in few
    ]
    return f"""# The parameters of the search for the best cover

The work of `dlx.best`, in updates, with half and with twice the value of each parameter of `dlx/optimum/parameters.py`.
Each number is a ratio to the updates with the value in that file, as a geometric mean over {len(INSTANCES)} problems
and {len(SEEDS)} seeds. The following parameters changed the work by less than {LITTLE:.0%}: {
        ", ".join(f"`{name}`" for name in few)
    }.

{markdown(["parameter", "half", "twice"], rows)}"""
