"""A run that is stopped: what is being done comes back as far as it is, nothing more begins, nobody is left behind."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing import active_children, get_start_method

import pytest

from dlx.extending import Crew, Workers


def wait(context: float, task: int, over: Callable[[], bool]) -> str:
    """Waits so many seconds, or until the run is over."""
    end = time.monotonic() + context
    while time.monotonic() < end:
        if over():
            return "stopped"
        time.sleep(0.001)
    return "done"


@pytest.mark.parametrize("threads", [True, False], ids=["threads", "processes"])
def test_stop(threads: bool) -> None:
    """Of ten tasks two are being done: these see that the run is over, and their results come."""
    crew: Crew[int, str] = Crew(Workers(None, 2, threads), wait, 60.0, lambda number: number)
    crew.todo.extend(range(10))
    quick = threads or get_start_method() == "fork"  # other processes take a second to begin
    assert crew.step(0.3 if quick else 5.0) == []
    crew.stop()
    came = []
    while crew.flight:
        came += crew.step(1.0)
    crew.close()
    assert {result for _, result in came} == {"stopped"}
    assert {0, 1} <= {number for number, _ in came} < set(range(10))
    assert crew.step(0) == []


def forgetful(context: float, task: int, over: Callable[[], bool]) -> str:
    """Never asks whether the run is over."""
    time.sleep(context)
    return "done"


def test_close_ends_processes_that_do_not_hear() -> None:
    """Processes of our own that are busy are killed, so that nobody waits for them; and the rest is not begun."""
    crew: Crew[int, str] = Crew(Workers(None, 2, threads=False), forgetful, 60.0, lambda number: number)
    crew.todo.extend(range(10))
    crew.step(0.3)
    begun = time.monotonic()
    crew.close()
    assert time.monotonic() - begun < 10
    assert active_children() == []


def test_crews_are_loaded_when_they_are_asked_for() -> None:
    """`dlx.extending` has them, but neither pools nor multiprocessing are loaded before."""
    program = (
        "import sys, dlx.extending as e; print('concurrent.futures' in sys.modules); e.Crew;"
        "print('concurrent.futures' in sys.modules); e.Crow"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.stdout == "False\nTrue\n"
    assert "AttributeError: module 'dlx.extending' has no attribute 'Crow'" in ended.stderr
