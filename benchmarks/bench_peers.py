"""Counting and listing covers: `dlx` compared with solvers in the package index. Every count is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from families import SIXTEEN_GIVENS, build
from peers import LISTING, PEERS, plain, run
from report import Record, Sides, cell, duration, grouped, markdown, short
from sudoku_sets import digits
from timing import apart, installed

import dlx
from dlx import Problem

LIMIT = 17.0  # processor seconds for one task of one side
TASKS = ("count", "list", "blocks")

# name: the problems, and how many covers they have in total
PROBLEMS: dict[str, tuple[Callable[[], list[Problem]], int]] = {
    "queens 12": (lambda: [build("queens", 12)], 14_200),
    "pentominoes 6x10": (lambda: [build("pentominoes", 6, 10)], 9_356),
    "langford 12": (lambda: [build("langford", 12)], 216_288),
    "word squares 4x4": (lambda: [build("words", 760)], 5_184),
    "dominoes 8x8": (lambda: [build("dominoes", 8, 8)], 12_988_816),
    "sudoku, 16 givens": (lambda: [build("sudoku", SIXTEEN_GIVENS)], 97_290),
    "latin 6x6, first row given": (lambda: [build("latin_below", 6)], 1_128_960),
    "queens 14": (lambda: [build("queens", 14)], 365_596),
    "Y pentominoes 10x14": (lambda: [build("y_pentominoes", 10, 14)], 296),
    "soma": (lambda: [build("soma")], 11_520),
    "500 sparse options": (lambda: [build("sparse", 500, 60, 5)], 39),
    "20 hard sudokus": (lambda: [build("sudoku", puzzle) for puzzle in digits("hard for backtracking")], 20),
}
UNCOLOURED = {"word squares 4x4": lambda: [build("words_plain", 760)]}


def measure() -> Iterator[Record]:
    """Yields the times of each side on each problem; a wrong count is an error."""
    example = plain(build("toy"))
    for name, (make, expected) in PROBLEMS.items():
        for side in installed(LISTING):
            problems = UNCOLOURED.get(name, make)() if side == "exact-cover" else make()
            done, stopped = apart(run, side, TASKS, [plain(problem) for problem in problems], example, LIMIT)
            assert all(covers == expected for _, _, covers in done), (name, side)
            times = {task: seconds for task, seconds, _ in done}
            record = {"problem": name, "side": side, "covers": expected, **times}
            if side == "dlx":
                counts = [dlx.count(problem, merge="never") for problem in problems]
                record |= {"kernel": counts[0].kernel, "nodes": sum(count.nodes for count in counts)}
            yield record | {"seconds": LIMIT if stopped else times["count"], "stopped": stopped}


def table(records: Sequence[Record]) -> str:
    """Returns the page: counting, and listing."""
    problems = grouped(records)
    counting = ["problem", "covers", "kernel", "nodes", *LISTING, "best peer : dlx"]
    listing = ["problem", "dlx, blocks", "dlx", *PEERS, "best peer : dlx"]
    return f"""# Counting and listing covers: dlx and its peers

Every count is checked. Times are processor seconds on one thread, the least of several rounds. Each side runs in its
own process. Making its input and counting a small problem as a warm-up are not timed. A run that reached {LIMIT:g} s of
processor time, or 8 GB of memory, is shown as such. *best peer : dlx* is the least time of a peer divided by that of
`dlx`, and "-" if no peer ended.

exact-cover has no secondary items and no colours. Its problems have an extra option for each diagonal of the queens,
and an item for each letter in each cell of the word squares.

## Counting

Every cover is visited: `dlx` counts with `merge="never"`. *kernel* is the kernel that `dlx` chooses. xcover and pyxcc
have to list covers to count them.

{markdown(counting, [_counting(name, sides) for name, sides in problems.items()])}

## Listing

Every cover is returned. *dlx, blocks* returns numpy arrays of up to 1,024 covers, and *dlx* one tuple for each cover.
The peers return one list or tuple for each cover.

{markdown(listing, [_listing(name, sides) for name, sides in problems.items()])}"""


def best_peer(sides: Sides, task: str) -> tuple[str, float] | None:
    """Returns the peer with the least time for a task, and its time; None if no peer ended."""
    times = {side: sides[side][task] for side in PEERS if side in sides and task in sides[side]}
    peer = min(times, key=lambda side: times[side], default=None)
    return None if peer is None else (peer, times[peer])


def _ratio(sides: Sides, task: str) -> str:
    """The best peer's time divided by ours."""
    peer = best_peer(sides, task)
    return f"**{peer[1] / sides['dlx'][task]:.1f}**" if peer else "-"


def _times(sides: Sides, names: Iterable[str], task: str) -> list[str]:
    """The time of each side, or the limit that stopped it."""
    return [
        duration(sides[name][task]) if task in sides.get(name, {}) else cell(sides.get(name)) or "not installed"
        for name in names
    ]


def _counting(name: str, sides: Sides) -> list[str]:
    own = sides["dlx"]
    start = [name, f"{own['covers']:,}", own["kernel"], short(own["nodes"])]
    return [*start, *_times(sides, LISTING, "count"), _ratio(sides, "count")]


def _listing(name: str, sides: Sides) -> list[str]:
    times = _times(sides, LISTING, "list")
    return [name, *_times(sides, ["dlx"], "blocks"), *times, _ratio(sides, "list")]
