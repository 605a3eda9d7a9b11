"""The `dlx` command: counts, lists, samples, classifies and scores the covers of a problem in a file."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, get_args

from dlx.command import arguments as of
from dlx.command.about import convert, deduce, estimate, explain, info, watch
from dlx.command.answers import best, classify, count, first, sample, solve
from dlx.command.arguments import Parser, add_command, add_sense, add_version, adder, at_least, begun, exit_line
from dlx.command.console import BAD, Console, conduct, lack_of_memory, need_stdout
from dlx.command.task import RefusedError, Task
from dlx.command.texts import with_options
from dlx.command.tile import Tilings, add_modes, tile
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
  npz      arrays of numpy, which keep everything (*.npz)

"""

ABOUT = "Exact cover by dancing links: all covers of a problem, their number, and the best covers."
EXAMPLES = "count dominoes.dlx; tile 6x10 pentominoes; best costs.dlx"

# For each command: a line about its answer, examples, and lines about its output; the `text` of `add_command`
COMMANDS: dict[Callable[..., int], str] = {
    count: """the number of covers
$ dominoes.dlx; --up-to symmetry dominoes.dlx; --json --timeout 10 colours.xcc
output: the number of covers. A count that --timeout, --max-nodes or Ctrl-C stopped is marked, as in "41 unproven".
--merge sets which remaining problems are counted only once: equal ones, or isomorphic ones (equal up to renaming).
--up-to symmetry counts kinds of covers without listing them. It needs the extra `symmetry`, as does --merge isomorphic.
""",
    solve: """all covers
$ dance.dlx; --limit 2 --json dominoes.dlx; --svg tilings.svg dominoes.dlx
output: a line for each cover as soon as it is found: its options or their names, in the order of the file, separated by
" | ". --svg draws the first twelve covers: as tilings if the names of items are cells, such as r2c3, 2,3 or 23,
otherwise as matrices.
""",
    sample: """covers drawn at random
$ dominoes.dlx; -n 3 --seed 7 dominoes.dlx; -n 12 --svg drawn.svg dominoes.dlx
output: a line for each cover, in the form of `dlx solve`. Every cover has the same probability; covers may repeat.
""",
    classify: """one cover of each kind up to symmetry
$ dominoes.dlx; --limit 2 dominoes.dlx; --json dominoes.dlx
output: a line for each kind: the number of its covers, a tab, and one of these covers in the form of `dlx solve`. Two
covers are of the same kind if a symmetry of the problem maps one to the other (extra `symmetry`). `dlx count --up-to
symmetry` only counts the kinds.
""",
    first: """one cover
$ dance.dlx; --numbers multiplicity.mcc; --svg cover.svg dominoes.dlx
output: one cover in a line, in the form of `dlx solve`.
""",
    best: """the best cover, or the K best covers, by the costs of their options
$ costs.dlx; --max -k 3 costs.dlx; --certificate proof.txt plan.mps
output: a line for each cover, the best first: its score, a tab, and its options in the form of `dlx solve`. If a limit
stops the search, stderr has the bound on all scores.
""",
    explain: """items that cannot be covered together
$ none.dlx; --json none.dlx; --timeout 10 none.dlx
output: if there is no cover, some primary items, one in each line, that cannot be covered together, even if all other
items may stay uncovered. Without any one of these items, the others can be covered; after a limit, some may be
unnecessary. If there is a cover, nothing is printed, and the status is 1.
""",
    deduce: """steps of reasoning, without guesses
$ dance.dlx; --limit 1 --json dance.dlx; --numbers dance.dlx
output: a line for each step, the easiest first: its kind, its truths (items that must be covered), " in " its links
(items that are covered at most once), and the options that are ruled out. docs/reasoning.md explains the kinds.
""",
    estimate: """the expected size of a search for all covers
$ dominoes.dlx; --samples 100 --seed 3 dominoes.dlx; --json dance.dlx
output: the nodes of the search tree, the covers, and the seconds of `dlx count`, each with its standard error after
"+-", and the kernel that is expected to end first. If most of the tree is below a branch that few paths take, the
estimates are far too small. In JSON, null means that a number is unknown or too large.
""",
    tile: """a tiling of a board with pieces
$ 6x10 pentominoes; --count 3x20 pentominoes; --each any --svg box.svg box.txt
output: the first tiling: squares in box-drawing characters, cubes layer by layer from the lowest, triangles and
hexagons as letters. Each piece is used once, unless --each or the file of the pieces has a range.
""",
    watch: """a page that plays the search
$ dance.dlx -o dance.html; --best costs.dlx -o best.html; --events 500 dominoes.dlx -o dominoes.html
output: a page for any browser, in one file that needs no network: the matrix, the search tree, the covers, the board if
items are cells, and a player for the steps. With --best, the page shows how bound and score approach each other.
""",
    info: """the numbers of items and options of a problem
$ dance.dlx; --json colours.xcc; --format mps plan.mps
output: a line for each fact: the numbers of items, options and entries, colours, weights, and the kernel that searches.
""",
    convert: """a problem in another format
$ plan.mps -o plan.npz; --to lp dance.dlx; dance.dlx -o dance.cnf
output: the problem in the format of --to, or of the suffix of OUT; default: Knuth's format. If the format cannot
represent the problem, OUT is not changed. OUT may have the formats of FILE, and one more:
  cnf      clauses for SAT solvers, in DIMACS format, without weights; each model is a cover (*.cnf)
""",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the `dlx` command with the given arguments (default: of the process), and returns the exit status.

    Raises SystemExit for a wrong command line (status 2), and after help (status 0).
    """
    console = Console("dlx")
    return conduct(console, lambda: _run(console, **vars(_parser().parse_args(arguments))))


def _run(console: Console, run: Callable[..., int], file: str, format: str | None = None, **given: Any) -> int:
    """Runs a command on a problem; prints errors, and returns the exit status."""
    options = {name: value for name, value in given.items() if value is not None}
    of_task = {each.name for each in fields(Task)} & options.keys()
    task = (Tilings if run is tile else Task)(console, file, **{name: options.pop(name) for name in of_task})
    try:
        if not _can_write(task, options):
            return BAD
        if run is not tile:
            task.read(format)
        status = run(task, **options)
        return console.status or status  # not 0 if writing a file failed
    except (RefusedError, FormatError, CheckpointError) as error:
        reason = str(error)
    except (NotImplementedError, OverflowError, ValueError) as error:
        reason = f"{task.file}: {with_options(str(error))}"
    except MemoryError as error:
        reason = f"{task.file}: {lack_of_memory(error)}"
    except OSError as error:
        if error.filename is None:  # an error of standard output
            raise
        reason = f"{error.filename}: {error.strerror}"
    return console.fail(reason)


def _can_write(task: Task, options: dict[str, Any]) -> bool:
    """Returns, before a long search, whether the output files can be written; refuses files that the command reads."""
    read = (task.source, task.checkpoint, options.get("pieces"), options.get("weights"))
    written = [name for name in (task.svg, options.get("certificate"), options.get("page")) if name not in (None, "-")]
    kept = {os.path.realpath(name) for name in read if name not in (None, "-")}
    for name in written:
        if os.path.realpath(name) in kept:
            raise RefusedError(f"{name}: the command reads this file; name another one")
    answer = options.get("output", options.get("page", "-"))  # `convert` may replace its input file
    if answer == "-":
        need_stdout()
    return all(map(task.console.can_write, [*written, *([] if answer == "-" else [answer])]))


def _parser() -> argparse.ArgumentParser:
    """Returns the parser; a missing option is None, or False for a flag."""
    parser = Parser(
        prog="dlx",
        description=begun("dlx", ABOUT, EXAMPLES),
        epilog=exit_line(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_version(parser)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    made = {
        run.__name__: add_command(commands, run.__name__, text, INPUT if run is not tile else "", exit_line(), run=run)
        for run, text in COMMANDS.items()
    }
    option = adder(made)
    of_a_file = "count solve first sample classify best explain deduce estimate watch info convert"
    lists = "solve first sample classify best deduce"
    searches = "count solve first best tile"
    flag, from_zero, from_one = "store_true", at_least(0), at_least(1)

    option(of_a_file, "file FILE", "the file with the problem", nargs="?", default="-")
    option("tile", "file BOARD", "a size such as 6x10, 4x4x4 or 'hexagon 3', or a file with a drawing")
    option("tile", "words PIECES", "such as pentominoes, soma, tetromino:LT, 6-hexes, '3-colour squares'", nargs="?")
    option(of_a_file, "--format", "the format of FILE (default: by its suffix)", choices=READ)
    option("convert", "--to", "the format to write", choices=tuple(FORMATS))
    option("convert", "-o --output OUT", "the file to write (standard output)")
    json = "print JSON: an object for each cover, kind or step, and an object about the search"
    option(f"{lists} count explain estimate info tile", "--json", json, action=flag)
    option(lists, "--numbers", "print options by their numbers in the file, counted from 1", action=flag)

    option(
        f"{searches} sample classify explain deduce estimate watch",
        "--timeout SECONDS",
        "maximum time for the search",
        type=of.seconds,
    )
    at_a_place = "stop after N nodes, at the same place on every machine"
    option("count solve first best explain deduce estimate", "--max-nodes N", at_a_place, type=from_zero)
    option("count solve classify deduce tile", "--limit N", "stop after N covers, kinds or steps", type=from_zero)
    option(searches, "--jobs N", "number of processors to use (1)", type=of.jobs)
    kept = "save the state of the search, and continue from it"
    option("count best", "--checkpoint FILE", kept, type=of.file_name)
    option("solve first best tile", "--seed N", "random seed for the order of the search", type=of.seed)
    option("sample estimate", "--seed N", "random seed (0)", type=of.seed)
    option("count sample classify", "--memory BYTES", "maximum memory for states: 1e9, 100MB (1GiB)", type=of.memory)
    drawn = "draw the covers, twelve of them at most"
    option("solve first sample best tile", "--svg FILE", drawn, type=of.picture_name)

    option("count", "--merge", "count equal states once (auto)", choices=get_args(Merge))
    option("count", "--up-to", "count kinds of covers, as `dlx classify` would list them", choices=("symmetry",))
    option("sample", "-n K", "how many covers to draw (1)", type=from_one)
    option("estimate", "--samples N", "random paths to take (1000)", type=at_least(2))
    option("watch", "--best", "show the search for the best cover; implied by --min and --max", action=flag)
    option("best", "-k K", "the number of covers (1)", type=from_one)
    option("best", "--gap PART", "stop when no score can be better by more than this fraction (0)", type=of.fraction)
    option("best convert", "--weights FILE", "a file of costs: a number for each option, or one for all")
    option("best", "--certificate FILE", "write a proof of the answer", type=of.file_name)
    for name in ("best", "watch"):
        add_sense(made[name], "min", ", unless a file is to be maximised")
        made[name].set_defaults(sense=None)

    add_modes(made["tile"])
    option("watch tile", "-o --output FILE", "the page to write (standard output)", dest="page", type=of.page_name)
    option("watch", "--events N", f"maximum number of recorded steps ({EVENTS:,})", type=from_zero)
    option("tile", "--pieces FILE", "a file with further pieces; then PIECES may be left out")
    option("tile", "--each RANGE", "how often each piece is used: 1, 1..3 or any (1)")
    option("tile", "--empty MARKS", "the marks of cells that may stay empty, or all")
    option("tile", "--frame LABEL", "the label of all sides at the edge of the board")
    turned: dict[str, Any] = {"dest": "orientations", "action": "store_const", "const": "one-sided"}
    option("tile", "--no-reflections", "pieces are only turned", **turned)
    alike = "count and list tilings up to rotations, or up to all symmetries (none)"
    option("tile", "--symmetry", alike, choices=("rotations", "all", "none"))
    return parser
