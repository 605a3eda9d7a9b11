"""Answers about many plain grids at once, in their order, except for grids that need a search of their own."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from dlx.extending import UNLIMITED, Limits
from sudoku.command.answers import IN_BOXES, Answer, OnProgress, as_boxes, scored
from sudoku.encoding import Weights
from sudoku.formats.fast import Block, lines
from sudoku.grid import Puzzle
from sudoku.layout import as_layout
from sudoku.solve import PATIENCE, VISITS, complete
from sudoku.target import RING_WEIGHTS

SIMPLE = 1_000  # completions that are counted one by one


def takes_blocks(options: argparse.Namespace) -> bool:
    """Returns whether plain grids can be answered together."""
    if options.json or options.timeout == 0:
        return False
    if options.command == "target":
        return options.top is None and options.strategy is None
    if options.command == "count":
        return options.merge in ("auto", "never") and options.limit != 0
    return options.command == "solve" and not options.lists


def at_once(block: Block, options: argparse.Namespace, progress: OnProgress | None) -> Iterator[Answer | Puzzle]:
    """Answers plain grids, in their order, if `takes_blocks` says so.

    Yields:
        Answers, each for one grid or for consecutive grids; or a Puzzle, which needs a search of its own.

    Raises:
        KeyboardInterrupt: Ctrl-C came, and what had been found out by then has been yielded.
    """
    weights: Weights | None = None
    most, patience = 1, PATIENCE
    if options.command == "target":
        weights = RING_WEIGHTS if options.weights is None else options.weights
        most, patience = UNLIMITED, VISITS
    elif options.command == "count":
        most = min(options.limit or SIMPLE, SIMPLE)
    signed = None if weights is None else weights if options.sense == "max" else -weights
    found = complete(block.grids, Limits.of(progress=progress), most, patience, weights=signed)
    kinds = np.sign(found.counts[: found.done])  # 1: the answer is known, 0: there is no completion, -1: unknown
    if options.command == "count" and most != options.limit:
        kinds[found.counts[: found.done] == most] = -1
    begins = np.flatnonzero(np.diff(kinds, prepend=2)).tolist()
    for begin, end in zip(begins, [*begins[1:], found.done], strict=False):
        number, none = end - begin, bool(kinds[begin] == 0)
        if kinds[begin] < 0:
            yield from block._replace(grids=block.grids[begin:end], lines=block.lines[begin:end]).puzzles()
        elif options.command == "count":
            yield Answer("\n".join(map(str, found.counts[begin:end].tolist())), none=none, grids=number)
        elif none:
            yield Answer("\n".join(["-1"] * number), none=True, grids=number)
        else:
            yield from _known(found.completions[begin:end], weights, block, options)
    if found.outcome["stopped"]:
        raise KeyboardInterrupt


def _known(
    completions: npt.NDArray[np.uint8], weights: Weights | None, block: Block, options: argparse.Namespace
) -> Iterator[Answer]:
    """Answers grids that follow one another by their completions, for `solve` or `target`."""
    grids, layout = completions.reshape(-1, 9, 9), as_layout(None)
    if weights is not None:
        scores = (completions @ weights.ravel()).tolist()
        if options.grid:
            for score, grid in zip(scores, grids, strict=True):
                yield Answer(scored([score], True, grid, layout, options))
        else:
            yield Answer("\n".join(map(str, scores)), grids=len(grids))
    elif block.form in IN_BOXES:
        yield from (Answer(as_boxes(grid, layout, options)) for grid in grids)
    else:
        yield Answer(_in_lines(completions), grids=len(grids))


def _in_lines(completions: npt.NDArray[np.uint8]) -> str:
    return lines(completions).decode()[:-1]
