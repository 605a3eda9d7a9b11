"""`sudoku solve` and `sudoku count`: a completion of a grid, and the number of all of them."""

from __future__ import annotations

import argparse

import dlx
from sudoku.commands.answer import Answer, Report, as_object, as_text
from sudoku.encode import decode, encode
from sudoku.grid import Puzzle, to_boxed, to_line


def solve(puzzle: Puzzle, options: argparse.Namespace, report: Report) -> Answer:
    """A completion in the form of the grid."""
    problem = encode(puzzle.grid, options.box)
    result = dlx.first(problem, timeout=options.timeout, progress=report)
    completion = None if result.cover is None else decode(problem, result.cover)
    none = completion is None and result.exhausted
    if options.json:
        text = as_object(puzzle, completion=as_text(completion, options.box), proven=result.exhausted, **_how(result))
    elif completion is None:
        text = "-1" if none else "unknown"
    else:
        text = to_line(completion, options.box) if puzzle.form == "line" else to_boxed(completion, options.box)
    return Answer(text, result.stopped, none)


def count(puzzle: Puzzle, options: argparse.Namespace, report: Report) -> Answer:
    """The number of completions, as far as it has been counted."""
    problem = encode(puzzle.grid, options.box)
    result = dlx.count(problem, max_covers=options.limit, timeout=options.timeout, progress=report)
    none = result.covers == 0 and result.exhausted
    if options.json:
        text = as_object(puzzle, completions=result.covers, exhausted=result.exhausted, **_how(result))
    else:
        text = f"{result.covers}{' unproven' if result.stopped in ('timeout', 'interrupt') else ''}"
    return Answer(text, result.stopped, none)


def _how(outcome: dlx.Outcome) -> dict[str, object]:
    return {"stopped": outcome.stopped, "nodes": outcome.nodes, "seconds": round(outcome.seconds, 6)}
