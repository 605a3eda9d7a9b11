"""Reads files of boards and pieces in plain text.

    board: ####/#..#/####    ; a box
    L:                       ; its first piece
    #..
    ###

    I 1..2: ###

A line with a colon begins a section: `board`; the name of a piece and how often it is used; `pieces` (words, or a
drawing in which each letter is a piece); `sides` (a row of labels for each piece of one cell); `lattice`, `empty` or
`frame`. The content of a section is after the colon or in the lines below. Blank lines separate the layers of a solid.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from dlx.formats.errors import FormatError, Place
from dlx.tiles.boards import Board, sides_of
from dlx.tiles.lattice import lattice_of
from dlx.tiles.pieces import Piece, connected, cut, is_drawn, is_word, listed, named, sided
from dlx.tiles.shapes import PLAIN
from dlx.tiles.uses import Range, uses_of

HEADING = re.compile(r"\s*(?P<name>[^:]*?)(?:\s+(?P<each>any|[0-9]{1,10}(?:\.\.[0-9]{1,10})?))?\s*:(?P<rest>.*)")
SETTINGS = ("lattice", "empty", "frame")
WRONG = (TypeError, ValueError)  # the errors of boards and pieces
KEYWORDS = ("board", "pieces", "sides", *SETTINGS)  # these are not names of pieces


class Puzzle(NamedTuple):
    """The contents of a file for `problem(board, pieces, each=each)`; the board is None in a file of pieces alone."""

    board: Board | None
    pieces: list[Piece]
    each: dict[str, Range]


def load(path: str | os.PathLike[str]) -> Puzzle:
    """Reads a board and pieces from a file in plain text, in UTF-8.

    Raises FormatError, with the file, the line and the reason, for an invalid text; OSError.

    >>> board, pieces, each = load("examples/tilings/box.txt")
    >>> board.size, [piece.name for piece in pieces]
    ((3, 4), ['L', 'I'])
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(os.fspath(path), None, f"the text is not in UTF-8: {error}") from None
    return loads(text, os.fspath(path))


def loads(text: str, file: str = "<string>") -> Puzzle:
    """Reads a board and pieces from plain text.

    Lines before the first section are the board. Without a `lattice` section, a board with several layers or three
    sizes has cubes; otherwise the pieces determine the lattice.

    Raises FormatError, with the file and the line, for an invalid board or piece, and for two pieces with one name.

    >>> loads("pieces: AAB/ABB").pieces[0].cells, loads("sides: 0 0 1 2/0 1 1 0").pieces[1].sides
    (((0, 0), (0, 1), (1, 0)), ('0', '1', '1', '0'))
    """
    found = list(_sections(text, file))
    lattice = _lattice(found, file)
    board = None
    pieces: dict[str, Piece] = {}
    each: dict[str, Range] = {}
    for section in found:
        with Place(file, section.line, WRONG):
            if section.name == "board":
                board = Board.of(section.content, lattice)
            elif section.name not in SETTINGS:
                for piece in _pieces(section, lattice):
                    if piece.name in pieces:
                        raise ValueError(f"there is a second piece {piece.name!r}")
                    pieces[piece.name] = piece
                    each |= uses_of(section.each, [piece.name])
    for section in found:
        if board is not None and section.name in SETTINGS[1:]:
            value: Any = True if section.content == "all" and section.name == "empty" else section.content
            with Place(file, section.line, WRONG):
                board = Board.of(board, lattice, **{section.name: value})
    return Puzzle(board, list(pieces.values()), each)


class Section(NamedTuple):
    """A section of a text: the line of its heading, and its content, words or a drawing."""

    name: str
    each: str
    line: int
    content: str


def _sections(text: str, file: str) -> Iterator[Section]:
    """Yields the sections without comments; lines before the first heading are the board."""
    blocks: list[tuple[re.Match[str] | None, int, list[str]]] = [(None, 1, [])]
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        line = line.partition(";")[0].rstrip()
        if match := HEADING.fullmatch(line):
            blocks.append((match, number, []))
        else:
            blocks[-1][2].append(line)
    seen: set[str] = set()
    for heading, start, rows in blocks:
        name, each, rest = (heading[key] or "" for key in ("name", "each", "rest")) if heading else ("board", "", "")
        name = name.lower() if name.lower() in KEYWORDS else name
        words, drawing = rest.strip(), "\n".join(rows).strip("\n")
        if not heading and not drawing:
            continue
        if fault := _fault(name, each, words, drawing, seen):
            raise FormatError(file, start, fault)
        seen.add(name)
        if is_drawn(words) and name not in KEYWORDS:
            words = "/".join(words.split())
        content = f"{drawing}\n" if drawing and name not in ("board", *SETTINGS) else drawing or words
        yield Section(name, each or "1", start, content)


def _fault(name: str, each: str, words: str, drawing: str, seen: set[str]) -> str:
    """Returns what is wrong with a section, or ""."""
    if not name or set(name) & {PLAIN, "/"}:
        return f"{name!r} is no name; a colon ends a name, and no drawing has a colon"
    if len(name.split()) > 1:
        return f"{name!r:.40} is no name: a name is one word, which a range such as 2, 1..3 or any may follow"
    if is_word(f"{name}:{words}"):
        return f"{name!r} would be the name of a piece; write 'pieces: {name}:{words}'"
    if each and name in ("board", *SETTINGS):
        return f"{name!r} cannot be used {each} times"
    if words and drawing:
        return f"{name!r} has content after the colon and a drawing below"
    if not (words or drawing):
        return f"{name!r} has no content"
    return f"there is a second {name!r}" if name != "pieces" and name in seen else ""


def _lattice(found: list[Section], file: str) -> str:
    """Returns the name of the lattice of a text."""
    for section in found:
        if section.name == "lattice":
            with Place(file, section.line, WRONG):
                return lattice_of(section.content).name
    drawn = (section.content for section in found if section.name != "sides")
    if any(re.search(r"\n\s*\n|//", content) or len(sides_of(content)) == 3 for content in drawn):
        return "cube"
    for section in found:
        if section.name == "sides" or (section.name == "pieces" and not is_drawn(section.content)):
            with Place(file, section.line, WRONG):
                return _pieces(section, None)[0].lattice
    return "square"


def _pieces(section: Section, lattice: str | None) -> list[Piece]:
    drawn = is_drawn(section.content)
    if section.name == "sides":
        return sided(section.content, lattice)
    if section.name == "pieces":
        return cut(section.content, lattice or "square") if drawn else listed(section.content, lattice)
    if drawn:
        return [connected(Piece.of(section.name, section.content, lattice or "square"))]
    found = named(section.content)
    if len(found) > 1:
        raise ValueError(f"{section.name!r} is one piece, and {section.content!r} are {len(found)}")
    return [replace(found[0], name=section.name)]
