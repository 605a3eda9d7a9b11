"""Puzzles as objects of f-puzzles, and links to SudokuPad that contain such an object.

Whatever is written is read again, and refused if that is not the same puzzle.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any
from urllib.parse import quote

import numpy as np

from sudoku.constraints import Region
from sudoku.formats.files.fpuzzles import FLAGS, pictures, said, unmarked, with_flag
from sudoku.formats.files.links import LONGEST, packed
from sudoku.formats.files.meaning import Meaning, lost, meaning, part_meaning, parts
from sudoku.formats.files.setters import fpuzzle, usual_box
from sudoku.formats.request import Request, place_of
from sudoku.grid import Puzzle, all_candidates
from sudoku.layout import Layout

Value = dict[str, Any]

SUDOKUPAD = "https://sudokupad.app/fpuzzles"
NEGATIVES = ("difference", "xv", "ratio")  # of which f-puzzles calls the first one nonconsecutive


def fpuzzles_value(puzzle: Puzzle) -> Value:
    """Returns a puzzle as an object of f-puzzles; a ValueError names a rule that this cannot say."""
    n = puzzle.layout.size
    grid = [[_cell(puzzle, r, c) for c in range(n)] for r in range(n)]
    return _checked(puzzle, {"size": n, "grid": grid, **_rules(puzzle.layout)})


@lru_cache(8)
def _rules(layout: Layout) -> Value:
    """Returns the members for the rules of a layout."""
    wanted, plain = meaning(layout), layout.without(*layout.rules())
    known, value = meaning(plain), Value()
    for flag in FLAGS:
        if flag != "nonconsecutive" and (news := _implied(wanted, known, partial(with_flag, plain, flag))):
            value[flag] = True
            known |= news
    marked = layout.without(*(rule for rule in layout.rules() if rule[0].startswith("no-")))
    negative = [name for name in NEGATIVES if _implied(wanted, known, partial(_negative, marked, name))]
    if "difference" in negative:
        negative.remove("difference")
        value["nonconsecutive"] = True
    if negative:
        value["negative"] = negative
    for part in parts(layout):
        if not isinstance(part, Region) or not part_meaning(part, layout) <= known:
            for name, place in said(part, layout.size):
                for member, one in ((name, place), *pictures(name, place)):
                    value.setdefault(member, []).append(one)
    return value


def sudokupad_link(puzzle: Puzzle) -> str:
    """Returns a link to a puzzle; a ValueError if it would be too long to be read, or as for `fpuzzles_value`."""
    text = packed(json.dumps(fpuzzles_value(puzzle), separators=(",", ":")))
    address = SUDOKUPAD + quote(text, safe="")
    if len(address) > LONGEST:
        raise ValueError(f"the link would have {len(address)} characters; at most {LONGEST} are read")
    return address


def _cell(puzzle: Puzzle, r: int, c: int) -> Value:
    n = puzzle.layout.size
    boxes = [k for k, region in enumerate(puzzle.layout.regions) if region.kind == "box" and (r, c) in region.cells]
    if len(boxes) != 1:
        where = f"{place_of(r, c)} is in {len(boxes)} boxes instead of one"
        raise ValueError(f"the form cannot represent the regions: {where}")
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


def _implied(wanted: Meaning, known: Meaning, make: Callable[[], Layout]) -> Meaning:
    """Returns the meaning of a layout if it is part of `wanted` and adds to `known`; else the empty set."""
    try:
        other = meaning(make())
    except ValueError:  # the grid cannot have this rule
        return frozenset()
    return other if other <= wanted and not other <= known else frozenset()


def _checked(puzzle: Puzzle, value: Value) -> Value:
    """Returns the value if reading it gives the same puzzle; otherwise a ValueError names the difference."""
    back = fpuzzle(json.loads(json.dumps(value)), Request(puzzle.layout, puzzle.file), puzzle.line)
    if less := next(lost(puzzle.layout, back.layout), ""):
        raise ValueError(f"the form cannot represent the {less}")
    if more := next(lost(back.layout, puzzle.layout), ""):
        raise ValueError(f"the form cannot represent this puzzle without the {more}")
    if not np.array_equal(all_candidates(puzzle), all_candidates(back)):
        raise ValueError("the form cannot represent these candidates")
    return value
