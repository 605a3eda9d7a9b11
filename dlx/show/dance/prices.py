"""The page of a search for the best cover: bound and score approach each other, and prices exclude options."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Progress, never
from dlx.optimum.best import Best, best
from dlx.optimum.interior_point import InteriorProgram
from dlx.problem.problem import Problem
from dlx.problem.words import counted
from dlx.show.dance.page import PageBoard, board_for, check_size, drawn, filled
from dlx.show.elements import short
from dlx.show.problems import option_text

LONGEST = 300  # characters of a cover in words
FEW = 4  # a search with at most this number of reports is run again, with reports at 1, 2, 4, ... nodes
BRIEF = 0.1  # seconds of a search that may be run again
MOST_WORK = 2e7  # maximum updates of a linear program, some seconds
NEARLY = 1e-6  # the error of an interior point, as a fraction of the largest weight

Sense = Literal["min", "max"]
Number = int | float


class Prices(NamedTuple):
    """Prices of items, with their bound and the reduced costs."""

    items: npt.NDArray[np.float64]  # the price of each item
    reduced: npt.NDArray[np.float64]  # the reduced cost of each option, 0 or more
    bound: float  # the sum of price times number of covering options over all items


def prices_page(
    reports: Iterable[Progress], result: Best, sense: Sense = "max", *, title: str = "", board: PageBoard | None = None
) -> str:
    """Makes the page of a search for the best cover, on which bound and score approach each other.

    The prices come from the linear program; if that takes too long, the page has no prices.

    Parameters:
        reports: the reports of `dlx.best` to its `progress`. A short search with few reports is run again to get more
            reports.
        result: the result of `dlx.best`.
        sense: the sense of the search.
        title: the heading.
        board: the appearance of options. Default: the page lists the options.

    Returns:
        HTML. Whole numbers are exact, others have twelve digits.

    Raises:
        ValueError: the problem is too large for a page, or the board does not fit the problem.

    >>> import dlx
    >>> problem = dlx.Problem.from_options(["ab", "c", "a", "b"], weights=[3, 1, 2, 2])
    >>> "the best cover scores 5, which is proven. Its options: c | a | b." in prices_page([], dlx.best(problem))
    True
    """
    problem = result.problem
    check_size(problem)
    board = board and board_for(problem, board)
    found = priced(problem, sense)
    last = result.score if result.proven else result.bound
    end = Progress(result.nodes, len(result.covers), result.score, last, 1.0, result.seconds)
    places = [*_closer(list(reports), result, sense), end]
    values = [value for place in places for value in (place.score, place.bound) if value is not None]
    whole = all(isinstance(value, int) for value in values)
    if found is not None:
        first, better = _rounded(found.bound, sense, whole), max if sense == "min" else min
        bounds = [first if place.bound is None else better(place.bound, first) for place in places]
        start = Progress(nodes=0, covers=0, score=None, bound=first, fraction=0.0, seconds=0.0)
        places = [start, *(replace(place, bound=bound) for place, bound in zip(places, bounds, strict=True))]
    low, high = _range(places, whole)
    shown = [
        {
            "seconds": seconds,  # shorter runs are repeated for further reports, so times must not fall
            "nodes": place.nodes,
            "score": _point(place.score, low, high),
            "bound": _point(place.bound, low, high),
            "gap": None if found is None or place.score is None else _gap(place.score, found.bound, sense) - whole,
        }
        for place, seconds in zip(places, accumulate((place.seconds for place in places), max), strict=True)
    ]
    data = {
        "reports": shown,
        "ticks": _ticks(low, high, whole),
        "sense": sense,
        "end": _end(result, is_listed=board is None),
        "problem": drawn(problem, board),
        "prices": None if found is None else _drawn(found, problem),
        "best": result.covers[0].options if result.covers else (),
    }
    return filled(title or "The best cover", data)


def priced(problem: Problem, sense: Sense) -> Prices | None:
    """Returns the prices with the best bound; None if the linear program is too large or has no solution."""
    rows = problem.rows()
    if problem.weights is None or problem.roles is not None:
        return None
    bounds = np.asarray(rows.ranges(), dtype=np.int64)
    sign = 1.0 if sense == "max" else -1.0  # the program maximises
    weights = sign * problem.weights.astype(np.float64)
    program = InteriorProgram(rows, bounds, np.arange(rows.n_options, dtype=np.int32), never)
    optimum = program.solve(weights) if program.work(MOST_WORK) <= MOST_WORK else None
    if optimum is None:
        return None

    def judged(items: npt.NDArray[np.float64]) -> Prices:
        reduced = np.bincount(rows.owner, items[rows.indices], minlength=rows.n_options) - weights
        total = float(items @ np.where(items > 0, bounds[:, 1], bounds[:, 0]))
        return Prices(sign * items, reduced, sign * total)

    exact, near = judged(optimum.price), NEARLY * max(1.0, float(np.abs(weights).max(initial=0)))
    rounded = (judged(np.round(optimum.price, digits) + 0.0) for digits in range(4))
    as_good = (one for one in rounded if one.reduced.min(initial=0) >= -near and abs(one.bound - exact.bound) <= near)
    prices = next(as_good, exact)
    missing = -min(0.0, float(prices.reduced.min(initial=0)))  # the bound rises by this for each option
    return prices._replace(
        reduced=np.maximum(prices.reduced, 0.0), bound=prices.bound + sign * missing * problem.max_level
    )


def _closer(reports: Sequence[Progress], result: Best, sense: Sense) -> Sequence[Progress]:
    """Returns the reports; for a short search with few reports, returns new reports at 1, 2, 4, ... nodes."""
    if len(reports) > FEW or result.stopped or result.seconds > BRIEF:
        return reports
    nodes = [1 << k for k in range(result.nodes.bit_length()) if 1 << k < result.nodes]
    some = [best(result.problem, sense, max_nodes=most) for most in nodes]
    return [Progress(one.nodes, len(one.covers), one.score, one.bound, 0.0, one.seconds) for one in some]


def _rounded(bound: float, sense: Sense, whole: bool) -> Number:
    """Returns a bound, rounded if all scores are whole numbers."""
    if not whole:
        return bound
    near = NEARLY * max(1.0, abs(bound))
    return math.ceil(bound - near) if sense == "min" else math.floor(bound + near)


def _gap(score: Number, bound: float, sense: Sense) -> float:
    """Returns the gap between the best score and the bound."""
    return max(0.0, score - bound if sense == "min" else bound - score)


def _drawn(found: Prices, problem: Problem) -> dict[str, Any]:
    """Returns the data of prices for the page."""
    weights = [] if problem.weights is None else problem.weights.tolist()
    return {
        "items": [f"{price:.4g}" for price in (found.items + 0.0).tolist()],
        "reduced": [round(value, 6) for value in found.reduced.tolist()],
        "weights": [_written(weight) for weight in weights],
    }


def _point(value: Number | None, low: float, high: float) -> tuple[str, float] | None:
    """Returns a number as text, since JavaScript would round it, and its height in the picture (0 to 1)."""
    if value is None:
        return None
    return _written(value), round(min(1.0, max(0.0, (value - low) / (high - low))), 4)


def _written(value: Number) -> str:
    """Returns a number rounded to twelve digits."""
    return str(value) if isinstance(value, int) else f"{value:.12g}"


def _range(places: Sequence[Progress], whole: bool) -> tuple[float, float]:
    """Returns the range of the scale, the range of the second half of the reports."""
    values = [
        float(value)
        for place in places[len(places) // 2 :]
        for value in (place.score, place.bound)
        if value is not None
    ]
    low, high = min(values, default=0.0), max(values, default=0.0)
    room = max((high - low) / 12 or abs(high) / 20 or 1.0, float(whole))
    return low - room, high + room


def _ticks(low: float, high: float, whole: bool) -> list[tuple[float, str]]:
    """Returns at least three ticks of the scale, each with its height and number."""
    least = max((high - low) / 8, float(whole))
    power = math.floor(math.log10(least))
    step = next(step for step in (float(f"{k}e{power}") for k in (1, 2, 5, 10)) if step >= least)
    counts = range(math.ceil(low / step), math.floor(high / step) + 1)
    return [((count * step - low) / (high - low), f"{count * step:,.12g}") for count in counts]


def _end(result: Best, is_listed: bool) -> str:
    """Returns the last sentence: the best cover, and with `is_listed` its options."""
    if result.proven and not result.covers:
        return "There is no cover, which is proven."
    seconds = f"{result.seconds:.2f}" if result.seconds >= 1 else f"{result.seconds:.2g}"
    by = f", stopped by {result.stopped}" if result.stopped and not result.proven else ""
    limit = "" if result.proven or result.bound is None else f", and none scores better than {_written(result.bound)}"
    found = "no cover yet" if result.score is None else f"the best cover scores {_written(result.score)}"
    if result.proven:
        found += ", which is proven"
    elif result.score and result.bound is not None:
        limit += f" (a gap of {100 * abs(result.score - result.bound) / abs(result.score):.3g} %)"
    options = ""
    if is_listed and result.covers:
        options = f". Its options: {short(' | '.join(map(option_text, result.covers[0].labels)), LONGEST)}"
    return f"After {seconds} s and {counted(result.nodes, 'node')}{by}: {found}{limit}{options}."
