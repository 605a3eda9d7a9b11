"""The progress line of a command, and of `progress=True`."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable

from dlx.engine.progress import Progress
from dlx.problem.words import plural

PATIENCE = 1.0  # seconds before the line appears
REFRESH = 0.2  # seconds between two updates of the line
EXACT = 10**15  # larger numbers are shown as powers of ten, without a rate


def how_far(progress: Progress, *, found: str = "cover", limit: int | None = None, timeout: float | None = None) -> str:
    """Returns the progress line of a search: the best score and its bound, the fraction done, covers, rate and
    remaining time.

    A search that merges states shows their number and rate instead of the fraction done and the remaining time, which
    are unknown. If the search has a text `doing`, it is shown.

    Parameters:
        progress: the last report of the search.
        found: the word for a cover.
        limit: the number of covers at which the search will stop; ignored for the best cover.
        timeout: the seconds after which the search will stop.

    >>> progress = Progress(nodes=9000, covers=3000, score=None, bound=None, fraction=0.25, seconds=10.0)
    >>> how_far(progress)
    '25.00%, 3.00k covers, 300 covers/s, 30 s left'
    >>> how_far(Progress(9000, 0, None, None, 0.25, 10.0, 7000, 1200, 5_600_000, doing="item 7 of 64"))
    'item 7 of 64, 7.00k states, 700 states/s, 1.20k hits, 5.6 MB, 10 s'
    """
    searches = progress.score is None and progress.bound is None  # a search for the best has restarts
    number, unit = (progress.covers, found) if searches and progress.covers else (progress.nodes, "node")
    done = 0.0 if progress.doing or progress.states else progress.fraction  # unknown if states merge
    left = _left(progress, done if searches else 0.0, limit, timeout)
    part = f"{done:.2%}" if done >= 1e-4 else "under 0.01%"
    parts = [
        "" if progress.score is None else f"best {_number(progress.score)}",
        "" if progress.bound is None else f"bound {_number(progress.bound)}",
        progress.doing,
        f"{'' if searches else 'pass '}{part}" if done else "",
        _remembered(progress),
        "" if progress.doing else f"{size(number)} {plural(number, unit)}",
        "" if progress.states else f"{rate(number, progress.seconds)} {unit}s/s",
        in_words(progress.seconds) if left == math.inf else f"{in_words(left)} left",
    ]
    return ", ".join(filter(None, parts))


def _remembered(progress: Progress) -> str:
    """Returns the states and the memory of a search that merges; nothing for other searches."""
    if not progress.states:
        return ""
    speed = rate(progress.states, progress.seconds)
    states, hits = plural(progress.states, "state"), plural(progress.hits, "hit")
    met = f"{size(progress.states)} {states}, {speed} states/s, {size(progress.hits)} {hits}"
    return f"{met if progress.doing[:5] in ('', 'item ') else f'{speed} classes/s'}, {progress.memory / 1e6:,.1f} MB"


def _left(progress: Progress, done: float, limit: int | None, timeout: float | None) -> float:
    """Returns the expected seconds until the search ends or a limit stops it."""
    spans = [math.inf]
    if done:
        spans.append(progress.seconds / done - progress.seconds)
    if limit is not None and progress.covers and progress.score is None:
        spans.append((limit - progress.covers) * progress.seconds / progress.covers)
    if timeout is not None:
        spans.append(timeout - progress.seconds)
    return max(0.0, min(spans))


def _number(score: int | float) -> str:
    return f"{score:,}" if isinstance(score, int) else f"{score:,.6g}"


class StatusLine:
    """A status line for work that takes more than `PATIENCE` seconds, on a terminal or in a notebook cell.

    Attributes:
        visible: whether stderr is a terminal or a notebook.
        width: the length of the text shown.
    """

    def __init__(self) -> None:
        stderr = sys.stderr
        self.visible = stderr is not None and (stderr.isatty() or _is_notebook())
        self.width = 0
        self.restart()

    def restart(self) -> None:
        """Restarts the clock: the line appears after `PATIENCE` seconds."""
        self.start = self.latest = time.monotonic()

    @property
    def elapsed(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self.start

    def update(self, text: Callable[[], str]) -> None:
        """Shows a text, which is only made if the last text is at least REFRESH seconds old."""
        now = time.monotonic()
        if self.visible and now - self.start >= PATIENCE and now - self.latest >= REFRESH:
            line = text()
            if len(line) >= columns():  # drop the first parts, since the last parts are more important
                line = line[1 - columns() :]
                line = line.partition(", ")[2] or line
            self.latest = now
            self.put(line)

    def put(self, text: str) -> None:
        """Replaces the text of the line."""
        padded = text.ljust(self.width)
        self.width = len(text)  # set first, since Ctrl-C may interrupt the write
        self._show(f"\r{padded}")

    def erase(self) -> None:
        """Erases the line."""
        if self.width:
            self._show(f"\r{' ' * self.width}\r")
            self.width = 0

    def _show(self, text: str) -> None:
        try:
            print(text, end="", file=sys.stderr, flush=True)
        except (OSError, ValueError):  # the terminal is closed
            self.visible = False


class ProgressLine:
    """The callback of `progress=True`: shows the text of `how_far`; the loop calls `close` at its end.

    Parameters:
        limit: the `max_covers` of the search, or None.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._line, self._limit = StatusLine(), limit

    def __call__(self, seen: Progress) -> None:
        self._line.update(lambda: how_far(seen, limit=self._limit))

    def close(self) -> None:
        self._line.erase()


def columns() -> int:
    """Returns the width of the terminal in characters; 80 if it is unknown."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80


def _is_notebook() -> bool:
    """Returns whether this process runs a notebook, which shows stderr in its cells."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def rate(number: float, seconds: float) -> str:
    """Returns a number per second, formatted by `size`; "?" if the number or the time is 0, or it is too large."""
    return size(number / seconds) if 0 < number < EXACT and seconds else "?"


def size(number: float) -> str:
    """Returns a number with three digits and an SI prefix, as tqdm does.

    >>> [size(number) for number in (7, 999, 3.75, 45_000, 1_234_567, 10**400)]
    ['7', '999', '3.75', '45.0k', '1.23M', '1.00e400']
    """
    if number >= EXACT:
        exponent = int(math.log10(number))
        return f"{int(number) // 10 ** (exponent - 2) / 100:.2f}e{exponent}"
    if isinstance(number, int) and number < 1000:
        return str(number)
    power = next((power for power in range(5) if number < 999.5 * 1000**power), 5)
    scaled = number / 1000**power
    digits = 2 if scaled < 9.995 else 1 if scaled < 99.95 else 0
    return f"{scaled:.{digits}f}{('', 'k', 'M', 'G', 'T', 'P')[power]}"


def in_words(span: float) -> str:
    """A span of time, in seconds, in its two largest units.

    >>> [in_words(t) for t in (7.2, 100, 7260, 200_000, 1e9, 1e20)]
    ['7 s', '1 min 40 s', '2 h 1 min', '2 d 7 h', '31 years', 'ages']
    """
    if span >= 1000 * 365.25 * 86400:
        return "ages"
    whole = round(span)
    if whole >= 3 * 365.25 * 86400:
        return f"{int(whole / 365.25 / 86400)} years"
    for unit, name, part, rest in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= unit:
            return f"{whole // unit} {name} {whole % unit // part} {rest}"
    return f"{whole} s"
