"""Reads files of rules, and maps of jigsaws.

docs/variants.md describes both. The cell in row 1 and column 2 is `r1c2`; upper and lower case are equal. `#` starts a
comment, and empty lines are skipped.

Grids and variants are added first, in their order, and negative marks last. All other rules are checked line by line,
so that messages name the line. Then they are added together, since each addition checks the whole layout.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sudoku.constraints import Cell, Constraint, Region, beside, listed
from sudoku.formats.request import said_lines
from sudoku.formats.signs import clip, quoted
from sudoku.layout import Box, Layout, as_layout, with_rules
from sudoku.rules import FAMILIES, KINDS, LINES, SUMS, kind_of

_KINDS = {kind.lower(): kind for kind in ("variant", "grids", "region", "negative", *LINES, *SUMS)}
_CELL = re.compile("r([1-9][0-9]{0,2})c([1-9][0-9]{0,2})", re.IGNORECASE)
_CAGE = re.compile(r"([0-9]{1,6})=(r[0-9]+c[0-9]+(?:\+r[0-9]+c[0-9]+)*)", re.IGNORECASE)
_TOTAL = re.compile("[0-9]{1,6}")


def read_rules(file: str | os.PathLike[str], layout: Box | Layout | None = None) -> Layout:
    """Reads the rules of a file.

    Parameters:
        file: its path; the form is in docs/variants.md.
        layout: the layout to which the rules are added: the rows and columns of a box, or a `Layout`; default: 3 x 3.

    Returns:
        The layout with all rules.

    Raises:
        ValueError: a line is no rule or does not fit the grid; a line has 65536 characters or more; or there are more
            than 65536 lines. The message has the file, the line and the fault.
        OSError: the file cannot be read.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "killer.txt"
    ...     _ = path.write_text("cage 5 r1c1 r1c2\\nvariant x  # both diagonals\\n")
    ...     read_rules(path, (2, 2))
    Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, diagonal 2, cage 1)
    """
    lines: list[tuple[int, list[str]]] = []
    for number, text in said_lines(file):
        with _at(file, number):
            lines.append((number, _with_kind(text)))
    base = as_layout(layout)
    for number, (kind, *words) in lines:
        with _at(file, number):
            if kind == "grids":
                base = _grids(words, base)
            elif kind == "variant":
                base = Layout.named(" ".join(words), base)
    there, numbers = set(base.cells()), base.kinds()
    rules: list[Region | Constraint] = []
    for number, (kind, *words) in lines:
        if kind not in ("grids", "variant", "negative"):
            with _at(file, number):
                rule = _rule(kind, words, base, there)
                if isinstance(rule, Constraint):
                    rule = rule._replace(name=numbers[kind]).checked(base.size, there, base.regions)
            numbers[rule.kind] += 1
            rules.append(rule)
    with _at(file):
        base = with_rules(base, rules)
    for number, (kind, *words) in lines:
        if kind == "negative":
            with _at(file, number):
                base = _with_negative(words, base)
    return base


def read_jigsaw(file: str | os.PathLike[str]) -> Layout:
    """Reads the map of a jigsaw.

    Parameters:
        file: its path; the form is in docs/variants.md.

    Returns:
        The layout.

    Raises:
        ValueError: the file is no map of n rows of n cells in n regions of n cells; the message has the file, and the
            row if the fault is in one row.
        OSError: the file cannot be read.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "map.txt"
    ...     _ = path.write_text("AAAB\\nACBB\\nCCDB\\nCDDD\\n")
    ...     read_jigsaw(path)
    Layout(4 x 4: row 4, column 4, box 4)
    """
    rows = [text.split() for _, text in said_lines(file)]
    with _at(file):
        return Layout.jigsaw([list(words[0]) if len(words) == 1 else words for words in rows])


@contextmanager
def _at(file: str | os.PathLike[str], *line: int) -> Iterator[None]:
    """Adds the file, and the line if known, to errors inside `with`."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{':'.join([os.fspath(file), *map(str, line)])}: {error}") from None


def _with_kind(text: str) -> list[str]:
    """Returns the words of a line, the first of which is a kind of rule."""
    if found := _CAGE.fullmatch(text.replace(" ", "")):
        return ["cage", found[1], *found[2].split("+")]
    kind, *words = text.split()
    bare = kind.lower().removeprefix("no-")
    known = "no-" * (bare != kind.lower()) + _KINDS.get(bare, bare)
    if known not in _KINDS.values() and kind_of(known) is None:
        raise ValueError(
            f"unknown rule {quoted(kind)}: {', '.join(_KINDS.values())} are known, and {', '.join(FAMILIES)} with -3"
        )
    return [known, *words]


def _grids(words: Sequence[str], layout: Layout) -> Layout:
    """Returns the layout of several grids."""
    box = layout.box
    if box is None or layout != as_layout(box):
        raise ValueError(f"grids have rectangular boxes and nothing else, unlike {layout!r}")
    if not words:
        raise ValueError("`grids` needs the first cell of each grid, such as grids r1c1 r7c7")
    return Layout.gattai(*_cells(words, "line"), box=box)


def _with_negative(words: Sequence[str], layout: Layout) -> Layout:
    """Returns the layout with the negative rule of some marks."""
    if not words:
        raise ValueError("the negative lacks marks, such as negative X V")
    return layout.with_negative(*(_KINDS.get(word.lower(), word.lower()) for word in words))


def _rule(kind: str, words: Sequence[str], layout: Layout, there: set[Cell]) -> Region | Constraint:
    """Returns the rule of a line; raises ValueError."""
    if kind == "region" or (kind == "cage" and words and _CELL.fullmatch(words[0])):
        return _region(words if kind == "region" else [kind, *words], layout, there)
    if kind not in SUMS:
        cells = _cells(words, kind, there)
        if len(cells) == 1 and kind in ("minimum", "maximum"):
            cells = *cells, *beside(cells[0], there)
        return Constraint(kind, "", cells)
    record = KINDS[kind]
    circles = record.circles
    if len(words) < max(circles, 1) + 1:
        raise ValueError(f"the {kind} lacks {('a total', 'a circle', 'a circle of two cells')[circles]} or cells")
    if circles:
        cells = _cells(words, kind, there)
        total: Any = cells[0] if circles == 1 else cells[:circles]
        return Constraint(kind, "", cells[circles:], total)
    total = _digits(words[0], layout.size) if record.total == "digits" else _number_of(words[0])
    if record.cells in ("row", "view"):
        return Constraint(kind, "", _row(words[1:], layout, record.cells == "view"), total)
    return Constraint(kind, "", _cells(words[1:], kind, there), total)


def _region(words: Sequence[str], layout: Layout, there: set[Cell]) -> Region:
    """Returns the region of its name and its cells."""
    if not words or _CELL.fullmatch(words[0]):
        raise ValueError("write a name before the cells of a region, such as: region cross r4c5 r5c4 r5c5")
    name, *rest = words
    if name == "cell":
        raise ValueError("a region cannot be called cell, which is reserved")
    cells = _cells(rest, f"region {clip(name)}", there)
    if not 1 <= len(cells) <= layout.size:
        raise ValueError(f"the region {clip(name)} has {len(cells)} cells instead of 1 to {layout.size}")
    return Region(name, "", frozenset(cells))


def _cells(words: Sequence[str], owner: str, there: set[Cell] | None = None) -> tuple[Cell, ...]:
    """Returns the cells of words; refuses repeated cells and, if the grid is known, cells outside it."""
    found = [_CELL.fullmatch(word) for word in words]
    if None in found:
        raise ValueError(f"{quoted(words[found.index(None)])} is no cell, such as r1c2")
    return listed([(int(match[1]) - 1, int(match[2]) - 1) for match in found if match], owner, there)


def _row(words: Sequence[str], layout: Layout, is_view: bool) -> tuple[Cell, ...]:
    """Returns the cells of a row or a column, perhaps backward."""
    backward = is_view and len(words) == 3 and words[2].lower() == "backward"
    text, last = " ".join(words[:2] if backward else words), 0
    for region in layout.regions:
        if region.kind in ("row", "column") and isinstance(region.name, int):
            last = max(last, region.name + 1)
            if text.lower() == f"{region.kind} {region.name + 1}":
                return tuple(sorted(region.cells, reverse=backward))
    there = f"there are row 1 to row {last} and column 1 to column {last}"
    raise ValueError(f"{quoted(text)} is neither a row nor a column: {there}")


def _number_of(word: str) -> int:
    if not _TOTAL.fullmatch(word):
        raise ValueError(f"{quoted(word)} is no total, a whole number of at most 6 digits")
    return int(word)


def _digits(word: str, size: int) -> tuple[int, ...]:
    """Returns the digits of a quadruple, written as one word or as numbers with commas between them."""
    words = word.split(",") if "," in word or size > 9 else list(word)
    if not all(re.fullmatch("[0-9]{1,2}", one) for one in words):
        raise ValueError(f"{quoted(word)} is not digits from 1 to {size}, such as 1,2,2")
    return tuple(map(int, words))
