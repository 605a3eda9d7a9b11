"""Writes puzzles in a form: the head of the file, then each puzzle.

If a form cannot represent something, such as candidates or the regions of a puzzle, writing raises an error. `names`
are the signs of a blank and of each digit; default: `.` or 0, and numbers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from sudoku.formats.request import place_of
from sudoku.formats.signs import DIGITS
from sudoku.grid import Candidates, Form, Grid, Puzzle, all_candidates
from sudoku.layout import Layout, as_layout

OWN_LAYOUT: tuple[Form, ...] = ("fpuzzles", "killer", "jigsaw")  # forms that contain the regions

_CHARACTERS = f".{DIGITS}".encode().ljust(256, b"?")
Drawing = Literal["rows", "boxed", "unicode"]
# The signs of lines beside and above a cell, and where lines meet: bits for up, right, down and left, from the lowest
_LINES = {
    "rows": ("", "", " " * 16),
    "boxed": ("|", "-", "     |    -    +"),
    "unicode": ("┃", "━", " ╹╺┗╻┃┏┣╸┛━┻┓┫┳╋"),
}


def line(grid: Grid, names: Sequence[str] | None = None) -> str:
    """Returns a grid in the line form; without names, of up to 32 rows."""
    if names is not None:
        return "".join([names[value] for value in grid.ravel().tolist()])
    if len(grid) > len(DIGITS):
        raise ValueError(f"there is no line form for grids of {len(grid)} rows")
    return grid.tobytes().translate(_CHARACTERS).decode("ascii")


def text_of(grid: Grid, layout: Layout, form: Drawing = "boxed", names: Sequence[str] | None = None) -> str:
    """Returns a grid in lines.

    Parameters:
        form: "rows" has no lines between cells, "boxed" has bars and rules between rectangular boxes, and "unicode" has
            heavy lines around boxes of any shape.
    """
    width = len(str(layout.size))
    blank = "0" if form == "rows" else "."
    names = names or [name.rjust(width) for name in (blank, *map(str, range(1, layout.size + 1)))]
    cells = grid.ravel() if layout.is_square else grid[layout.mask()]
    return _frame(layout, form, len(names[0])) % tuple([names[value] for value in cells.tolist()])


@lru_cache(64)
def _frame(layout: Layout, form: Drawing, width: int) -> str:
    """Returns the text of a grid with `%s` in each cell; `width` is the width of a digit."""
    is_bare = form == "rows" or (form == "boxed" and layout.box is None)
    areas = np.pad(np.zeros(layout.shape) if is_bare else layout.areas(), 1, mode="edge")
    if form == "unicode":  # the grid has a frame
        areas[[0, -1]] = areas[:, [0, -1]] = -1
    beside_sign, above_sign, corner_signs = _LINES[form]
    above = areas[:-1] != areas[1:]  # [r, c + 1]: whether there is a line above row r in column c
    beside = areas[:, :-1] != areas[:, 1:]  # [r + 1, c]: whether there is one beside column c in row r, on its left
    corners = above[:, :-1] * 8 + above[:, 1:] * 2 + beside[:-1] * 1 + beside[1:] * 4
    picture = np.empty([2 * side + 1 for side in layout.shape], dtype=object)  # cells and the lines around them
    picture[1::2, 1::2] = np.where(layout.mask(), " %s", " " * (width + 1))
    picture[1::2, ::2] = np.where(beside[1:-1], f" {beside_sign}", "  ")
    picture[::2, 1::2] = np.where(above[:, 1:-1], above_sign * (width + 1), " " * (width + 1))
    picture[::2, ::2] = np.char.add(np.where(above[:, :-1], above_sign, " "), np.array([*corner_signs])[corners])
    rows, columns = np.ones(picture.shape[0], dtype=np.bool_), np.ones(picture.shape[1], dtype=np.bool_)
    # The rows and columns of the picture between cells are left out if no line is drawn in them.
    rows[::2], columns[::2] = above.any(axis=1), beside.any(axis=0)
    return "\n".join("".join(row)[1:].rstrip() for row in picture[rows][:, columns].tolist())


def marks(grid: Grid, candidates: Candidates) -> str:
    """Returns candidates, shape (n, n, n), as rows of pencil marks; n is at most 9."""
    n = len(grid)
    words = {}
    for r, c in np.ndindex(n, n):
        found = "".join(str(d + 1) for d in np.flatnonzero(candidates[r, c]).tolist())
        if not found:
            raise ValueError(f"the cell in {place_of(r, c)} has no candidate, which pencil marks cannot say")
        words[r, c] = found if grid[r, c] or len(found) > 1 else f"+{found}"
    width = max(map(len, words.values()))
    return "\n".join(" ".join(words[r, c].ljust(width) for c in range(n)).rstrip() for r in range(n))


def _characters(puzzle: Puzzle) -> str:
    if puzzle.grid.any():
        raise ValueError("the form has no givens, only candidates; the form marks has both")
    signs = np.where(all_candidates(puzzle), np.array(list(DIGITS[: puzzle.layout.size])), ".")
    return "".join(signs.ravel().tolist())


class Writer(NamedTuple):
    grid: Callable[[Puzzle], str]  # one puzzle, without the last line end
    head: str = ""  # the line before the first one, if any
    apart: bool = False  # whether an empty line separates puzzles
    candidates: bool = False  # whether the form contains candidates
    gaps: bool = False  # whether cells may be missing
    rules: bool = False  # whether the form contains regions and other rules
    most: int = 64  # maximum number of rows

    def texts(self, grids: Iterable[str]) -> Iterator[str]:
        """Yields the head and the grids, with line ends."""
        if self.head:
            yield f"{self.head}\n"
        for k, text in enumerate(grids):
            yield f"\n{text}\n" if k and self.apart else f"{text}\n"

    def check_rules(self, layout: Layout) -> None:
        """Raises ValueError if a layout has a rule that is no region, and the form cannot represent rules."""
        if not self.rules and (rules := layout.rules()):
            raise ValueError(f"the form cannot represent the rule {rules[0][0]}; fpuzzles can represent most rules")

    def write(self, puzzle: Puzzle) -> str:
        """Returns a puzzle in this form, without the last line end; ValueError if the form cannot represent it."""
        n, layout = puzzle.layout.size, puzzle.layout
        if n > self.most:
            raise ValueError(f"the form has at most {self.most} rows, not {n}")
        if puzzle.candidates is not None and not self.candidates:
            raise ValueError(
                "the form cannot represent which candidates blanks have: leave them out (as_grid, or --drop-candidates)"
            )
        if not layout.is_square and not self.gaps:
            raise ValueError(f"the form is for square grids, not for {layout!r}")
        if not self.rules and has_own_layout(puzzle):
            raise ValueError(f"the form cannot represent what the regions are: {layout!r}")
        return self.grid(puzzle)


def has_own_layout(puzzle: Puzzle) -> bool:
    """Returns whether the text of a puzzle had regions or rules that its digits alone do not show."""
    n, layout = puzzle.layout.size, puzzle.layout
    return puzzle.form in OWN_LAYOUT and layout != as_layout(None if n == as_layout(None).size else layout.box)


def _fpuzzles(puzzle: Puzzle) -> str:
    from sudoku.formats.files.fpuzzles import fpuzzles_value  # with the reader of JSON, 5 ms

    return json.dumps(fpuzzles_value(puzzle))


def _sudokupad_link(puzzle: Puzzle) -> str:
    from sudoku.formats.files.links import sudokupad_link  # with the reader of JSON, 5 ms

    return sudokupad_link(puzzle)


WRITERS: Mapping[str, Writer] = {
    "line": Writer(lambda puzzle: line(puzzle.grid), gaps=True, most=32),
    "rows": Writer(lambda puzzle: text_of(puzzle.grid, puzzle.layout, "rows"), apart=True, gaps=True),
    "boxed": Writer(lambda puzzle: text_of(puzzle.grid, puzzle.layout), apart=True, gaps=True),
    "csv": Writer(lambda puzzle: line(puzzle.grid), "puzzle", most=32),
    "json": Writer(lambda puzzle: json.dumps(puzzle.grid.tolist())),
    "marks": Writer(lambda puzzle: marks(puzzle.grid, all_candidates(puzzle)), apart=True, candidates=True, most=9),
    "candidates": Writer(_characters, candidates=True, most=32),
    "fpuzzles": Writer(_fpuzzles, candidates=True, rules=True),
    "sudokupad-link": Writer(_sudokupad_link, candidates=True, rules=True),
}
