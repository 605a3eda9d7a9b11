"""Names as JSON: str, int, float, bool, None, and tuples of these, which are written as lists.

A `Placement` is read back as a `Placement`, and any other named tuple as an equal plain tuple.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from dlx.formats.errors import refusal
from dlx.problem.placement import as_placement


def as_json(names: Sequence[object], kind: str) -> list[object]:
    """Returns names as JSON values; the error of another type calls it by its kind."""
    return [_plain(name, kind) for name in names]


def quoted(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def unquoted(text: str) -> object:
    """Returns the name that a JSON text holds; raises ValueError or RecursionError if it holds none."""
    return of_json(json.loads(text))


def of_json(value: object) -> object:
    if isinstance(value, list):
        return as_placement(tuple(map(of_json, value)))
    if isinstance(value, dict) or (isinstance(value, float) and math.isnan(value)):
        raise ValueError(f"{str(value)[:40]} is no name")
    return value


def _plain(value: object, kind: str) -> object:
    if isinstance(value, tuple):
        return [_plain(part, kind) for part in value]
    if value is None or type(value) in (str, int, bool) or (type(value) is float and not math.isnan(value)):
        return value
    raise refusal(
        f"the {kind} {value!r} is a {type(value).__name__}; a name is str, int, float but not NaN, bool, None, "
        "or a tuple of these"
    )
