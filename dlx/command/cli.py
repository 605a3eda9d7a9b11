"""The `dlx` command: counts, lists, draws, classifies, weighs covers of a problem in a file, or explains why none."""

from __future__ import annotations

import argparse
import io
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import get_args

import numpy as np

import dlx
from dlx.command import (
    Console,
    Parser,
    add_sense,
    add_version,
    at_least,
    classifying,
    conduct,
    counting,
    fraction,
    memory,
    one_interrupt_noted,
    parallel,
    pattern,
    picture_name,
    seconds,
    seed,
    watching,
)
from dlx.command.drawing import Drawn
from dlx.command.run import Command, Run, Texts, how_it_went, word
from dlx.counting.count import Merge
from dlx.engine.dispatch import KernelName
from dlx.engine.limits import Outcome, Stop
from dlx.formats import FORMATS, READ, FormatError, format_of
from dlx.problem.problem import Problem
from dlx.problem.words import counted, plural
from dlx.search.covers import Block, Covers
from dlx.search.reduce import remaining

INPUT = """\
The problem is read from FILE, or from standard input if that is - or missing, in one of these formats:
  knuth    Knuth's text format with colours, multiplicities and costs; that of standard input, of files without a
           suffix, and of *.dlx, *.xc, *.xcc, *.mcc, *.txt
  orlib    set-partitioning files; that of *.spp
  npz      our own, which loses nothing; that of *.npz
  mps      integer programs that are exact-cover problems, in free or fixed form; that of *.mps
"""

COUNT = """\
output: the number of covers, a whole number of any size; with --limit or --timeout the number found by then. Where
searches meet the same remaining problem again and again, as in tilings, it is counted once (--merge): then numbers of
any size come in seconds. With --merge isomorphic what is the same up to renaming is counted once (extra `symmetry`);
--points tells what items are about: of r1c2, r1s7 and c2s7 it is the rows, columns and symbols that match [rcs]\\d+.
With --shares a line for each option, in the order of the file: the number of covers that it is in, a tab, their share
of all covers, a tab, and the option as `dlx solve` prints it.
"""

SAMPLE = """\
output: a cover in each line, as `dlx solve` prints it, drawn from all covers with the same chance for each; one may
come again. All covers are found first, as a decision diagram: where searches meet the same remaining problem again and
again, as in tilings, that takes seconds for any number of covers. With another --seed other ones are drawn.
With --json an object for each cover, and one more at the end that tells how many there are of all.
"""

CLASSIFY = """\
output: a line for each kind of cover, in the order of the covers: how many covers are of that kind, a tab, and one of
them as `dlx solve` prints it. Two are of one kind if a symmetry of the problem makes one of the other. The symmetries
are found by themselves, by pynauty, which the extra `symmetry` installs.
With --count the numbers of kinds, covers and symmetries instead, a fact in each line.
If the kinds take more than --memory, those found so far are printed, then a message, and the status is 2.
With --json an object for each kind (without --count), and one more at the end with these numbers.
"""

SOLVE = """\
output: a cover in each line, as it is found: its options in the order of the file, with " | " between them, and their
items in the order of the file too (or the options' names, if they have any).
With --json an object for each cover, and one more at the end that tells how many there are and how the search went.
With --first one cover, and no word of others: a search that learns from its conflicts takes turns with the plain one,
which may be lost for ever. With --sat it is CaDiCaL's, by python-sat, which the extra `sat` installs.
With --svg FILE the covers that are printed, the first twelve of them, are drawn in FILE when the search has ended: as
tilings where items are cells by their names, like r2c3, 2,3 or 23, and otherwise as matrices, of no more than 400
options (or the cover's options alone), 200 items and 10,000 entries.
"""

FIRST = """\
output: one cover in a line, as `dlx solve --first` prints it. A search that learns from its conflicts takes turns with
the plain one, which may be lost for ever. With --sat it is CaDiCaL's, by python-sat, which the extra `sat` installs.
With --json an object for the cover, and one more at the end that tells how the search went. --svg FILE draws it.
"""

BEST = """\
output: a line for each cover, the best one first: its score, a tab, and its options as `dlx solve` prints them.
Costs are weights; a problem without any has covers of score 0. What is not proven, since --gap, --timeout or Ctrl-C
stopped the search, is told on standard error, with the bound on all scores, and so is a tolerance that matters.
With --json an object, with the score, the best covers, the bound, and whether they are proven; real scores are compared
with the tolerance.
"""

EXPLAIN = """\
output: of a problem that has no cover, primary items that cannot be covered together, if all others are covered at most
once; each in a line, in the order of the file. Without any one of them the others can, unless a limit came first: then
they are the fewest so far. If there is a cover, nothing is printed, and the status is 1.
With --json an object, with the items or with a cover.
"""

ESTIMATE = """\
output: the nodes of the search tree, the covers, and the seconds of `dlx count --merge never`, each with its standard
error after a "+-". Where most of the tree lies behind a branch that few paths take, both are mostly far too small;
where `dlx count` merges what is the same, it takes far less. In JSON null is unknown, or more than a number can be.
"""

WATCH = """\
output: a page for any browser, in one file that needs no network, on standard output or in the file that -o names: the
matrix with its links, the search tree, the covers, the board where items are cells, and a player for all steps of the
search, as `dlx solve` does it. With --best how the bound and the best score come together, as `dlx best` goes on.
"""

INFO = """\
output: what the problem consists of, a fact in each line.
"""

CONVERT = """\
output: the problem in another format, on standard output or in the file OUT, which then stays untouched if the format
cannot say the problem. Without --to, the suffix of that file decides; otherwise it is Knuth's text format. These are
written for other solvers:
  mps      integer programs (*.mps), which dlx reads, too
  lp       the same as people write them, in the format of CPLEX (*.lp)
  opb      pseudo-Boolean constraints, with whole weights (*.opb)
  cnf      clauses for SAT solvers, in DIMACS format; each model is a cover, and weights are left out (*.cnf)
"""

REDUCE = """\
output: the problem without the options whose choice would leave some primary item short, as `dlx convert` writes it; it
has the same covers. On standard error how many options went, and how many items a search could ignore, since others
imply them; npz, which has a mark for these, keeps all options with their numbers. Where no option is left there is no
cover: nothing is written, and the status is 1.
"""

JOURNAL = """\
output: what the journal that `dlx count --checkpoint FILE` writes says: how many pieces there are and are done, the
covers and nodes so far, how many nodes seem to be left, and the part of the search that is done, by estimate.
"""

STATUS = """
exit status:
  0     the answer is complete, or as complete as --limit or --gap allows; the page of watch, without a cover, too
  1     solve, first, best, sample, classify, reduce, watch --best: there is no cover; explain: there is one
  2     the input is malformed or cannot be read, the output cannot be written, an extra is missing, or wrong usage
  3     stopped by --timeout: what had been found by then has been printed (count --shares, sample: nothing)
  130   stopped by Ctrl-C: the same
When nobody reads the output any more, the command ends in silence with status 0. Every line of an answer is printed
whole or not at all; when Ctrl-C comes twice, a line of more than 4096 bytes may be an exception.
"""

COARSE = 1e-6  # part of a score from which on a tolerance is told of
PULSE = 0.1  # seconds that found covers wait, at most, before they are printed


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
    return conduct(console, lambda: Run(_parser().parse_args(arguments), console).all())


def _solve(run: Run, problem: Problem) -> int:
    if run.options.first or run.options.sat:
        return _first(run, problem)
    with parallel.workers(run) as workers:
        search = dlx.covers(problem, progress=run.progress, ordered=True, **run.choices(), **workers)
        return _list(run, problem, search)


def _list(run: Run, problem: Problem, search: Covers) -> int:
    texts = Texts(problem)
    done, drawn = 0, Drawn(run, problem)
    with one_interrupt_noted() as interrupted:
        for block in _until(search, run.options, interrupted):
            every = run.options.every
            wanted = range(-(done + 1) % every, len(block), every)
            done += len(block)
            if wanted:
                numbers = range(done - len(block) + 1 + wanted.start, done + 1, every)
                chosen = block[wanted.start :: every]
                run.print(texts.lines(chosen, numbers, run.options.json))
                drawn.add(chosen, numbers)
    stopped: Stop | None = None if search.exhausted else search.stopped or "interrupt"
    if run.options.json:
        how = Outcome(nodes=search.nodes, updates=search.updates, seconds=search.seconds, stopped=stopped)
        run.print_json(file=run.file, covers=done, kernel=search.kernel, **how_it_went(how))
    if 0 < done < run.options.every:
        run.say(f"{counted(done, 'cover')} found, too few to print one of each {run.options.every}")
    status = run.end(stopped, done == 0, "there may be more covers")
    return drawn.write() or status


def _first(run: Run, problem: Problem) -> int:
    """One cover, where the order does not matter; by CaDiCaL if that is wanted."""
    options = run.options
    if options.every > 1:
        return run.fail(f"{'--sat' if options.sat else '--first'} prints one cover: --every cannot be given")
    try:
        with parallel.workers(run) as workers:
            wanted = {**run.choices(), **workers, "sat": options.sat, "max_covers": options.limit}
            result = dlx.first(problem, timeout=options.timeout, progress=run.progress, **wanted)
    except (ImportError, ValueError) as error:
        if not options.sat:
            raise
        return run.fail(f"--sat: {error}")
    found, drawn = [] if result.cover is None else [result.cover], Drawn(run, problem)
    if found:
        block = np.array(found, dtype=np.int32)
        run.print(Texts(problem).lines(block, [1], options.json))
        drawn.add(block, range(1, 2))
    if options.json:
        run.print_json(file=run.file, covers=len(found), **how_it_went(result))
    status = run.end(result.stopped, not found, "there may be a cover")
    return drawn.write() or status


def _until(search: Covers, options: argparse.Namespace, interrupted: Callable[[], bool]) -> Iterator[Block]:
    """The covers, in blocks that come soon after they were found, until the end, a limit, or Ctrl-C."""
    timeout = math.inf if options.timeout is None else options.timeout
    while not search.exhausted and not interrupted():
        search.limit(max_covers=options.limit, timeout=min(timeout, search.seconds + PULSE))
        block = next(search.blocks(), None)
        if block is not None:
            yield block
        elif search.stopped == "max_covers" or search.seconds >= timeout:
            return
    search.limit(max_covers=search.covers)  # after Ctrl-C, what has been found by now is still to come
    yield from search.blocks()
    search.limit()  # none of these stopped it


def _best(run: Run, problem: Problem) -> int:
    options = run.options
    result = dlx.best(
        problem,
        options.sense,
        options.k,
        gap=options.gap,
        timeout=options.timeout,
        progress=run.progress,
        **({} if options.seed is None else {"seed": options.seed}),
    )
    texts = Texts(problem)
    if options.json:
        covers = [{"score": cover.score, **texts.facts(cover.options)} for cover in result.covers]
        told = {"bound": result.bound, "proven": result.proven, "tolerance": result.tolerance}
        run.print_json(file=run.file, score=result.score, best=covers, **told, **how_it_went(result))
    else:
        run.print("".join(f"{cover.score}\t{texts.line(cover.options)}\n" for cover in result.covers))
        if result.proven and result.score is not None and result.tolerance > COARSE * abs(result.score):
            run.say(f"weights are so large that a cover may be better by {result.tolerance:.3g}")
    return run.end_of_best(result, options.sense)


def _explain(run: Run, problem: Problem) -> int:
    result = dlx.explain(problem, timeout=run.options.timeout, progress=run.progress)
    items = None if result.items is None else [word(item) for item in result.items]
    if run.options.json:
        cover = None if result.cover is None else Texts(problem).facts(sorted(result.cover))
        told = {"items": items, "minimal": result.minimal, "cover": cover}
        run.print_json(file=run.file, **told, **how_it_went(result))
    else:
        run.print("".join(f"{item}\n" for item in items or ()))
    unknown = "whether there is a cover is unknown" if items is None else "fewer of these items may do"
    lack = "there is a cover, so there is nothing to explain"
    return run.end(result.stopped, result.cover is not None, unknown, lack)


def _estimate(run: Run, problem: Problem) -> int:
    options = run.options
    result = dlx.estimate(problem, options.samples, timeout=options.timeout, progress=run.progress, **run.choices())
    facts = {name: getattr(result, name) for name in result.__slots__}
    if options.json:
        known = {
            name: fact if not isinstance(fact, float) or math.isfinite(fact) else None for name, fact in facts.items()
        }
        run.print_json(file=run.file, **known)
    else:
        for name in ("nodes", "covers", "seconds"):
            mean = f"{facts[name]:.4g} +- {facts[f'{name}_error']:.2g}" if facts[name] == facts[name] else "unknown"
            run.print(f"{name}: {mean if facts[name] != math.inf else f'over {sys.float_info.max:.1g}'}\n")
    return run.end(result.stopped, False, f"these are means over {result.samples:,} paths")


def _info(run: Run, problem: Problem) -> int:
    facts = {name: fact for name, fact in _facts(problem) if fact is not None}
    if run.options.json:
        run.print_json(file=run.file, **facts)
    else:
        run.print("".join(f"{name.replace('_', ' ')}: {fact}\n" for name, fact in facts.items()))
    return 0


def _facts(problem: Problem) -> Iterator[tuple[str, int | float | str | None]]:
    """Returns the facts of a problem; a fact is None where the problem has nothing of the kind."""
    yield "items", problem.n_items
    yield "primary_items", problem.n_primary
    yield "secondary_items", problem.n_items - problem.n_primary
    yield "options", problem.n_options
    yield "entries", len(problem.indices)
    yield "longest_option", int(np.diff(problem.indptr).max(initial=0))
    if problem.n_primary:
        yield "fewest_options_of_a_primary_item", int(_sizes(problem).min())
        yield "most_options_of_a_primary_item", int(_sizes(problem).max())
    yield "most_options_in_a_cover", problem.max_level
    yield "colours", None if problem.colours is None else len(problem.colour_names)
    if problem.multiplicities is not None:
        yield "items_with_multiplicities", int((problem.multiplicities != 1).any(axis=1).sum())
    if problem.weights is not None and problem.n_options:
        yield "least_weight", problem.weights.min().item()
        yield "greatest_weight", problem.weights.max().item()
    yield "kernel", dlx.covers(problem).kernel


def _sizes(problem: Problem) -> Block:
    """The number of options that each primary item is in."""
    return np.bincount(problem.indices, minlength=problem.n_items)[: problem.n_primary].astype(np.int32)


def _reduce(run: Run, problem: Problem) -> int:
    """Writes the problem without the options that are in no cover; npz has the marks of implied items as well."""
    options = run.options
    reduced = dlx.reduce(problem, timeout=options.timeout, progress=run.progress)
    left = remaining(reduced).n_options
    needed = problem.n_primary > 0 if problem.multiplicities is None else bool(problem.multiplicities[:, 0].any())
    if not left and needed:
        return run.end(None, True, "")
    status, gone = _convert(run, reduced, remaining), problem.n_options - left
    if status == 0:
        implied = 0 if reduced.implied is None else int(reduced.implied.sum())
        many = f"{gone:,} of {problem.n_options:,} {plural(problem.n_options, 'option')}"
        run.say(f"{many} left out, {counted(implied, 'item')} implied by others")
    return status


def _convert(run: Run, problem: Problem, plain: Callable[[Problem], Problem] = lambda problem: problem) -> int:
    options = run.options
    if options.target is not None and options.output is not None:
        return run.fail(f"there are two files to write, {options.target} and {options.output}")
    output, buffer = run.output, io.BytesIO()
    try:
        wanted = options.to or ("knuth" if output == "-" else format_of(output))
    except FormatError as error:
        return run.fail(str(error))
    with run.warnings_told():
        dlx.formats.write(problem if wanted == "npz" else plain(problem), buffer, wanted)
    return run.written(buffer.getvalue())


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="dlx",
        description="Exact cover by dancing links: all covers of a problem, how many there are, and the best ones.",
        epilog=STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_version(parser)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    count = _command(commands, "count", counting.count, "the number of covers", COUNT)
    solve = _command(commands, "solve", _solve, "all covers", SOLVE)
    sample = _command(commands, "sample", counting.sample, "covers drawn at random", SAMPLE)
    classify = _command(commands, "classify", classifying.classify, "one cover of each kind up to symmetry", CLASSIFY)
    first = _command(commands, "first", _first, "one cover, which restarts may find sooner", FIRST)
    best = _command(commands, "best", _best, "the best cover, or the K best ones, by the costs of their options", BEST)
    explain = _command(commands, "explain", _explain, "items that cannot be covered together", EXPLAIN)
    estimate = _command(commands, "estimate", _estimate, "how large a search for all covers will be", ESTIMATE)
    watch = _command(commands, "watch", watching.watch, "a page on which the search dances", WATCH)
    info = _command(commands, "info", _info, "what a problem consists of", INFO)
    reduce = _command(commands, "reduce", _reduce, "a problem without the options that are in no cover", REDUCE)
    convert = _command(commands, "convert", _convert, "a problem in another format", CONVERT)
    journal = commands.add_parser(
        "journal",
        help="the progress of a count, from its journal",
        description="Prints the progress of a count, from its journal.",
        epilog=f"{JOURNAL}{STATUS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    journal.set_defaults(command=parallel.journal, alone=True)
    journal.add_argument("file", metavar="FILE", help="the journal")
    pieces = "search in N pieces at a time (1)"
    isomorphic = "; with --merge isomorphic, N processes"
    for command, told in ((count, pieces + isomorphic), (solve, pieces), (first, pieces)):
        command.add_argument("--jobs", type=at_least(1), metavar="N", help=told)
        command.add_argument("--scheduler", metavar="ADDRESS", help="search in pieces, on the workers of dask")
    classify.add_argument("--jobs", type=at_least(1), metavar="N", help="processes, where it takes long (1)")
    classify.add_argument("--scheduler", metavar="ADDRESS", help="search on the workers of dask, where it takes long")
    told = "write finished pieces down, and go on from there; nothing is merged then, every cover is visited"
    count.add_argument("--checkpoint", metavar="FILE", help=told)
    count.add_argument("--merge", choices=get_args(Merge), default="auto", help="count equal states once (auto)")
    told = "with --merge isomorphic: what matches in an item's name are the points that it is about"
    count.add_argument("--points", type=pattern, metavar="REGEX", help=told)
    sample.add_argument("--merge", choices=("same", "isomorphic"), default="same", help="what is solved once (same)")
    count.add_argument("--shares", action="store_true", help="print in how many covers each option is")
    sample.add_argument("-n", type=at_least(1), default=1, metavar="K", help="how many covers to draw (1)")
    for command in (count, sample, classify):
        command.add_argument(
            "--memory", type=memory, metavar="BYTES", help="to remember states in, as 1e9 or 100MB (1GiB)"
        )
    for command in (count, solve):
        command.add_argument("--limit", type=at_least(0), metavar="N", help="stop after N covers")
    classify.add_argument("--limit", type=at_least(0), metavar="N", help="stop after N kinds")
    classify.add_argument("--count", action="store_true", help="print only how many kinds and covers there are")
    classify.set_defaults(found="kind")
    for command in (count, solve, first, estimate, watch):
        command.add_argument("--kernel", choices=get_args(KernelName), help="what searches (auto)")
    for command in (count, solve, first, sample, classify, best, explain, estimate, watch, reduce):
        command.add_argument("--timeout", type=seconds, metavar="SECONDS", help="the most time for the search")
    sample.add_argument("--seed", type=seed, default=0, metavar="N", help="draw other covers (0)")
    for command in (count, solve, first, best, estimate):
        command.add_argument("--seed", type=seed, metavar="N", help="search in another order, drawn from N")
    for command in (count, solve, first, sample, classify, best, explain, estimate, info, journal):
        command.add_argument("--json", action="store_true", help="print JSON")
    solve.add_argument("--first", action="store_true", help="print one cover, which restarts may find sooner")
    solve.add_argument("--every", type=at_least(1), default=1, metavar="N", help="print every N-th cover only")
    first.set_defaults(every=1, limit=None)
    for command, told in ((solve, "the covers, twelve of them at most"), (first, "the cover")):
        command.add_argument(
            "--sat", action="store_true", help="the same by CaDiCaL (extra sat), for hard proofs of none"
        )
        command.add_argument("--svg", type=picture_name, metavar="FILE", help=f"draw {told}")
    best.add_argument("-k", type=at_least(1), default=1, metavar="K", help="how many covers, if there are so many (1)")
    add_sense(best, "min")
    add_sense(watch, "min")
    watching.add_options(watch)
    best.add_argument(
        "--gap",
        type=fraction,
        default=0.0,
        metavar="PART",
        help="stop once no score is better by more than this part (0)",
    )
    estimate.add_argument("--samples", type=at_least(2), default=1000, metavar="N", help="random paths to take (1000)")
    for command in (reduce, convert):
        command.add_argument("--to", choices=tuple(FORMATS), help="the format to write")
        command.add_argument("target", nargs="?", metavar="OUT", help="where to write it (standard output)")
        command.add_argument("-o", "--output", metavar="OUT", help="the same")
    return parser


def _command(
    commands: argparse._SubParsersAction[Parser], name: str, run: Command, what: str, output: str
) -> argparse.ArgumentParser:
    command = commands.add_parser(
        name,
        help=what,
        description=f"Prints {what}.",
        epilog=f"{INPUT}\n{output}{STATUS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(command=run, alone=False)
    command.add_argument("file", nargs="?", default="-", metavar="FILE", help="where the problem is")
    said = ("--from", "--format") if name in ("reduce", "convert") else ("--format",)
    command.add_argument(*said, dest="format", choices=READ, help="the format of FILE, if its name does not tell")
    return command
