"""Answers about many plain grids at once: those that are simple, in whole blocks of lines.

A block is answered in the order of its grids. What is not simple in it, such as a grid with many completions of which
the best is wanted, is answered by itself, as any other grid is.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.command import one_interrupt_noted
from dlx.extending import UNLIMITED, Limits
from sudoku import DEFAULT, Result, ring_weights
from sudoku.command.answers import Answer, OnProgress, as_object, best_facts, scored
from sudoku.encoding import Weights
from sudoku.formats.blocks import CELLS, IN_BLOCKS, Block, lines
from sudoku.grid import Puzzle
from sudoku.layout import as_layout
from sudoku.setting.canonical import canonical_many
from sudoku.solve import PATIENCE, Found, complete

SIMPLE = 1_000  # completions that are counted one by one
FEW = 16  # canonical forms that are printed together


class Lines(NamedTuple):
    """Answers of one line each about grids that follow one another.

    Attributes:
        text: the lines, with their ends.
        grids: how many there are.
        none: whether some grid has no completion.
    """

    text: bytes
    grids: int
    none: bool


def takes_blocks(options: argparse.Namespace) -> bool:
    """Tells whether what is asked can be answered in whole blocks."""
    usual = options.box in (None, (3, 3)) and options.format in IN_BLOCKS and options.alphabet is None
    if options.command == "target":
        return best_only(options) and (options.json or not options.grid) and usual
    if options.json or not usual:
        return False
    if options.command == "count":
        return options.limit != 0 and options.merge in ("auto", "never") and options.up_to is None
    return options.command in ("solve", "canonical")


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
    known = [k for k, puzzle in enumerate(puzzles) if puzzle.candidates is None and puzzle.layout.is_plain]
    grids = np.array([puzzles[k].grid for k in known], dtype=np.uint8).reshape(-1, 81)
    found = complete(grids, Limits.of(), UNLIMITED, PATIENCE, weights=_to_maximise(options))
    if found.outcome["stopped"] and (found.counts >= 0).all():
        raise KeyboardInterrupt  # which no answer would tell of
    other = Answer("unknown", "interrupt") if found.outcome["stopped"] else None
    answers: list[Answer | None] = [None] * len(puzzles)
    scores = _scores(found.completions, options)
    for k, number, cells, score in zip(known, found.counts.tolist(), found.completions, scores, strict=True):
        if number > 0:
            answers[k] = Answer(scored([score], True, cells.reshape(9, 9), puzzles[k].layout, options))
        else:
            answers[k] = other if number else Answer("-1", none=True)
    return answers


def answers(
    block: Block, options: argparse.Namespace, progress: OnProgress, other: Callable[[Puzzle], Answer]
) -> Iterator[Answer | Lines]:
    """Answers the grids of a block, in their order.

    Parameters:
        block: the grids.
        options: what is asked.
        progress: called with how far it is.
        other: answers a grid that is not simple.

    Raises:
        KeyboardInterrupt: Ctrl-C came, and what had been found out by then has been yielded.
    """
    if options.command == "canonical":
        yield from _forms(block)
        return
    weights = _to_maximise(options) if plain(options) else None
    most = {"solve": 1, "target": 2 if options.json else UNLIMITED}.get(options.command)
    most = most or min(options.limit or SIMPLE, SIMPLE)
    limits = Limits.of(progress=progress)
    with _unheard(options.jobs) as interrupted:
        found = complete(block.grids, limits, most, PATIENCE, threads=options.jobs, weights=weights)
    kinds = _kinds(found, options, most)[: found.done]
    begins = np.flatnonzero(np.diff(kinds, prepend=2)).tolist()
    for begin, end in zip(begins, [*begins[1:], found.done], strict=False):
        if kinds[begin] < 0:
            yield from (other(_puzzle(block, k)) for k in range(begin, end))
        else:
            yield Lines(_text(block, found, slice(begin, end), options), end - begin, bool(kinds[begin] == 0))
    if found.outcome["stopped"] or interrupted():
        raise KeyboardInterrupt


def _unheard(threads: int) -> AbstractContextManager[Callable[[], bool]]:
    """Puts Ctrl-C off where there are several threads: Python can lose it while it forgets those that have ended."""
    return one_interrupt_noted() if threads > 1 else nullcontext(lambda: False)


def _forms(block: Block) -> Iterator[Lines]:
    """The canonical forms, a few at a time: one can take a quarter of a second."""
    for begin in range(0, len(block.grids), FEW):
        some = canonical_many(block.grids[begin : begin + FEW]).reshape(-1, CELLS)
        yield Lines(lines(some).replace(b"0", b"."), len(some), False)


def _kinds(found: Found, options: argparse.Namespace, most: int) -> npt.NDArray[np.int8]:
    """Of each grid: 1 if its answer is known, 0 if that is that there is no completion, -1 if it is not simple."""
    kinds = np.sign(found.counts).astype(np.int8)
    if options.command == "target" or (options.command == "count" and most != options.limit):
        kinds[found.counts == most] = -1
    return kinds


def _text(block: Block, found: Found, some: slice, options: argparse.Namespace) -> bytes:
    """The answers about grids that are simple, and have completions or have none."""
    if options.json:
        return _objects(block, found, some, options)
    counts, completions = found.counts[some], found.completions[some]
    if options.command == "count":
        return b"%d\n" * len(counts) % tuple(counts.tolist())
    if not counts[0]:
        return b"-1\n" * len(counts)
    if options.command == "solve":
        return lines(completions)
    return b"%d\n" * len(counts) % tuple(_scores(completions, options))


def _objects(block: Block, found: Found, some: slice, options: argparse.Namespace) -> bytes:
    """The best scores for programs, each with its share of the time; one completion or none needs no search for it."""
    completions, seconds = found.completions[some], found.outcome["seconds"] / found.done
    one = found.counts[some.start] > 0
    texts = lines(completions).decode().split() if one else [None] * len(completions)
    scores = _scores(completions, options) if one else [-1] * len(completions)
    told = []
    for k, (score, text) in enumerate(zip(scores, texts, strict=True), some.start):
        result = Result(
            strategy=DEFAULT,
            score=score,
            completion=None,
            completions=None,
            ties=None,
            bound=score if one else None,
            nodes=0,
            updates=0,
            seconds=seconds,
            stopped=None,
        )
        told.append(f"{as_object(_puzzle(block, k), **best_facts(result, text))}\n")
    return "".join(told).encode()


def _scores(completions: npt.NDArray[np.uint8], options: argparse.Namespace) -> list[int]:
    scores: list[int] = (completions @ _weights(options).ravel()).tolist()
    return scores


def _to_maximise(options: argparse.Namespace) -> Weights:
    return _weights(options) if options.sense == "max" else -_weights(options)


def _weights(options: argparse.Namespace) -> Weights:
    weights: Weights = ring_weights(9) if options.weights is None else options.weights
    return weights


def _puzzle(block: Block, k: int) -> Puzzle:
    return Puzzle(block.grids[k].reshape(9, 9), block.form, block.file, block.lines[k], as_layout(None))
