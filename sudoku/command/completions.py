"""`sudoku solve` and `sudoku count`: a completion of a grid, and the number of all of them."""

from __future__ import annotations

import argparse

import dlx
from sudoku.command.answer import Answer, Told, as_object, as_read, as_text
from sudoku.grid import Puzzle
from sudoku.solve import count as completions
from sudoku.solve import solve as completed


def solve(puzzle: Puzzle, options: argparse.Namespace, told: Told) -> Answer:
    """A completion in the form of the grid."""
    result = completed(puzzle, timeout=options.timeout, progress=told)
    none = result.completion is None and result.exhausted
    if options.json:
        text = as_text(result.completion, puzzle.layout, options)
        return Answer(as_object(puzzle, completion=text, **_how(result)), result.stopped, none)
    if result.completion is None:
        return Answer("-1" if none else "unknown", result.stopped, none)
    return Answer(as_read(result.completion, puzzle, options), result.stopped)


def count(puzzle: Puzzle, options: argparse.Namespace, told: Told) -> Answer:
    """The number of completions, as far as it has been counted."""
    result = completions(
        puzzle,
        merge=options.merge,
        memory=options.memory,
        max_covers=options.limit,
        timeout=options.timeout,
        progress=told,
    )
    none = result.covers == 0 and result.exhausted
    if options.json:
        merging = {name: getattr(result, name) for name in ("merged", "hits", "states", "memory")}
        text = as_object(puzzle, completions=result.covers, exhausted=result.exhausted, **merging, **_how(result))
    else:
        text = f"{result.covers}{' unproven' if result.stopped in ('timeout', 'interrupt') else ''}"
    return Answer(text, result.stopped, none)


def _how(outcome: dlx.Outcome) -> dict[str, object]:
    return {"stopped": outcome.stopped, "nodes": outcome.nodes, "seconds": round(outcome.seconds, 6)}
