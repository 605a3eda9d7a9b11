"""Processes of our own: what kills one harms no other, and nothing of them is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

import pytest
import tasks
from processes import environment, run
from seeds import Nightly
from waiting import WAIT, until

from dlx.parallel.worker import DiedError, Processes

pytestmark = pytest.mark.slow


def wait_for(folder: Path) -> int:
    """The number of this process, when there is a file \"gate\"; another file tells that it is waited for."""
    (folder / str(os.getpid())).touch()
    until((folder / "gate").exists)
    return os.getpid()


@contextmanager
def processes(jobs: int, way: str | None = None) -> Iterator[Processes]:
    some = Processes(jobs, get_context(way))
    try:
        yield some
    finally:
        some.shutdown()


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
@pytest.mark.posix
def test_they_answer_whatever_they_are_asked(way: str) -> None:
    """Results, errors, what cannot be sent there or back, and a death are the answers of their own tasks only."""
    with processes(2, way) as some:
        futures = [some.submit(pow, 2, k) for k in range(50)]
        raised = some.submit(int, "no number")
        odd = some.submit(tasks.stubborn)
        unsendable = some.submit(tasks.unsendable, 1, 2, None)
        unsent = some.submit(print, threading.Lock())
        dead = some.submit(tasks.die)
        after = [some.submit(pow, 3, k) for k in range(50)]
        assert [future.result() for future in futures] == [2**k for k in range(50)]
        with pytest.raises(ValueError, match="no number"):
            raised.result()
        with pytest.raises(RuntimeError, match="StubbornError: 1 and 2"):
            odd.result()
        with pytest.raises(TypeError, match="it cannot be sent"):
            unsendable.result()
        with pytest.raises(TypeError, match="pickle"):
            unsent.result()
        with pytest.raises(DiedError, match=r"process \d+ has died"):
            dead.result()
        assert [future.result() for future in after] == [3**k for k in range(50)]
    assert not active_children()


@pytest.mark.posix
def test_a_death_is_that_of_one_task(tmp_path: Path) -> None:
    """The answer of one process comes when the one beside it is killed."""
    with processes(2) as some:
        both = [some.submit(wait_for, tmp_path) for _ in range(2)]
        until(lambda: len(list(tmp_path.iterdir())) == 2)
        one, other = (child.pid for child in active_children())
        assert one is not None
        os.kill(one, signal.SIGKILL)
        (tmp_path / "gate").touch()
        answers: list[Any] = [future.exception(WAIT) or future.result() for future in both]
        assert sorted(map(str, answers)) == sorted([str(other), f"process {one} has died"])


def test_the_end_waits_for_nobody(tmp_path: Path) -> None:
    """Tasks under way are killed, others never begin, and no file stays open."""
    before = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0
    for k in range(5):
        some = Processes(2)
        futures = [some.submit(tasks.deaf, str(tmp_path), 6 * k + task, bool) for task in range(6)]
        until(lambda: len(list(tmp_path.iterdir())) == 2 * (k + 1))  # noqa: B023  (it is called here only)
        some.shutdown()
        assert sum(future.cancelled() for future in futures) >= 4
        assert all(future.done() for future in futures)
    assert not active_children()
    if before:
        assert len(list(Path("/proc/self/fd").iterdir())) <= before


def test_the_end_while_much_is_being_done() -> None:
    """Many processes that are busy with short tasks end with the rest."""
    for _ in range(10 if Nightly.on else 2):
        some = Processes(24)
        futures = [some.submit(sum, range(50_000)) for _ in range(400)]
        futures[30].result()
        some.shutdown()
    assert not active_children()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked")
def test_none_is_left_where_some_cannot_start() -> None:
    """An error about too few files for all processes leaves none of those that have begun."""
    program = (
        "import resource; from multiprocessing import active_children; from dlx.parallel.worker import Processes\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)); some = Processes(30)\n"
        "try: some.submit(pow, 2, 3)\n"
        "except OSError as error: print(error.strerror, active_children())"
    )
    assert run(program).stdout == "Too many open files []\n"


ORPHANS = {
    "fork": """
some = Processes(8, get_context("fork"))
some._begin()
""",
    "pool": """
pool = ProcessPoolExecutor(8, get_context("fork"), initializer=os.sched_yield)
Workers(pool, None)
Workers(pool, None).submit(int, "3").result()
""",
    "while they begin": """
def late(parent: int) -> None:
    while os.getppid() == main:
        os.sched_yield()
    watch(parent)

main, watch, worker.watch_parent = os.getpid(), worker.watch_parent, late
some = Processes(8, get_context("fork"))
some._begin()
if os.fork() == 0:  # what keeps their pipes open
    os.closerange(0, 3)
    signal.alarm(60)
    signal.pause()
""",
}
BEGIN = """
import os, signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import active_children, get_context
from dlx.parallel import worker
from dlx.parallel.crew import Workers
from dlx.parallel.worker import Processes

worker.ORPHANED = .01
"""
KILLED = """
print(len(active_children()), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("who", ORPHANS)
@pytest.mark.posix
def test_they_end_with_their_program(who: str) -> None:
    """Processes whose program is killed before they have had anything to do end: its output, which they hold, ends."""
    assert run(BEGIN + ORPHANS[who] + KILLED).stdout == "8\n"


FORKSERVER = """
import multiprocessing, signal

def mask() -> None:
    print(signal.pthread_sigmask(signal.SIG_BLOCK, []), flush=True)

if __name__ == "__main__":
    from dlx.parallel.worker import Processes
    multiprocessing.set_start_method("forkserver")
    lock = multiprocessing.Lock()
    some = Processes(1)
    print(some.submit(pow, 2, 3).result(), flush=True)
    user = multiprocessing.Process(target=mask)
    user.start()
    user.join()
    some.shutdown()
"""


@pytest.mark.posix
def test_others_can_be_interrupted(tmp_path: Path) -> None:
    """A server that forks processes, ours and others, blocks no signals."""
    path = tmp_path / "program.py"
    path.write_text(FORKSERVER)
    ended = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=environment(), timeout=WAIT)
    assert (ended.stdout, ended.stderr) == ("8\nset()\n", "")
