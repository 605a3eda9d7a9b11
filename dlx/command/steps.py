"""The command `dlx deduce`: steps of reasoning, in sentences and as JSON."""

from __future__ import annotations

import dlx
from dlx.command.task import Task
from dlx.command.texts import Texts, in_json, word
from dlx.engine.limits import Outcome
from dlx.problem.words import counted


def deduce(
    task: Task,
    *,
    truths: int = 4,
    rank: int = 1,
    chain: int = 12,
) -> int:
    """Prints the steps of reasoning, each as it is found."""
    reasoning = dlx.deduce(task.problem, truths=truths, rank=rank, chain=chain, **task.limits("step"))
    steps = 0
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
        left = counted(int((reasoning.roles == 1).sum()), "option")
        task.say(f"stuck: {left} can be neither chosen nor ruled out by such steps")
    return task.end(stopped, reasoning.contradictory, "there may be more steps")


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
