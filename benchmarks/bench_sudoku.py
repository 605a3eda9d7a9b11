"""Sudokus solved and proved unique: `sudoku` beside other packages of the package index, with every answer checked.

Each side runs in its own process (`sudoku_sides.py`), and solves puzzles of a set (`sudoku_sets.py`) for SECONDS. The
answers of `sudoku.solve_many` are checked by the rules, and other answers are compared with them; the
wrong answers of other sides are counted.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from apart import Stopwatch, missing, started
from report import Record, markdown, short
from sudoku_sets import SETS, build
from sudoku_sides import FIRST_ONLY, SIDES

import sudoku

SECONDS = 1.5  # of processor time for a side on a set
SIZE = 20_000  # puzzles of a set
ONE = "17 givens", "hard", "minimal", "open", "unsolvable"  # sets that are also run with one call for each grid
ROUNDS = 3  # calls for each grid; the fastest counts
SOLVED = ("17 givens", "hard", "minimal", "24-30 givens", "easy")
OWN = {  # side -> its name in tables
    "count_many": "**`sudoku.count_many`**",
    "solve_many": "**`sudoku.solve_many`** *",
    "count_many, a grid a call": "`count_many`, a grid a call",
    "exact cover": "exact cover: `encode`, `dlx.first`, `dlx.count`",
}
CLOCK = Stopwatch()
pytestmark = pytest.mark.benchmark(timer=CLOCK)

Grids = npt.NDArray[np.uint8]


def keeps_the_rules(completions: Grids, grids: Grids) -> npt.NDArray[np.bool_]:
    """Returns whether completions have every digit once in each row, column and box, and the givens of their grids."""
    rows = completions.reshape(-1, 9, 9)
    boxes = rows.reshape(-1, 3, 3, 3, 3).swapaxes(2, 3).reshape(-1, 9, 9)
    units = np.concatenate([rows, rows.swapaxes(1, 2), boxes], axis=1)
    fair = (np.sort(units, axis=2) == np.arange(1, 10)).all(axis=(1, 2))
    kept: npt.NDArray[np.bool_] = fair & ((grids == 0) | (grids == completions)).all(axis=1)
    return kept


@cache
def solved(name: str, size: int) -> tuple[Grids, Grids, float]:
    """A set, its completions, and how many guesses there were for a puzzle; each has one completion."""
    grids = build(name, size)
    found = sudoku.count_many(grids, 2)
    completions = found.completions.reshape(-1, 81)
    assert (found.counts == 1).all()
    assert keeps_the_rules(completions, grids).all()
    return grids, completions, found.nodes / size


def wrong(found: list[list[list[int]]], completions: Grids) -> int:
    """Counts the answers that are not a list of the one completion."""
    expected = completions[: len(found)].tolist()
    return sum(answer != [completion] for answer, completion in zip(found, expected, strict=True))


def run_side(side: str, grids: Grids) -> dict[str, Any]:
    """Runs a side in its own process, and returns its output."""
    process = started("sudoku_sides.py", side, SECONDS, {"grids": grids, "example": build("easy", 1)[0]})
    assert not process.returncode, process.stderr.decode()
    result: dict[str, Any] = json.loads(process.stdout)
    CLOCK.seconds += result["seconds"]
    return result


@pytest.mark.parametrize("name", SOLVED)
def test_set(benchmark: Any, name: str) -> None:
    """Each puzzle of a set has one completion; the mean numbers of givens and guesses are recorded."""
    size = SIZE if benchmark.enabled else 100
    grids, _, guesses = benchmark.pedantic(solved, args=(name, size), rounds=1)
    givens = float((grids > 0).sum(axis=1).mean())
    benchmark.extra_info.update(what="set", set=name, size=size, givens=givens, guesses=guesses)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", SOLVED)
def test_solve(benchmark: Any, name: str, side: str) -> None:
    """Our sides find the completion of each puzzle; what others do not find is recorded."""
    if reason := missing(side):
        pytest.skip(reason)
    grids, completions, _ = solved(name, SIZE if benchmark.enabled else 20)
    record = benchmark.pedantic(run_side, args=(side, grids), rounds=1)
    found = record.pop("found")
    not_right = wrong(found, completions)
    assert side not in OWN or not not_right
    info = {"what": "solve", "set": name, "side": side}
    # pytest-benchmark has a field `seconds` of its own.
    benchmark.extra_info.update(**info, checked=len(found), wrong=not_right, spent=record.pop("seconds"), **record)


@pytest.mark.parametrize("name", ONE)
def test_one(benchmark: Any, name: str) -> None:
    """One call for each grid of a set counts its completions up to two; the median and the worst time are recorded."""
    grids = build(name, 1000 if benchmark.enabled else 20)

    def run() -> list[float]:
        least = [min(_seconds(grid) for _ in range(ROUNDS)) for grid in grids]
        CLOCK.seconds += sum(least)
        return least

    least = benchmark.pedantic(run, rounds=1)
    worst = sudoku.to_line(grids[int(np.argmax(least))])
    times = {"typical": float(np.median(least)), "worst": max(least)}
    benchmark.extra_info.update(what="one", set=name, size=len(grids), **times, grid=worst)


def _seconds(grid: Grids) -> float:
    """The processor time of a call."""
    begun = time.process_time()
    sudoku.count(grid, max_covers=2)
    return time.process_time() - begun


# The report

PEERS = {"CaDiCaL": "CaDiCaL 1.5.3, by python-sat", "CP-SAT": "CP-SAT, by ortools"}
Records = Mapping[str, Record]  # set -> record


def table(records: Sequence[Record]) -> str:
    """The rates of all sides, and the sets."""
    sets = _of(records, "set")
    sides = _sides(records)
    names = [record["set"] for record in sets]
    about = "\n".join(map(_about, sets))
    others = "\n".join(f"* **{name}**: {SETS[name][1]}." for name in ONE if name not in names)
    seconds = min(record["spent"] for record in sides["count_many"].values())
    ratios = ["set", "fastest other package", "ours : it", "a grid a call : it", "`count_many` : exact cover"]
    return f"""# Sudokus a second

Puzzles solved and proved unique per second of processor time on one thread. Each side runs in its own
process. A side marked with * stops at one completion; the ratios below compare it with `solve_many`. Time
runs from the digits of a grid, in the form that a side takes, to its completion. Clauses and models that all
grids share are made beforehand. Other packages get one grid per call; so does ours in the third row, where the call
takes most of the time. The answers of `sudoku` are checked by the rules, all others are compared with them.

{markdown(["", *names], [_row(side, by_set, names) for side, by_set in sides.items()])}

{markdown(ratios, [_ratios(sides, name) for name in names], text_columns=2)}

## The sets

{about}

## The measurements

Each side gets {round(seconds, 1):g} s on a set, and finishes the puzzle that it has begun. The order of the puzzles
is random, and the same for all sides; the rate of a side that solves only a few depends on chance. {_faults(sides)}

One CaDiCaL solver handles all grids and keeps its learnt clauses; the givens are assumptions. On minimal
puzzles this is nine times faster than a solver for each grid. CP-SAT gets `exactly one` for each cell and for
each digit of a unit, and one thread. [peers.md](peers.md) has engines of exact cover on 20 hard sudokus.

## One grid per call

`sudoku.count(grid, max_covers=2)` for each of {_of(records, "one")[0]["size"]:,} grids of a set, in milliseconds of
processor time, the least of {ROUNDS} calls. If the kernel of plain sudoku makes 500 guesses without
a completion, the search continues as exact cover.

{markdown(["set", "median", "worst", "the worst grid"], _ones(records), text_columns=1)}

{others}"""


def _of(records: Sequence[Record], what: str) -> list[Record]:
    return [record for record in records if record["what"] == what]


def _sides(records: Sequence[Record]) -> Mapping[str, Records]:
    """The records of each side by the set."""
    sides: dict[str, dict[str, Record]] = {}
    for record in _of(records, "solve"):
        sides.setdefault(record["side"], {})[record["set"]] = record
    return sides


def rate(number: float) -> str:
    """A rate per second in three significant digits.

    >>> rate(436_944.9), rate(47.63), rate(0.5)
    ('437 k', '47.6', '0.5')
    """
    return short(round(number)) if number >= 100 else f"{number:.3g}"


def _rate(record: Record) -> float:
    """The puzzles that a side solves in a second."""
    return float(record["done"] / record["spent"])


def _named(side: str) -> str:
    """The name of a side in tables; an asterisk says that it looks for one completion only."""
    return OWN.get(side) or PEERS.get(side, side) + (" *" if side in FIRST_ONLY else "")


def _row(side: str, by_set: Records, names: Sequence[str]) -> list[str]:
    return [_named(side), *(rate(_rate(by_set[name])) for name in names)]


def _faults(sides: Mapping[str, Records]) -> str:
    """The answers of other packages that were wrong or missing."""
    wrong = [
        f"{of['wrong']:,} answers of {_named(side)} on {name}"
        for side, by_set in sides.items()
        for name, of in by_set.items()
        if of.get("wrong")
    ]
    return f"Wrong or missing were {', '.join(wrong)}." if wrong else "No answer was wrong or missing."


def _fastest(sides: Mapping[str, Records], name: str) -> tuple[str, float, float]:
    """The fastest other package on a set, its rate, and ours: `solve_many` beside one that proves nothing."""
    rates = {side: _rate(by_set[name]) for side, by_set in sides.items() if side not in OWN}
    peer = max(rates, key=lambda side: rates[side])
    return peer, rates[peer], _rate(sides["solve_many" if peer in FIRST_ONLY else "count_many"][name])


def _ratios(sides: Mapping[str, Records], name: str) -> list[str]:
    """Compares ours with the fastest other package, all grids at once or one a call, and with exact cover."""
    peer, best, own = _fastest(sides, name)
    one = _rate(sides["count_many, a grid a call"][name]) / best
    over = _rate(sides["count_many"][name]) / _rate(sides["exact cover"][name])
    return [name, _named(peer), f"{own / best:.3g}", f"{one:.3g}", f"{over:.3g}"]


def _about(record: Record) -> str:
    """Describes a set: its size, its source and its bias."""
    _, source, bias = SETS[record["set"]]
    size = f"{record['size']:,} grids, {record['givens']:.1f} givens in the mean"
    guesses = f"{record['guesses']:.3g} guesses a puzzle by `count_many`"
    return f"* **{record['set']}**: {size}, {guesses}. Made: {source}. Bias: {bias}."


def _ones(records: Sequence[Record]) -> list[list[str]]:
    return [
        [of["set"], f"{1e3 * of['typical']:.3g}", f"{1e3 * of['worst']:.3g}", f"`{of['grid']}`"]
        for of in _of(records, "one")
    ]
