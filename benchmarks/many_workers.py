"""The cost of searches in pieces on many machines: six families cut for real, and their pieces handed out on paper.

    python benchmarks/many_workers.py              prints how evenly the pieces fill 2 to 1,000 workers
    python benchmarks/many_workers.py 1e15         and what a search of so many nodes takes on 1,000 of them

Nodes are measured, and the same on every machine; time is simulated. Pieces are handed out as `dlx.parallel.pieces`
does, the one that seems largest first, each to the worker that is free first: list scheduling (R. L. Graham, Bounds on
multiprocessing timing anomalies, 1969, doi:10.1137/0117039). Efficiency is the work by what all workers could have done
until the last of them ends.
"""

from __future__ import annotations

import argparse
import heapq
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from families import build
from report import markdown
from sudoku_instances import INSTANCES

import sudoku
from dlx import Problem
from dlx.parallel.cutting import PIECES, KernelPool, SearchPiece, SliceResult, split, work

Nodes = npt.NDArray[np.float64]

WORKERS = (2, 8, 64, 1_000)
MANY = 8_192  # pieces wanted for 1,000 workers
RATE = 1.0e7  # nodes a second on one core, about what six families take (docs/benchmarks/scale.md)
TASK = 0.002  # seconds that dask's scheduler takes for a task: measured, 1.8 to 2.1 ms
LINE = 100.0  # bytes of a journal line: 33 to 245 in the mean of each of six families, more in deep searches
SEED = 20

# name: the problem, and how many covers it has. All are visited: merging would end some of them at once.
SEARCHES: Mapping[str, tuple[Callable[[], Problem], int]] = {
    "queens 15": (lambda: build("queens", 15), 2_279_184),
    "pentominoes 6x10": (lambda: build("pentominoes", 6, 10), 9_356),
    "sudoku, 17 givens": (lambda: sudoku.encode(INSTANCES["sample1-13"].grid), 3_578_272),
    "langford 12": (lambda: build("langford", 12), 216_288),
    "latin 6x6, first row given": (lambda: build("latin_below", 6), 1_128_960),
    "comb of 60 teeth": (lambda: build("comb", 60, 9), 22_135_680),
}


class Split(NamedTuple):
    """A search in pieces, in the order in which they are begun.

    Attributes:
        nodes: what each piece turned out to have, float64 of shape (pieces,).
        guesses: what it had been estimated at, of the same shape.
        covers: of all pieces together.
    """

    nodes: Nodes
    guesses: Nodes
    covers: int

    @property
    def skew(self) -> float:
        """The largest piece by the mean."""
        return float(self.nodes.max() / self.nodes.mean())


def cut(problem: Problem, pieces: int) -> Split:
    """Cuts a search, however small it is, and visits each piece of it.

    >>> parts = cut(build("queens", 8), 20)
    >>> len(parts.nodes), parts.covers
    (20, 92)
    """
    parts = sorted(split(problem, pieces, 0).pieces, key=lambda piece: -piece.estimate)
    pool = KernelPool(problem, "auto", None, 0)
    done = [_visited(pool, part) for part in parts]
    nodes = np.array([max(1, result.nodes) for result in done], dtype=float)
    return Split(nodes, np.array([part.estimate for part in parts]), sum(result.covers for result in done))


def _visited(pool: KernelPool, piece: SearchPiece) -> SliceResult:
    return work(pool, replace(piece, seconds=math.inf).slice(), lambda: False)


def efficiency(work: Iterable[float], workers: int) -> float:
    """Returns the share of their time that workers are busy, if each piece goes to the one that is free first.

    >>> efficiency([3, 2, 1], 2), efficiency([4, 1, 1], 2)
    (1.0, 0.75)
    """
    free = [0.0] * workers
    total = 0.0
    for piece in work:
        heapq.heapreplace(free, free[0] + piece)
        total += piece
    return total / (workers * max(free)) if total else 1.0


class Plan(NamedTuple):
    """Plans a large search, on paper.

    Attributes:
        hours: until the last worker ends.
        piece: seconds of a piece, in the mean.
        efficiency: how busy the workers are.
        journal: bytes, at a line for each piece and each slice.
        load: what part of its time the scheduler is busy; above 1 the workers wait for it.
    """

    hours: float
    piece: float
    efficiency: float
    journal: float
    load: float


def plan(skew: Split, nodes: float, pieces: int, workers: int, slice_: float) -> Plan:
    """A search of so many nodes, in so many pieces as uneven as those that have been measured."""
    drawn = np.random.default_rng(SEED).integers(0, len(skew.nodes), pieces)
    order = drawn[np.argsort(-skew.guesses[drawn], kind="stable")]
    seconds = skew.nodes[order] * (nodes / RATE / skew.nodes[order].sum())
    busy = efficiency(seconds.tolist(), workers)
    slices = float(np.ceil(seconds / slice_).sum())
    total = float(seconds.sum())
    hours = total / (workers * busy) / 3600
    return Plan(hours, total / pieces, busy, LINE * (pieces + slices), slices * TASK / (hours * 3600))


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description="What searches in pieces would take on many machines.")
    parser.add_argument("nodes", nargs="?", type=float, help="of a search to be planned, as 1e15")
    arguments = parser.parse_args()
    rows = []
    plans: list[list[str]] = []
    for name, (make, _) in SEARCHES.items():
        for wanted in (PIECES, MANY):
            parts = cut(make(), wanted)
            rows.append([name, *fills(parts)])
        if arguments.nodes:
            plans += planned(name, parts, arguments.nodes)
    print(markdown(["", *FILLS], rows))
    if arguments.nodes:
        print(f"\n{markdown(['', *PLANS], plans)}")


FILLS = ("pieces", "nodes", "largest : mean", *(f"{workers:,} workers" for workers in WORKERS))
PLANS = ("pieces", "s a piece", "s a slice", "hours", "efficiency", "journal, GB", "scheduler's load")


def fills(parts: Split) -> list[str]:
    """A row of the first table: how evenly pieces fill workers."""
    busy = (efficiency(parts.nodes.tolist(), workers) for workers in WORKERS)
    size = [f"{len(parts.nodes):,}", f"{parts.nodes.sum():,.0f}", f"{parts.skew:.1f}"]
    return [*size, *(f"{share:.2f}" for share in busy)]


def planned(name: str, parts: Split, nodes: float) -> list[list[str]]:
    """Rows of the second table: a search of so many nodes on the most workers, if its pieces are like these."""
    rows = []
    for pieces in (PIECES, 10_000, 100_000, 1_000_000):
        for slice_ in (1.0, 10.0):
            way = plan(parts, nodes, pieces, WORKERS[-1], slice_)
            told = f"{way.hours:.1f}", f"{way.efficiency:.2f}", f"{way.journal / 1e9:.2f}", f"{way.load:.2f}"
            rows.append([f"as {name}", f"{pieces:,}", f"{way.piece:,.0f}", f"{slice_:g}", *told])
    return rows


if __name__ == "__main__":
    main()
