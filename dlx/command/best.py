"""The command `best`: the best covers, and the proof of one."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext
from typing import Literal

import dlx
from dlx.command.output import INTERRUPTED
from dlx.command.parallel import workers
from dlx.command.task import MOST, STOPPED_BY, RefusedError, Task

COARSE = 1e-6  # fraction of a score from which on a tolerance is printed

Sense = Literal["min", "max"]


def best(
    task: Task,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    checkpoint: str | None = None,
    timeout: float | None = None,
    max_nodes: int | None = None,
    seed: int = 0,
    svg: str | None = None,
    k: int = 1,
    sense: Sense = "min",
    gap: float = 0.0,
    mip: bool = False,
    start: str | None = None,
    certificate: str | None = None,
) -> int:
    """Prints the best covers, and writes the proof of one."""
    for option, given in (("--certificate is the proof of", certificate is not None), ("--mip is for", mip)):
        if given and k > 1:
            raise RefusedError(f"{option} one cover: -k cannot be given")
    if start == "-" and task.file == "<stdin>":
        raise RefusedError("--start - is standard input, where the problem is: one of them must be in a file")
    problem = task.problem
    with task.warnings_told(), workers(task.console, jobs, scheduler, timeout) as who:
        try:
            result = dlx.best(
                problem,
                sense,
                k,
                seed=seed,
                start=None if start is None else _known(start, problem.n_options),
                gap=gap,
                certificate=certificate is not None,
                mip=mip,
                checkpoint=checkpoint,
                **task.limits(timeout, max_nodes),
                **who,
            )
        except ImportError as error:
            raise RefusedError(f"--mip: {error}") from None
        except dlx.CheckpointError:
            raise
        except ValueError as error:  # of the known cover: all else has been checked
            by_number = isinstance(error, dlx.ProblemError) and not str(error).startswith(
                "start is no cover: the item "
            )
            where = "<stdin>" if start == "-" else start
            raise RefusedError(f"{where}: {error}{' (numbered from 0)' * by_number}") from None
    _print(task, result)
    if certificate is not None:
        _save(task, result, certificate)
    drawn = {k: cover.options for k, cover in enumerate(result.covers[:MOST], 1)}
    task.draw(svg, drawn, len(result.covers))
    return end_of_best(task, result, sense, checkpoint)


def _known(file: str, n_options: int) -> list[int]:
    """Returns the options of the cover in a file, from 0: its first line, as `--numbers` prints it."""
    if file == "-" and sys.stdin is None:
        raise ValueError("it is closed")
    with nullcontext(sys.stdin) if file == "-" else open(file, encoding="utf-8", errors="replace") as lines:
        line = lines.readline()
    if not line:
        raise ValueError("it is empty; a cover is a line of numbers, as --numbers prints it")
    numbers = line.rpartition("\t")[2].replace("|", " ").split()
    for number in numbers:
        if not re.fullmatch("[0-9]{1,18}", number) or not 1 <= int(number) <= n_options:
            raise ValueError(f"{number!r:.40} is no number of an option, from 1 to {n_options}")
    return [int(number) - 1 for number in numbers]


def _print(task: Task, result: dlx.Best) -> None:
    """Prints the covers, and in text who has proven them if that is not plain."""
    texts = task.texts
    text = "".join([texts.scored(cover.score, cover.options) for cover in result.covers])
    covers = [{"score": cover.score, **texts.facts(cover.options)} for cover in result.covers] if task.json else []
    facts = {name: getattr(result, name) for name in ("bound", "proven", "proof", "tolerance")}
    task.tell({"score": result.score, "best": covers, **facts}, text, result)
    if task.json or not result.proven:
        return
    if result.proof == "highs":
        task.say(f"proven by HiGHS, in floating point, to within {result.tolerance:.3g}")
    elif result.score is not None and result.tolerance > COARSE * abs(result.score):
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
    elif result.proof == "highs":
        lack = "the proof is one by HiGHS"
    elif result.stopped is None:
        lack = "it would take more than 128 MB; the answer is proven"
    else:
        lack = f"{STOPPED_BY[result.stopped][0]} came first; the answer is proven"
    task.say(f"{certificate}: not written, since {lack}")


def end_of_best(task: Task, result: dlx.Best, sense: Sense, checkpoint: str | None = None) -> int:
    """Returns the exit status of a search for the best cover."""
    if result.proven:  # what stopped the search for a certificate is told with that
        return INTERRUPTED if result.stopped == "interrupt" else task.end(None, not result.covers, "")
    side = "above" if sense == "max" else "below"
    bound = "" if result.bound is None else f", but none with a score {side} {result.bound}"
    rest = f"{'better ' if result.covers else ''}{task.found}s"
    return task.end(result.stopped, not result.covers, f"there may be {rest}{bound}", checkpoint)
