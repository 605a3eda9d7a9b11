"""The answers of `sudoku hint`, `steps` and `rate`: what people would do next, or in all, and how hard that is."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice

import sudoku
from sudoku.command.answers import Answer, Facts, answered, finished, names
from sudoku.grid import Puzzle
from sudoku.pictures.steps import steps_picture
from sudoku.setting.naming import Words

SINGLES = 3  # the most points of a single
TWO_COMPLETIONS = 1.0  # seconds to find two completions of a grid whose steps are stuck


def hint(puzzle: Puzzle, options: argparse.Namespace, limits: Facts) -> Answer:
    """The next step."""
    return _solved(puzzle, options, limits, 1)


def steps(puzzle: Puzzle, options: argparse.Namespace, limits: Facts) -> Answer:
    """All steps, and where they end."""
    return _solved(puzzle, options, limits, None)


def _solved(puzzle: Puzzle, options: argparse.Namespace, limits: Facts, most: int | None) -> Answer:
    """The first steps, or all of them."""
    signs = names(puzzle.layout, options)
    found: list[sudoku.Step] = []
    under_way = sudoku.steps(puzzle, **limits)
    _, stopped = finished(lambda: found.extend(islice(under_way, most)))
    stopped = stopped or under_way.stopped
    end = _end(puzzle, under_way) if not stopped and (most is None or len(found) < most) else ""
    each = [_facts(step, signs) for step in found]
    facts: Facts = {"hint": each[0] if each else None} if most else {"steps": each}
    facts |= {"outcome": end.partition(",")[0] or None, "stopped": stopped}  # without the number of blanks

    def lines() -> Iterator[str]:
        for k, step in enumerate(found, 1):
            yield step.said(signs) if most else f"{k}. {step.said(signs)}"
        if stopped or not (most and found):
            yield end or "unknown"

    answer = answered(puzzle, options, lambda: "\n".join(lines()), facts, under_way.contradictory)
    drawn = [step for step in found if most or step.points > SINGLES] or found
    return answer._replace(picture=None if options.svg is None else steps_picture(drawn, signs))


def _end(puzzle: Puzzle, found: sudoku.Steps) -> str:
    """Returns the end of the steps, in a few words."""
    if found.contradictory:
        return "no completion"
    blanks = int((found.grid[found.layout.mask()] == 0).sum())
    return "solved" if found.solved else f"{_stuck(puzzle)}, {blanks} blanks are left"


def _stuck(puzzle: Puzzle) -> str:
    """Returns "several completions" if steps cannot end for that reason, otherwise "stuck"."""
    several = sudoku.count(puzzle, max_covers=2, timeout=TWO_COMPLETIONS).covers == 2
    return "several completions" if several else "stuck"


def _facts(step: sudoku.Step, signs: str | None) -> Facts:
    """A step for programs; rows and columns from 1."""
    said = Words(step.before.layout, signs)
    truths, links = ([said.items([item]) for item in some] for some in (step.truths, step.links))
    chosen = step.placed or step.combination
    placed = None if chosen is None else said.option(chosen)
    out = [said.option(name) for name in (*step.out, *step.combinations_out)]
    facts = {"name": step.name, "text": step.said(signs), "points": step.points, "placed": placed, "out": out}
    path = [[said.option(name) for name in group] for group in step.path]
    return {**facts, "truths": truths, "links": links, "rank": step.rank, "path": path}


def rate(puzzle: Puzzle, options: argparse.Namespace, limits: Facts) -> Answer:
    """The points of the hardest step, and of all together."""
    found, stopped = finished(sudoku.rate, puzzle, **limits)
    if found is None:
        return answered(puzzle, options, lambda: None, {"stopped": stopped})
    kinds = {"solved": found.solved, "no completion": found.contradictory, "unproven": found.stopped}
    end = next((kind for kind, holds in kinds.items() if holds), "") or _stuck(puzzle)
    numbers = {"hardest": found.hardest, "total": found.total, "steps": found.steps}
    facts = {**numbers, "solved": found.solved, "contradictory": found.contradictory, "stopped": found.stopped}
    text = f"{' '.join(f'{name} {n}' for name, n in numbers.items())} {end}"
    return answered(puzzle, options, lambda: text, facts, found.contradictory)
