"""Pictures in PNG: those of `sudoku.pictures.svg`, element by element, drawn by Pillow (extra `pictures`).

Pillow has a typeface of its own, where programs that draw any SVG take those of the system, and draw no digits if there
are none. An element that `sudoku.pictures.svg` does not make is an error.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

SHARPNESS = 2  # pixels for each unit of the picture's width
_RUN = re.compile(r"M([0-9.]+) ([0-9.]+)([hv])([0-9.]+)")
_LINE = re.compile(r"M([-0-9. L]+)(?=M|$)")
Point = tuple[float, float]


def png(picture: str) -> bytes:
    """A picture of `sudoku.pictures.svg.draw` in PNG.

    Raises:
        ImportError: Pillow is not installed.

    >>> import numpy as np
    >>> from sudoku.layout import Layout
    >>> from sudoku.pictures.svg import draw
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
    sides = SHARPNESS * int(root.attrib["width"]), SHARPNESS * int(root.attrib["height"])
    image = Image.new("RGB", sides, "white")
    canvas = _Canvas(ImageDraw.Draw(image, "RGBA"), sides[0] / width, left, top)
    for element in root:
        canvas.draw(element)
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


class _Canvas:
    """Draws elements, whose places are those of the picture."""

    def __init__(self, drawing: Any, scale: float, left: float, top: float) -> None:
        self.drawing, self.scale, self.left, self.top = drawing, scale, left, top

    def draw(self, element: ElementTree.Element, font: float = 0.0) -> None:
        """Draws an element, and those in it."""
        name = element.tag.rpartition("}")[2]
        if name == "g":
            for inner in element:
                self.draw(inner, float(element.attrib["font-size"]))
        elif name == "rect":
            self._rectangle(**element.attrib)
        elif name == "path":
            self._path(element.attrib["d"], element.attrib["stroke"], float(element.attrib["stroke-width"]))
            self._lines(element.attrib)
        elif name == "circle":
            self._circle(element.attrib)
        elif name == "text":
            self._text(element, font)
        else:
            raise ValueError(f"there is no way to draw the element {name!r}")

    def _place(self, x: float, y: float) -> tuple[float, float]:
        return (x - self.left) * self.scale, (y - self.top) * self.scale

    def _box(self, x: float, y: float, width: float, height: float) -> tuple[int, ...]:
        """The pixels of a rectangle, the last ones included."""
        corners = (*self._place(x, y), *self._place(x + width, y + height))
        a, b, c, d = map(round, corners)
        return a, b, max(a, c - 1), max(b, d - 1)

    def _rectangle(self, fill: str, **attributes: str) -> None:
        opacity = round(255 * float(attributes.pop("fill-opacity", "1")))
        x, y, width, height = (float(attributes[name]) for name in ("x", "y", "width", "height"))
        self.drawing.rectangle(self._box(x, y, width, height), fill=(*_rgb(fill), opacity))

    def _path(self, path: str, stroke: str, width: float) -> None:
        """Straight runs across or down; they end half their width beyond their ends, as square caps do."""
        half = width / 2
        for x, y, way, length in _RUN.findall(path):
            across, down = (float(length), 0.0) if way == "h" else (0.0, float(length))
            box = self._box(float(x) - half, float(y) - half, across + width, down + width)
            self.drawing.rectangle(box, fill=(*_rgb(stroke), 255))

    def _lines(self, attributes: Mapping[str, str]) -> None:
        """Lines from point to point, perhaps dashed."""
        width, ink = float(attributes["stroke-width"]), _rgb(attributes["stroke"])
        for text in _LINE.findall(attributes["d"]):
            points = [self._place(*map(float, pair.split())) for pair in text.split("L")]
            dashes = [float(one) * self.scale for one in attributes.get("stroke-dasharray", "").split()]
            for part in _dashed(points, dashes) if dashes else [points]:
                self.drawing.line(part, fill=ink, width=max(1, round(width * self.scale)), joint="curve")
            if attributes.get("stroke-linecap") == "round":
                for x, y in points:
                    self._disc(x, y, width / 2 * self.scale, fill=ink)

    def _circle(self, attributes: Mapping[str, str]) -> None:
        x, y = self._place(float(attributes["cx"]), float(attributes["cy"]))
        stroke = attributes.get("stroke")
        width = round(float(attributes.get("stroke-width", "1")) * self.scale) if stroke else 0
        radius = float(attributes["r"]) * self.scale + width / 2
        self._disc(x, y, radius, fill=_rgb(attributes["fill"]), outline=_rgb(stroke) if stroke else None, width=width)

    def _disc(self, x: float, y: float, radius: float, **style: Any) -> None:
        self.drawing.ellipse((x - radius, y - radius, x + radius, y + radius), **style)

    def _text(self, element: ElementTree.Element, font: float) -> None:
        from PIL import ImageFont

        size = float(element.attrib.get("font-size", font)) * self.scale
        place = self._place(float(element.attrib["x"]), float(element.attrib["y"]))
        bold = round(size / 32) if element.attrib.get("font-weight") == "bold" else 0
        face = ImageFont.load_default(size)
        ink = _rgb(element.attrib["fill"])
        anchor = "ls" if element.attrib.get("text-anchor") == "start" else "ms"
        self.drawing.text(place, element.text or "", fill=ink, font=face, anchor=anchor, stroke_width=bold)


def _dashed(points: Sequence[Point], dashes: Sequence[float]) -> Iterator[list[Point]]:
    """The dashes of a line, each line between two points beginning with one.

    >>> list(_dashed([(0.0, 0.0), (5.0, 0.0)], [2.0, 1.0]))
    [[(0.0, 0.0), (2.0, 0.0)], [(3.0, 0.0), (5.0, 0.0)]]
    """
    dash, gap = dashes
    for (x, y), (u, v) in pairwise(points):
        length = math.hypot(u - x, v - y)
        for k in range(math.ceil(length / (dash + gap))):
            begin, end = (min(at / length, 1.0) for at in (k * (dash + gap), k * (dash + gap) + dash))
            yield [(x + (u - x) * at, y + (v - y) * at) for at in (begin, end)]


def _rgb(colour: str) -> tuple[int, int, int]:
    """A colour as numbers.

    >>> _rgb("white"), _rgb("#2b2d42")
    ((255, 255, 255), (43, 45, 66))
    """
    if colour == "white":
        return 255, 255, 255
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue
