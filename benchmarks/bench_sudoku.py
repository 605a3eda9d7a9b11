"""Sudokus solved and proven unique per second: `sudoku` compared with other packages. Every answer is checked.

Each side solves puzzles of a set (`sudoku_sets.py`) for SECONDS. The completions by `sudoku.count_many` are checked
against the rules, and all other answers are compared with these completions. Wrong answers of other packages are
counted.
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

SECONDS = 1.5  # processor seconds for a side on a set
SIZE = 20_000  # puzzles of a set
SOLVED = ("17 givens", "hard", "minimal", "24-30 givens", "easy")
ONE = ("17 givens", "hard", "minimal", "open", "unsolvable")  # sets that are also run with one call for each grid
CALLS = 1_000  # grids of such a set
ROUNDS = 3  # calls for each grid; the least time is recorded
NAMES = {  # side -> its name in tables; * marks a side that looks for one completion only
    "count_many": "**`sudoku.count_many`**",
    "solve_many": "**`sudoku.solve_many`** *",
    "count_many, a grid a call": "`count_many`, one grid per call",
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
    ratios = ["set", "fastest other package", "ours : other", "one grid per call : other", "`count_many` : exact cover"]
    others = "\n".join(f"* **{name}**: {SETS[name][1]}. Bias: {SETS[name][2]}." for name in ONE if name not in SOLVED)
    return f"""# Sudokus per second

Puzzles solved and proven unique per second of processor time on one thread. Each side runs in its own process. A side
marked with * stops at one completion; the ratios below compare it with `solve_many`. The time starts with the digits of
a grid in the form that a side takes, and ends with its completion. Clauses and models that all grids share are made
before the time starts. Other packages get one grid per call. In the third row, `count_many` also gets one grid per
call; most of its time is the overhead of the call. The answers of `sudoku` are checked against the rules, and all other
answers are compared with them.

{markdown(["", *sets], rates)}

{markdown(ratios, [_ratios(*one) for one in sets.items()], text_columns=2)}

## The sets

{chr(10).join(_about(name, of["count_many"]) for name, of in sets.items())}
{others}

## The measurements

Each side solves puzzles of a set for {SECONDS:g} s, and finishes the last one. The order of the puzzles is random, and
the same for all sides. If a side solves only a few puzzles, its rate depends on chance. {_faults(records)}

One CaDiCaL solver solves all grids and keeps its learnt clauses; the givens are assumptions. On minimal puzzles this is
nine times faster than a new solver for each grid. CP-SAT has one thread, and gets `exactly one` for each cell and for
each digit in a row, column or box. [peers.md](peers.md) compares exact-cover engines on 20 hard sudokus.

## One grid per call

Milliseconds of processor time for `sudoku.count(grid, max_covers=2)`, the least of {ROUNDS} calls, for {CALLS:,} grids
of each set. If the kernel for plain sudoku finds no completion in 500 guesses, the exact-cover kernel takes over.

{markdown(["set", "median", "worst", "the worst grid"], [_call(name, problems[name]["one call"]) for name in ONE])}"""


def _faults(records: Sequence[Record]) -> str:
    """The answers of other packages that were wrong or missing."""
    wrong = [f"{of['wrong']:,} of {of['side']} on {of['problem']}" for of in records if of.get("wrong")]
    return f"Wrong or missing answers: {', '.join(wrong)}." if wrong else "No answer was wrong or missing."


def _ratios(name: str, sides: Sides) -> list[str]:
    """The row of a set: our rates divided by the rates of the fastest other package and of exact cover."""
    rates = {side: record["rate"] for side, record in sides.items() if "rate" in record}
    peer = max(rates.keys() - set(OWN), key=lambda side: rates[side])
    own = rates["solve_many" if peer in FIRST_ONLY else "count_many"]
    each, cover = rates["count_many, a grid a call"] / rates[peer], rates["count_many"] / rates["exact cover"]
    return [name, NAMES[peer], f"{own / rates[peer]:.3g}", f"{each:.3g}", f"{cover:.3g}"]


def _about(name: str, record: Record) -> str:
    """Describes a set: its size, its source and its bias."""
    _, source, bias = SETS[name]
    size = f"{record['size']:,} grids, {record['givens']:.1f} givens on average"
    guesses = f"{record['guesses']:.3g} guesses per puzzle by `count_many`"
    return f"* **{name}**: {size}, {guesses}. Source: {source}. Bias: {bias}."


def _call(name: str, record: Record) -> list[str]:
    return [name, f"{1e3 * record['seconds']:.3g}", f"{1e3 * record['worst']:.3g}", f"`{record['grid']}`"]
