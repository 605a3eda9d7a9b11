"""The parts of all pictures: SVG elements as text, colours, and whole pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from unicodedata import east_asian_width

INK = "#2b2d42"
FAINT = "#64677f"
SOFT = "#3d6fb4"
TINT = "#f4d675"
PAPER = "#f5f2ea"
# Text in INK has a contrast of at least 4.5 to each colour of the palette.
PALETTE = (
    *("#e8847c", "#7db7e8", TINT, "#7fc29b", "#a98bd6", "#f2b06a"),
    *("#6cc5c1", "#d38fc8", "#b9d47b", "#7f93d9", "#e9a3b4", "#bfab92"),
)
FONT = "DejaVu Sans, Verdana, sans-serif"
WIDE, NARROW = 1.0, 0.64  # about the width of a character, in font sizes
MOST_PANELS = 1000
LINE_HEIGHT = 24  # pixels for the title of a panel
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that XML does not allow


class Picture(str):
    """A picture as SVG text, which notebooks show.

    Attributes:
        width: the width in pixels.
        height: the height in pixels.
        caption: the title, for screen readers.
        body: the elements without the frame, for use in another picture.
    """

    width: float
    height: float
    caption: str
    body: str

    def _repr_svg_(self) -> str:
        """Returns the picture, for notebooks."""
        return str(self)


def element(name: str, content: str = "", **attributes: object) -> str:
    """Returns an SVG element.

    Parameters:
        name: the name of the element.
        content: the elements in it, or escaped text.
        attributes: the attributes. An underscore in a name becomes a hyphen, a final underscore is dropped, and values
            are escaped.

    >>> element("rect", x=1, y=2.5, stroke_width=3, class_="cell")
    '<rect x="1" y="2.5" stroke-width="3" class="cell"/>'
    """
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{number(value)}"' for key, value in attributes.items())
    return f"<{name}{given}>{content}</{name}>" if content else f"<{name}{given}/>"


def text(x: float, y: float, content: object, size: float = 16, **attributes: object) -> str:
    """Returns an escaped text whose middle is at x, on the line y.

    >>> text(5, 9, "a < b", 12, fill="black")
    '<text x="5" y="9" text-anchor="middle" font-size="12" fill="black">a &lt; b</text>'
    """
    style = {"text_anchor": "middle", "font_size": size, "fill": INK} | attributes
    return element("text", escaped(content), x=x, y=y, **style)


def moved(x: float, y: float, *parts: str) -> str:
    """Returns elements, or the contents of pictures, moved by x and y.

    >>> moved(3, 4, element("circle", r=1))
    '<g transform="translate(3 4)"><circle r="1"/></g>'
    """
    bodies = (part.body if isinstance(part, Picture) else part for part in parts)
    return element("g", "".join(bodies), transform=f"translate({number(x)} {number(y)})")


def svg(width: float, height: float, *parts: str, title: str) -> Picture:
    """Returns a whole picture on a white background.

    Parameters:
        width, height: the size in pixels.
        parts: the elements.
        title: a short description for screen readers and tooltips.

    >>> picture = svg(20, 10, element("circle", cx=10, cy=5, r=4), title="a disc")
    >>> picture.startswith("<svg"), picture.width, picture.body
    (True, 20, '<circle cx="10" cy="5" r="4"/>')
    """
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" '
    head += f'width="{number(width)}" height="{number(height)}" font-family="{FONT}" role="img">'
    white = element("rect", width=width, height=height, fill="white")
    body = "\n".join(parts)
    picture = Picture("\n".join([head, element("title", escaped(title)), white, body, "</svg>", ""]))
    picture.width, picture.height, picture.caption, picture.body = width, height, str(title), body
    return picture


def check_room(whole: str, **parts: tuple[int, int]) -> None:
    """Raises ValueError if there are too many parts; each part comes with its number and the maximum."""
    for name, (count, most) in parts.items():
        if count > most:
            raise ValueError(f"{whole} has {count} {name}; a picture has no more than {most}")


def framed(width: float, height: float, margin: float, *parts: str, title: str) -> Picture:
    """Returns a picture with a margin around its parts."""
    return svg(width + 2 * margin, height + 2 * margin, moved(margin, margin, *parts), title=title)


def panels(pictures: Sequence[Picture], across: int = 4, *, titles: Sequence[str] = (), title: str = "") -> Picture:
    """Returns several pictures in one, in rows.

    Parameters:
        pictures: the pictures.
        across: the number of pictures in a row, at least 1.
        titles: the text under each picture, if any.
        title: the title of the whole picture. Default: the first caption and the number of other pictures.

    Raises:
        ValueError: there are more than 1000 pictures, a row has none, or the number of titles differs.

    >>> disc = svg(20, 10, element("circle", cx=10, cy=5, r=4), title="a disc")
    >>> panels([disc, disc, disc], titles=["one", "two", "three"]).caption
    'a disc, and 2 more'
    """
    check_room("the panel", pictures=(len(pictures), MOST_PANELS))
    if across < 1 or len(titles) not in (0, len(pictures)):
        raise ValueError(f"{len(titles)} titles for {len(pictures)} pictures, {across} in a row")
    wide = max((picture.width for picture in pictures), default=0.0)
    high = max((picture.height for picture in pictures), default=0.0) + LINE_HEIGHT * bool(titles)
    parts = []
    for k, picture in enumerate(pictures):
        x, y = k % across * wide, k // across * high
        parts.append(moved(x + (wide - picture.width) / 2, y, picture))
        if titles:
            parts.append(text(x + wide / 2, y + high - 14, short(titles[k], 40), 14))
    default = f"{pictures[0].caption}, and {len(pictures) - 1} more" if pictures else "nothing"
    rows = -(-len(pictures) // across)
    return svg(min(across, len(pictures)) * wide, rows * high, *parts, title=title or default)


def palette(number: int) -> str:
    """Returns the colour with a number; the colours repeat."""
    return PALETTE[number % len(PALETTE)]


def number(value: object) -> str:
    """Returns the value of an attribute; a coordinate has two decimals at most."""
    if isinstance(value, float):
        return f"{round(value, 2) + 0.0:.10g}"
    return str(value) if isinstance(value, int) else escaped(value)


def escaped(content: object) -> str:
    """Returns a text without markup and without characters that XML does not allow."""
    return escape(NO_XML.sub("\ufffd", str(content)))


def short(content: object, most: int = 24) -> str:
    """Returns a text, cut if it has more than `most` characters."""
    whole = str(content)
    return whole if len(whole) <= most else f"{whole[: most - 1]}…"


def spoken(name: object) -> str:
    """Returns a readable name: the parts of a tuple with a text are separated by spaces."""
    words = type(name) is tuple and any(isinstance(part, str) for part in name)
    return " ".join(map(str, name)) if words and isinstance(name, tuple) else str(name)


def extent(content: str, size: float) -> float:
    """Returns the approximate width of a text, which depends on the font."""
    return size * sum(WIDE if east_asian_width(sign) in "WF" else NARROW for sign in content)
