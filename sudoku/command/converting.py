"""`sudoku convert` and `sudoku draw`: grids in another form, and pictures of them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from dlx.command import Console, need_stdout, replace_file, write_file
from sudoku.command.answer import names
from sudoku.command.reading import puzzles
from sudoku.formats.writing import WRITERS, Writer, unicode
from sudoku.grid import GridError, Puzzle
from sudoku.layout import EVERYWHERE
from sudoku.pictures.marks import unseen
from sudoku.pictures.png import png
from sudoku.pictures.svg import draw as drawn
from sudoku.pictures.svg import faint

PICTURES = (".svg", ".png")
IN_PLACE = "a picture would take the place of grids that are read"

# The suffixes of files, and the form that is written to each unless another one is asked for.
SUFFIXES = {f".{name}": name for name in ("sdm", "sdk", "ss", "csv", "json", "opensudoku")}


def convert(options: argparse.Namespace, console: Console) -> int:
    """Writes all grids in a form, each as soon as it has been read, and returns the exit status."""
    suffix = os.path.splitext(options.output or "")[1]
    writer = WRITERS[options.to or SUFFIXES.get(suffix, "line")]
    with output(options.output, console) as put:
        if put is not None:
            for text in writer.texts(_written(options, console, writer)):
                put(text)
    return console.status


def _written(options: argparse.Namespace, console: Console, writer: Writer) -> Iterator[str]:
    """Each grid that the form can say."""
    for _, puzzle in good(options, console):
        try:
            yield writer.write(replace(puzzle, candidates=None) if options.drop_candidates else puzzle)
        except ValueError as error:
            console.fail(str(GridError(puzzle.file, puzzle.line, str(error))))


def draw(options: argparse.Namespace, console: Console) -> int:
    """Prints all grids in boxes, or draws each in a file of its own, and returns the exit status."""
    if options.output is None:
        need_stdout()
    told: list[str] = []
    for k, puzzle in good(options, console):
        if options.output is None:
            kinds = unseen(puzzle.layout)
            if kinds and kinds != told:
                undrawn = EVERYWHERE | {clash.kind for clash in puzzle.layout.clashes}
                pictured = [kind for kind in kinds if kind not in undrawn]
                does = "does" if pictured == kinds else f"shows {', '.join(pictured)}"
                hint = f"; a picture {does}, with -o grid.svg" if pictured else ""
                reason = f"text does not show {', '.join(kinds)}{hint}"
                console.say(str(GridError(puzzle.file, puzzle.line, reason)))
            told = kinds
            text = unicode(puzzle.grid, puzzle.layout, names(puzzle.layout, options))
            console.print(f"{text}\n\n")
        else:
            _draw(puzzle, numbered(options.output, k), options, console)
    return console.status


def _draw(puzzle: Puzzle, name: str, options: argparse.Namespace, console: Console) -> None:
    """Draws a grid in a file."""
    if is_read(name, options.files):
        console.fail(f"{name}: {IN_PLACE}")
        return
    svg = drawn(puzzle.grid, puzzle.layout, puzzle.grid, faint(puzzle.candidates), names(puzzle.layout, options))
    picture = f"{svg}\n".encode()
    if name.endswith(".png"):
        picture = png(svg)
    try:
        write_file(name, picture)
    except OSError as error:
        console.fail(f"{name}: {error.strerror}")


def numbered(name: str, k: int) -> str:
    """The name of the k-th file: that of the first one, and otherwise with the number before its suffix.

    >>> numbered("grids.svg", 1), numbered("grids.svg", 2)
    ('grids.svg', 'grids-2.svg')
    """
    root, suffix = os.path.splitext(name)
    return name if k == 1 else f"{root}-{k}{suffix}"


def good(options: argparse.Namespace, console: Console) -> Iterator[tuple[int, Puzzle]]:
    """The grids, each with its number among all, from 1; what is wrong with the others is said."""
    number = 0
    for found in puzzles(options.files or ["-"], options.box, lambda: False, options.format, options.alphabet):
        if isinstance(found, OSError):
            console.fail(f"{found.filename}: {found.strerror}")
            continue
        number += 1
        if isinstance(found, GridError):
            console.fail(str(found))
        else:
            yield number, found


@contextmanager
def output(name: str | None, console: Console) -> Iterator[Callable[[str], object] | None]:
    """Opens the place of the lines; None if that cannot be.

    A file gets its name when all has been written: the one that it replaces may be read meanwhile, and stays as it is
    if nothing can be written.
    """
    if name is None:
        need_stdout()
        yield console.print
        return
    place = os.path.realpath(name)
    whole = os.path.isfile(place) or not os.path.exists(place)  # otherwise it is a device or a pipe
    new = f"{place}.{os.getpid()}.part" if whole else place
    try:
        stream = open(new, "w", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        console.fail(f"{name}: {error.strerror}")
        yield None
        return
    try:
        with stream:
            yield stream.write
        if whole and (os.path.getsize(new) or not console.status):
            replace_file(place, new)
    except OSError as error:
        console.fail(f"{name}: {error.strerror}")
    except KeyboardInterrupt:
        if whole and not os.path.exists(place):
            os.replace(new, place)
        raise
    finally:
        if whole:
            with suppress(OSError):
                os.remove(new)


def is_read(name: str, files: Sequence[str]) -> bool:
    """Tells whether a file is one of those that grids come from, so that a picture must not take its place.

    >>> is_read("README.md", ["-", "./README.md"]), is_read("no such file", ["README.md"])
    (True, False)
    """
    try:
        return any(os.path.samefile(name, file) for file in files if file != "-" and os.path.exists(file))
    except OSError:
        return False
