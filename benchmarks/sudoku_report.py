"""The tables and the chart of sudokus: puzzles a second on five sets, completions of open grids, and the commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from report import INK, QUIET, Record, bare, markdown, short, ticks

# Side -> its name in tables; an asterisk says that it looks for one completion only.
OWN = {
    "count_many": "**`sudoku.count_many`**",
    "solve_many": "**`sudoku.solve_many`** *",
    "count_many, a grid a call": "`count_many`, a grid a call",
    "exact cover": "exact cover: `encode`, `dlx.first`, `dlx.count`",
    "cells": "backtracking: the strategy *dynamic*",
}
PEERS = {"CaDiCaL": "CaDiCaL 1.5.3, by python-sat", "CP-SAT": "CP-SAT, by ortools"}
# Sides of the chart with a colour of their own (Okabe and Ito, 2008, but for the blue); all others are grey.
COLOURS = {
    "count_many": "#0b5cad",
    "exact cover": "#56b4e9",
    "CaDiCaL": "#e69f00",
    "CP-SAT": "#009e73",
    "sudoku-rust": "#cc79a7",
}
LABELS = {"count_many": "sudoku.count_many", "exact cover": "exact cover by dlx"}
OTHERS = "#b6bdc9"

# Packages that were tried and are not measured, and why.
LEFT_OUT = (
    "sudokum 0.0.1 gives up after ten tries: it completed one of 81 puzzles of 17 givens, and 28 of 86 minimal ones",
    "sudokugen 0.2.1 did not complete the first minimal puzzle in 40 s",
    "dokusu 0.0.5 makes a folder wherever it is run; it completes about 110 minimal puzzles a second",
    "rustoku 0.16.0 (Rust) and py-libsudoku 1.0.24 (C++) have no wheels for this Python, and could not be built: the "
    "one wants the registry of Rust's crates, the other an older Python",
    "engines of exact cover that are not about sudoku are in [peers.md](peers.md), with 20 hard sudokus",
)

Sides = Mapping[str, Mapping[str, Record]]  # side -> set -> record


def table(records: Sequence[Record]) -> str:
    """Returns the rates of all sides, the numbers of puzzles, the sets, and the commands."""
    sets = _of(records, "set")
    sides = _sides(records)
    names = [record["set"] for record in sets]
    return "\n".join(
        [
            "# Sudokus a second",
            "",
            "Puzzles solved and proved to have no other completion, in a second of processor time on one thread, each",
            "side in a process of its own. A side marked with * is content with one completion, so `solve_many` stands",
            "beside it, and in the ratios below. What is timed begins with the digits of a grid in the form that a",
            "side takes, a list, a line or an array, and ends with its completion; clauses and models that are the",
            "same for all grids are made before. Other packages are called with one grid after the other; so is ours",
            "in the third row, where most of the time goes into the call. Every answer was compared with that of",
            "`sudoku`, and that with the rules. `open` is how many completions of open grids a side counts in a",
            "second; ours visits one of two where they are the same but for two candidates in each blank.",
            "",
            markdown(["", *names], [_row(side, by_set, names) for side, by_set in sides.items()]),
            "",
            *_ratios(sides, names),
            "",
            "## The sets",
            "",
            *(_about(record) for record in sets),
            "",
            "## What was measured",
            "",
            f"Each side is given {_seconds(sides):g} s on a set, and is stopped when it is in one puzzle for as long",
            "again. The puzzles of a set are in random order, and each side begins with the first: a side that comes",
            "to a few only may have been lucky. In brackets are answers that were wrong or missing.",
            "",
            markdown(["puzzles", "version", *names], [_done(side, by_set, names) for side, by_set in sides.items()]),
            "",
            "CaDiCaL is one solver for all grids that keeps what it has learnt, with the givens as assumptions: nine",
            "times faster on minimal puzzles than a solver for each grid. CP-SAT is told `exactly one` for each cell",
            "and for each digit of a unit, without threads; Z3 has the clauses of CaDiCaL in its solver for finite",
            "domains. python-constraint has `AllDifferentConstraint` for each unit.",
            "",
            "Left out:",
            "",
            *(f"* {reason}." for reason in LEFT_OUT),
            "",
            "## The command",
            "",
            "The whole process, from its start to its end: lines of 81 digits read from a file, minimal puzzles no two",
            "of which are the same, and answers written to another. Every line of the output was compared.",
            "",
            markdown(["", "lines", "processor time", "lines a second", "peak of memory"], _commands(records)),
        ]
    )


def _of(records: Sequence[Record], *what: str) -> list[Record]:
    return [record for record in records if record["what"] in what]


def _sides(records: Sequence[Record]) -> Sides:
    sides: dict[str, dict[str, Record]] = {}
    for record in _of(records, "solve", "open"):
        sides.setdefault(record["side"], {})[record["set"]] = record
    return sides


def rate(number: float) -> str:
    """So many a second, in three significant digits.

    >>> rate(436_944.9), rate(47.63), rate(0.5)
    ('437 k', '47.6', '0.5')
    """
    return short(round(number)) if number >= 100 else f"{number:.3g}"


def _rate(record: Record) -> float:
    """Returns the work of a side in a second; 0 if it has not come to an end of anything."""
    number = record["completions"] if "completions" in record else record["done"]
    return float(number) / float(record["spent"])


def _named(side: str, by_set: Mapping[str, Record]) -> str:
    if side in OWN:
        return OWN[side]
    return PEERS.get(side, side) + ("" if _proves(by_set) else " *")


def _proves(by_set: Mapping[str, Record]) -> bool:
    """Tells whether a side looks for a second completion."""
    return all(record.get("proves", True) for record in by_set.values())


def _cell(record: Record | None) -> str:
    if record is None:
        return ""
    return rate(_rate(record)) if _rate(record) else f"< {1 / record['spent']:.2g}"


def _row(side: str, by_set: Mapping[str, Record], names: Iterable[str]) -> list[str]:
    return [_named(side, by_set), *(_cell(by_set.get(name)) for name in names)]


def _best(sides: Sides, name: str) -> tuple[str, float]:
    """The fastest side of another package on a set."""
    rates = {side: _rate(by_set[name]) for side, by_set in sides.items() if side not in OWN and name in by_set}
    side = max(rates, key=lambda side: rates[side])
    return side, rates[side]


def _ratio(sides: Sides, name: str) -> tuple[str, float, float]:
    """The fastest other package on a set, what it does, and ours: `solve_many` beside one that proves nothing."""
    peer, best = _best(sides, name)
    return peer, best, _rate(sides["count_many" if _proves(sides[peer]) else "solve_many"][name])


def _ratios(sides: Sides, names: Iterable[str]) -> list[str]:
    """Compares ours with the fastest other package, all grids at once or one a call, and with exact cover."""
    rows = []
    for name in names:
        peer, best, own = _ratio(sides, name)
        call, cover = sides["count_many, a grid a call"].get(name), _rate(sides["exact cover"][name])
        one = f"{_rate(call) / best:.3g}" if call else ""
        all_ = _rate(sides["count_many"][name])
        rows.append([name, _named(peer, sides[peer]), f"{own / best:.3g}", one, f"{all_ / cover:.3g}"])
    header = ["set", "fastest other package", "ours : it", "a grid a call : it", "`count_many` : exact cover"]
    return [markdown(header, rows, text_columns=2)]


def _about(record: Record) -> str:
    """Describes a set: its size, its source and its bias."""
    guesses = "" if record["guesses"] is None else f", {record['guesses']:.3g} guesses a puzzle by `count_many`"
    size = f"{record['size']:,} grids, {record['givens']:.1f} givens in the mean{guesses}"
    return f"* **{record['set']}**: {size}. Made: {record['source']}. Bias: {record['bias']}."


def _seconds(sides: Sides) -> float:
    """Returns the time of a side: the least that any has taken whose set did not end before."""
    taken = [float(record["spent"]) for record in sides["count_many"].values() if "completions" not in record]
    return round(min(taken), 1)


def _count(record: Record | None) -> str:
    if record is None:
        return ""
    if "completions" in record:
        return f"{record['completions']:,}"
    return f"{record['done']:,}" + (f" ({record['wrong']:,})" if record["wrong"] else "")


def _done(side: str, by_set: Mapping[str, Record], names: Iterable[str]) -> list[str]:
    version = next(iter(by_set.values()))["version"]
    return [_named(side, by_set), version, *(_count(by_set.get(name)) for name in names)]


def _commands(records: Sequence[Record]) -> list[list[str]]:
    return [
        [
            f"`sudoku {record['command']}`",
            f"{record['lines']:,}",
            f"{record['spent']:.2f} s",
            rate(record["lines"] / record["spent"]),
            f"{record['megabytes']:.0f} MB",
        ]
        for record in _of(records, "command")
    ]


def chart(records: Sequence[Record]) -> Figure:
    """A band for each set, with a dot for each side: what it does a second, to the right."""
    sides = _sides(records)
    names = [record["set"] for record in _of(records, "set")]
    figure = Figure(figsize=(8, 5.2), layout="constrained")
    axes = figure.subplots()
    axes.set_xscale("log")
    axes.set_xlim(0.3, 1e7)
    ticks(axes.xaxis, [10**k for k in range(8)], lambda value: f"{round(value):,}")
    axes.set_yticks(range(len(names)), [f"{name}\ncompletions" if name == "open" else name for name in names])
    axes.set_ylim(len(names) - 0.5, -0.7)
    bare(axes, "x")
    axes.set_title("Sudokus solved and proved unique", loc="left", fontsize=13, fontweight="bold")
    axes.set_xlabel("a second of processor time, one core", color=QUIET)
    for band, name in enumerate(names):
        _draw_band(axes, band, name, sides)
    handles = [
        axes.plot([], [], "o", color=colour, markersize=8, label=LABELS.get(side, side))[0]
        for side, colour in {**COLOURS, "other packages": OTHERS}.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    return figure


def _draw_band(axes: Axes, band: int, name: str, sides: Sides) -> None:
    """The dots of a set, and a line from the fastest other package to ours, which carries their ratio."""
    _, best, own = _ratio(sides, name)
    axes.plot([best, own], [band, band], color=QUIET, linewidth=1, zorder=2)
    place: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "bottom"}
    axes.annotate(f"{own / best:.0f}x", ((own * best) ** 0.5, band), (0, 4), color=INK, **place)
    for side, by_set in sides.items():
        if name in by_set and _rate(by_set[name]) and (side in COLOURS or side not in OWN):
            colour, size = COLOURS.get(side, OTHERS), 9 if side in COLOURS else 6
            axes.plot(_rate(by_set[name]), band, "o", color=colour, markersize=size, markeredgecolor="white", zorder=3)
