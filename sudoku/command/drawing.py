"""`sudoku convert`, `draw` and `watch`: grids in another form, pictures of them, and pages on which a search dances."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

import dlx
import sudoku
from dlx.command import Console, need_stdout
from sudoku.command.answers import names
from sudoku.command.reading import puzzles
from sudoku.encoding import encode
from sudoku.formats.conversion import as_puzzle
from sudoku.formats.writing import WRITERS, Writer, unicode
from sudoku.grid import GridError, Puzzle, frozen
from sudoku.layout import is_everywhere
from sudoku.pictures.marks import not_in_text
from sudoku.pictures.svg import draw as drawn
from sudoku.pictures.svg import faint, png

# The form of a file by its suffix, without --to
SUFFIXES = {".csv": "csv", ".json": "json"}


def convert(options: argparse.Namespace, console: Console) -> int:
    """Writes all grids in a form, and returns the exit status.

    The file that is replaced may be read meanwhile. It stays as it is if no grid can be written, or not all of its own.
    """
    suffix = os.path.splitext(options.output or "")[1]
    writer = WRITERS[options.to or SUFFIXES.get(suffix, "line")]
    texts = writer.texts(_written(options, console, writer))
    if options.output is None:
        need_stdout()
        for text in texts:
            console.print(text)
        return console.status
    data = "".join(texts).encode()
    if console.status and (not data or _is_read(options.output, options.files)):
        return console.fail(f"{options.output}: the file stays as it was: some of its grids would be lost")
    console.put(options.output, data)
    return console.status


def _is_read(name: str, files: Iterable[str]) -> bool:
    """Returns whether a file is one of those that are read."""
    read = [file for file in files if file != "-" and os.path.exists(file)]
    return os.path.exists(name) and any(os.path.samefile(file, name) for file in read)


def _written(options: argparse.Namespace, console: Console, writer: Writer) -> Iterator[str]:
    """Each grid in the form; grids that the form cannot represent are errors."""
    for _, puzzle in _good(options, console):
        try:
            if options.drop_candidates:
                puzzle = _digits_of(puzzle)
            elif options.to == "marks" and puzzle.candidates is None:
                puzzle = as_puzzle(puzzle, None, sudoku.candidates(puzzle, surviving="rules"))
            yield writer.write(puzzle)
        except ValueError as error:
            _refuse(puzzle, str(error), console)


def _digits_of(puzzle: Puzzle) -> Puzzle:
    """The puzzle without candidates; where there are no givens, a cell with one candidate has its digit."""
    if puzzle.candidates is None or puzzle.grid.any():
        return replace(puzzle, candidates=None)
    digits = np.where(puzzle.candidates.sum(axis=2) == 1, puzzle.candidates.argmax(axis=2) + 1, 0)
    return replace(puzzle, grid=frozen(digits.astype(np.uint8)), candidates=None)


def draw(options: argparse.Namespace, console: Console) -> int:
    """Prints all grids in boxes, or draws each in a file of its own, and returns the exit status."""
    if options.output is None:
        need_stdout()
    if options.sheet:
        return _sheet(options, console)
    named: list[str] = []  # the rules in the last warning
    for k, puzzle in _good(options, console):
        known = names(puzzle.layout, options)
        if options.output is None:
            named = _warn_of_rules(puzzle, named, console)
            console.print(f"{unicode(puzzle.grid, puzzle.layout, known)}\n\n")
        elif (name := place(options.output, k, options, console)) is not None:
            svg = drawn(puzzle.grid, puzzle.layout, puzzle.grid, faint(puzzle.candidates), known)
            console.put(name, png(svg) if name.endswith(".png") else f"{svg}\n".encode())
    return console.status


def _sheet(options: argparse.Namespace, console: Console) -> int:
    """Writes one page with all grids and their solutions, and returns the exit status."""
    from sudoku.command.sheet import sheet

    found = [puzzle for _, puzzle in _good(options, console)]
    page = sheet(found, options.title or "Sudoku", [names(puzzle.layout, options) for puzzle in found])
    console.put(options.output, page.encode())
    return console.status


def _warn_of_rules(puzzle: Puzzle, named: list[str], console: Console) -> list[str]:
    """Names the rules of a puzzle that text does not show, unless they were named before; returns them."""
    kinds = not_in_text(puzzle.layout)
    if kinds and kinds != named:
        pictured = [kind for kind in kinds if not is_everywhere(kind)]
        does = "does" if pictured == kinds else f"shows {', '.join(pictured)}"
        hint = f"; a picture {does}, with -o grid.svg" if pictured else ""
        console.say(str(GridError(puzzle.file, puzzle.line, f"text does not show {', '.join(kinds)}{hint}")))
    return kinds


def watch(options: argparse.Namespace, console: Console) -> int:
    """Writes a page for each grid, and returns the exit status."""
    name = None
    for k, puzzle in _good(options, console):
        if options.output is None and k > 1:
            _refuse(puzzle, "only one page fits on standard output; name a file", console)
        elif options.output is None or (name := place(options.output, k, options, console)) is not None:
            _watch(puzzle, name, options, console)
    return console.status


def _watch(puzzle: Puzzle, name: str | None, options: argparse.Namespace, console: Console) -> None:
    """Writes the page of a grid, on standard output if there is no name."""
    place = "" if puzzle.file == "<argument>" else f"{os.path.basename(puzzle.file)}, line {puzzle.line}"
    title = options.title or place
    try:
        text, stopped = _page(puzzle, title, options)
        console.put(name, text.encode())
        called = "the page" if name is None else name
    except ValueError as error:
        _refuse(puzzle, str(error), console)
        return
    if stopped == "max_events":
        console.say(f"{called} has the first {options.events:,} steps; --events N records more")
    elif stopped:
        by = "Ctrl-C" if stopped == "interrupt" else "--timeout"
        console.say(f"stopped by {by}; {called} has what was done until then")
    if stopped == "interrupt":
        raise KeyboardInterrupt


def _page(puzzle: Puzzle, title: str, options: argparse.Namespace) -> tuple[str, str | None]:
    """Returns the page of a search for completions, and what stopped it."""
    from dlx.show.dance import check_size, page  # with what only pages need
    from sudoku.pictures.dance import board, rest

    problem = rest(puzzle, encode(puzzle))
    check_size(problem)
    found = dlx.trace(problem, kernel="links", max_events=options.events, timeout=options.timeout)
    return page(found, title=title, board=board(puzzle, problem, names(puzzle.layout, options))), found.stopped


def _refuse(puzzle: Puzzle, reason: str, console: Console) -> None:
    console.fail(str(GridError(puzzle.file, puzzle.line, reason)))


def _good(options: argparse.Namespace, console: Console) -> Iterator[tuple[int, Puzzle]]:
    """The grids, each with its number among all, from 1; the others are errors."""
    number = 0
    for found in puzzles(options, console):
        if isinstance(found, OSError):
            console.fail(f"{found.filename}: {found.strerror}")
            continue
        number += 1
        if isinstance(found, GridError):
            console.fail(str(found))
        else:
            yield number, found


def place(name: str, k: int, options: argparse.Namespace, console: Console) -> str | None:
    """The file for the k-th grid, with its number before the suffix; None, and a message, if grids are read there.

    >>> options = argparse.Namespace(files=["-", "./README.md"])
    >>> place("grids.svg", 1, options, Console("")), place("grids.svg", 2, options, Console(""))
    ('grids.svg', 'grids-2.svg')
    >>> place("README.md", 1, options, Console(""))
    """
    if k > 1:
        root, suffix = os.path.splitext(name)
        name = f"{root}-{k}{suffix}"
    if _is_read(name, options.files):
        console.fail(f"{name}: a picture would take the place of grids that are read")
        return None
    return name
