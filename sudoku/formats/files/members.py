"""The members of objects of JSON, checked: the beginning of all readers of puzzles that setters publish."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sudoku.formats.signs import clip, quoted

_TYPES = {bool: "true or false", int: "a whole number", str: "a text", list: "a list", dict: "an object"}


def member(value: Mapping[str, Any], name: str, what: str, *types: type) -> Any:
    """Returns a member of an object, None if it is null, or an empty text or list; a ValueError refuses other types."""
    found = value.get(name)
    if found is None or found == "" or found == []:
        return None
    if type(found) not in types:  # true is an int for isinstance
        kinds = " or ".join(_TYPES[one] for one in types)
        raise ValueError(f"{what} has the member {quoted(name)} with {clip(repr(found))} instead of {kinds}")
    return found


def refuse(value: Any, known: frozenset[str], what: str) -> None:
    """Refuses an object with members that are not known and say something: the ValueError names them."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} is {clip(repr(value))} instead of an object")
    if wrong := [quoted(name) for name, one in value.items() if name not in known and one]:
        raise ValueError(f"{what} has what is not supported: {', '.join(wrong)}")
