"""`sudoku convert`, `draw` and `watch`: grids in another form, pictures of grids, and pages that play a search."""

from __future__ import annotations

import html
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

import dlx
import sudoku
from dlx.command import need_stdout
from sudoku.command.answers import SECOND_COMPLETION
from sudoku.command.reading import Source
from sudoku.encoding import encode
from sudoku.formats.conversion import as_puzzle
from sudoku.formats.writing import WRITERS, Writer, text_of
from sudoku.grid import GridError, Puzzle, frozen
from sudoku.layout import PLAIN
from sudoku.pictures.svg import draw as drawn
from sudoku.pictures.svg import faint, to_png

SUFFIXES = {"": "line", ".txt": "line", ".sdm": "line", ".csv": "csv", ".json": "json"}  # suffix -> form
EVENTS = 100_000  # maximum number of steps on a page
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>
@page {{ margin: 15mm; }}
body {{ font-family: sans-serif; max-width: 180mm; margin: auto; }}
section {{ display: flex; flex-wrap: wrap; justify-content: space-between; }}
figure {{ width: 85mm; margin: 0 0 8mm; break-inside: avoid; }}
.solutions {{ break-before: page; }}
.solutions figure {{ width: 40mm; }}
figure svg {{ width: 100%; height: auto; }}
</style>
<h1>{title}</h1>
<section>
{puzzles}
</section>
<h2 class="solutions">Solutions</h2>
<section class="solutions" style="break-before: auto">
{solutions}
</section>
</html>
"""


def convert(source: Source, *, to: str | None = None, drop_candidates: bool = False, output: str | None = None) -> int:
    """Writes all grids in a form, and returns the exit status; a file is not changed if no grid can be written."""
    console, suffix = source.console, os.path.splitext(output or "")[1]
    if to is None and suffix not in SUFFIXES:
        known = ", ".join(filter(None, SUFFIXES))
        raise ValueError(f"{output}: the suffix names no form; use one of {known}, or --to")
    form = to or SUFFIXES[suffix]
    writer = WRITERS[form]
    texts = writer.texts(_written(source, writer, form, drop_candidates))
    if output is None:
        need_stdout()
        for text in texts:
            console.print(text)
        return console.status
    data = "".join(texts).encode()
    if data or not console.status:
        console.put(output, data)
    return console.status


def _written(source: Source, writer: Writer, form: str, drop_candidates: bool) -> Iterator[str]:
    """Yields each grid in the form; grids that the form cannot represent are errors."""
    for _, puzzle in source.puzzles():
        try:
            if drop_candidates:
                puzzle = _digits_of(puzzle)
            elif form == "marks" and puzzle.candidates is None:
                puzzle = as_puzzle(puzzle, None, sudoku.candidates(puzzle, surviving="rules"))
            else:
                writer.check_rules(puzzle.layout)
            yield writer.write(puzzle)
        except ValueError as error:
            _refuse(source, puzzle, str(error))


def _digits_of(puzzle: Puzzle) -> Puzzle:
    """Returns the puzzle without candidates; if there are no givens, a cell with one candidate has its digit."""
    if puzzle.candidates is None or puzzle.grid.any():
        return replace(puzzle, candidates=None)
    digits = np.where(puzzle.candidates.sum(axis=2) == 1, puzzle.candidates.argmax(axis=2) + 1, 0)
    return replace(puzzle, grid=frozen(digits.astype(np.uint8)), candidates=None)


def draw(source: Source, *, output: str | None = None, sheet: bool = False, title: str | None = None) -> int:
    """Prints all grids in boxes, draws each grid to its own file, or all on one page; returns the exit status."""
    console, is_page = source.console, output is not None and output.endswith(".html")
    if sheet and output is not None and not is_page:
        raise ValueError(f"{output!r} does not end in .html, and a sheet is HTML")
    if title is not None and not (sheet or is_page):
        raise ValueError("--title goes with --sheet")
    if output is None:
        need_stdout()
    if sheet or is_page:
        found = [(puzzle, source.signs(puzzle.layout)) for _, puzzle in source.puzzles()]
        console.put(output, _sheet(found, title or "Sudoku", console.say).encode())
        return console.status
    for k, puzzle in source.puzzles():
        signs = source.signs(puzzle.layout)
        if output is None:
            if hidden := [kind for kind in puzzle.layout.kinds() if kind not in PLAIN]:
                warnings.warn(f"text does not show {', '.join(hidden)}", stacklevel=2)
            console.print(text_of(puzzle.grid, puzzle.layout, "unicode", signs) + "\n\n")
        else:
            svg = drawn(puzzle.grid, puzzle.layout, puzzle.grid, faint(puzzle.candidates), signs)
            console.put(place(output, k), to_png(svg) if output.endswith(".png") else f"{svg}\n".encode())
    return console.status


def _sheet(puzzles: Iterable[tuple[Puzzle, str | None]], title: str, say: Callable[[str], None]) -> str:
    """Returns the page of puzzles, each with the signs of a blank and of each digit (None: numbers).

    `say` is called with a message for each puzzle without a completion, or with several.
    """
    asked, solved = list[str](), list[str]()
    for k, (puzzle, signs) in enumerate(puzzles, 1):
        asked.append(_figure(drawn(puzzle.grid, puzzle.layout, puzzle.grid, faint(puzzle.candidates), signs), str(k)))
        solution = sudoku.solve(puzzle).completion
        several = solution is not None and sudoku.count(puzzle, max_covers=2, timeout=SECOND_COMPLETION).covers > 1
        fault = "no completion" if solution is None else "one of several completions" if several else ""
        if fault:
            say(str(GridError(puzzle.file, puzzle.line, f"solution {k} of the sheet: {fault}")))
        picture = "" if solution is None else drawn(solution, puzzle.layout, puzzle.grid, None, signs)
        solved.append(_figure(picture, f"{k}: {fault}" if fault else str(k)))
    return PAGE.format(title=html.escape(title), puzzles="\n".join(asked), solutions="\n".join(solved))


def _figure(picture: str, caption: str) -> str:
    return f"<figure><figcaption>{caption}</figcaption>{picture}</figure>"


def watch(source: Source, *, output: str | None = None, events: int = EVENTS, timeout: float | None = None) -> int:
    """Writes a page for each grid, and returns the exit status."""
    for k, puzzle in source.puzzles():
        name = None if output is None else place(output, k)
        if name is None and k > 1:
            _refuse(source, puzzle, "only one page fits on standard output; name a file")
            continue
        try:
            text, stopped = _page(puzzle, source.signs(puzzle.layout), events, timeout)
        except ValueError as error:
            _refuse(source, puzzle, str(error))
            continue
        source.console.put(name, text.encode())
        if stopped == "max_events":
            source.console.say(f"{name or 'the page'} has the first {events:,} steps; --events N records more")
        elif stopped:
            by = "Ctrl-C" if stopped == "interrupt" else "--timeout"
            source.console.say(f"stopped by {by}; {name or 'the page'} has what was done until then")
        if stopped == "interrupt":
            raise KeyboardInterrupt
    return source.console.status


def _page(puzzle: Puzzle, signs: str | None, events: int, timeout: float | None) -> tuple[str, str | None]:
    """Returns the page of a search for completions, and what stopped it."""
    from dlx.show.dance import check_size, page  # imported here: only pages need it
    from sudoku.pictures.dance import board, rest

    problem = rest(puzzle, encode(puzzle))
    check_size(problem)
    found = dlx.trace(problem, kernel="links", max_events=events, timeout=timeout)
    title = "" if puzzle.file == "<argument>" else f"{os.path.basename(puzzle.file)}, line {puzzle.line}"
    return page(found, title=title, board=board(puzzle, problem, signs)), found.stopped


def _refuse(source: Source, puzzle: Puzzle, reason: str) -> None:
    source.console.fail(str(GridError(puzzle.file, puzzle.line, reason)))


def place(name: str, k: int) -> str:
    """Returns the file for the k-th grid, with the number k before the suffix.

    >>> place("grids.svg", 1), place("grids.svg", 2)
    ('grids.svg', 'grids-2.svg')
    """
    root, suffix = os.path.splitext(name)
    return name if k == 1 else f"{root}-{k}{suffix}"
