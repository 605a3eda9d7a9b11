"""`sudoku target`: the best score of each grid, the K best completions, and how many share the best score."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dlx.extending import UNLIMITED, Limits
from sudoku import Ranking, Result, best, rank, ring_weights, ties
from sudoku.command.answer import Answer, Told, as_boxes, as_object, as_text, as_word
from sudoku.encoding import Weights
from sudoku.grid import Grid, Puzzle
from sudoku.layout import Layout
from sudoku.many.plain import PATIENCE, complete
from sudoku.strategies import DEFAULT

RANKING = "bound"  # the strategy that finds more than one completion
MOST_TIES = 1_000_000  # completions of equal score are counted up to here, unless told otherwise


def best_only(options: argparse.Namespace) -> bool:
    """Tells whether nothing is asked but the best completions of grids of nine rows."""
    if options.command != "target":
        return False
    special = options.top is not None or options.ties or options.strategy is not None
    return options.box in (None, (3, 3)) and not special


def plain(options: argparse.Namespace) -> bool:
    """Tells whether `at_a_glance` can answer: programs are told the effort of each search."""
    return best_only(options) and not options.json


def at_a_glance(puzzles: Sequence[Puzzle], options: argparse.Namespace) -> list[Answer | None]:
    """Returns the answers about plain grids that have few completions; None for others."""
    weights, sign = signed_weights(options)
    known = [k for k, puzzle in enumerate(puzzles) if puzzle.candidates is None and puzzle.layout.is_plain]
    grids = np.array([puzzles[k].grid for k in known], dtype=np.uint8).reshape(-1, 81)
    found = complete(grids, Limits.of(), UNLIMITED, PATIENCE, weights=weights)
    if found.outcome["stopped"] and (found.counts >= 0).all():
        raise KeyboardInterrupt  # which no answer would tell of
    other = Answer("unknown", "interrupt") if found.outcome["stopped"] else None
    answers: list[Answer | None] = [None] * len(puzzles)
    for k, count, cells in zip(known, found.counts.tolist(), found.completions, strict=True):
        completion = cells.reshape(9, 9) if count else None
        score = sign * int(cells @ weights.ravel()) if count else -1
        answers[k] = other if count < 0 else _answer(score, completion, True, None, options, puzzles[k].layout)
    return answers


def signed_weights(options: argparse.Namespace) -> tuple[Weights, int]:
    """Returns the weights, to be maximised, and the sign that makes them so."""
    sign = 1 if options.sense == "max" else -1
    return sign * (ring_weights(9) if options.weights is None else options.weights), sign


def target(puzzle: Puzzle, options: argparse.Namespace, told: Told) -> Answer:
    """The best score, and what was asked for besides."""
    result = best(
        puzzle,
        weights=options.weights,
        strategy=options.strategy,
        sense=options.sense,
        timeout=options.timeout,
        progress=told,
    )
    shared = _ties(puzzle, result, options, told) if options.ties and result.proven else None
    stopped = shared.stopped if shared else result.stopped
    if options.json:
        known = as_text(result.completion, puzzle.layout, options)
        text = as_object(puzzle, **_facts(result, known, shared, options.ties))
        return Answer(text, stopped, none=result.completion is None and result.proven)
    return _answer(result.score, result.completion, result.proven, stopped, options, puzzle.layout, shared)


def unsearched(score: int, completion: str | None, seconds: float) -> dict[str, object]:
    """The best score for programs, where a grid has one completion or none and needs no search for the best."""
    result = Result(
        strategy=DEFAULT,
        score=score,
        completion=None,
        completions=None,
        ties=None,
        bound=None if completion is None else score,
        nodes=0,
        updates=0,
        seconds=seconds,
        stopped=None,
    )
    return _facts(result, completion)


class _Ties(NamedTuple):
    """The number of completions with the best score, the reason why the count stopped early, and its time."""

    number: int
    stopped: str | None = None
    nodes: int = 0
    seconds: float = 0.0


def _ties(puzzle: Puzzle, result: Result, options: argparse.Namespace, told: Told) -> _Ties:
    """Counts the completions with a proven best score in the time that is left."""
    if result.completion is None:
        return _Ties(0)
    if result.ties is not None:  # the strategy has counted them
        return _Ties(result.ties)
    count = ties(
        puzzle,
        result.score,
        sense=options.sense,
        weights=options.weights,
        max_covers=options.limit,
        timeout=None if options.timeout is None else max(0.0, options.timeout - result.seconds),
        progress=told,
    )
    return _Ties(count.covers, count.stopped, count.nodes, count.seconds)


def _answer(
    score: int,
    completion: Grid | None,
    proven: bool,
    stopped: str | None,
    options: argparse.Namespace,
    layout: Layout,
    shared: _Ties | None = None,
) -> Answer:
    """The best score in words."""
    if completion is None:
        return Answer("-1" if proven else "unknown", stopped, none=proven)
    words = [str(score)]
    if shared:
        words.append(f"ties {shared.number}{'+' if shared.stopped else ''}")
    return Answer(_marked(words, proven, as_boxes(completion, layout, options) if options.grid else ""), stopped)


def _facts(
    result: Result, completion: str | None, shared: _Ties | None = None, asked: bool = False
) -> dict[str, object]:
    """The best score for programs; nodes and seconds are those of the search and of the count of ties together."""
    known = result.proven or result.completion is not None
    return {
        "score": result.score if known else None,
        "completion": completion,
        "completions": result.completions,
        "ties": shared.number if shared else result.ties,
        **({"ties_exhausted": shared is not None and not shared.stopped} if asked else {}),
        "bound": result.bound,
        "proven": result.proven,
        "stopped": result.stopped,
        "strategy": result.strategy,
        "nodes": result.nodes + (shared.nodes if shared else 0),
        "seconds": round(result.seconds + (shared.seconds if shared else 0.0), 6),
    }


def top(puzzle: Puzzle, options: argparse.Namespace, told: Told) -> Answer:
    """The K best completions, or as many as there are."""
    result = rank(
        puzzle,
        options.top,
        sense=options.sense,
        weights=options.weights,
        timeout=options.timeout,
        progress=told,
    )
    listed = list(zip(result.scores.tolist(), result.completions, strict=True))
    none = not listed and result.proven
    if options.json:
        texts = [(score, as_text(grid, puzzle.layout, options)) for score, grid in listed]
        return Answer(as_object(puzzle, **_top_facts(result, texts)), result.stopped, none)
    if not listed:
        return Answer("-1" if none else "unknown", result.stopped, none)
    if options.grid:
        boxes = [(score, as_boxes(grid, puzzle.layout, options)) for score, grid in listed]
        lines = [_marked([str(score)], result.proven, grid) for score, grid in boxes]
    else:
        lines = [_marked([str(score), as_word(grid, puzzle.layout, options)], result.proven) for score, grid in listed]
    return Answer("\n".join(lines), result.stopped)


def _top_facts(result: Ranking, listed: Sequence[tuple[int, str | None]]) -> dict[str, object]:
    return {
        "top": [{"score": score, "completion": text} for score, text in listed],
        "bound": result.bound,
        "proven": result.proven,
        "stopped": result.stopped,
        "strategy": RANKING,
        "nodes": result.nodes,
        "seconds": round(result.seconds, 6),
    }


def _marked(words: list[str], proven: bool, grid: str = "") -> str:
    """A line of an answer, marked if it is unproven, and the grid that goes with it."""
    line = " ".join(words if proven else [*words, "unproven"])
    return f"{line}\n{grid}" if grid else line
