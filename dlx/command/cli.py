"""The `dlx` command: counts, lists, draws, classifies, weighs covers of a problem in a file, or tells the reasons."""

from __future__ import annotations

import argparse
import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, NamedTuple, get_args

from dlx.command.about import convert, deduce, estimate, explain, info
from dlx.command.arguments import (
    Parser,
    add_command,
    add_sense,
    add_version,
    at_least,
    begun,
    exit_line,
    file_name,
    fraction,
    jobs,
    memory,
    page_name,
    picture_name,
    seconds,
    seed,
)
from dlx.command.best import best
from dlx.command.console import BAD, Console, conduct, lack_of_memory, need_stdout
from dlx.command.counting import classify, count, sample
from dlx.command.searching import first, solve
from dlx.command.task import RefusedError, Task
from dlx.command.tile import Tilings, add_modes, tile
from dlx.command.watching import watch
from dlx.counting.count import Merge
from dlx.formats import FORMATS, READ, FormatError
from dlx.parallel.errors import CheckpointError
from dlx.search.trace import EVENTS

INPUT = """\
FILE has one of these formats; without FILE, or if it is -, the problem is read from standard input:
  knuth    Knuth's text format with colours, multiplicities and costs (*.dlx, *.xc, *.xcc, *.mcc, *.txt, no suffix)
  orlib    set-partitioning files (*.spp)
  matrix   dense 0/1 matrices (*.csv)
  mps, lp  integer programs that are exact-cover problems (*.mps, *.lp; extra `mip`)
  npz      arrays, which lose nothing (*.npz)
"""

ABOUT = "Exact cover by dancing links: all covers of a problem, how many there are, and the best ones."
EXAMPLES = "count dominoes.dlx; tile 6x10 pentominoes; best costs.dlx"

# For each command its answer in a few words, examples, and the answer in many words, as `add_command` takes them
COMMANDS: dict[Callable[..., int], str] = {
    count: """the number of covers
$ dominoes.dlx; --shares dance.dlx; --json --timeout 10 colours.xcc
output: the number of covers. A count that --timeout, --max-nodes or Ctrl-C stopped is marked, as in "41 unproven".
--merge says which remaining problems are counted once; isomorphic ones are the same up to renaming. --up-to symmetry
counts kinds of covers without listing them (both: extra `symmetry`). --shares prints a line for each option: the number
of covers that have it, their share of all covers, and the option.
""",
    solve: """all covers
$ dance.dlx; --limit 2 --json dominoes.dlx; --svg tilings.svg dominoes.dlx
output: a line for each cover, as it is found: its options, or their names, with " | " between them, in the order of the
file. --json prints an object for each cover, and one about the search. --svg draws the first twelve covers: as tilings
if items are cells by their names, like r2c3, 2,3 or 23, and otherwise as matrices.
""",
    sample: """covers drawn at random
$ dominoes.dlx; -n 3 --seed 7 dominoes.dlx; -n 12 --svg drawn.svg dominoes.dlx
output: a line for each cover, as `dlx solve` prints it. Every cover has the same chance, and one may come again. --json
prints an object for each cover, and one with the number of all covers.
""",
    classify: """one cover of each kind up to symmetry
$ dominoes.dlx; --limit 2 dominoes.dlx; --json dominoes.dlx
output: a line for each kind: how many covers are of that kind, a tab, and one of them as `dlx solve` prints it. Two
covers are of one kind if a symmetry of the problem maps one to the other (extra `symmetry`). --json prints an object
for each kind, and one with the numbers of kinds, covers and symmetries. `dlx count --up-to symmetry` only counts.
""",
    first: """one cover, which restarts may find sooner
$ dance.dlx; --numbers multiplicity.mcc; --svg cover.svg dominoes.dlx
output: one cover in a line, as `dlx solve` prints it. --json prints an object for it, and one about the search.
""",
    best: """the best cover, or the K best ones, by the costs of their options
$ costs.dlx; --max -k 3 costs.dlx; --certificate proof.txt plan.mps
output: a line for each cover, the best one first: its score, a tab, and its options as `dlx solve` prints them. If a
limit stops the search, standard error has the bound on all scores. --json prints an object with the score, the covers,
the bound, and whether they are proven.
""",
    explain: """items that cannot be covered together
$ none.dlx; --json none.dlx; --timeout 10 none.dlx
output: if a problem has no cover, a line for each of some primary items that cannot be covered together, even if the
other items are covered at most once. Without any one of them the rest can, unless a limit came first. If there is a
cover, nothing is printed, and the status is 1. --json prints an object with the items or a cover.
""",
    deduce: """steps of reasoning, without guesses
$ dance.dlx; --limit 1 --json dance.dlx; --truths 6 --rank 2 dance.dlx
output: a line for each step, the easiest first: its kind, truths (items that every cover covers as often as they need),
" in " links (items that no cover covers more often), and the options that are ruled out, as `dlx solve` prints them.
  single         the truth has to have the option that is in
  set, chain     the options that are out would take more of the links than the truths leave
  block          the options that are out would leave the truth too few
  contradiction  the truths have too few options, or need more than the links have room for: there is no cover
--json prints an object for each step, with options numbered from 0, and one at the end: solved, stuck or contradictory.
""",
    estimate: """how large a search for all covers will be
$ dominoes.dlx; --samples 100 --seed 3 dominoes.dlx; --json dance.dlx
output: the nodes of the search tree, the covers, and the seconds of `dlx count`, each with its standard error after
"+-", and the kernel expected to end first. If most of the tree lies behind a branch that few paths take, the estimates
are far too small. In JSON null is unknown, or more than a number can be.
""",
    tile: """a tiling of a board with pieces
$ 6x10 pentominoes; --count 3x20 pentominoes; --each any --svg box.svg box.txt
output: the first tiling: squares in box-drawing characters, cubes layer by layer from the lowest, triangles and
hexagons as letters. Each piece is used once, unless --each or the file of the pieces says a range. --json prints an
object for each tiling, with its pieces and their cells, and one about the search.
""",
    watch: """a page on which the search dances
$ dance.dlx -o dance.html; --best costs.dlx -o best.html; --events 500 dominoes.dlx -o dominoes.html
output: a page for any browser, in one file that needs no network: the matrix, the search tree, the covers, the board if
items are cells, and a player for the steps of the search. With --best the page shows how the bound and the score meet.
""",
    info: """what a problem consists of
$ dance.dlx; --json colours.xcc; --format mps plan.mps
output: a line for each fact: the numbers of items, options and entries, colours, weights, and the kernel that searches.
""",
    convert: """a problem in another format
$ plan.mps -o plan.npz; --to lp costs.dlx; dance.dlx -o dance.cnf
output: the problem in another format: that of --to, or of the suffix of OUT, or Knuth's. If the format cannot represent
the problem, OUT stays as it is. OUT may have the formats of FILE, and one more:
  cnf      clauses for SAT solvers, in DIMACS format, without weights; each model is a cover (*.cnf)
""",
}


class Option(NamedTuple):
    """An option with a value, a flag if its default is False, or an argument without a dash.

    Attributes:
        spelling: as the help has it.
        text: its help.
        type: what makes the value of the text, or the texts that are allowed.
        commands: the commands that take it, if it is no parameter of them, but of the `Task`.
    """

    spelling: str
    text: str
    type: Callable[[str], Any] | tuple[str, ...] = str
    commands: str = ""


OF_A_FILE = "count solve first sample classify best explain deduce estimate watch info convert"
LISTS = "solve first sample classify best deduce"
SEARCHES = "count solve first best tile"

OPTIONS = {  # by the parameters that they set
    "words": Option("PIECES", "as pentominoes, soma, tetromino:LT, 6-hexes, '3-colour squares'"),
    "format": Option("--format", "the format of FILE, if its name does not tell", READ, OF_A_FILE),
    "to": Option("--to", "the format to write", tuple(FORMATS)),
    "output": Option("-o --output OUT", "where to write it (standard output)"),
    "json": Option("--json", "print JSON", bool, f"{LISTS} count explain estimate info tile"),
    "numbers": Option("--numbers", "print options by their numbers in the file, from 1", bool, LISTS),
    # A search and its limits
    "jobs": Option("--jobs N", "search in N pieces at a time (1)", jobs, SEARCHES),
    "checkpoint": Option(
        "--checkpoint FILE", "save the state of the search, and continue from it", file_name, "count best"
    ),
    "limit": Option(
        "--limit N", "stop after N covers, kinds or steps", at_least(0), "count solve classify deduce tile"
    ),
    "timeout": Option(
        "--timeout SECONDS",
        "the most time for the search",
        seconds,
        f"{SEARCHES} sample classify explain deduce estimate watch",
    ),
    "max_nodes": Option(
        "--max-nodes N",
        "stop after N nodes, at the same place on every machine",
        at_least(0),
        "count solve first best explain deduce estimate",
    ),
    "svg": Option(
        "--svg FILE", "draw the covers, twelve of them at most", picture_name, "solve first sample best tile"
    ),
    "seed": Option("--seed N", "search in another order, or draw other covers", seed),
    "memory": Option("--memory BYTES", "the most memory for states, as 1e9 or 100MB (1GiB)", memory),
    # Counts and kinds
    "merge": Option("--merge", "count equal states once (auto)", get_args(Merge)),
    "up_to": Option("--up-to", "count kinds of covers, as `dlx classify` would list them", ("symmetry",)),
    "shares": Option("--shares", "print in how many covers each option is"),
    "n": Option("-n K", "how many covers to draw (1)", at_least(1)),
    "samples": Option("--samples N", "random paths to take (1000)", at_least(2)),
    # Pages
    "page": Option("-o --output FILE", "the page to write (standard output)", page_name),
    "events": Option("--events N", f"the most steps to record ({EVENTS:,}), without --best", at_least(0)),
    # The best cover
    "best": Option("--best", "show the search for the best cover"),
    "k": Option("-k K", "the number of covers (1)", at_least(1)),
    "gap": Option("--gap PART", "stop once no score is better by more than this part (0)", fraction),
    "certificate": Option("--certificate FILE", "write a proof of the answer, for a checker", file_name),
    # Steps of reasoning
    "truths": Option("--truths N", "the most truths of a set (4)", at_least(1)),
    "rank": Option("--rank N", "the most rank of a set, links less truths (1)", at_least(0)),
    "chain": Option("--chain N", "the most truths of a chain (12)", at_least(0)),
    # Boards and pieces
    "pieces": Option("--pieces FILE", "a file with further pieces; then PIECES may be left out"),
    "each": Option("--each RANGE", "how often each piece is used: 1, 1..3 or any (1)"),
    "lattice": Option("--lattice NAME", "square, cube, triangle or hexagon (that of the pieces or the board)"),
    "empty": Option("--empty MARKS", "the marks of cells that may stay empty, or all"),
    "wrap": Option("--wrap", "let edges of the board meet", ("torus", "cylinder")),
    "frame": Option("--frame LABEL", "the label of all sides at the edge of the board"),
    "reflections": Option("--no-reflections", "pieces are only turned"),
    "symmetry": Option(
        "--symmetry",
        "tilings that rotations, or all symmetries, map to each other are one (none)",
        ("rotations", "all", "none"),
    ),
    "weights": Option("--weights FILE", "a number for each option, or one for all"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the `dlx` command.

    Parameters:
        arguments: the command line without the name of the program; without it, that of the process.

    Returns:
        The exit status; `dlx --help` lists them.

    Raises:
        SystemExit: the command line is wrong (status 2), or it asks for help (status 0).

    >>> main(["info", "/dev/null"])
    2
    """
    console = Console("dlx")
    return conduct(console, lambda: _run(console, **vars(_parser().parse_args(arguments))))


def _run(console: Console, command: Callable[..., int], file: str, format: str | None = None, **options: Any) -> int:
    """Runs a command on a problem, and returns the exit status; says what it cannot do."""
    kind = Tilings if command is tile else Task
    of_task = {each.name for each in fields(Task)} & options.keys()
    task = kind(console, file, **{name: options.pop(name) for name in of_task})
    try:
        if not _can_write(task, options):
            return BAD
        if command is not tile:
            task.read(format)
        status = command(task, **options)
        return console.status or status  # not 0 if a file could not be written
    except (RefusedError, FormatError, CheckpointError) as error:
        reason = str(error)
    except (NotImplementedError, OverflowError, ValueError) as error:
        reason = f"{task.file}: {error}"
    except MemoryError as error:
        reason = f"{task.file}: {lack_of_memory(error)}"
    except OSError as error:
        if error.filename is None:  # that of standard output
            raise
        reason = f"{error.filename}: {error.strerror}"
    return console.fail(reason)


def _can_write(task: Task, options: dict[str, Any]) -> bool:
    """Tells whether the files to write can be created, and are no other files of the command; before a long search."""
    answer = next((options[name] for name in ("output", "page") if options.get(name) not in (None, "-")), None)
    written = {"--svg": task.svg, "--certificate": options.get("certificate"), "the output": answer}
    known = {os.path.realpath(task.source): "the problem"}
    if task.checkpoint is not None:
        known[os.path.realpath(task.checkpoint)] = "--checkpoint"
    for option, name in written.items():
        if name is not None and option != "the output" and os.path.realpath(name) in known:
            raise RefusedError(f"{option} {name}: this is the file of {known[os.path.realpath(name)]}")
    if answer is None:
        need_stdout()
    return all(task.console.can_write(name) for name in written.values() if name is not None)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="dlx",
        description=begun("dlx", ABOUT, EXAMPLES),
        epilog=exit_line(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_version(parser)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for function, text in COMMANDS.items():
        before = "" if function is tile else f"{INPUT}\n"
        _add_options(add_command(commands, function.__name__, text, before, exit_line(), command=function), function)
    return parser


def _add_options(parser: Parser, function: Callable[..., int]) -> None:
    """Adds the options of a command: those of its `Task`, and the parameters of its function."""
    command = function.__name__
    if command == "tile":
        parser.add_argument("file", metavar="BOARD", help="a size, as 6x10 or 4x4x4, or a file with a drawing")
    else:
        parser.add_argument("file", metavar="FILE", help="where the problem is", nargs="?", default="-")
    for name, option in OPTIONS.items():
        if command in option.commands.split():
            _add(parser, name, option, False if option.type is bool else None)
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "sense":
            add_sense(parser, "min")
            parser.set_defaults(sense=parameter.default)
        elif name == "mode":
            add_modes(parser)
        elif name in OPTIONS:
            _add(parser, name, OPTIONS[name], parameter.default)


def _add(parser: Parser, name: str, option: Option, default: Any) -> None:
    words = option.spelling.split()
    if words[0][0] != "-":
        parser.add_argument(name, metavar=words[0], help=option.text, nargs="?", default=default)
        return
    settings: dict[str, Any] = {"dest": name, "help": option.text, "default": default}
    if name == "reflections":
        settings["action"] = "store_false"
    elif default is False:
        settings["action"] = "store_true"
    elif isinstance(option.type, tuple):
        settings["choices"] = option.type
    else:
        settings |= {"type": option.type, "metavar": words.pop()}
    parser.add_argument(*words, **settings)
