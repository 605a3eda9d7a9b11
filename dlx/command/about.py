"""The commands about a problem: `explain`, `deduce`, `estimate`, `info`, `convert` and `watch`."""

from __future__ import annotations

import io
import math
import os
import sys
from dataclasses import replace

import numpy as np

import dlx
from dlx.command.answers import end_of_best
from dlx.command.console import BAD, interrupt_waits
from dlx.command.task import RefusedError, Sense, Task
from dlx.command.texts import Texts, in_json
from dlx.engine.limits import Outcome, Progress
from dlx.formats import FormatError, format_of
from dlx.problem.words import counted
from dlx.search.trace import EVENTS


def explain(task: Task) -> int:
    """Prints items that cannot be covered together."""
    result = dlx.explain(task.problem, **task.limits())
    items = None if result.items is None else [str(item) for item in result.items]
    cover = None if result.cover is None else task.texts.facts(sorted(result.cover))
    facts = {"items": items, "minimal": result.minimal, "cover": cover}
    task.tell(facts, "".join(f"{item}\n" for item in items or ()), result)
    unknown = "whether there is a cover is unknown" if items is None else "fewer of these items may be enough"
    lack = "there is a cover, so there is nothing to explain"
    return task.end(result.stopped, result.cover is not None, unknown, lack=lack)


def deduce(task: Task) -> int:
    """Prints the steps of reasoning, each as it is found."""
    reasoning = dlx.deduce(task.problem, **task.limits("step"))
    steps = 0
    try:
        for step in reasoning:
            with interrupt_waits():  # a step is counted if it is printed
                steps += 1
                task.console.print(_facts(step, steps) if task.json else _sentence(step, task.texts))
        stopped = reasoning.stopped
    except KeyboardInterrupt:
        stopped = "interrupt"
    facts = {name: getattr(reasoning, name) for name in ("solved", "stuck", "contradictory")}
    outcome = Outcome(nodes=reasoning.nodes, updates=reasoning.updates, seconds=reasoning.seconds, stopped=stopped)
    task.tell({"steps": steps, **facts}, "", outcome)
    if reasoning.stuck:
        left = counted(int((reasoning.roles == 1).sum()), "option")
        task.console.say(f"stuck: {left} can be neither chosen nor ruled out by such steps")
    return task.end(stopped, reasoning.contradictory, "there may be more steps")


def _sentence(step: dlx.Step, texts: Texts) -> str:
    """Returns a step as a line: its kind, its truths and links, and the conclusion about options."""
    truths, links = (", ".join(map(str, items)) for items in (step.truths, step.links))
    says = f"; ruled out: {texts.line(step.out)}" if step.out else ""
    if step.kind == "single":
        return f"single: {truths}; chosen: {texts[step.chosen or 0]}{says}\n"
    if step.kind == "contradiction" and not links:
        return f"contradiction: {truths} has too few options\n"
    return f"{step.kind}: {truths} in {links}{says}\n"


def _facts(step: dlx.Step, number: int) -> str:
    """Returns a step as values for JSON; options are numbered from 0."""
    truths, links = ([str(item) for item in items] for items in (step.truths, step.links))
    facts = {name: getattr(step, name) for name in ("out", "chosen", "rank", "open")}
    return in_json(step=number, kind=step.kind, truths=truths, links=links, **facts)


def estimate(task: Task, *, seed: int = 0, samples: int = 1000) -> int:
    """Prints an estimate of the size of the search tree."""
    result = dlx.estimate(task.problem, samples, seed, **task.limits())
    facts = {name: getattr(result, name) for name in result.__slots__}
    lines = [f"{name}: {_mean(name, facts[name], facts[f'{name}_error'])}" for name in ("nodes", "covers", "seconds")]
    states = f", {result.states:.4g} states" if result.merged else ""
    unknown = {name: None for name, fact in facts.items() if isinstance(fact, float) and not math.isfinite(fact)}
    task.tell(facts | unknown, "\n".join([*lines, f"kernel: {result.kernel}{states}\n"]))
    return task.end(result.stopped, False, f"these are means over {result.samples:,} paths")


def _mean(name: str, mean: float, error: float) -> str:
    if name == "covers" and not mean:
        return "no path met one"
    if math.isnan(mean):
        return "unknown"
    return f"over {sys.float_info.max:.1g}" if mean == math.inf else f"{mean:.4g} +- {error:.2g}"


def info(task: Task) -> int:
    """Prints the numbers of items, options and entries of a problem."""
    problem = task.problem
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
    known = {name: fact for name, fact in facts.items() if fact is not None}
    task.tell(known, "".join(f"{name.replace('_', ' ')}: {fact}\n" for name, fact in known.items()))
    return 0


def convert(task: Task, *, to: str | None = None, output: str | None = None, weights: str | None = None) -> int:
    """Writes the problem in another format."""
    if weights is not None:
        task.weigh(weights)
    wanted = to or ("knuth" if output is None or output == "-" else format_of(output))
    if task.is_maximised and wanted != "cnf" and task.problem.weights is not None:
        task.problem = replace(task.problem, weights=-task.problem.weights)
        task.console.say(f"{task.file}: the objective is to be maximised: weights are written with the opposite signs")
    buffer = io.BytesIO()
    try:
        with task.warnings_printed():
            dlx.formats.write(task.problem, buffer, wanted)
    except FormatError as error:
        raise RefusedError(f"{task.file}: {error.reason}") from None
    return task.console.put(output, buffer.getvalue())


def watch(
    task: Task, *, best: bool = False, sense: Sense | None = None, page: str | None = None, events: int | None = None
) -> int:
    """Writes the page of a search: for the best cover with `best` or a `sense`, otherwise for all covers."""
    if best or sense:
        if events is not None:
            raise RefusedError("--events cannot be combined with --best, --min or --max, which record no steps")
        return _best(task, task.sense(sense), page)
    from dlx.show.dance import check_size
    from dlx.show.dance import page as drawn  # imported here: only pages need it

    most = EVENTS if events is None else events
    check_size(task.problem)
    found = dlx.trace(task.problem, max_events=most, **task.limits())
    text = drawn(found, title=f"All covers of {os.path.basename(task.file)}")
    if task.console.put(page, text.encode()):
        return BAD
    if found.stopped == "max_events":
        task.console.say(f"the page has only the first {most:,} steps")
        return 0
    return task.end(found.stopped, False, "the page has the search until then")


def _best(task: Task, sense: Sense, page: str | None) -> int:
    """Writes the page of a search for the best cover."""
    from dlx.show.dance import prices_page

    seen: list[Progress] = []
    limits = task.limits()

    def note(report: Progress) -> None:
        seen.append(report)
        limits["progress"](report)

    with task.warnings_printed():
        result = dlx.best(task.problem, sense, timeout=task.timeout, progress=note)
    try:
        text = prices_page(seen, result, sense, title=f"The best cover of {os.path.basename(task.file)}")
    except ValueError as error:
        raise RefusedError(f"{task.file}: {error}") from None
    if task.console.put(page, text.encode()):
        return BAD
    return end_of_best(task, result, sense)
