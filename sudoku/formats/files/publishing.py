"""Puzzles as f-puzzles and SudokuPad have them: objects of JSON, and links with the whole puzzle.

Whatever is written is read again, and refused if that is not the same puzzle: so nothing is lost in silence. A link to
SudokuPad has the puzzle in the form of f-puzzles, of which that draws all rules; in a form of its own it has givens,
regions and cages.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any
from urllib.parse import quote

import numpy as np

from sudoku.constraints import Region
from sudoku.formats.files.fpuzzles import FLAGS, Said, pictures, said, unmarked, with_flag
from sudoku.formats.files.links import LONGEST, packed
from sudoku.formats.files.meaning import Ruled, lost, parts, ruled_out, rules_out
from sudoku.formats.files.setters import fpuzzle, usual_box
from sudoku.formats.request import Asked, place_of
from sudoku.grid import Puzzle, all_candidates
from sudoku.layout import Layout

Value = dict[str, Any]

HEADS = {"fpuzzles": "https://www.f-puzzles.com/?load=", "sudokupad": "https://sudokupad.app/fpuzzles"}
NEGATIVES = ("difference", "xv", "ratio")  # of which f-puzzles calls the first one nonconsecutive
CELL = 64  # the size of a cell in SudokuPad


def fpuzzles_value(puzzle: Puzzle) -> Value:
    """Returns a puzzle as an object of f-puzzles; a ValueError names a rule that this cannot say."""
    n = puzzle.layout.size
    grid = [[_cell(puzzle, r, c) for c in range(n)] for r in range(n)]
    return _same(puzzle, {"size": n, "grid": grid, **_rules(puzzle.layout)}, fpuzzle)


@lru_cache(8)
def _rules(layout: Layout) -> Value:
    """Returns the members of the rules of a layout, as far as there are any."""
    ruled, plain = ruled_out(layout), layout.without(*layout.rules())
    known, value = ruled_out(plain), Value()
    for flag in FLAGS:
        if flag == "nonconsecutive":
            continue  # which goes with marks
        if news := _implied(ruled, known, partial(with_flag, plain, flag)):
            value[flag] = True
            known = {one: bits | news[one] for one, bits in known.items()}
    marked = layout.without(*(rule for rule in layout.rules() if rule[0].startswith("no-")))
    negative = [name for name in NEGATIVES if _implied(ruled, known, partial(_negative, marked, name))]
    value |= {"nonconsecutive": True} if "difference" in negative else {}
    value |= {"negative": more} if (more := [name for name in negative if name != "difference"]) else {}
    for name, place in _places(layout, known):
        value.setdefault(name, []).append(place)
    return value


def link(form: str, puzzle: Puzzle) -> str:
    """Returns a link to a puzzle; a ValueError if it would be too long to be read, or as for the object in it."""
    text = packed(json.dumps(fpuzzles_value(puzzle), separators=(",", ":")))
    address = HEADS[form] + (text if form == "fpuzzles" else quote(text, safe=""))
    if len(address) > LONGEST:
        raise ValueError(f"the link would have {len(address)} characters; at most {LONGEST} are read")
    return address


def _cell(puzzle: Puzzle, r: int, c: int) -> Value:
    n = puzzle.layout.size
    boxes = [k for k, region in enumerate(puzzle.layout.regions) if region.kind == "box" and (r, c) in region.cells]
    if len(boxes) != 1:
        raise ValueError(f"the form cannot say the regions: {place_of(r, c)} is in {len(boxes)} boxes instead of one")
    cell: Value = {} if puzzle.layout.box == usual_box(n) else {"region": boxes[0] - 2 * n}
    if digit := int(puzzle.grid[r, c]):
        return cell | {"value": digit, "given": True}
    marks = None if puzzle.candidates is None else (np.flatnonzero(puzzle.candidates[r, c]) + 1).tolist()
    if marks == []:
        raise ValueError(f"the cell in {place_of(r, c)} has no candidate, which f-puzzles cannot say")
    return cell if marks is None or len(marks) == n else cell | {"givenPencilMarks": marks}


def _negative(marked: Layout, name: str) -> Layout:
    """A layout with its marks, and what its unmarked pairs have not, without its other rules."""
    found = marked.with_negative(*unmarked(marked, name))
    return found.without(*(rule for rule in found.rules() if not rule[0].startswith("no-")))


def _implied(ruled: Ruled, known: Ruled, make: Callable[[], Layout]) -> Ruled | None:
    """Returns what a layout rules out, if that is among what is ruled out, and more than is known."""
    try:
        other = ruled_out(make())
    except ValueError:  # which the grid cannot have
        return None
    says_more = any(bits & ~known[one] for one, bits in other.items())
    return other if says_more and not any(bits & ~ruled[one] for one, bits in other.items()) else None


def _places(layout: Layout, known: Ruled) -> Iterator[Said]:
    """Yields the places of all rules that say more than is known, and pictures of them."""
    for rule in parts(layout):
        news = rules_out(layout, [rule]) if isinstance(rule, Region) else None
        if news is None or any(bits & ~known[one] for one, bits in news.items()):
            for name, place in said(rule, layout.size):
                yield name, place
                yield from pictures(name, place)


def _same(puzzle: Puzzle, value: Value, read: Callable[[Value, Asked, int], Puzzle]) -> Value:
    """Returns what has been written, if it is read as the same puzzle; a ValueError names what is not."""
    back = read(json.loads(json.dumps(value)), Asked(puzzle.layout, puzzle.file), puzzle.line)
    if less := next(lost(puzzle.layout, back.layout), ""):
        raise ValueError(f"the form cannot say the {less}")
    if more := next(lost(back.layout, puzzle.layout), ""):
        raise ValueError(f"the form cannot say this puzzle without the {more}")
    if not np.array_equal(all_candidates(puzzle), all_candidates(back)):
        raise ValueError("the form cannot say these candidates")
    return value
