"""Tiles a board by one side, in a process of its own: from a text, or cells, to a tiling, and to their number.

    python benchmarks/tile_sides.py SIDE SECONDS FOLDER < task.pickle

The task is the text of a puzzle as `dlx.tiles.loads` reads it, and for others its cells: those of the board, and those
of pieces, and whether these are used once or any number of times. A line of JSON is printed for each task that ended.
Seconds are of processor time, the least of several rounds, after imports and an example.
"""

from __future__ import annotations

import json
import pickle
import signal
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

ROUNDS, ENOUGH = 5, 1.0  # a task is repeated up to so many times, while the sum is below so many seconds

Puzzle = dict[str, Any]
Tasks = dict[str, Callable[[Puzzle], int]]


def own() -> Tasks:
    """`dlx.tiles`, from the text."""
    dlx = import_module("dlx")
    tiles = import_module("dlx.tiles")

    def made(puzzle: Puzzle) -> Any:
        board, pieces, each = tiles.loads(puzzle["text"])
        return tiles.problem(board, pieces, each=each)

    return {
        "first": lambda puzzle: int(dlx.first(made(puzzle)).cover is not None),
        "count": lambda puzzle: int(dlx.count(made(puzzle)).covers),
    }


def polyomino() -> Tasks:
    """The package polyomino, from cells; its engine exact-cover counts."""
    board = import_module("polyomino.board")
    sets = import_module("polyomino.tileset")
    engine = import_module("exact_cover")

    def made(puzzle: Puzzle) -> Any:
        how = sets.any_number_of if puzzle["any"] else sets.exactly
        return board.Irregular(puzzle["cells"]).tile_with_set(how(puzzle["pieces"]).with_reflections())

    def count(puzzle: Puzzle) -> int:
        problem = made(puzzle)
        problem.make_problem()
        return int(engine.get_solution_count(problem.array))

    return {"first": lambda puzzle: int(made(puzzle).solve() is not None), "count": count}


SIDES: dict[str, Callable[[], Tasks]] = {"dlx": own, "polyomino": polyomino}


def main() -> None:
    """Does the tasks of a side, each within the processor time of the command line."""
    side, seconds, folder = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    sys.path.insert(0, folder)
    tasks = SIDES[side]()
    puzzle, example = pickle.load(sys.stdin.buffer)
    for name, task in tasks.items():
        task(example)
        times: list[float] = []
        signal.setitimer(signal.ITIMER_PROF, seconds)
        while not times or (len(times) < ROUNDS and sum(times) < ENOUGH):
            start = time.process_time()
            result = task(puzzle)
            times.append(time.process_time() - start)
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps({"task": name, "result": result, "seconds": min(times)}), flush=True)


if __name__ == "__main__":
    main()
