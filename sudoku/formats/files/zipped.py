"""SudokuPad's short form of JSON: names without quotes and mostly abbreviated, ' for ", t and f, and nothing for {}.

A colour is six hexadecimal digits without quotes, and a text that is a whole number has lost its quotes: so a number
of six digits may be a colour, and is taken for one. There is no published description of the form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_SHORT = """
a:arrows c:color c1:borderColor c2:backgroundColor ca:cages ce:cells cs:cellSize ct:center d:duration
d2:d fs:fontSize h:height hl:headLength l:lines o:overlays r:rounded re:regions t:title te:text
th:thickness u:underlays v:value vd:videos w:width wp:wayPoints
"""
NAMES = dict(pair.split(":") for pair in _SHORT.split())
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},:]|[^\[\]{},:"\s]+|\s+')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_MEANT = {"t": "true", "f": "false", "true": "true", "false": "false", "null": "null", "#0": '"#000000"'}
_MEANT |= {"#F": '"#FFFFFF"'}


def unzipped(text: str) -> Any:
    """Returns the value of a text in the short form; a ValueError if it is none."""
    plain = text if '"' in text else re.sub(r"\\?'", lambda found: "'" if found[0] == r"\'" else '"', text)
    try:
        return json.loads("".join(_tokens(plain)), parse_int=lambda digits: int(digits[:20]), object_pairs_hook=_named)
    except (ValueError, RecursionError):
        raise ValueError("the link has neither JSON in it nor SudokuPad's short form of it") from None


def _named(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {NAMES.get(name, name): member for name, member in dict(pairs).items()}


def _tokens(text: str) -> Iterator[str]:
    """Yields the same in JSON, token by token."""
    tokens = [token for token in _TOKEN.findall(text) if not token.isspace()]
    before = ""
    for token, after in zip(tokens, [*tokens[1:], ""], strict=True):
        if before in ("[", ",") and token in (",", "]"):
            yield "{}"
        yield json.dumps(token) if after == ":" and token[0] not in '"[]{},:' else _value(token)
        before = token


def _value(token: str) -> str:
    if token[0] in '"[]{},:' or token in _MEANT:
        return _MEANT.get(token, token)
    if re.fullmatch("[0-9a-fA-F]{6}", token):
        return json.dumps(f"#{token}")
    return token if _NUMBER.fullmatch(token) else json.dumps(token)
