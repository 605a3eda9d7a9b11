"""Runs the benchmark suites, and writes their records, pages and one chart to docs/benchmarks.

    python benchmarks/report.py                  runs the suites of USUAL, which takes tens of minutes
    python benchmarks/report.py counting large   runs the named suites
    python benchmarks/report.py --render         writes all pages and the chart again, from the records

A suite is a module `bench_SUITE.py`. Its function `measure` yields records, and its function `table` returns the page
in Markdown. A record has the names of a `problem` and a `side`, the processor `seconds`, and what `stopped` the side:
None, "time" or "memory". The seconds of a side that was stopped are its limit. `results.json` has the records of all
suites, with the machine and the build.
"""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import re
import subprocess
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs" / "benchmarks"
RESULTS = DOCS / "results.json"
BUILT = ROOT / "build" / "built.txt"

USUAL = ("best", "counting", "first", "peers", "rating", "strategies", "sudoku")
BY_NAME = ("large", "tdoku", "tuning")  # suites that take hours, or need a library that no package index has

Record = dict[str, Any]
Sides = Mapping[str, Record]  # side -> record of one problem


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]], text_columns: int = 1) -> str:
    """Returns a Markdown table; the first `text_columns` columns are aligned to the left, the others to the right.

    >>> print(markdown(["name", "s"], [["a", "0.1"]]))
    | name | s |
    | :-- | --: |
    | a | 0.1 |
    """
    rule = [":--"] * text_columns + ["--:"] * (len(header) - text_columns)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (header, rule, *rows))


def grouped(records: Iterable[Record]) -> dict[str, dict[str, Record]]:
    """Returns the records of each problem by side.

    >>> grouped([{"problem": "a", "side": "dlx", "seconds": 1}])
    {'a': {'dlx': {'problem': 'a', 'side': 'dlx', 'seconds': 1}}}
    """
    groups: dict[str, dict[str, Record]] = {}
    for record in records:
        groups.setdefault(record["problem"], {})[record["side"]] = record
    return groups


def measured(sides: Iterable[str], problems: Mapping[str, Sides]) -> list[str]:
    """Returns the sides that have a record of any problem."""
    return [side for side in sides if any(side in records for records in problems.values())]


def cell(record: Record | None) -> str:
    """Returns the time of a record, or the limit that stopped it, or "" if there is no record.

    >>> cell({"seconds": 0.0456, "stopped": None}), cell({"seconds": 20.0, "stopped": "time"}), cell(None)
    ('46 ms', '> 20 s', '')
    """
    if record is None:
        return ""
    if record["stopped"] == "memory":
        return "> 8 GB"
    return "> " * bool(record["stopped"]) + duration(record["seconds"])


def cells(records: Sides, sides: Iterable[str]) -> list[str]:
    """Returns the cells of a problem's row, with the least time in bold."""
    ended = {side: record["seconds"] for side, record in records.items() if not record["stopped"]}
    best = min(ended, key=lambda side: ended[side], default="")
    return [f"**{cell(records[side])}**" if side == best else cell(records.get(side)) for side in sides]


def mean(values: Iterable[float]) -> float:
    """Returns the geometric mean."""
    return float(np.exp(np.log(list(values)).mean()))


def duration(seconds: float) -> str:
    """Returns a time in ms, s or min, with two significant digits.

    >>> duration(0.000123), duration(0.0456), duration(7.891), duration(4662.0)
    ('0.12 ms', '46 ms', '7.9 s', '78 min')
    """
    value, unit = (seconds / 60, "min") if seconds >= 600 else (seconds, "s")
    value, unit = (seconds * 1000, "ms") if seconds < 0.995 else (value, unit)
    return f"{float(f'{value:.2g}'):g} {unit}"


def short(number: float) -> str:
    """Returns a count or a rate with three significant digits.

    >>> short(85), short(12_345), short(45_600_000), short(47.63)
    ('85', '12.3 k', '45.6 M', '47.6')
    """
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return f"{number:.3g}"


def host() -> dict[str, str]:
    """Returns the processor, the versions of Python and the compiler, its flags, and the commit that was built."""
    if not BUILT.exists():
        raise SystemExit("the kernels have not been built here: make build")
    build, _, flags = BUILT.read_text(encoding="utf-8").partition(" ")
    if build != "release":
        raise SystemExit(f"the kernels are a {build} build, expected a release build: make build DLX_BUILD=")
    models = re.findall(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    compiler = subprocess.run(["cc", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    command = ["git", "describe", "--always", "--abbrev=12", "--dirty=, dirty", "--exclude=*"]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    python = f"Python {platform.python_version()}"
    return {"cpu": models[0] if models else "an unknown processor", "python": python, "compiler": compiler} | {
        "flags": flags,
        "commit": f"commit {commit}",
    }


def load() -> dict[str, Any]:
    """Returns the results of all suites."""
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return results


def save(results: Mapping[str, Any]) -> None:
    """Writes the results of all suites, one record per line."""
    suites = []
    for name, suite in sorted(results.items()):
        records = ",\n".join("  " + json.dumps(record) for record in suite["records"])
        suites.append(f' "{name}": {{"host": {json.dumps(suite["host"])}, "records": [\n{records}]}}')
    RESULTS.write_text("{\n" + ",\n".join(suites) + "\n}\n", encoding="utf-8")


def page(name: str, suite: Mapping[str, Any]) -> str:
    """Returns the page of a suite from its records."""
    table = importlib.import_module(f"bench_{name}").table(suite["records"])
    return f"{table}\n\nMeasured on one core of {', '.join(suite['host'].values())}.\n"


def render(name: str, suite: Mapping[str, Any]) -> None:
    """Writes the page of a suite."""
    (DOCS / f"{name}.md").write_text(page(name, suite), encoding="utf-8")
    print(f"docs/benchmarks/{name}.md")


def run(names: Collection[str]) -> None:
    """Runs suites, and writes the records and the page of each suite when it has ended."""
    for name in names:
        suite = {"host": host(), "records": list(importlib.import_module(f"bench_{name}").measure())}
        save(load() | {name: suite})
        render(name, suite)


def main() -> None:
    """Runs the suites named on the command line, or those of USUAL, and draws the chart."""
    parser = argparse.ArgumentParser(description="Runs benchmark suites and writes their reports to docs/benchmarks.")
    known = ", ".join(USUAL + BY_NAME)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"one of {known}; by default {', '.join(USUAL)}")
    parser.add_argument("--render", action="store_true", help="do not measure: write the pages from results.json")
    arguments = parser.parse_args()
    if unknown := set(arguments.suites).difference(USUAL, BY_NAME):
        parser.error(f"there is no suite {', '.join(sorted(unknown))}; there are {known}")
    if arguments.render:
        for name, suite in load().items():
            render(name, suite)
    else:
        run(arguments.suites or USUAL)
    importlib.import_module("front").draw(load())


if __name__ == "__main__":
    main()
