"""The progress line of a command."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from dlx.engine.bar import Line, columns, rate, size
from dlx.engine.limits import Progress
from dlx.problem.words import plural

PATIENCE = 1.0  # seconds before the line appears
REFRESH = 0.2  # seconds between two of its states


def how_far(progress: Progress, *, found: str = "cover", limit: int | None = None, timeout: float | None = None) -> str:
    """Returns the progress line of a search: the best score and its bound, the part done, covers, rate and time left.

    A search that merges shows its states and their rate instead of the part done and the time left, which are unknown.
    If it goes class by class or item by item, `doing` is shown.

    Parameters:
        progress: what the search has reported.
        found: what a cover is called.
        limit: the number of covers at which the search will stop; it has no meaning for a search for the best.
        timeout: the seconds after which it will stop.

    >>> progress = Progress(nodes=9000, covers=3000, score=None, bound=None, fraction=0.25, seconds=10.0)
    >>> how_far(progress)
    '25.00%, 3.00k covers, 300 covers/s, 30 s left'
    >>> how_far(Progress(9000, 0, None, None, 0.25, 10.0, 7000, 1200, 5_600_000, doing="item 7 of 64"))
    'item 7 of 64, 7.00k states, 700 states/s, 1.20k hits, 5.6 MB, 10 s'
    """
    searches = progress.score is None and progress.bound is None  # for all; the best is searched for with restarts
    number, unit = (progress.covers, found) if searches and progress.covers else (progress.nodes, "node")
    done = 0.0 if progress.doing or progress.states else progress.fraction  # which may stay there where states merge
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
    """The seconds until the search is done, at the pace so far, or until a limit stops it."""
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


class StatusLine(Line):
    """A line on the terminal of stderr about work that takes more than `PATIENCE` seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.restart()

    def restart(self) -> None:
        """Restarts the clock: the line appears after `PATIENCE` seconds."""
        self.start = self.latest = time.monotonic()

    @property
    def elapsed(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self.start

    def update(self, text: Callable[[], str]) -> None:
        """Shows a text, which is made only if the last one is `REFRESH` seconds old."""
        now = time.monotonic()
        if self.visible and now - self.start >= PATIENCE and now - self.latest >= REFRESH:
            line = text()
            if len(line) >= columns():  # its end says most: as many of the last parts as there is room for
                line = line[1 - columns() :]
                line = line.partition(", ")[2] or line
            self.latest = now
            self.put(line)


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
