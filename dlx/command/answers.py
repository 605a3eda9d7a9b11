"""The commands that print covers or their number: `count`, `solve`, `first`, `sample`, `classify` and `best`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import numpy as np

import dlx
from dlx.command.console import INTERRUPTED, one_interrupt_noted, so_far
from dlx.command.task import MOST, STOPPED_BY, RefusedError, Sense, Task
from dlx.command.texts import in_json
from dlx.counting.count import Merge
from dlx.engine.limits import Outcome, Stop
from dlx.search.covers import Block, Covers

PULSE = 0.1  # maximum seconds from finding a cover to printing it
COARSE = 1e-6  # a tolerance above this fraction of the score is printed


def count(
    task: Task,
    *,
    merge: Merge = "auto",
    up_to: Literal["symmetry"] | None = None,
    memory: int | None = None,
) -> int:
    """Prints the number of covers."""
    if up_to is not None and (task.limit is not None or task.checkpoint is not None):
        raise RefusedError("--up-to cannot be combined with --limit or --checkpoint: orbits are counted together")
    try:
        group = None if up_to is None else task.symmetries()
    except TimeoutError as error:
        return task.end("timeout", False, str(error))
    limits = {"memory": memory, "jobs": task.jobs, "checkpoint": task.checkpoint, **task.limits()}
    result = dlx.count(task.problem, merge=merge, up_to=group, **limits)
    known = group is None or result.stopped is None
    merged = {name: getattr(result, name) for name in ("merged", "hits", "states", "memory", "doubt")}
    facts = {"covers": result.covers if known else None, "kernel": result.kernel, **merged}
    task.tell(facts, f"{so_far(result.covers, result.stopped in STOPPED_BY)}\n" if known else "", result)
    rest = (
        f"there may be more {task.found}s"
        if group is None
        else "no kinds are known before the end; `dlx classify` is faster if kinds are few"
    )
    return task.end(result.stopped, False, rest)


def solve(task: Task, *, seed: int | None = None) -> int:
    """Prints covers as they are found."""
    progress = task.limits()["progress"]
    search = dlx.covers(task.problem, seed=seed, progress=progress, ordered=True, jobs=task.jobs)
    with one_interrupt_noted() as interrupted:
        for block in _blocks(task, search, interrupted):
            task.print_covers(block)
    stopped: Stop | None = None if search.exhausted else search.stopped or "interrupt"
    outcome = Outcome(nodes=search.nodes, updates=search.updates, seconds=search.seconds, stopped=stopped)
    task.tell({"covers": task.printed, "kernel": search.kernel}, "", outcome)
    status = task.end(stopped, not task.printed, f"there may be more {task.found}s")
    task.draw()
    return status


def _blocks(task: Task, search: Covers, interrupted: Callable[[], bool]) -> Iterator[Block]:
    """Yields the covers in blocks, each at most PULSE seconds after its covers were found."""
    end = time.monotonic() + (math.inf if task.timeout is None else task.timeout)
    while not search.exhausted and not interrupted():
        left = end - time.monotonic()  # includes the time for printing
        pulse = search.seconds + max(0.0, min(left, PULSE))
        search.limit(max_covers=task.limit, max_nodes=task.max_nodes, timeout=pulse)
        block = next(search.blocks(task.at_once), None)
        if block is not None:
            yield block
        elif search.stopped in ("max_covers", "max_nodes") or left <= PULSE:
            return
    search.limit(max_covers=search.covers)  # after Ctrl-C, the covers found so far are still yielded
    yield from search.blocks()
    search.limit()  # no limit has stopped the search, so it continues without limits


def first(task: Task, *, seed: int | None = None) -> int:
    """Prints the first cover that is found."""
    result = dlx.first(task.problem, seed=seed, jobs=task.jobs, **task.limits())
    if result.cover is not None:
        task.print_covers(np.array([result.cover], dtype=np.int32))
    task.tell({"covers": task.printed}, "", result)
    status = task.end(result.stopped, not task.printed, f"there may be a {task.found}")
    task.draw()
    return status


def sample(task: Task, *, n: int = 1, memory: int | None = None, seed: int = 0) -> int:
    """Prints covers drawn at random."""
    try:
        diagram = dlx.diagram(task.problem, memory=memory, **task.limits())
    except TimeoutError as error:
        return task.end("timeout", False, str(error))
    for block in diagram.samples(n if diagram else 0, seed):
        task.print_covers(block)
    task.tell({"covers": diagram.covers, "nodes": diagram.nodes, "edges": diagram.edges}, "")
    task.draw()
    return task.end(None, not diagram, "")


def classify(task: Task, *, memory: int | None = None) -> int:
    """Prints one cover of each kind."""
    try:
        classes = dlx.classify(task.problem, memory=memory, **task.limits("kind"))
    except MemoryError as error:
        _print_kinds(task, getattr(error, "kinds", []))
        raise
    _print_kinds(task, classes)
    order = None if classes.symmetries is None else classes.symmetries.order
    task.tell({"kinds": len(classes), "covers": classes.covers, "symmetries": order}, "", classes)
    rest = "the symmetries had not been found yet" if order is None else "there may be more kinds"
    return task.end(classes.stopped, not classes, rest)


def _print_kinds(task: Task, classes: Sequence[dlx.Kind]) -> None:
    """Prints a line for each kind."""
    texts = task.texts
    lines = (
        in_json(kind=k, covers=kind.size, **texts.facts(kind.cover))
        if task.json
        else texts.scored(kind.size, kind.cover)
        for k, kind in enumerate(classes, start=1)
    )
    task.console.print("".join(lines))


def best(
    task: Task,
    *,
    seed: int = 0,
    k: int = 1,
    sense: Sense | None = None,
    gap: float = 0.0,
    weights: str | None = None,
    certificate: str | None = None,
) -> int:
    """Prints the best covers, and writes a certificate."""
    if weights is not None:
        task.weigh(weights)
    sense = task.sense(sense)
    limits = {"seed": seed, "gap": gap, "jobs": task.jobs, "checkpoint": task.checkpoint, **task.limits()}
    with task.warnings_printed():
        result = dlx.best(task.problem, sense, k, certificate=certificate is not None, **limits)
    _print(task, result)
    if certificate is not None:
        _save(task, result, certificate)
    task.drawn, task.printed = [cover.options for cover in result.covers[:MOST]], len(result.covers)
    task.draw()
    return end_of_best(task, result, sense)


def _print(task: Task, result: dlx.Best) -> None:
    """Prints the covers; a message has the tolerance of the proof if it is large."""
    texts = task.texts
    text = "".join([texts.scored(cover.score, cover.options) for cover in result.covers])
    covers = [{"score": cover.score, **texts.facts(cover.options)} for cover in result.covers] if task.json else []
    facts = {name: getattr(result, name) for name in ("bound", "proven", "tolerance")}
    task.tell({"score": result.score, "best": covers, **facts}, text, result)
    if task.json or not result.proven or result.score is None:
        return
    if result.tolerance > COARSE * abs(result.score):
        task.console.say(f"weights are so large that a cover may be better by {result.tolerance:.3g}")


def _save(task: Task, result: dlx.Best, certificate: str) -> None:
    """Writes the certificate, or prints why there is none."""
    if result.certificate is not None:
        try:
            result.certificate.save(certificate)
        except OSError as error:
            raise RefusedError(f"{certificate}: {error.strerror}") from None
        return
    lack = "a limit came first, or it would take more than 128 MB; the answer is proven"
    task.console.say(f"{certificate}: not written, since {lack if result.proven else 'there is no proof'}")


def end_of_best(task: Task, result: dlx.Best, sense: Sense) -> int:
    """Returns the exit status of a search for the best cover."""
    if result.proven:  # the message about the certificate says what stopped the second search
        return INTERRUPTED if result.stopped == "interrupt" else task.end(None, not result.covers, "")
    side = "above" if sense == "max" else "below"
    bound = "" if result.bound is None else f", but none with a score {side} {result.bound}"
    rest = f"{'better ' if result.covers else ''}{task.found}s"
    return task.end(result.stopped, not result.covers, f"there may be {rest}{bound}")
