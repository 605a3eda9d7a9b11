"""Results as tables for notebooks: facts, and a picture if the result has one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import Field, fields, is_dataclass

import numpy as np

from dlx.problem.cover import Cover
from dlx.problem.problem import Problem
from dlx.problem.shown import Shown
from dlx.problem.words import shown
from dlx.search.explain import Explanation
from dlx.search.first import First
from dlx.show.elements import escaped, short, spoken
from dlx.show.problems import draw, option_text, picture

MOST = 10  # maximum lines of a list
LONGEST = 100  # maximum characters of a line
SEARCH = ("nodes", "updates", "seconds", "stopped")  # facts of the search, below the answer
OF_COVERS = ("covers", "kernel", "fraction", *SEARCH)  # facts of an iterator
LEFT = 'style="text-align: left; vertical-align: top"'  # notebooks align cells to the right


def table(value: object) -> str:
    """Returns the facts of a result as an HTML table, followed by its picture.

    >>> from dlx import Problem, first
    >>> text = table(first(Problem.from_options({"<b>": "ab", "c": "c"})))
    >>> "&lt;b&gt;<br>c" in text, text.count("<svg"), text.count("<tr>")
    (True, 1, 5)
    """
    rows = (f'<tr><th scope="row" {LEFT}>{name}</th><td {LEFT}>{text}</td></tr>' for name, text in _facts(value))
    caption = f'<caption style="text-align: left"><b>{type(value).__name__}</b></caption>'
    drawn = _drawn(value)
    return f"<table>{caption}<tbody>{''.join(rows)}</tbody></table>" + ("" if drawn is None else f"<div>{drawn}</div>")


def _facts(value: object) -> Iterator[tuple[str, str]]:
    """Yields the names and HTML texts of facts, without arrays and fields with default values."""
    known: dict[str, Field[object]] = {field.name: field for field in fields(value)} if is_dataclass(value) else {}
    for name in sorted(known, key=lambda name: name in SEARCH) or OF_COVERS:
        fact, field = getattr(value, name), known.get(name)
        if name == "stopped":
            yield name, escaped(fact or "no")
        elif isinstance(fact, np.ndarray) or name.endswith("_error"):
            continue
        elif field is None or (field.repr and fact is not None and fact != field.default):
            if name == "cover" and isinstance(value, First | Explanation):
                fact = value.problem.labels(fact)
            error = getattr(value, f"{name}_error", None)
            yield name, _text(name, fact) + ("" if error is None else f" ± {_text(name, error)}")


def _text(name: str, fact: object) -> str:
    """Returns a fact in HTML; a list has a line for each element, and at its end the number of omitted elements."""
    if isinstance(fact, int) and not isinstance(fact, bool):
        return f"{fact:,}" if abs(fact) < 10**15 else shown(fact)
    if isinstance(fact, float):
        return f"{fact:,.4g}"
    if not isinstance(fact, tuple):
        return escaped(short(fact, LONGEST))
    lines = [escaped(short(_line(name, thing), LONGEST)) for thing in fact[:MOST]]
    more = len(fact) - len(lines)
    return "<br>".join(lines + [f"… and {more:,} more"] * (more > 0)) or "none"


def _line(name: str, thing: object) -> str:
    if isinstance(thing, Cover):
        return f"{thing.score}: {' | '.join(map(option_text, thing.labels))}"
    return option_text(thing) if name == "cover" else spoken(thing)


def _drawn(value: object) -> str | None:
    """Returns the picture of a result, of its cover, or of its problem."""
    if isinstance(value, Shown):
        return value._repr_svg_()
    problem = getattr(value, "problem", None)
    if not isinstance(problem, Problem):
        return None
    covers = getattr(value, "covers", ())
    best = covers[0] if isinstance(covers, tuple) and covers else ()
    cover = getattr(value, "cover", None) or best
    try:
        drawn: str | None = draw(problem, cover) if cover else picture(problem)
        return drawn
    except ValueError:
        return None
