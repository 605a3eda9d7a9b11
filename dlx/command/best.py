"""The command `best`: the best covers, and the proof of one."""

from __future__ import annotations

from typing import Any, Literal

import dlx
from dlx.command.console import INTERRUPTED
from dlx.command.task import MOST, RefusedError, Task

COARSE = 1e-6  # a tolerance above this fraction of the score is printed

Sense = Literal["min", "max"]


def best(
    task: Task,
    *,
    seed: int = 0,
    k: int = 1,
    sense: Sense = "min",
    gap: float = 0.0,
    weights: str | None = None,
    certificate: str | None = None,
) -> int:
    """Prints the best covers, and writes a certificate."""
    if weights is not None:
        task.weigh(weights)
    settings: dict[str, Any] = {
        "seed": seed,
        "gap": gap,
        "certificate": certificate is not None,
        "jobs": task.jobs,
        "checkpoint": task.checkpoint,
    }
    with task.warnings_printed():
        result = dlx.best(task.problem, sense, k, **settings, **task.limits())
    _print(task, result)
    if certificate is not None:
        _save(task, result, certificate)
    task.drawn, task.printed = [cover.options for cover in result.covers[:MOST]], len(result.covers)
    task.draw()
    return end_of_best(task, result, sense)


def _print(task: Task, result: dlx.Best) -> None:
    """Prints the covers; text output also has the tolerance of the proof if it is large."""
    texts = task.texts
    text = "".join([texts.scored(cover.score, cover.options) for cover in result.covers])
    covers = [{"score": cover.score, **texts.facts(cover.options)} for cover in result.covers] if task.json else []
    facts = {name: getattr(result, name) for name in ("bound", "proven", "tolerance")}
    task.tell({"score": result.score, "best": covers, **facts}, text, result)
    if task.json or not result.proven or result.score is None:
        return
    if result.tolerance > COARSE * abs(result.score):
        task.say(f"weights are so large that a cover may be better by {result.tolerance:.3g}")


def _save(task: Task, result: dlx.Best, certificate: str) -> None:
    """Writes the certificate, or says why there is none."""
    if result.certificate is not None:
        try:
            result.certificate.save(certificate)
        except OSError as error:
            raise RefusedError(f"{certificate}: {error.strerror}") from None
        return
    lack = "a limit came first, or it would take more than 128 MB; the answer is proven"
    task.say(f"{certificate}: not written, since {lack if result.proven else 'there is no proof'}")


def end_of_best(task: Task, result: dlx.Best, sense: Sense) -> int:
    """Returns the exit status of a search for the best cover."""
    if result.proven:  # what stopped the search for a certificate is told with that
        return INTERRUPTED if result.stopped == "interrupt" else task.end(None, not result.covers, "")
    side = "above" if sense == "max" else "below"
    bound = "" if result.bound is None else f", but none with a score {side} {result.bound}"
    rest = f"{'better ' if result.covers else ''}{task.found}s"
    return task.end(result.stopped, not result.covers, f"there may be {rest}{bound}")
