"""Options of the `sudoku` command that say by which rules: a box, variants, the map of a jigsaw, files of rules."""

from __future__ import annotations

import argparse
import re

from sudoku.formats.rules import read_jigsaw, read_rules
from sudoku.layout import VARIANTS, Box, Layout, grid_size

RULES = f"""\
variants: {", ".join(VARIANTS)};
and samurai, five grids that share corner boxes, alone or with the last three. A file of rules has a line for each:
  cage 15 r1c1 r1c2 r2c1          sums: little-killer 23 r1c1 r2c2; arrow r5c5 r5c6 r5c7; sandwich 12 row 3 too
  thermometer r1c1 r2c1 r3c1      lines: slow-thermometer, whisper, white-dot, black-dot, V, X too
  region cross r4c5 r5c4 r5c6     cells that have no digit twice; clash r1c1=3 r9c9=3: at most one of these holds
  variant x, anti-knight          the same as --variant; grids r1c1 r7c7: several grids, by their first cells
"""


def add_layout_options(command: argparse.ArgumentParser) -> None:
    """Adds the options, all of which `choose_layout` turns into `box`."""
    command.add_argument("--box", type=_box, metavar="RxC", help="rows and columns of a box (3x3)")
    command.add_argument("--variant", metavar="NAMES", help="variants, with commas between them")
    command.add_argument("--jigsaw", metavar="FILE", help="a map of regions that take the place of the boxes")
    command.add_argument("--rules", metavar="FILE", help="further rules: cages, thermometers and others")


def choose_layout(options: argparse.Namespace) -> None:
    """Puts the layout that is asked for into `options.box`; what is there if that is all: rows and columns, or None.

    Raises:
        ValueError: options do not go together, or there is something wrong in a file or with a name.
        OSError: a file cannot be read.
    """
    if options.box is not None and options.jigsaw is not None:
        raise ValueError("--box is for grids with rectangular boxes, and --jigsaw for others")
    layout: Box | Layout | None = options.box
    if options.jigsaw is not None:
        layout = read_jigsaw(options.jigsaw)
    if options.variant is not None:
        layout = Layout.named(options.variant, layout)
    if options.rules is not None:
        layout = read_rules(options.rules, layout)
    options.box = layout


def _box(text: str) -> Box:
    match = re.fullmatch("([0-9]{1,3})x([0-9]{1,3})", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form ROWSxCOLUMNS, such as 3x3")
    box = int(match[1]), int(match[2])
    try:
        grid_size(box)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return box
