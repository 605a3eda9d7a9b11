"""The page of a lesson: steps of reasoning, which a class can guess before the page shows them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.problem.problem import Coloured, Problem
from dlx.search import deduce
from dlx.show.dance.page import Board, board_for, check_size, drawn, filled, spots_of
from dlx.show.elements import spoken
from dlx.show.reasoning import CHOSEN, OUT, Spot, mark, step_marks
from dlx.show.tilings import Cell

Roles = npt.NDArray[np.int8]

MOST_PIECES = 6  # that are out and marked on a board
OPEN = 1


class Told(NamedTuple):
    """A step of reasoning in words.

    Attributes:
        step: the step.
        name: its name, the first hint.
        where: where to look, the second hint.
        text: the whole step as a sentence.
        roles: int8, shape (options,): the roles of all options afterwards, as `Deduction.roles`.
        points: how hard the step is, or None.
        marks: SVG elements for the board in pixels of 36 to a cell: where to look, and the rest. None: the marks of
            its truths and links.
    """

    step: deduce.Step
    name: str
    where: str
    text: str
    roles: Roles
    points: int | None = None
    marks: tuple[str, str] | None = None


def told(reasoning: deduce.Deduction[deduce.Step], say: Callable[[deduce.Step], str]) -> Iterator[Told]:
    """Yields steps of reasoning with a sentence for each; the name is the kind, the place are the truths."""
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
    """Makes the page of a lesson.

    Parameters:
        problem: the problem of the reasoning.
        roles: int8, shape (options,): the roles at the beginning, as `Deduction.roles`.
        steps: the steps; if the problem is too large for a page, none is taken.
        title: the heading.
        end: the sentence after the last step.
        board: how options look. Default: tilings and queens are recognised by the names of their items.

    Returns:
        HTML, about 70 kB besides the problem and the steps.

    Raises:
        ValueError: the problem is too large for a page, or the board is not of the problem.

    >>> import dlx
    >>> reasoning = dlx.deduce(Problem.from_options({"left": "ab", "right": "c", "late": "bc"}, items="abc"))
    >>> steps = told(reasoning, lambda step: f"{step.kind}: so {step.chosen} is chosen")
    >>> "single: so 1 is chosen" in steps_page(reasoning.problem, reasoning.roles, steps)
    True
    """
    check_size(problem)
    board = board_for(problem, board)
    number = {item: k for k, item in enumerate(problem.items)}
    owners: dict[Hashable, list[int]] = {item: [] for item in problem.items}
    for o in range(problem.n_options):
        for item in problem.option(o):
            owners[item.item if isinstance(item, Coloured) else item].append(o)
    before, lessons = roles, list[dict[str, Any]]()
    for one in steps:
        step, changed = one.step, np.flatnonzero(one.roles != before)
        truths, links = ([number[item] for item in items if item in number] for items in (step.truths, step.links))
        single = step.chosen is not None
        lessons.append(
            {
                "name": one.name,
                "where": one.where,
                "text": one.text,
                "points": one.points,
                "truths": truths,
                "links": [] if single else links,
                "chosen": [step.chosen] if single else [],
                "out": [] if single else step.out,
                "roles": [[int(o), int(one.roles[o])] for o in changed],
                "marks": one.marks or (_marks(board, owners, step, before) if board else ("", "")),
            }
        )
        before = one.roles
    data = {"problem": drawn(problem, board), "roles": roles.tolist(), "told": lessons, "end": end}
    return filled(title or "Step by step", data)


def _marks(board: Board, owners: Mapping[Hashable, Sequence[int]], step: deduce.Step, roles: Roles) -> tuple[str, str]:
    """Returns the marks of a step on a board; `owners` are the options of each item."""
    links = step.links if step.chosen is None else ()
    if board.kind == "pieces":
        where, rest = step_marks(truths=_areas(board, owners, step.truths), links=_areas(board, owners, links))
        if step.chosen is not None:
            return where, rest + mark(board.cells(step.chosen), 0.14, CHOSEN)
        return where, rest + "".join(mark(board.cells(o), 0.18, OUT, "2 3") for o in step.out[:MOST_PIECES])
    spots = spots_of(board)

    def candidates(options: Iterable[int]) -> list[Spot]:
        return [spot for o in dict.fromkeys(options) if roles[o] == OPEN and (spot := spots[o])]

    true = {o for item in step.truths for o in owners.get(item, ())}
    linked = {o for item in links for o in owners.get(item, ())} - true
    single = step.chosen is not None
    return step_marks(
        truths=_areas(board, owners, step.truths),
        links=_areas(board, owners, links),
        true=() if single else candidates(true.difference(step.out)),
        linked=candidates(linked.difference(step.out)),
        out=() if single else candidates(step.out),
        chosen=() if step.chosen is None else candidates([step.chosen]),
    )


def _areas(board: Board, owners: Mapping[Hashable, Sequence[int]], items: Iterable[Hashable]) -> list[list[Cell]]:
    """Returns the cells of each item: those of all its pieces, or of any of its candidates."""
    combined = set.intersection if board.kind == "pieces" else set.union
    cells = ([set(board.cells(o)) for o in owners.get(item, ())] for item in items)
    return [sorted(area) for options in cells if options and (area := combined(*options))]
