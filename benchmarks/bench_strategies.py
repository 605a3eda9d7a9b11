"""Times the strategies for target sudoku on grids with 0 to 205 million completions, and checks their answers.

python benchmarks/report.py strategies                                 writes docs/benchmarks/strategies.md
pytest benchmarks/bench_strategies.py --benchmark-enable -k sample1    compares the strategies with pytest-benchmark
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pytest
from report import Record, cells, grouped, markdown, short
from sudoku_sets import listed
from timing import least

import sudoku

LIMIT = 10.0  # seconds for a grid; of a strategy that does not finish, the nodes are recorded
ORDER = ("brute", "rows", "static", "dynamic", "dlx", "bound")
VISITING = ("brute", "dynamic", "dlx")  # these visit all completions


def measure() -> Iterator[Record]:
    """Yields the time and the nodes of each strategy on each grid."""
    for row in listed("target"):
        for strategy in ORDER:
            seconds, result = least(_task(row, strategy))
            _check(result, row)
            times = {"seconds": seconds, "stopped": None} if result.proven else {"seconds": LIMIT, "stopped": "time"}
            yield {"problem": row["name"], "side": strategy, "nodes": result.nodes, **times}


@pytest.mark.parametrize("strategy", ORDER)
@pytest.mark.parametrize("row", [pytest.param(row, id=row["name"]) for row in listed("target")])
def test_strategy(benchmark: Any, row: dict[str, str], strategy: str) -> None:
    """A strategy finds the known best score of a grid, or is stopped."""
    _check(benchmark.pedantic(_task(row, strategy), rounds=3), row)


def _task(row: dict[str, str], strategy: str) -> partial[sudoku.Result]:
    return partial(sudoku.best, sudoku.parse(row["digits"]), strategy=strategy, timeout=LIMIT)


def _check(result: sudoku.Result, row: dict[str, str]) -> None:
    """Compares a result with the known best score and number of completions."""
    best, completions = int(row["best"]), int(row["completions"])
    assert result.score == best if result.proven else result.score is None or result.score <= best, (row, result)
    assert not result.proven or result.strategy not in VISITING or result.completions == completions, (row, result)


def table(records: Sequence[Record]) -> str:
    """Returns the page: times and nodes of every strategy on every grid, and the sources of the grids."""
    problems = grouped(records)
    header = ["grid", "givens", "completions", "best", *(head for name in ORDER for head in (name, "nodes"))]
    rows = listed("target")
    sources = "\n".join(f"- `{row['name']}`: {row['source']}." for row in rows if row["name"] not in SERIES)
    return f"""# Target sudoku: the strategies compared

Each strategy finds and proves the best completion of each grid by the contest's weights. Times are the least of several
rounds, and start with the grid as an array. A node is one trial of a digit in a cell or of an option. `> {LIMIT:g} s`
marks a strategy that did not finish, with its nodes until then.

{markdown(header, [_row(row, problems[row["name"]]) for row in rows])}

The grids:

{sources}"""


SERIES = [row["name"] for row in listed("target") if row["name"].startswith("sample1-")][1:]  # the first has the source


def _row(row: dict[str, str], records: dict[str, Record]) -> list[str]:
    givens = 81 - row["digits"].count("0")
    line = [f"`{row['name']}`", str(givens), f"{int(row['completions']):,}", row["best"]]
    for strategy, time in zip(ORDER, cells(records, ORDER), strict=True):
        line += [time, short(records[strategy]["nodes"])]
    return line
