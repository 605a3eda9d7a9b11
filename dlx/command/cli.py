"""The `dlx` command: counts, lists, draws, classifies, weighs covers of a problem in a file, or tells the reasons."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import get_args

from dlx import command
from dlx.command import answers, tile
from dlx.command.run import Run
from dlx.counting.count import Merge
from dlx.engine.dispatch import KernelName
from dlx.formats import FORMATS, READ
from dlx.search.trace import EVENTS

INPUT = """\
The problem is read from FILE, or from standard input if that is - or missing, in one of these formats:
  knuth    Knuth's text format with colours, multiplicities and costs; that of standard input, of files without a
           suffix, and of *.dlx, *.xc, *.xcc, *.mcc, *.txt
  orlib    set-partitioning files; that of *.spp
  npz      our own, which loses nothing; that of *.npz
  mps      integer programs that are exact-cover problems, in free or fixed form; that of *.mps
"""

ABOUT = "Exact cover by dancing links: all covers of a problem, how many there are, and the best ones."
EXAMPLES = "count dominoes.dlx; tile 6x10 pentominoes; best costs.dlx"

# For each command its answer in a few words, examples, and the answer in many words
COMMANDS = {
    "count": """the number of covers
$ dominoes.dlx; --shares dance.dlx; --json --timeout 10 colours.xcc
output: the number of covers, a whole number of any size; with --limit the number found by then, which is marked after
--timeout, --max-nodes or Ctrl-C, as in "41 unproven". Where searches meet the same remaining problem again and again,
as in tilings, it is counted once (--merge): then numbers of any size come in seconds. With --merge isomorphic what is
the same up to renaming is counted once (extra `symmetry`); --points tells what items are about: of r1c2, r1s7 and c2s7
it is the rows, columns and symbols that match [rcs]\\d+.
With --up-to symmetry the number of kinds of covers, without a list of them: the mean of the covers that each symmetry
keeps (extra `symmetry`).
With --shares a line for each option, in the order of the file: the number of covers that it is in, a tab, their share
of all covers, a tab, and the option as `dlx solve` prints it.
""",
    "solve": """all covers
$ dance.dlx; --limit 2 --json dominoes.dlx; --svg tilings.svg dominoes.dlx
output: a cover in each line, as it is found: its options in the order of the file, with " | " between them, and their
items in the order of the file too (or the options' names, if they have any).
With --json an object for each cover, and one more at the end that tells how many there are and how the search went.
With --first one cover, and no word of others: a search that learns from its conflicts takes turns with the plain one,
which may be lost for ever.
With --svg FILE the covers that are printed, the first twelve of them, are drawn in FILE when the search has ended: as
tilings where items are cells by their names, like r2c3, 2,3 or 23, and otherwise as matrices, of no more than 400
options (or the cover's options alone), 200 items and 10,000 entries.
""",
    "sample": """covers drawn at random
$ dominoes.dlx; -n 3 --seed 7 dominoes.dlx; -n 12 --svg drawn.svg dominoes.dlx
output: a cover in each line, as `dlx solve` prints it, drawn from all covers with the same chance for each; one may
come again. All covers are found first, as a decision diagram: where searches meet the same remaining problem again and
again, as in tilings, that takes seconds for any number of covers. With another --seed other ones are drawn.
With --json an object for each cover, and one more at the end that tells how many there are of all.
""",
    "classify": """one cover of each kind up to symmetry
$ dominoes.dlx; --count dominoes.dlx; --limit 2 --json dominoes.dlx
output: a line for each kind of cover, in the order of the covers: how many covers are of that kind, a tab, and one of
them as `dlx solve` prints it. Two are of one kind if a symmetry of the problem makes one of the other. The symmetries
are found by themselves, by pynauty, which the extra `symmetry` installs.
With --count the numbers of kinds, covers and symmetries instead, a fact in each line.
If the kinds take more than --memory, those found so far are printed, then a message, and the status is 2.
With --json an object for each kind (without --count), and one more at the end with these numbers.
""",
    "first": """one cover, which restarts may find sooner
$ dance.dlx; --numbers multiplicity.mcc; --svg cover.svg dominoes.dlx
output: one cover in a line, as `dlx solve --first` prints it. A search that learns from its conflicts takes turns with
the plain one, which may be lost for ever.
With --json an object for the cover, and one more at the end that tells how the search went. --svg FILE draws it.
""",
    "best": """the best cover, or the K best ones, by the costs of their options
$ costs.dlx; --max -k 3 costs.dlx; --certificate proof.txt plan.mps
output: a line for each cover, the best one first: its score, a tab, and its options as `dlx solve` prints them.
Costs are weights; a problem without any has covers of score 0. What is not proven, since --gap, --timeout or Ctrl-C
stopped the search, is told on standard error, with the bound on all scores, and so is a tolerance that matters.
With --mip HiGHS, which the extra `mip` installs, searches beside it; a proof of its own is told of.
--jobs and --scheduler help where it takes long, and --checkpoint FILE goes on after any end.
With --json an object, with the score, the best covers, the bound, whether they are proven, and by whom; real scores are
compared with the tolerance.
""",
    "explain": """items that cannot be covered together
$ none.dlx; --json none.dlx; --timeout 10 none.dlx
output: of a problem that has no cover, primary items that cannot be covered together, if all others are covered at most
once; each in a line, in the order of the file. Without any one of them the others can, unless a limit came first: then
they are the fewest so far. If there is a cover, nothing is printed, and the status is 1.
With --json an object, with the items or with a cover.
""",
    "deduce": """steps of reasoning, without guesses
$ dance.dlx; --limit 1 --json dance.dlx; --truths 6 --rank 2 dance.dlx
output: a step in each line, the easiest one first: its kind, truths (items, of which every cover has as many options as
they need), " in " links (items, of which no cover has more), and the options that are out, as `dlx solve` prints them.
  single         the truth has to have the option that is in
  set, chain     the options that are out would take more of the links than the truths leave
  block          the options that are out would leave the truth too few
  contradiction  the truths have too few options, or need more than the links have room for: there is no cover
What is stuck is told on standard error. With --json an object for each step, with options numbered from 0, and one more
at the end that tells if the problem is solved, stuck or contradictory. With --watch a page, as of `dlx watch`, with the
steps one by one, so that a class can guess each before it is told.
""",
    "estimate": """how large a search for all covers will be
$ dominoes.dlx; --samples 100 --seed 3 dominoes.dlx; --json dance.dlx
output: the nodes of the search tree, the covers, and the seconds of `dlx count`, each with its standard error after a
"+-"; the kernel by which `dlx count` seems to end, and the states that it will have met if it merges what is the same.
Where most of the tree lies behind a branch that few paths take, nodes and covers are mostly far too small. In JSON null
is unknown, or more than a number can be.
""",
    "tile": """a tiling of a board with pieces
$ 6x10 pentominoes; --count 3x20 pentominoes; --each any --svg box.svg box.txt
output: the first tiling that is found: squares in box-drawing characters, cubes so layer by layer, the lowest first,
triangles and hexagons as letters where the drawing of the board has them. Each piece is used once, unless --each or the
file of the pieces says a range. --all, --count, --kinds, --sample, --best and --watch answer as solve, count, count
--up-to symmetry, sample, best and watch do for a problem. Between tilings there is a blank line; a score is above its
tiling. --svg FILE draws the tilings that are printed, the first twelve of them, in colours.
With --json an object for each tiling, with its pieces and their cells, and one more at the end that tells how many
there are and how the search went.
""",
    "watch": """a page on which the search dances
$ dance.dlx -o dance.html; --best costs.dlx -o best.html; --events 500 --title Dominoes dominoes.dlx -o dominoes.html
output: a page for any browser, in one file that needs no network, on standard output or in the file that -o names: the
matrix with its links, the search tree, the covers, the board where items are cells, and a player for all steps of the
search, as `dlx solve` does it. With --best how the bound and the best score come together, as `dlx best` goes on.
""",
    "info": """what a problem consists of
$ dance.dlx; --json colours.xcc; --format mps plan.mps
output: what the problem consists of, a fact in each line.
""",
    "convert": """a problem in another format
$ plan.mps plan.dlx; --to lp costs.dlx; dance.dlx -o dance.cnf
output: the problem in another format, on standard output or in the file OUT, which then stays untouched if the format
cannot say the problem. Without --to, the suffix of that file decides; otherwise it is Knuth's text format. These are
written for other solvers:
  mps      integer programs (*.mps), which dlx reads, too
  lp       the same as people write them, in the format of CPLEX (*.lp)
  opb      pseudo-Boolean constraints, with whole weights (*.opb)
  cnf      clauses for SAT solvers, in DIMACS format; each model is a cover, and weights are left out (*.cnf)
""",
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
    console = command.Console("dlx")
    return command.conduct(console, lambda: _run(_parser().parse_args(arguments), console).all())


def _run(options: argparse.Namespace, console: command.Console) -> Run:
    return (tile.Tiling if options.command is tile.tile else Run)(options, console)


def _parser() -> argparse.ArgumentParser:
    parser = command.Parser(
        prog="dlx",
        description=command.begun("dlx", ABOUT, EXAMPLES),
        epilog=command.exit_line(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_version(parser)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    made = {}
    for name, text in COMMANDS.items():
        answer = tile.tile if name == "tile" else getattr(answers, name)
        around = "" if name == "tile" else f"{INPUT}\n", command.exit_line()
        made[name] = command.add_command(commands, name, text, *around, command=answer)
    option = command.adder(made)

    reading = "count solve sample classify first best explain deduce estimate watch info"
    option(f"{reading} convert", "FILE", "where the problem is", dest="file", nargs="?", default="-")
    option(reading, "--format", "the format of FILE, if its name does not tell", choices=READ)
    option("convert", "--from --format", "the format of FILE, if its name does not tell", choices=READ, dest="format")
    tile.add_options(made["tile"])

    pieces, from_zero, from_one = "search in N pieces at a time (1)", command.at_least(0), command.at_least(1)
    option("count", "--jobs N", f"{pieces}; with --merge isomorphic, N processes", type=from_one)
    option("solve first tile", "--jobs N", pieces, type=from_one)
    option("classify", "--jobs N", "processes, where it takes long (1)", type=from_one)
    option("count solve first", "--scheduler ADDRESS", "search in pieces, on the workers of dask")
    option("best", "--jobs N", "search N nodes at a time, where it takes long (1)", type=from_one)
    option("classify best", "--scheduler ADDRESS", "search on the workers of dask, where it takes long")
    option("count best", "--checkpoint FILE", "save the state of the search there, and continue from it")
    option("count", "--merge", "count equal states once (auto)", choices=get_args(Merge), default="auto")
    option("count", "--up-to", "count kinds of covers, as `dlx classify` would list them", choices=("symmetry",))
    points = "with --merge isomorphic: what matches in an item's name are the points that it is about"
    option("count", "--points REGEX", points, type=command.pattern)
    option("sample", "--merge", "what is solved once (same)", choices=("same", "isomorphic"), default="same")
    option("count", "--shares", "print in how many covers each option is", action="store_true")
    option("sample", "-n K", "how many covers to draw (1)", type=from_one, default=1)
    states = "to remember states in, as 1e9 or 100MB (1GiB)"
    option("count sample classify", "--memory BYTES", states, type=command.memory)
    option("count solve tile", "--limit N", "stop after N covers", type=from_zero)
    option("classify", "--limit N", "stop after N kinds", type=from_zero)
    option("classify", "--count", "print only how many kinds and covers there are", action="store_true")
    option("count solve first estimate watch", "--kernel", "what searches (auto)", choices=get_args(KernelName))
    limited = "tile count solve first sample classify best explain deduce estimate watch"
    option(limited, "--timeout SECONDS", "the most time for the search", type=command.seconds)
    option("sample", "--seed N", "draw other covers (0)", type=command.seed, default=0)
    told = "the most nodes of the search, for the same end on every machine"
    option("count solve first best explain deduce estimate", "--max-nodes N", told, type=from_zero)
    told = "print options by their numbers in the file, from 1, as the columns of an integer program"
    option("solve first sample classify best deduce", "--numbers", told, action="store_true")
    option(
        "tile count solve first best estimate", "--seed N", "search in another order, drawn from N", type=command.seed
    )
    with_facts = "tile count solve first sample classify best explain deduce estimate info"
    option(with_facts, "--json", "print JSON", action="store_true")
    option("solve", "--first", "print one cover, which restarts may find sooner", action="store_true")
    option("solve", "--every N", "print every N-th cover only", type=from_one, default=1)
    drawing = "draw the covers, twelve of them at most"
    option("tile solve sample best", "--svg FILE", drawing, type=command.picture_name)
    option("first", "--svg FILE", "draw the cover", type=command.picture_name)
    option("best", "-k K", "how many covers, if there are so many (1)", type=from_one, default=1)
    command.add_sense(made["best"], "min")
    command.add_sense(made["watch"], "min")
    option("watch", "--best", "show the search for the best cover", action="store_true")
    option("tile watch deduce", "-o --output FILE", "the page to write (standard output)", type=command.page_name)
    option("watch", "--frames FOLDER", "write a picture of each step there, 0000.svg and so on, and no page")
    option("watch", "--gif FILE", "write these as a film, and no page")
    option("tile watch deduce", "--title TEXT", "its heading (the name of the file)")
    option("tile watch", "--events N", f"the most steps to record ({EVENTS:,}), without --best", type=from_zero)
    enough = "stop once no score is better by more than this part (0)"
    option("best", "--gap PART", enough, type=command.fraction, default=0.0)
    option("best", "--mip", "have HiGHS search beside it (extra mip), for one cover", action="store_true")
    option("best", "--start FILE", "a cover to begin with, as --numbers prints it (- for standard input)")
    option("best", "--certificate FILE", "write a proof of the answer, for a checker of your own")
    option("deduce", "--watch", "write a page with a player for the steps", action="store_true")
    option("deduce", "--limit N", "stop after N steps", type=from_zero)
    option("deduce", "--truths N", "the most truths of a set (4)", type=from_one, default=4)
    option("deduce", "--rank N", "the most rank of a set, links less truths (1)", type=from_zero, default=1)
    option("deduce", "--chain N", "the most truths of a chain (12)", type=from_zero, default=12)
    option("estimate", "--samples N", "random paths to take (1000)", type=command.at_least(2), default=1000)
    option("convert", "--to", "the format to write", choices=tuple(FORMATS))
    option("convert", "OUT", "where to write it (standard output)", dest="target", nargs="?")
    option("convert", "-o --output OUT", "the same")
    made["classify"].set_defaults(found="kind")
    made["deduce"].set_defaults(found="step")
    made["first"].set_defaults(every=1, limit=None)
    made["watch"].set_defaults(sense=None)  # so that it is known whether it was given
    return parser
