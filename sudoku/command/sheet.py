"""A sheet of puzzles to print from a browser: one page with all of them, and the solutions on the last one."""

from __future__ import annotations

import html
from collections.abc import Iterable

import sudoku
from sudoku.command.answers import SECOND_COMPLETION
from sudoku.grid import Puzzle
from sudoku.pictures.svg import draw, faint

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>
@page {{ margin: 15mm; }}
body {{ font-family: sans-serif; max-width: 180mm; margin: auto; }}
section {{ display: flex; flex-wrap: wrap; justify-content: space-between; }}
figure {{ width: 85mm; margin: 0 0 8mm; break-inside: avoid; }}
.solutions {{ break-before: page; }}
.solutions figure {{ width: 40mm; }}
figure svg {{ width: 100%; height: auto; }}
</style>
<h1>{title}</h1>
<section>
{puzzles}
</section>
<h2 class="solutions">Solutions</h2>
<section class="solutions" style="break-before: auto">
{solutions}
</section>
</html>
"""


def sheet(puzzles: Iterable[tuple[Puzzle, str | None]], title: str) -> str:
    """Returns the page of some puzzles, each with the signs of a blank and of each digit, or None for numbers."""
    drawn, solved = [], []
    for k, (puzzle, signs) in enumerate(puzzles, 1):
        drawn.append(_figure(draw(puzzle.grid, puzzle.layout, puzzle.grid, faint(puzzle.candidates), signs), str(k)))
        solution = sudoku.solve(puzzle).completion
        if solution is None:
            solved.append(_figure("", f"{k}: no completion"))
            continue
        several = sudoku.count(puzzle, max_covers=2, timeout=SECOND_COMPLETION).covers > 1
        picture = draw(solution, puzzle.layout, puzzle.grid, None, signs)
        solved.append(_figure(picture, f"{k}: one of several completions" if several else str(k)))
    return PAGE.format(title=html.escape(title), puzzles="\n".join(drawn), solutions="\n".join(solved))


def _figure(picture: str, caption: str) -> str:
    return f"<figure><figcaption>{caption}</figcaption>{picture}</figure>"
