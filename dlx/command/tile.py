"""The command that tiles boards with pieces: it makes a problem of them, and draws what other commands answer."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from dlx.command import Parser, add_sense, answers, at_least
from dlx.command.run import Run, Texts, in_json
from dlx.formats import FormatError
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem
from dlx.search.covers import Block

if TYPE_CHECKING:
    from dlx.show import Picture
    from dlx.tiles import Placement

SIZE = re.compile(r"\d+(x\d+)+")
DIGITS, LINE = "0123456789", "\n"
# What answers, and which of the options go with it that do not go with all
MODES: dict[str, tuple[Callable[[Run, Problem], int], str]] = {
    "first": (answers.first, "jobs seed svg json"),
    "all": (answers.solve, "jobs seed svg json limit"),
    "count": (answers.count, "jobs json limit"),
    "kinds": (answers.count, "jobs json"),
    "sample": (answers.sample, "seed svg json"),
    "best": (answers.best, "jobs seed svg json weights sense"),
    "watch": (answers.watch, "output title events"),
}
# What the answers ask the options of other commands
USUAL: dict[str, Any] = {
    **dict.fromkeys(("scheduler", "checkpoint", "memory", "points", "certificate", "start", "kernel")),
    **dict.fromkeys(("numbers", "first", "best", "sat", "shares", "mip"), False),
    **{"merge": "auto", "every": 1, "k": 1, "gap": 0.0, "max_nodes": None, "up_to": None},
}


def add_options(parser: Parser) -> None:
    """Adds the options that no other command has."""
    parser.add_argument("file", metavar="BOARD", help="a size, as 6x10 or 4x4x4, or a file with a drawing")
    parser.add_argument("words", metavar="PIECES", nargs="?", help="as pentominoes, soma, tetromino:LT, 6-hexes")
    option = parser.add_argument
    option("--pieces", metavar="FILE", help="a file with pieces, besides PIECES or instead of them")
    option("--each", metavar="RANGE", help="how often each piece is used: 1, 1..3 or any (1)")
    option("--lattice", metavar="NAME", help="square, cube, triangle or hexagon (that of the pieces or the board)")
    option("--empty", metavar="MARKS", help="the marks of cells that may stay empty, or all")
    option("--wrap", choices=("torus", "cylinder"), help="let edges of the board meet")
    option("--no-reflections", action="store_false", default=None, dest="reflections", help="pieces are only turned")
    ways = parser.add_mutually_exclusive_group()
    for mode, help_ in (
        ("all", "print all tilings"),
        ("count", "print how many tilings there are"),
        ("kinds", "print how many there are up to symmetry (extra symmetry)"),
        ("best", "print the best tiling by --weights"),
        ("watch", "write a page on which the search dances"),
    ):
        ways.add_argument(f"--{mode}", dest="mode", action="store_const", const=mode, default="first", help=help_)
    ways.add_argument(
        "--sample", dest="n", metavar="N", nargs="?", const=1, type=at_least(1), help="draw N at random (1)"
    )
    option("--weights", metavar="FILE", help="with --best: a drawing of the board with a digit in each cell")
    add_sense(parser, "min")
    parser.set_defaults(**USUAL, sense=None)


def tile(run: Run, problem: Problem) -> int:
    """Answers in the way that was asked for."""
    options = run.options
    if options.mode == "sample":
        options.merge = "same"
    elif options.mode == "kinds":
        options.up_to = "symmetry"
    options.sense = options.sense or ("min" if options.mode == "best" else None)
    answer, _ = MODES[options.mode]
    return answer(run, problem)


class Tiling(Run):
    """A board with pieces, and what is to be done with them."""

    found, lack, at_once = "tiling", "there is no tiling", 8

    def all(self) -> int:
        """Refuses options that do not go together, and does the rest as for every problem."""
        options = self.options
        options.mode = "sample" if options.n is not None else options.mode
        options.seed = 0 if options.mode == "sample" and options.seed is None else options.seed
        given = {name for name, value in vars(options).items() if value is not None and value is not False}
        listed = {word for _, words in MODES.values() for word in words.split()}
        for name in sorted(given & listed - {*MODES[options.mode][1].split()}):
            modes = [f"--{mode}" for mode, (_, words) in MODES.items() if name in words.split() and mode != "first"]
            spelt = f"--{options.sense}" if name == "sense" else f"--{name}"
            return self.fail(f"{spelt} goes with {' or '.join(modes)}")
        return super().all()

    def read(self) -> Problem:
        """Makes the problem of the board and the pieces."""
        with self.warnings_told():
            try:
                return self._made()
            except FormatError:
                raise
            except (TypeError, ValueError) as error:
                raise ProblemError(str(error)) from None

    def _made(self) -> Problem:
        """The problem; what the file of the board says of pieces is for where nothing else is said of them."""
        from dlx import tiles

        options = self.options
        empty = True if options.empty == "all" else options.empty or ()
        board, pieces, ranges = (options.file, [], {}) if SIZE.fullmatch(options.file) else self._loaded(options.file)
        if board is None:
            raise ProblemError("there is no board in it")
        lattice = options.lattice or (tiles.named(options.words.split(",")[0])[0].lattice if options.words else None)
        if isinstance(board, tiles.Board) and (lattice or empty or options.wrap):
            wrap = options.wrap or board.wrap
            board = tiles.Board.of(board.marks, lattice or board.lattice, empty or board.empty, wrap)
        if options.words or options.pieces:
            _, pieces, ranges = self._loaded(options.pieces) if options.pieces else (None, [], {})
            pieces = [*pieces, *filter(None, [options.words])]  # last: ranges of the file are for its own names
        weights = options.weights and self._weights(options.weights)
        about = {"lattice": options.lattice, "empty": empty, "wrap": options.wrap, "reflections": options.reflections}
        return tiles.problem(board, pieces, each=options.each or ranges or 1, weights=weights, **about)

    def _loaded(self, file: str) -> Any:
        """The board, the pieces and the ranges in a file."""
        from dlx import tiles

        if file != "-":
            return tiles.load(file)
        if sys.stdin is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return tiles.loads(sys.stdin.read(), "<stdin>")

    def _weights(self, file: str) -> Callable[[Placement], int]:
        """The sum of the digits in a drawing that the cells of a placement have there."""
        from dlx import tiles

        with open(file, encoding="utf-8", errors="replace") as lines:
            drawing = lines.read()

        @cache
        def digits(lattice: str) -> dict[tuple[int, ...], int]:
            marks = tiles.Board.of(drawing, lattice).marks
            for cell, mark in marks.items():
                if mark not in DIGITS:
                    raise ValueError(f"{file}: the weight of {cell} is {mark!r}, and no digit")
            return {cell: int(mark) for cell, mark in marks.items()}

        return lambda place: sum(digits(place.lattice).get(cell, 0) for cell in place.cells)

    def _hint(self, error: OSError) -> str:
        """Tells what a board is, in the place of the name of a file."""
        return "; a board is a size, as 6x10, or a file" if error.filename == self.options.file else ""

    def texts(self, problem: Problem) -> Texts:
        """Tilings as they are printed."""
        return Drawings(problem)

    def picture(self, problem: Problem, cover: Sequence[int]) -> Picture:
        """A tiling as it is drawn."""
        from dlx import tiles

        return tiles.picture(problem, cover)


class Drawings(Texts):
    """Tilings as text, with a blank line between them."""

    def line(self, cover: Sequence[int]) -> str:
        """A tiling in lines."""
        from dlx import tiles

        return tiles.drawn(self.problem, cover)

    def scored(self, score: float, cover: Sequence[int]) -> str:
        """A tiling below its score."""
        return f"{score}\n{self.line(cover)}\n"

    def lines(self, block: Block, numbers: Iterable[int], as_json: bool) -> str:
        """Tilings, each but the first below a blank line; in JSON a line for each."""
        each = ((k, sorted(o for o in row if o >= 0)) for k, row in zip(numbers, block.tolist(), strict=True))
        if as_json:
            return "".join([in_json(tiling=k, **self.facts(cover)) for k, cover in each])
        return "".join([f"{'' if k == 1 else LINE}{self.line(cover)}\n" for k, cover in each])

    def facts(self, cover: Sequence[int]) -> dict[str, Any]:
        """The pieces of a tiling with their cells, for programs."""
        return {"pieces": [{"piece": place.piece, "cells": place.cells} for place in self.problem.labels(cover)]}
