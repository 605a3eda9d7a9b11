"""Grids per second by the kernel for plain sudoku and by Tdoku; their counts are compared.

    TDOKU=libtdoku.so python benchmarks/report.py tdoku

Tdoku is Tom Dillon's solver in C++ (github.com/t-dillon/tdoku), the fastest solver that we know. No package index has
it. TDOKU names a shared library with the function `TdokuSolverDpllTriadSimd`, built for the machine at hand:

    c++ -O3 -march=native -std=c++17 -fPIC -shared -Iinclude src/solver_dpll_triad_simd.cc src/util.cc -o libtdoku.so

In a compiled loop, each side counts up to two completions of a grid, or up to 100,000 completions of an open grid. The
kernel of `sudoku` also writes the first completion to an array.
"""

from __future__ import annotations

import ctypes
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from report import Record, grouped, markdown, short
from sudoku_sets import build

from dlx.extending import UNLIMITED
from sudoku.kernels.bands import Bands

NAMES = "17 givens", "hard", "minimal", "24-30 givens", "easy", "open"  # sets of sudoku_sets.py
GRIDS, OPEN, ROUNDS = 20_000, 60, 9
STRIDE = 82  # bytes from grid to grid: 81 signs, and a line feed, which marks a plain grid for Tdoku
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

Grids = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.int64]
Side = Callable[[Grids, int], tuple[float, Counts, int]]  # grids, limit -> seconds, counts, guesses


def ours(grids: Grids, limit: int) -> tuple[float, Counts, int]:
    """Counts completions by the kernel, and keeps the first completion."""
    counts, completions = np.zeros(len(grids), dtype=np.int64), np.zeros_like(grids)
    kernel = Bands(grids, completions, counts, limit, UNLIMITED)
    start = time.process_time()
    kernel.run(UNLIMITED, UNLIMITED, UNLIMITED)
    return time.process_time() - start, counts, kernel.nodes


def tdoku(library: Path, folder: Path) -> Side:
    """Returns a function that counts completions by Tdoku, in a loop that is compiled here."""
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


def measure() -> Iterator[Record]:
    """Yields the best rate, the guesses per grid and the median of the ratios of each side on each set."""
    if "TDOKU" not in os.environ:
        raise SystemExit("TDOKU must name the shared library of Tdoku: see benchmarks/bench_tdoku.py")
    with tempfile.TemporaryDirectory() as folder:
        other = tdoku(Path(os.environ["TDOKU"]).resolve(), Path(folder))
        for name in NAMES:
            yield from compare(name, {"ours": ours, "Tdoku": other})


def compare(name: str, sides: dict[str, Side]) -> Iterator[Record]:
    """Yields the record of each side on a set; the sides run in turn."""
    grids = build(name, OPEN if name == "open" else GRIDS)
    limit = 100_000 if name == "open" else 2
    rounds = [{side: run(grids, limit) for side, run in sides.items()} for _ in range(ROUNDS)]
    for done in rounds:
        if not np.array_equal(done["ours"][1], done["Tdoku"][1]):
            raise SystemExit(f"{name}: the counts differ")
    work = int(rounds[0]["ours"][1].sum()) if name == "open" else len(grids)
    for side in sides:
        seconds = min(done[side][0] for done in rounds)
        ratio = statistics.median(done[side][0] / done["ours"][0] for done in rounds)
        guesses = rounds[0][side][2] / len(grids)
        record = {"problem": name, "side": side, "rate": work / seconds, "ratio": ratio, "guesses": guesses}
        yield record | {"seconds": seconds, "stopped": None}


def table(records: Sequence[Record]) -> str:
    """Returns the page: the rates of both sides."""
    rows = [
        [
            name,
            short(of["ours"]["rate"]),
            short(of["Tdoku"]["rate"]),
            f"{of['Tdoku']['ratio']:.2f}",
            *(f"{of[side]['guesses']:,.2f}" for side in ("ours", "Tdoku")),
        ]
        for name, of in grouped(records).items()
    ]
    return f"""# Compared with Tdoku

The kernel of `sudoku.count_many` is compared with Tom Dillon's [Tdoku](https://github.com/t-dillon/tdoku) (commit
0172ae3, compiled by clang 14 with -O3 -march=native). The rates are grids per second on one core, each solved and
proven unique, and for open grids completions per second. Both sides run {ROUNDS} times, in turn, in one process. The
table has the best rate of each side, and the median of the ratios. All counts were the same. The kernel uses AVX-512 on
processors that have it, as here. Without AVX-512, Tdoku is faster on hard puzzles and on open grids. Guesses are per
grid. [sudoku.md](sudoku.md) describes the sets.

{markdown(["set", "`count_many`", "Tdoku", "ratio", "guesses, `count_many`", "guesses, Tdoku"], rows)}"""
