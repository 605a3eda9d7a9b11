"""The `sudoku` command: target sudoku, plain sudoku, and the number of completions, for streams of grids."""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import IO, NamedTuple

import dlx
from dlx.command import StatusLine, abandon_stdout, at_least, seconds
from sudoku.conversion import to_boxed, to_line, to_rows
from sudoku.encode import decode, encode
from sudoku.formats import read
from sudoku.grid import Grid, GridError, Puzzle
from sudoku.layout import Box, grid_size
from sudoku.strategies import DEFAULT, STRATEGIES, Result
from sudoku.target import Ranking, best, rank, read_weights, ties

FORMS = """\
grids are read in these forms, mixed as they come (0 . * - _ x ? are blanks):
  nine lines of nine digits, with or without white space between them;
  the same with | between the boxes and rules of - + = between the bands;
  81 characters in a line; a comment may follow after white space, comma or semicolon.
From # on is a comment, an empty line ends a grid, and a line "end" ends the input.
"""

TARGET = """\
output, for each grid:
  2829             the best score
  2871 unproven    the best score found until the timeout, or Ctrl-C
  unknown          the same, when no completion had been found yet
  -1               there is no completion (with --grid and --json this can be told from a score of -1)
With --ties:
  2829 ties 3      3 completions have that score; "ties 1000+": so many at least, counted up to the limit or the timeout
With --top K a line for each completion, the best one first, and an empty line between two grids:
  2829 7549...     its score, and its cells in the line form (above 32 rows: numbers with commas between them)
  2871 7549... unproven    one of the best found until the timeout, or Ctrl-C
With --grid the completion follows in a grid of boxes instead.
"""

SOLVE = """\
output, for each grid: a completion in its form (a line for a line, and otherwise a grid of boxes), or
  -1               there is no completion
  unknown          none had been found until the timeout, or Ctrl-C
A grid with several completions gets one of them.
"""

COUNT = """\
output, for each grid:
  32758            the number of completions; with --limit N, N means N or more (--json tells: "exhausted")
  9000 unproven    the number found until the timeout, or Ctrl-C
"""

STATUS = """
exit status:
  0                every grid has been read; those without a completion count as well
  2                a grid was malformed or a file could not be read (the others have been answered), or wrong usage
  130              Ctrl-C; what had been found by then has been printed
"""

LONGEST_LINE = 1 << 16  # of a longer line only this much is kept
RANKING = "bound"  # the strategy that finds more than one completion
MOST_TIES = 1_000_000  # completions of equal score are counted up to here, unless told otherwise

Answer = tuple[str, str | None]  # what to print for a puzzle, and why the search for it stopped early
Solver = Callable[[Puzzle, argparse.Namespace, "Progress"], Answer]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the `sudoku` command.

    Parameters:
        arguments: the command line without the name of the program; without it, that of the process.

    Returns:
        The exit status: 0, 2 if a grid was malformed or a file could not be read, 130 after Ctrl-C.

    Raises:
        SystemExit: the command line is wrong (status 2), or it asks for help (status 0).

    >>> main(["count", "--box", "2x2", os.devnull])
    0
    """
    options = _options(arguments)
    run = _Run(options)
    try:
        if options.command == "target" and options.list_strategies:
            return _list_strategies()
        return run.all(_puzzles(options.files or ["-"], options.box))
    except KeyboardInterrupt:
        return 130
    except OSError as error:  # nothing more can be written; reading has its own errors
        abandon_stdout()
        if not isinstance(error, BrokenPipeError):
            run.complain(f"<stdout>: {error.strerror}")
        return run.status
    finally:
        run.progress.erase()


def _list_strategies() -> int:
    names = (f"{name} (default)" if name == DEFAULT else name for name in STRATEGIES)
    print("\n".join(names), flush=True)
    return 0


class _Run:
    """The answers to all grids of the input, in their order."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.solver: Solver = options.solver
        self.progress = Progress()
        self.status = 0
        self.before = 0  # how many lines the answer before had; 0 if this is the first one

    def all(self, puzzles: Iterator[Puzzle | GridError | OSError]) -> int:
        """Answers every grid, and returns the exit status."""
        for puzzle in puzzles:
            if not isinstance(puzzle, Puzzle):
                self.complain(_reason(puzzle))
                continue
            self.progress.begin(f"{puzzle.file}:{puzzle.line}")
            try:
                text, stopped = self.solver(puzzle, self.options, self.progress)
            except ValueError as error:  # a strategy that does not do grids of this shape
                self.complain(f"{puzzle.file}:{puzzle.line}: {error}")
                continue
            self.answer(text)
            if stopped == "interrupt":
                return 130
        return self.status

    def complain(self, message: str) -> None:
        """Reports what is wrong with a part of the input."""
        self.progress.erase()
        self.status = 2
        with contextlib.suppress(OSError):  # nobody may be listening
            if sys.stderr is not None:  # print would take that for standard output
                print(f"sudoku: {message}", file=sys.stderr)

    def answer(self, text: str) -> None:
        """Prints an answer at once, after an empty line if it, or the one before, has or may have several lines."""
        lines = text.count("\n") + 1
        apart = max(self.before, lines) > 1 or (self.options.command == "target" and self.options.top is not None)
        gap = "\n" if self.before and apart and not self.options.json else ""
        self.before = lines
        self.progress.erase()
        print(f"{gap}{text}", flush=True)


def _target(puzzle: Puzzle, options: argparse.Namespace, progress: Progress) -> Answer:
    result = best(
        puzzle.grid,
        weights=options.weights,
        strategy=options.strategy,
        box=options.box,
        sense=options.sense,
        timeout=options.timeout,
        progress=progress.update,
    )
    shared = _ties(puzzle, result, options) if options.ties and result.proven else None
    stopped = "interrupt" if shared and shared.interrupted else result.stopped
    if options.json:
        return _target_json(puzzle, result, shared, options.box), stopped
    if result.completion is None:
        return "-1" if result.proven else "unknown", stopped
    words = [str(result.score)]
    if shared:
        words.append(f"ties {shared.number}{'' if shared.exhausted else '+'}")
    return _marked(words, result.proven, result.completion if options.grid else None, options.box), stopped


class _Ties(NamedTuple):
    """How many completions share the best score, and whether the count came to its end."""

    number: int
    exhausted: bool
    interrupted: bool


def _ties(puzzle: Puzzle, result: Result, options: argparse.Namespace) -> _Ties | None:
    """How many completions share a proven best score, counted in the time that is left."""
    if result.completion is None:
        return None
    if result.ties is not None:  # the strategy has counted them
        return _Ties(result.ties, exhausted=True, interrupted=False)
    count = ties(
        puzzle.grid,
        result.score,
        sense=options.sense,
        weights=options.weights,
        box=options.box,
        limit=MOST_TIES if options.limit is None else options.limit,
        timeout=None if options.timeout is None else max(0.0, options.timeout - result.seconds),
    )
    return _Ties(count.covers, count.exhausted, count.stopped == "interrupt")


def _target_json(puzzle: Puzzle, result: Result, shared: _Ties | None, box: Box) -> str:
    known = result.proven or result.completion is not None
    return json.dumps(
        {
            "file": puzzle.file,
            "line": puzzle.line,
            "score": result.score if known else None,
            "completion": _text(result.completion, box),
            "completions": result.completions,
            "ties": shared.number if shared else result.ties,
            **({"ties_exhausted": shared.exhausted} if shared else {}),
            "bound": result.bound,
            "proven": result.proven,
            "stopped": result.stopped,
            "strategy": result.strategy,
            "nodes": result.nodes,
            "seconds": round(result.seconds, 6),
        }
    )


def _top(puzzle: Puzzle, options: argparse.Namespace, progress: Progress) -> Answer:
    result = rank(
        puzzle.grid,
        options.top,
        sense=options.sense,
        weights=options.weights,
        box=options.box,
        timeout=options.timeout,
        progress=progress.update,
    )
    listed = list(zip(result.scores.tolist(), result.completions, strict=True))
    if options.json:
        return _top_json(puzzle, result, options.box), result.stopped
    if not listed:
        return "-1" if result.proven else "unknown", result.stopped
    if options.grid:
        lines = [_marked([str(score)], result.proven, grid, options.box) for score, grid in listed]
    else:
        lines = [_marked([str(score), _token(grid, options.box)], result.proven) for score, grid in listed]
    return "\n".join(lines), result.stopped


def _top_json(puzzle: Puzzle, result: Ranking, box: Box) -> str:
    pairs = zip(result.scores.tolist(), result.completions, strict=True)
    return json.dumps(
        {
            "file": puzzle.file,
            "line": puzzle.line,
            "top": [{"score": score, "completion": _text(grid, box)} for score, grid in pairs],
            "bound": result.bound,
            "proven": result.proven,
            "stopped": result.stopped,
            "strategy": RANKING,
            "nodes": result.nodes,
            "seconds": round(result.seconds, 6),
        }
    )


def _marked(words: list[str], proven: bool, grid: Grid | None = None, box: Box = (3, 3)) -> str:
    """A line of an answer, marked if it is unproven, and the grid that goes with it."""
    line = " ".join(words if proven else [*words, "unproven"])
    return line if grid is None else f"{line}\n{to_boxed(grid, box)}"


def _token(grid: Grid, box: Box) -> str:
    """A grid as one word: in the line form, or as numbers with commas between them if it is too large for that."""
    return to_line(grid, box) if len(grid) <= 32 else ",".join(map(str, grid.ravel().tolist()))


def _solve(puzzle: Puzzle, options: argparse.Namespace, progress: Progress) -> Answer:
    problem = encode(puzzle.grid, options.box)
    result = dlx.first(problem, timeout=options.timeout, progress=lambda search: progress.update(0, search.nodes))
    completion = None if result.cover is None else decode(problem, result.cover)
    if options.json:
        text = _text(completion, options.box)
        return _outcome_json(puzzle, result, completion=text, proven=result.exhausted), result.stopped
    if completion is None:
        return "-1" if result.exhausted else "unknown", result.stopped
    return to_line(completion, options.box) if puzzle.form == "line" else to_boxed(completion, options.box), None


def _count(puzzle: Puzzle, options: argparse.Namespace, progress: Progress) -> Answer:
    result = dlx.count(
        encode(puzzle.grid, options.box),
        max_covers=options.limit,
        timeout=options.timeout,
        progress=lambda search: progress.update(search.covers, search.nodes),
    )
    if options.json:
        return _outcome_json(puzzle, result, completions=result.covers, exhausted=result.exhausted), result.stopped
    return f"{result.covers}{' unproven' if result.stopped in ('timeout', 'interrupt') else ''}", result.stopped


def _outcome_json(puzzle: Puzzle, outcome: dlx.Outcome, **answer: str | int | None) -> str:
    how = {"stopped": outcome.stopped, "nodes": outcome.nodes, "seconds": round(outcome.seconds, 6)}
    return json.dumps({"file": puzzle.file, "line": puzzle.line, **answer, **how})


def _text(grid: Grid | None, box: Box) -> str | None:
    """A grid as a JSON value: in the line form, or in rows if it is too large for that."""
    if grid is None:
        return None
    return to_line(grid, box) if len(grid) <= 32 else to_rows(grid, box)


class Progress:
    """A line on the terminal about a search that takes long."""

    def __init__(self) -> None:
        self.line = StatusLine()
        self.answers_show = sys.stdout is not None and sys.stdout.isatty()
        self.place = ""

    def begin(self, place: str) -> None:
        """Notes the next puzzle; the patience begins anew where the user sees the answers go by."""
        self.place = place
        if self.answers_show:
            self.line.restart()
        self.update(0, 0)

    def update(self, completions: int, nodes: int) -> None:
        """Shows how far the search is, now and then."""
        found = f", {completions:,} completions" if completions else ""
        self.line.update(lambda: f"{self.place}: {self.line.elapsed:.0f} s{found}, {nodes:,} nodes")

    def erase(self) -> None:
        """Takes the line off the terminal."""
        self.line.erase()


def _puzzles(files: Sequence[str], box: Box) -> Iterator[Puzzle | GridError | OSError]:
    """Reads the grids of all files, each as soon as it is there."""
    for name in files:
        try:
            if name == "-":
                yield from read(_lines(_stdin()), box=box, file="<stdin>")
            else:
                with open(name, encoding="utf-8", errors="surrogateescape") as stream:
                    yield from read(_lines(stream), box=box, file=name)
        except OSError as error:
            error.filename = "<stdin>" if name == "-" else name
            yield error


def _stdin() -> IO[str]:
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    return sys.stdin


def _lines(stream: IO[str]) -> Iterator[str]:
    """The lines of a stream as they come; of a very long one only the beginning, so that memory stays bounded."""
    begins = True
    while piece := stream.readline(LONGEST_LINE):
        if begins:
            yield piece
        begins = piece.endswith("\n")


def _reason(error: GridError | OSError) -> str:
    return str(error) if isinstance(error, GridError) else f"{error.filename}: {error.strerror}"


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command == "target" and options.weights is not None:
        try:
            options.weights = read_weights(options.weights, grid_size(options.box))
        except OSError as error:
            parser.error(f"{error.filename}: {error.strerror}")
        except ValueError as error:
            parser.error(str(error))
    if options.command == "target":
        _check_target(options, parser)
    return options


def _check_target(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Refuses options of `target` that do not go together, and chooses what answers."""
    if options.top is not None:
        if options.strategy not in (None, RANKING):
            parser.error(f"--top is for the strategy {RANKING}; {options.strategy} keeps the best completion only")
        options.solver = _top
    if options.limit is not None and not options.ties:
        parser.error("--limit is for --ties")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sudoku",
        description="Solves target sudoku and plain sudoku as exact cover.",
        epilog=STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    target = _command(commands, "target", _target, "the best score of a completion, for each grid", TARGET)
    target.add_argument("--grid", action="store_true", help="print the completion too")
    target.add_argument("--strategy", choices=tuple(STRATEGIES), metavar="NAME", help="how to search")
    target.add_argument("--list-strategies", action="store_true", help="print the names of the strategies, and end")
    target.add_argument(
        "--weights",
        metavar="FILE",
        help="weights, nine lines of nine whole numbers (without it: 6 on the border to 10 in the centre)",
    )
    target.add_argument("--min", dest="sense", action="store_const", const="min", default="max", help="lowest score")
    several = target.add_mutually_exclusive_group()
    several.add_argument("--top", type=at_least(1), metavar="K", help="list the K best completions, the best one first")
    several.add_argument("--ties", action="store_true", help="count the completions that share the best score")
    target.add_argument(
        "--limit", type=at_least(0), metavar="N", help=f"count ties up to N, and no further ({MOST_TIES:,})"
    )
    _command(commands, "solve", _solve, "a completion of each grid", SOLVE)
    count = _command(commands, "count", _count, "the number of completions of each grid", COUNT)
    count.add_argument("--limit", type=at_least(0), metavar="N", help="count up to N, and no further")
    return parser


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, solver: Solver, purpose: str, output: str
) -> argparse.ArgumentParser:
    command = commands.add_parser(
        name,
        help=purpose,
        description=f"Prints {purpose}.",
        epilog=f"{FORMS}\n{output}{STATUS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(solver=solver)
    command.add_argument("files", nargs="*", metavar="FILE", help="where the grids are; - or none: standard input")
    command.add_argument("--json", action="store_true", help="print an object for each grid, in a line of its own")
    command.add_argument("--timeout", type=seconds, metavar="SECONDS", help="the most time for each grid")
    command.add_argument("--box", type=_box, default=(3, 3), metavar="RxC", help="rows and columns of a box (3x3)")
    return command


def _box(text: str) -> Box:
    match = re.fullmatch("([0-9]{1,3})x([0-9]{1,3})", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form ROWSxCOLUMNS, such as 3x3")
    box = int(match[1]), int(match[2])
    try:
        grid_size(box)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return box
