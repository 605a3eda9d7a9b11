"""The sets of sudokus by the kernel of plain grids and by Tdoku, in turn: grids a second, and their counts compared.

    python benchmarks/tdoku.py LIBRARY     # writes docs/benchmarks/tdoku.md

Tdoku is Tom Dillon's solver in C++ (github.com/t-dillon/tdoku), the fastest that is known. No package index has it, so
LIBRARY is a shared library that you have built for your very machine, with `TdokuSolverDpllTriadSimd` in it:

    c++ -O3 -march=native -std=c++17 -fPIC -shared -Iinclude src/solver_dpll_triad_simd.cc src/util.cc -o libtdoku.so

In a compiled loop each side decides whether a grid has none, one or more completions, or counts up to 100,000
completions of an open grid. Our side writes down the first completion as well.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from report import DOCS, build, machine, markdown, short
from sudoku_sets import SETS
from sudoku_sets import build as puzzles

from dlx.extending import UNLIMITED
from sudoku.kernels.bands import Bands

GRIDS, OPEN, ROUNDS = 20_000, 60, 9
STRIDE = 82  # Tdoku looks at the sign behind a grid: one before the full stop says that it is a plain grid
LOOP = """
#include <stddef.h>
#include <stdint.h>
size_t TdokuSolverDpllTriadSimd(const char *, size_t, uint32_t, char *, size_t *);
void count_many(const char *lines, size_t m, size_t limit, int64_t *counts, size_t *guesses) {
    char solution[81];
    for (size_t k = 0; k < m; k++, lines += 82) {
        size_t here = 0;
        counts[k] = (int64_t) TdokuSolverDpllTriadSimd(lines, limit, 0, solution, &here);
        *guesses += here;
    }
}
"""

PAGE = """# Beside Tdoku

Grids a second of one core, each solved and proved to have no other completion, and completions of open grids a second,
by the kernel of `sudoku.count_many` and by Tom Dillon's [Tdoku](https://github.com/t-dillon/tdoku){built}.
Both run in one process, in turn, {rounds} times; the table has the best rate of each, and the median of the ratios.
All counts were the same. Our kernel uses AVX-512 if the processor has it, as this one has; without it, Tdoku is faster
on hard puzzles and on open grids. Guesses are per grid. The sets are those of [sudoku.md](sudoku.md);
`benchmarks/tdoku.py` made this page, and describes how.

{table}

Measured on one core of {cpu}, {compiler}, {flags}, at commit {commit:.12}.
"""

Grids = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.int64]
Side = Callable[[Grids, int], tuple[float, Counts, int]]  # grids, limit -> seconds, counts, guesses


def ours(grids: Grids, limit: int) -> tuple[float, Counts, int]:
    """Counts completions by the kernel, and keeps the first."""
    counts, completions = np.zeros(len(grids), dtype=np.int64), np.zeros_like(grids)
    kernel = Bands(grids, completions, counts, limit, UNLIMITED)
    start = time.process_time()
    kernel.run(UNLIMITED, UNLIMITED, UNLIMITED)
    return time.process_time() - start, counts, kernel.nodes


def tdoku(library: Path, folder: Path) -> Side:
    """Counts completions by Tdoku, in a loop that is compiled for it."""
    source, loop = folder / "loop.c", folder / "loop.so"
    source.write_text(LOOP, encoding="utf-8")
    found = f"-Wl,-rpath,{library.parent}"
    subprocess.run(["cc", "-O3", "-fPIC", "-shared", source, library, found, "-o", loop], check=True)
    count = ctypes.CDLL(str(loop)).count_many
    count.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]

    def run(grids: Grids, limit: int) -> tuple[float, Counts, int]:
        lines = np.full((len(grids), STRIDE), ord("\n"), dtype=np.uint8)
        lines[:, :81] = np.where(grids, grids + ord("0"), ord("."))
        text, counts, guesses = lines.tobytes() + bytes(64), np.zeros(len(grids), dtype=np.int64), ctypes.c_size_t(0)
        start = time.process_time()
        count(text, len(grids), limit, counts.ctypes.data, ctypes.byref(guesses))
        return time.process_time() - start, counts, guesses.value

    return run


def compare(name: str, other: Side) -> list[str]:
    """A row of the table: both sides on one set, in turn."""
    grids = puzzles(name, OPEN if name == "open" else GRIDS)
    limit = 100_000 if name == "open" else 2
    seconds: dict[str, list[float]] = {"ours": [], "Tdoku": []}
    for _ in range(ROUNDS):
        spent, counts, guesses = ours(grids, limit)
        took, others, their_guesses = other(grids, limit)
        if not np.array_equal(counts, others):
            raise SystemExit(f"{name}: the counts differ, first at grid {int(np.flatnonzero(counts != others)[0])}")
        seconds["ours"].append(spent)
        seconds["Tdoku"].append(took)
    work = int(counts.sum()) if name == "open" else len(grids)
    ratio = statistics.median(b / a for a, b in zip(*seconds.values(), strict=True))
    rates = [short(round(work / min(times))) for times in seconds.values()]
    return [name, *rates, f"{ratio:.2f}", *(f"{n / len(grids):,.2f}" for n in (guesses, their_guesses))]


def main() -> None:
    """Writes docs/benchmarks/tdoku.md."""
    parser = argparse.ArgumentParser(description="Times the kernel of plain grids beside Tdoku.")
    parser.add_argument("shared", type=Path, metavar="LIBRARY", help="Tdoku as a shared library")
    parser.add_argument("--built", default="", metavar="TEXT", help="of which commit it is, and how it was built")
    arguments = parser.parse_args()
    library = arguments.shared.resolve()
    host = machine() | build()
    with tempfile.TemporaryDirectory() as folder:
        other = tdoku(library, Path(folder))
        rows = [compare(name, other) for name in SETS]
    header = ["set", "ours", "Tdoku", "ratio", "guesses", "of Tdoku"]
    text = PAGE.format(rounds=ROUNDS, built=arguments.built, table=markdown(header, rows), **host)
    (DOCS / "tdoku.md").write_text(text, encoding="utf-8")
    print("docs/benchmarks/tdoku.md")


if __name__ == "__main__":
    main()
