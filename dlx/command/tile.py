"""The command `tile`: makes a problem from a board and pieces, and draws the answers of other commands."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dlx.command import Parser, at_least
from dlx.command.about import watch
from dlx.command.answers import count, first, sample, solve
from dlx.command.task import RefusedError, Task, text_of
from dlx.command.texts import Texts, in_json
from dlx.formats import FormatError
from dlx.problem.checks import ProblemError

if TYPE_CHECKING:
    from dlx.show import Picture
    from dlx.tiles import Puzzle, TilingProblem
    from dlx.tiles.pieces import Kind
    from dlx.tiles.symmetric import Symmetry

# For each mode: its command, its help, and its special options
MODES: dict[str, tuple[Callable[..., int], str, str]] = {
    "first": (first, "", "jobs seed svg json"),
    "all": (solve, "print all tilings", "jobs seed svg json limit"),
    "count": (count, "print the number of tilings", "jobs json limit"),
    "kinds": (count, "print their number up to --symmetry (all)", "jobs json"),
    "sample": (sample, "", "seed svg json"),
    "watch": (watch, "write a page that plays the search", "page"),
}


def add_modes(parser: Parser) -> None:
    """Adds the options for the `MODES`, which set `mode`, or `number` for --sample."""
    ways = parser.add_mutually_exclusive_group()
    for mode, (_, text, _) in MODES.items():
        if text:
            ways.add_argument(f"--{mode}", dest="mode", action="store_const", const=mode, default="first", help=text)
    random = "draw N at random (1)"
    ways.add_argument("--sample", dest="number", metavar="N", nargs="?", const=1, type=at_least(1), help=random)


@dataclass(eq=False)
class Tilings(Task):
    """A board with pieces, whose covers are tilings.

    Attributes:
        symmetry: the symmetries up to which tilings are counted: "rotations", "all" or "none".
    """

    symmetry: Symmetry = "all"
    found = "tiling"
    lack = "there is no tiling"
    at_once = 8

    @cached_property
    def texts(self) -> Texts:
        return Drawings(self.problem, numbered=False)

    def symmetries(self) -> Any:
        from dlx import tiles

        return tiles.symmetries(self.problem, self.symmetry)

    def picture(self, cover: Sequence[int]) -> Picture:
        from dlx import tiles

        return tiles.picture(self.problem, cover)


class Drawings(Texts):
    """Tilings as text, with a blank line between them."""

    between = "\n"

    def line(self, cover: Sequence[int]) -> str:
        from dlx import tiles

        return tiles.drawn(self.problem, cover)

    def cover_line(self, k: int, cover: list[int]) -> str:
        return in_json(tiling=k, **self.facts(cover))

    def facts(self, cover: Sequence[int]) -> dict[str, Any]:
        places = self.problem.labels(cover)
        names = ("piece", "cells", "sides")
        return {"pieces": [{name: part for name in names if (part := getattr(place, name))} for place in places]}


def tile(
    task: Tilings,
    *,
    words: str | None = None,
    pieces: str | None = None,
    each: str | None = None,
    empty: str | None = None,
    frame: str | None = None,
    orientations: Kind | None = None,
    symmetry: Symmetry | None = None,
    mode: str = "first",
    number: int | None = None,
    seed: int | None = None,
    page: str | None = None,
) -> int:
    """Prints tilings of a board with pieces."""
    mode = mode if number is None else "sample"
    answer, _, allowed = MODES[mode]
    own = {"seed": seed, "page": page, "n": number, "up_to": "symmetry" if mode == "kinds" else None}
    own = {name: value for name, value in own.items() if value is not None}
    shared = {"jobs": task.jobs, "limit": task.limit, "svg": task.svg, "json": task.json or None}
    used = {name for name in ("seed", "page") if name in own} | {name for name in shared if shared[name] is not None}
    for name in sorted(used - {*allowed.split()}):
        modes = [f"--{other}" for other, (_, _, taken) in MODES.items() if name in taken.split() and other != "first"]
        reason = f"goes with {' or '.join(modes)}" if mode == "first" else f"cannot be combined with --{mode}"
        raise RefusedError(f"--{'output' if name == 'page' else name} {reason}")
    task.symmetry = symmetry or "all"
    kept: Symmetry = "none" if mode == "kinds" else symmetry or "none"
    settings = {"empty": True if empty == "all" else empty or (), "frame": frame}
    with task.warnings_printed():
        try:
            made = _problem(task, words, pieces, settings, each, orientations=orientations, symmetry=kept)
        except TimeoutError as error:
            return task.end("timeout", False, str(error))
    task.problem = made
    if mode == "watch" and made.board.lattice == "cube":
        raise RefusedError("--watch draws no cubes; --svg draws a tiling of them")
    return answer(task, **own)


def _problem(
    task: Task,
    words: str | None,
    file: str | None,
    settings: dict[str, Any],
    each: str | None,
    **options: Any,
) -> TilingProblem:
    """Makes the problem from the board and the pieces, given as words, as files, or both."""
    from dlx import tiles
    from dlx.tiles.boards import is_size
    from dlx.tiles.pieces import is_drawn

    try:
        board: Any
        pieces: Any
        board, pieces, ranges = (task.source, [], {}) if is_size(task.source) else _read(task.source)
        if board is None:
            raise RefusedError(f"{task.file}: there is no board in it")
        if isinstance(board, tiles.Board) and words and not is_drawn(words):  # the board may be for another lattice
            lattice = tiles.named(words.split(",")[0])[0].lattice
            board = tiles.Board.of(board.marks, lattice, board.empty, board.frame)
        if words or file:  # named pieces replace the pieces in the file of the board
            _, pieces, ranges = _read(file) if file else (None, [], {})
            pieces = [*pieces, *([words] if words else [])]  # last, since ranges in the file apply to its own names
        return tiles.problem(board, pieces, each=each or ranges or 1, timeout=task.timeout, **settings, **options)
    except (FormatError, ProblemError, TimeoutError):
        raise
    except OSError as error:
        hint = "; a board is a size such as 6x10, or a file" if error.filename == task.source else ""
        raise RefusedError(f"{error.filename or task.file}: {error.strerror}{hint}") from None
    except (TypeError, ValueError) as error:
        hint = "; --pieces FILE reads pieces from a file" if words and os.path.isfile(words) else ""
        raise RefusedError(f"{error}{hint}") from None


def _read(file: str) -> Puzzle:
    """Reads a board, pieces and their uses from a file, or from standard input for "-"."""
    from dlx import tiles

    return tiles.loads(text_of(file), "<stdin>") if file == "-" else tiles.load(file)
