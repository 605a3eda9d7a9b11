"""Problems and covers as HTML tables, which is how a notebook shows them.

The tables are plain: without their few lines of style, or on a dark page, they say the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from html import escape
from typing import TYPE_CHECKING

from dlx.problem import CHOSEN, FREE, LEFT_OUT, Problem

if TYPE_CHECKING:
    from dlx.optimum import Cover

COLUMNS, ROWS = 32, 16  # a wider table has no columns for items, and a longer one is cut


def problem_html(problem: Problem) -> str:
    """A problem as a table with a row for each option, and a column for each item if they are few.

    A dot says that the option has the item, and so does its colour. Secondary items are in italics; under the name of
    an item is its multiplicity.

    >>> from dlx import Problem
    >>> print(problem_html(Problem.from_options({"left": "ab", "right": "c"})).count("●"))
    3
    """
    few = problem.n_items <= COLUMNS
    items = [_heading(problem, i) for i in range(problem.n_items)] if few else ["items"]
    head = ["option", *([] if problem.weights is None else ["weight"]), *items]
    rows = [_row(problem, o, few) for o in range(min(problem.n_options, ROWS))]
    if problem.n_options > ROWS:
        rows.append([f"... and {problem.n_options - ROWS} more options"])
    return _table(repr(problem), head, rows)


def cover_html(cover: Cover) -> str:
    """A cover with its score: a row for each of its options, with its number and its name.

    >>> from dlx import Problem, best
    >>> "score 3" in cover_html(best(Problem.from_options(["ab", "c"], weights=[1, 2])).covers[0])
    True
    """
    rows = [[str(o), _text(label)] for o, label in zip(cover.options, cover.labels, strict=True)]
    return _table(f"cover of {len(rows)} options, score {cover.score}", ["number", "option"], rows)


def _heading(problem: Problem, item: int) -> str:
    """The name of an item, one line for each part of a tuple, and how often it is to be covered if that is not once."""
    item_name = problem.items[item]
    name = "<br>".join(map(_text, item_name)) if isinstance(item_name, tuple) else _text(item_name)
    if item >= problem.n_primary:
        return f"<i>{name}</i>"
    low, high = (1, 1) if problem.multiplicities is None else problem.multiplicities[item].tolist()
    return name if low == high == 1 else f"{name}<br>({low if low == high else f'{low} to {high}'})"


def _row(problem: Problem, number: int, few: bool) -> list[str]:
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


def _table(caption: str, head: list[str], rows: list[list[str]]) -> str:
    """A table; a row with fewer cells than the head ends with a wide one."""
    lines = [f"<table><caption>{escape(caption)}</caption>", _line("th", head)]
    lines += [_line("td", row, len(head) - len(row) + 1) for row in rows]
    return "\n".join([*lines, "</table>"])


def _line(tag: str, cells: list[str], last: int = 1) -> str:
    spans = [""] * (len(cells) - 1) + [f' colspan="{last}"' if last > 1 else ""]
    parts = [f'<{tag}{span} style="text-align:center">{cell}</{tag}>' for cell, span in zip(cells, spans, strict=True)]
    return f"<tr>{''.join(parts)}</tr>"
