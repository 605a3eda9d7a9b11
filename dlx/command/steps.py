"""The command `dlx deduce`: steps of reasoning, in sentences, as JSON, and on a page."""

from __future__ import annotations

import os

import dlx
from dlx.command.run import Run, Texts, in_json, word
from dlx.engine.limits import Outcome
from dlx.problem.problem import Problem
from dlx.problem.words import counted


def deduce(run: Run, problem: Problem) -> int:
    """Prints the steps of reasoning, each as it is found."""
    options = run.options
    texts = Texts(problem, options.numbers)
    bounds = {name: getattr(options, name) for name in ("truths", "rank", "chain")}
    reasoning = dlx.deduce(problem, max_covers=options.limit, **bounds, **run.limits())
    if options.watch:
        return _watch(run, reasoning, texts)
    for name in ("output", "title"):
        if getattr(options, name) is not None:
            return run.fail(f"--{name} goes with --watch, for its page")
    stopped, steps = None, 0
    try:
        for steps, step in enumerate(reasoning, start=1):
            run.print(_facts(step, steps) if options.json else _sentence(step, texts))
        stopped = reasoning.stopped
    except KeyboardInterrupt:
        stopped = "interrupt"
    facts = {name: getattr(reasoning, name) for name in ("solved", "stuck", "contradictory")}
    outcome = Outcome(nodes=reasoning.nodes, updates=reasoning.updates, seconds=reasoning.seconds, stopped=stopped)
    run.tell({"steps": steps, **facts}, "", outcome)
    if reasoning.stuck:
        run.say(f"stuck: {_left(reasoning)}")
    return run.end(stopped, reasoning.contradictory, "there may be more steps")


def _watch(run: Run, reasoning: dlx.Deduction[dlx.Step], texts: Texts) -> int:
    """Writes the page of the steps."""
    from dlx.show.dance import Told, check_size, steps_page, told  # with what only pages need

    if run.options.json:
        return run.fail("--json does not go with --watch, which writes a page")
    begun, found, interrupted = reasoning.roles, list[Told](), False
    title = run.options.title or f"Step by step: {os.path.basename(run.file)}"
    try:
        check_size(reasoning.problem)
        found.extend(told(reasoning, lambda step: _sentence(step, texts).rstrip()))
    except KeyboardInterrupt:
        interrupted = True
    except ValueError as error:
        return run.fail(f"{run.file}: {error}")
    status = run.put(run.output, steps_page(reasoning.problem, begun, found, title=title, end=_end(reasoning)).encode())
    stopped = "interrupt" if interrupted else reasoning.stopped
    return status or run.end(stopped, reasoning.contradictory, "the page has what was done until then")


def _end(reasoning: dlx.Deduction[dlx.Step]) -> str:
    """The end of the reasoning."""
    if reasoning.contradictory:
        return "There is no cover."
    if reasoning.solved:
        return "The options chosen are the only cover."
    return f"Stuck: {_left(reasoning)}." if reasoning.stuck else "There may be more steps."


def _left(reasoning: dlx.Deduction[dlx.Step]) -> str:
    left = counted(int((reasoning.roles == 1).sum()), "option")
    return f"{left} can be neither chosen nor ruled out by such steps"


def _sentence(step: dlx.Step, texts: Texts) -> str:
    """Returns a step as a line: its kind, its truths and links, and what they say of options."""
    truths, links = (", ".join(map(word, items)) for items in (step.truths, step.links))
    says = f"; out: {texts.line(step.out)}" if step.out else ""
    if step.kind == "single":
        return f"single: {truths}; in: {texts[step.chosen or 0]}{says}\n"
    if step.kind == "contradiction" and not links:
        return f"contradiction: {truths} has too few options\n"
    return f"{step.kind}: {truths} in {links}{says}\n"


def _facts(step: dlx.Step, number: int) -> str:
    """Returns a step for programs; options are numbered from 0."""
    truths, links = ([word(item) for item in items] for items in (step.truths, step.links))
    said = {name: getattr(step, name) for name in ("out", "chosen", "rank", "open")}
    return in_json(step=number, kind=step.kind, truths=truths, links=links, **said)
