"""The command `best`: the best covers, and the proof of one."""

from __future__ import annotations

from typing import Any, Literal

import dlx
from dlx.command.console import INTERRUPTED
from dlx.command.task import MOST, STOPPED_BY, RefusedError, Task

COARSE = 1e-6  # fraction of a score from which on a tolerance is printed

Sense = Literal["min", "max"]


def best(
    task: Task,
    *,
    seed: int = 0,
    k: int = 1,
    sense: Sense = "min",
    gap: float = 0.0,
    start: str | None = None,
    certificate: str | None = None,
) -> int:
    """Prints the best covers, and writes the proof of one."""
    known = None if start is None else _known(start, task.problem.n_options)
    settings: dict[str, Any] = {
        "seed": seed,
        "gap": gap,
        "start": known,
        "certificate": certificate is not None,
    }
    with task.warnings_told(), task.workers() as who:
        result = dlx.best(task.problem, sense, k, checkpoint=task.checkpoint, **settings, **task.limits(), **who)
    _print(task, result)
    if certificate is not None:
        _save(task, result, certificate)
    task.draw({k: cover.options for k, cover in enumerate(result.covers[:MOST], 1)}, len(result.covers))
    return end_of_best(task, result, sense)


def _known(file: str, n_options: int) -> list[int]:
    """Returns the options, from 0, of the cover in the first line of a file, as `--numbers` prints it."""
    with open(file, encoding="utf-8", errors="replace") as lines:
        words = lines.readline().rpartition("\t")[2].replace("|", " ").split()
    numbers = [int(word) for word in words if word.isdecimal() and len(word) < 19]
    if not words or len(numbers) < len(words) or not all(1 <= number <= n_options for number in numbers):
        raise RefusedError(f"{file}: this is no cover as --numbers prints it, with options from 1 to {n_options}")
    return [number - 1 for number in numbers]


def _print(task: Task, result: dlx.Best) -> None:
    """Prints the covers, and in text the tolerance of the proof if it is large."""
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
    if not result.proven:
        lack = "there is no proof"
    elif result.stopped is None:
        lack = "it would take more than 128 MB; the answer is proven"
    else:
        lack = f"{STOPPED_BY[result.stopped][0]} came first; the answer is proven"
    task.say(f"{certificate}: not written, since {lack}")


def end_of_best(task: Task, result: dlx.Best, sense: Sense) -> int:
    """Returns the exit status of a search for the best cover."""
    if result.proven:  # what stopped the search for a certificate is told with that
        return INTERRUPTED if result.stopped == "interrupt" else task.end(None, not result.covers, "")
    side = "above" if sense == "max" else "below"
    bound = "" if result.bound is None else f", but none with a score {side} {result.bound}"
    rest = f"{'better ' if result.covers else ''}{task.found}s"
    return task.end(result.stopped, not result.covers, f"there may be {rest}{bound}")
