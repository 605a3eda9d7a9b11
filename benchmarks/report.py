"""Runs the benchmark suites and writes their records to docs/benchmarks: JSON, a table and, for two suites, a chart.

    python benchmarks/report.py                    runs every suite, then writes its report
    python benchmarks/report.py counting           only this one
    python benchmarks/report.py --render           writes tables and charts anew from the JSON that is there

A suite is a file of tests for pytest-benchmark, `bench_SUITE.py`. Its function `table` returns the page in Markdown; an
optional function `chart` draws the results. A record is the `extra_info` of a test, with the least and the median of
its seconds and its rounds.
"""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs" / "benchmarks"
BUILT = ROOT / "build" / "built.txt"

SUITES = ("best", "counting", "first", "peers", "strategies", "sudoku")

Record = dict[str, Any]

WIDTH = 6.0  # inches of every chart: on a telephone, where it fills the screen, its letters are large enough to be read
# Text and lines of charts, on white: an SVG in a README has no background of its own.
INK, QUIET, GRID = "#1f2430", "#667085", "#e4e7ec"
STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["Helvetica Neue", "Arial", "DejaVu Sans", "sans-serif"],
    "font.size": 11,
    "text.color": INK,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": QUIET,
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "figure.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "dancing-cover",
}


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]], text_columns: int = 1) -> str:
    """A Markdown table, all but its first columns aligned to the right.

    >>> print(markdown(["name", "s"], [["a", "0.1"]]))
    | name | s |
    | :-- | --: |
    | a | 0.1 |
    """
    rule = [":--"] * text_columns + ["--:"] * (len(header) - text_columns)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (header, rule, *rows))


def grouped(records: Iterable[Record], key: str) -> dict[str, dict[str, Record]]:
    """Returns the records of each problem, whose name has a key, by side.

    >>> grouped([{"grid": "a", "side": "dlx", "seconds": 1}], "grid")
    {'a': {'dlx': {'grid': 'a', 'side': 'dlx', 'seconds': 1}}}
    """
    groups: dict[str, dict[str, Record]] = {}
    for record in records:
        groups.setdefault(record[key], {})[record["side"]] = record
    return groups


def limited(record: Record) -> str:
    """The reason why a side did not end: its limit of time, or of memory."""
    return f"> {record['limit']:g} s" if record["stopped"] == "time" else "> 8 GB"


def bold(text: str, best: bool) -> str:
    """A cell of a table, emphasised if it is the best of its row."""
    return f"**{text}**" if best else text


def mean(values: Iterable[float]) -> float:
    """The geometric mean."""
    return float(np.exp(np.log(list(values)).mean()))


def duration(seconds: float) -> str:
    """A time in two significant digits and a fitting unit.

    >>> duration(0.000123), duration(0.0456), duration(7.891)
    ('0.12 ms', '46 ms', '7.9 s')
    """
    value, unit = (seconds, "s") if seconds >= 0.995 else (seconds * 1000, "ms")
    return f"{float(f'{value:.2g}'):g} {unit}"


def short(number: int) -> str:
    """A count in three significant digits.

    >>> short(85), short(12_345), short(45_600_000)
    ('85', '12.3 k', '45.6 M')
    """
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return str(number)


def plot(height: float, title: str) -> tuple[Figure, Axes]:
    """A figure with one chart and its title."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", fontsize=13, fontweight="bold")
    return figure, figure.subplots()


def ticks(axis: Axis, places: Sequence[float], text: Callable[[float], str] = duration) -> None:
    """Puts ticks at places of a logarithmic axis, with times as their default texts."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axis.set_major_locator(FixedLocator(places))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: text(value)))


def bare(axes: Axes, grid: Literal["x", "y"]) -> None:
    """Draws axes without marks and lines, but for those of a grid."""
    axes.tick_params(length=0)
    axes.grid(axis=grid)
    axes.spines[["left", "bottom"]].set_visible(False)


def bands(axes: Axes, names: Sequence[str]) -> None:
    """Gives each name a band, from above, with times or rates to the right."""
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.7)
    bare(axes, "x")


def ratio(axes: Axes, band: int, ends: tuple[float, float], text: str) -> None:
    """A line in a band between two dots, which carries their ratio."""
    axes.plot(ends, [band, band], color=QUIET, linewidth=1, zorder=2)
    place: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "bottom"}
    axes.annotate(text, ((ends[0] * ends[1]) ** 0.5, band), (0, 4), color=INK, **place)


def legend(figure: Figure, axes: Axes, colours: Mapping[str, str], columns: int) -> None:
    """Explains the colours of dots below the chart."""
    handles = [axes.plot([], [], "o", color=colour, markersize=8, label=name)[0] for name, colour in colours.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)


def machine() -> dict[str, str]:
    """The processor, and the versions of the interpreter and the compiler."""
    models = re.findall(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    compiler = subprocess.run(["cc", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return {"cpu": models[0] if models else "unknown", "python": platform.python_version(), "compiler": compiler}


def build() -> dict[str, str]:
    """The commit that was built, marked if files differ from it, and the compiler's flags, as `setup.py` noted them."""
    if not BUILT.exists():
        raise SystemExit("the kernels have not been built here: make build")
    way, _, flags = BUILT.read_text(encoding="utf-8").partition(" ")
    if way != "release":
        raise SystemExit(f"the kernels are a {way} build, which is not to be measured: make build DLX_BUILD=")
    command = ["git", "describe", "--always", "--abbrev=40", "--dirty=, dirty", "--exclude=*"]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    return {"commit": commit or "unknown", "flags": flags}


def measure(name: str) -> dict[str, Any]:
    """Runs a suite; returns the machine, the build and the suite's records."""
    host = machine() | build()
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw.json"
        options = ["-q", "--benchmark-enable", "--benchmark-disable-gc", "--benchmark-columns=min,rounds"]
        command = [sys.executable, "-m", "pytest", f"benchmarks/bench_{name}.py", *options, f"--benchmark-json={raw}"]
        subprocess.run(command, cwd=ROOT, check=True)
        benchmarks = json.loads(raw.read_text(encoding="utf-8"))["benchmarks"]
    return {"machine": host, "records": [_record(benchmark) for benchmark in benchmarks]}


def _record(benchmark: dict[str, Any]) -> Record:
    stats = benchmark["stats"]
    times = {"seconds": round(stats["min"], 7), "median": round(stats["median"], 7), "rounds": stats["rounds"]}
    return {**benchmark["extra_info"], **times}


def save(name: str, data: dict[str, Any]) -> None:
    """Writes the records of a suite, one a line."""
    DOCS.mkdir(parents=True, exist_ok=True)
    records = ",\n".join("  " + json.dumps(record) for record in data["records"])
    text = f'{{"machine": {json.dumps(data["machine"])},\n "records": [\n{records}\n]}}\n'
    (DOCS / f"{name}.json").write_text(text, encoding="utf-8")


def render(name: str) -> None:
    """Writes the table of a suite from its records, and its chart if it has one."""
    suite = importlib.import_module(f"bench_{name}")
    data = json.loads((DOCS / f"{name}.json").read_text(encoding="utf-8"))
    host = data["machine"]
    footer = f"Measured on one core of {host['cpu']}, Python {host['python']}, {host['compiler']}"
    footer += f", {host['flags']}, at commit {host['commit'][:12]}." if "commit" in host else "."
    text = f"{suite.table(data['records'])}\n\n{footer}\n"
    if hasattr(suite, "chart"):
        draw(f"{name}.svg", lambda: suite.chart(data["records"]))
        text += f"\n![{name}]({name}.svg)\n"
    (DOCS / f"{name}.md").write_text(text, encoding="utf-8")


def draw(name: str, chart: Callable[[], Figure]) -> None:
    """Writes a chart to docs/benchmarks."""
    import matplotlib

    matplotlib.use("Agg")
    with matplotlib.rc_context(STYLE):
        chart().savefig(DOCS / name, metadata={"Date": None, "Creator": None})


def main() -> None:
    """Runs the suites that are named on the command line, or all, and writes their reports."""
    parser = argparse.ArgumentParser(description="Runs benchmark suites and writes their reports to docs/benchmarks.")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"one of {', '.join(SUITES)}; all without it")
    parser.add_argument("--render", action="store_true", help="do not measure: use the JSON that is there")
    arguments = parser.parse_args()
    for name in arguments.suites or SUITES:
        if name not in SUITES:
            parser.error(f"there is no suite {name}; there are {', '.join(SUITES)}")
        if not arguments.render:
            save(name, measure(name))
        render(name)
        print(f"docs/benchmarks/{name}.md")


if __name__ == "__main__":
    main()
