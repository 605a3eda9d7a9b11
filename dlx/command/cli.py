"""The `dlx` command: counts, lists, draws, classifies, weighs covers of a problem in a file, or tells the reasons."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from typing import Any

from dlx.command import (
    BAD,
    Console,
    Parser,
    add_command,
    add_version,
    begun,
    broken_executor,
    conduct,
    exit_line,
    lack_of_memory,
    need_stdout,
)
from dlx.command.about import convert, estimate, explain, info
from dlx.command.best import best
from dlx.command.counting import classify, count, sample
from dlx.command.options import add_options
from dlx.command.searching import first, solve
from dlx.command.steps import deduce
from dlx.command.task import RefusedError, Task
from dlx.command.tile import tile
from dlx.command.watching import watch
from dlx.formats import FormatError
from dlx.parallel.errors import CheckpointError, LostPieceError, NoWorkersError
from dlx.problem.checks import ProblemError

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

# For each command its answer in a few words, examples, and the answer in many words; `add_command` takes them apart
COMMANDS: dict[Callable[..., int], str] = {
    count: """the number of covers
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
    solve: """all covers
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
    sample: """covers drawn at random
$ dominoes.dlx; -n 3 --seed 7 dominoes.dlx; -n 12 --svg drawn.svg dominoes.dlx
output: a cover in each line, as `dlx solve` prints it, drawn from all covers with the same chance for each; one may
come again. All covers are found first, as a decision diagram: where searches meet the same remaining problem again and
again, as in tilings, that takes seconds for any number of covers. With another --seed other ones are drawn.
With --json an object for each cover, and one more at the end that tells how many there are of all.
""",
    classify: """one cover of each kind up to symmetry
$ dominoes.dlx; --count dominoes.dlx; --limit 2 --json dominoes.dlx
output: a line for each kind of cover, in the order of the covers: how many covers are of that kind, a tab, and one of
them as `dlx solve` prints it. Two are of one kind if a symmetry of the problem makes one of the other. The symmetries
are found by themselves, by pynauty, which the extra `symmetry` installs. If there are more than a thousand, --points
makes it faster, as for `dlx count`.
With --count the numbers of kinds, covers and symmetries instead, a fact in each line.
If the kinds take more than --memory, those found so far are printed, then a message, and the status is 2.
With --json an object for each kind (without --count), and one more at the end with these numbers.
""",
    first: """one cover, which restarts may find sooner
$ dance.dlx; --numbers multiplicity.mcc; --svg cover.svg dominoes.dlx
output: one cover in a line, as `dlx solve --first` prints it. A search that learns from its conflicts takes turns with
the plain one, which may be lost for ever.
With --json an object for the cover, and one more at the end that tells how the search went. --svg FILE draws it.
""",
    best: """the best cover, or the K best ones, by the costs of their options
$ costs.dlx; --max -k 3 costs.dlx; --certificate proof.txt plan.mps
output: a line for each cover, the best one first: its score, a tab, and its options as `dlx solve` prints them.
Costs are weights; a problem without any has covers of score 0. What is not proven, since --gap, --timeout or Ctrl-C
stopped the search, is told on standard error, with the bound on all scores, and so is a tolerance that matters.
With --mip HiGHS, which the extra `mip` installs, searches beside it; a proof of its own is told of.
--jobs and --scheduler help where it takes long, and --checkpoint FILE goes on after any end.
With --json an object, with the score, the best covers, the bound, whether they are proven, and by whom; real scores are
compared with the tolerance.
""",
    explain: """items that cannot be covered together
$ none.dlx; --json none.dlx; --timeout 10 none.dlx
output: of a problem that has no cover, primary items that cannot be covered together, if all others are covered at most
once; each in a line, in the order of the file. Without any one of them the others can, unless a limit came first: then
they are the fewest so far. If there is a cover, nothing is printed, and the status is 1.
With --json an object, with the items or with a cover.
""",
    deduce: """steps of reasoning, without guesses
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
    estimate: """how large a search for all covers will be
$ dominoes.dlx; --samples 100 --seed 3 dominoes.dlx; --json dance.dlx
output: the nodes of the search tree, the covers, and the seconds of `dlx count`, each with its standard error after a
"+-"; the kernel by which `dlx count` seems to end, and the states that it will have met if it merges what is the same.
Where most of the tree lies behind a branch that few paths take, nodes and covers are mostly far too small. In JSON null
is unknown, or more than a number can be.
""",
    tile: """a tiling of a board with pieces
$ 6x10 pentominoes; --count 3x20 pentominoes; --each any --svg box.svg box.txt
output: the first tiling that is found: squares in box-drawing characters, cubes so layer by layer, the lowest first,
triangles and hexagons as letters where the drawing of the board has them. Each piece is used once, unless --each or the
file of the pieces says a range. --all, --count, --sample, --best and --watch answer as solve, count, sample, best
and watch do for a problem; --kinds counts tilings up to --symmetry. Between tilings there is a blank line; a score is
above its tiling. --svg FILE draws the tilings that are printed, the first twelve of them, in colours.
With --json an object for each tiling, with its pieces and their cells, and one more at the end that tells how many
there are and how the search went.
""",
    watch: """a page on which the search dances
$ dance.dlx -o dance.html; --best costs.dlx -o best.html; --events 500 --title Dominoes dominoes.dlx -o dominoes.html
output: a page for any browser, in one file that needs no network, on standard output or in the file that -o names: the
matrix with its links, the search tree, the covers, the board where items are cells, and a player for all steps of the
search, as `dlx solve` does it. With --best how the bound and the best score come together, as `dlx best` goes on.
""",
    info: """what a problem consists of
$ dance.dlx; --json colours.xcc; --format mps plan.mps
output: what the problem consists of, a fact in each line.
""",
    convert: """a problem in another format
$ plan.mps plan.dlx; --to lp costs.dlx; dance.dlx -o dance.cnf
output: the problem in another format, on standard output or in the file OUT, which then stays untouched if the format
cannot say the problem. Without --to, the suffix of that file decides; otherwise it is Knuth's text format. These are
formats of other solvers:
  mps, lp  integer programs (*.mps, *.lp), read and written by HiGHS (pip install 'dancing-cover[mip]')
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
    console = Console("dlx")
    return conduct(console, lambda: _run(console, **vars(_parser().parse_args(arguments))))


def _run(
    console: Console,
    command: Callable[..., int],
    file: str,
    format: str | None = None,
    json: bool = False,
    numbers: bool = False,
    **options: Any,
) -> int:
    """Runs a command on a problem, and returns the exit status; says what it cannot do."""
    try:
        if not _can_write(console, file, options):
            return BAD
        task = Task(console, file, json, numbers)
        if command is not tile:
            task.read(format)
        return command(task, **options)
    except (RefusedError, FormatError, CheckpointError, LostPieceError, NoWorkersError) as error:
        reason = str(error)
    except (NotImplementedError, OverflowError, ProblemError) as error:
        reason = f"{'<stdin>' if file == '-' else file}: {error}"
    except MemoryError as error:
        reason = f"{'<stdin>' if file == '-' else file}: {lack_of_memory(error)}"
    except broken_executor() as error:
        reason = f"{options.get('scheduler') or 'workers'}: {error}"
    except OSError as error:
        if error.filename is None:  # that of standard output
            raise
        reason = f"{error.filename}: {error.strerror}"
    return console.fail(reason)


def _can_write(console: Console, file: str, options: dict[str, Any]) -> bool:
    """Tells whether the files to write can be written, and are no other files that are named; before a long search."""
    named = {"the problem": file, "--start": options.get("start"), "--checkpoint": options.get("checkpoint")}
    known = {os.path.realpath(name): said for said, name in named.items() if name not in (None, "-")}
    beside = [(f"--{name}", options[name]) for name in ("svg", "certificate") if options.get(name) is not None]
    for said, name in beside:
        if (other := known.setdefault(os.path.realpath(name), said)) != said:
            raise RefusedError(f"{said} {name}: this is the file of {other}")
    written = [options[name] for name in ("target", "output", "page") if options.get(name) not in (None, "-")][:1]
    if not written:
        need_stdout()
    return all(map(console.can_write, [*written, *(name for _, name in beside)]))


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
        add_options(add_command(commands, function.__name__, text, before, exit_line(), command=function), function)
    return parser
