"""Times the strategies for target sudoku on grids with 0 to some millions of completions, and checks their answers.

Each has LIMIT seconds for a grid; one that does not finish is recorded as such, with what it had found. A grid that is
done within PILOT seconds is done several times, to be rid of noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pytest
from report import Record, bold, duration, markdown, short
from sudoku_instances import INSTANCES, KINDS, RINGS, SERIES

from sudoku.strategies import STRATEGIES

LIMIT = 10.0
PILOT = 1.0


@pytest.mark.parametrize("name", INSTANCES)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_strategy(benchmark: Any, strategy: str, name: str) -> None:
    """The strategy finds the known best score, unless the limit stops it."""
    instance = INSTANCES[name]
    solve = partial(STRATEGIES[strategy], instance.grid, RINGS)
    pilot = solve(timeout=PILOT)
    rounds = max(3, min(20, int(PILOT / pilot.seconds))) if pilot.proven else 1
    result = benchmark.pedantic(partial(solve, timeout=LIMIT), rounds=rounds)
    known = {"givens": instance.givens, "completions": instance.completions, "best": instance.best}
    done = {"finished": result.proven, "score": result.score, "visited": result.completions, "nodes": result.nodes}
    benchmark.extra_info |= {"instance": name, **known, "strategy": strategy, "limit": LIMIT, **done}
    assert result.score == instance.best if result.proven else (result.score or 0) <= instance.best
    if result.proven and result.ties is not None:
        assert result.completions == instance.completions


# The report

ORDER = ("brute", "rows", "static", "dynamic", "dlx", "bound")

Results = Mapping[str, Record]  # of one strategy: by the name of the instance


def table(records: Sequence[Record]) -> str:
    """Times and nodes of every strategy on every instance, the fastest in bold."""
    strategies = _by_strategy(records)
    header = ["grid", "givens", "completions", "best", *(head for name in strategies for head in (name, "nodes"))]
    sources = "\n".join(f"- `{instance.name}`: {instance.source}." for instance in (*SERIES[:2], *KINDS))
    return f"""# Target sudoku: the strategies side by side

The best completion of each grid by the contest's weights, proven. Times are the least of several rounds
and include everything from the grid as an array to the result; a node is a digit, or an option, tried.
`> {records[0]["limit"]:g} s` is a strategy that did not finish, with the nodes it had tried by then.

{markdown(header, [_row(name, list(strategies.values())) for name in INSTANCES])}

The grids:

{sources}"""


def _by_strategy(records: Sequence[Record]) -> dict[str, Results]:
    """The records of each strategy that has any, by the name of the instance."""
    found: dict[str, dict[str, Record]] = {}
    for record in records:
        found.setdefault(record["strategy"], {})[record["instance"]] = record
    return {strategy: found[strategy] for strategy in ORDER if strategy in found}


def _row(name: str, strategies: Sequence[Results]) -> list[str]:
    instance = INSTANCES[name]
    records = [results[name] for results in strategies]
    least = min((record["seconds"] for record in records if record["finished"]), default=None)
    cells = [f"`{name}`", str(instance.givens), f"{instance.completions:,}", str(instance.best)]
    for record in records:
        time = duration(record["seconds"]) if record["finished"] else f"> {record['limit']:g} s"
        cells += [bold(time, record["finished"] and record["seconds"] == least), short(record["nodes"])]
    return cells
