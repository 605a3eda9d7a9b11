"""The answers of the commands about a grid, each as text and as facts for programs.

A function of this module answers for the command of its name. It takes the puzzle, the signs of a blank and of each
digit (None for the usual ones), the limits `timeout` and `progress` of its search, and the options of the command.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import dlx
import sudoku
from dlx.command import interrupt_waits, so_far
from dlx.extending import Merge
from sudoku.encoding import Weights
from sudoku.formats import writing
from sudoku.grid import Grid, GridError, Puzzle
from sudoku.listing import Budget, Listing
from sudoku.pictures.steps import steps_picture
from sudoku.pictures.svg import draw
from sudoku.setting.sentences import Words, number
from sudoku.target import Sense

IN_BOXES = ("rows", "boxed", "free", "marks", "code")  # the forms of several lines, answered by a grid of boxes
LARGEST = 32  # rows of grids that have a line form
SINGLES = 3  # points of the hardest single
SECOND_COMPLETION = 1.0  # seconds, the timeout of the search for a second completion

Facts = dict[str, Any]
Shares = npt.NDArray[np.float64]
OnProgress = Callable[[dlx.Progress], object]


class Answer(NamedTuple):
    """An answer about a grid, or a part of it.

    Attributes:
        text: what is printed, one line or several.
        facts: what is printed for programs, each in an object of its own.
        none: whether it is certain that there is no completion.
        picture: what is drawn of it, in SVG, or None.
        wrong: the message about what is wrong, or None.
        at: the file and the line of the grid, if it is the answer of one grid.
        grids: the number of grids that it answers; each of several has one line. In an answer of several parts, only
            the first part has the number, and the others have 0.
        is_list: whether it may have several lines.
    """

    text: str
    facts: Sequence[Facts] = ()
    none: bool = False
    picture: str | None = None
    wrong: str | None = None
    at: tuple[str, int] | None = None
    grids: int = 1
    is_list: bool = False

    @property
    def stopped(self) -> str | None:
        """Why the search stopped early, or None."""
        return self.facts[-1].get("stopped") if self.facts else None


def refusal(error: GridError | OSError) -> Answer:
    """Returns the answer `error` for a grid that cannot be read, or the message about a file."""
    if isinstance(error, OSError):
        return Answer("", wrong=f"{error.filename}: {error.strerror}", grids=0)
    return Answer("error", [{"error": error.reason}], wrong=str(error), at=(error.file, error.line))


def unfinished(stopped: str) -> Answer:
    """Returns the answer of a search that was stopped before it found anything."""
    return _answer(None, {"stopped": stopped})


def _answer(text: str | None, facts: Facts, none: bool = False, picture: str | None = None) -> Answer:
    """Returns an answer; without a text, there is no completion, or none is known."""
    return Answer(text or ("-1" if none else "unknown"), [facts], none, picture)


def _effort(outcome: dlx.Outcome) -> Facts:
    return {"stopped": outcome.stopped, "nodes": outcome.nodes, "seconds": round(outcome.seconds, 6)}


def word(grid: Grid, signs: str | None = None) -> str:
    """Returns a grid as one word: in the line form, or as numbers with commas if it is too large for that."""
    if signs or len(grid) <= LARGEST:
        return writing.line(grid, signs)
    return ",".join(map(str, grid.ravel().tolist()))


def _has_lines(puzzle: Puzzle) -> bool:
    """Returns whether a puzzle is answered by grids of several lines, as it was written."""
    return puzzle.form in IN_BOXES or puzzle.layout.size > LARGEST


def _as_read(grid: Grid, puzzle: Puzzle, signs: str | None) -> str:
    """Returns a grid in the form of a puzzle: a line for a line, and otherwise boxes."""
    return writing.text_of(grid, puzzle.layout, names=signs) if _has_lines(puzzle) else word(grid, signs)


def solve(
    puzzle: Puzzle, signs: str | None, limits: Facts, *, all: bool = False, limit: int | None = None
) -> Answer | Generator[Answer, None, None]:
    """Returns a completion in the form of the grid; with `all` or a limit, the completions as they are found."""
    if all or limit is not None:
        return _completions(puzzle, signs, limits, limit)
    result = sudoku.solve(puzzle, **limits)
    grid = result.completion
    facts = {"completion": None if grid is None else word(grid, signs), **_effort(result)}
    text = None if grid is None else _as_read(grid, puzzle, signs)
    return _answer(text, facts, grid is None and result.exhausted)


def _completions(puzzle: Puzzle, signs: str | None, limits: Facts, limit: int | None) -> Generator[Answer, None, None]:
    """Yields the completions in blocks, and what ended the list."""
    budget = Budget(max_covers=limit, **limits)
    problem = sudoku.encode(puzzle)
    listing = Listing(problem, budget)
    at = puzzle.file, puzzle.line
    gap = "\n" if _has_lines(puzzle) else ""  # an empty line between grids of several lines
    stopped = None
    found = 0  # completions printed; at Ctrl-C, a block that is not yet text is lost
    try:
        for block in listing.blocks():
            grids = sudoku.decode(problem, block)
            text = f"\n{gap}".join([_as_read(grid, puzzle, signs) for grid in grids])
            facts = [{"completion": word(grid, signs)} for grid in grids]
            is_first = not found
            with interrupt_waits():  # a block is counted if it is printed
                found += len(grids)
                yield Answer(text if is_first else f"{gap}{text}", facts, at=at, grids=int(is_first), is_list=True)
        stopped = listing.stopped
    except KeyboardInterrupt:
        stopped = "interrupt"
    exhausted = stopped is None
    stopped = None if stopped == "max_covers" else stopped
    effort = {"stopped": stopped, "nodes": budget.nodes, "seconds": round(budget.seconds, 6)}
    end: Facts = {"completions": found, "exhausted": exhausted, **effort}
    if not found:
        yield _answer(None, end, none=exhausted)._replace(at=at, is_list=True)
    else:
        yield Answer(f"{gap}unproven" if stopped else "", [end], at=at, grids=0, is_list=True)


def count(
    puzzle: Puzzle,
    signs: str | None,
    limits: Facts,
    *,
    merge: Merge = "auto",
    memory: int | None = None,
    limit: int | None = None,
) -> Answer:
    """Returns the number of completions, as far as it has been counted."""
    result = sudoku.count(puzzle, merge=merge, memory=memory, max_covers=limit, **limits)
    text = so_far(result.covers, result.stopped in ("timeout", "interrupt"))
    merging = {name: getattr(result, name) for name in ("merged", "hits", "states", "memory")}
    facts = {"completions": result.covers, "exhausted": result.exhausted, **merging, **_effort(result)}
    return _answer(text, facts, result.covers == 0 and result.exhausted)


def shares(
    puzzle: Puzzle, signs: str | None, limits: Facts, *, memory: int | None = None, svg: str | None = None
) -> Answer:
    """Returns the share of the completions that has each digit in each blank, as a table; and a picture."""
    found = sudoku.shares(puzzle, memory=memory, **limits)
    if not found.any():
        return _answer(None, {"shares": None, "stopped": None}, True)
    blanks = np.argwhere((puzzle.grid == 0) & found.any(axis=2)).tolist()  # missing cells have no shares
    digits = [{d: share for d, share in enumerate(found[r, c].tolist(), 1) if share} for r, c in blanks]
    each = [{"row": r + 1, "column": c + 1, "digits": some} for (r, c), some in zip(blanks, digits, strict=True)]
    picture = None if svg is None else draw(puzzle.grid, puzzle.layout, puzzle.grid, found, signs)
    return _answer(_table(found, blanks, signs), {"shares": each, "stopped": None}, picture=picture)


def _table(shares: Shares, blanks: list[list[int]], signs: str | None = None) -> str:
    """Returns the shares in per cent: a line for each blank, a column for each digit.

    >>> print(_table(np.array([[[1, 0], [0, 1]], [[0, 1], [0.25, 0.75]]]), [[1, 1]]))
       %     1     2
    r2c2  25.0  75.0
    """
    lines = [("%", *(signs[1:] if signs else map(str, range(1, shares.shape[2] + 1))))]
    for r, c in blanks:
        texts = [f"{100 * share:.1f}" if share else "." for share in shares[r, c].tolist()]
        lines.append((_cells_text([(r, c)]), *texts))
    width = max(len(name) for name, *_ in lines)
    return "\n".join([f"{name:>{width}}" + "".join([f"{text:>6}" for text in texts]) for name, *texts in lines])


def canonical(puzzle: Puzzle, signs: str | None, limits: Facts) -> Answer:
    """Returns the canonical form, in a line."""
    form = sudoku.canonical(puzzle)
    return _answer(_with_rules(form, puzzle) or word(form, signs), {"canonical": word(form, signs)})


def explain(puzzle: Puzzle, signs: str | None, limits: Facts) -> Answer:
    """Returns the clashes and the core of a grid without a completion; the differing cells of one with several."""
    found = sudoku.explain(puzzle, **limits)
    facts = {
        "completions": "several" if found.completions == 2 else found.completions,
        "clashes": [{"kind": k, "name": number(name), "givens": _as_lists(some)} for k, name, some in found.conflicts],
        "core": _as_lists(found.core),
        "differing": _as_lists(found.differing),
        "extra": _as_lists(found.extra),
        "stopped": found.stopped,
    }
    return _answer("\n".join(_explanation(found, puzzle.grid, signs)), facts, found.completions == 0)


def _explanation(found: sudoku.Explanation, grid: Grid, signs: str | None) -> Iterator[str]:
    """Yields an explanation in lines."""
    kinds = {None: "unknown", 0: "no completion", 1: "one completion", 2: "several completions"}
    yield so_far(kinds[found.completions], found.stopped and found.completions is not None)
    for kind, name, givens in found.conflicts:
        yield f"  clash {_cells_text(givens, signs)} in {kind} {number(name)}"
    if found.core is not None and not found.core:
        yield "  core is empty: the rules have no completion, whatever the givens"
    elif found.core is not None:
        yield f"  core {_cells_text(((r, c, int(grid[r, c])) for r, c in found.core), signs)}"
    if found.differing:
        yield f"  differ {_cells_text(found.differing)}"
    if found.extra is not None:
        yield f"  extra {_cells_text(found.extra, signs)}"


def minimise(puzzle: Puzzle, signs: str | None, limits: Facts, *, seed: int = 0, list: bool = False) -> Answer:
    """Returns the grid without redundant givens; with `list`, each given that can be removed by itself."""
    if list:
        cells = np.argwhere(sudoku.redundant(puzzle, **limits)).tolist()
        givens = [(r, c, int(puzzle.grid[r, c])) for r, c in cells]
        text = f"givens {_cells_text(givens, signs) or '-'}"
        return _answer(text, {"givens": _as_lists(givens), "stopped": None})
    minimal = sudoku.minimise(puzzle, seed=seed, **limits)
    text = _with_rules(minimal, puzzle) or _as_read(minimal, puzzle, signs)
    return _answer(text, {"minimal": word(minimal, signs), "stopped": None})


def _with_rules(grid: Grid, puzzle: Puzzle) -> str:
    """Returns a grid with the rules of a puzzle whose text has rules, as f-puzzles; "" if other texts represent it."""
    if not writing.has_own_layout(puzzle):
        return ""
    return writing.WRITERS["fpuzzles"].write(replace(puzzle, grid=grid, candidates=None, placed=None))


def steps(puzzle: Puzzle, signs: str | None, limits: Facts, *, n: int | None = None, svg: str | None = None) -> Answer:
    """Returns the steps, or the first `n` of them, and their outcome."""
    found: list[sudoku.Step] = []
    under_way = sudoku.steps(puzzle, **limits)
    stopped = None
    try:
        found.extend(islice(under_way, n))
    except KeyboardInterrupt:
        stopped = "interrupt"
    stopped = stopped or under_way.stopped
    is_all = n is None or len(found) < n or under_way.solved
    end: str | None = "unknown" if stopped else _end(puzzle, under_way)
    none = end == "no completion"
    if not is_all and (under_way.contradictory or not (stopped or none)):
        end = None  # the last step states the outcome, or there are more steps
    blanks = int((under_way.grid[under_way.layout.mask()] == 0).sum())
    left = f", {blanks} blanks are left" if end in ("stuck", "several completions") else ""
    lines = [f"{k}. {step.sentence(signs)}" for k, step in enumerate(found, 1)]
    lines += [] if end is None else [f"{end}{left}"]
    outcome = None if stopped else end
    facts = {"steps": [_step_facts(step, signs) for step in found], "outcome": outcome, "stopped": stopped}
    numbered = dict(enumerate(found, 1))
    drawn = {number: step for number, step in numbered.items() if step.points > SINGLES} or numbered
    return _answer("\n".join(lines), facts, none, None if svg is None else steps_picture(drawn, signs))


def _end(puzzle: Puzzle, found: sudoku.Steps | sudoku.Rating) -> str:
    """Returns the outcome of steps in a few words; without a solution, a count finds why."""
    if found.contradictory or found.solved:
        return "solved" if found.solved else "no completion"
    number = sudoku.count(puzzle, max_covers=2, timeout=SECOND_COMPLETION)
    if number.covers == 0 and number.exhausted:
        return "no completion"
    return "several completions" if number.covers == 2 else "stuck"


def _step_facts(step: sudoku.Step, signs: str | None) -> Facts:
    """Returns a step for programs; rows and columns from 1."""
    words = Words(step.before.layout, signs)
    chosen = step.placed or step.combination
    return {
        "name": step.name,
        "text": step.sentence(signs),
        "points": step.points,
        "placed": None if chosen is None else words.option(chosen),
        "out": [words.option(name) for name in (*step.out, *step.combinations_out)],
        "truths": [words.items([item]) for item in step.truths],
        "links": [words.items([item]) for item in step.links],
        "rank": step.rank,
        "path": [[words.option(name) for name in group] for group in step.path],
    }


def rate(puzzle: Puzzle, signs: str | None, limits: Facts) -> Answer:
    """Returns the points of the hardest step, the sum of all points, and a word for the difficulty."""
    found = sudoku.rate(puzzle, **limits)
    end = "unproven" if found.stopped and not found.contradictory else _end(puzzle, found)
    end = f"solved {found.difficulty}" if found.solved else end
    text = f"hardest {found.hardest} total {found.total} steps {found.steps} {end}"
    return _answer(text, {**found.to_dict(), "difficulty": found.difficulty}, end == "no completion")


def _cells_text(cells: Iterable[tuple[int, ...]], signs: str | None = None) -> str:
    """Returns cells as people write them, and givens, with the signs of their digits.

    >>> _cells_text([(0, 1), (8, 8)]), _cells_text([(0, 1, 2)]), _cells_text([(0, 1, 2)], ".AB")
    ('r1c2 r9c9', 'r1c2=2', 'r1c2=B')
    """
    words = []
    for r, c, *digits in cells:
        words.append(f"r{r + 1}c{c + 1}" + "".join(f"={signs[digit] if signs else digit}" for digit in digits))
    return " ".join(words)


def _as_lists(cells: Iterable[tuple[int, ...]] | None) -> list[list[int]] | None:
    """Returns cells or givens as JSON values, rows and columns from 1; None stays None."""
    return None if cells is None else [[r + 1, c + 1, *digit] for r, c, *digit in cells]


def target(
    puzzle: Puzzle,
    signs: str | None,
    limits: Facts,
    *,
    grid: bool = False,
    strategy: str | None = None,
    weights: Weights | None = None,
    sense: Sense = "max",
) -> Answer:
    """Returns the best score; with `grid`, also its completion."""
    result = sudoku.best(puzzle, strategy=strategy, weights=weights, sense=sense, **limits)
    found = result.completion
    facts = {
        "score": result.score,
        "completion": None if found is None else word(found, signs),
        "completions": result.completions,
        "bound": result.bound,
        "proven": result.proven,
        "stopped": result.stopped,
        "strategy": result.strategy,
        **_effort(result),
    }
    text = None if found is None else so_far(result.score, not result.proven)
    if found is not None and grid:
        text = f"{text}\n{writing.text_of(found, puzzle.layout, names=signs)}"
    return _answer(text, facts, found is None and result.proven)
