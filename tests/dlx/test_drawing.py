"""Pictures: what is in them is what was given, nothing in a name is markup, and what is too large is refused."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from dlx_command import DANCE, DOMINOES, Feed, matchings

from dlx import Problem, show
from dlx.show import draw
from dlx.show.elements import CONTRAST, contrast, rounded, short

SVG = "{http://www.w3.org/2000/svg}"
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
    "layers": lambda: show.layers({(z, *cell): name for z in (3, 5) for cell, name in L_AND_I.items()}),
    "no layers": lambda: show.layers({}),
    "solid": lambda: show.solid({(z, *cell): name for z in (3, 5) for cell, name in L_AND_I.items()}, title=EVIL),
    "no solid": lambda: show.solid({}),
    "queens": lambda: show.queens([(0, 1), (1, 3), (2, 0), (3, 2)], 4),
    "no board": lambda: show.queens([], 0),
    "matrix": lambda: show.matrix(TOY, [0, 1, 6]),
    "no matrix": lambda: show.matrix(Problem.from_options([])),
    "panels": lambda: show.panels([show.queens([], 2), show.tiling(L_AND_I)], titles=["a", EVIL]),
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
    picture = show.svg(9, 9, show.text(1, 2, EVIL, data=EVIL), title=EVIL, description=EVIL)
    ElementTree.fromstring(picture)
    assert texts(picture) == [PLAIN]
    assert elements(picture, "text")[0].get("data") == PLAIN
    assert [elements(picture, tag)[0].text for tag in ("title", "desc")] == [PLAIN, PLAIN]
    named = Problem.from_options({EVIL: [EVIL]})
    assert texts(show.matrix(named)).count(PLAIN) == 2


@pytest.mark.parametrize("colour", [*show.PALETTE, show.PAPER])
def test_texts_can_be_read(colour: str) -> None:
    """Texts have a contrast of 4.5 at least to every colour behind them, and to white, as #767676 has to white."""
    assert (contrast("#ffffff", "#000000"), round(contrast("#767676", "#ffffff"), 2)) == (21, 4.54)
    assert contrast(show.readable(colour), colour) >= CONTRAST
    assert min(contrast(ink, "#ffffff") for ink in (show.INK, show.FAINT)) >= CONTRAST


def test_tilings() -> None:
    """There is a path for each piece and one of all lines; it does not matter where rows and columns begin."""
    picture = show.tiling(L_AND_I, size=10)
    empty, *pieces, lines = [path.get("d", "") for path in elements(picture, "path")]
    assert [path.count("M") for path in (empty, *pieces)] == [1, 3, 2]
    areas = np.array([[0, 1, 1], [0, 0, 2]])
    assert lines == show.borders(areas, 10) == "M0 0h30M10 10h20M0 20h30M0 0v20M10 0v10M20 10v10M30 0v20"
    assert show.tiling(L_AND_I).caption == "2 pieces on 5 of 6 cells"
    shifted = {(r - 70, c + 10**9): name for (r, c), name in L_AND_I.items()}
    assert show.tiling(shifted, size=10) == picture


def test_regions() -> None:
    """A region has a square for each of its cells, once, and a line around all of them only; it may be anywhere."""
    ring = [(r, c) for r in range(3) for c in range(3) if (r, c) != (1, 1)]
    picture = show.region([*ring, (0, 0)], size=10)
    ground, around = elements(picture, "path")
    assert ground.get("d", "").count("z") == 8
    assert around.get("d") == "M0 0h30M10 10h10M10 20h10M0 30h30M0 0v30M10 10v10M20 10v10M30 0v30"
    assert picture.caption == "a region of 8 cells"
    assert show.region([(r - 7, c + 10**9) for r, c in ring], size=10) == picture


def test_neighbours_have_other_colours() -> None:
    """Neighbours among 50 dominoes have different colours."""
    rows = {(r, c): (r, (c + r % 2) // 2) for r in range(10) for c in range(10)}
    fills = re.findall(r'<path d="([^"]*)" fill="(#......)"/>', show.tiling(rows, size=1))
    colour = {(int(y), int(x)): fill for path, fill in fills for x, y in re.findall(r"M(\d+) (\d+)", path)}
    assert len(colour) == 100
    for (r, c), piece in rows.items():
        for other in ((r + 1, c), (r, c + 1)):
            assert rows.get(other) in (None, piece) or colour[other] != colour[r, c]


def test_names_of_pieces() -> None:
    """A piece has its name once, in one of its own cells; in layers once in each."""
    picture = show.tiling(L_AND_I, names={"L": "left"}, size=10)
    (label,) = elements(picture, "text")
    x, y = float(label.get("x", "")), float(label.get("y", ""))
    assert L_AND_I[int(y // 10), int(x // 10)] == "L"
    tower = show.layers({(z, 0, 0): "I" for z in range(3)}, names={"I": "I"})
    assert texts(tower).count("I") == texts(show.layers({(0, 0, 0): "I"}, names={"I": "I"})).count("I") * 3 == 3


def test_queens() -> None:
    """There is a crown for each queen, on its square."""
    placement = [(0, 1), (1, 3), (2, 0), (3, 2)]
    crowns = re.findall(r"translate\((\d+) (\d+)\) scale", show.queens(placement, 4, size=10))
    assert [(int(y) // 10, int(x) // 10) for x, y in crowns] == placement


def test_matrices() -> None:
    """There is a disc for each entry, full if its option is in the cover, and a band for each option of the cover."""
    discs = elements(show.matrix(TOY, [6, 0, -1, 1]), "circle")
    assert len(discs) == len(TOY.indices)
    assert [disc.get("fill") for disc in discs].count("#ffffff") == len(TOY.indices) - 7
    assert len(elements(show.matrix(TOY, [0, 1, 6]), "rect")) == 1 + 3
    assert {"one", "seven", "a", "g"} <= set(texts(show.matrix(TOY)))
    (italic,) = [node.text for node in elements(show.matrix(TOY), "text") if node.get("font-style") == "italic"]
    assert italic == "g"
    few = show.matrix(TOY, [0, 1, 6], options=[0, 1, 6])
    assert few.caption == "3 of 7 options, and 7 items, with a cover of 3 options"
    many = draw(Problem.from_options([[k % 30] for k in range(900)]), range(30))  # too many rows: those of the cover
    assert many.caption == "30 of 900 options, and 30 items, with a cover of 30 options"


def test_numbers_of_any_size() -> None:
    """Rounded numbers are short, and of the right size, also where they are rounded up to a power of ten."""
    for exponent in range(4, 400):
        for digits in (10, 11, 99):
            number = digits * 10 ** (exponent - 1)
            mantissa, _, power = rounded(number).partition("e")
            assert (float(mantissa), int(power)) == (digits / 10, exponent)
    rng = np.random.default_rng(6)
    for size in rng.integers(10**4, 10**18, 2000).tolist():
        near = size // 10 ** int(rng.integers(0, 14))
        assert abs(float(rounded(near)) - near) * 20 <= 10 ** (len(str(near)) - 1) or near < 10**4
    assert max(len(rounded(n)) for n in (9999, 10**4 - 1, 10**5 - 1, 10**15 - 1, -(10**6))) <= 7
    assert short("x" * 24) == "x" * 24 != short("x" * 25)


def test_panels() -> None:
    """Each picture is in it once, in rows, with its title below, and none of them is an image of its own."""
    boards = [show.queens([(0, k)], 5) for k in range(5)]
    picture = show.panels(boards, 2, titles=list("abcde"))
    assert texts(picture) == list("abcde")
    assert picture.count("<svg") == picture.count("<title") == 1
    assert picture.count("scale(") == 5
    assert (picture.width, picture.height) == (2 * boards[0].width, 3 * (boards[0].height + 24))


# Which covers are tilings


@pytest.mark.parametrize("form", ["", "r{}c{}", "R{}C{}", "({}, {})", "({},{})", "{},{}", "-{},-{}", "{}{}"])
def test_cells_by_their_names(form: str) -> None:
    """A cover is a tiling if items are cells in any of the forms; what else an option has is its piece's name."""
    a, b, c, d = (form.format(*cell) if form else cell for cell in [(0, 0), (0, np.int64(1)), (1, 0), (1, 1)])
    problem = Problem.from_options([["I", a, b], [c, "O"]], items=["I", a, b, c, "O", d], secondary=[d])
    found = show.board(problem, [0, 1])
    assert found is not None
    pieces, names = found
    assert (list(pieces.values()), names) == ([0, 0, 1, None], {0: "I", 1: "O"})
    (top, left), *rest = pieces
    assert [(abs(r - top), abs(c - left)) for r, c in rest] == [(0, 1), (1, 0), (1, 1)]
    assert draw(problem, [0, 1]).caption == "2 pieces on 3 of 4 cells"


# The command


def test_solve_draws(feed_dlx: Feed, tmp_path: Path) -> None:
    """`dlx solve --svg` prints what it prints without, and draws all covers of a few, as tilings or matrices."""
    file = tmp_path / "covers.svg"
    for problem, covers, title in (
        (DOMINOES, 11, "a tiling of 12 cells by 6 pieces"),
        (DANCE, 1, "6 options and 7 items"),
    ):
        plain, drawn = feed_dlx("", "solve", problem), feed_dlx("", "solve", problem, "--svg", str(file))
        assert drawn == plain
        assert title in (elements(file.read_text(), "title")[0].text or "")
        assert sum(text.startswith("cover") for text in texts(file.read_text())) == (covers if covers > 1 else 0)
    assert [path.name for path in tmp_path.iterdir()] == ["covers.svg"]


@pytest.mark.parametrize(
    "how", [["first"], *(["solve", *some, "--limit", "1"] for some in ([], ["--json"], ["--jobs", "2"]))]
)
def test_one_cover_is_drawn(feed_dlx: Feed, tmp_path: Path, how: list[str]) -> None:
    """The one cover that is printed is alone in the picture, by any way to ask for it."""
    file = tmp_path / "one.svg"
    assert feed_dlx("", *how, DOMINOES, "--svg", str(file))[0] == 0
    assert elements(file.read_text(), "title")[0].text == "a tiling of 12 cells by 6 pieces"


def test_twelve_covers_are_drawn(feed_dlx: Feed, tmp_path: Path) -> None:
    """The first twelve printed covers of many are drawn with their numbers, and a message says so."""
    file = tmp_path / "some.svg"
    status, out, err = feed_dlx(matchings(6), "solve", "--svg", str(file))
    assert (status, len(out.splitlines())) == (0, 15)
    assert err == f"dlx: {file} shows the first 12 of 15 covers\n"
    assert texts(file.read_text())[-1] == "cover 12"


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


def test_a_picture_keeps_the_permissions_of_the_file(feed_dlx: Feed, tmp_path: Path) -> None:
    """A picture in the place of a file is as public as that was, and a link goes on leading there."""
    file, link = tmp_path / "real.svg", tmp_path / "link.svg"
    file.write_text("old")
    file.chmod(0o600)
    link.symlink_to(file)
    assert feed_dlx("", "solve", DANCE, "--svg", str(link))[0] == 0
    assert link.is_symlink()
    assert (file.stat().st_mode & 0o777, file.read_text()[:4]) == (0o600, "<svg")
