"""Imported before all else: Ctrl-C while a command loads its modules, a tenth of a second, ends it without a traceback.

Afterwards the command has its own way to answer Ctrl-C (`dlx.command.conduct`). In a program that is not the command of
its package, nothing changes. Each package with a command has a copy of this file: an import from another package would
load all of that one first.
"""

from __future__ import annotations

import os
import signal
import sys


def is_command(name: str) -> bool:
    """Tells whether this process is `python -m NAME`, or the script of that name beside the interpreter."""
    if sys.argv[:1] == ["-m"]:  # until the package has been imported; then it is a path
        return sys.orig_argv[-len(sys.argv)] == name
    folder, program = os.path.split("".join(sys.argv[:1]))
    beside = os.path.join(os.path.dirname(sys.executable or ""), name)
    return program == name and os.path.realpath(os.path.join(folder, program)) == os.path.realpath(beside)


def end_at_once(number: int, frame: object) -> None:
    """Ends the process; nothing has been written yet that would have to be finished."""
    os._exit(128 + number)


if is_command(__name__.partition(".")[0]) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, end_at_once)
