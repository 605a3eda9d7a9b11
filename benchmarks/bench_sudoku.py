"""Sudokus solved and proved unique: `sudoku` beside other packages of the package index, with every answer checked.

Each side solves puzzles of a set (`sudoku_sets.py`) for SECONDS. The completions of `sudoku.count_many` are checked by
the rules, and other answers are compared with them; the wrong answers of other sides are counted.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from report import Record, Sides, grouped, markdown, measured, short
from sudoku_sets import SETS, build
from sudoku_sides import FIRST_ONLY, OWN, SIDES, run
from timing import apart, installed

import sudoku

SECONDS = 1.5  # of processor time for a side on a set
SIZE = 20_000  # puzzles of a set
SOLVED = ("17 givens", "hard", "minimal", "24-30 givens", "easy")
ONE = ("17 givens", "hard", "minimal", "open", "unsolvable")  # sets that are also run with one call for each grid
CALLS = 1_000  # grids of such a set
ROUNDS = 3  # calls for each grid; the fastest counts
NAMES = {  # side -> its name in tables; an asterisk says that it looks for one completion only
    "count_many": "**`sudoku.count_many`**",
    "solve_many": "**`sudoku.solve_many`** *",
    "count_many, a grid a call": "`count_many`, a grid a call",
    "exact cover": "exact cover: `encode`, `dlx.first`, `dlx.count`",
    "CaDiCaL": "CaDiCaL 1.5.3, by python-sat",
    "CP-SAT": "CP-SAT, by ortools",
    "sudoku-rust": "sudoku-rust *",
}

Grids = npt.NDArray[np.uint8]


def keeps_the_rules(completions: Grids, grids: Grids) -> npt.NDArray[np.bool_]:
    """Returns whether completions have every digit once in each row, column and box, and the givens of their grids."""
    rows = completions.reshape(-1, 9, 9)
    boxes = rows.reshape(-1, 3, 3, 3, 3).swapaxes(2, 3).reshape(-1, 9, 9)
    units = np.concatenate([rows, rows.swapaxes(1, 2), boxes], axis=1)
    fair = (np.sort(units, axis=2) == np.arange(1, 10)).all(axis=(1, 2))
    kept: npt.NDArray[np.bool_] = fair & ((grids == 0) | (grids == completions)).all(axis=1)
    return kept


def measure() -> Iterator[Record]:
    """Yields the rate of each side on each set, and the time of one call for each grid."""
    for name in SOLVED:
        grids = build(name, SIZE)
        found = sudoku.count_many(grids, 2)
        completions = found.completions.reshape(-1, 81)
        assert (found.counts == 1).all()
        assert keeps_the_rules(completions, grids).all()
        about = {"givens": float((grids > 0).sum(axis=1).mean()), "guesses": found.nodes / SIZE, "size": SIZE}
        for side in installed(SIDES):
            (((done, spent, answers),), _) = apart(run, side, grids, SECONDS)
            expected = [[one] for one in completions[: len(answers)].tolist()]
            wrong = sum(one != other for one, other in zip(answers, expected, strict=True))
            assert side not in OWN or not wrong, (name, side)
            record = {"problem": name, "side": side, "rate": done / spent, "wrong": wrong, "seconds": spent}
            yield record | {"stopped": None} | (about if side == "count_many" else {})
    for name in ONE:
        grids = build(name, CALLS)
        times = [min(_seconds(grid) for _ in range(ROUNDS)) for grid in grids]
        grid = sudoku.to_line(grids[int(np.argmax(times))])
        record = {"problem": name, "side": "one call", "worst": max(times), "grid": grid}
        yield record | {"seconds": float(np.median(times)), "stopped": None}


def _seconds(grid: Grids) -> float:
    """The processor time of a call."""
    begun = time.process_time()
    sudoku.count(grid, max_covers=2)
    return time.process_time() - begun


def table(records: Sequence[Record]) -> str:
    """Returns the page: the rates of all sides, the sets, and the times of single calls."""
    problems = grouped(records)
    sets = {name: problems[name] for name in SOLVED}
    rates = [[NAMES[side], *(short(of[side]["rate"]) for of in sets.values())] for side in measured(NAMES, sets)]
    ratios = ["set", "fastest other package", "ours : it", "a grid a call : it", "`count_many` : exact cover"]
    others = "\n".join(f"* **{name}**: {SETS[name][1]}. Bias: {SETS[name][2]}." for name in ONE if name not in SOLVED)
    return f"""# Sudokus a second

Puzzles solved and proved unique per second of processor time on one thread. Each side runs in its own
process. A side marked with * stops at one completion; the ratios below compare it with `solve_many`. Time
runs from the digits of a grid, in the form that a side takes, to its completion. Clauses and models that all
grids share are made beforehand. Other packages get one grid per call; so does ours in the third row, where the call
takes most of the time. The answers of `sudoku` are checked by the rules, all others are compared with them.

{markdown(["", *sets], rates)}

{markdown(ratios, [_ratios(*one) for one in sets.items()], text_columns=2)}

## The sets

{chr(10).join(_about(name, of["count_many"]) for name, of in sets.items())}
{others}

## The measurements

Each side gets {SECONDS:g} s on a set, and finishes the puzzle that it has begun. The order of the puzzles
is random, and the same for all sides; the rate of a side that solves only a few depends on chance. {_faults(records)}

One CaDiCaL solver handles all grids and keeps its learnt clauses; the givens are assumptions. On minimal
puzzles this is nine times faster than a solver for each grid. CP-SAT gets `exactly one` for each cell and for
each digit of a unit, and one thread. [peers.md](peers.md) has engines of exact cover on 20 hard sudokus.

## One grid per call

`sudoku.count(grid, max_covers=2)` for each of {CALLS:,} grids of a set, in milliseconds of processor time, the least of
{ROUNDS} calls. If the kernel of plain sudoku makes 500 guesses without a completion, the search continues as exact
cover.

{markdown(["set", "median", "worst", "the worst grid"], [_call(name, problems[name]["one call"]) for name in ONE])}"""


def _faults(records: Sequence[Record]) -> str:
    """The answers of other packages that were wrong or missing."""
    wrong = [f"{of['wrong']:,} of {of['side']} on {of['problem']}" for of in records if of.get("wrong")]
    return f"Wrong or missing answers: {', '.join(wrong)}." if wrong else "No answer was wrong or missing."


def _ratios(name: str, sides: Sides) -> list[str]:
    """Compares ours with the fastest other package, all grids at once or one a call, and with exact cover."""
    rates = {side: record["rate"] for side, record in sides.items() if "rate" in record}
    peer = max(rates.keys() - set(OWN), key=lambda side: rates[side])
    own = rates["solve_many" if peer in FIRST_ONLY else "count_many"]
    each, cover = rates["count_many, a grid a call"] / rates[peer], rates["count_many"] / rates["exact cover"]
    return [name, NAMES[peer], f"{own / rates[peer]:.3g}", f"{each:.3g}", f"{cover:.3g}"]


def _about(name: str, record: Record) -> str:
    """Describes a set: its size, its source and its bias."""
    _, source, bias = SETS[name]
    size = f"{record['size']:,} grids, {record['givens']:.1f} givens in the mean"
    return (
        f"* **{name}**: {size}, {record['guesses']:.3g} guesses a puzzle by `count_many`. Made: {source}. Bias: {bias}."
    )


def _call(name: str, record: Record) -> list[str]:
    return [name, f"{1e3 * record['seconds']:.3g}", f"{1e3 * record['worst']:.3g}", f"`{record['grid']}`"]
