"""The `sudoku` command: its arguments, and its help."""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import NoReturn, get_args

from dlx.command import (
    Console,
    Parser,
    add_command,
    add_sense,
    add_version,
    adder,
    at_least,
    begun,
    conduct,
    exit_line,
    jobs,
    memory,
    page_name,
    picture_name,
    seconds,
    seed,
)
from dlx.extending import Merge
from sudoku.command import answers, drawing, making, stream
from sudoku.command.answers import RANKING
from sudoku.formats import parse
from sudoku.formats.rules import read_jigsaw, read_rules
from sudoku.formats.signs import Signs
from sudoku.formats.writing import WRITERS
from sudoku.grid import Grid, GridError
from sudoku.layout import VARIANTS, Box, Layout, Shape, as_layout, sides_of
from sudoku.rules import FAMILIES, LINES
from sudoku.setting.generating import FEW_TRIES, SYMMETRIES, TRIES
from sudoku.setting.rating import DIFFICULTIES
from sudoku.setting.techniques import TECHNIQUES
from sudoku.strategies import DEFAULT, STRATEGIES
from sudoku.target import read_weights

EVENTS = 100_000  # default of --events

WRITING = ("convert", "watch")  # the commands whose -o is checked before a long search

# The commands that answer each grid
ANSWERS = "target solve count shares canonical explain minimise steps rate"

# Older names of commands, and what takes their place
ALIASES = {"hint": ("steps", "-n", "1"), "redundant": ("minimise", "--list")}

RULES = f"""\
variants: {", ".join(VARIANTS)};
and samurai, five grids that share corner boxes. A file of rules has one rule in each line:
  cage 15 r1c1 r1c2 r2c1          a sum; the same for little-killer 23 r1c1 r2c2; arrow r5c5 r5c6 r5c7;
                                  pill r1c1 r1c2 r2c2; sandwich 12 row 3; x-sum 12 row 3 backward;
                                  skyscraper 4 column 2; quadruple 1,2,2 r1c1 r1c2 r2c1 r2c2
  thermometer r1c1 r2c1 r3c1      a line: {", ".join(list(LINES)[:8])},
                                  {", ".join(list(LINES)[8:])};
                                  with a number {", ".join(f"{name}-3" for name in FAMILIES)}
  negative X V                    neighbours without such a mark do not satisfy it
  region cross r4c5 r5c4 r5c6     cells without a repeated digit
  variant x, anti-knight          the same as --variant
  grids r1c1 r7c7                 several grids, by their first cells
"""

FORMS = """\
A file may mix these forms of grids; 0 . * - _ x ? ~ are blanks:
  line             81 characters, alone or in a column of a table
  rows             nine lines of nine cells, with or without white space, commas, semicolons or tabs between them
  boxed            rows with bars between the boxes and rules between the bands
  free             81 numbers in lines of any length, or a line wrapped anywhere
  marks            rows of candidates, such as 127
  candidates       729 characters, nine for each cell
  hodoku           lines of HoDoKu's library
  json, code       lists and objects of JSON, f-puzzles and links with them; arrays of a programming language
  killer, jigsaw   3x3::k:..., SumoCueV1..., 81 digits and 81 regions, or digits plus walls
Rows of larger grids have decimal numbers, or letters: A is 10. --alphabet names other signs, such as 0123456789ABCDEF.
# starts a comment, an empty line ends a grid or a band, and a line "end" ends the input.
"""

# For each command: a summary, examples, and a description of the output
COMMANDS = {
    "target": """the best score of a completion, for each grid
$ contest-1.txt; --grid contest-1.txt contest-2.txt; --top 3 contest-1.txt
output, for each grid:
  2829             the best score
  2871 unproven    the best score found before the timeout or Ctrl-C
  unknown          no completion was found before the timeout or Ctrl-C
  -1               there is no completion
--grid adds the completion in boxes. --top K prints one line for each completion: its score and its cells.
""",
    "solve": """a completion of each grid
$ puzzle.txt; --all contest-1.txt; --timeout 10 --fail puzzle.txt
output, for each grid: a completion in the form of the grid (a line, or boxes), or
  -1               there is no completion
  unknown          no completion was found before the timeout or Ctrl-C
--all prints every completion, and --limit N the first N. If a timeout ends the list, its last line is "unproven".
""",
    "count": """the number of completions of each grid
$ contest-1.txt; --limit 2 puzzle.txt; --json --timeout 10 contest-2.txt
output, for each grid:
  32758            the number of completions; with --limit N, N means N or more
  9000 unproven    the number found before the timeout or Ctrl-C
--merge isomorphic counts equal states once up to renaming (extra symmetry): numbers of twenty digits take minutes.
""",
    "shares": """how likely each digit is in each blank, for each grid
$ contest-1.txt; --json puzzle.txt; --svg shares.svg contest-1.txt
output, for each grid: a table with a line for each blank,
     %     1     2  ...
  r2c3  25.0     .  ...    the percentage of completions with each digit there; . is 0, and 100 is all
or -1 if there is no completion, or unknown if the timeout or Ctrl-C came first. --json has fractions.
""",
    "convert": """all grids in another form
$ --to csv puzzle.txt; contest-1.txt contest-2.txt -o contest.csv; --to fpuzzles --variant x contest-1.txt
output: all grids in the form of --to, or of the suffix of the output file, or "line". The forms are line, rows, boxed,
marks, candidates; csv, with a column "puzzle"; json, a list of lists in each line; fpuzzles, JSON with the
rules; and sudokupad-link, a link with that JSON (extra links). A grid that the form cannot represent is skipped, and a
message says why. --drop-candidates writes the digits of grids with candidates.
""",
    "draw": """pictures of all grids
$ puzzle.txt; --rules killer.txt puzzle.txt -o killer.svg; --sheet --title Sudoku puzzle.txt -o sheet.html
output: each grid in boxes of Unicode's lines; with --output FILE.svg or FILE.png (extra pictures) a picture. --sheet
writes one page in HTML with all puzzles, and their solutions at the end.
""",
    "watch": """pages that play the search for completions
$ puzzle.txt -o puzzle.html; --events 200 puzzle.txt -o page.html; --title Classic puzzle.txt -o classic.html
output: a page in HTML with the grid, the matrix, the search tree, and a player for the steps of the search.
""",
    "canonical": """the canonical form of each grid
$ puzzle.txt; contest-1.txt contest-2.txt; --json puzzle.txt
output, for each grid: its canonical form, which is the same for all grids that differ only in the order of rows and
columns, a reflection, or the names of digits. `sudoku canonical FILE | sort -u` prints one grid of each class. It takes
grids of 3x3 without further rules.
""",
    "explain": """why each grid has no completion, or several
$ puzzle.txt; --timeout 10 contest-1.txt; --json puzzle.txt
output, for each grid: one completion, or unknown, or
  no completion
    clash r1c2=5 r1c7=5 in row 1           each pair of givens that a rule forbids
    core r1c2=5 r3c4=1                     givens that together have no completion, and each of which is needed
  several completions
    differ r4c4 r4c5 r5c4 r5c5             the cells in which the completions differ
    extra r4c4=7                           givens that leave one completion, and each of which is needed
After a timeout the first line ends in "unproven".
""",
    "minimise": """each grid without the givens that it does not need
$ puzzle.txt; --seed 3 puzzle.txt; --list --variant x contest-1.txt
output, for each grid: the grid without redundant givens, with the same completions; or unknown after a timeout.
--list (also `sudoku redundant`) prints instead:
  givens r1c2=5 r3c4=1     the givens that are redundant, each alone; - is none
""",
    "steps": """the steps to each completion, without guesses; `hint`: the first step
$ puzzle.txt; -n 1 puzzle.txt; --svg step.svg puzzle.txt
output, for each grid: a line for each step, always the easiest one, such as
  1. hidden single in row 5: 5 of row 5 can only be in r5c1
and at the end
  solved                                   the grid has one completion, and the steps reach it
  stuck, 51 blanks are left                no known step applies
  several completions, 51 blanks are left
  no completion
  unknown                                  the timeout or Ctrl-C came first
`sudoku hint` is `sudoku steps -n 1`.
""",
    "rate": """how hard each grid is for people
$ puzzle.txt; --json puzzle.txt; contest-1.txt contest-2.txt
output, for each grid: the points of the hardest step, the sum over all steps, their number, and the difficulty:
  hardest 7 total 98 steps 61 solved hard  or stuck, several completions, no completion, unproven (timeout)
The hardest step makes a grid easy (1 to 3), medium (4 to 6), hard (7 to 9) or expert (10 and more). A hidden single has
1 point in a box and 2 elsewhere, a naked single 3. Other steps have the number of their truths and links plus 2:
pointing 4, pairs and X-wings 6, skyscrapers 7, triples 8, XY-wings 9, quads 10, a chain of N truths 2 N + 3.
""",
    "generate": f"""puzzles at random
$ -n 3; --givens 24-28 --symmetry half-turn --grid; --killer --box 2x2 --seed 1
output: a line for each puzzle, or boxes with --grid. Each puzzle has one completion. Complete grids of plain sudoku are
drawn uniformly.
Givens are removed in random order while none is needed, or down to the minimum of --givens. --pattern takes a grid with
any digits in the cells of the givens. --rating takes easy, medium, hard, expert or points of the hardest step, as
`sudoku rate` has them; --technique takes a name of `sudoku steps`. The command ends after --tries puzzles in a row that
do not fit ({TRIES:,}; {FEW_TRIES:,} for patterns and for layouts other than 3x3).
--killer prints puzzles with cages and no givens, each as a line of JSON (f-puzzles), which all commands read.
""",
}

EXAMPLES = "target contest-1.txt; solve puzzle.txt; generate -n 3"

MANY = """
Each grid has one answer, in the order of the input. A grid that cannot be read or answered has the answer "error" (with
--json an object with "error"), and a message says why. --jobs N reads all grids and shares them among N processes.
"""


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
    return conduct(console, lambda: _run(_options(arguments), console))


def _run(options: argparse.Namespace, console: Console) -> int:
    """Runs the command and returns the exit status; checks the output files before a long search."""
    file = getattr(options, "svg", None) or (options.output if options.command in WRITING else None)
    if file is not None and not console.can_write(file):
        return console.status
    with warnings.catch_warnings():
        warnings.simplefilter("once", UserWarning)  # once for each text
        warnings.showwarning = lambda message, *_: console.say(str(message))
        status: int = options.run(options, console)
    return status


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    words = list(sys.argv[1:] if arguments is None else arguments)
    called = words[0] if words else ""
    words[:1] = ALIASES.get(called, words[:1])
    options = _parser(called).parse_args(words)
    if getattr(options, "output", None) == "-":  # standard output
        options.output = None
    refuse: Callable[[str], NoReturn] = vars(options).pop("refuse")
    options.lists = options.command == "solve" and (options.all or options.limit is not None)
    late_first = ("weights", "pattern", "rules", "jigsaw")
    files = {file: name for name in late_first if (file := getattr(options, name, None)) is not None}
    if "-" in files:
        refuse(f"--{files['-']} takes a file, and - is standard input, which is for grids")
    try:
        options.box = _layout(options)
        layout = as_layout(options.box)
        if options.alphabet is not None:
            Signs.of(layout, options.alphabet)
        if getattr(options, "pattern", None) is not None:
            options.pattern = _pattern(options.pattern, layout)
        if options.command == "target":
            _check_target(options, layout.shape)
        if options.command == "generate" and options.killer:
            _check_killer(options)
        if options.command == "draw":
            _check_draw(options)
    except OSError as error:
        argument = f"argument --{files[error.filename]}: " if error.filename in files else ""
        refuse(f"{argument}{error.filename}: {error.strerror}")
    except ValueError as error:
        refuse(str(error))
    return options


def _check_target(options: argparse.Namespace, shape: Shape) -> None:
    """Reads the weights, refuses options of `target` that do not go together, and chooses what answers."""
    if (file := options.weights) is not None:
        if not os.path.exists(file):
            wanted = f"a file of {shape[0]} lines of {shape[1]} whole numbers"
            raise ValueError(f"--weights takes {wanted}; there is no file {file!r:.40}")
        options.weights = read_weights(file, shape)
    if options.top is not None:
        if options.strategy not in (None, RANKING):
            raise ValueError(f"--top is for the strategy {RANKING}; {options.strategy} keeps the best completion only")
        options.solver = answers.top
        options.lists = True


def _check_killer(options: argparse.Namespace) -> None:
    """Refuses options about givens, which a killer does not have."""
    names = ("givens", "minimal", "rating", "technique", "pattern", "tries", "grid")
    given = [name for name in names if getattr(options, name) is not None and getattr(options, name) is not False]
    wrong = given + ["symmetry"] * (options.symmetry != "none")
    if wrong:
        raise ValueError(f"--{wrong[0]} does not go with --killer, which makes cages and no givens")


def _check_draw(options: argparse.Namespace) -> None:
    """Raises a ValueError if the suffix of the output does not fit: .svg or .png for pictures, HTML for sheets."""
    if options.title and not options.sheet:
        raise ValueError("--title goes with --sheet")
    if options.output is None:
        return
    if options.sheet and not options.output.endswith((".html", ".htm")):
        raise ValueError(f"{options.output!r} does not end in .html, and a sheet is HTML")
    if not options.sheet and not options.output.endswith((".svg", ".png")):
        raise ValueError(f"argument -o/--output: {options.output!r} ends neither in .svg nor in .png")


def _layout(options: argparse.Namespace) -> Box | Layout | None:
    """Returns the layout of the options, the rows and columns of a box, or None."""
    layout: Box | Layout | None = options.box
    if options.jigsaw is not None:
        if options.box is not None:
            raise ValueError("--box is for grids with rectangular boxes, and --jigsaw for others")
        layout = read_jigsaw(options.jigsaw)
    if options.variant is not None:
        layout = Layout.named(options.variant, layout)
    return layout if options.rules is None else read_rules(options.rules, layout)


def _parser(called: str = "") -> argparse.ArgumentParser:
    """Returns the parser; its usage has the name by which the command was called, if it has several."""
    parser = Parser(
        prog="sudoku",
        description=begun("sudoku", "Solves target sudoku and plain sudoku as exact cover.", EXAMPLES),
        epilog=f"{MANY}{exit_line('--fail')}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_version(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    made = {}
    for name, text in COMMANDS.items():
        settings: dict[str, object] = {"run": stream.answer, "fail": False, "timeout": None}
        before, after = f"{FORMS}\n{RULES}\n", exit_line(None)
        if name == "generate":
            settings, before, after = {"run": making.generate, "alphabet": None}, f"{RULES}\n", exit_line()
        elif name not in ANSWERS.split():
            settings = {"run": getattr(drawing, name)}
        else:
            settings["solver"] = getattr(answers, name)
            after = f"{MANY}{exit_line(None if name == 'canonical' else '--fail')}"
        made[name] = add_command(commands, name, text, before, after, **settings)
        made[name].set_defaults(refuse=made[name].error)  # which shows the usage of this command
    if called in ALIASES:
        made[ALIASES[called][0]].prog = f"{parser.prog} {called}"
    option = adder(made)

    reading, searching = f"{ANSWERS} convert draw watch", ANSWERS.replace("canonical ", "")
    from_zero, from_one, flag = at_least(0), at_least(1), "store_true"
    option(reading, "FILE", "files of grids (standard input, also as -)", dest="files", nargs="*")
    option("generate", "-n --number N", "number of puzzles (1)", type=from_zero, default=1)
    option("generate", "--givens A[-B]", "number of givens, or a range", type=_range)
    option("generate", "--symmetry", "symmetry of the pattern of givens (none)", choices=SYMMETRIES, default="none")
    option("generate", "--minimal", "only puzzles that need each given", action=flag)
    text = f"{', '.join(DIFFICULTIES)}, or points of the hardest step, as 7 or 6-8"
    option("generate", "--rating --difficulty A[-B]", text, type=_rating)
    steps = f"{', '.join(TECHNIQUES)}, the name of a rule, or as 3 truths in 4 links"
    option("generate", "--technique NAME", f"a step that the solution must have: {steps}")
    option("generate", "--pattern FILE", "a grid with givens where puzzles must have them")
    option("generate", "--seed N", "the same seed makes the same puzzles", type=seed)
    option("generate", "--killer", "killers: cages without givens", action=flag)
    option("generate", "--tries N", "end after N puzzles in a row that do not fit", type=from_one)
    option("generate", "--timeout SECONDS", "maximum time", type=seconds)
    option(f"{reading} generate", "--box RxC", "rows and columns of a box (3x3)", type=_box)
    option(f"{reading} generate", "--variant NAMES", "variants, with commas between them")
    option(f"{reading} generate", "--jigsaw FILE", "map of the regions of a jigsaw")
    option(f"{reading} generate", "--rules FILE", "rules, such as cages and thermometers")
    option(reading, "--alphabet SIGNS", "the signs of the digits in order, one for each")
    option(ANSWERS, "--json", "print a JSON object in a line for each grid", action=flag)
    option(ANSWERS, "--jobs N", "read all grids, and share them among N processes (1)", type=jobs)
    fail = "exit with status 1 if a grid has no completion, or 3 after a timeout"
    option(searching, "--fail", fail, action=flag)
    option(f"{searching} watch", "--timeout SECONDS", "maximum time for each grid", type=seconds)
    option("target", "--grid", "print the completion, too", action=flag)
    option(
        "target", "--strategy NAME", f"search strategy: {', '.join(STRATEGIES)} ({DEFAULT})", choices=tuple(STRATEGIES)
    )
    option("target", "--weights FILE", "nine lines of nine whole numbers (6 on the border to 10 in the centre)")
    add_sense(made["target"], "max")
    option("target", "--top K", "list the K best completions, the best one first", type=from_one)
    option("solve", "--all", "print all completions", action=flag)
    option("solve", "--limit N", "print up to N completions", type=from_one)
    option("count", "--limit N", "maximum number to count", type=from_zero)
    option("count", "--merge", "count equal states once (auto)", choices=get_args(Merge), default="auto")
    option("shares", "--svg FILE", "draw each grid with the shares in its blanks", type=picture_name)
    option("steps", "-n --number N", "only the first N steps", type=from_one)
    option("steps", "--svg FILE", "draw the steps; singles among other steps are not drawn", type=picture_name)
    option("count shares", "--memory BYTES", "maximum memory for states, as 1e9 or 100MB (1GiB)", type=memory)
    option("convert", "--to NAME", "the form to write", choices=tuple(WRITERS))
    option("convert", "--drop-candidates", "write the digits only", action=flag)
    option("convert", "-o --output FILE", "file to write (standard output)")
    option("draw", "-o --output FILE", "file to write: .svg or .png, or .html for a sheet")
    option("draw", "--sheet", "one page with all puzzles and their solutions, for printing", action=flag)
    option("watch", "-o --output FILE", "page to write (standard output)", type=page_name)
    option("watch draw", "--title TEXT", "heading of the page", default="")
    option("watch", "--events N", f"maximum number of recorded steps ({EVENTS:,})", type=from_zero, default=EVENTS)
    option("minimise", "--seed N", "order in which givens are tried (0)", type=seed, default=0)
    option("minimise", "--list", "list what is redundant", action=flag)
    several = made["generate"].add_mutually_exclusive_group()
    several.add_argument("--grid", action=flag, help="print boxes")
    several.add_argument("--json", action=flag, help="print a JSON object in a line for each puzzle")
    return parser


def _box(text: str) -> Box:
    match = re.fullmatch("([0-9]{1,9})x([0-9]{1,9})", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form ROWSxCOLUMNS, such as 3x3")
    try:
        return sides_of((int(match[1]), int(match[2])))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no box: a box has 2 to 64 cells") from None


def _range(text: str) -> int | tuple[int, int]:
    """A number, or the least and the most.

    >>> _range("24"), _range("24-28")
    (24, (24, 28))
    """
    match = re.fullmatch("([0-9]{1,9})(?:-([0-9]{1,9}))?", text)
    if not match or int(match[2] or match[1]) < int(match[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is no number, nor two as 24-28, the lesser one first")
    return int(match[1]) if match[2] is None else (int(match[1]), int(match[2]))


def _rating(text: str) -> int | tuple[int, int] | str:
    if text.isalpha() and text not in DIFFICULTIES:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(DIFFICULTIES)}, and no points")
    return text if text in DIFFICULTIES else _range(text)


def _pattern(file: str, layout: Layout) -> Grid:
    """Reads the pattern of a file."""
    with open(file, errors="replace") as stream:
        try:
            return parse(stream.read(), layout)
        except GridError as error:
            raise GridError(file, error.line, error.reason) from None
