"""Answers about many plain grids at once, in their order; those that need a search of their own are left over."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from dlx.command import one_interrupt_noted
from dlx.extending import UNLIMITED, Limits
from sudoku import DEFAULT, RING_WEIGHTS, Result
from sudoku.command.answers import IN_BOXES, Answer, OnProgress, as_boxes, as_object, best_facts, scored
from sudoku.encoding import Weights
from sudoku.formats.fast import CELLS, lines
from sudoku.grid import Puzzle
from sudoku.setting.canonical import canonical_many
from sudoku.solve import PATIENCE, Found, complete

SIMPLE = 1_000  # completions that are counted one by one
FEW = 16  # canonical forms that are printed together: one can take a quarter of a second

Grids = npt.NDArray[np.uint8]
PuzzleAt = Callable[[int], Puzzle]


def takes_blocks(options: argparse.Namespace) -> bool:
    """Tells whether plain grids can be answered at a glance."""
    if options.command == "target":
        return options.top is None and not options.ties and options.strategy is None
    if options.command == "count":
        merges = options.merge not in ("auto", "never") or options.up_to is not None
        return not options.json and not merges and options.limit != 0
    return options.command in ("solve", "canonical") and not options.json


def at_a_glance(
    grids: Grids, puzzle: PuzzleAt, options: argparse.Namespace, progress: OnProgress
) -> Iterator[Answer | Puzzle]:
    """Answers plain grids, in their order, as long as `takes_blocks` says so.

    Parameters:
        grids: the grids, uint8, shape (m, 81), at least one.
        puzzle: returns the k-th of them as it was read; all have the same form.
        options: what is asked.
        progress: called with how far it is.

    Yields:
        Answers, each about one grid or about several that follow one another; a Puzzle has to be searched by itself.

    Raises:
        KeyboardInterrupt: Ctrl-C came, and what had been found out by then has been yielded.
    """
    if options.command == "canonical":
        for begin in range(0, len(grids), FEW):
            some = canonical_many(grids[begin : begin + FEW]).reshape(-1, CELLS)
            yield Answer(_in_lines(some).replace("0", "."), grids=len(some))
        return
    most = {"solve": 1, "target": 2 if options.json else UNLIMITED}.get(options.command)
    most = most or min(options.limit or SIMPLE, SIMPLE)
    found = _complete(grids, most, options, progress)
    kinds = np.sign(found.counts[: found.done])  # 1 if the answer is known, 0 if there is no completion, -1 if neither
    if options.command == "target" or (options.command == "count" and most != options.limit):
        kinds[found.counts[: found.done] == most] = -1
    begins = np.flatnonzero(np.diff(kinds, prepend=2)).tolist()
    for begin, end in zip(begins, [*begins[1:], found.done], strict=False):
        if kinds[begin] < 0:
            yield from map(puzzle, range(begin, end))
        else:
            yield from _answers(found, slice(begin, end), puzzle, options)
    if found.outcome["stopped"]:
        raise KeyboardInterrupt


def _complete(grids: Grids, most: int, options: argparse.Namespace, progress: OnProgress) -> Found:
    """Finds the completions of grids in as many threads as there are jobs; Ctrl-C comes after them.

    Python can lose it while it forgets threads that have ended.
    """
    weights = None
    if options.command == "target" and not options.json:
        weights = _weights(options) if options.sense == "max" else -_weights(options)
    if options.jobs in (None, 1):
        return complete(grids, Limits.of(progress=progress), most, PATIENCE, weights=weights)
    from concurrent.futures import ThreadPoolExecutor

    shares = np.array_split(grids, min(options.jobs, len(grids)))
    with one_interrupt_noted() as interrupted, ThreadPoolExecutor(len(shares)) as pool:
        found = list(pool.map(lambda some: complete(some, Limits.of(), most, PATIENCE, weights=weights), shares))
    counts, completions = (np.concatenate([getattr(one, name) for one in found]) for name in ("counts", "completions"))
    seconds = max(one.outcome["seconds"] for one in found)
    outcome = {"seconds": seconds, "stopped": "interrupt" if interrupted() else None}
    return Found(counts, completions, len(grids), 0, outcome)


def _answers(found: Found, some: slice, puzzle: PuzzleAt, options: argparse.Namespace) -> Iterator[Answer]:
    """Answers grids that follow one another and have completions, or have none."""
    counts, completions = found.counts[some], found.completions[some]
    one, none = puzzle(some.start), not counts[0]
    if options.json:
        text = "\n".join(_objects(found, some, puzzle, options))
    elif options.command == "count":
        text = "\n".join(map(str, counts.tolist()))
    elif none:
        text = "\n".join(["-1"] * len(counts))
    elif options.command == "solve" and one.form in IN_BOXES:
        yield from (Answer(as_boxes(grid, one.layout, options)) for grid in completions.reshape(-1, 9, 9))
        return
    elif options.command == "solve":
        text = _in_lines(completions)
    elif options.grid:
        for score, grid in zip(_scores(completions, options), completions.reshape(-1, 9, 9), strict=True):
            yield Answer(scored([score], True, grid, one.layout, options))
        return
    else:
        text = "\n".join(map(str, _scores(completions, options)))
    yield Answer(text, none=none, grids=len(counts))


def _objects(found: Found, some: slice, puzzle: PuzzleAt, options: argparse.Namespace) -> Iterator[str]:
    """Yields the best scores for programs, each with its share of the time; one completion needs no search for it."""
    completions, one = found.completions[some], found.counts[some.start] > 0
    seconds = found.outcome["seconds"] / found.done
    texts: list[str] | list[None] = _in_lines(completions).split() if one else [None] * len(completions)
    for k, score, text in zip(range(some.start, some.stop), _scores(completions, options), texts, strict=True):
        best, bound = (score, score) if one else (-1, None)
        result = Result(
            strategy=DEFAULT,
            score=best,
            completion=None,
            bound=bound,
            nodes=0,
            updates=0,
            seconds=seconds,
            stopped=None,
        )
        yield as_object(puzzle(k), **best_facts(result, text))


def _in_lines(completions: Grids) -> str:
    return lines(completions).decode()[:-1]


def _scores(completions: Grids, options: argparse.Namespace) -> list[int]:
    scores: list[int] = (completions @ _weights(options).ravel()).tolist()
    return scores


def _weights(options: argparse.Namespace) -> Weights:
    weights: Weights = RING_WEIGHTS if options.weights is None else options.weights
    return weights
