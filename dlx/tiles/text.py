"""Boards and pieces in plain text, as people draw them.

    ; a box and what is to go into it
    board:
    ####
    #..#
    ####

    L:
    #..
    ###

    I 1..2: ###

A line with a colon begins a section: `board`, a piece by its name and how often it is used, `pieces` for words or a
drawing in which each letter is a piece, `jigsaw` for a board cut into pieces, or one of `lattice`, `wrap` and `empty`.
What a section says stands behind the colon, or in the lines below; blank lines are between the layers of a solid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from dlx.formats.errors import FormatError
from dlx.tiles.boards import Board, is_solid
from dlx.tiles.lattice import lattice_of
from dlx.tiles.often import Range, often
from dlx.tiles.pieces import Piece, connected, cut, listed, named
from dlx.tiles.shapes import PLAIN

HEADING = re.compile(r"\s*(?P<name>[^:]*?)(?:\s+(?P<each>any|[0-9]{1,10}(?:\.\.[0-9]{1,10})?))?\s*:(?P<rest>.*)")
WRONG_RANGE = re.compile(r"\s([-\u2013+*x.,0-9]+( to)?|any)$", re.IGNORECASE)  # behind the name of a piece
SETTINGS = ("lattice", "wrap", "empty")
KEYWORDS = ("board", "jigsaw", "pieces", *SETTINGS)  # no names of pieces


class Section(NamedTuple):
    """A section of a text: the line of its heading, and what it says, in words or as a drawing."""

    name: str
    each: str
    line: int
    said: str
    drawn: bool


def loads(text: str, file: str = "<string>") -> tuple[Board | None, list[Piece], dict[str, Range]]:
    """Returns the board, the pieces, and how often each is used; without a section for it, there is no board.

    Lines before the first section are the board. The lattice is the one that is said, that of cubes if a drawing has
    several layers or a size has three numbers, or that of the words for pieces.

    Raises FormatError, with the file and the line, for what is no board or piece, and for names that stand there twice.
    """
    found = list(_sections(text, file))
    said = {section.name: section for section in found if section.name in KEYWORDS}
    lattice = _lattice(found, said, file)
    board = None
    pieces: dict[str, Piece] = {}
    each: dict[str, Range] = {}
    for section in found:
        with _errors_at(section, file):
            if section.name in ("board", "jigsaw"):
                board = Board.of(section.said, lattice)
            if section.name not in ("board", *SETTINGS):
                for piece in _pieces(section, lattice):
                    if piece.name in pieces:
                        raise ValueError(f"there is a second piece {piece.name!r}")
                    pieces[piece.name] = piece
                    each[piece.name] = often(section.each, [piece.name])[piece.name]
    settings: dict[str, Any] = {}
    for section in found:
        if board is not None and section.name in ("empty", "wrap"):
            settings[section.name] = True if section.said == "all" and section.name == "empty" else section.said
            with _errors_at(section, file):
                board = Board.of(board.marks, lattice, **settings)
    return board, list(pieces.values()), each


@contextmanager
def _errors_at(section: Section, file: str) -> Iterator[None]:
    """Makes errors within those of a file, at the line of a section."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise FormatError(file, section.line, str(error)) from None


def _sections(text: str, file: str) -> Iterator[Section]:
    """The sections of a text, each but pieces at most once."""
    seen: set[str] = set()
    for heading, line, rows in _blocks(text):
        name, each, rest = (heading[key] or "" for key in ("name", "each", "rest")) if heading else ("board", "", "")
        name = name.lower() if name.lower() in KEYWORDS else name
        words, drawing = rest.strip(), "\n".join(rows).strip("\n")
        if not heading and not drawing:
            continue
        if fault := _fault(name, each, words, drawing, seen):
            raise FormatError(file, line, fault)
        seen.add("board" if name == "jigsaw" else name)
        drawn = bool(drawing or set(words) & {PLAIN, "/"})
        if drawn and words and name not in KEYWORDS:
            words = "/".join(words.split())
        yield Section(
            name,
            each or "1",
            line,
            f"{drawing}\n" if drawing and name not in ("board", *SETTINGS) else drawing or words,
            drawn,
        )


def _fault(name: str, each: str, words: str, drawing: str, seen: set[str]) -> str:
    """Returns what is wrong with a section, or ""."""
    if not name or set(name) & {PLAIN, "/"}:
        return f"{name!r} is no name; a colon ends a name, and cannot stand in a drawing"
    if wrong := WRONG_RANGE.search(name):
        return f"{wrong[0].strip()!r:.40} is no range; it is a number, as 2, the least and the most, as 1..3, or any"
    if each and name in ("board", *SETTINGS):
        return f"{name!r} cannot be used {each} times"
    if words and drawing:
        return f"{name!r} says something behind the colon and has a drawing below"
    if not (words or drawing):
        return f"{name!r} says nothing"
    if "\t" in drawing:
        return f"the drawing of {name!r} has a tab, of unknown width; use spaces or dots"
    if name != "pieces" and ("board" if name == "jigsaw" else name) in seen:
        return f"there is a second {name!r}"
    return ""


def _blocks(text: str) -> Iterator[tuple[re.Match[str] | None, int, list[str]]]:
    """The headings with their lines, and the lines below them, without comments."""
    heading, start, rows = None, 1, list[str]()
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        line = line.partition(";")[0].rstrip()
        if match := HEADING.fullmatch(line):
            yield heading, start, rows
            heading, start, rows = match, number, []
        else:
            rows.append(line)
    yield heading, start, rows


def _lattice(found: list[Section], said: dict[str, Section], file: str) -> str:
    """The lattice of a text."""
    if "lattice" in said:
        with _errors_at(said["lattice"], file):
            return lattice_of(said["lattice"].said).name
    if any(re.search(r"\n\s*\n|//", section.said) or is_solid(section.said) for section in found):
        return "cube"
    for section in found:
        if section.name == "pieces" and not section.drawn:
            with _errors_at(section, file):
                return listed(section.said, None)[0].lattice
    return "square"


def _pieces(section: Section, lattice: str) -> list[Piece]:
    """The pieces of a section."""
    if section.name in KEYWORDS:
        return (
            cut(section.said, lattice) if section.drawn or section.name == "jigsaw" else listed(section.said, lattice)
        )
    if section.drawn:
        return [connected(Piece.of(section.name, section.said, lattice))]
    found = named(section.said)
    if len(found) > 1:
        raise ValueError(f"{section.name!r} is one piece, and {section.said!r} are {len(found)}")
    return [replace(found[0], name=section.name)]
