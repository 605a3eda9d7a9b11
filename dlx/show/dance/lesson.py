"""The page of a lesson: steps of reasoning, which a class can guess before the page shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.problem.problem import Problem
from dlx.search import deduce
from dlx.show.dance.page import Board, board_of, check_board, check_size, drawn, filled
from dlx.show.elements import spoken

Roles = npt.NDArray[np.int8]


class Told(NamedTuple):
    """A step of reasoning in words.

    Attributes:
        step: the step.
        name: what it is called, as a class is told first.
        where: where to look, as it is told next.
        text: all that it says.
        roles: int8, shape (options,): those of all options afterwards, as `Deduction.roles`.
        points: how hard it is, or None.
        path: numbers of options in groups, if it is a chain: none of the first, so one of the second, so none of the
            third, and so on.
    """

    step: deduce.Step
    name: str
    where: str
    text: str
    roles: Roles
    points: int | None = None
    path: tuple[tuple[int, ...], ...] = ()


def told(reasoning: deduce.Deduction[deduce.Step], say: Callable[[deduce.Step], str]) -> Iterator[Told]:
    """Yields the steps of reasoning under way, each with a sentence; its kind is its name, its truths are its place."""
    for step in reasoning:
        yield Told(step, step.kind, ", ".join(map(spoken, step.truths)), say(step), reasoning.roles)


def steps_page(
    problem: Problem,
    roles: Roles,
    steps: Iterable[Told],
    *,
    title: str = "",
    end: str = "",
    board: Board | None = None,
) -> str:
    """Makes the page on which a teacher goes from step to step, and a class can guess each before it is shown.

    Parameters:
        problem: what was reasoned about.
        roles: int8, shape (options,): those of the options at the beginning, as `Deduction.roles`.
        steps: the steps; they are taken when the problem has been found small enough.
        title: the heading.
        end: what is said at the end.
        board: what options look like; without it, tilings and queens are known by the names of their items.

    Returns:
        HTML, about 100 kB besides the problem and the steps.

    Raises:
        ValueError: the problem is too large for a page, or the board is not of the problem.

    >>> import dlx
    >>> reasoning = dlx.deduce(Problem.from_options({"left": "ab", "right": "c", "late": "bc"}, items="abc"))
    >>> steps = told(reasoning, lambda step: f"{step.kind}: so {step.chosen} is chosen")
    >>> "single: so 1 is chosen" in steps_page(reasoning.problem, reasoning.roles, steps)
    True
    """
    check_size(problem)
    check_board(board, problem)
    number = {item: k for k, item in enumerate(problem.items)}
    data: dict[str, Any] = {"roles": "".join(map(str, roles.tolist())), "told": []}
    for one in steps:
        step, changed = one.step, np.flatnonzero(one.roles != roles)
        items = ([number[item] for item in some if item in number] for some in (step.truths, step.links))
        data["told"].append(
            {"name": one.name, "where": one.where, "text": one.text, "points": one.points, "path": one.path}
            | dict(zip(("truths", "links"), items, strict=True))
            | {"chosen": [] if step.chosen is None else [step.chosen], "closed": step.rank == 0}
            | {"out": step.out if step.chosen is None else [], "roles": [[int(o), int(one.roles[o])] for o in changed]}
        )
        roles = one.roles
    shown = board if board is not None else board_of(problem)
    return filled(title or "Step by step", data | {"problem": drawn(problem, shown), "end": end})
