"""A run that is stopped: what is being done comes back as far as it is, nothing more begins, nobody is left behind."""

from __future__ import annotations

import subprocess
import sys
from multiprocessing import active_children
from pathlib import Path

import pytest
import tasks
from waiting import until

from dlx.extending import Crew, Workers


@pytest.mark.parametrize("threads", [True, False], ids=["threads", "processes"])
def test_stop(threads: bool, tmp_path: Path) -> None:
    """Of ten tasks two are being done: these see that the run is over, and their results come."""
    crew: Crew[int, str] = Crew(Workers(None, 2, threads), tasks.endless, str(tmp_path), lambda number: number)
    crew.todo.extend(range(10))
    until(lambda: crew.step(0.01) or {"0", "1"} <= {path.name for path in tmp_path.iterdir()})
    crew.stop()
    came = []
    while crew.flight:
        came += crew.step(1.0)
    crew.close()
    assert {result for _, result in came} == {"over"}
    assert {0, 1} <= {number for number, _ in came} < set(range(10))
    assert crew.step(0) == []


def test_close_ends_processes_that_do_not_hear(tmp_path: Path) -> None:
    """Processes of our own that are busy are killed, so that nobody waits for them; and the rest is not begun."""
    crew: Crew[int, None] = Crew(Workers(None, 2, threads=False), tasks.deaf, str(tmp_path), lambda number: number)
    crew.todo.extend(range(10))
    until(lambda: crew.step(0.01) or len(list(tmp_path.iterdir())) == 2)
    crew.close()
    assert active_children() == []
    assert len(list(tmp_path.iterdir())) == 2


def test_crews_are_loaded_when_they_are_asked_for() -> None:
    """`dlx.extending` has them, but neither pools nor multiprocessing are loaded before."""
    program = (
        "import sys, dlx.extending as e; print('concurrent.futures' in sys.modules); e.Crew;"
        "print('concurrent.futures' in sys.modules); e.Crow"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ended.stdout == "False\nTrue\n"
    assert "AttributeError: module 'dlx.extending' has no attribute 'Crow'" in ended.stderr
