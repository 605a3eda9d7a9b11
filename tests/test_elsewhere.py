"""Both commands answer without the parts of POSIX that other systems lack; only such a system can show more."""

from __future__ import annotations

import json

import pytest
from processes import ROOT, run

# What Windows has not, of all that the standard library has on Linux and that a program like this might use.
MODULES = ["fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty"]
ATTRIBUTES = {
    "os": ["O_CLOEXEC", "fork", "getuid", "killpg", "pread", "readv", "register_at_fork", "sched_getaffinity"],
    "select": ["PIPE_BUF", "epoll", "poll"],
    "signal": ["SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGSTOP", "pthread_kill", "pthread_sigmask"],
}
BEFORE = f"""
import os, select, signal, subprocess, sys, tempfile  # which ask themselves what there is
for module in {MODULES}:
    sys.modules[module] = None
for module, names in {ATTRIBUTES}.items():
    for name in names:
        delattr(sys.modules[module], name)
"""


EVERY = """
from pkgutil import walk_packages
import dlx, sudoku
for package in (dlx, sudoku):
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            __import__(module.name)
"""
JOURNAL = """
import os
from dlx import Problem
from dlx.parallel.journal import Journal, tell
from dlx.parallel.cutting import split
place = os.path.join(tempfile.mkdtemp(), "run.journal")
problem = Problem.from_options(["ab", "bc", "c", "a"])
for _ in range(2):
    journal = Journal(place, {"problem": "abc"}, lambda: split(problem))
    print(journal.pieces[0].covers, len(tell(place)[1]))
    journal.pieces[0].covers = 7
    journal.note(0)
    journal.close()
"""


def command(package: str, *arguments: str) -> str:
    """Runs a command in a process without those parts."""
    return f"{BEFORE}\nfrom {package}.command.cli import main\nsys.exit(main({json.dumps(arguments)}))"


@pytest.mark.parametrize(
    ("package", "arguments", "answer"),
    [
        ("sudoku", ["target", "examples/contest-1.txt"], "2829\n"),
        ("sudoku", ["count", "--limit", "2", "examples/contest-1.txt"], "2\n"),
        ("dlx", ["count", "examples/toys/dance.dlx"], "1\n"),
        ("dlx", ["count", "--jobs", "2", "examples/toys/dance.dlx"], "1\n"),
    ],
)
@pytest.mark.slow
def test_commands_answer_without_posix(package: str, arguments: list[str], answer: str) -> None:
    """Files are read and answers written where nothing of POSIX can be imported or asked."""
    ended = run(command(package, *arguments))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, answer, "")


def test_grids_come_through_a_pipe_without_poll() -> None:
    """Grids from a pipe that cannot be polled are answered all the same."""
    text = (ROOT / "examples" / "contest-1.txt").read_text(encoding="utf-8")
    ended = run(command("sudoku", "target"), text=2 * f"{text}\n")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "2829\n2829\n", "")


@pytest.mark.slow
def test_every_module_can_be_imported_without_posix() -> None:
    """No module of the packages, compiled or not, needs a part of POSIX to be imported."""
    ended = run(f"{BEFORE}\n{EVERY}")
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_journal_needs_no_locks() -> None:
    """A journal is gone on with where files cannot be locked, and can be asked while it is written."""
    ended = run(f"{BEFORE}\n{JOURNAL}")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "0 1\n7 1\n"
