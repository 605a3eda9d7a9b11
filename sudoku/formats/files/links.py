"""Links to f-puzzles and SudokuPad, which have the whole puzzle in them, and the names of puzzles in such links.

The puzzle is packed by lz-string (https://pieroxy.net/blog/pages/lz-string/), which the extra `links` brings. A link
with a short name, of a puzzle that only a server knows, is an error. A link to a page of another kind may have a grid
in the line form in it, `?bd=`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sudoku.formats.files.file import File, Found
from sudoku.formats.files.fpuzzles import fpuzzle
from sudoku.formats.files.sudokupad import sudokupad
from sudoku.formats.files.values import decoded
from sudoku.formats.files.zipped import unzipped
from sudoku.formats.line import Line
from sudoku.formats.request import Asked
from sudoku.formats.signs import quoted
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


class Link(File):
    """A line with a link."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self._text = ""

    def take(self, line: int, piece: str) -> Iterator[Found]:
        """Reads a piece of the line, and the puzzle at its end."""
        self.line = line
        self._text += piece[: LONGEST + 1 - len(self._text)]
        if piece.endswith(("\n", "\r")):
            self.over = True
            yield from self.close()

    def close(self) -> Iterator[Found]:
        """Reads the puzzle."""
        yield self.asked.made(self.line, self._puzzle)

    def _puzzle(self) -> Puzzle:
        if len(self._text) > LONGEST:
            raise ValueError(f"the link has more than {LONGEST} characters")
        form = Line.of(self.asked.layout.size, self.asked.alphabet)
        if cells := form.within(self._text):
            return self.asked.puzzle(form.grid(cells), "line", self.line)
        name, packed = parted(self._text.strip())
        try:
            return (fpuzzle if name == "fpuzzles" else sudokupad)(value_of(unpacked(packed)), self.asked, self.line)
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


def value_of(text: str) -> dict[str, Any]:
    """Returns the object of a text, in JSON or in SudokuPad's short form; a ValueError if it is none."""
    try:
        value = decoded(text)
    except ValueError:
        value = unzipped(text)
    if not isinstance(value, dict):
        raise ValueError("the link has no puzzle in it")
    return value
