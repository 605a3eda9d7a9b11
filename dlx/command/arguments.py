"""Types of the commands' arguments: numbers, times, amounts of memory, names of files."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable

from dlx.problem.checks import jobs_here

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
AMOUNT = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?(?:e[0-9]{1,2})?) ?([kmgt]i?|)b?", re.IGNORECASE)


def at_least(least: int, digits: int = 18) -> Callable[[str], int]:
    """Returns the type of an argument for whole numbers from `least` on, of at most so many digits."""

    def number(text: str) -> int:
        is_number = re.fullmatch("[0-9]+", text)
        if is_number and len(text) > digits:
            raise argparse.ArgumentTypeError(f"{text:.24} has {len(text)} digits instead of at most {digits}")
        if not is_number or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r:.40} is not a whole number from {least}")
        return int(text)

    return number


def seed(text: str) -> int:
    """The type of an argument that random choices are drawn from."""
    return at_least(0, digits=1000)(text)


def jobs(text: str) -> int:
    """The type of an argument for a number of workers on this machine."""
    number = at_least(1)(text)
    try:
        return jobs_here(number)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def memory(text: str) -> int:
    """The type of an argument for an amount of memory, in bytes or with a unit: 1e9, 100MB, 1.5 GiB."""
    found = AMOUNT.fullmatch(text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r:.40} is no amount of memory, as 1e9, 100MB or 2GiB")
    whole = int(found[1]) if found[1].isdigit() else float(found[1])
    return int(whole * UNITS[found[2].lower()])


def fraction(text: str) -> float:
    """The type of an argument for a fraction, as 0.01."""
    return _from_zero(text, sys.float_info.max, "a part, a number from 0, as 0.01")


def seconds(text: str) -> float:
    """The type of an argument for seconds; `inf` is one."""
    return _from_zero(text, math.inf, "a number of seconds from 0")


def pattern(text: str) -> re.Pattern[str]:
    """The type of an argument for a regular expression."""
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"{text!r:.40} is no regular expression: {error}") from None


def picture_name(text: str) -> str:
    """The type of an argument for the name of an SVG file."""
    if not text.endswith(".svg"):
        raise argparse.ArgumentTypeError(f"{text!r} does not end in .svg")
    return text


def page_name(text: str) -> str:
    """The type of an argument for the name of a page, which is none of a picture."""
    if text.endswith((".svg", ".png")):
        raise argparse.ArgumentTypeError(f"{text!r} is the name of a picture, and a page is HTML")
    return text


def _from_zero(text: str, most: float, form: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not {form}")
    return number
