"""Problems and covers as HTML tables, which is how a notebook shows them.

The tables are plain: without their few lines of style, or on a dark page, they say the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from html import escape
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT
from dlx.show.elements import many

WIDEST, LONGEST = 32, 16  # a wider table has no columns for items, and a longer one is cut


class ShownProblem(Protocol):
    """What is shown of a `Problem`, which imports this module."""

    @property
    def items(self) -> tuple[Hashable, ...]: ...
    @property
    def n_items(self) -> int: ...
    @property
    def n_primary(self) -> int: ...
    @property
    def n_options(self) -> int: ...
    @property
    def indptr(self) -> npt.NDArray[np.int32]: ...
    @property
    def indices(self) -> npt.NDArray[np.int32]: ...
    @property
    def weights(self) -> npt.NDArray[Any] | None: ...
    @property
    def names(self) -> tuple[Any, ...] | None: ...
    @property
    def colours(self) -> npt.NDArray[np.int32] | None: ...
    @property
    def colour_names(self) -> tuple[Hashable, ...]: ...
    @property
    def multiplicities(self) -> npt.NDArray[np.int32] | None: ...
    @property
    def roles(self) -> npt.NDArray[np.int8] | None: ...
    def option(self, number: int, /) -> tuple[Hashable, ...]: ...
    def with_chosen(self, options: Iterable[int], /) -> ShownProblem: ...


class ShownCover(Protocol):
    """What is shown of a `Cover`, which imports this module."""

    @property
    def score(self) -> int | float: ...
    @property
    def options(self) -> tuple[int, ...]: ...
    @property
    def labels(self) -> tuple[Any, ...]: ...


def problem_html(problem: ShownProblem) -> str:
    """A problem as a table with a row for each option, and a column for each item if they are few.

    A dot says that the option has the item, and so does its colour. Secondary items are in italics; under the name of
    an item is its multiplicity.

    >>> from dlx import Problem
    >>> print(problem_html(Problem.from_options({"left": "ab", "right": "c"})).count("●"))
    3
    """
    few = problem.n_items <= WIDEST
    items = [_heading(problem, i) for i in range(problem.n_items)] if few else ["items"]
    head = ["option", *([] if problem.weights is None else ["weight"]), *items]
    body = [_option(problem, o, few) for o in range(min(problem.n_options, LONGEST))]
    if problem.n_options > LONGEST:
        body.append([f"... and {problem.n_options - LONGEST} more options"])
    return _table(repr(problem), head, body)


def cover_html(cover: ShownCover) -> str:
    """A cover with its score: a row for each of its options, with its number and its name.

    >>> from dlx import Problem, best
    >>> "score 3" in cover_html(best(Problem.from_options(["ab", "c"], weights=[1, 2])).covers[0])
    True
    """
    body = [[str(o), _text(label)] for o, label in zip(cover.options, cover.labels, strict=True)]
    return _table(f"cover of {many(len(body), 'option')}, score {cover.score}", ["number", "option"], body)


def _heading(problem: ShownProblem, item: int) -> str:
    """The name of an item, one line for each part of a tuple, and how often it is to be covered if that is not once."""
    item_name = problem.items[item]
    name = "<br>".join(map(_text, item_name)) if isinstance(item_name, tuple) else _text(item_name)
    if item >= problem.n_primary:
        return f"<i>{name}</i>"
    low, high = (1, 1) if problem.multiplicities is None else problem.multiplicities[item].tolist()
    return name if low == high == 1 else f"{name}<br>({low if low == high else f'{low} to {high}'})"


def _option(problem: ShownProblem, number: int, few: bool) -> list[str]:
    """An option: its name or number, its weight, and what it has."""
    name = _text(number if problem.names is None else problem.names[number])
    role = FREE if problem.roles is None else problem.roles[number]
    name += {LEFT_OUT: " (left out)", CHOSEN: " (chosen)"}.get(int(role), "")
    weight = [] if problem.weights is None else [str(problem.weights[number])]
    if not few:
        return [name, *weight, _listed(problem.option(number))]
    cells = [""] * problem.n_items
    begin, end = problem.indptr[number : number + 2]
    for entry in range(begin, end):
        colour = 0 if problem.colours is None else problem.colours[entry]
        cells[problem.indices[entry]] = _text(problem.colour_names[colour - 1]) if colour else "●"
    return [name, *weight, *cells]


def _listed(items: Iterable[Hashable]) -> str:
    return ", ".join(map(_text, items))


def _text(value: Hashable) -> str:
    """A name, not too long, with nothing in it that a browser could take for markup."""
    text = value if isinstance(value, str) else repr(value)
    return escape(text if len(text) <= 60 else f"{text[:57]}...")


def _table(caption: str, head: list[str], body: list[list[str]]) -> str:
    """A table; a row with fewer cells than the head ends with a wide one."""
    lines = [f"<table><caption>{escape(caption)}</caption>", _line("th", head)]
    lines += [_line("td", row, len(head) - len(row) + 1) for row in body]
    return "\n".join([*lines, "</table>"])


def _line(tag: str, cells: list[str], last: int = 1) -> str:
    spans = [""] * (len(cells) - 1) + [f' colspan="{last}"' if last > 1 else ""]
    parts = [f'<{tag}{span} style="text-align:center">{cell}</{tag}>' for cell, span in zip(cells, spans, strict=True)]
    return f"<tr>{''.join(parts)}</tr>"
