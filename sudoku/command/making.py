"""`sudoku generate`: puzzles at random, each block of them as soon as it is there."""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable
from itertools import islice

from dlx.command import NONE, UNFINISHED, Console, at_least, in_words, need_stdout, plural, seconds, seed
from sudoku.command.answer import as_word
from sudoku.command.layouts import add_layout_options
from sudoku.conversion import to_boxed
from sudoku.grid import Grid
from sudoku.layout import as_layout
from sudoku.setting.generating import FEW_TRIES, TRIES, NoPuzzleError, Wanted, puzzles
from sudoku.setting.symmetry import SYMMETRIES

PATIENCE = 0.1  # seconds between two blocks

GENERATE = f"""\
output: a line for each puzzle, or with --grid a grid of boxes and an empty line. Each has one completion.
Of plain sudoku all complete grids have the same chance; of what is left of one, few givens come more often than among
all puzzles. For other layouts the chances of complete grids are not known.

Givens go in random order as long as none is needed, or down to the least of --givens. --minimal leaves out puzzles of
which a given is not needed by itself, as symmetric ones often have. --difficulty is the number of guesses of `sudoku
measure`. Rare puzzles take long: the command ends when --tries puzzles in a row are not what is wanted, {TRIES:,}
without it, or {FEW_TRIES:,} of layouts other than 3x3, which take longer.

exit status:
  0                all puzzles have been made
  1                none of --tries puzzles in a row was what is wanted
  2                the puzzles cannot be written, or wrong usage
  3                --timeout came first
  130              Ctrl-C
In any case what had been made by then has been printed.
"""


def add(command: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    command.add_argument("-n", "--number", type=at_least(0), default=1, metavar="N", help="how many (1)")
    command.add_argument("--givens", type=_range, metavar="A[-B]", help="how many givens, or a range")
    command.add_argument("--symmetry", choices=SYMMETRIES, default="none", help="of the pattern of givens (none)")
    command.add_argument("--minimal", action="store_true", help="each given by itself is needed")
    command.add_argument("--difficulty", type=_range, metavar="A[-B]", help="how many guesses, or a range")
    command.add_argument("--seed", type=seed, metavar="N", help="for the same puzzles each time")
    command.add_argument("--tries", type=at_least(1), metavar="N", help="when to give up")
    command.add_argument("--timeout", type=seconds, metavar="SECONDS", help="the most time")
    add_layout_options(command)
    command.set_defaults(alphabet=None)
    several = command.add_mutually_exclusive_group()
    several.add_argument("--grid", action="store_true", help="print grids of boxes")
    several.add_argument("--json", action="store_true", help="print an object for each puzzle, in a line of its own")


def generate(options: argparse.Namespace, console: Console) -> int:
    """Prints puzzles, and returns the exit status."""
    need_stdout()
    names = ("givens", "symmetry", "minimal", "difficulty", "seed", "tries", "timeout")
    wanted = Wanted(layout=options.box, **{name: getattr(options, name) for name in names})  # type: ignore[typeddict-item]
    made: list[str] = []
    latest = time.monotonic()
    number = 0

    def told(text: Callable[[], str]) -> None:
        so_far = f"{number:,} of {options.number:,} {plural(options.number, 'puzzle')}"
        console.line.update(lambda: f"{so_far}, {text()}, {in_words(console.line.elapsed)}")

    try:
        for puzzle in islice(puzzles(wanted, told if console.line.visible else None), options.number):
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


def _range(text: str) -> tuple[int, int]:
    """A number, or the least and the most.

    >>> _range("24"), _range("24-28")
    ((24, 24), (24, 28))
    """
    match = re.fullmatch("([0-9]{1,9})(?:-([0-9]{1,9}))?", text)
    if not match or int(match[2] or match[1]) < int(match[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is no number, nor two as 24-28, the lesser one first")
    return int(match[1]), int(match[2] or match[1])
