"""Files of what holds besides rows, columns and boxes: rules in lines, and maps of jigsaws.

A file of rules has one rule in each line. Cells are `r1c2` for row 1, column 2, and candidates `r1c2=3`:

    variant x, anti-knight                  variants by their names
    cage 15 r1c1 r1c2 r2c1                  a sum, no digit twice
    little-killer 23 r1c1 r2c2 r3c3         a sum
    arrow r5c5 r5c6 r5c7                    the first cell has the sum of the others
    sandwich 12 row 3                       the sum between the smallest and the largest digit of a row or a column
    thermometer r1c1 r2c1 r3c1              lines: slow-thermometer, whisper, white-dot, black-dot, V and X, too
    region cross r4c5 r5c4 r5c6             cells that have no digit twice, and what they are called
    clash r1c1=3 r9c9=3                     candidates of which at most one may hold

A map of a jigsaw has a line for each row: the names of the regions of its cells, letters or words with white space
between them. Anything from `#` on is a comment, and empty lines are skipped.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from sudoku.formats.lines import LONGEST_LINE, lines_of
from sudoku.formats.signs import quoted
from sudoku.layout import LINES, SUMS, Box, Candidate, Cell, Layout, as_layout

MOST_LINES = 1 << 16

_CELL = re.compile("r([0-9]{1,3})c([0-9]{1,3})")
_CANDIDATE = re.compile("r([0-9]{1,3})c([0-9]{1,3})=([0-9]{1,3})")
_TOTAL = re.compile("[0-9]{1,6}")


def read_rules(file: str | os.PathLike[str], box: Box | Layout | None = None) -> Layout:
    """Reads the rules of a file.

    Parameters:
        file: its path; the form is that of this module.
        box: what they are added to: the rows and columns of a box, or a `Layout`; without it, boxes of 3 x 3.

    Returns:
        The layout with all rules.

    Raises:
        ValueError: a line is no rule, or none that the grid can have; or it has 65536 characters, or there are more
            than 65536 lines. The message has the file, the line and what is wrong.
        OSError: the file cannot be read.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "killer.txt"
    ...     _ = path.write_text("cage 5 r1c1 r1c2\\nvariant x  # both diagonals\\n")
    ...     read_rules(path, (2, 2))
    Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, diagonal 2, cage 1)
    """
    layout = as_layout(box)
    for number, text in _lines(file):
        try:
            layout = _with_rule(layout, text)
        except ValueError as error:
            raise ValueError(f"{os.fspath(file)}:{number}: {error}") from None
    return layout


def read_jigsaw(file: str | os.PathLike[str]) -> Layout:
    """Reads the map of a jigsaw.

    Parameters:
        file: its path; the form is that of this module.

    Returns:
        The layout.

    Raises:
        ValueError: this is no map of n rows of n cells in n regions of n cells; the message has the file, and the line
            if one is to blame.
        OSError: the file cannot be read.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "map.txt"
    ...     _ = path.write_text("AAAB\\nACBB\\nCCDB\\nCDDD\\n")
    ...     read_jigsaw(path)
    Layout(4 x 4: row 4, column 4, box 4)
    """
    listed = [(number, text.split()) for number, text in _lines(file)]
    rows = [(number, list(words[0]) if len(words) == 1 else words) for number, words in listed]
    for number, names in rows:
        if len(names) != len(rows):
            raise ValueError(f"{os.fspath(file)}:{number}: the row has {len(names)} cells; there are {len(rows)} rows")
    try:
        return Layout.jigsaw([names for _, names in rows])
    except ValueError as error:
        raise ValueError(f"{os.fspath(file)}: {error}") from None


def _lines(file: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """The lines that say something, without comments, by their numbers."""
    name = os.fspath(file)
    with Path(file).open(encoding="utf-8-sig", errors="surrogateescape") as stream:
        for number, line in enumerate(lines_of(stream), 1):
            if len(line) == LONGEST_LINE:
                raise ValueError(f"{name}:{number}: the line has at least {LONGEST_LINE} characters")
            if number > MOST_LINES:
                raise ValueError(f"{name}:{number}: there are more than {MOST_LINES} lines")
            if text := line.partition("#")[0].strip():
                yield number, text


def _with_rule(layout: Layout, text: str) -> Layout:
    """The layout with the rule of a line."""
    kind, *words = text.split()
    if kind == "variant":
        return layout.with_variants(*(name.strip() for name in text.removeprefix("variant").split(",")))
    if kind == "region":
        if not words or _CELL.fullmatch(words[0]):
            raise ValueError(f"{quoted(text)} lacks a name, such as region cross, before the cells")
        return layout.with_regions(words[0], [_cell(layout, word) for word in words[1:]])
    if kind == "clash":
        candidates = [_candidate(layout, word) for word in words]
        if len(set(candidates)) < max(2, len(candidates)):
            raise ValueError(f"{quoted(text)} lacks two different candidates, or has one twice")
        return layout.with_clashes("clash", candidates)
    if kind in LINES:
        return layout.with_lines(kind, [_cell(layout, word) for word in words])
    if kind not in SUMS:
        known = ", ".join(("variant", "region", "clash", *LINES, *SUMS))
        raise ValueError(f"{quoted(kind)} is no rule: {known} are")
    if len(words) < 2:
        raise ValueError(f"{quoted(text)} lacks {'a circle' if kind == 'arrow' else 'a total'} or cells")
    cells = _line(layout, words[1:]) if kind == "sandwich" else [_cell(layout, word) for word in words[1:]]
    return layout.with_sums(kind, (_cell(layout, words[0]) if kind == "arrow" else _total(words[0]), cells))


def _cell(layout: Layout, word: str) -> Cell:
    found = _CELL.fullmatch(word)
    if not found:
        raise ValueError(f"{quoted(word)} is no cell, such as r1c2")
    cell = int(found[1]) - 1, int(found[2]) - 1
    if not any(cell in region.cells for region in layout.regions):
        raise ValueError(f"{quoted(word)} is not in the grid")
    return cell


def _candidate(layout: Layout, word: str) -> Candidate:
    found = _CANDIDATE.fullmatch(word)
    if not found:
        raise ValueError(f"{quoted(word)} is no candidate, such as r1c2=3")
    return *_cell(layout, word.partition("=")[0]), int(found[3])


def _total(word: str) -> int:
    if not _TOTAL.fullmatch(word):
        raise ValueError(f"{quoted(word)} is no total, a whole number of at most 6 digits")
    return int(word)


def _line(layout: Layout, words: list[str]) -> list[Cell]:
    """The cells of a row or a column, in their order."""
    for kind, name, cells in layout.regions:
        if kind in ("row", "column") and isinstance(name, int) and words == [kind, str(name + 1)]:
            return sorted(cells)
    raise ValueError(f"{quoted(' '.join(words))} is neither a row nor a column, such as row 1")
