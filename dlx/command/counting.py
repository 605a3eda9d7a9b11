"""The commands that count covers: `count`, and `sample` and `classify`, which know how many there are of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import dlx
from dlx.command import so_far
from dlx.command.task import STOPPED_BY, RefusedError, Task
from dlx.command.texts import in_json
from dlx.counting.count import Merge
from dlx.search.covers import BLOCK


def count(
    task: Task,
    *,
    merge: Merge = "auto",
    up_to: Literal["symmetry"] | None = None,
    memory: int | None = None,
) -> int:
    """Prints how many covers there are."""
    if up_to is not None and (task.limit is not None or task.checkpoint is not None):
        raise RefusedError("--up-to goes without --limit and --checkpoint: kinds are not found one by one")
    try:
        group = None if up_to is None else task.symmetries()
    except TimeoutError as error:
        return task.end("timeout", False, str(error))
    settings: dict[str, Any] = {
        "merge": merge,
        "memory": memory,
        "jobs": task.jobs,
        "checkpoint": task.checkpoint,
    }
    result = dlx.count(task.problem, up_to=group, **settings, **task.limits())
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
    for start in range(0, len(classes), BLOCK):
        some = [(k, classes[k]) for k in range(start, min(start + BLOCK, len(classes)))]
        if task.json:
            task.print("".join([in_json(kind=k + 1, covers=c.size, **task.texts.facts(c.cover)) for k, c in some]))
        else:
            task.print("".join([task.texts.scored(c.size, c.cover) for _, c in some]))
