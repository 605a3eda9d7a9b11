"""The progress bar of `progress=True`, for terminals and notebooks; the layout is tqdm's (https://tqdm.github.io)."""

from __future__ import annotations

import math
import os
import sys
import time

from dlx.engine.progress import Progress
from dlx.problem.words import plural

INTERVAL = 0.1  # seconds between two updates, as tqdm's `mininterval`
DELAY = 0.3  # seconds before the first update: short searches show no bar
SURE = 10**15  # larger numbers are shown by their size alone, and without a rate


class Line:
    """A line on the terminal of stderr, overwritten in place.

    Attributes:
        visible: whether stderr is a terminal.
        width: the length of the text shown.
    """

    def __init__(self) -> None:
        self.visible = sys.stderr is not None and sys.stderr.isatty()
        self.width = 0

    def put(self, text: str) -> None:
        """Replaces the text of the line."""
        padded = text.ljust(self.width)
        self.width = len(text)  # set before writing: Ctrl-C may come in between
        self._show(f"\r{padded}")

    def erase(self) -> None:
        """Takes the line off the terminal."""
        if self.width:
            self._show(f"\r{' ' * self.width}\r")
            self.width = 0

    def _show(self, text: str) -> None:
        try:
            print(text, end="", file=sys.stderr, flush=True)
        except (OSError, ValueError):  # the terminal is closed
            self.visible = False


def columns() -> int:
    """Returns the width of the terminal, or 80."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


class Bar:
    """A `progress` callback that draws a bar in a terminal or a notebook, erased at the end.

    Parameters:
        most: the `max_covers` of the search, or None.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._due = time.monotonic() + DELAY
        self._last: Progress | None = None  # the last report if not yet shown
        self._line = Line()
        self._line.visible |= _is_notebook()

    def __call__(self, seen: Progress) -> None:
        self._last = seen
        if self._line.visible and time.monotonic() >= self._due:
            self._show(seen)

    def _show(self, seen: Progress) -> None:
        self._due, self._last = time.monotonic() + INTERVAL, None
        left, part, right = parts(seen, self._most)
        room = columns() - 1  # a full line would break
        if part is not None:
            full = "█" if "utf" in (getattr(sys.stderr, "encoding", None) or "").lower() else "#"
            wide = max(1, room - len(left) - len(right) - 3)
            left = f"{left}|{full * int(part * wide):{wide}}| "
        self._line.put(f"{left}{right}"[:room])

    def close(self) -> None:
        """Shows the last report, then erases the bar."""
        if self._line.width:
            if self._last is not None:
                self._show(self._last)
            self._line.erase()


def _is_notebook() -> bool:
    """Returns whether this is a notebook, whose cells show what is written to stderr, and overwrite lines."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return sys.stderr is not None and hasattr(shell, "kernel")


def parts(seen: Progress, most: int | None = None) -> tuple[str, float | None, str]:
    """Returns the text left of a bar, the fraction done or None, and the text right of the bar.

    The fraction is None for `best`, in layers, up to isomorphism, and in pieces.

    >>> seen = Progress(nodes=9000, covers=45, score=None, bound=None, fraction=0.25, seconds=12.0)
    >>> parts(seen, 100)
    (' 45%', 0.45, '45/100 covers [00:12<00:14, 3.75 covers/s]')
    >>> parts(Progress(nodes=41_000, covers=3, score=2829, bound=2850, fraction=0.25, seconds=3723.0))
    ('', None, '41.0k nodes [1:02:03, 11.0 nodes/s, score=2829, bound=2850]')
    """
    weighed = seen.score is not None or seen.bound is not None
    unit = "states" if seen.states else "nodes" if weighed or not seen.covers else "covers"
    number = getattr(seen, unit)
    done = 0.0 if weighed or seen.states or seen.doing else seen.fraction
    of = ""
    if most is not None and unit == "covers":
        done, of = max(done, seen.covers / most), f"/{size(most)}"
    rest = "" if not done else f"<{clock(seen.seconds / done - seen.seconds)}"
    facts = [f"{rate(number, seen.seconds)} {unit}/s"]
    facts += [f"{name}={fact:.10g}" for name in ("score", "bound") if (fact := getattr(seen, name)) is not None]
    amount = f"{size(number)}{of} {unit if of else plural(number, unit[:-1])}"
    right = f"{amount} [{clock(seen.seconds)}{rest}, {', '.join(facts)}]"
    before = f"{seen.doing}: " if seen.doing else ""
    return (f"{before}{done:4.0%}", min(1.0, done), right) if done else (before, None, right)


def rate(number: float, seconds: float) -> str:
    """Returns a number per second, formatted by `size`; "?" if the number is 0 or at least `EXACT`."""
    return size(number / seconds) if 0 < number < SURE and seconds else "?"


def size(number: float) -> str:
    """Returns a number with three digits and an SI prefix, as tqdm does.

    >>> [size(number) for number in (7, 999, 3.75, 45_000, 1_234_567, 10**400)]
    ['7', '999', '3.75', '45.0k', '1.23M', '1.00e400']
    """
    if number >= SURE:
        exponent = int(math.log10(number))
        return f"{int(number) // 10 ** (exponent - 2) / 100:.2f}e{exponent}"
    if isinstance(number, int) and number < 1000:
        return str(number)
    power = next((power for power in range(5) if number < 999.5 * 1000**power), 5)
    scaled = number / 1000**power
    digits = 2 if scaled < 9.995 else 1 if scaled < 99.95 else 0
    return f"{scaled:.{digits}f}{('', 'k', 'M', 'G', 'T', 'P')[power]}"


def clock(seconds: float) -> str:
    """Returns a time as mm:ss, or h:mm:ss from one hour on.

    >>> clock(12.3), clock(3723)
    ('00:12', '1:02:03')
    """
    minutes, rest = divmod(int(min(seconds, SURE)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"
