"""Puzzles as f-puzzles and SudokuPad have them: objects of JSON, and links with the whole puzzle.

Whatever is written is read again, and refused if that is not the same puzzle: so nothing is lost in silence. Rules are
the same where they rule out the same pairs of candidates, whatever they are called, and have the same other sums and
lines. A link to SudokuPad has the puzzle in the form of f-puzzles, of which that draws all rules; in a form of its own
it has givens, regions and cages.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import quote

import numpy as np

from sudoku.constraints import Candidate, Clash, Line, Region, Sum, clashes_of, pairs_of
from sudoku.formats.files.fpuzzles import FLAGS, Said, pictures, said, unmarked, with_flag
from sudoku.formats.files.links import LONGEST, packed
from sudoku.formats.files.setters import fpuzzle, sudokupad, usual_box
from sudoku.formats.request import Asked, place_of
from sudoku.formats.writing import all_candidates
from sudoku.grid import Puzzle
from sudoku.layout import Layout, Rule

Value = dict[str, Any]
Part = Region | Clash | Line | Sum
Ruled = dict[Candidate, int]  # for each candidate the bits of those that it rules out

HEADS = {"fpuzzles": "https://www.f-puzzles.com/?load=", "sudokupad": "https://sudokupad.app/fpuzzles"}
NEGATIVES = ("difference", "xv", "ratio")  # of which f-puzzles calls the first one nonconsecutive
CELL = 64  # the size of a cell in SudokuPad


def fpuzzles_value(puzzle: Puzzle) -> Value:
    """Returns a puzzle as an object of f-puzzles; a ValueError names a rule that this cannot say."""
    layout, n = puzzle.layout, puzzle.layout.size
    value: Value = {"size": n, "grid": [[_cell(puzzle, r, c) for c in range(n)] for r in range(n)]}
    ruled, plain = ruled_out(layout), layout.without(*layout.rules())
    known = ruled_out(plain)
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
    return _same(puzzle, value, fpuzzle)


def sudokupad_value(puzzle: Puzzle) -> Value:
    """Returns a puzzle as an object of SudokuPad; a ValueError names a rule that this cannot say."""
    layout = puzzle.layout
    boxes = [sorted(map(list, region.cells)) for region in layout.regions if region.kind == "box"]
    cages: list[Value] = []
    for one in _parts(layout):
        if one.kind == "cage" and not isinstance(one, Clash):
            total = {"value": str(one.number)} if isinstance(one, Sum) else {}
            cages.append({"cells": sorted(map(list, one.cells)), "unique": True, **total})
    cells = [[{"value": digit} if digit else {} for digit in row] for row in puzzle.grid.tolist()]
    value = {"cellSize": CELL, "cells": cells, "regions": boxes, "cages": cages, "metadata": {}}
    return _same(puzzle, value, sudokupad)


def link(form: str, puzzle: Puzzle) -> str:
    """Returns a link to a puzzle; a ValueError if it would be too long to be read, or as for the object in it."""
    text = packed(json.dumps(fpuzzles_value(puzzle), separators=(",", ":")))
    address = HEADS[form] + (text if form == "fpuzzles" else quote(text, safe=""))
    if len(address) > LONGEST:
        raise ValueError(f"the link would have {len(address)} characters; at most {LONGEST} are read")
    return address


VALUES: Mapping[str, Callable[[Puzzle], Value]] = {"fpuzzles": fpuzzles_value, "sudokupad": sudokupad_value}


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
    for rule in _parts(layout):
        news = _rules_out(layout, [rule]) if isinstance(rule, Region) else None
        if news is None or any(bits & ~known[one] for one, bits in news.items()):
            for name, place in said(rule, layout.size):
                yield name, place
                yield from pictures(name, place)


def _same(puzzle: Puzzle, value: Value, read: Callable[[Value, Asked, int], Puzzle]) -> Value:
    """Returns what has been written, if it is read as the same puzzle; a ValueError names what is not."""
    back = read(json.loads(json.dumps(value)), Asked(puzzle.layout, puzzle.file), puzzle.line)
    if lost := next(_lost(puzzle.layout, back.layout), ""):
        raise ValueError(f"the form cannot say the {lost}")
    if more := next(_lost(back.layout, puzzle.layout), ""):
        raise ValueError(f"the form cannot say this puzzle without the {more}")
    if not np.array_equal(all_candidates(puzzle), all_candidates(back)):
        raise ValueError("the form cannot say these candidates")
    return value


def _lost(layout: Layout, other: Layout) -> Iterator[str]:
    """Names the rules of a layout that another one has not."""
    ruled, meant = ruled_out(other), meanings(other, other.lines, other.sums)
    rules: dict[Rule, list[Part]] = {}
    for part in _parts(layout):
        rules.setdefault(part[:2], []).append(part)
    for (kind, name), parts in rules.items():
        lines, sums = [one for one in parts if isinstance(one, Line)], [one for one in parts if isinstance(one, Sum)]
        news = _rules_out(layout, parts)
        if any(bits & ~ruled.get(one, 0) for one, bits in news.items()) or meanings(layout, lines, sums) - meant:
            yield f"{kind} {name}"


def _parts(layout: Layout) -> list[Part]:
    return [*layout.regions, *layout.clashes, *layout.lines, *layout.sums]


def ruled_out(layout: Layout) -> Ruled:
    """For each candidate of a layout those of other cells that it rules out, as bits: by regions, clashes and lines."""
    found = dict.fromkeys(((r, c, d) for r, c in layout.cells() for d in range(1, layout.size + 1)), 0)
    return found | _rules_out(layout, _parts(layout))


def _rules_out(layout: Layout, rules: Iterable[Part]) -> Ruled:
    """The same of some rules, for the candidates that rule out any."""
    n, width = layout.size, layout.shape[1]
    found: Ruled = {}
    own = (1 << n) - 1
    for rule in rules:
        for candidates in _sets(rule, n):
            bits = sum(1 << (r * width + c) * n + d - 1 for r, c, d in candidates)
            for r, c, d in candidates:
                found[r, c, d] = (found.get((r, c, d), 0) | bits) & ~(own << (r * width + c) * n)
    return found


def _sets(rule: Part, n: int) -> Iterator[Iterable[Candidate]]:
    """Yields candidates of which at most one may hold by a rule."""
    if isinstance(rule, Region):
        yield from ([(*cell, d) for cell in rule.cells] for d in range(1, n + 1))
    elif isinstance(rule, Clash):
        yield rule.candidates
    elif isinstance(rule, Line):
        yield from (clash.candidates for clash in clashes_of(rule, n))


def meanings(layout: Layout, lines: Iterable[Line], sums: Iterable[Sum]) -> set[Hashable]:
    """What sums say, and the lines that pairs cannot say, but for their names and orders."""
    found: set[Hashable] = set()
    for line in lines:
        if line.kind in ("odd", "even"):
            found.update((line.kind, cell) for cell in line.cells)
        elif line.kind == "between":
            found.add((line.kind, frozenset(line.cells[:: len(line.cells) - 1]), frozenset(line.cells)))
        elif line.kind == "region-sum":
            found.add((line.kind, frozenset(map(frozenset, layout.parts(line)))))
        elif pairs_of(line.kind) is None:
            found.add((line.kind, frozenset(line.cells)))
    for one in sums:
        found.add((one.kind, one.total, one.cells if one.kind in ("x-sum", "skyscraper") else frozenset(one.cells)))
    return found
