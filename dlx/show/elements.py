"""The parts of all pictures: elements of SVG as text, colours, whole pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context
from html import escape
from unicodedata import east_asian_width

INK = "#2b2d42"
FAINT = "#64677f"
SOFT = "#3d6fb4"
TINT = "#f4d675"
PAPER = "#f5f2ea"
WHITE = "#ffffff"
PALETTE = (
    *("#e8847c", "#7db7e8", TINT, "#7fc29b", "#a98bd6", "#f2b06a"),
    *("#6cc5c1", "#d38fc8", "#b9d47b", "#7f93d9", "#e9a3b4", "#bfab92"),
)
FONT = "DejaVu Sans, Verdana, sans-serif"
CONTRAST = 4.5  # at least, between a text and its background
MOST_PANELS = 1000
TWO_DIGITS = Context(prec=2, rounding=ROUND_HALF_UP)
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that XML does not have


class Picture(str):
    """A picture as text, which a notebook shows.

    Attributes:
        width: its size in pixels.
        height: its size in pixels.
        caption: what it is said to be where it cannot be seen.
        body: its elements alone, to be part of another picture.
    """

    width: float
    height: float
    caption: str
    body: str

    def _repr_svg_(self) -> str:
        """Returns the picture, for notebooks."""
        return str(self)


def element(name: str, content: str = "", **attributes: object) -> str:
    """One element of SVG.

    Parameters:
        name: what it is called.
        content: the elements in it, or a text that has been escaped.
        attributes: the underscore in a name stands for a hyphen, and one at its end for nothing; values are escaped.

    >>> element("rect", x=1, y=2.5, stroke_width=3, class_="cell")
    '<rect x="1" y="2.5" stroke-width="3" class="cell"/>'
    """
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{number(value)}"' for key, value in attributes.items())
    return f"<{name}{given}>{content}</{name}>" if content else f"<{name}{given}/>"


def text(x: float, y: float, content: object, size: float = 16, **attributes: object) -> str:
    """A text whose middle is at x, on the line y; whatever is in it is shown as it is.

    >>> text(5, 9, "a < b", 12, fill="black")
    '<text x="5" y="9" text-anchor="middle" font-size="12" fill="black">a &lt; b</text>'
    """
    style = {"text_anchor": "middle", "font_size": size, "fill": INK} | attributes
    return element("text", escaped(content), x=x, y=y, **style)


def moved(x: float, y: float, *parts: str) -> str:
    """Some elements, or the contents of pictures, all of them moved.

    >>> moved(3, 4, element("circle", r=1))
    '<g transform="translate(3 4)"><circle r="1"/></g>'
    """
    bodies = (part.body if isinstance(part, Picture) else part for part in parts)
    return element("g", "".join(bodies), transform=f"translate({number(x)} {number(y)})")


def svg(width: float, height: float, *parts: str, title: str, description: str = "") -> Picture:
    """A whole picture, on white.

    Parameters:
        width, height: its size in pixels.
        parts: its elements.
        title: what it is, in a few words, for those who do not see it, and for the pointer that rests on it.
        description: what there is to see in it.

    >>> picture = svg(20, 10, element("circle", cx=10, cy=5, r=4), title="a disc")
    >>> picture.startswith("<svg"), picture.width, picture.body
    (True, 20, '<circle cx="10" cy="5" r="4"/>')
    """
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" '
    head += f'width="{number(width)}" height="{number(height)}" font-family="{FONT}" role="img">'
    told = element("title", escaped(title)) + (element("desc", escaped(description)) if description else "")
    white = element("rect", width=width, height=height, fill="white")
    body = "\n".join(parts)
    picture = Picture("\n".join([head, told, white, body, "</svg>", ""]))
    picture.width, picture.height, picture.caption, picture.body = width, height, str(title), body
    return picture


def check_room(whole: str, **parts: tuple[int, int]) -> None:
    """Raises a ValueError if there are more of some parts than a picture has: how many there are, and the most."""
    for kind, (count, most) in parts.items():
        if count > most:
            raise ValueError(f"{whole} has {count} {kind}; a picture has no more than {most}")


def framed(width: float, height: float, margin: float, *parts: str, title: str) -> Picture:
    """A picture with a margin around its parts."""
    return svg(width + 2 * margin, height + 2 * margin, moved(margin, margin, *parts), title=title)


def panels(pictures: Sequence[Picture], across: int = 4, *, titles: Sequence[str] = (), title: str = "") -> Picture:
    """Several pictures in one, in rows.

    Parameters:
        pictures: what to show.
        across: how many are in a row, at least 1.
        titles: what to write under each of them, if anything.
        title: what all of it is; without it, what the first one is and how many there are.

    Raises:
        ValueError: there are more than 1000 pictures, or not a title for each.

    >>> disc = svg(20, 10, element("circle", cx=10, cy=5, r=4), title="a disc")
    >>> panels([disc, disc, disc], titles=["one", "two", "three"]).caption
    'a disc, and 2 more'
    """
    if len(pictures) > MOST_PANELS:
        raise ValueError(f"there are {len(pictures)} pictures; one has no more than {MOST_PANELS} in it")
    if across < 1 or len(titles) not in (0, len(pictures)):
        raise ValueError(f"{len(titles)} titles for {len(pictures)} pictures, {across} in a row")
    wide = max((picture.width for picture in pictures), default=0.0)
    high = max((picture.height for picture in pictures), default=0.0) + 24 * bool(titles)
    parts = []
    for k, picture in enumerate(pictures):
        x, y = k % across * wide, k // across * high
        parts.append(moved(x + (wide - picture.width) / 2, y, picture))
        if titles:
            parts.append(text(x + wide / 2, y + high - 14, short(titles[k], 40), 14))
    said = title or (f"{pictures[0].caption}, and {len(pictures) - 1} more" if pictures else "nothing")
    rows = -(-len(pictures) // across)
    return svg(min(across, len(pictures)) * wide, rows * high, *parts, title=said)


def readable(colour: str) -> str:
    """The colour of a text that can be read on a colour, with a contrast of 4.5 to 1 at least.

    >>> readable("#f4d675"), readable("#202060")
    ('#2b2d42', '#ffffff')
    """
    inks = (INK, WHITE, "#000000")
    return next(ink for ink in inks if contrast(ink, colour) >= CONTRAST)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21 (Web Content Accessibility Guidelines 2.1, section 1.4.3)."""
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def palette(number: int) -> str:
    """The colour of that number, of twelve that come again."""
    return PALETTE[number % len(PALETTE)]


def number(value: object) -> str:
    """The value of an attribute; a coordinate has no more digits than can be seen."""
    if isinstance(value, float):
        return f"{round(value, 2):.10g}"
    return str(value) if isinstance(value, int) else escaped(value)


def escaped(content: object) -> str:
    """A text in which nothing is markup, and nothing is a character that XML does not have."""
    return escape(NO_XML.sub("\ufffd", str(content)))


def short(content: object, most: int = 24) -> str:
    """A text cut to a length that a picture has room for."""
    whole = str(content)
    return whole if len(whole) <= most else f"{whole[: most - 1]}…"


def spoken(name: object) -> str:
    """Returns a name for people: the parts of a tuple with a text in it, one after the other."""
    words = type(name) is tuple and any(isinstance(part, str) for part in name)
    return " ".join(map(str, name)) if words and isinstance(name, tuple) else str(name)


def extent(content: str, size: float) -> float:
    """About how wide a text is: fonts differ, and none is there to measure."""
    return size * sum(1.0 if east_asian_width(sign) in "WF" else 0.64 for sign in content)


def rounded(count: int) -> str:
    """Returns a whole number of any size in at most seven characters."""
    if abs(count) < 10_000:
        return str(count)
    return f"{TWO_DIGITS.create_decimal(count):.1e}".replace(".0e", "e").replace("e+", "e")
