"""Imported first: Ctrl-C while a command loads its modules ends it without a traceback.

Loading takes a tenth of a second. Afterwards the command handles Ctrl-C (`dlx.command.conduct`). A package with a
command sets `__command__ = True` before it imports this module; in other programs nothing changes.
"""

import _signal as signal  # type: ignore[import-not-found]  # there already; `signal` takes milliseconds to load
import os
import sys


def command() -> str | None:
    """Returns NAME if this process is `python -m NAME`, or an installed script with this name."""
    if sys.argv[:1] == ["-m"]:  # until the package has been imported; then it is a path
        return sys.orig_argv[-len(sys.argv)]
    path = "".join(sys.argv[:1])
    name = os.path.basename(path)
    try:
        with open(path, "rb") as script:
            return name if f"from {name}.command.cli import main".encode() in script.read(4096) else None
    except OSError:  # for example an interactive interpreter
        return None


def end_at_once(number: int, frame: object) -> None:
    """Ends the process; no output has been written yet."""
    os._exit(128 + number)


package = sys.modules.get(command() or "")
if getattr(package, "__command__", False) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, end_at_once)
