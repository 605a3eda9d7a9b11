"""Times the strategies for target sudoku on grids with 0 to some millions of completions, and checks their answers.

Each has LIMIT seconds for a grid; one that does not finish is recorded as such, with what it had found. A grid that is
done within PILOT seconds is done several times, to be rid of noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from report import QUIET, Record, bold, duration, markdown, plot, power, short, ticks
from sudoku_instances import INSTANCES, KINDS, RINGS, SERIES

from sudoku.strategies import STRATEGIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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

# In the order of tables. Colours that the colour-blind can tell apart: those of Okabe and Ito (2008), but for
# the grey and a darker blue.
COLOURS = {
    "brute": "#8a8f98",
    "rows": "#56b4e9",
    "static": "#cc79a7",
    "dynamic": "#009e73",
    "dlx": "#0b5cad",
    "bound": "#d55e00",
}

NAME = 20.0  # by what factor of completions two names on one line must be apart
TIMES = (1e-4, 1e-3, 1e-2, 0.1, 1)  # seconds at the ticks

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
    return {strategy: found[strategy] for strategy in COLOURS if strategy in found}


def _row(name: str, strategies: Sequence[Results]) -> list[str]:
    instance = INSTANCES[name]
    records = [results[name] for results in strategies]
    least = min((record["seconds"] for record in records if record["finished"]), default=None)
    cells = [f"`{name}`", str(instance.givens), f"{instance.completions:,}", str(instance.best)]
    for record in records:
        time = duration(record["seconds"]) if record["finished"] else f"> {record['limit']:g} s"
        cells += [bold(time, record["finished"] and record["seconds"] == least), short(record["nodes"])]
    return cells


def chart(records: Sequence[Record]) -> Figure:
    """A line for each strategy on one grid with fewer and fewer givens: completions to the right, time upwards."""
    strategies = _by_strategy(records)
    limit = float(records[0]["limit"])
    figure, axes = plot(
        5.0, f"One grid with fewer and fewer givens: time to the proven best;\na cross: not in {limit:g} s"
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(2, 15 * max(instance.completions for instance in SERIES))
    axes.set_ylim(3e-5, 6 * limit)
    ticks(axes.yaxis, [*TIMES, limit])
    ticks(axes.xaxis, [10.0**k for k in range(1, 9)], power)
    axes.set_xlabel("completions")
    axes.tick_params(length=0)
    axes.grid(axis="y")
    axes.spines["left"].set_visible(False)
    axes.axhline(limit, color=QUIET, linewidth=1, linestyle=(0, (2, 3)))
    ends = {strategy: _draw_line(axes, strategy, results, limit) for strategy, results in strategies.items()}
    _label(axes, ends, limit)
    return figure


def _draw_line(axes: Axes, strategy: str, results: Results, limit: float) -> tuple[float, float]:
    """The times of a strategy, up to a cross on the limit at the first grid that it does not finish; where it ends."""
    records = [results[instance.name] for instance in SERIES]
    done = [bool(record["finished"]) for record in records]
    kept = done.index(False) if False in done else len(done)
    points = [(float(record["completions"]), float(record["seconds"])) for record in records[:kept]]
    cross = [(float(record["completions"]), limit) for record in records[kept : kept + 1]]
    style: dict[str, Any] = {"color": COLOURS[strategy], "markeredgecolor": "white", "zorder": 3}
    axes.plot(*zip(*points, *cross, strict=True), linewidth=2, **style)
    axes.plot(*zip(*points, strict=True), "o", markersize=5, **style)
    for x, y in cross:
        axes.plot(x, y, "X", markersize=9, **style)
    return (cross or points)[-1]


def _label(axes: Axes, ends: Mapping[str, tuple[float, float]], limit: float) -> None:
    """Writes the name of each strategy where its line ends: beside it, or above the limit in one line or more."""
    lines: list[float] = []  # where the last name in each line of names stands
    for name, end in sorted(ends.items(), key=lambda item: item[1]):
        style: dict[str, Any] = {"textcoords": "offset points", "color": COLOURS[name], "weight": "bold"}
        if end[1] < limit:
            axes.annotate(name, end, (10, -4), **style)
            continue
        line = next((k for k, x in enumerate(lines) if end[0] > NAME * x), len(lines))
        lines[line : line + 1] = [end[0]]
        axes.annotate(name, end, (0, 9 + 13 * line), ha="center", **style)
