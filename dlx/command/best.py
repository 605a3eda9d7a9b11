"""The command `best`: the best covers, and the proof of one."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal

import dlx
from dlx.command.console import INTERRUPTED, NONE
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
    check: str | None = None,
) -> int:
    """Prints the best covers and writes a certificate; with `check`, checks a certificate instead."""
    if weights is not None:
        task.weigh(weights)
    if check is not None:
        others = (seed, k > 1, gap, certificate, task.jobs, task.timeout, task.max_nodes, task.checkpoint)
        if any(others) or task.svg:
            raise RefusedError("--check does not search: it takes only --min, --max, --weights and --json")
        return _check(task, check, sense)
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


def _check(task: Task, file: str, sense: Sense) -> int:
    """Prints what the certificate in a file proves about the problem; returns the exit status."""
    try:
        certificate = dlx.Certificate.load(file)
    except dlx.CertificateError as error:
        raise RefusedError(str(error)) from None
    try:
        bound = certificate.check(task.problem, sense)
    except dlx.CertificateError as error:
        task.say(f"{file} proves nothing about {task.file}: {error}")
        return NONE
    if bound is None:
        task.tell({"certificate": file, "bound": None}, "there is no cover\n")
        return 0
    shown = _outwards(bound, sense)
    side = "below" if sense == "min" else "above"
    task.tell({"certificate": file, "bound": shown}, f"no score is {side} {shown}\n")
    return 0


def _outwards(bound: Fraction, sense: Sense) -> int | float:
    """Returns a bound as an int, or as a float that is also a bound."""
    if bound.denominator == 1:
        return int(bound)
    value, worst = float(bound), -math.inf if sense == "min" else math.inf
    is_bound = value <= bound if sense == "min" else value >= bound
    return value if is_bound else math.nextafter(value, worst)


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
