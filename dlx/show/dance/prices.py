"""The page of a search for the best cover: how bound and score meet, and which options prices leave."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Progress, Stop
from dlx.optimum.best import Best, best
from dlx.optimum.linear import Program
from dlx.problem.problem import Problem
from dlx.show.dance.page import Board, check_board, check_size, drawn, filled
from dlx.show.elements import short, spoken
from dlx.show.problems import option_text

LONGEST = 300  # characters of a cover in words
LONGEST_TICK = 13
MOST_TERMS = 8  # of a sum of prices
FEW = 4  # reports of a search
BRIEF = 0.1  # seconds of a search that can be made once more for each report
MOST_WORK = 2e7  # of a linear program for a page, in updates: some seconds
NEARLY = 1e-6  # of the largest weight: what an interior point misses
STOPPED_BY: dict[Stop, str] = {
    "max_covers": "the limit of covers",
    "max_nodes": "the limit of nodes",
    "timeout": "the limit of time",
    "interrupt": "Ctrl-C",
    "gap": "the gap that is small enough",
}

Number = int | float
Pair = tuple[Number | None, Number | None]  # the best score and the bound


class Prices(NamedTuple):
    """Prices of items, with the bound and the reduced costs that follow.

    Attributes:
        items: the price of each item.
        reduced: of each option how much worse it is than the prices of its items, 0 or more.
        bound: no cover scores better than this: the sum of the prices, times the number of options that an item may
            have.
    """

    items: npt.NDArray[np.float64]
    reduced: npt.NDArray[np.float64]
    bound: float


def prices_page(
    reports: Iterable[Progress],
    result: Best,
    *,
    title: str = "",
    problem: Problem | None = None,
    sense: Literal["min", "max"] = "min",
    board: Board | None = None,
) -> str:
    """Makes the page on which bound and score of a search for the best come together.

    Parameters:
        reports: what `dlx.best` has told its `progress`, in that order.
        result: what it has returned.
        title: the heading.
        problem: what was searched, for the prices of its items and the options that they leave. They come from the
            linear program; a problem that would take long for that has none on its page.
        sense: how it was searched.
        board: what the options of the problem look like, if it is given.

    Returns:
        HTML. Whole numbers are written exactly, others with twelve digits.

    Raises:
        ValueError: the problem is too large for a page, or the board is not of the problem.

    >>> import dlx
    >>> seen: list[Progress] = []
    >>> problem = dlx.Problem.from_options(["ab", "c", "a", "b"], weights=[3, 1, 2, 2])
    >>> result = dlx.best(problem, "max", progress=seen.append)
    >>> "the best cover scores 5, that is proven. Its options: c | a | b." in prices_page(seen, result)
    True
    """
    told = list(reports)
    found = None
    if problem is not None:
        check_size(problem)
        check_board(board, problem)
        found = priced(problem, sense)
    pairs: list[Pair] = [(report.score, report.bound) for report in told]
    pairs.append((result.score, result.score if result.proven else result.bound))
    whens = [(report.seconds, report.nodes) for report in told] + [(result.seconds, result.nodes)]
    whole = _whole(pairs)
    if found is not None:  # which hold from the beginning
        first = _rounded(found.bound, sense, whole)
        better = max if sense == "min" else min
        pairs = [(None, first), *((score, first if bound is None else better(bound, first)) for score, bound in pairs)]
        whens.insert(0, (0.0, 0))
    low, high = _range(pairs)
    shown = [
        {"seconds": seconds, "nodes": nodes, "score": _point(score, low, high), "bound": _point(bound, low, high)}
        for (seconds, nodes), (score, bound) in zip(whens, pairs, strict=True)
    ]
    data = {
        "reports": shown,
        "ticks": _ticks(low, high, whole),
        "sense": _sense(pairs),
        "end": _end(result, board is None),
    }
    if problem is not None and found is not None:
        for report, (score, _) in zip(shown, pairs, strict=True):
            report["open"] = None if score is None else _open(score, found.bound, sense) - whole
        chosen = result.covers[0].options if result.covers else ()
        data |= {"prices": _told(found, problem) | {"sense": sense}, "problem": drawn(problem, board), "best": chosen}
        data["stop"] = _stop(found, problem, result, sense, whole)
    return filled(title or "The best cover", data)


def closer(
    reports: Sequence[Progress], problem: Problem, sense: Literal["min", "max"], result: Best
) -> Sequence[Progress]:
    """Returns reports at 1, 2, 4, ... nodes of a search with few reports, which is run again for each of them.

    >>> import dlx
    >>> problem = Problem.from_options(["ab", "c", "a", "b"], weights=[3, 1, 2, 2])
    >>> result = dlx.best(problem, "max")
    >>> [(report.nodes, report.score) for report in closer([], problem, "max", result)], result.nodes
    ([(1, None), (2, 4)], 4)
    """
    if len(reports) > FEW or result.stopped or result.seconds > BRIEF:
        return reports
    nodes = [1 << k for k in range(result.nodes.bit_length()) if 1 << k < result.nodes]
    some = [best(problem, sense, max_nodes=most) for most in nodes]
    return [Progress(one.nodes, len(one.covers), one.score, one.bound, 0.0, one.seconds) for one in some]


def priced(problem: Problem, sense: Literal["min", "max"]) -> Prices | None:
    """Returns prices with the best bound, by the linear program; None if that is too large, or has no solution.

    >>> problem = Problem.from_options(["ab", "c", "abc"], weights=[3, 1, 5])
    >>> found = priced(problem, "min")
    >>> round(found.bound, 3), found.reduced.round(3).tolist()
    (4.0, [0.0, 0.0, 1.0])
    """
    rows = problem.rows()
    if problem.weights is None or problem.roles is not None:
        return None
    bounds = np.asarray(rows.ranges(), dtype=np.int64)
    sign = 1.0 if sense == "max" else -1.0  # a program maximises
    weights = sign * problem.weights.astype(np.float64)
    program = Program(rows, bounds, np.arange(rows.n_options, dtype=np.int32))
    optimum = program.solve(weights, lambda: False) if program.work(MOST_WORK) <= MOST_WORK else None
    if optimum is None:
        return None
    near = NEARLY * max(1.0, float(np.abs(weights).max(initial=0)))

    def judged(items: npt.NDArray[np.float64]) -> Prices:
        reduced = np.bincount(rows.owner, items[rows.indices], minlength=rows.n_options) - weights
        total = float(items @ np.where(items > 0, bounds[:, 1], bounds[:, 0]))
        return Prices(sign * items, reduced, sign * total)

    exact = judged(optimum.price)
    for digits in range(4):  # round prices, if they are as good
        simple = judged(np.round(optimum.price, digits) + 0.0)
        if simple.reduced.min(initial=0) >= -near and abs(simple.bound - exact.bound) <= near:
            exact = simple
            break
    short_of = -min(0.0, float(exact.reduced.min(initial=0)))  # any cover has this at most `max_level` times
    return exact._replace(
        reduced=np.maximum(exact.reduced, 0.0), bound=exact.bound + sign * short_of * problem.max_level
    )


def _rounded(bound: float, sense: Literal["min", "max"], whole: bool) -> Number:
    """A bound, which whole scores let be a whole number."""
    if not whole:
        return bound
    near = NEARLY * max(1.0, abs(bound))
    return math.ceil(bound - near) if sense == "min" else math.floor(bound + near)


def _open(score: Number, bound: float, sense: Literal["min", "max"]) -> float:
    """The gap between the best score and the bound."""
    return max(0.0, score - bound if sense == "min" else bound - score)


def _told(found: Prices, problem: Problem) -> dict[str, Any]:
    """Returns the player's view of prices."""
    weights = [] if problem.weights is None else problem.weights.tolist()
    return {
        "items": [f"{price:.4g}" for price in (found.items + 0.0).tolist()],
        "reduced": [round(value, 6) for value in found.reduced.tolist()],
        "weights": [_written(weight) for weight in weights],
    }


def _stop(found: Prices, problem: Problem, result: Best, sense: Literal["min", "max"], whole: bool) -> str:
    """Says why a search could stop: how the sum of the prices compares with the score that is proven."""
    if not result.proven or result.score is None:
        return ""
    items = [spoken(item) for item in problem.items]
    terms = [f"{price:.4g} ({item})" for item, price in zip(items, found.items, strict=True) if price]
    plain = problem.multiplicities is None and len(terms) <= MOST_TERMS
    total = f"{_written(round(found.bound, 6)).removesuffix('.0')}"
    added = f"{' + '.join(terms)} = {total}".replace("+ -", "- ") if plain and len(terms) > 1 else total
    score, than = _written(result.score), "less" if sense == "min" else "more"
    if _open(result.score, float(_rounded(found.bound, sense, whole)), sense) > NEARLY * max(1.0, abs(found.bound)):
        return f" The prices at the beginning add up to {added}; covers cannot reach that."
    exact = _open(result.score, found.bound, sense) <= NEARLY * max(1.0, abs(found.bound))
    meets = (
        "just the score of this cover" if exact else f"scores are whole numbers, and this cover has the next, {score}"
    )
    why = f"every cover pays the prices, which add up to {added}: {meets}"
    return f" Why it could stop: {why}. None scores {than}, so nobody needs to see the others."


def _point(value: Number | None, low: Fraction, high: Fraction) -> tuple[str, float] | None:
    """A number as text, since JavaScript would round it, and its height in the picture, from 0 to 1."""
    if value is None:
        return None
    return _written(value), round(min(1.0, max(0.0, float((Fraction(value) - low) / (high - low)))), 4)


def _written(value: Number) -> str:
    """Returns a number without the noise of its last binary digits."""
    return str(value) if isinstance(value, int) else f"{value:.12g}"


def _range(pairs: Sequence[Pair]) -> tuple[Fraction, Fraction]:
    """Returns the range of the scale: the last half of the pairs, or more pairs until two numbers differ."""
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


def _end(result: Best, listed: bool) -> str:
    if result.proven and not result.covers:
        return "There is no cover: that is proven."
    seconds = f"{result.seconds:.2f}" if result.seconds >= 1 else f"{result.seconds:.2g}"
    nodes = f"{result.nodes} node{'s' * (result.nodes != 1)}"
    by = f", stopped by {STOPPED_BY[result.stopped]}" if result.stopped and not result.proven else ""
    return f"After {seconds} s and {nodes}{by}: {_found(result, listed)}."


def _found(result: Best, listed: bool) -> str:
    """The best cover and how good it is, with its options if there is no board."""
    none = "" if result.bound is None else f", none can beat {_written(result.bound)}"
    if not result.covers:
        return f"no cover yet{none}"
    best = result.covers[0]
    options = f". Its options: {short(' | '.join(map(option_text, best.labels)), LONGEST)}" if listed else ""
    gap = ""  # the distance of the bound from the best score, in per cent of that
    if result.bound is not None and result.score:
        part = abs(Fraction(result.score) - Fraction(result.bound)) / abs(Fraction(result.score))
        gap = f" (a gap of {float(100 * part):.3g} %)"
    proven = ", that is proven" if result.proven else f"{none}{gap}"
    so_far = "" if result.proven else "so far "
    return f"the best cover {so_far}scores {_written(best.score)}{proven}{options}"
