"""Pictures: what is in them is what was given, nothing in a name is markup, and what is too large is refused."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from commands import DOMINOES, Feed, matchings

from dlx import Problem, show
from dlx.show import draw
from dlx.show.dance.page import source

SVG = "{http://www.w3.org/2000/svg}"
STYLE = source("style.css")
EVIL = "<b> & \"c\" 'd' \x00\x1b\ud800\uffff"
PLAIN = "<b> & \"c\" 'd' \ufffd\ufffd\ufffd\ufffd"

L_AND_I = {(0, 0): "L", (1, 0): "L", (1, 1): "L", (0, 1): "I", (0, 2): "I", (1, 2): None}
TOY = Problem.from_options(
    {"one": "ceg", "two": "ad", "three": "bcf", "four": "adf", "five": "be", "six": "deg", "seven": "bf"},
    items="abcdefg",
    secondary="g",
)

PICTURES: dict[str, Callable[[], show.Picture]] = {
    "tiling": lambda: show.tiling(L_AND_I, names={"L": EVIL}),
    "no cells": lambda: show.tiling({}),
    "region": lambda: show.region(L_AND_I, title=EVIL),
    "no region": lambda: show.region([]),
    "solid": lambda: show.solid({(z, *cell): name for z in (3, 5) for cell, name in L_AND_I.items()}, layers=True),
    "no solid": lambda: show.solid({}),
    "matrix": lambda: show.matrix(TOY, [0, 1, 6]),
    "no matrix": lambda: show.matrix(Problem.from_options([])),
    "panels": lambda: show.panels([show.region([(0, 0)]), show.tiling(L_AND_I)], titles=["a", EVIL]),
    "no panels": lambda: show.panels([]),
}


def elements(picture: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture).iter(SVG + tag))


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in elements(picture, "text")]


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_is_one(name: str) -> None:
    """A picture is well-formed, of a size, an image with a title, and a notebook shows it; its numbers are numbers."""
    picture = PICTURES[name]()
    root = ElementTree.fromstring(picture)
    assert (root.tag, root.get("role"), root[0].tag) == (f"{SVG}svg", "img", f"{SVG}title")
    assert root[0].text
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert picture._repr_svg_() == picture
    assert not re.search(r"\b(nan|inf)\b", picture)
    copy = pickle.loads(pickle.dumps(picture))
    assert (copy, copy.width, copy.body) == (picture, picture.width, picture.body)


def test_names_are_shown_as_they_are() -> None:
    """Markup in titles, texts and attributes is text, and what XML cannot say is a replacement character."""
    picture = show.svg(9, 9, show.text(1, 2, EVIL, data=EVIL), title=EVIL)
    ElementTree.fromstring(picture)
    assert texts(picture) == [PLAIN]
    assert elements(picture, "text")[0].get("data") == PLAIN
    assert elements(picture, "title")[0].text == PLAIN
    named = Problem.from_options({EVIL: [EVIL]})
    assert texts(show.matrix(named)).count(PLAIN) == 2


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21 (Web Content Accessibility Guidelines 2.1, section 1.4.3)."""
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def test_texts_can_be_read() -> None:
    """Texts have a contrast of at least 4.5 to every colour behind them, on pages in both themes."""
    assert (contrast("#ffffff", "#000000"), round(contrast("#767676", "#ffffff"), 2)) == (21, 4.54)
    assert min(contrast(show.INK, colour) for colour in (*show.PALETTE, show.PAPER)) >= 4.5
    assert contrast(show.FAINT, "#ffffff") >= 4.5
    schemes = [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", part)) for part in STYLE.split("prefers-color-scheme")]
    assert len(schemes) == 2
    for colours in schemes:
        for name, ground in product(("ink", "faint", "chosen", "branch", "dead", "path", "found"), ("paper", "panel")):
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)


def test_outlines() -> None:
    """A hole has its own line, cells that meet at a corner have two, and lines within the area keep their distance."""
    ring = [(r, c) for r in range(3) for c in range(3) if (r, c) != (1, 1)]
    picture = show.region([*ring, (0, 0)], size=10)
    cells, border = [path.get("d", "") for path in elements(picture, "path")]
    assert (cells.count("z"), border) == (8, "M0 0h30v30h-30zM10 10v10h10v-10z")
    assert picture.caption == "a region of 8 cells"
    assert show.outline(map(show.square, ring), 10, 0.1) == "M1 1h28v28h-28zM9 9v12h12v-12z"
    for one, other in (((0, 0), (1, 1)), ((1, 0), (0, 1))):
        alone = [show.outline([show.square(cell)], 10, 0.1) for cell in (one, other)]
        assert show.outline(map(show.square, (one, other)), 10, 0.1) in ("".join(alone), "".join(alone[::-1]))
    areas = np.array([[0, 1, 1], [0, 0, 2], [-1, -1, 2]])
    assert show.borders(areas, 10) == "M0 0h10v10h10v10h-20zM10 0h20v10h-20zM20 10h10v20h-10z"


def test_names_of_pieces() -> None:
    """A piece has its name once, in one of its own cells; rows and columns may begin anywhere."""
    picture = show.tiling(L_AND_I, names={"L": "left"}, size=10)
    assert picture.caption == "2 pieces on 5 of 6 cells"
    shifted = {(r - 70, c + 10**9): name for (r, c), name in L_AND_I.items()}
    assert show.tiling(shifted, names={"L": "left"}, size=10) == picture
    (label,) = elements(picture, "text")
    x, y = float(label.get("x", "")), float(label.get("y", ""))
    assert L_AND_I[int(y // 10), int(x // 10)] == "L"


def test_matrices() -> None:
    """There is a disc for each entry, full if its option is in the cover, and a band for each option of the cover."""
    discs = elements(show.matrix(TOY, [6, 0, -1, 1]), "circle")
    assert len(discs) == len(TOY.indices)
    assert [disc.get("fill") for disc in discs].count("white") == len(TOY.indices) - 7
    assert len(elements(show.matrix(TOY, [0, 1, 6]), "rect")) == 1 + 3
    assert {"one", "seven", "a", "g"} <= set(texts(show.matrix(TOY)))
    (italic,) = [node.text for node in elements(show.matrix(TOY), "text") if node.get("font-style") == "italic"]
    assert italic == "g"
    few = show.matrix(TOY, [0, 1, 6], options=[0, 1, 6])
    assert few.caption == "3 of 7 options, and 7 items, with a cover of 3 options"
    many = draw(Problem.from_options([[k % 30] for k in range(900)]), range(30))  # too many rows: those of the cover
    assert many.caption == "30 of 900 options, and 30 items, with a cover of 30 options"


def test_panels() -> None:
    """Each picture is in it once, in rows, with its title below, and none of them is an image of its own."""
    boards = [show.region([(0, k), (4, 4)]) for k in range(5)]
    picture = show.panels(boards, 2, titles=list("abcde"))
    assert texts(picture) == list("abcde")
    assert picture.count("<svg") == picture.count("<title") == 1
    assert picture.count('stroke-opacity="0.3"') == 5
    assert (picture.width, picture.height) == (2 * boards[0].width, 3 * (boards[0].height + 24))


# Which covers are tilings


@pytest.mark.parametrize("form", ["", "r{}c{}", "R{}C{}", "({}, {})", "({},{})", "{},{}", "-{},-{}", "{}{}"])
def test_cells_by_their_names(form: str) -> None:
    """A cover is a tiling if items are cells in any of the forms; what else an option has is its piece's name."""
    a, b, c, d = (form.format(*cell) if form else cell for cell in [(0, 0), (0, np.int64(1)), (1, 0), (1, 1)])
    problem = Problem.from_options([["I", a, b], [c, "O"]], items=["I", a, b, c, "O", d], secondary=[d])
    picture = draw(problem, [0, 1])
    assert (picture.caption, sorted(texts(picture))) == ("2 pieces on 3 of 4 cells", ["I", "O"])
    assert len(re.findall("h52v26h-52z", picture)) == 1
    assert len(re.findall("h26v26h-26z", picture)) == 2


# The command


def test_covers_are_drawn(feed_dlx: Feed, tmp_path: Path) -> None:
    """One cover that is printed is alone in the picture; of many the first twelve are drawn, and a message says so."""
    file = tmp_path / "some.svg"
    for how in (["first"], ["solve", "--limit", "1", "--json"]):
        assert feed_dlx("", *how, DOMINOES, "--svg", str(file))[0] == 0
        assert elements(file.read_text(), "title")[0].text == "a tiling of 12 cells by 6 pieces"
    status, out, err = feed_dlx(matchings(6), "solve", "--svg", str(file))
    assert (status, len(out.splitlines())) == (0, 15)
    assert texts(file.read_text())[-1] == "cover 12"
    assert err == f"dlx: {file} shows the first 12 of 15 covers\n"


def test_nothing_is_drawn(feed_dlx: Feed, tmp_path: Path) -> None:
    """The old file stays as it is without a cover, or if the picture is too large or cannot be written."""
    file, nowhere = tmp_path / "old.svg", tmp_path / "no" / "new.svg"
    file.write_text("old")
    assert feed_dlx("a b\na\n", "solve", "--svg", str(file))[0] == 1
    names = " ".join(f"x{k}" for k in range(201))
    status, out, err = feed_dlx(f"{names}\n{names}\n", "solve", "--svg", str(file))
    assert (status, out) == (2, f"{names}\n")
    assert err == "dlx: <stdin>: the matrix has 201 columns; a picture has no more than 200\n"
    status, out, err = feed_dlx("a\na\n", "solve", "--svg", str(nowhere))
    assert (status, out, err) == (2, "", f"dlx: {nowhere}: No such file or directory\n")
    assert [path.name for path in tmp_path.iterdir()] == ["old.svg"]
    assert file.read_text() == "old"
