"""`sudoku convert`, `draw` and `watch`: grids in another form, pictures of them, and pages on which a search dances."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING

import dlx
import sudoku
from dlx.command import Console, need_stdout, whole_file
from sudoku.command.answers import finished, names
from sudoku.command.reading import puzzles
from sudoku.encoding import encode
from sudoku.formats.writing import WRITERS, Writer, unicode
from sudoku.grid import GridError, Puzzle
from sudoku.layout import is_everywhere
from sudoku.pictures.marks import unseen
from sudoku.pictures.svg import draw as drawn
from sudoku.pictures.svg import faint, png
from sudoku.target import RING_WEIGHTS

if TYPE_CHECKING:
    pass

# The suffixes of files, and the form that is written to each unless another one is asked for.
SUFFIXES = {".csv": "csv", ".json": "json"}


def convert(options: argparse.Namespace, console: Console) -> int:
    """Writes all grids in a form, each as soon as it has been read, and returns the exit status.

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
    first = list(islice(texts, 1))
    if first or not console.status:
        _convert(chain(first, texts), options.output, console, _is_read(options.output, options.files))
    return console.status


def _is_read(name: str, files: Iterable[str]) -> bool:
    """Tells whether a file is one of those that are read."""
    return os.path.exists(name) and any(os.path.exists(file) and os.path.samefile(file, name) for file in files)


def _convert(texts: Iterable[str], name: str, console: Console, own: bool) -> None:
    """Writes a file; one that has not been there keeps what has been written before Ctrl-C.

    A file of its own grids is not replaced if some of them were wrong.
    """
    interrupted = False
    try:
        with whole_file(name) as stream:
            try:
                stream.writelines(text.encode() for text in texts)
                if own and console.status:
                    raise OSError(0, "the file stays as it was: some of its grids would be lost")
            except KeyboardInterrupt:
                if os.path.exists(name):
                    raise
                interrupted = True
    except OSError as error:
        console.fail(f"{name}: {error.strerror}")
    if interrupted:
        raise KeyboardInterrupt


def _written(options: argparse.Namespace, console: Console, writer: Writer) -> Iterator[str]:
    """Each grid that the form can say."""
    for _, puzzle in _good(options, console):
        try:
            yield writer.write(replace(puzzle, candidates=None) if options.drop_candidates else puzzle)
        except ValueError as error:
            _refuse(puzzle, str(error), console)


def draw(options: argparse.Namespace, console: Console) -> int:
    """Prints all grids in boxes, or draws each in a file of its own, and returns the exit status."""
    if options.output is None:
        need_stdout()
    told: list[str] = []  # the rules that text does not show
    for k, puzzle in _good(options, console):
        known = names(puzzle.layout, options)
        if options.output is None:
            told = _tell_unseen(puzzle, told, console)
            console.print(f"{unicode(puzzle.grid, puzzle.layout, known)}\n\n")
        elif (name := place(options.output, k, options, console)) is not None:
            svg = drawn(puzzle.grid, puzzle.layout, puzzle.grid, faint(puzzle.candidates), known)
            console.put(name, png(svg) if name.endswith(".png") else f"{svg}\n".encode())
    return console.status


def _tell_unseen(puzzle: Puzzle, told: list[str], console: Console) -> list[str]:
    """Says which rules of a puzzle text does not show, if they are other ones than have been told; returns them."""
    kinds = unseen(puzzle.layout)
    if kinds and kinds != told:
        undrawn = {clash.kind for clash in puzzle.layout.clashes}
        pictured = [kind for kind in kinds if not is_everywhere(kind) and kind not in undrawn]
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
        made = _steps_page if options.command == "steps" else _best_page if options.best else _page
        text, stopped = made(puzzle, title, options)
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


def _best_page(puzzle: Puzzle, title: str, options: argparse.Namespace) -> tuple[str, str | None]:
    """Returns the page of a search for the best completion, and what stopped it."""
    from dlx.show.dance import check_size, closer, prices_page
    from sudoku.pictures.dance import board

    problem = encode(puzzle, weights=RING_WEIGHTS)
    check_size(problem)
    seen: list[dlx.Progress] = []
    result = dlx.best(problem, "max", timeout=options.timeout, progress=seen.append)
    shown = board(puzzle, problem, names(puzzle.layout, options))
    told = closer(seen, problem, "max", result)
    return prices_page(told, result, title=title, problem=problem, sense="max", board=shown), result.stopped


def _steps_page(puzzle: Puzzle, title: str, options: argparse.Namespace) -> tuple[str, str | None]:
    """Returns the page of the steps that people would take, and what stopped them."""
    from dlx.show.dance import check_size
    from sudoku.pictures.dance import steps_page

    check_size(encode(puzzle))
    solving, found = sudoku.steps(puzzle, timeout=options.timeout), list[sudoku.Step]()
    _, stopped = finished(lambda: found.extend(solving))
    return steps_page(solving, found, title=title, signs=names(puzzle.layout, options)), stopped or solving.stopped


def _refuse(puzzle: Puzzle, reason: str, console: Console) -> None:
    console.fail(str(GridError(puzzle.file, puzzle.line, reason)))


def _good(options: argparse.Namespace, console: Console) -> Iterator[tuple[int, Puzzle]]:
    """The grids, each with its number among all, from 1; what is wrong with the others is said."""
    number = 0
    for found in puzzles(options, console, lambda: False):
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
    read = [file for file in options.files if file != "-" and os.path.exists(file)]
    if os.path.exists(name) and any(os.path.samefile(name, file) for file in read):
        console.fail(f"{name}: a picture would take the place of grids that are read")
        return None
    return name
