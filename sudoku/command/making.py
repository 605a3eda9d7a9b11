"""`sudoku generate`: puzzles at random, each block of them as soon as it is there."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

from dlx.command import NONE, UNFINISHED, Console, in_words, need_stdout, plural
from dlx.extending import StoppedError
from sudoku.command.answers import as_word
from sudoku.command.stream import by_workers
from sudoku.formats.conversion import to_boxed
from sudoku.formats.rules import rule_lines
from sudoku.grid import Grid
from sudoku.layout import as_layout
from sudoku.setting.generating import NoPuzzleError, Wanted, puzzles
from sudoku.setting.killers import killers

PATIENCE = 0.1  # seconds between two blocks


def generate(options: argparse.Namespace, console: Console) -> int:
    """Prints puzzles, and returns the exit status."""
    need_stdout()
    make = _killers if options.killer else _generate
    return by_workers(options, console, lambda **who: make(options, console, **who))


def _generate(options: argparse.Namespace, console: Console, **who: Any) -> int:
    names = Wanted.__annotations__.keys() - {"executor", "jobs"}
    wanted = Wanted(**who, **{name: getattr(options, name) for name in names})  # type: ignore[typeddict-item]
    made: list[str] = []
    latest = time.monotonic()
    number = 0

    def told(text: Callable[[], str]) -> None:
        so_far = f"{number:,} of {options.number:,} {plural(options.number, 'puzzle')}"
        console.line.update(lambda: f"{so_far}, {text()}, {in_words(console.line.elapsed)}")

    try:
        for puzzle in islice(
            puzzles(as_layout(options.box), wanted, told if console.line.visible else None), options.number
        ):
            made.append(_text(puzzle, options))
            number += 1
            if time.monotonic() - latest >= PATIENCE:
                _print(made, console)
                latest = time.monotonic()
    except NoPuzzleError as error:
        console.say(str(error))
        return NONE
    except TimeoutError as error:
        console.say(str(error))
        return UNFINISHED
    except ValueError as error:
        return console.fail(str(error))
    finally:
        _print(made, console)
    return 0


def _killers(options: argparse.Namespace, console: Console, **who: Any) -> int:
    """Prints the cages of killers as files of rules, with an empty line between two, and returns the exit status."""
    made = 0

    def told(seen: object) -> None:
        so_far = f"{made:,} of {options.number:,} {plural(options.number, 'killer')}"
        console.line.update(lambda: f"{so_far}, {in_words(console.line.elapsed)}")

    limits: dict[str, Any] = {"timeout": options.timeout, "progress": told if console.line.visible else None, **who}
    try:
        for layout in killers(options.number, as_layout(options.box), options.seed, **limits):
            console.print("\n" * (made > 0) + "".join(f"{line}\n" for line in rule_lines(layout)))
            made += 1
    except (StoppedError, TimeoutError) as error:
        console.say(str(error.raised() if isinstance(error, StoppedError) else error))
        return UNFINISHED
    except ValueError as error:
        return console.fail(str(error))
    return 0


def _print(made: list[str], console: Console) -> None:
    if made:
        console.print("".join(made))
        made.clear()


def _text(puzzle: Grid, options: argparse.Namespace) -> str:
    """A puzzle as it is printed."""
    layout = as_layout(options.box)
    if options.json:
        return f"{json.dumps({'puzzle': as_word(puzzle, layout, options), 'givens': int((puzzle > 0).sum())})}\n"
    return f"{to_boxed(puzzle, layout)}\n\n" if options.grid else f"{as_word(puzzle, layout, options)}\n"
