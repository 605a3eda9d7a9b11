"""`dlx classify`: one cover of each kind up to the symmetries of the problem, and how many there are of it."""

from __future__ import annotations

from collections.abc import Sequence

import dlx
from dlx.command.parallel import workers
from dlx.command.run import Run, Texts, how_it_went, in_json
from dlx.problem.problem import Problem
from dlx.search.covers import BLOCK

UNKNOWN = "the symmetries had not been found yet"


def classify(run: Run, problem: Problem) -> int:
    """Prints the kinds of covers, or only how many there are."""
    options = run.options
    limits = {"max_covers": options.limit, "timeout": options.timeout, "progress": run.progress}
    try:
        with workers(run) as who:
            classes = dlx.classify(problem, **limits, memory=options.memory, **who)
    except KeyboardInterrupt:
        return run.end("interrupt", False, UNKNOWN)
    except MemoryError as error:
        if not options.count:
            _print(run, getattr(error, "kinds", ()), Texts(problem))
        raise
    order = None if classes.symmetries is None else classes.symmetries.order
    facts = {"kinds": len(classes), "covers": classes.covers, "symmetries": order}
    if not options.count:
        _print(run, classes, Texts(problem))
    if options.json:
        run.print_json(file=run.file, **facts, **how_it_went(classes))
    elif options.count:
        run.print("".join([f"{name}: {number}\n" for name, number in facts.items() if number is not None]))
    return run.end(classes.stopped, not classes, UNKNOWN if order is None else "there may be more kinds")


def _print(run: Run, classes: Sequence[dlx.Kind], texts: Texts) -> None:
    """Prints a line for each kind."""
    for start in range(0, len(classes), BLOCK):
        run.print("".join([_line(run, k, classes[k], texts) for k in range(len(classes))[start : start + BLOCK]]))


def _line(run: Run, k: int, kind: dlx.Kind, texts: Texts) -> str:
    if run.options.json:
        return in_json(kind=k + 1, covers=kind.size, **texts.facts(kind.cover))
    return f"{kind.size}\t{texts.line(kind.cover)}\n"
