"""The commands for setters: canonical forms, explanations, hardness, pencil marks, givens that can go."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from dlx.command import at_least, seed
from sudoku.command.answer import Answer, Told, as_object, as_read, as_text, as_word, names
from sudoku.formats.writing import marks as written
from sudoku.grid import Grid, Puzzle
from sudoku.layout import Cell
from sudoku.setting.canonical import canonical as least
from sudoku.setting.explaining import Explanation
from sudoku.setting.explaining import explain as explained
from sudoku.setting.marks import candidates
from sudoku.setting.measuring import LARGEST, Measure
from sudoku.setting.measuring import measure as measured
from sudoku.setting.minimising import minimise as minimised
from sudoku.solve import solve

if TYPE_CHECKING:
    from sudoku.command.answer import Solver

CANONICAL = """\
output, for each grid: a line, the same for all grids that are the same but for the order of rows and columns, a turn,
and the names of the digits; `sudoku canonical FILE | sort -u` has one grid of each kind.
Layouts other than 3x3 take the extra `symmetry`, and must have at most 100,000 symmetries.
"""

EXPLAIN = """\
output, for each grid:
  one completion
or
  no completion
    clash r1c2=5 r1c7=5 in row 1           for each pair of givens that a rule forbids
    core r1c2=5 r3c4=1, smallest           givens that have no completion together; without any one of them they have;
                                           it is empty if the rules alone have none
or
  several completions
    differ r4c4 r4c5 r5c4 r5c5             the cells that are not the same in all of them
    extra r4c4=7, smallest                 givens that leave one; without any one of them they would not
or
  unknown                                  nothing had been found out until the timeout, or Ctrl-C
"smallest" stands where it is proven that fewer givens do not do. At a timeout the lines are what had been found by
then, and the first one ends in "unproven".
"""

MEASURE = """\
output, for each grid: a line
  completions 1 guesses 160 nodes 2566 backdoor r1c3 r5c2
the completions, up to 2; how many candidates were tried where neither a cell nor a region had a single candidate left,
and how many were placed in all; and the fewest cells which, filled in, leave nothing but singles ("-": singles do
anyway; "?": there is no completion, or it takes more than --largest cells). "unproven" stands at the end of what had
been found until the timeout, or Ctrl-C.
What people find hard is another question: they know other steps than singles, and shun guesses.
"""

MARKS = """\
output, for each grid: rows of candidates, those that are in a completion; with --by rules those that no given rules
out by itself; or
  -1               there is no completion
  unknown          not all candidates had been looked at until the timeout, or Ctrl-C
`sudoku shares` says in how many completions they are.
"""

MINIMISE = """\
output, for each grid: the same grid without the givens that it does not need to have just the completions that it has
(a line for a line, and otherwise a grid of boxes), or
  unknown          not all givens had been looked at until the timeout, or Ctrl-C
Givens go in random order, always the same for a --seed.
"""


def add(add_command: Callable[[str, Solver, str, str], argparse.ArgumentParser]) -> None:
    """Adds the commands.

    Parameters:
        add_command: adds one that reads grids, by its name, what answers, what it prints, and its output in full.
    """
    add_command("canonical", canonical, "the canonical form of each grid", CANONICAL)
    add_command("explain", explain, "why each grid has no completion, or several", EXPLAIN)
    command = add_command("measure", measure, "what a search says of the hardness of each grid", MEASURE)
    command.add_argument(
        "--largest", type=at_least(0), default=LARGEST, metavar="N", help=f"the most cells of a backdoor ({LARGEST})"
    )
    command = add_command("marks", marks, "the pencil marks of each grid", MARKS)
    command.add_argument(
        "--by", choices=("rules", "completions"), default="completions", help="what they survive (completions)"
    )
    command = add_command("minimise", minimise, "each grid without the givens that it does not need", MINIMISE)
    command.add_argument("--seed", type=seed, default=0, metavar="N", help="for another order of the givens (0)")


def canonical(puzzle: Puzzle, options: argparse.Namespace, told: Told) -> Answer:
    """The canonical form, in a line."""
    form = least(puzzle)
    if options.json:
        return Answer(as_object(puzzle, canonical=as_text(form, puzzle.layout, options)))
    return Answer(as_word(form, puzzle.layout, options))


def explain(puzzle: Puzzle, options: argparse.Namespace, told: Told) -> Answer:
    """Explains the fault of a grid."""
    found = explained(puzzle, timeout=options.timeout, progress=told)
    text = as_object(puzzle, **_explained(found)) if options.json else "\n".join(_told(found, puzzle, options))
    return Answer(text, found.stopped, found.completions == 0)


def _told(found: Explanation, puzzle: Puzzle, options: argparse.Namespace) -> Iterable[str]:
    """An explanation in lines."""
    grid, known = puzzle.grid, names(puzzle.layout, options)
    kinds = {None: "unknown", 0: "no completion", 1: "one completion", 2: "several completions"}
    yield kinds[found.completions] + " unproven" * (found.stopped is not None and found.completions is not None)
    proven = ", smallest" * found.smallest
    for kind, name, givens in found.conflicts:
        yield f"  clash {_givens(givens, known)} in {kind} {_number(name)}"
    if found.core is not None and not found.core:
        yield "  core is empty: the rules have no completion, whatever the givens"
    elif found.core is not None:
        yield f"  core {_givens(((r, c, int(grid[r, c])) for r, c in found.core), known)}{proven}"
    if found.differing:
        yield f"  differ {_cells(found.differing)}"
    if found.extra is not None:
        yield f"  extra {_givens(found.extra, known)}{proven}"


def _explained(found: Explanation) -> dict[str, Any]:
    """An explanation for programs; rows, columns and all that has numbers count from 1."""
    return {
        "completions": found.completions,
        "clashes": [{"kind": k, "name": _number(name), "givens": _triples(some)} for k, name, some in found.conflicts],
        "core": None if found.core is None else _pairs(found.core),
        "differing": _pairs(found.differing),
        "extra": None if found.extra is None else _triples(found.extra),
        "smallest": found.smallest,
        "stopped": found.stopped,
    }


def measure(puzzle: Puzzle, options: argparse.Namespace, told: Told) -> Answer:
    """Measures the search for a grid."""
    found = measured(puzzle, largest=options.largest, timeout=options.timeout, progress=told)
    facts = {"completions": found.completions, "guesses": found.guesses, "nodes": found.nodes}
    if options.json:
        pairs = None if found.backdoor is None else _pairs(found.backdoor)
        return _measured(found, as_object(puzzle, **facts, backdoor=pairs, stopped=found.stopped))
    backdoor = "?" if found.backdoor is None else _cells(found.backdoor) or "-"
    unproven = " unproven" * (found.stopped is not None)
    return _measured(found, f"{' '.join(f'{name} {n}' for name, n in facts.items())} backdoor {backdoor}{unproven}")


def _measured(found: Measure, text: str) -> Answer:
    return Answer(text, found.stopped, found.completions == 0 and found.stopped is None)


def marks(puzzle: Puzzle, options: argparse.Namespace, told: Told) -> Answer:
    """The candidates of all cells."""
    try:
        found = candidates(puzzle, surviving=options.by, timeout=options.timeout, progress=told)
    except (TimeoutError, KeyboardInterrupt) as error:
        return _unknown(puzzle, options, error, marks=None)
    if not found.any():
        return Answer(as_object(puzzle, marks=None, stopped=None) if options.json else "-1", none=True)
    if options.json:
        rows = [[(np.flatnonzero(cell) + 1).tolist() for cell in row] for row in found]
        return Answer(as_object(puzzle, marks=rows, stopped=None))
    known = names(puzzle.layout, options)
    return Answer(written(puzzle.grid, found, known[1:]) if known else written(puzzle.grid, found))


def minimise(puzzle: Puzzle, options: argparse.Namespace, told: Told) -> Answer:
    """The grid without redundant givens."""
    try:
        left: Grid = minimised(puzzle, seed=options.seed, timeout=options.timeout, progress=told)
    except (TimeoutError, KeyboardInterrupt) as error:
        return _unknown(puzzle, options, error, minimal=None)
    if options.json:
        text = as_object(puzzle, minimal=as_text(left, puzzle.layout, options), stopped=None)
    else:
        text = as_read(left, puzzle, options)
    if not options.fail:
        return Answer(text)
    known = solve(puzzle, timeout=options.timeout, progress=told)  # which the search for givens does not tell
    return Answer(text, known.stopped, known.completion is None and known.exhausted)


def _unknown(puzzle: Puzzle, options: argparse.Namespace, error: BaseException, **facts: object) -> Answer:
    """Returns the answer where there has not been enough time."""
    stopped = "interrupt" if isinstance(error, KeyboardInterrupt) else "timeout"
    return Answer(as_object(puzzle, **facts, stopped=stopped) if options.json else "unknown", stopped)


def _cells(cells: Iterable[Cell]) -> str:
    """Cells as people write them.

    >>> _cells([(0, 1), (8, 8)])
    'r1c2 r9c9'
    """
    return " ".join(f"r{r + 1}c{c + 1}" for r, c in cells)


def _givens(givens: Iterable[tuple[int, int, int]], known: str | None) -> str:
    """Givens as people write them, with the signs that they have named.

    >>> _givens([(0, 1, 2)], None), _givens([(0, 1, 2)], ".AB")
    ('r1c2=2', 'r1c2=B')
    """
    return " ".join(f"r{r + 1}c{c + 1}={known[digit] if known else digit}" for r, c, digit in givens)


def _number(name: int | str) -> int | str:
    """The name of a region, as people count: from 1."""
    return name + 1 if isinstance(name, int) else name


def _triples(givens: Iterable[tuple[int, int, int]]) -> list[list[int]]:
    return [[r + 1, c + 1, digit] for r, c, digit in givens]


def _pairs(cells: Iterable[Cell]) -> list[list[int]]:
    return [[r + 1, c + 1] for r, c in cells]
