"""The command `dlx deduce`: steps of reasoning, in sentences, as JSON, and on a page."""

from __future__ import annotations

import os

import dlx
from dlx.command.task import RefusedError, Task
from dlx.command.texts import Texts, in_json, word
from dlx.engine.limits import Outcome
from dlx.problem.words import counted


def deduce(
    task: Task,
    *,
    page: str | None = None,
    title: str | None = None,
    watch: bool = False,
    truths: int = 4,
    rank: int = 1,
    chain: int = 12,
) -> int:
    """Prints the steps of reasoning, each as it is found, or writes a page of them."""
    if task.json if watch else (page or title) is not None:
        raise RefusedError("--output and --title go with --watch, for its page, and --json without it")
    reasoning = dlx.deduce(task.problem, truths=truths, rank=rank, chain=chain, **task.limits("step"))
    if watch:
        return _watch(task, reasoning, page, title)
    steps, stopped = 0, None
    try:
        for steps, step in enumerate(reasoning, start=1):
            task.print(_facts(step, steps) if task.json else _sentence(step, task.texts))
        stopped = reasoning.stopped
    except KeyboardInterrupt:
        stopped = "interrupt"
    facts = {name: getattr(reasoning, name) for name in ("solved", "stuck", "contradictory")}
    outcome = Outcome(nodes=reasoning.nodes, updates=reasoning.updates, seconds=reasoning.seconds, stopped=stopped)
    task.tell({"steps": steps, **facts}, "", outcome)
    if reasoning.stuck:
        task.say(_end(reasoning).lower().removesuffix("."))
    return task.end(stopped, reasoning.contradictory, "there may be more steps")


def _watch(task: Task, reasoning: dlx.Deduction[dlx.Step], page: str | None, title: str | None) -> int:
    """Writes the page of the steps."""
    from dlx.show.dance import Told, check_size, steps_page, told  # with what only pages need

    begun, found, interrupted = reasoning.roles, list[Told](), False
    title = title or f"Step by step: {os.path.basename(task.file)}"
    check_size(reasoning.problem)
    try:
        found.extend(told(reasoning, lambda step: _sentence(step, task.texts).rstrip()))
    except KeyboardInterrupt:
        interrupted = True
    task.write(page, steps_page(reasoning.problem, begun, found, title=title, end=_end(reasoning)).encode())
    stopped = "interrupt" if interrupted else reasoning.stopped
    return task.end(stopped, reasoning.contradictory, "the page has what was done until then")


def _end(reasoning: dlx.Deduction[dlx.Step]) -> str:
    """Returns the end of the reasoning in a sentence."""
    if reasoning.contradictory:
        return "There is no cover."
    if reasoning.solved:
        return "The options chosen are the only cover."
    if not reasoning.stuck:
        return "There may be more steps."
    left = counted(int((reasoning.roles == 1).sum()), "option")
    return f"Stuck: {left} can be neither chosen nor ruled out by such steps."


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
