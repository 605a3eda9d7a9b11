"""Links to f-puzzles and SudokuPad that contain a whole puzzle, as an object of f-puzzles.

The object is packed by lz-string (https://pieroxy.net/blog/pages/lz-string/), which the extra `links` installs. A short
link, whose puzzle is only on a server, is an error. A link with SudokuPad's own object, in which rules are only drawn,
is also an error. A link to another page may contain a grid in the line form, `?bd=`.
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote, unquote

from sudoku.formats.files.fpuzzles import fpuzzle, fpuzzles_value
from sudoku.formats.files.values import decoded
from sudoku.formats.request import Request
from sudoku.formats.signs import Signs, quoted
from sudoku.grid import Puzzle

SUDOKUPAD = "https://sudokupad.app/fpuzzles"
LONGEST = 1 << 14  # characters; packed text may expand to the square of its length

_LOAD = re.compile(r"https?://(?:www\.)?f-puzzles\.com/\?(?:.*&)?load=([^&#]+).*", re.IGNORECASE)
_PAD = re.compile(
    r"https?://(?:[a-z0-9-]+\.)*(?:sudokupad\.(?:app|svencodes\.com)|crackingthecryptic\.com)"
    r"/(?:sudoku/?)?(?:\?puzzleid=)?([^?&#]+).*",
    re.IGNORECASE,
)


def linked(request: Request, signs: Signs, line: int, text: str) -> Puzzle:
    """Returns the puzzle of a link; a ValueError says why there is none."""
    if len(text) > LONGEST:
        raise ValueError(f"the link has more than {LONGEST} characters")
    if cells := signs.within(text):
        return request.puzzle(signs.whole(cells), "line", line)
    value = decoded(unpacked(_packed_part(text)))
    if not isinstance(value, dict) or not {"size", "grid"} <= value.keys():
        raise ValueError("the link has no puzzle in it")
    return fpuzzle(value, request, line)


def _packed_part(link: str) -> str:
    """Returns the packed puzzle in a link; a ValueError if it has none."""
    if found := _LOAD.fullmatch(link):
        return unquote(found[1])
    name = unquote(found[1]) if (found := _PAD.fullmatch(link)) else link
    if packed := re.fullmatch(r"fpuz(?:zles)?(.{8,})", name):
        return packed[1]
    if re.fullmatch(r"(?:scl|ctc).{8,}", name):
        raise ValueError("the link has SudokuPad's own form in it, which is not read: links of f-puzzles are")
    if found:
        raise ValueError(f"{quoted(link)} has no puzzle in it, but a name that only its server knows")
    raise ValueError(f"{quoted(link)} is no link to f-puzzles or SudokuPad")


def unpacked(packed: str) -> str:
    """Returns the unpacked text; raises ValueError if it was not packed by lz-string."""
    library = _lzstring()
    try:
        text = library.decompressFromBase64(packed.replace(" ", "+").replace("-", "+").replace("_", "/"))
    except Exception:  # the library does not check its input
        text = None
    if not text:
        raise ValueError(f"{quoted(packed)} was not packed by lz-string")
    return str(text)


def sudokupad_link(puzzle: Puzzle) -> str:
    """Returns a link to a puzzle; raises ValueError if it is too long, or if f-puzzles cannot represent a rule."""
    text = json.dumps(fpuzzles_value(puzzle), separators=(",", ":"))
    address = SUDOKUPAD + quote(str(_lzstring().compressToBase64(text)), safe="")
    if len(address) > LONGEST:
        raise ValueError(f"the link would have {len(address)} characters; at most {LONGEST} are read")
    return address


def _lzstring() -> Any:
    try:
        from lzstring import LZString
    except ImportError:
        raise ValueError("links need lzstring: pip install lzstring") from None
    return LZString()
