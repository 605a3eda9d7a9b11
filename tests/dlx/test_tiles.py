"""Tilings with `dlx.tiles`, with labels on edges, too, against brute force; tests/data/answers.txt has numbers."""

from __future__ import annotations

import json
import pickle
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from points import Point, Put, as_put, at, covers_by_hand, middle, midpoints, motions, placements, puts, some_cells
from seeds import tries

import dlx
from dlx import show, tiles
from dlx.command.cli import main
from dlx.formats import read, write
from dlx.show.dance import page
from dlx.tiles import LATTICES, Board, Lattice, Piece, Placement, polyforms
from dlx.tiles.lattice import Cell, Matrix, Vector, added, times
from dlx.tiles.pieces import Kind
from dlx.tiles.symmetric import SYMMETRIES, Symmetry

NAMES = st.sampled_from([*LATTICES])
KINDS = st.sampled_from(["free", "one-sided", "fixed"])


@given(st.data(), NAMES, KINDS)
def test_placements(data: st.DataObject, lattice: str, kind: Kind) -> None:
    """A piece has the places that turning and moving its points finds, each once."""
    size = (2, 2, 3) if lattice == "cube" else (4, 4)
    whole = [cell for cell in product(*map(range, size)) if lattice != "hexagon" or sum(cell) % 2 == 0]
    holes = data.draw(st.sets(st.sampled_from(whole), max_size=6))
    corners = [min(whole), max(whole)] + ([(0, 0), (3, 3)] if lattice in ("square", "triangle") else [])
    marks = {cell: data.draw(st.sampled_from("#x")) for cell in whole if cell not in holes or cell in corners}
    shape = data.draw(st.sampled_from(polyforms(data.draw(st.integers(1, 4)), lattice, kind)))
    piece = Piece.of("P", {cell: data.draw(st.sampled_from("##x")) for cell in shape.cells}, lattice)
    board = Board.of(marks, lattice)
    assert board.size == size
    found = list(placements(board, piece, kind))
    assert len({place.cells for place in found}) == len(found)
    assert {as_put(board, place) for place in found} == puts(board, piece, kind)


def all_covers(
    places: list[Placement], board: Board, ranges: dict[str, tuple[int, int]], begun: tuple[Placement, ...] = ()
) -> Iterator[tuple[Placement, ...]]:
    """All sets of places that do not overlap, leave only some cells empty, and use pieces as often as they may."""
    used = Counter(place.piece for place in begun)
    if all(used[name] <= most for name, (_, most) in ranges.items()):
        covered = {cell for place in begun for cell in place.cells}
        if covered | board.empty >= board.marks.keys() and all(
            used[name] >= least for name, (least, _) in ranges.items()
        ):
            yield begun
        for k, place in enumerate(places):
            if covered.isdisjoint(place.cells):
                yield from all_covers(places[k + 1 :], board, ranges, (*begun, place))


RANGES: dict[Any, tuple[int, int]] = {1: (1, 1), 2: (2, 2), "any": (0, 9), "0..1": (0, 1), (1, 2): (1, 2), 0: (0, 0)}


@given(st.data(), st.sampled_from(["square", "triangle", "hexagon"]))
@pytest.mark.filterwarnings("ignore:there is no cover")
def test_covers_are_what_each_and_empty_say(data: st.DataObject, lattice: str) -> None:
    """With any ranges and any cells that may stay empty, the covers are those that brute force finds."""
    cells = data.draw(st.lists(st.sampled_from(some_cells(lattice, 3, 5)), min_size=1, max_size=7, unique=True))
    empty = data.draw(st.sets(st.sampled_from(cells)))
    pieces = [
        Piece.of(name, shape.cells, lattice) for name, shape in zip("AB", data.draw(two_pieces(lattice)), strict=True)
    ]
    each = {name: data.draw(st.sampled_from([*RANGES])) for name in "AB"}
    problem = tiles.problem(cells, pieces, lattice=lattice, each=each, empty=empty)
    board = Board.of(cells, lattice, empty)
    places = [place for piece in pieces for place in placements(board, piece, "free")]
    by_hand = {
        frozenset(one) for one in all_covers(places, board, {name: RANGES[given] for name, given in each.items()})
    }
    found = [frozenset(problem.labels(cover)) for cover in dlx.covers(problem)]
    assert len(set(found)) == len(found)
    assert set(found) == by_hand


@st.composite
def two_pieces(draw: st.DrawFn, lattice: str) -> list[Piece]:
    """Two pieces of up to three cells."""
    return [draw(st.sampled_from(polyforms(draw(st.integers(1, 3)), lattice))) for _ in range(2)]


FIRSTS: list[tuple[str, dict[str, Any]]] = [
    ("##./###", {"pieces": "pentomino:P"}),
    ("##../####/####/..##", {"pieces": "tetromino:L, domino", "each": {"I": "any"}}),
    ("####/####/####", {"pieces": "tetromino:L, trominoes, domino"}),
    ("#####/#####/#####", {"pieces": "pentomino:PLV"}),
    ("#####/#####/#####", {"pieces": "pentomino:PLV, tromino:L", "each": {"L2": (0, 1), "V": (0, 1)}, "empty": "#"}),
    ("####/####/####/####", {"pieces": "tetromino:LO, domino", "each": {"I": "any", "O": (0, 1)}}),
    ("####/####/####", {"pieces": "tetromino:L, domino", "each": {"I": "any"}, "weights": {(0, 0): 1, (0, 3): 1}}),
    ("o##o/####/####/o##o", {"pieces": "tetromino:LO, domino", "each": {"I": "any"}, "empty": "o"}),
    ("o###/####/####/###o", {"pieces": {"L": "o##/#..", "I": "##"}, "each": {"I": "any"}}),
    ("x##/###/##x", {"pieces": {"L": "x##", "I": "##"}, "each": {"I": "any"}}),
    ("###/###/###", {"pieces": "tetromino:L, domino, monomino", "each": {"I": "any"}}),
]


def orbit(cover: frozenset[int], generators: list[npt.NDArray[np.int64]]) -> frozenset[frozenset[int]]:
    """The images of a cover under a group."""
    found = {cover}
    for one in (listed := [cover]):  # which grows
        new = {frozenset(each[[*one]].tolist()) for each in generators} - found
        found |= new
        listed += new
    return frozenset(found)


@pytest.mark.parametrize("symmetry", ["all", "rotations"])
@pytest.mark.parametrize(("board", "said"), FIRSTS, ids=[f"{board}-{k}" for k, (board, _) in enumerate(FIRSTS)])
def test_first_is_one_of_each_kind(board: str, said: dict[str, Any], symmetry: Symmetry) -> None:
    """`symmetry=` has one tiling of each orbit of `symmetries`, and no other."""
    every, first = (tiles.problem(board, symmetry=which, **said) for which in ("none", symmetry))
    number = {name: o for o, name in enumerate(every.names or ())}
    kept = {frozenset(number[name] for name in first.labels(cover)) for cover in dlx.covers(first)}
    generators = tiles.symmetries(every, symmetry)
    orbits = {orbit(frozenset(map(int, cover)), generators) for cover in dlx.covers(every)}
    assert [len(one & kept) for one in orbits] == [1] * len(kept) != []


def test_the_best_tiling() -> None:
    """The best tiling has the greatest sum of the numbers of its cells, as all tilings show."""
    weights = dict(zip(product(range(3), range(4)), (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8.5), strict=True))
    problem = tiles.problem("3x4", "tetrominoes", each=(0, 1), empty=True, weights=weights)
    scores = {sum(weights[cell] for p in problem.labels(cover) for cell in p.cells) for cover in dlx.covers(problem)}
    assert dlx.best(problem, "max").score == max(scores)
    assert dlx.best(problem, "min").score == min(scores)


@pytest.mark.parametrize(
    ("board", "pieces", "each", "message"),
    [
        (
            "5x5",
            "dominoes",
            "any",
            "25 cells to fill, and the pieces can fill at most 24; empty=True lets cells stay empty$",
        ),
        ("3x4", "tetrominoes", "1..2", "the pieces fill at least 20; each='0..1' lets pieces be left out$"),
        (
            "3x4",
            "pentomino:PL, tetromino:O",
            1,
            "the board has 12 cells to fill, and the pieces fill at least 14; each='any' lets",
        ),
        (
            ".#######/" + "########/" * 6 + "#######.",
            "dominoes",
            "any",
            "black minus white cells are -2 on the board, but 0 for the pieces",
        ),
        ("8x8", "domino", 1, "the pieces can fill at most 2; each='any' lets pieces repeat"),
        ("4x5", "tetrominoes", 1, "black minus white cells are 0 on the board, but -2, 2 for the pieces"),
    ],
)
def test_warnings_of_areas_and_colours(board: str, pieces: str, each: Any, message: str) -> None:
    """A board that areas or the colours of a chessboard forbid gives a warning with the numbers, and no covers."""
    with pytest.warns(UserWarning, match=message):
        problem = tiles.problem(board, pieces, each=each)
    assert dlx.first(problem).cover is None


@given(st.data())
def test_warnings_are_right(data: st.DataObject) -> None:
    """Where there is a warning there is no cover."""
    cells = data.draw(st.lists(st.sampled_from(some_cells("square", 3, 5)), min_size=1, max_size=9, unique=True))
    empty = data.draw(st.sets(st.sampled_from(cells), max_size=2))
    pieces = data.draw(
        st.lists(st.sampled_from([f"tetromino:{name}" for name in "ILOST"] + ["dominoes"]), min_size=1, max_size=3)
    )
    each = data.draw(st.sampled_from([1, "any", "1..2", "0..1", 2]))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        problem = tiles.problem(cells, pieces, each=each, empty=empty)
    assert not told or dlx.first(problem).cover is None


@pytest.mark.parametrize(
    "problem",
    [
        tiles.problem("4x4", "domino", each="any"),
        tiles.problem("2x2x2", "domino", each="any", weights=lambda place: min(place.cells)[0]),
        tiles.problem("2x3", "2-colour squares"),
        tiles.problem([(-1, 0), (-1, 1)], {"M": "#"}, empty=True),
    ],
)
@pytest.mark.parametrize("name", ["tilings.npz", "tilings.dlx"])
def test_tilings_are_saved_and_read_back(problem: dlx.Problem, name: str, tmp_path: Path) -> None:
    """Cells and placements come back as they were, so pages and pictures of tilings are the same."""
    write(problem, tmp_path / name)
    again = read(tmp_path / name)
    assert again == problem
    assert [str(place) for place in again.names or ()] == [str(place) for place in problem.names or ()]
    cover = dlx.first(again).cover
    assert cover is not None
    assert tiles.drawn(again, cover) == tiles.drawn(problem, cover)
    assert tiles.picture(again, cover) == tiles.picture(problem, cover)
    assert show.draw(again, cover) == show.draw(problem, cover)
    assert page(dlx.trace(again)) == page(dlx.trace(problem))


# Labels on edges


@st.composite
def puzzles(draw: st.DrawFn, lattice: str) -> tuple[Board, list[Piece]]:
    """A small board, and as many pieces of one cell with labels on their sides."""
    alphabet = draw(st.sampled_from(["a", "aab"]))
    most = 3 if lattice == "cube" else 4  # four cubes that lie anyhow have millions of covers
    some = draw(st.lists(st.sampled_from(some_cells(lattice, 2, 4)), min_size=2, max_size=most, unique=True))
    board = Board.of(some, lattice, frame=draw(st.sampled_from([None, None, "a"])))
    sides = len(midpoints(lattice, some_cells(lattice, 2, 4)[0]))
    rows = [draw(st.text(alphabet, min_size=sides, max_size=sides)) for _ in board.marks]
    return board, labelled(lattice, rows)


def labelled(lattice: str, rows: list[str]) -> list[Piece]:
    """Pieces of one cell with labels on their sides."""
    return [replace(piece, name=f"P{piece.name}") for piece in tiles.sided("/".join(rows), lattice)]


@settings(deadline=None, max_examples=50)
@pytest.mark.filterwarnings("ignore:there is no cover")
@given(st.data(), NAMES, st.sampled_from(["free", "one-sided"]))
def test_covers_with_labels_are_those_of_brute_force(data: st.DataObject, lattice: str, kind: Kind) -> None:
    """On any small board of any lattice labels agree in all covers, and brute force finds the same."""
    board, pieces = data.draw(puzzles(lattice))
    if board.frame and not any("a" in piece.sides for piece in pieces):
        return
    problem = tiles.problem(board, pieces, orientations=kind)
    if dlx.count(problem).covers > 5000:  # four cubes that do not touch have millions, which take minutes by hand
        return
    options = [puts(board, piece, kind) for piece in pieces]
    named = [as_put(board, place) for place in problem.labels(range(problem.n_options))]
    found = [frozenset(named[option] for option in cover) for cover in dlx.covers(problem)]
    assert len(found) == len(set(found))
    assert set(found) == set(covers_by_hand(board, options))


def symmetries_of(board: Board, kind: Kind) -> list[dict[Point, Point]]:
    """Returns the images of the middles of cells and sides under the motions that take a board to itself."""
    middles = [np.array(middle(board.lattice, cell)) for cell in board.marks]
    points = [*middles, *(np.array(p) for cell in board.marks for p in midpoints(board.lattice, cell))]
    there = {at(point) for point in middles}
    maps = [
        {at(point): at(turn @ (point - middles[0]) + other) for point in points}
        for turn, other in product(motions(board.lattice, kind), middles)
    ]
    return [one for one in maps if {one[point] for point in there} == there]


def moved(put: Put, to: dict[Point, Point]) -> Put:
    """A piece somewhere else."""
    labels = frozenset((to[point], label) for point, label in put.labels)
    return Put(put.piece, frozenset(to[point] for point in put.middles), labels)


LABELLED: list[tuple[str, str, list[str], Kind]] = [
    ("square", "2x2", ["aabb", "abab", "aaab", "aaaa"], "one-sided"),
    ("square", "2x2", ["aabb", "abab", "abac", "aaaa"], "free"),
    ("square", "2x3", ["aabc", "cbab", "acab", "aaaa", "cccc", "ccbb"], "free"),
    ("triangle", "hexagon 1", ["abc", "abb", "bcc", "aac", "ddb", "dca"], "one-sided"),
    ("triangle", "triangle 2", ["aab", "abc", "aac", "aaa"], "free"),
    ("hexagon", "triangle 2", ["aaabbb", "aababb", "ababab"], "free"),
    ("cube", "1x1x3", ["abcabc", "aacabb", "aaaaaa"], "one-sided"),
]


@pytest.mark.parametrize(("lattice", "size", "rows", "kind"), LABELLED)
def test_first_is_one_of_each_kind_with_labels(lattice: str, size: str, rows: list[str], kind: Kind) -> None:
    """`symmetry` leaves one cover of each orbit, as turning all points finds them, with labels that turn along."""
    pieces, board = labelled(lattice, rows), Board.of(size, lattice)
    senses: tuple[Symmetry, ...] = ("none", "all" if kind == "free" else "rotations")
    every, first = (
        [
            frozenset(as_put(board, place) for place in problem.labels(cover))
            for problem in [tiles.problem(board, pieces, orientations=kind, symmetry=symmetry)]
            for cover in dlx.covers(problem)
        ]
        for symmetry in senses
    )
    maps = symmetries_of(board, kind)
    orbits = {frozenset(frozenset(moved(put, to) for put in cover) for to in maps) for cover in every}
    assert {cover for orbit in orbits for cover in orbit} == set(every)
    assert set(first) <= set(every)
    assert [len(orbit.intersection(first)) for orbit in orbits] == [1] * len(orbits) != []
    assert len(first) == len(orbits) < len(every)


# Colours from 2 on, as the On-Line Encyclopedia of Integer Sequences has them
NUMBERS = {
    "square": [6, 24, 70, 165],  # A006528
    "triangle": [4, 11, 24, 45],  # A006527
    "hexagon": [14, 130, 700, 2635],  # A006565
    "cube": [10, 57, 240, 800],  # A047780
}


@pytest.mark.parametrize("lattice", NUMBERS)
def test_numbers_of_coloured_cells(lattice: str) -> None:
    """There are as many cells with coloured sides as known, up to turning."""
    assert [len(tiles.named(f"{n}-colour {lattice}s")) for n in range(2, 6)] == NUMBERS[lattice]


def test_labels_from_texts() -> None:
    """Sections and rows of numbers give the same pieces, with the lattice of as many sides."""
    rows = "0 0 1 12/0 0 12 7/0 0 7 3/0 0 3 1"
    below = rows.replace("/", "\n\n")
    board, pieces, each = tiles.loads(f"board: 2x2\nframe: 0\nsides 0..1:\n{below}")
    assert (board and board.frame, each["4"]) == ("0", (0, 1))
    assert pieces == tiles.sided(rows) == tiles.sided(below)
    assert [tiles.sided(row)[0].lattice for row in ("aab", "aabb", "aabbcc")] == ["triangle", "square", "hexagon"]
    assert tiles.loads("board: triangle 2\nsides any: aab/abb").each == {"1": (0, None), "2": (0, None)}
    pair = tiles.sided("aaba/abaa")
    assert dlx.count(tiles.problem("1x2", pair)).covers == 2 * (3 * 3 + 1)
    assert dlx.count(tiles.problem("1x2", pair, orientations="fixed")).covers == 1


def test_labels_are_drawn() -> None:
    """In text they stand in the sides of squares, with names of pieces if there is room; pictures have triangles."""
    problem = tiles.problem("2x2", tiles.sided("0 0 1 12/0 0 12 7/0 0 7 3/0 0 3 1"), frame=0)
    assert tiles.drawn(problem, dlx.first(problem).cover or ()).split("\n") == [
        "┌─0─┬─0─┐",
        "0 2 121 0",
        "├─7─┼─1─┤",
        "0 3 3 4 0",
        "└─0─┴─0─┘",
    ]
    picture = tiles.picture(problem, dlx.first(problem).cover)
    assert picture.caption == "a tiling of 4 cells by 4 pieces"
    mixed = tiles.problem("2x2", [*tiles.sided("abca"), Piece.of("L", "##/#")])
    paths = tiles.picture(mixed, dlx.first(mixed).cover).count("<path")
    assert paths == 3 + 1  # three colours, the piece without labels


def test_the_command_matches_edges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pieces are rows of labels in a file, --frame is the label of the frame, and JSON has the labels."""
    (file := tmp_path / "four.txt").write_text("sides:\n0 0 1 12\n0 0 12 7\n0 0 7 3\n0 0 3 1\n")
    asked = ["tile", "2x2", "--pieces", str(file), "--frame", "0"]
    assert main([*asked, "--count"]) == 0
    assert capsys.readouterr().out == "4\n"
    assert main([*asked, "--json"]) == 0
    places = json.loads(capsys.readouterr().out.split("\n")[0])["pieces"]
    assert all(len(place["sides"]) == 4 for place in places)


# Up to the symmetries of the board


Shape = frozenset[tuple[Vector, str]]


class Stocked(NamedTuple):
    """What a piece is but for its name: its shapes, and the least and the most of its uses."""

    shapes: frozenset[Shape]
    uses: object


def moved_shape(shape: Iterable[tuple[Vector, str]], matrix: Matrix, lattice: Lattice) -> Shape:
    """The image of a shape under a matrix, in the same place for all translates of the shape."""
    turned = [(times(matrix, at), mark) for at, mark in shape]
    least = [min(at[k] for at, _ in turned) // lattice.period * lattice.period for k in range(lattice.dimension)]
    return frozenset((added(at, tuple(-x for x in least)), mark) for at, mark in turned)


def group(lattice: Lattice, kind: str) -> tuple[Matrix, ...]:
    """The matrices of a kind of turning, or of a symmetry."""
    some = {"free": lattice.matrices, "all": lattice.matrices}
    few = {"fixed": lattice.matrices[:1], "none": lattice.matrices[:1]}
    return {**some, **few}.get(kind, lattice.rotations)


def stocked(piece: Piece, kind: Kind, uses: object) -> Stocked:
    """All shapes of a piece, and its uses."""
    lattice = LATTICES[piece.lattice]
    shape = [(lattice.position(cell), mark) for cell, mark in zip(piece.cells, piece.marks, strict=True)]
    return Stocked(frozenset(moved_shape(shape, matrix, lattice) for matrix in group(lattice, kind)), uses)


def board_motions(board: Board, symmetry: str) -> Iterator[tuple[Matrix, dict[Cell, Cell]]]:
    """The motions of the lattice under which the board, its marks and the cells that may stay empty are the same."""
    lattice = LATTICES[board.lattice]
    if symmetry == "none":
        yield lattice.matrices[0], {cell: cell for cell in board.marks}
        return
    first = next(iter(board.marks))
    for matrix, target in product(group(lattice, symmetry), board.marks):
        turned = times(matrix, lattice.position(first))
        shift = added(lattice.position(target), tuple(-x for x in turned))
        if any(x % lattice.period for x in shift):
            continue
        move = {cell: lattice.cell(added(times(matrix, lattice.position(cell)), shift)) for cell in board.marks}
        same = all(board.marks.get(move[cell]) == mark for cell, mark in board.marks.items())
        if same and {move[cell] for cell in board.empty} == board.empty:
            yield matrix, move


def kinds(problem: dlx.Problem, board: Board, stock: Mapping[str, Stocked], symmetry: str) -> int:
    """The number of orbits of tilings: names are forgotten, and all motions that keep the stock are applied."""
    lattice = LATTICES[board.lattice]
    allowed = []
    for matrix, move in board_motions(board, symmetry):
        to = {
            one: Stocked(frozenset(moved_shape(shape, matrix, lattice) for shape in one.shapes), one.uses)
            for one in stock.values()
        }
        if Counter(to[one] for one in stock.values()) == Counter(stock.values()):
            allowed.append((to, move))
    patterns = set()
    for cover in dlx.covers(problem):
        uses: dict[str, list[tuple[Cell, ...]]] = {}
        for place in problem.labels(cover):
            uses.setdefault(place.piece, []).append(place.cells)
        images = []
        for to, move in allowed:
            parts = Counter(
                (to[stock[name]], frozenset(frozenset(move[cell] for cell in cells) for cells in some))
                for name, some in uses.items()
            )
            images.append(frozenset(parts.items()))
        patterns.add(frozenset(images))
    return len(patterns)


def some_tilings(lattice: str, rng: np.random.Generator) -> tuple[dlx.Problem, Board, dict[str, Stocked]]:
    """A small problem with random pieces, some of them alike, its board, and its stock."""
    whole = some_cells(lattice, 3, 4)
    cells = [cell for cell in whole if rng.random() < 0.8] or whole
    marks = {cell: "x" if rng.random() < 0.1 else "#" for cell in cells}
    symmetric = rng.random() < 0.5
    empty = cells if symmetric else [cell for cell in cells if rng.random() < 0.4]
    board = Board.of(marks, lattice, empty)
    pieces: list[Piece] = []
    stock, each, turned = {}, {}, {}
    kind: Kind = rng.choice(["free", "one-sided", "fixed"])
    for name in "ABC"[: rng.integers(1, 4)]:
        if pieces and rng.random() < 0.4:
            piece = replace(pieces[-1], name=name)
        else:
            shapes = tiles.polyforms(int(rng.integers(1, 4)), lattice, "fixed")
            shape = shapes[rng.integers(len(shapes))]
            marked = "x" in marks.values() and rng.random() < 0.2
            piece = Piece.of(
                name, {cell: "x" if marked and cell == shape.cells[0] else "#" for cell in shape.cells}, lattice
            )
        pieces.append(piece)
        each[name] = ["1", "0..1", "1..2"][rng.integers(3)] if rng.random() < 0.4 else "1"
        turned[name] = kind if rng.random() < 0.8 else "one-sided"
        stock[name] = stocked(piece, turned[name], each[name])
    return tiles.problem(board, pieces, lattice=lattice, each=each, orientations=turned), board, stock


@pytest.mark.filterwarnings("ignore:there is no cover")
@pytest.mark.parametrize("lattice", LATTICES)
def test_kinds_are_orbits_of_the_motions_of_the_board(lattice: str) -> None:
    """Kinds are what brute force counts, with pieces that are alike and without, in each sense of symmetry."""
    rng = np.random.default_rng(len(lattice))
    done = 0
    while done < tries(60):
        problem, board, stock = some_tilings(lattice, rng)
        if not 0 < dlx.count(problem, max_covers=200).covers < 200:
            continue
        done += 1
        for symmetry in SYMMETRIES:
            found = tiles.symmetries(problem, symmetry)
            assert dlx.count(problem, up_to=found).covers == kinds(problem, board, stock, symmetry)
        if done < 5:
            found = tiles.symmetries(problem)
            assert len(dlx.classify(problem, group=found)) == kinds(problem, board, stock, "all")


FIXED = Piece.of("A", "##", kind="fixed")
SMALL: list[tuple[str, Any, dict[str, Any], int]] = [
    ("1x3", {"M": "#"}, {"empty": True}, 2),
    ("###/.#.", {"I": "##"}, {"empty": True}, 2),
    ("2x2", {"M": "#", "N": "#"}, {"empty": True}, 2),
    ("2x3", {"L": "##/#."}, {"empty": True}, 2),
    ("3x3", {"M": "#"}, {"empty": True}, 3),
    ("1x4", {"A": "##", "B": "##"}, {}, 1),
    ("1x3", {"M": "#"}, {"empty": True, "weights": {(0, 0): 1}}, 3),
    ("2x3", "one-sided tetromino:LJ", {"empty": True, "each": "0..1"}, 2),
    ("2x2", {"A": FIXED, "B": Piece.of("B", "#/#", kind="fixed")}, {"empty": True, "each": "0..1"}, 2),
    ("xo/ox", "monomino", {"empty": "x", "each": 2}, 1),
]


@pytest.mark.parametrize(("board", "pieces", "others", "number"), SMALL, ids=range(len(SMALL)))
def test_kinds_of_small_boards(board: str, pieces: Any, others: dict[str, Any], number: int) -> None:
    """Kinds are up to the symmetries of the board and the weights, fewer than those of the items and options."""
    problem = tiles.problem(board, pieces, **others)
    assert dlx.count(problem, up_to=tiles.symmetries(problem)).covers == number


def test_a_problem_keeps_its_board() -> None:
    """Derived and pickled problems know the board; a problem equals one that does not, which has no such symmetries."""
    problem = tiles.problem("2x3", "dominoes", each="any")
    plain = dlx.Problem(problem.items, problem.n_primary, problem.indptr, problem.indices, names=problem.names)
    assert (plain == problem, hash(plain) == hash(problem)) == (True, True)
    for one in (problem, pickle.loads(pickle.dumps(problem)), problem.without([])):
        assert dlx.count(one, up_to=tiles.symmetries(one)).covers == 2
    chosen = problem.with_chosen([0])
    assert dlx.count(chosen, up_to=tiles.symmetries(chosen)).covers == dlx.count(chosen).covers
    with pytest.raises(TypeError, match=r"this Problem has no board; tiles.problem makes a problem with a board"):
        tiles.symmetries(plain)
