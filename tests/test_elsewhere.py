"""Both commands answer without the parts of POSIX that other systems lack; only such a system can show more."""

from __future__ import annotations

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
CHECKPOINT = """
import os
from dlx.parallel.checkpoint import Checkpoint
place = os.path.join(tempfile.mkdtemp(), "run.checkpoint")
for k in range(2):
    with Checkpoint(place, {"problem": "abc"}) as checkpoint:
        print(checkpoint.load())
        checkpoint.save({"nodes": k})
        checkpoint.save({"nodes": k + 7})
        print(checkpoint.load())
with Checkpoint(other := f"{place}.none", {"problem": "abc"}):
    print(os.path.exists(other))
print(os.path.exists(other))
"""


COMMAND = "from {}.command.cli import main\nsys.exit(main({}))"
CONTEST = "examples/contest-1.txt"
DANCE = "examples/toys/dance.dlx"
PROGRAMS = {  # with what they print
    f"sudoku target {CONTEST}": "2829\n",
    f"sudoku count --limit 2 {CONTEST}": "2\n",
    f"dlx count {DANCE}": "1\n",
    f"dlx count --jobs 2 {DANCE}": "1\n",
    "sudoku target": "2829\n2829\n",  # of grids that come through a pipe, which cannot be polled
    EVERY: "",
    CHECKPOINT: "None\n{'nodes': 7}\n{'nodes': 7}\n{'nodes': 8}\nTrue\nFalse\n",  # though files cannot be locked
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.partition("\n")[0] or "modules")
@pytest.mark.slow
def test_answers_without_posix(program: str) -> None:
    """Files are read, answers written, and modules loaded where nothing of POSIX can be imported or asked."""
    package, *arguments = program.split()
    code = COMMAND.format(package, arguments) if "\n" not in program else program
    grids = f"{(ROOT / CONTEST).read_text(encoding='utf-8')}\n" * 2
    ended = run(f"{BEFORE}\n{code}", text=grids)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, PROGRAMS[program], "")
