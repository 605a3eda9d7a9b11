"""The command that tiles boards with pieces: it makes a problem of them, and draws what other commands answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from dlx.command import Parser, add_sense, answers, at_least
from dlx.command.run import Run, Texts, in_json
from dlx.formats import FormatError
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem
from dlx.search.covers import Block

if TYPE_CHECKING:
    from dlx.show import Picture

# The function for each answer, the options that go with it and not with all, and its help
MODES: dict[str, tuple[Callable[[Run, Problem], int], str, str]] = {
    "first": (answers.first, "jobs seed svg json", ""),
    "all": (answers.solve, "jobs seed svg json limit", "print all tilings"),
    "count": (answers.count, "jobs json limit", "print how many tilings there are"),
    "kinds": (answers.count, "jobs json", "print how many there are up to symmetry (by pynauty, extra symmetry)"),
    "sample": (answers.sample, "seed svg json", ""),
    "best": (answers.best, "jobs seed svg json weights sense", "print the best tiling by --weights"),
    "watch": (answers.watch, "output title events", "write a page on which the search dances"),
}
# The settings of other commands that their answers look at
USUAL: dict[str, Any] = {
    **dict.fromkeys(("scheduler", "checkpoint", "memory", "points", "certificate", "start", "kernel", "frames", "gif")),
    **dict.fromkeys(("numbers", "first", "best", "shares", "mip"), False),
    **{"merge": "auto", "every": 1, "k": 1, "gap": 0.0, "max_nodes": None, "up_to": None},
}


def add_options(parser: Parser) -> None:
    """Adds the options that no other command has."""
    option = parser.add_argument
    option("file", metavar="BOARD", help="a size, as 6x10 or 4x4x4, or a file with a drawing")
    option("words", metavar="PIECES", nargs="?", help="as pentominoes, soma, tetromino:LT, 6-hexes, '3-colour squares'")
    option("--pieces", metavar="FILE", help="a file with pieces, besides PIECES or instead of them")
    option("--problem", metavar="N", help="which of several in a file of BurrTools, by number or label (1)")
    option("--each", metavar="RANGE", help="how often each piece is used: 1, 1..3 or any (1)")
    option("--lattice", metavar="NAME", help="square, cube, triangle or hexagon (that of the pieces or the board)")
    option("--empty", metavar="MARKS", help="the marks of cells that may stay empty, or all")
    option("--wrap", choices=("torus", "cylinder"), help="let edges of the board meet")
    option("--frame", metavar="LABEL", help="the label of all sides at the edge of the board")
    option("--no-reflections", action="store_false", default=None, dest="reflections", help="pieces are only turned")
    ways = parser.add_mutually_exclusive_group()
    for mode, (_, _, said) in MODES.items():
        if said:
            ways.add_argument(f"--{mode}", dest="mode", action="store_const", const=mode, default="first", help=said)
    ways.add_argument(
        "--sample", dest="n", metavar="N", nargs="?", const=1, type=at_least(1), help="draw N at random (1)"
    )
    option("--weights", metavar="FILE", help="with --best: a number for each cell, or a drawing with digits")
    add_sense(parser, "min")
    parser.set_defaults(**USUAL, sense=None)


def tile(run: Run, problem: Problem) -> int:
    """Answers in the way that was asked for."""
    options = run.options
    options.merge = "same" if options.mode == "sample" else options.merge
    options.up_to = "symmetry" if options.mode == "kinds" else None
    options.sense = options.sense or ("min" if options.mode == "best" else None)
    lattice = problem.names[0].lattice if problem.names else "square"
    if options.mode == "watch" and lattice != "square":
        return run.fail(f"--watch draws no {lattice}s, only squares; --svg draws a tiling of them")
    return MODES[options.mode][0](run, problem)


class RefusedError(Exception):
    """A senseless wish, which the message names; without one, --timeout has come before the problem has been made."""


class Tiling(Run):
    """A board with pieces, and what is to be done with them."""

    found, lack, at_once = "tiling", "there is no tiling", 8

    def all(self) -> int:
        """Refuses options that do not go together, and does the rest as for every problem."""
        options = self.options
        options.mode = "sample" if options.n is not None else options.mode
        options.seed = 0 if options.mode == "sample" and options.seed is None else options.seed
        given = {name for name, value in vars(options).items() if value is not None and value is not False}
        listed = {word for _, words, _ in MODES.values() for word in words.split()}
        for name in sorted(given & listed - {*MODES[options.mode][1].split()}):
            modes = [f"--{mode}" for mode, (_, words, _) in MODES.items() if name in words.split() and mode != "first"]
            return self.fail(f"--{options.sense if name == 'sense' else name} goes with {' or '.join(modes)}")
        try:
            return super().all()
        except RefusedError as refusal:
            if refusal.args:
                return self.fail(str(refusal))
            return self.end("timeout", False, f"there may be more {self.found}s")

    def read(self) -> Problem:
        """Makes the problem of the board and the pieces, which is part of --timeout."""
        begun, limit = time.monotonic(), self.options.timeout

        def in_time(_: object) -> bool:
            if limit is not None and time.monotonic() - begun > limit > 0:
                raise RefusedError
            return True

        with self.warnings_told():
            try:
                problem = self._made(in_time)
            except (FormatError, ProblemError):
                raise
            except (TypeError, ValueError) as error:
                weights = str(error).startswith(("the weights", "the drawing of weights"))
                raise RefusedError(f"{self.options.weights}: {error}" if weights else str(error)) from None
        if limit is not None:
            self.options.timeout = max(0.0, limit - (time.monotonic() - begun))
        return problem

    def _made(self, where: Callable[[object], bool]) -> Problem:
        """The problem; what the file of the board says of pieces is for where nothing else is said of them."""
        from dlx import tiles
        from dlx.tiles.boards import SIZE
        from dlx.tiles.files import is_burrtools

        options = self.options
        if options.problem and not any(is_burrtools(file) for file in (options.file, options.pieces) if file):
            raise RefusedError("--problem goes with files of BurrTools, named .xmpuzzle")
        board, pieces, ranges = (options.file, [], {}) if SIZE.fullmatch(options.file) else self._loaded(options.file)
        if board is None:
            raise ProblemError("there is no board in it")
        lattice = options.lattice or (tiles.named(options.words.split(",")[0])[0].lattice if options.words else None)
        about = {"lattice": options.lattice, "empty": True if options.empty == "all" else options.empty or ()}
        about |= {"wrap": options.wrap, "frame": options.frame}
        if isinstance(board, tiles.Board):  # it may have been read for another lattice
            about |= {name: about[name] or getattr(board, name) for name in ("empty", "wrap", "frame")}
            about["lattice"], board = lattice or board.lattice, board.marks
        if options.words or options.pieces:
            _, pieces, ranges = self._loaded(options.pieces) if options.pieces else (None, [], {})
            pieces = [*pieces, *filter(None, [options.words])]  # last: ranges of the file are for its own names
        weights = options.weights and self._text(options.weights)
        about |= {"reflections": options.reflections, "weights": weights, "where": where}
        return tiles.problem(board, pieces, each=options.each or ranges or 1, **about)

    def _loaded(self, file: str) -> Any:
        from dlx import tiles

        return tiles.loads(self._text(file), "<stdin>") if file == "-" else tiles.load(file, self.options.problem)

    def _text(self, file: str) -> str:
        from dlx.tiles.files import contents, decoded

        data = self.stdin().read() if file == "-" else contents(file)
        return data if isinstance(data, str) else decoded(data, "<stdin>" if file == "-" else file)

    def _hint(self, error: OSError) -> str:
        """Tells what a board is, in the place of the name of a file."""
        return "; a board is a size, as 6x10, or a file" if error.filename == self.options.file else ""

    def texts(self, problem: Problem) -> Texts:
        return Drawings(problem)

    def picture(self, problem: Problem, cover: Sequence[int]) -> Picture:
        from dlx import tiles

        return tiles.picture(problem, cover)


class Drawings(Texts):
    """Tilings as text, with a blank line between them."""

    def line(self, cover: Sequence[int]) -> str:
        from dlx import tiles

        return tiles.drawn(self.problem, cover)

    def scored(self, score: float, cover: Sequence[int]) -> str:
        return f"{score}\n{self.line(cover)}\n"

    def lines(self, block: Block, numbers: Iterable[int], as_json: bool) -> str:
        """Tilings, each but the first below a blank line; in JSON a line for each."""
        each = ((k, sorted(o for o in row if o >= 0)) for k, row in zip(numbers, block.tolist(), strict=True))
        if as_json:
            return "".join([in_json(tiling=k, **self.facts(cover)) for k, cover in each])
        return "".join(["\n"[: k - 1] + f"{self.line(cover)}\n" for k, cover in each])

    def facts(self, cover: Sequence[int]) -> dict[str, Any]:
        places = self.problem.labels(cover)
        names = ("piece", "cells", "sides")
        return {"pieces": [{name: said for name in names if (said := getattr(place, name))} for place in places]}
