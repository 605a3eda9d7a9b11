"""`sudoku generate`: puzzles at random, each as soon as it is there."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from itertools import islice

from dlx.command import NONE, UNFINISHED, Console, in_words, need_stdout, plural
from sudoku.command.answers import as_word
from sudoku.formats.conversion import to_boxed, write
from sudoku.grid import Grid
from sudoku.layout import as_layout
from sudoku.listing import Budget
from sudoku.setting.generating import NoPuzzleError, Wanted, puzzles
from sudoku.setting.killers import generate_killer


def generate(options: argparse.Namespace, console: Console) -> int:
    """Prints puzzles, and returns the exit status."""
    need_stdout()
    make, noun = (_killers, "killer") if options.killer else (_puzzles, "puzzle")
    number = 0

    def report(text: Callable[[], str] = str) -> None:
        so_far = f"{number:,} of {options.number:,} {plural(options.number, noun)}"
        console.line.update(lambda: ", ".join(filter(None, [so_far, text(), in_words(console.line.elapsed)])))

    try:
        for text in islice(make(options, report), options.number):
            console.print(text)
            number += 1
    except (NoPuzzleError, TimeoutError) as error:
        console.say(str(error))
        return UNFINISHED if isinstance(error, TimeoutError) else NONE
    except ValueError as error:
        return console.fail(str(error))
    return 0


def _puzzles(options: argparse.Namespace, report: Callable[..., None]) -> Iterator[str]:
    wanted = Wanted(**{name: getattr(options, name) for name in Wanted.__annotations__})  # type: ignore[typeddict-item]
    return (_text(puzzle, options) for puzzle in puzzles(as_layout(options.box), wanted, report))


def _killers(options: argparse.Namespace, report: Callable[..., None]) -> Iterator[str]:
    """Yields killers as f-puzzles, each in a line of JSON."""
    budget = Budget(timeout=options.timeout, progress=lambda _: report())
    for k in range(options.number):
        report()
        seed = None if options.seed is None else options.seed + k
        layout = generate_killer(options.box, seed=seed, **budget.rest())
        yield "".join(write([layout.size**2 * "."], "fpuzzles", layout))


def _text(puzzle: Grid, options: argparse.Namespace) -> str:
    """A puzzle as it is printed."""
    layout = as_layout(options.box)
    if options.json:
        return f"{json.dumps({'puzzle': as_word(puzzle, layout, options), 'givens': int((puzzle > 0).sum())})}\n"
    return f"{to_boxed(puzzle, layout)}\n\n" if options.grid else f"{as_word(puzzle, layout, options)}\n"
