"""Numbers in the files of other solvers: whole or real, as C writes them."""

from __future__ import annotations

import math
import re

from dlx.problem.checks import MAX_SCORE, ProblemError

NUMBER = re.compile(r"[-+]?(?:[0-9]{1,40}|(?=\.?[0-9])[0-9]{0,400}\.?[0-9]{0,400}(?:[eE][-+]?[0-9]{1,5})?)")
EXACT = 2**53  # up to here a float that is whole is the number that was meant


def as_number(text: str) -> int | float:
    """Returns a number, an int if it is whole; raises ProblemError."""
    if not NUMBER.fullmatch(text):
        raise ProblemError(f"{text[:40]!r} is not a number")
    if text.lstrip("+-").isdigit():
        return int(text)
    value = float(text)
    if not math.isfinite(value):
        raise ProblemError(f"{text[:40]} is larger than any number can be")
    return int(value) if value.is_integer() and abs(value) <= EXACT else value


def as_cost(text: str) -> int | float:
    """Returns the cost of an option; raises ProblemError also of a whole number that no score can be."""
    cost = as_number(text)
    if isinstance(cost, int) and abs(cost) >= MAX_SCORE:
        raise ProblemError(f"the cost {text} is over the limit, {MAX_SCORE - 1}")
    return cost
