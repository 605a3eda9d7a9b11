"""The page of a lesson: steps of reasoning, which a class can guess before the page shows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.problem.problem import Problem
from dlx.show.dance.page import Board, board_for, check_size, drawn, filled

Roles = npt.NDArray[np.int8]


class LessonStep(NamedTuple):
    """A step of reasoning in words.

    Attributes:
        name: its name, the first hint.
        where: where to look, the second hint.
        text: the whole step as a sentence.
        roles: int8, shape (options,): the roles of all options afterwards, as `Deduction.roles`.
        marks: SVG elements for the board, of `step_marks`: where to look, and the rest.
        chosen: the option that the step chooses, or None.
        points: how hard the step is, or None.
    """

    name: str
    where: str
    text: str
    roles: Roles
    marks: tuple[str, str]
    chosen: int | None = None
    points: int | None = None


def steps_page(
    problem: Problem, roles: Roles, steps: Iterable[LessonStep], board: Board, *, title: str = "", end: str = ""
) -> str:
    """Makes the page of a lesson.

    Parameters:
        problem: the problem of the reasoning.
        roles: int8, shape (options,): the roles at the beginning, as `Deduction.roles`.
        steps: the steps; if the problem is too large for a page, none is taken.
        board: how options look.
        title: the heading.
        end: the sentence after the last step.

    Returns:
        HTML: about 70 kB, plus the problem and the steps.

    Raises:
        ValueError: the problem is too large for a page, or the board is not of the problem.

    >>> import dlx
    >>> problem = Problem.from_options({"left": "ab", "right": "c", "late": "bc"}, items="abc")
    >>> reasoning = dlx.deduce(problem)
    >>> board = Board(kind="candidates", rows=1, columns=1, marks=[((0, 0), name, 0) for name in problem.names])
    >>> roles, step = reasoning.roles, next(reasoning)
    >>> only = LessonStep(step.kind, "a", "only left has a", reasoning.roles, ("", ""), step.chosen)
    >>> "only left has a" in steps_page(problem, roles, [only], board)
    True
    """
    check_size(problem)
    before, lessons = roles, list[dict[str, Any]]()
    for step in steps:
        changed = np.flatnonzero(step.roles != before)
        lesson = step._asdict() | {"roles": [[int(o), int(step.roles[o])] for o in changed]}
        lessons.append(lesson | {"chosen": [] if step.chosen is None else [step.chosen]})
        before = step.roles
    data = {
        "problem": drawn(problem, board_for(problem, board)),
        "roles": roles.tolist(),
        "lesson": lessons,
        "end": end,
    }
    return filled(title or "Step by step", data)
