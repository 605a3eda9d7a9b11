"""`sudoku generate`: random puzzles, each printed as soon as it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from json import dumps
from typing import Any

from dlx.command import NONE, UNFINISHED, in_words, need_stdout, plural
from sudoku.command.answers import word
from sudoku.command.reading import Source
from sudoku.formats.conversion import to_boxed, write
from sudoku.grid import Grid
from sudoku.layout import Layout, as_layout
from sudoku.listing import Budget
from sudoku.setting.generating import NoPuzzleError, puzzles
from sudoku.setting.killers import generate_killer


def generate(
    source: Source, *, n: int = 1, killer: bool = False, json: bool = False, grid: bool = False, **wanted: Any
) -> int:
    """Prints puzzles, and returns the exit status; `wanted` has the parameters of `sudoku.generate`."""
    need_stdout()
    console, layout = source.console, as_layout(source.layout)
    number = 0

    def text_of(puzzle: Grid) -> str:
        if json:
            return dumps({"puzzle": word(puzzle), "givens": int((puzzle > 0).sum())})
        return f"{to_boxed(puzzle, layout)}\n" if grid else word(puzzle)

    def report(text: Callable[[], str]) -> None:
        so_far = f"{number:,} of {n:,} {plural(n, 'killer' if killer else 'puzzle')}"
        console.line.update(lambda: ", ".join(filter(None, [so_far, text(), in_words(console.line.elapsed)])))

    made = _killers(layout, n, report, **wanted) if killer else map(text_of, puzzles(layout, wanted, report))  # type: ignore[arg-type]
    try:
        for text in islice(made, n):
            console.print(f"{text}\n")
            number += 1
    except (NoPuzzleError, TimeoutError) as error:
        console.say(str(error))
        return UNFINISHED if isinstance(error, TimeoutError) else NONE
    return console.status


def _killers(
    layout: Layout,
    n: int,
    report: Callable[[Callable[[], str]], object],
    *,
    seed: int | None = None,
    timeout: float | None = None,
    **others: Any,
) -> Iterator[str]:
    """Yields killers as f-puzzles, each in a line of JSON."""
    if others:
        raise ValueError(f"--{next(iter(others))} does not go with --killer, which makes cages and no givens")
    budget = Budget(timeout=timeout, progress=lambda _: report(str))
    for k in range(n):
        report(str)
        killer = generate_killer(layout, seed=None if seed is None else seed + k, **budget.rest())
        yield "".join(write([layout.size**2 * "."], "fpuzzles", killer)).removesuffix("\n")
