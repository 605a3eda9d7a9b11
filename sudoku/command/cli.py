"""The `sudoku` command: its arguments, and its help."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, get_args

from dlx import LostPieceError
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
from sudoku.command import answers, drawing, making
from sudoku.command.reading import Source
from sudoku.command.stream import Stream
from sudoku.formats.rules import read_jigsaw, read_rules
from sudoku.formats.signs import Signs
from sudoku.formats.writing import WRITERS
from sudoku.grid import Grid, GridError
from sudoku.layout import VARIANTS, Box, Layout, as_layout, sides_of
from sudoku.rules import FAMILIES, LINES
from sudoku.setting.generating import FEW_TRIES, SYMMETRIES, TRIES, read_pattern
from sudoku.setting.rating import DIFFICULTIES
from sudoku.setting.techniques import TECHNIQUES
from sudoku.strategies import STRATEGIES
from sudoku.target import read_weights

RULES = f"""\
variants: {", ".join(VARIANTS)};
and samurai, five grids that share corner boxes. A file of rules has one rule in each line:
  cage 15 r1c1 r1c2 r2c1          a sum; other clues: little-killer 23 r1c1 r2c2; arrow r5c5 r5c6 r5c7;
                                  pill r1c1 r1c2 r2c2; sandwich 12 row 3; x-sum 12 row 3 backward;
                                  skyscraper 4 column 2; quadruple 1,2,2 r1c1 r1c2 r2c1 r2c2
  thermometer r1c1 r2c1 r3c1      a line: {", ".join(list(LINES)[:8])},
                                  {", ".join(list(LINES)[8:])};
                                  with a number {", ".join(f"{name}-3" for name in FAMILIES)}
  negative X V                    no neighbours without a mark sum to 10 or to 5
  region cross r4c5 r5c4 r5c6     cells without a repeated digit
  grids r1c1 r7c7                 several grids, by their first cells; must come before `variant`
  variant x, anti-knight          the same as --variant; samurai comes first
"""

FORMS = """\
A file may mix grids of all forms (docs/forms.md); 0 . * - _ x ? ~ are blanks,
the same sign in all of a grid:
  line, free       81 characters, alone, in a column of a table, or wrapped; or 81 numbers
  rows, boxed      nine lines of nine cells, with or without separators, bars and rules
  marks            rows of candidates, such as 127; candidates: nine characters for each cell; hodoku: lines of HoDoKu
  json, code       lists and objects of JSON, f-puzzles and links with them; arrays of a programming language
  killer, jigsaw   3x3::k:..., SumoCueV1..., or 81 digits and 81 regions
Rows of larger grids have decimal numbers, or letters: A is 10. --alphabet names other signs, such as 0123456789ABCDEF.
# starts a comment, an empty line ends a grid or a band, and a line "end" ends the input.
"""

# For each command a summary, examples, and a description of the output, as `add_command` takes them
COMMANDS: dict[Callable[..., Any], str] = {
    answers.target: """the best score of a completion, for each grid
$ contest-1.txt; --grid contest-1.txt contest-2.txt; --min contest-1.txt
output, for each grid:
  2829             the best score
  2871 unproven    the best score found before the timeout or Ctrl-C
--grid adds the completion in boxes.
""",
    answers.solve: """a completion of each grid
$ puzzle.txt; --all contest-1.txt; --timeout 10 --fail puzzle.txt
output, for each grid: a completion in the form of the grid (a line, or boxes).
--all prints every completion as it is found, and --limit N the first N. If a timeout or Ctrl-C ends the list, its last
line is "unproven". --json prints an object for each completion, then one with their number.
""",
    answers.count: """the number of completions of each grid
$ contest-1.txt; --limit 2 puzzle.txt; --json --timeout 10 contest-2.txt
output, for each grid:
  32758            the number of completions; with --limit N, N means N or more
  9000 unproven    the number found before the timeout or Ctrl-C
--merge isomorphic counts states that differ only by renaming once (extra symmetry): numbers of twenty digits take
minutes.
""",
    answers.shares: """how likely each digit is in each blank, for each grid
$ contest-1.txt; --json puzzle.txt; --svg shares.svg contest-1.txt
output, for each grid: a table with a line for each blank, with the percentage of completions with each digit there:
     %     1     2  ...
  r2c3  25.0     .  ...    . is a digit that cannot be there
--json has fractions.
""",
    drawing.convert: """all grids in another form
$ --to csv puzzle.txt; contest-1.txt contest-2.txt -o contest.csv; --to fpuzzles --variant x contest-1.txt
output: all grids in the form of --to, or of the suffix of the output file: .csv, .json, .txt or .sdm ("line"). The
forms are line, rows, boxed, marks, candidates; csv, with a column "puzzle"; json, a list of lists in each line;
fpuzzles, JSON with the rules; and sudokupad-link, a link with that JSON (extra links). A grid that the form cannot
represent is skipped, and a message says why.
--drop-candidates writes the digits of grids with candidates.
""",
    drawing.draw: """pictures of all grids
$ puzzle.txt; --rules killer.txt puzzle.txt -o killer.svg; --sheet puzzle.txt -o sheet.html
output: each grid in boxes of Unicode's lines. With -o FILE.svg or FILE.png (extra pictures) each grid is a picture.
--sheet, or -o FILE.html, makes one page to print, with all puzzles, and their solutions at the end.
""",
    drawing.watch: """pages that play the search for completions
$ puzzle.txt -o puzzle.html; --events 200 puzzle.txt -o page.html; --variant x puzzle.txt -o x.html
output: a page in HTML with the grid, the matrix, the search tree, and a player for the steps of the search.
""",
    answers.canonical: """the canonical form of each grid
$ puzzle.txt; contest-1.txt contest-2.txt; --json puzzle.txt
output, for each grid: its canonical form. Grids have the same form if a symmetry of the layout and a renaming of the
digits turn one into the other: `sudoku canonical FILE | sort -u` prints one grid of each class. A grid whose text has
regions of its own is printed as f-puzzles JSON, which keeps them; rules that are not regions are refused. Layouts other
than 3x3 need the extra symmetry, and have at most 100,000 symmetries.
""",
    answers.explain: """why each grid has no completion, or several
$ puzzle.txt; --timeout 10 contest-1.txt; --json puzzle.txt
output, for each grid: one completion, or
  no completion        clash r1c2=5 r1c7=5 in row 1   each pair of givens that a rule forbids
                       core r1c2=5 r3c4=1             a minimal set of givens without a common completion
  several completions  differ r4c4 r4c5 r5c4 r5c5     the cells in which the completions differ
                       extra r4c4=7                   a minimal set of digits that leave one completion
After a timeout the first line ends in "unproven".
""",
    answers.minimise: """each grid without the givens that it does not need
$ puzzle.txt; --seed 3 puzzle.txt; --list --variant x contest-1.txt
output, for each grid: the grid without redundant givens, with the same completions. A grid whose text has regions or
other rules is printed as f-puzzles JSON, which keeps them.
--list (also `sudoku redundant`) prints instead:
  givens r1c2=5 r3c4=1     each given that can be removed by itself; - if there is none
""",
    answers.steps: """the steps to each completion, without guesses
$ puzzle.txt; -n 1 puzzle.txt; --svg step.svg puzzle.txt
output, for each grid: a line for each step, always the easiest one, such as
  1. hidden single in row 5: 5 of row 5 can only be in r5c1
The last line is one of
  solved
  stuck, 51 blanks are left                  no known step applies
  several completions, 51 blanks are left
  no completion
  unknown                                    after a timeout
`sudoku hint` is `sudoku steps -n 1`.
""",
    answers.rate: """how hard each grid is for people
$ puzzle.txt; --json puzzle.txt; contest-1.txt contest-2.txt
output, for each grid: the points of the hardest step, the sum over all steps, their number, and the difficulty:
  hardest 7 total 98 steps 61 solved hard
Other lines end in: stuck, several completions, no completion, or unproven (after a timeout).
The hardest step makes a grid easy (1 to 3), medium (4 to 6), hard (7 to 9) or expert (10 and more). docs/reasoning.md
has the points of all steps.
""",
    making.generate: f"""puzzles at random
$ -n 3; --givens 24-28 --symmetry half-turn; --killer --box 2x2 --seed 1
output: a line for each puzzle, or boxes with --grid. A puzzle has one completion. Complete grids of plain sudoku are
drawn uniformly. Givens are removed in random order; a given stays if the puzzle would have several completions without
it. --givens sets a minimum. --pattern marks the cells with givens: any sign except . and 0. --technique takes a name of
`sudoku steps`. The command ends after --tries puzzles in a row that do not fit ({TRIES:,}; {FEW_TRIES:,} for layouts
other than 3x3).
--killer prints puzzles with cages and no givens, each as a line of JSON (f-puzzles), which all commands read.
""",
}

# The commands that answer each grid, and those whose exit status --fail changes
ANSWERS = tuple(run for run in COMMANDS if run.__module__ == answers.__name__)
FAILS = "target solve count shares explain steps rate"

# Other names of commands
ALIASES = {"hint": ("steps", "-n", "1"), "redundant": ("minimise", "--list")}

EXAMPLES = "target contest-1.txt; solve puzzle.txt; generate -n 3"

MANY = """
Each grid has one answer, in the order of the input. Instead of the output above the answer may be:
  -1               there is no completion
  unknown          nothing was found before the timeout or Ctrl-C
  error            the grid cannot be read or answered; a message says why, and with --json an object with "error"
--jobs N reads all grids and shares them among N processes.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the `sudoku` command, and returns its exit status; SystemExit if the command line is wrong or asks for help.

    >>> main(["count", "--box", "2x2", "/dev/null"])
    0
    """
    console = Console("sudoku")
    words = [*(sys.argv[1:] if arguments is None else arguments)]
    name = words[0] if words else ""
    _, *options = ALIASES.get(name, ("",))
    words[1:1] = options
    return conduct(console, lambda: _run(console, **vars(_parser(name).parse_args(words))))


def _run(
    console: Console,
    run: Callable[..., Any],
    files: Sequence[str] = (),
    alphabet: str | None = None,
    box: Box | None = None,
    variant: str | None = None,
    jigsaw: str | None = None,
    rules: str | None = None,
    **given: Any,
) -> int:
    """Runs a command and returns the exit status; checks the output files before a long search."""
    options = {name: value for name, value in given.items() if value is not None and value is not False}
    try:
        layout = _layout(box, variant, jigsaw, rules)
        if alphabet is not None:
            Signs.of(as_layout(layout), alphabet)
        source = Source(console, files, layout, alphabet)
        if not _can_write(source, options):
            return console.status
        if "weights" in options:
            options["weights"] = read_weights(options["weights"], as_layout(layout).shape)
        if "pattern" in options:
            options["pattern"] = _pattern(options["pattern"], as_layout(layout))
        with warnings.catch_warnings():
            warnings.simplefilter("once", UserWarning)  # once for each text
            warnings.showwarning = lambda message, *_: console.say(str(message))
            if run in ANSWERS:
                return Stream(source, run, options).run()
            status: int = run(source, **options)
            return status
    except (ValueError, LostPieceError) as error:
        return console.fail(str(error))
    except OSError as error:
        if error.filename is None:  # that of standard output
            raise
        return console.fail(f"{error.filename}: {error.strerror}")


def _layout(box: Box | None, variant: str | None, jigsaw: str | None, rules: str | None) -> Layout | None:
    """Returns the layout that the options choose, or None."""
    layout = None if box is None else as_layout(box)
    if jigsaw is not None:
        if box is not None:
            raise ValueError("--box and --jigsaw exclude each other")
        layout = read_jigsaw(jigsaw)
    if variant is not None:
        layout = Layout.named(variant, layout)
    return layout if rules is None else read_rules(rules, layout)


def _can_write(source: Source, options: dict[str, Any]) -> bool:
    """Returns whether the file of -o or --svg can be written; ValueError if the command reads it."""
    if options.get("output") == "-":  # standard output
        del options["output"]
    name = options.get("output", options.get("svg"))
    if name is None:
        return True
    if source.reads(name):
        raise ValueError(f"{name}: the command reads this file; name another one")
    return source.console.can_write(name)


def _parser(given: str = "") -> argparse.ArgumentParser:
    """Returns the parser; if the first word is an alias, the alias replaces the command's name in the help."""
    other = {ALIASES[given][0]: given} if given in ALIASES else {}
    parser = Parser(
        prog="sudoku",
        description=begun("sudoku", "Solves target sudoku and plain sudoku as exact cover.", EXAMPLES),
        epilog=f"{MANY}{exit_line('--fail')}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_version(parser)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    made = {}
    for run, text in COMMANDS.items():
        fails = "--fail" if run.__name__ in FAILS.split() else None
        before = f"{RULES}\n" if run is making.generate else f"{FORMS}\n{RULES}\n"
        after = f"{MANY}{exit_line(fails)}" if run in ANSWERS else exit_line("" if run is making.generate else None)
        made[run.__name__] = add_command(commands, other.get(run.__name__, run.__name__), text, before, after, run=run)
    option = adder(made)
    answering = " ".join(run.__name__ for run in ANSWERS)
    reading = f"{answering} convert draw watch"
    searching = answering.replace("canonical ", "")
    from_zero, from_one, flag = at_least(0), at_least(1), "store_true"

    option(reading, "FILE", "files of grids (standard input, also as -)", dest="files", nargs="*")
    option(f"{reading} generate", "--box RxC", "rows and columns of a box (3x3)", type=_box)
    option(f"{reading} generate", "--variant NAMES", "variants, with commas between them")
    option(f"{reading} generate", "--jigsaw FILE", "map of the regions of a jigsaw")
    option(f"{reading} generate", "--rules FILE", "rules, such as cages and thermometers")
    option(reading, "--alphabet SIGNS", "the signs of the digits in order, one for each")
    option(answering, "--json", "print a JSON object in a line for each grid", action=flag)
    option(answering, "--jobs N", "read all grids, and share them among N processes (1)", type=jobs)
    fail = "exit with status 1 if a grid has no completion, or 3 after a timeout"
    option(FAILS, "--fail", fail, action=flag)
    option(f"{searching} watch", "--timeout SECONDS", "maximum time for each grid", type=seconds)

    option("target", "--grid", "print the completion, too", action=flag)
    option("target", "--weights FILE", "nine lines of nine whole numbers (6 on the border to 10 in the centre)")
    add_sense(made["target"], "max")
    text = f"search strategy: {', '.join(STRATEGIES)} (default: by the number of completions)"
    option("target", "--strategy NAME", text, choices=tuple(STRATEGIES))
    option("solve", "--all", "print all completions", action=flag)
    option("solve", "--limit N", "print up to N completions", type=from_one)
    option("count", "--limit N", "stop counting at N", type=from_zero)
    option("count", "--merge", "count equal states once (auto)", choices=get_args(Merge))
    option("count shares", "--memory BYTES", "maximum memory for states, such as 1e9 or 100MB (1GiB)", type=memory)
    option("shares", "--svg FILE", "draw each grid with the shares in its blanks", type=picture_name)
    option("steps", "--svg FILE", "draw the steps; singles among other steps are not drawn", type=picture_name)
    option("steps", "-n N", "only the first N steps", type=from_one)
    option("minimise", "--seed N", "order in which givens are tried (0)", type=seed)
    option("minimise", "--list", "list what is redundant", action=flag)
    option("convert", "--to NAME", "the form to write", choices=tuple(WRITERS))
    option("convert", "--drop-candidates", "write the digits only", action=flag)
    option("convert", "-o --output FILE", "file to write (standard output)")
    option("draw", "-o --output FILE", "file to write: .svg or .png, or .html for one page of all grids", type=_drawing)
    option("draw", "--sheet", "one page with all puzzles and their solutions, for printing", action=flag)
    option("draw", "--title TITLE", "heading of the sheet (Sudoku)")
    option("watch", "-o --output FILE", "page to write (standard output)", type=page_name)
    option("watch", "--events N", f"maximum number of recorded steps ({drawing.EVENTS:,})", type=from_zero)

    option("generate", "-n N", "number of puzzles (1)", type=from_zero)
    option("generate", "--givens A[-B]", "number of givens, or a range", type=_range)
    option("generate", "--symmetry", "symmetry of the pattern of givens (none)", choices=SYMMETRIES)
    option("generate", "--minimal", "only puzzles that need each given", action=flag)
    text = f"{', '.join(DIFFICULTIES)}, or points of the hardest step, as 7 or 6-8"
    option("generate", "--rating A[-B]", text, type=_rating)
    steps = f"{', '.join(TECHNIQUES)}, the name of a rule, or numbers of truths and links, as 3 truths in 4 links"
    option("generate", "--technique NAME", f"a step that the solution must have: {steps}")
    option("generate", "--pattern FILE", "a grid with givens where puzzles must have them")
    option("generate", "--seed N", "the same seed makes the same puzzles", type=seed)
    option("generate", "--killer", "killers: cages without givens", action=flag)
    option("generate", "--json", "print a JSON object in a line for each puzzle", action=flag)
    option("generate", "--grid", "print each puzzle in boxes", action=flag)
    option("generate", "--tries N", "end after N puzzles in a row that do not fit", type=from_one)
    option("generate", "--timeout SECONDS", "maximum time", type=seconds)
    return parser


def _drawing(text: str) -> str:
    """The type of an argument for the name of a picture or a page."""
    if text != "-" and not text.endswith((".svg", ".png", ".html")):
        raise argparse.ArgumentTypeError(f"{text!r} ends neither in .svg nor in .png nor in .html")
    return text


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
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor a range such as 24-28")
    return int(match[1]) if match[2] is None else (int(match[1]), int(match[2]))


def _rating(text: str) -> int | tuple[int, int] | str:
    if text.isalpha() and text not in DIFFICULTIES:
        raise argparse.ArgumentTypeError(f"{text!r} is neither points nor one of {', '.join(DIFFICULTIES)}")
    return text if text in DIFFICULTIES else _range(text)


def _pattern(file: str, layout: Layout) -> Grid:
    """Reads the pattern of a file."""
    with open(file, errors="replace") as stream:
        try:
            return read_pattern(stream.read(), layout)
        except GridError as error:
            raise GridError(file, error.line, error.reason) from None
