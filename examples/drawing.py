"""The little SVG that the pictures of these examples are made of: elements as text, twelve colours, outlines."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

INK = "#2b2d42"
FAINT = "#8d90a5"
PAPER = "#f5f2ea"
PALETTE = (
    *("#e8847c", "#7db7e8", "#f4d675", "#7fc29b", "#a98bd6", "#f2b06a"),
    *("#6cc5c1", "#d38fc8", "#b9d47b", "#7f93d9", "#e9a3b4", "#bfab92"),
)


def element(name: str, content: str = "", **attributes: object) -> str:
    """One element; the underscore in a name of an attribute stands for a hyphen, and one at its end for nothing.

    >>> element("rect", x=1, y=2.5, stroke_width=3, class_="cell")
    '<rect x="1" y="2.5" stroke-width="3" class="cell"/>'
    """
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{_number(value)}"' for key, value in attributes.items())
    return f"<{name}{given}>{content}</{name}>" if content else f"<{name}{given}/>"


def text(x: float, y: float, content: object, size: float = 16, **attributes: object) -> str:
    """A text whose middle is at x, on the line y."""
    style = {"text_anchor": "middle", "font_size": size, "fill": INK} | attributes
    return element("text", str(content), x=x, y=y, **style)


def moved(x: float, y: float, *parts: str) -> str:
    """Some elements, all of them moved."""
    return element("g", "".join(parts), transform=f"translate({_number(x)} {_number(y)})")


def outline(cells: Collection[tuple[int, int]], size: float) -> str:
    """The border of a set of cells (row, column) as the data of a path; a cell is a square of the given size.

    >>> outline([(0, 0)], 10)
    'M0 0h10M0 10h10M0 0v10M10 0v10'
    """
    sides = []
    for r, c in sorted(cells):
        x, y = _number(c * size), _number(r * size)
        right, below, side = _number((c + 1) * size), _number((r + 1) * size), _number(size)
        around = {(r - 1, c): f"M{x} {y}h{side}", (r + 1, c): f"M{x} {below}h{side}"}
        around |= {(r, c - 1): f"M{x} {y}v{side}", (r, c + 1): f"M{right} {y}v{side}"}
        sides += [line for neighbour, line in around.items() if neighbour not in cells]
    return "".join(sides)


def svg(width: float, height: float, *parts: str) -> str:
    """A whole picture, on white."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_number(width)} {_number(height)}" '
    head += f'width="{_number(width)}" height="{_number(height)}" font-family="DejaVu Sans, Verdana, sans-serif">'
    white = element("rect", width=width, height=height, fill="white")
    return "\n".join([head, white, *parts, "</svg>", ""])


def save(picture: str) -> None:
    """Writes a picture to the file named on the command line, if one is named."""
    for name in sys.argv[1:2]:
        if name.startswith("-"):
            sys.exit(f"usage: python {sys.argv[0]} [FILE.svg]")
        try:
            Path(name).write_text(picture, encoding="utf-8")
        except OSError as error:
            sys.exit(f"{name}: {error.strerror}")


def _number(value: object) -> str:
    """A coordinate without more digits than can be seen."""
    return f"{round(value, 2):g}" if isinstance(value, float) else str(value)
