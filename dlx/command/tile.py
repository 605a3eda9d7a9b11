"""The command `tile`: it makes a problem of a board and pieces, and draws the answers of other commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from dlx.command import Parser, at_least
from dlx.command.best import Sense, best
from dlx.command.counting import count, sample
from dlx.command.searching import first, solve
from dlx.command.task import RefusedError, Task, stdin
from dlx.command.texts import Texts, in_json
from dlx.command.watching import watch
from dlx.formats import FormatError
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem
from dlx.search.covers import Block

if TYPE_CHECKING:
    from dlx.show import Picture
    from dlx.tiles.symmetric import Symmetry

# For each way to answer its command, its help, and the options that not all of them take
MODES: dict[str, tuple[Callable[..., int], str, str]] = {
    "first": (first, "", "jobs seed svg json"),
    "all": (solve, "print all tilings", "jobs seed svg json limit"),
    "count": (count, "print how many tilings there are", "jobs json limit"),
    "kinds": (count, "print how many there are up to --symmetry (all)", "jobs json"),
    "sample": (sample, "", "seed svg json"),
    "best": (best, "print the best tiling by --weights", "jobs seed svg json weights sense"),
    "watch": (watch, "write a page on which the search dances", "page title events"),
}


def add_modes(parser: Parser) -> None:
    """Adds the options that say which of the `MODES` is wanted: `mode`, or the `number` to sample."""
    ways = parser.add_mutually_exclusive_group()
    for mode, (_, said, _) in MODES.items():
        if said:
            ways.add_argument(f"--{mode}", dest="mode", action="store_const", const=mode, default="first", help=said)
    drawn = "draw N at random (1)"
    ways.add_argument("--sample", dest="number", metavar="N", nargs="?", const=1, type=at_least(1), help=drawn)


def tile(
    task: Task,
    *,
    words: str | None = None,
    pieces: str | None = None,
    each: str | None = None,
    lattice: str | None = None,
    empty: str | None = None,
    wrap: str | None = None,
    frame: str | None = None,
    reflections: bool | None = None,
    symmetry: Symmetry | None = None,
    mode: str = "first",
    number: int | None = None,
    weights: str | None = None,
    sense: Sense | None = None,
    jobs: int | None = None,
    limit: int | None = None,
    timeout: float | None = None,
    seed: int | None = None,
    svg: str | None = None,
    page: str | None = None,
    title: str | None = None,
    events: int | None = None,
) -> int:
    """Prints tilings of a board with pieces."""
    mode = mode if number is None else "sample"
    some: dict[str, Any] = {"jobs": jobs, "limit": limit, "seed": seed, "svg": svg}
    some |= {"sense": sense, "page": page, "title": title, "events": events}
    given = {name: value for name, value in some.items() if value is not None}
    own = {"json"} if task.json else set()  # options that are used here
    own |= set() if weights is None else {"weights"}
    answer, _, allowed = MODES[mode]
    for name in sorted((given.keys() | own) - {*allowed.split()}):
        modes = [f"--{other}" for other, (_, _, taken) in MODES.items() if name in taken.split() and other != "first"]
        raise RefusedError(f"--{ {'sense': sense, 'page': 'output'}.get(name, name) } goes with {' or '.join(modes)}")
    of_board = {"lattice": lattice, "empty": True if empty == "all" else empty or (), "wrap": wrap, "frame": frame}
    same = {"symmetry": "none" if mode == "kinds" else symmetry or "none", "reflections": reflections}
    with task.warnings_told():
        problem = _problem(task, words, pieces, each, weights, of_board, same)
    shape = problem.names[0].lattice if problem.names else "square"
    if mode == "watch" and shape != "square":
        raise RefusedError(f"--watch draws no {shape}s, only squares; --svg draws a tiling of them")
    given |= {"up_to": "symmetry"} if mode == "kinds" else {"n": number} if mode == "sample" else {}
    return answer(Tilings(task, problem, symmetry or "all"), timeout=timeout, **given)


def _problem(
    task: Task,
    words: str | None,
    file: str | None,
    each: str | None,
    weights: str | None,
    of_board: dict[str, Any],
    same: dict[str, Any],
) -> Problem:
    """Makes the problem; what the file of the board says of pieces is for where nothing else is said of them."""
    from dlx import tiles
    from dlx.tiles.boards import SIZE

    try:
        board, pieces, ranges = (task.source, [], {}) if SIZE.fullmatch(task.source) else _load(task.source)
        if board is None:
            raise RefusedError(f"{task.file}: there is no board in it")
        lattice = of_board["lattice"] or (tiles.named(words.split(",")[0])[0].lattice if words else None)
        if isinstance(board, tiles.Board):  # it may have been read for another lattice
            of_board = {name: of_board[name] or getattr(board, name) for name in ("empty", "wrap", "frame")}
            of_board["lattice"], board = lattice or board.lattice, board.marks
        if words or file:
            _, pieces, ranges = _load(file) if file else (None, [], {})
            pieces = [*pieces, *filter(None, [words])]  # last: ranges of the file are for its own names
        numbers = weights and _text(weights)
        return tiles.problem(board, pieces, each=each or ranges or 1, weights=numbers, **of_board, **same)
    except (FormatError, ProblemError):
        raise
    except OSError as error:
        hint = "; a board is a size, as 6x10, or a file" if error.filename == task.source else ""
        raise RefusedError(f"{error.filename or task.file}: {error.strerror}{hint}") from None
    except (TypeError, ValueError) as error:
        of_weights = str(error).startswith(("the weights", "the drawing of weights"))
        raise RefusedError(f"{weights}: {error}" if of_weights else str(error)) from None


def _load(file: str) -> Any:
    """Returns the board, the pieces and their ranges in a file."""
    from dlx import tiles

    return tiles.loads(_text(file), "<stdin>") if file == "-" else tiles.load(file)


def _text(file: str) -> str:
    from dlx.tiles.files import contents, decoded

    data = stdin().read() if file == "-" else contents(file)
    return data if isinstance(data, str) else decoded(data, "<stdin>" if file == "-" else file)


class Tilings(Task):
    """A board with pieces, whose covers are tilings.

    Attributes:
        symmetry: up to what tilings are counted, "rotations", "all" or "none".
    """

    found, lack, at_once = "tiling", "there is no tiling", 8

    def __init__(self, task: Task, problem: Problem, symmetry: Symmetry) -> None:
        super().__init__(task.console, task.source, task.json, numbers=False)
        self.problem, self.texts, self.symmetry = problem, Drawings(problem, numbered=False), symmetry

    def symmetries(self, timeout: float | None) -> Any:
        from dlx import tiles

        return tiles.symmetries(self.problem, self.symmetry)

    def picture(self, cover: Sequence[int]) -> Picture:
        from dlx import tiles

        return tiles.picture(self.problem, cover)


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
