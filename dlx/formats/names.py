"""Names as JSON: str, int, float, bool, None, and tuples of these, for which lists stand.

A named tuple, as the placement of a piece, is read back as the tuple that it equals.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from dlx.formats.errors import refusal

DEEPEST = 50  # tuples in tuples
LONGEST = 4300  # digits of a whole number: beyond them Python reads and writes numbers in quadratic time, or refuses


def as_json(names: Sequence[object], kind: str) -> list[object]:
    """Returns names as JSON values; the error of another type calls it by its kind."""
    return [_plain(name, kind) for name in names]


def quoted(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def parsed(text: str | bytes) -> Any:
    """Parses JSON; raises OverflowError for a whole number that is too long, and RecursionError for nesting."""
    return json.loads(text, parse_int=_whole)


def _whole(digits: str) -> int:
    if (length := len(digits.lstrip("-"))) > LONGEST:
        raise OverflowError(f"a whole number has {length} digits; the limit is {LONGEST}")
    return int(digits)


def unquoted(text: str) -> object:
    """Returns a name; raises JSONDecodeError for what is no JSON at all, and ValueError for no name."""
    try:
        return of_json(parsed(text))
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError):
        raise ValueError(f"{text[:40]!r} is no name in JSON") from None


def of_json(value: object, depth: int = 0) -> object:
    if isinstance(value, list) and depth < DEEPEST:
        return tuple(of_json(part, depth + 1) for part in value)
    if isinstance(value, (list, dict)) or (isinstance(value, float) and math.isnan(value)):
        raise ValueError(f"{str(value)[:40]} is no name")
    return value


def _plain(value: object, kind: str, depth: int = 0) -> object:
    if isinstance(value, tuple) and depth < DEEPEST:
        return [_plain(part, kind, depth + 1) for part in value]
    if type(value) is int and value.bit_length() > 3 * LONGEST and abs(value) >= 10**LONGEST:
        raise refusal(f"the {kind} is a whole number of more than {LONGEST} digits")
    if value is None or type(value) in (str, int, bool) or (type(value) is float and not math.isnan(value)):
        return value
    raise refusal(
        f"the {kind} {value!r} is a {type(value).__name__}; a name is str, int, float but not NaN, bool, None, "
        f"or a tuple of these, no more than {DEEPEST} deep"
    )
