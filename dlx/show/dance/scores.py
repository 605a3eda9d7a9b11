"""The page of a search for the best cover: how the bound and the best score come together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from dlx.engine.limits import Progress, Stop
from dlx.optimum.best import Best
from dlx.problem.problem import Coloured, Label
from dlx.show.dance.page import filled
from dlx.show.elements import short, spoken

LONGEST = 300  # characters of a cover in words
LONGEST_TICK = 13
STOPPED_BY: dict[Stop, str] = {
    "max_covers": "the limit of covers",
    "max_nodes": "the limit of nodes",
    "timeout": "the limit of time",
    "interrupt": "Ctrl-C",
    "gap": "the gap that is small enough",
}

Number = int | float
Pair = tuple[Number | None, Number | None]  # the best score and the bound


def prices_page(reports: Iterable[Progress], result: Best, *, title: str = "") -> str:
    """Makes the page on which bound and score of a search for the best come together.

    Parameters:
        reports: what `dlx.best` has told its `progress`, in that order.
        result: what it has returned.
        title: the heading.

    Returns:
        HTML. Whole numbers are written exactly, others with twelve digits.

    >>> import dlx
    >>> seen: list[Progress] = []
    >>> problem = dlx.Problem.from_options(["ab", "c", "a", "b"], weights=[3, 1, 2, 2])
    >>> result = dlx.best(problem, "max", progress=seen.append)
    >>> "the best cover scores 5, that is proven. Its options: c | a | b." in prices_page(seen, result)
    True
    """
    told = list(reports)
    pairs: list[Pair] = [(report.score, report.bound) for report in told]
    pairs.append((result.score, result.score if result.proven else result.bound))
    whens = [(report.seconds, report.nodes) for report in told] + [(result.seconds, result.nodes)]
    low, high = _range(pairs)
    shown = [
        {"seconds": seconds, "nodes": nodes, "score": _point(score, low, high), "bound": _point(bound, low, high)}
        for (seconds, nodes), (score, bound) in zip(whens, pairs, strict=True)
    ]
    data = {"reports": shown, "ticks": _ticks(low, high, _whole(pairs)), "sense": _sense(pairs), "end": _end(result)}
    return filled(title or "The best cover", data)


def _point(value: Number | None, low: Fraction, high: Fraction) -> tuple[str, float] | None:
    """A number as text, since JavaScript would round it, and its height in the picture, from 0 to 1."""
    if value is None:
        return None
    return _written(value), round(min(1.0, max(0.0, float((Fraction(value) - low) / (high - low)))), 4)


def _written(value: Number) -> str:
    """Returns a number without the noise of its last binary digits."""
    return str(value) if isinstance(value, int) else f"{value:.12g}"


def _range(pairs: Sequence[Pair]) -> tuple[Fraction, Fraction]:
    """Returns the range of the scale: that of the last half of the pairs, or of more until two numbers differ."""
    values: set[Fraction] = set()
    for k, pair in enumerate(reversed(pairs)):
        if 2 * k >= len(pairs) and len(values) > 1:
            break
        values |= {Fraction(value) for value in pair if value is not None}
    low, high = min(values, default=Fraction(0)), max(values, default=Fraction(0))
    room = (high - low) / 12 or abs(high) / 20 or Fraction(1)
    room = max(room, Fraction(1)) if _whole(pairs) else room
    return low - room, high + room


def _whole(pairs: Sequence[Pair]) -> bool:
    return all(isinstance(value, int) for pair in pairs for value in pair if value is not None)


def _ticks(low: Fraction, high: Fraction, whole: bool) -> list[tuple[float, str]]:
    """Returns three heights or more on a scale, with their numbers in all the digits that differ."""
    least = max((high - low) / 8, Fraction(whole))
    power = math.floor(math.log10(least))
    unit = next(unit for unit in (1, 2, 5, 10, 20) if unit * Fraction(10) ** power >= least)
    step = unit * Fraction(10) ** power
    counts = range(math.ceil(low / step), math.floor(high / step) + 1)
    values = [Decimal(count * unit).scaleb(power) for count in counts]
    size = max(value.adjusted() for value in values)
    plain = [f"{value:,.{max(0, -power)}f}" for value in values]
    compact = [f"{value:.{max(0, size - power)}e}".replace("e+", "e") if value else "0" for value in values]
    longest = max(map(len, plain))
    texts = compact if longest > LONGEST_TICK and max(map(len, compact)) < longest else plain
    return [
        (round(float((count * step - low) / (high - low)), 4), text) for count, text in zip(counts, texts, strict=True)
    ]


def _sense(pairs: Sequence[Pair]) -> Literal["min", "max"] | None:
    """Returns the sense of the search, if it shows: the bound is on that side of the score."""
    bounds = [bound for _, bound in pairs if bound is not None]
    ways = [score - bound for score, bound in pairs if score is not None and bound is not None]
    ways += [bounds[-1] - bounds[0]] if bounds else []
    way = max(ways, key=abs, default=0)
    return "min" if way > 0 else "max" if way < 0 else None


def _end(result: Best) -> str:
    if result.proven and not result.covers:
        return "There is no cover: that is proven."
    seconds = f"{result.seconds:.2f}" if result.seconds >= 1 else f"{result.seconds:.2g}"
    nodes = f"{result.nodes} node{'s' * (result.nodes != 1)}"
    by = f", stopped by {STOPPED_BY[result.stopped]}" if result.stopped and not result.proven else ""
    return f"After {seconds} s and {nodes}{by}: {_found(result)}."


def _found(result: Best) -> str:
    """The best cover, and how good it is."""
    none = "" if result.bound is None else f", none can beat {_written(result.bound)}"
    if not result.covers:
        return f"no cover yet{none}"
    best = result.covers[0]
    options = short(" | ".join(map(_option, best.labels)), LONGEST)
    gap = ""  # the distance of the bound from the best score, in per cent of that
    if result.bound is not None and result.score:
        part = abs(Fraction(result.score) - Fraction(result.bound)) / abs(Fraction(result.score))
        gap = f" (a gap of {float(100 * part):.3g} %)"
    proven = ", that is proven" if result.proven else f"{none}{gap}"
    so_far = "" if result.proven else "so far "
    return f"the best cover {so_far}scores {_written(best.score)}{proven}. Its options: {options}"


def _option(label: Label) -> str:
    """An option as it is called, or its items with their colours."""
    if not isinstance(label, tuple):
        return spoken(label)
    return " ".join(
        f"{spoken(part.item)}:{spoken(part.colour)}" if isinstance(part, Coloured) else spoken(part) for part in label
    )
