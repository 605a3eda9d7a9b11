"""The options of the command `dlx`, each declared once; the parameters of a command say which ones it takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, get_args

from dlx.command.arguments import (
    Parser,
    add_sense,
    at_least,
    fraction,
    memory,
    page_name,
    pattern,
    picture_name,
    seconds,
    seed,
)
from dlx.command.tile import add_modes
from dlx.counting.count import Merge
from dlx.engine.dispatch import KernelName
from dlx.formats import FORMATS, READ
from dlx.search.trace import EVENTS


class Option(NamedTuple):
    """An option with a value, a flag if its default is False, or an argument without a dash.

    Attributes:
        spelling: as the help has it.
        text: its help.
        type: what makes the value of the text, or the texts that are allowed.
        commands: the commands that take it, if it is no parameter of them, but of the `Task`.
    """

    spelling: str
    text: str
    type: Callable[[str], Any] | tuple[str, ...] = str
    commands: str = ""


OF_A_FILE = "count solve first sample classify best explain deduce estimate watch info"
LISTS = "solve first sample classify best deduce"
SEARCHES = "count solve first best tile"

OPTIONS = {  # by the parameters that they set
    "words": Option("PIECES", "as pentominoes, soma, tetromino:LT, 6-hexes, '3-colour squares'"),
    "target": Option("OUT", "where to write it (standard output)"),
    "format": Option("--format", "the format of FILE, if its name does not tell", READ, OF_A_FILE),
    "to": Option("--to", "the format to write", tuple(FORMATS)),
    "output": Option("-o --output OUT", "the same"),
    "json": Option("--json", "print JSON", bool, f"{LISTS} count explain estimate info tile"),
    "numbers": Option("--numbers", "print options by their numbers in the file, from 1", bool, LISTS),
    # A search and its limits
    "jobs": Option("--jobs N", "search in N pieces at a time (1)", at_least(1), SEARCHES),
    "scheduler": Option(
        "--scheduler ADDRESS", "search in pieces, on the workers of dask", str, "count solve first best"
    ),
    "checkpoint": Option("--checkpoint FILE", "save the state of the search, and continue from it", str, "count best"),
    "limit": Option(
        "--limit N", "stop after N covers, kinds or steps", at_least(0), "count solve classify deduce tile"
    ),
    "timeout": Option(
        "--timeout SECONDS",
        "the most time for the search",
        seconds,
        f"{SEARCHES} sample classify explain deduce estimate watch",
    ),
    "max_nodes": Option(
        "--max-nodes N",
        "the most nodes, for the same end on every machine",
        at_least(0),
        "count solve first best explain deduce estimate",
    ),
    "svg": Option(
        "--svg FILE", "draw the covers, twelve of them at most", picture_name, "solve first sample best tile"
    ),
    "kernel": Option("--kernel", "what searches (auto)", get_args(KernelName)),
    "seed": Option("--seed N", "search in another order, or draw other covers", seed),
    "memory": Option("--memory BYTES", "to remember states in, as 1e9 or 100MB (1GiB)", memory),
    # Counts and kinds
    "merge": Option("--merge", "count equal states once (auto)", get_args(Merge)),
    "points": Option("--points REGEX", "what matches in an item's name are the points that it is about", pattern),
    "up_to": Option("--up-to", "count kinds of covers, as `dlx classify` would list them", ("symmetry",)),
    "shares": Option("--shares", "print in how many covers each option is"),
    "count": Option("--count", "print only how many kinds and covers there are"),
    "n": Option("-n K", "how many covers to draw (1)", at_least(1)),
    "samples": Option("--samples N", "random paths to take (1000)", at_least(2)),
    # Pages
    "page": Option("-o --output FILE", "the page to write (standard output)", page_name),
    "title": Option("--title TEXT", "its heading (the name of the file)"),
    "events": Option("--events N", f"the most steps to record ({EVENTS:,}), without --best", at_least(0)),
    # The best cover
    "best": Option("--best", "show the search for the best cover"),
    "k": Option("-k K", "the number of covers (1)", at_least(1)),
    "gap": Option("--gap PART", "stop once no score is better by more than this part (0)", fraction),
    "mip": Option("--mip", "have HiGHS search beside it (extra mip), for one cover"),
    "start": Option("--start FILE", "a cover to begin with, as --numbers prints it"),
    "certificate": Option("--certificate FILE", "write a proof of the answer, for a checker of your own"),
    # Steps of reasoning
    "watch": Option("--watch", "write a page with a player for the steps"),
    "truths": Option("--truths N", "the most truths of a set (4)", at_least(1)),
    "rank": Option("--rank N", "the most rank of a set, links less truths (1)", at_least(0)),
    "chain": Option("--chain N", "the most truths of a chain (12)", at_least(0)),
    # Boards and pieces
    "pieces": Option("--pieces FILE", "a file with further pieces; then PIECES may be left out"),
    "each": Option("--each RANGE", "how often each piece is used: 1, 1..3 or any (1)"),
    "lattice": Option("--lattice NAME", "square, cube, triangle or hexagon (that of the pieces or the board)"),
    "empty": Option("--empty MARKS", "the marks of cells that may stay empty, or all"),
    "wrap": Option("--wrap", "let edges of the board meet", ("torus", "cylinder")),
    "frame": Option("--frame LABEL", "the label of all sides at the edge of the board"),
    "reflections": Option("--no-reflections", "pieces are only turned"),
    "symmetry": Option(
        "--symmetry",
        "tilings that rotations, or all symmetries, map to each other are one (none)",
        ("rotations", "all", "none"),
    ),
    "weights": Option("--weights FILE", "with --best: a number for each cell, or a drawing with digits"),
}


def add_options(parser: Parser, function: Callable[..., int]) -> None:
    """Adds the options of a command: those of its `Task`, and the parameters of its function."""
    command = function.__name__
    if command == "tile":
        parser.add_argument("file", metavar="BOARD", help="a size, as 6x10 or 4x4x4, or a file with a drawing")
    else:
        parser.add_argument("file", metavar="FILE", help="where the problem is", nargs="?", default="-")
    if command == "convert":
        _add(parser, "format", OPTIONS["format"]._replace(spelling="--from --format"), None)
    for name, option in OPTIONS.items():
        if command in option.commands.split():
            _add(parser, name, option, False if option.type is bool else None)
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "sense":
            add_sense(parser, "min")
            parser.set_defaults(sense=parameter.default)
        elif name == "mode":
            add_modes(parser)
        elif name in OPTIONS:
            _add(parser, name, OPTIONS[name], parameter.default)


def _add(parser: Parser, name: str, option: Option, default: Any) -> None:
    words = option.spelling.split()
    if words[0][0] != "-":
        parser.add_argument(name, metavar=words[0], help=option.text, nargs="?", default=default)
        return
    settings: dict[str, Any] = {"dest": name, "help": option.text, "default": default}
    if name == "reflections":
        settings["action"] = "store_false"
    elif default is False:
        settings["action"] = "store_true"
    elif isinstance(option.type, tuple):
        settings["choices"] = option.type
    else:
        settings |= {"type": option.type, "metavar": words.pop()}
    parser.add_argument(*words, **settings)
