"""The form with boxes: rows with bars, rules between the bands, and a frame; and which line is a rule.

A line of dashes can be a rule or a row of blanks: `---|---|---`, for example, and `---------`. It is certainly a rule
where it cannot be a row, for its length or because it has `+`, `=` or `:`. The others are *doubtful*. Rules stand
between all bands of a grid or between none, and perhaps above the first band and below the last one; so a doubtful line
is

    a row       within a band; where a rule that cannot be a row has been drawn in the grid; or where the blanks are
                written as dashes and not all doubtful lines that rules would need are there;
    a rule      between bands, where the blanks of the grid are written otherwise, or where only the line or only the
                rows of the grid have bars;
    an error    otherwise.

A line of single dashes, such as `- - - | - - - | - - -`, is a row, unless the first of these makes it a rule.

`!` and the lines of Unicode's box drawing are taken for `|`, `-` and, where they meet, `+`. A bar may stand between all
cells, too: then white space between two of them is a blank.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sudoku.formats.rows import Row
from sudoku.formats.signs import BLANKS
from sudoku.layout import Layout

_DRAWN = re.compile(r"[-+=|:.*' \t]+")
_JOINTS_MEET = re.compile(r"[|:.*']\s*[|:.*']")


_ACROSS, _DOWN = "─━┄┅┈┉╌╍═╴╶╸╺╼╾", "│┃┆┇┊┋╎╏║╵╷╹╻╽╿"
_PLAIN = dict.fromkeys(range(0x2500, 0x2580), "+") | dict.fromkeys(map(ord, _DOWN), "|")
_PLAIN |= dict.fromkeys(map(ord, _ACROSS), "-") | {ord("!"): "|", ord("¦"): "|"}
_PLAIN |= dict.fromkeys(map(ord, "\u00b7\u2022\u2219\u22c5\u2024\u25a1"), ".")  # dots in the middle, and a box
_FRAME = re.compile(r"([+|:.*'])[-=]{3,}(?:[+|:.*'][-=]{3,})*[+|:.*']")


def drawn_plainly(text: str) -> str:
    """Returns the line with the signs of this form, whatever it is drawn with."""
    return text if text.isascii() and "!" not in text else text.translate(_PLAIN)


def is_frame(text: str, layout: Layout) -> bool:
    """Tells whether a line is a rule of any length, also 81, with a corner at either end and between all boxes."""
    across = layout.size // layout.box[1] if layout.box else 1
    return bool(_FRAME.fullmatch(text)) and sum(char not in "-=" for char in text) in (across + 1, layout.size + 1)


def resembles_rule(text: str, n: int) -> bool:
    """Tells whether a line is drawn like a rule or a part of a frame of n rows; it may be a row as well."""
    if not _DRAWN.fullmatch(text):
        return False
    if "+" in text or "=" in text or not text.strip("| \t"):
        return True
    if set(text) <= set("- \t") and text.count("-") > n:
        return True
    return "--" in text and not _JOINTS_MEET.search(text)


def blanks(rows: Sequence[Row]) -> set[str]:
    """Returns the signs for blanks in the rows that are certain."""
    return {cell for row in rows if not row.dashes for part in row.parts for cell in part if cell in BLANKS}


def without_rules(rows: Sequence[Row], layout: Layout) -> list[Row]:
    """Returns the rows without the lines of dashes between bands that are rules."""
    signs = blanks(rows)
    bars = {"|" in row.text for row in rows if not row.dashes}
    kept: list[Row] = []
    for row in rows:
        otherwise = bool(signs) and "-" not in signs
        unlike = row.doubtful and bars == {"|" not in row.text}
        if not (row.dashes and (otherwise or unlike)) or len(kept) % band(layout):
            kept.append(row)
    return kept


def ambiguous(rows: Sequence[Row], layout: Layout) -> Row | None:
    """Returns the first of the doubtful rows if they could be rules, so that nobody knows where the grid ends."""
    doubtful = [k for k, row in enumerate(rows) if row.doubtful]
    above = 0 in doubtful
    between = [set(range(top + band(layout), len(rows), band(layout) + 1)) for top in range(1 + above)]
    if any(places and places <= set(doubtful) for places in between) or (above and "-" not in blanks(rows)):
        return rows[doubtful[0]]
    return None


def band(layout: Layout) -> int:
    """Returns the rows between two rules."""
    return layout.box[0] if layout.box else layout.size
