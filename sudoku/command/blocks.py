"""Answers about many plain grids at once, in their order; some grids need a separate search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dlx.extending import UNLIMITED, Limits
from sudoku.command.answers import IN_BOXES, Answer, OnProgress
from sudoku.encoding import Weights
from sudoku.formats.fast import Block, lines
from sudoku.formats.writing import text_of
from sudoku.grid import Puzzle
from sudoku.layout import as_layout
from sudoku.solve import PATIENCE, VISITS, complete
from sudoku.target import RING_WEIGHTS

SIMPLE = 1_000  # completions that are counted one by one


def takes_blocks(command: str, options: Mapping[str, Any]) -> bool:
    """Returns whether plain grids can be answered together by a command with these options."""
    if options.get("json") or options.get("timeout") == 0:
        return False
    if command == "target":
        return "strategy" not in options
    if command == "count":
        return options.get("merge", "auto") in ("auto", "never") and options.get("limit") != 0
    return command == "solve" and "all" not in options and "limit" not in options


def at_once(
    block: Block, command: str, options: Mapping[str, Any], progress: OnProgress | None
) -> Iterator[Answer | Puzzle]:
    """Yields answers for one or more plain grids, in their order, or a Puzzle that needs a separate search."""
    weights: Weights | None = None
    most, patience, sign = 1, PATIENCE, 1
    if command == "target":
        sign = 1 if options.get("sense", "max") == "max" else -1
        weights = sign * options.get("weights", RING_WEIGHTS)
        most, patience = UNLIMITED, VISITS
    elif command == "count":
        most = min(options.get("limit", SIMPLE), SIMPLE)
    found = complete(block.grids, Limits.of(progress=progress), most, patience, weights=weights)
    kinds = np.sign(found.counts[: found.done])  # 1: the answer is known, 0: there is no completion, -1: unknown
    if command == "count" and most != options.get("limit"):
        kinds[found.counts[: found.done] == most] = -1
    begins = np.flatnonzero(np.diff(kinds, prepend=2)).tolist()
    for begin, end in zip(begins, [*begins[1:], found.done], strict=False):
        completions, none = found.completions[begin:end], bool(kinds[begin] == 0)
        grids = completions.reshape(-1, 9, 9)
        if kinds[begin] < 0:
            yield from block._replace(grids=block.grids[begin:end], lines=block.lines[begin:end]).puzzles()
        elif command == "count":
            yield Answer("\n".join(map(str, found.counts[begin:end].tolist())), none=none, grids=len(grids))
        elif none:
            yield Answer("\n".join(["-1"] * len(grids)), none=True, grids=len(grids))
        elif weights is not None:
            scores = (sign * (completions @ weights.ravel())).tolist()
            if "grid" in options:
                each = zip(scores, grids, strict=True)
                yield from (Answer(f"{score}\n{text_of(grid, as_layout(None))}") for score, grid in each)
            else:
                yield Answer("\n".join(map(str, scores)), grids=len(grids))
        elif block.form in IN_BOXES:
            yield from (Answer(text_of(grid, as_layout(None))) for grid in grids)
        else:
            yield Answer(lines(completions).decode()[:-1], grids=len(grids))
    if found.outcome["stopped"]:
        raise KeyboardInterrupt
