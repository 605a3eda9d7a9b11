"""The arguments of a command: its parser, its help with examples and exit statuses, and the types of arguments."""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Callable, Mapping
from typing import Any

from dlx.command.console import NONE, STATUSES, UNFINISHED, write
from dlx.problem.checks import jobs_here
from dlx.problem.words import nearest

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
MEMORY = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?(?:e[0-9]{1,2})?) ?([kmgt]i?|)b?", re.IGNORECASE)


class Parser(argparse.ArgumentParser):
    """A parser that accepts options and files in any order, and suggests the nearest name for a misspelt name."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)  # --check must not mean --checkpoint
        self._intermixed = False
        self._negative_number_matcher = re.compile(r"-\.?\d")  # as in Python 3.14: -1x4 is a wrong size, not an option

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parses files on both sides of options, and refuses unknown arguments with the usage of the command."""
        known, unknown = super().parse_known_args(args, namespace)
        if unknown and self._subparsers is None and not self._intermixed:
            self._intermixed = True  # intermixed parsing is slower, and calls this method again
            try:
                known, unknown = self.parse_known_intermixed_args(args)
            finally:
                self._intermixed = False
            if unknown:
                near = nearest(unknown[0].partition("=")[0], self._option_string_actions, 0.85)
                self.error(f"unrecognized arguments: {' '.join(unknown)}{near}")
        return known, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuses a value that is none of the choices, such as a misspelt command, and suggests the nearest choice."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += nearest(value, action.choices or ())
            raise


def add_command(
    commands: argparse._SubParsersAction[Parser], name: str, text: str, before: str, after: str, **settings: Any
) -> Parser:
    """Adds a subcommand, whose help has examples and preserves line ends.

    Parameters:
        text: a line about its answer, a line with examples, `$ ...; ...; ...`, and lines about its output.
        before, after: lines of the help before and after the text.
        settings: defaults of its options, and further attributes of the parsed arguments.
    """
    prints, examples, output = text.split("\n", 2)
    command = commands.add_parser(
        name,
        help=prints,
        epilog=f"{before}{output}{after}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.description = begun(command.prog, f"Prints {prints}.", examples.removeprefix("$ "))
    command.set_defaults(**settings)
    return command


def begun(program: str, sentence: str, examples: str) -> str:
    """Returns the beginning of a help: a sentence and examples; semicolons separate the examples."""
    return "\n".join([sentence, "", "examples:", *(f"  {program} {example}" for example in examples.split("; "))])


def exit_line(unless: str | None = "") -> str:
    """Returns the line of a help with the exit statuses; `unless` is the option for statuses 1 and 3, None: never."""
    statuses = []
    for status, words in STATUSES.items():
        when = unless if status in (NONE, UNFINISHED) else ""
        statuses += [] if when is None else [f"{status} {words}{f' ({when})' * bool(when)}"]
    return f"\nexit status: {', '.join(statuses)}\ndocs/files.md says more."


def adder(commands: Mapping[str, Parser]) -> Callable[..., None]:
    """Returns a function that adds an option or file names to some commands.

    >>> made = {"solve": argparse.ArgumentParser("solve")}
    >>> adder(made)("solve", "-n --number N", "how many", type=int)
    >>> made["solve"].parse_args(["-n", "3"])
    Namespace(number=3)
    """

    def option(names: str, spelling: str, text: str, **settings: Any) -> None:
        words = spelling.split()
        if words[-1][0] != "-":
            settings["metavar"] = words.pop()
        for name in names.split():
            commands[name].add_argument(*words, help=text, **settings)

    return option


def add_sense(parser: argparse.ArgumentParser, default: str, unless: str = "") -> None:
    """Adds --min and --max, which set `sense`; `unless` is a phrase about exceptions from the default."""
    senses = parser.add_mutually_exclusive_group()
    for sense, extreme in (("min", "lowest"), ("max", "highest")):
        usual = f" (the default{unless})" if sense == default else ""
        text = f"the {extreme} score is the best{usual}"
        senses.add_argument(f"--{sense}", dest="sense", action="store_const", const=sense, default=default, help=text)


def add_version(parser: argparse.ArgumentParser) -> None:
    """Adds --version, which prints the name of the command and the version of the distribution."""
    parser.add_argument("--version", action=_Version, help="print the version and exit")


class _Version(argparse.Action):
    """Looks up the version only if it is requested, since this takes longer than a small problem."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, default=argparse.SUPPRESS, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from dlx.parallel.worker import version

        write(f"{parser.prog} {version()}\n")
        parser.exit()


# Types of arguments


def at_least(least: int, digits: int = 18) -> Callable[[str], int]:
    """Returns the argument type of whole numbers of at least `least`, with at most `digits` digits."""

    def number(text: str) -> int:
        is_number = re.fullmatch("[0-9]+", text)
        if is_number and len(text) > digits:
            raise argparse.ArgumentTypeError(f"{text:.24} has {len(text)} digits instead of at most {digits}")
        if not is_number or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r:.40} is not a whole number from {least}")
        return int(text)

    return number


seed = at_least(0, digits=1000)  # argument type of a random seed


def jobs(text: str) -> int:
    """The argument type of a number of workers on this machine."""
    number = at_least(1)(text)
    try:
        return jobs_here(number)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def memory(text: str) -> int:
    """The argument type of an amount of memory, in bytes or with a unit: 1e9, 100MB, 1.5 GiB."""
    found = MEMORY.fullmatch(text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r:.40} is not an amount of memory, such as 1e9, 100MB or 2GiB")
    whole = int(found[1]) if found[1].isdigit() else float(found[1])
    return int(whole * UNITS[found[2].lower()])


def from_zero(text: str) -> float:
    """The argument type of a real number of at least 0, such as a number of seconds or a fraction."""
    with contextlib.suppress(ValueError):
        if (value := float(text)) >= 0:
            return value
    raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")


seconds = fraction = from_zero


def _name(fits: Callable[[str], object], fault: str) -> Callable[[str], str]:
    """Returns the argument type of file names that `fits` accepts; `fault` ends the message about other names."""

    def checked(text: str) -> str:
        if not fits(text):
            raise argparse.ArgumentTypeError(f"{text!r} {fault}")
        return text

    return checked


file_name = _name(lambda text: text != "-", "is not allowed here: name a file")
picture_name = _name(lambda text: text.endswith(".svg"), "does not end in .svg")
page_name = _name(lambda text: not text.endswith((".svg", ".png")), "is the name of a picture, and a page is HTML")
