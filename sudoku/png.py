"""Pictures in PNG: those of `sudoku.svg`, element by element, drawn by Pillow (extra `pictures`).

Pillow has a typeface of its own, where programs that draw any SVG take those of the system, and draw no digits if there
are none. An element that `sudoku.svg` does not make is an error.
"""

from __future__ import annotations

import io
import re
from typing import Any
from xml.etree import ElementTree

SHARPNESS = 2  # pixels for each unit of the picture's width
_RUN = re.compile(r"M([0-9.]+) ([0-9.]+)([hv])([0-9.]+)")


def png(picture: str) -> bytes:
    """A picture of `sudoku.svg.draw` in PNG.

    Raises:
        ImportError: Pillow is not installed.

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
    side = SHARPNESS * int(root.attrib["width"])
    image = Image.new("RGB", (side, side), "white")
    canvas = _Canvas(ImageDraw.Draw(image, "RGBA"), side / width, left, top)
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

    def _text(self, element: ElementTree.Element, font: float) -> None:
        from PIL import ImageFont

        size = font * self.scale
        place = self._place(float(element.attrib["x"]), float(element.attrib["y"]))
        bold = round(size / 32) if element.attrib.get("font-weight") == "bold" else 0
        face = ImageFont.load_default(size)
        ink = _rgb(element.attrib["fill"])
        self.drawing.text(place, element.text or "", fill=ink, font=face, anchor="ms", stroke_width=bold)


def _rgb(colour: str) -> tuple[int, int, int]:
    """A colour as numbers.

    >>> _rgb("white"), _rgb("#2b2d42")
    ((255, 255, 255), (43, 45, 66))
    """
    if colour == "white":
        return 255, 255, 255
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue
