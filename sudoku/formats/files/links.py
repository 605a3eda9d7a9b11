"""Links to f-puzzles and SudokuPad, which have the whole puzzle in them, and the names of puzzles in such links.

The puzzle is packed by lz-string (https://pieroxy.net/blog/pages/lz-string/), which the extra `links` brings. A link
with a short name, of a puzzle that only a server knows, is an error. A link to a page of another kind may have a grid
in the line form in it, `?bd=`.

SudokuPad has a short form of JSON, of which there is no published description: names without quotes and mostly
abbreviated, ' for ", t and f, and nothing for {}. A colour is six hexadecimal digits without quotes, and a text that is
a whole number has lost its quotes: so a number of six digits may be a colour, and is taken for one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from sudoku.formats.files.setters import fpuzzle, sudokupad
from sudoku.formats.files.values import decoded
from sudoku.formats.request import Asked, Found
from sudoku.formats.signs import Signs, quoted
from sudoku.grid import Puzzle

# A packed value can be as long as the square of its parts: such a link unpacks to 40 million characters or so.
LONGEST = 1 << 14

_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_LOAD = re.compile(r"https?://(?:www\.)?f-puzzles\.com/\?(?:.*&)?load=([^&#]+).*", re.IGNORECASE)
_PAD = re.compile(
    r"https?://(?:[a-z0-9-]+\.)*(?:sudokupad\.(?:app|svencodes\.com)|crackingthecryptic\.com)"
    r"/(?:sudoku/?)?(?:\?puzzleid=)?([^?&#]+).*",
    re.IGNORECASE,
)

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


def linked(asked: Asked, signs: Signs, line: int, text: str) -> Found:
    """Returns the puzzle of a link, or its error."""
    return asked.made(line, partial(_puzzle, asked, signs, line, text))


def _puzzle(asked: Asked, signs: Signs, line: int, text: str) -> Puzzle:
    if len(text) > LONGEST:
        raise ValueError(f"the link has more than {LONGEST} characters")
    if cells := signs.within(text):
        return asked.puzzle(signs.whole(cells), "line", line)
    name, packed = parted(text)
    made = fpuzzle if name == "fpuzzles" else sudokupad
    try:
        return made(value_of(unpacked(packed)), asked, line)
    except KeyError as error:
        raise ValueError(f"the puzzle has no {error}") from None


def parted(link: str) -> tuple[str, str]:
    """Returns the form of a link, and the puzzle in it, packed; a ValueError if it has none."""
    from urllib.parse import unquote  # 3 ms

    if found := _LOAD.fullmatch(link):
        return "fpuzzles", unquote(found[1])
    name = found[1] if (found := _PAD.fullmatch(link)) else link
    if _ADDRESS.match(name):
        raise ValueError(f"{quoted(link)} is no link to f-puzzles or SudokuPad")
    packed = re.fullmatch(r"(fpuz|scl|ctc)(?:zles)?(.{8,})", unquote(name))
    if not packed:
        raise ValueError(f"{quoted(link)} has no puzzle in it, but a name that only its server knows")
    return "fpuzzles" if packed[1] == "fpuz" else "sudokupad", packed[2]


def unpacked(packed: str) -> str:
    """Returns the text that lz-string has packed; a ValueError if it has not, or the library is missing."""
    try:
        from lzstring import LZString
    except ImportError:
        raise ValueError("a link is unpacked by lzstring: pip install lzstring") from None
    try:
        text = LZString().decompressFromBase64(packed.replace(" ", "+").replace("-", "+").replace("_", "/"))
    except Exception:  # whatever the library makes of bytes that it did not pack
        text = None
    if not text:
        raise ValueError(f"{quoted(packed)} was not packed by lz-string")
    return str(text)


def packed(text: str) -> str:
    """Returns a text as lz-string packs it; a ValueError if the library is missing."""
    try:
        from lzstring import LZString
    except ImportError:
        raise ValueError("a link is packed by lzstring: pip install lzstring") from None
    return str(LZString().compressToBase64(text))


def value_of(text: str) -> dict[str, Any]:
    try:
        value = decoded(text)
    except ValueError:
        value = unzipped(text)
    if not isinstance(value, dict):
        raise ValueError("the link has no puzzle in it")
    return value


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
