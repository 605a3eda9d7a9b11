"""The answers of the commands about a grid, each as text and as facts for programs.

A function of this module answers for the command of its name: it takes the puzzle, the options, and the keywords
`timeout` and `progress` of its search.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

import dlx
import sudoku
from dlx.command import so_far
from sudoku.formats import writing
from sudoku.formats.signs import Signs
from sudoku.grid import Grid, GridError, Puzzle
from sudoku.layout import Layout
from sudoku.listing import Budget, Listing
from sudoku.pictures.steps import steps_picture
from sudoku.pictures.svg import draw
from sudoku.setting.sentences import Words, number

IN_BOXES = ("rows", "boxed", "free", "marks", "code")  # the forms of several lines, answered by a grid of boxes
LARGEST = 32  # rows of grids that have a line form
SINGLES = 3  # the most points of a single
SECOND_COMPLETION = 1.0  # seconds to look for a completion, or a second one
RANKING = "bound"  # the strategy that finds more than one completion

Facts = dict[str, Any]
Shares = npt.NDArray[np.float64]
Found = TypeVar("Found")


class Answer(NamedTuple):
    """An answer about a grid.

    Attributes:
        text: what is printed, one line or several.
        stopped: why the search stopped early, or None.
        none: whether it is certain that there is no completion.
        picture: what is drawn of it, in SVG, or None.
        wrong: what is wrong with the grid, or None.
        grids: how many grids it is about; of several each has one line.
    """

    text: str
    stopped: str | None = None
    none: bool = False
    picture: str | None = None
    wrong: GridError | None = None
    grids: int = 1


OnProgress = Callable[[dlx.Progress], object]


def refusal(error: GridError, options: argparse.Namespace) -> Answer:
    """Returns the stand-in for the answer about a grid that has none."""
    return Answer(as_object(error, error=error.reason) if options.json else "error", wrong=error)


def answered(
    puzzle: Puzzle, options: argparse.Namespace, text: Callable[[], str | None], facts: Facts, none: bool = False
) -> Answer:
    """Returns the facts for programs or the text; without a text, there is no completion, or none is known."""
    printed = as_object(puzzle, **facts) if options.json else text() or ("-1" if none else "unknown")
    return Answer(printed, facts.get("stopped"), none)


def finished(search: Callable[..., Found], *given: Any, **named: Any) -> tuple[Found | None, str | None]:
    """Returns the result of a search, or why it was stopped."""
    try:
        return search(*given, **named), None
    except TimeoutError:
        return None, "timeout"
    except KeyboardInterrupt:
        return None, "interrupt"


def as_object(place: Puzzle | GridError, **facts: object) -> str:
    """An answer for programs."""
    return json.dumps({"file": place.file, "line": place.line, **facts})


def names(layout: Layout, options: argparse.Namespace) -> str | None:
    """Returns the signs of a blank and of each digit by `--alphabet`; None if it does not fit the layout."""
    alphabet: str | None = options.alphabet
    return Signs.of(layout, alphabet).names if alphabet and len(alphabet) == layout.size else None


def as_value(grid: Grid | None, layout: Layout, options: argparse.Namespace) -> str | None:
    """A grid as a JSON value: one word, or None."""
    return None if grid is None else as_word(grid, layout, options)


def as_word(grid: Grid, layout: Layout, options: argparse.Namespace) -> str:
    """A grid as one word: in the line form, or as numbers with commas between them if it is too large for that."""
    known = names(layout, options)
    return writing.line(grid, known) if known or len(grid) <= LARGEST else ",".join(map(str, grid.ravel().tolist()))


def as_boxes(grid: Grid, layout: Layout, options: argparse.Namespace) -> str:
    return writing.boxed(grid, layout, names(layout, options))


def _as_read(grid: Grid | None, puzzle: Puzzle, options: argparse.Namespace) -> str | None:
    """A grid in the form of the puzzle that was read: a line for a line, and otherwise boxes."""
    if grid is None:
        return None
    return (as_boxes if _has_lines(puzzle) else as_word)(grid, puzzle.layout, options)


def _has_lines(puzzle: Puzzle) -> bool:
    """Returns whether answers have several lines, as the puzzle has."""
    return puzzle.form in IN_BOXES or puzzle.layout.size > LARGEST


def solve(puzzle: Puzzle, options: argparse.Namespace, limits: Facts) -> Answer:
    """Returns a completion in the form of the grid; with --all or --limit, a list of completions."""
    if options.lists:
        return _completions(puzzle, options, limits)
    result = sudoku.solve(puzzle, **limits)
    grid = result.completion
    facts = {"completion": as_value(grid, puzzle.layout, options), **_effort(result)}
    none = grid is None and result.exhausted
    return answered(puzzle, options, lambda: _as_read(grid, puzzle, options), facts, none)


def _completions(puzzle: Puzzle, options: argparse.Namespace, limits: Facts) -> Answer:
    """The completions, up to a limit."""
    budget = Budget(max_covers=options.limit, **limits)
    problem = sudoku.encode(puzzle)
    listing = Listing(problem, budget)
    blocks: list[npt.NDArray[np.int32]] = []
    _, interrupted = finished(lambda: blocks.extend(listing.blocks()))
    stopped = interrupted or (None if listing.stopped == "max_covers" else listing.stopped)
    grids = [grid for block in blocks for grid in sudoku.decode(problem, block)]
    exhausted = interrupted is None and listing.stopped is None

    def text() -> str:
        each = [_as_read(grid, puzzle, options) or "" for grid in grids]
        return ("\n\n" if _has_lines(puzzle) else "\n").join(each + ["unproven"] * bool(each and stopped))

    listed = [as_value(grid, puzzle.layout, options) for grid in grids]
    effort = {"stopped": stopped, "nodes": budget.nodes, "seconds": round(budget.seconds, 6)}
    facts = {"completions": listed, "exhausted": exhausted, **effort}
    return answered(puzzle, options, text, facts, not grids and exhausted)


def count(puzzle: Puzzle, options: argparse.Namespace, limits: Facts) -> Answer:
    """The number of completions, as far as it has been counted."""
    result = sudoku.count(puzzle, merge=options.merge, memory=options.memory, max_covers=options.limit, **limits)
    text = so_far(result.covers, result.stopped in ("timeout", "interrupt"))
    merging = {name: getattr(result, name) for name in ("merged", "hits", "states", "memory")}
    facts = {"completions": result.covers, "exhausted": result.exhausted, **merging, **_effort(result)}
    return answered(puzzle, options, lambda: text, facts, result.covers == 0 and result.exhausted)


def _effort(outcome: dlx.Outcome) -> Facts:
    return {"stopped": outcome.stopped, "nodes": outcome.nodes, "seconds": round(outcome.seconds, 6)}


def shares(puzzle: Puzzle, options: argparse.Namespace, limits: Facts) -> Answer:
    """The share of the completions that has each digit in each blank, as a table; and a picture, if one is wanted."""
    found, stopped = finished(sudoku.shares, puzzle, memory=options.memory, **limits)
    if found is None or not found.any():
        facts = {"shares": None, "stopped": stopped}
        return answered(puzzle, options, lambda: None, facts, found is not None)
    blanks = np.argwhere((puzzle.grid == 0) & found.any(axis=2)).tolist()  # where a cell is missing there is no chance
    known = names(puzzle.layout, options)
    digits = [{d: share for d, share in enumerate(found[r, c].tolist(), 1) if share} for r, c in blanks]
    each = [{"row": r + 1, "column": c + 1, "digits": some} for (r, c), some in zip(blanks, digits, strict=True)]
    answer = answered(puzzle, options, lambda: _table(found, blanks, known), {"shares": each, "stopped": None})
    picture = None if options.svg is None else draw(puzzle.grid, puzzle.layout, puzzle.grid, found, known)
    return answer._replace(picture=picture)


def _table(shares: Shares, blanks: list[list[int]], known: str | None = None) -> str:
    """The shares in per cent: a line for each blank, a column for each digit.

    >>> print(_table(np.array([[[1, 0], [0, 1]], [[0, 1], [0.25, 0.75]]]), [[1, 1]]))
       %     1     2
    r2c2  25.0  75.0
    """
    lines = [("%", *(known[1:] if known else map(str, range(1, shares.shape[2] + 1))))]
    for r, c in blanks:
        certain = np.count_nonzero(shares[r, c]) == 1
        lines.append((_cells_text([(r, c)]), *(_percent(share, certain) for share in shares[r, c].tolist())))
    width = max(len(name) for name, *_ in lines)
    return "\n".join([f"{name:>{width}}" + "".join([f"{text:>6}" for text in texts]) for name, *texts in lines])


def _percent(share: float, certain: bool) -> str:
    """A share in five characters at most; only an impossible or certain digit has "." or "100".

    >>> [_percent(share, False) for share in (0.0, 1e-9, 0.25, 1 - 1e-9)], _percent(1.0, True)
    (['.', '<0.1', '25.0', '>99.9'], '100')
    """
    if not share or certain:
        return "100" if share else "."
    return {"0.0": "<0.1", "100.0": ">99.9"}.get(text := f"{share:.1%}"[:-1], text)


def canonical(puzzle: Puzzle, options: argparse.Namespace, limits: Facts) -> Answer:
    """The canonical form, in a line."""
    form = sudoku.canonical(puzzle)
    facts = {"canonical": as_value(form, puzzle.layout, options)}
    return answered(puzzle, options, lambda: as_word(form, puzzle.layout, options), facts)


def explain(puzzle: Puzzle, options: argparse.Namespace, limits: Facts) -> Answer:
    """The clashes and the core of a grid without a completion; the differing cells of one with several."""
    found = sudoku.explain(puzzle, **limits)
    facts = {
        "completions": "several" if found.completions == 2 else found.completions,
        "clashes": [{"kind": k, "name": number(name), "givens": _as_lists(some)} for k, name, some in found.conflicts],
        "core": _as_lists(found.core),
        "differing": _as_lists(found.differing),
        "extra": _as_lists(found.extra),
        "stopped": found.stopped,
    }
    lines = _explanation(found, puzzle.grid, names(puzzle.layout, options))
    return answered(puzzle, options, lambda: "\n".join(lines), facts, found.completions == 0)


def _explanation(found: sudoku.Explanation, grid: Grid, known: str | None) -> Iterator[str]:
    """An explanation in lines."""
    kinds = {None: "unknown", 0: "no completion", 1: "one completion", 2: "several completions"}
    yield so_far(kinds[found.completions], found.stopped and found.completions is not None)
    for kind, name, givens in found.conflicts:
        yield f"  clash {_cells_text(givens, known)} in {kind} {number(name)}"
    if found.core is not None and not found.core:
        yield "  core is empty: the rules have no completion, whatever the givens"
    elif found.core is not None:
        yield f"  core {_cells_text(((r, c, int(grid[r, c])) for r, c in found.core), known)}"
    if found.differing:
        yield f"  differ {_cells_text(found.differing)}"
    if found.extra is not None:
        yield f"  extra {_cells_text(found.extra, known)}"


def minimise(puzzle: Puzzle, options: argparse.Namespace, limits: Facts) -> Answer:
    """Returns the grid without redundant givens; with --list, the redundant givens."""
    if options.list:
        return _redundant(puzzle, options, limits)
    minimal, stopped = finished(sudoku.minimise, puzzle, seed=options.seed, **limits)
    facts = {"minimal": as_value(minimal, puzzle.layout, options), "stopped": stopped}
    answer = answered(puzzle, options, lambda: _as_read(minimal, puzzle, options), facts)
    if stopped or not options.fail:
        return answer
    found = sudoku.solve(puzzle, **limits)  # a minimal grid may have no completion
    return answer._replace(stopped=found.stopped, none=found.completion is None and found.exhausted)


def _redundant(puzzle: Puzzle, options: argparse.Namespace, limits: Facts) -> Answer:
    """Returns the givens that are redundant, each alone."""
    mask, stopped = finished(sudoku.redundant, puzzle, **limits)
    if mask is None:
        return answered(puzzle, options, lambda: None, {"givens": None, "stopped": stopped})
    givens = [(r, c, int(puzzle.grid[r, c])) for r, c in np.argwhere(mask).tolist()]
    text = f"givens {_cells_text(givens, names(puzzle.layout, options)) or '-'}"
    return answered(puzzle, options, lambda: text, {"givens": _as_lists(givens), "stopped": None})


def steps(puzzle: Puzzle, options: argparse.Namespace, limits: Facts) -> Answer:
    """Returns the steps (with -n the first ones) and their outcome."""
    signs = names(puzzle.layout, options)
    found: list[sudoku.Step] = []
    under_way = sudoku.steps(puzzle, **limits)
    _, stopped = finished(lambda: found.extend(islice(under_way, options.number)))
    stopped = stopped or under_way.stopped
    is_all = options.number is None or len(found) < options.number or under_way.solved
    end: str | None = "unknown" if stopped else _end(puzzle, under_way)
    none = end == "no completion"
    if not is_all and (under_way.contradictory or not (stopped or none)):
        end = None  # the last step states the outcome, or there are more steps
    outcome = None if stopped or end is None else end
    blanks = int((under_way.grid[under_way.layout.mask()] == 0).sum())
    left = f", {blanks} blanks are left" if end in ("stuck", "several completions") else ""
    facts = {"steps": [_step_facts(step, signs) for step in found], "outcome": outcome, "stopped": stopped}
    lines = [f"{k}. {step.sentence(signs)}" for k, step in enumerate(found, 1)]
    lines += [] if end is None else [f"{end}{left}"]
    answer = answered(puzzle, options, lambda: "\n".join(lines), facts, none)
    drawn = [step for step in found if step.points > SINGLES] or found
    return answer._replace(picture=None if options.svg is None else steps_picture(drawn, signs))


def _end(puzzle: Puzzle, found: sudoku.Steps | sudoku.Rating) -> str:
    """Returns the outcome of steps in a few words; without a solution, a count finds why."""
    if found.contradictory or found.solved:
        return "solved" if found.solved else "no completion"
    number = sudoku.count(puzzle, max_covers=2, timeout=SECOND_COMPLETION)
    if number.covers == 0 and number.exhausted:
        return "no completion"
    return "several completions" if number.covers == 2 else "stuck"


def _step_facts(step: sudoku.Step, signs: str | None) -> Facts:
    """A step for programs; rows and columns from 1."""
    words = Words(step.before.layout, signs)
    truths, links = ([words.items([item]) for item in some] for some in (step.truths, step.links))
    chosen = step.placed or step.combination
    placed = None if chosen is None else words.option(chosen)
    out = [words.option(name) for name in (*step.out, *step.combinations_out)]
    facts = {"name": step.name, "text": step.sentence(signs), "points": step.points, "placed": placed, "out": out}
    path = [[words.option(name) for name in group] for group in step.path]
    return {**facts, "truths": truths, "links": links, "rank": step.rank, "path": path}


def rate(puzzle: Puzzle, options: argparse.Namespace, limits: Facts) -> Answer:
    """Returns the points of the hardest step, the sum of all points, and a word for the difficulty."""
    found, stopped = finished(sudoku.rate, puzzle, **limits)
    if found is None:
        return answered(puzzle, options, lambda: None, {"stopped": stopped})
    end = "unproven" if found.stopped and not found.contradictory else _end(puzzle, found)
    end = f"solved {found.difficulty}" if found.solved else end
    facts = {**found.to_dict(), "difficulty": found.difficulty}
    text = f"hardest {found.hardest} total {found.total} steps {found.steps} {end}"
    return answered(puzzle, options, lambda: text, facts, end == "no completion")


def _cells_text(cells: Iterable[tuple[int, ...]], known: str | None = None) -> str:
    """Cells as people write them, and givens, with the signs that they have named.

    >>> _cells_text([(0, 1), (8, 8)]), _cells_text([(0, 1, 2)]), _cells_text([(0, 1, 2)], ".AB")
    ('r1c2 r9c9', 'r1c2=2', 'r1c2=B')
    """
    words = []
    for r, c, *digits in cells:
        words.append(f"r{r + 1}c{c + 1}" + "".join(f"={known[digit] if known else digit}" for digit in digits))
    return " ".join(words)


def _as_lists(cells: Iterable[tuple[int, ...]] | None) -> list[list[int]] | None:
    """Cells or givens as JSON values, rows and columns from 1; None stays None."""
    return None if cells is None else [[r + 1, c + 1, *digit] for r, c, *digit in cells]


def target(puzzle: Puzzle, options: argparse.Namespace, limits: Facts) -> Answer:
    """Returns the best score, with --grid and its completion."""
    layout = puzzle.layout
    wanted = {"weights": options.weights, "sense": options.sense}
    result = sudoku.best(puzzle, strategy=options.strategy, **wanted, **limits)
    grid = result.completion

    def text() -> str | None:
        return None if grid is None else scored([result.score], result.proven, grid, layout, options)

    facts = {
        "score": result.score,
        "completion": as_value(grid, layout, options),
        "completions": result.completions,
        "ties": result.ties,
        **_proof(result, result.strategy),
    }
    return answered(puzzle, options, text, facts, grid is None and result.proven)


def _proof(result: sudoku.Result | sudoku.Ranking, strategy: str) -> Facts:
    """Returns the bound, and the work of the search."""
    proof = {"bound": result.bound, "proven": result.proven, "stopped": result.stopped, "strategy": strategy}
    return proof | _effort(result)


def top(puzzle: Puzzle, options: argparse.Namespace, limits: Facts) -> Answer:
    """The K best completions, or as many as there are."""
    layout = puzzle.layout
    result = sudoku.rank(puzzle, options.top, sense=options.sense, weights=options.weights, **limits)
    listed = list(zip(result.scores.tolist(), result.completions, strict=True))
    best = [{"score": score, "completion": as_value(grid, layout, options)} for score, grid in listed]

    def text() -> str:
        lines = []
        for score, grid in listed:
            words = [score] if options.grid else [score, as_word(grid, layout, options)]
            lines.append(scored(words, result.proven, grid, layout, options))
        return "\n".join(lines)

    facts = {"top": best, **_proof(result, RANKING)}
    return answered(puzzle, options, text, facts, not listed and result.proven)


def scored(words: list[object], proven: bool, grid: Grid, layout: Layout, options: argparse.Namespace) -> str:
    """Returns a line of words, marked if unproven; if `options.grid` is set, the grid in boxes stands below it."""
    line = so_far(" ".join(map(str, words)), not proven)
    return f"{line}\n{as_boxes(grid, layout, options)}" if options.grid else line
