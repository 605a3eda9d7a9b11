"""Tilings drawn: each piece as an area in its colour, and as text; `dlx tile` draws what the engine finds."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise, product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from seeds import for_seeds

import dlx
from dlx import Problem, show, tiles
from dlx.command.cli import main
from dlx.show import PALETTE, PAPER
from dlx.tiles import LATTICES, Placement
from dlx.tiles.lattice import SQUARES, Cell

FLAT = ("square", "triangle", "hexagon")
SVG = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]


def random_tiling(lattice: str, seed: int) -> tuple[Problem, list[int]]:
    """A board of random cells cut into pieces that need not be connected, some of which are left out of the cover."""
    rng = np.random.default_rng([seed, 25])
    sides = [range(3)] * 3 if lattice == "cube" else [range(4), range(7)]
    cells = [cell for cell in product(*sides) if lattice != "hexagon" or sum(cell) % 2 == 0]
    board = sorted(cells[k] for k in rng.permutation(len(cells))[: rng.integers(1, len(cells) + 1)])
    groups: dict[str, list[Cell]] = {}
    for cell in board:
        near = [name for name, group in groups.items() if {*group} & {*LATTICES[lattice].neighbours(cell)}]
        name = near[0] if near and rng.random() < 0.7 else f"P{rng.integers(9)}"
        groups.setdefault(name, []).append(cell)
    options = {Placement(name, tuple(group), lattice): [name, *group] for name, group in groups.items()}
    problem = Problem.from_options(options, items=[*groups, *board], secondary=board)
    return problem, [o for o in range(len(options)) if rng.random() < 0.8]


def paths(picture: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture).iter(f"{SVG}path"))


def lines(data: str) -> list[list[Point]]:
    """The corners on each line of a path; a closed line ends where it begins."""
    found: list[list[Point]] = []
    for sign, numbers in re.findall(r"([MLhvz])([^MLhvz]*)", data):
        last, given = found[-1][-1] if found else (0.0, 0.0), [float(number) for number in numbers.split()]
        if sign == "z":
            x, y = found[-1][0]
        elif sign in "hv":
            x, y = last[0] + given[0] * (sign == "h"), last[1] + given[0] * (sign == "v")
        else:
            x, y = given
        found = [*found, [(x, y)]] if sign == "M" else [*found[:-1], [*found[-1], (x, y)]]
    return found


def sides(data: str) -> Counter[frozenset[Point]]:
    """The sides of cells on the lines of a path in a picture with cells of size 100."""
    found: Counter[frozenset[Point]] = Counter()
    for begin, end in (side for line in lines(data) for side in pairwise(np.array(line) / 100)):
        steps = round(float(np.hypot(*(end - begin))))
        ends = [begin + (end - begin) * k / steps for k in range(steps + 1)]
        found.update(near(side) for side in pairwise(ends))
    return found


def near(points: Iterable[Any]) -> frozenset[Point]:
    return frozenset((round(float(x), 1) + 0.0, round(float(y), 1) + 0.0) for x, y in points)


@pytest.mark.parametrize("lattice", FLAT)
@for_seeds(40)
def test_areas(lattice: str, seed: int) -> None:
    """Each piece and each empty cell has its outline once; neighbouring pieces have different colours."""
    problem, cover = random_tiling(lattice, seed)
    corners = {cell: LATTICES[lattice].corners(cell) for cell in problem.items if isinstance(cell, tuple)}
    left, top = (min(point[k] for points in corners.values() for point in points) for k in (0, 1))

    def outline(cells: Iterable[Cell]) -> Counter[frozenset[Point]]:
        around = ([(x - left, y - top) for x, y in corners[cell]] for cell in cells)
        every = Counter(near(side) for points in around for side in pairwise([*points, points[0]]))
        return Counter(side for side, count in every.items() if count == 1)

    pieces = sorted((place.cells for place in problem.labels(cover)), key=min)
    empty = corners.keys() - {cell for piece in pieces for cell in piece}
    drawn = paths(tiles.picture(problem, cover, size=100))
    if empty:
        assert sides(drawn[0].get("d", "")) == sum((outline([cell]) for cell in empty), Counter())
        assert drawn.pop(0).get("fill") == PAPER
    assert [sides(path.get("d", "")) for path in drawn] == [outline(piece) for piece in pieces]
    colour = {cell: path.get("fill") for path, piece in zip(drawn, pieces, strict=True) for cell in piece}
    for piece in pieces:
        beside = {other for cell in piece for other in LATTICES[lattice].neighbours(cell)} - {*piece}
        assert all(colour.get(other) != colour[piece[0]] for other in beside)


@pytest.mark.parametrize("lattice", ["square", "cube"])
@for_seeds(40)
def test_box_drawing(lattice: str, seed: int) -> None:
    """There is a line around each piece, each empty cell and the board; each part of a piece has its name once."""
    problem, cover = random_tiling(lattice, seed)
    cells = [item for item in problem.items if isinstance(item, tuple)]
    piece = {cell: place.piece for place in problem.labels(cover) for cell in place.cells}
    (top, left), (bottom, right) = ([f(cell[-2:][k] for cell in cells) for k in (0, 1)] for f in (min, max))
    blocks = tiles.drawn(problem, cover).split("\n")
    layers = sorted({cell[:-2] for cell in cells})
    for k, layer in enumerate(layers):
        start = k * (4 * (right - left + 1) + 4)
        text = [row[start:].ljust(999) for row in blocks]

        def is_parted(one: Cell, other: Cell, layer: Any = layer) -> bool:
            one, other = (*layer, *one), (*layer, *other)
            inside = (one in cells) + (other in cells)
            return inside == 1 or (inside == 2 and (one not in piece or piece[one] != piece.get(other)))

        for r, c in product(range(top, bottom + 1), range(left, right + 1)):
            y, x = 2 * (r - top), 4 * (c - left)
            assert (text[y][x + 2] in "─") == is_parted((r - 1, c), (r, c))
            assert (text[y + 1][x] in "│") == is_parted((r, c - 1), (r, c))
        own: dict[str, list[Cell]] = {}
        for cell in cells:
            if cell[:-2] == layer and cell in piece:
                own.setdefault(piece[cell], []).append(cell[-2:])
        names = Counter({name: len([*SQUARES.parts(sorted(part))]) for name, part in own.items()})
        width = 4 * (right - left + 1) + 1
        written = Counter(re.findall(r"P\d", "\n".join(row[:width] for row in text)))
        assert written == (names if len({*piece.values()}) > 1 else Counter())
        assert sum(row[:width].count("·") for row in text) == sum(c not in piece and c[:-2] == layer for c in cells)


@pytest.mark.parametrize("lattice", ["triangle", "hexagon"])
@for_seeds(40)
def test_letters_read_back(lattice: str, seed: int) -> None:
    """Cells have the same letter if they are of the same piece; empty ones a dot, and there is nothing else."""
    problem, cover = random_tiling(lattice, seed)
    found = {item: "·" for item in problem.items if isinstance(item, tuple)}
    top, left = (min(cell[k] for cell in found) for k in (0, 1))
    rows = tiles.drawn(problem, cover).split("\n")
    seen = {(r + top, c + left): sign for r, row in enumerate(rows) for c, sign in enumerate(row) if sign != " "}
    assert seen.keys() == found.keys()
    pieces = [{*place.cells} for place in problem.labels(cover)]
    letters = [{seen[cell] for cell in piece} for piece in pieces]
    assert sorted(map(len, letters)) == [1] * len(pieces)
    assert len(set.union(set(), *letters)) == len(pieces)
    assert {cell for cell, sign in seen.items() if sign == "·"} == found.keys() - set.union(set(), *pieces)


def test_drawings() -> None:
    """Layers that have no room beside each other are below each other, and layers have one box."""
    problem = tiles.problem("8x2x3", "2-cubes", each="any")
    rows = tiles.drawn(problem, dlx.first(problem).cover or ()).split("\n")
    assert [len(rows), rows[5], max(map(len, rows))] == [11, "", 16 * 6 - 3]
    assert tiles.drawn(tiles.problem("##./.##", "domino", each="any"), [0]).split("\n")[0] == "┌───────┐"


@for_seeds(40)
def test_solids(seed: int) -> None:
    """A face is drawn where a cell has none before it, in one of three shades of its piece's colour."""
    problem, cover = random_tiling("cube", seed)
    cells = {item: item for item in problem.items if isinstance(item, tuple)}
    cells |= {cell: place for place in problem.labels(cover) for cell in place.cells}
    free = sum((z + 1, r, c) not in cells for z, r, c in cells)
    free += sum((z, r + 1, c) not in cells for z, r, c in cells) + sum((z, r, c + 1) not in cells for z, r, c in cells)
    faces = [path for path in paths(show.solid(cells)) if path.get("fill")]
    assert len(faces) == free
    assert len({path.get("fill") for path in faces}) <= 3 * len({*cells.values()})


def test_colours_stay() -> None:
    """Pieces that are used once have the same colour in all tilings, as long as there are twelve of them at most."""
    problem = tiles.problem("6x10", "pentominoes")
    for cover in dlx.covers(problem, max_covers=5):
        places = sorted(problem.labels(cover), key=lambda place: min(place.cells))
        fills = [path.get("fill") for path in paths(tiles.picture(problem, cover))]
        assert fills == [PALETTE["FILNPTUVWXYZ".index(place.piece)] for place in places]


def test_boards_and_layers() -> None:
    """A board without a tiling has all cells empty; a solid has its layers beside it; a title is what it is called."""
    problem = tiles.problem("2x3", "trominoes", each="any")
    board = tiles.picture(problem)
    assert (board.caption, [path.get("fill") for path in paths(board)]) == ("a board of 6 cells", [PAPER])
    cube = tiles.problem("3x3x3", "soma")
    picture = tiles.picture(cube, dlx.first(cube).cover, title="Soma")
    assert (picture.caption, re.findall(r"layer \d", picture)) == ("Soma", ["layer 0", "layer 1", "layer 2"])
    named = tiles.picture(problem, dlx.first(problem).cover, names=True)
    assert len(re.findall("<text", named)) == 2
    assert tiles.drawn(tiles.problem("##", "domino", empty=True), ()) == "┌───┬───┐\n│ · │ · │\n└───┴───┘"


# The command


HEART = ".##.##.\n#######\n.#####.\n..###..\n...#...\n"


def told(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    """What the command prints."""
    assert main(["tile", *arguments]) == status
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("board", "pieces", "more"),
    [
        ("4x5", "tetrominoes", ["--each", "any"]),
        ("2x2x3", "tricubes", ["--each", "any"]),
        ("4x4", "trihexes", ["--empty", "all"]),
        ("triangle 3", "triamond,diamond", ["--empty", "all"]),
        ("parallelogram 2x3", "trihexes", ["--each", "any"]),
    ],
)
def test_all_tilings_are_printed(capsys: pytest.CaptureFixture[str], board: str, pieces: str, more: list[str]) -> None:
    """With --all each tiling is drawn, in the order of `covers`, and in JSON its placements; --count says how many."""
    each, empty = ("any", False) if "any" in more else (1, True)
    problem = tiles.problem(board, pieces, each=each, empty=empty)
    found = [sorted(cover) for cover in dlx.covers(problem)]
    printed = told(capsys, board, pieces, *more, "--all")
    blocks = [f"{tiles.drawn(problem, cover)}\n" for cover in found]
    assert printed == "\n".join(blocks)
    assert told(capsys, board, pieces, *more, "--count") == f"{len(found)}\n"
    *lines, last = map(json.loads, told(capsys, board, pieces, *more, "--all", "--json").splitlines())
    placed = [[{"piece": p.piece, "cells": [*map(list, p.cells)]} for p in problem.labels(cover)] for cover in found]
    assert lines == [{"tiling": k, "pieces": pieces} for k, pieces in enumerate(placed, 1)]
    assert (last["covers"], last["exhausted"]) == (len(found), True)


def test_pieces_are_names_a_drawing_or_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A drawn piece tiles a board of a file as it tiles a size; a file in place of words is refused with --pieces."""
    board, pieces = tmp_path / "board.txt", tmp_path / "pieces.txt"
    board.write_text("####\n####\n")
    pieces.write_text("L: ###/#..\n")
    for place in (str(board), "2x4"):
        assert told(capsys, place, "##/##", "--each", "2", "--count") == "1\n"
        assert main(["tile", place, str(pieces), "--each", "2"]) == 2
        assert capsys.readouterr().err.endswith("; --pieces FILE reads pieces from a file\n")
        assert told(capsys, place, "--pieces", str(pieces), "--each", "2", "--count") == "2\n"


def test_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--svg writes the picture of the tiling that is printed, or of several in one."""
    file, heart = str(tmp_path / "a.svg"), tmp_path / "heart.txt"
    heart.write_text(HEART)
    printed = told(capsys, str(heart), "dominoes,tromino:L", "--each", "0..9", "--svg", file)
    problem = tiles.problem(HEART, "dominoes,tromino:L", each=(0, 9))
    cover = dlx.first(problem).cover
    assert cover is not None
    assert printed == f"{tiles.drawn(problem, cover)}\n"
    assert (tmp_path / "a.svg").read_text() == tiles.picture(problem, sorted(cover))
    for more in (["--sample", "3"], ["--all", "--limit", "3"]):
        told(capsys, "4x4", "dominoes", "--each", "any", "--svg", file, *more)
        assert re.findall(r"tiling \d", (tmp_path / "a.svg").read_text()) == ["tiling 1", "tiling 2", "tiling 3"]


def test_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--watch writes a page with the board and the names of pieces."""
    page = tmp_path / "page.html"
    told(capsys, "2x4", "dominoes", "--each", "any", "--watch", "-o", str(page))
    text = page.read_text(encoding="utf-8")
    assert "All covers of 2x4" in text
    assert "I 0,0 0,1" in text
    assert main(["tile", "2x2x2", "dominoes", "--each", "any", "--watch"]) == 2
    assert "--watch draws no cubes; --svg draws" in capsys.readouterr().err


def test_limits(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the time is over, while pieces are placed or later, the status is 3, and what is unknown is said."""
    for board, pieces, mode in (
        ("8x8", "tetrominoes", "--kinds"),
        ("8x8", "tetrominoes", "--count"),
        ("100x100", "6-ominoes,monomino", "--count"),
        ("20x20", "tetrominoes", "--all"),
    ):
        assert main(["tile", board, pieces, "--each", "any", mode, "--timeout", "0.1" if mode == "--all" else "0"]) == 3
        said = (
            r"dlx: stopped by --timeout; (the pieces had not been placed after .* seconds|there may be more tilings)\n"
        )
        assert re.fullmatch(said, capsys.readouterr().err)
