"""The `sudoku` command: target sudoku, plain sudoku, and what all completions say, for streams of grids."""

from __future__ import annotations

import argparse
import os
import re
import sys
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
from sudoku.formats.rules import read_jigsaw, read_rules
from sudoku.formats.signs import Alphabet
from sudoku.formats.writing import WRITERS
from sudoku.grid import Grid, GridError
from sudoku.layout import VARIANTS, Box, Layout, Shape, as_layout, sides_of
from sudoku.setting.generating import FEW_TRIES, TRIES, read_pattern
from sudoku.setting.naming import TECHNIQUES
from sudoku.setting.rating import DIFFICULTIES
from sudoku.setting.symmetry import SYMMETRIES
from sudoku.strategies import DEFAULT, STRATEGIES
from sudoku.target import read_weights

EVENTS = 100_000  # of a page, if nothing else is said
MOST_TIES = 1_000_000  # completions of equal score are counted up to here, unless told otherwise

WRITING = ("convert", "watch", "steps")  # the commands whose -o is looked at before a long search

# The commands that answer each grid
ANSWERS = "target solve count shares canonical explain minimise steps rate"

# Older names of commands, and what takes their place
ALIASES = {"hint": ("steps", "-n", "1"), "redundant": ("minimise", "--list")}
GONE = {
    "marks": "sudoku convert --to marks writes the candidates that no given rules out",
    "measure": "sudoku rate has the points of the steps that people take",
}

RULES = f"""\
variants: {", ".join(VARIANTS)};
and samurai, five grids that share corner boxes, alone or with the last three. A file of rules has a line for each:
  cage 15 r1c1 r1c2 r2c1          sums: little-killer 23 r1c1 r2c2; arrow r5c5 r5c6 r5c7; pill r1c1 r1c2 r2c2 r3c2;
                                  sandwich 12 row 3; x-sum 12 row 3 backward; skyscraper 4 column 2; and
                                  quadruple 1,2,2 r1c1 r1c2 r2c1 r2c2
  thermometer r1c1 r2c1 r3c1      lines: slow-thermometer, whisper, white-dot, black-dot, V, X, palindrome, renban,
                                  between, region-sum, clone, odd, even, minimum, maximum; with any number
                                  difference-3, ratio-3, total-7 and whisper-4
  negative X V                    neighbours have what marks say only where one stands
  region cross r4c5 r5c4 r5c6     cells that have no digit twice; clash r1c1=3 r9c9=3: at most one of these holds
  variant x, anti-knight          the same as --variant; grids r1c1 r7c7: several grids, by their first cells
"""

FORMS = """\
grids are read in these forms, mixed as they come (0 . * - _ x ? ~ are blanks):
  rows             nine lines of nine digits, with or without white space, commas, semicolons or tabs between them (with
                   nothing there for a blank), or in groups, or each line in brackets;
  boxed            the same with | or ! between the boxes, rules of - + = between the bands, and perhaps a frame,
                   or drawn with Unicode's lines;
  line             81 characters in a line; a comment may follow after white space, comma or semicolon;
  free             81 numbers in lines of any length, or a line that is wrapped anywhere;
  marks            rows of candidates, such as 127, with a digit where there is one only;
  candidates       729 characters, nine for each cell;
  hodoku           lines of HoDoKu's library;
  csv              a table with a column "puzzle" or "quizzes", and perhaps "solution", which is checked;
  json             lists and texts, one or many; puzzles of f-puzzles, too, and links to these and to SudokuPad;
  killer, jigsaw   lines 3x3::k:..., SumoCueV1..., 81 digits and 81 regions; rows of digits plus walls;
  code             arrays of C, Java, Python and others, or as numpy prints them.
Larger grids have rows of decimal numbers with white space between them, or a line with A for 10, B for 11, and so on;
--alphabet SIGNS names other signs of the digits, such as 0123456789ABCDEF; answers are written with them, too, but by
convert with the usual ones.
From # on is a comment, an empty line ends a grid, or stands between its bands, and a line "end" ends the input.
"""

# For each command what it prints in a few words, examples, and what it prints in many words
COMMANDS = {
    "target": """the best score of a completion, for each grid
$ contest-1.txt; --grid contest-1.txt contest-2.txt; --top 3 contest-1.txt
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
""",
    "solve": """a completion of each grid
$ puzzle.txt; --all contest-1.txt; --timeout 10 --fail puzzle.txt
output, for each grid: a completion in its form (a line for a line, and otherwise a grid of boxes), or
  -1               there is no completion
  unknown          none had been found until the timeout, or Ctrl-C
A grid with several completions gets one of them; with --all all of them, or with --limit N the first N. They stand in
memory until the last one has been found. If a timeout ends the list, its last line is "unproven".
""",
    "count": """the number of completions of each grid
$ contest-1.txt; --limit 2 puzzle.txt; --json --timeout 10 contest-2.txt
output, for each grid:
  32758            the number of completions; with --limit N, N means N or more (--json tells: "exhausted")
  9000 unproven    the number found until the timeout, or Ctrl-C
What is left of a grid is counted once where that pays. With --merge isomorphic, which takes the extra `symmetry`, it is
counted once if it is the same up to renaming: numbers of twenty digits take minutes then, and nothing is known before.
With --up-to symmetry completions are counted once that the symmetries of the grid make of each other, for an empty grid
all of its layout: 2 of 4 x 4, 49 of 6 x 6 with boxes of 2 x 3 (extra `symmetry`; without --limit).
""",
    "shares": """how likely each digit is in each blank, for each grid
$ contest-1.txt; --json puzzle.txt; --svg shares.svg contest-1.txt
output, for each grid: a table with a line for each blank,
     %     1     2  ...
  r2c3  25.0     .  ...    the part of the completions that has each digit there, in per cent; . is none, 100 all
or
  -1               there is no completion
  unknown          not all completions had been found at the timeout, or Ctrl-C
With --json the parts are fractions, of the possible digits of each blank; rows and columns are numbered from 1.
With --svg FILE the first grid is drawn in FILE with the possible digits of each blank, the likelier the bluer; the K-th
grid in a file with -K before the suffix. A grid without completions is not drawn.
""",
    "convert": """all grids in another form
$ --to csv puzzle.txt; contest-1.txt contest-2.txt -o contest.csv; --to fpuzzles --variant x contest-1.txt
output: all grids in one form; --to names it, or the end of the file's name, and otherwise it is "line". The forms are
line, rows, boxed, marks and candidates; csv with one column, "puzzle", json with a list of lists in each line;
fpuzzles, JSON with the rules, too; and sudokupad-link, a link with such an object in it (extra links).
A grid that is malformed, or of which the form cannot represent all, is left out; standard error says what is wrong.
Of candidates that is what --drop-candidates is for.
""",
    "draw": """pictures of all grids
$ puzzle.txt; --rules killer.txt puzzle.txt -o killer.svg; --sheet --title Sudoku puzzle.txt -o sheet.html
output: each grid in boxes of Unicode's lines, and an empty line; or with --output FILE.svg or FILE.png a picture, the
K-th grid in a file with -K before the suffix, counted with those that are malformed, of which none is drawn. PNG takes
the extra pictures. Candidates are drawn small in the blanks. With --sheet one page in HTML has all puzzles, and their
solutions at its end.
""",
    "watch": """pages on which the search for completions dances
$ puzzle.txt -o puzzle.html; --best contest-1.txt -o best.html; --events 2000 -o 2.html contest-2.txt
output: a page for any browser, in one file that needs no network, on standard output or in the file that -o names: the
grid with its candidates, the matrix, the search tree, and a player for all steps of the search for completions. The
K-th grid has its page in a file with -K before the suffix.
""",
    "canonical": """the canonical form of each grid
$ puzzle.txt; contest-1.txt contest-2.txt; --json puzzle.txt
output, for each grid: a line, the same for all grids that are the same but for the order of rows and columns, a turn,
and the names of the digits; `sudoku canonical FILE | sort -u` has one grid of each kind.
Layouts other than 3x3 take the extra `symmetry`, and must have at most 100,000 symmetries.
""",
    "explain": """why each grid has no completion, or several
$ puzzle.txt; --timeout 10 contest-1.txt; --json puzzle.txt
output, for each grid:
  one completion
or
  no completion
    clash r1c2=5 r1c7=5 in row 1           for each pair of givens that a rule forbids
    core r1c2=5 r3c4=1, smallest           givens that have no completion together; without any one of them they have;
                                           it is empty if the rules alone have none
or
  several completions
    differ r4c4 r4c5 r5c4 r5c5             the cells that are not the same in all of them
    extra r4c4=7, smallest                 givens that leave one; without any one of them they would not
or
  unknown                                  nothing had been found out until the timeout, or Ctrl-C
"smallest" stands where it is proven that fewer givens do not do. At a timeout the lines are what had been found by
then, and the first one ends in "unproven".
""",
    "minimise": """each grid without the givens that it does not need
$ puzzle.txt; --seed 3 puzzle.txt; --list --variant x contest-1.txt
output, for each grid: the same grid without the givens that it does not need to have just the completions that it has
(a line for a line, and otherwise a grid of boxes), or
  unknown          not all givens had been tried until the timeout, or Ctrl-C
Givens go in random order, always the same for a --seed. With --list, also as `sudoku redundant`:
  givens r1c2=5 r3c4=1     the givens that can go, each by itself, without another completion; - is none
  agreed 53..7....6..195   the digits that all completions have in the same cells
  rule cage 15 r1c1 r1c2   a line for each rule that can go by itself, as a file of rules has it, but for rules that
                           hold everywhere
""",
    "steps": """the way from each grid to its completion without guesses
$ puzzle.txt; -n 1 puzzle.txt; --svg step.svg puzzle.txt
output, for each grid: the easiest step each time, without guesses, one in each line, such as
  1. hidden single in row 5: 5 of row 5 can only be in r5c1
  2. naked pair in box 9: r7c9 and r8c8 can only have 1 and 5 of box 9, so r7c7 is not 5
and at the end, or with -n N if it comes within N steps,
  solved                                   and so there is just one completion
  stuck, 51 blanks are left                the steps known here do not do
  several completions, 51 blanks are left  no steps can do
  no completion
  unknown                                  the timeout, or Ctrl-C, came first
The candidates are those that no given rules out, or the grid's own pencil marks. `sudoku hint` is `sudoku steps -n 1`.
With --watch there is a page instead, as of `sudoku watch`: a player for the steps, each with its picture and its
sentence, so that a class can guess it before it is told.
""",
    "rate": """how hard each grid is for people
$ puzzle.txt; --json puzzle.txt; contest-1.txt contest-2.txt
output, for each grid: a line
  hardest 7 total 98 steps 61 solved hard  or stuck, several completions, no completion, unproven: until the timeout
the points of the hardest step of `sudoku steps`, of all of them together, and how many there are; and a word for the
hardest step: easy (1 to 3), medium (4 to 6), hard (7 to 9) or expert (from 10 on). A hidden single has 1
point if it is in a box, in another region 2, a naked single 3; other steps have as many as truths and links, and two
more: pointing 4, pairs and X-wings 6, skyscrapers 7, triples 8, XY-wings 9, quads 10, a chain of N truths 2 N + 3.
""",
    "generate": f"""puzzles at random
$ -n 3; --givens 24-28 --symmetry half-turn --grid; --killer --box 2x2 --seed 1
output: a line for each puzzle, or with --grid a grid of boxes and an empty line. Each has one completion.
Of plain sudoku all complete grids have the same chance; of what is left of one, few givens come more often than among
all puzzles. For other layouts the chances of complete grids are not known.

Givens go in random order as long as none is needed, or down to the least of --givens. --minimal leaves out puzzles of
which a given is not needed by itself, as symmetric ones often have. --rating is that of `sudoku rate`: easy, medium,
hard, expert, or the points of the hardest step; --technique and --only take names of `sudoku steps`. --pattern says
which cells have givens: all but . and 0; the fewer, the longer it takes. Rare puzzles take long: the command ends when
--tries puzzles in a row are not what is wanted, {TRIES:,} without it, or {FEW_TRIES:,} of layouts other than 3x3.
In large grids each given needs a proof that the others leave no second completion, the harder the fewer they are:
--box 5x5 needs as many as --givens 400.
With --killer there are no givens: the output is a file of rules for each, cages that cover the grid and have one
completion, which takes some seconds; an empty line stands between two.
""",
}

EXAMPLES = "target contest-1.txt; solve puzzle.txt; generate -n 3"

MANY = """
There is an answer for every grid, in their order. Of one that is malformed, that the strategy cannot do, or for which
there is not enough memory, it is the line "error", or with --json an object with "error"; standard error says what is
wrong.

With --jobs N processes answer, each some grids at a time; their answers come in the order of the grids. On two idle
cores two are 1.5 times as fast as one where a grid takes a millisecond, up to twice where it takes longer, and
no faster where it takes a tenth of that. If a grid kills every process that takes it, the command ends.
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
    """Does what is asked, and returns the exit status; files that cannot be written are told before a long search."""
    file = getattr(options, "svg", None) or (options.output if options.command in WRITING else None)
    if file is not None and not console.can_write(file):
        return console.status
    status: int = options.run(options, console)
    return status


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser, words = _parser(), sys.argv[1:] if arguments is None else arguments
    if words and words[0] in GONE:
        parser.error(f"there is no command {words[0]} any more: {GONE[words[0]]}")
    if words:
        words = [*ALIASES.get(words[0], words[:1]), *words[1:]]
    options = parser.parse_args(words)
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
            Alphabet.of(layout.size, options.alphabet)
        if getattr(options, "pattern", None) is not None:
            options.pattern = _pattern(options.pattern, options.box)
        if options.command == "target":
            _check_target(options, layout.shape)
        if options.command == "generate" and options.killer:
            _check_killer(options)
        if options.command == "steps":
            _check_steps(options)
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
    if options.limit is not None and not options.ties:
        raise ValueError("--limit is for --ties")
    if options.ties and options.limit is None:
        options.limit = MOST_TIES


def _check_killer(options: argparse.Namespace) -> None:
    """Refuses options that tell of givens, which a killer has not."""
    names = ("givens", "minimal", "rating", "technique", "only", "pattern", "tries", "grid", "json")
    wrong = [name for name in names if getattr(options, name)] + ["symmetry"] * (options.symmetry != "none")
    if wrong:
        raise ValueError(f"--{wrong[0]} does not go with --killer, which makes cages and no givens")


def _check_steps(options: argparse.Namespace) -> None:
    """Refuses options that do not go together, and has pages written if they are wanted."""
    for name in ("json", "svg", "jobs", "fail") if options.watch else ("output", "title"):
        if getattr(options, name):
            raise ValueError(f"--{name} {'does not go' if options.watch else 'goes'} with --watch, which writes pages")
    if options.watch:
        options.run = drawing.watch


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
    """Returns the layout that is asked for: rows and columns of a box, or None, if that is all."""
    layout: Box | Layout | None = options.box
    if options.jigsaw is not None:
        if options.box is not None:
            raise ValueError("--box is for grids with rectangular boxes, and --jigsaw for others")
        layout = read_jigsaw(options.jigsaw)
    if options.variant is not None:
        layout = Layout.named(options.variant, layout)
    return layout if options.rules is None else read_rules(options.rules, layout)


def _parser() -> argparse.ArgumentParser:
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
    option = adder(made)

    reading, searching = f"{ANSWERS} convert draw watch", ANSWERS.replace("canonical ", "")
    from_zero, from_one, flag = at_least(0), at_least(1), "store_true"
    option(reading, "FILE", "where the grids are; - or none: standard input", dest="files", nargs="*")
    option("generate", "-n --number N", "how many (1)", type=from_zero, default=1)
    option("generate", "--givens A[-B]", "how many givens, or a range", type=_range)
    option("generate", "--symmetry", "of the pattern of givens (none)", choices=SYMMETRIES, default="none")
    option("generate", "--minimal", "each given by itself is needed", action=flag)
    text = f"{', '.join(DIFFICULTIES)}, or points of the hardest step, or a range of them"
    option("generate", "--rating --difficulty A[-B]", text, type=_rating)
    steps = f"{', '.join(TECHNIQUES)}, the name of a rule, or as 3 truths in 4 links"
    option("generate", "--technique NAME", f"a step that is to be among them: {steps}")
    option("generate", "--only NAMES", "all steps, with commas between them; singles are the first three", type=_names)
    option("generate", "--pattern FILE", "a grid whose givens are where those of the puzzles are to be")
    option("generate", "--seed N", "for the same puzzles each time", type=seed)
    option("generate", "--killer", "cages without givens, as a file of rules", action=flag)
    option("generate", "--tries N", "when to give up", type=from_one)
    option("generate", "--timeout SECONDS", "the most time", type=seconds)
    option(f"{reading} generate", "--box RxC", "rows and columns of a box (3x3)", type=_box)
    option(f"{reading} generate", "--variant NAMES", "variants, with commas between them")
    option(f"{reading} generate", "--jigsaw FILE", "a map of regions that take the place of the boxes")
    option(f"{reading} generate", "--rules FILE", "further rules: cages, thermometers and others")
    option(reading, "--alphabet SIGNS", "the signs of the digits, in order, one for each")
    option(ANSWERS, "--json", "print an object for each grid, in a line of its own", action=flag)
    option(ANSWERS, "--jobs N", "share the grids among N processes (1)", type=jobs)
    option("generate", "--jobs N", "try puzzles, or make killers, in N threads (1)", type=jobs)
    told = "end with status 1 or 3 if a grid has no completion, or a timeout came"
    option(searching, "--fail", told, action=flag)
    option(f"{searching} watch", "--timeout SECONDS", "the most time for each grid", type=seconds)
    option("target", "--grid", "print the completion too", action=flag)
    option("target", "--strategy NAME", f"how to search ({DEFAULT})", choices=tuple(STRATEGIES))
    told = "a file of weights, nine lines of nine whole numbers (without it: 6 on the border to 10 in the centre)"
    option("target", "--weights FILE", told)
    add_sense(made["target"], "max")
    several = made["target"].add_mutually_exclusive_group()
    several.add_argument("--top", type=from_one, metavar="K", help="list the K best completions, the best one first")
    several.add_argument("--ties", action=flag, help="count the completions that share the best score")
    option("target", "--limit N", f"count ties up to N, and no further ({MOST_TIES:,})", type=from_zero)
    option("solve", "--all", "print all completions", action=flag)
    option("solve", "--limit N", "print up to N completions", type=from_one)
    option("count", "--limit N", "count up to N, and no further", type=from_zero)
    option("count", "--up-to", "count completions that are essentially different", choices=("symmetry",))
    option("count", "--merge", "count equal states once (auto)", choices=get_args(Merge), default="auto")
    option("shares", "--svg FILE", "draw each grid with the chances in its blanks", type=picture_name)
    option("steps", "-n --number N", "the first N steps only", type=from_one)
    option("steps", "--svg FILE", "draw the steps, but for the singles among other steps", type=picture_name)
    option("count shares", "--memory BYTES", "the most memory for states, as 1e9 or 100MB (1GiB)", type=memory)
    option("convert", "--to NAME", "the form to write", choices=tuple(WRITERS))
    option("convert", "--drop-candidates", "write the digits only", action=flag)
    option("convert", "-o --output FILE", "where to; without it, standard output")
    option("draw", "-o --output FILE", "a file that ends in .svg or .png, or .html for a sheet")
    option("draw", "--sheet", "one page with all puzzles and their solutions, to print from a browser", action=flag)
    option("watch steps", "-o --output FILE", "the page to write (standard output)", type=page_name)
    option("steps", "--watch", "write a page with a player for the steps", action=flag)
    option("watch", "--best", "show the search for the completion with the largest sum, as of target", action=flag)
    option("watch steps draw", "--title TEXT", "the heading of the page", default="")
    option("watch", "--events N", f"the most steps to record ({EVENTS:,})", type=from_zero, default=EVENTS)
    option("minimise", "--seed N", "for another order of the givens (0)", type=seed, default=0)
    option("minimise", "--list", "list what is redundant", action=flag)
    several = made["generate"].add_mutually_exclusive_group()
    several.add_argument("--grid", action=flag, help="print grids of boxes")
    several.add_argument("--json", action=flag, help="print an object for each puzzle, in a line of its own")
    return parser


def _box(text: str) -> Box:
    match = re.fullmatch("([0-9]{1,9})x([0-9]{1,9})", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form ROWSxCOLUMNS, such as 3x3")
    box = int(match[1]), int(match[2])
    try:
        return sides_of(box)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _range(text: str) -> tuple[int, int]:
    """A number, or the least and the most.

    >>> _range("24"), _range("24-28")
    ((24, 24), (24, 28))
    """
    match = re.fullmatch("([0-9]{1,9})(?:-([0-9]{1,9}))?", text)
    if not match or int(match[2] or match[1]) < int(match[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is no number, nor two as 24-28, the lesser one first")
    return int(match[1]), int(match[2] or match[1])


def _rating(text: str) -> tuple[int, int] | str:
    if text.isalpha() and text not in DIFFICULTIES:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(DIFFICULTIES)}, and no points")
    return text if text in DIFFICULTIES else _range(text)


def _pattern(file: str, layout: Box | Layout | None) -> Grid:
    """Reads the pattern of a file."""
    with open(file, errors="replace") as stream:
        try:
            return read_pattern(stream.read(), as_layout(layout))
        except GridError as error:
            raise GridError(file, error.line, error.reason) from None


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))
