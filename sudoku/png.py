"""Pictures in PNG: those of `sudoku.svg`, element by element, drawn by Pillow (extra `pictures`).

Pillow has a typeface of its own, where programs that draw any SVG take those of the system, and draw no digits if there
are none. What a picture of a grid is made of is drawn: rectangles, circles, text, and paths of straight lines, in one
colour each. Any other element is an error.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import dist
from typing import Any
from xml.etree import ElementTree

SHARPNESS = 2  # pixels for each unit of the picture's width
SMOOTH = 2  # it is drawn so many times larger, and reduced: Pillow's circles and oblique lines have steps

_STEP = re.compile(r"([MLHVhv])(-?[0-9.]+)(?: (-?[0-9.]+))?")
Point = tuple[float, float]


def png(picture: str) -> bytes:
    """A picture of `sudoku.svg.draw` in PNG.

    Raises:
        ImportError: Pillow is not installed.
        ValueError: it has an element that is not drawn.

    >>> import numpy as np
    >>> from sudoku.layout import Layout
    >>> from sudoku.svg import draw
    >>> blank = np.zeros((4, 4), dtype=np.uint8)
    >>> png(draw(blank, Layout.boxes(2, 2), blank))[1:4]
    b'PNG'
    """
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise ImportError("pictures in PNG are drawn by Pillow: pip install Pillow") from None
    root = ElementTree.fromstring(picture)
    left, top, width, _ = map(float, root.attrib["viewBox"].split())
    size = [SMOOTH * SHARPNESS * int(root.attrib[side]) for side in ("width", "height")]
    image = Image.new("RGB", (size[0], size[1]), "white")
    canvas = _Canvas(ImageDraw.Draw(image, "RGBA"), size[0] / width, left, top)
    for element in root:
        canvas.draw(element, {})
    stream = io.BytesIO()
    image.reduce(SMOOTH).save(stream, "PNG")
    return stream.getvalue()


class _Canvas:
    """Draws elements, whose places are those of the picture."""

    def __init__(self, drawing: Any, scale: float, left: float, top: float) -> None:
        self.drawing, self.scale, self.left, self.top = drawing, scale, left, top

    def draw(self, element: ElementTree.Element, outer: Mapping[str, str]) -> None:
        """Draws an element with the attributes of those around it, and the elements in it."""
        name = element.tag.rpartition("}")[2]
        attributes = {**outer, **element.attrib}
        if name == "g":
            for inner in element:
                self.draw(inner, attributes)
        elif name == "rect":
            self._rectangle(attributes)
        elif name == "circle":
            self._circle(attributes)
        elif name == "path":
            self._path(attributes)
        elif name == "text":
            self._text(element.text or "", attributes)
        else:
            raise ValueError(f"there is no way to draw the element {name!r}")

    def _place(self, x: float, y: float) -> Point:
        return (x - self.left) * self.scale, (y - self.top) * self.scale

    def _box(self, x: float, y: float, width: float, height: float) -> tuple[int, ...]:
        """The pixels of a rectangle, the last ones included."""
        corners = (*self._place(x, y), *self._place(x + width, y + height))
        a, b, c, d = map(round, corners)
        return a, b, max(a, c - 1), max(b, d - 1)

    def _rectangle(self, attributes: Mapping[str, str]) -> None:
        opacity = round(255 * float(attributes.get("fill-opacity", "1")))
        x, y, width, height = (float(attributes[name]) for name in ("x", "y", "width", "height"))
        self.drawing.rectangle(self._box(x, y, width, height), fill=(*_rgb(attributes["fill"]), opacity))

    def _circle(self, attributes: Mapping[str, str]) -> None:
        x, y, radius = (float(attributes[name]) for name in ("cx", "cy", "r"))
        width = round(float(attributes.get("stroke-width", "1")) * self.scale) if "stroke" in attributes else 0
        stroke = _rgb(attributes["stroke"]) if width else None
        box = self._box(x - radius, y - radius, 2 * radius, 2 * radius)
        self.drawing.ellipse(box, fill=_rgb(attributes["fill"]), outline=stroke, width=width)

    def _path(self, attributes: Mapping[str, str]) -> None:
        """Straight lines; without round ends they are half their width longer at both, as square ones are."""
        width, ink = float(attributes["stroke-width"]), _rgb(attributes["stroke"])
        dashes = [float(word) for word in attributes.get("stroke-dasharray", "").split()]
        rounded = attributes.get("stroke-linecap") == "round"
        for begin, end in _lines(attributes["d"]):
            for a, b in _dashed(begin, end, dashes) if dashes else [(begin, end)]:
                self._line(a, b, width, ink, rounded)

    def _line(self, begin: Point, end: Point, width: float, ink: tuple[int, int, int], rounded: bool) -> None:
        half = width / 2
        if not rounded and (begin[0] == end[0] or begin[1] == end[1]):
            x, y = min(begin[0], end[0]), min(begin[1], end[1])
            across, down = abs(begin[0] - end[0]), abs(begin[1] - end[1])
            self.drawing.rectangle(self._box(x - half, y - half, across + width, down + width), fill=ink)
            return
        ends = [self._place(*begin), self._place(*end)]
        self.drawing.line(ends, fill=ink, width=max(1, round(width * self.scale)))
        for x, y in (begin, end) if rounded else ():
            self.drawing.ellipse(self._box(x - half, y - half, width, width), fill=ink)

    def _text(self, text: str, attributes: Mapping[str, str]) -> None:
        from PIL import ImageFont

        size = float(attributes["font-size"]) * self.scale
        place = self._place(float(attributes["x"]), float(attributes["y"]))
        anchor = {"start": "ls", "middle": "ms", "end": "rs"}[attributes.get("text-anchor", "start")]
        bold = round(size / 32) if attributes.get("font-weight") == "bold" else 0
        face, ink = ImageFont.load_default(size), _rgb(attributes["fill"])
        self.drawing.text(place, text, fill=ink, font=face, anchor=anchor, stroke_width=bold)


def _lines(path: str) -> Iterator[tuple[Point, Point]]:
    """The straight lines of a path.

    Raises:
        ValueError: the path has something else.

    >>> list(_lines("M0 1h2M3 3L4 4H5"))
    [((0.0, 1.0), (2.0, 1.0)), ((3.0, 3.0), (4.0, 4.0)), ((4.0, 4.0), (5.0, 4.0))]
    """
    x = y = 0.0
    if wrong := _STEP.sub("", path).strip():
        raise ValueError(f"there is no way to draw the path {wrong!r}")
    for way, first, second in _STEP.findall(path):
        before = x, y
        if way in "ML":
            x, y = float(first), float(second)
        elif way in "Hh":
            x = float(first) + (x if way == "h" else 0)
        else:
            y = float(first) + (y if way == "v" else 0)
        if way != "M":
            yield before, (x, y)


def _dashed(begin: Point, end: Point, dashes: list[float]) -> Iterator[tuple[Point, Point]]:
    """The dashes of a line, each followed by a gap.

    >>> list(_dashed((0, 0), (7, 0), [3, 2]))
    [((0.0, 0.0), (3.0, 0.0)), ((5.0, 0.0), (7.0, 0.0))]
    """
    dash, gap = dashes
    length = dist(begin, end)
    starts = [k * (dash + gap) for k in range(int(length / (dash + gap)) + 1)]
    for a, b in pairwise([*starts, length + gap]):
        if min(b - gap, a + dash, length) > a:
            yield _between(begin, end, a / length), _between(begin, end, min(a + dash, length) / length)


def _between(begin: Point, end: Point, part: float) -> Point:
    return begin[0] + part * (end[0] - begin[0]), begin[1] + part * (end[1] - begin[1])


def _rgb(colour: str) -> tuple[int, int, int]:
    """A colour as numbers.

    >>> _rgb("white"), _rgb("#2b2d42")
    ((255, 255, 255), (43, 45, 66))
    """
    if colour == "white":
        return 255, 255, 255
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue
