"""The `sudoku` command: target sudoku, plain sudoku, and what all completions say, for streams of grids."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeAlias, get_args

from dlx.command import (
    NONE,
    UNFINISHED,
    Console,
    Parser,
    add_sense,
    add_version,
    at_least,
    conduct,
    jobs,
    memory,
    need_stdout,
    picture_name,
    seconds,
    write_file,
)
from dlx.extending import Merge
from sudoku.command import making, setting, watching
from sudoku.command.answer import Answer, Report, Solver
from sudoku.command.chances import shares
from sudoku.command.completions import count, solve
from sudoku.command.converting import IN_PLACE, PICTURES, convert, draw, is_read, numbered
from sudoku.command.glance import Lines, takes_blocks
from sudoku.command.layouts import RULES, add_layout_options, choose_layout
from sudoku.command.reading import Idle, in_blocks, puzzles
from sudoku.command.stream import Item, WorkersError, answering
from sudoku.command.target import MOST_TIES, RANKING, target, top
from sudoku.encoding import Weights
from sudoku.formats import FORMATS
from sudoku.formats.signs import Alphabet
from sudoku.formats.writing import WRITERS
from sudoku.layout import Shape, as_layout
from sudoku.strategies import DEFAULT, STRATEGIES
from sudoku.target import read_weights

FORMS = """\
grids are read in these forms, mixed as they come (0 . * - _ x ? ~ are blanks); --format NAME takes one of them only:
  rows, sdk        nine lines of nine digits, with or without white space, commas, semicolons or tabs between them (with
                   nothing there for a blank), or in groups, or each line in brackets;
  boxed, ss        the same with | or ! between the boxes, rules of - + = between the bands, and perhaps a frame,
                   or drawn with Unicode's lines;
  line, sdm        81 characters in a line; a comment may follow after white space, comma or semicolon;
  free             81 numbers, whole rows of them in a line, or with --format free in any lines;
  marks            rows of candidates, such as 127, with a digit where there is one only;
  candidates       729 characters, nine for each cell;
  hodoku           lines of HoDoKu's library;
  csv              a table with a column "puzzle" or "quizzes", and perhaps "solution", which is checked;
  json             lists and texts, one or many; puzzles of f-puzzles and SudokuPad, too, and links to these;
  code             arrays of C, Java, Python and others, or as numpy prints them;
  opensudoku       files of OpenSudoku;
  npy              arrays of numpy.
Larger grids have rows of decimal numbers with white space between them, or a line with A for 10, B for 11, and so on;
--alphabet SIGNS names other signs of the digits, such as 0123456789ABCDEF; answers are written with them, too, but by
convert with the usual ones.
From # on is a comment, an empty line ends a grid, or stands between its bands, and a line "end" ends the input.
"""

CONVERT = """\
output: all grids in one form; --to names it, or the end of the file's name, and otherwise it is "line".
  line, sdm        81 characters in a line
  rows             rows of numbers
  boxed            with bars and rules between the boxes
  unicode          with lines of Unicode's box drawing
  sdk, ss          files of SadMan's Sudoku and of Simple Sudoku
  marks            pencil marks: all candidates of each blank
  candidates       729 characters, of grids without givens
  hodoku           lines of HoDoKu's library
  csv              a table with one column, "puzzle"
  json             a list of lists in each line
  opensudoku       a file of OpenSudoku
A grid that is malformed, or of which the form cannot say all, is left out; standard error says what is wrong.
Of candidates that is what --drop-candidates is for.
"""

DRAW = """\
output: each grid in boxes of Unicode's lines, and an empty line; or with --output FILE.svg or FILE.png a picture, the
K-th grid in a file with -K before the suffix, counted with those that are malformed, of which none is drawn. PNG takes
the extra pictures. Candidates are drawn small in the blanks.
"""

WATCH = """\
output: a page for any browser, in one file that needs no network, on standard output or in the file that -o names: the
grid with its candidates, the matrix, the search tree, and a player for all steps of the search for completions. The
K-th grid has its page in a file with -K before the suffix.
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
What is left of a grid is counted once where that pays. With --merge isomorphic, which takes the extra `symmetry`, it is
counted once if it is the same up to renaming: numbers of twenty digits take minutes then, and nothing is known before.
"""

SHARES = """\
output, for each grid: a table with a line for each blank,
     %     1     2  ...
  r2c3  25.0     .  ...    the part of the completions that has each digit there, in per cent; . is none, 100 all
or
  -1               there is no completion
  unknown          not all completions had been found at the timeout, or Ctrl-C
With --json the parts are fractions, of the possible digits of each blank; rows and columns are numbered from 1.
With --svg FILE the first grid is drawn in FILE with the possible digits of each blank, the likelier the bluer; the K-th
grid in a file with -K before the suffix. A grid without completions is not drawn.
"""

STATUS = """
There is an answer for every grid, in their order. Of one that is malformed, that the strategy cannot do, or that takes
more than --memory, it is the line "error", or with --json an object with "error"; standard error says what is wrong.

With --jobs N processes answer, each some grids at a time; their answers come in the order of the grids. On two idle
cores two are 1.5 times as fast as one where a grid takes a millisecond, up to twice where it takes longer, and
no faster where it takes a tenth of that. A grid that kills every process that takes it is the line "error".

exit status:
  0                every grid has been read; those without a completion, and those stopped by --timeout, count as well
  1                with --fail: a grid has no completion
  2                a grid was malformed or took too much memory, or a file could not be read (the others have been
                   answered); the answers cannot be written; pynauty is missing; or wrong usage
  3                with --fail: the search for a grid was stopped by --timeout
  130              Ctrl-C; what had been found by then has been printed
Where several of these apply, it is 130, then 2, then 3, then 1. When nobody reads the answers any more, the command
ends in silence.
Every line of an answer is printed whole or not at all, unless Ctrl-C comes twice within one of more than 4096 bytes.
"""

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the `sudoku` command.

    Parameters:
        arguments: the command line without the name of the program; without it, that of the process.

    Returns:
        The exit status; `sudoku --help` lists them.

    Raises:
        SystemExit: the command line is wrong (status 2), or it asks for help (status 0).

    >>> main(["count", "--box", "2x2", "/dev/null"])
    0
    """
    console = Console("sudoku")
    return conduct(console, lambda: _Run(_options(arguments), console).all())


class _Run:
    """The answers to all grids of the input, in their order."""

    def __init__(self, options: argparse.Namespace, console: Console) -> None:
        self.options = options
        self.console = console
        if options.command not in ("convert", "draw", "generate", "watch"):
            self.report = Report(console, options, answers_show=sys.stdout is not None and sys.stdout.isatty())
        self.none = self.unfinished = False
        self.answers = 0
        self.before = 0  # how many lines the answer before had; 0 if this is the first one

    def all(self) -> int:
        """Answers every grid, and returns the exit status."""
        options = self.options
        file = options.output if options.command == "watch" else getattr(options, "svg", None)
        if file is not None and not self.console.can_write(file):
            return self.console.status
        if options.command in ("convert", "draw"):
            return convert(options, self.console) if options.command == "convert" else draw(options, self.console)
        if options.command == "watch":
            return watching.watch(options, self.console)
        if options.command == "generate":
            return making.generate(options, self.console)
        need_stdout()
        if options.command == "target" and options.list_strategies:
            self.console.print("".join(f"{name}{' (default)' * (name == DEFAULT)}\n" for name in STRATEGIES))
            return 0
        try:
            with answering(options, self.report, self.say) as stream:
                for item in self.items(options.files or ["-"], stream.idle):
                    stream.put(item)
        except WorkersError as error:
            return self.console.fail(str(error))
        return self.status()

    def items(self, files: Sequence[str], idle: Idle) -> Iterator[Item]:
        """Yields the grids to answer."""
        options = self.options
        if takes_blocks(options):
            return in_blocks(files, options.box, idle, options.format)
        return puzzles(files, options.box, idle, options.format, options.alphabet)

    def status(self) -> int:
        """The exit status of what has been answered."""
        if self.console.status or not self.options.fail:
            return self.console.status
        return UNFINISHED if self.unfinished else NONE if self.none else 0

    def say(self, answer: Answer | Lines | OSError) -> None:
        """Prints an answer, or what is wrong with a file.

        Raises:
            KeyboardInterrupt: Ctrl-C has ended the search.
        """
        if isinstance(answer, OSError):
            self.console.fail(f"{answer.filename}: {answer.strerror}")
            return
        if isinstance(answer, Lines):
            self.print_lines(answer)
            return
        if answer.wrong is not None:
            self.console.fail(str(answer.wrong))
        self.print(answer.text)
        if answer.picture is not None:
            self.draw(answer.picture)
        self.none |= answer.none
        self.unfinished |= answer.stopped == "timeout"
        if answer.stopped == "interrupt":
            raise KeyboardInterrupt

    def print_lines(self, answer: Lines) -> None:
        """Prints answers of one line each."""
        self.console.print((b"\n" if self.before > 1 else b"") + answer.text)
        self.before = 1
        self.answers += answer.grids
        self.none |= answer.none

    def print(self, text: str) -> None:
        """Prints an answer at once, after an empty line if it, or the one before, has or may have several lines."""
        lines = text.count("\n") + 1
        apart = max(self.before, lines) > 1 or (self.options.command == "target" and self.options.top is not None)
        gap = "\n" if self.before and apart and not self.options.json else ""
        self.before = lines
        self.answers += 1
        self.console.print(f"{gap}{text}\n")

    def draw(self, picture: str) -> None:
        """Writes the picture of the grid that has been answered last."""
        name = numbered(self.options.svg, self.answers)
        if is_read(name, self.options.files):
            self.console.fail(f"{name}: {IN_PLACE}")
            return
        try:
            write_file(name, f"{picture}\n".encode())
        except OSError as error:
            self.console.fail(f"{name}: {error.strerror}")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = _parser()
    options = parser.parse_args(arguments)
    for name in ("weights", "jigsaw", "rules"):
        if getattr(options, name, None) == "-":
            parser.error(f"--{name} takes a file, and - is standard input, which is for grids")
    try:
        choose_layout(options)
        layout = as_layout(options.box)
        if options.command != "generate" and options.alphabet is not None:
            Alphabet.of(layout.size, options.alphabet)
        if options.command == "target" and options.weights is not None:
            options.weights = _weights(options.weights, layout.shape)
    except OSError as error:
        parser.error(f"{error.filename}: {error.strerror}")
    except ValueError as error:
        parser.error(str(error))
    if options.command == "target":
        _check_target(options, parser)
    return options


def _weights(file: str, shape: Shape) -> Weights:
    """The weights in a file; numbers are taken for its name only if there is such a file."""
    if re.fullmatch(r"[-+0-9,;.\s]+", file) and not os.path.exists(file):
        rows, columns = shape
        raise ValueError(
            f"--weights takes a file of {rows} lines of {columns} whole numbers, not numbers: {file!r:.40}"
        )
    return read_weights(file, shape)


def _check_target(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Refuses options of `target` that do not go together, and chooses what answers."""
    if options.top is not None:
        if options.strategy not in (None, RANKING):
            parser.error(f"--top is for the strategy {RANKING}; {options.strategy} keeps the best completion only")
        options.solver = top
    if options.limit is not None and not options.ties:
        parser.error("--limit is for --ties")
    if options.ties and options.limit is None:
        options.limit = MOST_TIES


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="sudoku",
        description="Solves target sudoku and plain sudoku as exact cover.",
        epilog=STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_version(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_target(commands)
    _command(commands, "solve", solve, "a completion of each grid", SOLVE)
    number = _command(commands, "count", count, "the number of completions of each grid", COUNT)
    number.add_argument("--limit", type=at_least(0), metavar="N", help="count up to N, and no further")
    number.add_argument("--merge", choices=get_args(Merge), default="auto", help="count equal states once (auto)")
    chances = _command(commands, "shares", shares, "how likely each digit is in each blank, for each grid", SHARES)
    chances.add_argument(
        "--svg", type=picture_name, metavar="FILE", help="draw each grid with the chances in its blanks"
    )
    for command in (number, chances):
        command.add_argument(
            "--memory", type=memory, metavar="BYTES", help="to remember states in, as 1e9 or 100MB (1GiB)"
        )
    _add_convert(commands)
    setting.add(partial(_command, commands))
    making.add(_named(commands, "generate", "puzzles at random", f"{RULES}\n{making.GENERATE}"))
    return parser


def _add_convert(commands: Commands) -> None:
    command = _reader(commands, "convert", "all grids in another form", CONVERT)
    command.add_argument("--to", choices=tuple(WRITERS), metavar="NAME", help="the form to write")
    command.add_argument("--drop-candidates", action="store_true", help="write the digits only")
    command.add_argument("-o", "--output", metavar="FILE", help="where to; without it, standard output")
    command = _reader(commands, "draw", "pictures of all grids", DRAW)
    command.add_argument("-o", "--output", type=_picture, metavar="FILE", help="a file that ends in .svg or .png")
    watching.add_options(_reader(commands, "watch", "pages on which the search for completions dances", WATCH))


def _add_target(commands: Commands) -> None:
    command = _command(commands, "target", target, "the best score of a completion, for each grid", TARGET)
    command.add_argument("--grid", action="store_true", help="print the completion too")
    command.add_argument("--strategy", choices=tuple(STRATEGIES), metavar="NAME", help="how to search")
    command.add_argument("--list-strategies", action="store_true", help="print the names of the strategies, and end")
    command.add_argument(
        "--weights",
        metavar="FILE",
        help="a file of weights, nine lines of nine whole numbers (without it: 6 on the border to 10 in the centre)",
    )
    add_sense(command, "max")
    several = command.add_mutually_exclusive_group()
    several.add_argument("--top", type=at_least(1), metavar="K", help="list the K best completions, the best one first")
    several.add_argument("--ties", action="store_true", help="count the completions that share the best score")
    command.add_argument(
        "--limit", type=at_least(0), metavar="N", help=f"count ties up to N, and no further ({MOST_TIES:,})"
    )


def _named(commands: Commands, name: str, purpose: str, output: str) -> argparse.ArgumentParser:
    """A command without arguments."""
    return commands.add_parser(
        name,
        help=purpose,
        description=f"Prints {purpose}.",
        epilog=output,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _reader(commands: Commands, name: str, purpose: str, output: str) -> argparse.ArgumentParser:
    """A command that reads grids."""
    command = _named(commands, name, purpose, f"{FORMS}\n{RULES}\n{output}")
    command.add_argument("files", nargs="*", metavar="FILE", help="where the grids are; - or none: standard input")
    add_layout_options(command)
    command.add_argument("--format", choices=tuple(FORMATS), metavar="NAME", help="the form of all grids")
    command.add_argument("--alphabet", metavar="SIGNS", help="the signs of the digits, in order, one for each")
    return command


def _command(commands: Commands, name: str, solver: Solver, purpose: str, output: str) -> argparse.ArgumentParser:
    searches = name != "canonical"
    status = STATUS if searches else "".join(line for line in STATUS.splitlines(True) if "--fail" not in line)
    command = _reader(commands, name, purpose, f"{output}{status}")
    command.set_defaults(solver=solver, fail=False, timeout=None)
    command.add_argument("--json", action="store_true", help="print an object for each grid, in a line of its own")
    command.add_argument("--jobs", type=jobs, default=1, metavar="N", help="share the grids among N processes (1)")
    if searches:
        command.add_argument(
            "--fail", action="store_true", help="end with status 1 or 3 if a grid has no completion, or a timeout came"
        )
        command.add_argument("--timeout", type=seconds, metavar="SECONDS", help="the most time for each grid")
    return command


def _picture(text: str) -> str:
    if not text.endswith(PICTURES):
        raise argparse.ArgumentTypeError(f"{text!r} ends neither in .svg nor in .png")
    return text
