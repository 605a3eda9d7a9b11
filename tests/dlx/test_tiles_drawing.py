"""Tilings drawn: each cell once in the colour of its piece, a line where two pieces meet, and text that reads back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, product
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from seeds import for_seeds

import dlx
from dlx import Problem, show, tiles
from dlx.show import PALETTE, PAPER, dance
from dlx.tiles import LATTICES, Placement
from dlx.tiles.lattice import Cell

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


def areas(problem: Problem, cover: Sequence[int]) -> set[frozenset[Cell]]:
    """The pieces and the empty cells, each as an area."""
    pieces = [frozenset(place.cells) for place in problem.labels(cover)]
    cells = {item for item in problem.items if isinstance(item, tuple)}
    return {*pieces, *(frozenset([cell]) for cell in cells.difference(*pieces))}


def paths(picture: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture).iter(f"{SVG}path"))


def lines(data: str) -> list[list[Point]]:
    """The corners on each line of a path."""
    found: list[list[Point]] = []
    for sign, numbers in re.findall(r"([MLhv])([^MLhvz]*)", data):
        last, given = found[-1][-1] if found else (0.0, 0.0), [float(number) for number in numbers.split()]
        x, y = {"h": (last[0] + given[0], last[1]), "v": (last[0], last[1] + given[0])}.get(sign) or tuple(given)
        found = [*found, [(x, y)]] if sign == "M" else [*found[:-1], [*found[-1], (x, y)]]
    return found


def outline(points: Iterable[Any], left: float, top: float) -> frozenset[Point]:
    return frozenset((round(float(x - left), 1) + 0.0, round(float(y - top), 1) + 0.0) for x, y in points)


@pytest.mark.parametrize("lattice", FLAT)
@for_seeds(40)
def test_cells_are_drawn_once(lattice: str, seed: int) -> None:
    """A path has the cells of a piece in one colour, one has the empty cells, and neighbours have different colours."""
    problem, cover = random_tiling(lattice, seed)
    *drawn, _ = paths(tiles.picture(problem, cover, size=100))
    corners = {cell: LATTICES[lattice].corners(cell) for cell in problem.items if isinstance(cell, tuple)}
    left, top = (min(point[k] for points in corners.values() for point in points) for k in (0, 1))
    place = {
        outline([(x / 100, y / 100) for x, y in points], 0, 0): path
        for path in drawn
        for points in lines(path.get("d", ""))
    }
    assert sum(len(lines(path.get("d", ""))) for path in drawn) == len(place) == len(corners)
    colour = {cell: place[outline(points, left, top)].get("fill") for cell, points in corners.items()}
    area = {cell: area for area in areas(problem, cover) for cell in area}
    covered = {cell for o in cover for cell in problem.labels([o])[0].cells}
    for cell in corners:
        assert (colour[cell] == PAPER) == (cell not in covered)
        assert {colour[other] for other in area[cell]} == {colour[cell]}
        near = covered.intersection(LATTICES[lattice].neighbours(cell))
        assert cell not in covered or all(colour[other] != colour[cell] for other in near - area[cell])


@pytest.mark.parametrize("lattice", FLAT)
@for_seeds(40)
def test_borders(lattice: str, seed: int) -> None:
    """The lines are the sides of cells between areas and around the board, each drawn once."""
    problem, cover = random_tiling(lattice, seed)
    area = {cell: area for area in areas(problem, cover) for cell in area}
    corners = {cell: LATTICES[lattice].corners(cell) for cell in area}
    left, top = (min(point[k] for points in corners.values() for point in points) for k in (0, 1))
    beside: dict[frozenset[Point], list[frozenset[Cell]]] = {}
    for cell, points in corners.items():
        for side in zip(points, [*points[1:], points[0]], strict=True):
            beside.setdefault(outline(side, left, top), []).append(area[cell])
    drawn = []
    for line in lines(paths(tiles.picture(problem, cover, size=100))[-1].get("d", "")):
        begin, end = np.array(line) / 100
        sides = round(float(np.hypot(*(end - begin))))
        ends = [begin + (end - begin) * k / sides for k in range(sides + 1)]
        drawn += [outline([one, other], 0, 0) for one, other in pairwise(ends)]
    assert Counter(drawn) == Counter(side for side, both in beside.items() if len(both) == 1 or both[0] != both[1])


def parts(label: Mapping[Any, Any]) -> set[frozenset[Any]]:
    """The connected parts of what has the same label, on squares."""
    left, found = set(label), set()
    while left:
        part = [left.pop()]
        for r, c in part:  # which grows
            near = {(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)} & left
            part += [other for other in near if label[other] == label[r, c]]
            left.difference_update(part)
        found.add(frozenset(part))
    return found


def read_back(text: str, rows: int, columns: int) -> dict[frozenset[Any], str]:
    """The areas of a text in box-drawing characters, with one more cell all around, and what is written in each."""
    signs = [" " * (4 * columns + 9)] * 2
    signs += [f"    {row}".ljust(4 * columns + 9) for row in text.split("\n")] + signs
    label = {(r, c): (r, c) for r in range(-1, rows + 1) for c in range(-1, columns + 1)}
    for _ in label:  # until all has been joined
        for r, c in label:
            for other, sign in (((r + 1, c), signs[2 * r + 4][4 * c + 6]), ((r, c + 1), signs[2 * r + 3][4 * c + 8])):
                if other in label and sign not in "─│":
                    label[r, c] = label[other] = min(label[r, c], label[other])
    written = {(r, c): signs[2 * r + 3][4 * c + 5 : 4 * c + 9].strip(" │") for r, c in label}
    return {part: "".join(written[cell] for cell in sorted(part)) for part in parts(label)}


@pytest.mark.parametrize("lattice", ["square", "cube"])
@for_seeds(40)
def test_box_drawing_reads_back(lattice: str, seed: int) -> None:
    """Borders are around the parts of pieces, empty cells and holes; in each part of a piece its name stands once."""
    problem, cover = random_tiling(lattice, seed)
    cells = [item for item in problem.items if isinstance(item, tuple)]
    names = {cell: (place.piece, place.piece) for place in problem.labels(cover) for cell in place.cells}
    label = {cell: names.get(cell, (cell, "·")) for cell in cells}
    if len({name for name, _ in names.values()}) == 1:
        label |= {cell: (name, "") for cell, (name, _) in names.items()}
    solid = {cell if lattice == "cube" else (0, *cell): said for cell, said in label.items()}
    (top, left), (bottom, right) = ([f(cell[k] for cell in solid) for k in (1, 2)] for f in (min, max))
    rows, columns = bottom - top + 1, right - left + 1
    blocks = tiles.drawn(problem, cover).split("\n")
    for k, z in enumerate(sorted({cell[0] for cell in solid})):
        text = "\n".join(row[k * (4 * columns + 4) :][: 4 * columns + 1] for row in blocks)
        around = product(range(-1, rows + 1), range(-1, columns + 1))
        layer = {(r, c): solid.get((z, r + top, c + left), (None, "")) for r, c in around}
        assert read_back(text, rows, columns) == {part: layer[min(part)][1] for part in parts(layer)}


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
        fills = [path.get("fill") for path in paths(tiles.picture(problem, cover))[:-1]]
        assert fills == [PALETTE["FILNPTUVWXYZ".index(place.piece)] for place in places]


def test_boards_and_layers() -> None:
    """A board without a tiling has all cells empty; a solid has its layers beside it; a title is what it is called."""
    problem = tiles.problem("2x3", "trominoes", each="any")
    board = tiles.picture(problem)
    assert (board.caption, [path.get("fill") for path in paths(board)]) == ("a board of 6 cells", [PAPER, "none"])
    with pytest.warns(UserWarning, match="of these the pieces fill at most 3"):
        hexagons = tiles.problem("2x2", "trihexes", each="0..1")
    assert len(lines(paths(tiles.picture(hexagons))[0].get("d", ""))[0]) == 6
    cube = tiles.problem("3x3x3", "soma")
    picture = tiles.picture(cube, dlx.first(cube).cover, title="Soma")
    assert (picture.caption, re.findall(r"layer \d", picture)) == ("Soma", ["layer 0", "layer 1", "layer 2"])
    named = tiles.picture(problem, dlx.first(problem).cover, names=True)
    assert len(re.findall("<text", named)) == 2
    assert tiles.drawn(tiles.problem("##", "domino", empty=True), ()) == "┌───┬───┐\n│ · │ · │\n└───┴───┘"


def test_placements_in_words() -> None:
    """A notebook and the page of the best tiling say a placement as it prints: its piece and its cells."""
    problem = tiles.problem("1x2", "domino", weights={"I": 3})
    assert ">I 0,0 0,1<" in dlx.first(problem)._repr_html_()
    assert "Its options: I 0,0 0,1." in dance.prices_page([], dlx.best(problem, "min"))


def test_what_is_no_tiling() -> None:
    """Two placements with the same cell are refused, and so are options that there are not."""
    problem = tiles.problem("2x2", "domino", each="any")
    for draw in (tiles.picture, tiles.drawn):
        with pytest.raises(ValueError, match=r"the cell \(0, 0\) is in two of its placements"):
            draw(problem, range(problem.n_options))
        with pytest.raises(IndexError, match="99"):
            draw(problem, [99])
        assert draw(problem, [0, -1]) == draw(problem, [0])
