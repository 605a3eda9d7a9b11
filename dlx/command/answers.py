"""The answers of the commands about a problem; a function of this module answers for the command of its name."""

from __future__ import annotations

import argparse
import io
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, Literal

import numpy as np

import dlx
from dlx.command import one_interrupt_noted, so_far
from dlx.command.parallel import workers
from dlx.command.run import STOPPED_BY, Run, Texts, in_json, word
from dlx.command.steps import deduce as deduce
from dlx.engine.limits import Outcome, Progress, Stop
from dlx.formats import FormatError, format_of
from dlx.problem.problem import Item, Problem
from dlx.problem.words import counted
from dlx.search.covers import BLOCK, Block, Covers
from dlx.search.trace import EVENTS

COARSE = 1e-6  # part of a score from which on a tolerance is told of
PULSE = 0.1  # seconds that found covers wait, at most, before they are printed
MOST = 12  # covers in a picture
WIDEST = 1200  # pixels of a picture, if each cover has less


def count(run: Run, problem: Problem) -> int:
    """Prints how many covers there are, or in how many each option is."""
    options = run.options
    if refusal := _contradiction(options):
        return run.fail(refusal)
    if options.shares:
        return _of_all_covers(run, problem, dlx.diagram, _shares)
    try:
        group = None if options.up_to is None else run.symmetries(problem)
    except TimeoutError as error:
        return run.end("timeout", False, str(error))
    with workers(run.options, run.console) as who:
        result = dlx.count(
            problem,
            merge=options.merge,
            memory=options.memory,
            checkpoint=options.checkpoint,
            points=_points(options),
            up_to=group,
            max_covers=options.limit,
            **run.limits(),
            **run.choices(),
            **who,
        )
    merging = {name: getattr(result, name) for name in ("merged", "hits", "states", "memory", "doubt")}
    known = group is None or result.stopped is None
    covers, text = (result.covers, f"{so_far(result.covers, result.stopped in STOPPED_BY)}\n") if known else (None, "")
    run.tell({"covers": covers, "kernel": result.kernel, **merging}, text, result)
    rest = f"there may be more {run.found}s" if group is None else "no kinds are known before the end"
    return run.end(result.stopped, False, rest)


def _points(options: argparse.Namespace) -> Callable[[Item], list[str]] | None:
    """Returns what an item is about: what matches in its name."""
    points: re.Pattern[str] | None = options.points
    return points and (lambda item: [found[0] for found in points.finditer(word(item))])


def sample(run: Run, problem: Problem) -> int:
    """Prints covers drawn at random."""
    return _of_all_covers(run, problem, dlx.diagram, _sample)


def _contradiction(options: argparse.Namespace) -> str | None:
    """Returns the message about options of `count` that do not go together."""
    given = {name for name, value in vars(options).items() if value is not None and value is not False}
    merge = options.merge
    if options.shares and (given & {"kernel", "seed", "limit", "max_nodes"} or merge not in ("auto", "same")):
        refused = "--kernel, --seed, --limit, --max-nodes and another --merge cannot be given"
        return f"--shares merges what is the same, in all covers: {refused}"
    if options.shares and given & {"jobs", "scheduler", "checkpoint"}:
        return "--shares is asked of one search: no --jobs, --scheduler or --checkpoint can be given"
    if merge in ("same", "isomorphic") and given & {"kernel", "seed"}:
        return f"--merge {merge} has an order of its own: --kernel and --seed cannot be given"
    if merge in ("same", "isomorphic") and ("scheduler" in given or (options.jobs or 1) > 1):
        return f"--merge {merge} runs in one process: --jobs and --scheduler cannot be given"
    if "memory" in given and not options.shares and (merge == "never" or given & {"kernel", "seed"}):
        return "--memory is for states, and visits keep none: it cannot be given with --merge never, --kernel or --seed"
    if "up_to" in given and given & {"shares", "points", "checkpoint", "limit"}:
        return "--up-to counts kinds by other problems: no --shares, --points, --checkpoint or --limit"
    return "--points is for --merge isomorphic" if "points" in given and merge != "isomorphic" else None


def _of_all_covers(run: Run, problem: Problem, find: Callable[..., Any], answer: Callable[[Run, Any], int]) -> int:
    """Answers with the diagram of all covers; part of one would answer nothing."""
    try:
        diagram = find(problem, memory=run.options.memory, **run.limits())
    except TimeoutError as error:
        return run.end("timeout", False, str(error))
    except KeyboardInterrupt:
        return run.end("interrupt", False, "nothing is known before the search has ended")
    return answer(run, diagram)


def _shares(run: Run, diagram: dlx.Diagram) -> int:
    texts = run.texts(diagram.problem)
    each = enumerate(zip(diagram.uses(), diagram.shares().tolist(), strict=True))
    if run.options.json:
        lines = [in_json(**texts.option_facts(o), covers=uses, share=share) for o, (uses, share) in each]
        run.print("".join([*lines, _size(run, diagram)]))
    else:
        run.print("".join([f"{uses}\t{share:.6g}\t{texts[o]}\n" for o, (uses, share) in each]))
    return 0


def _sample(run: Run, diagram: dlx.Diagram) -> int:
    texts, as_json = run.texts(diagram.problem), run.options.json
    done, drawn = 0, dict[int, list[int]]()
    try:
        for some in diagram.samples(run.options.n if diagram else 0, run.options.seed):
            numbers = range(done + 1, done + 1 + len(some))
            run.print(texts.lines(some, numbers, as_json))
            drawn |= zip(numbers[: MOST - len(drawn)], some.tolist(), strict=False)
            done += len(some)
    except KeyboardInterrupt:
        return run.end("interrupt", False, f"{done} of {counted(run.options.n, run.found)} have been drawn")
    if as_json:
        run.print(_size(run, diagram))
    return _draw(run, diagram.problem, drawn, done) or run.end(None, not diagram, "")


def _size(run: Run, diagram: dlx.Diagram) -> str:
    """Returns the number of covers of all, and how large a diagram they make, for programs."""
    return in_json(file=run.file, covers=diagram.covers, nodes=diagram.nodes, edges=diagram.edges)


def classify(run: Run, problem: Problem) -> int:
    """Prints the kinds of covers, or only how many there are."""
    options = run.options
    unknown = "the symmetries had not been found yet"
    try:
        classes = dlx.classify(
            problem, points=_points(options), max_covers=options.limit, memory=options.memory, **run.limits()
        )
    except KeyboardInterrupt:
        return run.end("interrupt", False, unknown)
    except MemoryError as error:
        _print_kinds(run, problem, getattr(error, "kinds", ()))
        raise
    order = None if classes.symmetries is None else classes.symmetries.order
    _print_kinds(run, problem, classes)
    facts: dict[str, Any] = {"kinds": len(classes), "covers": classes.covers, "symmetries": order}
    if options.count and not options.json:
        facts |= {name: so_far(facts[name], classes.stopped in STOPPED_BY) for name in ("kinds", "covers")}
    run.tell(facts, None if options.count else "", classes)
    return run.end(classes.stopped, not classes, unknown if order is None else "there may be more kinds")


def _print_kinds(run: Run, problem: Problem, classes: Sequence[dlx.Kind]) -> None:
    """Prints a line for each kind, unless only their number is wanted."""
    texts = run.texts(problem)
    for start in range(0, 0 if run.options.count else len(classes), BLOCK):
        some = range(len(classes))[start : start + BLOCK]
        run.print("".join([_kind(run, k, classes[k], texts) for k in some]))


def _kind(run: Run, k: int, kind: dlx.Kind, texts: Texts) -> str:
    if run.options.json:
        return in_json(kind=k + 1, covers=kind.size, **texts.facts(kind.cover))
    return texts.scored(kind.size, kind.cover)


def solve(run: Run, problem: Problem) -> int:
    """Prints covers as they are found."""
    if run.options.first:
        return first(run, problem)
    with workers(run.options, run.console) as who:
        search = dlx.covers(problem, progress=run.progress, ordered=True, **run.choices(), **who)
        return _list(run, problem, search)


def _list(run: Run, problem: Problem, search: Covers) -> int:
    texts = run.texts(problem)
    done = printed = 0
    drawn: dict[int, list[int]] = {}
    with one_interrupt_noted() as interrupted:
        for block in _until(search, run, interrupted):
            every = run.options.every
            wanted = range(-(done + 1) % every, len(block), every)
            done += len(block)
            if wanted:
                numbers = range(done - len(block) + 1 + wanted.start, done + 1, every)
                chosen = block[wanted.start :: every]
                run.print(texts.lines(chosen, numbers, run.options.json))
                printed += len(chosen)
                room = MOST - len(drawn)
                drawn |= zip(numbers[:room], chosen[:room].tolist(), strict=True)
    stopped: Stop | None = None if search.exhausted else search.stopped or "interrupt"
    outcome = Outcome(nodes=search.nodes, updates=search.updates, seconds=search.seconds, stopped=stopped)
    run.tell({"covers": done, "kernel": search.kernel}, "", outcome)
    if 0 < done < run.options.every:
        run.say(f"{counted(done, 'cover')} found, too few to print one of each {run.options.every}")
    status = run.end(stopped, done == 0, f"there may be more {run.found}s")
    return _draw(run, problem, drawn, printed) or status


def first(run: Run, problem: Problem) -> int:
    """Prints one cover, where the order does not matter."""
    options = run.options
    if options.every > 1:
        return run.fail("--first prints one cover: --every cannot be given")
    with workers(run.options, run.console) as who:
        wanted = {**run.limits(), **run.choices(), **who}
        result = dlx.first(problem, max_covers=options.limit, **wanted)
    found = {} if result.cover is None else {1: list(result.cover)}
    for cover in found.values():
        texts = run.texts(problem)
        run.print(texts.lines(np.array([cover], dtype=np.int32), found, options.json))
    run.tell({"covers": len(found)}, "", result)
    status = run.end(result.stopped, not found, f"there may be a {run.found}")
    return _draw(run, problem, found, len(found)) or status


def _until(search: Covers, run: Run, interrupted: Callable[[], bool]) -> Iterator[Block]:
    """The covers, in blocks that come soon after they were found, until the end, a limit, or Ctrl-C."""
    options, begun = run.options, time.monotonic()
    timeout = math.inf if options.timeout is None else options.timeout
    while not search.exhausted and not interrupted():
        drawing = time.monotonic() - begun - search.seconds if run.at_once < BLOCK else 0.0
        pulse = min(max(0.0, timeout - drawing), search.seconds + PULSE)
        search.limit(max_covers=options.limit, max_nodes=options.max_nodes, timeout=pulse)
        block = next(search.blocks(run.at_once), None)
        if block is not None:
            yield block
        elif search.stopped in ("max_covers", "max_nodes") or search.seconds + drawing >= timeout:
            return
    search.limit(max_covers=search.covers)  # after Ctrl-C, what has been found by now is still to come
    yield from search.blocks()
    search.limit()  # none of these stopped it


def best(run: Run, problem: Problem) -> int:
    """Prints the best covers, and writes the proof of one."""
    options = run.options
    if options.certificate is not None and options.k > 1:
        return run.fail("--certificate is the proof of one cover: -k cannot be given")
    if options.mip and options.k > 1:
        return run.fail("--mip is for one cover: -k cannot be given")
    if options.start == "-" and options.file == "-":
        return run.fail("--start - is standard input, where the problem is: one of them must be in a file")
    chosen = {"gap": options.gap, "certificate": options.certificate is not None, **run.limits(), **run.choices()}
    try:
        start = options.start and _known(options.start, problem.n_options)
        with run.warnings_told(), workers(run.options, run.console) as who:
            chosen |= {"checkpoint": options.checkpoint, "mip": options.mip, **who}
            result = dlx.best(problem, options.sense, options.k, start=start, **chosen)
    except ImportError as error:
        return run.fail(f"--mip: {error}")
    except dlx.CheckpointError:
        raise
    except ValueError as error:  # of the cover: all else has been checked
        of_options = isinstance(error, dlx.ProblemError) and not str(error).startswith("start is no cover: the item ")
        known = "<stdin>" if options.start == "-" else options.start
        return run.fail(f"{known}: {error}{' (numbered from 0)' * of_options}")
    texts = run.texts(problem)
    if options.json:
        covers = [{"score": cover.score, **texts.facts(cover.options)} for cover in result.covers]
        known = {name: getattr(result, name) for name in ("bound", "proven", "proof", "tolerance")}
        run.tell({"score": result.score, "best": covers, **known}, went=result)
    else:
        run.print("".join(texts.scored(cover.score, cover.options) for cover in result.covers))
        if result.proven and result.proof == "highs":
            run.say(f"proven by HiGHS, in floating point, to within {result.tolerance:.3g}")
        elif result.proven and result.score is not None and result.tolerance > COARSE * abs(result.score):
            run.say(f"weights are so large that a cover may be better by {result.tolerance:.3g}")
    if result.certificate is not None:
        try:
            result.certificate.save(options.certificate)
        except OSError as error:
            return run.fail(f"{options.certificate}: {error.strerror}")
    elif options.certificate is not None:
        run.say(f"{options.certificate}: not written, since {_lack(result)}")
    drawn = {k: list(cover.options) for k, cover in enumerate(result.covers[:MOST], 1)}
    return _draw(run, problem, drawn, len(result.covers)) or run.end_of_best(result, options.sense)


def _lack(result: dlx.Best) -> str:
    """Returns the reason why there is no certificate."""
    if not result.proven:
        return "there is no proof"
    if result.proof == "highs":
        return "the proof is one by HiGHS"
    if result.stopped is None:
        return "it would take more than 128 MB; the answer is proven"
    return f"{STOPPED_BY[result.stopped][0]} came first; the answer is proven"


def _known(file: str, n_options: int) -> list[int]:
    """Returns the options of the cover in a file, from 0: its first line, as `--numbers` prints it."""
    if file == "-" and sys.stdin is None:
        raise ValueError("it is closed")
    with nullcontext(sys.stdin) if file == "-" else open(file, encoding="utf-8", errors="replace") as lines:
        line = lines.readline()
    if not line:
        raise ValueError("it is empty; a cover is a line of numbers, as --numbers prints it")
    numbers = line.rpartition("\t")[2].replace("|", " ").split()
    for number in numbers:
        if not re.fullmatch("[0-9]{1,18}", number) or not 1 <= int(number) <= n_options:
            raise ValueError(f"{number!r:.40} is no number of an option, from 1 to {n_options}")
    return [int(number) - 1 for number in numbers]


def explain(run: Run, problem: Problem) -> int:
    """Prints items that cannot be covered together."""
    result = dlx.explain(problem, **run.limits())
    items = None if result.items is None else [word(item) for item in result.items]
    cover = None if result.cover is None else run.texts(problem).facts(sorted(result.cover))
    facts = {"items": items, "minimal": result.minimal, "cover": cover}
    run.tell(facts, "".join(f"{item}\n" for item in items or ()), result)
    unknown = "whether there is a cover is unknown" if items is None else "fewer of these items may do"
    lack = "there is a cover, so there is nothing to explain"
    return run.end(result.stopped, result.cover is not None, unknown, lack)


def estimate(run: Run, problem: Problem) -> int:
    """Prints how large the search tree is, by estimate."""
    result = dlx.estimate(problem, run.options.samples, **run.limits(), **run.choices())
    facts = {name: getattr(result, name) for name in result.__slots__}
    text = ""
    for name in ("nodes", "covers", "seconds"):
        mean = f"{facts[name]:.4g} +- {facts[f'{name}_error']:.2g}" if facts[name] == facts[name] else "unknown"
        if name == "covers" and not facts[name]:
            mean = "no path met one"
        text += f"{name}: {mean if facts[name] != math.inf else f'over {sys.float_info.max:.1g}'}\n"
    states = f", {facts['states']:.4g} states" if result.merged else ""
    text += f"kernel: {result.kernel}{states}\n"
    unknown = {name: None for name, fact in facts.items() if isinstance(fact, float) and not math.isfinite(fact)}
    run.tell(facts | unknown, text)
    return run.end(result.stopped, False, f"these are means over {result.samples:,} paths")


def info(run: Run, problem: Problem) -> int:
    """Prints what a problem consists of."""
    sizes = np.bincount(problem.indices, minlength=problem.n_items)[: problem.n_primary].tolist()
    weights = [] if problem.weights is None else problem.weights.tolist()
    ranges = problem.multiplicities
    facts = {
        "items": problem.n_items,
        "primary_items": problem.n_primary,
        "secondary_items": problem.n_items - problem.n_primary,
        "options": problem.n_options,
        "entries": len(problem.indices),
        "longest_option": int(np.diff(problem.indptr).max(initial=0)),
        "fewest_options_of_a_primary_item": min(sizes, default=None),
        "most_options_of_a_primary_item": max(sizes, default=None),
        "most_options_in_a_cover": problem.max_level,
        "colours": None if problem.colours is None else len(problem.colour_names),
        "items_with_multiplicities": None if ranges is None else int((ranges != 1).any(axis=1).sum()),
        "least_weight": min(weights, default=None),
        "greatest_weight": max(weights, default=None),
        "kernel": dlx.covers(problem).kernel,
    }
    run.tell({name: fact for name, fact in facts.items() if fact is not None})
    return 0


def convert(run: Run, problem: Problem) -> int:
    """Writes the problem in another format."""
    options = run.options
    if options.target is not None and options.output is not None:
        return run.fail(f"there are two files to write, {options.target} and {options.output}")
    buffer = io.BytesIO()
    try:
        wanted = options.to or ("knuth" if run.output is None else format_of(run.output))
    except FormatError as error:
        return run.fail(str(error))
    with run.warnings_told():
        dlx.formats.write(problem, buffer, wanted)
    return run.put(run.output, buffer.getvalue())


def _draw(run: Run, problem: Problem, covers: dict[int, list[int]], printed: int) -> int:
    """Draws covers by their numbers if it is asked for, and returns the status; the file stays as it is without any."""
    file = run.options.svg
    if file is None or not covers:
        return 0
    from dlx.show import panels

    try:
        pictures = [run.picture(problem, cover) for cover in covers.values()]
    except ValueError as error:
        return run.fail(f"{file}: {error}")
    across = max(1, min(4, int(WIDEST / max(picture.width for picture in pictures))))
    titles = [f"{run.found} {k}" for k in covers]
    picture = pictures[0] if len(pictures) == 1 else panels(pictures, across, titles=titles)
    status = run.put(file, picture.encode())
    if status == 0 and printed > len(covers):
        run.say(f"{file} shows the first {len(covers)} of {printed:,} {run.found}s")
    return status


def watch(run: Run, problem: Problem) -> int:
    """Writes the page of a search."""
    from dlx.show.dance import check_size, page  # with what only pages need

    options = run.options
    if options.best:
        return _watch_best(run, problem)
    if options.sense is not None:
        return run.fail(f"--{options.sense} goes with --best: without it all covers are searched for")
    events = EVENTS if options.events is None else options.events
    try:
        check_size(problem)
        found = dlx.trace(problem, kernel=options.kernel or "auto", max_events=events, **run.limits())
        text = page(found, title=options.title or f"All covers of {os.path.basename(run.file)}")
    except ValueError as error:
        return run.fail(f"{run.file}: {error}")
    status = run.put(run.output, text.encode())
    if found.stopped == "max_events":
        run.say(f"the page has the first {events:,} steps; --events N records more")
        return status
    return status or run.end(found.stopped, False, "the page has what was done until then")


def _watch_best(run: Run, problem: Problem) -> int:
    """The page of a search for the best cover."""
    from dlx.show.dance import closer, prices_page

    options = run.options
    for option in ("kernel", "events"):
        if getattr(options, option) is not None:
            return run.fail(f"--{option} goes without --best, which has a search of its own, and no steps")
    seen: list[Progress] = []

    def note(report: Progress) -> None:
        seen.append(report)
        run.progress(report)

    sense: Literal["min", "max"] = options.sense or "min"
    with run.warnings_told():
        result = dlx.best(problem, sense, timeout=options.timeout, progress=note)
    title = options.title or f"The best cover of {os.path.basename(run.file)}"
    try:
        text = prices_page(closer(seen, problem, sense, result), result, title=title, problem=problem, sense=sense)
    except ValueError as error:
        return run.fail(f"{run.file}: {error}")
    status = run.put(run.output, text.encode())
    return status or run.end_of_best(result, sense)
