"""Measures the processor time of a function, and runs functions in their own process with 8 GB of memory."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from multiprocessing.connection import Connection
from typing import Any, TypeVar

T = TypeVar("T")

ROUNDS = 9  # maximum number of rounds of a task
ENOUGH = 1.0  # processor seconds after which no further round begins
SHORT = 0.1  # minimum of processor seconds of a round; the clock may advance in steps of 0.004 s
MEMORY = 8 << 30  # limit of a process in bytes
NO_MEMORY = 3  # exit status of a process that reached the limit
MODULES = {
    "exact-cover": "exact_cover",
    "xcover": "xcover",
    "xcover, memo": "xcover",
    "pyxcc": "pyxcc",
    "Graphillion": "graphillion",
    "d4": "py_d4",
    "isomorphic": "pynauty",
    "CaDiCaL": "pysat",
    "CP-SAT": "ortools",
    "HiGHS": "highspy",
    "sudoku-rust": "sudoku_rust",
}


def installed(sides: Iterable[str]) -> list[str]:
    """Returns the sides whose packages are installed, and prints the other sides to stderr."""
    lacking = [side for side in sides if side in MODULES and find_spec(MODULES[side]) is None]
    for side in lacking:
        print(f"{side} is not installed: pip install -e '.[bench]'", file=sys.stderr)
    return [side for side in sides if side not in lacking]


def once(run: Callable[[], T]) -> tuple[float, T]:
    """Returns the processor seconds of a call, and its result."""
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


def least(run: Callable[[], T]) -> tuple[float, T]:
    """Returns the least processor seconds of several rounds, and the result.

    A round repeats a fast function for at least SHORT seconds, and takes the mean of its times.
    """
    rounds: list[float] = []
    begin = time.process_time()
    while not rounds or (len(rounds) < ROUNDS and time.process_time() - begin < ENOUGH):
        start, times, passed = time.process_time(), 0, 0.0
        while passed < SHORT:
            result = run()
            times, passed = times + 1, time.process_time() - start
        rounds.append(passed / times)
    return min(rounds), result


def apart(function: Callable[..., Iterator[T]], *arguments: Any) -> tuple[list[T], str | None]:
    """Runs a generator in a new process.

    Returns:
        The yielded values, and what stopped the process: None, "time" or "memory".
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(sender, function, arguments))
    process.start()
    sender.close()
    answers: list[T] = []
    with suppress(EOFError):
        while True:
            answers.append(receiver.recv())
    process.join()
    reasons = {0: None, -signal.SIGPROF: "time"}
    reasons |= dict.fromkeys((NO_MEMORY, -signal.SIGABRT, -signal.SIGKILL), "memory")
    if process.exitcode not in reasons:
        raise RuntimeError(f"{function.__module__}.{function.__name__} ended with status {process.exitcode}")
    return answers, reasons[process.exitcode]


def _serve(sender: Connection, function: Callable[..., Iterator[Any]], arguments: tuple[Any, ...]) -> None:
    """Sends the values of a generator to the other process."""
    import resource  # Windows lacks it

    os.environ["OMP_NUM_THREADS"] = "1"
    os.dup2(2, 1)  # the output of solvers goes to stderr
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        for answer in function(*arguments):
            sender.send(answer)
    except MemoryError:
        sys.exit(NO_MEMORY)


def limit_processor_time(seconds: float) -> None:
    """Ends this process after some more processor seconds; 0 removes the limit."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
